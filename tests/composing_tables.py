"""Composed tables of numbers: wide ones and long ones."""

from __future__ import annotations

from collections.abc import Callable

from composing_draw import Draw, Table, attributes, by_value, left_out, long_table, places
from composing_words import FIELDS, PAPERS, UNPLACED, Field


def with_attributes(draw: Draw, chosen: Field, table: Table, items: list[str]) -> None:
    """Put attributes beside the names in the first column, or at the end; a number in front."""
    for column in attributes(draw, chosen, items):
        at = 1 if draw.rng.random() < 0.7 else len(table.header)
        for row, cell in zip([table.header, *table.rows], column, strict=True):
            row.insert(at, cell)
    if draw.noise("running number", 0.1):
        for k, row in enumerate([table.header, *table.rows]):
            row.insert(0, str(k) if k else draw.word("number"))


def summed(draw: Draw, cells: list[list[float | None]], digits: int) -> list[str]:
    """Return the word and the sums or averages of lists of numbers."""
    average = draw.rng.random() < 0.6
    found = [draw.word("average" if average else "total")]
    for values in cells:
        given = [v for v in values if v is not None]
        total = sum(given) / max(1, len(given)) if average else sum(given)
        found.append(draw.decimal(total, max(2, digits) if average else digits))
    return found


def wide(
    draw: Draw,
    chosen: Field,
    items: list[str],
    voters: list[str],
    values: list[dict[str, float]],
    write: Callable[[float, int, str], str],
    *,
    by_item: bool,
    digits: int = 0,
    highest: bool = True,
) -> Table:
    """Return a wide table of numbers, with totals and attributes."""
    empty = draw.empty
    lines: list[list[float | None]] = [[v.get(item) for item in items] for v in values]
    cells = [
        [empty if x is None else write(x, who, item) for item, x in zip(items, line, strict=True)]
        for who, line in enumerate(lines)
    ]
    sides = (items, voters) if by_item else (voters, items)
    if by_item:
        cells = [list(row) for row in zip(*cells, strict=True)]
        lines = [list(row) for row in zip(*lines, strict=True)]
    word = draw.word(chosen.word) if by_item else draw.word("judge")
    if "numbered voters" in draw.names and draw.noise("empty corner", 0.2):
        word = ""
    table = Table([word, *sides[1]], [[n, *c] for n, c in zip(sides[0], cells, strict=True)], [])
    if by_item and draw.noise("total column", 0.25):
        for row, cell in zip([table.header, *table.rows], summed(draw, lines, digits), strict=True):
            row.append(cell)
        if "missing values" not in draw.names and draw.noise("final place", 0.3):
            sums = {k: round(sum(x or 0 for x in line), 6) for k, line in enumerate(lines)}
            final = by_value({str(k): v for k, v in sums.items()}, highest=highest)
            table.header.append(draw.word("rank"))
            for k, row in enumerate(table.rows):
                row.append(str(places(final)[str(k)]))
    if by_item:
        with_attributes(draw, chosen, table, items)
    elif draw.noise("total row", 0.25):
        table.rows.append(summed(draw, [list(c) for c in zip(*lines, strict=True)], digits))
    if not by_item and draw.noise("group of voters", 0.15):
        groups = [draw.rng.choice(["A", "B", "North"]) for _ in voters]
        for row, cell in zip(
            [table.header, *table.rows], [draw.word("group"), *groups], strict=False
        ):
            row.insert(1, cell)
        for row in table.rows[len(voters) :]:
            row.insert(1, "")
    if not by_item and draw.noise("age of voters", 0.1):
        table.header.append(draw.word("age"))
        for k, row in enumerate(table.rows):
            row.append(str(draw.rng.randint(19, 70)) if k < len(voters) else "")
    if not by_item and draw.noise("comments", 0.15):
        table.header.append(draw.word("comment"))
        for row in table.rows:
            row.append(draw.rng.choice(["", "", "ok", "super!", "tbc"]))
        table.rows[0][-1] = "ok"
    return table


