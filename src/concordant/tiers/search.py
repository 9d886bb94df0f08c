"""The search on one part: descents by single items, and a population that merges its members.

A search is carried on by a budget of steps and never reads a clock: with the same seed, the same
number of steps gives the same answer.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import numpy as np
import numpy.typing as npt

from concordant._kernels import tiers_search as kernels
from concordant._types import Int64, Stream
from concordant.tiers.parts import TierPart, dense

# Members of the first population; every later one is half as large again, up to the most.
_MEMBERS, _MOST_MEMBERS = 10, 60
# Parts of more groups than this start with few members, none of them at random.
_LARGE, _FEW_MEMBERS = 300, 6
# Runs of items that a child takes from its first parent.
_RUNS = 6
# A population ends after this many children per member without a better member.
_IDLE = 12
# What every descent takes besides its steps, in steps: on few items, this is most of the time.
_OVERHEAD = 150_000
# Orders of more items than this are not divided by dynamic programming, which takes m² memory.
_LARGEST_DIVIDED = 4_000


class TierSearch:
    """A population of weak orders of one part.

    Args:
        part: The part.
        seed: Numbers that seed the random choices.
        starts: Weak orders to start from, the most promising first.

    Attributes:
        bucket: The best weak order so far.
        cost: Its cost.
        steps: The items that were tried at all places so far.
        epochs: The populations that have ended.
        is_settled: Whether the first descents have ended.
        is_idle: Whether the last population found nothing better.

    Example:
        >>> from concordant.rankings import Rankings
        >>> from concordant.tiers.costs import TierCosts
        >>> from concordant.tiers.parts import TierSplit
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])
        >>> part = TierSplit.of(TierCosts.from_rankings(data, tie_penalty=0.25)).parts[0]
        >>> search = TierSearch(part, [0])
        >>> search.advance(10_000)
        >>> search.bucket.tolist(), search.cost
        ([0, 0, 0], 9)
    """

    def __init__(self, part: TierPart, seed: list[int], starts: Sequence[Int64] = ()) -> None:
        self.part = part
        self._rng = np.random.default_rng(seed)
        self._stream: Stream = self._rng.integers(0, 2**64, 1, np.uint64)
        self._level, self._behind = part.level, part.behind
        self._constant = part.inside + int(np.triu(part.before, 1).sum())
        self._starts = [dense(start) for start in starts]
        self.bucket = np.zeros(part.size, np.int64)
        self.cost = self._cost(self.bucket)
        for start in self._starts:
            self._take(start, self._cost(start))
        self.steps = 0
        self.epochs = 0
        self.is_settled = False
        self.is_idle = False
        self._budget = 0
        self._offered: Int64 | None = None
        self._work = self._evolve()

    def advance(self, budget: int) -> None:
        """Carry on for a number of steps, each of which is an addition or two."""
        self._budget = budget
        next(self._work)

    def offer(self, bucket: Int64) -> None:
        """Hand over a weak order; it joins the population where it is better than all members."""
        cost = self.part.cost(bucket)
        if cost < self.cost:
            self._take(bucket, cost)
            self._offered = self.bucket

    def _cost(self, bucket: Int64) -> int:
        return self._constant + int(kernels.relative_cost(self._level, self._behind, bucket))

    def _take(self, bucket: Int64, cost: int) -> bool:
        if cost >= self.cost:
            return False
        self.bucket, self.cost = dense(bucket), cost
        return True

    def _descend(self, bucket: Int64) -> Generator[None, None, int]:
        """Move items to their best places until none improves; return the cost then."""
        state = np.zeros(kernels.STATE_SIZE, np.int64)
        state[kernels.COST] = self._cost(bucket)
        self._budget -= bucket.size**2 + _OVERHEAD
        turns = self._rng.permutation(bucket.size)
        while True:
            done = int(state[kernels.STEPS])
            self._budget -= int(
                kernels.descend(
                    self._level, self._behind, bucket, turns, state, max(1, self._budget)
                )
            )
            self.steps += int(state[kernels.STEPS]) - done
            cost = int(state[kernels.COST])
            self._take(bucket, cost)
            if self._budget <= 0:
                yield
            if state[kernels.SCANNED] >= bucket.size:
                return cost

    def _evolve(self) -> Generator[None, None, None]:
        """Run populations one after the other, without an end."""
        first = self._starts[0].copy() if self._starts else self._divided(self._net())
        yield from self._descend(first)
        self.is_settled = True
        yield from self._descend(np.zeros(self.part.size, np.int64))
        size = _MEMBERS if self.part.size <= _LARGE else _FEW_MEMBERS
        starts = self._starts
        while True:
            best = self.cost
            yield from self._population(size, starts)
            starts = []
            self.is_idle = self.cost == best
            self.epochs += 1
            size = min(_MOST_MEMBERS, size + size // 2)

    def _net(self) -> npt.NDArray[np.float64]:
        """Return for each item what all others before it cost more than it before them."""
        net: npt.NDArray[np.float64] = self._behind.sum(axis=1, dtype=np.float64)
        return net

    def _divided(self, score: npt.NDArray[np.float64]) -> Int64:
        """Return the items in the order of falling scores, cut into tiers at least cost."""
        order = np.argsort(-score, kind="stable")
        bucket = np.empty(order.size, np.int64)
        if order.size > _LARGEST_DIVIDED:
            bucket[order] = np.arange(order.size)
        else:
            kernels.divide(self._level, self._behind, order, 0, bucket)
            self._budget -= 2 * order.size**2
        return bucket

    def _fresh(self, number: int) -> Int64:
        """Return a start for a new member: the net order disturbed, or a random order."""
        if number % 2 and self.part.size <= _LARGE:
            score = self._rng.random(self.part.size)
        else:
            net = self._net()
            score = net + self._rng.normal(0, 0.3 * (net.std() + 1e-9), net.size)
        return self._divided(score)

    def _population(self, size: int, starts: list[Int64]) -> Generator[None, None, None]:
        members: list[Int64] = []
        costs: list[int] = []
        for number in range(max(size, len(starts))):
            bucket = starts[number].copy() if number < len(starts) else self._fresh(number)
            costs.append((yield from self._descend(bucket)))
            members.append(dense(bucket))
        if self.epochs:
            # The best of all earlier populations joins.
            members.append(self.bucket.copy())
            costs.append(self.cost)
        idle = 0
        while idle < _IDLE * size:
            if self._offered is not None:
                worst = int(np.argmax(costs))
                members[worst], costs[worst] = self._offered.copy(), self.cost
                self._offered = None
            one, two = (int(n) for n in self._rng.choice(len(members), 2, replace=False))
            child = self._child(members[one], members[two])
            cost = yield from self._descend(child)
            child = dense(child)
            idle += 1
            if any(cost == costs[n] and (child == members[n]).all() for n in range(len(members))):
                continue
            near = min(one, two, key=lambda n: _distance(child, members[n]))
            if cost < min(costs):
                idle = 0
            if cost <= costs[near]:
                members[near], costs[near] = child, cost
        if self._budget <= 0:
            yield

    def _child(self, one: Int64, two: Int64) -> Int64:
        """Merge some runs of items of the one parent with the rest of the other."""
        m = one.size
        order = np.lexsort((self._rng.random(m), one))
        cuts = np.sort(self._rng.integers(0, m + 1, 2 * _RUNS))
        chosen = np.zeros(m, np.bool_)
        for start, end in cuts.reshape(-1, 2):
            chosen[order[start:end]] = True
        child = np.empty(m, np.int64)
        kernels.merge(self._level, self._behind, one, two, chosen, child)
        self._budget -= m * m
        if (child == one).all() or (child == two).all():
            kernels.scatter(child, max(2, m // 20), self._stream)
        return child


def _distance(one: Int64, two: Int64) -> float:
    """Return how far two weak orders are apart: the sum of the differences of mean places."""
    return float(np.abs(_places(one) - _places(two)).sum())


def _places(bucket: Int64) -> npt.NDArray[np.float64]:
    sizes = np.bincount(bucket)
    return (np.cumsum(sizes) - (sizes - 1) / 2)[bucket]
