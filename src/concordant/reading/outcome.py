"""What a recogniser proposes: a layout, roles, and how to make rankings of the rows."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from concordant.errors import Hint, InputError, show
from concordant.reading.cells import Column, are_links, counts_up, is_missing, number
from concordant.reading.ends import best_end
from concordant.reading.findings import Finding
from concordant.reading.lexicon import LEAGUE
from concordant.reading.sheet import Sheet
from concordant.reading.totals import adds_up
from concordant.reading.vocabulary import AMOUNTS, ENTRANTS, JUDGES, OVERALL, RESULTS, TASKS, TITLES
from concordant.reading.words import column_role, is_reference, key, role_of, tokens

Weight = int | Fraction
_FRACTION = re.compile(r"\d{1,40}(/\d{1,40}|[.,]\d{1,40})?")


class Ballot(NamedTuple):
    """A ranking of a table: who gave it, buckets of names, its weight and its row in the grid."""

    voter: str
    buckets: list[list[str]]
    weight: Weight
    row: int


@dataclass
class Proposal:
    """A reading of a table.

    Attributes:
        layout: The layout.
        roles: The role of each column that is used, by its index.
        ballots: Returns the rankings.
        values: "ranks" or "scores", where cells hold numbers.
        items: The items where the table names all of them, such as the columns of a wide table.
        counted: Whether weights are repeat counts.
        findings: What was found; with an open question, the table cannot be read.
        transposed: Whether each column of a wide table is a voter.
        changed: Whether the fast readers would read something else.
        reverse: Columns whose values are the other way round than `values` says.
        reverse_rows: Rows, from 0, whose values are the other way round.
        measured: Whether ranks are amounts, such as faults or seconds, so that 0 is one too.
    """

    layout: str
    roles: dict[int, str]
    ballots: Callable[[], Iterable[Ballot]] | None = None
    values: str | None = None
    items: list[str] | None = None
    counted: bool = False
    findings: list[Finding] = field(default_factory=list)
    transposed: bool = False
    changed: bool = False
    reverse: frozenset[int] = frozenset()
    reverse_rows: frozenset[int] = frozenset()
    measured: bool = False

    @property
    def questions(self) -> list[Finding]:
        """The open questions."""
        return [finding for finding in self.findings if finding.kind == "question"]

    def column(self, role: str) -> int | None:
        """Return the index of the column with a role."""
        return next((k for k, each in self.roles.items() if each == role), None)


def question(code: str, message: str, *hints: Hint, **place: object) -> Finding:
    """Return a question with the options that settle it."""
    return Finding("question", code, message, hints=hints, **place)  # type: ignore[arg-type]


_LINES = frozenset({"line", "row", "zeile", "ligne", "fila", "riga", "linha", "index"})


def _repeats(column: Column) -> bool:
    """Return whether a column has a number twice."""
    values = [value for value in column.numbers if value is not None]
    return column.kind == "number" and len(set(values)) < len(values)


_PERSONS = frozenset(
    {
        *("people", "persons", "members", "personen", "mitglieder", "personnes", "membres"),
        *("personas", "miembros", "persone", "membri", "pessoas", "membros", "leden", "osoby"),
    }
)
_NUMBERING = re.compile(r"[nN](?:[or]|um|ro)?\.")


class Roles:
    """The columns of a sheet by their roles, from the options and from their names."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.given: dict[str, Column] = {}
        by_index = {column.index: column for column in sheet.columns}
        for given, name in sheet.options.columns.items():
            index = sheet.options.find(name, sheet.names, given)
            if index not in by_index:
                raise InputError(f"column {show(name)} for the {given} is empty")
            self.given[given] = by_index[index]
        taken = self.taken = {column.index for column in self.given.values()}
        self.by_word: dict[int, str] = {}
        for column in sheet.columns:
            # A grid of a form names items, whatever their names say elsewhere.
            asked = column.index in sheet.questions or column.index in sheet.goals
            role: str | None = None if asked else column_role(column.name)
            if role in ("ignored", "weight") and column.numeric and best_end(column.name):
                # A criterion: "Price (€) ↓".
                role = None
            if role == "name" and column.kind == "number" and key(column.name) in AMOUNTS:
                # "Nombre" is French for a number.
                role = "count"
            if not column.name.strip() and counts_up(column) and self._is_index(column):
                role = "number"
            if role == "number" and key(column.name) in _LINES and _repeats(column):
                # A line in a chart, and not the number of one.
                role = None
            if role == "voter" and column.kind == "number" and _is_several(column):
                # "Delegates" above numbers counts them.
                role = "count"
            if role == "count":
                _join_thousands(sheet, column)
                numbering = _NUMBERING.fullmatch(column.name.strip()) or is_reference(column.name)
                several = column.kind == "number" and len(column.cells) > 2
                if numbering and several and counts_up(column):
                    role = "number"
                else:
                    self._ask_about_number(column)
                    self._ask_about_people(column)
            if role and column.index not in taken and column.role != "ignored":
                self.by_word[column.index] = role
        self.free = [c for c in sheet.columns if c.index not in taken and c.role != "ignored"]
        placed = [c for c in self.free if c.kind == "place" and not c.worded]
        if len(placed) == 1 and self.by_word.get(placed[0].index) == "item":
            # "First", "Second" below "Option", beside the names of the options.
            self.by_word[placed[0].index] = "rank"
        people = [c for c in self.free if c.kind == "number" and _is_plural(c.name)]
        named = {self.by_word.get(c.index) for c in self.free if c.kind == "text"}
        if "item" in named and "voter" not in named:
            # The pupils of a school that is compared with others.
            self.by_word |= {c.index: "ignored" for c in people if c.index in self.by_word}
        self._keep_alike()
        self._keep_added()
        self._keep_parts()
        self._leave_links()
        self._find_entrants()
        games = [c for c in self.free if key(c.name) in LEAGUE]
        if len(games) > 4:
            # N, in a league table, are the games that were lost.
            for column in games:
                if self.by_word.get(column.index) in ("count", "weight"):
                    del self.by_word[column.index]

    def _keep_alike(self) -> None:
        """Take the role from `THE rank` beside `QS rank`, which is a column like it."""
        words = {c.index: set(tokens(c.name)) for c in self.free if c.numeric}
        others = [each for k, each in words.items() if k not in self.by_word and len(each) > 1]
        for k, mine in words.items():
            alike = any(len(mine) == len(each) == len(mine & each) + 1 for each in others)
            if alike and self.by_word.get(k) in ("rank", "score", "low score"):
                del self.by_word[k]

    def _find_entrants(self) -> None:
        """Take those who take part for items beside the judges who mark each of them."""
        people = [c for c in self.free if self.by_word.get(c.index) == "voter"]
        if len(people) != 2 or self.given or "item" in self.by_word.values():
            return
        judges = [c for c in people if JUDGES & set(tokens(c.name))]
        entrants = [c for c in people if ENTRANTS & set(tokens(c.name)) and c not in judges]
        if len(judges) != 1 or len(entrants) != 1:
            return
        cells = [[cell.strip() for cell in c.cells] for c in (*judges, *entrants)]
        pairs = list(zip(*cells, strict=True))
        often = [len(set(each)) < len(each) for each in cells]
        if all(often) and len(set(pairs)) == len(pairs) and all(all(pair) for pair in pairs):
            self.by_word[entrants[0].index] = "item"

    def _keep_added(self) -> None:
        """Keep a column such as `Peso`, the shot, that is a part of the total in each row."""
        totals = [c for c in self.free if self.by_word.get(c.index) == "total"]
        parts = [c for c in self.free if c.kind == "number" and c not in totals]
        named = [c for c in parts if self.by_word.get(c.index) in ("weight", "count")]
        parts = [c for c in parts if c in named or c.index not in self.by_word]
        sums = named and any(adds_up(total, parts, complete=True) for total in totals)
        if sums and len(parts) > 2:
            for column in named:
                del self.by_word[column.index]

    def _leave_links(self) -> None:
        """Leave out the links to what a column of titles names, beside these or their ids."""
        titles = [c for c in self.free if c.kind == "text" and TITLES & set(tokens(c.name))]
        apart = [c for c in titles if len(set(map(str.strip, c.cells))) == len(c.cells)]
        links = [c for c in self.free if are_links(c)]
        numbered = any(
            c.kind == "text" and self.by_word.get(c.index) == "number" for c in self.free
        )
        if len(apart) == 1 and (links or numbered):
            self.by_word |= {c.index: "ignored" for c in links}
            self.by_word.setdefault(apart[0].index, "item")

    def _keep_parts(self) -> None:
        """Take "total" from `Retrieval average` and `STS average`, where `Average` is the total."""
        totals = {
            c.index: tokens(c.name) for c in self.free if self.by_word.get(c.index) == "total"
        }
        single = [words[0] for words in totals.values() if len(words) == 1]
        for word in single:
            parts = [k for k, words in totals.items() if len(words) > 1 and word in words]
            stems = {tuple(w for w in totals[k] if w != word) for k in parts}
            common = set.intersection(*map(set, stems)) if stems else set()
            values = ({w for stem in stems for w in stem} - common) & (OVERALL | RESULTS)
            if len(parts) > 1 and len(stems) == len(parts) and not values:
                for k in parts:
                    del self.by_word[k]

    def _is_index(self, column: Column) -> bool:
        """Return whether only one column has no name, or it is the first."""
        unnamed = [c for c in self.sheet.columns if not c.name.strip()]
        return column.index == 0 or (self.sheet.header is not None and len(unnamed) == 1)

    def _ask_about_number(self, column: Column) -> None:
        """Ask about a column `N.`: it may number the rows, or count equal ballots."""
        numbers = [v for v in column.numbers if v is not None]
        if not _NUMBERING.fullmatch(column.name.strip()) or column.index in self.taken:
            return
        if self.sheet.options.layout or len(set(numbers)) < len(column.cells) or column.role:
            return
        if "count" in self.given or "weight" in self.given:
            return
        self.sheet.findings.append(
            question(
                "weights",
                f"{column.called} may number the rows, or count equal ballots",
                Hint("count", (column.name,), "if it counts"),
                Hint("ignore", (column.name,), "if it numbers the rows"),
                column=column.name,
            )
        )

    def _ask_about_people(self, column: Column) -> None:
        """Ask about the number of persons beside the name of each family that votes."""
        if key(column.name) not in _PERSONS or column.kind != "number" or self.sheet.written:
            return
        if self.given or column.role or column.index in self.taken or len(set(column.numbers)) < 2:
            return
        names = [c for c in self.sheet.columns if c.kind == "text" and c.index < column.index]
        named = [c for c in names if column_role(c.name) in ("voter", "name")]
        if any(len(set(map(str.strip, c.cells))) == len(c.cells) for c in named):
            self.sheet.findings.append(
                question(
                    "weights",
                    f"{column.called} may count votes, or say how many persons share one",
                    Hint("count", (column.name,), "if it counts"),
                    Hint("ignore", (column.name,), "if each row is one vote"),
                    column=column.name,
                )
            )

    def of(self, *roles: str) -> list[Column]:
        """Return the columns that an option or, if none does, a name gives one of the roles."""
        chosen = [self.given[role] for role in roles if role in self.given]
        return chosen or [c for c in self.free if self.by_word.get(c.index) in roles]

    def weights(self) -> Column | None:
        """Return the column of weights or counts."""
        for column in self.of("weight", "count"):
            if column.kind in ("number", "empty") or column in self.given.values():
                return column
            # A cell that is not a weight is refused later.
            filled = [cell.strip() for cell in column.cells if cell.strip()]
            good = sum(_FRACTION.fullmatch(cell) is not None for cell in filled)
            if 2 * good >= len(filled):
                return column
        return None

    def voter(self) -> Column | None:
        """Return the column that names the voter of each row."""
        for roles in (("voter",), ("name",)):
            # A worker rather than the task.
            for column in sorted(self.of(*roles), key=lambda c: bool(TASKS & set(tokens(c.name)))):
                if column.kind != "empty":
                    return column
        return None

    def is_counted(self, column: Column | None) -> bool:
        """Return whether the weights are repeat counts."""
        if column is None:
            return False
        if self.given.get("weight") is column and self.by_name(column) != "count":
            return False
        return self.given.get("count") is column or self.by_name(column) == "count"

    def by_name(self, column: Column) -> str | None:
        """Return the role that the name of a column shows."""
        found = column_role(column.name)
        plural = column.kind == "number" and _is_several(column)
        return "count" if found == "voter" and plural else found


