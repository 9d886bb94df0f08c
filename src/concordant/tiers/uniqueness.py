"""Checks whether an optimal answer with ties is the only one, if that takes little time.

All costs are multiplied by more than the number of pairs, and every pair costs 1 more in the state
that it has in the answer. An answer of the least cost to this problem is optimal for the first one
and, among these, differs from the given answer in as many pairs as possible.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from concordant._types import Int64
from concordant.tiers import subsets
from concordant.tiers.costs import TierCosts
from concordant.tiers.solver import TierSolver
from concordant.units import LARGEST

# The largest problem for which a proof is tried, and the most rounds of the solver.
_LARGEST, _ROUNDS = 100, 6


def is_only_answer(
    costs: TierCosts,
    bucket: Int64,
    stop: Callable[[], bool] = lambda: False,
    n_tiers: int | None = None,
    sizes: Int64 | None = None,
) -> bool | None:
    """Return whether an optimal answer is the only one; None if that was not settled.

    Args:
        costs: The problem.
        bucket: The optimal answer: the tier of each item, from 0 on.
        stop: Returns whether to give up; asked after every round.
        n_tiers: Compare with answers of this number of tiers only.
        sizes: Compare with answers whose tiers have these sizes, with `n_tiers` of them.

    Example:
        >>> from concordant.rankings import Rankings
        >>> votes = Rankings.from_orders([["a", "b"], ["b", "a"]])
        >>> costs = TierCosts.from_rankings(votes, tie_penalty=0.5)
        >>> is_only_answer(costs, np.array([0, 1]))
        False
        >>> is_only_answer(TierCosts.from_rankings(votes, tie_penalty=0.4), np.array([0, 0]))
        True
    """
    m = costs.n_items
    pairs = m * (m - 1) // 2
    most = max(int(np.abs(costs.before).max(initial=0)), int(np.abs(costs.tied).max(initial=0)))
    if m > _LARGEST or (most + 1) * (pairs + 1) * m * m >= LARGEST:
        return None
    same = bucket[:, None] == bucket
    before = costs.before * (pairs + 1) + (bucket[:, None] < bucket)
    tied = costs.tied * (pairs + 1) + same
    np.fill_diagonal(tied, 0)
    if n_tiers is not None:
        if m > subsets.LARGEST_FIXED:
            return None
        own = int((before[bucket[:, None] < bucket]).sum() + np.triu(tied * same).sum())
        return subsets.solve(before, tied, n_tiers, sizes)[1] >= own
    solver = TierSolver(TierCosts(costs.items, before, tied), starts=[bucket])
    own = solver.costs.cost_units(bucket)
    while True:
        if solver.cost < own:
            return False
        if solver.bound >= own:
            return True
        if solver.rounds >= _ROUNDS or stop():
            return None
        solver.round()
