"""Whether the numbers of a wide table are ranks or scores, and which end is best."""

from __future__ import annotations

import re
from collections.abc import Set

from concordant.errors import Hint, InputError, listed, show
from concordant.reading.cells import Column
from concordant.reading.ends import (
    LOW,
    ORDERS,
    PLACES,
    POINTS,
    SYSTEM,
    best_end,
    goal_end,
    is_p_value,
    metric_end,
    speaks_of_places,
)
from concordant.reading.findings import Finding
from concordant.reading.outcome import Proposal, question
from concordant.reading.places import (
    Vector,
    is_zero_based,
    may_be_places,
    share_of_ranks,
)
from concordant.reading.sheet import Sheet
from concordant.reading.shown_ends import by_file_name, by_final_rank, by_order, said_ends
from concordant.reading.totals import adds_up
from concordant.reading.vocabulary import COUNTED, LIKING, METRICS
from concordant.reading.words import column_role, key, tokens
from concordant.reading.zeros import ask_about_zeros

# The usual scales of points end here.
_SCALE_TOPS = (5, 10)
AS_SCORES = Hint("values", ("scores",), "if the highest is best")
AS_RANKS = Hint("values", ("ranks",), "if the lowest is best")


def vectors_of(columns: list[Column], *, transposed: bool, zero: bool = True) -> list[Vector]:
    """Return the values of each voter; 0 means not ranked."""
    by_column = [
        [None if v == 0 and zero and c.kind != "time" else v for v in c.numbers] for c in columns
    ]
    if transposed:
        return by_column
    return [[values[k] for values in by_column] for k in range(len(columns[0].cells))]


def decide_values(
    sheet: Sheet, proposal: Proposal, columns: list[Column], *, transposed: bool
) -> None:
    """Decide whether cells are ranks or scores; ask where that is not clear."""
    _decide(sheet, proposal, columns, transposed=transposed)
    by_order(sheet, proposal, columns)
    by_file_name(sheet, proposal, columns)
    if proposal.values == "scores" and not proposal.questions:
        texts = _words_above(sheet, proposal, totals=False)
        asked = ask_about_zeros(sheet, columns, (*texts, *(sheet.names[c.index] for c in columns)))
        proposal.findings += [] if asked is None else [asked]


