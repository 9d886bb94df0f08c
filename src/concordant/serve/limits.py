"""`Limits`: how much one server accepts, for each request and in total."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from concordant._checks import threads_of
from concordant.errors import SettingError

_UNITS = {"s": 1, "min": 60, "h": 3_600, "d": 86_400}
_WORDS = {"second": 1, "minute": 60, "hour": 3_600, "day": 86_400}
_LONGEST = 100 * 365 * 86_400


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
        stored_bytes: The largest size of all jobs in the store, if there is one.
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
    stored_bytes: int = 4_000_000_000
    unattended_seconds: float = 120.0
    worker_bytes: int = 6 << 30
    grace_seconds: float = 3.0


def seconds_of(text: str, setting: str) -> float:
    """Return the seconds of a duration such as `90s`, `30min`, `12h` or `7d`.

    Example:
        >>> seconds_of("12h", "keep"), seconds_of("1.5d", "keep")
        (43200.0, 129600.0)
        >>> seconds_of("soon", "keep")
        Traceback (most recent call last):
        ...
        concordant.errors.SettingError: keep must be a number and a unit (s, min, h or d)...
    """
    found = re.fullmatch(r"\s*([0-9]{1,9}(?:\.[0-9]{1,9})?)\s*([a-z]+)\s*", text)
    seconds = float(found[1]) * _UNITS.get(found[2], 0) if found else 0.0
    if not 1 <= seconds <= _LONGEST:
        raise SettingError(
            f"{setting} must be a number and a unit (s, min, h or d), such as 12h or 7d, from 1s "
            f"to 100 years, not {text[:40]!r}",
            setting=setting,
        )
    return seconds


def in_words(seconds: float) -> str:
    """Return a duration in the largest unit that fits.

    Example:
        >>> in_words(1800), in_words(86_400), in_words(604_800), in_words(0.5)
        ('30 minutes', '1 day', '7 days', '0.5 seconds')
    """
    unit, size = [each for each in _WORDS.items() if each[1] <= max(1, seconds)][-1]
    count = round(seconds / size, 1)
    return f"{count:g} {unit}{'' if count == 1 else 's'}"
