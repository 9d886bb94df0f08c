"""Problems whose answer has ties: what they cost pair by pair, and the best answer so far.

A method with ties minimises an objective of its own, which adds up over pairs of items; its value
is in `details` of the result, the ties are in `buckets`. The ranking breaks the ties by Borda
score, and its cost is the one of all methods.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from concordant._kernels import buckets as kernels
from concordant._kernels.ballots import count_together
from concordant._types import Int64
from concordant.algorithms.scoring import borda_scores, by_score
from concordant.errors import SettingError
from concordant.rankings import Rankings
from concordant.running import Run
from concordant.units import LARGEST

# Pairs of items looked at in one slice, a few milliseconds.
_SLICE = 6_000_000


class BucketProblem:
    """What a tie and either order of each pair cost, and the best bucket order so far.

    Attributes:
        before: before[a, b] is what a before b costs, in units of 1 / `scale`.
        tied: What a tie of the two costs.
    """

    def __init__(self, run: Run, before: Int64, tied: Int64, scale: Fraction, name: str) -> None:
        self.before, self.tied = before, tied
        self._run = run
        self._scale = scale
        self._name = name
        self._best: tuple[Int64, int] | None = None
        borda = by_score(borda_scores(run.pairwise.counts))
        self._borda_rank = np.empty(borda.size, np.int64)
        self._borda_rank[borda] = np.arange(borda.size)

    def cost(self, bucket: Int64) -> int:
        """Return the cost of a bucket order, in units."""
        return int(kernels.bucket_cost(self.before, self.tied, bucket))

    def first(self) -> Int64:
        """Return the order to start from: the caller's own, or Borda's."""
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
        """Move items to their best places, in slices, and offer what comes of it."""
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
        """Hand the best bucket order over to the run, with its ties broken by Borda score."""
        assert self._best is not None
        bucket, cost = self._best
        order = np.lexsort((self._borda_rank, bucket)).astype(np.int64)
        self._run.improve(order)
        self._run.buckets = [
            order[bucket[order] == k].tolist() for k in range(int(bucket.max()) + 1)
        ]
        value = Fraction(cost) / self._scale
        self._run.details = {
            "objective": self._name,
            "objective_value": int(value) if value.denominator == 1 else round(float(value), 6),
        }


def weight_together(rankings: Rankings) -> Int64:
    """Return, for each pair of items, the weight of the rankings that rank both."""
    m = rankings.n_items
    together = np.zeros((m, m), np.int64)
    if rankings.is_complete:
        together += rankings.units.sum()
    else:
        every = np.arange(rankings.n_distinct)
        count_together(rankings.offsets, rankings.members, rankings.units, every, together)
        together = -together
    np.fill_diagonal(together, 0)
    return together


def kendall_with_ties(run: Run, penalty: float, factor: int, name: str) -> BucketProblem:
    """Make the problem of Kendall's distance with a penalty for ties (Fagin et al. 2006).

    A pair costs 1 where a ranking orders it the other way, and the penalty where just one of
    ranking and answer ties it. Of a pair that a ranking leaves out, nothing is known.
    """
    assert run.rankings is not None
    counts = run.pairwise.counts
    m = counts.shape[0]
    together = weight_together(run.rankings)
    strict = counts + counts.T
    share = Fraction(str(float(penalty)))
    units, parts = share.numerator, share.denominator
    # A pair costs at most a whole `parts` for each unit of weight.
    if parts * max(1, int(together.max(initial=0))) * (m * (m - 1) // 2) >= LARGEST:
        raise SettingError(
            f"with a tie penalty of {penalty:g}, the weights are too large to add up exactly "
            "(2**62): round the weights or the penalty to fewer decimals, divide the weights by a "
            "common factor, or take a penalty of 1 or 0.5"
        )
    before = parts * counts.T + units * (together - strict)
    scale = Fraction(run.pairwise.scale * parts, factor)
    return BucketProblem(run, np.ascontiguousarray(before), units * strict, scale, name)
