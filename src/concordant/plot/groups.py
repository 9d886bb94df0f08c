"""The voters as points on a plane, coloured by group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from concordant.errors import InputError
from concordant.formatting import counted
from concordant.pairwise import order_of
from concordant.plot.drawing import BLUE, GREEN, GREY, ORANGE, PINK, SKY, axes_or_new, heading, tidy
from concordant.rankings import Rankings

if TYPE_CHECKING:
    from concordant.grouping import Groups

_COLOURS = (BLUE, ORANGE, GREEN, PINK, SKY, GREY)
# The most different ballots that are drawn.
_POINTS = 1_500


def groups(data: Rankings, found: Groups, ax: Any = None) -> Any:
    """Draw the voters as points: those who agree are near each other. A star is a consensus.

    The distance of two ballots is the share of the pairs that both order in which they differ.
    Classical scaling (Torgerson 1952) turns these distances into points. Of many different ballots,
    1,500 are drawn, at equal steps.

    Args:
        data: The rankings.
        found: What `concordant.groups` returned for them.
        ax: The axes to draw on; by default those of a new figure.

    Example:
        >>> import concordant as cc
        >>> votes = cc.Rankings.from_orders([["a", "b", "c"], ["a", "c", "b"], ["c", "b", "a"]])
        >>> ax = groups(votes, cc.groups(votes, k=2))
        >>> ax.get_title(loc="left").splitlines()[0]
        'The voters in 2 groups'
    """
    if len(found.labels) != len(data):
        raise InputError("the groups belong to other rankings")
    ax = axes_or_new(ax, 7.0, 5.5)
    label = np.array(found.labels)
    rows = np.arange(data.n_distinct)
    if data.known is not None:
        of_ballot = np.zeros(data.n_distinct, np.int64)
        of_ballot[data.known.which] = label
        label = of_ballot
    if rows.size > _POINTS:
        rows = np.linspace(0, rows.size - 1, _POINTS).astype(np.int64)
    ranks = (data.explicit() if data.unranked == "last" else data).ranks()[rows]
    centres = np.empty((found.k, data.n_items), np.int64)
    for g, each in enumerate(found.consensuses):
        centres[g, order_of(each.ranking, data.items)] = np.arange(1, data.n_items + 1)
    points = _plane(np.concatenate([ranks, centres]))
    weights = data.weights[rows].astype(float)
    size = 12 + 60 * np.sqrt(weights / max(weights.max(), 1e-9)) if np.ptp(weights) else 22.0
    size = np.broadcast_to(size, weights.shape)
    for g in range(found.k):
        mine = np.flatnonzero(label[rows] == g)
        colour = _COLOURS[g % len(_COLOURS)]
        voters = f"group {g + 1}: {counted(found.sizes[g], 'voter')}"
        ax.scatter(
            *points[mine].T, s=size[mine], color=colour, alpha=0.6, linewidths=0, label=voters
        )
        ax.scatter(
            *points[rows.size + g], s=180, marker="*", color=colour, edgecolors="#000000", zorder=3
        )
    ax.set_xticks([])
    ax.set_yticks([])
    ax.legend(fontsize=8, frameon=False)
    note = "Near points agree. A star is the consensus of a group; only distances have a meaning."
    heading(ax, f"The voters in {counted(found.k, 'group')}", note)
    tidy(ax)
    return ax


def _plane(ranks: Any) -> Any:
    """Return two coordinates for each row of ranks (0: not ranked), by classical scaling."""
    m = ranks.shape[1]
    first, second = np.triu_indices(m, 1)
    a, b = ranks[:, first], ranks[:, second]
    signs = np.where((a > 0) & (b > 0), np.sign(b - a), 0).astype(np.float32)
    both = np.abs(signs) @ np.abs(signs).T
    share = np.where(both > 0, (1 - (signs @ signs.T) / np.maximum(both, 1)) / 2, 0.5)
    np.fill_diagonal(share, 0)
    squares = share.astype(np.float64) ** 2
    centred = squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean()
    values, vectors = np.linalg.eigh(-centred / 2)
    points = vectors[:, -2:] * np.sqrt(np.maximum(values[-2:], 0))
    # The sign of a vector is arbitrary: the first point that is off an axis is on its right.
    for axis in range(points.shape[1]):
        off = np.flatnonzero(np.abs(points[:, axis]) > 1e-9)
        if off.size and points[off[0], axis] < 0:
            points[:, axis] *= -1
    return points[:, ::-1] if points.shape[1] == 2 else np.zeros((ranks.shape[0], 2))
