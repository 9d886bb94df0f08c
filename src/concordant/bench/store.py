"""The store of a benchmark: a folder with one manifest, and one line for each task that is done.

`store.json` says what was run and is written once. `results.jsonl` grows by a line for each result,
which is on the disk before the next task is counted as done; so a run that is killed loses what
it was working at and nothing else.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from concordant._files import atomic_write, explained, read_text, reason
from concordant.bench.records import Manifest, Record
from concordant.errors import Hint, InputError

MANIFEST, RESULTS, _LOCK = "store.json", "results.jsonl", "lock"


def load(path: str | Path) -> tuple[Manifest, list[Record]]:
    """Read a store, also one that is being written to; a last line that is torn is left out.

    Raises:
        InputError: If there is no store, or one of another version, or a line that is no result.
    """
    return read_manifest(path), [record for _, record in _read_lines(Path(path) / RESULTS)]


def read_manifest(path: str | Path) -> Manifest:
    """Read what all results of a store have in common."""
    file = Path(path) / MANIFEST
    try:
        values = json.loads(read_text(file))
    except FileNotFoundError:
        raise InputError("is no store of results: it has no store.json", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {reason(error)}", path=file) from None
    except ValueError as error:
        raise InputError(f"not a manifest in JSON: {error}", path=file) from None
    if not isinstance(values, dict):
        raise InputError("not a manifest of a store", path=file)
    try:
        return Manifest.from_dict(values)
    except InputError as error:
        raise error.at(path=file) from None


def _read_lines(file: Path) -> list[tuple[int, Record]]:
    """Return each result with the place where its line ends; a torn last line is not one."""
    try:
        content = file.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"cannot be read: {reason(error)}", path=file) from None
    found: list[tuple[int, Record]] = []
    end = 0
    lines = content.split(b"\n")
    for number, line in enumerate(lines[:-1], start=1):
        end += len(line) + 1
        try:
            found.append((end, Record.from_dict(json.loads(line))))
        except (ValueError, TypeError, AttributeError, LookupError) as error:
            if number == len(lines) - 1:
                # After a power cut, a line may have its length and not its content.
                break
            raise InputError(f"is no result: {error}", path=file, line=number) from None
    return found


class Store:
    """A store that one runner appends to; a second one is refused while it is open.

    Use it as a context manager: `with Store.open(path, manifest) as store`.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp()) / "results"
        >>> manifest = Manifest("complete", "smoke", {}, {}, {}, "concordant bench run complete")
        >>> with Store.open(folder, manifest) as store:
        ...     store.append(Record("a/borda/0", "a", "borda", cost=3))
        >>> [record.task for record in load(folder)[1]]
        ['a/borda/0']
    """

    def __init__(self, path: Path, lock: IO[bytes]) -> None:
        self.path = path
        self._lock = lock
        self._results = path / RESULTS
        done = _read_lines(self._results)
        self.records = [record for _, record in done]
        try:
            flags = os.O_CREAT | os.O_RDWR | getattr(os, "O_BINARY", 0)
            self._file = os.open(self._results, flags, 0o666)
            # What is behind the last whole line was being written when the runner was killed.
            self._end = done[-1][0] if done else 0
            os.ftruncate(self._file, self._end)
        except OSError as error:
            raise InputError(f"cannot be written: {reason(error)}", path=self._results) from None

    @classmethod
    def open(cls, path: str | Path, manifest: Manifest) -> Store:
        """Open a store for the run that a manifest describes, or begin one.

        Raises:
            InputError: If it holds another run, or another runner is at work in it.
        """
        folder = Path(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot be made a folder: {reason(error)}", path=path) from None
        if not (folder / MANIFEST).exists():
            found = {each.name for each in folder.iterdir()} - {_LOCK}
            if found:
                raise InputError(
                    f"holds other files ({min(found)}) and is no store of results: name a new "
                    "folder",
                    path=path,
                )
        lock = _take_lock(folder)
        try:
            if (folder / MANIFEST).exists():
                held = read_manifest(folder)
                difference = held.difference(manifest)
                if difference is not None:
                    raise InputError(
                        f"was made with {difference}: results of both would not compare. Go on "
                        f"as it was made ({held.command})",
                        path=path,
                        hints=[Hint("store", purpose="to begin a new store", placeholder="FOLDER")],
                    )
            else:
                text = json.dumps(manifest.to_dict(), ensure_ascii=False, indent=1)
                atomic_write(folder / MANIFEST, text + "\n")
            return cls(folder, lock)
        except BaseException:
            lock.close()
            raise

    def append(self, record: Record) -> None:
        """Add a result; when this returns, it is on the disk.

        Raises:
            InputError: If the disk is full: then the store is as it was before.
        """
        text = json.dumps(
            record.to_dict(), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        line = text.encode() + b"\n"
        try:
            os.lseek(self._file, self._end, os.SEEK_SET)
            written = 0
            while written < len(line):
                written += os.write(self._file, line[written:])
            os.fsync(self._file)
        except OSError as error:
            os.ftruncate(self._file, self._end)
            raise InputError(
                f"cannot be written: {reason(error)}. All {len(self.records)} results so far are "
                "kept; make room, and the same command goes on from here",
                path=self._results,
            ) from error
        self._end += len(line)
        self.records.append(record)

    def close(self) -> None:
        """Let others write to the store."""
        os.close(self._file)
        self._lock.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _take_lock(folder: Path) -> IO[bytes]:
    """Open the lock file and hold it; the system lets go of it, however this process ends."""
    with explained(folder, "written"):
        lock = (folder / _LOCK).open("ab")
    try:
        _lock(lock)
    except OSError:
        lock.close()
        raise InputError(
            "another run is at work in this store: wait for it, or name another folder",
            path=folder,
        ) from None
    return lock


def _lock(file: IO[bytes]) -> None:
    locking: Any
    try:
        import fcntl as locking
    except ImportError:  # Windows
        import msvcrt as locking

        locking.locking(file.fileno(), locking.LK_NBLCK, 1)
        return
    locking.flock(file, locking.LOCK_EX | locking.LOCK_NB)
