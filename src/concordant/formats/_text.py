"""What readers and writers of text share: a file with its lines, ballots, weights, names."""

from __future__ import annotations

import gzip
import re
import zlib
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from concordant.errors import InputError
from concordant.rankings import Item, Rankings, Unranked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

# What an error message shows of a line, and how long it gets at most.
_SHOWN = 60
_LONGEST_MESSAGE = 600
_LARGEST = 2**62
# Headers may say any number of items, and names are made for all of them.
_MOST_ITEMS = 1_000_000
_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)

Weight = int | Fraction


def cut(text: str, most: int = _SHOWN) -> str:
    """Shorten a text for an error message.

    Example:
        >>> cut("a long line of a file", 10)
        'a long li…'
    """
    return text if len(text) <= most else f"{text[: most - 1]}…"


def error_at(path: str | Path, message: str, line: int | None = None) -> InputError:
    """Return the error for a place in a file, with a message of bounded length."""
    return InputError(cut(message, _LONGEST_MESSAGE), path=path, line=line)


class Source:
    r"""A file to read: its bytes (unpacked when it is gzipped), its text and its lines.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "a.txt"
        >>> _ = path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
        >>> Source(path).lines
        ['one', 'two', '']
    """

    def __init__(self, path: str | Path) -> None:
        self.path = str(path)

    def check_items(self, m: int, line: int) -> None:
        """Refuse a number of items, said by a header, that nothing could be done with."""
        if m > _MOST_ITEMS:
            raise self.error(
                f"the header says {m:,} items; more than {_MOST_ITEMS:,} are not read, because "
                "all pairs of items are compared",
                line,
            )

    def error(self, message: str, line: int | None = None) -> InputError:
        """Return the error for a line of this file (the first line is 1)."""
        return error_at(self.path, message, line)

    @cached_property
    def _raw(self) -> bytes:
        try:
            return Path(self.path).read_bytes()
        except FileNotFoundError:
            raise self.error("there is no such file") from None
        except IsADirectoryError:
            raise self.error("is a folder: give the name of a file in it") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise self.error(f"cannot be read: {reason}") from error

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file."""
        if not self._raw.startswith(b"\x1f\x8b"):
            return self._raw
        try:
            return gzip.decompress(self._raw)
        except (OSError, EOFError, zlib.error) as error:
            raise self.error(f"the gzipped file is damaged: {error}") from None

    @cached_property
    def body(self) -> bytes:
        """The bytes of a text, without a byte order mark and with one kind of line end."""
        data = self.data
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise self.error("is written in UTF-16: save it as UTF-8", 1)
        data = data.removeprefix(b"\xef\xbb\xbf")
        if not data.strip():
            raise self.error("the file is empty", 1)
        zero = data.find(b"\0")
        if zero >= 0:
            line = data.count(b"\n", 0, zero) + 1
            # Every other byte is zero in UTF-16, of which the mark at the start may be missing.
            if data[:64].count(b"\0") * 3 >= len(data[:64]):
                raise self.error("looks like UTF-16 text: save it as UTF-8", line)
            raise self.error("holds binary data, not text", line)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
            if b"\n" not in data:
                data = data.replace(b"\r", b"\n")
        return data

    @cached_property
    def text(self) -> str:
        """The text of the file, which must be UTF-8."""
        try:
            return self.body.decode()
        except UnicodeDecodeError as error:
            line = self.body.count(b"\n", 0, error.start) + 1
            byte = self.body[error.start]
            raise self.error(
                f"is not UTF-8 text (byte {byte:#04x}): save it as UTF-8", line
            ) from None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return self.text.split("\n")

    @property
    def last_line(self) -> int:
        """The number of the last line that is not blank."""
        return self.body.rstrip().count(b"\n") + 1


class Ballots:
    """Collects ballots line by line and makes `Rankings` of them.

    Attributes:
        count: How many ballots there are, where the file says so itself.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.count: int | None = None
        self._offsets = [0]
        self._members: list[int] = []
        self._buckets: list[int] = []
        self._weights: list[Weight] = []
        self._lines: list[int] = []
        self._counted = 0

    def add(
        self, buckets: Iterable[Iterable[int]], weight: Weight, line: int, count: int | None = None
    ) -> None:
        """Add a ballot: buckets of item indices. `count` says how many it stands for.

        By default the weight is that count, or, where it is a fraction, it counts once.
        """
        for number, bucket in enumerate(buckets):
            before = len(self._members)
            self._members.extend(bucket)
            self._buckets.extend([number] * (len(self._members) - before))
        self._offsets.append(len(self._members))
        self._weights.append(weight)
        self._lines.append(line)
        if count is None:
            count = weight if isinstance(weight, int) else 1
        self._counted += count

    def rankings(self, items: Sequence[Item], unranked: Unranked | None) -> Rankings:
        """Return all ballots as rankings of the items."""
        if not self._lines:
            raise self.source.error("there is no ranking at all", self.source.last_line)
        whole = all(isinstance(weight, int) for weight in self._weights)
        count = self._counted if whole else len(self._lines)
        return located(
            self.source,
            self._lines,
            lambda: Rankings.from_arrays(
                items,
                self._offsets,
                self._members,
                self._buckets,
                np.array(self._weights, np.int64 if whole else object),
                n_rankings=count if self.count is None else self.count,
                unranked=unranked or "unknown",
            ),
        )


