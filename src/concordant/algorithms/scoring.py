"""Scores and sorting: Borda and its variants, Copeland, and counting within the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._checks import one_of
from concordant._types import Int64, Margins
from concordant.errors import SettingError
from concordant.pairwise import mirrored
from concordant.rankings import Rankings
from concordant.running import Run

# With more items than this, set-up takes long enough to check the limits in between.
LARGE = 4_096
# Entries of the matrix that one thread counts or compares per second, at the least.
_ENTRIES_PER_SECOND = 2e8
# Values scanned between two checks of the limits: a few milliseconds.
_SCANNED = 2**22
# Values below this are sorted into pieces by a histogram.
_HISTOGRAM = 2**20


def by_score(scores: Int64 | npt.NDArray[np.float64] | npt.NDArray[np.object_]) -> Int64:
    """Sort items by falling score; equal scores keep the order of the item numbers."""
    return np.argsort(-scores, kind="stable").astype(np.int64)


@dataclass(frozen=True, slots=True)
class TieSettings:
    """Settings of the methods that sort by a score.

    Attributes:
        ties: Which of two items with the same score comes first: the one with the lower item
            "number", or one drawn at random by the seed ("lot"). Item numbers often carry
            information, for example the alphabetical order. The paper's Borda draws at random.
    """

    ties: str = "number"

    def __post_init__(self) -> None:
        one_of("ties", self.ties, ("number", "lot"))


def ranked_by(
    run: Run, scores: Int64 | npt.NDArray[np.float64] | npt.NDArray[np.object_], by: TieSettings
) -> Int64:
    """Sort items by falling score, with ties broken as the settings say."""
    numbers = numbering(run, by)
    return numbers[by_score(scores[numbers])]


def numbering(run: Run, by: TieSettings) -> Int64:
    """Return the items in the order that breaks ties."""
    m = run.n_items
    return run.rng().permutation(m) if by.ties == "lot" else np.arange(m)


def borda_scores(counts: Int64) -> Int64:
    """Return pairwise wins minus losses for each item, from the pairwise counts.

    On complete rankings this is an increasing function of Borda's count (Borda 1781). Tied
    and unranked pairs count for neither side, so that the score is defined for all rankings.
    """
    scores: Int64 = counts.sum(axis=1) - counts.sum(axis=0)
    return scores


def borda_of(run: Run) -> Int64:
    """Return the Borda scores, from the rankings or from the pairs, whichever are fewer.

    Pairs that are not counted yet stay uncounted.
    """
    rankings = run.rankings
    if rankings is None or (run.is_counted and rankings.members.size > run.n_items**2):
        return borda_scores(run.pairwise.counts)
    points, rows, rest = positional_points(rankings)
    scores = np.full(run.n_items, int(rest @ rankings.units))
    np.add.at(scores, rankings.members, points * rankings.units[rows])
    return scores


def counted_in_time(run: Run, passes: int = 0) -> bool:
    """Count the pairs unless the run is out of limits; return whether it is still within them.

    Counting tens of thousands of items takes seconds and cannot be interrupted, so it must not
    begin when the limits are reached, nor when the time left is too short for it. Then, and after
    Ctrl-C, Borda's order is left as the answer: it needs no pairs. Up to 4,096 items, all this
    takes milliseconds, and the limits are not checked.

    Args:
        run: The run.
        passes: How many more times the caller goes through the whole matrix, in one piece each.
    """
    if run.n_items <= LARGE:
        return True
    if run.rankings is None or run.is_counted:
        if out_of_time(run):
            return False
        if not _has_time(run, passes):
            run.improve(by_score(borda_of(run)))
            return False
        return True
    order = by_score(borda_of(run))
    cost = run.cost_units(order)
    in_time = False
    try:
        if not run.stop(when_optimal=False) and _has_time(run, 1 + passes):
            run.raise_bound(run.pairwise.lower_bound_units())
            in_time = not run.stop(when_optimal=False) and _has_time(run, passes)
    finally:
        if not in_time:
            run.improve(order, cost)
    return in_time


def _has_time(run: Run, passes: int) -> bool:
    """Return whether there is time for some passes over the matrix, at a cautious rate."""
    limit = run.time_limit
    return limit is None or run.elapsed + passes * run.n_items**2 / _ENTRIES_PER_SECOND < limit


def out_of_time(run: Run) -> bool:
    """Return whether a run of many items is out of limits; if so, leave Borda's order behind."""
    if run.n_items <= LARGE or not run.stop(when_optimal=False):
        return False
    run.improve(by_score(borda_of(run)))
    return True


def borda(run: Run, settings: TieSettings) -> None:
    """Sort by Borda score."""
    scores = borda_of(run)
    order = ranked_by(run, scores, settings)
    run.improve(order)
    run.details["scores"] = (scores[order] / run.data.scale).tolist()


