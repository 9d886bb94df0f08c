"""`Jobs`: the searches that clients have submitted. Each waits, runs, ends and is deleted."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from concordant.serve.frames import Message
from concordant.serve.job import DONE, Job, Source
from concordant.serve.limits import Limits
from concordant.serve.pool import OutOfTime, Pool, PoolBroken, TaskFailed, Worker, WorkerDied
from concordant.serve.store import Expired, Store, StoreError

# Reading the file and compiling a kernel do not count as searching. A search that has not answered
# this long after its time limit is ended.
_SECONDS_OVER = 90.0
_SECONDS_BETWEEN_EVENTS = 0.25
# The status of a job that waits rarely changes.
_SECONDS_BETWEEN_WAITING = 1.0
_SECONDS_BETWEEN_SWEEPS = 5.0
# A job during which the server has ended this often does not run again.
_MOST_ATTEMPTS = 3
# Without a store, the ids of this many jobs that are no longer kept are known.
_EXPIRED_KEPT = 10_000
_LENGTH_OF_ID = 24


class Busy(Exception):
    """The server cannot accept more work now; `seconds` says when to ask again."""

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.message = message
        self.seconds = seconds


class Jobs:
    """All jobs of a server, and the processes that run them.

    Args:
        limits: How much the server accepts.
        store: Where jobs outlive the server; without it, they are only in memory.
    """

    def __init__(self, limits: Limits, store: Store | None = None) -> None:
        self.limits = limits
        self.store = store
        self.solvers = Pool("solver", limits.solvers, limits.worker_bytes)
        self.helpers = Pool("helper", limits.helpers, limits.worker_bytes)
        self.closing = asyncio.Event()
        # How all jobs have ended since the start, including those that are deleted.
        self.ended: Counter[str] = Counter(dict.fromkeys(DONE, 0))
        self.submitted = 0
        self._jobs: dict[str, Job] = {}
        # Deleted jobs whose search has not stopped yet.
        self._deleted: set[Job] = set()
        self._has_waiting = asyncio.Event()
        # When the last job of each client started; emptied when no job waits.
        self._last_starts: dict[str, float] = {}
        # The clients of the requests that wait for a helper.
        self._asking: list[str] = []
        self._expired: dict[str, None] = {}
        # Tasks that run beside the jobs: starting them, deleting them, killing processes.
        self._tasks: set[asyncio.Future[None]] = set()

    async def resume(self) -> None:
        """Submit the jobs again that a server before this one has not ended."""
        if self.store is None:
            return
        with suppress(StoreError):
            await self.store.sweep()
        for entry in await self.store.unfinished():
            job = Job.from_entry(entry)
            # The limits may have changed.
            job.time_limit = min(job.time_limit, self.limits.seconds)
            job.bootstrap = min(job.bootstrap, self.limits.samples)
            self._jobs[job.id] = job
            self.submitted += 1
            if job.attempts >= _MOST_ATTEMPTS:
                why = (
                    f"the server ended {job.attempts} times during this job: it does not run again"
                )
                await self._end(job, "failed", why)
        self._has_waiting.set()

    def start(self) -> None:
        """Start the workers, and the tasks that start and delete jobs."""
        self.solvers.start()
        self.helpers.start()
        self._keep(self._start_waiting())
        self._keep(self._sweep_regularly())

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def close(self) -> None:
        """End all jobs and all workers."""
        self.closing.set()
        tasks = [*self._tasks, *(job.task for job in self._all() if job.task is not None)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(self.solvers.close(), self.helpers.close())
        if self.store is not None:
            await self.store.close()

    # -- waiting -------------------------------------------------------------------------------

    def submit(
        self,
        source: Source,
        time_limit: float,
        seed: int,
        bootstrap: int,
        client: str = "",
        ties: dict[str, Any] | None = None,
    ) -> Job:
        """Add a job, or raise `Busy`. With a store, it starts when it is accepted."""
        self._check_queue([job.client for job in self.waiting()], client, "jobs")
        self._make_room(len(source.content))
        job = Job(source, time_limit, seed, bootstrap, client, ties)
        job.is_accepted = self.store is None
        self._jobs[job.id] = job
        self.submitted += 1
        self._has_waiting.set()
        return job

    async def accept(self, job: Job) -> None:
        """Write a new job to the store. After that, it is not lost with the server.

        Raises:
            StoreError: It cannot be written. The job is deleted.
        """
        if self.store is None:
            return
        try:
            await self.store.add(job.entry())
        except BaseException:
            self._jobs.pop(job.id, None)
            self.submitted -= 1
            raise
        job.is_accepted = True
        self._has_waiting.set()

    def _check_queue(self, clients: list[str], client: str, what: str) -> None:
        """Raise `Busy` when too much waits already, from all clients or from one of them."""
        for given, most, whose in (
            (clients, self.limits.queue, ""),
            ([each for each in clients if each == client], self.limits.client_queue, " of yours"),
        ):
            if len(given) >= most:
                raise Busy(
                    f"too many {what}{whose} are waiting (at most {most}): try again when one of "
                    "them has started",
                    10,
                )

    def waiting(self) -> list[Job]:
        """Return the jobs that wait, in the order in which they will start.

        Clients take turns. The next job is one of the client with the fewest running jobs; among
        several such clients, of the one whose last job started first.
        """
        before = Counter(job.client for job in self._all() if job.state == "running")
        turns = {}
        for job in self._jobs.values():
            if job.state == "queued":
                turns[job] = (before[job.client], self._last_starts.get(job.client, 0.0))
                before[job.client] += 1
        return sorted(turns, key=turns.__getitem__)

    async def _start_waiting(self) -> None:
        """Start the jobs that wait, each when a worker is free."""
        while True:
            await self._has_waiting.wait()
            try:
                worker = await self.solvers.borrow()
            except PoolBroken as error:
                for job in self.waiting():
                    await self._end(job, "failed", error.message)
                self._has_waiting.clear()
                continue
            waiting = [job for job in self.waiting() if job.is_accepted and not job.is_ending]
            if waiting:
                now = time.monotonic()
                job = waiting[0]
                job.update(state="running", phase="reading", started=now, worker=worker)
                job.task = asyncio.create_task(self._run(job, worker))
                self._last_starts[job.client] = now
            else:
                self.solvers.give_back(worker)
            if len(waiting) <= 1:
                self._has_waiting.clear()
                self._last_starts.clear()

    # -- one job -------------------------------------------------------------------------------

    async def find(self, name: str) -> Job | None:
        """Return a job by its id for a request; None when there never was one.

        Raises:
            Expired: It is no longer kept.
            StoreError: It cannot be read.
        """
        if name not in self._jobs and self.store is not None and len(name) == _LENGTH_OF_ID:
            entry = await self.store.find(name)
            # One that has not ended is about to be deleted or accepted, or it is in memory.
            if entry is not None and entry.ended is not None and name not in self._jobs:
                self._jobs[name] = Job.from_entry(entry)
                self._delete_oldest(self._jobs[name])
        job = self._jobs.get(name)
        if name in self._expired or (job is not None and self._is_old(job)):
            raise Expired
        if job is not None:
            job.last_request = time.monotonic()
        return job

    def __contains__(self, name: str) -> bool:
        """Return whether a job is in memory."""
        return name in self._jobs

    def _is_old(self, job: Job) -> bool:
        return job.ended is not None and job.ended < time.monotonic() - self.limits.keep_seconds

    def _all(self) -> list[Job]:
        return [*self._jobs.values(), *self._deleted]

    def count(self, state: str) -> int:
        """Return the number of jobs in a state; of those that have ended, the ones still kept."""
        return sum(job.state == state for job in self._all())

    def ahead_of(self, job: Job) -> int:
        """Return the number of jobs that will start before this one, as far as is known."""
        waiting = self.waiting()
        return waiting.index(job) if job in waiting else 0

    async def _run(self, job: Job, worker: Worker) -> None:
        """Let a worker do a job, and record how the job ends."""
        try:
            how = await self._outcome(job, worker)
        except asyncio.CancelledError:
            # The server ends. A job in the store runs again.
            await self._end(job, "cancelled", is_final=False)
            raise
        finally:
            job.worker = None
            self.solvers.give_back(worker)
        await self._end(job, *how)

    async def _outcome(self, job: Job, worker: Worker) -> tuple[str, str | None, int | None]:
        """Let a worker do a job; return how it ends, and the message and the line if it fails."""
        if self.store is not None:
            job.attempts += 1
            with suppress(StoreError):
                await self.store.begin(job.id)
            if job.cancelled:
                return "cancelled", None, None
        try:
            answer, (result, record) = await worker.run(
                self._task("solve", job.source, job),
                [job.source.content],
                job.time_limit + (self.limits.seconds if job.bootstrap else 0) + _SECONDS_OVER,
                job.on_event,
            )
        except TaskFailed as error:
            job.update(hints=error.hints)
            return "failed", error.message, error.line
        except (OutOfTime, WorkerDied) as error:
            if job.cancelled:
                return "cancelled", None, None
            why = "the process that worked on it ended before it was done: try again"
            if isinstance(error, OutOfTime):
                why = "the search took too long and was ended"
            return "failed", why, None
        job.update(result=result, record=record, is_resampled=answer["resampled"])
        return "cancelled" if answer["cancelled"] else "done", None, None

    async def _end(
        self,
        job: Job,
        state: str,
        message: str | None = None,
        line: int | None = None,
        is_final: bool = True,
    ) -> None:
        """Record the end of a job. What clients see has been stored before."""
        if job.is_ending:
            return
        job.is_ending = True
        job.ended = time.monotonic()
        # A search that ends by itself just before it is stopped has no message.
        changes = {
            "state": state,
            "message": None if state == "done" else message or job.message,
            "line": line,
        }
        if is_final:
            await self._write_end(job, changes)
        self.ended[state] += 1
        job.update(**changes, phase=None)
        self._deleted.discard(job)
        # The result takes memory too.
        self._delete_oldest(job)

    async def _write_end(self, job: Job, changes: dict[str, Any]) -> None:
        """Write the end of a job to the store. What cannot be written stays in memory for now."""
        if self.store is not None and job.is_accepted and job not in self._deleted:
            with suppress(StoreError):
                await self.store.finish(job.entry(**changes))
                job.is_stored = True

    async def cancel(self, job: Job, why: str | None = None) -> None:
        """Stop a job. A search that has begun returns the best ranking that it has found."""
        if job.is_over or job.is_ending or job.cancelled:
            return
        job.update(cancelled=True, message=why)
        if job.worker is None:
            await self._end(job, "cancelled")
            return
        worker = job.worker
        try:
            await worker.cancel()
        except WorkerDied:
            return
        self._keep(self._kill_later(job, worker))

    async def _kill_later(self, job: Job, worker: Worker) -> None:
        """Kill the process of a search that does not stop in time."""
        await asyncio.sleep(self.limits.grace_seconds)
        if job.worker is worker:
            await worker.end()

    async def delete(self, job: Job) -> None:
        """Cancel a job and drop its file and its result."""
        if self.store is not None:
            await self.store.delete(job.id)
        await self.cancel(job)
        self._jobs.pop(job.id, None)
        if not job.is_over:
            self._deleted.add(job)

    async def follow(self, job: Job) -> AsyncGenerator[None]:
        """Yield at every change of a job, and at least twice a second while it runs."""
        job.was_followed = True
        job.followers += 1
        try:
            while not self.closing.is_set():
                changed = job.changed
                yield
                if job.is_over:
                    return
                waits = job.state == "queued"
                try:
                    async with asyncio.timeout(
                        _SECONDS_BETWEEN_WAITING if waits else _SECONDS_BETWEEN_EVENTS
                    ):
                        await changed.wait()
                except TimeoutError:
                    continue
                # Several changes in a row become one event.
                await asyncio.sleep(0.05)
        finally:
            job.followers -= 1
            job.last_request = time.monotonic()

    # -- other tasks ---------------------------------------------------------------------------

    def _task(self, task: str, source: Source, job: Job | None = None, **more: Any) -> Message:
        message: Message = {
            "task": task,
            "suffix": source.suffix,
            "name": source.name,
            "reading": source.reading,
            "limits": asdict(self.limits),
            **more,
        }
        if job is not None:
            message |= {
                "time_limit": job.time_limit,
                "seed": job.seed,
                "bootstrap": job.bootstrap,
                "ties": job.ties,
            }
        return message

    async def help(
        self, task: str, source: Source, client: str, *records: bytes, **more: Any
    ) -> tuple[Message, list[bytes]]:
        """Let a helper read a file, draw a picture or write a report."""
        self._check_queue(self._asking, client, "requests")
        self._asking.append(client)
        try:
            worker = await self.helpers.borrow()
        finally:
            self._asking.remove(client)
        try:
            return await worker.run(
                self._task(task, source, **more),
                [source.content, *records],
                self.limits.reading_seconds,
            )
        finally:
            self.helpers.give_back(worker)

    # -- deleting ------------------------------------------------------------------------------

    def _make_room(self, size: int) -> None:
        """Delete the oldest finished jobs until a new one fits."""
        if self._delete_oldest(size=size) > self.limits.held_bytes:
            raise Busy("the files of the waiting jobs fill the memory: try again later", 30)

    def _delete_oldest(self, spared: Job | None = None, size: int = 0) -> int:
        """Delete the oldest finished jobs while there are too many; return the bytes held."""
        held = size + sum(job.size for job in self._all())
        over = sorted(
            (job for job in self._jobs.values() if job.is_over), key=lambda job: job.ended or 0
        )
        for number, job in enumerate(over):
            if held <= self.limits.held_bytes and len(over) - number <= self.limits.kept:
                break
            # What could not be stored is only here.
            if job is not spared and (self.store is None or job.is_stored):
                held -= job.size
                self._forget(job)
        return held

    def _forget(self, job: Job) -> None:
        """Drop a job from memory. Without a store, its id is then known as expired."""
        self._jobs.pop(job.id, None)
        if self.store is None:
            self._expired[job.id] = None
            while len(self._expired) > _EXPIRED_KEPT:
                del self._expired[next(iter(self._expired))]

    async def _sweep_regularly(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_SWEEPS)
            await self.sweep()

    async def sweep(self) -> None:
        """Delete jobs that ended long ago, and cancel those that nobody follows any more."""
        seconds = self.limits.unattended_seconds
        if self.store is not None:
            with suppress(StoreError):
                await self.store.sweep()
        for job in list(self._jobs.values()):
            if self._is_old(job):
                self._forget(job)
            elif job.is_over and not job.is_stored:
                # The store may have room again.
                await self._write_end(job, {})
            elif job.is_unattended(seconds):
                await self.cancel(job, f"stopped, because nobody followed it for {seconds:g} s")
