"""Consensus orders of resampled rankings, one for each resample.

margins[a, b] is the cost of a before b minus the cost of b before a: negative where a majority
puts a first. The items fall into groups that follow each other in every optimal order. A small
group is solved by subsets, and one of its optimal orders is drawn at random. A larger group is
split into components of the strict majorities. Large components are improved by a search. Then a
random walk visits orders of the same cost.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.descent import descend, note_move, reset_bounds
from concordant._kernels.exact import all_subset_costs, block, components
from concordant._kernels.jit import kernel
from concordant._kernels.moves import move
from concordant._kernels.rng import below, shuffle, sort_by, uniform
from concordant._kernels.state import COST, SCANNED

# Random insertions between two descents of the search.
_KICKS = 4
# Steps of the random walk through orders of equal cost, for each item.
_STEPS = 4


@kernel
def count_votes(m, offsets, members, buckets, drawn, votes):
    """Sum the votes of each resample on the pairs a < b: those for a minus those for b."""
    n, q = votes.shape
    row = np.zeros(q, np.int64)
    for r in range(offsets.size - 1):
        first, last = offsets[r], offsets[r + 1]
        # The pairs of a short ballot are added one by one, those of a long one as a row.
        short = (last - first) ** 2 < q
        if not short:
            row[:] = 0
        for x in range(first, last):
            a, bucket = np.int64(members[x]), buckets[x]
            for y in range(x + 1, last):
                if buckets[y] == bucket:
                    continue
                b = np.int64(members[y])
                if a < b:
                    pair, vote = a * (2 * m - a - 1) // 2 + b - a - 1, 1
                else:
                    pair, vote = b * (2 * m - b - 1) // 2 + a - b - 1, -1
                if not short:
                    row[pair] = vote
                    continue
                for i in range(n):
                    votes[i, pair] += drawn[i, r] * vote
        if not short:
            for i in range(n):
                times = drawn[i, r]
                if times > 0:
                    target = votes[i]
                    for pair in range(q):
                        target[pair] += times * row[pair]


@kernel
def _unfold(votes, margins):
    """Fill in the margins of one resample from its votes."""
    m = margins.shape[0]
    pair = 0
    for a in range(m):
        margins[a, a] = 0
        for b in range(a + 1, m):
            margins[a, b], margins[b, a] = -votes[pair], votes[pair]
            pair += 1


@kernel
def _follow_majorities(margins, order):
    """Fill in the order that follows every majority; return whether there is one."""
    m = order.size
    order[:] = -1
    for a in range(m):
        beaten = 0
        for b in range(m):
            if margins[a, b] < 0:
                beaten += 1
            elif margins[a, b] == 0 and a != b:
                return False
        if order[m - 1 - beaten] >= 0:
            return False
        order[m - 1 - beaten] = a
    return True


@kernel
def _pays(excess, a, others):
    """Return what it costs to have a set of others before an item."""
    total = np.int64(0)
    for b in range(excess.shape[0]):
        if (others >> b) & 1:
            total += excess[a, b]
    return total


@kernel
def _draw_optimal(margins, order, stream):
    """Draw one of the optimal orders of a few items, all equally likely."""
    k = order.size
    if k == 1:
        order[0] = 0
        return
    excess = np.maximum(-margins, 0)
    costs = all_subset_costs(excess)
    # The sets that some optimal order begins with, and the number of optimal orders of each.
    ways = np.zeros(costs.size)
    everything = costs.size - 1
    ways[everything] = 1.0
    for s in range(everything, 0, -1):
        if ways[s] > 0:
            for a in range(k):
                rest = s ^ (1 << a)
                if rest < s and costs[rest] + _pays(excess, a, rest) == costs[s]:
                    ways[rest] = 1.0
    for s in range(1, costs.size):
        if ways[s] > 0:
            total = 0.0
            for a in range(k):
                rest = s ^ (1 << a)
                if rest < s and costs[rest] + _pays(excess, a, rest) == costs[s]:
                    total += ways[rest]
            ways[s] = total
    s = everything
    for p in range(k - 1, -1, -1):
        left = ways[s] * uniform(stream)
        last = -1
        for a in range(k):
            rest = s ^ (1 << a)
            if rest < s and costs[rest] + _pays(excess, a, rest) == costs[s]:
                last = a
                left -= ways[rest]
                if left < 0:
                    break
        order[p] = last
        s ^= 1 << last


@kernel
def _insertion_change(margins, order, p, q):
    """Return the change of cost when the item at p moves to q."""
    row = margins[order[p]]
    change = np.int64(0)
    for x in range(p + 1, q + 1):
        change -= row[order[x]]
    for x in range(q, p):
        change += row[order[x]]
    return change


@kernel
def _search(margins, rounds, work, order, state, stream):
    """Improve an order by descents, each from the best so far after a few random insertions.

    It ends after `rounds` descents, or before the next one when `work` item comparisons are done.
    """
    k = order.size
    bounds = np.empty((2, k), np.int64)
    state[:] = 0
    reset_bounds(bounds)
    endless = np.int64(1) << 62
    work -= descend(margins, bounds, order, state, endless)
    best = state[COST]
    kept, kept_bounds = order.copy(), bounds.copy()
    for _ in range(rounds):
        if work <= 0:
            break
        for _ in range(_KICKS):
            p, q = below(stream, k), below(stream, k - 1)
            if q >= p:
                q += 1
            state[COST] += _insertion_change(margins, order, p, q)
            move(order, p, q, True)
            note_move(margins, order, bounds, p, q)
        state[SCANNED] = 0
        work -= descend(margins, bounds, order, state, endless)
        # An order of equal cost is kept too, so that none of them is preferred.
        if state[COST] <= best:
            best = state[COST]
            copy(order, kept)
            copy(bounds[0], kept_bounds[0])
            copy(bounds[1], kept_bounds[1])
        else:
            state[COST] = best
            copy(kept, order)
            copy(kept_bounds[0], bounds[0])
            copy(kept_bounds[1], bounds[1])
    copy(kept, order)


@kernel
def _wander(margins, order, stream):
    """Walk at random through orders of equal cost.

    Each step takes a random item and puts it at one of all its places of equal cost, each with the
    same probability.
    """
    k = order.size
    places = np.empty(k, np.int64)
    for _ in range(_STEPS * k):
        p = below(stream, k)
        row = margins[order[p]]
        places[0] = p
        found = 1
        change = np.int64(0)
        for x in range(p + 1, k):
            change -= row[order[x]]
            if change == 0:
                places[found] = x
                found += 1
        change = np.int64(0)
        for x in range(p - 1, -1, -1):
            change += row[order[x]]
            if change == 0:
                places[found] = x
                found += 1
        q = places[below(stream, found)]
        if q != p:
            move(order, p, q, True)


@kernel
def _solve_group(margins, group, largest, rounds, work, state, stream):
    """Put the items of one group into order; return whether no order of them costs less."""
    k = group.size
    # In random order, so that choices by item number become random choices.
    shuffle(stream, group)
    within = block(margins, group)
    order = np.empty(k, np.int32)
    if k <= largest:
        _draw_optimal(within, order, stream)
        copy(group[order], group)
        return True
    component, found = components(within)
    by_part = np.argsort(component, kind="mergesort")
    proven = True
    start = 0
    for part in range(found):
        end = start
        while end < k and component[by_part[end]] == part:
            end += 1
        chosen = by_part[start:end].copy()
        inside = block(within, chosen)
        arranged = np.arange(end - start).astype(np.int32)
        if end - start <= largest:
            _draw_optimal(inside, arranged, stream)
        else:
            # The consensus numbers the items: the search starts from it.
            sort_by(group[chosen], arranged)
            _search(inside, rounds, work, arranged, state, stream)
            proven = False
        copy(chosen[arranged], order[start:end])
        start = end
    _wander(within, order, stream)
    copy(group[order], group)
    return proven


@kernel
def resample(votes, streams, state, largest, rounds, work, orders, proven):
    """Fill in an order for each row of `votes`, and whether it is proven optimal.

    Row i has its own random stream, streams[i]. Unranked items count as no opinion. Items are
    numbered in the order of the consensus. Sets of up to `largest` items are solved by subsets;
    larger sets get `rounds` descents, or fewer when `work` item comparisons are done. The descents
    use `state`.
    """
    n, m = orders.shape
    margins = np.zeros((m, m), np.int64)
    for i in range(n):
        _unfold(votes[i], margins)
        proven[i] = True
        if _follow_majorities(margins, orders[i]):
            continue
        # A tie counts as an edge in both directions here, so that it joins two items to one group.
        component, found = components(margins - 1)
        by_group = np.argsort(component, kind="mergesort")
        start = 0
        for number in range(found):
            end = start
            while end < m and component[by_group[end]] == number:
                end += 1
            group = by_group[start:end]
            if end - start > 1:
                solved = _solve_group(margins, group, largest, rounds, work, state, streams[i])
                proven[i] &= solved
            copy(group, orders[i, start:end])
            start = end
