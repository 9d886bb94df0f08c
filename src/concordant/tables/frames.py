"""Rankings from data frames of pandas, polars, pyarrow and others that narwhals supports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import narwhals as nw
import numpy as np

from concordant._checks import check_duplicates
from concordant._polars import pl
from concordant._reading import CellOptions
from concordant._types import Duplicates, Item
from concordant.errors import InputError, SettingError
from concordant.reading.decide import Decision, data_findings, inspection, recognise
from concordant.reading.findings import Inspection, QuestionError
from concordant.reading.frames import frame_grid, text_of
from concordant.reading.options import COLUMNS, Options, make_options
from concordant.tables.building import Table, build
from concordant.tables.columns import Name, Plan, RowError, plan_columns
from concordant.tables.values import Values

# The number of rows from which the layout of a frame is found.
SAMPLE_ROWS = 1000
# The options that `Rankings.from_frame` has as parameters, and its further ones.
_NAMED = (*COLUMNS[:5], "layout", "unranked", "duplicates")
_OPTIONS = (*sorted(CellOptions.__optional_keys__), "merge")


def read_frame(
    frame: Any,
    columns: Mapping[str, Name | None],
    *,
    layout: str = "auto",
    items: Iterable[Item] | None = None,
    duplicates: Duplicates = "error",
    **options: Any,
) -> Table:
    """Read the rankings that a frame holds; see `Rankings.from_frame`.

    Args:
        frame: The table.
        columns: The columns of the voter, item, rank, score and weight, where their names do
            not show it.
        layout: The layout, where the columns do not show it.
        items: All items, in the order that numbers them; by default those that occur.
        duplicates: What to do with an item that a voter has twice: raise an "error", or keep its
            "first" place.
        options: Further options of `concordant.read` for tables, such as `values`.

    Example:
        >>> read_frame(pl.DataFrame({"a": [1, 2], "b": [2, 1]}), {}).arrays[0]
        ('a', 'b')
    """
    table, names = _opened(frame)
    check_duplicates(duplicates)
    _check_options(options)
    listed = None if items is None else list(items)
    given = {role: name for role, name in columns.items() if name is not None}
    chosen = make_options({"layout": layout, **given, **options})
    plan, decision = None, None
    with _by_row():
        if listed is not None or not names or chosen.layout == "ballots":
            plan = plan_columns(names, layout=layout, items=listed, **dict(columns))
            taken = [name for name in names if name in set(plan.used)]
            if plan.layout == "wide" and set(plan.columns) == set(names) - {
                plan.voter,
                plan.weight,
            }:
                _check_values(table, taken, plan, chosen)
        else:
            try:
                decision = _recognised(table, names, chosen, SAMPLE_ROWS)
                decision.check()
                text = all(isinstance(name, str) for name in names)
                plan = decision.plan() if text else None
            except QuestionError:
                raise
            except InputError as error:
                plan = _fallback(table, names, layout, columns, chosen, error)
            if plan is None and chosen.is_plain and decision and decision.proposal.layout == "wide":
                plan = _same_plan(decision, names, layout, columns)
    if plan is not None:
        built = build(
            plan,
            lambda name: _from_narwhals(table.get_column(name)),
            len(table),
            items=listed,
            duplicates=duplicates,
        )
        return _with_index(built, frame)
    with _by_row():
        if len(table) > SAMPLE_ROWS or decision is None:
            decision = _recognised(table, names, chosen, len(table))
        return _from_cells(table, names, decision, duplicates)


def _with_index(table: Table, frame: Any) -> Table:
    """Name the voters by the index of a pandas frame, unless it only numbers the rows."""
    labels: Any = getattr(frame, "index", None)
    if table.voters is None and hasattr(labels, "inferred_type"):
        is_name = labels.inferred_type != "integer" or labels.name is not None
        return table._replace(voters=lambda: list(labels)) if is_name else table
    return table


@contextmanager
def _by_row() -> Iterator[None]:
    """Make errors name the row of the frame, from 1."""
    try:
        yield
    except QuestionError as error:
        raise error.rows_as("row") from None
    except RowError:
        raise
    except InputError as error:
        if not error.line:
            raise InputError(error.message, hints=error.hints) from None
        raise InputError(f"row {error.line}: {error.message}", hints=error.hints) from None


def _fallback(
    table: Any,
    names: list[Any],
    layout: str,
    columns: Mapping[str, Name | None],
    options: Options,
    error: InputError,
) -> Plan:
    """Return the plan of a frame that was refused; raise the clearer of the two errors."""
    if options.values == "scores" or not replace(options, values=None).is_plain:
        raise error
    if "all cells are equal" in error.message:
        raise error
    plan = plan_columns(names, layout=layout, items=None, **dict(columns))
    if plan.guessed and len(plan.columns) > 1:
        # Raises an error that names the cell.
        made = build(plan, lambda name: _from_narwhals(table.get_column(name)), len(table))
        if made.arrays[2].size:
            raise error
    return plan


def open_frame(frame: Any) -> tuple[list[Any], Callable[[Any], Values], int]:
    """Return the names of the columns, a function that returns a column, and the number of rows.

    Example:
        >>> names, column, n_rows = open_frame(pl.DataFrame({"a": [1, 2]}))
        >>> names, column("a").to_list(), n_rows
        (['a'], [1, 2], 2)
    """
    table, names = _opened(frame)
    return names, lambda name: _from_narwhals(table.get_column(name)), len(table)


def inspect_frame(frame: Any, options: Mapping[str, Any]) -> Inspection:
    """Show what a frame would be read as; see `concordant.inspect`."""
    table, names = _opened(frame)
    _check_options({k: v for k, v in options.items() if k not in _NAMED})
    chosen = make_options({k: v for k, v in options.items() if k not in ("unranked", "duplicates")})
    decision = _recognised(table, names, chosen, len(table))
    if decision.proposal.questions:
        return inspection(decision, "the frame", (), ())
    made = decision.assembled(options.get("duplicates", "error"))
    seen = inspection(decision, "the frame", made.items, made.voters)
    offsets = made.arrays[0]
    seen.n_rankings = made.n_rankings or len(offsets) - 1
    lengths = offsets[1:] - offsets[:-1]
    if decision.proposal.layout not in ("battles", "matrix"):
        seen.findings += data_findings(
            made.items, lengths, chosen, unranked=options.get("unranked")
        )
    return seen


def _check_options(options: Mapping[str, Any]) -> None:
    """Refuse options that frames do not have: a misspelt one would be ignored."""
    for name, value in options.items():
        if value is not None and name not in _OPTIONS:
            raise SettingError(
                f"{name} is not an option for reading a frame; the options are "
                f"{', '.join((*_NAMED, *_OPTIONS))}",
                setting=name,
            )


def _opened(frame: Any) -> tuple[Any, list[Any]]:
    try:
        table = nw.from_native(frame, eager_only=True)
        return table, list(table.columns)
    except TypeError:
        raise InputError(
            f"cannot read a table from {type(frame).__name__}: give a data frame of pandas or "
            "polars (collect a lazy frame first)"
        ) from None
    except nw.exceptions.DuplicateError:
        raise InputError("two columns of the frame have the same name: rename one") from None


def _recognised(table: Any, names: list[Any], options: Options, most: int) -> Decision:
    columns = [_from_narwhals(table.get_column(name)[:most]) for name in names]
    grid = frame_grid(names, columns)
    grid.whole = most >= len(table)
    return recognise(grid, options)


def _check_values(table: Any, names: list[Any], plan: Plan, options: Options) -> None:
    """Raise the question whether the cells of a wide table are ranks or scores."""
    columns = [name for name in plan.columns if name in names]
    if len(columns) > 1 and len(table):
        wide = make_options({"layout": "wide", "values": options.values, "transpose": False})
        _recognised(table, columns, wide, SAMPLE_ROWS).check()


def _same_plan(
    decision: Decision, names: list[Any], layout: str, columns: Mapping[str, Name | None]
) -> Plan | None:
    """Return the plan of a frame whose column names are not text."""
    if all(isinstance(name, str) for name in names):
        return None
    plan = plan_columns(names, layout=layout, items=None, **dict(columns))
    used = {text_of(names[k]) for k, r in decision.proposal.roles.items() if r == "item"}
    same = used == {text_of(name) for name in plan.columns}
    plain = not (
        decision.sheet.changed or decision.proposal.changed or decision.proposal.transposed
    )
    return plan if plan.layout == "wide" and same and plain else None


def _from_cells(table: Any, names: list[Any], decision: Decision, duplicates: Duplicates) -> Table:
    """Make rankings from the cells of a frame; items get their values back."""
    made = decision.assembled(duplicates)
    values: dict[str, Any] = {}
    used = {k for k, role in decision.proposal.roles.items() if role != "ignored"}
    for k in sorted(used):
        for value in (names[k], *table.get_column(names[k]).to_list()):
            if isinstance(value, int | float) and not isinstance(value, bool):
                text = text_of(value)
                values.setdefault(
                    text, int(value) if value == value and value == int(value) else value
                )
            elif isinstance(value, str):
                values[value] = value
    items = [values.get(item, item) for item in made.items]
    arrays = made.arrays
    voters = made.names
    return Table(
        (items, *arrays),
        made.n_rankings,
        made.dropped,
        None if voters is None else lambda: list(voters),
    )


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
