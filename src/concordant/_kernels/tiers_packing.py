"""Triples packed along a weak order: rows for the bound of many items, found without m³ steps.

price[i, j] is what the best state with y[i, j] = 1 costs more than the one with y[i, j] = 0 under the
reduced costs. Where it is negative, i wants to be before j or tied with it; where it is positive,
j wants to be before i. A triple i, j, k with price[i, j] < 0, price[j, k] < 0 and price[i, k] > 0
asks for the impossible: raising its multiplier by the least of the three raises the bound by as
much. Only triples with a pair that the weak order does not have at its cheapest state are tried.
"""

import numpy as np

from concordant._kernels.jit import kernel


@kernel
def set_prices(reduced, price, turned, first, last):
    """Fill the prices of the rows [first, last), and the transposed matrix."""
    m = reduced.shape[0]
    for i in range(first, last):
        for j in range(m):
            if i == j:
                price[i, j] = 0.0
                turned[i, j] = 0.0
                continue
            a, b = reduced[i, j], reduced[j, i]
            price[i, j] = min(a, a + b) - b
            turned[j, i] = price[i, j]


@kernel
def add(reduced, price, turned, i, j, change):
    """Change the reduced cost of y[i, j], and the prices of its pair."""
    reduced[i, j] += change
    a, b = reduced[i, j], reduced[j, i]
    price[i, j] = min(a, a + b) - b
    price[j, i] = min(b, a + b) - a
    turned[j, i] = price[i, j]
    turned[i, j] = price[j, i]


@kernel
def missed(price, bucket, found, number, first, last, slack):
    """List the ordered pairs i, j, i in [first, last), whose y the weak order has at the wrong value.

    Returns the number of pairs, which may be more than there is room for.
    """
    m = bucket.size
    for i in range(first, last):
        for j in range(m):
            if i == j:
                continue
            holds = bucket[i] <= bucket[j]
            if (price[i, j] > slack and holds) or (price[i, j] < -slack and not holds):
                if number < found.shape[0]:
                    found[number, 0] = i
                    found[number, 1] = j
                number += 1
    return number


@kernel
def pack(reduced, price, turned, pairs, at, last, slack, triples, y, number):
    """Raise the multipliers of triples with the pairs [at, last) of a list, one after the other.

    Returns the next pair and the number of triples; it stops early when there is no room for more.
    """
    m = reduced.shape[0]
    room = y.size - m
    while at < last:
        if number >= room:
            return at, number
        a, b = pairs[at, 0], pairs[at, 1]
        at += 1
        if price[a, b] > slack:
            # b wants to be before a: find a path from a to b of pairs that want to be weak.
            row, column = price[a], turned[b]
            for j in range(m):
                if row[j] < -slack and column[j] < -slack and j != a and j != b:
                    size = min(price[a, b], min(-row[j], -column[j]))
                    add(reduced, price, turned, a, j, size)
                    add(reduced, price, turned, j, b, size)
                    add(reduced, price, turned, a, b, -size)
                    triples[number, 0], triples[number, 1], triples[number, 2] = a, j, b
                    y[number] = size
                    number += 1
                    if price[a, b] <= slack:
                        break
        elif price[a, b] < -slack:
            # a wants to be before b or tied with it: find c after b that wants to be before a,
            # or c before a that b wants to be before.
            after_b, ahead_a = price[b], price[a]
            to_a, to_b = turned[a], turned[b]
            for c in range(m):
                if c == a or c == b:
                    continue
                if after_b[c] < -slack and ahead_a[c] > slack:
                    size = min(-price[a, b], min(-after_b[c], ahead_a[c]))
                    add(reduced, price, turned, a, b, size)
                    add(reduced, price, turned, b, c, size)
                    add(reduced, price, turned, a, c, -size)
                    triples[number, 0], triples[number, 1], triples[number, 2] = a, b, c
                    y[number] = size
                    number += 1
                elif to_a[c] < -slack and to_b[c] > slack:
                    size = min(-price[a, b], min(-to_a[c], to_b[c]))
                    add(reduced, price, turned, c, a, size)
                    add(reduced, price, turned, a, b, size)
                    add(reduced, price, turned, c, b, -size)
                    triples[number, 0], triples[number, 1], triples[number, 2] = c, a, b
                    y[number] = size
                    number += 1
                if price[a, b] >= -slack:
                    break
    return at, number
