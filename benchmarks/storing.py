"""Checks that no job is lost when a server with a store is killed at random moments.

    python benchmarks/storing.py [--jobs 500] [--clients 50] [--kills 20] [--seed 0]

Clients submit jobs and wait for their results, while the server gets SIGKILL and starts again.
A moment is a random number of finished jobs and a random time, so some kills hit a server that is
still starting. At the end, after one more kill, every result that a client has seen must be there
and the same, byte by byte, and every job that was accepted must have ended. Linux only.
"""

import argparse
import asyncio
import random
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from storing import Seen, StoredServer, changed, put_stored_load


async def run(server: StoredServer, options: argparse.Namespace, seen: Seen) -> int:
    """Put the load on the server and kill it meanwhile; return the kills before its end."""
    rng = random.Random(options.seed)
    aims = sorted(rng.randrange(options.jobs) for _ in range(options.kills))
    load = asyncio.create_task(
        put_stored_load(server.address, options.clients, options.jobs, seen, options.seed)
    )
    midway = 0
    for aim in aims:
        while len(seen.ended) < aim and not load.done():
            await asyncio.sleep(0.01)
        await asyncio.sleep(rng.uniform(0, 1))
        midway += not load.done()
        server.kill()
        # Others go on meanwhile, and their requests fail.
        await asyncio.sleep(rng.uniform(0, 0.3))
        await asyncio.to_thread(server.start)
    await load
    return midway


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    for name, default in (("jobs", 500), ("clients", 50), ("kills", 20), ("seed", 0)):
        parser.add_argument(f"--{name}", type=int, default=default)
    options = parser.parse_args()
    seen = Seen()
    begun = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        server = StoredServer(Path(folder) / "jobs.db")
        server.start()
        try:
            midway = asyncio.run(run(server, options, seen))
            server.kill()
            server.start()
            wrong = asyncio.run(changed(server.address, seen))
        finally:
            server.stop()
        db = sqlite3.connect(server.store)
        states = Counter(state for (state,) in db.execute("SELECT state FROM jobs"))
        again = db.execute("SELECT count(*) FROM jobs WHERE attempts > 1").fetchone()[0]
        db.close()
        size = server.store.stat().st_size / 1e6
    seconds = time.perf_counter() - begun
    ends = Counter(state for state, _ in seen.ended.values())
    print(f"{options.jobs} jobs of {options.clients} clients, {seconds:.0f} s: {dict(ends)}")
    print(
        f"{options.kills} kills, {midway} of them before the end; {again} jobs ran more than once"
    )
    print(f"{seen.unanswered} submissions without an answer, {seen.refused} refused for now")
    print(f"in the store at the end ({size:.1f} MB): {dict(states)}")
    lost = seen.accepted - set(seen.ended)
    # A submission without an answer may have been accepted too.
    extra = sum(states.values()) - len(seen.accepted)
    fine = not wrong and not lost and 0 <= extra <= seen.unanswered
    fine = fine and len(seen.ended) == options.jobs and ends.keys() <= {"done", "failed"}
    print(f"{len(wrong)} results changed or missing, {len(lost)} jobs lost, {extra} of the others")
    print("ok" if fine else "MISSED")
    sys.exit(not fine)


if __name__ == "__main__":
    main()
