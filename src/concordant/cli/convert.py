"""`concordant convert`: convert rankings from one file format to another."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from concordant.cli.options import Argument, format_option
from concordant.cli.streams import Reading, announced, check_output, write_rankings

EXAMPLES = (
    "concordant convert votes.csv votes.soc",
    "concordant convert ranks.txt votes.csv --from ranks",
    "concordant convert votes.soc - --to json",
)


@dataclass(frozen=True)
class ReadingFrom(Reading):
    """How to read the file to convert: the option for its format is `--from`, not `--format`."""

    format: Annotated[
        str | None,
        format_option("--from", "The format of IN, if its name and content do not show it."),
    ] = None


def run(
    source: Annotated[Path, Argument(metavar="IN", help="The file to read; - is standard input.")],
    target: Annotated[
        Path, Argument(metavar="OUT", help="The file to write; - is standard output.")
    ],
    reading: ReadingFrom,
    target_format: Annotated[
        str | None, format_option("--to", "The format of OUT, if its name does not show it.")
    ] = None,
) -> None:
    """Convert rankings from one file format to another.

    Nothing is lost: if the new format cannot hold the rankings, no file is written. The formats
    are ranks, orders, soc, soi, toc, toi, csv, parquet, json, blt, abif, cvotes, trec, lop and
    npz. Some can only be read: excel, html, wiki, latex, records, pgn, pabulib, npy, text and
    label-ranking. A file whose name ends in .gz is compressed.
    """
    from concordant.cli.progress import Reporter

    check_output(target, source)
    with Reporter() as reporter, announced(reporter):
        data = reading.read(source)
    write_rankings(data, target, target_format, flag="--to")
