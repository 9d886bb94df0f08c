"""Tables in files: CSV and Parquet in the layouts of `concordant.frames`, and label rankings."""

from __future__ import annotations

import csv
import io
import re
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from concordant._files import replacing
from concordant.errors import InputError, SettingError
from concordant.formats._text import Source, decimal_text, exact_weights
from concordant.frames import Layout, Plan, RowError, build, is_no_vote, plan_columns, show

if TYPE_CHECKING:
    from collections.abc import Callable

    from concordant._types import Int64
    from concordant.rankings import Rankings, Unranked

_SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab"}
# How much of a file is looked at to find its separator.
_SAMPLE = 2**16
_NUMBER = re.compile(r"\s*[+-]?\d+([.,]\d*)?\s*", re.ASCII)
_LABEL = re.compile(r"[LO]\d+", re.ASCII)


# -- reading -------------------------------------------------------------------------------


def read_csv(
    path: str | Path,
    *,
    unranked: Unranked = "unknown",
    layout: Layout = "auto",
    **columns: str,
) -> Rankings:
    r"""Read rankings from a CSV file with a header: long, wide or one column per rank.

    Values are separated by commas, semicolons or tabs: what the file uses is found out. The
    layouts and the other arguments are those of `concordant.frames.rankings_from_frame`.
    Names are text as it stands in the file, blanks and leading zeros included. A cell is
    missing when it is empty; `""` is a name. Blank lines are passed over.

    Args:
        path: The file, in UTF-8.
        unranked: What leaving an item out means, "unknown" or "last".
        layout: "long", "wide" or "ballots", where the header does not tell.
        **columns: `voter`, `item`, `rank`, `score`, `weight`: the columns that hold these,
            where the header calls them something else.

    Raises:
        InputError: With the file and the line, when the file cannot be used.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "votes.csv"
        >>> _ = path.write_text("judge;candidate;place\nann;x;1\nann;y;2\nbo;y;1\n")
        >>> read_csv(path)
        Rankings(2 items, 2 rankings, partial)
    """
    table = _CsvFile(path)
    try:
        plan = plan_columns(table.names, layout=layout, **columns)
    except InputError as error:
        raise error.at(path, table.line(-1)) from None
    if plan.guessed and plan.voter is None and all(_NUMBER.fullmatch(name) for name in table.names):
        raise InputError(
            "the first line holds only numbers, so it may be a ranking or name the items: put "
            "names above the columns, or pass layout='wide' where the numbers are the names",
            path=path,
            line=table.line(-1),
        )
    frame = table.read(plan)
    return _located(
        path, table.line, lambda: build(plan, frame.get_column, len(frame), unranked=unranked)
    )


def read_parquet(
    path: str | Path,
    *,
    unranked: Unranked = "unknown",
    layout: Layout = "auto",
    **columns: str,
) -> Rankings:
    """Read rankings from a Parquet file: long, wide or one column per rank.

    The layouts and the other arguments are those of `concordant.frames.rankings_from_frame`.

    Args:
        path: The file.
        unranked: What leaving an item out means, "unknown" or "last".
        layout: "long", "wide" or "ballots", where the columns' names do not tell.
        **columns: `voter`, `item`, `rank`, `score`, `weight`: the columns that hold these,
            where they are called something else.

    Raises:
        InputError: With the file and the row, when the file cannot be used.

    Example:
        >>> import tempfile
        >>> from concordant import Rankings
        >>> path = Path(tempfile.mkdtemp()) / "votes.parquet"
        >>> write_parquet(Rankings.from_orders([[3, 1, 2]]), path)
        >>> read_parquet(path).items
        (3, 1, 2)
    """
    source = Source(path)
    data = source.data
    if not data:
        raise source.error("the file is empty")
    if not data.startswith(b"PAR1") or not data.endswith(b"PAR1"):
        raise source.error("is not a Parquet file, or is cut off")
    try:
        names = list(pl.read_parquet_schema(io.BytesIO(data)))
        plan = plan_columns(names, layout=layout, **columns)
        frame = pl.read_parquet(io.BytesIO(data), columns=[str(name) for name in plan.used])
    except InputError as error:
        raise error.at(path) from None
    except (pl.exceptions.PolarsError, OSError) as error:
        raise source.error(f"the Parquet file is damaged: {_first_line(error)}") from None
    return _located(
        path, None, lambda: build(plan, frame.get_column, len(frame), unranked=unranked)
    )


