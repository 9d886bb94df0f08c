"""Reads small files, and writes files so that a reader sees either the old or the new content."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


def reason(error: BaseException) -> str:
    """Return why a call of the operating system failed, in one line.

    Example:
        >>> reason(OSError(28, "No space left on device")), reason(OSError("closed"))
        ('No space left on device', 'closed')
    """
    return getattr(error, "strerror", None) or (str(error).splitlines() or [""])[0]


@contextmanager
def explained(path: str | Path, done: str) -> Iterator[None]:
    """Turn errors of the operating system into an `InputError` that names the file.

    Args:
        path: The file.
        done: "read" or "written", for the message.

    Example:
        >>> with explained("votes.soc", "read"):
        ...     raise FileNotFoundError
        Traceback (most recent call last):
        concordant.errors.InputError: votes.soc: there is no such file
    """
    try:
        yield
    except FileNotFoundError:
        raise InputError("there is no such file", path=path) from None
    except IsADirectoryError:
        raise InputError("is a folder: give the name of a file in it", path=path) from None
    except OSError as error:
        raise InputError(f"cannot be {done}: {reason(error)}", path=path) from error


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside `path`, and rename it to `path` when the block succeeds.

    When the block fails, the temporary file is removed and `path` is unchanged. A pipe, or
    anything else that is not a regular file, cannot be replaced: its own path is yielded.

    Args:
        path: The file to write. Its folder must exist.

    Raises:
        InputError: The file cannot be written.

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
    # A link stays a link: the file that it points to is replaced.
    target = Path(os.path.realpath(path))
    with explained(path, "written"):
        if target.is_dir():
            raise IsADirectoryError
        if not target.parent.is_dir():
            raise InputError(f"there is no folder {str(target.parent)!r} to write to", path=path)
        if target.exists() and not target.is_file():
            yield target
            return
        temporary = target.with_name(f".{os.urandom(6).hex()}.tmp")
        # Not created with `tempfile`, whose files other users cannot read.
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


def atomic_write(path: str | Path, content: bytes | str) -> None:
    """Write a file completely or not at all. Text is written as UTF-8.

    Args:
        path: The file to write. Its folder must exist.
        content: The whole content.

    Raises:
        InputError: The file cannot be written, or the text is not valid Unicode.

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
    r"""Encode a text as UTF-8.

    Raises:
        InputError: The text contains an unpaired surrogate, which UTF-8 cannot hold.

    Example:
        >>> encode_text("é")
        b'\xc3\xa9'
    """
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        around = text[max(0, error.start - 20) : error.end + 20]
        raise InputError(
            f"the name contains an unpaired surrogate, at {around!r}: rename the item"
        ) from None


# Results and certificates are much smaller. The limit is for pipes and devices that never end.
_LARGEST_TEXT = 2**30


def read_text(path: str | Path) -> str:
    """Read a text file of at most 1 GiB.

    Raises:
        OSError: The file cannot be read.
        ValueError: The file is larger, or is not UTF-8.
    """
    with Path(path).open("rb") as file:
        content = file.read(_LARGEST_TEXT + 1)
    if len(content) > _LARGEST_TEXT:
        raise ValueError("it has more than 1 GiB")
    return content.decode("utf-8")


def read_json(path: str | Path, what: str) -> Any:
    """Read a JSON file.

    Args:
        path: The file.
        what: What the file should be, for the message, such as "a result".

    Raises:
        InputError: The file cannot be read, or is not JSON.
    """
    with explained(path, "read"):
        try:
            return json.loads(read_text(path), parse_constant=_refuse_constant)
        except (ValueError, RecursionError) as error:
            line = getattr(error, "lineno", None)
            raise InputError(f"not {what} in JSON: {error}", path=path, line=line) from None


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number")


def read_bytes(path: str | Path, most: int = 8 << 30) -> bytes:
    """Read a file of at most `most` bytes.

    Raises:
        InputError: The file cannot be read, or is larger.
    """
    with explained(path, "read"), Path(path).open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise InputError(f"has more than {most:,} bytes", path=path)
    return content
