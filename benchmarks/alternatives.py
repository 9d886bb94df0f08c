"""The README's comparison with other Python packages: same data, same measure, same time limit.

    pip install corankco==7.2.0 ranky==1.0.0 votelib==0.4.0 pref_voting==1.18.2 pyrankmcda==2.1.8 \
        svvamp==0.15.2 ranking-aggregation==0.0.2 ranx==0.3.21 choix==0.4.1 pyflagr==1.0.21
    python benchmarks/alternatives.py [--time-limit 10] [--only corankco,votelib] [--quick]

Every package gets the same rankings and computes its Kemeny consensus, or an approximation of
it. The cost of each answer is computed here in the same way and compared with the best known lower
bound. Each run has a process of its own, is timed after its package is loaded, and is ended at the
limit. Packages that are not installed are named and left out. `--quick` takes the smallest instance
and one second, to see whether every package still works.

The table has the form of the README's. An answer of the least cost is "best"; another one has the
percentage above it; then come the seconds. A dash means that the package was not done in time.
"""

from __future__ import annotations

import argparse
import contextlib
import multiprocessing
import os
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

import concordant as cc

# Rankings for other packages: a list of buckets of item numbers, and the number of voters.
Ballots = list[tuple[list[list[int]], int]]
Solve = Callable[[Ballots, int], list[int]]


def mallows(items: int, rankings: int, theta: float, seed: int) -> cc.Rankings:
    """Draw rankings, and number their items at random, so that numbers carry no information."""
    return cc.generate.relabel(cc.generate.mallows(items, rankings, theta, seed=seed), seed=seed)


def instances() -> dict[str, cc.Rankings]:
    """Return small, larger and partial rankings, all generated, so that anyone can repeat it."""
    partial = cc.generate.partial(mallows(60, 100, 0.05, seed=1), drop=0.5, same_bucket=0.3, seed=1)
    return {
        "7 items": mallows(7, 100, 0.1, seed=1),
        "12 items": mallows(12, 100, 0.02, seed=1),
        "40, alike": mallows(40, 100, 0.1, seed=1),
        "40, mixed": mallows(40, 100, 0.01, seed=1),
        "100, mixed": mallows(100, 100, 0.01, seed=1),
        "60, ties and gaps": partial,
    }


class RefusedError(Exception):
    """A package does not accept the data."""


def strict(ballots: Ballots) -> list[list[int]]:
    """Return a list of items for each voter, for packages that accept nothing else."""
    if any(len(bucket) > 1 for ranking, _ in ballots for bucket in ranking):
        raise RefusedError("ties")
    return [[item for (item,) in ranking] for ranking, count in ballots for _ in range(count)]


def complete(ballots: Ballots, n_items: int) -> list[list[int]]:
    orders = strict(ballots)
    if any(len(order) < n_items for order in orders):
        raise RefusedError("partial rankings")
    return orders


def rank_matrix(ballots: Ballots, n_items: int) -> np.ndarray:
    """Return the ranks from 1, a row for each voter and a column for each item."""
    return np.argsort(np.array(complete(ballots, n_items)), axis=1) + 1


# One function for each package and method: imports first (see `work`), then the answer.


def concordant_auto(ballots: Ballots, n_items: int) -> list[int]:
    data = cc.Rankings.from_orders(
        [ranking for ranking, _ in ballots],
        weights=[count for _, count in ballots],
        items=range(n_items),
    )
    return list(cc.aggregate(data, time_limit=LIMIT, seed=0).ranking)


def _corankco(name: str) -> Solve:
    def solve(ballots: Ballots, n_items: int) -> list[int]:
        import corankco
        from corankco.algorithms.exact.exactalgorithmpulp import ExactAlgorithmPulp

        # Its exact algorithms need CPLEX; PuLP with CBC needs no licence.
        algorithm = {
            "exact": ExactAlgorithmPulp,
            "parcons": lambda: corankco.ParCons(ExactAlgorithmPulp(), bound_for_exact=0),
            "bioconsert": corankco.BioConsert,
        }[name]()

        # Ties and missing items in the input cost nothing; a tie in the answer costs like an error.
        scheme = corankco.ScoringScheme(
            [[0.0, 1.0, 0.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0, 0.0, 0.0]]
        )
        data = corankco.Dataset.from_raw_list(
            [[set(bucket) for bucket in ranking] for ranking, n in ballots for _ in range(n)]
        )
        found = algorithm.compute_consensus_rankings(data, scheme, True)
        return [element.value for bucket in found.consensus_rankings[0] for element in bucket]

    return solve


