"""`crossovers`: HER with CPSC against three crossovers of the literature, on ten instances."""

from __future__ import annotations

from typing import Any

from concordant.bench.instances import Instance, named_instances
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.tasks import Task, solve

CROSSOVERS = ("cpsc", "order", "order-based", "position-based")


def ten_instances(plan: Plan) -> list[Instance]:
    """Return instances under the ten names of the paper, or those of the folder."""
    return plan.instances(lambda: named_instances(plan.seed))


def _limits(plan: Plan, instance: Instance) -> dict[str, Any]:
    """Return limits that let the first population end: before that, all crossovers are the same."""
    seconds = 15.0 if instance.labels.get("items", 0) <= 150 else 60.0
    limits = plan.limits({"max_generations": 5}, seconds, 7200.0)
    if plan.scale == "smoke":
        # A few members that LADS does not carry far: then there are generations at once.
        limits |= {"population": 4, "max_idle": 20}
    return limits


def _tasks(plan: Plan) -> list[Task]:
    return [
        Task(
            instance,
            crossover,
            solve,
            {"method": "her", "crossover": crossover, **limits},
            run=run,
            seed=plan.seed + run,
            seconds=upper_seconds(limits),
        )
        for run in range(plan.pick(1, 1, 10))
        for instance in ten_instances(plan)
        for limits in [_limits(plan, instance)]
        for crossover in CROSSOVERS
    ]


SUITE = Suite("crossovers", "HER with CPSC, order, order-based and position-based", _tasks)
