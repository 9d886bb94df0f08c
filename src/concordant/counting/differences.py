"""Errors of sums and differences of pairwise counts, in words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from concordant._types import Item
from concordant.counting.count_file import pair_above
from concordant.errors import InputError, show

if TYPE_CHECKING:
    from concordant.pairwise import Pairwise


def check_difference(whole: Pairwise, other: Pairwise, left: Pairwise) -> None:
    """Refuse a difference `left` that no rankings have."""
    negative = np.argwhere(left.counts < 0)
    if negative.size:
        a, b = (whole.items[place] for place in negative[0].tolist())
        mine, theirs = (
            pairs.value(int(pairs.restrict([a, b]).counts[0, 1])) for pairs in (whole, other)
        )
        raise InputError(
            f"more would be subtracted than there is: {show(a)} before {show(b)} has {mine}, "
            f"less {theirs}"
        )
    total, n = left.total_units or 0, left.n_rankings or 0
    for value, what in ((total, "weight"), (n, "rankings")):
        if value < 0:
            raise InputError(f"more {what} would be subtracted than there is")
    if pair := pair_above(left.counts, total):
        a, b = (show(whole.items[place]) for place in pair)
        raise InputError(
            f"these rankings are not among those counted: without them, {a} and {b} would be "
            "ordered by more weight than the total"
        )
    if isinstance(left.ties, np.ndarray) and int(left.ties.min()) < 0:
        a, b = (whole.items[k] for k in np.argwhere(left.ties < 0)[0].tolist())
        raise InputError(
            f"these rankings are not among those counted: without them, {show(a)} and "
            f"{show(b)} would be tied by less than nothing"
        )


def differing(here: Iterable[Item], there: Iterable[Item]) -> str:
    """List the items that only one of two collections has.

    Example:
        >>> differing("abc", "bcde")
        "only the first has 'a'; only the second has 'd', 'e'"
    """
    sides = (("first", here, set(there)), ("second", there, set(here)))
    words = []
    for which, items, others in sides:
        only = [item for item in items if item not in others]
        if only:
            more = f" and {len(only) - 5:,} more" if len(only) > 5 else ""
            words.append(f"only the {which} has {', '.join(map(show, only[:5]))}{more}")
    return "; ".join(words)
