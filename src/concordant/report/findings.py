"""What a report shows besides the cost: other best rankings and overruled majorities."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from concordant._types import Int64, Margins
from concordant.bounds.uniqueness import settle_uniqueness
from concordant.pairwise import Pairwise
from concordant.reduction.split import Split

if TYPE_CHECKING:
    from concordant.consensus import Consensus

# The largest number of best orders of a part that are listed, the largest part that is searched
# for them, and the number of times that a search may check whether to stop. No time limit decides,
# so the same input gives the same page.
_ORDERS, _LARGEST_PART, _CHECKS = 200, 60, 400


@dataclass(frozen=True)
class Group:
    """Items that are next to each other in every best ranking, in more than one order.

    Attributes:
        first: The position of the first of them, from 0.
        items: Their numbers, in the order of the consensus.
        low, high: The first and the last position of each in the orders found, from 0.
        orders: The number of best orders found.
        complete: Whether these are all best orders.
    """

    first: int
    items: tuple[int, ...]
    low: tuple[int, ...]
    high: tuple[int, ...]
    orders: int
    complete: bool


@dataclass(frozen=True)
class Others:
    """Whether other rankings are as good as a proven one, and what differs in them.

    Attributes:
        is_unique: Whether there is no other; None if that is not known.
        winners: The numbers of the items that are first in some; None if that is not known.
        groups: The items that can change places.
        count: The number of best rankings found.
        complete: Whether these are all, so that no other item can change places.
    """

    is_unique: bool | None
    winners: tuple[int, ...] | None
    groups: tuple[Group, ...]
    count: int
    complete: bool


def other_optima(result: Consensus, pairwise: Pairwise, order: Int64) -> Others | None:
    """Find other rankings that are as good as a proven one, as far as that is cheap.

    Uses what the result states and computes the rest. Returns None if the result is not proven.

    Example:
        >>> from concordant import aggregate
        >>> tie = Pairwise.from_matrix([[0, 2, 4], [2, 0, 4], [0, 0, 0]])
        >>> found = other_optima(aggregate(tie), tie, np.array([0, 1, 2]))
        >>> found.is_unique, found.winners, found.count, [group.items for group in found.groups]
        (False, (0, 1), 2, [(0, 1)])
    """
    if result.status != "optimal":
        return None
    unique, winners = result.is_unique, None
    if result.winners is not None:
        names = result.names_of(result.winners, pairwise.items)
        index = {item: number for number, item in enumerate(pairwise.items)}
        winners = tuple(index[name] for name in names)
    if unique is None or winners is None:
        settled = settle_uniqueness(pairwise, order, lambda: False)
        unique = settled[0] if unique is None else unique
        winners = settled[1] if winners is None else winners
    if unique:
        return Others(True, winners, (), 1, True)
    listed = [
        pairwise.order_of(result.names_of(each, pairwise.items))
        for each in result.alternatives or ()
    ]
    groups, complete = _groups(pairwise, order, listed)
    count = prod(group.orders for group in groups)
    if complete:
        # All optimal orders were found, which answers both questions.
        unique = count == 1
        first = groups[0] if groups and groups[0].first == 0 else None
        winners = (
            (int(order[0]),)
            if first is None
            else tuple(a for a, low in zip(first.items, first.low, strict=True) if low == 0)
        )
    elif count > 1:
        unique = False
    return Others(unique, winners, groups, count, complete)


def _groups(
    pairwise: Pairwise, order: Int64, listed: list[Int64]
) -> tuple[tuple[Group, ...], bool]:
    """Return the items that can change places, part by part, and whether these are all.

    `listed` are best orders that are known already.
    """
    from concordant.bounds.alternatives import orders_of_part

    split = Split.weakly(pairwise)
    found: list[Group] = []
    complete = True
    start = 0
    known = [split.orders(each) for each in listed]
    for p, (part, inside) in enumerate(zip(split.parts, split.orders(order), strict=True)):
        size = part.size
        if size > 1:
            if size <= _LARGEST_PART:
                orders, settled = orders_of_part(part, inside, _ORDERS, _limit())
            else:
                orders, settled = _free_exchanges(part.margins, inside), False
            if not settled:
                both = [*orders, *(each[p] for each in known)]
                orders = [np.array(each) for each in dict.fromkeys(tuple(o.tolist()) for o in both)]
            complete = complete and settled
            place = np.empty((len(orders), size), np.int64)
            for row, each in zip(place, orders, strict=True):
                row[each] = np.arange(size)
            low, high = place.min(axis=0)[inside], place.max(axis=0)[inside]
            if len(orders) > 1:
                found.append(
                    Group(
                        start,
                        tuple(part.items[inside].tolist()),
                        tuple((start + low).tolist()),
                        tuple((start + high).tolist()),
                        len(orders),
                        settled,
                    )
                )
        start += size
    return tuple(found), complete


def _free_exchanges(margins: Margins, order: Int64) -> list[Int64]:
    """Return an order, and each order that exchanges two tied neighbours of it."""
    orders = [order]
    for i in range(order.size - 1):
        if margins[order[i], order[i + 1]] == 0:
            other = order.copy()
            other[[i, i + 1]] = other[[i + 1, i]]
            orders.append(other)
    return orders


def _limit() -> Callable[[], bool]:
    """Return a function that is true from the 401st call on."""
    checks = 0

    def over() -> bool:
        nonlocal checks
        checks += 1
        return checks > _CHECKS

    return over


@dataclass(frozen=True)
class Overruled:
    """A majority that the ranking goes against, and why.

    Attributes:
        path: Positions, from the item that the ranking puts first to the item that the majority
            puts before it. Each is before the next both in the ranking and by a majority, so
            these majorities and the overruled one form a circle. Two positions if there is no
            such path; then the ranking is not optimal.
        by: The margin of the overruled majority, in units of the matrix.
    """

    path: tuple[int, ...]
    by: int


def overruled(laid_out: Int64, most: int) -> tuple[list[Overruled], int]:
    """Find the majorities that an order goes against, the largest first, and their number.

    In an optimal order each of them closes a circle of majorities that the order keeps. Proof:
    take all items between the two that can be reached from the first by such majorities. If the
    last were not among them, the order could move these items behind all others of the range. That
    costs nothing and wins the pair, so the order would not be optimal.

    Args:
        laid_out: The counts of the pairs, with rows and columns in the order.
        most: The largest number of majorities to explain.

    Example:
        >>> found, count = overruled(np.array([[0, 5, 4], [4, 0, 5], [5, 4, 0]]), 10)
        >>> count, found[0]
        (1, Overruled(path=(0, 1, 2), by=1))
    """
    lead = laid_out.astype(np.int64) - laid_out.T
    pairs = np.argwhere(np.triu(lead, 1) < 0)
    by = -lead[pairs[:, 0], pairs[:, 1]]
    chosen = pairs[np.argsort(-by, kind="stable")[:most]]
    found = []
    for first, last in chosen.tolist():
        path = _shortest_path(lead[first : last + 1, first : last + 1])
        found.append(Overruled(tuple(first + step for step in path), int(-lead[first, last])))
    return found, len(pairs)


def _shortest_path(lead: Int64) -> list[int]:
    """Return the shortest forward path of majorities from the first row to the last.

    Of several, one whose smallest majority is largest.
    """
    size = lead.shape[0]
    ahead = np.triu(np.maximum(lead, 0), 1)
    # width[k]: the smallest majority on the best path to k with the present number of steps.
    width, before = ahead[0].copy(), [np.where(ahead[0] > 0, 0, -1)]
    for _ in range(size):
        if width[-1] > 0:
            break
        through = np.minimum(width[:, None], ahead)
        source = through.argmax(axis=0)
        width = through[source, np.arange(size)]
        before.append(np.where(width > 0, source, -1))
        if not width.any():
            return [0, size - 1]
    path = [size - 1]
    for step in reversed(before):
        path.append(int(step[path[-1]]))
    return path[::-1]
