"""`concordant convert`: from one file format to another."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from concordant.cli.options import format_option
from concordant.cli.streams import Reading, announced, check_output, write_rankings

EXAMPLES = (
    "concordant convert votes.csv votes.soc",
    "concordant convert ranks.txt votes.csv --from ranks",
    "concordant convert votes.soc - --to json",
)


@dataclass(frozen=True)
class ReadingFrom(Reading):
    """How to read the file to convert; there are two formats here, so that this one is `--from`."""

    format: Annotated[
        str | None,
        format_option("--from", "The format of IN, where its name and content do not show it."),
    ] = None


def run(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="The rankings; - reads standard input.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")
    ],
    reading: ReadingFrom,
    target_format: Annotated[
        str | None, format_option("--to", "The format of OUT, where its name does not show it.")
    ] = None,
) -> None:
    """Convert rankings from one file format to another.

    What the new format cannot hold is refused, not lost. The formats are ranks, orders, soc,
    soi, toc, toi, csv, parquet, json, blt, abif, cvotes, trec, lop and npz; excel and
    label-ranking are only read. Names that end in .gz are gzipped.
    """
    from concordant.cli.progress import Reporter

    check_output(target, source)
    with Reporter() as reporter, announced(reporter):
        data = reading.read(source)
    write_rankings(data, target, target_format, flag="--to")
