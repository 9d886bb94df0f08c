"""Weak orders: counting ties, moving items to their best places, merging two weak orders.

A weak order is an array: item -> number of its bucket, 0 first, without gaps. level[a, x] is what a
tie of a and x costs more than a before x; behind[a, x] is what x before a costs more than a before
x. So behind is antisymmetric, and all changes of cost follow from the two.
"""

import numpy as np

from concordant._kernels.buckets import close_gaps
from concordant._kernels.jit import kernel
from concordant._kernels.rng import below

# Places in the state of a descent.
COST, SCANNED, TURN, STEPS = 0, 1, 2, 3
STATE_SIZE = 4


@kernel
def relative_cost(level, behind, bucket):
    """Return the cost of a weak order less that of all pairs a < b with a before b."""
    total = np.int64(0)
    for a in range(bucket.size):
        mine = bucket[a]
        for b in range(a + 1, bucket.size):
            if bucket[b] < mine:
                total += behind[a, b]
            elif bucket[b] == mine:
                total += level[a, b]
    return total


@kernel
def best_place(level, behind, bucket, n_buckets, a, at_level, at_behind):
    """Return (change, where) of the best place of item a.

    `where` is 2k + 1 for bucket k, and 2k for a new bucket in front of bucket k. The two last
    arguments are room for n_buckets sums each.
    """
    at_level[:n_buckets] = 0
    at_behind[:n_buckets] = 0
    row_level, row_behind = level[a], behind[a]
    for x in range(bucket.size):
        k = bucket[x]
        at_level[k] += row_level[x]
        at_behind[k] += row_behind[x]
    mine = bucket[a]
    cost, best, where = np.int64(0), np.int64(0), 0
    now = np.int64(0)
    for k in range(n_buckets):
        here = cost + at_level[k]
        if k == mine:
            now = here
        if here < best:
            best, where = here, 2 * k + 1
        cost += at_behind[k]
        if cost < best:
            best, where = cost, 2 * k + 2
    if best >= now:
        return np.int64(0), 2 * mine + 1
    return best - now, where


@kernel
def put(bucket, sizes, n_buckets, a, where):
    """Move item a to a place as `best_place` numbers them; return the number of buckets then."""
    old = bucket[a]
    new = where >> 1
    alone = sizes[old] == 1
    if where & 1:
        if new == old:
            return n_buckets
        bucket[a] = new
        sizes[new] += 1
        sizes[old] -= 1
        if alone:
            for x in range(bucket.size):
                if bucket[x] > old:
                    bucket[x] -= 1
            for k in range(old, n_buckets - 1):
                sizes[k] = sizes[k + 1]
            n_buckets -= 1
        return n_buckets
    if alone:
        # The bucket moves as it is, behind the ones between.
        if new > old:
            new -= 1
        if new > old:
            for x in range(bucket.size):
                if old < bucket[x] <= new:
                    bucket[x] -= 1
            for k in range(old, new):
                sizes[k] = sizes[k + 1]
        elif new < old:
            for x in range(bucket.size):
                if new <= bucket[x] < old:
                    bucket[x] += 1
            for k in range(old, new, -1):
                sizes[k] = sizes[k - 1]
        bucket[a] = new
        sizes[new] = 1
        return n_buckets
    sizes[old] -= 1
    for x in range(bucket.size):
        if bucket[x] >= new:
            bucket[x] += 1
    for k in range(n_buckets, new, -1):
        sizes[k] = sizes[k - 1]
    bucket[a] = new
    sizes[new] = 1
    return n_buckets + 1


@kernel
def descend(level, behind, bucket, turns, state, budget):
    """Move items to their best places until none improves, or the budget of steps is used up.

    `turns` is the order in which items are tried. Returns the steps that were used.
    """
    m = bucket.size
    n_buckets = close_gaps(bucket)
    sizes = np.zeros(m + 1, np.int64)
    for x in range(m):
        sizes[bucket[x]] += 1
    at_level, at_behind = np.empty(m + 1, np.int64), np.empty(m + 1, np.int64)
    work = 0
    at = state[TURN]
    while state[SCANNED] < m and work < budget:
        a = turns[at]
        change, where = best_place(level, behind, bucket, n_buckets, a, at_level, at_behind)
        work += 2 * m
        state[STEPS] += 1
        if change < 0:
            n_buckets = put(bucket, sizes, n_buckets, a, where)
            state[COST] += change
            state[SCANNED] = 1
            work += m
        else:
            state[SCANNED] += 1
        at += 1
        if at == m:
            at = 0
    state[TURN] = at
    return work