def votelib_kemeny(ballots: Ballots, n_items: int) -> list[int]:
    from votelib.convert import RankedToCondorcetVotes
    from votelib.evaluate.condorcet import KemenyYoung

    votes: dict[tuple[Any, ...], int] = {}
    for ranking, count in ballots:
        key = tuple(b[0] if len(b) == 1 else frozenset(b) for b in ranking)
        votes[key] = votes.get(key, 0) + count
    counted = RankedToCondorcetVotes(unranked_at_bottom=False).convert(votes)
    return list(KemenyYoung().evaluate(counted, n_items))


def pref_voting_kemeny(ballots: Ballots, n_items: int) -> list[int]:
    from pref_voting.other_methods import kemeny_young_rankings
    from pref_voting.profiles import Profile

    found, _ = kemeny_young_rankings(Profile(complete(ballots, n_items)))
    return list(found[0])


def svvamp_kemeny(ballots: Ballots, n_items: int) -> list[int]:
    from svvamp import Profile, RuleKemeny

    rule = RuleKemeny()(Profile(preferences_rk=complete(ballots, n_items)))
    return list(rule.candidates_by_scores_best_to_worst_)


def ranking_aggregation_kemeny(ballots: Ballots, n_items: int) -> list[int]:
    from ranking_aggregation.preferences import lehmer
    from ranking_aggregation.ranking_rules.kemeny import kemeny

    ranks = rank_matrix(ballots, n_items)
    outranking = (ranks[:, :, None] < ranks[:, None, :]).sum(axis=0)
    found = kemeny(outranking)["winners"][0]
    rank = lehmer.from_factoradic_to_ranking(lehmer.from_int_to_factoradic(int(found), n_items))
    return list(np.argsort(rank))


def pyrankmcda_fast(ballots: Ballots, n_items: int) -> list[int]:
    from pyRankMCDA.algorithm import rank_aggregation

    found = rank_aggregation(rank_matrix(ballots, n_items).T).fast_kemeny_young(verbose=False)
    return list(np.argsort(found))


def ranky_kemeny(ballots: Ballots, n_items: int) -> list[int]:
    import ranky

    # It takes scores, the highest is best; judges are the columns.
    scores = n_items - rank_matrix(ballots, n_items).T
    return list(np.argsort(-np.asarray(ranky.kemeny_young(scores, axis=1, seed=0, verbose=False))))


def _ranx(method: str) -> Solve:
    def solve(ballots: Ballots, n_items: int) -> list[int]:
        from ranx import Run, fuse

        runs = [
            Run({"q": {f"i{item}": float(n_items - place) for place, item in enumerate(order)}})
            for order in strict(ballots)
        ]
        found = fuse(runs, norm=None, method=method).to_dict()["q"]
        return [int(name[1:]) for name in sorted(found, key=found.__getitem__, reverse=True)]

    return solve


def choix_plackett_luce(ballots: Ballots, n_items: int) -> list[int]:
    import choix

    strengths = choix.ilsr_rankings(n_items, strict(ballots), alpha=0.01)
    return list(np.argsort(-strengths))


def pyflagr_kemeny(ballots: Ballots, n_items: int) -> list[int]:
    from pyflagr.Kemeny import KemenyOptimal

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.csv"
        rows = (
            f"query,voter{voter},i{item},{n_items - place},lists\n"
            for voter, order in enumerate(strict(ballots))
            for place, item in enumerate(order)
        )
        path.write_text("".join(rows))
        found, _ = KemenyOptimal(eval_pts=n_items).aggregate(input_file=str(path), out_dir=folder)
    return [int(name[1:]) for name in found.sort_values("Rank")["ItemID"]]


SOLVERS: dict[str, tuple[str, str, Solve]] = {
    "Concordant `auto`": ("concordant", "concordant", concordant_auto),
    "corankco `ExactAlgorithmPulp`": ("corankco", "corankco", _corankco("exact")),
    "corankco `ParCons`, then PuLP": ("corankco", "corankco", _corankco("parcons")),
    "corankco `BioConsert`": ("corankco", "corankco", _corankco("bioconsert")),
    "svvamp `RuleKemeny`": ("svvamp", "svvamp", svvamp_kemeny),
    "votelib `KemenyYoung`": ("votelib", "votelib.evaluate.condorcet", votelib_kemeny),
    "pref_voting `kemeny_young_rankings`": (
        "pref_voting",
        "pref_voting.other_methods",
        pref_voting_kemeny,
    ),
    "ranking-aggregation `kemeny`": (
        "ranking-aggregation",
        "ranking_aggregation.ranking_rules.kemeny",
        ranking_aggregation_kemeny,
    ),
    "pyRankMCDA `fast_kemeny_young`": ("pyrankmcda", "pyRankMCDA.algorithm", pyrankmcda_fast),
    "ranky `kemeny_young`": ("ranky", "ranky", ranky_kemeny),
    "ranx `condorcet`": ("ranx", "ranx", _ranx("condorcet")),
    "ranx `rrf`": ("ranx", "ranx", _ranx("rrf")),
    "choix, Plackett–Luce": ("choix", "choix", choix_plackett_luce),
    "pyflagr `KemenyOptimal`": ("pyflagr", "pyflagr.Kemeny", pyflagr_kemeny),
}
LIMIT = 10.0
# The time limit for loading and compiling a package, in seconds.
LOADING = 120.0


