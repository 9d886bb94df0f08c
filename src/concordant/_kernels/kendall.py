"""Count the pairs that two rankings order in opposite ways, in O(m log m).

A rank vector maps each item to its rank: smaller is better, equal ranks are a tie, and 0 is an
unranked item.
"""

import numpy as np

from concordant._kernels.jit import kernel

# Runs of this length are sorted by insertion, which is faster than merging for short rankings.
_RUN = 16


@kernel
def sort_and_count(values, scratch):
    """Sort `values` in place and return the number of inversions.

    Equal values are not an inversion. Knight (1966) computes Kendall's tau from this count, which
    merge sort gives. `scratch` is at least as long as `values`.
    """
    n = values.size
    count = 0
    for start in range(0, n, _RUN):
        for i in range(start + 1, min(start + _RUN, n)):
            value = values[i]
            j = i
            while j > start and values[j - 1] > value:
                values[j] = values[j - 1]
                j -= 1
            values[j] = value
            count += i - j
    width = _RUN
    while width < n:
        for start in range(0, n - width, 2 * width):
            middle = start + width
            end = min(middle + width, n)
            if values[middle - 1] <= values[middle]:
                continue
            # Only the left run is copied: merging never overwrites unread values of the right run.
            for i in range(start, middle):
                scratch[i] = values[i]
            left, right, into = start, middle, start
            while left < middle and right < end:
                if values[right] < scratch[left]:
                    values[into] = values[right]
                    right += 1
                    count += middle - left
                else:
                    values[into] = scratch[left]
                    left += 1
                into += 1
            while left < middle:
                values[into] = scratch[left]
                left += 1
                into += 1
        width *= 2
    return count


@kernel
def tied_pairs(values):
    """Return how many pairs of sorted `values` are equal."""
    count = 0
    run = 0
    for i in range(1, values.size):
        run = run + 1 if values[i] == values[i - 1] else 0
        count += run
    return count


@kernel
def pair_counts(first, second):
    """Compare two rank vectors on the items that both rank.

    Returns:
        The number of pairs, and how many of them the first ties, the second ties, both tie, and
        the two order strictly in opposite ways.
    """
    common = np.flatnonzero((first != 0) & (second != 0))
    k = common.size
    # Sorted by the first ranking and, within its ties, by the second. Then all inversions of the
    # second are discordant pairs.
    common = common[np.argsort(second[common], kind="mergesort")]
    common = common[np.argsort(first[common], kind="mergesort")]
    x = first[common]
    y = second[common]
    tied_first = tied_pairs(x)
    tied_both = 0
    run = 0
    for i in range(1, k):
        run = run + 1 if x[i] == x[i - 1] and y[i] == y[i - 1] else 0
        tied_both += run
    discordant = sort_and_count(y, np.empty_like(y))
    return k * (k - 1) // 2, tied_first, tied_pairs(y), tied_both, discordant


@kernel
def distances(rank, offsets, members, buckets, unranked_last):
    """Return the extended Kendall distance of one rank vector to each of many rankings.

    Args:
        rank: Item -> rank, from 1 to at most m; 0 for an unranked item.
        offsets: Where each ranking starts in `members`, and where the last one ends.
        members: The items of all rankings, best first.
        buckets: The number of each member's bucket: equal for tied ones.
        unranked_last: Whether items that a ranking does not rank are tied behind all others;
            if not, their pairs do not count.
    """
    n = offsets.size - 1
    out = np.zeros(n, np.int64)
    longest = 0
    for r in range(n):
        longest = max(longest, offsets[r + 1] - offsets[r])
    values = np.empty(longest, rank.dtype)
    scratch = np.empty(longest, rank.dtype)
    # How many items stand strictly before each rank.
    before = np.zeros(rank.size + 2, np.int64)
    if unranked_last:
        for item in range(rank.size):
            if rank[item] > 0:
                before[rank[item] + 1] += 1
        for position in range(1, before.size):
            before[position] += before[position - 1]
    for r in range(n):
        k = 0
        bucket_start = 0
        passed = 0
        for i in range(offsets[r], offsets[r + 1]):
            if i > offsets[r] and buckets[i] != buckets[i - 1]:
                # Sorted within its bucket, a tie has no inversion.
                sort_and_count(values[bucket_start:k], scratch)
                bucket_start = k
            value = rank[members[i]]
            if value > 0:
                passed += before[value]
                values[k] = value
                k += 1
        sort_and_count(values[bucket_start:k], scratch)
        kept = values[:k]
        out[r] = sort_and_count(kept, scratch)
        if unranked_last:
            # An unranked item disagrees with each ranked item that the vector puts behind it.
            # `passed` counts all items before each ranked item; the ranked ones are subtracted.
            out[r] += passed - (k * (k - 1) // 2 - tied_pairs(kept))
    return out
