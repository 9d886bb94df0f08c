"""The count file: the content of a `Pairwise` as one `.npz`, readable without pickle.

It has two entries: `counts`, the m × m matrix, and `about`, a JSON text in bytes with the version
of the format, the items and the totals. Where tied pairs needed a matrix of their own, it is the
entry `tied`. Files of earlier versions do not have `ties` in `about`: it is not known of them.
"""

from __future__ import annotations

import io
import json
import zipfile
import zlib
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from concordant._names import plain_name, read_name
from concordant._types import Int64, Item, Unranked
from concordant.counting.ties import Ties
from concordant.errors import InputError, cut
from concordant.units import LARGEST

MARK = "concordant-pairwise"
_VERSION = 1
# The largest `about` in bytes: 256 bytes a name for 65,536 items, the most that a matrix can have.
_LARGEST_ABOUT = 16 << 20
# Rows that are compared with their columns at a time.
_ROWS = 256


class CountData(NamedTuple):
    """The content of a count file, in the order of the fields of `Pairwise`."""

    items: tuple[Item, ...]
    counts: npt.NDArray[Any]
    scale: int
    total_units: int | None
    n_rankings: int | None
    unranked: Unranked | None
    ties: Ties = None


def encode(data: CountData) -> bytes:
    """Return the bytes of a count file. The same counts give the same bytes.

    Example:
        >>> content = encode(CountData(("a", "b"), np.array([[0, 2], [1, 0]]), 1, 3, 3, "unknown"))
        >>> decode(content, 10**6).counts.tolist()
        [[0, 2], [1, 0]]
    """
    about = {
        "format": MARK,
        "version": _VERSION,
        "items": [plain_name(item, "a count file") for item in data.items],
        "scale": data.scale,
        "total_units": data.total_units,
        "n_rankings": data.n_rankings,
        "unranked": data.unranked,
        "ties": "counted" if isinstance(data.ties, np.ndarray) else data.ties,
    }
    # ASCII only: a name with half a character can be written too.
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    if text.size + 1024 > _LARGEST_ABOUT:
        raise InputError(
            f"the item names take {text.size:,} bytes, and a count file holds {_LARGEST_ABOUT:,}: "
            "give the items shorter names"
        )
    content = io.BytesIO()
    matrices: dict[str, Any] = {"about": text, "counts": data.counts}
    if isinstance(data.ties, np.ndarray):
        matrices["tied"] = data.ties
    np.savez_compressed(content, **matrices)
    return content.getvalue()


