"""`concordant aggregate`: the consensus of a file."""

import math
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concordant.cli.commands import INTERRUPTED
from concordant.cli.options import File, Quiet, Samples, Seed, complete_method
from concordant.cli.streams import Reading, announced, check_output, print_json
from concordant.errors import InputError, SettingError

if TYPE_CHECKING:
    from concordant.cli.progress import Reporter
    from concordant.consensus import Consensus
    from concordant.rankings import Rankings
    from concordant.resampling import Bootstrap

EXAMPLES = (
    "concordant aggregate votes.soc",
    "concordant aggregate votes.csv --unranked last --time-limit 5",
    "concordant aggregate ranks.txt --format ranks --method borda",
    "concordant aggregate votes.soc --json | jq -r '.ranking[0]'",
    "concordant aggregate votes.soc --bootstrap 1000",
    "concordant aggregate votes.soc --initial result.json -o result.json",
)


def run(
    file: File,
    reading: Reading,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=complete_method,
            help="How to look for it; 'concordant methods' lists all.",
        ),
    ] = "auto",
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Stop after so many seconds.",
            show_default="10 where the method does not stop by itself",
        ),
    ] = None,
    seed: Seed = 0,
    n_jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", help="Threads to use.", show_default="all cores"),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the result as one JSON object.")
    ] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="OUT", help="Save the result to this file, as JSON."
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        typer.Option(
            metavar="P.json",
            help="Save the proof of the lower bound, for 'verify --proof' to check.",
        ),
    ] = None,
    alternatives: Annotated[
        int | None,
        typer.Option(metavar="K", min=1, help="List up to K optimal rankings, if it is proven."),
    ] = None,
    bootstrap: Samples = None,
    top: Annotated[
        int | None,
        typer.Option(
            metavar="K", min=1, help="Prove the first K places only; stop once they are proven."
        ),
    ] = None,
    quiet: Quiet = False,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="P",
            help="A named set of settings of the method.",
            rich_help_panel="Search",
        ),
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=VALUE",
            help="A setting of the method; repeat it for more. See 'concordant methods NAME'.",
            rich_help_panel="Search",
        ),
    ] = None,
    initial: Annotated[
        Path | None,
        typer.Option(
            metavar="RESULT",
            help="Start from an earlier result; the new one is never worse.",
            rich_help_panel="Search",
        ),
    ] = None,
    target: Annotated[
        float | None,
        typer.Option(metavar="COST", help="Stop at this cost.", rich_help_panel="Search"),
    ] = None,
    max_iterations: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Stop after so many iterations of the local search.",
            rich_help_panel="Search",
        ),
    ] = None,
    max_generations: Annotated[
        int | None,
        typer.Option(metavar="N", help="Stop after so many generations.", rich_help_panel="Search"),
    ] = None,
) -> None:
    """Find the ranking that agrees best with all rankings in FILE.

    Prints the ranking, its cost, a proven lower bound, what the two mean, and whether other
    rankings are as good. Ctrl-C ends the search and prints the best ranking found so far.
    """
    from concordant.aggregation import aggregate
    from concordant.algorithms.registry import get
    from concordant.cli.progress import Reporter
    from concordant.cli.terminal import show_result
    from concordant.consensus import Consensus
    from concordant.rankings import Rankings

    # All that can be refused is refused before a long file is read or a long search begun.
    chosen = read_settings(settings or [])
    get(method).make_settings(chosen, preset)
    start = None if initial is None else Consensus.load(initial)
    if output is not None:
        if str(output) == "-":
            raise SettingError("-o names a file; --json prints the result")
        check_output(output, file)
    if proof is not None:
        if not get(method).proves:
            raise SettingError(f"method {method!r} keeps no proof; 'auto' and 'exact' do")
        check_output(proof, file)
        if output is not None and proof.resolve() == output.resolve():
            raise SettingError(f"--proof and -o both name {proof}: give them different files")

    with Reporter(quiet=quiet or as_json) as reporter:
        with announced(reporter):
            data = reading.read(file)
        if bootstrap is not None and not isinstance(data, Rankings):
            raise SettingError("--bootstrap draws the voters again, and a matrix has none")
        result = aggregate(
            data,
            method,
            time_limit=time_limit,
            seed=seed,
            n_jobs=n_jobs,
            initial=start,
            target=target,
            max_iterations=max_iterations,
            max_generations=max_generations,
            preset=preset,
            alternatives=alternatives,
            top=top,
            on_progress=reporter,
            **chosen,
        )
        firm = None
        interrupted = result.interrupted
        if bootstrap is not None and isinstance(data, Rankings) and not interrupted:
            firm = _bootstrap(data, bootstrap, result, n_jobs, reporter)
            interrupted = firm is None or firm.interrupted

    failure = None
    try:
        if output is not None:
            result.save(output)
        if proof is not None:
            result.save_proof(proof)
    except InputError as error:
        # The disk filled up meanwhile. The ranking is worth printing all the same.
        failure = error
    if as_json:
        facts = result.to_dict()
        if firm is not None:
            facts["bootstrap"] = firm.to_dict()
        print_json(facts)
    else:
        show_result(result, data if isinstance(data, Rankings) else None, sys.stdout, firm)
    if failure is not None:
        raise failure
    if interrupted:
        raise typer.Exit(INTERRUPTED)


def _bootstrap(
    data: "Rankings", samples: int, result: "Consensus", n_jobs: int | None, reporter: "Reporter"
) -> "Bootstrap | None":
    """Return how firm a result is; None where Ctrl-C came before the first samples."""
    from concordant.resampling import bootstrap

    try:
        with announced(reporter):
            return bootstrap(
                data,
                samples,
                result.seed,
                consensus=result,
                n_jobs=n_jobs,
                on_progress=reporter.samples,
            )
    except KeyboardInterrupt:
        return None


def read_settings(given: list[str]) -> dict[str, Any]:
    """Read NAME=VALUE pairs; values that read as numbers, true, false or none are such.

    Example:
        >>> read_settings(["population=10", "preset = swap", "ties=true", "share=0.5"])
        {'population': 10, 'preset': 'swap', 'ties': True, 'share': 0.5}
    """
    found: dict[str, Any] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip().isidentifier():
            raise SettingError(f"--set wants NAME=VALUE, not {pair!r}")
        found[name.strip()] = _read_value(text.strip())
    return found


def _read_value(text: str) -> Any:
    words = {"true": True, "false": False, "none": None}
    if text.lower() in words:
        return words[text.lower()]
    try:
        return int(text)
    except ValueError:
        with suppress(ValueError):
            value = float(text)
            # No setting is infinite, and JSON could not say so: it stays a word, to be refused.
            return value if math.isfinite(value) else text
    return text
