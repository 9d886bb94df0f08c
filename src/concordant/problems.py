"""`read_many`: many problems from files or a frame, one `Rankings` for each key."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Unpack

from concordant._checks import check_duplicates
from concordant._names import ItemIndex
from concordant._reading import ProblemOptions
from concordant._types import Duplicates, Unranked
from concordant.as_one import Names, check_merge, merge_items
from concordant.errors import ConcordantError, InputError, SettingError, cut, show
from concordant.formats import detect, read
from concordant.formats.common.source import Source
from concordant.formats.trec import read_queries
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reading.grid import find_separator, split


class Problems(dict[Any, Rankings | Pairwise]):
    """Rankings by key, and the keys that could not be read.

    Attributes:
        by: What the keys are: "query", "file", or the name of a column.
        failed: The error of each key that could not be read.
    """

    def __init__(
        self,
        found: Mapping[Any, Rankings | Pairwise],
        by: str,
        failed: Mapping[Any, ConcordantError] | None = None,
    ) -> None:
        super().__init__(found)
        self.by = by
        self.failed = dict(failed or {})

    def __repr__(self) -> str:
        """Say the number of problems in one line."""
        failed = f", {len(self.failed):,} failed" if self.failed else ""
        return f"Problems({len(self):,} by {self.by}{failed})"


def read_many(
    path: Any,
    by: str | None = None,
    *,
    format: str | None = None,  # noqa: A002
    unranked: Unranked | None = None,
    duplicates: Duplicates = "error",
    **options: Unpack[ProblemOptions],
) -> Problems:
    r"""Read several problems: one `Rankings` for each query, for each value of a column, or a file.

    A problem that cannot be read is in `Problems.failed`, and the others are read.

    Args:
        path: TREC runs (one file, several or a folder), a CSV file, a data frame, or a folder or
            list of files.
        by: "query" for TREC runs, "file" for one problem in each file, or the name of a column of a
            table. By default "query" for TREC runs, and "file" for several other files.
        format: The format of the files; by default found as `read` does.
        unranked: What leaving an item out means, as for `read`.
        duplicates: What to do with an item that a ranking has twice, as for `read`.
        **options: Other options of `read`, for each problem. Items to `merge` must be in one of the
            problems at least.

    Raises:
        InputError: Nothing can be read.
        SettingError: `by` is needed, or the column does not exist.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "votes.csv"
        >>> _ = path.write_text("district,1,2\nnorth,a,b\nsouth,b,a\nnorth,b,a\n")
        >>> read_many(path, by="district", layout="ballots")
        Problems(2 by district)
    """
    check_duplicates(duplicates)
    merge = options.pop("merge", None)
    if merge:
        names = check_merge(merge)
        found = read_many(
            path, by, format=format, unranked=unranked, duplicates=duplicates, **options
        )
        return _merged(found, names)
    reading: dict[str, Any] = {"unranked": unranked, "duplicates": duplicates, **options}
    if hasattr(path, "columns"):
        if by is None:
            raise SettingError("by must name the column that separates the problems", setting="by")
        return _by_frame(path, by, reading)
    files = _files(path)
    kinds = [format or _kind(file) for file in files]
    if by is None:
        if all(kind == "trec" for kind in kinds):
            by = "query"
        elif len(files) > 1 or not isinstance(path, str | Path) or Path(path).is_dir():
            by = "file"
        else:
            raise SettingError(
                "by is needed: the name of the column that separates the problems", setting="by"
            )
    if by == "query" and all(kind == "trec" for kind in kinds):
        sources = (Source(file, unranked=unranked, duplicates=duplicates) for file in files)
        good, bad = read_queries(sources)
        return _checked(Problems(good, by, bad))
    if by == "file":
        return _by_file(files, format, reading)
    if len(files) != 1 or kinds[0] not in ("csv", "parquet"):
        raise SettingError(
            f"by={by!r} needs one CSV or Parquet file with such a column, or TREC runs for 'query'",
            setting="by",
        )
    if kinds[0] == "parquet":
        from concordant._polars import pl

        return _by_frame(pl.read_parquet(files[0]), by, reading)
    return _by_column(files[0], by, reading)


def _merged(problems: Problems, names: Names) -> Problems:
    """Read several items as one in each problem that has them."""
    missing: set[Any] | None = None
    good: dict[Any, Rankings | Pairwise] = {}
    bad: dict[Any, ConcordantError] = dict(problems.failed)
    items: dict[Any, None] = {}
    for key, data in problems.items():
        items |= dict.fromkeys(data.items)
        try:
            if not isinstance(data, Rankings):
                raise InputError("holds counts of pairs: only items of rankings can be merged")
            merged = merge_items(data, names, some=True)
        except InputError as error:
            bad[key] = error
            continue
        good[key] = merged.data
        missing = set(merged.unknown) if missing is None else missing & set(merged.unknown)
    for name in (name for members in names.values() for name in members):
        if name in (missing or ()):
            raise InputError(
                f"there is no item {show(name)} to merge{ItemIndex(list(items)).near(name)}"
            )
    return _checked(Problems(good, problems.by, bad))


def _files(path: Any) -> list[Path]:
    if isinstance(path, list | tuple):
        return [Path(each) for each in path]
    given = Path(path)
    if not given.is_dir():
        return [given]
    found = sorted(
        each for each in given.iterdir() if each.is_file() and not each.name.startswith(".")
    )
    if not found:
        raise InputError("the folder has no files", path=given)
    return found


def _kind(file: Path) -> str | None:
    try:
        return detect(file)
    except InputError:
        return None


def _checked(problems: Problems) -> Problems:
    """Raise the first error if nothing could be read."""
    if not problems and problems.failed:
        raise next(iter(problems.failed.values()))
    return problems


def _by_file(files: Sequence[Path], format: str | None, reading: dict[str, Any]) -> Problems:  # noqa: A002
    found: dict[Any, Any] = {}
    failed: dict[Any, ConcordantError] = {}
    for file in files:
        key = file.name.removesuffix(".gz").rpartition(".")[0] or file.name
        key = file.name if key in found or key in failed else key
        try:
            found[key] = read(file, format, **reading)
        except InputError as error:
            failed[key] = error
    return _checked(Problems(found, "file", failed))


def _by_column(file: Path, by: str, reading: dict[str, Any]) -> Problems:
    """Read the rows of each key as a table of their own."""
    source = Source(file)
    separator = find_separator(source.text, file.suffix.lower() == ".tsv")
    grid = split(source.text, separator)
    rows = [row for row in grid.rows if any(cell.strip() for cell in row)]
    names = [cell.strip() for cell in rows[0]] if rows else []
    if by not in names:
        raise SettingError(
            f"{file} has no column {by!r} for by: its first row has {cut(', '.join(names))}",
            setting="by",
        )
    column = names.index(by)
    parts: dict[str, list[list[str]]] = {}
    for row in rows[1:]:
        key = row[column].strip() if column < len(row) else ""
        parts.setdefault(key, []).append(row[:column] + row[column + 1 :])
    header = names[:column] + names[column + 1 :]
    found: dict[Any, Any] = {}
    failed: dict[Any, ConcordantError] = {}
    for key, part in parts.items():
        text = io.StringIO()
        csv.writer(text, delimiter=separator).writerows([header, *part])
        try:
            if not key:
                raise InputError(f"{len(part):,} rows have no value in column {by!r}", path=file)
            found[key] = read(io.BytesIO(text.getvalue().encode()), "csv", **reading)
        except InputError as error:
            failed[key] = InputError(
                f"{by} {cut(key)}: {error.message}", path=file, hints=error.hints
            )
    return _checked(Problems(found, by, failed))


def _by_frame(frame: Any, by: str, reading: dict[str, Any]) -> Problems:
    """Split a data frame by a column, in order of appearance."""
    import narwhals as nw

    table = nw.from_native(frame, eager_only=True)
    if by not in table.columns:
        raise SettingError(f"the frame has no column {by!r} for by", setting="by")
    reading = {name: value for name, value in reading.items() if value is not None}
    keys = dict.fromkeys(table[by].to_list())
    parts = {key[0]: part for key, part in table.group_by(by)}
    found: dict[Any, Any] = {}
    failed: dict[Any, ConcordantError] = {}
    for key in keys:
        if key not in parts:
            failed[key] = InputError(f"rows have no value in column {by!r}")
            continue
        try:
            found[key] = Rankings.from_frame(parts[key].drop(by).to_native(), **reading)
        except InputError as error:
            failed[key] = InputError(f"{by} {show(key)}: {error.message}", hints=error.hints)
    return _checked(Problems(found, by, failed))
