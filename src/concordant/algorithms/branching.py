"""The branch and bound methods of the literature: `bnb` (Ali and Meilă) and `dk`.

Both are kept as published, for comparison; `exact` proves more in less time. Both work on the
components of the majority relation, one after the other.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from concordant._checks import at_least
from concordant._kernels import branching as kernels
from concordant._kernels import triangles
from concordant._types import Int64
from concordant.algorithms.scoring import borda_scores, by_score
from concordant.pairwise import Pairwise
from concordant.reduction import components
from concordant.running import Run

# States that the exact form of `bnb` may keep: some gigabytes.
_MOST_STATES = 2_000_000


@dataclass(frozen=True, slots=True)
class BranchSettings:
    """Settings of `bnb`.

    Attributes:
        beam: States kept at each depth. None keeps all: A*, which ends with a proof.
    """

    beam: int | None = 1000

    def __post_init__(self) -> None:
        if self.beam is not None:
            at_least("beam", self.beam, 1)


class _Parts:
    """The best orders of all components, and what is proven about each."""

    def __init__(self, pairwise: Pairwise) -> None:
        self.items = components(pairwise.counts)
        self.counts = [
            np.ascontiguousarray(pairwise.counts[np.ix_(items, items)]) for items in self.items
        ]
        trivial = [int(np.minimum(c, c.T).sum()) // 2 for c in self.counts]
        self._between = pairwise.lower_bound_units() - sum(trivial)
        self.bounds = trivial
        self.orders: list[Int64] = [np.arange(items.size) for items in self.items]

    def report(self, run: Run) -> None:
        """Offer the orders as the incumbent, and the sum of the bounds."""
        run.improve(
            np.concatenate([i[order] for i, order in zip(self.items, self.orders, strict=True)])
        )
        run.raise_bound(self._between + sum(self.bounds))


def bnb(run: Run, settings: BranchSettings) -> None:
    """Build orders from the front, best first or within a beam (Ali and Meilă 2012).

    A state is the set of items placed so far. Placing v next costs, beyond the least that every
    pair costs anyway, the majorities against v among the items left; this makes the search A*
    with the admissible heuristic of Meilă, Phadnis, Patterson and Bilmes (2007). Of two ways to
    place the same set, the cheaper is kept.
    """
    # Something to show when it is interrupted.
    run.improve(by_score(borda_scores(run.pairwise.counts)))
    parts = _Parts(run.pairwise)
    for p, counts in enumerate(parts.counts):
        if counts.shape[0] == 1:
            continue
        for order, bound in _beam(run, counts, settings.beam or 1):
            parts.orders[p], parts.bounds[p] = order, max(parts.bounds[p], bound)
    parts.report(run)
    if settings.beam is not None:
        return
    for p, counts in enumerate(parts.counts):
        if counts.shape[0] > 1 and not run.stop():
            for found, bound in _a_star(run, counts):
                parts.orders[p] = parts.orders[p] if found is None else found
                parts.bounds[p] = max(parts.bounds[p], bound)
                parts.report(run)


def _beam(run: Run, counts: Int64, width: int) -> Iterator[tuple[Int64, int]]:
    """Keep the `width` best sets of each size; yields one order and what it proves."""
    k = counts.shape[0]
    against = np.maximum(counts - counts.T, 0)
    least = int(np.minimum(counts, counts.T).sum()) // 2
    placed = np.zeros((1, k), bool)
    extra = against.sum(axis=0, keepdims=True)
    cost = np.zeros(1, np.int64)
    trail: list[tuple[Int64, Int64]] = []
    complete = True
    for _ in range(k):
        # Out of time, one state is enough to finish an order at once.
        limit = 1 if run.out_of_limits() else width
        total = np.where(placed, np.iinfo(np.int64).max, cost[:, None] + extra)
        # An item that no majority is against may as well come next.
        winner = np.where((extra == 0) & ~placed, np.arange(k), k).min(axis=1)
        keep = (winner == k)[:, None] | (np.arange(k) == winner[:, None])
        parent, item = np.nonzero(keep & ~placed)
        value = total[parent, item]
        best = np.argsort(value, kind="stable")
        # Sets that two parents reach are one. As many of the best are written out as it takes
        # to find enough different ones: all of them would be width · k sets of k items.
        tried = 2 * limit
        while True:
            some = best[:tried]
            new = placed[parent[some]]
            new[np.arange(some.size), item[some]] = True
            packed = np.packbits(new, axis=1)
            rows = packed.view([("", packed.dtype)] * packed.shape[1])
            chosen = np.sort(np.unique(rows, return_index=True)[1])
            if chosen.size > limit or tried >= best.size:
                break
            tried *= 4
        if chosen.size > limit:
            chosen, complete = chosen[:limit], False
        best, placed = some[chosen], new[chosen]
        extra = extra[parent[best]] - against[item[best]]
        cost = value[best]
        trail.append((parent[best], item[best]))
    order = np.empty(k, np.int64)
    at = 0
    for place in range(k - 1, -1, -1):
        order[place] = trail[place][1][at]
        at = int(trail[place][0][at])
    yield order, least + int(cost[0]) if complete else least


def _a_star(run: Run, counts: Int64) -> Iterator[tuple[Int64 | None, int]]:
    """Expand the most promising set first; yields a rising bound, and in the end an order."""
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


def dk(run: Run, settings: None) -> None:
    """Decide pairs, strongest majority first, and backtrack (Davenport and Kalagnanam 2004).

    The first dive is their greedy heuristic: take each majority in turn unless it contradicts
    those taken before, with all that follows by transitivity. After it, decisions are revoked
    from the last. A branch is cut when its decided pairs, the cheaper sides of the others, and
    disjoint cycles of three among these cost as much as the best order.
    """
    parts = _Parts(run.pairwise)
    pairs = []
    for p, counts in enumerate(parts.counts):
        margins = np.triu(np.abs(counts - counts.T), 1)
        rows, columns = np.nonzero(np.triu(np.ones_like(counts), 1))
        by_margin = np.argsort(-margins[rows, columns], kind="stable")
        pairs.append(np.stack([rows, columns], axis=1)[by_margin])
        before = np.zeros(counts.shape, np.int8)
        kernels.dive(counts, before, pairs[-1], 0)
        parts.orders[p] = np.argsort(before.sum(axis=0), kind="stable")
    parts.report(run)
    for p, counts in enumerate(parts.counts):
        if counts.shape[0] > 1 and not run.stop():
            _backtrack(run, parts, p, counts, pairs[p])


def _backtrack(run: Run, parts: _Parts, p: int, counts: Int64, pairs: Int64) -> None:
    pairwise = Pairwise.from_matrix(counts)
    best = pairwise.cost_units(parts.orders[p])
    # Each decision: the place of its pair in the list, and whether it is the second try.
    decisions: list[tuple[int, bool]] = []
    before = np.zeros(counts.shape, np.int8)
    at = 0
    while not run.stop():
        bound = int(kernels.cycle_bound(counts, before))
        at = int(kernels.next_pair(before, pairs, at)) if bound < best else -1
        if at >= 0:
            decisions.append((at, False))
            _decide(counts, before, pairs[at], second=False)
            continue
        if bound < best:
            order = np.argsort(before.sum(axis=0), kind="stable")
            best = pairwise.cost_units(order)
            parts.orders[p] = order
            parts.report(run)
        while decisions and decisions[-1][1]:
            decisions.pop()
        if not decisions:
            parts.bounds[p] = best
            parts.report(run)
            return
        decisions[-1] = decisions[-1][0], True
        before[:] = 0
        for place, second in decisions:
            _decide(counts, before, pairs[place], second=second)
        at = 0


def _decide(counts: Int64, before: np.ndarray, pair: Int64, *, second: bool) -> None:
    """Put a pair in the order of its majority, or in the other one on the second try."""
    a, b = (int(pair[0]), int(pair[1]))
    if (counts[a, b] < counts[b, a]) != second:
        a, b = b, a
    triangles.fix_pair(before, a, b)
