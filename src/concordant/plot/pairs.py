"""The pairwise matrix as a heat map, in the order of the consensus."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._types import Float, Int64
from concordant.pairwise import Pairwise
from concordant.plot.drawing import (
    GREY,
    LABEL,
    axes_or_new,
    consensus_order,
    consensus_rank,
    heading,
    label_rows,
    name_of,
    shown_places,
    text_style,
)
from concordant.rankings import Rankings

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.rankings import Item

# A matrix with more cells a side than this is drawn with several neighbours in one cell.
_CELLS = 500
# Up to this many pairs are marked; more can be seen by their colour.
_MARKS = 400
# Columns of more items than this have the numbers of the items instead of their names.
_NAMED = 40
# Cells of at least this width, in points, contain their share as a number.
_ROOMY = 24.0


def pairwise(data: Rankings | Pairwise, ranking: Consensus | Sequence[Item], ax: Any = None) -> Any:
    """Draw which item is preferred to which, as a heat map in the order of the consensus.

    A cell is the share of the voters that put its row before its column, of those that put one
    before the other. Above the diagonal the consensus puts the row first. Pairs that most voters
    put the other way have another colour there, and a cross if they are few.

    Args:
        data: The rankings, or their pairwise counts.
        ranking: A result, or the items in any order, best first.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.

    Example:
        >>> from concordant import aggregate
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])
        >>> ax = pairwise(data, aggregate(data))
        >>> ax.get_title(loc="left").splitlines()[0]
        'Pair by pair: who is put before whom'
    """
    pairs = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    order = consensus_order(ranking, pairs.items)
    m = order.size
    side = max(2.2, min(0.2 * m, 8.0) + min(0.01 * m, 2.0))
    names = [name_of(pairs.items[a]) for a in order.tolist()]
    # Inches beside the matrix: names on the left and the colour bar; the title and names below.
    longest = 0.07 * max(map(len, names), default=0)
    below = min(longest, 1.2) if m <= _NAMED else 0.3
    ax = axes_or_new(ax, 1.06 * side + longest + 1.9, side + below + 0.9)
    shares, meaning = _shares(pairs, order)
    # A tie goes against no majority.
    rank = consensus_rank(ranking, pairs.items)[order]
    against = np.argwhere((shares < 0.5) & (rank[:, None] < rank))
    image = ax.imshow(
        np.ma.masked_invalid(_thinned(shares)),
        cmap="PuOr",
        vmin=0,
        vmax=1,
        interpolation="none",
        extent=(-0.5, m - 0.5, m - 0.5, -0.5),
    )
    ax.set_facecolor("#ffffff00")
    # The names have the room that they need on the left; what is left over is on the right.
    ax.set_anchor("NW")
    marks = 0 < len(against) <= _MARKS
    box = ax.get_window_extent()
    cell = min(box.width, box.height) / ax.figure.dpi * 72 / m
    roomy = cell >= _ROOMY
    if marks:
        # A mark is about a third of a cell. Its colour is not that of text, which a dark page makes
        # white: the cells keep their colours.
        size, line = min(36, max(2, (cell / 3) ** 2)), min(1.2, max(0.5, cell / 14))
        rows, columns = against.T
        # Above the number, where there is one.
        above = 0.24 if roomy else 0.0
        size = size / 2 if roomy else size
        ax.scatter(columns, rows - above, s=size, marker="x", c="#010101", linewidths=line)
    if roomy:
        _write_shares(ax, shares, against)
    label_rows(ax, names)
    ax.set_ylim(m - 0.5, -0.5)
    places, size = shown_places(ax, m, "x")
    short = [name_of(pairs.items[order[p]], 16) if m <= _NAMED else str(p + 1) for p in places]
    # Names are horizontal if the longest fits into its column.
    fits = max(map(len, short)) * 0.7 * size < cell * m / len(places)
    ax.set_xticks(places, short, **text_style(fontsize=size, rotation=0 if fits else 90))
    for spine in ax.spines.values():
        spine.set_color(GREY)
    ax.tick_params(color=GREY)
    # Inside the axes, so that the bar is as high as the matrix.
    bar = ax.figure.colorbar(image, cax=ax.inset_axes((1.02, 0, 0.03, 1)))
    bar.set_ticks([0, 0.25, 0.5, 0.75, 1], labels=["0 %", "25 %", "50 %", "75 %", "100 %"])
    bar.outline.set_edgecolor(GREY)
    bar.ax.tick_params(labelsize=LABEL, color=GREY)
    bar.set_label(meaning, fontsize=LABEL)
    pairs_in_all = m * (m - 1) // 2
    note = (
        f"The consensus goes against no majority, in any of {pairs_in_all:,} pairs"
        if not len(against)
        else f"In {len(against):,} of {pairs_in_all:,} pairs the consensus goes against the "
        f"majority{' (marked ×)' if marks else ''}"
    )
    heading(ax, "Pair by pair: who is put before whom", note)
    return ax


def _shares(pairs: Pairwise, order: Int64) -> tuple[Float, str]:
    """Return the share of each row before each column, NaN without votes, and its meaning."""
    there = pairs.counts[np.ix_(order, order)].astype(float)
    back = there.T
    if (there < 0).any():
        # A bare matrix may contain negative worths: then differences are drawn, not shares.
        largest = max(float(np.abs(there - back).max()), 1.0)
        shares = 0.5 + 0.5 * (there - back) / largest
        meaning = "advantage of row before column (50 % = none)"
    else:
        with np.errstate(invalid="ignore"):
            shares = there / (there + back)
        whose = "of the worth" if pairs.n_rankings is None else "of the voters"
        meaning = f"share {whose} with row before column"
    np.fill_diagonal(shares, np.nan)
    return shares, meaning


def _write_shares(ax: Any, shares: Float, against: Any) -> None:
    """Write each share into its cell, in black or white, whichever is legible."""
    lower = {(int(row), int(column)) for row, column in against}
    for row, column in np.argwhere(np.isfinite(shares)).tolist():
        share = float(shares[row, column])
        ax.text(
            column,
            row + (0.2 if (row, column) in lower else 0.02),
            f"{100 * share:.0f}",
            ha="center",
            va="center",
            fontsize=LABEL,
            color="#fefefe" if abs(share - 0.5) > 0.28 else "#010101",
        )


def _thinned(shares: Float) -> Float:
    """Return a matrix of at most 500 cells a side: each is the mean of the pairs in it."""
    m = shares.shape[0]
    block = -(-m // _CELLS)
    if block == 1:
        return shares
    size = -(-m // block)
    padded = np.full((size * block, size * block), np.nan)
    padded[:m, :m] = shares
    blocks = padded.reshape(size, block, size, block)
    known = np.isfinite(blocks).sum(axis=(1, 3))
    sums = np.nansum(blocks, axis=(1, 3))
    return np.where(known > 0, sums / np.maximum(known, 1), np.nan)
