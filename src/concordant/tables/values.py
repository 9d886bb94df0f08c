"""The values of columns as numbers: numbered names, ranks as floats, exact weights."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from concordant._polars import pl
from concordant._types import Float, Int32, Int64, Item
from concordant.errors import show
from concordant.tables.columns import Name, RowError
from concordant.tables.grouping import number_keys
from concordant.units import LARGEST

# A column: a polars series, or a list of values that polars cannot hold.
Values = pl.Series | list[Any]

# Words of cast-vote files in place of a candidate.
_NO_VOTES = {"", "skipped", "undervote", "overvote"}
# Words for a missing number, in lower case: R writes NA, Weka a question mark.
_MISSING = {"", "na", "n/a", "nan", "null", "none", "?", "-"}
# Ranks in words, as in forms: 1st, 2nd choice, Place 3.
_ORDINAL = (
    r"(?i)^(?:(?:choice|place|preference|rank)\s*)?(\d{1,9})(?:st|nd|rd|th)?"
    r"(?:\s*(?:choice|place|preference))?$"
)
# Limited in length, because a fraction of 1e999999999 would be computed digit by digit.
_WEIGHT = re.compile(r"[+-]?(\d{1,40}/\d{1,40}|(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,2})?)")
_INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
# Below this, different integers are different floats.
_EXACT_FLOAT = 2**53


def is_no_vote(name: Name) -> bool:
    """Return whether this name means no candidate in a cast-vote file.

    Example:
        >>> is_no_vote("Skipped"), is_no_vote("overvote"), is_no_vote(" "), is_no_vote("Ann")
        (True, True, True, False)
    """
    return isinstance(name, str) and name.strip().casefold() in _NO_VOTES


def is_overvote(name: Name) -> bool:
    """Return whether this name means too many candidates in a cast-vote file.

    Example:
        >>> is_overvote("Overvote"), is_overvote("Ann")
        (True, False)
    """
    return isinstance(name, str) and name.strip().casefold() == "overvote"


class Numbered(NamedTuple):
    """A column as numbers: `names[codes[row]]` is the value, and code -1 is an empty cell."""

    codes: Int32
    names: list[Any]
    first_rows: Int64


def number_names(values: Values, what: str) -> Numbered:
    """Number the distinct values of a column in order of appearance."""
    values = _for_names(values)
    if isinstance(values, list):
        return _number_objects(values, what)
    present = np.arange(len(values))
    if values.null_count():
        present = values.is_not_null().arg_true().to_numpy().astype(np.int64)
        codes = np.full(len(values), -1, np.int32)
        kept = values.gather(present)
        found, first_rows = _codes(kept)
        codes[present] = found
    else:
        kept = values
        codes, first_rows = _codes(values)
    return Numbered(codes, kept.gather(first_rows).to_list(), present[first_rows])


def name_list(values: Values) -> list[Any]:
    """Return the names in a column, None for empty cells.

    Example:
        >>> name_list(pl.Series([1.0, None, 2.0]))
        [1, None, 2]
    """
    values = _for_names(values)
    return values if isinstance(values, list) else values.to_list()


def number_voters(values: Values, name: Name | None) -> tuple[Int32, Int64]:
    """Number the voters of the rows. Returns the codes, and the first row of each voter."""
    values = _for_names(values)
    if isinstance(values, list) or values.null_count():
        numbered = number_names(values, "a voter")
        if (numbered.codes < 0).any():
            row = int(np.argmax(numbered.codes < 0))
            raise RowError(f"there is no voter in column {show(name)}", row)
        return numbered.codes, numbered.first_rows
    # Rows of a voter are mostly next to each other: each run needs one look-up.
    changes = (values[1:] != values[:-1]).arg_true().to_numpy().astype(np.int64) + 1
    if 2 * changes.size > len(values):
        return _codes(values)
    starts = np.concatenate([np.zeros(min(1, len(values)), np.int64), changes])
    codes, first_runs = _codes(values.gather(starts))
    return np.repeat(codes, np.diff(np.append(starts, len(values)))), starts[first_runs]


def _for_names(values: Values) -> Values:
    """Turn a column into text or integers where that keeps the names, else into a list."""
    if isinstance(values, list):
        return values
    if values.dtype == pl.String or values.dtype in _INTEGERS:
        # In one chunk, look-ups are several times as fast.
        return values.rechunk()
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        return values.cast(pl.String)
    if values.dtype.is_float():
        # pandas turns integers with gaps into floats: whole numbers become integers again.
        values = values.fill_nan(None)
        if bool(((values == values.round()) & (values.abs() < _EXACT_FLOAT)).all()):
            return values.cast(pl.Int64)
    return values.to_list()


def _codes(values: pl.Series) -> tuple[Int32, Int64]:
    """Number the values of a series without gaps. Returns the codes, and the first row of each."""
    is_text = values.dtype == pl.String
    keys = _hashes(values) if is_text else values.cast(pl.Int64).to_numpy().view(np.uint64)
    codes, first_rows = number_keys(keys)
    # Different texts may have the same hash, so the texts are compared too.
    if not is_text or bool((values.gather(first_rows)[codes] == values).all()):
        return codes, first_rows
    numbered = _number_objects(values.to_list(), "a name")
    return numbered.codes, numbered.first_rows


def _hashes(values: pl.Series) -> npt.NDArray[np.uint64]:
    return values.hash().to_numpy()


def _number_objects(values: list[Any], what: str) -> Numbered:
    if values and set(map(type, values)) in ({str}, {int}):
        # Texts and whole numbers are never empty: no loop is needed.
        known = {name: number for number, name in enumerate(dict.fromkeys(values))}
        found = np.fromiter(map(known.__getitem__, values), np.int32, len(values))
        return Numbered(found, list(known), np.unique(found, return_index=True)[1])
    index: dict[Any, int] = {}
    first_rows: list[int] = []
    codes = np.full(len(values), -1, np.int32)
    for row, value in enumerate(values):
        if value is None or value != value:
            continue
        try:
            code = index.setdefault(value, len(index))
        except TypeError:
            raise RowError(f"{show(value)} cannot name {what} (it is not hashable)", row) from None
        if code == len(first_rows):
            first_rows.append(row)
        codes[row] = code
    return Numbered(codes, list(index), np.array(first_rows, np.int64))


def fit(
    numbered: Numbered, items: Sequence[Item] | None, width: int = 1
) -> tuple[Sequence[Item], Int32]:
    """Renumber items in the order of `items`; a row holds `width` codes."""
    if items is None:
        return numbered.names, numbered.codes
    index = {item: number for number, item in enumerate(items)}
    known = np.array([index.get(name, -1) for name in numbered.names] + [-1], np.int32)
    codes = known[numbered.codes]
    unknown = (codes < 0) & (numbered.codes >= 0)
    if unknown.any():
        place = int(np.argmax(unknown))
        name = numbered.names[numbered.codes[place]]
        raise RowError(f"item {show(name)} is not one of the given items", place // width)
    return items, codes


def read_ranks(values: Values, name: Name | None) -> Float:
    """Return a column of ranks or scores as floats, NaN for empty cells."""
    numbers = as_numbers(values)
    if not isinstance(numbers, int):
        return numbers
    raise RowError(f"{show(name)} is {show(values[numbers])}, which is not a number", numbers)


def as_numbers(values: Values) -> Float | int:
    """Return a column as floats, NaN for empty cells; or the first row that is not a number."""
    if isinstance(values, list) or isinstance(values.dtype, pl.Categorical | pl.Enum | pl.Boolean):
        values = pl.Series(
            [None if value is None else str(value) for value in values], dtype=pl.String
        )
    if values.dtype == pl.String:
        text = values.str.strip_chars()
        text = text.set(text.str.to_lowercase().is_in(list(_MISSING)), None)
        numbers = text.cast(pl.Float64, strict=False)
        bad = numbers.is_null() & text.is_not_null()
        if bad.any():
            numbers = text.str.replace(_ORDINAL, "$1").cast(pl.Float64, strict=False)
            bad = numbers.is_null() & text.is_not_null()
        if bad.any():
            return int(bad.arg_true()[0])
        values = numbers
    if values.dtype.is_integer() and bool((values.abs() >= _EXACT_FLOAT).any()):
        # As floats, different integers may become equal. Only their order and signs matter.
        order = values.rank("dense").cast(pl.Int64)
        values = order - order.filter(values <= 0).unique().len()
    try:
        floats = values.cast(pl.Float64)
    except pl.exceptions.PolarsError:
        return int(values.is_not_null().arg_true()[0])
    return floats.fill_null(float("nan")).to_numpy()


def read_weights(values: Values, name: Name) -> npt.NDArray[Any]:
    """Return a column of weights: integers, floats, or fractions if floats are not exact."""
    if isinstance(values, pl.Series) and values.dtype == pl.String:
        # Short decimals survive as floats, which are much faster than fractions.
        text = values.str.strip_chars()
        if text.str.contains(r"^[0-9]{1,18}$").all():
            values = text.cast(pl.Int64)
        elif text.str.contains(r"^[0-9]{1,7}(\.[0-9]{1,7})?$").all():
            values = text.cast(pl.Float64)
    if isinstance(values, pl.Series) and values.dtype in (*_INTEGERS, pl.Float32, pl.Float64):
        filled = values.cast(pl.Float64 if values.dtype.is_float() else pl.Int64)
        missing = filled.is_null().to_numpy()
        weights: npt.NDArray[Any] = filled.fill_null(0).to_numpy()
        if filled.dtype == pl.Float64:
            missing = missing | ~np.isfinite(weights)
    else:
        weights, missing = _exact_weights(values)
    wrong = missing | np.less(weights, 0).astype(bool)
    if wrong.any():
        row = int(np.argmax(wrong))
        value = values[row]
        if value is None:
            raise RowError(f"there is no weight in column {show(name)}", row)
        raise RowError(
            f"weight {show(value)} in column {show(name)} must be a number, 0 or more", row
        )
    return weights


def _exact_weights(values: Values) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Return weights of any type exactly, and which of them are not numbers."""
    numbered = number_names(values, "a weight")
    read = [*(_fraction(str(name).strip().casefold()) for name in numbered.names), None]
    exact = [Fraction(0) if value is None else value for value in read]
    if all(value.denominator == 1 and abs(value.numerator) < LARGEST for value in exact):
        table = np.array([value.numerator for value in exact], np.int64)
    else:
        table = np.array(exact, object)
    return table[numbered.codes], np.array([value is None for value in read])[numbered.codes]


def _fraction(text: str) -> Fraction | None:
    try:
        return Fraction(text) if _WEIGHT.fullmatch(text) else None
    except ZeroDivisionError:
        return None


def number_rows(cells: list[Values], n_rows: int) -> Numbered:
    """Number the values of several columns row by row, in the order in which ballots name them."""
    index: dict[Any, int] = {}
    codes = np.empty((n_rows, len(cells)), np.int32)
    for place, values in enumerate(cells):
        column = number_names(values, "an item")
        known = [index.setdefault(name, len(index)) for name in column.names]
        codes[:, place] = np.array([*known, -1], np.int32)[column.codes]
    present = np.flatnonzero(codes >= 0)
    found = codes.ravel()[present]
    by_row, first = number_keys(found.astype(np.uint64))
    codes.ravel()[present] = by_row
    names = list(index)
    return Numbered(codes.ravel(), [names[code] for code in found[first]], present[first])
