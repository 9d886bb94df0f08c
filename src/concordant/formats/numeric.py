"""The formats that are all numbers: `ranks`, `orders` and `lop`."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64
from concordant.errors import InputError
from concordant.formats._text import (
    cut,
    decimal_text,
    each_ranking,
    exact_weights,
    located,
)
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings, Unranked

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from concordant.formats._text import Source
    from concordant.rankings import Item

# Formats without weights repeat a ranking instead; beyond this, that is not what one wants.
MOST_ROWS = 10_000_000
# Rows of `orders` are padded to all items only while the file has fewer numbers than this.
_MOST_PADDED = 10_000_000

_BLANK, _DIGIT, _SIGN, _OTHER = 0, 1, 2, 3
_KIND = np.full(256, _OTHER, np.uint8)
_KIND[list(b" \t\n\r\v\f")] = _BLANK
_KIND[list(b"0123456789")] = _DIGIT
_KIND[list(b"+-.eE")] = _SIGN


# -- reading numbers, all at once ----------------------------------------------------------


class _Numbers:
    """The numbers of a text and where its lines begin among them.

    Attributes:
        values: All numbers: integers where all are, else floats.
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
                # What was larger is read as that.
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
        """Return the lines that hold numbers, and how many each holds."""
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


def _read_header(source: Source) -> tuple[int, int, _Numbers]:
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
            f"the header must be 'm n' (how many items, how many rankings), not {shown!r}", number
        )
    source.check_items(m, number)
    if m < 1:
        raise source.error("the header says that there is no item to rank", number)
    if n < 1:
        raise source.error("the header says that there is no ranking at all", number)
    rest = body[end + 1 :] if end >= 0 else b""
    numbers = _Numbers(source, rest, number + 1)
    found = int(np.count_nonzero(np.diff(numbers.offsets)))
    if found != n:
        raise source.error(
            f"the header says {n} rankings, but {found} rows follow"
            + (" (a voter who ranked nothing is a row of zeros)" if found < n else ""),
            number,
        )
    return m, n, numbers


def read_ranks(source: Source, unranked: Unranked | None) -> Rankings:
    """Read `m n [theta]`, then a row per ranking: column j is the rank of item j."""
    m, n, numbers = _read_header(source)
    lines, counts = numbers.rows()
    wrong = np.flatnonzero(counts != m)
    if wrong.size:
        raise source.error(
            f"the row has {counts[wrong[0]]} ranks, but the header says {m} items",
            int(lines[wrong[0]]),
        )
    negative = np.flatnonzero(numbers.values < 0)
    if negative.size:
        position = int(negative[0])
        raise source.error(
            f"{numbers.values[position]:g} is not a rank (1 is best, 0 is not ranked)",
            numbers.line_of(position),
        )
    ranks = numbers.values.reshape(n, m)
    return located(
        source, lines.tolist(), lambda: Rankings.from_ranks(ranks, unranked=unranked or "unknown")
    )


def read_orders(source: Source, unranked: Unranked | None) -> Rankings:
    """Read `m n`, then a row per ranking: item numbers, best first, 0 = nothing."""
    m, _, numbers = _read_header(source)
    lines, counts = numbers.rows()
    if counts.max() > m:
        row = int(np.argmax(counts > m))
        raise source.error(
            f"the row has {counts[row]} entries, but the header says {m} items", int(lines[row])
        )
    values = numbers.values
    wrong = np.flatnonzero((values < 0) | (values > m) | (values != np.floor(values)))
    if wrong.size:
        position = int(wrong[0])
        raise source.error(
            f"{values[position]:g} is not an item: items are 1 … {m}, and 0 stands for none",
            numbers.line_of(position),
        )
    ranked = values > 0
    kept = np.concatenate([[0], np.cumsum(ranked)])
    rows = numbers.offsets[lines - numbers.first_line]
    members = values[ranked].astype(np.int64) - 1
    return located(
        source,
        lines.tolist(),
        lambda: Rankings.from_arrays(
            [str(j + 1) for j in range(m)],
            np.append(kept[rows], members.size),
            members,
            np.arange(members.size),
            unranked=unranked or "unknown",
        ),
    )


