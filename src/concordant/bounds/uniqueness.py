"""Checks whether an optimal order, and its winner, is the only one, if that takes little time.

Every optimal order lists the parts of `reduction.weak_components` one after the other. So an order
is the only optimal one if it is so in each part, and the winner depends on the first part only.
Small parts are settled by dynamic programming over subsets, and parts of medium size by a proof of
limited length. In larger parts, only one case is checked: a single item can move at no cost.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from concordant._types import Int64, Margins
from concordant.pairwise import Pairwise
from concordant.reduction.split import Part, Split

# The largest part for which a proof is tried, and the largest number of slices of the proof.
_LARGEST, _SLICES = 60, 400


def free_move(margins: Margins, order: Int64) -> bool:
    """Return whether some item can move to another place in an order at no cost.

    Example:
        >>> free_move(np.array([[0, -1, -1], [1, 0, 0], [1, 0, 0]]), np.array([0, 2, 1]))
        True
    """
    laid_out = margins[np.ix_(order, order)].astype(np.int64)
    to_the_right = np.cumsum(np.triu(laid_out, 1), axis=1)
    to_the_left = np.cumsum(np.tril(laid_out, -1)[:, ::-1], axis=1)[:, ::-1]
    return bool((np.triu(to_the_right == 0, 1)).any() or (np.tril(to_the_left == 0, -1)).any())


def settle_uniqueness(
    pairwise: Pairwise, order: Int64, stop: Callable[[], bool]
) -> tuple[bool | None, tuple[int, ...] | None]:
    """Return whether an optimal order is the only one, and the items first in some optimal order.

    Each of the two is None if it could not be settled in little time.

    Example:
        >>> pairs = Pairwise.from_matrix([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
        >>> settle_uniqueness(pairs, np.array([0, 1, 2]), lambda: False)
        (False, (0, 1, 2))
    """
    split = Split.weakly(pairwise)
    orders = split.orders(order)
    unique: bool | None = True
    # Small parts first: a part with two optimal orders settles the question.
    for p in sorted(range(len(orders)), key=lambda p: split.parts[p].size):
        alone = _only_order(split.parts[p], orders[p], stop)
        if not alone:
            unique = alone
        if unique is False:
            break
    if unique:
        return True, (int(order[0]),)
    first = split.parts[0]
    winners = _winners(first, orders[0], stop)
    return unique, None if winners is None else tuple(first.items[list(winners)].tolist())


def _limited(stop: Callable[[], bool]) -> Callable[[], bool]:
    """Return a `stop` that also ends the proof after a fixed number of calls."""
    calls = 0

    def over() -> bool:
        nonlocal calls
        calls += 1
        return calls > _SLICES or stop()

    return over


def _only_order(part: Part, order: Int64, stop: Callable[[], bool]) -> bool | None:
    if part.size == 1:
        return True
    if part.by_subsets is not None:
        return len([*zip(range(2), part.by_subsets.orders(), strict=False)]) == 1
    if free_move(part.margins, order):
        return False
    if part.size > _LARGEST:
        return None
    from concordant.bounds.alternatives import orders_of_part

    orders, complete = orders_of_part(part, order, 2, _limited(stop))
    return False if len(orders) > 1 else (True if complete else None)


def _winners(part: Part, order: Int64, stop: Callable[[], bool]) -> tuple[int, ...] | None:
    if part.size == 1:
        return (0,)
    if part.by_subsets is not None:
        return part.by_subsets.winners()
    if part.size > _LARGEST:
        return None
    from concordant.bounds.alternatives import winners_of_part

    return winners_of_part(part, order, _limited(stop))
