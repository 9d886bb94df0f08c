"""The registry of formats: what a format is, which there are, which can hold what.

Packages add formats by entry points of the group `concordant.formats`, which are loaded when a name
or a suffix is unknown, or when a file is recognised by its content.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from concordant._reading import READING
from concordant.errors import Hint, InputError, InputWarning, SettingError
from concordant.formats.common.source import Source
from concordant.pairwise import Pairwise
from concordant.plugins import Plugins
from concordant.rankings import Rankings
from concordant.reading.findings import QuestionError
from concordant.units import decimal_text

Data = Rankings | Pairwise
# The weights that a format can hold, each more than the one before: whole numbers above 0, by
# repeating rankings; whole numbers; decimals; all fractions.
Weights = Literal["repeats", "counts", "decimals", "exact"]

# How sure it is that a file has a format: not at all; it has signs that other formats share; its
# first lines have the right shape; it has a mark that no other format has.
NO, MAYBE, LIKELY, SURE = range(4)
# Files of more bytes are not read with several formats to compare the rankings.
_MOST_TRIED = 2**20


@dataclass(frozen=True)
class Format:
    """A file format: its names, what it can hold, and the functions that read and write it.

    Attributes:
        name: Its name, the value of `format=`.
        summary: One line about it.
        suffixes: The file name endings that it has.
        reader: Called with a `Source` and the options; returns rankings or a matrix.
        writer: Called with the data, the path and the options; returns the bytes, or yields the
            text. None where the format is only read.
        sniff: Called with a `Source`; returns from its content how sure it is (`NO`, `MAYBE`,
            `LIKELY` or `SURE`) that the file has this format.
        binary: Whether it is not text.
        ties: Whether it can hold tied items.
        gaps: Whether it can hold rankings that leave items out.
        weights: Which weights it can hold.
        names: Whether it can hold item names; else items are "1" … "m".
        unranked: Whether it can say what leaving an item out means.
        voters: Whether it can hold the number of voters beside the weights.
        matrix: Whether it holds a matrix, so that reading gives a `Pairwise`.
        options: The further options that `read` takes for it.
        write_options: The further options that `write` takes for it.
        scanner: The function, as "package.module:function", that reads a file of any size in
            pieces. It is called as the reader is, and yields `Piece` objects.
    """

    name: str
    summary: str
    suffixes: tuple[str, ...]
    reader: Callable[..., Data]
    writer: Callable[..., bytes | Iterable[str]] | None = None
    sniff: Callable[[Source], int] | None = None
    binary: bool = False
    ties: bool = True
    gaps: bool = True
    weights: Weights = "counts"
    names: bool = True
    unranked: bool = False
    voters: bool = False
    matrix: bool = False
    options: tuple[str, ...] = ()
    write_options: tuple[str, ...] = ()
    scanner: str | None = None


FORMATS: dict[str, Format] = {}


def register(entry: Format) -> Format:
    r"""Add a format, so that `read`, `write` and the command line know it.

    Args:
        entry: The format. No other format may have its name or one of its suffixes.

    Raises:
        SettingError: Another format has them.

    Example:
        >>> from concordant.formats import Ballots
        >>> def read_lines(source):
        ...     ballots, index = Ballots(source), {}
        ...     for line, text in enumerate(source.lines, start=1):
        ...         order = [[index.setdefault(name, len(index))] for name in text.split()]
        ...         ballots.add(order, 1, line)
        ...     return ballots.rankings(list(index))
        >>> entry = register(Format("words", "names, best first", (".words",), read_lines))
        >>> "words" in FORMATS
        True
        >>> _ = FORMATS.pop("words")
    """
    if entry.name in FORMATS:
        raise SettingError(f"there is a format {entry.name!r} already: choose another name")
    for suffix in entry.suffixes:
        other = _known_suffix(Path(f"file{suffix}"))
        if other is not None or not suffix.startswith(".") or suffix == ".gz":
            taken = f"it belongs to {other}" if other else "it must begin with a dot, as in .soc"
            raise SettingError(f"{entry.name} cannot have the suffix {suffix!r}: {taken}")
    FORMATS[entry.name] = entry
    return entry


PLUGINS = Plugins("concordant.formats", Format, FORMATS, register)


def all_formats() -> dict[str, Format]:
    """Return all formats by name, those of other packages last.

    Example:
        >>> "soc" in all_formats()
        True
    """
    PLUGINS.load()
    return FORMATS


def by_name(name: str) -> Format:
    """Return the format of a name.

    Raises:
        SettingError: There is no such format.

    Example:
        >>> by_name("soc").suffixes
        ('.soc',)
    """
    if name not in FORMATS:
        PLUGINS.load(name)
    if name not in FORMATS and name not in all_formats():
        raise SettingError(f"there is no format {name!r}; the formats are {', '.join(FORMATS)}")
    return FORMATS[name]


def by_suffix(path: Path) -> str | None:
    """Return the name of the format that a file name ends with, if any.

    Example:
        >>> by_suffix(Path("votes.soc.gz")), by_suffix(Path("votes"))
        ('soc', None)
    """
    found = _known_suffix(path)
    if found is None and path.suffix:
        PLUGINS.load()
        found = _known_suffix(path)
    return found


def _known_suffix(path: Path) -> str | None:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] == ".gz":
        suffixes.pop()
    last = suffixes[-1] if suffixes else ""
    return next((entry.name for entry in FORMATS.values() if last in entry.suffixes), None)


def by_content(source: Source) -> str:
    """Return the name of the format that a file's content has.

    Raises:
        InputError: No format fits, or several do.
    """
    found: dict[str, int] = {}
    # Binary formats first: the others raise an error for a file that is not text.
    for entry in sorted(all_formats().values(), key=lambda entry: not entry.binary):
        if entry.sniff is not None and max(found.values(), default=NO) < SURE:
            found[entry.name] = entry.sniff(source)
    best = max(found.values(), default=NO)
    names = [name for name, sure in found.items() if sure == best]
    if best == NO:
        raise source.error(
            "neither the name nor the content of the file shows its format "
            f"(it begins with {source.opening[0][:60]!r})",
            1,
            [Hint("format")],
        )
    if len(names) > 1 and "text" in names and (same := _same_reading(source, names)):
        return same
    if len(names) > 1:
        kinds = " or ".join(f"{name} ({FORMATS[name].summary})" for name in names)
        raise source.error(
            f"{source.opening[0][:60]!r} may begin a file of {kinds}",
            1,
            [Hint("format", tuple(names))],
        )
    return names[0]


def _same_reading(source: Source, names: Iterable[str]) -> str | None:
    """Return the first of several formats, where all that can read a file read the same from it.

    A format that asks a question about the file may read it otherwise. Only texts of lists are
    tried: the rankings of another file may be the same by chance.
    """
    if len(source.data) > _MOST_TRIED:
        return None
    read: dict[str, Data] = {}
    asking: list[str] = []
    for name in names:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                read[name] = FORMATS[name].reader(source)
        except QuestionError:
            asking.append(name)
        except InputError:
            pass
        source.inspection = None
    able = [*read, *asking]
    if not able or (asking and len(able) > 1):
        return None
    same = all(read[name] == read[able[0]] for name in able[1:])
    return able[0] if same else None


# -- what a format can hold ----------------------------------------------------------------


def check_holds(data: Data, chosen: Format) -> None:
    """Refuse to write data that a format cannot hold, and name formats that can."""
    if isinstance(data, Pairwise):
        if not chosen.matrix:
            raise InputError(
                f"a matrix cannot be written as {chosen.name}, because its rankings are not "
                "known: write npz or lop"
            )
        return
    if chosen.matrix:
        return
    for what, is_held in _held(data, chosen).items():
        if not is_held:
            raise InputError(
                f"{chosen.name} cannot hold {what}, which these rankings have: write "
                f"{alternatives(data)}"
            )


def warn_of_voters(data: Data, chosen: Format, path: Path) -> None:
    """Warn if a file that was written will be read with another number of voters."""
    if isinstance(data, Pairwise) or chosen.matrix or chosen.voters:
        return
    is_whole = not (data.units % data.scale).any()
    # Tables have a ranking for each voter whose name is known.
    rankings = len(data) if "layout" in chosen.write_options else data.n_distinct
    kept = int(data.units.sum()) // data.scale if is_whole else rankings
    if kept != data.n_voters:
        message = (
            f"{chosen.name} cannot hold the number of voters: these rankings have "
            f"{data.n_voters:,}, and the file will be read with {kept:,}, which changes a "
            "bootstrap. Write json to keep it"
        )
        warnings.warn(InputWarning(message, path=path), stacklevel=3)


def _held(data: Rankings, chosen: Format) -> dict[str, bool]:
    """Return for each property of the rankings whether a format can hold it."""
    need: Weights = "repeats"
    weights = data.exact_weights
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
        "exact": "weights that are not decimals",
    }
    last = data.unranked == "last" and not chosen.unranked
    return {
        "ties": chosen.ties or not (data.has_ties if last else data.has_ranked_ties),
        "rankings that leave items out": (
            chosen.gaps or last or bool((data.lengths == data.n_items).all())
        ),
        kinds[need]: levels.index(need) <= levels.index(chosen.weights),
    }


def alternatives(data: Data) -> str:
    """Return the formats that can hold the data and the names of its items."""
    if isinstance(data, Pairwise):
        return "npz or lop"
    names = [
        entry.name
        for entry in all_formats().values()
        if entry.writer
        and entry.names
        and not entry.matrix
        # Without weights, a format refuses further data.
        and entry.weights != "repeats"
        and all(_held(data, entry).values())
    ]
    return " or ".join(", ".join(names).rsplit(", ", 1))


def check_options(given: dict[str, Any], known: tuple[str, ...], what: str) -> None:
    """Refuse options that a format does not take."""
    for option in given:
        if option not in known:
            # The command line has no unknown options, and not all that Python has.
            others = f"; the options are {', '.join(known)}" if known else ""
            raise SettingError(
                f"{option} is not an option for {what}{'' if option in READING else others}",
                setting=option,
            )
