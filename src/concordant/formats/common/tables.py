"""What the readers of tables share: their options, and rankings with the line of a faulty row."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from concordant.errors import InputError
from concordant.formats.common.source import Source
from concordant.merging import warn_of_repeats
from concordant.rankings import Rankings
from concordant.tables.columns import Plan, RowError

OPTIONS = ("layout", "voter", "item", "rank", "score", "weight")
# What to do about a file whose first line may be no header.
AS_LISTS = "pass layout='lists' where every row is a list of items, best first, without a header"
_NUMBER = re.compile(r"\s*[+-]?\d+([.,]\d*)?\s*", re.ASCII)


def check_header(plan: Plan, names: Sequence[str]) -> None:
    """Refuse a header of nothing but numbers, which may be a ranking."""
    if plan.guessed and plan.voter is None and all(_NUMBER.fullmatch(name) for name in names):
        raise InputError(
            "the first line holds only numbers, so it may be a ranking or name the items: put "
            "names above the columns, or pass layout='wide' where the numbers are the names; "
            f"{AS_LISTS}"
        )


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
) -> Rankings:
    """Make rankings from the columns that a plan names, as the file is to be read.

    Args:
        source: The file.
        plan: What the columns hold.
        column: Returns the values of a column.
        n_rows: How many rows there are.
        line: Returns the line of a row, where the file has lines.
    """
    # Imported here: it takes polars, which takes longer to load than most files to read.
    from concordant.tables.building import build

    check_width(source, plan)
    try:
        table = build(plan, column, n_rows, duplicates=source.duplicates)
        rankings = Rankings.from_arrays(
            *table.arrays, n_rankings=table.n_rankings, unranked=source.unranked or "unknown"
        )
    except RowError as error:
        if line is None:
            raise source.error(error.message) from None
        raise source.error(error.fault, line(error.row)) from None
    except InputError as error:
        raise source.error(error.message) from None
    if table.dropped.size:
        warn_of_repeats(table.dropped, source.path)
    return rankings


def first_line(error: BaseException) -> str:
    r"""Return the first line of what an error says.

    Example:
        >>> first_line(ValueError("one\ntwo"))
        'one'
    """
    return (str(error).splitlines() or [""])[0]
