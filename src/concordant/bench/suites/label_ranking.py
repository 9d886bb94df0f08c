"""`label-ranking`: the label ranking forests of the paper, cross-validated."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from concordant.bench.instances import Instance, instances_of
from concordant.bench.records import Record
from concordant.bench.results import Results, measure
from concordant.bench.statistics import Sample, describe
from concordant.bench.suites import Plan, Suite
from concordant.bench.tables import columns
from concordant.bench.tasks import Task
from concordant.errors import SettingError
from concordant.layout import Column, Table
from concordant.paired import average_ranks, contest

# The paper's forest and its variants with LADS at the leaves (10), for the forest (01) and at both
# (11); then our own forest and the default estimator.
METHODS = ("lrf", "lrf10", "lrf01", "lrf11", "forest", "ranker")
_OURS = METHODS[-2:]
FOLDS = 4  # as in the paper
# Published values of random forests with ranking by pairwise comparison, 10 folds, 5 repeats.
OTHER_PUBLISHED = {
    "authorship": 0.935,
    "bodyfat": 0.204,
    "glass": 0.901,
    "housing": 0.822,
    "iris": 0.965,
    "pendigits": 0.975,
    "segment": 0.977,
    "stock": 0.926,
    "vehicle": 0.882,
    "vowel": 0.914,
    "wine": 0.941,
    "wisconsin": 0.549,
}
# Data sets of scikit-learn: the function that loads a set; the number of attributes to turn into
# labels, or None where the classes are the labels; and the sizes of the label ranking data.
SETS: dict[str, tuple[str, int | None, dict[str, int]]] = {
    "iris": ("load_iris", None, {"cases": 150, "features": 4, "labels": 3}),
    "wine": ("load_wine", None, {"cases": 178, "features": 13, "labels": 3}),
    "diabetes": ("load_diabetes", 5, {"cases": 442, "features": 5, "labels": 5}),
    "breast": ("load_breast_cancer", 5, {"cases": 569, "features": 25, "labels": 5}),
}


def draw(loader: str, labels: int | None) -> Any:
    """Make label ranking data from a data set of scikit-learn."""
    from sklearn import datasets

    from concordant.learn.datasets import make_semisynthetic

    found = getattr(datasets, loader)()
    if labels is None:
        return make_semisynthetic(found.data, found.target)
    return make_semisynthetic(found.data, labels=labels)


def read(path: Path) -> tuple[Any, dict[str, Any]]:
    """Read a label ranking file."""
    from concordant.learn.datasets import read_label_ranking

    data = read_label_ranking(path)
    return data, sizes(data)


def sizes(data: Any) -> dict[str, int]:
    """Return the numbers of cases, features and labels of label ranking data."""
    cases, features = data.X.shape
    return {"cases": cases, "features": features, "labels": len(data.labels)}


def work(task: Task) -> dict[str, Any]:
    """Cross-validate one method; the seed of the run decides the folds."""
    from concordant.learn.evaluation import cross_validate, get_method

    data = task.instance.load()
    _warm_up(task.method)
    started = time.perf_counter()
    [found] = cross_validate(
        data.X,
        data.y,
        {task.method: get_method(task.method)},
        folds=FOLDS,
        seed=task.seed,
        n_jobs=1,
    )
    return {
        "elapsed": round(time.perf_counter() - started, 6),
        "measures": {"tau": found.mean, "fold_deviation": found.fold_deviation},
    }


@cache
def _warm_up(method: str) -> None:
    from concordant.learn.evaluation import cross_validate, get_method

    data = draw("load_iris", None)
    cross_validate(data.X[::5], data.y[::5], {method: get_method(method)}, folds=2, n_jobs=1)


def _instances(plan: Plan) -> list[Instance]:
    if plan.format is not None:
        raise SettingError(
            "label-ranking reads label ranking files only: leave format out",
            setting="format",
        )
    if plan.folder is not None:
        found = instances_of(plan.folder, read)
        # Public files are called iris_dense; the paper's table says iris.
        return [replace(each, name=each.name.removesuffix("_dense")) for each in found]
    return [
        Instance(name, draw, {"loader": loader, "labels": labels}, described)
        for name, (loader, labels, described) in list(SETS.items())[: plan.pick(1, None, None)]
    ]


def _tasks(plan: Plan) -> list[Task]:
    return [
        Task(instance, method, work, run=run, seed=plan.seed + run, seconds=5.0)
        for run in range(plan.pick(1, 3, 10))
        for instance in _instances(plan)
        for method in METHODS
    ]


def _tables(results: Results) -> list[Table]:
    """Return the Kendall tau of each method on each data set, and the published ones."""
    known, names = _published_taus()
    ours = [method for method in _OURS if method in results.methods]
    lines, errors, published, means = [], [], [], []
    for case in results.cases:
        samples = [_describe_tau(results.runs(method, case)) for method in results.methods]
        means.append([each.mean if each else None for each in samples])
        lines.append((case[0], *means[-1]))
        errors.append((case[0], *(each.error if each else None for each in samples)))
        own = [dict(zip(results.methods, means[-1], strict=True))[method] for method in ours]
        theirs = (*known.get(case[0], (None,) * len(names)), OTHER_PUBLISHED.get(case[0]))
        published.append((case[0], *own, *theirs))
    return [
        Table(
            "tau",
            "Mean Kendall tau, cross-validated",
            (Column("data set"), *columns("value", *results.methods)),
            tuple(lines),
        ),
        Table(
            "errors",
            "Standard errors of the mean Kendall tau",
            (Column("data set"), *columns("value", *results.methods)),
            tuple(errors),
            (
                "They come from repeats with other folds, and do not include the spread between "
                "data sets.",
            ),
        ),
        Table(
            "published",
            "Our mean Kendall tau beside published values",
            (
                Column("data set"),
                *columns("value", *(f"{method}, ours" for method in ours)),
                *columns("value", *names, "random forests by pairs"),
            ),
            tuple(published),
            (
                "The last column has random forests with ranking by pairwise comparison, ten "
                "folds, five repeats. Other folds were used in each column, so small differences "
                "mean nothing.",
            ),
        ),
        _tau_ranks(results, means, known, names),
    ]


def _describe_tau(records: Sequence[Record]) -> Sample | None:
    taus = [tau for record in records if (tau := measure("tau")(record)) is not None]
    return describe(taus) if taus else None


def _tau_ranks(
    results: Results,
    rows: list[list[Any]],
    theirs: dict[str, tuple[float, ...]],
    names: Sequence[str],
) -> Table:
    """Compare label rankers over our data sets, and the published values over theirs."""
    whole = [[-value for value in row] for row in rows if None not in row]
    ranks = average_ranks(whole) if whole else [None] * len(results.methods)
    known = [[-value for value in row] for row in theirs.values()]
    their_ranks = average_ranks(known)
    found: list[tuple[Any, ...]] = []
    for group, table, averages in (
        (results.methods, whole, ranks),
        ([f"{name}, published" for name in names], known, their_ranks),
    ):
        base = next((k for k, name in enumerate(group) if name.split(",")[0] == "lrf"), None)
        for k, (name, average) in enumerate(zip(group, averages, strict=True)):
            pairs = [] if base in (None, k) else [(row[k], row[base]) for row in table]
            found.append((name, len(table), average, *contest(pairs)))
    return Table(
        "ranks",
        "Label rankers over the data sets, against lrf",
        (
            Column("method", "code"),
            Column("data sets", "count"),
            Column("average rank", "power"),
            *columns("count", "better than lrf", "equal", "worse"),
            Column("p", "p"),
        ),
        tuple(found),
        (
            "Ranks by tau, 1 = best: ours over our data sets, the published ones over theirs. "
            f"p: Wilcoxon's signed-rank test over data sets; with {len(whole)} of them and no "
            f"ties, it cannot be below {2.0 ** (1 - len(whole)) if whole else 1.0:.2g}.",
        ),
    )


def _published_taus() -> tuple[dict[str, tuple[float, ...]], tuple[str, ...]]:
    SUITE.check()
    from concordant.learn.evaluation import PUBLISHED, PUBLISHED_METHODS

    return dict(PUBLISHED), PUBLISHED_METHODS


SUITE = Suite(
    "label-ranking",
    "label ranking forests with and without LADS: Kendall tau",
    _tasks,
    tables=_tables,
    columns=METHODS,
    requires="concordant.learn.evaluation",
)
