"""Files of any number and any size: read in pieces, counted on threads, in constant memory."""

from __future__ import annotations

import io
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from concordant._checks import check_duplicates, check_unranked
from concordant._types import Duplicates, Item, Unranked
from concordant.counting.batches import Tally
from concordant.errors import InputError
from concordant.formats.common.pieces import Piece
from concordant.formats.common.registry import Format, by_content, by_name, by_suffix, check_options
from concordant.formats.common.source import MAX_BYTES, Source
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings

# So many bytes of a file are looked at to find a format that can be read in pieces.
_HEAD = 2**20


def pieces_of(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - as `read` calls it
    *,
    unranked: Unranked | None = None,
    duplicates: Duplicates = "error",
    max_bytes: int | None = None,
    **options: Any,
) -> Iterator[Piece]:
    """Yield the pieces of a file, each to be read on any thread; see `scan`."""
    if unranked is not None:
        check_unranked(unranked)
    source = Source(
        path,
        unranked=unranked,
        duplicates=check_duplicates(duplicates),
        max_bytes=max_bytes or MAX_BYTES,
    )
    name = format or (None if options.get("layout") == "lists" else by_suffix(Path(source.path)))
    chosen = by_name(name) if name else None
    if chosen is None and "layout" not in options:
        chosen = _by_head(source)
    if chosen is None:
        # As `read` does, where the file need not be read in pieces or is read whole anyway.
        from concordant.formats import choose

        chosen, options = choose(source, options)
    check_options(options, chosen.options, f"reading {chosen.name}")
    if chosen.scanner is None or _is_packed(chosen.name, source):
        yield Piece(partial(chosen.reader, source, **options), _size(source.path))
        return
    module, _, name = chosen.scanner.partition(":")
    yield from getattr(import_module(module), name)(source, **options)


def _by_head(source: Source) -> Format | None:
    """Return the format that the beginning of a file tells, where it is one read in pieces.

    Others are read whole anyway, and some show at the end only.
    """
    from concordant.formats.common.csv_blocks import opened

    if not Path(source.path).is_file():
        return None
    with opened(source) as file:
        data = file.read(_HEAD)
        is_cut = bool(file.read(1))
    if not is_cut:
        return None
    # No character and no line is cut in two, unless the first one is longer.
    data = data[: data.rfind(b"\n") + 1] or data.decode(errors="ignore").encode()
    head = Source(io.BytesIO(data))
    head.path = source.path
    try:
        found = by_name(by_content(head))
    except InputError:
        return None
    return found if found.scanner else None


def _size(path: str) -> int:
    return Path(path).stat().st_size if Path(path).is_file() else 0


def _is_packed(name: str, source: Source) -> bool:
    """Tell whether a Parquet file is gzipped: it is not read from front to back."""
    if name != "parquet" or not Path(source.path).is_file():
        return False
    try:
        with Path(source.path).open("rb") as file:
            return file.read(2) == b"\x1f\x8b"
    except OSError:
        return False  # The reader says why.


def scan(path: str | Path, format: str | None = None, **how: Any) -> Iterator[Rankings | Pairwise]:  # noqa: A002
    r"""Read a file of any size in batches, one after the other.

    CSV and Parquet files are read some megabytes at a time. Files of other formats are read
    whole, as one batch, and so are tables without a header (`layout="lists"`). In a long table
    (voter, item, rank) the rows of a voter must stand together; elsewhere each row is a ranking.
    A batch of nothing but blank ballots has no items.

    Args:
        path: The file.
        format: The name of its format; by default found from the suffix, then the content.
        **how: What `read` takes. `max_bytes` bounds a file that is read whole. A record of a
            CSV file has 64 MiB at most.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "votes.csv"
        >>> _ = path.write_text("rank1,rank2\nAnn,Bo\nBo,\n")
        >>> Pairwise.from_batches(scan(path))
        Pairwise(2 items, 2 rankings)
    """
    for piece in pieces_of(path, format, **how):
        yield piece.read()


@dataclass(frozen=True, slots=True)
class Counting:
    """How far a count is: for reports of progress.

    Attributes:
        elapsed: Seconds so far.
        bytes_done, bytes_total: How much of the files is read.
        files_done, files_total: How many files are.
        n_rankings: Rankings counted so far.
    """

    elapsed: float
    bytes_done: int
    bytes_total: int
    files_done: int
    files_total: int
    n_rankings: int

    @property
    def seconds_left(self) -> float | None:
        """What is left at the present rate; None while nothing is done."""
        if not self.bytes_done:
            return None
        return self.elapsed * max(0, self.bytes_total - self.bytes_done) / self.bytes_done


@dataclass(frozen=True, slots=True)
class FileCounts:
    """What came of files.

    Attributes:
        pairs: The counts of all files that could be read.
        n_files: How many these are.
        skipped: The files that could not be read, and why.
    """

    pairs: Pairwise
    n_files: int
    skipped: dict[str, str]


