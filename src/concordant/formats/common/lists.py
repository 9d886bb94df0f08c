"""`layout="lists"`: tables without a header, whose rows are lists of items, best first.

Rows may differ in length. Cells are names without the blanks around them; empty cells are skipped.
If no row has more than one cell, and some contain `>` or `=`, the cells are ballots: `A>B=C`.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

from concordant.errors import SettingError
from concordant.formats.common.source import Source
from concordant.formats.common.text import Ballots, read_order
from concordant.rankings import Rankings

# A row of a table: its number, for errors, and its cells.
Row = tuple[int, list[str]]


def check_lists(options: dict[str, Any]) -> None:
    """Refuse options that name a column, because the table has no header.

    Example:
        >>> check_lists({})
    """
    for role in options:
        raise SettingError(
            f"{role} names a column, but a table with layout lists has no header", setting=role
        )


def read_lists(source: Source, rows: Iterable[Row]) -> Rankings:
    """Make rankings from rows of cells, each row a ranking."""
    filled = []
    for number, cells in rows:
        names = [cell.strip() for cell in cells]
        names = [name for name in names if name]
        if names:
            filled.append((number, names))
    if not filled:
        raise source.error("there is no ranking")
    single = all(len(names) == 1 for _, names in filled)
    are_ballots = single and any(">" in names[0] or "=" in names[0] for _, names in filled)
    index: dict[str, int] = {}

    def find(name: str) -> int:
        return index.setdefault(name, len(index))

    ballots = Ballots(source)
    for number, names in filled:
        if are_ballots:
            ballots.add(read_order(source, names[0], number, find), 1, number)
            continue
        seen: set[int] = set()
        for name in names:
            source.check_once(find(name), seen, name, number)
        ballots.add([[find(name)] for name in names], 1, number)
    return ballots.rankings(list(index))


def split_lines(source: Source, separators: Iterable[str]) -> Iterator[Row]:
    """Yield the records of a CSV file; its most frequent separator splits them."""
    text = source.text

    def found(separator: str) -> int:
        return text.count(separator, 0, 2**16)

    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=max(separators, key=found),
        skipinitialspace=True,
        strict=True,
    )
    # A record with line ends inside quotation marks is named by its first line.
    line = 1
    try:
        for cells in reader:
            yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        raise source.error(f"not CSV: {error}", line) from None
