"""A memetic search on the pairwise margins: one island, resumable after every slice.

margins[a, b] is what a before b costs less what b before a costs, so moving an item past
others changes the cost by a plain sum of its margins with them. Items passed are looked up
through the order: with short moves most common, that beats keeping a matrix in step.
"""

import numpy as np

from concordant._kernels.chance import below, draw, shuffle, sort_by
from concordant._kernels.crossover import cpsc, order_based, position_based
from concordant._kernels.jit import kernel
from concordant._kernels.lads import move, start_history, update_history

# Crossovers an island can use.
ORDER_BASED, CPSC, POSITION_BASED, NONE = 0, 1, 2, 3

# What an island does next.
BUILD, DESCEND, LATE, JOIN = 0, 1, 2, 3

# Places in the state array of an island; the first eight are those of LADS.
COST, BEST, F_MAX, COUNT, TURN, IDLE = 0, 1, 2, 3, 4, 5
PHASE, FILLED, BUILT, SCANNED, CHILDREN, STALE, ITERATIONS, RESTARTS = 8, 9, 10, 11, 12, 13, 14, 15
CHAMPION = 16
STATE_SIZE = 17


@kernel
def order_cost(margins, total, order):
    """Return the cost of an order, given the sum of all counts.

    The margins of an order add up to its cost less the rest of the counts, so the cost is
    half of that and the total.
    """
    total = np.int64(total)
    for p in range(order.size):
        row = margins[order[p]]
        behind = order[p + 1 :]
        for x in range(behind.size):
            total += row[np.uint32(behind[x])]
    return total // 2


@kernel
def best_insertion(margins, order, p):
    """Return (change, q) of the best place q to move the item at p to; change 0 is to stay."""
    row = margins[order[p]]
    best, where = np.int64(0), p
    change = np.int64(0)
    behind = order[p + 1 :]
    for x in range(behind.size):
        change -= row[np.uint32(behind[x])]
        if change < best:
            best, where = change, p + 1 + x
    change = np.int64(0)
    ahead = order[:p]
    for x in range(p - 1, -1, -1):
        change += row[np.uint32(ahead[x])]
        if change < best:
            best, where = change, x
    return best, where


@kernel
def descend(margins, order, state, budget):
    """Move items to their best places until none improves, or the budget is used up.

    Returns the work done: items looked at. state[SCANNED] counts items in a row, by item
    number, that were at their best place already; all m of them make a local optimum.
    """
    m = order.size
    rank = np.empty(m, np.int64)
    for p in range(m):
        rank[order[p]] = p
    work = m
    a = state[TURN]
    while state[SCANNED] < m and work < budget:
        p = rank[a]
        change, q = best_insertion(margins, order, p)
        work += m
        state[ITERATIONS] += 1
        if change < 0:
            move(order, p, q, True)
            for x in range(min(p, q), max(p, q) + 1):
                rank[order[x]] = x
            state[COST] += change
            state[SCANNED] = 1
        else:
            state[SCANNED] += 1
        a += 1
        if a == m:
            a = 0
    state[TURN] = a
    return work


@kernel
def late_acceptance(margins, steps, order, best, history, state, stream, max_idle, budget):
    """LADS with insertion moves of mostly short range; returns the work done.

    `steps` holds the distances to draw from, either way; `max_idle` counts all iterations.
    """
    m = order.size
    cost, lowest = state[COST], state[BEST]
    f_max, count, turn, idle = state[F_MAX], state[COUNT], state[TURN], state[IDLE]
    work = np.int64(0)
    done = 0
    n_steps = np.uint64(steps.size)
    while idle < max_idle and work < budget:
        bits = draw(stream)
        p = np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(m)) >> np.uint64(32))
        step = np.int64(steps[((bits >> np.uint64(32)) * n_steps) >> np.uint64(32)])
        q = p + step
        done += 1
        idle += 1
        # Drawing, accepting and the list cost about as much as passing forty items.
        work += 40
        if q < 0 or q >= m:
            continue
        row = margins[order[p]]
        change = np.int64(0)
        if step > 0:
            passed = order[p + 1 : q + 1]
            for x in range(passed.size):
                change -= row[np.uint32(passed[x])]
            work += step
        else:
            passed = order[q:p]
            for x in range(passed.size):
                change += row[np.uint32(passed[x])]
            work -= step
        previous = cost
        candidate = cost + change
        if change == 0 or candidate < f_max:
            move(order, p, q, True)
            cost = candidate
            if cost < lowest:
                lowest = cost
                best[:] = order
                idle = 0
        f_max, count = update_history(history, turn, cost, previous, f_max, count)
        turn += 1
        if turn == history.size:
            turn = 0
    state[COST], state[BEST] = cost, lowest
    state[F_MAX], state[COUNT], state[TURN], state[IDLE] = f_max, count, turn, idle
    state[ITERATIONS] += done
    return work


