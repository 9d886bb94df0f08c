"""`Jobs`: what people have asked for. Each job waits, runs, ends and is forgotten."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass, field
from itertools import takewhile
from typing import Any

from concordant.serve.frames import Message
from concordant.serve.limits import Limits
from concordant.serve.pool import OutOfTime, Pool, PoolBroken, TaskFailed, Worker, WorkerDied

# Compiling a kernel does not count as searching, and reading takes its time: a search that has
# not answered this long after its limit never will.
_SECONDS_OVER = 90.0
_SECONDS_BETWEEN_EVENTS = 0.25
# A job that waits has little to tell.
_SECONDS_BETWEEN_WAITING = 1.0
_SECONDS_BETWEEN_SWEEPS = 5.0
# A chart needs no more points; every other one is dropped when there are more.
_MOST_POINTS = 400
DONE = ("done", "cancelled", "failed")


class Busy(Exception):
    """The server has as much to do as it takes on; `seconds` says when to ask again."""

    def __init__(self, message: str, seconds: int) -> None:
        super().__init__(message)
        self.message = message
        self.seconds = seconds


@dataclass(frozen=True)
class Source:
    """A file as it was handed in: its bytes, the end of its name, how to read it, its name.

    The end of the name tells the format; the name itself is only shown, in the report.
    """

    content: bytes
    suffix: str = ""
    reading: dict[str, str] = field(default_factory=dict)
    name: str = ""


@dataclass(eq=False)
class Job:
    """One search, from the moment it is handed in."""

    source: Source
    time_limit: float
    seed: int
    bootstrap: int
    id: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    state: str = "queued"
    phase: str | None = None
    created: float = field(default_factory=time.monotonic)
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
    # The result in JSON, and as one worker leaves it for another; never opened in the server.
    result: bytes | None = None
    record: bytes | None = None
    task: asyncio.Task[None] | None = None
    worker: Worker | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen."""
        return self.state in DONE

    @property
    def size(self) -> int:
        """How many bytes the job holds: its file and, when it is done, its result."""
        return sum(len(part or b"") for part in (self.source.content, self.result, self.record))

    @property
    def elapsed(self) -> float:
        """Seconds since the work began."""
        if self.started is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.started

    def update(self, **facts: Any) -> None:
        """Set what has changed, and wake those who follow the job."""
        for name, value in facts.items():
            setattr(self, name, value)
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

    def on_event(self, message: Message, blocks: list[bytes]) -> None:
        """Take what the worker says while it works."""
        if message["event"] == "read":
            self.update(facts=message["facts"])
        elif message["event"] == "solved":
            self.update(result=blocks[0], record=blocks[1])
        elif message["phase"] == "resampling":
            self.update(phase="resampling", share=message["share"])
        else:
            self.update(phase=message["phase"])
            if message["cost"] is not None:
                self._point(message)

    def _point(self, message: Message) -> None:
        self.update(**{name: message[name] for name in ("cost", "lower_bound", "gap")})
        if message["lower_bound"] is None:
            return
        if len(self.points) >= _MOST_POINTS:
            del self.points[1:-1:2]
        self.points.append((self.elapsed, message["cost"], message["lower_bound"]))


