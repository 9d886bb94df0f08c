"""Lists all optimal orders, given one of them.

Every other order reverses at least one of the pairs that are adjacent in the given order. So the
other orders split into disjoint cases: in case i, the first i - 1 adjacent pairs keep their order
and pair i is reversed. In each case, branch and bound finds an optimal order or shows that there
is none. A case with an optimal order is split again (Lawler 1972 enumerates solutions this way).

Every optimal order lists the parts of `reduction.weak_components` one after the other, so each
part is enumerated separately. Small parts are enumerated by dynamic programming over subsets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice

import numpy as np

from concordant._kernels import triangles as kernels
from concordant._types import Int64, Relation
from concordant.bounds.ascent import Ascent
from concordant.bounds.multipliers import exact_bound
from concordant.bounds.tree import ComponentProof
from concordant.pairwise import Pairwise
from concordant.reduction.split import Part, Split

_ROUNDS = 60
# The number of orders listed between two calls of `stop`, which takes a few milliseconds.
_JOINED_IN_A_SLICE = 1000


def never() -> bool:
    """Return False: the default of `stop`."""
    return False


class _OutOfTime(Exception):
    """`stop` ended the search before the answer was known."""


def optimal_orders(
    pairwise: Pairwise, order: Int64, most: int, stop: Callable[[], bool] = never
) -> tuple[list[Int64], bool]:
    """List optimal orders, given one of them.

    Args:
        pairwise: The counts.
        order: An optimal order.
        most: The largest number of orders to list.
        stop: Called every few milliseconds; the search ends when it returns True.

    Returns:
        Up to `most` optimal orders, `order` first, and whether it is known that there are no more.

    Example:
        >>> tie = Pairwise.from_matrix([[0, 1], [1, 0]])
        >>> orders, complete = optimal_orders(tie, np.array([0, 1]), 5)
        >>> [each.tolist() for each in orders], complete
        ([[0, 1], [1, 0]], True)
    """
    split = Split.weakly(pairwise)
    listed: list[list[Int64]] = []
    complete = True
    for part, inside in zip(split.parts, split.orders(order), strict=True):
        orders, settled = orders_of_part(part, inside, most + 1, stop)
        complete = complete and settled
        listed.append(orders)
    joined: list[Int64] = []
    for choice in islice(_combine(listed), most + 1):
        if len(joined) % _JOINED_IN_A_SLICE == _JOINED_IN_A_SLICE - 1 and stop():
            return joined, False
        joined.append(split.join(choice))
    complete = complete and len(joined) <= most
    return joined[:most], complete


def _combine(parts: list[list[Int64]]) -> Iterator[list[Int64]]:
    """Yield all combinations of one order of each part; the first has the first of each part."""
    choice = [0] * len(parts)
    while True:
        yield [part[at] for part, at in zip(parts, choice, strict=True)]
        for p in range(len(parts) - 1, -1, -1):
            choice[p] += 1
            if choice[p] < len(parts[p]):
                break
            choice[p] = 0
        else:
            return


def orders_of_part(
    part: Part, order: Int64, most: int, stop: Callable[[], bool] = never
) -> tuple[list[Int64], bool]:
    """Return up to `most` optimal orders of a part, given one, and whether these are all."""
    if part.by_subsets is not None:
        found = [order]
        for each in part.by_subsets.orders():
            if (each == order).all():
                continue
            if len(found) == most or (len(found) % _JOINED_IN_A_SLICE == 0 and stop()):
                return found, False
            found.append(each)
        return found, True
    found = [order]
    try:
        optimum, relation = _settled_pairs(part, order, stop)
        waiting = [(relation, order)]
        while waiting:
            relation, known = waiting.pop()
            for case in _cases(relation, known):
                if len(found) >= most:
                    return found, False
                other = _find(part, case, optimum, stop)
                if other is not None:
                    found.append(other)
                    waiting.append((case, other))
    except _OutOfTime:
        return found, False
    return found, True


def winners_of_part(
    part: Part, order: Int64, stop: Callable[[], bool] = never
) -> tuple[int, ...] | None:
    """Return the items that are first in some optimal order of a part, given one such order.

    Returns None if `stop` ends the search before all of them are known.
    """
    if part.by_subsets is not None:
        return part.by_subsets.winners()
    try:
        optimum, relation = _settled_pairs(part, order, stop)
        first = [int(order[0])]
        for a in np.flatnonzero(~relation.any(axis=0)).tolist():
            case = relation.copy()
            others = (b for b in range(part.size) if b != a)
            if a == order[0] or not all(kernels.fix_pair(case, a, b) for b in others):
                continue
            if _find(part, case, optimum, stop) is not None:
                first.append(a)
    except _OutOfTime:
        return None
    return tuple(sorted(first))


def _settled_pairs(part: Part, order: Int64, stop: Callable[[], bool]) -> tuple[int, Relation]:
    """Return the cost of an optimal order, and pairs in the same order in all optimal orders."""
    optimum = ComponentProof(part, order).cost
    return optimum, _pairs_of_all_optima(part, optimum, stop)


def _pairs_of_all_optima(part: Part, optimum: int, stop: Callable[[], bool]) -> Relation:
    """Return pairs that are in the same order in all optimal orders.

    The exchange rule and the reduced costs find them. There may be more of them.
    """
    proof = ComponentProof(part, cutoff=optimum + 1)
    ascent = Ascent(proof.costs)
    before = proof.start.copy()
    ascent.restrict(before)
    for turn in range(_ROUNDS):
        for _ in ascent.round():
            if stop():
                return before
        if turn % 10 == 9:
            bound = exact_bound(proof.costs, before, ascent.multipliers(ascent.scales()[-1]))
            if bound.step == 0:
                break
            kernels.fix_by_cost(before, bound.reduced, bound.limit(proof.cutoff) - bound.scaled)
            ascent.restrict(before)
    return before


def _cases(relation: Relation, order: Int64) -> Iterator[Relation]:
    """Split the orders that respect a relation, except the given one, by the first pair reversed.

    Yields the relation of each case.
    """
    kept = relation.copy()
    for a, b in zip(order[:-1].tolist(), order[1:].tolist(), strict=True):
        case = kept.copy()
        if kernels.fix_pair(case, b, a):
            yield case
        kernels.fix_pair(kept, a, b)


def _find(part: Part, relation: Relation, optimum: int, stop: Callable[[], bool]) -> Int64 | None:
    """Return an optimal order that respects a relation, or None if there is none."""
    proof = ComponentProof(part, before=relation, cutoff=optimum + 1)
    for _ in proof.slices():
        if proof.found:
            break
        if stop():
            raise _OutOfTime
    return proof.order if proof.found else None
