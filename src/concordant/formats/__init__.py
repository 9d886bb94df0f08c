"""Reading and writing files: one module and one entry of the registry per format.

`read` finds the format from the suffix, then from the content; `write` from the suffix. A
writer refuses data that its format cannot hold, before anything is written.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, BinaryIO, Literal, Unpack, overload

from concordant._checks import at_least, check_duplicates, check_unranked
from concordant._files import atomic_write, encode_text
from concordant._reading import ReadOptions, TableOptions
from concordant._types import Duplicates, Unranked
from concordant.errors import Hint, InputError, SettingError
from concordant.formats import (
    abif,
    blt,
    csv,
    cvotes,
    excel,
    html,
    json,
    label_ranking,
    latex,
    lop,
    npy,
    npz,
    orders,
    pabulib,
    parquet,
    pgn,
    preflib,
    ranks,
    records,
    text,
    trec,
    wiki,
)
from concordant.formats.common.registry import (
    FORMATS,
    LIKELY,
    MAYBE,
    NO,
    SURE,
    Format,
    all_formats,
    alternatives,
    by_content,
    by_name,
    by_suffix,
    check_holds,
    check_options,
    register,
    warn_of_voters,
)
from concordant.formats.common.source import MAX_BYTES, Source
from concordant.formats.common.text import Ballots
from concordant.formats.folders import is_several, read_folder
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings

__all__ = [
    "FORMATS",
    "LIKELY",
    "MAYBE",
    "NO",
    "SURE",
    "Ballots",
    "Format",
    "Source",
    "all_formats",
    "choose",
    "detect",
    "read",
    "read_source",
    "register",
    "write",
]

# A line of `abif`: a comment, a count, or items with > or = between them.
_BALLOT = re.compile(r"^#|^\d+(\.\d+)?\s*[:*]|[>=]", re.ASCII)

for _entry in (
    ranks.FORMAT,
    orders.FORMAT,
    *preflib.FORMATS,
    csv.FORMAT,
    parquet.FORMAT,
    excel.FORMAT,
    html.FORMAT,
    wiki.FORMAT,
    latex.FORMAT,
    json.FORMAT,
    records.FORMAT,
    blt.FORMAT,
    abif.FORMAT,
    cvotes.FORMAT,
    trec.FORMAT,
    pgn.FORMAT,
    pabulib.FORMAT,
    lop.FORMAT,
    npz.FORMAT,
    npy.FORMAT,
    text.FORMAT,
    label_ranking.FORMAT,
):
    register(_entry)


def detect(path: str | Path) -> str:
    """Return the name of a file's format, from its suffix or else its content.

    Args:
        path: The file. It is opened only when its suffix does not show the format.

    Raises:
        InputError: Neither shows the format. Files of ranks and of orders look the same.

    Example:
        >>> detect("votes.soc.gz")
        'soc'
    """
    return by_suffix(Path(path)) or by_content(Source(path))


def choose(source: Source, options: dict[str, Any]) -> tuple[Format, dict[str, Any]]:
    r"""Return the format of a file, and the options to read it with.

    With `layout="lists"`, a file whose name does not show the format, such as `votes.txt`, is a
    table without a header (`csv`), or has a ballot in each line (`abif`).

    Example:
        >>> import io
        >>> found, options = choose(Source(io.BytesIO(b"Ann, Bo\nBo\n")), {"layout": "lists"})
        >>> found.name, options
        ('csv', {'layout': 'lists'})
        >>> choose(Source(io.BytesIO(b"Ann > Bo = Cy\n")), {"layout": "lists"})[0].name
        'abif'
    """
    name = by_suffix(Path(source.path))
    if name == "json" and (source.body.startswith(b"[") or records.sniff(source)):
        return records.FORMAT, options
    if name == "excel" and html.is_page(source):
        return html.FORMAT, options
    marked = _marked(source) if name is None else None
    if marked is not None:
        return marked, options
    if name is None:
        text.check_kind(source, source.data[:4096])
    if options.get("layout") != "lists" or (name is not None and name != "abif"):
        return by_name(name or by_content(source)), options
    for entry in all_formats().values() if name is None else ():
        # A spreadsheet from a pipe has no name.
        if entry.binary and entry.sniff is not None and entry.sniff(source) == SURE:
            return entry, options
    if name is None and text.sniff(source):
        return text.FORMAT, options
    if name is None and not all(_BALLOT.search(line) for line in source.sample):
        return csv.FORMAT, options
    # Its lines are lists already.
    return abif.FORMAT, {key: value for key, value in options.items() if key != "layout"}


def _marked(source: Source) -> Format | None:
    """Return the format of a text that surely holds tables in markup."""
    try:
        kinds = ((html.FORMAT, html.sniff), (wiki.FORMAT, wiki.sniff), (latex.FORMAT, latex.sniff))
        return next((entry for entry, sniff in kinds if sniff(source) == SURE), None)
    except InputError:
        # It is not text, or its encoding is not clear, which other readers say.
        return None


# Formats whose items have texts as names, and those that may store other names.
_TextFormat = Literal[
    "ranks",
    "orders",
    "soc",
    "soi",
    "toc",
    "toi",
    "csv",
    "text",
    "blt",
    "abif",
    "cvotes",
    "trec",
    "pgn",
    "pabulib",
    "html",
    "wiki",
    "latex",
]
_ValueFormat = Literal["parquet", "excel", "json", "records"]
_Path = str | Path | BinaryIO | Sequence[str | Path]


@overload
def read(path: _Path, format: _TextFormat, **options: Unpack[ReadOptions]) -> Rankings[str]: ...
@overload
def read(path: _Path, format: _ValueFormat, **options: Unpack[ReadOptions]) -> Rankings: ...
@overload
def read(path: _Path, format: Literal["lop"], **options: Unpack[ReadOptions]) -> Pairwise[str]: ...
@overload
def read(path: _Path, format: Literal["npz"], **options: Unpack[ReadOptions]) -> Pairwise: ...
@overload
def read(
    path: _Path,
    format: str | None = None,
    **options: Unpack[ReadOptions],
) -> Rankings[str] | Pairwise[str]: ...
def read(
    path: str | Path | BinaryIO | Sequence[str | Path],
    format: str | None = None,  # noqa: A002 - the word that the command line uses too
    *,
    unranked: Unranked | None = None,
    duplicates: Duplicates = "error",
    max_bytes: int | None = None,
    merge: Any = None,
    **options: Unpack[TableOptions],
) -> Rankings | Pairwise:
    r"""Read a file of rankings, or of a matrix (`lop`, `npz`).

    For type checkers, `format` tells which of the two it is. Names are texts, unless the format
    can store others and is named: `parquet`, `excel`, `json`, `records`, `npz`.

    Args:
        path: The file, which may be gzipped; an open binary file, such as `sys.stdin.buffer`; or
            a folder, or several files, with one ranking each.
        format: The name of its format; by default found from the suffix, then the content.
        unranked: What leaving an item out means: "unknown" (no opinion) or "last" (tied behind
            all ranked items). By default what the file says (`json` and `cvotes` do), else
            "unknown".
        duplicates: What to do with an item that a ranking has twice: raise an "error", or keep its
            "first" place, with an `InputWarning` that gives the number of dropped places.
        max_bytes: The largest number of bytes to read, after unpacking: 1 GiB by default. A longer
            file is refused before it fills the memory.
        merge: Items to read as one: each new name with the items that get it, such as
            `{"gpt-4": ["gpt-4-0613", "gpt-4-1106"]}`. See `Rankings.merged`.
        **options: How to read a table (`layout`, `values`, the names of columns and others, see
            docs/tables.md), `sheet` for `excel`, `html`, `wiki` and
            `latex`, `query` for `trec`.

    Raises:
        InputError: The file cannot be read, or two readings are plausible: the error then lists
            the options that settle it. `inspect` shows what a file would be read as.
        SettingError: There is no such format or option.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "votes.abif"
        >>> _ = path.write_text("27:Ann>Bo=Cy\n15:Bo\n")
        >>> read(path)
        Rankings(3 items, 42 rankings, partial, ties)
        >>> read(path, unranked="last")
        Rankings(3 items, 42 rankings, unranked last, ties)
    """
    _, _, reader = read_source(
        path,
        format,
        unranked=unranked,
        duplicates=duplicates,
        max_bytes=max_bytes,
        merge=merge,
        **options,
    )
    return reader()


def read_source(
    path: Any,
    format: str | None = None,  # noqa: A002
    *,
    unranked: Unranked | None = None,
    duplicates: Duplicates = "error",
    max_bytes: int | None = None,
    merge: Any = None,
    **options: Any,
) -> tuple[Source, str, Callable[[], Rankings | Pairwise]]:
    """Return a source, the name of its format, and the function that reads it; see `read`."""
    if unranked is not None:
        check_unranked(unranked)
    if max_bytes is not None:
        at_least("max_bytes", max_bytes, 1, 2**63 - 1)
    known = None if format is None else by_name(format)
    if is_several(path):
        folder = not isinstance(path, list | tuple)
        files = sorted(Path(path).iterdir()) if folder else [Path(each) for each in path]
        whole = Source(
            str(path) if folder else "the files",
            duplicates=check_duplicates(duplicates),
            merge=merge,
        )
        more: dict[str, Any] = {**options, "format": format, "max_bytes": max_bytes}
        each = {name: value for name, value in more.items() if value is not None}
        return (
            whole,
            "folder",
            lambda: whole.as_one(read_folder(whole, files, read, each, unranked)),
        )
    source = Source(
        path,
        unranked=unranked,
        duplicates=check_duplicates(duplicates),
        max_bytes=MAX_BYTES if max_bytes is None else int(max_bytes),
        merge=merge,
    )
    source.encoding = options.get("encoding") or None
    try:
        chosen, options = (known, options) if known else choose(source, options)
    except MemoryError:
        raise source.error("does not fit into the memory of this machine") from None
    check_options(options, chosen.options, f"reading {chosen.name}")

    def reader() -> Rankings | Pairwise:
        try:
            found: Rankings | Pairwise = source.as_one(chosen.reader(source, **options))
            return found
        except MemoryError:
            raise source.error("does not fit into the memory of this machine") from None

    return source, chosen.name, reader


def write(
    data: Rankings | Pairwise,
    path: str | Path,
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> None:
    """Write rankings, or a matrix as `npz` or `lop`, to a file; all of it or nothing.

    Data that the format cannot hold is refused. If the format cannot say that unranked items are
    last, they are written as a last bucket of ties.

    Args:
        data: Rankings; or a `Pairwise`, which only `npz` and `lop` can hold.
        path: The file; with the suffix `.gz` it is gzipped.
        format: The name of its format; by default found from the suffix.
        **options: `layout` for `csv` and `parquet`: "long" (the default), "wide" or "ballots".

    Raises:
        InputError: The format cannot hold the data, or the file cannot be written.
        SettingError: There is no such format or option, or the suffix shows no format.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "votes.soi"
        >>> data = Rankings.from_orders([["a", "b"], ["b"]], weights=[3, 1])
        >>> write(data, path)
        >>> read(path) == data
        True
    """
    path = Path(path)
    name = format or by_suffix(path)
    if name is None:
        known = ", ".join(entry.name for entry in all_formats().values() if entry.writer)
        raise SettingError(
            f"the name {path.name!r} does not show the format to write; the formats are {known}",
            hints=[Hint("format")],
        )
    chosen = by_name(name)
    if chosen.writer is None:
        raise SettingError(f"{name} cannot be written: write {alternatives(data)}")
    check_options(options, chosen.write_options, f"writing {name}")
    if isinstance(data, Rankings) and not chosen.unranked and not chosen.matrix:
        data = data.explicit()
    try:
        check_holds(data, chosen)
        content = chosen.writer(data, path, **options)
        if not isinstance(content, bytes):
            content = encode_text("".join(content))
        if path.suffix.lower() == ".gz":
            # Without a time stamp, the same data gives the same bytes.
            content = gzip.compress(content, mtime=0)
        atomic_write(path, content)
    except InputError as error:
        raise error.at(path) from None
    warn_of_voters(data, chosen, path)
