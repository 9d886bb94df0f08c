"""Reading and writing files: one module and one entry of the registry per format.

`read` finds the format from the suffix, then from the content; `write` from the suffix. A
writer refuses what its format cannot hold, before anything is written.
"""

from __future__ import annotations

import gzip
import re
from pathlib import Path
from typing import Any, BinaryIO

from concordant._checks import at_least, check_duplicates, check_unranked
from concordant._files import atomic_write, encode_text
from concordant._types import Duplicates, Unranked
from concordant.errors import InputError, SettingError
from concordant.formats import (
    abif,
    blt,
    csv,
    cvotes,
    excel,
    json,
    label_ranking,
    lop,
    npz,
    orders,
    parquet,
    preflib,
    ranks,
    trec,
)
from concordant.formats.common.registry import (
    FORMATS,
    LIKELY,
    MAYBE,
    NO,
    SURE,
    Format,
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
    "choose",
    "detect",
    "read",
    "register",
    "write",
]

# A line of `abif`: a comment, a count, or items with a sign between them.
_BALLOT = re.compile(r"^#|^\d+(\.\d+)?\s*[:*]|[>=]", re.ASCII)

for _entry in (
    ranks.FORMAT,
    orders.FORMAT,
    *preflib.FORMATS,
    csv.FORMAT,
    parquet.FORMAT,
    excel.FORMAT,
    json.FORMAT,
    blt.FORMAT,
    abif.FORMAT,
    cvotes.FORMAT,
    trec.FORMAT,
    lop.FORMAT,
    npz.FORMAT,
    label_ranking.FORMAT,
):
    register(_entry)


def detect(path: str | Path) -> str:
    """Return the name of a file's format, from its suffix or else its content.

    Args:
        path: The file, which is opened only when its suffix does not tell.

    Raises:
        InputError: When neither tells. Files of ranks and of orders look the same.

    Example:
        >>> detect("votes.soc.gz")
        'soc'
    """
    return by_suffix(Path(path)) or by_content(Source(path))


def choose(source: Source, options: dict[str, Any]) -> tuple[Format, dict[str, Any]]:
    r"""Return the format of a file that nobody has named, and the options to read it with.

    Who says that a file holds lists has said what it is: then a name that tells nothing, such as
    `votes.txt`, is one of a table without a header, or of ballots as `abif` has them.

    Example:
        >>> import io
        >>> found, options = choose(Source(io.BytesIO(b"Ann, Bo\nBo\n")), {"layout": "lists"})
        >>> found.name, options
        ('csv', {'layout': 'lists'})
        >>> choose(Source(io.BytesIO(b"Ann > Bo = Cy\n")), {"layout": "lists"})[0].name
        'abif'
    """
    name = by_suffix(Path(source.path))
    if options.get("layout") != "lists" or (name is not None and name != "abif"):
        return by_name(name or by_content(source)), options
    for entry in FORMATS.values() if name is None else ():
        # A spreadsheet that is read from a pipe has no name.
        if entry.binary and entry.sniff is not None and entry.sniff(source) == SURE:
            return entry, options
    if name is None and not all(_BALLOT.search(line) for line in source.sample):
        return csv.FORMAT, options
    # Its lines are lists as they stand.
    return abif.FORMAT, {key: value for key, value in options.items() if key != "layout"}


def read(
    path: str | Path | BinaryIO,
    format: str | None = None,  # noqa: A002 - the word that the command line uses too
    *,
    unranked: Unranked | None = None,
    duplicates: Duplicates = "error",
    max_bytes: int | None = None,
    **options: Any,
) -> Rankings | Pairwise:
    r"""Read a file of rankings, or of a matrix (`lop`, `npz`).

    Args:
        path: The file, which may be gzipped; or an open binary file, such as `sys.stdin.buffer`.
        format: The name of its format; by default found from the suffix, then the content.
        unranked: What leaving an item out means: "unknown" (nothing) or "last" (tied behind all
            ranked ones). By default what the file says (`json` and `cvotes` do), else "unknown".
        duplicates: What an item is that a ranking has twice: an "error", or at its "first"
            place, with an `InputWarning` that says how many places were dropped.
        max_bytes: How many bytes are read at most, after unpacking: 1 GiB by default. A longer
            file is refused before it fills the memory.
        **options: `layout` and the names of columns for `csv`, `parquet` and `excel`, `sheet` for
            `excel`, `query` for `trec`.

    Raises:
        InputError: When the file cannot be read, with the line where it goes wrong.
        SettingError: When there is no such format or option.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "votes.abif"
        >>> _ = path.write_text("27:Ann>Bo=Cy\n15:Bo\n")
        >>> read(path)
        Rankings(3 items, 42 rankings, partial, ties)
        >>> read(path, unranked="last")
        Rankings(3 items, 42 rankings, unranked last, ties)
    """
    if unranked is not None:
        check_unranked(unranked)
    if max_bytes is not None:
        at_least("max_bytes", max_bytes, 1, 2**63 - 1)
    known = None if format is None else by_name(format)
    source = Source(
        path,
        unranked=unranked,
        duplicates=check_duplicates(duplicates),
        max_bytes=MAX_BYTES if max_bytes is None else int(max_bytes),
    )
    try:
        chosen, options = (known, options) if known else choose(source, options)
        check_options(options, chosen.options, f"reading {chosen.name}")
        return chosen.reader(source, **options)
    except MemoryError:
        raise source.error("does not fit into the memory of this machine") from None


def write(
    data: Rankings | Pairwise,
    path: str | Path,
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> None:
    """Write rankings, or a matrix as `npz` or `lop`, to a file; all of it or nothing.

    What the format cannot hold is refused. Where it cannot say that unranked items are last,
    that last bucket is written out.

    Args:
        data: Rankings; or a `Pairwise`, of which only `npz` and `lop` can be made.
        path: The file; with the suffix `.gz` it is gzipped.
        format: The name of its format; by default found from the suffix.
        **options: `layout` for `csv` and `parquet`: "long" (the default), "wide" or "ballots".

    Raises:
        InputError: When the format cannot hold the data, or the file cannot be written.
        SettingError: When there is no such format or option, or the suffix tells none.

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
        raise SettingError(
            f"the name {path.name!r} tells no format to write: say --format F (in Python, "
            f"format=…), one of {', '.join(FORMATS)}"
        )
    chosen = by_name(name)
    if chosen.writer is None:
        raise SettingError(f"{name} is only read: write {alternatives(data)}")
    check_options(options, chosen.write_options, f"writing {name}")
    if isinstance(data, Rankings) and not chosen.unranked and not chosen.matrix:
        data = data.explicit()
    try:
        check_holds(data, chosen)
        content = chosen.writer(data, path, **options)
        if not isinstance(content, bytes):
            content = encode_text("".join(content))
        if path.suffix.lower() == ".gz":
            # No time stamp inside: the same data gives the same bytes.
            content = gzip.compress(content, mtime=0)
        atomic_write(path, content)
    except InputError as error:
        raise error.at(path) from None
    warn_of_voters(data, chosen, path)
