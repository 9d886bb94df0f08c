"""The one decorator of all kernels; `compiling` watches their compilation.

Kernels are compiled on first use and kept on disk: beside the source where that can be
written, else in the user's cache folder, else in a temporary one, so that a read-only
installation starts as fast as any other.
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


class _Listener(event.Listener):  # type: ignore[misc]
    """Hands what numba tells on to the watches."""

    def on_start(self, event: Any) -> None:
        compiling.started()

    def on_end(self, event: Any) -> None:
        compiling.ended()


event.register("numba:compile", _Listener())
