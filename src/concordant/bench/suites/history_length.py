"""`history-length`: LADS with cost lists of 5 to 20, cost against time."""

from __future__ import annotations

from typing import Any

from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.suites.crossovers import ten_instances
from concordant.bench.tasks import Task, outcome, solve_instance

LENGTHS = (5, 10, 15, 20)
# The way is what this suite is about.
_POINTS = 120


def work(task: Task) -> dict[str, Any]:
    """Run LADS, and keep more of its trace than other suites do."""
    return outcome(task, solve_instance(task, task.instance.load()), _POINTS)


def _tasks(plan: Plan) -> list[Task]:
    limits = plan.limits({"max_iterations": 300_000}, 5.0, 600.0)
    return [
        Task(
            instance,
            f"L{length}",
            work,
            {"method": "lads", "history_length": length, **limits},
            run=run,
            # The same start for every length.
            seed=plan.seed + run,
            labels={"history_length": length},
            seconds=upper_seconds(limits),
        )
        for run in range(plan.pick(1, 3, 20))
        for instance in ten_instances(plan)
        for length in LENGTHS
    ]


SUITE = Suite("history-length", "LADS with L_h = 5, 10, 15, 20: cost against time", _tasks)