_THOUSANDS = re.compile(r"\d{1,3}(?:[.,'\u2019\u00a0 ]\d{3})+")


def _join_thousands(sheet: Sheet, column: Column) -> None:
    """Read 1.204 and 1,204 as 1204 in a column of counts, which are whole numbers."""
    grouped = [k for k, cell in enumerate(column.cells) if _THOUSANDS.fullmatch(cell.strip())]
    others = [c for k, c in enumerate(column.cells) if k not in set(grouped) and c.strip()]
    if not grouped or not all(cell.strip().isdecimal() for cell in others):
        return
    shown = column.cells[grouped[0]].strip()
    for k in grouped:
        column.cells[k] = re.sub(r"\D", "", column.cells[k])
        column.numbers[k] = float(column.cells[k])
    column.kind, column.whole, column.odd = "number", True, []
    sheet.changed = True
    sheet.note("thousands", f"{show(shown)} in {column.called} is read as thousands")


def _is_several(column: Column) -> bool:
    """Return whether numbers below `Delegates`, or below a word that may be a plural, count."""
    if key(column.name) != "stimmzettel":
        return _is_plural(column.name)
    values = [v for v in column.numbers if v is not None]
    return any(b <= a for a, b in pairwise(values))


def _is_plural(name: str) -> bool:
    words = tokens(name)
    return len(words) == 1 and words[0].endswith("s") and role_of(words[0][:-1]) == "voter"


