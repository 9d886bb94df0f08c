"""Columns of a wide table that are not of the kind of the others: sums of points, other amounts."""

from __future__ import annotations

import re
from itertools import product
from math import log
from operator import mul
from statistics import median

from concordant.errors import Hint
from concordant.reading.cells import Column
from concordant.reading.ends import PLACES, best_end, metric_end
from concordant.reading.outcome import Proposal, Roles, question
from concordant.reading.places import may_be_places
from concordant.reading.sheet import Sheet
from concordant.reading.words import is_reference, key, role_of, tokens

# Words for the points that a season, or all events together, came to.
_SUMS = frozenset(
    {
        *("points", "pts", "punkte", "puntos", "punti", "pontos", "punten", "punkty", "poang"),
        *("pkt", "ptos"),
    }
)
_UNIT = re.compile(
    r"[(\[]\s*(?:s|m|cm|km|min|min:s|sec|min:sec|seconds?|sekunden|secondes|segundos|secondi|"
    r"seconden|minutes?|minuten|minutos|minuti|met(?:re|er|ro|ri)s?|m[eè]tres?|kg|g|ms|€|\$|£|k€|eur|euro?s?|usd|chf|days?|tage?|jours?|d[ií]as?|"
    r"giorni|dagen|dni|hours?|h|stunden|heures|horas|ore|pt|pd|person days|weeks?|wochen)\s*[)\]]",
    re.IGNORECASE,
)
_SUFFIX = re.compile(
    r"[a-z]_(?:mg|g|kg|mm|cm|m|km|m2|ml|l|ms|s|sec|min|h|hrs?|yrs?|years|days|eur|usd|gbp|pct)$"
)
# Medians this many times apart are those of different amounts.
_APART = 8.0
_MOST_FACTORS = 5


def reference(sheet: Sheet, column: Column) -> str:
    """Return the name of a column for an option, or its number where the name is not clear."""
    clear = column.name.strip() and "," not in column.name and sheet.names.count(column.name) == 1
    return column.name if clear else str(column.index + 1)


def ask_whether_it_counts(sheet: Sheet, proposal: Proposal, column: Column, said: str) -> None:
    """Ask whether a column counts like the others; `said` is what makes this unclear."""
    proposal.findings.append(
        question(
            "another-voter",
            f"{column.called} {said}",
            Hint("ignore", (reference(sheet, column),), "to leave it out"),
            Hint("layout", ("wide",), "to count it too"),
            column=column.name,
        )
    )


def stem_of(name: str) -> tuple[str, ...]:
    """Return the words of a name without its number or letter: `Judge 2`, `J2`, `2. Lauf`.

    Example:
        >>> stem_of("Judge 2") == stem_of("Judge B"), stem_of("2. Lauf"), stem_of("J2")
        (True, ('lauf',), ('j',))
    """
    words = tokens(re.sub(r"(?<=[A-Za-z])(?=\d)", " ", name))
    if len(words) < 2:
        return ()
    if len(words[-1]) == 1 or words[-1].isdecimal():
        return tuple(words[:-1])
    return tuple(words[1:]) if words[0].isdecimal() else ()


def is_family(columns: list[Column]) -> bool:
    """Return whether the names of columns differ in a number or a letter only."""
    stems = {stem_of(column.name) for column in columns}
    return len(columns) > 1 and len(stems) == 1 and () not in stems


def without_points(
    sheet: Sheet, roles: Roles, proposal: Proposal, columns: list[Column], label: Column | None
) -> list[Column]:
    """Leave out the points that all other columns came to; ask where that is not clear."""
    found = [c for c in columns if _is_sum(c)]
    others = [c for c in columns if c not in found]
    if label is None or len(found) != 1 or len(others) < 2 or sheet.options.layout == "wide":
        return columns
    if roles.by_word.get(label.index) == "voter" and not is_family(others):
        return columns
    last = found[0]
    if is_family(others):
        return others
    if last not in (columns[0], columns[-1]) or any(metric_end(c.name) == "scores" for c in others):
        events = [bool(has_unit(c.name)) or c.kind == "time" for c in others]
        if sum(events) < 2:
            return columns
    known = all(has_unit(c.name) or c.kind == "time" or metric_end(c.name) for c in others)
    if known and _SUMS & set(tokens(last.name)):
        return others
    places = [[v for v in c.numbers if v is not None] for c in others]
    if _SUMS & set(tokens(last.name)) and may_be_places(places):
        # The places of races, beside the points for them.
        return others
    said = "may come from the other columns, or count like one of them"
    ask_whether_it_counts(sheet, proposal, last, said)
    return others