def read_lop(source: Source, unranked: Unranked | None) -> Pairwise:
    """Read m and an m × m matrix; lines of text before m are comments."""
    lines = source.lines
    first = next(
        (k for k, line in enumerate(lines) if line.strip() and _is_numeric(line[:1000])), None
    )
    if first is None:
        raise source.error("has no number of items, with which a lop file begins", 1)
    numbers = _Numbers(source, "\n".join(lines[first:]).encode(), first + 1)
    size, entries = numbers.values[0], numbers.values[1:]
    if size != int(size) or size < 1:
        raise source.error(
            f"a lop file begins with the number of items, and {size:g} is none", first + 1
        )
    m = int(size)
    if entries.size != m * m:
        raise _not_square(source, numbers, m)
    try:
        return Pairwise.from_matrix(entries.reshape(m, m))
    except InputError as error:
        # What is wrong with finite entries is their size.
        largest = int(np.argmax(np.abs(entries))) + 1
        raise source.error(error.message, numbers.line_of(largest)) from None


def _is_numeric(line: str) -> bool:
    try:
        return all(np.isfinite(float(word)) for word in line.split()[:50])
    except ValueError:
        return False


def _not_square(source: Source, numbers: _Numbers, m: int) -> InputError:
    lines, counts = numbers.rows()
    found = numbers.values.size - 1
    message = f"the matrix of {m} items needs {m} × {m} = {m * m} numbers, but {found} follow"
    # Where the matrix has a row a line, the line that differs can be named.
    wrong = np.flatnonzero(counts[1:] != m)
    if counts[0] == 1 and counts.size == m + 1 and wrong.size:
        row = int(wrong[0]) + 1
        return source.error(f"{message}; this row has {counts[row]}", int(lines[row]))
    return source.error(message, int(lines[-1]))


# -- writing -------------------------------------------------------------------------------


def numbered(items: Sequence[Item], format_name: str) -> list[int]:
    """Return the number of each item, 1 … m, which is all the name these formats have."""
    numbers = [str(item) for item in items]
    expected = {str(j + 1) for j in range(len(items))}
    if set(numbers) != expected:
        other = next(name for name in numbers if name not in expected)
        raise InputError(
            f"{format_name} has no item names, only numbers 1 … {len(items)}, so item "
            f"{cut(other)!r} would be lost: rename the items, or write csv, json or toi"
        )
    return [int(name) for name in numbers]


def repeats(data: Rankings, format_name: str) -> list[int]:
    """Return how often to write each distinct ranking in a format without weights."""
    times = [int(weight) for weight in exact_weights(data)]
    if sum(times) > MOST_ROWS:
        raise InputError(
            f"{format_name} has no weights, and repeating the rankings would make "
            f"{sum(times):,} rows: write toi, csv or json"
        )
    return times


def write_ranks(data: Rankings) -> Iterator[str]:
    """Yield the rows of a `ranks` file."""
    columns = [number - 1 for number in numbered(data.items, "ranks")]
    times = repeats(data, "ranks")
    yield f"{data.n_items} {sum(times)}\n"
    for ranking, count in zip(each_ranking(data), times, strict=True):
        ranks = ["0"] * data.n_items
        for rank, bucket in enumerate(ranking, start=1):
            for item in bucket:
                ranks[columns[item]] = str(rank)
        yield (" ".join(ranks) + "\n") * count


def write_orders(data: Rankings) -> Iterator[str]:
    """Yield the rows of an `orders` file."""
    number = [str(name) for name in numbered(data.items, "orders")]
    times = repeats(data, "orders")
    m = data.n_items
    width = m if m * sum(times) <= _MOST_PADDED else 1
    yield f"{m} {sum(times)}\n"
    for ranking, count in zip(each_ranking(data), times, strict=True):
        row = [number[item] for bucket in ranking for item in bucket]
        row += ["0"] * (width - len(row))
        yield (" ".join(row) + "\n") * count


def write_lop(data: Rankings | Pairwise) -> Iterator[str]:
    """Yield the rows of a `lop` file: of a matrix, or of the pairwise counts of rankings."""
    pairs = Pairwise.from_rankings(data) if isinstance(data, Rankings) else data
    by_number = np.argsort(numbered(pairs.items, "lop"))
    yield f"{pairs.n_items}\n"
    for row in pairs.counts[np.ix_(by_number, by_number)].tolist():
        if pairs.scale == 1:
            yield " ".join(map(str, row)) + "\n"
        else:
            yield " ".join(_decimal(count, pairs.scale) for count in row) + "\n"


def _decimal(count: int, scale: int) -> str:
    text = decimal_text(Fraction(count, scale))
    if text is None:
        raise InputError(
            f"lop holds decimals, and {count}/{scale} is none: multiply all weights by {scale}"
        )
    return text
