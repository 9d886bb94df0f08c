"""A memetic search on the pairwise margins: one island, resumable after every slice."""

import numpy as np

from concordant._kernels.chance import below, draw
from concordant._kernels.crossover import cpsc, order_based, position_based
from concordant._kernels.descent import descend, start_hoping
from concordant._kernels.jit import kernel
from concordant._kernels.lads import start_history, update_history
from concordant._kernels.moves import cost_by_margins, move, random_order, random_start
from concordant._kernels.state import (
    BEST,
    BUILT,
    CHAMPION,
    CHILDREN,
    COST,
    COUNT,
    F_MAX,
    FILLED,
    IDLE,
    ITEM,
    ITERATIONS,
    PHASE,
    RESTARTS,
    SCANNED,
    STALE,
    TURN,
)

# Crossovers an island can use.
ORDER_BASED, CPSC, POSITION_BASED, NONE = 0, 1, 2, 3

# What an island does next.
BUILD, DESCEND, LATE, JOIN = 0, 1, 2, 3


@kernel
def walk_nearby(rules, population, state, budget):
    """LADS with insertion moves of mostly short range; returns the work done.

    Its rules' `max_idle` counts all iterations.
    """
    margins, steps, max_idle = rules.margins, rules.steps, rules.max_idle
    order, best, history = population.order, population.best, population.history
    stream = population.stream
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
def breed(rules, population, state):
    """Make the order to improve next, a random start or a child, and return the work done."""
    order, members, stream = population.order, population.members, population.stream
    m = order.size
    size = members.shape[0]
    if state[FILLED] < size and state[BUILT] < 2 * size:
        if rules.explore:
            random_order(order, stream)
        else:
            random_start(rules.margins, order, stream)
        state[BUILT] += 1
        return m * m
    work = 8 * m
    first = below(stream, state[FILLED])
    second = first
    if state[FILLED] > 1:
        second = below(stream, state[FILLED] - 1)
        if second >= first:
            second += 1
    if rules.crossover == ORDER_BASED:
        order[:] = order_based(members[first], members[second], stream)
    elif rules.crossover == CPSC:
        order[:] = cpsc(members[first], members[second], stream)
        work += m * m // 2
    elif rules.crossover == POSITION_BASED:
        order[:] = position_based(members[first], members[second], stream)
    else:
        order[:] = members[first]
        for _ in range(10):
            move(order, below(stream, m), below(stream, m), True)
    return work


@kernel
def evolve(rules, population, state, budget):
    """Carry an island on for about `budget` units of work (items looked at).

    The first order is descended from as it stands. Then the population is filled from random
    starts, and children of two random members join it. When `patience` children in a row were
    refused, all but the best member are built anew. An island that explores starts from orders
    drawn evenly, and builds its whole population anew. The best of all is the champion.
    """
    order, best, champion = population.order, population.best, population.champion
    members, costs = population.members, population.costs
    m = order.size
    work = np.int64(0)
    while work < budget:
        if state[PHASE] == BUILD:
            work += breed(rules, population, state)
            cost = cost_by_margins(rules.margins, rules.total, order)
            work += m * m // 2
            start_history(population.history, state, cost)
            best[:] = order
            state[PHASE] = LATE
        elif state[PHASE] == LATE:
            work += walk_nearby(rules, population, state, budget - work)
            if state[IDLE] >= rules.max_idle:
                order[:] = best
                state[COST] = state[BEST]
                state[SCANNED] = state[ITEM] = 0
                start_hoping(population.hope)
                state[PHASE] = DESCEND
        elif state[PHASE] == DESCEND:
            work += descend(rules.margins, False, population.hope, order, state, budget - work)
            if state[SCANNED] >= m:
                state[PHASE] = JOIN
        else:
            filled, taken = join(
                order, state[COST], members, costs, state[FILLED], rules.min_distance
            )
            state[FILLED] = filled
            if state[COST] < state[CHAMPION]:
                state[CHAMPION] = state[COST]
                champion[:] = order
            work += members.shape[0] * m
            state[CHILDREN] += 1
            state[STALE] = 0 if taken else state[STALE] + 1
            if state[STALE] >= rules.patience:
                members[0] = champion
                costs[0] = state[CHAMPION]
                state[FILLED] = 0 if rules.explore else 1
                state[BUILT] = 0
                state[STALE] = 0
                state[RESTARTS] += 1
            state[PHASE] = BUILD
    return work
