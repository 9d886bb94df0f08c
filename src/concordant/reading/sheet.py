"""A grid prepared for recognition: title rows, header rows, totals and empty columns set apart."""

from __future__ import annotations

import re
from collections import Counter
from statistics import median

from concordant.errors import Hint, InputError, cut, show
from concordant.reading.cells import (
    GROUPED,
    Column,
    Style,
    decimal_mark,
    is_missing,
    is_stamp,
    number,
)
from concordant.reading.ends import SHARES, best_end, goal_end
from concordant.reading.findings import Finding
from concordant.reading.grid import SEPARATORS, Grid
from concordant.reading.headers import clear_diagonal, join_groups, join_names, leave_out_sections
from concordant.reading.levels import read_levels
from concordant.reading.lexicon import UNITS
from concordant.reading.options import Options
from concordant.reading.results import read_goals
from concordant.reading.scripts import bracketed
from concordant.reading.totals import leave_out_totals
from concordant.reading.words import key, place_of, role_of, tokens

_LEGEND = re.compile(r"(.*\S)\s*(\([^()]*\))")
_REMARK = re.compile(
    r"\*|†|n\s*=|\(|(?:source|notes?|remarks?|quelle|hinweis|anmerkung|remarque|nota|fuente|fonte|bron)\b"
    # A legend, "NM = no mark", or a remark, "Judges: E Pohl, H Sommer".
    r"|[^=]{1,20}\s=\s?[^\W\d]|[^\W\d][^:\d]{2,30}:\s\S+\s\S+",
    re.IGNORECASE,
)
# "Total valid: 78", "Spoilt ballots = 2".
_TALLY = re.compile(r"[^\W\d][^:=;]{2,30}[:=]\s?\d[\d.,' ]*%?$")
_LEGEND_TEXT = re.compile(r"\b\d{1,3}\s?=\s?[^\W\d]{2}")
# The digits of a number with commas, before a unit.
_AMOUNT = re.compile(r"[+-]?\d+(?:,\d+)+(?:\.\d+)?")
# A comment, and not the number of a row or a place.
_COMMENT = re.compile(r"\s*(?:#|//|%)\s*[^\W\d]")
# Between a question and an item, in the names of columns; the last one stands behind the item.
_MARKS = (" - ", " – ", ": ", " >> ", " | ", ":")
_MOST_TITLES = 10
_MOST_FOOTERS = 40
# Rows of a small table above another one.
_MOST_HEADS = 3
# Of longer tables, the first rows show where the header is.
_LONG = 2000


