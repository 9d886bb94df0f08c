"""Tables for `docs/search.md`: how good the search is, and which designs were compared.

    python benchmarks/search.py designs
    python benchmarks/search.py published --data FOLDER [--lop FOLDER]

`designs` compares settings of `auto` on generated instances in equal time. `published` runs
`auto` and HER on instances of the paper, given as files of ranks in FOLDER, beside the best
values that the paper reports for them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

import concordant as cc
from instances import mallows

SEEDS = range(5)  # of `published`; `designs` takes the first three

# HER with CPSC, best and average of ten runs of up to two hours: the paper's table of crossovers.
PUBLISHED = {
    "MM050n0.001_02": (575.480, 575.502),
    "MM050n0.001_11": (561.480, 561.480),
    "MM100n0.200_05": (411.720, 411.720),
    "MM100n0.200_01": (416.000, 416.000),
    "MM150n0.100_17": (1266.090, 1266.100),
    "MM150n0.100_08": (1249.580, 1249.598),
    "MM200n0.010_13": (7704.800, 7705.060),
    "MM200n0.010_04": (7667.910, 7668.054),
    "MM250n0.001_10": (14442.140, 14442.604),
    "MM250n0.001_01": (14353.330, 14353.650),
}

DESIGNS = {
    "auto": {},
    "no threshold": {"diversity": 0.0},
    "threshold a quarter": {"diversity": 0.25},
    "threshold the mean": {"diversity": 1.0},
    "order-based": {"crossover": "order-based"},
    "cpsc": {"crossover": "cpsc"},
    "position-based": {"crossover": "position-based"},
    "iterated local search": {"crossover": "none"},
    "population 16": {"population": 16},
    "population 100": {"population": 100},
    "plain descent": {"look_again": True},
}


def instances() -> dict[str, cc.Pairwise]:
    """Generated instances of several kinds, the hard ones of the paper among them."""
    count = cc.Pairwise.from_rankings
    sparse = cc.generate.partial(mallows(200, 100, 0.001, seed=5), drop=2 / 3, seed=5)
    tournament = np.random.default_rng(6).integers(0, 1000, (150, 150))
    return {
        "m = 100, θ = 0.001": count(mallows(100, 100, 0.001, seed=1)),
        "m = 250, θ = 0.001": count(mallows(250, 100, 0.001, seed=2)),
        "m = 250, θ = 0.01": count(mallows(250, 100, 0.01, seed=3)),
        "m = 200, θ = 0.001, partial": count(sparse),
        "m = 150, random matrix": cc.Pairwise.from_matrix(tournament),
    }


def designs(seconds: list[float]) -> None:
    """Print the mean excess of each design over the best order known, in millionths."""
    data = instances()
    costs: dict[tuple[str, str], np.ndarray] = {}
    for name, pairs in data.items():
        for design, settings in DESIGNS.items():
            rows = []
            for seed in SEEDS[:3]:
                result = cc.aggregate(
                    pairs, seed=seed, time_limit=seconds[-1], proof=False, **settings
                )
                rows.append(
                    [min(c for t, _, c, _ in result.trace if t <= limit) for limit in seconds]
                )
            costs[name, design] = np.array(rows, float)
            print(name, design, costs[name, design].mean(axis=0), file=sys.stderr, flush=True)
    best = {name: min(costs[name, design].min() for design in DESIGNS) for name in data}
    head = " | ".join(f"{name}" for name in data)
    print(f"| design | {head} |\n|---|{'---:|' * len(data)}")
    for design in DESIGNS:
        cells = []
        for name in data:
            excess = (costs[name, design] / best[name] - 1) * 1e6
            # The standard error of the mean, from the spread of the seeds.
            error = excess.std(axis=0, ddof=1) / len(excess) ** 0.5
            cells.append(
                " / ".join(
                    f"{mean:.1f} ± {half:.1f}"
                    for mean, half in zip(excess.mean(axis=0), error, strict=True)
                )
            )
        print(f"| {design} | {' | '.join(cells)} |")


def published(folder: Path, lop: Path | None) -> None:
    """Print `auto` after 1 s and 10 s, and HER with the paper's settings, on the paper's files."""
    print(
        "| instance | HER published, best | average | auto, 1 s: worst | auto, 10 s: worst |"
        " best | HER, paper's settings, 60 s |\n|---|---:|---:|---:|---:|---:|---:|"
    )
    for path in sorted(folder.glob("MM*")):
        data = cc.read(path, format="ranks")
        best, average = PUBLISHED[path.stem]
        one = [cc.aggregate(data, time_limit=1, seed=seed).distance for seed in SEEDS]
        ten = [cc.aggregate(data, time_limit=10, seed=seed).distance for seed in SEEDS]
        paper = cc.aggregate(data, "her", preset="paper", time_limit=60).distance
        print(
            f"| {path.stem} | {best:.3f} | {average:.3f} | {max(one):.3f} | {max(ten):.3f} | "
            f"{min(ten):.3f} | {paper:.3f} |",
            flush=True,
        )
    if lop is None:
        return
    print("\n| linear ordering instance | value in 20 s, worst of five | best |\n|---|---:|---:|")
    for path in sorted(lop.iterdir()):
        pairs = cc.read(path)
        values = [
            int(pairs.counts.sum()) - cc.aggregate(pairs, time_limit=20, seed=seed).cost
            for seed in SEEDS
        ]
        print(f"| {path.name} | {min(values)} | {max(values)} |", flush=True)


def main() -> None:
    """Run the part of the comparison that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    compare = commands.add_parser("designs")
    compare.add_argument("--seconds", type=float, nargs="+", default=[0.3, 1.0])
    files = commands.add_parser("published")
    files.add_argument("--data", type=Path, required=True)
    files.add_argument("--lop", type=Path)
    options = parser.parse_args()
    if options.command == "designs":
        designs(options.seconds)
    else:
        published(options.data, options.lop)


if __name__ == "__main__":
    main()
