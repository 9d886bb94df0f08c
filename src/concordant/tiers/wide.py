"""`WideTierProof`: the bound of a part of many items, by triples packed along its best weak order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from concordant._kernels import tiers_ascent, tiers_packing
from concordant._types import Int64
from concordant.bounds.multipliers import Multipliers
from concordant.tiers.ascent import Ascent
from concordant.tiers.parts import TierPart, dense
from concordant.tiers.rows import exact_bound, written

# Steps in one slice: a few milliseconds.
_SLICE = 4_000_000
# Rounds of ascent between two packings.
_ROUNDS = 12
# Prices below this share of the mean cost are not worth a row.
_SLACK = 1e-3
# The rows that a proof may have in all.
_MOST_ROWS = 4_000_000
# The proof ends when packing and ascent together raise the bound by less than this share of what is
# missing.
_LEAST_GAIN = 1e-3


class WideTierProof:
    """A rising lower bound on one part; it ends where no round raises it any more.

    Args:
        part: The part.
        bucket: Its best weak order so far.

    Attributes:
        bucket, cost: The best weak order known, and its cost.
        bound: What is proven: no weak order costs less.
    """

    def __init__(self, part: TierPart, bucket: Int64) -> None:
        self.part = part
        self.bucket, self.cost = dense(bucket), part.cost(bucket)
        self.bound = part.trivial
        self._multipliers: Multipliers | None = None

    @property
    def solved(self) -> bool:
        """Whether the best weak order is proven optimal."""
        return self.bound >= self.cost

    def offer(self, bucket: Int64) -> bool:
        """Take over a weak order of the groups if it is better."""
        cost = self.part.cost(bucket)
        if cost >= self.cost:
            return False
        self.bucket, self.cost = dense(bucket), cost
        return True

    def slices(self) -> Iterator[int]:
        """Carry on until nothing is gained any more; yields the work done, in steps."""
        m = self.part.size
        states = np.full((m, m), tiers_ascent.ALL, np.int8)
        ascent = Ascent(self.part.alpha, states, searches=False)
        yield 20 * m * m
        while not self.solved:
            value = ascent.value
            yield from self._pack(ascent)
            yield from self._keep(ascent)
            for turn in range(_ROUNDS):
                yield from ascent.round(search=False)
                if turn % 4 == 3:
                    yield from self._keep(ascent)
            missing = self.cost - self.part.base - ascent.value
            if ascent.settled and ascent.value - value < _LEAST_GAIN * missing:
                break

    def _pack(self, ascent: Ascent) -> Iterator[int]:
        """Add rows that raise the bound along the best weak order."""
        m = self.part.size
        reduced = ascent.reduced.copy()
        price, turned = np.empty((m, m)), np.empty((m, m))
        rows = max(1, _SLICE // m // 4)
        bucket = self.bucket
        for first in range(0, m, rows):
            tiers_packing.set_prices(reduced, price, turned, first, min(m, first + rows))
            yield 4 * rows * m
        pairs = np.empty((m * m // 4, 2), np.int32)
        number = 0
        for first in range(0, m, rows):
            last = min(m, first + rows)
            number = tiers_packing.missed(price, bucket, pairs, number, first, last, _SLACK)
            yield 2 * rows * m
        pairs = pairs[: min(number, pairs.shape[0])]
        # Pairs that are near each other in the weak order leave the others the most room.
        distance = np.abs(bucket[pairs[:, 0]] - bucket[pairs[:, 1]])
        pairs = np.ascontiguousarray(pairs[np.argsort(distance, kind="stable")])
        room = min(_MOST_ROWS - ascent.number, 4 * pairs.shape[0] + 2 * m)
        if room <= 2 * m:
            return
        triples, y = np.empty((room, 3), np.int32), np.empty(room)
        at = found = 0
        per_slice = max(1, _SLICE // (2 * m))
        while at < pairs.shape[0] and found < room - m:
            last = min(pairs.shape[0], at + per_slice)
            at, found = tiers_packing.pack(
                reduced, price, turned, pairs, at, last, _SLACK, triples, y, found
            )
            yield 2 * per_slice * m
        ascent.add_triples(triples[:found], y[:found])

    def _keep(self, ascent: Ascent) -> Iterator[int]:
        """Do the exact arithmetic."""
        if self.part.base + ascent.value <= self.bound:
            return
        for scale in ascent.scales()[2:3]:
            multipliers = ascent.multipliers(scale)
            exact = exact_bound(self.part.alpha, ascent.states, multipliers)
            if self.part.base + exact.units() > self.bound:
                self.bound = min(self.cost, self.part.base + exact.units())
                self._multipliers = multipliers
        yield 10 * self.part.size**2 + 10 * ascent.number

    def to_dict(self) -> dict[str, Any]:
        """Return the entries of a certificate: one node with the best multipliers."""
        rounds = [] if self._multipliers is None else [written(self._multipliers)]
        return {"cutoff": self.cost, "nodes": [{"rounds": rounds}]}
