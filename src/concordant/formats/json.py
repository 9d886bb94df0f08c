"""Concordant's own `json`: everything that `Rankings` holds, exactly.

    {"format": "concordant-rankings", "version": 1, "unranked": "unknown",
     "n_rankings": 4, "n_voters": 4,
     "items": ["a", "b", 3],
     "rankings": [{"weight": 3, "voter": "Ann", "buckets": [[0], [1, 2]]},
                  {"weight": "1/3", "buckets": []}]}

A bucket holds positions in `items`, from 0. A weight is a number, or a text such as "1/3" if no
decimal is exact. An item is a text, a number, true, false, null, or a list of these (which stands
for a tuple). A file without `n_voters` has the number of voters that its weights have elsewhere:
see `Rankings`. If the names of voters are known, each voter has a ranking of its own, and the
rankings of one name are not merged.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from concordant._checks import check_unranked
from concordant._names import plain_name, read_name
from concordant._types import Item
from concordant.errors import InputError, cut, show
from concordant.formats.common.json_text import JsonText
from concordant.formats.common.registry import MAYBE, NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import Ballots
from concordant.rankings import Rankings
from concordant.units import LARGEST, Weight, decimal_text, exact_weight

_MARK = "concordant-rankings"
_VERSION = 1
# Weights keep their decimals: a float would round them.
_EXACT = json.JSONDecoder(parse_float=Decimal)


def read_json(source: Source) -> Rankings:
    """Read Concordant's own JSON, which also says what an unranked item means."""
    walk = JsonText(source)
    ballots = Ballots(source)
    fields: dict[str, Any] = {}
    lines: dict[str, int] = {}
    line, last = 1, 0
    for key in walk.members():
        walk.next()
        lines[key] = walk.text.count("\n", 0, walk.position) + 1
        if key != "rankings" or walk.next() != "[":
            fields[key] = walk.value()
            continue
        fields[key] = True
        # Counting lines from the last ranking keeps the time linear.
        for start in walk.elements():
            line, last = line + walk.text.count("\n", last, start), start
            buckets, weight, voter = _read_ranking(source, walk.value(_EXACT), line)
            ballots.add(buckets, weight, line, voter=voter)
    if walk.rest():
        raise walk.error("there is text after the end of the JSON object")
    return _assemble(source, ballots, fields, lines)


# The keys of what servers answer in place of data.
_SAID = ("message", "error", "detail", "errormessage", "error_description")


def _assemble(
    source: Source,
    ballots: Ballots,
    fields: dict[str, Any],
    lines: dict[str, int],
) -> Rankings:
    if fields.get("format") != _MARK:
        said = next((fields[k] for k in _SAID if isinstance(fields.get(k), str)), None)
        if said is not None and not any(isinstance(v, list | dict | bool) for v in fields.values()):
            raise source.error(
                f"the file holds the message of a server in place of data: {show(cut(said, 60))}. "
                "Download it again"
            )
        raise source.error(
            f'not a JSON file of rankings: it must have "format": "{_MARK}"'
            + (" (this is a result)" if {"ranking", "cost"} <= fields.keys() else ""),
            lines.get("format", 1),
        )
    if type(fields.get("version")) is not int or fields["version"] != _VERSION:
        raise source.error(
            f"the file has version {cut(repr(fields.get('version')))}, and only {_VERSION} is "
            "known: read it with a newer Concordant",
            lines.get("version", 1),
        )
    for key in ("items", "rankings"):
        if key not in fields:
            raise source.error(f'the JSON object has no "{key}"', 1)
    items = fields["items"]
    if not isinstance(items, list):
        raise source.error('"items" must be a list of names', lines["items"])
    if fields["rankings"] is not True:
        raise source.error('"rankings" must be a list', lines["rankings"])
    names = [_read_item(source, item, lines["items"]) for item in items]
    if not names:
        raise source.error("there is no item to rank", lines["items"])
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise source.error(f"item {cut(repr(twice))} is listed twice", lines["items"])
    said = fields.get("unranked", "unknown")
    if said not in ("unknown", "last"):
        raise source.error('"unranked" must be "unknown" or "last"', lines["unranked"])
    for key in ("n_rankings", "n_voters"):
        count = fields.get(key)
        if count is not None and (type(count) is not int or not 0 <= count < LARGEST):
            raise source.error(f'"{key}" must be a whole number, 0 or more', lines[key])
    ballots.count, ballots.n_voters = fields.get("n_rankings"), fields.get("n_voters")
    return ballots.rankings(names, check_unranked(said))


