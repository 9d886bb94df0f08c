"""Dual ascent for weak orders: a lower bound that rises while it runs.

y[i, j] = 1 where i is before j or tied with it. A weak order obeys y[i, j] + y[j, i] >= 1 for each
pair, and y[i, j] + y[j, k] - y[i, k] <= 1 for each ordered triple. Each triple has a multiplier
that is not negative. The reduced costs r then give the bound

    sum over pairs of min(r[i, j], r[j, i], r[i, j] + r[j, i])  -  sum of the multipliers,

one term for each state of the pair. As for strict orders (see `triangles`), variables are smoothed
around a center, and the best multiplier of one row, the others fixed, has a closed form. The
inequality of a pair has a multiplier too, `mu`: it shapes the smoothed values only, because
the bound takes the least of the three states anyway.

Kernels that say `smooth` take reduced cost - gamma · (center - 1/2) - mu. The value of a variable
is clip(1/2 - smooth / gamma). Diagonals of x are 1: no triple with equal items is violated then.

`states[i, j]` is a set of states: 1 for i before j, 2 for a tie, 4 for j before i.
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.triangles import FIXED, best_step

BEFORE, TIED, BEHIND = 1, 2, 4
ALL = 7


@kernel
def clip(value):
    """Bring a number into [0, 1]."""
    return min(max(value, 0.0), 1.0)


@kernel
def lay_out(reduced, states, center, gamma, mu, smooth, x):
    """Fill `smooth` and the values of all variables."""
    m = reduced.shape[0]
    for i in range(m):
        for j in range(m):
            if i == j:
                x[i, j] = 1.0
                smooth[i, j] = 0.0
                continue
            value = reduced[i, j] - gamma * (center[i, j] - 0.5) - mu[i, j]
            s = states[i, j]
            if not s & BEHIND:
                value -= FIXED
            elif s == BEHIND:
                value += FIXED
            smooth[i, j] = value
            x[i, j] = clip(0.5 - value / gamma)


@kernel
def take_up(smooth, states, center, gamma, mu, reduced):
    """Compute the reduced costs again from `smooth`: the inverse of `lay_out`."""
    m = reduced.shape[0]
    for i in range(m):
        for j in range(m):
            if i == j:
                continue
            value = smooth[i, j] + gamma * (center[i, j] - 0.5) + mu[i, j]
            s = states[i, j]
            if not s & BEHIND:
                value += FIXED
            elif s == BEHIND:
                value -= FIXED
            reduced[i, j] = value


@kernel
def set_values(smooth, gamma, x):
    """Fill x with the smoothed values of all variables."""
    m = x.shape[0]
    inverse = 1.0 / gamma
    for i in range(m):
        for j in range(m):
            x[i, j] = 1.0 if i == j else clip(0.5 - smooth[i, j] * inverse)


@kernel
def sweep_pairs(smooth, states, gamma, mu):
    """Set the multiplier of every pair to its best value."""
    m = smooth.shape[0]
    inverse = 1.0 / gamma
    for i in range(m):
        for j in range(i + 1, m):
            u, v = 0.5 - smooth[i, j] * inverse, 0.5 - smooth[j, i] * inverse
            if u < v:
                low, high = u, v
            else:
                low, high = v, u
            # The step for which both values add up to 1.
            if high - low >= 1.0:
                step = min(max(0.0, 1.0 - high), -low)
            else:
                step = 0.5 * (1.0 - u - v)
            new = mu[i, j] + gamma * step
            # Where the pair cannot be tied, they add up to 1 at most as well.
            if new < 0.0 and states[i, j] & TIED:
                new = 0.0
            change = new - mu[i, j]
            mu[i, j] = new
            mu[j, i] = new
            smooth[i, j] -= change
            smooth[j, i] -= change


@kernel
def sweep_triples(smooth, gamma, triples, y, number, relax):
    """Visit the active triples in turn, once."""
    inverse = 1.0 / gamma
    m = np.uint64(smooth.shape[0])
    flat = smooth.reshape(-1)
    step = relax * gamma
    for t in range(number):
        i, j, k = np.uint64(triples[t, 0]), np.uint64(triples[t, 1]), np.uint64(triples[t, 2])
        ij, jk, ik = i * m + j, j * m + k, i * m + k
        u, v, w = flat[ij], flat[jk], flat[ik]
        old = y[t]
        new = max(
            0.0,
            old + step * best_step(0.5 - u * inverse, 0.5 - v * inverse, 0.5 + w * inverse),
        )
        change = new - old
        flat[ij] = u + change
        flat[jk] = v + change
        flat[ik] = w - change
        y[t] = new


@kernel
def take_in(smooth, x, gamma, triples, y, number, seen, i, j, k):
    """Give a multiplier to a triple that has none; return the number of active triples then.

    Without `seen`, a triple may become active twice.
    """
    m = np.int64(x.shape[0])
    at = (np.int64(i) * m + np.int64(j)) * m + np.int64(k)
    bit = np.uint64(1) << np.uint64(at & 63)
    if seen.size and seen[at >> 6] & bit:
        return number
    inverse = 1.0 / gamma
    u, v, w = smooth[i, j], smooth[j, k], smooth[i, k]
    new = gamma * best_step(0.5 - u * inverse, 0.5 - v * inverse, 0.5 + w * inverse)
    if new <= 0.0:
        return number
    smooth[i, j] = u + new
    smooth[j, k] = v + new
    smooth[i, k] = w - new
    x[i, j] = clip(0.5 - smooth[i, j] * inverse)
    x[j, k] = clip(0.5 - smooth[j, k] * inverse)
    x[i, k] = clip(0.5 - smooth[i, k] * inverse)
    if seen.size:
        seen[at >> 6] |= bit
    triples[number, 0] = i
    triples[number, 1] = j
    triples[number, 2] = k
    y[number] = new
    return number + 1


@kernel
def search_all(smooth, x, gamma, triples, y, number, seen, first, last, slack):
    """Take in the violated triples i, j, k with i in [first, last).

    Returns the number of active triples; stops early when there is no room for more.
    """
    m = x.shape[0]
    room = y.size
    for i in range(first, last):
        far = x[i]
        for j in range(m):
            if j == i or x[i, j] <= slack:
                continue
            above = 1.0 + slack - x[i, j]
            near = x[j]
            candidates = np.int64(0)
            for k in range(m):
                candidates += np.int64(near[k] - far[k] > above)
            if candidates == 0:
                continue
            for k in range(m):
                if x[i, j] + x[j, k] - x[i, k] > 1.0 + slack and k != i and k != j:
                    if number >= room:
                        return number
                    number = take_in(smooth, x, gamma, triples, y, number, seen, i, j, k)
    return number


@kernel
def search_free(smooth, x, gamma, triples, y, number, seen, pairs, first, last, slack):
    """As `search_all`, over the triples that touch the ordered pairs [first, last) of a list."""
    m = x.shape[0]
    room = y.size
    for p in range(first, last):
        a, b = pairs[p, 0], pairs[p, 1]
        for c in range(m):
            if c == a or c == b:
                continue
            if number + 3 > room:
                return room
            if x[a, b] + x[b, c] - x[a, c] > 1.0 + slack:
                number = take_in(smooth, x, gamma, triples, y, number, seen, a, b, c)
            if x[c, a] + x[a, b] - x[c, b] > 1.0 + slack:
                number = take_in(smooth, x, gamma, triples, y, number, seen, c, a, b)
            if x[a, c] + x[c, b] - x[a, b] > 1.0 + slack:
                number = take_in(smooth, x, gamma, triples, y, number, seen, a, c, b)
    return number


@kernel
def mark_seen(triples, number, seen, m):
    """Set the bits of the active triples."""
    for t in range(number):
        at = (np.int64(triples[t, 0]) * m + np.int64(triples[t, 1])) * m + np.int64(triples[t, 2])
        seen[at >> 6] |= np.uint64(1) << np.uint64(at & 63)


@kernel
def drop_idle(triples, y, number, seen, m):
    """Remove the triples whose multiplier is zero; return the number of those left.

    `seen` may be empty where nobody looks for violated triples.
    """
    kept = 0
    for t in range(number):
        if y[t] > 0.0:
            triples[kept] = triples[t]
            y[kept] = y[t]
            kept += 1
        elif seen.size:
            at = (np.int64(triples[t, 0]) * m + np.int64(triples[t, 1])) * m
            at += np.int64(triples[t, 2])
            seen[at >> 6] &= ~(np.uint64(1) << np.uint64(at & 63))
    return kept


@kernel
def add_triples(triples, y, number, reduced):
    """Add the multipliers of triples to reduced costs; return their sum."""
    total = y[:number].sum()
    for t in range(number):
        i, j, k = triples[t, 0], triples[t, 1], triples[t, 2]
        reduced[i, j] += y[t]
        reduced[j, k] += y[t]
        reduced[i, k] -= y[t]
    return total


@kernel
def dual_value(reduced, states):
    """Return the sum over pairs of the cheapest state that is allowed."""
    total = 0.0
    m = reduced.shape[0]
    for i in range(m):
        for j in range(i + 1, m):
            a, b, s = reduced[i, j], reduced[j, i], states[i, j]
            least = 1e300
            if s & BEFORE:
                least = a
            if s & TIED:
                least = min(least, a + b)
            if s & BEHIND:
                least = min(least, b)
            total += least
    return total


@kernel
def divisor(a, b):
    """Return the greatest common divisor of two integers."""
    a, b = abs(a), abs(b)
    while b:
        a, b = b, a % b
    return a


@kernel
def exact_states(alpha, reduced, states):
    """Do the same in integers, and find out which costs are possible.

    Returns the sum of the cheapest states, and (offset, step): every cost is offset plus a
    multiple of step.
    """
    m = alpha.shape[0]
    total, offset, step = np.int64(0), np.int64(0), np.int64(0)
    largest = np.iinfo(np.int64).max
    for i in range(m):
        for j in range(i + 1, m):
            a, b, s = reduced[i, j], reduced[j, i], states[i, j]
            p, q = alpha[i, j], alpha[j, i]
            least = largest
            first, known = np.int64(0), False
            if s & BEFORE:
                least = a
                first, known = p, True
            if s & TIED:
                least = min(least, a + b)
                if known:
                    step = divisor(step, q)
                else:
                    first, known = p + q, True
            if s & BEHIND:
                least = min(least, b)
                if known:
                    step = divisor(step, q - first)
                else:
                    first = q
            total += least
            offset += first
    return total, offset, step


@kernel
def mirrored(state):
    """Return a set of states as the other item of the pair sees it."""
    return ((state & BEFORE) << 2) | (state & TIED) | ((state & BEHIND) >> 2)


@kernel
def restrict(states, a, b, allowed, stack):
    """Leave a pair only the states that are allowed, and draw all conclusions.

    If p is before a or tied with it, a before b or tied, b before q or tied, then so is p with q;
    strictly where one of the three is. Returns False where a pair has no state left; `states` is of
    no use then. `stack` is room for m² + 2 pairs.
    """
    m = states.shape[0]
    new = states[a, b] & allowed
    if new == states[a, b]:
        return True
    states[a, b] = new
    states[b, a] = mirrored(new)
    if new == 0:
        return False
    # Pairs of which the first is known to be before the second or tied with it.
    number = 0
    if not new & BEHIND:
        stack[number, 0], stack[number, 1] = a, b
        number += 1
    if not new & BEFORE:
        stack[number, 0], stack[number, 1] = b, a
        number += 1
    while number:
        number -= 1
        c, d = stack[number, 0], stack[number, 1]
        strict_cd = states[c, d] == BEFORE
        for p in range(m):
            if p != c and states[p, c] & BEHIND:
                continue
            strict_pd = strict_cd or (p != c and states[p, c] == BEFORE)
            for q in range(m):
                if q != d and states[d, q] & BEHIND:
                    continue
                strict = strict_pd or (q != d and states[d, q] == BEFORE)
                if q == p:
                    if strict:
                        return False
                    continue
                old = states[p, q]
                new = old & (BEFORE if strict else BEFORE | TIED)
                if new == old:
                    continue
                if new == 0:
                    return False
                states[p, q] = new
                states[q, p] = mirrored(new)
                # A pair that cannot be tied is strict now, which is more than was concluded.
                if new == BEFORE and not strict:
                    stack[number, 0], stack[number, 1] = p, q
                    number += 1
    return True


@kernel
def drop_by_cost(states, reduced, excess, stack):
    """Drop the states that cost more than `excess` above the cheapest one of their pair.

    `reduced` and `excess` are integers. Returns the number of pairs that lost a state this way, or
    -1 when nothing is left: no weak order is cheap enough.
    """
    m = states.shape[0]
    number = 0
    known = states.copy()
    for i in range(m):
        for j in range(i + 1, m):
            s = known[i, j]
            if s == BEFORE or s == TIED or s == BEHIND:
                continue
            a, b = reduced[i, j], reduced[j, i]
            least = np.iinfo(np.int64).max
            if s & BEFORE:
                least = a
            if s & TIED:
                least = min(least, a + b)
            if s & BEHIND:
                least = min(least, b)
            kept = 0
            if s & BEFORE and a - least <= excess:
                kept |= BEFORE
            if s & TIED and a + b - least <= excess:
                kept |= TIED
            if s & BEHIND and b - least <= excess:
                kept |= BEHIND
            if kept != s:
                if not restrict(states, i, j, kept, stack):
                    return -1
                number += 1
    return number
