"""Lists in text whose names carry points or places: `12 points to Ada`, `Beach 2, Lake 1`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from concordant.reading.outcome import levels
from concordant.reading.phrases import pointed
from concordant.reading.text_doubts import Found


def by_points(found: Sequence[Found]) -> None:
    """Order lists such as `12 points to Ada, 10 points to Brio` by their points."""
    pairs = [[pointed(name) for name in each.names] for each in found]
    if all(all(each) for each in pairs):
        for each, points in zip(found, pairs, strict=True):
            each.buckets = levels([(-pair[0], pair[1]) for pair in points if pair])


def by_numbers(found: Sequence[Found]) -> bool:
    """Order lists such as `Beach 2, Lake 1` by their numbers; return whether these are places."""
    pairs = [behind_names(each.names) for each in found]
    often = Counter(name for each in pairs for _, name in each)
    fixed = len({pair for each in pairs for pair in each}) == len(often)
    if not all(pairs) or max(often.values()) < 2 or fixed:
        # "Half-Life 2" is a name.
        return True
    for each, numbers in zip(found, pairs, strict=True):
        each.buckets = levels(numbers)
    return all(sorted(n for n, _ in each) == [*range(1, len(each) + 1)] for each in pairs)


_NUMBER_BEHIND = re.compile(r"(\D*[^\W\d_][^\d]*?)[\s=:(]*(\d{1,3})\)?")


def behind_names(names: list[str]) -> list[tuple[float, str]]:
    """Return the number and the name of each of `Beach 2`, `Lake 1`; none where one has no number.

    Example:
        >>> behind_names(["Beach 2", "Lake 1"]), behind_names(["Team 1", "Team 2"])
        ([(2.0, 'Beach'), (1.0, 'Lake')], [])
    """
    found = [_NUMBER_BEHIND.fullmatch(name.strip()) for name in names]
    pairs = [(float(match[2]), match[1].strip()) for match in found if match]
    different = len({name for _, name in pairs}) == len(names) > 1
    return pairs if different and len(pairs) == len(names) else []
