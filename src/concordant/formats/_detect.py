"""Telling the format of a file from its content, where its suffix does not."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

from concordant.formats._text import cut
from concordant.formats.native import FORMAT as JSON_FORMAT

if TYPE_CHECKING:
    from concordant.formats._text import Source

# The first lines are enough to tell.
_LINES = 200
_PREFLIB_KEY = re.compile(
    r"#\s*(FILE NAME|DATA TYPE|NUMBER ALTERNATIVES|ALTERNATIVE NAME \d+)\s*:\s*(\S*)"
)
_ABIF_VOTE = re.compile(r"\d+(\.\d+)?\s*[:*]", re.ASCII)
_BLT_NAMES = re.compile(r'\n0[ \t]*(#.*)?\n\s*"')
_OLD_PREFLIB = re.compile(r"\d+\s*,")
_COLUMN_TYPES = {"DOUBLE", "NUMERIC", "INTEGER", "REAL", "FLOAT", "STRING", "NOMINAL"}


def detect_content(source: Source) -> str:
    """Return the name of the format that a file's content has, or say that it has none."""
    if source.data.startswith(b"PAR1"):
        return "parquet"
    lines = [line[:1000].strip() for line in source.text.split("\n", _LINES)[:_LINES]]
    lines = [line for line in lines if line]
    # Markers of one format first, then what it takes the shape of numbers to tell.
    return _by_marker(lines) or _by_shape(source, [line for line in lines if line[0] != "#"])


def _by_marker(lines: list[str]) -> str | None:
    if lines and lines[0][0] in "{[":
        is_abif = any(_ABIF_VOTE.match(line) or line[0] == "=" for line in lines)
        return "abif" if is_abif and not any(JSON_FORMAT in line for line in lines) else "json"
    preflib = [match for match in map(_PREFLIB_KEY.match, lines) if match]
    if preflib:
        kinds = [match[2] for match in preflib if match[1] == "DATA TYPE"]
        return kinds[0] if kinds and kinds[0] in ("soc", "soi", "toc", "toi") else "toi"
    if any(line.startswith("#/") for line in lines):
        return "cvotes"
    if len(lines) > 1 and {word.upper() for word in lines[1].split("\t")} <= _COLUMN_TYPES:
        return "label-ranking"
    return None


def _by_shape(source: Source, lines: list[str]) -> str:
    first, second, third = (*lines, "", "", "")[:3]
    words = first.split()
    count = len(words) if _all_numbers(first) else 0
    if count == 2:
        if _BLT_NAMES.search(source.text):
            return "blt"
        raise source.error(
            f"{first!r} begins a file of ranks (column j is the rank of item j) or of orders "
            "(item numbers, best first), and the numbers do not tell which: say --format ranks or "
            '--format orders (in Python, format="ranks")',
            1,
        )
    if count == 3:
        return "ranks"
    if count == 1:
        return "toi" if _OLD_PREFLIB.match(second) else "lop"
    if len(words) == 6 and _all_numbers(" ".join(words[3:5])) and not count:
        return "trec"
    if any(_ABIF_VOTE.match(line) or line.startswith("=") for line in (first, second)):
        return "abif"
    if _all_numbers(third) and len(second.split()) == 1 and _all_numbers(second):
        return "lop"
    if ">" in first:
        return "cvotes"
    if any(separator in first for separator in ",;\t"):
        return "csv"
    raise source.error(
        "neither the name nor the content tells the format "
        f"(it begins with {cut(first)!r}): say --format F (in Python, format=…)",
        1,
    )


def _all_numbers(text: str) -> bool:
    try:
        return bool(text) and all(math.isfinite(float(word)) for word in text.split())
    except ValueError:
        return False
