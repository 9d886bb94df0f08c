"""`ranks`: a header `m n [theta]`, then one ranking per row; column j is the rank of item j."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from concordant.formats.common.numbers import check_numbered, read_header
from concordant.formats.common.registry import LIKELY, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import all_numbers, repeats
from concordant.rankings import Rankings


def read_ranks(source: Source) -> Rankings:
    """Read `m n [theta]`, then a row per ranking: column j is the rank of item j."""
    m, n, numbers = read_header(source)
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
            f"{numbers.values[position]:g} is not a rank (1 is best, 0 means not ranked)",
            numbers.line_of(position),
        )
    return Rankings.from_ranks(numbers.values.reshape(n, m), unranked=source.unranked or "unknown")


def write_ranks(data: Rankings, path: Path) -> Iterator[str]:
    """Yield the rows of a `ranks` file."""
    columns = [number - 1 for number in check_numbered(data.items, "ranks")]
    times = repeats(data, "ranks")
    yield f"{data.n_items} {sum(times)}\n"
    for ranking, count in zip(data.numbered(), times, strict=True):
        ranks = ["0"] * data.n_items
        for rank, bucket in enumerate(ranking, start=1):
            for item in bucket:
                ranks[columns[item]] = str(rank)
        yield (" ".join(ranks) + "\n") * count


def sniff(source: Source) -> int:
    """Recognise ranks by a header of three numbers; with two, the file may hold orders."""
    first = source.opening[0]
    return LIKELY if len(first.split()) in (2, 3) and all_numbers(first) else NO


FORMAT = Format(
    "ranks",
    "header 'm n [theta]', then the rank of each item, one ranking per row",
    (".ranks",),
    read_ranks,
    write_ranks,
    sniff,
    weights="repeats",
    names=False,
)
