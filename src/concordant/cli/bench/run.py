"""`concordant bench run`: run a suite of experiments and store the results."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

from click.exceptions import Exit

from concordant.cli.commands import INCOMPLETE, INTERRUPTED
from concordant.cli.options import Argument, Option, Quiet, Scheduler, Seed, format_option
from concordant.cli.streams import say

EXAMPLES = (
    "concordant bench run complete --scale smoke --store results/smoke",
    "concordant bench run complete --scale small --jobs 2 --store results/complete",
    "concordant bench run crossovers --scale full --instances mallows --store results/crossovers",
    "concordant bench run methods --instances races --format orders --store results/races",
    "concordant bench run exactness --instances lolib --best best.txt --store results/lolib",
    "concordant bench run methods --methods auto,ils,mine --import mine.py --store results/mine",
    "concordant bench run complete --store results/smoke --scheduler tcp://10.0.0.1:8786",
)

Scale = Literal["smoke", "small", "full"]


def run(
    suite: Annotated[
        str, Argument(metavar="SUITE", help="The suite; 'concordant bench suites' lists them all.")
    ],
    store: Annotated[
        Path,
        Option(metavar="DIR", help="The folder for the results; created if missing."),
    ],
    scale: Annotated[
        Scale,
        Option(
            help="Size of the experiments: at most 2 minutes on two cores, at most half an hour, "
            "or as published."
        ),
    ] = "smoke",
    time_limit: Annotated[
        float | None,
        Option(
            metavar="S",
            help="Stop each run of a method after S seconds.",
            show_default="set by suite and scale",
        ),
    ] = None,
    jobs: Annotated[
        int,
        Option(metavar="N", min=1, help="Tasks to run at the same time, each in its own process."),
    ] = 1,
    seed: Seed = 0,
    instances: Annotated[
        Path | None,
        Option(
            metavar="DIR",
            help="Run on the files in this folder.",
            show_default="generated instances",
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the word of all commands
        str | None,
        format_option("--format", "The format of the files in --instances."),
    ] = None,
    best: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Best known values to compare with in 'exactness': a name and a value per line.",
        ),
    ] = None,
    methods: Annotated[
        str | None,
        Option(
            metavar="A,B,C",
            help="The methods to run, for the suite 'methods'.",
            show_default="all",
        ),
    ] = None,
    repeats: Annotated[
        int | None,
        Option(
            metavar="R",
            help="Runs per method and instance, each with its own seed, for the suite 'methods'.",
            show_default="1",
        ),
    ] = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Run the experiments of SUITE, and store each result.

    To compare a method of your own with ours, run the suite 'methods' with --methods and, unless
    it is part of an installed package, with --import.

    A run that was stopped continues when it is started again with the same arguments. A store
    from other settings, other versions or another machine is refused. A file of --instances that
    cannot be read is reported and noted in the store, the others run, and the exit code is 1.
    """
    from concordant.bench.records import Record
    from concordant.bench.runner import Progress, run_suite
    from concordant.bench.suites import Plan
    from concordant.cli.progress import Reporter
    from concordant.distributed import cluster
    from concordant.formatting import counted, duration
    from concordant.plugins import loaded_modules

    chosen = None if methods is None else tuple(name.strip() for name in methods.split(","))
    given = ["concordant", "bench", "run", suite, "--scale", scale]
    if time_limit is not None:
        given += ["--time-limit", f"{time_limit:g}"]
    if seed:
        given += ["--seed", str(seed)]
    given += ["--jobs", str(jobs), "--store", str(store)]
    if instances is not None:
        given += ["--instances", str(instances)]
    if format is not None:
        given += ["--format", format]
    if best is not None:
        given += ["--best", str(best)]
    if methods is not None:
        given += ["--methods", methods]
    if repeats is not None:
        given += ["--repeats", str(repeats)]
    for module in loaded_modules():
        given += ["--import", module]
    if scheduler is not None:
        given += ["--scheduler", scheduler]

    def failure(record: Record) -> None:
        reporter.note(f"{record.instance}, {record.method}: {record.error}")

    def progress(state: Progress) -> None:
        left = "" if state.seconds_left is None else f", {duration(state.seconds_left)} left"
        reporter.state(f"{state.done:,} of {state.total:,} done{left}: {state.task}")

    reporter = Reporter(quiet=quiet)
    try:
        with reporter, cluster(scheduler):
            # Workers run in other folders.
            folder = instances if scheduler is None or instances is None else instances.absolute()
            found = run_suite(
                suite,
                store,
                Plan(scale, seed, time_limit, folder, format, best, chosen, repeats),
                jobs=jobs,
                command=shlex.join(given),
                on_progress=progress,
                on_failure=failure,
            )
    except KeyboardInterrupt:
        say(f"interrupted; the results so far are in {store}: run the same command to continue")
        raise Exit(INTERRUPTED) from None
    before = f", {found.earlier:,} of them in earlier runs" if found.earlier else ""
    sys.stdout.write(
        f"{counted(found.total, 'task')} of {suite} done{before}, in {duration(found.elapsed)}\n"
    )
    if found.failed:
        names = [record.task for record in found.failed]
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        say(
            f"{counted(len(names), 'task')} gave no result: {', '.join(names[:3])}{more}; "
            "the reasons are in the store"
        )
        raise Exit(INCOMPLETE)
