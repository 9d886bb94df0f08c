"""Which column of a long table holds the ranks, scores or times."""

from __future__ import annotations

import re

from concordant.errors import Hint, InputError, show
from concordant.reading.cells import Column
from concordant.reading.ends import MARKS, PLACES, best_end, is_p_value, metric_end
from concordant.reading.lexicon import AVERAGES, UNITS
from concordant.reading.outcome import Proposal, Roles, question
from concordant.reading.outsiders import is_product
from concordant.reading.places import is_ranking, may_be_places, once
from concordant.reading.sheet import Sheet
from concordant.reading.vocabulary import METRICS, STATISTICS, UNIT_WORDS
from concordant.reading.words import folded, key, place_of, tokens

# Roles of columns that hold no value.
ASIDE = ("ignored", "total", "weight", "count")


def find_value(sheet: Sheet, roles: Roles) -> tuple[Column | None, str | None]:
    """Return the column of ranks or scores, and which end its name says is best."""
    for role, direction in (("rank", "ranks"), ("score", "scores")):
        if role in roles.given:
            _break_ties(roles, roles.given[role])
            return roles.given[role], sheet.options.values or direction
    result, middle = _result(roles), middle_of(roles)
    for role, direction in (("rank", "ranks"), ("score", "scores"), ("low score", "ranks")):
        if role != "rank" and middle:
            return (middle[0] if len(middle) == 1 else None), sheet.options.values
        if role == "low score" and result is not None:
            # How long the run took, beside its result.
            return result, sheet.options.values
        for column in sorted(roles.of(role), key=_is_rating):
            if (
                role == "rank"
                and key(column.name) in _SOFT_RANKS
                and not _are_places(column, roles)
            ):
                continue
            if column.numeric or (column.kind == "empty" and _is_named(roles)):
                if role == "score" and column.kind == "time":
                    direction = "ranks"
                if role == "score" and _may_be_marks(column):
                    return column, sheet.options.values
                if role == "score" and _alike(column, roles) and _crossed(roles):
                    return None, None
                return column, sheet.options.values or direction
    wrong = [c for c in roles.of("rank", "score") if c.kind == "text"]
    if wrong and _is_named(roles) and not _place_columns(roles):
        column = wrong[0]
        given = ((k, cell) for k, cell in enumerate(column.cells) if cell.strip())
        row = next(k for k, _ in given if column.numbers[k] is None)
        raise InputError(
            f"{column.shown} is {show(column.cells[row])}, which is not a number",
            line=sheet.line(sheet.rows[row]),
            hints=[Hint("ignore", (column.name,), "if it does not hold ranks")],
        )
    means = [c for c in roles.free if c.numeric and roles.by_word.get(c.index) == "total"]
    alone = [c for c in roles.free if c.numeric] == means and not roles.of("voter")
    if alone and len(means) == 1 and PLACES & set(tokens(means[0].name)):
        # The mean rank of each item, and nothing else.
        return means[0], sheet.options.values or "ranks"
    said = [c for c in roles.free if c.kind == "number" and best_end(c.name) == "ranks"]
    if len(said) == 1 and roles.of("item") and not roles.of("voter"):
        # "Priority (1 = highest)".
        return said[0], sheet.options.values or "ranks"
    total = total_of_parts(roles) if _is_named(roles) else None
    if total is not None:
        return total, sheet.options.values or "scores"
    if roles.of("item"):
        tests = [c for c in roles.free if c.kind == "number" and is_p_value(c.name)]
        item = roles.of("item")[0]
        again = len(set(map(str.strip, item.cells))) < len(item.cells)
        amounts = [c for c in roles.free if c.kind == "number" and c not in tests]
        amounts = [c for c in amounts if _varies(c, roles.of("voter")) and _varies(c, [item])]
        if len(tests) == 1 and again and not amounts:
            return tests[0], sheet.options.values or "ranks"
    named = [c for c in roles.free if c.numeric and tokens(c.name)[-1:] == ["score"]]
    parts = [c for c in roles.free if c.kind == "number" and c not in named]
    if (
        len(named) == 1
        and len(tokens(named[0].name)) == 2
        and (_repeat(roles) or (roles.of("item") and is_product(named[0], parts)))
    ):
        # "RICE score", beside its parts.
        return named[0], sheet.options.values or "scores"
    numbers = [c for c in roles.free if c.numeric and roles.by_word.get(c.index) != "number"]
    if len(numbers) == 1 and numbers[0].points and roles.of("item"):
        # "Overall", of 5, and nothing else.
        return numbers[0], sheet.options.values or "scores"
    numeric = [
        c
        for c in roles.free
        if c.numeric and roles.by_word.get(c.index) not in (*ASIDE, "voter", "item", "number")
    ]
    every = [
        c for c in roles.free if c.numeric and roles.by_word.get(c.index) not in (*ASIDE, "number")
    ]
    if _is_named(roles):
        numeric = [c for c in numeric if _varies(c, roles.of("voter"))] or numeric
    drinks = [c for c in every if roles.by_word.get(c.index) == "item"]
    if len(drinks) > 1 or (len(every) > 1 and any(c.kind == "time" for c in every)):
        return None, None
    if len(numeric) == 1 and len([c for c in roles.free if c.kind == "text"]) >= 1:
        return numeric[0], sheet.options.values
    return None, None


