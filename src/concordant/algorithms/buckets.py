"""Problems whose answer has ties: the costs of all pairs, and the best answer so far.

A method with ties minimises its own objective, a sum over pairs of items. The value and its
trivial bound are in `details` of the result, the ties are in `buckets`. The ranking breaks the ties
by Borda score, and its cost is defined as for all methods. Where `aggregate` was asked for an
answer with ties, the method minimises the costs of that problem instead, and its value is the cost
of the result.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from concordant._kernels import buckets as kernels
from concordant._kernels.ballots import count_together
from concordant._types import Int64
from concordant.algorithms.scoring import (
    borda_of,
    by_score,
    counted_in_time,
    out_of_time,
    pair_slices,
)
from concordant.errors import SettingError
from concordant.pairwise import mirrored
from concordant.rankings import Rankings
from concordant.running import Run
from concordant.units import LARGEST

# Pairs of items evaluated between two checks of the limits: a few milliseconds.
_SLICE = 6_000_000


class BucketProblem:
    """The costs of a tie and of both orders of each pair, and the best bucket order so far.

    Attributes:
        before: before[a, b] is the cost of a before b, in units of 1 / `scale`.
        tied: The cost of a tie of the two.
    """

    def __init__(self, run: Run, before: Int64, tied: Int64, scale: Fraction, name: str) -> None:
        self.before, self.tied = before, tied
        self._run = run
        self._scale = scale
        self._name = name
        self._best: tuple[Int64, int] | None = None
        borda = by_score(borda_of(run))
        self._borda_rank = np.empty(borda.size, np.int64)
        self._borda_rank[borda] = np.arange(borda.size)

    def cost(self, bucket: Int64) -> int:
        """Return the cost of a bucket order, in units."""
        return int(kernels.bucket_cost(self.before, self.tied, bucket))

    def first(self) -> Int64:
        """Return the order to start from: the initial order of the run, or Borda's."""
        if self._run.initial is None:
            return self._borda_rank.copy()
        bucket = np.empty(self._borda_rank.size, np.int64)
        bucket[self._run.initial] = np.arange(bucket.size)
        return bucket

    def offer(self, bucket: Int64, cost: int) -> bool:
        """Keep a bucket order if it is the best so far."""
        if self._best is not None and cost >= self._best[1]:
            return False
        self._best = bucket.copy(), cost
        return True

    def descend(self, bucket: Int64) -> None:
        """Move items to their best places, in slices, and offer the results."""
        state = np.zeros(kernels.STATE_SIZE, np.int64)
        state[kernels.COST] = self.cost(bucket)
        while True:
            before = int(state[kernels.ITERATIONS])
            kernels.descend_buckets(self.before, self.tied, bucket, state, _SLICE)
            self._run.iterations += int(state[kernels.ITERATIONS]) - before
            self.offer(bucket, int(state[kernels.COST]))
            if state[kernels.SCANNED] >= bucket.size or self._run.stop():
                break

    def report(self) -> None:
        """Report the best bucket order to the run, with ties broken by Borda score."""
        assert self._best is not None
        bucket, cost = self._best
        order = np.lexsort((self._borda_rank, bucket)).astype(np.int64)
        ends = np.flatnonzero(np.diff(bucket[order])) + 1
        self._run.buckets = [tied.tolist() for tied in np.split(order, ends)]
        if self._run.tier_costs is not None:
            self._run.improve(order, cost)
            return
        self._run.improve(order)
        self._run.details = {
            "objective": self._name,
            "objective_value": self._value(cost),
            "objective_lower_bound": self._value(self._trivial()),
        }

    def _value(self, units: int) -> int | float:
        value = Fraction(units) / self._scale
        return int(value) if value.denominator == 1 else round(float(value), 6)

    def _trivial(self) -> int:
        """Return the trivial bound: every pair costs the least that it can."""
        total = 0
        for i, j, there, back in mirrored(self.before):
            tied = self.tied[i : i + there.shape[0], j : j + there.shape[1]]
            least = np.minimum(np.minimum(there, back.T), tied)
            total += int(least.sum()) * (2 if j > i else 1)
        return total // 2


def problem_of(run: Run) -> BucketProblem | None:
    """Return the problem of an answer with ties, where `aggregate` was asked for one."""
    costs = run.tier_costs
    if costs is None:
        return None
    return BucketProblem(run, costs.before, costs.tied, Fraction(costs.scale), "")


def weight_together(rankings: Rankings, stop: Callable[[], bool] = lambda: False) -> Int64 | None:
    """Return, for each pair of items, the weight of the rankings that rank both.

    The diagonal means nothing. The answer is None where `stop`, which is called every few
    milliseconds, returns true.
    """
    m = rankings.n_items
    if rankings.is_complete:
        return np.broadcast_to(rankings.units.sum(), (m, m))
    together = np.zeros((m, m), np.int64)
    for first, last in pair_slices(rankings, _SLICE):
        if first and stop():
            return None
        some = np.arange(first, last)
        # The kernel subtracts.
        count_together(rankings.offsets, rankings.members, -rankings.units, some, together)
    return together


def kendall_with_ties(run: Run, penalty: float, factor: int, name: str) -> BucketProblem | None:
    """Make the problem of Kendall's distance with a penalty for ties (Fagin et al. 2006).

    A pair costs 1 where a ranking orders it the other way, and the penalty where only one of
    ranking and answer ties it. A pair that a ranking does not rank costs nothing. The answer is
    None where limits end the run during set-up; Borda's order is then left behind.
    """
    if run.tier_costs is not None:
        return problem_of(run)
    assert run.rankings is not None
    share = Fraction(str(float(penalty)))
    units, parts = share.numerator, share.denominator
    stop = functools.partial(out_of_time, run)
    together = weight_together(run.rankings, stop) if counted_in_time(run) else None
    if together is None:
        return None
    counts = run.pairwise.counts
    m = run.n_items
    # A pair costs at most a whole `parts` for each unit of weight.
    if parts * max(1, int(together.max(initial=0))) * (m * (m - 1) // 2) >= LARGEST:
        raise SettingError(
            f"with a tie penalty of {penalty:g}, the weights are too large to add up exactly "
            "(2**62): round the weights or the penalty to fewer decimals, divide the weights by a "
            "common factor, or take a penalty of 1 or 0.5"
        )
    before, tied = np.empty((m, m), np.int64), np.empty((m, m), np.int64)
    for i, j, there, back in mirrored(counts):
        if j == i > 0 and stop():
            return None
        rows, columns = slice(i, i + there.shape[0]), slice(j, j + there.shape[1])
        ahead, behind = there.astype(np.int64), back.T.astype(np.int64)
        strict = ahead + behind
        level = units * (together[rows, columns] - strict)
        before[rows, columns] = parts * behind + level
        before[columns, rows] = (parts * ahead + level).T
        tied[rows, columns] = units * strict
        tied[columns, rows] = units * strict.T
    np.fill_diagonal(before, 0)
    return BucketProblem(run, before, tied, Fraction(run.pairwise.scale * parts, factor), name)


def without_ties(run: Run) -> None:
    """Give the order that set-up left behind as the answer, each item in a bucket of its own."""
    assert run.order is not None
    run.buckets = [[a] for a in run.order.tolist()]
