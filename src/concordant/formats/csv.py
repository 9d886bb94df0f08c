"""`csv`: a table with a header, long or wide or a column per rank; also `.tsv`, with tabs.

polars takes longer to load than most files to read, so functions import it when they run.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Collection, Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._files import reason
from concordant._reading import options_of
from concordant._types import Int64
from concordant.errors import InputError
from concordant.formats.common.battles import battle_columns, read_battle_columns
from concordant.formats.common.lists import check_lists, read_lists, split_lines
from concordant.formats.common.registry import LIKELY, MAYBE, NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import (
    AS_LISTS,
    check_width,
    has_lists_in_cells,
    make_rankings,
    rankings_of,
    read_grid,
)
from concordant.formats.text import check_kind, text_lists
from concordant.formatting import counted
from concordant.rankings import Rankings
from concordant.reading.aligned import split_aligned
from concordant.reading.console import Console, read_console
from concordant.reading.decide import Decision
from concordant.reading.findings import Inspection
from concordant.reading.grid import (
    SEPARATORS,
    Grid,
    NotCsvError,
    find_separator,
    is_markdown,
    is_rule,
    split,
    without_boxes,
)
from concordant.reading.marks import without_marks
from concordant.reading.options import make_options
from concordant.tables.columns import Plan

if TYPE_CHECKING:
    import polars as pl

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
# The number of bytes that are searched for the separator, and from which the layout of a large
# file is found.
SAMPLE = 2**16
# Files of more bytes are large; the end of a large file may hold totals.
_LARGE, _TAIL = 2**18, 4096
# The first bytes of a large file show what it means, if they have enough rows.
_FIRST, _FEW = 2**14, 300
_SEP_LINE = re.compile(r"\s*sep=(.)\r?\n", re.IGNORECASE)


def read_csv(source: Source, **given: Any) -> Rankings:
    """Read a table; `given` are the options of `concordant.read` for tables.

    Values are separated by commas, semicolons, tabs or bars, whichever the file uses. Names are
    kept as they are in the file, with blanks and leading zeros. Blank lines are skipped.
    """
    options = make_options(given)
    source.encoding = options.encoding
    if (
        options.layout == "lists"
        and not options.columns
        and not has_lists_in_cells(make_grid(source), options)
    ):
        return _read_rows(source, given)
    check_kind(source, source.data[:4096])
    in_lists = options.layout in (None, "lists") and console_of(source) is None
    lists = text_lists(source, options) if in_lists else None
    if lists is not None:
        return lists

    def fast(plan: Plan) -> Rankings:
        table = CsvFile(source)
        plan = plan.renamed({name.replace("\r\n", "\n"): name for name in table.names})
        check_width(source, plan, table.line(-1))
        frame = table.read(plan.used, plan.numeric, guessed=plan.guessed)
        return make_rankings(source, plan, frame.get_column, len(frame), table.line, [AS_LISTS])

    def battles(decision: Decision) -> Rankings | None:
        columns = battle_columns(decision)
        if columns is None:
            return None
        table = CsvFile(source)
        frame = table.read(columns.values())
        found = read_battle_columns(decision, columns, frame.get_column, len(frame))
        return None if found is None else rankings_of(source, found)

    return read_grid(
        source,
        make_grid(source),
        options,
        fast=fast,
        whole=lambda: make_grid(source, whole=True),
        battles=battles,
    )


def console_of(source: Source, text: str | None = None) -> Console | None:
    """Return the table in the output of a console; None for other files."""
    if text is None and len(source.data) > SAMPLE:
        return None
    try:
        return read_console(source.text if text is None else text)
    except InputError as error:
        raise source.error(error) from None


def _read_rows(source: Source, given: dict[str, Any]) -> Rankings:
    """Read rows without a header, each a list of items."""
    for name in given:
        if name not in ("layout", "encoding", "names", "missing"):
            check_lists({name: given[name]})
    separators = ["\t"] if _is_tabbed(source.path) else list(_SEPARATORS)
    rankings = read_lists(source, split_lines(source, separators))
    source.inspection = Inspection(
        source.path,
        "csv",
        source.found_encoding,
        layout="lists",
        items=list(rankings.items),
        n_rankings=rankings.n_rankings,
    )
    return rankings


def end_of_beginning(data: bytes) -> int:
    """Return where the rows end that show what a file means: all of it, if it is short.

    The result is negative if no line of a longer file ends there.
    """
    if len(data) <= SAMPLE:
        return len(data)
    end = data.rfind(b"\n", 0, _FIRST)
    if data.count(b"\n", 0, max(end, 0)) < _FEW:
        end = data.rfind(b"\n", 0, SAMPLE)
    return end


def make_grid(source: Source, *, whole: bool = False, data: bytes | None = None) -> Grid:
    """Return the cells of a file; of a large file, those of its beginning and its end.

    Args:
        source: The file.
        whole: Whether to return all cells of a large file too.
        data: A part of the file that stands for all of it.
    """
    head = source.data[:4096] if data is None else data[:4096]
    check_kind(source, head)
    cut = False
    if data is None:
        body = source.body
        cut = not whole and len(body) > _LARGE
        if cut:
            end = end_of_beginning(body)
            tail = body.find(b"\n", len(body) - _TAIL)
            cut = end > 0 and tail > end and body.count(b'"', 0, end) % 2 == 0
        text = (body[:end] + body[tail:]).decode(errors="replace") if cut else source.text
        source_encoding = source.found_encoding
    else:
        text, source_encoding = data.decode(errors="replace").removeprefix("\ufeff"), "utf-8"
        cut = True
    first = text[:10].lstrip()
    marked = _SEP_LINE.match(text) if first.casefold().startswith("sep=") else None
    if marked:
        text = text[marked.end() :]
    console = None if marked or cut else console_of(source, text)
    text = text if console is None else console.text
    barred = not marked and is_markdown(text[:SAMPLE].splitlines())
    text = without_boxes(text) if barred else text
    aligned = text if console is not None and console.is_table else None
    if aligned is None and not (marked or cut):
        aligned = split_aligned(text)
    text = text if aligned is None else aligned
    separator = marked[1] if marked else find_separator(text, _is_tabbed(source.path))
    if aligned is not None:
        separator = "\t"
    elif barred:
        separator = "|"
    try:
        grid = split(text, separator)
    except NotCsvError as error:
        if data is None and source.found_encoding == "utf-8":
            # These errors name the line.
            CsvFile(source, separator if separator in _SEPARATORS else None).check_quotes()
        raise source.error(error) from None
    except InputError as error:
        raise source.error(error) from None
    grid.encoding, grid.whole, grid.plain = source_encoding, not cut, aligned is None
    if marked:
        grid.lines = [line + 1 for line in grid.lines]
        grid.plain = False
        grid.notes.append(("separator", f"the first line names the separator: {separator!r}"))
    if console is not None:
        grid.titles, grid.plain = console.titles, False
        grid.lines = [line + console.shift for line in grid.lines]
        grid.notes += [("console", note) for note in console.notes]
    if source_encoding not in ("utf-8", None):
        grid.notes.append(("encoding", f"read as {source_encoding} text"))
    if separator == "|":
        _strip_bars(grid)
        grid.plain = False
    elif "\\text" in text or "$\\" in text:
        grid.rows = [[without_marks(cell) for cell in row] for row in grid.rows]
        grid.plain = False
    return grid


def _strip_bars(grid: Grid) -> None:
    """Turn a Markdown table into cells."""
    rows, lines = [], []
    for cells, line in zip(grid.rows, grid.lines, strict=True):
        if is_rule(cells) and (len(cells) > 1 or "--" in cells[0]):
            continue
        row = [without_marks(cell) for cell in cells]
        if len(row) > 1:
            row = row[not row[0] :]
            row = row[:-1] if len(row) > 1 and not row[-1] and cells[-1] == "" else row
        rows.append(row)
        lines.append(line)
    grid.rows, grid.lines = rows, lines


class CsvFile:
    """A CSV file: its header, its separator, and where its records are.

    A record is the text between two line ends outside quotation marks; blank records do not
    count. polars reads the values. It does not report rows with too few values, nor the line of
    an error, so these are found here when needed.

    Args:
        source: The file.
        separator: The character that separates values, where it is known already.

    Attributes:
        names: The columns.
        separator: The character that separates values.
        header: Where the header ends, in bytes.
    """

    def __init__(self, source: Source, separator: str | None = None) -> None:
        self.source = source
        _ = self.source.body  # Refuses what is not text.
        data = self.source.data.removeprefix(b"\xef\xbb\xbf")
        # Old Macs end lines with \r alone. Other line ends are left as they are, because a quoted
        # name may contain some.
        self.data = data if b"\n" in data else self.source.body
        if not self.data.isascii():
            _ = self.source.text  # Refuses what is not UTF-8.
        begin = len(self.data) - len(self.data.lstrip(b"\r\n"))
        end = self._end_of_record(begin)
        if separator is None and _is_tabbed(source.path):
            separator = "\t"
        self.separator = separator or self._find_separator(begin, end)
        self.header = end
        try:
            text = self.data[begin:end].decode().removesuffix("\r")
            reader = csv.reader(
                io.StringIO(text, newline=""), delimiter=self.separator, strict=True
            )
            self.names = next(reader)
        except csv.Error as error:
            raise self.source.error(f"the header cannot be read: {error}", self.line(-1)) from None
        self.header_lines = self.data.count(b"\n", 0, end) + 1
        if not re.compile(rb"[^\r\n]").search(self.data, end):
            raise self.source.error(
                f"there is no row below the header, which has {counted(len(self.names), 'column')}",
                self.line(-1),
                [AS_LISTS],
            )

    def _end_of_record(self, begin: int) -> int:
        end, quotes = begin, 0
        while end < len(self.data):
            following = self.data.find(b"\n", end)
            following = len(self.data) if following < 0 else following
            quotes += self.data.count(b'"', end, following)
            if quotes % 2 == 0:
                return following
            end = following + 1
        return len(self.data)

    def _find_separator(self, begin: int, end: int) -> str:
        """Find the character that splits the first records into equally many values, and most."""
        sample = self.data[begin : end + SAMPLE]
        is_cut = end + SAMPLE < len(self.data)
        lines = sample.decode(errors="replace").splitlines(keepends=True)

        def quality(separator: str) -> tuple[bool, int]:
            counts = []
            try:
                for record in csv.reader(lines, delimiter=separator):
                    if record:
                        counts.append(len(record))
                    if len(counts) == 20:
                        break
            except csv.Error:
                pass
            if is_cut and len(counts) > 1:
                counts.pop()
            return len(set(counts)) == 1 and counts[0] > 1, counts[0] if counts else 0

        return max(_SEPARATORS, key=quality)

    # -- the values ------------------------------------------------------------------------

    def read(
        self, used: Iterable[Any], numeric: Collection[Any] = (), *, guessed: bool = False
    ) -> pl.DataFrame:
        """Return columns, some of them as numbers.

        Args:
            used: The columns.
            numeric: Those of numbers.
            guessed: Whether the first line may not be a header.
        """
        from concordant._polars import pl

        # A row that is too short has no value in the last column.
        used = {*used, self.names[-1]}
        columns = [number for number, name in enumerate(self.names) if name in used]
        schema = {name: pl.Float64() if name in numeric else pl.String() for name in self.names}
        try:
            frame = self._parse(self.data, schema, columns, self.header_lines)
            # Like an empty ballot, a blank line gives a row of missing values.
            if self._may_be_blank(frame) and len(frame) >= self._starts.size:
                frame = self._parse(self._without_blank_lines(), schema, columns)
        except pl.exceptions.PolarsError:
            # Read as text, "NA" is understood, and an error can name a value that is not a number.
            schema = dict.fromkeys(schema, pl.String())
            try:
                frame = self._parse(self._without_blank_lines(), schema, columns)
            except pl.exceptions.PolarsError as error:
                self.check_quotes()
                self._check_counts(guessed)
                raise self.source.error(f"not CSV: {reason(error)}") from None
        if frame.get_columns()[-1].null_count() and not self._is_even(len(frame)):
            self._check_counts(guessed)
        return frame

    def _may_be_blank(self, frame: pl.DataFrame) -> bool:
        if not all(column.null_count() for column in frame):
            return False
        # The line end of the header may be the first of two.
        return any(self.data.find(ends, self.header) >= 0 for ends in (b"\n\n", b"\n\r\n"))

    def _is_even(self, n_rows: int) -> bool:
        """Return quickly whether all rows are full. None is too long, so the total shows it."""
        if b'"' in self.data:
            return False
        # For many bytes, numpy is faster than `count`, and lets other threads run.
        characters = np.frombuffer(self.data, np.uint8, offset=self.header)
        found = np.count_nonzero(characters == ord(self.separator))
        return bool(found == n_rows * (len(self.names) - 1))

    def _parse(
        self, data: bytes, schema: dict[str, Any], columns: list[int], header_lines: int = 0
    ) -> pl.DataFrame:
        from concordant._polars import pl

        return pl.read_csv(
            data,
            has_header=False,
            skip_lines=header_lines,
            separator=self.separator,
            schema=schema,
            columns=columns,
        )

    def _without_blank_lines(self) -> bytes:
        """Return the rows below the header."""
        bounds = zip(self._starts[1:].tolist(), self._ends[1:].tolist(), strict=True)
        return b"\n".join(self.data[start:end] for start, end in bounds)

    # -- the records -----------------------------------------------------------------------

    @cached_property
    def _outside(self) -> Any:
        """For each byte, whether it is outside quotation marks."""
        if b'"' not in self.data:
            return np.ones(len(self.data), bool)
        return ~np.logical_xor.accumulate(np.frombuffer(self.data, np.uint8) == ord('"'))

    @cached_property
    def _bounds(self) -> tuple[Int64, Int64]:
        characters = np.frombuffer(self.data, np.uint8)
        ends = np.flatnonzero((characters == ord("\n")) & self._outside)
        ends = np.append(ends, len(self.data))
        starts = np.concatenate([[0], ends[:-1] + 1])
        returns = (ends > starts) & (characters[np.maximum(ends - 1, 0)] == ord("\r"))
        ends = ends - returns
        filled = ends > starts
        return starts[filled], ends[filled]

    @property
    def _starts(self) -> Int64:
        return self._bounds[0]

    @property
    def _ends(self) -> Int64:
        return self._bounds[1]

    def line(self, row: int) -> int:
        """Return the line on which a row begins; row -1 is the header."""
        return self.data.count(b"\n", 0, int(self._starts[row + 1])) + 1

    def _check_counts(self, guessed: bool) -> None:
        separators = np.frombuffer(self.data, np.uint8) == ord(self.separator)
        places = np.flatnonzero(separators & self._outside)
        starts, ends = self._bounds
        counts = np.searchsorted(places, ends) - np.searchsorted(places, starts) + 1
        wrong = counts != len(self.names)
        if wrong.any():
            record = int(np.argmax(wrong))
            raise self.source.error(
                f"this row has {counted(int(counts[record]), 'value')} and the header "
                f"{len(self.names)}, separated by {_SEPARATORS[self.separator]}s",
                self.line(record - 1),
                # The first line may not be a header.
                [AS_LISTS] if guessed else (),
            )

    def check_quotes(self) -> None:
        """Refuse a record whose quotation marks do not fit."""
        separator = re.escape(self.separator).encode()
        value = rb'(?:"(?:[^"]|"")*"|[^"%b]*)' % separator
        record = re.compile(rb"%b(?:%b%b)*" % (value, separator, value))
        for row, (start, end) in enumerate(zip(*self._bounds, strict=True)):
            if not record.fullmatch(self.data, int(start), int(end)):
                raise self.source.error(
                    "a quotation mark is never closed, or is inside a value: put the value in "
                    "quotation marks and double those inside",
                    self.line(row - 1),
                )


def _is_tabbed(path: str | Path) -> bool:
    return Path(path).name.lower().removesuffix(".gz").endswith((".tsv", ".tab"))


def write_csv(data: Rankings, path: Path, *, layout: str = "long") -> bytes:
    """Return the table, with tabs if the name ends in `.tsv`."""
    from concordant.tables.writing import to_table

    buffer = io.BytesIO()
    frame = to_table(data, layout, as_text=True)
    frame.write_csv(buffer, separator="\t" if _is_tabbed(path) else ",")
    return buffer.getvalue()


def sniff(source: Source) -> int:
    """Guess a table from a separator in the first line, unless that is a ballot."""
    first = source.opening[0]
    console = console_of(source)
    if console is not None:
        lines = console.text.splitlines()
        barred = is_markdown(lines) or any(mark in lines[0] for mark in SEPARATORS)
        return SURE if console.is_table or barred or split_aligned(console.text) else MAYBE
    if is_markdown(source.sample):
        return LIKELY
    is_table = any(separator in first for separator in SEPARATORS) and ">" not in first
    is_table = is_table or split_aligned(source.text[:SAMPLE]) is not None
    return MAYBE if is_table or _has_titles(source) else NO


def _has_titles(source: Source) -> bool:
    """Return whether a table with tabs or semicolons follows below a title."""
    for mark in "\t;":
        counts = [line.count(mark) for line in source.sample]
        common = max(set(counts), key=counts.count) if counts else 0
        if common and counts.count(common) >= max(2, 0.6 * len(counts)):
            return True
    return False


FORMAT = Format(
    "csv",
    "a table: long (voter, item, rank), or a column per item or per rank",
    (".csv", ".tsv"),
    read_csv,
    write_csv,
    sniff,
    weights="exact",
    options=options_of("csv"),
    write_options=("layout",),
    scanner="concordant.formats.common.csv_blocks:scan_csv",
)
