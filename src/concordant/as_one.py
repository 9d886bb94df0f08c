"""Items read as one: several names, such as versions of a model, that stand for the same item."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._names import ItemIndex
from concordant._types import Int64, Item
from concordant.errors import InputError, SettingError, cut, show
from concordant.formatting import counted
from concordant.merging import first_places
from concordant.selection import how_many, rearranged, take

if TYPE_CHECKING:
    from concordant.rankings import Rankings

Names = dict[Item, tuple[Item, ...]]
_FORM = "'name = first, second'"


def check_merge(given: Any) -> Names:
    """Return which items are to be read as one, each list of items with its new name.

    Args:
        given: A mapping of names to lists of items, as in Python; or text, as in the shell:
            `name = first, second`, with a semicolon or a new line before the next name.

    Raises:
        SettingError: It has another form, or an item is in two lists.

    Example:
        >>> check_merge("gpt-4 = gpt-4-0613, gpt-4-1106; qwen = qwen-1")
        {'gpt-4': ('gpt-4-0613', 'gpt-4-1106'), 'qwen': ('qwen-1',)}
    """
    found: Names = {}
    pairs: Iterable[tuple[Any, Any]] = given.items() if isinstance(given, Mapping) else ()
    if isinstance(given, str):
        pairs = map(_read, filter(str.strip, given.replace("\n", ";").split(";")))
    elif not isinstance(given, Mapping):
        raise SettingError(
            f"merge must map a name to the items that get it, not {show(given)}", setting="merge"
        )
    owner: dict[Item, Item] = {}
    for name, items in pairs:
        if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
            raise SettingError(
                f"merge needs a list of items for {show(name)}, not {show(items)}", setting="merge"
            )
        members = (*found.get(name, ()), *items)
        if not members:
            raise SettingError(f"merge has no items for {show(name)}", setting="merge")
        found[name] = tuple(dict.fromkeys(members))
        for item in (name, *found[name]):
            if owner.setdefault(item, name) != name:
                raise SettingError(
                    f"merge has {show(item)} twice: in {show(owner[item])} and in {show(name)}",
                    setting="merge",
                )
    return found


def _read(text: str) -> tuple[str, list[str]]:
    name, equals, items = text.partition("=")
    members = [item.strip() for item in items.split(",")]
    if not equals or not name.strip() or not all(members):
        raise SettingError(f"merge needs {_FORM}, not {cut(text.strip())!r}", setting="merge")
    return name.strip(), members


@dataclass(frozen=True)
class Merged:
    """Rankings in which some items are one.

    Attributes:
        data: The rankings.
        names: The items that are one, each with the number of items it stands for.
        several: The number of rankings that had several of the items that are one.
        dropped: The number of battles between items that are one; they are left out.
        unknown: Items that do not occur, if this was not refused.
    """

    data: Rankings
    names: dict[Item, int] = field(default_factory=dict)
    several: int = 0
    dropped: int = 0
    unknown: tuple[Item, ...] = ()

    def words(self) -> str:
        """Say what was done, in one sentence."""
        parts = [f"{counted(size, 'item')} as {show(name)}" for name, size in self.names.items()]
        text = f"read {', '.join(parts)}"
        if self.several:
            which = "has several and keeps" if self.several == 1 else "have several and keep"
            text += f"; {counted(self.several, 'ranking')} {which} the best place"
        if self.dropped:
            which = "between them is" if self.dropped == 1 else "between them are"
            text += f"; {counted(self.dropped, 'battle')} {which} left out"
        return text


def merge_items(data: Rankings, names: Names, *, some: bool = False) -> Merged:
    """Read several items as one.

    In each ranking, the item that stands for several has the best of their places. If no ranking
    has more than two items, the rankings are battles: those between items that are one are left
    out. If an item has the new name already, it is one of them.

    Args:
        data: The rankings.
        names: What `check_merge` returned.
        some: Whether items may be missing.

    Raises:
        InputError: There is no such item, or no ranking is left.

    Example:
        >>> from concordant.rankings import Rankings
        >>> votes = Rankings.from_orders([["a1", "b", "a2"], ["b", "a2", "a1"]])
        >>> found = merge_items(votes, {"a": ("a1", "a2")})
        >>> [ranking.buckets for ranking in found.data]
        [[('a',), ('b',)], [('b',), ('a',)]]
        >>> found.words()
        "read 2 items as 'a'; 2 rankings have several and keep the best place"
    """
    find = ItemIndex(data.items)
    new_name: list[Item] = list(data.items)
    sizes: dict[Item, int] = {}
    unknown = []
    for name, members in names.items():
        wanted: list[int] = [] if find.get(name) is None else [find.get(name)]  # type: ignore[list-item]
        for item in members:
            number = find.get(item)
            if number is None and not some:
                raise InputError(f"there is no item {show(item)} to merge{find.near(item)}")
            if number is None:
                unknown.append(item)
            else:
                wanted.append(number)
        for number in set(wanted):
            new_name[number] = name
        if wanted:
            sizes[name] = len(set(wanted))
    if not sizes:
        return Merged(data, unknown=tuple(unknown))
    items = tuple(dict.fromkeys(new_name))
    index = {name: number for number, name in enumerate(items)}
    number_of = np.array([index[name] for name in new_name], np.int32)
    several = _has_several(data, number_of)
    rows = np.arange(data.n_distinct) if data.known is None else data.known.which
    chosen = np.flatnonzero(several[rows])
    count = how_many(data, chosen)[0] if chosen.size else 0
    dropped = 0
    if chosen.size and data.unranked == "unknown" and int(data.lengths.max()) <= 2:
        dropped, count = count, 0
        if chosen.size == len(data):
            raise InputError("no ranking is left: all battles are between items that are merged")
        data = take(data, np.flatnonzero(~several[rows]))
    return Merged(_renamed(data, items, number_of), sizes, count, dropped, tuple(unknown))


def _first_of_each(data: Rankings, members: Any) -> Any:
    """Return for each place whether its item has no better place in the ranking."""
    rows = np.repeat(np.arange(data.n_distinct), data.lengths)
    return first_places(rows, members, np.arange(members.size))


def _has_several(data: Rankings, number_of: Any) -> Any:
    """Return for each distinct ranking whether it has several items that are one."""
    again = ~_first_of_each(data, number_of[data.members])
    ends: Int64 = np.concatenate([[0], np.cumsum(again)])
    return ends[data.offsets[1:]] > ends[data.offsets[:-1]]


def _renamed(data: Rankings, items: tuple[Item, ...], number_of: Any) -> Rankings:
    members = number_of[data.members]
    first = _first_of_each(data, members)
    offsets = np.concatenate([[0], np.cumsum(first)])[data.offsets]
    return rearranged(data, (offsets, members[first], data.buckets[first]), items=items)
