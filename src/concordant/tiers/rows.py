"""Integer multipliers of inequalities that every weak order obeys, and the bound they prove.

All costs here are relative: a weak order costs `base` of its part plus the sum of alpha[i, j] over
all ordered pairs with i before j or tied with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from concordant._kernels import tiers_ascent as kernels
from concordant._kernels import tiers_rows
from concordant._types import Float, Int32, Int64
from concordant.bounds.multipliers import ExactBound, Inequalities, Multipliers

# The states that each pair may have: see `_kernels.tiers_ascent`.
States = npt.NDArray[np.int8]

# The name of each kind of row in a certificate.
KIND_NAMES = {
    tiers_rows.PATH: "transitive",
    tiers_rows.FOUR_A: "four-a",
    tiers_rows.FOUR_A_REVERSED: "four-a-reversed",
    tiers_rows.FOUR_B: "four-b",
    tiers_rows.FOUR_C: "four-c",
}
# Multipliers are rounded to multiples of 1 / scale. Coarse ones make short certificates.
_SCALES = (1, 1 << 4, 1 << 9, 1 << 14, 1 << 20)
# No sum of scaled costs may reach this.
_LARGEST = 1 << 61


@dataclass(frozen=True, slots=True)
class Triples:
    """Rows y[i, j] + y[j, k] - y[i, k] <= 1, each with an integer multiplier."""

    kind: ClassVar[str] = "transitive"

    items: Int32
    values: Int64

    def charge(self, reduced: Int64) -> int:
        """Add them to the reduced costs, and return what they charge in all."""
        return int(kernels.add_triples(self.items, self.values, self.values.size, reduced))

    def rows(self) -> list[list[int]]:
        """Return them as a certificate has them: the multiplier, then the items."""
        table: list[list[int]] = np.column_stack([self.values, self.items]).tolist()
        return table


@dataclass(frozen=True, slots=True)
class LongRows:
    """Rows of the kinds of `_kernels.tiers_rows`, each with an integer multiplier.

    Attributes:
        table: The rows.
        chosen: The numbers of those that have a multiplier.
        values: The multipliers.
    """

    kind: ClassVar[str] = "long"

    table: RowTable
    values: Int64

    def charge(self, reduced: Int64) -> int:
        """Add them to the reduced costs, and return what they charge in all."""
        t = self.table
        number = self.values.size
        return int(tiers_rows.add_rows(t.terms, t.lengths, t.limits, self.values, number, reduced))

    def by_kind(self) -> dict[str, list[list[int]]]:
        """Return them as a certificate has them: by kind, the multiplier and then the items."""
        found: dict[str, list[list[int]]] = {}
        t = self.table
        columns = (self.values, t.kinds, t.sizes, t.items)
        for y, kind, size, items in zip(*(column.tolist() for column in columns), strict=True):
            found.setdefault(KIND_NAMES[kind], []).append([y, *items[:size]])
        return found

    def rows(self) -> list[list[int]]:
        """Return all rows without their kinds; a certificate uses `by_kind`."""
        return [row for rows in self.by_kind().values() for row in rows]


@dataclass(slots=True)
class RowTable:
    """Rows of more than three variables: kind, items, terms and limit of each."""

    kinds: npt.NDArray[np.int8]
    sizes: npt.NDArray[np.int8]
    items: Int32
    terms: Int32
    lengths: npt.NDArray[np.int8]
    limits: Int64

    @classmethod
    def empty(cls) -> RowTable:
        """Return a table without rows."""
        return cls.of(np.zeros(0, np.int8), np.zeros(0, np.int8), np.zeros((0, 12), np.int32), 1)

    @classmethod
    def of(
        cls, kinds: npt.NDArray[np.int8], sizes: npt.NDArray[np.int8], items: Int32, m: int
    ) -> RowTable:
        """Make the rows of some items of a problem with m items."""
        n = kinds.size
        terms = np.zeros((n, tiers_rows.WIDTH), np.int32)
        lengths, limits = np.zeros(n, np.int8), np.zeros(n, np.int64)
        tiers_rows.set_all_terms(kinds, items, sizes, m, terms, lengths, limits)
        return cls(kinds, sizes, items, terms, lengths, limits)

    @property
    def number(self) -> int:
        """The number of rows."""
        return self.kinds.size

    def take(self, chosen: npt.NDArray[np.bool_]) -> RowTable:
        """Return some of the rows."""
        return RowTable(
            self.kinds[chosen],
            self.sizes[chosen],
            self.items[chosen],
            self.terms[chosen],
            self.lengths[chosen],
            self.limits[chosen],
        )

    def joined(self, other: RowTable) -> RowTable:
        """Return these rows and others."""
        return RowTable(
            np.concatenate([self.kinds, other.kinds]),
            np.concatenate([self.sizes, other.sizes]),
            np.concatenate([self.items, other.items]),
            np.concatenate([self.terms, other.terms]),
            np.concatenate([self.lengths, other.lengths]),
            np.concatenate([self.limits, other.limits]),
        )


def written(multipliers: Multipliers) -> dict[str, object]:
    """Return multipliers as a round of a certificate: rows by the kind of inequality."""
    rows: dict[str, list[list[int]]] = {}
    for each in multipliers.inequalities:
        parts = each.by_kind() if isinstance(each, LongRows) else {each.kind: each.rows()}
        for kind, some in parts.items():
            rows.setdefault(kind, []).extend(some)
    return {"scale": multipliers.scale, "rows": {kind: some for kind, some in rows.items() if some}}


def exact_bound(alpha: Int64, states: States, multipliers: Multipliers) -> ExactBound:
    """Compute in integers what multipliers prove for all weak orders with these states.

    Each pair takes its cheapest state under the reduced costs, which is at most what any weak
    order pays. The charge of the rows is subtracted: a weak order obeys them all, so it pays at
    least as much under the true costs (Lagrangian relaxation).
    """
    scale = multipliers.scale
    reduced = alpha * scale
    charge = sum(each.charge(reduced) for each in multipliers.inequalities)
    total, offset, step = kernels.exact_states(alpha, reduced, states)
    return ExactBound(int(total) - charge, reduced, int(offset), int(step), scale)


def usable_scales(alpha: Int64, y: Float, long_y: Float) -> list[int]:
    """Return the scales at which no sum can overflow, coarse first."""
    weight = 3 * (float(y.sum()) + y.size) + 2 * tiers_rows.WIDTH * (
        float(long_y.sum()) + long_y.size
    )
    size = 2 * int(np.abs(alpha).sum()) + int(np.ceil(weight)) + 1
    return [scale for scale in _SCALES if size * scale < _LARGEST]


def rounded(triples: Int32, y: Float, table: RowTable, long_y: Float, scale: int) -> Multipliers:
    """Round multipliers to multiples of 1 / scale; rows whose multiplier becomes 0 go."""
    values = np.rint(y * scale).astype(np.int64)
    kept = values > 0
    inequalities: list[Inequalities] = [Triples(triples[kept], values[kept])]
    if long_y.size:
        values = np.rint(long_y * scale).astype(np.int64)
        kept = values > 0
        inequalities.append(LongRows(table.take(kept), values[kept]))
    return Multipliers(tuple(inequalities), scale)
