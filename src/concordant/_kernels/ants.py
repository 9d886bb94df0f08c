"""Kernels of the ant colony: build an order place by place, and update the pheromone."""

import numpy as np

from concordant._kernels.jit import kernel
from concordant._kernels.rng import uniform


@kernel
def build(margins, pheromone, visibility_power, partial, first, last, stream):
    """Fill the places [first, last) of a `PartialOrder`.

    The probability of an item is proportional to its pheromone at the place times a power of its
    visibility. The visibility is how far the potential of the item lies above the lowest, as a
    share of the span from the lowest to the highest, plus one twentieth.
    """
    order, left, potential = partial.order, partial.left, partial.potential
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
    """Reduce all pheromone, to no less than `least`, and add some at the places of an order."""
    m = order.size
    for p in range(m):
        for a in range(m):
            pheromone[p, a] = max(least, (1.0 - rate) * pheromone[p, a])
        pheromone[p, order[p]] = min(1.0, pheromone[p, order[p]] + rate)
