"""Large input: the counting rate per core, the peak memory, and solving again after changes.

Run as `python benchmarks/scale.py [rate] [memory] [again]`, by default all three; `--help` lists
the sizes. Ballots rank up to ten of fifty items and are written in batches to a temporary folder.
Rates are measured in processes of their own on one core or two, after their code is loaded. The
peak memory is that of `concordant count` with all processes that it starts. Before solving again,
one ballot in a thousand is replaced: the counts are updated, and the search starts from the last
result.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
import psutil

import concordant as cc
from concordant.bench.suites.scale import make_ballots
from concordant.counting.files import count_files
from concordant.pairwise import Pairwise

ITEMS = 50
# The number of ballots that are made at a time: some hundred megabytes.
BATCH = 500_000
# One ballot of this number is replaced before solving again.
CHANGED = 1000
PARTS = ("rate", "memory", "again")


def write(folder: Path, n: int) -> list[Path]:
    """Write n ballots to Parquet files of one batch each."""
    paths = []
    for number, start in enumerate(range(0, n, BATCH)):
        path = folder / f"part{number:04}.parquet"
        make_ballots(ITEMS, min(BATCH, n - start), number, str(path))
        paths.append(path)
    return paths


def join(paths: list[Path], target: Path) -> Path:
    """Join several files to one, CSV or Parquet, in little memory."""
    rows = pl.scan_parquet(paths)
    if target.suffix == ".csv":
        rows.sink_csv(target)
    else:
        rows.sink_parquet(target)
    return target


# -- the counting rate -----------------------------------------------------------------------


def measure_rate(folder: Path, n: int, turns: int) -> None:
    """Print the rate of counting a file on one core and on two."""
    parts = write(folder, n)
    small = folder / "small.parquet"
    pl.read_parquet(parts[0], n_rows=1000).write_parquet(small)
    print(f"rate of counting {n:,} ballots, best of {turns}", flush=True)
    for suffix in (".csv", ".parquet"):
        path = join(parts, folder / f"votes{suffix}")
        first = join([small], folder / f"first{suffix}")
        size = path.stat().st_size
        rates = {}
        for jobs in (1, 2):
            command = [sys.executable, __file__, "--child", path, first, str(jobs), str(turns)]
            environment = os.environ | {"POLARS_MAX_THREADS": str(jobs)}
            done = subprocess.run(command, env=environment, capture_output=True, check=True)
            seconds = json.loads(done.stdout)
            rates[jobs] = n / seconds
            print(
                f"{suffix[1:]:>8} {jobs} core(s): {seconds:7.2f} s, "
                f"{rates[jobs]:12,.0f} ballots/s, {size / 1e6 / seconds:7.0f} MB/s",
                flush=True,
            )
        print(f"{suffix[1:]:>8} per core, two to one: {rates[2] / rates[1] / 2:.3f}", flush=True)
        path.unlink()
    for path in parts:
        path.unlink()


def count_in_child(path: str, first: str, jobs: int, turns: int) -> None:
    """Count a file on `jobs` cores, after another that loads all code; print the seconds."""
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < jobs:
            sys.exit(f"the measurement needs {jobs} cores, but there are {len(cores)}")
        # Only these cores work, whatever the number of threads.
        os.sched_setaffinity(0, cores[:jobs])
    count_files([first], n_jobs=jobs)
    seconds = []
    for _ in range(turns):
        started = time.perf_counter()
        count_files([path], n_jobs=jobs)
        seconds.append(time.perf_counter() - started)
    print(json.dumps(min(seconds)))


# -- the peak memory -------------------------------------------------------------------------


def memory_of(process: psutil.Process) -> int:
    """Return the memory of a process and its children; shared pages count in each."""
    total = 0
    for each in (process, *process.children(recursive=True)):
        try:
            total += each.memory_info().rss
        except psutil.NoSuchProcess:
            continue
    return total


def measure_memory(folder: Path, n: int, one_file: bool) -> None:
    """Print the peak memory of `concordant count`, with its processes."""
    paths = write(folder, n)
    if one_file:
        whole = join(paths, folder / "votes.parquet")
        for path in paths:
            path.unlink()
        paths = [whole]
    size = sum(path.stat().st_size for path in paths)
    what = "file" if len(paths) == 1 else "files"
    print(
        f"memory of counting {n:,} ballots, {len(paths)} {what}, {size / 1e6:,.0f} MB", flush=True
    )
    command = [sys.executable, "-m", "concordant", "count", *paths, "-o", folder / "pairs.npz"]
    started, peak, alone = time.perf_counter(), 0, 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        watched = psutil.Process(process.pid)
        while process.poll() is None:
            try:
                peak = max(peak, memory_of(watched))
                alone = max(alone, watched.memory_info().rss)
            except psutil.NoSuchProcess:
                break
            time.sleep(0.02)
        assert process.stdout is not None
        output = process.stdout.read().strip()
    if process.returncode:
        sys.exit(f"the count failed with exit code {process.returncode}")
    print(f"  {output}, {time.perf_counter() - started:.1f} s")
    print(f"  peak {peak / 2**20:,.0f} MiB with all processes, {alone / 2**20:,.0f} MiB without")
    for path in paths:
        path.unlink()


# -- solving again ---------------------------------------------------------------------------


def measure_again(sizes: list[tuple[int, int, float]], time_limit: float | None) -> None:
    """Compare solving again with solving from scratch, for some sizes, and print the result."""
    print(f"solving again after one ballot in {CHANGED:,} was replaced", flush=True)
    # Loads all kernels.
    small = cc.generate.uniform(30, 20, seed=1)
    cc.aggregate(small, initial=cc.aggregate(small, time_limit=0.5), time_limit=0.5)
    for m, n, theta in sizes:
        changed = max(1, n // CHANGED)
        kept, old, new = (
            cc.generate.mallows(m, number, theta=theta, seed=seed)
            for seed, number in enumerate((n - changed, changed, changed))
        )
        before = Pairwise.from_batches([kept, old])
        last = cc.aggregate(before, time_limit=time_limit)
        started = time.perf_counter()
        afresh = Pairwise.from_batches([kept, new])
        counted = time.perf_counter() - started
        fresh = cc.aggregate(afresh, time_limit=time_limit)
        from_scratch = time.perf_counter() - started
        started = time.perf_counter()
        pairs = before + Pairwise.from_rankings(new) - Pairwise.from_rankings(old)
        updated = time.perf_counter() - started
        again = cc.aggregate(pairs, initial=last)
        in_all = time.perf_counter() - started
        assert pairs == afresh
        print(f"  {m} items, {n:,} ballots, theta {theta:g}:")
        for name, ready, seconds, result in (
            ("afresh", counted, from_scratch, fresh),
            ("again", updated, in_all, again),
        ):
            print(
                f"    {name:>6}: counts {ready:8.4f} s, solving {seconds - ready:8.3f} s, "
                f"cost {result.cost:,} ({result.status}, bound {result.lower_bound:,})"
            )
        excess = (again.cost - fresh.cost) / max(1, fresh.cost)
        print(
            f"    again / afresh: time {in_all / from_scratch:.3f}, cost {excess:+.5%}", flush=True
        )


def size_of(text: str) -> tuple[int, int, float]:
    """Read "items:ballots:theta"."""
    items, number, theta = text.split(":")
    return int(items), int(number), float(theta)


def main() -> None:
    if sys.argv[1:2] == ["--child"]:
        path, first, jobs, turns = sys.argv[2:]
        count_in_child(path, first, int(jobs), int(turns))
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"some of {', '.join(PARTS)}")
    parser.add_argument("--ballots", type=int, default=4_000_000, help="for the rate")
    parser.add_argument("--turns", type=int, default=3, help="for the rate; the best counts")
    parser.add_argument("--many", type=int, default=20_000_000, help="ballots, for the memory")
    parser.add_argument("--one-file", action="store_true", help="for the memory: not in many files")
    parser.add_argument(
        "--sizes",
        type=size_of,
        nargs="+",
        metavar="ITEMS:BALLOTS:THETA",
        default=[
            (100, 1000, 0.001),
            (150, 1000, 0.001),
            (200, 2000, 0.002),
            (250, 1000, 0.001),
            (250, 5000, 0.002),
        ],
        help="for solving again",
    )
    parser.add_argument("--time-limit", type=float, help="seconds of each run from scratch")
    parser.add_argument("--folder", type=Path, help="where the files are made; a temporary one")
    given = parser.parse_args()
    unknown = [part for part in given.parts if part not in PARTS]
    if unknown:
        parser.error(f"there is no part {unknown[0]!r}: there are {', '.join(PARTS)}")
    with tempfile.TemporaryDirectory(dir=given.folder) as folder:
        for part in given.parts or PARTS:
            if part == "rate":
                measure_rate(Path(folder), given.ballots, given.turns)
            elif part == "memory":
                measure_memory(Path(folder), given.many, given.one_file)
            else:
                measure_again(given.sizes, given.time_limit)


if __name__ == "__main__":
    main()
