"""Answers with a given number of tiers, or with tiers of given sizes.

The lower bound is that of the problem without this condition. Few items are solved by subsets; else
the answer is proven optimal where its cost meets the bound.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from concordant._types import Int64
from concordant.errors import SettingError
from concordant.tiers import subsets
from concordant.tiers.costs import TierCosts
from concordant.tiers.solver import TierSolver

# Steps of the search in one round.
_ROUND = 4_000_000
# Descents from a disturbed answer before the search starts from another order.
_DESCENTS = 40


class FixedTiers:
    """Finds a weak order of least cost among those with the tiers asked for.

    Args:
        costs: The problem.
        n_tiers: The number of tiers.
        sizes: The number of items in each tier, best first, in place of `n_tiers`.
        seed: The random seed.
        starts: Weak orders to start from, the first one with the tiers asked for where possible.

    Attributes:
        bucket: The best weak order so far.
        cost, bound: Its cost, and what is proven, in units of 1 / `costs.scale`.

    Example:
        >>> from concordant.rankings import Rankings
        >>> data = Rankings.from_orders([["a", "b", "c", "d"], ["b", "a", "c", "d"]])
        >>> podium = FixedTiers(TierCosts.from_rankings(data), sizes=[2, 2])
        >>> podium.work()
        >>> podium.costs.tiers(podium.bucket), podium.cost, podium.bound
        ((('a', 'b'), ('c', 'd')), 2, 2)
    """

    def __init__(
        self,
        costs: TierCosts,
        n_tiers: int | None = None,
        sizes: Sequence[int] | None = None,
        *,
        seed: int = 0,
        starts: Sequence[Int64] = (),
    ) -> None:
        m = costs.n_items
        if (n_tiers is None) == (sizes is None):
            raise SettingError("give either a number of tiers or their sizes")
        if sizes is not None and (sum(sizes) != m or min(sizes) < 1):
            raise SettingError(
                f"the sizes of the tiers add up to {sum(sizes)}, but there are {m} items: "
                "give positive sizes that add up to the number of items"
            )
        if n_tiers is not None and not 1 <= n_tiers <= m:
            raise SettingError(f"{m} items have 1 to {m} tiers, not {n_tiers}")
        self.costs = costs
        self._sizes = None if sizes is None else np.array(sizes, np.int64)
        self.n_tiers = len(sizes) if sizes is not None else int(n_tiers or 0)
        self.rounds = 0
        self.steps = 0
        # The solver of the problem without the condition, where the bound comes from it.
        self.free: TierSolver | None = None
        if m <= subsets.LARGEST_FIXED:
            self.bucket, self.cost = subsets.solve(
                costs.before, costs.tied, self.n_tiers, self._sizes
            )
            self.bound = self.cost
            return
        self.free = self._free = TierSolver(costs, seed=seed, starts=starts)
        self._rng = np.random.default_rng([seed, 1])
        self._stream = self._rng.integers(0, 2**64, 1, np.uint64)
        self._level = np.ascontiguousarray(costs.tied - costs.before)
        self._behind = np.ascontiguousarray(costs.before.T - costs.before)
        self.bucket = self._cut(np.argsort(self._free.bucket, kind="stable"))
        self.cost = costs.cost_units(self.bucket)
        self.bound = self._free.bound
        for start in starts:
            self.offer(start)
        self._current = self.bucket.copy()
        self._descents = 0

    @property
    def solved(self) -> bool:
        """Whether the answer is proven optimal."""
        return self.bound >= self.cost

    def offer(self, bucket: Int64) -> None:
        """Take over a weak order if it is better; one with other tiers is cut into those."""
        if self.solved:
            return
        sizes = np.bincount(bucket, minlength=self.n_tiers)
        fits = sizes.size == self.n_tiers and int(sizes.min()) > 0
        if not fits or (self._sizes is not None and not np.array_equal(sizes, self._sizes)):
            bucket = self._cut(np.argsort(bucket, kind="stable"))
        cost = self.costs.cost_units(bucket)
        if cost < self.cost:
            self.bucket, self.cost = bucket.copy(), cost

    def _cut(self, order: Int64) -> Int64:
        """Cut an order into the tiers asked for, at least cost."""
        bucket = np.empty(order.size, np.int64)
        if self._sizes is not None:
            bucket[order] = np.repeat(np.arange(self.n_tiers), self._sizes)
        else:
            from concordant._kernels import tiers_search

            tiers_search.divide(self._level, self._behind, order, self.n_tiers, bucket)
        return bucket

    def round(self) -> None:
        """Carry on the search and the bound for some milliseconds each."""
        if self.solved:
            return
        if not self._free.solved:
            self._free.round()
        self.bound = max(self.bound, self._free.bound)
        steps = _ROUND
        while steps > 0 and not self.solved:
            steps -= self._descend()
        self.rounds += 1

    def _descend(self) -> int:
        """Disturb an answer, improve it, and keep it where it is as good as the last."""
        from concordant._kernels import tiers_fixed as kernels

        m = self.costs.n_items
        if self._descents % _DESCENTS == 0:
            # From the best answer without the condition, or from the best with it.
            order = self._free.bucket if self._descents % (2 * _DESCENTS) == 0 else self.bucket
            bucket = self._cut(np.lexsort((self._rng.random(m), order)))
            self._current, current = bucket.copy(), self.costs.cost_units(bucket)
        else:
            bucket = self._current.copy()
            current = self.costs.cost_units(bucket)
            kernels.disturb(bucket, 1 + int(self._rng.integers(0, max(2, m // 20))), self._stream)
        self._descents += 1
        place = np.zeros((m, self.n_tiers), np.int64)
        kernels.set_places(self._level, self._behind, bucket, place)
        state = np.zeros(kernels.STATE_SIZE, np.int64)
        state[kernels.COST] = self.costs.cost_units(bucket)
        sizes = np.bincount(bucket, minlength=self.n_tiers)
        work = int(
            kernels.descend(
                self._level,
                self._behind,
                bucket,
                sizes,
                place,
                self._sizes is None,
                state,
                4 * _ROUND,
            )
        )
        self.steps += int(state[kernels.STEPS])
        cost = int(state[kernels.COST])
        if cost <= current:
            self._current = bucket
        if cost < self.cost:
            self.bucket, self.cost = bucket.copy(), cost
        return work + 4 * m * m

    def work(self, stop: Callable[[], bool] | None = None, max_rounds: int | None = None) -> None:
        """Carry on until the answer is proven, or `stop`, asked after every round, says so."""
        while not self.solved and (max_rounds is None or self.rounds < max_rounds):
            self.round()
            if stop is not None and stop():
                break