def read_label_ranking(path: str | Path, *, unranked: Unranked = "unknown") -> Rankings:
    r"""Read the rankings of the labels from a label ranking data set, one per sample.

    Such a file is separated by tabs and begins with two lines of headers, the names and the
    types of the columns. Features are called `A1`, `A2` …; labels `L1` … or `O1` …, with the
    label's rank in each row, 1 = best. An empty cell, 0 or `?` is a label without a rank.

    Args:
        path: The file, in UTF-8.
        unranked: What a label without a rank means, "unknown" or "last".

    Raises:
        InputError: With the file and the line, when the file cannot be used.

    Example:
        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "flowers.txt"
        >>> _ = path.write_text("A1\tL1\tL2\nDOUBLE\tNUMERIC\tNUMERIC\n0.5\t2\t1\n")
        >>> read_label_ranking(path).ranks().tolist()
        [[2, 1]]
    """
    source = Source(path)
    lines = source.lines
    names = [name.strip() for name in lines[0].split("\t")]
    labels = [column for column, name in enumerate(names) if _LABEL.fullmatch(name)]
    if not labels:
        raise source.error(
            "there is no label among the columns, which are separated by tabs: labels are "
            "called L1, L2, … or O1, O2, …",
            1,
        )
    types = lines[1].split("\t") if len(lines) > 1 else []
    if len(types) != len(names) or not all(name.strip().isalpha() for name in types):
        raise source.error(
            f"the second line must give the types of the {len(names)} columns, such as DOUBLE "
            "and NUMERIC",
            2,
        )
    numbers = [number for number, line in enumerate(lines[2:], start=3) if line.strip()]
    if not numbers:
        raise source.error("there is no sample below the two lines of headers")
    rows = [lines[number - 1].split("\t") for number in numbers]
    for number, row in zip(numbers, rows, strict=True):
        if len(row) != len(names):
            raise source.error(f"{len(row)} values for {len(names)} columns", number)
    plan = Plan("wide", columns=tuple(names[column] for column in labels))
    cells = {names[column]: [row[column] for row in rows] for column in labels}
    if len(cells) < len(labels):
        raise source.error("two labels have the same name: rename one", 1)
    return _located(
        path,
        lambda row: numbers[row],
        lambda: build(plan, cells.__getitem__, len(rows), unranked=unranked),
    )


def _located(
    path: str | Path, line: Callable[[int], int] | None, make: Callable[[], Rankings]
) -> Rankings:
    """Call `make`, and add the file and the faulty row's line to an error of it."""
    try:
        return make()
    except RowError as error:
        if line is None:
            raise error.at(path) from None
        raise InputError(error.fault, path=path, line=line(error.row)) from None
    except InputError as error:
        raise error.at(path) from None


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [""])[0]


