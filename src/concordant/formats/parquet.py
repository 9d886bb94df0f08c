"""`parquet`: the tables of `csv` in Apache Parquet.

Files are decoded in a process of its own. On some damaged files the decoder does not raise an
error but panics, or asks for so much memory that the whole program is ended; then only that
process is.
"""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant.errors import InputError
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import OPTIONS, make_rankings
from concordant.rankings import Rankings
from concordant.tables.columns import Plan, plan_columns

if TYPE_CHECKING:
    import subprocess

    import polars as pl

_MARK = b"PAR1"
# What the other process does: it says what columns and how many rows there are, hears which
# columns are wanted, and sends them in a format that is read without decoding.
_DECODE = """
import io, json, sys
import polars as pl
data = io.BytesIO(sys.stdin.buffer.read(int(sys.argv[1])))
names = list(pl.read_parquet_schema(data))
data.seek(0)
rows = pl.scan_parquet(data).select(pl.len()).collect().item()
sys.stdout.buffer.write(json.dumps({"names": names, "rows": rows}).encode() + b"\\n")
sys.stdout.buffer.flush()
wanted = json.loads(sys.stdin.buffer.readline())
data.seek(0)
frame = pl.read_parquet(data, columns=wanted)
result = io.BytesIO()
frame.rechunk().write_ipc(result)
sys.stdout.buffer.write(result.getvalue())
"""


def read_parquet(source: Source, *, layout: str = "auto", **columns: str) -> Rankings:
    """Read a table. `columns` says which holds the voter, item, rank, score and weight."""
    data = source.data
    if not data:
        raise source.error("the file is empty")
    if not data.startswith(_MARK) or not data.endswith(_MARK):
        raise source.error("is not a Parquet file, or is cut off")
    try:
        frame, plan = _decode(source, data, {"layout": layout, **columns})
    except OSError as error:
        reason = error.strerror or str(error)
        raise source.error(f"no process can be started to decode it: {reason}") from None
    return make_rankings(source, plan, frame.get_column, len(frame))


def _decode(source: Source, data: bytes, options: dict[str, Any]) -> tuple[pl.DataFrame, Plan]:
    """Decode the columns that are used, in a process of its own."""
    # Imported here, as polars is: other formats need neither.
    import subprocess
    import tempfile

    # The same packages are to be found there, whatever the working folder holds.
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-P", "-c", _DECODE, str(len(data))]
    with (
        tempfile.TemporaryFile() as messages,
        subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=messages,
            env=environment,
        ) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        # Loaded while the other process loads it too.
        import polars as pl

        found, content = b"", b""
        try:
            process.stdin.write(data)
            process.stdin.flush()
            found = process.stdout.readline()
            if found:
                plan = _plan(source, json.loads(found), options)
                process.stdin.write(json.dumps([str(name) for name in plan.used]).encode() + b"\n")
                process.stdin.flush()
                content = process.stdout.read()
        except BrokenPipeError:
            pass  # It has ended: what it said on the way tells why.
        except BaseException:
            process.kill()
            raise
        finally:
            _close(process)
        if process.wait() != 0 or not content:
            messages.seek(0)
            said = messages.read().decode(errors="replace").strip().splitlines()
            # An error of the decoder has a reason; a panic says only where it came upon it.
            is_told = said and said[-1].startswith("polars.exceptions.")
            reason = said[-1].partition(": ")[2] if is_told else "it cannot be decoded"
            raise source.error(f"the Parquet file is damaged: {reason}")
    return pl.read_ipc(io.BytesIO(content)), plan


def _close(process: subprocess.Popen[bytes]) -> None:
    """Close both pipes, also where the other process is gone."""
    for pipe in (process.stdin, process.stdout):
        try:
            if pipe is not None:
                pipe.close()
        except BrokenPipeError:
            pass


def _plan(source: Source, found: dict[str, Any], options: dict[str, Any]) -> Plan:
    try:
        plan = plan_columns(found["names"], **options)
    except InputError as error:
        raise source.error(error.message) from None
    size = found["rows"] * len(plan.used) * 8
    if size > source.max_bytes:
        raise source.too_long(f"unpacks to {found['rows']:,} rows, about {size:,} bytes")
    return plan


def write_parquet(data: Rankings, path: Path, *, layout: str = "long") -> bytes:
    """Return the table. Items that are all integers stay integers, except as names of columns."""
    from concordant.tables.writing import to_table

    buffer = io.BytesIO()
    to_table(data, layout).write_parquet(buffer)
    return buffer.getvalue()


def sniff(source: Source) -> int:
    """Tell a Parquet file by its first bytes."""
    return SURE if source.data.startswith(_MARK) else NO


FORMAT = Format(
    "parquet",
    "the same table in Apache Parquet",
    (".parquet", ".pq"),
    read_parquet,
    write_parquet,
    sniff,
    binary=True,
    weights="exact",
    options=OPTIONS,
    write_options=("layout",),
    scanner="concordant.formats.common.parquet_slices:scan_parquet",
)
