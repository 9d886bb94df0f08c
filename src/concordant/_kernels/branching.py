"""Kernels of Davenport and Kalagnanam's branch and bound: a greedy dive and a bound."""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.triangles import fix_pair


@kernel
def next_pair(before, pairs, start):
    """Return the place of the first undecided pair from `start` on, or -1 if there is none."""
    for p in range(start, pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if not before[a, b] and not before[b, a]:
            return p
    return -1


@kernel
def dive(counts, before, pairs, start, budget):
    """Decide pairs from `start` on by their majorities; return the place of the next pair.

    The kernel returns after about `budget` steps, or when no pair is left.
    """
    m = counts.shape[0]
    work = 0
    for place in range(start, pairs.shape[0]):
        if work >= budget:
            return place
        work += 1
        a, b = pairs[place, 0], pairs[place, 1]
        if before[a, b] or before[b, a]:
            continue
        if counts[a, b] < counts[b, a]:
            a, b = b, a
        # Each item that now becomes one before b also goes before all that b is before.
        for x in range(m):
            work -= m * before[x, b]
        fix_pair(before, a, b)
        for x in range(m):
            work += m * before[x, b]
        work += 3 * m
    return pairs.shape[0]


@kernel
def decided_cost(counts, before, margin):
    """Return a lower bound on the cost of all pairs; fill in the margins of undecided pairs.

    A decided pair costs what its order costs, an undecided pair its cheaper side. margin[a, b] is
    the unused part of the margin of a majority for a.
    """
    m = counts.shape[0]
    total = np.int64(0)
    for a in range(m):
        margin[a, a] = 0
        for b in range(a + 1, m):
            margin[a, b] = margin[b, a] = 0
            if before[a, b]:
                total += counts[b, a]
            elif before[b, a]:
                total += counts[a, b]
            else:
                total += min(counts[a, b], counts[b, a])
                margin[a, b] = max(0, counts[a, b] - counts[b, a])
                margin[b, a] = max(0, counts[b, a] - counts[a, b])
    return total


@kernel
def pack_cycles(margin, first, budget):
    """Return (next, extra cost), from cycles through the items `first` to `next` - 1.

    In a cycle of three majorities at least one must lose. That costs at least the smallest of
    the unused parts of their margins, and this amount is then subtracted from all three. The
    kernel returns after about `budget` steps, between two items.
    """
    m = margin.shape[0]
    total = np.int64(0)
    work = 0
    for a in range(first, m):
        if work >= budget:
            return a, total
        for b in range(m):
            if margin[a, b] == 0:
                continue
            work += m - a
            for c in range(a + 1, m):
                if margin[b, c] > 0 and margin[c, a] > 0:
                    least = min(margin[a, b], min(margin[b, c], margin[c, a]))
                    total += least
                    margin[a, b] -= least
                    margin[b, c] -= least
                    margin[c, a] -= least
                    if margin[a, b] == 0:
                        break
    return m, total