class _CsvFile:
    """A CSV file: its header, its separator, and where its records are.

    A record is what lies between two ends of lines outside quotation marks; blank ones do not
    count. polars reads the values. What it passes over in silence (too few values in a row) or
    reports without a line is looked up here, on demand.
    """

    def __init__(self, path: str | Path) -> None:
        self.source = Source(path)
        _ = self.source.body  # Refuses what is not text.
        data = self.source.data.removeprefix(b"\xef\xbb\xbf")
        # Old Macs end lines with \r alone. Elsewhere ends of lines are left as they are, because
        # a quoted name may hold some.
        self.data = data if b"\n" in data else self.source.body
        if not self.data.isascii():
            _ = self.source.text  # Refuses what is not UTF-8.
        begin = len(self.data) - len(self.data.lstrip(b"\r\n"))
        end = self._end_of_record(begin)
        self.separator = "\t" if _is_tabbed(path) else self._find_separator(begin, end)
        try:
            text = self.data[begin:end].decode().removesuffix("\r")
            reader = csv.reader(
                io.StringIO(text, newline=""), delimiter=self.separator, strict=True
            )
            self.names = next(reader)
        except csv.Error as error:
            raise self.source.error(f"the header cannot be read: {error}", self.line(-1)) from None
        self.header_lines = self.data.count(b"\n", 0, end) + 1
        if not re.compile(rb"[^\r\n]").search(self.data, end):
            raise self.source.error(
                f"there is no row below the header, which has {len(self.names)} column(s)",
                self.line(-1),
            )

    def _end_of_record(self, begin: int) -> int:
        end, quotes = begin, 0
        while end < len(self.data):
            following = self.data.find(b"\n", end)
            following = len(self.data) if following < 0 else following
            quotes += self.data.count(b'"', end, following)
            if quotes % 2 == 0:
                return following
            end = following + 1
        return len(self.data)

    def _find_separator(self, begin: int, end: int) -> str:
        """Find what splits the first records into equally many values, and into most."""
        sample = self.data[begin : end + _SAMPLE]
        is_cut = end + _SAMPLE < len(self.data)
        lines = sample.decode(errors="replace").splitlines(keepends=True)

        def quality(separator: str) -> tuple[bool, int]:
            counts = []
            try:
                for record in csv.reader(lines, delimiter=separator):
                    if record:
                        counts.append(len(record))
                    if len(counts) == 20:
                        break
            except csv.Error:
                pass
            if is_cut and len(counts) > 1:
                counts.pop()
            return len(set(counts)) == 1 and counts[0] > 1, counts[0] if counts else 0

        return max(_SEPARATORS, key=quality)

    # -- the values ------------------------------------------------------------------------

    def read(self, plan: Plan) -> pl.DataFrame:
        """Return the columns that a plan names."""
        numeric = plan.numeric
        # Rows that are too short end in missing values: the last column tells.
        used = {*plan.used, self.names[-1]}
        columns = [number for number, name in enumerate(self.names) if name in used]
        schema = {name: pl.Float64() if name in numeric else pl.String() for name in self.names}
        try:
            frame = self._parse(self.data, schema, columns, self.header_lines)
            # A blank line gives a row of missing values, just as an empty ballot does.
            if all(column.null_count() for column in frame) and len(frame) >= self._starts.size:
                frame = self._parse(self._without_blank_lines(), schema, columns)
        except pl.exceptions.PolarsError:
            # As text, numbers that are none can be named, and "NA" be understood.
            schema = dict.fromkeys(schema, pl.String())
            try:
                frame = self._parse(self._without_blank_lines(), schema, columns)
            except pl.exceptions.PolarsError as error:
                self._check_quotes()
                self._check_counts()
                raise self.source.error(f"is not CSV: {_first_line(error)}") from None
        if frame.get_columns()[-1].null_count():
            self._check_counts()
        return frame

    def _parse(
        self, data: bytes, schema: dict[str, Any], columns: list[int], header_lines: int = 0
    ) -> pl.DataFrame:
        return pl.read_csv(
            data,
            has_header=False,
            skip_lines=header_lines,
            separator=self.separator,
            schema=schema,
            columns=columns,
        )

    def _without_blank_lines(self) -> bytes:
        """Return the rows below the header."""
        bounds = zip(self._starts[1:].tolist(), self._ends[1:].tolist(), strict=True)
        return b"\n".join(self.data[start:end] for start, end in bounds)

    # -- the records -----------------------------------------------------------------------

    @cached_property
    def _outside(self) -> Any:
        """For each byte, whether it stands outside quotation marks."""
        if b'"' not in self.data:
            return np.ones(len(self.data), bool)
        return ~np.logical_xor.accumulate(np.frombuffer(self.data, np.uint8) == ord('"'))

    @cached_property
    def _bounds(self) -> tuple[Int64, Int64]:
        characters = np.frombuffer(self.data, np.uint8)
        ends = np.flatnonzero((characters == ord("\n")) & self._outside)
        ends = np.append(ends, len(self.data))
        starts = np.concatenate([[0], ends[:-1] + 1])
        returns = (ends > starts) & (characters[np.maximum(ends - 1, 0)] == ord("\r"))
        ends = ends - returns
        filled = ends > starts
        return starts[filled], ends[filled]

    @property
    def _starts(self) -> Int64:
        return self._bounds[0]

    @property
    def _ends(self) -> Int64:
        return self._bounds[1]

    def line(self, row: int) -> int:
        """Return the line on which a row begins; row -1 is the header."""
        return self.data.count(b"\n", 0, int(self._starts[row + 1])) + 1

    def _check_counts(self) -> None:
        separators = np.frombuffer(self.data, np.uint8) == ord(self.separator)
        places = np.flatnonzero(separators & self._outside)
        starts, ends = self._bounds
        counts = np.searchsorted(places, ends) - np.searchsorted(places, starts) + 1
        wrong = counts != len(self.names)
        if wrong.any():
            record = int(np.argmax(wrong))
            raise self.source.error(
                f"{counts[record]} value(s) in this row and {len(self.names)} in the header, "
                f"separated by {_SEPARATORS[self.separator]}s",
                self.line(record - 1),
            )

    def _check_quotes(self) -> None:
        separator = re.escape(self.separator).encode()
        value = rb'(?:"(?:[^"]|"")*"|[^"%b]*)' % separator
        record = re.compile(rb"%b(?:%b%b)*" % (value, separator, value))
        for row, (start, end) in enumerate(zip(*self._bounds, strict=True)):
            if not record.fullmatch(self.data, int(start), int(end)):
                raise self.source.error(
                    "a quotation mark is never closed, or stands inside a value: put the value "
                    "in quotation marks and double those inside",
                    self.line(row - 1),
                )


