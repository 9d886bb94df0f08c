"""`designs`: settings of `auto` compared in equal time, on generated instances."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from concordant.bench.figures import TIME_TO_TARGET
from concordant.bench.instances import Instance, draw_data, generator
from concordant.bench.records import Record
from concordant.bench.results import Results, case_of, distance_of
from concordant.bench.statistics import describe
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.tables import method_table
from concordant.bench.tasks import Task, outcome, solve_instance
from concordant.layout import Column, Table

DESIGNS: dict[str, dict[str, Any]] = {
    "auto": {},
    "no threshold": {"diversity": 0.0},
    "threshold a quarter": {"diversity": 0.25},
    "threshold a half": {"diversity": 0.5},
    "threshold the mean": {"diversity": 1.0},
    "order-based": {"crossover": "order-based"},
    "cpsc": {"crossover": "cpsc"},
    "position-based": {"crossover": "position-based"},
    "iterated local search": {"crossover": "none"},
    "population 16": {"population": 16},
    "population 100": {"population": 100},
    "population 240": {"population": 240},
    "item by item": {"descent": "items"},
}
_STREAM = 3  # the stream of random numbers; other suites have others
# Each kind: items, θ (None: a random matrix), and whether items are dropped.
KINDS: dict[str, tuple[int, float | None, bool]] = {
    "m = 100, θ = 0.001": (100, 0.001, False),
    "m = 250, θ = 0.001": (250, 0.001, False),
    "m = 250, θ = 0.01": (250, 0.01, False),
    "m = 200, θ = 0.001, partial": (200, 0.001, True),
    "m = 150, random matrix": (150, None, False),
}
# The share of the time limit after which the cost is recorded too.
_EARLY = 0.3


def draw(kind: str, seed: int) -> Any:
    """Draw the instance of a kind, as pairwise counts."""
    from concordant.pairwise import Pairwise

    items, theta, is_partial = KINDS[kind]
    rng = generator(seed, _STREAM, list(KINDS).index(kind))
    data = draw_data(rng, items, theta, drop=2 / 3 if is_partial else None)
    return data if theta is None else Pairwise.from_rankings(data)


def work(task: Task) -> dict[str, Any]:
    """Search without a proof, and record the cost early and at the end."""
    result = solve_instance(task, task.instance.load())
    early = _EARLY * task.settings.get("time_limit", result.elapsed)
    costs = [cost for seconds, _, cost, _ in result.trace if seconds <= early]
    first = costs[-1] if costs else result.trace[0][2]
    return {**outcome(task, result), "measures": {"early_cost": float(first)}}


def _generated(plan: Plan) -> list[Instance]:
    return [
        Instance(
            kind, draw, {"kind": kind, "seed": plan.seed}, {"kind": kind, "items": KINDS[kind][0]}
        )
        for kind in KINDS
    ]


def _tasks(plan: Plan) -> list[Task]:
    limits = plan.limits({"max_iterations": 20_000}, 1.0, 10.0)
    instances = plan.instances(lambda: _generated(plan))
    return [
        Task(
            instance,
            design,
            work,
            {"method": "auto", "proof": False, **settings, **limits},
            run=run,
            seed=plan.seed + run,
            seconds=upper_seconds(limits),
        )
        for run in range(plan.pick(1, 6, 20))
        for instance in instances
        for design, settings in DESIGNS.items()
    ]


def _tables(results: Results) -> list[Table]:
    """Return the excess of each design over the best known of each instance, in millionths."""
    is_early = any("early_cost" in record.measures for record in results.records)
    columns = [Column("design", "code")]
    for case in results.cases:
        columns += [Column(f"{case[0]}, early", "ratio")] if is_early else []
        columns += [Column(case[0], "ratio"), Column(f"{case[0]} ±", "ratio")]
    lines = []
    for method in results.methods:
        line: list[Any] = [method]
        ends = []
        for case in results.cases:
            found = results.runs(method, case)
            values = [1e6 * value for r in found if (value := results.excess(r)) is not None]
            early = [1e6 * value for r in found if (value := _early_excess(results, r)) is not None]
            sample = describe(values) if values else None
            line += [fmean(early) if early else None] if is_early else []
            line += [sample.mean, sample.error] if sample else [None, None]
            ends += [sample.mean] if sample else []
        lines.append((fmean(ends) if ends else 1e9, tuple(line)))
    lines.sort(key=lambda each: each[0])
    excess = Table(
        "designs",
        "Mean excess over the best known, in millionths of it",
        tuple(columns),
        tuple(line for _, line in lines),
        (
            "±: the standard error of the value before it, from the spread over the seeds."
            + (f" Early: after {100 * _EARLY:g} % of the time." if is_early else ""),
        ),
    )
    return [excess, method_table(results)]


def _early_excess(results: Results, record: Record) -> float | None:
    cost, best = record.measures.get("early_cost"), results.best_known.get(case_of(record))
    distance = distance_of(record)
    if cost is None or not best or not record.cost or distance is None:
        return None
    return cost * distance / record.cost / best - 1


SUITE = Suite(
    "designs",
    "settings of `auto` compared in equal time",
    _tasks,
    tables=_tables,
    figures=(TIME_TO_TARGET,),
    columns=("auto", "order-based", "position-based", "cpsc"),
)
