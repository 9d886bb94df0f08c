"""Which items the data compare at all: directly, or through other items."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from concordant._types import Int64
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings


def apart(data: Rankings | Pairwise) -> npt.NDArray[np.bool_]:
    """Return which items are not connected to the main group of items by comparisons.

    Two items are compared where some ranking puts one strictly before the other. The main group is
    the largest one that comparisons connect; of equally large ones, the one with the first item.

    Example:
        >>> apart(Pairwise.from_matrix([[0, 2, 0], [1, 0, 0], [0, 0, 0]])).tolist()
        [False, False, True]
    """
    group = _groups_of_rankings(data) if isinstance(data, Rankings) else _groups_of_pairs(data)
    found: npt.NDArray[np.bool_] = group != np.bincount(group).argmax()
    return found


def _groups_of_rankings(rankings: Rankings) -> Int64:
    """Return the number of the first item that each item is connected with."""
    m = rankings.n_items
    group = np.arange(m)
    lengths = rankings.lengths
    ends = rankings.offsets[1:]
    counts_last = rankings.unranked == "last" and bool(
        ((lengths > 0) & (lengths < m) & (rankings.units != 0)).any()
    )
    if counts_last:
        # Some ranking has items on both sides of its end: it compares these, and so all.
        return np.zeros(m, np.int64)
    # A ranking whose items are all tied compares none of them.
    compares = (lengths > 1) & (rankings.units != 0)
    compares[compares] = rankings.buckets[ends[compares] - 1] > 0
    if bool((lengths[compares] == m).any()):
        # It compares each item with some other, and so connects all.
        return np.zeros(m, np.int64)
    members = rankings.members[np.repeat(compares, lengths)]
    rows = np.repeat(np.arange(int(compares.sum())), lengths[compares])
    if not members.size:
        return group
    starts = np.flatnonzero(np.diff(rows, prepend=-1))
    while True:
        least = np.minimum.reduceat(group[members], starts)
        joined = group.copy()
        np.minimum.at(joined, members, least[rows])
        joined = joined[joined]
        if np.array_equal(joined, group):
            return group
        group = joined


def _groups_of_pairs(pairwise: Pairwise) -> Int64:
    counts = pairwise.counts
    group = np.arange(pairwise.n_items)
    left = group.copy()
    while left.size:
        first = left[0]
        reached, left = left[:1], left[1:]
        while reached.size and left.size:
            compared = (counts[np.ix_(reached, left)] != 0).any(axis=0)
            compared |= (counts[np.ix_(left, reached)] != 0).any(axis=1)
            reached, left = left[compared], left[~compared]
            group[reached] = first
    return group
