"""The overhead of Dask: `count_files` on two threads against two Dask workers on the same files.

Run as `python benchmarks/dask_counting.py [BALLOTS] [FILES] [csv|parquet]`. Code is loaded and
processes are started before; both ways take turns, and the best time of each counts. Processor
time of all processes is printed too, because it is reliable even on a busy machine.
"""

import sys
import tempfile
import time
from pathlib import Path

import psutil
from distributed import Client, LocalCluster

from concordant import distributed
from concordant.bench.suites.scale import make_ballots
from concordant.counting.files import count_files
from concordant.pairwise import Pairwise

ITEMS, WORKERS, TURNS = 50, 2, 4


def local(paths: list[str]) -> Pairwise:
    return count_files(paths, n_jobs=WORKERS).pairs


def processor_seconds() -> float:
    here = psutil.Process()
    # Processes that decode Parquet files end with each count; include those that have ended.
    ended = sum(here.cpu_times()[2:4])
    return ended + sum(sum(each.cpu_times()[:2]) for each in (here, *here.children(recursive=True)))


def main() -> None:
    ballots = int(sys.argv[1]) if len(sys.argv) > 1 else 5_000_000
    files = int(sys.argv[2]) if len(sys.argv) > 2 else 16
    suffix = sys.argv[3] if len(sys.argv) > 3 else "csv"
    with tempfile.TemporaryDirectory() as folder:
        paths = []
        for k in range(files):
            path = Path(folder) / f"votes{k:03}.{suffix}"
            make_ballots(ITEMS, ballots // files, k, str(path))
            paths.append(str(path))
        size = sum(Path(path).stat().st_size for path in paths)
        print(f"{ballots:,} ballots in {files} {suffix} files, {size / 1e6:,.0f} MB", flush=True)
        times: dict[str, list[float]] = {"local": [], "dask": []}
        processor: dict[str, list[float]] = {"local": [], "dask": []}
        with (
            LocalCluster(
                n_workers=WORKERS, threads_per_worker=1, dashboard_address=":0"
            ) as cluster,
            Client(cluster, set_as_default=False) as client,
        ):
            ways = {
                "local": lambda: local(paths),
                "dask": lambda: distributed.count(paths, client=client),
            }
            first = [local(paths[:4]), distributed.count(paths[:4], client=client)]
            assert first[0] == first[1]
            for turn in range(TURNS):
                found = {}
                for name in list(ways)[:: 1 if turn % 2 else -1]:
                    started, used = time.perf_counter(), processor_seconds()
                    found[name] = ways[name]()
                    times[name].append(time.perf_counter() - started)
                    processor[name].append(processor_seconds() - used)
                    print(
                        f"{name:>6} {times[name][-1]:8.2f} s, "
                        f"{processor[name][-1]:8.2f} s of processors",
                        flush=True,
                    )
                assert found["local"] == found["dask"]
        for what, each in (("time", times), ("processors", processor)):
            best = {name: min(seconds) for name, seconds in each.items()}
            print(f"{what}: best {best}; dask / local = {best['dask'] / best['local']:.3f}")


if __name__ == "__main__":
    main()
