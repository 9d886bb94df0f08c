"""Crossovers: make one child order from two parent orders.

All take (first, second, stream) and return a new array; `merge` takes the margins before these.
An order lists items, best first.
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.rng import below, shuffle, sort_by


@kernel
def concordant_scores(first, second):
    """Count the concordant pairs that each item wins, and those that it loses.

    A pair is concordant when both parents order it alike. If both parents put a before b, then a
    wins against b and against everything that b wins against, and b loses to a and to everything
    that a loses to. So a wins more pairs and loses fewer than b, and sorting by either number
    keeps every concordant pair.
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
    """Concordant pairs-based semantic crossover: most pairs won first, ties drawn at random.

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
    """CPSC by fewest pairs lost, ties drawn at random.

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
    """CPSC that decides the other pairs by a random linear extension.

    This is step 4 as the paper's example applies it: of all items that no remaining item must
    precede, one is drawn, until none remains. Every order that keeps the concordant pairs can
    occur, so all three that the example names.
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


@kernel
def merge(margins, first, second, stream):
    """Keep some items in the order of one parent, the rest in that of the other, merged best.

    The items that keep the first parent's order form about six runs of it. Of all ways to
    interleave the two lists, dynamic programming finds the cheapest. least[j], in round i, is
    the least cost of interleaving the first i items of the first list and the first j of the
    second, relative to having the second list in front. Putting item j of the second list behind
    the first i items costs the sum of their margins with it.
    """
    m = first.size
    stays = np.zeros(m, np.bool_)
    mine = np.empty(m, np.int32)
    k = 0
    keep = below(stream, 2) == 0
    for p in range(m):
        # A new choice at about 12 of the m places; half of these change it.
        if below(stream, m) < 12:
            keep = below(stream, 2) == 0
        if keep:
            mine[k] = first[p]
            stays[first[p]] = True
            k += 1
    rest = np.empty(m - k, np.int32)
    n = 0
    for p in range(m):
        if not stays[second[p]]:
            rest[n] = second[p]
            n += 1
    behind, further = np.zeros(n, np.int64), np.empty(n, np.int64)
    least = np.zeros(n + 1, np.int64)
    # Whether the cheapest way to (i, j) ends with an item of the first list. An odd last row is
    # done twice: the second time writes to a row that is never read.
    ends = np.zeros((k + 2, n + 1), np.bool_)
    for i in range(1, k + 1, 2):
        # Two rows at once, the second one behind the first: neither waits for the other's sums.
        row, next_row = margins[mine[i - 1]], margins[mine[min(i, k - 1)]]
        for j in range(n):
            b = np.uint32(rest[j])
            further[j] = behind[j] + row[b]
        for j in range(n):
            b = np.uint32(rest[j])
            behind[j] = further[j] + next_row[b]
        ends[i, 0] = ends[i + 1, 0] = True
        left, next_left = np.int64(0), np.int64(0)
        for j in range(1, n + 1):
            # Without a branch: it would be guessed wrong too often.
            last = left + further[j - 1]
            ends[i, j] = least[j] <= last
            left = min(least[j], last)
            last = next_left + behind[j - 1]
            ends[i + 1, j] = left <= last
            next_left = min(left, last)
            least[j] = next_left
    child = np.empty_like(first)
    i, j = k, n
    for p in range(m - 1, -1, -1):
        if ends[i, j]:
            i -= 1
            child[p] = mine[i]
        else:
            j -= 1
            child[p] = rest[j]
    return child
