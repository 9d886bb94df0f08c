"""What commands read and write: files of rankings, and the standard streams."""

import json
import os
import re
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from concordant.cli.options import Duplicates, Layout, Unranked, format_option, spelled
from concordant.errors import InputError, SettingError
from concordant.formatting import printable

if TYPE_CHECKING:
    from concordant.pairwise import Pairwise
    from concordant.rankings import Rankings


def say(text: str) -> None:
    """Write one line to stderr, whatever the text holds; a closed stderr is no error."""
    with suppress(OSError):
        sys.stderr.write(f"concordant: {printable(' '.join(text.split()))}\n")
        sys.stderr.flush()


def mend_streams() -> None:
    """Put a stream that fails, or for stderr one that forgets, where the caller has closed one.

    Else the next file that is opened gets the number of the closed one, and what is meant for
    the terminal lands in it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        # The wrong direction for the first two: reading and writing fail as they should.
        opened = os.open(os.devnull, os.O_RDONLY if number == 1 else os.O_WRONLY)
        if opened != number:
            os.dup2(opened, number)
            os.close(opened)
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def drop_output() -> None:
    """Send what is left for standard output nowhere, or Python complains on its way out."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(facts: dict[str, Any]) -> None:
    """Print one JSON object, in letters that the encoding of the output has."""
    encoding = (getattr(sys.stdout, "encoding", None) or "").lower().replace("-", "")
    text = json.dumps(facts, ensure_ascii=encoding != "utf8", allow_nan=False)
    sys.stdout.write(f"{text}\n")


@contextmanager
def announced(reporter: Any) -> Iterator[None]:
    """Say so when kernels are compiled inside the block."""
    from concordant._kernels.compiling import watch_compilation

    with watch_compilation(reporter.compiling):
        yield


# -- rankings --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Reading:
    """How to read a file of rankings."""

    file_format: Annotated[
        str | None,
        format_option("--format", "The format of the file, where name and content do not tell."),
    ] = None
    unranked: Annotated[
        Unranked | None,
        typer.Option(
            "--unranked",
            help="What leaving an item out means: nothing, or tied behind all ranked ones.",
            show_default="as the file says, else unknown",
            rich_help_panel="File",
        ),
    ] = None
    layout: Annotated[
        Layout | None,
        typer.Option(
            "--layout",
            help="How a table is laid out, where its columns do not tell: a row per voter and "
            "item, a column per item, a column per rank, or lists of items without a header.",
            rich_help_panel="File",
        ),
    ] = None
    sheet: Annotated[
        str | None,
        typer.Option(
            "--sheet",
            metavar="NAME",
            help="Which sheet of a spreadsheet.",
            show_default="the first that is not empty",
            rich_help_panel="File",
        ),
    ] = None
    query: Annotated[
        str | None,
        typer.Option(
            "--query", metavar="Q", help="Which query of a TREC file.", rich_help_panel="File"
        ),
    ] = None
    duplicates: Annotated[
        Duplicates | None,
        typer.Option(
            "--duplicates",
            help="What to do with a ranking that has an item twice: refuse the file, or keep the "
            "first place of the item and say how many were dropped.",
            show_default="error",
            rich_help_panel="File",
        ),
    ] = None
    max_bytes: Annotated[
        int | None,
        typer.Option(
            "--max-bytes",
            metavar="N",
            min=1,
            help="Refuse a file that has more bytes than this, unpacked.",
            show_default="1 GiB",
            rich_help_panel="File",
        ),
    ] = None

    @property
    def given(self) -> dict[str, Any]:
        """What was said about the file, besides its format, as `concordant.read` takes it."""
        names = ("unranked", "layout", "sheet", "query", "duplicates", "max_bytes")
        chosen: dict[str, Any] = {name: getattr(self, name) for name in names}
        return {name: value for name, value in chosen.items() if value is not None}

    @contextmanager
    def warned(self) -> Iterator[None]:
        """Say what the library warns of, and let errors name options, inside the block."""
        with _format_is("--format"), _warnings_said():
            yield

    def read(self, path: Path, flag: str = "--format") -> "Rankings | Pairwise":
        """Read a file, or standard input for `-`; `flag` is what names the format here."""
        from concordant.formats import read

        given = self.given
        if str(path) != "-":
            with _format_is(flag), _warnings_said():
                return read(path, self.file_format, **given)
        try:
            with _format_is(flag), _warnings_said("standard input"):
                return read(sys.stdin.buffer, self.file_format, **given)
        except InputError as error:
            raise InputError(error.message, path="standard input", line=error.line) from None


@contextmanager
def _warnings_said(name: str | None = None) -> Iterator[None]:
    """Say what the library warns of in a line of our own; `name` is what the file is called."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for each in caught:
        message = str(each.message)
        if name is not None:
            message = f"{name}: {getattr(each.message, 'message', message)}"
        say(f"warning: {_as_options(message)}")


def write_rankings(
    data: "Rankings | Pairwise", path: Path, file_format: str | None, flag: str
) -> None:
    """Write a file, or standard output for `-`; `flag` is what names the format here."""
    from concordant.formats import write

    if str(path) != "-":
        with _format_is(flag), _warnings_said():
            write(data, path, file_format)
        return
    if file_format is None:
        raise SettingError(f"standard output has no name to tell its format: say {flag} F")
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "stdout"
        try:
            with _warnings_said():
                write(data, copy, file_format)
        except InputError as error:
            raise InputError(error.message, path="standard output") from None
        sys.stdout.buffer.write(copy.read_bytes())


def _as_options(message: str) -> str:
    """Spell what is passed in Python as the options of a command."""
    message = re.sub(r"\blayout='([^']*)'", r"--layout \1", message)
    # The name of a sheet may hold blanks: its quotation marks stay.
    return re.sub(r"\bsheet=(?=['\"])", "--sheet ", message)


@contextmanager
def _format_is(flag: str) -> Iterator[None]:
    """Let an error that asks for a format ask for the option that a command has for it."""
    try:
        yield
    except (InputError, SettingError) as error:
        message = error.message
        if error.setting == "format":
            message = spelled(message, "format", flag)
        message = re.sub(r" \(in Python, [^)]*\)", "", message).replace("--format", flag)
        message = _as_options(message)
        if isinstance(error, InputError):
            raise InputError(message, path=error.path, line=error.line) from None
        raise SettingError(message) from None


def check_output(path: Path, source: Path | None = None) -> None:
    """Refuse a path that cannot be written, or that is the input, before any work."""
    from concordant._files import replacing

    if str(path) == "-":
        return
    with suppress(OSError):
        if source is not None and path.samefile(source):
            raise InputError("is the input too: give the output another name", path=path)

    class Withdrawn(Exception):
        """Nothing shall be written yet."""

    with suppress(Withdrawn), replacing(path):
        raise Withdrawn
