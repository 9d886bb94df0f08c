"""Rows of sums and averages, and what stands below them: found by their words or by arithmetic."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from statistics import mean, median, pstdev, stdev
from typing import TYPE_CHECKING

from concordant.errors import Hint, cut, show
from concordant.reading.cells import Column, Style, counts_up
from concordant.reading.ends import PLACES, goal_end
from concordant.reading.findings import Finding
from concordant.reading.lexicon import (
    AVERAGES,
    INVALID,
    MAXIMA,
    MIDDLING,
    SOFT_TOTALS,
    UNITS,
    VOID,
    WEIGHTINGS,
)
from concordant.reading.places import is_ranking
from concordant.reading.words import is_overall, is_word, key, role_of, tokens

if TYPE_CHECKING:
    from concordant.reading.sheet import Sheet

# In longer tables, only the last rows are checked for totals.
_LONG = 2000
_LAST_ROWS = 6


def leave_out_totals(sheet: Sheet) -> None:
    """Leave out rows of sums and averages, by their word or by arithmetic."""
    if sheet.options.skip_rows is not None or len(sheet.rows) < 2:
        return
    out: dict[int, str] = {}
    n = len(sheet.rows)
    usual = median(_numbers(sheet, k) for k in range(min(n, _LONG)))
    begin = 0
    for k in range(1 if n <= _LONG else n - _LAST_ROWS, n):
        if not _numbers(sheet, k):
            continue
        texts = [
            cell
            for c in sheet.columns
            if c.numbers[k] is None
            and (cell := c.cells[k].strip())
            and (k not in c.missing or key(cell) in INVALID)
            and (c.kind != "stamp" or is_word("total row", cell))
        ]
        if not texts or len(texts) > 2:
            continue
        words = tokens(texts[0])
        if (
            not usual
            and late_row(sheet, k)
            and 0 < len(words) < 4
            and is_word("count row", words[0])
        ):
            # The number of marks in each column.
            out[k] = show(cut(texts[0], 20))
            continue
        # A count or a comment may stand before the name.
        first = next((text for text in texts if _is_total(text)), texts[0])
        late = k >= len(sheet.rows) - _LAST_ROWS
        words = tokens(first)
        if (_is_total(first) and (late or _sums_up(sheet, k, begin, out))) or (
            len(words) > 1
            and (is_word("total row", words[0]) or is_word("total row", words[-1]))
            and (_sums_up(sheet, k, begin, out) or _sums_up(sheet, k, 0, out))
        ):
            out[k] = show(cut(first, 20))
            begin = k + 1
        elif set(words) & SOFT_TOTALS and len(words) < 3 and k > 1 and _agrees(sheet, k, out):
            out[k] = show(cut(first, 20))
    before = set(out)
    _leave_out_maxima(sheet, out)
    maxima = set(out) - before
    _leave_out_mean_ranks(sheet, out)
    _ask_about_weightings(sheet, out)
    if not out and _adds_up(sheet):
        out[len(sheet.rows) - 1] = "the sum or the mean of the rows above"
    if out:
        _leave_out_below(sheet, out, usual)
    if not out or len(out) >= len(sheet.rows):
        return
    for k, what in sorted(out.items()):
        line = sheet.line(sheet.rows[k])
        sheet.note(
            "total-row",
            f"row {line} is left out ({what})",
            row=line,
            hints=(Hint("skip_rows", ("none",), "to keep it"),),
        )
    dropped = set(out)
    results = [
        {v for c in sheet.columns if (v := c.numbers[k]) is not None} for k in dropped - maxima
    ]
    sheet.summed = any(len(found) > 1 for found in results)
    sheet.rows = [row for k, row in enumerate(sheet.rows) if k not in dropped]
    sheet.changed = True
    sheet.columns = [
        _recut(column, [c for k, c in enumerate(column.cells) if k not in dropped], sheet.style)
        for column in sheet.columns
    ]


def _is_total(text: str) -> bool:
    """Return whether the name of a row is a word for a total, or for the result of all rows."""
    # "Spoilt ballots" are no candidate.
    words = tokens(text)
    invalid = key(text) in INVALID or (0 < len(words) < 4 and words[0] in INVALID)
    invalid = invalid or (len(words) > 1 and role_of(words[0]) == "count" and words[-1] in VOID)
    return is_word("total row", text) or is_overall(text) or invalid


def is_sum(value: float, values: list[float]) -> bool:
    """Return whether a value is the sum of others."""
    return abs(value - sum(values)) <= 1e-6 * abs(value)


def adds_up(total: Column, parts: list[Column], *, complete: bool = False) -> bool:
    """Return whether a column has the sums of others, in all of its rows and in several.

    Args:
        total: The column.
        parts: The others.
        complete: Whether only rows count in which all parts have a number.
    """
    rows = [
        (value, [v for c in parts if (v := c.numbers[k]) is not None])
        for k, value in enumerate(total.numbers)
        if value is not None
    ]
    if complete:
        rows = [(value, given) for value, given in rows if len(given) == len(parts)]
    return len(rows) > 2 and all(given and is_sum(value, given) for value, given in rows)


def is_mean(value: float, values: list[float], decimals: int = 0) -> bool:
    """Return whether a value is the mean of others, rounded; see `is_near`."""
    return is_near(value, sum(values) / len(values), decimals)


def is_near(value: float, exact: float, decimals: int = 0) -> bool:
    """Return whether a value may be another one, rounded: 1.67 for 5/3, but not 0 for .004.

    Args:
        value: The rounded value.
        exact: The other.
        decimals: How many decimals the values beside it show, as 70.7 beside 55 for 55.0.

    Example:
        >>> is_near(1.67, 5 / 3), is_near(1.2e-8, 1e-4), is_near(1234.5, 1234.54)
        (True, False, True)
        >>> is_near(55, 54.975), is_near(55, 54.975, 1)
        (False, True)
    """
    decimals = max(decimals, decimals_of([value]))
    step = 0.051 if decimals == 1 else 0.0051 * max(1.0, abs(value) / 100)
    return abs(value - exact) < min(step, 0.05 * abs(value) + 1e-12)


def decimals_of(values: Iterable[float | None]) -> int:
    """Return how many decimals the numbers show, at most 6."""
    shown = (f"{value:.6f}".rstrip("0").partition(".")[2] for value in values if value is not None)
    return max(map(len, shown), default=0)


def late_row(sheet: Sheet, k: int) -> bool:
    """Return whether a row is one of the last."""
    return k >= len(sheet.rows) - _LAST_ROWS


def _numbers(sheet: Sheet, k: int) -> int:
    """Return how many columns have a number in a row."""
    return sum(column.numbers[k] is not None for column in sheet.columns)


def _leave_out_below(sheet: Sheet, out: dict[int, str], usual: float) -> None:
    """Leave out remarks below the totals; ask about rows that look like those above."""
    if max(out) < 2:
        # The highest possible points, above the others.
        return
    below = [k for k in range(min(out) + 1, len(sheet.rows)) if k not in out]
    begin = [0, *(k + 1 for k in sorted(out))]
    blocks = all(
        _sums_up(sheet, k, start, out) or _sums_up(sheet, k, 0, out)
        for k, start in zip(sorted(out), begin, strict=False)
    )
    rows = [k for k in below if usual and _numbers(sheet, k) >= 0.5 * usual]
    # A block ends with its total.
    if rows and not (blocks and max(rows) < max(out)):
        totals = [sheet.line(sheet.rows[k]) for k in sorted(out)]
        rest = [sheet.line(sheet.rows[k]) for k in sorted([*out, *below])]
        sheet.findings.append(
            Finding(
                "question",
                "below-totals",
                f"rows with numbers follow below the total in row {totals[0]}",
                row=sheet.line(sheet.rows[rows[0]]),
                hints=(
                    Hint("skip_rows", (",".join(map(str, totals)),), "to keep them"),
                    Hint("skip_rows", (",".join(map(str, rest)),), "to leave them out"),
                ),
            )
        )
    for k in below:
        if k not in rows:
            out[k] = "below the totals"


def _sums_up(sheet: Sheet, k: int, begin: int, out: dict[int, str]) -> bool:
    """Return whether a row holds the sums or the means of the rows above, from one on."""
    above = [each for each in range(begin, k) if each not in out]
    sums = means = n = 0
    decimals = decimals_of(column.numbers[k] for column in sheet.columns)
    for column in sheet.columns:
        final = column.numbers[k]
        values = [v for each in above if (v := column.numbers[each]) is not None]
        if final is None or len(values) < 2 or counts_up(column):
            continue
        n += 1
        sums += is_sum(final, values)
        means += is_mean(final, values, decimals)
    return n > 0 and (sums == n or means == n)


def _agrees(sheet: Sheet, k: int, out: dict[int, str]) -> bool:
    """Return whether a row holds one statistic of the rows above: sum, mean, least or number."""
    above = [each for each in range(k) if each not in out]
    if len(above) < 2 or len(sheet.rows) > _LONG:
        return False
    hits: dict[str, int] = dict.fromkeys(_STATISTICS, 0)
    n = 0
    decimals = decimals_of(column.numbers[k] for column in sheet.columns)
    for column in sheet.columns:
        final = column.numbers[k]
        values = [v for each in above if (v := column.numbers[each]) is not None]
        if final is None or len(values) < 2 or counts_up(column):
            continue
        n += 1
        for name, statistic in _STATISTICS.items():
            hits[name] += is_near(final, statistic(values), decimals)
    return n > 1 and max(hits.values()) == n


_STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "sum": sum,
    "mean": mean,
    "median": median,
    "min": min,
    "max": max,
    "number": len,
    "spread": stdev,
    "spread of all": pstdev,
}


def _label(sheet: Sheet, k: int, *, first: bool = False) -> str:
    """Return the only text of a row; with `first`, the first cell, if it is a text."""
    texts = [c for c in sheet.columns if c.numbers[k] is None and c.cells[k].strip()]
    if not first and sum(c.kind not in ("stamp", "mail") for c in texts) != 1:
        return ""
    for column in sheet.columns:
        if column.kind in ("stamp", "mail"):
            continue
        text = column.cells[k].strip()
        if text and (first or column.numbers[k] is None):
            return text if column.numbers[k] is None else ""
    return ""


def _leave_out_maxima(sheet: Sheet, out: dict[int, str]) -> None:
    """Leave out a row that states the highest possible value of each column."""
    for k in _ends(sheet):
        label = _label(sheet, k)
        if k in out or not MAXIMA & set(tokens(label)) or len(tokens(label)) > 4:
            continue
        columns = [c for c in sheet.columns if c.kind == "number" and c.numbers[k] is not None]
        columns = [c for c in columns if not counts_up(c)]
        values = {c.numbers[k] or 0 for c in columns}
        if key(label) == "max" and len(values) > 1 and any(value % 5 for value in values):
            # A person.
            continue
        if len(columns) > 1 and all(
            (c.numbers[k] or 0) >= max((v for v in c.numbers if v is not None), default=0)
            for c in columns
        ):
            out[k] = f"{show(cut(label, 20))}, the highest possible values"
            # The highest possible value is the best one.
            sheet.titles.append(f"{label}: max {columns[0].numbers[k]:g}")


def speaks_of_mean_ranks(text: str) -> bool:
    """Return whether a text speaks of the mean of places: `Avg. rank`, `Mittlerer Rang`."""
    words = set(tokens(text))
    return bool(words & PLACES) and bool(words & (AVERAGES | MIDDLING)) and len(words) < 5


def _leave_out_mean_ranks(sheet: Sheet, out: dict[int, str]) -> None:
    """Leave out a row of mean ranks; it shows which end of the rows above is best."""
    for k in _ends(sheet):
        label = _label(sheet, k)
        columns = [c for c in sheet.columns if c.kind == "number" and c.numbers[k] is not None]
        if k in out or len(columns) < 2 or not speaks_of_mean_ranks(label):
            continue
        others = [j for j in range(len(sheet.rows)) if j != k and j not in out]
        rows = [[v for c in columns if (v := c.numbers[j]) is not None] for j in others]
        full = [row for row in rows if len(row) == len(columns)]
        if len(full) < 2:
            continue
        final = [c.numbers[k] or 0.0 for c in columns]
        decimals = decimals_of(final)
        for sign, text in ((-1, "higher is better"), (1, "lower is better")):
            ranked = [mean_ranks([sign * v for v in row]) for row in full]
            means = [mean(values) for values in zip(*ranked, strict=True)]
            if all(is_near(v, w, decimals) for v, w in zip(final, means, strict=True)):
                sheet.titles.append(f"{label}: {text}")
                out[k] = f"{show(cut(label, 20))}, the mean ranks"
                break
        if {"avg", "average", "mean", "durchschnitt", "durchschn"} & set(tokens(label)):
            out.setdefault(k, f"{show(cut(label, 20))}, the mean ranks")


def mean_ranks(values: list[float]) -> list[float]:
    """Return the rank of each value, 1 for the least; equal values share the mean of theirs.

    Example:
        >>> mean_ranks([5.0, 2.0, 5.0])
        [2.5, 1.0, 2.5]
    """
    return [
        sum(v < value for v in values) + (sum(v == value for v in values) + 1) / 2
        for value in values
    ]


def _ends(sheet: Sheet) -> list[int]:
    """Return the rows at the top and at the bottom, which may speak of the others."""
    n = len(sheet.rows)
    return sorted({k for k in (0, 1, *range(n - _LAST_ROWS, n)) if 0 <= k < n})


def _ask_about_weightings(sheet: Sheet, out: dict[int, str]) -> None:
    """Ask about a row that states how much each column counts."""
    for k in _ends(sheet):
        words = tokens(_label(sheet, k, first=True))
        if k in out or not 0 < len(words) < 4 or not {*words[:1], *words[-1:]} & WEIGHTINGS:
            continue
        if any(word.isdecimal() for word in words):
            # "factor-128" is one of several.
            continue
        if _numbers(sheet, k) < 2 or _has_unit(sheet, k):
            continue
        line = sheet.line(sheet.rows[k])
        sheet.findings.append(
            Finding(
                "question",
                "weights",
                f"row {line} ({show(cut(_label(sheet, k), 20))}) may say how much each column "
                "counts, or be ranked. Weights of columns cannot be read: write a long table",
                row=line,
                hints=(
                    Hint("skip_rows", (str(line),), "to leave it out, with equal weights"),
                    Hint("skip_rows", ("none",), "if it is ranked"),
                ),
            )
        )
        return


def _has_unit(sheet: Sheet, k: int) -> bool:
    """Return whether a column of units or of goals has a text in a row: it is a criterion."""
    return any(
        c.kind == "text" and c.cells[k].strip() and (key(c.name) in UNITS or goal_end(c.cells[k]))
        for c in sheet.columns
    )


def _adds_up(sheet: Sheet) -> bool:
    """Return whether the last row holds the sums or the means of the columns."""
    if len(sheet.rows) < 3 or not sheet.grid.whole:
        return False
    sums = means = larger = places = 0
    columns = [c for c in sheet.columns if c.kind == "number" and not counts_up(c)]
    texts = [c for c in sheet.columns if c.kind not in ("number", "empty")]
    if sum(bool(column.cells[-1].strip()) for column in texts) > 1:
        return False
    for column in columns:
        *above, final = column.numbers
        values = [value for value in above if value is not None]
        if final is None or len(values) < 2:
            continue
        sums += is_sum(final, values)
        places += is_ranking([*values, final])
        means += is_mean(final, values) and final != int(final)
        larger += final > max(values)
    n = len([c for c in columns if c.numbers[-1] is not None])
    return n > 1 and places < n and ((sums == n and larger > 0) or (means > 1 and means >= n - 1))


def _recut(column: Column, cells: list[str], style: Style) -> Column:
    new = Column(column.index, column.name, cells, style)
    new.role = column.role
    return new
