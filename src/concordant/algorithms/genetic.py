"""GA: the genetic algorithm on permutations of Aledo, Gámez and Molina (2013)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from concordant._checks import at_least, between, fits_memory, one_of
from concordant._kernels import genetic as kernels
from concordant._kernels.state import GaRules
from concordant.algorithms.scoring import counted_in_time
from concordant.reduction.split import margins_of
from concordant.running import Run, stream

_CROSSOVERS = {
    "position-based": kernels.POSITION_BASED,
    "order": kernels.ORDER,
    "order-based": kernels.ORDER_BASED,
    "mixed": -1,
}
_MUTATIONS = {
    "insertion": kernels.INSERTION,
    "displacement": kernels.DISPLACEMENT,
    "inversion": kernels.INVERSION,
    "mixed": -1,
}
# Pairs of items evaluated between two checks of the limits: a few milliseconds.
_SLICE = 6_000_000


@dataclass(frozen=True, slots=True)
class GaSettings:
    """Settings of `ga`.

    After Aledo, Gámez and Molina (2013): their operators and their limit of 60 idle
    generations. Ours: the size of the population, the tournaments, and the survival of the
    best among parents and children. There is no local search.

    Attributes:
        population: The number of members.
        crossover: "position-based", "order", "order-based", or "mixed" (drawn for each child).
        mutation: "insertion" of an item, "displacement" of a stretch of items, "inversion" of a
            stretch, or "mixed".
        mutation_rate: The probability that a child is mutated.
        tournament: A parent is the best of this number of members drawn at random.
        max_idle_generations: The run ends after this number of generations in a row without a
            better order.
    """

    population: int = 500
    crossover: str = "mixed"
    mutation: str = "insertion"
    mutation_rate: float = 0.5
    tournament: int = 1
    max_idle_generations: int = 60

    def __post_init__(self) -> None:
        at_least("population", self.population, 2, 1_000_000)
        one_of("crossover", self.crossover, tuple(_CROSSOVERS))
        one_of("mutation", self.mutation, tuple(_MUTATIONS))
        at_least("tournament", self.tournament, 1, 10_000)
        at_least("max_idle_generations", self.max_idle_generations, 1)
        between("mutation_rate", self.mutation_rate, 0, 1)


def ga(run: Run, settings: GaSettings) -> None:
    """Evolve random orders: tournaments, crossover, mutation; the better half survives.

    Aledo, Gámez and Molina (2013), "Tackling the rank aggregation problem with evolutionary
    algorithms", Applied Mathematics and Computation 222. `GaSettings` lists what is ours.
    """
    if not counted_in_time(run):
        return
    m = run.n_items
    margins = margins_of(run.pairwise.counts)
    total = int(run.pairwise.counts.sum())
    random = stream(run.rng())
    size = settings.population
    # Members in the first half, children in the second half, and a copy while they are sorted.
    fits_memory("population", size, 3 * (4 * m + 8))
    orders = np.empty((2 * size, m), np.int32)
    costs = np.empty(2 * size, np.int64)
    step = max(1, _SLICE // (m * m + 50 * m + settings.tournament // 4))
    for first in range(0, size, step):
        last = min(size, first + step)
        kernels.draw_members(margins, total, orders[first:last], costs[first:last], random)
        if first == 0 and run.initial is not None:
            orders[0] = run.initial
            costs[0] = run.pairwise.cost_units(run.initial)
        best = first + int(costs[first:last].argmin())
        run.improve(orders[best], int(costs[best]))
        if last < size and run.stop():
            return
    rules = GaRules(
        margins,
        total,
        _CROSSOVERS[settings.crossover],
        _MUTATIONS[settings.mutation],
        mutated=int(float(settings.mutation_rate) * 2**32),
        tournament=settings.tournament,
    )
    idle = 0
    while idle < settings.max_idle_generations and not run.stop():
        for first in range(0, size, step):
            last = min(size, first + step)
            children = slice(size + first, size + last)
            kernels.breed(
                rules, orders[:size], costs[:size], orders[children], costs[children], random
            )
            run.iterations += last - first
            if last < size and run.stop():
                costs[size + last :] = np.iinfo(np.int64).max
                break
        run.generations += 1
        survivors = np.argsort(costs, kind="stable")[:size]
        orders[:size], costs[:size] = orders[survivors], costs[survivors]
        idle = 0 if run.improve(orders[0], int(costs[0])) else idle + 1
