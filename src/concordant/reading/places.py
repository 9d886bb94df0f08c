"""Whether numbers are places: rankings without gaps, with ties, with items left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

# The values of a voter, one for each item; None for an item that is not ranked.
Vector = list[float | None]


def is_ranking(values: Sequence[float]) -> bool:
    """Return whether values are the places of a ranking without gaps; ties in any usual notation.

    Example:
        >>> is_ranking([2, 1, 3]), is_ranking([1, 2, 2]), is_ranking([1.5, 1.5, 3])
        (True, True, True)
        >>> is_ranking([2, 2, 3]), is_ranking([85, 72])
        (False, False)
    """
    if not values:
        return True
    found = sorted(values)
    if found == list(range(1, len(found) + 1)):
        return True
    if found[-1] > len(found):
        return False
    size = Counter(found)
    distinct = list(size)
    first: dict[float, int] = {}
    before = 1
    for value in distinct:
        first[value] = before
        before += size[value]
    notations = (
        dict(zip(distinct, range(1, len(distinct) + 1), strict=True)),
        first,
        {value: first[value] + (size[value] - 1) / 2 for value in distinct},
    )
    return any(all(n[value] == value for value in distinct) for n in notations)


def is_strict(vectors: Sequence[Vector]) -> bool:
    """Return whether each vector has each place from 1 on once."""
    return all(once(vector) for vector in vectors)


def once(vector: Vector) -> bool:
    """Return whether a vector has each place from 1 on once."""
    values = [value for value in vector if value is not None]
    return bool(values) and sorted(values) == list(range(1, len(values) + 1))


def share_of_ranks(vectors: Sequence[Vector], n_items: int) -> float:
    """Return the share of vectors that can be ranks of some of the items."""
    good = total = 0
    for vector in vectors:
        values = [value for value in vector if value is not None]
        if not values:
            continue
        total += 1
        good += is_ranking(values) or has_gaps(values, n_items)
    return good / total if total else 0


def has_gaps(values: list[float], n_items: int) -> bool:
    """Return whether values are different places among all items, some of which are left out."""
    return (
        len(values) < n_items
        and len(set(values)) == len(values)
        and all(value == int(value) and 1 <= value <= n_items for value in values)
    )


def is_zero_based(vectors: Sequence[Vector]) -> bool:
    """Return whether places are counted from 0 in each vector.

    Example:
        >>> is_zero_based([[0, 1, 2], [2, 0, 1]]), is_zero_based([[0, 1, 2], [3, 2, 1]])
        (True, False)
    """
    filled = [[v for v in vector if v is not None] for vector in vectors]
    filled = [vector for vector in filled if vector]
    return bool(filled) and all(
        len(vector) > 1 and sorted(vector) == list(range(len(vector))) for vector in filled
    )


def may_be_places(vectors: Sequence[Sequence[float | None]]) -> bool:
    """Return whether values may be places in a larger field: whole numbers, hardly any ties.

    Example:
        >>> may_be_places([[5, 2, 17], [1, 8, 3]]), may_be_places([[8, 6, 8, 3], [2, 7, 5, 7]])
        (True, False)
    """
    tied = 0
    filled = [[v for v in vector if v is not None] for vector in vectors]
    for values in filled:
        if any(value < 1 or value != int(value) for value in values):
            return False
        tied += len(set(values)) < len(values)
    return 4 * tied <= len(filled)
