"""Odd walks through triangles: find inequalities of half sums, and improve their multipliers.

Write s[a, b] for 1 minus the value of "a before b". The cycle a, b, c demands s[a, b] + s[b, c]
+ s[c, a] >= 1. Take a closed walk of pairs in which consecutive pairs belong to one triangle, and
add the inequalities of these triangles. A pair of the walk appears in two of them: in the same
direction its coefficient is 2, in opposite directions the pair cancels and leaves 1. The third
pair of each triangle has coefficient 1, and adding s >= 0 makes it 2. So all coefficients are even.
If the constant is odd, half of the sum can be rounded (Chvátal 1973). The walk violates the rounded
inequality if its slack is below 1, where a step costs s[a, b] + s[b, c] + 2 s[c, a] - 1. Möbius
ladders are walks of this kind (Grötschel, Jünger and Reinelt 1985; Caprara and Fischetti 1996 treat
such cuts in general). A shortest path finds them: its nodes are pairs with the parity so far.

Pairs are numbered i · m + j with i < j.
"""

import numpy as np

from concordant._kernels.copying import copy
from concordant._kernels.jit import kernel
from concordant._kernels.triangles import sweep_active


@kernel
def slack(x, a, b):
    """Return 1 minus the value of a before b."""
    return 1.0 - x[a, b] if a < b else x[b, a]


@kernel
def steps_from(x, nodes, number, most, starts, heads, weights, parities):
    """List the steps of all nodes with a weight below `most`; return how many there are.

    `nodes` lists pairs, and number[i, j] is the place of a pair in the list or -1. The arrays are
    filled as far as they reach, so a call with empty ones counts the steps.
    """
    m = x.shape[0]
    found = 0
    for p in range(nodes.shape[0]):
        starts[p] = found
        for side in range(2):
            u, v = (nodes[p, 0], nodes[p, 1]) if side == 0 else (nodes[p, 1], nodes[p, 0])
            one = slack(x, u, v)
            for c in range(m):
                if c == u or c == v:
                    continue
                q = number[min(v, c), max(v, c)]
                if q < 0:
                    continue
                weight = one + slack(x, v, c) + 2.0 * slack(x, c, u) - 1.0
                # The triangle in the other direction has the weight 2 - weight.
                if min(weight, 2.0 - weight) >= most:
                    continue
                if found < heads.size:
                    heads[found] = q
                    weights[found] = max(0.0, min(weight, 2.0 - weight))
                    # Both directions change the parities of both pairs, or of neither.
                    parities[found] = 1 ^ (u > v) ^ (v > c)
                found += 1
    starts[nodes.shape[0]] = found
    return found


@kernel
def push(heap, keys, size, state, key):
    """Add a state to a binary heap; return its new size."""
    at = size
    while at > 0:
        above = (at - 1) >> 1
        if keys[above] <= key:
            break
        heap[at], keys[at] = heap[above], keys[above]
        at = above
    heap[at], keys[at] = state, key
    return size + 1


@kernel
def pop(heap, keys, size):
    """Remove the first state of a binary heap; return its new size."""
    size -= 1
    state, key = heap[size], keys[size]
    at = 0
    while True:
        below = 2 * at + 1
        if below >= size:
            break
        if below + 1 < size and keys[below + 1] < keys[below]:
            below += 1
        if keys[below] >= key:
            break
        heap[at], keys[at] = heap[below], keys[below]
        at = below
    heap[at], keys[at] = state, key
    return size


@kernel
def odd_walk(source, most, starts, heads, weights, parities, distance, came, heap, keys):
    """Find the shortest walk from a pair back to it with odd parity, of length below `most`.

    A state is 2 · node + parity. Steps lead both ways, so the second half of the walk is a path
    from the source too, to the same node with the other parity: only half the length is searched.
    Returns the states at both ends of the middle step, or -1 twice; `came` leads back from each.
    """
    distance[:] = np.inf
    distance[2 * source] = 0.0
    came[2 * source] = -1
    size = push(heap, keys, 0, 2 * source, 0.0)
    one, other = np.int64(-1), np.int64(-1)
    while size:
        state, key = heap[0], keys[0]
        size = pop(heap, keys, size)
        if 2.0 * key >= most:
            break
        if key > distance[state]:
            continue
        for step in range(starts[state >> 1], starts[(state >> 1) + 1]):
            there = key + weights[step]
            target = 2 * heads[step] + ((state & 1) ^ parities[step])
            if there + distance[target ^ 1] < most:
                most = there + distance[target ^ 1]
                one, other = state, target ^ 1
            if 2.0 * there < most and there < distance[target]:
                distance[target] = there
                came[target] = state
                if size < heap.size:
                    size = push(heap, keys, size, target, there)
    return one, other


