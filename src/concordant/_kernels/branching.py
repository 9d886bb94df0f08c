"""Kernels of Davenport and Kalagnanam's branch and bound: a greedy dive and a bound."""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.triangles import fix_pair


@kernel
def next_pair(before, pairs, start):
    """Return the place of the first pair that is not decided, from `start`; -1 if there is none."""
    for p in range(start, pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if not before[a, b] and not before[b, a]:
            return p
    return -1


@kernel
def dive(counts, before, pairs, start):
    """Decide all pairs left, in turn, for their majority."""
    for p in range(start, pairs.shape[0]):
        a, b = pairs[p, 0], pairs[p, 1]
        if not before[a, b] and not before[b, a]:
            if counts[a, b] >= counts[b, a]:
                fix_pair(before, a, b)
            else:
                fix_pair(before, b, a)


@kernel
def cycle_bound(counts, before):
    """Return a lower bound on the cost of orders that respect a relation.

    Decided pairs cost what they cost, others their cheaper side. In a cycle of three majorities
    among undecided pairs, one majority at least must lose; cycles that share no pair add up.
    """
    m = counts.shape[0]
    total = np.int64(0)
    # What is left of the margin of each majority that is not decided.
    margin = np.zeros((m, m), np.int64)
    for a in range(m):
        for b in range(a + 1, m):
            if before[a, b]:
                total += counts[b, a]
            elif before[b, a]:
                total += counts[a, b]
            else:
                total += min(counts[a, b], counts[b, a])
                margin[a, b] = max(0, counts[a, b] - counts[b, a])
                margin[b, a] = max(0, counts[b, a] - counts[a, b])
    for a in range(m):
        for b in range(m):
            if margin[a, b] == 0:
                continue
            for c in range(a + 1, m):
                if margin[b, c] > 0 and margin[c, a] > 0:
                    least = min(margin[a, b], min(margin[b, c], margin[c, a]))
                    total += least
                    margin[a, b] -= least
                    margin[b, c] -= least
                    margin[c, a] -= least
                    if margin[a, b] == 0:
                        break
    return total
