"""The count file: what a `Pairwise` holds as one `.npz`, readable without pickle.

It has two entries: `counts`, the m × m matrix, and `about`, a JSON text in bytes with the version
of the format, the items and the totals.
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
from concordant._types import Item, Unranked
from concordant.errors import InputError, cut

MARK = "concordant-pairwise"
_VERSION = 1
# The matrix and the names are all that there is: more says that the file is no count file.
_LARGEST_ABOUT = 1 << 30
# No cost may wrap: see `Pairwise`, which holds sums of counts to it.
_LARGEST_COST = 2**62


class Counted(NamedTuple):
    """What a count file holds, in the order of the fields of `Pairwise`."""

    items: tuple[Item, ...]
    counts: npt.NDArray[Any]
    scale: int
    total_units: int | None
    n_rankings: int | None
    unranked: Unranked | None


def encode(counted: Counted) -> bytes:
    """Return the bytes of a count file. The same counts give the same bytes.

    Example:
        >>> content = encode(Counted(("a", "b"), np.array([[0, 2], [1, 0]]), 1, 3, 3, "unknown"))
        >>> decode(content, 10**6).counts.tolist()
        [[0, 2], [1, 0]]
    """
    about = {
        "format": MARK,
        "version": _VERSION,
        "items": [plain_name(item, "a count file") for item in counted.items],
        "scale": counted.scale,
        "total_units": counted.total_units,
        "n_rankings": counted.n_rankings,
        "unranked": counted.unranked,
    }
    # In letters that every encoding has: half a character in a name is no reason to fail.
    text = np.frombuffer(json.dumps(about).encode(), np.uint8)
    content = io.BytesIO()
    np.savez_compressed(content, about=text, counts=counted.counts)
    return content.getvalue()


def decode(content: bytes, max_bytes: int) -> Counted:
    """Read the bytes of a count file.

    Args:
        content: The bytes.
        max_bytes: How many bytes the matrix may have at most.

    Raises:
        InputError: They are none, or damaged, or too much.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            about = _about(archive)
            counts = _counts(archive, len(about["items"]), max_bytes)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, KeyError, NotImplementedError):
        raise InputError("is no count file, or is damaged") from None
    items = tuple(read_name(value) for value in about["items"])
    if len(set(items)) < len(items):
        raise InputError("the count file is damaged: an item is listed twice")
    fields = (about.get(name) for name in ("scale", "total_units", "n_rankings"))
    scale, total, n_rankings = (_whole(value) for value in fields)
    unranked = about.get("unranked")
    if scale is None or scale < 1 or unranked not in ("unknown", "last", None):
        raise InputError("the count file is damaged: its totals make no sense")
    largest = max(int(counts.max()), -int(counts.min()), total or 0)
    if largest * len(items) ** 2 >= _LARGEST_COST:
        raise InputError("the counts are too large to add up exactly (2**62)")
    if counts.diagonal().any():
        raise InputError("the count file is damaged: an item is counted before itself")
    if total is not None and (int(counts.min()) < 0 or int(counts.max()) > total):
        raise InputError("the count file is damaged: a count is beyond the total")
    return Counted(items, counts, scale, total, n_rankings, unranked)


def _about(archive: zipfile.ZipFile) -> dict[str, Any]:
    if archive.getinfo("about.npy").file_size > _LARGEST_ABOUT:
        raise InputError("is no count file, or is damaged")
    try:
        with archive.open("about.npy") as entry:
            about = json.loads(np.lib.format.read_array(entry, allow_pickle=False).tobytes())
    except (ValueError, RecursionError):
        raise InputError("is no count file, or is damaged") from None
    if not isinstance(about, dict) or about.get("format") != MARK:
        raise InputError("is no count file")
    if about.get("version") != _VERSION:
        raise InputError(
            f"is of version {cut(repr(about.get('version')))}, and only {_VERSION} is known: read "
            "it with a newer Concordant"
        )
    if not isinstance(about.get("items"), list) or not about["items"]:
        raise InputError("the count file is damaged: it names no items")
    return about


def _counts(archive: zipfile.ZipFile, m: int, max_bytes: int) -> npt.NDArray[Any]:
    # What it unpacks to is bounded before any of it is unpacked.
    if archive.getinfo("counts.npy").file_size > min(max_bytes, 8 * m * m + 4096):
        raise InputError(
            f"its matrix of {m:,} items takes more than {min(max_bytes, 8 * m * m):,} bytes"
        )
    try:
        with archive.open("counts.npy") as entry:
            counts: npt.NDArray[Any] = np.lib.format.read_array(entry, allow_pickle=False)
    except ValueError:
        raise InputError("is no count file, or is damaged") from None
    if counts.shape != (m, m) or counts.dtype not in (np.int16, np.int32, np.int64):
        raise InputError(f"the count file is damaged: {m} items and a matrix that does not fit")
    # Kernels are compiled for rows that follow each other.
    return np.ascontiguousarray(counts)


def _whole(value: Any) -> int | None:
    if value is None:
        return None
    if type(value) is not int or not 0 <= value < 2**63:
        raise InputError("the count file is damaged: its totals make no sense")
    return value
