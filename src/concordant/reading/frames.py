"""Data frames as grids of text, and the way back to the values of their cells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from concordant.reading.grid import Grid


def frame_grid(names: Sequence[Any], columns: Iterable[Any], format: str = "frame") -> Grid:  # noqa: A002
    """Return the cells of a frame as text; whole floats are written as integers.

    Args:
        names: The names of the columns.
        columns: Their values.
        format: What the grid is made from.

    Example:
        >>> frame_grid(["a", "b"], [[1.0, None], ["x", "y"]]).rows
        [['a', 'b'], ['1', 'x'], ['', 'y']]
    """
    cells = [[text_of(value) for value in column] for column in columns]
    rows = [[text_of(name) for name in names], *map(list, zip(*cells, strict=True))]
    return Grid(rows, list(range(len(rows))), format=format, header=True)


def text_of(value: Any) -> str:
    """Return a value as the text of a cell."""
    if value is None or (isinstance(value, float) and value != value):
        return ""
    if (
        isinstance(value, float)
        and abs(value) != float("inf")
        and value == int(value)
        and abs(value) < 2**53
    ):
        return str(int(value))
    return str(value)
