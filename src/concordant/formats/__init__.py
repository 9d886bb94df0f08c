"""Reading and writing files: one registry entry per format.

`read` finds the format from the suffix, then from the content; `write` from the suffix. A
writer refuses what its format cannot hold, before anything is written.
"""

from __future__ import annotations

import gzip
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from concordant._files import atomic_write, encode_text
from concordant.errors import InputError, SettingError
from concordant.formats import elections, native, numeric, preflib, trec
from concordant.formats._detect import detect_content
from concordant.formats._text import Source, decimal_text, exact_weights
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings, Unranked, check_unranked

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

__all__ = ["FORMATS", "Format", "detect", "read", "write"]

Data = Rankings | Pairwise
# What weights a format can hold, each more than the one before: whole numbers above 0, by
# repeating rankings; whole numbers; decimals; all fractions.
Weights = Literal["repeats", "counts", "decimals", "exact"]


@dataclass(frozen=True)
class Format:
    """A file format: its names, what it can hold, and the functions that read and write it.

    Attributes:
        name: What `format=` calls it.
        summary: One line about it.
        suffixes: File name endings that tell it.
        reader: Called with a `Source`, what unranked items mean (or None) and the options.
        writer: Called with the data, a path and the options; None where it is only read.
        ties: Whether it can hold tied items.
        gaps: Whether it can hold rankings that leave items out.
        weights: Which weights it can hold.
        names: Whether it can hold item names; else items are "1" … "m".
        unranked: Whether it can say what leaving an item out means.
        matrix: Whether it holds a matrix, so that reading gives a `Pairwise`.
        options: What else `read` takes for it.
        write_options: What else `write` takes for it.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    reader: Callable[..., Data]
    writer: Callable[..., None] | None
    ties: bool = True
    gaps: bool = True
    weights: Weights = "counts"
    names: bool = True
    unranked: bool = False
    matrix: bool = False
    options: tuple[str, ...] = ()
    write_options: tuple[str, ...] = ()


def _text(lines: Callable[[Any], Iterable[str]]) -> Callable[[Any, Path], None]:
    """Make a writer of a function that yields the text."""

    def write_text(data: Any, path: Path) -> None:
        atomic_write(path, _packed(encode_text("".join(lines(data))), path))

    return write_text


def _packed(content: bytes, path: Path) -> bytes:
    # No time stamp inside: the same data gives the same bytes.
    return gzip.compress(content, mtime=0) if path.suffix.lower() == ".gz" else content


def _preflib(kind: str, summary: str) -> Format:
    return Format(
        kind,
        f"PrefLib: {summary}, with repeat counts",
        (f".{kind}",),
        partial(preflib.read_preflib, kind=kind),
        _text(partial(preflib.write_preflib, kind=kind)),
        ties=kind[0] == "t",
        gaps=kind[2] == "i",
    )


def _table_reader(function: str) -> Callable[..., Rankings]:
    def read_table(source: Source, unranked: Unranked | None, **options: Any) -> Rankings:
        # Imported here: a data frame library takes longer to load than most files to read.
        from concordant.formats import tables

        reader = getattr(tables, function)
        try:
            rankings: Rankings = reader(source.path, unranked=unranked or "unknown", **options)
        except InputError as error:
            # The same error, in bounded length.
            raise source.error(error.message, error.line) from None
        return rankings

    return read_table


def _table_writer(function: str) -> Callable[..., None]:
    def write_table(data: Rankings, path: Path, **options: Any) -> None:
        from concordant.formats import tables

        writer = getattr(tables, function)
        if path.suffix.lower() != ".gz":
            writer(data, path, **options)
            return
        with tempfile.TemporaryDirectory() as folder:
            plain = Path(folder) / path.stem
            writer(data, plain, **options)
            atomic_write(path, _packed(plain.read_bytes(), path))

    return write_table


_TABLE_OPTIONS = ("layout", "voter", "item", "rank", "score", "weight")

_ALL = [
    Format(
        "ranks",
        "header 'm n [theta]', then the rank of each item, a ranking a row",
        (".ranks",),
        numeric.read_ranks,
        _text(numeric.write_ranks),
        weights="repeats",
        names=False,
    ),
    Format(
        "orders",
        "header 'm n', then item numbers, best first, a ranking a row",
        (".orders",),
        numeric.read_orders,
        _text(numeric.write_orders),
        ties=False,
        weights="repeats",
        names=False,
    ),
    _preflib("soc", "strict orders, complete"),
    _preflib("soi", "strict orders, incomplete"),
    _preflib("toc", "orders with ties, complete"),
    _preflib("toi", "orders with ties, incomplete"),
    Format(
        "csv",
        "a table: long (voter, item, rank), or a column per item or per rank",
        (".csv", ".tsv"),
        _table_reader("read_csv"),
        _table_writer("write_csv"),
        weights="exact",
        options=_TABLE_OPTIONS,
        write_options=("layout",),
    ),
    Format(
        "parquet",
        "the same table in Apache Parquet",
        (".parquet", ".pq"),
        _table_reader("read_parquet"),
        _table_writer("write_parquet"),
        weights="exact",
        options=_TABLE_OPTIONS,
        write_options=("layout",),
    ),
    Format(
        "json",
        "Concordant's own: everything, exactly",
        (".json",),
        native.read_json,
        _text(native.write_json),
        weights="exact",
        unranked=True,
    ),
    Format(
        "blt",
        "ballots of OpaVote, OpenSTV and other STV programs",
        (".blt",),
        elections.read_blt,
        _text(elections.write_blt),
        weights="decimals",
    ),
    Format(
        "abif",
        "aggregated ballot information format: 27:Ann>Bo=Cy, or scores",
        (".abif",),
        elections.read_abif,
        _text(elections.write_abif),
    ),
    Format(
        "cvotes",
        "Condorcet election format: Ann > Bo = Cy * 27",
        (".cvotes",),
        elections.read_cvotes,
        _text(elections.write_cvotes),
        unranked=True,
    ),
    Format(
        "trec",
        "TREC runs: query Q0 document rank score run",
        (".trec", ".run"),
        trec.read_trec,
        _text(trec.write_trec),
        weights="repeats",
        options=("query",),
    ),
    Format(
        "lop",
        "linear ordering problem: m, then an m × m matrix",
        (".lop", ".mat"),
        numeric.read_lop,
        _text(numeric.write_lop),
        weights="decimals",
        names=False,
        matrix=True,
    ),
    Format(
        "label-ranking",
        "label ranking data: features, then the rank of each label (only read)",
        (),
        _table_reader("read_label_ranking"),
        None,
        weights="repeats",
    ),
]

FORMATS: dict[str, Format] = {entry.name: entry for entry in _ALL}


def _by_suffix(path: Path) -> str | None:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    return next((entry.name for entry in FORMATS.values() if last in entry.suffixes), None)


def _by_name(name: str) -> Format:
    if name not in FORMATS:
        raise SettingError(f"there is no format {name!r}; there are {', '.join(FORMATS)}")
    return FORMATS[name]


def _check_options(given: dict[str, Any], known: tuple[str, ...], what: str) -> None:
    for option in given:
        if option not in known:
            takes = f" (it takes {', '.join(known)})" if known else ""
            raise SettingError(f"{what} takes no option {option!r}{takes}")


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
    return _by_suffix(Path(path)) or detect_content(Source(path))


def read(
    path: str | Path,
    format: str | None = None,  # noqa: A002 - the word that the command line uses too
    *,
    unranked: Unranked | None = None,
    **options: Any,
) -> Rankings | Pairwise:
    r"""Read a file of rankings, or of a matrix (`lop`).

    Args:
        path: The file; it may be gzipped.
        format: The name of its format; by default found from the suffix, then the content.
        unranked: What leaving an item out means: "unknown" (nothing) or "last" (tied behind all
            ranked ones). By default what the file says (`json` and `cvotes` do), else "unknown".
        **options: `layout` and the names of columns for `csv` and `parquet`, `query` for `trec`.

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
    known = None if format is None else _by_name(format)
    source = Source(path)
    chosen = known or _by_name(_by_suffix(Path(path)) or detect_content(source))
    _check_options(options, chosen.options, f"reading {chosen.name}")
    return chosen.reader(source, unranked, **options)


