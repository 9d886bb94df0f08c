"""Orders from majorities: greedy potentials, pivots, strongest paths, locked pairs.

margins[a, b] is what a before b costs less what b before a costs: negative where a goes first.
"""

import numpy as np

from concordant._kernels.chance import below
from concordant._kernels.jit import kernel


@kernel
def greedy_order(margins, share, order, stream):
    """Fill `order` with the item of highest potential among those left, one place at a time.

    The potential of an item is the sum of what it wins against the items left. With a `share`
    above 0, one of the items within that share of the way from the highest potential to the
    lowest is drawn: the restricted candidate list of GRASP.
    """
    m = order.size
    potential = np.zeros(m, np.int64)
    left = np.arange(m)
    for a in range(m):
        for b in range(m):
            potential[a] -= margins[a, b]
    candidates = np.empty(m, np.int64)
    for place in range(m):
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
        # Those left keep their order, so that ties go to the lower item number.
        for k in range(best, n_left - 1):
            left[k] = left[k + 1]
        for k in range(n_left - 1):
            potential[left[k]] += margins[left[k], a]


@kernel
def pivot_sort(margins, band, order, bucket, stream):
    """Sort by majorities around random pivots; fill `order`, and `bucket` of each item.

    An item goes to the side of the pivot where it costs less. Where that is no more than
    `band`, it shares the pivot's bucket; with a band of -1 nothing does, and the side of an
    item that costs the same on both is drawn by lot.
    """
    m = order.size
    for a in range(m):
        order[a] = a
    spare = np.empty(m, np.int64)
    # Stretches of `order` still to be sorted, the first one on top.
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
                # From the end of `spare`, in reverse: they are turned round below.
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
def widen_paths(paths, first, last):
    """Let strongest paths pass through the items `first` to `last` - 1 (Floyd 1962)."""
    m = paths.shape[0]
    for k in range(first, last):
        onward = paths[k]
        for a in range(m):
            reach = paths[a, k]
            row = paths[a]
            for b in range(m):
                row[b] = max(row[b], min(reach, onward[b]))


@kernel
def lock_pairs(winners, losers, reached):
    """Lock pairs in the order given, except those that would close a cycle.

    reached[a, b] says that a comes before b by what is locked so far; it stays transitive.
    """
    m = reached.shape[0]
    for k in range(winners.size):
        a, b = winners[k], losers[k]
        if reached[b, a] or reached[a, b]:
            continue
        for x in range(m):
            if (x == a or reached[x, a]) and not reached[x, b]:
                reached[x, b] = True
                for y in range(m):
                    reached[x, y] |= reached[b, y]
