"""A pool of worker processes: started ahead, one task each at a time, replaced when they die."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from concordant.serve.frames import Message, pack, receive

if TYPE_CHECKING:
    from asyncio.subprocess import Process

# A worker that has grown past this gives its memory back by being replaced.
_RECYCLED_BYTES = 1 << 30
# After so many workers in a row that end before they are ready, something is wrong for good.
MOST_FALSE_STARTS = 5
_READING_BYTES = 2**18


class WorkerDied(Exception):
    """The process ended before its task did: it was killed, or crashed."""


class OutOfTime(Exception):
    """The task took longer than it may, and its process was ended."""


class PoolBroken(Exception):
    """No process is up, and none can be started."""

    message = "the server cannot start the processes that work"


class TaskFailed(Exception):
    """The worker says why the task cannot be done."""

    def __init__(
        self, kind: str, message: str, line: int | None, hints: Sequence[Any] = ()
    ) -> None:
        super().__init__(message)
        self.hints = list(hints)
        self.kind = kind
        self.message = message
        self.line = line


class Worker:
    """One process. It is ready or not, has a task or not, and is alive or not."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self.peak = 0

    @classmethod
    async def start(cls, role: str, most_bytes: int) -> Worker:
        """Start a process and wait until it is ready for tasks."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            # The folder that the server was started in is no place to import from.
            *("-P", "-m", "concordant.serve.worker", str(most_bytes), role),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=_READING_BYTES,
            # Ctrl-C is for the server, which ends its workers itself.
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
    def pid(self) -> int:
        """The number of the process."""
        return self._process.pid

    @property
    def is_alive(self) -> bool:
        """Whether the process runs."""
        return self._process.returncode is None

    async def run(
        self,
        task: Message,
        blocks: list[bytes],
        seconds: float,
        on_event: Callable[[Message, list[bytes]], None] | None = None,
    ) -> tuple[Message, list[bytes]]:
        """Do a task and return the answer; a process that fails to is ended."""
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
        """End the process, whatever it does."""
        if self.is_alive:
            with suppress(ProcessLookupError):
                if hasattr(os, "killpg"):
                    # With all that it has started, such as the process that decodes a
                    # spreadsheet. `Process.kill` would look first whether the process has ended,
                    # and take its exit code away from asyncio, which waits for it.
                    os.killpg(self.pid, signal.SIGKILL)
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
    """Workers of one role. Each is free, lent to a caller, or being started.

    Args:
        role: "solver", whose kernels are made ready ahead, or "helper".
        size: How many.
        most_bytes: How much memory each may address.
    """

    def __init__(self, role: str, size: int, most_bytes: int) -> None:
        self.role = role
        self.size = size
        self.waiting = 0
        self.died = 0
        self._most_bytes = most_bytes
        # None wakes somebody who waits for what never comes.
        self._free: asyncio.Queue[Worker | None] = asyncio.Queue()
        self._workers: set[Worker] = set()
        self._starts: set[asyncio.Task[None]] = set()
        self._false_starts = 0
        self._closed = False

    def start(self) -> None:
        """Start all workers, without waiting for them."""
        for _ in range(self.size):
            self._start_one()

    def _start_one(self) -> None:
        task = asyncio.create_task(self._bring())
        self._starts.add(task)
        task.add_done_callback(self._starts.discard)

    async def _bring(self) -> None:
        while not self._closed:
            try:
                worker = await Worker.start(self.role, self._most_bytes)
            except (WorkerDied, OSError):
                self._false_starts += 1
                if self.is_broken:
                    self._tell_waiting()
                    return
                await asyncio.sleep(0.2 * self._false_starts)
                continue
            self._false_starts = 0
            self._workers.add(worker)
            self._free.put_nowait(worker)
            return

    @property
    def ready(self) -> int:
        """How many workers are up."""
        return sum(worker.is_alive for worker in self._workers)

    @property
    def is_broken(self) -> bool:
        """Whether workers end before they are ready, again and again."""
        return self._false_starts >= MOST_FALSE_STARTS

    @property
    def is_hopeless(self) -> bool:
        """Whether nothing is up, and nothing will be."""
        return self.is_broken and not self.ready

    def _tell_waiting(self) -> None:
        """Let those who wait look again whether there is any hope."""
        for _ in range(self.waiting):
            self._free.put_nowait(None)

    @property
    def pids(self) -> list[int]:
        """The numbers of the processes that are up."""
        return [worker.pid for worker in self._workers if worker.is_alive]

    async def borrow(self) -> Worker:
        """Wait for a free worker; those who wait are served in turn.

        Raises:
            PoolBroken: There is none, and there will be none.
        """
        self.waiting += 1
        try:
            while not self.is_hopeless:
                worker = await self._free.get()
                if worker is None:
                    continue
                if worker.is_alive:
                    return worker
                self._replace(worker)
            raise PoolBroken
        finally:
            self.waiting -= 1

    def give_back(self, worker: Worker) -> None:
        """Return a worker; a dead or a fat one is replaced."""
        if worker.is_alive and worker.peak < _RECYCLED_BYTES:
            self._free.put_nowait(worker)
        else:
            self._replace(worker)

    def _replace(self, worker: Worker) -> None:
        self._workers.discard(worker)
        if worker.is_alive:
            task = asyncio.create_task(worker.end())
            self._starts.add(task)
            task.add_done_callback(self._starts.discard)
        else:
            self.died += 1
        if not self._closed:
            self._start_one()

    async def close(self) -> None:
        """End all workers."""
        self._closed = True
        for task in self._starts:
            task.cancel()
        await asyncio.gather(*self._starts, return_exceptions=True)
        await asyncio.gather(*(worker.end() for worker in self._workers))
        self._workers.clear()
