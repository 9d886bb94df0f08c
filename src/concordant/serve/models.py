"""The requests and answers of the HTTP API; its OpenAPI document is made from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from concordant.formats import FORMATS

if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[tuple(FORMATS)]
Unranked = Literal["unknown", "last"]
Layout = Literal["long", "wide", "ballots", "lists"]
Duplicates = Literal["error", "first"]
State = Literal["queued", "running", "done", "cancelled", "failed"]
Phase = Literal["starting", "reading", "compiling", "searching", "resampling"]
Plot = Literal["positions", "pairwise", "agreement", "bump", "bootstrap"]
Number = int | float
_LARGEST_SEED = 2**63 - 1


class Reading(BaseModel):
    """How to read a file; by default its name and its content tell."""

    model_config = ConfigDict(extra="forbid")

    format: FormatName | None = Field(default=None, description="The format, by name.")
    unranked: Unranked | None = Field(default=None, description="What leaving an item out means.")
    layout: Layout | None = Field(default=None, description="How a table is laid out.")
    sheet: str | None = Field(default=None, max_length=100, description="The sheet of a workbook.")
    query: str | None = Field(default=None, max_length=100, description="The query of a TREC file.")
    duplicates: Duplicates | None = Field(
        default=None, description="What to do with an item that a ranking has twice."
    )


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


class Submission(Search, Text):
    """Rankings as text, and how to search."""


class Problem(BaseModel):
    """Why a request was refused, or a job failed."""

    detail: str
    line: int | None = Field(default=None, description="The line of the file, where that is known.")


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
    time_limit: float
    bootstrap: int
    progress: Progress
    source: Recognised | None = None
    cancelling: bool = Field(description="Whether it was cancelled and is about to stop.")
    has_result: bool
    problem: Problem | None = Field(default=None, description="Why it failed or was stopped.")
    plots: list[Plot] = Field(default=[], description="The pictures that can be requested.")


class FullStatus(Status):
    """The state of a job, and the course of its search."""

    points: list[tuple[float, Number, Number]] = Field(
        default=[], description="(seconds, cost, lower bound) since the job started."
    )


class Words(BaseModel):
    """A result in plain words."""

    proof: str
    others: str | None
    input: str
    method: str
    cost: str


class Neighbours(BaseModel):
    """How many voters agree with the order of two neighbours in the ranking."""

    agree: Number = Field(alias="for", description="The weight of the voters who agree.")
    against: Number = Field(description="The weight of the voters who disagree.")


class Result(BaseModel):
    """A result as `Consensus.save` writes it, with the sentences that the page shows."""

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
    """An example file."""

    id: str
    title: str
    description: str
    name: str


class Format(BaseModel):
    """A format that the server reads."""

    name: str
    summary: str
    suffixes: list[str]


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
    queue: int
    keep_seconds: float
    formats: list[Format]


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