def _read_item(source: Source, item: Any, line: int) -> Item:
    try:
        return read_name(item)
    except InputError as error:
        raise source.error(error, line) from None


def _read_ranking(
    source: Source, value: Any, line: int
) -> tuple[list[list[int]], Weight, Item | None]:
    if not isinstance(value, dict) or not isinstance(value.get("buckets"), list):
        raise source.error(
            'a ranking must have the form {"weight": 1, "buckets": [[0], [2, 1]]}', line
        )
    for bucket in value["buckets"]:
        if not isinstance(bucket, list) or not all(type(item) is int for item in bucket):
            raise source.error(
                f"a bucket must be a list of positions in items, not {cut(repr(bucket))}", line
            )
        for item in bucket:
            if not 0 <= item < 2**31:
                raise source.error(f"there is no item at position {cut(str(item))}", line)
    weight = _read_json_weight(source, value.get("weight", 1), line)
    voter = value.get("voter")
    if isinstance(voter, Decimal):
        voter = float(voter)
    return value["buckets"], weight, _read_item(source, voter, line)


def _read_json_weight(source: Source, value: Any, line: int) -> Weight:
    try:
        if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
            raise ValueError
        if isinstance(value, str) and len(value) > 100:
            raise ValueError
        if isinstance(value, Decimal) and not -400 < value.adjusted() < 400:
            raise ValueError
        weight = Fraction(value)
    except (ValueError, ZeroDivisionError, OverflowError):
        raise source.error(
            f"a weight must be a number, or a text such as '1/3', not {cut(repr(value))}", line
        ) from None
    if weight < 0:
        raise source.error(f"the weight {cut(str(value))} is negative", line)
    if weight >= LARGEST:
        raise source.error(f"the weight {cut(str(value))} is too large to count exactly", line)
    return int(weight) if weight.denominator == 1 else weight


def write_json(data: Rankings, path: Path) -> Iterator[str]:
    """Yield the lines of the JSON text, one ranking per line."""
    yield "{\n"
    yield f' "format": "{_MARK}",\n "version": {_VERSION},\n'
    yield f' "unranked": "{data.unranked}",\n'
    yield f' "n_rankings": {data.n_rankings},\n "n_voters": {data.n_voters},\n'
    yield f' "items": {_dump([plain_name(item) for item in data.items])},\n'
    yield ' "rankings": ['
    separator = "\n"
    for ranking, weight, voter in _voters(data):
        text = decimal_text(weight) or f'"{weight}"'
        name = "" if voter is None else f'"voter": {_dump(_plain_voter(voter))}, '
        yield f'{separator}  {{"weight": {text}, {name}"buckets": {_dump(ranking)}}}'
        separator = ",\n"
    yield "\n ]\n}\n"


def _plain_voter(name: Item) -> Any:
    """Return the form that the name of a voter has in JSON: text where it has no other."""
    try:
        return plain_name(name)
    except InputError:
        return str(name)


def _voters(data: Rankings) -> Iterator[tuple[list[list[int]], Weight, Item | None]]:
    """Yield the ranking, the weight and the name of each voter, or each distinct ranking."""
    rankings = list(data.numbered())
    if data.known is None:
        for ranking, weight in zip(rankings, data.exact_weights, strict=True):
            yield ranking, weight, None
        return
    known = data.known
    each = zip(known.which.tolist(), known.units.tolist(), known.names, strict=True)
    for r, units, name in each:
        yield rankings[r], exact_weight(units, data.scale), name


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def sniff(source: Source) -> int:
    """Recognise Concordant's own JSON by its mark, and any other by its first character."""
    if not source.sample or source.sample[0][0] not in "{[":
        return NO
    return SURE if any(_MARK in line for line in source.sample) else MAYBE


FORMAT = Format(
    "json",
    "Concordant's own: everything, exactly",
    (".json",),
    read_json,
    write_json,
    sniff,
    weights="exact",
    unranked=True,
    voters=True,
)
