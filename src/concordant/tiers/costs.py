"""What each state of a pair costs in an answer with ties, in exact integers.

Of two items, an answer puts one strictly before the other or ties them. With penalties p and q, a
ranking of weight 1 that ranks both items charges the answer

- 1 where both order the pair strictly and in opposite ways,
- p where the ranking orders the pair and the answer ties it,
- q where the ranking ties the pair and the answer orders it,
- nothing where they agree.

With q = p this is the generalised Kendall distance of Fagin and others (2006).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import gcd, lcm

import numpy as np

from concordant._checks import between
from concordant._types import Int64
from concordant.constraints import Forced, penalty_of
from concordant.errors import InputError, SettingError
from concordant.pairwise import Pairwise, value_of
from concordant.rankings import Item, Rankings
from concordant.units import LARGEST


def exact_penalty(name: str, value: float | Fraction) -> Fraction:
    """Return a penalty from 0 to 1 as the fraction that it is written as.

    Example:
        >>> exact_penalty("tie_penalty", 0.1), exact_penalty("tie_penalty", Fraction(1, 3))
        (Fraction(1, 10), Fraction(1, 3))
    """
    between(name, float(value) if isinstance(value, Fraction) else value, 0, 1)
    return value if isinstance(value, Fraction) else Fraction(str(float(value)))


@dataclass(frozen=True, eq=False)
class TierCosts:
    """The costs of the three states of every pair of items.

    Attributes:
        items: The names of the items.
        before: before[a, b] is what a strictly before b costs, in units of 1 / `scale`.
        tied: What a tie of the two costs; symmetric.
        scale: The number of units in a cost of 1.

    Example:
        >>> data = Rankings.from_orders([["a", "b"], [("a", "b")]], weights=[2, 3])
        >>> costs = TierCosts.from_rankings(data, tie_penalty=0.5)
        >>> costs.before.tolist(), costs.tied.tolist(), costs.scale
        ([[0, 3], [7, 0]], [[0, 2], [2, 0]], 2)
        >>> costs.cost([("a", "b")]), costs.cost([("a",), ("b",)])
        (1, 1.5)
    """

    items: tuple[Item, ...]
    before: Int64
    tied: Int64
    scale: int = 1

    def __post_init__(self) -> None:
        np.fill_diagonal(self.before, 0)
        np.fill_diagonal(self.tied, 0)
        self.before.flags.writeable = False
        self.tied.flags.writeable = False

    @classmethod
    def from_rankings(
        cls,
        rankings: Rankings,
        tie_penalty: float | Fraction = 0.5,
        vote_tie_penalty: float | Fraction | None = None,
    ) -> TierCosts:
        """Count the pairs of rankings.

        Args:
            rankings: The input.
            tie_penalty: p, what a strict vote charges a tied answer.
            vote_tie_penalty: q, what a tied vote charges a strict answer; p by default.
        """
        return cls.from_counts(Pairwise.from_rankings(rankings), tie_penalty, vote_tie_penalty)

    @classmethod
    def from_counts(
        cls,
        pairwise: Pairwise,
        tie_penalty: float | Fraction = 0.5,
        vote_tie_penalty: float | Fraction | None = None,
    ) -> TierCosts:
        """Take the counts of ordered and of tied pairs.

        Raises:
            InputError: The counts do not include how often pairs were tied.

        Example:
            >>> matrix = Pairwise.from_matrix([[0, 3], [1, 0]])
            >>> TierCosts.from_counts(matrix, tie_penalty=1).tied.tolist()
            [[0, 4], [4, 0]]
        """
        p = exact_penalty("tie_penalty", tie_penalty)
        q = p if vote_tie_penalty is None else exact_penalty("vote_tie_penalty", vote_tie_penalty)
        counts = pairwise.counts.astype(np.int64)
        both = counts + counts.T
        ties = pairwise.tied
        if ties is None:
            raise InputError(
                "these counts do not include how many rankings tie each pair, which an answer with "
                "ties needs. Count the rankings again with this version, or pass the rankings"
            )
        ties = ties.astype(np.int64)
        factor = lcm(p.denominator, q.denominator)
        m = counts.shape[0]
        most = int(np.abs(counts).max(initial=0)) + int(np.abs(both).max(initial=0))
        if (most + int(ties.max(initial=0))) * factor * m * m >= LARGEST:
            raise SettingError(
                f"the weights are too large to add up exactly with penalties of {p} and {q} "
                "(2**62): round the weights or the penalties to fewer decimals"
            )
        before = np.ascontiguousarray(factor * counts.T + int(q * factor) * ties)
        tied = int(p * factor) * both
        # A common divisor of all costs only makes numbers larger than they have to be.
        common = _common_divisor(_common_divisor(factor, before), tied)
        if common > 1:
            before, tied = before // common, tied // common
        return cls(pairwise.items, before, tied, pairwise.scale * factor // common)

    def forcing(self, forced: Forced) -> TierCosts:
        """Return the costs in which a forced pair decides against all free pairs together.

        Example:
            >>> costs = TierCosts.from_counts(Pairwise.from_matrix([[0, 3], [1, 0]]), tie_penalty=1)
            >>> costs.forcing(np.array([[False, False], [True, False]])).before.tolist()
            [[0, 4], [3, 0]]
        """
        before, tied = self.before.copy(), self.tied.copy()
        dearest = np.maximum(np.maximum(before, before.T), tied)
        free = dearest - np.minimum(np.minimum(before, before.T), tied)
        free[forced | forced.T] = 0
        penalty = penalty_of(free, int(np.abs(dearest).max(initial=0)))
        before.T[forced] = before[forced] + penalty
        tied[forced] = before[forced] + penalty
        tied.T[forced] = before[forced] + penalty
        return TierCosts(self.items, before, tied, self.scale)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    def value(self, units: int) -> int | float:
        """Turn an integer in units of 1 / scale into a number for people."""
        return value_of(units, self.scale)

    def cost_units(self, bucket: Int64) -> int:
        """Return the cost of a weak order, given the number of the bucket of each item."""
        return weak_order_cost(self.before, self.tied, bucket)

    def cost(self, tiers: list[tuple[Item, ...]]) -> int | float:
        """Return the cost of tiers of item names, best first; each item is in one tier."""
        number = {item: a for a, item in enumerate(self.items)}
        bucket = np.full(self.n_items, -1, np.int64)
        for k, tier in enumerate(tiers):
            bucket[[number[item] for item in tier]] = k
        assert bool((bucket >= 0).all()), "an item is in no tier"
        units = self.cost_units(bucket)
        return units // self.scale if units % self.scale == 0 else self.value(units)

    @cached_property
    def lowest(self) -> Int64:
        """The least cost of each pair over its three states."""
        return np.minimum(np.minimum(self.before, self.before.T), self.tied)

    @cached_property
    def trivial(self) -> int:
        """The trivial bound: every pair costs the least that it can, in units."""
        return int(self.lowest.sum()) // 2

    @cached_property
    def strict_suffices(self) -> bool:
        """Whether some optimal answer has no ties.

        It has where no tie costs less than the mean of the two orders of its pair: a tier can
        then be replaced by one of its orders or by the reverse, whichever costs less.

        Example:
            >>> data = Rankings.from_orders([["a", "b"], ["b", "a"]])
            >>> TierCosts.from_rankings(data, tie_penalty=0.5).strict_suffices
            True
        """
        return bool((2 * self.tied >= self.before + self.before.T).all())

    def tiers(self, bucket: Int64) -> tuple[tuple[Item, ...], ...]:
        """Return the tiers of a weak order as item names, best first."""
        order = np.argsort(bucket, kind="stable")
        ends = np.flatnonzero(np.diff(bucket[order])) + 1
        return tuple(tuple(self.items[a] for a in tier) for tier in np.split(order, ends))


def _common_divisor(factor: int, matrix: Int64) -> int:
    """Return the greatest common divisor of a number and all entries of a matrix."""
    if factor == 1 or factor > 1000:
        return 1
    present = np.flatnonzero(np.bincount((matrix % factor).reshape(-1), minlength=factor))
    return gcd(factor, *present.tolist())


def weak_order_cost(before: Int64, tied: Int64, bucket: Int64) -> int:
    """Return the cost of a weak order, some rows at a time.

    Example:
        >>> before = np.array([[0, 1, 1], [5, 0, 1], [5, 5, 0]])
        >>> tied = np.array([[0, 2, 2], [2, 0, 2], [2, 2, 0]])
        >>> weak_order_cost(before, tied, np.array([0, 1, 1]))
        4
    """
    total = 0
    rows = max(1, 2**20 // max(1, bucket.size))
    for first in range(0, bucket.size, rows):
        mine = bucket[first : first + rows, None]
        total += 2 * int(before[first : first + rows][mine < bucket].sum())
        total += int(tied[first : first + rows][mine == bucket].sum())
    return total // 2


def input_orders(rankings: Rankings, most: int = 20) -> list[Int64]:
    """Return rankings as weak orders, the heaviest first; what one leaves out comes last.

    Example:
        >>> data = Rankings.from_orders([["a", "b"], ["c", ("a", "b")]], weights=[1, 2])
        >>> [order.tolist() for order in input_orders(data)]
        [[1, 1, 0], [0, 1, 2]]
    """
    orders = []
    for r in np.argsort(-rankings.units, kind="stable")[:most].tolist():
        span = slice(rankings.offsets[r], rankings.offsets[r + 1])
        bucket = np.full(rankings.n_items, int(rankings.buckets[span].max(initial=-1)) + 1)
        bucket[rankings.members[span]] = rankings.buckets[span]
        orders.append(bucket.astype(np.int64))
    return orders
