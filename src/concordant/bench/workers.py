"""Runs tasks in processes of this machine, each with one task at a time, or on a cluster.

If a process dies, only its task is lost. The task is tried once more and then recorded as an error.
Inside `joblib.parallel_config("dask")` the tasks go to the cluster, which has the same rule.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from multiprocessing import get_context, parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from typing import Any

from concordant.bench import tasks as work
from concordant.bench.records import Record
from concordant.bench.tasks import Task
from concordant.workers import Result, WorkerPool, active_pool

# The number of times that a task is begun if its process dies.
_TRIES = 2
# Linear algebra libraries use a thread for each core by default; the cores run other tasks.
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def run_tasks(
    tasks: Sequence[Task],
    jobs: int,
    on_done: Callable[[Task, Record], Any],
    on_start: Callable[[Task], Any] | None = None,
) -> None:
    """Run all tasks, `jobs` at a time, and pass on each record as soon as it is available.

    Both functions are called in this process, one at a time. An error in them, and Ctrl-C, ends
    the run: tasks that have begun are abandoned.

    Args:
        tasks: The tasks, in the order in which they begin.
        jobs: The number of processes.
        on_done: Called with each task and its record.
        on_start: Called with each task that is given to a process.
    """
    pool = active_pool(None)
    if pool is not None:
        _run_on_pool(pool, tasks, on_done, on_start)
        return
    waiting = deque((task, 1) for task in tasks)
    workers: list[_Worker] = []
    try:
        for _ in range(min(jobs, len(tasks))):
            workers.append(_Worker())
        while waiting or any(worker.task for worker in workers):
            for number, worker in enumerate(workers):
                if waiting and worker.task is None:
                    if not worker.is_alive:
                        worker.end()
                        workers[number] = worker = _Worker()
                    task, tried = waiting.popleft()
                    worker.begin(task, tried)
                    if on_start is not None:
                        on_start(task)
            busy = {worker.pipe: worker for worker in workers if worker.task is not None}
            for pipe in wait(list(busy)):
                worker = busy[pipe]  # type: ignore[index]
                given, tried = worker.task, worker.tried
                assert given is not None
                record = worker.receive()
                if record is not None:
                    on_done(given, record)
                elif tried < _TRIES:
                    waiting.appendleft((given, tried + 1))
                else:
                    on_done(given, given.record(error=worker.death()))
    finally:
        for worker in workers:
            worker.end()


def _run_on_pool(
    pool: WorkerPool,
    tasks: Sequence[Task],
    on_done: Callable[[Task, Record], Any],
    on_start: Callable[[Task], Any] | None,
) -> None:
    """Run all tasks on a cluster; `on_start` gets tasks that ended, as their start is not known."""
    with closing(pool.run(_do, None, [(task,) for task in tasks])) as events:
        for event in events:
            if isinstance(event, Result):
                task = tasks[event.number]
                lost = event.lost
                on_done(task, event.value if lost is None else task.record(error=str(lost)))
                if on_start is not None:
                    on_start(task)


def _do(shared: None, task: Task) -> Record:
    return work.run(task)


class _Worker:
    """A process, the end of a pipe to it, and the task that it runs."""

    def __init__(self) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _one_thread(), _no_interrupt():
            self._process.start()
        # With this end closed, the pipe ends when the process dies.
        theirs.close()
        self.task: Task | None = None
        self.tried = 0

    @property
    def is_alive(self) -> bool:
        return self._process.is_alive()

    def begin(self, task: Task, tried: int) -> None:
        self.task, self.tried = task, tried
        # If the process is dead, `receive` finds out.
        with suppress(OSError):
            self.pipe.send(task)

    def receive(self) -> Record | None:
        """Return the record, or None if the process died before it sent one."""
        self.task = None
        try:
            record: Record = self.pipe.recv()
        except (EOFError, OSError):
            self._process.join()
            return None
        return record

    def death(self) -> str:
        code = self._process.exitcode or 0
        how = f"was killed by signal {-code}" if code < 0 else f"ended with code {code}"
        return f"the process that ran it {how}, {_TRIES} times; perhaps memory was short"

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._process.close()
        self.pipe.close()


def _serve(pipe: Connection) -> None:
    """Run the tasks that come through the pipe, one after the other, until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    while True:
        try:
            task = pipe.recv()
        except (EOFError, OSError):
            return
        record = work.run(task)
        try:
            pipe.send(record)
        except OSError:
            return


def _end_with_parent() -> None:
    """End this process when its parent has ended, even during a task."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Give processes that start in this block one thread each for linear algebra."""
    before = {name: os.environ.get(name) for name in _THREADS}
    os.environ.update(dict.fromkeys(_THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _no_interrupt() -> Iterator[None]:
    """Start processes that ignore Ctrl-C; this process receives it and ends them.

    A signal that is blocked here arrives when the block ends. A new process inherits the block,
    so that the signal never reaches it, not even while Python starts.
    """
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    # Starting the tracker unblocks signals, so it must run before.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
