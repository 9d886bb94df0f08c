"""Weak orders with a given number of tiers, or with tiers of given sizes.

`place[a, k]` is what item a costs in tier k, relative to a place before all others. `level` and
`behind` are as in `tiers_search`. Moves never empty a tier.
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.rng import below

# Places in the state of a descent.
COST, SCANNED, TURN, STEPS = 0, 1, 2, 3
STATE_SIZE = 4


@kernel
def set_places(level, behind, bucket, place):
    """Fill the costs of all items in all tiers."""
    m, n = place.shape
    passed = np.empty(n, np.int64)
    for a in range(m):
        place[a, :] = 0
        passed[:] = 0
        for x in range(m):
            passed[bucket[x]] += behind[a, x]
            place[a, bucket[x]] += level[a, x]
        total = np.int64(0)
        for k in range(n):
            place[a, k] += total
            total += passed[k]


@kernel
def move(level, behind, bucket, place, a, new):
    """Move item a to another tier and update the costs of all others."""
    old = bucket[a]
    for x in range(bucket.size):
        if x == a:
            continue
        # Tiers after that of a have it before them; its own has it level.
        step = behind[x, a]
        row = place[x]
        row[old] -= level[x, a]
        row[new] += level[x, a]
        if new > old:
            for k in range(old + 1, new + 1):
                row[k] -= step
        else:
            for k in range(new + 1, old + 1):
                row[k] += step
    bucket[a] = new


@kernel
def descend(level, behind, bucket, sizes, place, may_move, state, budget):
    """Move single items (where sizes may change) and exchange items of two tiers while that helps.

    Stops when no change of any item helps, or when the budget of steps is used up. Returns the
    steps.
    """
    m, n = place.shape
    work = 0
    a = state[TURN]
    while state[SCANNED] < m and work < budget:
        mine = bucket[a]
        best, tier, other = np.int64(0), mine, -1
        if may_move and sizes[mine] > 1:
            for k in range(n):
                change = place[a, k] - place[a, mine]
                if change < best:
                    best, tier, other = change, k, -1
        for b in range(m):
            theirs = bucket[b]
            if theirs == mine:
                continue
            change = place[a, theirs] - place[a, mine] + place[b, mine] - place[b, theirs]
            change -= level[a, b] + level[b, a]
            if change < best:
                best, tier, other = change, theirs, b
        work += 2 * m + n
        state[STEPS] += 1
        if best < 0:
            move(level, behind, bucket, place, a, tier)
            if other >= 0:
                move(level, behind, bucket, place, other, mine)
            else:
                sizes[mine] -= 1
                sizes[tier] += 1
            state[COST] += best
            state[SCANNED] = 0
            work += 2 * m * n
        else:
            state[SCANNED] += 1
        a += 1
        if a == m:
            a = 0
    state[TURN] = a
    return work


@kernel
def disturb(bucket, number, stream):
    """Exchange the tiers of some random pairs of items."""
    m = bucket.size
    for _ in range(number):
        a, b = below(stream, m), below(stream, m)
        bucket[a], bucket[b] = bucket[b], bucket[a]
