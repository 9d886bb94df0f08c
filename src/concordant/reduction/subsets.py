"""Solves a few items exactly by dynamic programming over subsets, and lists all optimal orders."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64

# Parts of up to this many items are solved by subsets at once.
LARGEST = 18
# Parts of up to this many items are solved by subsets if a tree does not solve them soon. The costs
# of all subsets of 24 items take 64 or 128 MiB and a fraction of a second; those of 27 items take
# 512 MiB and some seconds.
LARGEST_LATER, _LARGEST_TABLE = 27, 512 << 20
# Up to this many items, plain numpy is faster than loading the kernels, and faster than kernels.
_PLAIN, _TINY = 13, 4
_KERNELS = "concordant._kernels.exact"
# Items that are the columns of the table of a kernel, and the entries filled in one slice, which
# takes a few milliseconds.
_COLUMNS, _SLICE = 10, 1 << 19


class SubsetCosts:
    """The least cost of every subset of a few items, and what follows from it.

    The cheapest order of a set ends in some item: cost[S] is the least of cost[S - a] plus what
    it costs to have all others of S before a (Held and Karp 1962).

    Args:
        excess: excess[a, b] is what b before a costs more than a before b, 0 where it costs
            less. So an order that follows all majorities has cost 0.

    Attributes:
        costs: The least cost of each subset; bit a of its number stands for item a.

    Example:
        >>> cycle = SubsetCosts(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]]))
        >>> cycle.cost, cycle.order.tolist(), cycle.winners()
        (1, [0, 1, 2], (0, 1, 2))
    """

    def __init__(self, excess: Int64, costs: npt.NDArray[Any] | None = None) -> None:
        if costs is None and excess.shape[0] > LARGEST:
            raise ValueError(f"{excess.shape[0]} items have too many subsets")
        self._excess = excess
        if costs is None:
            is_plain = excess.shape[0] <= (_TINY if _KERNELS in sys.modules else _PLAIN)
            costs = costs_plain(excess) if is_plain else _costs_fast(excess)
        self.costs = costs

    @classmethod
    def in_slices(cls, excess: Int64) -> Generator[None, None, SubsetCosts]:
        """Compute the same for as many items as `fits_later`; yields every few milliseconds."""
        if not fits_later(excess):
            raise ValueError(f"{excess.shape[0]} items have too many subsets")
        return cls(excess, (yield from _fill(excess)))

    @property
    def cost(self) -> int:
        """The least cost of an order of all items."""
        return int(self.costs[-1])

    @cached_property
    def order(self) -> Int64:
        """The optimal order that comes first when orders are sorted by their item numbers."""
        pays: list[list[int]] = self._excess.T.tolist()
        inside = list(range(len(pays)))
        left, cost = self.costs.size - 1, self.cost
        order = []
        while inside:
            for a in inside:
                rest = left ^ (1 << a)
                row = pays[a]
                remaining = int(self.costs[rest])
                if remaining + sum([row[b] for b in inside]) == cost:
                    break
            order.append(a)
            inside.remove(a)
            left, cost = rest, remaining
        return np.array(order, np.int64)

    def _last(self, chosen: int) -> Iterator[int]:
        """Yield the items that are last in some optimal order of a set."""
        inside = [a for a in range(self._excess.shape[0]) if chosen >> a & 1]
        for a in inside:
            rest = chosen ^ (1 << a)
            pays = sum(int(self._excess[a, b]) for b in inside)
            if self.costs[rest] + pays == self.costs[chosen]:
                yield a

    def orders(self) -> Iterator[Int64]:
        """Yield all optimal orders, each once."""
        k = self._excess.shape[0]
        order = np.empty(k, np.int64)
        # One iterator over possible last items for each place filled so far, from the end.
        path = [(self.costs.size - 1, self._last(self.costs.size - 1))]
        while path:
            chosen, following = path[-1]
            a = next(following, None)
            if a is None:
                path.pop()
                continue
            order[k - len(path)] = a
            rest = chosen ^ (1 << a)
            if rest:
                path.append((rest, self._last(rest)))
            else:
                yield order.copy()

    def winners(self) -> tuple[int, ...]:
        """Return the items that are first in some optimal order."""
        k, all_items = self._excess.shape[0], self.costs.size - 1
        # With a first, each other item pays for a, and the rest is in its best order.
        first = [
            int(self.costs[all_items ^ (1 << a)]) + int(self._excess[:, a].sum()) for a in range(k)
        ]
        return tuple(a for a in range(k) if first[a] == self.cost)


def fits_later(excess: Int64) -> bool:
    """Return whether the table of all subsets is small enough for `SubsetCosts.in_slices`."""
    k = excess.shape[0]
    return k <= LARGEST_LATER and bool(_entry(excess).itemsize << k <= _LARGEST_TABLE)


def _entry(excess: Int64) -> np.dtype[Any]:
    """Return the type of the entries of a table. Sums fit where the sum of all entries does."""
    return np.dtype(np.int32 if int(excess.sum()) < 2**31 else np.int64)


def costs_plain(excess: Int64) -> Int64:
    """Return the least cost of every subset, layer by layer of sets of one size."""
    k = excess.shape[0]
    pays = np.zeros((k, 1), np.int64)
    sizes = np.zeros(1, np.int64)
    for b in range(k):
        pays = np.concatenate([pays, pays + excess[:, b, None]], axis=1)
        sizes = np.concatenate([sizes, sizes + 1])
    costs = np.full(1 << k, np.iinfo(np.int64).max)
    costs[0] = 0
    by_size = np.split(np.argsort(sizes, kind="stable"), np.cumsum(np.bincount(sizes))[:-1])
    for layer in by_size[1:]:
        for a in range(k):
            with_a = layer[(layer >> a) & 1 == 1]
            rest = with_a ^ (1 << a)
            costs[with_a] = np.minimum(costs[with_a], costs[rest] + pays[a, rest])
    return costs


def _fill(excess: Int64) -> Generator[None, None, npt.NDArray[Any]]:
    """Compute the least cost of every subset by kernels; yields every few milliseconds."""
    from concordant._kernels import exact

    k = excess.shape[0]
    columns = min(k, _COLUMNS)
    rows = k - columns
    kind = _entry(excess).type
    low, high = np.zeros((k, 1 << columns), kind), np.zeros((k, 1 << rows), kind)
    exact.pays_of_subsets(excess.astype(kind), 0, columns, low)
    exact.pays_of_subsets(excess.astype(kind), columns, rows, high)
    costs = np.empty((1 << rows, 1 << columns), kind)
    most = kind(np.iinfo(kind).max)
    step = max(1, _SLICE >> columns)
    for first in range(0, 1 << rows, step):
        exact.subset_costs(low, high, costs, most, first, min(1 << rows, first + step))
        yield
    return costs.reshape(-1)


def _costs_fast(excess: Int64) -> npt.NDArray[Any]:
    filling = _fill(excess)
    while True:
        try:
            next(filling)
        except StopIteration as end:
            table: npt.NDArray[Any] = end.value
            return table