class Sheet:
    """A table with its header, its columns and the rows that count.

    Attributes:
        grid: The grid it was made from.
        options: How to read it.
        style: How its cells are written.
        header: The index of the header row in the grid; None without one.
        rows: The indices of the rows of the body in the grid.
        names: The names of the columns.
        columns: The columns.
        findings: What was passed over.
        changed: Whether rows were left out, or names changed, besides blank rows.
        written: Whether the names of the columns are those that this package writes.
        goals: The best end of each column, where a row below the header says it.
        summed: Whether a row that was left out adds up the columns, with different results.
        questions: The text before the brackets of each column `Question [Item]`.
        passed: Columns that a group has besides the one that is read.
        groups: The name of each column below a group, where all groups have the same columns.
    """

    def __init__(self, grid: Grid, options: Options) -> None:
        self.grid, self.options = grid, options
        self.findings: list[Finding] = []
        self.changed = False
        self.titles: list[str] = []
        self.questions: dict[int, str] = {}
        self.passed: set[int] = set()
        self.groups: dict[int, str] = {}
        rows = [
            k
            for k, row in enumerate(grid.rows)
            # A row of a frame without any value is an empty ballot.
            if grid.header or any(cell.strip() for cell in row)
        ]
        rows = self._skip(rows)
        if options.header is None and not grid.header:
            rows = self._without_comments(rows)
        if not rows:
            raise InputError("the table is empty")
        self.header: int | None
        if options.header is not None:
            self.header = self._chosen_header(rows, options.header)
            self.rows = rows if self.header is None else [k for k in rows if k > self.header]
            self.changed = True
        else:
            rows = self._without_titles(rows)
            rows = self._without_level(rows)
            self.header = rows[0] if grid.header or self._has_header(rows) else None
            self.rows = rows if self.header is None else rows[1:]
            self._leave_out_footers()
            self._leave_out_repeats()
        width = max(len(grid.rows[k]) for k in rows)
        self.names = [""] * width if self.header is None else _padded(grid.rows[self.header], width)
        if self.header is not None and options.header is None and not grid.header:
            join_groups(self)
            self._join_headers()
            self._name_rows()
        if not self.rows:
            raise InputError(
                f"there is no row below the header, which has {len(self.names)} "
                f"column{'s'[: len(self.names) != 1]}",
                line=self.line(self.header),
                hints=[Hint("layout", ("lists",), "if this row lists items, best first")],
            )
        self._check_widths()
        self.goals: dict[int, str] = {}
        self.summed = False
        if self.header is not None and not grid.header:
            self._read_goals()
        # As this package writes tables: nothing is guessed.
        self.written = self.names[:3] == ["voter", "item", "rank"] or (
            self.names[:1] == ["voter"] and self.names[1:2] in (["count"], ["weight"])
        )
        sections = leave_out_sections(self)
        self._make_columns(width)
        join_names(self)
        if sections:
            self.columns.append(Column(width, "", sections, self.style))
            self.names.append("")
        if not self.written:
            clear_diagonal(self)
            self._strip_questions()
            leave_out_totals(self)
            read_levels(self)

    # -- access ----------------------------------------------------------------------------

    def cell(self, row: int, column: int) -> str:
        """Return a cell of the grid; "" beyond the end of a row."""
        cells = self.grid.rows[row]
        return cells[column] if column < len(cells) else ""

    def line(self, row: int | None) -> int | None:
        """Return the line of a row of the grid."""
        return None if row is None else self.grid.lines[row]

    @property
    def texts(self) -> list[Column]:
        """The columns of text."""
        return [column for column in self.columns if column.kind == "text"]

    def note(self, code: str, message: str, *, warning: bool = False, **place: object) -> None:
        """Add a note or a warning."""
        kind = "warning" if warning else "note"
        self.findings.append(Finding(kind, code, message, **place))  # type: ignore[arg-type]

    # -- rows ------------------------------------------------------------------------------

    def _skip(self, rows: list[int]) -> list[int]:
        skipped = self.options.skip_rows
        if not skipped:
            return rows
        numbers = {int(str(each)) for each in skipped if str(each).strip().isdecimal()}
        words = {str(each).strip().casefold() for each in skipped}

        def first(k: int) -> str:
            return next((c.strip().casefold() for c in self.grid.rows[k] if c.strip()), "")

        self.changed = True
        return [k for k in rows if self.grid.lines[k] not in numbers and first(k) not in words]

    def _chosen_header(self, rows: list[int], line: int) -> int | None:
        if line == 0:
            return None
        for k in rows:
            if self.grid.lines[k] == line:
                return k
        raise InputError(f"there is no row {line}, or it is empty: choose another header")

    def _without_comments(self, rows: list[int]) -> list[int]:
        """Leave out lines above the table that begin with #; the last may be its header."""
        n = 0
        while n < min(len(rows) - 2, _MOST_TITLES) and _COMMENT.match(self.cell(rows[n], 0)):
            n += 1
        if n and len(self.grid.rows[rows[n - 1]]) == len(self.grid.rows[rows[n]]):
            style = Style()
            below = [cell for cell in self.grid.rows[rows[n]][1:] if cell.strip()]
            # "#gene" above values.
            n -= any(number(cell, style) is not None for cell in below) or not below
        if n <= 0:
            return rows
        mark = self.grid.separator or ","
        self.titles = [mark.join(self.grid.rows[k]).strip(f"{mark}# ") for k in rows[:n]]
        self.changed = True
        self.note(
            "title-rows", f"comments above the header left out: {show(cut(self.titles[0], 40))}"
        )
        return rows[n:]

    def _without_titles(self, rows: list[int]) -> list[int]:
        """Leave out rows of one cell above a table of several columns, or a head of its own."""
        rows = self._without_head(rows)
        filled = [sum(bool(cell.strip()) for cell in self.grid.rows[k]) for k in rows[:_LONG]]
        usual = median(filled)
        titles = 0
        while titles < min(_MOST_TITLES, len(rows) - 2) and (
            filled[titles] == 1 or self._is_heading(rows, titles, usual)
        ):
            titles += 1
        following = filled[titles] if titles < len(filled) else 0
        if not titles or usual < 2 or following < 2 or (usual < 3 and following < 3 and titles > 3):
            return rows
        body = {cell.strip() for k in rows[titles:] for cell in self.grid.rows[k]}
        cells = [[c.strip() for c in self.grid.rows[k] if c.strip()] for k in rows[:titles]]
        texts = [" ".join(each) if len(each) == 2 else each[0] for each in cells]
        if any(text in body or number(text, Style()) is not None for text in texts):
            return rows
        self.titles += texts
        self.changed = True
        self.note(
            "title-rows",
            f"{'row' if titles == 1 else 'rows'} above the header left out: "
            f"{show(cut(texts[0], 40))}{', …' if titles > 1 else ''}",
            row=self.grid.lines[rows[0]],
        )
        return rows[titles:]

    def _without_head(self, rows: list[int]) -> list[int]:
        """Leave out a small table above a blank row, which describes the one below it.

        Both have a header, with other names, and the one below has several rows.
        """
        blank = [
            k
            for k in range(2, min(len(rows) - 2, _MOST_TITLES))
            if self.grid.lines[rows[k]] > self.grid.lines[rows[k - 1]] + 1
        ]
        for k in blank[:1]:
            *above, names = [[c.strip() for c in self.grid.rows[row]] for row in rows[: k + 1]]
            wide = [row for row in above if sum(map(bool, row)) > 1]
            cells = {cell.strip() for row in rows[k + 1 :] for cell in self.grid.rows[row]}
            ranked = {role_of(name) for name in names} & {"rank", "score", "low score", "voter"}
            apart = wide[:1] != [names] and not {c for row in wide[1:] for c in row if c} & cells
            texts = all(number(name, Style()) is None and not is_stamp(name) for name in names)
            short = 0 < len(wide) <= min(_MOST_HEADS, len(rows) - k - 1)
            if short and ranked and apart and texts:
                self.changed = True
                self.note("title-rows", f"rows above row {self.line(rows[k])} left out")
                return rows[k:]
        return rows

    def _without_level(self, rows: list[int]) -> list[int]:
        """Leave out the first header row of a pivot: one word for all values, `score`."""
        if len(rows) < 4 or self.grid.header:
            return rows
        first, second = (self.grid.rows[k] for k in rows[:2])
        words = {cell.strip() for cell in first[1:]}
        if (
            first[:1] not in ([""], [" "])
            or len(words) != 1
            or len(first) < 3
            or len(set(second)) < len(first)
            or number(next(iter(words)), Style()) is not None
        ):
            return rows
        self.titles += words
        self.changed = True
        self.note("header-rows", f"the row above the header is left out: {show(first[1])}")
        return rows[1:]

    def _name_rows(self) -> None:
        """Take the name of the rows of a pivot from a line of its own below the header."""
        if self.header is None or len(self.rows) < 3:
            return
        cells = [cell.strip() for cell in self.grid.rows[self.rows[0]]]
        below = [cell.strip() for cell in self.grid.rows[self.rows[1]]]
        numbers = sum(number(cell, Style()) is not None for cell in below[1:])
        if cells[:1] == [""] or any(cells[1:]) or not _is_alpha(cells[0]) or numbers < 2:
            return
        if role_of(cells[0]) in ("item", "voter", "name") and len(cells) > 2:
            if self.names[0].strip():
                self.titles.append(self.names[0].strip())
            self.names[0] = cells[0]
            self.rows = self.rows[1:]
            self.changed = True
            self.note("header-rows", f"the rows are named by {show(cells[0])}")

    def _leave_out_repeats(self) -> None:
        """Leave out the header where it is repeated further down, as on printed pages."""
        if self.header is None or self.grid.header:
            return
        head = [cell.strip() for cell in self.grid.rows[self.header]]
        first = head[0]
        again = [
            k
            for k in self.rows
            if self.cell(k, 0).strip() == first
            and [cell.strip() for cell in self.grid.rows[k]] == head
        ]
        if again and len(head) > 1 and len(again) < len(self.rows):
            self.rows = [k for k in self.rows if k not in set(again)]
            self.changed = True
            self.note("header-again", f"the header again in row {self.line(again[0])} is left out")

    def _leave_out_footers(self) -> None:
        """Leave out remarks below the table: rows of one cell, after a blank row or with a mark."""
        last = self.rows[-_MOST_FOOTERS:]
        filled = {k: [c.strip() for c in self.grid.rows[k] if c.strip()] for k in last}
        if len(self.rows) < 3 or median(len(cells) for cells in filled.values()) < 2:
            return
        end = len(self.rows)
        begin = max(2, len(self.rows) - len(last))
        most = max(1, int(median(len(cells) for cells in filled.values()) / 2))
        while end > begin and self._may_be_remark(filled[self.rows[end - 1]], most):
            end -= 1
        body = {c.strip() for k in self.rows[:end] for c in self.grid.rows[k]}
        for place in range(end, len(self.rows)):
            row = self.rows[place]
            text = filled[row][0]
            # A spreadsheet does not keep its blank rows.
            blank = row - 1 not in filled or self.grid.lines[row] > self.grid.lines[row - 1] + 1
            tally = _TALLY.match(text) and self._is_below_numbers(end, row)
            tally = tally or (" " in text and self._is_below_numbers(end, row))
            marked = bool(_REMARK.match(text) or tally) and len(filled[row]) == 1
            # "1 = never, 5 = always": a comma splits the legend.
            marked = marked or (len(text) > 12 and bool(_LEGEND_TEXT.search(text)))
            # A list that is longer than the others goes on below a blank row.
            remark = blank and " " in text and text not in body
            remark = remark and not any(c.strip() for c in self.grid.rows[row][2:])
            if number(text, Style()) is None and (remark or marked):
                self.note(
                    "footer", f"row {self.line(row)} and below left out: {show(cut(text, 40))}"
                )
                below = [", ".join(filled[k]) for k in self.rows[place:]]
                self.titles += [c for c in below if best_end(c) or SHARES & set(tokens(c))]
                self.rows = self.rows[:place]
                self.changed = True
                return

    def _is_below_numbers(self, end: int, row: int) -> bool:
        """Return whether the only cell of a row stands in a column of numbers."""
        column = next(k for k, cell in enumerate(self.grid.rows[row]) if cell.strip())
        above = [cell for each in self.rows[1:end] if (cell := self.cell(each, column).strip())]
        numbers = sum(number(cell, Style()) is not None for cell in above)
        return 2 * numbers > len(above)

    @staticmethod
    def _may_be_remark(cells: list[str], most: int) -> bool:
        """Return whether a row holds one text, or a text with commas that split it."""
        return len(cells) == 1 or (
            0 < len(cells) <= most and all(number(cell, Style()) is None for cell in cells)
        )

    def _is_heading(self, rows: list[int], k: int, usual: float) -> bool:
        """Return whether a row with few cells stands above the header: merged heads, or a date."""
        cells = self.grid.rows[rows[k]]
        filled = [cell.strip() for cell in cells if cell.strip()]
        if len(filled) == 2 and (is_stamp(filled[1]) or filled[0].endswith(":")):
            # "Date", "14.03.2025" above a wider table.
            below = [self.grid.rows[row] for row in rows[k + 1 : k + _MOST_TITLES]]
            return all(map(str.strip, cells[:2])) and any(
                sum(bool(cell.strip()) for cell in row) > 2 for row in below
            )
        if len(filled) > usual / 2 or len(filled) > max(2, usual / 3) or usual < 3:
            return False
        style = Style()
        # Below, a full row of names, then rows with numbers or other values.
        for row in rows[k + 1 : k + _MOST_TITLES]:
            names = [cell.strip() for cell in self.grid.rows[row] if cell.strip()]
            if len(names) >= 0.75 * usual:
                break
        else:
            return False
        if any(number(name, style) is not None for name in names) or len(set(names)) < len(names):
            return False
        body = [c for each in rows if each > row for c in self.grid.rows[each][1:] if c.strip()]
        numbers = sum(number(cell, style) is not None for cell in body)
        return 2 * numbers > len(body) and not (cells[0].strip() and len(filled) > 2)

    def _has_header(self, rows: list[int]) -> bool:
        """Return whether the first row names the columns."""
        first = [cell.strip() for cell in self.grid.rows[rows[0]] if cell.strip()]
        if len(rows) == 1:
            return True
        style = Style()
        if all(number(cell, style) is not None for cell in first):
            # May be a ranking, or name the items: asked later.
            return True
        body = Counter(cell.strip() for k in rows[1:] for cell in self.grid.rows[k])
        known = sum(cell in body for cell in first)
        named = any(role_of(cell) or place_of(cell) for cell in first if cell not in body)
        names = [cell for cell in first if number(cell, style) is None]
        cells = [cell for k in rows[1:1000] for cell in self.grid.rows[k][1:] if cell.strip()]
        valued = (number(cell, style) is not None or read_goals(cell) for cell in cells)
        if sum(map(bool, valued)) > len(cells) / 2:
            # A square matrix has its names in the first column, and numbers elsewhere.
            return True
        labels = {self.cell(k, 0).strip() for k in rows[1:]}
        if not self.cell(rows[0], 0).strip() and len(first) > 2 and set(first) <= labels:
            # A square grid of names.
            return True
        if len(first) > 1 and known == len(first):
            return False
        if named:
            return True
        # A list whose first cell is the voter or a number, or one with an item of its own.
        return not (len(first) > 2 and known >= len(first) - 1 and len(names) >= known)

    def _join_headers(self) -> None:
        """Join the header rows of survey exports: a question above, the items below."""
        for depth in (0, 1):
            if depth < len(self.rows):
                cells = [c for c in self.grid.rows[self.rows[depth]] if c.strip()]
                marked = sum("ImportId" in cell for cell in cells)
                if cells and marked > len(cells) / 2:
                    # Qualtrics: codes, then names, then these marks.
                    if depth:
                        self.names = _padded(self.grid.rows[self.rows[0]], len(self.names))
                    self.rows = self.rows[depth + 1 :]
                    self.changed = True
                    self.note("header-rows", f"{depth + 2} header rows read as one")
                    return
        if len(self.rows) < 2:
            return
        second = _padded(self.grid.rows[self.rows[0]], len(self.names))
        style = Style()
        # Columns without a name whose name stands in the second row, above numbers.
        bare = [
            k
            for k, name in enumerate(self.names)
            if not name.strip() and second[k].strip() and number(second[k], style) is None
        ]
        begin = [k - 1 for k in bare if k and k - 1 not in bare and second[k - 1].strip()]
        if not bare or (len(bare) < 2 and not begin):
            return
        below = [self.cell(row, k) for row in self.rows[1:] for k in bare]
        given = [cell for cell in below if not is_missing(cell, style)]
        texts = sum(number(cell, style) is None and place_of(cell) is None for cell in given)
        others = [c for k, c in enumerate(second) if c.strip() and k not in {*bare, *begin}]
        if texts > 0.2 * len(given) or any(number(cell, style) is not None for cell in others):
            return
        for k in bare:
            self.names[k] = second[k]
        for k in begin:
            self.titles.append(self.names[k])
            self.names[k] = second[k]
        self.rows = self.rows[1:]
        self.changed = True
        self.note("header-rows", "2 header rows read as one")

    def _read_goals(self) -> None:
        """Read rows of units and of goals, min and max, below the header."""
        for _ in range(2):
            cells = [
                cell.strip() for cell in _padded(self.grid.rows[self.rows[0]], len(self.names))
            ]
            given = {k: cell for k, cell in enumerate(cells) if k and cell}
            ends = {k: _goal(cell) for k, cell in given.items()}
            if len(self.rows) < 3 or len(given) < 2:
                return
            if all(ends.values()):
                self.goals = {k: end for k, end in ends.items() if end is not None}
            elif key(cells[0]) not in UNITS or any(
                number(cell, Style()) is not None for cell in given.values()
            ):
                return
            row = self.rows.pop(0)
            self.changed = True
            what = "goals" if all(ends.values()) else "units"
            self.note("header-rows", f"row {self.line(row)} holds the {what} of the columns")

    def _check_widths(self) -> None:
        """Refuse rows with more values than the header, whose values may stand in wrong columns."""
        if self.header is None or self.grid.separator is None:
            return
        width = len(self.grid.rows[self.header])
        for row in self.rows:
            cells = self.grid.rows[row]
            if len(cells) > width and any(cell.strip() for cell in cells[width:]):
                raise InputError(
                    f"this row has {len(cells)} values and the header {width}, separated by "
                    f"{SEPARATORS.get(self.grid.separator, self.grid.separator)}s",
                    line=self.line(row),
                    hints=[Hint("layout", ("lists",), "if every row lists items, best first")],
                )

    # -- columns ---------------------------------------------------------------------------

    def _make_columns(self, width: int) -> None:
        options = self.options
        decimal, grouped = options.decimal, False
        if decimal is None:
            comma = self.grid.separator == ","
            sample = [
                c for k in self.rows[:2000] for c in self.grid.rows[k] if "," in c or "." in c
            ]
            decimal = "." if comma and not sample else decimal_mark(sample)
            if comma and decimal == ",":
                # Between commas, a quoted 1,204 is a thousand.
                commas = [
                    c.strip() for c in sample if "," in c and number(c, Style(",")) is not None
                ]
                grouped = all(GROUPED.fullmatch(cell) for cell in commas)
                decimal = "." if grouped else decimal
            elif not grouped:
                # "1,204 ms" beside "212 ms".
                found = [match[0] for c in sample if (match := _AMOUNT.match(c.strip()))]
                grouped = bool(found) and all(
                    GROUPED.fullmatch(text) and not text.startswith("0") for text in found
                )
        loose = options.decimal is None and not grouped and self.grid.separator != ","
        self.style = Style(decimal, options.missing, grouped, loose)
        self.columns: list[Column] = []
        ignored = {options.find(name, self.names, "ignore") for name in options.ignore}
        for k in range(width):
            cells = [self.cell(row, k) for row in self.rows]
            name = self.names[k]
            blank = not name.strip() and not any(cell.strip() for cell in cells)
            if blank and not self.written:
                continue
            match = bracketed(name)
            if match and match[1].strip() and place_of(match[2]) is None:
                self.questions[k] = match[1].strip()
            column = Column(k, name, cells, self.style)
            if k in ignored | self.passed:
                column.role = "ignored"
            self.columns.append(column)

    def _strip_questions(self) -> None:
        """Name items by what follows the question: `Question [Item]`, `Question - Item`."""
        groups: dict[str, list[Column]] = {}
        for column in self.columns:
            if column.index in self.questions:
                groups.setdefault(self.questions[column.index], []).append(column)
        if not groups:
            items = next(filter(None, map(self._asked, _MARKS)), {})
        else:
            groups = {head: found for head, found in groups.items() if len(found) > 1}
            kept = {column.index for found in groups.values() for column in found}
            self.questions = {k: head for k, head in self.questions.items() if k in kept}
            items = {}
            for column in self.columns:
                match = bracketed(column.name)
                if column.index in self.questions and match:
                    items[column.index] = match[2].strip()
        for column in self.columns:
            if column.index in items:
                column.name = items[column.index]
                self.changed = True
        self._strip_legends()

    def _asked(self, mark: str) -> dict[int, str]:
        """Find questions before or behind a mark that several columns share; return the items."""
        parts = {}
        for column in self.columns:
            head, found, item = column.name.rpartition(mark)
            if mark == ":":
                item, _, head = column.name.partition(mark)
            # Words above words, which may be levels of a scale.
            head, item = head.strip(), item.strip()
            worded = len(head.split()) > 2 and column.filled
            worded = worded and (column.numeric or not (place_of(item) or item.isdecimal()))
            if found and item and (worded or (mark == " - " and len(head) > 3 and column.numeric)):
                parts[column.index] = head, item
        often = Counter(head for head, _ in parts.values())
        parts = {k: each for k, each in parts.items() if often[each[0]] > 1}
        self.questions = {k: head for k, (head, _) in parts.items()}
        return {k: item for k, (_, item) in parts.items()}

    def _strip_legends(self) -> None:
        """Name items by what precedes a legend that all have: `Pool (1 = bad, 5 = good)`."""
        groups: dict[str, list[Column]] = {}
        for column in self.columns:
            match = _LEGEND.fullmatch(column.name.strip())
            if match and column.numeric and "=" in match[2] and best_end(match[2]):
                groups.setdefault(match[2], []).append(column)
        for legend, found in groups.items():
            if len(found) > 1:
                self.titles.append(legend)
                self.changed = True
                for column in found:
                    column.name = column.name.strip()[: -len(legend)].strip()


def _goal(cell: str) -> str | None:
    """Return the best end that a cell of a row of goals names; 9/10 is none."""
    return None if any(c.isdecimal() for c in cell) else goal_end(cell) or best_end(cell)


def _is_alpha(text: str) -> bool:
    return text.replace("_", "").replace(" ", "").isalpha()


def _padded(row: list[str], width: int) -> list[str]:
    return [*row, *([""] * (width - len(row)))]
