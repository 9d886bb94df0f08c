"""Groups of columns, headings between the rows, names in two columns or on both sides."""

from __future__ import annotations

from collections import Counter
from statistics import median
from typing import TYPE_CHECKING

from concordant.errors import Hint, cut, listed, show
from concordant.reading.cells import Column, Style, is_missing, number
from concordant.reading.ends import metric_end
from concordant.reading.findings import Finding
from concordant.reading.lexicon import FAMILY_NAMES, GIVEN_NAMES, OTHER_NAMES
from concordant.reading.words import column_role, key, place_of

if TYPE_CHECKING:
    from concordant.reading.sheet import Sheet

# Columns of a group that do not show its place.
_ASIDE = ("ignored", "number")


def join_groups(sheet: Sheet) -> None:
    """Name the columns below `Vendor A`, which has points and weighted points, by their group.

    Of columns that order the groups alike in each row, the first is read. Of others, one must be
    chosen.
    """
    upper = [name.strip() for name in sheet.names]
    if len(sheet.rows) < 3:
        return
    lower = [sheet.cell(sheet.rows[0], k).strip() for k in range(len(upper))]
    heads = [k for k, name in enumerate(upper) if name]
    width = heads[1] - heads[0] if len(heads) > 1 else 0
    blocks = [range(k, k + width) for k in heads]
    if (
        width < 2
        or blocks[-1].stop > len(upper)
        or heads != [*range(heads[0], heads[-1] + 1, width)]
    ):
        return
    subs = [[key(lower[k]) for k in block] for block in blocks]
    rest = [k for k in range(len(upper)) if not any(k in block for block in blocks)]
    if any(each != subs[0] for each in subs) or not all(subs[0]) or len(set(subs[0])) < width:
        return
    if len(set(upper) - {""}) < len(heads) or not all(lower[k] for k in rest if k < heads[0]):
        return
    body = sheet.rows[1:]
    orders = [_orders(sheet, [block[at] for block in blocks], body) for at in range(width)]
    kept = [
        at
        for at in range(width)
        if orders[at]
        and column_role(lower[heads[0] + at]) not in _ASIDE
        and not {block[at] for block in blocks} <= _ignored(sheet, upper)
    ]
    if not kept:
        return
    sheet.names = [*lower]
    for block in blocks:
        for k in block:
            sheet.names[k] = f"{upper[block[0]]} {lower[k]}"
    sheet.rows = body
    sheet.changed = True
    sheet.note("header-rows", "2 header rows read as one")
    if len(kept) > 1 and not any(_is_value(lower[heads[0] + at]) for at in kept):
        # The spring and the autumn of each year.
        sheet.groups = {block[at]: lower[block[at]] for at in kept for block in blocks}
        return
    # The places of a run, beside its times.
    kept.sort(key=lambda at: column_role(lower[heads[0] + at]) != "rank")
    first, *more = kept
    for block in blocks:
        sheet.names[block[first]] = upper[block[0]]
        sheet.passed |= {*block} - {block[first]}
    sheet.titles.append(lower[heads[0] + first])
    if any(_differ(orders[at], orders[first]) for at in more):
        _ask(sheet, lower, blocks, kept)


# What people write where a row meets its own column.
_MARKS = frozenset({"x", "X", "×", "*", "/", "\\", "■", "█", "."})


def clear_diagonal(sheet: Sheet) -> None:
    """Empty the marks on the diagonal of a square table, whose rows and columns share names."""
    label, *columns = sheet.columns
    names = [cell.strip() for cell in label.cells]
    square = {c.name.strip(): c for c in columns if c.name.strip() in names}
    if len(square) < 3 or len(square) < len(set(names)):
        return
    cells = {name: square[name].cells[names.index(name)].strip() for name in square}
    if not set(cells.values()) & _MARKS or not set(cells.values()) <= _MARKS | {""}:
        return
    for name, column in square.items():
        texts = [*column.cells]
        texts[names.index(name)] = ""
        sheet.columns[sheet.columns.index(column)] = Column(
            column.index, column.name, texts, sheet.style
        )
    sheet.changed = True


def _is_value(name: str) -> bool:
    """Return whether a name speaks of points, places or amounts."""
    role = column_role(name)
    return role in ("rank", "score", "low score", "total") or bool(metric_end(name))


def _ignored(sheet: Sheet, names: list[str]) -> set[int]:
    """Return the columns that an option leaves out by their number."""
    texts = (str(name).strip() for name in sheet.options.ignore)
    return {int(text) - 1 for text in texts if text.isdecimal() and int(text) <= len(names)}


