"""Measure proofs: cost, bound, gap and time on files and generated instances, with certificates.

    python benchmarks/proofs.py --time-limit 30 votes.soc races/*.txt
    python benchmarks/proofs.py --time-limit 60 --mallows 250,0.01 --seeds 10

Every certificate is written out, read back and checked; a row says so in its last column. A file
whose format cannot be told is read as `--format` says.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

import concordant as cc
from concordant.certificate import check
from instances import mallows


def instances(arguments: argparse.Namespace) -> Iterator[tuple[str, Any]]:
    for path in arguments.files:
        yield path, cc.read(path, format=arguments.format)
    for text in arguments.mallows:
        items, theta = text.split(",")
        for seed in range(1, arguments.seeds + 1):
            data = mallows(int(items), arguments.rankings, float(theta), seed=seed)
            yield f"mallows m={items} theta={theta} seed={seed}", data


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*")
    parser.add_argument("--format")
    parser.add_argument("--method", default="auto")
    parser.add_argument("--time-limit", type=float, default=30.0)
    parser.add_argument("--mallows", action="append", default=[], metavar="M,THETA")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--rankings", type=int, default=100)
    arguments = parser.parse_args()
    # Compile and load the kernels outside of the measured time.
    cc.aggregate(cc.generate.mallows(25, 10, 0.001, seed=0), arguments.method, time_limit=1)
    write = sys.stdout.write
    write("| instance | m | status | cost | bound | gap % | seconds | nodes | MB | check s |\n")
    write("|---|---|---|---|---|---|---|---|---|---|\n")
    for name, data in instances(arguments):
        pairwise = data if isinstance(data, cc.Pairwise) else cc.Pairwise.from_rankings(data)
        started = time.perf_counter()
        result = cc.aggregate(data, arguments.method, time_limit=arguments.time_limit)
        seconds = time.perf_counter() - started
        certificate = result.prover.certificate()
        text = json.dumps(certificate, separators=(",", ":"))
        started = time.perf_counter()
        proven = check(json.loads(text), pairwise.counts)
        checked = time.perf_counter() - started
        if pairwise.value(proven) < result.lower_bound:
            raise SystemExit(f"{name}: the certificate proves {proven} only")
        nodes = sum(len(part.get("nodes", [])) for part in certificate["components"])
        write(
            f"| {name.rsplit('/', 1)[-1]} | {pairwise.n_items} | {result.status} | {result.cost} "
            f"| {result.lower_bound} | {100 * result.gap:.4f} | {seconds:.2f} | {nodes} "
            f"| {len(text) / 1e6:.2f} | {checked:.2f} |\n"
        )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
