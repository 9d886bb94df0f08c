"""Branch and bound on one component, with a dual ascent in every node and a record of the proof.

A node is the set of orders that respect a relation. It is closed when integer multipliers show
that none of its orders costs less than the cutoff, which is the cost of the best order known.
Multipliers that prove less may still fix pairs: if the bound plus the extra cost of the dearer
order of a pair reaches the cutoff, an order below the cutoff has the pair in the cheaper order. A
node that cannot be closed is split on a pair. Every step is recorded as integer multipliers, so
that the proof can be checked without a solver; see `concordant.certificate`.

Several threads can explore nodes of one tree. What they share changes under a lock; the ascent in a
node, which takes nearly all of the time, belongs to one thread.
"""

from __future__ import annotations

import heapq
import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._kernels import triangles as kernels
from concordant._kernels.descent import Descent, descend_by_numpy
from concordant._types import Float, Int64, Relation
from concordant.bounds.ascent import Ascent, Start, mean_margin
from concordant.bounds.cycle_ascent import ascend
from concordant.bounds.guide import ROOT, Guide
from concordant.bounds.multipliers import ExactBound, Multipliers, exact_bound
from concordant.bounds.record import NodeRecord, TreeRecord
from concordant.reduction.split import Part

# Components of more items start with an ascent over cycles of any length.
_CYCLES = 100
# This ascent ends when its rounds raise the bound by less than this share of the gap.
_LEAST_GAIN = 0.02
# Rounds of ascent between two exact checks of a node.
_ROUNDS_BETWEEN_CHECKS = 6
# Checks between two orders that are made from x. Once x has settled, the first nodes of a tree make
# one at each check.
_CHECKS_BETWEEN_ORDERS, _NODES_WITH_ORDERS = 4, 50
# The exchange rule takes k³ steps per round. It is not used above this number of items, where the
# ascent is as fast.
_EXCHANGE = 400
# A node is split if closing it at the current rate would take more rounds than this.
_PATIENCE_ROOT, _PATIENCE_CUTS, _PATIENCE = 400.0, 3000.0, 25.0
# Strong branching: the number of pairs that are tried, and the passes of the ascent for each.
_STRONG_CANDIDATES = 6
_STRONG_PASSES = 4
# A tree that is not closed after this number of nodes, or of visits to triangles (about a second),
# starts again from a root with half sums of triangles. Before that, they cost more than they gain.
_NODES, _VISITS = 200, 3 * 10**8
# Half sums are searched for at the root, in one of this number of rounds, from walks through this
# number of pairs. The nodes below keep those of the root: to search there too takes more time than
# it saves.
_ROUNDS_BETWEEN_CUTS, _SOURCES = 3, 150
# A bound in floating point must exceed the goal by this before the exact bound is computed.
_MARGIN = 1e-4
# Seconds between two looks for an open node while other threads explore the last ones.
_WAIT = 0.001
# The number of items that the local search checks in one slice, which takes a few milliseconds.
_SLICE = 6_000_000
# The first descents of small components need no kernel: most are solved after one or two, and
# compiling the kernel takes longer than all the rest of them.
_FEW_ITEMS, _FEW_DESCENTS = 64, 4


@dataclass(slots=True)
class Node:
    """A set of orders, and the record of what was proven about it.

    Attributes:
        before: The relation that its orders respect.
        bound: A proven lower bound on their relative cost.
        start: Where its ascent starts.
        rounds: Multipliers that fixed pairs, one after the other; the last may close the node.
        best: The multipliers that proved `bound`, if they are not among the rounds.
        branch: The pair that it was split on.
        children: The indices of the two children: with the pair in this order, and reversed.
        guide: The node of an earlier proof that it follows.
    """

    before: Relation
    bound: int
    start: Start | None = None
    rounds: list[Multipliers] = field(default_factory=list)
    best: Multipliers | None = None
    branch: tuple[int, int] | None = None
    children: tuple[int, int] | None = None
    guide: int | None = None

    def record(self) -> NodeRecord:
        """Return the proof of this node, without the data that only further steps would need."""
        rounds = list(self.rounds)
        if self.best is not None and not any(self.best is known for known in rounds):
            rounds.append(self.best)
        return NodeRecord(rounds, self.branch, self.children)


