"""Distances of rankings: Kendall's distance and tau, Spearman's footrule, the paper's mean f.

A ranking is a sequence of items, best first; an inner tuple, list or set holds tied items. Unranked
items are "unknown" (the default; they count as no opinion) or "last" (tied behind all ranked
items).

Nothing here uses the pairwise counts, so that costs computed from those can be checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np

from concordant._types import Int64
from concordant.errors import InputError, SettingError
from concordant.rankings import Item, Rankings, Unranked, check_unranked

Variant = Literal["strict", "a", "b"]

_TIE = (tuple, list, set, frozenset)


def kendall_distance(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Count the pairs that two complete orders of the same items order differently.

    This is the number of swaps of neighbours that turn one order into the other (Kendall 1938),
    from 0 for equal orders to m(m-1)/2 for reversed ones. It is counted by merge sort, in
    O(m log m) (Knight 1966).

    Raises:
        InputError: If an order has ties or the items differ; use `extended_kendall_distance`
            for such rankings.

    Example:
        >>> kendall_distance(["a", "b", "c"], ["c", "a", "b"])
        2
    """
    items, x, y = _rank_vectors(first, second)
    for name, ranks in (("first", x), ("second", y)):
        if not ranks.all():
            raise InputError(
                f"the {name} ranking leaves out {items[int(np.argmin(ranks))]!r}, which the other "
                f"ranks: use extended_kendall_distance for such rankings"
            )
        if np.unique(ranks).size < ranks.size:
            raise InputError(
                f"the {name} ranking has ties: use extended_kendall_distance for such rankings"
            )
    return _pair_counts(x, y)[4]


def extended_kendall_distance(
    first: Sequence[Any], second: Sequence[Any], *, unranked: Unranked = "unknown"
) -> int:
    """Count the pairs that both rankings order strictly and in opposite ways.

    A pair costs nothing if one of the rankings ties it or does not rank both items. On complete
    orders this is Kendall's distance. With ties or unranked items it is not a metric: all items
    tied have distance 0 from every ranking. It takes O(m log m).

    Args:
        first: A ranking, best first, ties in inner tuples, lists or sets.
        second: The ranking to compare it with.
        unranked: "unknown", or "last": items that only the other one ranks are tied last.

    Example:
        >>> extended_kendall_distance(["a", ("b", "c")], ["c", "b", "a", "d"])
        2
        >>> extended_kendall_distance(["d"], ["a", "b", "d"], unranked="last")
        2
    """
    _, x, y = _rank_vectors(first, second, unranked)
    return _pair_counts(x, y)[4]


def kendall_tau(
    first: Sequence[Any],
    second: Sequence[Any],
    *,
    variant: Variant = "strict",
    unranked: Unranked = "unknown",
) -> float:
    """Return Kendall's rank correlation: 1 for agreement, -1 for reversal.

    With C pairs of common items that both rankings order strictly in the same way and D that they
    order in opposite ways, tau is (C - D) divided by

    - "strict": C + D, the pairs that both order strictly. This is the default, because a tie costs
      nothing in the extended distance either. In statistics it is the gamma of Goodman and
      Kruskal (1954).
    - "a": all pairs of common items, so that ties move tau towards 0 (Kendall 1938).
    - "b": the geometric mean of the numbers of pairs that each orders strictly (Kendall 1945).

    Without ties all three are equal. Where the divisor is 0, tau is NaN.

    Args:
        first: A ranking, best first, ties in inner tuples, lists or sets.
        second: The ranking to compare it with.
        variant: "strict", "a" or "b".
        unranked: "unknown", or "last": items that only the other one ranks are tied last.

    Example:
        >>> kendall_tau(["a", "b", "c", "d"], ["a", "c", "b", "d"])
        0.6666666666666666
        >>> kendall_tau(["a", ("b", "c")], ["a", "b", "c"])
        1.0
        >>> kendall_tau(["a", ("b", "c")], ["a", "b", "c"], variant="a")
        0.6666666666666666
    """
    if variant not in get_args(Variant):
        raise SettingError(f"variant must be 'strict', 'a' or 'b', not {variant!r}")
    _, x, y = _rank_vectors(first, second, unranked)
    pairs, tied_first, tied_second, tied_both, discordant = _pair_counts(x, y)
    strict = pairs - tied_first - tied_second + tied_both
    if variant == "strict":
        whole: float = strict
    elif variant == "a":
        whole = pairs
    else:
        whole = math.sqrt((pairs - tied_first) * (pairs - tied_second))
    return (strict - 2 * discordant) / whole if whole else math.nan


def spearman_footrule(
    first: Sequence[Any], second: Sequence[Any], *, unranked: Unranked = "unknown"
) -> float:
    """Return Spearman's footrule: the sum of the differences of the items' positions.

    On complete orders it is between Kendall's distance and twice Kendall's distance (Diaconis and
    Graham 1977). Tied items have the mean of their positions (Fagin et al. 2006), which may end in
    one half. Items that are not in both rankings are removed before positions are counted.

    Args:
        first: A ranking, best first, ties in inner tuples, lists or sets.
        second: The ranking to compare it with.
        unranked: "unknown", or "last": items that only the other one ranks are tied last.

    Example:
        >>> spearman_footrule(["a", "b", "c"], ["c", "a", "b"])
        4.0
        >>> spearman_footrule([("a", "b")], ["a", "b"])
        1.0
    """
    _, x, y = _rank_vectors(first, second, unranked)
    common = (x != 0) & (y != 0)
    return float(np.abs(_positions(x[common]) - _positions(y[common])).sum())


