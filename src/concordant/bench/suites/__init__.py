"""The suites of `concordant bench`: a file with one `SUITE` each, and a line in the list below."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from concordant.bench.figures import Drawing
from concordant.bench.instances import Instance, instances_of
from concordant.bench.results import Results
from concordant.bench.tables import generic_tables
from concordant.bench.tasks import Task
from concordant.errors import SettingError
from concordant.layout import Table

SCALES = ("smoke", "small", "full")
# The name of each suite, in the order of the help page, and the module with its `SUITE`.
SUITES = {
    "complete": "concordant.bench.suites.complete",
    "partial": "concordant.bench.suites.partial",
    "crossovers": "concordant.bench.suites.crossovers",
    "history-length": "concordant.bench.suites.history_length",
    "evaluation": "concordant.bench.suites.evaluation",
    "label-ranking": "concordant.bench.suites.label_ranking",
    "methods": "concordant.bench.suites.methods",
    "designs": "concordant.bench.suites.designs",
    "exactness": "concordant.bench.suites.exactness",
    "scale": "concordant.bench.suites.scale",
}

_T = TypeVar("_T")


@dataclass(frozen=True)
class Plan:
    """The arguments of a run of a suite.

    Attributes:
        scale: "smoke", "small" or "full".
        seed: The seed of the instances and of the runs.
        time_limit: Seconds for each run, in place of the suite's own limit.
        folder: The folder of the instances; None generates them.
        format: The format of the files in the folder; None detects it.
        best: A file of best known values, for suites that compare with them.
        methods: The methods to run, for suites that leave the choice; None runs all of them.
        repeats: The runs of each method on an instance, for the same suites.
    """

    scale: str
    seed: int = 0
    time_limit: float | None = None
    folder: Path | None = None
    format: str | None = None
    best: Path | None = None
    methods: tuple[str, ...] | None = None
    repeats: int | None = None

    def instances(self, generate: Callable[[], list[Instance]]) -> list[Instance]:
        """Return the instances of the folder, or generated ones if there is no folder."""
        if self.folder is None:
            return generate()
        # The option is passed on only if it is given, so that tasks of older stores stay the same.
        options: dict[str, Any] = {} if self.format is None else {"format": self.format}
        return instances_of(self.folder, **options)

    def pick(self, smoke: _T, small: _T, full: _T) -> _T:
        """Return the value for the scale."""
        return {"smoke": smoke, "small": small, "full": full}[self.scale]

    def limits(self, smoke: dict[str, int], small: float, full: float) -> dict[str, Any]:
        """Return the limits of a run for `aggregate`: counts in smoke, else seconds.

        Counts make the results of `smoke` the same on every machine, and after a resume. A time
        limit in the plan is added to the counts; results may then differ.
        """
        limits: dict[str, Any] = dict(smoke) if self.scale == "smoke" else {}
        seconds = self.time_limit
        if seconds is None and self.scale != "smoke":
            seconds = self.pick(0.0, small, full)
        return limits if seconds is None else {**limits, "time_limit": seconds}


def _nothing(results: Results) -> list[str]:
    return []


@dataclass(frozen=True)
class Suite:
    """A set of tasks that answer one question, with the tables and figures of their results.

    Attributes:
        name: Its name for `bench run`.
        summary: One line: what it shows.
        tasks: Returns the tasks of a plan, the most important first, for runs that are cut short.
        tables: Returns the tables of results that are not empty.
        figures: The figures.
        published: Returns the tables of published figures alone, which need no results.
        missing: Names the published rows that the results do not cover.
        columns: The methods that come first in tables, in this order; by default the paper's.
        requires: A module that a run needs and that an extra of the package installs.
        any_methods: Whether a plan may choose the methods and the number of runs.
    """

    name: str
    summary: str
    tasks: Callable[[Plan], list[Task]]
    tables: Callable[[Results], list[Table]] = generic_tables
    figures: tuple[Drawing, ...] = ()
    published: Callable[[], list[Table]] = list
    missing: Callable[[Results], list[str]] = _nothing
    columns: tuple[str, ...] = ()
    requires: str | None = None
    any_methods: bool = False

    def check(self) -> None:
        """Raise `SettingError` if a package that a run needs is not installed."""
        if self.requires is not None:
            try:
                import_module(self.requires)
            except ImportError as error:
                raise SettingError(str(error)) from None


def get(name: str) -> Suite:
    """Return a suite by name.

    Raises:
        SettingError: If there is no such suite; the message lists all of them.

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
    """Return the longest time that a run takes; an estimate if it is limited by counts only."""
    return float(limits.get("time_limit", otherwise))
