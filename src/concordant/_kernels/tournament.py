"""Orders from majorities: greedy potentials, pivots, strongest paths, locked pairs.

margins[a, b] is the cost of a before b minus the cost of b before a: negative where a majority
puts a first.
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.rng import below


@kernel
def fill_greedily(margins, share, partial, first, last, stream):
    """Fill the places [first, last) of a `PartialOrder` with the items of highest potential.

    The potential of an item is the sum of what it wins against the items left. With a `share`
    above 0, the item is drawn from those whose potential is within this share of the way from the
    highest to the lowest: the restricted candidate list of GRASP.
    """
    order, left, potential = partial.order, partial.left, partial.potential
    m = order.size
    candidates = np.empty(m, np.int64)
    for place in range(first, last):
        n_left = m - place
        best = 0
        low = potential[left[0]]
        for k in range(1, n_left):
            value = potential[left[k]]
            low = min(low, value)
            if value > potential[left[best]]:
                best = k
        if share > 0.0:
            high = potential[left[best]]
            least = high - share * (high - low)
            found = 0
            for k in range(n_left):
                if potential[left[k]] >= least:
                    candidates[found] = k
                    found += 1
            best = candidates[below(stream, found)]
        a = left[best]
        order[place] = a
        # The items left keep their order, so that ties go to the lower item number.
        for k in range(best, n_left - 1):
            left[k] = left[k + 1]
        for k in range(n_left - 1):
            potential[left[k]] += margins[left[k], a]


@kernel
def pivot_sort(margins, band, order, bucket, stream):
    """Sort by majorities around random pivots; fill `order`, and the bucket of each item.

    An item goes to the side of the pivot where it costs less. Where its margin with the pivot is
    at most `band`, it shares the pivot's bucket. With a band of -1 no item does, and the side of
    an item with a margin of 0 is drawn at random.
    """
    m = order.size
    for a in range(m):
        order[a] = a
    spare = np.empty(m, np.int64)
    # A stack of ranges of `order` that are still to be sorted, the first one on top.
    starts = np.empty(2 * m + 2, np.int64)
    ends = np.empty(2 * m + 2, np.int64)
    sorted_already = np.zeros(2 * m + 2, np.bool_)
    starts[0], ends[0] = 0, m
    depth = 1
    number = 0
    while depth > 0:
        depth -= 1
        start, end = starts[depth], ends[depth]
        if end - start == 1 or sorted_already[depth]:
            for p in range(start, end):
                bucket[order[p]] = number
            number += 1
            continue
        pivot = order[start + below(stream, end - start)]
        low, high = start, end
        tied = 0
        for p in range(start, end):
            a = order[p]
            if a == pivot:
                continue
            margin = np.int64(margins[a, pivot])
            if abs(margin) <= band:
                spare[tied] = a
                tied += 1
            elif margin < 0 or (margin == 0 and below(stream, 2) == 0):
                order[low] = a
                low += 1
            else:
                # From the end of `spare`, in reverse; reversed again below.
                high -= 1
                spare[high] = a
        for p in range(high, end):
            order[p] = spare[end - 1 - (p - high)]
        order[low] = pivot
        for k in range(tied):
            order[low + 1 + k] = spare[k]
        for first, last, done in ((high, end, False), (low, high, True), (start, low, False)):
            if last > first:
                starts[depth], ends[depth], sorted_already[depth] = first, last, done
                depth += 1


@kernel
def widen_paths(paths, first, last, start, end):
    """Let paths from the items [start, end) pass through the items [first, last) (Floyd 1962).

    `paths` holds the strength of the strongest path between each pair. Several items can be
    passed in one call only where the paths start from all items.
    """
    m = paths.shape[0]
    for k in range(first, last):
        onward = paths[k]
        for a in range(start, end):
            reach = paths[a, k]
            row = paths[a]
            for b in range(m):
                row[b] = max(row[b], min(reach, onward[b]))


@kernel
def lock_pairs(winners, losers, reached, start, budget):
    """Lock pairs from `start` on, except those that would close a cycle; return the next one.

    The kernel returns after about `budget` steps, or when no pair is left.

    reached[a, b] is whether a comes before b by the pairs locked so far; it stays transitive.
    """
    m = reached.shape[0]
    work = 0
    for k in range(start, winners.size):
        if work >= budget:
            return k
        work += 1
        a, b = winners[k], losers[k]
        if reached[b, a] or reached[a, b]:
            continue
        work += m
        for x in range(m):
            if (x == a or reached[x, a]) and not reached[x, b]:
                work += m
                reached[x, b] = True
                for y in range(m):
                    reached[x, y] |= reached[b, y]
    return winners.size
