"""Columns of a wide table that are not ranked: results, totals, numbers of rows, other names."""

from __future__ import annotations

import re

from concordant.errors import Hint
from concordant.reading.cells import Column, counts_up
from concordant.reading.ends import PLACES, best_end, metric_end
from concordant.reading.findings import Finding
from concordant.reading.lexicon import AVERAGES, BESTS, SUMS
from concordant.reading.outcome import Proposal, Roles, question
from concordant.reading.outsiders import ask_whether_it_counts, reference
from concordant.reading.places import is_strict, once, share_of_ranks
from concordant.reading.sheet import Sheet
from concordant.reading.single import is_best
from concordant.reading.totals import decimals_of, is_mean, is_sum
from concordant.reading.values import vectors_of
from concordant.reading.words import column_role, is_reference, is_word, key, tokens

# Words for columns of a form or a list that are also names of items.
_NAMESAKES = frozenset(
    key(word)
    for word in (
        *("price", "preis", "prix", "precio", "prezzo", "preco", "service", "language", "sprache"),
        *("langue", "idioma", "lingua", "duration", "feedback", "importance"),
    )
)


def with_namesakes(
    sheet: Sheet,
    roles: Roles,
    proposal: Proposal,
    columns: list[Column],
    numeric: list[Column],
    label: Column | None,
) -> list[Column]:
    """Keep items called Heat, Price or Service, whose names are also words for other columns.

    Numbers in the range of the others show that such a column may be an item: then ask.
    """
    if label is None or len(columns) < 2:
        return columns
    values = [v for c in columns for v in c.numbers if v is not None]
    found = []
    for column in numeric:
        given = [v for v in column.numbers if v is not None]
        role, word = roles.by_word.get(column.index), key(column.name)
        if column is label or column in columns or not given or is_reference(column.name):
            continue
        soft = word in _NAMESAKES or is_word("aside", column.name) or _is_alike(column, columns)
        if role not in ("voter", "name") and not soft:
            continue
        # A name that is also a word for a judge may have the lowest score of all.
        room = 0.5 * (max(values) - min(values)) if role in ("voter", "name") else 0
        inside = min(values) - room <= min(given) and max(given) <= max(values) + room
        like = _is_like(given, columns) and inside
        placed = once(column.numbers) and all(once(c.numbers) for c in columns)
        if like or placed or _are_ranks([*columns, column]):
            found.append(column)
    if not found:
        return columns
    together = [c for c in numeric if c in columns or c in found]
    # The rows are rankings only with these columns.
    complete = _are_ranks(together) and not _are_ranks(columns) and len(sheet.rows) > 1
    # "ROW" is a race beside others, and has the places of a race too.
    races = [c for c in columns if roles.by_word.get(c.index) not in ("score", "total")]
    complete = complete or all(once(c.numbers) for c in (*races, *found))
    if sheet.options.layout == "wide" or complete or all(c.points for c in together):
        return together
    proposal.findings.append(
        question(
            "another-item",
            f"{found[0].called} may be an item by its numbers, and not by its name",
            Hint("layout", ("wide",), "if it is ranked"),
            Hint("ignore", (reference(sheet, found[0]),), "if it is not ranked"),
            column=found[0].name,
        )
    )
    return columns


def _is_alike(column: Column, columns: list[Column]) -> bool:
    """Return whether a column stands between ranked columns, or has a short code like theirs."""
    near = {c.index for c in columns} >= {column.index - 1, column.index + 1}
    codes = sum(_CODE.fullmatch(c.name.strip()) is not None for c in columns)
    coded = _CODE.fullmatch(column.name.strip()) and len(columns) <= codes + 1
    return (
        bool(near or coded) and column.kind in {c.kind for c in columns} and not counts_up(column)
    )


_CODE = re.compile(r"[A-Z]{2,4}")


def _are_ranks(columns: list[Column]) -> bool:
    return share_of_ranks(vectors_of(columns, transposed=False), len(columns)) == 1


