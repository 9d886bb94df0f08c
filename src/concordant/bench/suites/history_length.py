"""`history-length`: LADS with cost lists of 5 to 20, cost against time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

import numpy as np

from concordant.bench.figures import Drawing, legend, line_style, logarithmic
from concordant.bench.records import Record
from concordant.bench.results import Results, distance_of, measure
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.suites.crossovers import ten_instances
from concordant.bench.tables import TARGETS, mean_of, target_time
from concordant.bench.tasks import Task, outcome, solve_instance
from concordant.layout import Column, Table

LENGTHS = (5, 10, 15, 20)
# The points of a trace that are kept: more than in other suites, because the figure shows them.
_POINTS = 120


def work(task: Task) -> dict[str, Any]:
    """Run LADS, and keep more points of its trace than other suites do."""
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
            # All lengths have the same start.
            seed=plan.seed + run,
            labels={"history_length": length},
            seconds=upper_seconds(limits),
        )
        for run in range(plan.pick(1, 3, 20))
        for instance in ten_instances(plan)
        for length in LENGTHS
    ]


def _tables(results: Results) -> list[Table]:
    """Return the distance and the times to targets of each history length, by instance."""
    lines = []
    for case in results.cases:
        for method in results.methods:
            found = results.runs(method, case)
            if found:
                times = [_reached(results, found, target) for target in TARGETS[:2]]
                excess = mean_of(found, results.excess)
                iterations = mean_of(found, measure("iterations"))
                line = (case[0], method, len(found), mean_of(found, distance_of), excess)
                lines.append((*line, *times, iterations, mean_of(found, measure("elapsed"))))
    return [
        Table(
            "history",
            "LADS by history length",
            (
                Column("instance"),
                Column("history length", "code"),
                Column("runs", "count"),
                Column("distance", "value"),
                Column("above best known", "percent"),
                *(Column(f"s to within {100 * t:g} %", "seconds") for t in TARGETS[:2]),
                Column("iterations", "count"),
                Column("seconds", "seconds"),
            ),
            tuple(lines),
            (
                "Averages over the runs. Seconds until the cost is within a share of the best "
                "known of the instance; – if a run never reached it.",
            ),
        )
    ]


def _reached(results: Results, records: Sequence[Record], target: float) -> float | None:
    """Return the mean seconds until runs are within a share of the best known, if all are."""
    times = [target_time(results, record, target) for record in records]
    known = [each for each in times if each is not None]
    return fmean(known) if known and len(known) == len(times) else None


def _draw_cost_drop(results: Results, canvas: Any) -> bool:
    cases = [c for c in results.cases if any(record.trace for record in results.by_case[c])]
    if not cases:
        return False
    columns = min(2, len(cases))
    lines = math.ceil(len(cases) / columns)
    canvas.set_size_inches(4.2 * columns + 0.3, 2.7 * lines + 0.6)
    for place, case in enumerate(cases):
        axes = canvas.add_subplot(lines, columns, place + 1)
        for number, method in enumerate(results.methods):
            curve = mean_curve(results.runs(method, case))
            if curve is not None:
                axes.step(*curve, where="post", label=method, linewidth=1.6, **line_style(number))
        logarithmic(axes.xaxis)
        axes.set_title(str(case[0]))
        axes.ticklabel_format(axis="y", style="plain", useOffset=False)
        if place % columns == 0:
            axes.set_ylabel("mean distance")
        if place >= len(cases) - columns:
            axes.set_xlabel("seconds (logarithmic)")
    legend(canvas, canvas.axes[0])
    return True


def mean_curve(records: Sequence[Record]) -> tuple[list[float], list[float]] | None:
    """Return the mean distance of several runs at each time at which one of them improved.

    The curve starts when the last run has its first order, so that it is always the mean of all
    runs.

    Example:
        >>> one = Record("t", "a", "x", cost=4, distance=2.0, trace=((0.1, 8, 0), (0.3, 4, 0)))
        >>> two = Record("u", "a", "x", cost=6, distance=3.0, trace=((0.2, 6, 0),))
        >>> mean_curve([one, two])
        ([0.2, 0.3], [3.5, 2.5])
    """
    traces = []
    for record in records:
        distance = distance_of(record)
        if record.trace and distance is not None and record.cost:
            scale = distance / record.cost
            times = [max(seconds, 1e-4) for seconds, _, _ in record.trace]
            traces.append((times, [cost * scale for _, cost, _ in record.trace]))
    if not traces:
        return None
    begin = max(times[0] for times, _ in traces)
    grid = sorted({t for times, _ in traces for t in times if t >= begin})
    values = [
        float(np.mean([v[np.searchsorted(t, now, side="right") - 1] for t, v in traces]))
        for now in grid
    ]
    return grid, values


SUITE = Suite(
    "history-length",
    "LADS with L_h = 5, 10, 15, 20: cost against time",
    _tasks,
    tables=_tables,
    figures=(
        Drawing(
            "cost-drop", "Cost against time by history length, mean of the runs", _draw_cost_drop
        ),
    ),
    columns=tuple(f"L{length}" for length in LENGTHS),
)
