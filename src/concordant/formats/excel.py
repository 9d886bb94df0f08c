"""`excel`: the tables of `csv` in a sheet of a spreadsheet, .xlsx, .xlsm, .xlsb, .xls or .ods.

Spreadsheets are decoded in a process of its own, with a limit on its memory: a sheet that claims
a cell in its last row and column, or a file that unpacks to more than it says, would else fill
the memory of the whole program. The decoder (fastexcel) is the extra `excel`.
"""

from __future__ import annotations

import io
import json
import os
import sys
import warnings
from typing import TYPE_CHECKING

from concordant.errors import InputError, InputWarning, SettingError, show
from concordant.formats.common.lists import check_lists, read_lists
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import AS_LISTS, OPTIONS, check_header, make_rankings
from concordant.rankings import Rankings
from concordant.tables.columns import plan_columns

if TYPE_CHECKING:
    import polars as pl

_ZIP, _OLE = b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ODS = b"application/vnd.oasis.opendocument.spreadsheet"
# What the other process may take besides the cells: its libraries, and room for copies.
_ROOM = 3 << 30
# No sheet that fits takes so long; one that does is damaged, or made to.
_MOST_SECONDS = 600
# What the other process does: it says which sheets there are and which hold anything, and sends
# the cells of one as text, in a format that is read without decoding.
_DECODE = """
import io, json, sys
wanted, limit, most, seconds = json.loads(sys.argv[1])
try:
    import resource
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Should nobody be left who waits for it.
    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
except (ImportError, OSError, ValueError):
    pass
import fastexcel
def load(name):
    return book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
book = fastexcel.read_excel(sys.stdin.buffer.read())
names, filled, sheet = book.sheet_names, [], None
for name in names if wanted is None else [wanted] * (wanted in names):
    each = load(name)
    if each.total_height and (wanted is not None or each.visible == "visible"):
        filled.append(name)
        sheet = each if sheet is None else sheet
size = 0 if sheet is None else sheet.total_height * sheet.width * 8
sys.stdout.buffer.write(json.dumps([names, filled, size]).encode() + b"\\n")
if sheet is not None and size <= most:
    content = io.BytesIO()
    sheet.to_polars().rechunk().write_ipc(content)
    sys.stdout.buffer.write(content.getvalue())
"""


def read_excel(
    source: Source, *, sheet: str | None = None, layout: str = "auto", **columns: str
) -> Rankings:
    """Read a table from a sheet: by default the first that is not empty.

    Cells count as they would in a CSV file: numbers and dates by their text, errors and empty
    cells as missing. A cell that was merged from several holds its value in the first of them.
    """
    if sheet is not None and not isinstance(sheet, str):
        raise SettingError(f"sheet must be the name of a sheet, not {sheet!r}")
    name, others, cells = _decode(source, sheet)
    try:
        found = _read_cells(source, cells, layout, columns)
    except InputError as error:
        row = "" if error.line is None else f", row {error.line}"
        # The first sheet may hold notes, and another one the votes.
        hint = f". Other sheets hold something too; pass {_choices(others)}" if others else ""
        raise source.error(f"sheet {show(name)}{row}: {error.message}{hint}") from None
    if others:
        warnings.warn(
            InputWarning(
                f"sheet {show(name)} is read; others hold something too: to read one, pass "
                f"{_choices(others)}",
                path=source.path,
            ),
            stacklevel=2,
        )
    return found


def _read_cells(
    source: Source, cells: pl.DataFrame, layout: str, columns: dict[str, str]
) -> Rankings:
    """Read a table of cells as text; the line of an error is the row of the sheet."""
    import polars as pl

    filled = cells.select(pl.any_horizontal(pl.all().is_not_null())).to_series().arg_true()
    if layout == "lists":
        check_lists(columns)
        rows = zip(filled.to_list(), cells[filled].rows(), strict=True)
        return read_lists(
            source, ((row + 1, [cell or "" for cell in values]) for row, values in rows)
        )
    filled = filled[_n_titles(cells, filled) :]
    header, body = int(filled[0]), cells[filled[1:]]
    # Columns that hold nothing at all are only an effect of formatting.
    used = [
        column
        for column in body
        if cells[header, column.name] is not None or column.null_count() < len(body)
    ]
    names = [cells[header, column.name] or "" for column in used]
    if names.count("") > 1:
        raise InputError(
            f"{names.count('')} of {len(names)} columns have no name in this row: delete the rows "
            f"above the header, or name the columns; {AS_LISTS}",
            line=header + 1,
        )
    if body.is_empty():
        raise InputError(f"there is no row below the header; {AS_LISTS}", line=header + 1)
    try:
        plan = plan_columns(names, layout=layout, **columns)
        check_header(plan, names)
    except InputError as error:
        raise InputError(error.message, line=header + 1) from None
    by_name = dict(zip(names, used, strict=True))
    numbers = filled[1:].to_list()
    return make_rankings(source, plan, by_name.__getitem__, len(body), lambda row: numbers[row] + 1)


