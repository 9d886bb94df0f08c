"""`csv`: a table with a header, long or wide or a column per rank; also `.tsv`, with tabs.

polars, which takes longer to load than most files to read, is imported where it is called.
"""

from __future__ import annotations

import csv
import io
import re
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._types import Int64
from concordant.errors import InputError
from concordant.formats.common.lists import check_lists, read_lists, split_lines
from concordant.formats.common.registry import MAYBE, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import (
    AS_LISTS,
    OPTIONS,
    check_header,
    check_width,
    first_line,
    make_rankings,
)
from concordant.rankings import Rankings
from concordant.tables.columns import Plan, plan_columns

if TYPE_CHECKING:
    import polars as pl

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
# How much of a file is looked at to find its separator.
_SAMPLE = 2**16


def read_csv(source: Source, *, layout: str = "auto", **columns: str) -> Rankings:
    """Read a table. `columns` says which holds the voter, item, rank, score and weight.

    Values are separated by commas, semicolons or tabs: what the file uses is found out. Names
    are text as it stands in the file, blanks and leading zeros included. A cell is missing when
    it is empty; `""` is a name. Blank lines are passed over.
    """
    if layout == "lists":
        check_lists(columns)
        separators = ["\t"] if _is_tabbed(source.path) else list(_SEPARATORS)
        return read_lists(source, split_lines(source, separators))
    table = CsvFile(source)
    plan = table.plan(layout=layout, **columns)
    check_width(source, plan, table.line(-1))
    frame = table.read(plan)
    return make_rankings(source, plan, frame.get_column, len(frame), table.line)


class CsvFile:
    """A CSV file: its header, its separator, and where its records are.

    A record is what lies between two ends of lines outside quotation marks; blank ones do not
    count. polars reads the values. What it passes over in silence (too few values in a row) or
    reports without a line is looked up here, on demand.

    Args:
        source: The file.
        separator: What separates values, where that is known from elsewhere.

    Attributes:
        names: The columns.
        separator: What separates values.
        header: Where the header ends, in bytes.
    """

    def __init__(self, source: Source, separator: str | None = None) -> None:
        self.source = source
        _ = self.source.body  # Refuses what is not text.
        data = self.source.data.removeprefix(b"\xef\xbb\xbf")
        # Old Macs end lines with \r alone. Elsewhere ends of lines are left as they are, because
        # a quoted name may hold some.
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
                f"there is no row below the header, which has {len(self.names)} column(s); "
                f"{AS_LISTS}",
                self.line(-1),
            )

    def plan(self, *, layout: str = "auto", **columns: str) -> Plan:
        """Tell what the columns hold."""
        try:
            plan = plan_columns(self.names, layout=layout, **columns)
            check_header(plan, self.names)
        except InputError as error:
            raise self.source.error(error.message, self.line(-1)) from None
        return plan

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
        """Find what splits the first records into equally many values, and into most."""
        sample = self.data[begin : end + _SAMPLE]
        is_cut = end + _SAMPLE < len(self.data)
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

    def read(self, plan: Plan) -> pl.DataFrame:
        """Return the columns that a plan names."""
        import polars as pl

        numeric = plan.numeric
        # Rows that are too short end in missing values: the last column tells.
        used = {*plan.used, self.names[-1]}
        columns = [number for number, name in enumerate(self.names) if name in used]
        schema = {name: pl.Float64() if name in numeric else pl.String() for name in self.names}
        try:
            frame = self._parse(self.data, schema, columns, self.header_lines)
            # A blank line gives a row of missing values, just as an empty ballot does.
            if self._may_be_blank(frame) and len(frame) >= self._starts.size:
                frame = self._parse(self._without_blank_lines(), schema, columns)
        except pl.exceptions.PolarsError:
            # As text, numbers that are none can be named, and "NA" be understood.
            schema = dict.fromkeys(schema, pl.String())
            try:
                frame = self._parse(self._without_blank_lines(), schema, columns)
            except pl.exceptions.PolarsError as error:
                self._check_quotes()
                self._check_counts(plan)
                raise self.source.error(f"is not CSV: {first_line(error)}") from None
        if frame.get_columns()[-1].null_count() and not self._is_even(len(frame)):
            self._check_counts(plan)
        return frame

    def _may_be_blank(self, frame: pl.DataFrame) -> bool:
        if not all(column.null_count() for column in frame):
            return False
        # The header ends where the first of two such ends may be.
        return any(self.data.find(ends, self.header) >= 0 for ends in (b"\n\n", b"\n\r\n"))

    def _is_even(self, n_rows: int) -> bool:
        """Tell at a glance that all rows are full: none is too long, so they have it in all."""
        if b'"' in self.data:
            return False
        # Where there are so many, numpy is faster than `count`, and keeps no other thread waiting.
        characters = np.frombuffer(self.data, np.uint8, offset=self.header)
        found = np.count_nonzero(characters == ord(self.separator))
        return bool(found == n_rows * (len(self.names) - 1))

    def _parse(
        self, data: bytes, schema: dict[str, Any], columns: list[int], header_lines: int = 0
    ) -> pl.DataFrame:
        import polars as pl

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
        """For each byte, whether it stands outside quotation marks."""
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

    def _check_counts(self, plan: Plan) -> None:
        separators = np.frombuffer(self.data, np.uint8) == ord(self.separator)
        places = np.flatnonzero(separators & self._outside)
        starts, ends = self._bounds
        counts = np.searchsorted(places, ends) - np.searchsorted(places, starts) + 1
        wrong = counts != len(self.names)
        if wrong.any():
            record = int(np.argmax(wrong))
            # A header that says nothing may be none.
            hint = f"; {AS_LISTS}" if plan.guessed else ""
            raise self.source.error(
                f"{counts[record]} value(s) in this row and {len(self.names)} in the header, "
                f"separated by {_SEPARATORS[self.separator]}s{hint}",
                self.line(record - 1),
            )

    def _check_quotes(self) -> None:
        separator = re.escape(self.separator).encode()
        value = rb'(?:"(?:[^"]|"")*"|[^"%b]*)' % separator
        record = re.compile(rb"%b(?:%b%b)*" % (value, separator, value))
        for row, (start, end) in enumerate(zip(*self._bounds, strict=True)):
            if not record.fullmatch(self.data, int(start), int(end)):
                raise self.source.error(
                    "a quotation mark is never closed, or stands inside a value: put the value "
                    "in quotation marks and double those inside",
                    self.line(row - 1),
                )


def _is_tabbed(path: str | Path) -> bool:
    return Path(path).name.lower().removesuffix(".gz").endswith((".tsv", ".tab"))


def write_csv(data: Rankings, path: Path, *, layout: str = "long") -> bytes:
    """Return the table, with tabs where the name ends in `.tsv`."""
    from concordant.tables.writing import to_table

    buffer = io.BytesIO()
    frame = to_table(data, layout, as_text=True)
    frame.write_csv(buffer, separator="\t" if _is_tabbed(path) else ",")
    return buffer.getvalue()


def sniff(source: Source) -> int:
    """Guess a table from a separator in the first line, where no ballot is."""
    first = source.opening[0]
    is_table = any(separator in first for separator in _SEPARATORS) and ">" not in first
    return MAYBE if is_table else NO


FORMAT = Format(
    "csv",
    "a table: long (voter, item, rank), or a column per item or per rank",
    (".csv", ".tsv"),
    read_csv,
    write_csv,
    sniff,
    weights="exact",
    options=OPTIONS,
    write_options=("layout",),
    scanner="concordant.formats.common.csv_blocks:scan_csv",
)
