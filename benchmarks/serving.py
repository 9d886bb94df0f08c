"""Measures what `concordant serve` promises: small jobs, live progress, many clients.

    python benchmarks/serving.py [CLIENTS] [JOBS]

Prints one line for each promise with the measurement and "ok" or "MISSED". Exits with 1 when a
promise was missed. Linux only; run it on an otherwise idle machine.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path

import httpx

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from serving import Load, hard_text, put_load, until_ready, workers_of

# The promises.
_SECONDS_FOR_TEN_ITEMS = 1.0
_SECONDS_BETWEEN_EVENTS = 0.5
_SECONDS_FOR_OTHERS = 0.2
# Python does not return all memory. A leak in each round would exceed this.
_MOST_GROWTH_MB = 15
_SMALL_JOBS = 20
_SECONDS_TO_WATCH = 15

missed: list[str] = []


def check(what: str, figure: str, holds: bool) -> None:
    """Print one promise with its measurement."""
    print(f"{what}: {figure} {'ok' if holds else 'MISSED'}", flush=True)
    if not holds:
        missed.append(what)


def memory(pid: int) -> float:
    """Return the resident memory of a process in MB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) / 1024


def descendants(pid: int) -> set[int]:
    """Return the processes that a process has started, and all that those have started."""
    parents: dict[int, int] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if stat[0] != "Z":
            parents[int(folder.name)] = int(stat[1])
    found = {pid}
    while more := {child for child, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {pid}


# -- another client --------------------------------------------------------------------------------


def ask(address: str) -> None:
    """Send requests in a loop, and print how many seconds each answer takes."""
    while True:
        begun = time.perf_counter()
        with urllib.request.urlopen(f"{address}api/about") as answer:
            answer.read()
        print(f"{time.perf_counter() - begun:.4f}", flush=True)
        time.sleep(0.05)


@contextmanager
def asking(address: str) -> Iterator[list[float]]:
    """Let another client send requests meanwhile; yield a list, filled at the end with its waits.

    The client has its own process, because 200 clients in one process would delay its clock. The
    waits are in seconds, the shortest first.
    """
    client = subprocess.Popen(
        [sys.executable, __file__, "--ask", address], stdout=subprocess.PIPE, text=True
    )
    waits: list[float] = []
    try:
        yield waits
    finally:
        client.terminate()
        waits += sorted(float(line) for line in client.communicate()[0].splitlines())


# -- promises --------------------------------------------------------------------------------------


def follow(address: str, job: str) -> Iterator[tuple[float, dict]]:
    """Yield the events of a job, each with the time of its arrival."""
    with httpx.stream("GET", f"{address}api/jobs/{job}/events", timeout=600) as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                yield time.perf_counter(), json.loads(line.removeprefix("data: "))


def check_small_jobs(address: str) -> None:
    """Check that ten items take less than a second from the submission to the result."""
    text = hard_text(10, 20)
    taken = []
    for seed in range(_SMALL_JOBS):
        begun = time.perf_counter()
        body = {"text": text, "seed": seed}
        job = httpx.post(f"{address}api/jobs", json=body, timeout=60).json()["id"]
        for _ in follow(address, job):
            pass
        result = httpx.get(f"{address}api/jobs/{job}/result", timeout=60).json()
        assert result["status"] == "optimal"
        taken.append(time.perf_counter() - begun)
    figure = f"median {statistics.median(taken):.2f} s, longest {max(taken):.2f} s"
    check("ten items, answered within 1 s", figure, max(taken) < _SECONDS_FOR_TEN_ITEMS)


def check_progress(address: str) -> None:
    """Check that searches of 250 items on all cores send at least two events per second."""
    searches = len(os.sched_getaffinity(0))
    body = {"text": hard_text(250, 100), "time_limit": _SECONDS_TO_WATCH}

    def watch(job: str) -> float:
        times = [at for at, status in follow(address, job) if status["state"] == "running"]
        return max(after - before for before, after in pairwise(times))

    with asking(address) as waits:
        jobs = [
            httpx.post(f"{address}api/jobs", json=body, timeout=60).json()["id"]
            for _ in range(searches)
        ]
        with ThreadPoolExecutor(searches) as pool:
            gaps = list(pool.map(watch, jobs))
    check(
        f"250 items, {searches} searches: two events a second",
        f"longest time between two {max(gaps):.2f} s",
        max(gaps) <= _SECONDS_BETWEEN_EVENTS,
    )
    check(
        "other requests meanwhile, under 200 ms",
        f"median {1e3 * statistics.median(waits):.0f} ms, longest {1e3 * waits[-1]:.0f} ms "
        f"of {len(waits)}",
        waits[-1] < _SECONDS_FOR_OTHERS,
    )


def until_idle(address: str, seconds: float = 60) -> dict:
    """Wait until all searches have stopped; return the health of the server."""
    deadline = time.monotonic() + seconds
    while True:
        health = httpx.get(f"{address}healthz", timeout=60).json()
        if not health["queued"] + health["running"] or time.monotonic() > deadline:
            return health
        time.sleep(0.2)


def settle(server: int, seconds: float = 60) -> tuple[set[int], float]:
    """Wait until all workers are running; return the processes of a server and its memory."""
    deadline = time.monotonic() + seconds
    while True:
        before = descendants(server)
        time.sleep(2)
        if descendants(server) == before or time.monotonic() > deadline:
            return before, memory(server)


def check_load(address: str, server: int, clients: int, jobs: int) -> None:
    """Check the server under many clients that submit, cancel and delete jobs at random."""
    # The first rounds fill the memory with all finished jobs that the server keeps.
    for seed in (0, 1):
        asyncio.run(put_load(address, clients, jobs, seed))
    before = until_idle(address)
    processes, size = settle(server)
    begun = time.perf_counter()
    with asking(address) as waits:
        load: Load = asyncio.run(put_load(address, clients, jobs, seed=2))
    seconds = time.perf_counter() - begun
    after = until_idle(address)
    left, grown = settle(server)
    print(
        f"{jobs} jobs of {clients} clients in {seconds:.0f} s: {dict(Counter(load.ended.values()))}"
        f", {load.without_result} without a result, {load.refused} refused for now; another "
        f"request took {1e3 * statistics.median(waits):.0f} ms, at most {1e3 * waits[-1]:.0f} ms"
    )
    seen = Counter(load.ended.values())
    told = {state: after[state] - before[state] for state in ("done", "cancelled", "failed")}
    whole = (
        len(load.ended) == jobs == after["submitted"] - before["submitted"] == sum(told.values())
        and told["failed"] == seen["failed"] == 0
        # Deleted jobs are not in `seen`, however they ended.
        and told["done"] >= seen["done"]
        and told["cancelled"] >= seen["cancelled"]
        and not after["queued"] + after["running"]
    )
    check("every job accounted for", f"{sum(told.values())} of {jobs}, {told}", whole)
    figure = f"{len(processes)} before, {len(left)} after"
    check("no process leaked", figure, len(left) == len(processes))
    check(
        f"memory of the server grows by less than {_MOST_GROWTH_MB} MB",
        f"{size:.0f} MB before, {grown:.0f} MB after",
        grown - size < _MOST_GROWTH_MB,
    )


def main() -> None:
    if sys.argv[1:2] == ["--ask"]:
        ask(sys.argv[2])
    clients, jobs = (int(text) for text in (*sys.argv[1:3], *("200", "500")[len(sys.argv) - 1 :]))
    command = [sys.executable, "-m", "concordant", "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    address = server.stdout.readline().removeprefix("Concordant is at ").strip()
    known: set[int] = set()
    try:
        until_ready(address)
        settle(server.pid)
        check_small_jobs(address)
        check_progress(address)
        check_load(address, server.pid, clients, jobs)
        known = descendants(server.pid)
        assert set(workers_of(server.pid)) <= known
    finally:
        server.terminate()
        server.wait()
    time.sleep(2)
    left = [pid for pid in known if Path(f"/proc/{pid}").exists()]
    check("no process outlives the server", f"{len(left)} left of {len(known)}", not left)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
