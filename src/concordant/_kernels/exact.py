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
def pays_of_subsets(excess, first, bits, pays):
    """Fill pays[a, s] with what item a costs behind the set s of the items from `first` on."""
    for a in range(excess.shape[0]):
        for s in range(1, 1 << bits):
            bit = 0
            while not (s >> bit) & 1:
                bit += 1
            pays[a, s] = pays[a, s & (s - 1)] + excess[a, first + bit]


@kernel
def subset_costs(low, high, costs, most, first, last):
    """Fill the least costs of subsets: see `concordant.reduction.subsets`.

    A set is the row of its high items and the column of its low ones. What an item costs behind
    a set is the sum of two entries: low[a, column] and high[a, row]. A row needs the rows of all
    its subsets. Taking out a high item is one vector operation on the whole row. `most` is above
    all costs.
    """
    columns = costs.shape[1]
    bits = 0
    while (1 << bits) < columns:
        bits += 1
    # The steps inside a row: the set, the item taken out, and the set without it.
    steps = bits * columns // 2
    whole = np.empty(steps, np.int32)
    item = np.empty(steps, np.int32)
    rest = np.empty(steps, np.int32)
    pays = np.empty(steps, costs.dtype)
    number = 0
    for s in range(1, columns):
        for a in range(bits):
            if (s >> a) & 1:
                whole[number], item[number], rest[number] = s, a, s ^ (1 << a)
                pays[number] = low[a, s ^ (1 << a)]
                number += 1
    for s in range(first, last):
        row = costs[s]
        row[:] = most
        if s == 0:
            row[0] = 0
        for a in range(high.shape[0] - bits):
            if (s >> a) & 1:
                before = s ^ (1 << a)
                others, here, there = costs[before], low[bits + a], high[bits + a, before]
                for column in range(columns):
                    value = others[column] + here[column] + there
                    row[column] = min(row[column], value)
        for step in range(steps):
            value = row[rest[step]] + pays[step] + high[item[step], s]
            if value < row[whole[step]]:
                row[whole[step]] = value


@kernel
def all_subset_costs(excess):
    """Return the least cost of every subset of a few items."""
    m = excess.shape[0]
    columns = min(m, 10)
    low = np.zeros((m, 1 << columns), np.int64)
    high = np.zeros((m, 1 << (m - columns)), np.int64)
    pays_of_subsets(excess, 0, columns, low)
    pays_of_subsets(excess, columns, m - columns, high)
    costs = np.empty((1 << (m - columns), 1 << columns), np.int64)
    subset_costs(low, high, costs, np.iinfo(np.int64).max, 0, costs.shape[0])
    return costs.reshape(-1)
