"""Search over prefixes of an order, after Ali and Meilă: beam search or A*."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from concordant._checks import at_least
from concordant._types import Int64
from concordant.algorithms.branching import Parts
from concordant.algorithms.scoring import borda_of, by_score, counted_in_time
from concordant.running import Run

# The most states that A* keeps: a few gigabytes.
_MOST_STATES = 2_000_000
# The most states times items that a step of the beam evaluates: about 0.1 seconds.
_MOST_CELLS = 4_000_000
_NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True, slots=True)
class BranchSettings:
    """Settings of `bnb`.

    Attributes:
        beam: The number of states kept at each depth; in a component of k items, at most
            4,000,000 / k. None keeps all states: A*, which ends with a proof.
    """

    beam: int | None = 1000

    def __post_init__(self) -> None:
        if self.beam is not None:
            at_least("beam", self.beam, 1)


def bnb(run: Run, settings: BranchSettings) -> None:
    """Build orders from the front, best first or within a beam (after Ali and Meilă 2012).

    Ali and Meilă (2012), "Experiments with Kemeny ranking: what works when?", Mathematical Social
    Sciences 64. A state is the set of items placed so far. Placing v next costs, beyond the least
    that every pair costs anyway, the majorities against v among the items left; this makes the
    search A* with the admissible heuristic of Meilă, Phadnis, Patterson and Bilmes (2007).

    Ours: components of the majority relation are solved one after the other; only the cheapest
    order of each set of placed items is kept; and an item that loses to no remaining item is
    placed next at once. An iteration expands one state. A generation is a depth of the beam, or a
    state of A*.
    """
    if not counted_in_time(run):
        return
    # An answer for a run that is interrupted.
    run.improve(by_score(borda_of(run)))
    if run.stop():
        return
    parts = Parts(run)
    try:
        for p, counts in enumerate(parts.counts):
            if counts.shape[0] > 1:
                if run.stop():
                    break
                width = settings.beam or 1
                parts.orders[p], parts.bounds[p] = _beam(run, counts, parts.bounds[p], width)
    finally:
        parts.report()
    if settings.beam is not None:
        return
    for p, counts in enumerate(parts.counts):
        if counts.shape[0] > 1 and not run.stop():
            for found, bound in _a_star(run, counts):
                parts.orders[p] = parts.orders[p] if found is None else found
                parts.bounds[p] = max(parts.bounds[p], bound)
                parts.report()


def _beam(run: Run, counts: Int64, least: int, width: int) -> tuple[Int64, int]:
    """Keep the `width` best sets of each size; return an order and a lower bound.

    `least` is the cost of the cheaper sides of all pairs.
    """
    k = counts.shape[0]
    width = min(width, max(1, _MOST_CELLS // k))
    against = np.maximum(counts - counts.T, 0)
    placed = np.zeros((1, k), bool)
    # extra[s, v] is the cost of placing v next in state s.
    extra = against.sum(axis=0, keepdims=True)
    cost = np.zeros(1, np.int64)
    trail: list[tuple[Int64, Int64]] = []
    complete = True
    while len(trail) < k and not run.stop():
        value = np.where(placed, _NEVER, cost[:, None] + extra)
        # An item that loses to no remaining item can always be placed next.
        free = (extra == 0) & ~placed
        won = free.any(axis=1)
        others = np.arange(k) != free[won].argmax(axis=1)[:, None]
        value[won] = np.where(others, _NEVER, value[won])
        run.iterations += len(placed)
        run.generations += 1
        best, new, enough = _best_sets(value, placed, width)
        complete &= enough
        placed = new
        parent, item = np.divmod(best, k)
        extra = extra[parent] - against[item]
        cost = value.ravel()[best]
        trail.append((parent, item))
    # Out of limits, the cheapest state is completed greedily.
    rest: list[int] = []
    left = extra[0].copy()
    done, reached = placed[0].copy(), int(cost[0])
    complete &= len(trail) == k
    while len(trail) + len(rest) < k:
        rest.append(int(np.where(done, _NEVER, left).argmin()))
        reached += int(left[rest[-1]])
        left -= against[rest[-1]]
        done[rest[-1]] = True
    order = np.empty(k, np.int64)
    order[len(trail) :] = rest
    at = 0
    for place in range(len(trail) - 1, -1, -1):
        order[place] = trail[place][1][at]
        at = int(trail[place][0][at])
    return order, least + reached if complete else least


def _best_sets(
    value: Int64, placed: np.ndarray[tuple[int, int], np.dtype[np.bool_]], width: int
) -> tuple[Int64, np.ndarray[tuple[int, int], np.dtype[np.bool_]], bool]:
    """Return the cells of the `width` cheapest distinct sets, the sets, and whether that is all.

    A cell is a state and the item that it places. Only as many of the cheapest cells are expanded
    to sets as are needed: all of them would be width · k sets of k items.
    """
    k = placed.shape[1]
    flat = value.ravel()
    n_cells = int((flat != _NEVER).sum())
    tried = 2 * width
    while True:
        tried = min(tried, n_cells)
        limit = np.partition(flat, tried - 1)[tried - 1]
        cells = np.flatnonzero(flat <= limit)
        cells = cells[np.argsort(flat[cells], kind="stable")][:tried]
        parent, item = np.divmod(cells, k)
        new = placed[parent]
        new[np.arange(cells.size), item] = True
        first: dict[bytes, int] = {}
        for number, packed in enumerate(np.packbits(new, axis=1)):
            first.setdefault(packed.tobytes(), number)
        if len(first) > width or tried == n_cells:
            chosen = np.fromiter(first.values(), np.int64)[:width]
            return cells[chosen], new[chosen], len(first) <= width
        tried *= 4


def _a_star(run: Run, counts: Int64) -> Iterator[tuple[Int64 | None, int]]:
    """Expand the most promising set first; yield rising bounds, and finally an order."""
    k = counts.shape[0]
    against = np.maximum(counts - counts.T, 0)
    least = int(np.minimum(counts, counts.T).sum()) // 2
    start = bytes(k)
    known: dict[bytes, tuple[int, bytes, int]] = {start: (0, start, -1)}
    queue = [(0, 0, start)]
    closed: set[bytes] = set()
    reported = 0
    while queue:
        cost, depth, state = heapq.heappop(queue)
        if state in closed:
            continue
        closed.add(state)
        if -depth == k:
            order = []
            while state != start:
                _, before, item = known[state]
                order.append(item)
                state = before
            yield np.array(order[::-1]), least + cost
            return
        if cost > reported:
            reported = cost
            yield None, least + cost
        run.iterations += 1
        run.generations += 1
        if run.stop() or len(known) > _MOST_STATES:
            return
        left = np.flatnonzero(np.frombuffer(state, np.uint8) == 0)
        extra = against[np.ix_(left, left)].sum(axis=0)
        free = np.flatnonzero(extra == 0)
        for at in free[:1].tolist() or range(left.size):
            item, total = int(left[at]), cost + int(extra[at])
            child = bytearray(state)
            child[item] = 1
            key = bytes(child)
            if key not in known or total < known[key][0]:
                known[key] = total, state, item
                heapq.heappush(queue, (total, depth - 1, key))
