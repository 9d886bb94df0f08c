"""`concordant report`: write a page about a saved result."""

from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_type_hints

import click
from click.exceptions import Exit

from concordant.cli.commands import INTERRUPTED, NOT_VERIFIED
from concordant.cli.groups import read_k
from concordant.cli.options import File, Option, Quiet, Result, Samples, SamplesBy
from concordant.cli.streams import NO_VOTERS, announced, check_output, say
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
    'concordant report result.json votes.soc --title "Best paper 2026" --date "3 May 2026"',
    "concordant report result.json votes.soc -o report.html --groups auto",
)


def run(
    result: Result,
    file: File,
    reading: ReadingAgain,
    output: Annotated[
        Path,
        Option("--output", "-o", metavar="OUT", help="Write the page to this file."),
    ] = Path("report.html"),
    bootstrap: Samples = None,
    bootstrap_by: SamplesBy = None,
    title: Annotated[str | None, Option(metavar="TEXT", help="The heading of the page.")] = None,
    date: Annotated[
        str | None, Option(metavar="TEXT", help="A date to print below the heading, in any form.")
    ] = None,
    proof: Annotated[
        Path | None,
        Option(metavar="P.json", help="A proof saved by 'aggregate --proof'; the page names it."),
    ] = None,
    groups: Annotated[
        str | None,
        Option(
            metavar="K",
            help="Divide the voters into K groups, with a section about them; a number, a range "
            "such as 1..5, or auto.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> None:
    """Write a page with plots about a saved result.

    The page is one HTML file without links to others, to be read, printed or sent. It shows how
    good the ranking is, which places are close calls, and with --bootstrap how certain each place
    is. The result is checked against FILE first; if it does not hold, nothing is written and the
    exit code is 1.
    """
    from concordant.cli.progress import Reporter
    from concordant.consensus import Consensus
    from concordant.pages import check_pages
    from concordant.plot import check_plot
    from concordant.report import Source, write

    claim = Consensus.load(result)
    wanted = None if groups is None else read_k(groups, "groups")
    if str(output) == "-":
        raise SettingError("-o needs the name of a file")
    # The page needs Jinja2 and matplotlib: check for both before a long file is read.
    check_pages()
    check_plot("page.svg")
    check_output(output, file)
    if output.exists() and output.samefile(result):
        raise InputError("is also the result: give the page another name", path=output)
    with Reporter(quiet=quiet) as reporter, announced(reporter):
        data = reading.as_said_by(claim).read(file)
        source = None if str(file) == "-" else Source.of(file, _options(reading))
        try:
            # Before the bootstrap, which takes longer.
            claim.verify(data, proof)
            firm = None
            if bootstrap is not None:
                firm = _firm(claim, data, bootstrap, bootstrap_by, reporter)
            named = None if proof is None else Source.of(proof)
            divided = None if wanted is None else _divided(claim, data, wanted)
            write(
                output,
                claim,
                data,
                firm,
                source=source,
                proof=named,
                title=title,
                date=date,
                groups=divided,
            )
        except VerificationError as error:
            say(f"{result} does not hold for {file}: {error}")
            raise Exit(NOT_VERIFIED) from None
    click.echo(printable(f"{output}: the report of {result}, checked against {file}"))
    if firm is not None and firm.interrupted:
        say(f"interrupted: the report has {firm.samples:,} of {firm.requested:,} bootstrap samples")
        raise Exit(INTERRUPTED)


def _firm(claim: "Consensus", data: Any, samples: int, by: str | None, reporter: "Reporter") -> Any:
    """Resample the voters, with the seed of the result."""
    from concordant.rankings import Rankings
    from concordant.resampling import bootstrap

    if not isinstance(data, Rankings):
        raise SettingError(NO_VOTERS)
    return bootstrap(
        data, samples, claim.seed, by=by, consensus=claim, on_progress=reporter.samples
    )


def _divided(claim: "Consensus", data: Any, k: Any) -> Any:
    """Divide the voters into groups, with the seed of the result."""
    from concordant.grouping import groups

    return groups(data, k, seed=claim.seed)


def _options(reading: ReadingAgain) -> list[str]:
    """Return the options that say how a file is read, as on the command line."""
    hints = get_type_hints(type(reading), include_extras=True)
    found = []
    for field in fields(reading):
        value = getattr(reading, field.name)
        option = get_args(hints[field.name])[1]
        for each in value if isinstance(value, tuple) else (value,):
            if each is not None:
                found += [option.flags[0], str(each)]
    return found
