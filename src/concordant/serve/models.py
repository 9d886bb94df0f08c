"""The requests and answers of the HTTP API; its OpenAPI document is made from them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, model_validator

from concordant._reading import FIELDS
from concordant.formats import all_formats

if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[tuple(all_formats())]
Unranked = Literal["unknown", "last"]
State = Literal["queued", "running", "done", "cancelled", "failed"]
Phase = Literal["starting", "reading", "compiling", "searching", "resampling"]
Plot = Literal["positions", "pairwise", "agreement", "bump", "bootstrap"]
Picture = Literal["png", "svg"]
Number = int | float
_LARGEST_SEED = 2**63 - 1
# A list of many columns is long.
LONGEST_OPTION = 5_000
CONSTRAINTS = {"before", "first", "last", "groups_in_order"}
_MOST_NAMES = 2_000
_Name = Annotated[str, Field(max_length=1_000)]
_Names = Annotated[list[_Name], Field(max_length=_MOST_NAMES)]
_NumberOfTiers = Annotated[int, Field(ge=1, le=100_000)]
_SizesOfTiers = Annotated[str, Field(pattern=r"^[1-9][0-9]{0,4}(,[1-9][0-9]{0,4}){0,999}$")]


if TYPE_CHECKING:

    class Reading(BaseModel):
        """The options for reading a file: a field for each of `FIELDS`."""

else:
    _fields: dict[str, Any] = {
        option.name: (
            (FormatName if option.name == "format" else option.type) | None,
            Field(
                default=None,
                description=option.help,
                max_length=None if option.choices or option.name == "format" else LONGEST_OPTION,
            ),
        )
        for option in FIELDS.values()
    }
    Reading = create_model(
        "Reading",
        __config__=ConfigDict(extra="forbid"),
        __doc__="How to read a file; without these, its name and content show it.",
        **_fields,
    )


class ReadingForm(Reading):
    """The options for reading a file, as a browser sends them: an empty field is not set."""

    @model_validator(mode="before")
    @classmethod
    def _without_empty(cls, given: Any) -> Any:
        # Some releases of FastAPI do this themselves.
        if isinstance(given, Mapping):
            return {name: value for name, value in given.items() if value != ""}
        return given


class Text(Reading):
    """Rankings as text."""

    text: str = Field(description="The content of a file of rankings.", min_length=1)
    name: str = Field(
        default="",
        max_length=255,
        description="A file name. Its end gives the format, and the report shows the name.",
    )


class Search(BaseModel):
    """How to search."""

    time_limit: float | None = Field(
        default=None, gt=0, description="The time limit of the search in seconds; 10 by default."
    )
    seed: int = Field(
        default=0, ge=0, le=_LARGEST_SEED, description="The random seed of the search."
    )
    bootstrap: int = Field(
        default=0,
        ge=0,
        description="The number of bootstrap samples; 0 leaves the bootstrap out.",
    )
    ties: bool = Field(default=False, description="Find the best answer with ties: tiers of items.")
    tie_penalty: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="What a vote that orders a pair charges an answer that ties it; by default "
        "0.5.",
    )
    vote_tie_penalty: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description="What a vote that ties a pair charges an answer that orders it; by default "
        "the same as `tie_penalty`.",
    )
    tiers: _NumberOfTiers | _SizesOfTiers | None = Field(
        default=None, description="The number of tiers, or their sizes, best first: '3,4,10'."
    )

    @property
    def tie_settings(self) -> dict[str, Any]:
        """The settings of an answer with ties, as `aggregate` takes them; empty without ties."""
        tiers: Any = self.tiers
        if isinstance(tiers, str):
            sizes = [int(size) for size in tiers.split(",")]
            tiers = sizes if "," in tiers else sizes[0]
        given = {
            "ties": self.ties or None,
            "tie_penalty": self.tie_penalty,
            "vote_tie_penalty": self.vote_tie_penalty,
            "tiers": tiers,
        }
        return {name: value for name, value in given.items() if value is not None}


class Rules(BaseModel):
    """What to leave out of the rankings, and rules that the answer must keep."""

    without_items: _Names = Field(default=[], description="Items to leave out.")
    without_voters: _Names = Field(default=[], description="Voters to leave out, by name.")
    before: Annotated[list[tuple[_Name, _Name]], Field(max_length=_MOST_NAMES)] = Field(
        default=[], description="Pairs of items: the first must be before the second."
    )
    first: _Names = Field(default=[], description="Items that must be before all others.")
    last: _Names = Field(default=[], description="Items that must be behind all others.")
    groups_in_order: Annotated[list[_Names], Field(max_length=_MOST_NAMES)] = Field(
        default=[], description="Groups of items: each must be before the next."
    )

    @property
    def left_out(self) -> dict[str, Any]:
        """The items and voters to leave out; empty if there are none."""
        return self.model_dump(include={"without_items", "without_voters"}, exclude_defaults=True)

    @property
    def constraints(self) -> dict[str, Any]:
        """The rules that the answer must keep, as `aggregate` takes them; empty without any."""
        return self.model_dump(include=CONSTRAINTS, exclude_defaults=True)


class Hint(BaseModel):
    """A field of the request that would solve a problem."""

    setting: str = Field(description="The name of the field.")
    values: list[str] = Field(description="Values that would help; empty if only you know one.")
    purpose: str = Field(default="", description="When to choose it, or what it does.")


class Submission(Search, Rules, Text):
    """Rankings as text, and how to search."""


class Change(Rules):
    """What to change for another answer to the same rankings."""

    unranked: Unranked | None = Field(
        default=None, description="What leaving an item out means; by default as before."
    )
    ties: bool | None = Field(
        default=None, description="Whether the answer may have ties; by default as before."
    )


class Problem(BaseModel):
    """Why a request was refused, or a job failed."""

    detail: str
    message: str | None = Field(
        default=None, description="What is wrong, without the fields that would help."
    )
    line: int | None = Field(default=None, description="The line of the file, where known.")
    hints: list[Hint] = []


class ReadingFinding(BaseModel):
    """Something to know about a table: a note, a warning or an open question."""

    kind: Literal["note", "warning", "question"]
    code: str
    row: int | None = None
    column: str | None = None
    message: str
    hints: list[Hint] = []


class Sample(BaseModel):
    """One ranking of a file in words."""

    voter: str | None
    weight: Number
    ranking: str = Field(description="The items, best first: a > b = c.")


class Recognised(BaseModel):
    """What a file holds, or why it cannot be read."""

    readable: bool
    format: str | None = None
    summary: str | None = Field(default=None, description="What the format is.")
    n_items: int | None = None
    n_rankings: int | None = Field(default=None, description="Null for a matrix.")
    total_weight: Number | None = None
    has_ties: bool | None = None
    is_complete: bool | None = Field(default=None, description="Whether no ranking lacks an item.")
    unranked: Unranked | None = Field(default=None, description="What leaving an item out means.")
    items: list[str] = Field(default=[], description="The first few names.")
    sample: list[Sample] = Field(default=[], description="The first rankings.")
    encoding: str | None = Field(default=None, description="The encoding of a text.")
    separator: str | None = Field(default=None, description="What separates the values of a row.")
    header: int | None = Field(default=None, description="The row of the header.")
    layout: str | None = Field(default=None, description="The layout of a table.")
    n_columns: int = Field(default=0, description="The number of columns of a table.")
    columns: list[str] = Field(default=[], description="The names of the first columns.")
    roles: list[str] = Field(
        default=[], description="The role of each of these columns; empty if it is not known."
    )
    keys: list[str] = Field(
        default=[], description="The name or number by which a field refers to each column."
    )
    values: str | None = Field(default=None, description="ranks, scores, or null.")
    transposed: bool = Field(
        default=False, description="Whether each row is an item and each column a voter."
    )
    rows: list[list[str]] = Field(default=[], description="The first rows of a table.")
    numbers: list[int] = Field(
        default=[], description="The number of each of these rows, for `skip_rows`."
    )
    findings: list[ReadingFinding] = []
    problems: list[Problem] = []
    warnings: list[str] = []


class Progress(BaseModel):
    """The progress of a search."""

    elapsed: float = Field(description="Seconds since the job started.")
    cost: Number | None = Field(
        default=None, description="The disagreements of the best ranking so far."
    )
    lower_bound: Number | None = Field(default=None, description="No ranking has a lower cost.")
    gap: float | None = Field(default=None, description="(cost - lower_bound) / cost")
    share: float | None = Field(
        default=None, description="How much of the bootstrap is done, 0 to 1."
    )


class Status(BaseModel):
    """The state of a job."""

    id: str
    state: State
    phase: Phase | None = None
    ahead: int = Field(description="The number of jobs that will start before it.")
    waiting: int = Field(
        default=0, description="The number of jobs that wait, this one too, while it waits."
    )
    time_limit: float
    bootstrap: int
    ties: bool = Field(default=False, description="Whether the answer may have ties.")
    progress: Progress
    source: Recognised | None = None
    cancelling: bool = Field(description="Whether it was cancelled and is about to stop.")
    has_result: bool
    problem: Problem | None = Field(default=None, description="Why it failed or was stopped.")
    plots: list[Plot] = Field(default=[], description="The pictures that can be requested.")
    kept_until: datetime | None = Field(
        default=None,
        description="When it expires; it may be earlier if the server runs out of room.",
    )
    stored: bool = Field(
        default=False, description="Whether its result outlives a restart of the server."
    )


class FullStatus(Status):
    """The state of a job, and the course of its search."""

    points: list[tuple[float, Number, Number]] = Field(
        default=[], description="(seconds, cost, lower bound) since the job started."
    )


class Words(BaseModel):
    """A result in plain words."""

    headline: str = Field(description="Who is first.")
    proof: str
    others: str | None
    uncompared: str | None = Field(description="Items that no ranking compares with most others.")
    input: str
    method: str
    cost: str
    ties: str | None = Field(default=None, description="The tiers of an answer with ties.")
    constraints: str | None = Field(default=None, description="What the constraints cost.")
    voters: str | None = Field(default=None, description="Who disagrees most.")
    needed: list[str] = Field(
        default=[], description="How many more voters could change the result, as far as proven."
    )
    resampled: str | None = Field(
        default=None, description="Who is first in how many samples of the voters."
    )
    warnings: list[str] = []


class Neighbours(BaseModel):
    """How many voters agree with the order of two neighbours in the ranking."""

    agree: Number = Field(alias="for", description="The weight of the voters who agree.")
    against: Number = Field(description="The weight of the voters who disagree.")


class Overruled(BaseModel):
    """A majority that the ranking goes against: it prefers the last item of a circle to the first.

    Each item of the circle has a majority over the next one.
    """

    circle: list[Any]
    agree: Number = Field(alias="for", description="The weight of the voters of this majority.")
    against: Number = Field(description="The weight of the voters who disagree with it.")


class VoterAgreement(BaseModel):
    """How far a voter agrees with the result."""

    name: str | None
    number: int = Field(description="Its number in the file, from 1.")
    weight: Number
    against: int = Field(description="The number of pairs that it orders the other way round.")
    pairs: int = Field(description="The number of pairs that it and the result order.")
    places: list[int | None] | None = Field(
        description="The place that it gives each item of the ranking; null for much data."
    )


class Voters(BaseModel):
    """The voters, or the different rankings where no names are known."""

    count: int
    shown: list[VoterAgreement] = Field(description="Those who disagree most, at most 300.")


class OtherRule(BaseModel):
    """What another voting rule says about the same rankings."""

    name: str
    why: str = Field(description="Why it can differ from the consensus.")
    tiers: list[list[Any]] = Field(description="The items, best first; ties share a tier.")


class Result(BaseModel):
    """A result as `Consensus.save` writes it, with the sentences that the page shows."""

    model_config = ConfigDict(extra="allow")

    format: Literal["concordant-result"]
    version: int
    ranking: list[Any]
    tiers: list[list[Any]] | None = Field(
        default=None, description="The answer with ties, best tier first; null without ties."
    )
    cost: Number
    distance: float | None
    lower_bound: Number
    gap: float
    status: Literal["optimal", "feasible"]
    method: str
    seed: int
    elapsed: float
    n_items: int
    n_rankings: int | None
    total_weight: Number | None
    is_unique: bool | None
    winners: list[Any] | None
    trace: list[tuple[float, int, Number, Number]]
    words: Words
    neighbours: list[Neighbours]
    first: list[Any] = Field(description="The items that share the first place.")
    places: list[int] = Field(description="The place of each item; tied items share one.")
    overruled: list[Overruled] = Field(
        description="Majorities that the ranking goes against, at most five."
    )
    pairs: list[list[Number]] | None = Field(
        default=None,
        description="The weight of the voters who put each item before each other one, both in "
        "the order of the ranking; null for more than 60 items.",
    )
    voters: Voters | None = None
    rules: list[OtherRule] | None = None
    has_proof: bool = Field(default=False, description="Whether there is a proof file.")
    left_out: dict[str, list[str]] = Field(
        default={}, description="The items and voters that were left out on request."
    )
    bootstrap: dict[str, Any] | None = None


class Example(BaseModel):
    """An example file."""

    id: str
    title: str
    description: str
    name: str
    is_sample: bool = Field(default=False, description="Whether it shows one layout.")


class Format(BaseModel):
    """A format that the server reads."""

    name: str
    summary: str
    suffixes: list[str]


class Choice(BaseModel):
    """A value of a field, and its label on the page."""

    value: str
    label: str


class ReadingField(BaseModel):
    """A field that says how to read a file."""

    name: str
    title: str
    help: str
    default: str = Field(description="What happens without it.")
    choices: list[Choice] = Field(description="Its values; empty if it takes any text.")


def reading_fields(formats: Mapping[str, str]) -> list[ReadingField]:
    """Return the fields that say how to read a file; `formats` are names with summaries."""
    found = []
    for option in FIELDS.values():
        choices = dict(option.choices)
        if option.name == "format":
            choices = {name: f"{name}: {summary}" for name, summary in formats.items()}
        # Leaving the field out is the same as choosing its default.
        default = choices.pop(option.default, option.default)
        found.append(
            ReadingField(
                name=option.name,
                title=option.title,
                help=option.help,
                default=default,
                choices=[Choice(value=value, label=label) for value, label in choices.items()],
            )
        )
    return found


class About(BaseModel):
    """The version, the limits and the formats of this server."""

    version: str
    upload_bytes: int
    json_bytes: int
    items: int
    voters: int
    default_seconds: float
    seconds: float
    samples: int
    queue: int = Field(description="The largest number of jobs that wait.")
    client_queue: int = Field(description="The same for one client.")
    keep_seconds: float
    stores: bool = Field(default=False, description="Whether results outlive the server.")
    formats: list[Format]
    reading: list[ReadingField]
    login: bool = Field(default=False, description="Whether the server asks for a token.")


class Login(BaseModel):
    """A token of the server."""

    token: str = Field(min_length=1, max_length=200)


class Health(BaseModel):
    """Whether the server works, and the number of jobs in each state."""

    status: Literal["ok", "starting", "broken"]
    version: str
    solvers: int = Field(description="The number of processes that can search.")
    helpers: int = Field(description="The number of processes that read files and draw.")
    queued: int
    running: int
    submitted: int
    done: int
    cancelled: int
    failed: int
    store: Literal["none", "ok", "failing"] = Field(
        default="none", description="Whether jobs can be stored, if the server has a store."
    )