def work(name: str, ballots: Ballots, n_items: int, pipe: Any) -> None:
    """Load the package, report that, solve, send the answer; this runs in its own process."""
    # What packages print must not be part of the table.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    __import__(SOLVERS[name][1])
    # Code that is compiled on first use is compiled before the time starts, for all packages.
    with contextlib.suppress(Exception):
        SOLVERS[name][2]([([[0], [1], [2]], 1), ([[1], [2], [0]], 1), ([[2], [0], [1]], 1)], 3)
    pipe.send("ready")
    # Time it here: the other process may have to wait while this one works.
    start = time.perf_counter()
    try:
        answer: Any = [int(item) for item in SOLVERS[name][2](ballots, n_items)]
    except RefusedError as error:
        answer = f"{error} not supported"
    except Exception as error:
        answer = "fails"
        print(f"{name}: {error!r}"[:300], file=sys.stderr)
    pipe.send((answer, time.perf_counter() - start))


def run(name: str, data: cc.Rankings, limit: float) -> tuple[Any, float]:
    """Return the order of a package and its seconds, or the reason why there is none."""
    index = {item: number for number, item in enumerate(data.items)}
    ballots = [
        ([[index[item] for item in bucket] for bucket in ranking], int(weight))
        for ranking, weight in data
    ]
    here, there = multiprocessing.Pipe()
    process = multiprocessing.get_context("spawn").Process(
        target=work, args=(name, ballots, data.n_items, there)
    )
    process.start()
    there.close()
    try:
        if not here.poll(LOADING):
            return f"not loaded in {LOADING:g} s", 0.0
        here.recv()
        if not here.poll(limit + 2):
            return "–", limit
        answer, elapsed = here.recv()
    except EOFError:
        print(f"{name}: its process ended", file=sys.stderr)
        return "fails", 0.0
    finally:
        process.kill()
        process.join()
    if isinstance(answer, str):
        return answer, elapsed
    if sorted(answer) != list(range(data.n_items)):
        return "answer lacks items", elapsed
    if elapsed > limit + 0.5:
        return "–", elapsed
    return answer, elapsed


def cell(cost: float, least: float, elapsed: float) -> str:
    """Return how good an answer is, and how long it took."""
    above = 100 * (cost - least) / least
    shown = "best" if cost <= least else f"+{max(above, 0.01):.2f} %"
    return f"{shown}, {elapsed:{'.1g' if elapsed < 0.95 else '.2g'}}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--time-limit", type=float, default=LIMIT)
    parser.add_argument("--only", default="", help="names of packages, with commas between them")
    parser.add_argument("--quick", action="store_true", help="the smallest instance, one second")
    options = parser.parse_args()
    wanted = [name for name in options.only.split(",") if name]
    data = instances()
    if options.quick:
        data, options.time_limit = {"7 items": data["7 items"]}, 1.0
    bounds = {
        name: cc.aggregate(each, "exact", time_limit=60, seed=0) for name, each in data.items()
    }
    for each in data.values():
        # Kernels are compiled once per machine: not in the time of the table.
        cc.aggregate(each, time_limit=1)
    for name, proven in bounds.items():
        print(f"{name}: cost {proven.cost}, bound {proven.lower_bound}, {proven.status}")
    print("\n| |", " | ".join(data), "|")
    print("|---|", "|".join("---:" for _ in data), "|", sep="")
    versions = []
    for name, (package, _, _) in SOLVERS.items():
        if wanted and package not in wanted:
            continue
        if package != "concordant":
            try:
                versions.append(f"{package} {version(package)}")
            except PackageNotFoundError:
                print(f"{package} is not installed: left out", file=sys.stderr)
                continue
        cells = []
        for kind, each in data.items():
            answer, elapsed = run(name, each, options.time_limit)
            if isinstance(answer, str):
                cells.append(answer)
                continue
            ranked = [each.items[item] for item in answer]
            cost = round(cc.mean_distance(ranked, each) * each.total_weight)
            cells.append(cell(cost, bounds[kind].lower_bound, elapsed))
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    print(f"\nVersions: {', '.join(dict.fromkeys(versions))}")


if __name__ == "__main__":
    main()
