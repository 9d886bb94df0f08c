"""How much memory this process has used."""

from __future__ import annotations

import sys
from pathlib import Path


def peak_of_this_process() -> int:
    """Return the most memory that this process has used, in bytes; 0 where nobody counts it.

    Example:
        >>> peak_of_this_process() >= 0
        True
    """
    try:
        # What a process was started from counts in `ru_maxrss`, but not here.
        status = Path("/proc/self/status").read_text()
        return 1024 * int(status.partition("VmHWM:")[2].split()[0])
    except (OSError, IndexError, ValueError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024
