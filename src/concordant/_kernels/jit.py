"""The decorator of all kernels.

Kernels are compiled on first use and stored on disk: next to the source if that folder is
writable, else in the user's cache folder, else in a temporary folder. So a read-only
installation starts as fast as any other. `compiling` measures the time of compilation.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core import event

from concordant._kernels import compiling


def _can_write(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _choose_cache() -> None:
    """Give numba a writable folder when it can write to neither of its own choices."""
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

    Kernels are loaded from the folder and run, so it must not belong to another user.
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
    """Compile a function on first use, to run without the GIL, and store the result on disk."""
    return numba.njit(nogil=True, cache=True)(function)


class _Listener(event.Listener):  # type: ignore[misc]
    """Forwards numba's compilation events to the watches."""

    def on_start(self, event: Any) -> None:
        compiling.started()

    def on_end(self, event: Any) -> None:
        compiling.ended()


event.register("numba:compile", _Listener())
