"""The tables of each suite: which there are, and those that the paper has no table for."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from concordant.bench import published
from concordant.bench.crossover_tables import crossover_tables, missing_instances
from concordant.bench.layout import Column, Table
from concordant.bench.paper_tables import (
    aggregation_tables,
    method_table,
    missing_combinations,
    published_contest,
    published_partial_against_complete,
    share,
)
from concordant.bench.records import Record
from concordant.bench.results import Case, Results, case_of, distance_of, measure
from concordant.bench.statistics import (
    Power,
    Sample,
    average_ranks,
    contest,
    describe,
    fit_power,
    time_to_target,
)
from concordant.errors import SettingError

EVALUATORS = ("full", "incremental", "pairwise")
# How near to the best known a run must come, as a share of it.
TARGETS = (0.01, 0.001, 0.0001)


def suite_tables(results: Results) -> list[Table]:
    """Return all tables of a store, those of a suite without tables of its own by its labels."""
    if not results.records:
        return []
    return _TABLES.get(results.manifest.suite, generic_tables)(results)


def published_tables() -> list[Table]:
    """Return the tables about the published figures alone, which need no store."""
    return [
        published_contest(published.COMPLETE, "published-complete"),
        published_contest(published.PARTIAL, "published-partial-contest"),
        published_partial_against_complete(),
    ]


def missing_parts(results: Results) -> list[str]:
    """Say what a store lacks: rows of the paper's table, and runs that others of its kind have."""
    told = []
    planned = re.match(r"(\d+) tasks", str(results.manifest.settings.get("tasks")))
    tasks = int(planned[1]) if planned else None
    done = len(results.records) + len(results.errors)
    if tasks is not None and done < tasks:
        told.append(f"{tasks - done:,} of {tasks:,} tasks have no result yet")
    told += missing_combinations(results, published.ROWS.get(results.manifest.suite, ()))
    if results.manifest.suite == "crossovers":
        told += missing_instances(results)
    return told if done == tasks else [*told, *results.missing]


def error_table(results: Results) -> Table:
    """List the tasks that gave no result."""
    return Table(
        "errors",
        "Tasks without a result",
        (Column("task"), Column("why")),
        tuple((record.task, record.error) for record in results.errors),
    )


# -- history length ------------------------------------------------------------------------


def history_tables(results: Results) -> list[Table]:
    """Return how far and how fast each history length gets, instance by instance."""
    lines = []
    for case in results.cases:
        for method in results.methods:
            found = [record for record in results.by_case[case] if record.method == method]
            if found:
                times = [reached(results, found, target) for target in TARGETS[:2]]
                excess = _mean_of(found, results.excess)
                iterations = _mean_of(found, measure("iterations"))
                line = (case[0], method, len(found), _mean_of(found, distance_of), excess)
                lines.append((*line, *times, iterations, _mean_of(found, measure("elapsed"))))
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
                "known of the instance; – where a run never came so near.",
            ),
        )
    ]


def reached(results: Results, records: Sequence[Record], target: float) -> float | None:
    """Return the mean seconds until runs are within a share of the best known, if all are."""
    times = [target_time(results, record, target) for record in records]
    known = [each for each in times if each is not None]
    return fmean(known) if known and len(known) == len(times) else None


def target_time(results: Results, record: Record, target: float) -> float | None:
    """Return the seconds until a run is within a share of the best known of its case."""
    best = results.best_known.get(case_of(record))
    distance = distance_of(record)
    if best is None or distance is None or record.cost is None:
        return None
    # Traces are in the unit of the cost. A method without one is there when it ends.
    scale = record.cost / distance if distance else 1.0
    limit = best * (1 + target) * scale + 1e-9
    if not record.trace:
        return record.elapsed if record.cost <= limit else None
    return time_to_target(record.trace, limit)


# -- evaluation ----------------------------------------------------------------------------


def rate(record: Record) -> float | None:
    """Return the iterations per second of a record."""
    if "iterations_per_second" in record.measures:
        return float(record.measures["iterations_per_second"])
    if record.iterations and record.elapsed:
        return record.iterations / record.elapsed
    return None


def speed_ups(results: Results) -> dict[Case, dict[str, float]]:
    """Return for each case how many times faster than the full evaluation each evaluator is."""
    rates = {method: results.values(method, rate) for method in results.methods}
    base = rates.get("full", {})
    return {
        case: {m: found[case] / base[case] for m, found in rates.items() if case in found}
        for case in base
    }


