"""`evaluation`: how many iterations LADS does in a fixed time, by how moves are evaluated."""

from __future__ import annotations

import math
from typing import Any

from concordant.bench.figures import COLOURS, INK, MARKERS, Drawing, legend, logarithmic
from concordant.bench.published import EVALUATION_SPEED_UP
from concordant.bench.records import Record
from concordant.bench.results import Case, Results
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.suites.crossovers import ten_instances
from concordant.bench.tables import columns
from concordant.bench.tasks import Task, outcome, solve_instance
from concordant.layout import Column, Table

# The evaluators, and the number of iterations of each at scale `smoke`.
EVALUATORS = {"pairwise": 300_000, "incremental": 1_000, "full": 100}


def work(task: Task) -> dict[str, Any]:
    """Run LADS to its limit, even if it is idle or at the optimum, and count its iterations."""
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


def _rate(record: Record) -> float | None:
    """Return the iterations per second of a record."""
    if "iterations_per_second" in record.measures:
        return float(record.measures["iterations_per_second"])
    if record.iterations and record.elapsed:
        return record.iterations / record.elapsed
    return None


def _speed_ups(results: Results) -> dict[Case, dict[str, float]]:
    """Return for each case the speed of each evaluator, as a multiple of the full evaluation's."""
    rates = {method: results.values(method, _rate) for method in results.methods}
    base = rates.get("full", {})
    return {
        case: {m: found[case] / base[case] for m, found in rates.items() if case in found}
        for case in base
    }


def _tables(results: Results) -> list[Table]:
    """Return iterations per second by evaluator, and the speed-ups beside the published ones."""
    methods = results.methods
    factors = _speed_ups(results)
    low, high = EVALUATION_SPEED_UP
    quick = [name for name in methods if name != "full"]
    lines = []
    for case in results.cases:
        rates = [results.values(method, _rate).get(case) for method in methods]
        ratios = [factors.get(case, {}).get(method) for method in quick]
        lines.append((case[0], *rates, *ratios, f"{low:g} to {high:g}"))
    ranges = [
        f"{method}: {min(found):,.1f} to {max(found):,.1f} times as many iterations as full."
        for method in quick
        if (found := [each[method] for each in factors.values() if method in each])
    ]
    return [
        Table(
            "evaluation",
            "Iterations per second of LADS by evaluator, and the speed-up over full evaluation",
            (
                Column("instance"),
                *columns("count", *(f"{method}, per second" for method in methods)),
                *columns("ratio", *(f"{method} / full" for method in quick)),
                Column("incremental / full, published"),
            ),
            tuple(lines),
            (
                *ranges,
                "The published factor compares two programs of the authors. It depends on the "
                "speed of their full evaluation as much as on that of the incremental one.",
            ),
        )
    ]


def _draw_evaluation(results: Results, canvas: Any) -> bool:
    methods = results.methods
    if not methods:
        return False
    factors = _speed_ups(results)
    canvas.set_size_inches(8.6, 1.6 + 0.42 * len(results.cases))
    left, right = canvas.add_subplot(1, 2, 1), canvas.add_subplot(1, 2, 2)
    height = 0.8 / len(methods)
    for number, method in enumerate(methods):
        rates = results.values(method, _rate)
        places = [k + (number - (len(methods) - 1) / 2) * height for k in range(len(results.cases))]
        colour = COLOURS[number]
        widths = [rates.get(case, math.nan) for case in results.cases]
        left.barh(places, widths, height * 0.92, color=colour, label=method)
        if method != "full":
            ratios = [factors.get(case, {}).get(method, math.nan) for case in results.cases]
            right.plot(ratios, places, MARKERS[number], color=colour, markersize=6)
    low, high = EVALUATION_SPEED_UP
    right.axvspan(low, high, color=INK, alpha=0.18, linewidth=0, label="published, incremental")
    right.legend(loc="upper center")
    right.set_xscale("log")
    left.set_xscale("log")
    for axes in (left, right):
        logarithmic(axes.xaxis)
        axes.set_ylim(len(results.cases) - 0.4, -0.6)
        axes.set_yticks(range(len(results.cases)), [str(case[0]) for case in results.cases])
    right.tick_params(labelleft=False)
    left.set_title("iterations")
    left.set_xlabel("iterations per second (logarithmic)")
    right.set_title("speed-up over full evaluation")
    right.set_xlabel("times (logarithmic)")
    legend(canvas, left)
    return True


SUITE = Suite(
    "evaluation",
    "iterations a second of LADS by its three evaluators",
    _tasks,
    tables=_tables,
    figures=(Drawing("evaluation", "Iterations and speed-up by evaluator", _draw_evaluation),),
    columns=tuple(reversed(EVALUATORS)),
)
