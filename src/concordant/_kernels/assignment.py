"""Minimum cost assignment by shortest augmenting paths, in integers."""

import numpy as np

from concordant._kernels.jit import kernel

_FAR = np.iinfo(np.int64).max


@kernel
def assign(costs, of_item, of_place, place_of, item_at, first, budget):
    """Give items from `first` on a place each; return the first item that is still to be placed.

    An item takes the cheapest way to a free place, on which others may have to move on
    (Jonker and Volgenant 1987; the bookkeeping follows Crouse 2016). `place_of` and `item_at`
    tell who is where, -1 is nowhere. `of_item` and `of_place` are potentials: a cost less both is
    never negative, and zero where an item has its place, so that the way is found as Dijkstra
    does. What is placed is always a cheapest assignment of its items. The kernel returns after
    `budget` steps, between two items.
    """
    m = costs.shape[0]
    distance = np.empty(m, np.int64)
    came_from = np.empty(m, np.int64)
    # Places that are not reached yet come first in `open_places`, those reached last behind them.
    open_places = np.empty(m, np.int64)
    work = 0
    for new in range(first, m):
        if work >= budget:
            return new
        for p in range(m):
            distance[p] = _FAR
            open_places[p] = m - 1 - p
        n_open = m
        item = new
        length = 0
        end = -1
        while end < 0:
            nearest = -1
            shortest = _FAR
            for k in range(n_open):
                p = open_places[k]
                way = length + costs[item, p] - of_item[item] - of_place[p]
                if way < distance[p]:
                    distance[p] = way
                    came_from[p] = item
                if distance[p] < shortest or (distance[p] == shortest and item_at[p] < 0):
                    shortest = distance[p]
                    nearest = k
            work += n_open
            length = shortest
            p = open_places[nearest]
            n_open -= 1
            open_places[nearest] = open_places[n_open]
            open_places[n_open] = p
            if item_at[p] < 0:
                end = p
            else:
                item = item_at[p]
        of_item[new] += length
        for k in range(n_open, m):
            p = open_places[k]
            if item_at[p] >= 0:
                of_item[item_at[p]] += length - distance[p]
            of_place[p] -= length - distance[p]
        p = end
        while True:
            item = came_from[p]
            item_at[p] = item
            before = place_of[item]
            place_of[item] = p
            if item == new:
                break
            p = before
    return m
