"""Dual ascent over triangles: a lower bound for linear ordering that rises while it runs.

For items i < j < k the pair variables (x[i, j] = 1: i is before j) obey
0 <= x[i, j] + x[j, k] - x[i, k] <= 1: neither of the two ways round the triangle is allowed. A
triangle carries one signed multiplier y for both sides: y > 0 charges the cycle i, j, k, and
y < 0 charges i, k, j. The reduced cost of x[i, j] and of x[j, k] then grows by y, that of x[i, k]
falls by y, and the bound is

    sum of min(0, reduced cost) over all pairs  -  sum of the positive y  +  a constant.

The bound holds for every y. To find a good y, the term gamma / 2 · (x - center)² is added for each
pair. The best value of the pair is then x = clip(center - reduced cost / gamma, 0, 1), and the
best y of one triangle, with the others fixed, has a closed form (Hildreth 1957 and Dykstra 1983 for
such quadratic programs). Moving the center to x repeatedly is the proximal point method
(Rockafellar 1976): the bound converges to that of the linear program with all triangles, with a
constant gamma. An argument `smooth` holds reduced cost - gamma · (center - 1/2).

Matrices are square; only [i, j] with i < j is used. A pair that is fixed has a reduced cost far
beyond all others, so that its x stays at 0 or 1.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel

# Added to the reduced cost of a fixed pair, in units of the mean margin.
FIXED = 1e8


@kernel
def triangle_index(i, j, k):
    """Number the triangles i < j < k without gaps."""
    return k * (k - 1) * (k - 2) // 6 + j * (j - 1) // 2 + i


@kernel
def best_step(a, b, c):
    """Return the d nearest 0 for which clip(a - d), clip(b - d), clip(c - d) add up to 2.

    clip is to [0, 1]. At most one of three numbers that add up to 2 is 0, and then the others
    are 1; so either the two smaller decide (the largest is at 1), or all three do.
    """
    least = min(a, min(b, c))
    most = max(a, max(b, c))
    total = a + b + c
    middle = max(min(a, b), min(max(a, b), c))
    if middle - least >= 1.0:
        return min(max(0.0, least), middle - 1.0)
    two = 0.5 * (middle + least - 1.0)
    three = (total - 2.0) * (1.0 / 3.0)
    return two if most - two >= 1.0 else three


@kernel
def set_values(smooth, gamma, x):
    """Fill x with the smoothed values of all pairs."""
    inverse = 1.0 / gamma
    for i in range(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            x[i, j] = min(max(0.5 - smooth[i, j] * inverse, 0.0), 1.0)


@kernel
def new_multiplier(u, v, w, gamma, y, relax):
    """Return the best multiplier of a triangle of value y.

    u, v, w are the values of its pairs before clipping, in the order i j, j k, i k.
    """
    if y == 0.0:
        s = min(max(u, 0.0), 1.0) + min(max(v, 0.0), 1.0) - min(max(w, 0.0), 1.0)
        if s > 1.0:
            return max(0.0, relax * gamma * best_step(u, v, 1.0 - w))
        if s < 0.0:
            return min(0.0, -relax * gamma * best_step(1.0 - u, 1.0 - v, w))
        return 0.0
    if y > 0.0:
        return max(0.0, y + relax * gamma * best_step(u, v, 1.0 - w))
    return min(0.0, y - relax * gamma * best_step(1.0 - u, 1.0 - v, w))


@kernel
def sweep_active(smooth, gamma, triangles, y, number, passes, relax):
    """Visit the active triangles in turn, `passes` times."""
    inverse = 1.0 / gamma
    m = np.uint64(smooth.shape[0])
    flat = smooth.reshape(-1)
    for _ in range(passes):
        for t in range(number):
            i, j, k = np.uint64(triangles[t, 0]), np.uint64(triangles[t, 1]), triangles[t, 2]
            ij, ik, jk = i * m + j, i * m + np.uint64(k), j * m + np.uint64(k)
            u, v, w = flat[ij], flat[jk], flat[ik]
            old = y[t]
            new = new_multiplier(
                0.5 - u * inverse, 0.5 - v * inverse, 0.5 - w * inverse, gamma, old, relax
            )
            change = new - old
            flat[ij] = u + change
            flat[jk] = v + change
            flat[ik] = w - change
            y[t] = new


@kernel
def take_in(smooth, x, gamma, triangles, y, number, seen, i, j, k):
    """Activate a triangle unless it is active: give it a multiplier and update its pairs.

    Returns the new number of active triangles. There must be room for one more.
    """
    at = triangle_index(np.int64(i), np.int64(j), np.int64(k))
    bit = np.uint64(1) << np.uint64(at & 63)
    if seen[at >> 6] & bit:
        return number
    inverse = 1.0 / gamma
    u, v, w = smooth[i, j], smooth[j, k], smooth[i, k]
    new = new_multiplier(0.5 - u * inverse, 0.5 - v * inverse, 0.5 - w * inverse, gamma, 0.0, 1.0)
    smooth[i, j] = u + new
    smooth[j, k] = v + new
    smooth[i, k] = w - new
    x[i, j] = min(max(0.5 - smooth[i, j] * inverse, 0.0), 1.0)
    x[j, k] = min(max(0.5 - smooth[j, k] * inverse, 0.0), 1.0)
    x[i, k] = min(max(0.5 - smooth[i, k] * inverse, 0.0), 1.0)
    if new == 0.0:
        return number
    seen[at >> 6] |= bit
    triangles[number, 0] = i
    triangles[number, 1] = j
    triangles[number, 2] = k
    y[number] = new
    return number + 1


@kernel
def drop_idle(triangles, y, number, seen):
    """Drop triangles whose multiplier is zero; return how many are left."""
    kept = 0
    for t in range(number):
        if y[t] != 0.0:
            copy(triangles[t], triangles[kept])
            y[kept] = y[t]
            kept += 1
        else:
            at = triangle_index(
                np.int64(triangles[t, 0]), np.int64(triangles[t, 1]), np.int64(triangles[t, 2])
            )
            seen[at >> 6] &= ~(np.uint64(1) << np.uint64(at & 63))
    return kept


@kernel
def sweep_all(smooth, x, gamma, triangles, y, number, seen, first, last, slack):
    """Activate the violated triangles whose smallest item is in [first, last).

    A triangle that is violated by more than `slack` gets a multiplier at once. Returns the
    number of active triangles. The kernel returns early when there is no room for more.
    """
    m = x.shape[0]
    room = y.size
    for i in range(first, last):
        for j in range(i + 1, m):
            # Most pairs are in no violated triangle. A count without branches, which uses vector
            # instructions, finds the others.
            above, below = 1.0 + slack - x[i, j], -slack - x[i, j]
            near, far = x[j, j + 1 :], x[i, j + 1 :]
            candidates = np.int64(0)
            for k in range(near.size):
                difference = near[k] - far[k]
                candidates += np.int64(difference > above) + np.int64(difference < below)
            if candidates == 0:
                continue
            for k in range(j + 1, m):
                s = x[i, j] + x[j, k] - x[i, k]
                if s > 1.0 + slack or s < -slack:
                    if number >= room:
                        return number
                    number = take_in(smooth, x, gamma, triangles, y, number, seen, i, j, k)
    return number


@kernel
def dual_value(reduced, before, y, number):
    """Return the bound of the multipliers, in floating point and without its constant."""
    total = 0.0
    m = reduced.shape[0]
    for i in range(m):
        for j in range(i + 1, m):
            if before[i, j]:
                total += reduced[i, j] + FIXED
            elif not before[j, i]:
                total += min(reduced[i, j], 0.0)
    for t in range(number):
        if y[t] > 0.0:
            total -= y[t]
    return total


@kernel
def exact_sides(costs, reduced, before):
    """Sum the least cost of each pair: of its cheaper side, or of the side it is fixed to.

    Returns this sum of reduced costs, the sum of the costs of fixed pairs, and the greatest
    common divisor of the costs of free pairs.
    """
    m = costs.shape[0]
    total, offset, step = np.int64(0), np.int64(0), np.int64(0)
    for i in range(m):
        for j in range(i + 1, m):
            if before[i, j]:
                total += reduced[i, j]
                offset += costs[i, j]
            elif not before[j, i]:
                total += min(reduced[i, j], 0)
                a, b = abs(costs[i, j]), step
                if step != 1 and a != 0:
                    while b:
                        a, b = b, a % b
                    step = a
    return total, offset, step


@kernel
def sweep_free(smooth, x, gamma, triangles, y, number, seen, pairs, first, last, slack):
    """Do the same as `sweep_all` for the triangles of the free pairs [first, last) of a list."""
    m = x.shape[0]
    room = y.size
    for p in range(first, last):
        a, b = pairs[p, 0], pairs[p, 1]
        for c in range(m):
            if c == a or c == b:
                continue
            if c < a:
                i, j, k = c, a, b
            elif c < b:
                i, j, k = a, c, b
            else:
                i, j, k = a, b, c
            if not -slack <= x[i, j] + x[j, k] - x[i, k] <= 1.0 + slack:
                if number >= room:
                    return number
                number = take_in(smooth, x, gamma, triangles, y, number, seen, i, j, k)
    return number


@kernel
def mark_seen(triangles, number, seen):
    """Set the bits of the active triangles."""
    for t in range(number):
        at = triangle_index(
            np.int64(triangles[t, 0]), np.int64(triangles[t, 1]), np.int64(triangles[t, 2])
        )
        seen[at >> 6] |= np.uint64(1) << np.uint64(at & 63)


@kernel
def add_multipliers(costs, before, triangles, y, number, reduced):
    """Fill the reduced costs of the multipliers, in floating point."""
    m = costs.shape[0]
    for i in range(m):
        for j in range(i + 1, m):
            reduced[i, j] = costs[i, j]
            if before[i, j]:
                reduced[i, j] -= FIXED
            elif before[j, i]:
                reduced[i, j] += FIXED
    for t in range(number):
        i, j, k = triangles[t, 0], triangles[t, 1], triangles[t, 2]
        reduced[i, j] += y[t]
        reduced[j, k] += y[t]
        reduced[i, k] -= y[t]


@kernel
def fix_pair(before, a, b):
    """Put a before b in a transitively closed relation and close it again.

    before[a, b] = 1: a is before b. Returns False when b is before a already.
    """
    if before[b, a]:
        return False
    if before[a, b]:
        return True
    m = before.shape[0]
    for p in range(m):
        # An item that is already before b is also before all that b is before.
        if (p == a or before[p, a]) and not before[p, b]:
            before[p, b] = 1
            for q in range(m):
                before[p, q] |= before[b, q]
    return True


@kernel
def fix_by_cost(before, reduced, excess):
    """Fix the free pairs whose more expensive side costs more than `excess` above the bound.

    `reduced` and `excess` are integers. Returns how many pairs were fixed, or -1 when they
    contradict each other: then no order is cheap enough.
    """
    m = before.shape[0]
    number = 0
    known = before.copy()
    for i in range(m):
        for j in range(i + 1, m):
            cost = reduced[i, j]
            if abs(cost) <= excess or known[i, j] or known[j, i]:
                continue
            a, b = (j, i) if cost > 0 else (i, j)
            if not fix_pair(before, a, b):
                return -1
            number += 1
    return number


@kernel
def fix_by_exchange(counts, before, first, last):
    """Apply the rule of `certificate.exchange_pairs` to the items [first, last) as a, once.

    Returns how many pairs were fixed.
    """
    m = counts.shape[0]
    number = 0
    for a in range(first, last):
        for b in range(m):
            limit = 2 * (counts[a, b] - counts[b, a])
            if limit <= 0 or before[a, b]:
                continue
            harm = np.int64(0)
            for z in range(m):
                if before[z, b] or before[a, z]:
                    continue
                more = (counts[b, z] - counts[z, b]) - (counts[a, z] - counts[z, a])
                if more > 0 and z != a:
                    harm += more
                    if harm >= limit:
                        break
            if harm < limit:
                fix_pair(before, a, b)
                number += 1
    return number
