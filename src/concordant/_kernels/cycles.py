"""Cycles of items with integer multipliers: what they take from the cost of each pair."""

import numpy as np

from concordant._kernels.jit import kernel


@kernel
def charge(starts, items, values, reduced):
    """Charge cycles to scaled integer costs, in place, and return what is charged in all.

    Cycle c goes through items[starts[c]:starts[c + 1]] and back to the first: of its arcs an
    order has all but one at the most. reduced[i, j], i < j, is what i before j costs more than
    j before i: an arc that leads to a higher number raises it by the multiplier, any other
    lowers it. The caller has made sure that nothing overflows.
    """
    total = np.int64(0)
    for c in range(values.size):
        y = values[c]
        total -= y
        a = items[starts[c + 1] - 1]
        for p in range(starts[c], starts[c + 1]):
            b = items[p]
            if a < b:
                reduced[a, b] += y
                total += y
            else:
                reduced[b, a] -= y
            a = b
    return total