def _decide(sheet: Sheet, proposal: Proposal, columns: list[Column], *, transposed: bool) -> None:
    values = sheet.options.values
    if values is not None:
        proposal.values = values
        return
    if {best_end(text) for text in sheet.titles} >= {"ranks", "scores"}:
        why = "one text beside the table says that the lowest is best, another the highest"
        proposal.findings.append(question("ranks-or-scores", why, AS_SCORES, AS_RANKS))
        return
    if not any(c.ticked for c in columns) and _said(sheet, proposal, columns):
        return
    if all(c.points for c in columns):
        proposal.values = "scores"
        proposal.changed = True
        note = "cells are stars or points: the highest is best"
        proposal.findings.append(Finding("note", "points", note))
        return
    if all(c.kind == "time" for c in columns) or _are_distances(columns):
        proposal.values = "ranks"
        proposal.findings.append(Finding("note", "times", "cells are times: the lowest is best"))
        return
    if by_final_rank(sheet, proposal, columns):
        return
    vectors = vectors_of(columns, transposed=transposed)
    n_items = len(sheet.rows) if transposed else len(columns)
    raw = vectors_of(columns, transposed=transposed, zero=False)
    if is_zero_based(raw):
        proposal.findings.append(
            question(
                "zero",
                "places begin at 0: 0 may be the best place, or mean not ranked",
                Hint("values", ("ranks",), "if 0 is the best place"),
                Hint("missing", ("0",), "if 0 means not ranked"),
            )
        )
        return
    if len(vectors) > 1 and len({v for vector in raw for v in vector if v is not None}) == 1:
        raise InputError("all cells are equal, so no item is before another")
    places = sum(c.kind == "place" for c in columns)
    if any(c.unclear for c in columns):
        word = next(cell for c in columns if c.unclear for cell in c.cells if cell.strip())
        if any(c.ticked for c in columns):
            why = f"{show(word.strip())} marks some items, which gives no order"
            hint = Hint("values", ("scores",), "if what is marked comes before what is not")
            proposal.findings.append(question("ticks", why, hint))
            return
        texts = [*sheet.titles, *sheet.questions.values(), *sheet.names]
        if any(LIKING & set(tokens(text)) for text in texts if "?" in text):
            # "Did you like it?"
            proposal.values, proposal.changed = "scores", True
            return
        why = f"the cells are words such as {show(word.strip())}, whose best end is not clear"
        proposal.findings.append(question("ranks-or-scores", why, AS_SCORES, AS_RANKS))
        return
    proposal.values = "ranks"
    if share_of_ranks(vectors, n_items) == 1 or places == len(columns):
        _check_scale(sheet, proposal, columns, vectors, n_items)
        _check_words(sheet, proposal, columns)
        _check_first(proposal, columns, vectors)
        return
    proposal.values = None
    found = [v for vector in vectors for v in vector if v is not None]
    marked = [c for c in columns if c.marked or c.kind == "place"]
    marked = marked if any(map(_is_place, (cell for c in marked for cell in c.cells))) else []
    most = max((v for c in marked for v in c.numbers if v is not None), default=0)
    alike = all(v is None or v <= 5 * most for c in columns for v in c.numbers)
    marked = marked if alike and min(found, default=0) > 0 and _are_whole(columns) else []
    if marked and 2 * len(marked) >= len(columns):
        # "=40" and "351-400" are places, of which others may have the rest.
        proposal.values, proposal.changed = "ranks", True
        note = "cells such as '=2' and '3-5' are places: the lowest is best"
        proposal.findings.append(Finding("note", "best-end", note))
        return
    if found and (
        _measured(sheet, proposal, columns, vectors)
        or _by_row(sheet, proposal)
        or _by_winner(sheet, proposal, columns)
        or _placed(sheet, proposal, vectors)
        or _shared_out(proposal, columns, raw)
    ):
        return
    shown = ", ".join(f"{value:g}" for value in list(dict.fromkeys(found))[:4])
    if not found:
        raise InputError("no cell holds a rank or a score")
    if max(found) > n_items or any(v != int(v) for v in found) or min(found) < 0:
        why = f"the values ({shown}, …) are not places of {n_items} items"
    else:
        why = f"values repeat or have gaps ({shown}, …): they may be ranks or scores"
    row = _first_wrong(sheet, vectors, transposed=transposed, n_items=n_items)
    proposal.findings.append(question("ranks-or-scores", why, AS_SCORES, AS_RANKS, row=row))


_DISTANCE = re.compile(r"\s*\d{2,5}\s?(?:m|y|yd|yds|km|k)?\b")


def _are_distances(columns: list[Column]) -> bool:
    """Return whether columns hold times for distances: 1:05.12 for `100 Free`, 29.84 for `50`."""
    return (
        any(c.kind == "time" for c in columns)
        and all(_DISTANCE.match(c.name) for c in columns)
        and all(c.kind == "time" or not c.whole for c in columns)
    )


