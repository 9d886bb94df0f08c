"""Files of one ranking each: a folder, or several files; the name of a file is the voter."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, BinaryIO

from concordant._types import Unranked
from concordant.errors import InputError, SettingError
from concordant.formats.common.source import Source
from concordant.formats.text import text_lists
from concordant.merging import warn_of_repeats
from concordant.rankings import Rankings
from concordant.reading.assemble import assemble, merged
from concordant.reading.decide import data_findings
from concordant.reading.findings import Inspection
from concordant.reading.grid import SEPARATORS
from concordant.reading.options import Options, make_options
from concordant.reading.outcome import Ballot

_MOST_FILES = 10_000


def is_several(path: Any) -> bool:
    """Return whether a path is a folder, or a list of files."""
    if isinstance(path, list | tuple):
        return True
    return isinstance(path, str | os.PathLike) and "\0" not in str(path) and Path(path).is_dir()


def read_folder(
    source: Source,
    files: Iterable[Path | BinaryIO],
    read: Callable[..., Any],
    options: dict[str, Any],
    unranked: Unranked | None,
) -> Rankings:
    """Read files of one ranking each.

    Args:
        source: Stands for all files.
        files: The files, in the order of the voters; open files have a name.
        read: Reads one file.
        options: The options for each file.
        unranked: What leaving an item out means.
    """
    found = [file for file in files if not isinstance(file, Path) or file.is_file()]
    found = [file for file in found if not _path(file).name.startswith(".")]
    if not found:
        raise source.error("the folder has no files")
    if len(found) > _MOST_FILES:
        raise source.error(f"there are {len(found):,} files; at most {_MOST_FILES:,} are read")
    chosen = make_options({k: v for k, v in options.items() if k in ("names", "missing")})
    ballots = []
    meant = set()
    for number, file in enumerate(found):
        path = _path(file)
        buckets = _lines(file, chosen, source)
        if buckets is None:
            if not isinstance(file, Path):
                file.seek(0)
            data = read(file, **options)
            buckets = _single(path, data)
            meant.add(data.unranked)
        else:
            meant.add("unknown")
        ballots.append(
            Ballot(
                path.name.removesuffix(".gz").rpartition(".")[0] or path.name, buckets, 1, number
            )
        )
    if unranked is None and meant == {"last"}:
        # Runs of search systems.
        unranked = "last"
    items = None
    if chosen.names == "merge":
        ballots, items = merged(ballots, [])
    try:
        made = assemble(ballots, items, counted=False, duplicates=source.duplicates)
        rankings = Rankings.from_arrays(
            made.items, *made.arrays, unranked=unranked or "unknown", voters=made.names
        )
    except InputError as error:
        raise source.error(error) from None
    if made.dropped.size:
        warn_of_repeats(made.dropped, source.path)
    source.inspection = Inspection(
        source.path,
        "folder",
        layout="lists",
        items=list(made.items),
        voters=made.voters,
        n_rankings=rankings.n_rankings,
        findings=data_findings(made.items, rankings.lengths, chosen, unranked=unranked),
    )
    return rankings


def _path(file: Path | BinaryIO) -> Path:
    return file if isinstance(file, Path) else Path(file.name)


def _lines(given: Path | BinaryIO, options: Options, source: Source) -> list[list[str]] | None:
    """Return the items of a file with one item in each line, or a numbered list; else None."""
    file, path = Source(given, max_bytes=source.max_bytes), _path(given)
    if path.suffix.lower() not in (".txt", ".csv", ".tsv", ".lst", ".list", ""):
        return None
    lists = text_lists(file, options, sure=True)
    if lists is not None:
        return _single(path, lists)
    lines = [line.strip() for line in file.lines if line.strip()]
    # A remark above the list.
    lines = [line for line in lines if line[0] != "#"] or lines
    if any(mark in line for line in lines for mark in SEPARATORS):
        return None
    return [[line] for line in lines]


def _single(path: Path, data: Any) -> list[list[str]]:
    if not isinstance(data, Rankings):
        raise SettingError(f"{path} holds a matrix, not a ranking")
    if data.n_rankings != 1:
        raise InputError(
            f"has {data.n_rankings:,} rankings; each file of a folder must have one", path=path
        )
    ranking, _ = next(iter(data))
    return [[str(item) for item in bucket] for bucket in ranking]
