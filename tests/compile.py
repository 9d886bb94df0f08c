"""Compile what most tests share before they start: `python tests/compile.py PROCESSES`.

Processes that begin with an empty cache would all compile the same kernels at the same time, and
those that measure coverage would take twice as long about it. Here, each compiles another share.
A test that needs a kernel which is not called here compiles it itself.
"""

import compileall
import multiprocessing
import sys
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import concordant as cc

NAMES = [f"item {number}" for number in range(8)]


def small() -> cc.Rankings:
    """Rankings with ties and gaps."""
    orders = [[*NAMES[k:6], tuple(NAMES[:k])] if k else NAMES[::-1] for k in range(5)]
    return cc.Rankings.from_orders(orders, weights=[1, 2, 3, 4, 5])


def methods() -> None:
    complete = cc.generate.mallows(12, 9, theta=0.1, seed=1)
    few = cc.generate.mallows(5, 3, theta=0.1, seed=1)
    for data in (small(), complete, few, cc.Pairwise.from_rankings(complete)):
        for name in reversed(cc.methods()):
            try:
                cc.aggregate(data, name, max_iterations=300, n_jobs=1)
            except cc.SettingError:
                continue  # It needs other data.


def searches_and_proofs() -> None:
    for items, voters in ((30, 9), (60, 20), (250, 10)):
        data = cc.generate.mallows(items, voters, theta=0.01, seed=1)
        cc.aggregate(data, time_limit=1)


def files_and_counts() -> None:
    data = small()
    with TemporaryDirectory() as folder:
        for name in ("a.csv", "a.json", "a.toi", "a.npz"):
            cc.write(data, Path(folder) / name)
            cc.read(Path(folder) / name)
        # Many are merged, arranged and counted by kernels that few do not need.
        many = Path(folder) / "many.csv"
        votes = cc.generate.plackett_luce(50_000, weights=range(1, 8), seed=1)
        cc.write(votes, many, layout="long")
        cc.read(many)
    for rankings, items in ((5, 40), (5, 300), (60_000, 8)):
        ranks = np.argsort(np.random.default_rng(1).random((rankings, items)), axis=1) + 1
        for jobs in (1, 2):
            cc.Pairwise.from_rankings(cc.Rankings.from_ranks(ranks), n_jobs=jobs)


def samples_and_distances() -> None:
    data = cc.generate.mallows(9, 12, theta=0.1, seed=1)
    cc.bootstrap(data, samples=20)
    cc.bootstrap(small(), samples=20)
    ranking = list(data.items)
    cc.mean_distance(ranking, data)
    cc.kendall_tau(ranking, ranking[::-1])
    cc.extended_kendall_distance(ranking, ranking[::-1])


def label_rankers() -> None:
    from concordant.learn import BaggedRanker, LabelRanker, LabelRankingForest, NeighboursRanker

    rng = np.random.default_rng(0)
    features = rng.normal(size=(40, 3))
    ranks = np.argsort(np.argsort(features @ rng.normal(size=(3, 4)), axis=1), axis=1) + 1
    for ranker in (
        LabelRanker(effort="cheap", random_state=0),
        LabelRankingForest(3, random_state=0),
        LabelRankingForest(3, leaf_aggregation="lads", forest_aggregation="lads", random_state=0),
        LabelRankingForest(3, leaf_aggregation="borda", forest_aggregation="borda", random_state=0),
        NeighboursRanker(5),
        NeighboursRanker(5, model="borda", weights="distance"),
        BaggedRanker(n_estimators=2, random_state=0),
    ):
        ranker.fit(features, ranks).predict(features)


def answers_with_ties() -> None:
    with_ties = np.random.default_rng(5).integers(1, 12, (7, 30))
    for data in (small(), cc.Rankings.from_ranks(with_ties)):
        result = cc.aggregate(data, ties=True, max_generations=2, n_jobs=1)
        result.verify(data)
        cc.aggregate(data, ties=True, tiers=3, max_generations=2, n_jobs=1)


def experiments() -> None:
    from concordant.bench import tasks
    from concordant.bench.runner import plan_tasks
    from concordant.bench.suites import Plan, get

    found = plan_tasks(get("evaluation"), Plan("smoke"))
    for task in (found[0], found[-1]):
        tasks.run(task)


# What a process begins with is done by no other yet.
SHARES: list[list[Callable[[], None]]] = [
    [methods, files_and_counts, label_rankers],
    [searches_and_proofs, samples_and_distances, answers_with_ties, experiments],
]


def compile_share(number: int) -> None:
    warnings.simplefilter("ignore")
    for work in SHARES[number]:
        work()


def main(processes: int) -> None:
    # Where Python may not write what it makes of the source, each process would make it again.
    compileall.compile_dir(Path(cc.__file__).parent, quiet=2)
    if processes == 1:
        for number in range(len(SHARES)):
            compile_share(number)
        return
    with multiprocessing.get_context("spawn").Pool(len(SHARES)) as pool:
        pool.map(compile_share, range(len(SHARES)), chunksize=1)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
