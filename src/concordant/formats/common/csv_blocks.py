"""CSV files in blocks of whole records, each read as a small file with the same header."""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concordant._files import explained
from concordant.errors import InputError
from concordant.formats.common.pieces import Lines, Piece, by_voters, piece_rankings
from concordant.formats.common.source import Source
from concordant.formats.common.tables import AS_LISTS, make_rankings, plan_of
from concordant.formats.csv import CsvFile, end_of_beginning, make_grid, read_csv
from concordant.formats.text import text_lists
from concordant.rankings import Rankings
from concordant.reading.options import Options, make_options
from concordant.tables.columns import Plan

if TYPE_CHECKING:
    import polars as pl

# Blocks of a file, each with the number of lines before it.
Blocks = Iterator[tuple[bytes, int]]

# Bytes that are parsed at a time: few enough that Ctrl-C need not wait for long.
BLOCK = 4 * 2**20
# The number of blocks that a record may have: 64 MiB.
_LONGEST = 16


def scan_csv(source: Source, **given: Any) -> Iterator[Piece]:
    """Cut a file into blocks; those of a long table end where a voter does.

    A table that the fast way does not read, such as one of scores, is read as a whole.
    """
    options = make_options(given)
    if not options.is_plain:
        yield _whole(source, **given)
        return
    with opened(source) as file:
        blocks = _blocks(source, file)
        first, _ = next(blocks, (b"", 0))
        while _last_end(first.strip(b"\r\n")) < 0 and (more := next(blocks, None)):
            # Only the header so far: the row below it is long, or its line has no end.
            first += more[0]
        if b"\n" not in first:
            # Empty, a single line, or lines that end in carriage returns: left to the reader.
            yield _whole(source, **given)
            return
        plan = _plan(source, first, options)
        if plan is None:
            yield _whole(source, **given)
            return
        head = CsvFile(_part(source, first))
        # The header, without its line end, is put before every block.
        mark = 3 if first.startswith(b"\xef\xbb\xbf") else 0
        header = first[: mark + head.header]
        table = _Table(source, plan, head.separator, header)
        if plan.doubtful:
            # The first block shows whether these columns hold items.
            frame = head.read(plan.used, plan.numeric, guessed=plan.guessed)
            make_rankings(head.source, plan, frame.get_column, len(frame), head.line)
            table.plan = replace(plan, doubtful=False)
        del head
        pieces = table.frames(first, blocks) if plan.layout == "long" else table.raw(first, blocks)
        yield from pieces


def _plan(source: Source, first: bytes, options: Options) -> Plan | None:
    """Return the plan of the columns, from the beginning of a file; None for the general way."""
    end = end_of_beginning(first)
    head = first[:end] if end > 0 else first
    try:
        head.decode()
    except UnicodeDecodeError:
        return None
    if b"\0" in head or not head.strip() or text_lists(_part(source, head), options) is not None:
        return None
    part = _part(source, head)
    return plan_of(part, make_grid(part, data=head), options)


def _whole(source: Source, **options: Any) -> Piece:
    path = Path(source.path)
    return Piece(partial(read_csv, source, **options), path.stat().st_size if path.is_file() else 0)


class _Table:
    """What all blocks of a file share."""

    def __init__(self, source: Source, plan: Plan, separator: str, header: bytes) -> None:
        self.source, self.plan, self.separator, self.header = source, plan, separator, header
        self.header_lines = header.count(b"\n")

    def _blocks(self, first: bytes, rest: Blocks) -> Blocks:
        """Yield each block as a file of its own, and the number of lines before its first."""
        yield first, 0
        for block, lines in rest:
            yield self.header + b"\n" + block, lines - self.header_lines - 1

    def raw(self, first: bytes, rest: Blocks) -> Iterator[Piece]:
        """Yield pieces that parse their block when they are read."""
        for block, before in self._blocks(first, rest):
            yield Piece(partial(self._read, block, before), len(block))

    def _parse(self, block: bytes, before: int) -> tuple[pl.DataFrame, Lines]:
        with _shifted(self.source, before):
            file = CsvFile(_part(self.source, block), self.separator)
            plan = self.plan
            frame = file.read(plan.used, plan.numeric, guessed=plan.guessed)
            return frame, lambda row: file.line(row) + before

    def _read(self, block: bytes, before: int) -> Rankings:
        frame, line = self._parse(block, before)
        column = frame.get_column
        return piece_rankings(self.source, self.plan, column, len(frame), line, [AS_LISTS])

    def frames(self, first: bytes, rest: Blocks) -> Iterator[Piece]:
        """Yield parsed blocks of a long table, cut between voters."""

        def parsed() -> Iterator[tuple[pl.DataFrame, Lines, int]]:
            for block, before in self._blocks(first, rest):
                yield (*self._parse(block, before), len(block))

        yield from by_voters(self.source, self.plan, parsed())


