"""`Job`: one search that a client has submitted, and how the store keeps it."""

from __future__ import annotations

import asyncio
import secrets
import time
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from concordant.serve.frames import Message
from concordant.serve.pool import Worker
from concordant.serve.store import Entry

# A chart needs no more points. When there are more, every other one is dropped.
_MOST_POINTS = 400
DONE = ("done", "cancelled", "failed")
# What is kept of a job that has ended, apart from its result.
_OUTCOME = (
    *("cost", "lower_bound", "gap", "share", "facts", "message", "line", "hints", "cancelled"),
    *("is_resampled", "points"),
)


@dataclass(frozen=True)
class Source:
    """A submitted file: its bytes, the end of its name, how to read it, and its name.

    The end of the name gives the format. The name itself is only shown in the report.
    """

    content: bytes
    suffix: str = ""
    reading: dict[str, Any] = field(default_factory=dict)
    name: str = ""


@dataclass(eq=False)
class Job:
    """One search, from its submission on."""

    source: Source
    time_limit: float
    seed: int
    bootstrap: int
    client: str = ""
    # The settings of an answer with ties.
    ties: dict[str, Any] | None = None
    # The fields up to here, without the client, are the request. They are stored, and a job that
    # was lost with its server runs again from them.
    id: str = field(default_factory=lambda: secrets.token_urlsafe(18))
    state: str = "queued"
    phase: str | None = None
    started: float | None = None
    ended: float | None = None
    cost: float | None = None
    lower_bound: float | None = None
    gap: float | None = None
    share: float | None = None
    facts: dict[str, Any] | None = None
    message: str | None = None
    line: int | None = None
    hints: list[Any] = field(default_factory=list)
    cancelled: bool = False
    is_resampled: bool = False
    points: list[tuple[float, float, float]] = field(default_factory=list)
    # The result in JSON, and as one worker leaves it for another. The server never decodes them.
    result: bytes | None = None
    record: bytes | None = None
    task: asyncio.Task[None] | None = None
    worker: Worker | None = None
    changed: asyncio.Event = field(default_factory=asyncio.Event)
    followers: int = 0
    was_followed: bool = False
    last_request: float = field(default_factory=time.monotonic)
    # When it was submitted, in seconds since 1970, and how often a server has started it.
    submitted: float = field(default_factory=time.time)
    attempts: int = 0
    # A new job may start when its file is in the store. `is_stored` is about its result.
    is_accepted: bool = True
    is_ending: bool = False
    is_stored: bool = False

    @property
    def is_over(self) -> bool:
        """Whether the job has ended."""
        return self.state in DONE

    @property
    def size(self) -> int:
        """The number of bytes that the job holds: its file and, when it has ended, its result."""
        return sum(len(part or b"") for part in (self.source.content, self.result, self.record))

    @property
    def elapsed(self) -> float:
        """Seconds since the job started."""
        if self.started is None:
            return 0.0
        return (self.ended or time.monotonic()) - self.started

    @property
    def ended_at(self) -> float | None:
        """When the job ended, in seconds since 1970."""
        return None if self.ended is None else time.time() - (time.monotonic() - self.ended)

    def is_unattended(self, seconds: float) -> bool:
        """Whether all followers have left, and no request has come for a number of seconds."""
        is_followed = self.followers > 0 or not self.was_followed
        return not is_followed and time.monotonic() - self.last_request > seconds

    def update(self, **facts: Any) -> None:
        """Set attributes, and wake the followers of the job."""
        for name, value in facts.items():
            setattr(self, name, value)
        changed, self.changed = self.changed, asyncio.Event()
        changed.set()

    def on_event(self, message: Message, blocks: list[bytes]) -> None:
        """Store what the worker reports during its task."""
        if message["event"] == "read":
            self.update(facts=message["facts"])
        elif message["event"] == "solved":
            self.update(result=blocks[0], record=blocks[1])
        elif message["phase"] == "resampling":
            self.update(phase="resampling", share=message["share"])
        else:
            self.update(phase=message["phase"])
            if message["cost"] is not None:
                self._add_point(message)

    def _add_point(self, message: Message) -> None:
        self.update(**{name: message[name] for name in ("cost", "lower_bound", "gap")})
        if message["lower_bound"] is None:
            return
        if len(self.points) >= _MOST_POINTS:
            del self.points[1:-1:2]
        self.points.append((self.elapsed, message["cost"], message["lower_bound"]))

    # -- in the store --------------------------------------------------------------------------

    @classmethod
    def _request_fields(cls) -> list[str]:
        names = [each.name for each in fields(cls)]
        return [name for name in names[1 : names.index("id")] if name != "client"]

    def entry(self, **changes: Any) -> Entry:
        """Return the job as the store keeps it; `changes` are attributes that are not set yet."""
        values = {name: changes.get(name, getattr(self, name)) for name in _OUTCOME}
        state = changes.get("state", self.state)
        source = asdict(self.source)
        content = source.pop("content")
        is_over = state in DONE
        return Entry(
            id=self.id,
            state=state if is_over else "queued",
            submitted=self.submitted,
            ended=self.ended_at or time.time() if is_over else None,
            attempts=self.attempts,
            # The address is needed only for the turns of those who wait.
            client="" if is_over else self.client,
            request={name: getattr(self, name) for name in self._request_fields()}
            | {"source": source},
            outcome={**values, "elapsed": self.elapsed} if is_over else {},
            content=content,
            result=self.result if is_over else None,
            record=self.record if is_over else None,
        )

    @classmethod
    def from_entry(cls, entry: Entry) -> Job:
        """Make a job from what the store has kept of it."""
        request = {
            name: entry.request[name] for name in cls._request_fields() if name in entry.request
        }
        source = Source(entry.content, **entry.request["source"])
        job = cls(source, **request, client=entry.client, id=entry.id)
        job.submitted, job.attempts = entry.submitted, entry.attempts
        if entry.ended is not None:
            values = dict(entry.outcome)
            job.ended = time.monotonic() - (time.time() - entry.ended)
            job.started = job.ended - values.pop("elapsed")
            job.update(
                state=entry.state,
                result=entry.result,
                record=entry.record,
                is_stored=True,
                **values,
            )
        return job
