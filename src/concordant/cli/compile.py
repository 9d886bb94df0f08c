"""`concordant compile`: compile the kernels at once, for images and servers."""

import multiprocessing
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import click

from concordant.cli.options import Quiet, Threads
from concordant.cli.streams import say

if TYPE_CHECKING:
    from concordant.rankings import Rankings

EXAMPLES = ("concordant compile", "concordant compile --jobs 2 --quiet")
_NAMES = [f"item {number}" for number in range(8)]


def run(n_jobs: Threads = None, quiet: Quiet = False) -> None:
    """Compile the kernels and store them on disk, so that nothing has to wait for them later.

    Without it, each kernel is compiled when it is first used; so are a few rare ones with it. They
    are stored in the folder that NUMBA_CACHE_DIR names, or else in the cache folder of the user.
    """
    from concordant._checks import threads_of
    from concordant._kernels.jit import CACHE

    begun = time.perf_counter()
    done = compile_all(threads_of(n_jobs), None if quiet else say)
    count = sum(1 for _ in CACHE.rglob("*.nbi"))
    seconds = time.perf_counter() - begun
    if not quiet:
        say(f"{done} parts in {seconds:.0f} s")
    click.echo(f"{count} compiled kernels are in {CACHE}")


def compile_all(processes: int, report: Callable[[str], None] | None = None) -> int:
    """Compile the kernels in several processes; return the number of parts that were run."""
    # A process that compiles a kernel does not know that another one does the same. So the parts
    # that share the fewest kernels are the first.
    names = list(PARTS)
    with multiprocessing.get_context("spawn").Pool(min(processes, len(names))) as pool:
        for number, (name, seconds) in enumerate(pool.imap_unordered(compile_part, names), 1):
            if report is not None:
                report(f"{number} of {len(names)}: {name}, {seconds:.1f} s")
    return len(names)


def compile_part(name: str) -> tuple[str, float]:
    """Run one part, which compiles the kernels that it needs; return its name and the seconds."""
    begun = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            PARTS[name]()
        except ImportError as error:
            # A part that needs an extra is of no use without it.
            if (error.name or "").startswith("concordant"):
                raise
    return name, time.perf_counter() - begun


# -- parts -------------------------------------------------------------------------------------


def _small() -> "Rankings":
    """Return rankings with ties and gaps."""
    from concordant.rankings import Rankings

    orders = [[*_NAMES[k:6], tuple(_NAMES[:k])] if k else _NAMES[::-1] for k in range(5)]
    return Rankings.from_orders(orders, weights=[1, 2, 3, 4, 5])


def _methods() -> None:
    import concordant as cc

    complete = cc.generate.mallows(12, 9, theta=0.1, seed=1)
    few = cc.generate.mallows(5, 3, theta=0.1, seed=1)
    for data in (_small(), complete, few, cc.Pairwise.from_rankings(complete)):
        for name in reversed(cc.methods()):
            try:
                cc.aggregate(data, name, max_iterations=300, n_jobs=1)
            except cc.SettingError:
                continue  # It needs other data.


def _searches_and_proofs() -> None:
    import concordant as cc

    for items, voters in ((30, 9), (60, 20), (250, 10)):
        data = cc.generate.mallows(items, voters, theta=0.01, seed=1)
        cc.aggregate(data, time_limit=1)


def _partial_lists_and_groups() -> None:
    import numpy as np

    import concordant as cc

    def lists(items: int, voters: int, length: int) -> "Rankings":
        rng = np.random.default_rng(1)
        chosen = (rng.choice(items, length, replace=False) for _ in range(voters))
        return cc.Rankings.from_orders([[str(item) for item in each] for each in chosen])

    cc.aggregate(lists(1_500, 4, 400), time_limit=1)
    cc.aggregate(lists(150, 6, 40), ties=True, time_limit=1)
    cc.Pairwise.from_rankings(lists(200, 2_000, 10))
    cc.groups(cc.generate.mallows(8, 30, theta=0.2, seed=1), k=2, seed=0)


def _files_and_counts() -> None:
    import numpy as np

    import concordant as cc

    data = _small()
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


def _samples_and_distances() -> None:
    import concordant as cc

    data = cc.generate.mallows(9, 12, theta=0.1, seed=1)
    cc.bootstrap(data, samples=20)
    cc.bootstrap(_small(), samples=20)
    ranking = list(data.items)
    cc.mean_distance(ranking, data)
    cc.kendall_tau(ranking, ranking[::-1])
    cc.extended_kendall_distance(ranking, ranking[::-1])


def _label_rankers() -> None:
    import numpy as np

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


def _answers_with_ties() -> None:
    import numpy as np

    import concordant as cc

    with_ties = np.random.default_rng(5).integers(1, 12, (7, 30))
    for data in (_small(), cc.Rankings.from_ranks(with_ties)):
        result = cc.aggregate(data, ties=True, max_generations=2, n_jobs=1)
        result.verify(data)
        cc.aggregate(data, ties=True, tiers=3, max_generations=2, n_jobs=1)


def _experiments() -> None:
    from concordant.bench import tasks
    from concordant.bench.runner import plan_tasks
    from concordant.bench.suites import Plan, get

    found = plan_tasks(get("evaluation"), Plan("smoke"))
    for task in (found[0], found[-1]):
        tasks.run(task)


PARTS: dict[str, Callable[[], None]] = {
    "methods": _methods,
    "searches and proofs": _searches_and_proofs,
    "answers with ties": _answers_with_ties,
    "partial lists and groups": _partial_lists_and_groups,
    "files and counts": _files_and_counts,
    "label rankers": _label_rankers,
    "samples and distances": _samples_and_distances,
    "experiments": _experiments,
}
