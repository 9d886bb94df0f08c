"""Random tables in common layouts, with noise that does not change what they mean.

`compose(seed)` returns a file and the meaning it has, in the form of the indices of
`tests/reading`. A layout is a function of `Draw` that returns a `Table`; noise is drawn by
`Draw.noise`, which also writes down its name, so that faults can be counted by it.

Each file must have one plausible reading. What a careful stranger would ask about is left out:
marks without a word that says which end is best, or names of both sides without a word for either.
"""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from composing_words import (
    FIELDS,
    GRIDS,
    LANGUAGES,
    MISSING,
    NOTES,
    ORDINALS,
    PAPERS,
    PEOPLE,
    SURNAMES,
    TITLES,
    UNPLACED,
    WORDS,
    Field,
)

Buckets = list[list[str]]


@dataclass
class Table:
    """Cells with a known meaning.

    Attributes:
        header: The names of the columns.
        rows: The cells below.
        rankings: What the table says, one ranking per voter.
        items: Names of items that may have no place.
        title: A text that must stand above the table, as it says what the numbers are.
        text: The whole file, where it is not a table.
        weights: How often each ranking counts; empty for once.
    """

    header: list[str]
    rows: list[list[str]]
    rankings: list[Buckets]
    items: list[str] = field(default_factory=list)
    title: str = ""
    text: str = ""
    weights: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Composed:
    """A file: its layout, the noise it has, its bytes and its expectation."""

    layout: str
    noise: tuple[str, ...]
    suffix: str
    content: bytes
    entry: dict[str, Any]


class Draw:
    """Random choices for one file, and a record of the noise that was chosen."""

    def __init__(self, seed: object) -> None:
        self.rng = random.Random(str(seed))
        self.names: list[str] = []
        self.language = self.rng.choice(LANGUAGES)
        self.names.append(f"language {self.language}")
        self.empty = ""
        self.comma = False

    def noise(self, name: str, share: float) -> bool:
        """Draw whether there is noise of this name."""
        drawn = self.rng.random() < share
        if drawn:
            self.names.append(name)
        return drawn

    def word(self, subject: str) -> str:
        """Return a word for a subject in the language of the file."""
        return self.rng.choice(WORDS[subject][self.language].split("|"))

    def field(self, *names: str) -> Field:
        return FIELDS[self.rng.choice(names)]

    def items(self, chosen: Field, *, most: int = 8) -> list[str]:
        return self.rng.sample(chosen.items, self.rng.randint(3, most))

    def people(self, *, few: int = 2) -> list[str]:
        """Return names of voters: first names, or "Judge 1"."""
        n = self.rng.randint(few, 8)
        if self.noise("numbered voters", 0.3):
            word = self.word("judge")
            return [f"{word} {k + 1}" for k in range(n)]
        return self.named(n)

    def named(self, n: int) -> list[str]:
        """Return names of people."""
        names = self.rng.sample(PEOPLE, n)
        if self.noise("full names", 0.3):
            return [f"{name} {self.rng.choice(SURNAMES)}" for name in names]
        return names

    def ranking(self, items: list[str], *, ties: bool = False, most: int = 0) -> Buckets:
        """Return a random ranking, with a tie if wanted, of some items if `most` is given."""
        order = self.rng.sample(items, most or len(items))
        buckets = [[item] for item in order]
        if ties and len(buckets) > 3:
            k = self.rng.randrange(len(buckets) - 1)
            buckets[k : k + 2] = [[*buckets[k], *buckets[k + 1]]]
        return buckets

    def missing(self, share: float) -> str:
        """Choose the word for a missing value; the share is that of files that have one."""
        if self.noise("missing values", share):
            self.empty = self.rng.choice(MISSING)
            self.names.append(f"missing {self.empty!r}")
            return self.empty
        return ""

    def decimal(self, value: float, digits: int) -> str:
        text = f"{value:.{digits}f}"
        return text.replace(".", ",") if self.comma else text

    def commas(self) -> None:
        """Choose the decimal mark."""
        self.comma = self.language != "en" and self.noise("decimal comma", 0.5)


