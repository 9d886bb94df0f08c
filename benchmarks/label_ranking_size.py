"""Time, memory and saved size of label rankers with many labels or many cases.

    python benchmarks/label_ranking_size.py [--methods ranker,regressor] [--labels 25,50]
        [--cases 2000] [--features 20] [--kinds linear,steps] [--predict 500]

The data are generated. `linear`: the score of a label is linear in the features, with noise.
`steps`: it is a sum of steps at thresholds of pairs of features, with noise. The noise has 0.6
times the deviation of the scores. Each method runs in a process of its own, on one core. `fit s`
and `pred s` are seconds of processor time, after a small fit that compiles the kernels. `GB` is the
peak memory of the process, `saved MB` the size of the pickled model, `tau` the mean Kendall tau on
new cases, which have noise too. `regressor` is scikit-learn's RandomForestRegressor on the ranks.
"""

from __future__ import annotations

import argparse
import multiprocessing
import pickle
import resource
import time
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from threadpoolctl import threadpool_limits

from concordant.learn import mean_tau
from concordant.learn.evaluation import get_method
from concordant.learn.targets import rank_rows


def generate(kind: str, n: int, d: int, m: int) -> tuple[Any, Any]:
    """Return features and ranks."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    if kind == "linear":
        scores = X @ rng.normal(size=(d, m))
    else:
        first, second = rng.integers(d, size=(2, 40))
        at = rng.normal(size=(2, 40))
        steps = (X[:, first] > at[0]) & (X[:, second] > at[1])
        scores = steps @ rng.normal(size=(40, m))
    scores /= scores.std()
    return X, rank_rows(-(scores + rng.normal(0, 0.6, scores.shape)))


def measure(method: str, kind: str, sizes: tuple[int, int, int, int]) -> str:
    """Return a line of the table."""
    n, d, m, new = sizes
    X, y = generate(kind, n + new, d, m)
    regressor = method == "regressor"
    model = RandomForestRegressor(n_jobs=1) if regressor else get_method(method)
    model.set_params(random_state=0)
    with threadpool_limits(1):
        model.fit(X[:60], y[:60])
        model.predict(X[:5])
        start = time.process_time()
        model.fit(X[:n], y[:n])
        fitted = time.process_time()
        tau = mean_tau(y[n:], rank_rows(np.asarray(model.predict(X[n:]), float)))
        done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    saved = len(pickle.dumps(model)) / 1e6
    return (
        f"{kind:7} {n:>6} {d:>8} {m:>6} {method:10} {fitted - start:7.1f} {done - fitted:7.1f} "
        f"{peak:7.2f} {saved:8.1f} {tau:6.3f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--methods", default="ranker,regressor")
    parser.add_argument("--kinds", default="linear,steps")
    parser.add_argument("--labels", default="25,50")
    parser.add_argument("--cases", type=int, default=2000)
    parser.add_argument("--features", type=int, default=20)
    parser.add_argument("--predict", type=int, default=500)
    given = parser.parse_args()
    print(
        f"{'kind':7} {'cases':>6} {'features':>8} {'labels':>6} {'method':10} {'fit s':>7} "
        f"{'pred s':>7} {'GB':>7} {'saved MB':>8} {'tau':>6}"
    )
    with multiprocessing.get_context("spawn").Pool(1, maxtasksperchild=1) as pool:
        for kind in given.kinds.split(","):
            for m in map(int, given.labels.split(",")):
                for method in given.methods.split(","):
                    sizes = (given.cases, given.features, m, given.predict)
                    print(pool.apply(measure, (method, kind, sizes)), flush=True)


if __name__ == "__main__":
    main()
