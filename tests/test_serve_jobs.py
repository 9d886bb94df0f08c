"""The jobs of a server and their workers, without the network."""

from __future__ import annotations

import asyncio
import sys
from contextlib import aclosing
from typing import Any

import httpx
import pytest

from concordant.serve.app import create_app
from concordant.serve.job import Job, Source
from concordant.serve.jobs import Busy, Jobs
from concordant.serve.limits import Limits
from concordant.serve.pool import PoolBroken, Worker, WorkerDied
from serving import PATIENCE, VOTES, is_gone, wait_until_gone


class DoneAtOnce:
    """A worker without a process, which finishes every task at once."""

    is_alive = True
    peak = 0

    async def run(self, *given: Any) -> tuple[dict[str, Any], list[bytes]]:
        return {"resampled": False, "cancelled": False}, [b"{}", b""]

    async def end(self) -> None:
        pass


async def until_over(jobs: Jobs, job: Job) -> None:
    async with asyncio.timeout(PATIENCE):
        async for _ in jobs.follow(job):
            pass


class TestQueue:
    def test_a_full_queue_says_when_to_come_back(self) -> None:
        async def fill() -> None:
            jobs = Jobs(Limits(queue=3, client_queue=2))
            for _ in range(2):
                jobs.submit(Source(b"x"), 1, 0, 0, "first")
            with pytest.raises(Busy, match="too many jobs of yours are waiting") as busy:
                jobs.submit(Source(b"x"), 1, 0, 0, "first")
            assert busy.value.seconds > 0
            jobs.submit(Source(b"x"), 1, 0, 0, "second")
            with pytest.raises(Busy, match=r"too many jobs are waiting \(at most 3\)") as busy:
                jobs.submit(Source(b"x"), 1, 0, 0, "third")
            assert busy.value.seconds > 0
            await jobs.close()

        asyncio.run(fill())

    def test_clients_take_turns(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def start(role: str, most_bytes: int) -> Any:
            return DoneAtOnce()

        async def run() -> None:
            monkeypatch.setattr(Worker, "start", start)
            jobs = Jobs(Limits(solvers=1, helpers=0))
            names = ["a1", "a2", "a3", "a4", "b1", "b2", "c1"]
            given = {jobs.submit(Source(b"x"), 1, 0, 0, name[0]): name for name in names}
            turns = ["a1", "b1", "c1", "a2", "b2", "a3", "a4"]
            assert [given[job] for job in jobs.waiting()] == turns
            assert [turns[jobs.ahead_of(job)] for job in given] == names
            jobs.start()
            for job in given:
                await until_over(jobs, job)
            assert [given[job] for job in sorted(given, key=lambda job: job.started or 0)] == turns
            await jobs.close()

        asyncio.run(run())

    def test_a_client_with_fewer_running_jobs_is_first(self) -> None:
        async def submit() -> None:
            jobs = Jobs(Limits())
            running, waiting, other = (
                jobs.submit(Source(b"x"), 1, 0, 0, client) for client in ("a", "a", "b")
            )
            running.update(state="running")
            assert jobs.waiting() == [other, waiting]
            await jobs.close()

        asyncio.run(submit())


class TestEnd:
    def test_a_search_that_does_not_stop_is_killed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        started = []

        async def start(role: str, most_bytes: int) -> Worker:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", "import time; time.sleep(600)"),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            started.append(process.pid)
            return Worker(process)

        async def cancel() -> Job:
            monkeypatch.setattr(Worker, "start", start)
            jobs = Jobs(Limits(solvers=1, helpers=0, grace_seconds=0.01))
            jobs.start()
            job = jobs.submit(Source(b"x"), 1, 0, 0)
            async with asyncio.timeout(PATIENCE):
                async for _ in jobs.follow(job):
                    if job.state == "running":
                        await jobs.cancel(job)
                while len(started) < 2:
                    await asyncio.sleep(0.01)
            assert is_gone(started[0])
            assert not is_gone(started[1])
            await jobs.close()
            return job

        job = asyncio.run(cancel())
        assert (job.state, job.result) == ("cancelled", None)
        wait_until_gone(started)

    def test_a_job_whose_followers_have_left_is_cancelled(self) -> None:
        async def leave() -> None:
            jobs = Jobs(Limits(unattended_seconds=60))
            left, asked, followed, never = (jobs.submit(Source(b"x"), 1, 0, 0) for _ in range(4))
            for job in (left, asked):
                async with aclosing(jobs.follow(job)) as changes:
                    await anext(changes)
            staying = jobs.follow(followed)
            await anext(staying)
            await jobs.sweep()
            for job in (left, asked, followed, never):
                assert not job.is_over
                job.last_request -= 61
            # Any request counts.
            assert await jobs.find(asked.id) is asked
            await jobs.sweep()
            assert [job.is_over for job in (left, asked, followed, never)] == [
                *(True, False, False, False)
            ]
            assert left.state == "cancelled"
            assert left.message == "stopped, because nobody followed it for 60 s"
            await staying.aclose()
            await jobs.close()

        asyncio.run(leave())


class TestJobsAlone:
    def test_a_busy_server_answers_429(self) -> None:
        async def ask() -> list[httpx.Response]:
            app = create_app(Limits(queue=0))
            app.state.jobs = jobs = Jobs(Limits(queue=0))
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                answers = [
                    await one.post(path, json={"text": VOTES})
                    for path in ("/api/jobs", "/api/recognise")
                ]
            await jobs.close()
            return answers

        for answer in asyncio.run(ask()):
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) > 0

    def test_a_job_of_a_starting_server_has_its_own_phase(self) -> None:
        async def ask() -> httpx.Response:
            app = create_app()
            # The workers are never started.
            app.state.jobs = jobs = Jobs(Limits())
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                answer = await one.post("/api/jobs", json={"text": VOTES})
            await jobs.close()
            return answer

        status = asyncio.run(ask()).json()
        assert (status["state"], status["phase"]) == ("queued", "starting")

    def test_a_server_without_workers_answers_503(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def never(role: str, most_bytes: int) -> Worker:
            raise WorkerDied

        async def ask() -> list[httpx.Response]:
            monkeypatch.setattr(Worker, "start", never)
            monkeypatch.setattr("concordant.serve.pool.MAX_FAILED_STARTS", 1)
            app = create_app()
            app.state.jobs = jobs = Jobs(Limits())
            jobs.start()
            await asyncio.sleep(0.1)
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                answers = [
                    await one.get("/healthz"),
                    await one.post("/api/jobs", json={"text": VOTES}),
                    await one.post("/api/recognise", json={"text": VOTES}),
                ]
            await jobs.close()
            return answers

        assert [answer.status_code for answer in asyncio.run(ask())] == [503, 503, 503]

    def test_waiting_jobs_fail_when_no_worker_starts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def wait() -> Job:
            begin = asyncio.Event()

            async def never(role: str, most_bytes: int) -> Worker:
                await begin.wait()
                raise WorkerDied

            monkeypatch.setattr(Worker, "start", never)
            monkeypatch.setattr("concordant.serve.pool.MAX_FAILED_STARTS", 2)
            jobs = Jobs(Limits())
            jobs.start()
            job = jobs.submit(Source(b"x"), 1, 0, 0)
            looking = asyncio.create_task(jobs.help("recognise", Source(b"x"), ""))
            await asyncio.sleep(0)
            begin.set()
            with pytest.raises(PoolBroken):
                await looking
            async for _ in jobs.follow(job):
                pass
            # Later requests fail at once.
            with pytest.raises(PoolBroken):
                await jobs.help("recognise", Source(b"x"), "")
            await jobs.close()
            return job

        job = asyncio.run(wait())
        assert job.state == "failed"
        assert job.message == "the server cannot start its worker processes"

    def test_a_worker_ends_with_its_child_processes(self) -> None:
        code = (
            "import subprocess, sys, time; child = [sys.executable, '-c', 'input()'];"
            "child = subprocess.Popen(child, stdin=subprocess.PIPE);"
            "print(child.pid, flush=True); time.sleep(600)"
        )

        async def end() -> int:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", code),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            assert process.stdout is not None
            child = int(await process.stdout.readline())
            assert not is_gone(child)
            await Worker(process).end()
            return child

        wait_until_gone([asyncio.run(end())])

    def test_a_followed_job_can_be_deleted_twice(self) -> None:
        async def forget() -> None:
            jobs = Jobs(Limits())
            first, second = (jobs.submit(Source(b"x"), 1, 0, 0) for _ in range(2))
            assert [jobs.ahead_of(job) for job in (first, second)] == [0, 1]
            seen = []

            async def follow() -> None:
                async for _ in jobs.follow(second):
                    seen.append((second.state, jobs.ahead_of(second)))

            following = asyncio.create_task(follow())
            await asyncio.sleep(0)
            await asyncio.gather(*(jobs.delete(second) for _ in range(2)))
            assert await jobs.find(second.id) is None
            assert jobs.ahead_of(second) == 0
            await following
            assert seen[-1] == ("cancelled", 0)
            assert (jobs.count("queued"), jobs.ended["cancelled"]) == (1, 1)
            await jobs.close()

        asyncio.run(forget())

    def test_results_take_memory_too(self) -> None:
        async def fill() -> None:
            jobs = Jobs(Limits(queue=100, held_bytes=100))
            first, second = (jobs.submit(Source(b"x" * 10), 1, 0, 0) for _ in range(2))
            await jobs.cancel(first)
            first.update(result=b"x" * 40, record=b"x" * 40)
            assert first.size == 90
            await jobs.cancel(second)
            assert [job.id not in jobs for job in (first, second)] == [False, False]
            second.update(result=b"x" * 10)
            third = jobs.submit(Source(b"x"), 1, 0, 0)
            assert [job.id not in jobs for job in (first, second)] == [True, False]
            await jobs.cancel(third)
            await jobs.close()

        asyncio.run(fill())

    def test_the_default_time_is_within_the_limit(self) -> None:
        async def ask() -> tuple[Any, Any]:
            app = create_app(Limits(seconds=5))
            app.state.jobs = jobs = Jobs(Limits(seconds=5))
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                about = (await one.get("/api/about")).json()
                job = (await one.post("/api/jobs", json={"text": VOTES})).json()
            await jobs.close()
            return about["default_seconds"], job["time_limit"]

        assert asyncio.run(ask()) == (5, 5)

    def test_finished_jobs_are_deleted_when_the_memory_is_full(self) -> None:
        async def fill() -> None:
            jobs = Jobs(Limits(queue=100, held_bytes=100, kept=3))
            first = jobs.submit(Source(b"x" * 60), 1, 0, 0)
            with pytest.raises(Busy):
                jobs.submit(Source(b"x" * 60), 1, 0, 0)
            await jobs.cancel(first)
            second = jobs.submit(Source(b"x" * 60), 1, 0, 0)
            assert first.id not in jobs
            assert second.id in jobs
            assert jobs.ended["cancelled"] == 1
            await jobs.close()

        asyncio.run(fill())

    def test_finished_jobs_are_deleted_after_a_while(self) -> None:
        async def wait() -> None:
            jobs = Jobs(Limits(keep_seconds=10))
            old, new, waiting = (jobs.submit(Source(b"x"), 1, 0, 0) for _ in range(3))
            for job in (old, new):
                await jobs.cancel(job)
            assert old.ended is not None
            old.ended -= 11
            await jobs.sweep()
            assert [job.id not in jobs for job in (old, new, waiting)] == [True, False, False]
            await jobs.close()

        asyncio.run(wait())

    def test_ids_cannot_be_guessed(self) -> None:
        async def make() -> set[str]:
            return {Job(Source(b""), 1, 0, 0).id for _ in range(1000)}

        ids = asyncio.run(make())
        assert len(ids) == 1000
        assert min(map(len, ids)) >= 22
