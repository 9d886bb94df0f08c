"""Draw random permutations by repeated insertion."""

import math

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel


@kernel
def displacement(uniform, theta, n_before):
    """Return how many of the `n_before` items placed so far an item jumps over.

    The distribution is geometric with ratio exp(-theta), truncated at `n_before`. It is drawn by
    inverting the distribution function at `uniform`, in a form that is accurate for small theta.
    """
    if theta * n_before < 1e-15:
        # The ratio is 1 in floating point, and log1p(...) / theta could divide by zero.
        jumped = int(uniform * (n_before + 1))
    else:
        jumped = int(-math.log1p(uniform * math.expm1(-theta * (n_before + 1))) / theta)
    return min(jumped, n_before)


@kernel
def repeated_insertion(uniforms, theta, center, orders):
    """Fill the rows of `orders` with permutations of `center` under the Mallows distribution.

    Item i of the center (counted from 0) is inserted so that `displacement` of its i predecessors
    end up behind it. Inserting would move O(m) items. But the place of the last item is known at
    once, and each earlier item takes the k-th place still free, which a binary indexed tree of
    free places (Fenwick 1994) gives in O(log m).

    Args:
        uniforms: An array of shape (n, m) of numbers in [0, 1).
        theta: The dispersion, at least 0.
        center: The m items, best first.
        orders: The result, of shape (n, m): position -> item.
    """
    n, m = uniforms.shape
    # The size is a power of two, so that the search needs no check of the end.
    size = 1
    while size < m:
        size *= 2
    all_free = np.zeros(size + 1, np.int32)
    for place in range(1, size + 1):
        low = place & -place
        all_free[place] = max(0, min(place, m) - (place - low))
    free = np.empty_like(all_free)
    for r in range(n):
        copy(all_free, free)
        for i in range(m - 1, -1, -1):
            wanted = i - displacement(uniforms[r, i], theta, i)
            place = 0
            step = size // 2
            while step > 0:
                node = place + step
                if free[node] <= wanted:
                    wanted -= free[node]
                    place = node
                else:
                    # The place taken belongs to this node.
                    free[node] -= 1
                step //= 2
            orders[r, place] = center[i]