def _orders(sheet: Sheet, columns: list[int], body: list[int]) -> dict[int, list[int]]:
    """Return the order of some columns in each row that has several numbers, as levels."""
    style = Style(",", loose=True)
    found = {}
    for row in body:
        values = [number(sheet.cell(row, k), style) for k in columns]
        levels = sorted({v for v in values if v is not None})
        if len(values) - values.count(None) > 1:
            found[row] = [-1 if v is None else levels.index(v) for v in values]
    return found


def _differ(one: dict[int, list[int]], other: dict[int, list[int]]) -> bool:
    """Return whether two orders differ in a row that has both; a sum may have only one."""
    rows = one.keys() & other.keys()
    return not rows or any(one[row] != other[row] for row in rows)


def _ask(sheet: Sheet, lower: list[str], blocks: list[range], kept: list[int]) -> None:
    names = [lower[blocks[0][at]] for at in kept]
    hints = [
        Hint(
            "ignore",
            (
                ",".join(
                    str(block[k] + 1) for block in blocks for k in range(len(block)) if k != at
                ),
            ),
            f"to read {show(name)}",
        )
        for at, name in list(zip(kept, names, strict=True))[:2]
    ]
    why = f"each group has columns {listed(names, 3)}: only one can be read"
    sheet.findings.append(Finding("question", "which-score", why, hints=tuple(hints)))


def join_names(sheet: Sheet) -> None:
    """Join the first name and the surname of a person, which stand side by side."""
    options = sheet.options
    texts = [c for c in sheet.columns if c.kind == "text" and not c.role]
    given = [c for c in texts if key(c.name) in GIVEN_NAMES]
    family = [c for c in texts if key(c.name) in FAMILY_NAMES]
    others = [c for c in texts if key(c.name) in OTHER_NAMES and c not in given]
    given, family = given or others, family or others
    if len(given) != 1 or len(family) != 1 or given[0] is family[0] or sheet.written:
        return
    first, last = given[0], family[0]
    if abs(first.index - last.index) != 1 or options.columns or options.ignore:
        return
    kept, other = sorted((first, last), key=lambda c: c.index)
    cells = [
        " ".join(part for part in (a.strip(), b.strip()) if part)
        for a, b in zip(first.cells, last.cells, strict=True)
    ]
    joined = Column(kept.index, f"{kept.name.strip()} {other.name.strip()}", cells, sheet.style)
    sheet.columns = [joined if c is kept else c for c in sheet.columns if c is not other]
    sheet.changed = True
    sheet.note("names", f"columns {first.shown} and {last.shown} are read as one name")


def leave_out_sections(sheet: Sheet) -> list[str]:
    """Leave out headings between the rows, such as "Women"; return that of each row."""
    if sheet.header is None or sheet.grid.header or len(sheet.rows) > _LONGEST or sheet.written:
        return []
    filled = {k: [c.strip() for c in sheet.grid.rows[k] if c.strip()] for k in sheet.rows}
    usual = median(len(cells) for cells in filled.values())
    heads = [k for k, cells in filled.items() if len(cells) == 1 and _is_heading(cells[0])]
    # Above numbers: below names, it may be one of them.
    places = {c for k in heads for c, cell in enumerate(sheet.grid.rows[k]) if cell.strip()}
    others = [sheet.cell(k, c) for c in places for k in sheet.rows if k not in heads]
    others = [cell for cell in others if not is_missing(cell, Style())]
    if len(places) != 1 or any(number(cell, Style()) is None for cell in others):
        return []
    body = Counter(cell for k in sheet.rows if k not in heads for cell in filled[k])
    if not heads or usual < 4 or 3 * len(heads) > len(sheet.rows) or sheet.rows[-1] in heads:
        return []
    if any(filled[k][0] in body for k in heads):
        return []
    found, current = [], sheet.titles[-1] if sheet.titles else " "
    for k in sheet.rows:
        if k in heads:
            current = filled[k][0]
        else:
            found.append(current)
    sheet.note(
        "sections",
        f"headings between the rows are left out: {show(cut(filled[heads[0]][0], 40))}",
        row=sheet.line(heads[0]),
    )
    sheet.rows = [k for k in sheet.rows if k not in heads]
    sheet.changed = True
    return found


# Headings are looked for in tables of fewer rows.
_LONGEST = 2000


def _is_heading(text: str) -> bool:
    """Return whether a cell alone in its row is a text, and no number, place or mark."""
    return sum(letter.isalpha() for letter in text) > 2 and place_of(text) is None
