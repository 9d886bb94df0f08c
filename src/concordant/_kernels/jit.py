"""The one decorator of all kernels, and a watch on their compilation.

Kernels are compiled on first use and kept on disk: beside the source where that can be
written, else in the user's cache folder, else in a temporary one, so that a read-only
installation starts as fast as any other.
"""

from __future__ import annotations

import os
import stat
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
from numba.core import event


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _choose_cache() -> None:
    """Give numba a folder it can write when neither of its own choices can be written."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return
    if not _can_write(Path(__file__).parent / "__pycache__") and not _can_write(_user_cache()):
        numba.config.CACHE_DIR = str(_temporary_cache())


def _user_cache() -> Path:
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    except RuntimeError:  # There is no home.
        return Path(os.devnull)


def _temporary_cache() -> Path:
    """Return a folder that outlives the process, if it can be trusted, else a new one.

    Kernels are loaded from it and run: it must not be a folder that someone else has made.
    """
    user = os.getuid() if hasattr(os, "getuid") else "user"
    folder = Path(tempfile.gettempdir()) / f"concordant-kernels-{user}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        found = folder.lstat()
        ours = not hasattr(os, "getuid") or found.st_uid == os.getuid()
        if stat.S_ISDIR(found.st_mode) and ours and not found.st_mode & 0o022:
            return folder
    except OSError:
        pass
    return Path(tempfile.mkdtemp(prefix="concordant-kernels-"))


_choose_cache()


def kernel(function: Callable[..., Any]) -> Any:
    """Compile a function on first use, without the GIL, and keep the result on disk."""
    return numba.njit(nogil=True, cache=True)(function)


class CompileWatch(event.Listener):  # type: ignore[misc]
    """Adds up the seconds spent compiling kernels, and calls back when that starts.

    A time limit counts everything but this one-off compilation, so the clock of a run
    asks for `seconds`. Nested compilations (a kernel that calls another) count once.
    """

    def __init__(self, on_start: Callable[[], None] | None = None) -> None:
        self._on_start = on_start
        self._finished = 0.0
        self._depth = 0
        self._since = 0.0
        self._lock = threading.Lock()

    @property
    def seconds(self) -> float:
        """Seconds of compilation so far, one that is under way included."""
        with self._lock:
            running = time.perf_counter() - self._since if self._depth else 0.0
            return self._finished + running

    def on_start(self, event: Any) -> None:
        """Count a compilation in; the first one is announced."""
        with self._lock:
            self._depth += 1
            if self._depth == 1:
                self._since = time.perf_counter()
            callback, self._on_start = self._on_start, None
        if callback is not None:
            callback()

    def on_end(self, event: Any) -> None:
        """Count a compilation out."""
        with self._lock:
            self._depth -= 1
            if self._depth == 0:
                self._finished += time.perf_counter() - self._since


@contextmanager
def watch_compilation(on_start: Callable[[], None] | None = None) -> Any:
    """Watch compilations inside a `with` block and yield the `CompileWatch`."""
    watch = CompileWatch(on_start)
    with event.install_listener("numba:compile", watch):
        yield watch
