"""Random damage to the tables of the corpus: never another ranking in silence.

A column more, a row more, blanks, another separator, another order of columns, other words: each
leads to the same meaning, a question or a refusal. Run this file as a program to try more:

    python tests/test_reading_damage.py 20 forms/ sports/
"""

from __future__ import annotations

import csv
import io
import random
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from test_reading_corpus import CORPUS, Case, attempt, cases, judge

Grid = list[list[str]]

# The number of damaged copies of each table.
COPIES = 4
# Words for the same column. A header that is one of them may be replaced by another of its row.
WORDS = [
    ["Voter", "Judge", "Juror", "Reviewer", "Rater", "Respondent", "Participant", "Elector"],
    ["Race", "Event", "Heat", "Stage", "Round"],
    ["Candidate", "Item", "Option", "Alternative"],
    ["Rider", "Athlete", "Driver", "Runner", "Competitor"],
    ["Model", "System", "Method", "Algorithm"],
    ["Rank", "Place", "Position"],
    ["Rang", "Platz"],
    ["Puesto", "Posición", "Lugar"],
    ["Score", "Points", "Rating"],
    ["Count", "Votes", "Frequency"],
    ["Home", "Home team", "HomeTeam"],
    ["Away", "Away team", "AwayTeam"],
    ["First choice", "1st choice", "Your first choice", "Choice 1", "Rank 1", "1st preference"],
    ["Second choice", "2nd choice", "Your second choice", "Choice 2", "Rank 2", "2nd preference"],
    ["Third choice", "3rd choice", "Your third choice", "Choice 3", "Rank 3", "3rd preference"],
]
FIRST = 12  # The row of the words for the first choice. Choices change together.


def another_column(grid: Grid, rng: random.Random) -> Grid | None:
    """Add a column that every form has and that ranks nothing."""
    rows = range(1, len(grid))
    name, cells = rng.choice(
        [
            ("Age", [str(rng.randint(18, 80)) for _ in rows]),
            ("Alter", [str(rng.randint(18, 80)) for _ in rows]),
            ("Comment", [rng.choice(["", "", "nice", "see you soon"]) for _ in rows]),
            ("Kommentar", [rng.choice(["", "", "danke", "bis bald"]) for _ in rows]),
            ("#", [str(number) for number in rows]),
            ("ID", [str(100 + number) for number in rows]),
            ("Timestamp", [f"2025-03-04 09:{number:02}:17" for number in rows]),
            ("E-mail", [f"p{number}@example.org" for number in rows]),
        ]
    )
    if name in grid[0]:
        return None
    place = rng.choice([0, len(grid[0])])
    return [
        [*row[:place], cell, *row[place:]] for row, cell in zip(grid, [name, *cells], strict=True)
    ]


def number(cell: str) -> float | None:
    try:
        return float(cell.replace(",", "."))
    except ValueError:
        return None


def another_row(grid: Grid, rng: random.Random) -> Grid | None:
    """Add a row of totals or averages below a table of numbers with names in front."""
    body = [row[1:] for row in grid[1:]]
    names = [row[0] for row in grid[1:]]
    if len(set(names)) < len(names) or any(number(name) is not None for name in names):
        return None
    if any(number(cell) is None for row in body for cell in row if cell):
        return None
    word, average = rng.choice(
        [("Total", False), ("Sum", False), ("Summe", False), ("Average", True), ("Mean", True)]
    )
    comma = any("," in cell for row in body for cell in row)
    cells = []
    for column in zip(*body, strict=True):
        values = [value for cell in column if (value := number(cell)) is not None]
        total = sum(values) / max(1, len(values)) if average else sum(values)
        text = f"{total:.2f}".rstrip("0").rstrip(".")
        cells.append(text.replace(".", ",") if comma else text)
    return [*grid, [word, *cells]]


def blank_rows(grid: Grid, rng: random.Random) -> Grid | None:
    """Add empty rows at the end and in the middle."""
    empty = [""] * len(grid[0])
    place = rng.randint(2, len(grid))
    return [*grid[:place], empty, *grid[place:], empty, empty]


def title(grid: Grid, rng: random.Random) -> Grid | None:
    """Add a title above the header."""
    text = rng.choice(["Results 2025", "Umfrage im März", "Votes of the committee (final)"])
    return [[text, *[""] * (len(grid[0]) - 1)], *grid]


def blanks(grid: Grid, rng: random.Random) -> Grid | None:
    """Add blanks around some cells."""
    around = [(" ", ""), ("", " "), ("  ", " "), ("", "\u00a0")]

    def padded(cell: str) -> str:
        before, behind = rng.choice(around)
        return f"{before}{cell}{behind}" if cell and rng.random() < 0.3 else cell

    return [[padded(cell) for cell in row] for row in grid]


