"""Checks of settings: each raises an error that says which values are allowed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, get_args

import numpy as np

from concordant._types import Duplicates, Unranked
from concordant.errors import SettingError

# The largest number allowed for any setting: larger ones would exceed memory or time.
LARGEST = 1_000_000_000
# The most memory that a setting may make a run allocate, in bytes.
MOST_MEMORY = 8 << 30


def one_of(name: str, value: Any, allowed: Sequence[str]) -> None:
    """Raise an error unless the value is one of the allowed names."""
    if value not in allowed:
        raise SettingError(
            f"{name} must be one of {', '.join(map(repr, allowed))}, not {value!r}", setting=name
        )


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number, and not true or false."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def at_least(name: str, value: Any, least: int, most: int = LARGEST) -> None:
    """Raise an error unless the value is a whole number from `least` to `most`."""
    if not is_whole(value) or value < least:
        raise SettingError(
            f"{name} must be a whole number of at least {least}, not {value!r}", setting=name
        )
    if value > most:
        raise SettingError(f"{name} must be at most {most:,}, not {value!r}", setting=name)


def between(name: str, value: Any, least: float, most: float) -> None:
    """Raise an error unless the value is a number from `least` to `most`."""
    number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
    if not number or not least <= value <= most:
        raise SettingError(
            f"{name} must be a number from {least:g} to {most:g}, not {value!r}", setting=name
        )


def true_or_false(name: str, value: Any) -> None:
    """Raise an error unless the value is true or false."""
    if not isinstance(value, bool):
        raise SettingError(f"{name} must be true or false, not {value!r}", setting=name)


def check_unranked(unranked: str) -> Unranked:
    """Return `unranked`, or raise an error that says which values are allowed."""
    if unranked not in get_args(Unranked):
        raise SettingError(
            f"unranked must be 'unknown' (an unranked item counts as no opinion) or 'last' "
            f"(tied behind all ranked items), not {unranked!r}",
            setting="unranked",
        )
    return unranked  # type: ignore[return-value]


def check_duplicates(duplicates: str) -> Duplicates:
    """Return `duplicates`, or raise an error that says which values are allowed."""
    if duplicates not in get_args(Duplicates):
        raise SettingError(
            f"duplicates must be 'error' (an item ranked twice is an error) or 'first' (its first "
            f"place counts), not {duplicates!r}",
            setting="duplicates",
        )
    return duplicates  # type: ignore[return-value]


def fits_memory(name: str, value: int, each: int) -> None:
    """Raise an error if `value` things of `each` bytes exceed the memory of a run."""
    if value * each > MOST_MEMORY:
        raise SettingError(
            f"{name}={value} takes {value * each / 2**30:,.0f} GiB on this input, and a run may "
            f"take {MOST_MEMORY >> 30} GiB; choose at most {max(1, MOST_MEMORY // each):,}"
        )


def threads_of(n_jobs: int | None) -> int:
    """Return the number of threads that `n_jobs` asks for: one per core for None and -1.

    Example:
        >>> threads_of(3), threads_of(None) == threads_of(-1)
        (3, True)
    """
    if n_jobs is None or n_jobs == -1:
        cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else ()
        return len(cores) or os.cpu_count() or 1
    if not is_whole(n_jobs) or n_jobs < 1:
        raise SettingError(
            f"n_jobs must be a number of threads, at least 1, or -1 for one per core, not "
            f"{n_jobs!r}"
        )
    return int(n_jobs)
