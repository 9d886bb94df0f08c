"""A few items solved exactly: dynamic programming over subsets, tier by tier."""

from __future__ import annotations

import numpy as np

from concordant._types import Int64

# Parts of up to this many items are solved by subsets: 3^14 steps, a tenth of a second.
LARGEST = 14
# With a given number of tiers, or their sizes: problems of up to this many items.
LARGEST_FIXED = 12
# Up to this many, plain numpy takes a few milliseconds, and no kernel has to be loaded.
_PLAIN = 8


def solve(
    before: Int64, tied: Int64, n_tiers: int | None = None, sizes: Int64 | None = None
) -> tuple[Int64, int]:
    """Return an optimal weak order of a few items and its cost.

    f[S], the least cost of a weak order of S, is the least over its last tier X of f[S - X], plus
    what S - X before X costs, plus what the ties of X cost.

    Args:
        before: What a strictly before b costs.
        tied: What a tie of a and b costs.
        n_tiers: Ask for this number of tiers; any number by default.
        sizes: Ask for tiers of these sizes, with `n_tiers` of them.

    Example:
        >>> before = np.array([[0, 1, 1], [5, 0, 4], [5, 4, 0]])
        >>> tied = np.array([[0, 2, 2], [2, 0, 2], [2, 2, 0]])
        >>> bucket, cost = solve(before, tied)
        >>> bucket.tolist(), cost
        ([0, 1, 1], 4)
        >>> solve(before, tied, 1)[1], solve(before, tied, 3)[1]
        (6, 6)
        >>> solve(before, tied, 2, np.array([2, 1]))[0].tolist()
        [0, 1, 0]
    """
    k = before.shape[0]
    rounds = 1 if n_tiers is None else n_tiers
    if k <= _PLAIN or sizes is not None:
        best = _plain(before, tied, n_tiers, sizes)
    else:
        from concordant._kernels import tiers_subsets as kernels

        best = np.full((rounds + 1, 1 << k), np.iinfo(np.int64).max)
        best[0, 0] = 0
        costs = np.ascontiguousarray(before), np.ascontiguousarray(tied)
        kernels.least_costs(*costs, best, n_tiers is None)
    return _trace(before, tied, best, n_tiers is None), int(best[rounds, -1])


def _submasks(items: list[int]) -> Int64:
    masks = np.zeros(1, np.int64)
    for a in items:
        masks = np.concatenate([masks, masks | (1 << a)])
    return masks


def _sums(values: Int64, items: list[int]) -> Int64:
    """Return for each of `_submasks` the sum of the values of its items."""
    sums = np.zeros(1, np.int64)
    for a in items:
        sums = np.concatenate([sums, sums + values[a]])
    return sums


def _ties(tied: Int64) -> Int64:
    """Return what the ties of every subset cost."""
    ties = np.zeros(1, np.int64)
    for a in range(tied.shape[0]):
        ties = np.concatenate([ties, ties + _sums(tied[a], list(range(a)))])
    return ties


def _plain(before: Int64, tied: Int64, n_tiers: int | None, sizes: Int64 | None) -> Int64:
    """Return the least costs by number of tiers (or of any number, in row 1) and subset."""
    counts = _sums(np.ones(before.shape[0], np.int64), list(range(before.shape[0])))
    k = before.shape[0]
    rounds = 1 if n_tiers is None else n_tiers
    ties = _ties(tied)
    most = np.iinfo(np.int64).max
    best = np.full((rounds + 1, 1 << k), most)
    best[0, 0] = 0
    if n_tiers is None:
        best[1, 0] = 0
    for mask in range(1 << k):
        inside = [a for a in range(k) if mask >> a & 1]
        rest = [a for a in range(k) if not mask >> a & 1]
        paid = before[inside].sum(axis=0) if inside else np.zeros(k, np.int64)
        following = _submasks(rest)[1:]
        more = _sums(paid, rest)[1:] + ties[following]
        for r in range(1, rounds + 1):
            source = best[1 if n_tiers is None else r - 1, mask]
            if source < most:
                row = best[r]
                fits = slice(None) if sizes is None else counts[following] == sizes[r - 1]
                into = mask | following[fits]
                row[into] = np.minimum(row[into], source + more[fits])
    return best


def _trace(before: Int64, tied: Int64, best: Int64, any_number: bool) -> Int64:
    """Find a weak order of the least cost from the table."""
    k = before.shape[0]
    bucket = np.zeros(k, np.int64)
    ties = _ties(tied)
    mask, r = (1 << k) - 1, best.shape[0] - 1
    number = k
    while mask:
        inside = [a for a in range(k) if mask >> a & 1]
        last = _submasks(inside)[1:]
        rest = mask & ~last
        # What the rest before the last tier costs: all pairs of the set with an end in the last
        # tier, less those with both ends there.
        source = best[1 if any_number else r - 1]
        possible = source[rest] < np.iinfo(np.int64).max
        last, rest = last[possible], rest[possible]
        cost = source[rest] + ties[last]
        for a in inside:
            into = (last >> a) & 1
            for b in inside:
                cost = cost + before[b, a] * (into & (rest >> b) & 1)
        chosen = int(last[int(np.flatnonzero(cost == best[r, mask])[0])])
        number -= 1
        for a in inside:
            if chosen >> a & 1:
                bucket[a] = number
        mask &= ~chosen
        if not any_number:
            r -= 1
    first = int(bucket.min())
    bucket -= first
    return bucket
