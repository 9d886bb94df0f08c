"""Checks that a suite that is killed at random moments ends like one that is not.

    python benchmarks/killing.py [--suite complete] [--kills 20] [--seed 0]

It runs the smoke scale of a suite to its end, then into another store with SIGKILL to the command
and all its processes at random moments. It compares both stores: they must have the same results,
except times, and no task twice. A moment is a random number of new results, so that slow runs are
killed midway too. A kill after the end of a run also counts: the store must not change.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from concordant.bench.store import RESULTS, load


def begin(suite: str, store: Path) -> subprocess.Popen[bytes]:
    command = ["bench", "run", suite, "--scale", "smoke", "--jobs", "2", "--quiet"]
    return subprocess.Popen(
        [sys.executable, "-m", "concordant", *command, "--store", str(store)],
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )


def lines(store: Path) -> int:
    """Return the number of results."""
    file = store / RESULTS
    return file.read_bytes().count(b"\n") if file.exists() else 0


def without_times(store: Path) -> list[dict[str, Any]]:
    """Return all results by task, without times."""
    _, records = load(store)
    names = [record.task for record in records]
    assert len(names) == len(set(names)), "a task was done twice"
    found = []
    for record in sorted(records, key=lambda record: record.task):
        facts = record.to_dict()
        facts.pop("elapsed", None)
        facts["trace"] = [point[1:] for point in facts.get("trace", ())]
        facts["measures"] = sorted(facts.get("measures", {}))
        found.append(facts)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--suite", default="complete")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    with tempfile.TemporaryDirectory() as folder:
        alone, killed = Path(folder) / "alone", Path(folder) / "killed"
        started = time.perf_counter()
        assert begin(options.suite, alone).wait() == 0
        whole = time.perf_counter() - started
        total = lines(alone)
        done, midway = [0], 0
        for _ in range(options.kills):
            running = begin(options.suite, killed)
            aim = done[-1] + rng.randint(0, 2 * total // options.kills)
            while running.poll() is None and lines(killed) < aim:
                time.sleep(0.005)
            time.sleep(rng.uniform(0.0, 3.0 if aim == done[-1] else 0.1))
            midway += running.poll() is None
            # The run may be over.
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)
            running.wait()
            done.append(lines(killed))
        assert begin(options.suite, killed).wait() == 0
        first, second = without_times(alone), without_times(killed)
    print(f"{options.suite}: {len(first)} tasks, left alone in {whole:.1f} s")
    print(f"{options.kills} kills, {midway} of them midway; results after each: {done[1:]}")
    print("the same results" if first == second else "OTHER RESULTS")
    sys.exit(first != second)


if __name__ == "__main__":
    main()
