"""Kernels of the memetic search: children improved in slices, and a diverse choice of survivors.

Each of n workers improves every n-th child of a generation with its own random stream, so that
the generation does not depend on the number of threads.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.crossover import cpsc, merge, order_based, position_based
from concordant._kernels.descent import descend, reset_bounds
from concordant._kernels.jit import kernel
from concordant._kernels.moves import cost_by_margins, random_order, random_start, shake
from concordant._kernels.rng import below
from concordant._kernels.state import CHILD, COST, IMPROVING, ITEM, SCANNED
from concordant._kernels.sweeps import descend_in_sweeps

# How a child is made: by one of the crossovers, or by random moves.
MERGE, ORDER_BASED, CPSC, POSITION_BASED, NONE = 0, 1, 2, 3, 4
# Random moves made in place of a crossover.
_KICK = 10


@kernel
def better_of_two(costs, number, stream):
    """Draw two members and return the better one."""
    first, second = below(stream, number), below(stream, number)
    return first if costs[first] <= costs[second] else second


@kernel
def recombine(rules, members, costs, number, order, stream):
    """Fill `order` with a child of two members, or with a new start where there are none.

    Returns the work done.
    """
    m = order.size
    if number == 0:
        if rules.even:
            random_order(order, stream)
            return m
        random_start(rules.margins, order, stream)
        return m * m
    first = better_of_two(costs, number, stream)
    second = better_of_two(costs, number, stream)
    for _ in range(8):
        if second != first:
            break
        second = better_of_two(costs, number, stream)
    if rules.crossover == MERGE:
        copy(merge(rules.margins, members[first], members[second], stream), order)
        return m * m // 2
    if rules.crossover == ORDER_BASED:
        copy(order_based(members[first], members[second], stream), order)
    elif rules.crossover == CPSC:
        copy(cpsc(members[first], members[second], stream), order)
        return m * m // 2
    elif rules.crossover == POSITION_BASED:
        copy(position_based(members[first], members[second], stream), order)
    else:
        copy(members[first], order)
        shake(order, _KICK, True, stream)
    return 8 * m


@kernel
def improve(rules, members, costs, number, children, child_costs, worker, workers, state, budget):
    """Let a worker make and improve its children for about `budget` comparisons of items.

    state[CHILD] is the current child: it starts at the worker's own number and grows by `workers`.
    A child is recombined from two parents, then improved to a local optimum.
    """
    order, bounds, stream = worker.order, worker.bounds, worker.stream
    m = order.size
    work = np.int64(0)
    in_sweeps = worker.table.sums.shape[0] > 0
    while state[CHILD] < children.shape[0] and work < budget:
        if not state[IMPROVING]:
            work += recombine(rules, members, costs, number, order, stream)
            state[SCANNED] = state[ITEM] = 0
            state[IMPROVING] = 1
            if not in_sweeps:
                state[COST] = cost_by_margins(rules.margins, rules.total, order)
                work += m * m // 2
                reset_bounds(bounds)
        left = budget - work
        if in_sweeps:
            work += descend_in_sweeps(rules.margins, rules.total, worker.table, order, state, left)
        else:
            work += descend(rules.margins, bounds, order, state, left)
        if state[SCANNED] >= m:
            children[state[CHILD]] = order
            child_costs[state[CHILD]] = state[COST]
            state[CHILD] += workers
            state[IMPROVING] = 0
    return work


def resume(worker, state, cost):
    """Let a worker start from its own order, which has this cost, instead of a new child."""
    state[COST] = cost
    state[SCANNED] = state[ITEM] = 0
    reset_bounds(worker.bounds)


@kernel
def ranks_of(orders):
    """Return the rank of each item in each order, a row per order."""
    ranks = np.empty_like(orders)
    for k in range(orders.shape[0]):
        for p in range(orders.shape[1]):
            ranks[k, orders[k, p]] = p
    return ranks


@kernel
def footrule(one, other):
    """Return the sum of the distances between the ranks of all items."""
    total = np.int64(0)
    for a in range(one.size):
        total += abs(one[a] - other[a])
    return total


@kernel
def distances_from(rank, ranks, found):
    """Fill `found` with the footrule distances of many orders from one, given all their ranks."""
    for k in range(ranks.shape[0]):
        found[k] = footrule(rank, ranks[k])


@kernel
def compare(ranks, chosen, number, k, least, nearest, compared):
    """Compare order k with the chosen orders, until one is nearer than `least`."""
    while compared[k] < number and nearest[k] >= least:
        other = ranks[chosen[compared[k]]]
        nearest[k] = min(nearest[k], footrule(ranks[k], other))
        compared[k] += 1


@kernel
def survivors(orders, costs, distance, chosen):
    """Fill `chosen` with orders that are cheap and differ from each other.

    The best order comes first. Then always the cheapest whose distance to all chosen orders is
    at least `distance`; where there is none, the farthest (Segura, Botello Rionda, Hernández
    Aguirre and Valdez Peña 2015).
    """
    n = orders.shape[0]
    ranks = ranks_of(orders)
    taken = np.zeros(n, np.bool_)
    # The least distance to the chosen orders that were compared with so far. One that is too near
    # stays so, and need not be compared with more.
    nearest = np.full(n, 2**62, np.int64)
    compared = np.zeros(n, np.int64)
    for place in range(chosen.size):
        best = -1
        while best < 0:
            for k in range(n):
                far_enough = not taken[k] and nearest[k] >= distance
                if far_enough and (best < 0 or costs[k] < costs[best]):
                    best = k
            if best < 0:
                break
            compare(ranks, chosen, place, best, distance, nearest, compared)
            if nearest[best] < distance:
                best = -1
        if best < 0:
            for k in range(n):
                if not taken[k]:
                    compare(ranks, chosen, place, k, 0, nearest, compared)
                    if best < 0 or nearest[k] > nearest[best]:
                        best = k
        taken[best] = True
        chosen[place] = best
