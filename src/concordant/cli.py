"""The command line: `concordant aggregate`, `compare`, `verify`, `convert` and so on.

What a command needs is imported inside it, so that help and completion answer at once.
"""

import io
import json
import math
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from concordant._version import __version__
from concordant.errors import ConcordantError, InputError, SettingError, VerificationError

if TYPE_CHECKING:
    from concordant.pairwise import Pairwise
    from concordant.rankings import Rankings

DONE, NOT_VERIFIED, BAD_INPUT, INTERRUPTED = 0, 1, 2, 130

# Some releases of typer depend on click and some carry it inside; the base class of every
# usage error is reached in the same way from a public name.
_UsageError: Any = typer.BadParameter.__mro__[1]


def _say(text: str) -> None:
    """Write one line to stderr, whatever the text holds; a closed stderr is no error."""
    with suppress(OSError):
        sys.stderr.write(f"concordant: {' '.join(text.split())}\n")
        sys.stderr.flush()


def _lines(*lines: str) -> str:
    return "\n".join(lines)


def _help(command: Any, page: Callable[[], None]) -> None:
    """Print a help page with its text filled, then its examples as they stand."""
    paragraphs = (command.help or "").split("\n\n")
    command.help = "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)
    examples, command.epilog = command.epilog, None
    try:
        page()
    finally:
        command.epilog = examples
    if examples:
        from concordant.terminal import show_examples

        show_examples(examples.splitlines(), sys.stdout)


def _without_types(parameters: list[Any]) -> list[Any]:
    """Let help show no type for flags, which take no value, and arguments, whose text has it."""
    for parameter in parameters:
        if getattr(parameter, "is_flag", False):
            parameter.metavar = ""
        elif parameter.param_type_name == "argument":
            parameter.display_type_rich = lambda ctx: None
    return parameters


