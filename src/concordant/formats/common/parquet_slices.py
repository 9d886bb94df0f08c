"""Parquet files in slices of rows, decoded in processes of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from concordant.errors import InputError
from concordant.formats.common.decoder import decoders
from concordant.formats.common.pieces import Piece, by_voters, piece_rankings
from concordant.formats.common.source import Source
from concordant.rankings import Rankings
from concordant.tables.columns import Plan, plan_columns

if TYPE_CHECKING:
    import polars as pl

# Values that are decoded at a time: few enough that Ctrl-C need not wait for long.
VALUES = 2**19


def scan_parquet(source: Source, *, layout: str = "auto", **columns: str) -> Iterator[Piece]:
    """Cut a file into slices; those of a long table end where a voter does."""
    try:
        size = Path(source.path).stat().st_size
        with Path(source.path).open("rb") as file:
            begins = file.read(4)
            file.seek(-min(4, size), os.SEEK_END)
            ends = file.read()
    except FileNotFoundError:
        raise source.error("there is no such file") from None
    except OSError as error:
        raise source.error(f"cannot be read: {error.strerror or error}") from None
    if not size:
        raise source.error("the file is empty")
    if begins != b"PAR1" or ends != b"PAR1":
        raise source.error("is not a Parquet file, or is cut off")
    try:
        facts = decoders.facts(source.path)
        plan = plan_columns(facts["names"], layout=layout, **columns)
    except InputError as error:
        raise source.error(error.message) from None
    slices = _Slices(source, plan, int(facts["rows"]), size)
    if plan.doubtful:
        # Whether these columns hold items shows in the first slice, or it is refused.
        slices.read(0)
        slices.plan = replace(plan, doubtful=False)
    if plan.layout == "long":
        yield from by_voters(source, plan, ((frame, None, s) for frame, s in slices.frames()))
    else:
        yield from slices.pieces()


class _Slices:
    """The slices of one file."""

    def __init__(self, source: Source, plan: Plan, n_rows: int, size: int) -> None:
        self.source, self.plan, self.n_rows = source, plan, n_rows
        self.step = max(1, VALUES // len(plan.used))
        self.share = size * self.step // max(1, n_rows)

    def frame(self, start: int) -> pl.DataFrame:
        """Decode a slice."""
        try:
            names = [str(name) for name in self.plan.used]
            return decoders.read(self.source.path, names, start, self.step)
        except InputError as error:
            raise self.source.error(error.message) from None

    def read(self, start: int) -> Rankings:
        """Read the rankings of a slice; each row is one."""
        frame = self.frame(start)
        return piece_rankings(self.source, self.plan, frame.get_column, len(frame))

    def pieces(self) -> Iterator[Piece]:
        """Yield slices that are yet to be decoded."""
        for start in range(0, max(1, self.n_rows), self.step):
            yield Piece(partial(self.read, start), self.share)

    def frames(self) -> Iterator[tuple[pl.DataFrame, int]]:
        """Yield the slices one after the other."""
        for start in range(0, max(1, self.n_rows), self.step):
            yield self.frame(start), self.share
