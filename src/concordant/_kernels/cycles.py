"""Dual ascent over cycles of majorities: a lower bound for wide and sparse data.

An arc from a to b has a weight: how much more b before a costs than a before b. Let z[a, b] be
1 where an order goes against the arc, and 0 elsewhere; the relaxation allows values between.
Along every cycle of arcs, the sum of z is at least 1.
With multipliers y >= 0 of cycles, the load of an arc is the sum of the y of its cycles, its slack
s is its weight less its load, and

    sum of y  +  sum of min(0, s)

is a lower bound on what an order pays beyond the cheaper side of every pair, for any y. As with
triangles (see `triangles`), each arc is smoothed by gamma / 2 · (z - center)², so that its best
value is z = clip(center - s / gamma, 0, 1) and the best y of one cycle, the others fixed, has a
closed form; with the center moved to z after each round, the bound goes to that of all cycles
known (Rockafellar 1976).

`steep` holds s / gamma - center for each arc, and -1 (so z = 1) where there is no arc. Sweeps
and the search for cycles need nothing else. A cycle is stored as the numbers a · k + b of its
arcs. Cycles that z violates are found by breadth-first search over the arcs with z = 0, stored as
rows of bits (see `packing`), and at most one arc with a fraction.
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.packing import clear_bit, common, has_bit, low_bit, set_bit

# Arcs with a larger z are not on any cycle that is worth finding.
NEARLY_ONE = 0.98
# The center of a pair that has no arc in this direction.
NO_ARC = np.float32(9.0)


@kernel
def charge(starts, items, values, reduced):
    """Charge cycles to scaled integer costs, in place, and return the total charge.

    Cycle c goes through items[starts[c]:starts[c + 1]] and back to the first. An order follows
    all of its arcs but one at most. reduced[i, j], i < j, is how much more i before j costs than
    j before i: an arc that leads to a higher number raises it by the multiplier, any other arc
    lowers it. The caller makes sure that nothing overflows.
    """
    total = np.int64(0)
    for c in range(values.size):
        y = values[c]
        total -= y
        a = items[starts[c + 1] - 1]
        for p in range(starts[c], starts[c + 1]):
            b = items[p]
            if a < b:
                reduced[a, b] += y
                total += y
            else:
                reduced[b, a] -= y
            a = b
    return total


@kernel
def best_shift(steep, arcs, first, last):
    """Return the shift that makes the values of a cycle's arcs, clipped at 0, add up to 1.

    Values that stay below 0 are left out, until no further value has to be (Michelot 1986).
    """
    total, number = 0.0, last - first
    for x in range(first, last):
        total -= steep[arcs[x]]
    shift = (1.0 - total) / number
    while True:
        total, kept = 0.0, 0
        for x in range(first, last):
            value = -steep[arcs[x]]
            if value + shift > 0.0:
                total += value
                kept += 1
        if kept == number:
            return shift
        number = kept
        shift = (1.0 - total) / number


@kernel
def sweep(steep, gamma, starts, arcs, y, first, last, relax):
    """Give the cycles in [first, last) their best multipliers, one after the other."""
    inverse = 1.0 / gamma
    for c in range(first, last):
        shift = best_shift(steep, arcs, starts[c], starts[c + 1])
        new = max(0.0, y[c] + relax * gamma * shift)
        change = np.float32((new - y[c]) * inverse)
        if change != 0.0:
            y[c] = new
            for x in range(starts[c], starts[c + 1]):
                steep[arcs[x]] -= change


@kernel
def drop_idle(starts, arcs, y, idle, number, patience):
    """Drop cycles without a multiplier for over `patience` rounds; return how many are left."""
    kept = 0
    end = 0
    for c in range(number):
        idle[c] = 0 if y[c] > 0.0 else idle[c] + 1
        if idle[c] <= patience:
            first, last = starts[c], starts[c + 1]
            starts[kept] = end
            for x in range(first, last):
                arcs[end] = arcs[x]
                end += 1
            y[kept] = y[c]
            idle[kept] = idle[c]
            kept += 1
    starts[kept] = end
    return kept


@kernel
def load(starts, arcs, y, number, steep, inverse):
    """Subtract the load of the cycles from slacks in units of gamma."""
    for c in range(number):
        change = np.float32(y[c] * inverse)
        for x in range(starts[c], starts[c + 1]):
            steep[arcs[x]] -= change


@kernel
def begin(weight, inverse, steep, center, first, last):
    """Fill the rows [first, last) of an ascent without cycles.

    An arc that the order goes against has center 1, any other arc 0. Where there is no arc, the
    center is NO_ARC, larger than any value, and the entry is skipped.
    """
    for a in range(first, last):
        for b in range(weight.shape[0]):
            if weight[a, b] > 0:
                center[a, b] = np.float32(1.0) if a > b else np.float32(0.0)
                steep[a, b] = np.float32(weight[a, b] * inverse) - center[a, b]
            else:
                center[a, b] = NO_ARC
                steep[a, b] = np.float32(-1.0)


@kernel
def recenter(steep, center, gamma, leads_to, reached_from, first, last):
    """Move the center to z in the rows [first, last); return the sum of their min(0, slack).

    Arcs with z = 0 after that are added to the sets.
    """
    below = 0.0
    for a in range(first, last):
        row, middle = steep[a], center[a]
        for b in range(row.size):
            if middle[b] < NO_ARC:
                slack = row[b] + middle[b]
                below += min(slack, np.float32(0.0))
                middle[b] = min(max(-row[b], np.float32(0.0)), np.float32(1.0))
                row[b] = slack - middle[b]
                if row[b] >= 0.0:
                    set_bit(leads_to, a, b)
                    set_bit(reached_from, b, a)
    return below * gamma


@kernel
def guide(margins, steep, rank, scale, guided, ahead, first, last):
    """Reduce the margins of the items [first, last) in proportion to z.

    rank[a] is the position of item a in the order of the ascent. A margin is multiplied by
    1 - 2 z, and by 0 from z = 1/2 on. ahead[a] is the number of items that z puts behind a, minus
    half of all items compared.
    """
    for a in range(first, last):
        total = 0.0
        for b in range(margins.shape[0]):
            margin = margins[a, b]
            z = np.float32(0.0)
            if margin < 0:
                z = min(max(-steep[rank[a], rank[b]], np.float32(0.0)), np.float32(1.0))
                total += 0.5 - z
            elif margin > 0:
                z = min(max(-steep[rank[b], rank[a]], np.float32(0.0)), np.float32(1.0))
                total -= 0.5 - z
            guided[a, b] = np.int64(margin * scale * max(np.float32(0.0), 1 - 2 * z))
        ahead[a] = total


@kernel
def overload(weight, scale, arcs, loads):
    """Return the sum of min(0, scale · weight - load) over arcs that are sorted by number."""
    total = np.int64(0)
    at = 0
    while at < arcs.size:
        arc = arcs[at]
        slack = np.int64(weight[arc]) * scale
        while at < arcs.size and arcs[at] == arc:
            slack -= loads[at]
            at += 1
        total += min(slack, 0)
    return total


@kernel
def fractions(steep, starts, tails):
    """List for each b the a with 0 < z[a, b] < NEARLY_ONE; return their total number.

    Where `tails` is too short, only `starts` is filled.
    """
    k = steep.shape[0]
    starts[:] = 0
    for a in range(k):
        for b in range(k):
            if -NEARLY_ONE < steep[a, b] < 0.0:
                starts[b + 1] += 1
    for b in range(k):
        starts[b + 1] += starts[b]
    if tails.size < starts[k]:
        return starts[k]
    filled = starts[:k].copy()
    for a in range(k):
        for b in range(k):
            if -NEARLY_ONE < steep[a, b] < 0.0:
                tails[filled[b]] = a
                filled[b] += 1
    return starts[k]


@kernel
def reach(leads_to, source, levels, seen):
    """Fill levels[l] with the positions l arcs away from a source; return the largest l."""
    words = leads_to.shape[1]
    for w in range(words):
        levels[0, w] = np.uint64(0)
        levels[1, w] = leads_to[source, w]
        seen[w] = leads_to[source, w]
    set_bit(levels, 0, source)
    seen[source >> 6] |= np.uint64(1) << np.uint64(source & 63)
    depth = 1
    while depth + 1 < levels.shape[0]:
        following = levels[depth + 1]
        for w in range(words):
            following[w] = np.uint64(0)
        for w in range(words):
            word = levels[depth, w]
            while word:
                row = leads_to[(w << 6) + low_bit(word)]
                word &= word - np.uint64(1)
                for v in range(words):
                    following[v] |= row[v]
        grown = False
        for w in range(words):
            following[w] &= ~seen[w]
            seen[w] |= following[w]
            if following[w]:
                grown = True
        if not grown:
            break
        depth += 1
    return depth


@kernel
def take(steep, leads_to, reached_from, k, gamma, slack, path, length, turned, room):
    """Give a new cycle its best multiplier, if z violates it; return the multiplier or 0.

    `path` holds the positions of the cycle, from the head of an arc to its tail. With `turned`,
    they are listed against the direction of the arcs. The numbers of the arcs go to `room`.
    """
    total = np.float32(0.0)
    flat = steep.reshape(-1)
    for x in range(length):
        a, b = path[x], path[x + 1 if x + 1 < length else 0]
        # Arcs are stored in the order in which the cycle follows them.
        at = length - 1 - x if turned else x
        room[at] = b * k + a if turned else a * k + b
        total += min(max(-flat[room[at]], np.float32(0.0)), np.float32(1.0))
    if total > 1.0 - slack:
        return 0.0
    shift = best_shift(flat, room, 0, length)
    for x in range(length):
        before = flat[room[x]]
        flat[room[x]] = before - np.float32(shift)
        if before >= 0.0 and flat[room[x]] < 0.0:
            a, b = room[x] // k, room[x] % k
            if turned:
                a, b = b, a
            clear_bit(leads_to, a, b)
            clear_bit(reached_from, b, a)
    return shift * gamma


@kernel
def separate(
    steep, gamma, slack, leads_to, reached_from, turned, heads, tails, fraction_starts,
    fraction_tails, levels, waits, round_number, at, budget, starts, arcs, y, idle, number,
):  # fmt: skip
    """Find violated cycles through the arcs that an order goes against, source by source.

    tails[heads[i]:heads[i + 1]] lists the j whose arcs from j to i the order goes against. With
    `turned`, all arcs are read backwards. A source without a cycle is skipped for a number of
    rounds that doubles each time, up to 64. Returns the next source, the number of cycles and the
    work done. The kernel also returns when there is no room for more cycles.
    """
    k = steep.shape[0]
    words = leads_to.shape[1]
    longest = levels.shape[0] + 2
    path = np.empty(longest, np.int64)
    room = np.empty(longest, np.int64)
    seen = np.empty(words, np.uint64)
    work = 0
    while at < k and work < budget:
        i = at
        if heads[i] == heads[i + 1] or waits[i, 0] > round_number:
            at += 1
            continue
        if number + heads[i + 1] - heads[i] >= y.size or (
            starts[number] + longest * (heads[i + 1] - heads[i] + 1) > arcs.size
        ):
            return at, number, work
        depth = reach(leads_to, i, levels, seen)
        work += 64 * words
        for level in range(1, depth):
            for w in range(words):
                word = levels[level, w]
                while word:
                    word &= word - np.uint64(1)
                    work += words // 4
        found = 0
        for x in range(heads[i], heads[i + 1]):
            j = np.int64(tails[x])
            own = steep[i, j] if turned else steep[j, i]
            if own <= -NEARLY_ONE:
                continue
            work += 16
            last, end = -1, -1
            if has_bit(seen, j):
                for level in range(2, depth + 1):
                    if has_bit(levels[level], j):
                        last, end = level, j
                        break
            if last < 0:
                # The last arc may have a fraction: take the best one from what arcs at zero reach.
                most = np.float32(slack - 1.0) - min(own, np.float32(0.0))
                for f in range(fraction_starts[j], fraction_starts[j + 1]):
                    a = np.int64(fraction_tails[f])
                    if has_bit(seen, a):
                        value = steep[j, a] if turned else steep[a, j]
                        if value > most:
                            most, end = value, a
                work += fraction_starts[j + 1] - fraction_starts[j]
                if end < 0 or end == i:
                    continue
                for level in range(1, depth + 1):
                    if has_bit(levels[level], end):
                        last = level
                        break
            if last < 0:
                continue
            length = last + 1
            a = end
            path[last] = a
            for back in range(last - 1, -1, -1):
                a = common(levels[back], reached_from[a], 0, words - 1, number)
                if a < 0:
                    break
                path[back] = a
            if a < 0:
                # An arc of the path is no longer at zero: try one position between the two.
                a = common(leads_to[i], reached_from[j], 0, words - 1, number)
                if a < 0:
                    continue
                path[0], path[1], path[2] = i, a, j
                length = 3
            elif end != j:
                path[length] = j
                length += 1
            new = take(steep, leads_to, reached_from, k, gamma, slack, path, length, turned, room)
            if new > 0.0:
                first = starts[number]
                for p in range(length):
                    arcs[first + p] = room[p]
                starts[number + 1] = first + length
                y[number] = new
                idle[number] = 0
                number += 1
                found += 1
                work += 32
        if found:
            waits[i, 1] = 1
        else:
            waits[i, 1] = min(2 * waits[i, 1], 64)
            waits[i, 0] = round_number + waits[i, 1]
        at += 1
    return at, number, work