def places_alone(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> list[Column]:
    """Keep columns such as `Shop A position` and `Shop B position` beside other numbers."""
    if sheet.options.layout == "wide" or sheet.questions:
        return columns
    stems: dict[str, list[tuple[Column, tuple[str, ...]]]] = {}
    for column in columns:
        words = tokens(column.name)
        for word in {*words[:1], *words[-1:]} & PLACES if len(words) > 1 else ():
            rest = tuple(each for each in words if each != word)
            stems.setdefault(word, []).append((column, rest))
    found = max(stems.values(), key=len, default=[])
    names = [set(stem) for _, stem in found]
    family = [column for column, _ in found]
    others = [c for c in columns if c not in family]
    if len(found) < 2 or any(set(tokens(c.name)) & stem for c in others for stem in names):
        # "A score" beside "A rank".
        return columns
    alike = [c for c in others if "%" not in c.name and not has_unit(c.name)]
    alike = [c for c in alike if may_be_places([c.numbers]) and not is_reference(c.name)]
    if alike and _middle(alike[0]) <= _APART * max(map(_middle, family)):
        said = f"may hold places like {family[0].shown}"
        ask_whether_it_counts(sheet, proposal, alike[0], said)
    return family


def _middle(column: Column) -> float:
    values = [abs(v) for v in column.numbers if v is not None]
    return median(values) if values else 0.0


def has_unit(name: str) -> bool:
    """Return whether a name has a unit, in brackets or as programs write it: `Long jump (m)`.

    Example:
        >>> has_unit("Effort (days)"), has_unit("mass_g"), has_unit("Effort (low)")
        (True, True, False)
    """
    return _UNIT.search(name) is not None or _SUFFIX.search(name) is not None


def _is_sum(column: Column) -> bool:
    """Return whether a name says points or score, and nothing that would make it a part."""
    words = tokens(column.name)
    return role_of(column.name) == "score" and (
        bool(_SUMS & set(words)) or words in (["score"], ["rating"])
    )


def ask_about_apart(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> None:
    """Ask about one column of other amounts, whose name does not say what it is."""
    if len(columns) < 4 or proposal.questions or sheet.options.layout == "wide":
        return
    if sheet.options.ignore or sheet.options.values is not None:
        return
    middles = {column.index: _middle(column) for column in columns}
    found = []
    for column in columns:
        rest = [middles[c.index] for c in columns if c is not column]
        mine = middles[column.index]
        low, high = min(rest), max(rest)
        if low <= 0 or mine <= 0 or high > _APART * low:
            continue
        apart = mine > _APART * high or _APART * mine < low
        # A whole number beside decimals: the year of a model, or its size.
        apart = apart or [c.index for c in columns if not _are_decimals(c)] == [column.index]
        if apart and not _is_known(column):
            found.append(column)
    if len(found) == 1 and not is_family(columns):
        said = "holds other amounts than the other columns"
        ask_whether_it_counts(sheet, proposal, found[0], said)


_ARROWS = frozenset("↑↓⬆⬇▲▼")


def measured_alone(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> list[Column]:
    """Leave out what is no criterion: the means and the times beside `split0_score` and others.

    Ask about columns of another kind: sizes beside names with arrows, `Distance (m)` beside people.
    """
    numbered = [c for c in columns if re.search(r"\d", c.name) and _NUMBER.sub("", c.name).strip()]
    stems = {_NUMBER.sub("#", c.name) for c in numbered}
    others = [c for c in columns if c not in numbered]
    if len(numbered) > 1 and len(stems) == 1 and others:
        stem = set(tokens(stems.pop().replace("#", " ")))
        beside = [set(tokens(c.name)) for c in others]
        if all(words & STATISTICS_OF and (words & stem or "time" in words) for words in beside):
            return numbered
    starred = [c for c in columns if c.points]
    arrows = [c for c in columns if set(c.name) & _ARROWS]
    timed = [c for c in columns if c.kind == "time"]
    with_unit = [c for c in columns if _UNIT.search(c.name)]
    # Elsewhere the numbers show what is of another kind.
    known = any(best_end(c.name) or metric_end(c.name) for c in columns)
    known = known or not any(best_end(text) for text in sheet.titles)
    apart: list[Column] = []
    if sum(c.starred for c in columns) > 1:
        apart = [c for c in columns if c not in starred]
        percents = [c for c in apart if all("%" in cell for cell in c.cells if cell.strip())]
        if percents == apart:
            # The strength of a beer, beside its stars.
            return starred
    elif len(arrows) > 1:
        apart = [c for c in columns if c not in arrows]
    elif len(timed) == 1 < len(columns) - 1 and not known:
        apart = timed
    elif with_unit and len(with_unit) < len(columns) - 1 and not known:
        apart = with_unit
    if apart:
        said = "is of another kind than the other columns, and may count or not"
        ask_whether_it_counts(sheet, proposal, apart[0], said)
        return [c for c in columns if c not in apart]
    return columns


_NUMBER = re.compile(r"\d+")
# Beside the names of single runs.
STATISTICS_OF = frozenset({"mean", "avg", "average", "std", "stddev", "rank", "median", "fit"})

# Names of a last column that may hold what all agreed on.
_TOGETHER = frozenset(
    {
        *("team", "group", "everyone", "together", "consensus", "agreed", "panel", "committee"),
        *("gruppe", "gemeinsam", "konsens", "alle", "equipe", "groupe", "ensemble", "equipo"),
        *("grupo", "consenso", "gruppo", "squadra", "insieme", "samen", "groep", "tous", "todos"),
        # What came out in the end.
        *("actual", "actually", "final", "official", "truth", "reference", "tatsachlich"),
        *("endergebnis", "endstand", "reel", "officiel", "real", "oficial", "reale", "ufficiale"),
    }
)


def ask_about_agreed(sheet: Sheet, proposal: Proposal, columns: list[Column]) -> None:
    """Ask about a last voter called `Team` or `Actual`: it may be the result for all."""
    last, others = columns[-1], columns[:-1]
    if proposal.questions or sheet.options.layout == "wide" or sheet.options.ignore:
        return
    alike = any(_TOGETHER & {*tokens(c.name), role_of(c.name)} for c in others)
    if key(last.name) in _TOGETHER and len(others) > 1 and not alike and not is_family(others):
        said = "may be the result for all, or a vote like the others"
        ask_whether_it_counts(sheet, proposal, last, said)


def are_mixed(columns: list[Column], times: float = 60.0) -> bool:
    """Return whether columns hold very different amounts: a reach of 900 and an impact of 2.

    Medians 60 times apart are never those of votes of one kind.
    """
    middles = [
        median(values)
        for c in columns
        if c.kind == "number" and (values := [abs(v) for v in c.numbers if v])
    ]
    return len(middles) == len(columns) > 1 and max(middles) > times * min(middles)


def is_product(column: Column, parts: list[Column]) -> bool:
    """Return whether a column is a product or a ratio of others in every row: a RICE score.

    Percentages and rounding do not matter.
    """
    if not 2 <= len(parts) <= _MOST_FACTORS or any(c.kind != "number" for c in parts):
        return False
    if not are_mixed([column, *parts], _APART):
        return False
    rows = list(zip(column.numbers, *(c.numbers for c in parts), strict=True))
    filled = [[v for v in row if v] for row in rows]
    if len(rows) < 3 or any(len(row) <= len(parts) or min(row) < 0 for row in filled):
        return False
    logs = [[log(v) for v in row] for row in filled]
    for signs in product((-1, 0, 1), repeat=len(parts)):
        if sum(map(abs, signs)) < 2:
            continue
        rest = [own - sum(map(mul, signs, others)) for own, *others in logs]
        if max(rest) - min(rest) < 0.02:
            return True
    return False


def _are_decimals(column: Column) -> bool:
    """Return whether all numbers of a column are written with decimals."""
    pairs = zip(column.cells, column.numbers, strict=True)
    return all({".", ","} & set(cell) for cell, value in pairs if value is not None)


def _is_known(column: Column) -> bool:
    return (
        column.kind == "time"
        or column.points
        or bool(best_end(column.name) or metric_end(column.name) or has_unit(column.name))
    )
