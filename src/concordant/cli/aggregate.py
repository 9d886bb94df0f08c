"""`concordant aggregate`: find the consensus of a file."""

import math
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from click.exceptions import Exit

from concordant.cli.commands import INTERRUPTED
from concordant.cli.options import (
    Argument,
    Before,
    First,
    GroupsInOrder,
    Last,
    Option,
    Quiet,
    Samples,
    SamplesBy,
    Seed,
    Threads,
    TiePenalty,
    Ties,
    VoteTiePenalty,
    complete_method,
)
from concordant.cli.streams import (
    NO_VOTERS,
    Reading,
    announced,
    check_output,
    print_json,
    say,
    warnings_said,
)
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
    "concordant aggregate battles.csv --method bradley-terry --bootstrap 1000 --bootstrap-by voter",
    "concordant aggregate votes.toc --ties --tie-penalty 0.4 --vote-tie-penalty 0",
    "concordant aggregate bm25.run dense.run --by query --method rrf --depth 100 -o fused.run",
    "concordant aggregate votes.soc --first Ada --before 'Ben > Eve'",
    "concordant aggregate votes.soc --initial result.json -o result.json",
)


# The options that do not go with --by.
_NOT_FOR_MANY = (
    *("proof", "alternatives", "bootstrap", "bootstrap_by", "top", "ties", "tie_penalty"),
    *("vote_tie_penalty", "tiers", "before", "first", "last", "groups_in_order", "preset"),
    *("initial", "target", "max_iterations", "max_generations"),
)
# The options that a warning about an answer with ties may name.
_TIE_OPTIONS = {"vote_tie_penalty": "--vote-tie-penalty", "tiers": "--tiers"}


