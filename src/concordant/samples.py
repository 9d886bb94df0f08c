"""Samples of voters for `bootstrap`: drawing them with replacement, and solving each sample."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from concordant._types import Int32, Int64
from concordant.merging import distinct
from concordant.rankings import Rankings
from concordant.tiers.aggregation import TieSettings
from concordant.tiers.resampling import TierSamples

# Sets of up to this number of items are solved exactly in each sample, which takes about a
# millisecond; larger ones get this number of descents.
_LARGEST_EXACT = 15
_DESCENTS = 200
# The most work and the most samples of one task, and the most work of one with ties.
_WORK, _SAMPLES, _WORK_WITH_TIES = 2_000_000, 32, 2_000
# Up to this number of voters for each distinct ballot, drawing them one by one is faster.
_VOTERS_A_BALLOT = 16


class Draws:
    """Draws and solves samples.

    The consensus numbers the items, and ballots are sorted: the order of items and of ballots in
    the input has no effect.
    """

    def __init__(self, data: Rankings, order: Int64, seed: int) -> None:
        self.seed = seed
        self.n_items = data.n_items
        data = data.explicit()
        place = np.empty(order.size, np.int32)
        place[order] = np.arange(order.size)
        members = place[data.members]
        *ballots, units = _sorted(
            distinct(range(order.size), data.offsets, members, data.buckets, data.units)
        )
        self._ballots = tuple(ballots)
        self.voters = data.n_voters
        self._shares = (units // np.gcd.reduce(units)) / (units.sum() // np.gcd.reduce(units))
        self._ballot_of = None
        # Whole weights are repeat counts: each voter can be drawn by his number.
        repeats, rest = np.divmod(units, data.scale)
        is_repeated = not rest.any() and int(repeats.sum()) == self.voters
        if is_repeated and self.voters <= _VOTERS_A_BALLOT * units.size:
            self._ballot_of = np.repeat(np.arange(units.size), repeats)

    def _draw(self, random: np.random.Generator) -> Int64:
        """Return how often each ballot is drawn. Few voters are drawn one by one."""
        if self._ballot_of is None:
            return random.multinomial(self.voters, self._shares)
        drawn = self._ballot_of[random.integers(self.voters, size=self.voters)]
        return np.bincount(drawn, minlength=self._shares.size)

    def solve(self, start: int, end: int) -> tuple[Int32, Any]:
        """Draw and solve the samples from `start` to `end` - 1; return their orders."""
        from concordant._kernels import resampling
        from concordant._kernels.state import new_state

        n = end - start
        drawn = np.empty((n, self._shares.size), np.int64)
        streams = np.empty((n, 1), np.uint64)
        for k in range(n):
            # Each sample has its own random numbers, whichever thread draws it.
            random = np.random.default_rng([self.seed, start + k])
            drawn[k] = self._draw(random)
            streams[k] = random.integers(2**64, dtype=np.uint64)
        orders = np.empty((n, self.n_items), np.int32)
        proven = np.zeros(n, np.bool_)
        resampling.resample(
            *self._ballots,
            drawn,
            streams,
            new_state(0),
            _LARGEST_EXACT,
            _DESCENTS,
            orders,
            proven,
        )
        return orders, proven

    @property
    def per_task(self) -> int:
        """The number of samples of one task."""
        # Few for many ballots or items, so that Ctrl-C and time limits need not wait for long.
        work = int(self._shares.size) * self.n_items + self.n_items**3
        return max(1, min(_SAMPLES, _WORK // work))


class TierDraws(Draws):
    """Draws samples and solves them with ties; `solve` returns the tier of each item."""

    def __init__(
        self, data: Rankings, order: Int64, seed: int, settings: TieSettings, sizes: list[int]
    ) -> None:
        super().__init__(data, order, seed)
        bucket = np.repeat(np.arange(len(sizes)), sizes)
        self._samples = TierSamples(self._ballots, settings, bucket)

    def solve(self, start: int, end: int) -> tuple[Int32, Any]:
        """Draw and solve the samples from `start` to `end` - 1; return tiers."""
        buckets = np.empty((end - start, self.n_items), np.int32)
        proven = np.zeros(end - start, np.bool_)
        for k in range(end - start):
            random = np.random.default_rng([self.seed, start + k])
            buckets[k], proven[k] = self._samples.solve(self._draw(random), random)
        return buckets, proven

    @property
    def per_task(self) -> int:
        """The number of samples of one task."""
        return max(1, min(super().per_task, _WORK_WITH_TIES // self.n_items**2))


def _sorted(arrays: tuple[Int64, Int32, Int32, Int64]) -> tuple[Int64, Int32, Int32, Int64]:
    """Return distinct ballots in an order that depends on nothing but their content."""
    offsets, members, buckets, units = arrays
    spans = [slice(start, end) for start, end in pairwise(offsets.tolist())]
    keys = [members[span].tobytes() + buckets[span].tobytes() for span in spans]
    order = sorted(range(len(keys)), key=keys.__getitem__)
    places = np.concatenate([np.arange(spans[r].start, spans[r].stop) for r in order])
    lengths = np.diff(offsets)[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    return offsets, members[places], buckets[places], units[order]