def _n_titles(cells: pl.DataFrame, filled: pl.Series) -> int:
    """Return how many rows stand above the header: titles, of one cell over a table of three."""
    import polars as pl

    widths = cells[filled].select(pl.sum_horizontal(pl.all().is_not_null())).to_series()
    titles = int((widths.cum_max() <= 1).sum())
    return titles if titles < len(widths) and widths[titles] >= 3 else 0


def _decode(source: Source, wanted: str | None) -> tuple[str, list[str], pl.DataFrame]:
    """Return a sheet, decoded in a process of its own: its name, further ones, its cells."""
    from importlib.util import find_spec

    if find_spec("fastexcel") is None:
        raise SettingError('reading spreadsheets needs fastexcel: pip install "concordant[excel]"')
    import subprocess

    data = source.data
    _check_container(source, data)
    limit = _ROOM + 8 * source.max_bytes
    # The same packages are to be found there, whatever the working folder holds. One thread:
    # each more takes some of the memory that is allowed.
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "POLARS_MAX_THREADS": "1",
    }
    arguments = json.dumps([wanted, min(limit, 2**62), source.max_bytes, _MOST_SECONDS])
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", _DECODE, arguments],
            input=data,
            capture_output=True,
            env=environment,
            timeout=_MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise source.error(
            f"decoding the spreadsheet takes more than {_MOST_SECONDS:g} seconds: save the sheet "
            "as CSV"
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise source.error(f"no process can be started to decode it: {reason}") from None
    found, _, content = done.stdout.partition(b"\n")
    if done.returncode != 0 or not found:
        raise source.error(_reason(done.stderr.decode(errors="replace")))
    names, filled, size = json.loads(found)
    if wanted is not None and wanted not in names:
        raise source.error(f"there is no sheet {show(wanted)}: {_listing(names)}")
    if not filled:
        what = "every sheet" if wanted is None else f"sheet {show(wanted)}"
        raise source.error(f"{what} is empty")
    if size > source.max_bytes:
        raise source.too_long(f"sheet {show(filled[0])} has {size // 8:,} cells, {size:,} bytes")
    import polars as pl

    cells = pl.read_ipc(io.BytesIO(content))
    # A date is a day, where it has no time.
    midnight = r"^(\d{4}-\d\d-\d\d) 00:00:00$"
    return filled[0], filled[1:], cells.with_columns(pl.all().str.replace(midnight, "$1"))


def _reason(said: str) -> str:
    """Say why a spreadsheet was not decoded, from what the other process said on its way out."""
    told = [line for line in said.splitlines() if line.startswith("_fastexcel.")]
    if told and "password" in said.lower():
        return "the spreadsheet has a password: save it without one"
    if told:
        return f"the spreadsheet is damaged: {told[-1].partition(': ')[2]}"
    return (
        "the spreadsheet cannot be decoded: it is damaged, or a sheet has cells so far out that "
        "they do not fit into the memory (delete the empty rows and columns)"
    )


def _choices(names: list[str]) -> str:
    """Return what to pass for another sheet: of several, which there are."""
    more = ", …" if len(names) > 10 else ""
    return " or ".join(f"sheet={show(name)}" for name in names[:10]) + more


def _listing(names: list[str]) -> str:
    more = ", …" if len(names) > 10 else ""
    return f"the sheets are {', '.join(show(name) for name in names[:10])}{more}"


def _check_container(source: Source, data: bytes) -> None:
    """Refuse what is no spreadsheet, and one that unpacks to more than may be read."""
    import zipfile
    import zlib

    if not data:
        raise source.error("the file is empty")
    if data.startswith(_OLE):
        return
    if not data.startswith(_ZIP):
        raise source.error(
            "is not a spreadsheet: where it is a table of text, say --format csv (in Python, "
            'format="csv")'
        )
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            size = sum(part.file_size for part in parts.infolist())
            if size > source.max_bytes:
                raise source.too_long(f"unpacks to {size:,} bytes")
            bad = parts.testzip()
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError) as error:
        raise source.error(f"the spreadsheet is damaged, or cut off: {error}") from None
    except NotImplementedError as error:
        raise source.error(f"the spreadsheet cannot be unpacked: {error}") from None
    if bad is not None:
        raise source.error(f"the spreadsheet is damaged: its part {show(bad)} is not whole")


def sniff(source: Source) -> int:
    """Tell a spreadsheet by the names of its parts, or by the mark of old Office files."""
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
    options=(*OPTIONS, "sheet"),
)
