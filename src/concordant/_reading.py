"""The options that say how to read a file: one table for Python, shell, HTTP API and page.

To add an option, add a row to `READING` and use it in the readers of the formats that take it.
This module imports no heavy library, so that the command line can show its help at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypedDict

_MARKED = ("html", "wiki", "latex")
_TABLES = ("csv", "parquet", "excel", "records", *_MARKED)
_TEXTS = (*_TABLES, "text")


@dataclass(frozen=True)
class ReadingOption:
    """An option for reading files.

    Attributes:
        name: Its name in Python; the shell writes `max_bytes` as `--max-bytes`.
        help: What it does, in one or two sentences.
        default: What happens without it, in words or as one of the choices.
        choices: The values that it takes, each with the words of the page; empty for any value.
        kind: The type of its values, `str` or `int`.
        metavar: What stands for a value in the shell's help.
        least: The smallest value of a number.
        title: Its label on the page; "" where page and HTTP API do not have it.
        shell: Whether the command line has it.
        formats: The formats that take it; empty for all formats.
        several: Whether the shell takes it several times. A semicolon joins the values.
    """

    name: str
    help: str
    default: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    kind: type = str
    metavar: str | None = None
    least: int | None = None
    title: str = ""
    shell: bool = True
    formats: tuple[str, ...] = ()
    several: bool = False

    @property
    def type(self) -> Any:
        """The type of its values, for type hints."""
        return Literal[tuple(self.choices)] if self.choices else self.kind

    @property
    def flag(self) -> str:
        """The option of the shell.

        Example:
            >>> READING["max_bytes"].flag
            '--max-bytes'
        """
        return f"--{self.name.replace('_', '-')}"


def _column(role: str, what: str, title: str) -> ReadingOption:
    """Return the option that names a column."""
    return ReadingOption(
        role,
        f"{what} Its name, or its number from 1.",
        metavar="COLUMN",
        title=title,
        formats=_TABLES,
    )


READING = {
    option.name: option
    for option in (
        ReadingOption(
            "format",
            "The format of the file.",
            "from its name, else from its content",
            metavar="F",
            title="Format",
        ),
        ReadingOption(
            "unranked",
            "What leaving an item out means: no opinion, or tied behind all ranked items.",
            "as the file says, else unknown",
            {"unknown": "count as no opinion", "last": "count as tied last"},
            title="Items left out",
        ),
        ReadingOption(
            "layout",
            "The layout of a table: one row per voter and item (long), a column per item or per "
            "voter (wide), a column per rank (ballots), rows that list items (lists), lists side "
            "by side (columns), two items and a winner (battles), a square matrix, or edges.",
            "from its columns and cells",
            {
                "long": "long: one row per voter and item",
                "wide": "wide: one column per item",
                "ballots": "ballots: one column per rank",
                "lists": "lists: each row best first, no header",
                "columns": "columns: each column a list, best on top",
                "battles": "battles: two items and a winner",
                "matrix": "matrix: wins of the row over the column",
                "edges": "edges: from one item to another",
            },
            title="Layout of a table",
            formats=(*_TEXTS, "npy"),
        ),
        ReadingOption(
            "values",
            "What the numbers of a table are: ranks (the lowest is best) or scores (the highest "
            "is best).",
            "from the numbers, else asked",
            {"ranks": "ranks: the lowest is best", "scores": "scores: the highest is best"},
            title="Numbers of a table",
            formats=_TEXTS,
        ),
        ReadingOption(
            "reverse",
            "Columns whose numbers go the other way round, separated by commas.",
            metavar="COLUMNS",
            title="Columns the other way round",
            formats=_TABLES,
        ),
        ReadingOption(
            "transpose",
            "Whether each row of a wide table is an item and each column a voter.",
            "from the words and the numbers, else asked",
            {"yes": "each row is an item", "no": "each row is a voter"},
            title="Rows and columns",
            formats=_TABLES,
        ),
        ReadingOption(
            "ignore",
            "Columns to ignore, separated by commas.",
            metavar="COLUMNS",
            title="Columns to ignore",
            formats=_TABLES,
        ),
        ReadingOption(
            "header",
            "The row of the header, from 1; 'no' for a table without a header.",
            "from the first rows",
            metavar="ROW",
            title="Row of the header",
            formats=_TABLES,
        ),
        ReadingOption(
            "skip_rows",
            "Rows to leave out, separated by commas: their numbers, or the texts of their first "
            "cells; 'none' to keep totals.",
            "totals and averages",
            metavar="ROWS",
            title="Rows to leave out",
            formats=_TEXTS,
        ),
        ReadingOption(
            "missing",
            "Further words that mean 'not ranked', separated by commas.",
            metavar="WORDS",
            title="Words for not ranked",
            formats=_TEXTS,
        ),
        ReadingOption(
            "names",
            "Whether names that look alike (other blanks, other case) are one item: the most "
            "frequent spelling wins.",
            "exact, with a warning",
            {"exact": "are different items", "merge": "are one item"},
            title="Names that look alike",
            formats=_TEXTS,
        ),
        ReadingOption(
            "decimal",
            "The decimal mark of numbers.",
            "from the numbers",
            {".": "a point", ",": "a comma"},
            title="Decimal mark",
            formats=_TABLES,
        ),
        ReadingOption(
            "encoding",
            "The encoding of a text, such as cp1252.",
            "from the text",
            metavar="NAME",
            title="Encoding",
            formats=("csv", "records", "text", *_MARKED),
        ),
        ReadingOption(
            "sheet",
            "The sheet of a spreadsheet; or a table of a page, by its caption or heading, or its "
            "number from 1.",
            "the first that is not empty",
            metavar="NAME",
            title="Sheet of a spreadsheet, or table of a page",
            formats=("excel", *_MARKED),
        ),
        ReadingOption(
            "query",
            "The query of a TREC file with several queries.",
            metavar="Q",
            title="Query of a TREC file",
            formats=("trec",),
        ),
        ReadingOption(
            "duplicates",
            "What to do with an item that a ranking has twice: refuse the file, or keep the first "
            "place of the item and warn.",
            "error",
            {"error": "is an error", "first": "keeps its first place"},
            title="Item ranked twice",
        ),
        ReadingOption(
            "merge",
            "Read several items as one: a ranking that has several of them keeps the best place.",
            metavar="'NAME = ITEM, ITEM'",
            title="Items to read as one",
            several=True,
        ),
        ReadingOption(
            "max_bytes",
            "Refuse a file of more than N bytes, after unpacking.",
            "1 GiB",
            kind=int,
            metavar="N",
            least=1,
        ),
        _column("voter", "The column that names the voter.", "Column of voters"),
        _column("item", "The column of items, in a long table.", "Column of items"),
        _column("rank", "The column of ranks, in a long table; 1 is best.", "Column of ranks"),
        _column(
            "score",
            "The column of scores, in a long table; the highest is best.",
            "Column of scores",
        ),
        _column("weight", "The column of weights.", "Column of weights"),
        _column("count", "The column of repeat counts.", "Column of counts"),
        _column(
            "winner", "The column of winners, or of the outcome, in battles.", "Column of winners"
        ),
        _column("loser", "The column of losers, in battles.", "Column of losers"),
        _column("left", "The column of the first side, in battles.", "Column of the first side"),
        _column("right", "The column of the second side, in battles.", "Column of the second side"),
    )
}
# The settings that the page and the HTTP API have.
FIELDS = {name: option for name, option in READING.items() if option.title}


def options_of(name: str) -> tuple[str, ...]:
    """Return the options that a format takes besides those of all formats.

    Example:
        >>> options_of("trec")
        ('query',)
    """
    return tuple(option.name for option in READING.values() if name in option.formats)


class CellOptions(TypedDict, total=False):
    """What cells and columns mean, for type checkers: options of all tables."""

    values: str | None
    reverse: str | Sequence[Hashable] | None
    transpose: bool | str | None
    ignore: str | Sequence[Hashable] | None
    header: int | str | bool | None
    skip_rows: str | Sequence[Hashable] | None
    missing: str | Sequence[str] | None
    names: str | None
    decimal: str | None
    count: Hashable
    winner: Hashable
    loser: Hashable
    left: Hashable
    right: Hashable


class FrameOptions(CellOptions, total=False):
    """The further options of `Rankings.from_frame`."""

    merge: Any


class TableOptions(CellOptions, total=False):
    """The options of `READING` that only some formats take, for type checkers."""

    layout: str | None
    encoding: str | None
    sheet: str | int | None
    query: str | None
    voter: Hashable
    item: Hashable
    rank: Hashable
    score: Hashable
    weight: Hashable


class ProblemOptions(TableOptions, total=False):
    """The same, with options of all formats that `read_many` passes on."""

    max_bytes: int | None
    merge: Any


class ReadOptions(ProblemOptions, total=False):
    """The options of `read` besides the format, for type checkers."""

    unranked: Literal["unknown", "last"] | None
    duplicates: Literal["error", "first"]