def _said(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> bool:
    """Follow what the words of the table say about the best end: `1 = best`, `Accuracy ↑`."""
    ends = said_ends(sheet, columns)
    each = [sheet.goals.get(c.index) or best_end(sheet.names[c.index]) for c in columns]
    if all(each):
        # What the columns say of themselves comes before the words around them.
        ends = set()
    elif len(ends) == 1 and set(each) - ends - {None}:
        return False
    if not ends and not proposal.transposed and len(set(each) - {None}) == 1:
        ends = set(each) - {None}
    return _follow(sheet, proposal, columns, ends, each)


def _measured(
    sheet: Sheet, proposal: Proposal, columns: list[Column], vectors: list[Vector]
) -> bool:
    """Follow the words for what the numbers are: `Judge 1 score`, `RMSE`, a title with points."""
    large = max((v or 0 for c in columns for v in c.numbers), default=0) > 6
    each = [_end_of(sheet, column, large=large) for column in columns]
    faults = any(LOW & set(tokens(sheet.names[c.index])) for c in columns)
    mixed = {"ranks", "scores"} <= set(each) and not faults
    if not sheet.goals and mixed and _are_added(sheet, columns):
        # The points of a decathlon: nobody adds seconds to metres.
        proposal.values, proposal.changed = "scores", True
        note = "the columns add up to a total, so they hold points: the highest is best"
        proposal.findings.append(Finding("note", "points", note))
        return True
    # Where each column says what it measures, their total shows nothing more.
    above = _words_above(sheet, proposal, totals=not all(each))
    corner = {sheet.names[k] for k, role in proposal.roles.items() if role == _corner(proposal)}
    ends = {metric_end(text, large=large, title=text not in corner) for text in above} - {None}
    totals = [c.name for c in sheet.columns if column_role(c.name) == "total"]
    if not any(each) and any(COUNTED & set(tokens(name)) for name in totals):
        # "Total votes".
        ends.add("scores")
    shares = all(0 <= (v or 0) <= 1 for c in columns for v in c.numbers)
    if shares and not any(each) and any(map(is_p_value, above)):
        ends.add("ranks")
    if any(each) and ends and "ranks" in each:
        return False
    if not may_be_places(vectors) and any(
        end == "ranks" and speaks_of_places(sheet.names[c.index])
        for c, end in zip(columns, each, strict=True)
    ):
        # "Rank these from 1 to 10" above 8, 6, 8, 3.
        return False
    if not _follow(sheet, proposal, columns, ends, each):
        return False
    # Of an amount, 0 is one too.
    proposal.measured = proposal.measured or (
        proposal.values == "ranks" and not any(speaks_of_places(text) for text in above)
    )
    return True


_PLACED = re.compile(
    r"=\d+|\d+=|#\d+|\d+(?:st|nd|rd|th|er|e|ème|º|ª|te|ter)\.?|(\d+)\s?[-–]\s?(\d+)"
)


def _is_place(cell: str) -> bool:
    """Return whether a cell is a place for sure: =40, or a band as wide as 101-150."""
    match = _PLACED.fullmatch(cell.strip())
    return match is not None and (not match[1] or int(match[2]) - int(match[1]) > 3)


def _are_whole(columns: list[Column]) -> bool:
    return all(c.whole for c in columns)


def _are_added(sheet: Sheet, columns: list[Column]) -> bool:
    """Return whether another column has the sums of whole numbers in columns."""
    others = [c for c in sheet.columns if c not in columns]
    return _are_whole(columns) and any(adds_up(c, columns, complete=True) for c in others)


def _placed(sheet: Sheet, proposal: Proposal, vectors: list[Vector]) -> bool:
    """Follow a title that speaks of places, where others had some of the places."""
    texts = _words_above(sheet, proposal, totals=False)
    words = {word for text in texts for word in tokens(text)}
    if not words & PLACES or words & POINTS or not may_be_places(vectors):
        return False
    proposal.values, proposal.changed = "ranks", True
    note = "the words above the numbers say that they are places: the lowest is best"
    proposal.findings.append(Finding("note", "best-end", note))
    return True


def _shared_out(proposal: Proposal, columns: list[Column], vectors: list[Vector]) -> bool:
    """Read points that each voter shares out, such as 100: the more the better."""
    given = [[v or 0 for v in vector] for vector in vectors if any(vector)]
    sums = {round(sum(values), 6) for values in given}
    most = len(sums) == 1 and len(given) > 1 and sums.pop()
    few = len(given) < 3 or not any(0 in values for values in given)
    if most not in _POTS or (most < 100 and few) or any(min(values) < 0 for values in given):
        return False
    ranked = [k for k in range(len(columns[0].cells)) if any(c.numbers[k] for c in columns)]
    for column in columns:
        # No points, and not no opinion.
        empty = [k for k in ranked if not column.cells[k].strip()]
        if any(column.numbers) or not proposal.transposed:
            column.numbers = [0.0 if k in empty else v for k, v in enumerate(column.numbers)]
    proposal.values, proposal.changed = "scores", True
    note = f"each voter gives {most:g} points in all: the highest is best"
    proposal.findings.append(Finding("note", "points", note))
    return True


# Points that people are given to share out.
_POTS = (10, 20, 50, 100, 1000)


def _by_row(sheet: Sheet, proposal: Proposal) -> bool:
    """Follow a column that names what each row measures: `WER ↓`, `accuracy`."""
    if proposal.transposed:
        return False
    for column in sheet.columns:
        cells = [cell.strip() for cell in column.cells]
        if column.kind != "text" or proposal.roles.get(column.index) not in ("ignored", "voter"):
            continue
        ends = [goal_end(cell) or best_end(cell) or metric_end(cell) for cell in cells]
        named = len(set(cells)) > 1 or METRICS & set(tokens(column.name))
        if not named or not all(ends):
            continue
        proposal.values, proposal.changed = "scores", True
        proposal.reverse_rows = frozenset(k for k, end in enumerate(ends) if end == "ranks")
        note = f"{column.shown} names what each row measures, and so which end is best"
        proposal.findings.append(Finding("note", "best-end", note))
        return True
    return False


def named_winners(sheet: Sheet, columns: list[Column]) -> list[list[Column]] | None:
    """Return the columns that a column of winners names in each row: `Sieger`, `Boris + Dörte`."""
    names = {key(c.name): c for c in columns}
    for winner in sheet.columns:
        if winner.kind != "text" or column_role(winner.name) not in ("winner", "outcome", "rank"):
            continue
        cells = [[key(name) for name in _BOTH.split(cell.strip()) if name] for cell in winner.cells]
        if any(cells) and all(name in names for cell in cells for name in cell):
            return [[names[name] for name in cell] for cell in cells]
    return None


_BOTH = re.compile(r"\s*(?:[+&/,;]|\b(?:and|und|et|y|e|en|i|och)\b)\s*")


def _by_winner(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> bool:
    """Follow a column that names the best of each row."""
    winners = None if proposal.transposed else named_winners(sheet, columns)
    ends: dict[int, str | None] = {}
    for k, best in enumerate(winners or ()):
        given = {v for c in columns if (v := c.numbers[k]) is not None}
        if best and len(given) > 1:
            found = {c.numbers[k] for c in best}
            high, low = found == {max(given)}, found == {min(given)}
            ends[k] = "scores" if high else "ranks" if low else None
    found_ends = set(ends.values())
    if not found_ends or None in found_ends:
        return False
    if len(found_ends) > 1 and len(ends) < len(sheet.rows):
        # Another end for each game, and a game without a winner.
        return False
    proposal.values = "scores" if "scores" in found_ends else "ranks"
    proposal.changed = True
    most = "highest" if proposal.values == "scores" else "lowest"
    but = ""
    if len(found_ends) > 1:
        proposal.reverse_rows = frozenset(k for k, end in ends.items() if end == "ranks")
        but = ", and in other rows the lowest"
    note = f"the column of winners shows that the {most} is best{but}"
    proposal.findings.append(Finding("note", "best-end", note))
    return True


def _end_of(sheet: Sheet, column: Column, *, large: bool) -> str | None:
    """Return the best end of a column, by its name or by its cells."""
    name = sheet.names[column.index]
    by_cells = "ranks" if column.kind == "time" else "scores" if column.points else None
    if by_cells is None and is_p_value(name) and all(0 <= (v or 0) <= 1 for v in column.numbers):
        by_cells = "ranks"
    said = sheet.goals.get(column.index) or best_end(name)
    return said or by_cells or metric_end(name, large=large)


def _corner(proposal: Proposal) -> str:
    """Return the role of the column that names the rows."""
    return "item" if proposal.transposed else "voter"


def _words_above(sheet: Sheet, proposal: Proposal, *, totals: bool) -> list[str]:
    """Return the texts that speak of all numbers: titles, questions, the corner, totals."""
    names = [
        name
        for k, name in enumerate(sheet.names)
        if proposal.roles.get(k) == _corner(proposal)
        or (
            totals
            and proposal.roles.get(k) == "ignored"
            and column_role(name) in ("total", "score")
        )
    ]
    return [*sheet.titles, *sheet.questions.values(), *names]


def _follow(
    sheet: Sheet,
    proposal: Proposal,
    columns: list[Column],
    ends: Set[str | None],
    each: list[str | None],
) -> bool:
    """Take the best end that all texts, or the names of all columns, agree on."""
    low = [c for c, end in zip(columns, each, strict=True) if end == "ranks"]
    if len(ends) == 1:
        (proposal.values,) = ends
    elif not ends and all(each) and (proposal.transposed or len(low) in (0, len(columns))):
        proposal.values = "ranks" if len(low) == len(columns) else "scores"
        if proposal.values == "scores":
            proposal.reverse = frozenset(c.index for c in low)
    if proposal.values == "scores" and any(
        c.marked and c.index not in proposal.reverse for c in columns
    ):
        # "=7" is a place.
        proposal.values = None
    if proposal.values is None:
        return False
    best = "highest" if proposal.values == "scores" else "lowest"
    proposal.measured = any(
        metric_end(sheet.names[c.index]) == "ranks" or is_p_value(sheet.names[c.index])
        for c in columns
    )
    but = f", but for {listed([sheet.names[k] for k in sorted(proposal.reverse)], 3)}"
    proposal.changed = True
    proposal.findings.append(
        Finding(
            "note",
            "best-end",
            f"the words above the numbers say that the {best} is best"
            f"{but if proposal.reverse else ''}",
        )
    )
    return True


def _check_scale(
    sheet: Sheet, proposal: Proposal, columns: list[Column], vectors: list[Vector], n_items: int
) -> None:
    """Ask where all cells fit ranks, but so many tie that they may be levels of a scale."""
    if any(c.marked for c in columns):
        return
    tied = total = 0
    tops: set[float] = set()
    for vector in vectors:
        values = [v for v in vector if v is not None]
        if len(values) > 1:
            total += 1
            tied += len(set(values)) < len(values)
            tops.add(max(values))
    levels = {v for vector in vectors for v in vector if v is not None}
    words = {word for text in _words_above(sheet, proposal, totals=False) for word in tokens(text)}
    if (
        n_items > 3
        and total > 1
        and (2 * tied > total if max(levels) in _SCALE_TOPS else tied == total > 3)
        and (max(levels) in _SCALE_TOPS or len(tops) == 1)
        and not words & PLACES
        and levels <= {float(k) for k in range(1, 11)}
    ):
        # Places of everyone tie somewhere: more likely points from 1 to 5.
        proposal.values = None
        proposal.findings.append(
            question(
                "ranks-or-scores",
                f"most voters give some items the same number, up to {max(levels):g}: these may "
                "be ranks with ties, or scores",
                AS_SCORES,
                AS_RANKS,
            )
        )
        return
    if n_items > 2 and total > 2 and tied == total and len(tops) == 1:
        # Every voter ties, and all use the same levels, as on a scale of three levels.
        levels_used = {v for vector in vectors for v in vector if v is not None}
        if len(levels_used) < n_items and levels_used == set(range(1, len(levels_used) + 1)):
            proposal.values = None
            proposal.findings.append(
                question(
                    "ranks-or-scores",
                    f"every voter uses the levels 1 to {len(levels_used)}: these may be ranks with "
                    "ties, or scores",
                    AS_SCORES,
                    AS_RANKS,
                )
            )


def _check_words(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> None:
    """Ask where the numbers are places, but a word says that they are points."""
    above = [sheet.grid.file, *_words_above(sheet, proposal, totals=False)]
    words = {word for text in above for word in tokens(SYSTEM.sub(" ", text))}
    named = all(metric_end(sheet.names[c.index]) == "scores" for c in columns)
    said = words & (PLACES | ORDERS) or all(c.kind == "place" for c in columns)
    if (named or words & POINTS) and not said and not proposal.questions:
        proposal.values = None
        proposal.findings.append(
            question(
                "ranks-or-scores",
                "the numbers are places by their values, and points by the words above them",
                AS_SCORES,
                AS_RANKS,
            )
        )


def _check_first(proposal: Proposal, columns: list[Column], vectors: list[Vector]) -> None:
    """Ask where the numbers fit places, but nobody has a first place: 5, 3 and 2 points."""
    given = [[v for v in vector if v is not None] for vector in vectors]
    several = [values for values in given if len(values) > 1]
    marked = any(c.marked for c in columns)
    if marked or proposal.questions or len(several) < 3:
        return
    if all(min(values) > 1 for values in several):
        proposal.values = None
        why = "nobody gives a 1, so the numbers may be places of more items, or points"
        proposal.findings.append(question("ranks-or-scores", why, AS_SCORES, AS_RANKS))


def _first_wrong(
    sheet: Sheet, vectors: list[Vector], *, transposed: bool, n_items: int
) -> int | None:
    if transposed:
        return None
    for k, vector in enumerate(vectors):
        if share_of_ranks([vector], n_items) < 1 and any(v is not None for v in vector):
            return sheet.line(sheet.rows[k])
    return None