@kernel
def random_order(order, stream):
    """Fill `order` with a random order."""
    for b in range(order.size):
        order[b] = b
    shuffle(stream, order)


@kernel
def random_start(margins, order, stream):
    """Sort the items by their margins against a random share of the others.

    The counterpart of the paper's randomized Borda where only the matrix is known: a fifth of
    the opponents is left out.
    """
    m = order.size
    key = np.zeros(m, np.int64)
    random_order(order, stream)
    for k in range(m - m // 5):
        b = order[k]
        for a in range(m):
            key[a] -= margins[b, a]
    shuffle(stream, order)
    sort_by(key, order)


@kernel
def join(child, cost, members, costs, filled, min_distance):
    """Take a child into the population or refuse it: (members then, whether it was taken).

    A child nearer than `min_distance` (Spearman's footrule) to members may only replace the
    nearest, if it is no worse; any other replaces the worst, if it is better.
    """
    m = child.size
    rank = np.empty(m, np.int32)
    for p in range(m):
        rank[child[p]] = p
    nearest, distance = -1, np.int64(0)
    worst = 0
    for k in range(filled):
        d = np.int64(0)
        member = members[k]
        for p in range(m):
            d += abs(rank[np.uint32(member[p])] - p)
        if nearest < 0 or d < distance:
            nearest, distance = k, d
        if costs[k] > costs[worst]:
            worst = k
    slot = -1
    if nearest >= 0 and distance < min_distance:
        if cost < costs[nearest]:
            slot = nearest
    elif filled < members.shape[0]:
        slot = filled
        filled += 1
    elif cost < costs[worst]:
        slot = worst
    if slot < 0:
        return filled, False
    members[slot] = child
    costs[slot] = cost
    return filled, True


@kernel
def evolve(
    margins,
    total,
    steps,
    crossover,
    max_idle,
    min_distance,
    patience,
    explore,
    order,
    best,
    champion,
    members,
    costs,
    history,
    state,
    stream,
    budget,
):
    """Carry an island on for about `budget` units of work (items looked at).

    The first order is descended from as it stands. Then the population is filled from random
    starts, and children of two random members join it. When `patience` children in a row were
    refused, all but the best member are built anew. An island that explores starts from orders
    drawn evenly, and builds its whole population anew. The best of all is the champion.
    """
    m = order.size
    size = members.shape[0]
    work = np.int64(0)
    while work < budget:
        phase = state[PHASE]
        if phase == BUILD:
            if state[FILLED] < size and state[BUILT] < 2 * size:
                if explore:
                    random_order(order, stream)
                else:
                    random_start(margins, order, stream)
                state[BUILT] += 1
                work += m * m
            else:
                first = below(stream, state[FILLED])
                second = first
                if state[FILLED] > 1:
                    second = below(stream, state[FILLED] - 1)
                    if second >= first:
                        second += 1
                if crossover == ORDER_BASED:
                    order[:] = order_based(members[first], members[second], stream)
                elif crossover == CPSC:
                    order[:] = cpsc(members[first], members[second], stream)
                    work += m * m // 2
                elif crossover == POSITION_BASED:
                    order[:] = position_based(members[first], members[second], stream)
                else:
                    order[:] = members[first]
                    for _ in range(10):
                        move(order, below(stream, m), below(stream, m), True)
                work += 8 * m
            cost = order_cost(margins, total, order)
            work += m * m // 2
            start_history(history, state, cost)
            best[:] = order
            state[PHASE] = LATE
        elif phase == LATE:
            work += late_acceptance(
                margins, steps, order, best, history, state, stream, max_idle, budget - work
            )
            if state[IDLE] >= max_idle:
                order[:] = best
                state[COST] = state[BEST]
                state[SCANNED] = 0
                state[TURN] = 0
                state[PHASE] = DESCEND
        elif phase == DESCEND:
            work += descend(margins, order, state, budget - work)
            if state[SCANNED] >= m:
                state[PHASE] = JOIN
        else:
            filled, taken = join(order, state[COST], members, costs, state[FILLED], min_distance)
            state[FILLED] = filled
            if state[COST] < state[CHAMPION]:
                state[CHAMPION] = state[COST]
                champion[:] = order
            work += size * m
            state[CHILDREN] += 1
            state[STALE] = 0 if taken else state[STALE] + 1
            if state[STALE] >= patience:
                members[0] = champion
                costs[0] = state[CHAMPION]
                state[FILLED] = 0 if explore else 1
                state[BUILT] = 0
                state[STALE] = 0
                state[RESTARTS] += 1
            state[PHASE] = BUILD
    return work
