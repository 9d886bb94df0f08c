"""`crossovers`: HER with CPSC against three crossovers of the literature, on ten instances."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from concordant.bench.figures import COLOURS, INK, MARKERS, TIME_TO_TARGET, Drawing, legend
from concordant.bench.instances import Instance, named_instances
from concordant.bench.published import CROSSOVER_METHODS, CROSSOVERS
from concordant.bench.results import Case, Results
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.tables import are_files, columns, name_missing
from concordant.bench.tasks import Task, solve
from concordant.formatting import counted
from concordant.layout import Column, Table
from concordant.paired import average_ranks, contest

# At scale `small`: the most items, and the seconds of a run with at most this number of items.
_SECONDS = {50: 3.0, 100: 3.5, 150: 5.0, 200: 11.0, 250: 15.0}
# The size of HER's population; the paper's is 20. Up to the end of the first population all
# crossovers do the same, so that smaller limits need smaller populations.
_POPULATION = {"smoke": 4, "small": 10, "full": 20}


def ten_instances(plan: Plan) -> list[Instance]:
    """Return instances under the ten names of the paper, or those of the folder."""
    return plan.instances(lambda: named_instances(plan.seed))


def _settings(plan: Plan, instance: Instance) -> dict[str, Any]:
    items = instance.labels.get("items", 0)
    seconds = next((s for most, s in _SECONDS.items() if items <= most), max(_SECONDS.values()))
    settings = plan.limits({"max_generations": 5}, seconds, 7200.0)
    settings["population"] = _POPULATION[plan.scale]
    if plan.scale == "smoke":
        # LADS ends early, so that generations begin at once.
        settings["max_idle"] = 20
    return settings


def _tasks(plan: Plan) -> list[Task]:
    return [
        Task(
            instance,
            crossover,
            solve,
            {"method": "her", "crossover": crossover, **settings},
            run=run,
            seed=plan.seed + run,
            labels={key: settings[key] for key in _STATED if key in settings},
            seconds=upper_seconds(settings),
        )
        for run in range(plan.pick(1, 10, 10))
        for instance in ten_instances(plan)
        for settings in [_settings(plan, instance)]
        for crossover in ("cpsc", "order", "order-based", "position-based")
    ]


# -- tables and figure -----------------------------------------------------------------------

# The settings that the tables state.
_STATED = ("time_limit", "population")


def _tables(results: Results) -> list[Table]:
    return [_values(results), _excess(results), _ranks(results)]


def _values(results: Results) -> Table:
    lines = []
    for case in results.cases:
        known = CROSSOVERS.get(case[0])
        line: list[Any] = [case[0], results.best_known.get(case)]
        for method in results.methods:
            runs = results.runs(method, case)
            values = [record.distance for record in runs if record.distance is not None]
            line += [min(values), fmean(values)] if values else [None, None]
        line += [known.averages[method] if known else None for method in CROSSOVER_METHODS]
        lines.append(tuple(line))
    ours = [f"{method}, {value}" for method in results.methods for value in ("best", "average")]
    theirs = [f"{method}, published average" for method in CROSSOVER_METHODS]
    most = max(len(results.runs(m, case)) for m in results.methods for case in results.cases)
    about = (
        "The instances are read from files. If they are the paper's files, our values can be "
        "compared with the published ones."
        if are_files(results)
        else "The instances are generated. They have the names of the paper's instances and are of "
        "the same kinds, but they are not the same, so our values cannot be compared with the "
        "published ones. The best known is the least of all runs here."
    )
    return Table(
        "values",
        f"Distance by crossover, up to {counted(most, 'run')} each",
        (Column("instance"), *columns("value", "best known", *ours, *theirs)),
        tuple(lines),
        tuple(filter(None, (about, _stated(results)))),
    )


def _stated(results: Results) -> str:
    """Return the time limits and the population of the runs, if the store has them."""
    found: dict[float, list[int]] = {}
    for seconds, items in results.groups("time_limit", "items"):
        if seconds is not None:
            found.setdefault(seconds, []).append(items or 0)
    limits = [
        f"{seconds:g} s with {min(items)}{f' to {max(items)}' if len(items) > 1 else ''} items"
        for seconds, items in found.items()
    ]
    members = [str(size) for (size,) in results.groups("population") if size is not None]
    population = f" The population has {' or '.join(members)} members." if members else ""
    return f"Time limit of a run: {', '.join(limits)}.{population}" if limits else ""


def _above_best(results: Results, method: str, case: Case) -> tuple[float | None, float | None]:
    """Return how far the average is above the best of the instance, ours and published."""
    mean, best = results.values(method).get(case), results.best_known.get(case)
    ours = (mean - best) / best if mean is not None and best else None
    known = CROSSOVERS.get(case[0])
    if known is None or method not in known.averages:
        return ours, None
    least = min(known.bests.values())
    return ours, (known.averages[method] - least) / least


def _excess(results: Results) -> Table:
    return Table(
        "excess",
        "Average above the best known of the instance, ours and published",
        (
            Column("instance"),
            *columns("percent", *results.methods),
            *columns("percent", *(f"{method}, published" for method in CROSSOVER_METHODS)),
        ),
        tuple(
            (
                case[0],
                *(_above_best(results, method, case)[0] for method in results.methods),
                *(_above_best(results, method, case)[1] for method in CROSSOVER_METHODS),
            )
            for case in results.best_known
        ),
        ("Published: above the best that any of the four crossovers reached there.",),
    )


def _ranks(results: Results) -> Table:
    common = results.paired(results.methods)
    ranks = average_ranks(common) if common else [None] * len(results.methods)
    ours = dict(zip(results.methods, ranks, strict=True))
    known = [row.averages for row in CROSSOVERS.values()]
    their_ranks = average_ranks([[row[name] for name in CROSSOVER_METHODS] for row in known])
    theirs = dict(zip(CROSSOVER_METHODS, their_ranks, strict=True))
    lines = []
    for method in dict.fromkeys((*results.methods, *CROSSOVER_METHODS)):
        is_other = method != "cpsc"
        pairs = results.paired(("cpsc", method)) if is_other else []
        published = [(row["cpsc"], row[method]) for row in known if is_other and method in row]
        own = (ours.get(method), *contest(pairs))
        lines.append((method, *own, theirs.get(method), *contest(published)))
    return Table(
        "ranks",
        "Crossovers by their average over the runs, and CPSC against each",
        (
            Column("crossover", "code"),
            Column("average rank", "power"),
            *columns("count", "cpsc below", "equal", "cpsc above"),
            Column("p", "p"),
            Column("average rank, published", "power"),
            *columns("count", "cpsc below, published", "equal, published", "cpsc above, published"),
            Column("p, published", "p"),
        ),
        tuple(lines),
        ("p: Wilcoxon's signed-rank test over instances, on the averages of the runs.",),
    )


def _missing(results: Results) -> list[str]:
    """Name the instances of the published table that have no results."""
    found = {case[0] for case in results.cases}
    return name_missing(results, {name: name for name in CROSSOVERS}, found)


def _draw(results: Results, canvas: Any) -> bool:
    cases = list(results.best_known)
    if not cases:
        return False
    canvas.set_size_inches(8.6, 1.5 + 0.36 * len(cases))
    panels = canvas.add_subplot(1, 2, 1), canvas.add_subplot(1, 2, 2)
    names = dict.fromkeys((*results.methods, *CROSSOVER_METHODS))
    for number, method in enumerate(names):
        look = {"color": COLOURS[number % 6], "marker": MARKERS[number % 6], "linestyle": "none"}
        offset = 0.14 * (number - (len(names) - 1) / 2)
        found = [_above_best(results, method, case) for case in cases]
        for side, axes in enumerate(panels):
            points = [
                (100 * x, k + offset)
                for k, both in enumerate(found)
                if (x := both[side]) is not None
            ]
            axes.plot([x for x, _ in points], [y for _, y in points], label=method, **look)
    for axes, title in zip(panels, ("ours", "published"), strict=True):
        axes.set_title(title)
        axes.set_xscale("symlog", linthresh=1e-3)
        axes.set_xlim(-1e-4, 1)
        axes.set_xticks([0, 1e-3, 1e-2, 1e-1, 1], ["0", "0.001", "0.01", "0.1", "1"])
        axes.set_ylim(len(cases) - 0.5, -0.5)
        axes.set_yticks(range(len(cases)), [str(case[0]) for case in cases])
        axes.grid(axis="y", color=INK, alpha=0.15)
        axes.set_xlabel("average above the best known, %")
    panels[1].tick_params(labelleft=False)
    legend(canvas, panels[0], columns=6)
    return True


SUITE = Suite(
    "crossovers",
    "HER with CPSC, order, order-based and position-based",
    _tasks,
    tables=_tables,
    figures=(
        Drawing("crossovers", "Average above the best known by crossover", _draw),
        TIME_TO_TARGET,
    ),
    missing=_missing,
    columns=CROSSOVER_METHODS,
)
