"""What the readers of tables share: recognition, the fast way and the general way, warnings."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant.errors import Hint, InputError, InputWarning
from concordant.formats.common.source import Source
from concordant.merging import warn_of_repeats
from concordant.rankings import Rankings
from concordant.reading.decide import (
    Decision,
    data_findings,
    fallback,
    inspection,
    preview,
    recognise,
)
from concordant.reading.findings import Finding, QuestionError
from concordant.reading.grid import Grid
from concordant.reading.options import Options
from concordant.tables.columns import LayoutError, Plan, RowError

if TYPE_CHECKING:
    from concordant.tables.building import Table

# Of files of more bytes, only the beginning is asked about.
_MOST_ASKED = 2**22
# For a file whose first line may not be a header.
AS_LISTS = Hint("layout", ("lists",), "if every row lists items, best first, without a header")


def recognised(source: Source, grid: Grid, options: Options) -> Decision:
    """Find what a table means; the source keeps what was found.

    Raises:
        QuestionError: A question is open.
        InputError: No layout fits.
    """
    # Who has to answer a question, or to correct an option, looks at the table.
    source.inspection = preview(grid, source.path)
    grid.file = Path(source.path).name.partition(".")[0]
    try:
        decision = recognise(grid, options)
    except QuestionError as error:
        raise error.at(source.path) from None
    except InputError as error:
        raise source.error(error) from None
    source.inspection = inspection(decision, source.path, (), ())
    questions = source.inspection.questions
    if questions:
        raise QuestionError(questions, source.path, source.inspection)
    return decision


def has_lists_in_cells(grid: Grid, options: Options) -> bool:
    """Return whether `layout="lists"` is the answer to a question about a column of lists."""
    try:
        found = recognise(grid, replace(options, layout=None))
    except InputError:
        return False
    return any(each.code in ("ticks", "ticks-or-ranking") for each in found.findings)


def plan_of(source: Source, grid: Grid, options: Options) -> Plan | None:
    """Return the plan of the columns, from the beginning of a table; None for the general way.

    Where cells show nothing, because they are empty, the names of the columns decide.
    """
    try:
        return recognised(source, grid, options).plan()
    except QuestionError:
        raise
    except InputError:
        plan = fallback(grid, options)
        if plan is None or plan.guessed:
            raise
        source.inspection = None
        return plan


def read_grid(
    source: Source,
    grid: Grid,
    options: Options,
    *,
    fast: Callable[[Plan], Rankings],
    whole: Callable[[], Grid],
    check: Callable[[Decision], None] | None = None,
    battles: Callable[[Decision], Rankings | None] | None = None,
) -> Rankings:
    """Read a table: the fast way where it means the same, else from its cells.

    Args:
        source: The file.
        grid: Its cells; the first of them for a large file.
        options: How to read it.
        fast: Reads a plain table by its columns.
        whole: Returns the grid of the whole file.
        check: Called before the cells are read.
        battles: Reads a large table of battles by its columns; None where it cannot.
    """
    try:
        with without_collecting():
            return _read_grid(source, grid, options, fast, whole, check, battles)
    except QuestionError:
        raise
    except InputError as error:
        if not any(hint.setting == "duplicates" for hint in error.hints):
            raise
        asked = Finding("question", "duplicates", error.message, error.line, hints=error.hints)
        raise QuestionError([asked], path=source.path) from None


@contextmanager
def without_collecting() -> Iterator[None]:
    """Look for no garbage: among many small lists that stay alive, it takes half the time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _read_grid(
    source: Source,
    grid: Grid,
    options: Options,
    fast: Callable[[Plan], Rankings],
    whole: Callable[[], Grid],
    check: Callable[[Decision], None] | None,
    battles: Callable[[Decision], Rankings | None] | None,
) -> Rankings:
    try:
        decision = recognised(source, grid, options)
    except QuestionError:
        if grid.whole or len(source.data) > _MOST_ASKED:
            raise
        # The beginning leaves a question open, which all rows may settle.
        grid = whole()
        decision = recognised(source, grid, options)
    except InputError as error:
        if grid.format == "excel":
            raise
        # The fast way names the place of a fault, and reads tables of nothing but empty cells.
        plan = fallback(grid, options)
        if plan is None:
            raise
        try:
            read = fast(plan)
        except InputError as fault:
            raise (error if plan.guessed and list(fault.hints) == [AS_LISTS] else fault) from None
        if plan.guessed:
            raise
        return read
    plan = decision.plan()
    rankings: Rankings | None = None
    voters: list[str] = []
    if plan is not None:
        try:
            rankings = fast(plan)
        except InputError:
            if grid.whole:
                raise
    elif battles is not None and not grid.whole:
        rankings = battles(decision)
    if rankings is None:
        if not grid.whole:
            decision = recognised(source, whole(), options)
        if check is not None:
            check(decision)
        rankings, voters = from_cells(source, decision)
    describe(source, decision, rankings, voters)
    return rankings


