"""The paper's table of crossovers beside ours."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from concordant.bench import published
from concordant.bench.layout import Column, Table
from concordant.bench.paper_tables import are_files, name_missing
from concordant.bench.results import Results
from concordant.bench.statistics import average_ranks, contest


def crossover_tables(results: Results) -> list[Table]:
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


def missing_instances(results: Results) -> list[str]:
    """Name the instances of the published table of crossovers that no result is about."""
    found = {case[0] for case in results.cases}
    return name_missing(results, {name: name for name in published.CROSSOVERS}, found)
