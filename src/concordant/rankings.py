"""`Rankings`: validated input, n rankings of m named items, with ties, gaps and weights."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._checks import check_duplicates
from concordant._checks import check_unranked as check_unranked
from concordant._types import Duplicates, Int32, Int64
from concordant._types import Item as Item
from concordant._types import Unranked as Unranked
from concordant.errors import InputError
from concordant.merging import SMALL, check_fit, distinct, drop_repeats, warn_of_repeats
from concordant.units import Weight, check_weights
from concordant.units import exact_units as exact_units

_TIE = (tuple, list, set, frozenset)


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Rankings:
    """Rankings of the same items: complete or partial, with ties and weights. Immutable.

    Make one with `from_orders`, `from_ranks`, `from_frame` or `concordant.read`. Equal
    rankings are kept once, with their weights added up.

    Attributes:
        items: The names of the items.
        n_rankings: How many rankings were given, equal ones and empty ones included. In a
            file of ballots with repeat counts, that is the number of ballots.
        unranked: What an item that a ranking leaves out means: "unknown" (nothing) or
            "last" (tied behind all that it ranks).
        offsets, members, buckets: The distinct rankings. Ranking r holds the item indices
            `members[offsets[r]:offsets[r+1]]`, best first; `buckets` numbers their ties.
        units, scale: The weight of ranking r is `units[r] / scale`, exactly.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]], weights=[3, 1])
        >>> data
        Rankings(3 items, 2 rankings, weight 4, ties)
        >>> data.n_items, data.n_rankings, data.total_weight, data.items
        (3, 2, 4, ('a', 'b', 'c'))
    """

    items: tuple[Item, ...]
    offsets: Int64
    members: Int32
    buckets: Int32
    units: Int64
    scale: int
    n_rankings: int
    unranked: Unranked

    def __post_init__(self) -> None:
        for array in (self.offsets, self.members, self.buckets, self.units):
            array.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and pickles are made anew, so that their arrays are read-only too.
        return Rankings, tuple(getattr(self, field.name) for field in fields(self))

    # -- making one ------------------------------------------------------------------------

    @classmethod
    def from_orders(
        cls,
        orders: Iterable[Sequence[Any]],
        *,
        weights: Any = None,
        items: Iterable[Item] | None = None,
        unranked: Unranked = "unknown",
        duplicates: Duplicates = "error",
    ) -> Rankings:
        """Make rankings from lists of items, best first; tied items in an inner list.

        Args:
            orders: One sequence per ranking. An element that is a tuple, list or set holds
                tied items. Items may be left out.
            weights: A number per ranking; 1 each by default.
            items: All items, in the order that numbers them; by default those that occur,
                in order of appearance.
            unranked: What leaving an item out means, "unknown" or "last".
            duplicates: What an item is that a ranking has twice: an "error", or at its "first"
                place, with an `InputWarning` that says how many places were dropped.

        Example:
            >>> Rankings.from_orders([["a", "b"], [{"a", "b"}], []], items="abc")
            Rankings(3 items, 3 rankings, partial, ties)
        """
        names: list[Item] = []
        index: dict[Item, int] = {}
        if items is not None:
            names = list(items)
            index = index_items(names)
        offsets, members, buckets = [0], [], []
        if not isinstance(orders, Iterable):
            raise InputError(f"orders must be a list of rankings, not {orders!r}")
        for number, order in enumerate(orders, start=1):
            if isinstance(order, str | bytes) or not isinstance(order, Iterable):
                raise InputError(
                    f"ranking {number} must be a list of items, best first, not {order!r}"
                )
            if isinstance(order, Set | Mapping):
                raise InputError(
                    f"ranking {number} must be a list of items, best first: {order!r} has no "
                    "order (a tie of all its items is written as a set inside a list)"
                )
            for bucket, group in enumerate(order):
                for item in _tied(group):
                    try:
                        position = index.get(item)
                    except TypeError:
                        raise InputError(
                            f"ranking {number}: {item!r} cannot name an item (it is not hashable)"
                        ) from None
                    if position is None:
                        if items is not None:
                            raise InputError(
                                f"ranking {number}: unknown item {item!r}, not among `items`",
                                ranking=number - 1,
                            )
                        position = index[item] = len(names)
                        names.append(item)
                    members.append(position)
                    buckets.append(bucket)
            offsets.append(len(members))
        if len(offsets) == 1:
            raise InputError("there is no ranking at all")
        return cls.from_arrays(
            names, offsets, members, buckets, weights, unranked=unranked, duplicates=duplicates
        )

    @classmethod
    def from_ranks(
        cls,
        matrix: Any,
        items: Iterable[Item] | None = None,
        *,
        weights: Any = None,
        unranked: Unranked = "unknown",
    ) -> Rankings:
        """Make rankings from rank vectors: row = ranking, column = item, 1 = best.

        Equal ranks are ties; 0 or NaN is an item that is not ranked. Ranks need not be
        consecutive.

        Args:
            matrix: An n × m array of ranks.
            items: The m names; "1" … "m" by default.
            weights: A number per ranking; 1 each by default.
            unranked: What a missing rank means, "unknown" or "last".

        Example:
            >>> Rankings.from_ranks([[1, 2, 3], [2, 1, 0]])
            Rankings(3 items, 2 rankings, partial)
        """
        ranks = _rank_table(matrix)
        n, m = ranks.shape
        names = [str(j + 1) for j in range(m)] if items is None else list(items)
        if len(names) != m:
            raise InputError(f"{len(names)} item names for {m} columns of ranks")
        offsets = np.zeros(n + 1, np.int64)
        top = int(ranks.max(initial=0))
        is_whole = ranks.dtype.kind != "f" or bool((ranks == np.rint(ranks)).all())
        if ranks.size > SMALL and top <= 4 * m + 64 and is_whole:
            from concordant._kernels import ballots

            members: Any = np.empty(np.count_nonzero(ranks), np.int32)
            buckets = np.empty_like(members)
            narrow = np.ascontiguousarray(ranks, np.int32)
            ballots.sort_rows(narrow, top, offsets, members, buckets)
        else:
            # Few ranks, or of any size, such as times: sorted by comparison, and numbered anew.
            by_rank = np.argsort(ranks, axis=1, kind="stable")
            in_order = np.take_along_axis(ranks, by_rank, axis=1)
            steps = np.zeros(ranks.shape, np.int32)
            steps[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
            kept = in_order > 0
            np.cumsum(kept.sum(axis=1), out=offsets[1:])
            members, buckets = by_rank[kept], np.cumsum(steps, axis=1)[kept]
        return cls.from_arrays(names, offsets, members, buckets, weights, unranked=unranked)

    @classmethod
    def from_frame(
        cls,
        frame: Any,
        *,
        voter: Item | None = None,
        item: Item | None = None,
        rank: Item | None = None,
        score: Item | None = None,
        weight: Item | None = None,
        layout: str = "auto",
        unranked: Unranked = "unknown",
        items: Iterable[Item] | None = None,
        duplicates: Duplicates = "error",
        **options: Any,
    ) -> Rankings:
        """Make rankings from a pandas, polars or pyarrow table.

        The layout is found from the names of the columns, in upper or lower case:

        - `long`: a row per voter and item, in columns `voter`, `item` and `rank` (1 = best; equal
          ranks tie) or `score` (highest = best). A missing rank says that the voter did not rank
          the item; a voter without any rank has an empty ballot.
        - `wide`: a row per voter and a column per item, holding ranks; 0 or a missing rank says
          that the item is not ranked.
        - `ballots`: a row per ballot and a column per rank (`rank1`, `Rank 2`, `3rd choice` …),
          holding items, as cast-vote files have them. A missing, "skipped" or "undervote" cell is
          passed over; an "overvote" ends the ballot. Other columns are ignored.

        Each may have a column of weights: `weight`, or `count` and the like for repeat counts,
        which then also count as that many rankings. In a long table a voter's weight is the same
        in all rows. In the other two each row is a ranking, and voters only appear in errors.
        Rows are counted from 1 in errors.

        Args:
            frame: The table. Lazy ones must be collected first.
            voter: The column that tells voters apart, where its name does not say so.
            item: The column of items (long).
            rank: The column of ranks (long).
            score: The column of scores, in place of `rank` (long).
            weight: The column of weights.
            layout: "long", "wide" or "ballots", where the columns do not tell.
            unranked: What leaving an item out means, "unknown" or "last".
            duplicates: What an item is that a voter has twice: an "error", or at its "first"
                place, the best of its ranks, with an `InputWarning`.
            items: All items, in the order that numbers them (wide: the columns to take). By
                default those that occur, in order of appearance. Numbers stay numbers.
            options: Further options of `concordant.read` for tables, such as `values`.

        Example:
            >>> import polars as pl
            >>> long = pl.DataFrame(
            ...     {"voter": [1, 1, 2, 2], "item": ["a", "b", "b", "a"], "rank": [1, 2, 1, 1]}
            ... )
            >>> Rankings.from_frame(long)
            Rankings(2 items, 2 rankings, ties)
            >>> wide = pl.DataFrame({"a": [1, 2], "b": [2, 1], "c": [None, 3], "count": [30, 1]})
            >>> Rankings.from_frame(wide)
            Rankings(3 items, 31 rankings, partial)
            >>> cast = pl.DataFrame({"1st choice": ["a", "c"], "2nd choice": ["b", "skipped"]})
            >>> [ranking for ranking, weight in Rankings.from_frame(cast)]
            [[('a',), ('b',)], [('c',)]]
        """
        # Imported here: a data frame library takes longer to load than all of the rest.
        from concordant.tables.frames import read_frame

        columns = {"voter": voter, "item": item, "rank": rank, "score": score, "weight": weight}
        table = read_frame(
            frame, columns, layout=layout, items=items, duplicates=duplicates, **options
        )
        if table.dropped.size:
            warn_of_repeats(table.dropped)
        return cls.from_arrays(*table.arrays, n_rankings=table.n_rankings, unranked=unranked)

    @classmethod
    def from_arrays(
        cls,
        items: Iterable[Item],
        offsets: Any,
        members: Any,
        buckets: Any,
        weights: Any = None,
        *,
        n_rankings: int | None = None,
        unranked: Unranked = "unknown",
        duplicates: Duplicates = "error",
    ) -> Rankings:
        """Make rankings from flat arrays: the fast way in, with the same checks.

        Args:
            items: The names of the items.
            offsets: Ranking r is `members[offsets[r]:offsets[r+1]]`.
            members: Item indices, best first.
            buckets: Of the same length: numbers that rise from one bucket to the next.
            weights: A number per ranking; 1 each by default.
            n_rankings: How many rankings these stand for, where weights are repeat counts.
            unranked: What leaving an item out means, "unknown" or "last".
            duplicates: What an item is that a ranking has twice: an "error", or at its "first"
                place, with an `InputWarning` that says how many places were dropped.

        Example:
            >>> Rankings.from_arrays("abc", [0, 3, 5], [2, 1, 0, 0, 1], [0, 1, 2, 0, 0])
            Rankings(3 items, 2 rankings, partial, ties)
        """
        names = tuple(items)
        index_items(names)
        check_unranked(unranked)
        if not names:
            raise InputError("there is no item to rank")
        offsets, members, buckets = check_fit(offsets, members, buckets)
        if check_duplicates(duplicates) == "first":
            offsets, members, buckets = drop_repeats(offsets, members, buckets)
        units, scale = check_weights(weights, offsets.size - 1)
        if n_rankings is None:
            n_rankings = offsets.size - 1
        arrays = distinct(names, offsets, members, buckets, units)
        return cls(names, *arrays, scale, int(n_rankings), unranked)

    # -- what it holds ---------------------------------------------------------------------

    @property
    def n_items(self) -> int:
        """The number of items, m."""
        return len(self.items)

    @property
    def n_distinct(self) -> int:
        """The number of different rankings."""
        return int(self.offsets.size - 1)

    @property
    def lengths(self) -> Int64:
        """How many items each distinct ranking ranks."""
        return np.diff(self.offsets)

    @property
    def weights(self) -> npt.NDArray[Any]:
        """The weight of each distinct ranking: integers where all are, else floats."""
        return self.units if self.scale == 1 else self.units / self.scale

    @property
    def exact_weights(self) -> list[Weight]:
        """The weight of each distinct ranking, exactly: an int, or a fraction where it is none."""
        units: list[int] = self.units.tolist()
        if self.scale == 1:
            return list(units)
        # Halves may have been added up to whole numbers.
        weights = [Fraction(unit, self.scale) for unit in units]
        return [int(weight) if weight.denominator == 1 else weight for weight in weights]

    @property
    def total_weight(self) -> int | float:
        """The sum of all weights: an int where all weights are integers."""
        total = int(self.units.sum())
        return total if self.scale == 1 else float(Fraction(total, self.scale))

    @property
    def is_complete(self) -> bool:
        """Whether every ranking places every item."""
        return self.unranked == "last" or bool((self.lengths == self.n_items).all())

    @property
    def has_ties(self) -> bool:
        """Whether some ranking ties items that it ranks (or leaves several out, as last)."""
        if self.unranked == "last" and bool((self.lengths < self.n_items - 1).any()):
            return True
        return self.has_ranked_ties

    @property
    def has_ranked_ties(self) -> bool:
        """Whether some ranking ties items that it ranks."""
        if self.members.size < 2:
            return False
        equal = self.buckets[1:] == self.buckets[:-1]
        starts = self.offsets[1:-1]
        inside = np.ones(self.members.size, bool)
        inside[starts[starts < self.members.size]] = False
        return bool((equal & inside[1:]).any())

    def __iter__(self) -> Iterator[tuple[list[tuple[Item, ...]], int | float]]:
        """Yield each distinct ranking as its buckets of item names, with its weight.

        Example:
            >>> for buckets, weight in Rankings.from_orders([["b", ("a", "c")]], items="abc"):
            ...     print(buckets, weight)
            [('b',), ('a', 'c')] 1
        """
        for ranking, weight in zip(self.numbered(), self.weights.tolist(), strict=True):
            yield [tuple(self.items[a] for a in bucket) for bucket in ranking], weight

    def numbered(self) -> Iterator[list[list[int]]]:
        """Yield each distinct ranking as its buckets of item numbers, from 0.

        Example:
            >>> list(Rankings.from_orders([["b", ("a", "c")], ["c"]], items="abc").numbered())
            [[[1], [0, 2]], [[2]]]
        """
        members, buckets = self.members.tolist(), self.buckets.tolist()
        for start, end in pairwise(self.offsets.tolist()):
            yield _split(members[start:end], buckets[start:end])

    def ranks(self) -> Int32:
        """Return the distinct rankings as rows of bucket ranks, 1 = best, 0 = not ranked.

        With `unranked="last"`, items left out share the rank behind all others.

        Example:
            >>> Rankings.from_orders([["b", ("a", "c")], ["c"]], items="abc").ranks().tolist()
            [[2, 1, 2], [0, 0, 1]]
        """
        matrix = np.zeros((self.n_distinct, self.n_items), np.int32)
        rows = np.repeat(np.arange(self.n_distinct), self.lengths)
        matrix[rows, self.members] = self.buckets + 1
        if self.unranked == "last":
            behind = matrix.max(axis=1, keepdims=True, initial=0) + 1
            matrix = np.where(matrix == 0, behind, matrix).astype(np.int32)
        return matrix

    def explicit(self) -> Rankings:
        """Return the same rankings with nothing implied by `unranked`.

        Where unranked items count as last, each ranking gets its last bucket written out.

        Example:
            >>> data = Rankings.from_orders([["b"]], items="abc", unranked="last")
            >>> [buckets for buckets, weight in data.explicit()]
            [[('b',), ('a', 'c')]]
        """
        if self.unranked == "unknown":
            return self
        ranks = self.ranks()
        by_rank = np.argsort(ranks, axis=1, kind="stable")
        arrays = distinct(
            self.items,
            np.arange(self.n_distinct + 1) * self.n_items,
            by_rank.ravel(),
            np.take_along_axis(ranks, by_rank, axis=1).ravel(),
            self.units,
        )
        return Rankings(self.items, *arrays, self.scale, self.n_rankings, "unknown")

    # -- equality and looks ----------------------------------------------------------------

    def _content(self, index: dict[Item, int]) -> dict[tuple[tuple[int, ...], ...], Fraction]:
        """Map each ranking, by the numbers of `index`, to its weight."""
        number = [index[item] for item in self.items]
        return {
            tuple(tuple(sorted(number[a] for a in bucket)) for bucket in ranking): Fraction(
                units, self.scale
            )
            for ranking, units in zip(self.numbered(), self.units.tolist(), strict=True)
        }

    def __eq__(self, other: object) -> bool:
        """Tell whether both hold the same rankings of the same items, in any order."""
        if not isinstance(other, Rankings):
            return NotImplemented
        if (
            self.unranked != other.unranked
            or self.n_distinct != other.n_distinct
            or set(self.items) != set(other.items)
        ):
            return False
        index = index_items(self.items)
        return self._content(index) == other._content(index)

    def __hash__(self) -> int:
        """Hash by what cannot differ between equal rankings."""
        weight = Fraction(int(self.units.sum()), self.scale)
        return hash((frozenset(self.items), self.n_distinct, weight, self.unranked))

    def _summary(self) -> str:
        def count(number: int, noun: str) -> str:
            return f"{number:,} {noun}{'' if number == 1 else 's'}"

        parts = [count(self.n_items, "item"), count(self.n_rankings, "ranking")]
        if self.total_weight != self.n_rankings:
            parts.append(f"weight {self.total_weight:,}")
        if self.unranked == "last":
            parts.append("unranked last")
        elif not self.is_complete:
            parts.append("partial")
        if self.has_ranked_ties:
            parts.append("ties")
        return ", ".join(parts)

    def __repr__(self) -> str:
        """Say the size and the kind in one line."""
        return f"Rankings({self._summary()})"

    def _repr_html_(self) -> str:
        """Show the heaviest rankings as a table in a notebook."""
        weights = self.weights
        rows = []
        for r in np.argsort(-self.units, kind="stable")[:10].tolist():
            span = slice(int(self.offsets[r]), int(self.offsets[r + 1]))
            buckets = _split(self.members[span].tolist(), self.buckets[span].tolist())
            text = " > ".join(
                " = ".join(str(self.items[a]) for a in bucket[:12]) + " = …" * (len(bucket) > 12)
                for bucket in buckets[:12]
            )
            text = html.escape(text or "(nothing)") + " …" * (len(buckets) > 12)
            rows.append(f"<tr><td>{weights[r]:,}</td><td>{text}</td></tr>")
        more = self.n_distinct - len(rows)
        if more:
            rows.append(f"<tr><td></td><td>… and {more:,} other rankings</td></tr>")
        return (
            f"<table><caption>{html.escape(self._summary())}</caption>"
            f"<tr><th>weight</th><th>ranking</th></tr>{''.join(rows)}</table>"
        )


def _split(members: list[int], numbers: list[int]) -> list[list[int]]:
    """Split the members of a ranking into its buckets."""
    ranking: list[list[int]] = []
    for member, number in zip(members, numbers, strict=True):
        if number == len(ranking):
            ranking.append([])
        ranking[-1].append(member)
    return ranking


def _tied(group: Any) -> Iterable[Item]:
    """Return the items of one place of an order."""
    if not isinstance(group, _TIE):
        return (group,)
    if isinstance(group, set | frozenset):
        # The order of a set differs from process to process; the numbers of new items, and
        # with them the ties that they break, must not.
        try:
            return sorted(group)
        except TypeError:
            return sorted(group, key=lambda item: (type(item).__name__, str(item)))
    return group


def index_items(items: Sequence[Item]) -> dict[Item, int]:
    """Number the items, which must differ.

    Example:
        >>> index_items(["x", "y"])
        {'x': 0, 'y': 1}
    """
    try:
        index = {item: number for number, item in enumerate(items)}
    except TypeError as error:
        raise InputError(f"an item name cannot be used: {error}") from None
    if len(index) < len(items):
        twice = next(item for number, item in enumerate(items) if index[item] != number)
        raise InputError(f"item {twice!r} is listed twice among the items")
    return index


def _rank_table(matrix: Any) -> npt.NDArray[Any]:
    """Return ranks as an n × m table of integers or floats, 0 where not ranked."""
    if isinstance(matrix, np.ma.MaskedArray):
        matrix = np.ma.filled(matrix.astype(np.float64), np.nan)
    try:
        ranks = np.asarray(matrix)
    except ValueError:
        lengths = [len(row) if hasattr(row, "__len__") else 1 for row in matrix]
        odd = next((r for r, length in enumerate(lengths) if length != lengths[0]), 0)
        raise InputError(
            f"ranking {odd + 1} has {lengths[odd]} ranks, ranking 1 has {lengths[0]}: every "
            "ranking needs one for each item (0 or NaN where it is not ranked)",
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
            f"(1 is best, 0 or NaN is not ranked)",
            ranking=int(row),
        )
    return ranks
