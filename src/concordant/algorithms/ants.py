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

# Items looked at in one slice, some twenty milliseconds: each takes a power.
_SLICE = 500_000


@dataclass(frozen=True, slots=True)
class AcoSettings:
    """Settings of `aco`.

    After Nápoles et al. (2017). Ours: rankings keep the weights that they come with, where the
    original derives weights from how much a ranking ranks; pheromone lies on pairs of place
    and item, between two limits, and the best ant of an iteration marks its way (Stützle and
    Hoos 2000); all parameters; and climbing, where it is asked for.

    Attributes:
        ants: Orders built in each iteration.
        visibility_power: How much the preference for an item counts beside its pheromone.
        evaporation: The share of the pheromone that an iteration takes away, and that the best
            ant puts back on its own way.
        least_pheromone: No place loses more: every order stays possible.
        max_idle: The run ends after so many iterations in a row without a better order.
        climb: Whether the best ant of each iteration climbs to a local optimum; the published
            method has none of that.
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
    """Let ants build orders where earlier good ones, and the preferences, lead them.

    Nápoles, Falcon, Dikopoulou, Papageorgiou, Bello and Vanhoof (2017), "Weighted aggregation of
    partial rankings using ant colony optimization", Neurocomputing 249. What is ours stands with
    the settings.
    """
    if not counted_in_time(run):
        return
    climber = Climber(run, "insertion")
    chance = stream(run.rng())
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
            if not _walk(run, climber, pheromone, float(settings.visibility_power), ant, chance):
                break
            found = int(cost_by_margins(climber.margins, climber.total, ant.order))
            run.iterations += 1
            if best is None or found < cost:
                best, cost = ant.order, found
                run.improve(best, cost)
            if run.stop():
                break
        if best is None:
            # The time was over before the first ant was home: the start of other searches.
            run.improve(climber.start("borda", chance))
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
    run: Run, climber: Climber, pheromone: Any, power: float, ant: PartialOrder, chance: Any
) -> bool:
    """Let an ant build its order, in slices; False when the run ended before it had."""
    m = ant.order.size
    first = 0
    while first < m:
        last = min(m, first + max(1, _SLICE // (m - first)))
        kernels.build(climber.margins, pheromone, power, ant, first, last, chance)
        first = last
        if first < m and run.stop():
            return False
    return True
