"""`run_suite`: does those tasks of a suite that its store has no result of yet."""

from __future__ import annotations

import hashlib
import math
import os
import platform
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from concordant._checks import at_least
from concordant._version import __version__
from concordant.bench.instances import Instance, digests_of
from concordant.bench.records import Manifest, Record
from concordant.bench.store import Store
from concordant.bench.suites import SCALES, Plan, Suite, get
from concordant.bench.tasks import Task, solve
from concordant.bench.workers import run_tasks
from concordant.errors import SettingError

# What results depend on, beside the package itself.
_PACKAGES = ("numba", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Attributes:
        done: Tasks that have a result, those of earlier runs among them.
        total: All tasks of the suite.
        seconds_left: How long the others will take; None before the first has ended.
        task: The name of the task that was begun last.
    """

    done: int
    total: int
    seconds_left: float | None
    task: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run of a suite came to.

    Attributes:
        total: All tasks of the suite.
        earlier: Those that had a result before.
        failed: The records of all tasks that gave none, with why.
        elapsed: Seconds of this run.
    """

    total: int
    earlier: int
    failed: tuple[Record, ...]
    elapsed: float


def plan_tasks(suite: Suite, plan: Plan) -> list[Task]:
    """Return the tasks of a suite; an instance that cannot be read has one, which says so."""
    if plan.scale not in SCALES:
        raise SettingError(
            f"scale must be one of {', '.join(SCALES)}, not {plan.scale!r}", setting="scale"
        )
    at_least("seed", plan.seed, 0)
    if plan.time_limit is not None and not 0 < plan.time_limit < math.inf:
        raise SettingError(
            f"time_limit must be a positive number of seconds, not {plan.time_limit}",
            setting="time_limit",
        )
    if plan.format is not None and plan.folder is None:
        raise SettingError(
            "format is that of the files of a folder of instances, and there is none",
            setting="format",
        )
    found: dict[str, Task] = {}
    for task in suite.tasks(plan):
        if task.instance.fault is not None:
            task = Task(task.instance, "read", solve, seed=plan.seed, seconds=0.0)
            found.setdefault(task.name, task)
        elif task.name in found:
            raise AssertionError(f"the suite {suite.name} has two tasks called {task.name}")
        else:
            found[task.name] = task
    return list(found.values())


def run_suite(
    suite: str,
    store: str | Path,
    plan: Plan,
    *,
    jobs: int = 1,
    command: str = "",
    on_progress: Callable[[Progress], Any] | None = None,
    on_failure: Callable[[Record], Any] | None = None,
) -> Outcome:
    """Run a suite into a store; begun again with the same arguments, it goes on where it was.

    Args:
        suite: Its name.
        store: The folder of the results. It is made where there is none.
        plan: The scale, the seed, the time limit and the folder of instances.
        jobs: How many tasks at a time, each in a process of its own.
        command: The command line, for the manifest.
        on_progress: Called when a task is begun.
        on_failure: Called with the record of each task that gives no result.

    Raises:
        InputError: If the store holds another run, or cannot be written to.
        SettingError: If there is no such suite.
    """
    at_least("jobs", jobs, 1, 4096)
    tasks = plan_tasks(get(suite), plan)
    manifest = describe(suite, plan, tasks, jobs, command)
    started = time.perf_counter()
    with Store.open(store, manifest) as results:
        known = {record.task for record in results.records}
        left = [task for task in tasks if task.name not in known]
        clock = _TimeLeft(left)

        def finished(task: Task, record: Record) -> None:
            results.append(record)
            clock.finish(task)
            if record.error is not None and on_failure is not None:
                on_failure(record)

        def begun(task: Task) -> None:
            if on_progress is not None:
                done = len(results.records)
                on_progress(Progress(done, len(tasks), clock.seconds(), task.name))

        run_tasks(left, jobs, finished, begun)
        failed = tuple(record for record in results.records if record.error is not None)
    return Outcome(len(tasks), len(tasks) - len(left), failed, time.perf_counter() - started)


class _TimeLeft:
    """Foretells how long the rest takes, from what the limits allow and what tasks needed."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._started = time.perf_counter()
        self._all = self._left = sum(task.seconds for task in tasks)
        self._done = 0.0

    def finish(self, task: Task) -> None:
        self._left -= task.seconds
        self._done += task.seconds

    def seconds(self) -> float | None:
        # The first tasks load the kernels as well, and would promise too much time.
        if self._done <= 0.03 * self._all:
            return None
        return (time.perf_counter() - self._started) * self._left / self._done


def describe(
    suite: str, plan: Plan, tasks: Sequence[Task], jobs: int, command: str = ""
) -> Manifest:
    """Return the manifest of a run: all that must be the same for results to compare."""
    settings: dict[str, Any] = {
        "seed": plan.seed,
        "time_limit": plan.time_limit,
        "jobs": jobs,
        "tasks": _digest(tasks),
    }
    if plan.folder is not None:
        settings["instances"] = digests_of(plan.folder)
    if plan.format is not None:
        settings["format"] = plan.format
    today = time.strftime("%Y-%m-%d")
    return Manifest(suite, plan.scale, settings, versions(), machine(), command, today)


def _digest(tasks: Sequence[Task]) -> str:
    """Return what tells the tasks of a suite from those of another version of it."""
    facts = [
        (
            task.name,
            sorted(task.settings.items()),
            task.seed,
            f"{task.work.__module__}.{task.work.__qualname__}",
            _of_instance(task.instance),
        )
        for task in tasks
    ]
    return f"{len(tasks)} tasks, {hashlib.sha256(repr(facts).encode()).hexdigest()[:12]}"


def _of_instance(instance: Instance) -> list[Any]:
    """Return what decides the data of an instance; of files, their digests tell more."""
    drawn = [
        (key, _of_instance(value) if isinstance(value, Instance) else value)
        for key, value in instance.arguments.items()
        if key not in ("path", "read")
    ]
    return [instance.name, sorted(drawn), sorted(instance.labels.items())]


def versions() -> dict[str, str]:
    """Return the versions of Python, of this package, and of those that results depend on."""
    found = {"concordant": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Return what a reader of times wants to know about the machine."""
    from concordant._checks import threads_of

    facts: dict[str, Any] = {
        "processor": _processor(),
        "cores": threads_of(None),
        "system": f"{platform.system()} {platform.machine()}",
    }
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        facts["memory_gib"] = round(
            os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
        )
    return facts


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def estimate(tasks: Sequence[Task], jobs: int) -> float:
    """Return how many seconds the tasks take at most, by their limits."""
    return sum(task.seconds for task in tasks) / jobs
