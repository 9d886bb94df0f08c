"""Writing rankings as a table: long, wide, or a column per rank."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl

from concordant._files import encode_text
from concordant._types import Int64
from concordant.errors import Hint, InputError, SettingError, show
from concordant.rankings import Rankings
from concordant.reading.cells import Style, is_missing
from concordant.tables.columns import plan_columns
from concordant.tables.values import is_no_vote
from concordant.units import decimal_text

_LONG = Hint("layout", ("long",))


def to_table(data: Rankings, layout: str = "long", *, as_text: bool = False) -> pl.DataFrame:
    """Return rankings as a table that reads back as them.

    Equal rankings are written once. Their weights go into a column `count` if they are the numbers
    of equal rankings, else `weight`; a long table of weights 1 has neither. All items and empty
    rankings are kept: the first voter of a long table has a row for each item, in the order of the
    items, with an empty rank for items that the voter did not rank. The voter of an empty ranking
    has one row without item and rank. Weights are exact: text such as `1/3` if no number is.

    Args:
        data: The rankings.
        layout: "long", "wide" or "ballots". Ballots cannot hold ties, nor items that no voter
            ranks.
        as_text: Whether names and fractions become text, as in CSV.

    Raises:
        InputError: The layout cannot hold the rankings.

    Example:
        >>> data = Rankings.from_orders([["b", "a"], ["b", "a"], []], items=["a", "b", "c"])
        >>> to_table(data).rows()
        [(1, 'a', 2, 2), (1, 'b', 1, 2), (1, 'c', None, 2), (2, None, None, 1)]
        >>> to_table(data, "wide").columns
        ['voter', 'count', 'a', 'b', 'c']
    """
    makers = {"long": _long_table, "wide": _wide_table, "ballots": _ballots_table}
    if layout not in makers:
        raise SettingError(
            f"layout must be one of {', '.join(makers)}, not {layout!r}", setting="layout"
        )
    counts = data.scale == 1 and data.total_weight == data.n_rankings
    weights = _weight_column(data, as_text=as_text).alias("count" if counts else "weight")
    whole = all(type(item) is int and abs(item) < 2**63 for item in data.items)
    if whole and not as_text and layout != "wide":
        names = pl.Series(data.items, dtype=pl.Int64)
    else:
        names = pl.Series(_printed(data), dtype=pl.String)
    return makers[layout](data, names, weights)


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


def _weight_column(data: Rankings, *, as_text: bool) -> pl.Series:
    if data.scale == 1:
        return pl.Series(data.units)
    exact = data.exact_weights
    if not as_text and all(Fraction(str(w)) == e for w, e in zip(data.weights, exact, strict=True)):
        return pl.Series(data.weights)
    return pl.Series([decimal_text(weight) or str(weight) for weight in exact])


def _long_table(data: Rankings, names: pl.Series, weights: pl.Series) -> pl.DataFrame:
    lengths = data.lengths
    # The first voter names all items, in their order, so that none is lost.
    first = np.zeros(data.n_items, np.int64)
    first[data.members[: lengths[0]]] = data.buckets[: lengths[0]] + 1
    rest = np.maximum(lengths[1:], 1)
    voters = np.repeat(np.arange(data.n_distinct), np.concatenate([[data.n_items], rest]))
    codes = np.full(voters.size, -1, np.int64)
    ranks = np.zeros(voters.size, np.int64)
    codes[: data.n_items] = np.arange(data.n_items)
    ranks[: data.n_items] = first
    filled = np.flatnonzero(lengths[voters[data.n_items :]]) + data.n_items
    codes[filled] = data.members[lengths[0] :]
    ranks[filled] = data.buckets[lengths[0] :] + 1
    columns = {
        "voter": pl.Series(voters + 1),
        "item": names.gather(_or_null(codes, codes >= 0)),
        "rank": _or_null(ranks, ranks > 0),
    }
    if (data.units != data.scale).any():
        columns[weights.name] = weights.gather(voters)
    return pl.DataFrame(columns)


def _wide_table(data: Rankings, names: pl.Series, weights: pl.Series) -> pl.DataFrame:
    ranks = np.zeros((data.n_items, data.n_distinct), np.int64)
    ranks[data.members, np.repeat(np.arange(data.n_distinct), data.lengths)] = data.buckets + 1
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
    columns = {"voter": pl.Series(np.arange(1, data.n_distinct + 1)), weights.name: weights}
    columns |= {item: _or_null(ranks[j], ranks[j] > 0) for j, item in enumerate(items)}
    return pl.DataFrame(columns)


def _ballots_table(data: Rankings, names: pl.Series, weights: pl.Series) -> pl.DataFrame:
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
    codes = np.full((int(data.lengths.max()), data.n_distinct), -1, np.int64)
    codes[data.buckets, np.repeat(np.arange(data.n_distinct), data.lengths)] = data.members
    columns = {"voter": pl.Series(np.arange(1, data.n_distinct + 1)), weights.name: weights}
    columns |= {
        f"rank{rank}": names.gather(_or_null(row, row >= 0)) for rank, row in enumerate(codes, 1)
    }
    return pl.DataFrame(columns)


def _or_null(values: Int64, present: Any) -> pl.Series:
    """Return integers as a series, with null where they are not present."""
    return pl.Series(values).set(pl.Series(~present), None)