class _Command(TyperCommand):
    """A command whose help ends in examples."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _help(self, lambda: TyperCommand.format_help(self, ctx, formatter))


class _Commands(TyperGroup):
    """The group of all commands: it turns what goes wrong into one line and an exit code."""

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_types(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        _help(self, lambda: TyperGroup.format_help(self, ctx, formatter))

    def main(
        self,
        args: Any = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except _UsageError as error:
            path = error.ctx.command_path if error.ctx else "concordant"
            _say(f"error: {error.format_message().rstrip('.')} (see '{path} --help')")
            code = BAD_INPUT
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else DONE)

    def invoke(self, ctx: Any) -> Any:
        try:
            value = super().invoke(ctx)
            sys.stdout.flush()
        except ConcordantError as error:
            _say(f"error: {error}")
            raise typer.Exit(BAD_INPUT) from None
        except MemoryError as error:
            _say(f"error: not enough memory. {error}")
            raise typer.Exit(BAD_INPUT) from None
        except KeyboardInterrupt:
            _say("interrupted before there was a result")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:
            # The reader has seen enough (`| head`). What is left in the buffer must go
            # somewhere, or Python complains about it on its way out.
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(DONE) from None
        except OSError as error:
            _say(f"error: {error.strerror or error}")
            raise typer.Exit(BAD_INPUT) from None
        return value


app = typer.Typer(
    cls=_Commands,
    name="concordant",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def main() -> None:
    """Run the command line; the entry point of the installed program."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # A name that the encoding of the terminal does not have is no reason to fail.
        sys.stdout.reconfigure(errors="backslashreplace")
    app(prog_name="concordant")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"concordant {__version__}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    epilog=_lines(
        "concordant aggregate votes.soc",
        "concordant aggregate votes.csv --time-limit 5 --json -o result.json",
        "concordant verify result.json votes.csv",
    ),
)
def _root(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Find the ranking that agrees best with many rankings, and how good it can be."""
    if ctx.invoked_subcommand is None:
        typer.echo(ctx.get_help(), nl=False)


# -- options that several commands share -----------------------------------------------------


class Unranked(StrEnum):
    """What an item means that a ranking leaves out."""

    unknown = "unknown"
    last = "last"


class Layout(StrEnum):
    """How a table holds rankings."""

    long = "long"
    wide = "wide"
    ballots = "ballots"


class Model(StrEnum):
    """A model to draw rankings from."""

    mallows = "mallows"
    plackett_luce = "plackett-luce"
    uniform = "uniform"


def _complete_format(incomplete: str) -> list[str]:
    from concordant.formats import FORMATS

    return [name for name in FORMATS if name.startswith(incomplete)]


def _complete_method(incomplete: str) -> list[tuple[str, str]]:
    from concordant.algorithms.registry import METHODS

    return [(m.name, m.summary) for m in METHODS.values() if m.name.startswith(incomplete)]


File = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="The rankings; - reads them from standard input."),
]
FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="F",
        autocompletion=_complete_format,
        help="The format of the file, where its name and content do not tell.",
        rich_help_panel="File",
    ),
]
UnrankedOption = Annotated[
    Unranked | None,
    typer.Option(
        "--unranked",
        help="What leaving an item out means: nothing, or tied behind all ranked ones.",
        show_default="as the file says, else unknown",
        rich_help_panel="File",
    ),
]
LayoutOption = Annotated[
    Layout | None,
    typer.Option(
        "--layout",
        help="How a table is laid out, where its columns do not tell: a row per voter and item, "
        "a column per item, or a column per rank.",
        rich_help_panel="File",
    ),
]
QueryOption = Annotated[
    str | None,
    typer.Option(
        "--query", metavar="Q", help="Which query of a TREC file.", rich_help_panel="File"
    ),
]


# -- commands --------------------------------------------------------------------------------


@app.command(
    cls=_Command,
    epilog=_lines(
        "concordant aggregate votes.soc",
        "concordant aggregate votes.csv --unranked last --time-limit 5",
        "concordant aggregate ranks.txt --format ranks --method borda",
        "concordant aggregate votes.soc --json | jq -r '.ranking[0]'",
        "concordant aggregate votes.soc --initial result.json -o result.json",
    ),
)
def aggregate(
    file: File,
    method: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            autocompletion=_complete_method,
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
    seed: Annotated[int, typer.Option(metavar="N", help="Start of the random numbers.")] = 0,
    jobs: Annotated[
        int | None, typer.Option(metavar="N", help="Threads to use.", show_default="all cores")
    ] = None,
    file_format: FormatOption = None,
    unranked: UnrankedOption = None,
    layout: LayoutOption = None,
    query: QueryOption = None,
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
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress, only the result.")
    ] = False,
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

    Prints the ranking, its cost, a proven lower bound and what the two mean.
    Ctrl-C ends the search and prints the best ranking found so far.
    """
    from concordant.aggregation import aggregate as find
    from concordant.algorithms.registry import get
    from concordant.consensus import Consensus
    from concordant.rankings import Rankings
    from concordant.terminal import Reporter, show_result

    # All that can be refused is refused before a long file is read or a long search begun.
    chosen = _read_settings(settings or [])
    get(method).make_settings(chosen, preset)
    start = None if initial is None else Consensus.load(initial)
    if output is not None:
        if str(output) == "-":
            raise SettingError("-o names a file; --json prints the result")
        _check_output(output, file)

    if proof is not None:
        if not get(method).proves:
            raise SettingError(f"method {method!r} keeps no proof; 'auto' and 'exact' do")
        _check_output(proof, file)
        if output is not None and proof.resolve() == output.resolve():
            raise SettingError(f"--proof and -o both name {proof}: give them different files")

    with Reporter(quiet=quiet or as_json) as reporter:
        with _announced(reporter):
            data = _read(file, file_format, unranked, layout=layout, query=query)
        result = find(
            data,
            method,
            time_limit=time_limit,
            seed=seed,
            n_jobs=jobs,
            initial=start,
            target=target,
            max_iterations=max_iterations,
            max_generations=max_generations,
            preset=preset,
            alternatives=alternatives,
            on_progress=reporter,
            **chosen,
        )

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
        _print_json(result.to_dict())
    else:
        show_result(result, data if isinstance(data, Rankings) else None, sys.stdout)
    if failure is not None:
        raise failure
    if result.interrupted:
        raise typer.Exit(INTERRUPTED)


@app.command(
    cls=_Command,
    epilog=_lines(
        "concordant aggregate votes.soc -o result.json",
        "concordant verify result.json votes.soc",
        "concordant aggregate votes.soc -o result.json --proof proof.json",
        "concordant verify result.json votes.soc --proof proof.json",
    ),
)
def verify(
    result: Annotated[
        Path, typer.Argument(metavar="RESULT", help="What 'aggregate -o' or '--json' wrote.")
    ],
    file: File,
    file_format: FormatOption = None,
    unranked: Annotated[
        Unranked | None,
        typer.Option(
            "--unranked",
            help="What leaving an item out means.",
            show_default="as the result says",
            rich_help_panel="File",
        ),
    ] = None,
    layout: LayoutOption = None,
    query: QueryOption = None,
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
    from concordant.terminal import Reporter, number

    claim = Consensus.load(result)
    with Reporter() as reporter, _announced(reporter):
        meaning = unranked or _unranked_of(claim)
        data = _read(file, file_format, meaning, layout=layout, query=query)
        pairwise = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    try:
        found = claim.verify(pairwise, proof)
    except VerificationError as error:
        _say(f"{result} does not hold for {file}: {error}")
        raise typer.Exit(NOT_VERIFIED) from None
    bound = f"lower bound {number(claim.lower_bound)}"
    if proof is not None:
        bound += f" proven by {proof}"
    elif found.bound_proven:
        bound += " proven anew"
    else:
        bound += f" not checked (the pairs alone prove {number(pairwise.lower_bound())})"
    cost = f"cost {number(claim.cost)} recomputed"
    typer.echo(f"{result} holds for {file}: {claim.status}, {cost}, {bound}")


@app.command(
    cls=_Command,
    epilog=_lines(
        "concordant compare votes.soc",
        "concordant compare votes.soc --methods borda,ga,auto --time-limit 2 --repeats 5",
        "concordant compare votes.soc --csv > methods.csv",
        "concordant compare votes.soc --plot methods.png",
    ),
)
def compare(
    file: File,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="A,B,C",
            help="Which methods; 'concordant methods' lists all.",
            show_default="all that can take the file",
        ),
    ] = None,
    time_limit: Annotated[
        float, typer.Option(metavar="S", help="Stop each run after so many seconds.")
    ] = 5.0,
    repeats: Annotated[
        int, typer.Option(metavar="R", help="Run each method so often, with other seeds.")
    ] = 1,
    seed: Annotated[int, typer.Option(metavar="N", help="Start of the random numbers.")] = 0,
    jobs: Annotated[
        int, typer.Option(metavar="N", help="Runs at a time; more make times less telling.")
    ] = 1,
    file_format: FormatOption = None,
    unranked: UnrankedOption = None,
    layout: LayoutOption = None,
    query: QueryOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print the table as CSV.")] = False,
    plot: Annotated[
        Path | None,
        typer.Option(
            metavar="OUT", help="Draw the gaps as bars to this file (.png, .svg, .pdf, …)."
        ),
    ] = None,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Show no progress, only the table.")
    ] = False,
) -> None:
    """Run several methods on FILE and put them side by side, the best first.

    The gap is how far a cost can be above the least possible one: to the best lower bound that
    any of the runs has proven. Ctrl-C ends the comparison and prints what is known so far.
    """
    from concordant.comparison import check_plot
    from concordant.comparison import compare as run_all
    from concordant.terminal import Reporter, show_comparison

    if as_json and as_csv:
        raise SettingError("choose one of --json and --csv")
    if plot is not None:
        check_plot(plot)
        _check_output(plot, file)
    names = None if methods is None else [name.strip() for name in methods.split(",")]
    with Reporter(quiet=quiet or as_json or as_csv) as reporter:
        with _announced(reporter):
            data = _read(file, file_format, unranked, layout=layout, query=query)
        found = run_all(
            data,
            names,
            time_limit=time_limit,
            repeats=repeats,
            seed=seed,
            n_jobs=jobs,
            on_progress=reporter.step,
        )
    if as_json:
        _print_json(found.to_dict())
    elif as_csv:
        sys.stdout.write(found.to_csv())
    else:
        show_comparison(found, sys.stdout)
    if plot is not None:
        found.save_plot(plot)
    if found.interrupted:
        raise typer.Exit(INTERRUPTED)


