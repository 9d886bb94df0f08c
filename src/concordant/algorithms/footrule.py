"""Footrule: the order with the least sum of displacements, by assignment."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from concordant._kernels import assignment as kernels
from concordant._types import Int64
from concordant.algorithms.scoring import by_score, double_ranks
from concordant.rankings import Rankings
from concordant.running import Run

# Elementary steps between two checks of the limits: a few milliseconds.
_SLICE = 6_000_000


def displacement_costs(rankings: Rankings) -> Iterator[Int64]:
    """Yield blocks of rows of the cost matrix: a row per item, a column per position.

    The cost of item a at position p is twice the weighted sum of the distances from p to the
    positions of a. The rankings are complete. Tied items have the mean of their positions (Fagin
    et al. 2006), so that twice a position is an integer.
    """
    m = rankings.n_items
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    by_item = np.argsort(rankings.members, kind="stable")
    items = rankings.members[by_item]
    ranks, units = double_ranks(rankings)[by_item], rankings.units[rows[by_item]]
    place = 2 * np.arange(1, m + 1)
    step = max(1, _SLICE // (10 * m))
    for first in range(0, m, step):
        last = min(m, first + step)
        some = slice(*np.searchsorted(items, (first, last)))
        # weight[a, r] is the weight of the rankings in which twice the position of a is r.
        weight = np.zeros((last - first, 2 * m + 1), np.int64)
        np.add.at(weight, (items[some] - first, ranks[some]), units[some])
        moment = weight * np.arange(2 * m + 1)
        below, moment_below = np.cumsum(weight, axis=1), np.cumsum(moment, axis=1)
        before, moment_before = below[:, place], moment_below[:, place]
        after, moment_after = below[:, -1:] - before, moment_below[:, -1:] - moment_before
        yield place * (before - after) - moment_before + moment_after


def displacement(rankings: Rankings, ranks: Int64, order: Int64) -> int:
    """Return twice the weighted sum of all displacements of an order; `ranks` are doubled."""
    place = np.empty(order.size, np.int64)
    place[order] = 2 * np.arange(1, order.size + 1)
    moved = np.abs(place[rankings.members] - ranks)
    return int((np.repeat(rankings.units, rankings.lengths) * moved).sum())


def footrule(run: Run, settings: None) -> None:
    """Assign the items to positions with the least sum of displacements.

    Dwork, Kumar, Naor and Sivakumar (2001), "Rank aggregation methods for the Web": a minimum
    cost assignment, here by shortest augmenting paths, one item at a time. Its Kendall distance
    is at most twice the least possible, because the footrule distance is between Kendall's distance
    and twice Kendall's distance (Diaconis and Graham 1977).

    Out of time, the items without a position take the free positions by mean rank, or all items
    follow their mean ranks where that is better. `details` then has `objective_is_least` False.
    """
    assert run.rankings is not None
    rankings = run.rankings.explicit()
    m = rankings.n_items
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    ranks, units = double_ranks(rankings), rankings.units[rows]
    sums = np.zeros(m, np.int64)
    np.add.at(sums, rankings.members, units * ranks)
    by_mean = by_score(-sums)
    costs = np.zeros((m, m), np.int64)
    of_item, of_place = np.zeros(m, np.int64), np.zeros(m, np.int64)
    place_of, item_at = np.full(m, -1), np.full(m, -1)
    known = placed = 0
    try:
        for block in displacement_costs(rankings):
            costs[known : known + len(block)] = block
            known += len(block)
            run.iterations += 1
            if run.stop():
                break
        while known == m and placed < m:
            placed = int(
                kernels.assign(costs, of_item, of_place, place_of, item_at, placed, _SLICE)
            )
            run.iterations += 1
            if run.stop():
                break
    finally:
        item_at[item_at < 0] = by_mean[place_of[by_mean] < 0]
        total, order = displacement(rankings, ranks, item_at), item_at
        if placed < m:
            other = displacement(rankings, ranks, by_mean)
            total, order = (other, by_mean) if other < total else (total, order)
        run.improve(order)
        run.details = {
            "objective": "weighted sum of Spearman's footrule distances",
            "objective_value": total / (2 * run.data.scale),
            "objective_is_least": placed == m,
        }
