"""Best orders of a few items, for grouping voters: a dynamic program over subsets."""

import numpy as np

from concordant._kernels.jit import kernel


@kernel
def best_order(margins, m, order):
    """Fill `order` with a best order of m items, given the margin of each pair (a, b), a < b.

    The cheapest order of a set ends in some item: its cost is that of the rest, and what it costs
    to have all others before this item (Held and Karp 1962).
    """
    full = 1 << m
    # pay[a, S]: what it costs to have all items of S before a.
    pay = np.zeros((m, full), np.int64)
    excess = np.zeros((m, m), np.int64)
    pair = 0
    for a in range(m):
        for b in range(a + 1, m):
            if margins[pair] > 0:
                excess[b, a] = margins[pair]
            else:
                excess[a, b] = -margins[pair]
            pair += 1
    for a in range(m):
        for chosen in range(1, full):
            low = 0
            while not (chosen >> low) & 1:
                low += 1
            pay[a, chosen] = pay[a, chosen & (chosen - 1)] + excess[low, a]
    cost = np.zeros(full, np.int64)
    last = np.zeros(full, np.int8)
    for chosen in range(1, full):
        best = np.int64(2**62)
        for a in range(m):
            if (chosen >> a) & 1:
                rest = chosen ^ (1 << a)
                value = cost[rest] + pay[a, rest]
                if value < best:
                    best = value
                    last[chosen] = a
        cost[chosen] = best
    chosen = full - 1
    for place in range(m - 1, -1, -1):
        order[place] = last[chosen]
        chosen ^= 1 << last[chosen]