def places(ranking: Buckets) -> dict[str, int]:
    """Return the place of each item: 1, 2, 2, 4."""
    found, place = {}, 1
    for bucket in ranking:
        found |= dict.fromkeys(bucket, place)
        place += len(bucket)
    return found


def by_value(values: dict[str, float], *, highest: bool) -> Buckets:
    """Return the ranking that values mean."""
    levels = sorted(set(values.values()), reverse=highest)
    return [[item for item, v in values.items() if v == level] for level in levels]


def attributes(draw: Draw, chosen: Field, items: list[str]) -> list[list[str]]:
    """Return columns that describe the items: a name and a cell for each."""
    columns = []
    for subject in draw.rng.sample(sorted(chosen.attributes), len(chosen.attributes)):
        if draw.noise(f"attribute {subject}", 0.3):
            pool = chosen.attributes[subject]
            of = {item: draw.rng.choice(pool) for item in dict.fromkeys(items)}
            if subject == "bib":
                of = dict(zip(of, draw.rng.sample(pool, len(of)), strict=True))
            columns.append([draw.word(subject), *(of[item] for item in items)])
    return columns


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
        [
            empty if x is None else write(x, who, item)
            for item, x in zip(items, line, strict=True)
        ]
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
        for row, cell in zip([table.header, *table.rows], [draw.word("group"), *groups]):
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


def left_out(draw: Draw, items: list[str]) -> set[str]:
    """Return the items that a voter does not rank."""
    share = 0.15 if "missing values" in draw.names else 0
    found = {item for item in items if draw.rng.random() < share}
    return found if len(items) - len(found) >= 2 else set()


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
    heads = [f"{v} ({draw.word('points').lower()})" for v in voters] if place == "header" else voters
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
        {
            item: round(draw.rng.uniform(low, high), digits)
            for item in items
            if item not in left
        }
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
    table = Table([draw.word(chosen.word), *runs], rows, [by_value(v, highest=False) for v in values])
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
        {
            item: round(draw.rng.uniform(20, 95), digits)
            for item in items
            if item not in left
        }
        for left in (left_out(draw, items) for _ in voters)
    ]

    def write(value: float, who: int, item: str) -> str:
        return draw.decimal(value, digits) + percent

    table = wide(draw, chosen, items, voters, values, write, by_item=True, digits=digits)
    table.rankings, table.items = [by_value(v, highest=True) for v in values], items
    table.title = "Accuracy (%)" if said == "accuracy in the title" else ""
    return table


# A name of a criterion, its best end, and the numbers it may have.
CRITERIA = [
    ("price", "€", "ranks", (290, 990)),
    ("weight", "kg", "ranks", (11, 39)),
    ("range", "km", "scores", (210, 690)),
    ("noise", "dB", "ranks", (41, 72)),
    ("power", "kW", "scores", (40, 190)),
]


def criteria(draw: Draw) -> Table:
    """Products by criteria; arrows, words or a row of goals say which end is best."""
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


def long_table(draw: Draw, columns: list[list[str]], *, shuffled: bool = True) -> Table:
    """Return a long table from columns with their names; rows and columns in some order."""
    if draw.noise("other order of columns", 0.3):
        draw.rng.shuffle(columns)
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    if shuffled and draw.noise("shuffled rows", 0.3):
        draw.rng.shuffle(rows)
    return Table(header, rows, [])


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
    columns = [[draw.word("study")], ["Gene"], [draw.rng.choice(["p-value", "p", "P value", "FDR"])]]
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


