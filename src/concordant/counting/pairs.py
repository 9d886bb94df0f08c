"""Counting the pairs of rankings: plain numpy for few of them, kernels on threads for many."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64
from concordant.errors import InputError
from concordant.rankings import Rankings

# The number of rows of the matrix that one task counts.
_ROWS = 64
# The number of ranks in memory at a time: 64 MB.
_RANKS = 2**24
# Up to this number of pairs and items, plain numpy counts, and no kernel is loaded. Orders of more
# items are evaluated by kernels anyway.
_PLAIN_PAIRS, _PLAIN_ITEMS = 2_000_000, 200
# For more items than this, counts have the narrowest integers that hold the total weight.
_WIDE_ITEMS = 4_096
# The largest matrix in bytes.
_LARGEST_MATRIX = 8 << 30
# The fewest short rankings for a thread of their own. Each thread counts into its own matrix, and
# these matrices together have at most this number of bytes.
_SHORT_RANKINGS, _PRIVATE_BYTES = 20_000, 1 << 30


def kind_of(m: int, total: int) -> type[np.signedinteger]:
    """Return the integer type for m × m counts of a total weight: 64 bits, fewer for many items.

    Raises:
        InputError: The matrix would take more than 8 GiB.
    """
    if m <= _WIDE_ITEMS:
        return np.int64
    kind = next(kind for kind in (np.int16, np.int32, np.int64) if total <= np.iinfo(kind).max)
    size = m * m * np.dtype(kind).itemsize
    if size > _LARGEST_MATRIX:
        raise InputError(
            f"{m:,} items have {m * m:,} pairs, which take {size / 2**30:,.0f} GiB: too many to "
            "count. Leave out items that few rankings have, or use a method that needs no pairs: "
            "borda, extended-borda or rrf"
        )
    return kind


def count_pairs(rankings: Rankings, counts: Int64, n_jobs: int) -> None:
    """Add all strict pairs to `counts`: short rankings pair by pair, long ones by rows.

    Counting by pairs takes one random memory access for each pair. Counting by rows compares
    ranks in vector registers. That is about sixteen times as fast an entry, but needs all m²
    entries.
    """
    m = rankings.n_items
    if m <= _PLAIN_ITEMS and rankings.n_distinct * m * m <= _PLAIN_PAIRS:
        counts += count_plain(rankings)
        return
    lengths = rankings.lengths
    short = lengths * lengths * 8 <= m * m
    which, dense = np.flatnonzero(short), np.flatnonzero(~short)
    with ThreadPoolExecutor(n_jobs) as pool:
        if which.size:
            _count_short(rankings, which, counts, pool, n_jobs)
        if dense.size:
            _count_dense(rankings, dense, counts, pool, n_jobs)


def _count_short(
    rankings: Rankings, which: Int64, counts: Int64, pool: ThreadPoolExecutor, n_jobs: int
) -> None:
    """Add the pairs of short rankings; each thread counts its share into its own matrix."""
    from concordant._kernels import ballots

    m = rankings.n_items
    offsets, members, buckets = rankings.offsets, rankings.members, rankings.buckets
    # 32 bits if the sums fit: half the memory, so that more of it is in the cache.
    narrow = counts.dtype == np.int64 and int(rankings.units[which].sum()) < 2**31
    kind = np.dtype(np.int32 if narrow else counts.dtype)
    units = rankings.units.astype(kind)
    last = rankings.unranked == "last"

    def count(share: Int64, into: npt.NDArray[Any] | None = None) -> npt.NDArray[Any]:
        part = np.zeros((m, m), kind) if into is None else into
        ballots.count_sparse(offsets, members, buckets, units, share, part)
        if last:
            ballots.count_together(offsets, members, units, share, part)
        return part

    fitting = max(1, _PRIVATE_BYTES // (m * m * kind.itemsize))
    n_shares = max(1, min(n_jobs, fitting, which.size // _SHORT_RANKINGS))
    if n_shares == 1 and not narrow:
        count(which, counts)
    else:
        work = np.cumsum(np.diff(offsets)[which] ** 2 + 1)
        cuts = np.searchsorted(work, work[-1] * np.arange(1, n_shares) / n_shares)
        for part in pool.map(count, np.split(which, cuts)):
            counts += part
    if last:
        # Item a is before all items that its ballot leaves out: add all ballots that have a. Those
        # that have both items were subtracted above.
        counts += ranked_units(rankings, which)[:, None].astype(counts.dtype)
        np.fill_diagonal(counts, 0)


def ranked_units(rankings: Rankings, which: Int64 | None = None) -> Int64:
    """Return for each item the weight, in units, of the rankings (all, or `which`) that have it.

    Example:
        >>> ranked_units(Rankings.from_orders([["a", "b"], ["a"]], weights=[3, 1])).tolist()
        [4, 3]
    """
    units = rankings.units
    if which is not None:
        units = np.zeros_like(units)
        units[which] = rankings.units[which]
    each = np.repeat(units, rankings.lengths)
    # `bincount` adds floats, which are exact only below 2**53.
    if int(units.sum()) < 2**53:
        sums = np.bincount(rankings.members, each, minlength=rankings.n_items)
        return sums.astype(np.int64)
    ranked = np.zeros(rankings.n_items, np.int64)
    np.add.at(ranked, rankings.members, each)
    return ranked


def _count_dense(
    rankings: Rankings, which: Int64, counts: Int64, pool: ThreadPoolExecutor, n_jobs: int
) -> None:
    """Add the pairs of long rankings. Threads share the rows or, for few items, the rankings."""
    from concordant._kernels import ballots

    m = rankings.n_items
    by_rankings = n_jobs > 1 and m < _ROWS * n_jobs
    most = max(1, _RANKS // m // (n_jobs if by_rankings else 1))

    def prepare(start: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[Any]]:
        chunk = which[start : start + most]
        units = rankings.units[chunk]
        if int(units.sum()) < 2**31:
            units = units.astype(np.int32)
        return _dense_ranks(rankings, chunk), units

    def count(start: int) -> Int64:
        part = np.zeros((m, m), np.int64)
        ballots.count_dense(*prepare(start), 0, m, part)
        return part

    if by_rankings:
        most = max(1, min(most, -(-which.size // n_jobs)))
        for part in pool.map(count, range(0, which.size, most)):
            np.add(counts, part, out=counts, casting="same_kind")
        return
    for start in range(0, which.size, most):
        ranks, units = prepare(start)
        tasks = [
            pool.submit(ballots.count_dense, ranks, units, row, min(m, row + _ROWS), counts)
            for row in range(0, m, _ROWS)
        ]
        for task in tasks:
            task.result()


def count_plain(rankings: Rankings) -> Int64:
    """Count all strict pairs without a kernel, for small data."""
    m = rankings.n_items
    counts = np.zeros((m, m), np.int64)
    most = max(1, _PLAIN_PAIRS // 8 // (m * m))
    for start in range(0, rankings.n_distinct, most):
        chunk = np.arange(start, min(start + most, rankings.n_distinct))
        ranks = _dense_ranks(rankings, chunk)
        ahead = (ranks[:, :, None] < ranks[:, None, :]) & (ranks > 0)[:, :, None]
        counts += np.tensordot(rankings.units[chunk], ahead, 1)
    return counts


def _dense_ranks(rankings: Rankings, chunk: Int64) -> npt.NDArray[np.int32]:
    """Return some rankings as rows of ranks: 0 means unknown, the largest int behind all."""
    behind = np.iinfo(np.int32).max if rankings.unranked == "last" else 0
    ranks = np.full((chunk.size, rankings.n_items), behind, np.int32)
    lengths = rankings.lengths[chunk]
    starts = np.repeat(
        rankings.offsets[chunk] - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths
    )
    where = np.arange(lengths.sum()) + starts
    ranks[np.repeat(np.arange(chunk.size), lengths), rankings.members[where]] = (
        rankings.buckets[where] + 1
    )
    return ranks
