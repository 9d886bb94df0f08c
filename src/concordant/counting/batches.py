"""Adding up batches of rankings, or of counts, in the memory of one matrix."""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64, Item, Unranked
from concordant.counting.count_file import Counted
from concordant.counting.pairs import count_pairs, kind_of, ranked_units
from concordant.errors import InputError, show
from concordant.rankings import Rankings, index_items
from concordant.units import check_weights

# Costs are sums over all pairs; below this bound no sum or difference of two can wrap.
LARGEST_COST = 2**62


def differing(here: Iterable[Item], there: Iterable[Item]) -> str:
    """Say which items only one of two collections has.

    Example:
        >>> differing("abc", "bcde")
        "only the first has 'a'; only the second has 'd', 'e'"
    """
    sides = (("first", here, set(there)), ("second", there, set(here)))
    words = []
    for which, items, others in sides:
        only = [item for item in items if item not in others]
        if only:
            more = f" and {len(only) - 5:,} more" if len(only) > 5 else ""
            words.append(f"only the {which} has {', '.join(map(show, only[:5]))}{more}")
    return "; ".join(words)


def blank_rankings(
    arrays: tuple[Any, ...], unranked: Unranked, n_rankings: int | None = None
) -> Rankings | None:
    """Return rankings that rank nothing at all, from the arrays that `Rankings.from_arrays` takes.

    None where some rank anything, or there are none.

    They have no items, which `Rankings` elsewhere always have: only a sum can take them.

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
    counted = n if n_rankings is None else n_rankings
    total = np.array([units.sum()], np.int64)
    return Rankings((), np.zeros(2, np.int64), nothing, nothing, total, scale, counted, unranked)


class Tally:
    """The sum of batches so far: items, matrix, totals.

    An item that a batch does not know was left out by all its rankings; where that means last,
    it is behind all that they rank, also when it turns up only in a later batch.

    Args:
        items: All items; by default those that occur, in order of appearance.
        n_jobs: Threads that count.

    Example:
        >>> tally = Tally()
        >>> tally.add(Rankings.from_orders([["a", "b"]], unranked="last"))
        >>> tally.add(Rankings.from_orders([["c"]], unranked="last"))
        >>> tally.counted().items, tally.counted().counts.tolist()
        (('a', 'b', 'c'), [[0, 1, 1], [0, 0, 1], [1, 1, 0]])
    """

    def __init__(self, items: Iterable[Item] | None = None, *, n_jobs: int = 1) -> None:
        self._fixed = items is not None
        self._items: list[Item] = [] if items is None else list(items)
        self._index = index_items(self._items)
        self._n_jobs = n_jobs
        m = len(self._items)
        self._counts: npt.NDArray[Any] = np.zeros((m, m), kind_of(m, 0))
        # The weight, in units, that would put an item before one that nobody has named yet.
        self._ahead: Int64 = np.zeros(m, np.int64)
        self._scale = 1
        # What is not known of one batch is not known of the sum.
        self._total: int | None = 0
        self._largest = 0
        self._n_rankings: int | None = 0
        # Of what has rankings; a bare matrix says nothing about items that are left out.
        self._unranked: set[Unranked | None] = set()
        self._begun = False
        # Set by counts from which the place of a new item cannot be told.
        self._closed = False

    @property
    def items(self) -> tuple[Item, ...]:
        """The items so far."""
        return tuple(self._items)

    @property
    def counts(self) -> npt.NDArray[Any]:
        """The matrix so far."""
        return self._counts

    @property
    def scale(self) -> int:
        """What the counts are in units of: 1 / scale."""
        return self._scale

    @property
    def total_units(self) -> int | None:
        """The weight of all rankings so far."""
        return self._total

    @property
    def n_rankings(self) -> int | None:
        """How many rankings there are so far."""
        return self._n_rankings

    def add(self, batch: Any) -> None:
        """Add `Rankings`, the counts of a `Pairwise`, or another sum.

        Raises:
            InputError: They do not fit to the sum so far, which then stays as it is.
        """
        where = self._grow(batch)
        if not isinstance(batch, Rankings):
            self._add_counts(batch, where)
        elif batch.members.size:
            self._add_rankings(batch, where)
        if isinstance(batch, Tally):
            self._begun |= batch._begun
            self._unranked |= batch._unranked
        else:
            self._begun = True
            if isinstance(batch, Rankings) or not _is_bare(batch):
                self._unranked.add(batch.unranked)
        if self._n_rankings is not None:
            self._n_rankings = (
                None if batch.n_rankings is None else self._n_rankings + batch.n_rankings
            )

    def counted(self) -> Counted:
        """Return the sum; the matrix is no copy.

        Raises:
            InputError: There was no batch.
        """
        if not self._begun:
            raise InputError("there is no batch to count")
        if not self._items:
            raise InputError("there is no item to rank")
        unranked = next(iter(self._unranked)) if len(self._unranked) == 1 else None
        return Counted(
            tuple(self._items), self._counts, self._scale, self._total, self._n_rankings, unranked
        )

    # -- parts -----------------------------------------------------------------------------

    def _grow(self, batch: Any) -> Int64 | None:
        """Make room for the items of a batch; return their places, None where they are the same.

        Where anything stands against it, that is said before anything is changed.
        """
        new = [item for item in batch.items if item not in self._index]
        if new and self._fixed:
            raise InputError(f"item {show(new[0])} of a batch is not among `items`")
        if new and self._closed:
            raise InputError(
                f"item {show(new[0])} is not known to the counts added before, in which unranked "
                "items are last, at least in some: where it stands in them cannot be told. Count "
                "all with the same items"
            )
        # A sum of rankings knows where an item would stand that nobody has named in them.
        last_counts = batch._closed if isinstance(batch, Tally) else _has_last(batch)
        if last_counts and len(batch.items) < len(self._items) + len(new):
            missing = next(item for item in self._items if item not in set(batch.items))
            raise InputError(
                "counts in which unranked items are last, at least in some, know nothing of item "
                f"{show(missing)}: count all with the same items"
            )
        scale = lcm(self._scale, batch.scale)
        units = int(batch.units.sum()) if isinstance(batch, Rankings) else batch.total_units
        if units is None:
            units = int(np.abs(batch.counts).max(initial=0))
        largest = self._largest * (scale // self._scale) + units * (scale // batch.scale)
        m = len(self._items) + len(new)
        if largest * m * m >= LARGEST_COST:
            raise InputError(
                "the sum is too large to add up exactly (2**62): divide the weights by a common "
                "factor, or round them to fewer decimals"
            )
        kind = kind_of(m, largest)
        self._closed |= last_counts
        if scale != self._scale:
            self._counts = self._counts.astype(kind) * kind(scale // self._scale)
            self._ahead *= scale // self._scale
            self._total = None if self._total is None else self._total * (scale // self._scale)
            self._scale = scale
        self._largest = largest
        if new:
            self._index.update((item, len(self._items) + k) for k, item in enumerate(new))
            self._items += new
            counts = np.zeros((m, m), kind)
            old = self._counts.shape[0]
            counts[:old, :old] = self._counts
            counts[:old, old:] = self._ahead[:, None]
            self._counts = counts
            self._ahead = np.concatenate([self._ahead, np.zeros(len(new), np.int64)])
        elif self._counts.dtype != kind:
            self._counts = self._counts.astype(kind)
        if self._total is not None:
            known = isinstance(batch, Rankings) or batch.total_units is not None
            self._total = self._total + units * (scale // batch.scale) if known else None
        if tuple(self._items) == batch.items:
            return None
        return np.array([self._index[item] for item in batch.items], np.int64)

    def _add_rankings(self, batch: Rankings, where: Int64 | None) -> None:
        if where is not None:
            members = where.astype(np.int32)[batch.members]
            batch = Rankings(
                tuple(self._items),
                batch.offsets,
                members,
                batch.buckets,
                batch.units,
                batch.scale,
                batch.n_rankings,
                batch.unranked,
            )
        factor = self._scale // batch.scale
        if batch.unranked == "last":
            self._ahead += ranked_units(batch) * factor
        if factor == 1:
            count_pairs(batch, self._counts, self._n_jobs)
            return
        part = np.zeros_like(self._counts)
        count_pairs(batch, part, self._n_jobs)
        self._counts += part * self._counts.dtype.type(factor)

    def _add_counts(self, batch: Any, where: Int64 | None) -> None:
        part = batch.counts * self._counts.dtype.type(self._scale // batch.scale)
        if where is None:
            np.add(self._counts, part, out=self._counts, casting="same_kind")
        else:
            self._counts[np.ix_(where, where)] += part.astype(self._counts.dtype)
        if isinstance(batch, Tally):
            ahead = batch._ahead * (self._scale // batch.scale)
            places = np.arange(len(self._items)) if where is None else where
            self._ahead[places] += ahead
            others = np.setdiff1d(np.arange(len(self._items)), places)
            self._counts[np.ix_(places, others)] += ahead[:, None].astype(self._counts.dtype)


def _is_bare(counts: Any) -> bool:
    """Tell whether counts are a matrix without rankings behind it."""
    return counts.unranked is None and counts.total_units is None


def _has_last(batch: Any) -> bool:
    """Tell whether unranked items are last in rankings of which only the counts are left.

    Counts of rankings that do not say how unranked items were taken hold both kinds.
    """
    if isinstance(batch, Rankings) or _is_bare(batch):
        return False
    return bool(batch.unranked != "unknown")
