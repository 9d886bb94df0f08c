"""Branch and bound on one part: dual ascent in every node, all of it recorded as a proof.

A node is a set of weak orders: those whose pairs have the states that it allows. Integer
multipliers close it when they show that none of them costs less than the cutoff, the cost of the
best weak order known. Multipliers that prove less may still drop states: a state that costs too
much on top of the bound is in no weak order below the cutoff. What is left is split on y[a, b],
"a is before b or tied with it". `concordant.tiers.certificate` checks such a proof.
"""

from __future__ import annotations

import heapq
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from concordant._kernels import tiers_ascent as kernels
from concordant._kernels import tiers_search
from concordant._types import Float, Int64
from concordant.bounds.multipliers import ExactBound, Multipliers
from concordant.tiers.ascent import LARGEST_FOUR, Ascent, Start
from concordant.tiers.parts import TierPart, dense
from concordant.tiers.rows import States, exact_bound, written

# Rounds of ascent between two exact checks.
_ROUNDS = 6
# A node is split when closing it at the present rate would take more rounds than this.
_PATIENCE_ROOT, _PATIENCE = 400.0, 25.0
# Searches for rows of four items in the root, and in every other node.
_FOURS_ROOT, _FOURS = 30, 1
_CANDIDATES, _PASSES = 6, 4
# By how much a bound in floating point must exceed the goal before integers are tried.
_MARGIN = 1e-4
# Steps of the descent in one slice: some milliseconds.
_SLICE = 6_000_000


@dataclass(slots=True)
class Node:
    """A set of weak orders, and the record of what was proven about it.

    Attributes:
        states: The states of pairs that it allows.
        bound: A proven lower bound on the relative cost.
        start: Where its ascent begins.
        rounds: Multipliers that dropped states, in turn; the last ones may close the node.
        best: The multipliers that proved `bound`.
        branch: The ordered pair that it was split on.
        children: The numbers of the two halves: with y[a, b] = 1, and with y[a, b] = 0.
        fours: The searches for rows of four items so far.
    """

    states: States
    bound: int
    start: Start | None = None
    rounds: list[Multipliers] = field(default_factory=list)
    best: Multipliers | None = None
    branch: tuple[int, int] | None = None
    children: tuple[int, int] | None = None
    fours: int = 0


