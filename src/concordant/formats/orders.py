"""`orders`: a header `m n`, then one ranking per row: item numbers, best first; 0 is padding."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from concordant.formats.common.numbers import check_numbered, read_header
from concordant.formats.common.registry import LIKELY, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import all_numbers, repeats
from concordant.rankings import Rankings

# Rows are padded to the number of items only in files of fewer numbers than this.
_MOST_PADDED = 10_000_000


def read_orders(source: Source) -> Rankings:
    """Read `m n`, then a row per ranking: item numbers, best first; 0 is padding."""
    m, _, numbers = read_header(source)
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
            f"{values[position]:g} is not an item: items are 1 … {m}, and 0 is padding",
            numbers.line_of(position),
        )
    ranked = values > 0
    kept = np.concatenate([[0], np.cumsum(ranked)])
    rows = numbers.offsets[lines - numbers.first_line]
    members = values[ranked].astype(np.int64) - 1
    return source.rankings(
        [str(j + 1) for j in range(m)],
        np.append(kept[rows], members.size),
        members,
        np.arange(members.size),
        lines=lines.tolist(),
    )


def write_orders(data: Rankings, path: Path) -> Iterator[str]:
    """Yield the rows of an `orders` file."""
    number = [str(name) for name in check_numbered(data.items, "orders")]
    times = repeats(data, "orders")
    m = data.n_items
    width = m if m * sum(times) <= _MOST_PADDED else 1
    yield f"{m} {sum(times)}\n"
    for ranking, count in zip(data.numbered(), times, strict=True):
        row = [number[item] for bucket in ranking for item in bucket]
        row += ["0"] * (width - len(row))
        yield (" ".join(row) + "\n") * count


def sniff(source: Source) -> int:
    """Recognise orders by a header of two numbers; the file may hold ranks too."""
    first = source.opening[0]
    return LIKELY if len(first.split()) == 2 and all_numbers(first) else NO


FORMAT = Format(
    "orders",
    "header 'm n', then item numbers, best first, one ranking per row",
    (".orders",),
    read_orders,
    write_orders,
    sniff,
    ties=False,
    weights="repeats",
    names=False,
)
