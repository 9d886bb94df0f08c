"""Stored proofs: plain data from which certificates are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from concordant._types import Int64, Relation
from concordant.certificate import KIND, VERSION, fingerprint
from concordant.pairwise import Pairwise
from concordant.reduction.split import Split

if TYPE_CHECKING:
    from concordant.bounds.multipliers import Multipliers


@dataclass(frozen=True, slots=True)
class NodeRecord:
    """The proof of one node of the tree; `tree.Node` explains the fields."""

    rounds: list[Multipliers]
    branch: tuple[int, int] | None
    children: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class TreeRecord:
    """The proof of one component by a tree; `tree.ComponentProof` explains the fields."""

    costs: Int64
    base: int
    start: Relation
    exchange: bool
    cost: int
    bound: int
    nodes: list[NodeRecord]

    def to_dict(self) -> dict[str, Any]:
        """Return the entries of this proof in a certificate."""
        facts: dict[str, Any] = {"cutoff": self.cost, "nodes": self._nodes()}
        return {"exchange": True, **facts} if self.exchange else facts

    def _nodes(self) -> list[dict[str, Any]]:
        """Return the nodes, the root first, without those that are not needed.

        The search may have found a better order after nodes were split. With the lower cutoff,
        multipliers fix more pairs and close more nodes than they did at the time.
        """
        # Imported here, because a proof by subsets alone needs no kernels.
        from concordant._kernels import triangles as kernels
        from concordant.bounds.multipliers import exact_bound

        goal, cutoff = self.bound - self.base, self.cost - self.base
        trivial = int(np.minimum(self.costs, 0).sum())
        nodes: list[dict[str, Any]] = [{}]
        waiting = [(0, 0, self.start.copy(), trivial)]
        while waiting:
            at, place, before, proven = waiting.pop()
            node = self.nodes[at]
            rounds = []
            for multipliers in node.rounds:
                if proven >= goal:
                    break
                rounds.append(multipliers.to_dict())
                found = exact_bound(self.costs, before, multipliers)
                proven = max(proven, found.units())
                if proven >= goal:
                    break
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


class Entries(Protocol):
    """The proof of the bound of one component, such as a `TreeRecord`."""

    def to_dict(self) -> dict[str, Any]:
        """Return the entries of this proof in a certificate."""


@dataclass(frozen=True, slots=True)
class PartRecord:
    """The bound of one component and its proof; without `proof`, it is proven by subsets."""

    items: Int64
    bound: int
    proof: Entries | None = None
    groups: Int64 | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the entry of this component in a certificate."""
        facts: dict[str, Any] = {"items": self.items.tolist(), "bound": self.bound}
        if self.items.size == 1:
            return facts
        if self.groups is not None:
            facts["groups"] = self.groups.tolist()
        if self.proof is None:
            return {**facts, "proof": "subsets"}
        return {**facts, **self.proof.to_dict()}


@dataclass(frozen=True, slots=True)
class Proof:
    """The proof of a lower bound on the cost of every order.

    Attributes:
        pairwise: The counts.
        bound: The proven bound, in units of the counts.
        parts: The proof of each component.
    """

    pairwise: Pairwise
    bound: int
    parts: tuple[PartRecord, ...]

    @classmethod
    def trivial(cls, pairwise: Pairwise) -> Proof:
        """Return the proof of the trivial bound: each pair costs at least its smaller count.

        Example:
            >>> from concordant.certificate import check
            >>> pairs = Pairwise.from_matrix([[0, 2], [1, 0]])
            >>> check(Proof.trivial(pairs).certificate(), pairs.counts)
            1
        """
        each = np.arange(pairwise.n_items)[:, None]
        parts = tuple(PartRecord(item, 0) for item in each)
        return cls(pairwise, pairwise.lower_bound_units(), parts)

    @classmethod
    def by_subsets(cls, pairwise: Pairwise, split: Split) -> Proof:
        """Return the proof by subsets of a problem whose components are all small.

        Example:
            >>> pairs = Pairwise.from_matrix([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
            >>> Proof.by_subsets(pairs, Split.of(pairs)).bound
            4
        """
        parts = tuple(
            PartRecord(part.items, part.solution()[1], groups=part.groups) for part in split.parts
        )
        return cls(pairwise, split.between + sum(part.bound for part in parts), parts)

    def certificate(self) -> dict[str, Any]:
        """Return the certificate of the bound; `concordant.certificate` describes its content."""
        return {
            "format": KIND,
            "version": VERSION,
            "n_items": self.pairwise.n_items,
            "data": fingerprint(self.pairwise.counts),
            "bound": self.bound,
            "components": [part.to_dict() for part in self.parts],
        }