def another_order(grid: Grid, rng: random.Random) -> Grid | None:
    """Put the columns into another order."""
    order = list(range(len(grid[0])))
    rng.shuffle(order)
    return [[row[k] for k in order] for row in grid]


def last_column_first(grid: Grid, rng: random.Random) -> Grid | None:
    """Put the last column in front, or the first one last."""
    turn = rng.choice([1, -1])
    return [[*row[turn:], *row[:turn]] for row in grid]


def other_words(grid: Grid, rng: random.Random) -> Grid | None:
    """Replace words of the header by others for the same."""
    rows = {word: row for row in WORDS for word in row}
    choice = rng.randrange(len(WORDS[FIRST]))

    def replaced(name: str) -> str:
        row = rows.get(name)
        if row is None:
            return name
        return row[choice] if row in WORDS[FIRST:] else rng.choice(row)

    header = [replaced(name) for name in grid[0]]
    if header == grid[0] or len(set(header)) < len(header):
        return None
    return [header, *grid[1:]]


def trailing_separators(grid: Grid, rng: random.Random) -> Grid | None:
    """Add empty columns at the end."""
    return [[*row, *[""] * rng.randint(2, 2)] for row in grid]


DAMAGE: list[Callable[[Grid, random.Random], Grid | None]] = [
    another_column,
    another_row,
    blanks,
    another_order,
    last_column_first,
    other_words,
    blank_rows,
    trailing_separators,
    title,
]


def table(case: Case) -> Grid | None:
    """Return the cells of a plain table with its header in the first row; else None."""
    path = CORPUS / case.name
    if path.suffix not in (".csv", ".tsv") or not path.is_file():
        return None
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    first = text.splitlines()[0] if text else ""
    separator = max(",;\t", key=first.count)
    grid = list(csv.reader(io.StringIO(text, newline=None), delimiter=separator))
    whole = len(grid) > 2 and len({len(row) for row in grid}) == 1 and len(grid[0]) > 1
    below = {cell for row in grid[1:] for cell in row if cell and number(cell) is None}
    headed = len(set(grid[0])) == len(grid[0]) and not below & set(grid[0]) if whole else False
    return grid if headed else None


def damaged(case: Case, seed: int) -> tuple[str, bytes]:
    """Return a damaged copy of a table: what was done to it, and its bytes."""
    rng = random.Random(f"{case.name} {seed}")
    grid = table(case)
    assert grid is not None
    done = []
    for damage in rng.sample(DAMAGE, len(DAMAGE)):
        made = damage(grid, rng)
        if made is not None:
            grid = made
            done.append(damage.__name__)
        # A title must come last: what follows works on the header. Usually one damage, else two.
        if len(done) == 2 or damage is title or (done and rng.random() < 0.6):
            break
    out = io.StringIO()
    separator = rng.choice(",;\t")
    csv.writer(out, delimiter=separator, lineterminator=rng.choice(["\n", "\r\n"])).writerows(grid)
    encoding = rng.choice(["utf-8", "utf-8", "utf-8-sig", "utf-16"])
    done.append(f"{separator!r} {encoding}")
    return ", ".join(done), out.getvalue().encode(encoding)


def damageable() -> list[str]:
    """Return the tables that may be damaged: with one reading, or with a question about values.

    Other questions may be settled by damage: an e-mail address shows which side the voters are.
    """
    return [
        name
        for name, case in cases().items()
        if (case.is_plain or "values" in case.entry.get("ask", ())) and table(case)
    ]


def outcomes(name: str, copies: int, folder: Path) -> Iterator[tuple[str, str]]:
    """Read damaged copies of a table: how it went, and what was done and read."""
    case = cases()[name]
    entry = {**case.entry, "lookalikes": "pairs" not in case.entry}
    target = folder / "damaged.csv"
    for seed in range(copies):
        done, content = damaged(case, seed)
        target.write_bytes(content)
        state, details = judge(entry, attempt(target, {}))
        yield state, f"{name} with {done}: {details}"


@pytest.mark.parametrize("name", damageable())
def test_damage_never_changes_the_ranking_in_silence(name: str, tmp_path: Path) -> None:
    wrong = [text for state, text in outcomes(name, COPIES, tmp_path) if state == "misread"]
    assert not wrong, wrong[0]


def test_most_tables_are_damaged() -> None:
    assert len(damageable()) >= 100


def main(copies: int, chosen: list[str]) -> None:
    counts: dict[str, int] = {}
    lines = []
    with tempfile.TemporaryDirectory() as folder:
        for name in damageable():
            if chosen and not name.startswith(tuple(chosen)):
                continue
            for state, text in outcomes(name, copies, Path(folder)):
                counts[state] = counts.get(state, 0) + 1
                if state == "misread":
                    lines.append(re.sub(r"\s+", " ", text)[:300])
    sys.stdout.write("\n".join([*lines, str(counts)]) + "\n")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else COPIES, sys.argv[2:])
