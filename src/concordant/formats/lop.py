"""`lop`, the linear ordering problem, as in LOLIB: m, then an m × m matrix."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import numpy as np

from concordant.errors import InputError
from concordant.formats.common.numbers import Numbers, check_numbered
from concordant.formats.common.registry import LIKELY, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import all_numbers
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.units import decimal_text

_NAMED = re.compile(r"\d+\s*,")


def read_lop(source: Source) -> Pairwise:
    """Read m and an m × m matrix; lines of text before m are comments."""
    lines = source.lines
    first = next(
        (k for k, line in enumerate(lines) if line.strip() and _is_numeric(line[:1000])), None
    )
    if first is None:
        raise source.error("a lop file must begin with the number of items", 1)
    numbers = Numbers(source, "\n".join(lines[first:]).encode(), first + 1)
    size, entries = numbers.values[0], numbers.values[1:]
    if size != int(size) or size < 1:
        raise source.error(
            f"a lop file must begin with the number of items, not with {size:g}", first + 1
        )
    m = int(size)
    if entries.size != m * m:
        raise _not_square(source, numbers, m)
    try:
        return Pairwise.from_matrix(entries.reshape(m, m))
    except InputError as error:
        # The entries are finite, so one of them is too large.
        largest = int(np.argmax(np.abs(entries))) + 1
        raise source.error(error, numbers.line_of(largest)) from None


def _is_numeric(line: str) -> bool:
    try:
        return all(np.isfinite(float(word)) for word in line.split()[:50])
    except ValueError:
        return False


def _not_square(source: Source, numbers: Numbers, m: int) -> InputError:
    lines, counts = numbers.rows()
    found = numbers.values.size - 1
    message = f"the matrix of {m} items needs {m} × {m} = {m * m} numbers, but {found} follow"
    # If each line is a row of the matrix, the faulty line is known.
    wrong = np.flatnonzero(counts[1:] != m)
    if counts[0] == 1 and counts.size == m + 1 and wrong.size:
        row = int(wrong[0]) + 1
        return source.error(f"{message}; this row has {counts[row]}", int(lines[row]))
    return source.error(message, int(lines[-1]))


def write_lop(data: Rankings | Pairwise, path: Path) -> Iterator[str]:
    """Yield the rows of a `lop` file: of a matrix, or of the pairwise counts of rankings."""
    pairs = Pairwise.from_rankings(data) if isinstance(data, Rankings) else data
    by_number = np.argsort(check_numbered(pairs.items, "lop"))
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
            f"lop holds decimals, and {count}/{scale} is not one: multiply all weights by {scale}"
        )
    return text


def sniff(source: Source) -> int:
    """Recognise a matrix by a line with one number and no names below; a comment may precede."""
    first, second, third = source.opening
    if len(first.split()) == 1 and all_numbers(first):
        # In old PrefLib files, names follow the number.
        return NO if _NAMED.match(second) else LIKELY
    commented = len(second.split()) == 1 and all_numbers(second) and all_numbers(third)
    return LIKELY if commented and not all_numbers(first) else NO


FORMAT = Format(
    "lop",
    "linear ordering problem: m, then an m × m matrix",
    (".lop", ".mat"),
    read_lop,
    write_lop,
    sniff,
    weights="decimals",
    names=False,
    matrix=True,
)
