"""Parquet files in slices of rows, decoded in processes of their own."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant._files import explained
from concordant.errors import InputError
from concordant.formats.common.decoder import decoders
from concordant.formats.common.pieces import Piece, by_voters, piece_rankings
from concordant.formats.common.source import Source
from concordant.formats.common.tables import plan_of
from concordant.formats.parquet import SAMPLE_ROWS, check_marks, read_parquet
from concordant.rankings import Rankings
from concordant.reading.frames import frame_grid
from concordant.reading.options import make_options
from concordant.tables.columns import Plan

if TYPE_CHECKING:
    import polars as pl

# Values that are decoded at a time: few enough that Ctrl-C need not wait for long.
VALUES = 2**20


def scan_parquet(source: Source, **given: Any) -> Iterator[Piece]:
    """Cut a file into slices; those of a long table end where a voter does."""
    with explained(source.path, "read"), Path(source.path).open("rb") as file:
        size = Path(source.path).stat().st_size
        first = file.read(4)
        file.seek(-min(4, size), os.SEEK_END)
        check_marks(source, first, file.read())
    try:
        with decoders.lent() as decoder:
            facts = decoder.facts(source.path)
            sample = decoder.rows(facts["names"], 0, SAMPLE_ROWS, path=source.path)
    except InputError as error:
        raise source.error(error) from None
    options = make_options(given)
    grid = frame_grid(sample.columns, sample.get_columns(), format="parquet")
    plan = plan_of(source, grid, options) if options.is_plain else None
    if plan is None:
        yield Piece(partial(read_parquet, source, **given), size)
        return
    slices = _Slices(source, plan, int(facts["rows"]), size)
    if plan.doubtful:
        # The first slice shows whether these columns hold items.
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
            with decoders.lent() as decoder:
                return decoder.rows(names, start, self.step, path=self.source.path)
        except InputError as error:
            raise self.source.error(error) from None

    def read(self, start: int) -> Rankings:
        """Read the rankings of a slice; each row is one."""
        frame = self.frame(start)
        return piece_rankings(self.source, self.plan, frame.get_column, len(frame))

    def pieces(self) -> Iterator[Piece]:
        """Yield pieces that decode their slice when they are read."""
        for start in range(0, max(1, self.n_rows), self.step):
            yield Piece(partial(self.read, start), self.share)

    def frames(self) -> Iterator[tuple[pl.DataFrame, int]]:
        """Yield the decoded slices, one after the other."""
        for start in range(0, max(1, self.n_rows), self.step):
            yield self.frame(start), self.share
