"""Rankings read as repeated choices: the Markov chain of spectral ranking."""

from concordant._kernels.jit import kernel


@kernel
def add_choices(offsets, members, buckets, units, local, strength, chain):
    """Add the rates at which each item loses to those chosen before it to `chain`.

    A ranking is a row of choices: its best item is chosen from all, the next one from those
    left. A tied item is chosen from itself and all behind its bucket. `local` numbers the items
    of the part that is looked at; items outside it have -1 and are skipped.
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
