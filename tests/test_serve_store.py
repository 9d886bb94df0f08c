"""The store of a server: what outlives it, what expires, and files that cannot be used."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from commands import run
from concordant.errors import SettingError
from concordant.serve import store as store_module
from concordant.serve.app import create_app
from concordant.serve.job import Job, Source
from concordant.serve.jobs import Jobs
from concordant.serve.limits import Limits
from concordant.serve.pool import Worker, WorkerDied
from concordant.serve.store import Entry, Expired, Store, StoreError
from serving import PATIENCE, hard_text, until_ready
from storing import StoredServer

SCRIPT = "<script>alert(1)</script>"
SQL = "'); DROP TABLE jobs; --"
LIMITS = Limits(solvers=1, helpers=0)


class Solver:
    """A worker without a process. It answers at once, never, or dies."""

    is_alive = True
    peak = 0

    def __init__(self, how: str = "done") -> None:
        self.how = how

    async def run(self, *given: Any) -> tuple[dict[str, Any], list[bytes]]:
        if self.how == "never":
            await asyncio.Event().wait()
        if self.how == "dies":
            raise WorkerDied
        return {"resampled": True, "cancelled": False}, [b'{"cost": 1}', b"record"]

    async def cancel(self) -> None:
        pass

    async def end(self) -> None:
        pass


@pytest.fixture
def solver(monkeypatch: pytest.MonkeyPatch) -> Solver:
    found = Solver()

    async def start(role: str, most_bytes: int) -> Any:
        return found

    monkeypatch.setattr(Worker, "start", start)
    return found


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "jobs.db"


def some_entry(name: str = "x" * 24, size: int = 10, **changes: Any) -> Entry:
    plain = Entry(name, "queued", 1.0, None, 0, "", {"seed": 0}, {}, b"x" * size)
    return replace(plain, **changes)


async def begun(path: Path, limits: Limits = LIMITS) -> Jobs:
    """Return the jobs of a server that has just started."""
    jobs = Jobs(limits, Store(path, limits.keep_seconds, limits.stored_bytes))
    await jobs.resume()
    jobs.start()
    return jobs


async def submitted(jobs: Jobs, text: bytes = b"a>b", **more: Any) -> Job:
    job = jobs.submit(Source(text, ".abif", {"unranked": "last"}, "x.abif"), 5, 7, 0, **more)
    await jobs.accept(job)
    return job


async def until_over(jobs: Jobs, job: Job) -> None:
    async with asyncio.timeout(PATIENCE):
        async for _ in jobs.follow(job):
            pass


async def crash(jobs: Jobs) -> None:
    """End a server without what it does when it ends on purpose."""
    assert jobs.store is not None
    store, jobs.store = jobs.store, None
    await asyncio.to_thread(store._thread.shutdown)
    store._db.close()
    jobs.is_crashed = True  # type: ignore[attr-defined]
    await jobs.close()


class TestJobs:
    def test_a_finished_job_is_found_again(self, path: Path, solver: Solver) -> None:
        async def main() -> None:
            jobs = await begun(path)
            job = await submitted(jobs, client="a", ties={"ties": True})
            await until_over(jobs, job)
            assert (job.state, job.is_stored) == ("done", True)
            await crash(jobs)
            jobs = await begun(path)
            again = await jobs.find(job.id)
            assert again is not None
            for name in ("source", "time_limit", "seed", "ties", "result", "record", "state"):
                assert getattr(again, name) == getattr(job, name), name
            assert again.is_resampled
            assert again.elapsed == pytest.approx(job.elapsed, abs=0.1)
            # The address of a client is not kept longer than its job waits.
            assert again.client == ""
            assert await jobs.find(job.id) is again
            assert await jobs.find("y" * 24) is None
            assert await jobs.find("\ud800" * 24) is None
            await jobs.delete(again)
            assert await jobs.find(job.id) is None
            await jobs.close()

        asyncio.run(main())
        assert not Path(f"{path}-wal").exists()

    def test_what_was_running_or_waiting_runs_again(self, path: Path, solver: Solver) -> None:
        async def main() -> None:
            solver.how = "never"
            jobs = await begun(path)
            first, second = [await submitted(jobs, client=name) for name in "ab"]
            while first.state != "running" or not first.attempts:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.01)
            await crash(jobs)
            solver.how = "done"
            jobs = await begun(path, Limits(solvers=1, helpers=0, seconds=2))
            again = [await jobs.find(job.id) for job in (first, second)]
            for job in again:
                assert job is not None
                # The limits of the server that runs it hold.
                assert job.time_limit == 2
                await until_over(jobs, job)
                assert (job.state, job.result) == ("done", b'{"cost": 1}')
            assert jobs.submitted == 2
            await jobs.close()

        asyncio.run(main())

    def test_a_server_that_ends_on_purpose_leaves_jobs_for_the_next(
        self, path: Path, solver: Solver
    ) -> None:
        async def main() -> None:
            solver.how = "never"
            for _ in range(5):
                jobs = await begun(path)
                if jobs.submitted == 0:
                    await submitted(jobs)
                while not jobs.count("running"):
                    await asyncio.sleep(0.01)
                await jobs.close()
            solver.how = "done"
            jobs = await begun(path)
            while not jobs.ended["done"]:
                await asyncio.sleep(0.01)
            await jobs.close()

        asyncio.run(main())

    def test_a_job_that_kills_the_server_does_not_run_for_ever(
        self, path: Path, solver: Solver
    ) -> None:
        async def main() -> None:
            solver.how = "never"
            name = ""
            for number in range(3):
                jobs = await begun(path)
                job = await submitted(jobs) if not number else await jobs.find(name)
                assert job is not None
                name = job.id
                while job.attempts <= number:
                    await asyncio.sleep(0.01)
                await asyncio.sleep(0.01)
                await crash(jobs)
            jobs = await begun(path)
            over = await jobs.find(name)
            assert over is not None
            assert (over.state, over.result) == ("failed", None)
            assert over.message is not None
            assert "the server ended 3 times during this job" in over.message
            await jobs.close()

        asyncio.run(main())

    def test_cancelled_and_failed_jobs_are_kept_too(self, path: Path, solver: Solver) -> None:
        async def main() -> None:
            solver.how = "dies"
            jobs = await begun(path)
            failed = await submitted(jobs)
            await until_over(jobs, failed)
            solver.how = "never"
            running, waiting = [await submitted(jobs) for _ in range(2)]
            while running.state != "running":
                await asyncio.sleep(0.01)
            await jobs.cancel(waiting, "because")
            await jobs.delete(running)
            await crash(jobs)
            jobs = await begun(path)
            assert jobs.submitted == 0
            ends = [await jobs.find(job.id) for job in (failed, waiting, running)]
            assert [job and (job.state, job.message) for job in ends] == [
                ("failed", "the process that worked on it ended before it was done: try again"),
                ("cancelled", "because"),
                None,
            ]
            await jobs.close()

        asyncio.run(main())

    def test_memory_is_only_a_part_of_the_store(self, path: Path, solver: Solver) -> None:
        async def main() -> None:
            jobs = await begun(path, Limits(solvers=1, helpers=0, kept=2))
            done = [await submitted(jobs) for _ in range(5)]
            for job in done:
                await until_over(jobs, job)
            assert sum(job.id in jobs for job in done) == 2
            assert [(await jobs.find(job.id)) is not None for job in done] == [True] * 5
            assert sum(job.id in jobs for job in done) <= 3
            await jobs.close()

        asyncio.run(main())

    def test_expired_jobs(
        self, path: Path, solver: Solver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def main() -> None:
            limits = Limits(solvers=1, helpers=0, keep_seconds=100)
            jobs = await begun(path, limits)
            job = await submitted(jobs)
            await until_over(jobs, job)
            waiting = jobs.submit(Source(b""), 1, 0, 0)
            assert await jobs.find(job.id) is job
            now = store_module.time.time()
            monkeypatch.setattr(store_module.time, "time", lambda: now + 101)
            assert job.ended is not None
            job.ended -= 101
            # It has expired even before it is deleted.
            with pytest.raises(Expired):
                await jobs.find(job.id)
            await jobs.sweep()
            assert job.id not in jobs
            assert waiting.id in jobs
            with pytest.raises(Expired):
                await jobs.find(job.id)
            await crash(jobs)
            jobs = await begun(path, limits)
            with pytest.raises(Expired):
                await jobs.find(job.id)
            app = create_app(limits)
            app.state.jobs = jobs
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                for part in ("", "/result", "/report", "/events", "/plots/bump.png"):
                    gone = await one.get(f"/api/jobs/{job.id}{part}")
                    assert gone.status_code == 410
                    assert "keeps a result for 1.7 minutes" in gone.json()["detail"]
                    unknown = await one.get(f"/api/jobs/{'x' * 24}{part}")
                    assert unknown.status_code == 404
                    assert "no such job" in unknown.json()["detail"]
            # Nothing is left of its id or its file.
            await jobs.close()
            assert job.id.encode() not in path.read_bytes()
            assert b"a>b" not in path.read_bytes()

        asyncio.run(main())

    def test_without_a_store_a_job_expires_too(self) -> None:
        async def main() -> None:
            jobs = Jobs(Limits(keep_seconds=10))
            job = jobs.submit(Source(b"x"), 1, 0, 0)
            await jobs.accept(job)
            await jobs.cancel(job)
            assert await jobs.find(job.id) is job
            assert job.ended is not None
            job.ended -= 11
            for _ in range(2):
                with pytest.raises(Expired):
                    await jobs.find(job.id)
                await jobs.sweep()
            await jobs.close()

        asyncio.run(main())

    def test_a_store_that_fails_at_run_time(
        self, path: Path, solver: Solver, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def main() -> None:
            jobs = await begun(path)
            assert jobs.store is not None
            app = create_app(LIMITS)
            app.state.jobs = jobs
            # No more pages: as when the disk is full.
            db = jobs.store._db
            solver.how = "never"
            job = await submitted(jobs)
            pages = db.execute("PRAGMA page_count").fetchone()[0]
            db.execute(f"PRAGMA max_page_count = {pages}")
            big = "3: Ann > Bo\n" * 2_000
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                refused = await one.post("/api/jobs", json={"text": big})
                assert refused.status_code == 503
                assert "the disk is full" in refused.json()["detail"]
                assert int(refused.headers["retry-after"]) > 0
                health = (await one.get("/healthz")).json()
                assert (health["store"], health["submitted"]) == ("failing", 1)
                # A result that cannot be stored is kept in memory, and stored as soon as possible.
                job.record = b"x" * 50_000
                job.update(result=b"{}")
                await jobs._end(job, "done")
                status = (await one.get(f"/api/jobs/{job.id}")).json()
                assert (status["state"], status["stored"]) == ("done", False)
                assert (await one.get(f"/api/jobs/{job.id}/result")).content == b"{}"
                jobs._delete_oldest(size=10**12)
                assert job.id in jobs
                db.execute("PRAGMA max_page_count = 1000000")
                await jobs.sweep()
                status = (await one.get(f"/api/jobs/{job.id}")).json()
                assert (status["state"], status["stored"]) == ("done", True)
                assert (await one.get("/healthz")).json()["store"] == "ok"
            await crash(jobs)
            jobs = await begun(path)
            again = await jobs.find(job.id)
            assert again is not None
            assert (again.state, again.result) == ("done", b"{}")
            await jobs.close()

        asyncio.run(main())


class TestFile:
    def test_only_its_owner_can_read_it(self, path: Path) -> None:
        before = os.umask(0)
        try:
            store = Store(path)
            for file in path.parent.iterdir():
                assert stat.S_IMODE(file.stat().st_mode) == 0o600, file
        finally:
            os.umask(before)
        asyncio.run(store.close())
        path.chmod(0o644)
        asyncio.run(Store(path).close())
        assert stat.S_IMODE(path.stat().st_mode) == 0o600

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"3: Ann > Bo\n" * 100, "is not a store of concordant"),
            (b"SQLite format 3\0" + b"x" * 4_000, "is not a store of concordant"),
            ("CREATE TABLE x (y)", "is another database"),
            ("PRAGMA application_id = 7", "is another database"),
            ("PRAGMA user_version = 2", r"newer version of concordant \(schema 2, and this one"),
            ("PRAGMA user_version = 0", r"another version of concordant \(schema 0, and this one"),
            ("DROP TABLE expired", "is damaged"),
            ("ALTER TABLE jobs DROP COLUMN record", "is damaged"),
        ],
    )
    def test_other_files_are_refused_and_left_alone(
        self, path: Path, content: bytes | str, message: str
    ) -> None:
        if isinstance(content, bytes):
            path.write_bytes(content)
        else:
            if "CREATE" not in content:
                asyncio.run(Store(path).close())
            with sqlite3.connect(path) as db:
                db.execute(content)
            db.close()
        before = path.read_bytes()
        for _ in range(2):
            with pytest.raises(SettingError, match=message):
                Store(path)
        assert path.read_bytes() == before

    def test_a_store_that_was_damaged(self, path: Path) -> None:
        async def fill() -> None:
            store = Store(path)
            for number in range(50):
                await store.add(some_entry(f"{number:024}", 3_000))
            await store.close()

        asyncio.run(fill())
        whole = path.read_bytes()
        for place in (whole.index(b"x" * 3_000) + 1_500, len(whole) // 2 + 8):
            path.write_bytes(whole[:place] + b"\xff" * 16 + whole[place + 16 :])
            # SQLite does not see it. The digest does: that job is not run again.
            store = Store(path)
            assert len(asyncio.run(store.unfinished())) == 49
            asyncio.run(store.close())
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(SettingError, match="is damaged"):
            Store(path)

    def test_a_changed_result_is_not_shown(self, path: Path) -> None:
        async def main() -> None:
            store = Store(path)
            entry = some_entry(ended=1e12, state="done", result=b"{}", record=b"r")
            await store.add(entry)
            assert await store.find(entry.id) == entry
            store._db.execute("UPDATE jobs SET result = x'7b7c'")
            with pytest.raises(StoreError, match="damaged at this job"):
                await store.find(entry.id)
            store._db.execute("UPDATE jobs SET result = 7")
            with pytest.raises(StoreError, match="damaged at this job"):
                await store.find(entry.id)
            await store.close()

        asyncio.run(main())

    def test_a_file_in_use_or_a_folder(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(store_module, "_SECONDS_FOR_LOCK", 0.05)
        store = Store(path)
        refused = run("serve", "--port", "0", "--store", str(path))
        assert refused.exit_code == 2
        assert f"--store: {path} is in use: another server is running on it" in refused.stderr
        asyncio.run(store.close())
        for wrong, why in ((path.parent, "directory"), (path.parent / "none" / "x", "No such")):
            refused = run("serve", "--port", "0", "--store", str(wrong))
            assert refused.exit_code == 2
            assert f"--store: {wrong} cannot be used: " in refused.stderr
            assert why in refused.stderr

    def test_keep_is_a_time(self) -> None:
        for wrong in ("7", "d", "7 weeks", "-1d", "0s", "1e9d", "99999999d"):
            refused = run("serve", "--port", "0", "--keep", wrong)
            assert refused.exit_code == 2, wrong
            assert "--keep must be a number and a unit" in refused.stderr

    def test_the_oldest_results_make_room(self, path: Path) -> None:
        async def main() -> None:
            store = Store(path, keep_seconds=1e12, most_bytes=10_000)
            names = [f"{number:024}" for number in range(6)]
            for number, name in enumerate(names[:4]):
                ended = None if number == 0 else float(number)
                await store.add(some_entry(name, 2_900, ended=ended, state="done"))
            found = []
            for name in names[:4]:
                try:
                    found.append(await store.find(name) is not None)
                except Expired:
                    found.append(False)
            # The one that has not ended stays.
            assert found == [True, False, True, True]
            with pytest.raises(StoreError, match="fill the store"):
                await store.add(some_entry(names[4], 8_000))
            # Nothing was deleted for a job that does not fit.
            assert await store.find(names[3]) is not None
            await store.add(some_entry(names[5], 100))
            await store.close()
            await Store(path).close()

        asyncio.run(main())

    def test_only_the_last_expired_ids_are_known(
        self, path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(store_module, "_EXPIRED_KEPT", 3)

        async def main() -> None:
            store = Store(path, keep_seconds=1)
            for number in range(6):
                await store.add(some_entry(f"{number:024}", ended=1.0, state="done"))
                await store.sweep()
            count = store._db.execute("SELECT count(*) FROM expired").fetchone()[0]
            assert count == 3
            await store.close()

        asyncio.run(main())

    def test_sql_is_only_text(self, path: Path) -> None:
        async def main() -> None:
            store = Store(path)
            entry = some_entry(SQL, client=SQL, request={SQL: SQL}, outcome={SQL: [SQL]})
            entry = replace(entry, content=SQL.encode(), result=SQL.encode(), record=SQL.encode())
            await store.add(entry)
            await store.begin(SQL)
            await store.finish(replace(entry, state=SQL, ended=1e12))
            assert await store.find(SQL) == replace(entry, state=SQL, ended=1e12)
            assert await store.find("x' OR '1'='1") is None
            await store.delete("x' OR '1'='1")
            assert await store.find(SQL) is not None
            await store.close()

        asyncio.run(main())


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StoredServer]:
    found = StoredServer(tmp_path_factory.mktemp("store") / "jobs.db", is_small=True)
    found.start()
    yield found
    found.stop()


def test_a_server_that_is_killed(server: StoredServer) -> None:
    """One server with everything that the store must bring back; it takes a while to start."""
    until_ready(server.address)
    votes = f'voter,rank,item\n{SCRIPT},1,"{SQL}"\n{SCRIPT},2,{SCRIPT}\nx,1,{SCRIPT}\nx,2,c\n'
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as client:
        bodies = [
            {"text": votes, "name": f"{SCRIPT}.csv", "bootstrap": 5},
            {"text": votes, "name": f"{SQL}.csv", "format": "csv", "first": ["c"]},
            {"text": "a>a", "name": "x.abif"},
        ]
        jobs = [client.post("api/jobs", json=body).json()["id"] for body in bodies]
        for job in jobs:
            client.get(f"api/jobs/{job}/events")
        before = everything(client, jobs)
        status = [before[job].json() for job in jobs]
        assert [each["state"] for each in status] == ["done", "done", "failed"], status
        assert all(each["stored"] and each["kept_until"] for each in status)
        hard = {"text": hard_text(60), "time_limit": 0.3}
        waiting = [client.post("api/jobs", json=hard).json()["id"] for _ in range(2)]
    server.kill()
    server.start()
    with httpx.Client(base_url=server.address, timeout=PATIENCE) as client:
        for job in waiting:
            # Those that had ended before the kill have ended now too; the others run again.
            client.get(f"api/jobs/{job}/events")
            assert client.get(f"api/jobs/{job}").json()["state"] == "done"
        after = everything(client, jobs)
        for name, answer in before.items():
            assert after[name].status_code == answer.status_code, name
            if name in jobs:
                new, old = after[name].json(), answer.json()
                seconds = [each.pop("progress").pop("elapsed") for each in (new, old)]
                assert seconds[0] == pytest.approx(seconds[1], abs=1e-6)
                ends = [datetime.fromisoformat(each.pop("kept_until")) for each in (new, old)]
                assert abs((ends[0] - ends[1]).total_seconds()) <= 1
                assert new == old
            else:
                assert after[name].content == answer.content, name
        assert after[f"{jobs[0]}/proof"].status_code == 200
        assert after[f"{jobs[1]}/result"].json()["ranking"][0] == "c"
        page = after[f"{jobs[0]}/report"]
        assert SCRIPT not in page.text
        assert "&lt;script&gt;" in page.text
        assert "sandbox" in page.headers["content-security-policy"]
        assert after[f"{jobs[0]}/result"].headers["content-type"] == "application/json"
        assert client.get("healthz").json()["store"] == "ok"
        assert client.delete(f"api/jobs/{jobs[0]}").status_code == 204
        assert client.get(f"api/jobs/{jobs[0]}").status_code == 404


def everything(client: httpx.Client, jobs: list[str]) -> dict[str, httpx.Response]:
    """Return all answers about some jobs."""
    names = [f"{job}{part}" for job in jobs for part in ("", "/result")]
    names += [f"{jobs[0]}/{part}" for part in ("report", "proof", "plots/bootstrap.png")]
    return {name: client.get(f"api/jobs/{name}") for name in names}