@app.command(
    cls=_Command,
    epilog=_lines(
        "concordant convert votes.csv votes.soc",
        "concordant convert ranks.txt votes.csv --from ranks",
        "concordant convert votes.soc - --to json",
    ),
)
def convert(
    source: Annotated[
        Path, typer.Argument(metavar="IN", help="The rankings; - reads standard input.")
    ],
    target: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - is standard output.")
    ],
    source_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="F",
            autocompletion=_complete_format,
            help="The format of IN, where its name and content do not tell.",
            rich_help_panel="File",
        ),
    ] = None,
    target_format: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="F",
            autocompletion=_complete_format,
            help="The format of OUT, where its name does not tell.",
            rich_help_panel="File",
        ),
    ] = None,
    unranked: UnrankedOption = None,
    layout: LayoutOption = None,
    query: QueryOption = None,
) -> None:
    """Convert rankings from one file format to another.

    What the new format cannot hold is refused, not lost. The formats are ranks, orders, soc,
    soi, toc, toi, csv, parquet, json, blt, abif, cvotes, trec and lop; label-ranking is only
    read. Names that end in .gz are gzipped.
    """
    from concordant.terminal import Reporter

    _check_output(target, source)
    with Reporter() as reporter, _announced(reporter):
        data = _read(source, source_format, unranked, flag="--from", layout=layout, query=query)
    _write(data, target, target_format, flag="--to")


