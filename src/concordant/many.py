"""`aggregate_many`: solve many problems on all cores, and write all rankings."""

from __future__ import annotations

import csv
import io
import json
import signal
import sys
import time
from collections.abc import Callable, Generator, Hashable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, nullcontext
from dataclasses import replace
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Generic, Unpack

from concordant._checks import at_least, threads_of
from concordant._files import atomic_write
from concordant._names import plain_item
from concordant._types import N, Name
from concordant.aggregation import aggregate
from concordant.algorithms.registry import get
from concordant.algorithms.settings import MethodSettings
from concordant.consensus import Consensus
from concordant.errors import ConcordantError, InputError, SettingError, show
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.running import counted_up_to
from concordant.workers import Result, WorkerPool, active_pool

Key = Hashable
# The share of the time limit for the first look at all problems.
_FIRST_SHARE = 0.5
# A task has as many problems as take about this time. Other processes are started only if the
# rest would take longer than this in seconds.
_TASK_SECONDS, _WORTH_SECONDS = 0.2, 2.0
_SECONDS_BETWEEN_REPORTS = 0.1
# Methods that sort by scores do not need the pairs. Those of more items are not counted for them,
# so that there is no lower bound.
_COUNTED = 200


class Results(dict[Any, Consensus[Name]], Generic[Name]):
    """Results by key, in the order of the problems, and the keys without one.

    Attributes:
        failed: The error of each problem without a result.
        interrupted: Whether Ctrl-C came before all problems were solved.
    """

    def __init__(
        self,
        found: Mapping[Any, Consensus[Name]],
        failed: Mapping[Any, ConcordantError] | None = None,
        interrupted: bool = False,
    ) -> None:
        super().__init__(found)
        self.failed = dict(failed or {})
        self.interrupted = interrupted

    def __repr__(self) -> str:
        """Say how many problems are solved in one line."""
        proven = sum(result.status == "optimal" for result in self.values())
        failed = f", {len(self.failed):,} failed" if self.failed else ""
        return f"Results({len(self):,} problems, {proven:,} proven optimal{failed})"

    def lines(
        self,
        format: str = "csv",  # noqa: A002
        *,
        depth: int | None = None,
        tag: str = "concordant",
    ) -> Iterator[str]:
        """Yield the results as lines of text.

        Args:
            format: "trec" (a run), "csv" (key, place, item) or "jsonl" (a JSON object a line).
            depth: Only the first places of each ranking.
            tag: The name of the run in a TREC run.

        Example:
            >>> found = aggregate_many({"q1": Rankings.from_orders([["b", "a"]])}, "borda")
            >>> print("".join(found.lines("trec", depth=1)), end="")
            q1 Q0 b 1 2 concordant
        """
        if depth is not None:
            at_least("depth", depth, 1)
        if format == "trec":
            yield from self._trec(depth, tag)
        elif format == "csv":
            yield from self._csv(depth)
        elif format == "jsonl":
            for key, result in self.items():
                facts = result.to_dict()
                facts["ranking"] = facts["ranking"][:depth]
                yield json.dumps({"key": plain_item(key), **facts}, ensure_ascii=False) + "\n"
        else:
            raise SettingError(f"format must be trec, csv or jsonl, not {format!r}")

    def _trec(self, depth: int | None, tag: str) -> Iterator[str]:
        for word in (tag, *self):
            if len(str(word).split()) != 1:
                raise InputError(f"a TREC run cannot hold {show(word)}: it has a blank")
        for key, result in self.items():
            m = result.n_items
            for place, item in enumerate(result.ranking[:depth], start=1):
                if len(str(item).split()) != 1:
                    raise InputError(f"a TREC run cannot hold item {show(item)}: it has a blank")
                # Scores that fall: programs sort by them, not by the rank.
                yield f"{key} Q0 {item} {place} {m - place + 1} {tag}\n"

    def _csv(self, depth: int | None) -> Iterator[str]:
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["key", "place", "item"])
        for key, result in self.items():
            for place, item in result.places[:depth]:
                writer.writerow([key, place, item])
            yield text.getvalue()
            text.seek(0)
            text.truncate()

    def save(self, path: str | Path, *, depth: int | None = None, tag: str = "concordant") -> None:
        """Write all rankings to a file: `.run` or `.trec`, `.csv`, or `.jsonl`; see `lines`.

        Raises:
            SettingError: The suffix is another one.
            InputError: The file cannot be written, or a name does not fit into a TREC run.
        """
        atomic_write(path, "".join(self.lines(output_format(path), depth=depth, tag=tag)))


