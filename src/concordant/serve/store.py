"""`Store`: jobs and results in one SQLite file, so that they outlive the server.

A job is written when it is submitted, and its result in one transaction when it ends. A job without
a result at the next start was lost with its process, and runs again. One thread does all the work,
so the event loop never waits for the disk.
"""

from __future__ import annotations

import asyncio
import errno
import hashlib
import json
import os
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from concordant._files import reason
from concordant._version import __version__
from concordant.errors import SettingError

T = TypeVar("T")
# "Cncd" in ASCII: it marks the file as ours. The number of the schema follows it.
_APPLICATION = 0x436E6364
_SCHEMA = 1
# A server that has just been killed may not have released the file yet.
_SECONDS_FOR_LOCK = 2.0
# The links that are known to have expired; the oldest are forgotten first.
_EXPIRED_KEPT = 100_000
# The keys are digests of the ids. So no search through the index shows how much of an id is right,
# and nothing is left of the id of a job that has expired.
_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE jobs (
    key BLOB PRIMARY KEY,
    id TEXT NOT NULL,
    state TEXT NOT NULL,
    submitted REAL NOT NULL,
    ended REAL,
    attempts INTEGER NOT NULL,
    client TEXT NOT NULL,
    size INTEGER NOT NULL,
    digest BLOB NOT NULL,
    request TEXT NOT NULL,
    outcome TEXT NOT NULL,
    content BLOB NOT NULL,
    result BLOB,
    record BLOB
);
CREATE INDEX jobs_by_end ON jobs (ended, size);
CREATE TABLE expired (key BLOB PRIMARY KEY, at REAL NOT NULL);
CREATE INDEX expired_by_time ON expired (at);
"""
# The last one lets SQLite overwrite what is deleted.
_PRAGMAS = (
    *("journal_mode = WAL", "synchronous = FULL", "journal_size_limit = 67108864"),
    "secure_delete = ON",
)
_COLUMNS = (
    "id, state, submitted, ended, attempts, client, request, outcome, content, result, record"
)


class StoreError(Exception):
    """The store cannot be read or written now; `message` says why."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Expired(Exception):
    """There was such a job, and it is no longer kept."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A job in the store: its request, its file, and, when it has ended, its result.

    `submitted` and `ended` are seconds since 1970. `request` and `outcome` are plain values.
    """

    id: str
    state: str
    submitted: float
    ended: float | None
    attempts: int
    client: str
    request: dict[str, Any]
    outcome: dict[str, Any]
    content: bytes
    result: bytes | None = None
    record: bytes | None = None

    def values(self) -> tuple[Any, ...]:
        """Return the values of the columns from `state` on."""
        request, outcome = (
            json.dumps(part, allow_nan=False) for part in (self.request, self.outcome)
        )
        blobs = (self.content, self.result, self.record)
        parts = [self.id, self.state, request, outcome, *blobs]
        size = sum(len(part or b"") for part in blobs) + len(request) + len(outcome)
        times = (self.submitted, self.ended, self.attempts, self.client)
        return self.state, *times, size, _digest(parts), request, outcome, *blobs


