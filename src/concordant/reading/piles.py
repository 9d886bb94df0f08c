"""Cards sorted into piles: a column for each level, with the items that each voter put there."""

from __future__ import annotations

from collections.abc import Iterator

from concordant.reading.cells import Column, is_missing
from concordant.reading.findings import Finding
from concordant.reading.outcome import (
    Ballot,
    Proposal,
    Roles,
    note_ignored,
    read_weights,
    voter_names,
)
from concordant.reading.scales import CLEARING, SCALES
from concordant.reading.sheet import Sheet
from concordant.reading.words import tokens

_MARKS = (";", "\n", "|", ",")


def propose_piles(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read piles, such as High, Medium and Low priority."""
    if sheet.options.layout is not None or roles.given:
        return None
    heads: list[tuple[Column, str, bool]] = []
    for column in roles.free:
        words = tokens(column.name)
        rest = " ".join(word for word in words if word not in CLEARING)
        if column.kind in ("text", "empty") and 0 < len(rest) < 40 and len(words) < 5:
            heads.append((column, rest, len(rest.split()) < len(words)))
    for scale in SCALES:
        found = [(c, level, sure) for c, word, sure in heads if (level := scale.level(word))]
        different = len({level for _, level, _ in found}) == len(found)
        if scale.grades or len(found) < 2 or not different:
            continue
        if scale.clear or all(sure for _, _, sure in found):
            columns = [c for c, _, _ in sorted(found, key=lambda each: -each[1])]
            return _piles(sheet, roles, columns)
    return None


def _piles(sheet: Sheet, roles: Roles, columns: list[Column]) -> Proposal | None:
    cells = [cell for c in columns for cell in c.texts(sheet.style)]
    mark = next((mark for mark in _MARKS if any(mark in cell for cell in cells)), None)
    rows = []
    for k in range(len(sheet.rows)):
        buckets = [_names(sheet, c.cells[k], mark) for c in columns]
        names = [name for bucket in buckets for name in bucket]
        if len(set(names)) < len(names):
            return None
        rows.append([bucket for bucket in buckets if bucket])
    often = [name for buckets in rows for bucket in buckets for name in bucket]
    if mark is None or len(set(often)) > 0.75 * len(often):
        return None
    proposal = Proposal("lists", {c.index: "ignored" for c in sheet.columns})
    for place, column in enumerate(columns, 1):
        proposal.roles[column.index] = f"choice {place}"
    voter, weight = roles.voter(), roles.weights()
    if voter is not None and voter not in columns:
        proposal.roles[voter.index] = "voter"
    if weight is not None:
        proposal.roles[weight.index] = "count" if roles.is_counted(weight) else "weight"
    proposal.counted = roles.is_counted(weight)
    proposal.findings.append(
        Finding("note", "piles", f"items in one cell are tied; {columns[0].called} is the best")
    )
    note_ignored(proposal, sheet)

    def ballots() -> Iterator[Ballot]:
        weights, who = read_weights(sheet, weight), voter_names(sheet, voter)
        for k, buckets in enumerate(rows):
            yield Ballot(who[k], buckets, 1 if weights is None else weights[k], sheet.rows[k])

    proposal.ballots = ballots
    return proposal


def _names(sheet: Sheet, cell: str, mark: str | None) -> list[str]:
    parts = [part.strip() for part in (cell.split(mark) if mark else [cell])]
    return [part for part in parts if not is_missing(part, sheet.style)]
