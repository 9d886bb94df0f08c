"""Random tables in common layouts, with noise that does not change what they mean.

`compose(seed)` returns a file and the meaning it has, in the form of the indices of
`tests/reading`. A layout is a function of `Draw` that returns a `Table`; noise is drawn by
`Draw.noise`, which also writes down its name, so that faults can be counted by it. The layouts are
in `composing_tables.py` and `composing_lists.py`.

Each file must have one plausible reading. What a careful stranger would ask about is left out:
marks without a word that says which end is best, or names of both sides without a word for either.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from composing_draw import Draw, Table
from composing_lists import (
    arena,
    ballots,
    form_grid,
    goals,
    lists_in_cells,
    lists_in_columns,
    named_lists,
    numbered_lists,
    results,
    winners,
)
from composing_tables import (
    criteria,
    leaderboard,
    long_scores,
    races,
    studies,
    times,
    wide_ranks,
    wide_scores,
    yearly,
)
from composing_words import NOTES, TITLES


@dataclass(frozen=True)
class Composed:
    """A file: its layout, the noise it has, its bytes and its expectation."""

    layout: str
    noise: tuple[str, ...]
    suffix: str
    content: bytes
    entry: dict[str, Any]


LAYOUTS: list[Callable[[Draw], Table]] = [
    wide_ranks,
    wide_ranks,
    wide_scores,
    wide_scores,
    times,
    leaderboard,
    criteria,
    races,
    long_scores,
    studies,
    yearly,
    ballots,
    ballots,
    form_grid,
    lists_in_cells,
    lists_in_columns,
    named_lists,
    numbered_lists,
    results,
    goals,
    winners,
    arena,
]


def around(draw: Draw, table: Table) -> list[list[str]]:
    """Return the cells of the file: titles above, notes below, trailing separators, blanks."""
    width = len(table.header)
    rows = [table.header, *table.rows]
    if draw.noise("stray blanks", 0.1):
        rows = [
            [f"{cell} " if cell and draw.rng.random() < 0.1 else cell for cell in row]
            for row in rows
        ]
    above = [table.title] if table.title else []
    if draw.noise("title", 0.2):
        above.insert(0, draw.rng.choice(TITLES[draw.language]))
    if width > 2 and draw.noise("date above", 0.1):
        above.append(f"{draw.word('date')}\t14.03.2025")
    if above and draw.noise("blank row below the title", 0.5):
        above.append("")
    if len(rows) > 5 and draw.noise("blank row within", 0.07):
        rows.insert(len(rows) // 2, [""] * width)
    cells = [text.split("\t") for text in above]
    rows[:0] = [[*row, *[""] * (width - len(row))] for row in cells]
    if draw.noise("note below", 0.15):
        notes = draw.rng.sample(NOTES[draw.language], draw.rng.randint(1, 2))
        rows += [[""] * width, *([note, *[""] * (width - 1)] for note in notes)]
    if draw.noise("trailing separators", 0.08):
        rows = [[*row, ""] for row in rows]
    return rows


def written(draw: Draw, rows: list[list[str]]) -> str:
    separator = draw.rng.choice(",;\t")
    draw.names.append(f"separator {separator!r}")
    quoting = csv.QUOTE_ALL if draw.noise("quoted cells", 0.1) else csv.QUOTE_MINIMAL
    out = io.StringIO()
    end = draw.rng.choice(["\n", "\r\n"])
    csv.writer(out, delimiter=separator, quoting=quoting, lineterminator=end).writerows(rows)
    return out.getvalue()


def encoded(draw: Draw, text: str) -> bytes:
    encoding = draw.rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"])
    try:
        content = text.encode(encoding)
    except UnicodeEncodeError:
        encoding, content = "utf-8", text.encode()
    draw.names.append(f"encoding {encoding}")
    return content


def compose(seed: object, layout: str | None = None) -> Composed:
    """Return the file of a seed."""
    draw = Draw(seed)
    chosen = [each for each in LAYOUTS if layout is None or each.__name__ == layout]
    make = draw.rng.choice(chosen)
    table = make(draw)
    text = table.text or written(draw, around(draw, table))
    content = encoded(draw, text)
    names = {name for ranking in table.rankings for bucket in ranking for name in bucket}
    weights = table.weights or [1] * len(table.rankings)
    entry = {
        "rankings": [
            f"{w} * " + " > ".join(" = ".join(bucket) for bucket in ranking)
            for ranking, w in zip(table.rankings, weights, strict=True)
            if ranking
        ],
        "items": sorted({*names, *table.items}),
        "lookalikes": "stray blanks" in draw.names,
    }
    suffix = ".txt" if table.text else ".csv"
    return Composed(make.__name__, tuple(draw.names), suffix, content, entry)
