"""`npz`: the count file, a matrix of pairwise counts with its items and totals."""

from __future__ import annotations

from pathlib import Path

from concordant.errors import InputError
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings


def read_npz(source: Source) -> Pairwise:
    """Read a count file, as `Pairwise.save` and `concordant count` write it."""
    try:
        pairs = Pairwise.from_bytes(source.data, max_bytes=source.max_bytes)
    except InputError as error:
        raise source.error(error) from None
    if source.unranked is not None and pairs.unranked not in (None, source.unranked):
        raise source.error(
            f"unranked items were counted as {pairs.unranked!r}, which counts do not let change: "
            "count the rankings again"
        )
    return pairs


def write_npz(data: Rankings | Pairwise, path: Path) -> bytes:
    """Return the count file of a matrix, or of the pairwise counts of rankings."""
    pairs = Pairwise.from_rankings(data) if isinstance(data, Rankings) else data
    return pairs.to_bytes()


def sniff(source: Source) -> int:
    """Recognize a count file by the name of its first entry, which follows the mark of a zip."""
    return SURE if source.data[:4] == b"PK\3\4" and source.data[30:39] == b"about.npy" else NO


FORMAT = Format(
    "npz",
    "pairwise counts with names and totals",
    (".npz",),
    read_npz,
    write_npz,
    sniff,
    binary=True,
    weights="exact",
    unranked=True,
    matrix=True,
)
