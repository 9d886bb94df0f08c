"""`Jobs`: the searches that clients have submitted. Each waits, runs, ends and is deleted."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine
from dataclasses import asdict, dataclass, field
from typing import Any

from concordant.serve.frames import Message
from concordant.serve.limits import Limits
from concordant.serve.pool import OutOfTime, Pool, PoolBroken, TaskFailed, Worker, WorkerDied

# Reading the file and compiling a kernel do not count as searching. A search that has not answered
# this long after its time limit is ended.
_SECONDS_OVER = 90.0
_SECONDS_BETWEEN_EVENTS = 0.25
# The status of a job that waits rarely changes.
_SECONDS_BETWEEN_WAITING = 1.0
_SECONDS_BETWEEN_SWEEPS = 5.0
# A chart needs no more points. When there are more, every other one is dropped.
_MOST_POINTS = 400
DONE = ("done", "cancelled", "failed")


class Busy(Exception):
    """The server cannot accept more work now; `seconds` says when to ask again."""

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.message = message
        self.seconds = seconds


@dataclass(frozen=True)
class Source:
    """A submitted file: its bytes, the end of its name, how to read it, and its name.

    The end of the name gives the format. The name itself is only shown in the report.
    """

    content: bytes
    suffix: str = ""
    reading: dict[str, str] = field(default_factory=dict)
    name: str = ""


@dataclass(eq=False)
class Job:
    """One search, from its submission on."""

    source: Source
    time_limit: float
    seed: int
    bootstrap: int
    client: str = ""
    # The settings of an answer with ties.
    ties: dict[str, Any] | None = None
    id: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    state: str = "queued"
    phase: str | None = None
    started: float | None = None
    ended: float | None = None
    cost: float | None = None
    lower_bound: float | None = None
    gap: float | None = None
    share: float | None = None
    facts: dict[str, Any] | None = None
    message: str | None = None
    line: int | None = None
    hints: list[Any] = field(default_factory=list)
    cancelled: bool = False
    is_resampled: bool = False
    points: list[tuple[float, float, float]] = field(default_factory=list)
    # The result in JSON, and as one worker leaves it for another. The server never decodes them.
    result: bytes | None = None
    record: bytes | None = None
    task: asyncio.Task[None] | None = None
    worker: Worker | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    followers: int = 0
    was_followed: bool = False
    last_request: float = field(default_factory=time.monotonic)

    @property
    def is_over(self) -> bool:
        """Whether the job has ended."""
        return self.state in DONE

    @property
    def size(self) -> int:
        """The number of bytes that the job holds: its file and, when it has ended, its result."""
        return sum(len(part or b"") for part in (self.source.content, self.result, self.record))

    @property
    def elapsed(self) -> float:
        """Seconds since the job started."""
        if self.started is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.started

    def is_unattended(self, seconds: float) -> bool:
        """Whether all followers have left, and no request has come for a number of seconds."""
        is_followed = self.followers > 0 or not self.was_followed
        return not is_followed and time.monotonic() - self.last_request > seconds

    def update(self, **facts: Any) -> None:
        """Set attributes, and wake the followers of the job."""
        for name, value in facts.items():
            setattr(self, name, value)
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

    def on_event(self, message: Message, blocks: list[bytes]) -> None:
        """Store what the worker reports during its task."""
        if message["event"] == "read":
            self.update(facts=message["facts"])
        elif message["event"] == "solved":
            self.update(result=blocks[0], record=blocks[1])
        elif message["phase"] == "resampling":
            self.update(phase="resampling", share=message["share"])
        else:
            self.update(phase=message["phase"])
            if message["cost"] is not None:
                self._add_point(message)

    def _add_point(self, message: Message) -> None:
        self.update(**{name: message[name] for name in ("cost", "lower_bound", "gap")})
        if message["lower_bound"] is None:
            return
        if len(self.points) >= _MOST_POINTS:
            del self.points[1:-1:2]
        self.points.append((self.elapsed, message["cost"], message["lower_bound"]))


class Jobs:
    """All jobs of a server, and the processes that run them.

    Args:
        limits: How much the server accepts.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
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
        # Tasks that run beside the jobs: starting them, deleting them, killing processes.
        self._tasks: set[asyncio.Future[None]] = set()

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
        """Add a job, or raise `Busy`."""
        self._check_queue([job.client for job in self.waiting()], client, "jobs")
        self._make_room(len(source.content))
        job = Job(source, time_limit, seed, bootstrap, client, ties)
        self._jobs[job.id] = job
        self.submitted += 1
        self._has_waiting.set()
        return job

    def _check_queue(self, clients: list[str], client: str, what: str) -> None:
        """Raise `Busy` when too much waits already, from all clients or from one of them."""
        if len(clients) >= self.limits.queue:
            raise Busy(f"{self.limits.queue} {what} are waiting already: try again later", 10)
        if clients.count(client) >= self.limits.client_queue:
            raise Busy(
                f"{self.limits.client_queue} {what} from your address are waiting already: "
                "try again when one of them has started",
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
                    self._end(job, "failed", error.message)
                self._has_waiting.clear()
                continue
            waiting = self.waiting()
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

    def get(self, name: str) -> Job | None:
        """Return a job by its id for a request; None when there is none, or not any more."""
        job = self._jobs.get(name)
        if job is not None:
            job.last_request = time.monotonic()
        return job

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
            answer, (result, record) = await worker.run(
                self._task("solve", job.source, job),
                [job.source.content],
                job.time_limit + (self.limits.seconds if job.bootstrap else 0) + _SECONDS_OVER,
                job.on_event,
            )
        except TaskFailed as error:
            job.update(hints=error.hints)
            self._end(job, "failed", error.message, error.line)
        except OutOfTime:
            self._end_without_worker(job, "the search took too long and was ended")
        except WorkerDied:
            self._end_without_worker(
                job, "the process that worked on it ended before it was done: try again"
            )
        except asyncio.CancelledError:
            self._end(job, "cancelled")
            raise
        else:
            job.update(result=result, record=record, is_resampled=answer["resampled"])
            self._end(job, "cancelled" if answer["cancelled"] else "done")
        finally:
            job.worker = None
            self.solvers.give_back(worker)

    def _end_without_worker(self, job: Job, why: str) -> None:
        if job.cancelled:
            self._end(job, "cancelled")
        else:
            self._end(job, "failed", why)

    def _end(
        self, job: Job, state: str, message: str | None = None, line: int | None = None
    ) -> None:
        self.ended[state] += 1
        job.update(
            state=state,
            phase=None,
            ended=time.monotonic(),
            # A search that ends by itself just before it is stopped has no message.
            message=None if state == "done" else message or job.message,
            line=line,
        )
        self._deleted.discard(job)
        # The result takes memory too.
        self._delete_oldest(job)

    async def cancel(self, job: Job, why: str | None = None) -> None:
        """Stop a job. A search that has begun returns the best ranking that it has found."""
        if job.is_over or job.cancelled:
            return
        job.update(cancelled=True, message=why)
        if job.worker is None:
            self._end(job, "cancelled")
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
            if job is not spared:
                held -= job.size
                del self._jobs[job.id]
        return held

    async def _sweep_regularly(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_SWEEPS)
            await self.sweep()

    async def sweep(self) -> None:
        """Delete jobs that ended long ago, and cancel those that nobody follows any more."""
        last = time.monotonic() - self.limits.keep_seconds
        seconds = self.limits.unattended_seconds
        for job in list(self._jobs.values()):
            if job.ended is not None and job.ended < last:
                self._jobs.pop(job.id, None)
            elif job.is_unattended(seconds):
                await self.cancel(job, f"stopped, because nobody followed it for {seconds:g} s")
