"""League tables: columns of games, goals and points, most of which follow from the others."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, permutations

from concordant.reading.cells import Column

# Wider tables, and longer ones, are no league tables.
_MOST_COLUMNS, _MOST_ROWS = 16, 200
# The points for a win, for a draw and for a loss.
_POINTS = ((3, 1, 0), (2, 1, 0), (1, 0.5, 0), (4, 2, 1), (3, 2, 1))


def are_added_up(columns: Iterable[Column]) -> bool:
    """Return whether some columns are made of others: games, wins, goals, their difference.

    Two such columns, or a difference that is negative for some, show a league table; one sum alone
    may be the total of judges.
    """
    given = [c for c in columns if c.kind == "number"]
    if not 4 <= len(given) <= _MOST_COLUMNS or not 3 <= len(given[0].cells) <= _MOST_ROWS:
        return False
    values = {c: c.numbers for c in given if None not in c.numbers and len(set(c.numbers)) > 1}
    made = 0
    for column in given:
        if None in column.numbers:
            continue
        mine = [float(v or 0) for v in column.numbers]
        others = [[float(v or 0) for v in each] for c, each in values.items() if c is not column]
        rows = list(zip(*others, strict=True))
        if min(mine) < 0 < max(mine) and any(
            all(abs(row[a] - row[b] - v) < 1e-9 for row, v in zip(rows, mine, strict=True))
            for a, b in permutations(range(len(others)), 2)
        ):
            return True
        made += _is_record(mine, rows, len(others))
    return made > 1


def _is_record(mine: list[float], rows: list[tuple[float, ...]], n: int) -> bool:
    """Return whether numbers are the sum of three others, as games are, or points for three."""
    return any(_fits(mine, rows, three, (1, 1, 1)) for three in combinations(range(n), 3)) or any(
        _fits(mine, rows, three, points)
        for points in _POINTS
        for three in permutations(range(n), 3)
    )


def _fits(
    mine: list[float],
    rows: list[tuple[float, ...]],
    three: tuple[int, ...],
    factors: tuple[float, ...],
) -> bool:
    return all(
        abs(sum(f * row[k] for f, k in zip(factors, three, strict=True)) - v) < 1e-9
        for row, v in zip(rows, mine, strict=True)
    )
