"""What the HTTP API takes and returns, as its OpenAPI document describes it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model

from concordant._reading import FIELDS

Unranked = Literal["unknown", "last"]
State = Literal["queued", "running", "done", "cancelled", "failed"]
Phase = Literal["starting", "reading", "compiling", "searching", "resampling"]
Number = int | float
_LARGEST_SEED = 2**63 - 1


if TYPE_CHECKING:

    class Reading(BaseModel):
        """The options for reading a file: a field for each of `FIELDS`."""

else:
    _fields: dict[str, Any] = {
        option.name: (
            option.type | None,
            Field(
                default=None, description=option.help, max_length=None if option.choices else 100
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


class Text(Reading):
    """Rankings as text."""

    text: str = Field(description="The content of a file of rankings.", min_length=1)
    name: str = Field(
        default="",
        max_length=255,
        description="A file name: its end tells the format, and the report names the file.",
    )


class Submission(Text):
    """Rankings as text, and how long to search."""

    time_limit: float | None = Field(
        default=None, gt=0, description="Seconds to search; 10 unless said otherwise."
    )
    seed: int = Field(
        default=0, ge=0, le=_LARGEST_SEED, description="The same seed, the same search."
    )
    bootstrap: int = Field(
        default=0,
        ge=0,
        description="How many samples of the voters to draw, to tell how firm it is.",
    )


class Hint(BaseModel):
    """A field of the request that would solve a problem."""

    setting: str = Field(description="The name of the field.")
    values: list[str] = Field(description="Values that would help; empty if only you know one.")


class Problem(BaseModel):
    """Why a request was refused, or a job failed."""

    detail: str
    line: int | None = Field(default=None, description="The line of the file, where known.")
    hints: list[Hint] = []


class Recognised(BaseModel):
    """What a file holds, as far as it can be told."""

    readable: bool
    format: str | None = None
    summary: str | None = Field(default=None, description="What that format is.")
    n_items: int | None = None
    n_rankings: int | None = Field(default=None, description="None for a matrix.")
    total_weight: Number | None = None
    has_ties: bool | None = None
    is_complete: bool | None = Field(default=None, description="Whether all rank all items.")
    unranked: Unranked | None = Field(default=None, description="What leaving an item out means.")
    items: list[str] = Field(default=[], description="The first few names.")
    problems: list[Problem] = []
    warnings: list[str] = []


class Progress(BaseModel):
    """How far a search is."""

    elapsed: float = Field(description="Seconds since the work on it began.")
    cost: Number | None = Field(
        default=None, description="Disagreements of the best ranking so far."
    )
    lower_bound: Number | None = Field(default=None, description="No ranking has fewer.")
    gap: float | None = Field(default=None, description="(cost - lower_bound) / cost")
    share: float | None = Field(default=None, description="How much of the resampling is done.")


class Status(BaseModel):
    """Where a job stands."""

    id: str
    state: State
    phase: Phase | None = None
    ahead: int = Field(description="How many jobs wait in front of it.")
    time_limit: float
    bootstrap: int
    progress: Progress
    source: Recognised | None = None
    cancelling: bool = Field(description="Whether it has been cancelled and is about to stop.")
    has_result: bool
    problem: Problem | None = Field(default=None, description="Why it failed.")
    plots: list[str] = Field(default=[], description="The pictures that can be had.")


class FullStatus(Status):
    """Where a job stands, and how it got there."""

    points: list[tuple[float, Number, Number]] = Field(
        default=[], description="(seconds, cost, bound) since it began."
    )


class Words(BaseModel):
    """A result in plain words."""

    proof: str
    others: str | None
    input: str
    method: str
    cost: str


class Neighbours(BaseModel):
    """What the voters think of two neighbours of the ranking."""

    agree: Number = Field(alias="for", description="The weight of those who see them so.")
    against: Number


class Result(BaseModel):
    """A result as `Consensus.save` writes it, with what the page says about it."""

    model_config = ConfigDict(extra="allow")

    format: Literal["concordant-result"]
    version: int
    ranking: list[Any]
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
    bootstrap: dict[str, Any] | None = None


class Example(BaseModel):
    """A file to try."""

    id: str
    title: str
    description: str
    name: str


class Format(BaseModel):
    """A format that is read."""

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
    """What this server is and takes."""

    version: str
    upload_bytes: int
    json_bytes: int
    items: int
    voters: int
    default_seconds: float
    seconds: float
    samples: int
    queue: int
    keep_seconds: float
    formats: list[Format]
    reading: list[ReadingField]


class Health(BaseModel):
    """Whether the server works, and what it has done."""

    status: Literal["ok", "starting", "broken"]
    version: str
    solvers: int = Field(description="Processes that are ready to search.")
    helpers: int
    queued: int
    running: int
    submitted: int
    done: int
    cancelled: int
    failed: int
