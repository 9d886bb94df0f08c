"""The rankings of a long table, from its rows."""

from __future__ import annotations

from collections.abc import Iterator

from concordant.errors import InputError, show
from concordant.reading.cells import Column
from concordant.reading.ends import metric_end
from concordant.reading.outcome import FAST_NO_VOTES, Ballot, Proposal, levels, read_weights
from concordant.reading.sheet import Sheet
from concordant.reading.words import role_of


def filled_down(voters: list[Column]) -> list[str] | None:
    """Return the voter of each row, where only the first row of each block has a name."""
    if len(voters) != 1 or not voters[0].cells[0].strip():
        return None
    cells = [cell.strip() for cell in voters[0].cells]
    if 2 * cells.count("") < len(cells) or len(set(cells) - {""}) < len(cells) - cells.count(""):
        return None
    found: list[str] = []
    for cell in cells:
        found.append(cell or found[-1])
    return found


def long_ballots(
    sheet: Sheet,
    proposal: Proposal,
    voters: list[Column],
    item: Column,
    value: Column,
    weight: Column | None,
) -> Iterator[Ballot]:
    """Yield the ranking of each voter, or the one ranking of a table without voters."""
    weights = read_weights(sheet, weight)
    sign = -1.0 if proposal.values == "scores" else 1.0
    found: dict[str, list[tuple[float, str]]] = {}
    known: dict[str, int | object] = {}
    first: dict[str, int] = {}
    seen: set[tuple[str, str]] = set()
    below = filled_down(voters)
    # 0 is no place, but no fault at all.
    measured = role_of(value.name) == "low score" or metric_end(value.name) == "ranks"
    places = role_of(value.name) == "rank" or not measured
    zero_is_missing = (
        proposal.values == "ranks" and value.kind == "number" and value.whole and places
    )
    for k, row in enumerate(sheet.rows):
        who = " / ".join(c.cells[k].strip() for c in voters)
        if below is not None:
            who = below[k]
        name = (
            item.cells[k] if not sheet.changed and not proposal.changed else item.cells[k].strip()
        )
        number = value.numbers[k]
        if voters and not who.strip(" /"):
            if not name.strip() and number is None:
                continue
            raise InputError(f"there is no voter in {voters[0].called}", line=sheet.line(row))
        first.setdefault(who, row)
        given = found.setdefault(who, [])
        if weights is not None and known.setdefault(who, weights[k]) != weights[k]:
            raise InputError(
                f"voter {show(who)} has weight {weights[k]} here and {known[who]} in an "
                "earlier row: give each voter one weight",
                line=sheet.line(row),
            )
        if number is None or not name.strip():
            if number is not None:
                raise InputError(
                    f"there is a rank but no item in {item.called}", line=sheet.line(row)
                )
            if name.strip() and (who, name) not in seen:
                proposal.items = [*(proposal.items or []), name]
            continue
        if zero_is_missing and number == 0:
            continue
        if name.strip().casefold() in FAST_NO_VOTES and not sheet.written:
            continue
        seen.add((who, name))
        given.append((-sign * number if k in proposal.reverse_rows else sign * number, name))
    for who, pairs in found.items():
        each = 1 if weights is None else known[who]
        yield Ballot(who, levels(pairs), each, first[who])  # type: ignore[arg-type]
