"""Type names for arrays and choices that several modules use."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypedDict

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    # Type checkers know this module without it being installed. Python 3.13 has defaults itself.
    from typing_extensions import TypeVar

    # The type of the names of items: `Rankings[str]`. Plain `Rankings` has names of any type.
    Name = TypeVar("Name", bound=Hashable, covariant=True, default=Any)
    # The same, for functions that take names. Where no names are given, they are texts.
    N = TypeVar("N", bound=Hashable, default=str)
else:
    from typing import TypeVar

    Name, N = TypeVar("Name"), TypeVar("N")

Int8 = npt.NDArray[np.int8]
Int32 = npt.NDArray[np.int32]
Int64 = npt.NDArray[np.int64]
Float = npt.NDArray[np.float64]
# The cost of a before b minus the cost of b before a, in the narrowest integers that can hold it.
Margins = npt.NDArray[np.int32] | npt.NDArray[np.int64]
# The state of the random generator of a kernel.
Stream = npt.NDArray[np.uint64]
# Entry [a, b] is 1 if a is known to be before b. The relation is transitive.
Relation = npt.NDArray[np.int8]

# The name of an item.
Item = Hashable
# Orders of items, best first; tied items in a tuple.
Orders = Iterable[Sequence[N | tuple[N, ...]]]
# Battles between items whose names are texts: winner and loser, or two sides and an outcome.
Battles = Iterable[tuple[str, str] | tuple[str, str, Any]]
# The meaning of unranked items: no opinion, or tied behind all ranked items.
Unranked = Literal["unknown", "last"]
# How an item that a ranking repeats is treated: as an error, or only its first place counts.
Duplicates = Literal["error", "first"]


class BattleOptions(TypedDict, total=False):
    """The options of `Rankings.from_battles`."""

    weights: Any
    winner: Item | None
    loser: Item | None
    left: Item | None
    right: Item | None
    outcome: Item | None
    left_points: Item | None
    right_points: Item | None
    weight: Item | None
    voter: Item | None
    outcomes: str | Mapping[Any, str] | None
    items: Iterable[Item] | None
    merge: Mapping[Item, Iterable[Item]] | None


class OrderOptions(TypedDict, total=False):
    """The options of `Rankings.from_orders`."""

    weights: Any
    items: Iterable[Item] | None
    unranked: Unranked
    duplicates: Duplicates
    voters: Iterable[Item | None] | None
