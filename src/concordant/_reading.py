"""The options that say how to read a file: one table for Python, shell, HTTP API and page.

To add an option, add a row to `READING` and use it in the readers of the formats that take it.
This module imports no heavy library, so that the command line can show its help at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

_TABLES = ("csv", "parquet", "excel")


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


def _column(role: str, what: str) -> ReadingOption:
    """Return the option that names a column. Only Python has these."""
    return ReadingOption(role, what, shell=False, formats=_TABLES)


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
            "The layout of a table: one row per voter and item (long), one column per item (wide), "
            "one column per rank (ballots), or rows that list items without a header (lists).",
            "from the names of its columns",
            {
                "long": "long: one row per voter and item",
                "wide": "wide: one column per item",
                "ballots": "ballots: one column per rank",
                "lists": "lists: each row best first, no header",
            },
            title="Layout of a table",
            formats=_TABLES,
        ),
        ReadingOption(
            "sheet",
            "The sheet of a spreadsheet.",
            "the first that is not empty",
            metavar="NAME",
            title="Sheet of a spreadsheet",
            formats=("excel",),
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
            "max_bytes",
            "Refuse a file of more than N bytes, after unpacking.",
            "1 GiB",
            kind=int,
            metavar="N",
            least=1,
        ),
        _column("voter", "The column that names the voter."),
        _column("item", "The column of items, in a long table."),
        _column("rank", "The column of ranks, in a long table; 1 is best."),
        _column("score", "The column of scores, in a long table; the highest is best."),
        _column("weight", "The column of weights."),
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
