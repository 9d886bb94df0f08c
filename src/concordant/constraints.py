"""`Constraints`: rules that an answer must satisfy, such as "a before b" or "c is first".

A rule becomes part of the pairwise counts. If a must be before b, the counts of this pair are set
so that b before a costs more than all free pairs together can save. Then an order that breaks a
rule is never the best one, and an order that satisfies all rules costs the same as before. Search,
proof and certificate work on these counts as on any others.
"""

from __future__ import annotations

import heapq
import itertools
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict

import numpy as np
import numpy.typing as npt

from concordant._names import ItemIndex, plain_item
from concordant._types import Int64
from concordant.errors import InputError, SettingError, cut, show
from concordant.pairwise import Pairwise
from concordant.rankings import Item
from concordant.reduction.split import number_strongly_connected
from concordant.units import LARGEST

Forced = npt.NDArray[np.bool_]
# The most steps of a contradiction that an error lists.
_STEPS_SHOWN = 8


class Rules(TypedDict, total=False):
    """The arguments of functions that take constraints; see `Constraints`."""

    before: Iterable[tuple[Item, Item]] | None
    first: Iterable[Item] | None
    last: Iterable[Item] | None
    groups_in_order: Iterable[Iterable[Item]] | None


@dataclass(frozen=True, slots=True)
class Constraints:
    """Rules that an answer must satisfy.

    Attributes:
        before: Pairs of items (a, b): a must be before b.
        first: These items must be before all others; among themselves, in any order.
        last: These items must be behind all others; among themselves, in any order.
        groups_in_order: Groups of items: all items of a group must be before those of the next.

    Example:
        >>> rules = Constraints(before=(("a", "b"),), last=("z",))
        >>> print(rules)
        a before b; last: z
        >>> rules.relation(("a", "b", "z")).astype(int)
        array([[0, 1, 1],
               [0, 0, 1],
               [0, 0, 0]])
    """

    before: tuple[tuple[Item, Item], ...] = ()
    first: tuple[Item, ...] = ()
    last: tuple[Item, ...] = ()
    groups_in_order: tuple[tuple[Item, ...], ...] = ()

    @classmethod
    def of(
        cls,
        before: Iterable[Sequence[Item]] | None = None,
        first: Iterable[Item] | None = None,
        last: Iterable[Item] | None = None,
        groups_in_order: Iterable[Iterable[Item]] | None = None,
    ) -> Constraints | None:
        """Check the form of rules; None if there is none.

        Raises:
            SettingError: A rule does not have the right form.

        Example:
            >>> Constraints.of(before=[("a", "b")], first=[]) == Constraints(before=(("a", "b"),))
            True
            >>> Constraints.of() is None
            True
        """
        pairs = [_listed("before", pair) for pair in _listed("before", before)]
        for pair in pairs:
            if len(pair) != 2:
                raise SettingError(
                    f"before needs pairs of items (a, b), not {show(pair)}", setting="before"
                )
        groups = [
            _listed("groups_in_order", group)
            for group in _listed("groups_in_order", groups_in_order)
        ]
        found = cls(
            before=tuple((pair[0], pair[1]) for pair in pairs),
            first=_listed("first", first),
            last=_listed("last", last),
            groups_in_order=tuple(group for group in groups if group),
        )
        return found if found else None

    def __bool__(self) -> bool:
        """Return whether there is any rule."""
        return any(getattr(self, field.name) for field in fields(self))

    # -- what they demand ----------------------------------------------------------------------

    def relation(self, items: Sequence[Item]) -> Forced:
        """Return the matrix of all pairs that must be in order, with those that follow.

        Raises:
            SettingError: An item does not exist, or the rules contradict each other.

        Example:
            >>> rules = Constraints(before=(("a", "b"), ("b", "c")), last=("a",))
            >>> rules.relation(("a", "b", "c"))
            Traceback (most recent call last):
            concordant.errors.SettingError: the constraints contradict each other: a before b, ...
        """
        m = len(items)
        leads_to, label = self._graph(items)
        number, found = number_strongly_connected(leads_to)
        if found < len(leads_to):
            raise SettingError(_contradiction(leads_to, number, label, items))
        reach = np.zeros((len(leads_to), m), bool)
        for node in np.argsort(-number).tolist():
            for other in leads_to[node]:
                reach[node] |= reach[other]
                if other < m:
                    reach[node, other] = True
        return reach[:m]

    def _graph(self, items: Sequence[Item]) -> tuple[list[list[int]], dict[int, str]]:
        """Return what each item leads to, and the name of the rule of each further node.

        A rule about whole groups is a node of its own, between the one group and the other.
        """
        index = _finder(items)
        leads_to: list[list[int]] = [[] for _ in items]
        label: dict[int, str] = {}
        for a, b in self.before:
            if index("before", a) == index("before", b):
                raise SettingError(f"before has {show(a)} before itself", setting="before")
            leads_to[index("before", a)].append(index("before", b))

        def join(earlier: Iterable[int], later: Iterable[int], name: str) -> None:
            node = len(leads_to)
            label[node] = name
            leads_to.append(list(later))
            for a in earlier:
                leads_to[a].append(node)

        everything = set(range(len(items)))
        if self.first:
            ahead = {index("first", item) for item in self.first}
            join(sorted(ahead), sorted(everything - ahead), "first")
        if self.last:
            behind = {index("last", item) for item in self.last}
            join(sorted(everything - behind), sorted(behind), "last")
        groups = [
            sorted({index("groups_in_order", item) for item in group})
            for group in self.groups_in_order
        ]
        for earlier, later in itertools.pairwise(groups):
            join(earlier, later, "groups_in_order")
        return leads_to, label

    def impose(self, pairwise: Pairwise) -> Pairwise:
        """Return the counts in which a forced pair decides against all free pairs together.

        Of a forced pair, a before b costs what it did, and b before a costs more by the sum of
        the margins of all free pairs and the greatest common divisor of these margins.

        Raises:
            SettingError: An item does not exist, or the rules contradict each other.

        Example:
            >>> pairs = Pairwise.from_matrix([[0, 1, 5], [2, 0, 5], [0, 0, 0]], items="abc")
            >>> Constraints(before=(("a", "b"),)).impose(pairs).counts.tolist()
            [[0, 17, 5], [2, 0, 5], [0, 0, 0]]
        """
        forced = self.relation(pairwise.items)
        counts = pairwise.counts.astype(np.int64)
        margins = np.abs(counts - counts.T)
        margins[forced | forced.T] = 0
        penalty = penalty_of(margins, int(np.abs(counts).max(initial=0)))
        counts[forced] = counts.T[forced] + penalty
        if int(np.abs(counts).max(initial=0)) < 2**31:
            counts = counts.astype(np.int32)
        facts = pairwise.scale, pairwise.total_units, pairwise.n_rankings, pairwise.unranked
        return Pairwise(pairwise.items, counts, *facts)

    def broken_by(self, place: npt.NDArray[Any], items: Sequence[Item]) -> tuple[Item, Item] | None:
        """Return a pair (a, b) with a that must be before b and is not; None without one.

        Args:
            place: The place of each item; tied items share one.
            items: The items.

        Example:
            >>> Constraints(first=("c",)).broken_by(np.array([0, 1, 2]), "abc")
            ('c', 'a')
        """
        forced = self.relation(items)
        for a in np.flatnonzero(forced.any(axis=1)).tolist():
            behind = np.flatnonzero(forced[a] & (place <= place[a]))
            if behind.size:
                return items[a], items[int(behind[0])]
        return None

    def repaired(self, order: Int64, items: Sequence[Item]) -> Int64:
        """Return the order, changed so that it satisfies the rules.

        Each place takes the first remaining item of the order that nothing remaining must precede.

        Example:
            >>> Constraints(before=(("c", "b"),)).repaired(np.array([0, 1, 2]), "abc").tolist()
            [0, 2, 1]
        """
        forced = self.relation(items)
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size)
        waits_for = forced.sum(axis=0)
        ready = [(int(place[a]), a) for a in np.flatnonzero(waits_for == 0).tolist()]
        heapq.heapify(ready)
        found = []
        while ready:
            a = heapq.heappop(ready)[1]
            found.append(a)
            for b in np.flatnonzero(forced[a]).tolist():
                waits_for[b] -= 1
                if waits_for[b] == 0:
                    heapq.heappush(ready, (int(place[b]), b))
        return np.array(found, np.int64)

    # -- words and files -----------------------------------------------------------------------

    def words(self) -> list[str]:
        """Return each rule in words.

        Example:
            >>> Constraints(first=("c",), groups_in_order=(("a", "b"), ("d",))).words()
            ['first: c', 'in this order: a, b > d']
        """
        found = [f"{a} before {b}" for a, b in self.before]
        for name, items in (("first", self.first), ("last", self.last)):
            if items:
                found.append(f"{name}: {', '.join(map(str, items))}")
        if self.groups_in_order:
            groups = (", ".join(map(str, group)) for group in self.groups_in_order)
            found.append(f"in this order: {' > '.join(groups)}")
        return found

    def __str__(self) -> str:
        return "; ".join(self.words())

    def options(self) -> list[str]:
        """Return the rules as options of the command line.

        Example:
            >>> Constraints(before=(("a", "b"),), groups_in_order=(("a", "b"), ("c",))).options()
            ["--before 'a > b'", "--groups-in-order 'a = b > c'"]
        """
        found = [f"--before {shlex.quote(f'{a} > {b}')}" for a, b in self.before]
        found += [f"--first {shlex.quote(str(item))}" for item in self.first]
        found += [f"--last {shlex.quote(str(item))}" for item in self.last]
        if self.groups_in_order:
            groups = (" = ".join(map(str, group)) for group in self.groups_in_order)
            found.append(f"--groups-in-order {shlex.quote(' > '.join(groups))}")
        return found

    @classmethod
    def from_texts(
        cls,
        before: Iterable[str] = (),
        first: Iterable[str] = (),
        last: Iterable[str] = (),
        groups_in_order: str | None = None,
    ) -> dict[str, Any]:
        """Return the arguments of `of` from the texts of the command line; only those given.

        Example:
            >>> Constraints.from_texts(before=["a > b > c"], groups_in_order="a = b > c")
            {'before': [('a', 'b'), ('b', 'c')], 'groups_in_order': [['a', 'b'], ['c']]}
        """
        found: dict[str, Any] = {}
        pairs: list[tuple[str, str]] = []
        for text in before:
            chain = _pieces("before", text, ">")
            if len(chain) < 2:
                raise SettingError(f"before needs 'a > b', not {text!r}", setting="before")
            pairs += itertools.pairwise(chain)
        if pairs:
            found["before"] = pairs
        for name, items in (("first", first), ("last", last)):
            if items := list(items):
                found[name] = items
        if groups_in_order is not None:
            chain = _pieces("groups_in_order", groups_in_order, ">")
            found["groups_in_order"] = [_pieces("groups_in_order", group, "=") for group in chain]
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the rules as JSON holds them.

        Example:
            >>> Constraints(before=(("a", "b"),)).to_dict()
            {'before': [['a', 'b']]}
        """
        found = {field.name: _plain(getattr(self, field.name)) for field in fields(self)}
        return {name: value for name, value in found.items() if value}

    @classmethod
    def from_dict(cls, facts: Any) -> Constraints | None:
        """Read what `to_dict` returned.

        Raises:
            InputError: It has another form.

        Example:
            >>> print(Constraints.from_dict({"first": ["c"]}))
            first: c
        """
        names = {field.name for field in fields(cls)}
        if not isinstance(facts, Mapping) or not set(facts) <= names:
            raise InputError(f"constraints must be an object with {', '.join(sorted(names))}")
        try:
            return cls.of(**facts)
        except SettingError as error:
            raise InputError(error.message) from None


def penalty_of(margins: Int64, largest: int) -> int:
    """Return what breaking a rule costs: more than all free pairs together can save.

    It is a multiple of the greatest common divisor of the margins, so that the costs of
    orders differ by such multiples as they did before.

    Args:
        margins: What the dearer side of each free pair costs more; symmetric.
        largest: The largest count.
    """
    penalty = int(margins.sum()) // 2 + max(1, int(np.gcd.reduce(margins, axis=None, initial=0)))
    if (largest + penalty) * margins.shape[0] ** 2 >= LARGEST:
        raise SettingError(
            "the weights are too large to add up exactly with constraints (2**62): divide the "
            "weights by a common factor, or round them to fewer decimals"
        )
    return penalty


def _finder(items: Sequence[Item]) -> Callable[[str, Item], int]:
    """Return a function that finds the number of an item that a rule names."""
    index = ItemIndex(items)

    def find(setting: str, item: Item) -> int:
        number = index.get(item)
        if number is None:
            raise SettingError(
                f"{setting} names {show(item)}, which is not an item{index.near(item)}",
                setting=setting,
            )
        return number

    return find


def _contradiction(
    leads_to: list[list[int]], number: Int64, label: dict[int, str], items: Sequence[Item]
) -> str:
    """Describe a shortest circle of rules."""
    sizes = np.bincount(number)
    start = int(np.flatnonzero(sizes[number] > 1)[0])
    path = list(_shortest_circle(leads_to, start))
    steps = []
    names = [node for node in path if node < len(items)]
    for k, a in enumerate(path):
        if a not in names:
            continue
        following = path[(k + 1) % len(path)]
        rule = "" if following in names else f" ({label[following]})"
        b = names[(names.index(a) + 1) % len(names)]
        steps.append(f"{cut(str(items[a]))} before {cut(str(items[b]))}{rule}")
    if len(steps) > _STEPS_SHOWN:
        steps[_STEPS_SHOWN - 1 :] = [f"and {len(steps) - _STEPS_SHOWN + 1} more steps"]
    return f"the constraints contradict each other: {', '.join(steps)}. Remove one of them"


def _shortest_circle(leads_to: list[list[int]], start: int) -> Iterator[int]:
    """Yield the nodes of a shortest path from a node back to itself."""
    came_from = {start: start}
    layer = [start]
    while layer:
        following = []
        for a in layer:
            for b in leads_to[a]:
                if b == start:
                    path = [a]
                    while path[-1] != start:
                        path.append(came_from[path[-1]])
                    yield from reversed(path)
                    return
                if b not in came_from:
                    came_from[b] = a
                    following.append(b)
        layer = following


def _listed(name: str, value: Any) -> tuple[Any, ...]:
    """Return a list of items as a tuple; a single text is not a list."""
    if value is None:
        return ()
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        raise SettingError(f"{name} must be a list, not {show(value)}", setting=name)
    return tuple(value)


def _pieces(name: str, text: str, mark: str) -> list[str]:
    pieces = [piece.strip() for piece in text.split(mark)]
    if not all(pieces):
        raise SettingError(f"an item is missing beside {mark!r} in {text!r}", setting=name)
    return pieces


def _plain(value: Any) -> Any:
    return [_plain(each) for each in value] if isinstance(value, tuple) else plain_item(value)
