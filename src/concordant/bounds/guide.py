"""`Guide`: an earlier proof of a component, to be repeated after the data have changed a little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from concordant._types import Float, Int64
from concordant.bounds.multipliers import Cycles
from concordant.bounds.record import NodeRecord, Proof, TreeRecord
from concordant.reduction.split import Part

ROOT = 0


@dataclass(frozen=True, slots=True)
class Guide:
    """The tree of an earlier proof, with its items mapped to those of the current component.

    A proof that follows it saves the two slow steps: in each node, the ascent starts from the
    multipliers of the earlier proof, and the pair to split on is known. All bounds are proven again
    for the current data.

    Attributes:
        nodes: The nodes of the earlier tree, the root first.
        number: The index in the current component of each earlier index; -1 if it has none.
    """

    nodes: list[NodeRecord]
    number: Int64

    def multipliers(self, at: int) -> tuple[npt.NDArray[np.int32], Float] | None:
        """Return the last multipliers of a node: triangles and their values, in units of cost.

        None if there are none.
        """
        if not self.nodes[at].rounds:
            return None
        last = self.nodes[at].rounds[-1]
        found = [_triangles(each, self.number) for each in last.inequalities]
        corners = np.concatenate([each for each, _ in found]) if found else np.zeros((0, 3))
        if not corners.size:
            return None
        values = np.concatenate([values for _, values in found])
        return corners.astype(np.int32), values / last.scale

    def branch(self, at: int) -> tuple[int, int] | None:
        """Return the pair that a node was split on; None if not split, or an item has no index."""
        pair = self.nodes[at].branch
        if pair is None:
            return None
        a, b = int(self.number[pair[0]]), int(self.number[pair[1]])
        return None if a < 0 or b < 0 else (a, b)

    def children(self, at: int) -> tuple[int, int]:
        """Return the children of a split node: with its pair in this order, and reversed."""
        children = self.nodes[at].children
        assert children is not None
        return children


def _triangles(cycles: object, number: Int64) -> tuple[Int64, Float]:
    """Return the cycles of three items as triangles i < j < k; the sign is the direction."""
    if not isinstance(cycles, Cycles):
        return np.zeros((0, 3), np.int64), np.zeros(0)
    three = np.flatnonzero(np.diff(cycles.starts) == 3)
    items = number[cycles.items[cycles.starts[three][:, None] + np.arange(3)]]
    whole = (items >= 0).all(axis=1)
    items, values = items[whole], cycles.values[three[whole]].astype(float)
    # A cycle has the direction i, j, k if two of its three steps lead to a larger index.
    rises = (np.roll(items, -1, axis=1) > items).sum(axis=1)
    return np.sort(items, axis=1), np.where(rises == 2, values, -values)


def _leaders(items: Int64, groups: Int64 | None) -> Int64:
    """Return the item that represents each index of a component: the first of its group."""
    return items if groups is None else items[np.cumsum(groups) - groups]


class Guides:
    """The trees of an earlier proof of similar data, to guide the proofs of new components.

    Args:
        proof: The proof of the data before they changed.
        number: The current number of each of its items; -1 if the item is gone.
        n_items: The current number of items; by default that of the proof.
    """

    def __init__(self, proof: Proof, number: Int64, n_items: int | None = None) -> None:
        self._trees: list[tuple[TreeRecord, Int64]] = [
            (part.proof, number[_leaders(part.items, part.groups)])
            for part in proof.parts
            if isinstance(part.proof, TreeRecord)
        ]
        self._n_items = number.size if n_items is None else n_items

    def of(self, part: Part) -> Guide | None:
        """Return the tree that shares the most items with a component.

        None if it shares no more than half of the items, or has no multipliers at the root.
        """
        # The last entry is that of items that are gone, whose number is -1.
        index = np.full(self._n_items + 1, -1)
        leaders = _leaders(part.items, part.groups)
        index[leaders] = np.arange(leaders.size)
        known = [(int((index[items] >= 0).sum()), tree, items) for tree, items in self._trees]
        if not known:
            return None
        shared, tree, items = max(known, key=lambda each: each[0])
        guide = Guide(tree.nodes, index[items])
        return guide if 2 * shared > part.size and guide.multipliers(ROOT) else None
