"""`partial`: the paper's second table, partial rankings with ties, in both readings of its text."""

from __future__ import annotations

from functools import partial
from typing import Any

from concordant.bench.instances import Instance, made_partial
from concordant.bench.paper_figures import aggregation_figures
from concordant.bench.paper_tables import (
    aggregation_tables,
    missing_combinations,
    published_contest,
)
from concordant.bench.published import COMPLETE, PARTIAL, find_row
from concordant.bench.suites import Plan, Suite
from concordant.bench.suites.complete import method_tasks, paper_instances
from concordant.bench.tables import columns
from concordant.bench.tasks import Task
from concordant.layout import Column, Table

# The paper's p_d = 2/3 may be the probability that an item is dropped, or that it is kept.
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


def _beside_complete() -> Table:
    """Put the published averages of partial rankings beside those of complete ones."""
    lines = []
    for row in PARTIAL:
        whole = find_row(COMPLETE, row.theta, row.items)
        if whole is not None:
            before, after = whole.averages["her"], row.averages["her"]
            lines.append((row.theta, row.items, before, after, after / before))
    above = sum(line[-1] > 1 for line in lines)
    return Table(
        "published-partial",
        "Published averages of HER: partial rankings beside complete ones",
        (
            Column("θ"),
            Column("m", "count"),
            *columns("value", "complete", "partial"),
            Column("partial / complete", "power"),
        ),
        tuple(lines),
        (
            "Distances of partial rankings count only some of the pairs, so no ratio can exceed 1; "
            f"{above} of {len(lines)} do.",
        ),
    )


SUITE = Suite(
    "partial",
    "partial rankings with ties, both readings of the probabilities",
    _tasks,
    tables=partial(aggregation_tables, rows=PARTIAL),
    figures=aggregation_figures(PARTIAL),
    published=lambda: [published_contest(PARTIAL), _beside_complete()],
    missing=partial(missing_combinations, rows=PARTIAL),
)
