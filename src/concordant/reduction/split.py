"""`Split`: a problem divided once, before any search, into parts that are solved separately."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from concordant._types import Int64, Margins
from concordant.pairwise import Pairwise, mirrored
from concordant.reduction import subsets
from concordant.reduction.tie_breaking import preference, settle_ties
from concordant.reduction.twins import groups_of_twins

# Twins are searched for in parts of up to this many items: the time grows with its square.
_CONTRACTED = 30_000
# The items of parts of up to this many are sorted, which copies the matrix.
_SORTED = 4_096
# Entries of a matrix that are processed at a time.
_ENTRIES = 2**20
# Up to this many items, plain Python is faster than loading the kernels.
_PLAIN = 100


def margins_of(counts: Int64) -> Margins:
    """Return what a before b costs less what b before a costs, in the narrowest integers.

    Sums of margins are taken in 64 bits, so the type only has to hold single entries.

    Example:
        >>> margins_of(np.array([[0, 3], [1, 0]]))
        array([[ 0, -2],
               [ 2,  0]], dtype=int32)
    """
    if counts.dtype == np.int16:
        kind: Any = np.int16
    else:
        narrow = int(counts.max(initial=0)) - int(counts.min(initial=0)) < 2**31
        kind = np.int32 if narrow else np.int64
    margins: Margins = np.empty(counts.shape, kind)
    for i, j, there, back in mirrored(counts):
        between = np.subtract(back.T, there, dtype=kind, casting="unsafe")
        rows, columns = slice(i, i + there.shape[0]), slice(j, j + there.shape[1])
        margins[rows, columns] = between
        if j > i:
            margins[columns, rows] = -between.T
    return margins


def components(counts: Int64) -> list[Int64]:
    """Split items by the strict majority relation; earlier parts go before later ones.

    Some optimal order lists the parts one after the other: take the strongly connected
    components of "more weight puts a before b than b before a", sorted so that majorities
    between components point forward. Two items of different components then stand in the
    cheaper order, or in one of two equally cheap ones, so pairs across components reach their
    least possible cost together, whatever the order inside each component. An order that is
    optimal inside each component is optimal as a whole (Truchon 1998 calls this the extended
    Condorcet criterion).

    Example:
        >>> cycle_then_loser = np.array([[0, 2, 1, 3], [1, 0, 2, 3], [2, 1, 0, 3], [0, 0, 0, 0]])
        >>> [part.tolist() for part in components(cycle_then_loser)]
        [[0, 1, 2], [3]]
    """
    return components_of_margins(margins_of(counts))


def components_of_margins(margins: Margins) -> list[Int64]:
    """Return the same as `components`, from margins."""
    if margins.shape[0] <= _PLAIN:
        number, found = number_components(margins)
    else:
        from concordant._kernels import exact

        number, found = exact.components(margins)
    by_number = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=found))
    return [np.sort(part) for part in np.split(by_number, ends[:-1])]


def weak_components(margins: Margins) -> list[Int64]:
    """Split items so that every optimal order lists the parts one after the other.

    Take the strongly connected components of "at least as much weight". All majorities and
    ties between parts point forward, and none is a tie, or it would point back as well. So in
    an order that does not list the parts in turn, sorting the items by part (and as before
    within each) puts every pair across parts into its strictly cheaper order, and changes no
    other: it is not optimal. Ties join parts here, unlike in `components`, which asks for one
    optimal order only.

    Example:
        >>> tie_then_loser = np.array([[0, 0, -3], [0, 0, -3], [3, 3, 0]])
        >>> [part.tolist() for part in weak_components(tie_then_loser)]
        [[0, 1], [2]]
    """
    return components_of_margins(np.where(margins <= 0, -1, 1).astype(np.int32))


def number_components(margins: Margins) -> tuple[Int64, int]:
    """Number the strong components in plain Python, as the kernel `exact.components` does."""
    leads_to: list[list[int]] = [[] for _ in margins]
    rows, columns = np.nonzero(margins < 0)
    for a, b in zip(rows.tolist(), columns.tolist(), strict=True):
        leads_to[a].append(b)
    return number_strongly_connected(leads_to)


def number_strongly_connected(leads_to: list[list[int]]) -> tuple[Int64, int]:
    """Number the strong components of a graph, given the successors of each node.

    Tarjan's algorithm (1972), without recursion: the component of each node, numbered so that
    edges between components lead to higher numbers, and how many there are.

    Example:
        >>> number, found = number_strongly_connected([[1], [0, 2], []])
        >>> number.tolist(), found
        ([0, 0, 1], 2)
    """
    m = len(leads_to)
    index, low, component = [-1] * m, [0] * m, [-1] * m
    stack: list[int] = []
    visited = found = 0
    for root in range(m):
        if index[root] >= 0:
            continue
        path = [(root, iter(leads_to[root]))]
        index[root] = low[root] = visited
        visited += 1
        stack.append(root)
        while path:
            a, following = path[-1]
            for b in following:
                if index[b] < 0:
                    index[b] = low[b] = visited
                    visited += 1
                    stack.append(b)
                    path.append((b, iter(leads_to[b])))
                    break
                if component[b] < 0:
                    low[a] = min(low[a], index[b])
            else:
                if low[a] == index[a]:
                    while component[a] < 0:
                        component[stack.pop()] = found
                    found += 1
                path.pop()
                if path:
                    low[path[-1][0]] = min(low[path[-1][0]], low[a])
    # Tarjan's algorithm finds a component after all of its successors: reverse the numbers.
    return found - 1 - np.array(component, np.int64), found


class Part:
    """One component: its items and what any order of them costs.

    Items that stay together (see `twins`) count as one: indices into a part are those of groups.

    Attributes:
        items: The numbers of its items in the whole problem, group by group.
        groups: How many items each group has; None where each has one.
        margins: What a before b costs less what b before a costs, for groups a and b.
        total: The sum of its pairwise counts. An order costs half of the total plus half of the
            margins of all pairs in its order.
        trivial: The sum of the cheaper sides of all pairs: a lower bound.
    """

    def __init__(
        self, items: Int64, margins: Margins, total: int, groups: Int64 | None = None
    ) -> None:
        self.items = items
        self.groups = groups
        self.margins = margins
        self.total = total
        # The cheaper side is half of the sum of both sides less their difference.
        self.trivial = (total - (absolute_sum(margins) // 2 if margins.size > 1 else 0)) // 2

    @classmethod
    def whole(cls, counts: Int64) -> Part:
        """Return all items of a matrix of counts as one part.

        Example:
            >>> Part.whole(np.array([[0, 2], [1, 0]])).cost(np.array([1, 0]))
            2
        """
        return cls(np.arange(counts.shape[0]), margins_of(counts), int(counts.sum()))

    @property
    def size(self) -> int:
        """The number of groups; without groups, the number of items."""
        return int(self.margins.shape[0])

    def contracted(self) -> Part:
        """Return the part with every group of twins as one item.

        Pairs inside a group pay their least cost wherever the group stands. The total keeps twice
        that amount, since an order costs half of the total.
        """
        groups = groups_of_twins(self.margins)
        if len(groups) == self.size:
            return self
        together = np.concatenate(groups)
        sizes = np.array([group.size for group in groups])
        # All pairs between two groups have the same margin: multiply one by their number.
        margins = _block(self.margins, np.array([group[0] for group in groups]))
        largest = int(np.abs(margins).max(initial=0)) * int(sizes.max()) ** 2
        if largest > np.iinfo(margins.dtype).max:
            margins = margins.astype(np.int32 if largest < 2**31 else np.int64)
        kind = margins.dtype
        for a, size in enumerate(sizes.tolist()):
            margins[a] *= (size * sizes).astype(kind)
        # The margins of pairs inside groups, all in their cheaper order.
        inside = sum(
            int(np.triu(self.margins[np.ix_(group, group)], 1).sum(dtype=np.int64))
            for group in groups
            if group.size > 1
        )
        return Part(self.items[together], margins, self.total + inside, sizes)

    def expand(self, order: Int64) -> Int64:
        """Turn an order of the part into the numbers of its items."""
        if self.groups is None:
            return self.items[order]
        starts = np.cumsum(self.groups) - self.groups
        chosen = self.groups[order]
        first = np.repeat(starts[order] - (np.cumsum(chosen) - chosen), chosen)
        return self.items[first + np.arange(self.items.size)]

    def order_in(self, place: Int64) -> Int64:
        """Return the order of the part, given the place of every item of the whole problem.

        A group whose items are apart is moved to the one of its items that stands best. So the
        order costs no more than the items did in their places: see `twins`.
        """
        if self.items.size == 1:
            return np.zeros(1, np.int64)
        order = np.argsort(place[self.items])
        if self.groups is None:
            return order
        sequence = np.repeat(np.arange(self.groups.size), self.groups)[order]
        starts = np.flatnonzero(np.diff(sequence, prepend=-1))
        sequence, sizes = sequence[starts], np.diff(np.append(starts, order.size))
        for group in np.flatnonzero(np.bincount(sequence) > 1).tolist():
            # What the group pays for each stretch of items behind it. Margins between groups are
            # those of two items times the number of pairs.
            pays = self.margins[group, sequence].astype(np.int64) // self.groups[sequence] * sizes
            behind = np.cumsum(pays[::-1])[::-1]
            mine = sequence == group
            best = np.flatnonzero(mine)[np.argmin(behind[mine])]
            sizes[best] = self.groups[group]
            keep = ~mine
            keep[best] = True
            sequence, sizes = sequence[keep], sizes[keep]
        return sequence

    def cost(self, order: Int64) -> int:
        """Return the cost of an order of the part."""
        if self.size <= _PLAIN:
            laid_out = self.margins[np.ix_(order, order)]
            return (self.total + int(np.triu(laid_out, 1).sum(dtype=np.int64))) // 2
        from concordant._kernels.moves import cost_by_margins

        return int(cost_by_margins(self.margins, self.total, order.astype(np.int32)))

    def relative_costs(self) -> tuple[Int64, int]:
        """Return the cost of i before j less that of j before i, for i < j, and the base.

        The base is what the reverse of 0, 1, 2, … costs: an order costs the base and the
        relative costs of all pairs i < j that it has in this order.
        """
        costs = np.triu(self.margins, 1).astype(np.int64)
        return costs, (self.total - int(costs.sum())) // 2

    def excess(self) -> Int64:
        """Return what b before a costs more than a before b, 0 where it costs less."""
        return np.maximum(-self.margins, 0).astype(np.int64)

    @cached_property
    def by_subsets(self) -> subsets.SubsetCosts | None:
        """The least costs of all its subsets; None for larger parts."""
        return subsets.SubsetCosts(self.excess()) if self.size <= subsets.LARGEST else None

    @property
    def is_small(self) -> bool:
        """Whether it is solved by subsets."""
        return self.size <= subsets.LARGEST

    def solution(self) -> tuple[Int64, int]:
        """Return an optimal order and its cost, by subsets; for small parts only."""
        if self.size == 1:
            return np.zeros(1, np.int64), self.trivial
        assert self.by_subsets is not None
        return self.by_subsets.order, self.trivial + self.by_subsets.cost


def absolute_sum(margins: Margins) -> int:
    """Return the sum of the absolute values, some rows at a time."""
    rows = max(1, _ENTRIES // max(1, margins.shape[1]))
    return sum(
        int(np.abs(margins[first : first + rows]).sum(dtype=np.int64))
        for first in range(0, margins.shape[0], rows)
    )


def _block(matrix: Any, items: Int64) -> Any:
    """Return the rows and columns of some items."""
    if items.size <= _PLAIN:
        return np.ascontiguousarray(matrix[items[:, None], items])
    from concordant._kernels import exact

    return exact.block(matrix, items)


def _block_sum(counts: Int64, items: Int64) -> int:
    if items.size <= _PLAIN:
        return int(counts[items[:, None], items].sum())
    from concordant._kernels import exact

    return int(exact.block_sum(counts, items))


class Split:
    """All components in order, and the cost of the pairs between them.

    Attributes:
        parts: The components, in the order in which some optimal order lists them.
        between: The cost of all pairs across parts in an order that lists the parts in turn. No
            order pays less for these pairs.

    Example:
        >>> counts = [[0, 2, 1, 3], [1, 0, 2, 3], [2, 1, 0, 3], [0, 0, 0, 0]]
        >>> split = Split.of(Pairwise.from_matrix(counts))
        >>> [part.items.tolist() for part in split.parts], split.between
        ([[0, 1, 2], [3]], 0)
        >>> split.join([np.array([1, 2, 0]), np.array([0])]).tolist()
        [1, 2, 0, 3]
    """

    def __init__(self, parts: Iterable[Part], between: int) -> None:
        self.parts = tuple(parts)
        self.between = between

    @classmethod
    def of(cls, pairwise: Pairwise, *, contract: bool = True) -> Split:
        """Split a problem by its majorities; items that stay together count as one.

        The items of a part are in the order of `tie_breaking.preference`, so that the solution by
        subsets is the one that the rule prefers, and neither search nor proof depends on the order
        of the items in the file.
        """
        margins = margins_of(pairwise.counts)
        groups = components_of_margins(margins)
        if any(1 < group.size <= _SORTED for group in groups):
            place = preference(pairwise)
            groups = [
                group[np.argsort(place[group])] if group.size <= _SORTED else group
                for group in groups
            ]
        split = cls.by(groups, margins, pairwise)
        if not contract or all(part.size <= subsets.LARGEST for part in split.parts):
            return split
        large = range(subsets.LARGEST + 1, _CONTRACTED + 1)
        parts = [part.contracted() if part.size in large else part for part in split.parts]
        return cls(parts, split.between)

    @classmethod
    def weakly(cls, pairwise: Pairwise) -> Split:
        """Split a problem so that all optimal orders list the parts in turn."""
        margins = margins_of(pairwise.counts)
        return cls.by(weak_components(margins), margins, pairwise)

    @classmethod
    def by(cls, groups: list[Int64], margins: Margins, pairwise: Pairwise) -> Split:
        """Make the parts of a partition in which pairs across groups are in their cheaper order."""
        counts = pairwise.counts
        if len(groups) == 1 and bool((np.diff(groups[0]) == 1).all()):
            return cls([Part(groups[0], margins, int(counts.sum()))], 0)
        parts = [Part(items, _block(margins, items), _block_sum(counts, items)) for items in groups]
        return cls(parts, pairwise.lower_bound_units() - sum(part.trivial for part in parts))

    def sorted_by(self, place: Int64, pairwise: Pairwise) -> Split:
        """Return the same parts, those that no majority orders by the mean place of their items.

        Args:
            place: The place of each item, as `tie_breaking.preference` returns it.
            pairwise: The counts.
        """
        if len(self.parts) < 2:
            return self
        joined = np.concatenate([part.items for part in self.parts])
        starts = np.cumsum([0, *(part.items.size for part in self.parts[:-1])])
        related = pairwise.counts != pairwise.counts.T
        related = np.logical_or.reduceat(related[joined], starts)
        related = np.logical_or.reduceat(related[:, joined], starts, axis=1)
        mean = [place[part.items].mean() for part in self.parts]
        first = [place[part.items].min() for part in self.parts]
        by_mean = np.empty(len(mean), np.int64)
        by_mean[np.lexsort((first, mean))] = np.arange(len(mean))
        order = settle_ties(np.arange(len(mean)), related.astype(np.int32), by_mean)
        return Split([self.parts[p] for p in order.tolist()], self.between)

    def holding(self, top: int) -> int:
        """Return how many of the first parts hold the first `top` places.

        Example:
            >>> counts = [[0, 2, 1, 3], [1, 0, 2, 3], [2, 1, 0, 3], [0, 0, 0, 0]]
            >>> split = Split.of(Pairwise.from_matrix(counts))
            >>> split.holding(1), split.holding(3), split.holding(4)
            (1, 1, 2)
        """
        ends = np.cumsum([part.items.size for part in self.parts])
        return min(len(self.parts), int(np.searchsorted(ends, top)) + 1)

    def join(self, orders: Iterable[Int64]) -> Int64:
        """Turn an order of each part into one of all items."""
        return np.concatenate(
            [part.expand(order) for part, order in zip(self.parts, orders, strict=True)]
        )

    def orders(self, order: Int64) -> list[Int64]:
        """Return the order of each part inside an order of all items."""
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size)
        return [part.order_in(place) for part in self.parts]
