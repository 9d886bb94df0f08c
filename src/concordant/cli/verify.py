"""`concordant verify`: whether a saved result holds for the rankings it was made from."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from concordant.cli.commands import NOT_VERIFIED
from concordant.cli.options import File, Unranked
from concordant.cli.streams import Reading, announced, say
from concordant.errors import InputError, VerificationError
from concordant.formatting import number, printable

if TYPE_CHECKING:
    from concordant.consensus import Consensus

EXAMPLES = (
    "concordant aggregate votes.soc -o result.json",
    "concordant verify result.json votes.soc",
    "concordant aggregate votes.soc -o result.json --proof proof.json",
    "concordant verify result.json votes.soc --proof proof.json",
)


@dataclass(frozen=True)
class ReadingAgain(Reading):
    """How to read the file that a result was made from."""

    unranked: Annotated[
        Unranked | None,
        typer.Option(
            "--unranked",
            help="What leaving an item out means.",
            show_default="as the result says",
            rich_help_panel="File",
        ),
    ] = None

    def as_said_by(self, claim: "Consensus") -> "ReadingAgain":
        """Return the same, with what a result says where nothing else was said."""
        return replace(self, unranked=self.unranked or _unranked_of(claim))


def run(
    result: Annotated[
        Path, typer.Argument(metavar="RESULT", help="What 'aggregate -o' or '--json' wrote.")
    ],
    file: File,
    reading: ReadingAgain,
    proof: Annotated[
        Path | None,
        typer.Option(metavar="P.json", help="What 'aggregate --proof' wrote: check the bound too."),
    ] = None,
) -> None:
    """Check a saved result against the rankings it was made from.

    Recomputes the cost of its ranking from FILE, and the lower bound where that is quickly
    proven or a proof is given; one that is not checked is named as such. Exit code 0 when the
    result holds, 1 with the reason when it does not.
    """
    from concordant.cli.progress import Reporter
    from concordant.consensus import Consensus
    from concordant.pairwise import Pairwise

    claim = Consensus.load(result)
    reading = reading.as_said_by(claim)
    with Reporter() as reporter, announced(reporter):
        data = reading.read(file)
        pairwise = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
        try:
            found = claim.verify(pairwise, proof)
        except VerificationError as error:
            say(f"{result} does not hold for {file}: {error}")
            raise typer.Exit(NOT_VERIFIED) from None
    bound = f"lower bound {number(found.lower_bound)}"
    if found.by_certificate:
        bound += f" proven by {proof}"
    elif found.bound_proven:
        bound += " proven anew"
    else:
        bound += f" not checked (the pairs alone prove {number(pairwise.lower_bound())})"
    cost = f"cost {number(found.cost)} recomputed"
    typer.echo(printable(f"{result} holds for {file}: {claim.status}, {cost}, {bound}"))


def _unranked_of(claim: "Consensus") -> Unranked | None:
    for meaning in get_args(Unranked):
        if claim.unranked == meaning:
            return cast("Unranked", meaning)
    if claim.unranked is None:
        return None
    raise InputError(f"the result says unranked = {claim.unranked!r}")
