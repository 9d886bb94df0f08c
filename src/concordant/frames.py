"""Rankings from tables: finding out what the columns hold, and turning them into arrays.

Frames of pandas, polars and whatever else narwhals takes come in here; so do the columns that
`concordant.formats.tables` reads from files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any, Literal, NamedTuple, get_args

import narwhals as nw
import numpy as np
import numpy.typing as npt
import polars as pl

from concordant._kernels.tables import arrange, number_keys
from concordant._types import Int32, Int64
from concordant.errors import InputError, SettingError
from concordant.rankings import Item, Rankings, Unranked, check_unranked

Layout = Literal["auto", "long", "wide", "ballots"]
Name = Hashable
# A column: a polars series, or a list where values are of a kind that polars cannot hold.
Values = pl.Series | list[Any]
Float64 = npt.NDArray[np.float64]

# How people name such columns, the surest name first. A name is compared in lower case and
# without blanks and punctuation; "" is the nameless index that pandas writes into a CSV file.
_ALIASES = {
    role: tuple(aliases.split(" "))
    for role, aliases in {
        "voter": "voter voterid ballot ballotid judge judgeid user userid ranker rankerid rater "
        "raterid respondent respondentid participant participantid elector castvoterecord cvr "
        "cvrnumber id index unnamed0 ",
        "item": "item itemid candidate candidateid alternative alternativeid option object",
        "rank": "rank ranking position place",
        "score": "score rating points",
        "weight": "weight weights count counts votes frequency freq multiplicity",
    }.items()
}
# Weights under these names are repeat counts: a row of count 5 stands for five ballots.
_COUNTS = {"count", "counts", "votes", "frequency", "freq", "multiplicity"}

# Columns of cast-vote files: "rank1", "Rank 1", "1st Choice", "Mayor - Choice 1 of 5". Those that
# are numbered without the word rank might as well be items ("Place 1", "Place 2"): see `Plan`.
_RANKED = re.compile(
    r"\brank ?#? ?(\d{1,4})\b"
    r"|^(\d{1,4})(?:st|nd|rd|th)$"
    r"|\b(\d{1,4})(?:st|nd|rd|th) ?(?:choice|rank|preference|pref)\b"
)
_NUMBERED = re.compile(
    r"\b(?:choice|preference|pref|position|place) ?#? ?(\d{1,4})\b|\b(\d{1,4})(?:st|nd|rd|th)$"
)

# What cast-vote files write in place of a candidate.
_NO_VOTES = {"", "skipped", "undervote", "overvote"}
# What stands for a missing number, in lower case: R writes NA, Weka a question mark.
_MISSING = {"", "na", "n/a", "nan", "null", "none", "?", "-"}
# Bounded, because a fraction of 1e999999999 would be computed digit by digit.
_WEIGHT = re.compile(r"[+-]?(\d{1,40}/\d{1,40}|(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,2})?)")
_INTEGERS = (pl.Int8, pl.Int16, pl.Int32, pl.Int64, pl.UInt8, pl.UInt16, pl.UInt32)
# Below this, every integer has a float of its own.
_EXACT_FLOAT = 2**53


class RowError(InputError):
    """A fault in one row of a table; readers of files turn the row into a line.

    Example:
        >>> error = RowError("no voter", 2)
        >>> print(error), error.row, error.fault
        row 3: no voter
        (None, 2, 'no voter')
    """

    def __init__(self, fault: str, row: int) -> None:
        """Say what is wrong in which row, counted from 0."""
        super().__init__(f"row {row + 1}: {fault}")
        self.fault = fault
        self.row = row


def rankings_from_frame(
    frame: Any,
    *,
    voter: Name | None = None,
    item: Name | None = None,
    rank: Name | None = None,
    score: Name | None = None,
    weight: Name | None = None,
    layout: Layout = "auto",
    unranked: Unranked = "unknown",
    items: Iterable[Item] | None = None,
) -> Rankings:
    """Make rankings from a pandas, polars or pyarrow table.

    The layout is found from the names of the columns, in upper or lower case:

    - `long`: a row per voter and item, in columns `voter`, `item` and `rank` (1 = best; equal
      ranks tie) or `score` (highest = best). A missing rank says that the voter did not rank
      the item; a voter without any rank has an empty ballot.
    - `wide`: a row per voter and a column per item, holding ranks; 0 or a missing rank says
      that the item is not ranked.
    - `ballots`: a row per ballot and a column per rank (`rank1`, `Rank 2`, `3rd choice` …),
      holding items, as cast-vote files have them. A missing, "skipped" or "undervote" cell is
      passed over; an "overvote" ends the ballot. Other columns are ignored.

    Each may have a column of weights: `weight`, or `count` and the like for repeat counts,
    which then also count as that many rankings. In a long table a voter's weight is the same
    in all rows. In the other two each row is a ranking, and voters only appear in errors.
    Rows are counted from 1 in errors.

    Args:
        frame: The table. Lazy ones must be collected first.
        voter: The column that tells voters apart, where its name does not say so.
        item: The column of items (long).
        rank: The column of ranks (long).
        score: The column of scores, in place of `rank` (long).
        weight: The column of weights.
        layout: "long", "wide" or "ballots", where the columns do not tell.
        unranked: What leaving an item out means, "unknown" or "last".
        items: All items, in the order that numbers them (wide: the columns to take). By
            default those that occur, in order of appearance. Numbers stay numbers.

    Example:
        >>> import polars as pl
        >>> long = pl.DataFrame(
        ...     {"voter": [1, 1, 2, 2], "item": ["a", "b", "b", "a"], "rank": [1, 2, 1, 1]}
        ... )
        >>> rankings_from_frame(long)
        Rankings(2 items, 2 rankings, ties)
        >>> wide = pl.DataFrame({"a": [1, 2], "b": [2, 1], "c": [None, 3], "count": [30, 1]})
        >>> rankings_from_frame(wide)
        Rankings(3 items, 31 rankings, partial)
        >>> cast = pl.DataFrame({"1st choice": ["a", "c"], "2nd choice": ["b", "skipped"]})
        >>> [ranking for ranking, weight in rankings_from_frame(cast)]
        [[('a',), ('b',)], [('c',)]]
    """
    try:
        table = nw.from_native(frame, eager_only=True)
        names = list(table.columns)
    except TypeError:
        raise InputError(
            f"a {type(frame).__name__} is not a table that can be read: give a data frame of "
            "pandas or polars (a lazy one must be collected first)"
        ) from None
    except nw.exceptions.DuplicateError:
        raise InputError("two columns of the frame have the same name: rename one") from None
    listed = None if items is None else list(items)
    plan = plan_columns(
        names,
        layout=layout,
        voter=voter,
        item=item,
        rank=rank,
        score=score,
        weight=weight,
        items=listed,
    )
    return build(
        plan,
        lambda name: _from_narwhals(table.get_column(name)),
        len(table),
        items=listed,
        unranked=unranked,
    )


# -- what the columns are ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Plan:
    """What the columns of a table hold.

    Attributes:
        layout: "long", "wide" or "ballots".
        voter, weight: Their columns, where there are any.
        item, rank: Their columns in a long table; `scored` when ranks are scores.
        columns: The columns of items (wide) or of ranks, best first (ballots).
        guessed: Nothing but the lack of other signs says that the table is wide.
        doubtful: The columns of ballots are named as items might be.
    """

    layout: str
    voter: Name | None = None
    weight: Name | None = None
    item: Name | None = None
    rank: Name | None = None
    scored: bool = False
    columns: tuple[Name, ...] = ()
    guessed: bool = False
    doubtful: bool = False

    @property
    def used(self) -> list[Name]:
        """All columns that are read."""
        single = (self.voter, self.item, self.rank, self.weight)
        return [name for name in single if name is not None] + list(self.columns)

    @property
    def numeric(self) -> set[Name]:
        """The columns of ranks and scores."""
        if self.layout == "long":
            return {self.rank}
        return set(self.columns) if self.layout == "wide" else set()


def plan_columns(
    names: Sequence[Name],
    *,
    layout: str = "auto",
    voter: Name | None = None,
    item: Name | None = None,
    rank: Name | None = None,
    score: Name | None = None,
    weight: Name | None = None,
    items: Sequence[Item] | None = None,
) -> Plan:
    """Tell from the columns' names, and from what the caller says, what they hold.

    Example:
        >>> plan_columns(["Voter ID", "Candidate", "Position"]).layout
        'long'
        >>> plan_columns(["2nd choice", "1st choice", "precinct"]).columns
        ('1st choice', '2nd choice')
    """
    if layout not in get_args(Layout):
        raise SettingError(f"layout must be one of {', '.join(get_args(Layout))}, not {layout!r}")
    known = set(names)
    given = {"voter": voter, "item": item, "rank": rank, "score": score, "weight": weight}
    for role, name in given.items():
        if name is not None and name not in known:
            raise InputError(f"there is no column {show(name)} for {role}=: {_listing(names)}")
        if name is not None and role in ("item", "rank", "score") and layout in ("wide", "ballots"):
            raise SettingError(f"{role}= goes with the long layout, not with layout={layout!r}")
    if rank is not None and score is not None:
        raise SettingError("give rank= (lowest is best) or score= (highest is best), not both")
    if len(known) < len(names):
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise InputError(f"two columns are named {show(twice)}: rename one")

    says_long = layout == "long" or any(
        given[role] is not None for role in ("item", "rank", "score")
    )
    # In a wide table the caller's items are columns, whatever they are called.
    chosen = [] if items is None or says_long or layout == "ballots" else list(items)
    missing = [name for name in chosen if name not in known]
    if missing and layout == "wide":
        raise InputError(f"there is no column for item {show(missing[0])}: {_listing(names)}")
    chosen = [] if missing else chosen
    roles = _find_roles(names, given, chosen)

    if not chosen and layout in ("auto", "long"):
        ranked = roles["rank"] is not None or roles["score"] is not None
        if says_long or (roles["item"] is not None and ranked):
            return _plan_long(names, roles)
    rest = [name for name in names if name not in (roles["voter"], roles["weight"])]
    if not chosen and layout in ("auto", "ballots"):
        numbered = _rank_columns(rest)
        if numbered or layout == "ballots":
            return Plan(
                "ballots",
                roles["voter"],
                roles["weight"],
                columns=tuple(name for _, _, name in numbered) or tuple(rest),
                doubtful=layout == "auto" and not all(sure for _, sure, _ in numbered),
            )
    rest = chosen or rest
    if not rest:
        raise InputError(f"there is no column of items or ranks: {_listing(names)}")
    return Plan(
        "wide",
        roles["voter"],
        roles["weight"],
        columns=tuple(rest),
        guessed=layout == "auto" and not chosen,
    )


def _find_roles(
    names: Sequence[Name], given: dict[str, Name | None], columns: Sequence[Name]
) -> dict[str, Name | None]:
    """Complete what the caller says by what the columns are called."""
    roles = dict(given)
    taken = {name for name in given.values() if name is not None} | set(columns)
    keys = {name: _key(name) for name in names if isinstance(name, str)}
    for role, aliases in _ALIASES.items():
        if roles[role] is not None or (role == "score" and roles["rank"] is not None):
            continue
        if role == "rank" and roles["score"] is not None:
            continue
        free = {name: key for name, key in keys.items() if name not in taken}
        # The very name first, so that an item may be called "Voter" beside a column "voter".
        matches = [role] if role in free else []
        matches += [name for alias in aliases for name, key in free.items() if key == alias]
        if matches:
            roles[role] = matches[0]
            taken.add(matches[0])
    return roles


def _key(name: str) -> str:
    if not name.strip():
        return ""
    return re.sub(r"[\W_]+", "", name.casefold()) or name


def is_count(name: Name) -> bool:
    """Tell whether weights in a column of this name are repeat counts.

    Example:
        >>> is_count("Count"), is_count("weight")
        (True, False)
    """
    return isinstance(name, str) and _key(name) in _COUNTS


def _plan_long(names: Sequence[Name], roles: dict[str, Name | None]) -> Plan:
    rank = roles["rank"] if roles["rank"] is not None else roles["score"]
    for role, name in (("voter", roles["voter"]), ("item", roles["item"]), ("rank", rank)):
        if name is None:
            kind = "rank' or 'score" if role == "rank" else role
            raise InputError(
                f"a long table needs a column for the {role}: name it '{kind}', or say which it "
                f"is with {role}=; {_listing(names)}"
            )
    return Plan(
        "long", roles["voter"], roles["weight"], roles["item"], rank, scored=roles["rank"] is None
    )


def _rank_columns(names: Sequence[Name]) -> list[tuple[int, bool, str]]:
    """Find the columns of a cast-vote file: (rank, whether that is sure, name), best first."""
    found = []
    for name in names:
        if not isinstance(name, str):
            continue
        text = re.sub(r"[\s_.\-]+", " ", name.casefold()).strip()
        sure = _RANKED.search(text)
        match = sure or _NUMBERED.search(text)
        if match:
            number = next(group for group in match.groups() if group is not None)
            found.append((int(number), sure is not None, name))
    found.sort(key=lambda column: column[0])
    for (number, _, name), (following, _, other) in pairwise(found):
        if number == following:
            raise InputError(
                f"columns {show(name)} and {show(other)} both hold rank {number}: "
                "keep the columns of one contest only"
            )
    return found


def _listing(names: Sequence[Name]) -> str:
    shown = ", ".join(show(name) for name in names[:10])
    return f"the columns are {shown}{', …' if len(names) > 10 else ''}"


def show(value: object) -> str:
    """Show a name in an error message, shortened where it is very long.

    Example:
        >>> show("a"), show("a" * 100)
        ("'a'", "'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…")
    """
    text = repr(value.to_list() if isinstance(value, pl.Series) else value)
    return text if len(text) <= 60 else f"{text[:59]}…"


# -- from columns to rankings --------------------------------------------------------------


def build(
    plan: Plan,
    column: Callable[[Any], Values],
    n_rows: int,
    *,
    items: Sequence[Item] | None = None,
    unranked: Unranked = "unknown",
) -> Rankings:
    """Make rankings from the columns that a plan names.

    Args:
        plan: What the columns hold.
        column: Returns the values of a column.
        n_rows: How many rows there are.
        items: All items, or None for those that occur.
        unranked: What leaving an item out means.

    Raises:
        RowError: When a row cannot be used.

    Example:
        >>> columns = {"rank1": pl.Series(["a", "b"]), "rank2": pl.Series(["b", None])}
        >>> build(plan_columns(list(columns)), columns.__getitem__, 2)
        Rankings(2 items, 2 rankings, partial)
    """
    check_unranked(unranked)
    makers = {"long": _build_long, "wide": _build_wide, "ballots": _build_ballots}
    names, arrays, weights = makers[plan.layout](plan, column, n_rows, items)
    counted = weights is not None and weights.dtype.kind == "i" and is_count(plan.weight)
    return Rankings.from_arrays(
        names,
        *arrays,
        weights,
        n_rankings=sum(weights.tolist()) if weights is not None and counted else None,
        unranked=unranked,
    )


# Item names; offsets, members and buckets; weights.
_Built = tuple[Sequence[Item], tuple[Int64, Int32, Int32], npt.NDArray[Any] | None]


def _build_long(
    plan: Plan, column: Callable[[Any], Values], n_rows: int, items: Sequence[Item] | None
) -> _Built:
    voter_values = column(plan.voter)
    voters, first_rows = _number_voters(voter_values, plan.voter)
    numbered = _number(column(plan.item), "an item")
    names, codes = _fit(numbered, items)
    ranks = _ranks(column(plan.rank), plan.rank)
    wrong = np.isinf(ranks) if plan.scored else (ranks <= 0) | np.isinf(ranks)
    if wrong.any():
        row = int(np.argmax(wrong))
        must = "a score must be finite" if plan.scored else "ranks begin at 1, the best"
        raise RowError(
            f"{show(plan.rank)} is {ranks[row]:g}, but {must}; leave the cell empty where the "
            "voter did not rank the item",
            row,
        )
    itemless = (codes < 0) & ~np.isnan(ranks)
    if itemless.any():
        row = int(np.argmax(itemless))
        raise RowError(f"there is a rank but no item in column {show(plan.item)}", row)

    weights = None
    if plan.weight is not None:
        each = _weights(column(plan.weight), plan.weight)
        weights = each[first_rows]
        differs = each != weights[voters]
        if differs.any():
            row = int(np.argmax(differs))
            raise RowError(
                f"voter {show(voter_values[row])} has weight {each[row]} here and "
                f"{weights[voters[row]]} in an earlier row: give one weight a voter",
                row,
            )
    if plan.scored:
        ranks = -ranks
    voter, twice, arrays = arrange(voters, codes, ranks, first_rows.size, len(names))
    if voter >= 0:
        row = int(np.flatnonzero((voters == voter) & (codes == twice))[1])
        raise RowError(f"voter {show(voter_values[row])} has item {show(names[twice])} twice", row)
    return names, arrays, weights


def _build_wide(
    plan: Plan, column: Callable[[Any], Values], n_rows: int, items: Sequence[Item] | None
) -> _Built:
    ranks = np.empty((n_rows, len(plan.columns)))
    for number, name in enumerate(plan.columns):
        try:
            ranks[:, number] = _ranks(column(name), name)
        except RowError as error:
            if not plan.guessed:
                raise
            raise RowError(
                f"{error.fault}, so the layout cannot be told. For a column of ranks per item "
                f"(wide), leave {show(name)} out, or name it voter where it says who votes; else "
                "name the columns voter, item and rank (long) or rank1, rank2, … (ballots)",
                error.row,
            ) from None
    wrong = (ranks < 0) | np.isinf(ranks)
    if wrong.any():
        row, number = (int(index) for index in np.argwhere(wrong)[0])
        raise RowError(
            f"{show(plan.columns[number])} is {ranks[row, number]:g}, but ranks begin at 1, the "
            "best; leave the cell empty, or 0, where the voter did not rank the item",
            row,
        )
    weights = None if plan.weight is None else _weights(column(plan.weight), plan.weight)
    rows, codes = np.nonzero(ranks > 0)
    _, _, arrays = arrange(
        rows.astype(np.int32), codes.astype(np.int32), ranks[rows, codes], *ranks.shape
    )
    return plan.columns, arrays, weights


def _build_ballots(
    plan: Plan, column: Callable[[Any], Values], n_rows: int, items: Sequence[Item] | None
) -> _Built:
    cells = [column(name) for name in plan.columns]
    if plan.doubtful and not any(isinstance(_as_numbers(values), int) for values in cells):
        raise InputError(
            f"cannot tell whether {show(plan.columns[0])} holds the items at a rank or the ranks "
            "of an item: pass layout='ballots' or layout='wide'"
        )
    numbered = _number_rows(cells, n_rows)
    codes = numbered.codes.reshape(n_rows, len(cells))
    special = np.array([is_no_vote(name) for name in numbered.names] + [False])
    over = np.array([_is_overvote(name) for name in numbered.names] + [False])
    # What follows an overvote is not counted: -1 stands for nothing, as for an empty cell.
    codes[special[codes] | np.logical_or.accumulate(over[codes], axis=1)] = -1
    if items is None:
        items = [name for name in numbered.names if not is_no_vote(name)]
    names, flat = _fit(numbered, items, len(cells))

    weights = None if plan.weight is None else _weights(column(plan.weight), plan.weight)
    rows = np.repeat(np.arange(n_rows, dtype=np.int32), len(cells))
    ranks = np.tile(np.arange(1.0, len(cells) + 1), n_rows)
    row, twice, arrays = arrange(rows, flat, ranks, n_rows, len(names))
    if row >= 0:
        who = "" if plan.voter is None else f"voter {show(column(plan.voter)[row])}: "
        raise RowError(f"{who}item {show(names[twice])} is ranked twice", int(row))
    return names, arrays, weights


def is_no_vote(name: Name) -> bool:
    """Tell whether a cast-vote file means no candidate by this name.

    Example:
        >>> is_no_vote("Skipped"), is_no_vote("overvote"), is_no_vote(" "), is_no_vote("Ann")
        (True, True, True, False)
    """
    return isinstance(name, str) and name.strip().casefold() in _NO_VOTES


def _is_overvote(name: Name) -> bool:
    return isinstance(name, str) and name.strip().casefold() == "overvote"


def _number_rows(cells: list[Values], n_rows: int) -> _Numbered:
    """Number the values of several columns, row by row: as ballots name the items."""
    index: dict[Any, int] = {}
    codes = np.empty((n_rows, len(cells)), np.int32)
    for place, values in enumerate(cells):
        column = _number(values, "an item")
        known = [index.setdefault(name, len(index)) for name in column.names]
        codes[:, place] = np.array([*known, -1], np.int32)[column.codes]
    present = np.flatnonzero(codes >= 0)
    found = codes.ravel()[present]
    by_row, first = number_keys(found.astype(np.uint64))
    codes.ravel()[present] = by_row
    names = list(index)
    return _Numbered(codes.ravel(), [names[code] for code in found[first]], present[first])


# -- values to numbers ---------------------------------------------------------------------


class _Numbered(NamedTuple):
    """A column in numbers: `names[codes[row]]` is its value, and -1 stands for none."""

    codes: Int32
    names: list[Any]
    first_rows: Int64


def _number(values: Values, what: str) -> _Numbered:
    """Number the different values of a column in the order of their appearance."""
    values = _for_names(values)
    if isinstance(values, list):
        return _number_objects(values, what)
    present = np.arange(len(values))
    if values.null_count():
        present = values.is_not_null().arg_true().to_numpy().astype(np.int64)
        codes = np.full(len(values), -1, np.int32)
        kept = values.gather(present)
        found, first_rows = _codes(kept)
        codes[present] = found
    else:
        kept = values
        codes, first_rows = _codes(values)
    return _Numbered(codes, kept.gather(first_rows).to_list(), present[first_rows])


def _number_voters(values: Values, name: Name | None) -> tuple[Int32, Int64]:
    """Number the voters of the rows, with the first row of each."""
    values = _for_names(values)
    if isinstance(values, list) or values.null_count():
        numbered = _number(values, "a voter")
        if (numbered.codes < 0).any():
            row = int(np.argmax(numbered.codes < 0))
            raise RowError(f"there is no voter in column {show(name)}", row)
        return numbered.codes, numbered.first_rows
    # Rows of one voter mostly stand together: a run of them needs one look-up.
    changes = (values[1:] != values[:-1]).arg_true().to_numpy().astype(np.int64) + 1
    if 2 * changes.size > len(values):
        return _codes(values)
    starts = np.concatenate([np.zeros(min(1, len(values)), np.int64), changes])
    codes, first_runs = _codes(values.gather(starts))
    return np.repeat(codes, np.diff(np.append(starts, len(values)))), starts[first_runs]


def _for_names(values: Values) -> Values:
    """Reduce a column to text or integers where that names the same things, else to a list."""
    if isinstance(values, list):
        return values
    if values.dtype == pl.String or values.dtype in _INTEGERS:
        # In one piece, values are looked up several times as fast.
        return values.rechunk()
    if isinstance(values.dtype, pl.Categorical | pl.Enum):
        return values.cast(pl.String)
    if values.dtype.is_float():
        # pandas turns integers with gaps into floats: whole numbers are taken as integers.
        values = values.fill_nan(None)
        if bool(((values == values.round()) & (values.abs() < _EXACT_FLOAT)).all()):
            return values.cast(pl.Int64)
    return values.to_list()


def _codes(values: pl.Series) -> tuple[Int32, Int64]:
    """Number the values of a series without gaps: a code each, the first row of each code."""
    is_text = values.dtype == pl.String
    keys = _hashes(values) if is_text else values.cast(pl.Int64).to_numpy().view(np.uint64)
    codes, first_rows = number_keys(keys)
    # Two texts may share a hash, so each text is compared with the one it was taken for.
    if not is_text or bool((values.gather(first_rows)[codes] == values).all()):
        return codes, first_rows
    numbered = _number_objects(values.to_list(), "a name")
    return numbered.codes, numbered.first_rows


def _hashes(values: pl.Series) -> npt.NDArray[np.uint64]:
    return values.hash().to_numpy()


def _number_objects(values: list[Any], what: str) -> _Numbered:
    index: dict[Any, int] = {}
    first_rows: list[int] = []
    codes = np.full(len(values), -1, np.int32)
    for row, value in enumerate(values):
        if value is None or value != value:
            continue
        try:
            code = index.setdefault(value, len(index))
        except TypeError:
            raise RowError(f"{show(value)} cannot name {what} (it is not hashable)", row) from None
        if code == len(first_rows):
            first_rows.append(row)
        codes[row] = code
    return _Numbered(codes, list(index), np.array(first_rows, np.int64))


def _fit(
    numbered: _Numbered, items: Sequence[Item] | None, width: int = 1
) -> tuple[Sequence[Item], Int32]:
    """Renumber items as the caller lists them; a row holds `width` of the codes."""
    if items is None:
        return numbered.names, numbered.codes
    index = {item: number for number, item in enumerate(items)}
    known = np.array([index.get(name, -1) for name in numbered.names] + [-1], np.int32)
    codes = known[numbered.codes]
    unknown = (codes < 0) & (numbered.codes >= 0)
    if unknown.any():
        place = int(np.argmax(unknown))
        name = numbered.names[numbered.codes[place]]
        raise RowError(f"item {show(name)} is not among items=", place // width)
    return items, codes


def _ranks(values: Values, name: Name | None) -> Float64:
    """Return a column of ranks or scores as floats, NaN where there is none."""
    numbers = _as_numbers(values)
    if not isinstance(numbers, int):
        return numbers
    raise RowError(f"{show(name)} is {show(values[numbers])}, which is not a number", numbers)


def _as_numbers(values: Values) -> Float64 | int:
    """Return a column as floats, NaN where empty, or the first row that is not a number."""
    if isinstance(values, list) or isinstance(values.dtype, pl.Categorical | pl.Enum | pl.Boolean):
        values = pl.Series(
            [None if value is None else str(value) for value in values], dtype=pl.String
        )
    if values.dtype == pl.String:
        text = values.str.strip_chars()
        text = text.set(text.str.to_lowercase().is_in(list(_MISSING)), None)
        numbers = text.cast(pl.Float64, strict=False)
        bad = numbers.is_null() & text.is_not_null()
        if bad.any():
            return int(bad.arg_true()[0])
        values = numbers
    if values.dtype.is_integer() and bool((values.abs() >= _EXACT_FLOAT).any()):
        # As floats, two of them might become equal: their order and signs are all that count.
        order = values.rank("dense").cast(pl.Int64)
        values = order - order.filter(values <= 0).unique().len()
    try:
        floats = values.cast(pl.Float64)
    except pl.exceptions.PolarsError:
        return int(values.is_not_null().arg_true()[0])
    return floats.fill_null(float("nan")).to_numpy()


def _weights(values: Values, name: Name) -> npt.NDArray[Any]:
    """Return a column of weights: integers, floats, or fractions where floats are not exact."""
    if isinstance(values, pl.Series) and values.dtype == pl.String:
        # Short decimals are what floats print as, so nothing is lost and much time is won.
        text = values.str.strip_chars()
        if text.str.contains(r"^[0-9]{1,18}$").all():
            values = text.cast(pl.Int64)
        elif text.str.contains(r"^[0-9]{1,7}(\.[0-9]{1,7})?$").all():
            values = text.cast(pl.Float64)
    if isinstance(values, pl.Series) and values.dtype in (*_INTEGERS, pl.Float32, pl.Float64):
        filled = values.cast(pl.Float64 if values.dtype.is_float() else pl.Int64)
        missing = filled.is_null().to_numpy()
        weights: npt.NDArray[Any] = filled.fill_null(0).to_numpy()
        if filled.dtype == pl.Float64:
            missing = missing | ~np.isfinite(weights)
    else:
        weights, missing = _exact_weights(values)
    wrong = missing | np.less(weights, 0).astype(bool)
    if wrong.any():
        row = int(np.argmax(wrong))
        value = values[row]
        if value is None:
            raise RowError(f"there is no weight in column {show(name)}", row)
        raise RowError(
            f"weight {show(value)} in column {show(name)} must be a number, 0 or more", row
        )
    return weights


def _exact_weights(values: Values) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    """Read weights of any kind exactly, and tell which are none."""
    numbered = _number(values, "a weight")
    read = [*(_fraction(str(name).strip().casefold()) for name in numbered.names), None]
    exact = [Fraction(0) if value is None else value for value in read]
    if all(value.denominator == 1 and abs(value.numerator) < 2**62 for value in exact):
        table = np.array([value.numerator for value in exact], np.int64)
    else:
        table = np.array(exact, object)
    return table[numbered.codes], np.array([value is None for value in read])[numbered.codes]


def _fraction(text: str) -> Fraction | None:
    try:
        return Fraction(text) if _WEIGHT.fullmatch(text) else None
    except ZeroDivisionError:
        return None


def _from_narwhals(series: nw.Series[Any]) -> Values:
    """Return a column as polars holds it, without the help of pyarrow."""
    native = series.to_native()
    if isinstance(native, pl.Series):
        return native
    if series.dtype.is_numeric():
        array = series.to_numpy()
        if array.dtype.kind in "iuf":
            numbers = pl.Series(np.ascontiguousarray(array))
            return numbers.fill_nan(None) if array.dtype.kind == "f" else numbers
    values = [
        None if missing else value.item() if isinstance(value, np.generic) else value
        for value, missing in zip(series.to_list(), series.is_null().to_list(), strict=True)
    ]
    kinds = {type(value) for value in values if value is not None}
    try:
        if kinds <= {str}:
            return pl.Series(values, dtype=pl.String)
        if kinds == {int}:
            return pl.Series(values, dtype=pl.Int64)
    except (UnicodeEncodeError, OverflowError, TypeError):
        # Half characters and huge integers name items as well as any others.
        return values
    return values
