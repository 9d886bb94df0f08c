"""Cells that hold a level in other words than a number: scales, codes, shared places, marks."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from concordant.errors import show
from concordant.reading.cells import Column, Style, is_missing
from concordant.reading.ends import PLACES, best_end
from concordant.reading.scales import AMOUNT_WORDS, CLEARING, Scale, find_scale
from concordant.reading.words import folded, key, role_of, tokens

if TYPE_CHECKING:
    from concordant.reading.sheet import Sheet

# A scale has at most so many words, in any spelling.
_MOST_LEVELS = 40
# "2: accept", "4 - agree", "3 (medium)".
_CODE = re.compile(r"([+-]?\d{1,3})\s*(?:[:=]\s*\(?|\s[–-]\s|\.\s|\(\s*)[^\W\d_].*", re.DOTALL)
# Names of columns whose words judge.
_VERDICTS = frozenset(
    {
        *("recommendation", "empfehlung", "recommandation", "recomendacion", "raccomandazione"),
        *("recomendacao", "aanbeveling", "verdict", "urteil", "judgement", "judgment"),
    }
)
_PLAIN = re.compile(r"([+-]?\d{1,3})")
_SHARED = re.compile(r"=?T?(\d{1,4})(?:\s?[-–/]\s?(\d{1,4})|\+)?=?")
_MARK = re.compile(r"([1-6])([+-])?")
# Marks of approval, and weaker ones; an empty cell is none.
_TICKS = frozenset({"x", "✓", "✔", "☑", "✅", "checked", "ok", "okay", "ticked", "•", "●"})
_WEAK = frozenset({"(ok)", "(x)", "(✓)", "(okay)", "?"})
_APPROVE = re.compile(
    r"\b(?:kreuze?|stimmzettel|"
    r"likes?|approves?|happy with|votes? for|vote|would|wants?|supports?|suits?|available|"
    r"mag|gefallt|dafur|aime|approuve|gusta|aprueba|piace|approva|gosta|aprova|vindt)\b"
)


def read_levels(sheet: Sheet) -> None:
    """Read the levels of all columns of text that have some."""
    for column in sheet.columns:
        if column.role == "ignored" or not column.filled:
            continue
        if _read_codes(sheet, column) or _read_shared(sheet, column):
            sheet.changed = True
    _read_marks(sheet)
    _read_signs(sheet)
    _read_dots(sheet)
    _read_ticks(sheet)
    _read_scales(sheet)


def _texts(column: Column, style: Style) -> dict[int, str]:
    """Return the cells that are not missing, by their rows."""
    return {
        k: cell.strip()
        for k, cell in enumerate(column.cells)
        if not is_missing(cell, style) and k not in column.unplaced
    }


def _read_codes(sheet: Sheet, column: Column) -> bool:
    """Read `2: accept` as 2, where each number has one meaning."""
    if column.kind != "text" and not column.odd:
        return False
    if not any(_CODE.fullmatch(text) for text in column.texts(sheet.style)[:100]):
        return False
    texts = _texts(column, sheet.style)
    found = {k: _CODE.fullmatch(text) or _PLAIN.fullmatch(text) for k, text in texts.items()}
    coded = {k: match for k, match in found.items() if match and match.re is _CODE}
    pairs = {(int(match[1]), key(texts[k])) for k, match in coded.items()}
    numbers = [number for number, _ in pairs]
    if not all(found.values()) or len(set(numbers)) < len(numbers) or len(pairs) == len(texts) > 3:
        return False
    if any("=" in text for _, text in ((k, texts[k]) for k in coded)) and len(coded) == len(found):
        # A legend beside the table.
        return False
    levels = {k: int(match[1]) for k, match in found.items() if match}
    # "1 = most preferred" says which end is best.
    sheet.titles += sorted({texts[k] for k in coded if "=" in texts[k]})[:4]
    column.read_levels(levels, clear=False)
    column.unclear = column.worded = False
    sheet.note("codes", f"{show(min(texts.values()))} and the like are read as numbers")
    return True


def _read_shared(sheet: Sheet, column: Column) -> bool:
    """Read a shared place, `3-4`, as its first; beside one, `201+` too."""
    if not (column.odd or column.kind == "text"):
        return False
    texts = _texts(column, sheet.style)
    plain = sum(_PLAIN.fullmatch(text.lstrip("=T")) is not None for text in texts.values())
    found = {k: _SHARED.fullmatch(text) for k, text in texts.items()}
    bands = [match for match in found.values() if match and match[2]]
    if role_of(column.name) != "rank" and (not plain or 2 * plain < len(texts) - 1):
        tens = all(int(match[1]) % 10 == 1 and int(match[2]) % 10 == 0 for match in bands)
        if not bands or not tens or not _speaks_of_places(sheet, column):
            return False
    if not all(found.values()) or any(int(match[2]) <= int(match[1]) for match in bands):
        return False
    if not bands and any(text.endswith("+") for text in texts.values()):
        # Ten years or more.
        return False
    column.read_levels({k: int(match[1]) for k, match in found.items() if match}, clear=False)
    column.unclear, column.worded, column.kind = False, False, "place"
    return True


def _speaks_of_places(sheet: Sheet, column: Column) -> bool:
    """Return whether a title, a name or another column shows that `201-250` is a band of places."""
    texts = [*sheet.titles, *(c.name for c in sheet.columns)]
    marked = any(c.marked for c in sheet.columns if c is not column)
    return marked or any(PLACES & set(tokens(text)) for text in texts)


_SIGNS = {"---": -3, "--": -2, "-": -1, "–": -1, "−": -1, "0": 0, "o": 0, "+": 1, "++": 2, "+++": 3}
_SIGNS |= {"––": -2, "−−": -2, "+/-": 0, "±": 0, "±0": 0}


def _read_signs(sheet: Sheet) -> None:
    """Read `++`, `+`, `0`, `-` and `--` as levels, the pluses best."""
    found, every = [], set()
    for column in sheet.columns:
        cells = {cell.strip() for cell in column.cells} - {""}
        if column.role != "ignored" and cells and cells <= _SIGNS.keys() and column.name.strip():
            found.append(column)
            every |= cells
    if len(found) < 2 or not {"+", "++"} & every or len(every) < 3:
        return
    for column in found:
        levels = {k: _SIGNS.get(cell.strip()) for k, cell in enumerate(column.cells)}
        column.missing = [k for k, cell in enumerate(column.cells) if not cell.strip()]
        column.filled = len(column.cells) - len(column.missing)
        column.read_levels(levels, clear=True)
    sheet.changed = True
    sheet.note("scale", "++, + and - are read as levels, the most pluses best")


def _read_marks(sheet: Sheet) -> None:
    """Read school marks with signs, `2+` and `3-`, where the words above say that 1 is best."""
    if not any(best_end(text) == "ranks" for text in (*sheet.titles, *sheet.questions.values())):
        return
    for column in sheet.columns:
        texts = _texts(column, sheet.style)
        found = {k: _MARK.fullmatch(text) for k, text in texts.items()}
        signed = [match for match in found.values() if match and match[2]]
        if column.role == "ignored" or not texts or not signed or not all(found.values()):
            continue
        signs = {"+": -0.25, "-": 0.25, None: 0.0}
        levels = {k: int(m[1]) + signs[m[2]] for k, m in found.items() if m}
        column.read_levels(levels, clear=False)
        column.unclear, column.whole = False, False
        sheet.changed = True


def _read_scales(sheet: Sheet) -> None:
    """Read words of a scale, such as `agree` and `strongly agree`, as levels.

    One column of them counts where its name speaks of a score; several are compared, so that
    one scale must have the words of all.
    """
    graded = any({"grade", "grades"} & set(tokens(text)) for text in sheet.titles)
    texts = [c for c in sheet.columns if c.kind == "text" and c.role != "ignored"]
    scored = [c for c in texts if role_of(c.name) == "score" or _VERDICTS & set(tokens(c.name))]
    wanted = any(
        CLEARING & set(tokens(text)) for text in (*sheet.titles, *sheet.questions.values())
    )
    for group in (scored, [c for c in texts if c not in scored]):
        words = {column.index: _few(column, sheet.style) for column in group}
        found = [c for c in group if find_scale(words[c.index], graded=graded or c in scored)]
        every = {word for column in found for word in words[column.index]}
        scale = find_scale(every, graded=graded or group is scored)
        if scale is None or len(found) < (1 if group is scored else 2):
            continue
        partly = [c for c in group if c not in found and _is_partly(sheet, c, scale)]
        for column in (*found, *partly):
            levels = {k: scale.level(cell) for k, cell in enumerate(column.cells)}
            column.read_levels(levels, clear=scale.clear or (wanted and _is_amount(scale)))
            if column in partly:
                texts_of = _texts(column, sheet.style)
                column.odd = [k for k in texts_of if levels[k] is None]
        sheet.changed = True
        sheet.note("scale", f"words such as {show(min(every))} are read as levels of a scale")


def _is_partly(sheet: Sheet, column: Column, scale: Scale) -> bool:
    """Return whether most cells of a column are words of a scale, so that others are refused."""
    texts = _texts(column, sheet.style).values()
    return 2 * sum(scale.level(text) is not None for text in texts) > len(texts)


def _is_amount(scale: Scale) -> bool:
    """Return whether the levels are low to high, and not never to always or no to yes."""
    return bool(AMOUNT_WORDS & scale.levels.keys())


def _few(column: Column, style: Style) -> set[str]:
    """Return the different cells of a column; none where it has many."""
    found = {cell.strip() for cell in set(column.cells) if not is_missing(cell, style)}
    return found if len(found) <= _MOST_LEVELS else set()


_DOTS = re.compile(r"([x●•✓✔⬤⚫🔴🟢🔵])(?:\s?\1){0,19}", re.IGNORECASE)


def _read_dots(sheet: Sheet) -> None:
    """Read `xx` and `●●●` as a number of votes; an empty cell is none."""
    found, every = [], set()
    for column in sheet.columns:
        words = _few(column, sheet.style)
        if column.role != "ignored" and words and column.name.strip():
            marks = {match[1].casefold() for word in words if (match := _DOTS.fullmatch(word))}
            if all(map(_DOTS.fullmatch, words)) and len(marks) == 1:
                found.append(column)
                every |= words
    counts = {word: len(word.replace(" ", "")) for word in every}
    if (
        len(found) < 2
        or max(counts.values()) < 2
        or len({word[0].casefold() for word in every}) > 1
    ):
        return
    for column in found:
        levels = {k: counts.get(cell.strip(), 0) for k, cell in enumerate(column.cells)}
        column.read_levels(levels, clear=True)
        column.filled = column.valued = len(column.cells)
        column.missing = []
    sheet.changed = True
    longest = max(every, key=len)
    sheet.note("dots", f"{show(longest)} is read as {counts[longest]} votes, an empty cell as none")


def _read_ticks(sheet: Sheet) -> None:
    """Read marks such as x and OK as approval: what is marked comes before what is not."""
    ticks, strong = [], set()
    for column in sheet.columns:
        if column.kind != "text" or column.role == "ignored" or not column.name.strip():
            continue
        words = {word.casefold() for word in _few(column, sheet.style)}
        if words and words <= _TICKS | _WEAK:
            ticks.append(column)
            strong |= words - _WEAK
    if len(ticks) < 2 or len(strong) != 1:
        return
    names = [folded(text) for text in (*sheet.titles, *(c.name for c in ticks))]
    # A row that adds up the marks counts votes.
    said = strong == {"ok"} or sheet.summed or any(_APPROVE.search(name) for name in names)
    for column in ticks:
        cells = {k: cell.strip().casefold() for k, cell in enumerate(column.cells)}
        levels = {k: 0 if cell == "" else 1 if cell in _WEAK else 2 for k, cell in cells.items()}
        column.read_levels(levels, clear=said)
        column.filled = column.valued = len(column.cells)
        column.missing = []
        column.ticked = True
    sheet.changed = True
    sheet.note("ticks", f"{show(min(strong))} marks what is approved: it comes before the others")
