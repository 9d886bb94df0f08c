"""Files of several tables, such as spreadsheets and web pages: which table is read, or all as one.

A file with a table for each judge is read as one table, with the names of the tables as voters. If
it is not clear which table is meant, the reader asks for `sheet`.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

from concordant.errors import Hint, InputError, InputWarning, show
from concordant.formats.common.source import Source
from concordant.formats.common.tables import read_grid
from concordant.rankings import Rankings
from concordant.reading.decide import Decision, recognise
from concordant.reading.findings import Finding, QuestionError
from concordant.reading.grid import Grid
from concordant.reading.lexicon import SUMMARIES
from concordant.reading.long_values import total_of_parts
from concordant.reading.options import Options, make_options
from concordant.reading.outcome import Roles
from concordant.reading.sheet import Sheet
from concordant.reading.words import is_word, tokens
from concordant.tables.columns import Plan

# More tables are not compared, one by one.
_MOST_TABLES = 40
# The header of a table is one of its first rows.
_MOST_TITLES = 12
# The letters of names that a message lists.
_ROOM = 120


@dataclass
class Tab:
    """A table of a file with several.

    Attributes:
        name: Its name, which `sheet` chooses.
        shown: Its name with the word for such a table, for messages.
        rows: The rows that are not empty.
        numbers: Their numbers in the table, from 1.
        titles: Texts beside the table.
        others: The names of the other tables that are not empty.
    """

    name: str
    shown: str
    rows: list[list[str]]
    numbers: list[int]
    titles: tuple[str, ...] = ()
    others: list[str] = field(default_factory=list)

    def grid(self, kind: str, titles: tuple[str, ...] = ()) -> Grid:
        """Return the cells as a grid of a format, with further titles."""
        grid = Grid([*self.rows], [*self.numbers], format=kind, plain=False)
        grid.titles = (*titles, *self.titles)
        return grid

    @property
    def is_note(self) -> bool:
        """Whether the table has one column of text only, such as instructions."""
        filled = {k for row in self.rows for k, cell in enumerate(row) if cell}
        if len(filled) != 1:
            return False
        cells = [cell for row in self.rows for cell in row if cell]
        sentences = sum(cell.rstrip()[-1:] in (*".!?:",) or len(cell.split()) > 6 for cell in cells)
        listed = any("," in cell or ">" in cell for cell in cells)
        return 2 * sentences > len(cells) or not listed


class Book(Protocol):
    """A file of several tables.

    Attributes:
        format: The name of its format.
        noun: The word for one of its tables.
        picks: Whether the first table is read where the others have other columns. If not, it is
            asked which is meant, unless one alone can be read.
    """

    format: str
    noun: str
    picks: bool

    def open(self, name: str | None) -> Tab:
        """Return a table; without a name, the first that is not empty."""

    def read(self, tab: Tab, options: Options, given: dict[str, Any]) -> Rankings:
        """Read a table; the line of an error is the row of the table."""


def read_book(source: Source, book: Book, sheet: str | None, given: dict[str, Any]) -> Rankings:
    """Read a table of a file, or all as one.

    Args:
        source: The file.
        book: Its tables.
        sheet: The name of the table to read, if one was chosen.
        given: The options for tables.
    """
    options = make_options(given)
    found = book.open(sheet)
    said: tuple[str, ...] = ()
    if sheet is None and options.layout is None and found.others and found.is_note:
        said = tuple(cell for row in found.rows for cell in row if cell)
        found = replace(book.open(found.others[0]), others=found.others[1:])
    if sheet is None and found.others and not book.picks:
        found = _readable(source, book, found, options)
    joined = None
    if sheet is None and found.others and not given:
        joined = _one_per_judge(book, found, said)
        if joined is None and len(found.others) > 1 and _is_summary(found.name):
            # The sums stand first.
            second = replace(book.open(found.others[0]), others=found.others[1:])
            joined = _one_per_judge(book, second, said)
    if joined is not None:
        table, roles = joined
        return read_grid(source, table, make_options(roles), fast=_never, whole=lambda: table)
    if sheet is None and found.others and (not given or not book.picks):
        _ask_for_sheet(source, book, found)
    # The first sheet may hold notes, and another one the votes.
    others = Hint("sheet", few_names(found.others), f"to read another {book.noun}")
    try:
        rankings = book.read(found, options, given)
    except QuestionError as error:
        asked = error.questions[0]
        row = "" if asked.row is None else f", row {asked.row}"
        named = replace(asked, message=f"{found.shown}{row}: {asked.message}", row=None)
        questions = [named, *error.questions[1:]]
        raise QuestionError(questions, source.path, error.inspection) from None
    except InputError as error:
        row = "" if error.line is None else f", row {error.line}"
        hints = [*error.hints, others] if found.others else error.hints
        message = f"{found.shown}{row}: {error.message}"
        raise source.error(message, hints=hints) from None
    if found.others:
        warnings.warn(
            InputWarning(
                f"reads {found.shown}, but other {book.noun}s are not empty either",
                path=source.path,
                hints=[others],
            ),
            stacklevel=3,
        )
    return rankings


def _never(plan: Plan) -> Rankings:
    raise InputError("the tables cannot be joined")


def _readable(source: Source, book: Book, first: Tab, options: Options) -> Tab:
    """Return the first table that may hold rankings; its others are those that may as well.

    If no table may hold rankings, the first one is returned, which is refused when it is read.
    """
    names = [first.name, *first.others]
    if len(names) > _MOST_TABLES:
        why = f"there are {len(names)} {book.noun}s"
        raise QuestionError([_which(book, names, why)], path=source.path)
    found = [tab for tab in map(book.open, names) if _may_be_read(book, tab, options)]
    if not found:
        return first
    return replace(found[0], others=[tab.name for tab in found[1:]])


def _may_be_read(book: Book, tab: Tab, options: Options) -> bool:
    try:
        recognise(tab.grid(book.format), options)
    except QuestionError:
        return True
    except InputError:
        return False
    return True


def _alone(book: Book, tab: Tab, said: tuple[str, ...]) -> tuple[Decision, dict[str, str]] | None:
    """Return the reading of a table of one ranking, by a total of its parts if need be."""
    for by_total in (False, True):
        roles: dict[str, str] = {}
        try:
            if by_total:
                sheet = Sheet(tab.grid(book.format), make_options({}))
                total = total_of_parts(Roles(sheet))
                if total is None or len(sheet.texts) != 1:
                    return None
                roles = {"score": total.name, "item": sheet.texts[0].name}
            found = recognise(tab.grid(book.format, said), make_options(roles))
        except InputError:
            continue
        is_single = found.proposal.layout == "long" and found.proposal.column("voter") is None
        if is_single and found.sheet.header is not None and not found.proposal.questions:
            return found, roles
    return None


def _one_per_judge(
    book: Book, first: Tab, said: tuple[str, ...]
) -> tuple[Grid, dict[str, str]] | None:
    """Return tables of one ranking each as one table, with their names as voters.

    A table with instructions says which end is best. One that sums up the others is left out, and
    so is a last one with the result for the same items.
    """
    if len(first.others) > _MOST_TABLES:
        return None
    single = _alone(book, first, said)
    if single is None:
        return None
    alone, roles = single
    top = alone.sheet.header
    if top is None:
        return None
    item = alone.proposal.column("item") or 0
    head = first.rows[top]
    table = [[*head, "voter"], *([*first.rows[k], first.name] for k in alone.sheet.rows)]
    places = [first.numbers[top], *(first.numbers[k] for k in alone.sheet.rows)]
    left_out: list[str] = []
    for name in first.others:
        more = book.open(name)
        rows = more.rows
        if more.is_note or (head not in rows and _is_summary(name)):
            continue
        known = {row[item] for row in table[1:] if item < len(row)}
        if name == first.others[-1] and head not in rows:
            named = sum(not known.isdisjoint(row) for row in rows)
            if 2 * named < len(rows):
                return None
            left_out.append(more.shown)
            continue
        try:
            found = recognise(more.grid(book.format), make_options({}))
        except InputError:
            return None
        if found.sheet.header is None or rows[found.sheet.header] != head:
            return None
        table += [[*rows[k], name] for k in found.sheet.rows]
        places += [more.numbers[k] for k in found.sheet.rows]
    titles = (*said, *first.titles)
    grid = Grid(table, places, format=book.format, header=True, plain=False, titles=titles)
    grid.notes.append(("sheets", f"each {book.noun} is one ranking: its name is the voter"))
    if left_out:
        grid.notes.append(("sheets", f"{left_out[0]} is the result, and left out"))
    several = len({row[-1] for row in table[1:]}) > 1
    return (grid, {**roles, "voter": "voter"}) if several else None


def _ask_for_sheet(source: Source, book: Book, first: Tab) -> None:
    """Ask which table is meant, where the next one has the same header or none is picked."""
    second = book.open(first.others[0])
    heads = {tuple(row) for row in first.rows[:_MOST_TITLES] if sum(map(bool, row)) > 2}
    same = heads & {tuple(row) for row in second.rows[:_MOST_TITLES]}
    if same or not book.picks:
        what = "have the same columns" if same else "may both hold rankings"
        why = f"{book.noun}s {_named(first)} and {_named(second)} {what}"
        names = [first.name, *first.others]
        raise QuestionError([_which(book, names, why)], path=source.path)


def _which(book: Book, names: list[str], why: str) -> Finding:
    hint = Hint("sheet", few_names(names), "to read one")
    return Finding("question", "sheet", why, hints=(hint,))


def few_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the first names, as many as a message has room for.

    Example:
        >>> few_names(["Ann", "Bo"]), few_names(["x" * 100, "y" * 100])[1:]
        (('Ann', 'Bo'), ())
    """
    found: list[str] = []
    for name in names:
        if found and sum(map(len, found)) + len(name) > _ROOM:
            break
        found.append(name)
    return tuple(found)


def _named(tab: Tab) -> str:
    """Return the name of a table without the word for it."""
    return tab.shown.partition(" ")[2] or show(tab.name)


def _is_summary(name: str) -> bool:
    """Return whether the name of a table says that it sums up the others."""
    return any(is_word("total", word) or word in SUMMARIES for word in (name, *tokens(name)))
