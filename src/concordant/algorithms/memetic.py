"""`auto`: parts of the majority graph solved apart, each by a memetic search on its margins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from concordant._checks import at_least, between, one_of, true_or_false
from concordant._kernels import islands as kernels
from concordant._kernels.descent import Descent
from concordant._kernels.exact import solve_by_subsets
from concordant._kernels.moves import cost_of
from concordant._kernels.state import IslandRules, Population, new_state
from concordant._types import Int64, Margins
from concordant.algorithms.beside import search_and_prove
from concordant.algorithms.scoring import borda_scores, by_score
from concordant.errors import SettingError
from concordant.reduction import components_of_margins, margins_of
from concordant.running import Run, stream

_CROSSOVERS = {
    "order-based": kernels.ORDER_BASED,
    "cpsc": kernels.CPSC,
    "position-based": kernels.POSITION_BASED,
    "none": kernels.NONE,
}
# Parts of up to this many items are solved exactly at once: 2^18 subsets take milliseconds.
_SMALL = 18
# Items looked at in one round by all islands of one thread: about ten milliseconds.
_ROUND = 10_000_000
# Explorers make many more children in the same time, and wait longer before they begin again.
_EXPLORER = 3
# After so many rounds, each island hands its best to the next.
_ROUNDS_BETWEEN_EXCHANGES = 200


@dataclass(frozen=True, slots=True)
class AutoSettings:
    """Settings of `auto`; the defaults won the comparison in `docs/search.md`.

    Attributes:
        islands: Populations that evolve apart. They are carried on by `n_jobs` threads; the
            answer depends on their number, not on the threads.
        explorers: How many of them explore: they start from orders drawn evenly, descend
            without late acceptance, and begin again from nothing. They hand their best to the
            others and take nothing. This is what matrices with few, large entries need.
        population: Members of each.
        crossover: "order-based", "cpsc", "position-based", or "none": ten random insertions
            into a member, an iterated local search.
        history_length: The length of the cost list of the late acceptance search.
        idle_factor: That search ends after idle_factor · m iterations without improvement.
        reach: How fast longer moves become rarer: distance d is drawn in proportion to
            d ** -reach.
        patience: Children refused in a row before a population is built anew around its best.
        proof: Whether to prove a bound beside the search. The proof may find better orders,
            and when it does depends on the clock; without it, a timed run can be repeated by its
            number of iterations.
    """

    islands: int = 2
    explorers: int = 1
    population: int = 20
    crossover: str = "order-based"
    history_length: int = 5
    idle_factor: int = 30
    reach: float = 1.5
    patience: int = 40
    proof: bool = True

    def __post_init__(self) -> None:
        at_least("islands", self.islands, 1)
        at_least("explorers", self.explorers, 0)
        at_least("population", self.population, 2)
        one_of("crossover", self.crossover, tuple(_CROSSOVERS))
        at_least("history_length", self.history_length, 1)
        at_least("idle_factor", self.idle_factor, 1)
        at_least("patience", self.patience, 1)
        true_or_false("proof", self.proof)
        between("reach", self.reach, 0, 10)


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
        margins: Margins,
        total: int,
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
        cost = cost_of(margins, total, order)
        self._state = new_state(cost)
        self._state["phase"] = kernels.DESCEND
        self._state["champion"] = cost
        self._order = order
        self._champion = order.copy()
        self._rules = IslandRules(
            margins,
            total,
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
        )
        self.best_order = order.copy()
        self.best_cost = cost

    @property
    def iterations(self) -> int:
        """Insertions evaluated so far."""
        return int(self._state["iterations"])

    @property
    def children(self) -> int:
        """Orders that were offered to the population so far."""
        return int(self._state["children"])

    def advance(self, budget: int) -> None:
        """Carry on for about `budget` units of work."""
        kernels.evolve(self._rules, self._population, self._state, budget)
        if self._state["champion"] < self.best_cost:
            self.best_cost = int(self._state["champion"])
            self.best_order = self._champion.copy()
        phase = int(self._state["phase"])
        if phase == kernels.LATE and self._state["best"] < self.best_cost:
            self.best_cost = int(self._state["best"])
            self.best_order = self._best.copy()
        elif phase == kernels.DESCEND and self._state["cost"] < self.best_cost:
            self.best_cost = int(self._state["cost"])
            self.best_order = self._order.copy()

    def welcome(self, other: Island) -> None:
        """Offer the best of another island to the population, once there is one."""
        if self.explores or not self.children:
            return
        filled, _ = kernels.join(
            other.best_order,
            other.best_cost,
            self._members,
            self._costs,
            self._state["filled"],
            self._rules.min_distance,
        )
        self._state["filled"] = filled
        if other.best_cost < self._state["champion"]:
            self._state["champion"] = other.best_cost
            self._champion[:] = other.best_order


class Part:
    """One component: its items, its best order so far, and the islands that improve it."""

    def __init__(self, counts: Int64, margins: Margins, items: Int64, start: Int64) -> None:
        if items.size < margins.shape[0]:
            inside = np.ix_(items, items)
            counts, margins = counts[inside], margins[inside]
        self.items = items
        self.margins = margins
        self.total = int(counts.sum())
        # Of each pair the cheaper side: half of what both cost together less their margin.
        self.trivial_bound = (self.total - int(np.abs(margins).sum(dtype=np.int64)) // 2) // 2
        self.islands: list[Island] = []
        if 1 < items.size <= _SMALL:
            cost, self.order = solve_by_subsets(counts)
            self.cost = self.bound = int(cost)
        else:
            self.order = start
            self.cost = cost_of(margins, self.total, start.astype(np.int32))
            self.bound = self.trivial_bound

    def settle(self, settings: AutoSettings, rng: np.random.Generator) -> None:
        """Found the islands, where the part is not solved."""
        if self.cost > self.bound:
            # At least one island does not explore: it brings the others' best together.
            explores = [
                k >= max(1, settings.islands - settings.explorers) for k in range(settings.islands)
            ]
            self.islands = [
                Island(self.margins, self.total, self.order, settings, rng, explore)
                for explore in explores
            ]

    def take_best(self) -> None:
        """Take over the best order of the islands."""
        best = min(self.islands, key=lambda island: island.best_cost)
        if best.best_cost < self.cost:
            self.cost, self.order = best.best_cost, best.best_order.astype(np.int64)


class Parts:
    """All components in order, and the incumbent that they make together."""

    def __init__(self, run: Run) -> None:
        self._run = run
        order = by_score(borda_scores(run.pairwise.counts)) if run.initial is None else run.initial
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size)
        counts = run.pairwise.counts
        margins = margins_of(counts)
        # Inside a part, items keep the order of the start.
        self.parts = [
            Part(counts, margins, items, np.argsort(place[items]))
            for items in components_of_margins(margins)
        ]
        self._between = run.pairwise.lower_bound_units() - sum(p.trivial_bound for p in self.parts)
        run.raise_bound(self._between + sum(part.bound for part in self.parts))
        self.report()

    def report(self) -> None:
        """Offer the parts' best orders, one after the other, as the incumbent."""
        cost = self._between + sum(part.cost for part in self.parts)
        if self._run.cost is None or cost < self._run.cost:
            order = np.concatenate([part.items[part.order] for part in self.parts])
            self._run.improve(order, cost)


