"""From the rankings of a table to arrays: numbered items, look-alike names, what is left out."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from concordant._types import Duplicates, Int64, Item
from concordant.errors import Hint, InputError, show
from concordant.merging import FIRST_PLACE
from concordant.reading.findings import Finding
from concordant.reading.outcome import Ballot

_MOST_NEAR, _LONGEST_NEAR = 2000, 200


class Assembled(NamedTuple):
    """Rankings as `Rankings.from_arrays` takes them, with the voters' names.

    Attributes:
        items: The names of the items.
        arrays: Offsets, members, buckets and weights.
        n_rankings: The number of rankings that they stand for.
        voters: The names of the voters; empty without names.
        dropped: The ranking of each place that was dropped, because its item was ranked before.
    """

    items: list[str]
    arrays: tuple[Any, Any, Any, Any]
    n_rankings: int | None
    voters: list[str]
    dropped: Int64

    @property
    def names(self) -> list[Item | None] | None:
        """The name of each voter, None where it is not known; None without names."""
        return [name or None for name in self.voters] if self.voters else None


def plainly(name: str) -> str:
    """Return a text in lower case, with single blanks and straight apostrophes."""
    text = unicodedata.normalize("NFKC", name).casefold()
    return re.sub(r"\s+", " ", re.sub("[\u2018\u2019\u02bc\u00b4`]", "'", text)).strip()


def likeness(name: str) -> str:
    r"""Return a name without the differences that people overlook.

    Example:
        >>> likeness("Blue\u00a0 Kettle ") == likeness("blue kettle") == likeness("BlueKettle")
        True
        >>> likeness("Café Central") == likeness("Cafe Central"), likeness("Team 1 2")
        (True, 'team1 2')
    """
    # A blank matters between digits only.
    text = re.sub(r"(?<!\d) | (?!\d)", "", plainly(name))
    return "".join(c for c in unicodedata.normalize("NFD", text) if not unicodedata.combining(c))


def alike(names: Iterable[str]) -> list[list[str]]:
    """Return the groups of names that look alike.

    Example:
        >>> alike(["Tea", "tea ", "Milk"])
        [['Tea', 'tea ']]
    """
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(likeness(str(name)), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def merged(ballots: Sequence[Ballot], items: Sequence[str]) -> tuple[list[Ballot], list[str]]:
    """Give names that look alike the most frequent spelling."""
    often: Counter[str] = Counter(items)
    often.update(name for ballot in ballots for bucket in ballot.buckets for name in bucket)
    spelling: dict[str, str] = {}
    for group in alike(often):
        best = max(group, key=lambda name: (often[name], name == " ".join(name.split())))
        spelling |= {name: " ".join(best.split()) for name in group}
    changed = [
        ballot._replace(
            buckets=[[spelling.get(name, name) for name in bucket] for bucket in ballot.buckets]
        )
        for ballot in ballots
    ]
    return changed, list(dict.fromkeys(spelling.get(name, name) for name in items))


def name_findings(names: Sequence[str]) -> list[Finding]:
    """Return a warning for names that look alike, and a note for near misses."""
    found = []
    groups = alike(names)
    if groups:
        shown = "; ".join(" and ".join(show(name) for name in group[:3]) for group in groups[:3])
        more = f" and {len(groups) - 3} more groups" if len(groups) > 3 else ""
        found.append(
            Finding(
                "warning",
                "names-alike",
                f"different items have names that look alike: {shown}{more}",
                hints=(Hint("names", ("merge",), "to read each group as one item"),),
            )
        )
    near = _near_misses(names)
    if near:
        one, other = near[0]
        found.append(
            Finding("note", "names-near", f"{show(one)} and {show(other)} differ in one letter")
        )
    return found


def _near_misses(names: Sequence[str]) -> list[tuple[str, str]]:
    """Return long names that differ in one letter, not in a digit."""
    if len(names) > _MOST_NEAR:
        return []
    seen: dict[str, str] = {}
    found = []
    for name in names:
        # A name has as many variants as letters: a text of a megabyte would fill the memory.
        if len(name) > _LONGEST_NEAR or len(text := likeness(name)) < 8:
            continue
        for k in range(len(text)):
            if text[k].isalpha():
                short = f"{text[:k]}{text[k + 1 :]}"
                for spelled in (short, f"{text[:k]}*{text[k + 1 :]}"):
                    other = seen.setdefault(spelled, name)
                    if likeness(other) != text and (other, name) not in found:
                        found.append((other, name))
        other = seen.setdefault(text, name)
        if likeness(other) != text and (other, name) not in found:
            found.append((other, name))
    return found


def coverage_findings(lengths: npt.ArrayLike, n_items: int) -> list[Finding]:
    """Return a warning where leaving items out matters: short lists of many items.

    Example:
        >>> [finding.code for finding in coverage_findings([3, 3, 3], 8)]
        ['top-k']
    """
    filled = np.asarray(lengths)
    filled = filled[filled > 0]
    if filled.size < 2 or n_items < 4 or filled.max() <= 2 or filled.min() == n_items:
        return []
    hints = (
        Hint("unranked", ("last",), "if items left out are worse than those listed"),
        Hint("unranked", ("unknown",), "if leaving out an item is no opinion"),
    )
    share = filled.mean() / n_items
    same = bool(filled.min() == filled.max())
    if same:
        text = f"each ranking lists {filled[0]} of {n_items} items"
    elif share < 0.4 and n_items >= 8:
        text = f"rankings list {share:.0%} of the {n_items} items on average"
    else:
        return []
    return [
        Finding(
            "warning",
            "top-k" if same else "low-coverage",
            f"{text}; items left out count as no opinion",
            hints=hints,
        )
    ]


def assemble(
    ballots: Sequence[Ballot],
    items: Sequence[str] | None,
    *,
    counted: bool,
    duplicates: Duplicates,
    line: Any = None,
) -> Assembled:
    """Number the items and lay out the rankings.

    Args:
        ballots: The rankings.
        items: Items to number first; others follow in order of appearance.
        counted: Whether weights are repeat counts.
        duplicates: What to do with an item that a ranking has twice.
        line: Returns the line of a row, for errors.
    """
    index: dict[str, int] = {name: k for k, name in enumerate(dict.fromkeys(items or ()))}
    offsets, members, buckets, dropped = [0], [], [], []
    for number, ballot in enumerate(ballots):
        seen: set[int] = set()
        for place, bucket in enumerate(ballot.buckets):
            for name in bucket:
                item = index.setdefault(name, len(index))
                if item in seen:
                    if duplicates == "error":
                        who = f"voter {show(ballot.voter)}: " if ballot.voter else ""
                        raise InputError(
                            f"{who}item {show(name)} is ranked twice",
                            line=None if line is None else line(ballot.row),
                            hints=[FIRST_PLACE],
                        )
                    dropped.append(number)
                    continue
                seen.add(item)
                members.append(item)
                buckets.append(place)
        offsets.append(len(members))
    plain = all(ballot.weight == 1 for ballot in ballots)
    weights = None
    if not plain:
        whole = all(isinstance(ballot.weight, int) for ballot in ballots)
        values = [ballot.weight for ballot in ballots]
        weights = np.array(values, np.int64 if whole and max(values) < 2**62 else object)
    total = None
    if counted and weights is not None and weights.dtype.kind == "i":
        total = sum(int(ballot.weight) for ballot in ballots)
    arrays = (
        np.array(offsets, np.int64),
        np.array(members, np.int32),
        np.array(buckets, np.int32),
        weights,
    )
    voters = [ballot.voter for ballot in ballots]
    voters = voters if any(voters) else []
    return Assembled(list(index), arrays, total, voters, np.array(dropped, np.int64))
