"""Helpers for tests of the server: starting it, its processes, many clients at once."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

import concordant as cc
from concordant.serve import pool
from concordant.serve.limits import Limits
from concordant.serve.server import running

# A busy machine may have to compile the kernels first.
_SECONDS_TO_START = 300
# How long a slow machine may take for what a fast one does at once.
PATIENCE = 60
VOTES = "3:a>b>c\n2:b>c>a\n1:c>a=b\n"
# Time limits for tests that do not test them, so that no test depends on the speed of the machine.
PATIENT: Any = {"grace_seconds": 120.0, "reading_seconds": 300.0}


@contextmanager
def serving(limits: Limits) -> Iterator[str]:
    """Run a server in this process and yield its address when it has a worker of each kind.

    The peak memory of a worker may include that of the process that started it, which is large
    here. So workers are not replaced for their memory.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_RECYCLED_BYTES", 1 << 40)
        with running(limits) as address:
            until_ready(address)
            yield address


def until_ready(address: str) -> None:
    """Wait until a server has a worker of each kind."""
    deadline = time.monotonic() + _SECONDS_TO_START
    while httpx.get(f"{address}healthz", timeout=60).json()["status"] != "ok":
        assert time.monotonic() < deadline, "the server does not become ready"
        time.sleep(0.1)


def workers_of(server: int) -> list[int]:
    """Return the worker processes of a server (Linux only)."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            stat = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if int(stat[1]) == server and b"concordant.serve.worker" in command:
            found.append(int(folder.name))
    return found


def is_gone(pid: int) -> bool:
    """Return whether a process has ended, even if its parent has not read its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not all(is_gone(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


def hard_text(items: int, voters: int = 30) -> str:
    """Return random rankings, whose search runs until its time limit."""
    return "".join(
        f"{weight}:{'>'.join(bucket[0] for bucket in ranking)}\n"
        for ranking, weight in cc.generate.uniform(items, voters, seed=1)
    )


@dataclass
class Load:
    """How the jobs of many clients ended."""

    ended: dict[str, str] = field(default_factory=dict)
    refused: int = 0
    without_result: int = 0


async def put_load(
    address: str, clients: int, jobs: int, seed: int = 0, seconds: float = 1.0
) -> Load:
    """Let clients submit jobs, follow some, cancel or delete some, and fetch the results.

    The longest search takes `seconds`, and all other waiting times are parts of that.
    """
    rng = random.Random(seed)
    load = Load()
    texts = [("3:a>b>c\n2:b>c>a\n", 5.0), (hard_text(60), seconds / 2), (hard_text(150), seconds)]
    left = list(range(jobs))
    # The server may close a kept connection just when it is used again, so none is kept.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=address, timeout=600, limits=limits) as client:

        async def one_client(number: int) -> None:
            while left:
                left.pop()
                await one_job({"x-forwarded-for": f"192.0.2.{number}"})

        async def one_job(headers: dict[str, str]) -> None:
            text, seconds = rng.choice(texts)
            body = {"text": text, "time_limit": seconds}
            while True:
                answer = await client.post("api/jobs", json=body, headers=headers)
                if answer.status_code != 429:
                    break
                load.refused += 1
                await asyncio.sleep(float(answer.headers["retry-after"]) * rng.random())
            assert answer.status_code == 202, answer.text
            job = answer.json()["id"]
            fate = rng.random()
            if fate < 0.2:
                await asyncio.sleep(rng.choice((0, 0.05, 0.5)) * seconds * rng.random())
                assert (await client.delete(f"api/jobs/{job}")).status_code == 204
                assert (await client.get(f"api/jobs/{job}")).status_code == 404
                load.ended[job] = "deleted"
                return
            if fate < 0.6:
                await asyncio.sleep(rng.choice((0, 0, 0.05, 0.5, 2)) * seconds * rng.random())
                assert (await client.post(f"api/jobs/{job}/cancel")).status_code == 202
            elif fate < 0.8:
                # This follower leaves after the first event.
                async with client.stream("GET", f"api/jobs/{job}/events") as stream:
                    async for _ in stream.aiter_lines():
                        break
            async with client.stream("GET", f"api/jobs/{job}/events") as stream:
                async for _ in stream.aiter_lines():
                    pass
            status = (await client.get(f"api/jobs/{job}")).json()
            load.ended[job] = status["state"]
            got = await client.get(f"api/jobs/{job}/result")
            assert got.status_code == (200 if status["has_result"] else 409)
            load.without_result += got.status_code == 409

        await asyncio.gather(*map(one_client, range(clients)))
    return load
