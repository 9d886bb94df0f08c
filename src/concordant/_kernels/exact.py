"""Components of the majority relation, blocks of a matrix, and the least costs of subsets."""

import numpy as np

from concordant._kernels.jit import kernel


@kernel
def components(margins):
    """Number the strongly connected components of the strict majority relation.

    There is an edge from a to b where a before b costs less. This is Tarjan's algorithm (1972)
    on the dense matrix, without recursion. Returns the component of each item, numbered so that
    edges between components lead to higher numbers, and the number of components.
    """
    m = margins.shape[0]
    index = np.full(m, -1, np.int64)
    low = np.zeros(m, np.int64)
    component = np.full(m, -1, np.int64)
    stack = np.empty(m, np.int64)
    path = np.empty(m, np.int64)
    following = np.zeros(m, np.int64)
    n_stack = 0
    visited = 0
    found = 0
    for root in range(m):
        if index[root] >= 0:
            continue
        depth = 0
        path[0] = root
        index[root] = low[root] = visited
        visited += 1
        stack[n_stack] = root
        n_stack += 1
        while depth >= 0:
            a = path[depth]
            row = margins[a]
            b = following[a]
            # An item that is in a component already changes nothing.
            while b < m and (row[b] >= 0 or component[b] >= 0 or b == a):
                b += 1
            following[a] = b + 1
            if b < m:
                if index[b] < 0:
                    depth += 1
                    path[depth] = b
                    index[b] = low[b] = visited
                    visited += 1
                    stack[n_stack] = b
                    n_stack += 1
                else:
                    low[a] = min(low[a], index[b])
            else:
                if low[a] == index[a]:
                    while True:
                        n_stack -= 1
                        b = stack[n_stack]
                        component[b] = found
                        if b == a:
                            break
                    found += 1
                depth -= 1
                if depth >= 0:
                    low[path[depth]] = min(low[path[depth]], low[a])
    # Tarjan's algorithm finds a component after all that it leads to: reverse the numbers.
    return found - 1 - component, found


@kernel
def twin_leaders(margins, random):
    """Return for each item the first of its group of twins: see `concordant.reduction.twins`.

    Rows are compared by the sums of their margins times random numbers, modulo 2^64, without
    the columns of the two items themselves.
    """
    k = margins.shape[0]
    sums = np.zeros(k, np.uint64)
    for a in range(k):
        total = np.uint64(0)
        for x in range(k):
            total += np.uint64(np.int64(margins[a, x])) * random[x]
        sums[a] = total
    leader = np.arange(k)
    for a in range(k):
        row = margins[a]
        for b in range(a + 1, k):
            between = np.uint64(np.int64(row[b]))
            if sums[a] - between * random[b] == sums[b] + between * random[a]:
                first, second = a, b
                while leader[first] != first:
                    first = leader[first]
                while leader[second] != second:
                    second = leader[second]
                leader[max(first, second)] = min(first, second)
    for a in range(k):
        leader[a] = leader[leader[a]]
    return leader


@kernel
def block(matrix, items):
    """Return the rows and columns of some items."""
    k = items.size
    found = np.empty((k, k), matrix.dtype)
    for p in range(k):
        row, target = matrix[items[p]], found[p]
        for q in range(k):
            target[q] = row[items[q]]
    return found


@kernel
def block_sum(matrix, items):
    """Return the sum over the rows and columns of some items."""
    total = np.int64(0)
    for p in range(items.size):
        row = matrix[items[p]]
        for q in range(items.size):
            total += row[items[q]]
    return total


@kernel
def subset_costs(excess):
    """Return the least cost of every subset of a few items: see `concordant.reduction.subsets`.

    What an item costs behind a set is the sum of two table entries, one for each half of the
    set. So the whole takes 2^m · m steps.
    """
    m = excess.shape[0]
    half = m // 2
    low_size, high_size = 1 << half, 1 << (m - half)
    low = np.zeros((m, low_size), np.int64)
    high = np.zeros((m, high_size), np.int64)
    for a in range(m):
        for s in range(1, low_size):
            bit = 0
            while not (s >> bit) & 1:
                bit += 1
            low[a, s] = low[a, s & (s - 1)] + excess[a, bit]
        for s in range(1, high_size):
            bit = 0
            while not (s >> bit) & 1:
                bit += 1
            high[a, s] = high[a, s & (s - 1)] + excess[a, half + bit]
    cost = np.zeros(1 << m, np.int64)
    for s in range(1, 1 << m):
        first = True
        for a in range(m):
            if (s >> a) & 1:
                rest = s ^ (1 << a)
                value = cost[rest] + low[a, rest & (low_size - 1)] + high[a, rest >> half]
                if first or value < cost[s]:
                    cost[s] = value
                    first = False
    return cost
