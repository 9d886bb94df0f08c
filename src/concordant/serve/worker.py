"""A worker process: it reads files, searches, resamples, draws and writes reports.

It reads one task after another from its standard input and answers on its standard output. It ends
when its input does, so no worker runs longer than its server. A thread reads the input during a
task, so that a search can be cancelled.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import traceback
from contextlib import suppress
from typing import Any

from concordant._memory import peak_of_this_process
from concordant._reading import FIELDS
from concordant.errors import InputError, SettingError, in_fields
from concordant.serve.frames import Message, hint_fields, pack, unpack, whole

# When the server has ended, a running task gets this time to stop.
_SECONDS_TO_STOP = 1.0


class Channel:
    """The connection to the server: incoming tasks, outgoing events, and a flag to stop."""

    def __init__(self) -> None:
        self.tasks: queue.SimpleQueue[tuple[Message, list[bytes]] | None] = queue.SimpleQueue()
        self.cancelled = threading.Event()
        self._input = os.fdopen(os.dup(0), "rb")
        self._output = os.fdopen(os.dup(1), "wb")
        self._lock = threading.Lock()
        # What a library prints goes to standard error, not between the messages.
        os.dup2(2, 1)
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, message: Message, *blocks: bytes) -> None:
        """Send one message. It is not an error if the server has ended."""
        with self._lock, suppress(OSError):
            self._output.write(pack(message, *blocks))
            self._output.flush()

    def _listen(self) -> None:
        while (found := unpack(self._input)) is not None:
            if found[0]["task"] == "cancel":
                self.cancelled.set()
            else:
                self.cancelled.clear()
                self.tasks.put(found)
        self.cancelled.set()
        self.tasks.put(None)
        threading.Event().wait(_SECONDS_TO_STOP)
        with suppress(AttributeError, OSError):
            # This also ends the process that decodes a spreadsheet, if there is one.
            if os.getpgrp() == os.getpid():
                os.killpg(0, signal.SIGKILL)
        os._exit(0)


def main() -> None:
    """Run tasks until the server closes the connection."""
    channel = Channel()
    _limit_resources(int(sys.argv[1]))
    from concordant.serve import tasks

    tasks.preload(solver=sys.argv[2] == "solver")
    channel.send({"event": "ready"})
    while (found := channel.tasks.get()) is not None:
        message, blocks = found
        try:
            answer, results = tasks.TASKS[message["task"]](message, blocks, channel)
        except Exception as error:
            channel.send({"event": "failed", **_failure(error)})
        else:
            channel.send({"event": "finished", "peak": peak_of_this_process(), **answer}, *results)


def _limit_resources(most_bytes: int) -> None:
    """Lower the priority below that of the server, and limit the address space."""
    with suppress(OSError, AttributeError):
        os.nice(5)
    with suppress(ImportError, OSError, ValueError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most_bytes, most_bytes))


def _failure(error: Exception) -> dict[str, Any]:
    """Return the kind and the message of an error, with the line of the file where it is known."""
    if isinstance(error, InputError | SettingError):
        message = whole(error.phrased(in_fields(FIELDS), placed=False))
        line = getattr(error, "line", None)
        hints = hint_fields(error.hints)
        return {"kind": "input", "message": message, "line": line, "hints": hints}
    if isinstance(error, MemoryError):
        message = "this takes more memory than the server allows for one job: use the command line"
        return {"kind": "memory", "message": message, "line": None}
    traceback.print_exception(error)
    return {"kind": "internal", "message": "something went wrong in the server", "line": None}


if __name__ == "__main__":
    main()
