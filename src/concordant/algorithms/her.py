"""HER, the hybrid evolutionary ranking algorithm: Algorithm 1 of Zhou, Hao, Li and Glover."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from concordant._checks import at_least, fits_memory, one_of
from concordant._kernels import crossover as crossovers
from concordant._types import Int64, Margins
from concordant.algorithms.lads import LadsSearch, Problem, SearchSettings, finish
from concordant.algorithms.scoring import counted_in_time
from concordant.running import Run, stream

# Functions of (first parent, second parent, random stream) that return a child; `merge` takes the
# margins before these.
CROSSOVERS = {
    "cpsc": crossovers.cpsc,
    "cpsc-losses": crossovers.cpsc_losses,
    "cpsc-extension": crossovers.cpsc_extension,
    "order": crossovers.order,
    "order-based": crossovers.order_based,
    "position-based": crossovers.position_based,
    "merge": crossovers.merge,
}


def crossover_of(name: str, margins: Callable[[], Margins]) -> Callable[..., Any]:
    """Return a crossover by name, as a function of (first, second, stream)."""
    return partial(crossovers.merge, margins()) if name == "merge" else CROSSOVERS[name]


@dataclass(frozen=True, slots=True)
class HerSettings(SearchSettings):
    """Settings of HER; the defaults are the paper's. The settings of LADS are for its local search.

    The paper's crossover CPSC can be read in three ways. All of them keep every pair that both
    parents order alike. For the open places of its worked example, the paper allows (5|3|4),
    (3|5|4) and (3|4|5): "cpsc" can give the last two, "cpsc-losses" the first two, and
    "cpsc-extension" all three.

    The preset "released" follows the authors' program as far as the settings allow: random
    starts, all iterations can be idle, no check for duplicates, and an end after 60 idle
    generations, while the paper's pseudo-code ends after more than 60. Not reproduced: the
    program's crossover never clears its matrix of pairs, and it reads rank vectors as orders.

    Attributes:
        population: T, the number of members.
        max_idle_generations: MaxGens: the run ends after more than this number of generations in
            a row without a better order.
        crossover: "cpsc" (items that win more concordant pairs come first, ties drawn at random),
            "cpsc-losses" (items that lose fewer come first, ties drawn at random),
            "cpsc-extension" (a random linear extension of the concordant pairs), "order",
            "order-based", "position-based", or "merge" of `auto` (ours).
        duplicates: What happens to a child that equals a member: "refuse" it (the paper's), or
            "keep" it.
    """

    population: int = 20
    max_idle_generations: int = 60
    crossover: str = "cpsc"
    duplicates: str = "refuse"

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {},
        "released": {
            **SearchSettings.PRESETS["released"],
            "max_idle_generations": 59,
            "duplicates": "keep",
        },
    }

    def __post_init__(self) -> None:
        SearchSettings.__post_init__(self)
        at_least("population", self.population, 2, 10_000)
        at_least("max_idle_generations", self.max_idle_generations, 0)
        one_of("crossover", self.crossover, tuple(CROSSOVERS))
        one_of("duplicates", self.duplicates, ("refuse", "keep"))


def her(run: Run, settings: HerSettings) -> None:
    """Evolve a population of local optima until MaxGens generations bring no improvement."""
    problem = Problem(run, settings)
    fits_memory("population", settings.population, problem.bytes_of_a_search)
    if not counted_in_time(run):
        return
    rng = run.rng()
    recombine = crossover_of(settings.crossover, lambda: problem.margins)
    starts: list[Int64] = []
    for k in range(settings.population):
        start = problem.start(rng)
        if k == 0:
            if run.initial is not None:
                start = run.initial
            run.improve(start)
        starts.append(start)
        if run.stop():
            return
    searches: list[LadsSearch] = []
    for start in starts:
        searches.append(LadsSearch(problem, start, rng))
        if run.stop():
            return
    finish(run, searches)
    members = [search.best for search in searches]
    costs = np.array([search.best_cost for search in searches])
    # The first searches hold large arrays that are no longer needed.
    del searches
    best = int(costs.min())
    idle = 0
    while not run.stop():
        first, second = rng.choice(settings.population, 2, replace=False)
        child = recombine(members[first], members[second], stream(rng))
        search = LadsSearch(problem, child, rng)
        finish(run, [search])
        run.generations += 1
        if search.best_cost < best:
            best = search.best_cost
            idle = 0
        else:
            idle += 1
        if idle > settings.max_idle_generations:
            break
        keep = settings.duplicates == "keep"
        update_population(members, costs, search.best, search.best_cost, keep_duplicates=keep)


def update_population(
    members: list[Any], costs: Int64, child: Any, cost: int, *, keep_duplicates: bool = False
) -> bool:
    """Let a child replace the worst member if it is better and no duplicate; return whether."""
    worst = int(np.argmax(costs))
    if cost >= costs[worst]:
        return False
    if not keep_duplicates and any(
        cost == costs[k] and (child == members[k]).all() for k in range(len(members))
    ):
        return False
    members[worst], costs[worst] = child, cost
    return True
