"""Orders and moves: the cost of an order, the change by a move, and orders to start from.

margins[a, b] is the cost of a before b minus the cost of b before a. So moving an item past
others changes the cost by the sum of its margins with them.
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.rng import below, draw, shuffle, sort_by


@kernel
def cost_by_margins(margins, total, order):
    """Return the cost of an order, given the sum of all counts.

    The sum of the margins of an order is its cost minus the rest of the counts. So the cost is
    half of this sum and the total together.
    """
    total = np.int64(total)
    for p in range(order.size):
        row = margins[order[p]]
        behind = order[p + 1 :]
        for x in range(behind.size):
            total += row[np.uint32(behind[x])]
    return total // 2


@kernel
def move(order, p, q, insertion):
    """Apply a move to an order: the item at p goes to q, or changes places with the one there."""
    a = order[p]
    if not insertion:
        order[p] = order[q]
    elif p < q:
        span = order[p : q + 1]
        for x in range(span.size - 1):
            span[x] = span[x + 1]
    else:
        span = order[q : p + 1]
        for x in range(span.size - 1, 0, -1):
            span[x] = span[x - 1]
    order[q] = a


@kernel
def draw_move(m, insertion, stream):
    """Draw two places of m: any two for an insertion, the smaller first for a swap."""
    bits = draw(stream)
    p = np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(m)) >> np.uint64(32))
    q = np.int64(((bits >> np.uint64(32)) * np.uint64(m - 1)) >> np.uint64(32))
    if q >= p:
        q += 1
    if not insertion and p > q:
        p, q = q, p
    return p, q


@kernel
def shake(order, moves, insertion, stream):
    """Apply random moves to an order of two items or more."""
    m = order.size
    for _ in range(moves):
        p = below(stream, m)
        q = below(stream, m - 1)
        if q >= p:
            q += 1
        move(order, p, q, insertion)


@kernel
def least_insertion(margins, order, rank, p):
    """Return (change, q) of the best other place q to move the item at p to, better or not.

    The scan of a side ends when no place further on can be better than the best so far.
    """
    row = margins[order[p]]
    right, left = np.int64(0), np.int64(0)
    for x in range(row.size):
        margin = np.int64(row[x])
        if rank[x] > p:
            right += max(margin, 0)
        else:
            left += max(-margin, 0)
    least, where = np.int64(2**62), p
    change = np.int64(0)
    behind = order[p + 1 :]
    for x in range(behind.size):
        margin = np.int64(row[np.uint32(behind[x])])
        change -= margin
        if change < least:
            least, where = change, p + 1 + x
        right -= max(margin, 0)
        if change - right >= least:
            break
    change = np.int64(0)
    ahead = order[:p]
    for x in range(p - 1, -1, -1):
        margin = np.int64(row[np.uint32(ahead[x])])
        change += margin
        if change < least:
            least, where = change, x
        left -= max(-margin, 0)
        if change - left >= least:
            break
    return least, where


@kernel
def lay_out(margins, order, columns):
    """Copy the margins with columns by position: columns[a, p] is a's margin with the item at p.

    The items that a move passes are then next to each other in memory.
    """
    for a in range(order.size):
        for p in range(order.size):
            columns[a, p] = margins[a, order[p]]


@kernel
def move_columns(columns, p, q, insertion):
    """Apply a move of the order to the columns by position."""
    if insertion:
        for a in range(columns.shape[0]):
            move(columns[a], p, q, True)
    else:
        for a in range(columns.shape[0]):
            columns[a, p], columns[a, q] = columns[a, q], columns[a, p]


@kernel
def swap_change(columns, order, p, q):
    """Return the change of cost when the items at p < q change places."""
    a, b = order[p], order[q]
    change = np.int64(columns[b, p])
    # Loops over slices start at zero: an index that may be negative prevents vector instructions.
    down, up = columns[a, p + 1 : q], columns[b, p + 1 : q]
    for x in range(down.size):
        change += up[x] - down[x]
    return change


@kernel
def insertion_change(columns, order, p, q):
    """Return the change of cost when the item at p moves to q."""
    passed = columns[order[p], p + 1 : q + 1] if p < q else columns[order[p], q:p]
    change = np.int64(0)
    for x in range(passed.size):
        change += passed[x]
    return -change if p < q else change


@kernel
def best_swap(columns, order, p):
    """Return (change, q) of the best place q to change places with; a change of 0 is no swap."""
    best, where = np.int64(0), p
    for q in range(order.size):
        if q != p:
            change = swap_change(columns, order, min(p, q), max(p, q))
            if change < best:
                best, where = change, q
    return best, where


# -- first orders ----------------------------------------------------------------------------


@kernel
def random_order(order, stream):
    """Fill `order` with a random order."""
    for b in range(order.size):
        order[b] = b
    shuffle(stream, order)


@kernel
def random_start(margins, order, stream):
    """Sort the items by their margins against a random share of the others.

    This replaces the paper's randomized Borda where only the matrix is known. One fifth of the
    other items is left out.
    """
    m = order.size
    key = np.zeros(m, np.int64)
    random_order(order, stream)
    for k in range(m - m // 5):
        b = order[k]
        for a in range(m):
            key[a] -= margins[b, a]
    shuffle(stream, order)
    sort_by(key, order)