def form_columns(draw: Draw, n: int) -> list[list[str]]:
    """Return the columns that the answers of a form have besides."""
    found = []
    if draw.noise("timestamp", 0.5):
        form = draw.rng.choice(["2025-03-0{} 10:2{}:11", "3/{}/2025 9:1{}:45", "0{}.03.2025 18:0{}"])
        stamps = [form.format(1 + k % 9, k % 10) for k in range(n)]
        found.append([draw.word("timestamp"), *stamps])
    if draw.noise("e-mail", 0.3):
        found.append([draw.word("email"), *(f"p{k}@example.org" for k in range(n))])
    if draw.noise("names", 0.5):
        found.append([draw.word("name"), *draw.named(n)])
    return found


def ballots(draw: Draw) -> Table:
    """A column for each choice, as in forms."""
    chosen = draw.field("film", "dish", "city", "song", "drink", "project")
    items = draw.items(chosen)
    n, n_places = draw.rng.randint(3, 8), draw.rng.randint(2, min(5, len(items)))
    draw.missing(0.4)
    rankings, cells = [], []
    for _ in range(n):
        short = "missing values" in draw.names and draw.rng.random() < 0.3
        most = draw.rng.randint(1, n_places - 1) if short else n_places
        rankings.append(draw.ranking(items, most=most))
        cells.append([*(b[0] for b in rankings[-1]), *[draw.empty] * (n_places - most)])
    words = draw.rng.choice(ORDINALS[draw.language])
    columns = form_columns(draw, n)
    columns += [[words[k], *(row[k] for row in cells)] for k in range(n_places)]
    counts: list[int] = []
    if draw.noise("count column", 0.1):
        counts = [draw.rng.randint(1, 40) for _ in range(n)]
        columns = [c for c in columns[-n_places:]] + [[draw.word("votes"), *map(str, counts)]]
    elif draw.noise("comments", 0.3):
        notes = [draw.rng.choice(["", "", "danke", "ok", "merci !"]) for _ in range(n)]
        columns.append([draw.word("comment"), *notes])
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings, weights=counts)


def form_grid(draw: Draw) -> Table:
    """A grid of a form: `Question [Item]`, with the place in each cell."""
    chosen = draw.field("film", "dish", "city", "drink", "project")
    items, n = draw.items(chosen, most=6), draw.rng.randint(3, 8)
    forms = draw.rng.choice(GRIDS[draw.language])
    draw.names.append(f"cells {forms[0]!r}")
    question = draw.word("question")
    draw.missing(0.2)
    rankings, cells = [], []
    for _ in range(n):
        out = left_out(draw, items)
        rankings.append(draw.ranking([item for item in items if item not in out]))
        found = places(rankings[-1])
        cells.append([forms[found[i] - 1] if i in found else draw.empty for i in items])
    columns = form_columns(draw, n)
    columns += [
        [f"{question} [{item}]", *(row[k] for row in cells)] for k, item in enumerate(items)
    ]
    if draw.noise("comments", 0.3):
        columns.append([draw.word("comment"), *(draw.rng.choice(["", "ok"]) for _ in range(n))])
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings, items)


def lists_in_cells(draw: Draw) -> Table:
    """One cell holds the ranking."""
    chosen = draw.field("drink", "city", "dish", "song")
    items = [item for item in draw.items(chosen) if not set(item) & set(",;>/")]
    if len(items) < 3:
        return lists_in_cells(draw)
    mark = draw.rng.choice([";", ", ", " > ", ">", "\n", "; "])
    draw.names.append(f"lists by {mark!r}")
    n = draw.rng.randint(3, 8)
    some = draw.noise("short lists", 0.3)
    rankings = [
        draw.ranking(items, most=draw.rng.randint(2, len(items)) if some else len(items))
        for _ in range(n)
    ]
    columns = form_columns(draw, n) or [[draw.word("judge"), *draw.named(n)]]
    numbered = mark in (", ", "\n", "; ") and draw.noise("numbered lists", 0.2)
    columns.append([draw.word("ranking")])
    for ranking in rankings:
        names = [f"{k + 1}. {b[0]}" if numbered else b[0] for k, b in enumerate(ranking)]
        columns[-1].append(mark.join(names))
    if draw.noise("comments", 0.2):
        columns.append([draw.word("comment"), *(draw.rng.choice(["", "ok"]) for _ in range(n))])
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings)


