"""The file that a reader reads: its bytes up to a limit, its text, its lines, a sample."""

from __future__ import annotations

import gzip
import io
import os
import stat
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO

from concordant._files import explained
from concordant._types import Duplicates, Item, Unranked
from concordant.as_one import check_merge, merge_items
from concordant.errors import Hint, InputError, cut
from concordant.merging import FIRST_PLACE, drop_repeats
from concordant.rankings import Rankings
from concordant.reading.findings import Finding, Inspection, QuestionError
from concordant.reading.grid import decode

# The largest file that is read by default, in bytes after unpacking.
MAX_BYTES = 2**30
# A header may claim any number of items, and names are made for all of them.
MOST_ITEMS = 1_000_000
_LONGEST_MESSAGE = 600
_STEP = 2**20
# The beginnings of files that stand for large ones in a repository.
_POINTERS = (b"version https://git-lfs.github.com/spec/", b"/annex/objects/")
# The first lines are enough to recognise a format.
_SAMPLE_LINES = 200


class Source:
    r"""A file to read, and how to read it.

    Args:
        path: The file; or an open binary file, such as `sys.stdin.buffer`.
        unranked: What leaving an item out means, or None for what the file says.
        duplicates: What to do with an item that a ranking has twice: raise an "error", or keep
            its "first" place.
        max_bytes: The largest number of bytes to read, after unpacking.
        merge: Items to read as one; see `as_one.check_merge`.

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
        merge: Any = None,
    ) -> None:
        self._file = None if isinstance(path, str | os.PathLike) else path
        self.path = str(path if self._file is None else getattr(path, "name", "the input"))
        self.unranked = unranked
        self.duplicates = duplicates
        self.max_bytes = max_bytes
        self.merge = check_merge(merge) if merge else None
        # What was changed after reading; also among the findings of the inspection.
        self.notes: list[Finding] = []
        # The encoding to read a text with, and the one that was found.
        self.encoding: str | None = None
        self.found_encoding: str | None = None
        # What the reader of a table made of it.
        self.inspection: Inspection | None = None

    def error(
        self, fault: str | InputError, line: int | None = None, hints: Iterable[Hint] = ()
    ) -> InputError:
        """Return the error for a line of this file; the first line is 1.

        Args:
            fault: What is wrong, cut where it is very long; or an error without a place.
            line: The line, where known.
            hints: Settings that would help.
        """
        if isinstance(fault, InputError):
            line, hints, fault = fault.line or line, fault.hints, fault.message
        return InputError(cut(fault, _LONGEST_MESSAGE), path=self.path, line=line, hints=hints)

    def check_items(self, m: int, line: int | None = None) -> None:
        """Refuse a header that claims more items than can be ranked."""
        if m > MOST_ITEMS:
            raise self.error(
                f"the header says {m:,} items; at most {MOST_ITEMS:,} are read, because all pairs "
                "of items are compared",
                line,
            )

    def check_once(self, item: int, seen: set[int], name: str, line: int) -> None:
        """Add an item of a ballot to those `seen`, or refuse it if the ballot has it already.

        `Rankings` would refuse it too, but only after reading all of a line, which may be long.
        """
        if item in seen and self.duplicates == "error":
            raise self.error(f"candidate {cut(name)!r} is ranked twice", line, [FIRST_PLACE])
        seen.add(item)

    def as_one(self, data: Any) -> Any:
        """Read several items as one, if this was asked for, and note it."""
        if self.merge is None:
            return data
        if not isinstance(data, Rankings):
            raise self.error("holds counts of pairs: only items of rankings can be merged")
        try:
            found = merge_items(data, self.merge)
        except InputError as error:
            raise self.error(error) from None
        self.notes.append(Finding("note", "merged", found.words()))
        if self.inspection is not None:
            seen = replace(self.inspection, n_rankings=found.data.n_rankings)
            seen.items, seen.findings = list(found.data.items), [*seen.findings, *self.notes]
            self.inspection = seen
        return found.data

    # -- bytes, text, lines ----------------------------------------------------------------

    @cached_property
    def _raw(self) -> bytes:
        try:
            with explained(self.path, "read"):
                if self._file is not None:
                    return self._bounded(self._file)
                with Path(self.path).open("rb", buffering=0) as file:
                    found = os.fstat(file.fileno())
                    # Some files of the system claim to have size 0.
                    if not stat.S_ISREG(found.st_mode) or not found.st_size:
                        return self._bounded(file)
                    if found.st_size > self.max_bytes:
                        raise self.too_long(f"has {found.st_size:,} bytes")
                    return file.readall()
        except InputError:
            raise
        except ValueError as error:
            raise self.error(f"cannot be read: {error}") from None

    def _bounded(self, file: Any, what: str = "has") -> bytes:
        """Read a file whose size is not known, and refuse it as soon as it is too long."""
        parts, size = [], 0
        while part := file.read(_STEP):
            parts.append(part)
            size += len(part)
            if size > self.max_bytes:
                raise self.too_long(f"{what} more than {self.max_bytes:,} bytes")
        return b"".join(parts)

    def too_long(self, found: str) -> InputError:
        """Return the error for a file that is, or unpacks to, more than may be read."""
        hint = Hint("max_bytes", purpose="to read more", placeholder="N")
        return self.error(f"{found}; at most {self.max_bytes:,} bytes are read", hints=[hint])

    @cached_property
    def data(self) -> bytes:
        """The bytes of the file, unpacked when it is gzipped."""
        if self._raw.startswith(_POINTERS):
            raise self.error(
                "the file only points to its content, which is stored elsewhere: get it with "
                "`git lfs pull` or `git annex get`"
            )
        if not self._raw.startswith(b"\x1f\x8b"):
            return self._raw
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(self._raw)) as file:
                return self._bounded(file, "unpacks to")
        except (OSError, EOFError, zlib.error) as error:
            raise self.error(f"the gzipped file is damaged: {error}") from None

    @cached_property
    def body(self) -> bytes:
        """The bytes of a text, without a byte order mark; lines end with a line feed."""
        data = self._unicode().removeprefix(b"\xef\xbb\xbf")
        if not data or data.isspace():
            raise self.error("the file is empty", 1)
        zero = data.find(b"\0")
        if zero >= 0:
            raise self.error("contains binary data, not text", data.count(b"\n", 0, zero) + 1)
        if b"\r" in data:
            data = data.replace(b"\r\n", b"\n")
            if b"\n" not in data:
                data = data.replace(b"\r", b"\n")
        return data

    def _unicode(self) -> bytes:
        """Return the bytes of a text as UTF-8, and note its encoding."""
        data = self.data
        marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        if not marked and self.encoding is None and b"\0" not in data[:512]:
            try:
                if data.isascii() or data.decode():
                    self.found_encoding = "utf-8"
                    return data
            except UnicodeDecodeError:
                pass
        try:
            text, self.found_encoding = decode(data, self.encoding)
            return text.encode()
        except InputError as error:
            line = None
            if "\0" in error.message or "binary" in error.message:
                line = data.count(b"\n", 0, data.find(b"\0")) + 1
            if any(hint.setting == "encoding" for hint in error.hints):
                asked = Finding("question", "encoding", error.message, hints=error.hints)
                raise QuestionError([asked], path=self.path) from None
            raise self.error(error.message, line, error.hints) from None
        except UnicodeEncodeError:
            raise self.error("the text is damaged: it cannot be decoded") from None

    @cached_property
    def text(self) -> str:
        """The text of the file."""
        return self.body.decode()

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text, without their ends."""
        return self.text.split("\n")

    @property
    def last_line(self) -> int:
        """The number of the last line that is not blank."""
        return self.body.rstrip().count(b"\n") + 1

    # -- a sample, to recognise the format -------------------------------------------------

    @cached_property
    def sample(self) -> list[str]:
        """The first lines that are not blank, stripped and cut."""
        lines = self.text.split("\n", _SAMPLE_LINES)[:_SAMPLE_LINES]
        return [line for line in (line[:1000].strip() for line in lines) if line]

    @cached_property
    def opening(self) -> tuple[str, str, str]:
        """The first three lines of the sample that are not comments; "" where there are fewer."""
        lines = [line for line in self.sample if line[0] != "#"]
        first, second, third = (*lines, "", "", "")[:3]
        return first, second, third

    # -- the rankings ----------------------------------------------------------------------

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
        voters: Sequence[Item | None] | None = None,
    ) -> Rankings:
        """Make rankings as `Rankings.from_arrays` does, with the options of this source.

        `lines` holds the line of each ranking, for errors. `unranked` is what leaving an item out
        means, unless the caller of `read` chose it.
        """
        meaning = self.unranked or unranked
        try:
            if self.duplicates == "first":
                offsets, members, buckets = drop_repeats(offsets, members, buckets, path=self.path)
            arrays = (offsets, members, buckets, weights)
            return Rankings.from_arrays(
                items,
                *arrays,
                n_rankings=n_rankings,
                n_voters=n_voters,
                unranked=meaning,
                voters=voters,
            )
        except InputError as error:
            line = None if error.ranking is None else int(lines[error.ranking])
            raise self.error(error, line) from None
