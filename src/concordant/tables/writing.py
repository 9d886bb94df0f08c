"""Writing rankings as a table: long, wide, or a column per rank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from concordant._files import encode_text
from concordant._polars import pl
from concordant._types import Int32, Int64, Item
from concordant.errors import Hint, InputError, SettingError, show
from concordant.merging import take_rows
from concordant.reading.cells import Style, is_missing
from concordant.tables.columns import plan_columns
from concordant.tables.values import is_no_vote
from concordant.units import decimal_text, exact_weight

if TYPE_CHECKING:
    from concordant.rankings import Rankings

_LONG = Hint("layout", ("long",))


class _Ballots(NamedTuple):
    """The rankings to write: one per voter whose name is known, else one per distinct ranking."""

    voters: pl.Series
    offsets: Int64
    members: Int32
    buckets: Int32
    units: Int64
    scale: int
    n_items: int

    @property
    def lengths(self) -> Int64:
        return np.diff(self.offsets)

    @property
    def n(self) -> int:
        return self.units.size


def _ballots(data: Rankings, *, as_text: bool) -> _Ballots:
    arrays, units, known = (data.offsets, data.members, data.buckets), data.units, data.known
    voters = pl.Series(np.arange(1, (data.n_distinct if known is None else len(known.names)) + 1))
    if known is not None:
        arrays, units = take_rows(*arrays, known.which), known.units
        names = [str(name) for name in known.names] if as_text else list(known.names)
        if None not in known.names and len(set(names)) == len(names):
            voters = _name_series(names, voters)
    return _Ballots(voters, *arrays, units, data.scale, data.n_items)


def _name_series(names: Sequence[Item | None], otherwise: pl.Series | None = None) -> pl.Series:
    """Return names as a series: of text or integers where all are, else of objects.

    Names that cannot be text are replaced by the series `otherwise`, if it is given.
    """
    kinds = {type(name) for name in names}
    try:
        if kinds == {str}:
            return pl.Series(names, dtype=pl.String)
        if kinds == {int}:
            return pl.Series(names, dtype=pl.Int64)
    except (UnicodeEncodeError, OverflowError, TypeError):
        # Unpaired surrogates and huge integers.
        if otherwise is not None:
            return otherwise
    return pl.Series(names, dtype=pl.Object)


def named_frame(
    items: Sequence[Item], numbers: Mapping[str, Any], values: Mapping[str, Any]
) -> pl.DataFrame:
    """Return a frame with columns of items, given by their numbers, and columns of values.

    Example:
        >>> named_frame(["x", "y"], {"item": [1, 0]}, {"place": [1, 2]}).rows()
        [('y', 1), ('x', 2)]
    """
    names = _name_series(items)
    columns = {name: _gather(names, np.asarray(codes, np.int64)) for name, codes in numbers.items()}
    return pl.DataFrame(columns | {name: pl.Series(each) for name, each in values.items()})


def to_long(data: Rankings) -> pl.DataFrame:
    """Return rankings as a long table, with their very names; see `Rankings.to_frame`.

    Example:
        >>> from concordant.rankings import Rankings
        >>> to_long(Rankings.from_orders([[("a", "b")]], weights=[2])).rows()
        [(1, 'a', 1, 2), (1, 'b', 1, 2)]
    """
    ballots = _ballots(data, as_text=False)
    weights = _weight_column(ballots, as_text=False)
    table = _long_table(ballots, _name_series(data.items), weights.alias("weight"), weighted=True)
    return table.select("voter", "item", "rank", "weight")


def to_table(data: Rankings, layout: str = "long", *, as_text: bool = False) -> pl.DataFrame:
    """Return rankings as a table that reads back as them.

    Each voter whose name is known has a ranking of its own; otherwise equal rankings are written
    once. Weights go into a column `count` if they are the numbers of equal rankings, else `weight`;
    a long table of weights 1 has neither. All items and empty rankings are kept: the first voter of
    a long table has a row for each item, in the order of the items, with an empty rank for items
    that the voter did not rank. The voter of an empty ranking has one row without item and rank.
    Weights are exact: text such as `1/3` if no number is.

    Args:
        data: The rankings.
        layout: "long", "wide" or "ballots". Ballots cannot hold ties, nor items that no voter
            ranks.
        as_text: Whether names and fractions become text, as in CSV.

    Raises:
        InputError: The layout cannot hold the rankings.

    Example:
        >>> from concordant.rankings import Rankings
        >>> data = Rankings.from_orders([["b", "a"], ["b", "a"], []], items=["a", "b", "c"])
        >>> to_table(data).rows()
        [(1, 'a', 2, 2), (1, 'b', 1, 2), (1, 'c', None, 2), (2, None, None, 1)]
        >>> to_table(data, "wide").columns
        ['voter', 'count', 'a', 'b', 'c']
    """
    layouts = ("long", "wide", "ballots")
    if layout not in layouts:
        raise SettingError(
            f"layout must be one of {', '.join(layouts)}, not {layout!r}", setting="layout"
        )
    counts = data.scale == 1 and data.total_weight == data.n_rankings
    ballots = _ballots(data, as_text=as_text)
    weights = _weight_column(ballots, as_text=as_text).alias("count" if counts else "weight")
    whole = all(type(item) is int and abs(item) < 2**63 for item in data.items)
    if whole and not as_text and layout != "wide":
        names = pl.Series(data.items, dtype=pl.Int64)
    else:
        names = pl.Series(_printed(data), dtype=pl.String)
    if layout == "wide":
        return _wide_table(ballots, names, weights)
    if layout == "ballots":
        _check_ballots(data)
        return _ballots_table(ballots, names, weights)
    weighted = bool((ballots.units != ballots.scale).any())
    return _long_table(ballots, names, weights, weighted=weighted)


def _printed(data: Rankings) -> list[str]:
    names = [str(item) for item in data.items]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(
                f"two items are both written as {show(name)}: rename one, or write json, which "
                "keeps text and numbers apart"
            )
        seen.add(name)
        encode_text(name)
        if "\0" in name:
            raise InputError(f"the name {show(name)} contains a null character: rename the item")
    return names


def _weight_column(ballots: _Ballots, *, as_text: bool) -> pl.Series:
    if ballots.scale == 1:
        return pl.Series(ballots.units)
    exact = [exact_weight(units, ballots.scale) for units in ballots.units.tolist()]
    floats = ballots.units / ballots.scale
    if not as_text and all(Fraction(str(f)) == e for f, e in zip(floats, exact, strict=True)):
        return pl.Series(floats)
    return pl.Series([decimal_text(weight) or str(weight) for weight in exact])


def _long_table(
    ballots: _Ballots, names: pl.Series, weights: pl.Series, *, weighted: bool
) -> pl.DataFrame:
    lengths, n_items = ballots.lengths, ballots.n_items
    # The first voter names all items, in their order, so that none is lost.
    first = np.zeros(n_items, np.int64)
    first[ballots.members[: lengths[0]]] = ballots.buckets[: lengths[0]] + 1
    rest = np.maximum(lengths[1:], 1)
    voters = np.repeat(np.arange(ballots.n), np.concatenate([[n_items], rest]))
    codes = np.full(voters.size, -1, np.int64)
    ranks = np.zeros(voters.size, np.int64)
    codes[:n_items] = np.arange(n_items)
    ranks[:n_items] = first
    filled = np.flatnonzero(lengths[voters[n_items:]]) + n_items
    codes[filled] = ballots.members[lengths[0] :]
    ranks[filled] = ballots.buckets[lengths[0] :] + 1
    columns = {
        "voter": _gather(ballots.voters, voters),
        "item": _gather(names, codes),
        "rank": _or_null(ranks, ranks > 0),
    }
    if weighted:
        columns[weights.name] = weights.gather(voters)
    return pl.DataFrame(columns)


def _gather(values: pl.Series, rows: Int64) -> pl.Series:
    """Return the values of some rows, null for row -1."""
    if values.dtype == pl.Object:
        kept = values.to_list()
        return pl.Series([None if r < 0 else kept[r] for r in rows.tolist()], dtype=pl.Object)
    return values.gather(_or_null(rows, rows >= 0))


def _wide_table(ballots: _Ballots, names: pl.Series, weights: pl.Series) -> pl.DataFrame:
    ranks = np.zeros((ballots.n_items, ballots.n), np.int64)
    rows = np.repeat(np.arange(ballots.n), ballots.lengths)
    ranks[ballots.members, rows] = ballots.buckets + 1
    items = names.to_list()
    header = ["voter", weights.name, *items]
    # A column called "rank 1" or "weight" would not be read as an item.
    try:
        plan = plan_columns(header)
        clash = plan.layout != "wide" or list(plan.columns) != items
    except InputError:
        clash = True
    if clash:
        raise InputError(
            "a wide table cannot hold items with names like 'voter', 'weight' or 'rank 1'",
            hints=[_LONG],
        )
    columns = {"voter": ballots.voters, weights.name: weights}
    columns |= {item: _or_null(ranks[j], ranks[j] > 0) for j, item in enumerate(items)}
    return pl.DataFrame(columns)


def _check_ballots(data: Rankings) -> None:
    """Refuse rankings that ballots cannot hold."""
    if data.has_ranked_ties:
        raise InputError("some rankings have ties, which ballots cannot hold", hints=[_LONG])
    ranked = np.zeros(data.n_items, bool)
    ranked[data.members] = True
    if not ranked.all():
        item = data.items[int(np.argmin(ranked))]
        raise InputError(
            f"no ranking has item {show(item)}, so ballots cannot name it", hints=[_LONG]
        )
    for item in data.items:
        if is_no_vote(item) or is_missing(str(item), Style()):
            raise InputError(
                f"item {show(item)} would be read as no vote in a ballot", hints=[_LONG]
            )


def _ballots_table(ballots: _Ballots, names: pl.Series, weights: pl.Series) -> pl.DataFrame:
    codes = np.full((int(ballots.lengths.max()), ballots.n), -1, np.int64)
    codes[ballots.buckets, np.repeat(np.arange(ballots.n), ballots.lengths)] = ballots.members
    columns = {"voter": ballots.voters, weights.name: weights}
    columns |= {
        f"rank{rank}": names.gather(_or_null(row, row >= 0)) for rank, row in enumerate(codes, 1)
    }
    return pl.DataFrame(columns)


def _or_null(values: Int64, present: Any) -> pl.Series:
    """Return integers as a series, with null where they are not present."""
    return pl.Series(values).set(pl.Series(~present), None)
