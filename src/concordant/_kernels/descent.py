"""Descent to a local optimum, by insertions or by swaps, in slices."""

from __future__ import annotations

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.moves import best_swap, lay_out, least_insertion, move, move_columns
from concordant._kernels.state import COST, ITEM, ITERATIONS, SCANNED, new_state
from concordant._types import Int32, Margins

# The rows of `bounds`: how much more the best other place cost an item when it was last evaluated,
# and the most that moves of other items can have improved that place since.
SLACK, GAIN = 0, 1


@kernel
def reset_bounds(bounds):
    """Set the bounds so that every item is evaluated."""
    bounds[SLACK] = 0
    bounds[GAIN] = 1


@kernel
def note_move(margins, order, bounds, p, q):
    """Update the bounds of all other items after item v has moved from p to q.

    Take a move to the right. An item x that v does not pass crosses one item less or one more on
    its way to places between p and q, and gains at most margins[v, x]. An item w that v passes now
    has v on its other side: places beyond p and q gain at most -margins[v, w]. The place on the
    far side of v is new to its two neighbours, so their bounds include a swap with v. Moves to
    the left are the mirror image.
    """
    slack, gain = bounds[SLACK], bounds[GAIN]
    v = order[q]
    row = margins[v]
    sign = 1 if q > p else -1
    for x in range(row.size):
        gain[x] += max(0, sign * np.int64(row[x]))
    low, high = (p, q) if q > p else (q + 1, p + 1)
    for x in range(low, high):
        w = order[x]
        gain[w] -= sign * np.int64(row[w])
    slack[v] = gain[v] = 0
    if q > 0:
        w = order[q - 1]
        slack[w] = min(slack[w], np.int64(row[w]) + gain[w])
    if q + 1 < order.size:
        w = order[q + 1]
        slack[w] = min(slack[w], -np.int64(row[w]) + gain[w])


@kernel
def descend(table, swaps, bounds, order, state, budget):
    """Move items to their best places until no move improves or the budget is used up.

    Returns the work done, in items compared. `table` holds the margins; for swaps, their columns
    are in the order of positions (see `lay_out`). Items take turns by number. state[SCANNED]
    counts the items in a row that were at their best place already; m of them make a local
    optimum. With insertions, an item is skipped unless moves of other items can have opened a
    better place to it (see `note_move`). Where `bounds` is empty, no item is skipped.
    """
    m = order.size
    bounded = bounds.shape[1] > 0
    rank = np.empty(m, np.int32)
    for p in range(m):
        rank[order[p]] = p
    work = np.int64(0)
    a = state[ITEM]
    while state[SCANNED] < m and work < budget:
        p = rank[a]
        change, q = np.int64(0), p
        if swaps:
            change, q = best_swap(table, order, p)
            work += m * m // 4
            state[ITERATIONS] += m - 1
        elif not bounded or bounds[GAIN, a] > bounds[SLACK, a]:
            change, q = least_insertion(table, order, rank, p)
            if bounded:
                bounds[SLACK, a], bounds[GAIN, a] = change, 0
            work += m
            state[ITERATIONS] += 1
        else:
            work += 1
        if change < 0:
            move(order, p, q, not swaps)
            if swaps:
                move_columns(table, p, q, False)
                rank[a], rank[order[p]] = q, p
            else:
                for x in range(min(p, q), max(p, q) + 1):
                    rank[order[x]] = x
                if bounded:
                    note_move(table, order, bounds, p, q)
                work += m // 2
            state[COST] += change
            state[SCANNED] = 1
        else:
            state[SCANNED] += 1
        a += 1
        if a == m:
            a = 0
    state[ITEM] = a
    return work + m


class Descent:
    """A descent from one order, which is changed in place.

    Args:
        margins: The margins of all pairs.
        order: The order to improve.
        cost: Its cost.
        columns: An array for the margins by position. If given, the descent uses swaps.

    Attributes:
        finished: Whether the order is a local optimum.
        iterations: Insertions or swaps evaluated so far.
    """

    def __init__(
        self, margins: Margins, order: Int32, cost: int, columns: Margins | None = None
    ) -> None:
        self.order = order
        self._swaps = columns is not None
        self._table = margins if columns is None else columns
        if self._swaps:
            lay_out(margins, order, columns)
        self._bounds = np.zeros((2, 0 if self._swaps else order.size), np.int64)
        reset_bounds(self._bounds)
        self._state = new_state(cost)
        self.iterations = 0
        self.finished = False

    @property
    def cost(self) -> int:
        """The cost of the order as it is now."""
        return int(self._state[COST])

    def advance(self, budget: int) -> int:
        """Continue for about `budget` comparisons of items; return the iterations done."""
        descend(self._table, self._swaps, self._bounds, self.order, self._state, budget)
        before, self.iterations = self.iterations, int(self._state[ITERATIONS])
        self.finished = bool(self._state[SCANNED] >= self.order.size)
        return self.iterations - before
