"""Late acceptance driven search (LADS): Algorithm 3 of Zhou, Hao, Li and Glover.

The search keeps its state in arrays, so that it runs in slices. Moves are evaluated in one
of three ways, all with the same result: from the pairwise matrix, from the rankings
incrementally (the paper's Algorithm 2), or from the rankings anew.
"""

import numpy as np

from concordant._kernels.chance import draw
from concordant._kernels.jit import kernel
from concordant._kernels.kendall import distances

PAIRWISE, INCREMENTAL, FULL = 0, 1, 2

# Places in the state array of a search.
COST, BEST, F_MAX, COUNT, TURN, IDLE, ITERATIONS, REJECTED = 0, 1, 2, 3, 4, 5, 6, 7
STATE_SIZE = 8


@kernel
def start_history(history, state, cost):
    """Fill the cost list with the cost of the first order."""
    history[:] = cost
    state[COST] = cost
    state[BEST] = cost
    state[F_MAX] = cost
    state[COUNT] = history.size
    state[TURN] = 0
    state[IDLE] = 0


@kernel
def update_history(history, turn, cost, previous, f_max, count):
    """Update one entry of the cost list, in its three ways, and return (f_max, its count).

    A higher cost raises the entry; a lower one lowers it only when the last step improved;
    otherwise it stays. f_max is computed anew when the last entry of that cost has gone.
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
def lay_out(margins, order, columns):
    """Copy the margins with columns in the order of positions: columns[a, p] is a against p's item.

    The items that a move passes then lie side by side in memory. margins[a, b] is what a
    before b costs less what b before a costs.
    """
    for a in range(order.size):
        for p in range(order.size):
            columns[a, p] = margins[a, order[p]]


@kernel
def swap_change(columns, order, p, q):
    """Return the change of cost when the items at p < q change places."""
    a, b = order[p], order[q]
    change = np.int64(columns[b, p])
    # Loops from zero over a slice: an index that may be negative would not be vectorised.
    down, up = columns[a, p + 1 : q], columns[b, p + 1 : q]
    for x in range(down.size):
        change += up[x] - down[x]
    return change


@kernel
def insertion_change(columns, order, p, q):
    """Return the change of cost when the item at p moves to q."""
    passed = columns[order[p], p + 1 : q + 1] if p < q else columns[order[p], q:p]
    change = np.int64(0)
    for x in range(passed.size):
        change += passed[x]
    return -change if p < q else change


@kernel
def swap_incremental(offsets, members, buckets, units, where, rank, a, b):
    """Change of cost when a and b, a before b, change places: Algorithm 2, ranking by ranking.

    Only items that a ranking puts between a and b can matter to it, as the paper observes:
    for all others the changes of their pairs with a and with b cancel. With ties, items level
    with a or b matter too; where only one of the two is ranked, nothing cancels. `where` has
    the place of each item in each ranking, -1 where it is not ranked.
    """
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
def insertion_incremental(buckets, units, where, order, p, q):
    """Change of cost when the item at p moves to q, ranking by ranking over the items passed."""
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
def full_cost(offsets, members, buckets, units, order, rank):
    """Return the cost of an order from all rankings, as the sum of its Kendall distances."""
    for p in range(order.size):
        rank[order[p]] = p + 1
    return (distances(rank, offsets, members, buckets, False) * units).sum()


@kernel
def move(order, p, q, insertion):
    """Apply a move to an order."""
    a = order[p]
    if not insertion:
        order[p] = order[q]
    elif p < q:
        span = order[p : q + 1]
        for x in range(span.size - 1):
            span[x] = span[x + 1]
    else:
        span = order[q : p + 1]
        for x in range(span.size - 1, 0, -1):
            span[x] = span[x - 1]
    order[q] = a


@kernel
def move_columns(columns, p, q, insertion):
    """Apply the same move to the columns of the laid-out margins."""
    if insertion:
        for a in range(columns.shape[0]):
            move(columns[a], p, q, True)
    else:
        for a in range(columns.shape[0]):
            columns[a, p], columns[a, q] = columns[a, q], columns[a, p]


@kernel
def lads(
    insertion,
    count_all,
    evaluator,
    max_idle,
    step_work,
    move_work,
    budget,
    order,
    best,
    rank,
    columns,
    offsets,
    members,
    buckets,
    units,
    where,
    history,
    state,
    stream,
):
    """Carry on for about `budget` units of work; return whether the search has ended.

    It ends after `max_idle` iterations in a row that did not improve the best: of accepted
    ones, as in the paper's pseudo-code, or of all with `count_all`. A candidate is accepted
    when its cost equals the current one or is below the largest in the cost list. An
    iteration takes `step_work` units, an accepted one `move_work` more.

    Where only accepted iterations count as idle, a strict local optimum could hold the search
    for ever. So it ends too when so many candidates in a row were refused that an acceptable
    neighbour, if there were one, would have been missed with probability exp(-20) or less.
    """
    m = order.size
    cost, lowest = state[COST], state[BEST]
    f_max, count, turn = state[F_MAX], state[COUNT], state[TURN]
    idle, rejected = state[IDLE], state[REJECTED]
    max_rejected = 20 * m * m
    done = 0
    work = 0
    while work < budget and idle < max_idle and rejected < max_rejected:
        work += step_work
        bits = draw(stream)
        p = np.int64(((bits & np.uint64(0xFFFFFFFF)) * np.uint64(m)) >> np.uint64(32))
        q = np.int64(((bits >> np.uint64(32)) * np.uint64(m - 1)) >> np.uint64(32))
        if q >= p:
            q += 1
        if not insertion and p > q:
            p, q = q, p
        if evaluator == PAIRWISE:
            if insertion:
                candidate = cost + insertion_change(columns, order, p, q)
            else:
                candidate = cost + swap_change(columns, order, p, q)
        elif evaluator == INCREMENTAL:
            if insertion:
                candidate = cost + insertion_incremental(buckets, units, where, order, p, q)
            else:
                candidate = cost + swap_incremental(
                    offsets, members, buckets, units, where, rank, order[p], order[q]
                )
        else:
            move(order, p, q, insertion)
            candidate = full_cost(offsets, members, buckets, units, order, rank)
            if insertion:
                move(order, q, p, insertion)
            else:
                move(order, p, q, insertion)
        previous = cost
        if count_all:
            idle += 1
        rejected += 1
        if candidate == cost or candidate < f_max:
            rejected = 0
            work += move_work
            move(order, p, q, insertion)
            if evaluator == PAIRWISE:
                move_columns(columns, p, q, insertion)
            else:
                for x in range(min(p, q), max(p, q) + 1):
                    rank[order[x]] = x + 1
            cost = candidate
            if cost < lowest:
                lowest = cost
                best[:] = order
                idle = 0
            elif not count_all:
                idle += 1
        f_max, count = update_history(history, turn, cost, previous, f_max, count)
        turn += 1
        if turn == history.size:
            turn = 0
        done += 1
    state[COST], state[BEST] = cost, lowest
    state[F_MAX], state[COUNT], state[TURN] = f_max, count, turn
    state[IDLE], state[REJECTED] = idle, rejected
    state[ITERATIONS] += done
    return idle >= max_idle or rejected >= max_rejected
