"""Processes that decode Parquet files and spreadsheets.

On some damaged files a decoder does not raise an error but panics, or asks for so much memory that
its process is killed. In a process of its own, that ends nothing else.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant._files import reason
from concordant.errors import InputError

if TYPE_CHECKING:
    import polars as pl

_PROGRAM = Path(__file__).with_name("decoding.py")
# Bytes that a pipe holds, where that can be chosen. Slices have some hundred megabytes.
_PIPE = 2**20


class DecodingError(Exception):
    """A process that ended without an answer; the text is what it wrote to standard error."""


class Decoder:
    """A process that decodes files, for one request at a time.

    Args:
        threads: The number of threads that it may use; all cores by default.
        seconds: It is killed after this time.

    Raises:
        InputError: The process cannot be started.
    """

    def __init__(self, threads: int | None = None, seconds: float | None = None) -> None:
        # The process finds the same packages, whatever the working folder holds.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
        if threads is not None:
            environment["POLARS_MAX_THREADS"] = str(threads)
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", str(_PROGRAM)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=environment,
                pipesize=_PIPE,
            )
        except OSError as error:
            self._errors.close()
            raise InputError(f"no process can be started to decode it: {reason(error)}") from None
        self.timed_out = False
        self._timer = threading.Timer(seconds or 0.0, self._end)
        if seconds is not None:
            self._timer.daemon = True
            self._timer.start()

    def _end(self) -> None:
        self.timed_out = True
        self._process.kill()

    def ask(self, task: str, data: bytes | None = None, **request: Any) -> bytes:
        """Send a request, with the bytes of a file where it begins one, and return the answer.

        Raises:
            DecodingError: The process ended without an answer.
        """
        sent, answered = self._process.stdin, self._process.stdout
        assert sent is not None
        assert answered is not None
        if data is not None:
            request["size"] = len(data)
        try:
            sent.write(json.dumps({"task": task, **request}).encode() + b"\n")
            sent.write(data or b"")
            sent.flush()
            size = int(answered.readline() or -1)
            content = answered.read(size) if size >= 0 else b""
        except (BrokenPipeError, ValueError):
            size, content = -1, b""
        if size < 0 or len(content) < size:
            self._process.wait()
            self._errors.seek(0)
            raise DecodingError(self._errors.read().decode(errors="replace"))
        return content

    def close(self) -> None:
        """End the process."""
        self._timer.cancel()
        self._process.kill()
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.wait()
        self._errors.close()

    def __enter__(self) -> Decoder:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # -- Parquet ---------------------------------------------------------------------------

    def facts(self, file: bytes | str) -> dict[str, Any]:
        """Return the names of the columns and the number of rows of a Parquet file.

        Args:
            file: Its content, or its path.
        """
        data, request = (file, {}) if isinstance(file, bytes) else (None, {"path": file})
        facts: dict[str, Any] = json.loads(self._parquet("facts", data, **request))
        return facts

    def rows(
        self, columns: list[str], start: int = 0, length: int | None = None, **path: str
    ) -> pl.DataFrame:
        """Return some columns of some rows of a Parquet file: of `path`, or the last one."""
        from concordant._polars import pl

        request = {"columns": columns, "start": start, "length": length, **path}
        content = self._parquet("rows", None, **request)
        return pl.read_ipc(io.BytesIO(content))

    def _parquet(self, task: str, data: bytes | None, **request: Any) -> bytes:
        try:
            return self.ask(task, data, **request)
        except DecodingError as error:
            last = (str(error).strip().splitlines() or [""])[-1]
            # An error of the decoder has a reason; a panic says only where in its code it was.
            known = last.startswith("polars.exceptions.")
            why = last.partition(": ")[2] if known else "it cannot be decoded"
            raise InputError(f"the Parquet file is damaged: {why}") from None


class Decoders:
    """A pool of processes that decode slices of Parquet files, one per thread that asks."""

    def __init__(self) -> None:
        self._idle: list[Decoder] = []
        self._lock = threading.Lock()
        atexit.register(self.close)

    @contextmanager
    def lent(self) -> Iterator[Decoder]:
        """Lend a process to the calling thread. It is ended where the block fails."""
        with self._lock:
            decoder = self._idle.pop() if self._idle else None
        # One thread each: there is a process per core.
        decoder = decoder or Decoder(threads=1)
        try:
            yield decoder
        except BaseException:
            decoder.close()
            raise
        with self._lock:
            self._idle.append(decoder)

    def close(self) -> None:
        """End all processes that wait for work."""
        with self._lock:
            idle, self._idle = self._idle, []
        for decoder in idle:
            decoder.close()


decoders = Decoders()
