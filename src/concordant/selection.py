"""Taking rankings apart, joining and comparing them: single rankings, voters, items, sums."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from concordant._types import Int32, Int64, Item
from concordant.errors import InputError, show
from concordant.merging import distinct, take_rows
from concordant.orders import index_items
from concordant.units import LARGEST
from concordant.voters import Ranking, Voters

if TYPE_CHECKING:
    from concordant.rankings import Rankings

_Member = TypeVar("_Member")


def split_buckets(members: Sequence[_Member], numbers: Sequence[int]) -> list[list[_Member]]:
    """Split the members of a ranking into its buckets, which are numbered from 0.

    Example:
        >>> split_buckets("bac", [0, 1, 1])
        [['b'], ['a', 'c']]
    """
    ranking: list[list[_Member]] = []
    for member, number in zip(members, numbers, strict=True):
        if number == len(ranking):
            ranking.append([])
        ranking[-1].append(member)
    return ranking


def all_rankings(data: Rankings) -> Iterator[Ranking]:
    """Yield the ranking of each voter whose name is known, else each distinct ranking."""
    members = [data.items[a] for a in data.members.tolist()]
    numbers, spans = data.buckets.tolist(), list(pairwise(data.offsets.tolist()))
    voters = data.known or _nameless(data)
    weights = voters.units if data.scale == 1 else voters.units / data.scale
    each = zip(voters.names, voters.which.tolist(), weights.tolist(), strict=True)
    for voter, r, weight in each:
        start, end = spans[r]
        buckets = split_buckets(members[start:end], numbers[start:end])
        yield Ranking([tuple(bucket) for bucket in buckets], weight, voter)


def _nameless(data: Rankings) -> Voters:
    """Return a voter without a name for each distinct ranking."""
    return Voters((None,) * data.n_distinct, np.arange(data.n_distinct), data.units)


def one_ranking(data: Rankings, number: int) -> Ranking:
    """Return one of the rankings that `all_rankings` yields."""
    known = data.known
    r = number if known is None else int(known.which[number])
    units = int((data if known is None else known).units[number])
    span = slice(int(data.offsets[r]), int(data.offsets[r + 1]))
    members = [data.items[a] for a in data.members[span].tolist()]
    return Ranking(
        [tuple(bucket) for bucket in split_buckets(members, data.buckets[span].tolist())],
        units if data.scale == 1 else units / data.scale,
        None if known is None else known.names[number],
    )


def how_many(data: Rankings, chosen: Int64) -> tuple[int, int]:
    """Return the number of rankings and of voters that some rankings stand for.

    Args:
        data: The rankings.
        chosen: Their numbers, as `all_rankings` yields them.
    """
    if chosen.size == len(data):
        return data.n_rankings, data.n_voters
    known = data.known
    units = (data if known is None else known).units[chosen]
    # Whole weights are repeat counts. But fractions of equal rankings without names may have
    # added up to whole weights.
    is_whole = not (units % data.scale).any()
    if known is None:
        is_whole = is_whole and data.n_voters * data.scale == int(data.units.sum())
    n_voters = int(units.sum()) // data.scale if is_whole else chosen.size
    return n_voters if is_whole and data.n_rankings == data.n_voters else chosen.size, n_voters


def take(data: Rankings, chosen: Int64) -> Rankings:
    """Return some of the rankings that `all_rankings` yields, by their numbers."""
    if not chosen.size:
        raise InputError("no ranking is left: choose at least one")
    if chosen.size == len(data) and bool((chosen == np.arange(chosen.size)).all()):
        return data
    known = data.known
    rows = chosen if known is None else known.which[chosen]
    units = (data if known is None else known).units[chosen]
    n_rankings, n_voters = how_many(data, chosen)
    which = np.empty(chosen.size, np.int64)
    arrays = take_rows(data.offsets, data.members, data.buckets, rows)
    voters = None
    offsets, members, buckets, totals = distinct(data.items, *arrays, units, which)
    if known is not None:
        voters = Voters(tuple(known.names[v] for v in chosen.tolist()), which, units)
    return replace(
        data,
        offsets=offsets,
        members=members,
        buckets=buckets,
        units=totals,
        n_rankings=n_rankings,
        n_voters=n_voters,
        known=voters,
    )


def rearranged(data: Rankings, arrays: tuple[Any, Any, Any], **changes: Any) -> Rankings:
    """Return the same voters and weights with other distinct rankings, in the same order.

    Args:
        data: The rankings.
        arrays: The offsets, members and buckets of the other rankings.
        changes: Further fields that change: `items`, `unranked`.
    """
    which = np.empty(data.n_distinct, np.int64)
    kept: Any = distinct(changes.get("items", data.items), *arrays, data.units, which)
    known = None if data.known is None else replace(data.known, which=which[data.known.which])
    changes |= dict(zip(("offsets", "members", "buckets", "units"), kept, strict=True))
    return replace(data, known=known, **changes)


def ranks_of(data: Rankings) -> Int32:
    """Return the distinct rankings as rows of bucket ranks; see `Rankings.ranks`."""
    matrix = np.zeros((data.n_distinct, data.n_items), np.int32)
    rows = np.repeat(np.arange(data.n_distinct), data.lengths)
    matrix[rows, data.members] = data.buckets + 1
    if data.unranked == "last":
        behind = matrix.max(axis=1, keepdims=True, initial=0) + 1
        matrix = np.where(matrix == 0, behind, matrix).astype(np.int32)
    return matrix


def explicit(data: Rankings) -> Rankings:
    """Return the same rankings in a form that does not depend on `unranked`."""
    if data.unranked == "unknown":
        return data
    ranks = data.ranks()
    by_rank = np.argsort(ranks, axis=1, kind="stable")
    arrays = (
        np.arange(data.n_distinct + 1) * data.n_items,
        by_rank.ravel(),
        np.take_along_axis(ranks, by_rank, axis=1).ravel(),
    )
    return rearranged(data, arrays, unranked="unknown")


def of_voters(data: Rankings, voters: Iterable[Item]) -> Rankings:
    """Return the rankings of some voters, by name; see `Rankings.subset`."""
    names = data.voters
    if names is None:
        raise InputError(
            "the voters of these rankings have no names: give them with voters= when you make the "
            "rankings, or choose rankings with a slice"
        )
    wanted = dict.fromkeys(voters)
    present = set(names)
    for voter in wanted:
        if voter not in present:
            raise InputError(f"there is no voter {show(voter)} among the {len(names):,} voters")
    return take(data, np.flatnonzero([name in wanted for name in names]))


def of_items(data: Rankings, items: Iterable[Item]) -> Rankings:
    """Return the rankings of some items; see `Rankings.subset`."""
    index, names = index_items(data.items), tuple(items)
    index_items(names)
    if not names:
        raise InputError("there is no item to rank")
    for item in names:
        if item not in index:
            raise InputError(f"there is no item {show(item)} among the {data.n_items:,} items")
    number = np.full(data.n_items, -1, np.int32)
    number[[index[item] for item in names]] = np.arange(len(names))
    members = number[data.members]
    kept = members >= 0
    offsets = np.concatenate([[0], np.cumsum(kept)])[data.offsets]
    return rearranged(data, (offsets, members[kept], data.buckets[kept]), items=names)


def join(one: Rankings, two: Rankings) -> Rankings:
    """Join the rankings and the items of two sets; see `Rankings.__add__`."""
    if one.unranked != two.unranked:
        raise InputError(
            f'one set of rankings has unranked="{one.unranked}", the other '
            f'unranked="{two.unranked}": make both with the same one, then add them'
        )
    index = index_items(one.items)
    number = np.array([index.setdefault(item, len(index)) for item in two.items], np.int32)
    scale = math.lcm(one.scale, two.scale)
    here, there = scale // one.scale, scale // two.scale
    if int(one.units.sum()) * here + int(two.units.sum()) * there >= LARGEST:
        raise InputError(
            "the weights add up to more than can be counted exactly (2**62): divide them by a "
            "common factor, or round them to fewer decimals"
        )
    which = np.empty(one.n_distinct + two.n_distinct, np.int64)
    offsets, members, buckets, units = distinct(
        tuple(index),
        np.concatenate([one.offsets, two.offsets[1:] + one.offsets[-1]]),
        np.concatenate([one.members, number[two.members]]),
        np.concatenate([one.buckets, two.buckets]),
        np.concatenate([one.units * here, two.units * there]),
        which,
    )
    known = None
    if one.known is not None or two.known is not None:
        first, second = one.known or _nameless(one), two.known or _nameless(two)
        known = Voters(
            first.names + second.names,
            which[np.concatenate([first.which, second.which + one.n_distinct])],
            np.concatenate([first.units * here, second.units * there]),
        )
    return replace(
        one,
        items=tuple(index),
        offsets=offsets,
        members=members,
        buckets=buckets,
        units=units,
        scale=scale,
        n_rankings=one.n_rankings + two.n_rankings,
        n_voters=one.n_voters + two.n_voters,
        known=known,
    )


def is_same(one: Rankings, two: Rankings) -> bool:
    """Return whether two sets of rankings are equal; see `Rankings.__eq__`."""
    if (
        one.unranked != two.unranked
        or one.n_voters != two.n_voters
        or one.n_distinct != two.n_distinct
        or set(one.items) != set(two.items)
    ):
        return False
    index = index_items(one.items)
    return _content(one, index) == _content(two, index)


def _content(data: Rankings, index: dict[Item, int]) -> dict[tuple[tuple[int, ...], ...], Fraction]:
    """Map each ranking, with items numbered by `index`, to its weight."""
    number = [index[item] for item in data.items]
    return {
        tuple(tuple(sorted(number[a] for a in bucket)) for bucket in ranking): Fraction(
            units, data.scale
        )
        for ranking, units in zip(data.numbered(), data.units.tolist(), strict=True)
    }
