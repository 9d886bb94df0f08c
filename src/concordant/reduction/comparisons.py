"""What the data compare: which items, directly or through others, and how many pairs."""

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


def compared_units(data: Rankings | Pairwise, pairwise: Pairwise | None = None) -> int:
    """Return the total weight of all votes that order a pair, in units of the data.

    Each vote agrees with an order or disagrees, so this is the cost of an order and its agreement
    together.

    Args:
        data: The data.
        pairwise: Its counts, if they are known: adding them up may be faster.

    Example:
        >>> compared_units(Rankings.from_orders([["a", "b", "c"], [("a", "b")]]))
        3
    """
    if isinstance(data, Pairwise):
        return int(data.counts.sum(dtype=np.int64))
    if pairwise is not None and pairwise.counts.size < data.members.size:
        return compared_units(pairwise)
    lengths, m = data.lengths, data.n_items
    pairs = lengths * (lengths - 1) // 2
    if data.has_ranked_ties:
        is_first = np.append(True, data.buckets[1:] != data.buckets[:-1])
        is_first[data.offsets[:-1][lengths > 0]] = True
        starts = np.flatnonzero(is_first)
        sizes = np.diff(np.append(starts, data.members.size))
        of = np.searchsorted(data.offsets, starts, side="right") - 1
        np.subtract.at(pairs, of, sizes * (sizes - 1) // 2)
    if data.unranked == "last":
        pairs += lengths * (m - lengths)
    if float((pairs * data.units.astype(float)).sum()) < 2.0**62:
        return int(pairs @ data.units)
    return sum(a * b for a, b in zip(pairs.tolist(), data.units.tolist(), strict=True))


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
