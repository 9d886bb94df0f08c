"""Tables of one ranking: league tables, attempts of which the best counts, several races."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations, pairwise, permutations

from concordant.errors import Hint
from concordant.reading.cells import Column
from concordant.reading.outcome import Proposal, Roles, question
from concordant.reading.outsiders import stem_of
from concordant.reading.places import is_ranking
from concordant.reading.sheet import Sheet

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
    stems = Counter(map(stem_of, (c.name for c in given)))
    # R1, R2 and R3 are races.
    given = [c for c in given if not stem_of(c.name) or stems[stem_of(c.name)] < 3]
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


def gives_places(column: Column, value: Column) -> bool:
    """Return whether places follow from the numbers of a column, which are no places."""
    pairs = [
        (place, v)
        for place, v in zip(value.numbers, column.numbers, strict=True)
        if place is not None and v is not None
    ]
    values = [v for _, v in sorted(pairs)]
    steps = {(b > a) - (b < a) for a, b in pairwise(values)} - {0}
    return len(set(values)) > 2 and len(steps) == 1 and not is_ranking(values)


def ask_about_blocks(sheet: Sheet, roles: Roles, proposal: Proposal, value: Column) -> None:
    """Ask where the places of one ranking begin again at 1, as those of several races do."""
    given = [(k, v) for k, v in enumerate(value.numbers) if v is not None]
    again = [k for (_, before), (k, v) in pairwise(given) if v == 1 < before]
    if value in roles.given.values() or roles.by_word.get(value.index) != "rank" or not again:
        return
    ends = [0, *(k for k, (place, _) in enumerate(given) if place in again), len(given)]
    blocks = [[v for _, v in given[a:b]] for a, b in pairwise(ends)]
    if not all(is_ranking(block) and block == sorted(block) for block in blocks):
        return
    proposal.findings.append(
        question(
            "which-voter",
            f"the places in {value.called} begin again at 1, and no column names each ranking",
            Hint("voter", purpose="to name the column", placeholder="COLUMN"),
            Hint("rank", (value.name,), "if all rows are one ranking, with ties"),
            row=sheet.line(sheet.rows[again[0]]),
        )
    )


def is_best(column: Column, columns: list[Column]) -> bool:
    """Return whether a column holds the best of the others, which are attempts."""
    rows = [
        (value, [v for c in columns if c is not column and (v := c.numbers[k]) is not None])
        for k, value in enumerate(column.numbers)
        if value is not None
    ]
    return any(all(not given or value == end(given) for value, given in rows) for end in (max, min))
