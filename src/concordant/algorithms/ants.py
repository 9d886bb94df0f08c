"""ACO: an ant colony for weighted partial rankings, after Nápoles et al. (2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from concordant._checks import at_least, between, true_or_false
from concordant._kernels import ants as kernels
from concordant._kernels.moves import cost_by_margins
from concordant._kernels.state import PartialOrder
from concordant._types import Int64
from concordant.algorithms.local import Climber
from concordant.algorithms.scoring import counted_in_time
from concordant.running import Run, stream

# Items evaluated between two checks of the limits: about 20 milliseconds.
_SLICE = 500_000


@dataclass(frozen=True, slots=True)
class AcoSettings:
    """Settings of `aco`.

    After Nápoles et al. (2017). Ours: rankings keep their given weights, while the original
    derives weights from the lengths of the rankings; pheromone belongs to pairs of place and
    item, is bounded on both sides, and is updated by the best ant of an iteration (Stützle and
    Hoos 2000); all parameters; and the optional hill climbing.

    Attributes:
        ants: Orders built in each iteration.
        visibility_power: The weight of the preferences relative to the pheromone.
        evaporation: The share of the pheromone that each iteration removes, and the amount that
            the best ant adds to its own order.
        least_pheromone: The lower limit of the pheromone, which keeps every order possible.
        max_idle: The run ends after this number of iterations in a row without a better order.
        climb: Whether the best order of each iteration is improved to a local optimum, which the
            published method does not do.
    """

    ants: int = 20
    visibility_power: float = 5.0
    evaporation: float = 0.1
    least_pheromone: float = 0.001
    max_idle: int = 100
    climb: bool = False

    def __post_init__(self) -> None:
        at_least("ants", self.ants, 1)
        at_least("max_idle", self.max_idle, 1)
        between("visibility_power", self.visibility_power, 0, 100)
        between("evaporation", self.evaporation, 0, 1)
        between("least_pheromone", self.least_pheromone, 1e-12, 1)
        true_or_false("climb", self.climb)


def aco(run: Run, settings: AcoSettings) -> None:
    """Build orders at random, guided by earlier good orders and by the preferences.

    Nápoles, Falcon, Dikopoulou, Papageorgiou, Bello and Vanhoof (2017), "Weighted aggregation of
    partial rankings using ant colony optimization", Neurocomputing 249. `AcoSettings` lists what is
    ours.
    """
    if not counted_in_time(run):
        return
    climber = Climber(run, "insertion")
    random = stream(run.rng())
    m = run.n_items
    pheromone = np.ones((m, m))
    # What each item wins against all others.
    potential: Int64 = -climber.margins.sum(axis=1, dtype=np.int64)
    least_cost, idle = run.cost, 0
    while idle < settings.max_idle:
        best: Any = None
        cost = 0
        for _ in range(settings.ants):
            ant = PartialOrder(np.empty(m, np.int32), np.arange(m), potential.copy())
            if not _walk(run, climber, pheromone, float(settings.visibility_power), ant, random):
                break
            found = int(cost_by_margins(climber.margins, climber.total, ant.order))
            run.iterations += 1
            if best is None or found < cost:
                best, cost = ant.order, found
                run.improve(best, cost)
            if run.stop():
                break
        if best is None:
            # Out of limits before the first order was complete.
            run.improve(climber.start("borda", random))
            return
        if settings.climb:
            cost = climber.climb(best)
        run.generations += 1
        if least_cost is None or cost < least_cost:
            least_cost, idle = cost, 0
        else:
            idle += 1
        if run.stop():
            break
        kernels.evaporate(
            pheromone, float(settings.evaporation), float(settings.least_pheromone), best
        )


def _walk(
    run: Run, climber: Climber, pheromone: Any, power: float, ant: PartialOrder, random: Any
) -> bool:
    """Build an order in slices; return False if limits end the run before it is complete."""
    m = ant.order.size
    first = 0
    while first < m:
        last = min(m, first + max(1, _SLICE // (m - first)))
        kernels.build(climber.margins, pheromone, power, ant, first, last, random)
        first = last
        if first < m and run.stop():
            return False
    return True
