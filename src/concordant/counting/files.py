"""Counting files of any number and size: read in pieces, on threads, in constant memory."""

from __future__ import annotations

import glob
import io
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from concordant._checks import check_duplicates, check_unranked, threads_of
from concordant._types import Duplicates, Item, Unranked
from concordant.counting.batches import BatchCounter
from concordant.errors import InputError
from concordant.formats.common.pieces import Piece
from concordant.formats.common.registry import Format, by_name, by_suffix, check_options
from concordant.formats.common.source import MAX_BYTES, Source
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings

# The bytes at the beginning of a file that may show a format that is read in pieces.
_HEAD = 2**20


def expand_paths(names: Iterable[str]) -> list[str]:
    """Return the files that names and patterns stand for; those of a pattern in order of name.

    Raises:
        InputError: No file matches a pattern.
    """
    paths: list[str] = []
    for name in names:
        if not glob.has_magic(name) or Path(name).exists():
            paths.append(name)
            continue
        # Not `Path.glob`, which takes no absolute pattern.
        found = sorted(glob.glob(name, recursive=True))  # noqa: PTH207
        if not found:
            raise InputError(f"no file matches {name!r}")
        paths += found
    return paths


def pieces_of(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - as `read` calls it
    *,
    unranked: Unranked | None = None,
    duplicates: Duplicates = "error",
    max_bytes: int | None = None,
    **options: Any,
) -> Iterator[Piece]:
    """Yield the pieces of a file, which any thread can read; see `scan`."""
    if unranked is not None:
        check_unranked(unranked)
    source = Source(
        path,
        unranked=unranked,
        duplicates=check_duplicates(duplicates),
        max_bytes=max_bytes or MAX_BYTES,
    )
    chosen, options = (by_name(format), options) if format else _choose(source, options)
    check_options(options, chosen.options, f"reading {chosen.name}")
    if chosen.scanner is None or _is_packed(chosen.name, source):
        yield Piece(partial(chosen.reader, source, **options), _size(source.path))
        return
    module, _, name = chosen.scanner.partition(":")
    yield from getattr(import_module(module), name)(source, **options)


def _choose(source: Source, options: dict[str, Any]) -> tuple[Format, dict[str, Any]]:
    """Choose the format as `read` does, from the head of the file if that is enough.

    A format that is read whole may show only at the end of the file.
    """
    from concordant.formats import choose

    head = _head(source)
    if head is not None:
        try:
            chosen, left = choose(head, options)
        except InputError:
            chosen = None
        if chosen is not None and chosen.scanner:
            return chosen, left
    return choose(source, options)


def _head(source: Source) -> Source | None:
    """Return the beginning of a long file; None for a short one, or if the suffix is enough."""
    from concordant.formats.common.csv_blocks import opened

    if by_suffix(Path(source.path)) or not Path(source.path).is_file():
        return None
    with opened(source) as file:
        data = file.read(_HEAD)
        is_long = bool(file.read(1))
    if not is_long:
        return None
    # Cut off after a whole line, or after a whole character of the first one.
    data = data[: data.rfind(b"\n") + 1] or data.decode(errors="ignore").encode()
    head = Source(io.BytesIO(data))
    head.path = source.path
    return head


def _size(path: str) -> int:
    return Path(path).stat().st_size if Path(path).is_file() else 0


def _is_packed(name: str, source: Source) -> bool:
    """Tell whether a file is a gzipped Parquet file, which cannot be read in pieces."""
    if name != "parquet" or not Path(source.path).is_file():
        return False
    try:
        with Path(source.path).open("rb") as file:
            return file.read(2) == b"\x1f\x8b"
    except OSError:
        return False  # The reader raises the error.


def scan(path: str | Path, format: str | None = None, **how: Any) -> Iterator[Rankings | Pairwise]:  # noqa: A002
    r"""Read a file of any size in batches, one after the other.

    CSV and Parquet files are read a few megabytes at a time. Files of other formats, and tables
    without a header (`layout="lists"`), are read whole, as one batch. In a long table (voter,
    item, rank) the rows of each voter must be together; in other tables each row is a ranking.
    A batch of only blank ballots has no items.

    Args:
        path: The file.
        format: The name of its format; by default found from the suffix, then the content.
        **how: The other arguments of `read`. `max_bytes` limits a file that is read whole. A
            record of a CSV file may have 64 MiB.

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
class CountProgress:
    """The progress of a count.

    Attributes:
        elapsed: Seconds so far.
        bytes_done, bytes_total: The bytes read so far, and those of all files.
        files_done, files_total: The files counted so far, and all files.
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
        """The expected remaining time at the present rate; None before the first bytes."""
        if not self.bytes_done:
            return None
        return self.elapsed * max(0, self.bytes_total - self.bytes_done) / self.bytes_done


@dataclass(frozen=True, slots=True)
class CountResult:
    """The counts of files.

    Attributes:
        pairs: The counts of all files that could be read.
        n_files: The number of these files.
        skipped: The files that could not be read, with the reasons.
    """

    pairs: Pairwise
    n_files: int
    skipped: dict[str, InputError]


