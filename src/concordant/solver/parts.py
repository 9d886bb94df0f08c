"""`PartOrders`: the best order of each part of a problem, and the incumbent they make together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from concordant.algorithms.scoring import borda_scores, by_score
from concordant.running import Run

# Items looked at by a descent between two looks at the clock: some milliseconds.
_SLICE = 6_000_000


class PartOrders:
    """The best orders of all parts so far; small parts are solved at once.

    Attributes:
        split: The parts.
        orders, costs, bounds: Of each part the best order, its cost, and what is proven.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self.split = run.split
        start = by_score(borda_scores(run.pairwise.counts)) if run.initial is None else run.initial
        # Inside a part, items keep the order of the start.
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
        """Return the numbers of the parts that are asked for and not proven optimal."""
        top = self._run.top
        needed = len(self.costs) if top is None else self.split.holding(top)
        return [p for p, cost in enumerate(self.costs[:needed]) if cost > self.bounds[p]]

    def settle_rest(self) -> None:
        """Take the parts that are not asked for down to a local optimum, so that they are fair."""
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
        """Take over an order of a part if it is better."""
        if cost < self.costs[p]:
            self.orders[p], self.costs[p] = order.astype(np.int64), cost

    def report(self) -> None:
        """Offer the orders, one after the other, as the incumbent, and the sum of the bounds."""
        self._run.raise_bound(self.split.between + sum(self.bounds))
        cost = self.split.between + sum(self.costs)
        if self._run.cost is None or cost < self._run.cost:
            self._run.improve(self.split.join(self.orders), cost)
