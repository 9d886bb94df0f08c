"""`concordant methods`: list the methods and their settings."""

import sys
from typing import Annotated

from concordant.cli.options import Argument, complete_method

EXAMPLES = ("concordant methods", "concordant methods borda")


def run(
    method: Annotated[
        str | None,
        Argument(
            metavar="[NAME]",
            shell_complete=complete_method,
            help="Show this method and its settings.",
        ),
    ] = None,
) -> None:
    """List the aggregation methods, or describe one with its settings."""
    from concordant.algorithms.registry import all_methods, get
    from concordant.cli.terminal import show_method, show_methods

    if method is None:
        show_methods(all_methods().values(), sys.stdout)
    else:
        show_method(get(method), sys.stdout)