def lists_in_columns(draw: Draw) -> Table:
    """A column for each list, the best on top."""
    chosen = draw.field("gene", "film", "city", "song", "dish")
    items = draw.items(chosen)
    n = draw.rng.randint(2, 6)
    heads = draw.named(n)
    if chosen.word == "gene":
        heads = [f"{draw.rng.choice(chosen.events)} {2009 + k}" for k in range(n)]
    some = draw.noise("short lists", 0.3)
    rankings = [
        draw.ranking(items, most=draw.rng.randint(2, len(items)) if some else len(items))
        for _ in range(n)
    ]
    names = Counter(bucket[0] for ranking in rankings for bucket in ranking)
    if sum(count > 1 for count in names.values()) < 2:
        return lists_in_columns(draw)
    length = max(map(len, rankings))
    cells = [[*(b[0] for b in r), *[""] * (length - len(r))] for r in rankings]
    dot = draw.rng.choice(["", "."])
    columns = [[draw.word("rank"), *(f"{k + 1}{dot}" for k in range(length))]]
    columns += [[head, *column] for head, column in zip(heads, cells, strict=True)]
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings)


def named_lists(draw: Draw) -> Table:
    """Lines `Name: A > B = C`."""
    chosen = draw.field("drink", "city", "dish", "film", "song")
    items = [item for item in draw.items(chosen) if not set(item) & set(",;>:=")]
    if len(items) < 3:
        return named_lists(draw)
    mark = draw.rng.choice([" > ", " > ", ">", ", "])
    draw.names.append(f"lists by {mark!r}")
    ties = mark == " > " and draw.noise("ties", 0.3)
    voters = draw.rng.sample(PEOPLE, draw.rng.randint(3, 8))
    rankings = [draw.ranking(items, ties=ties) for _ in voters]
    lines = [f"{v}: {mark.join(' = '.join(b) for b in r)}" for v, r in zip(voters, rankings, strict=True)]
    if draw.noise("title", 0.3):
        lines[:0] = [draw.rng.choice(TITLES[draw.language]), ""]
    return Table([], [], rankings, text="\n".join(lines) + "\n")


def numbered_lists(draw: Draw) -> Table:
    """A name, and a numbered list below it."""
    chosen = draw.field("drink", "city", "dish", "film", "song", "wine")
    items = draw.items(chosen, most=6)
    voters = draw.rng.sample(PEOPLE, draw.rng.randint(2, 6))
    mark = draw.rng.choice([". ", ") "])
    colon = draw.rng.choice(["", ":"])
    indent = draw.rng.choice(["", "  "])
    rankings = [draw.ranking(items) for _ in voters]
    blocks = []
    for voter, ranking in zip(voters, rankings, strict=True):
        lines = [f"{indent}{k + 1}{mark}{b[0]}" for k, b in enumerate(ranking)]
        blocks.append("\n".join([voter + colon, *lines]))
    if draw.noise("title", 0.3):
        blocks.insert(0, draw.rng.choice(TITLES[draw.language]))
    return Table([], [], rankings, text="\n\n".join(blocks) + "\n")


def matches(draw: Draw, n: int) -> list[tuple[str, str, int, int]]:
    """Return two sides and their goals for some matches, each side in one at least."""
    items = draw.items(FIELDS["club"])
    pairs = [(items[k], items[(k + 1) % len(items)]) for k in range(len(items))]
    while len(pairs) < n:
        one, other = draw.rng.sample(items, 2)
        pairs.append((one, other))
    return [(one, other, draw.rng.randint(0, 4), draw.rng.randint(0, 4)) for one, other in pairs]


