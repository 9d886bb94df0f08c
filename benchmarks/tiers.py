"""Answers with ties: checked on random inputs, measured on files and generated rankings.

    python benchmarks/tiers.py check 10000                   random inputs against brute force
    python benchmarks/tiers.py files FILE-OR-FOLDER...       PrefLib files with ties, p = 1/2 and 1
    python benchmarks/tiers.py generated 60 100 200          Mallows rankings with ties
    python benchmarks/tiers.py web FILE-OR-FOLDER...         many items: gap, local optimum, time
    python benchmarks/tiers.py corankco FILE-OR-FOLDER...    compared with corankco, if installed
    python benchmarks/tiers.py count 1000000                 what counting tied pairs costs

`--seconds` limits the processor time of each problem, on one thread. `--unranked last` ties what a
ranking leaves out, behind the rest.
"""

import argparse
import importlib.util
import json
import random
import time
from contextlib import suppress
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np

import concordant as cc
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.tiers import fixed, subsets
from concordant.tiers import tree as trees
from concordant.tiers.certificate import check, optimum_by_subsets
from concordant.tiers.costs import TierCosts, input_orders
from concordant.tiers.fixed import FixedTiers
from concordant.tiers.parts import TierPart, TierSplit
from concordant.tiers.solver import TierSolver
from concordant.tiers.tree import TierTree
from concordant.tiers.uniqueness import is_only_answer

PENALTIES = (0, 0.25, 0.5, 1)
# The largest problem for which all weak orders are listed: 4,683 of 6 items.
LARGEST_LISTED = 6
# The share of inputs that are larger, which dynamic programming solves.
_LARGER = 0.05

# -- random inputs -------------------------------------------------------------------------


def random_rankings(rng: random.Random, m: int) -> Rankings:
    """Draw a few rankings with ties, gaps and weights."""
    n = rng.randint(1, 7)
    orders = []
    for _ in range(n):
        order = rng.sample(range(m), m if rng.random() < 0.6 else rng.randint(0, m))
        share = rng.choice((0.1, 0.4, 0.8))
        tiers: list[list[int]] = []
        for item in order:
            if tiers and rng.random() < share:
                tiers[-1].append(item)
            else:
                tiers.append([item])
        orders.append(tiers)
    weights = [rng.randint(1, 5) for _ in range(n)]
    unranked = rng.choice(("unknown", "last"))
    return Rankings.from_orders(orders, items=range(m), weights=weights, unranked=unranked)


def cost_by_definition(data: Rankings, bucket: np.ndarray, p: float, q: float) -> float:
    """Add up what each ranking charges a weak order, pair by pair."""
    total = 0.0
    for ranking in data:
        rank = {item: k for k, tier in enumerate(ranking.buckets) for item in tier}
        if data.unranked == "last":
            rank = {item: rank.get(item, len(ranking.buckets)) for item in data.items}
        for a in range(data.n_items):
            for b in range(a):
                if a in rank and b in rank:
                    vote, answer = rank[a] - rank[b], int(bucket[a] - bucket[b])
                    if vote * answer < 0:
                        total += ranking.weight
                    elif (vote == 0) != (answer == 0):
                        total += ranking.weight * (p if vote else q)
    return total


