"""`abif`, the aggregated ballot information format: =token:[name], then 27:A>B=C or 27:A/5,B/3."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

from concordant.errors import cut
from concordant.formats.common.registry import LIKELY, MAYBE, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import Ballots, printed_names, read_order, read_weight
from concordant.rankings import Rankings

_NAME = r'\[([^\[\]]*+)\]|"([^"]*+)"|([^\s>=,/:#\[\]"{}*][^>=,/:#\[\]"{}*]*+)'
_VOTE = re.compile(r"\s*+([^\s:*\[\]\"=]++)\s*+[:*](.*+)", re.DOTALL)
_CANDIDATE = re.compile(
    rf"\s*+=\s*+(?:{_NAME})\s*+:\s*+(?:\[([^\[\]]*+)\]|([^\[\]#]++))?+\s*+(?:#.*+)?+"
)
_PREFERENCE = re.compile(
    rf"\s*+(?:{_NAME})\s*+(?:/\s*+([+-]?[\d.]++)\s*+)?+([>=,]|:\s*+\{{.*+|#.*+|$)", re.DOTALL
)
_HEADER = re.compile(r"\s*+ABIF\s*+[\d.]*+\s*+(\{.*)?+", re.ASCII)
# A line without a count is one ballot if it contains one of these.
_UNCOUNTED = re.compile(r"[>=,]")
_MARKS = re.compile(r'[,/:#\[\]"{}*]')
_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


class _Names:
    """The candidates by token and by name; an undeclared one is added when it occurs."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._index: dict[str, int] = {}

    def declare(self, token: str, name: str) -> bool:
        """Add a candidate; return False if its token or its name is already used."""
        if token in self._index or name in self._index:
            return False
        self._index[token] = self._index[name] = len(self.names)
        self.names.append(name)
        return True

    def __getitem__(self, token: str) -> int:
        number = self._index.get(token)
        if number is None:
            number = self._index[token] = len(self.names)
            self.names.append(token)
        return number


def read_abif(source: Source) -> Rankings:
    """Read the aggregated ballot information format: ranked or scored ballots."""
    names = _Names()
    votes: list[tuple[int, str]] = []
    # Declarations and ballots may be mixed: read all declarations first.
    for line, text in enumerate(source.lines, start=1):
        start = text.lstrip()[:1]
        if start in ("", "#", "{") or _HEADER.fullmatch(text):
            continue
        if start != "=":
            votes.append((line, text))
            continue
        match = _CANDIDATE.fullmatch(text)
        if match is None:
            raise source.error(
                f"{cut(text.strip())!r} does not declare a candidate as '=token:[Full name]'", line
            )
        token = (match[1] or match[2] or match[3] or "").strip()
        if not names.declare(token, (match[4] or match[5] or "").strip() or token):
            raise source.error(f"candidate {cut(token)!r} or its name is declared twice", line)
    ballots = Ballots(source)
    known: dict[str, list[list[int]]] = {}
    for line, text in votes:
        match = _VOTE.fullmatch(text)
        if match is not None:
            weight = read_weight(source, match[1], line, "number of ballots")
            ballot = match[2]
        elif _UNCOUNTED.search(text):
            weight, ballot = 1, text
        else:
            raise source.error(
                f"{cut(text.strip())!r} does not have the form 'count: A > B = C'", line
            )
        if ballot not in known:
            known[ballot] = _read_ballot(source, ballot, line, names)
        ballots.add(known[ballot], weight, line)
    if not names.names:
        raise source.error("there is no item to rank", source.last_line)
    return ballots.rankings(names.names)


def _read_ballot(source: Source, text: str, line: int, names: _Names) -> list[list[int]]:
    """Read `A > B = C`, or `A/5, B/3` by score."""
    if not text.strip() or text.lstrip().startswith("#"):
        return []
    if not _MARKS.search(text):
        # Most ballots are plain tokens: this is faster.
        return read_order(source, text, line, names.__getitem__)
    buckets: list[list[int]] = [[]]
    seen: set[int] = set()
    scores: list[tuple[Fraction, int]] = []
    separators, position, separator = "", 0, ","
    while separator in (">", "=", ","):
        match = _PREFERENCE.match(text, position)
        if match is None:
            raise source.error(
                f"expected a candidate, then > or = or a comma, at {cut(text[position:])!r}",
                line,
            )
        position = match.end()
        bracketed, quoted, plain, score, separator = match.groups()
        name = next(part for part in (bracketed, quoted, plain) if part is not None).strip()
        if not name:
            raise source.error("a candidate has no name", line)
        item = names[name]
        source.check_once(item, seen, name, line)
        buckets[-1].append(item)
        if score is not None:
            try:
                scores.append((Fraction(score), item))
            except ValueError:
                raise source.error(f"{cut(score)!r} is not a score", line) from None
        if separator == ">":
            buckets.append([])
        separators += separator[:1]
    # With > or =, these give the ranking; with commas only, the scores do.
    if ">" in separators or "=" in separators or not scores:
        return buckets
    if len(scores) < len(buckets[0]):
        raise source.error("some candidates have a score and some do not", line)
    levels: dict[Fraction, list[int]] = {}
    for value, item in scores:
        levels.setdefault(value, []).append(item)
    return [levels[value] for value in sorted(levels, reverse=True)]


def write_abif(data: Rankings, path: Path) -> Iterator[str]:
    """Yield the lines of an abif file: declarations, then ballots."""
    names = printed_names(data.items, "abif", "[]")
    taken, tokens = set(names), []
    for number, name in enumerate(names, start=1):
        token = name
        if not _TOKEN.fullmatch(name):
            token = f"c{number}"
            while token in taken:
                token += "_"
            taken.add(token)
        tokens.append(token)
        yield f"={token}:[{name}]\n"
    for ranking, count in zip(data.numbered(), data.exact_weights, strict=True):
        order = ">".join("=".join(tokens[item] for item in bucket) for bucket in ranking)
        yield f"{count}:{order}\n"


_COUNTED = re.compile(r"\d+(\.\d+)?\s*[:*]", re.ASCII)


def sniff(source: Source) -> int:
    """Recognise an abif file by counts with colons, also below a line in braces, as in JSON."""
    lines = source.sample
    if lines and lines[0][0] in "{[":
        return LIKELY if any(_COUNTED.match(line) or line[0] == "=" for line in lines) else NO
    opening = [
        bool(_COUNTED.match(line)) or (line[:1] == "=" and len(set(line)) > 2)
        for line in source.opening[:2]
    ]
    if not any(opening):
        return NO
    first = source.opening[0]
    if opening[0] or first[:1] == "#" or _UNCOUNTED.search(first.replace(",", "")):
        return LIKELY
    # Below a line without a count, which may be a title.
    return MAYBE


FORMAT = Format(
    "abif",
    "aggregated ballot information format: 27:Ann>Bo=Cy, or scores",
    (".abif",),
    read_abif,
    write_abif,
    sniff,
)
