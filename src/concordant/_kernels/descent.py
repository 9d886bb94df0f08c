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
def descend(margins, bounds, order, state, budget):
    """Insert items at their best places until no move improves or the budget is used up.

    Returns the work done, in items compared. Items take turns by number. state[SCANNED] counts the
    items in a row that were at their best place already; m of them make a local optimum. An item
    is skipped unless moves of other items can have opened a better place to it (see `note_move`).
    """
    m = order.size
    rank = np.empty(m, np.int32)
    for p in range(m):
        rank[order[p]] = p
    work = np.int64(0)
    a = state[ITEM]
    while state[SCANNED] < m and work < budget:
        p = rank[a]
        change, q = np.int64(0), p
        if bounds[GAIN, a] > bounds[SLACK, a]:
            change, q = least_insertion(margins, order, rank, p)
            bounds[SLACK, a], bounds[GAIN, a] = change, 0
            work += m
            state[ITERATIONS] += 1
        else:
            work += 1
        if change < 0:
            move(order, p, q, True)
            for x in range(min(p, q), max(p, q) + 1):
                rank[order[x]] = x
            note_move(margins, order, bounds, p, q)
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


@kernel
def descend_by_swaps(columns, order, state, budget):
    """Do the same with swaps. `columns` holds the margins by position (see `lay_out`)."""
    m = order.size
    rank = np.empty(m, np.int32)
    for p in range(m):
        rank[order[p]] = p
    work = np.int64(0)
    a = state[ITEM]
    while state[SCANNED] < m and work < budget:
        p = rank[a]
        change, q = best_swap(columns, order, p)
        work += m * m // 4
        state[ITERATIONS] += m - 1
        if change < 0:
            move(order, p, q, False)
            move_columns(columns, p, q, False)
            rank[a], rank[order[p]] = q, p
            state[COST] += change
            state[SCANNED] = 1
        else:
            state[SCANNED] += 1
        a += 1
        if a == m:
            a = 0
    state[ITEM] = a
    return work + m


def descend_by_numpy(margins: Margins, order: Int32) -> None:
    """Insert items at their best places until no move improves, without a kernel.

    The moves are those of `descend`. It is slower, but nothing has to be compiled or loaded for
    the one or two descents of a small problem.
    """
    m = order.size
    a = scanned = 0
    while scanned < m:
        p = int(np.flatnonzero(order == a)[0])
        row = margins[a, order].astype(np.int64)
        # The changes of cost by places to the right, then by places to the left.
        changes = np.concatenate([-np.cumsum(row[p + 1 :]), np.cumsum(row[:p][::-1])])
        best = int(np.argmin(changes)) if m > 1 else 0
        scanned += 1
        if m > 1 and changes[best] < 0:
            q = p + 1 + best if best < m - 1 - p else m - 2 - best
            np.copyto(order, np.insert(np.delete(order, p), q, a))
            scanned = 1
        a = (a + 1) % m


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
        self._margins = margins
        self._columns = columns
        if columns is not None:
            lay_out(margins, order, columns)
        self._bounds = np.zeros((2, order.size), np.int64)
        # All items are evaluated at first.
        self._bounds[GAIN] = 1
        self._state = new_state(cost)
        self.iterations = 0
        self.finished = False

    @property
    def cost(self) -> int:
        """The cost of the order as it is now."""
        return int(self._state[COST])

    def advance(self, budget: int) -> int:
        """Continue for about `budget` comparisons of items; return the iterations done."""
        if self._columns is None:
            descend(self._margins, self._bounds, self.order, self._state, budget)
        else:
            descend_by_swaps(self._columns, self.order, self._state, budget)
        before, self.iterations = self.iterations, int(self._state[ITERATIONS])
        self.finished = bool(self._state[SCANNED] >= self.order.size)
        return self.iterations - before
