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
from concordant.counting.ties import Ties, compares_all, has_no_ties, rest, tied_counts
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
        # How often pairs are tied: two flags, of which both, one or none hold, and a matrix where
        # none does. Not known any more once a batch does not know it.
        self._has_no_ties = self._compares_all = self._knows_ties = True
        self._tied: npt.NDArray[Any] | None = None
        # The weight of the rankings whose unranked items are last.
        self._last_units = 0
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
        elif batch.unranked == "last":
            self._add_blank(batch)
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
        facts = (self.scale, self.total_units, self.n_rankings, unranked, self.ties)
        return CountData(self.items, self.counts, *facts)

    @property
    def ties(self) -> Ties:
        """How often pairs are tied so far, as `Pairwise.ties` has it."""
        if not self._knows_ties:
            return None
        if self._has_no_ties:
            return "none"
        return "rest" if self._compares_all else self._tied

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
        self._prepare_ties(batch, len(new))
        self._is_closed |= is_closed
        self._largest, self.scale = largest, scale
        if mine > 1:
            self.counts = self.counts.astype(kind) * kind(mine)
            self._ahead *= mine
            self._last_units *= mine
            if self._tied is not None:
                self._tied = self._tied.astype(kind) * kind(mine)
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
            if self._tied is not None:
                # Rankings whose unranked items are last tie a new item with what they leave out.
                tied = np.full((m, m), self._last_units, kind)
                tied[:old, :old] = self._tied
                tied[:old, old:] -= self._ahead[:, None].astype(kind)
                tied[old:, :old] = tied[:old, old:].T
                np.fill_diagonal(tied, 0)
                self._tied = tied
            self._ahead = np.concatenate([self._ahead, np.zeros(len(new), np.int64)])
        elif self.counts.dtype != kind:
            self.counts = self.counts.astype(kind)
            self._tied = None if self._tied is None else self._tied.astype(kind)
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
            self._last_units += int(batch.units.sum()) * factor
        if self._tied is not None:
            self._tied += (tied_counts(batch) * factor).astype(self._tied.dtype)
        if factor == 1:
            count_pairs(batch, self.counts, self._n_jobs)
            return
        part = np.zeros_like(self.counts)
        count_pairs(batch, part, self._n_jobs)
        self.counts += part * self.counts.dtype.type(factor)

    def _add_blank(self, batch: Rankings) -> None:
        """Add rankings without items, which tie all items as last."""
        units = int(batch.units.sum()) * (self.scale // batch.scale)
        self._last_units += units
        if self._tied is not None:
            self._tied += self._tied.dtype.type(units)
            np.fill_diagonal(self._tied, 0)

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
            self._last_units += batch._last_units * factor
        if self._tied is not None:
            self._add_ties(batch, places, factor)

    # -- tied pairs ------------------------------------------------------------------------

    def _prepare_ties(self, batch: Any, n_new: int) -> None:
        """Find out how ties are known once a batch is added; make a matrix if there must be one.

        Called before anything is changed.
        """
        if not isinstance(batch, Rankings) and batch.ties is None:
            self._knows_ties, self._tied = False, None
        if not self._knows_ties or self._tied is not None:
            return
        m = len(self._items) + n_new
        mine = self._grown(n_new)
        if isinstance(batch, Rankings):
            theirs = has_no_ties(batch, m), compares_all(batch, m)
        elif isinstance(batch, BatchCounter):
            theirs = batch._grown(m - len(batch.items))
        else:
            said = batch.ties if isinstance(batch.ties, str) else None
            theirs = said == "none", said == "rest" and len(batch.items) == m
        none, full = mine[0] and theirs[0], mine[1] and theirs[1]
        if mine[1] and not none and not full and theirs[0] and not isinstance(batch, Rankings):
            # Counts without ties may be of rankings that compare all pairs.
            full = len(batch.items) == m and _orders_all(batch)
        if not none and not full:
            self._tied = np.zeros_like(self.counts)
            if not self._has_no_ties:
                self._tied = rest(self.counts, self.total_units or 0)
        self._has_no_ties, self._compares_all = none, full

    def _grown(self, n_new: int) -> tuple[bool, bool]:
        """Return whether there are no ties, and whether all compare all, with some more items."""
        if not n_new or not self._is_begun:
            return self._has_no_ties, self._compares_all
        last = self._last_units
        is_full = n_new == 1 and bool((self._ahead == last).all())
        none = self._has_no_ties and (last == 0 or is_full)
        return none, self._compares_all and last == self.total_units

    def _add_ties(self, batch: Any, places: Int64 | None, factor: int) -> None:
        """Add the tied pairs of counts to the matrix."""
        assert self._tied is not None
        kind = self._tied.dtype.type
        if isinstance(batch.ties, np.ndarray):
            tied = batch.ties
        elif batch.ties == "rest":
            tied = rest(batch.counts, batch.total_units)
        else:
            tied = np.zeros_like(batch.counts)
        places = np.arange(len(self._items)) if places is None else places
        self._tied[np.ix_(places, places)] += tied.astype(kind) * kind(factor)
        if isinstance(batch, BatchCounter) and batch._last_units:
            # What these rankings leave out is tied with the items that they have not seen.
            others = np.setdiff1d(np.arange(len(self._items)), places)
            both = ((batch._last_units - batch._ahead) * factor).astype(kind)
            self._tied[np.ix_(places, others)] += both[:, None]
            self._tied[np.ix_(others, places)] += both[None, :]
            unseen = np.full((others.size, others.size), batch._last_units * factor, kind)
            np.fill_diagonal(unseen, 0)
            self._tied[np.ix_(others, others)] += unseen


def _orders_all(batch: Any) -> bool:
    """Tell whether counts without ties are of rankings that order every pair."""
    if batch.total_units is None:
        return False
    both = batch.counts + batch.counts.T
    np.fill_diagonal(both, batch.total_units)
    return bool((both == batch.total_units).all())


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
