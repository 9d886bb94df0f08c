"""Checking and merging rankings, and counting their pairs.

Ranking r of a batch is `members[offsets[r]:offsets[r+1]]`, item indices best first, with
`buckets` beside it: the bucket number of each member, 0 first, never falling.
"""

from __future__ import annotations

import numpy as np

from concordant._kernels.faults import BAD_ITEM, BUCKETS_FALL, OK, TWICE
from concordant._kernels.jit import kernel


@kernel
def copy_checked(members, buckets, start, end, r, seen, new_members, new_buckets, at):
    """Copy ranking r to `at`: buckets renumbered 0, 1, 2 … and sorted inside.

    A bucket has no order inside; sorting it makes equal rankings look the same. Returns the
    fault and the item that has it.
    """
    number = np.int32(-1)
    unsorted = False
    for i in range(start, end):
        item = members[i]
        if item < 0 or item >= seen.size:
            return BAD_ITEM, np.int64(item)
        if seen[item] == r:
            return TWICE, np.int64(item)
        seen[item] = r
        if i == start or buckets[i] > buckets[i - 1]:
            number += np.int32(1)
        elif buckets[i] < buckets[i - 1]:
            return BUCKETS_FALL, np.int64(item)
        elif item < members[i - 1]:
            unsorted = True
        new_members[at + i - start] = item
        new_buckets[at + i - start] = number
    if unsorted:
        stop = at + end - start
        first = at
        for i in range(at + 1, stop + 1):
            if i == stop or new_buckets[i] != new_buckets[first]:
                if i - first > 1:
                    new_members[first:i].sort()
                first = i
    return OK, np.int64(0)


@kernel
def hash_ranking(members, buckets, start, end):
    """Hash the members and buckets of one ranking to 64 bits."""
    h = np.uint64(0x9E3779B97F4A7C15)
    for i in range(start, end):
        value = (np.uint64(buckets[i]) << np.uint64(32)) | np.uint64(members[i])
        h = (h ^ value) * np.uint64(0xBF58476D1CE4E5B9)
        h ^= h >> np.uint64(29)
    return h


@kernel
def check_and_hash(offsets, members, buckets, n_items, new_members, new_buckets, hashes):
    """Check all rankings, copy them in a canonical form, and hash them.

    Returns (fault, ranking, item) of the first fault.
    """
    seen = np.full(n_items, -1, np.int64)
    for r in range(offsets.size - 1):
        start, end = offsets[r], offsets[r + 1]
        fault, item = copy_checked(
            members, buckets, start, end, r, seen, new_members, new_buckets, start
        )
        if fault != OK:
            return fault, r, item
        hashes[r] = hash_ranking(new_members, new_buckets, start, end)
    return OK, 0, np.int64(0)


@kernel
def same_ranking(offsets, members, buckets, r, s):
    """Return whether two rankings are equal."""
    length = offsets[r + 1] - offsets[r]
    if length != offsets[s + 1] - offsets[s]:
        return False
    for i in range(length):
        first, second = offsets[r] + i, offsets[s] + i
        if members[first] != members[second] or buckets[first] != buckets[second]:
            return False
    return True


@kernel
def find_equal(offsets, members, buckets, hashes, first):
    """Give each ranking the number of the first one equal to it; return how many are distinct.

    A hash table with open addressing: an entry holds the upper half of the hash and the number
    of the ranking, counted from 1. The loop does little else, so that the processor can look up
    several rankings at the same time.
    """
    n = hashes.size
    size = 4
    while size < 2 * n:
        size *= 2
    table = np.zeros(size, np.uint64)
    half = np.uint64(32)
    upper = np.uint64(0xFFFFFFFF00000000)
    distinct = 0
    for r in range(n):
        h = hashes[r]
        slot = np.int64(h & np.uint64(size - 1))
        while True:
            entry = table[slot]
            if entry == 0:
                table[slot] = (h & upper) | np.uint64(r + 1)
                first[r] = r
                distinct += 1
                break
            if entry >> half == h >> half:
                s = np.int64(entry & ~upper) - 1
                if same_ranking(offsets, members, buckets, r, s):
                    first[r] = s
                    break
            slot = (slot + 1) & (size - 1)
    return distinct


