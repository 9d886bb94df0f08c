"""Tables of averages by θ and m, beside the paper's: complete and partial rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from concordant.bench.published import INSTANCES, Row, find_row
from concordant.bench.results import Results
from concordant.bench.statistics import Sample, describe
from concordant.bench.tables import (
    REFERENCE,
    are_files,
    columns,
    method_table,
    name_missing,
    share,
)
from concordant.layout import Column, Table
from concordant.paired import contest

# A difference is within the sampling error if chance alone exceeds it in this share of cases.
CHANCE = 0.05
# The methods that our default is compared with: those that the paper proposes, and the best before.
_RIVALS = ("ga", "lads", "her")
# A method without a search, which shows how costly the instances of a sample are.
BASELINE = "css"

Rows = tuple[Row, ...]


@dataclass(frozen=True, slots=True)
class Combination:
    """The results of one combination of m, θ and reading: one row of the tables.

    Attributes:
        items: m, the number of items.
        theta: The spread of the Mallows model.
        reading: The reading of the paper's probabilities, for partial rankings.
        results: The results.
        known: The published row, if there is one.
    """

    items: int | None
    theta: float | None
    reading: str | None
    results: Results
    known: Row | None

    def cells(self, head: list[Column]) -> list[Any]:
        """Return the first cells of a row with these first columns."""
        return [self.reading, self.theta, self.items][3 - len(head) :]

    @property
    def spread(self) -> Sample:
        """The spread of the best distances: how much the instances differ."""
        return describe(list(self.results.best_known.values()))

    def difference(self, ours: str, theirs: str) -> tuple[float, float | None] | None:
        """Return our average minus a published one, and the standard error of the difference."""
        mean = self.results.mean(ours)
        if self.known is None or mean is None:
            return None
        return mean - self.known.averages[theirs], self.spread.error_beside(INSTANCES)

    @property
    def most_by_chance(self) -> float | None:
        """The largest difference, in standard errors, that is within the sampling error."""
        from scipy.stats import t

        n = len(self.results.best_known)
        return float(t.ppf(1 - CHANCE / 2, n - 1)) if n > 1 else None


def combinations(results: Results, rows: Rows) -> list[Combination]:
    """Return the results by m, θ and reading, in the paper's order."""
    found = [
        Combination(items, theta, reading, group, find_row(rows, theta, items))
        for (items, theta, reading), group in results.groups("items", "theta", "reading").items()
    ]
    found.sort(key=lambda each: (each.reading or "", each.items or 0, -(each.theta or 0)))
    return found


def missing_combinations(results: Results, rows: Rows) -> list[str]:
    """Name the rows of a published table for which there are no results."""
    found = {(each.theta, each.items) for each in combinations(results, rows)}
    known = {(row.theta, row.items): f"θ = {row.theta:g}, m = {row.items}" for row in rows}
    return name_missing(results, known, found)


def aggregation_tables(results: Results, rows: Rows) -> list[Table]:
    """Return the tables of a suite that aggregates Mallows instances, beside a published table."""
    groups = combinations(results, rows)
    tables = []
    # Files may differ from the paper's kinds; then there is nothing to compare with.
    if any(each.known for each in groups):
        tables += [
            _averages(results, groups, rows),
            _differences(results, groups, rows),
            _verdicts(results, groups, rows),
        ]
        if BASELINE in rows[0].averages and {BASELINE, REFERENCE} <= set(results.methods):
            tables.append(_below_baseline(groups))
    else:
        tables.append(_averages(results, groups, ()))
    return [*tables, _gaps(results, groups), method_table(results), _pairs(results, rows)]


def _head(groups: list[Combination]) -> list[Column]:
    readings = [Column("reading")] if any(each.reading is not None for each in groups) else []
    return [*readings, Column("θ", "text"), Column("m", "count")]


def _averages(results: Results, groups: list[Combination], rows: Rows) -> Table:
    theirs = tuple(rows[0].averages) if rows else ()
    ours = [method for method in results.methods if method not in theirs]
    head = _head(groups)
    names = []
    for method in theirs:
        names += [f"{method}, published", *([method] if method in results.methods else [])]
    heads = (
        *head,
        Column("instances", "count"),
        *columns("value", *names, *ours, "standard error"),
    )
    lines = []
    for each in groups:
        line = [*each.cells(head), len(each.results.best_known)]
        for method in theirs:
            line.append(each.known.averages[method] if each.known else None)
            if method in results.methods:
                line.append(each.results.mean(method))
        line += [each.results.mean(method) for method in ours]
        line.append(each.spread.error if each.results.best_known else None)
        lines.append(tuple(line))
    error = (
        "The standard error is that of one of our averages and comes from the spread of the "
        "instances."
    )
    if not rows:
        return Table("averages", "Average distance", heads, tuple(lines), (error,))
    source = "instances read from files" if are_files(results) else "other instances of this kind"
    return Table(
        "averages",
        "Average distance, the published averages beside ours",
        heads,
        tuple(lines),
        (f"Published averages are over {INSTANCES} instances; ours are over {source}. {error}",),
    )


