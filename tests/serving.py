"""What tests of the server share: waiting for it, its processes, many clients at once."""

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

# Kernels may have to be compiled first, by a machine that has much else to do.
_SECONDS_TO_START = 300
# What a server allows where it is not tested how long that is: nothing ends for being slow.
PATIENT: Any = {"grace_seconds": 120.0, "reading_seconds": 300.0}


@contextmanager
def serving(limits: Limits) -> Iterator[str]:
    """Serve from this process and yield the address, once there is a process of each kind.

    What a process has used at most may count from the one that started it. That is large here, and
    not for anything that the server did: its processes are kept all the same.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pool, "_RECYCLED_BYTES", 1 << 40)
        with running(limits) as address:
            until_ready(address)
            yield address


def until_ready(address: str) -> None:
    """Wait until a server has a process of each kind."""
    deadline = time.monotonic() + _SECONDS_TO_START
    while httpx.get(f"{address}healthz", timeout=60).json()["status"] != "ok":
        assert time.monotonic() < deadline, "the server does not get ready"
        time.sleep(0.1)


def workers_of(server: int) -> list[int]:
    """The processes that work for a server; Linux only."""
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


def hard_text(items: int, voters: int = 30) -> str:
    """Rankings without agreement, which are searched until the time is up."""
    return "".join(
        f"{weight}:{'>'.join(bucket[0] for bucket in ranking)}\n"
        for ranking, weight in cc.generate.uniform(items, voters, seed=1)
    )


@dataclass
class Load:
    """What became of the jobs of many clients."""

    ended: dict[str, str] = field(default_factory=dict)
    refused: int = 0
    without_result: int = 0


async def put_load(
    address: str, clients: int, jobs: int, seed: int = 0, seconds: float = 1.0
) -> Load:
    """Let clients hand in jobs, follow some, cancel or delete some, and fetch what there is.

    The longest search takes so many seconds, and everything else happens within that time.
    """
    rng = random.Random(seed)
    load = Load()
    texts = [("3:a>b>c\n2:b>c>a\n", 5.0), (hard_text(60), seconds / 2), (hard_text(150), seconds)]
    left = list(range(jobs))
    # A connection that is kept may be closed by the server just as it is used again.
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
    async with httpx.AsyncClient(base_url=address, timeout=600, limits=limits) as client:

        async def one_client() -> None:
            while left:
                left.pop()
                await one_job()

        async def one_job() -> None:
            text, seconds = rng.choice(texts)
            while True:
                answer = await client.post("api/jobs", json={"text": text, "time_limit": seconds})
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
                # One who looks at the first event and goes away.
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

        await asyncio.gather(*(one_client() for _ in range(clients)))
    return load
