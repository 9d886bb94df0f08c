"""Processes that decode Parquet files, a slice at a time and many files one after the other.

On some damaged files the decoder does not raise an error but panics, or asks for so much memory
that its process is ended. That costs a process here, and the next file gets a new one.
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
from typing import TYPE_CHECKING, Any

from concordant.errors import InputError

if TYPE_CHECKING:
    import polars as pl

# Bytes that a pipe holds, where that can be chosen.
_PIPE = 2**20

# What such a process does: it answers each line, a request, with a line that tells a size, and so
# many bytes: facts in JSON, or columns in a format that is read without decoding.
_SERVE = """
import io, json, sys
import polars as pl
out = sys.stdout.buffer
for line in sys.stdin.buffer:
    wish = json.loads(line)
    if "columns" in wish:
        rows = pl.scan_parquet(wish["path"], glob=False).select(wish["columns"])
        frame = rows.slice(wish["start"], wish["length"]).collect()
        answer = io.BytesIO()
        frame.rechunk().write_ipc(answer)
        answer = answer.getbuffer()
    else:
        names = list(pl.read_parquet_schema(wish["path"]))
        rows = pl.scan_parquet(wish["path"], glob=False).select(pl.len()).collect().item()
        answer = json.dumps({"names": names, "rows": rows}).encode()
    out.write(b"%d\\n" % len(answer))
    out.write(answer)
    out.flush()
"""


class _Decoder:
    """One process, for one request at a time."""

    def __init__(self) -> None:
        # The same packages are to be found there, whatever the working folder holds. The columns
        # of a slice are decoded on one thread: there are as many processes as cores.
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            "POLARS_MAX_THREADS": "1",
        }
        self._messages = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-c", _SERVE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._messages,
            env=environment,
            # Slices have some hundred megabytes: fewer, larger steps.
            pipesize=_PIPE,
        )

    def ask(self, wish: dict[str, Any]) -> bytes:
        """Send a request and return the answer; InputError where the process came to grief."""
        sent, answered = self._process.stdin, self._process.stdout
        assert sent is not None
        assert answered is not None
        try:
            sent.write(json.dumps(wish).encode() + b"\n")
            sent.flush()
            size = answered.readline()
            content = answered.read(int(size)) if size else b""
        except (BrokenPipeError, ValueError):
            size, content = b"", b""
        if not size or len(content) < int(size):
            raise InputError(f"the Parquet file is damaged: {self._last_words()}")
        return content

    def _last_words(self) -> str:
        self._process.wait()
        self._messages.seek(0)
        said = self._messages.read().decode(errors="replace").strip().splitlines()
        # An error of the decoder has a reason; a panic says only where it came upon it.
        is_told = said and said[-1].startswith("polars.exceptions.")
        return said[-1].partition(": ")[2] if is_told else "it cannot be decoded"

    def close(self) -> None:
        """End the process."""
        for pipe in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                if pipe is not None:
                    pipe.close()
        self._process.kill()
        self._process.wait()
        self._messages.close()


class Decoders:
    """As many processes as threads ask at a time; each serves one thread after the other."""

    def __init__(self) -> None:
        self._idle: list[_Decoder] = []
        self._lock = threading.Lock()
        atexit.register(self.close)

    @contextmanager
    def _lent(self) -> Iterator[_Decoder]:
        with self._lock:
            decoder = self._idle.pop() if self._idle else None
        if decoder is None:
            try:
                decoder = _Decoder()
            except OSError as error:
                reason = error.strerror or str(error)
                raise InputError(f"no process can be started to decode it: {reason}") from None
        try:
            yield decoder
        except BaseException:
            decoder.close()
            raise
        with self._lock:
            self._idle.append(decoder)

    def facts(self, path: str) -> dict[str, Any]:
        """Return the names of the columns and the number of rows of a file."""
        with self._lent() as decoder:
            facts: dict[str, Any] = json.loads(decoder.ask({"path": path}))
        return facts

    def read(self, path: str, columns: list[str], start: int, length: int) -> pl.DataFrame:
        """Return some columns of some rows of a file."""
        import polars as pl

        wish = {"path": path, "columns": columns, "start": start, "length": length}
        with self._lent() as decoder:
            content = decoder.ask(wish)
        return pl.read_ipc(io.BytesIO(content))

    def close(self) -> None:
        """End all processes that wait for work."""
        with self._lock:
            idle, self._idle = self._idle, []
        for decoder in idle:
            decoder.close()


decoders = Decoders()