def _comparisons(results: Results, rows: Rows) -> list[tuple[str, str]]:
    """Return the pairs of one of our methods and the published average to compare it with."""
    theirs = rows[0].averages
    found = [(REFERENCE, rival) for rival in _RIVALS if rival in theirs]
    found += [(method, method) for method in theirs]
    return [pair for pair in found if pair[0] in results.methods]


def _differences(results: Results, groups: list[Combination], rows: Rows) -> Table:
    pairs = _comparisons(results, rows)
    rivals = [name for name in _RIVALS if name in rows[0].averages]
    head = _head(groups)
    has_verdict = REFERENCE in results.methods
    lines = []
    for each in groups:
        found = [each.difference(*pair) for pair in pairs]
        error = next((pair[1] for pair in found if pair), None)
        verdict = [_verdict(each, rivals)] if has_verdict else []
        differences = (pair[0] if pair else None for pair in found)
        lines.append((*each.cells(head), *verdict, error, *differences))
    notes = [
        "The error of a difference is the combined standard error of two samples of instances, "
        "ours and the published one. Both are assumed to spread as ours does.",
        f"Only averages are compared; a published best of {INSTANCES} instances is the value of "
        "one instance.",
    ]
    if has_verdict:
        notes.append(
            f"“{REFERENCE} at or below” is “yes” if its average is at or below all published "
            f"averages of {', '.join(rivals)}. It is “within error” if chance alone exceeds the "
            f"largest difference in at least {100 * CHANCE:g} % of such comparisons (Student's t); "
            "one row of 20 is expected to be beyond that. It is “no order could” if the difference "
            "is larger, and that of the proven lower bound of our instances is too: the published "
            "instances were easier, or were read in another way."
        )
    return Table(
        "differences",
        "Our average minus the published average",
        (
            *head,
            *([Column(f"{REFERENCE} at or below")] if has_verdict else []),
            Column("error of a difference", "value"),
            *columns("signed", *(f"{ours} − published {theirs}" for ours, theirs in pairs)),
        ),
        tuple(lines),
        tuple(notes),
    )


def _verdict(each: Combination, rivals: list[str]) -> str | None:
    """Return whether our default is at or below the least of the published averages."""
    mean = each.results.mean(REFERENCE)
    if mean is None or each.known is None:
        return None
    least = min(each.known.averages[name] for name in rivals)
    if mean <= least:
        return "yes"
    error, most = each.spread.error_beside(INSTANCES), each.most_by_chance
    if error is None or most is None:
        return "error not known"
    if mean - least <= most * error:
        return "within error"
    bound = describe(list(each.results.bounds.values())).mean
    return "no order could" if bound - least > most * error else "no"


def _below_baseline(groups: list[Combination]) -> Table:
    """Compare how far below CSS our default and the published GA are, each on its instances."""
    head = _head(groups)
    lines = []
    for each in groups:
        base = each.results.values(BASELINE)
        gains = [value - base[case] for case, value in each.results.values(REFERENCE).items()]
        if each.known is None or not gains:
            continue
        ours = describe(gains)
        theirs = each.known.averages["ga"] - each.known.averages[BASELINE]
        error = ours.error_beside(INSTANCES)
        lines.append((*each.cells(head), ours.mean, theirs, ours.mean - theirs, error))
    return Table(
        "below-css",
        f"Distance below CSS: {REFERENCE} and the published GA",
        (
            *head,
            *columns("signed", f"{REFERENCE} − {BASELINE}", f"ga − {BASELINE}, published"),
            Column("difference", "signed"),
            Column("its error", "value"),
        ),
        tuple(lines),
        (
            "Each is compared with CSS on its own instances, so that costly and cheap instances "
            "count alike and little of the sampling error remains. The error is the combined "
            "standard error of both samples, which are assumed to spread as ours does. The "
            "published averages of CSS and GA come from the same files. Those of LADS and HER come "
            "from another reading of the files and cannot be judged in this way.",
        ),
    )


