"""Group the rows of a table into rankings."""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel


@kernel
def number_keys(keys):
    """Number the keys in order of appearance; return a code per row and each key's first row."""
    codes = np.empty(keys.size, np.int32)
    rows = np.empty(keys.size, np.int64)
    known = np.empty(keys.size, np.uint64)
    found = 0
    # The table grows with its content, so that a few names fit into the first-level cache.
    size = 1024
    slots = np.full(size, -1, np.int32)
    for i in range(keys.size):
        if 2 * found >= size:
            size *= 4
            slots = np.full(size, -1, np.int32)
            for code in range(found):
                slot = first_slot(known[code], size)
                while slots[slot] >= 0:
                    slot = (slot + 1) & (size - 1)
                slots[slot] = code
        key = keys[i]
        slot = first_slot(key, size)
        while slots[slot] >= 0 and known[slots[slot]] != key:
            slot = (slot + 1) & (size - 1)
        if slots[slot] < 0:
            slots[slot] = found
            rows[found] = i
            known[found] = key
            found += 1
        codes[i] = slots[slot]
    return codes, rows[:found].copy()


@kernel
def first_slot(key, size):
    """Return the first slot to check for a key in a table of `size` slots."""
    # The upper bits of the product depend on all bits of the key.
    mixed = (key * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(32)
    return np.int64(mixed & np.uint64(size - 1))


@kernel
def arrange(voters, items, ranks, n_voters, n_items):
    """Arrange rows (voter, item, rank) as rankings, best first.

    Rows of item -1 are left out. Rows of rank NaN are left out too, after the check that the
    voter has the item only once. Returns the voter and the item of the first repetition, or -1
    and -1; then offsets, members and buckets.
    """
    offsets = np.zeros(n_voters + 1, np.int64)
    for i in range(voters.size):
        if items[i] >= 0:
            offsets[voters[i] + 1] += 1
    for v in range(n_voters):
        offsets[v + 1] += offsets[v]
    place = offsets[:-1].copy()
    members = np.empty(offsets[-1], np.int32)
    keys = np.empty(offsets[-1], np.float64)
    for i in range(voters.size):
        if items[i] >= 0:
            v = voters[i]
            members[place[v]] = items[i]
            keys[place[v]] = ranks[i]
            place[v] += 1

    buckets = np.empty(members.size, np.int32)
    seen = np.full(n_items, -1, np.int64)
    filled = 0
    start = 0
    for v in range(n_voters):
        begin = filled
        end = offsets[v + 1]
        ordered = True
        for i in range(start, end):
            item = members[i]
            if seen[item] == v:
                return v, item, (offsets, members, buckets)
            seen[item] = v
            if not np.isnan(keys[i]):
                members[filled] = item
                keys[filled] = keys[i]
                if filled > begin and keys[filled - 1] > keys[filled]:
                    ordered = False
                filled += 1
        start = end
        if not ordered:
            sort_by_key(keys[begin:filled], members[begin:filled])
        bucket = np.int32(0)
        for i in range(begin, filled):
            if i > begin and keys[i] != keys[i - 1]:
                bucket += np.int32(1)
            buckets[i] = bucket
        offsets[v + 1] = filled
    return -1, -1, (offsets, members[:filled], buckets[:filled])


@kernel
def sort_by_key(keys, members):
    """Sort keys with their members, in place and stably."""
    if keys.size > 50:
        by_key = np.argsort(keys, kind="mergesort")
        copy(keys[by_key], keys)
        copy(members[by_key], members)
        return
    for i in range(1, keys.size):
        key = keys[i]
        member = members[i]
        j = i - 1
        while j >= 0 and keys[j] > key:
            keys[j + 1] = keys[j]
            members[j + 1] = members[j]
            j -= 1
        keys[j + 1] = key
        members[j + 1] = member
