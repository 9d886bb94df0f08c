"""Writing files so that a reader sees the old content or the new one, never a part."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from concordant.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, and rename it to `path` when the block succeeds.

    When the block fails, the temporary file is removed and `path` is as it was. What is not
    a regular file, such as a pipe, cannot be replaced: its own path is yielded.

    Args:
        path: Where the file shall be. Its folder must exist.

    Raises:
        InputError: When the file cannot be written there.

    Example:
        >>> import tempfile
        >>> target = Path(tempfile.mkdtemp()) / "greeting.txt"
        >>> with replacing(target) as temporary:
        ...     _ = temporary.write_text("hello")
        ...     target.exists()
        False
        >>> target.read_text(), [file.name for file in target.parent.iterdir()]
        ('hello', ['greeting.txt'])
    """
    # A link keeps being a link: what it points to is replaced.
    target = Path(os.path.realpath(path))
    try:
        if target.is_dir():
            raise InputError("is a folder: give the name of a file in it", path=path)
        if not target.parent.is_dir():
            raise InputError(f"there is no folder {str(target.parent)!r} to write to", path=path)
        if target.exists() and not target.is_file():
            yield target
            return
        temporary = target.with_name(f".{os.urandom(6).hex()}.tmp")
        # Made here and not by `tempfile`, whose files other users cannot read.
        os.close(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))
        try:
            if target.exists():
                shutil.copymode(target, temporary)
            yield temporary
            temporary.replace(target)
        except BaseException:
            with suppress(OSError):
                temporary.unlink()
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise InputError(f"cannot be written: {reason}", path=path) from error


def atomic_write(path: str | Path, content: bytes | str) -> None:
    """Write a whole file, or nothing at all. Text is written as UTF-8.

    Args:
        path: Where the file shall be. Its folder must exist.
        content: All of it.

    Raises:
        InputError: When the file cannot be written there, or the text is no valid Unicode.

    Example:
        >>> import tempfile
        >>> target = Path(tempfile.mkdtemp()) / "greeting.txt"
        >>> atomic_write(target, "grüezi")
        >>> target.read_bytes().decode()
        'grüezi'
    """
    data = encode_text(content) if isinstance(content, str) else content
    with replacing(path) as temporary:
        temporary.write_bytes(data)


def encode_text(text: str) -> bytes:
    r"""Encode a text as UTF-8, or say what in it is not Unicode.

    Example:
        >>> encode_text("é")
        b'\xc3\xa9'
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - 20) : error.end + 20]
        raise InputError(
            f"half of a character cannot be written, in {around!r}: mend that name"
        ) from None


# Results and certificates are far smaller; what does not end is not one of them.
_LARGEST_TEXT = 2**30


def read_text(path: str | Path) -> str:
    """Read a text file of at most 1 GiB.

    Raises:
        OSError: It cannot be read.
        ValueError: It is larger, or not UTF-8.
    """
    with Path(path).open("rb") as file:
        content = file.read(_LARGEST_TEXT + 1)
    if len(content) > _LARGEST_TEXT:
        raise ValueError("it has more than 1 GiB")
    return content.decode("utf-8")


def read_bytes(path: str | Path, most: int = 8 << 30) -> bytes:
    """Read a file of at most `most` bytes.

    Raises:
        InputError: It cannot be read, or has more.
    """
    try:
        with Path(path).open("rb") as file:
            content = file.read(most + 1)
    except FileNotFoundError:
        raise InputError("there is no such file", path=path) from None
    except IsADirectoryError:
        raise InputError("is a folder: give the name of a file in it", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", path=path) from None
    if len(content) > most:
        raise InputError(f"has more than {most:,} bytes", path=path)
    return content
