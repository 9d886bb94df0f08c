"""Rows of more than three variables for the dual ascent of weak orders.

A row is a sum of variables y[i, j], each with the sign + or -, that is at most a limit. It is kept
as `terms`: i · m + j for a variable with +, and -(i · m + j) - 1 for one with -; `lengths` has
their number. These are the kinds:

- a path through the items a, b, …, z: ab + bc + … + yz - az <= (number of items) - 2;
- four items, A: ab + ba + ac + ca + db + dc - bc - cb - da <= 3, and its reversal, with all pairs
  turned round;
- four items, B: ab + ba + ac + ca + ad + da - bc - cb - bd - db - cd - dc <= 1;
- four items, C: ab + ac + bd + cd + da - ad - bc - cb <= 2.

Here ab stands for y[a, b].
"""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.tiers_ascent import clip

PATH, FOUR_A, FOUR_A_REVERSED, FOUR_B, FOUR_C = 0, 1, 2, 3, 4
# The largest number of terms of a row, and of items of a path.
WIDTH = 12


@kernel
def set_terms(kind, items, length, m, terms):
    """Write the terms of a row; return their number and the limit."""
    if kind == PATH:
        for n in range(length - 1):
            terms[n] = items[n] * m + items[n + 1]
        terms[length - 1] = -(items[0] * m + items[length - 1]) - 1
        return length, length - 2
    a, b, c, d = items[0], items[1], items[2], items[3]
    ab, ba, ac, ca = a * m + b, b * m + a, a * m + c, c * m + a
    ad, da, bc, cb = a * m + d, d * m + a, b * m + c, c * m + b
    bd, db, cd, dc = b * m + d, d * m + b, c * m + d, d * m + c
    if kind == FOUR_C:
        terms[0], terms[1], terms[2], terms[3], terms[4] = ab, ac, bd, cd, da
        terms[5], terms[6], terms[7] = -ad - 1, -bc - 1, -cb - 1
        return 8, 2
    terms[0], terms[1], terms[2], terms[3] = ab, ba, ac, ca
    if kind == FOUR_B:
        terms[4], terms[5] = ad, da
        terms[6], terms[7], terms[8] = -bc - 1, -cb - 1, -bd - 1
        terms[9], terms[10], terms[11] = -db - 1, -cd - 1, -dc - 1
        return 12, 1
    if kind == FOUR_A:
        terms[4], terms[5], terms[8] = db, dc, -da - 1
    else:
        terms[4], terms[5], terms[8] = bd, cd, -ad - 1
    terms[6], terms[7] = -bc - 1, -cb - 1
    return 9, 3


@kernel
def set_all_terms(kinds, items, sizes, m, terms, lengths, limits):
    """Write the terms of all rows, their numbers and the limits."""
    for r in range(kinds.size):
        lengths[r], limits[r] = set_terms(kinds[r], items[r], sizes[r], m, terms[r])


@kernel
def row_step(values, n, goal):
    """Return the d nearest 0 for which the sum of clip(value - d) is `goal`."""
    total = -goal
    for t in range(n):
        total += clip(values[t])
    d = 0.0
    # The sum falls in d, with a slope that changes where a value reaches 0 or 1.
    for _ in range(4 * WIDTH):
        if abs(total) < 1e-12:
            break
        slope = 0
        corner = np.inf
        for t in range(n):
            v = values[t] - d
            if total > 0.0:
                if v > 1.0 + 1e-13:
                    corner = min(corner, v - 1.0)
                elif v > 1e-13:
                    slope += 1
                    corner = min(corner, v)
            elif v < -1e-13:
                corner = min(corner, -v)
            elif v < 1.0 - 1e-13:
                slope += 1
                corner = min(corner, 1.0 - v)
        if slope == 0 and corner == np.inf:
            break
        size = corner if slope == 0 else min(corner, abs(total) / slope)
        if total > 0.0:
            d += size
            total -= slope * size
        else:
            d -= size
            total += slope * size
    return d


