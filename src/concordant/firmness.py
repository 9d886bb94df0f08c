"""`Bootstrap`: how certain each place of a consensus is, with the pairs and the ranks."""

from __future__ import annotations

import json
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic

import numpy as np

from concordant._files import atomic_write, read_json
from concordant._names import plain_item
from concordant._types import Float, Name
from concordant.errors import InputError, SettingError, cut
from concordant.formatting import counted, percent, share
from concordant.pages import notebook_table

if TYPE_CHECKING:
    import polars as pl

_KIND = "concordant-bootstrap"
_VERSION = 1
# The fields that hold a number for each item, and those of them that may be missing.
_OPTIONAL = ("tied", "rank_low", "rank_high", "scores", "scores_low", "scores_high")
_NUMBERS = ("low", "median", "high", "stands", "first", *_OPTIONAL)


@dataclass(frozen=True, slots=True, repr=False)
class Bootstrap(Generic[Name]):
    """How certain each place of a consensus is.

    All tuples are in the order of `items`, best first.

    Attributes:
        items: The items in the order of the consensus.
        low, high: The interval of each item's position (1 is first): at `level` 0.95, at most
            2.5 % of the samples put it before `low`, and at most 2.5 % behind `high`.
        median: The median of each item's position; of two medians, the lower one.
        stands: For each item but the last, the share of the samples in which it is before the
            item that follows it.
        first: The share of the samples in which each item is first.
        exact: The share of the samples whose order is proven optimal.
        samples: The number of samples solved.
        requested: The number of samples requested: more, if a time limit or Ctrl-C came first.
        seed: The random seed.
        level: The level of the intervals.
        voters: The number of voters drawn for each sample.
        interrupted: Whether Ctrl-C stopped it.
        tiers: The consensus, where it is an answer with ties; None for others. Tied items then
            share the first of their places, also in the samples.
        tied: For each item but the last, the share of the samples in which it is tied with the
            item that follows it; None without `tiers`.
        method: The method that found the ranking of each sample.
        unit: What was drawn: "voter", or "cluster" with `by`.
        rank_low, rank_high: The first and the last place of each item that the data leaves
            possible, for all items at once: with probability `level`, none of the true places is
            outside. See `ranks`. None if the method has neither scores nor majorities to compare,
            and for answers with ties.
        group_sizes: The sizes of the `groups` of items that cannot be told apart.
        scores: The score of each item, such as its strength, if the method has scores.
        scores_low, scores_high: The intervals of these scores, each at `level`.
        pairs: For all pairs, the share of the samples in which item a (row) is before item b
            (column), in the order of `items`. A tie counts half for both, so that
            `pairs[a, b] + pairs[b, a]` is 1. None in files of earlier versions.

    Example:
        >>> from concordant import Rankings
        >>> votes = Rankings.from_orders([["a", "b", "c"], ["b", "a", "c"]], weights=[11, 9])
        >>> from concordant import bootstrap
        >>> firm = bootstrap(votes, samples=200)
        >>> firm.items, firm.low, firm.high
        (('a', 'b', 'c'), (1, 1, 3), (2, 2, 3))
        >>> firm.stands[1], firm.first[2], float(firm.pairs[0, 2])
        (1.0, 0.0, 1.0)
        >>> firm.ranks, firm.groups
        (((1, 2), (1, 2), (3, 3)), (('a', 'b'), ('c',)))
    """

    items: tuple[Name, ...]
    low: tuple[int, ...]
    median: tuple[int, ...]
    high: tuple[int, ...]
    stands: tuple[float, ...]
    first: tuple[float, ...]
    exact: float
    samples: int
    requested: int
    seed: int
    level: float
    voters: int
    interrupted: bool = False
    tiers: tuple[tuple[Name, ...], ...] | None = None
    tied: tuple[float, ...] | None = None
    method: str = "auto"
    unit: str = "voter"
    rank_low: tuple[int, ...] | None = None
    rank_high: tuple[int, ...] | None = None
    group_sizes: tuple[int, ...] | None = None
    scores: tuple[float, ...] | None = None
    scores_low: tuple[float, ...] | None = None
    scores_high: tuple[float, ...] | None = None
    pairs: Float | None = field(default=None, compare=False)

    @property
    def ranks(self) -> tuple[tuple[int, int], ...]:
        """The places of each item that the data leaves possible, as (first, last).

        They hold for all items at once, with probability `level`. `docs/bootstrap.md` says how.
        """
        if self.rank_low is None or self.rank_high is None:
            raise SettingError(self._no_ranks())
        return tuple(zip(self.rank_low, self.rank_high, strict=True))

    @property
    def groups(self) -> tuple[tuple[Name, ...], ...]:
        """The items in groups: each group is before the next with probability `level`.

        Neighbours in one group are not told apart by the data, at least not all of them.
        """
        if self.group_sizes is None:
            raise SettingError(self._no_ranks())
        ends = np.cumsum(self.group_sizes).tolist()
        return tuple(
            self.items[end - k : end] for end, k in zip(ends, self.group_sizes, strict=True)
        )

    def _no_ranks(self) -> str:
        if self.tiers is not None:
            return "there are no ranks for answers with ties: see low and high"
        return (
            f"there are no ranks for method {self.method!r}: it has neither scores nor majorities "
            "to compare. See low and high"
        )

    @property
    def ranking(self) -> tuple[Name, ...]:
        """The consensus, best first: the same as `items`."""
        return self.items

    @property
    def n_items(self) -> int:
        """The number of items."""
        return len(self.items)

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values, as `--json` prints them.

        Example:
            >>> from concordant import Rankings, bootstrap
            >>> firm = bootstrap(Rankings.from_orders([["a", "b"]] * 3), samples=10)
            >>> facts = firm.to_dict()
            >>> facts["items"], facts["low"], facts["high"], facts["stands"]
            (['a', 'b'], [1, 2], [1, 2], [1.0])
        """
        facts: dict[str, Any] = {}
        for each in fields(self):
            value = getattr(self, each.name)
            if value is not None:
                facts[each.name] = list(value) if isinstance(value, tuple) else value
        facts["items"] = [plain_item(item) for item in self.items]
        if self.tiers is not None:
            facts["tiers"] = [[plain_item(item) for item in tier] for tier in self.tiers]
        if self.pairs is not None:
            facts["pairs"] = self.pairs.tolist()
        return facts

    def to_frame(self) -> pl.DataFrame:
        """Return the places as a polars frame, a row per item, best first.

        The columns are place, item, low, median, high, first and stands; see the attributes. The
        last item has no `stands`. With ties, there is a column tied as well. Further columns are
        rank_low and rank_high, and score, score_low and score_high, if there are any.

        Example:
            >>> from concordant import Rankings, bootstrap
            >>> firm = bootstrap(Rankings.from_orders([["a", "b"]] * 3), samples=10)
            >>> firm.to_frame().rows()
            [(1, 'a', 1, 1, 1, 1.0, 1.0, 1, 2), (2, 'b', 2, 2, 2, 0.0, None, 1, 2)]
        """
        from concordant.tables.writing import named_frame

        names = ("low", "median", "high", "first")
        values: dict[str, Any] = {"place": self.places}
        values |= {name: getattr(self, name) for name in names}
        values["stands"] = [*self.stands, None][: self.n_items]
        if self.tied is not None:
            values["tied"] = [*self.tied, None][: self.n_items]
        if self.rank_low is not None:
            values |= {"rank_low": self.rank_low, "rank_high": self.rank_high}
        if self.scores is not None:
            values |= {"score": self.scores, "score_low": self.scores_low}
            values["score_high"] = self.scores_high
        frame = named_frame(self.items, {"item": range(self.n_items)}, values)
        return frame.select("place", "item", *names, *list(values)[5:])

    @property
    def places(self) -> list[int]:
        """The place of each item in the consensus; tied items share the first of theirs."""
        if self.tiers is None:
            return list(range(1, self.n_items + 1))
        sizes = np.array([len(tier) for tier in self.tiers])
        first: list[int] = np.repeat(1 + np.cumsum(sizes) - sizes, sizes).tolist()
        return first

    def save(self, path: str | Path) -> None:
        """Write all fields as JSON; an existing file is replaced in one step."""
        facts = {"format": _KIND, "version": _VERSION, **self.to_dict()}
        atomic_write(path, json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: str | Path) -> Bootstrap:
        """Read a file that `save` wrote. Names that JSON cannot hold are read as text."""
        facts = read_json(path, "a bootstrap")
        if not isinstance(facts, dict) or facts.get("format") != _KIND:
            raise InputError("not a bootstrap of concordant", path=path)
        try:
            if type(facts["version"]) is not int or facts["version"] != _VERSION:
                raise InputError(
                    f"the bootstrap has version {cut(repr(facts['version']))}, and this release "
                    f"reads version {_VERSION}: read it with a newer Concordant"
                )
            return cls.from_dict(facts)
        except InputError as error:
            raise InputError(error.message, path=path) from None
        except (KeyError, TypeError) as error:
            raise InputError(f"not a bootstrap of concordant: {error}", path=path) from None

    @classmethod
    def from_dict(cls, facts: dict[str, Any]) -> Bootstrap:
        """Make a bootstrap from the values that `to_dict` returned.

        Example:
            >>> from concordant import Rankings, bootstrap
            >>> firm = bootstrap(Rankings.from_orders([["a", "b"]] * 3), samples=10)
            >>> Bootstrap.from_dict(firm.to_dict()) == firm
            True
        """
        kept: dict[str, Any] = {}
        for each in fields(cls):
            if each.name not in facts:
                if each.default is MISSING:
                    raise InputError(f"it has no {each.name!r}")
                continue
            value = facts[each.name]
            kept[each.name] = tuple(value) if isinstance(value, list) else value
        m = len(kept["items"])
        if kept.get("tiers") is not None:
            kept["tiers"] = tuple(tuple(tier) for tier in kept["tiers"])
            if tuple(item for tier in kept["tiers"] for item in tier) != kept["items"]:
                raise InputError("'tiers' must have the items in their order")
        for name in _NUMBERS:
            numbers = kept.get(name)
            if numbers is None and name in _OPTIONAL:
                continue
            wanted = max(0, m - 1) if name in ("stands", "tied") else m
            if not isinstance(numbers, tuple) or len(numbers) != wanted:
                raise InputError(f"{name!r} must have {wanted} numbers")
            if any(isinstance(x, bool) or not isinstance(x, int | float) for x in numbers):
                raise InputError(f"{name!r} must hold only numbers")
        if kept.get("group_sizes") is not None and sum(kept["group_sizes"]) != m:
            raise InputError(f"'group_sizes' must add up to {m}")
        if kept.get("pairs") is not None:
            try:
                kept["pairs"] = np.array(kept["pairs"], np.float64)
            except (TypeError, ValueError):
                kept["pairs"] = np.empty(0)
            if kept["pairs"].shape != (m, m):
                raise InputError(f"'pairs' must have {m} rows of {m} numbers")
        return cls(**kept)

    def __repr__(self) -> str:
        """Show the intervals of the first places in one line."""
        shown = ", ".join(
            f"{item} {low}-{high}"
            for item, low, high in zip(self.items[:5], self.low, self.high, strict=False)
        )
        more = ", …" if self.n_items > 5 else ""
        return f"Bootstrap({shown}{more}; {self.level:.4g} of {self.samples:,} samples)"

    def _repr_html_(self) -> str:
        """Show the interval of each item as a table in a notebook."""
        caption = f"{counted(self.samples, 'sample')} of {counted(self.voters, self.unit)}"
        heads = ["place", "item", f"{percent(self.level)} interval", "median", "first in"]
        intervals = (f"{low} to {high}" for low, high in zip(self.low, self.high, strict=True))
        first, stands = map(share, self.first), [*map(share, self.stands), None]
        columns: list[Any] = [self.places, self.items, intervals, self.median, first, stands]
        heads.append("before the next in")
        if self.tied is not None:
            columns.append([*map(share, self.tied), None])
            heads.append("tied with the next in")
        if self.rank_low is not None:
            columns.append([f"{low} to {high}" for low, high in self.ranks])
            heads.append(f"places at {percent(self.level)}, all items at once")
        return notebook_table(caption, heads, zip(*columns, strict=False))
