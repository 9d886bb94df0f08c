"""`concordant bench run`: a suite of experiments into a store, resumable."""

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from concordant.cli.commands import INCOMPLETE, INTERRUPTED
from concordant.cli.options import Quiet, Scheduler, Seed, format_option
from concordant.cli.streams import say

EXAMPLES = (
    "concordant bench run complete --scale smoke --store results/smoke",
    "concordant bench run complete --scale small --jobs 2 --store results/complete",
    "concordant bench run crossovers --scale full --instances mallows --store results/crossovers",
    "concordant bench run methods --instances races --format orders --store results/races",
    "concordant bench run complete --store results/smoke --scheduler tcp://10.0.0.1:8786",
)

Scale = Literal["smoke", "small", "full"]


def run(
    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="What to run; 'concordant bench suites' lists.")
    ],
    store: Annotated[
        Path,
        typer.Option(
            metavar="DIR", help="The folder of the results; it is made.", show_default=False
        ),
    ],
    scale: Annotated[
        Scale,
        typer.Option(help="Within two minutes on two cores, within half an hour, or as published."),
    ] = "smoke",
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="S",
            help="Stop each run of a method after so many seconds.",
            show_default="by suite and scale",
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Tasks at a time, each in a process of its own."),
    ] = 1,
    seed: Seed = 0,
    instances: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR",
            help="Run on the files of this folder.",
            show_default="generated instances",
        ),
    ] = None,
    format: Annotated[  # noqa: A002 - the word of all commands
        str | None, format_option("--format", "Format of the files of --instances.")
    ] = None,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Run the experiments of SUITE and keep each result as a line in the store.

    Killed at any moment and started again with the same arguments, it goes on where it was. A
    store that was made with other settings, versions or another machine is refused. A file of
    --instances that cannot be read is named and noted in the store, and the others run; the exit
    code is then 1.
    """
    from concordant.bench.records import Record
    from concordant.bench.runner import Progress, run_suite
    from concordant.bench.suites import Plan
    from concordant.cli.progress import Reporter
    from concordant.distributed import cluster
    from concordant.formatting import counted, duration

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
            # Workers have a folder of their own.
            folder = instances if scheduler is None or instances is None else instances.absolute()
            found = run_suite(
                suite,
                store,
                Plan(scale, seed, time_limit, folder, format),
                jobs=jobs,
                command=shlex.join(given),
                on_progress=progress,
                on_failure=failure,
            )
    except KeyboardInterrupt:
        say(f"interrupted; the results so far are in {store}, and the same command goes on")
        raise typer.Exit(INTERRUPTED) from None
    before = f", {found.earlier:,} of them before" if found.earlier else ""
    sys.stdout.write(
        f"{counted(found.total, 'task')} of {suite} done{before}, in {duration(found.elapsed)}\n"
    )
    if found.failed:
        names = [record.task for record in found.failed]
        more = f" and {len(names) - 3:,} more" if len(names) > 3 else ""
        say(
            f"{counted(len(names), 'task')} gave no result: {', '.join(names[:3])}{more}; "
            "the store says why"
        )
        raise typer.Exit(INCOMPLETE)
