"""`Limits`: how much one server takes on, for each request and in all."""

from __future__ import annotations

from dataclasses import dataclass, field

from concordant._checks import threads_of


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server accepts, how much it works on at once, and how long it remembers.

    Attributes:
        upload_bytes: The largest request with a file.
        json_bytes: The largest request in JSON, which is taken apart in the server itself.
        unpacked_bytes: What a file may grow to when it is unpacked.
        items, voters: The largest input that is solved.
        default_seconds, seconds: The time limit of a search, and the most one may ask for.
        samples: How many samples a bootstrap may draw.
        reading_seconds: How long reading a file, drawing or writing a report may take.
        solvers: How many jobs are worked on at once, each in a process of its own.
        helpers: How many files are looked at and reports written at once, in processes too.
        queue: How many jobs, and how many files to look at, may wait.
        held_bytes: How much all the files and results that are held may take.
        arriving_bytes: How much the bodies of all requests that are being answered may take.
        kept: How many finished jobs are kept; the oldest are forgotten first.
        keep_seconds: How long a finished job is kept.
        worker_bytes: How much memory one process may address.
        grace_seconds: How long a cancelled search may take to hand over what it has.

    Example:
        >>> Limits(queue=5).queue
        5
    """

    upload_bytes: int = 10_000_000
    json_bytes: int = 2_000_000
    unpacked_bytes: int = 100_000_000
    items: int = 2_000
    voters: int = 10_000_000
    default_seconds: float = 10.0
    seconds: float = 600.0
    samples: int = 2_000
    reading_seconds: float = 30.0
    solvers: int = field(default_factory=lambda: max(2, threads_of(None)))
    helpers: int = 2
    queue: int = 100
    held_bytes: int = 500_000_000
    arriving_bytes: int = 200_000_000
    kept: int = 500
    keep_seconds: float = 1_800.0
    worker_bytes: int = 6 << 30
    grace_seconds: float = 3.0