def count_files(
    paths: Iterable[str | Path],
    format: str | None = None,  # noqa: A002
    *,
    n_jobs: int = 1,
    skip_bad: bool = False,
    on_progress: Callable[[Counting], Any] | None = None,
    **how: Any,
) -> FileCounts:
    r"""Count the pairs of all rankings in files, whatever their size, and add them up.

    The answer does not depend on the number of threads: items are numbered in order of
    appearance, file by file.

    Args:
        paths: The files; count files among them are added as they are.
        format: The name of their format; by default found from the suffix, then the content.
        n_jobs: Threads.
        skip_bad: Leave out files that cannot be read, in whole, in place of raising the error.
        on_progress: Called with a `Counting`, at most ten times a second.
        **how: What `read` takes.

    Raises:
        InputError: A file cannot be read, or none can, or one does not fit to those before.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.csv").write_text("rank1,rank2\nAnn,Bo\nBo,Ann\n")
        >>> _ = (folder / "b.csv").write_text("rank1,rank2\nBo,Cy\n")
        >>> count_files(sorted(folder.glob("*.csv"))).pairs
        Pairwise(3 items, 3 rankings)
    """
    from concordant.formats.common.decoder import decoders

    counter = _Counter([str(path) for path in paths], n_jobs, skip_bad, on_progress)

    def pieces(path: str) -> Iterator[Piece]:
        return pieces_of(path, format, **how)

    try:
        if n_jobs == 1:
            return counter.run(_at_once, pieces)
        with ThreadPoolExecutor(n_jobs) as pool:
            return counter.run(pool.submit, pieces)
    finally:
        decoders.close()


def _at_once(work: Callable[..., Any], *given: Any) -> Future[Any]:
    """Do here and now what a thread would do later."""
    done: Future[Any] = Future()
    try:
        done.set_result(work(*given))
    except InputError as error:
        done.set_exception(error)
    return done


@dataclass(slots=True)
class _File:
    """One file on its way: sums of its pieces, which join the whole once all are there."""

    path: str
    idle: list[Tally] = field(default_factory=list)
    items: dict[Item, None] = field(default_factory=dict)
    failed: bool = False


class _Counter:
    """Hands pieces to threads, a few ahead of what is counted, and adds up file by file."""

    def __init__(
        self,
        paths: list[str],
        n_jobs: int,
        skip_bad: bool,
        on_progress: Callable[[Counting], Any] | None,
    ) -> None:
        if not paths:
            raise InputError("there is no file to count")
        self._paths, self._n_jobs, self._skip_bad = paths, n_jobs, skip_bad
        self._on_progress = on_progress
        self._started = time.perf_counter()
        self._reported = 0.0
        self._total = Tally(n_jobs=n_jobs)
        # Items in order of appearance, whichever thread was first.
        self._items: dict[Item, None] = {}
        self._skipped: dict[str, str] = {}
        self._bytes_done = self._files_done = self._n_rankings = 0
        self._bytes = sum(map(_size, paths))

    def run(
        self,
        submit: Callable[..., Future[Any]],
        pieces_of_file: Callable[[str], Iterator[Piece]],
    ) -> FileCounts:
        """Count all files; `submit` hands work to a thread."""
        waiting: deque[tuple[_File, Piece | None, Future[Any] | None]] = deque()
        try:
            for path in self._paths:
                file = _File(path)
                try:
                    for piece in pieces_of_file(path):
                        waiting.append((file, piece, submit(self._count, file, piece)))
                        while len(waiting) > 2 * self._n_jobs:
                            self._take(*waiting.popleft())
                        if file.failed:
                            break
                except InputError as error:
                    # What went before it in the file, or in those before, may have failed first.
                    while waiting:
                        self._take(*waiting.popleft())
                    self._fail(file, error)
                waiting.append((file, None, None))
            while waiting:
                self._take(*waiting.popleft())
        finally:
            for _, _, task in waiting:
                if task is not None:
                    task.cancel()
        if not self._items:
            raise InputError(
                f"none of the {len(self._paths):,} files can be read; "
                + "; ".join(list(self._skipped.values())[:3])
            )
        pairs = Pairwise(*self._total.counted())
        if tuple(self._items) != pairs.items:
            pairs = pairs.restrict(list(self._items))
        return FileCounts(pairs, len(self._paths) - len(self._skipped), self._skipped)

    def _count(self, file: _File, piece: Piece) -> tuple[tuple[Item, ...], int]:
        """Read and count a piece; on any thread."""
        if file.failed:
            return (), 0
        data = piece.read()
        try:
            tally = file.idle.pop()
        except IndexError:
            # Not asked for before: another thread might take the last one in between.
            tally = Tally()
        tally.add(data)
        file.idle.append(tally)
        return data.items, data.n_rankings or 0

    def _take(self, file: _File, piece: Piece | None, task: Future[Any] | None) -> None:
        """Take what came of a piece, in the order of the files; no piece says that one is over."""
        if piece is None or task is None:
            self._finish(file)
            return
        try:
            items, n_rankings = task.result()
        except InputError as error:
            self._fail(file, error)
            return
        if not file.failed:
            file.items.update(dict.fromkeys(items))
            self._n_rankings += n_rankings
        self._bytes_done += piece.size
        self._report()

    def _fail(self, file: _File, error: InputError) -> None:
        if not self._skip_bad:
            file.failed = True
            raise error.at(file.path) from None
        if not file.failed:
            self._skipped[file.path] = str(error.at(file.path))
        file.failed = True

    def _finish(self, file: _File) -> None:
        self._files_done += 1
        if file.failed or not file.idle:
            return
        try:
            if not file.items:
                # What a reader of the whole file says; pieces of one may be blank.
                raise InputError("there is no item to rank")
            # Into one sum first: the whole gets all of a file, or nothing.
            first, *others = file.idle
            for tally in others:
                first.add(tally)
            self._total.add(first)
        except InputError as error:
            self._fail(file, error)
            return
        self._items.update(file.items)
        self._report()

    def _report(self) -> None:
        elapsed = time.perf_counter() - self._started
        if self._on_progress is None or elapsed - self._reported < 0.1:
            return
        self._reported = elapsed
        self._on_progress(
            Counting(
                elapsed,
                min(self._bytes_done, self._bytes),
                self._bytes,
                self._files_done,
                len(self._paths),
                self._n_rankings,
            )
        )
