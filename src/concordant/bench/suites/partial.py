"""`partial`: the paper's second table, partial rankings with ties, in both readings of its text."""

from __future__ import annotations

from typing import Any

from concordant.bench.instances import Instance, made_partial
from concordant.bench.suites import Plan, Suite
from concordant.bench.suites.complete import method_tasks, paper_instances
from concordant.bench.tasks import Task

# The paper's p_d = 2/3 is the probability to discard an item, or to retain it.
READINGS = {"drop": 2 / 3, "keep": 1 / 3}


def _both(plan: Plan, instance: Instance) -> list[Instance]:
    if instance.fault is not None:
        return [instance]
    return [made_partial(instance, name, drop, plan.seed) for name, drop in READINGS.items()]


def _tasks(plan: Plan) -> list[Task]:
    methods: dict[str, dict[str, Any]] = {
        "borda": {},
        "extended-borda": {},
        "lads": plan.limits({"max_iterations": 200_000}, 1.0, 3600.0),
        "her": {"preset": "paper", **plan.limits({"max_iterations": 400_000}, 4.0, 3600.0)},
        "auto": plan.limits({"max_iterations": 20_000}, 1.5, 60.0),
    }
    complete = paper_instances(plan, plan.pick(1, 4, 20))
    return method_tasks(plan, [each for one in complete for each in _both(plan, one)], methods)


SUITE = Suite("partial", "partial rankings with ties, both readings of the probabilities", _tasks)
