"""`parquet`: the tables of `csv` in Apache Parquet, decoded in a process of their own."""

from __future__ import annotations

import io
from pathlib import Path

from concordant._reading import options_of
from concordant.errors import InputError
from concordant.formats.common.decoder import Decoder
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import make_rankings
from concordant.rankings import Rankings
from concordant.tables.columns import plan_columns

_MARK = b"PAR1"


def read_parquet(source: Source, *, layout: str = "auto", **columns: str) -> Rankings:
    """Read a table. `columns` names those of the voter, item, rank, score and weight."""
    data = source.data
    check_marks(source, data[:4], data[-4:])
    try:
        with Decoder() as decoder:
            # Loaded while the other process loads it too.
            import polars  # noqa: F401, ICN001

            facts = decoder.facts(data)
            plan = plan_columns(facts["names"], layout=layout, **columns)
            size = facts["rows"] * len(plan.used) * 8
            if size > source.max_bytes:
                raise source.too_long(f"unpacks to {facts['rows']:,} rows, about {size:,} bytes")
            frame = decoder.rows([str(name) for name in plan.used])
    except InputError as error:
        raise source.error(error) from None
    return make_rankings(source, plan, frame.get_column, len(frame))


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
