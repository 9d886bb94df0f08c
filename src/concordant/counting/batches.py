"""Adding up batches of rankings, or of counts, in the memory of one matrix."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64, Item, Unranked
from concordant.counting.count_file import CountData
from concordant.counting.pairs import count_pairs, kind_of, ranked_units
from concordant.errors import InputError, show
from concordant.rankings import Rankings, index_items
from concordant.units import LARGEST, check_weights


def blank_rankings(
    arrays: tuple[Any, ...], unranked: Unranked, n_rankings: int | None = None
) -> Rankings | None:
    """Return rankings that are all blank, from the arrays that `Rankings.from_arrays` takes.

    Returns None if a ranking has an item, or if there is no ranking. The result has no items,
    unlike all other `Rankings`: only `BatchCounter` takes it.

    Example:
        >>> blank_rankings(((), np.zeros(3, np.int64), [], [], [1, 2]), "unknown")
        Rankings(0 items, 2 rankings, weight 3)
    """
    names, offsets, _, _, weights = arrays
    n = offsets.size - 1
    if len(names) or n < 1:
        return None
    units, scale = check_weights(weights, n)
    nothing = np.zeros(0, np.int32)
    n = n if n_rankings is None else n_rankings
    total = np.array([units.sum()], np.int64)
    return Rankings((), np.zeros(2, np.int64), nothing, nothing, total, scale, n, unranked, n)


class BatchCounter:
    """Adds up batches of rankings and counts: items, matrix and totals.

    All rankings of a batch leave out the items that the batch does not have. If unranked items
    are last, such an item is behind all that these rankings have, even if it appears only in a
    later batch.

    Args:
        items: All items; by default those that occur, in order of appearance.
        n_jobs: The number of threads.

    Attributes:
        counts: The matrix so far.
        scale: The counts are in units of 1 / scale.
        total_units: The weight of all rankings so far; None if it is not known of one batch.
        n_rankings: The number of rankings so far; None if it is not known of one batch.

    Example:
        >>> counter = BatchCounter()
        >>> counter.add(Rankings.from_orders([["a", "b"]], unranked="last"))
        >>> counter.add(Rankings.from_orders([["c"]], unranked="last"))
        >>> counter.items, counter.counts.tolist()
        (('a', 'b', 'c'), [[0, 1, 1], [0, 0, 1], [1, 1, 0]])
    """

    def __init__(self, items: Iterable[Item] | None = None, *, n_jobs: int = 1) -> None:
        self._fixed = items is not None
        self._items: list[Item] = [] if items is None else list(items)
        self._index = index_items(self._items)
        self._n_jobs = n_jobs
        m = len(self._items)
        self.counts: npt.NDArray[Any] = np.zeros((m, m), kind_of(m, 0))
        # The weight, in units, that puts an item before one that has not appeared yet.
        self._ahead: Int64 = np.zeros(m, np.int64)
        self.scale = 1
        self.total_units: int | None = 0
        self.n_rankings: int | None = 0
        # A bound on the absolute value of each count, in units.
        self._largest = 0
        # How unranked items were counted, in all batches but matrices without rankings.
        self._unranked: set[Unranked | None] = set()
        self._is_begun = False
        # Whether counts were added in which the place of a new item is not known.
        self._is_closed = False

    @property
    def items(self) -> tuple[Item, ...]:
        """The items so far."""
        return tuple(self._items)

    def add(self, batch: Any, sign: int = 1) -> None:
        """Add `Rankings`, a `Pairwise` or another counter; the sign -1 subtracts counts.

        Raises:
            InputError: The batch does not fit the sum so far, which then stays as it is.
        """
        places = self._make_room(batch, sign)
        if not isinstance(batch, Rankings):
            self._add_counts(batch, places, sign)
        elif batch.members.size:
            self._add_rankings(batch, places)
        if isinstance(batch, BatchCounter):
            self._is_begun |= batch._is_begun
            self._unranked |= batch._unranked
        else:
            self._is_begun = True
            if not _is_bare(batch):
                self._unranked.add(batch.unranked)
        if self.n_rankings is not None:
            n = batch.n_rankings
            self.n_rankings = None if n is None else self.n_rankings + sign * n

    def data(self) -> CountData:
        """Return the sum. The matrix is not a copy.

        Raises:
            InputError: There was no batch.
        """
        if not self._is_begun:
            raise InputError("there is no batch to count")
        if not self._items:
            raise InputError("there is no item to rank")
        unranked = next(iter(self._unranked)) if len(self._unranked) == 1 else None
        facts = (self.scale, self.total_units, self.n_rankings, unranked)
        return CountData(self.items, self.counts, *facts)

    # -- parts -----------------------------------------------------------------------------

    def _make_room(self, batch: Any, sign: int) -> Int64 | None:
        """Add the items, the scale and the total of a batch; raise before anything is changed.

        Returns the places of the items of the batch; None if the items are the same.
        """
        new = [item for item in batch.items if item not in self._index]
        if new and self._fixed:
            raise InputError(f"item {show(new[0])} of a batch is not among `items`")
        if new and self._is_closed:
            raise InputError(
                f"item {show(new[0])} is new, and counts were added before in which unranked items "
                "are last: its place in them is not known. Count all rankings with the same items"
            )
        # A counter of rankings knows the place of an item that has not appeared in them.
        is_closed = batch._is_closed if isinstance(batch, BatchCounter) else _has_last(batch)
        if is_closed and len(batch.items) < len(self._items) + len(new):
            missing = next(item for item in self._items if item not in set(batch.items))
            raise InputError(
                f"the counts do not have item {show(missing)}, and unranked items are last in "
                "them: its place is not known. Count all rankings with the same items"
            )
        scale = lcm(self.scale, batch.scale)
        mine, theirs = scale // self.scale, scale // batch.scale
        units = int(batch.units.sum()) if isinstance(batch, Rankings) else batch.total_units
        bound = int(np.abs(batch.counts).max(initial=0)) if units is None else units
        largest = self._largest * mine + bound * theirs
        m = len(self._items) + len(new)
        if largest * m * m >= LARGEST:
            raise InputError(
                "the sum is too large to add up exactly (2**62): divide the weights by a common "
                "factor, or round them to fewer decimals"
            )
        kind = kind_of(m, largest)
        self._is_closed |= is_closed
        self._largest, self.scale = largest, scale
        if mine > 1:
            self.counts = self.counts.astype(kind) * kind(mine)
            self._ahead *= mine
        if self.total_units is not None:
            total = self.total_units * mine
            self.total_units = None if units is None else total + sign * units * theirs
        if new:
            old = len(self._items)
            self._index.update((item, old + k) for k, item in enumerate(new))
            self._items += new
            counts = np.zeros((m, m), kind)
            counts[:old, :old] = self.counts
            counts[:old, old:] = self._ahead[:, None]
            self.counts = counts
            self._ahead = np.concatenate([self._ahead, np.zeros(len(new), np.int64)])
        elif self.counts.dtype != kind:
            self.counts = self.counts.astype(kind)
        if self.items == batch.items:
            return None
        return np.array([self._index[item] for item in batch.items], np.int64)

    def _add_rankings(self, batch: Rankings, places: Int64 | None) -> None:
        if places is not None:
            members = places.astype(np.int32)[batch.members]
            batch = replace(batch, items=self.items, members=members)
        factor = self.scale // batch.scale
        if batch.unranked == "last":
            self._ahead += ranked_units(batch) * factor
        if factor == 1:
            count_pairs(batch, self.counts, self._n_jobs)
            return
        part = np.zeros_like(self.counts)
        count_pairs(batch, part, self._n_jobs)
        self.counts += part * self.counts.dtype.type(factor)

    def _add_counts(self, batch: Any, places: Int64 | None, sign: int) -> None:
        factor = sign * (self.scale // batch.scale)
        part = batch.counts if factor == 1 else batch.counts * self.counts.dtype.type(factor)
        if places is None:
            np.add(self.counts, part, out=self.counts, casting="same_kind")
        else:
            self.counts[np.ix_(places, places)] += part.astype(self.counts.dtype)
        if isinstance(batch, BatchCounter):
            ahead = batch._ahead * factor
            places = np.arange(len(self._items)) if places is None else places
            self._ahead[places] += ahead
            others = np.setdiff1d(np.arange(len(self._items)), places)
            self.counts[np.ix_(places, others)] += ahead[:, None].astype(self.counts.dtype)


def _is_bare(batch: Any) -> bool:
    """Tell whether a batch is a matrix that was not counted from rankings."""
    return batch.unranked is None and batch.total_units is None


def _has_last(batch: Any) -> bool:
    """Tell whether a batch is counts of rankings whose unranked items may be last.

    Counts without a value of `unranked` are sums of both kinds.
    """
    if isinstance(batch, Rankings) or _is_bare(batch):
        return False
    return bool(batch.unranked != "unknown")
