"""The store of a benchmark: a folder with one manifest, and one line for each finished task.

`store.json` describes the run and is written once. `results.jsonl` grows by a line for each result.
The line is on the disk before its task counts as done, so a run that is killed loses only the tasks
that it was working on.
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
    """Read a store, even while a run writes to it; an incomplete last line is left out.

    Raises:
        InputError: If there is no store, its version is another, or a line is not a result.
    """
    return read_manifest(path), [record for _, record in _read_lines(Path(path) / RESULTS)]


def read_manifest(path: str | Path) -> Manifest:
    """Read the manifest of a store."""
    file = Path(path) / MANIFEST
    try:
        values = json.loads(read_text(file))
    except FileNotFoundError:
        raise InputError("not a store of results: it has no store.json", path=path) from None
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
    """Return each result with the offset of the end of its line, without an incomplete line."""
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
                # After a power failure, a line may have its length but not its content.
                break
            raise InputError(f"not a result: {error}", path=file, line=number) from None
    return found


class Store:
    """A store that one run appends to; a second run is refused while it is open.

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
            # Cut off what follows the last complete line: a run was killed while it wrote.
            self._end = done[-1][0] if done else 0
            os.ftruncate(self._file, self._end)
        except OSError as error:
            raise InputError(f"cannot be written: {reason(error)}", path=self._results) from None

    @classmethod
    def open(cls, path: str | Path, manifest: Manifest) -> Store:
        """Open the store of the run that a manifest describes, or create it.

        Raises:
            InputError: If it holds another run, or another run is writing to it.
        """
        folder = Path(path)
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(f"cannot be created: {reason(error)}", path=path) from None
        if not (folder / MANIFEST).exists():
            found = {each.name for each in folder.iterdir()} - {_LOCK}
            if found:
                raise InputError(
                    f"not a store of results: it holds other files ({min(found)}). Name a new "
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
                        f"was made with {difference}, so results could not be compared. Continue "
                        f"this run ({held.command})",
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
        """Add a result; when this returns, the result is on the disk.

        Raises:
            InputError: If the disk is full; the store is then unchanged.
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
                "kept. Free some space and run the same command again to continue",
                path=self._results,
            ) from error
        self._end += len(line)
        self.records.append(record)

    def close(self) -> None:
        """Close the store, so that another run can write to it."""
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
    """Open the lock file and lock it; the system unlocks it when this process ends."""
    with explained(folder, "written"):
        lock = (folder / _LOCK).open("ab")
    try:
        _lock(lock)
    except OSError:
        lock.close()
        raise InputError(
            "another run is writing to this store: wait for it, or name another folder",
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
