"""`WideProof`: the lower bound of a component of many items, from cycles only, in little memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from concordant._kernels.descent import Descent
from concordant._types import Int64
from concordant.bounds.cycle_ascent import LARGEST_ASCENT, ascend
from concordant.bounds.multipliers import Multipliers
from concordant.reduction.split import Part

# The number of items that the local search checks in one slice, which takes a few milliseconds.
_SLICE = 6_000_000
# Slices of the local search before cycles are packed, if there is no ascent after it: cycles along
# a good order prove far more, but the last improvements take the most time.
_SLICES_BEFORE_PACKING = 400
# Cycles are packed again if an order costs less than this share of the one they were packed along.
_MUCH_BETTER = 0.998
# The ascent ends when its rounds raise the bound by less than this share of the gap.
_LEAST_GAIN = 0.0005


@dataclass(frozen=True, slots=True)
class WideRecord:
    """The stored proof: one node with the multipliers of the best bound."""

    cost: int
    bound: int
    multipliers: Multipliers | None

    def to_dict(self) -> dict[str, Any]:
        """Return the entries of this proof in a certificate."""
        rounds = [] if self.multipliers is None else [self.multipliers.to_dict()]
        return {"cutoff": self.cost, "nodes": [{"rounds": rounds}]}


class WideProof:
    """A lower bound on one component; the proof ends when its rounds gain too little.

    Args:
        part: The component.

    Attributes:
        order, cost: The best order known, of indices into the component.
        bound: The proven lower bound: no order of the component costs less.
        n_nodes: The number of nodes: there is no tree.
    """

    n_nodes = 1

    def __init__(self, part: Part) -> None:
        self.part = part
        self.order = np.arange(part.size)
        self.cost = part.cost(self.order)
        self.bound = part.trivial
        self._multipliers: Multipliers | None = None

    @property
    def solved(self) -> bool:
        """Whether the best order is proven optimal."""
        return self.bound >= self.cost

    def offer(self, order: Int64) -> bool:
        """Store an order of the component if it is better than the best known; return whether."""
        cost = self.part.cost(order)
        if cost >= self.cost:
            return False
        self.order, self.cost = np.array(order, np.int64), cost
        return True

    def record(self) -> WideRecord:
        """Return the proof so far."""
        return WideRecord(self.cost, self.bound, self._multipliers)

    def slices(self, steps: int | None = None) -> Iterator[bool]:
        """Continue the proof until the rounds gain too little, in slices of a few milliseconds.

        Yields after every slice whether a step is complete: then the bound may have risen.
        `steps` is the largest number of rounds.
        """
        only_packed = self.part.size > LARGEST_ASCENT
        yield from self._descend(_SLICES_BEFORE_PACKING if only_packed else None)
        if only_packed:
            yield from self._pack_repeatedly()
            return
        rounds = 0
        for complete in ascend(self, _LEAST_GAIN):
            yield complete
            rounds += complete
            if rounds == steps:
                return

    def _descend(self, most: int | None) -> Iterator[bool]:
        """Improve the order by a local search of at most `most` slices."""
        moved = self.order.astype(np.int32)
        descent = Descent(self.part.margins, moved, self.cost)
        slices = 0
        while not descent.finished and slices != most:
            descent.advance(_SLICE)
            slices += 1
            yield False
        self.offer(moved.astype(np.int64))
        yield True

    def _pack_repeatedly(self) -> Iterator[bool]:
        """Pack cycles along the best order; repeat this while a much better order is known."""
        packed = float("inf")
        while self.cost < _MUCH_BETTER * packed:
            packed = self.cost
            yield from ascend(self, 0.0)

    def keep(self, gain: int, multipliers: Multipliers) -> None:
        """Store multipliers that prove the trivial bound plus `gain`, if this is a better bound."""
        if self.part.trivial + gain > self.bound:
            self.bound = min(self.part.trivial + gain, self.cost)
            self._multipliers = multipliers
