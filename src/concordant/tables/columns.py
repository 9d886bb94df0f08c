"""What the columns of a table hold, from their names: long, wide, or a column per rank."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, get_args

from concordant._types import Item
from concordant.errors import Hint, InputError, SettingError, listed, show

Layout = Literal["auto", "long", "wide", "ballots"]
# The name of a column.
Name = Item

# Common names of such columns, the surest first. Names are compared in lower case and without
# blanks and punctuation; "" is the nameless index that pandas writes into a CSV file.
_ALIASES = {
    role: tuple(aliases.split(" "))
    for role, aliases in {
        "voter": "voter voterid ballot ballotid judge judgeid user userid ranker rankerid rater "
        "raterid respondent respondentid participant participantid elector castvoterecord cvr "
        "cvrnumber id index unnamed0 timestamp ",
        "item": "item itemid candidate candidateid alternative alternativeid option object",
        "rank": "rank ranking position place",
        "score": "score rating points",
        "weight": "weight weights count counts votes frequency freq multiplicity",
    }.items()
}
# Weights under these names are repeat counts: a row of count 5 stands for 5 ballots.
_COUNTS = {"count", "counts", "votes", "frequency", "freq", "multiplicity"}

# Columns of cast-vote files: "rank1", "Rank 1", "1st Choice", "Mayor - Choice 1 of 5". Columns that
# are numbered without the word rank may also be items ("Place 1", "Place 2"): see `Plan.doubtful`.
_RANKED = re.compile(
    r"\brank ?#? ?(\d{1,4})\b"
    r"|^(\d{1,4})(?:st|nd|rd|th)$"
    r"|\b(\d{1,4})(?:st|nd|rd|th) ?(?:choice|rank|preference|pref)\b"
)
_NUMBERED = re.compile(
    r"\b(?:choice|preference|pref|position|place) ?#? ?(\d{1,4})\b|\b(\d{1,4})(?:st|nd|rd|th)$"
)


class RowError(InputError):
    """A fault in one row of a table. Readers of files replace the row by the line.

    Example:
        >>> error = RowError("no voter", 2)
        >>> print(error), error.row, error.fault
        row 3: no voter
        (None, 2, 'no voter')
    """

    def __init__(self, fault: str, row: int, hints: Iterable[Hint] = ()) -> None:
        """Note what is wrong and in which row, counted from 0."""
        super().__init__(f"row {row + 1}: {fault}", hints=hints)
        self.fault = fault
        self.row = row


class LayoutError(RowError):
    """A row that does not fit the layout which was guessed for the table."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What the columns of a table hold.

    Attributes:
        layout: "long", "wide" or "ballots".
        voter, weight: Their columns, or None.
        item, rank: Their columns in a long table; `scored` where ranks are scores.
        columns: The columns of items (wide) or of ranks, best first (ballots).
        guessed: Whether the table is taken for wide only because no other layout fits.
        doubtful: Whether the columns of ballots have names that items may have too.
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

    def renamed(self, names: Mapping[str, str]) -> Plan:
        """Return the plan with other names of columns."""

        def new(name: Name | None) -> Name | None:
            return names.get(name, name) if isinstance(name, str) else name

        columns = tuple(new(name) for name in self.columns)
        single = {role: new(getattr(self, role)) for role in ("voter", "weight", "item", "rank")}
        return replace(self, columns=columns, **single)  # type: ignore[arg-type]

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
    """Find what the columns hold, from their names and from the arguments.

    Args:
        names: The names of the columns.
        layout: "long", "wide" or "ballots", or "auto".
        voter: The column of voters, where its name does not show it; so are the next ones.
        item: The column of items, in a long table.
        rank: The column of ranks, in a long table.
        score: The column of scores, in a long table.
        weight: The column of weights.
        items: All items. If all of them are names of columns, the table is wide.

    Raises:
        InputError: The columns do not fit any layout, or not the layout that was chosen.
        SettingError: The arguments do not fit each other.

    Example:
        >>> plan_columns(["Voter ID", "Candidate", "Position"]).layout
        'long'
        >>> plan_columns(["2nd choice", "1st choice", "precinct"]).columns
        ('1st choice', '2nd choice')
    """
    if layout not in get_args(Layout):
        raise SettingError(
            f"layout must be one of {', '.join(get_args(Layout))}, not {layout!r}",
            setting="layout",
        )
    known = set(names)
    given = {"voter": voter, "item": item, "rank": rank, "score": score, "weight": weight}
    for role, name in given.items():
        if name is not None and name not in known:
            raise InputError(f"there is no column {show(name)} for the {role}: {_listing(names)}")
        if name is not None and role in ("item", "rank", "score") and layout in ("wide", "ballots"):
            raise SettingError(
                f"{role} is only for the long layout, not for {layout}", setting=role
            )
    if rank is not None and score is not None:
        raise SettingError("give rank (1 is best) or score (the highest is best), not both")
    if len(known) < len(names):
        twice = next(name for number, name in enumerate(names) if name in names[:number])
        raise InputError(f"two columns are named {show(twice)}: rename one")

    says_long = layout == "long" or any(
        given[role] is not None for role in ("item", "rank", "score")
    )
    # In a wide table the items are columns, whatever their names.
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
    """Add to the given roles those that the names of the columns show."""
    roles = dict(given)
    taken = {name for name in given.values() if name is not None} | set(columns)
    keys = {name: _key(name) for name in names if isinstance(name, str)}
    for role, aliases in _ALIASES.items():
        if roles[role] is not None or (role == "score" and roles["rank"] is not None):
            continue
        if role == "rank" and roles["score"] is not None:
            continue
        free = {name: key for name, key in keys.items() if name not in taken}
        # The exact name first, so that an item may be called "Voter" beside a column "voter".
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
    """Return whether weights in a column of this name are repeat counts.

    Example:
        >>> is_count("Count"), is_count("weight")
        (True, False)
    """
    return isinstance(name, str) and _key(name) in _COUNTS


def _plan_long(names: Sequence[Name], roles: dict[str, Name | None]) -> Plan:
    rank = roles["rank"] if roles["rank"] is not None else roles["score"]
    for role, name in (("voter", roles["voter"]), ("item", roles["item"]), ("rank", rank)):
        if name is None:
            settings = ("rank", "score") if role == "rank" else (role,)
            raise InputError(
                f"a long table needs a column for the {role}: name it "
                f"{' or '.join(map(repr, settings))}; {_listing(names)}",
                hints=[Hint(setting, purpose="to choose a column") for setting in settings],
            )
    return Plan(
        "long", roles["voter"], roles["weight"], roles["item"], rank, scored=roles["rank"] is None
    )


def _rank_columns(names: Sequence[Name]) -> list[tuple[int, bool, str]]:
    """Return the columns of a cast-vote file: (rank, whether that is sure, name), best first."""
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
                "keep only the columns of one contest"
            )
    return found


def _listing(names: Sequence[Name]) -> str:
    return f"the columns are {listed(names)}"
