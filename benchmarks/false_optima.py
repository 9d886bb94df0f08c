"""Look for false optima: thousands of random problems, each solved twice by independent means.

    python benchmarks/false_optima.py --problems 20000 --seed 1

Every problem goes through the tree of the proof, small ones too, which `aggregate` would solve by
subsets. Its optimum is compared with dynamic programming, and for some problems also with an
integer program that HiGHS solves. The certificate is written as text, read back and checked.
Prints one line for each difference, and exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter

import numpy as np
from scipy.optimize import LinearConstraint, milp
from scipy.sparse import csr_array

import concordant as cc
from concordant.bounds.prover import Prover
from concordant.certificate import check, optimum_by_subsets


def draw(rng: np.random.Generator, largest: int) -> tuple[str, cc.Pairwise]:
    """Return the name of a kind of problem, and a problem."""
    m = int(rng.integers(3, largest + 1))
    kind = str(
        rng.choice(["matrix", "tournament", "mallows", "partial", "tied", "sparse", "large"])
    )
    if kind == "matrix":
        return kind, cc.Pairwise.from_matrix(rng.integers(0, rng.integers(2, 100), (m, m)))
    if kind == "large":
        return kind, cc.Pairwise.from_matrix(rng.integers(0, 10**9, (m, m)))
    if kind == "sparse":
        entries = rng.integers(0, 9, (m, m)) * (rng.random((m, m)) < 0.4)
        return kind, cc.Pairwise.from_matrix(entries)
    if kind == "tournament":
        upper = np.triu(rng.integers(0, 2, (m, m)), 1)
        return kind, cc.Pairwise.from_matrix(upper + np.tril(1 - upper.T, -1))
    voters = int(rng.integers(2, 30))
    if kind == "tied":
        return kind, cc.Pairwise.from_rankings(
            cc.Rankings.from_ranks(rng.integers(1, max(2, m // 2), (voters, m)))
        )
    data = cc.generate.mallows(m, voters, float(rng.choice([0, 0.01, 0.1, 0.3])), seed=rng)
    if kind == "partial":
        data = cc.generate.partial(data, drop=0.5, seed=rng)
    return kind, cc.Pairwise.from_rankings(data)


def by_integer_program(counts: np.ndarray) -> int:
    """Return the least cost by an integer program with all triangles."""
    m = counts.shape[0]
    number = np.full((m, m), -1)
    first, second = np.triu_indices(m, 1)
    number[first, second] = np.arange(first.size)
    rows, columns, values = [], [], []
    at = 0
    for i in range(m):
        for j in range(i + 1, m):
            for k in range(j + 1, m):
                rows += [at, at, at]
                columns += [number[i, j], number[j, k], number[i, k]]
                values += [1, 1, -1]
                at += 1
    triangles = csr_array((values, (rows, columns)), (max(1, at), first.size))
    found = milp(
        (counts[second, first] - counts[first, second]).astype(float),
        constraints=LinearConstraint(triangles, 0, 1),
        integrality=np.ones(first.size),
        bounds=(0, 1),
        options={"mip_rel_gap": 0.0},
    )
    before = np.round(found.x).astype(np.int64)
    return int(np.where(before, counts[second, first], counts[first, second]).sum())


def main() -> None:
    """Draw and compare."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", type=int, default=20_000)
    parser.add_argument("--largest", type=int, default=13, help="items of the largest problem")
    parser.add_argument("--every", type=int, default=40, help="one in N goes to HiGHS too")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    kinds: Counter[str] = Counter()
    differences = programs = nodes = 0
    begun = time.perf_counter()
    for number in range(options.problems):
        kind, pairs = draw(rng, options.largest)
        kinds[kind] += 1
        best = optimum_by_subsets(pairs.counts)
        prover = Prover(pairs, by_subsets=False)
        prover.work()
        proof = prover.proof().certificate()
        proven = check(json.loads(json.dumps(proof)), pairs.counts)
        nodes += sum(len(part.get("nodes", ())) for part in proof["components"])
        found = {prover.cost, prover.bound, proven, pairs.cost_units(prover.order)}
        if kind != "large" and number % options.every == 0:
            programs += 1
            found.add(by_integer_program(pairs.counts))
        if found != {best}:
            differences += 1
            print(f"problem {number} ({kind}): {sorted(found)} instead of {best}", flush=True)
    print(
        f"{options.problems:,} problems, {nodes:,} nodes, {programs:,} integer programs, "
        f"{differences} differences, {time.perf_counter() - begun:.0f} s; "
        + ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common())
    )
    sys.exit(differences > 0)


if __name__ == "__main__":
    main()
