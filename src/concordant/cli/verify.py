"""`concordant verify`: check a saved result against the rankings it was made from."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast, get_args

import click
from click.exceptions import Exit

from concordant.cli.commands import NOT_VERIFIED
from concordant.cli.options import File, Option, Result, Unranked
from concordant.cli.streams import Reading, announced, say
from concordant.errors import InputError, VerificationError
from concordant.formatting import number, printable

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.pairwise import Pairwise
    from concordant.rankings import Rankings

EXAMPLES = (
    "concordant aggregate votes.soc -o result.json",
    "concordant verify result.json votes.soc",
    "concordant aggregate votes.soc -o result.json --proof proof.json",
    "concordant verify result.json votes.soc --proof proof.json",
    "concordant verify --export-checker checker.py",
)


def _export_checker(ctx: click.Context, param: click.Parameter, path: Path | None) -> None:
    """Write the checker that needs nothing but Python, and end."""
    if path is None or ctx.resilient_parsing:
        return
    from concordant._files import atomic_write
    from concordant.checker import source

    try:
        atomic_write(path, source().encode())
    except InputError as error:
        raise click.BadParameter(str(error), ctx, param) from None
    click.echo(f"{path}: run it as 'python {path} PROOF DATA [RESULT]'")
    ctx.exit()


@dataclass(frozen=True)
class ReadingAgain(Reading):
    """How to read the file that a result was made from."""

    unranked: Annotated[
        Unranked | None,
        Option(
            "--unranked",
            help="What it means that a ranking leaves an item out.",
            show_default="as in the result",
            section="File",
        ),
    ] = None

    def as_said_by(self, claim: "Consensus") -> "ReadingAgain":
        """Return the same, with `unranked` taken from a result unless it was given."""
        return replace(self, unranked=self.unranked or _unranked_of(claim))


def run(
    result: Result,
    file: File,
    reading: ReadingAgain,
    proof: Annotated[
        Path | None,
        Option(metavar="P.json", help="A proof saved by 'aggregate --proof', to check the bound."),
    ] = None,
    export_checker: Annotated[
        Path | None,
        Option(
            metavar="OUT.py",
            help="Write a program that checks proofs to this file, and do nothing else. It is one "
            "file, needs only Python, and can be given to others.",
            is_eager=True,
            callback=_export_checker,
        ),
    ] = None,
) -> None:
    """Check a saved result against the rankings it was made from.

    Recomputes the cost of the ranking from FILE. Checks the lower bound if it is quick to prove
    or a proof is given, and says so if it was not checked. The exit code is 0 if the result
    holds, and 1, with the reason, if it does not.
    """
    from concordant.cli.progress import Reporter
    from concordant.consensus import Consensus

    claim = Consensus.load(result)
    reading = reading.as_said_by(claim)
    with Reporter() as reporter, announced(reporter):
        data = reading.read(file)
        try:
            found = claim.verify(data, proof)
        except VerificationError as error:
            say(f"{result} does not hold for {file}: {error}")
            raise Exit(NOT_VERIFIED) from None
    bound = f"lower bound {number(found.lower_bound)}"
    if found.by_certificate:
        bound += f" proven by {proof}"
    elif found.bound_proven:
        bound += " proven again"
    else:
        bound += f" not checked{_simple_words(claim, data)}"
    cost = f"cost {number(found.cost)} recomputed"
    if claim.constraints is not None:
        cost += f", constraints satisfied ({claim.constraints})"
    click.echo(printable(f"{result} holds for {file}: {claim.status}, {cost}, {bound}"))


def _simple_words(claim: "Consensus", data: "Rankings | Pairwise") -> str:
    """Return what the pairs alone prove about a result without ties."""
    from concordant.pairwise import Pairwise

    if claim.tiers is not None:
        return ""
    pairwise = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    if claim.constraints is not None:
        pairwise = claim.constraints.impose(pairwise)
    return f" (the pairs alone prove {number(pairwise.lower_bound())})"


def _unranked_of(claim: "Consensus") -> Unranked | None:
    for meaning in get_args(Unranked):
        if claim.unranked == meaning:
            return cast("Unranked", meaning)
    if claim.unranked is None:
        return None
    raise InputError(f"the result has unranked = {claim.unranked!r}: it must be unknown or last")
