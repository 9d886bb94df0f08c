"""`excel`: the tables of `csv` in a sheet of a spreadsheet, .xlsx, .xlsm, .xlsb, .xls or .ods.

Spreadsheets are decoded in a process of their own with limited memory. Otherwise a sheet that
claims a cell in its last row and column, or a file that unpacks to more than it says, would fill
the memory of the whole program. The decoder (fastexcel) is the extra `excel`.
"""

from __future__ import annotations

import io
import json
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from concordant._reading import options_of
from concordant.errors import Hint, InputError, InputWarning, SettingError, show
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
from concordant.reading.decide import Decision, recognise
from concordant.reading.findings import Finding, QuestionError
from concordant.reading.grid import Grid
from concordant.reading.lexicon import SUMMARIES
from concordant.reading.long_values import total_of_parts
from concordant.reading.options import Options, make_options
from concordant.reading.outcome import Roles
from concordant.reading.sheet import Sheet
from concordant.reading.words import is_word, tokens
from concordant.tables.columns import Plan

if TYPE_CHECKING:
    import polars as pl

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ODS = b"application/vnd.oasis.opendocument.spreadsheet"
# Memory of the other process besides the cells, in bytes: its libraries, and room for copies.
_ROOM = 3 << 30
# No sheet that fits into the memory takes this long, unless it is damaged.
_MOST_SECONDS = 600
# More sheets are not looked at, one by one.
_MOST_SHEETS = 40
# The header of a sheet is one of its first rows.
_MOST_TITLES = 12


class _Sheet(NamedTuple):
    """A decoded sheet.

    Attributes:
        name: Its name.
        others: The other sheets that are not empty.
        cells: Its cells as text, from its first row on.
        blanks: Cells with a formula and no value, by the column they stand in.
    """

    name: str
    others: list[str]
    cells: pl.DataFrame
    blanks: dict[int, str]


def read_excel(source: Source, *, sheet: str | None = None, **given: Any) -> Rankings:
    """Read a table from a sheet: by default the first that is not empty.

    Cells are read as in a CSV file: numbers and dates as their text, errors and empty cells as
    missing. Merged cells hold their value in the first of them.
    """
    if sheet is not None and not isinstance(sheet, str):
        raise SettingError(f"sheet must be the name of a sheet, not {sheet!r}")
    options = make_options(given)
    found = _decode(source, sheet)
    said: list[str] = []
    if sheet is None and options.layout is None and found.others and _is_note(found):
        said = [cell for row in found.cells.rows() for cell in row if cell]
        found = _decode(source, found.others[0])._replace(others=found.others[1:])
    joined = None
    if sheet is None and found.others and not given:
        joined = _one_per_judge(source, found, said)
        if joined is None and len(found.others) > 1 and _is_summary(found.name):
            # The sums stand first.
            second = _decode(source, found.others[0])._replace(others=found.others[1:])
            joined = _one_per_judge(source, second, said)
    if joined is not None:
        table, roles = joined
        return read_grid(source, table, make_options(roles), fast=_never, whole=lambda: table)
    if sheet is None and found.others and not given:
        _ask_for_sheet(source, found)
    # The first sheet may hold notes, and another one the votes.
    others = Hint("sheet", tuple(found.others), "to read another sheet")
    try:
        rankings = _read_cells(source, found, options, given)
    except QuestionError as error:
        asked = error.questions[0]
        row = "" if asked.row is None else f", row {asked.row}"
        named = replace(asked, message=f"sheet {show(found.name)}{row}: {asked.message}", row=None)
        questions = [named, *error.questions[1:]]
        raise QuestionError(questions, source.path, error.inspection) from None
    except InputError as error:
        row = "" if error.line is None else f", row {error.line}"
        hints = [*error.hints, others] if found.others else error.hints
        message = f"sheet {show(found.name)}{row}: {error.message}"
        raise source.error(message, hints=hints) from None
    if found.others:
        warnings.warn(
            InputWarning(
                f"reads sheet {show(found.name)}, but other sheets are not empty either",
                path=source.path,
                hints=[others],
            ),
            stacklevel=2,
        )
    return rankings


def _read_cells(source: Source, sheet: _Sheet, options: Options, given: dict[str, Any]) -> Rankings:
    """Read a table of cells; the line of an error is the row of the sheet."""
    from concordant._polars import pl

    cells = sheet.cells
    filled = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true()
    rows = [
        (row + 1, [cell or "" for cell in values])
        for row, values in zip(filled.to_list(), cells[filled].rows(), strict=True)
    ]
    # Columns that hold nothing at all come from formatting.
    grid = Grid([values for _, values in rows], [row for row, _ in rows], format="excel")
    rows_are_lists = options.layout == "lists" and not options.columns
    if rows_are_lists and not has_lists_in_cells(grid, options):
        check_lists({name: value for name, value in given.items() if name != "layout"})
        _check_formulas(sheet)
        return read_lists(source, rows)

    def check(decision: Decision) -> None:
        used = [k for k, role in decision.proposal.roles.items() if role != "ignored"]
        _check_formulas(sheet, [cells.columns[k] for k in used])

    def fast(plan: Plan) -> Rankings:
        header = int(filled[0])
        columns = {cells[header, k] or "": cells.columns[k] for k in reversed(range(cells.width))}
        _check_formulas(sheet, [columns[str(name)] for name in plan.used])
        body = cells[filled[1:]]
        numbers = filled[1:].to_list()
        return make_rankings(
            source,
            plan,
            lambda name: body.get_column(columns[name]),
            len(body),
            lambda row: numbers[row] + 1,
            [AS_LISTS],
        )

    if len(rows) < 2:
        _check_formulas(sheet)
    return read_grid(source, grid, options, fast=fast, whole=lambda: grid, check=check)


