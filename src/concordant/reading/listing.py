"""Lists of items: in one cell, in columns side by side, in rows without a header."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from concordant.errors import Hint, InputError, listed, show
from concordant.reading.cells import Column, counts_up, is_amount, is_missing
from concordant.reading.choices import ask_about_weights
from concordant.reading.ends import metric_end
from concordant.reading.findings import Finding, QuestionError
from concordant.reading.outcome import (
    Ballot,
    Proposal,
    Roles,
    names_rows,
    note_ignored,
    question,
    read_weights,
    voter_names,
)
from concordant.reading.results import read_goals
from concordant.reading.scripts import is_foreign, plain_lists
from concordant.reading.sheet import Sheet
from concordant.reading.vocabulary import FAVOURITES
from concordant.reading.votes import is_share
from concordant.reading.words import is_ordered, place_of, side_of, tokens

_BRACKETS = re.compile(r"\s*\[(.*)\]\s*", re.DOTALL)
# The last strong one is that of a numbered list in one line: "1) A 2) B".
_STRONG, _WEAK = ("\n", ">", ";", "|", "1"), (",",)
_PLACE = re.compile(r"(?:^|[\s,;])#?(\d{1,2})\s?[.):°º]\s?(?=[^\s\d])")


def _numbered(text: str) -> list[str]:
    """Return the names of a numbered list in one line, best first; none where it is no such list.

    Example:
        >>> (
        ...     _numbered("1) Karting 2) Bowling"),
        ...     _numbered("2. Tea, 1. Milk"),
        ...     _numbered("1. FC Köln"),
        ... )
        (['Karting', 'Bowling'], ['Milk', 'Tea'], ['FC Köln'])
    """
    before, *parts = _PLACE.split(text.strip())
    found = sorted((int(place), name.strip(" ,;\t")) for place, name in _pairs(parts))
    whole = not before and [place for place, _ in found] == list(range(1, len(found) + 1))
    return [name for _, name in found] if whole and all(name for _, name in found) else []


def _pairs(parts: list[str]) -> list[tuple[str, str]]:
    return list(zip(parts[::2], parts[1::2], strict=True))


def _is_marked(cell: str, mark: str) -> bool:
    """Return whether a cell has a mark between items."""
    return len(_numbered(cell)) > 1 if mark == "1" else mark in cell


def split_list(text: str, mark: str) -> list[list[str]]:
    """Split a list in a cell: `A > B = C`, `A; B; C;`, numbered lines.

    Example:
        >>> split_list("A > B = C", ">"), split_list("A;B;", ";")
        ([['A'], ['B', 'C']], [['A'], ['B']])
        >>> split_list("1. A 2. B", "1")
        [['A'], ['B']]
    """
    if mark == "1":
        return [[name] for name in _numbered(text)]
    buckets = []
    inside = _BRACKETS.fullmatch(text)
    if inside and mark == ",":
        # A list as programs write it: ["A", "B"].
        text = re.sub(r"(^|,)\s*'([^']*)'\s*(?=,|$)", r"\1\2", inside[1])
    for part in text.split(mark):
        names = part.split("=") if mark == ">" else [part]
        names = [re.sub(r"^\s*#?\d{1,3}\s*[.):]\s+", "", name).strip().strip('"') for name in names]
        names = [name for name in names if name]
        if names:
            buckets.append(names)
    return buckets


def list_mark(cells: list[str], *, ticked: bool = False) -> str | None:
    """Return the mark that splits cells into lists of the same items; None where none does.

    Of ticked boxes, many lists may name one item only.
    """
    if not cells:
        return None
    cells = plain_lists(cells)
    for mark in (*_STRONG, *_WEAK):
        if (3 if ticked else 2) * sum(_is_marked(cell, mark) for cell in cells) < len(cells):
            continue
        if mark == "1" and not all(map(_numbered, cells)):
            continue
        lists = [split_list(cell, mark) for cell in cells]
        sizes = [sum(map(len, found)) for found in lists]
        several = sum(
            size > 1 and _is_marked(cell, mark) for size, cell in zip(sizes, cells, strict=True)
        )
        # A few may name one item only.
        if several < (0.3 if ticked else 0.5 if mark == ">" else 0.7) * len(cells):
            continue
        names = Counter(name for found in lists for bucket in found for name in bucket)
        total = sum(names.values())
        once = all(
            len({n for b in found for n in b}) == size
            for found, size in zip(lists, sizes, strict=True)
        )
        repeated = len(names) <= 0.75 * total if len(cells) > 1 else mark != ","
        short = sum(len(name) > 60 for name in names) <= 0.1 * len(names)
        if mark == ">" or (once and repeated and short):
            return mark
    return None


def _cells(column: Column) -> list[str]:
    """Return cells with plain marks; below `请排序`, the arrows of `A→B→C` are marks too."""
    cells = plain_lists(column.cells)
    if is_foreign(column.name) and is_ordered(column.name):
        return [re.sub(r"\s*→\s*", ">", cell) for cell in cells]
    return cells


def propose_cells(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a table with one column whose cells hold a whole ranking."""
    found: list[tuple[Column, str]] = []
    for column in roles.free:
        if column.kind != "text" or roles.by_word.get(column.index) == "ignored":
            continue
        filled = [c for c in _cells(column) if not is_missing(c, sheet.style)]
        mark = list_mark(filled, ticked=_says_ticks(column))
        if mark == "," and all(is_amount(cell) for cell in filled if "," in cell):
            # Amounts of money: 18,70.
            continue
        if mark is not None:
            found.append((column, mark))
    arrows = [pair for pair in found if pair[1] == ">"]
    found = arrows or found
    if not found:
        return None
    proposal = Proposal("lists", {c.index: "ignored" for c in sheet.columns})
    for column, _ in found:
        proposal.roles[column.index] = "ranking"
    if len(found) > 1:
        names = [c.name for c, _ in found]
        proposal.findings.append(
            question(
                "which-question",
                f"columns {listed(names, 3)} all hold rankings: only one can be read",
                *(Hint("ignore", (name,), f"to leave out {name!r}") for name in names[:2]),
            )
        )
        return proposal
    column, mark = found[0]
    voter, weight = roles.voter(), roles.weights()
    if voter is column:
        voter = None
    if voter is None:
        voter = names_rows(sheet, roles, column)
    if voter is not None:
        proposal.roles[voter.index] = "voter"
    if weight is not None:
        proposal.roles[weight.index] = "count" if roles.is_counted(weight) else "weight"
    proposal.counted = roles.is_counted(weight)
    ticked = False
    if sheet.options.layout != "lists":
        ask_about_weights(sheet, roles, proposal)
        ticked = mark != ">" and _says_ticks(column)
        if ticked:
            proposal.findings.append(
                Finding(
                    "note",
                    "ticks",
                    f"{column.shown} lists what is approved: it comes before the others",
                    hints=(Hint("layout", ("lists",), "if the first of each list is best"),),
                )
            )
        elif mark != ">" and _may_be_ticks(sheet, column, mark):
            proposal.findings.append(
                question(
                    "ticks-or-ranking",
                    f"the lists in {column.called} may be ticked boxes, which have no order",
                    Hint("layout", ("lists",), "if the first of each list is best"),
                    column=column.name,
                )
            )
    note_ignored(proposal, sheet)

    def lists() -> list[list[list[str]]]:
        found = []
        for cell in _cells(column):
            buckets = [] if is_missing(cell, sheet.style) else split_list(cell, mark)
            buckets = [[n for n in bucket if not is_missing(n, sheet.style)] for bucket in buckets]
            found.append([bucket for bucket in buckets if bucket])
        return _approved(found) if ticked else found

    def ballots() -> Iterator[Ballot]:
        weights, who = read_weights(sheet, weight), voter_names(sheet, voter)
        for k, (row, buckets) in enumerate(zip(sheet.rows, lists(), strict=True)):
            yield Ballot(who[k], buckets, 1 if weights is None else weights[k], row)

    proposal.ballots = ballots
    return proposal