def _digest(parts: list[Any]) -> bytes:
    """Return a digest of texts and blobs, with the length of each."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        found.update(b"-" if data is None else f"{len(data)}:".encode())
        found.update(data or b"")
    return found.digest()


def _key(name: str) -> bytes:
    return hashlib.sha256(name.encode(errors="surrogatepass")).digest()


class Store:
    """The jobs of a server in a file. Only one server at a time can use the file.

    Args:
        path: The file; it is created if there is none, for its owner only.
        keep_seconds: How long a job is kept after its end.
        most_bytes: The largest size of all jobs together; the oldest ones are deleted first.

    Raises:
        SettingError: The file cannot be used; it is unchanged.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "jobs.db"
        >>> store = Store(path)
        >>> Store(path)
        Traceback (most recent call last):
        ...
        concordant.errors.SettingError: store: .../jobs.db is in use: another server ...
        >>> asyncio.run(store.close())
    """

    def __init__(
        self, path: Path, keep_seconds: float = 604_800.0, most_bytes: int = 4_000_000_000
    ) -> None:
        self.path = path
        self.keep_seconds = keep_seconds
        # Why an access failed; None when something could be added after it.
        self.fault: str | None = None
        self._most_bytes = most_bytes
        self._db = _opened(path)
        self._size = self._sum()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="store")

    async def _do(self, work: Callable[[], T], adds: bool = False) -> T:
        """Run something in the thread of the store. What it writes is one transaction.

        Only what `adds` to the file shows that there is room again.
        """

        def guarded() -> T:
            try:
                with self._db:
                    found = work()
                if adds:
                    self.fault = None
                return found
            except (sqlite3.Error, StoreError) as error:
                # Nothing was written.
                with suppress(sqlite3.Error):
                    self._size = self._sum()
                if isinstance(error, StoreError):
                    raise
                self.fault = f"the store of the server {_why(error)}"
                raise StoreError(self.fault) from None

        return await asyncio.get_running_loop().run_in_executor(self._thread, guarded)

    def _sum(self) -> int:
        return int(self._db.execute("SELECT coalesce(sum(size), 0) FROM jobs").fetchone()[0])

    # -- one job -------------------------------------------------------------------------------

    async def add(self, entry: Entry) -> None:
        """Write a new job.

        Raises:
            StoreError: It cannot be written, or there is no room for it.
        """

        def work() -> None:
            values = entry.values()
            self._make_room(values[5])
            marks = ", ".join("?" * (len(values) + 2))
            self._db.execute(
                f"INSERT INTO jobs VALUES ({marks})", (_key(entry.id), entry.id, *values)
            )
            self._size += values[5]

        await self._do(work, adds=True)

    async def finish(self, entry: Entry) -> None:
        """Write the end of a job and its result; nothing if the job was deleted meanwhile."""

        def work() -> None:
            key, values = _key(entry.id), entry.values()
            before = self._db.execute("SELECT size FROM jobs WHERE key = ?", (key,)).fetchone()
            if before is None:
                return
            # The file is there already.
            self._db.execute(
                "UPDATE jobs SET state = ?, submitted = ?, ended = ?, attempts = ?, client = ?, "
                "size = ?, digest = ?, request = ?, outcome = ?, result = ?, record = ? "
                "WHERE key = ?",
                (*values[:9], *values[10:], key),
            )
            self._size += values[5] - before[0]

        await self._do(work, adds=True)

    async def begin(self, name: str) -> None:
        """Count an attempt to run a job."""
        change = "UPDATE jobs SET attempts = attempts + 1 WHERE key = ?"
        await self._do(lambda: self._db.execute(change, (_key(name),)))

    async def find(self, name: str) -> Entry | None:
        """Return a job by its id; None when there never was one.

        Raises:
            Expired: It was kept as long as the server promises.
            StoreError: It cannot be read.
        """

        def work() -> Entry | None:
            key = _key(name)
            found = self._db.execute(
                f"SELECT digest, {_COLUMNS} FROM jobs WHERE key = ?", (key,)
            ).fetchone()
            if found is not None:
                entry = _entry(*found)
                if entry.ended is not None and entry.ended + self.keep_seconds <= time.time():
                    raise Expired
                return entry
            if self._db.execute("SELECT 1 FROM expired WHERE key = ?", (key,)).fetchone():
                raise Expired
            return None

        return await self._do(work)

    async def delete(self, name: str) -> None:
        """Delete a job at the request of its user. Nothing is left of it."""
        await self._do(lambda: self._drop("key = ?", _key(name), remember=False))

    # -- all jobs ------------------------------------------------------------------------------

    async def unfinished(self) -> list[Entry]:
        """Return the jobs that have not ended, in the order of their submission.

        One that is damaged cannot run again. It is deleted, and counts as expired.
        """

        def work() -> list[Entry]:
            found = []
            rows = self._db.execute(
                f"SELECT key, digest, {_COLUMNS} FROM jobs WHERE ended IS NULL "
                "ORDER BY submitted, key"
            ).fetchall()
            for key, *row in rows:
                try:
                    found.append(_entry(*row))
                except StoreError:
                    self._drop("key = ?", key)
            return found

        return await self._do(work)

    async def sweep(self) -> None:
        """Delete the jobs that are kept no longer, and those for which there is no room."""

        def work() -> None:
            self._drop("ended <= ?", time.time() - self.keep_seconds)
            self._make_room(0)
            self._db.execute(
                "DELETE FROM expired WHERE at <= "
                "(SELECT at FROM expired ORDER BY at DESC LIMIT 1 OFFSET ?)",
                (_EXPIRED_KEPT,),
            )

        await self._do(work)

    async def close(self) -> None:
        """Close the file. The server ends on purpose, so no job is to blame for its end."""
        with suppress(StoreError):
            await self._do(
                lambda: self._db.execute("UPDATE jobs SET attempts = 0 WHERE ended IS NULL")
            )
        self._thread.shutdown()
        self._db.close()

    def _make_room(self, size: int) -> None:
        """Delete the oldest jobs that have ended until there is room for more bytes."""
        while self._size + size > self._most_bytes:
            oldest = self._db.execute("SELECT min(ended) FROM jobs").fetchone()[0]
            if oldest is None:
                if size:
                    raise StoreError("the files of the waiting jobs fill the store of the server")
                return
            self._drop("ended <= ?", oldest)

    def _drop(self, which: str, value: Any, remember: bool = True) -> None:
        """Delete jobs; `remember` that they have expired."""
        size = f"SELECT coalesce(sum(size), 0) FROM jobs WHERE {which}"
        freed = self._db.execute(size, (value,)).fetchone()[0]
        if not freed:
            return
        if remember:
            self._db.execute(
                f"INSERT OR REPLACE INTO expired SELECT key, ? FROM jobs WHERE {which}",
                (time.time(), value),
            )
        self._db.execute(f"DELETE FROM jobs WHERE {which}", (value,))
        self._size -= freed


def _entry(digest: bytes, *row: Any) -> Entry:
    name, state, submitted, ended, attempts, client, request, outcome, *blobs = row
    if not _is_same(digest, [name, state, request, outcome, *blobs]):
        raise StoreError("the store of the server is damaged at this job: submit it again")
    facts = (json.loads(request), json.loads(outcome))
    return Entry(name, state, submitted, ended, attempts, client, *facts, *blobs)


def _is_same(digest: Any, parts: list[Any]) -> bool:
    with suppress(AttributeError, TypeError, UnicodeError):
        return bool(_digest(parts) == digest)
    return False


# -- opening -----------------------------------------------------------------------------------


def _opened(path: Path) -> sqlite3.Connection:
    """Open a store, or make one. A file that is not a store of this version is left unchanged."""
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        # SQLite itself would let others read a new file. An existing file must not be opened here:
        # closing it would release the locks of this process.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    except OSError as error:
        raise _refusal(f"{path} cannot be used: {reason(error)}") from None
    db = None
    try:
        db = sqlite3.connect(path, timeout=_SECONDS_FOR_LOCK, check_same_thread=False)
        db.execute("PRAGMA locking_mode = EXCLUSIVE")
        _check(db, path)
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}").fetchall()
        with db:
            db.execute(
                "INSERT OR REPLACE INTO meta VALUES ('opened by', ?)",
                (f"concordant {__version__}",),
            )
        with suppress(OSError):
            path.chmod(0o600)
        return db
    except BaseException as error:
        if db is not None:
            db.close()
        if isinstance(error, sqlite3.Error):
            raise _refusal(f"{path} {_why(error)}") from None
        raise


def _check(db: sqlite3.Connection, path: Path) -> None:
    """Check that a file is a whole store of this version; fill an empty one."""
    application = db.execute("PRAGMA application_id").fetchone()[0]
    schema = db.execute("PRAGMA user_version").fetchone()[0]
    is_empty = not db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    if is_empty and not application and not schema:
        db.executescript(
            f"BEGIN IMMEDIATE; PRAGMA application_id = {_APPLICATION}; "
            f"PRAGMA user_version = {_SCHEMA}; {_TABLES} COMMIT;"
        )
        return
    if application != _APPLICATION:
        raise _refusal(f"{path} is another database, not a store of concordant: choose a new file")
    if schema != _SCHEMA:
        other = "a newer" if schema > _SCHEMA else "another"
        raise _refusal(
            f"{path} was written by {other} version of concordant (schema {schema}, and this one "
            f"uses {_SCHEMA}): use that version, or choose a new file"
        )
    fault = db.execute("PRAGMA quick_check(1)").fetchone()[0]
    if fault != "ok":
        raise sqlite3.DatabaseError(fault)
    db.execute(f"SELECT digest, size, {_COLUMNS} FROM jobs LIMIT 0")
    db.execute("SELECT key, at FROM expired LIMIT 0")


def _refusal(message: str) -> SettingError:
    return SettingError(f"store: {message}", setting="store")


def _why(error: sqlite3.Error) -> str:
    """Return why SQLite could not read or write a store."""
    text = str(error)
    if "locked" in text:
        return "is in use: another server is running on it"
    if "full" in text:
        return "cannot be written: the disk is full"
    if "readonly" in text:
        return "cannot be written: it is read-only"
    if "not a database" in text:
        return "is not a store of concordant: choose a new file"
    if "unable to open" in text or "disk I/O" in text:
        return f"cannot be used: {text}"
    return "is damaged: restore a copy, or choose a new file"
