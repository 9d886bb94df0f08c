"""`PartOrders`: the best order of each part of a problem, and the incumbent they make together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from concordant._types import Int64
from concordant.algorithms.scoring import borda_scores, by_score
from concordant.reduction.split import margins_of
from concordant.reduction.tie_breaking import settle_ties
from concordant.running import Run

if TYPE_CHECKING:
    from concordant.bounds.prover import Prover

# Items evaluated by a descent between two checks of the limits: some milliseconds.
_SLICE = 6_000_000
# Up to this many items, ties are settled even when the time is up: it takes milliseconds.
_SETTLED_ALWAYS = 4_096
# Passes over the matrix that splitting a problem into parts takes.
SPLITTING = 3


def _borda(run: Run) -> Int64:
    """Return Borda's order; of few items, equal ones in the order of the rule for ties."""
    scores = borda_scores(run.pairwise.counts)
    if run.n_items > _SETTLED_ALWAYS:
        return by_score(scores)
    return np.lexsort((run.preference, -scores))


class PartOrders:
    """The best orders of all parts so far; small parts are solved at once.

    Attributes:
        split: The parts.
        orders, costs, bounds: The best order of each part, its cost, and its proven bound.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.split = run.split
        start = _borda(run) if run.initial is None else run.initial
        # Inside a part, items keep their order in the start.
        self.orders = self.split.orders(start)
        self.costs: list[int] = []
        self.bounds: list[int] = []
        for p, part in enumerate(self.split.parts):
            if part.size == 1:
                self.costs.append(0)
                self.bounds.append(0)
            elif part.is_small:
                self.orders[p], cost = part.solution()
                self.costs.append(cost)
                self.bounds.append(cost)
            else:
                self.costs.append(part.cost(self.orders[p]))
                self.bounds.append(part.trivial)
        self.report()

    def unsolved(self) -> list[int]:
        """Return the indices of the parts that are needed and not proven optimal."""
        top = self._run.top
        needed = len(self.costs) if top is None else self.split.holding(top)
        return [p for p, cost in enumerate(self.costs[:needed]) if cost > self.bounds[p]]

    def settle_rest(self) -> None:
        """Improve the parts that hold none of the first places to a local optimum."""
        from concordant._kernels.descent import Descent

        for p in range(self.split.holding(self._run.top or 0), len(self.costs)):
            if self.costs[p] > self.bounds[p] and not self._run.out_of_limits():
                part = self.split.parts[p]
                descent = Descent(part.margins, self.orders[p].astype(np.int32), self.costs[p])
                while not descent.finished and not self._run.out_of_limits():
                    descent.advance(_SLICE)
                self.offer(p, descent.order, descent.cost)
        self.report()

    def offer(self, p: int, order: npt.NDArray[np.signedinteger], cost: int) -> None:
        """Keep an order of a part if it is better."""
        if cost < self.costs[p]:
            self.orders[p], self.costs[p] = order.astype(np.int64), cost

    def take(self, prover: Prover) -> None:
        """Keep the better orders and bounds of a proof that has ended."""
        for p, part in enumerate(prover.parts):
            self.offer(p, part.order, part.cost)
            self.bounds[p] = max(self.bounds[p], part.bound)
        self.report()

    def settle(self) -> None:
        """Make the final order of the run: the best of each part, and ties by the rule.

        Parts solved by subsets have the order that the rule prefers of all optimal ones. Of the
        others the best order is kept, but for neighbours whose margin is zero.
        """
        run = self._run
        if run.order is None or (run.n_items > _SETTLED_ALWAYS and run.out_of_limits()):
            return
        for p, order in enumerate(self.split.orders(run.order)):
            part = self.split.parts[p]
            if part.size > 1 and not part.is_small:
                self.offer(p, order, part.cost(order))
        joined = self.split.join(self.orders)
        margins = margins_of(run.pairwise.counts)
        needed = 0 if run.top is None else self.split.holding(run.top)
        head = sum(part.items.size for part in self.split.parts[:needed])
        # Items of later parts do not move among the first places: those parts may be unsolved.
        pieces = [joined[:head], joined[head:]]
        if np.count_nonzero(margins) < run.n_items * (run.n_items - 1):
            pieces = [settle_ties(piece, margins, run.preference) for piece in pieces]
        replaced = run.replace(np.concatenate(pieces))
        run.top_proven = replaced and needed > 0 and not self.unsolved()

    def report(self) -> None:
        """Report the joined orders as the incumbent, and the sum of the bounds."""
        self._run.raise_bound(self.split.between + sum(self.bounds))
        cost = self.split.between + sum(self.costs)
        if self._run.cost is None or cost < self._run.cost:
            self._run.improve(self.split.join(self.orders), cost)