def _is_like(given: list[float], columns: list[Column]) -> bool:
    """Return whether numbers lie among those of at least half of the columns."""
    middle = sum(given) / len(given)
    ranges = [[v for v in c.numbers if v is not None] for c in columns]
    return 2 * sum(bool(r) and min(r) <= middle <= max(r) for r in ranges) >= len(ranges)


def without_results(roles: Roles, columns: list[Column], label: Column | None) -> list[Column]:
    """Leave out a last column of final results beside places, and numbers beside times."""
    times = [c for c in columns if c.kind == "time"]
    if len(times) > 1 and all(
        c in times
        or not c.name.strip()
        or _is_aside(c)
        # The numbers of the riders.
        or (label is not None and c.index < label.index)
        for c in columns
    ):
        columns = times
    last = columns[-1] if columns else None
    if (
        label is not None
        and len(columns) > 2
        and last is not None
        and roles.by_word.get(last.index) == "outcome"
        and once(last.numbers)
    ):
        return columns[:-1]
    return columns


def _is_aside(column: Column) -> bool:
    return is_word("aside", column.name) or column_role(column.name) in ("ignored", "total")


def without_other_names(
    sheet: Sheet, roles: Roles, columns: list[Column], label: Column | None
) -> list[Column]:
    """Leave out one column that numbers items, as the boat of each sailor."""
    if label is None or roles.by_word.get(label.index) != "item" or len(columns) < 3:
        return columns
    others = [c for c in columns if roles.by_word.get(c.index) == "item"]
    if len(others) != 1 or is_strict(vectors_of(others, transposed=True)):
        return columns
    rest = [c for c in columns if c is not others[0]]
    return rest if is_strict(vectors_of(rest, transposed=True)) else columns


def without_totals(
    sheet: Sheet, proposal: Proposal, columns: list[Column], label: Column | None
) -> list[Column]:
    """Leave out columns that are the sum or the mean of the others."""
    if len(columns) < 3 or len(sheet.rows) < 2:
        return columns
    columns = _without_mark(sheet, proposal, columns)
    sides = ((False, len(columns)), (True, len(sheet.rows)))
    if any(share_of_ranks(vectors_of(columns, transposed=t), n) == 1 for t, n in sides):
        return columns
    order = (
        [columns[-1], columns[0], *columns[1:-1]] if len(columns) <= _MOST_PARTS else columns[-1:]
    )
    for column in order:
        others = [c for c in columns if c is not column]
        what = _derived(column, _parts(column, others))
        if what is not None:
            note = f"{column.called} is the {what} of the others and is left out"
            proposal.findings.append(Finding("note", "total-column", note, column=column.name))
            return others
    for column in columns if label is not None else ():
        others = [c for c in columns if c is not column]
        if BESTS & set(tokens(column.name)) and is_best(column, others):
            note = f"{column.called} is the best of the others and is left out"
            proposal.findings.append(Finding("note", "total-column", note, column=column.name))
            return others
    last, others = columns[-1], columns[:-1]
    if label is not None and sheet.options.layout != "wide" and _may_be_best(last, others):
        said = "may be the best of the others in each row, or count like them"
        ask_whether_it_counts(sheet, proposal, last, said)
    return columns


# The mark that follows from the points.
_GRADES = frozenset(
    {"note", "grade", "mark", "nota", "voto", "cijfer", "ocena", "betyg", "noten", "grades"}
)