@kernel
def scatter(bucket, number, stream):
    """Move a number of random items to random places, near ones and far ones."""
    m = bucket.size
    n_buckets = close_gaps(bucket)
    sizes = np.zeros(m + 1, np.int64)
    for x in range(m):
        sizes[bucket[x]] += 1
    for _ in range(number):
        a = below(stream, m)
        n_buckets = put(bucket, sizes, n_buckets, a, below(stream, 2 * n_buckets + 1))
    return n_buckets


@kernel
def merge(level, behind, first, second, chosen, child):
    """Merge the chosen items as `first` has them with the others as `second` has them.

    The relative order and the ties inside either group stay. Each step takes the next bucket of
    the one group, of the other, or both united; dynamic programming finds the cheapest steps.
    """
    m = chosen.size
    one, other = np.full(m, -1, np.int64), np.full(m, -1, np.int64)
    for x in range(m):
        if chosen[x]:
            one[x] = first[x]
        else:
            other[x] = second[x]
    r, s = renumber(one), renumber(other)
    level_sum = np.zeros((r + 1, s + 1), np.int64)
    behind_sum = np.zeros((r + 1, s + 1), np.int64)
    for x in range(m):
        i = one[x]
        if i < 0:
            continue
        for y in range(m):
            j = other[y]
            if j >= 0:
                level_sum[i, j] += level[x, y]
                behind_sum[i, j] += behind[x, y]
    # best[i, j]: i buckets of the one group and j of the other are placed. A bucket of the one
    # group pays for those of the other that were placed before it.
    best = np.empty((r + 1, s + 1), np.int64)
    step = np.zeros((r + 1, s + 1), np.int8)
    best[0, :] = 0
    step[0, :] = 2
    for i in range(1, r + 1):
        passed = np.int64(0)
        best[i, 0] = best[i - 1, 0]
        step[i, 0] = 1
        for j in range(1, s + 1):
            united = best[i - 1, j - 1] + passed + level_sum[i - 1, j - 1]
            passed += behind_sum[i - 1, j - 1]
            value, how = best[i - 1, j] + passed, 1
            if best[i, j - 1] < value:
                value, how = best[i, j - 1], 2
            if united < value:
                value, how = united, 3
            best[i, j] = value
            step[i, j] = how
    place_one, place_other = np.zeros(r + 1, np.int64), np.zeros(s + 1, np.int64)
    i, j, at = r, s, r + s
    while i > 0 or j > 0:
        how = step[i, j]
        if how & 1:
            i -= 1
            place_one[i] = at
        if how & 2:
            j -= 1
            place_other[j] = at
        at -= 1
    for x in range(m):
        child[x] = place_one[one[x]] if one[x] >= 0 else place_other[other[x]]
    close_gaps(child)


@kernel
def renumber(bucket):
    """Close the gaps between the numbers that are not negative; return how many there are."""
    used = np.zeros(bucket.size + 2, np.int64)
    for x in range(bucket.size):
        if bucket[x] >= 0:
            used[bucket[x]] = 1
    number = 0
    for k in range(used.size):
        if used[k]:
            used[k] = number
            number += 1
    for x in range(bucket.size):
        if bucket[x] >= 0:
            bucket[x] = used[bucket[x]]
    return number


@kernel
def divide(level, behind, order, exactly, bucket):
    """Cut an order into tiers at least cost; with `exactly` > 0, into that number of tiers.

    Dynamic programming over the ends of tiers. Returns the cost less that of the order as it is.
    """
    m = order.size
    # inside[i, j]: what a tie of the places i..j costs more than their order, by row i.
    inside = np.zeros((m + 1, m + 1), np.int64)
    for i in range(m - 1, -1, -1):
        row = np.int64(0)
        for j in range(i + 1, m):
            row += level[order[i], order[j]]
            inside[i, j] = inside[i + 1, j] + row
    rounds = exactly if exactly > 0 else 1
    large = np.int64(2) ** 62
    best = np.full((rounds + 1, m + 1), large)
    start = np.zeros((rounds + 1, m + 1), np.int64)
    best[0, 0] = 0
    for k in range(1, rounds + 1):
        source = best[k - 1] if exactly > 0 else best[1]
        if exactly <= 0:
            source[0] = 0
        for j in range(1, m + 1):
            for i in range(j):
                if source[i] < large:
                    value = source[i] + inside[i, j - 1]
                    if value < best[k, j]:
                        best[k, j] = value
                        start[k, j] = i
    end, k, number = m, rounds, m
    while end > 0:
        begin = start[k, end]
        for i in range(begin, end):
            bucket[order[i]] = number
        number -= 1
        end = begin
        if exactly > 0:
            k -= 1
    close_gaps(bucket)
    return best[rounds, m]
