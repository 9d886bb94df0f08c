"""`Parts`: a problem split into its components, for the branch and bound methods."""

from __future__ import annotations

import numpy as np

from concordant._types import Int64
from concordant.algorithms.scoring import borda_of, by_score
from concordant.reduction.split import Split
from concordant.running import Run


class Parts:
    """The best orders of all components, at first Borda's, and their lower bounds."""

    def __init__(self, run: Run) -> None:
        counts = run.pairwise.counts
        borda = borda_of(run)
        self._run = run
        # As published: these methods do not merge items that stay together.
        self._split = Split.of(run.pairwise, contract=False)
        self.items = [part.items for part in self._split.parts]
        # A large problem often has one component, in the order of the items: then nothing has to be
        # selected. Small components are in another order.
        whole = len(self.items) == 1 and bool((np.diff(self.items[0]) == 1).all())
        self.counts = [counts.copy() if whole else counts[np.ix_(i, i)] for i in self.items]
        self.bounds = [part.trivial for part in self._split.parts]
        self.orders: list[Int64] = [by_score(borda[items]) for items in self.items]

    def report(self) -> None:
        """Offer the orders as the incumbent, and the sum of the bounds."""
        self._run.improve(self._split.join(self.orders))
        self._run.raise_bound(self._split.between + sum(self.bounds))


def cost_of(counts: Int64, order: Int64) -> int:
    """Return the cost of an order of all items of a matrix."""
    return int(np.tril(counts[np.ix_(order, order)], -1).sum())
