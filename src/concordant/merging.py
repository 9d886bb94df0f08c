"""Checking rankings and merging equal ones: plain numpy for few of them, kernels for many.

For few rankings, loading the kernels would take longer than the work itself. Both ways give the
same arrays and the same errors.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._kernels.faults import BAD_ITEM, BUCKETS_FALL, OK, TWICE
from concordant._types import Int32, Int64, Item
from concordant.errors import Hint, InputError, InputWarning

# Up to this number of places and rankings, plain numpy is used.
SMALL = 20_000
# What to do about an item that a ranking has twice.
FIRST_PLACE = Hint("duplicates", ("first",), "to keep the first place of such items")

_Arrays = tuple[Int64, Int32, Int32, Int64]
_Fault = tuple[int, int, int]


def flat_integers(values: Any, what: str) -> Any:
    """Return a flat array of integers that fit in 64 bits.

    Example:
        >>> flat_integers([0, 3], "offsets").tolist()
        [0, 3]
    """
    array = np.asarray(values)
    if array.size == 0:
        array = array.astype(np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise InputError(f"{what} must be a flat array of integers")
    if array.dtype == np.uint64 and int(array.max()) >= 2**63:
        raise InputError(f"{what} must be below 2**63")
    return array


def check_fit(offsets: Any, members: Any, buckets: Any) -> tuple[Int64, Any, Any]:
    """Return three arrays of integers that together describe rankings.

    Raises:
        InputError: They do not fit together.

    Example:
        >>> offsets, members, buckets = check_fit([0, 2], [1, 0], [0, 1])
        >>> members.tolist()
        [1, 0]
    """
    offsets = np.ascontiguousarray(flat_integers(offsets, "offsets"), np.int64)
    members, buckets = flat_integers(members, "members"), flat_integers(buckets, "buckets")
    # Only two kinds of arrays: each further kind would be one more compilation.
    kind = np.int32 if members.dtype == buckets.dtype == np.int32 else np.int64
    members, buckets = np.ascontiguousarray(members, kind), np.ascontiguousarray(buckets, kind)
    if offsets.size < 2:
        raise InputError("there is no ranking at all")
    if (
        members.shape != buckets.shape
        or offsets[0] != 0
        or offsets[-1] != members.size
        or (offsets[1:] < offsets[:-1]).any()
    ):
        raise InputError("offsets, members and buckets do not fit together")
    return offsets, members, buckets


def distinct(
    names: Sequence[Item],
    offsets: Any,
    members: Any,
    buckets: Any,
    units: Int64,
    which: Int64 | None = None,
) -> _Arrays:
    """Check rankings and merge equal ones: the first stays, with the sum of the weights.

    Returns offsets, members, buckets (numbered 0, 1, 2 …, their members sorted) and units. If an
    array `which` is given, it receives the number of the distinct ranking of each ranking.

    Example:
        >>> arrays = distinct("ab", [0, 2, 4], [1, 0, 0, 1], [3, 3, 0, 0], np.array([1, 2]))
        >>> [array.tolist() for array in arrays]
        [[0, 2], [0, 1], [0, 0], [3]]
    """
    offsets, members, buckets = check_fit(offsets, members, buckets)
    merge = merge_small if members.size + units.size <= SMALL else merge_large
    (fault, r, item), arrays = merge(offsets, members, buckets, len(names), units, which)
    if fault == BAD_ITEM:
        raise InputError(f"ranking {r + 1}: there is no item number {item}", ranking=r)
    if fault == TWICE:
        raise InputError(
            f"ranking {r + 1}: item {names[item]!r} is ranked twice", ranking=r, hints=[FIRST_PLACE]
        )
    if fault == BUCKETS_FALL:
        raise InputError(
            f"ranking {r + 1}: the bucket numbers fall at item {names[item]!r}", ranking=r
        )
    return arrays


def merge_small(
    offsets: Int64,
    members: Any,
    buckets: Any,
    n_items: int,
    units: Int64,
    which: Int64 | None = None,
) -> tuple[_Fault, _Arrays]:
    """Check and merge rankings by sorting and a dictionary.

    Returns the first fault as (kind, ranking, item), and the arrays.
    """
    lengths = np.diff(offsets)
    rows = np.repeat(np.arange(lengths.size), lengths)
    bad = (members < 0) | (members >= n_items)
    again = ~first_places(rows, members, np.arange(members.size))
    inside = np.zeros(members.size, bool)
    inside[1:] = rows[1:] == rows[:-1]
    falls, rises = inside.copy(), inside.copy()
    falls[1:] &= buckets[1:] < buckets[:-1]
    rises[1:] &= buckets[1:] > buckets[:-1]
    wrong = bad | again | falls
    if wrong.any():
        place = int(np.argmax(wrong))
        fault = BAD_ITEM if bad[place] else TWICE if again[place] else BUCKETS_FALL
        return (fault, int(rows[place]), int(members[place])), (offsets, members, buckets, units)
    # Sort the members of each bucket, so that equal rankings have equal arrays.
    number: Int64 = np.cumsum(rises | ~inside, dtype=np.int64)
    members = members[np.lexsort((members, number))].astype(np.int32)
    buckets = (number - number[offsets[rows]]).astype(np.int32)

    known: dict[tuple[bytes, bytes], int] = {}
    kept = np.zeros(units.size, bool)
    which = np.empty(units.size, np.int64) if which is None else which
    for r, (start, end) in enumerate(pairwise(offsets.tolist())):
        content = (members[start:end].tobytes(), buckets[start:end].tobytes())
        kept[r] = content not in known
        which[r] = known.setdefault(content, len(known))
    totals = np.zeros(len(known), np.int64)
    np.add.at(totals, which, units)
    places = np.repeat(kept, lengths)
    offsets = np.concatenate([[0], np.cumsum(lengths[kept])])
    return (OK, 0, 0), (offsets, members[places], buckets[places], totals)


def merge_large(
    offsets: Int64,
    members: Any,
    buckets: Any,
    n_items: int,
    units: Int64,
    which: Int64 | None = None,
) -> tuple[_Fault, _Arrays]:
    """Check and merge rankings by kernels; see `merge_small`."""
    from concordant._kernels import ballots

    n = units.size
    new_members, new_buckets = np.empty(members.size, np.int32), np.empty(members.size, np.int32)
    hashes = np.empty(n, np.uint64)
    fault, r, item = ballots.check_and_hash(
        offsets, members, buckets, n_items, new_members, new_buckets, hashes
    )
    offsets, units = offsets.copy(), units.copy()
    arrays = offsets, new_members, new_buckets, units
    if fault != OK:
        return (fault, int(r), int(item)), arrays
    first = np.empty(n, np.int64)
    kept = ballots.find_equal(offsets, new_members, new_buckets, hashes, first)
    if which is not None:
        number = np.cumsum(first == np.arange(n)) - 1
        which[:] = number[first]
    if kept < n:
        ballots.merge(offsets, new_members, new_buckets, units, first)
        used = int(offsets[kept])
        arrays = (
            offsets[: kept + 1].copy(),
            new_members[:used].copy(),
            new_buckets[:used].copy(),
            units[:kept].copy(),
        )
    return (OK, 0, 0), arrays


def take_rows(
    offsets: Int64, members: Int32, buckets: Int32, rows: Int64
) -> tuple[Int64, Int32, Int32]:
    """Return the rankings `rows`, in this order.

    Example:
        >>> offsets, members = np.array([0, 2, 3]), np.array([1, 0, 1], np.int32)
        >>> arrays = take_rows(offsets, members, members, np.array([1, 0, 1]))
        >>> [array.tolist() for array in arrays]
        [[0, 1, 3, 4], [1, 1, 0, 1], [1, 1, 0, 1]]
    """
    lengths = np.diff(offsets)[rows]
    ends = np.concatenate([[0], np.cumsum(lengths)])
    places = np.arange(ends[-1]) + np.repeat(offsets[rows] - ends[:-1], lengths)
    return ends, members[places], buckets[places]


def check_ranks(matrix: Any) -> npt.NDArray[Any]:
    """Return ranks as an n × m table of integers or floats, 0 where an item is not ranked.

    Example:
        >>> check_ranks([[1, 2], [float("nan"), 1]]).tolist()
        [[1.0, 2.0], [0.0, 1.0]]
    """
    if isinstance(matrix, np.ma.MaskedArray):
        matrix = np.ma.filled(matrix.astype(np.float64), np.nan)
    try:
        ranks = np.asarray(matrix)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in matrix]
        odd = next((r for r, length in enumerate(lengths) if length != lengths[0]), 0)
        raise InputError(
            f"ranking {odd + 1} has {lengths[odd]} ranks, ranking 1 has {lengths[0]}: give a "
            "rank for each item (0 or NaN if it is not ranked)",
            ranking=odd,
        ) from None
    if ranks.ndim != 2:
        raise InputError(
            f"ranks must form a table of rankings by items, not {ranks.ndim} dimension(s)"
        )
    if ranks.dtype.kind not in "iuf":
        try:
            ranks = ranks.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"a rank is not a number: {error}") from None
    if ranks.dtype.kind == "f":
        ranks = np.where(np.isnan(ranks), 0, ranks)
        bad = ~((ranks >= 0) & (ranks < np.inf))
    else:
        bad = ranks < 0
    if bad.any():
        row, column = np.argwhere(bad)[0]
        raise InputError(
            f"ranking {row + 1}, item {column + 1}: {ranks[row, column]} is not a rank "
            "(1 is best, 0 or NaN means not ranked)",
            ranking=int(row),
        )
    return ranks


def sort_ranks(ranks: npt.NDArray[Any]) -> tuple[Int64, Any, Any]:
    """Turn a table of ranks, 0 where an item is not ranked, into offsets, members and buckets.

    Example:
        >>> [array.tolist() for array in sort_ranks(np.array([[2, 1], [0, 1]]))]
        [[0, 2, 3], [1, 0, 1], [0, 1, 1]]
    """
    n, m = ranks.shape
    offsets = np.zeros(n + 1, np.int64)
    top = int(ranks.max(initial=0))
    is_whole = ranks.dtype.kind != "f" or bool((ranks == np.rint(ranks)).all())
    if ranks.size > SMALL and top <= 4 * m + 64 and is_whole:
        from concordant._kernels import ballots

        members = np.empty(np.count_nonzero(ranks), np.int32)
        buckets = np.empty_like(members)
        narrow = np.ascontiguousarray(ranks, np.int32)
        ballots.sort_rows(narrow, top, offsets, members, buckets)
        return offsets, members, buckets
    # Few ranks, or ranks of any size, such as times: sort by comparison and renumber.
    by_rank = np.argsort(ranks, axis=1, kind="stable")
    in_order = np.take_along_axis(ranks, by_rank, axis=1)
    steps = np.zeros(ranks.shape, np.int32)
    steps[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
    kept = in_order > 0
    np.cumsum(kept.sum(axis=1), out=offsets[1:])
    return offsets, by_rank[kept], np.cumsum(steps, axis=1)[kept]


# -- items that a ranking has twice --------------------------------------------------------


def first_places(
    rows: npt.NDArray[Any], items: npt.NDArray[Any], keys: npt.NDArray[Any]
) -> npt.NDArray[np.bool_]:
    """Return for each place whether it has the smallest key of its item in its row.

    Example:
        >>> first_places(np.array([0, 0, 0]), np.array([4, 4, 5]), np.array([2.0, 1.0, 3.0]))
        array([False,  True,  True])
    """
    order = np.lexsort((keys, items, rows))
    again = np.zeros(order.size, bool)
    again[1:] = (rows[order[1:]] == rows[order[:-1]]) & (items[order[1:]] == items[order[:-1]])
    first = np.empty(order.size, bool)
    first[order] = ~again
    return first


def drop_repeats(
    offsets: Any, members: Any, buckets: Any, *, path: str | Path | None = None
) -> tuple[Int64, Any, Any]:
    """Keep the first place of each item in a ranking, and warn of the places dropped.

    Example:
        >>> with warnings.catch_warnings(record=True, action="always") as caught:
        ...     offsets, members, buckets = drop_repeats([0, 3], [1, 0, 1], [0, 1, 2])
        >>> members.tolist(), str(caught[0].message)
        ([1, 0], 'dropped 1 place of an item ranked before, in 1 ranking')
    """
    offsets, members, buckets = check_fit(offsets, members, buckets)
    rows = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    first = first_places(rows, members, np.arange(members.size))
    if first.all():
        return offsets, members, buckets
    warn_of_repeats(rows[~first], path)
    kept = np.concatenate([[0], np.cumsum(first)])
    return kept[offsets], members[first], buckets[first]


def warn_of_repeats(rows: npt.NDArray[Any], path: str | Path | None = None) -> None:
    """Warn that places were dropped; `rows` holds the ranking of each place."""
    places, rankings = rows.size, np.unique(rows).size
    what = "place of an item" if places == 1 else "places of items"
    where = "ranking" if rankings == 1 else "rankings"
    message = f"dropped {places:,} {what} ranked before, in {rankings:,} {where}"
    warnings.warn(InputWarning(message, path=path), stacklevel=2)
