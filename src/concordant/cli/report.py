"""`concordant report`: one page that shows a saved result and says how good and how firm it is."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import typer

from concordant.cli.commands import NOT_VERIFIED
from concordant.cli.options import File, Quiet, Samples
from concordant.cli.streams import announced, check_output, say
from concordant.cli.verify import ReadingAgain
from concordant.errors import InputError, SettingError, VerificationError
from concordant.formatting import printable

if TYPE_CHECKING:
    from concordant.cli.progress import Reporter
    from concordant.consensus import Consensus

EXAMPLES = (
    "concordant aggregate votes.soc -o result.json",
    "concordant report result.json votes.soc -o report.html",
    "concordant report result.json votes.soc -o report.html --bootstrap 1000",
)


def run(
    result: Annotated[
        Path, typer.Argument(metavar="RESULT", help="What 'aggregate -o' or '--json' wrote.")
    ],
    file: File,
    reading: ReadingAgain,
    output: Annotated[
        Path,
        typer.Option("--output", "-o", metavar="OUT", help="Write the page to this file."),
    ] = Path("report.html"),
    bootstrap: Samples = None,
    quiet: Quiet = False,
) -> None:
    """Write a page about a saved result: how good it is, how close, how firm, with plots.

    The page is one file that needs nothing else: to be read, printed or sent. The result is
    checked against FILE first; if it does not hold, nothing is written and the exit code is 1.
    """
    from concordant.cli.progress import Reporter
    from concordant.consensus import Consensus
    from concordant.pages import check_pages
    from concordant.plot import check_plot
    from concordant.report import Source, write

    claim = Consensus.load(result)
    if str(output) == "-":
        raise SettingError("-o names a file to write the page to")
    # The page needs Jinja2 and matplotlib: report that before a long file is read.
    check_pages()
    check_plot("page.svg")
    check_output(output, file)
    if output.exists() and output.samefile(result):
        raise InputError("is the result too: give the page another name", path=output)
    with Reporter(quiet=quiet) as reporter, announced(reporter):
        data = reading.as_said_by(claim).read(file)
        source = None if str(file) == "-" else Source.of(file, _options(reading))
        try:
            # Before the voters are drawn: that takes longer.
            claim.verify(data)
            firm = None if bootstrap is None else _firm(claim, data, bootstrap, reporter)
            write(output, claim, data, firm, source=source)
        except VerificationError as error:
            say(f"{result} does not hold for {file}: {error}")
            raise typer.Exit(NOT_VERIFIED) from None
    typer.echo(printable(f"{output}: the report of {result}, checked against {file}"))


def _firm(claim: "Consensus", data: Any, samples: int, reporter: "Reporter") -> Any:
    """Draw the voters again, with the seed of the result."""
    from concordant.rankings import Rankings
    from concordant.resampling import bootstrap

    if not isinstance(data, Rankings):
        raise SettingError("--bootstrap draws the voters again, and a matrix has none")
    return bootstrap(data, samples, claim.seed, consensus=claim, on_progress=reporter.samples)


def _options(reading: ReadingAgain) -> list[str]:
    """Return how a file was read, as it was typed."""
    hints = get_type_hints(type(reading), include_extras=True)
    found = []
    for field in fields(reading):
        value = getattr(reading, field.name)
        if value is not None:
            # typer takes the first of the names of an option for its default.
            option = get_args(hints[field.name])[1]
            flag = next(n for n in (option.default, *option.param_decls) if str(n).startswith("--"))
            found += [str(flag), str(value)]
    return found