class Search:
    """The memetic search on all parts that are not solved, one round at a time."""

    def __init__(self, run: Run, settings: AutoSettings) -> None:
        self._run = run
        self._whole = Parts(run)
        rng = run.rng()
        for part in self._whole.parts:
            part.settle(settings, rng)
        self._parts = [part for part in self._whole.parts if part.islands]
        self._islands = [(part, island) for part in self._parts for island in part.islands]
        self._effort = sum(part.items.size**2 for part in self._parts)
        self._rounds = 0

    def __bool__(self) -> bool:
        """Whether there is something left to search for."""
        return bool(self._islands)

    def round(self, in_parallel: bool = True) -> None:
        """Carry on all islands for some milliseconds, and report what they found.

        Limits are looked at between rounds only, so the number of threads changes nothing.
        """
        run = self._run
        tasks = [
            partial(island.advance, max(1, _ROUND * part.items.size**2 // self._effort))
            for part, island in self._islands
        ]
        if in_parallel:
            run.in_parallel(tasks)
        else:
            for task in tasks:
                task()
        run.iterations = sum(island.iterations for _, island in self._islands)
        run.generations = sum(island.children for _, island in self._islands)
        for part in self._parts:
            part.take_best()
        self._whole.report()
        self._rounds += 1
        if self._rounds % _ROUNDS_BETWEEN_EXCHANGES == 0:
            for part in self._parts:
                for k, island in enumerate(part.islands):
                    island.welcome(part.islands[k - 1])


def auto(run: Run, settings: AutoSettings) -> None:
    """Improve every part that is not solved and prove a bound beside, until the run is over."""
    search = Search(run, settings)
    if settings.proof:
        search_and_prove(run, search)
    while search and not run.stop():
        search.round()


def exact(run: Run, settings: AutoSettings) -> None:
    """Search and prove until they meet; the proof never gives up."""
    if not settings.proof:
        raise SettingError("'exact' is nothing without its proof; 'auto' can do with proof=False")
    search_and_prove(run, Search(run, settings), give_up=False)


def insertion(run: Run, settings: None) -> None:
    """Move items to their best places, from Borda's order, until no move improves."""
    whole = Parts(run)
    for part in whole.parts:
        if part.cost == part.bound:
            continue
        order = part.order.astype(np.int32)
        descent = Descent(part.margins, order, part.cost)
        while not descent.finished and not run.stop():
            run.iterations += descent.advance(_ROUND)
            part.order, part.cost = order.astype(np.int64), descent.cost
            whole.report()
