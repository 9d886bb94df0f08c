"""Results of matches in cells: `2-1`, `2 x 1`, `2:1 (1:0)`, `6-4 6-7(5) 7-5`, `3–2 n.V.`."""

from __future__ import annotations

import re
from collections.abc import Iterable

from concordant.reading.text_words import SHOOTOUT, any_of
from concordant.reading.words import tokens

_RESULT = re.compile(r"(\d{1,3})\s?[-–—−:x×]\s?(\d{1,3})", re.IGNORECASE)
# Half-time results, and the points of tie-breaks.
_BRACKETS = re.compile(r"\s*[(\[]([^()\[\]]*)[)\]]")
_BETWEEN = re.compile(r"\s*[,;/]\s*|\s+(?=\d+\s?[-–—−:]\s?\d)")
_OVERTIME = re.compile(
    r"[\s,]+(?:a\.?e\.?t\.?|n\.?\s?v\.?|o\.?t\.?|d\.?t\.?s\.?|a\.?p\.?|s\.?o\.?)$", re.IGNORECASE
)
_SHOOTOUT = re.compile(rf"(?<!\w){any_of(SHOOTOUT)}(?!\w)", re.IGNORECASE)


def read_goals(cell: str) -> tuple[int, int] | None:
    """Return the goals of both sides, or the sets that each won; None for other cells.

    A draw before penalties is none: its winner is not clear.

    Example:
        >>> read_goals("2 : 1 (1:0)"), read_goals("6-4, 6-7(5), 7-5"), read_goals("1:1 i.E.")
        ((2, 1), (2, 1), None)
    """
    text = cell.strip()[:80]
    match = _RESULT.fullmatch(text)
    if match is not None:
        return int(match[1]), int(match[2])
    if not text[:1].isdecimal():
        return None
    shootout = _SHOOTOUT.search(text) is not None
    plain = _OVERTIME.sub("", _SHOOTOUT.sub("", _BRACKETS.sub("", text)).strip()).strip()
    sets = [_RESULT.fullmatch(part) for part in _BETWEEN.split(plain)]
    found = [(int(each[1]), int(each[2])) for each in sets if each]
    if not found or len(found) < len(sets):
        return None
    goals = found[0]
    if len(found) > 1:
        goals = sum(a > b for a, b in found), sum(a < b for a, b in found)
    return None if shootout and goals[0] == goals[1] else goals


def is_flag(cells: Iterable[str]) -> bool:
    """Return whether cells hold 0 and 1: whether one side won, or the number of the winner."""
    return {cell.strip() for cell in cells} - {""} == {"0", "1"}


def side_named(name: str, left: str, right: str) -> str | None:
    """Return the side that the name of a column speaks of.

    Example:
        >>> side_named("home_win", "home_team", "away_team"), side_named("label", "a", "b")
        ('left', None)
    """
    words, mine, theirs = (set(tokens(each)) for each in (name, left, right))
    found = [bool(words & (each - (mine & theirs))) for each in (mine, theirs)]
    return ("left" if found[0] else "right") if found[0] != found[1] else None
