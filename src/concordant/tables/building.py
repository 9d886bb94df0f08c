"""Building the arrays of rankings from the columns of a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from concordant._types import Duplicates, Float, Int32, Int64, Item
from concordant.errors import Hint, InputError, show
from concordant.merging import FIRST_PLACE, first_places
from concordant.tables.columns import LayoutError, Plan, RowError, is_count
from concordant.tables.grouping import arrange
from concordant.tables.values import (
    Values,
    as_numbers,
    fit,
    is_no_vote,
    is_overvote,
    name_list,
    number_names,
    number_rows,
    number_voters,
    read_ranks,
    read_weights,
)
from concordant.voters import MOST_NAMED


class Table(NamedTuple):
    """The rankings of a table, as `Rankings.from_arrays` takes them.

    Attributes:
        arrays: Item names; offsets, members and buckets; weights.
        n_rankings: The number of rankings that they stand for, if the weights are repeat counts. A
            count with a fraction is one ranking.
        dropped: The ranking of each place that was dropped, because its item was ranked before.
        voters: Returns the names of the voters, one per ranking; None if the table does not name
            them.
    """

    arrays: tuple[Sequence[Item], Int64, Int32, Int32, npt.NDArray[Any] | None]
    n_rankings: int | None
    dropped: Int64
    voters: Callable[[], list[Item]] | None = None

    def named(self) -> list[Item] | None:
        """Return the names of the voters, if the table names them and they are not too many."""
        n = self.arrays[1].size - 1
        return self.voters() if self.voters is not None and n <= MOST_NAMED else None


class _Rows(NamedTuple):
    """The rows of all rankings: voters, items and ranks; and the weights of the voters."""

    names: Sequence[Item]
    voters: Int32
    items: Int32
    ranks: Float
    n_voters: int
    weights: npt.NDArray[Any] | None
    # Returns the error for a voter who has an item twice; both are given by number.
    twice: Callable[[int, int], RowError]
    # Returns the names of the voters.
    named: Callable[[], list[Item]] | None


def build(
    plan: Plan,
    column: Callable[[Any], Values],
    n_rows: int,
    *,
    items: Sequence[Item] | None = None,
    duplicates: Duplicates = "error",
) -> Table:
    """Make rankings from the columns that a plan names.

    Args:
        plan: What the columns hold.
        column: Returns the values of a column.
        n_rows: The number of rows.
        items: All items, or None for those that occur.
        duplicates: What to do with an item that a voter has twice: raise an "error", or keep its
            "first" place.

    Raises:
        RowError: A row cannot be used.

    Example:
        >>> from concordant.tables.columns import plan_columns
        >>> columns = {"rank1": ["a", "b"], "rank2": ["b", None]}
        >>> names, offsets, members, *_ = build(plan_columns(list(columns)), columns.get, 2).arrays
        >>> names, offsets.tolist(), members.tolist()
        (['a', 'b'], [0, 2, 3], [0, 1, 1])
    """
    read = {"long": _read_long, "wide": _read_wide, "ballots": _read_ballots}[plan.layout]
    rows = read(plan, column, n_rows, items)
    voters, codes, ranks = rows.voters, rows.items, rows.ranks
    dropped = np.zeros(0, np.int64)
    if duplicates == "first":
        first = first_places(voters, codes, ranks) | (codes < 0)
        dropped = voters[~first].astype(np.int64)
        voters, codes, ranks = voters[first], codes[first], ranks[first]
    voter, twice, arrays = arrange(voters, codes, ranks, rows.n_voters, len(rows.names))
    if voter >= 0:
        raise rows.twice(voter, twice)
    weights = rows.weights
    n_rankings = None
    if weights is not None and is_count(plan.weight):
        n_rankings = ranking_count(weights)
    return Table((rows.names, *arrays, weights), n_rankings, dropped, rows.named)


def ranking_count(counts: npt.NDArray[Any]) -> int:
    """Return the number of rankings that repeat counts stand for, one for a fraction.

    Each row is taken by itself, so that the parts of a file add up to the whole.

    Example:
        >>> ranking_count(np.array([3, 1])), ranking_count(np.array([2.0, 0.5]))
        (4, 3)
    """
    if counts.dtype.kind == "i":
        return sum(counts.tolist())
    return sum(int(count) if count == int(count) else 1 for count in counts.tolist())


def _names_of(plan: Plan, column: Callable[[Any], Values]) -> Callable[[], list[Item]] | None:
    """Return a function that returns the names of the voters, if there is a column of them."""
    return None if plan.voter is None else lambda: name_list(column(plan.voter))


def _read_long(
    plan: Plan, column: Callable[[Any], Values], n_rows: int, items: Sequence[Item] | None
) -> _Rows:
    voter_values = column(plan.voter)
    voters, first_rows = number_voters(voter_values, plan.voter)
    numbered = number_names(column(plan.item), "an item")
    names, codes = fit(numbered, items)
    ranks = read_ranks(column(plan.rank), plan.rank)
    wrong = np.isinf(ranks) if plan.scored else (ranks <= 0) | np.isinf(ranks)
    if wrong.any():
        row = int(np.argmax(wrong))
        must = "a score must be finite" if plan.scored else "ranks begin at 1, the best"
        raise RowError(
            f"{show(plan.rank)} is {ranks[row]:g}, but {must}; leave the cell empty if the voter "
            "did not rank the item",
            row,
        )
    itemless = (codes < 0) & ~np.isnan(ranks)
    if itemless.any():
        row = int(np.argmax(itemless))
        raise RowError(f"there is a rank but no item in column {show(plan.item)}", row)

    weights = None
    if plan.weight is not None:
        each = read_weights(column(plan.weight), plan.weight)
        weights = each[first_rows]
        differs = each != weights[voters]
        if differs.any():
            row = int(np.argmax(differs))
            raise RowError(
                f"voter {show(voter_values[row])} has weight {each[row]} here and "
                f"{weights[voters[row]]} in an earlier row: give each voter one weight",
                row,
            )
    if plan.scored:
        ranks = -ranks

    def twice(voter: int, item: int) -> RowError:
        row = int(np.flatnonzero((voters == voter) & (codes == item))[1])
        who, what = show(voter_values[row]), show(names[item])
        return RowError(f"voter {who} has item {what} twice", row, [FIRST_PLACE])

    def named() -> list[Item]:
        every = name_list(voter_values)
        return [every[row] for row in first_rows.tolist()]

    return _Rows(names, voters, codes, ranks, first_rows.size, weights, twice, named)


def _read_wide(
    plan: Plan, column: Callable[[Any], Values], n_rows: int, items: Sequence[Item] | None
) -> _Rows:
    ranks = np.empty((n_rows, len(plan.columns)))
    for number, name in enumerate(plan.columns):
        try:
            ranks[:, number] = read_ranks(column(name), name)
        except RowError as error:
            if not plan.guessed:
                raise
            raise LayoutError(
                f"{error.fault}, so the layout is unclear: name the columns voter, item and rank, "
                f"or rank1, rank2, …; or if the other columns hold ranks, name {show(name)} voter",
                error.row,
            ) from None
    wrong = (ranks < 0) | np.isinf(ranks)
    if wrong.any():
        row, number = (int(index) for index in np.argwhere(wrong)[0])
        raise RowError(
            f"{show(plan.columns[number])} is {ranks[row, number]:g}, but ranks begin at 1, the "
            "best; leave the cell empty, or 0, if the voter did not rank the item",
            row,
        )
    weights = None if plan.weight is None else read_weights(column(plan.weight), plan.weight)
    rows, codes = np.nonzero(ranks > 0)

    def twice(voter: int, item: int) -> RowError:
        # Never called: the columns have different names.
        return RowError(f"item {show(plan.columns[item])} is ranked twice", voter)

    return _Rows(
        plan.columns,
        rows.astype(np.int32),
        codes.astype(np.int32),
        ranks[rows, codes],
        n_rows,
        weights,
        twice,
        _names_of(plan, column),
    )


def _read_ballots(
    plan: Plan, column: Callable[[Any], Values], n_rows: int, items: Sequence[Item] | None
) -> _Rows:
    cells = [column(name) for name in plan.columns]
    if plan.doubtful and not any(isinstance(as_numbers(values), int) for values in cells):
        raise InputError(
            f"column {show(plan.columns[0])} may hold items (ballots) or ranks of an item (wide)",
            hints=[Hint("layout", ("ballots", "wide"))],
        )
    numbered = number_rows(cells, n_rows)
    codes = numbered.codes.reshape(n_rows, len(cells))
    special = np.array([is_no_vote(name) for name in numbered.names] + [False])
    over = np.array([is_overvote(name) for name in numbered.names] + [False])
    if special.any() or over.any():
        # Items after an overvote are not counted: -1 stands for an empty cell.
        codes[special[codes] | np.logical_or.accumulate(over[codes], axis=1)] = -1
    if items is None:
        items = [name for name in numbered.names if not is_no_vote(name)]
    names, flat = fit(numbered, items, len(cells))

    weights = None if plan.weight is None else read_weights(column(plan.weight), plan.weight)
    # Unlike `repeat` and `tile`, this lets other threads run.
    rows = np.empty((n_rows, len(cells)), np.int32)
    rows[:] = np.arange(n_rows)[:, None]
    ranks = np.empty((n_rows, len(cells)))
    ranks[:] = np.arange(1, len(cells) + 1)

    def twice(voter: int, item: int) -> RowError:
        who = "" if plan.voter is None else f"voter {show(column(plan.voter)[voter])}: "
        return RowError(f"{who}item {show(names[item])} is ranked twice", voter, [FIRST_PLACE])

    named = _names_of(plan, column)
    return _Rows(names, rows.ravel(), flat, ranks.ravel(), n_rows, weights, twice, named)
