"""Which end of numbers is best, by what stands beside: final places, totals, the file name."""

from __future__ import annotations

from concordant.errors import show
from concordant.reading.cells import Column
from concordant.reading.ends import best_end, file_end, metric_end
from concordant.reading.findings import Finding
from concordant.reading.outcome import Proposal
from concordant.reading.places import is_ranking
from concordant.reading.sheet import Sheet
from concordant.reading.totals import decimals_of, is_mean, is_sum, speaks_of_mean_ranks
from concordant.reading.words import column_role


def said_ends(sheet: Sheet, columns: list[Column]) -> set[str | None]:
    """Return the best ends that titles, questions and the names of other columns speak of."""
    heads = {c.index for c in columns}
    names = [name for k, name in enumerate(sheet.names) if k not in heads]
    texts = (*sheet.titles, *sheet.questions.values(), *names)
    return {best_end(text) for text in texts} - {None}


def by_final_rank(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> bool:
    """Follow a column of final places: it shows whether the highest sum or the lowest is best."""
    if not proposal.transposed or len(columns) < 2:
        return False
    taken = {c.index for c in columns}
    for final in sheet.columns:
        if final.index in taken or not final.numeric or not _is_final(final):
            continue
        rows = [
            [v for c in columns if (v := c.numbers[k]) is not None] for k in range(len(sheet.rows))
        ]
        # In a contest, nobody judges the own entry.
        most = max(map(len, rows))
        pairs = [
            (place, sum(given))
            for place, given in zip(final.numbers, rows, strict=True)
            if place is not None and len(given) == most
        ]
        falls = rises = 0
        for k, (place, total) in enumerate(pairs):
            for other, sum_ in pairs[k + 1 :]:
                falls += (place - other) * (total - sum_) < 0
                rises += (place - other) * (total - sum_) > 0
        if len(pairs) < 3 or min(falls, rises) > 0.1 * (falls + rises) or falls + rises < 3:
            continue
        if any(_runs_against(c.numbers, final.numbers, falling=falls > rises) for c in columns):
            # Losses beside wins, which are no votes.
            continue
        proposal.values = "scores" if falls > rises else "ranks"
        proposal.changed = True
        best = "highest" if falls > rises else "lowest"
        proposal.findings.append(
            Finding(
                "note",
                "best-end",
                f"the places in {final.called} show that the {best} is best",
            )
        )
        return True
    return False


def by_order(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> None:
    """Settle an open end by rows in the order of their totals: the highest stands first."""
    asked = [each for each in proposal.questions if each.code == "ranks-or-scores"]
    if not asked or not proposal.transposed or said_ends(sheet, columns):
        return
    taken = {c.index for c in columns}
    for total in sheet.columns:
        given = [value for value in total.numbers if value is not None]
        if total.index in taken or len(given) < len(total.cells) or len(set(given)) < 4:
            continue
        rows = [[c.numbers[k] for c in columns] for k in range(len(given))]
        full = [
            (value, [v for v in row if v is not None])
            for value, row in zip(given, rows, strict=True)
            if None not in row
        ]
        decimals = decimals_of(given)
        adds_up = len(full) > 2 and (
            all(is_sum(value, row) for value, row in full)
            or all(is_mean(value, row, decimals) for value, row in full)
        )
        if adds_up and given == sorted(given, reverse=True):
            proposal.findings = [each for each in proposal.findings if each not in asked]
            proposal.values, proposal.changed = "scores", True
            note = f"the rows are in the order of {total.called}: the highest is best"
            proposal.findings.append(Finding("note", "best-end", note))
            return


def by_file_name(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> None:
    """Settle an open end by the name of the file, where no other text speaks of one."""
    asked = [each for each in proposal.questions if each.code == "ranks-or-scores"]
    each = {best_end(c.name) or metric_end(c.name) for c in columns} - {None}
    if not asked or said_ends(sheet, columns) or each or any(c.unclear for c in columns):
        return
    end = file_end(sheet.grid.file)
    if end is not None:
        proposal.findings = [each for each in proposal.findings if each not in asked]
        proposal.values, proposal.changed, proposal.measured = end, True, end == "ranks"
        proposal.findings.append(file_note(sheet.grid.file, end))


def file_note(name: str, end: str) -> Finding:
    """Return the note that the name of the file shows which end is best."""
    best = "highest" if end == "scores" else "lowest"
    return Finding("note", "best-end", f"the name of the file, {show(name)}: the {best} is best")


def _runs_against(values: list[float | None], places: list[float | None], *, falling: bool) -> bool:
    """Return whether the numbers of a column nearly always contradict the final places."""
    given = [(p, v) for p, v in zip(places, values, strict=True) if p is not None and v is not None]
    pairs = [(p - q) * (v - w) for k, (p, v) in enumerate(given) for q, w in given[k + 1 :]]
    with_, against = sum(x < 0 for x in pairs), sum(x > 0 for x in pairs)
    if not falling:
        with_, against = against, with_
    return against > 5 and against > 9 * with_


def _is_final(column: Column) -> bool:
    """Return whether the name of a column says that it holds the final places."""
    role = column_role(column.name)
    return (role == "rank" or speaks_of_mean_ranks(column.name)) or (
        role in ("outcome", "total") and is_ranking([v for v in column.numbers if v is not None])
    )
