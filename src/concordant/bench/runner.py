"""`run_suite`: runs the tasks of a suite that have no result in its store yet."""

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
from concordant.algorithms.registry import PLUGINS
from concordant.bench.instances import Instance, digests_of
from concordant.bench.records import Manifest, Record
from concordant.bench.store import Store
from concordant.bench.suites import SCALES, Plan, Suite, get
from concordant.bench.tasks import Task, solve
from concordant.bench.workers import run_tasks
from concordant.errors import SettingError
from concordant.plugins import loaded_modules

# The packages that results depend on, beside this one.
_PACKAGES = ("numba", "numpy", "scipy", "scikit-learn")


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Attributes:
        done: The number of tasks that have a result, also from earlier runs.
        total: The number of all tasks of the suite.
        seconds_left: The estimated time of the other tasks; None while it is not known.
        task: The name of the task that began last.
    """

    done: int
    total: int
    seconds_left: float | None
    task: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome of a run of a suite.

    Attributes:
        total: The number of all tasks of the suite.
        earlier: The number of tasks that had a result before.
        failed: The records of all tasks that failed.
        elapsed: The seconds of this run.
    """

    total: int
    earlier: int
    failed: tuple[Record, ...]
    elapsed: float


def plan_tasks(suite: Suite, plan: Plan) -> list[Task]:
    """Return the tasks of a suite; an instance that cannot be read has one task, which fails."""
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
            "format needs instances: it is the format of the files in that folder",
            setting="format",
        )
    if (plan.methods, plan.repeats) != (None, None) and not suite.any_methods:
        raise SettingError(
            f"the methods and repeats of the suite {suite.name!r} are fixed: choose them for "
            "the suite 'methods'"
        )
    if plan.repeats is not None:
        at_least("repeats", plan.repeats, 1, 10_000)
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
    """Run a suite into a store; a second call with the same arguments continues the run.

    Args:
        suite: The name of the suite.
        store: The folder of the results; it is created if it does not exist.
        plan: The scale, the seed, the time limit and the folder of instances.
        jobs: The number of tasks at a time, each in a process of its own.
        command: The command line, for the manifest.
        on_progress: Called when a task begins.
        on_failure: Called with the record of each task that fails.

    Raises:
        InputError: If the store holds another run, or cannot be written.
        SettingError: If there is no such suite, or a package that it needs is not installed.
    """
    at_least("jobs", jobs, 1, 4096)
    chosen = get(suite)
    chosen.check()
    tasks = plan_tasks(chosen, plan)
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

        def started_task(task: Task) -> None:
            if on_progress is not None:
                done = len(results.records)
                on_progress(Progress(done, len(tasks), clock.seconds(), task.name))

        run_tasks(left, jobs, finished, started_task)
        failed = tuple(record for record in results.records if record.error is not None)
    return Outcome(len(tasks), len(tasks) - len(left), failed, time.perf_counter() - started)


class _TimeLeft:
    """Estimates the time left, from the limits of the tasks and the time of those that ended."""

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._started = time.perf_counter()
        self._all = self._left = sum(task.seconds for task in tasks)
        self._done = 0.0

    def finish(self, task: Task) -> None:
        self._left -= task.seconds
        self._done += task.seconds

    def seconds(self) -> float | None:
        # The first tasks load the kernels too, so an estimate from them would be too high.
        if self._done <= 0.03 * self._all:
            return None
        return (time.perf_counter() - self._started) * self._left / self._done


def describe(
    suite: str, plan: Plan, tasks: Sequence[Task], jobs: int, command: str = ""
) -> Manifest:
    """Return the manifest of a run: the facts that comparable results share."""
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
    if plan.best is not None:
        settings["best"] = hashlib.sha256(plan.best.read_bytes()).hexdigest()[:16]
    if plan.methods is not None:
        settings["methods"] = ",".join(plan.methods)
    if plan.repeats is not None:
        settings["repeats"] = plan.repeats
    if modules := loaded_modules():
        settings["imports"] = modules
    names = {task.settings.get("method", task.method) for task in tasks}
    outside = dict(package for name, package in PLUGINS.packages.items() if name in names)
    today = time.strftime("%Y-%m-%d")
    return Manifest(suite, plan.scale, settings, versions() | outside, machine(), command, today)


def _digest(tasks: Sequence[Task]) -> str:
    """Return the number of tasks and a digest, which another version of the suite changes."""
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
    """Return what decides the data of an instance; files have digests in the manifest."""
    drawn = [
        (key, _of_instance(value) if isinstance(value, Instance) else value)
        for key, value in instance.arguments.items()
        if key not in ("path", "read")
    ]
    return [instance.name, sorted(drawn), sorted(instance.labels.items())]


def versions() -> dict[str, str]:
    """Return the versions of Python, of this package and of those that results depend on."""
    found = {"concordant": __version__, "python": platform.python_version()}
    for name in _PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def machine() -> dict[str, Any]:
    """Return the facts about the machine that matter for times."""
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
    """Return the longest time of the tasks in seconds, by their limits."""
    return sum(task.seconds for task in tasks) / jobs
