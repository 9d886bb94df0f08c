"""The best answer with ties of resampled rankings, for `bootstrap`."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from concordant._types import Int32, Int64
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.tiers.aggregation import TieSettings
from concordant.tiers.costs import TierCosts

# Samples whose parts are too large for subsets get this number of rounds of search and proof.
_ROUNDS = 3


class TierSamples:
    """Solves samples of rankings, given how often each ranking was drawn.

    Args:
        ballots: The offsets, members and buckets of the distinct rankings.
        settings: What answers are asked for.
        bucket: The tier of each item in the consensus, to start from.

    Example:
        >>> ballots = np.array([0, 2, 4]), np.array([0, 1, 1, 0]), np.array([0, 1, 0, 1])
        >>> samples = TierSamples(ballots, TieSettings(0.4, 0.4), np.array([0, 0]))
        >>> samples.solve(np.array([3, 1]), np.random.default_rng(0))
        (array([0, 1]), True)
    """

    def __init__(self, ballots: Any, settings: TieSettings, bucket: Int64) -> None:
        self._settings, self._bucket = settings, bucket
        offsets, members, buckets = ballots
        ones = np.ones(offsets.size - 1, np.int64)
        self._rankings = Rankings(
            tuple(range(bucket.size)),
            np.asarray(offsets, np.int64),
            np.asarray(members, np.int32),
            np.asarray(buckets, np.int32),
            ones,
            1,
            ones.size,
            "unknown",
            ones.size,
        )

    def solve(self, drawn: Int64, random: np.random.Generator) -> tuple[Int64, bool]:
        """Return the tier of each item in a best answer to a sample, and whether it is proven.

        The items are numbered at random for it, so that neither their numbers nor the consensus
        have an effect on which one of several best answers is returned.
        """
        pairs = Pairwise.from_rankings(replace(self._rankings, units=drawn))
        costs = self._settings.costs(pairs)
        mixed = random.permutation(self._bucket.size)
        block = np.ix_(mixed, mixed)
        costs = TierCosts(costs.items, costs.before[block], costs.tied[block], costs.scale)
        seed = int(random.integers(2**31))
        solver = self._settings.solver(costs, seed, [self._bucket[mixed]])
        solver.work(max_rounds=_ROUNDS)
        bucket = np.empty_like(self._bucket)
        bucket[mixed] = solver.bucket
        return bucket, solver.solved


def places_of(buckets: Int32) -> Int32:
    """Return the place of each item, from 1 on: tied items share the first of their places.

    Args:
        buckets: The tier of each item, from 0 on without gaps; a row for each answer.

    Example:
        >>> places_of(np.array([[0, 1, 0, 2]])).tolist()
        [[1, 3, 1, 4]]
    """
    places: Int32 = np.empty(buckets.shape, np.int32)
    for row, bucket in zip(places, buckets, strict=True):
        sizes = np.bincount(bucket)
        row[:] = (1 + np.cumsum(sizes) - sizes)[bucket]
    return places
