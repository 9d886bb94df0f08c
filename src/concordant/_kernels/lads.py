"""Late acceptance driven search (LADS): Algorithm 3 of Zhou, Hao, Li and Glover.

The search keeps its state in arrays, so that it can run in slices. Moves are evaluated in one
of three ways, all with the same result: from the pairwise matrix, incrementally from the
rankings (the paper's Algorithm 2), or by computing the full cost from the rankings.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel
from concordant._kernels.kendall import distances
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
    COUNT,
    F_MAX,
    IDLE,
    ITERATIONS,
    REFUSED,
    TURN,
)

PAIRWISE, INCREMENTAL, FULL = 0, 1, 2


@kernel
def start_history(history, state, cost):
    """Fill the cost list with the cost of the first order."""
    history[:] = cost
    state[COST] = state[BEST] = state[F_MAX] = cost
    state[COUNT] = history.size
    state[TURN] = state[IDLE] = state[REFUSED] = 0


@kernel
def update_history(history, turn, cost, previous, f_max, count):
    """Update one entry of the cost list; return (f_max, the number of entries of that cost).

    A higher cost raises the entry. A lower cost lowers it only if the last step improved.
    Otherwise the entry stays. f_max is recomputed when no entry of that cost is left.
    """
    entry = history[turn]
    if cost > entry:
        history[turn] = cost
    elif cost < entry and cost < previous:
        if entry == f_max:
            count -= 1
        history[turn] = cost
        if count == 0:
            f_max = history[0]
            for i in range(history.size):
                if history[i] > f_max:
                    f_max = history[i]
            for i in range(history.size):
                if history[i] == f_max:
                    count += 1
    return f_max, count


@kernel
def swap_incremental(ballots, rank, a, b):
    """Change of cost when a and b, a before b, change places: Algorithm 2, ranking by ranking.

    Only items that a ranking puts between a and b matter to it, as the paper observes: for all
    others, the changes of their pairs with a and with b cancel. Each of those items that the
    order also has between a and b changes two pairs. The pair of a and b itself changes too.

    The algorithm as printed is wrong. It names the two items so that the ranking has i before j.
    Its test adds 1 for the pair where the order has i behind j, which is right for the order
    after the swap. But its loop subtracts 2 for each item between them, which is right for the
    order before the swap. No choice of the order makes both right. Here both are counted for the
    order before the swap: a pair that the ranking and the order have alike is lost, any other
    pair is won.

    With ties, items level with a or b matter too. Where only one of the two is ranked, nothing
    cancels.
    """
    offsets, members, buckets = ballots.offsets, ballots.members, ballots.buckets
    units, where = ballots.units, ballots.where
    total = np.int64(0)
    low, high = rank[a], rank[b]
    for k in range(offsets.size - 1):
        at_a, at_b = where[k, a], where[k, b]
        if at_a < 0 and at_b < 0:
            continue
        start, end = offsets[k], offsets[k + 1]
        count = 0
        if at_a >= 0 and at_b >= 0:
            bucket_a, bucket_b = buckets[at_a], buckets[at_b]
            if bucket_a == bucket_b:
                continue
            first, last = min(at_a, at_b), max(at_a, at_b)
            sign = 1 if bucket_a < bucket_b else -1
            count += sign
            for i in range(first + 1, last):
                r = rank[members[i]]
                if low < r < high:
                    if buckets[i] != bucket_a:
                        count += sign
                    if buckets[i] != bucket_b:
                        count += sign
            i = first - 1
            while i >= start and buckets[i] == buckets[first]:
                r = rank[members[i]]
                if low < r < high:
                    count += sign
                i -= 1
            i = last + 1
            while i < end and buckets[i] == buckets[last]:
                r = rank[members[i]]
                if low < r < high:
                    count += sign
                i += 1
        else:
            at = at_a if at_a >= 0 else at_b
            sign = 1 if at_a >= 0 else -1
            for i in range(start, end):
                r = rank[members[i]]
                if low < r < high:
                    if buckets[i] > buckets[at]:
                        count += sign
                    elif buckets[i] < buckets[at]:
                        count -= sign
        total += count * units[k]
    return total


@kernel
def insertion_incremental(ballots, order, p, q):
    """Change of cost when the item at p moves to q, ranking by ranking over the items passed."""
    buckets, units, where = ballots.buckets, ballots.units, ballots.where
    a = order[p]
    total = np.int64(0)
    low, high = (p + 1, q + 1) if p < q else (q, p)
    for k in range(where.shape[0]):
        at = where[k, a]
        if at < 0:
            continue
        count = 0
        for x in range(low, high):
            i = where[k, order[x]]
            if i >= 0:
                if buckets[i] > buckets[at]:
                    count += 1
                elif buckets[i] < buckets[at]:
                    count -= 1
        total += count * units[k]
    return total if p < q else -total


@kernel
def full_cost(ballots, order, rank):
    """Return the cost of an order from all rankings, as the sum of its Kendall distances."""
    for p in range(order.size):
        rank[order[p]] = p + 1
    found = distances(rank, ballots.offsets, ballots.members, ballots.buckets, False)
    return (found * ballots.units).sum()


@kernel
def lads(rules, ballots, walk, state, budget):
    """Continue for about `budget` units of work; return whether the search has ended.

    It ends after `max_idle` iterations in a row that did not improve the best. These are accepted
    iterations only, as in the paper's pseudo-code, or all iterations with `count_all`. A candidate
    is accepted when its cost equals the current cost or is below the largest in the cost list.

    Where only accepted iterations count, the search would never leave a strict local optimum. So
    it also ends after `max_refused` refused candidates in a row.
    """
    insertion, evaluator = rules.insertion, rules.evaluator
    max_idle, max_refused = rules.max_idle, rules.max_refused
    order, best, rank = walk.order, walk.best, walk.rank
    columns, history = walk.columns, walk.history
    m = order.size
    cost, lowest = state[COST], state[BEST]
    f_max, count, turn = state[F_MAX], state[COUNT], state[TURN]
    idle, refused = state[IDLE], state[REFUSED]
    done = 0
    work = 0
    while work < budget and idle < max_idle and refused < max_refused:
        work += rules.step_work
        p, q = draw_move(m, insertion, walk.stream)
        if evaluator == PAIRWISE:
            if insertion:
                candidate = cost + insertion_change(columns, order, p, q)
            else:
                candidate = cost + swap_change(columns, order, p, q)
        elif evaluator == INCREMENTAL:
            if insertion:
                candidate = cost + insertion_incremental(ballots, order, p, q)
            else:
                candidate = cost + swap_incremental(ballots, rank, order[p], order[q])
        else:
            move(order, p, q, insertion)
            candidate = full_cost(ballots, order, rank)
            if insertion:
                move(order, q, p, insertion)
            else:
                move(order, p, q, insertion)
        previous = cost
        if rules.count_all:
            idle += 1
        refused += 1
        if candidate == cost or candidate < f_max:
            refused = 0
            work += rules.move_work
            move(order, p, q, insertion)
            if evaluator == PAIRWISE:
                move_columns(columns, p, q, insertion)
            else:
                for x in range(min(p, q), max(p, q) + 1):
                    rank[order[x]] = x + 1
            cost = candidate
            if cost < lowest:
                lowest = cost
                copy(order, best)
                idle = 0
            elif not rules.count_all:
                idle += 1
        f_max, count = update_history(history, turn, cost, previous, f_max, count)
        turn += 1
        if turn == history.size:
            turn = 0
        done += 1
    state[COST], state[BEST] = cost, lowest
    state[F_MAX], state[COUNT], state[TURN] = f_max, count, turn
    state[IDLE], state[REFUSED] = idle, refused
    state[ITERATIONS] += done
    return idle >= max_idle or refused >= max_refused
