"""One generation of a genetic algorithm on orders."""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.crossover import order as order_crossover
from concordant._kernels.crossover import order_based, position_based
from concordant._kernels.jit import kernel
from concordant._kernels.moves import cost_by_margins, move, random_order
from concordant._kernels.rng import below, draw

POSITION_BASED, ORDER, ORDER_BASED = 0, 1, 2
INSERTION, DISPLACEMENT, INVERSION = 0, 1, 2


@kernel
def mutate(order, kind, stream):
    """Change an order: move an item, move a stretch of items, or reverse a stretch."""
    m = order.size
    p, q = below(stream, m), below(stream, m)
    if kind == INSERTION:
        move(order, p, q, True)
        return
    if p > q:
        p, q = q, p
    if kind == INVERSION:
        while p < q:
            order[p], order[q] = order[q], order[p]
            p += 1
            q -= 1
        return
    stretch = order[p : q + 1].copy()
    rest = np.empty(m - stretch.size, order.dtype)
    copy(order[:p], rest)
    copy(order[q + 1 :], rest[p:])
    at = below(stream, rest.size + 1)
    copy(rest[:at], order)
    copy(stretch, order[at:])
    copy(rest[at:], order[at + stretch.size :])


@kernel
def draw_members(margins, total, orders, costs, stream):
    """Fill in random orders and their costs."""
    for k in range(costs.size):
        random_order(orders[k], stream)
        costs[k] = cost_by_margins(margins, total, orders[k])


@kernel
def tournament(costs, size, stream):
    """Draw some members and return the best of them."""
    best = below(stream, costs.size)
    for _ in range(size - 1):
        k = below(stream, costs.size)
        if costs[k] < costs[best]:
            best = k
    return best


@kernel
def breed(rules, members, costs, children, child_costs, stream):
    """Make children of the members by crossover and mutation, and evaluate them."""
    for k in range(child_costs.size):
        one = members[tournament(costs, rules.tournament, stream)]
        other = members[tournament(costs, rules.tournament, stream)]
        kind = rules.crossover if rules.crossover >= 0 else below(stream, 3)
        if kind == POSITION_BASED:
            children[k] = position_based(one, other, stream)
        elif kind == ORDER:
            children[k] = order_crossover(one, other, stream)
        else:
            children[k] = order_based(one, other, stream)
        if (draw(stream) >> np.uint64(32)) < np.uint64(rules.mutated):
            kind = rules.mutation if rules.mutation >= 0 else below(stream, 3)
            mutate(children[k], kind, stream)
        child_costs[k] = cost_by_margins(rules.margins, rules.total, children[k])