_TICKS = re.compile(
    r"all that apply|tick |tick$|check all|select all|choose all|ankreuzen|mehrere|mehrfach|cochez|"
    r"plusieurs|marque |marca |todas las que|seleccion|selezion|selecion|selecteer|aankruisen"
)
_MOST_BOXES = 100


def _says_ticks(column: Column) -> bool:
    """Return whether the question says that boxes are ticked, in any number."""
    return _TICKS.search(" ".join(tokens(column.name))) is not None


def _may_be_ticks(sheet: Sheet, column: Column, mark: str) -> bool:
    """Return whether lists may be ticked boxes: by the question, or as all are in one order."""
    if is_ordered(column.name):
        return False
    if mark == "," and FAVOURITES & set(tokens(column.name)):
        # "Your three favourite cities": the order may mean nothing.
        return True
    lists = [
        [name for bucket in split_list(cell, mark) for name in bucket]
        for cell in plain_lists(column.texts(sheet.style))
    ]
    lengths = {len(names) for names in lists}
    form = any(c.kind == "stamp" for c in sheet.columns)
    if mark == "," and form and len(lengths) > 1 and not _says_order(sheet):
        # Several answers to a question of a form that does not speak of an order.
        return True
    # Nobody offers more boxes, and the pairs of long lists would take long.
    if len(lengths) < 2 or len(lists) < 3 or max(lengths) > _MOST_BOXES:
        return False
    before = {(a, b) for names in lists for k, a in enumerate(names) for b in names[k + 1 :]}
    return not any((b, a) in before for a, b in before)