def read_weights(sheet: Sheet, column: Column | None) -> list[Weight] | None:
    """Return the weight of each row, exactly; None without a column of weights."""
    if column is None:
        return None
    found: list[Weight] = []
    for k, cell in enumerate(column.cells):
        text = cell.strip().replace(",", ".") if sheet.style.decimal == "," else cell.strip()
        try:
            weight = Fraction(text.rstrip("%")) if len(text) < 50 else None
        except (ValueError, ZeroDivisionError):
            weight = None
        if weight is None or weight < 0:
            what = f"weight {show(cell)}" if cell.strip() else "no weight"
            raise InputError(
                f"{what} in {column.called}: a weight must be a number, 0 or more",
                line=sheet.line(sheet.rows[k]),
            )
        found.append(int(weight) if weight.denominator == 1 else weight)
    return found


def levels(pairs: Iterable[tuple[float, str]]) -> list[list[str]]:
    """Return buckets from values and names, the lowest value first.

    Example:
        >>> levels([(2, "a"), (1, "b"), (2, "c")])
        [['b'], ['a', 'c']]
    """
    by_value: dict[float, list[str]] = {}
    for value, name in pairs:
        by_value.setdefault(value, []).append(name)
    return [by_value[value] for value in sorted(by_value)]


def check_odd(sheet: Sheet, columns: Iterable[Column]) -> None:
    """Refuse a cell that is neither a number nor a word for "not ranked"."""
    for column in columns:
        odd = column.odd
        if column.kind == "text":
            odd = [
                k
                for k, cell in enumerate(column.cells)
                if column.numbers[k] is None and k not in column.missing
            ]
        if odd:
            row = odd[0]
            raise InputError(
                f"{column.shown} is {show(column.cells[row])}, which is not a number",
                line=sheet.line(sheet.rows[row]),
                hints=[
                    Hint("missing", (column.cells[row].strip(),), "if it means not ranked"),
                    Hint("ignore", (column.name,), "if the column is not ranked"),
                ],
            )


