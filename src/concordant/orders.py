"""Orders as Python lists of items, best first: checked, and turned into numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from concordant._types import Item
from concordant.errors import InputError
from concordant.voters import is_missing

_TIE = (tuple, list, set, frozenset)

# The names of the items; offsets, members and buckets, as `Rankings.from_arrays` takes them.
_Numbered = tuple[list[Item], list[int], list[int], list[int]]


def number_orders(orders: Iterable[Sequence[Any]], items: Iterable[Item] | None) -> _Numbered:
    """Number the items of orders; see `Rankings.from_orders`.

    Example:
        >>> number_orders([["a", "b"], [("b", "c")]], None)
        (['a', 'b', 'c'], [0, 2, 4], [0, 1, 1, 2], [0, 1, 0, 0])
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
        _check_order(order, number)
        for bucket, group in enumerate(order):
            for item in _tied(group):
                try:
                    position = index.get(item)
                except TypeError:
                    raise InputError(
                        f"ranking {number}: {item!r} cannot name an item (it is not hashable)"
                    ) from None
                if position is None:
                    if is_missing(item):
                        raise InputError(
                            f"ranking {number}: {item!r} is a missing value, not an item: "
                            "leave it out of the list",
                            ranking=number - 1,
                        )
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
    return names, offsets, members, buckets


def _check_order(order: Any, number: int) -> None:
    """Refuse what is not a list of items, best first."""
    if isinstance(order, str | bytes) or not isinstance(order, Iterable):
        raise InputError(f"ranking {number} must be a list of items, best first, not {order!r}")
    if isinstance(order, Set | Mapping):
        raise InputError(
            f"ranking {number} must be a list of items, best first: {order!r} has no "
            "order (a tie of all its items is written as a set inside a list)"
        )
    # The values of a pandas Series that has labels may be items, or the ranks of the labels.
    if hasattr(order, "iloc") and (getattr(order, "ndim", 1) > 1 or not has_default_labels(order)):
        raise InputError(
            f"ranking {number} is a pandas {type(order).__name__} with labels, which may hold "
            "items or ranks. If its values are items, best first, give list(series); if its "
            "values are the ranks of its labels, give list(series.dropna().sort_values().index), "
            "or use Rankings.from_frame for a table of ranks"
        )


def has_default_labels(data: Any) -> bool:
    """Return whether all labels of a pandas object are 0, 1, 2 …, as pandas makes them.

    Example:
        >>> import pandas as pd
        >>> has_default_labels(pd.Series(["a", "b"])), has_default_labels(pd.Series({"a": 1}))
        (True, False)
    """
    return all(
        type(labels).__name__ == "RangeIndex" and (labels.start, labels.step) == (0, 1)
        for labels in data.axes
    )


def _tied(group: Any) -> Iterable[Item]:
    """Return the items of one place of an order."""
    if not isinstance(group, _TIE):
        return (group,)
    if isinstance(group, set | frozenset):
        # The order of a set differs between processes. The numbers of new items must not,
        # because they break ties.
        try:
            return sorted(group)
        except TypeError:
            return sorted(group, key=lambda item: (type(item).__name__, str(item)))
    return group


def index_items(items: Sequence[Item]) -> dict[Item, int]:
    """Number the items, which must all differ; a missing value is not an item.

    Example:
        >>> index_items(["x", "y"])
        {'x': 0, 'y': 1}
    """
    try:
        index = {item: number for number, item in enumerate(items)}
    except TypeError as error:
        raise InputError(f"an item name cannot be used: {error}") from None
    if missing := [item for item in items if is_missing(item)]:
        raise InputError(f"{missing[0]!r} is a missing value, not an item: leave it out")
    if len(index) < len(items):
        twice = next(item for number, item in enumerate(items) if index[item] != number)
        raise InputError(f"item {twice!r} is listed twice among the items")
    return index