def _is_tabbed(path: str | Path) -> bool:
    return Path(path).name.lower().removesuffix(".gz").endswith((".tsv", ".tab"))


# -- writing -------------------------------------------------------------------------------


def write_csv(data: Rankings, path: str | Path, *, layout: Layout = "long") -> None:
    """Write rankings to a CSV file, or with tabs where the name ends in `.tsv`.

    Equal rankings are written once. Their weights go into a column `count` where they say how
    often a ranking occurs, else `weight`; a long table of weights 1 has none. All items and
    empty rankings are kept: the first voter of a long table has a row for each item, in the
    items' order and without a rank where the voter gave none; a voter of an empty ranking has
    one row without item and rank. Weights are exact: where no decimal is, as in `1/3`.

    Args:
        data: The rankings.
        path: The file to write.
        layout: "long" (the default), "wide" or "ballots". Ballots have no ties, and name
            every item at least once.

    Raises:
        InputError: When the layout cannot hold the rankings; nothing is written then.

    Example:
        >>> import tempfile
        >>> from concordant import Rankings
        >>> path = Path(tempfile.mkdtemp()) / "votes.csv"
        >>> data = Rankings.from_orders([["b", "a"], ["b", "a"], []], items=["a", "b", "c"])
        >>> write_csv(data, path)
        >>> print(path.read_text().replace(chr(10), " "))
        voter,item,rank,count 1,a,2,2 1,b,1,2 1,c,,2 2,,,1
        >>> write_csv(data, path, layout="wide")
        >>> print(path.read_text().replace(chr(10), " "))
        voter,count,a,b,c 1,2,2,1, 2,1,,,
    """
    frame = _to_table(data, path, layout, as_text=True)
    with replacing(path) as temporary:
        frame.write_csv(temporary, separator="\t" if _is_tabbed(path) else ",")


def write_parquet(data: Rankings, path: str | Path, *, layout: Layout = "long") -> None:
    """Write rankings to a Parquet file, in the same layouts as `write_csv`.

    Items that are all integers stay integers, except as names of columns; others are written
    as text.

    Args:
        data: The rankings.
        path: The file to write.
        layout: "long" (the default), "wide" or "ballots".

    Raises:
        InputError: When the layout cannot hold the rankings; nothing is written then.

    Example:
        >>> import tempfile
        >>> from concordant import Rankings
        >>> path = Path(tempfile.mkdtemp()) / "votes.parquet"
        >>> write_parquet(Rankings.from_orders([["b", ("a", "c")]], weights=[0.5]), path)
        >>> [(ranking, weight) for ranking, weight in read_parquet(path)]
        [([('b',), ('a', 'c')], 0.5)]
    """
    frame = _to_table(data, path, layout, as_text=False)
    with replacing(path) as temporary:
        frame.write_parquet(temporary)


def _to_table(data: Rankings, path: str | Path, layout: str, *, as_text: bool) -> pl.DataFrame:
    makers = {"long": _long_table, "wide": _wide_table, "ballots": _ballots_table}
    if layout not in makers:
        raise SettingError(f"layout must be one of {', '.join(makers)}, not {layout!r}")
    counts = data.scale == 1 and data.total_weight == data.n_rankings
    weights = _weight_column(data, as_text=as_text).alias("count" if counts else "weight")
    whole = all(type(item) is int and abs(item) < 2**63 for item in data.items)
    try:
        if whole and not as_text and layout != "wide":
            names = pl.Series(data.items, dtype=pl.Int64)
        else:
            names = pl.Series(_printed(data), dtype=pl.String)
        return makers[layout](data, names, weights)
    except InputError as error:
        raise error.at(path) from None


