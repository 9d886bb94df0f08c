"""`evaluation`: how many iterations LADS does in a fixed time, by how moves are evaluated."""

from __future__ import annotations

from typing import Any

from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.suites.crossovers import ten_instances
from concordant.bench.tasks import Task, outcome, solve_instance

# The evaluators, and what each is given in smoke: iterations that take a moment.
EVALUATORS = {"pairwise": 300_000, "incremental": 1_000, "full": 100}


def work(task: Task) -> dict[str, Any]:
    """Run LADS to its limit, whatever is idle or known to be optimal, and count."""
    found = outcome(task, solve_instance(task, task.instance.load()))
    rate = (found["iterations"] or 0) / max(found["elapsed"], 1e-9)
    return {**found, "measures": {"iterations_per_second": rate}}


def _tasks(plan: Plan) -> list[Task]:
    return [
        Task(
            instance,
            evaluator,
            work,
            {"method": "lads", "evaluator": evaluator, "until_limit": True, **limits},
            run=run,
            seed=plan.seed + run,
            seconds=upper_seconds(limits),
        )
        for run in range(plan.pick(1, 3, 1))
        for instance in ten_instances(plan)
        for evaluator, count in EVALUATORS.items()
        for limits in [plan.limits({"max_iterations": count}, 2.0, 100.0)]
    ]


SUITE = Suite("evaluation", "iterations a second of LADS by its three evaluators", _tasks)
