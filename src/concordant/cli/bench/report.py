"""`concordant bench report`: write tables, figures and a page from stored results."""

import sys
from pathlib import Path
from typing import Annotated

from concordant.cli.options import Argument, Option

EXAMPLES = (
    "concordant bench report results/complete -o report",
    "concordant bench report results/complete results/crossovers -o report",
)


def run(
    stores: Annotated[
        tuple[Path, ...], Argument(metavar="STORE...", help="Folders written by 'bench run'.")
    ],
    output: Annotated[
        Path,
        Option("--output", "-o", metavar="DIR", help="The folder to write to."),
    ],
) -> None:
    """Write a report of one store or several, as Markdown, CSV, LaTeX, figures and HTML.

    Each table is also a file with a LaTeX tabular, which needs the package booktabs.
    """
    from concordant.bench.report import write_report

    for path in write_report(stores, output):
        sys.stdout.write(f"{path}\n")
