"""Orders built by ants: places filled one after the other, by pheromone and by preference."""

import numpy as np

from concordant._kernels.chance import draw
from concordant._kernels.jit import kernel


@kernel
def uniform(stream):
    """Return a random number in [0, 1)."""
    return (draw(stream) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel
def build(margins, pheromone, visibility_power, ant, first, last, stream):
    """Fill the places [first, last) of an ant's order: see `Ant` for what it carries.

    An item is drawn by its pheromone at the place times its visibility: how far its potential
    lies above the lowest, in proportion to the highest; a twentieth is added for all.
    """
    order, left, potential = ant.order, ant.left, ant.potential
    m = order.size
    weight = np.empty(m, np.float64)
    for place in range(first, last):
        n_left = m - place
        low = high = potential[left[0]]
        for k in range(1, n_left):
            low = min(low, potential[left[k]])
            high = max(high, potential[left[k]])
        span = max(1.0, np.float64(high - low))
        total = 0.0
        for k in range(n_left):
            visibility = (potential[left[k]] - low + 0.05 * span) / span
            total += pheromone[place, left[k]] * visibility**visibility_power
            weight[k] = total
        drawn = uniform(stream) * total
        chosen = 0
        while chosen < n_left - 1 and weight[chosen] <= drawn:
            chosen += 1
        a = left[chosen]
        order[place] = a
        left[chosen] = left[n_left - 1]
        for k in range(n_left - 1):
            potential[left[k]] += margins[left[k], a]


@kernel
def evaporate(pheromone, rate, least, order):
    """Let pheromone fade towards `least`, and mark the places of an order anew."""
    m = order.size
    for p in range(m):
        for a in range(m):
            pheromone[p, a] = max(least, (1.0 - rate) * pheromone[p, a])
        pheromone[p, order[p]] = min(1.0, pheromone[p, order[p]] + rate)
