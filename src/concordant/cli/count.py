"""`concordant count`: count the pairs of the rankings in files of any number and size."""

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import click

from concordant._reading import READING
from concordant.cli.options import Argument, Option, Quiet, Scheduler, Threads
from concordant.cli.streams import (
    Reading,
    announced,
    check_output,
    print_json,
    say,
    warnings_said,
)
from concordant.describe import count_words
from concordant.errors import in_shell
from concordant.formatting import counted, number, printable

EXAMPLES = (
    "concordant count ballots.parquet -o pairs.npz",
    "concordant count 'ballots-*.csv' -o pairs.npz --skip-bad",
    "concordant count 'ballots-*.csv' -o pairs.npz --scheduler tcp://10.0.0.1:8786",
    "concordant aggregate pairs.npz",
)
# A count that takes fewer seconds shows no progress.
_SILENT = 2.0


@dataclass(frozen=True)
class ReadingMany(Reading):
    """Options for reading the files."""

    max_bytes: Annotated[
        int | None,
        Option(
            "--max-bytes",
            metavar="N",
            min=1,
            help="Largest file to read, in bytes after decompression. CSV and Parquet files are "
            "read in pieces and may have any size.",
            show_default="1 GiB",
            section="File",
        ),
    ] = None


def run(
    files: Annotated[
        tuple[str, ...],
        Argument(metavar="FILES...", help="Names of files, and patterns such as '*.csv'."),
    ],
    reading: ReadingMany,
    output: Annotated[
        Path, Option("--output", "-o", metavar="OUT", help="The count file to write.")
    ],
    n_jobs: Threads = None,
    skip_bad: Annotated[
        bool,
        Option("--skip-bad", help="Skip files that cannot be read, and list them."),
    ] = False,
    as_json: Annotated[
        bool, Option("--json", help="Print the summary as one JSON object.")
    ] = False,
    scheduler: Scheduler = None,
    quiet: Quiet = False,
) -> None:
    """Count the pairs of all rankings in FILES, and write a count file.

    A count file holds, for each pair of items, how many rankings prefer the one to the other.
    'aggregate', 'compare' and 'verify' take it in place of the rankings. CSV and Parquet files are
    read in pieces, so that memory does not grow with the number of ballots; in a long table the
    rows of a voter must be consecutive. Count files among FILES are added to the total.
    """
    from concordant._checks import threads_of
    from concordant.cli.progress import Reporter
    from concordant.counting import cluster
    from concordant.counting.files import CountProgress, count_files, expand_paths

    paths = expand_paths(files)
    for path in paths:
        check_output(output, Path(path))
    threads = threads_of(n_jobs)
    # polars parses blocks on its own threads; it reads their number once, when it is imported.
    os.environ.setdefault("POLARS_MAX_THREADS", str(threads))
    with Reporter(quiet=quiet or as_json) as reporter:

        def show(state: CountProgress) -> None:
            if state.elapsed >= _SILENT:
                reporter.state(count_words(state))

        with announced(reporter), warnings_said():
            if scheduler is None:
                found = count_files(
                    paths,
                    reading.format,
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
                    format=reading.format,
                    **reading.given,
                )
    found.pairs.save(output)
    spell = in_shell({each.name: each.flag for each in READING.values() if each.shell})
    skipped = {path: error.phrased(spell) for path, error in found.skipped.items()}
    for why in skipped.values():
        say(f"skipped: {why}")
    pairs = found.pairs
    if as_json:
        facts: dict[str, Any] = {
            "n_files": found.n_files,
            "skipped": skipped,
            "n_items": pairs.n_items,
            "n_rankings": pairs.n_rankings,
            "total_weight": pairs.total_weight,
        }
        print_json(facts)
        return
    rankings = "" if pairs.n_rankings is None else f"{counted(pairs.n_rankings, 'ranking')} of "
    items, read = counted(pairs.n_items, "item"), counted(found.n_files, "file")
    left_out = f", {counted(len(skipped), 'file')} skipped" if skipped else ""
    click.echo(printable(f"{output}: {rankings}{items} from {read}{left_out}"))