@contextmanager
def _shifted(source: Source, before: int) -> Iterator[None]:
    """Make errors in a block name the line of the file."""
    try:
        yield
    except InputError as error:
        line = None if error.line is None else error.line + before
        raise source.error(error.message, line, error.hints) from None


def _part(source: Source, block: bytes) -> Source:
    """Return a block as a source with the same path and options."""
    part = Source(
        io.BytesIO(block),
        unranked=source.unranked,
        duplicates=source.duplicates,
        max_bytes=max(source.max_bytes, len(block)),
    )
    part.path = source.path
    part.data = block  # No copy.
    return part


@contextmanager
def opened(source: Source) -> Iterator[Any]:
    """Open a file, and unpack it while reading if it is gzipped."""
    with explained(source.path, "read"):
        try:
            with Path(source.path).open("rb") as file:
                if file.read(2) == b"\x1f\x8b":
                    file.seek(0)
                    with gzip.GzipFile(fileobj=file) as unpacked:
                        yield unpacked
                else:
                    file.seek(0)
                    yield file
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise source.error(f"the gzipped file is damaged: {error}") from None


def _blocks(source: Source, file: Any) -> Blocks:
    """Yield blocks that end where a record does, and the number of lines before each."""
    # The beginning of a record that continues in the next block.
    begun: list[bytes] = []
    size = lines = 0
    quoted = False
    longest = min(_LONGEST * BLOCK, source.max_bytes)
    while True:
        read = file.read(BLOCK)
        end = _last_end(read, quoted)
        if read and end < 0:
            begun.append(read)
            size += len(read)
            quoted ^= read.count(b'"') % 2 == 1
            if lines == 0 and b"\r" in read and b"\n" not in b"".join(begun):
                # Lines that end in carriage returns: left to the reader.
                return
            if size > longest:
                raise _too_long(source, begun, longest, lines)
            continue
        # At the end of the file, the last record is whole.
        block = b"".join([*begun, read[: end + 1]])
        if block[:80].strip(b"\r\n") or block.strip(b"\r\n"):
            yield block, lines
        if not read:
            return
        # Unlike `count`, numpy lets other threads run.
        lines += int(np.count_nonzero(np.frombuffer(block, np.uint8) == ord("\n")))
        begun = [read[end + 1 :]]
        size = len(begun[0])
        quoted = begun[0].count(b'"') % 2 == 1


def _too_long(source: Source, begun: list[bytes], longest: int, lines: int) -> InputError:
    why = ""
    if any(b'"' in part for part in begun):
        why = ": a quotation mark in it is never closed, or is inside a value"
    return source.error(
        f"the record that begins here has more than {longest:,} bytes{why}", lines + 1
    )


def _last_end(data: bytes, quoted: bool = False) -> int:
    r"""Return where the last whole record ends: at a line end outside quotation marks.

    Args:
        data: A part of a file.
        quoted: Whether it begins inside quotation marks.

    Example:
        >>> _last_end(b'a,b\n"c\nd",e'), _last_end(b'a,b\n"c\nd",e', quoted=True)
        (3, 6)
    """
    end = data.rfind(b"\n")
    if end < 0 or (data.count(b'"', 0, end) + quoted) % 2 == 0:
        return end
    characters = np.frombuffer(data, np.uint8)
    inside = np.logical_xor.accumulate(characters == ord('"')) ^ quoted
    ends = np.flatnonzero((characters == ord("\n")) & ~inside)
    return int(ends[-1]) if ends.size else -1