def evaluation_tables(results: Results) -> list[Table]:
    """Return iterations per second by evaluator, and the speed-ups beside the published ones."""
    methods = results.methods
    factors = speed_ups(results)
    low, high = published.EVALUATION_SPEED_UP
    quick = [name for name in methods if name != "full"]
    lines = []
    for case in results.cases:
        rates = [results.values(method, rate).get(case) for method in methods]
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
                *(Column(f"{method}, per second", "count") for method in methods),
                *(Column(f"{method} / full", "ratio") for method in quick),
                Column("incremental / full, published"),
            ),
            tuple(lines),
            (
                *ranges,
                "The published factor compares two programs of the authors; what a full "
                "evaluation costs decides it as much as the incremental one does.",
            ),
        )
    ]


# -- label ranking -------------------------------------------------------------------------


def label_ranking_tables(results: Results) -> list[Table]:
    """Return the Kendall tau of each method on each data set beside the published one."""
    known, names = _published_taus()
    tau = measure("tau")
    datasets = tuple(dict.fromkeys(_dataset(record) for record in results.records))
    lines, complete = [], []
    for dataset in datasets:
        part = [record for record in results.records if _dataset(record) == dataset]
        line: list[Any] = [dataset]
        for method in results.methods:
            values = [t for r in part if r.method == method and (t := tau(r)) is not None]
            sample = describe(values) if values else None
            line += [_mean(sample), sample.error if sample else None]
        line += known.get(dataset, (None,) * len(names))
        lines.append(tuple(line))
        complete.append(line[1 : 1 + 2 * len(results.methods) : 2])
    columns = [Column("data set")]
    for method in results.methods:
        columns += [Column(method, "value"), Column(f"{method}, standard error", "value")]
    columns += [Column(f"{name}, published", "value") for name in names]
    return [
        Table(
            "tau",
            "Mean Kendall tau, cross-validated; the published values beside ours",
            tuple(columns),
            tuple(lines),
            (
                "The standard error is from the spread of repeats with other folds; it does not "
                "hold the spread between data sets.",
            ),
        ),
        _tau_ranks(results, complete, known, names),
    ]


def _tau_ranks(
    results: Results,
    rows: list[list[Any]],
    theirs: dict[str, tuple[float, ...]],
    names: Sequence[str],
) -> Table:
    """Compare label rankers over our data sets, and the published values over theirs."""
    whole = [[-value for value in row] for row in rows if None not in row]
    ranks = average_ranks(whole) if whole else [None] * len(results.methods)
    known = [[-value for value in row] for row in theirs.values()]
    their_ranks = average_ranks(known)
    found: list[tuple[Any, ...]] = []
    for group, table, averages in (
        (results.methods, whole, ranks),
        ([f"{name}, published" for name in names], known, their_ranks),
    ):
        base = next((k for k, name in enumerate(group) if name.split(",")[0] == "lrf"), None)
        for k, (name, average) in enumerate(zip(group, averages, strict=True)):
            against: Sequence[Any] = [None] * 4
            if base is not None and k != base and table:
                first, second = [row[k] for row in table], [row[base] for row in table]
                against = contest(first, second)
            found.append((name, len(table), average, *against))
    return Table(
        "ranks",
        "Label rankers over the data sets, against lrf",
        (
            Column("method", "code"),
            Column("data sets", "count"),
            Column("average rank", "power"),
            Column("better than lrf", "count"),
            Column("equal", "count"),
            Column("worse", "count"),
            Column("p", "p"),
        ),
        tuple(found),
        (
            "Ranks by tau, 1 = best, ours over our data sets and the published ones over theirs. "
            f"p: Wilcoxon's signed-rank test over data sets; with {len(whole)} of them, and no "
            f"ties, it cannot fall below {2.0 ** (1 - len(whole)) if whole else 1.0:.2g}.",
        ),
    )


def _dataset(record: Record) -> str:
    return str(record.labels.get("dataset", record.instance))


def _published_taus() -> tuple[dict[str, tuple[float, ...]], tuple[str, ...]]:
    try:
        from concordant.learn.evaluation import PUBLISHED, PUBLISHED_METHODS
    except ImportError:
        raise SettingError(
            "the report of label ranking needs scikit-learn: install concordant with its 'learn' "
            "extra"
        ) from None
    return dict(PUBLISHED), PUBLISHED_METHODS


# -- methods, designs, proofs --------------------------------------------------------------


