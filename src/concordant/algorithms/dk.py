"""Branch and bound over pairs, after Davenport and Kalagnanam."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from concordant._kernels import branching as kernels
from concordant._kernels import triangles
from concordant._types import Int64, Margins
from concordant.algorithms.branching import Parts, cost_of
from concordant.algorithms.scoring import counted_in_time, pieces_by_value
from concordant.pairwise import mirrored
from concordant.running import Run

# Elementary steps between two checks of the limits: a few milliseconds.
_SLICE = 6_000_000
# Pairs that are sorted at a time.
_SORTED = 300_000
Relation = npt.NDArray[np.int8]


def dk(run: Run, settings: None) -> None:
    """Decide pairs, strongest majority first, and backtrack (Davenport and Kalagnanam 2004).

    Davenport and Kalagnanam (2004), "A computational study of the Kemeny rule for preference
    aggregation", AAAI. The first dive is their greedy heuristic: take each majority in turn,
    with all that follows by transitivity, unless it contradicts those taken before. Then decisions
    are revoked, the last one first. A branch is cut when its decided pairs, the cheaper sides of
    the others, and cycles of three among these cost as much as the best order.

    Ours: components of the majority relation are solved one after the other, and cycles may share
    a pair as long as they use no more than its margin together. An iteration is a node of the
    tree, a generation is a revoked decision.
    """
    if not counted_in_time(run):
        return
    parts = Parts(run)
    pairs: list[Int64] = []
    try:
        for p, counts in enumerate(parts.counts):
            if counts.shape[0] > 1 and run.stop():
                break
            parts.orders[p], some = _dive(run, counts, parts.orders[p])
            pairs.append(some)
    finally:
        parts.report()
    for p, some in enumerate(pairs):
        if len(some) and not run.stop():
            _backtrack(run, parts, p, some)


def _by_margin(run: Run, counts: Int64) -> Iterator[Int64]:
    """Yield all pairs, those with the largest margins first, in pieces; fewer out of limits."""
    # Only a < b counts: 0 elsewhere, and one more than the margin there.
    size: Margins = np.zeros(counts.shape, np.int64)
    for i, j, there, back in mirrored(counts):
        if j == i > 0 and run.stop():
            return
        margins = np.abs(there.astype(np.int64) - back.T) + 1
        size[i : i + there.shape[0], j : j + there.shape[1]] = (
            margins if j > i else np.triu(margins, 1)
        )
    size = size.ravel()
    for piece in pieces_by_value(size, 1, _SORTED, run.stop):
        piece = piece[np.argsort(-size[piece], kind="stable")]
        yield np.stack(np.divmod(piece, counts.shape[0]), axis=1)


def _dive(run: Run, counts: Int64, otherwise: Int64) -> tuple[Int64, Int64]:
    """Decide all pairs for their majority; return the order and the pairs as they were decided.

    Out of limits, pairs that are not decided follow the other order, and no pairs are returned.
    """
    m = counts.shape[0]
    before = np.zeros(counts.shape, np.int8)
    decided = [np.zeros((0, 2), np.int64)]
    over = False
    for pairs in _by_margin(run, counts):
        at = 0
        while not over and at < len(pairs):
            at = int(kernels.dive(counts, before, pairs, at, _SLICE))
            over = at < len(pairs) and run.stop()
        if over:
            break
        decided.append(pairs)
    if sum(map(len, decided)) == m * (m - 1) // 2:
        return _order_of(before), np.concatenate(decided)
    rank = np.empty_like(otherwise)
    rank[otherwise] = np.arange(rank.size)
    # Whatever is before an item's predecessors is before the item: no item has fewer than they.
    return np.lexsort((rank, before.sum(axis=0, dtype=np.int64))), decided[0]


def _order_of(before: Relation) -> Int64:
    return np.argsort(before.sum(axis=0, dtype=np.int64), kind="stable")


def _backtrack(run: Run, parts: Parts, p: int, pairs: Int64) -> None:
    counts = parts.counts[p]
    best = cost_of(counts, parts.orders[p])
    # Each decision: the index of its pair in the list, and whether it is the second attempt.
    decisions: list[tuple[int, bool]] = []
    before = np.zeros(counts.shape, np.int8)
    at = 0
    while not run.stop():
        bound = _bound(run, counts, before)
        if bound is None:
            return
        run.iterations += 1
        at = int(kernels.next_pair(before, pairs, at)) if bound < best else -1
        if at >= 0:
            decisions.append((at, False))
            _decide(counts, before, pairs[at], second=False)
            continue
        if bound < best:
            parts.orders[p] = _order_of(before)
            best = cost_of(counts, parts.orders[p])
            parts.report()
        while decisions and decisions[-1][1]:
            decisions.pop()
        if not decisions:
            parts.bounds[p] = best
            parts.report()
            return
        run.generations += 1
        decisions[-1] = decisions[-1][0], True
        before[:] = 0
        often = max(1, min(1000, _SLICE // counts.size))
        for number, (place, second) in enumerate(decisions, 1):
            _decide(counts, before, pairs[place], second=second)
            if number % often == 0 and run.stop():
                return
        at = 0


def _bound(run: Run, counts: Int64, before: Relation) -> int | None:
    """Return the bound of a node, or None if limits end the run before it is found."""
    margin = np.empty(counts.shape, np.int64)
    total = int(kernels.decided_cost(counts, before, margin))
    first = 0
    while True:
        first, found = kernels.pack_cycles(margin, first, _SLICE)
        total += int(found)
        if first == counts.shape[0]:
            return total
        if run.stop():
            return None


def _decide(counts: Int64, before: Relation, pair: Int64, *, second: bool) -> None:
    """Put a pair in the order of its majority, or in the other order on the second attempt."""
    a, b = (int(pair[0]), int(pair[1]))
    if (counts[a, b] < counts[b, a]) != second:
        a, b = b, a
    triangles.fix_pair(before, a, b)