def note_unplaced(proposal: Proposal, sheet: Sheet, columns: Iterable[Column]) -> None:
    """Say which words were taken for "not ranked"."""
    words: dict[str, int] = {}
    for column in columns:
        for row in column.unplaced:
            words[column.cells[row].strip()] = words.get(column.cells[row].strip(), 0) + 1
        for row in column.missing:
            word = column.cells[row].strip()
            if word:
                words[word] = words.get(word, 0) + 1
    note_missing(proposal, words)


def note_missing(
    proposal: Proposal, words: dict[str, int], fast: frozenset[str] | None = None
) -> None:
    """Say which words were taken for "not ranked", and how often.

    Words that are not `fast` are not known to the fast readers.
    """
    fast = FAST_MISSING if fast is None else fast
    if words:
        shown = ", ".join(f"{show(word)} ({count})" for word, count in list(words.items())[:5])
        proposal.findings.append(Finding("note", "not-ranked", f"read as not ranked: {shown}"))
        proposal.changed = proposal.changed or any(word.casefold() not in fast for word in words)


# Words that the fast readers take for a missing number.
FAST_MISSING = frozenset({"na", "n/a", "nan", "null", "none", "?", "-"})
# Words that the fast readers take for no vote.
FAST_NO_VOTES = frozenset({"skipped", "undervote", "overvote"})


def note_ignored(proposal: Proposal, sheet: Sheet) -> None:
    """Say which columns are not read."""
    left = [c for c in sheet.columns if proposal.roles.get(c.index, "ignored") == "ignored"]
    if left:
        shown = ", ".join(c.shown for c in left[:6]) + (", …" if len(left) > 6 else "")
        what = "column" if len(left) == 1 else "columns"
        proposal.findings.append(
            Finding("note", "ignored-columns", f"{what} not ranked: {shown}", column=left[0].name)
        )


def voter_names(sheet: Sheet, column: Column | None) -> list[str]:
    """Return the name of each row's voter; "" where unknown."""
    if column is None:
        return [""] * len(sheet.rows)
    return [cell.strip() for cell in column.cells]


def is_number(cell: str, sheet: Sheet) -> bool:
    """Return whether a cell is a number, or missing."""
    return is_missing(cell, sheet.style) or number(cell, sheet.style) is not None


def names_rows(sheet: Sheet, roles: Roles, column: Column) -> Column | None:
    """Return an unknown first column of different texts, beside the rankings."""
    first = sheet.columns[0]
    # Teams and animals choose, too.
    if first is column or roles.by_word.get(first.index) not in (None, "item"):
        return None
    if first.kind != "text":
        return None
    return first if len(set(first.cells)) == len(first.cells) else None