def kind_tables(results: Results) -> list[Table]:
    """Return the mean gap of each method on each kind of data, the best method first."""
    parts = {kind or "all": part for (kind,), part in results.groups("kind").items()}
    found = []
    for method in results.methods:
        gaps = [_mean(part.sample(method, part.gap)) for part in parts.values()]
        seconds = _mean(results.sample(method, measure("elapsed")))
        known = [gap for gap in gaps if gap is not None]
        found.append((fmean(known) if known else 1.0, (method, *gaps, seconds)))
    found.sort(key=lambda each: each[0])
    lines = [line for _, line in found]
    is_refused = any(None in line for line in lines)
    refused = "– where a method does not take such data." if is_refused else ""
    gaps_table = Table(
        "kinds",
        "Mean gap to the best lower bound by kind of data, and mean time",
        (
            Column("method", "code"),
            *(Column(str(kind), "percent") for kind in parts),
            Column("seconds", "seconds"),
        ),
        tuple(lines),
        tuple(filter(None, (refused,))),
    )
    return [gaps_table, method_table(results)]


def design_tables(results: Results) -> list[Table]:
    """Return how far each design is above the best known of each instance, in millionths."""
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
            found = [r for r in results.by_case[case] if r.method == method]
            values = [1e6 * value for r in found if (value := results.excess(r)) is not None]
            early = [1e6 * value for r in found if (value := _early_excess(results, r)) is not None]
            sample = describe(values) if values else None
            line += [fmean(early) if early else None] if is_early else []
            line += [_mean(sample), sample.error if sample else None]
            ends += [sample.mean] if sample else []
        lines.append((fmean(ends) if ends else 1e9, tuple(line)))
    lines.sort(key=lambda each: each[0])
    excess = Table(
        "designs",
        "Mean excess over the best known, in millionths of it",
        tuple(columns),
        tuple(line for _, line in lines),
        (
            "±: the standard error of the value before it, from the spread of the seeds."
            + (" Early: after a part of the time." if is_early else ""),
        ),
    )
    return [excess, method_table(results)]


def _early_excess(results: Results, record: Record) -> float | None:
    cost, best = record.measures.get("early_cost"), results.best_known.get(case_of(record))
    distance = distance_of(record)
    if cost is None or not best or not record.cost or distance is None:
        return None
    return cost * distance / record.cost / best - 1


def proof_tables(results: Results) -> list[Table]:
    """Return what the proofs came to, by kind of instance and one by one."""
    names = tuple(dict.fromkeys(name for record in results.records for name in record.measures))
    measures = tuple(Column(_words(name), measure_kind(name)) for name in names)
    kinds = []
    for (kind, method), group in _by_kind(results).items():
        gaps = [gap for record in group if (gap := results.gap(record)) is not None]
        proven = share(sum(record.status == "optimal" for record in group), len(group))
        means = (_mean_of(group, measure(name)) for name in names)
        seconds = _mean_of(group, measure("elapsed"))
        worst = max(gaps, default=None)
        mean = fmean(gaps) if gaps else None
        kinds.append((kind, method, proven, mean, worst, seconds, *means))
    lines = []
    for record in results.records:
        line = (record.instance, record.labels.get("items"), record.method, record.status)
        figures = (record.cost, record.lower_bound, results.gap(record), record.elapsed)
        lines.append((*line, *figures, *(record.measures.get(name) for name in names)))
    return [
        Table(
            "kinds",
            "Share proven, gap and time by kind of instance",
            (
                Column("kind"),
                Column("method", "code"),
                Column("proven optimal"),
                Column("mean gap", "percent"),
                Column("largest gap", "percent"),
                Column("seconds", "seconds"),
                *measures,
            ),
            tuple(kinds),
            ("Means over the instances of a kind.",),
        ),
        Table(
            "proofs",
            "Cost, bound and time of each proof",
            (
                Column("instance"),
                Column("m", "count"),
                Column("method", "code"),
                Column("status"),
                Column("cost", "count"),
                Column("lower bound", "count"),
                Column("gap", "percent"),
                Column("seconds", "seconds"),
                *measures,
            ),
            tuple(lines),
        ),
    ]


def _by_kind(results: Results) -> dict[tuple[str, str], list[Record]]:
    found: dict[tuple[str, str], list[Record]] = {}
    for record in results.records:
        kind = str(record.labels.get("kind", record.instance))
        found.setdefault((kind, record.method), []).append(record)
    return found


# -- growth --------------------------------------------------------------------------------


