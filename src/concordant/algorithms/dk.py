"""Branch and bound over pairs, after Davenport and Kalagnanam."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from concordant._kernels import branching as kernels
from concordant._kernels import triangles
from concordant._types import Int64
from concordant.algorithms.branching import Parts, cost_of
from concordant.running import Run

# Elementary steps of one slice, a few milliseconds.
_SLICE = 6_000_000
Relation = npt.NDArray[np.int8]


def dk(run: Run, settings: None) -> None:
    """Decide pairs, strongest majority first, and backtrack (Davenport and Kalagnanam 2004).

    Davenport and Kalagnanam (2004), "A computational study of the Kemeny rule for preference
    aggregation", AAAI. The first dive is their greedy heuristic: take each majority in turn
    unless it contradicts those taken before, with all that follows by transitivity. After it,
    decisions are revoked from the last. A branch is cut when its decided pairs, the cheaper sides
    of the others, and cycles of three among these cost as much as the best order.

    Ours are the components of the majority relation, solved one after the other, and cycles that
    may share a pair, each using what the others leave of its margin. An iteration is a node of
    the tree, a generation a decision that is revoked.
    """
    parts = Parts(run)
    pairs: list[Int64] = []
    try:
        for p, counts in enumerate(parts.counts):
            if counts.shape[0] > 1 and run.stop():
                break
            pairs.append(_by_margin(counts))
            parts.orders[p] = _dive(run, counts, pairs[p], parts.orders[p])
    finally:
        parts.report()
    for p, some in enumerate(pairs):
        if len(some) and not run.stop():
            _backtrack(run, parts, p, some)


def _by_margin(counts: Int64) -> Int64:
    """Return all pairs, those with the largest margins first."""
    rows, columns = np.triu_indices(counts.shape[0], 1)
    margins = np.abs(counts[rows, columns] - counts[columns, rows])
    return np.stack([rows, columns], axis=1)[np.argsort(-margins, kind="stable")]


def _dive(run: Run, counts: Int64, pairs: Int64, otherwise: Int64) -> Int64:
    """Decide all pairs for their majority; out of limits, the rest follows the other order."""
    before = np.zeros(counts.shape, np.int8)
    at = 0
    while True:
        at = int(kernels.dive(counts, before, pairs, at, _SLICE))
        if at == len(pairs):
            return _order_of(before)
        if run.stop():
            break
    rank = np.empty_like(otherwise)
    rank[otherwise] = np.arange(rank.size)
    # An item has all that are before it, and all that are before those: never fewer than they.
    return np.lexsort((rank, before.sum(axis=0, dtype=np.int64)))


def _order_of(before: Relation) -> Int64:
    return np.argsort(before.sum(axis=0, dtype=np.int64), kind="stable")


def _backtrack(run: Run, parts: Parts, p: int, pairs: Int64) -> None:
    counts = parts.counts[p]
    best = cost_of(counts, parts.orders[p])
    # Each decision: the place of its pair in the list, and whether it is the second try.
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
        for number, (place, second) in enumerate(decisions, 1):
            _decide(counts, before, pairs[place], second=second)
            if number % 1000 == 0 and run.stop():
                return
        at = 0


def _bound(run: Run, counts: Int64, before: Relation) -> int | None:
    """Return the bound of a node, or None where limits end the run before it is found."""
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
    """Put a pair in the order of its majority, or in the other one on the second try."""
    a, b = (int(pair[0]), int(pair[1]))
    if (counts[a, b] < counts[b, a]) != second:
        a, b = b, a
    triangles.fix_pair(before, a, b)
