"""The options of a reading, checked, in the form that the recognisers use."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from concordant.errors import InputError, SettingError, listed, show

LAYOUTS = ("long", "wide", "ballots", "lists", "columns", "battles", "matrix", "edges")
# The options that name one column each.
COLUMNS = ("voter", "item", "rank", "score", "weight", "count", "winner", "loser", "left", "right")
_LONGEST_KEY = 100
_YES, _NO = ("yes", "true", "1", "on"), ("no", "false", "0", "off", "none")


@dataclass(frozen=True)
class Options:
    """How a table is to be read; None and empty where nothing was said.

    Attributes:
        layout: One of `LAYOUTS`.
        columns: The name or the number of a column, by its role.
        ignore: Columns to ignore.
        values: "ranks" or "scores".
        reverse: Columns whose values go the other way round.
        transpose: Whether to swap rows and columns.
        header: The row of the header, from 1; 0 for none.
        encoding: The encoding of a text.
        decimal: The decimal mark.
        skip_rows: Rows to leave out: numbers, or texts of first cells; empty to keep all rows.
        missing: Words that mean "not ranked".
        names: "exact" or "merge".
    """

    layout: str | None = None
    columns: dict[str, Any] = field(default_factory=dict)
    ignore: tuple[Any, ...] = ()
    values: str | None = None
    reverse: tuple[Any, ...] = ()
    transpose: bool | None = None
    header: int | None = None
    encoding: str | None = None
    decimal: str | None = None
    skip_rows: tuple[Any, ...] | None = None
    missing: frozenset[str] = frozenset()
    names: str | None = None

    @property
    def is_plain(self) -> bool:
        """Whether the fast readers take all of these options."""
        fast = {"voter", "item", "rank", "score", "weight"}
        return (
            self == Options(layout=self.layout, columns=self.columns, names=self.names)
            and self.names != "merge"
            and set(self.columns) <= fast
            and self.layout in (None, "long", "wide", "ballots")
        )

    def find(self, name: Any, names: Sequence[Any], role: str) -> int:
        """Return the number, from 0, of the column that an option names.

        Raises:
            InputError: There is no such column.
        """
        matches = [k for k, each in enumerate(names) if each == name]
        if not matches and isinstance(name, str):
            wanted = name.strip().casefold()
            matches = [k for k, each in enumerate(names) if str(each).strip().casefold() == wanted]
        if matches:
            return matches[0]
        digits = str(name).strip()
        if digits.isascii() and digits.isdecimal() and 1 <= int(digits[:9]) <= len(names):
            return int(digits) - 1
        raise InputError(
            f"there is no column {show(name)} for the {role}: the columns are {listed(names)}"
        )


def column_keys(names: Sequence[str]) -> list[str]:
    """Return the text by which `Options.find` finds each column: its name or its number.

    It is "" where neither is clear. No key has a comma, so that keys can be listed.

    Example:
        >>> column_keys(["Ann", "Bo", "Ann", "5, 6"])
        ['Ann', 'Bo', '3', '4']
    """
    folded: dict[str, int] = {}
    exact: dict[str, int] = {}
    for index, name in enumerate(names):
        exact.setdefault(name, index)
        folded.setdefault(name.strip().casefold(), index)

    def found(key: str, index: int) -> bool:
        return exact.get(key, folded.get(key.casefold(), index)) == index

    keys = []
    for index, name in enumerate(names):
        text = name.strip()
        clear = text and "," not in text and len(text) <= _LONGEST_KEY
        number = str(index + 1)
        is_known = clear and found(text, index)
        keys.append(text if is_known else number if found(number, index) else "")
    return keys


def make_options(given: dict[str, Any]) -> Options:
    """Check the options of a reading.

    Example:
        >>> make_options({"ignore": "Age, City", "transpose": "yes", "voter": "Judge"}).ignore
        ('Age', 'City')
    """
    given = {name: value for name, value in given.items() if value is not None and value != ""}
    layout = given.get("layout")
    if layout == "auto":
        layout = None
    _one_of("layout", layout, LAYOUTS, also="auto, ")
    _one_of("values", given.get("values"), ("ranks", "scores"))
    _one_of("names", given.get("names"), ("exact", "merge"))
    _one_of("decimal", given.get("decimal"), (".", ","))
    columns = {role: given[role] for role in COLUMNS if role in given}
    if "rank" in columns and "score" in columns:
        raise SettingError("give rank (1 is best) or score (the highest is best), not both")
    for role in columns:
        if role in ("item", "rank", "score") and layout not in (None, "long", "edges"):
            if layout == "lists":
                continue
            raise SettingError(
                f"{role} is only for the long layout, not for {layout}", setting=role
            )
    skip = given.get("skip_rows")
    return Options(
        layout=layout,
        columns=columns,
        ignore=_several(given.get("ignore")),
        values=given.get("values"),
        reverse=_several(given.get("reverse")),
        transpose=_truth("transpose", given.get("transpose")),
        header=_header(given.get("header")),
        encoding=given.get("encoding"),
        decimal=given.get("decimal"),
        skip_rows=None if skip is None else _skipped(skip),
        missing=frozenset(str(word).strip().casefold() for word in _several(given.get("missing"))),
        names=given.get("names"),
    )


def _one_of(setting: str, value: Any, known: Sequence[str], also: str = "") -> None:
    if value is not None and value not in known:
        raise SettingError(
            f"{setting} must be one of {also}{', '.join(known)}, not {value!r}", setting=setting
        )


def _several(value: Any) -> tuple[Any, ...]:
    """Return a list of values; the shell separates them with commas."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return tuple(value) if isinstance(value, Iterable) else (value,)


def _skipped(value: Any) -> tuple[Any, ...]:
    if isinstance(value, str) and value.strip().casefold() in _NO:
        return ()
    return _several(value)


def _truth(setting: str, value: Any) -> bool | None:
    if value is None or isinstance(value, bool):
        return value
    text = str(value).strip().casefold()
    if text in _YES or text in _NO:
        return text in _YES
    raise SettingError(f"{setting} must be yes or no, not {value!r}", setting=setting)


def _header(value: Any) -> int | None:
    if value is None or value is True:
        return None
    if value is False:
        return 0
    text = str(value).strip().casefold()
    if text in ("no", "none", "false"):
        return 0
    if text in ("yes", "true"):
        return 1
    if text.isascii() and text.isdecimal() and len(text) < 9:
        return int(text)
    raise SettingError(
        f"header must be the number of a row, or no, not {value!r}", setting="header"
    )
