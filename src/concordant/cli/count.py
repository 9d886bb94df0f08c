"""`concordant count`: the pairwise counts of files of any number and size."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from concordant.cli.options import Quiet, Scheduler
from concordant.cli.streams import Reading, announced, check_output, print_json, say
from concordant.describe import count_words
from concordant.formatting import number, printable

EXAMPLES = (
    "concordant count ballots.parquet -o pairs.npz",
    "concordant count 'ballots-*.csv' -o pairs.npz --skip-bad",
    "concordant count 'ballots-*.csv' -o pairs.npz --scheduler tcp://10.0.0.1:8786",
    "concordant aggregate pairs.npz",
)
# Progress is reported after this number of seconds.
_SILENT = 2.0


@dataclass(frozen=True)
class ReadingMany(Reading):
    """Options for reading the files."""

    max_bytes: Annotated[
        int | None,
        typer.Option(
            "--max-bytes",
            metavar="N",
            min=1,
            help="Refuse a file that has more than N bytes, unpacked. CSV and Parquet files are "
            "read in pieces and may have any size.",
            show_default="1 GiB",
            rich_help_panel="File",
        ),
    ] = None


def run(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILES...", help="The files, or patterns such as '*.csv'."),
    ],
    reading: ReadingMany,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="OUT", help="The count file to write.")
    ],
    n_jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", help="Threads to use.", show_default="all cores"),
    ] = None,
    skip_bad: Annotated[
        bool,
        typer.Option("--skip-bad", help="Leave out files that cannot be read, and list them."),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print the summary as one JSON object.")
    ] = False,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Count the pairs of all rankings in FILES, and write them to a count file.

    'aggregate', 'compare' and 'verify' take the count file in place of the rankings. CSV and
    Parquet files are read in pieces, so that memory does not grow with the number of ballots; in
    a long table the rows of each voter must be together. Count files among FILES are added.
    """
    from concordant._checks import threads_of
    from concordant.cli.progress import Reporter
    from concordant.counting import cluster
    from concordant.counting.files import CountProgress, count_files, expand_paths

    paths = expand_paths(files)
    for path in paths:
        check_output(output, Path(path))
    threads = threads_of(n_jobs)
    # polars parses blocks on its own threads, and reads their number when it is imported.
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
    with Reporter(quiet=quiet or as_json) as reporter:

        def show(state: CountProgress) -> None:
            if state.elapsed >= _SILENT:
                reporter.state(count_words(state))

        with announced(reporter), reading.warned():
            if scheduler is None:
                found = count_files(
                    paths,
                    reading.file_format,
                    n_jobs=threads,
                    skip_bad=skip_bad,
                    on_progress=show,
                    **reading.given,
                )
            else:
                found = cluster.count_files(
                    paths,
                    scheduler=scheduler,
                    skip_bad=skip_bad,
                    on_progress=lambda done, total, path: reporter.state(
                        f"{number(done)} of {number(total)} files: {path}"
                    ),
                    format=reading.file_format,
                    **reading.given,
                )
    found.pairs.save(output)
    for why in found.skipped.values():
        say(f"left out: {why}")
    pairs = found.pairs
    if as_json:
        facts: dict[str, Any] = {
            "n_files": found.n_files,
            "skipped": found.skipped,
            "n_items": pairs.n_items,
            "n_rankings": pairs.n_rankings,
            "total_weight": pairs.total_weight,
        }
        print_json(facts)
        return
    rankings = "" if pairs.n_rankings is None else f"{number(pairs.n_rankings)} rankings of "
    left = f", {number(len(found.skipped))} left out" if found.skipped else ""
    files_read = f"{number(found.n_files)} file{'s' * (found.n_files != 1)}"
    typer.echo(
        printable(f"{output}: {rankings}{number(pairs.n_items)} items from {files_read}{left}")
    )