def located(source: Source, lines: Sequence[int], make: Callable[[], Rankings]) -> Rankings:
    """Call `make`, and add the file and the faulty ranking's line to an error of it."""
    try:
        return make()
    except InputError as error:
        line = None if error.ranking is None else int(lines[error.ranking])
        raise source.error(error.message, line) from None


def read_weight(source: Source, text: str, line: int, what: str = "weight") -> Weight:
    """Read a weight: an integer where it is one, else the exact fraction."""
    text = text.strip()
    if len(text) < 18 and text.isascii() and text.isdecimal():
        return int(text)
    if len(text) > 100 or not _DECIMAL.fullmatch(text):
        hint = " (it must be a number, 0 or more)"
        raise source.error(f"{cut(text)!r} is not a {what}{hint}", line)
    weight = Fraction(Decimal(text))
    if weight < 0:
        raise source.error(f"the {what} {cut(text)} is negative", line)
    if weight >= _LARGEST:
        raise source.error(f"the {what} {cut(text)} is too large to count exactly", line)
    return int(weight) if weight.denominator == 1 else weight


def distinct_names(names: Sequence[str]) -> list[str]:
    """Make the names of numbered items differ, by adding their numbers where need be.

    An item of such a file is its number, and its name only a label: two may share one, and
    some have none.

    Example:
        >>> distinct_names(["Ann", "Bo", "Ann", ""])
        ['Ann (1)', 'Bo', 'Ann (3)', '4']
    """
    found = [name or str(number) for number, name in enumerate(names, start=1)]
    while len(set(found)) < len(found):
        often = {name for name, count in Counter(found).items() if count > 1}
        found = [
            f"{name} ({number})" if name in often else name
            for number, name in enumerate(found, start=1)
        ]
    return found


# -- for writers ---------------------------------------------------------------------------


def exact_weights(data: Rankings) -> list[Weight]:
    """Return the weight of each distinct ranking, as an int where it is an integer."""
    units: list[int] = data.units.tolist()
    if data.scale == 1:
        return list(units)
    # Halves may have been added up to whole numbers.
    weights = [Fraction(unit, data.scale) for unit in units]
    return [int(weight) if weight.denominator == 1 else weight for weight in weights]


def decimal_text(value: Weight) -> str | None:
    """Write a number as a decimal, or return None where no decimal is exact.

    Example:
        >>> decimal_text(Fraction(5, 4)), decimal_text(Fraction(1, 3)), decimal_text(7)
        ('1.25', None, '7')
    """
    value = Fraction(value)
    denominator, digits = value.denominator, 0
    while denominator % 10 == 0:
        denominator, digits = denominator // 10, digits + 1
    for factor in (2, 5):
        while denominator % factor == 0:
            denominator, digits = denominator // factor, digits + 1
    if denominator != 1:
        return None
    if not digits:
        return str(value.numerator)
    scaled = str(abs(int(value * 10**digits))).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    return f"{sign}{scaled[:-digits]}.{scaled[-digits:]}"


def each_ranking(data: Rankings) -> Iterator[list[list[int]]]:
    """Yield the buckets of item indices of each distinct ranking."""
    offsets, members = data.offsets.tolist(), data.members.tolist()
    numbers = data.buckets.tolist()
    for start, end in pairwise(offsets):
        ranking: list[list[int]] = []
        for member, number in zip(members[start:end], numbers[start:end], strict=True):
            if number == len(ranking):
                ranking.append([])
            ranking[-1].append(member)
        yield ranking


def printed_names(items: Sequence[Item], format_name: str, refused: str = "") -> list[str]:
    """Return the items' names as a text format can hold them, or say which it cannot.

    Args:
        items: The items.
        format_name: For the error.
        refused: Characters that the format has another use for.
    """
    names = [str(item) for item in items]
    for name in names:
        fault = None
        if not name or name != name.strip():
            fault = "is empty" if not name.strip() else "begins or ends with a blank"
        else:
            bad = next((character for character in name if character in f"\n\r\0{refused}"), None)
            if bad is not None:
                fault = f"has {bad!r}, which that format cannot hold"
        if fault is not None:
            raise InputError(
                f"item {cut(name)!r} cannot be written as {format_name}: its name {fault}. "
                "Rename it, or write json"
            )
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise InputError(
            f"two items are both written {cut(twice)!r}: rename one, or write json, which tells "
            "text from numbers"
        )
    return names
