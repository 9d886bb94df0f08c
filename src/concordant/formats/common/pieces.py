"""Pieces of a file that are read one by one, and the cutting of a long table between voters."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from concordant.counting.batches import blank_rankings
from concordant.errors import Hint, InputError, show
from concordant.formats.common.source import Source
from concordant.formats.common.tables import make_rankings
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.tables.columns import Plan

if TYPE_CHECKING:
    import polars as pl

# Returns the line of a row.
Lines = Callable[[int], int]


class Piece(NamedTuple):
    """A part of a file, not read yet.

    Attributes:
        read: Reads it, on any thread.
        size: Its share of the file, in bytes.
    """

    read: Callable[[], Rankings | Pairwise]
    size: int


def piece_rankings(
    source: Source,
    plan: Plan,
    column: Callable[[Any], Any],
    n_rows: int,
    line: Callable[[int], int] | None = None,
    hints: Iterable[Hint] = (),
) -> Rankings:
    """Make the rankings of a piece, as `make_rankings` does for a whole file.

    A file with only blank ballots names no item, and is refused. A piece may have only blank
    ballots: then its rankings have no items, and are counted as rankings of nothing.
    """
    try:
        return make_rankings(source, plan, column, n_rows, line, hints, named=False)
    except InputError:
        blank = _blank(source, plan, column, n_rows)
        if blank is None:
            raise
        return blank


def _blank(
    source: Source, plan: Plan, column: Callable[[Any], Any], n_rows: int
) -> Rankings | None:
    from concordant.tables.building import build

    try:
        table = build(plan, column, n_rows)
        return blank_rankings(table.arrays, source.unranked or "unknown", table.n_rankings)
    except InputError:
        # The first error is the one to report.
        return None


def by_voters(
    source: Source, plan: Plan, frames: Iterator[tuple[pl.DataFrame, Lines | None, int]]
) -> Iterator[Piece]:
    """Cut the frames of a long table between voters; the last voter of a frame joins the next.

    A voter whose rows are not next to each other is an error, because the first rows are already
    counted. Finding such voters takes 8 bytes per voter.
    """
    from concordant._polars import pl

    seen = _Seen(source)
    kept: pl.DataFrame | None = None
    kept_lines: list[tuple[int, Lines | None, int]] = []
    kept_size = 0
    empty: pl.DataFrame | None = None
    for frame, line, size in frames:
        if not len(frame):
            empty = frame
            continue
        whole = frame if kept is None else pl.concat([kept, frame], how="vertical_relaxed")
        # Row r of the whole is row r - start + offset of its frame.
        n_kept = 0 if kept is None else len(kept)
        parts = [*kept_lines, (n_kept, line, 0)]
        size += kept_size
        voters = whole.get_column(str(plan.voter))
        if voters.null_count():
            # The reader raises an error that names the row.
            yield Piece(partial(_read, source, plan, whole, parts), size)
            kept, kept_lines, kept_size = None, [], 0
            continue
        last = int((voters != voters[-1]).arg_true()[-1]) + 1 if voters.n_unique() > 1 else 0
        if last:
            seen.add(voters[:last], partial(_line_of, parts))
            yield Piece(partial(_read, source, plan, whole[:last], parts), size)
            size = 0
        kept, kept_size = whole[last:], size
        kept_lines = _moved(parts, last)
    if kept is not None:
        seen.add(kept.get_column(str(plan.voter)), partial(_line_of, kept_lines))
        yield Piece(partial(_read, source, plan, kept, kept_lines), kept_size)
    elif empty is not None and not seen:
        # The reader raises an error: there is no ranking.
        yield Piece(partial(_read, source, plan, empty, [(0, None, 0)]), 0)


def _moved(parts: list[tuple[int, Lines | None, int]], by: int) -> list[Any]:
    """Return where the frames begin after the first rows are removed."""
    moved = []
    for number, (start, line, offset) in enumerate(parts):
        following = parts[number + 1][0] if number + 1 < len(parts) else None
        if following is None or following > by:
            moved.append((max(0, start - by), line, offset + max(0, by - start)))
    return moved


def _line_of(parts: list[tuple[int, Lines | None, int]], row: int) -> int | None:
    start, line, offset = next(part for part in reversed(parts) if part[0] <= row)
    return None if line is None else line(row - start + offset)


def _read(
    source: Source, plan: Plan, frame: pl.DataFrame, parts: list[tuple[int, Lines | None, int]]
) -> Rankings:
    has_lines = parts[0][1] is not None
    line: Any = partial(_line_of, parts) if has_lines else None
    return piece_rankings(source, plan, frame.get_column, len(frame), line)


class _Seen:
    """The voters of all rows so far, as hashes, to find a voter who occurs again.

    While voters are in ascending order, none can occur again, and nothing is compared.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._last: Any = None
        self._ascending = True
        self._hashes: list[npt.NDArray[np.uint64]] = []

    def __bool__(self) -> bool:
        """Whether there was any voter."""
        return bool(self._hashes)

    def add(self, voters: pl.Series, line: Callable[[int], int | None]) -> None:
        """Add the voters of further rows, or refuse one who occurred before."""
        starts = np.concatenate([[0], (voters[1:] != voters[:-1]).arg_true().to_numpy() + 1])
        runs = voters.gather(starts)
        hashes = runs.hash(seed=7).to_numpy()
        order = np.argsort(hashes, kind="stable")
        # Sorted in any case: all are searched once the voters are no longer in ascending order.
        hashes = hashes[order]
        if self._ascending:
            rising = self._last is None or bool(runs[0] > self._last)
            self._ascending = rising and bool((runs[1:] > runs[:-1]).all())
            self._last = runs[-1]
        if self._ascending:
            self._hashes.append(hashes)
            return
        self._merge()
        again = np.flatnonzero(hashes[1:] == hashes[:-1]) + 1
        known = [np.flatnonzero(_is_in(hashes, old)) for old in self._hashes]
        places = np.concatenate([again, *known])
        if places.size:
            run = int(order[places].min())
            raise self._source.error(
                f"voter {show(runs[run])} occurs again after other voters, and the rows of a "
                "voter must be next to each other: sort the file by voter",
                line(int(starts[run])),
            )
        self._hashes.append(hashes)

    def _merge(self) -> None:
        """Keep few sorted lists, each more than twice as long as the next."""
        sizes = [each.size for each in self._hashes]
        at = len(sizes)
        while at > 1 and sizes[at - 2] <= 2 * sum(sizes[at - 1 :]):
            at -= 1
        if at < len(sizes):
            at -= 1
            merged = np.sort(np.concatenate(self._hashes[at:]), kind="stable")
            self._hashes[at:] = [merged]


def _is_in(hashes: Any, known: Any) -> Any:
    """Return for each hash whether it is in a sorted list."""
    places = np.minimum(np.searchsorted(known, hashes), known.size - 1)
    return known[places] == hashes
