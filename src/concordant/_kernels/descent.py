"""Descent to a local optimum, by insertions or by swaps, in slices."""

from __future__ import annotations

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.moves import best_insertion, best_swap, lay_out, move, move_columns
from concordant._kernels.state import COST, ITEM, ITERATIONS, SCANNED, new_state
from concordant._types import Int32, Margins


@kernel
def descend(table, swaps, order, state, budget):
    """Move items to their best places until none improves, or the budget is used up.

    Returns the work done: items looked at. `table` holds the margins, for swaps as `lay_out`
    leaves them. Items take turns by number; state[SCANNED] counts those in a row that were at
    their best place already, and all m of them make a local optimum.
    """
    m = order.size
    rank = np.empty(m, np.int64)
    for p in range(m):
        rank[order[p]] = p
    work = m
    a = state[ITEM]
    while state[SCANNED] < m and work < budget:
        p = rank[a]
        if swaps:
            change, q = best_swap(table, order, p)
            work += m * m // 4
            state[ITERATIONS] += m - 1
        else:
            change, q = best_insertion(table, order, p)
            work += m
            state[ITERATIONS] += 1
        if change < 0:
            move(order, p, q, not swaps)
            if swaps:
                move_columns(table, p, q, False)
                rank[a], rank[order[p]] = q, p
            else:
                for x in range(min(p, q), max(p, q) + 1):
                    rank[order[x]] = x
            state[COST] += change
            state[SCANNED] = 1
        else:
            state[SCANNED] += 1
        a += 1
        if a == m:
            a = 0
    state[ITEM] = a
    return work


class Descent:
    """A descent from one order, which is changed in place.

    Args:
        margins: The margins of all pairs.
        order: The order to improve.
        cost: Its cost.
        columns: Room for the margins laid out, which makes it a descent by swaps.

    Attributes:
        finished: Whether the order is a local optimum.
    """

    def __init__(
        self, margins: Margins, order: Int32, cost: int, columns: Margins | None = None
    ) -> None:
        self.order = order
        self._swaps = columns is not None
        self._table = margins if columns is None else columns
        if self._swaps:
            lay_out(margins, order, columns)
        self._state = new_state(cost)
        self._iterations = 0
        self.finished = False

    @property
    def cost(self) -> int:
        """The cost of the order as it is now."""
        return int(self._state[COST])

    def advance(self, budget: int) -> int:
        """Carry on for about `budget` items looked at, and return the iterations done."""
        descend(self._table, self._swaps, self.order, self._state, budget)
        before, self._iterations = self._iterations, int(self._state[ITERATIONS])
        self.finished = bool(self._state[SCANNED] >= self.order.size)
        return self._iterations - before
