"""`Pairwise`: the weight that puts a before b, for all pairs. Search and bounds need no more."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from math import gcd
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

import numpy as np
import numpy.typing as npt

from concordant._checks import threads_of
from concordant._files import atomic_write, read_bytes
from concordant._types import Int64, N, Name
from concordant.counting.batches import BatchCounter
from concordant.counting.count_file import CountData, decode, encode
from concordant.counting.differences import check_difference, differing
from concordant.counting.pairs import count_pairs, kind_of
from concordant.counting.ties import Ties, rest, ties_of
from concordant.errors import InputError, show
from concordant.formatting import counted
from concordant.graphs import Direction, arcs_against, check_direction, labelled_values, read_graph
from concordant.pages import notebook_table
from concordant.rankings import Item, Rankings, Unranked, index_items
from concordant.units import LARGEST, exact_units

if TYPE_CHECKING:
    import polars as pl

# A matrix is compared with its transpose in square blocks of this number of rows.
_BLOCK = 256
# The most bytes that a count file may unpack to.
_LARGEST_FILE = 8 << 30
# Up to this number of items, orders are evaluated in plain numpy, and no kernel is loaded.
_PLAIN_ITEMS = 200
# A notebook shows the counts of this many items.
_SHOWN_ITEMS = 12


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Pairwise(Generic[Name]):
    """The m × m integer matrix `counts[a, b]`: the weight that puts a strictly before b.

    It is additive: the matrix of two batches of rankings is the sum of their matrices. The
    cost of an order is the sum of `counts[b, a]` over all a placed before b.

    Attributes:
        items: The names of the items.
        counts: The matrix, in units of 1 / `scale`; its diagonal is zero.
        scale: 1 for integer weights.
        total_units: The weight of all rankings in the same units; None for a bare matrix.
        n_rankings: The number of rankings counted; None for a bare matrix.
        unranked: How unranked items were counted; None for a bare matrix.
        ties: How often pairs are tied: a matrix in the same units, "none", or "rest" where every
            ranking compares every pair, so that the total less both counts ties it. None where
            it is not known. `tied` is the matrix in all cases.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]], weights=[3, 1])
        >>> pairs = Pairwise.from_rankings(data)
        >>> pairs.counts.tolist()
        [[0, 3, 3], [1, 0, 4], [0, 0, 0]]
        >>> pairs.cost(["a", "b", "c"]), pairs.lower_bound()
        (1, 1)
        >>> pairs.tied.tolist()
        [[0, 0, 1], [0, 0, 0], [1, 0, 0]]
    """

    items: tuple[Name, ...]
    counts: Int64
    scale: int = 1
    total_units: int | None = None
    n_rankings: int | None = None
    unranked: Unranked | None = None
    ties: Ties = None
    _trivial: list[int] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self.counts.flags.writeable = False
        if isinstance(self.ties, np.ndarray):
            self.ties.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and pickles go through the constructor, so that their matrix is read-only too.
        return Pairwise, tuple(getattr(self, each.name) for each in fields(self) if each.init)

    # -- making one ------------------------------------------------------------------------

    @classmethod
    def from_rankings(
        cls: type[Pairwise], rankings: Rankings[N], *, n_jobs: int = 1, ties: bool = True
    ) -> Pairwise[N]:
        """Count the pairs of all rankings.

        Args:
            rankings: The rankings.
            n_jobs: The number of threads; -1 is one per core.
            ties: Whether to count tied pairs too. Only an answer with ties needs them, and only
                rankings with both ties and gaps take memory and time for it.

        Example:
            >>> Pairwise.from_rankings(Rankings.from_ranks([[1, 2], [1, 2], [2, 1]]))
            Pairwise(2 items, 3 rankings)
        """
        m = rankings.n_items
        total = int(rankings.units.sum())
        if total * m * m >= LARGEST:
            raise InputError(
                f"a total weight of {total:,} units of 1/{rankings.scale} over {m} items is too "
                "large to add up exactly (2**62): divide the weights by a common factor, or round "
                "them to fewer decimals"
            )
        counts = np.zeros((m, m), kind_of(m, total))
        count_pairs(rankings, counts, threads_of(n_jobs))
        return cls(
            rankings.items,
            counts,
            rankings.scale,
            total,
            rankings.n_rankings,
            rankings.unranked,
            ties_of(rankings, count=ties),
        )

    @classmethod
    def from_batches(
        cls: type[Pairwise],
        batches: Iterable[Rankings | Pairwise],
        *,
        items: Iterable[Item] | None = None,
        n_jobs: int = 1,
    ) -> Pairwise:
        """Count batches of rankings one after the other, in the memory of one batch.

        The result is the same as for all rankings in one `Rankings`. Batches may have different
        items; all rankings of a batch leave out the items that the batch does not have.

        Args:
            batches: `Rankings` or `Pairwise`; each is released before the next one is requested.
            items: All items, in the order that numbers them; by default those that occur, in order
                of appearance.
            n_jobs: The number of threads; -1 is one per core.

        Raises:
            InputError: A batch has an item that is not among `items`. Or counts in which unranked
                items are last do not have an item that another batch has.

        Example:
            >>> days = [[["a", "b"], ["b", "a"]], [["b", "c"]]]
            >>> Pairwise.from_batches(Rankings.from_orders(day) for day in days)
            Pairwise(3 items, 3 rankings)
        """
        counter = BatchCounter(items, n_jobs=threads_of(n_jobs))
        for number, batch in enumerate(batches, start=1):
            if not isinstance(batch, Rankings | Pairwise):
                raise InputError(
                    f"batch {number} must be Rankings (make them with Rankings.from_orders, "
                    f"from_ranks, from_frame or read) or a Pairwise, not {show(batch)}"
                )
            try:
                counter.add(batch)
            except InputError as error:
                raise InputError(f"batch {number}: {error.message}") from None
        return cls(*counter.data())

    @classmethod
    def load(cls: type[Pairwise], path: str | Path) -> Pairwise:
        """Read a count file that `save` or `concordant count` wrote.

        Raises:
            InputError: The file cannot be read, or is not a count file.
        """
        try:
            return cls(*decode(read_bytes(path), _LARGEST_FILE))
        except InputError as error:
            raise error.at(path) from None

    def save(self, path: str | Path) -> None:
        """Write a count file (`.npz`): all of it or nothing.

        `load` and `concordant.read` return an equal `Pairwise`. The commands that take a file of
        rankings take a count file too.

        Raises:
            InputError: The file cannot be written, or an item is neither a text nor a number nor a
                tuple of these.

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
        facts = (self.scale, self.total_units, self.n_rankings, self.unranked, self.ties)
        return encode(CountData(self.items, self.counts, *facts))

    @classmethod
    def from_bytes(
        cls: type[Pairwise], content: bytes, *, max_bytes: int | None = None
    ) -> Pairwise:
        """Read the bytes of a count file.

        Example:
            >>> pairs = Pairwise.from_matrix([[0, 1], [2, 0]])
            >>> Pairwise.from_bytes(pairs.to_bytes()) == pairs
            True
        """
        return cls(*decode(content, _LARGEST_FILE if max_bytes is None else max_bytes))

    @classmethod
    def from_matrix(
        cls: type[Pairwise], matrix: Any, items: Iterable[N] | None = None
    ) -> Pairwise[N]:
        """Take a square matrix: entry (i, j) is what placing i before j is worth.

        This is the linear ordering problem. Entries may be negative; decimals are scaled to
        integers exactly or refused. The diagonal is ignored.

        Args:
            matrix: The matrix. In a pandas frame with labels, rows and columns must have the same
                ones; these are the items.
            items: The names of the rows, or the order of the labels; "1" … "m" by default.

        Example:
            >>> Pairwise.from_matrix([[0, 2.5], [1, 0]], items=["x", "y"]).cost(["x", "y"])
            1.0
        """
        if hasattr(matrix, "iloc") and matrix.shape == (len(matrix), len(matrix)):
            matrix, items = labelled_values(matrix, items)
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
                # A list of both integers and floats: keep large integers exact.
                exact = np.abs(np.nan_to_num(array, posinf=0, neginf=0)).max() < 2**53
                array = array if exact else np.asarray(matrix, object)
            array = array.copy()
            np.fill_diagonal(array, 0)
        counts, scale = exact_units(array, "matrix entry")
        if int(np.abs(counts).max()) * m * m >= LARGEST:
            raise InputError(
                f"the entries of the matrix, up to {int(np.abs(counts).max()):,} units of "
                f"1/{scale}, are too large to add up exactly (2**62): divide them by a common "
                "factor, or round them to fewer decimals"
            )
        return cls(names, counts, scale, ties="none")

    @classmethod
    def from_graph(
        cls: type[Pairwise],
        graph: Any,
        direction: Direction | None = None,
        *,
        items: Iterable[Item] | None = None,
        source: Item | None = None,
        target: Item | None = None,
        weight: Item | None = None,
    ) -> Pairwise:
        """Take a directed graph. The best order goes against edges of the least total weight.

        These edges, which `against` lists, are a feedback arc set: without them the graph has no
        cycle. Equal edges add up, and edges from an item to itself are ignored.

        Args:
            graph: A networkx DiGraph, a scipy sparse matrix (row to column), a frame, or a list of
                (source, target) or (source, target, weight).
            direction: Which end of an edge should come first: "source-wins" or "target-wins".
            items: All items, in the order that numbers them; by default the nodes of the graph, or
                "1" … "m" for a sparse matrix.
            source: The column of sources in a frame, if its name does not show it.
            target: The column of targets.
            weight: The column of weights, or the attribute of a networkx graph; 1 without one.

        Raises:
            SettingError: The direction is missing.
            InputError: The graph cannot be read.

        Example:
            >>> beats = [("a", "b", 3), ("b", "c", 2), ("c", "a", 1)]
            >>> pairs = Pairwise.from_graph(beats, direction="source-wins")
            >>> pairs.cost(["a", "b", "c"]), pairs.against(["a", "b", "c"])
            (1, [('c', 'a', 1)])
        """
        side = check_direction(direction)
        names, matrix, scale = read_graph(
            graph, items=items, source=source, target=target, weight=weight
        )
        counts = matrix if side == "source-wins" else np.ascontiguousarray(matrix.T)
        return cls(names, counts, scale, ties="none")

    def against(
        self, ranking: Sequence[Item], direction: Direction = "source-wins"
    ) -> list[tuple[Item, Item, int | float]]:
        """List the pairs that a ranking goes against, as arcs of a graph, the heaviest first.

        Their weights add up to the cost of the ranking.

        Args:
            ranking: All item names, best first.
            direction: "source-wins" for arcs from the item that should come first to the other;
                "target-wins" for arcs the other way round, as in the graph given to `from_graph`.

        Returns:
            Tuples (source, target, weight).

        Example:
            >>> Pairwise.from_matrix([[0, 5], [2, 0]], items="xy").against(["x", "y"])
            [('y', 'x', 2)]
        """
        forward = check_direction(direction) == "source-wins"
        arcs = arcs_against(self.counts, self.order_of(ranking), self.value)
        named = ((self.items[a], self.items[b], weight) for a, b, weight in arcs)
        return [(a, b, weight) if forward else (b, a, weight) for a, b, weight in named]

    def to_frame(self) -> pl.DataFrame:
        """Return the counts as a polars frame, with columns before, after and weight.

        There is a row for each pair of items in each order: the weight that puts `before` before
        `after`.

        Example:
            >>> Pairwise.from_matrix([[0, 5], [2, 0]], items="xy").to_frame().rows()
            [('x', 'y', 5), ('y', 'x', 2)]
        """
        from concordant.tables.writing import named_frame

        first, second = np.nonzero(~np.eye(self.n_items, dtype=bool))
        units = self.counts[first, second]
        weights = units if self.scale == 1 else units / self.scale
        return named_frame(self.items, {"before": first, "after": second}, {"weight": weights})

    # -- its values ------------------------------------------------------------------------

    @property
    def n_items(self) -> int:
        """The number of items, m."""
        return len(self.items)

    @property
    def total_weight(self) -> int | float | None:
        """The weight of all rankings counted; None for a bare matrix."""
        return None if self.total_units is None else self.value(self.total_units)

    @property
    def tied(self) -> Int64 | None:
        """The weight that ties each pair, in units of 1 / `scale`; None where it is not known.

        Example:
            >>> data = Rankings.from_orders([[("a", "b"), "c"], [("b", "c")]], weights=[2, 1])
            >>> Pairwise.from_rankings(data).tied.tolist()
            [[0, 2, 0], [2, 0, 1], [0, 1, 0]]
        """
        if isinstance(self.ties, str):
            if self.ties == "rest" and self.total_units is not None:
                return rest(self.counts, self.total_units)
            return np.zeros_like(self.counts)
        return self.ties

    def value(self, units: int) -> int | float:
        """Turn an integer in units of 1 / scale into a weight.

        It is an int if the weights are integers, else the nearest float.
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
        """Return the cost of a ranking: the sum of the weights that disagree, over all pairs.

        Args:
            ranking: All item names, best first.

        Example:
            >>> Pairwise.from_matrix([[0, 5], [2, 0]], items="xy").cost(["y", "x"])
            5
        """
        return self.value(self.cost_units(self.order_of(ranking)))

    def lower_bound_units(self) -> int:
        """Return the trivial bound in units of 1 / scale. It is computed only once."""
        if not self._trivial:
            total = 0
            for i, j, there, back in mirrored(self.counts):
                total += int(np.minimum(there, back.T).sum()) * (2 if j > i else 1)
            self._trivial.append(total // 2)
        return self._trivial[0]

    def lower_bound(self) -> int | float:
        """Return the trivial bound: the sum, over all pairs, of the smaller of both counts."""
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
        block = np.ix_(chosen, chosen)
        ties = self.ties[block] if isinstance(self.ties, np.ndarray) else self.ties
        facts = (self.scale, self.total_units, self.n_rankings, self.unranked, ties)
        return Pairwise(names, self.counts[block], *facts)

    def __add__(self, other: object) -> Pairwise:
        """Add another batch, a matrix or rankings; new items are unranked in the earlier ones."""
        return self._sum(other, 1) if isinstance(other, Pairwise | Rankings) else NotImplemented

    def __sub__(self, other: object) -> Pairwise:
        """Subtract the matrix of rankings that were counted before.

        Example:
            >>> one, two = Rankings.from_orders([["a", "b"]]), Rankings.from_orders([["b", "a"]])
            >>> both = Pairwise.from_batches([one, two])
            >>> both - Pairwise.from_rankings(two) == Pairwise.from_rankings(one)
            True
        """
        if not isinstance(other, Pairwise):
            return NotImplemented
        difference = self._sum(other, -1)
        if difference.total_units is not None:
            check_difference(self, other, difference)
        return difference

    def _sum(self, other: Pairwise | Rankings, sign: int) -> Pairwise:
        if sign < 0 and set(self.items) != set(other.items):
            raise InputError(
                "only matrices of the same items can be subtracted; "
                f"{differing(self.items, other.items)}"
            )
        counter = BatchCounter(self.items if sign < 0 else None)
        counter.add(self)
        counter.add(other, sign)
        return Pairwise(*counter.data())

    def __radd__(self, other: object) -> Pairwise:
        """Let `sum`, which starts from 0, add up matrices."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Return whether both count the same: items, matrix, totals, and ties if both know them."""
        if not isinstance(other, Pairwise):
            return NotImplemented
        if self.items != other.items or self.n_rankings != other.n_rankings:
            return False
        mine, theirs = self._reduced(), other._reduced()
        if mine[1:] != theirs[1:] or not bool((mine[0] == theirs[0]).all()):
            return False
        if self.ties is None or other.ties is None:
            return True
        common = gcd(self.scale, other.scale)
        one, two = other.scale // common, self.scale // common
        return np.array_equal(one * np.asarray(self.tied), two * np.asarray(other.tied))

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
    """Yield the blocks of a square matrix with those of its transpose; both fit in the cache.

    Yields (i, j, block at i, j, block at j, i) for all corners i <= j.
    """
    for i in range(0, matrix.shape[0], _BLOCK):
        for j in range(i, matrix.shape[0], _BLOCK):
            rows, columns = slice(i, i + _BLOCK), slice(j, j + _BLOCK)
            yield i, j, matrix[rows, columns], matrix[columns, rows]


def value_of(units: int, scale: int) -> int | float:
    """Turn an integer in units of 1 / scale into an int if scale is 1, else a float.

    Example:
        >>> value_of(3, 1), value_of(3, 10)
        (3, 0.3)
    """
    return int(units) if scale == 1 else float(Fraction(int(units), scale))


def order_of(ranking: Iterable[Item], items: Sequence[Item], *, whole: bool = True) -> Int64:
    """Turn item names, best first, into item indices; every item of a whole one must occur once.

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
    if whole and len(order) < len(items):
        missing = next(item for number, item in enumerate(items) if number not in seen)
        raise InputError(
            f"the ranking must place each of the {len(items)} items once; it has {len(order)}, "
            f"and not {missing!r}"
        )
    return np.array(order, np.int64)
