"""What a report tells of a ranking besides its cost: ties, close calls, majorities overruled."""

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

# Best orders of a part that are looked at, and parts that are worth it. A search for them asks
# so often whether to stop; no clock decides, so that the same input gives the same page.
_ORDERS, _LARGEST_PART, _LOOKS = 200, 60, 400


@dataclass(frozen=True)
class Group:
    """Items that stand in a row in every best ranking, in more than one order.

    Attributes:
        first: The position of the first of them, from 0.
        items: Their numbers, in the order of the consensus.
        low, high: The first and the last position of each that was seen, from 0.
        orders: How many of their best orders were seen.
        complete: Whether these are all.
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
        is_unique: Whether there is no other; None where that is open.
        winners: The numbers of the items that are first in some; None where that is open.
        groups: What can change places.
        count: How many best rankings were seen.
        complete: Whether these are all, so that `groups` says all that can change.
    """

    is_unique: bool | None
    winners: tuple[int, ...] | None
    groups: tuple[Group, ...]
    count: int
    complete: bool


def other_optima(result: Consensus, pairwise: Pairwise, order: Int64) -> Others | None:
    """Find the other rankings that are as good, where that is cheap; None if it is not proven.

    What the result says is taken; the rest is computed from the data.

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
        # All optimal orders were seen, so that both questions are settled.
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

    Best orders that are known already are `listed`.
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
                orders, settled = orders_of_part(part, inside, _ORDERS, _patience())
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
    """Return an order, and those with two neighbours exchanged that are tied."""
    orders = [order]
    for i in range(order.size - 1):
        if margins[order[i], order[i + 1]] == 0:
            other = order.copy()
            other[[i, i + 1]] = other[[i + 1, i]]
            orders.append(other)
    return orders


def _patience() -> Callable[[], bool]:
    looks = 0

    def over() -> bool:
        nonlocal looks
        looks += 1
        return looks > _LOOKS

    return over


@dataclass(frozen=True)
class Overruled:
    """A majority that the ranking goes against, and why.

    Attributes:
        path: Positions from the item that the ranking puts first to the one that most put before
            it: each is before the next in the ranking and by a majority, so that these
            majorities and the overruled one run in a circle. Two positions where there is no
            such path: then the ranking is not the best.
        by: By how much the majority that is overruled leads, in units of the matrix.
    """

    path: tuple[int, ...]
    by: int


def overruled(laid_out: Int64, most: int) -> tuple[list[Overruled], int]:
    """Find the majorities that an order goes against, the largest first, and how many there are.

    In an optimal order each of them closes a circle of majorities that the order keeps: take the
    items between the two that such majorities lead to from the first. If the last were not among
    them, to put the others in front of them would cost nothing and win the pair.

    Args:
        laid_out: The counts of the pairs, with rows and columns in the order.
        most: How many to explain at most.

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
    """Return the shortest way forward along majorities from the first row to the last.

    Of the shortest, one whose narrowest majority is widest.
    """
    size = lead.shape[0]
    ahead = np.triu(np.maximum(lead, 0), 1)
    # width[k]: the narrowest majority on the way to k in so many steps, at best.
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
