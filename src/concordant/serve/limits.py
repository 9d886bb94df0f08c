"""`Limits`: how much one server accepts, for each request and in total."""

from __future__ import annotations

from dataclasses import dataclass, field

from concordant._checks import threads_of


@dataclass(frozen=True, slots=True)
class Limits:
    """What a server accepts, how many jobs it runs at once, and how long it keeps them.

    Attributes:
        upload_bytes: The largest request with a file.
        json_bytes: The largest request in JSON, which the server process itself parses.
        unpacked_bytes: The largest size of a file after unpacking.
        items, voters: The largest input that is solved.
        default_seconds, seconds: The default and the longest time limit of a search.
        samples: The largest number of bootstrap samples.
        reading_seconds: The time limit for reading a file, drawing a picture or writing a report.
        solvers: The number of processes that search; each works on one job.
        helpers: The number of processes that read files, draw pictures and write reports.
        queue: The largest number of jobs that wait, and of files that wait to be read.
        client_queue: The same for each client address.
        held_bytes: The largest size of all files and results together.
        arriving_bytes: The largest size of the bodies of all unanswered requests together.
        kept: The number of finished jobs that are kept; the oldest are deleted first.
        keep_seconds: How long a finished job is kept.
        unattended_seconds: A job that was followed live, and for which no request has come for
            this long, is cancelled.
        worker_bytes: The address space of one process.
        grace_seconds: How long a cancelled search may take to return its best ranking. After that
            its process is killed.

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
    client_queue: int = 25
    held_bytes: int = 500_000_000
    arriving_bytes: int = 200_000_000
    kept: int = 500
    keep_seconds: float = 1_800.0
    unattended_seconds: float = 120.0
    worker_bytes: int = 6 << 30
    grace_seconds: float = 3.0
