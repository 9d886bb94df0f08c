"""Ballots: tables with a column for each place, whose cells name items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from concordant.errors import Hint, show
from concordant.reading.cells import Column, is_missing, points_of
from concordant.reading.findings import Finding
from concordant.reading.lexicon import ASSIGNED
from concordant.reading.outcome import (
    FAST_NO_VOTES,
    Ballot,
    Proposal,
    Roles,
    names_rows,
    note_ignored,
    note_missing,
    question,
    read_weights,
    voter_names,
)
from concordant.reading.outsiders import has_unit
from concordant.reading.scripts import bracketed
from concordant.reading.sheet import Sheet
from concordant.reading.vocabulary import AMOUNTS, FAVOURITES, REFERENCES
from concordant.reading.words import (
    is_last_place,
    key,
    ordinal,
    place_of,
    tokens,
)

_SURE = re.compile(
    r"rank|choice|choix|wahl|prefer|opci|scelta|escolha|opcao|option|pick|favou?rite|preferenc"
    r"|\d(st|nd|rd|th)\b|keuze|wyb|valet"
)


def propose_ballots(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a table with a column for each place."""
    numbered: list[tuple[int, Column]] = []
    for column in roles.free:
        if column.kind == "empty" and not column.name.strip():
            continue
        place = place_of(column.name)
        if place is None and column.kind == "text" and (inside := bracketed(column.name)):
            # "Which topics? [1st place]".
            place = place_of(inside[2])
        if place is not None:
            numbered.append((place, column))
    written = sheet.written and [f"rank{k}" for k in range(1, len(sheet.names) - 1)]
    if numbered and min(place for place, _ in numbered) == 2:
        # Winner, Second, Third.
        best = [c for c in roles.free if roles.by_word.get(c.index) == "winner"]
        best = best or _without_ordinal(roles, numbered)
        numbered = [*((1, c) for c in best[:1]), *numbered]
    if numbered:
        end = max(place for place, _ in numbered)
        kinds = {c.kind for _, c in numbered}
        numbered += [(end + 1, c) for c in roles.free if c.kind in kinds and is_last_place(c.name)]
    chosen = sheet.options.layout == "ballots" or bool(written and written == sheet.names[2:])
    if not numbered:
        numbered = _bare_numbers(roles, numbers=chosen) or _by_ordinals(roles)
        numbered = numbered or _by_points(roles)
    if len(numbered) < 2 and chosen and not written:
        aside = ("ignored", "weight", "count", "voter", "number")
        rest = [c for c in roles.free if roles.by_word.get(c.index) not in aside]
        # Beside names, numbers such as a share of the votes are none.
        rest = [c for c in rest if c.kind == "text"] or rest
        numbered = list(enumerate(rest, 1))
    if not numbered or (len(numbered) < 2 and not chosen and len(sheet.columns) > 1):
        return None
    filled = [(place, c) for place, c in numbered if c.kind != "empty"]
    if not chosen:
        if not filled or (len(filled) < 2 and numbered[0][0] != 1):
            return None
        coded = all(c.numeric for _, c in filled) and _are_codes([c for _, c in filled])
        if coded:
            pass
        elif all(c.numeric for _, c in filled) and not all(_is_sure(c.name) for _, c in filled):
            return _doubtful(sheet, roles, filled)
        if all(c.numeric for _, c in filled) and _looks_wide(filled):
            return _doubtful(sheet, roles, filled)
    numbered.sort(key=lambda pair: pair[0])
    places = Counter(place for place, _ in numbered)
    proposal = Proposal("ballots", {c.index: "ignored" for c in sheet.columns})
    twice = next((place for place, count in places.items() if count > 1), None)
    for place, column in numbered:
        proposal.roles[column.index] = f"choice {place}"
    if twice is not None:
        both = [c for place, c in numbered if place == twice]
        heads = [c.index + 1 for place, c in numbered]
        proposal.findings.append(
            question(
                "which-question",
                f"columns {both[0].shown} and {both[1].shown} both hold rank {twice}: keep only "
                "the columns of one contest",
                Hint("ignore", (",".join(map(str, heads[1::2])),), "to leave out a contest"),
            )
        )
        return proposal
    voter, weight = roles.voter(), roles.weights()
    if voter is None and not chosen:
        voter = names_rows(sheet, roles, numbered[0][1])
    if voter is not None and not proposal.roles[voter.index].startswith("choice"):
        proposal.roles[voter.index] = "voter"
    if weight is not None:
        proposal.roles[weight.index] = "count" if roles.is_counted(weight) else "weight"
    proposal.counted = roles.is_counted(weight)
    columns = [c for _, c in numbered]
    words = _passed_over(sheet, columns)
    note_missing(proposal, words, FAST_NO_VOTES)
    _warn_of_none(sheet, proposal, columns)
    if places and max(places) != len(places) and min(places) == 1 and not chosen:
        gap = next(k for k in range(1, max(places) + 1) if k not in places)
        proposal.findings.append(
            Finding("warning", "missing-place", f"there is no column for place {gap}")
        )
    if not chosen:
        if voter is not None and "voter" not in roles.given:
            _ask_about_voter(proposal, voter, columns)
        _ask_about_items(sheet, roles, proposal, columns)
        ask_about_weights(sheet, roles, proposal)
    note_ignored(proposal, sheet)
    proposal.ballots = lambda: _rows(sheet, proposal, columns, voter, weight)
    return proposal


