"""Best and worst of several items that were shown, and a column for each pair of items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from concordant.reading.cells import Column, is_missing
from concordant.reading.outcome import Ballot, Proposal, Roles
from concordant.reading.pair_rows import each_row, pair_ballot, pairs_proposal
from concordant.reading.sheet import Sheet
from concordant.reading.words import folded, is_word, key, tokens

_BEST = frozenset({"best", "most", "mostimportant", "mostpreferred", "bestitem", "choicebest"})
_WORST = frozenset({"worst", "least", "leastimportant", "leastpreferred", "worstitem"})
_WORST = frozenset({"worst", "least", "leastimportant", "leastpreferred", "worstitem"})


def best_and_worst(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read the best and the worst of several items that were shown."""
    texts = [c for c in roles.free if c.kind == "text"]
    best = [c for c in texts if key(c.name) in _BEST]
    worst = [c for c in texts if key(c.name) in _WORST]
    if roles.given or len(best) != 1 or len(worst) != 1:
        return None
    ends = (best[0], worst[0])
    groups: dict[tuple[str, ...], list[Column]] = {}
    for column in texts:
        stem = [w for w in tokens(re.sub(r"(?<=[A-Za-z])(?=\d)", " ", column.name)) if w]
        if column not in ends and len(stem) > 1 and (stem[-1].isdecimal() or len(stem[-1]) == 1):
            groups.setdefault(tuple(stem[:-1]), []).append(column)
    shown = max(groups.values(), key=len, default=[])
    rows = range(len(sheet.rows))
    if len(shown) < 3 or not all(
        {c.cells[k].strip() for c in ends} <= {c.cells[k].strip() for c in shown} for k in rows
    ):
        return None
    used = {c.index: "item" for c in shown} | {ends[0].index: "winner", ends[1].index: "loser"}
    proposal = pairs_proposal(sheet, roles, used)

    def ballots() -> Iterator[Ballot]:
        for k, who, weight in each_row(sheet, proposal, roles):
            first, last = (c.cells[k].strip() for c in ends)
            names = [c.cells[k].strip() for c in shown if c.cells[k].strip()]
            middle = [name for name in names if name not in (first, last)]
            yield pair_ballot(
                sheet, k, who, weight, [[first], *([middle] if middle else []), [last]]
            )

    proposal.ballots = ballots
    return proposal


def duels(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a column for each pair, `Coke or Pepsi?`, whose cells name the better one."""
    cells = {
        c: {cell for cell in set(c.texts(sheet.style)) if not is_word("tie", cell)}
        for c in roles.free
        if c.kind == "text"
    }
    columns = [c for c in cells if cells[c] and all(_mentions(c.name, x) for x in cells[c])]
    names: set[str] = set().union(*(cells[c] for c in columns))
    sides: dict[Column, list[str]] = {}
    for column in cells:
        found, text = [], column.name
        for name in sorted(names, key=len, reverse=True):
            if _mentions(text, name):
                found.append(name)
                text = re.sub(re.escape(folded(name)), "|", folded(text), count=1)
        if column in columns or len(found) == 2:
            sides[column] = found
    if len(columns) < max(2, len(sides)) or any(len(found) != 2 for found in sides.values()):
        # One of the names, or an answer, is not known.
        return None
    proposal = pairs_proposal(sheet, roles, {c.index: "winner" for c in columns})
    proposal.changed = True

    def ballots() -> Iterator[Ballot]:
        for k, who, weight in each_row(sheet, proposal, roles):
            for column, both in sides.items():
                won = column.cells[k].strip()
                buckets = [[won], [x for x in both if x != won]] if won in both else [both]
                if not is_missing(won, sheet.style):
                    yield pair_ballot(sheet, k, who, weight, buckets)

    proposal.ballots = ballots
    return proposal


def _mentions(text: str, name: str) -> bool:
    """Return whether a text has a name as a word."""
    return re.search(rf"(?<!\w){re.escape(folded(name))}(?!\w)", folded(text)) is not None
