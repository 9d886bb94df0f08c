"""Names of items in JSON: a file that was written gives equal names back."""

from __future__ import annotations

import math
from typing import Any

from concordant._types import Item
from concordant.errors import InputError, show


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
