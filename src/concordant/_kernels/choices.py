"""Rankings as sequences of choices, for the Plackett–Luce model."""

import numpy as np

from concordant._kernels.jit import kernel


@kernel
def add_choices(offsets, members, buckets, units, local, strength, chain):
    """Add to `chain` the rates at which each item loses to those chosen before it.

    A ranking is a sequence of choices: its best item is chosen from all, the next one from those
    left. A tied item is chosen from itself and all items behind its bucket. `local` numbers the
    items of one group; items outside the group have -1 and are skipped.
    """
    for r in range(offsets.size - 1):
        if units[r] == 0:
            continue
        start, end = offsets[r], offsets[r + 1]
        behind = 0.0
        i = end
        while i > start:
            # The bucket that ends before i.
            first = i - 1
            while first > start and buckets[first - 1] == buckets[i - 1]:
                first -= 1
            for k in range(first, i):
                a = local[members[k]]
                if a < 0 or behind == 0.0:
                    continue
                rate = units[r] / (behind + strength[a])
                for j in range(i, end):
                    b = local[members[j]]
                    if b >= 0:
                        chain[b, a] += rate
            for k in range(first, i):
                a = local[members[k]]
                if a >= 0:
                    behind += strength[a]
            i = first


@kernel
def chosen_and_left(offsets, members, buckets, units, group, strength, chosen, left):
    """Sum up, for each item, the weight of its choices and the rates of all choices it was in.

    A choice is among items of one group. chosen / left is the next strength of an item in the MM
    algorithm (Hunter 2004). The time is linear in the number of entries of the rankings.
    """
    behind = np.zeros(group.size)
    rates = np.zeros(members.size)
    chosen[:] = 0.0
    left[:] = 0.0
    for r in range(offsets.size - 1):
        start, end = offsets[r], offsets[r + 1]
        if units[r] == 0:
            continue
        i = end
        while i > start:
            first = i - 1
            while first > start and buckets[first - 1] == buckets[i - 1]:
                first -= 1
            for k in range(first, i):
                a = members[k]
                rates[k] = 0.0
                if behind[group[a]] > 0.0:
                    rates[k] = units[r] / (behind[group[a]] + strength[a])
                    chosen[a] += units[r]
            for k in range(first, i):
                behind[group[members[k]]] += strength[members[k]]
            i = first
        for k in range(start, end):
            behind[group[members[k]]] = 0.0
        # From the front, the same array holds the sums of the rates so far.
        i = start
        while i < end:
            last = i + 1
            while last < end and buckets[last] == buckets[i]:
                last += 1
            for k in range(i, last):
                left[members[k]] += behind[group[members[k]]] + rates[k]
            for k in range(i, last):
                behind[group[members[k]]] += rates[k]
            i = last
        for k in range(start, end):
            behind[group[members[k]]] = 0.0


@kernel
def add_curvature(offsets, members, buckets, units, local, strength, curvature):
    """Add to `curvature` the negative second derivatives of the log-likelihood.

    They are those in the logarithms of the strengths; see `add_choices` for the choices. In each
    choice, item x has the probability p = strength / sum. The choice adds p (1 - p) to the entry of
    x, and -p q to that of x and another item with probability q. Items in the same later bucket
    share all choices of the earlier ones, so their sums are kept.
    """
    for r in range(offsets.size - 1):
        if units[r] == 0:
            continue
        start, end = offsets[r], offsets[r + 1]
        rates = np.zeros(end - start)
        behind = 0.0
        i = end
        while i > start:
            first = i - 1
            while first > start and buckets[first - 1] == buckets[i - 1]:
                first -= 1
            for k in range(first, i):
                a = local[members[k]]
                if a >= 0 and behind > 0.0:
                    rates[k - start] = 1 / (behind + strength[a])
            for k in range(first, i):
                a = local[members[k]]
                if a >= 0:
                    behind += strength[a]
            i = first
        # From the front: the sums over all choices before a bucket.
        once, squared = 0.0, 0.0
        i = start
        while i < end:
            last = i + 1
            while last < end and buckets[last] == buckets[i]:
                last += 1
            for k in range(i, last):
                a = local[members[k]]
                if a < 0:
                    continue
                rate = rates[k - start]
                own = strength[a]
                total = once + rate
                square = squared + rate * rate
                curvature[a, a] += units[r] * (own * total - own * own * square)
                # Items of the same bucket share the choices before it only.
                for j in range(k + 1, end):
                    b = local[members[j]]
                    if b < 0:
                        continue
                    shared = squared if j < last else square
                    change = units[r] * own * strength[b] * shared
                    curvature[a, b] -= change
                    curvature[b, a] -= change
            for k in range(i, last):
                rate = rates[k - start]
                once += rate
                squared += rate * rate
            i = last