def distances_to(order: Sequence[Any], rankings: Rankings) -> Int64:
    """Return the extended Kendall distance of an order to each distinct ranking.

    The order must rank every item; it may have ties. Items that a ranking does not rank count as
    its `unranked` says.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")], []])
        >>> distances_to(["c", "b", "a"], data)
        array([3, 1, 0])
    """
    index = {item: number for number, item in enumerate(rankings.items)}
    rank = np.zeros(rankings.n_items, np.int64)
    for item, position in _ranked(order, "order"):
        if item not in index:
            raise InputError(f"the order ranks {item!r}, which is not one of the items")
        rank[index[item]] = position
    if not rank.all():
        missing = rankings.items[int(np.argmin(rank))]
        raise InputError(f"the order must rank every item, but leaves out {missing!r}")
    return distances_from_ranks(rank, rankings)


def distances_from_ranks(rank: Int64, rankings: Rankings) -> Int64:
    """Return the extended Kendall distance of a rank vector to each distinct ranking.

    Args:
        rank: The rank of each item, from 1 to at most m; 0 for an unranked item.
        rankings: The rankings to compare it with.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")], []])
        >>> distances_from_ranks(np.array([3, 2, 1]), data)
        array([3, 1, 0])
    """
    from concordant._kernels import kendall

    rank = np.ascontiguousarray(rank, np.int64)
    if rank.shape != (rankings.n_items,):
        raise InputError(f"a rank vector has {rankings.n_items} entries, one per item")
    if rank.min() < 0 or rank.max() > rankings.n_items:
        raise InputError(f"ranks must be from 1 to {rankings.n_items}, or 0 for an unranked item")
    result: Int64 = kendall.distances(
        rank, rankings.offsets, rankings.members, rankings.buckets, rankings.unranked == "last"
    )
    return result


def total_distance(order: Sequence[Any], rankings: Rankings) -> int | float:
    """Return the sum of the extended Kendall distances of an order to all rankings, weighted.

    This is the cost of the order, computed from the rankings; an int if all weights are.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]], weights=[3, 1])
        >>> total_distance(["c", "b", "a"], data)
        10
    """
    exact = _exact_total(distances_to(order, rankings), rankings)
    return exact.numerator if rankings.scale == 1 else float(exact)


def mean_distance(order: Sequence[Any], rankings: Rankings) -> float:
    """Return the mean extended Kendall distance of an order to rankings: the paper's f.

    The mean is weighted by the weights of the rankings. It is 0 if the total weight is 0.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]], weights=[3, 1])
        >>> mean_distance(["c", "b", "a"], data)
        2.5
    """
    exact = _exact_total(distances_to(order, rankings), rankings)
    weight = Fraction(int(rankings.units.sum()), rankings.scale)
    return float(exact / weight) if weight else 0.0


def _exact_total(distances: Int64, rankings: Rankings) -> Fraction:
    units = rankings.units
    # The sum is at most the largest distance times the total weight.
    if int(distances.max(initial=0)) * int(units.sum()) < 2**63:
        total = int(distances @ units)
    else:
        total = sum(d * u for d, u in zip(distances.tolist(), units.tolist(), strict=True))
    return Fraction(total, rankings.scale)


def _pair_counts(x: Int64, y: Int64) -> tuple[int, int, int, int, int]:
    from concordant._kernels import kendall

    pairs, tied_first, tied_second, tied_both, discordant = kendall.pair_counts(x, y)
    return int(pairs), int(tied_first), int(tied_second), int(tied_both), int(discordant)


def _positions(ranks: Int64) -> Any:
    """Return the position of each item, counted from 1; tied items have their mean position."""
    _, bucket, sizes = np.unique(ranks, return_inverse=True, return_counts=True)
    return (np.cumsum(sizes) - (sizes - 1) / 2)[bucket]


def _ranked(ranking: Iterable[Any], name: str) -> Iterable[tuple[Item, int]]:
    """Yield each item with the number of its bucket, counted from 1."""
    if isinstance(ranking, str | bytes) or not isinstance(ranking, Iterable):
        raise InputError(f"the {name} must be a list of items, best first, not {ranking!r}")
    seen: set[Item] = set()
    bucket = 0
    for group in ranking:
        tied = group if isinstance(group, _TIE) else (group,)
        # An empty tie has no rank, so that ranks never exceed the number of items.
        bucket += bool(tied)
        for item in tied:
            try:
                again = item in seen
            except TypeError:
                raise InputError(
                    f"{item!r} in the {name} cannot name an item (it is not hashable)"
                ) from None
            if again:
                raise InputError(f"the {name} ranks {item!r} twice")
            seen.add(item)
            yield item, bucket


def _rank_vectors(
    first: Sequence[Any], second: Sequence[Any], unranked: Unranked = "unknown"
) -> tuple[list[Item], Int64, Int64]:
    """Return the items of two rankings and the two rank vectors over them."""
    check_unranked(unranked)
    rank_first = dict(_ranked(first, "first ranking"))
    rank_second = dict(_ranked(second, "second ranking"))
    items = list(rank_first | rank_second)
    vectors = []
    for ranks in (rank_first, rank_second):
        missing = len(items) + 1 if unranked == "last" else 0
        vectors.append(np.array([ranks.get(item, missing) for item in items], np.int64))
    return items, vectors[0], vectors[1]
