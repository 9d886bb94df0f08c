"""How rankings look: one line of text, and a table in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from concordant.formatting import counted
from concordant.pages import notebook_table
from concordant.selection import split_buckets

if TYPE_CHECKING:
    from concordant.rankings import Rankings

# A notebook shows this number of rankings, and this number of items of each.
_ROWS, _ITEMS = 10, 12


def summary(data: Rankings) -> str:
    """Describe the size and the kind of rankings in one line.

    Example:
        >>> from concordant.rankings import Rankings
        >>> summary(Rankings.from_orders([["a", ("b", "c")], ["a"]]))
        '3 items, 2 rankings, partial, ties'
    """
    parts = [counted(data.n_items, "item"), counted(data.n_rankings, "ranking")]
    if data.total_weight != data.n_rankings:
        parts.append(f"weight {data.total_weight:,}")
    if data.unranked == "last":
        parts.append("unranked last")
    elif not data.is_complete:
        parts.append("partial")
    if data.has_ranked_ties:
        parts.append("ties")
    return ", ".join(parts)


def notebook(data: Rankings) -> str:
    """Return the rankings with the largest weights as an HTML table."""
    rows: list[tuple[object, ...]] = []
    for r in np.argsort(-data.units, kind="stable")[:_ROWS].tolist():
        span = slice(int(data.offsets[r]), int(data.offsets[r + 1]))
        buckets = split_buckets(data.members[span].tolist(), data.buckets[span].tolist())
        text = " > ".join(
            " = ".join(str(data.items[a]) for a in bucket[:_ITEMS])
            + " = …" * (len(bucket) > _ITEMS)
            for bucket in buckets[:_ITEMS]
        )
        shown = (text or "(nothing)") + " …" * (len(buckets) > _ITEMS)
        rows.append((f"{data.weights[r]:,}", shown))
    if more := data.n_distinct - len(rows):
        rows.append((None, f"… and {more:,} other rankings"))
    return notebook_table(summary(data), ["weight", "ranking"], rows)