def run(
    files: Annotated[
        tuple[Path, ...],
        Argument(
            metavar="FILE...",
            required=True,
            help="The file with the rankings; - is standard input. Several files have one ranking "
            "each; with --by, several problems.",
        ),
    ],
    reading: Reading,
    method: Annotated[
        str,
        Option(
            metavar="NAME",
            shell_complete=complete_method,
            help="The method; 'concordant methods' lists them all.",
        ),
    ] = "auto",
    time_limit: Annotated[
        float | None,
        Option(
            metavar="S",
            help="Stop after S seconds.",
            show_default="10 for methods that would not stop by themselves",
        ),
    ] = None,
    seed: Seed = 0,
    n_jobs: Threads = None,
    as_json: Annotated[bool, Option("--json", help="Print the result as one JSON object.")] = False,
    output: Annotated[
        Path | None,
        Option(
            "--output",
            "-o",
            metavar="OUT",
            help="Save the result to this file, as JSON; with --by as .run, .csv or .jsonl.",
        ),
    ] = None,
    proof: Annotated[
        Path | None,
        Option(
            metavar="P.json",
            help="Save the proof of the lower bound, for 'verify --proof' to check.",
        ),
    ] = None,
    alternatives: Annotated[
        int | None,
        Option(metavar="K", min=1, help="List up to K optimal rankings, once one is proven."),
    ] = None,
    bootstrap: Samples = None,
    bootstrap_by: SamplesBy = None,
    top: Annotated[
        int | None,
        Option(
            metavar="K", min=1, help="Prove only the first K places, and stop once that is done."
        ),
    ] = None,
    ties: Ties = False,
    tie_penalty: TiePenalty = None,
    vote_tie_penalty: VoteTiePenalty = None,
    tiers: Annotated[
        str | None,
        Option(
            metavar="N",
            help="The number of tiers, or their sizes, best first: 3,4,10.",
            show_default="any number",
            section="Ties",
        ),
    ] = None,
    before: Before = (),
    first: First = (),
    last: Last = (),
    groups_in_order: GroupsInOrder = None,
    by: Annotated[
        str | None,
        Option(
            metavar="KEY",
            help="Solve many problems: one for each 'query' of TREC runs, each 'file', or each "
            "value of a column. The time limit is for all of them.",
            section="Many problems",
        ),
    ] = None,
    depth: Annotated[
        int | None,
        Option(
            metavar="N",
            min=1,
            help="Write only the first N places of each problem.",
            section="Many problems",
        ),
    ] = None,
    tag: Annotated[
        str,
        Option(metavar="NAME", help="The name of the TREC run.", section="Many problems"),
    ] = "concordant",
    quiet: Quiet = False,
    preset: Annotated[
        str | None,
        Option(
            metavar="P",
            help="A named set of values for the settings of the method.",
            section="Search",
        ),
    ] = None,
    settings: Annotated[
        tuple[str, ...],
        Option(
            "--set",
            metavar="NAME=VALUE",
            help="Change a setting of the method; may be repeated. 'concordant methods NAME' lists "
            "the settings.",
            section="Search",
        ),
    ] = (),
    initial: Annotated[
        Path | None,
        Option(
            metavar="RESULT",
            help="Start from a saved result; the new one is never worse.",
            section="Search",
        ),
    ] = None,
    target: Annotated[
        float | None,
        Option(
            metavar="COST",
            help="Stop as soon as a ranking costs this much or less.",
            section="Search",
        ),
    ] = None,
    max_iterations: Annotated[
        int | None,
        Option(
            metavar="N",
            help="Stop after N iterations of the local search.",
            section="Search",
        ),
    ] = None,
    max_generations: Annotated[
        int | None,
        Option(metavar="N", help="Stop after N generations.", section="Search"),
    ] = None,
) -> None:
    """Find the ranking that agrees best with all rankings in FILE.

    Prints the ranking, its cost (the number of pairwise disagreements), a proven lower bound on
    the cost of any ranking, and whether other rankings are as good. Ctrl-C stops the search and
    prints the best ranking found so far.
    """
    from concordant.aggregation import aggregate
    from concordant.algorithms.registry import get
    from concordant.cli.progress import Reporter
    from concordant.cli.terminal import show_result
    from concordant.consensus import Consensus
    from concordant.constraints import Constraints
    from concordant.rankings import Rankings
    from concordant.tiers.aggregation import TieSettings

    # Check every argument before a long file is read or a long search is started.
    chosen = read_settings(settings)
    if by is not None:
        from concordant.cli.many import Many

        given = {name: value for name, value in locals().items() if name in _NOT_FOR_MANY}
        Many(by, method, time_limit, seed, n_jobs, depth, tag, quiet or as_json).run(
            files, reading, chosen, output, as_json, given
        )
        return
    if depth is not None:
        raise SettingError("--depth needs --by")
    if bootstrap_by is not None and bootstrap is None:
        raise SettingError("--bootstrap-by needs --bootstrap")
    file: Any = files[0] if len(files) == 1 else list(files)
    if ties:
        chosen["ties"] = True
    if tie_penalty is not None:
        chosen["tie_penalty"] = tie_penalty
    wanted = None if tiers is None else _read_tiers(tiers)
    own = dict(chosen)
    with_ties = TieSettings.take(method, own, vote_tie_penalty, wanted) is not None
    get(method).make_settings(own, preset)
    rules = Constraints.from_texts(before, first, last, groups_in_order)
    start = None if initial is None else Consensus.load(initial)
    if output is not None:
        if str(output) == "-":
            raise SettingError("-o needs the name of a file; use --json to print the result")
        for each in files:
            check_output(output, each)
    if proof is not None:
        if not get(method).proves and not with_ties:
            raise SettingError(f"method {method!r} gives no proof: use 'auto' or 'exact'")
        for each in files:
            check_output(proof, each)
        if output is not None and proof.resolve() == output.resolve():
            raise SettingError(f"--proof and -o both name {proof}: give them different files")

    with Reporter(quiet=quiet or as_json) as reporter:
        with announced(reporter):
            data, seen = reading.read_seen(file)
        if seen is not None and seen.layout is not None and not (quiet or as_json):
            say(f"read as {seen.summary}")
        if bootstrap is not None and not isinstance(data, Rankings):
            raise SettingError(NO_VOTERS)
        with warnings_said(options=_TIE_OPTIONS):
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
                vote_tie_penalty=vote_tie_penalty,
                tiers=wanted,
                on_progress=reporter,
                **rules,
                **chosen,
            )
        firm = None
        interrupted = result.interrupted
        if bootstrap is not None and isinstance(data, Rankings) and not interrupted:
            firm = _bootstrap(data, bootstrap, bootstrap_by, result, n_jobs, reporter)
            interrupted = firm is None or firm.interrupted

    failure: InputError | SettingError | None = None
    try:
        if output is not None:
            result.save(output)
        if proof is not None:
            result.save_proof(proof)
    except (InputError, SettingError) as error:
        # The disk may be full, or there is no proof. Print the ranking before reporting that.
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
        raise Exit(INTERRUPTED)


def _read_tiers(text: str) -> int | list[int]:
    """Read a number of tiers, or their sizes with commas between them."""
    try:
        sizes = [int(size) for size in text.split(",")]
    except ValueError:
        raise SettingError(
            f"tiers must be a number, or sizes with commas between them, not {text!r}",
            setting="tiers",
        ) from None
    return sizes if "," in text else sizes[0]


def _bootstrap(
    data: "Rankings",
    samples: int,
    by: str | None,
    result: "Consensus",
    n_jobs: int | None,
    reporter: "Reporter",
) -> "Bootstrap | None":
    """Resample the voters; None where Ctrl-C came before the first samples."""
    from concordant.resampling import bootstrap

    try:
        with announced(reporter):
            return bootstrap(
                data,
                samples,
                result.seed,
                by=by,
                consensus=result,
                n_jobs=n_jobs,
                on_progress=reporter.samples,
            )
    except KeyboardInterrupt:
        return None


def read_settings(given: Iterable[str]) -> dict[str, Any]:
    """Read NAME=VALUE pairs; numbers, true, false and none become values of Python.

    Example:
        >>> read_settings(["population=10", "preset = swap", "ties=true", "share=0.5"])
        {'population': 10, 'preset': 'swap', 'ties': True, 'share': 0.5}
    """
    found: dict[str, Any] = {}
    for pair in given:
        name, equals, text = pair.partition("=")
        if not equals or not name.strip().isidentifier():
            raise SettingError(f"--set needs NAME=VALUE, not {pair!r}")
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
            # No setting is infinite, and JSON has no such numbers: the text will be refused.
            return value if math.isfinite(value) else text
    return text
