"""`blt`, ballots of STV programs such as OpaVote and OpenSTV.

A file has the numbers of candidates and seats, withdrawn candidates, ballots, 0, names, a title.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from concordant.errors import InputError, cut
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import (
    Ballots,
    all_numbers,
    distinct_names,
    printed_names,
    read_weight,
)
from concordant.rankings import Rankings
from concordant.units import Weight, decimal_text

_NAMES = re.compile(r'\n0[ \t]*(#.*)?\n\s*"')
_WORD = re.compile(r'"([^"]*+)"|([^\s"#]++)|(#.*+)|(")', re.DOTALL)
_PREFERENCE = re.compile(r"\d++(?:=\d++)*+", re.ASCII)


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
                # Blanks around "=" would turn one preference into three.
                text = "=".join(part.strip() for part in text.split("="))
            if '"' not in text and "#" not in text:
                yield from ((word, False, line) for word in text.split())
                continue
            for match in _WORD.finditer(text):
                quoted, plain, comment, stray = match.groups()
                if stray is not None:
                    raise self._source.error("a quotation mark is not closed on its line", line)
                if comment is None:
                    yield (plain, False, line) if quoted is None else (quoted, True, line)

    def peek(self) -> str | None:
        """Return the next word without taking it; None if it is quoted or missing."""
        return None if self._next is None or self._next[1] else self._next[0]

    def starts_line(self) -> bool:
        """Return whether the next word is on a later line than the last one."""
        return self._next is None or self._next[2] > self.line

    def take(self, what: str) -> tuple[str, bool]:
        """Return the next word and whether it is quoted; `what` it should be is for the error."""
        if self._next is None:
            raise self._source.error(f"the file ends before {what}", self.line)
        word, is_quoted, self.line = self._next
        self._next = next(self._found, None)
        return word, is_quoted

    def number(self, what: str) -> int:
        """Return the next word as a whole number."""
        word, is_quoted = self.take(what)
        if is_quoted or not re.fullmatch(r"-?\d{1,15}", word, re.ASCII):
            raise self._source.error(f"{cut(word)!r} is not {what}", self.line)
        return int(word)


def read_blt(source: Source) -> Rankings:
    """Read a blt file. Withdrawn candidates are left out, as in an election."""
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
    return ballots.rankings([listed[candidate - 1] for candidate in stays])


def _read_blt_ballot(
    source: Source, words: _Words, index: dict[str, int], m: int
) -> tuple[list[list[int]], Weight, int] | None:
    """Read `weight id id=id - id 0`, or the single 0 after the last ballot."""
    if (words.peek() or "").startswith("("):
        # A name of the ballot in parentheses, which is not used.
        while not words.take("the end of the ballot's name")[0].endswith(")"):
            pass
    word, is_quoted = words.take("the 0 that ends the ballots")
    line = words.line
    if is_quoted:
        raise source.error("the ballots must end with a line that is 0", line)
    if word == "0":
        if words.peek() is not None and not words.starts_line():
            raise source.error(
                "there is text after the 0 that ends the ballots (write - for a skipped rank)", line
            )
        return None
    weight = read_weight(source, word, line)
    buckets: list[list[int]] = []
    seen: set[int] = set()
    while True:
        if words.starts_line():
            raise source.error("the ballot must end with 0", line)
        word, is_quoted = words.take("a candidate")
        if word == "0" and not is_quoted:
            return buckets, weight, line
        if word == "-":
            continue
        if is_quoted or not _PREFERENCE.fullmatch(word):
            raise source.error(f"{cut(word)!r} is not a candidate's number", line)
        bucket = []
        for candidate in word.split("="):
            number = index.get(candidate.lstrip("0"))
            if number is None:
                raise source.error(
                    f"there is no candidate {cut(candidate)}: the header has 1 … {m}", line
                )
            if number >= 0:
                source.check_once(number, seen, candidate, line)
                bucket.append(number)
        if bucket:
            buckets.append(bucket)


def write_blt(data: Rankings, path: Path) -> Iterator[str]:
    """Yield the lines of a blt file, for one seat."""
    names = printed_names(data.items, "blt", '"')
    yield f"{len(names)} 1\n"
    for ranking, weight in zip(data.numbered(), data.exact_weights, strict=True):
        if not weight:
            raise InputError(
                "blt cannot hold rankings of weight 0, because 0 ends the ballots: write csv or "
                "json"
            )
        text = decimal_text(weight)
        order = " ".join("=".join(str(item + 1) for item in bucket) for bucket in ranking)
        yield f"{text} {order} 0\n" if order else f"{text} 0\n"
    yield "0\n"
    for name in names:
        yield f'"{name}"\n'
    yield '""\n'


def sniff(source: Source) -> int:
    """Recognise a blt file by two numbers, and names after a line that is 0."""
    first = source.opening[0]
    is_header = len(first.split()) == 2 and all_numbers(first)
    return SURE if is_header and _NAMES.search(source.text) else NO


FORMAT = Format(
    "blt",
    "ballots of OpaVote, OpenSTV and other STV programs",
    (".blt",),
    read_blt,
    write_blt,
    sniff,
    weights="decimals",
)
