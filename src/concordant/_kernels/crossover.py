"""Crossovers: two parent orders in, one child order out, with a random stream.

All take (first, second, stream) and return a new array. An order lists items, best first.
"""

import numpy as np

from concordant._kernels.chance import below, shuffle, sort_by
from concordant._kernels.jit import kernel


@kernel
def concordant_scores(first, second):
    """Score each item by the concordant pairs that it wins: the voting of CPSC's step 3.

    A pair is concordant when both parents order it alike. If a beats b in both, it beats all
    that b beats, and b: its score is higher, so sorting by score keeps every such pair.
    """
    m = first.size
    rank = np.empty(m, np.int32)
    for p in range(m):
        rank[second[p]] = p
    scores = np.empty(m, np.int64)
    for p in range(m):
        a = first[p]
        wins = 0
        for q in range(p + 1, m):
            wins += rank[first[q]] > rank[a]
        scores[a] = wins
    return scores


@kernel
def cpsc(first, second, stream):
    """Concordant pairs-based semantic crossover; equal scores are ordered by lot."""
    child = first.copy()
    shuffle(stream, child)
    sort_by(-concordant_scores(first, second), child)
    return child


@kernel
def cpsc_extension(first, second, stream):
    """CPSC whose unknown pairs are settled by a random linear extension.

    Step 4 read as the paper's example does it: of all items that no item left must precede,
    one is drawn, until none is left. Every order that keeps the concordant pairs can occur.
    """
    m = first.size
    rank = np.empty(m, np.int32)
    for p in range(m):
        rank[second[p]] = p
    # An item is free when all that beat it in both parents are placed.
    beaten_by = np.zeros(m, np.int64)
    for p in range(m):
        for q in range(p + 1, m):
            if rank[first[q]] > rank[first[p]]:
                beaten_by[first[q]] += 1
    free = np.empty(m, np.int32)
    n_free = 0
    for p in range(m):
        if beaten_by[first[p]] == 0:
            free[n_free] = p
            n_free += 1
    child = first.copy()
    for place in range(m):
        k = below(stream, n_free)
        p = free[k]
        n_free -= 1
        free[k] = free[n_free]
        a = first[p]
        child[place] = a
        for q in range(p + 1, m):
            b = first[q]
            if rank[b] > rank[a]:
                beaten_by[b] -= 1
                if beaten_by[b] == 0:
                    free[n_free] = q
                    n_free += 1
    return child


@kernel
def order_based(first, second, stream):
    """Keep the first parent, but put a random half of its items into the second's order.

    The order-based crossover of Syswerda (1991).
    """
    m = first.size
    chosen = np.empty(m, np.bool_)
    for a in range(m):
        chosen[a] = below(stream, 2) == 1
    child = first.copy()
    q = 0
    for p in range(m):
        if chosen[first[p]]:
            while not chosen[second[q]]:
                q += 1
            child[p] = second[q]
            q += 1
    return child


@kernel
def position_based(first, second, stream):
    """Keep a random half of the positions of the first parent; the second fills the rest.

    The position-based crossover of Syswerda (1991).
    """
    m = first.size
    kept = np.empty(m, np.bool_)
    used = np.zeros(m, np.bool_)
    for p in range(m):
        kept[p] = below(stream, 2) == 1
        if kept[p]:
            used[first[p]] = True
    child = first.copy()
    q = 0
    for p in range(m):
        if not kept[p]:
            while used[second[q]]:
                q += 1
            child[p] = second[q]
            q += 1
    return child


@kernel
def order(first, second, stream):
    """Keep a random stretch of the first parent; the second fills the rest, from its end on.

    The order crossover of Davis (1985), which reads the second parent from the end of the
    stretch and fills in the same circular way.
    """
    m = first.size
    start, end = below(stream, m), below(stream, m)
    if start > end:
        start, end = end, start
    used = np.zeros(m, np.bool_)
    for p in range(start, end + 1):
        used[first[p]] = True
    child = first.copy()
    q = end + 1
    for k in range(m - (end - start + 1)):
        p = (end + 1 + k) % m
        while used[second[q % m]]:
            q += 1
        child[p] = second[q % m]
        q += 1
    return child
