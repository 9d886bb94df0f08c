"""Election files with a ballot a line: `blt`, `abif` and `cvotes`."""

from __future__ import annotations

import re
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

from concordant.errors import InputError
from concordant.formats._text import (
    Ballots,
    cut,
    decimal_text,
    distinct_names,
    each_ranking,
    exact_weights,
    printed_names,
    read_weight,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from concordant.formats._text import Source, Weight
    from concordant.rankings import Rankings, Unranked

Buckets = list[list[int]]


def _twice(source: Source, name: str, line: int) -> InputError:
    return source.error(f"candidate {cut(name)!r} is ranked twice", line)


def _read_order(source: Source, text: str, line: int, find: Callable[[str], int | None]) -> Buckets:
    """Read `A > B = C`, where `find` gives a candidate's number, or None to leave it out."""
    buckets: Buckets = []
    # Told at once, and not when all is read: a damaged line may be long.
    seen: set[int] = set()
    for rank in text.split(">"):
        bucket = []
        for name in rank.split("="):
            name = name.strip()
            if not name:
                raise source.error(f"a candidate has no name, in {cut(text.strip())!r}", line)
            number = find(name)
            if number is None:
                continue
            if number in seen:
                raise _twice(source, name, line)
            seen.add(number)
            bucket.append(number)
        if bucket:
            buckets.append(bucket)
    return buckets


# -- blt: candidates and seats, withdrawn candidates, ballots, 0, names, title ----------------

_BLT_WORD = re.compile(r'"([^"]*+)"|([^\s"#]++)|(#.*+)|(")', re.DOTALL)
_BLT_PREFERENCE = re.compile(r"\d++(?:=\d++)*+", re.ASCII)


class _Words:
    """The words of a blt file one by one, each with its line and whether it was quoted."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._found = self._split()
        self._next = next(self._found, None)
        self.line = 1

    def _split(self) -> Iterator[tuple[str, bool, int]]:
        for line, text in enumerate(self._source.lines, start=1):
            if "=" in text and '"' not in text:
                # Blanks around "=" would make one preference look like three.
                text = "=".join(part.strip() for part in text.split("="))
            if '"' not in text and "#" not in text:
                yield from ((word, False, line) for word in text.split())
                continue
            for match in _BLT_WORD.finditer(text):
                quoted, plain, comment, stray = match.groups()
                if stray is not None:
                    raise self._source.error("a quotation mark is not closed on its line", line)
                if comment is None:
                    yield (plain, False, line) if quoted is None else (quoted, True, line)

    def peek(self) -> str | None:
        """Return the next word that is not quoted, or None, and stay before it."""
        return None if self._next is None or self._next[1] else self._next[0]

    def starts_line(self) -> bool:
        """Tell whether the next word is on a later line than the last one."""
        return self._next is None or self._next[2] > self.line

    def take(self, what: str) -> tuple[str, bool]:
        """Return the next word, or say what should have come."""
        if self._next is None:
            raise self._source.error(f"the file ends where {what} should come", self.line)
        word, is_quoted, self.line = self._next
        self._next = next(self._found, None)
        return word, is_quoted

    def number(self, what: str) -> int:
        """Return the next word as a whole number."""
        word, is_quoted = self.take(what)
        if is_quoted or not re.fullmatch(r"-?\d{1,15}", word, re.ASCII):
            raise self._source.error(f"{cut(word)!r} is not {what}", self.line)
        return int(word)


def read_blt(source: Source, unranked: Unranked | None) -> Rankings:
    """Read a blt file. Withdrawn candidates are left out, as in the count of an election."""
    words = _Words(source)
    m = words.number("the number of candidates")
    header_line = words.line
    words.number("the number of seats")
    if m < 1:
        raise source.error("the header says that there is no item to rank", header_line)
    source.check_items(m, header_line)
    withdrawn = set()
    while (words.peek() or "").startswith("-"):
        candidate = -words.number("a withdrawn candidate")
        if not 1 <= candidate <= m:
            raise source.error(f"there is no candidate {candidate} to withdraw", words.line)
        withdrawn.add(candidate)
    stays = [j for j in range(1, m + 1) if j not in withdrawn]
    if not stays:
        raise source.error("all candidates are withdrawn: there is no item to rank", words.line)
    index = {str(candidate): number for number, candidate in enumerate(stays)}
    index.update((str(candidate), -1) for candidate in withdrawn)
    ballots = Ballots(source)
    while (ballot := _read_blt_ballot(source, words, index, m)) is not None:
        buckets, weight, line = ballot
        ballots.add(buckets, weight, line)
    names = []
    for number in range(1, m + 1):
        name, _ = words.take(f"the name of candidate {number} of {m}")
        names.append(name.strip())
    listed = distinct_names(names)
    return ballots.rankings([listed[candidate - 1] for candidate in stays], unranked)


def _read_blt_ballot(
    source: Source, words: _Words, index: dict[str, int], m: int
) -> tuple[Buckets, Weight, int] | None:
    """Read `weight id id=id - id 0`, or the single 0 behind the last ballot."""
    if (words.peek() or "").startswith("("):
        # An identification of the ballot, in parentheses, says nothing about the ranking.
        while not words.take("the end of the ballot's identification")[0].endswith(")"):
            pass
    word, is_quoted = words.take("a ballot, or the 0 that ends the ballots,")
    line = words.line
    if is_quoted:
        raise source.error("the ballots do not end with a line that is 0", line)
    if word == "0":
        if words.peek() is not None and not words.starts_line():
            raise source.error(
                "something follows the 0 that ends the ballots (a skipped rank is written -)", line
            )
        return None
    weight = read_weight(source, word, line)
    buckets: Buckets = []
    seen: set[int] = set()
    while True:
        if words.starts_line():
            raise source.error("the ballot does not end with 0", line)
        word, is_quoted = words.take("a candidate")
        if word == "0" and not is_quoted:
            return buckets, weight, line
        if word == "-":
            continue
        if is_quoted or not _BLT_PREFERENCE.fullmatch(word):
            raise source.error(f"{cut(word)!r} is not a candidate's number", line)
        bucket = []
        for candidate in word.split("="):
            number = index.get(candidate.lstrip("0"))
            if number is None:
                raise source.error(
                    f"there is no candidate {cut(candidate)}: the header has 1 … {m}", line
                )
            if number in seen:
                raise _twice(source, candidate, line)
            if number >= 0:
                seen.add(number)
                bucket.append(number)
        if bucket:
            buckets.append(bucket)


def write_blt(data: Rankings) -> Iterator[str]:
    """Yield the lines of a blt file, for one seat."""
    names = printed_names(data.items, "blt", '"')
    yield f"{len(names)} 1\n"
    for ranking, weight in zip(each_ranking(data), exact_weights(data), strict=True):
        if not weight:
            raise InputError(
                "blt cannot hold rankings of weight 0, as 0 ends its ballots: write csv or json"
            )
        text = decimal_text(weight)
        order = " ".join("=".join(str(item + 1) for item in bucket) for bucket in ranking)
        yield f"{text} {order} 0\n" if order else f"{text} 0\n"
    yield "0\n"
    for name in names:
        yield f'"{name}"\n'
    yield '""\n'


# -- abif: =token:[name], then 27:A>B=C or 27:A/5,B/3 -----------------------------------------

_ABIF_NAME = r'\[([^\[\]]*+)\]|"([^"]*+)"|([^\s>=,/:#\[\]"{}*][^>=,/:#\[\]"{}*]*+)'
_ABIF_VOTE = re.compile(r"\s*+([^\s:*\[\]\"=]++)\s*+[:*](.*+)", re.DOTALL)
_ABIF_CANDIDATE = re.compile(
    rf"\s*+=\s*+(?:{_ABIF_NAME})\s*+:\s*+(?:\[([^\[\]]*+)\]|([^\[\]#]++))?+\s*+(?:#.*+)?+"
)
_ABIF_PREFERENCE = re.compile(
    rf"\s*+(?:{_ABIF_NAME})\s*+(?:/\s*+([+-]?[\d.]++)\s*+)?+([>=,]|:\s*+\{{.*+|#.*+|$)", re.DOTALL
)
_ABIF_HEADER = re.compile(r"\s*+ABIF\s*+[\d.]*+\s*+(\{.*)?+", re.ASCII)
_ABIF_MARKS = re.compile(r'[,/:#\[\]"{}*]')
_ABIF_TOKEN = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)


class _AbifNames:
    """Turns tokens and names into items; what was not declared becomes an item of its own."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._index: dict[str, int] = {}

    def declare(self, token: str, name: str) -> bool:
        """Note a declaration; tell whether both were free."""
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


def read_abif(source: Source, unranked: Unranked | None) -> Rankings:
    """Read the aggregated ballot information format: ranked or scored ballots."""
    names = _AbifNames()
    votes: list[tuple[int, str]] = []
    # Sections may come in any order: all declarations first, then the ballots.
    for line, text in enumerate(source.lines, start=1):
        start = text.lstrip()[:1]
        if start in ("", "#", "{") or _ABIF_HEADER.fullmatch(text):
            continue
        if start != "=":
            votes.append((line, text))
            continue
        match = _ABIF_CANDIDATE.fullmatch(text)
        if match is None:
            raise source.error(
                f"{cut(text.strip())!r} does not declare a candidate as '=token:[Full name]'", line
            )
        token = (match[1] or match[2] or match[3] or "").strip()
        if not names.declare(token, (match[4] or match[5] or "").strip() or token):
            raise source.error(f"candidate {cut(token)!r} or its name was declared before", line)
    ballots = Ballots(source)
    known: dict[str, Buckets] = {}
    for line, text in votes:
        match = _ABIF_VOTE.fullmatch(text)
        if match is None:
            raise source.error(
                f"{cut(text.strip())!r} does not have the form 'count: A > B = C'", line
            )
        weight = read_weight(source, match[1], line, "number of ballots")
        if match[2] not in known:
            known[match[2]] = _read_abif_order(source, match[2], line, names)
        ballots.add(known[match[2]], weight, line)
    if not names.names:
        raise source.error("there is no item to rank", source.last_line)
    return ballots.rankings(names.names, unranked)


def _read_abif_order(source: Source, text: str, line: int, names: _AbifNames) -> Buckets:
    """Read `A > B = C`, or `A/5, B/3` by score."""
    if not text.strip() or text.lstrip().startswith("#"):
        return []
    if not _ABIF_MARKS.search(text):
        # Most ballots are plain tokens, for which there is a faster way.
        return _read_order(source, text, line, names.__getitem__)
    buckets: Buckets = [[]]
    seen: set[int] = set()
    scores: list[tuple[Fraction, int]] = []
    separators, position, separator = "", 0, ","
    while separator in (">", "=", ","):
        match = _ABIF_PREFERENCE.match(text, position)
        if match is None:
            raise source.error(
                f"a candidate, then > or = or a comma, should stand at {cut(text[position:])!r}",
                line,
            )
        position = match.end()
        bracketed, quoted, plain, score, separator = match.groups()
        name = next(part for part in (bracketed, quoted, plain) if part is not None).strip()
        if not name:
            raise source.error("a candidate has no name", line)
        item = names[name]
        if item in seen:
            raise _twice(source, name, line)
        seen.add(item)
        buckets[-1].append(item)
        if score is not None:
            try:
                scores.append((Fraction(score), item))
            except ValueError:
                raise source.error(f"{cut(score)!r} is not a score", line) from None
        if separator == ">":
            buckets.append([])
        separators += separator[:1]
    # Where > or = is written, it says the ranking; scores rank what only commas part.
    if ">" in separators or "=" in separators or not scores:
        return buckets
    if len(scores) < len(buckets[0]):
        raise source.error("some candidates have a score and some do not", line)
    levels: dict[Fraction, list[int]] = {}
    for value, item in scores:
        levels.setdefault(value, []).append(item)
    return [levels[value] for value in sorted(levels, reverse=True)]


def write_abif(data: Rankings) -> Iterator[str]:
    """Yield the lines of an abif file: declarations, then ballots."""
    names = printed_names(data.items, "abif", "[]")
    taken, tokens = set(names), []
    for number, name in enumerate(names, start=1):
        token = name
        if not _ABIF_TOKEN.fullmatch(name):
            token = f"c{number}"
            while token in taken:
                token += "_"
            taken.add(token)
        tokens.append(token)
        yield f"={token}:[{name}]\n"
    for ranking, count in zip(each_ranking(data), exact_weights(data), strict=True):
        order = ">".join("=".join(tokens[item] for item in bucket) for bucket in ranking)
        yield f"{count}:{order}\n"


# -- cvotes: #/Candidates: A ; B, then tags || A > B = C ^weight * count -----------------------

_CVOTES_VOTE = re.compile(r"([^*^]*+)(?:\^([^*]*+))?+(?:\*(.*+))?+", re.DOTALL)
_CVOTES_EMPTY = ("/EMPTY_RANKING/", "/EMPTY/")
_CVOTES_STRAY = re.compile(r"[<;,/|]")
_CVOTES_RESERVED = "><=;,#/*^|"


def read_cvotes(source: Source, unranked: Unranked | None) -> Rankings:
    """Read the Condorcet election format.

    The file says itself what an unranked candidate means (`#/Implicit Ranking`, by that
    format's rules true: last), unless `unranked` says otherwise.
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
            raise source.error("a parameter must stand before the first vote", line)
        if key.lower() == "candidates":
            names = _read_candidates(source, value, line)
        elif key.lower() == "implicit ranking":
            implicit = _read_flag(source, key, value, line)
        elif key.lower() == "weight allowed":
            weighted = _read_flag(source, key, value, line)
    index = {name: number for number, name in enumerate(names or [])}
    ballots = Ballots(source)
    known: dict[str, Buckets] = {}
    for line, vote in votes:
        match = _CVOTES_VOTE.fullmatch(vote.split("||", 1)[-1].strip())
        if match is None:
            raise source.error(
                f"{cut(vote.strip())!r} does not have the form 'A > B = C ^weight * count'", line
            )
        order, weight, count = match.groups()
        number = _read_whole(source, count, line, "count")
        # The weight must be a number even where the file does not let it count.
        each = _read_whole(source, weight, line, "weight")
        if order not in known:
            known[order] = _read_vote(source, order.strip(), line, index, names is None)
        ballots.add(known[order], number * each if weighted else number, line, number)
    if not index:
        raise source.error("there is no item to rank", source.last_line)
    return ballots.rankings(list(index), unranked or ("last" if implicit else "unknown"))


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
        raise source.error("the weight stands before the count: ^weight * count", line)
    value = read_weight(source, text, line, what)
    if not isinstance(value, int):
        raise source.error(f"the {what} {cut(text.strip())} is not a whole number", line)
    return value


def _read_vote(
    source: Source, order: str, line: int, index: dict[str, int], may_add: bool
) -> Buckets:
    """Read `A > B = C`. Candidates that do not stand are left out, as the format wants."""
    if order in _CVOTES_EMPTY:
        return []
    bad = _CVOTES_STRAY.search(order)
    if bad is not None:
        raise source.error(f"{bad[0]!r} cannot stand in a ranking, in {cut(order)!r}", line)
    if not may_add:
        return _read_order(source, order, line, index.get)
    return _read_order(source, order, line, lambda name: index.setdefault(name, len(index)))


def write_cvotes(data: Rankings) -> Iterator[str]:
    """Yield the lines of a cvotes file; it says what an unranked candidate means."""
    names = printed_names(data.items, "cvotes", _CVOTES_RESERVED)
    weights = exact_weights(data)
    # Weights that add up to the number of ballots are counts of ballots, others importances.
    are_counts = sum(weights) == data.n_rankings
    yield f"#/Candidates: {' ; '.join(names)}\n"
    yield f"#/Implicit Ranking: {'true' if data.unranked == 'last' else 'false'}\n"
    yield f"#/Weight Allowed: {'false' if are_counts else 'true'}\n\n"
    for ranking, weight in zip(each_ranking(data), weights, strict=True):
        order = " > ".join(" = ".join(names[item] for item in bucket) for bucket in ranking)
        yield f"{order or _CVOTES_EMPTY[0]} {'* ' if are_counts else '^'}{weight}\n"