@app.command(
    cls=_Command,
    epilog=_lines(
        "concordant generate mallows --items 50 --rankings 100 --theta 0.1 -o votes.soc",
        "concordant generate uniform --items 8 --rankings 20 --partial -o votes.toi",
        "concordant generate plackett-luce --items 9 --rankings 99 --theta 0.5 -o votes.csv",
    ),
)
def generate(
    model: Annotated[
        Model, typer.Argument(metavar="MODEL", help="mallows, plackett-luce or uniform.")
    ],
    items: Annotated[int, typer.Option(metavar="M", help="How many items.", show_default=False)],
    rankings: Annotated[
        int, typer.Option(metavar="N", help="How many rankings.", show_default=False)
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="FILE", help="The file to write; - is standard output."
        ),
    ],
    theta: Annotated[
        float | None,
        typer.Option(
            metavar="T",
            help="How alike the rankings are: 0 is not at all. Needed by mallows (the "
            "dispersion) and plackett-luce (an item is chosen e^T times as often as the next).",
        ),
    ] = None,
    partial: Annotated[
        bool, typer.Option("--partial", help="Drop items and tie others, as in the paper.")
    ] = False,
    drop: Annotated[
        float | None,
        typer.Option(
            metavar="P", help="With --partial: the share of items dropped.", show_default="2/3"
        ),
    ] = None,
    same_bucket: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="With --partial: the share of items tied with the one before.",
            show_default="5/6",
        ),
    ] = None,
    seed: Annotated[int, typer.Option(metavar="N", help="Start of the random numbers.")] = 0,
    file_format: FormatOption = None,
) -> None:
    """Draw random rankings and write them to a file.

    The same seed gives the same rankings.
    """
    if not partial and (drop is not None or same_bucket is not None):
        raise SettingError("--drop and --same-bucket need --partial")
    if model is Model.uniform and theta is not None:
        raise SettingError("the uniform model has no --theta")
    if model is not Model.uniform and theta is None:
        raise SettingError(f"the {model.value} model needs --theta")
    if seed < 0:
        raise SettingError(f"seed must be a whole number of at least 0, not {seed}")
    _check_output(output)

    import numpy as np

    from concordant import generate as models
    from concordant.terminal import Reporter

    # One stream for both steps: two with the same seed would not be independent.
    rng = np.random.default_rng(seed)
    with Reporter() as reporter, _announced(reporter):
        if model is Model.mallows:
            data = models.mallows(items, rankings, theta or 0.0, seed=rng)
        elif model is Model.plackett_luce:
            data = models.plackett_luce(rankings, weights=_strengths(items, theta), seed=rng)
        else:
            data = models.uniform(items, rankings, seed=rng)
        if partial:
            shares = {"drop": drop, "same_bucket": same_bucket}
            given = {name: value for name, value in shares.items() if value is not None}
            data = models.partial(data, seed=rng, **given)
    _write(data, output, file_format, flag="--format")


