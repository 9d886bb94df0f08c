"""Grouping the rows of a table, with numpy for few rows and kernels for many."""

from __future__ import annotations

from typing import Any

import numpy as np

from concordant._types import Float, Int32, Int64

# Up to this number of rows, numpy is faster than loading the kernels.
SMALL = 20_000

# The voter and the item of the first duplicate, or -1 and -1; offsets, members and buckets.
Arranged = tuple[int, int, tuple[Int64, Int32, Int32]]


def number_keys(keys: Any) -> tuple[Int32, Int64]:
    """Number distinct keys in order of appearance. Returns the codes, and the first row of each.

    Example:
        >>> codes, rows = number_keys(np.array([7, 3, 7], np.uint64))
        >>> codes.tolist(), rows.tolist()
        ([0, 1, 0], [0, 1])
    """
    if keys.size <= SMALL:
        return number_few(keys)
    from concordant._kernels import tables

    codes, rows = tables.number_keys(keys)
    return codes, rows


def number_few(keys: Any) -> tuple[Int32, Int64]:
    """Number distinct keys by sorting them."""
    _, rows, codes = np.unique(keys, return_index=True, return_inverse=True)
    by_row = np.argsort(rows)
    place = np.empty(rows.size, np.int32)
    place[by_row] = np.arange(rows.size, dtype=np.int32)
    return place[codes], rows[by_row].astype(np.int64)


def arrange(voters: Int32, items: Int32, ranks: Float, n_voters: int, n_items: int) -> Arranged:
    """Turn rows (voter, item, rank) into rankings, best first.

    Rows of item -1 are left out. So are rows of rank NaN, after the check for duplicates.

    Example:
        >>> voters, items = np.array([0, 0, 1], np.int32), np.array([0, 1, 1], np.int32)
        >>> _, _, (offsets, members, buckets) = arrange(voters, items, np.array([2.0, 1, 1]), 2, 2)
        >>> offsets.tolist(), members.tolist(), buckets.tolist()
        ([0, 2, 3], [1, 0, 1], [0, 1, 0])
    """
    if voters.size + n_voters <= SMALL:
        return arrange_few(voters, items, ranks, n_voters, n_items)
    from concordant._kernels import tables

    voter, item, arrays = tables.arrange(voters, items, ranks, n_voters, n_items)
    return int(voter), int(item), arrays


def arrange_few(voters: Int32, items: Int32, ranks: Float, n_voters: int, n_items: int) -> Arranged:
    """Turn rows into rankings by sorting them."""
    named = items >= 0
    voters, items, ranks = voters[named], items[named], ranks[named]
    by_item = np.lexsort((items, voters))
    twice = np.flatnonzero(
        (voters[by_item[1:]] == voters[by_item[:-1]]) & (items[by_item[1:]] == items[by_item[:-1]])
    )
    if twice.size:
        # The first duplicate of the first voter who has one.
        again = by_item[twice + 1]
        row = again[np.lexsort((again, voters[again]))[0]]
        empty = np.zeros(0, np.int32)
        return int(voters[row]), int(items[row]), (np.zeros(n_voters + 1, np.int64), empty, empty)
    ranked = ~np.isnan(ranks)
    voters, items, ranks = voters[ranked], items[ranked], ranks[ranked]
    order = np.lexsort((ranks, voters))
    voters, members, ranks = voters[order], items[order], ranks[order]
    offsets = np.concatenate([[0], np.cumsum(np.bincount(voters, minlength=n_voters))])
    opens = np.zeros(voters.size, np.int64)
    opens[1:] = ranks[1:] != ranks[:-1]
    number = np.cumsum(opens)
    buckets = number - number[offsets[voters]]
    return -1, -1, (offsets, members, buckets.astype(np.int32))
