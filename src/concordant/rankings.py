"""`Rankings`: validated input, n rankings of m named items, with ties, gaps and weights."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Generic, Unpack, overload

import numpy as np
import numpy.typing as npt

from concordant._checks import check_duplicates
from concordant._checks import check_unranked as check_unranked
from concordant._types import Duplicates, Int32, Int64, N, Name, OrderOptions, Orders
from concordant._types import Item as Item
from concordant._types import Unranked as Unranked
from concordant.as_one import check_merge, merge_items
from concordant.errors import InputError
from concordant.looks import notebook, summary
from concordant.merging import (
    check_fit,
    check_ranks,
    distinct,
    drop_repeats,
    sort_ranks,
    warn_of_repeats,
)
from concordant.orders import has_default_labels as has_default_labels
from concordant.orders import index_items as index_items
from concordant.orders import number_orders
from concordant.selection import (
    all_rankings,
    explicit,
    is_same,
    join,
    of_items,
    of_voters,
    one_ranking,
    ranks_of,
    split_buckets,
    take,
)
from concordant.units import Weight, check_weights, exact_weight
from concordant.units import exact_units as exact_units
from concordant.voters import Ranking, Voters, check_voters

if TYPE_CHECKING:
    import polars as pl

    from concordant._reading import FrameOptions
    from concordant._types import BattleOptions, Battles


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Rankings(Generic[Name]):
    """Rankings of the same items: complete or partial, with ties and weights. Immutable.

    Make one with `from_orders`, `from_ranks`, `from_frame`, `from_battles` or
    `concordant.read`. Equal rankings are kept once, with the sum of their weights.

    Iteration, `len(data)`, `data[k]` and slices go through the voters, if their names are known,
    else through the distinct rankings. `data + other` joins two sets of rankings.

    Attributes:
        items: The names of the items.
        n_rankings: The number of rankings given, equal ones and empty ones included. In a
            file of ballots with repeat counts, this is the number of ballots.
        n_voters: The number of voters, which a bootstrap draws in each sample. Whole weights
            are repeat counts: the voters are the total weight. If any weight has a fraction,
            each ranking given is one voter, and the weights say how much each counts.
        unranked: What leaving an item out means: "unknown" (no opinion), "last" (tied behind all).
        offsets, members, buckets: The distinct rankings. Ranking r holds the item indices
            `members[offsets[r]:offsets[r+1]]`, best first; `buckets` numbers their ties.
        units, scale: The weight of ranking r is `units[r] / scale`, exactly.
        known: The voters, if their names are known; else None.

    Example:
        >>> data = Rankings.from_orders([["a", "b", "c"], ["b", ("a", "c")]], weights=[3, 1])
        >>> data
        Rankings(3 items, 2 rankings, weight 4, ties)
        >>> data.n_items, data.n_rankings, data.total_weight, data.items
        (3, 2, 4, ('a', 'b', 'c'))
    """

    items: tuple[Name, ...]
    offsets: Int64
    members: Int32
    buckets: Int32
    units: Int64
    scale: int
    n_rankings: int
    unranked: Unranked
    n_voters: int
    known: Voters | None = None

    def __post_init__(self) -> None:
        for array in (self.offsets, self.members, self.buckets, self.units):
            array.flags.writeable = False

    def __reduce__(self) -> tuple[Any, ...]:
        # Copies and pickles go through the constructor, so that their arrays are read-only too.
        return Rankings, tuple(getattr(self, field.name) for field in fields(self))

    @overload
    @classmethod
    def from_orders(cls, orders: Orders[str], **how: Unpack[OrderOptions]) -> Rankings[str]: ...
    @overload
    @classmethod
    def from_orders(cls, orders: Orders[N], **how: Unpack[OrderOptions]) -> Rankings[N]: ...
    @overload
    @classmethod
    def from_orders(cls, orders: Iterable[Any], **how: Unpack[OrderOptions]) -> Rankings: ...
    @classmethod
    def from_orders(
        cls,
        orders: Iterable[Any],
        *,
        weights: Any = None,
        items: Iterable[Item] | None = None,
        unranked: Unranked = "unknown",
        duplicates: Duplicates = "error",
        voters: Iterable[Item | None] | None = None,
    ) -> Rankings:
        """Make rankings from lists of items, best first; tied items in an inner list.

        Args:
            orders: One sequence per ranking. An element that is a tuple, list or set holds
                tied items. Items may be left out.
            weights: A number per ranking; 1 each by default.
            items: All items, in the order that numbers them; by default those that occur,
                in order of appearance.
            unranked: What leaving an item out means, "unknown" or "last".
            duplicates: What to do if a ranking has an item twice: raise an "error", or keep its
                "first" place, with an `InputWarning` that counts the places dropped.
            voters: The name of the voter of each ranking, if known.

        Example:
            >>> Rankings.from_orders([["a", "b"], [{"a", "b"}], []], items="abc")
            Rankings(3 items, 3 rankings, partial, ties)
            >>> Rankings.from_orders([["a", "b"], ["b", "a"]], voters=["Ann", "Bo"]).voters
            ('Ann', 'Bo')
        """
        arrays = number_orders(orders, items)
        how: Any = {"unranked": unranked, "duplicates": duplicates, "voters": voters}
        return cls.from_arrays(*arrays, weights, **how)

    @classmethod
    def from_ranks(
        cls,
        matrix: Any,
        items: Iterable[N] | None = None,
        *,
        weights: Any = None,
        unranked: Unranked = "unknown",
        voters: Iterable[Item | None] | None = None,
    ) -> Rankings[N]:
        """Make rankings from rank vectors: row = ranking, column = item, 1 = best.

        Equal ranks are ties; 0 or NaN is an item that is not ranked. Ranks may have gaps.

        Args:
            matrix: An n × m array of ranks.
            items: The m names; "1" … "m" by default.
            weights: A number per ranking; 1 each by default.
            unranked: What a missing rank means, "unknown" or "last".
            voters: The name of the voter of each row, if known.

        Example:
            >>> Rankings.from_ranks([[1, 2, 3], [2, 1, 0]])
            Rankings(3 items, 2 rankings, partial)
        """
        ranks = check_ranks(matrix)
        m = ranks.shape[1]
        names: list[Any] = [str(j + 1) for j in range(m)] if items is None else list(items)
        if len(names) != m:
            raise InputError(f"{len(names)} item names for {m} columns of ranks")
        return cls.from_arrays(names, *sort_ranks(ranks), weights, unranked=unranked, voters=voters)

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
        **options: Unpack[FrameOptions],
    ) -> Rankings:
        """Make rankings from a pandas, polars or pyarrow table.

        The column names show the layout, in upper or lower case:

        - `long`: a row per voter and item, in columns `voter`, `item` and `rank` (1 = best; equal
          ranks tie) or `score` (highest = best). A missing rank means that the voter did not rank
          the item; a voter without any rank has an empty ballot.
        - `wide`: a row per voter and a column per item, holding ranks; 0 or a missing rank means
          that the item is not ranked.
        - `ballots`: a row per ballot and a column per rank (`rank1`, `Rank 2`, `3rd choice` …),
          holding items. A missing cell is ignored; an "overvote" ends the ballot.

        Each may have a column of weights: `weight`, or `count` and similar names for repeat counts
        (the count 3 is 3 rankings; a count with a fraction is 1 ranking). Up to 100,000 names of
        voters, from their column or a pandas index, become `voters`.

        Args:
            frame: The table. Collect a lazy one first.
            voter: The column of voters, if its name is unusual.
            item: The column of items (long).
            rank: The column of ranks (long).
            score: The column of scores, in place of `rank` (long).
            weight: The column of weights.
            layout: "long", "wide" or "ballots", if the column names do not show it.
            unranked: What leaving an item out means, "unknown" or "last".
            duplicates: What to do if a voter ranks an item twice: raise an "error", or keep its
                "first" place (the best of its ranks), with an `InputWarning`.
            items: All items, in the order that numbers them (wide: the columns to take). By
                default those that occur, in order of appearance. Numbers stay numbers.
            options: Further options of `concordant.read` for tables, such as `values` and `merge`.

        Example:
            >>> import polars as pl
            >>> votes = {"voter": [1, 1, 2, 2], "item": ["a", "b", "b", "a"], "rank": [1, 2, 1, 1]}
            >>> Rankings.from_frame(pl.DataFrame(votes))
            Rankings(2 items, 2 rankings, ties)
            >>> wide = pl.DataFrame({"a": [1, 2], "b": [2, 1], "c": [None, 3], "count": [30, 1]})
            >>> Rankings.from_frame(wide)
            Rankings(3 items, 31 rankings, partial)
        """
        # Imported here: a data frame library takes longer to load than everything else.
        from concordant.tables.frames import read_frame

        merge = options.pop("merge", None)
        columns = {"voter": voter, "item": item, "rank": rank, "score": score, "weight": weight}
        table = read_frame(
            frame, columns, layout=layout, items=items, duplicates=duplicates, **options
        )
        if table.dropped.size:
            warn_of_repeats(table.dropped)
        found = cls.from_arrays(
            *table.arrays, n_rankings=table.n_rankings, unranked=unranked, voters=table.named()
        )
        return found.merged(merge) if merge else found

    @overload
    @classmethod
    def from_battles(cls, battles: Battles, **how: Unpack[BattleOptions]) -> Rankings[str]: ...
    @overload
    @classmethod
    def from_battles(cls, battles: Any, **how: Unpack[BattleOptions]) -> Rankings: ...
    @classmethod
    def from_battles(
        cls,
        battles: Any,
        *,
        weights: Any = None,
        winner: Item | None = None,
        loser: Item | None = None,
        left: Item | None = None,
        right: Item | None = None,
        outcome: Item | None = None,
        left_points: Item | None = None,
        right_points: Item | None = None,
        weight: Item | None = None,
        voter: Item | None = None,
        outcomes: str | Mapping[Any, str] | None = None,
        items: Iterable[Item] | None = None,
        merge: Mapping[Item, Iterable[Item]] | None = None,
    ) -> Rankings:
        """Make rankings of two items from battles, each with a winner or a tie.

        An outcome is the name of the winner or of its column; a, b; left, right; home, away; win,
        loss or draw of the left side; 1, 2; 1, 0, 0.5; X; tie; a result such as 2:1; and similar
        words. A tie costs nothing. Rows count from 1 in errors.

        Args:
            battles: Tuples (winner, loser) or (left, right, outcome), or a frame with columns of
                such names, or with two sides and their goals or points.
            weights: A number per battle, if `battles` are tuples.
            winner: The column of winners, if its name does not show it; so are the next ones.
            loser: The column of losers.
            left: The column of one side.
            right: The column of the other side.
            outcome: The column that says who won.
            left_points: The column of the left side's points; the higher number wins.
            right_points: The column of the right side's points.
            weight: The column of weights.
            voter: The column that names who judged the battle.
            outcomes: What outcomes are, if two readings are possible: "items" or "sides", or a
                mapping of words to "left", "right" and "tie".
            items: All items, in the order that numbers them; by default those that occur.
            merge: Items to read as one; see `merged`.

        Raises:
            InputError: A row has an unknown outcome, no item, one item twice, or two readings.

        Example:
            >>> data = Rankings.from_battles([("gpt", "llama", "a"), ("qwen", "gpt", "tie")])
            >>> [ranking.buckets for ranking in data]
            [[('gpt',), ('llama',)], [('gpt', 'qwen')]]
            >>> Rankings.from_battles([("x", "y"), ("y", "z")], weights=[3, 1]).total_weight
            4
        """
        from concordant.battles import read_battles

        columns = {"winner": winner, "loser": loser, "left": left, "right": right}
        columns |= {"outcome": outcome, "left_points": left_points, "right_points": right_points}
        columns |= {"weight": weight, "voter": voter}
        table = read_battles(battles, columns, weights, outcomes, items)
        found = cls.from_arrays(*table.arrays, n_rankings=table.n_rankings, voters=table.named())
        return found.merged(merge) if merge else found

    @classmethod
    def from_arrays(
        cls: type[Rankings],
        items: Iterable[N],
        offsets: Any,
        members: Any,
        buckets: Any,
        weights: Any = None,
        *,
        n_rankings: int | None = None,
        n_voters: int | None = None,
        unranked: Unranked = "unknown",
        duplicates: Duplicates = "error",
        voters: Iterable[Item | None] | None = None,
    ) -> Rankings[N]:
        """Make rankings from flat arrays: the fastest way, with the same checks.

        Args:
            items: The names of the items.
            offsets: Ranking r is `members[offsets[r]:offsets[r+1]]`.
            members: Item indices, best first.
            buckets: Of the same length: numbers that rise from one bucket to the next.
            weights: A number per ranking; 1 each by default.
            n_rankings: The number of rankings that these stand for, if weights are repeat counts.
            n_voters: The number of voters; by default the total weight if all weights are whole
                numbers, else `n_rankings`.
            unranked: What leaving an item out means, "unknown" or "last".
            duplicates: What to do if a ranking has an item twice: raise an "error", or keep its
                "first" place, with an `InputWarning` that counts the places dropped.
            voters: The name of the voter of each ranking, if known.

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
        if n_voters is None:
            n_voters = n_rankings if (units % scale).any() else int(units.sum()) // scale
        named = check_voters(voters, units.size)
        which = None if named is None else np.empty(units.size, np.int64)
        arrays = distinct(names, offsets, members, buckets, units, which)
        known = None if named is None or which is None else Voters(named, which, units)
        return cls(names, *arrays, scale, int(n_rankings), unranked, int(n_voters), known)

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
        """The number of items in each distinct ranking."""
        return np.diff(self.offsets)

    @property
    def weights(self) -> npt.NDArray[Any]:
        """The weight of each distinct ranking: integers if all are whole, else floats."""
        return self.units if self.scale == 1 else self.units / self.scale

    @property
    def exact_weights(self) -> list[Weight]:
        """The exact weight of each distinct ranking: an int if it is whole, else a Fraction."""
        units: list[Weight] = self.units.tolist()
        return units if self.scale == 1 else [exact_weight(int(u), self.scale) for u in self.units]

    @property
    def total_weight(self) -> int | float:
        """The sum of all weights: an int if all weights are integers."""
        total = int(self.units.sum())
        return total if self.scale == 1 else float(Fraction(total, self.scale))

    @property
    def is_complete(self) -> bool:
        """Whether every ranking places every item."""
        return self.unranked == "last" or bool((self.lengths == self.n_items).all())

    @property
    def has_ties(self) -> bool:
        """Whether some ranking ties items that it ranks (or leaves several out, as last)."""
        left_out = self.unranked == "last" and bool((self.lengths < self.n_items - 1).any())
        return left_out or self.has_ranked_ties

    @property
    def has_ranked_ties(self) -> bool:
        """Whether some ranking ties items that it ranks."""
        filled = self.offsets[1:][self.lengths > 0]
        return int(self.buckets[filled - 1].sum()) + filled.size < self.members.size

    @property
    def voters(self) -> tuple[Item | None, ...] | None:
        """The names of the voters, one per ranking, None where unknown; None if all are."""
        return None if self.known is None else self.known.names

    def __iter__(self) -> Iterator[Ranking]:
        """Yield each ranking as its buckets of item names, with its weight.

        If the voters have names, there is one ranking per voter, else one per distinct ranking.

        Example:
            >>> for buckets, weight in Rankings.from_orders([["b", ("a", "c")]], items="abc"):
            ...     print(buckets, weight)
            [('b',), ('a', 'c')] 1
            >>> votes = Rankings.from_orders([["a"], ["a"]], voters=["Ann", "Bo"])
            >>> [(ranking.voter, ranking.buckets) for ranking in votes]
            [('Ann', [('a',)]), ('Bo', [('a',)])]
        """
        return all_rankings(self)

    def __len__(self) -> int:
        """Return the number of voters whose names are known, else of distinct rankings.

        Example:
            >>> orders = [["a", "b"], ["a", "b"], ["b", "a"]]
            >>> len(Rankings.from_orders(orders, voters="xyz")), len(Rankings.from_orders(orders))
            (3, 2)
        """
        return self.n_distinct if self.known is None else len(self.known.names)

    @overload
    def __getitem__(self, index: int) -> Ranking: ...
    @overload
    def __getitem__(self, index: slice) -> Rankings[Name]: ...
    def __getitem__(self, index: int | slice) -> Ranking | Rankings[Name]:
        """Return one ranking, or the rankings of a slice; see `__iter__`.

        Example:
            >>> votes = Rankings.from_orders([["a", "b"], ["b", "a"]], voters=["Ann", "Bo"])
            >>> votes[1]
            Ranking([('b',), ('a',)], weight=1, voter='Bo')
            >>> votes[:1].voters
            ('Ann',)
        """
        if isinstance(index, slice):
            return take(self, np.arange(len(self))[index])
        return one_ranking(self, range(len(self))[operator.index(index)])

    def subset(
        self, *, items: Iterable[Item] | None = None, voters: Iterable[Item] | None = None
    ) -> Rankings[Name]:
        """Return the rankings of some items, of some voters, or both.

        Args:
            items: The items to keep, in the order that numbers them. A ranking without any of
                them stays as an empty ranking.
            voters: The names of the voters to keep, in any order. All rankings of a name stay.

        Raises:
            InputError: An item or a voter is unknown, or the voters have no names.

        Example:
            >>> votes = Rankings.from_orders([["a", "b", "c"], ["c", "a"]], voters=["Ann", "Bo"])
            >>> [ranking.buckets for ranking in votes.subset(items=["c", "a"])]
            [[('a',), ('c',)], [('c',), ('a',)]]
            >>> votes.subset(voters=["Bo"])[0]
            Ranking([('c',), ('a',)], weight=1, voter='Bo')
        """
        data = self if voters is None else of_voters(self, voters)
        return data if items is None else of_items(data, items)

    def merged(self, names: Mapping[Item, Iterable[Item]]) -> Rankings:
        """Return the rankings with several items read as one, such as versions of a model.

        A ranking that has several of them keeps the best place. If no ranking has more than two
        items, they are battles, and those between items that are one are left out.

        Args:
            names: Each new name with the items that get it.

        Raises:
            InputError: An item is unknown, or no ranking is left.

        Example:
            >>> votes = Rankings.from_orders([["a1", "b", "a2"], ["b", "a2"]])
            >>> [ranking.buckets for ranking in votes.merged({"a": ["a1", "a2"]})]
            [[('a',), ('b',)], [('b',), ('a',)]]
        """
        return merge_items(self, check_merge(names)).data

    def __add__(self, other: object) -> Rankings:
        """Join the rankings of two sets, and their items.

        Both must have the same `unranked`. Rankings leave out the items of the other set.

        Example:
            >>> one, two = Rankings.from_orders([["a", "b"]]), Rankings.from_orders([["c", "a"]])
            >>> (one + two).items
            ('a', 'b', 'c')
        """
        return join(self, other) if isinstance(other, Rankings) else NotImplemented

    def __radd__(self, other: object) -> Rankings:
        """Let `sum`, which starts from 0, join rankings."""
        return self if isinstance(other, int) and other == 0 else NotImplemented

    def numbered(self) -> Iterator[list[list[int]]]:
        """Yield each distinct ranking as its buckets of item numbers, from 0.

        Example:
            >>> list(Rankings.from_orders([["b", ("a", "c")], ["c"]], items="abc").numbered())
            [[[1], [0, 2]], [[2]]]
        """
        members, buckets = self.members.tolist(), self.buckets.tolist()
        for start, end in pairwise(self.offsets.tolist()):
            yield split_buckets(members[start:end], buckets[start:end])

    def ranks(self) -> Int32:
        """Return the distinct rankings as rows of bucket ranks, 1 = best, 0 = not ranked.

        With `unranked="last"`, items left out share the rank behind all others.

        Example:
            >>> Rankings.from_orders([["b", ("a", "c")], ["c"]], items="abc").ranks().tolist()
            [[2, 1, 2], [0, 0, 1]]
        """
        return ranks_of(self)

    def to_frame(self) -> pl.DataFrame:
        """Return the rankings as a polars frame, with columns voter, item, rank and weight.

        `from_frame` returns equal rankings. The first voter has a row for each item, with an empty
        rank where the item is not ranked; the others have a row for each item that they rank, or
        one row without item. Voters are numbered from 1 unless all have different names. Weights
        are texts such as "1/3" where no decimal is exact.

        Example:
            >>> votes = Rankings.from_orders([["b", "a"], ["a"]], voters=["Ann", "Bo"])
            >>> votes.to_frame().rows()
            [('Ann', 'b', 1, 1), ('Ann', 'a', 2, 1), ('Bo', 'a', 1, 1)]
        """
        from concordant.tables.writing import to_long

        return to_long(self)

    def explicit(self) -> Rankings[Name]:
        """Return the same rankings in a form that does not depend on `unranked`.

        If unranked items count as last, each ranking gets them as its last bucket.

        Example:
            >>> data = Rankings.from_orders([["b"]], items="abc", unranked="last")
            >>> [buckets for buckets, weight in data.explicit()]
            [[('b',), ('a', 'c')]]
        """
        return explicit(self)

    def __eq__(self, other: object) -> bool:
        """Return whether both have the same rankings, items and number of voters.

        The order of the rankings and of the items does not matter, nor do the names of the voters.
        """
        return is_same(self, other) if isinstance(other, Rankings) else NotImplemented

    def __hash__(self) -> int:
        """Hash what equal rankings have in common."""
        weight = Fraction(int(self.units.sum()), self.scale)
        return hash((frozenset(self.items), self.n_distinct, weight, self.unranked))

    def __repr__(self) -> str:
        """Describe the size and the kind in one line."""
        return f"Rankings({summary(self)})"

    def _repr_html_(self) -> str:
        """Show the rankings with the largest weights as a table in a notebook."""
        return notebook(self)