def _without_mark(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> list[Column]:
    """Leave out the mark that is no part of the total of points; ask about another column."""
    taken = {c.index for c in columns}
    totals = [c for c in sheet.columns if c.index not in taken and c.numeric]
    totals = [c for c in totals if column_role(c.name) == "total" or SUMS & set(tokens(c.name))]
    if not 2 < len(columns) <= _MOST_PARTS or sheet.options.layout == "wide":
        return columns
    for total in totals:
        if _derived(total, columns) == "sum":
            return columns
        for column in (columns[-1], *columns[:-1]):
            others = [c for c in columns if c is not column]
            if _derived(total, others) == "sum":
                apart = not _is_like([v for v in column.numbers if v is not None], others)
                if apart or key(column.name) in _GRADES:
                    note = f"{column.called} is no part of the sum in {total.called}: left out"
                    found = Finding("note", "total-column", note, column=column.name)
                    proposal.findings.append(found)
                else:
                    said = f"is no part of the sum in {total.called}, and may count or not"
                    ask_whether_it_counts(sheet, proposal, column, said)
                return others
    return columns


# Wider tables are not searched for sums, but for their last column.
_MOST_PARTS = 60


def _derived(column: Column, others: list[Column]) -> str | None:
    """Return what a column is of the others in every row: their sum or their mean."""
    fits = {"sum": True, "mean": True}
    rows = 0
    decimals = decimals_of(column.numbers)
    different = set()
    for k, value in enumerate(column.numbers):
        values = [v for c in others if (v := c.numbers[k]) is not None]
        if value is None or len(values) < 2:
            continue
        rows += 1
        different.add(tuple(values))
        fits["sum"] = fits["sum"] and is_sum(value, values)
        fits["mean"] = fits["mean"] and is_mean(value, values, decimals)
        if not any(fits.values()):
            return None
    given = {value for value in column.numbers if value is not None}
    decimals = any(v != int(v) for v in given)
    # Voters who agree show no more than one of them.
    if len(different) > 1 and fits["sum"]:
        return "sum"
    if rows > 2 and fits["mean"] and len(given) > 1 and decimals:
        return "mean"
    return None


def _may_be_best(column: Column, others: list[Column]) -> bool:
    """Return whether a column may hold the best of the others: without gaps, and no places."""
    amounts = not column.whole or max(v or 0 for v in column.numbers) > len(column.cells)
    whole = len(column.cells) > 3 and None not in column.numbers and amounts
    return whole and len(set(column.numbers)) > 1 and is_best(column, others)


def _parts(column: Column, others: list[Column]) -> list[Column]:
    """Return the columns that may make up another: those with its end, for `Average accuracy`."""
    end = best_end(column.name) or metric_end(column.name)
    same = [c for c in others if (best_end(c.name) or metric_end(c.name)) == end]
    return same if end is not None and AVERAGES & set(tokens(column.name)) else others


def without_numbers(
    sheet: Sheet, proposal: Proposal, columns: list[Column], label: Column | None
) -> list[Column]:
    """Leave out a first column that numbers the rows, where another one names them."""
    first, *rest = columns
    if len(tokens(first.name)) > 1 and PLACES & set(tokens(first.name)):
        # The places of one race.
        return columns
    counts = [float(k) for k in range(1, len(first.cells) + 1)]
    codes = [v for v in first.numbers if v is not None]
    if (
        label is not None
        and len(rest) > 1
        and first.index < label.index
        and len(set(codes)) == len(first.cells)
        and min(codes) > 10 * len(counts)
        and is_strict(vectors_of(rest, transposed=True))
    ):
        # Code numbers of the rows.
        return rest
    if label is None or len(columns) < 3 or len(counts) < 3 or label.index < first.index:
        return columns
    if first.numbers != counts:
        return columns
    if share_of_ranks(vectors_of(rest, transposed=True), len(counts)) == 1:
        # Places as in the other columns: told by a name like theirs, as Stage 1 and Stage 2.
        if first.name.strip() and tokens(first.name)[:1] == tokens(rest[0].name)[:1]:
            return columns
        if sheet.options.layout == "wide":
            return columns
        proposal.findings.append(
            question(
                "number-or-rank",
                f"{first.called} may number the rows, or hold places",
                Hint("ignore", (reference(sheet, first),), "if it numbers the rows"),
                Hint("layout", ("wide",), "if it holds places"),
                column=first.name,
            )
        )
    return rest
