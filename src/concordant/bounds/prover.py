"""`Prover`: the proofs of all components together, beside a search or on their own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np

from concordant._kernels import exact
from concordant._kernels import triangles as kernels
from concordant._types import Int64
from concordant.bounds.ascent import Multipliers, exact_bound, never
from concordant.bounds.tree import ComponentProof
from concordant.certificate import KIND, VERSION, fingerprint
from concordant.pairwise import Pairwise
from concordant.reduction import components

# Components of up to this many items are solved by dynamic programming over subsets.
_BY_SUBSETS = 14


class _Part:
    """One component: its items and its proof, by subsets or by a tree."""

    def __init__(self, pairwise: Pairwise, items: Int64, by_subsets: int) -> None:
        counts = np.ascontiguousarray(pairwise.counts[np.ix_(items, items)])
        self.items = items
        self.trivial = int(np.minimum(counts, counts.T).sum()) // 2
        self.tree: ComponentProof | None = None
        if items.size <= by_subsets:
            cost, order = exact.solve_by_subsets(counts)
            self._order, self._cost = np.asarray(order), int(cost)
        else:
            self.tree = ComponentProof(counts)

    @property
    def order(self) -> Int64:
        return self._order if self.tree is None else self.tree.order

    @property
    def cost(self) -> int:
        return self._cost if self.tree is None else self.tree.cost

    @property
    def bound(self) -> int:
        return self._cost if self.tree is None else self.tree.bound

    def to_dict(self) -> dict[str, Any]:
        facts: dict[str, Any] = {"items": self.items.tolist(), "bound": self.bound}
        if self.items.size == 1:
            return facts
        if self.tree is None:
            return {**facts, "proof": "subsets"}
        if self.tree.exchange:
            facts["exchange"] = True
        return {**facts, "cutoff": self.cost, "nodes": _nodes(self.tree)}


class Prover:
    """Proves a lower bound on the cost of every order, and in the end the optimum.

    Args:
        pairwise: The counts.
        by_subsets: Components of up to so many items are solved by dynamic programming.

    Example:
        >>> cycle = Pairwise.from_matrix([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
        >>> prover = Prover(cycle)
        >>> prover.work()
        >>> prover.bound, prover.cost
        (4, 4)
    """

    def __init__(self, pairwise: Pairwise, by_subsets: int = _BY_SUBSETS) -> None:
        self._pairwise = pairwise
        self._parts = [_Part(pairwise, items, by_subsets) for items in components(pairwise.counts)]
        self._between = pairwise.lower_bound_units() - sum(p.trivial for p in self._parts)
        self._offered: Int64 | None = None
        self._lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the lock, so that results can be copied and pickled."""
        return {key: value for key, value in self.__dict__.items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Come back with a lock of its own."""
        self.__dict__.update(state)
        self._lock = threading.Lock()

    @property
    def bound(self) -> int:
        """The proven lower bound."""
        return self._between + sum(part.bound for part in self._parts)

    @property
    def cost(self) -> int:
        """The cost of the best order known."""
        return self._between + sum(part.cost for part in self._parts)

    @property
    def order(self) -> Int64:
        """The best order known: the best of each component, one after the other."""
        return np.concatenate([part.items[part.order] for part in self._parts])

    @property
    def solved(self) -> bool:
        """Whether the best order is proven optimal."""
        return all(part.bound >= part.cost for part in self._parts)

    def offer(self, order: Int64) -> None:
        """Take over what is better in an order of all items; safe from any thread."""
        with self._lock:
            self._offered = order

    def _take_offer(self) -> None:
        with self._lock:
            order, self._offered = self._offered, None
        if order is None:
            return
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size)
        for part in self._parts:
            if part.tree is not None and not part.tree.solved:
                part.tree.offer(np.argsort(place[part.items]))

    def work(
        self,
        stop: Callable[[], bool] = never,
        report: Callable[[], None] | None = None,
        steps: int | None = None,
    ) -> None:
        """Carry on until everything is proven or `stop` says so.

        Args:
            stop: Asked every few milliseconds.
            report: Called after each step: the bound may have risen, the order improved.
            steps: The most steps to do in each component.
        """
        trees = sorted(
            (part.tree for part in self._parts if part.tree is not None),
            key=lambda tree: tree.counts.shape[0],
        )
        for tree in trees:
            done = 0
            while not tree.solved and not stop() and (steps is None or done < steps):
                self._take_offer()
                tree.step(stop)
                done += 1
                if report is not None:
                    report()

    def finish(self) -> None:
        """Let go of all that only further work would need; `certificate` still works."""
        for part in self._parts:
            if part.tree is not None:
                part.tree.finish()

    def certificate(self) -> dict[str, Any]:
        """Return what proves the bound so far, as `concordant.certificate` describes it.

        Example:
            >>> from concordant.certificate import check
            >>> pairs = Pairwise.from_matrix([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
            >>> check(Prover(pairs).certificate(), pairs.counts)
            4
        """
        return {
            "format": KIND,
            "version": VERSION,
            "n_items": self._pairwise.n_items,
            "data": fingerprint(self._pairwise.counts),
            "bound": self.bound,
            "components": [part.to_dict() for part in self._parts],
        }


def _nodes(tree: ComponentProof) -> list[dict[str, Any]]:
    """Write down the tree, without what the final cutoff makes superfluous.

    The search may have found a better order after nodes were split: with its cost as the
    cutoff, earlier multipliers fix more pairs and close more nodes than they did then.
    """
    goal, cutoff = tree.bound - tree.base, tree.cutoff
    trivial = int(np.minimum(tree.costs, 0).sum())
    nodes: list[dict[str, Any]] = [{}]
    waiting = [(0, 0, tree.start.copy(), trivial)]
    while waiting:
        at, place, before, proven = waiting.pop()
        node = tree.nodes[at]
        rounds = []
        for multipliers in node.record():
            if proven >= goal:
                break
            rounds.append(_round(multipliers))
            found = exact_bound(tree.costs, before, multipliers)
            proven = max(proven, found.units())
            excess = found.limit(cutoff) - found.scaled
            if found.step and kernels.fix_by_cost(before, found.reduced, excess) < 0:
                proven = cutoff
        nodes[place]["rounds"] = rounds
        if proven >= goal or node.branch is None or node.children is None:
            continue
        a, b = node.branch
        nodes[place]["branch"] = [a, b]
        nodes[place]["children"] = [len(nodes), len(nodes) + 1]
        for child, (p, q) in zip(node.children, ((a, b), (b, a)), strict=True):
            relation = before.copy()
            if kernels.fix_pair(relation, p, q):
                waiting.append((child, len(nodes), relation, proven))
            nodes.append({"rounds": []})
    return nodes


def _round(multipliers: Multipliers) -> dict[str, Any]:
    rows = np.column_stack([multipliers.triangles.astype(np.int64), multipliers.values])
    return {"scale": multipliers.scale, "triangles": rows.tolist()}