def _without_ordinal(roles: Roles, numbered: list[tuple[int, Column]]) -> list[Column]:
    """Return the column `Your favourite genre` beside `Your second favourite genre`."""
    second = next(c for place, c in numbered if place == 2)
    words = [word for word in tokens(second.name) if ordinal(word) is None]
    found = [c for c in roles.free if c.kind == "text" and tokens(c.name) == words]
    if not found and words and words[-1] in FAVOURITES:
        # "Your favourite book this term", right before "Second favourite".
        found = [
            c
            for c in roles.free
            if c.index == second.index - 1 and FAVOURITES & set(tokens(c.name))
        ]
    return found


_NONE = frozenset(
    ["noneoftheabove", "noneofthese", "nota", "keinerdavon", "keinesdavon", "keinederoptionen"]
)


def _warn_of_none(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> None:
    """Warn of an item called "None of the above", which some ballots have."""
    names = {cell for c in columns for cell in c.texts(sheet.style)}
    found = next((name for name in sorted(names) if key(name) in _NONE), None)
    if found is not None:
        proposal.findings.append(
            Finding(
                "warning",
                "none-of-the-above",
                f"{show(found)} is read as an item",
                hints=(Hint("missing", (found,), "if it means that there is no answer"),),
            )
        )


def _ask_about_items(sheet: Sheet, roles: Roles, proposal: Proposal, columns: list[Column]) -> None:
    """Ask about a column that names the same items as the choices, and is not one of them."""
    items = {cell for c in columns for cell in c.texts(sheet.style)}
    for column in roles.free:
        names = set(column.texts(sheet.style))
        if (
            proposal.roles[column.index] == "ignored"
            and roles.by_word.get(column.index) != "ignored"
            and not ASSIGNED & set(tokens(column.name))
            and column.kind == "text"
            and len(names) > 1
            and 2 * len(names & items) >= len(names)
        ):
            proposal.findings.append(
                question(
                    "another-choice",
                    f"{column.called} names items too: its name shows no place. Rename it, "
                    "as in 'Choice 4', if it is one",
                    Hint("ignore", (column.name,), "to leave it out"),
                    column=column.name,
                )
            )
            return


def _ask_about_voter(proposal: Proposal, voter: Column, columns: list[Column]) -> None:
    """Ask about a voter column of numbers above a text without a ballot: `41, 33, Valid: 74`."""
    texts = [k for k, v in enumerate(voter.numbers) if v is None and voter.cells[k].strip()]
    bare = [k for k in texts if not any(c.cells[k].strip() for c in columns)]
    if texts and bare == texts and 2 * len(texts) <= len(voter.cells):
        proposal.findings.append(
            question(
                "weights",
                f"{voter.called} may name the voters, or count equal ballots",
                Hint("count", (voter.name,), "if it counts (leave out its totals)"),
                Hint("voter", (voter.name,), "if it names the voters"),
                column=voter.name,
            )
        )


def _may_count(column: Column) -> bool:
    """Return whether `No` or `Number` is above small numbers, which may count equal ballots."""
    values = [value for value in column.numbers if value is not None]
    words = tokens(column.name)
    return len(words) == 1 and words[0] in _NUMBERS and column.whole and max(values) < 1000


_NUMBERS = REFERENCES | AMOUNTS | {"n"}


def ask_about_weights(sheet: Sheet, roles: Roles, proposal: Proposal) -> None:
    """Ask about a column of numbers beside rankings: a weight, or of no concern."""
    if "weight" in proposal.roles.values() or "count" in proposal.roles.values():
        return
    for column in roles.free:
        values = [value for value in column.numbers if value is not None]
        if (
            proposal.roles[column.index] == "ignored"
            and column.kind == "number"
            and column.filled == len(column.cells)
            and (roles.by_word.get(column.index) in (None, "item") or _may_count(column))
            and not {"id", "ids", "code", "token"} & set(tokens(column.name))
            and not has_unit(column.name)
            and len(set(values)) > 1
            and min(values) >= 0
            and not (len(values) > 2 and all(b > a for a, b in pairwise(values)))
        ):
            proposal.findings.append(
                question(
                    "weight",
                    f"{column.called} may be the weight of each ranking, or not matter",
                    Hint("weight", (column.name,), "if it is the weight"),
                    Hint("ignore", (column.name,), "if it does not matter"),
                    column=column.name,
                )
            )
            return


def _bare_numbers(roles: Roles, *, numbers: bool) -> list[tuple[int, Column]]:
    """Return columns of text, or of numbers too, that are called 1, 2, 3 and so on."""
    found = [
        (int(c.name.strip()), c)
        for c in roles.free
        if (c.kind == "text" or numbers) and c.name.strip().isdecimal() and len(c.name.strip()) < 4
    ]
    places = [place for place, _ in found]
    return found if len(found) > 1 and places == list(range(1, len(found) + 1)) else []


def _by_ordinals(roles: Roles) -> list[tuple[int, Column]]:
    """Return columns whose names differ only in first, second, third."""
    groups: dict[tuple[str, ...], list[tuple[int, Column]]] = {}
    for column in roles.free:
        words = tokens(column.name)
        places = [word for word in words if ordinal(word)]
        if column.kind == "text" and len(places) == 1 and len(words) > 1:
            rest = tuple(word for word in words if word not in places)
            groups.setdefault(rest, []).append((ordinal(places[0]) or 0, column))
    found = max(groups.values(), key=len, default=[])
    places_found = sorted(place for place, _ in found)
    return found if len(found) > 1 and places_found == list(range(1, len(found) + 1)) else []


def _by_points(roles: Roles) -> list[tuple[int, Column]]:
    """Return columns such as `12 points` and `10 points`, whose cells name who gets them."""
    names = [c for c in roles.free if c.kind in ("text", "empty")]
    given = {c.index: points_of(c.name) for c in names}
    found = sorted((-points, c.index, c) for c in names if (points := given.get(c.index)))
    different = len({points for points, _, _ in found}) == len(found) > 1
    return list(enumerate((c for _, _, c in found), 1)) if different else []


def _is_sure(name: str) -> bool:
    return _SURE.search(name.casefold()) is not None


def _are_codes(columns: list[Column]) -> bool:
    """Return whether rows hold few different codes, such as 483, 729 and 156, each once."""
    rows = [*zip(*(c.numbers for c in columns), strict=True)]
    codes = {value for row in rows for value in row}
    once = all(len(set(row)) == len(row) for row in rows)
    large = all(value is not None and value > 99 for value in codes)
    return large and once and len(columns) > 1 and len(codes) <= len(columns) + 3 < 2 * len(rows)


def _looks_wide(numbered: list[tuple[int, Column]]) -> bool:
    """Return whether each row holds each place once, as the ranks of items do."""
    columns = [c for _, c in numbered]
    for values in zip(*(c.numbers for c in columns), strict=True):
        if sorted(v or 0 for v in values) != list(range(1, len(columns) + 1)):
            return False
    return len(columns) > 1


def _doubtful(sheet: Sheet, roles: Roles, numbered: list[tuple[int, Column]]) -> Proposal:
    proposal = Proposal("ballots", {c.index: "ignored" for c in sheet.columns})
    for place, column in numbered:
        proposal.roles[column.index] = f"choice {place}"
    proposal.findings.append(
        question(
            "ballots-or-wide",
            f"{numbered[0][1].called} may hold items (ballots) or ranks of an item (wide)",
            Hint("layout", ("ballots", "wide")),
            column=numbered[0][1].name,
        )
    )
    return proposal


def _passed_over(sheet: Sheet, columns: list[Column]) -> dict[str, int]:
    words: Counter[str] = Counter()
    for column in columns:
        for cell, times in Counter(column.cells).items():
            word = cell.strip()
            if word and (is_missing(word, sheet.style) or word.casefold() == "overvote"):
                words[word] += times
    return dict(words)


def _rows(
    sheet: Sheet,
    proposal: Proposal,
    columns: list[Column],
    voter: Column | None,
    weight: Column | None,
) -> Iterator[Ballot]:
    weights, who = read_weights(sheet, weight), voter_names(sheet, voter)
    for k, row in enumerate(sheet.rows):
        buckets = []
        for column in columns:
            cell = column.cells[k]
            if cell.strip().casefold() == "overvote":
                break
            if not is_missing(cell, sheet.style):
                buckets.append([cell.strip()])
        yield Ballot(who[k], buckets, 1 if weights is None else weights[k], row)
