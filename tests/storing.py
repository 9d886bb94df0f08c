"""Helpers for tests of the store: a server that is killed and started again, and its clients."""

from __future__ import annotations

import asyncio
import hashlib
import random
import socket
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from serving import hard_text

# What a client sees of a server that was killed.
GONE = (httpx.TransportError,)
# The command with limits that it has no options for.
SMALL = """
import sys
from dataclasses import replace
from concordant.cli import main
from concordant.serve import server
run = server.run
server.run = lambda sock, hosts, limits, **more: run(
    sock, hosts, replace(limits, solvers=1, helpers=1), **more
)
sys.argv[1:1] = ["serve"]
main()
"""


def free_port() -> int:
    """Return a port that is free now."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


class StoredServer:
    """A server with a store, in a process of its own. It keeps its port when it starts again."""

    def __init__(self, store: Path, is_small: bool = False) -> None:
        self.store = store
        port = free_port()
        self.address = f"http://127.0.0.1:{port}/"
        # One with fewer processes starts earlier.
        command = ["-c", SMALL] if is_small else ["-m", "concordant", "serve"]
        self._command = [*command, "--port", str(port), "--store", str(store)]
        self._process: subprocess.Popen[str] | None = None

    def start(self) -> None:
        """Start the server and wait until it listens."""
        self._process = subprocess.Popen(
            [sys.executable, *self._command],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline().startswith("Concordant is at ")

    def kill(self) -> None:
        """Kill the server. Its workers end when they notice."""
        self._stop("kill")

    def stop(self) -> None:
        """End the server as `systemctl stop` does."""
        self._stop("terminate")

    def _stop(self, how: str) -> None:
        if self._process is not None:
            getattr(self._process, how)()
            self._process.communicate()
            self._process = None


@dataclass
class Seen:
    """What the clients have seen: the end of each job, and a digest of its result."""

    accepted: set[str] = field(default_factory=set)
    ended: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    # Requests to submit a job that were not answered: it may have been accepted or not.
    unanswered: int = 0
    refused: int = 0


async def end_of(client: httpx.AsyncClient, job: str) -> tuple[str, str | None] | None:
    """Return the state of a job and a digest of its result; None if it has not ended."""
    answer = await client.get(f"api/jobs/{job}")
    assert answer.status_code == 200, answer.text
    status = answer.json()
    if status["state"] in ("queued", "running"):
        return None
    if not status["has_result"]:
        return status["state"], None
    got = await client.get(f"api/jobs/{job}/result")
    assert got.status_code == 200, got.text
    return status["state"], hashlib.sha256(got.content).hexdigest()


async def put_stored_load(
    address: str, clients: int, jobs: int, seen: Seen, seed: int = 0, seconds: float = 0.3
) -> None:
    """Let clients submit jobs and wait for their results, whatever happens to the server."""
    rng = random.Random(seed)
    texts = [(hard_text(10, 20), 5.0), (hard_text(60), seconds), (hard_text(150), 2 * seconds)]
    left = list(range(jobs))
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=address, timeout=600, limits=limits) as client:

        async def one_client(number: int) -> None:
            headers = {"x-forwarded-for": f"192.0.2.{number}"}
            while left:
                text, limit = rng.choices(texts, (4, 1, 1))[0]
                body = {"text": text, "time_limit": limit, "seed": left.pop()}
                job = await submitted(body, headers)
                while (end := await ended(job)) is None:
                    await asyncio.sleep(0.1 + 0.4 * rng.random())
                seen.ended[job] = end

        async def submitted(body: dict[str, object], headers: dict[str, str]) -> str:
            while True:
                try:
                    answer = await client.post("api/jobs", json=body, headers=headers)
                except httpx.ConnectError:
                    await asyncio.sleep(0.2)
                except GONE:
                    seen.unanswered += 1
                else:
                    if answer.status_code == 202:
                        seen.accepted.add(answer.json()["id"])
                        return str(answer.json()["id"])
                    assert answer.status_code == 429, answer.text
                    seen.refused += 1
                    await asyncio.sleep(rng.random())

        async def ended(job: str) -> tuple[str, str | None] | None:
            try:
                return await end_of(client, job)
            except GONE:
                return None

        await asyncio.gather(*map(one_client, range(clients)))


async def changed(address: str, seen: Seen) -> list[str]:
    """Return the jobs whose end is not the one that the clients have seen."""
    async with httpx.AsyncClient(base_url=address, timeout=600) as client:
        return [job for job, end in seen.ended.items() if await end_of(client, job) != end]