_BRACKET = re.compile(r"[(\[]\s*([^()\[\]]+?)\s*[)\]]\s*$")


def _alike(column: Column, roles: Roles) -> bool:
    """Return whether another column of numbers has the same words in brackets: `Idea (points)`."""
    mine = _BRACKET.search(column.name)
    others = [_BRACKET.search(c.name) for c in roles.free if c is not column and c.numeric]
    return mine is not None and any(each and key(each[1]) == key(mine[1]) for each in others)


def _may_be_marks(column: Column) -> bool:
    """Return whether a German word for marks stands above 1 to 6, of which 1 may be best."""
    values = {v for v in column.numbers if v is not None}
    return (
        bool(MARKS & set(tokens(column.name))) and max(values, default=0) == 6 and min(values) > 0
    )


def _result(roles: Roles) -> Column | None:
    """Return the column of numbers that is called `result` or the like, of each voter and item."""
    found = [c for c in roles.of("outcome") if c.kind == "number"]
    return found[0] if len(found) == 1 and _is_named(roles) else None


# Words for a place that mean other things too: the finish of a wine.
_SOFT_RANKS = frozenset({"finish", "order", "standing", "position"})


def _are_places(column: Column, roles: Roles) -> bool:
    """Return whether numbers are places of each voter, or no other column has such numbers."""
    voters = roles.of("voter")
    found: dict[str, list[float | None]] = {}
    for k, value in enumerate(column.numbers):
        found.setdefault(voters[0].cells[k].strip() if voters else "", []).append(value)
    given = [[v for v in each if v is not None] for each in found.values()]
    fits = may_be_places(given) or all(is_ranking(each) for each in given)
    if fits and any(1 in each for each in given):
        return True
    others = [c for c in roles.free if c.kind == "number" and c.index not in roles.by_word]
    return not others


def _is_rating(column: Column) -> bool:
    """Return whether a column such as `Ranking` holds ratings: 2105."""
    values = [v for v in column.numbers if v is not None]
    return bool(values) and min(values) > 3 * len(column.cells)


