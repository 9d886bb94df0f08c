"""One generation of a genetic algorithm on orders."""

import numpy as np

from concordant._kernels.chance import below, draw
from concordant._kernels.crossover import order as order_crossover
from concordant._kernels.crossover import order_based, position_based
from concordant._kernels.jit import kernel
from concordant._kernels.lads import move
from concordant._kernels.memetic import order_cost

POSITION_BASED, ORDER, ORDER_BASED = 0, 1, 2
INSERTION, DISPLACEMENT, INVERSION = 0, 1, 2


@kernel
def mutate(order, kind, stream):
    """Change an order: move an item, move a stretch, or turn a stretch round."""
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
    rest[:p] = order[:p]
    rest[p:] = order[q + 1 :]
    at = below(stream, rest.size + 1)
    order[:at] = rest[:at]
    order[at : at + stretch.size] = stretch
    order[at + stretch.size :] = rest[at:]


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
def breed(
    margins,
    total,
    members,
    costs,
    children,
    child_costs,
    first,
    last,
    crossover,
    mutation,
    chance,
    size,
    stream,
):
    """Make the children `first` to `last` - 1 of the members: crossed, mutated, evaluated.

    Parents win tournaments of `size`; a child is mutated with the probability `chance` (of
    2^32). A kind of -1 draws the operator anew for each child.
    """
    for k in range(first, last):
        one = tournament(costs, size, stream)
        other = tournament(costs, size, stream)
        kind = crossover if crossover >= 0 else below(stream, 3)
        if kind == POSITION_BASED:
            children[k] = position_based(members[one], members[other], stream)
        elif kind == ORDER:
            children[k] = order_crossover(members[one], members[other], stream)
        else:
            children[k] = order_based(members[one], members[other], stream)
        if (draw(stream) >> np.uint64(32)) < np.uint64(chance):
            mutate(children[k], mutation if mutation >= 0 else below(stream, 3), stream)
        child_costs[k] = order_cost(margins, total, children[k])
