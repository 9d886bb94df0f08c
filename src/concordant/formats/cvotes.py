"""`cvotes`, the Condorcet election format: #/Candidates: A ; B, then A > B = C ^weight * count."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from concordant.errors import cut
from concordant.formats.common.registry import MAYBE, NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import Ballots, printed_names, read_order, read_weight
from concordant.rankings import Rankings

_VOTE = re.compile(r"([^*^]*+)(?:\^([^*]*+))?+(?:\*(.*+))?+", re.DOTALL)
_EMPTY = ("/EMPTY_RANKING/", "/EMPTY/")
_STRAY = re.compile(r"[<;,/|]")
_RESERVED = "><=;,#/*^|"


def read_cvotes(source: Source) -> Rankings:
    """Read the Condorcet election format.

    The file says what an unranked candidate means: `#/Implicit Ranking: true`, the default of the
    format, means last. `unranked` overrides it.
    """
    names: list[str] | None = None
    implicit, weighted = True, False
    votes: list[tuple[int, str]] = []
    for line, text in enumerate(source.lines, start=1):
        if not text.startswith("#/"):
            vote = text.split("#", 1)[0]
            if vote.strip():
                votes.append((line, vote))
            continue
        key, colon, value = (part.strip() for part in text[2:].partition(":"))
        if not colon:
            raise source.error(f"{cut(text)!r} does not have the form '#/Name: value'", line)
        if votes:
            raise source.error("a parameter must come before the first vote", line)
        if key.lower() == "candidates":
            names = _read_candidates(source, value, line)
        elif key.lower() == "implicit ranking":
            implicit = _read_flag(source, key, value, line)
        elif key.lower() == "weight allowed":
            weighted = _read_flag(source, key, value, line)
    index = {name: number for number, name in enumerate(names or [])}
    ballots = Ballots(source)
    known: dict[str, list[list[int]]] = {}
    for line, vote in votes:
        match = _VOTE.fullmatch(vote.split("||", 1)[-1].strip())
        if match is None:
            raise source.error(
                f"{cut(vote.strip())!r} does not have the form 'A > B = C ^weight * count'", line
            )
        order, weight, count = match.groups()
        number = _read_whole(source, count, line, "count")
        # The weight must be a number even if the file says that weights do not count.
        each = _read_whole(source, weight, line, "weight")
        if order not in known:
            known[order] = _read_vote(source, order.strip(), line, index, names is None)
        ballots.add(known[order], number * each if weighted else number, line, number)
    if not index:
        raise source.error("there is no item to rank", source.last_line)
    return ballots.rankings(list(index), "last" if implicit else "unknown")


def _read_candidates(source: Source, value: str, line: int) -> list[str]:
    names = [name.strip() for name in value.split(";")]
    if "" in names:
        raise source.error("a candidate has no name", line)
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise source.error(f"candidate {cut(twice)!r} is listed twice", line)
    return names


def _read_flag(source: Source, key: str, value: str, line: int) -> bool:
    if value.lower() not in ("true", "false"):
        raise source.error(f"{cut(key)} must be true or false, not {cut(value)!r}", line)
    return value.lower() == "true"


def _read_whole(source: Source, text: str | None, line: int, what: str) -> int:
    if text is None:
        return 1
    if "^" in text:
        raise source.error("the weight must come before the count: ^weight * count", line)
    value = read_weight(source, text, line, what)
    if not isinstance(value, int):
        raise source.error(f"the {what} {cut(text.strip())} is not a whole number", line)
    return value


def _read_vote(
    source: Source, order: str, line: int, index: dict[str, int], may_add: bool
) -> list[list[int]]:
    """Read `A > B = C`. Undeclared candidates are left out, by the rules of the format."""
    if order in _EMPTY:
        return []
    bad = _STRAY.search(order)
    if bad is not None:
        raise source.error(f"{bad[0]!r} is not allowed in a ranking, in {cut(order)!r}", line)
    if not may_add:
        return read_order(source, order, line, index.get)
    return read_order(source, order, line, lambda name: index.setdefault(name, len(index)))


def write_cvotes(data: Rankings, path: Path) -> Iterator[str]:
    """Yield the lines of a cvotes file, with the meaning of unranked candidates."""
    names = printed_names(data.items, "cvotes", _RESERVED)
    weights = data.exact_weights
    # If the weights add up to the number of ballots, they are counts of ballots.
    are_counts = sum(weights) == data.n_rankings
    yield f"#/Candidates: {' ; '.join(names)}\n"
    yield f"#/Implicit Ranking: {'true' if data.unranked == 'last' else 'false'}\n"
    yield f"#/Weight Allowed: {'false' if are_counts else 'true'}\n\n"
    for ranking, weight in zip(data.numbered(), weights, strict=True):
        order = " > ".join(" = ".join(names[item] for item in bucket) for bucket in ranking)
        yield f"{order or _EMPTY[0]} {'* ' if are_counts else '^'}{weight}\n"


def sniff(source: Source) -> int:
    """Recognise a cvotes file by its parameters, or guess it from > in the first vote."""
    if any(line.startswith("#/") for line in source.sample):
        return SURE
    # `Ann: A > B` is a list with a name.
    named = any(": " in line and not line.lstrip()[:1].isdigit() for line in source.sample)
    return MAYBE if ">" in source.opening[0] and not named else NO


FORMAT = Format(
    "cvotes",
    "Condorcet election format: Ann > Bo = Cy * 27",
    (".cvotes",),
    read_cvotes,
    write_cvotes,
    sniff,
    unranked=True,
)
