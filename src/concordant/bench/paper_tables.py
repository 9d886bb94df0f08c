"""The paper's tables of averages by θ and m beside ours: complete and partial rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean
from typing import Any

from concordant.bench import published
from concordant.bench.layout import Column, Table
from concordant.bench.results import Results
from concordant.bench.statistics import (
    Sample,
    contest,
    describe,
    signed_rank_p,
    wins_ties_losses,
)
from concordant.bench.tables import REFERENCE, are_files, method_table, name_missing, share

# A difference that chance alone exceeds in no more than this share of all comparisons is called
# within the sampling error.
CHANCE = 0.05
# What the paper proposes, or found to be the best before: what our default is held against.
_RIVALS = ("ga", "lads", "her")
# It searches for nothing and breaks hardly any ties: on other instances, it shows how these were
# drawn.
YARDSTICK = "css"


def aggregation_tables(results: Results, rows: tuple[published.Row, ...]) -> list[Table]:
    """Return the tables of a suite that aggregates Mallows instances, beside a published table."""
    groups = combinations(results)
    # Files may be of other kinds than the paper's: then there is nothing to compare with.
    compares = any(published.find_row(rows, theta, items) for items, theta, _ in groups)
    compared = [_differences(results, groups, rows), _verdicts(results, groups, rows)]
    if {YARDSTICK, "ga"} <= set(rows[0].averages) and {YARDSTICK, REFERENCE} <= set(
        results.methods
    ):
        compared.append(_below_yardstick(results, groups, rows))
    return [
        _averages(results, groups, rows if compares else ()),
        *(compared if compares else []),
        _gaps(results, groups),
        method_table(results),
        _pairs(results, rows),
    ]


def combinations(results: Results) -> dict[tuple[Any, ...], Results]:
    """Return the results by m, θ and, where there are several, reading; in the paper's order."""
    groups = results.groups("items", "theta", "reading")

    def order(key: tuple[Any, ...]) -> tuple[Any, ...]:
        items, theta, reading = key
        return (str(reading or ""), items or 0, -(theta or 0))

    return {key: groups[key] for key in sorted(groups, key=order)}


def missing_combinations(results: Results, rows: tuple[published.Row, ...]) -> list[str]:
    """Name the rows of a published table that no result is about."""
    found = {(theta, items) for items, theta, _ in combinations(results)}
    known = {(row.theta, row.items): f"θ = {row.theta:g}, m = {row.items}" for row in rows}
    return name_missing(results, known, found)


def _head(groups: dict[tuple[Any, ...], Results]) -> list[Column]:
    readings = [Column("reading")] if any(key[2] is not None for key in groups) else []
    return [*readings, Column("θ", "text"), Column("m", "count")]


def _lead(key: tuple[Any, ...], columns: list[Column]) -> list[Any]:
    items, theta, reading = key
    return [reading, theta, items][3 - len(columns) :]


def _spread(group: Results) -> Sample:
    """How much the instances of a row differ: all methods feel it alike, so the best is taken."""
    return describe(list(group.best_known.values()))


def most_by_chance(group: Results) -> float | None:
    """How many standard errors chance may make of a difference, judged by so few instances."""
    from scipy.stats import t

    n = len(group.best_known)
    return float(t.ppf(1 - CHANCE / 2, n - 1)) if n > 1 else None


def _chance_of_largest(sizes: Sequence[tuple[float, int]]) -> float | None:
    """How often the largest of so many differences is at least as large by chance alone.

    Each is given in its standard errors, with the number of instances that tell the error.
    """
    from scipy.stats import t

    alone = [2 * float(t.sf(abs(size), n - 1)) for size, n in sizes]
    return -math.expm1(len(alone) * math.log1p(-min(alone))) if alone else None


