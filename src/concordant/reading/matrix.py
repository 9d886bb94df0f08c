"""Square matrices: the same names on both sides, or rows with numbers above the columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from concordant.errors import Hint, InputError, show
from concordant.reading.cells import Column, is_missing, number
from concordant.reading.ends import best_end, metric_end
from concordant.reading.findings import Finding
from concordant.reading.outcome import Ballot, Proposal, Roles, question
from concordant.reading.results import read_goals
from concordant.reading.sheet import Sheet
from concordant.reading.words import column_role, folded, is_word, role_of, tokens

# Words that say that a cell counts for its row, in the corner or above the table.
_BEATS = re.compile(
    r"\b(?:beats?|beaten|wins?|won|winner|over|against|versus|vs|prefer\w*|defeat\w*|dominat\w*|"
    r"schlagt|besiegt|siege?|gegen|gewinnt|bat|gagne|victoires?|contre|"
    r"prefere\w*|gana|vence|victorias|contra|batte|vince|vittorie|contro|vitorias|wint|tegen|ahp)\b"
)
_ROW = re.compile(r"\b(?:rows?|zeilen?|reihe|lignes?|filas?|righe|riga|linhas?|rij)\b")
_COLUMN = re.compile(
    r"\b(?:columns?|spalten?|colonnes?|columnas?|colonne|colonna|colunas?|kolom)\b"
)
_FRACTION = re.compile(r"(\d{1,6})\s?/\s?(\d{1,6})")
_HALVES = {"½": Fraction(1, 2), "1/2": Fraction(1, 2)}


def propose_matrix(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a square matrix whose rows and columns have the same names."""
    if sheet.header is None or len(sheet.columns) < 3 or "voter" in roles.given:
        return None
    found = _named(sheet) or _numbered(sheet)
    if found is None:
        return None
    label, columns, names, rows = found
    results = _results(sheet, found)
    if results is not None:
        return results
    cells = _cells(sheet, columns, names, rows)
    if cells is None:
        return None
    proposal = Proposal("matrix", {c.index: "item" for c in (label, *columns)})
    proposal.roles = {c.index: proposal.roles.get(c.index, "ignored") for c in sheet.columns}
    proposal.items = rows
    chosen = sheet.options.layout == "matrix"
    turned = sheet.options.transpose
    texts = [folded(text) for text in (label.name, *sheet.titles)]
    said = any(_BEATS.search(text) for text in texts)
    if turned is None:
        for text in texts:
            row, column = _ROW.search(text), _COLUMN.search(text)
            if row and column:
                said, turned = True, column.start() < row.start()
    said = said or _row_sums(sheet, columns)
    words = (label.name, *sheet.titles)
    if not chosen and any(role_of(title) == "voter" for title in sheet.titles):
        return None
    rated = any(best_end(w) or metric_end(w, title=True) for w in words)
    if rated and not said and not chosen:
        return None
    if not chosen and not said and turned is None:
        if rated or {"rated", "rater", "rating"} & set(tokens(label.name)):
            return None
        _ask(proposal, label, roles, even=_is_even(cells) or names != rows)
    elif roles.by_name(label) in ("source", "voter") and not chosen and not said:
        _ask(proposal, label, roles, even=False)
    proposal.findings.append(
        Finding("note", "matrix", "a cell counts for its row against its column")
        if not turned
        else Finding("note", "matrix", "a cell counts for its column against its row")
    )

    # In a cross table of games, ½ on both sides is one draw.
    games = set(cells.values()) == {Fraction(1), _HALVES["½"]} and _is_even(cells)

    def ballots() -> Iterator[Ballot]:
        for (one, other), exact in cells.items():
            if games and exact == _HALVES["½"]:
                if rows.index(one) < rows.index(other) or (other, one) not in cells:
                    yield Ballot("", [[one, other]], 1, sheet.rows[rows.index(one)])
                continue
            pair = [[other], [one]] if turned else [[one], [other]]
            weight = int(exact) if exact.denominator == 1 else exact
            yield Ballot("", pair, weight, sheet.rows[rows.index(one)])

    proposal.ballots = ballots
    return proposal


