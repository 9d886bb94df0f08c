"""Run independent tasks on the workers of joblib's `parallel_config`: Dask, or local processes.

A pool starts the tasks, yields results as they arrive, and cancels the rest when the caller stops
iterating. joblib and Dask are never imported here before the caller has imported them.
"""

from __future__ import annotations

import pickle
import queue
import sys
import tempfile
import threading
import warnings
from collections.abc import Callable, Generator, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from concordant._files import atomic_write
from concordant.errors import ConcordantError, InputError, SettingError

# Seconds that a pool waits for a result before it lets its caller check the limits.
_TICK = 0.05


class LostError(ConcordantError):
    """Raised for a task without a result, because each worker that ran it died."""


@dataclass(frozen=True, slots=True)
class Result:
    """What a task returned, or that it was lost; `number` is its index among the calls."""

    number: int
    value: Any = None
    lost: LostError | None = None


@dataclass(frozen=True, slots=True)
class News:
    """A message from a running task, with the number of the task."""

    number: int
    value: Any


Events = Generator[Result | News | None, None, None]


class _Here(threading.local):
    """How the task of this thread sends messages; None outside a pool's tasks."""

    send: Callable[[Any], None] | None = None
    is_cancelled: Callable[[], bool] | None = None


_here = _Here()


def tell(value: Any) -> None:
    """Send a plain value from inside a task; of many, only the last few may arrive."""
    if _here.send is not None:
        _here.send(value)


def cancelled() -> bool:
    """Return whether the task of this thread has been cancelled.

    Example:
        >>> cancelled()
        False
    """
    return _here.is_cancelled is not None and _here.is_cancelled()


def active_pool(n_jobs: int | None) -> WorkerPool | None:
    """Return the workers of the `joblib.parallel_config` around the caller.

    The answer is None outside such a block, where the block names threads of this process, for
    `n_jobs=1`, and inside a task: tasks do not start tasks.

    Example:
        >>> active_pool(2) is None
        True
    """
    parallel = sys.modules.get("joblib.parallel")
    if parallel is None or n_jobs == 1:
        return None
    # With this preference, the answer is threads where no block names a backend.
    backend, configured = parallel.get_active_backend(prefer="threads")
    if getattr(backend, "uses_threads", False) or _here.send is not None:
        return None
    wanted = configured if n_jobs is None else n_jobs
    wanted = getattr(backend, "default_n_jobs", 1) if wanted is None else wanted
    if wanted == 1:
        return None
    client = getattr(backend, "client", None)
    if client is None:
        slots = backend.effective_n_jobs(wanted)
        return WorkerPool(wanted, slots, partial(_on_processes, slots))
    if _inside_a_worker():
        return None
    return WorkerPool(wanted, backend.effective_n_jobs(wanted), DaskTasks(client))


def _inside_a_worker() -> bool:
    from distributed import get_worker

    try:
        get_worker()
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class WorkerPool:
    """Workers that run independent tasks.

    Attributes:
        wanted: The number of simultaneous tasks asked for; negative means one per slot.
        slots: The number of tasks that run at the same time.
    """

    wanted: int
    slots: int
    _start: Callable[[Callable[..., Any], Any, list[tuple[Any, ...]]], Events]

    def run(
        self, function: Callable[..., Any], shared: Any, calls: Sequence[tuple[Any, ...]]
    ) -> Events:
        """Call `function(shared, *call)` for all calls; yield results and messages as they arrive.

        None is yielded from time to time while nothing arrives, so that the caller can check its
        limits. Closing the iterator cancels the remaining tasks.
        """
        # The pickler of joblib and Dask: a separate package, or part of older versions of joblib.
        pickler = sys.modules.get("cloudpickle") or sys.modules["joblib.externals.cloudpickle"]
        try:
            pickler.dumps((function, list(calls)))
        except (TypeError, AttributeError, pickle.PicklingError) as error:
            raise SettingError(
                f"this cannot be sent to other processes: {error}. A stopping rule for other "
                "processes must not hold locks, files or threads"
            ) from None
        return self._start(function, shared, list(calls))


# -- Dask ------------------------------------------------------------------------------------


