"""Label rankers beside plain baselines, with missing labels, and how calibrated they are.

    python benchmarks/label_ranking.py [FOLDER] [--missing 0,30,60] [--only iris,wine]
        [--methods ranker,forest] [--rows 2000]

FOLDER has label ranking files; eight data sets made from four of scikit-learn are always measured.
Each set is cut to `--rows` cases and divided into four folds. `--missing` drops this percentage of
the labels from the training cases, at random; test cases stay complete. The baselines rank labels
by predicted mean ranks or pair votes; they need complete rankings.

`tau` is the mean Kendall tau, `ece` the expected calibration error of the pair probabilities, and
`seconds` the processor time for fitting and predicting a fold, on one core.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_wine
from sklearn.ensemble import (
    ExtraTreesRegressor,
    HistGradientBoostingRegressor,
    RandomForestRegressor,
)
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import KFold
from sklearn.multioutput import MultiOutputRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from concordant.learn import mean_tau, reliability
from concordant.learn.datasets import make_semisynthetic, read_label_ranking
from concordant.learn.evaluation import METHODS, get_method
from concordant.learn.targets import pair_signs, pairs_of, rank_rows

FOLDS = 4


class OnRanks:
    """A regressor of the rank of each label."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: Any, y: Any) -> None:
        self.model.fit(X, y)

    def predict(self, X: Any) -> Any:
        return rank_rows(self.model.predict(X))


class OnPairs(OnRanks):
    """A regressor of the sign of each pair of labels; labels are ordered by the sum of votes."""

    def fit(self, X: Any, y: Any) -> None:
        self.m = y.shape[1]
        self.model.fit(X, pair_signs(y))

    def predict(self, X: Any) -> Any:
        votes = self.model.predict(X).reshape(len(X), -1)
        scores = np.zeros((len(X), self.m))
        for pair, (a, b) in enumerate(zip(*pairs_of(self.m), strict=True)):
            scores[:, a] += votes[:, pair]
            scores[:, b] -= votes[:, pair]
        return rank_rows(-scores)


BASELINES: dict[str, Callable[[], Any]] = {
    "rf-ranks": lambda: OnRanks(RandomForestRegressor(200, random_state=0)),
    "et-pairs": lambda: OnPairs(ExtraTreesRegressor(200, random_state=0)),
    "boosting": lambda: OnRanks(
        MultiOutputRegressor(HistGradientBoostingRegressor(random_state=0))
    ),
    "ridge": lambda: OnRanks(make_pipeline(StandardScaler(), RidgeCV(10.0 ** np.arange(-3, 5)))),
}


def data_sets(folder: Path | None) -> dict[str, tuple[Any, Any]]:
    """Return features and ranks by name."""
    pixels = load_digits().data[:800]
    pixels = pixels[:, pixels.std(0) > 2]
    found = {
        "sk-wine": make_semisynthetic(*load_wine(return_X_y=True)),
        "sk-digits": make_semisynthetic(*load_digits(return_X_y=True)),
        "sk-breast": make_semisynthetic(
            load_breast_cancer().data, labels=[0, 4, 9, 14, 19, 24, 29]
        ),
        "sk-diabetes": make_semisynthetic(load_diabetes().data, labels=6),
        # Added after all settings were chosen.
        "sk-wine-2": make_semisynthetic(load_wine().data, labels=[1, 4, 7, 9, 11]),
        "sk-digits-2": make_semisynthetic(pixels, labels=list(range(3, pixels.shape[1], 7))),
        "sk-breast-2": make_semisynthetic(load_breast_cancer().data, labels=[1, 6, 12, 17, 21, 27]),
        # Without the sex, which has two values only.
        "sk-diabetes-2": make_semisynthetic(
            np.delete(load_diabetes().data, 1, axis=1), labels=[1, 3, 5, 7]
        ),
    }
    for path in sorted(folder.glob("*.txt")) if folder else ():
        found[path.stem.removesuffix("_dense")] = read_label_ranking(path)
    return {name: (data.X, data.y) for name, data in found.items()}


def drop(ranks: Any, share: float) -> Any:
    """Return the ranks with this share of the labels missing."""
    rng = np.random.default_rng(0)
    return np.where(rng.random(ranks.shape) < share, np.nan, ranks)


def measure(make: Callable[[], Any], X: Any, y: Any, missing: float) -> tuple[float, float, float]:
    """Return tau, the expected calibration error (NaN without probabilities) and seconds."""
    taus, errors = [], []
    start = time.process_time()
    for train, test in KFold(FOLDS, shuffle=True, random_state=0).split(X):
        model = make()
        model.fit(X[train], drop(y[train], missing))
        taus.append(mean_tau(y[test], model.predict(X[test])))
        if hasattr(model, "predict_pairs"):
            errors.append(reliability(model, X[test], y[test]).error)
    seconds = (time.process_time() - start) / FOLDS
    return float(np.mean(taus)), float(np.mean(errors)) if errors else np.nan, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--missing", default="0,30,60")
    parser.add_argument("--only", default="")
    parser.add_argument("--methods", default="ranker,forest," + ",".join(BASELINES))
    parser.add_argument("--rows", type=int, default=2000)
    given = parser.parse_args()
    names = given.methods.split(",")
    unknown = [name for name in names if name not in METHODS and name not in BASELINES]
    if unknown:
        parser.error(f"unknown method {unknown[0]}: use one of {', '.join([*METHODS, *BASELINES])}")
    print(f"{'data set':12} {'missing':>7} {'method':14} {'tau':>7} {'ece':>6} {'seconds':>8}")
    sums: dict[tuple[int, str], list[float]] = {}
    for name, (X, y) in data_sets(given.folder).items():
        if given.only and name not in given.only.split(","):
            continue
        kept = np.sort(np.random.default_rng(0).permutation(len(X))[: given.rows])
        for percent in map(int, given.missing.split(",")):
            for method in names:
                if percent and method in BASELINES:
                    continue
                make = BASELINES.get(method) or (
                    lambda method=method: get_method(method).set_params(random_state=0)
                )
                with threadpool_limits(1):
                    tau, error, seconds = measure(make, X[kept], y[kept], percent / 100)
                sums.setdefault((percent, method), []).append(tau)
                shown = f"{error:6.3f}" if error == error else f"{'-':>6}"
                print(
                    f"{name:12} {percent:>5} % {method:14} {tau:7.3f} {shown} {seconds:8.2f}",
                    flush=True,
                )
    for (percent, method), taus in sums.items():
        print(f"{'mean':12} {percent:>5} % {method:14} {np.mean(taus):7.3f}")


if __name__ == "__main__":
    main()
