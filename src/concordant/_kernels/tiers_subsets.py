"""Least costs of weak orders of all subsets of a few items."""

import numpy as np

from concordant._kernels.jit import kernel


@kernel
def least_costs(before, tied, best, any_number):
    """Fill best[r, S], the least cost of a weak order of the set S in r tiers.

    With `any_number`, row 1 gets the least cost over all numbers of tiers. Row 0 holds 0 for the
    empty set and the largest integer for others.

    The last tier X of a set S runs through all subsets in the order of a Gray code. Moving item x
    from the rest into X changes the cost by what all of S before x costs, plus the sum over X of
    tied - before - before.T with x: two tables, by item and set.
    """
    k = before.shape[0]
    full = 1 << k
    into = np.zeros((k, full), np.int64)
    with_last = np.zeros((k, full), np.int64)
    for a in range(k):
        for mask in range(1, full):
            low = mask & -mask
            b = 0
            while not (low >> b) & 1:
                b += 1
            into[a, mask] = into[a, mask ^ low] + before[b, a]
            with_last[a, mask] = with_last[a, mask ^ low] + tied[a, b] - before[a, b] - before[b, a]
    most = np.iinfo(np.int64).max
    inside = np.empty(k, np.int64)
    pays = np.empty(k, np.int64)
    rounds = best.shape[0] - 1
    if any_number:
        best[1, 0] = 0
    for s in range(1, full):
        n = 0
        for a in range(k):
            if (s >> a) & 1:
                inside[n] = a
                pays[n] = into[a, s]
                n += 1
        last, cost = 0, np.int64(0)
        for code in range(1, 1 << n):
            which = 0
            while not (code >> which) & 1:
                which += 1
            a = inside[which]
            bit = 1 << a
            if last & bit:
                last ^= bit
                cost -= pays[which] + with_last[a, last]
            else:
                cost += pays[which] + with_last[a, last]
                last ^= bit
            if any_number:
                value = best[1, s ^ last] + cost
                if value < best[1, s]:
                    best[1, s] = value
            else:
                for r in range(1, rounds + 1):
                    source = best[r - 1, s ^ last]
                    if source < most and source + cost < best[r, s]:
                        best[r, s] = source + cost
