"""How often `groups(k="auto")` finds the number of groups, on generated data.

    python benchmarks/groups.py measure OUT.json --from 0 --to 3   # settings x seeds, in parallel
    python benchmarks/groups.py rules OUT.json                      # error rates of many thresholds
    python benchmarks/groups.py check OUT.json --from 100 --to 101 --step 5   # other settings

Voters are drawn from Mallows models. The centres of two groups differ in a share of all pairs; the
noise is the expected share of the pairs in which a voter differs from the centre.
"""

from __future__ import annotations

import argparse
import itertools
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import concordant as cc
from concordant import grouping

Setting = dict[str, Any]
SHARES = {1: [(1.0,)], 2: [(0.5, 0.5), (0.75, 0.25)], 3: [(1 / 3, 1 / 3, 1 / 3), (0.5, 0.3, 0.2)]}


def settings(other: bool) -> list[Setting]:
    """Return the settings: those that thresholds were chosen on, or others."""
    items, voters = ((6, 9), (100, 400)) if not other else ((5, 7, 12), (60, 250, 1000))
    noises = (0.08, 0.16, 0.3) if not other else (0.12, 0.22, 0.4)
    apart = (0.3, 0.5) if not other else (0.4, 0.7)
    found = []
    for m, n, noise, kind in itertools.product(items, voters, noises, ("full", "top", "ties")):
        for k, shares in ((k, share) for k, all_shares in SHARES.items() for share in all_shares):
            for distance in apart if k > 1 else (0.0,):
                found.append(
                    {"m": m, "n": n, "noise": noise, "kind": kind, "k": k, "shares": shares}
                    | {"apart": distance}
                )
    return found


def draw(setting: Setting, seed: int) -> cc.Rankings:
    """Draw the voters of a setting."""
    m, kind = setting["m"], setting["kind"]
    random = np.random.default_rng([seed, m, setting["n"], setting["k"]])
    centres: list[np.ndarray] = []
    while len(centres) < setting["k"]:
        candidate = _moved(centres[0] if centres else random.permutation(m), setting, random)
        if all(_share(candidate, each) >= 0.8 * setting["apart"] for each in centres):
            centres.append(candidate)
    theta = _theta(m, setting["noise"])
    orders: list[list[Any]] = []
    for share, centre in zip(setting["shares"], centres, strict=True):
        for _ in range(round(share * setting["n"])):
            orders.append([f"item {a}" for a in centre[_mallows(m, theta, random)]])
    for k, order in enumerate(orders):
        if kind == "top":
            orders[k] = order[: int(random.integers(max(2, m // 3), m + 1))]
        elif kind == "ties":
            buckets: list[list[str]] = [[order[0]]]
            for item in order[1:]:
                buckets[-1].append(item) if random.random() < 0.3 else buckets.append([item])
            orders[k] = [tuple(bucket) for bucket in buckets]
    return cc.Rankings.from_orders(orders, items=[f"item {a}" for a in range(m)])


def _mallows(m: int, theta: float, random: np.random.Generator) -> np.ndarray:
    """Draw an order by repeated insertion (Doignon et al. 2004)."""
    order: list[int] = []
    for i in range(m):
        weights = np.exp(-theta * np.arange(i + 1))
        order.insert(i - int(random.choice(i + 1, p=weights / weights.sum())), i)
    return np.array(order)


def _theta(m: int, noise: float) -> float:
    """Return the theta at which voters differ from the centre in this share of the pairs."""
    low, high = 0.0, 20.0
    for _ in range(60):
        theta = (low + high) / 2
        each = [
            np.average(np.arange(i + 1), weights=np.exp(-theta * np.arange(i + 1)))
            for i in range(m)
        ]
        low, high = (theta, high) if sum(each) > noise * m * (m - 1) / 2 else (low, theta)
    return theta


def _share(one: np.ndarray, other: np.ndarray) -> float:
    place = np.argsort(other)[one]
    return float(np.triu(place[:, None] > place, 1).sum() * 2 / (one.size * (one.size - 1)))


def _moved(centre: np.ndarray, setting: Setting, random: np.random.Generator) -> np.ndarray:
    """Return a centre by random swaps of neighbours until it is far enough."""
    found = centre.copy()
    while _share(found, centre) < setting["apart"]:
        p = int(random.integers(setting["m"] - 1))
        place = np.argsort(centre)
        if place[found[p]] < place[found[p + 1]]:
            found[[p, p + 1]] = found[[p + 1, p]]
    return found


def measure(setting: Setting, seed: int) -> Setting:
    """Group the voters into 1 to 5 groups; return cost and stability of each number."""
    found = cc.groups(draw(setting, seed), k=range(1, 6), restarts=5, n_jobs=1, seed=seed)
    counts = [(each.k, each.cost, each.stability) for each in found.counts]
    return {**setting, "seed": seed, "counts": counts, "chosen": found.k}


def choose(counts: list[Any], stable: float, pays: float) -> int:
    """Choose a number of groups by thresholds."""
    chosen, previous = 1, counts[0][1]
    for k, cost, stability in counts[1:]:
        if stability >= stable and cost <= (1 - pays) * previous:
            chosen = k
        previous = cost
    return chosen


def rates(rows: list[Setting], chosen: list[int]) -> str:
    """Return error rates: split although there is one group; too many; the right number."""
    parts = []
    for k in (1, 2, 3):
        mine = [c for row, c in zip(rows, chosen, strict=True) if row["k"] == k]
        right, more = np.mean([c == k for c in mine]), np.mean([c > k for c in mine])
        parts.append(f"{k}: right {right:.3f}, more {more:.3f}")
    return "; ".join(parts)


def main() -> None:
    """Run one of the commands."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("command", choices=["measure", "rules", "check"])
    parser.add_argument("file", nargs="?")
    parser.add_argument("--from", dest="first", type=int, default=0)
    parser.add_argument("--to", dest="last", type=int, default=1)
    parser.add_argument("--step", type=int, default=1, help="Take every Nth setting.")
    given = parser.parse_args()
    if given.command == "rules":
        rows = json.loads(Path(given.file).read_text())
        for stable, pays in itertools.product((0.6, 0.7, 0.8, 0.9), (0.05, 0.08, 0.1, 0.12, 0.15)):
            chosen = [choose(row["counts"], stable, pays) for row in rows]
            sys.stdout.write(f"{stable} {pays}: {rates(rows, chosen)}\n")
        return
    tasks = [
        (each, seed)
        for seed in range(given.first, given.last)
        for each in settings(given.command == "check")[seed % given.step :: given.step]
    ]
    with ProcessPoolExecutor(2) as pool:
        rows = list(pool.map(partial(_star, measure), tasks, chunksize=4))
    if given.file:
        Path(given.file).write_text(json.dumps(rows))
    sys.stdout.write(f"{len(rows)} data sets; stable {grouping.STABLE}, pays {grouping.PAYS}\n")
    for noise in sorted({row["noise"] for row in rows}):
        mine = [row for row in rows if row["noise"] == noise]
        sys.stdout.write(f"noise {noise}: {rates(mine, [row['chosen'] for row in mine])}\n")


def _star(function: Any, arguments: tuple[Any, ...]) -> Any:
    return function(*arguments)


if __name__ == "__main__":
    main()