def _printed(data: Rankings) -> list[str]:
    names = [str(item) for item in data.items]
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise InputError(
                f"two items are both written {show(name)}: rename one, or write json, which "
                "tells text from numbers"
            )
        seen.add(name)
        if "\0" in name or not _is_unicode(name):
            raise InputError(
                f"item {show(name)} cannot be written: its name holds a zero character or half a "
                "character. Rename it"
            )
    return names


def _is_unicode(name: str) -> bool:
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _weight_column(data: Rankings, *, as_text: bool) -> pl.Series:
    if data.scale == 1:
        return pl.Series(data.units)
    exact = exact_weights(data)
    if not as_text and all(Fraction(str(w)) == e for w, e in zip(data.weights, exact, strict=True)):
        return pl.Series(data.weights)
    return pl.Series([decimal_text(weight) or str(weight) for weight in exact])


def _long_table(data: Rankings, names: pl.Series, weights: pl.Series) -> pl.DataFrame:
    lengths = data.lengths
    # The first voter names all items, in their order, so that none of them and no number is lost.
    first = np.zeros(data.n_items, np.int64)
    first[data.members[: lengths[0]]] = data.buckets[: lengths[0]] + 1
    rest = np.maximum(lengths[1:], 1)
    voters = np.repeat(np.arange(data.n_distinct), np.concatenate([[data.n_items], rest]))
    codes = np.full(voters.size, -1, np.int64)
    ranks = np.zeros(voters.size, np.int64)
    codes[: data.n_items] = np.arange(data.n_items)
    ranks[: data.n_items] = first
    filled = np.flatnonzero(lengths[voters[data.n_items :]]) + data.n_items
    codes[filled] = data.members[lengths[0] :]
    ranks[filled] = data.buckets[lengths[0] :] + 1
    columns = {
        "voter": pl.Series(voters + 1),
        "item": names.gather(_or_null(codes, codes >= 0)),
        "rank": _or_null(ranks, ranks > 0),
    }
    if (data.units != data.scale).any():
        columns[weights.name] = weights.gather(voters)
    return pl.DataFrame(columns)


def _wide_table(data: Rankings, names: pl.Series, weights: pl.Series) -> pl.DataFrame:
    ranks = np.zeros((data.n_items, data.n_distinct), np.int64)
    ranks[data.members, np.repeat(np.arange(data.n_distinct), data.lengths)] = data.buckets + 1
    items = names.to_list()
    header = ["voter", weights.name, *items]
    # An item that is called "rank 1" or "weight" would be read as something else.
    try:
        plan = plan_columns(header)
        clash = plan.layout != "wide" or list(plan.columns) != items
    except InputError:
        clash = True
    if clash:
        raise InputError(
            "the names of the items make a wide table look like something else (a column "
            "'voter', 'weight', 'rank 1' …): write the long layout"
        )
    columns = {"voter": pl.Series(np.arange(1, data.n_distinct + 1)), weights.name: weights}
    columns |= {item: _or_null(ranks[j], ranks[j] > 0) for j, item in enumerate(items)}
    return pl.DataFrame(columns)


def _ballots_table(data: Rankings, names: pl.Series, weights: pl.Series) -> pl.DataFrame:
    if data._has_ranked_ties:
        raise InputError(
            "some rankings have ties, which ballots cannot hold: write the long layout"
        )
    ranked = np.zeros(data.n_items, bool)
    ranked[data.members] = True
    if not ranked.all():
        item = data.items[int(np.argmin(ranked))]
        raise InputError(
            f"no ranking has item {show(item)}, so ballots cannot name it: write the long layout"
        )
    for item in data.items:
        if is_no_vote(item):
            raise InputError(
                f"item {show(item)} would be read as no vote in a ballot: write the long layout"
            )
    codes = np.full((int(data.lengths.max()), data.n_distinct), -1, np.int64)
    codes[data.buckets, np.repeat(np.arange(data.n_distinct), data.lengths)] = data.members
    columns = {"voter": pl.Series(np.arange(1, data.n_distinct + 1)), weights.name: weights}
    columns |= {
        f"rank{rank}": names.gather(_or_null(row, row >= 0)) for rank, row in enumerate(codes, 1)
    }
    return pl.DataFrame(columns)


def _or_null(values: Int64, present: Any) -> pl.Series:
    """Return integers as a series, without those that are not present."""
    return pl.Series(values).set(pl.Series(~present), None)
