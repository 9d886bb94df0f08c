"""Reading and writing by commands: files of rankings, and the standard streams."""

import json
import os
import sys
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, fields, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from concordant._reading import READING, ReadingOption
from concordant.cli.options import Option, complete_format
from concordant.errors import InputError, InputWarning, SettingError, in_shell
from concordant.formatting import printable

if TYPE_CHECKING:
    from concordant.pairwise import Pairwise
    from concordant.rankings import Rankings
    from concordant.reading.findings import Inspection


NO_VOTERS = "--bootstrap resamples the voters, and FILE holds counts without voters"


def say(text: str) -> None:
    """Write one line to stderr; ignore that stderr is closed."""
    with suppress(OSError):
        sys.stderr.write(f"concordant: {printable(' '.join(text.split()))}\n")
        sys.stderr.flush()


def open_closed_streams() -> None:
    """Replace standard streams that the caller has closed.

    Otherwise the next file that is opened would get the number of the closed stream, and text for
    the terminal would end up in it. Reading stdin and writing stdout then fail; text for stderr is
    dropped.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        # stdin is opened for writing and stdout for reading, so that using them fails.
        opened = os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_WRONLY)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def drop_output() -> None:
    """Discard what is left for standard output, or Python complains when it exits."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(facts: dict[str, Any]) -> None:
    """Print one JSON object; what the encoding of the output lacks is escaped."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    text = json.dumps(facts, ensure_ascii=encoding != "utf8", allow_nan=False)
    sys.stdout.write(f"{text}\n")


@contextmanager
def announced(reporter: Any) -> Iterator[None]:
    """Report when kernels are compiled inside the block."""
    from concordant._kernels.compiling import watch_compilation

    with watch_compilation(reporter.compiling):
        yield


# -- rankings --------------------------------------------------------------------------------


def _annotation(option: ReadingOption) -> Any:
    """Return the type of a parameter that takes an option for reading files."""
    declared = Option(
        option.flag,
        metavar=option.metavar,
        min=option.least,
        help=f"{option.help} May be repeated." if option.several else option.help,
        show_default=option.default or False,
        shell_complete=complete_format if option.name == "format" else None,
        section="File",
    )
    return Annotated[(tuple[str, ...] if option.several else option.type) | None, declared]


_Options: Any = make_dataclass(
    "_Options",
    [(each.name, _annotation(each), None) for each in READING.values() if each.shell],
    frozen=True,
)


_SEVERAL = tuple(each.name for each in READING.values() if each.several)
# The flag of each option for reading files.
FLAGS = {each.name: each.flag for each in READING.values() if each.shell}


@dataclass(frozen=True)
class Reading(_Options):  # type: ignore[misc]
    """How to read a file of rankings: a field for each option of `READING`."""

    @property
    def given(self) -> dict[str, Any]:
        """The options that were given, besides the format, as `concordant.read` takes them."""
        chosen = {field.name: getattr(self, field.name) for field in fields(self)}
        chosen |= {name: "; ".join(chosen[name] or ()) or None for name in _SEVERAL}
        return {n: value for n, value in chosen.items() if value is not None and n != "format"}

    def read(self, path: Path) -> "Rankings | Pairwise":
        """Read a file, or standard input for `-`."""
        return self.read_seen(path)[0]

    def read_seen(self, path: Path) -> "tuple[Rankings | Pairwise, Inspection | None]":
        """Read a file, or standard input for `-`; return also what a table was read as."""
        from concordant.formats import read_source

        if str(path) != "-":
            with warnings_said():
                source, _, read = read_source(path, self.format, **self.given)
                return _noted(source, read)
        try:
            with warnings_said("standard input"):
                source, _, read = read_source(sys.stdin.buffer, self.format, **self.given)
                return _noted(source, read)
        except InputError as error:
            place: Any = {"path": "standard input", "line": error.line}
            raise InputError(error.message, hints=error.hints, **place) from None


def _noted(source: Any, read: Any) -> "tuple[Rankings | Pairwise, Inspection | None]":
    """Read a file, and say what was changed after reading it."""
    data = read()
    for note in source.notes:
        say(f"note: {note.message}")
    return data, source.inspection


@contextmanager
def warnings_said(
    name: str | None = None, options: Mapping[str, str] | None = None
) -> Iterator[None]:
    """Print the warnings of the block, one line each.

    Args:
        name: Replaces the name of the file.
        options: The option of each setting that a warning may name, besides those for reading.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    flags = {**FLAGS, **(options or {})}
    for each in caught:
        warning = each.message
        if isinstance(warning, InputWarning):
            if name is not None:
                warning = InputWarning(warning.message, path=name, hints=warning.hints)
            say(f"warning: {warning.phrased(in_shell(flags))}")
        else:
            say(f"warning: {warning}")


def write_rankings(
    data: "Rankings | Pairwise", path: Path, file_format: str | None, flag: str
) -> None:
    """Write a file, or standard output for `-`; `flag` is the option for the format here."""
    from concordant.formats import write

    if str(path) != "-":
        try:
            with warnings_said():
                write(data, path, file_format)
        except SettingError as error:
            raise SettingError(error.phrased(in_shell({"format": flag}))) from None
        return
    if file_format is None:
        raise SettingError(f"standard output has no name that shows the format. Use {flag} F")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdout"
        try:
            with warnings_said("standard output"):
                write(data, copy, file_format)
        except InputError as error:
            raise InputError(error.message, path="standard output", hints=error.hints) from None
        sys.stdout.buffer.write(copy.read_bytes())


def check_output(path: Path, source: Path | None = None) -> None:
    """Refuse a path that cannot be written, or that is also the input."""
    from concordant._files import replacing

    if str(path) == "-":
        return
    with suppress(OSError):
        if source is not None and path.samefile(source):
            raise InputError("is also the input: give the output another name", path=path)

    class Withdrawn(Exception):
        """Raised so that nothing is written yet."""

    with suppress(Withdrawn), replacing(path):
        raise Withdrawn
