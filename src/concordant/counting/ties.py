"""Counting the rankings that tie a pair, without a matrix where the other counts suffice.

How often pairs are tied is known without counting in two cases. "none": no ranking ties a pair.
"rest": every ranking compares every pair, so that a pair is tied by the total less both counts.
Only rankings with both ties and gaps need a matrix of their own.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from concordant._types import Int64
from concordant.counting.pairs import ranked_units
from concordant.rankings import Rankings

# The weight that ties each pair, in units; None where it is not known.
Ties = Int64 | Literal["none", "rest"] | None

# Data with fewer pairs than this, over all rankings, is counted in plain numpy.
_PLAIN_PAIRS = 2_000_000


def has_no_ties(rankings: Rankings, n_items: int) -> bool:
    """Return whether no ranking ties a pair, among this number of items.

    Example:
        >>> data = Rankings.from_orders([["a", "b"]], unranked="last")
        >>> has_no_ties(data, 3), has_no_ties(data, 4)
        (True, False)
    """
    if rankings.has_ranked_ties:
        return False
    return rankings.unranked != "last" or int(rankings.lengths.min(initial=n_items)) >= n_items - 1


def compares_all(rankings: Rankings, n_items: int) -> bool:
    """Return whether every ranking compares every pair, among this number of items."""
    return rankings.unranked == "last" or bool((rankings.lengths == n_items).all())


def ties_of(rankings: Rankings, *, count: bool = True) -> Ties:
    """Return how often pairs are tied; with `count=False`, None where that takes counting.

    Example:
        >>> ties_of(Rankings.from_orders([["a", "b"], ["b"]]))
        'none'
        >>> ties_of(Rankings.from_orders([["a", ("b", "c")]]))
        'rest'
        >>> ties_of(Rankings.from_orders([["a", ("b", "c")], ["a", "b"]])).tolist()
        [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
    """
    if has_no_ties(rankings, rankings.n_items):
        return "none"
    if compares_all(rankings, rankings.n_items):
        return "rest"
    return tied_counts(rankings) if count else None


def rest(counts: npt.NDArray[Any], total: int) -> npt.NDArray[Any]:
    """Return the total less both counts of each pair: what ties it, if all rankings compare it.

    Example:
        >>> rest(np.array([[0, 2], [1, 0]]), 5).tolist()
        [[0, 2], [2, 0]]
    """
    wide = total > np.iinfo(counts.dtype).max
    left: npt.NDArray[Any] = np.add(counts, counts.T, dtype=np.int64 if wide else counts.dtype)
    np.subtract(left.dtype.type(total), left, out=left)
    np.fill_diagonal(left, 0)
    return left


def tied_counts(rankings: Rankings) -> Int64:
    """Return for each pair the weight, in units, of the rankings that tie it.

    Items that a ranking leaves out are tied where `unranked` is "last". The matrix is additive, as
    that of `Pairwise` is.

    Example:
        >>> data = Rankings.from_orders([["a", ("b", "c")], [("a", "b")]], weights=[3, 1])
        >>> tied_counts(data).tolist()
        [[0, 1, 0], [1, 0, 3], [0, 3, 0]]
    """
    m = rankings.n_items
    ties = np.zeros((m, m), np.int64)
    if rankings.has_ranked_ties:
        if rankings.n_distinct * m * m <= _PLAIN_PAIRS:
            _count_plain(rankings, ties)
        else:
            from concordant._kernels.ballots import count_tied

            count_tied(rankings.offsets, rankings.members, rankings.buckets, rankings.units, ties)
    if rankings.unranked == "last":
        ties += _left_out(rankings)
    np.fill_diagonal(ties, 0)
    return ties


def _count_plain(rankings: Rankings, ties: Int64) -> None:
    """Add the weight of each bucket to the pairs of its items, without a kernel."""
    ranking = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    key = np.append(np.diff(ranking) != 0, True) | np.append(np.diff(rankings.buckets) != 0, True)
    ends = np.flatnonzero(key) + 1
    sizes = np.diff(ends, prepend=0)
    for k in np.flatnonzero(sizes > 1).tolist():
        tier = rankings.members[ends[k] - sizes[k] : ends[k]]
        ties[np.ix_(tier, tier)] += rankings.units[ranking[ends[k] - 1]]


def _left_out(rankings: Rankings) -> Int64:
    """Return for each pair the weight of the rankings that leave both items out.

    That is all rankings, less those with the one, less those with the other, and those with both
    were taken off twice.
    """
    m = rankings.n_items
    short = np.flatnonzero(rankings.lengths < m)
    out = np.zeros((m, m), np.int64)
    if not short.size:
        return out
    from concordant._kernels.ballots import count_together

    ranked = ranked_units(rankings, short)
    count_together(rankings.offsets, rankings.members, rankings.units, short, out)
    np.negative(out, out=out)
    out += int(rankings.units[short].sum()) - ranked[:, None] - ranked[None, :]
    return out
