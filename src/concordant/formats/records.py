r"""`records`: tables as JSON: an object a line, a list of objects, or an object of lists.

    {"model_a": "ada", "model_b": "brio", "winner": "model_a"}
    {"model_a": "brio", "model_b": "cato", "winner": "tie"}

Each object is a row, and its keys are the columns. A list in a cell is a ranking, best first, with
ties as a list in the list. An object in a cell has a number for each item. What the columns mean
is found as in `csv`.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from concordant._reading import options_of
from concordant.errors import InputError, show
from concordant.formats.common.battles import battle_columns, read_battle_columns
from concordant.formats.common.json_nested import chat_of
from concordant.formats.common.json_shapes import JsonTable, bucket_of, scalar, table_of
from concordant.formats.common.json_text import JsonText
from concordant.formats.common.registry import LIKELY, NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import (
    make_rankings,
    rankings_of,
    read_grid,
    without_collecting,
)
from concordant.formats.text import lists_read
from concordant.rankings import Rankings
from concordant.reading.cells import Style
from concordant.reading.decide import Decision
from concordant.reading.findings import QuestionError
from concordant.reading.grid import MOST_COLUMNS, Grid
from concordant.reading.options import Options, make_options
from concordant.reading.words import is_ordered
from concordant.tables.columns import Plan

if TYPE_CHECKING:
    import polars as pl

# The marks of other JSON files: Concordant's own rankings and results.
_OTHERS = ('"concordant-rankings"', '"lower_bound"')
# A longer text is recognised by its first characters.
_LONGEST = 2**20
# The number of rows from which the layout of a large table is found, and of those at its end.
_SAMPLE, _LAST = 1000, 10


def _no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(
            f"the key {show(next(k for k in keys if keys.count(k) > 1))} is there twice"
        )
    return found


# Numbers keep their digits.
_DECODER = json.JSONDecoder(
    object_pairs_hook=_no_twins,
    parse_float=str,
    parse_int=str,
    parse_constant=lambda word: None if word == "NaN" else word,
)


def read_records(source: Source, **given: Any) -> Rankings:
    """Read a table that is written as JSON; `given` are the options for tables."""
    options = make_options(given)
    source.encoding = options.encoding
    with without_collecting():
        values, lines, by_line = _values(source)
        try:
            return _read_values(source, values, lines, options)
        except QuestionError as error:
            raise (error if by_line else error.rows_as("record")) from None
        except InputError as error:
            if by_line or error.line is None:
                raise source.error(error) from None
            message = f"record {error.line}: {error.message}"
            raise InputError(message, path=source.path, hints=error.hints) from None


def _read_values(source: Source, values: Any, lines: list[int], options: Options) -> Rankings:
    thread = chat_of(values)
    if thread is not None:
        from concordant.reading.text import find_in_thread

        lists = find_in_thread(thread, Style(missing=options.missing))
        if lists is not None:
            texts = {line.row: line.text for line in thread.lines}
            shown = [texts.get(row, "") for row in range(max(texts) + 1)]
            return lists_read(source, lists, shown, options)
    table = table_of(values, lines, layout=options.layout)
    if table is None:
        raise InputError(
            "the JSON text holds no table: write a list of objects, one for each row, such as "
            '[{"voter": "Ann", "item": "tea", "rank": 1}]'
        )
    names = [scalar(name) for name in table.rows[0]]

    def column(name: Any) -> pl.Series:
        from concordant._polars import pl

        text = _texts(table, place := names.index(str(name)))
        cells = [text(row[place]) if place < len(row) else "" for row in table.rows[1:]]
        return pl.Series([cell or None for cell in cells], dtype=pl.String)

    n_rows = len(table.rows) - 1

    def fast(plan: Plan) -> Rankings:
        return make_rankings(source, plan, column, n_rows, lambda row: table.lines[row + 1])

    def battles(decision: Decision) -> Rankings | None:
        columns = battle_columns(decision)
        found = columns and read_battle_columns(decision, columns, column, n_rows)
        return rankings_of(source, found) if found else None

    grid = _grid(table, _SAMPLE)
    return read_grid(source, grid, options, fast=fast, whole=lambda: _grid(table), battles=battles)


# -- the values of the text ------------------------------------------------------------------


def _values(source: Source) -> tuple[Any, list[int], bool]:
    """Return the value of the text, or the list of its values, with their lines.

    The last is False where several values are in one line: then they are numbered instead.
    """
    walk = JsonText(source)
    found: list[Any] = []
    lines: list[int] = []
    line, last = 1, 0

    def read(start: int) -> None:
        nonlocal line, last
        line, last = line + walk.text.count("\n", last, start), start
        lines.append(line)
        found.append(walk.value(_DECODER))

    if walk.next() == "[":
        for start in walk.elements():
            read(start)
        if walk.rest() and walk.next() == "[":
            # Lists in lines of their own.
            walk.position, line, last = 0, 1, 0
            found.clear()
            lines.clear()
            while walk.rest():
                read(walk.position)
        elif walk.rest():
            raise walk.error("there is text after the end of the JSON list")
    else:
        while walk.rest():
            if walk.next() not in "{[":
                raise walk.error("there is text between the JSON objects")
            read(walk.position)
        if len(found) == 1:
            return found[0], lines, True
    by_line = len(set(lines)) == len(lines)
    return found, lines if by_line else list(range(1, len(lines) + 1)), by_line


# -- from rows to cells ----------------------------------------------------------------------


def _grid(table: JsonTable, most: int | None = None) -> Grid:
    """Return the cells of a table as text: all, or about the first `most` rows and the last."""
    width = max(len(row) for row in table.rows)
    if width > MOST_COLUMNS:
        raise InputError(f"a row has {width:,} values: a table has at most {MOST_COLUMNS:,}")
    rows, lines = table.rows, table.lines
    whole = most is None or len(rows) <= 2 * most or not table.headed
    if not whole:
        rows, lines = [*rows[:most], *rows[-_LAST:]], [*lines[:most], *lines[-_LAST:]]
    texts = [_texts(table, k) for k in range(width)]
    cells = [[text(cell) for text, cell in zip(texts, row, strict=False)] for row in rows]
    if table.headed:
        cells[0] = [scalar(name) for name in rows[0]]
    notes = [("chosen", note) for note in table.notes]
    return Grid(
        cells,
        lines,
        format="records",
        header=table.headed,
        whole=whole,
        notes=notes,
        titles=table.titles,
        items=table.items,
    )


def _texts(table: JsonTable, place: int) -> Callable[[Any], str]:
    """Return the function that writes the values of a column as text."""
    lists = [
        row[place]
        for row in table.rows[table.headed :]
        if place < len(row) and isinstance(row[place], list)
    ]
    name = scalar(table.rows[0][place]) if table.headed and place < len(table.rows[0]) else ""
    if not lists:
        return scalar
    if any(isinstance(part, dict) or _is_deep(part) for each in lists for part in each):
        # Messages of a conversation, and the like.
        return lambda value: "[…]" if isinstance(value, list) else scalar(value)
    names = [scalar(cell) for each in lists for part in each for cell in bucket_of(part)]
    tied = any(isinstance(part, list) and len(part) > 1 for each in lists for part in each)
    mark = " > " if is_ordered(name) or tied else "\n"
    if any(set(text) & set(">=") for text in names):
        if tied or any("\n" in text for text in names):
            raise InputError(
                f"names in the lists of {show(name)} contain > or =, and ties: write a long table "
                "(voter, item, rank)"
            )
        mark = "\n"

    def text(value: Any) -> str:
        if not isinstance(value, list):
            return scalar(value)
        return mark.join(" = ".join(map(scalar, bucket_of(part))) for part in value)

    return text


def _is_deep(part: Any) -> bool:
    return isinstance(part, list) and any(isinstance(cell, list | dict) for cell in part)


def sniff(source: Source) -> int:
    """Recognise objects in lines, and lists or objects that hold a table."""
    lines = source.sample
    if (
        not lines
        or lines[0][0] not in "{["
        or any(mark in line for line in lines for mark in _OTHERS)
    ):
        return NO
    first = source.text[:_LONGEST].lstrip()
    following = first[1:].lstrip()[:1]
    if following not in tuple('"{[]}'):
        return NO
    if len(source.text) > _LONGEST:
        return LIKELY if first[0] == "[" or _is_object(lines[0]) else NO
    try:
        values, numbers, _ = _values(source)
    except InputError:
        # The reader says what is wrong with lines or a list of objects.
        objects = len(lines) > 1 and all(line.startswith("{") for line in lines[:2])
        return LIKELY if objects or (first[0] == "[" and following == "{") else NO
    try:
        return SURE if table_of(values, numbers) is not None else NO
    except InputError:
        # A table with a fault, which the reader names.
        return SURE


def _is_object(line: str) -> bool:
    """Return whether a line holds an object alone, or the beginning of a long one."""
    return line.startswith('{"') and (line.endswith("}") or len(line) >= 1000)


FORMAT = Format(
    "records",
    "tables as JSON: an object a line, or a list of objects",
    (".jsonl", ".ndjson"),
    read_records,
    sniff=sniff,
    options=options_of("records"),
)
