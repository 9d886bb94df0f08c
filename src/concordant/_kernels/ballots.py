"""Checking and merging rankings, and counting their pairs.

Ranking r of a batch is `members[offsets[r]:offsets[r+1]]`, item indices best first, with
`buckets` beside it: the bucket number of each member, 0 first, never falling.
"""

from __future__ import annotations

import numpy as np

from concordant._kernels.jit import kernel

OK, BAD_ITEM, TWICE, BUCKETS_FALL = 0, 1, 2, 3


@kernel
def check(offsets, members, buckets, n_items):
    """Find the first fault: (what, ranking, item). Renumbers buckets 0, 1, 2 … in place."""
    seen = np.full(n_items, -1, np.int64)
    for r in range(offsets.size - 1):
        previous = np.int32(0)
        number = np.int32(-1)
        for i in range(offsets[r], offsets[r + 1]):
            item = members[i]
            if item < 0 or item >= n_items:
                return BAD_ITEM, r, item
            if seen[item] == r:
                return TWICE, r, item
            seen[item] = r
            if number < 0 or buckets[i] > previous:
                number += np.int32(1)
            elif buckets[i] < previous:
                return BUCKETS_FALL, r, item
            previous = buckets[i]
            buckets[i] = number
    return OK, 0, 0


@kernel
def hashes(offsets, members, buckets):
    """Hash each ranking (members and buckets) to 64 bits."""
    out = np.empty(offsets.size - 1, np.uint64)
    for r in range(offsets.size - 1):
        h = np.uint64(0x9E3779B97F4A7C15)
        for i in range(offsets[r], offsets[r + 1]):
            value = (np.uint64(buckets[i]) << np.uint64(32)) | np.uint64(members[i])
            h = (h ^ value) * np.uint64(0xBF58476D1CE4E5B9)
            h ^= h >> np.uint64(29)
        out[r] = h
    return out


@kernel
def group_equal(offsets, members, buckets, hashed, by_hash):
    """Give each ranking the index of the first ranking equal to it.

    `by_hash` sorts the rankings by hash, stably. Rankings of one hash that differ stay
    apart: a collision costs a merge, never a vote.
    """
    n = offsets.size - 1
    first = np.arange(n)
    for k in range(1, n):
        r = by_hash[k]
        s = first[by_hash[k - 1]]
        if hashed[r] != hashed[s]:
            continue
        length = offsets[r + 1] - offsets[r]
        if length != offsets[s + 1] - offsets[s]:
            continue
        same = True
        for i in range(length):
            if (
                members[offsets[r] + i] != members[offsets[s] + i]
                or buckets[offsets[r] + i] != buckets[offsets[s] + i]
            ):
                same = False
                break
        if same:
            first[r] = s
    return first


@kernel
def gather(offsets, members, buckets, keep):
    """Copy the rankings `keep` into arrays of their own."""
    new_offsets = np.zeros(keep.size + 1, np.int64)
    for k in range(keep.size):
        new_offsets[k + 1] = new_offsets[k] + offsets[keep[k] + 1] - offsets[keep[k]]
    new_members = np.empty(new_offsets[-1], np.int32)
    new_buckets = np.empty(new_offsets[-1], np.int32)
    for k in range(keep.size):
        start = offsets[keep[k]] - new_offsets[k]
        for i in range(new_offsets[k], new_offsets[k + 1]):
            new_members[i] = members[start + i]
            new_buckets[i] = buckets[start + i]
    return new_offsets, new_members, new_buckets


@kernel
def count_sparse(offsets, members, buckets, units, which, counts):
    """Add the strict pairs of the rankings `which`: the cost is their lengths squared."""
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
    """Take `units` off counts[a, b] and counts[b, a] for every pair ranked together."""
    for k in range(which.size):
        r = which[k]
        weight = units[r]
        for i in range(offsets[r], offsets[r + 1]):
            a = members[i]
            for j in range(i + 1, offsets[r + 1]):
                counts[a, members[j]] -= weight
                counts[members[j], a] -= weight


@kernel
def count_dense(ranks, units, first, last, counts):
    """Add the strict pairs of dense rank rows to the rows `first:last` of `counts`.

    One row of counts stays in the nearest cache while all rankings pass over it, and the
    inner loop has one shape for all items, so that it runs on vector registers. An item
    that is not ranked has rank 0 (no pair) or the largest rank of all (behind all others).
    The caller sees to it that the sum of `units` fits their type.
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
