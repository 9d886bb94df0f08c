"""Dual ascent over triangles, and half sums of them, on one component. Costs: see `multipliers`.

Functions that take long are generators that yield every few milliseconds, so that the caller can
check its limits between two slices.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._kernels import triangles as kernels
from concordant._types import Float, Int64, Relation
from concordant.bounds.multipliers import Multipliers, rounded, usable_scales
from concordant.bounds.walks import Cutting, HalfSums, Halves

# The number of triangles checked in one slice, which takes a few milliseconds.
_SLICE = 4_000_000
_PASSES = 10
# The smoothing parameter, in units of the mean margin: at first, its factor in each round, and
# its smallest value.
_GAMMA, _SHRINK, _LEAST_GAMMA = 0.3, 0.85, 0.05
# Cooling divides the smallest value by this, until it is below the last one.
_COOLING, _COLDEST = 3.0, 0.0015
_RELAX = 1.6
_SLACK = 1e-3


@dataclass(frozen=True, slots=True)
class Start:
    """The state of an ascent: active triangles, their multipliers, and the center of smoothing.

    If the center is None, it is computed from the multipliers.
    """

    triangles: npt.NDArray[np.int32]
    y: Float
    center: npt.NDArray[np.floating[Any]] | None
    cuts: tuple[HalfSums, Float] | None = None


def mean_margin(costs: Int64) -> float:
    """Return the unit of cost inside an ascent: the mean size of the margins that are not zero."""
    margins = np.abs(costs[np.triu_indices(costs.shape[0], 1)])
    return float(margins[margins > 0].mean()) if margins.any() else 1.0


class Ascent:
    """A lower bound on the relative cost of all orders that respect a relation; rounds raise it.

    Attributes:
        value: The best bound so far, in floating point. It guides the search and proves nothing.
        x: The smoothed pair variables, a near-optimal fractional solution.
    """

    def __init__(
        self,
        costs: Int64,
        before: Relation | None = None,
        start: Start | None = None,
    ) -> None:
        k = costs.shape[0]
        self.costs = costs
        self._mean = mean_margin(costs)
        self._unit_costs = costs / self._mean
        self.gamma = _GAMMA if start is None else _LEAST_GAMMA
        self.before = np.zeros((k, k), np.int8) if before is None else before.copy()
        self._seen = np.zeros(k * (k - 1) * (k - 2) // 6 // 64 + 1, np.uint64)
        if start is None:
            start = Start(np.zeros((0, 3), np.int32), np.zeros(0), np.full((k, k), 0.5, np.float32))
        self._triangles, self._y = start.triangles, start.y
        self._cuts = Cutting(*(start.cuts or ()))
        self._best_cuts: tuple[HalfSums, Float] | None = None
        self.number = self._y.size
        self._make_room(max(1024, 2 * self.number))
        kernels.mark_seen(self._triangles, self.number, self._seen)
        self.reduced = np.zeros((k, k))
        self._smooth = np.zeros((k, k))
        self.x = np.zeros((k, k))
        self.value = -np.inf
        self._best: tuple[npt.NDArray[np.int32], Float] = (self._triangles[:0], self._y[:0])
        self._center = self._own_center() if start.center is None else start.center
        self._refresh()

    def _make_room(self, size: int) -> None:
        triangles = np.zeros((size, 3), np.int32)
        y = np.zeros(size)
        triangles[: self.number] = self._triangles[: self.number]
        y[: self.number] = self._y[: self.number]
        self._triangles, self._y = triangles, y

    def _refresh(self) -> None:
        """Recompute everything for a changed relation, and forget the best bound so far."""
        self._load(self.before, self._triangles, self._y[: self.number], self.reduced)
        free = np.triu((self.before | self.before.T) == 0, 1)
        self.pairs = np.argwhere(free).astype(np.int32)
        self.value = -np.inf
        self._recenter()
        self._keep()

    def _load(
        self, before: Relation, triangles: npt.NDArray[np.int32], y: Float, reduced: Float
    ) -> None:
        """Fill the reduced costs of multipliers of triangles and of the cuts in use."""
        kernels.add_multipliers(self._unit_costs, before, triangles, y, y.size, reduced)
        if len(self._cuts):
            self._cuts.sums.load(self._cuts.y, reduced)

    def _own_center(self) -> npt.NDArray[np.floating[Any]]:
        self._load(self.before, self._triangles, self._y[: self.number], self.reduced)
        center = np.zeros_like(self.reduced)
        kernels.set_values(self.reduced, self.gamma, center)
        return center

    def _recenter(self) -> None:
        """Smooth around the current center."""
        np.subtract(self.reduced, self.gamma * (self._center - 0.5), out=self._smooth)
        kernels.set_values(self._smooth, self.gamma, self.x)

    def restrict(self, before: Relation) -> None:
        """Replace the relation by one with more pairs fixed."""
        self.before = before.copy()
        self._refresh()

    def _keep(self) -> None:
        value = kernels.dual_value(self.reduced, self.before, self._y, self.number)
        value = float(value - self._cuts.charge) * self._mean
        if value > self.value:
            self.value = value
            self._best = self._triangles[: self.number].copy(), self._y[: self.number].copy()
            self._best_cuts = (self._cuts.sums, self._cuts.y.copy()) if len(self._cuts) else None

    @property
    def settled(self) -> bool:
        """Whether the smoothing has reached its smallest value."""
        return self.gamma <= _LEAST_GAMMA * 1.01

    def cool(self) -> bool:
        """Reduce the smoothing below its usual smallest value; return False if it is low already.

        A low smoothing reaches the optimum of the linear program where steps of the usual size
        stop a little below it. From the start it would be slow.
        """
        if self.gamma <= _COLDEST:
            return False
        self.gamma /= _COOLING
        self._recenter()
        return True

    def warm(self) -> None:
        """Return to the usual smallest smoothing after `cool`."""
        self.gamma = _LEAST_GAMMA
        self._recenter()

    @property
    def visits(self) -> int:
        """The visits to triangles in a round, roughly."""
        return 2 * _PASSES * self.number + len(self.pairs) * len(self.costs) // 2

    def cut(self, sources: int) -> None:
        """Add half sums of triangles that x violates, from walks that start at some pairs."""
        self._cuts.separate(self.x, sources)

    def round(self, search: bool = True) -> Iterator[None]:
        """Add violated triangles, then improve the multipliers of all active ones."""
        if search:
            yield from self._separate()
        per_slice = max(1, _SLICE // 8 // max(1, self.number))
        done = 0
        while done < _PASSES:
            passes = min(per_slice, _PASSES - done)
            active = self._y[: self.number]
            if len(self._cuts):
                self._cuts.sweep(self._smooth, self.gamma, self._triangles, active, passes, _RELAX)
            else:
                kernels.sweep_active(
                    self._smooth, self.gamma, self._triangles, active, active.size, passes, _RELAX
                )
            done += passes
            yield
        if len(self._cuts):
            self._cuts.drop_idle()
        self.number = int(kernels.drop_idle(self._triangles, self._y, self.number, self._seen))
        np.add(self._smooth, self.gamma * (self._center - 0.5), out=self.reduced)
        self._keep()
        if self.settled:
            kernels.set_values(self._smooth, self.gamma, self.x)
            self._center = self.x.copy()
        else:
            self.gamma = max(self.gamma * _SHRINK, _LEAST_GAMMA)
        self._recenter()

    def _separate(self) -> Iterator[None]:
        k = self.costs.shape[0]
        sparse = 6 * self.pairs.shape[0] < k * (k - 1) // 2
        total = self.pairs.shape[0] if sparse else k
        at = 0
        while at < total:
            if sparse:
                end = min(total, at + max(1, _SLICE // k))
            else:
                end, work = at, 0
                while end < total and work < _SLICE:
                    work += (k - end) ** 2 // 2 + 1
                    end += 1
            common = (
                self._smooth,
                self.x,
                self.gamma,
                self._triangles,
                self._y,
                self.number,
                self._seen,
            )
            if sparse:
                found = kernels.sweep_free(*common, self.pairs, at, end, _SLACK)
            else:
                found = kernels.sweep_all(*common, at, end, _SLACK)
            self.number = int(found)
            if self.number >= self._y.size:
                self._make_room(2 * self._y.size)
            else:
                at = end
            yield

    def probe(self, a: int, b: int, passes: int) -> float:
        """Return how much a few passes raise the bound if a is fixed before b."""
        before = self.before.copy()
        kernels.fix_pair(before, a, b)
        triangles, y = self._triangles[: self.number], self._y[: self.number].copy()
        reduced = np.zeros_like(self.reduced)
        self._load(before, triangles, y, reduced)
        shift = self.gamma * (self._center - 0.5)
        reduced -= shift
        kernels.sweep_active(reduced, self.gamma, triangles, y, y.size, passes, _RELAX)
        reduced += shift
        value = kernels.dual_value(reduced, before, y, y.size) - self._cuts.charge
        return float(value) * self._mean - self.value

    def start(self) -> Start:
        """Return the state from which another ascent can continue."""
        triangles, y = self._triangles[: self.number].copy(), self._y[: self.number].copy()
        cuts = (self._cuts.sums, self._cuts.y.copy()) if len(self._cuts) else None
        return Start(triangles, y, self._center.astype(np.float32), cuts)

    def multipliers(self, scale: int) -> Multipliers:
        """Return the best multipliers, rounded to multiples of 1 / scale.

        If sums could overflow even at scale 1, there are no multipliers: the costs alone are safe.
        """
        if scale not in self._usable():
            return Multipliers((), 1)
        triangles = rounded(self._best[0], self._best[1] * self._mean, scale)
        if self._best_cuts is None:
            return triangles
        sums, y = self._best_cuts
        values = np.rint(y * self._mean * scale).astype(np.int64)
        halves = Halves(sums.kept(values > 0), values[values > 0], self.costs.shape[0])
        return Multipliers((*triangles.inequalities, halves), scale)

    def _usable(self) -> list[int]:
        if self._best_cuts is None:
            return usable_scales(self.costs, self._best[1] * self._mean)
        sums, y = self._best_cuts
        # Rounding raises a multiplier by at most one unit.
        extra = sums.size_of(y * self._mean + 1.0)
        return usable_scales(self.costs, self._best[1] * self._mean, extra)

    def scales(self) -> list[int]:
        """Return the scales at which no sum can overflow, coarse first; [1] if there are none."""
        return self._usable() or [1]
