"""All optimal orders: is the best one the only one?

Orders other than a given one reverse some pair that is adjacent in it: an order that keeps all
of these pairs is the same order. So the others split into cases without overlap: the first i - 1
adjacent pairs are kept, and pair i is reversed. Each case asks for an optimal order under a
relation, which branch and bound finds or rules out; one that is found is split again (Lawler
1972 enumerates solutions this way).

Two items that more weight puts in one order than in the other stand in that order in every
optimal ranking if no path of majorities and ties leads back; so the strongly connected
components of "at least as much weight" can be enumerated apart. Ties join components here, unlike
in `reduction.components`, which asks for one optimal order only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from concordant._kernels import exact
from concordant._kernels import triangles as kernels
from concordant._types import Int64
from concordant.bounds.ascent import Ascent, Relation, exact_bound, never
from concordant.bounds.tree import ComponentProof
from concordant.pairwise import Pairwise
from concordant.reduction import margins_of

_ROUNDS = 60


class _OutOfTime(Exception):
    """The run was over before the question was settled."""


def weak_components(counts: Int64) -> list[Int64]:
    """Split items so that every optimal order lists the parts one after the other.

    Take two items of different parts. All majorities and ties between the parts point forward,
    and none is a tie, or it would point back as well. So in an order that does not list the
    parts in turn, sorting the items by part (and as before within each) puts every pair across
    parts into its strictly cheaper order, and changes no other: it is not optimal.

    Example:
        >>> tie_then_loser = np.array([[0, 1, 3], [1, 0, 3], [0, 0, 0]])
        >>> [part.tolist() for part in weak_components(tie_then_loser)]
        [[0, 1], [2]]
    """
    edges = np.where(margins_of(counts) <= 0, -1, 1).astype(np.int32)
    number, found = exact.components(edges)
    return [np.flatnonzero(number == part) for part in range(found)]


def optimal_orders(
    pairwise: Pairwise, order: Int64, most: int, stop: Callable[[], bool] = never
) -> tuple[list[Int64], bool]:
    """List optimal orders, given one of them.

    Args:
        pairwise: The counts.
        order: An optimal order.
        most: How many to list at most.
        stop: Asked every few milliseconds.

    Returns:
        Up to `most` optimal orders, `order` first, and whether these are known to be all.

    Example:
        >>> tie = Pairwise.from_matrix([[0, 1], [1, 0]])
        >>> orders, complete = optimal_orders(tie, np.array([0, 1]), 5)
        >>> [each.tolist() for each in orders], complete
        ([[0, 1], [1, 0]], True)
    """
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    parts: list[list[Int64]] = [[np.zeros(0, np.int64)]]
    complete = True
    for items in weak_components(pairwise.counts):
        local = np.argsort(place[items])
        if items.size == 1:
            orders = [items]
        else:
            counts = np.ascontiguousarray(pairwise.counts[np.ix_(items, items)])
            orders, settled = _of_part(counts, local, most + 1, stop)
            complete = complete and settled
            orders = [items[each] for each in orders]
        parts.append(orders)
    joined = list(islice(_combine(parts), most + 1))
    complete = complete and len(joined) <= most
    return joined[:most], complete


def quickly_unique(pairwise: Pairwise, order: Int64) -> bool | None:
    """Tell whether an optimal order is the only one where that is plain to see, else None.

    It is, when all weak components are single items. It is not, when two neighbours are tied.

    Example:
        >>> quickly_unique(Pairwise.from_matrix([[0, 2], [1, 0]]), np.array([0, 1]))
        True
    """
    counts = pairwise.counts
    if (counts[order[:-1], order[1:]] == counts[order[1:], order[:-1]]).any():
        return False
    return True if len(weak_components(counts)) == order.size else None


def _combine(parts: list[list[Int64]]) -> Iterator[Int64]:
    """Join one order of each part, in all ways, the first of each first."""
    choice = [0] * len(parts)
    while True:
        yield np.concatenate([part[at] for part, at in zip(parts, choice, strict=True)])
        for p in range(len(parts) - 1, -1, -1):
            choice[p] += 1
            if choice[p] < len(parts[p]):
                break
            choice[p] = 0
        else:
            return


def _of_part(
    counts: Int64, order: Int64, most: int, stop: Callable[[], bool]
) -> tuple[list[Int64], bool]:
    optimum = ComponentProof(counts, order).cost
    found = [order]
    waiting = [(_pairs_of_all_optima(counts, optimum, stop), order)]
    try:
        while waiting:
            relation, known = waiting.pop()
            for case in _cases(relation, known):
                if len(found) >= most:
                    return found, False
                other = _find(counts, case, optimum, stop)
                if other is not None:
                    found.append(other)
                    waiting.append((case, other))
    except _OutOfTime:
        return found, False
    return found, True


def _pairs_of_all_optima(counts: Int64, optimum: int, stop: Callable[[], bool]) -> Relation:
    """Return pairs that exchanges and reduced costs show to be the same in all optima."""
    proof = ComponentProof(counts, cutoff=optimum + 1)
    ascent = Ascent(proof.costs)
    before = proof.start.copy()
    ascent.restrict(before)
    for turn in range(_ROUNDS):
        if not ascent.round(stop):
            break
        if turn % 10 == 9:
            bound = exact_bound(proof.costs, before, ascent.multipliers(ascent.scales()[-1]))
            if bound.step == 0:
                break
            kernels.fix_by_cost(before, bound.reduced, bound.limit(proof.cutoff) - bound.scaled)
            ascent.restrict(before)
    return before


def _cases(relation: Relation, order: Int64) -> Iterator[Relation]:
    """Split the orders that respect a relation, all but one, by the first pair reversed."""
    kept = relation.copy()
    for a, b in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        case = kept.copy()
        if kernels.fix_pair(case, b, a):
            yield case
        kernels.fix_pair(kept, a, b)


def _find(
    counts: Int64, relation: Relation, optimum: int, stop: Callable[[], bool]
) -> Int64 | None:
    """Return an optimal order that respects a relation, or None when there is none."""
    proof = ComponentProof(counts, before=relation, cutoff=optimum + 1)
    while not proof.found and not proof.solved:
        if stop():
            raise _OutOfTime
        proof.step(stop)
    return proof.order if proof.found else None
