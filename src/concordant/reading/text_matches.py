"""Results of matches in lines of text: `Ajax 2-1 PSV`, `Ajax - PSV 2:1`, `Ajax beat PSV`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from concordant.errors import Hint, cut, show
from concordant.reading.assemble import likeness
from concordant.reading.chats import Line
from concordant.reading.findings import Finding
from concordant.reading.outcome import Ballot, question
from concordant.reading.phrases import without_bullet
from concordant.reading.text_words import (
    BEAT,
    DREW,
    LOST_TO,
    SHOOTOUT,
    VERSUS,
    VOID,
    WINS,
    any_of,
)
from concordant.reading.words import tokens

_FLAGS = re.IGNORECASE
# Numbers next to other numbers are dates, times or telephone numbers.
_NUMBERS = r"\d{1,3}\s?(?:[-–—:]|x)\s?\d{1,3}(?!\d)"
_SCORES = rf"(?<![\w.:/+–-]){_NUMBERS}(?:[\s,;]+{_NUMBERS})*(?![\w:/]|[.–-]\d)"
_ONE = re.compile(_SCORES, _FLAGS)
_WEEKDAY = r"(?:[^\W\d]{2,12}\.?,?\s+)"
_LEAD = re.compile(
    rf"(?:{_WEEKDAY}?(?:\d{{4}}-\d{{2}}-\d{{2}}|\d{{1,2}}[./]\d{{1,2}}(?:[./](?:\d{{4}}|\d{{2}})?)?)|"
    r"\d{1,2}[:.h]\d{2}(?:\s?(?:uhr|h|hrs))?)(?:\s*[,|–:-]\s+|\s+)(?=\S)",
    _FLAGS,
)
_LABEL = re.compile(r"[^:]{1,60}:\s+(?=\S)")
_REMARK = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]\s*\.?$")
_TAIL = re.compile(
    rf"[\s,]+(?:a\.?e\.?t\.?|n\.?\s?v\.?|o\.?t\.?|d\.?t\.?s\.?|a\.?p\.?|{any_of(SHOOTOUT)})\.?$",
    _FLAGS,
)
_BETWEEN = re.compile(rf"(?P<left>\S.*?)\s*[,:]?\s+(?P<scores>{_SCORES})\s+(?P<right>\S.*)", _FLAGS)
_BEHIND = re.compile(rf"(?P<pair>\S.*?)[\s:,;–-]+\(?(?P<scores>{_SCORES})\)?", _FLAGS)
_WORD = re.compile(rf"\s(?:{any_of(VERSUS)})\.?\s", _FLAGS)
_DASH = re.compile(r"\s[-–—]\s")
_TIGHT = re.compile(r"(?<=[^\W\d])[-–—](?=[^\W\d])")
_VERBS = tuple(
    (result, re.compile(rf"(?P<left>\S.*?)\s+(?:{any_of(words)})\s+(?P<right>\S.*)", _FLAGS))
    for result, words in ((1, BEAT), (-1, LOST_TO), (0, DREW))
)
_VOID = re.compile(rf"(?<!\w){any_of(VOID)}(?!\w)", _FLAGS)
_SHOOTOUT = re.compile(rf"(?<!\w){any_of(SHOOTOUT)}(?!\w)", _FLAGS)
_MOST_WORDS, _LONGEST = 6, 50
# The longest line, in words, that may be a heading between matches.
_HEADING = 9
# The smallest share of the lines that must be results.
_SHARE = 0.3
# Higher scores than these show that a score such as 21:15 is not a time.
_FEW = 10
# Smaller sums are those of goals and sets, not of wins.
_MANY = 12


class _Match(NamedTuple):
    """A match: who played, the scores, and the result where a verb says it (1 for the left)."""

    left: str
    right: str
    scores: list[tuple[int, int]]
    result: int | None
    remark: str
    is_clock: bool

    @property
    def outcome(self) -> int | None:
        """1 where the left won, -1 where the right won, 0 for a draw; None where it is unclear."""
        if self.result is not None:
            return self.result
        won = sum((a > b) - (a < b) for a, b in self.scores)
        return None if len(self.scores) > 1 and won == 0 else (won > 0) - (won < 0)


def match_results(
    entries: Sequence[Line],
) -> tuple[list[Ballot], list[int], list[Finding], list[Ballot]] | None:
    """Read results of matches; None where the text has something else.

    Returns a ranking of two for each match, the rows that are not read, findings, and the rankings
    of the other reading, where the numbers may count wins.

    Example:
        >>> lines = [
        ...     "Round 1",
        ...     "Ajax 2-1 PSV",
        ...     "Round 2",
        ...     "PSV - Ajax 0:0",
        ...     "Ajax beat Utrecht 3-1",
        ... ]
        >>> found = match_results([Line(k, line) for k, line in enumerate(lines)])
        >>> [ballot.buckets for ballot in found[0]]
        [[['Ajax'], ['PSV']], [['PSV', 'Ajax']], [['Ajax'], ['Utrecht']]]
    """
    found: dict[int, _Match] = {}
    unclear: list[int] = []
    known: Counter[str] = Counter()
    for again in (False, True):
        for k, line in enumerate(entries):
            if k not in found and (match := _match(line.text, known if again else None)):
                found[k] = match
        known = Counter(likeness(n) for m in found.values() for n in (m.left, m.right))
    found = _without_times(found)
    rest = [k for k in range(len(entries)) if k not in found]
    if not _are_results(entries, found, rest):
        return None
    ballots: list[Ballot] = []
    findings: list[Finding] = []
    counts = _counts(entries, found, rest)
    wins = _win_ballots(entries, found) if counts else []
    if counts == "sure":
        note = "the numbers count how often each side won"
        return wins, [entries[k].row for k in rest], [Finding("note", "matches", note)], []
    for k, match in found.items():
        outcome = match.outcome
        row = entries[k].row
        if outcome is None or _VOID.search(match.remark):
            unclear.append(k)
            continue
        if outcome == 0 and _SHOOTOUT.search(match.remark):
            findings.append(_asked(entries[k], "was a draw before the penalties", "as a draw"))
        pair = [match.left, match.right] if outcome >= 0 else [match.right, match.left]
        ballots.append(Ballot("", [pair] if outcome == 0 else [[name] for name in pair], 1, row))
    unclear += [k for k in rest if _may_be_score(entries[k].text)]
    findings += [_asked(entries[k], "may be a result, but it is not clear") for k in unclear[:1]]
    if counts:
        findings.append(
            question(
                "counts",
                "the numbers may be the results of matches, or count the wins of each side",
                Hint("layout", ("battles",), "if each line is one match"),
                Hint("values", ("scores",), "if they count wins or votes"),
                row=entries[min(found)].row + 1,
            )
        )
    note = f"{len(ballots)} results of matches are read: the higher score wins"
    findings.append(Finding("note", "matches", note))
    return ballots, [entries[k].row for k in sorted({*rest, *unclear})], findings, wins


def _counts(entries: Sequence[Line], found: dict[int, _Match], rest: Sequence[int]) -> str | None:
    """Return "sure" or "maybe" where numbers may count wins or votes: `A vs B: 34-26`.

    Counts have the same large sum in each line, or words above speak of wins or votes.
    """
    pairs = {frozenset((likeness(m.left), likeness(m.right))) for m in found.values()}
    plain = all(len(m.scores) == 1 and m.result is None for m in found.values())
    if not plain or len(pairs) < len(found) or len(found) < 3:
        return None
    sums = {sum(m.scores[0]) for m in found.values()}
    words = {word for k in rest for word in tokens(entries[k].text)}
    named, same = bool(words & WINS), len(sums) == 1
    if max(sums) < _MANY or not (named or same):
        return None
    return "sure" if named and same else "maybe"


def _win_ballots(entries: Sequence[Line], found: dict[int, _Match]) -> list[Ballot]:
    """Return as many ballots for each side as the numbers say."""
    ballots = []
    for k, match in found.items():
        pair = (match.left, match.right)
        for weight, order in zip(match.scores[0], (pair, pair[::-1]), strict=True):
            if weight:
                ballots.append(Ballot("", [[name] for name in order], weight, entries[k].row))
    return ballots


_HALVES = re.compile(r"(?<![\d½])(\d{0,2})(½?)(\s?[-–—:]\s?)(\d{0,2})(½?)(?![\d½])")


def _doubled(match: re.Match[str]) -> str:
    """Return the points of both sides without halves: ½:½ as 1:1, 2½:1½ as 5:3."""
    if not (match[2] or match[5]):
        return match[0]
    left, right = (2 * int(match[k] or 0) + bool(match[k + 1]) for k in (1, 4))
    return f"{left}{match[3]}{right}"


def _match(text: str, known: Counter[str] | None) -> _Match | None:
    """Return the match of a line; `known` counts the names of other matches."""
    if len(text) > 200 or set(text) & set(">=<|\t"):
        return None
    text = _HALVES.sub(_doubled, without_bullet(text).rstrip(".; "))
    # The points of a tie-break: 7-6(5).
    text = re.sub(r"(?<=[-–:]\d)\s?\(\d{1,2}\)", "", text)
    while lead := _LEAD.match(text):
        text = text[lead.end() :]
    if (label := _LABEL.match(text)) and not _NAMES_END.search(label[0]):
        text = text[label.end() :]
    remarks = []
    while (cut_off := _REMARK.search(text)) or (cut_off := _TAIL.search(text)):
        if _ONE.fullmatch(cut_off[0].strip(" ()[]")) and not _ONE.search(text[: cut_off.start()]):
            break
        remarks.append(cut_off[0])
        text = text[: cut_off.start()].rstrip(" ,")
    behind = _BEHIND.fullmatch(text)
    remark = " ".join(remarks)
    for result, verb in _VERBS:
        told = verb.fullmatch(behind["pair"] if behind else text)
        if told and _are_names(told["left"], told["right"]):
            scores = _scores(behind["scores"]) if behind else []
            return _Match(
                told["left"].strip(), told["right"].strip(), scores, result, remark, False
            )
    between = _BETWEEN.fullmatch(text)
    if between and _are_names(between["left"], between["right"]):
        names, scored = (between["left"], between["right"]), between["scores"]
    elif behind and (pair := _split_pair(behind["pair"], known)):
        names, scored = pair, behind["scores"]
    else:
        return None
    scores = _scores(scored)
    return _Match(names[0].strip(), names[1].strip(), scores, None, remark, _is_clock(scored))


_NAMES_END = re.compile(rf"{_SCORES}|\s(?:{any_of(VERSUS)})\.?\s|\s[-–—]\s", _FLAGS)


def _split_pair(text: str, known: Counter[str] | None) -> tuple[str, str] | None:
    """Split `A - B`, `A v B` or `A-B`; where several marks are there, known names decide."""
    for mark in (_WORD, _DASH, _TIGHT):
        pairs = [(text[: m.start()], text[m.end() :].strip(" :,")) for m in mark.finditer(text)]
        pairs = [pair for pair in pairs if _are_names(*pair)]
        if len(pairs) > 1 and known is not None:
            pairs = [pair for pair in pairs if all(known[likeness(name)] for name in pair)]
        if len(pairs) == 1:
            return pairs[0]
        if pairs:
            return None
    return None


def _scores(text: str) -> list[tuple[int, int]]:
    return [(int(a), int(b)) for a, b in re.findall(r"(\d{1,3})\s?[^\d\s]\s?(\d{1,3})", text)]


def _is_clock(text: str) -> bool:
    """Return whether a score may be a time of day, such as 20:15."""
    clock = re.fullmatch(r"(\d{1,2}):(\d{2})", text.strip())
    return clock is not None and int(clock[1]) < 24 and int(clock[2]) in range(0, 60, 5)


def _are_names(left: str, right: str) -> bool:
    return likeness(left) != likeness(right) and all(map(_is_name, (left, right)))


def _is_name(text: str) -> bool:
    text = text.strip()
    return (
        0 < len(text) <= _LONGEST
        and len(text.split()) <= _MOST_WORDS
        and re.search(r"[^\W\d_]", text) is not None
        and not re.search(rf"[:;,?!]\s|[:;,?!@]$|^\W*\d+\W*$|{_SCORES}", text)
    )


def _without_times(found: dict[int, _Match]) -> dict[int, _Match]:
    """Leave out matches to come, with the time in place of the score."""
    sure = [max(max(s) for s in m.scores) for m in found.values() if m.scores and not m.is_clock]
    if max(sure, default=0) >= _FEW:
        return found
    return {k: match for k, match in found.items() if not match.is_clock}


def _are_results(entries: Sequence[Line], found: dict[int, _Match], rest: Sequence[int]) -> bool:
    """Return whether a text is one of results, with headings between them."""
    if len(found) < 2 or len(found) < _SHARE * len(entries):
        return False
    prose = [k for k in rest if len(entries[k].text.split()) > _HEADING]
    if len(prose) > 0.5 * len(found):
        return False
    often = Counter(likeness(n) for match in found.values() for n in (match.left, match.right))
    told = all(match.result is not None for match in found.values())
    lefts = {likeness(match.left) for match in found.values()}
    both = lefts & {likeness(match.right) for match in found.values()}
    falls = any(a > b for match in found.values() for a, b in match.scores)
    if not told and not both and not falls:
        # Pages, ages and hours go up: "Pool 10-18 Monday".
        return False
    return told or not rest or max(often.values()) > 1


def _may_be_score(text: str) -> bool:
    """Return whether a line that was not read has a score between or behind names."""
    text = without_bullet(text)
    while lead := _LEAD.match(text):
        text = text[lead.end() :]
    score = _ONE.search(text)
    if score is None or _is_clock(score[0]) or len(text.split()) > _HEADING:
        return False
    return len(re.findall(r"[^\W\d_]{2,}", text)) > 1 and not re.search(r"\d{4}|\d\d[./]\d\d", text)


def _asked(line: Line, why: str, how: str = "") -> Finding:
    hints = [Hint("skip_rows", (str(line.row + 1),), "to leave it out")]
    if how:
        hints.append(Hint("layout", ("battles",), f"to read it {how}"))
    return question("unread-match", f"{show(cut(line.text, 50))} {why}", *hints, row=line.row + 1)
