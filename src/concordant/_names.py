"""Names of items as JSON holds them, so that reading gives equal ones back."""

from __future__ import annotations

import math
from typing import Any

from concordant._types import Item
from concordant.errors import InputError, cut


def plain_name(item: Any, target: str = "json") -> Any:
    """Turn a name into what JSON holds; `target` is what is being written, for the error.

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
        f"item {cut(repr(item))} cannot be written as {target}, which holds texts, numbers and "
        "tuples of them: rename it, for example with str()"
    )


def read_name(value: Any) -> Item:
    """Turn a value that JSON holds into a name: lists stand for tuples.

    Raises:
        InputError: It cannot name an item.

    Example:
        >>> read_name(["a", 1])
        ('a', 1)
    """
    if isinstance(value, list):
        return tuple(read_name(part) for part in value)
    if isinstance(value, dict) or (isinstance(value, float) and not math.isfinite(value)):
        raise InputError(f"{cut(repr(value))} cannot name an item")
    name: Item = value
    return name