@dataclass(eq=False, slots=True)
class _Active:
    """A node that a thread explores.

    Attributes:
        at: Its index.
        node: The node.
        ascent: The ascent in it.
    """

    at: int
    node: Node
    ascent: Ascent


class ComponentProof:
    """The proof of one component, which can be continued until it is complete.

    Args:
        part: The component.
        order: An order to start from.
        before: A transitive relation. Only orders that respect it are considered; by default, all.
        cutoff: Only orders that cost less are considered.
        guide: A proof of nearly the same component, to be followed.

    Attributes:
        part: The component.
        exchange: Whether the root starts from the pairs of `certificate.exchange_pairs`.
        found: Whether `order` respects the relation and costs less than the cutoff.
        order: The best order known, of indices into the component.
        cost: The cost of `order`; the cutoff if no order was found.
        bound: The proven lower bound: no order of the component costs less.
        nodes: All nodes, the root first.
    """

    def __init__(
        self,
        part: Part,
        order: Int64 | None = None,
        *,
        before: Relation | None = None,
        cutoff: int | None = None,
        guide: Guide | None = None,
    ) -> None:
        k = part.size
        self.part = part
        self._lock = threading.RLock()
        self.costs, self.base = part.relative_costs()
        self._respected = None if before is None else before.astype(bool)
        self.order = np.arange(k)
        # With a cutoff, no order is known yet: the first one that costs less is stored.
        self.found = cutoff is None
        self.cost = self._cost(self.order) if cutoff is None else cutoff
        if order is not None:
            self.offer(order)
        trivial = int(np.minimum(self.costs, 0).sum())
        self._whole = before is None
        self.exchange = before is None and k <= _EXCHANGE
        if before is None:
            before = np.zeros((k, k), np.int8)
        if self.exchange:
            excess = part.excess()
            while kernels.fix_by_exchange(excess, before, 0, k):
                pass
        self.start = before
        self._guide = guide
        root = Node(before, trivial, guide=None if guide is None else ROOT)
        self.nodes = [root]
        self._open = [(trivial, 0)]
        # The nodes that threads explore now, and the one of `slices`.
        self._active: set[_Active] = set()
        self._current: _Active | None = None
        self._checks = self._descents = 0
        # Whether the root may use half sums, the visits to triangles so far, and the root as it was
        # when it was split.
        self._cutting = False
        self._visits = 0
        self._root: Node | None = None
        # The nodes of the tree before it was begun anew.
        self._earlier: list[NodeRecord] | None = None
        # Costs of orders differ by multiples of this.
        self._unit = max(1, int(np.gcd.reduce(self.costs, axis=None)))
        self.bound = self.base + trivial
        self._raise()

    # -- orders ----------------------------------------------------------------------------

    def _cost(self, order: npt.NDArray[np.integer[Any]]) -> int:
        return self.part.cost(order.astype(np.int64))

    def offer(self, order: Int64) -> bool:
        """Store an order of the component if it is better than the best known; return whether."""
        cost = self._cost(order)
        with self._lock:
            if cost >= self.cost or not self._respects(order):
                return False
            self.order, self.cost = np.array(order, np.int64), cost
            self.found = True
            return True

    def _respects(self, order: Int64) -> bool:
        if self._respected is None:
            return True
        return not np.tril(self._respected[np.ix_(order, order)]).any()

    def _descend(self, order: Int64) -> Iterator[None]:
        moved = order.astype(np.int32)
        self._descents += 1
        if moved.size <= _FEW_ITEMS and self._descents <= _FEW_DESCENTS:
            descend_by_numpy(self.part.margins, moved)
            self.offer(moved.astype(np.int64))
            yield
            return
        descent = Descent(self.part.margins, moved, self._cost(moved))
        while not descent.finished:
            descent.advance(_SLICE)
            yield
        self.offer(moved.astype(np.int64))

    def _round_x(self, x: Float) -> Iterator[None]:
        """Sort the items by how far x puts them before the others, then run a local search."""
        k = x.shape[0]
        upper = np.triu(x, 1)
        ahead = upper.sum(axis=1) + (np.arange(k) - upper.sum(axis=0))
        order = np.argsort(-ahead, kind="stable")
        self.offer(order)
        yield from self._descend(order)

    # -- the proof -------------------------------------------------------------------------

    @property
    def cutoff(self) -> int:
        """The relative cost of the best order known."""
        return self.cost - self.base

    @property
    def _goal(self) -> float:
        """The bound that closes a node, in floating point. It guides the search, proves nothing."""
        return self.cutoff - self._unit + _MARGIN

    @property
    def n_nodes(self) -> int:
        """The number of nodes so far."""
        return len(self.nodes)

    @property
    def solved(self) -> bool:
        """Whether the best order is proven optimal."""
        return self.bound >= self.cost

    def _own_bound(self) -> int:
        """Return what the present tree proves: the least bound of the nodes that are still open."""
        lowest = self._open[0][0] if self._open else self.cutoff
        lowest = min([lowest, *(active.node.bound for active in self._active)])
        return min(self.cost, self.base + lowest)

    def _raise(self) -> None:
        """Recompute the bound from the nodes that are still open."""
        with self._lock:
            self.bound = max(self.bound, self._own_bound())

    def work(self, stop: Callable[[], bool] | None = None) -> None:
        """Continue until the component is solved or `stop`, called between slices, returns True."""
        for _ in self.slices():
            if stop is not None and stop():
                return

    def slices(self, steps: int | None = None) -> Iterator[bool]:
        """Continue until the component is solved, in slices of a few milliseconds.

        Yields after every slice whether a step is complete: then the bound may have risen.
        `steps` is the largest number of steps after the ascent over cycles.
        """
        if self._whole and self.part.size > _CYCLES and self._guide is None:
            yield from self._ascend_cycles()
        done = 0
        while not self.solved and done != steps:
            for _ in self._step():
                yield False
            done += 1
            yield True

    def help(self) -> Generator[None, None, None]:
        """Explore nodes beside `slices`, from another thread, while there are open ones.

        When the caller closes the iterator, the node under way is open again.
        """
        while not self.solved:
            with self._lock:
                # The root is explored by `slices`, and so is a tree that follows a guide.
                active = self._take() if len(self.nodes) > 1 and self._guide is None else None
            if active is None:
                return
            over = False
            try:
                while not over:
                    over = yield from self._explore(active)
                    self._raise()
            finally:
                self._leave(active, over)

    def _ascend_cycles(self) -> Iterator[bool]:
        """Raise the bound of the root by cycles until the rounds gain little."""
        yield from (False for _ in self._descend(self.order))
        yield from ascend(self, _LEAST_GAIN)

    def keep(self, gain: int, multipliers: Multipliers) -> None:
        """Store multipliers of the root that prove a better bound.

        `gain` is what they prove without fixed pairs. With the fixed pairs of the root, the bound
        may be better, so it is computed here.
        """
        root = self.nodes[0]
        proven = exact_bound(self.costs, root.before, multipliers).units()
        if proven > root.bound:
            root.bound, root.best = proven, multipliers
            self._open = [(proven, 0)]
            self._raise()

    def _step(self) -> Iterator[None]:
        """Do a few rounds of ascent in one node, then check what they prove."""
        while self._current is None:
            self._current = self._take()
            if self._current is None and not self._active:
                self._raise()
                return
            if self._current is None:
                # Another thread has the last open node.
                time.sleep(_WAIT)
                yield
        if (yield from self._explore(self._current)):
            self._leave(self._current, True)
            self._current = None
        self._raise()

    def _take(self) -> _Active | None:
        """Return the open node with the least bound for this thread to explore, if there is one."""
        with self._lock:
            while self._open:
                _, at = self._open[0]
                node = self.nodes[at]
                if node.bound < self.cutoff:
                    active = _Active(at, node, Ascent(self.costs, node.before, self._start(node)))
                    # In this order: an interrupt in between must not lose the node.
                    self._active.add(active)
                    heapq.heappop(self._open)
                    return active
                heapq.heappop(self._open)
                self._close(node)
            self._raise()
            return None

    def _leave(self, active: _Active, over: bool) -> None:
        """Stop exploring a node; it is open again unless it is closed or split."""
        with self._lock:
            if active in self._active:
                if not over:
                    active.node.start = active.ascent.start()
                    heapq.heappush(self._open, (active.node.bound, active.at))
                self._active.remove(active)
            self._raise()

    def _start(self, node: Node) -> Start | None:
        """Return the start of the ascent of a node: the end of the guide's, or of its parent's."""
        if self._guide is None or node.guide is None:
            return node.start
        known = self._guide.multipliers(node.guide)
        if known is None:
            return node.start
        corners, values = known
        return Start(corners, values / mean_margin(self.costs), None)

    def record(self) -> TreeRecord:
        """Return the proof so far."""
        with self._lock:
            nodes = [node.record() for node in self.nodes]
            if self._earlier is not None and self._own_bound() < self.bound:
                # The tree that was begun anew does not prove as much yet.
                nodes = self._earlier
            return TreeRecord(
                self.costs, self.base, self.start, self.exchange, self.cost, self.bound, nodes
            )

    def _close(self, node: Node) -> None:
        node.start = None
        node.before = node.before[:0]

    def _explore(self, active: _Active) -> Generator[None, None, bool]:
        """Raise the bound of a node for some rounds; return whether it was closed or split."""
        if active not in self._active:
            # Another thread has begun the tree anew.
            return True
        at, node, ascent = active.at, active.node, active.ascent
        patience = _PATIENCE_ROOT if at == 0 else _PATIENCE
        if at == 0 and self._cutting:
            patience = _PATIENCE_CUTS
        value = ascent.value
        for turn in range(_ROUNDS_BETWEEN_CHECKS):
            # The multipliers of a guide may close the node without any round.
            if ascent.value > self._goal and (turn or node.guide is not None):
                break
            if self._cutting and at == 0 and ascent.settled and turn % _ROUNDS_BETWEEN_CUTS == 0:
                ascent.cut(_SOURCES)
                yield
            self._visits += ascent.visits
            yield from ascent.round(search=at == 0 or turn % 3 == 0)
        self._checks += 1
        early = ascent.settled and len(self.nodes) <= _NODES_WITH_ORDERS
        if early or self._checks % _CHECKS_BETWEEN_ORDERS == 1:
            yield from self._round_x(ascent.x)
        before = node.before
        if self._check(node, ascent):
            self._close(node)
            return True
        if self._guide is not None and node.guide is not None:
            if self._next_branch(node, self._guide) is not None:
                yield from self._split(active)
                return True
            node.guide = None
        if node.before is not before:
            return False
        gain = ascent.value - value
        missing = max(_MARGIN, self._goal - ascent.value)
        slow = gain * patience < missing * _ROUNDS_BETWEEN_CHECKS
        if not (ascent.settled and slow):
            return False
        if at == 0 and ascent.cool():
            return False
        if at == 0 and self._use_cuts():
            ascent.warm()
            return False
        if at == 0:
            self._root = Node(node.before, node.bound, ascent.start(), list(node.rounds), node.best)
        yield from self._split(active)
        with self._lock:
            if active in self._active and self._use_cuts():
                self._restart()
        return True

    def _use_cuts(self) -> bool:
        """Begin to use half sums if the tree has taken long; return whether it begins now."""
        late = len(self.nodes) > _NODES or self._visits > _VISITS
        if self._cutting or self._guide is not None or not late:
            return False
        self._cutting = True
        return True

    def _restart(self) -> None:
        """Start a new tree from the root as it was when it was split."""
        assert self._root is not None
        self._raise()
        self._earlier = [node.record() for node in self.nodes]
        self.nodes = [self._root]
        self._open = [(self._root.bound, 0)]
        # What other threads explore belongs to the old tree.
        self._active.clear()

    def _next_branch(self, node: Node, guide: Guide) -> tuple[int, int] | None:
        """Return the next pair that the guide split on and that is free here, or None."""
        while node.guide is not None:
            pair = guide.branch(node.guide)
            if pair is None:
                return None
            a, b = pair
            if not (node.before[a, b] or node.before[b, a]):
                return pair
            node.guide = guide.children(node.guide)[0 if node.before[a, b] else 1]
        return None

    def _check(self, node: Node, ascent: Ascent) -> bool:
        """Compute the exact bound; close the node or fix pairs; return whether it was closed."""
        scales = ascent.scales()
        for scale in scales:
            if ascent.value <= self._goal and scale != scales[-1]:
                continue
            multipliers = ascent.multipliers(scale)
            exact = exact_bound(self.costs, node.before, multipliers)
            if exact.units() > node.bound:
                # In this order: a record that is made in between has the proof of its bound.
                node.best = multipliers
                node.bound = exact.units()
            if exact.units() >= self.cutoff:
                node.rounds.append(multipliers)
                return True
            if exact.step == 0:
                # All orders of the node cost the same, so any of them will do.
                self.offer(np.argsort(node.before.sum(axis=0), kind="stable"))
                node.rounds.append(multipliers)
                node.bound = exact.units()
                return node.bound >= self.cutoff
        return self._fix(node, ascent, multipliers, exact)

    def _fix(self, node: Node, ascent: Ascent, multipliers: Multipliers, exact: ExactBound) -> bool:
        before = node.before.copy()
        excess = exact.limit(self.cutoff) - exact.scaled
        fixed = int(kernels.fix_by_cost(before, exact.reduced, excess))
        if fixed < 0:
            node.rounds.append(multipliers)
            return True
        if fixed * 20 >= max(20, ascent.pairs.shape[0]) or (fixed and ascent.settled):
            node.rounds.append(multipliers)
            node.before = before
            ascent.restrict(before)
        return False

    def _split(self, active: _Active) -> Iterator[None]:
        node, ascent = active.node, active.ascent
        guides: tuple[int | None, int | None] = (None, None)
        if self._guide is not None and node.guide is not None:
            pair = self._guide.branch(node.guide)
            assert pair is not None
            a, b = pair
            guides = self._guide.children(node.guide)
        else:
            a, b = yield from self._choose(ascent)
        start = ascent.start()
        with self._lock:
            if active not in self._active:
                return
            children = []
            for (p, q), guide in zip(((a, b), (b, a)), guides, strict=True):
                before = node.before.copy()
                kernels.fix_pair(before, p, q)
                children.append(len(self.nodes))
                self.nodes.append(Node(before, node.bound, start, guide=guide))
                heapq.heappush(self._open, (node.bound, children[-1]))
            node.branch, node.children = (a, b), (children[0], children[1])
            self._close(node)

    def _choose(self, ascent: Ascent) -> Generator[None, None, tuple[int, int]]:
        """Choose the pair to split on: the product of the gains in both cases is the largest."""
        pairs = ascent.pairs
        values = ascent.x[pairs[:, 0], pairs[:, 1]]
        margins = np.abs(self.costs[pairs[:, 0], pairs[:, 1]])
        score = np.minimum(values, 1 - values) * (1 + margins / max(1, margins.max()))
        if pairs.shape[0] > 1:
            top = np.argsort(-score, kind="stable")[:_STRONG_CANDIDATES]
        else:
            top = np.zeros(1, np.int64)
        best, chosen = -1.0, (int(pairs[top[0], 0]), int(pairs[top[0], 1]))
        for t in top.tolist():
            a, b = int(pairs[t, 0]), int(pairs[t, 1])
            gains = [ascent.probe(p, q, _STRONG_PASSES) for p, q in ((a, b), (b, a))]
            product = max(gains[0], 1e-6) * max(gains[1], 1e-6)
            if product > best:
                best, chosen = product, (a, b)
            yield
        return chosen
