"""Crossovers: two parent orders in, one child order out, with a random stream.

All take (first, second, stream) and return a new array. An order lists items, best first.
"""

import numpy as np

from concordant._kernels.chance import below, shuffle, sort_by
from concordant._kernels.jit import kernel


@kernel
def concordant_scores(first, second):
    """Count the concordant pairs that each item wins, and those that it loses.

    A pair is concordant when both parents order it alike. If a beats b in both, it beats all
    that b beats, and b; and all that beat a beat b, and so does a. So a wins more and loses
    less than b: sorting by either number keeps every such pair.
    """
    m = first.size
    rank = np.empty(m, np.int32)
    for p in range(m):
        rank[second[p]] = p
    wins, losses = np.empty(m, np.int64), np.empty(m, np.int64)
    for p in range(m):
        a = first[p]
        won = 0
        for q in range(p + 1, m):
            won += rank[first[q]] > rank[a]
        wins[a] = won
        # Of the rank[a] items before a in the second parent, m - 1 - p - won are behind it in
        # the first; the others are before it in both.
        losses[a] = rank[a] - (m - 1 - p - won)
    return wins, losses


@kernel
def cpsc(first, second, stream):
    """Concordant pairs-based semantic crossover: most pairs won first, equal ones by lot.

    In the paper's worked example this gives (3|5|4) and (3|4|5) for the open places, never
    (5|3|4): item 3 wins two pairs and 5 only one.
    """
    child = first.copy()
    shuffle(stream, child)
    wins, _ = concordant_scores(first, second)
    sort_by(-wins, child)
    return child


@kernel
def cpsc_losses(first, second, stream):
    """CPSC by fewest pairs lost, equal ones by lot.

    The partial ranking (1|5,3|4|2) that the paper's example has after the voting is the one
    by losses. It gives (5|3|4) and (3|5|4) there, never (3|4|5).
    """
    child = first.copy()
    shuffle(stream, child)
    _, losses = concordant_scores(first, second)
    sort_by(losses, child)
    return child


@kernel
def cpsc_extension(first, second, stream):
    """CPSC whose unknown pairs are settled by a random linear extension.

    Step 4 read as the paper's example does it: of all items that no item left must precede,
    one is drawn, until none is left. Every order that keeps the concordant pairs can occur:
    all three that the example names.
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