def _averages(
    results: Results, groups: dict[tuple[Any, ...], Results], rows: tuple[published.Row, ...]
) -> Table:
    theirs = tuple(rows[0].averages) if rows else ()
    ours = [method for method in results.methods if method not in theirs]
    head = _head(groups)
    columns = [*head, Column("instances", "count")]
    for method in theirs:
        columns.append(Column(f"{method}, published", "value"))
        if method in results.methods:
            columns.append(Column(method, "value"))
    columns += [Column(method, "value") for method in ours]
    columns.append(Column("standard error", "value"))
    lines = []
    for key, group in groups.items():
        known = published.find_row(rows, key[1], key[0])
        line = [*_lead(key, head), len(group.best_known)]
        for method in theirs:
            line.append(known.averages[method] if known else None)
            if method in results.methods:
                line.append(group.mean(method))
        line += [group.mean(method) for method in ours]
        line.append(_spread(group).error if group.best_known else None)
        lines.append(tuple(line))
    error = "The standard error is that of one of our averages, from the spread of the instances."
    if not rows:
        return Table("averages", "Average distance", tuple(columns), tuple(lines), (error,))
    drawn = "instances read from files" if are_files(results) else "other ones of the same kind"
    return Table(
        "averages",
        "Average distance, the published averages beside ours",
        tuple(columns),
        tuple(lines),
        (
            f"Published averages are over {published.INSTANCES} instances; ours are over {drawn}. "
            + error,
        ),
    )


def _comparisons(results: Results, rows: tuple[published.Row, ...]) -> list[tuple[str, str]]:
    """Which of our methods is compared with which published average."""
    theirs = rows[0].averages
    found = [(REFERENCE, rival) for rival in _RIVALS if rival in theirs]
    found += [(method, method) for method in theirs]
    return [pair for pair in found if pair[0] in results.methods]


def difference(
    group: Results, known: published.Row | None, ours: str, theirs: str
) -> tuple[float, float | None] | None:
    """Return our average minus a published one, and the standard error of that."""
    sample = group.sample(ours)
    if known is None or sample is None:
        return None
    return sample.mean - known.averages[theirs], _spread(group).error_beside(published.INSTANCES)


def _differences(
    results: Results, groups: dict[tuple[Any, ...], Results], rows: tuple[published.Row, ...]
) -> Table:
    pairs = _comparisons(results, rows)
    head = _head(groups)
    verdict = REFERENCE in results.methods
    columns = [*head]
    columns += [Column(f"{REFERENCE} at or below")] if verdict else []
    columns.append(Column("error of a difference", "value"))
    columns += [Column(f"{ours} − published {theirs}", "signed") for ours, theirs in pairs]
    lines = []
    for key, group in groups.items():
        known = published.find_row(rows, key[1], key[0])
        found = [difference(group, known, *pair) for pair in pairs]
        error = next((each[1] for each in found if each), None)
        line = _lead(key, head)
        if verdict:
            averages = known.averages if known else {}
            line.append(_worst(group, [averages[name] for name in _RIVALS if name in averages]))
        lines.append((*line, error, *(each[0] if each else None for each in found)))
    notes = [
        "The error of a difference is the combined standard error of two samples of instances, "
        "ours and the published one, both taken to spread as ours does.",
        "Only averages are compared; a published best of twenty instances is about one instance.",
    ]
    if verdict:
        rivals = [name for name in _RIVALS if name in rows[0].averages]
        notes.append(
            f"“{REFERENCE} at or below”: “yes” when its average is at or below all published "
            f"averages of {', '.join(rivals)}; “within error” when chance alone exceeds the worst "
            f"difference in {100 * CHANCE:g} % of such comparisons or more (Student's t), so that "
            "one row of twenty is expected beyond it; “no order could” when the difference is "
            "larger, and so is that of the proven lower bound of our instances: theirs were easier "
            "ones, or read in another way."
        )
    return Table(
        "differences",
        "Our average minus the published average",
        tuple(columns),
        tuple(lines),
        tuple(notes),
    )


