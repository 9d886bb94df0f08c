"""A memetic search on islands: the parts of a problem improved side by side, on their margins."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._kernels import islands as kernels
from concordant._kernels.state import (
    BEST,
    CHAMPION,
    CHILDREN,
    COST,
    FILLED,
    ITERATIONS,
    PHASE,
    IslandRules,
    Population,
    new_state,
)
from concordant._types import Int32, Int64
from concordant.algorithms.parts import PartOrders
from concordant.reduction import Part
from concordant.running import Run, stream

if TYPE_CHECKING:
    from concordant.algorithms.auto import AutoSettings

_CROSSOVERS = {
    "order-based": kernels.ORDER_BASED,
    "cpsc": kernels.CPSC,
    "position-based": kernels.POSITION_BASED,
    "none": kernels.NONE,
}
# Items looked at in one round by all islands of one thread: about ten milliseconds.
_ROUND = 10_000_000
# Explorers make many more children in the same time, and wait longer before they begin again.
_EXPLORER = 3
# After so many rounds, each island hands its best to the next.
_ROUNDS_BETWEEN_EXCHANGES = 200


def distances_to_draw(m: int, reach: float) -> Any:
    """Return distances -(m-1) … m-1 to draw from, |d| in proportion to |d| ** -reach."""
    distance = np.arange(1, m)
    weight = np.cumsum(distance ** -float(reach))
    quantiles = (np.arange(max(4096, 8 * m)) + 0.5) / max(4096, 8 * m)
    drawn = distance[np.searchsorted(weight / weight[-1], quantiles)]
    return np.concatenate([drawn, -drawn]).astype(np.int32)


class Island:
    """One population on one part of the problem, carried on in slices."""

    def __init__(
        self,
        part: Part,
        start: Int64,
        settings: AutoSettings,
        rng: np.random.Generator,
        explore: bool = False,
    ) -> None:
        m = start.size
        self.explores = explore
        order = start.astype(np.int32)
        self._members = np.empty((settings.population, m), np.int32)
        self._costs = np.zeros(settings.population, np.int64)
        self._best = order.copy()
        cost = part.cost(start)
        self._state = new_state(cost)
        self._state[PHASE] = kernels.DESCEND
        self._state[CHAMPION] = cost
        self._order = order
        self._champion = order.copy()
        self._rules = IslandRules(
            part.margins,
            part.total,
            distances_to_draw(m, settings.reach),
            _CROSSOVERS[settings.crossover],
            max_idle=0 if explore else settings.idle_factor * m,
            min_distance=max(1, m // 2),
            patience=(_EXPLORER if explore else 1) * settings.patience,
            explore=explore,
        )
        self._population = Population(
            order,
            self._best,
            self._champion,
            self._members,
            self._costs,
            np.empty(settings.history_length, np.int64),
            stream(rng),
            # All items are to be looked at: see `descent`.
            np.vstack([np.zeros(m, np.int64), np.ones(m, np.int64)]),
        )
        self.best_order = order.copy()
        self.best_cost = cost

    @property
    def iterations(self) -> int:
        """Insertions evaluated so far."""
        return int(self._state[ITERATIONS])

    @property
    def children(self) -> int:
        """Orders that were offered to the population so far."""
        return int(self._state[CHILDREN])

    def advance(self, budget: int) -> None:
        """Carry on for about `budget` units of work."""
        kernels.evolve(self._rules, self._population, self._state, budget)
        if self._state[CHAMPION] < self.best_cost:
            self.best_cost = int(self._state[CHAMPION])
            self.best_order = self._champion.copy()
        phase = int(self._state[PHASE])
        if phase == kernels.LATE and self._state[BEST] < self.best_cost:
            self.best_cost = int(self._state[BEST])
            self.best_order = self._best.copy()
        elif phase == kernels.DESCEND and self._state[COST] < self.best_cost:
            self.best_cost = int(self._state[COST])
            self.best_order = self._order.copy()

    def welcome(self, order: Int32, cost: int) -> None:
        """Offer an order to the population, once there is one."""
        if self.explores or not self.children:
            return
        filled, _ = kernels.join(
            order,
            cost,
            self._members,
            self._costs,
            self._state[FILLED],
            self._rules.min_distance,
        )
        self._state[FILLED] = filled
        if cost < self._state[CHAMPION]:
            self._state[CHAMPION] = cost
            self._champion[:] = order


class Colony:
    """The islands that improve one part."""

    def __init__(
        self,
        part: Part,
        order: Int64,
        settings: AutoSettings,
        rng: np.random.Generator,
    ) -> None:
        self.size = part.size
        # At least one island does not explore: it brings the others' best together.
        explores = [
            k >= max(1, settings.islands - settings.explorers) for k in range(settings.islands)
        ]
        self.islands = [Island(part, order, settings, rng, explore) for explore in explores]

    @property
    def best(self) -> Island:
        """The island with the best order."""
        return min(self.islands, key=lambda island: island.best_cost)


class IslandSearch:
    """The memetic search on all parts that are not solved, one round at a time."""

    def __init__(self, run: Run, parts: PartOrders, settings: AutoSettings) -> None:
        self._run = run
        self._parts = parts
        rng = run.rng()
        self._colonies = {
            p: Colony(parts.split.parts[p], parts.orders[p], settings, rng)
            for p in parts.unsolved()
        }
        self._islands = [
            (colony, island) for colony in self._colonies.values() for island in colony.islands
        ]
        self._effort = sum(colony.size**2 for colony in self._colonies.values())
        self._rounds = 0
        self._offered: Int64 | None = None

    def __bool__(self) -> bool:
        """Whether there is something left to search for."""
        return bool(self._islands)

    def offer(self, order: Int64) -> None:
        """Hand an order of all items to the search, from any thread; the next round takes it."""
        self._offered = order

    def _take_offer(self) -> None:
        order, self._offered = self._offered, None
        if order is None:
            return
        for p, inside in enumerate(self._parts.split.orders(order)):
            if p in self._colonies:
                cost = self._parts.split.parts[p].cost(inside)
                if cost < self._parts.costs[p]:
                    self._parts.offer(p, inside, cost)
                    for island in self._colonies[p].islands:
                        island.welcome(inside.astype(np.int32), cost)

    def round(self, in_parallel: bool = True) -> None:
        """Carry on all islands for some milliseconds, and report what they found.

        Limits are looked at between rounds only, so the number of threads changes nothing.
        """
        run = self._run
        self._take_offer()
        tasks = [
            partial(island.advance, max(1, _ROUND * colony.size**2 // self._effort))
            for colony, island in self._islands
        ]
        if in_parallel:
            run.in_parallel(tasks)
        else:
            for task in tasks:
                task()
        run.iterations = sum(island.iterations for _, island in self._islands)
        run.generations = sum(island.children for _, island in self._islands)
        for p, colony in self._colonies.items():
            self._parts.offer(p, colony.best.best_order, colony.best.best_cost)
        self._parts.report()
        self._rounds += 1
        if self._rounds % _ROUNDS_BETWEEN_EXCHANGES == 0:
            for colony in self._colonies.values():
                for k, island in enumerate(colony.islands):
                    other = colony.islands[k - 1]
                    island.welcome(other.best_order, other.best_cost)
