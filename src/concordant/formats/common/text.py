"""Ballots, weights and names, for the readers and writers of text formats."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from fractions import Fraction

import numpy as np

from concordant._types import Item, Unranked
from concordant.errors import InputError, cut
from concordant.formats.common.source import Source
from concordant.rankings import Rankings
from concordant.units import LARGEST, Weight

_DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
# The most rows that a format without weights gets by repeating rankings.
MOST_ROWS = 10_000_000


class Ballots:
    """Collects ballots line by line and makes `Rankings` of them.

    Attributes:
        count, n_voters: The number of ballots and of voters, if the file has them.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.count: int | None = None
        self.n_voters: int | None = None
        self._offsets = [0]
        self._members: list[int] = []
        self._buckets: list[int] = []
        self._weights: list[Weight] = []
        self._lines: list[int] = []
        self._voters: list[Item | None] = []
        self._counted = 0

    def add(
        self,
        buckets: Iterable[Iterable[int]],
        weight: Weight,
        line: int,
        count: int | None = None,
        voter: Item | None = None,
    ) -> None:
        """Add a ballot.

        Args:
            buckets: Item indices, best first.
            weight: Its weight.
            line: Its line, for errors.
            count: The number of ballots that it stands for; by default the weight, or 1 if the
                weight is a fraction.
            voter: The name of the voter, if the file has it.
        """
        for number, bucket in enumerate(buckets):
            before = len(self._members)
            self._members.extend(bucket)
            self._buckets.extend([number] * (len(self._members) - before))
        self._offsets.append(len(self._members))
        self._weights.append(weight)
        self._lines.append(line)
        self._voters.append(voter)
        if count is None:
            count = weight if isinstance(weight, int) else 1
        self._counted += count

    def rankings(self, items: Sequence[Item], unranked: Unranked = "unknown") -> Rankings:
        """Return all ballots as rankings of the items.

        Args:
            items: The names of the items.
            unranked: What leaving an item out means, unless the caller of `read` chose it.
        """
        if not self._lines:
            raise self.source.error("there is no ranking", self.source.last_line)
        whole = all(isinstance(weight, int) for weight in self._weights)
        count = self._counted if whole else len(self._lines)
        return self.source.rankings(
            items,
            self._offsets,
            self._members,
            self._buckets,
            np.array(self._weights, np.int64 if whole else object),
            lines=self._lines,
            n_rankings=count if self.count is None else self.count,
            n_voters=self.n_voters,
            unranked=unranked,
            voters=self._voters,
        )


def read_order(
    source: Source, text: str, line: int, find: Callable[[str], int | None]
) -> list[list[int]]:
    """Read `A > B = C`. `find` returns the number of a candidate, or None to leave it out."""
    buckets: list[list[int]] = []
    seen: set[int] = set()
    for rank in text.split(">"):
        bucket = []
        for name in rank.split("="):
            name = name.strip()
            if not name:
                raise source.error(f"a candidate has no name, in {cut(text.strip())!r}", line)
            number = find(name)
            if number is not None:
                source.check_once(number, seen, name, line)
                bucket.append(number)
        if bucket:
            buckets.append(bucket)
    return buckets


def read_weight(source: Source, text: str, line: int, what: str = "weight") -> Weight:
    """Read a weight as an integer, or as an exact fraction if it is not one."""
    text = text.strip()
    if len(text) < 18 and text.isascii() and text.isdecimal():
        return int(text)
    if len(text) > 100 or not _DECIMAL.fullmatch(text):
        hint = " (it must be a number, 0 or more)"
        raise source.error(f"{cut(text)!r} is not a {what}{hint}", line)
    weight = Fraction(Decimal(text))
    if weight < 0:
        raise source.error(f"the {what} {cut(text)} is negative", line)
    if weight >= LARGEST:
        raise source.error(f"the {what} {cut(text)} is too large to count exactly", line)
    return int(weight) if weight.denominator == 1 else weight


def distinct_names(names: Sequence[str], first: int = 1) -> list[str]:
    """Make the names of numbered items distinct, by adding numbers to equal names.

    In such files an item is a number, and its name only a label, which may occur twice or be
    empty. `first` is the number of the first item.

    Example:
        >>> distinct_names(["Ann", "Bo", "Ann", ""])
        ['Ann (1)', 'Bo', 'Ann (3)', '4']
    """
    found = [name or str(number) for number, name in enumerate(names, start=first)]
    while len(set(found)) < len(found):
        often = {name for name, count in Counter(found).items() if count > 1}
        found = [
            f"{name} ({number})" if name in often else name
            for number, name in enumerate(found, start=first)
        ]
    return found


# -- for writers ---------------------------------------------------------------------------


def repeats(data: Rankings, format_name: str) -> list[int]:
    """Return how many times to write each distinct ranking in a format without weights."""
    times = [int(weight) for weight in data.exact_weights]
    if sum(times) > MOST_ROWS:
        raise InputError(
            f"{format_name} has no weights, and repeating the rankings would make "
            f"{sum(times):,} rows: write toi, csv or json"
        )
    return times


def printed_names(items: Sequence[Item], format_name: str, refused: str = "") -> list[str]:
    """Return the names of the items as text.

    Args:
        items: The items.
        format_name: The format, for the error.
        refused: Characters that have another meaning in the format.

    Raises:
        InputError: The format cannot hold a name.
    """
    names = [str(item) for item in items]
    for name in names:
        fault = None
        if not name or name != name.strip():
            fault = "is empty" if not name.strip() else "begins or ends with a blank"
        else:
            bad = next((character for character in name if character in f"\n\r\0{refused}"), None)
            if bad is not None:
                fault = f"contains {bad!r}"
        if fault is not None:
            raise InputError(
                f"item {cut(name)!r} cannot be written as {format_name}, because its name {fault}: "
                "rename it, or write json"
            )
    if len(set(names)) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise InputError(
            f"two items are both written as {cut(twice)!r}: rename one, or write json, which "
            "keeps text and numbers apart"
        )
    return names


def all_numbers(text: str) -> bool:
    """Return whether a text consists of numbers.

    Example:
        >>> all_numbers("3 -1.5"), all_numbers("3 x"), all_numbers("")
        (True, False, False)
    """
    try:
        return bool(text) and all(math.isfinite(float(word)) for word in text.split())
    except ValueError:
        return False
