"""A lower bound from cycles for components of any size: cycles are packed, then a dual ascent.

A majority that an order contradicts lies on cycles with majorities that the order follows. Cycles
that are packed so that they share no weight prove a first bound, and each round of the ascent
raises it. The ascent looks only for cycles through majorities that the best order contradicts, and
stores sets as bits, so a round takes a fraction of a second for 2,000 items. Cycles may have any
length: if few rankings cover many items, many pairs have no votes, so there are few triangles.

Functions that take long are generators that yield every few milliseconds. See `_kernels.packing`
and `_kernels.cycles` for the arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from concordant._kernels import cycles as kernels
from concordant._kernels import packing
from concordant._kernels.descent import Descent
from concordant._types import Int64, Margins
from concordant.bounds.multipliers import Cycles, Multipliers, largest_scale
from concordant.reduction.split import Part

# The smoothing parameter, in units of the mean margin. Its exact value matters little.
_GAMMA = 0.2
_RELAX = 1.7
_SWEEPS = 10
# The largest number of arcs of a path in the packing, and in a round of the ascent.
_PACKED_ARCS, _SEARCHED_ARCS = 8, 4
# The same in each pass of the packing if no ascent follows: short cycles use less weight and are
# found in far less time, so they are packed first. An ascent starts better from one pass.
_PASSES = (2, 3, _PACKED_ARCS)
# A cycle is added if it is violated by more than the slack, and removed after this number of rounds
# with multiplier zero.
_SLACK, _PATIENCE = 0.01, 2
# Components of more items have no ascent, only packing: a round would take many seconds.
LARGEST_ASCENT = 6_000
# The number of rounds whose gain decides whether the ascent continues, and the first round after
# which orders are suggested.
_ROUNDS_TO_GAIN, _FIRST_HINT = 4, 4
# The number of slices of packing before the first bound is reported. It doubles after each report.
_FIRST_REPORT = 64
# Elementary steps in one slice, which takes a few milliseconds.
_SLICE = 4_000_000
# Weakened margins are stored in units of 1 / 64, or coarser ones if they could overflow.
_WEAKENED_SCALE = 64
# The share of the packed multipliers that the ascent starts from.
_KEPT = 0.7


class Proving(Protocol):
    """The part of a proof that an ascent needs."""

    part: Part
    order: Int64
    cost: int
    bound: int

    @property
    def solved(self) -> bool:
        """Whether the best order is proven optimal."""

    def offer(self, order: Int64) -> bool:
        """Store an order if it is better than the best one."""

    def keep(self, gain: int, multipliers: Multipliers) -> None:
        """Store multipliers that prove the trivial bound plus `gain`, if this is a better bound."""


class CycleAscent:
    """A lower bound on one component that each round raises.

    Items are numbered by their positions in the order that it starts from. Call `pack`, then
    `start`, then `round` as long as it helps.

    Attributes:
        value: What the multipliers prove beyond the trivial bound, in floating point.
    """

    def __init__(self, margins: Margins, order: Int64) -> None:
        k = order.size
        self._start_order = order
        self._margins = margins
        self._weight = np.empty((k, k), margins.dtype)
        self._mean = 1.0
        self._unit = 1
        words = (k + 63) // 64
        # Sets of the arcs that can be used: those with weight left, later those with z = 0.
        self._leads_to = np.zeros((k, words), np.uint64)
        self._reached_from = np.zeros((k, words), np.uint64)
        self._number = 0
        self._starts: Any = np.zeros(1, np.int64)
        self._items: Any = np.zeros(0, np.int32)
        self._packed: Any = np.zeros(0, np.int64)
        self.value = 0.0

    # -- packing ---------------------------------------------------------------------------

    def pack(self) -> Iterator[bool]:
        """Pack cycles that share no weight, short arcs first; yields whether a pass is complete."""
        k = self._weight.shape[0]
        # Rows in one slice: a multiple of the bits in a word.
        rows = max(64, _SLICE // k // 64 * 64)
        slices = [(first, min(k, first + rows)) for first in range(0, k, rows)]
        total = number = unit = found = 0
        for first, last in slices:
            packing.lay_out(self._margins, self._start_order, self._weight, first, last)
            some, count, unit = packing.survey(self._weight, unit, first, last)
            total, number = total + int(some), number + int(count)
            found = packing.against(self._weight, np.empty((0, 2), np.int32), found, first, last)
            yield False
        self._mean = total / max(1, number)
        self._unit = max(1, int(unit))
        left = self._weight.copy()
        arcs = np.empty((found, 2), np.int32)
        found = 0
        for first, last in slices:
            packing.forward_sets(left, self._leads_to, self._reached_from, first, last)
            found = packing.against(left, arcs, found, first, last)
            yield False
        # Sorted by length, then by position: they are listed by position already.
        arcs = packing.by_length(arcs, k)
        yield False
        levels = np.zeros((_PACKED_ARCS, self._leads_to.shape[1]), np.uint64)
        self._starts = np.zeros(arcs.shape[0] + 1025, np.int64)
        self._items = np.empty(5 * self._starts.size, np.int32)
        self._packed = np.zeros(self._starts.size - 1, np.int64)
        for arcs_of_path in _PASSES if k > LARGEST_ASCENT else (_PACKED_ARCS,):
            for _ in self._pack_paths(left, arcs, levels[:arcs_of_path]):
                yield False
            yield True

    def _pack_paths(self, left: Margins, arcs: Any, levels: Any) -> Iterator[None]:
        """Pack cycles whose path has at most as many arcs as there are levels."""
        at = 0
        while at < arcs.shape[0]:
            at, number, work = packing.pack(
                left, self._leads_to, self._reached_from, arcs, at, levels,
                self._starts, self._items, self._packed, self._number, _SLICE,
            )  # fmt: skip
            self._number = int(number)
            if work < _SLICE and at < arcs.shape[0]:
                self._starts, self._items = _double(self._starts), _double(self._items)
                self._packed = _double(self._packed)
            yield

    def packed_gain(self) -> int:
        """Return what the packed cycles prove beyond the trivial bound.

        Every cost is the trivial bound plus a multiple of the greatest common divisor of the
        weights, so the gain is rounded up to such a multiple.
        """
        return -(-int(self._packed[: self._number].sum()) // self._unit) * self._unit

    def packed(self) -> Multipliers:
        """Return the cycles packed so far, with their weights as multipliers."""
        starts = self._starts[: self._number + 1].copy()
        items = self._start_order[self._items[: starts[-1]]].astype(np.int32)
        return Multipliers((Cycles(starts, items, self._packed[: self._number].copy()),), 1)

    # -- ascent ----------------------------------------------------------------------------

    def start(self) -> Iterator[None]:
        """Begin the ascent from the packed cycles."""
        k = self._weight.shape[0]
        number = self._number
        room = max(4096, 2 * number)
        self._y: Any = np.zeros(room)
        self._y[:number] = self._packed[:number] * (_KEPT / self._mean)
        self._idle: Any = np.zeros(room, np.int32)
        self._starts = np.concatenate(
            [self._starts[: number + 1], np.zeros(room - number, np.int64)]
        )
        end = int(self._starts[number])
        inside = self._items[:end].astype(np.int64)
        following = np.roll(inside, -1)
        following[self._starts[1 : number + 1] - 1] = inside[self._starts[:number]]
        self._arcs = np.concatenate([inside * k + following, np.zeros(5 * room, np.int64)])
        self._center = np.empty((k, k), np.float32)
        self._steep = np.empty((k, k), np.float32)
        rows = max(1, _SLICE // k)
        for first in range(0, k, rows):
            kernels.begin(
                self._weight, 1 / (self._mean * _GAMMA), self._steep, self._center,
                first, min(k, first + rows),
            )  # fmt: skip
            yield
        kernels.load(
            self._starts, self._arcs, self._y, self._number, self._steep.reshape(-1), 1 / _GAMMA
        )
        self._waits = [np.ones((k, 2), np.int64) for _ in range(2)]
        self._rounds = 0
        self._against: Int64 | None = None
        yield from self._recenter()

    def _recenter(self) -> Iterator[None]:
        k = self._weight.shape[0]
        self._leads_to[:] = 0
        self._reached_from[:] = 0
        below = 0.0
        rows = max(1, _SLICE // k)
        for first in range(0, k, rows):
            below += kernels.recenter(
                self._steep, self._center, _GAMMA, self._leads_to, self._reached_from,
                first, min(k, first + rows),
            )  # fmt: skip
            yield
        self.value = float(self._y[: self._number].sum() + below) * self._mean

    def _list_against(self, order: Int64) -> None:
        """List the arcs that an order contradicts, by their heads and by their tails."""
        if self._against is not None and (self._against == order).all():
            return
        self._against = order.copy()
        k = order.size
        rank = np.empty(k, np.int64)
        rank[order] = np.arange(k)
        rank = rank[self._start_order]
        tails, heads = np.nonzero((self._weight > 0) & (rank[:, None] > rank))
        self._lists = []
        for key, other in ((heads, tails), (tails, heads)):
            by_key = np.argsort(key, kind="stable")
            ends = np.concatenate([[0], np.cumsum(np.bincount(key, minlength=k))])
            self._lists.append((ends, other[by_key].astype(np.int32)))

    def round(self, order: Int64) -> Iterator[None]:
        """Add violated cycles through arcs that an order contradicts; improve all multipliers."""
        self._list_against(order)
        self._rounds += 1
        yield
        for turned in (False, True):
            yield from self._separate(turned)
        per_slice = max(1, _SLICE // 16)
        for _ in range(_SWEEPS):
            for first in range(0, self._number, per_slice):
                last = min(self._number, first + per_slice)
                kernels.sweep(
                    self._steep.reshape(-1), _GAMMA, self._starts, self._arcs, self._y,
                    first, last, _RELAX,
                )  # fmt: skip
                yield
        self._number = int(
            kernels.drop_idle(
                self._starts, self._arcs, self._y, self._idle, self._number, _PATIENCE
            )
        )
        yield from self._recenter()

    def _separate(self, turned: bool) -> Iterator[None]:
        k = self._steep.shape[0]
        seen = np.ascontiguousarray(self._steep.T) if turned else self._steep
        starts = np.zeros(k + 1, np.int64)
        fractions = np.zeros(kernels.fractions(seen, starts, np.zeros(0, np.int32)), np.int32)
        kernels.fractions(seen, starts, fractions)
        yield
        leads_to, reached_from = self._leads_to, self._reached_from
        if turned:
            leads_to, reached_from = reached_from, leads_to
        levels = np.zeros((_SEARCHED_ARCS, leads_to.shape[1]), np.uint64)
        at = 0
        while at < k:
            at, number, work = kernels.separate(
                self._steep, _GAMMA, _SLACK, leads_to, reached_from, turned, *self._lists[turned],
                starts, fractions, levels, self._waits[turned], self._rounds, at, _SLICE,
                self._starts, self._arcs, self._y, self._idle, self._number,
            )  # fmt: skip
            self._number = int(number)
            if at < k and work < _SLICE:
                self._make_room()
            yield

    def _make_room(self) -> None:
        self._starts, self._arcs = _double(self._starts), _double(self._arcs)
        self._y, self._idle = _double(self._y), _double(self._idle)

    def suggestions(self, part: Part, order: Int64) -> Iterator[Int64 | None]:
        """Yield orders that z suggests, and None between slices.

        Margins are weakened where z contradicts them. A local search improves an order under the
        weakened margins, and then under the true ones. It does this twice: from `order`, and from
        the items sorted by the number of items that z puts behind them.
        """
        k = order.size
        rank = np.empty(k, np.int64)
        rank[self._start_order] = np.arange(k)
        scale = max(1, min(_WEAKENED_SCALE, 2**30 // max(1, int(np.abs(part.margins).max()))))
        guided, ahead = np.empty((k, k), np.int32), np.empty(k)
        rows = max(1, _SLICE // 4 // k)
        for first in range(0, k, rows):
            kernels.guide(
                part.margins, self._steep, rank, scale, guided, ahead, first, min(k, first + rows)
            )
            yield None
        weakened = Part(part.items, guided, 0)
        for start in (order, np.argsort(-ahead, kind="stable")):
            moved = start.astype(np.int32)
            for each in (weakened, part):
                descent = Descent(each.margins, moved, each.cost(moved.astype(np.int64)))
                while not descent.finished:
                    descent.advance(_SLICE)
                    yield None
            yield moved.astype(np.int64)

    def _rounded(self) -> tuple[int, Int64, Int64, Int64]:
        """Round the multipliers to integers at a safe scale; return scale, y, starts and arcs."""
        y = self._y[: self._number] * self._mean
        lengths = np.diff(self._starts[: self._number + 1])
        # Not a product of vectors: BLAS would use threads that the run was not given.
        loads = float((y * lengths).sum())
        scale = largest_scale(self._mean * self._weight.size, loads + lengths.sum())
        values = np.rint(y * scale).astype(np.int64)
        kept = values > 0
        starts = np.concatenate([[0], np.cumsum(lengths[kept])])
        arcs = self._arcs[: int(lengths.sum())][np.repeat(kept, lengths)]
        return scale, values[kept], starts, arcs

    def multipliers(self) -> Multipliers:
        """Return the multipliers, rounded to integers."""
        scale, values, starts, arcs = self._rounded()
        items = self._start_order[arcs // self._weight.shape[0]].astype(np.int32)
        return Multipliers((Cycles(starts, items, values),), scale)

    def exact_gain(self) -> int:
        """Return what the rounded multipliers prove beyond the trivial bound, in integers."""
        scale, values, starts, arcs = self._rounded()
        by_arc = np.argsort(arcs, kind="stable")
        loads = np.repeat(values, np.diff(starts))[by_arc]
        gain = int(values.sum()) + int(
            kernels.overload(self._weight.reshape(-1), scale, arcs[by_arc], loads)
        )
        return -(-gain // (self._unit * scale)) * self._unit


def _double(array: Any) -> Any:
    """Return an array of twice the length; the new entries are zero."""
    return np.concatenate([array, np.zeros_like(array)])


def ascend(proof: Proving, least_gain: float) -> Iterator[bool]:
    """Pack cycles along the best order of a proof, then ascend until the rounds gain little.

    It ends when four rounds together raise the bound by less than `least_gain` of the gap between
    cost and bound. After some rounds, orders that the multipliers suggest are offered to the proof.
    Yields after each slice whether the bound or the order may have changed.
    """
    ascent = CycleAscent(proof.part.margins, proof.order)
    reported = 0
    for number, complete in enumerate(ascent.pack(), start=1):
        # The cycles packed so far are a proof already, so a long packing reports it now and then.
        due = complete or (number >= _FIRST_REPORT and number.bit_count() == 1)
        packed = ascent.packed_gain() if due else 0
        if packed > reported:
            reported = packed
            proof.keep(packed, ascent.packed())
        yield packed > 0
    if proof.part.size > LARGEST_ASCENT:
        return
    yield from (False for _ in ascent.start())
    values: list[float] = []
    while not proof.solved:
        yield from (False for _ in ascent.round(proof.order))
        if ascent.value > proof.bound - proof.part.trivial:
            proof.keep(ascent.exact_gain(), ascent.multipliers())
        yield True
        values.append(ascent.value)
        gain = ascent.value - values[-_ROUNDS_TO_GAIN - 1 :][0]
        over = len(values) > _ROUNDS_TO_GAIN and gain < least_gain * (proof.cost - proof.bound)
        if over or (len(values) >= _FIRST_HINT and len(values).bit_count() == 1):
            for order in ascent.suggestions(proof.part, proof.order):
                if order is not None:
                    proof.offer(order)
                yield order is not None
        if over:
            return
