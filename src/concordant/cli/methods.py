"""`concordant methods`: what there is to choose from."""

import sys
from typing import Annotated

import typer

from concordant.cli.options import complete_method

EXAMPLES = ("concordant methods", "concordant methods borda")


def run(
    method: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            autocompletion=complete_method,
            help="Show the settings of this one.",
        ),
    ] = None,
) -> None:
    """List the methods of aggregation, or the settings of one."""
    from concordant.algorithms.registry import METHODS, get
    from concordant.cli.terminal import show_method, show_methods

    if method is None:
        show_methods(METHODS.values(), sys.stdout)
    else:
        show_method(get(method), sys.stdout)
