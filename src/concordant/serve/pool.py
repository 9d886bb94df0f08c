"""A pool of worker processes, each with one task at a time; one that dies is replaced."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from concordant.serve.frames import Message, pack, receive

if TYPE_CHECKING:
    from asyncio.subprocess import Process

# A worker whose memory has grown beyond this is replaced.
_RECYCLED_BYTES = 1 << 30
# When this many workers in a row have ended before they were ready, no more are started.
MAX_FAILED_STARTS = 5
_READING_BYTES = 2**18


class WorkerDied(Exception):
    """The process was killed or crashed before its task was done."""


class OutOfTime(Exception):
    """The task took longer than allowed, and its process was ended."""


class PoolBroken(Exception):
    """No process is running, and none can be started."""

    message = "the server cannot start its worker processes"


class TaskFailed(Exception):
    """The task cannot be done, for a reason that the worker gives."""

    def __init__(
        self, kind: str, message: str, line: int | None, hints: Sequence[Any] = ()
    ) -> None:
        super().__init__(message)
        self.hints = list(hints)
        self.kind = kind
        self.message = message
        self.line = line


class Worker:
    """One worker process."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.peak = 0

    @classmethod
    async def start(cls, role: str, most_bytes: int) -> Worker:
        """Start a process and wait until it is ready for tasks."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # Modules are not imported from the folder in which the server was started.
            *("-P", "-m", "concordant.serve.worker", str(most_bytes), role),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_READING_BYTES,
            # Ctrl-C must reach only the server, which then ends its workers.
            start_new_session=True,
        )
        worker = cls(process)
        try:
            await worker._next()
        except BaseException:
            await worker.end()
            raise
        return worker

    @property
    def is_alive(self) -> bool:
        """Whether the process is running."""
        return self._process.returncode is None

    async def run(
        self,
        task: Message,
        blocks: list[bytes],
        seconds: float,
        on_event: Callable[[Message, list[bytes]], None] | None = None,
    ) -> tuple[Message, list[bytes]]:
        """Run a task and return its answer. A process that does not answer is ended."""
        try:
            async with asyncio.timeout(seconds):
                await self._send(task, *blocks)
                while True:
                    message, results = await self._next()
                    if message["event"] == "finished":
                        self.peak = message["peak"]
                        return message, results
                    if message["event"] == "failed":
                        hints = message.get("hints", ())
                        raise TaskFailed(
                            message["kind"], message["message"], message["line"], hints
                        )
                    if on_event is not None:
                        on_event(message, results)
        except TaskFailed:
            raise
        except TimeoutError:
            await self.end()
            raise OutOfTime from None
        except BaseException:
            await self.end()
            raise

    async def cancel(self) -> None:
        """Ask the search to stop."""
        await self._send({"task": "cancel"})

    async def end(self) -> None:
        """Kill the process, and the processes that it has started."""
        if self.is_alive:
            with suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    # The group includes the process that decodes a spreadsheet. `Process.kill`
                    # would first check whether the process has ended, and so take the exit code
                    # for which asyncio waits.
                    os.killpg(self._process.pid, signal.SIGKILL)
                else:
                    self._process.kill()
        if self._process.stdin is not None:
            self._process.stdin.close()
        await self._process.wait()

    async def _send(self, message: Message, *blocks: bytes) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(pack(message, *blocks))
            await self._process.stdin.drain()
        except (ConnectionError, RuntimeError):
            raise WorkerDied from None

    async def _next(self) -> tuple[Message, list[bytes]]:
        assert self._process.stdout is not None
        try:
            return await receive(self._process.stdout)
        except (asyncio.IncompleteReadError, ConnectionError):
            raise WorkerDied from None


class Pool:
    """Workers of one role. Each is free, borrowed, or being started.

    Args:
        role: "solver", which loads its kernels before its first task, or "helper".
        size: The number of workers.
        most_bytes: The address space of each worker.
    """

    def __init__(self, role: str, size: int, most_bytes: int) -> None:
        self.role = role
        self.size = size
        self._waiting = 0
        self._most_bytes = most_bytes
        # None wakes a caller of `borrow`, which then checks whether workers can still start.
        self._free: asyncio.Queue[Worker | None] = asyncio.Queue()
        self._workers: set[Worker] = set()
        # Workers that are being started or ended.
        self._tasks: set[asyncio.Task[None]] = set()
        self._failed_starts = 0
        self._closed = False

    def start(self) -> None:
        """Start all workers. Return before they are ready."""
        for _ in range(self.size):
            self._keep(self._start_one())

    def _keep(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _start_one(self) -> None:
        while not self._closed:
            try:
                worker = await Worker.start(self.role, self._most_bytes)
            except (WorkerDied, OSError):
                self._failed_starts += 1
                if self.is_broken:
                    self._wake_waiting()
                    return
                await asyncio.sleep(0.2 * self._failed_starts)
                continue
            self._failed_starts = 0
            self._workers.add(worker)
            self._free.put_nowait(worker)
            return

    @property
    def ready(self) -> int:
        """The number of workers that are running."""
        return sum(worker.is_alive for worker in self._workers)

    @property
    def is_broken(self) -> bool:
        """Whether too many workers in a row have ended before they were ready."""
        return self._failed_starts >= MAX_FAILED_STARTS

    def _wake_waiting(self) -> None:
        """Let those who wait check again whether workers can still start."""
        for _ in range(self._waiting):
            self._free.put_nowait(None)

    async def borrow(self) -> Worker:
        """Wait for a free worker. Callers are served in the order in which they called.

        Raises:
            PoolBroken: No worker is running, and none can be started.
        """
        self._waiting += 1
        try:
            while self.ready or not self.is_broken:
                worker = await self._free.get()
                if worker is None:
                    continue
                if worker.is_alive:
                    return worker
                self._replace(worker)
            raise PoolBroken
        finally:
            self._waiting -= 1

    def give_back(self, worker: Worker) -> None:
        """Return a worker. One that is dead or holds too much memory is replaced."""
        if worker.is_alive and worker.peak < _RECYCLED_BYTES:
            self._free.put_nowait(worker)
        else:
            self._replace(worker)

    def _replace(self, worker: Worker) -> None:
        self._workers.discard(worker)
        if worker.is_alive:
            self._keep(worker.end())
        if not self._closed:
            self._keep(self._start_one())

    async def close(self) -> None:
        """End all workers."""
        self._closed = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self._workers))
        self._workers.clear()
