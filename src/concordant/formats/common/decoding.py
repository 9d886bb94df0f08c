"""The program of the processes that decode Parquet files and spreadsheets.

`decoder.py` starts it as a script of its own, so that it loads nothing of Concordant. Each request
is a line of JSON on standard input, followed by the bytes of a file where it announces some. Each
answer is a line with a size in bytes, then the bytes themselves.
"""

from __future__ import annotations

import io
import json
import re
import sys
import zipfile
from contextlib import suppress
from typing import Any
from xml.etree import ElementTree as ET

_FORMULA = re.compile(rb"<(?:\w+:)?f[\s/>]")
_CELL = re.compile(r"([A-Z]{1,3})(\d+)")


def main() -> None:
    """Answer requests until standard input ends."""
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    # Libraries may print; that must not get between the answers.
    sys.stdout = sys.stderr
    file: Any = None
    for line in requests:
        request = json.loads(line)
        if "path" in request:
            file = request["path"]
        elif "size" in request:
            file = io.BytesIO(requests.read(request["size"]))
        content = _TASKS[request["task"]](file, request)
        answers.write(b"%d\n" % len(content))
        answers.write(content)
        answers.flush()


# -- Parquet -------------------------------------------------------------------------------


def _facts(file: Any, request: dict[str, Any]) -> bytes:
    """Return the names of the columns and the number of rows."""
    import polars as pl

    names = list(pl.read_parquet_schema(_at_start(file)))
    rows = pl.scan_parquet(_at_start(file), glob=False).select(pl.len()).collect().item()
    return json.dumps({"names": names, "rows": rows}).encode()


def _rows(file: Any, request: dict[str, Any]) -> Any:
    """Return some columns of some rows."""
    import polars as pl

    rows = pl.scan_parquet(_at_start(file), glob=False).select(request["columns"])
    return _packed(rows.slice(request["start"], request["length"]).collect())


def _at_start(file: Any) -> Any:
    if isinstance(file, io.BytesIO):
        file.seek(0)
    return file


def _packed(frame: Any) -> Any:
    """Return a frame in a format that is read without decoding."""
    content = io.BytesIO()
    frame.rechunk().write_ipc(content)
    return content.getbuffer()


# -- spreadsheets --------------------------------------------------------------------------


def _limit(file: Any, request: dict[str, Any]) -> bytes:
    """Limit the memory and the processor time of this process."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (request["bytes"],) * 2)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        # In case the process that waits for the answer is gone.
        resource.setrlimit(resource.RLIMIT_CPU, (request["seconds"],) * 2)
    return b""


def _sheets(file: Any, request: dict[str, Any]) -> bytes:
    """Return the names of the sheets, and what is known of the first that is not empty.

    Where a sheet is wanted, only that one is checked. Its cells are kept for `_cells`.
    """
    import fastexcel

    wanted = request["sheet"]
    book = fastexcel.read_excel(file.getvalue())
    filled: list[str] = []
    for name in book.sheet_names:
        if wanted not in (None, name):
            continue
        sheet = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string")
        if sheet.total_height and (wanted is not None or sheet.visible == "visible"):
            if not filled:
                _kept[:] = [sheet]
            filled.append(name)
    size = _kept[0].total_height * _kept[0].width * 8 if filled else 0
    blanks = _blank_formulas(file, filled[0]) if filled else {}
    facts = {"names": book.sheet_names, "filled": filled, "size": size, "blanks": blanks}
    return json.dumps(facts).encode()


_kept: list[Any] = []


def _cells(file: Any, request: dict[str, Any]) -> Any:
    """Return the cells of the sheet that was chosen, as text."""
    return _packed(_kept[0].to_polars())


def _blank_formulas(file: Any, sheet: str) -> dict[int, str]:
    """Return .xlsx cells with a formula and no value, the first of each column that has one.

    Programs that write formulas without calculating them leave such cells. Columns are counted
    from the first that holds a value, as the decoder counts them.
    """
    if not zipfile.is_zipfile(file):
        return {}
    blanks: dict[int, str] = {}
    left = sys.maxsize
    with zipfile.ZipFile(file) as parts, suppress(KeyError, StopIteration):
        content = parts.read(_part_of(parts, sheet))
        if not _FORMULA.search(content):
            return {}
        for _, element in ET.iterparse(io.BytesIO(content)):
            if _tag(element) == "row":
                element.clear()
            place = _CELL.fullmatch(element.get("r", "")) if _tag(element) == "c" else None
            if place is None:
                continue
            column = 0
            for letter in place[1]:
                column = 26 * column + ord(letter) - ord("A") + 1
            inside = {_tag(part): part.text for part in element}
            # An empty text is a value: its cell has the type "str".
            if inside.get("v") or "is" in inside:
                left = min(left, column)
            elif "f" in inside and element.get("t") != "str":
                blanks.setdefault(column, place[0])
    return {column - left: name for column, name in blanks.items()}


def _part_of(parts: zipfile.ZipFile, sheet: str) -> str:
    """Return the name of the part of an .xlsx file that holds a sheet."""
    book = ET.fromstring(parts.read("xl/workbook.xml"))
    named = next(e for e in book.iter() if _tag(e) == "sheet" and e.get("name") == sheet)
    key = next(value for name, value in named.items() if name.endswith("}id"))
    links = ET.fromstring(parts.read("xl/_rels/workbook.xml.rels"))
    target = next(e.get("Target", "") for e in links if e.get("Id") == key)
    return target.lstrip("/") if target.startswith("/") else f"xl/{target}"


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


_TASKS = {"facts": _facts, "rows": _rows, "limit": _limit, "sheets": _sheets, "cells": _cells}

if __name__ == "__main__":
    main()
