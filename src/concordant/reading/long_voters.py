"""Who the voters of a long table are: the column, or the columns together, that name them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import combinations

from concordant.errors import Hint
from concordant.reading.cells import Column
from concordant.reading.long_values import ASIDE
from concordant.reading.outcome import Proposal, Roles, question
from concordant.reading.places import is_ranking, once
from concordant.reading.sheet import Sheet
from concordant.reading.vocabulary import GROUPS, JUDGES
from concordant.reading.words import is_reference, tokens


def is_group(column: Column) -> bool:
    """Return whether a column names groups of people or places, by its name."""
    return bool(GROUPS & set(tokens(column.name)))


def named_voters(sheet: Sheet, roles: Roles, value: Column, item: Column | None) -> list[Column]:
    """Return the columns that may name voters by their words."""
    found = [c for c in roles.of("voter") if c not in (value, item)]
    found = [c for c in found if c.kind != "empty"] or found[:1]
    if not found and item is not None:
        found = [c for c in roles.of("name", "source", "right") if c not in (value, item)]
        found = [c for c in found if c.kind == "text" or roles.by_word.get(c.index) == "name"][:1]
    # A number that each row has once names the row.
    repeated = [c for c in found if len(set(map(str.strip, c.cells))) < len(c.cells)]
    if repeated and "voter" not in roles.given:
        found = [c for c in found if c in repeated or not is_reference(c.name)]
    if found and item is not None and not {"voter", "item"} & set(roles.given):
        # The engine that returned each page, beside the query.
        more = [c for c in roles.of("item") if c not in (value, item) and c.kind == "text"]
        if not tell_apart([item, *found]):
            found += [c for c in more if tell_apart([item, *found, c])][:1]
    return found


def is_whole(value: Column) -> bool:
    """Return whether a column of places is one ranking of all rows."""
    return once(value.numbers) and len(value.cells) > 2


def tell_apart(columns: Sequence[Column]) -> bool:
    """Return whether columns together differ in every row."""
    rows = list(zip(*(map(str.strip, c.cells) for c in columns), strict=True))
    return len(set(rows)) == len(rows)


def other_text(
    sheet: Sheet, roles: Roles, value: Column, voters: Sequence[Column]
) -> Column | None:
    """Return the one column that can name the items, where the voter is known."""
    others = [
        c
        for c in roles.free
        if c is not value
        and c not in voters
        and c.kind in ("text", "number")
        and roles.by_word.get(c.index) not in (*ASIDE, "rank", "score", "low score")
    ]
    named = [c for c in others if roles.by_word.get(c.index) == "name"]
    others = named or [c for c in others if c.kind == "text"] or others
    keys = list(zip(*(v.cells for v in voters), strict=True))
    others = [c for c in others if len(set(zip(keys, c.cells, strict=True))) == len(keys)]
    return max(others, key=lambda c: -c.index) if len(others) == 1 or named else None


def _ranks(voter: Column, value: Column) -> bool:
    """Return whether each voter has the places from 1 on."""
    return all(is_ranking(group) for group in places_of([voter], value))


def by_structure(sheet: Sheet, roles: Roles, value: Column) -> tuple[Column | None, list[Column]]:
    """Find voter and item among two columns of text: within a voter, each place occurs once."""
    texts = [c for c in roles.free if c.kind == "text" and roles.by_word.get(c.index) not in ASIDE]
    if len(texts) != 2 or len(set(zip(texts[0].cells, texts[1].cells, strict=True))) < len(
        texts[0].cells
    ):
        return None, []
    fits = [_ranks(c, value) for c in texts]
    many = [len(set(c.cells)) < len(c.cells) for c in texts]
    fits = [fit and repeated for fit, repeated in zip(fits, many, strict=True)]
    if fits[0] == fits[1] and all(many):
        # The member of a jury, beside the student who is judged.
        fits = [bool(JUDGES & set(tokens(c.name))) for c in texts]
    if fits[0] == fits[1]:
        return None, []
    voter, item = (texts[0], texts[1]) if fits[0] else (texts[1], texts[0])
    return item, [voter]


def voter_by_structure(sheet: Sheet, roles: Roles, value: Column, item: Column) -> Column | None:
    """Find the column that names voters: with the item, it tells all rows apart."""
    others = [
        c
        for c in roles.free
        if c not in (value, item)
        and c.kind != "empty"
        and roles.by_word.get(c.index)
        not in ("weight", "count", "total", "rank", "score", "low score")
        and (roles.by_word.get(c.index) != "item" or is_group(c) or _ranks(c, value))
    ]
    filled = [k for k, cell in enumerate(item.cells) if cell.strip()]
    names = [item.cells[k].strip() for k in filled]
    if len(set(names)) == len(names) or is_whole(value):
        # All items differ: one ranking, or a voter of one item each.
        return None
    cells = [(c, [c.cells[k] for k in filled]) for c in others]
    good = [
        c
        for c, who in cells
        if len(set(zip(who, names, strict=True))) == len(names)
        and 1 < len(set(who)) < len(names)
        # An age names nobody, but the seed of a run has all its rows.
        and (not c.numeric or roles.by_word.get(c.index) != "ignored" or _all_repeat(who))
    ]
    if len(good) > 1:
        fine = [c for c in good if _ranks(c, value)]
        good = fine or good
        plain = [c for c in good if roles.by_word.get(c.index) != "ignored" and c.kind == "text"]
        good = plain or good
    return good[0] if len(good) == 1 else None


def _all_repeat(cells: Sequence[str]) -> bool:
    return all(count > 1 for count in Counter(cells).values())


def enough(
    sheet: Sheet, proposal: Proposal, voters: list[Column], item: Column, value: Column
) -> list[Column]:
    """Choose among several columns of voters: the one that tells all rows of an item apart."""
    if len(voters) < 2:
        return voters
    rows = [k for k, cell in enumerate(item.cells) if cell.strip()]

    def unique(columns: Sequence[Column]) -> bool:
        seen = {(item.cells[k], *(c.cells[k] for c in columns)) for k in rows}
        return len(seen) == len(rows)

    single = [c for c in voters if unique([c])]
    # The number of a run, which each row has once, names no voter.
    single = [c for c in single if len(set(map(str.strip, c.cells))) < len(rows)] or single
    if len(single) == 1:
        chosen = single
    elif not single:
        chosen = voters if unique(voters) else voters[:1]
        proposal.changed = proposal.changed or len(chosen) > 1
    else:
        ranked = [c for c in single if _ranks(c, value)]
        varied = [c for c in ranked or single if len(set(c.cells)) > 1]
        # "Imola" rather than "2".
        varied.sort(key=lambda c: c.kind != "text")
        chosen = varied[:1] or single[:1]
        names = {tuple(_partition(c)) for c in varied or single}
        if len(names) > 1:
            proposal.findings.append(
                question(
                    "which-voter",
                    f"columns {' and '.join(c.shown for c in varied[:2])} may both name the voter",
                    Hint("voter", tuple(c.name for c in varied)),
                )
            )
    for column in voters:
        proposal.roles[column.index] = "voter" if column in chosen else "ignored"
    return chosen


def told_apart(
    sheet: Sheet,
    roles: Roles,
    proposal: Proposal,
    voters: list[Column],
    item: Column,
    value: Column,
) -> list[Column]:
    """Return the column of questions as the voter, where one judge marks each item several times.

    With several judges, the marks of a judge may be meant to be added up: nothing is changed.
    """
    rows = [k for k, cell in enumerate(item.cells) if cell.strip()]

    def apart(columns: Sequence[Column]) -> bool:
        return len({tuple(c.cells[k].strip() for c in columns) for k in rows}) == len(rows)

    single = all(len(set(c.cells)) == 1 for c in voters)
    if not voters or {"voter", "item"} & set(roles.given) or not single or apart([item]):
        return voters
    others = [
        c
        for c in sheet.columns
        if c not in (item, value, *voters)
        and c.kind in ("text", "number")
        and c.whole
        and all(cell.strip() for cell in c.cells)
        and len(set(c.cells)) > 1
        and _all_repeat(c.cells)
    ][:_MOST_OTHERS]
    tries = [[c] for c in others] + [list(pair) for pair in combinations(others[:6], 2)]
    found = [each for each in tries if apart([item, *each])]
    fewest = [each for each in found if len(each) == len(found[0])]
    if len({tuple(_partition(*each)) for each in fewest}) != 1:
        return voters
    proposal.roles |= dict.fromkeys((c.index for c in voters), "ignored")
    proposal.roles |= dict.fromkeys((c.index for c in fewest[0]), "voter")
    proposal.changed = True
    return fewest[0]


def finer(roles: Roles, voters: list[Column], item: Column, value: Column) -> list[Column]:
    """Add the column that makes a ranking of the places of each: the year of a publication.

    Without voters, two columns may name them together.
    """
    if "voter" in roles.given or "item" in roles.given or roles.by_word.get(value.index) != "rank":
        return voters
    others = [
        c
        for c in roles.free
        if c not in (item, value, *voters)
        and all(cell.strip() for cell in c.cells)
        and roles.by_word.get(c.index) not in (*ASIDE[1:], "rank", "score", "low score")
    ]
    ties = _ties(places_of(voters, value))
    if not ties or len(others) > _MOST_OTHERS:
        return voters
    columns = [[*voters, c] for c in others]
    columns += [] if voters else [list(pair) for pair in combinations(others[:6], 2)]
    for found in columns:
        groups = places_of(found, value)
        # Two years together have each place twice, which looks like ties.
        if (
            4 * _ties(groups) <= ties
            and all(len(g) > 1 and is_ranking(g) for g in groups)
            and tell_apart([item, *found])
        ):
            return sorted(found, key=lambda c: c.index)
    return voters


_MOST_OTHERS = 12


def _ties(groups: list[list[float]]) -> int:
    return sum(len(group) - len(set(group)) for group in groups)


def places_of(voters: Sequence[Column], value: Column) -> list[list[float]]:
    """Return the values of each of the voters that several columns name."""
    groups: dict[int, list[float]] = {}
    who = _partition(*voters) if voters else [0] * len(value.cells)
    for each, number in zip(who, value.numbers, strict=True):
        if number is not None:
            groups.setdefault(each, []).append(number)
    return list(groups.values())


def _partition(*columns: Column) -> list[int]:
    """Number the rows by what their cells in some columns are."""
    index: dict[tuple[str, ...], int] = {}
    rows = zip(*(map(str.strip, c.cells) for c in columns), strict=True)
    return [index.setdefault(row, len(index)) for row in rows]