class DaskTasks:
    """Run tasks on a Dask cluster; tasks of a worker that dies run again on another."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __call__(
        self, function: Callable[..., Any], shared: Any, calls: list[tuple[Any, ...]]
    ) -> Events:
        """Run all calls; see `WorkerPool.run`."""
        import dask

        client = self._client
        topic = f"concordant-{uuid4().hex}"
        events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        client.subscribe_topic(topic, lambda event: events.put(event[1]))
        futures: list[Any] = []
        try:
            # A separate task, so that it is sent once, and again if its worker dies.
            with dask.config.set({"distributed.admin.large-graph-warning-threshold": "8GiB"}):
                held = client.submit(_same, shared, pure=False)
            for number, call in enumerate(calls):
                name = f"{function.__name__}-{uuid4().hex}"
                futures.append(
                    client.submit(_on_worker, function, held, number, call, topic, key=name)
                )
            for number, future in enumerate(futures):
                future.add_done_callback(lambda _, number=number: events.put(number))
            left = len(futures)
            while left:
                try:
                    event = events.get(timeout=_TICK)
                except queue.Empty:
                    yield None
                    continue
                if isinstance(event, int):
                    left -= 1
                    yield dask_result(event, futures[event])
                else:
                    yield News(event["number"], pickle.loads(event["news"]))
        finally:
            client.unsubscribe_topic(topic)
            # Also frees the results that have been fetched.
            client.cancel(futures, asynchronous=False)


def dask_result(number: int, future: Any) -> Result:
    """Return the result of a task; an exception of the task is raised here."""
    from distributed import KilledWorker

    if future.cancelled():
        raise ConcordantError("the Dask scheduler has cancelled the tasks, or is gone")
    try:
        return Result(number, future.result())
    except KilledWorker:
        return Result(
            number, lost=LostError("the workers that ran this task died one after the other")
        )


def _same(value: Any) -> Any:
    return value


def _on_worker(
    function: Callable[..., Any], shared: Any, number: int, call: tuple[Any, ...], topic: str
) -> Any:
    from distributed import get_worker

    worker = get_worker()

    def send(value: Any) -> None:
        worker.log_event(topic, {"number": number, "news": pickle.dumps(value)})

    return _call(function, shared, call, send, watch_task())


def watch_task() -> Callable[[], bool]:
    """Return a function that returns whether the Dask task that runs here was cancelled.

    Example:
        >>> is_cancelled = watch_task()
        >>> is_cancelled()  # not on a worker
        False
    """
    distributed = sys.modules.get("distributed")
    try:
        if distributed is None:
            return lambda: False
        worker = distributed.get_worker()
    except ValueError:
        return lambda: False
    key = worker.get_current_task()

    def is_cancelled() -> bool:
        state = worker.state.tasks.get(key)
        return state is None or state.state == "cancelled"

    return is_cancelled


def _call(
    function: Callable[..., Any],
    shared: Any,
    call: tuple[Any, ...],
    send: Callable[[Any], None],
    is_cancelled: Callable[[], bool] | None = None,
) -> Any:
    _here.send, _here.is_cancelled = send, is_cancelled
    try:
        return function(shared, *call)
    finally:
        _here.send = _here.is_cancelled = None


# -- processes and other backends of joblib --------------------------------------------------


def _on_processes(
    slots: int, function: Callable[..., Any], shared: Any, calls: list[tuple[Any, ...]]
) -> Events:
    """Run all calls with `joblib.Parallel`; after Ctrl-C, yield the last message of each task.

    When a process dies, all others end too, and which call caused it is not known. All calls
    without a result are then run again. If that happens twice, each remaining call runs alone,
    so that only a call that ends its process is lost.
    """
    left = dict(enumerate(calls))
    with tempfile.TemporaryDirectory(prefix="concordant-") as folder:
        for tried in range(3):
            rounds = [left] if tried < 2 else [{number: call} for number, call in left.items()]
            for each in rounds:
                try:
                    with closing(_one_round(slots, function, shared, each, folder)) as results:
                        for number, value in results:
                            left = {k: call for k, call in left.items() if k != number}
                            yield Result(number, value)
                except KeyboardInterrupt:
                    for path in sorted(Path(folder).glob("[0-9]*")):
                        yield News(int(path.name), pickle.loads(path.read_bytes()))
                    raise
                except BrokenProcessPool:
                    if tried == 2:
                        lost = LostError(
                            "the processes that ran this task died one after the other"
                        )
                        yield Result(next(iter(each)), lost=lost)
            if not left:
                return


def _one_round(
    slots: int,
    function: Callable[..., Any],
    shared: Any,
    calls: dict[int, tuple[Any, ...]],
    folder: str,
) -> Generator[tuple[int, Any], None, None]:
    from joblib import Parallel, delayed

    results = Parallel(n_jobs=slots, batch_size=1, return_as="generator_unordered")(
        delayed(_in_process)(function, shared, number, call, folder)
        for number, call in calls.items()
    )
    try:
        # Not `yield from`, which would close the results itself, with a warning of joblib's.
        for result in results:  # noqa: UP028
            yield result
    finally:
        _close(results)


def _close(results: Any) -> None:
    """Cancel the tasks that still run, without the warning that joblib gives about it."""
    with warnings.catch_warnings(), suppress(KeyboardInterrupt):
        warnings.simplefilter("ignore", UserWarning)
        results.close()


def _in_process(
    function: Callable[..., Any], shared: Any, number: int, call: tuple[Any, ...], folder: str
) -> tuple[int, Any]:
    def send(value: Any) -> None:
        with suppress(OSError, InputError):
            atomic_write(Path(folder) / str(number), pickle.dumps(value))

    return number, _call(function, shared, call, send)
