"""HER, the hybrid evolutionary ranking algorithm: Algorithm 1 of Zhou, Hao, Li and Glover."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from concordant._checks import at_least, one_of
from concordant._kernels import crossover as crossovers
from concordant._types import Int64
from concordant.algorithms.lads import LadsSettings, Problem, Search, finish
from concordant.running import Run, stream

# Plain functions: (first parent, second parent, random stream) -> child.
CROSSOVERS = {
    "cpsc": crossovers.cpsc,
    "cpsc-extension": crossovers.cpsc_extension,
    "order": crossovers.order,
    "order-based": crossovers.order_based,
    "position-based": crossovers.position_based,
}


@dataclass(frozen=True, slots=True)
class HerSettings(LadsSettings):
    """Settings of HER; the defaults are the paper's. Those of LADS hold for its local search.

    Attributes:
        population: T, the number of members.
        max_idle_generations: MaxGens: the run ends after more than so many generations in a
            row without a better order.
        crossover: "cpsc" (ties in the voting by lot), "cpsc-extension" (unknown pairs by a
            random linear extension), "order", "order-based" or "position-based".
    """

    population: int = 20
    max_idle_generations: int = 60
    crossover: str = "cpsc"

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = LadsSettings.PRESETS

    def __post_init__(self) -> None:
        LadsSettings.__post_init__(self)
        at_least("population", self.population, 2)
        at_least("max_idle_generations", self.max_idle_generations, 0)
        one_of("crossover", self.crossover, tuple(CROSSOVERS))


def her(run: Run, settings: HerSettings) -> None:
    """Evolve a population of local optima until MaxGens generations bring nothing better."""
    problem = Problem(run, settings)
    rng = run.rng()
    recombine = CROSSOVERS[settings.crossover]
    starts = [problem.start(rng) for _ in range(settings.population)]
    if run.initial is not None:
        starts[0] = run.initial
    run.improve(starts[0])
    searches = [Search(problem, start, rng) for start in starts]
    finish(run, searches)
    members = [search.best for search in searches]
    costs = np.array([search.best_cost for search in searches])
    best = int(costs.min())
    idle = 0
    while not run.stop():
        first, second = rng.choice(settings.population, 2, replace=False)
        child = recombine(members[first], members[second], stream(rng))
        search = Search(problem, child, rng)
        finish(run, [search])
        run.generations += 1
        if search.best_cost < best:
            best = search.best_cost
            idle = 0
        else:
            idle += 1
        if idle > settings.max_idle_generations:
            break
        update_population(members, costs, search.best, search.best_cost)


def update_population(members: list[Any], costs: Int64, child: Any, cost: int) -> bool:
    """Let a child replace the worst member if it is better and unlike all members."""
    worst = int(np.argmax(costs))
    if cost >= costs[worst]:
        return False
    if any(cost == costs[k] and (child == members[k]).all() for k in range(len(members))):
        return False
    members[worst], costs[worst] = child, cost
    return True