def count_files(
    paths: Iterable[str | Path],
    format: str | None = None,  # noqa: A002
    *,
    n_jobs: int | None = 1,
    skip_bad: bool = False,
    on_progress: Callable[[CountProgress], Any] | None = None,
    **how: Any,
) -> CountResult:
    r"""Count the pairs of all rankings in files of any size, and add them up.

    The answer does not depend on the number of threads: items are numbered in order of
    appearance, file by file.

    Args:
        paths: The files; count files among them are added as they are.
        format: The name of their format; by default found from the suffix, then the content.
        n_jobs: The number of threads; -1 is one per core.
        skip_bad: Leave out files that cannot be read, instead of raising the error.
        on_progress: Called with a `CountProgress`, at most ten times a second.
        **how: The other arguments of `read`.

    Raises:
        InputError: A file cannot be read or does not fit the files before it; with `skip_bad`,
            no file can be read.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "a.csv").write_text("rank1,rank2\nAnn,Bo\nBo,Ann\n")
        >>> _ = (folder / "b.csv").write_text("rank1,rank2\nBo,Cy\n")
        >>> count_files(sorted(folder.glob("*.csv"))).pairs
        Pairwise(3 items, 3 rankings)
    """
    from concordant.formats.common.decoder import decoders

    threads = threads_of(n_jobs)
    counter = _FilesCounter([str(path) for path in paths], threads, skip_bad, on_progress)

    def pieces(path: str) -> Iterator[Piece]:
        return pieces_of(path, format, **how)

    try:
        if threads == 1:
            return counter.run(_call, pieces)
        with ThreadPoolExecutor(threads) as pool:
            return counter.run(pool.submit, pieces)
    finally:
        decoders.close()


def _call(work: Callable[..., Any], *given: Any) -> Future[Any]:
    """Call a function in this thread, with the result of a thread pool."""
    done: Future[Any] = Future()
    try:
        done.set_result(work(*given))
    except InputError as error:
        done.set_exception(error)
    return done


@dataclass(slots=True)
class _File:
    """A file that is being counted. Its sums join the total when all its pieces are counted."""

    path: str
    idle: list[BatchCounter] = field(default_factory=list)
    items: dict[Item, None] = field(default_factory=dict)
    failed: bool = False


class _FilesCounter:
    """Hands pieces to threads, only a few at a time, and adds them up file by file."""

    def __init__(
        self,
        paths: list[str],
        n_jobs: int,
        skip_bad: bool,
        on_progress: Callable[[CountProgress], Any] | None,
    ) -> None:
        if not paths:
            raise InputError("there is no file to count")
        self._paths, self._n_jobs, self._skip_bad = paths, n_jobs, skip_bad
        self._on_progress = on_progress
        self._started = time.perf_counter()
        self._reported = 0.0
        self._total = BatchCounter(n_jobs=n_jobs)
        # Items in the order of the files, whichever thread was first.
        self._items: dict[Item, None] = {}
        self._skipped: dict[str, InputError] = {}
        self._bytes_done = self._files_done = self._n_rankings = 0
        self._bytes = sum(map(_size, paths))
        # Set at an error or at Ctrl-C: threads stop before their next step.
        self._stopped = threading.Event()

    def run(
        self,
        submit: Callable[..., Future[Any]],
        pieces_of_file: Callable[[str], Iterator[Piece]],
    ) -> CountResult:
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
                    # A piece before it, in this file or an earlier one, may have failed first.
                    while waiting:
                        self._take(*waiting.popleft())
                    self._fail(file, error)
                waiting.append((file, None, None))
            while waiting:
                self._take(*waiting.popleft())
        finally:
            self._stopped.set()
            for _, _, task in waiting:
                if task is not None:
                    task.cancel()
        if not self._items:
            raise InputError(
                f"none of the {len(self._paths):,} files can be read; "
                + "; ".join(str(error) for error in list(self._skipped.values())[:3])
            )
        pairs = Pairwise(*self._total.data())
        if tuple(self._items) != pairs.items:
            pairs = pairs.restrict(list(self._items))
        return CountResult(pairs, len(self._paths) - len(self._skipped), self._skipped)

    def _count(self, file: _File, piece: Piece) -> tuple[tuple[Item, ...], int]:
        """Read and count a piece, on any thread."""
        if file.failed or self._stopped.is_set():
            return (), 0
        data = piece.read()
        if self._stopped.is_set():
            return (), 0
        try:
            counter = file.idle.pop()
        except IndexError:
            # A check beforehand would not do: another thread may take the last one in between.
            counter = BatchCounter()
        counter.add(data)
        file.idle.append(counter)
        return data.items, data.n_rankings or 0

    def _take(self, file: _File, piece: Piece | None, task: Future[Any] | None) -> None:
        """Take the result of a piece, in the order of the files; None marks the end of a file."""
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
            self._skipped[file.path] = error.at(file.path)
        file.failed = True

    def _finish(self, file: _File) -> None:
        self._files_done += 1
        if file.failed or not file.idle:
            return
        try:
            if not file.items:
                # The error of a whole file of blank ballots; pieces of a file may be blank.
                raise InputError("there is no item to rank")
            # First add up the file by itself: it joins the total as a whole, or not at all.
            first, *others = file.idle
            for counter in others:
                first.add(counter)
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
            CountProgress(
                elapsed,
                min(self._bytes_done, self._bytes),
                self._bytes,
                self._files_done,
                len(self._paths),
                self._n_rankings,
            )
        )