def _below_yardstick(
    results: Results, groups: dict[tuple[Any, ...], Results], rows: tuple[published.Row, ...]
) -> Table:
    """Compare how far below CSS our default and the published GA come, each on its instances."""
    head = _head(groups)
    columns = [
        *head,
        Column(f"{REFERENCE} − {YARDSTICK}", "signed"),
        Column(f"ga − {YARDSTICK}, published", "signed"),
        Column("difference", "signed"),
        Column("its error", "value"),
    ]
    lines = []
    for key, group in groups.items():
        known = published.find_row(rows, key[1], key[0])
        greedy = group.values(YARDSTICK)
        gains = [value - greedy[case] for case, value in group.values(REFERENCE).items()]
        if known is None or not gains:
            continue
        ours = describe(gains)
        theirs = known.averages["ga"] - known.averages[YARDSTICK]
        error = ours.error_beside(published.INSTANCES)
        lines.append((*_lead(key, head), ours.mean, theirs, ours.mean - theirs, error))
    return Table(
        "below-css",
        f"How far below CSS: {REFERENCE} and the published GA",
        tuple(columns),
        tuple(lines),
        (
            "Each is held against CSS on its own instances, so that dear draws and cheap ones "
            "count alike, and little is left of the sampling error: the combined standard error of "
            "both samples, taken to spread as ours does. The published averages of CSS and GA are "
            "of the same files; those of LADS and HER are of another reading of them, and cannot "
            "be judged in this way.",
        ),
    )


def _worst(group: Results, rivals: list[float]) -> str | None:
    """Say whether our default is at or below the least of the published averages."""
    sample = group.sample(REFERENCE)
    if sample is None or not rivals:
        return None
    if sample.mean <= min(rivals):
        return "yes"
    error, most = _spread(group).error_beside(published.INSTANCES), most_by_chance(group)
    if error is None or most is None:
        return "error not known"
    if sample.mean - min(rivals) <= most * error:
        return "within error"
    bound = describe(list(group.bounds.values())).mean
    return "no order could" if bound - min(rivals) > most * error else "no"


def _verdicts(
    results: Results, groups: dict[tuple[Any, ...], Results], rows: tuple[published.Row, ...]
) -> Table:
    lines: list[tuple[Any, ...]] = []
    readings = tuple(dict.fromkeys(key[2] for key in groups))
    for reading in readings:
        for ours, theirs in _comparisons(results, rows):
            differences: list[float] = []
            inside: list[bool] = []
            sizes: list[tuple[float, int]] = []
            for key, group in groups.items():
                known = published.find_row(rows, key[1], key[0])
                each = difference(group, known, ours, theirs) if key[2] == reading else None
                if each is None:
                    continue
                value, error = each
                differences.append(value)
                most = most_by_chance(group)
                if error and most:
                    sizes.append((value / error, len(group.best_known)))
                    inside.append(abs(value) <= most * error)
            if not differences:
                continue
            in_errors = [size for size, _ in sizes]
            line: list[Any] = [ours, theirs, len(differences)]
            line += wins_ties_losses(differences, [0.0] * len(differences))
            line.append(sum(inside) if inside else None)
            line.append(min(in_errors, default=None))
            line.append(max(in_errors, default=None))
            line.append(_chance_of_largest(sizes))
            line.append(math.sqrt(fmean(z * z for z in in_errors)) if in_errors else None)
            line.append(signed_rank_p(differences, [0.0] * len(differences)))
            lines.append((*([reading] if reading is not None else []), *line))
    readings_column = [Column("reading")] if readings != (None,) else []
    columns = [
        *readings_column,
        Column("ours", "code"),
        Column("published"),
        Column("rows", "count"),
        Column("below", "count"),
        Column("equal", "count"),
        Column("above", "count"),
        Column("within error", "count"),
        Column("lowest, in errors", "power"),
        Column("highest, in errors", "power"),
        Column("chance of the largest", "p"),
        Column("root mean square", "power"),
        Column("p", "p"),
    ]
    return Table(
        "verdicts",
        "Our averages against the published ones, over the rows",
        tuple(columns),
        tuple(lines),
        (
            "A row is a combination of θ and m. When only the draw of the instances differs, the "
            "root mean square of the differences is about 1 error, and about "
            f"{100 * CHANCE:g} % of the rows are not within the error (Student's t). Chance of the "
            "largest: how often the largest difference of so many rows, up or down, is at least as "
            "large when only the draws differ; the table as a whole is within the sampling error "
            f"unless this is below {CHANCE:g}. p: Wilcoxon's "
            "signed-rank test over the rows. Ours and theirs are averages over other instances: "
            "a small p says that the averages differ, not that one method is better.",
        ),
    )


