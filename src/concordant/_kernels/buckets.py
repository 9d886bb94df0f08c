"""Orders with ties: their cost, the best place of an item, and random changes.

A bucket order is an array: item -> number of its bucket, counted from 0 without gaps.
before[a, b] is what a before b costs, and tied[a, b] what a tie of the two costs. Any objective
that is a sum over pairs can be written like this.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel
from concordant._kernels.rng import below

# Random changes of a bucket order.
ITEM_INSERTION, ITEM_INTERCHANGE, BUCKET_INSERTION = 0, 1, 2
BUCKET_INTERCHANGE, BUCKET_UNION, BUCKET_DIVISION = 3, 4, 5
N_CHANGES = 6

# Places in the state of a descent.
COST, SCANNED, TURN, ITERATIONS = 0, 1, 2, 3
STATE_SIZE = 4
# Places in the state of an evolution; the cost comes first there too.
IDLE, BORN, LOWEST, BIRTHS, GENERATIONS = 1, 2, 3, 4, 5
EVOLUTION_SIZE = 6


@kernel
def bucket_cost(before, tied, bucket):
    """Return the cost of a bucket order."""
    m = bucket.size
    total = np.int64(0)
    for a in range(m):
        mine = bucket[a]
        for b in range(a + 1, m):
            if mine < bucket[b]:
                total += before[a, b]
            elif mine > bucket[b]:
                total += before[b, a]
            else:
                total += tied[a, b]
    return total


@kernel
def close_gaps(bucket):
    """Number the buckets 0, 1, 2 … without gaps, in place; return how many there are."""
    m = bucket.size
    used = np.zeros(2 * m + 2, np.int64)
    for a in range(m):
        used[bucket[a]] = 1
    number = 0
    for k in range(used.size):
        if used[k]:
            used[k] = number
            number += 1
    for a in range(m):
        bucket[a] = used[bucket[a]]
    return number


@kernel
def place_item(bucket, a, where):
    """Move an item: 2k + 1 means into bucket k, and 2k means alone, in front of bucket k."""
    for x in range(bucket.size):
        bucket[x] = 2 * bucket[x] + 1
    bucket[a] = where
    # The numbers are doubled, so that there is room in front of each.
    return close_gaps(bucket)


@kernel
def best_place(before, tied, bucket, n_buckets, a):
    """Return (change, where) of the best place of an item, as `place_item` numbers places."""
    # What it costs to have a before, level with and behind each bucket, without a itself.
    ahead = np.zeros(n_buckets, np.int64)
    level = np.zeros(n_buckets, np.int64)
    behind = np.zeros(n_buckets, np.int64)
    for x in range(bucket.size):
        if x != a:
            k = bucket[x]
            ahead[k] += before[a, x]
            level[k] += tied[a, x]
            behind[k] += before[x, a]
    cost = np.int64(0)
    for k in range(n_buckets):
        cost += ahead[k]
    # This is the cost of a alone in front of all buckets; it now passes one after the other.
    mine = bucket[a]
    best, where = cost, 0
    now = np.int64(0)
    for k in range(n_buckets):
        here = cost - ahead[k] + level[k]
        if k == mine:
            now = here
        if here < best:
            best, where = here, 2 * k + 1
        cost += behind[k] - ahead[k]
        if cost < best:
            best, where = cost, 2 * k + 2
    if best >= now:
        return np.int64(0), np.int64(2 * mine + 1)
    return best - now, np.int64(where)


@kernel
def descend_buckets(before, tied, bucket, state, budget):
    """Move items to their best places until no move improves or the budget is used up."""
    m = bucket.size
    n_buckets = close_gaps(bucket)
    work = 0
    a = state[TURN]
    while state[SCANNED] < m and work < budget:
        change, where = best_place(before, tied, bucket, n_buckets, a)
        work += 3 * m
        state[ITERATIONS] += 1
        if change < 0:
            n_buckets = place_item(bucket, a, where)
            state[COST] += change
            state[SCANNED] = 1
            work += 3 * m
        else:
            state[SCANNED] += 1
        a += 1
        if a == m:
            a = 0
    state[TURN] = a
    return work


@kernel
def change_buckets(bucket, n_buckets, stream):
    """Apply one random change to a bucket order; return how many buckets it has then.

    An item moves to another bucket or a new one, or two items change places. Or a bucket moves,
    changes places with another, is united with the next, or is divided at random.
    """
    m = bucket.size
    kind = below(stream, N_CHANGES)
    if kind == ITEM_INSERTION:
        return place_item(bucket, below(stream, m), below(stream, 2 * n_buckets + 1))
    if kind == ITEM_INTERCHANGE:
        a, b = below(stream, m), below(stream, m)
        bucket[a], bucket[b] = bucket[b], bucket[a]
        return n_buckets
    if kind == BUCKET_DIVISION:
        chosen = below(stream, n_buckets)
        for x in range(m):
            if bucket[x] > chosen or (bucket[x] == chosen and below(stream, 2) == 1):
                bucket[x] += 1
        return close_gaps(bucket)
    if n_buckets < 2:
        return n_buckets
    if kind == BUCKET_UNION:
        chosen = below(stream, n_buckets - 1)
        for x in range(m):
            if bucket[x] > chosen:
                bucket[x] -= 1
        return n_buckets - 1
    p, q = below(stream, n_buckets), below(stream, n_buckets)
    for x in range(m):
        k = bucket[x]
        if k == p:
            bucket[x] = q
        elif kind == BUCKET_INTERCHANGE:
            if k == q:
                bucket[x] = p
        elif p < k <= q:
            bucket[x] = k - 1
        elif q <= k < p:
            bucket[x] = k + 1
    return n_buckets


@kernel
def evolve_buckets(before, tied, parent, best, state, children, max_idle, stream, births):
    """Run a (1 + children) strategy for `births` children, or until `max_idle` generations.

    Each child is the parent with one random change. The best child of a generation replaces the
    parent unless it is worse. A call may end within a generation: then `best` holds its best
    child so far, and `state` all else that the next call needs.
    """
    n_buckets = close_gaps(parent)
    child = np.empty_like(parent)
    for _ in range(births):
        if state[IDLE] >= max_idle:
            break
        copy(parent, child)
        change_buckets(child, n_buckets, stream)
        value = bucket_cost(before, tied, child)
        if state[BORN] == 0 or value < state[LOWEST]:
            state[LOWEST] = value
            copy(child, best)
        state[BORN] += 1
        state[BIRTHS] += 1
        if state[BORN] == children:
            state[BORN] = 0
            state[GENERATIONS] += 1
            state[IDLE] = 0 if state[LOWEST] < state[COST] else state[IDLE] + 1
            if state[LOWEST] <= state[COST]:
                state[COST] = state[LOWEST]
                copy(best, parent)
                n_buckets = close_gaps(parent)
