"""Reading of formats that consist of numbers, whose items have no names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64, Item
from concordant.errors import InputError, cut
from concordant.formats.common.source import Source

_BLANK, _DIGIT, _SIGN, _OTHER = 0, 1, 2, 3
_KIND = np.full(256, _OTHER, np.uint8)
_KIND[list(b" \t\n\r\v\f")] = _BLANK
_KIND[list(b"0123456789")] = _DIGIT
_KIND[list(b"+-.eE")] = _SIGN


class Numbers:
    """The numbers of a text, by line.

    Attributes:
        values: All numbers: integers if all of them are, else floats.
        offsets: The numbers of line k are `values[offsets[k]:offsets[k+1]]`.
    """

    def __init__(self, source: Source, body: bytes, first_line: int) -> None:
        raw = np.frombuffer(body, np.uint8)
        kinds = _KIND[raw]
        inside = kinds != _BLANK
        starts = np.flatnonzero(inside & np.concatenate([[True], ~inside[:-1]]))
        ends = np.flatnonzero(raw == ord("\n"))
        self.first_line = first_line
        self.offsets = np.concatenate([[0], np.searchsorted(starts, ends), [starts.size]])
        worst = int(kinds.max(initial=0))
        values: npt.NDArray[Any] | None = None
        if not starts.size:
            values = np.empty(0, np.int64)
        elif worst == _DIGIT:
            values = np.fromstring(body, np.int64, sep=" ")
            if values.max() == np.iinfo(np.int64).max:
                # Larger numbers are read as the largest integer.
                position = int(np.argmax(values))
                raise source.error("a number is too large", self.line_of(position))
        elif worst == _SIGN:
            values = _read_words(body.split())
        if values is None:
            raise _not_a_number(source, body, first_line)
        self.values = values

    def line_of(self, position: int) -> int:
        """Return the line of the number at a position."""
        return int(np.searchsorted(self.offsets, position, "right")) - 1 + self.first_line

    def rows(self) -> tuple[Int64, Int64]:
        """Return the lines that have numbers, and how many each has."""
        counts = np.diff(self.offsets)
        filled = np.flatnonzero(counts)
        return filled + self.first_line, counts[filled]


def _read_words(words: list[bytes]) -> npt.NDArray[Any] | None:
    for kind in (int, float):
        try:
            values = np.array([kind(word) for word in words])
        except (ValueError, OverflowError):
            continue
        if values.dtype != object and np.isfinite(values).all():
            return values
    return None


def _not_a_number(source: Source, body: bytes, first_line: int) -> InputError:
    for number, line in enumerate(body.split(b"\n"), start=first_line):
        for word in line.split():
            try:
                finite = bool(np.isfinite(float(word))) and b"_" not in word
            except ValueError:
                finite = False
            if not finite:
                shown = cut(word[:200].decode(errors="replace"))
                return source.error(f"{shown!r} is not a number", number)
    return source.error("a number cannot be read", first_line)


def read_header(source: Source) -> tuple[int, int, Numbers]:
    """Read `m n [theta]` and the numbers below it."""
    body = source.body
    start, number = 0, 1
    while True:
        end = body.find(b"\n", start)
        line = body[start : end if end >= 0 else len(body)]
        if line.strip():
            break
        start, number = end + 1, number + 1
    words = line[:200].split()
    try:
        m, n = int(words[0]), int(words[1])
        [float(word) for word in words[2:3]]
        good = len(words) in (2, 3) and len(line.strip()) < 200
    except (ValueError, IndexError):
        good = False
    if not good:
        shown = cut(line[:200].decode(errors="replace").strip())
        raise source.error(
            f"the header must be 'm n' (numbers of items and rankings), not {shown!r}", number
        )
    source.check_items(m, number)
    if m < 1:
        raise source.error("the header says that there is no item to rank", number)
    if n < 1:
        raise source.error("the header says that there is no ranking", number)
    rest = body[end + 1 :] if end >= 0 else b""
    numbers = Numbers(source, rest, number + 1)
    found = int(np.count_nonzero(np.diff(numbers.offsets)))
    if found != n:
        raise source.error(
            f"the header says {n} rankings, but {found} rows follow"
            + (" (a voter who ranked nothing is a row of zeros)" if found < n else ""),
            number,
        )
    return m, n, numbers


def check_numbered(items: Sequence[Item], format_name: str) -> list[int]:
    """Return the number of each item, 1 … m. These formats have no other names."""
    numbers = [str(item) for item in items]
    expected = {str(j + 1) for j in range(len(items))}
    if set(numbers) != expected:
        other = next(name for name in numbers if name not in expected)
        raise InputError(
            f"{format_name} has no item names, only numbers 1 … {len(items)}, so item "
            f"{cut(other)!r} would be lost: rename the items, or write csv, json or toi"
        )
    return [int(name) for name in numbers]
