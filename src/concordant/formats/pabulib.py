"""`pabulib`, votes on projects of participatory budgeting: META, PROJECTS and VOTES. Only read.

Each section has a line of names and lines of values, separated by semicolons. The kind of the votes
(`vote_type`) shows what a vote means: an order, a set of approved projects, or points.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping

from concordant.errors import cut, listed
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import Ballots, distinct_names
from concordant.rankings import Rankings
from concordant.reading.cells import Style, number

_SECTIONS = ("META", "PROJECTS", "VOTES")
_SETS = ("approval", "choose-1")
_POINTS = ("cumulative", "scoring")

# The values of a line by the names of the columns, and its number.
_Row = tuple[Mapping[str, str], int]


def read_pabulib(source: Source) -> Rankings:
    """Read the votes. Projects that a vote leaves out are last, unless it is an order."""
    sections = _sections(source)
    meta = {row["key"]: row["value"] for row, _ in sections["META"] if {"key", "value"} <= {*row}}
    kind = meta.get("vote_type", "").casefold()
    if kind not in ("ordinal", *_SETS, *_POINTS):
        known = listed(("ordinal", *_SETS, *_POINTS), 5)
        raise source.error(f"the vote_type {cut(kind)!r} is unknown; known are {known}")
    projects = sections["PROJECTS"]
    index: dict[str, int] = {}
    for row, line in projects:
        name = row.get("project_id", "")
        if not name or name in index:
            what = f"project {cut(name)!r} is listed twice" if name else "there is no project_id"
            raise source.error(what, line)
        index[name] = len(index)
    ballots = Ballots(source)
    for row, line in sections["VOTES"]:
        names = [name.strip() for name in row.get("vote", "").split(",") if name.strip()]
        unknown = next((name for name in names if name not in index), None)
        if unknown is not None:
            raise source.error(f"there is no project {cut(unknown)!r}", line)
        numbers = [index[name] for name in names]
        if kind in _POINTS:
            buckets = _by_points(source, numbers, row.get("points", ""), line)
        else:
            buckets = [numbers] if kind in _SETS else [[number] for number in numbers]
        ballots.add(buckets, 1, line, voter=row.get("voter_id") or None)
    items = distinct_names([row.get("name") or row["project_id"] for row, _ in projects])
    return ballots.rankings(items, unranked="unknown" if kind == "ordinal" else "last")


def _sections(source: Source) -> dict[str, list[_Row]]:
    """Return the rows of each section."""
    found: dict[str, list[_Row]] = {}
    rows: list[_Row] | None = None
    names: list[str] = []
    for line, text in enumerate(source.lines, start=1):
        if text.strip().strip(";") in _SECTIONS:
            rows, names = found.setdefault(text.strip().strip(";"), []), []
        elif text.strip() and rows is not None:
            try:
                cells = [cell.strip() for cell in next(csv.reader([text], delimiter=";"))]
            except csv.Error as error:
                raise source.error(f"not a line of values: {error}", line) from None
            if names:
                rows.append((dict(zip(names, cells, strict=False)), line))
            else:
                names = [cell.casefold() for cell in cells]
    missing = [name for name in _SECTIONS if name not in found]
    if missing:
        raise source.error(f"there is no section {missing[0]}", source.last_line)
    return found


def _by_points(source: Source, numbers: list[int], text: str, line: int) -> list[list[int]]:
    """Return the projects of a vote by their points, most first; no points are none."""
    cells = [cell.strip() for cell in text.split(",") if cell.strip()]
    points = [number(cell, Style()) or 0.0 for cell in cells]
    if not all(number(cell, Style()) is not None for cell in cells):
        raise source.error(f"the points {cut(text)!r} are not numbers", line)
    if len(points) != len(numbers):
        raise source.error(f"the vote has {len(numbers)} projects and {len(points)} points", line)
    pairs = list(zip(numbers, points, strict=True))
    return [
        [number for number, mine in pairs if mine == level]
        for level in sorted({each for each in points if each}, reverse=True)
    ]


def sniff(source: Source) -> int:
    """Recognise such a file by its first line."""
    return SURE if source.opening[0].strip(";") == "META" else NO


FORMAT = Format(
    "pabulib",
    "votes of participatory budgeting: META, PROJECTS and VOTES (only read)",
    (".pb",),
    read_pabulib,
    None,
    sniff,
    weights="repeats",
    unranked=True,
)
