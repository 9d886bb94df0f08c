"""What the readers of tables share: the check of the header, and errors that name a line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from concordant.errors import Hint, InputError
from concordant.formats.common.source import Source
from concordant.merging import warn_of_repeats
from concordant.rankings import Rankings
from concordant.tables.columns import LayoutError, Plan, RowError, plan_columns

# For a file whose first line may not be a header.
AS_LISTS = Hint("layout", ("lists",), "if every row lists items, best first, without a header")
_NUMBER = re.compile(r"\s*[+-]?\d+([.,]\d*)?\s*", re.ASCII)


def plan_header(names: Sequence[str], **options: Any) -> Plan:
    """Plan the columns, and refuse a header of numbers only, which may be a ranking."""
    plan = plan_columns(names, **options)
    if plan.guessed and plan.voter is None and all(_NUMBER.fullmatch(name) for name in names):
        raise InputError(
            "the first line holds only numbers: it may be a ranking, or name the items",
            hints=[Hint("layout", ("wide",), "if the numbers are the names of items"), AS_LISTS],
        )
    return plan


def check_width(source: Source, plan: Plan, line: int | None = None) -> None:
    """Refuse a wide table with too many items, before its ranks are read."""
    if plan.layout == "wide":
        source.check_items(len(plan.columns), line)


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
        rankings = Rankings.from_arrays(
            *table.arrays,
            n_rankings=table.n_rankings,
            unranked=source.unranked or "unknown",
            voters=table.named() if named else None,
        )
    except InputError as error:
        fault, at = error.message, None
        if isinstance(error, RowError) and line is not None:
            fault, at = error.fault, line(error.row)
        more = hints if isinstance(error, LayoutError) else ()
        raise source.error(fault, at, [*error.hints, *more]) from None
    if table.dropped.size:
        warn_of_repeats(table.dropped, source.path)
    return rankings
