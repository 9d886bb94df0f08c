"""What the readers of pairs share: the columns of voters and weights, and the ballot of a row."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from concordant.errors import InputError
from concordant.reading.cells import Column
from concordant.reading.outcome import (
    Ballot,
    Proposal,
    Roles,
    note_ignored,
    read_weights,
    voter_names,
)
from concordant.reading.sheet import Sheet
from concordant.reading.words import key


def first_text(columns: list[Column], *, any_kind: bool = False) -> Column | None:
    """Return the first column of text; of any kind with `any_kind`."""
    texts = [c for c in columns if c.kind == "text" or (any_kind and c.kind != "empty")]
    return texts[0] if texts else None


def pairs_proposal(sheet: Sheet, roles: Roles, used: dict[int, str]) -> Proposal:
    """Return a proposal for battles, with the columns of the voter and the weight."""
    proposal = Proposal("battles", {c.index: "ignored" for c in sheet.columns} | used)
    proposal.values = sheet.options.values
    weight = roles.weights() or next(
        (
            c
            for c in roles.free
            if key(c.name) == "n" and c.kind == "number" and c.index not in sheet.questions
        ),
        None,
    )
    if weight is not None and weight.index not in used:
        proposal.roles[weight.index] = "weight"
        if roles.is_counted(weight) or key(weight.name) == "n":
            proposal.roles[weight.index] = "count"
            proposal.counted = True
    voter = roles.voter()
    if voter is not None and voter.index not in used and voter is not weight:
        proposal.roles[voter.index] = "voter"
    note_ignored(proposal, sheet)
    return proposal


def each_row(
    sheet: Sheet, proposal: Proposal, roles: Roles
) -> Iterator[tuple[int, str, int | Fraction]]:
    """Yield each row with its voter and its weight."""
    by_index = {c.index: c for c in sheet.columns}
    weight = proposal.column("weight")
    weight = proposal.column("count") if weight is None else weight
    voter = proposal.column("voter")
    weights = read_weights(sheet, None if weight is None else by_index[weight])
    names = voter_names(sheet, None if voter is None else by_index[voter])
    for k in range(len(sheet.rows)):
        yield k, names[k], 1 if weights is None else weights[k]


def pair_ballot(
    sheet: Sheet, k: int, who: str, weight: int | Fraction, buckets: list[list[str]]
) -> Ballot:
    """Return the ballot of a row, whose sides must have names."""
    for bucket in buckets:
        for place, name in enumerate(bucket):
            bucket[place] = name.strip()
            if not bucket[place]:
                raise InputError("a side has no name", line=sheet.line(sheet.rows[k]))
    return Ballot(who, buckets, weight, sheet.rows[k])
