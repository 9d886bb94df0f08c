"""The shapes of JSON values that hold a table: rows, columns, voters with lists, nested results."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from concordant.errors import InputError, cut, show
from concordant.formats.common.json_answers import answers_rows
from concordant.formats.common.json_nested import (
    META,
    best_ends,
    data_part,
    named_battles,
    results_rows,
    voters_outside,
    with_names,
)
from concordant.reading.grid import MOST_COLUMNS
from concordant.reading.words import key as word_key
from concordant.reading.words import place_of, role_of

_LONGEST_TEXT = 200
_MOST_NESTED = 3
_MOST_LEVELS = 12


class JsonTable(NamedTuple):
    """Rows of values, the first of which may name the columns.

    Attributes:
        rows: The values.
        lines: The number of the line, or of the record, of each row.
        headed: Whether the first row names the columns for sure.
        notes: What was chosen to make the table.
        titles: What stands beside the table and says what its numbers mean.
        items: The names of items that stand beside the table.
    """

    rows: list[list[Any]]
    lines: list[int]
    headed: bool
    notes: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    items: tuple[str, ...] = ()


def table_of(
    value: Any, lines: list[int] | None = None, depth: int = 0, layout: str | None = None
) -> JsonTable | None:
    """Return the table that a JSON value holds; None where it holds none."""
    if (
        depth == 0
        and isinstance(value, dict)
        and not _are_columns(value)
        and (named := with_names(_unwrapped(value), layout)) is not None
    ):
        return _named_table(*named)
    if isinstance(value, list) and value:
        value = _unwrapped(value)
        numbers = lines if lines and len(lines) == len(value) else list(range(1, len(value) + 1))
        if all(isinstance(each, dict) for each in value):
            alone = list(_lists_of_objects(value)) if len(value) == 1 else []
            if len(alone) == 1 and not any(role_of(k) in _DECIDED for k in value[0]):
                return table_of(alone[0])
            return _objects(value, numbers)
        if all(isinstance(each, list) for each in value):
            if any(isinstance(cell, list | dict) for each in value for cell in each):
                return JsonTable([["ranking"], *([each] for each in value)], [0, *numbers], True)
            return JsonTable(value, numbers, False)
    if not isinstance(value, dict) or not value:
        return None
    if depth == 0 and (inner := _in_envelope(value)) is not None:
        return table_of(inner)
    return _object(value, depth)


def _unwrapped(value: Any, depth: int = 0) -> Any:
    """Return a value with plain objects in its lists, as `{…}` for `{"node": {…}}`."""
    if isinstance(value, dict) and depth < _MOST_LEVELS:
        return {k: _unwrapped(part, depth + 1) for k, part in value.items()}
    if not isinstance(value, list) or not value or not isinstance(value[0], dict):
        return value
    keys = tuple(value[0])
    if len(keys) == 1 and all(
        isinstance(each, dict) and tuple(each) == keys and isinstance(each[keys[0]], dict)
        for each in value
    ):
        return [each[keys[0]] for each in value]
    return value


def _named_table(value: Any, note: str, names: list[str]) -> JsonTable | None:
    """Return the table of a value, the names of whose items are known."""
    part = next(iter(value.values())) if isinstance(value, dict) and len(value) == 1 else None
    alone = isinstance(part, dict) and data_part(value) is None
    table = table_of(part if alone else value)
    if table is None:
        return None
    head = table.rows[0]
    if table.headed and head[0] == "" and set(head[1:]) <= set(names):
        table = table._replace(rows=[["voter", *head[1:]], *table.rows[1:]])
    titles = table.titles or (tuple(value) if alone else ())
    notes = (note, *table.notes) if note else table.notes
    return table._replace(notes=notes, items=tuple(names), titles=titles)


def _object(value: dict[str, Any], depth: int) -> JsonTable | None:
    """Return the table of one object: its columns, its rows by name, or a part of it."""
    parts = list(value.values())
    if depth < _MOST_NESTED:
        part = data_part(value)
        table = None if part is None else table_of(part.value, None, depth + 1)
        if part is not None and table is not None:
            texts = (part.name, *value, *(v for v in value.values() if isinstance(v, str)))
            return _with_side(part.value, table, texts)._replace(titles=part.titles)
    if isinstance(value.get("columns"), list) and isinstance(value.get("data"), list):
        rows = [row for row in value["data"] if isinstance(row, list)]
        if len(rows) == len(value["data"]) and rows:
            return JsonTable([value["columns"], *rows], list(range(len(rows) + 1)), True)
    if all(isinstance(part, dict) for part in parts):
        inner = list(dict.fromkeys(key for part in parts for key in part))
        if _are_columns(value):
            return JsonTable(
                [list(value), *([part.get(k) for part in parts] for k in inner)],
                list(range(len(inner) + 1)),
                True,
            )
        parts = [_without_shells(part) for part in parts]
        inner = list(dict.fromkeys(key for part in parts for key in part))
        value = dict(zip(value, parts, strict=True))
        if _counts(list(value)):
            return _objects(parts, list(range(1, len(parts) + 1)))
        rows = [
            ["", *inner],
            *([key, *(part.get(k) for k in inner)] for key, part in value.items()),
        ]
        return JsonTable(rows, list(range(len(rows))), True)
    if len(parts) > 1 and all(isinstance(part, str) and ">" in part for part in parts):
        ballots = [["voter", "ranking"], *map(list, value.items())]
        return JsonTable(ballots, list(range(len(ballots))), True)
    if all(isinstance(part, list) for part in parts):
        flat = not any(isinstance(cell, list | dict) for part in parts for cell in part)
        named = any(role_of(key) not in (None, "voter") or place_of(key) for key in value)
        deep = max(len(part) for part in parts)
        if flat and named:
            even = [[*part, *[None] * (deep - len(part))] for part in parts]
            return JsonTable(
                [list(value), *map(list, zip(*even, strict=True))], list(range(deep + 1)), True
            )
        listed = [{"voter": key, "ranking": part} for key, part in value.items()]
        if (nested := results_rows(listed)) is not None:
            return JsonTable(nested[0], list(range(len(nested[0]))), True, tuple(nested[1]))
        if not any(isinstance(cell, dict) for part in parts for cell in part) and len(value) > 1:
            each = [[key, part] for key, part in value.items()]
            return JsonTable([["voter", "ranking"], *each], list(range(len(each) + 1)), True)
    links = value.get("links", value.get("edges"))
    if isinstance(links, list) and isinstance(value.get("nodes"), list):
        # A graph: its nodes stand in the edges.
        return table_of(links, None, depth + 1)
    # One part of the object is the table.
    if depth < _MOST_NESTED:
        found: list[Any] = [
            part
            for part in parts
            if isinstance(part, list) and part and isinstance(part[0], dict | list)
        ]
        inner = [part for part in parts if isinstance(part, dict)]
        if len(found) == 1 or (not found and len(inner) == 1):
            table = table_of((found or inner)[0], None, depth + 1)
            titles = best_ends(value)
            if table is not None:
                return table._replace(titles=table.titles or titles)
    alone = list(_lists_of_objects(value)) if depth == 0 else []
    return table_of(alone[0]) if len(alone) == 1 else None


def _in_envelope(value: Any) -> list[Any] | None:
    """Return the list of objects that stands alone, deep in objects with one part each."""
    for _ in range(_MOST_LEVELS):
        parts = [
            part
            for name, part in value.items()
            if isinstance(part, dict | list) and part and word_key(name) not in META
        ] or list(value.values())
        if len(parts) != 1:
            return None
        value = parts[0]
        if isinstance(value, list):
            deep = len(value) > 1 and all(isinstance(each, dict) for each in value)
            nodes = deep and all(set(each) == {"node"} for each in value)
            return value if nodes else None
        if not isinstance(value, dict):
            return None
    return None


# In an object that is one item or one voter: {"player": {"id": 7, "name": "Ann"}}.
_CALLED = ("name", "fullname", "displayname", "nickname", "username", "gamertag", "title", "label")
# The roles of keys of a single result.
_DECIDED = ("winner", "loser", "left", "right", "rank")


def _lists_of_objects(value: Any, depth: int = 0) -> Iterator[list[Any]]:
    """Yield the lists of several objects that stand within other objects, as in an envelope."""
    if isinstance(value, list):
        if len(value) > 1 and all(isinstance(each, dict) for each in value):
            yield value
        elif len(value) == 1 and depth < _MOST_LEVELS:
            yield from _lists_of_objects(value[0], depth + 1)
    elif isinstance(value, dict) and depth < _MOST_LEVELS:
        for each in value.values():
            yield from _lists_of_objects(each, depth + 1)


def _with_side(value: Any, table: JsonTable, texts: Iterable[str]) -> JsonTable:
    """Name the first column of objects in an object `voter`, where words show it."""
    names = table.rows[0]
    if not isinstance(value, dict) or not table.headed or names[0] != "":
        return table
    if not voters_outside(value, map(str, names[1:]), texts):
        return table
    note = f"voters are the outer keys: {', '.join(map(show, list(value)[:3]))}"
    return table._replace(rows=[["voter", *names[1:]], *table.rows[1:]], notes=(note,))


def _without_shells(part: dict[str, Any]) -> dict[str, Any]:
    """Return an object whose values are numbers, where each is alone in an object of its own."""
    if part and all(isinstance(each, dict) and len(each) == 1 for each in part.values()):
        return {key: next(iter(each.values())) for key, each in part.items()}
    return part


def _are_columns(value: dict[str, Any]) -> bool:
    """Return whether an object holds columns, each an object with its rows by number."""
    parts = list(value.values())
    return all(isinstance(part, dict) for part in parts) and _counts(
        list(dict.fromkeys(key for part in parts for key in part))
    )


def _counts(keys: Sequence[str]) -> bool:
    return bool(keys) and list(keys) == [str(k) for k in range(len(keys))]


def _objects(objects: list[dict[str, Any]], lines: list[int]) -> JsonTable:
    """Return the table whose rows are objects; objects in them are columns `key [inner key]`."""
    nested = results_rows(objects)
    if nested is not None:
        return JsonTable(nested[0], list(range(len(nested[0]))), True, tuple(nested[1]))
    if (answers := answers_rows(objects)) is not None:
        return JsonTable(answers[0], [0, *lines], True, (answers[1],))
    columns: dict[tuple[str, str | None], int] = {}
    rows: list[list[Any]] = []
    keys: list[str] = []
    for each in objects:
        if len(columns) == len(keys) == len(each) and list(each) == keys:
            row = list(each.values())
            if not any(isinstance(value, dict) for value in row):
                rows.append(row)
                continue
        row = [None] * len(columns)
        for key, value in each.items():
            inside = value.items() if isinstance(value, dict) else ((None, value),)
            for inner, cell in inside:
                place = columns.setdefault((key, inner), len(columns))
                if place == len(row):
                    row.append(cell)
                else:
                    row[place] = cell
        rows.append(row)
        keys = keys or list(each)
        if len(columns) > MOST_COLUMNS:
            raise InputError(f"the objects have more than {MOST_COLUMNS:,} keys: these are no rows")
    if not columns:
        raise InputError("the objects have no keys: each object must be a row of a table")
    called = {key for key, inner in columns if inner is not None and word_key(inner) in _CALLED}
    names = [
        key if inner is None else f"{key} {inner}" if key in called else f"{key} [{inner}]"
        for key, inner in columns
    ]
    names = named_battles(names, rows) or names
    return JsonTable([names, *rows], [0, *lines], True)


def bucket_of(part: Any) -> Iterable[Any]:
    """Return the tied items of a place in a list."""
    return part if isinstance(part, list) else (part,)


def scalar(value: Any) -> str:
    """Return a value as the text of a cell."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else cut(json.dumps(value), _LONGEST_TEXT)
