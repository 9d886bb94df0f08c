"""Which of several equally good orders is the answer: one rule, cheap and neutral.

Where the votes leave open which of two items comes first, the one that is placed before others with
more total weight does. Items that nobody compared with any other come last. Equal items are sorted
by name, with numbers inside names by value. So the answer depends neither on the order of the items
in a file nor, where a problem is solved exactly, on the seed.
"""

from __future__ import annotations

import heapq
import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from concordant._types import Int64, Item, Margins
from concordant.pairwise import Pairwise

_NUMBER = re.compile(r"(\d+)")
# Up to this many items, plain lists are faster than arrays.
_FEW = 64


def preference(pairwise: Pairwise) -> Int64:
    """Return the place of each item by the rule: 0 for the item that comes first.

    Example:
        >>> preference(Pairwise.from_matrix([[0, 0, 0], [0, 0, 5], [0, 1, 0]])).tolist()
        [2, 0, 1]
    """
    wins, losses = pairwise.counts.sum(axis=1), pairwise.counts.sum(axis=0)
    uncompared = (wins == 0) & (losses == 0)
    by_name = np.empty(pairwise.n_items, np.int64)
    by_name[_sorted_by_name(pairwise.items)] = np.arange(pairwise.n_items)
    place = np.empty(pairwise.n_items, np.int64)
    place[np.lexsort((by_name, uncompared, -wins))] = np.arange(pairwise.n_items)
    return place


def _sorted_by_name(items: Sequence[Item]) -> list[int]:
    if all(type(item) is str for item in items):
        return _sorted_texts(tuple(items))
    return sorted(range(len(items)), key=lambda a: _name_key(items[a]))


@lru_cache(maxsize=4)
def _sorted_texts(items: tuple[str, ...]) -> list[int]:
    """Sort the names of many problems about the same items once."""
    return sorted(range(len(items)), key=lambda a: _name_key(items[a]))


def _name_key(item: Item) -> tuple[Any, ...]:
    """Return a key that sorts "item 2" before "item 10", and is different for different names."""
    name = str(item)
    pieces = _NUMBER.split(name)
    # Odd pieces are digits. Each piece is compared with one of its own kind.
    natural = tuple(int(piece) if k % 2 else piece for k, piece in enumerate(pieces))
    return natural, name, type(item).__name__


def settle_ties(order: Int64, margins: Margins, place: Int64) -> Int64:
    """Return the order that the rule prefers among those that differ only in tied pairs.

    Two items keep their order unless their margin is zero, so the cost stays the same. Of all such
    orders, this is the one whose first item the rule prefers, then the second, and so on.

    Args:
        order: An order of some or all items.
        margins: The margins of all items; zero where a pair is tied.
        place: What `preference` returned.

    Example:
        >>> tied = np.array([[0, 0, -1], [0, 0, 0], [1, 0, 0]])
        >>> settle_ties(np.array([0, 1, 2]), tied, np.array([1, 2, 0])).tolist()
        [0, 2, 1]
    """
    if order.size <= _FEW:
        return _settle_few(order, margins, place)
    # How many items before it an item must stay behind.
    waiting = np.zeros(margins.shape[0], np.int64)
    at = np.empty(margins.shape[0], np.int64)
    at[order] = np.arange(order.size)
    for p, a in enumerate(order.tolist()):
        later = order[p + 1 :]
        waiting[later] += margins[a, later] != 0
    free = [(int(place[a]), a) for a in order[waiting[order] == 0].tolist()]
    heapq.heapify(free)
    settled = np.empty_like(order)
    for p in range(order.size):
        a = heapq.heappop(free)[1]
        settled[p] = a
        later = order[at[a] + 1 :]
        behind = later[margins[a, later] != 0]
        waiting[behind] -= 1
        for b in behind[waiting[behind] == 0].tolist():
            heapq.heappush(free, (int(place[b]), b))
    return settled


def _settle_few(order: Int64, margins: Margins, place: Int64) -> Int64:
    """Do the same with lists: a step takes less than a call of numpy."""
    fixed = np.triu(margins[order[:, None], order] != 0, 1)
    waiting = fixed.sum(axis=0).tolist()
    behind: list[list[int]] = [[] for _ in waiting]
    for p, q in zip(*(each.tolist() for each in np.nonzero(fixed)), strict=True):
        behind[p].append(q)
    places = place[order].tolist()
    free = [(places[p], p) for p, number in enumerate(waiting) if number == 0]
    heapq.heapify(free)
    settled = []
    while free:
        p = heapq.heappop(free)[1]
        settled.append(p)
        for q in behind[p]:
            waiting[q] -= 1
            if waiting[q] == 0:
                heapq.heappush(free, (places[q], q))
    return order[settled]