@kernel
def step_triangle(x, here, there, triangle):
    """Write the triangle of a step between two pairs, as a cycle."""
    v = here[0] if here[0] == there[0] or here[0] == there[1] else here[1]
    u = here[0] + here[1] - v
    c = there[0] + there[1] - v
    weight = slack(x, u, v) + slack(x, v, c) + 2.0 * slack(x, c, u) - 1.0
    forward = weight <= 1.0
    triangle[0] = u if forward else c
    triangle[1] = v
    triangle[2] = c if forward else u


@kernel
def walk_triangles(x, nodes, one, other, came, triangles):
    """Write the triangles of a walk as cycles; return how many, or 0 if there is no room.

    Both halves start at the source; what they have in common is left out.
    """
    room = triangles.shape[0]
    paths = np.empty((2, room), np.int64)
    lengths = np.zeros(2, np.int64)
    for half in range(2):
        state = one if half == 0 else other
        while state >= 0:
            if lengths[half] == room:
                return 0
            paths[half, lengths[half]] = state
            lengths[half] += 1
            state = came[state]
    while (
        min(lengths) > 1 and paths[0, lengths[0] - 2] == paths[1, lengths[1] - 2]
    ):  # The last entries are the source, or the same state already.
        lengths -= 1
    number = lengths[0] + lengths[1] - 1
    if number > room:
        return 0
    step_triangle(x, nodes[one >> 1], nodes[other >> 1], triangles[0])
    number = 1
    for half in range(2):
        for at in range(lengths[half] - 1):
            here, there = nodes[paths[half, at] >> 1], nodes[paths[half, at + 1] >> 1]
            step_triangle(x, here, there, triangles[number])
            number += 1
    return number


