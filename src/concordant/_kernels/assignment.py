"""Minimum cost assignment by shortest augmenting paths, in integers."""

import numpy as np

from concordant._kernels.jit import kernel

_FAR = np.iinfo(np.int64).max


@kernel
def assign(costs, of_item, of_place, place_of, item_at, first, budget):
    """Assign places to the items from `first` on; return the first item without a place.

    Each item takes the cheapest path to a free place, along which other items may have to move
    (Jonker and Volgenant 1987, in the form of Crouse 2016). `place_of` holds the place of each
    item and `item_at` the item at each place; -1 means none. `of_item` and `of_place` are
    potentials: a cost minus both potentials is never negative, and it is zero where an item has
    its place. So Dijkstra's algorithm finds the path. At any time, the items placed so far are
    assigned at least cost. The kernel returns after about `budget` steps, between two items.
    """
    m = costs.shape[0]
    distance = np.empty(m, np.int64)
    came_from = np.empty(m, np.int64)
    # The first `n_open` entries of `open_places` are the places that are not reached yet.
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
                path = length + costs[item, p] - of_item[item] - of_place[p]
                if path < distance[p]:
                    distance[p] = path
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
