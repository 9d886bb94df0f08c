"""`concordant compare`: run several methods and compare their results."""

import sys
from pathlib import Path
from typing import Annotated, Any

from click.exceptions import Exit

from concordant.cli.commands import INTERRUPTED
from concordant.cli.options import (
    Argument,
    Before,
    First,
    GroupsInOrder,
    Json,
    Last,
    Option,
    Quiet,
    Scheduler,
    Seed,
    TiePenalty,
    Ties,
    VoteTiePenalty,
)
from concordant.cli.streams import Reading, announced, check_output, print_json, say
from concordant.errors import SettingError

EXAMPLES = (
    "concordant compare votes.soc",
    "concordant compare votes.soc --methods borda,ga,auto --time-limit 2 --repeats 5",
    "concordant compare battles.csv --methods auto,bradley-terry,plackett-luce --orders",
    "concordant compare votes.soc --csv > methods.csv",
    "concordant compare *.soc --methods borda,ils,auto --latex > table.tex",
    "concordant compare votes.soc --import mine.py --methods mine,auto",
    "concordant compare votes.soc --plot methods.png",
    "concordant compare votes.toc --ties --tie-penalty 1 --methods bioconsert,de,auto",
    "concordant compare votes.soc --methods borda,auto --first Ada",
    "concordant compare votes.soc --scheduler tcp://10.0.0.1:8786",
)


def run(
    files: Annotated[
        tuple[Path, ...],
        Argument(
            metavar="FILE...",
            required=True,
            help="The file with the rankings; - is standard input. Several files are several "
            "problems, which are compared one by one and tested together.",
        ),
    ],
    reading: Reading,
    methods: Annotated[
        str | None,
        Option(
            metavar="A,B,C",
            help="The methods; 'concordant methods' lists them all.",
            show_default="all that can use the file",
        ),
    ] = None,
    time_limit: Annotated[float, Option(metavar="S", help="Stop each run after S seconds.")] = 5.0,
    repeats: Annotated[
        int, Option(metavar="R", help="Runs per method, each with its own seed.")
    ] = 1,
    seed: Seed = 0,
    n_jobs: Annotated[
        int,
        Option(
            "--jobs",
            metavar="N",
            help="Runs at the same time; more than 1 distorts the times.",
        ),
    ] = 1,
    scheduler: Scheduler = None,
    as_json: Json = False,
    as_csv: Annotated[bool, Option("--csv", help="Print the table as CSV.")] = False,
    as_latex: Annotated[
        bool,
        Option("--latex", help="Print the table as a LaTeX tabular, for the package booktabs."),
    ] = False,
    against: Annotated[
        str | None,
        Option(
            metavar="NAME",
            help="With several files, the method that the others are compared with.",
            show_default="auto, or the first of --methods",
        ),
    ] = None,
    plot: Annotated[
        Path | None,
        Option(
            metavar="OUT", help="Draw the gaps as a bar chart in this file (.png, .svg, .pdf, …)."
        ),
    ] = None,
    orders: Annotated[
        bool, Option("--orders", help="Also show the rankings of the methods side by side.")
    ] = False,
    quiet: Quiet = False,
    ties: Ties = False,
    tie_penalty: TiePenalty = None,
    vote_tie_penalty: VoteTiePenalty = None,
    before: Before = (),
    first: First = (),
    last: Last = (),
    groups_in_order: GroupsInOrder = None,
) -> None:
    """Run several methods on FILE and list their results, the best first.

    The gap shows how far a cost can be above the least possible cost: it is measured from the
    best lower bound that any run has proven. With several files, the table has the mean gap, the
    average rank, the wins, ties and losses against one method, and a signed-rank test of these.
    Ctrl-C stops the comparison and prints the results so far.
    """
    from concordant.cli.progress import Reporter
    from concordant.cli.terminal import show_comparison, show_orders, show_report_table
    from concordant.comparing_many import compare_many
    from concordant.comparison import compare
    from concordant.constraints import Constraints
    from concordant.distributed import cluster
    from concordant.plot import check_plot

    if as_json + as_csv + as_latex > 1:
        raise SettingError("choose one of --json, --csv and --latex")
    if plot is not None:
        check_plot(plot)
        check_output(plot, files[0])
    rules = Constraints.from_texts(before, first, last, groups_in_order)
    names = None if methods is None else [name.strip() for name in methods.split(",")]
    options: dict[str, Any] = {
        "time_limit": time_limit,
        "repeats": repeats,
        "seed": seed,
        "n_jobs": n_jobs if scheduler is None else -1,
        "ties": ties,
        "tie_penalty": tie_penalty,
        "vote_tie_penalty": vote_tie_penalty,
    }
    for name, value in {"--plot": plot, "--orders": orders, "constraints": rules}.items():
        if len(files) > 1 and value:
            raise SettingError(f"{name} cannot be used with several files: compare them one by one")
    if len(files) == 1 and against is not None:
        raise SettingError("--against needs several files")
    many: Any = None
    found: Any = None
    silent = quiet or as_json or as_csv or as_latex
    with Reporter(quiet=silent) as reporter, announced(reporter):
        data = {str(file): reading.read(file) for file in dict.fromkeys(files)}
        with cluster(scheduler):
            options["on_progress"] = reporter.step
            if len(files) == 1:
                found = compare(next(iter(data.values())), names, **options, **rules)
            else:
                found = many = compare_many(data, names, against=against, **options)
    if as_json:
        print_json(found.to_dict())
    elif as_csv or as_latex:
        sys.stdout.write(found.to_csv() if as_csv else found.to_latex())
    elif many is not None:
        show_report_table(many.table, sys.stdout)
    else:
        show_comparison(found, sys.stdout)
        if orders:
            show_orders(found, sys.stdout)
    for key, error in (many.failed if many is not None else {}).items():
        say(f"left out: {key}: {error}")
    if plot is not None:
        found.save_plot(plot)
    if found.interrupted:
        raise Exit(INTERRUPTED)
