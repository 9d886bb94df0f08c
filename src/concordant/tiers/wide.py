"""`WideTierProof`: the bound of a part of many items, near its best weak order."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from concordant._kernels import tiers_ascent, tiers_rows
from concordant._kernels import tiers_packing as kernels
from concordant._types import Int64
from concordant.bounds.multipliers import Multipliers
from concordant.tiers.ascent import MOST_TRIPLES, Ascent, Start
from concordant.tiers.parts import TierPart, dense
from concordant.tiers.rows import RowTable, exact_bound, written

# Steps in one slice: a few milliseconds.
_SLICE = 4_000_000
# The arcs of the cycles packed, besides the one that the weak order goes against.
_DEPTHS = (4, 6, 8)
# Rounds of ascent between two packings.
_ROUNDS = 12
_ROUNDS_BETWEEN_SEARCHES = 4
# Variables further than this from 0 and 1 are looked at for triples.
_FRACTION = 0.05
# The triples checked in one search, in all.
_TRIPLES_CHECKED = 60_000_000
# Prices below this share of the mean cost are not worth a row.
_SLACK = 1e-3
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
        ascent = Ascent(self.part.alpha, states, self._start(), wide=True)
        yield 20 * m * m
        # Triples first: they are found fast, and much is proven then.
        yield from self._pack(ascent, 2)
        yield from self._keep(ascent)
        depths = [*_DEPTHS]
        while not self.solved:
            value = ascent.value
            yield from self._pack(ascent, depths[0])
            yield from self._keep(ascent)
            for turn in range(_ROUNDS):
                near = turn % _ROUNDS_BETWEEN_SEARCHES == 1
                if near:
                    yield from self._focus(ascent)
                yield from ascent.round(search=near)
                if turn % 2:
                    yield from self._keep(ascent)
            missing = self.cost - self.part.base - ascent.value
            if ascent.settled and ascent.value - value < _LEAST_GAIN * missing:
                if len(depths) == 1:
                    break
                depths.pop(0)

    def _start(self) -> Start:
        """Return the start of an ascent that stays near the best weak order."""
        m, none = self.part.size, np.zeros(0)
        center = (self.bucket[:, None] <= self.bucket).astype(np.float64)
        table, mu = RowTable.empty(), np.zeros((m, m))
        return Start(np.zeros((0, 3), np.int32), none, table, none, center, mu)

    def _focus(self, ascent: Ascent) -> Iterator[int]:
        """Have the ascent look for triples at the pairs that it has between 0 and 1."""
        x = ascent.x
        pairs = np.argwhere((x > _FRACTION) & (x < 1 - _FRACTION)).astype(np.int32)
        most = _TRIPLES_CHECKED // self.part.size
        if pairs.shape[0] > most:
            distance = np.abs(x[pairs[:, 0], pairs[:, 1]] - 0.5)
            pairs = pairs[np.sort(np.argsort(distance, kind="stable")[:most])]
        ascent.focus(pairs)
        yield 10 * x.size + 100 * ascent.number

    def _pack(self, ascent: Ascent, depth: int) -> Iterator[int]:
        """Add rows that raise the bound along the best weak order."""
        m = self.part.size
        along = np.argsort(self.bucket, kind="stable").astype(np.int32)
        bucket = self.bucket[along]
        reduced = np.ascontiguousarray(ascent.reduced[np.ix_(along, along)])
        price = np.empty((m, m))
        arcs = [np.zeros((m, m // 64 + 1), np.uint64) for _ in range(4)]
        state = (reduced, bucket, _SLACK, price, *arcs)
        rows = max(1, _SLICE // m // 20)
        for first in range(0, m, rows):
            kernels.set_prices(*state, first, min(m, first + rows))
            yield 20 * rows * m
        pairs = np.empty((m * m // 4, 2), np.int32)
        number = 0
        for first in range(0, m, rows):
            last = min(m, first + rows)
            number = kernels.missed(price, bucket, pairs, number, first, last, _SLACK)
            yield 2 * rows * m
        pairs = pairs[: min(number, pairs.shape[0])]
        # Short cycles first: they leave the others the most room.
        distance = np.abs(pairs[:, 0] - pairs[:, 1])
        pairs = np.ascontiguousarray(pairs[np.argsort(distance, kind="stable")])
        room = min(MOST_TRIPLES - ascent.number - ascent.number_long, 4 * pairs.shape[0])
        items = np.zeros((max(0, room), tiers_rows.WIDTH), np.int32)
        sizes, y = np.zeros(items.shape[0], np.int8), np.zeros(items.shape[0])
        at = found = 0
        while at < pairs.shape[0] and found < y.size:
            at, found, work = kernels.pack(*state, pairs, at, depth, items, sizes, y, found, _SLICE)
            yield int(work)
        items, sizes, y = along[items[:found]], sizes[:found], y[:found]
        short = sizes == 3
        ascent.add_triples(items[short, :3], y[short])
        kinds = np.full(int((~short).sum()), tiers_rows.PATH, np.int8)
        ascent.add(RowTable.of(kinds, sizes[~short], items[~short], m), y[~short])
        yield 50 * found

    def _keep(self, ascent: Ascent) -> Iterator[int]:
        """Do the exact arithmetic."""
        if self.part.base + ascent.value <= self.bound:
            return
        scales = ascent.scales()
        # A part of many items has many rows: coarse multipliers would lose too much.
        for scale in scales[min(3, len(scales) - 1) :][:1]:
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