@app.command(
    "methods", cls=_Command, epilog=_lines("concordant methods", "concordant methods borda")
)
def show_methods(
    method: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME",
            autocompletion=_complete_method,
            help="Show the settings of this one.",
        ),
    ] = None,
) -> None:
    """List the methods of aggregation, or the settings of one."""
    from concordant import terminal
    from concordant.algorithms.registry import METHODS, get

    if method is None:
        terminal.show_methods(METHODS.values(), sys.stdout)
    else:
        terminal.show_method(get(method), sys.stdout)


# -- what the commands share -----------------------------------------------------------------


@contextmanager
def _announced(reporter: Any) -> Iterator[None]:
    """Say so when kernels are compiled inside the block."""
    from concordant._kernels.compiling import watch_compilation

    with watch_compilation(reporter.compiling):
        yield


def _unranked_of(claim: Any) -> Unranked | None:
    try:
        return None if claim.unranked is None else Unranked(claim.unranked)
    except ValueError:
        raise InputError(f"the result says unranked = {claim.unranked!r}") from None


def _read(
    path: Path,
    file_format: str | None,
    unranked: Unranked | None,
    flag: str = "--format",
    **options: str | None,
) -> "Rankings | Pairwise":
    """Read a file, or standard input for `-`; `flag` is what names the format here."""
    from concordant.formats import read
    from concordant.rankings import check_unranked

    given = {name: str(value) for name, value in options.items() if value is not None}
    meaning = None if unranked is None else check_unranked(unranked.value)
    if str(path) != "-":
        with _flag_named(flag):
            return read(path, file_format, unranked=meaning, **given)
    if file_format is None:
        raise SettingError(f"standard input has no name to tell its format: say {flag} F")
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdin"
        copy.write_bytes(sys.stdin.buffer.read())
        try:
            return read(copy, file_format, unranked=meaning, **given)
        except InputError as error:
            raise InputError(error.message, path="standard input", line=error.line) from None


def _write(data: "Rankings | Pairwise", path: Path, file_format: str | None, flag: str) -> None:
    """Write a file, or standard output for `-`; `flag` is what names the format here."""
    from concordant.formats import write

    if str(path) != "-":
        with _flag_named(flag):
            write(data, path, file_format)
        return
    if file_format is None:
        raise SettingError(f"standard output has no name to tell its format: say {flag} F")
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdout"
        try:
            write(data, copy, file_format)
        except InputError as error:
            raise InputError(error.message, path="standard output") from None
        sys.stdout.buffer.write(copy.read_bytes())


@contextmanager
def _flag_named(flag: str) -> Iterator[None]:
    """Let an error that asks for --format ask for the flag that a command has instead."""
    try:
        yield
    except InputError as error:
        message = error.message.replace("--format", flag)
        raise InputError(message, path=error.path, line=error.line) from None
    except SettingError as error:
        raise SettingError(str(error).replace("--format", flag)) from None


def _check_output(path: Path, source: Path | None = None) -> None:
    """Refuse a path that cannot be written, or that is the input, before any work."""
    from concordant._files import replacing

    if str(path) == "-":
        return
    with suppress(OSError):
        if source is not None and path.samefile(source):
            raise InputError("is the input too: give the output another name", path=path)

    class Withdrawn(Exception):
        """Nothing shall be written yet."""

    with suppress(Withdrawn), replacing(path):
        raise Withdrawn


def _read_settings(given: list[str]) -> dict[str, Any]:
    """Read NAME=VALUE pairs; values that read as numbers, true, false or none are such."""
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


def _strengths(items: int, theta: float | None) -> list[float]:
    """Return Plackett–Luce weights that fall by a factor of e^theta from item to item."""
    if items < 1:
        raise SettingError(f"the number of items must be an integer of at least 1, not {items}")
    if theta is None or not (math.isfinite(theta) and theta >= 0):
        raise SettingError(f"theta must be a finite number of at least 0, not {theta}")
    if theta * items > 700:
        raise SettingError(
            f"theta {theta} over {items} items is more than floats can hold: "
            f"at most {700 / items:.3g}"
        )
    return [math.exp(-theta * position) for position in range(items)]


def _print_json(facts: dict[str, Any]) -> None:
    """Print one JSON object, in letters that the encoding of the output has."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    text = json.dumps(facts, ensure_ascii=encoding != "utf8", allow_nan=False)
    sys.stdout.write(f"{text}\n")
