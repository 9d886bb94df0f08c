"""Half sums of triangles along odd walks: inequalities beyond triangles, and their multipliers.

`_kernels.walks` explains why every order obeys them, and how violated ones are found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from concordant._kernels import walks as kernels
from concordant._types import Float, Int32, Int64

# Pairs whose x is at least this far from 0 and 1 can be part of a walk; the most pairs used.
_FRACTION, _MOST_PAIRS = 0.02, 1200
# A step and a whole walk must be shorter than these.
_LONGEST_STEP, _LONGEST = 0.25, 0.95
# The least violation of a cut, the cuts found in one call, and those that share a pair.
_LEAST, _MOST_CUTS, _PER_PAIR = 0.03, 300, 20
# A cut is dropped after this number of rounds with multiplier zero.
_PATIENCE = 4
# Dropping takes longer than keeping a few.
_WORTH_KEEPING = 0.8
_RELAX = 1.4


@dataclass(frozen=True, slots=True)
class HalfSums:
    """Inequalities: the sum of values · x over some pairs is at most a constant.

    Each is half of the sum of some triangles, rounded. Inequality c has the pairs
    [starts[c], starts[c + 1]) and the triangles [ends[c], ends[c + 1]).

    Attributes:
        starts, pairs, values: The pairs as i · m + j, and their coefficients.
        up: Whether the odd coefficient of a pair was rounded up before the sum was halved.
        constants: The right-hand sides.
        ends, triangles: The triangles, each as a cycle of three items.
        keys: A number that is the same for equal inequalities.
    """

    starts: Int64
    pairs: Int64
    values: Float
    up: npt.NDArray[np.bool_]
    constants: Float
    ends: Int64
    triangles: Int32
    keys: npt.NDArray[np.uint64]

    @classmethod
    def none(cls) -> HalfSums:
        """Return no inequalities."""
        return cls(
            np.zeros(1, np.int64),
            np.zeros(0, np.int64),
            np.zeros(0),
            np.zeros(0, bool),
            np.zeros(0),
            np.zeros(1, np.int64),
            np.zeros((0, 3), np.int32),
            np.zeros(0, np.uint64),
        )

    def __len__(self) -> int:
        return self.constants.size

    def kept(self, chosen: npt.NDArray[np.bool_]) -> HalfSums:
        """Return some of the inequalities."""
        pairs, triangles = np.diff(self.starts), np.diff(self.ends)
        of_pairs, of_triangles = np.repeat(chosen, pairs), np.repeat(chosen, triangles)
        return HalfSums(
            np.concatenate([[0], np.cumsum(pairs[chosen])]),
            self.pairs[of_pairs],
            self.values[of_pairs],
            self.up[of_pairs],
            self.constants[chosen],
            np.concatenate([[0], np.cumsum(triangles[chosen])]),
            self.triangles[of_triangles],
            self.keys[chosen],
        )

    def joined(self, other: HalfSums) -> HalfSums:
        """Return the inequalities of both."""
        return HalfSums(
            np.concatenate([self.starts, self.starts[-1] + other.starts[1:]]),
            np.concatenate([self.pairs, other.pairs]),
            np.concatenate([self.values, other.values]),
            np.concatenate([self.up, other.up]),
            np.concatenate([self.constants, other.constants]),
            np.concatenate([self.ends, self.ends[-1] + other.ends[1:]]),
            np.concatenate([self.triangles, other.triangles]),
            np.concatenate([self.keys, other.keys]),
        )

    def load(self, y: npt.NDArray[Any], reduced: npt.NDArray[Any]) -> None:
        """Add multipliers to reduced costs."""
        kernels.load_cuts(self.starts, self.pairs, self.values, y, reduced)

    def size_of(self, y: Float) -> float:
        """Return the sum of all that multipliers add to reduced costs and to the constant."""
        loads = np.add.reduceat(np.abs(self.values), self.starts[:-1]) if len(self) else y
        return float(y @ (loads + np.abs(self.constants))) if len(self) else 0.0


def find_half_sums(x: Float, known: HalfSums, sources: int, seed: int) -> HalfSums:
    """Find inequalities that x violates and that are not known yet.

    Args:
        x: The values of the pairs, in the upper triangle.
        known: The inequalities in use.
        sources: The number of pairs where walks start.
        seed: Chooses these pairs.
    """
    m = x.shape[0]
    upper = np.triu(np.minimum(x, 1 - x), 1)
    order = np.flatnonzero(upper.reshape(-1) > _FRACTION)
    if order.size > _MOST_PAIRS:
        values = upper.reshape(-1)[order]
        order = np.sort(order[np.argsort(-values, kind="stable")[:_MOST_PAIRS]])
    nodes = np.column_stack([order // m, order % m]).astype(np.int32)
    number = np.full((m, m), -1, np.int32)
    number[nodes[:, 0], nodes[:, 1]] = np.arange(order.size)
    starts = np.zeros(order.size + 1, np.int64)
    nothing = np.zeros(0, np.int32)
    size = kernels.steps_from(
        x, nodes, number, _LONGEST_STEP, starts, nothing, np.zeros(0), np.zeros(0, np.int8)
    )
    heads, weights = np.zeros(size, np.int32), np.zeros(size)
    parities = np.zeros(size, np.int8)
    kernels.steps_from(x, nodes, number, _LONGEST_STEP, starts, heads, weights, parities)
    begin = np.random.default_rng(seed).permutation(order.size)[:sources]
    room = 40 * _MOST_CUTS
    begins, ends = np.zeros(_MOST_CUTS + 1, np.int64), np.zeros(_MOST_CUTS + 1, np.int64)
    pairs, values = np.zeros(room, np.int64), np.zeros(room)
    constants, triangles = np.zeros(_MOST_CUTS), np.zeros((room, 3), np.int32)
    keys = np.zeros(_MOST_CUTS, np.uint64)
    found = kernels.find_cuts(
        x, nodes, begin, (starts, heads, weights, parities), _LONGEST, _LEAST, _PER_PAIR,
        np.sort(known.keys), begins, pairs, values, constants, ends, triangles, keys,
    )  # fmt: skip
    pairs, values = pairs[: begins[found]], values[: begins[found]]
    return HalfSums(
        begins[: found + 1],
        np.where(pairs < 0, -1 - pairs, pairs),
        values,
        pairs < 0,
        constants[:found],
        ends[: found + 1],
        triangles[: ends[found]],
        keys[:found],
    )


@dataclass(frozen=True, slots=True)
class Halves:
    """Half sums with integer multipliers in units of 1 / scale."""

    kind: ClassVar[str] = "half"

    sums: HalfSums
    multipliers: Int64
    n_items: int

    def charge(self, reduced: Int64) -> int:
        """Add the multipliers to the reduced costs; return what they subtract from the bound."""
        sums = self.sums
        kernels.load_cuts(
            sums.starts, sums.pairs, sums.values.astype(np.int64), self.multipliers, reduced
        )
        return int(self.multipliers @ sums.constants.astype(np.int64))

    def rows(self) -> list[list[int]]:
        """Return the rows of a certificate: y, the number of triangles, these, the pairs."""
        sums, m = self.sums, self.n_items
        rows = []
        for c, y in enumerate(self.multipliers.tolist()):
            triangles = sums.triangles[sums.ends[c] : sums.ends[c + 1]]
            inside = slice(int(sums.starts[c]), int(sums.starts[c + 1]))
            up = sums.pairs[inside][sums.up[inside]]
            ends = np.column_stack([up // m, up % m])
            rows.append([y, len(triangles), *triangles.ravel().tolist(), *ends.ravel().tolist()])
        return rows


class Cutting:
    """The half sums in use by an ascent, with their multipliers.

    Attributes:
        sums: The inequalities.
        y: Their multipliers.
    """

    def __init__(self, sums: HalfSums | None = None, y: Float | None = None) -> None:
        self.sums = HalfSums.none() if sums is None else sums
        self.y = np.zeros(0) if y is None else y.copy()
        self._idle = np.zeros(self.y.size, np.int64)
        self._calls = 0

    def __len__(self) -> int:
        return len(self.sums)

    @property
    def charge(self) -> float:
        """What the multipliers subtract from the bound."""
        return float(self.y @ self.sums.constants)

    def separate(self, x: Float, sources: int) -> int:
        """Add inequalities that x violates; return how many."""
        self._calls += 1
        found = find_half_sums(x, self.sums, sources, self._calls)
        if len(found):
            self.sums = self.sums.joined(found)
            self.y = np.concatenate([self.y, np.zeros(len(found))])
            self._idle = np.concatenate([self._idle, np.zeros(len(found), np.int64)])
        return len(found)

    def sweep(
        self,
        smooth: Float,
        gamma: float,
        triangles: Int32,
        of_triangles: Float,
        passes: int,
        relax: float,
    ) -> None:
        """Improve the multipliers of triangles and of these inequalities, `passes` times."""
        sums = self.sums
        kernels.sweep_both(
            smooth, gamma, triangles, of_triangles, of_triangles.size, sums.starts, sums.pairs,
            sums.values, sums.constants, self.y, passes, relax, _RELAX,
        )  # fmt: skip

    def drop_idle(self) -> None:
        """Drop inequalities that have had no multiplier for some rounds."""
        staying = kernels.count_idle(self.y, self._idle, _PATIENCE)
        if staying < _WORTH_KEEPING * self.y.size:
            stay = self._idle < _PATIENCE
            self.sums, self.y, self._idle = self.sums.kept(stay), self.y[stay], self._idle[stay]
