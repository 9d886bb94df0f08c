"""Random choices for composed tables, and the tables themselves."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from composing_words import FIELDS, LANGUAGES, MISSING, PEOPLE, SURNAMES, WORDS, Field

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


def form_columns(draw: Draw, n: int) -> list[list[str]]:
    """Return the columns that the answers of a form have besides."""
    found = []
    if draw.noise("timestamp", 0.5):
        form = draw.rng.choice(
            ["2025-03-0{} 10:2{}:11", "3/{}/2025 9:1{}:45", "0{}.03.2025 18:0{}"]
        )
        stamps = [form.format(1 + k % 9, k % 10) for k in range(n)]
        found.append([draw.word("timestamp"), *stamps])
    if draw.noise("e-mail", 0.3):
        found.append([draw.word("email"), *(f"p{k}@example.org" for k in range(n))])
    if draw.noise("names", 0.5):
        found.append([draw.word("name"), *draw.named(n)])
    return found


def left_out(draw: Draw, items: list[str]) -> set[str]:
    """Return the items that a voter does not rank."""
    share = 0.15 if "missing values" in draw.names else 0
    found = {item for item in items if draw.rng.random() < share}
    return found if len(items) - len(found) >= 2 else set()


def long_table(draw: Draw, columns: list[list[str]], *, shuffled: bool = True) -> Table:
    """Return a long table from columns with their names; rows and columns in some order."""
    if draw.noise("other order of columns", 0.3):
        draw.rng.shuffle(columns)
    header, *rows = [list(row) for row in zip(*columns, strict=True)]
    if shuffled and draw.noise("shuffled rows", 0.3):
        draw.rng.shuffle(rows)
    return Table(header, rows, [])