def _results(sheet: Sheet, found: Found) -> Proposal | None:
    """Read a cross table of results, such as 2–1: the goals of the row, or of the home team, first.

    Both halves may have the same matches, as seen from either side.
    """
    label, columns, names, rows = found
    games: dict[tuple[str, str], tuple[int, int]] = {}
    odd: list[tuple[int, str]] = []
    for k, row in enumerate(rows):
        for column, name in zip(columns, names, strict=True):
            cell = column.cells[k].strip()
            if name == row or is_missing(cell, sheet.style) or is_word("not played", cell):
                continue
            goals = read_goals(cell)
            if goals is None:
                odd.append((k, cell))
            else:
                games[row, name] = goals
    if len(games) <= len(odd):
        return None
    if odd:
        k, cell = odd[0]
        raise InputError(
            f"{show(cell)} is not a result such as 2-1",
            line=sheet.line(sheet.rows[k]),
            hints=[Hint("missing", (cell,), "if there is no result")],
        )
    both = [pair for pair in games if pair[::-1] in games]
    mirrored = bool(both) and all(games[pair] == games[pair[::-1]][::-1] for pair in both)
    # "Away \\ Home": the first word is that of the rows.
    corner = [role for word in tokens(label.name) if (role := role_of(word)) in ("left", "right")]
    turned = corner[:2] == ["right", "left"] and not mirrored
    proposal = Proposal("battles", {c.index: "ignored" for c in sheet.columns})
    proposal.roles |= {c.index: "item" for c in (label, *columns)}
    proposal.items = rows
    proposal.findings.append(
        Finding(
            "note",
            "matrix",
            "cells are results of matches: the row comes first"
            if not turned
            else "cells are results of matches: the column comes first",
        )
    )

    def ballots() -> Iterator[Ballot]:
        for (one, other), goals in games.items():
            if mirrored and (other, one) in games and rows.index(one) > rows.index(other):
                continue
            home, away = (other, one) if turned else (one, other)
            buckets = [[home], [away]] if goals[0] > goals[1] else [[away], [home]]
            if goals[0] == goals[1]:
                buckets = [[home, away]]
            yield Ballot("", buckets, 1, sheet.rows[rows.index(one)])

    proposal.ballots = ballots
    return proposal


