"""The voters of rankings: their names, and which ranking each of them gave."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from concordant._types import Int64, Item
from concordant.errors import InputError

# Readers of files and frames name at most this number of voters. Names of more would take longer
# to read than their rankings, and no plot can show them.
MOST_NAMED = 100_000


@dataclass(frozen=True, slots=True, eq=False)
class Voters:
    """The voters of rankings that are merged where they are equal, in the order of the input.

    Attributes:
        names: The name of each voter; None where it is not known.
        which: The number of the distinct ranking that each voter gave.
        units: The weight of each voter, in the units of the rankings.
    """

    names: tuple[Item | None, ...]
    which: Int64
    units: Int64

    def __post_init__(self) -> None:
        for array in (self.which, self.units):
            array.flags.writeable = False


def check_voters(voters: Iterable[Item | None] | None, n: int) -> tuple[Item | None, ...] | None:
    """Return the names of the voters of n rankings; None where no name is known.

    Names may occur several times.

    Example:
        >>> check_voters(["Ann", None, float("nan")], 3), check_voters([None], 1)
        (('Ann', None, None), None)
    """
    if voters is None:
        return None
    if not isinstance(voters, Iterable):
        raise InputError(f"voters must be a list of names, one per ranking, not {voters!r}")
    names = tuple(voters)
    if len(names) != n:
        raise InputError(f"{len(names):,} names of voters for {n:,} rankings: give one per ranking")
    for name in names:
        try:
            hash(name)
        except TypeError:
            raise InputError(f"{name!r} cannot name a voter (it is not hashable)") from None
    names = tuple(None if is_missing(name) else name for name in names)
    return names if any(name is not None for name in names) else None


def is_missing(value: Any) -> bool:
    """Return whether a value is NaN, NaT or NA, which do not equal themselves.

    Example:
        >>> is_missing(float("nan")), is_missing("nan"), is_missing(None)
        (True, False, False)
    """
    try:
        return bool(value != value)
    except TypeError:
        return True


class Ranking(tuple[list[tuple[Item, ...]], int | float]):
    """One ranking and its weight: a pair that also names the voter.

    Attributes:
        buckets: The items, best first, in tuples of tied items.
        weight: The weight.
        voter: The name of the voter; None where it is not known.

    Example:
        >>> ranking = Ranking([("a",), ("b", "c")], 2, "Ann")
        >>> ranking
        Ranking([('a',), ('b', 'c')], weight=2, voter='Ann')
        >>> buckets, weight = ranking
        >>> ranking.buckets == buckets, ranking.weight == weight, ranking.voter
        (True, True, 'Ann')
    """

    voter: Item | None

    def __new__(
        cls, buckets: list[tuple[Item, ...]], weight: int | float, voter: Item | None = None
    ) -> Ranking:
        """Make a pair of the buckets and the weight."""
        self = super().__new__(cls, (buckets, weight))
        self.voter = voter
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (*self, self.voter)

    @property
    def buckets(self) -> list[tuple[Item, ...]]:
        """The items, best first, in tuples of tied items."""
        return self[0]

    @property
    def weight(self) -> int | float:
        """The weight."""
        return self[1]

    def __repr__(self) -> str:
        """Show the ranking, its weight and its voter."""
        voter = "" if self.voter is None else f", voter={self.voter!r}"
        return f"Ranking({self.buckets!r}, weight={self.weight!r}{voter})"
