"""Consensus of many small problems at once: each is a row of votes on the pairs of a few labels.

A row holds one whole number for each pair a < b, in the order (0, 1), (0, 2) … (1, 2) …. A
positive number v prefers a before b: the order b before a costs v. A negative number prefers b.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.exact import components
from concordant._kernels.jit import kernel
from concordant._kernels.lads import lads, start_history
from concordant._kernels.moves import lay_out
from concordant._kernels.state import BEST

# The extra cost of the next best order, where it is not known.
UNKNOWN = -1
# Problems solved by subsets at the same time, one in each lane of the vector instructions.
_LANES = 16


@kernel
def _unfold(votes, margins, sums):
    """Fill in the votes of one problem as a matrix, and the sum of each row."""
    m = sums.size
    sums[:] = 0
    k = 0
    for a in range(m):
        margins[a, a] = 0
        for b in range(a + 1, m):
            margins[a, b] = votes[k]
            margins[b, a] = -votes[k]
            sums[a] += votes[k]
            sums[b] -= votes[k]
            k += 1


@kernel
def _follow_majorities(margins, order):
    """Fill in the order that follows every majority; return what the next best order adds.

    Such an order exists, and only one, where the labels beat m - 1, m - 2, … 0 others; else the
    answer is -1. Any other order reverses at least one pair of neighbours, and it is possible to
    reverse only that pair. So the next best order adds the least majority between neighbours.
    """
    m = order.size
    order[:] = -1
    for a in range(m):
        beaten = 0
        for b in range(m):
            if margins[a, b] > 0:
                beaten += 1
            elif margins[a, b] == 0 and a != b:
                return -1
        if order[m - 1 - beaten] >= 0:
            return -1
        order[m - 1 - beaten] = a
    least = np.int64(-1)
    for p in range(1, m):
        margin = margins[order[p - 1], order[p]]
        if least < 0 or margin < least:
            least = margin
    return max(least, 0)


@kernel
def _pay(excess, first, table):
    """Fill in what each label costs behind each set of the labels from `first` on."""
    for a in range(table.shape[0]):
        for s in range(1, table.shape[1]):
            bit = 0
            while not (s >> bit) & 1:
                bit += 1
            table[a, s] = table[a, s & (s - 1)] + excess[a, first + bit]


@kernel
def _subset_costs(excess, low, high, costs):
    """Fill in the least cost of every subset for each lane, as `exact.subset_costs` does for one.

    The numbers are whole and below 2^48. They are stored as floats, because processors have
    vector instructions for the minimum of floats.
    """
    m = excess.shape[0]
    half = m // 2
    _pay(excess, 0, low)
    _pay(excess, half, high)
    mask = (1 << half) - 1
    for s in range(1, 1 << m):
        for lane in range(_LANES):
            costs[s, lane] = 9e18
        for a in range(m):
            if (s >> a) & 1:
                rest = s ^ (1 << a)
                near, far = rest & mask, rest >> half
                for lane in range(_LANES):
                    cost = costs[rest, lane] + low[a, near, lane] + high[a, far, lane]
                    costs[s, lane] = cost if cost < costs[s, lane] else costs[s, lane]


@kernel
def _trace_back(margins, sums, costs, order):
    """Fill in an optimal order from the costs of all subsets; return what the next best adds.

    The order is filled from its end. Where several labels can be last, the one with the least
    sum of votes is taken, and of equal ones the last. The next best order ends with the same
    labels up to some place, and has another label there. What it adds is the least extra cost
    over all places, and 0 where there are several optima.
    """
    m = order.size
    least = -1.0
    chosen = costs.size - 1
    for p in range(m - 1, -1, -1):
        last = -1
        for a in range(m):
            if not (chosen >> a) & 1:
                continue
            cost = costs[chosen ^ (1 << a)] - costs[chosen]
            for b in range(m):
                if (chosen >> b) & 1 and margins[a, b] > 0:
                    cost += margins[a, b]
            if cost > 0:
                if least < 0 or cost < least:
                    least = cost
            elif last < 0:
                last = a
            else:
                least = 0.0
                if sums[a] <= sums[last]:
                    last = a
        order[p] = last
        chosen ^= 1 << last
    return max(least, 0.0)


@kernel
def _descend(margins, order):
    """Improve an order to a local optimum under insertion."""
    m = order.size
    improved = True
    while improved:
        improved = False
        for p in range(m):
            a = order[p]
            best, to = np.int64(0), p
            gain = np.int64(0)
            for q in range(p - 1, -1, -1):
                gain += margins[a, order[q]]
                if gain > best:
                    best, to = gain, q
            gain = np.int64(0)
            for q in range(p + 1, m):
                gain -= margins[a, order[q]]
                if gain > best:
                    best, to = gain, q
            if best > 0:
                improved = True
                step = 1 if to > p else -1
                for q in range(p, to, step):
                    order[q] = order[q + step]
                order[to] = a


@kernel
def _by_sums(sums, order):
    """Sort the labels by falling sum, equal ones by number; return whether any are equal."""
    equal = False
    for a in range(sums.size):
        p = a
        while p > 0 and sums[order[p - 1]] < sums[a]:
            order[p] = order[p - 1]
            p -= 1
        equal |= p > 0 and sums[order[p - 1]] == sums[a]
        order[p] = a
    return equal


@kernel
def kemeny(votes, orders, runners_up):
    """Fill in an order of least cost for each row, and how much more the next best order costs.

    Rows whose majorities contain no cycle take m² steps, other rows 2^m · m.
    """
    n, m = orders.shape
    margins = np.zeros((m, m), np.int64)
    sums = np.zeros(m, np.int64)
    half = m // 2
    excess = np.zeros((m, m, _LANES))
    low = np.zeros((m, 1 << half, _LANES))
    high = np.zeros((m, 1 << (m - half), _LANES))
    costs = np.zeros((1 << m, _LANES))
    waiting = np.zeros(_LANES, np.int64)
    filled = 0
    for i in range(n):
        _unfold(votes[i], margins, sums)
        runners_up[i] = _follow_majorities(margins, orders[i])
        if runners_up[i] < 0:
            for a in range(m):
                for b in range(m):
                    excess[a, b, filled] = max(margins[a, b], 0)
            waiting[filled] = i
            filled += 1
        if filled == _LANES or (filled > 0 and i == n - 1):
            _subset_costs(excess, low, high, costs)
            for lane in range(filled):
                j = waiting[lane]
                _unfold(votes[j], margins, sums)
                runners_up[j] = _trace_back(margins, sums, costs[:, lane], orders[j])
            filled = 0


@kernel
def _part_of(margins, sums, labels):
    """Return the margins and the sums of some labels."""
    size = labels.size
    block = np.zeros((size, size), np.int64)
    own = np.zeros(size, np.int64)
    for p in range(size):
        own[p] = sums[labels[p]]
        for q in range(size):
            block[p, q] = margins[labels[p], labels[q]]
    return block, own


@kernel
def _solve_waiting(size, filled, votes, rows, starts, costs, orders, runners_up):
    """Solve parts of one size: `starts` has the places of their labels in the orders of `rows`.

    Tells in `runners_up` if a part has several optima: 0.
    """
    m = orders.shape[1]
    margins = np.zeros((m, m), np.int64)
    sums = np.zeros(m, np.int64)
    half = size // 2
    excess = np.zeros((size, size, _LANES))
    low = np.zeros((size, 1 << half, _LANES))
    high = np.zeros((size, 1 << (size - half), _LANES))
    for lane in range(filled):
        _unfold(votes[rows[lane]], margins, sums)
        block, _ = _part_of(margins, sums, orders[rows[lane], starts[lane] : starts[lane] + size])
        for a in range(size):
            for b in range(size):
                excess[a, b, lane] = max(block[a, b], 0)
    _subset_costs(excess, low, high, costs)
    order = np.zeros(size, np.int64)
    for lane in range(filled):
        i, start = rows[lane], starts[lane]
        labels = orders[i, start : start + size].copy()
        _unfold(votes[i], margins, sums)
        block, own = _part_of(margins, sums, labels)
        if _trace_back(block, own, costs[: 1 << size, lane], order) == 0:
            runners_up[i] = 0
        for p in range(size):
            orders[i, start + p] = labels[order[p]]


@kernel
def _settle_ties(margins, sums, order):
    """Sort neighbours without a majority by falling sum, equal ones by number.

    Returns whether there are any.
    """
    any_tie = False
    for p in range(1, order.size):
        a = order[p]
        q = p
        while q > 0 and margins[order[q - 1], a] == 0:
            any_tie = True
            other = order[q - 1]
            if sums[other] > sums[a] or (sums[other] == sums[a] and other < a):
                break
            order[q] = order[q - 1]
            q -= 1
        order[q] = a
    return any_tie


@kernel
def kemeny_by_parts(votes, largest, orders, runners_up, proven):
    """Fill in an order of least cost for each row, part by part.

    Some optimal order lists the strong components of the majorities one after the other: see
    `reduction.split`. Components of more than `largest` labels get a local optimum under
    insertion, and `proven` is false. `runners_up` has what the next best order adds where
    majorities contain no cycle, 0 where several optima were seen, and UNKNOWN elsewhere.
    """
    n, m = orders.shape
    margins = np.zeros((m, m), np.int64)
    sums = np.zeros(m, np.int64)
    top = min(m, largest)
    costs = np.zeros((1 << top, _LANES))
    rows = np.zeros((top + 1, _LANES), np.int64)
    starts = np.zeros((top + 1, _LANES), np.int64)
    filled = np.zeros(top + 1, np.int64)
    split = np.zeros(n, np.bool_)
    for i in range(n):
        _unfold(votes[i], margins, sums)
        proven[i] = True
        runners_up[i] = _follow_majorities(margins, orders[i])
        if runners_up[i] >= 0:
            continue
        split[i] = True
        runners_up[i] = UNKNOWN
        number, found = components(-margins)
        start = 0
        for part in range(found):
            size = 0
            for a in range(m):
                if number[a] == part:
                    orders[i, start + size] = a
                    size += 1
            if size > largest:
                proven[i] = False
                labels = orders[i, start : start + size].copy()
                block, own = _part_of(margins, sums, labels)
                order = np.zeros(size, np.int64)
                _by_sums(own, order)
                _descend(block, order)
                for p in range(size):
                    orders[i, start + p] = labels[order[p]]
            elif size > 1:
                rows[size, filled[size]] = i
                starts[size, filled[size]] = start
                filled[size] += 1
                if filled[size] == _LANES:
                    _solve_waiting(
                        size, _LANES, votes, rows[size], starts[size], costs, orders, runners_up
                    )
                    filled[size] = 0
            start += size
    for size in range(2, top + 1):
        if filled[size] > 0:
            _solve_waiting(
                size, filled[size], votes, rows[size], starts[size], costs, orders, runners_up
            )
    for i in range(n):
        if split[i]:
            _unfold(votes[i], margins, sums)
            if _settle_ties(margins, sums, orders[i]):
                runners_up[i] = 0


@kernel
def borda(votes, orders, tied):
    """Sort the labels of each row by their sums of votes; fill in whether any sums are equal."""
    n, m = orders.shape
    margins = np.zeros((m, m), np.int64)
    sums = np.zeros(m, np.int64)
    for i in range(n):
        _unfold(votes[i], margins, sums)
        tied[i] = _by_sums(sums, orders[i])


@kernel
def late_acceptance(votes, rules, ballots, walk, state, orders):
    """Fill in for each row the best order that LADS finds, starting from the sums of votes.

    `walk`, `state` and `rules` are those of `lads`, reused for each problem; `ballots` is empty.
    Every row uses the same random numbers, so that its answer does not depend on other rows.
    """
    n, m = orders.shape
    margins = np.zeros((m, m), np.int64)
    sums = np.zeros(m, np.int64)
    seed = walk.stream[0]
    for i in range(n):
        _unfold(votes[i], margins, sums)
        _by_sums(sums, walk.order)
        copy(walk.order, walk.best)
        # LADS expects what a before b costs.
        for a in range(m):
            for b in range(m):
                margins[a, b] = -margins[a, b]
        lay_out(margins, walk.order, walk.columns)
        cost = np.int64(0)
        for p in range(m):
            for q in range(p + 1, m):
                cost += max(margins[walk.order[p], walk.order[q]], 0)
        state[:] = 0
        walk.stream[0] = seed
        start_history(walk.history, state, cost)
        # The budget is for long searches; these are short.
        while state[BEST] > 0 and not lads(rules, ballots, walk, state, 1_000_000):
            pass
        orders[i] = walk.best