class Jobs:
    """All jobs of a server, and the workers that do them.

    Args:
        limits: How much it takes on.
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.solvers = Pool("solver", limits.solvers, limits.worker_bytes)
        self.helpers = Pool("helper", limits.helpers, limits.worker_bytes)
        self.closing = asyncio.Event()
        # How all jobs ended that ever were, the forgotten ones too.
        self.ended: Counter[str] = Counter(dict.fromkeys(DONE, 0))
        self.submitted = 0
        self._jobs: dict[str, Job] = {}
        # Those that nobody can ask for any more, but whose search has not stopped yet.
        self._leaving: set[Job] = set()
        self._sweeper: asyncio.Task[None] | None = None
        self._endings: set[asyncio.Future[None]] = set()

    def start(self) -> None:
        """Start the workers and the clock that forgets."""
        self.solvers.start()
        self.helpers.start()
        self._sweeper = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """End all jobs and all workers."""
        self.closing.set()
        tasks = [job.task for job in self._all() if job.task is not None]
        if self._sweeper is not None:
            tasks.append(self._sweeper)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await asyncio.gather(self.solvers.close(), self.helpers.close())

    # -- one job -------------------------------------------------------------------------------

    def submit(self, source: Source, time_limit: float, seed: int, bootstrap: int) -> Job:
        """Take a job on, or say that there is too much to do."""
        if self.count("queued") >= self.limits.queue:
            raise Busy(f"{self.limits.queue} jobs are waiting already: try again later", 10)
        self._make_room(len(source.content))
        job = Job(source, time_limit, seed, bootstrap)
        self._jobs[job.id] = job
        self.submitted += 1
        job.task = asyncio.create_task(self._drive(job))
        return job

    def get(self, name: str) -> Job | None:
        """Return a job by its id; None when there is none, or none any more."""
        return self._jobs.get(name)

    def _all(self) -> list[Job]:
        return [*self._jobs.values(), *self._leaving]

    def count(self, state: str) -> int:
        """How many jobs are in a state; of those that have ended, the ones that are remembered."""
        return sum(job.state == state for job in self._all())

    def ahead_of(self, job: Job) -> int:
        """How many jobs wait in front of this one; none in front of one that is forgotten."""
        if job.state != "queued" or job.id not in self._jobs:
            return 0
        in_front = takewhile(lambda each: each is not job, self._jobs.values())
        return sum(each.state == "queued" for each in in_front)

    async def _drive(self, job: Job) -> None:
        """See a job through: wait for a worker, let it work, note how it ends."""
        try:
            worker = await self.solvers.borrow()
        except asyncio.CancelledError:
            self._end(job, "cancelled")
            raise
        except PoolBroken as error:
            job.update(message=error.message)
            self._end(job, "failed")
            return
        job.worker = worker
        job.update(state="running", phase="reading", started=time.monotonic())
        try:
            answer, (result, record) = await worker.run(
                self._task("solve", job.source, job),
                [job.source.content],
                job.time_limit + (self.limits.seconds if job.bootstrap else 0) + _SECONDS_OVER,
                job.on_event,
            )
        except TaskFailed as error:
            job.update(message=error.message, line=error.line, hints=error.hints)
            self._end(job, "failed")
        except OutOfTime:
            self._lost(job, "it took too long, and was ended")
        except WorkerDied:
            self._lost(job, "the process that worked on it ended before it was done: try again")
        except asyncio.CancelledError:
            self._end(job, "cancelled")
            raise
        else:
            job.update(result=result, record=record, is_resampled=answer["resampled"])
            self._end(job, "cancelled" if answer["cancelled"] else "done")
        finally:
            job.worker = None
            self.solvers.give_back(worker)

    def _lost(self, job: Job, why: str) -> None:
        """End a job whose worker has gone."""
        if job.cancelled:
            self._end(job, "cancelled")
            return
        job.update(message=why)
        self._end(job, "failed")

    def _end(self, job: Job, state: str) -> None:
        self.ended[state] += 1
        job.update(state=state, phase=None, ended=time.monotonic())
        self._leaving.discard(job)
        # The result takes memory too.
        self._drop_oldest(job)

    async def cancel(self, job: Job) -> None:
        """Stop a job; a search hands over the best that it has found."""
        if job.is_over or job.cancelled:
            return
        job.update(cancelled=True)
        if job.worker is None:
            if job.task is not None:
                job.task.cancel()
                await asyncio.wait([job.task])
            if not job.is_over:
                # It was cancelled before it first ran.
                self._end(job, "cancelled")
            return
        worker = job.worker
        try:
            await worker.cancel()
        except WorkerDied:
            return
        asyncio.get_running_loop().call_later(self.limits.grace_seconds, self._insist, job, worker)

    def _insist(self, job: Job, worker: Worker) -> None:
        """End the process of a search that does not stop."""
        if job.worker is worker and not self.closing.is_set():
            ending = asyncio.ensure_future(worker.end())
            self._endings.add(ending)
            ending.add_done_callback(self._endings.discard)

    async def forget(self, job: Job) -> None:
        """Cancel a job and drop all that is known of it."""
        await self.cancel(job)
        self._jobs.pop(job.id, None)
        if not job.is_over:
            self._leaving.add(job)

    async def follow(self, job: Job) -> AsyncIterator[None]:
        """Yield at every change of a job, while it runs at least twice a second, till it ends."""
        while not self.closing.is_set():
            changed = job.changed
            yield
            if job.is_over:
                return
            try:
                waits = job.state == "queued"
                async with asyncio.timeout(
                    _SECONDS_BETWEEN_WAITING if waits else _SECONDS_BETWEEN_EVENTS
                ):
                    await changed.wait()
            except TimeoutError:
                continue
            # Several changes in a row are one event.
            await asyncio.sleep(0.05)

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
            }
        return message

    async def help(
        self, task: str, source: Source, *records: bytes, **more: Any
    ) -> tuple[Message, list[bytes]]:
        """Let a helper look at a file, draw or write a report."""
        if self.helpers.waiting >= self.limits.queue:
            raise Busy("too many files are being looked at: try again later", 5)
        worker = await self.helpers.borrow()
        try:
            return await worker.run(
                self._task(task, source, **more),
                [source.content, *records],
                self.limits.reading_seconds,
            )
        finally:
            self.helpers.give_back(worker)

    # -- forgetting ----------------------------------------------------------------------------

    def _make_room(self, size: int) -> None:
        """Forget the oldest finished jobs until a new one fits."""
        if self._drop_oldest(size=size) > self.limits.held_bytes:
            raise Busy("the files of the jobs that are waiting fill the memory: try later", 30)

    def _drop_oldest(self, spared: Job | None = None, size: int = 0) -> int:
        """Forget the oldest finished jobs while there are too many; return the bytes held."""
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

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SECONDS_BETWEEN_SWEEPS)
            self.sweep()

    def sweep(self) -> None:
        """Forget jobs that ended long ago."""
        last = time.monotonic() - self.limits.keep_seconds
        for job in list(self._jobs.values()):
            if job.ended is not None and job.ended < last:
                del self._jobs[job.id]
