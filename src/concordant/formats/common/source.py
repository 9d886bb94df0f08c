"""The file that a reader reads: its bytes within bounds, its text, its lines, a sample of it."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from concordant._types import Duplicates, Item, Unranked
from concordant.errors import InputError, cut
from concordant.merging import drop_repeats
from concordant.rankings import Rankings

# How many bytes of a file, after unpacking, are read unless the caller says otherwise.
MAX_BYTES = 2**30
# Headers may say any number of items, and names are made for all of them.
MOST_ITEMS = 1_000_000
_LONGEST_MESSAGE = 600
_STEP = 2**20
# The first lines are enough to tell a format.
_SAMPLE_LINES = 200


class Source:
    r"""A file to read, and how to read it.

    Args:
        path: The file; or an open binary file, such as `sys.stdin.buffer`.
        unranked: What leaving an item out means, or None for what the file says.
        duplicates: What an item is that a ranking has twice, an "error" or at its "first" place.
        max_bytes: How many bytes are read at most, after unpacking.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "a.txt"
        >>> _ = path.write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n")
        >>> Source(path).lines
        ['one', 'two', '']
    """

    def __init__(
        self,
        path: str | Path | BinaryIO,
        *,
        unranked: Unranked | None = None,
        duplicates: Duplicates = "error",
        max_bytes: int = MAX_BYTES,
    ) -> None:
        self._file = None if isinstance(path, str | os.PathLike) else path
        self.path = str(path if self._file is None else getattr(path, "name", "the input"))
        self.unranked = unranked
        self.duplicates = duplicates
        self.max_bytes = max_bytes

    def error(self, message: str, line: int | None = None) -> InputError:
        """Return the error for a line of this file (the first line is 1), in bounded length."""
        return InputError(cut(message, _LONGEST_MESSAGE), path=self.path, line=line)

    def check_items(self, m: int, line: int) -> None:
        """Refuse a number of items, said by a header, that nothing could be done with."""
        if m > MOST_ITEMS:
            raise self.error(
                f"the header says {m:,} items; more than {MOST_ITEMS:,} are not read, because "
                "all pairs of items are compared",
                line,
            )

    def check_once(self, item: int, seen: set[int], name: str, line: int) -> None:
        """Note an item of a ballot; refuse it at once where the ballot has it before.

        `Rankings` would refuse it too, but a damaged line may be long.
        """
        if item in seen and self.duplicates == "error":
            raise self.error(f"candidate {cut(name)!r} is ranked twice", line)
        seen.add(item)

    # -- bytes, text, lines ----------------------------------------------------------------

    @cached_property
    def _raw(self) -> bytes:
        try:
            if self._file is not None:
                return self._bounded(self._file)
            with Path(self.path).open("rb", buffering=0) as file:
                found = os.fstat(file.fileno())
                # Some files of the system say size 0 and hold more.
                if not stat.S_ISREG(found.st_mode) or not found.st_size:
                    return self._bounded(file)
                if found.st_size > self.max_bytes:
                    raise self.too_long(f"holds {found.st_size:,} bytes")
                return file.readall()
        except FileNotFoundError:
            raise self.error("there is no such file") from None
        except IsADirectoryError:
            raise self.error("is a folder: give the name of a file in it") from None
        except InputError:
            raise
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or str(error)
            raise self.error(f"cannot be read: {reason}") from error

    def _bounded(self, file: Any, what: str = "holds") -> bytes:
        """Read all of a file in steps, or refuse it as soon as it proves too long."""
        parts, size = [], 0
        # Nothing tells how long a device, a pipe or an unpacked file gets.
        while part := file.read(_STEP):
            parts.append(part)
            size += len(part)
            if size > self.max_bytes:
                raise self.too_long(f"{what} more than {self.max_bytes:,} bytes")
        return b"".join(parts)

    def too_long(self, found: str) -> InputError:
        """Return the error for a file that is, or unpacks to, more than may be read."""
        return self.error(
            f"{found}, and {self.max_bytes:,} is the most that is read: where so much is meant, "
            "raise that with --max-bytes (in Python, max_bytes=…)"
        )

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file, unpacked when it is gzipped."""
        if not self._raw.startswith(b"\x1f\x8b"):
            return self._raw
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(self._raw)) as file:
                return self._bounded(file, "unpacks to")
        except (OSError, EOFError, zlib.error) as error:
            raise self.error(f"the gzipped file is damaged: {error}") from None

    @cached_property
    def body(self) -> bytes:
        """The bytes of a text, without a byte order mark and with one kind of line end."""
        data = self.data
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise self.error("is written in UTF-16: save it as UTF-8", 1)
        data = data.removeprefix(b"\xef\xbb\xbf")
        if not data or data.isspace():
            raise self.error("the file is empty", 1)
        zero = data.find(b"\0")
        if zero >= 0:
            line = data.count(b"\n", 0, zero) + 1
            # Every other byte is zero in UTF-16, of which the mark at the start may be missing.
            if data[:64].count(b"\0") * 3 >= len(data[:64]):
                raise self.error("looks like UTF-16 text: save it as UTF-8", line)
            raise self.error("holds binary data, not text", line)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
            if b"\n" not in data:
                data = data.replace(b"\r", b"\n")
        return data

    @cached_property
    def text(self) -> str:
        """The text of the file, which must be UTF-8."""
        try:
            return self.body.decode()
        except UnicodeDecodeError as error:
            line = self.body.count(b"\n", 0, error.start) + 1
            byte = self.body[error.start]
            raise self.error(
                f"is not UTF-8 text (byte {byte:#04x}): save it as UTF-8", line
            ) from None

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return self.text.split("\n")

    @property
    def last_line(self) -> int:
        """The number of the last line that is not blank."""
        return self.body.rstrip().count(b"\n") + 1

    # -- a sample, to tell the format ------------------------------------------------------

    @cached_property
    def sample(self) -> list[str]:
        """The first lines that are not blank, stripped and cut, in which a format shows."""
        lines = self.text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
        return [line for line in (line[:1000].strip() for line in lines) if line]

    @cached_property
    def opening(self) -> tuple[str, str, str]:
        """The first three lines of the sample that are no comments; "" where there are fewer."""
        lines = [line for line in self.sample if line[0] != "#"]
        first, second, third = (*lines, "", "", "")[:3]
        return first, second, third

    # -- what comes of it ------------------------------------------------------------------

    def rankings(
        self,
        items: Sequence[Item],
        offsets: Any,
        members: Any,
        buckets: Any,
        weights: Any = None,
        *,
        lines: Sequence[int],
        n_rankings: int | None = None,
        n_voters: int | None = None,
        unranked: Unranked = "unknown",
    ) -> Rankings:
        """Make rankings as `Rankings.from_arrays` does, in the way that this file is to be read.

        `lines` holds the line of each ranking, for errors. `unranked` is what leaving an item out
        means, unless the caller of `read` has said so.
        """
        meaning = self.unranked or unranked
        try:
            if self.duplicates == "first":
                offsets, members, buckets = drop_repeats(offsets, members, buckets, path=self.path)
            arrays = (offsets, members, buckets, weights)
            return Rankings.from_arrays(
                items, *arrays, n_rankings=n_rankings, n_voters=n_voters, unranked=meaning
            )
        except InputError as error:
            line = None if error.ranking is None else int(lines[error.ranking])
            raise self.error(error.message, line) from None