def _gaps(results: Results, groups: dict[tuple[Any, ...], Results]) -> Table:
    head = _head(groups)
    lines = []
    for key, group in groups.items():
        bound = describe(list(group.bounds.values())).mean if group.bounds else None
        gaps = (group.mean(method, group.gap) for method in results.methods)
        lines.append((*_lead(key, head), bound, share(len(group.proven), len(group.cases)), *gaps))
    return Table(
        "gaps",
        "Mean gap of each method to the best lower bound of each instance",
        (
            *head,
            Column("lower bound", "value"),
            Column("optima proven"),
            *(Column(method, "percent") for method in results.methods),
        ),
        tuple(lines),
        (
            "A gap is a share of the method's own cost. The bound of an instance is the best that "
            "any method proved; where the optimum is proven it is the optimum.",
        ),
    )


# The comparisons that the paper makes, or that its tables invite.
_CITED = ("borda", "extended-borda", "css", "dk", "bnb", "ga")
_PAIRS = (
    ("her", "lads"),
    *(("her", cited) for cited in _CITED),
    *(("lads", cited) for cited in _CITED),
    ("css", "borda"),
)


def _pairs(results: Results, rows: tuple[published.Row, ...]) -> Table:
    """Compare pairs of methods on the same instances, and the published averages row by row."""
    readings = results.groups("reading")
    lines = []
    for (reading,), part in readings.items():
        for first, second in _PAIRS:
            found = part.paired((first, second))
            if not found or not {first, second} <= set(rows[0].averages):
                continue
            ours = [a for a, _ in found], [b for _, b in found]
            theirs = [[row.averages[name] for row in rows] for name in (first, second)]
            lines.append(
                (
                    *([reading] if reading is not None else []),
                    first,
                    second,
                    len(found),
                    *contest(*ours),
                    *contest(*theirs),
                )
            )
    counts = ("lower", "equal", "higher")
    return Table(
        "pairs",
        "Methods against each other: ours by instances, the published averages by rows",
        (
            *([Column("reading")] if any(key != (None,) for key in readings) else []),
            Column("method", "code"),
            Column("against", "code"),
            Column("instances", "count"),
            *(Column(name, "count") for name in counts),
            Column("p", "p"),
            *(Column(f"{name}, published", "count") for name in counts),
            Column("p, published", "p"),
        ),
        tuple(lines),
        ("p: Wilcoxon's signed-rank test, two-sided.",),
    )


def published_contest(rows: tuple[published.Row, ...]) -> Table:
    """Compare the published averages with HER's, row by row."""
    lines = []
    her = [row.averages["her"] for row in rows]
    for method in rows[0].averages:
        if method != "her":
            other = [row.averages[method] for row in rows]
            lines.append((method, *contest(her, other)))
    return Table(
        "published",
        "The published averages against the published average of HER",
        (
            Column("method"),
            Column("HER below", "count"),
            Column("equal", "count"),
            Column("HER above", "count"),
            Column("p", "p"),
        ),
        tuple(lines),
        (
            "Averages with averages, over the rows of the published table. The paper counts HER's "
            "best of twenty instances against the averages of the methods that it cites.",
        ),
    )
