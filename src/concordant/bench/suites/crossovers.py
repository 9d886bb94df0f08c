"""`crossovers`: HER with CPSC against three crossovers of the literature, on ten instances."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from concordant.bench import published
from concordant.bench.figures import COLOURS, INK, MARKERS, TIME_TO_TARGET, Drawing, legend
from concordant.bench.instances import Instance, named_instances
from concordant.bench.layout import Column, Table
from concordant.bench.results import Results
from concordant.bench.statistics import average_ranks, contest
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.tables import are_files, name_missing
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


# -- tables and figure -----------------------------------------------------------------------


def _tables(results: Results) -> list[Table]:
    """Return the tables of the suite that compares crossovers."""
    methods = results.methods
    theirs = published.CROSSOVER_METHODS
    lines, averages = [], []
    for case, records in results.by_case.items():
        known = published.CROSSOVERS.get(case[0])
        line: list[Any] = [case[0], results.best_known.get(case)]
        for method in methods:
            values = [r.distance for r in records if r.method == method and r.distance is not None]
            line += [min(values), fmean(values)] if values else [None, None]
        line += [known.averages[method] if known else None for method in theirs]
        lines.append(tuple(line))
        averages.append(line[3 : 2 + 2 * len(methods) : 2])
    columns = [Column("instance"), Column("best known", "value")]
    for method in methods:
        columns += [Column(f"{method}, best", "value"), Column(f"{method}, average", "value")]
    columns += [Column(f"{method}, published average", "value") for method in theirs]
    runs = max((len(r) // max(len(methods), 1) for r in results.by_case.values()), default=0)
    about = (
        "The instances are read from files: where they are the paper's, the values compare."
        if are_files(results)
        else "The instances are generated: they bear the names of the paper's and are of the same "
        "kind, but they are others, so values of ours and published ones do not compare. The "
        "best known is the least of all runs here: the fewer there are, the nearer they are to it."
    )
    table = Table(
        "values",
        f"Distance by crossover, up to {runs} runs each",
        tuple(columns),
        tuple(lines),
        (about,),
    )
    return [table, _excess(results), _crossover_ranks(results, averages)]


def _excess(results: Results) -> Table:
    """How far each crossover is above the best of its instance, ours and published."""
    theirs = published.CROSSOVER_METHODS
    lines = []
    for case, best in results.best_known.items():
        known = published.CROSSOVERS.get(case[0])
        line: list[Any] = [case[0]]
        for method in results.methods:
            mean = results.values(method).get(case)
            line.append(None if mean is None else (mean - best) / best if best else None)
        least = min(known.bests.values()) if known else None
        for method in theirs:
            line.append((known.averages[method] - least) / least if known and least else None)
        lines.append(tuple(line))
    return Table(
        "excess",
        "Average above the best known of the instance, ours and published",
        (
            Column("instance"),
            *(Column(method, "percent") for method in results.methods),
            *(Column(f"{method}, published", "percent") for method in theirs),
        ),
        tuple(lines),
        ("Published: above the best that any of the four crossovers reached there.",),
    )


def _crossover_ranks(results: Results, averages: list[list[float | None]]) -> Table:
    common = [[v for v in row if v is not None] for row in averages if None not in row]
    ranks = average_ranks(common) if common else [None] * len(results.methods)
    known = list(published.CROSSOVERS.values())
    names = published.CROSSOVER_METHODS
    their_ranks = average_ranks([[row.averages[name] for name in names] for row in known])
    ours = dict(zip(results.methods, ranks, strict=True))
    theirs = dict(zip(names, their_ranks, strict=True))
    lines = []
    for method in dict.fromkeys((*results.methods, *names)):
        line: list[Any] = [method, ours.get(method)]
        pairs = results.paired(("cpsc", method)) if {"cpsc", method} <= set(ours) else []
        if method != "cpsc" and pairs:
            first, second = [a for a, _ in pairs], [b for _, b in pairs]
            line += contest(first, second)
        else:
            line += [None] * 4
        line.append(theirs.get(method))
        if method in theirs and method != "cpsc":
            first = [row.averages["cpsc"] for row in known]
            second = [row.averages[method] for row in known]
            line += contest(first, second)
        else:
            line += [None] * 4
        lines.append(tuple(line))
    counts = ("cpsc below", "equal", "cpsc above")
    return Table(
        "ranks",
        "Crossovers by their average over the runs, and CPSC against each",
        (
            Column("crossover", "code"),
            Column("average rank", "power"),
            *(Column(name, "count") for name in counts),
            Column("p", "p"),
            Column("average rank, published", "power"),
            *(Column(f"{name}, published", "count") for name in counts),
            Column("p, published", "p"),
        ),
        tuple(lines),
        ("Wilcoxon's signed-rank test over instances, on the averages of the runs.",),
    )


def _missing(results: Results) -> list[str]:
    """Name the instances of the published table of crossovers that no result is about."""
    found = {case[0] for case in results.cases}
    return name_missing(results, {name: name for name in published.CROSSOVERS}, found)


def _draw_crossovers(results: Results, canvas: Any) -> bool:
    cases = list(results.best_known)
    if not cases:
        return False
    canvas.set_size_inches(8.6, 1.5 + 0.36 * len(cases))
    left, right = canvas.add_subplot(1, 2, 1), canvas.add_subplot(1, 2, 2)
    names = dict.fromkeys((*results.methods, *published.CROSSOVER_METHODS))
    for number, method in enumerate(names):
        look = {"color": COLOURS[number % 6], "marker": MARKERS[number % 6], "linestyle": "none"}
        offset = 0.14 * (number - (len(names) - 1) / 2)
        ours, theirs = [], []
        values = results.values(method)
        for place, case in enumerate(cases):
            best, known = results.best_known[case], published.CROSSOVERS.get(case[0])
            if case in values and best:
                ours.append((100 * (values[case] - best) / best, place + offset))
            if known is not None and method in known.averages:
                least = min(known.bests.values())
                theirs.append((100 * (known.averages[method] - least) / least, place + offset))
        for axes, points in ((left, ours), (right, theirs)):
            axes.plot([x for x, _ in points], [y for _, y in points], label=method, **look)
    for axes, title in ((left, "ours"), (right, "published")):
        axes.set_title(title)
        axes.set_xscale("symlog", linthresh=1e-3)
        axes.set_xlim(-1e-4, 1)
        axes.set_xticks([0, 1e-3, 1e-2, 1e-1, 1], ["0", "0.001", "0.01", "0.1", "1"])
        axes.set_ylim(len(cases) - 0.5, -0.5)
        axes.set_yticks(range(len(cases)), [str(case[0]) for case in cases])
        axes.grid(axis="y", color=INK, alpha=0.15)
        axes.set_xlabel("average above the best known, %")
    right.tick_params(labelleft=False)
    legend(canvas, left, columns=6)
    return True


SUITE = Suite(
    "crossovers",
    "HER with CPSC, order, order-based and position-based",
    _tasks,
    tables=_tables,
    figures=(
        Drawing("crossovers", "Average above the best known by crossover", _draw_crossovers),
        TIME_TO_TARGET,
    ),
    missing=_missing,
    columns=published.CROSSOVER_METHODS,
)