def write(
    data: Rankings | Pairwise,
    path: str | Path,
    format: str | None = None,  # noqa: A002
    **options: Any,
) -> None:
    """Write rankings, or a matrix as `lop`, to a file; all of it or nothing.

    What the format cannot hold is refused. Where it cannot say that unranked items are last,
    that last bucket is written out.

    Args:
        data: Rankings; or a `Pairwise`, of which only `lop` can be made.
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
    name = format or _by_suffix(path)
    if name is None:
        raise SettingError(
            f"the name {path.name!r} tells no format to write: say --format F (in Python, "
            f"format=…), one of {', '.join(FORMATS)}"
        )
    chosen = _by_name(name)
    if chosen.writer is None:
        raise SettingError(f"{name} is only read: write {_alternatives(data)}")
    _check_options(options, chosen.write_options, f"writing {name}")
    if isinstance(data, Rankings) and not chosen.unranked and not chosen.matrix:
        data = data.explicit()
    try:
        _check_holds(data, chosen)
        chosen.writer(data, path, **options)
    except InputError as error:
        raise error.at(path) from None


def _check_holds(data: Data, chosen: Format) -> None:
    if isinstance(data, Pairwise):
        if not chosen.matrix:
            raise InputError(
                f"a matrix cannot be written as {chosen.name}: the rankings behind it are not "
                "known. Write lop"
            )
        return
    if chosen.matrix:
        return
    for what, is_held in _held(data, chosen).items():
        if not is_held:
            raise InputError(
                f"{chosen.name} cannot hold {what}, which these rankings have: write "
                f"{_alternatives(data)}"
            )


def _held(data: Rankings, chosen: Format) -> dict[str, bool]:
    """Tell for all that the rankings have whether a format can hold it."""
    need: Weights = "repeats"
    weights = exact_weights(data)
    if not all(isinstance(weight, int) for weight in weights):
        is_decimal = all(decimal_text(weight) is not None for weight in weights)
        need = "decimals" if is_decimal else "exact"
    elif 0 in weights:
        need = "counts"
    levels = get_args(Weights)
    kinds = {
        "repeats": "weights",
        "counts": "rankings of weight 0",
        "decimals": "decimal weights",
        "exact": "weights that are no decimals",
    }
    last = data.unranked == "last" and not chosen.unranked
    return {
        "ties": chosen.ties or not (data.has_ties if last else data._has_ranked_ties),
        "rankings that leave items out": (
            chosen.gaps or last or bool((data.lengths == data.n_items).all())
        ),
        kinds[need]: levels.index(need) <= levels.index(chosen.weights),
    }


def _alternatives(data: Data) -> str:
    """Name the formats that can hold the data, names and all."""
    if isinstance(data, Pairwise):
        return "lop"
    names = [
        entry.name
        for entry in FORMATS.values()
        if entry.writer
        and entry.names
        # Nor a format that refuses for further reasons.
        and entry.weights != "repeats"
        and all(_held(data, entry).values())
    ]
    return " or ".join(", ".join(names).rsplit(", ", 1))