@kernel
def merge(offsets, members, buckets, units, first):
    """Keep one of all equal rankings, with the sum of their weights; works in place."""
    number = np.empty(first.size, np.int64)
    kept = 0
    at = np.int64(0)
    start = np.int64(0)
    for r in range(first.size):
        end = offsets[r + 1]
        if first[r] == r:
            number[r] = kept
            units[kept] = units[r]
            for i in range(start, end):
                members[at] = members[i]
                buckets[at] = buckets[i]
                at += 1
            kept += 1
            offsets[kept] = at
        else:
            units[number[first[r]]] += units[r]
        start = end


@kernel
def sort_rows(ranks, top, offsets, members, buckets):
    """Sort the items of each row by rank, without those of rank 0; no rank exceeds `top`.

    A counting sort: the buckets are the ranks themselves, and tied items keep their order.
    """
    n, m = ranks.shape
    place = np.empty(top + 2, np.int64)
    offsets[0] = 0
    for r in range(n):
        place[:] = 0
        for j in range(m):
            place[ranks[r, j] + 1] += 1
        # place[1] counted the unranked items; the ranked ones start where the last row ended.
        place[1] = offsets[r]
        for rank in range(1, top + 1):
            place[rank + 1] += place[rank]
        offsets[r + 1] = place[top + 1]
        for j in range(m):
            rank = ranks[r, j]
            if rank > 0:
                members[place[rank]] = j
                buckets[place[rank]] = rank
                place[rank] += 1


@kernel
def count_sparse(offsets, members, buckets, units, which, counts):
    """Add the strict pairs of the rankings `which`, in time quadratic in their lengths."""
    for k in range(which.size):
        r = which[k]
        weight = units[r]
        end = offsets[r + 1]
        for i in range(offsets[r], end):
            a = members[i]
            bucket = buckets[i]
            for j in range(i + 1, end):
                if buckets[j] > bucket:
                    counts[a, members[j]] += weight


@kernel
def count_together(offsets, members, units, which, counts):
    """Subtract `units` from counts[a, b] and counts[b, a] for every pair ranked together."""
    for k in range(which.size):
        r = which[k]
        weight = units[r]
        for i in range(offsets[r], offsets[r + 1]):
            a = members[i]
            for j in range(i + 1, offsets[r + 1]):
                counts[a, members[j]] -= weight
                counts[members[j], a] -= weight


@kernel
def count_tied(offsets, members, buckets, units, tied):
    """Add the weight of each ranking to the pairs that it ties, in both halves of the matrix."""
    for r in range(offsets.size - 1):
        weight = units[r]
        end = offsets[r + 1]
        for i in range(offsets[r], end):
            a = members[i]
            j = i + 1
            while j < end and buckets[j] == buckets[i]:
                tied[a, members[j]] += weight
                tied[members[j], a] += weight
                j += 1


@kernel
def count_dense(ranks, units, first, last, counts):
    """Add the strict pairs of dense rank rows to the rows `first:last` of `counts`.

    One row of counts stays in the first-level cache while all rankings are added to it. The
    inner loop has no branches, so that it uses vector instructions. An unranked item has rank 0
    (no pair) or the largest rank of all (behind all others). The caller makes sure that the
    sum of `units` fits their type.
    """
    n, m = ranks.shape
    row = np.empty(m, units.dtype)
    for a in range(first, last):
        row[:] = 0
        for k in range(n):
            rank = ranks[k, a]
            if rank == 0:
                continue
            weight = units[k]
            none = weight - weight
            for x in range(m):
                row[x] += weight if ranks[k, x] > rank else none
        for x in range(m):
            counts[a, x] += row[x]


@kernel
def order_cost(counts, order):
    """Return the cost of an order: counts[b, a] summed over all a placed before b."""
    total = np.int64(0)
    for p in range(1, order.size):
        row = counts[order[p]]
        for before in range(p):
            total += row[order[before]]
    return total
