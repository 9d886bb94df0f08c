"""Paths packed along a weak order: rows for the bound of many items, found without m³ steps.

Items are numbered along a weak order, so `bucket` never falls. price[i, j] is what the best state
with y[i, j] = 1 costs more than the best one with y[i, j] = 0, under the reduced costs. There is

- a weak arc from i to j where it is negative: i wants to be before j or tied with it;
- a strict arc from j to i where it is positive: j wants to be before i.

A cycle of weak arcs and one strict arc asks for the impossible. Raising the multiplier of its row
by the least price raises the bound by as much. The weak order must follow all arcs of a cycle but
one: then its row is tight for it.

Sets of items are bits in rows of 64-bit words, as in `packing`.
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.packing import clear_bit, common, low_bit, set_bit


@kernel
def set_price(reduced, bucket, slack, price, weak, weak_from, strict, strict_from, i, j):
    """Compute the price of y[i, j], and the arc that follows from it."""
    a, b = reduced[i, j], reduced[j, i]
    value = min(a, a + b) - b
    price[i, j] = value
    if bucket[i] <= bucket[j]:
        if value < -slack:
            set_bit(weak, i, j)
            set_bit(weak_from, j, i)
        else:
            clear_bit(weak, i, j)
            clear_bit(weak_from, j, i)
    if bucket[j] < bucket[i]:
        if value > slack:
            set_bit(strict, j, i)
            set_bit(strict_from, i, j)
        else:
            clear_bit(strict, j, i)
            clear_bit(strict_from, i, j)


@kernel
def set_prices(reduced, bucket, slack, price, weak, weak_from, strict, strict_from, first, last):
    """Compute the prices of the rows [first, last)."""
    for i in range(first, last):
        for j in range(reduced.shape[0]):
            if i != j:
                set_price(reduced, bucket, slack, price, weak, weak_from, strict, strict_from, i, j)
            else:
                price[i, j] = 0.0


@kernel
def missed(price, bucket, found, number, first, last, slack):
    """List the ordered pairs i, j, i in [first, last), whose y is wrong in the weak order.

    Returns the number of pairs, which may be more than there is room for.
    """
    m = bucket.size
    for i in range(first, last):
        for j in range(m):
            holds = bucket[i] <= bucket[j]
            if (price[i, j] > slack and holds) or (price[i, j] < -slack and not holds):
                if number < found.shape[0]:
                    found[number, 0] = i
                    found[number, 1] = j
                number += 1
    return number


@kernel
def spread(source, rows, first, last, target):
    """Add to a set all items that the items of another lead to."""
    for w in range(first, last + 1):
        word = source[w]
        while word:
            row = rows[(w << 6) + low_bit(word)]
            word &= word - np.uint64(1)
            for v in range(first, last + 1):
                target[v] |= row[v]


@kernel
def find_path(weak, weak_from, a, b, levels, seen, path, turn):
    """Find a shortest path of weak arcs from a to b; return the number of its items, or 0.

    It has two arcs at least, and as many as there are levels at most.
    """
    first, last = min(a, b) >> 6, max(a, b) >> 6
    middle = common(weak[a], weak_from[b], first, last, turn)
    if middle >= 0:
        path[0], path[1], path[2] = a, middle, b
        return 3
    for w in range(first, last + 1):
        levels[1, w] = weak[a, w]
        seen[w] = weak[a, w]
    clear_bit(levels[1:2], 0, a)
    for depth in range(1, levels.shape[0] - 1):
        for w in range(first, last + 1):
            levels[depth + 1, w] = np.uint64(0)
        spread(levels[depth], weak, first, last, levels[depth + 1])
        grown = False
        for w in range(first, last + 1):
            levels[depth + 1, w] &= ~seen[w]
            seen[w] |= levels[depth + 1, w]
            if levels[depth + 1, w]:
                grown = True
        if not grown:
            return 0
        x = common(levels[depth + 1], weak_from[b], first, last, turn)
        if x >= 0:
            path[depth + 2] = b
            for back in range(depth + 1, 0, -1):
                path[back] = x
                if back > 1:
                    x = common(levels[back - 1], weak_from[x], first, last, turn)
            path[0] = a
            return depth + 3
    return 0


@kernel
def find_cycle(weak, weak_from, strict, strict_from, a, b, levels, after, path, turn):
    """Find a way from b to a with one strict arc; return the number of items of the row, or 0.

    The row is the path of weak arcs from the end of the strict arc over a and b to its start.
    levels[d] are the items that d weak arcs lead to from b; after[d] are those that d arcs lead to,
    one of which is strict.
    """
    first, last = min(a, b) >> 6, max(a, b) >> 6
    for w in range(first, last + 1):
        levels[0, w] = np.uint64(0)
        after[0, w] = np.uint64(0)
    set_bit(levels, 0, b)
    for depth in range(1, levels.shape[0]):
        # Is a reached by one more arc? It takes two at least.
        reached = depth > 1 and (
            common(levels[depth - 1], strict_from[a], first, last, turn) >= 0
            or common(after[depth - 1], weak_from[a], first, last, turn) >= 0
        )
        if reached:
            # Walk back from a: over weak arcs up to the strict one, then again over weak ones.
            path[0] = a
            n, x, d, used = 1, a, depth, False
            while d > 0:
                if used:
                    x = common(levels[d - 1], weak_from[x], first, last, turn)
                else:
                    back = common(levels[d - 1], strict_from[x], first, last, turn)
                    if back >= 0:
                        used = True
                        cut = n
                        x = back
                    else:
                        x = common(after[d - 1], weak_from[x], first, last, turn)
                path[n] = x
                n += 1
                d -= 1
            # path: a, …, end of the strict arc | its start, …, b, all against the arcs.
            turned = np.empty(n, np.int64)
            for k in range(cut):
                turned[k] = path[cut - 1 - k]
            for k in range(cut, n):
                turned[k] = path[n - 1 - (k - cut)]
            for k in range(n):
                path[k] = turned[k]
            return n
        if depth == levels.shape[0] - 1:
            break
        for w in range(first, last + 1):
            levels[depth, w] = np.uint64(0)
            after[depth, w] = np.uint64(0)
        spread(levels[depth - 1], strict, first, last, after[depth])
        spread(after[depth - 1], weak, first, last, after[depth])
        spread(levels[depth - 1], weak, first, last, levels[depth])
    return 0


@kernel
def pack(
    reduced,
    bucket,
    slack,
    price,
    weak,
    weak_from,
    strict,
    strict_from,
    pairs,
    at,
    depth,
    items,
    sizes,
    y,
    number,
    budget,
):
    """Take cycles for the pairs from number `at` on, until the budget of steps is used up.

    `depth` is the largest number of arcs between the two items. Returns the next pair, the number
    of rows and the work done; it also stops when there is no room for more rows.
    """
    words = weak.shape[1]
    levels = np.zeros((depth + 1, words), np.uint64)
    after = np.zeros((depth + 1, words), np.uint64)
    seen = np.zeros(words, np.uint64)
    path = np.empty(2 * depth + 4, np.int64)
    work = 0
    while at < pairs.shape[0] and work < budget:
        a, b = np.int64(pairs[at, 0]), np.int64(pairs[at, 1])
        span = (abs(a - b) >> 6) + 1
        while abs(price[a, b]) > slack:
            if number >= y.size:
                return at, number, work
            if price[a, b] > 0.0:
                n = find_path(weak, weak_from, a, b, levels[:depth], seen, path, number)
                size = price[a, b]
                work += 60 + span * (2 if n == 3 or depth == 2 else 4 * abs(a - b) + 64)
            else:
                n = find_cycle(
                    weak, weak_from, strict, strict_from, a, b, levels, after, path, number
                )
                size = -price[a, b]
                work += 60 + span * (6 if depth == 2 else 8 * abs(a - b) + 64)
            if n == 0:
                break
            for k in range(n - 1):
                size = min(size, -price[path[k], path[k + 1]])
            size = min(size, price[path[0], path[n - 1]])
            for k in range(n):
                if k < n - 1:
                    i, j, change = path[k], path[k + 1], size
                else:
                    i, j, change = path[0], path[n - 1], -size
                reduced[i, j] += change
                set_price(reduced, bucket, slack, price, weak, weak_from, strict, strict_from, i, j)
                set_price(reduced, bucket, slack, price, weak, weak_from, strict, strict_from, j, i)
            for k in range(n):
                items[number, k] = path[k]
            sizes[number] = n
            y[number] = size
            number += 1
        at += 1
    return at, number, work
