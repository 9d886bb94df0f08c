"""`excel`: the tables of `csv` in a sheet of a spreadsheet, .xlsx, .xlsm, .xlsb, .xls or .ods.

Spreadsheets are decoded in a process of their own with limited memory. Otherwise a sheet that
claims a cell in its last row and column, or a file that unpacks to more than it says, would fill
the memory of the whole program. The decoder (fastexcel) is the extra `excel`.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import Any

from concordant._reading import options_of
from concordant.errors import Hint, InputError, SettingError, show
from concordant.formats.common.book import Tab, read_book
from concordant.formats.common.decoder import Decoder, DecodingError
from concordant.formats.common.lists import check_lists, read_lists
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import (
    AS_LISTS,
    has_lists_in_cells,
    make_rankings,
    read_grid,
)
from concordant.rankings import Rankings
from concordant.reading.decide import Decision
from concordant.reading.grid import Grid
from concordant.reading.options import Options
from concordant.tables.columns import Plan

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ODS = b"application/vnd.oasis.opendocument.spreadsheet"
# Memory of the other process besides the cells, in bytes: its libraries, and room for copies.
_ROOM = 3 << 30
# No sheet that fits into the memory takes this long, unless it is damaged.
_MOST_SECONDS = 600


@dataclass
class _Sheet(Tab):
    """A decoded sheet.

    Attributes:
        cells: Its cells as text, from its first row on.
        blanks: Cells with a formula and no value, by the column they stand in.
    """

    cells: Any = None
    blanks: dict[int, str] = field(default_factory=dict)


def read_excel(source: Source, *, sheet: str | None = None, **given: Any) -> Rankings:
    """Read a table from a sheet: by default the first that is not empty.

    Cells are read as in a CSV file: numbers and dates as their text, errors and empty cells as
    missing. Merged cells hold their value in the first of them.
    """
    if sheet is not None and not isinstance(sheet, str):
        raise SettingError(f"sheet must be the name of a sheet, not {sheet!r}")
    return read_book(source, _Workbook(source), sheet, given)


class _Workbook:
    """The sheets of a spreadsheet, decoded when they are opened."""

    format, noun, picks = "excel", "sheet", True

    def __init__(self, source: Source) -> None:
        self.source = source

    def open(self, name: str | None) -> _Sheet:
        """Decode a sheet."""
        return _decode(self.source, name)

    def read(self, tab: Tab, options: Options, given: dict[str, Any]) -> Rankings:
        """Read a sheet."""
        assert isinstance(tab, _Sheet)
        return _read_cells(self.source, tab, options, given)


def _read_cells(source: Source, sheet: _Sheet, options: Options, given: dict[str, Any]) -> Rankings:
    """Read a table of cells; the line of an error is the row of the sheet."""
    cells = sheet.cells
    grid = Grid([*sheet.rows], [*sheet.numbers], format="excel")
    rows_are_lists = options.layout == "lists" and not options.columns
    if rows_are_lists and not has_lists_in_cells(grid, options):
        check_lists({name: value for name, value in given.items() if name != "layout"})
        _check_formulas(sheet)
        return read_lists(source, list(zip(sheet.numbers, sheet.rows, strict=True)))

    def check(decision: Decision) -> None:
        used = [k for k, role in decision.proposal.roles.items() if role != "ignored"]
        _check_formulas(sheet, [cells.columns[k] for k in used])

    def fast(plan: Plan) -> Rankings:
        header = sheet.numbers[0] - 1
        columns = {cells[header, k] or "": cells.columns[k] for k in reversed(range(cells.width))}
        _check_formulas(sheet, [columns[str(name)] for name in plan.used])
        numbers = sheet.numbers[1:]
        body = cells[[number - 1 for number in numbers]]
        return make_rankings(
            source,
            plan,
            lambda name: body.get_column(columns[name]),
            len(body),
            lambda row: numbers[row],
            [AS_LISTS],
        )

    if len(sheet.rows) < 2:
        _check_formulas(sheet)
    return read_grid(source, grid, options, fast=fast, whole=lambda: grid, check=check)


def _check_formulas(sheet: _Sheet, columns: list[str] | None = None) -> None:
    """Refuse formulas without a value in columns that are read: they would count as empty.

    Without columns, all are read, also those that hold nothing else.
    """
    known = sheet.cells.columns
    for place, name in sorted(sheet.blanks.items()):
        if columns is None or (place < len(known) and known[place] in columns):
            raise InputError(
                f"cell {name} has a formula that was never calculated: open the file in a "
                "spreadsheet program and save it"
            )


def _decode(source: Source, wanted: str | None) -> _Sheet:
    """Decode a sheet in a process of its own."""
    from importlib.util import find_spec

    if find_spec("fastexcel") is None:
        raise SettingError('reading spreadsheets needs fastexcel: pip install "concordant[excel]"')
    data = source.data
    _check_container(source, data)
    # One thread: each more takes some of the memory that is allowed.
    with Decoder(threads=1, seconds=_MOST_SECONDS) as decoder:
        try:
            limit = min(_ROOM + 8 * source.max_bytes, 2**62)
            decoder.ask("limit", bytes=limit, seconds=_MOST_SECONDS)
            facts = json.loads(decoder.ask("sheets", data, sheet=wanted))
            names, filled, size = facts["names"], facts["filled"], facts["size"]
            if wanted is not None and wanted not in names:
                raise source.error(
                    f"there is no sheet {show(wanted)}",
                    hints=[Hint("sheet", tuple(names))],
                )
            if not filled:
                what = "every sheet" if wanted is None else f"sheet {show(wanted)}"
                raise source.error(f"{what} is empty")
            if size > source.max_bytes:
                what = f"sheet {show(filled[0])} has {size // 8:,} cells, {size:,} bytes"
                raise source.too_long(what)
            content = decoder.ask("cells")
        except DecodingError as error:
            why = f"decoding it takes more than {_MOST_SECONDS} seconds: save the sheet as CSV"
            raise source.error(why if decoder.timed_out else _reason(str(error))) from None
    from concordant._polars import pl

    cells = pl.read_ipc(io.BytesIO(content))
    # Some versions of fastexcel return columns without any value, others do not.
    filled_columns = [k for k, column in enumerate(cells) if (column.fill_null("") != "").any()]
    width = max(filled_columns, default=-1) + 1
    cells = cells[:, :width]
    # A date without a time is a day.
    midnight = r"^(\d{4}-\d\d-\d\d) 00:00:00$"
    blanks = {int(column): name for column, name in facts["blanks"].items()}
    cells = cells.with_columns(pl.all().str.replace(midnight, "$1"))
    kept = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true().to_list()
    return _Sheet(
        filled[0],
        f"sheet {show(filled[0])}",
        [[cell or "" for cell in row] for row in cells[kept].rows()],
        [row + 1 for row in kept],
        others=filled[1:],
        cells=cells,
        blanks={column: name for column, name in blanks.items() if column >= 0},
    )


def _reason(said: str) -> str:
    """Return why a spreadsheet was not decoded, from the error output of the other process."""
    lines = [line for line in said.splitlines() if line.startswith("_fastexcel.")]
    if lines and "password" in said.lower():
        return "the spreadsheet has a password: save it without one"
    if lines:
        return f"the spreadsheet is damaged: {lines[-1].partition(': ')[2]}"
    return (
        "the spreadsheet cannot be decoded: it is damaged, or a cell far out makes a sheet too "
        "large for the memory (delete the empty rows and columns)"
    )


def _check_container(source: Source, data: bytes) -> None:
    """Refuse what is not a spreadsheet, and one that unpacks to more than may be read."""
    import zipfile
    import zlib

    if not data:
        raise source.error("the file is empty")
    if data.startswith(_OLE):
        return
    if not data.startswith(_ZIP):
        hint = Hint("format", ("csv",), "if it is a table of text")
        raise source.error("not a spreadsheet", hints=[hint])
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            size = sum(part.file_size for part in parts.infolist())
            bad = parts.testzip() if size <= source.max_bytes else None
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as error:
        raise source.error(f"the spreadsheet is damaged, or cut off: {error}") from None
    except NotImplementedError as error:
        raise source.error(f"the spreadsheet cannot be unpacked: {error}") from None
    if size > source.max_bytes:
        raise source.too_long(f"unpacks to {size:,} bytes")
    if bad is not None:
        raise source.error(f"the spreadsheet is damaged: its part {show(bad)} is not whole")


def sniff(source: Source) -> int:
    """Recognise a spreadsheet by the names of its parts, or by the mark of old Office files."""
    data = source.data
    if data.startswith(_OLE):
        return SURE
    is_sheet = b"xl/workbook." in data or _ODS in data[:200]
    return SURE if data.startswith(_ZIP) and is_sheet else NO


FORMAT = Format(
    "excel",
    "the same table in a sheet of a spreadsheet, .xlsx, .xls or .ods",
    (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"),
    read_excel,
    sniff=sniff,
    binary=True,
    options=options_of("excel"),
)
