"""Measure and announce the time spent compiling kernels, without loading the compiler."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_watches: list[CompileWatch] = []
MESSAGE = "concordant: compiling kernels, once per machine"
# Whether the message was printed, or is somebody else's task.
_announced = False


class CompileWatch:
    """Sums up the seconds spent compiling kernels, and calls back when the first one starts.

    A time limit does not include this one-off compilation, so the clock of a run subtracts
    `seconds`. Nested compilations (a kernel that calls another) count once.
    """

    def __init__(self, on_start: Callable[[], None] | None = None) -> None:
        self._on_start = on_start
        self._finished = 0.0
        self._depth = 0
        self._since = 0.0
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """Seconds of compilation so far, including one that is running."""
        with self._lock:
            running = time.perf_counter() - self._since if self._depth else 0.0
            return self._finished + running

    def started(self) -> None:
        """Note that a compilation has started; call back if it is the first."""
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._since = time.perf_counter()
            callback, self._on_start = self._on_start, None
        if callback is not None:
            callback()

    def ended(self) -> None:
        """Note that a compilation has ended, if it started under this watch."""
        with self._lock:
            if self._depth == 0:
                return
            self._depth -= 1
            if self._depth == 0:
                self._finished += time.perf_counter() - self._since


def announce_nothing() -> None:
    """Leave it to the caller to say that kernels are compiled."""
    global _announced
    _announced = True


def announce() -> None:
    """Say on stderr that kernels are compiled, once in a process that is not a worker."""
    if _announced:
        return
    announce_nothing()
    from multiprocessing import parent_process

    if parent_process() is None and sys.stderr is not None:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{MESSAGE}\n")
            sys.stderr.flush()


def started() -> None:
    """Notify all watches that a compilation has started."""
    for watch in tuple(_watches):
        watch.started()


def ended() -> None:
    """Notify all watches that a compilation has ended."""
    for watch in tuple(_watches):
        watch.ended()


@contextmanager
def watch_compilation(on_start: Callable[[], None] | None = None) -> Iterator[CompileWatch]:
    """Watch compilations inside a `with` block and yield the `CompileWatch`."""
    watch = CompileWatch(on_start)
    _watches.append(watch)
    try:
        yield watch
    finally:
        _watches.remove(watch)