def decode(content: bytes, max_bytes: int) -> CountData:
    """Read the bytes of a count file.

    The sizes that the file declares are checked before anything is unpacked. No more than that
    is unpacked, even if there is more.

    Args:
        content: The bytes.
        max_bytes: The most bytes that the matrix may have.

    Raises:
        InputError: They are not a count file, or a damaged one, or the matrix is too large.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about = _read_about(archive, max_bytes)
            m = len(about["items"])
            counts = _read_matrix(archive, "counts.npy", m, max_bytes)
            tied = None
            if about.get("ties") == "counted":
                tied = _read_matrix(archive, "tied.npy", m, max_bytes - counts.nbytes)
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, RuntimeError, ValueError):
        raise InputError("not a count file, or damaged") from None
    items = tuple(read_name(value) for value in about["items"])
    if len(set(items)) < len(items):
        raise InputError("the count file is damaged: an item is listed twice")
    fields = (about.get(name) for name in ("scale", "total_units", "n_rankings"))
    scale, total, n_rankings = (_whole(value) for value in fields)
    unranked = about.get("unranked")
    if scale is None or scale < 1 or unranked not in ("unknown", "last", None):
        raise InputError("the count file is damaged: its totals make no sense")
    largest = max(int(counts.max()), -int(counts.min()), total or 0)
    if largest * len(items) ** 2 >= LARGEST:
        raise InputError("the counts are too large to add up exactly (2**62)")
    if counts.diagonal().any():
        raise InputError("the count file is damaged: an item is counted before itself")
    if total is not None:
        if int(counts.min()) < 0:
            raise InputError("the count file is damaged: a count is negative")
        if pair := pair_above(counts, total):
            a, b = (cut(repr(items[k])) for k in pair)
            raise InputError(
                f"the count file is damaged: {a} and {b} are ordered by more weight than the total"
            )
    # A bare matrix of an earlier version has no tied votes.
    said = about.get("ties", "none" if n_rankings is None else None)
    ties = _checked_ties(said, tied, counts, total)
    return CountData(items, counts, scale, total, n_rankings, unranked, ties)


def _checked_ties(
    kind: Any,
    tied: npt.NDArray[Any] | None,
    counts: npt.NDArray[Any],
    total: int | None,
) -> Ties:
    """Return the ties of a count file, if they make sense beside its other counts."""
    if kind is None:
        return None
    if kind == "none":
        return "none"
    damaged = InputError("the count file is damaged: its counts of tied pairs make no sense")
    if kind == "rest" and total is not None:
        return "rest"
    if tied is None:
        raise damaged
    if int(tied.min()) < 0 or tied.diagonal().any() or not np.array_equal(tied, tied.T):
        raise damaged
    if total is None:
        return tied
    for start in range(0, len(counts), _ROWS):
        rows = slice(start, start + _ROWS)
        both = np.add(counts[rows], counts[:, rows].T, dtype=np.int64)
        if int((both + tied[rows]).max()) > total:
            raise damaged
    return tied


def pair_above(counts: Int64, total: int) -> tuple[int, int] | None:
    """Return a pair of items that more than the total weight orders, either way; None if none.

    Example:
        >>> pair_above(np.array([[0, 2], [1, 0]]), 3), pair_above(np.array([[0, 2], [1, 0]]), 2)
        (None, (0, 1))
    """
    for start in range(0, len(counts), _ROWS):
        rows = slice(start, start + _ROWS)
        both = np.add(counts[rows], counts[:, rows].T, dtype=np.int64)
        if int(both.max()) > total:
            a, b = np.argwhere(both > total)[0].tolist()
            return start + a, b
    return None


def _read_about(archive: zipfile.ZipFile, max_bytes: int) -> dict[str, Any]:
    shape, kind = _header(archive, "about.npy", min(max_bytes, _LARGEST_ABOUT))
    if len(shape) != 1 or kind != np.uint8:
        raise InputError("not a count file, or damaged")
    with archive.open("about.npy") as entry:
        text = np.lib.format.read_array(entry, allow_pickle=False).tobytes()
    try:
        about = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("not a count file, or damaged") from None
    if not isinstance(about, dict) or about.get("format") != MARK:
        raise InputError("not a count file")
    version = about.get("version")
    if type(version) is not int or version != _VERSION:
        raise InputError(
            f"the count file has version {cut(repr(version))}, and this release reads version "
            f"{_VERSION}: read it with a newer Concordant"
        )
    if not isinstance(about.get("items"), list) or not about["items"]:
        raise InputError("the count file is damaged: it names no items")
    return about


def _read_matrix(archive: zipfile.ZipFile, name: str, m: int, max_bytes: int) -> npt.NDArray[Any]:
    shape, kind = _header(archive, name, max_bytes)
    if shape != (m, m) or kind not in (np.int16, np.int32, np.int64):
        raise InputError(
            f"the count file is damaged: {m:,} items, and a matrix of {kind} in the shape {shape}"
        )
    with archive.open(name) as entry:
        counts: npt.NDArray[Any] = np.lib.format.read_array(entry, allow_pickle=False)
    # Kernels are compiled for rows that follow each other.
    return np.ascontiguousarray(counts)


def _header(
    archive: zipfile.ZipFile, name: str, most: int
) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Return the shape and the type of an entry, without unpacking its content.

    Raises:
        InputError: It declares more than `most` bytes, or another size than its shape has.
    """
    declared = archive.getinfo(name).file_size
    with archive.open(name) as entry:
        is_short = np.lib.format.read_magic(entry) == (1, 0)
        read = np.lib.format.read_array_header_1_0 if is_short else None
        shape, _, kind = (read or np.lib.format.read_array_header_2_0)(entry)
        size = entry.tell() + kind.itemsize * int(np.prod(shape, dtype=object))
    if max(declared, size) > most:
        raise InputError(
            f"its entry {name!r} unpacks to {max(declared, size):,} bytes, and at most {most:,} "
            "are read"
        )
    if kind.hasobject or declared != size:
        raise InputError("not a count file, or damaged")
    return shape, kind


def _whole(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < 2**63:
        raise InputError("the count file is damaged: its totals make no sense")
    return value
