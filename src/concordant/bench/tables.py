"""Building blocks of tables: means by label, a comparison of methods, parts that are missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any

from concordant.bench.records import Record
from concordant.bench.results import Results, case_of, distance_of, measure
from concordant.formatting import counted
from concordant.layout import Column, Table
from concordant.paired import standings

# The method that others are compared with, where a suite runs it.
REFERENCE = "auto"
# The distances to the best known that a run is timed for, as shares of the best known.
TARGETS = (0.01, 0.001, 0.0001)


def generic_tables(results: Results) -> list[Table]:
    """Return the means of all measures by labels and method: the tables of any suite."""
    labels = tuple(dict.fromkeys(name for record in results.records for name in record.labels))
    fields: list[tuple[Column, Callable[[Record], float | None]]] = []
    if any(distance_of(record) is not None for record in results.records):
        fields.append((Column("distance", "value"), distance_of))
        fields.append((Column("gap", "percent"), results.gap))
    fields += [(measure_column(name), measure(name)) for name in measure_names(results.records)]
    fields.append((Column("elapsed, s", "seconds"), measure("elapsed")))
    lines = []
    for key, group in results.groups(*labels).items():
        for method in group.methods:
            found = group.runs(method)
            means = (mean_of(found, value) for _, value in fields)
            lines.append((*key, method, len(found), *means))
    return [
        Table(
            "means",
            "Means by method and kind of data",
            (
                *(Column(words(name)) for name in labels),
                Column("method", "code"),
                Column("runs", "count"),
                *(column for column, _ in fields),
            ),
            tuple(lines),
        )
    ]


def method_table(results: Results) -> Table:
    """Compare all methods of a suite, case by case: ranks, wins, a paired test, gaps, times."""
    reference = REFERENCE if REFERENCE in results.methods else results.methods[0]
    values = {method: results.values(method) for method in results.methods}
    found, common = standings(values, reference)
    lines = []
    for method in results.methods:
        against = found[method]
        runs = results.runs(method)
        gap, seconds = results.mean(method, results.gap), results.mean(method, measure("elapsed"))
        lines.append(
            (
                *(method, len(runs), against.average_rank, gap, share_optimal(runs)),
                *(against.wins, against.ties, against.losses, against.p, seconds),
            )
        )
    return Table(
        "methods",
        f"The methods against {reference}, instance by instance",
        (
            Column("method", "code"),
            Column("runs", "count"),
            Column("average rank", "power"),
            Column("mean gap", "percent"),
            Column("proven by itself"),
            *columns("count", "wins", "ties", "losses"),
            Column("p", "p"),
            Column("seconds", "seconds"),
        ),
        tuple(lines),
        (
            f"Wins, ties and losses of the method against {reference} on the same instances; p: "
            f"Wilcoxon's signed-rank test on these. Average ranks are over the "
            f"{counted(common, 'instance')} that all methods have; 1 = best.",
        ),
    )


def error_table(results: Results) -> Table:
    """List the tasks that failed."""
    return Table(
        "errors",
        "Tasks without a result",
        (Column("task"), Column("why")),
        tuple((record.task, record.error) for record in results.errors),
    )


# -- parts of tables -------------------------------------------------------------------------


def columns(kind: str, *names: str) -> tuple[Column, ...]:
    """Return several columns of one kind."""
    return tuple(Column(name, kind) for name in names)


def mean_of(records: Sequence[Record], value: Callable[[Record], float | None]) -> float | None:
    """Return the mean of a value over the records that have it; None if none has it."""
    values = [each for record in records if (each := value(record)) is not None]
    return fmean(values) if values else None


def share(part: int, whole: int) -> str:
    """Return a count as a part of a whole.

    Example:
        >>> share(19, 20)
        '19 of 20'
    """
    return f"{part} of {whole}"


def share_optimal(records: Sequence[Record]) -> str:
    """Return how many of the records have a proven optimum."""
    return share(sum(record.status == "optimal" for record in records), len(records))


def words(name: str) -> str:
    """Return the name of a label or measure as words."""
    return name.replace("_", " ")


def measure_names(records: Sequence[Record]) -> tuple[str, ...]:
    """Return the names of all measures of some records, in order of appearance."""
    return tuple(dict.fromkeys(name for record in records for name in record.measures))


def measure_column(name: str) -> Column:
    """Return the column of a measure."""
    return Column(words(name), measure_kind(name))


def measure_kind(name: str) -> str:
    """Return the kind of column that a measure belongs in, judged by its name.

    Example:
        >>> measure_kind("memory"), measure_kind("check_seconds"), measure_kind("nodes")
        ('bytes', 'seconds', 'count')
    """
    if name in ("memory", "bytes") or name.endswith(("_memory", "_bytes")):
        return "bytes"
    if name == "elapsed" or name.endswith("seconds"):
        return "seconds"
    return "count" if name in ("nodes", "iterations_per_second", "pairs") else "value"


def target_time(results: Results, record: Record, target: float) -> float | None:
    """Return the seconds until a run is within a share of the best known of its case."""
    best = results.best_known.get(case_of(record))
    distance = distance_of(record)
    if best is None or distance is None or record.cost is None:
        return None
    # Traces are in the unit of the cost. A method without a trace arrives when it ends.
    scale = record.cost / distance if distance else 1.0
    limit = best * (1 + target) * scale + 1e-9
    if not record.trace:
        return record.elapsed if record.cost <= limit else None
    return next((seconds for seconds, cost, _ in record.trace if cost <= limit), None)


# -- files and missing parts -----------------------------------------------------------------


def are_files(results: Results) -> bool:
    """Return whether the instances were read from files and not generated."""
    return bool(results.manifest.settings.get("instances"))


def name_missing(results: Results, known: dict[Any, str], found: set[Any]) -> list[str]:
    """Name the published rows or instances, given by key and name, that were not found."""
    # Files of another kind are not meant to fill the paper's table.
    if are_files(results) and not found & set(known):
        return []
    return [f"{name}: no results" for key, name in known.items() if key not in found]
