"""`concordant verify`: whether a saved result holds for the rankings it was made from."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import typer

from concordant.cli import NOT_VERIFIED
from concordant.cli.options import File, Unranked
from concordant.cli.streams import Reading, announced, say
from concordant.errors import InputError, VerificationError
from concordant.wording import number, printable

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.pairwise import Pairwise

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
    from concordant.consensus import Consensus
    from concordant.pairwise import Pairwise
    from concordant.progress import Reporter

    claim = Consensus.load(result)
    reading = replace(reading, unranked=reading.unranked or _unranked_of(claim))
    with Reporter() as reporter, announced(reporter):
        data = reading.read(file)
        pairwise = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
        try:
            claim.verify(pairwise, proof)
        except VerificationError as error:
            say(f"{result} does not hold for {file}: {error}")
            raise typer.Exit(NOT_VERIFIED) from None
    words = [claim.status, f"cost {number(claim.cost)} recomputed"]
    words.append(_bound_words(claim, _proven(pairwise), proof))
    typer.echo(printable(f"{result} holds for {file}: {', '.join(words)}"))


def _bound_words(claim: "Consensus", proven: float, proof: Path | None) -> str:
    """Say what is known of the lower bound after a check that has proven this one."""
    bound = f"lower bound {number(claim.lower_bound)}"
    if proof is not None:
        return f"{bound} proven by {proof}"
    if claim.lower_bound <= proven:
        return f"{bound} proven anew"
    return f"{bound} not checked (the pairs alone prove {number(proven)})"


def _proven(pairwise: "Pairwise") -> float:
    """Return the lower bound that `Consensus.verify` has the means to prove, and so has proven."""
    from concordant.consensus import least_cost

    least = least_cost(pairwise)
    return pairwise.lower_bound() if least is None else least


def _unranked_of(claim: "Consensus") -> Unranked | None:
    for meaning in get_args(Unranked):
        if claim.unranked == meaning:
            return cast("Unranked", meaning)
    if claim.unranked is None:
        return None
    raise InputError(f"the result says unranked = {claim.unranked!r}")
