"""Who wrote what: messages of chats, e-mails with quoted lines, and lines of plain text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from concordant.reading.scripts import plain_line
from concordant.reading.text_words import (
    AT,
    CLOCK_ENDS,
    DAYS,
    MAIL_FROM,
    MAIL_HEADS,
    MONTHS,
    SYSTEM,
    WHEN,
    WROTE,
    any_of,
)
from concordant.reading.words import folded

_DATE = (
    r"(?:\d{1,4}[./-]\s?\d{1,2}[./-]\s?\d{1,4}\.?|\d{1,2}[./]\d{1,2}\.?|"
    r"(?:[^\W\d]{2,10}\.?,?\s+)?\d{1,2}\.?\s+(?:de\s+)?[^\W\d]{3,10}\.?,?(?:\s+(?:de\s+)?\d{4})?|"
    r"(?:[^\W\d]{2,10}\.?,?\s+)?[^\W\d]{3,10}\.?\s+\d{1,2}(?:st|nd|rd|th)?,?(?:\s+\d{4})?|"
    rf"{any_of(DAYS)})"
)
_CLOCK = (
    rf"\d{{1,2}}[:.h]\d{{2}}(?:[:.]\d{{2}})?(?:[.,]\d{{1,6}})?(?:Z|\s?[+-]\d{{2}}:?\d{{2}})?"
    rf"(?:\s?{any_of(CLOCK_ENDS)})?"
)
_STAMP = rf"(?:{_DATE},?\s*(?:{any_of(AT)}\s+)?[T ]?{_CLOCK}|{_CLOCK}[,\s]\s*{_DATE}|{_CLOCK})"
_FLAGS = re.IGNORECASE
_WHO = r"(?!\d+[.)])[^\s:>\[\]<|,][^:>\[\]<|]{0,58}?"
# A message in one line: the time, a name, the text.
_IN_LINE = (
    re.compile(
        rf"\[\s*{_STAMP}\s*\]\s*(?:[-–]\s*)?(?P<who>~?\s?{_WHO})\s*:(?:\s+(?P<text>.*))?", _FLAGS
    ),
    re.compile(rf"{_STAMP}\s*[-–—]\s+(?P<who>~?\s?{_WHO})\s*:(?:\s+(?P<text>.*))?", _FLAGS),
    re.compile(
        rf"(?:\[?{_STAMP}\]?\s+)?<\s?(?P<who>[@+~]?[^<>@\s][^<>@]{{0,40}})>\s+(?P<text>.*)", _FLAGS
    ),
    re.compile(
        rf"{_STAMP}\s+(?:From|Von|De|Da|Van)\s+(?P<who>{_WHO})\s+"
        rf"(?:to|an|à|a|para|aan)\s+\S[^:]{{1,40}}?\s?:(?:\s+(?P<text>.*))?",
        _FLAGS,
    ),
    re.compile(
        rf"\[(?P<who>[^\[\]:]{{1,40}})\]\s*\[[^\[\]]{{0,8}}{_CLOCK}\]\s*(?P<text>.*)", _FLAGS
    ),
    re.compile(rf"{_STAMP}\s+(?P<who>{_WHO})\s*:\s+(?P<text>.*)", _FLAGS),
    re.compile(rf"(?P<who>{_WHO})\s+[\[(]{_STAMP}[\])]\s*:\s+(?P<text>\S.*)", _FLAGS),
)
# The time and a name in a line of their own, the text below.
_ABOVE = (
    re.compile(
        rf"(?P<who>{_WHO}),?\s*(?:\s{{2,}}|\s[-–—•·]\s|\t|[\[(])\s*{_STAMP}\s*[\])]?\s*:?", _FLAGS
    ),
    re.compile(rf"[\[(]\s*{_STAMP}\s*[\])]\s*(?P<who>{_WHO})\s*:?", _FLAGS),
    re.compile(rf"(?P<who>[^\W\d][^:>\[\]<|,]{{0,40}}?)\s+{_CLOCK}", _FLAGS),
)
# A line of the system: the time, and no name.
_NOTICE = re.compile(rf"\[?\s*{_STAMP}\s*\]?(?:\s*[-–—]\s+.*|\s*)", _FLAGS)
_BROKEN = re.compile(rf"\[?\s*{_STAMP}", _FLAGS)
_DAY_ALONE = re.compile(rf"\W*{_DATE}\W*", _FLAGS)
_DAY_WORD = re.compile(rf"\W*{any_of(DAYS)}\W*", _FLAGS)

_HEAD = re.compile(r"\s*[*_]*([^\W\d][\w-]{0,30})[*_]*\s?:[*_]*\s*(.*)")
_ADDRESS = re.compile(r"\s*[<\[(][^<>]*@[^<>]*[>\])]\s*|\s*\S+@\S+\s*")
_WROTE = re.compile(
    rf"\s*(?:{any_of(WHEN)}\s.*?(?:{any_of(WROTE)}\s+(?P<late>[^:<]{{1,60}}?)|"
    rf"(?P<early>[^:<,\d]{{1,60}}?)\s*(?:<[^<>]*>)?\s*{any_of(WROTE)})|"
    rf"(?P<name>[^:<,\d]{{1,60}}?)\s*(?:<[^<>]*>)?\s*{any_of(WROTE)})\s*(?:<[^<>]*>)?\s?:?\s*",
    _FLAGS,
)
# A longer line is no head of an e-mail.
_LONGEST_HEAD = 2000
_QUOTED = re.compile(r"\s*>+(?:\s*>)*\s?")
_SIGNED = re.compile(r"--\s?")
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\u00ad]")
_BLANKS = re.compile("[\u00a0\u2007\u2009\u202f]")


class Line(NamedTuple):
    """A line of a text: its row, what it says, who wrote it, and whether it is quoted."""

    row: int
    text: str
    sender: str = ""
    quoted: bool = False


class Thread(NamedTuple):
    """The lines of a text with their writers.

    Attributes:
        kind: "chat", "mail", or "" for plain text.
        lines: The lines that are not empty.
        heads: The rows of heads, notices and signatures.
    """

    kind: str
    lines: list[Line]
    heads: list[int]


def read_thread(lines: Sequence[str]) -> Thread:
    r"""Find who wrote each line of a text.

    Example:
        >>> found = read_thread(["[12/05/24, 18:01] Ann: A > B", "[12/05/24, 18:03] Bo: B > A"])
        >>> found.kind, [(line.sender, line.text) for line in found.lines]
        ('chat', [('Ann', 'A > B'), ('Bo', 'B > A')])
    """
    clean = [plain_line(_BLANKS.sub(" ", _INVISIBLE.sub("", line))) for line in lines]
    return _chat(clean) or _mail(clean) or _plain(clean)


def _plain(lines: list[str]) -> Thread:
    filled = [Line(k, line.strip()) for k, line in enumerate(lines) if line.strip()]
    return Thread("", filled, [])


def _chat(lines: list[str]) -> Thread | None:
    filled = [(k, line.strip()) for k, line in enumerate(lines) if line.strip()]
    for patterns, alone in ((_IN_LINE, False), (_ABOVE, True)):
        for pattern in patterns:
            hits = {k: match for k, line in filled if (match := pattern.fullmatch(line))}
            if len(hits) < 2:
                continue
            if alone and (
                len(hits) < 0.2 * len(filled) or len({m["who"] for m in hits.values()}) < 2
            ):
                continue
            rows = [k for k, _ in filled]
            following = sum(k in hits and n in hits for k, n in pairwise(rows))
            if alone and 2 * following >= len(hits):
                # A table with times, not names above messages.
                continue
            others = sum(k not in hits and _BROKEN.match(line) is not None for k, line in filled)
            if others <= 2 * len(hits):
                return _messages(filled, hits)
    return None


def _messages(filled: list[tuple[int, str]], hits: dict[int, re.Match[str]]) -> Thread:
    found: list[Line] = []
    heads: list[int] = []
    sender, begun = "", False
    for k, line in filled:
        match = hits.get(k)
        if match is not None:
            sender, begun = match["who"].lstrip("~").strip(), True
            text = (match.groupdict().get("text") or "").strip()
            if text and not SYSTEM.fullmatch(text):
                found.append(Line(k, text, sender))
            else:
                heads.append(k)
        elif _NOTICE.fullmatch(line) or _is_day(line) or SYSTEM.fullmatch(line):
            heads.append(k)
        else:
            found.append(Line(k, line, sender if begun else ""))
    return Thread("chat", found, heads)


def _is_day(line: str) -> bool:
    """Return whether a line is a date: `4 May`, but not `1. Mocha`."""
    if not _DAY_ALONE.fullmatch(line):
        return False
    words = re.findall(r"[^\W\d_]{3,}", folded(line))
    months = [word for word in words for month in MONTHS if month.startswith(word)]
    return not words or bool(months) or _DAY_WORD.fullmatch(line) is not None


def _mail(lines: list[str]) -> Thread | None:
    """Read e-mails: heads, attributions of quoted lines, signatures."""
    heads: dict[int, str | None] = {}
    for k, line in enumerate(lines):
        if len(line) > _LONGEST_HEAD:
            continue
        bare = _QUOTED.sub("", line, count=1) if line.lstrip().startswith(">") else line
        wrote = _WROTE.fullmatch(bare)
        if wrote:
            heads[k] = _person(wrote["late"] or wrote["early"] or wrote["name"])
            continue
        head = _HEAD.fullmatch(bare)
        word = "" if head is None else folded(head[1])
        if head is not None and word in MAIL_FROM:
            following = [folded(h[1]) for x in lines[k + 1 : k + 6] if (h := _HEAD.fullmatch(x))]
            before = [folded(h[1]) for x in lines[max(0, k - 5) : k] if (h := _HEAD.fullmatch(x))]
            if MAIL_HEADS & {*following, *before} or _ADDRESS.search(head[2]):
                heads[k] = _person(head[2])
        elif word in MAIL_HEADS and _near(heads, k):
            heads[k] = None
    senders = [k for k, who in heads.items() if who is not None]
    bare_from = [
        (k, head[2].strip())
        for k, line in enumerate(lines)
        if (head := _HEAD.fullmatch(line)) and folded(head[1]) in MAIL_FROM and head[2].strip()
    ]
    if not senders and len(bare_from) >= 2:
        heads = {k: _person(who) for k, who in bare_from}
        senders = list(heads)
    if not senders:
        return None
    return _letters(lines, heads)


def _letters(lines: list[str], heads: dict[int, str | None]) -> Thread:
    found: list[Line] = []
    passed: list[int] = []
    sender, quoted_by, signed = "", "", False
    for k, line in enumerate(lines):
        if k in heads:
            passed.append(k)
            who = heads[k]
            if who is not None:
                signed = False
                quotes = k + 1 < len(lines) and _QUOTED.match(_next_filled(lines, k + 1))
                if (quotes and not line.lstrip().startswith(">")) or line.lstrip().startswith(">"):
                    quoted_by = who
                else:
                    sender, quoted_by = who, ""
            continue
        if not line.strip():
            continue
        if _SIGNED.fullmatch(line):
            signed = True
        quote = _QUOTED.match(line)
        if quote and len(line) > quote.end():
            found.append(Line(k, line[quote.end() :].strip(), quoted_by, quoted=True))
        elif signed or quote or not re.search(r"[^\W_]", line):
            passed.append(k)
        else:
            found.append(Line(k, line.strip(), sender))
    return Thread("mail", found, passed)


def _next_filled(lines: list[str], k: int) -> str:
    return next((line for line in lines[k : k + 4] if line.strip()), "")


def _near(heads: dict[int, str | None], k: int) -> bool:
    return any(k - step in heads for step in (1, 2, 3))


def _person(text: str) -> str:
    """Return the name of a sender without the address."""
    name = _ADDRESS.sub(" ", text).strip(" \"'<>*_,;")
    if not name:
        name = re.sub(r"[<>\[\]()]|mailto:", "", text).split("@")[0].strip(" \"'")
    parts = name.split(",")
    if len(parts) == 2 and all(part.strip() for part in parts) and len(name) < 50:
        # "Marsh, Helen".
        name = f"{parts[1].strip()} {parts[0].strip()}"
    return re.sub(r"[:>|=;]+", " ", name).strip() or "?"
