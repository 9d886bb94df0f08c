"""`Pairwise`: how much weight puts a before b, for all pairs. All that search and bound see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import gcd, lcm
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._files import atomic_write, read_bytes
from concordant._types import Int64
from concordant.counting.batches import LARGEST_COST, Tally, differing
from concordant.counting.count_file import Counted, decode, encode
from concordant.counting.pairs import count_pairs, kind_of
from concordant.errors import InputError, show
from concordant.formatting import counted
from concordant.pages import notebook_table
from concordant.rankings import Item, Rankings, Unranked, index_items
from concordant.units import exact_units

# Items a side of the blocks that a matrix is compared with its mirror image in.
_BLOCK = 256
# What a count file may unpack to.
_LARGEST_FILE = 8 << 30
# Small orders are evaluated in plain numpy: no kernel is loaded.
_PLAIN_ITEMS = 200
# A notebook shows the counts of this many items.
_SHOWN_ITEMS = 12


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Pairwise:
    """The m × m integer matrix `counts[a, b]`: the weight that puts a strictly before b.

    It is additive: the matrix of two batches of rankings is the sum of their matrices. The
    cost of an order is the sum of `counts[b, a]` over all a placed before b.

    Attributes:
        items: The names of the items.
        counts: The matrix, in units of 1 / `scale`; its diagonal is zero.
        scale: 1 for integer weights.
        total_units: The weight of all rankings in the same units; None for a bare matrix.
        n_rankings: How many rankings were counted; None for a bare matrix.
        unranked: How unranked items were counted; None for a bare matrix.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]], weights=[3, 1])
        >>> pairs = Pairwise.from_rankings(data)
        >>> pairs.counts.tolist()
        [[0, 3, 3], [1, 0, 4], [0, 0, 0]]
        >>> pairs.cost(["a", "b", "c"]), pairs.lower_bound()
        (1, 1)
    """

    items: tuple[Item, ...]
    counts: Int64
    scale: int = 1
    total_units: int | None = None
    n_rankings: int | None = None
    unranked: Unranked | None = None
    _trivial: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and pickles are made anew, so that their matrix is read-only too.
        return Pairwise, tuple(getattr(self, each.name) for each in fields(self) if each.init)

    # -- making one ------------------------------------------------------------------------

    @classmethod
    def from_rankings(cls, rankings: Rankings, *, n_jobs: int = 1) -> Pairwise:
        """Count the pairs of all rankings, on `n_jobs` threads.

        Example:
            >>> Pairwise.from_rankings(Rankings.from_ranks([[1, 2], [1, 2], [2, 1]]))
            Pairwise(2 items, 3 rankings)
        """
        m = rankings.n_items
        total = int(rankings.units.sum())
        if total * m * m >= LARGEST_COST:
            raise InputError(
                f"a total weight of {total:,} units of 1/{rankings.scale} over {m} items is too "
                "large to add up exactly (2**62): divide the weights by a common factor, or round "
                "them to fewer decimals"
            )
        counts = np.zeros((m, m), kind_of(m, total))
        count_pairs(rankings, counts, max(1, n_jobs))
        return cls(
            rankings.items,
            counts,
            rankings.scale,
            total,
            rankings.n_rankings,
            rankings.unranked,
        )

    @classmethod
    def from_batches(
        cls,
        batches: Iterable[Rankings | Pairwise],
        *,
        items: Iterable[Item] | None = None,
        n_jobs: int = 1,
    ) -> Pairwise:
        """Count batches of rankings one after the other, in the memory of one batch.

        The sum is that of all rankings in one `Rankings`: each batch may have items of its own,
        and an item that a batch does not know was left out by all its rankings.

        Args:
            batches: `Rankings`, or a `Pairwise` of some; each is dropped before the next is asked
                for.
            items: All items, in the order that numbers them; by default those that occur, in order
                of appearance.
            n_jobs: Threads that count.

        Raises:
            InputError: A batch has an item that is not among `items`; or counts are added in which
                unranked items are last, and which do not know an item that others do.

        Example:
            >>> days = [[["a", "b"], ["b", "a"]], [["b", "c"]]]
            >>> Pairwise.from_batches(Rankings.from_orders(day) for day in days)
            Pairwise(3 items, 3 rankings)
        """
        tally = Tally(items, n_jobs=max(1, n_jobs))
        for number, batch in enumerate(batches, start=1):
            if not isinstance(batch, Rankings | Pairwise):
                raise InputError(
                    f"batch {number} must be Rankings (make them with Rankings.from_orders, "
                    f"from_ranks, from_frame or read) or a Pairwise, not {show(batch)}"
                )
            try:
                tally.add(batch)
            except InputError as error:
                raise InputError(f"batch {number}: {error.message}") from None
        return cls(*tally.counted())

    @classmethod
    def load(cls, path: str | Path) -> Pairwise:
        """Read a count file, which `save` or `concordant count` wrote.

        Raises:
            InputError: When it cannot be read, or is none.
        """
        try:
            return cls(*decode(read_bytes(path), _LARGEST_FILE))
        except InputError as error:
            raise error.at(path) from None

    def save(self, path: str | Path) -> None:
        """Write a count file (`.npz`): all of it or nothing.

        `load` and `concordant.read` give an equal `Pairwise` back, and so do the commands that
        take a file of rankings.

        Raises:
            InputError: When it cannot be written, or an item is neither text, number nor a tuple
                of these.

        Example:
            >>> import tempfile
            >>> path = Path(tempfile.mkdtemp()) / "pairs.npz"
            >>> Pairwise.from_matrix([[0, 1], [2, 0]]).save(path)
            >>> Pairwise.load(path).counts.tolist()
            [[0, 1], [2, 0]]
        """
        try:
            atomic_write(path, self.to_bytes())
        except InputError as error:
            raise error.at(path) from None

    def to_bytes(self) -> bytes:
        """Return the bytes of a count file, as `save` writes them."""
        facts = (self.scale, self.total_units, self.n_rankings, self.unranked)
        return encode(Counted(self.items, self.counts, *facts))

    @classmethod
    def from_bytes(cls, content: bytes, *, max_bytes: int | None = None) -> Pairwise:
        """Read the bytes of a count file.

        Example:
            >>> pairs = Pairwise.from_matrix([[0, 1], [2, 0]])
            >>> Pairwise.from_bytes(pairs.to_bytes()) == pairs
            True
        """
        return cls(*decode(content, _LARGEST_FILE if max_bytes is None else max_bytes))

    @classmethod
    def from_matrix(cls, matrix: Any, items: Iterable[Item] | None = None) -> Pairwise:
        """Take a square matrix: entry (i, j) is what placing i before j is worth.

        This is the linear ordering problem. Entries may be negative; decimals are scaled to
        integers exactly or refused. The diagonal is ignored.

        Example:
            >>> Pairwise.from_matrix([[0, 2.5], [1, 0]], items=["x", "y"]).cost(["x", "y"])
            1.0
        """
        try:
            array = np.asarray(matrix)
        except ValueError:
            raise InputError("the matrix is ragged: its rows differ in length") from None
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            shape = " × ".join(str(size) for size in array.shape)
            raise InputError(f"the matrix must be square, not {shape or 'a single number'}")
        m = array.shape[0]
        if m == 0:
            raise InputError("there is no item to rank")
        names = tuple(str(j + 1) for j in range(m)) if items is None else tuple(items)
        if len(names) != m:
            raise InputError(f"{len(names)} item names for a matrix of {m} rows")
        index_items(names)
        if array.dtype.kind in "iufO":
            if not isinstance(matrix, np.ndarray) and array.dtype.kind == "f":
                # A list that mixes integers and floats: keep large integers as they are.
                exact = np.abs(np.nan_to_num(array, posinf=0, neginf=0)).max() < 2**53
                array = array if exact else np.asarray(matrix, object)
            array = array.copy()
            np.fill_diagonal(array, 0)
        counts, scale = exact_units(array, "matrix entry")
        if int(np.abs(counts).max()) * m * m >= LARGEST_COST:
            raise InputError(
                f"the entries of the matrix, up to {int(np.abs(counts).max()):,} units of "
                f"1/{scale}, are too large to add up exactly (2**62): divide them by a common "
                "factor, or round them to fewer decimals"
            )
        return cls(names, counts, scale)

    # -- asking it -------------------------------------------------------------------------

    @property
    def n_items(self) -> int:
        """The number of items, m."""
        return len(self.items)

    @property
    def total_weight(self) -> int | float | None:
        """The weight of all rankings counted; None for a bare matrix."""
        return None if self.total_units is None else self.value(self.total_units)

    def value(self, units: int) -> int | float:
        """Turn an integer in units of 1 / scale into a number for people.

        An int where the weights are integers, else the nearest float.
        """
        return value_of(units, self.scale)

    def order_of(self, ranking: Sequence[Item]) -> Int64:
        """Turn item names, best first, into item indices; every item must occur once.

        Example:
            >>> Pairwise.from_matrix([[0, 1], [2, 0]], items="xy").order_of(["y", "x"]).tolist()
            [1, 0]
        """
        return order_of(ranking, self.items)

    def cost_units(self, order: npt.NDArray[np.integer[Any]]) -> int:
        """Return the exact cost of an order of item indices, in units of 1 / scale."""
        if self.n_items <= _PLAIN_ITEMS:
            return int(np.tril(self.counts[np.ix_(order, order)]).sum())
        from concordant._kernels import ballots

        return int(ballots.order_cost(self.counts, np.ascontiguousarray(order, np.int64)))

    def cost(self, ranking: Sequence[Item]) -> int | float:
        """Return the cost of a ranking: the weight that disagrees, over all pairs.

        Args:
            ranking: All item names, best first.

        Example:
            >>> Pairwise.from_matrix([[0, 5], [2, 0]], items="xy").cost(["y", "x"])
            5
        """
        return self.value(self.cost_units(self.order_of(ranking)))

    def lower_bound_units(self) -> int:
        """Return the trivial bound in units of 1 / scale; it is computed once."""
        if not self._trivial:
            total = 0
            for i, j, there, back in mirrored(self.counts):
                total += int(np.minimum(there, back.T).sum()) * (2 if j > i else 1)
            self._trivial.append(total // 2)
        return self._trivial[0]

    def lower_bound(self) -> int | float:
        """Return the trivial bound: of each pair, the side with less weight must lose."""
        return self.value(self.lower_bound_units())

    def restrict(self, items: Sequence[Item]) -> Pairwise:
        """Return the matrix of a subset of the items, in the order given.

        Example:
            >>> Pairwise.from_matrix([[0, 1, 2], [3, 0, 4], [5, 6, 0]]).restrict(["3", "1"]).counts
            array([[0, 5],
                   [2, 0]])
        """
        index = index_items(self.items)
        names = tuple(items)
        index_items(names)
        if not names:
            raise InputError("there is no item to rank")
        for item in names:
            if item not in index:
                raise InputError(f"there is no item {item!r} to restrict to")
        chosen = [index[item] for item in names]
        counts = self.counts[np.ix_(chosen, chosen)]
        return Pairwise(names, counts, self.scale, self.total_units, self.n_rankings, self.unranked)

    def __add__(self, other: object) -> Pairwise:
        """Add the matrix of another batch of rankings of the same items."""
        if not isinstance(other, Pairwise):
            return NotImplemented
        counts, scale, total, n = self._joined(other, 1, "added")
        unranked = self.unranked if self.unranked == other.unranked else None
        return Pairwise(self.items, counts, scale, total, n, unranked)

    def __sub__(self, other: object) -> Pairwise:
        """Take off the matrix of rankings that were counted before.

        Example:
            >>> one, two = Rankings.from_orders([["a", "b"]]), Rankings.from_orders([["b", "a"]])
            >>> both = Pairwise.from_batches([one, two])
            >>> both - Pairwise.from_rankings(two) == Pairwise.from_rankings(one)
            True
        """
        if not isinstance(other, Pairwise):
            return NotImplemented
        counts, scale, total, n = self._joined(other, -1, "subtracted")
        if self.total_units is not None and other.total_units is not None:
            self._check_contains(other, counts, total, n)
        unranked = self.unranked if self.unranked == other.unranked else None
        return Pairwise(self.items, counts, scale, total, n, unranked)

    def _joined(
        self, other: Pairwise, sign: int, what: str
    ) -> tuple[Int64, int, int | None, int | None]:
        """Return the sum or the difference: counts, scale, total and number of rankings."""
        if set(self.items) != set(other.items):
            raise InputError(
                f"only matrices of the same items can be {what}; "
                f"{differing(self.items, other.items)}"
            )
        if other.items != self.items:
            other = other.restrict(self.items)
        scale = lcm(self.scale, other.scale)
        mine, theirs = scale // self.scale, scale // other.scale
        largest = int(np.abs(self.counts).max()) * mine + int(np.abs(other.counts).max()) * theirs
        if largest * self.n_items**2 >= LARGEST_COST:
            raise InputError(
                "the sum is too large to add up exactly (2**62): divide the weights of both by a "
                "common factor, or round them to fewer decimals"
            )
        total = n = None
        if self.total_units is not None and other.total_units is not None:
            total = self.total_units * mine + sign * other.total_units * theirs
        if self.n_rankings is not None and other.n_rankings is not None:
            n = self.n_rankings + sign * other.n_rankings
        # In integers that hold it: those of many items are narrow.
        kind = kind_of(self.n_items, max(largest, total or 0))
        counts = self.counts.astype(kind) * kind(mine)
        counts += other.counts.astype(kind) * kind(sign * theirs)
        return counts, scale, total, n

    def _check_contains(
        self, other: Pairwise, counts: Int64, total: int | None, n: int | None
    ) -> None:
        """Refuse a difference that no rankings have."""
        if (counts < 0).any():
            a, b = (int(place) for place in np.argwhere(counts < 0)[0])
            theirs = other.restrict([self.items[a], self.items[b]])
            raise InputError(
                f"more would be taken off than there is: {show(self.items[a])} before "
                f"{show(self.items[b])} has {self.value(int(self.counts[a, b]))}, less "
                f"{theirs.value(int(theirs.counts[0, 1]))}"
            )
        for left, what in ((total, "weight"), (n, "rankings")):
            if left is not None and left < 0:
                raise InputError(f"more {what} would be taken off than there is")

    def __radd__(self, other: object) -> Pairwise:
        """Let `sum` add up matrices: it starts from 0."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Tell whether both count the same: items, matrix and totals."""
        if not isinstance(other, Pairwise):
            return NotImplemented
        if self.items != other.items or self.n_rankings != other.n_rankings:
            return False
        mine, theirs = self._reduced(), other._reduced()
        return mine[1:] == theirs[1:] and bool((mine[0] == theirs[0]).all())

    def _reduced(self) -> tuple[Int64, int | None, int]:
        """Return the counts, the total and the scale in lowest terms."""
        divisor = gcd(self.scale, self.total_units or 0, int(np.gcd.reduce(self.counts, axis=None)))
        total = None if self.total_units is None else self.total_units // divisor
        return self.counts // divisor, total, self.scale // divisor

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Say the size in one line."""
        return f"Pairwise({self._size()})"

    def _size(self) -> str:
        rankings = "" if self.n_rankings is None else f", {counted(self.n_rankings, 'ranking')}"
        return f"{counted(self.n_items, 'item')}{rankings}"

    def _repr_html_(self) -> str:
        """Show the counts of the first items as a table in a notebook."""
        shown = self.items[:_SHOWN_ITEMS]
        counts = self.counts[:_SHOWN_ITEMS, :_SHOWN_ITEMS].tolist()
        caption = f"{self._size()}; weight with the row before the column"
        if self.n_items > _SHOWN_ITEMS:
            caption += f", for the first {_SHOWN_ITEMS} items"
        rows = [
            [name, *(None if i == j else f"{self.value(n):,}" for j, n in enumerate(row))]
            for i, (name, row) in enumerate(zip(shown, counts, strict=True))
        ]
        return notebook_table(caption, [None, *shown], rows)


def mirrored(matrix: npt.NDArray[Any]) -> Iterator[tuple[int, int, Any, Any]]:
    """Go through a square matrix in blocks that stay in the cache with their mirror images.

    Yields (i, j, block at i, j, block at j, i) for all corners i <= j.
    """
    for i in range(0, matrix.shape[0], _BLOCK):
        for j in range(i, matrix.shape[0], _BLOCK):
            rows, columns = slice(i, i + _BLOCK), slice(j, j + _BLOCK)
            yield i, j, matrix[rows, columns], matrix[columns, rows]


def value_of(units: int, scale: int) -> int | float:
    """Turn an integer in units of 1 / scale into an int where scale is 1, else a float.

    Example:
        >>> value_of(3, 1), value_of(3, 10)
        (3, 0.3)
    """
    return int(units) if scale == 1 else float(Fraction(int(units), scale))


def order_of(ranking: Iterable[Item], items: Sequence[Item]) -> Int64:
    """Turn item names, best first, into item indices; every item must occur once.

    Example:
        >>> order_of(["y", "x"], ("x", "y")).tolist()
        [1, 0]
    """
    index = index_items(items)
    if not isinstance(ranking, Iterable):
        raise InputError(f"the ranking must be a list of items, best first, not {ranking!r}")
    order: list[int] = []
    seen: set[int] = set()
    for item in ranking:
        try:
            number = index.get(item)
        except TypeError:
            raise InputError(
                f"the ranking has {item!r}, which cannot name an item: it must be a flat list, "
                "without ties"
            ) from None
        if number is None:
            raise InputError(f"the ranking has an unknown item: {item!r}")
        if number in seen:
            raise InputError(f"the ranking has item {item!r} twice")
        seen.add(number)
        order.append(number)
    if len(order) < len(items):
        missing = next(item for number, item in enumerate(items) if number not in seen)
        raise InputError(
            f"the ranking must place each of the {len(items)} items once; it has {len(order)}, "
            f"and not {missing!r}"
        )
    return np.array(order, np.int64)