def from_cells(source: Source, decision: Decision) -> tuple[Rankings, list[str]]:
    """Make the rankings of a table from its cells; return them and the voters."""
    try:
        made = decision.assembled(source.duplicates)
        source.check_items(len(made.items))
        rankings = Rankings.from_arrays(
            made.items,
            *made.arrays,
            n_rankings=made.n_rankings,
            unranked=source.unranked or "unknown",
            voters=made.names,
        )
    except QuestionError:
        raise
    except InputError as error:
        raise source.error(error) from None
    if made.dropped.size:
        warn_of_repeats(made.dropped, source.path)
    return rankings, made.voters


def describe(
    source: Source, decision: Decision, rankings: Rankings, voters: Iterable[str] = ()
) -> None:
    """Complete the inspection with what was read, and give its warnings."""
    seen = inspection(decision, source.path, rankings.items, voters)
    seen.n_rankings = rankings.n_rankings
    if not seen.voters:
        column = decision.proposal.column("voter")
        if column is not None and decision.sheet.grid.whole and not decision.proposal.transposed:
            cells = (decision.sheet.cell(row, column).strip() for row in decision.sheet.rows)
            seen.voters = list(dict.fromkeys(cell for cell in cells if cell))
    if decision.proposal.layout not in ("battles", "matrix"):
        seen.findings += data_findings(
            rankings.items, rankings.lengths, decision.options, unranked=source.unranked
        )
    source.inspection = seen
    warn(source, seen.findings)


def warn(source: Source, findings: Iterable[Finding]) -> None:
    """Give the warnings among findings as Python warnings."""
    for finding in findings:
        if finding.kind == "warning":
            warnings.warn(
                InputWarning(finding.message, path=source.path, hints=finding.hints), stacklevel=3
            )


def check_width(source: Source, plan: Plan, line: int | None = None) -> None:
    """Refuse a wide table with too many items, before its ranks are read."""
    if plan.layout == "wide":
        source.check_items(len(plan.columns), line)


def rankings_of(source: Source, table: Table, *, named: bool = True) -> Rankings:
    """Return the rankings of a table; `named` keeps the names of the voters."""
    return Rankings.from_arrays(
        *table.arrays,
        n_rankings=table.n_rankings,
        unranked=source.unranked or "unknown",
        voters=table.named() if named else None,
    )


def make_rankings(
    source: Source,
    plan: Plan,
    column: Callable[[Any], Any],
    n_rows: int,
    line: Callable[[int], int] | None = None,
    hints: Iterable[Hint] = (),
    *,
    named: bool = True,
) -> Rankings:
    """Make rankings from the columns that a plan names, as the file is to be read.

    Args:
        source: The file.
        plan: What the columns hold.
        column: Returns the values of a column.
        n_rows: The number of rows.
        line: Returns the line of a row, where the file has lines.
        hints: Further settings that may help where the layout was only guessed.
        named: Whether to keep the names of the voters.
    """
    # Imported here: it needs polars, which takes longer to load than most files to read.
    from concordant.tables.building import build

    check_width(source, plan)
    try:
        table = build(plan, column, n_rows, duplicates=source.duplicates)
        rankings = rankings_of(source, table, named=named)
    except InputError as error:
        fault, at = error.message, None
        if isinstance(error, RowError) and line is not None:
            fault, at = error.fault, line(error.row)
        more = hints if isinstance(error, LayoutError) else ()
        raise source.error(fault, at, [*error.hints, *more]) from None
    if table.dropped.size:
        warn_of_repeats(table.dropped, source.path)
    return rankings
