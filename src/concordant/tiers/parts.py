"""A problem with ties taken apart: parts that are solved on their own, and twins that stay tied.

Draw an arc from y to x where x strictly before y is not a cheapest state of the pair. Between the
strongly connected components of this graph, listed so that arcs lead forward, "earlier part
strictly first" is a cheapest state of every pair: no arc leads back. So some optimal answer lists
the parts one after the other, whatever it does inside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from concordant._types import Int64
from concordant.reduction.split import components_of_margins
from concordant.tiers.costs import TierCosts, weak_order_cost

# Sums over pairs of costs below this fit the narrow integers of the search.
_NARROW = 2**31


@dataclass(frozen=True, eq=False)
class TierPart:
    """One part of a problem, with its twins contracted.

    Attributes:
        items: The numbers of its items; the items of a group of twins stand side by side.
        groups: The number of items in each group.
        before, tied: The costs between groups: sums over the pairs of their items.
        inside: What the ties inside the groups cost.
    """

    items: Int64
    groups: Int64
    before: Int64
    tied: Int64
    inside: int

    @property
    def size(self) -> int:
        """The number of groups."""
        return self.groups.size

    @cached_property
    def trivial(self) -> int:
        """The trivial bound of the part."""
        lowest = np.minimum(np.minimum(self.before, self.before.T), self.tied)
        return self.inside + int(lowest.sum()) // 2

    def cost(self, bucket: Int64) -> int:
        """Return the cost of a weak order of the groups."""
        return self.inside + weak_order_cost(self.before, self.tied, bucket)

    @cached_property
    def alpha(self) -> Int64:
        """The cost of y[i, j] = 1 (i is before j or tied with it), relative to `base`."""
        return self.tied - self.before.T

    @cached_property
    def base(self) -> int:
        """What the costs of `alpha` are relative to, with `inside`."""
        return self.inside + int((self.before + self.before.T - self.tied).sum()) // 2

    @cached_property
    def level(self) -> Int64:
        """What a tie of a and x costs more than a before x, as the search needs it."""
        return self._narrow(self.tied - self.before)

    @cached_property
    def behind(self) -> Int64:
        """What x before a costs more than a before x, as the search needs it."""
        return self._narrow(self.before.T - self.before)

    def _narrow(self, matrix: Int64) -> Int64:
        narrow = int(np.abs(matrix).max(initial=0)) < _NARROW
        return np.ascontiguousarray(matrix, np.int32 if narrow else np.int64)

    def of_items(self, bucket: Int64) -> Int64:
        """Return the bucket of each of `items`, given those of the groups."""
        return np.repeat(bucket, self.groups)

    def of_groups(self, bucket: Int64) -> Int64:
        """Return a weak order of the groups, given the buckets of all items of the problem.

        A group stands where the middle one of its items stands.
        """
        inside = bucket[self.items]
        starts = np.cumsum(self.groups) - self.groups
        order = np.lexsort((inside, np.repeat(np.arange(self.size), self.groups)))
        return dense(inside[order][starts + self.groups // 2])


def dense(bucket: Int64) -> Int64:
    """Number buckets 0, 1, 2 … without gaps.

    Example:
        >>> dense(np.array([7, 3, 7])).tolist()
        [1, 0, 1]
    """
    return np.unique(bucket, return_inverse=True)[1].reshape(-1).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TierSplit:
    """All parts, in the order in which some optimal answer lists them.

    Attributes:
        parts: The parts.
        between: What every answer that lists them in turn pays for pairs across parts, which is
            the least that any answer can pay for them.

    Example:
        >>> from concordant.rankings import Rankings
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", "a", "c"], [("a", "b"), "c"]])
        >>> split = TierSplit.of(TierCosts.from_rankings(data))
        >>> [part.items.tolist() for part in split.parts], split.between
        ([[0, 1], [2]], 0)
    """

    parts: tuple[TierPart, ...]
    between: int

    @classmethod
    def of(cls, costs: TierCosts, *, contract: bool = True) -> TierSplit:
        """Split a problem; with `contract`, twins become one."""
        before, tied = costs.before, costs.tied
        # arc[y, x] = -1 where x before y costs more than another state.
        arc = np.where(before > np.minimum(tied, before.T), -1, 0).T.astype(np.int32)
        parts = []
        inner = 0
        for items in components_of_margins(np.ascontiguousarray(arc)):
            block = np.ix_(items, items)
            inner += int(costs.lowest[block].sum())
            parts.append(_part(items, before[block], tied[block], contract))
        return cls(tuple(parts), costs.trivial - inner // 2)

    def join(self, buckets: Sequence[Int64]) -> Int64:
        """Turn a weak order of each part into one of all items."""
        joined = np.empty(sum(part.items.size for part in self.parts), np.int64)
        first = 0
        for part, bucket in zip(self.parts, buckets, strict=True):
            joined[part.items] = first + part.of_items(bucket)
            first += int(bucket.max()) + 1
        return joined


def _part(items: Int64, before: Int64, tied: Int64, contract: bool) -> TierPart:
    groups = twins(before, tied) if contract and items.size > 1 else []
    if len(groups) in (0, items.size):
        return TierPart(items, np.ones(items.size, np.int64), before, tied, 0)
    together = np.concatenate(groups)
    sizes = np.array([group.size for group in groups], np.int64)
    starts = np.cumsum(sizes) - sizes
    block = np.ix_(together, together)

    def summed(matrix: Int64) -> Int64:
        return np.add.reduceat(np.add.reduceat(matrix[block], starts, axis=0), starts, axis=1)

    between_groups = summed(before)
    ties = summed(tied)
    inside = int(np.trace(ties)) // 2
    np.fill_diagonal(between_groups, 0)
    np.fill_diagonal(ties, 0)
    return TierPart(items[together], sizes, between_groups, ties, inside)


def twins(before: Int64, tied: Int64) -> list[Int64]:
    """Partition items into groups that some optimal answer ties.

    Two items are twins when every other item has the same three costs with both, and a tie is the
    cheapest state of the two. In any answer, let u be the item of a group of twins that pays least
    against the items outside. Moving the others into the tier of u makes each pay what u pays
    outside, and all pairs inside the group cost the least that they can.

    Being twins is transitive. Let b be a twin of a and of c. As c sees a and b alike, and a sees b
    and c alike, all pairs among the three have the same costs in both directions.

    Example:
        >>> before = np.array([[0, 2, 1], [2, 0, 1], [4, 4, 0]])
        >>> tied = np.array([[0, 1, 3], [1, 0, 3], [3, 3, 0]])
        >>> [group.tolist() for group in twins(before, tied)]
        [[0, 1], [2]]
    """
    k = before.shape[0]
    rng = np.random.default_rng(k)
    numbers = rng.integers(0, 2**64, (3, k), np.uint64)
    sums = np.zeros(k, np.uint64)
    views = (before, before.T, tied)
    with np.errstate(over="ignore"):
        for matrix, weight in zip(views, numbers, strict=True):
            sums += matrix.astype(np.uint64) @ weight
        # The sum of a row without the columns of the item itself and of the other.
        own = np.zeros((k, k), np.uint64)
        for matrix, weight in zip(views, numbers, strict=True):
            own += matrix.astype(np.uint64) * weight
        alike = sums[:, None] - own == (sums[:, None] - own).T
    alike &= (tied <= before) & (tied <= before.T)
    leader = np.where(alike.any(axis=1), np.argmax(alike, axis=1), np.arange(k))
    leader = np.minimum(leader, np.arange(k))
    groups: list[Int64] = []
    for first in np.unique(leader).tolist():
        group = np.flatnonzero(leader == first)
        groups += (
            [group]
            if _are_twins(before, tied, group)
            else [group[n : n + 1] for n in range(group.size)]
        )
    return sorted(groups, key=lambda group: int(group[0]))


def _are_twins(before: Int64, tied: Int64, group: Int64) -> bool:
    """Check a group exactly: the sums of `twins` could agree by chance."""
    if group.size == 1:
        return True
    outside = np.ones(before.shape[0], bool)
    outside[group] = False
    same = all(
        bool((rows == rows[0]).all())
        for rows in (
            before[group][:, outside],
            before.T[group][:, outside],
            tied[group][:, outside],
        )
    )
    inner = before[np.ix_(group, group)]
    return same and bool((tied[np.ix_(group, group)] <= np.minimum(inner, inner.T)).all())
