"""`concordant label-ranking`: measure how well label rankers predict a data set."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from click.exceptions import Exit

from concordant.cli.commands import INTERRUPTED
from concordant.cli.options import Argument, Json, Option, Quiet, Seed
from concordant.cli.streams import announced, print_json
from concordant.errors import InputError, SettingError

if TYPE_CHECKING:
    from concordant.learn.datasets import LabelRankingData

EXAMPLES = (
    "concordant label-ranking iris.txt",
    "concordant label-ranking iris.txt --method ranker,lrf11 --cv 10 --repeats 3",
    "concordant label-ranking drinks.csv --labels tea,coffee,juice --method all",
)


def run(
    file: Annotated[Path, Argument(metavar="FILE", help="The data set; - is standard input.")],
    method: Annotated[
        str,
        Option(
            metavar="A,B,C",
            help="The methods: ranker, ranker-cheap, forest, lrf, lrf10, lrf01, lrf11, tree, "
            "entropy-tree, bagging, pairwise, constraint, neighbours, neighbours-borda, "
            "neighbours-pl, or all.",
        ),
    ] = "ranker,forest,lrf",
    folds: Annotated[
        int, Option("--cv", metavar="K", help="Number of cross-validation folds.")
    ] = 4,
    repeats: Annotated[
        int, Option(metavar="R", help="Number of cross-validations, each with other folds.")
    ] = 1,
    labels: Annotated[
        str | None,
        Option(
            metavar="A,B,C",
            help="The columns of a CSV or Parquet file that hold the ranks of the labels.",
            show_default="L1, L2 … or O1, O2 …",
        ),
    ] = None,
    seed: Seed = 0,
    n_jobs: Annotated[
        int, Option("--jobs", metavar="N", help="Trees and models to fit at the same time.")
    ] = 1,
    as_json: Json = False,
    quiet: Quiet = False,
) -> None:
    """Cross-validate methods that predict a ranking of labels from features.

    FILE has a row per case, with its features and the rank of each label. It is a label ranking
    file (tab-separated, with the columns A1, A2 … and L1, L2 …), or a CSV or Parquet file. The
    score is the mean Kendall tau between predicted and true rankings, from -1 to 1.
    """
    try:
        from concordant.learn.evaluation import METHODS, cross_validate, get_method
    except ImportError as error:
        raise SettingError(str(error)) from None
    from concordant.cli.progress import Reporter
    from concordant.cli.terminal import show_scores

    wanted = [name.strip() for name in method.split(",")]
    methods = {name: get_method(name) for name in (METHODS if wanted == ["all"] else wanted)}
    data = _read(file, None if labels is None else [each.strip() for each in labels.split(",")])
    found: list[Any] = []
    interrupted = False
    try:
        with Reporter(quiet=quiet or as_json) as reporter, announced(reporter):
            cross_validate(
                data.X,
                data.y,
                methods,
                folds=folds,
                repeats=repeats,
                seed=seed,
                n_jobs=n_jobs,
                on_progress=reporter.step,
                on_result=found.append,
            )
    except InputError as error:
        raise error.at(path=file) from None
    except KeyboardInterrupt:
        if not found:
            raise
        interrupted = True
    found.sort(key=lambda scores: -scores.mean)
    if as_json:
        n, d = data.X.shape
        facts = {"n_cases": n, "n_features": d, "labels": list(data.labels), "folds": folds}
        rows = [each.to_dict() for each in found]
        print_json(facts | {"repeats": repeats, "seed": seed, "rows": rows})
    else:
        show_scores(found, sys.stdout)
    if interrupted:
        raise Exit(INTERRUPTED)


def _read(file: Path, labels: list[str] | None) -> "LabelRankingData":
    """Read a label ranking file, or a table."""
    from concordant.learn.datasets import from_frame, read_label_ranking

    suffix = file.suffix.lower()
    if suffix not in (".csv", ".parquet"):
        if labels is not None:
            raise SettingError(
                "labels can be given only for .csv and .parquet files", setting="labels"
            )
        return read_label_ranking(sys.stdin.buffer if str(file) == "-" else file)
    from concordant._polars import pl

    try:
        frame = pl.read_csv(file) if suffix == ".csv" else pl.read_parquet(file)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(str(error).splitlines()[0], path=file) from None
    try:
        return from_frame(frame, labels)
    except InputError as error:
        raise error.at(path=file) from None
