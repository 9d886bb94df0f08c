"""Answers with ties: checked on random inputs, and measured on files and generated rankings.

    python benchmarks/tiers.py check 10000          random inputs against dynamic programming
    python benchmarks/tiers.py files FILE...        cost, bound and time of files, p = 1/2 and 1
    python benchmarks/tiers.py generated 60 100     Mallows rankings with ties, theta = 0.05, n = 10

`--seconds` limits the processor time of each problem; `--unranked last` ties what a ranking leaves
out, behind the rest.
"""

import argparse
import json
import random
import time

import numpy as np

import concordant as cc
from concordant.rankings import Rankings
from concordant.tiers import tree as trees
from concordant.tiers.certificate import check, optimum_by_subsets
from concordant.tiers.costs import TierCosts, input_orders
from concordant.tiers.parts import TierPart, TierSplit
from concordant.tiers.solver import TierSolver
from concordant.tiers.tree import TierTree

PENALTIES = (0, 0.25, 0.4, 0.5, 1)


def random_rankings(rng: random.Random, most: int) -> Rankings:
    """Draw a few rankings with ties, gaps and weights."""
    m, n = rng.randint(2, most), rng.randint(1, 7)
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


def random_costs(rng: random.Random, most: int) -> TierCosts:
    """Draw the costs of rankings, or costs of any kind, which are harder to prove."""
    if rng.random() < 0.7:
        data = random_rankings(rng, most)
        return TierCosts.from_rankings(data, rng.choice(PENALTIES), rng.choice(PENALTIES))
    m = rng.randint(2, most)
    numbers = np.random.default_rng(rng.getrandbits(32))
    largest = rng.choice((4, 20, 100))
    before, tied = numbers.integers(0, largest, (2, m, m))
    return TierCosts(tuple(range(m)), before, (tied + tied.T) // rng.choice((2, 3)))


def check_one(rng: random.Random, most: int) -> int:
    """Check the solver, a tree and both certificates on one input; return the nodes of the tree."""
    costs = random_costs(rng, most)
    m = costs.n_items
    best = optimum_by_subsets(costs.before, costs.tied)
    solver = TierSolver(costs, seed=rng.getrandbits(20))
    solver.work()
    assert solver.solved
    assert solver.cost == solver.bound == best == costs.cost_units(solver.bucket)
    certificate = solver.certificate()
    assert check(json.loads(json.dumps(certificate)), costs.before, costs.tied) == best
    part = TierPart(np.arange(m), np.ones(m, np.int64), costs.before, costs.tied, 0)
    start = solver.bucket if rng.random() < 0.5 else np.zeros(m, np.int64)
    # Without rows of four items and with little patience, more trees have to branch.
    trees.LARGEST_FOUR, trees._PATIENCE_ROOT = rng.choice(((200, 400.0), (0, 1.0)))
    tree = TierTree(part, start)
    for _ in tree.slices():
        assert tree.bound <= best <= tree.cost
    assert tree.bound == tree.cost == best
    facts = {"items": list(range(m)), "bound": best, **tree.to_dict()}
    certificate["components"] = [facts]
    assert check(json.loads(json.dumps(certificate)), costs.before, costs.tied) == best
    # A certificate that claims more must be refused.
    certificate["bound"] = facts["bound"] = best + 1
    facts["cutoff"] += 1
    try:
        check(json.loads(json.dumps(certificate)), costs.before, costs.tied)
    except cc.VerificationError:
        pass
    else:
        raise AssertionError("a wrong certificate was accepted")
    return len(tree.nodes)


def check_many(number: int, most: int, seed: int) -> None:
    rng = random.Random(seed)
    nodes = [check_one(rng, most) for _ in range(number)]
    split = sum(n > 1 for n in nodes)
    print(f"{number} inputs of up to {most} items: no difference; {split} trees had to branch")


def tied_mallows(m: int, n: int, theta: float, share: float, seed: int) -> Rankings:
    """Make rankings around a common order; each item is tied with the one before it by chance."""
    strict = cc.generate.mallows(m, n, theta, seed=seed)
    rng = np.random.default_rng(seed)
    buckets = np.cumsum(rng.random(strict.members.size) > share).astype(np.int32)
    return Rankings.from_arrays(strict.items, strict.offsets, strict.members, buckets, strict.units)


def measure(name: str, data: Rankings, p: float, seconds: float) -> bool:
    """Solve one problem, print a line about it, and return whether it was proven."""
    costs = TierCosts.from_rankings(data, p)
    used = time.process_time()
    solver = TierSolver(costs, starts=input_orders(data))
    solver.work(lambda: time.process_time() - used > seconds)
    used = time.process_time() - used
    gap = (solver.cost - solver.bound) / max(1, solver.cost)
    largest = max(part.size for part in TierSplit.of(costs).parts)
    print(
        f"{name:28} p {p:<4} m {costs.n_items:5} core {largest:5} "
        f"tiers {solver.bucket.max() + 1:4} cost {costs.value(solver.cost):>10} "
        f"gap {100 * gap:.4f} % "
        f"trivial {costs.value(costs.trivial):>10} {used:6.2f} s",
        flush=True,
    )
    return solver.solved


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["check", "files", "generated"])
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--items", type=int, default=9, help="the most items of random inputs")
    parser.add_argument("--unranked", default="unknown")
    given = parser.parse_args()
    if given.what == "check":
        check_many(int(given.arguments[0]), given.items, given.seed)
        return
    proven = []
    for p in (0.5, 1):
        for name in given.arguments:
            if given.what == "files":
                data = cc.read(name, unranked=given.unranked)
                short = name.rsplit("/", 1)[-1]
                proven.append(measure(short, data, p, given.seconds))
                continue
            for share in (0.2, 0.5, 0.8):
                for seed in range(3):
                    data = tied_mallows(int(name), 10, 0.05, share, seed)
                    label = f"m {name} share {share} seed {seed}"
                    proven.append(measure(label, data, p, given.seconds))
    print(f"{sum(proven)} of {len(proven)} proven")


if __name__ == "__main__":
    main()