def wide_ranks(draw: Draw) -> Table:
    """Places of items, judges in rows or in columns."""
    by_item = draw.noise("items in rows", 0.5)
    chosen = draw.field("wine", "film", "dish", "project", "city", "school", "song", "beer")
    items, voters = draw.items(chosen), draw.people()
    draw.missing(0.25)
    ties = draw.noise("ties", 0.3)
    mark = draw.rng.choice(["{}", "={}", "T{}", "{}="]) if ties else "{}"
    if ties:
        draw.names.append(f"ties {mark}")
    rankings = []
    for _ in voters:
        out = left_out(draw, items)
        rest = [item for item in items if item not in out]
        rankings.append(draw.ranking(rest, ties=ties and draw.rng.random() < 0.6))
    shared = [{item for b in ranking if len(b) > 1 for item in b} for ranking in rankings]

    def write(value: float, who: int, item: str) -> str:
        return (mark if item in shared[who] else "{}").format(int(value))

    values: list[dict[str, float]] = [dict(places(ranking)) for ranking in rankings]
    table = wide(draw, chosen, items, voters, values, write, by_item=by_item, highest=False)
    table.rankings, table.items = rankings, items
    # Equal numbers of most voters may be points from 1 to 5.
    if (ties and mark == "{}") or draw.noise("title says rank", 0.2):
        table.title = draw.word("rank")
    return table


def wide_scores(draw: Draw) -> Table:
    """Points of judges for items. A word says that the highest is best."""
    by_item = draw.noise("items in rows", 0.6)
    chosen = draw.field("wine", "dish", "project", "song", "athlete", "beer")
    items, voters = draw.items(chosen), draw.people()
    draw.missing(0.25)
    draw.commas()
    low, high, digits = draw.rng.choice([(60, 99, 0), (4, 10, 1), (11, 19, 1), (70, 98, 2)])
    draw.names.append(f"scores of {digits} digits")
    values = []
    for _ in voters:
        out = left_out(draw, items)
        rest = [item for item in items if item not in out]
        values.append({item: round(draw.rng.uniform(low, high), digits) for item in rest})
    unit = draw.rng.choice(["", "", "", " pts"]) if not digits else ""

    def write(value: float, who: int, item: str) -> str:
        return draw.decimal(value, digits) + unit

    place = draw.rng.choice(["title", "header", "total", "cells" if unit else "title"])
    draw.names.append(f"word in {place}")
    heads = (
        [f"{v} ({draw.word('points').lower()})" for v in voters] if place == "header" else voters
    )
    if place in ("header", "total") and not by_item:
        place, heads = "title", voters
    table = wide(draw, chosen, items, heads, values, write, by_item=by_item, digits=digits)
    table.title = draw.word("points title") if place == "title" else ""
    if place == "total":
        table.header.append(f"{draw.word('total')} {draw.word('points').lower()}")
        sums = [sum(v.get(item, 0) for v in values) for item in items]
        for row, total in zip(table.rows, sums, strict=True):
            row.append(draw.decimal(total, digits))
    table.rankings, table.items = [by_value(v, highest=True) for v in values], items
    return table