def growths(results: Results) -> list[tuple[str, str, str, str, list[tuple[float, float]]]]:
    """Return the curves of growth: method, measure, label that grows, what is held, points."""
    found = []
    for method in results.methods:
        own = [record for record in results.records if record.method == method]
        names = dict.fromkeys(name for record in own for name in record.measures)
        names |= {"elapsed": None} if "seconds" not in names else {}
        for axis, other in (("rankings", "items"), ("items", "rankings")):
            for held in sorted({v for r in own if (v := r.labels.get(other)) is not None}):
                part = [r for r in own if r.labels.get(other) == held and r.labels.get(axis)]
                if len({record.labels[axis] for record in part}) < 2:
                    continue
                for name in names:
                    look = measure(name)
                    points = [
                        (float(r.labels[axis]), v) for r in part if (v := look(r)) is not None
                    ]
                    if points:
                        found.append((method, name, axis, f"{held:,} {other}", sorted(points)))
    return found


def fitted(points: Sequence[tuple[float, float]]) -> tuple[Power | None, list[float]]:
    """Fit a line to the three largest sizes of a curve; return it with these sizes.

    What every run costs, whatever its size, would bend a line through the small ones.
    """
    sizes = sorted({x for x, _ in points})[-3:]
    large = [(x, y) for x, y in points if x >= sizes[0]]
    return fit_power([x for x, _ in large], [y for _, y in large]), sizes


def scale_tables(results: Results) -> list[Table]:
    """Return the fitted exponents of growth, and the figures they were fitted to."""
    lines = []
    for method, name, axis, held, points in growths(results):
        law, sizes = fitted(points)
        exponent, error = (law.exponent, law.error) if law else (None, None)
        span = f"{sizes[0]:,.0f} to {sizes[-1]:,.0f}"
        lines.append((method, _words(name), axis, held, span, exponent, error))
    fits = Table(
        "exponents",
        "Growth as a power of the size, fitted on logarithmic axes",
        (
            Column("method", "code"),
            Column("measure"),
            Column("grows with"),
            Column("at"),
            Column("fitted from"),
            Column("exponent", "power"),
            Column("standard error", "power"),
        ),
        tuple(lines),
        ("1 is linear growth, 2 quadratic, 0 none. A line goes through the three largest sizes.",),
    )
    return [*([fits] if lines else []), *generic_tables(results)]


# -- any suite -----------------------------------------------------------------------------


def generic_tables(results: Results) -> list[Table]:
    """Return the means of all that was measured, by labels and method."""
    labels = tuple(dict.fromkeys(name for record in results.records for name in record.labels))
    names = dict.fromkeys(name for record in results.records for name in record.measures)
    fields: list[tuple[Column, Callable[[Record], float | None]]] = []
    if any(distance_of(record) is not None for record in results.records):
        fields.append((Column("distance", "value"), distance_of))
        fields.append((Column("gap", "percent"), results.gap))
    fields += [(Column(_words(name), measure_kind(name)), measure(name)) for name in names]
    fields.append((Column("elapsed, s", "seconds"), measure("elapsed")))
    lines = []
    for key, group in results.groups(*labels).items():
        for method in group.methods:
            found = [record for record in group.records if record.method == method]
            means = (_mean_of(found, value) for _, value in fields)
            lines.append((*key, method, len(found), *means))
    return [
        Table(
            "means",
            "Means by method and kind of data",
            (
                *(Column(_words(name)) for name in labels),
                Column("method", "code"),
                Column("runs", "count"),
                *(column for column, _ in fields),
            ),
            tuple(lines),
        )
    ]


def measure_kind(name: str) -> str:
    """Return how a measure is written, judged by its name.

    Example:
        >>> measure_kind("memory"), measure_kind("check_seconds"), measure_kind("nodes")
        ('bytes', 'seconds', 'count')
    """
    if name in ("memory", "bytes") or name.endswith(("_memory", "_bytes")):
        return "bytes"
    if name == "elapsed" or name.endswith("seconds"):
        return "seconds"
    return "count" if name in ("nodes", "iterations_per_second", "pairs") else "value"


_TABLES: dict[str, Callable[[Results], list[Table]]] = {
    "complete": aggregation_tables,
    "partial": aggregation_tables,
    "crossovers": crossover_tables,
    "history-length": history_tables,
    "evaluation": evaluation_tables,
    "label-ranking": label_ranking_tables,
    "methods": kind_tables,
    "designs": design_tables,
    "proofs": proof_tables,
    "scale": scale_tables,
}


def _words(name: str) -> str:
    return name.replace("_", " ")


def _mean(sample: Sample | None) -> float | None:
    return None if sample is None else sample.mean


def _mean_of(records: Sequence[Record], value: Callable[[Record], float | None]) -> float | None:
    values = [each for record in records if (each := value(record)) is not None]
    return fmean(values) if values else None
