"""Pack cycles of majorities along an order: a quick lower bound for problems of any size.

Items are numbered by their positions. weight[p, q] > 0 is how much more q before p costs than p
before q: the weight of the arc from p to q. An arc with p > q is one that the order goes
against; together with a path that the order follows, it is a cycle. Each cycle takes some weight
from its arcs. Every order goes against at least one arc of each cycle, so it costs at least the
sum of the weights taken.

Sets of positions are rows of 64-bit words with one bit per position, so that a step of a
breadth-first search handles 64 positions at a time.
"""

import numpy as np

from concordant._kernels.jit import kernel


@kernel
def lay_out(margins, order, weight, first, last):
    """Fill the weights of the arcs from the positions [first, last) of an order."""
    k = order.size
    for p in range(first, last):
        row = margins[order[p]]
        for q in range(k):
            weight[p, q] = max(0, -row[order[q]])


@kernel
def survey(weight, divisor, first, last):
    """Return the sum, the number and the greatest common divisor of the weights of some rows.

    The divisor includes the one given, which is 0 for the first rows.
    """
    total, number = np.int64(0), np.int64(0)
    for p in range(first, last):
        for q in range(weight.shape[0]):
            if weight[p, q] > 0:
                a, b = np.int64(weight[p, q]), divisor
                total += a
                number += 1
                if divisor != 1:
                    while b:
                        a, b = b, a % b
                    divisor = a
    return total, number, divisor


@kernel
def low_bit(word):
    """Return the number of the lowest bit that is set."""
    bit = 0
    if not word & np.uint64(0xFFFFFFFF):
        bit += 32
        word >>= np.uint64(32)
    if not word & np.uint64(0xFFFF):
        bit += 16
        word >>= np.uint64(16)
    if not word & np.uint64(0xFF):
        bit += 8
        word >>= np.uint64(8)
    if not word & np.uint64(0xF):
        bit += 4
        word >>= np.uint64(4)
    if not word & np.uint64(0x3):
        bit += 2
        word >>= np.uint64(2)
    if not word & np.uint64(0x1):
        bit += 1
    return bit


@kernel
def set_bit(rows, p, q):
    """Add q to the set of row p."""
    rows[p, q >> 6] |= np.uint64(1) << np.uint64(q & 63)


@kernel
def clear_bit(rows, p, q):
    """Remove q from the set of row p."""
    rows[p, q >> 6] &= ~(np.uint64(1) << np.uint64(q & 63))


@kernel
def has_bit(row, q):
    """Return whether q is in a set."""
    return (row[q >> 6] >> np.uint64(q & 63)) & np.uint64(1) != 0


@kernel
def common(a, b, first, last, turn):
    """Return a position that is in both sets, between words first and last, or -1.

    The search starts at word first + turn, so that it does not always find the same position.
    """
    span = last - first + 1
    start = turn % span
    for step in range(span):
        w = start + step
        if w >= span:
            w -= span
        both = a[first + w] & b[first + w]
        if both:
            return ((first + w) << 6) + low_bit(both)
    return -1


@kernel
def forward_sets(weight, leads_to, reached_from, first, last):
    """Fill the sets of arcs that the order follows, from the positions [first, last).

    `first` is a multiple of 64: a word of `reached_from` is built from 64 rows at once.
    """
    k = weight.shape[0]
    for start in range(first, last, 64):
        end = min(start + 64, last)
        for q in range(start + 1, k):
            word = np.uint64(0)
            for p in range(start, min(end, q)):
                if weight[p, q] > 0:
                    word |= np.uint64(1) << np.uint64(p & 63)
                    set_bit(leads_to, p, q)
            reached_from[q, start >> 6] = word


@kernel
def against(weight, arcs, number, first, last):
    """List the pairs (p, q), p < q, with an arc from q to p, which the order goes against.

    The arcs start at the positions q in [first, last). Returns the new total number of pairs,
    which may be larger than `arcs`.
    """
    for q in range(first, last):
        row = weight[q]
        for p in range(q):
            if row[p] > 0:
                if number < arcs.shape[0]:
                    arcs[number, 0] = p
                    arcs[number, 1] = q
                number += 1
    return number


