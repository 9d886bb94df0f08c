"""`label-ranking`: the label ranking forests of the paper, cross-validated."""

from __future__ import annotations

import time
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from concordant.bench.instances import Instance, instances_of
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


SUITE = Suite("label-ranking", "label ranking forests with and without LADS: Kendall tau", _tasks)
