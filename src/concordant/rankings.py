"""`Rankings`: validated input, n rankings of m named items, with ties, gaps and weights."""

from __future__ import annotations

import html
import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from concordant.errors import InputError, SettingError

Item = Hashable
Unranked = Literal["unknown", "last"]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]

_TIE = (tuple, list, set, frozenset)
# Room for sums of weights over all pairs of items: see Pairwise, which checks the product.
_LARGEST = 2**62


def check_unranked(unranked: str) -> Unranked:
    """Return `unranked`, or say what it may be."""
    if unranked not in get_args(Unranked):
        raise SettingError(
            f"unranked must be 'unknown' (an unranked item says nothing) or 'last' "
            f"(tied behind all ranked ones), not {unranked!r}"
        )
    return unranked  # type: ignore[return-value]


def exact_units(values: Any, what: str = "weight") -> tuple[Int64, int]:
    """Scale numbers to integers exactly: `values == units / scale`.

    A float counts as the shortest decimal that reads back as it, so 0.1 is one tenth.

    Example:
        >>> units, scale = exact_units([0.5, 2, 1.25])
        >>> units.tolist(), scale
        ([50, 200, 125], 100)
    """
    array = np.asarray(values)
    if array.dtype.kind in "iub":
        if array.dtype.kind == "u" and array.size and int(array.max()) >= _LARGEST:
            raise InputError(f"{what} {int(array.max())} is too large to count exactly")
        return array.astype(np.int64), 1
    if array.dtype.kind == "O":
        try:
            exact = [Fraction(str(v)) if isinstance(v, float) else Fraction(v) for v in array.flat]
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"a {what} is not a number: {error}") from None
        scale = math.lcm(*(value.denominator for value in exact)) if exact else 1
        scaled = [int(value * scale) for value in exact]
        if any(abs(value) >= _LARGEST for value in scaled):
            raise InputError(f"a {what} needs more than 62 bits to be exact: round it first")
        return np.array(scaled, np.int64).reshape(array.shape), scale
    if array.dtype.kind != "f":
        raise InputError(f"a {what} must be a number, not {array.dtype}")
    array = array.astype(np.float64)
    if not np.isfinite(array).all():
        raise InputError(f"a {what} is not finite: {array[~np.isfinite(array)].flat[0]}")
    largest = float(np.abs(array).max(initial=0.0))
    for digits in range(17):
        scale = 10**digits
        if largest * scale >= _LARGEST:
            break
        scaled_floats = np.rint(array * scale)
        if (scaled_floats / scale == array).all():
            return scaled_floats.astype(np.int64), scale
    raise InputError(
        f"the {what}s cannot be scaled to integers exactly: round them to fewer decimals, "
        f"or give integers or fractions.Fraction"
    )


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

    # -- making one ------------------------------------------------------------------------

    @classmethod
    def from_orders(
        cls,
        orders: Iterable[Sequence[Any]],
        *,
        weights: Any = None,
        items: Iterable[Item] | None = None,
        unranked: Unranked = "unknown",
    ) -> Rankings:
        """Make rankings from lists of items, best first; tied items in an inner list.

        Args:
            orders: One sequence per ranking. An element that is a tuple, list or set holds
                tied items. Items may be left out.
            weights: A number per ranking; 1 each by default.
            items: All items, in the order that numbers them; by default those that occur,
                in order of appearance.
            unranked: What leaving an item out means, "unknown" or "last".

        Example:
            >>> Rankings.from_orders([["a", "b"], [{"a", "b"}], []], items="abc")
            Rankings(3 items, 3 rankings, partial, ties)
        """
        names: list[Item] = []
        index: dict[Item, int] = {}
        if items is not None:
            names = list(items)
            index = _index_items(names)
        offsets, members, buckets = [0], [], []
        for number, order in enumerate(orders, start=1):
            if isinstance(order, str | bytes) or not isinstance(order, Iterable):
                raise InputError(
                    f"ranking {number} must be a list of items, best first, not {order!r}"
                )
            for bucket, group in enumerate(order):
                for item in group if isinstance(group, _TIE) else (group,):
                    try:
                        position = index.get(item)
                    except TypeError:
                        raise InputError(
                            f"ranking {number}: {item!r} cannot name an item (it is not hashable)"
                        ) from None
                    if position is None:
                        if items is not None:
                            raise InputError(f"ranking {number}: unknown item {item!r}")
                        position = index[item] = len(names)
                        names.append(item)
                    members.append(position)
                    buckets.append(bucket)
            offsets.append(len(members))
        return cls.from_arrays(names, offsets, members, buckets, weights, unranked=unranked)

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
        ranks = np.asarray(matrix)
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
            ranks = np.where(np.isnan(ranks), 0.0, ranks)
        bad = np.argwhere((ranks < 0) | ~np.isfinite(ranks))
        if bad.size:
            row, column = bad[0]
            raise InputError(
                f"ranking {row + 1}, item {column + 1}: {ranks[row, column]} is not a rank "
                f"(1 is best, 0 or NaN is not ranked)"
            )
        names = [str(j + 1) for j in range(ranks.shape[1])] if items is None else list(items)
        if len(names) != ranks.shape[1]:
            raise InputError(f"{len(names)} item names for {ranks.shape[1]} columns of ranks")
        ranked = ranks > 0
        by_rank = np.argsort(np.where(ranked, ranks, np.inf), axis=1, kind="stable")
        in_order = np.take_along_axis(ranks, by_rank, axis=1)
        kept = np.take_along_axis(ranked, by_rank, axis=1)
        steps = np.zeros(in_order.shape, np.int32)
        steps[:, 1:] = in_order[:, 1:] != in_order[:, :-1]
        offsets = np.concatenate([[0], np.cumsum(ranked.sum(axis=1))])
        return cls.from_arrays(
            names,
            offsets,
            by_rank[kept],
            np.cumsum(steps, axis=1)[kept],
            weights,
            unranked=unranked,
        )

    @classmethod
    def from_frame(cls, frame: Any, **options: Any) -> Rankings:
        """Make rankings from a pandas or polars frame, long or wide.

        See `concordant.frames.rankings_from_frame` for the shapes and options.
        """
        from concordant.frames import rankings_from_frame

        return rankings_from_frame(frame, **options)

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

        Example:
            >>> Rankings.from_arrays("abc", [0, 3, 5], [2, 1, 0, 0, 1], [0, 1, 2, 0, 0])
            Rankings(3 items, 2 rankings, partial, ties)
        """
        names = tuple(items)
        _index_items(names)
        check_unranked(unranked)
        offsets = np.ascontiguousarray(offsets, np.int64)
        if not names:
            raise InputError("there is no item to rank")
        if offsets.size < 2:
            raise InputError("there is no ranking at all")
        members = np.array(members, np.int32)
        buckets = np.array(buckets, np.int32)
        units, scale = _check_weights(weights, offsets.size - 1)
        _check_rankings(names, offsets, members, buckets)
        if n_rankings is None:
            n_rankings = offsets.size - 1
        offsets, members, buckets, units = _merge(offsets, members, buckets, units)
        for array in (offsets, members, buckets, units):
            array.flags.writeable = False
        return cls(names, offsets, members, buckets, units, scale, int(n_rankings), unranked)

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
        return self._has_ranked_ties

    @property
    def _has_ranked_ties(self) -> bool:
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
        weights = self.weights.tolist()
        for r in range(self.n_distinct):
            ranking: list[list[Item]] = []
            for i in range(int(self.offsets[r]), int(self.offsets[r + 1])):
                if self.buckets[i] == len(ranking):
                    ranking.append([])
                ranking[-1].append(self.items[self.members[i]])
            yield [tuple(bucket) for bucket in ranking], weights[r]

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
        return Rankings.from_arrays(
            self.items,
            np.arange(self.n_distinct + 1) * self.n_items,
            by_rank.ravel(),
            np.take_along_axis(ranks, by_rank, axis=1).ravel(),
            self.weights if self.scale == 1 else [Fraction(int(u), self.scale) for u in self.units],
            n_rankings=self.n_rankings,
        )

    # -- equality and looks ----------------------------------------------------------------

    def _content(self, index: dict[Item, int]) -> dict[tuple[tuple[int, ...], ...], Fraction]:
        """Map each ranking, by the numbers of `index`, to its weight."""
        content: dict[tuple[tuple[int, ...], ...], Fraction] = {}
        number = [index[item] for item in self.items]
        for r in range(self.n_distinct):
            start, end = int(self.offsets[r]), int(self.offsets[r + 1])
            ranking: list[list[int]] = []
            for member, bucket in zip(
                self.members[start:end].tolist(), self.buckets[start:end].tolist(), strict=True
            ):
                if bucket == len(ranking):
                    ranking.append([])
                ranking[-1].append(number[member])
            key = tuple(tuple(sorted(bucket)) for bucket in ranking)
            content[key] = Fraction(int(self.units[r]), self.scale)
        return content

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
        index = _index_items(self.items)
        return self._content(index) == other._content(index)

    def __hash__(self) -> int:
        """Hash by what cannot differ between equal rankings."""
        return hash((frozenset(self.items), self.n_distinct, self.total_weight, self.unranked))

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
        if self._has_ranked_ties:
            parts.append("ties")
        return ", ".join(parts)

    def __repr__(self) -> str:
        """Say the size and the kind in one line."""
        return f"Rankings({self._summary()})"

    def _repr_html_(self) -> str:
        """Show the heaviest rankings as a table in a notebook."""
        heaviest = np.argsort(-self.units, kind="stable")[:10].tolist()
        shown = dict(enumerate(self)) if self.n_distinct <= 1000 else {}
        rows = []
        for r in heaviest if shown else []:
            buckets, weight = shown[r]
            text = " &gt; ".join(
                html.escape(" = ".join(str(item) for item in bucket)) for bucket in buckets[:12]
            )
            more = " …" if len(buckets) > 12 else ""
            rows.append(f"<tr><td>{weight:,}</td><td>{text or '(nothing)'}{more}</td></tr>")
        body = f"<tr><th>weight</th><th>ranking</th></tr>{''.join(rows)}" if rows else ""
        return f"<table><caption>{html.escape(self._summary())}</caption>{body}</table>"


def _index_items(items: Sequence[Item]) -> dict[Item, int]:
    """Number the items, which must differ, also when printed."""
    try:
        index = {item: number for number, item in enumerate(items)}
    except TypeError as error:
        raise InputError(f"an item name cannot be used: {error}") from None
    if len(index) < len(items):
        twice = next(item for number, item in enumerate(items) if index[item] != number)
        raise InputError(f"item {twice!r} is listed twice among the items")
    return index


def _check_weights(weights: Any, n: int) -> tuple[Int64, int]:
    if weights is None:
        return np.ones(n, np.int64), 1
    units, scale = exact_units(weights)
    if units.shape != (n,):
        raise InputError(f"{units.size} weights for {n} rankings")
    if (units < 0).any():
        r = int(np.argmax(units < 0))
        raise InputError(f"ranking {r + 1}: weight {units[r] / scale:g} is negative")
    if n * int(units.max(initial=0)) >= _LARGEST and sum(units.tolist()) >= _LARGEST:
        raise InputError("the weights add up to more than can be counted exactly (2**62)")
    return units, scale


def _check_rankings(
    names: tuple[Item, ...], offsets: Int64, members: Int32, buckets: Int32
) -> None:
    from concordant._kernels import ballots

    if (
        members.shape != buckets.shape
        or offsets[0] != 0
        or offsets[-1] != members.size
        or (np.diff(offsets) < 0).any()
    ):
        raise InputError("offsets, members and buckets do not fit together")
    fault, r, item = ballots.check(offsets, members, buckets, len(names))
    if fault == ballots.BAD_ITEM:
        raise InputError(f"ranking {r + 1}: there is no item number {item}", ranking=r)
    if fault == ballots.TWICE:
        raise InputError(f"ranking {r + 1}: item {names[item]!r} is ranked twice", ranking=r)
    if fault == ballots.BUCKETS_FALL:
        raise InputError(f"ranking {r + 1}: the bucket numbers fall", ranking=r)


def _merge(
    offsets: Int64, members: Int32, buckets: Int32, units: Int64
) -> tuple[Int64, Int32, Int32, Int64]:
    """Keep equal rankings once, where the first one stood, with their weights added up."""
    from concordant._kernels import ballots

    tied = np.flatnonzero(buckets[1:] == buckets[:-1])
    if tied.size:
        # A bucket has no order inside: sort it, so that equal rankings look the same.
        rows = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
        members = members[np.lexsort((members, buckets, rows))]
    hashed = ballots.hashes(offsets, members, buckets)
    by_hash = np.argsort(hashed, kind="stable")
    first = ballots.group_equal(offsets, members, buckets, hashed, by_hash)
    keep = np.flatnonzero(first == np.arange(first.size))
    if keep.size == first.size:
        return offsets, members, buckets, units
    summed = np.zeros(first.size, np.int64)
    np.add.at(summed, first, units)
    offsets, members, buckets = ballots.gather(offsets, members, buckets, keep)
    return offsets, members, buckets, summed[keep]
