"""What the readers of tables in markup share: cells that span others, headers, names, limits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from concordant.errors import Hint, InputError, SettingError, cut, show
from concordant.formats.common.book import Tab, few_names, read_book
from concordant.formats.common.lists import check_lists, read_lists
from concordant.formats.common.source import Source
from concordant.formats.common.tables import has_lists_in_cells, read_grid
from concordant.rankings import Rankings
from concordant.reading.ends import best_end, metric_end
from concordant.reading.grid import LONGEST_CELL, MOST_COLUMNS
from concordant.reading.options import Options
from concordant.tables.columns import Plan

# The largest number of rows that a cell may span, as in browsers.
_MOST_ROWS = 65_534
# Tables in cells of tables.
MOST_DEEP = 50
# A page with more tables holds something else.
MOST_TABLES = 1000
# Cells that spans may add to a table, besides some for each that is written.
_MOST_ADDED, _EACH = 200_000, 20
_LONGEST_NAME, _LONGEST_TITLE = 60, 1000
# Between the lines of a cell: they may be a list, or a text that was broken.
BREAK = "\v"


class Cell(NamedTuple):
    """A cell as it is written.

    Attributes:
        text: Its text.
        head: Whether it is marked as the head of a column or a row.
        columns: The number of columns that it spans.
        rows: The number of rows that it spans; 0 for all that follow.
    """

    text: str
    head: bool = False
    columns: int = 1
    rows: int = 1


@dataclass
class Marked:
    """A table as it is written.

    Attributes:
        rows: Its cells.
        caption: Its caption, or else the heading above it.
        titles: Texts beside it.
        heads: The number of header rows, where the file says so.
    """

    rows: list[list[Cell]] = field(default_factory=list)
    caption: str = ""
    titles: list[str] = field(default_factory=list)
    heads: int | None = None


def span_of(text: str, *, rows: bool = False) -> int:
    """Return the number of columns, or rows, that a cell spans, from its attribute."""
    digits = text.strip().lstrip("+")
    number = digits[: len(digits) - len(digits.lstrip("0123456789"))]
    if len(number) > 9 or int(number or 1) > (_MOST_ROWS if rows else MOST_COLUMNS):
        what, most = ("rows", _MOST_ROWS) if rows else ("columns", MOST_COLUMNS)
        raise InputError(f"a cell spans {cut(number, 12)} {what}: at most {most:,} are read")
    return int(number or 1) if rows else max(1, int(number or 1))


def check_columns(row: Sequence[Cell]) -> None:
    """Refuse a row with more cells than a table has columns."""
    if len(row) > MOST_COLUMNS:
        raise InputError(
            f"a row has more than {MOST_COLUMNS:,} columns: turn it into a long table "
            "(voter, item, rank)"
        )


def check_tables(tables: Sequence[Marked]) -> None:
    """Refuse a page with more tables than anybody writes."""
    if len(tables) > MOST_TABLES:
        raise InputError(f"there are more than {MOST_TABLES:,} tables")


# -- from cells that span others to a grid ---------------------------------------------------


class _Placed(NamedTuple):
    """A cell with its place: the first row and column, and those behind the last."""

    cell: Cell
    row: int
    column: int
    below: int
    right: int


def _place(rows: Sequence[Sequence[Cell]]) -> tuple[list[_Placed], int]:
    """Find the places of cells, as a browser does; return them and the number of columns."""
    written = sum(map(len, rows))
    found: list[_Placed] = []
    # The columns that cells from above take, and the row below them.
    taken: dict[int, int] = {}
    total = width = 0
    for at, row in enumerate(rows):
        taken = {column: below for column, below in taken.items() if below > at}
        total += len(taken)
        column = 0
        for cell in row:
            while column in taken:
                column += 1
            below = len(rows) if cell.rows == 0 else min(len(rows), at + cell.rows)
            right = column + cell.columns
            found.append(_Placed(cell, at, column, below, right))
            total += cell.columns
            if below > at + 1:
                taken.update(dict.fromkeys(range(column, right), below))
            column = right
            width = max(width, column)
            if total > _MOST_ADDED + _EACH * written:
                raise InputError("its cells span more columns and rows than can be meant")
            if width > MOST_COLUMNS:
                raise InputError(
                    f"a row has {width:,} columns; a table has at most {MOST_COLUMNS:,}: turn it "
                    "into a long table (voter, item, rank)"
                )
    return found, width


def expanded(table: Marked) -> tuple[list[list[str]], list[int], list[str]]:
    """Return the cells of a table, the numbers of its rows, and titles from its header.

    A cell that spans others is repeated in the body. In the header it stands once: in the lowest
    row that it spans, and in the first column.
    """
    for row in table.rows:
        longest = max((len(cell.text) for cell in row), default=0)
        if longest > LONGEST_CELL:
            raise InputError(
                f"a cell has {longest:,} characters, at most {LONGEST_CELL:,} are read: the mark "
                "at its end may be missing"
            )
    placed, _ = _place(table.rows)
    # Columns in which no cell begins repeat the one before.
    columns = sorted({each.column for each in placed})
    at = {column: k for k, column in enumerate(columns)}
    width = len(columns)
    grid = [[""] * width for _ in table.rows]
    groups: set[tuple[int, int]] = set()
    across: set[int] = set()
    heads = _heads(table, placed, width, at)
    for each in placed:
        covered = [at[k] for k in range(each.column, each.right) if k in at]
        text = each.cell.text
        if len(covered) == width > 1:
            # A title, a heading between the rows, or a remark below them.
            grid[each.row][0] = text
            across.add(each.row)
        elif each.row in heads:
            low = min(each.below, heads.stop) - 1
            if len(covered) > 1:
                groups.add((low, covered[0]))
            grid[low][covered[0]] = text.replace(BREAK, " ").replace("\n", " ")
        else:
            for number in range(each.row, each.below):
                for k in covered:
                    grid[number][k] = text
    _settle_breaks(grid, heads.stop)
    titles = _join_heads(grid, heads, groups)
    end = len(grid)
    while end > heads.stop and (end - 1 in across or not any(grid[end - 1])):
        end -= 1
        titles += [grid[end][0]] if grid[end][0] else []
    kept = [k for k, row in enumerate(grid[:end]) if any(row)]
    return [grid[k] for k in kept], [k + 1 for k in kept], titles


def _heads(table: Marked, placed: list[_Placed], width: int, at: dict[int, int]) -> range:
    """Return the rows of the header; titles across all columns may stand above."""
    rows = table.rows
    full = {p.row for p in placed if sum(p.column <= k < p.right for k in at) == width > 1}
    begin = 0
    while begin < len(rows) and (begin in full or not rows[begin]):
        begin += 1
    if table.heads is not None:
        return range(begin, max(begin, min(table.heads, len(rows))))
    end = begin
    while end < len(rows) and rows[end] and all(cell.head for cell in rows[end]):
        end += 1
    if end == len(rows):
        end = min(begin + 1, len(rows))
    first = [p for p in placed if p.row == begin]
    if any(p.cell.columns > 1 for p in first):
        # A cell above several others, beside cells that span both rows.
        end = max(end, *(p.below for p in first if p.column == 0), begin + 1)
    return range(begin, min(end, len(rows)))


def _settle_breaks(grid: list[list[str]], begin: int) -> None:
    """Read the lines of cells as lists where most of them stand in several cells of a column."""
    for k in range(len(grid[0]) if grid else 0):
        cells = [row[k] for row in grid[begin:] if row[k]]
        broken = [cell for cell in cells if BREAK in cell]
        parts = [{part.strip() for part in cell.split(BREAK)} for cell in broken]
        often = Counter(part for each in parts for part in each)
        shared = sum(often[part] > 1 for each in parts for part in each)
        is_list = 5 * len(broken) >= 3 * len(cells) and 5 * shared >= 3 * sum(map(len, parts))
        for row in grid:
            if BREAK in row[k]:
                row[k] = row[k].replace(BREAK, "\n" if is_list and broken else " ")


def _join_heads(grid: list[list[str]], heads: range, spanning: set[tuple[int, int]]) -> list[str]:
    """Make one header row of several, if its names then differ; return titles from the others.

    `spanning` has the places of cells above several columns.
    """
    if len(heads) < 2:
        return []
    last = heads[-1]
    for row in reversed(heads[:-1]):
        for k, text in enumerate(grid[row]):
            if text and not grid[last][k] and (row, k) not in spanning:
                # LaTeX has names in the upper row, above a cell without text.
                grid[last][k], grid[row][k] = text, ""
    *upper, lower = [grid[k] for k in heads]
    names = [name for name in lower if name]
    if len(set(names)) < len(names) or len(names) < len(lower) - (not lower[0]):
        return []
    texts = []
    for above in upper:
        groups = [k for k, text in enumerate(above) if text]
        # Groups with ends of their own: errors in some columns, shares in others.
        if len(groups) > 1 and any(best_end(above[k]) or metric_end(above[k]) for k in groups):
            head = ""
            for k, text in enumerate(above):
                head = text or head
                lower[k] = f"{head} {lower[k]}".strip()
        else:
            texts += [above[k] for k in groups]
        above[:] = [""] * len(above)
    return texts


# -- the tables of a file --------------------------------------------------------------------


class _Page:
    """The tables of a file in markup, as sheets of a workbook."""

    noun, picks = "table", False

    def __init__(self, source: Source, kind: str, tables: list[Tab]) -> None:
        self.source, self.format, self.tables = source, kind, tables

    def open(self, name: str | None) -> Tab:
        """Return a table, by its name or its number from 1."""
        if name is None:
            return self.tables[0]
        wanted = name.strip().casefold()
        for tab in self.tables:
            if tab.name == name:
                return replace(tab, others=[])
        for tab in self.tables:
            if tab.name.casefold() == wanted:
                return replace(tab, others=[])
        number = int(wanted) if wanted.isdecimal() and len(wanted) < 9 else 0
        if 0 < number <= len(self.tables):
            return replace(self.tables[number - 1], others=[])
        names = tuple(tab.name for tab in self.tables)
        raise self.source.error(
            f"there is no table {show(name)}: use its caption or its number, from 1 to "
            f"{len(self.tables)}",
            hints=[Hint("sheet", few_names(names))],
        )

    def read(self, tab: Tab, options: Options, given: dict[str, Any]) -> Rankings:
        """Read a table."""
        grid = tab.grid(self.format)
        grid.encoding = self.source.found_encoding
        if (
            options.layout == "lists"
            and not options.columns
            and not has_lists_in_cells(grid, options)
        ):
            check_lists({k: v for k, v in given.items() if k not in ("layout", "encoding")})
            return read_lists(self.source, list(zip(tab.numbers, tab.rows, strict=True)))
        return read_grid(self.source, grid, options, fast=_never, whole=lambda: grid)


def _never(plan: Plan) -> Rankings:
    raise InputError("this table is read from its cells")


def read_marked(
    source: Source, kind: str, tables: Sequence[Marked], sheet: Any, given: dict[str, Any]
) -> Rankings:
    """Read one of the tables of a file in markup, or all of them as one.

    Args:
        source: The file.
        kind: The name of its format.
        tables: Its tables, in the order of the file.
        sheet: The caption or the number of a table, if one was chosen.
        given: The options for tables.
    """
    if sheet is not None and (isinstance(sheet, bool) or not isinstance(sheet, str | int)):
        raise SettingError(f"sheet must be the caption or the number of a table, not {sheet!r}")
    found: list[Tab] = []
    for number, table in enumerate(tables, start=1):
        try:
            rows, numbers, titles = expanded(table)
        except InputError as error:
            which = f" ({show(cut(table.caption, 40))})" if table.caption else ""
            raise source.error(f"table {number}{which}: {error.message}") from None
        if len(rows) < 2 or max(sum(map(bool, row)) for row in rows) < 2:
            # It only puts something in its place on the page.
            continue
        texts = (*table.titles, *([table.caption] if table.caption else []), *titles)
        texts = tuple(dict.fromkeys(text for text in texts if len(text) <= _LONGEST_TITLE))
        name = cut(" ".join(table.caption.split()), _LONGEST_NAME)
        found.append(Tab(name, "", rows, numbers, texts))
    if not found:
        raise source.error("there is no table with two rows and two columns or more")
    _name(found)
    first = found[0]
    first.others = [tab.name for tab in found[1:]]
    return read_book(
        source, _Page(source, kind, found), None if sheet is None else str(sheet), given
    )


def _name(tables: list[Tab]) -> None:
    """Name tables by their captions, or else by their numbers; no two names are the same."""
    used: set[str] = set()
    for number, tab in enumerate(tables, start=1):
        name, again = tab.name or str(number), 1
        while name in used:
            again += 1
            name = f"{tab.name or number} ({again})"
        tab.shown = f"table {show(name)}" if tab.name else f"table {number}"
        tab.name = name
        used.add(name)