def output_format(path: str | Path) -> str:
    """Return the format in which `Results.save` writes a file, by its suffix.

    Example:
        >>> output_format("fused.run")
        'trec'
    """
    formats = {
        ".run": "trec",
        ".trec": "trec",
        ".csv": "csv",
        ".jsonl": "jsonl",
        ".ndjson": "jsonl",
    }
    found = formats.get(Path(path).suffix.lower())
    if found is None:
        raise SettingError(
            f"the name {Path(path).name!r} does not show the format: use .run, .csv or .jsonl"
        )
    return found


# -- solving ---------------------------------------------------------------------------------


def aggregate_many(
    problems: Mapping[Any, Rankings[N] | Pairwise[N]],
    method: str = "auto",
    *,
    time_limit: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    on_result: Callable[[Any, Consensus[N]], Any] | None = None,
    on_progress: Callable[[int, int], Any] | None = None,
    **settings: Unpack[MethodSettings],
) -> Results[N]:
    """Find the consensus of each problem.

    Problems are solved in this process and, if that takes seconds, in others beside it. A problem
    that raises an error is in `Results.failed`, and the others are solved. Results
    have no proof and no trace, and whether other rankings are as good is not found out: use
    `aggregate` for a problem of which you want to know more.

    Args:
        problems: Rankings or counts by key, such as what `read_many` returned.
        method: One of `methods()`.
        time_limit: Seconds for all problems together. Each problem gets an equal share of half of
            it. The rest goes to those that are not proven optimal by then. Without a limit, each
            problem is solved as `aggregate` does.
        seed: A whole number, for each problem.
        n_jobs: The number of processes, with this one; one per core by default. Inside
            `joblib.parallel_config` with a backend of other processes or machines, problems
            are solved there.
        on_result: Called with the key and the result of each problem, as they come.
        on_progress: Called with the number of finished and of all problems, at most ten times a
            second.
        **settings: Settings of the method, by name.

    Returns:
        The results by key. Ctrl-C returns those so far.

    Example:
        >>> votes = {"north": Rankings.from_orders([["a", "b"]]), "south": [[0, 1], [2, 0]]}
        >>> {key: result.ranking for key, result in aggregate_many(votes).items()}
        {'north': ('a', 'b'), 'south': ('2', '1')}
    """
    started = time.perf_counter()
    get(method).make_settings(
        {name: value for name, value in settings.items() if name not in ("ties", "tie_penalty")}
    )
    if time_limit is not None and not time_limit >= 0:
        raise SettingError(f"time_limit must be a number of at least 0, not {time_limit!r}")
    keys = list(problems)
    found: dict[Any, Consensus] = {}
    failed: dict[Any, ConcordantError] = dict(getattr(problems, "failed", {}))
    reported = -1.0

    def take(key: Any, outcome: Consensus | ConcordantError, again: bool) -> None:
        nonlocal reported
        if isinstance(outcome, ConcordantError):
            failed[key] = outcome
        else:
            found[key] = outcome
            if on_result is not None and (again or time_limit is None or _is_final(outcome)):
                on_result(key, outcome)
        now = time.perf_counter()
        done = len(found) + len(failed)
        if on_progress is not None and (now - reported > _SECONDS_BETWEEN_REPORTS or again):
            reported = now
            on_progress(done, len(keys) + len(getattr(problems, "failed", {})))

    fixed = {"method": method, "seed": seed, **settings}
    threads = threads_of(n_jobs)
    pool = active_pool(n_jobs)
    interrupted = False
    try:
        share = None
        if time_limit is not None:
            share = _FIRST_SHARE * time_limit * threads / max(1, len(keys))
        calls: list[Call] = [(key, problems[key], share, None) for key in keys]
        with closing(_solve_all(calls, fixed, threads, pool)) as outcomes:
            for key, outcome in outcomes:
                take(key, outcome, again=False)
        if time_limit is not None:
            left = [key for key in keys if key in found and not _is_final(found[key])]
            seconds = max(0.0, time_limit - (time.perf_counter() - started))
            share = seconds * threads / max(1, len(left))
            if not seconds:
                left = []
            calls = [(key, problems[key], share, found[key].ranking) for key in left]
            with closing(_solve_all(calls, fixed, threads, pool)) as outcomes:
                for key, outcome in outcomes:
                    take(key, outcome, again=True)
        if on_progress is not None:
            total = len(keys) + len(getattr(problems, "failed", {}))
            on_progress(len(found) + len(failed), total)
    except KeyboardInterrupt:
        interrupted = True
    ordered = {key: found[key] for key in keys if key in found}
    return Results(ordered, failed, interrupted)


