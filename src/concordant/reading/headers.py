"""Names above and beside a table: groups with the same columns, the same names on both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from concordant.errors import Hint, listed, show
from concordant.reading.cells import Column, Style, number
from concordant.reading.ends import metric_end
from concordant.reading.findings import Finding
from concordant.reading.words import column_role, key

if TYPE_CHECKING:
    from concordant.reading.sheet import Sheet

# Columns of a group that say nothing of its place.
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