def copeland(run: Run, settings: TieSettings) -> None:
    """Sort by the items beaten by majority minus the items lost to (Copeland 1951).

    Out of time, the answer is Borda's order.
    """
    if not counted_in_time(run):
        return
    scores = np.zeros(run.n_items, np.int64)
    for i, j, there, back in mirrored(run.pairwise.counts):
        if i == j and out_of_time(run):
            return
        duels = (there > back.T).astype(np.int64) - (there < back.T)
        scores[i : i + there.shape[0]] += duels.sum(axis=1)
        if j > i:
            scores[j : j + there.shape[1]] -= duels.sum(axis=0)
    run.improve(ranked_by(run, scores, settings))


def double_ranks(rankings: Rankings) -> Int64:
    """Return twice the rank of each entry of `rankings.members`; tied items share their mean."""
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    position = np.arange(rankings.members.size) - rankings.offsets[rows] + 1
    buckets = rankings.buckets
    starts = np.flatnonzero((np.diff(rows, prepend=-1) != 0) | (np.diff(buckets, prepend=-1) != 0))
    sizes = np.diff(np.append(starts, position.size))
    # The mean rank of a bucket is half the sum of its first and its last position.
    return np.repeat(2 * position[starts] + sizes - 1, sizes)


def extended_borda_scores(rankings: Rankings) -> list[int]:
    """Return the extended Borda scores of Aledo, Gámez and Rosete (2016), times a constant.

    In a ranking of m' of m items, the item of rank r scores (m' + 1 - r)(m + 1) / (m' + 1),
    an unranked item scores (m + 1) / 2. Tied items share the mean of their ranks. The constant
    makes all scores integers, so that equal scores compare as equal.
    """
    m = rankings.n_items
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    length = rankings.lengths
    # Unranked items that count as last have the ranks m' + 1 to m in a ranking of all m items.
    ranked = np.full_like(length, m) if rankings.unranked == "last" else length
    # Points times 2(m' + 1) / (m + 1). An unranked item gets m' + 1 (unknown), or m' + 1 minus
    # the number of items before it (last).
    rest = ranked + 1 - (length if rankings.unranked == "last" else 0)
    points = 2 * (ranked[rows] + 1) - double_ranks(rankings) - rest[rows]
    lengths, group = np.unique(ranked, return_inverse=True)
    won = np.zeros((lengths.size, m), np.int64)
    np.add.at(won, (group[rows], rankings.members), rankings.units[rows] * points)
    for_all = np.zeros(lengths.size, np.int64)
    np.add.at(for_all, group, rankings.units * rest)
    won += for_all[:, None]
    divisor = _common_divisor(rankings)
    factors = [divisor // (size + 1) for size in lengths.tolist()]
    scores = won[0].astype(object) * factors[0]
    for factor, row in zip(factors[1:], won[1:], strict=True):
        scores = scores + row.astype(object) * factor
    result: list[int] = scores.tolist()
    return result


def _common_divisor(rankings: Rankings) -> int:
    """Return what makes the extended Borda points of all lengths of rankings whole numbers."""
    if rankings.unranked == "last":
        return rankings.n_items + 1
    return math.lcm(*(size + 1 for size in np.unique(rankings.lengths).tolist()))


def extended_borda(run: Run, settings: TieSettings) -> None:
    """Sort by extended Borda score."""
    assert run.rankings is not None
    rankings, m = run.rankings, run.n_items
    scores = np.array(extended_borda_scores(rankings), object)
    order = ranked_by(run, scores, settings)
    run.improve(order)
    divisor = 2 * rankings.scale * _common_divisor(rankings)
    run.details["scores"] = [score * (m + 1) / divisor for score in scores[order]]


@dataclass(frozen=True, slots=True)
class RandomizedBorda:
    """Settings of `randomized-borda`.

    Attributes:
        beta: The share of the rankings that is left out, between 0 and 0.5.
    """

    beta: float = 0.2

    def __post_init__(self) -> None:
        check_beta(self.beta)


def check_beta(beta: Any) -> None:
    """Raise an error unless beta is in the paper's range."""
    if not isinstance(beta, Real) or not 0 < float(beta) < 0.5:
        raise SettingError(f"beta must lie between 0 and 0.5, both excluded, not {beta!r}")


def random_share(rankings: Rankings, beta: float, rng: np.random.Generator) -> Int64:
    """Return the weights of a random sample of (1 - β) n of the n rankings, without repeats.

    Where every unit of weight is one ballot, ballots are drawn. Where weights are something else,
    such as importances, distinct rankings are drawn with their full weights.
    """
    units = rankings.units
    total = int(units.sum())
    if rankings.scale == 1 and total == rankings.n_rankings and total < 10**9:
        keep = min(total, max(1, round((1 - beta) * total)))
        if int(units.max(initial=0)) <= 1:
            drawn = np.zeros(units.size, np.int64)
            drawn[rng.choice(np.flatnonzero(units), keep, replace=False)] = 1
            return drawn
        return rng.multivariate_hypergeometric(units, keep, method="marginals")
    chosen = rng.permutation(units.size)[: max(1, round((1 - beta) * units.size))]
    drawn = np.zeros_like(units)
    drawn[chosen] = units[chosen]
    return drawn


def positional_points(rankings: Rankings) -> tuple[Int64, Int64, Int64]:
    """Return what a unit of weight of each ranking adds to the Borda scores.

    A ranked item gets the number of items behind it minus the number before it. Returns these
    points, aligned with `rankings.members`; the ranking of each; and what each ranking adds to
    every item, which is not zero where unranked items count as last. The sum over all rankings
    is `borda_scores`.
    """
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    if rankings.unranked == "last":
        rest = -rankings.lengths
        points = 1 + rankings.n_items - double_ranks(rankings) - rest[rows]
    else:
        rest = np.zeros(rankings.n_distinct, np.int64)
        points = 1 + rankings.lengths[rows] - double_ranks(rankings)
    return points, rows, rest


def randomized_borda_order(
    rankings: Rankings,
    beta: float,
    rng: np.random.Generator,
    points: tuple[Int64, Int64, Int64],
) -> Int64:
    """Return the Borda order of a random share of the rankings, ties broken at random."""
    share = random_share(rankings, beta, rng)
    value, rows, rest = points
    scores = np.full(rankings.n_items, int((rest * share).sum()))
    np.add.at(scores, rankings.members, value * share[rows])
    lot = rng.permutation(rankings.n_items)
    return lot[by_score(scores[lot])]


def randomized_borda(run: Run, settings: RandomizedBorda) -> None:
    """Sort by the Borda score of a random share of the rankings."""
    assert run.rankings is not None
    run.improve(
        randomized_borda_order(
            run.rankings, settings.beta, run.rng(), positional_points(run.rankings)
        )
    )


def pieces_by_value(
    values: Margins, least: int, size: int, stop: Callable[[], bool]
) -> Iterator[Int64]:
    """Yield the indices of the values from `least` up, largest values first, in pieces.

    A piece has about `size` indices, in rising order, and equal values are never in two pieces:
    sorting each piece sorts everything. `stop` is called every few milliseconds; where it returns
    true, no further piece is yielded. Values are not negative.

    Example:
        >>> values = np.array([5, 0, 7, 5, 1])
        >>> [piece.tolist() for piece in pieces_by_value(values, 1, 2, lambda: False)]
        [[0, 2, 3], [4]]
    """
    above = np.iinfo(values.dtype).max
    for number, cut in enumerate(reversed(_cuts(values, least, size, stop))):
        if number and stop():
            return
        piece = []
        for first in range(0, values.size, _SCANNED):
            if first and stop():
                return
            some = values[first : first + _SCANNED]
            piece.append(np.flatnonzero((some >= cut) & ((some < above) | (number == 0))) + first)
        above = cut
        yield np.concatenate(piece)


def _cuts(values: Margins, least: int, size: int, stop: Callable[[], bool]) -> list[int]:
    """Return the values at the places 0, size, 2 · size … of the sorted list, without repeats."""
    largest = int(values.max(initial=0))
    if largest >= _HISTOGRAM:
        return [int(cut) for cut in np.unique(np.sort(values[values >= least])[::size])]
    number = np.zeros(largest + 1, np.int64)
    for first in range(0, values.size, _SCANNED):
        if first and stop():
            return []
        number += np.bincount(values[first : first + _SCANNED], minlength=largest + 1)
    number[:least] = 0
    ends = np.cumsum(number)
    found = np.searchsorted(ends, np.arange(0, ends[-1], size), side="right")
    return [int(cut) for cut in np.unique(found)]


def pair_slices(rankings: Rankings, size: int) -> Iterator[tuple[int, int]]:
    """Yield (first, last) of stretches of the rankings that have about `size` pairs each.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", "a", "c"], ["c", "a"]])
        >>> list(pair_slices(data, 5)), list(pair_slices(data, 100))
        ([(0, 1), (1, 2), (2, 3)], [(0, 3)])
    """
    # A ranking of k items has about k² / 2 pairs.
    pairs = np.cumsum(rankings.lengths.astype(np.int64) ** 2 // 2 + 1)
    first = 0
    while first < rankings.n_distinct:
        done = int(pairs[first - 1]) if first else 0
        last = max(first + 1, int(np.searchsorted(pairs, done + size)))
        yield first, last
        first = last