@kernel
def half_sum(x, triangles, number, pairs, values):
    """Add up the inequalities of triangles, round and halve.

    Odd coefficients are rounded up where x is near 1, else down; one of them the other way if the
    constant would be even. Writes the pairs and the halved coefficients; a pair that was rounded up
    is written as -1 - pair. Returns the number of pairs, the constant, and the violation.
    """
    m = x.shape[0]
    size = 0
    constant = 0
    for t in range(number):
        for side in range(3):
            a, b = triangles[t, side], triangles[t, (side + 1) % 3]
            pair = min(a, b) * m + max(a, b)
            at = 0
            while at < size and pairs[at] != pair:
                at += 1
            if at == size:
                pairs[at], values[at] = pair, 0
                size += 1
            values[at] += 1 if a < b else -1
            constant -= 1 if a > b else 0
        constant += 2
    nearest, best = -1, np.inf
    for at in range(size):
        if values[at] & 1:
            there = x[pairs[at] // m, pairs[at] % m]
            if abs(there - 0.5) < best:
                nearest, best = at, abs(there - 0.5)
            constant += 1 if there > 0.5 else 0
    if nearest < 0:
        return 0, 0, 0.0
    if not constant & 1:
        # Rounding the other way adds or subtracts 1.
        constant += -1 if x[pairs[nearest] // m, pairs[nearest] % m] > 0.5 else 1
    else:
        nearest = -1
    kept = 0
    lhs = 0.0
    for at in range(size):
        pair, value = pairs[at], values[at]
        there = x[pair // m, pair % m]
        if value & 1:
            up = (there > 0.5) != (at == nearest)
            value += 1 if up else -1
            pair = -1 - pair if up else pair
        elif value == 0:
            continue
        pairs[kept], values[kept] = pair, value // 2
        lhs += values[kept] * there
        kept += 1
    constant = (constant - 1) // 2
    return kept, constant, lhs - constant


@kernel
def find_cuts(
    x, nodes, sources, steps, longest, least, per_pair, known,
    starts, pairs, values, constants, ends, triangles, keys,
):  # fmt: skip
    """Find violated half sums from walks through the source nodes.

    `steps` has the arrays of `steps_from`, `known` the sorted keys of the cuts in use. Fills one
    entry of starts, constants, ends and keys a cut; its pairs are in [starts[c], starts[c + 1]) and
    its triangles in [ends[c], ends[c + 1]). Returns the number of cuts.
    """
    m = x.shape[0]
    first, heads, weights, parities = steps
    count = nodes.shape[0]
    distance = np.empty(2 * count)
    came = np.empty(2 * count, np.int64)
    heap = np.empty(4 * heads.size + 8, np.int64)
    order = np.empty(heap.size)
    used = np.zeros((m, m), np.int32)
    walk = np.empty((24, 3), np.int32)
    some, halves = np.empty(72, np.int64), np.empty(72, np.int64)
    found = 0
    starts[0] = ends[0] = 0
    for source in sources:
        if found == constants.size:
            break
        one, other = odd_walk(
            source, longest, first, heads, weights, parities, distance, came, heap, order
        )
        if one < 0:
            continue
        number = walk_triangles(x, nodes, one, other, came, walk)
        if number == 0:
            continue
        size, constant, violation = half_sum(x, walk, number, some, halves)
        at, end = starts[found], ends[found]
        if size == 0 or violation < least or at + size > pairs.size:
            continue
        if end + number > triangles.shape[0]:
            continue
        key = np.uint64(constant & 0xFFFF)
        crowded = False
        for p in range(size):
            pair = some[p] if some[p] >= 0 else -1 - some[p]
            crowded = crowded or used[pair // m, pair % m] >= per_pair
            mixed = np.uint64(pair * 64 + halves[p] + 32) * np.uint64(0x9E3779B97F4A7C15)
            key += mixed ^ (mixed >> np.uint64(29))
        place = np.searchsorted(known, key)
        new = place == known.size or known[place] != key
        for c in range(found):
            new = new and keys[c] != key
        if crowded or not new:
            continue
        for p in range(size):
            pair = some[p] if some[p] >= 0 else -1 - some[p]
            used[pair // m, pair % m] += 1
            pairs[at + p], values[at + p] = some[p], halves[p]
        for t in range(number):
            copy(walk[t], triangles[end + t])
        keys[found], constants[found] = key, constant
        found += 1
        starts[found], ends[found] = at + size, end + number
    return found


@kernel
def sweep_cuts(smooth, gamma, starts, pairs, values, constants, y, relax):
    """Visit all cuts in turn: give each its best multiplier, with the others fixed.

    Newton's method finds the step d at which the sum of a · clip(u - a · d) over the pairs of the
    cut is its constant. The sum is piecewise linear and falls.
    """
    inverse = 1.0 / gamma
    flat = smooth.reshape(-1)
    for c in range(constants.size):
        step = 0.0
        for _ in range(6):
            total, slope = -constants[c], 0.0
            for p in range(starts[c], starts[c + 1]):
                a = values[p]
                u = 0.5 - flat[pairs[p]] * inverse - a * step
                if u >= 1.0:
                    total += a
                elif u > 0.0:
                    total += a * u
                    slope += a * a
            # A cut that has no multiplier and is not violated stays as it is.
            if abs(total) < 1e-3 or slope == 0.0 or (y[c] == 0.0 and step == 0.0 and total < 0.0):
                break
            step += total / slope
        new = max(0.0, y[c] + relax * gamma * step)
        change = new - y[c]
        if change != 0.0:
            for p in range(starts[c], starts[c + 1]):
                flat[pairs[p]] += values[p] * change
            y[c] = new


@kernel
def sweep_both(
    smooth, gamma, triangles, of_triangles, number, starts, pairs, values, constants, y, passes,
    relax, relax_cuts,
):  # fmt: skip
    """Visit the active triangles and all cuts in turn, `passes` times."""
    for _ in range(passes):
        sweep_active(smooth, gamma, triangles, of_triangles, number, 1, relax)
        sweep_cuts(smooth, gamma, starts, pairs, values, constants, y, relax_cuts)


@kernel
def count_idle(y, idle, patience):
    """Count the rounds without a multiplier of each cut; return how many are below `patience`."""
    staying = 0
    for c in range(y.size):
        idle[c] = 0 if y[c] > 0.0 else idle[c] + 1
        staying += idle[c] < patience
    return staying


@kernel
def load_cuts(starts, pairs, values, y, reduced):
    """Add multipliers of cuts to the reduced costs, which are floats or integers."""
    flat = reduced.reshape(-1)
    for c in range(y.size):
        if y[c] != 0:
            for p in range(starts[c], starts[c + 1]):
                flat[pairs[p]] += values[p] * y[c]
