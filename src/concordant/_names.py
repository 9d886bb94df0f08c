"""Names of items: in JSON, where a file that was written gives equal names back; and found."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from concordant._types import Item
from concordant.errors import InputError, listed, show

# A similar name is looked for among at most this many items.
_MOST_NEAR = 5_000


def plain_name(item: Any, target: str = "json") -> Any:
    """Return the form that a name has in JSON. Tuples become lists.

    Args:
        item: The name.
        target: What is being written, for the error.

    Raises:
        InputError: JSON has no form for it.

    Example:
        >>> plain_name(("a", 1))
        ['a', 1]
    """
    if hasattr(item, "dtype"):
        item = item.item()
    if isinstance(item, tuple):
        return [plain_name(part, target) for part in item]
    if (
        item is None
        or isinstance(item, str | int)
        or (isinstance(item, float) and math.isfinite(item))
    ):
        return item
    raise InputError(
        f"item {show(item)} cannot be written as {target}, which holds texts, numbers and "
        "tuples of them: rename it, for example with str()"
    )


def plain_item(item: Any) -> Any:
    """Return the form that a name has in a list of names of a result: text where JSON has none.

    Example:
        >>> plain_item(3), plain_item(("a", 1)), plain_item(float("nan"))
        (3, "('a', 1)", 'nan')
    """
    if hasattr(item, "dtype"):
        item = item.item()
    try:
        return str(item) if isinstance(item, tuple) else plain_name(item)
    except InputError:
        return str(item)


def read_name(value: Any) -> Item:
    """Return the name that a value in JSON stands for. Lists become tuples.

    Raises:
        InputError: It cannot name an item.

    Example:
        >>> read_name(["a", 1])
        ('a', 1)
    """
    if isinstance(value, list):
        return tuple(read_name(part) for part in value)
    if isinstance(value, dict) or (isinstance(value, float) and not math.isfinite(value)):
        raise InputError(f"{show(value)} cannot name an item")
    name: Item = value
    return name


class ItemIndex:
    """Finds the number of an item by its name, or by the text that a saved result has for it.

    Example:
        >>> index = ItemIndex(("Ann", 7))
        >>> index.get("Ann"), index.get("7"), index.get("Bo")
        (0, 1, None)
        >>> index.near("ann")
        ": did you mean 'Ann'?"
    """

    def __init__(self, items: Sequence[Item]) -> None:
        self._items = items
        self._number = {item: k for k, item in enumerate(items)}
        self._by_text = {str(plain_item(item)): k for k, item in enumerate(items)}

    def get(self, item: Any) -> int | None:
        """Return the number of an item; None if there is no such item."""
        try:
            if item in self._number:
                return self._number[item]
        except TypeError:
            return None
        return self._by_text.get(item) if isinstance(item, str) else None

    def near(self, item: Any) -> str:
        """Return the end of an error about an unknown item: a similar name, or the first items."""
        from difflib import get_close_matches

        text = str(item)
        folded = {name.casefold(): number for name, number in self._by_text.items()}
        found = get_close_matches(text.casefold(), folded, n=1) if len(folded) < _MOST_NEAR else []
        if found:
            return f": did you mean {show(self._items[folded[found[0]]])}?"
        return f": the items are {listed(self._items, 5)}"