def _says_order(sheet: Sheet) -> bool:
    """Return whether a title or the name of any column speaks of an order."""
    return any(is_ordered(text) for text in (*sheet.titles, *sheet.names))


def _approved(lists: list[list[list[str]]]) -> list[list[list[str]]]:
    """Return what each list names, tied, before all others."""
    items = list(dict.fromkeys(name for buckets in lists for bucket in buckets for name in bucket))
    found = []
    for buckets in lists:
        named = [name for bucket in buckets for name in bucket]
        others = [item for item in items if item not in named]
        found.append([bucket for bucket in (named, others) if bucket] if named else [])
    return found


def propose_columns(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read lists side by side: each column is a voter, its best item on top."""
    places = [
        c for c in roles.free if c.numeric and roles.by_word.get(c.index) in ("rank", "number")
    ]
    counted = [c for c in places if counts_up(c)]
    unnamed = [
        c
        for c in roles.free
        if c.numeric and c.index == 0 and (not c.name.strip() or place_of(c.name)) and counts_up(c)
    ]
    first = sheet.columns[0]
    index = counted or unnamed or ([first] if counts_up(first) else [])
    lists = [
        c
        for c in roles.free
        if c.kind == "text"
        and c not in index
        and roles.by_word.get(c.index) not in ("ignored", "rank", "number")
    ]
    chosen = sheet.options.layout == "columns"
    if len(lists) < (1 if chosen else 2) or (sheet.header is None and not chosen):
        return None
    names = [c.texts(sheet.style) for c in lists]
    if not chosen:
        if any(len(set(found)) < len(found) for found in names):
            return None
        together = Counter(name for found in names for name in found)
        for column, found in zip(lists, names, strict=True):
            labels = roles.by_word.get(column.index) in ("item", "voter", "name")
            if (labels or column is lists[0]) and all(together[name] == 1 for name in found):
                # The first column names the rows: the cells are no lists of items.
                return None
        shared = sum(count > 1 for count in together.values())
        if shared < 2 or shared < 0.15 * min(len(found) for found in names):
            return None
    proposal = Proposal("columns", {c.index: "ignored" for c in sheet.columns})
    for column in lists:
        proposal.roles[column.index] = "voter"
    for column in index:
        proposal.roles[column.index] = "rank"
    if not index and not chosen and not all(side_of(c.name) == "voter" for c in lists):
        rows = [
            [c.cells[k].strip() for c in lists if c.cells[k].strip()]
            for k in range(len(sheet.rows))
        ]
        full = all(len(row) == len(lists) for row in rows)
        if full and all(len(set(row)) == len(row) for row in rows) and len(rows) > 1:
            proposal.findings.append(
                question(
                    "rows-or-columns",
                    "each row and each column lists different items",
                    Hint("layout", ("columns",), "if each column is a ranking, best on top"),
                    Hint("layout", ("ballots",), "if each row is a ranking, best on the left"),
                )
            )
            return proposal
    heads = [c.name.strip() for c in lists]
    numbers = [int(head) for head in heads if head.isdecimal()]
    amounts = index == [first] and len(numbers) == len(heads)
    proposal.counted = amounts and roles.by_name(first) == "count"
    # Voters are numbered from 1 on, or years.
    named = sorted(numbers) == list(range(1, len(heads) + 1)) or all(
        1900 <= each < 2100 for each in numbers
    )
    if amounts and not (proposal.counted or chosen or named):
        proposal.findings.append(
            question(
                "weights",
                f"the numbers above the lists ({listed(heads, 3)}) may count equal ballots: then "
                "write 'count' above the places",
                Hint("layout", ("columns",), "if they name the voters"),
            )
        )
    note_ignored(proposal, sheet)

    def ballots() -> Iterator[Ballot]:
        for name, found in zip(heads, names, strict=True):
            who, weight = ("", int(name)) if proposal.counted else (name, 1)
            yield Ballot(who, [[item] for item in found], weight, sheet.rows[0])

    proposal.ballots = ballots
    return proposal


def propose_rows(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read rows without a header: each lists items, best first."""
    chosen = sheet.options.layout == "lists"
    if not chosen and (sheet.header is not None or len(sheet.columns) < 2):
        return None
    weight = roles.weights()
    left_out = {c.index for c in sheet.columns if c.role == "ignored" or c is weight}
    rows = [
        [c.strip() for k, c in enumerate(sheet.grid.rows[row]) if c.strip() and k not in left_out]
        for row in sheet.rows
    ]
    body = Counter(name for row in rows for name in row)
    numeric = [c for c in roles.free if c.numeric]
    if not chosen and _MOST_RESULTS * sum(read_goals(name) is not None for name in body) > len(
        body
    ):
        # 2–1 is no name.
        return None
    if not chosen and any(_are_dates(c) for c in sheet.columns):
        # A fixture list.
        return None
    if not chosen and (numeric not in ([], sheet.columns[:1]) or len(rows) < 2):
        return None
    proposal = Proposal("lists", {c.index: f"choice {k}" for k, c in enumerate(sheet.columns, 1)})
    proposal.changed = True
    voters = _first_cells_are_voters(rows, body) and not chosen
    kept = [c for c in sheet.columns if c.index not in left_out]
    proposal.counted = roles.is_counted(weight)
    proposal.roles = {c.index: f"choice {k}" for k, c in enumerate(kept, 1)}
    voters = voters or (bool(kept) and roles.given.get("voter") is kept[0])
    if voters:
        proposal.roles = {c.index: f"choice {k}" for k, c in enumerate(kept)}
        proposal.roles[kept[0].index] = "voter"
    elif not chosen and any(len(set(row)) < len(row) for row in rows):
        return None
    if numeric and not chosen:
        proposal.findings.append(
            question(
                "weights",
                "the numbers before the lists may count equal ballots, or number the voters",
                Hint("count", ("1",), "if they count"),
                Hint("voter", ("1",), "if they number the voters"),
            )
        )
    elif not chosen and not voters and _may_be_columns(rows):
        proposal.findings.append(
            question(
                "rows-or-columns",
                "each row and each column lists different items",
                Hint("layout", ("lists",), "if each row is a ranking, best on the left"),
                Hint("layout", ("columns",), "if each column is a ranking, best on top"),
            )
        )
    elif not chosen:
        proposal.findings.append(
            Finding("note", "no-header", "no header: each row lists items, best first")
        )

    def ballots() -> Iterator[Ballot]:
        weights = read_weights(sheet, weight)
        for k, (row, names) in enumerate(zip(sheet.rows, rows, strict=True)):
            kept = [n for n in names[voters:] if chosen or not is_missing(n, sheet.style)]
            each = 1 if weights is None else weights[k]
            yield Ballot(names[0] if voters else "", [[name] for name in kept], each, row)

    proposal.ballots = ballots
    return proposal


_MOST_RESULTS = 4
_DATE = re.compile(
    r"(?:\D{1,12} )?(?:\d{1,2}[:.h]\d{2}|\d{1,2}[./]\d{1,2}(?:[./]\d{2,4}|\.)?)(?: ?\D{1,4})?"
)


def _are_dates(column: Column) -> bool:
    """Return whether all cells of a column are days or hours: `Sun 9/6`, `15.00 h`."""
    cells = [cell.strip() for cell in column.cells if cell.strip()]
    return len(cells) > 1 and all(len(cell) < 30 and _DATE.fullmatch(cell) for cell in cells)


def _may_be_columns(rows: list[list[str]]) -> bool:
    """Return whether the columns list different items too, and nothing speaks for the rows.

    Three rankings of three items may do so by chance (A B C, B C A, C A B), and so may any rows
    that all list the same items.
    """
    columns = list(zip(*rows, strict=False))
    return (
        len({len(row) for row in rows}) == 1
        and min(len(rows), len(columns)) > 2
        and all(len(line) == len(set(line)) for line in (*rows, *columns))
        and (len(rows) == len(columns) > 3 or len({frozenset(row) for row in rows}) > 1)
    )


def _first_cells_are_voters(rows: list[list[str]], body: Counter[str]) -> bool:
    """Return whether the first cell of each row occurs nowhere else, and the others do."""
    if any(len(row) < 2 for row in rows) or any(body[row[0]] > 1 for row in rows):
        return False
    others = Counter(name for row in rows for name in row[1:])
    return sum(count > 1 for count in others.values()) >= len(others) / 2


_FAULT = re.compile(r"#(?:REF!|N/A|VALUE!|DIV/0!|NAME\?|NUM!|NULL!|BEZUG!|WERT!|NV|¡REF!|VALEUR!)")


def unreadable(sheet: Sheet, roles: Roles) -> InputError:
    """Return the error for a table that no layout fits, or a question where one ranking may be."""
    names = [c.name for c in sheet.columns]
    asked = _ask_for_value(sheet, roles)
    if asked is not None:
        return QuestionError([asked])
    numbers = [c for c in sheet.columns if c.numeric]
    cells = [cell for c in sheet.columns for cell in (c.name, *c.cells[:100]) if cell.strip()]
    faults = [cell for cell in cells if _FAULT.fullmatch(cell.strip())]
    if 2 * len(faults) > len(cells):
        return InputError(
            f"the cells hold errors of a spreadsheet, such as {show(faults[0])}: repair its "
            "formulas and export it again"
        )
    shown = listed(names, 6) if any(n.strip() for n in names) else f"{len(names)} without names"
    said = [c for c in numbers if roles.by_word.get(c.index) not in ("ignored", "number")]
    if not said and len(names) > 2 and any(n.strip() for n in names):
        shown += "), as none holds ranks or scores"
    else:
        shown += ")"
    part = "" if sheet.grid.whole else f" in the first {len(sheet.rows):,} rows"
    return InputError(
        f"no layout fits the columns ({shown}{part}",
        line=sheet.line(sheet.header),
        hints=[Hint("layout", ("long", "wide", "ballots"), "to choose one")],
    )


# Roles of columns that may hold the result of what each row names.
_VALUES = (None, "score", "low score", "total", "rank", "count", "weight")


def _ask_for_value(sheet: Sheet, roles: Roles) -> Finding | None:
    """Ask by which column a list of different names is ranked."""
    texts = [c for c in sheet.texts if roles.by_word.get(c.index) != "ignored"]
    apart = [c for c in texts if len(set(map(str.strip, c.cells))) == len(c.cells)]
    values = [c for c in roles.free if c.numeric and roles.by_word.get(c.index) in _VALUES]
    values = [c for c in values if c.name.strip() and sheet.names.count(c.name) == 1]
    # Shares of the votes rank like the votes.
    values = [c for c in values if not is_share(c)] or values
    if sheet.header is None or len(apart) != 1 or not 0 < len(values) < 4 or len(texts) > 3:
        return None
    if sheet.options.layout is not None or roles.given or len(apart[0].cells) < 2:
        return None
    low = [c.kind == "time" or metric_end(c.name) == "ranks" for c in values]
    hints = [
        Hint("rank", (c.name,), f"if the lowest {c.shown} is best")
        if is_low
        else Hint("score", (c.name,), f"if the highest {c.shown} is best")
        for c, is_low in zip(values, low, strict=True)
    ]
    if len(values) == 1:
        end = "score" if low[0] else "rank"
        best = "highest" if low[0] else "lowest"
        hints.append(Hint(end, (values[0].name,), f"if the {best} is best"))
    return question(
        "which-value",
        f"{apart[0].called} may be one ranking, by {listed([c.name for c in values], 3)}",
        *hints,
        row=sheet.line(sheet.header),
    )