def _is_final(result: Consensus) -> bool:
    """Return whether more time cannot change a result."""
    return result.status == "optimal" or get(result.method).effort in ("instant", "seconds")


Call = tuple[Any, Any, float | None, Any]
Outcome = tuple[Any, Consensus | ConcordantError]


def solve_some(fixed: dict[str, Any], calls: list[Call]) -> list[Outcome]:
    """Solve some problems; an error of one is its outcome."""
    outcomes: list[Outcome] = []
    is_instant = get(fixed["method"]).effort == "instant"
    for key, data, seconds, initial in calls:
        try:
            with counted_up_to(_COUNTED) if is_instant else nullcontext():
                result = aggregate(
                    data, time_limit=seconds, initial=initial, n_jobs=1, alternatives=0, **fixed
                )
            if result.interrupted:
                raise KeyboardInterrupt
            outcomes.append((key, replace(result, proof=None, elite=None, trace=())))
        except ConcordantError as error:
            outcomes.append((key, error))
    return outcomes


def _solve_all(
    calls: list[Call], fixed: dict[str, Any], threads: int, pool: WorkerPool | None
) -> Generator[Outcome, None, None]:
    if pool is not None:
        yield from _on_pool(calls, fixed, pool)
        return
    left = calls[::-1]
    waiting: dict[Future[list[Outcome]], list[Call]] = {}
    began = time.perf_counter()
    solved, size, helpers = 0, 1, None
    try:
        while left or waiting:
            if solved and helpers is None and threads > 1:
                each = (time.perf_counter() - began) / solved
                size = max(1, min(64, round(_TASK_SECONDS / max(each, 1e-6))))
                if each * len(left) > _WORTH_SECONDS:
                    helpers = _processes(threads - 1)
            while helpers is not None and len(left) > size and len(waiting) < 2 * (threads - 1):
                some = [left.pop() for _ in range(size)]
                waiting[helpers.submit(solve_some, fixed, some)] = some
            if left:
                solved += 1
                yield from solve_some(fixed, [left.pop()])
            if not waiting:
                continue
            for task in wait(waiting, 0 if left else None, FIRST_COMPLETED).done:
                some = waiting.pop(task)
                try:
                    yield from task.result()
                except BrokenProcessPool:
                    # A process has died: this one solves the rest.
                    _end_processes()
                    helpers, threads = None, 1
                    left += [*some, *(call for more in waiting.values() for call in more)]
                    waiting.clear()
                    break
    finally:
        if waiting:
            # Ctrl-C: nobody waits for these any more.
            _end_processes()


@cache
def _processes(number: int) -> ProcessPoolExecutor:
    """Return processes that stay for the next call: they need a second to load their code."""
    pool = ProcessPoolExecutor(
        number, mp_context=get_context("spawn"), initializer=_leave_interrupts
    )
    # A new process imports the main module of its parent, which may be a script without a guard.
    # It is not needed here.
    main = sys.modules["__main__"].__dict__
    hidden: dict[str, Any] = {
        name: main.pop(name) for name in ("__file__", "__spec__") if name in main
    }
    main["__spec__"] = None
    try:
        pool.submit(_leave_interrupts)
    finally:
        main.update(hidden)
    _started.append(pool)
    return pool


_started: list[ProcessPoolExecutor] = []


def _leave_interrupts() -> None:
    """Let Ctrl-C reach only the process that started this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _end_processes() -> None:
    _processes.cache_clear()
    while _started:
        pool = _started.pop()
        running = list((getattr(pool, "_processes", None) or {}).values())
        pool.shutdown(wait=False, cancel_futures=True)
        for process in running:
            process.terminate()


def _on_pool(calls: list[Call], fixed: dict[str, Any], pool: WorkerPool) -> Iterator[Outcome]:
    """Solve the problems on the workers of joblib or Dask, some in each task."""
    size = max(1, min(64, len(calls) // (4 * pool.slots)))
    tasks = [(calls[start : start + size],) for start in range(0, len(calls), size)]
    with closing(pool.run(solve_some, fixed, tasks)) as events:
        for event in events:
            if not isinstance(event, Result):
                continue
            if event.lost is None:
                yield from event.value
            else:
                for key, *_ in tasks[event.number][0]:
                    yield key, event.lost
