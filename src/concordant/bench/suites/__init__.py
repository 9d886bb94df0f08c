"""The suites of `concordant bench`: each a file with one `SUITE`, and a line in the list below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from concordant.bench.instances import Instance, instances_of
from concordant.bench.tasks import Task
from concordant.errors import SettingError

SCALES = ("smoke", "small", "full")
# Each suite by name, in the order of the help page, and the module that defines its `SUITE`.
SUITES = {
    "complete": "concordant.bench.suites.complete",
    "partial": "concordant.bench.suites.partial",
    "crossovers": "concordant.bench.suites.crossovers",
    "history-length": "concordant.bench.suites.history_length",
    "evaluation": "concordant.bench.suites.evaluation",
    "label-ranking": "concordant.bench.suites.label_ranking",
    "methods": "concordant.bench.suites.methods",
    "designs": "concordant.bench.suites.designs",
    "proofs": "concordant.bench.suites.proofs",
    "scale": "concordant.bench.suites.scale",
}

_T = TypeVar("_T")


@dataclass(frozen=True)
class Plan:
    """What a run of a suite was asked for.

    Attributes:
        scale: "smoke", "small" or "full".
        seed: Of the instances and of the runs.
        time_limit: Seconds for each run, in place of the suite's own limit.
        folder: Where the instances are; None generates them.
        format: The format of the files in it; None tells it by name and content.
    """

    scale: str
    seed: int = 0
    time_limit: float | None = None
    folder: Path | None = None
    format: str | None = None

    def instances(self, generate: Callable[[], list[Instance]]) -> list[Instance]:
        """Return those of the folder, or the suite's own where there is none."""
        if self.folder is None:
            return generate()
        # Only where it was asked for, so that stores made without it stay what they are.
        options: dict[str, Any] = {} if self.format is None else {"format": self.format}
        return instances_of(self.folder, **options)

    def pick(self, smoke: _T, small: _T, full: _T) -> _T:
        """Return the value for the scale."""
        return {"smoke": smoke, "small": small, "full": full}[self.scale]

    def limits(self, smoke: dict[str, int], small: float, full: float) -> dict[str, Any]:
        """Return the limits of a run for `aggregate`: counts in smoke, else seconds.

        Counts make the results of `smoke` the same on every machine, and after a resume. With a
        time limit of the caller's own, that holds as well; results may then differ.
        """
        limits: dict[str, Any] = dict(smoke) if self.scale == "smoke" else {}
        seconds = self.time_limit
        if seconds is None and self.scale != "smoke":
            seconds = self.pick(0.0, small, full)
        return limits if seconds is None else {**limits, "time_limit": seconds}


@dataclass(frozen=True)
class Suite:
    """A set of tasks that together show one thing.

    Attributes:
        name: What `bench run` calls it.
        summary: One line: what it shows.
        tasks: Returns the tasks of a plan, those first that matter most to a run cut short.
    """

    name: str
    summary: str
    tasks: Callable[[Plan], list[Task]]


def get(name: str) -> Suite:
    """Return a suite by name, or say which is meant and which there are.

    Example:
        >>> get("evaluation").name
        'evaluation'
    """
    if name not in SUITES:
        near = get_close_matches(name.lower(), SUITES, n=1)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        raise SettingError(
            f"there is no suite {name!r}; choose from: {', '.join(SUITES)}.{meant}", setting="suite"
        )
    suite: Suite = import_module(SUITES[name]).SUITE
    return suite


def upper_seconds(limits: dict[str, Any], otherwise: float = 0.5) -> float:
    """Return how long a run with these limits takes at most; a guess where only counts limit it."""
    return float(limits.get("time_limit", otherwise))
