"""Large tables of battles by their columns, where that means the same as reading cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from concordant.errors import InputError
from concordant.reading.decide import Decision

if TYPE_CHECKING:
    from concordant.tables.building import Table

Column = Callable[[Any], Any]
# The role of a column of battles, and the argument of `plan_battles` that names it.
_ROLES = {
    "winner": "winner",
    "loser": "loser",
    "left": "left",
    "right": "right",
    "left points": "left_points",
    "right points": "right_points",
    "weight": "weight",
    "count": "weight",
    "voter": "voter",
}


def battle_columns(decision: Decision) -> dict[str, str] | None:
    """Return the columns of battles by their roles; None where they must be read cell by cell."""
    proposal, names = decision.proposal, decision.sheet.names
    if proposal.layout != "battles" or proposal.values is not None or not decision.is_plain:
        return None
    used = {_ROLES[role]: names[k] for k, role in proposal.roles.items() if role in _ROLES}
    if proposal.column("count") is not None and used["weight"] not in ("count", "counts"):
        # By other names, weights would not be repeat counts.
        return None
    return used if all(names.count(name) == 1 for name in used.values()) else None


def read_battle_columns(
    decision: Decision, columns: dict[str, str], column: Column, n_rows: int
) -> Table | None:
    """Read battles by their columns; None where that may mean something else.

    The beginning of the table is read both ways and compared. Below, only words that the beginning
    has, and names of items, may say who won.

    Args:
        decision: How the beginning of the table is read.
        columns: The columns by their roles, from `battle_columns`.
        column: Returns the values of a column of the whole table.
        n_rows: The number of its rows.
    """
    # Imported here: these need polars, which takes longer to load than most files to read.
    from concordant.battles import build_battles, plan_battles

    sheet = decision.sheet
    places = {name: sheet.names.index(name) for name in columns.values()}

    def sample(name: str) -> list[str | None]:
        return [sheet.cell(row, places[name]) or None for row in sheet.rows]

    try:
        plan = plan_battles(list(places), **columns)
        if plan is None:
            return None
        first = build_battles(plan, sample, len(sheet.rows))
        made = decision.assembled()
        if _battles(first.arrays, first.named()) != _battles(
            (made.items, *made.arrays), made.names
        ):
            return None
        table = build_battles(plan, column, n_rows)
    except InputError:
        # The general way names the place of a fault, or reads what is missing.
        return None
    if any(name != name.strip() for name in map(str, table.arrays[0])):
        return None
    if plan.outcome is not None:
        words = set(column(plan.outcome).unique().to_list())
        if not words <= {*sample(str(plan.outcome)), *table.arrays[0]}:
            return None
    return table


def _battles(arrays: Any, voters: Iterable[Any] | None) -> list[tuple[Any, ...]]:
    """Return battles in a form that does not depend on the numbers of the items."""
    names, _, members, buckets, weights = arrays
    n = len(members) // 2
    each = [1] * n if weights is None else [float(weight) for weight in weights]
    who = [None] * n if voters is None else list(voters)
    found = []
    for k in range(n):
        pair = [str(names[members[2 * k]]), str(names[members[2 * k + 1]])]
        tied = buckets[2 * k] == buckets[2 * k + 1]
        found.append((*(sorted(pair) if tied else pair), bool(tied), each[k], who[k]))
    return found
