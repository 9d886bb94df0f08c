"""The decorator of all kernels.

Kernels are compiled on first use and stored on disk: in the folder that `NUMBA_CACHE_DIR` names,
else in the cache folder of the user, else in a temporary one. Nothing is written beside the source:
a read-only installation starts as fast as any other, and uninstalling leaves nothing behind.
`compiling` measures the time of compilation.

A stored kernel contains the kernels that it calls, and numba only checks whether its own file has
changed. So the kernels of each state of the source have a folder of their own.
"""

from __future__ import annotations

import hashlib
import os
import stat
import sys
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


def _choose_cache() -> Path:
    """Return the folder in which compiled kernels are stored."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        return Path(chosen)
    folder = _user_cache() / "concordant" / "kernels"
    return folder if _can_write(folder) else _temporary_cache()


def _user_cache() -> Path:
    try:
        home = Path.home()
    except RuntimeError:  # There is no home.
        home = Path(os.devnull)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or home / "AppData" / "Local")
    if sys.platform == "darwin":
        return home / "Library" / "Caches"
    return Path(os.environ.get("XDG_CACHE_HOME") or home / ".cache")


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


def _state_of_source(folder: Path) -> str:
    """Return a name for the contents of all files in a folder of kernels."""
    state = hashlib.blake2b(digest_size=6)
    for path in sorted(folder.glob("*.py")):
        state.update(path.name.encode() + path.read_bytes())
    return state.hexdigest()


CACHE = _choose_cache() / _state_of_source(Path(__file__).parent)


def kernel(function: Callable[..., Any], *, reorder: bool = False) -> Any:
    """Compile a function on first use, to run without the GIL, and store the result on disk.

    Args:
        function: The function.
        reorder: Whether sums of floats may be added in another order, so that they use vector
            instructions. Sums of whole numbers stay exact.
    """
    # The folder is chosen when a function is decorated. Kernels of other packages keep theirs.
    others, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(CACHE)
    fastmath = {"reassoc", "nsz", "contract"} if reorder else False
    try:
        # Nobody calls kernels from C, and what that needs takes time to compile.
        return numba.njit(nogil=True, cache=True, fastmath=fastmath, no_cfunc_wrapper=True)(
            function
        )
    finally:
        numba.config.CACHE_DIR = others


def kernel_with_sums(function: Callable[..., Any]) -> Any:
    """Compile a function whose sums may be added in any order: see `kernel`."""
    return kernel(function, reorder=True)


class _Listener(event.Listener):  # type: ignore[misc]
    """Forwards numba's compilation events to the watches."""

    def on_start(self, event: Any) -> None:
        function = getattr((event.data or {}).get("dispatcher"), "py_func", None)
        if getattr(function, "__module__", "").startswith("concordant."):
            compiling.announce()
        compiling.started()

    def on_end(self, event: Any) -> None:
        compiling.ended()


event.register("numba:compile", _Listener())
