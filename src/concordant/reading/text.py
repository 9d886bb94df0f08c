"""Lists in plain text: `Name: A > B`, `Name: A, B`, numbered lists with a name above each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from concordant.reading.cells import Style, is_missing
from concordant.reading.choices import split_list
from concordant.reading.outcome import Ballot, levels

_NUMBERED = re.compile(
    r"\s*(?:#\s*)?(\d{1,4})\s*(?:st|nd|rd|th|er|ere|re|ère|e|eme|ème|º|ª|°|o|a)?\s*"
    r"(?:[.):\]]|\s[-–—])\s+(\S.*)|\s*\((\d{1,4})\)\s*(\S.*)"
)
# What stands behind an item in a list of results: a time, points, votes.
_RESULT = re.compile(
    r"(.*?\S)(?:\s{2,}|\t|\s+[-–—(]?\s?(?=\d+:\d|\d[\d.,]*\s?(?:pts?|points?|votes?|punkte?|stimmen|"
    r"voix|puntos|punti|pontos|votos|voti|%)))\(?\+?\d[\d:.,]*\s?(?:pts?|points?|votes?|punkte?|"
    r"stimmen|voix|puntos|punti|pontos|votos|voti|%|s|min|km|m)?\.?\)?",
    re.IGNORECASE,
)
# "12 points to Ada", "Ada 12 points", "Ada (12)".
_POINTS_FIRST = re.compile(
    r"(\d{1,4})\s*(?:pts?|points?|punkte?|pkt|puntos?|punt[io]|pontos?|punten)\.?\s+"
    r"(?:to|for|an|für|fur|à|a|pour|para|per|aan|voor|al?|alla)?\s*(\S.*)",
    re.IGNORECASE,
)
_POINTS_LAST = re.compile(
    r"(\S.*?)\s*[-–:(]?\s*(\d{1,4})\s*(?:pts?|points?|punkte?|pkt|puntos?|punt[io]|pontos?|punten)\.?\)?",
    re.IGNORECASE,
)
_BULLET = re.compile(r"\s*[-*•–]\s+(\S.*)")
_NAMED = re.compile(r"\s*([^:,;>|\t=]{1,60}?)\s*(?::|\s[-–—])\s+(\S.*)")
_COUNTED = re.compile(
    r"\s*(\d{1,12})\s*(?:[x×*:]|[^\W\d_]{3,12}:|votes?|ballots?|stimmen?)\s+(\S.*)", re.IGNORECASE
)
_INLINE = re.compile(r"(?:^|[\s,;])\(?\d{1,2}(?:[.):]\s*|(?:st|nd|rd|th)[.):]?\s+)(?=\D)")
# The time of a message in a chat, before the name: `[12/03/2025, 18:02] Ann: `, `18:02 - Ann: `.
_DAY = r"\d{1,4}[./-]\d{1,2}[./-]\d{1,4}"
_CLOCK = r"\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:\s?[ap]\.?m\.?)?"
_MESSAGE = re.compile(
    rf"\s*(?:\[(?:{_DAY},?\s+)?{_CLOCK}(?:,\s*{_DAY})?\]\s*-?\s*|{_DAY},?\s+{_CLOCK}\s*[-–]\s+)",
    re.IGNORECASE,
)
_SENT = re.compile(rf"\s*(?:\[?(?:{_DAY},?\s+)?{_CLOCK}\]?)\s*$", re.IGNORECASE)
_VOTES = re.compile(
    r"\s*\(\s*(\d{1,9})\s*(?:x|×|votes?|ballots?|people|stimmen?|personen|voix|votos?|vot[io])\s*\)",
    re.IGNORECASE,
)
# Words before an item that only continue a list: "then Rome".
_THEN = re.compile(
    r"(?:and\s+|und\s+|et\s+|y\s+|e\s+|en\s+)?(?:then|dann|danach|puis|ensuite|luego|despues|después"
    r"|poi|depois|daarna|dan)\s+",
    re.IGNORECASE,
)
_LONGEST = 80
_MOST_TITLES = 3


class TextLists:
    """The lists of a text.

    Attributes:
        kind: "numbered", "named", "arrows", "bullets", or "backward" for `A < B`.
        ballots: The rankings; rows are indices of lines.
        counted: Whether lines have a count.
        titles: Lines above the lists that are not read.
    """

    def __init__(
        self,
        kind: str,
        ballots: list[Ballot],
        *,
        counted: bool = False,
        titles: Sequence[str] = (),
    ) -> None:
        self.kind, self.ballots, self.counted = kind, ballots, counted
        self.titles = list(titles)


def find_lists(lines: Sequence[str], style: Style | None = None) -> TextLists | None:
    """Find the lists of a text; None where it has none.

    Example:
        >>> found = find_lists(["Ann: Pizza > Sushi", "Bo: Sushi > Pizza"])
        >>> [(ballot.voter, ballot.buckets) for ballot in found.ballots]
        [('Ann', [['Pizza'], ['Sushi']]), ('Bo', [['Sushi'], ['Pizza']])]
        >>> find_lists(["Dear all,", "thank you."]) is None
        True
    """
    style = style or Style()
    kept = _without_prose(lines)
    lines = _without_chatter(kept, [_plain(line) for line in kept])
    filled = [(k, line.strip()) for k, line in enumerate(lines) if line.strip()]
    if not filled:
        return None
    return (
        _numbered(lines, style)
        or _bullets(lines)
        or _by_line(filled, style)
        or _below_names(filled, style)
    )


_FROM = re.compile(r"\s*(?:From|Von|De|Da|Van)\s?:\s*([^<@]*[^<@\s])\s*(?:<.*)?", re.IGNORECASE)
_HEADING = re.compile(r"\s*#{1,6}\s+\S.*")


def _without_prose(lines: Sequence[str]) -> list[str]:
    """Blank the text of e-mails and of Markdown around numbered lists; keep names and headings."""
    senders = [_FROM.fullmatch(line) for line in lines]
    headings = [_HEADING.fullmatch(line) is not None for line in lines]
    numbered = [_NUMBERED.fullmatch(line.strip()) is not None for line in lines]
    if sum(match is not None for match in senders) >= 2 and sum(numbered) >= 4:
        found = []
        for line, sender, item in zip(lines, senders, numbered, strict=True):
            found.append(sender[1] if sender else line if item else "")
        return _last_names(found, numbered)
    if sum(headings) >= 2 and sum(numbered) >= 4:
        kept = zip(lines, headings, numbered, strict=True)
        return _last_names([line if head or item else "" for line, head, item in kept], numbered)
    return list(lines)


def _last_names(lines: list[str], numbered: list[bool]) -> list[str]:
    """Blank a name or heading that is followed by another one, before any list."""
    following = False
    for k in reversed(range(len(lines))):
        if numbered[k]:
            following = True
        elif lines[k].strip():
            if not following:
                lines[k] = ""
            following = False
    return lines


def _without_chatter(lines: Sequence[str], plain: list[str]) -> list[str]:
    """Blank messages of a chat that hold no list, where most others do."""
    sent = list(lines)
    lines = [text if line.strip() else "" for line, text in zip(lines, plain, strict=True)]
    filled = [k for k, line in enumerate(plain) if line.strip()]
    chat = [k for k in filled if _NAMED.fullmatch(plain[k]) and _MESSAGE.match(sent[k])]
    if len(chat) < len(filled) or len(filled) < 3:
        return list(lines)
    texts = {k: match[2] for k in chat if (match := _NAMED.fullmatch(plain[k]))}
    numbered = {k for k, text in texts.items() if _INLINE.match(text)}
    arrows = {k for k, text in texts.items() if " > " in text}
    for found, split in ((numbered, _INLINE), (arrows, re.compile(">"))):
        if not len(filled) > len(found) >= max(2, 0.5 * len(filled)):
            continue
        items = {part.strip(" ,;").casefold() for k in found for part in split.split(texts[k])}
        others = [text.casefold() for k, text in texts.items() if k not in found]
        # Who names an item votes, in other words.
        if not any(item and item in text for item in items for text in others):
            return [line if k in found else "" for k, line in enumerate(plain)]
    return list(lines)


def _plain(line: str) -> str:
    """Return a line with plain arrows, without the time of a message in a chat."""
    for mark in "≻→➔⇒›":
        line = line.replace(mark, ">")
    line = re.sub(r"\s[-=]+>\s", " > ", line)
    for place, medal in enumerate("🥇🥈🥉", 1):
        line = line.replace(medal, f"{place}. ")
    line = re.sub("(\\d)\ufe0f?\u20e3", r"\1. ", line)
    return _MESSAGE.sub("", line.replace("∼", "=").lstrip("\u200e\u202a"), count=1)


def _below_names(filled: list[tuple[int, str]], style: Style) -> TextLists | None:
    """Read a name in one line and the ranking in the next, as in messages."""
    names, lists = filled[::2], filled[1::2]
    if len(filled) < 4 or len(names) != len(lists):
        return None
    if _common_mark([text for _, text in names]) or not _common_mark([text for _, text in lists]):
        return None
    joined = [
        (k, f"{re.sub(r'[:,;>|=]+', ' ', _SENT.sub('', name)).strip() or '?'}: {text}")
        for (_, name), (k, text) in zip(names, lists, strict=True)
    ]
    return _by_line(joined, style)


def _bullets(lines: Sequence[str]) -> TextLists | None:
    """Read bullets under headings."""
    found: list[Ballot] = []
    for k, line in enumerate(lines):
        match = _BULLET.fullmatch(line)
        if match and found:
            found[-1].buckets.append([match[1].strip()])
        elif line.strip():
            if found and not found[-1].buckets:
                return None
            found.append(Ballot(_title(line.strip()), [], 1, k))
    if len(found) < 2 or any(len(ballot.buckets) < 2 for ballot in found):
        return None
    return TextLists("bullets", found)


def _numbered(lines: Sequence[str], style: Style) -> TextLists | None:
    """Read numbered lists, each of which begins with 1; the line above is its name."""
    found: list[Ballot] = []
    items: list[list[str]] = []
    name, first, expected, hits, others = "", 0, 1, 0, 0
    for k, line in enumerate([*lines, ""]):
        text = line.strip()
        match = _NUMBERED.fullmatch(text)
        if match:
            number = int(match[1] or match[3])
            if number == 1 and items:
                found.append(Ballot(name, items, 1, first))
                items, name = [], ""
            elif number != len(items) + 1:
                return None
            if not items:
                first = k
            items.append([(match[2] or match[4]).strip()])
            hits += 1
            expected = number + 1
        elif text or k == len(lines):
            if items:
                found.append(Ballot(name, items, 1, first))
                items, name = [], ""
            if text:
                if name:
                    # Two lines of text in a row: not a name above a list.
                    others += 1
                name = _title(text)
    if len(found) < 1 or hits < 2 or others > 1 or hits < 0.4 * sum(bool(x.strip()) for x in lines):
        return None
    del expected
    ballots = [
        b._replace(buckets=[bucket for bucket in b.buckets if not is_missing(bucket[0], style)])
        for b in found
    ]
    return TextLists("numbered", _without_results(ballots))


def _title(text: str) -> str:
    text = re.sub(r"^#+\s*|[:\s]+$", "", text)
    return re.sub(
        r"['’]s (list|ranking|ballot|votes?|choices|order)$", "", text, flags=re.IGNORECASE
    )


def _by_line(filled: list[tuple[int, str]], style: Style) -> TextLists | None:
    """Read a ranking in each line, with a name or a count before it, below a few titles."""
    for titles in range(min(_MOST_TITLES + 1, max(1, len(filled) - 1))):
        found = _lines(filled[titles:], style)
        if found is not None:
            found.titles = [text for _, text in filled[:titles]]
            return found
    return None


def _lines(filled: list[tuple[int, str]], style: Style) -> TextLists | None:
    arrows = sum(">" in line for _, line in filled)
    counts = [_COUNTED.fullmatch(line) for _, line in filled]
    counted = all(counts) and arrows > 0 and _same_word([line for _, line in filled])
    named = [_NAMED.fullmatch(line) for _, line in filled]
    has_names = sum(match is not None for match in named) >= 0.9 * len(filled) and not counted
    mark: str | None
    backward = sum("<" in line for _, line in filled)
    if arrows >= 0.7 * len(filled) and not backward:
        mark = ">"
    elif backward >= 0.7 * len(filled) and not arrows:
        mark = "<"
    elif has_names and all(named) and all(_INLINE.match(match[2]) for match in named if match):
        mark = "1."
    elif has_names and len(filled) > 1 and all(named):
        mark = _common_mark([match[2] for match in named if match])
    else:
        return None
    if mark is None:
        return None
    ballots = []
    alone: list[str] = []
    for (k, line), count, match in zip(filled, counts, named, strict=True):
        voter, text, weight = "", line, 1
        if counted and count:
            weight, text = int(count[1]), count[2]
        elif has_names and match:
            voter, text = match[1], match[2]
            votes = _VOTES.search(voter)
            if votes:
                voter, weight = _VOTES.sub("", voter).strip(), int(votes[1])
        parts = _INLINE.split(text)[1:] if mark == "1." else []
        buckets = [[part.strip(" ,;")] for part in parts] or split_list(text, mark)
        buckets = [[n for n in bucket if not is_missing(n, style)] for bucket in buckets]
        ballots.append(Ballot(voter, [b for b in buckets if b], weight, k))
        if len(buckets) == 1 and len(buckets[0]) == 1:
            alone += ballots[-1].buckets[0] if ballots[-1].buckets else []
    ballots = _by_points(_without_then(ballots)) or _without_then(ballots)
    names = Counter(name for b in ballots for bucket in b.buckets for name in bucket)
    if any(len(name) > _LONGEST for name in names) or not names:
        return None
    if has_names and mark != ">" and len(names) > 0.75 * sum(names.values()):
        return None
    if not has_names and any(":" in name for name in names) and not counted:
        return None
    if len(ballots) > 1 and any(names[name] == 1 for name in alone):
        # A line that is no list, and whose words are nowhere else: a title or a remark.
        return None
    kind = "backward" if mark == "<" else "named" if has_names else "arrows"
    weighed = any(ballot.weight != 1 for ballot in ballots)
    return TextLists(kind, ballots, counted=counted or weighed)


def _same_word(lines: list[str]) -> bool:
    """Return whether the word behind the count of each line is the same, up to its ending."""
    words = [re.match(r"\s*\d+\s*([^\W\d_]*)", line) for line in lines]
    return len({match[1][:3].casefold() for match in words if match}) == 1


def _by_points(ballots: list[Ballot]) -> list[Ballot] | None:
    """Order lists such as `12 points to Ada, 10 points to Brio` by their points."""
    for pattern, points, item in ((_POINTS_FIRST, 1, 2), (_POINTS_LAST, 2, 1)):
        found = []
        for ballot in ballots:
            matches = [pattern.fullmatch(n) for bucket in ballot.buckets for n in bucket]
            if not all(matches):
                break
            pairs = [(-float(m[points]), m[item].strip()) for m in matches if m]
            found.append(ballot._replace(buckets=levels(pairs)))
        if len(found) == len(ballots):
            return found
    return None


def _without_results(ballots: list[Ballot]) -> list[Ballot]:
    """Leave out times, points and votes behind the items, where all items have some."""
    names = [name for ballot in ballots for bucket in ballot.buckets for name in bucket]
    if not names or not all(_RESULT.fullmatch(name) for name in names):
        return ballots

    def plain(name: str) -> str:
        match = _RESULT.fullmatch(name)
        return name if match is None else match[1].strip(" -–—(")

    return [
        b._replace(buckets=[[plain(name) for name in bucket] for bucket in b.buckets])
        for b in ballots
    ]


def _without_then(ballots: list[Ballot]) -> list[Ballot]:
    """Leave out words such as "then", where most lists have one."""
    having = [any(_THEN.match(n) for bucket in b.buckets for n in bucket) for b in ballots]
    if 2 * sum(having) <= len(ballots):
        return ballots
    return [
        b._replace(buckets=[[_THEN.sub("", n, count=1) for n in bucket] for bucket in b.buckets])
        for b in ballots
    ]


def _common_mark(texts: list[str]) -> str | None:
    """Return the mark that most lists have."""
    for mark in (">", ";", "|", ",", " / ", " - ", " – "):
        if sum(mark in text for text in texts) >= 0.6 * len(texts):
            return mark
    return None
