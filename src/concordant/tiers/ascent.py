"""The smoothed dual ascent on one part: a lower bound that rises with every round.

What takes long is a generator. It yields every few milliseconds the work that it has done, in
steps of about a nanosecond, and the caller decides whether to go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from concordant._kernels import tiers_ascent as kernels
from concordant._kernels import tiers_rows
from concordant._types import Float, Int32, Int64
from concordant.bounds.multipliers import Multipliers
from concordant.tiers.rows import RowTable, States, rounded, usable_scales

# The work of one slice: a few milliseconds.
_SLICE = 4_000_000
_PASSES = 10
# The smoothing starts at this share of the mean cost and shrinks each round.
_GAMMA, _SHRINK, _LEAST_GAMMA = 0.3, 0.85, 0.05
_RELAX = 1.6
# By how much a triple, and a row of four items, must be violated to be taken in.
_SLACK, _SLACK_FOUR = 1e-3, 1e-2
# The same for the triples of a part with many items.
_SLACK_WIDE = 0.05
# The largest number of active triples.
MOST_TRIPLES = 3_000_000
# Rows of four items are searched for in parts of up to this many items.
LARGEST_FOUR = 200
# The rows of four items that one search takes in, and the room for those it finds.
_TAKEN, _ROOM = 4_000, 40_000


@dataclass(frozen=True, slots=True)
class Start:
    """Where an ascent stands: its active rows, their multipliers, and the center of smoothing."""

    triples: Int32
    y: Float
    table: RowTable
    long_y: Float
    center: Float
    mu: Float


class Ascent:
    """A rising lower bound on the relative cost, for weak orders with the given states.

    Args:
        alpha: The relative costs.
        states: The states that pairs may have.
        start: Where to go on from.
        wide: Whether the part has many items: only triples of the pairs given to `focus` are
            looked for, those that are clearly violated, and not more than memory holds.

    Attributes:
        reduced: The reduced costs, in units of the mean cost.
        value: The best bound so far, in floating point: for guidance, never a proof.
        x: The smoothed variables, a near-optimal fractional solution.
        pairs: The ordered pairs whose variable is free.
    """

    def __init__(
        self,
        alpha: Int64,
        states: States,
        start: Start | None = None,
        *,
        wide: bool = False,
    ) -> None:
        m = alpha.shape[0]
        self.alpha = alpha
        nonzero = np.abs(alpha[alpha != 0])
        self._mean = float(nonzero.mean()) if nonzero.size else 1.0
        self._unit = alpha / self._mean
        self.states = states.copy()
        self.gamma = _GAMMA if start is None else _LEAST_GAMMA
        self._seen = np.zeros(0 if wide else m**3 // 64 + 1, np.uint64)
        if start is None:
            none = np.zeros(0)
            start = Start(
                np.zeros((0, 3), np.int32),
                none,
                RowTable.empty(),
                none,
                np.full((m, m), 0.5),
                np.zeros((m, m)),
            )
        self.number = start.y.size
        self._triples, self._y = start.triples, start.y
        self._table, self._long_y = start.table, start.long_y.copy()
        self._center, self._mu = start.center.copy(), start.mu.copy()
        self._make_room(max(1024, 2 * self.number))
        self._slack = _SLACK_WIDE if wide else _SLACK
        if not wide:
            kernels.mark_seen(self._triples, self.number, self._seen, m)
        self.reduced = np.zeros((m, m))
        self._smooth = np.zeros((m, m))
        self.x = np.zeros((m, m))
        self._refresh()

    def _make_room(self, size: int) -> None:
        triples, y = np.zeros((size, 3), np.int32), np.zeros(size)
        triples[: self.number] = self._triples[: self.number]
        y[: self.number] = self._y[: self.number]
        self._triples, self._y = triples, y

    def _refresh(self) -> None:
        """Take over changed states, and start the record of the best bound anew."""
        self._charged(self.reduced)
        # y[i, j] is 0 where j is before i, and 1 in the other states.
        free = (self.states & kernels.BEHIND > 0) & (self.states != kernels.BEHIND)
        np.fill_diagonal(free, False)
        self.pairs = np.argwhere(free).astype(np.int32)
        self.value = -np.inf
        self._lay_out()
        self._keep()

    def _charged(self, reduced: Float) -> None:
        """Fill the reduced costs of the multipliers."""
        reduced[:] = self._unit
        kernels.add_triples(self._triples, self._y, self.number, reduced)
        t = self._table
        if t.number:
            tiers_rows.add_rows(
                t.terms, t.lengths, t.limits, self._long_y, self._long_y.size, reduced
            )

    def _lay_out(self) -> None:
        kernels.lay_out(
            self.reduced, self.states, self._center, self.gamma, self._mu, self._smooth, self.x
        )

    def restrict(self, states: States) -> None:
        """Go on with fewer states."""
        self.states = states.copy()
        self._refresh()

    def _keep(self) -> None:
        charge = float(self._y[: self.number].sum())
        charge += float((self._long_y * self._table.limits).sum())
        value = (kernels.dual_value(self.reduced, self.states) - charge) * self._mean
        if value > self.value:
            self.value = float(value)
            self._best = (
                self._triples[: self.number].copy(),
                self._y[: self.number] * self._mean,
                self._table,
                self._long_y * self._mean,
            )

    @property
    def number_long(self) -> int:
        """The number of active rows of more than three variables."""
        return self._long_y.size

    @property
    def settled(self) -> bool:
        """Whether the smoothing is at its least."""
        return self.gamma <= _LEAST_GAMMA * 1.01

    def round(self, search: bool = True) -> Iterator[int]:
        """Take in violated triples, then improve the multipliers of all active rows."""
        if search:
            yield from self._search()
        m = self.alpha.shape[0]
        work = 0
        for _ in range(_PASSES):
            self._sweep(self._smooth, self._y, self._long_y, self._mu)
            work += 8 * self.number + 80 * self._long_y.size + 4 * m * m
            if work >= _SLICE:
                yield work
                work = 0
        self.number = int(kernels.drop_idle(self._triples, self._y, self.number, self._seen, m))
        if self._long_y.size and (self._long_y == 0).any():
            kept = self._long_y > 0
            self._table, self._long_y = self._table.take(kept), self._long_y[kept]
        kernels.take_up(self._smooth, self.states, self._center, self.gamma, self._mu, self.reduced)
        self._keep()
        if self.settled:
            kernels.set_values(self._smooth, self.gamma, self.x)
            self._center = self.x.copy()
        else:
            self.gamma = max(self.gamma * _SHRINK, _LEAST_GAMMA)
        self._lay_out()
        yield work + 20 * m * m

    def _sweep(self, smooth: Float, y: Float, long_y: Float, mu: Float) -> None:
        kernels.sweep_triples(smooth, self.gamma, self._triples, y, self.number, _RELAX)
        t = self._table
        if t.number:
            tiers_rows.sweep_rows(
                smooth, self.gamma, t.terms, t.lengths, t.limits, long_y, long_y.size, _RELAX
            )
        kernels.sweep_pairs(smooth, self.states, self.gamma, mu)

    def _search(self) -> Iterator[int]:
        m = self.alpha.shape[0]
        sparse = not self._seen.size or 3 * self.pairs.shape[0] < m * (m - 1) // 2
        total = self.pairs.shape[0] if sparse else m
        per_slice = max(1, _SLICE // (m if sparse else m * m))
        at = 0
        while at < total:
            first, end = at, min(total, at + per_slice)
            common = (self._smooth, self.x, self.gamma, self._triples, self._y, self.number)
            if sparse:
                found = kernels.search_free(*common, self._seen, self.pairs, at, end, self._slack)
            else:
                found = kernels.search_all(*common, self._seen, at, end, self._slack)
            self.number = int(found)
            if self.number >= self._y.size - 2:
                if self.number >= MOST_TRIPLES:
                    return
                self._make_room(min(2 * self._y.size + 1024, MOST_TRIPLES + 2))
            else:
                at = end
            yield (end - first) * (2 * m if sparse else m * m // 2)

    def add_four(self) -> Iterator[int]:
        """Take in the most violated rows of four items."""
        m = self.alpha.shape[0]
        known = {
            (kind, *items[:4])
            for kind, items in zip(
                self._table.kinds.tolist(), self._table.items.tolist(), strict=True
            )
        }
        found, violations = np.zeros((_ROOM, 5), np.int64), np.zeros(_ROOM)
        per_slice = max(1, _SLICE // m**3)
        number = 0
        for at in range(0, m, per_slice):
            end = min(m, at + per_slice)
            number = tiers_rows.search_four(
                self.x, at, end, _SLACK_FOUR, found, violations, min(number, _ROOM)
            )
            yield (end - at) * m * m * 10
        number = min(number, _ROOM)
        top = np.argsort(-violations[:number], kind="stable")
        chosen = [n for n in top.tolist() if tuple(found[n].tolist()) not in known][:_TAKEN]
        if chosen:
            items = np.zeros((len(chosen), tiers_rows.WIDTH), np.int32)
            items[:, :4] = found[chosen, 1:]
            kinds, sizes = found[chosen, 0].astype(np.int8), np.full(len(chosen), 4, np.int8)
            self.add(RowTable.of(kinds, sizes, items, m))
        yield 2_000 * len(chosen)

    def add(self, table: RowTable, y: Float | None = None) -> None:
        """Take in rows of more than three variables, with multipliers in units of the mean cost."""
        y = np.zeros(table.number) if y is None else y
        self._table = self._table.joined(table)
        self._long_y = np.concatenate([self._long_y, y])
        if y.any():
            self._charged(self.reduced)
            self._lay_out()
            self._keep()

    def focus(self, pairs: Int32) -> None:
        """Look for violated triples with these ordered pairs only, and unite equal triples."""
        self.pairs = pairs
        m = self.alpha.shape[0]
        triples = self._triples[: self.number].astype(np.int64)
        keys = (triples[:, 0] * m + triples[:, 1]) * m + triples[:, 2]
        keys, place = np.unique(keys, return_inverse=True)
        if keys.size < self.number:
            y: Float = np.bincount(place.reshape(-1), self._y[: self.number]).astype(np.float64)
            self.number = keys.size
            self._triples = np.column_stack([keys // (m * m), keys // m % m, keys % m])
            self._triples, self._y = self._triples.astype(np.int32), y
            self._make_room(2 * self.number)

    def add_triples(self, triples: Int32, y: Float) -> None:
        """Take in triples with multipliers in units of the mean cost."""
        self._triples = np.concatenate([self._triples[: self.number], triples])
        self._y = np.concatenate([self._y[: self.number], y])
        self.number = self._y.size
        self._charged(self.reduced)
        self._lay_out()
        self._keep()

    def probe(self, a: int, b: int, allowed: int, passes: int) -> float:
        """Return how far a few passes raise the bound when a pair has only the states allowed.

        Infinity where no weak order has them.
        """
        m = self.alpha.shape[0]
        states = self.states.copy()
        if not kernels.restrict(states, a, b, allowed, np.empty((m * m + 2, 2), np.int32)):
            return float("inf")
        y, long_y, mu = self._y.copy(), self._long_y.copy(), self._mu.copy()
        reduced, smooth = self.reduced.copy(), np.zeros((m, m))
        x = np.zeros((m, m))
        kernels.lay_out(reduced, states, self._center, self.gamma, mu, smooth, x)
        kept, self.states = self.states, states
        for _ in range(passes):
            self._sweep(smooth, y, long_y, mu)
        self.states = kept
        kernels.take_up(smooth, states, self._center, self.gamma, mu, reduced)
        charge = float(y[: self.number].sum()) + float((long_y * self._table.limits).sum())
        return float(kernels.dual_value(reduced, states) - charge) * self._mean - self.value

    def start(self) -> Start:
        """Return what another ascent needs to go on from here."""
        return Start(
            self._triples[: self.number].copy(),
            self._y[: self.number].copy(),
            self._table,
            self._long_y.copy(),
            self._center,
            self._mu.copy(),
        )

    def multipliers(self, scale: int) -> Multipliers:
        """Return the best multipliers, rounded to multiples of 1 / scale.

        Where even whole numbers could overflow, none: the costs alone never do.
        """
        if scale not in usable_scales(self.alpha, self._best[1], self._best[3]):
            return Multipliers((), 1)
        return rounded(*self._best, scale)

    def scales(self) -> list[int]:
        """Return the scales that cannot overflow, coarse first; 1 where none is safe."""
        return usable_scales(self.alpha, self._best[1], self._best[3]) or [1]
