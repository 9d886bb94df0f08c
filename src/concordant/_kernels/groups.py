"""For grouping voters: best orders of a few items, and sums and distances of many ballots.

A ballot is a row of signs: 1, 0 or -1 for each pair (a, b), a < b.
"""

import numpy as np

from concordant._kernels.jit import kernel


@kernel
def majority_order(margins, m, order):
    """Fill `order` if the majorities form one and none is a tie; return whether they do."""
    losses = np.zeros(m, np.int64)
    pair = 0
    for a in range(m):
        for b in range(a + 1, m):
            if margins[pair] == 0:
                return False
            losses[b if margins[pair] > 0 else a] += 1
            pair += 1
    # The numbers of losses are 0, 1, 2 … if and only if there is no cycle.
    order[:] = -1
    for a in range(m):
        if order[losses[a]] >= 0:
            return False
        order[losses[a]] = a
    return True


@kernel
def best_order(margins, m, order):
    """Fill `order` with a best order of m items, given the margin of each pair (a, b), a < b.

    If the majorities form an order, this is it. Otherwise a dynamic program over subsets finds a
    best one: the cheapest order of a set ends in some item, its cost is that of the rest, and what
    it costs to have all others before this item (Held and Karp 1962).
    """
    if majority_order(margins, m, order):
        return
    full = 1 << m
    # pay[a, S]: what it costs to have all items of S before a.
    pay = np.zeros((m, full), np.int64)
    excess = np.zeros((m, m), np.int64)
    pair = 0
    for a in range(m):
        for b in range(a + 1, m):
            if margins[pair] > 0:
                excess[b, a] = margins[pair]
            else:
                excess[a, b] = -margins[pair]
            pair += 1
    for a in range(m):
        for chosen in range(1, full):
            low = 0
            while not (chosen >> low) & 1:
                low += 1
            pay[a, chosen] = pay[a, chosen & (chosen - 1)] + excess[low, a]
    cost = np.zeros(full, np.int64)
    last = np.zeros(full, np.int8)
    for chosen in range(1, full):
        best = np.int64(2**62)
        for a in range(m):
            if (chosen >> a) & 1:
                rest = chosen ^ (1 << a)
                value = cost[rest] + pay[a, rest]
                if value < best:
                    best = value
                    last[chosen] = a
        cost[chosen] = best
    chosen = full - 1
    for place in range(m - 1, -1, -1):
        order[place] = last[chosen]
        chosen ^= 1 << last[chosen]


@kernel
def add_up(signs, units, labels, margins):
    """Add the signs of each ballot, times its weight, to the margins of its group."""
    for i in range(signs.shape[0]):
        total = margins[labels[i]]
        for pair in range(signs.shape[1]):
            total[pair] += units[i] * signs[i, pair]


@kernel
def distances_from(signs, centres, distances):
    """Fill the number of pairs that each ballot orders in the opposite way to each centre."""
    for i in range(signs.shape[0]):
        for g in range(centres.shape[0]):
            against = 0
            for pair in range(signs.shape[1]):
                against += (signs[i, pair] * centres[g, pair]) < 0
            distances[i, g] = against


@kernel
def shares_against(signs, centre, shares):
    """Fill the share of the pairs that a ballot and another one order, in which they differ.

    It is 1/2 if there are none.
    """
    for i in range(signs.shape[0]):
        both = 0
        against = 0
        for pair in range(signs.shape[1]):
            product = signs[i, pair] * centre[pair]
            both += product != 0
            against += product < 0
        shares[i] = against / both if both else 0.5
