"""Tables for `docs/methods.md`: what the methods reach, and how long they take.

    python benchmarks/methods.py order [--methods a,b,c] [--time-limit S] [--published CSV]
    python benchmarks/methods.py kinds [--methods a,b,c] [--time-limit S]

`order` runs the methods of the paper's first table on generated Mallows instances, twenty for each
θ and m, and compares averages; with `--published` it puts the published columns beside them, and
the standard errors that two samples of twenty instances have. `kinds` runs all methods on data of
several kinds and prints the mean gap to the proven bound, and the mean time. Items are numbered
at random, so that no method finds the center in the order of their numbers.
"""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path

import numpy as np

import concordant as cc
from instances import mallows

INSTANCES = 20
ORDER = ["css", "borda", "dk", "bnb", "ga", "auto"]


def order(methods: list[str], time_limit: float, published: Path | None) -> None:
    """Print the mean distance of each method, θ by θ, and how it differs from the optimum."""
    known = {}
    if published is not None:
        with published.open(newline="") as file:
            known = {(float(r["theta"]), int(r["m"])): r for r in csv.DictReader(file)}
    print(
        f"| m | θ | {' | '.join(methods)} | lower bound | standard error | optima proven |\n"
        f"|---:|---:|{'---:|' * (len(methods) + 3)}"
    )
    notes = []
    for m in (50, 100):
        for theta in (0.2, 0.1, 0.01, 0.001):
            found: dict[str, list[float]] = {name: [] for name in methods}
            bounds, proven = [], 0
            for seed in range(INSTANCES):
                data = mallows(m, 100, theta, seed=seed)
                results = {
                    name: cc.aggregate(data, name, seed=seed, time_limit=time_limit, n_jobs=1)
                    for name in methods
                }
                for name, result in results.items():
                    found[name].append(result.distance)
                bound = max(result.lower_bound for result in results.values())
                bounds.append(bound / 100)
                proven += any(result.cost == bound for result in results.values())
                print(m, theta, seed, file=sys.stderr, flush=True)
            means = {name: np.mean(values) for name, values in found.items()}
            error = np.std(bounds, ddof=1) / INSTANCES**0.5
            print(
                f"| {m} | {theta} | {' | '.join(f'{means[name]:.3f}' for name in methods)} | "
                f"{np.mean(bounds):.3f} | {error:.2f} | {proven} of {INSTANCES} |",
                flush=True,
            )
            row = known.get((theta, m))
            if row is not None and "ga" in means:
                both = 2**0.5 * error
                notes.append(
                    f"| {m} | {theta} | {float(row['ga']):.3f} | {means['ga']:.3f} | "
                    f"{means['ga'] - float(row['ga']):+.3f} | {both:.2f} | "
                    f"{means['ga'] - np.mean(bounds):.3f} | "
                )
    if notes:
        print(
            "\n| m | θ | GA, published | ga | difference | standard error | ga above the bound |"
            "\n|---:|---:|---:|---:|---:|---:|---:|"
        )
        print("\n".join(note.rstrip() for note in notes))


def kinds(methods: list[str] | None, time_limit: float) -> None:
    """Print the mean gap of each method on data of several kinds, and its mean time."""
    partial = cc.generate.partial
    data = {
        "alike": [mallows(50, 100, 0.1, seed=seed) for seed in range(5)],
        "mixed": [mallows(50, 100, 0.01, seed=seed) for seed in range(5)],
        "noise": [mallows(100, 100, 0.001, seed=seed) for seed in range(5)],
        "partial": [
            partial(mallows(60, 100, 0.05, seed=seed), drop=0.5, same_bucket=0.3, seed=seed)
            for seed in range(5)
        ],
    }
    gaps: dict[str, dict[str, float]] = {}
    times: dict[str, list[float]] = {}
    for kind, instances in data.items():
        for rankings in instances:
            result = cc.compare(rankings, methods, time_limit=time_limit)
            for row in result.rows:
                gaps.setdefault(row.method, {}).setdefault(kind, 0.0)
                gaps[row.method][kind] += row.gap / len(instances)
                times.setdefault(row.method, []).append(row.elapsed)
            print(kind, file=sys.stderr, flush=True)
    print(f"| method | {' | '.join(data)} | seconds |\n|---|{'---:|' * (len(data) + 1)}")
    for name in sorted(gaps, key=lambda name: np.mean(list(gaps[name].values()))):
        shown = [
            f"{100 * gaps[name][kind]:.3f} %" if kind in gaps[name] else "refused" for kind in data
        ]
        print(f"| `{name}` | {' | '.join(shown)} | {np.mean(times[name]):.3f} |")


def main() -> None:
    """Run the part that was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("order", "kinds"):
        command = commands.add_parser(name)
        command.add_argument("--methods", type=lambda text: text.split(","))
        command.add_argument("--time-limit", type=float, default=3.0)
        if name == "order":
            command.add_argument("--published", type=Path)
    options = parser.parse_args()
    if options.command == "order":
        order(options.methods or ORDER, options.time_limit, options.published)
    else:
        kinds(options.methods, options.time_limit)


if __name__ == "__main__":
    main()