def which_value(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Ask which of several columns of numbers to read, where voter and item are known."""
    if len(middle := middle_of(roles)) > 1:
        proposal = Proposal("long", {c.index: "ignored" for c in sheet.columns})
        why = f"{middle[0].shown} and {middle[1].shown} order the rows differently"
        hints = [Hint("rank", (c.name,), f"for {c.shown}, lowest best") for c in middle[:2]]
        if middle == medals_of(roles.free)[:2]:
            first, every = (c.name for c in middle)
            hints = [Hint("score", (first,), "if the best medals count first")]
            hints.append(Hint("score", (every,), "if all medals count alike"))
        proposal.findings.append(question("which-score", why, *hints))
        return proposal
    if sheet.options.layout not in (None, "long"):
        return None
    if (tested := _which_statistic(sheet, roles)) is not None:
        return tested
    if _is_named(roles):
        item = max(roles.of("item"), key=lambda c: c.kind == "text")
        voter = max(roles.of("voter"), key=lambda c: c.kind == "text")
    elif (pair := _crossed(roles)) is not None:
        voter, item = pair
    else:
        return None
    numeric = [
        c
        for c in roles.free
        if c.numeric
        and c not in (item, voter)
        and roles.by_word.get(c.index) not in (*ASIDE, "number", "voter", "item", "outcome")
        and _varies(c, [voter])
    ]
    pairs = set(zip(voter.cells, item.cells, strict=True))
    many = len({cell.strip() for cell in voter.cells}) < len(voter.cells)
    again = len({cell.strip() for cell in item.cells}) < len(item.cells)
    texts = item.kind == "text" or voter.kind == "text"
    if len(numeric) < 2 or len(pairs) < len(item.cells) or not (many and again and texts):
        return None
    proposal = Proposal("long", {c.index: "ignored" for c in sheet.columns})
    proposal.roles |= {item.index: "item", voter.index: "voter"}
    hints = [
        Hint("rank", (c.name,), f"if {c.shown} decides, lowest best")
        if metric_end(c.name) == "ranks" or is_p_value(c.name)
        else Hint("score", (c.name,), f"if {c.shown} decides, highest best")
        for c in numeric[:2]
    ]
    shown = ", ".join(c.shown for c in numeric[:3]) + (", …" if len(numeric) > 3 else "")
    proposal.findings.append(
        question("which-score", f"{len(numeric)} columns hold numbers ({shown})", *hints)
    )
    return proposal


def _crossed(roles: Roles) -> tuple[Column, Column] | None:
    """Return two columns of text whose cells all repeat, and which differ together in each row."""
    texts = [c for c in roles.free if c.kind == "text" and roles.by_word.get(c.index) not in ASIDE]
    if len(texts) != 2:
        return None
    one, other = ([cell.strip() for cell in c.cells] for c in texts)
    repeat = all(2 * len(set(cells)) <= len(cells) for cells in (one, other))
    apart = len(set(zip(one, other, strict=True))) == len(one)
    return (texts[0], texts[1]) if repeat and apart else None


def _which_statistic(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Ask which statistic of a test ranks the rows: its p-value, or the size of the effect."""
    numeric = [c for c in roles.free if c.kind == "number"]
    tests = [c for c in numeric if is_p_value(c.name)]
    effects = [c for c in numeric if _EFFECT.search(key(c.name)) and c not in tests]
    names = [c for c in roles.free if c.kind == "text" and len(set(c.cells)) == len(c.cells)]
    if roles.given or roles.of("voter") or not tests or not effects or not names:
        return None
    proposal = Proposal("long", {c.index: "ignored" for c in sheet.columns})
    proposal.roles[names[0].index] = "item"
    proposal.findings.append(
        question(
            "which-score",
            f"{names[0].called} may be ranked by {tests[-1].shown} or by {effects[0].shown}",
            Hint("rank", (tests[-1].name,), "if the lowest p-value is best"),
            Hint("score", (effects[0].name,), "if the highest effect is best"),
        )
    )
    return proposal


_EFFECT = re.compile(
    r"foldchange|^log2?fc|lfc$|^fc$|^(?:stat|statistic|beta|effect|effectsize|estimate|coef|"
    r"coefficient|oddsratio|or|hazardratio|hr|zscore|tvalue|nes)$"
)


def is_statistic(column: Column, more: frozenset[str] = frozenset()) -> bool:
    """Return whether a name such as `Min [ms]` or `Std. error` speaks of repeated measurements."""
    words = set(tokens(re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", column.name))) - UNIT_WORDS
    return bool(words) and words <= STATISTICS | more


def middle_of(roles: Roles) -> list[Column]:
    """Return the columns that each order all rows, where other numbers are details: the means.

    So do the times of one race by two clocks, and medals. They are one column where they order the
    rows alike.
    """
    aside = ("ignored", "number")
    numeric = [c for c in roles.free if c.numeric and roles.by_word.get(c.index) not in aside]
    if roles.given or any(roles.by_word.get(c.index) == "rank" for c in numeric):
        return []
    found = [c for c in numeric if c.kind == "time" and _CLOCKS.search(folded(c.name))]
    if len(found) < 2 and not (found := medals_of(numeric)[:2]):
        found = _means_of(roles.sheet, numeric)
    orders = {_order_of(c) for c in found}
    return found[:1] if len(orders) == 1 else found


def _order_of(column: Column) -> tuple[float | None, ...]:
    """Return the rank of each number of a column among its numbers."""
    levels = sorted({v for v in column.numbers if v is not None})
    return tuple(None if v is None else levels.index(v) for v in column.numbers)


def _means_of(sheet: Sheet, numeric: list[Column]) -> list[Column]:
    """Return the means, where all numbers of a table are statistics of what its rows name."""
    units = _unit_of(sheet)
    more = _SCORED if units else frozenset[str]()
    if len(numeric) < 2 or not all(is_statistic(c, more) for c in numeric):
        return []
    scores = [c for c in numeric if key(c.name) == "score"]
    if units and len(scores) == 1:
        return scores
    return [
        c
        for words in (AVERAGES, frozenset({"median", "mediane", "mediana"}))
        for c in numeric
        if words & set(tokens(c.name)) and not _SPREADS & set(tokens(c.name))
    ]


# Of a race: from the shot or from the line on, before or after a handicap.
_CLOCKS = re.compile(
    r"\b(?:gun|chip|net|gross|netto|brutto|bruto|neto|liquido|lordo|real|reel|reelle|officiel|"
    r"oficial|ufficiale|official|elapsed|corrected|moving|compense|compensado|compensato|"
    r"berechnet|gesegelt)(?:\b|zeit|tijd|tid)"
)
_MEDALS = [
    frozenset(words.split())
    for words in (
        "gold golds or oro ouro goud zloto guld 🥇",
        "silver silvers silber argent plata prata argento zilver srebro 🥈",
        "bronze bronzes bronce bronzo brons braz 🥉",
    )
]


def medals_of(columns: list[Column]) -> list[Column]:
    """Return the columns of gold medals and of all medals, then those of silver and of bronze."""
    found = [c for words in _MEDALS for c in columns if words & {key(c.name), *tokens(c.name)}]
    if len(found) != len(_MEDALS) or any(c.kind != "number" for c in found):
        return []
    if all(once(list(row)) for row in zip(*(c.numbers for c in found), strict=True)):
        # The places of each row.
        return []
    sums = [c for c in columns if c not in found and c.kind == "number" and _add_up(found, c)]
    return [found[0], sums[0], *found[1:]] if sums else []


def _break_ties(roles: Roles, column: Column) -> None:
    """Let silver and bronze decide where two have as many gold medals."""
    medals = medals_of([column, *roles.free])
    if column in medals[:1]:
        rows = zip(column.numbers, *(c.numbers for c in medals[2:]), strict=True)
        column.numbers = [
            None if gold is None else gold + (silver or 0) / 1e4 + (bronze or 0) / 1e8
            for gold, silver, bronze in rows
        ]


# Beside the unit of a score, these are no scores.
_SCORED = frozenset({"score", "threads", "param", "99.9", "9"})


def _unit_of(sheet: Sheet) -> str | None:
    """Return the one unit that a column of units names: ns/op."""
    cells = [set(map(str.strip, c.cells)) for c in sheet.columns if key(c.name) in UNITS]
    return cells[0].pop() if len(cells) == 1 and len(cells[0]) == 1 else None


def unit_end(sheet: Sheet, middle: Column) -> str | None:
    """Return the best end of the statistics of a table, by the words around them."""
    texts = [*sheet.titles, *(c.name for c in sheet.columns if not c.numeric), middle.name]
    if unit := _unit_of(sheet):
        texts = [f"({unit.partition('/op')[0]})"]
    ends = {best_end(text) or metric_end(text) for text in texts} - {None}
    if {"user", "system"} <= {key(c.name) for c in sheet.columns}:
        # Seconds of a processor.
        ends.add("ranks")
    return ends.pop() if len(ends) == 1 else None


_SPREADS = frozenset({"error", "deviation", "dev", "std", "stddev", "ratio", "relative", "ci"})


def _varies(column: Column, voters: list[Column]) -> bool:
    """Return whether a column differs within a voter: the number of patients of a study does not.

    The chromosome of a gene does not differ within an item. Without voters, all rows are one.
    """
    seen = set(zip(*(c.cells for c in voters[:1]), column.numbers, strict=True))
    return len(seen) > len({each[:-1] for each in seen})


def total_of_parts(roles: Roles) -> Column | None:
    """Return the column of totals beside its parts: the points for each item."""
    totals = [c for c in roles.free if c.numeric and roles.by_word.get(c.index) == "total"]
    parts = [
        c
        for c in roles.free
        if c.kind == "number" and roles.by_word.get(c.index) not in (*ASIDE, "voter", "number")
    ]
    if len(totals) != 1:
        return None
    # The number of an entry is the same for all who judge it.
    items = [c for c in roles.of("item") if c.kind == "text"]
    varied = [c for c in parts if all(_varies(c, [item]) for item in items)]
    return totals[0] if any(_add_up(each, totals[0]) for each in (parts, varied)) else None


def _add_up(parts: list[Column], total: Column) -> bool:
    """Return whether the parts of each row have the total."""
    return len(parts) > 1 and all(
        value is None or abs(value - sum(c.numbers[k] or 0 for c in parts)) <= 0.011
        for k, value in enumerate(total.numbers)
    )


def _repeat(roles: Roles) -> bool:
    """Return whether voters and items are named, and both occur in several rows."""
    columns = [*roles.of("voter")[:1], *roles.of("item")[:1]]
    return len(columns) == 2 and all(
        2 * len(set(map(str.strip, c.cells))) <= len(c.cells) for c in columns
    )


def _is_named(roles: Roles) -> bool:
    """Return whether columns are called voter and item, or by words that mean the same."""
    return bool(roles.of("voter")) and bool(roles.of("item"))


def _place_columns(roles: Roles) -> list[Column]:
    """Return the columns whose names are places, as on ballots."""
    return [c for c in roles.free if place_of(c.name) is not None]


def metric_of(sheet: Sheet) -> str | None:
    """Return the best end of the one metric that a column of its own names."""
    for column in sheet.columns:
        cells = set(map(str.strip, column.cells))
        if column.kind == "text" and len(cells) == 1 and METRICS & set(tokens(column.name)):
            return metric_end(cells.pop())
    return None
