"""`complete`: the paper's first table, complete rankings of 20 kinds, all its methods and ours."""

from __future__ import annotations

from functools import partial
from typing import Any

from concordant.bench.instances import ITEMS, THETAS, Instance, mallows_instance
from concordant.bench.paper_figures import aggregation_figures
from concordant.bench.paper_tables import (
    aggregation_tables,
    missing_combinations,
    published_contest,
)
from concordant.bench.published import COMPLETE
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.tasks import Task, solve

# The most seconds that a method without a limit takes.
_INSTANT = 0.1


def paper_instances(plan: Plan, count: int) -> list[Instance]:
    """Return `count` instances of each θ and m of the paper, or those of the folder.

    The first of each kind come first, so that a run that is cut short has all kinds.
    """
    return plan.instances(
        lambda: [
            mallows_instance(items, theta, number, seed=plan.seed)
            for number in range(1, count + 1)
            for theta in THETAS
            for items in ITEMS
        ]
    )


def method_tasks(
    plan: Plan, instances: list[Instance], methods: dict[str, dict[str, Any]]
) -> list[Task]:
    """Return a task for each instance and method, with its limits and settings."""
    return [
        Task(
            instance,
            method,
            solve,
            settings,
            seed=plan.seed,
            seconds=upper_seconds(settings, _INSTANT),
        )
        for instance in instances
        for method, settings in methods.items()
    ]


def _tasks(plan: Plan) -> list[Task]:
    methods: dict[str, dict[str, Any]] = {
        "borda": {},
        "css": {},
        "dk": plan.limits({"max_iterations": 50}, 0.5, 60.0),
        "bnb": plan.limits({"max_iterations": 10_000}, 0.5, 60.0),
        "ga": plan.limits({"max_generations": 20}, 3.0, 600.0),
        "lads": plan.limits({"max_iterations": 200_000}, 2.0, 7200.0),
        "her": {"preset": "paper", **plan.limits({"max_iterations": 400_000}, 5.0, 7200.0)},
        "auto": plan.limits({"max_iterations": 50_000}, 2.0, 60.0),
    }
    return method_tasks(plan, paper_instances(plan, plan.pick(1, 10, 20)), methods)


SUITE = Suite(
    "complete",
    "complete rankings, 20 pairs of θ and m: every method's distance",
    _tasks,
    tables=partial(aggregation_tables, rows=COMPLETE),
    figures=aggregation_figures(COMPLETE),
    published=lambda: [published_contest(COMPLETE)],
    missing=partial(missing_combinations, rows=COMPLETE),
)
