"""`label-ranking`: the label ranking forests of the paper, cross-validated."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from concordant.bench.instances import Instance, instances_of
from concordant.bench.layout import Column, Table
from concordant.bench.records import Record
from concordant.bench.results import Results, measure
from concordant.bench.statistics import average_ranks, contest, describe
from concordant.bench.suites import Plan, Suite
from concordant.bench.tasks import Task
from concordant.errors import SettingError

# As the paper has it: four-fold cross-validation of a forest and its variants with LADS at the
# leaves (10), for the forest (01) and at both (11).
# Beside them, our own forest and the default estimator.
METHODS = ("lrf", "lrf10", "lrf01", "lrf11", "forest", "ranker")
FOLDS = 4
# Data sets that come with scikit-learn: labels made of classes, or of so many attributes.
SETS: dict[str, tuple[str, int | None]] = {
    "iris": ("load_iris", None),
    "wine": ("load_wine", None),
    "diabetes": ("load_diabetes", 5),
    "breast": ("load_breast_cancer", 5),
}


def draw(loader: str, labels: int | None) -> Any:
    """Make a label ranking set of one that comes with scikit-learn."""
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
    return data, _labels(data)


def _labels(data: Any) -> dict[str, Any]:
    cases, features = data.X.shape
    return {"cases": cases, "features": features, "labels": len(data.labels)}


def work(task: Task) -> dict[str, Any]:
    """Cross-validate one method, on folds that the run decides."""
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
            "label-ranking reads label ranking files and no others: leave format out",
            setting="format",
        )
    if plan.folder is not None:
        found = instances_of(plan.folder, read)
        # Files in circulation are called iris_dense, where tables say iris.
        return [replace(each, name=each.name.removesuffix("_dense")) for each in found]
    found = []
    for name in list(SETS)[: plan.pick(1, None, None)]:
        loader, labels = SETS[name]
        arguments = {"loader": loader, "labels": labels}
        found.append(Instance(name, draw, arguments, _labels(draw(loader, labels))))
    return found


def _tasks(plan: Plan) -> list[Task]:
    try:
        import concordant.learn.evaluation  # noqa: F401 - it says which extra is missing
    except ImportError as error:
        raise SettingError(str(error)) from None
    return [
        Task(instance, method, work, run=run, seed=plan.seed + run, seconds=5.0)
        for run in range(plan.pick(1, 3, 10))
        for instance in _instances(plan)
        for method in METHODS
    ]


def _tables(results: Results) -> list[Table]:
    """Return the Kendall tau of each method on each data set beside the published one."""
    known, names = _published_taus()
    tau = measure("tau")
    datasets = tuple(dict.fromkeys(_dataset(record) for record in results.records))
    lines, complete = [], []
    for dataset in datasets:
        part = [record for record in results.records if _dataset(record) == dataset]
        line: list[Any] = [dataset]
        for method in results.methods:
            values = [t for r in part if r.method == method and (t := tau(r)) is not None]
            sample = describe(values) if values else None
            line += [sample.mean, sample.error] if sample else [None, None]
        line += known.get(dataset, (None,) * len(names))
        lines.append(tuple(line))
        complete.append(line[1 : 1 + 2 * len(results.methods) : 2])
    columns = [Column("data set")]
    for method in results.methods:
        columns += [Column(method, "value"), Column(f"{method}, standard error", "value")]
    columns += [Column(f"{name}, published", "value") for name in names]
    return [
        Table(
            "tau",
            "Mean Kendall tau, cross-validated; the published values beside ours",
            tuple(columns),
            tuple(lines),
            (
                "The standard error is from the spread of repeats with other folds; it does not "
                "hold the spread between data sets.",
            ),
        ),
        _tau_ranks(results, complete, known, names),
    ]


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
            against: Sequence[Any] = [None] * 4
            if base is not None and k != base and table:
                first, second = [row[k] for row in table], [row[base] for row in table]
                against = contest(first, second)
            found.append((name, len(table), average, *against))
    return Table(
        "ranks",
        "Label rankers over the data sets, against lrf",
        (
            Column("method", "code"),
            Column("data sets", "count"),
            Column("average rank", "power"),
            Column("better than lrf", "count"),
            Column("equal", "count"),
            Column("worse", "count"),
            Column("p", "p"),
        ),
        tuple(found),
        (
            "Ranks by tau, 1 = best, ours over our data sets and the published ones over theirs. "
            f"p: Wilcoxon's signed-rank test over data sets; with {len(whole)} of them, and no "
            f"ties, it cannot fall below {2.0 ** (1 - len(whole)) if whole else 1.0:.2g}.",
        ),
    )


def _dataset(record: Record) -> str:
    return str(record.labels.get("dataset", record.instance))


def _published_taus() -> tuple[dict[str, tuple[float, ...]], tuple[str, ...]]:
    try:
        from concordant.learn.evaluation import PUBLISHED, PUBLISHED_METHODS
    except ImportError:
        raise SettingError(
            "the report of label ranking needs scikit-learn: install concordant with its 'learn' "
            "extra"
        ) from None
    return dict(PUBLISHED), PUBLISHED_METHODS


SUITE = Suite(
    "label-ranking",
    "label ranking forests with and without LADS: Kendall tau",
    _tasks,
    tables=_tables,
    columns=METHODS,
    requires="concordant.learn.evaluation",
)