@kernel
def sweep_rows(smooth, gamma, terms, lengths, limits, y, number, relax):
    """Visit the active rows in turn, once."""
    inverse = 1.0 / gamma
    flat = smooth.reshape(-1)
    values = np.empty(WIDTH)
    for r in range(number):
        n = lengths[r]
        goal = float(limits[r])
        total = 0.0
        for t in range(n):
            at = terms[r, t]
            if at >= 0:
                values[t] = 0.5 - flat[at] * inverse
            else:
                values[t] = 0.5 + flat[-at - 1] * inverse
                goal += 1.0
            total += clip(values[t])
        old = y[r]
        if old == 0.0 and total <= goal:
            continue
        new = max(0.0, old + relax * gamma * row_step(values, n, goal))
        change = new - old
        for t in range(n):
            at = terms[r, t]
            if at >= 0:
                flat[at] += change
            else:
                flat[-at - 1] -= change
        y[r] = new


@kernel
def add_rows(terms, lengths, limits, y, number, reduced):
    """Add the multipliers of rows to reduced costs; return the sum of multiplier · limit."""
    flat = reduced.reshape(-1)
    total = (y[:number] * limits[:number]).sum()
    for r in range(number):
        for t in range(lengths[r]):
            at = terms[r, t]
            if at >= 0:
                flat[at] += y[r]
            else:
                flat[-at - 1] -= y[r]
    return total


@kernel
def note(found, violations, number, kind, a, b, c, d, violation):
    """Write down a violated row where there is room; return the number of rows then."""
    if number < violations.size:
        found[number, 0] = kind
        found[number, 1] = a
        found[number, 2] = b
        found[number, 3] = c
        found[number, 4] = d
        violations[number] = violation
    return number + 1


@kernel
def search_four(x, first, last, slack, found, violations, number):
    """List violated rows of four items whose item a is in [first, last).

    Returns the number found, which may be more than there is room for. The loops skip what cannot
    be violated: y[b, c] + y[c, b] is never below 1.
    """
    m = x.shape[0]
    near = np.empty(m, np.int64)
    weight = np.empty(m)
    for a in range(first, last):
        # B: a is tied with three items that are not tied with each other.
        count = 0
        for b in range(m):
            t = x[a, b] + x[b, a]
            if b != a and t > slack + 1.0:
                near[count] = b
                weight[b] = t
                count += 1
        for p in range(count):
            b = near[p]
            for q in range(p + 1, count):
                c = near[q]
                two = weight[b] + weight[c] - x[b, c] - x[c, b]
                if two <= 1.0 + slack:
                    continue
                for r in range(q + 1, count):
                    d = near[r]
                    s = two + weight[d] - x[b, d] - x[d, b] - x[c, d] - x[d, c]
                    if s > 1.0 + slack:
                        number = note(found, violations, number, FOUR_B, a, b, c, d, s - 1.0)
        for d in range(m):
            if d == a:
                continue
            for kind in (FOUR_A, FOUR_A_REVERSED, FOUR_C):
                if kind == FOUR_A:
                    limit = 3.0 + x[d, a] + slack
                elif kind == FOUR_A_REVERSED:
                    limit = 3.0 + x[a, d] + slack
                else:
                    limit = 2.0 + x[a, d] - x[d, a] + slack
                largest = 0.0
                for b in range(m):
                    if b == a or b == d:
                        w = -1.0
                    elif kind == FOUR_A:
                        w = x[a, b] + x[b, a] + x[d, b]
                    elif kind == FOUR_A_REVERSED:
                        w = x[a, b] + x[b, a] + x[b, d]
                    else:
                        w = x[a, b] + x[b, d]
                    weight[b] = w
                    largest = max(largest, w)
                if 2.0 * largest - 1.0 <= limit:
                    continue
                count = 0
                for b in range(m):
                    if weight[b] + largest - 1.0 > limit:
                        near[count] = b
                        count += 1
                for p in range(count):
                    b = near[p]
                    for q in range(p + 1, count):
                        c = near[q]
                        s = weight[b] + weight[c] - x[b, c] - x[c, b]
                        if s > limit:
                            over = s - limit + slack
                            number = note(found, violations, number, kind, a, b, c, d, over)
    return number