def _never(plan: Plan) -> Rankings:
    raise InputError("the sheets cannot be joined")


def _alone(
    rows: list[list[str]], lines: list[int], said: list[str]
) -> tuple[Decision, dict[str, str]] | None:
    """Return the reading of a sheet of one ranking, by a total of its parts if need be."""
    for by_total in (False, True):
        roles: dict[str, str] = {}
        try:
            if by_total:
                sheet = Sheet(Grid([*rows], [*lines], format="excel"), make_options({}))
                total = total_of_parts(Roles(sheet))
                if total is None or len(sheet.texts) != 1:
                    return None
                roles = {"score": total.name, "item": sheet.texts[0].name}
            grid = Grid([*rows], [*lines], format="excel", titles=tuple(said))
            found = recognise(grid, make_options(roles))
        except InputError:
            continue
        is_single = found.proposal.layout == "long" and found.proposal.column("voter") is None
        if is_single and found.sheet.header is not None and not found.proposal.questions:
            return found, roles
    return None


def _one_per_judge(
    source: Source, first: _Sheet, said: list[str]
) -> tuple[Grid, dict[str, str]] | None:
    """Return sheets of one ranking each as one table, with the names of the sheets as voters.

    A sheet with instructions says which end is best. One that sums up the others is left out, and
    so is a last one with the result for the same items.
    """
    if len(first.others) > _MOST_SHEETS:
        return None
    rows, lines = _rows(first)
    single = _alone(rows, lines, said)
    if single is None:
        return None
    alone, roles = single
    top = alone.sheet.header
    if top is None:
        return None
    item = alone.proposal.column("item") or 0
    head = rows[top]
    table = [[*head, "voter"], *([*rows[k], first.name] for k in alone.sheet.rows)]
    places = [lines[top], *(lines[k] for k in alone.sheet.rows)]
    left_out: list[str] = []
    for name in first.others:
        more = _decode(source, name)
        rows, lines = _rows(more)
        if _is_note(more) or (head not in rows and _is_summary(name)):
            continue
        known = {row[item] for row in table[1:] if item < len(row)}
        if name == first.others[-1] and head not in rows:
            named = sum(not known.isdisjoint(row) for row in rows)
            if 2 * named < len(rows):
                return None
            left_out.append(name)
            continue
        try:
            found = recognise(Grid([*rows], [*lines], format="excel"), make_options({}))
        except InputError:
            return None
        if found.sheet.header is None or rows[found.sheet.header] != head:
            return None
        table += [[*rows[k], name] for k in found.sheet.rows]
        places += [lines[k] for k in found.sheet.rows]
    grid = Grid(table, places, format="excel", header=True, plain=False, titles=tuple(said))
    grid.notes.append(("sheets", "each sheet is one ranking: its name is the voter"))
    if left_out:
        grid.notes.append(("sheets", f"sheet {show(left_out[0])} is the result, and left out"))
    several = len({row[-1] for row in table[1:]}) > 1
    return (grid, {**roles, "voter": "voter"}) if several else None


def _ask_for_sheet(source: Source, first: _Sheet) -> None:
    """Ask which sheet is meant, where the next one has the same header."""
    rows, _ = _rows(first)
    others, _ = _rows(_decode(source, first.others[0]))
    heads = {tuple(row) for row in rows[:_MOST_TITLES] if sum(map(bool, row)) > 2}
    if heads & {tuple(row) for row in others[:_MOST_TITLES]}:
        names = (first.name, *first.others)
        why = f"sheets {show(first.name)} and {show(first.others[0])} have the same columns"
        hint = Hint("sheet", names, "to read one")
        raise QuestionError([Finding("question", "sheet", why, hints=(hint,))], path=source.path)


def _rows(sheet: _Sheet) -> tuple[list[list[str]], list[int]]:
    """Return the rows of a sheet that are not empty, and their numbers."""
    rows = [[cell or "" for cell in row] for row in sheet.cells.rows()]
    kept = [k for k, row in enumerate(rows) if any(row)]
    return [rows[k] for k in kept], [k + 1 for k in kept]


def _is_summary(name: str) -> bool:
    """Return whether the name of a sheet says that it sums up the others."""
    return any(is_word("total", word) or word in SUMMARIES for word in (name, *tokens(name)))


def _is_note(sheet: _Sheet) -> bool:
    """Return whether a sheet has one column of text only, such as instructions."""
    filled = [column for column in sheet.cells if column.null_count() < len(column)]
    cells = [cell for cell in filled[0] if cell]
    sentences = sum(cell.rstrip()[-1:] in (*".!?:",) or len(cell.split()) > 6 for cell in cells)
    return len(filled) == 1 and (
        2 * sentences > len(cells) or not any("," in cell or ">" in cell for cell in cells)
    )


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
    return _Sheet(
        filled[0],
        filled[1:],
        cells.with_columns(pl.all().str.replace(midnight, "$1")),
        {column: name for column, name in blanks.items() if column >= 0},
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
