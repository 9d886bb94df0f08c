"""Integer multipliers of inequalities that every order obeys, and the bound that they prove.

All costs here are relative: the cost of an order is `base` plus the sum of `costs[i, j]` over
all i < j with i placed before j, where `base` is what the reverse of 0, 1, 2, … costs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import numpy as np

from concordant._kernels import cycles as kernels
from concordant._kernels import triangles
from concordant._types import Float, Int32, Int64, Relation

# Multipliers are rounded to multiples of 1 / scale. A proof tries the coarse scales first, because
# they give short certificates.
_SCALES = (1, 1 << 4, 1 << 9, 1 << 14, 1 << 20)
# Sums of scaled costs must be smaller than this.
_LARGEST = 1 << 61


class Inequalities(Protocol):
    """Inequalities of one kind, each with a positive integer multiplier in units of 1 / scale.

    Attributes:
        kind: Their name in a certificate and in `certificate.KINDS`, which has the checks.
    """

    kind: ClassVar[str]

    def charge(self, reduced: Int64) -> int:
        """Add the multipliers to the reduced costs; return what they subtract from the bound."""

    def rows(self) -> list[list[int]]:
        """Return the rows of a certificate: the multiplier, then the items."""


@dataclass(frozen=True, slots=True)
class Cycles:
    """Cycles with their multipliers: no order has all arcs of a cycle.

    Attributes:
        starts, items: Cycle c goes through items[starts[c]:starts[c + 1]], and back to the first.
        values: The multiplier of each cycle, in units of 1 / scale.
    """

    kind: ClassVar[str] = "cycle"

    starts: Int64
    items: Int32
    values: Int64

    @classmethod
    def of_triangles(cls, corners: Int32, values: Int64) -> Cycles:
        """Make cycles from triangles i < j < k: i, j, k if the value is positive, else i, k, j."""
        items = np.where(values[:, None] > 0, corners, corners[:, [0, 2, 1]])
        starts = np.arange(0, items.size + 1, 3)
        return cls(starts, items.reshape(-1).astype(np.int32), np.abs(values))

    def charge(self, reduced: Int64) -> int:
        """Add the multipliers to the reduced costs; return what they subtract from the bound."""
        return int(kernels.charge(self.starts, self.items, self.values, reduced))

    def rows(self) -> list[list[int]]:
        """Return the rows of a certificate: the multiplier, then the items."""
        items, starts = self.items.tolist(), self.starts.tolist()
        return [[y, *items[starts[c] : starts[c + 1]]] for c, y in enumerate(self.values.tolist())]


@dataclass(frozen=True, slots=True)
class Multipliers:
    """Inequalities of all kinds, with multipliers in units of 1 / scale."""

    inequalities: tuple[Inequalities, ...]
    scale: int

    def to_dict(self) -> dict[str, Any]:
        """Return a round of a certificate: the rows by kind of inequality."""
        return {"scale": self.scale, "rows": {each.kind: each.rows() for each in self.inequalities}}


@dataclass(frozen=True, slots=True)
class ExactBound:
    """What integer multipliers prove about all orders that respect a relation.

    Attributes:
        scaled: The bound on the relative cost, times scale.
        reduced: The reduced cost of each pair, times scale.
        offset, step: Every relative cost is offset plus a multiple of step. If step is 0, all of
            them are equal to offset.
        scale: The scale.
    """

    scaled: int
    reduced: Int64
    offset: int
    step: int
    scale: int

    def limit(self, cutoff: int) -> int:
        """Return the largest possible relative cost below `cutoff`, times scale."""
        if self.step == 0:
            return self.scale * (cutoff - 1)
        steps = -((self.offset - cutoff) // self.step) - 1
        return self.scale * (self.offset + self.step * steps)

    def units(self) -> int:
        """Return the bound rounded up to the next possible relative cost."""
        if self.step == 0:
            return self.offset
        above = self.scaled - self.offset * self.scale
        return self.offset - self.step * (-above // (self.step * self.scale))


def exact_bound(costs: Int64, before: Relation, multipliers: Multipliers) -> ExactBound:
    """Compute in integers what multipliers prove for all orders that respect `before`.

    Each free pair takes the cheaper of its two orders under the reduced costs, and each fixed pair
    its fixed order. The sum is at most the reduced cost of any order. The reduced cost of an order
    minus the charge is at most its true cost, because an order obeys all inequalities (Lagrangian
    relaxation).

    The costs of two orders that agree on the fixed pairs differ by a sum of margins of free pairs.
    So all relative costs are congruent modulo the greatest common divisor of these margins.
    """
    scale = multipliers.scale
    reduced = costs * scale
    charge = sum(each.charge(reduced) for each in multipliers.inequalities)
    sides, offset, step = triangles.exact_sides(costs, reduced, before)
    return ExactBound(int(sides) - charge, reduced, int(offset), int(step), scale)


def rounded(corners: Int32, y: Float, scale: int) -> Multipliers:
    """Round multipliers of triangles to multiples of 1 / scale, and drop those that become 0."""
    values = np.rint(y * scale).astype(np.int64)
    kept = values != 0
    return Multipliers((Cycles.of_triangles(corners[kept], values[kept]),), scale)


def usable_scales(costs: Int64, y: Any, extra: float = 0.0) -> list[int]:
    """Return the scales at which no sum over triangles can overflow, coarse first.

    `extra` is the sum of all that other inequalities add.
    """
    size = int(np.abs(costs).sum()) + 3 * int(np.ceil(np.abs(y).sum())) + 3 * y.size + 1
    size += int(np.ceil(extra))
    return [scale for scale in _SCALES if size * scale < _LARGEST]


def largest_scale(costs: float, loads: float, most: int = 1 << 9) -> int:
    """Return the finest scale up to `most` at which no sum of costs and loads overflows."""
    size = int(costs) + int(loads) + 1
    return max((scale for scale in _SCALES if scale <= most and size * scale < _LARGEST), default=1)
