"""Late acceptance hill climbing (LAHC) of Burke and Bykov (2017), on which LADS is based."""

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel
from concordant._kernels.moves import (
    draw_move,
    insertion_change,
    move,
    move_columns,
    swap_change,
)
from concordant._kernels.state import (
    BEST,
    COST,
    IDLE,
    ITERATIONS,
    TURN,
)


@kernel
def lahc(insertion, max_idle, walk, state, budget):
    """Continue for about `budget` units of work; return whether the search has ended.

    A candidate is accepted when it is no worse than the current order, or better than the order
    L iterations ago, where L is the length of the history. Entries of the history never rise.
    The search ends after `max_idle` iterations in a row without a new best order.
    """
    order, best, columns, history = walk.order, walk.best, walk.columns, walk.history
    m = order.size
    cost, lowest = state[COST], state[BEST]
    turn, idle = state[TURN], state[IDLE]
    move_work = m * m // 8 if insertion else 2 * m
    done = 0
    work = 0
    while work < budget and idle < max_idle:
        done += 1
        idle += 1
        work += 20 + m // 4
        p, q = draw_move(m, insertion, walk.stream)
        if insertion:
            candidate = cost + insertion_change(columns, order, p, q)
        else:
            candidate = cost + swap_change(columns, order, p, q)
        if candidate <= cost or candidate < history[turn]:
            work += move_work
            move(order, p, q, insertion)
            move_columns(columns, p, q, insertion)
            cost = candidate
            if cost < lowest:
                lowest = cost
                copy(order, best)
                idle = 0
        if cost < history[turn]:
            history[turn] = cost
        turn += 1
        if turn == history.size:
            turn = 0
    state[COST], state[BEST] = cost, lowest
    state[TURN], state[IDLE] = turn, idle
    state[ITERATIONS] += done
    return idle >= max_idle