class TierTree:
    """The proof of one part, carried on until it is complete.

    Args:
        part: The part.
        bucket: A weak order of its groups to start from.

    Attributes:
        bucket: The best weak order known.
        cost: Its cost.
        bound: What is proven: no weak order of the part costs less.
        nodes: All nodes, the root first.

    Example:
        >>> before = np.array([[0, 1, 4], [4, 0, 1], [1, 4, 0]])
        >>> tied = np.full((3, 3), 4)
        >>> np.fill_diagonal(tied, 0)
        >>> part = TierPart(np.arange(3), np.ones(3, np.int64), before, tied, 0)
        >>> tree = TierTree(part, np.arange(3))
        >>> for _ in tree.slices():
        ...     pass
        >>> tree.bound, tree.cost
        (6, 6)
    """

    def __init__(self, part: TierPart, bucket: Int64) -> None:
        m = part.size
        self.part = part
        self.alpha, self.base = part.alpha, part.base
        self.bucket, self.cost = dense(bucket), part.cost(bucket)
        self._stack = np.empty((m * m + 2, 2), np.int32)
        root = Node(np.full((m, m), kernels.ALL, np.int8), part.trivial - self.base)
        self.nodes = [root]
        self._open = [(root.bound, 0)]
        self._current: tuple[int, Ascent] | None = None
        self._unit = max(1, int(np.gcd.reduce(self.alpha, axis=None)))
        self._looks = 0
        self.bound = part.trivial
        self._raise()

    # -- weak orders -----------------------------------------------------------------------

    def offer(self, bucket: Int64) -> bool:
        """Take over a weak order of the groups if it is better."""
        cost = self.part.cost(bucket)
        if cost >= self.cost:
            return False
        self.bucket, self.cost = dense(bucket), cost
        return True

    def _round_x(self, x: Float) -> Iterator[int]:
        """Sort by how much each item is before the others, cut the order, and descend."""
        m = self.part.size
        order = np.argsort(x.sum(axis=0) - x.sum(axis=1), kind="stable")
        bucket = np.empty(m, np.int64)
        level, behind = self.part.level, self.part.behind
        tiers_search.divide(level, behind, order, 0, bucket)
        state = np.zeros(tiers_search.STATE_SIZE, np.int64)
        while state[tiers_search.SCANNED] < m:
            yield int(tiers_search.descend(level, behind, bucket, order, state, _SLICE))
        self.offer(bucket)

    # -- the proof -------------------------------------------------------------------------

    @property
    def cutoff(self) -> int:
        """The relative cost to beat."""
        return self.cost - self.base

    @property
    def _goal(self) -> float:
        """The bound that will close a node, in floating point: a guide, not a proof."""
        return self.cutoff - self._unit + _MARGIN

    @property
    def solved(self) -> bool:
        """Whether the best weak order is proven optimal."""
        return self.bound >= self.cost

    def _raise(self) -> None:
        lowest = min((bound for bound, _ in self._open), default=self.cutoff)
        if self._current is not None:
            lowest = min(lowest, self.nodes[self._current[0]].bound)
        self.bound = max(self.bound, min(self.cost, self.base + lowest))

    def slices(self) -> Iterator[int]:
        """Carry on until the part is solved; yields the work done every few milliseconds."""
        while not self.solved:
            yield from self._step()
            # The exact check.
            yield 50 * self.part.size**2

    def _step(self) -> Iterator[int]:
        """Do a few rounds of ascent in one node, then check what they prove."""
        while self._current is None:
            if not self._open:
                self._raise()
                return
            _, at = heapq.heappop(self._open)
            node = self.nodes[at]
            if node.bound >= self.cutoff:
                self._close(node)
                self._raise()
                continue
            self._current = at, Ascent(self.alpha, node.states, node.start)
        at, ascent = self._current
        if (yield from self._explore(at, ascent)):
            self._current = None
        self._raise()

    def _close(self, node: Node) -> None:
        node.start = None
        node.states = node.states[:0]

    def _explore(self, at: int, ascent: Ascent) -> Generator[int, None, bool]:
        """Raise the bound of a node for some rounds; True when it is closed or split."""
        node = self.nodes[at]
        patience = _PATIENCE_ROOT if at == 0 else _PATIENCE
        value = ascent.value
        for turn in range(_ROUNDS):
            if ascent.value > self._goal and turn:
                break
            yield from ascent.round(search=at == 0 or turn % 3 == 0)
        self._looks += 1
        if (at == 0 and self._looks % 4 == 1) or (ascent.settled and self._looks % 4 == 0):
            yield from self._round_x(ascent.x)
        states = node.states
        if self._look(node, ascent):
            self._close(node)
            return True
        if node.states is not states:
            return False
        gain = ascent.value - value
        missing = max(_MARGIN, self._goal - ascent.value)
        slow = gain * patience < missing * _ROUNDS
        if not ascent.settled:
            return False
        fours = _FOURS_ROOT if at == 0 else _FOURS
        if self.part.size <= LARGEST_FOUR and node.fours < fours and 8 * gain < missing * _ROUNDS:
            node.fours += 1
            yield from ascent.add_four()
            return False
        if slow:
            yield from self._split(at, ascent)
            return True
        return False

    def _look(self, node: Node, ascent: Ascent) -> bool:
        """Do the exact arithmetic: close the node, or drop states; True when it is closed."""
        scales = ascent.scales()
        for scale in scales:
            if ascent.value <= self._goal and scale != scales[-1]:
                continue
            multipliers = ascent.multipliers(scale)
            exact = exact_bound(self.alpha, node.states, multipliers)
            if exact.units() > node.bound:
                node.bound, node.best = exact.units(), multipliers
            if exact.units() >= self.cutoff:
                node.rounds.append(multipliers)
                return True
            if exact.step == 0:
                # All weak orders of the node cost the same: one of them is the answer.
                self.offer(_weak_order(node.states))
                node.rounds.append(multipliers)
                node.bound = exact.units()
                return node.bound >= self.cutoff
        return self._drop(node, ascent, multipliers, exact)

    def _drop(
        self, node: Node, ascent: Ascent, multipliers: Multipliers, exact: ExactBound
    ) -> bool:
        states = node.states.copy()
        excess = exact.limit(self.cutoff) - exact.scaled
        dropped = int(kernels.drop_by_cost(states, exact.reduced, excess, self._stack))
        if dropped < 0:
            node.rounds.append(multipliers)
            return True
        if dropped * 20 >= max(20, ascent.pairs.shape[0]) or (dropped and ascent.settled):
            node.rounds.append(multipliers)
            node.states = states
            ascent.restrict(states)
        return False

    def _split(self, at: int, ascent: Ascent) -> Iterator[int]:
        node = self.nodes[at]
        a, b = yield from self._choose(ascent)
        start = ascent.start()
        children = []
        for allowed in (kernels.BEFORE | kernels.TIED, kernels.BEHIND):
            states = node.states.copy()
            possible = kernels.restrict(states, a, b, allowed, self._stack)
            children.append(len(self.nodes))
            self.nodes.append(Node(states, node.bound, start))
            if possible:
                heapq.heappush(self._open, (node.bound, children[-1]))
        node.branch, node.children = (a, b), (children[0], children[1])
        self._close(node)

    def _choose(self, ascent: Ascent) -> Generator[int, None, tuple[int, int]]:
        """Choose the variable to split on: the one whose both values raise the bound the most."""
        pairs = ascent.pairs
        values = ascent.x[pairs[:, 0], pairs[:, 1]]
        size = np.abs(self.alpha[pairs[:, 0], pairs[:, 1]])
        score = np.minimum(values, 1 - values) * (1 + size / max(1, size.max()))
        top = np.argsort(-score, kind="stable")[:_CANDIDATES]
        best, chosen = -1.0, (int(pairs[top[0], 0]), int(pairs[top[0], 1]))
        for a, b in pairs[top].tolist():
            one = ascent.probe(a, b, kernels.BEFORE | kernels.TIED, _PASSES)
            two = ascent.probe(a, b, kernels.BEHIND, _PASSES)
            product = max(min(one, 1e9), 1e-6) * max(min(two, 1e9), 1e-6)
            if product > best:
                best, chosen = product, (a, b)
            yield 2 * _PASSES * (8 * ascent.number + 10 * self.part.size**2)
        return chosen

    # -- the record ------------------------------------------------------------------------

    def to_dict(self) -> dict[str, Any]:
        """Return the entries of a certificate: the cutoff and the nodes, the root first.

        Nodes that became superfluous are left out: a better weak order may have been found after
        they were split, and with its cost as the cutoff, earlier multipliers close more nodes.
        """
        goal, cutoff = self.bound - self.base, self.cutoff
        m = self.part.size
        nodes: list[dict[str, Any]] = [{}]
        root = np.full((m, m), kernels.ALL, np.int8)
        waiting = [(0, 0, root, self.part.trivial - self.base)]
        while waiting:
            at, place, states, proven = waiting.pop()
            node = self.nodes[at]
            known = list(node.rounds)
            if node.best is not None and not any(node.best is each for each in known):
                known.append(node.best)
            rounds = []
            for multipliers in known:
                if proven >= goal:
                    break
                rounds.append(written(multipliers))
                found = exact_bound(self.alpha, states, multipliers)
                proven = max(proven, found.units())
                if proven < goal and found.step:
                    excess = found.limit(cutoff) - found.scaled
                    if kernels.drop_by_cost(states, found.reduced, excess, self._stack) < 0:
                        proven = cutoff
            nodes[place]["rounds"] = rounds
            if proven >= goal or node.branch is None or node.children is None:
                continue
            a, b = node.branch
            nodes[place]["branch"] = [a, b]
            nodes[place]["children"] = [len(nodes), len(nodes) + 1]
            halves = (kernels.BEFORE | kernels.TIED, kernels.BEHIND)
            for child, allowed in zip(node.children, halves, strict=True):
                half = states.copy()
                if kernels.restrict(half, a, b, allowed, self._stack):
                    waiting.append((child, len(nodes), half, proven))
                nodes.append({"rounds": []})
        return {"cutoff": self.cost, "nodes": nodes}


def _weak_order(states: States) -> Int64:
    """Return a weak order with the given states, which have all conclusions drawn.

    Items that must be tied share a tier, and no others. An item that is before another or tied with
    it has fewer items that are known to be before it or tied.
    """
    m = states.shape[0]
    known = ((states & kernels.BEHIND) == 0) | np.eye(m, dtype=bool)
    together = known & known.T
    return dense(known.sum(axis=0) * m + np.argmax(together, axis=1))
