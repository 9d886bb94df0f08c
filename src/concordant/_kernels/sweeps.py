"""Descent in sweeps: the best insertions of all items at once, by tables of sums.

sums[k, a] is the sum of the margins of the first k items of the order with item a. Moving a from
its place p to the gap before place k changes the cost by sums[k, a] - sums[p, a]. So the least
entry of a column shows the best place of an item, and a sweep finds it for all items with vector
instructions. When an item moves, only the rows between its old and its new place change, and
they change by a shift. The least entries are kept for blocks of rows, and a sweep renews those of
blocks that have changed.

The table has an entry for each pair of items. With more than about a thousand items it no longer
fits into the caches of a processor, and `descent` is as fast.
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.moves import move
from concordant._kernels.state import COST, ITERATIONS, SCANNED

# Rows of a block.
_ROWS = 16
# Entries of the table that are handled in the time of one comparison elsewhere.
_ENTRIES = 8


def blocks_of(items):
    """Return the number of blocks of rows in the table of this number of items."""
    return items // _ROWS + 1


@kernel
def _add_up(margins, order, table):
    """Fill the table for an order."""
    sums = table.sums
    for a in range(order.size):
        sums[0, a] = 0
    for p in range(order.size):
        row, before, after = margins[order[p]], sums[p], sums[p + 1]
        for a in range(row.size):
            after[a] = before[a] + row[a]
    for b in range(table.changed.size):
        table.changed[b] = True


@kernel
def _move(margins, order, rank, table, p, q):
    """Move the item at p to q: shift the rows between, and take its margins out or add them."""
    sums = table.sums
    row = margins[order[p]]
    if q > p:
        for k in range(p, q):
            here, there = sums[k + 1], sums[k + 2]
            for a in range(row.size):
                here[a] = there[a] - row[a]
    else:
        for k in range(p, q, -1):
            here, there = sums[k], sums[k - 1]
            for a in range(row.size):
                here[a] = there[a] + row[a]
    move(order, p, q, True)
    for x in range(min(p, q), max(p, q) + 1):
        rank[order[x]] = x
    for b in range((min(p, q) + 1) // _ROWS, max(p, q) // _ROWS + 1):
        table.changed[b] = True


@kernel
def _least_of(rows, least):
    """Fill `least` with the least entry of each column, four rows at a time."""
    start = rows[0]
    for a in range(least.size):
        least[a] = start[a]
    k = 1
    while k + 4 <= rows.shape[0]:
        one, two, three, four = rows[k], rows[k + 1], rows[k + 2], rows[k + 3]
        for a in range(least.size):
            least[a] = min(least[a], min(min(one[a], two[a]), min(three[a], four[a])))
        k += 4
    while k < rows.shape[0]:
        row = rows[k]
        for a in range(least.size):
            least[a] = min(least[a], row[a])
        k += 1


@kernel
def _renew(table):
    """Find the least sums of changed blocks, then those of all rows; return the rows read."""
    sums, lows, least = table.sums, table.lows, table.least
    rows = 0
    for b in range(lows.shape[0]):
        if table.changed[b]:
            table.changed[b] = False
            first, end = b * _ROWS, min(b * _ROWS + _ROWS, sums.shape[0])
            _least_of(sums[first:end], lows[b])
            rows += end - first
    _least_of(lows, least)
    return rows + lows.shape[0]


@kernel
def _best_gap(table, a, p):
    """Return the gap that costs item a at p the least, in the block that had it in the last sweep.

    Moves since then may have made it worse than the present place: then the gap is -1.
    """
    sums, lows = table.sums, table.lows
    b = 0
    while lows[b, a] != table.least[a]:
        b += 1
    lowest, gap = sums[p, a], -1
    for k in range(b * _ROWS, min(b * _ROWS + _ROWS, sums.shape[0])):
        if sums[k, a] < lowest:
            lowest, gap = sums[k, a], k
    return gap


@kernel
def descend_in_sweeps(margins, total, table, order, state, budget):
    """Insert items at better places until no insertion improves or the budget is used up.

    A sweep looks for the best place of each item, then all items move that still gain. Returns the
    work done, in comparisons of the same time. state[SCANNED] is 0 at first and m at a local
    optimum; in between, the table belongs to the order.
    """
    m = order.size
    budget *= _ENTRIES
    rank = np.empty(m, np.int64)
    for p in range(m):
        rank[order[p]] = p
    rows = 0
    if state[SCANNED] == 0:
        _add_up(margins, order, table)
        rows += m
        state[SCANNED] = 1
    while state[SCANNED] < m and rows * m < budget:
        rows += _renew(table)
        state[ITERATIONS] += m
        moved = False
        for a in range(m):
            p = rank[a]
            if table.least[a] < table.sums[p, a]:
                gap = _best_gap(table, a, p)
                if gap >= 0:
                    q = gap - 1 if gap > p else gap
                    _move(margins, order, rank, table, p, q)
                    rows += abs(p - q)
                    moved = True
                    if rows * m >= budget:
                        break
        if not moved:
            state[SCANNED] = m
    cost = np.int64(total)
    for a in range(m):
        cost += table.sums[rank[a], a]
    state[COST] = cost // 2
    return rows * m // _ENTRIES
