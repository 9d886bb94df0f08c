"""`concordant bench report`: tables, figures and one page from the stores of benchmarks."""

import sys
from pathlib import Path
from typing import Annotated

import typer

EXAMPLES = (
    "concordant bench report results/complete -o report",
    "concordant bench report results/complete results/crossovers -o report",
)


def run(
    stores: Annotated[
        list[Path], typer.Argument(metavar="STORE...", help="The folders that 'bench run' made.")
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="DIR", help="The folder to write to.", show_default=False
        ),
    ],
) -> None:
    """Write a report of one store or several: Markdown, CSV, figures and a page of HTML."""
    from concordant.bench.report import write_report

    for path in write_report(stores, output):
        sys.stdout.write(f"{path}\n")