def times(draw: Draw) -> Table:
    """Times of athletes in several runs."""
    chosen = draw.field("athlete", "rider")
    items = draw.items(chosen)
    word = draw.word("run")
    runs = [f"{word} {k + 1}" for k in range(draw.rng.randint(2, 4))]
    draw.commas()
    if draw.noise("unplaced", 0.4):
        draw.empty = draw.rng.choice(UNPLACED)
        draw.names.append(f"unplaced {draw.empty!r}")
        draw.names.append("missing values")
    style = draw.rng.choice(["m:ss.cc", "h:mm:ss", "s"])
    draw.names.append(f"times {style}")
    low, high = {"m:ss.cc": (61, 119), "h:mm:ss": (3700, 7000), "s": (41, 59)}[style]
    digits = 0 if style == "h:mm:ss" else 2
    values = [
        {item: round(draw.rng.uniform(low, high), digits) for item in items if item not in left}
        for left in (left_out(draw, items) for _ in runs)
    ]

    def write(value: float, who: int, item: str) -> str:
        if style == "s":
            return draw.decimal(value, 2) + " s"
        if style == "h:mm:ss":
            return f"{int(value) // 3600}:{int(value) // 60 % 60:02}:{int(value) % 60:02}"
        minutes = int(value // 60)
        return f"{minutes}:{draw.decimal(value - 60 * minutes, 2).zfill(5)}"

    rows = [
        [item, *(write(v[item], 0, item) if item in v else draw.empty for v in values)]
        for item in items
    ]
    table = Table(
        [draw.word(chosen.word), *runs], rows, [by_value(v, highest=False) for v in values]
    )
    if draw.noise("total column", 0.3) and "missing values" not in draw.names:
        table.header.append(draw.word("total"))
        for row, item in zip(table.rows, items, strict=True):
            row.append(write(sum(v[item] for v in values), 0, item))
    with_attributes(draw, chosen, table, items)
    table.items = items
    return table


def leaderboard(draw: Draw) -> Table:
    """Models with percentages in several benchmarks, and their average."""
    chosen = FIELDS["model"]
    items = draw.items(chosen)
    names = ["MMLU", "GSM8K", "HumanEval", "HellaSwag", "ARC-C", "TruthfulQA", "BBH", "MATH"]
    voters = draw.rng.sample(names, draw.rng.randint(3, 6))
    said = draw.rng.choice(["arrows", "accuracy in the names", "accuracy in the title"])
    draw.names.append(said)
    form = {"arrows": "{} ↑", "accuracy in the names": "{} (acc)"}.get(said, "{}")
    voters = [form.format(name) for name in voters]
    draw.missing(0.3)
    draw.commas()
    percent = "%" if draw.noise("percent signs", 0.3) else ""
    digits = draw.rng.choice([1, 2])
    values = [
        {item: round(draw.rng.uniform(20, 95), digits) for item in items if item not in left}
        for left in (left_out(draw, items) for _ in voters)
    ]

    def write(value: float, who: int, item: str) -> str:
        return draw.decimal(value, digits) + percent

    table = wide(draw, chosen, items, voters, values, write, by_item=True, digits=digits)
    table.rankings, table.items = [by_value(v, highest=True) for v in values], items
    table.title = "Accuracy (%)" if said == "accuracy in the title" else ""
    return table


# A name of a criterion, its unit, its best end, and the numbers it may have.
CRITERIA = [
    ("price", "€", "ranks", (290, 990)),
    ("weight", "kg", "ranks", (11, 39)),
    ("range", "km", "scores", (210, 690)),
    ("noise", "dB", "ranks", (41, 72)),
    ("power", "kW", "scores", (40, 190)),
]


def criteria(draw: Draw) -> Table:
    """Products in rows, criteria in columns; arrows, words or goals show the best end of each."""
    chosen = FIELDS["car"]
    items = draw.items(chosen)
    said = draw.rng.choice(["arrows", "words", "goal row"])
    draw.names.append(f"goals by {said}")
    draw.commas()
    in_cells = said == "goal row" and draw.noise("units in cells", 0.3)
    drawn = draw.rng.sample(CRITERIA, draw.rng.randint(2, 5))
    columns, rankings = [], []
    for subject, unit, end, (low, high) in drawn:
        name = draw.word(subject) + ("" if in_cells else f" ({unit})")
        highest = end == "scores"
        if said == "arrows":
            name += " ↑" if highest else " ↓"
        elif said == "words":
            name += f" – {draw.word('higher' if highest else 'lower')}"
        values = {item: round(draw.rng.uniform(low, high), 1) for item in items}
        cells = [draw.decimal(v, 1) + (f" {unit}" if in_cells else "") for v in values.values()]
        goal = [draw.rng.choice(["max"] if highest else ["min"])] if said == "goal row" else []
        columns.append([name, *goal, *cells])
        rankings.append(by_value(values, highest=highest))
    names = [draw.word("car"), *(["Goal"] if said == "goal row" else []), *items]
    rows = [list(row) for row in zip(names, *columns, strict=True)]
    table = Table(rows[0], rows[1:], rankings, items)
    if said != "goal row":
        with_attributes(draw, chosen, table, items)
    return table


def races(draw: Draw) -> Table:
    """A row for each race and rider: the place, or a word such as DNF."""
    chosen = draw.field("rider", "athlete")
    items = draw.items(chosen)
    names = draw.rng.sample(chosen.events, draw.rng.randint(2, 5))
    columns = [[draw.word("race")], [draw.word(chosen.word)], [draw.word("rank")]]
    points: list[str] = [draw.word("points")]
    unplaced = draw.noise("unplaced", 0.5)
    ties = draw.noise("ties", 0.2)
    word = draw.rng.choice(UNPLACED)
    if unplaced:
        draw.names.append(f"unplaced {word!r}")
    suffix = draw.rng.choice(["", "", "", "."])
    rankings = []
    for name in names:
        out = {item for item in items if unplaced and draw.rng.random() < 0.2}
        rest = [item for item in items if item not in out]
        rankings.append(draw.ranking(rest, ties=ties))
        for item, place in places(rankings[-1]).items():
            for column, cell in zip(columns, (name, item, f"{place}{suffix}"), strict=True):
                column.append(cell)
            points.append(str(max(0, 30 - 3 * place)))
        for item in sorted(out):
            for column, cell in zip(columns, (name, item, word), strict=True):
                column.append(cell)
            points.append("0")
    if draw.noise("points beside places", 0.2):
        columns.append(points)
    columns += attributes(draw, chosen, columns[1][1:])
    table = long_table(draw, columns)
    table.rankings, table.items = rankings, items
    return table


def long_scores(draw: Draw) -> Table:
    """A row for each judge and item: the points."""
    chosen = draw.field("wine", "dish", "project", "song", "beer")
    items, voters = draw.items(chosen), draw.people()
    draw.missing(0.3)
    draw.commas()
    low, high, digits = draw.rng.choice([(60, 99, 0), (4, 10, 1), (1, 10, 0), (70, 98, 2)])
    columns = [[draw.word("judge")], [draw.word(chosen.word)], [draw.word("points")]]
    rankings = []
    for voter in voters:
        out = left_out(draw, items)
        values = {i: round(draw.rng.uniform(low, high), digits) for i in items if i not in out}
        rankings.append(by_value(values, highest=True))
        for item in items:
            cell = draw.decimal(values[item], digits) if item in values else draw.empty
            for column, each in zip(columns, (voter, item, cell), strict=True):
                column.append(each)
    if draw.noise("comments", 0.2):
        notes = [draw.rng.choice(["", "", "fein", "super!", "ok"]) for _ in columns[0][1:]]
        columns.append([draw.word("comment"), *notes])
    columns += attributes(draw, chosen, columns[1][1:])
    table = long_table(draw, columns)
    table.rankings, table.items = rankings, items
    return table


def yearly(draw: Draw) -> Table:
    """A row for each year, magazine and item: the place."""
    chosen = draw.field("film", "song", "school")
    items = draw.items(chosen)
    lists = [(y, m) for y in ("2022", "2023") for m in draw.rng.sample(PAPERS, 2)]
    columns = [[draw.word("year")], [draw.word("magazine")]]
    columns += [[draw.word(chosen.word)], [draw.word("rank")]]
    rankings = []
    for year, paper in lists:
        rankings.append(draw.ranking(items, most=draw.rng.randint(3, len(items))))
        for item, place in places(rankings[-1]).items():
            for column, cell in zip(columns, (year, paper, item, str(place)), strict=True):
                column.append(cell)
    table = long_table(draw, columns)
    table.rankings = rankings
    return table


def studies(draw: Draw) -> Table:
    """A row for each study and gene: the p-value."""
    chosen = FIELDS["gene"]
    items = draw.items(chosen)
    names = [f"{n} {draw.rng.randint(2009, 2024)}" for n in draw.rng.sample(chosen.events, 3)]
    columns = [
        [draw.word("study")],
        ["Gene"],
        [draw.rng.choice(["p-value", "p", "P value", "FDR"])],
    ]
    rankings = []
    for name in names:
        values = {item: float(f"{10 ** -draw.rng.uniform(0.5, 9):.2e}") for item in items}
        rankings.append(by_value(values, highest=False))
        for item in items:
            for column, cell in zip(columns, (name, item, f"{values[item]:.2e}"), strict=True):
                column.append(cell)
    columns += attributes(draw, chosen, columns[1][1:])
    table = long_table(draw, columns)
    table.rankings, table.items = rankings, items
    return table