def _verdicts(results: Results, groups: list[Combination], rows: Rows) -> Table:
    lines: list[tuple[Any, ...]] = []
    readings = tuple(dict.fromkeys(each.reading for each in groups))
    for reading in readings:
        for ours, theirs in _comparisons(results, rows):
            differences: list[float] = []
            inside: list[bool] = []
            sizes: list[tuple[float, int]] = []
            for each in groups:
                found = each.difference(ours, theirs) if each.reading == reading else None
                if found is None:
                    continue
                value, error = found
                differences.append(value)
                most = each.most_by_chance
                if error and most:
                    sizes.append((value / error, len(each.results.best_known)))
                    inside.append(abs(value) <= most * error)
            if not differences:
                continue
            *counts, p = contest([(value, 0.0) for value in differences])
            in_errors = [size for size, _ in sizes]
            lines.append(
                (
                    *([reading] if reading is not None else []),
                    ours,
                    theirs,
                    len(differences),
                    *counts,
                    sum(inside) if inside else None,
                    min(in_errors, default=None),
                    max(in_errors, default=None),
                    _chance_of_largest(sizes),
                    math.sqrt(fmean(z * z for z in in_errors)) if in_errors else None,
                    p,
                )
            )
    return Table(
        "verdicts",
        "Our averages against the published ones, over the rows",
        (
            *([Column("reading")] if readings != (None,) else []),
            Column("ours", "code"),
            Column("published"),
            *columns("count", "rows", "below", "equal", "above", "within error"),
            *columns("power", "lowest, in errors", "highest, in errors"),
            Column("chance of the largest", "p"),
            Column("root mean square", "power"),
            Column("p", "p"),
        ),
        tuple(lines),
        (
            "A row is a combination of θ and m. If only the draw of the instances differs, the "
            "root mean square of the differences is about 1 error, and about "
            f"{100 * CHANCE:g} % of the rows are not within the error (Student's t). “Chance of "
            "the largest” is the probability that the largest difference of all rows, up or down, "
            "is at least as large if only the draws differ; the whole table is within the sampling "
            f"error unless this is below {CHANCE:g}. p: Wilcoxon's signed-rank test over the rows. "
            "Our averages and the published ones are over different instances: a small p shows "
            "that the averages differ, not that one method is better.",
        ),
    )


def _chance_of_largest(sizes: Sequence[tuple[float, int]]) -> float | None:
    """Return the probability that chance alone makes the largest difference at least as large.

    Each difference is given in standard errors, with the number of instances of its row.
    """
    from scipy.stats import t

    alone = [2 * float(t.sf(abs(size), n - 1)) for size, n in sizes]
    return -math.expm1(len(alone) * math.log1p(-min(alone))) if alone else None


def _gaps(results: Results, groups: list[Combination]) -> Table:
    head = _head(groups)
    lines = []
    for each in groups:
        group = each.results
        bound = describe(list(group.bounds.values())).mean if group.bounds else None
        gaps = (group.mean(method, group.gap) for method in results.methods)
        proven = share(len(group.proven), len(group.cases))
        lines.append((*each.cells(head), bound, proven, *gaps))
    return Table(
        "gaps",
        "Mean gap of each method to the best lower bound of each instance",
        (
            *head,
            Column("lower bound", "value"),
            Column("optima proven"),
            *columns("percent", *results.methods),
        ),
        tuple(lines),
        (
            "A gap is a share of the method's own cost. The bound of an instance is the best that "
            "any method proved; if the optimum is proven, the bound is the optimum.",
        ),
    )


# The pairs of methods that the paper compares, or that its tables invite to compare.
_CITED = ("borda", "extended-borda", "css", "dk", "bnb", "ga")
_PAIRS = (
    ("her", "lads"),
    *(("her", cited) for cited in _CITED),
    *(("lads", cited) for cited in _CITED),
    ("css", "borda"),
)


def _pairs(results: Results, rows: Rows) -> Table:
    """Compare pairs of methods on the same instances, and the published averages row by row."""
    readings = results.groups("reading")
    lines = []
    for (reading,), part in readings.items():
        for pair in _PAIRS:
            ours = part.paired(pair)
            if ours and set(pair) <= set(rows[0].averages):
                first = [reading] if reading is not None else []
                theirs = contest(_published_pairs(rows, pair))
                lines.append((*first, *pair, len(ours), *contest(ours), *theirs))
    return Table(
        "pairs",
        "Methods against each other: ours by instances, the published averages by rows",
        (
            *([Column("reading")] if any(key != (None,) for key in readings) else []),
            Column("method", "code"),
            Column("against", "code"),
            *columns("count", "instances", "lower", "equal", "higher"),
            Column("p", "p"),
            *columns("count", "lower, published", "equal, published", "higher, published"),
            Column("p, published", "p"),
        ),
        tuple(lines),
        ("p: Wilcoxon's signed-rank test, two-sided.",),
    )


def published_contest(rows: Rows) -> Table:
    """Compare the published averages with HER's, row by row."""
    others = [method for method in rows[0].averages if method != "her"]
    return Table(
        "published",
        "The published averages against the published average of HER",
        (
            Column("method"),
            *columns("count", "HER below", "equal", "HER above"),
            Column("p", "p"),
        ),
        tuple((name, *contest(_published_pairs(rows, ("her", name)))) for name in others),
        (
            "Averages are compared with averages, over the rows of the published table. The paper "
            "compares HER's best of 20 instances with the averages of the methods that it cites.",
        ),
    )


def _published_pairs(rows: Rows, methods: tuple[str, str]) -> list[list[float]]:
    return [[row.averages[method] for method in methods] for row in rows]