def outcome(one: str, other: str, mine: int, yours: int) -> Buckets:
    if mine == yours:
        return [[one, other]]
    return [[one], [other]] if mine > yours else [[other], [one]]


def match_table(draw: Draw, columns: list[list[str]], rankings: list[Buckets]) -> Table:
    """Return a table of matches, with a date or a round in front."""
    n = len(rankings)
    if draw.noise("date", 0.3):
        columns.insert(0, [draw.word("date"), *(f"2025-04-{k % 28 + 1:02}" for k in range(n))])
    if draw.noise("round", 0.2):
        columns.insert(0, [draw.word("round"), *(str(k // 3 + 1) for k in range(n))])
    if draw.noise("venue", 0.15):
        pool = ["Arena", "Stadion", "Parc", "Campo"]
        columns.append([draw.word("venue"), *(draw.rng.choice(pool) for _ in range(n))])
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    return Table(header, rows, rankings)


def results(draw: Draw) -> Table:
    """Home, guest, and the result in one cell."""
    played = matches(draw, draw.rng.randint(4, 12))
    mark = draw.rng.choice(["-", ":", " - ", " : ", "–"])
    draw.names.append(f"results by {mark!r}")
    columns = [
        [draw.word("home"), *(m[0] for m in played)],
        [draw.word("away"), *(m[1] for m in played)],
        [draw.word("result"), *(f"{m[2]}{mark}{m[3]}" for m in played)],
    ]
    return match_table(draw, columns, [outcome(*m) for m in played])


def goals(draw: Draw) -> Table:
    """Two sides with a column of goals for each."""
    played = matches(draw, draw.rng.randint(4, 12))
    home, away = draw.word("home"), draw.word("away")
    word = draw.word("goals")
    columns = [
        [home, *(m[0] for m in played)],
        [away, *(m[1] for m in played)],
        [f"{word} {home}", *(str(m[2]) for m in played)],
        [f"{word} {away}", *(str(m[3]) for m in played)],
    ]
    return match_table(draw, columns, [outcome(*m) for m in played])


def winners(draw: Draw) -> Table:
    """A winner and a loser."""
    played = [m for m in matches(draw, draw.rng.randint(5, 12)) if m[2] != m[3]]
    if len(played) < 3:
        return winners(draw)
    rankings = [outcome(*m) for m in played]
    columns = [
        [draw.word("winner"), *(r[0][0] for r in rankings)],
        [draw.word("loser"), *(r[1][0] for r in rankings)],
    ]
    if draw.noise("other order of columns", 0.2):
        columns.reverse()
    if draw.noise("count column", 0.2):
        counts = [draw.rng.randint(1, 30) for _ in rankings]
        header, *rows = zip(*columns, [draw.word("votes"), *map(str, counts)], strict=True)
        return Table([*header], [[*row] for row in rows], rankings, weights=counts)
    return match_table(draw, columns, rankings)


def arena(draw: Draw) -> Table:
    """Two models, and which of them won."""
    items = draw.items(FIELDS["model"])
    form = draw.rng.choice([("model_a", "model_b", "tie"), ("left", "right", "tie"), ("", "", "tie")])
    draw.names.append(f"winner as {form[0] or 'name'}")
    rankings, cells = [], []
    for _ in range(draw.rng.randint(6, 14)):
        one, other = draw.rng.sample(items, 2)
        result = draw.rng.randint(0, 2)
        rankings.append([[[one], [other]], [[other], [one]], [[one, other]]][result])
        names = [form[0] or one, form[1] or other, form[2]]
        cells.append([one, other, names[result]])
    heads = [form[0] or "model_a", form[1] or "model_b", "winner"]
    extra = []
    if draw.noise("attribute judge", 0.3):
        extra.append(["judge", *(draw.rng.choice(PEOPLE) for _ in cells)])
    if draw.noise("attribute language", 0.3):
        extra.append(["language", *(draw.rng.choice(["en", "de", "fr"]) for _ in cells)])
    if draw.noise("attribute turn", 0.2):
        extra.append(["turn", *("1" for _ in cells)])
    columns = [[head, *(row[k] for row in cells)] for k, head in enumerate(heads)]
    table = long_table(draw, columns + extra, shuffled=False)
    table.rankings = rankings
    return table


LAYOUTS: list[Callable[[Draw], Table]] = [
    wide_ranks,
    wide_ranks,
    wide_scores,
    wide_scores,
    times,
    leaderboard,
    criteria,
    races,
    long_scores,
    studies,
    ballots,
    ballots,
    form_grid,
    lists_in_cells,
    lists_in_columns,
    named_lists,
    numbered_lists,
    results,
    goals,
    winners,
    arena,
]


def around(draw: Draw, table: Table) -> list[list[str]]:
    """Return the cells of the file: titles above, notes below, trailing separators, blanks."""
    width = len(table.header)
    rows = [table.header, *table.rows]
    if draw.noise("stray blanks", 0.1):
        rows = [
            [f"{cell} " if cell and draw.rng.random() < 0.1 else cell for cell in row]
            for row in rows
        ]
    above = [table.title] if table.title else []
    if draw.noise("title", 0.2):
        above.insert(0, draw.rng.choice(TITLES[draw.language]))
    if width > 2 and draw.noise("date above", 0.1):
        above.append(f"{draw.word('date')}\t14.03.2025")
    if above and draw.noise("blank row below the title", 0.5):
        above.append("")
    if len(rows) > 5 and draw.noise("blank row within", 0.07):
        rows.insert(len(rows) // 2, [""] * width)
    cells = [text.split("\t") for text in above]
    rows[:0] = [[*row, *[""] * (width - len(row))] for row in cells]
    if draw.noise("note below", 0.15):
        notes = draw.rng.sample(NOTES[draw.language], draw.rng.randint(1, 2))
        rows += [[""] * width, *([note, *[""] * (width - 1)] for note in notes)]
    if draw.noise("trailing separators", 0.08):
        rows = [[*row, ""] for row in rows]
    return rows


def written(draw: Draw, rows: list[list[str]]) -> str:
    separator = draw.rng.choice(",;\t")
    draw.names.append(f"separator {separator!r}")
    quoting = csv.QUOTE_ALL if draw.noise("quoted cells", 0.1) else csv.QUOTE_MINIMAL
    out = io.StringIO()
    end = draw.rng.choice(["\n", "\r\n"])
    csv.writer(out, delimiter=separator, quoting=quoting, lineterminator=end).writerows(rows)
    return out.getvalue()


def encoded(draw: Draw, text: str) -> bytes:
    encoding = draw.rng.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "cp1252"])
    try:
        content = text.encode(encoding)
    except UnicodeEncodeError:
        encoding, content = "utf-8", text.encode()
    draw.names.append(f"encoding {encoding}")
    return content


def compose(seed: object, layout: str | None = None) -> Composed:
    """Return the file of a seed."""
    draw = Draw(seed)
    chosen = [each for each in LAYOUTS if layout is None or each.__name__ == layout]
    make = draw.rng.choice(chosen)
    table = make(draw)
    text = table.text or written(draw, around(draw, table))
    content = encoded(draw, text)
    names = {name for ranking in table.rankings for bucket in ranking for name in bucket}
    weights = table.weights or [1] * len(table.rankings)
    entry = {
        "rankings": [
            f"{w} * " + " > ".join(" = ".join(bucket) for bucket in ranking)
            for ranking, w in zip(table.rankings, weights, strict=True)
            if ranking
        ],
        "items": sorted({*names, *table.items}),
        "lookalikes": "stray blanks" in draw.names,
    }
    suffix = ".txt" if table.text else ".csv"
    return Composed(make.__name__, tuple(draw.names), suffix, content, entry)