def propose_winners(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a square grid whose cells name the winner of the row and the column.

    One half is enough; where both are filled, they must agree. Items may stand by a code in front
    of their names: `A` for `A Website`.
    """
    label, *columns = [c for c in sheet.columns if c.role != "ignored"]
    names = [c.name.strip() for c in columns]
    rows = {cell.strip(): k for k, cell in enumerate(label.cells) if cell.strip() in names}
    if sheet.header is None or len(names) < 3 or len(set(names)) < len(names):
        return None
    extra = [k for k, cell in enumerate(label.cells) if cell.strip() not in names]
    if len(rows) < len(names) - 1 or any(k < max(rows.values()) for k in extra):
        return None
    codes = {re.split(r"[\s.:)\-–]", name)[0]: name for name in names}
    codes = codes if len(codes) == len(names) else {}
    winners: dict[frozenset[str], str] = {}
    for row, k in rows.items():
        for column, name in zip(columns, names, strict=True):
            cell = column.cells[k].strip()
            pair = frozenset((row, name))
            if row == name or not cell or cell in _EMPTY:
                continue
            won = codes.get(cell, cell)
            won = "=" if won not in names and (cell == "=" or is_word("tie", cell)) else won
            if won not in (*pair, "=") or winners.setdefault(pair, won) != won:
                return None
    if len(winners) < len(names) - 1 or set(winners.values()) == {"="}:
        return None
    proposal = Proposal("battles", {c.index: "ignored" for c in sheet.columns})
    proposal.roles |= {c.index: "winner" for c in columns} | {label.index: "left"}
    proposal.items, proposal.changed = names, True
    note = "each cell names the winner of its row and its column"
    proposal.findings.append(Finding("note", "matrix", note))

    def ballots() -> Iterator[Ballot]:
        for pair, won in winners.items():
            rest = sorted(pair - {won})
            buckets = [rest] if won == "=" else [[won], rest]
            yield Ballot("", buckets, 1, sheet.rows[0])

    proposal.ballots = ballots
    return proposal


_EMPTY = frozenset({"-", "–", "—", "x", "X", "\\", "/", "■", "×", "*", "."})


def _row_sums(sheet: Sheet, columns: list[Column]) -> bool:
    """Return whether another column has the sum of each row: then a cell counts for its row."""
    for other in sheet.columns:
        if other in columns:
            continue
        pairs = [
            (
                _exact(sheet, total.strip()),
                sum(_exact(sheet, c.cells[k].strip()) or 0 for c in columns),
            )
            for k, total in enumerate(other.cells)
        ]
        if all(total is not None and total == value for total, value in pairs):
            return True
    return False


def _ask(proposal: Proposal, label: Column, roles: Roles, *, even: bool) -> None:
    """Ask for whom a cell counts; where pairs have different sums, rows may also be voters."""
    row = Hint("layout", ("matrix",), "if a cell counts for its row against its column")
    if even and roles.by_name(label) not in ("source", "voter", "name"):
        proposal.findings.append(
            question(
                "matrix-direction",
                "nothing says whether a cell counts for its row or for its column",
                row,
                Hint("transpose", ("yes",), "if it counts for its column"),
            )
        )
        return
    proposal.findings.append(
        question(
            "matrix-or-wide",
            "rows and columns have the same names: a cell may count for its row, or be a mark that "
            "one gives another",
            Hint("layout", ("wide",), "if each row, or each column, is a voter"),
            row,
        )
    )


Found = tuple[Column, list[Column], list[str], list[str]]


def _named(sheet: Sheet) -> Found | None:
    """Return the label, the columns and the names on both sides, without totals."""
    label, *columns = [c for c in sheet.columns if c.role != "ignored"]
    rows = [cell.strip() for cell in label.cells]
    columns = [
        c for c in columns if c.name.strip() in rows or column_role(c.name) not in ("total", "rank")
    ]
    named = [c for c in columns if c.name.strip() in rows]
    if len(named) == len(rows) and all(c.numeric for c in columns if c not in named):
        # Beside the matrix, the number of wins.
        columns = named
    names = [c.name.strip() for c in columns]
    if set(names) != set(rows) or len(set(names)) != len(names) or len(rows) != len(names):
        return None
    return label, columns, names, rows


def _numbered(sheet: Sheet) -> Found | None:
    """Return the same for a cross table, whose columns have the numbers of the rows."""
    n = len(sheet.rows)
    wanted = [str(k) for k in range(1, n + 1)]
    columns = [c for c in sheet.columns if c.name.strip().rstrip(".") in wanted]
    columns.sort(key=lambda c: int(c.name.strip().rstrip(".")))
    if n < 3 or [c.name.strip().rstrip(".") for c in columns] != wanted:
        return None
    texts = [c for c in sheet.columns if c.kind == "text" and c not in columns]
    label = next((c for c in texts if len(set(c.cells)) == n), None)
    if label is None:
        return None
    marks = {column.cells[k].strip() for k, column in enumerate(columns)}
    if len(marks) > 1 or not marks <= {"", "-", "–", "—", "x", "X", "*", "×", "\\", "■"}:
        return None
    rows = [cell.strip() for cell in label.cells]
    return label, columns, rows, rows


def _cells(
    sheet: Sheet, columns: list[Column], names: list[str], rows: list[str]
) -> dict[tuple[str, str], Fraction] | None:
    """Return the value of each pair; None where a cell is not a number."""
    found: dict[tuple[str, str], Fraction] = {}
    diagonal = []
    for k, row in enumerate(rows):
        for column, name in zip(columns, names, strict=True):
            cell = column.cells[k].strip()
            value = _exact(sheet, cell)
            if value is None and not is_missing(cell, sheet.style) and cell not in "\\xX×*/■":
                return None
            if name == row:
                diagonal.append(value or 0)
            elif value is not None and value < 0:
                return None
            elif value:
                found[row, name] = value
    return None if any(diagonal) and len(set(diagonal)) > 1 else found


def _exact(sheet: Sheet, cell: str) -> Fraction | None:
    """Return the number of a cell, exactly; fractions such as 1/4 too."""
    fraction = _FRACTION.fullmatch(cell)
    if fraction and int(fraction[2]):
        return Fraction(int(fraction[1]), int(fraction[2]))
    if cell in _HALVES:
        return _HALVES[cell]
    if cell.endswith("½") and cell[:-1].isdecimal():
        return int(cell[:-1]) + _HALVES["½"]
    if number(cell, sheet.style) is None:
        return None
    text = cell.rstrip("%").strip()
    try:
        return Fraction(text.replace(",", ".") if sheet.style.decimal == "," else text)
    except ValueError:
        return None


def _is_even(cells: dict[tuple[str, str], Fraction]) -> bool:
    """Return whether all pairs have the same sum, as if each pair was compared as often."""
    sums = {value + cells.get((b, a), Fraction(0)) for (a, b), value in cells.items()}
    return len(sums) == 1