@kernel
def by_length(arcs, k):
    """Return arcs sorted stably by their length in places."""
    ends = np.zeros(k + 1, np.int64)
    for n in range(arcs.shape[0]):
        ends[arcs[n, 1] - arcs[n, 0] + 1] += 1
    for length in range(k):
        ends[length + 1] += ends[length]
    found = np.empty_like(arcs)
    for n in range(arcs.shape[0]):
        length = arcs[n, 1] - arcs[n, 0]
        found[ends[length]] = arcs[n]
        ends[length] += 1
    return found


@kernel
def find_path(leads_to, reached_from, p, q, levels, path, turn):
    """Find a shortest path from p to q through positions between the two.

    `path` gets the positions from p to q. Returns their number, or 0 if no path is short enough
    for the number of levels. levels[l] is the set of positions l arcs away from p.
    """
    first, last = p >> 6, q >> 6
    # One position between the two: the most frequent case, and the best.
    middle = common(leads_to[p], reached_from[q], first, last, turn)
    if middle >= 0:
        path[0], path[1], path[2] = p, middle, q
        return 3
    seen = levels[0]
    for w in range(first, last + 1):
        levels[1, w] = leads_to[p, w]
        seen[w] = leads_to[p, w]
    # Positions behind q are not between the two.
    low = np.uint64((1 << (q & 63)) - 1) if q & 63 else np.uint64(0)
    levels[1, last] &= low
    depth = 1
    while depth + 1 < levels.shape[0]:
        grown = False
        for w in range(first, last + 1):
            levels[depth + 1, w] = np.uint64(0)
        for w in range(first, last + 1):
            word = levels[depth, w]
            while word:
                x = (w << 6) + low_bit(word)
                word &= word - np.uint64(1)
                row = leads_to[x]
                for v in range(w, last + 1):
                    levels[depth + 1, v] |= row[v]
        for w in range(first, last + 1):
            levels[depth + 1, w] &= ~seen[w]
        levels[depth + 1, last] &= low
        for w in range(first, last + 1):
            if levels[depth + 1, w]:
                grown = True
            seen[w] |= levels[depth + 1, w]
        if not grown:
            return 0
        depth += 1
        x = common(levels[depth], reached_from[q], first, last, turn)
        if x >= 0:
            path[depth + 1] = q
            for back in range(depth, 0, -1):
                path[back] = x
                if back > 1:
                    x = common(levels[back - 1], reached_from[x], first, x >> 6, turn)
            path[0] = p
            return depth + 2
    return 0


@kernel
def pack(weight, leads_to, reached_from, arcs, at, levels, starts, items, values, number, budget):
    """Pack cycles for the arcs from number `at` on, until the budget of steps is used up.

    Cycle c goes through the positions items[starts[c]:starts[c + 1]], from the head of an arc
    along a path to its tail, and takes values[c] from the weight of every arc. Arcs without weight
    are removed from the sets. Returns the next arc, the number of cycles and the work done. The
    kernel also returns when there is no room for another cycle.
    """
    path = np.empty(levels.shape[0] + 2, np.int64)
    work = 0
    longest = levels.shape[0] + 2
    while at < arcs.shape[0] and work < budget:
        p, q = np.int64(arcs[at, 0]), np.int64(arcs[at, 1])
        while weight[q, p] > 0:
            if number >= values.size or starts[number] + longest > items.size:
                return at, number, work
            words = (q >> 6) - (p >> 6) + 1
            length = find_path(leads_to, reached_from, p, q, levels, path, number)
            work += words + 8 if length == 3 else 8 * words * (q - p) // 64 + words + 8
            if length == 0:
                break
            least = weight[q, p]
            for x in range(length - 1):
                least = min(least, weight[path[x], path[x + 1]])
            weight[q, p] -= least
            for x in range(length - 1):
                a, b = path[x], path[x + 1]
                weight[a, b] -= least
                if weight[a, b] == 0:
                    clear_bit(leads_to, a, b)
                    clear_bit(reached_from, b, a)
            end = starts[number]
            for x in range(length):
                items[end + x] = path[x]
            starts[number + 1] = end + length
            values[number] = least
            number += 1
        at += 1
    return at, number, work
