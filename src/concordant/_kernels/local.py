"""Local search besides insertion: interchange, random moves, plain late acceptance.

`columns` holds the margins with columns in the order of positions: see `lads.lay_out`.
"""

import numpy as np

from concordant._kernels.chance import below, draw
from concordant._kernels.jit import kernel
from concordant._kernels.lads import insertion_change, move, move_columns, swap_change
from concordant._kernels.memetic import COST, ITERATIONS, SCANNED, TURN

# Places in the state of late acceptance; the first are those of LADS.
BEST, LATE_TURN, IDLE, LATE_ITERATIONS = 1, 4, 5, 6


@kernel
def descend_by_swaps(columns, order, state, budget):
    """Let items change places with their best partners until none improves; return the work.

    The counterpart of `memetic.descend` for the interchange neighbourhood, with the same state.
    """
    m = order.size
    rank = np.empty(m, np.int64)
    for p in range(m):
        rank[order[p]] = p
    work = m
    a = state[TURN]
    while state[SCANNED] < m and work < budget:
        p = rank[a]
        best, partner = np.int64(0), p
        for q in range(m):
            if q != p:
                change = swap_change(columns, order, min(p, q), max(p, q))
                if change < best:
                    best, partner = change, q
        work += m * m // 4
        state[ITERATIONS] += m - 1
        if best < 0:
            b = order[partner]
            move(order, p, partner, False)
            move_columns(columns, p, partner, False)
            rank[a], rank[b] = partner, p
            state[COST] += best
            state[SCANNED] = 1
        else:
            state[SCANNED] += 1
        a += 1
        if a == m:
            a = 0
    state[TURN] = a
    return work


@kernel
def shake(order, moves, insertion, stream):
    """Apply random moves to an order of two items or more."""
    m = order.size
    for _ in range(moves):
        p = below(stream, m)
        q = below(stream, m - 1)
        if q >= p:
            q += 1
        move(order, p, q, insertion)


@kernel
def late_acceptance_plain(
    insertion, max_idle, order, best, columns, history, state, stream, budget
):
    """Carry late acceptance hill climbing on for `budget` iterations; return whether it ended.

    A candidate is accepted when it is no worse than the current order, or than the one so many
    iterations ago as the history is long. An entry of the history only falls (Burke and Bykov
    2017). The search ends after `max_idle` iterations in a row without a new best order.
    """
    m = order.size
    cost, lowest = state[COST], state[BEST]
    turn, idle = state[LATE_TURN], state[IDLE]
    done = 0
    while done < budget and idle < max_idle:
        done += 1
        idle += 1
        bits = draw(stream)
        p = np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(m)) >> np.uint64(32))
        q = np.int64(((bits >> np.uint64(32)) * np.uint64(m - 1)) >> np.uint64(32))
        if q >= p:
            q += 1
        if not insertion and p > q:
            p, q = q, p
        if insertion:
            candidate = cost + insertion_change(columns, order, p, q)
        else:
            candidate = cost + swap_change(columns, order, p, q)
        if candidate <= cost or candidate <= history[turn]:
            move(order, p, q, insertion)
            move_columns(columns, p, q, insertion)
            cost = candidate
            if cost < lowest:
                lowest = cost
                best[:] = order
                idle = 0
        if cost < history[turn]:
            history[turn] = cost
        turn += 1
        if turn == history.size:
            turn = 0
    state[COST], state[BEST] = cost, lowest
    state[LATE_TURN], state[IDLE] = turn, idle
    state[LATE_ITERATIONS] += done
    return idle >= max_idle