def random_problem(rng: random.Random, m: int) -> TierCosts:
    """Draw the costs of rankings, or costs of any kind, which are harder to prove."""
    if rng.random() < 0.7:
        data, p, q = random_rankings(rng, m), rng.choice(PENALTIES), rng.choice(PENALTIES)
        costs = TierCosts.from_rankings(data, p, q)
        bucket = np.array([rng.randint(0, 3) for _ in range(m)])
        assert costs.value(costs.cost_units(bucket)) == cost_by_definition(data, bucket, p, q)
        return costs
    numbers = np.random.default_rng(rng.getrandbits(32))
    largest = rng.choice((4, 20, 100))
    before, tied = numbers.integers(0, largest, (2, m, m))
    return TierCosts(tuple(range(m)), before, (tied + tied.T) // rng.choice((2, 3)))


@cache
def weak_orders(m: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """List all weak orders of m items, and their pairs: those in order, and those tied."""
    listed = np.array([b for b in product(range(m), repeat=m) if len(set(b)) == max(b) + 1])
    ahead = (listed[:, :, None] < listed[:, None, :]).reshape(len(listed), -1)
    level = (listed[:, :, None] == listed[:, None, :]).reshape(len(listed), -1)
    return listed, ahead.astype(np.int64), level.astype(np.int64)


def all_costs(costs: TierCosts) -> np.ndarray:
    """Return the cost of every weak order."""
    _, ahead, level = weak_orders(costs.n_items)
    return ahead @ costs.before.reshape(-1) + level @ costs.tied.reshape(-1) // 2


def check_certificate(certificate: dict, costs: TierCosts, best: int, rng: random.Random) -> None:
    """Check a certificate of the optimum, and that it cannot be changed to prove more."""
    text = json.dumps(certificate)
    assert check(json.loads(text), costs.before, costs.tied) == best
    for _ in range(2):
        changed = json.loads(text)
        place, key = rng.choice(numbers_in(changed))
        place[key] += rng.choice((-2, -1, 1, 2, 1000))
        with suppress(cc.VerificationError):
            assert check(changed, costs.before, costs.tied) <= best, "a false bound was accepted"
    for facts in (changed := json.loads(text), *changed["components"]):
        for name in ("bound", "cutoff"):
            if name in facts:
                facts[name] += 1
    try:
        check(changed, costs.before, costs.tied)
    except cc.VerificationError:
        return
    raise AssertionError("a bound above the optimum was accepted")


def numbers_in(value: object) -> list[tuple]:
    """List all places of whole numbers in a JSON value."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value)
    found = []
    for key, inner in pairs:
        if isinstance(inner, dict | list):
            found += numbers_in(inner)
        elif isinstance(inner, int):
            found.append((value, key))
    return found


def check_fixed(costs: TierCosts, every: np.ndarray, rng: random.Random) -> None:
    """Check answers with a given number of tiers, and with given sizes."""
    m = costs.n_items
    listed = weak_orders(m)[0]
    number = rng.randint(1, m)
    sizes = np.bincount(rng.choice(listed.tolist())).tolist()
    shape = (listed[:, :, None] == np.arange(m)).sum(axis=1)
    wanted = (shape == [*sizes, *[0] * (m - len(sizes))]).all(axis=1)
    for best, given in (
        (every[listed.max(axis=1) == number - 1].min(), {"n_tiers": number}),
        (every[wanted].min(), {"sizes": sizes}),
    ):
        exact = FixedTiers(costs, **given)
        assert exact.cost == exact.bound == best == costs.cost_units(exact.bucket)
        assert given.get("n_tiers", number) in (exact.bucket.max() + 1, number)
        # The search and the bound of larger problems.
        subsets.LARGEST_FIXED, before = 0, subsets.LARGEST_FIXED
        fixed._ROUND = 1_000
        search = FixedTiers(costs, **given)
        search.work(max_rounds=1)
        subsets.LARGEST_FIXED = before
        assert search.bound <= best <= search.cost == costs.cost_units(search.bucket)


def check_one(rng: random.Random, most: int) -> int:
    """Check solver, tree and certificates on one input; return the nodes of the tree."""
    m = rng.randint(2, LARGEST_LISTED)
    if rng.random() < _LARGER:
        # Few: the checker solves parts of up to 14 items again, in plain Python.
        m = min(most, 7 + int(rng.expovariate(1)))
    costs = random_problem(rng, m)
    solver = TierSolver(costs, seed=rng.getrandbits(20))
    solver.work()
    if m <= LARGEST_LISTED:
        every = all_costs(costs)
        best = int(every.min())
        only = is_only_answer(costs, solver.bucket)
        assert only == (np.count_nonzero(every == best) == 1)
        check_fixed(costs, every, rng)
    else:
        best = optimum_by_subsets(costs.before, costs.tied)
    assert solver.solved
    assert solver.cost == solver.bound == best == costs.cost_units(solver.bucket)
    certificate = solver.certificate()
    check_certificate(certificate, costs, best, rng)
    part = TierPart(np.arange(m), np.ones(m, np.int64), costs.before, costs.tied, 0)
    start = solver.bucket if rng.random() < 0.5 else np.zeros(m, np.int64)
    # Without rows of four items and with little patience, more trees have to branch.
    trees.LARGEST_FOUR, trees._PATIENCE_ROOT = rng.choice(((200, 400.0), (0, 1.0)))
    tree = TierTree(part, start)
    for _ in tree.slices():
        assert tree.bound <= best <= tree.cost
    assert tree.bound == tree.cost == best
    certificate["components"] = [{"items": list(range(m)), "bound": best, **tree.to_dict()}]
    check_certificate(certificate, costs, best, rng)
    return len(tree.nodes)


def check_many(number: int, most: int, seed: int) -> None:
    """Check many random inputs; stop at the first difference, and name its number."""
    split = 0
    for k in range(number):
        try:
            split += check_one(random.Random(f"{seed} {k}"), most) > 1
        except AssertionError:
            print(f"input {k} of seed {seed} differs", flush=True)
            raise
        if (k + 1) % 500 == 0:
            print(f"{k + 1} inputs, no difference", flush=True)
    print(f"{number} inputs of up to {most} items: no difference; {split} trees had to branch")


# -- measurements --------------------------------------------------------------------------


def tied_mallows(m: int, n: int, theta: float, share: float, seed: int) -> Rankings:
    """Make rankings around a common order; each item is tied with the one before it by chance."""
    strict = cc.generate.mallows(m, n, theta, seed=seed)
    rng = np.random.default_rng(seed)
    buckets = np.cumsum(rng.random(strict.members.size) > share).astype(np.int32)
    return Rankings.from_arrays(strict.items, strict.offsets, strict.members, buckets, strict.units)


def local_optimum(costs: TierCosts, data: Rankings) -> int:
    """Return the least cost of descents by single items from all rankings, as in BioConsert."""
    from concordant._kernels import buckets as kernels

    best = None
    for bucket in input_orders(data, most=10**6):
        kernels.close_gaps(bucket)
        state = np.zeros(kernels.STATE_SIZE, np.int64)
        state[kernels.COST] = costs.cost_units(bucket)
        while state[kernels.SCANNED] < bucket.size:
            kernels.descend_buckets(costs.before, costs.tied, bucket, state, 10**9)
        cost = int(state[kernels.COST])
        best = cost if best is None else min(best, cost)
    assert best is not None
    return best


class Tally:
    """The outcomes of some problems: how many are proven, the gaps and the times."""

    def __init__(self) -> None:
        self.gaps: list[float] = []
        self.times: list[float] = []

    def measure(self, name: str, data: Rankings, p: float, seconds: float, web: bool) -> None:
        """Solve one problem and print a line about it."""
        costs = TierCosts.from_rankings(data, p)
        begun = time.process_time()
        result = cc.aggregate(
            data,
            ties=True,
            tie_penalty=p,
            time_limit=20 * seconds,
            stop=lambda _: time.process_time() - begun > seconds,
            n_jobs=1,
        )
        used = time.process_time() - begun
        largest = max(part.size for part in TierSplit.of(costs).parts)
        more = ""
        if web:
            descent = costs.value(local_optimum(costs, data))
            more = f" BioConsert {descent}"
            assert result.cost <= descent
            assert result.lower_bound > costs.value(costs.trivial) or result.status == "optimal"
        print(
            f"{name:28} p {p:<4} m {costs.n_items:5} core {largest:5} "
            f"tiers {len(result.tiers or ()):4} cost {result.cost:>10} "
            f"gap {100 * result.gap:.4f} % trivial {costs.value(costs.trivial):>10} "
            f"{used:6.2f} s{more}",
            flush=True,
        )
        gap = result.gap
        self.gaps.append(gap)
        self.times.append(used)

    def close(self, what: str) -> None:
        """Print the row of a table."""
        proven = sum(gap == 0 for gap in self.gaps)
        worst, longest = max(self.gaps, default=0), max(self.times, default=0)
        mean = sum(self.times) / max(1, len(self.times))
        print(
            f"=> {what}: {proven} of {len(self.gaps)} proven, worst gap {100 * worst:.3f} %, "
            f"{mean:.2f} s on average, longest {longest:.2f} s of processor time",
            flush=True,
        )


def files_in(names: list[str]) -> list[Path]:
    """Return files, and those of PrefLib in folders."""
    found: list[Path] = []
    for path in map(Path, names):
        inside = sorted(each for each in path.rglob("*") if each.suffix in (".toc", ".toi"))
        found += inside if path.is_dir() else [path]
    return found


def measure_files(names: list[str], seconds: float, unranked: str, web: bool) -> None:
    for p in (0.5, 1):
        tally = Tally()
        for path in files_in(names):
            data = cc.read(path, unranked=unranked)
            tally.measure(path.name, data, p, seconds, web)
        tally.close(f"{'web' if web else 'files'}, p = {p}, {seconds:g} s")


def measure_generated(sizes: list[int], seconds: float) -> None:
    for m in sizes:
        tally = Tally()
        for p, share, seed in product((0.5, 1), (0.2, 0.5, 0.8), range(3)):
            data = tied_mallows(m, 10, 0.05, share, seed)
            tally.measure(f"m {m} share {share} seed {seed}", data, p, seconds, False)
        tally.close(f"generated, m = {m}, {seconds:g} s")


# -- comparisons ---------------------------------------------------------------------------


def compare_corankco(names: list[str], seconds: float, unranked: str) -> None:
    """Compare costs and processor times with corankco's BioConsert and exact algorithm (PuLP)."""
    if importlib.util.find_spec("corankco") is None:
        print("corankco is not installed: python -m pip install corankco pulp")
        return
    from corankco.algorithms.bioconsert.bioconsert import BioConsert
    from corankco.algorithms.exact.exactalgorithmpulp import ExactAlgorithmPulp
    from corankco.dataset import Dataset
    from corankco.scoringscheme import ScoringScheme

    problems = [(path.name, cc.read(path, unranked=unranked)) for path in files_in(names)]
    for m, seed in product((15, 30, 60), range(2)):
        problems.append((f"generated m {m} seed {seed}", tied_mallows(m, 10, 0.05, 0.5, seed)))
    warm = Dataset.from_raw_list([[{1}, {2, 3}], [{3}, {1}, {2}]])
    for name, data in problems:
        # Without repeats: corankco lists every ranking.
        if data.n_voters > 2_000 or data.n_items > 130:
            continue
        lists = [
            [set(map(str, tier)) for tier in ranking.buckets]
            for ranking in data.explicit()
            for _ in range(int(ranking.weight))
        ]
        dataset = Dataset.from_raw_list([ranking for ranking in lists if ranking])
        for p in (0.5, 1):
            scheme = ScoringScheme([[0, 1, p, 0, 0, 0], [p, p, 0, 0, 0, 0]])
            costs = TierCosts.from_rankings(data, p)
            line = f"{name:28} p {p:<4} m {data.n_items:4}"
            ours = {}
            for label, limit in (("auto", seconds), ("bioconsert", None)):
                begun = time.process_time()
                result = cc.aggregate(
                    data, label, ties=True, tie_penalty=p, time_limit=limit, n_jobs=1
                )
                ours[label] = result
                used = time.process_time() - begun
                line += f" | {label} {result.cost:g} {result.status} {used:.2f} s"
            for theirs in (BioConsert(), ExactAlgorithmPulp()):
                exact = isinstance(theirs, ExactAlgorithmPulp)
                if exact and data.n_items > 30:
                    continue
                theirs.compute_consensus_rankings(warm, scheme, True)
                begun = time.process_time()
                wall = time.perf_counter()
                found = theirs.compute_consensus_rankings(dataset, scheme, True)
                used, wall = time.process_time() - begun, time.perf_counter() - wall
                place = {
                    str(e): k for k, tier in enumerate(found.consensus_rankings[0]) for e in tier
                }
                bucket = np.array([place.get(str(item), 10**6) for item in costs.items])
                cost = costs.value(costs.cost_units(bucket))
                line += f" | theirs {'exact' if exact else 'bioconsert'} {cost:g} {used:.2f} s"
                # PuLP solves in a process of its own: its wall time is what counts.
                line += f" (wall {wall:.2f} s)" if exact else ""
                assert ours["auto"].cost <= cost
                if exact and ours["auto"].status == "optimal":
                    assert ours["auto"].cost == cost, "corankco's optimum differs"
            print(line, flush=True)


def measure_counting(n: int, m: int = 12) -> None:
    """Print the processor time of counting rankings with and without tied pairs."""
    rng = np.random.default_rng(0)
    for kind in ("complete", "partial", "complete with ties", "partial with ties"):
        lengths = np.full(n, m) if kind.startswith("complete") else rng.integers(2, m // 2, n)
        inside = np.arange(m) < lengths[:, None]
        members = np.argsort(rng.random((n, m)), axis=1).astype(np.int32)[inside]
        step = rng.random((n, m)) > (0.3 if "ties" in kind else 0)
        buckets = np.cumsum(step, axis=1)[inside].astype(np.int32)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        data = Rankings.from_arrays(
            tuple(range(m)), offsets, members, buckets, np.ones(n, np.int64)
        )
        times: dict[bool, list[float]] = {False: [], True: []}
        for repeat in range(8):
            for ties in (False, True):
                begun = time.process_time()
                Pairwise.from_rankings(data, ties=ties)
                if repeat:
                    times[ties].append(time.process_time() - begun)
        before, after = (1000 * min(times[ties]) for ties in (False, True))
        print(f"{kind:20} {n:,} rankings: {before:.0f} ms without, {after:.0f} ms with tied pairs")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    what = ["check", "files", "generated", "web", "corankco", "count"]
    parser.add_argument("what", choices=what)
    parser.add_argument("arguments", nargs="*")
    parser.add_argument("--seconds", type=float, help="5 for files, 10 for others")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--items", type=int, default=12, help="the most items of random inputs")
    parser.add_argument("--unranked", default="unknown")
    given = parser.parse_args()
    seconds = given.seconds or (5.0 if given.what == "files" else 10.0)
    numbers = [int(each) for each in given.arguments if each.isdigit()]
    if given.what == "check":
        check_many(numbers[0], given.items, given.seed)
    elif given.what == "generated":
        measure_generated(numbers, seconds)
    elif given.what == "corankco":
        compare_corankco(given.arguments, seconds, given.unranked)
    elif given.what == "count":
        measure_counting(numbers[0])
    else:
        measure_files(given.arguments, seconds, given.unranked, given.what == "web")


if __name__ == "__main__":
    main()
