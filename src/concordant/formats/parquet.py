"""`parquet`: the tables of `csv` in Apache Parquet, decoded in a process of their own."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant._reading import options_of
from concordant.errors import InputError
from concordant.formats.common.decoder import Decoder
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import make_rankings, read_grid
from concordant.rankings import Rankings
from concordant.reading.findings import QuestionError
from concordant.reading.frames import frame_grid
from concordant.reading.grid import Grid
from concordant.reading.options import make_options
from concordant.tables.columns import Plan

if TYPE_CHECKING:
    import polars as pl

_MARK = b"PAR1"
# The number of rows from which the layout is found.
SAMPLE_ROWS = 300


def read_parquet(source: Source, **given: Any) -> Rankings:
    """Read a table; `given` are the options of `concordant.read` for tables."""
    options = make_options(given)
    data = source.data
    check_marks(source, data[:4], data[-4:])
    try:
        with Decoder() as decoder:
            # Loaded while the other process loads it too.
            from concordant import _polars  # noqa: F401

            facts = decoder.facts(data)
            names, n_rows = facts["names"], int(facts["rows"])

            def rows(columns: Sequence[Any], most: int | None = None) -> pl.DataFrame:
                size = (n_rows if most is None else min(most, n_rows)) * len(columns) * 8
                if size > source.max_bytes:
                    raise source.too_long(f"unpacks to {n_rows:,} rows, about {size:,} bytes")
                wanted = [str(name) for name in columns]
                return decoder.rows(wanted) if most is None else decoder.rows(wanted, 0, most)

            def grid(most: int | None = None) -> Grid:
                found = rows(names, most)
                made = frame_grid(found.columns, found.get_columns(), format="parquet")
                made.whole = most is None or n_rows <= most
                return made

            def fast(plan: Plan) -> Rankings:
                frame = rows(plan.used)
                return make_rankings(source, plan, frame.get_column, len(frame))

            return read_grid(source, grid(SAMPLE_ROWS), options, fast=fast, whole=grid)
    except QuestionError:
        raise
    except InputError as error:
        raise source.error(error) from None


def check_marks(source: Source, first: bytes, last: bytes) -> None:
    """Refuse a file that does not begin and end as Parquet files do."""
    if not first:
        raise source.error("the file is empty")
    if first != _MARK or last != _MARK:
        raise source.error("not a Parquet file, or cut off")


def write_parquet(data: Rankings, path: Path, *, layout: str = "long") -> bytes:
    """Return the table. If all items are integers, they stay integers, except as column names."""
    from concordant.tables.writing import to_table

    buffer = io.BytesIO()
    to_table(data, layout).write_parquet(buffer)
    return buffer.getvalue()


def sniff(source: Source) -> int:
    """Recognise a Parquet file by its first bytes."""
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
    options=options_of("parquet"),
    write_options=("layout",),
    scanner="concordant.formats.common.parquet_slices:scan_parquet",
)
