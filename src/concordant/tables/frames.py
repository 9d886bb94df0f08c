"""Rankings from data frames of pandas, polars, pyarrow and others that narwhals supports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import narwhals as nw
import numpy as np
import polars as pl

from concordant._checks import check_duplicates
from concordant._types import Duplicates, Item
from concordant.errors import InputError
from concordant.tables.building import Table, build
from concordant.tables.columns import Name, plan_columns
from concordant.tables.values import Values


def read_frame(
    frame: Any,
    columns: Mapping[str, Name | None],
    *,
    layout: str = "auto",
    items: Iterable[Item] | None = None,
    duplicates: Duplicates = "error",
) -> Table:
    """Read the rankings that a frame holds; see `Rankings.from_frame`.

    Args:
        frame: The table.
        columns: The columns of the voter, item, rank, score and weight, where their names do
            not show it.
        layout: "long", "wide" or "ballots", where the columns do not show it.
        items: All items, in the order that numbers them; by default those that occur.
        duplicates: What to do with an item that a voter has twice: raise an "error", or keep its
            "first" place.

    Example:
        >>> read_frame(pl.DataFrame({"a": [1, 2], "b": [2, 1]}), {}).arrays[0]
        ('a', 'b')
    """
    names, column, n_rows = open_frame(frame)
    listed = None if items is None else list(items)
    plan = plan_columns(names, layout=layout, items=listed, **columns)
    table = build(plan, column, n_rows, items=listed, duplicates=check_duplicates(duplicates))
    labels: Any = getattr(frame, "index", None)
    # The index of a pandas frame, unless pandas made it or it only numbers the rows.
    if table.voters is None and hasattr(labels, "inferred_type"):
        is_name = labels.inferred_type != "integer" or labels.name is not None
        return table._replace(voters=lambda: list(labels)) if is_name else table
    return table


def open_frame(frame: Any) -> tuple[list[Any], Callable[[Any], Values], int]:
    """Return the names of the columns, a function that returns a column, and the number of rows.

    Example:
        >>> names, column, n_rows = open_frame(pl.DataFrame({"a": [1, 2]}))
        >>> names, column("a").to_list(), n_rows
        (['a'], [1, 2], 2)
    """
    try:
        table = nw.from_native(frame, eager_only=True)
        names = list(table.columns)
    except TypeError:
        raise InputError(
            f"cannot read a table from {type(frame).__name__}: give a data frame of pandas or "
            "polars (collect a lazy frame first)"
        ) from None
    except nw.exceptions.DuplicateError:
        raise InputError("two columns of the frame have the same name: rename one") from None
    return names, lambda name: _from_narwhals(table.get_column(name)), len(table)


def _from_narwhals(series: nw.Series[Any]) -> Values:
    """Return a column as polars holds it, without pyarrow."""
    native = series.to_native()
    if isinstance(native, pl.Series):
        return native
    if series.dtype.is_numeric():
        array = series.to_numpy()
        if array.dtype.kind in "iuf":
            numbers = pl.Series(np.ascontiguousarray(array))
            return numbers.fill_nan(None) if array.dtype.kind == "f" else numbers
    values = [
        None if missing else value.item() if isinstance(value, np.generic) else value
        for value, missing in zip(series.to_list(), series.is_null().to_list(), strict=True)
    ]
    kinds = {type(value) for value in values if value is not None}
    try:
        if kinds <= {str}:
            return pl.Series(values, dtype=pl.String)
        if kinds == {int}:
            return pl.Series(values, dtype=pl.Int64)
    except (UnicodeEncodeError, OverflowError, TypeError):
        # Unpaired surrogates and huge integers are names too.
        return values
    return values
