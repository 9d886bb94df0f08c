"""Counting on a Dask cluster: each partition by itself, then the sum of all matrices in a tree.

Needs the extra `dask`, which is imported only when a function needs it.
"""

from __future__ import annotations

import asyncio
import ctypes
import os
import queue
import socket
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from numbers import Number
from os import PathLike
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from concordant._files import reason
from concordant._types import Item
from concordant.counting.batches import BatchCounter, blank_rankings
from concordant.counting.files import CountResult, expand_paths, pieces_of
from concordant.errors import ConcordantError, InputError, InputWarning, SettingError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.workers import watch_task

# The types of Dask differ between releases.
Client = Any

# Seconds within which a scheduler must answer, and must have a worker.
_ANSWER, _WORKER = 5.0, 15.0
# The columns that a frame can have.
_ROLES = ("voter", "item", "rank", "score", "weight")
# The number of matrices that one task adds up.
_BRANCHES = 8
# Seconds between two checks of the partitions, and the longest wait, once the sum is known, for
# the message that a partition is counted.
_TICK, _LATE = 0.1, 10.0


# -- the cluster -----------------------------------------------------------------------------


def connect(scheduler: str) -> Client:
    """Return a client of the scheduler at an address, such as "tcp://10.0.0.1:8786".

    Raises:
        SettingError: No scheduler answers within 5 s, or it has no worker within 15 s.
    """
    distributed = _load()
    _ask(scheduler)
    client = distributed.Client(scheduler, timeout=_ANSWER, set_as_default=False)
    try:
        client.wait_for_workers(1, timeout=_WORKER)
    except TimeoutError:
        client.close()
        raise SettingError(
            f"scheduler: {scheduler!r} has had no worker for {_WORKER:g} s: start one with "
            "'dask worker'",
            setting="scheduler",
        ) from None
    except BaseException:
        client.close()
        raise
    return client


@contextmanager
def cluster(scheduler: str | None) -> Iterator[Client | None]:
    """Run `aggregate`, `compare` and benchmarks inside the block on a cluster.

    Args:
        scheduler: The address of its scheduler; None changes nothing.
    """
    if scheduler is None:
        yield None
        return
    with connect(scheduler) as client:
        from joblib import parallel_config

        with parallel_config("dask", client=client):
            yield client


def _load() -> Any:
    try:
        import dask  # noqa: F401
        import distributed
        import joblib  # noqa: F401
    except ImportError as error:
        raise SettingError(
            f"{error.name} is not installed: install the extra 'dask' (concordant[dask])"
        ) from None
    return distributed


def _ask(scheduler: str) -> None:
    """Refuse an address where no scheduler answers at once.

    A Dask client would try for a long time, and leave threads behind when it fails.
    """
    from distributed.core import rpc
    from distributed.security import Security

    try:
        address = urlsplit(scheduler if "://" in scheduler else f"tcp://{scheduler}")
        known = bool(address.hostname and address.port)
    except (TypeError, ValueError, AttributeError):
        known = False
    if not known:
        raise SettingError(
            f"scheduler must be an address such as tcp://10.0.0.1:8786, not {scheduler!r}",
            setting="scheduler",
        )

    if address.scheme in ("tcp", "tls"):
        try:
            socket.create_connection((address.hostname, address.port), timeout=_ANSWER).close()
        except OSError as error:
            raise SettingError(
                f"scheduler: nothing answers at {scheduler!r}: {reason(error)}", setting="scheduler"
            ) from None

    async def ask() -> Any:
        arguments = Security().get_connection_args("client")
        async with rpc(scheduler, timeout=_ANSWER, connection_args=arguments) as there:
            return await there.identity()

    # In another thread, because a notebook runs its own event loop in this one.
    with ThreadPoolExecutor(1) as pool:
        try:
            found = pool.submit(lambda: asyncio.run(asyncio.wait_for(ask(), _ANSWER))).result()
        except Exception:
            # A server with another protocol can cause any error, or none.
            found = {}
    if found.get("type") != "Scheduler":
        raise SettingError(
            f"scheduler: the server at {scheduler!r} is not a Dask scheduler, or one of a very "
            "different version: check the address",
            setting="scheduler",
        )


@contextmanager
def _client_for(scheduler: str | None, client: Client | None) -> Iterator[Client]:
    """Yield the client given, or one for the address, or the current one, or a local one."""
    distributed = _load()
    if client is not None and scheduler is not None:
        raise SettingError("give a scheduler or a client, not both", setting="scheduler")
    if client is None and scheduler is None:
        try:
            client = distributed.get_client()
        except ValueError:
            with (
                distributed.LocalCluster(
                    processes=True, threads_per_worker=1, dashboard_address=":0"
                ) as own,
                distributed.Client(own, set_as_default=False) as client,
            ):
                yield client
            return
    if client is not None:
        yield client
        return
    assert scheduler is not None
    with connect(scheduler) as client:
        yield client


# -- counting --------------------------------------------------------------------------------


@dataclass(slots=True)
class _Part:
    """The sum of some partitions, and the errors of the files that were left out."""

    counter: BatchCounter
    skipped: tuple[InputError, ...] = ()


class _MergeError(InputError):
    """Partitions that can each be counted, but not added up."""


def count(
    source: Any,
    *,
    items: Iterable[Item] | None = None,
    scheduler: str | None = None,
    client: Client | None = None,
    skip_bad: bool = False,
    on_progress: Callable[[int, int, str], Any] | None = None,
    **reading: Any,
) -> Pairwise:
    """Count the pairs of rankings on a cluster.

    Each partition is counted on the worker that has it, and the matrices are added in a tree; no
    ranking is sent. The sum is exact. It does not depend on the order in which workers end. If a
    worker dies, its tasks are run again on another one.

    Args:
        source: One of

            - files: a pattern ("votes/*.parquet") or a list of paths that the workers can open.
              Each file is one task.
            - a Dask bag: each element is a ranking, a list of items with ties as tuples; or a
              tuple (ranking, weight) of a list and a number; or `Rankings`, or a `Pairwise`.
            - a Dask dataframe, with the layouts of `Rankings.from_frame`. A long one is shuffled
              by voter first, unless its index is the voter and its divisions are known.
        items: All items, in the order that numbers them; by default those that occur, in order
            of appearance. Other items are refused.
        scheduler: The address of the scheduler.
        client: A Dask client, in place of an address. With neither, the current client; if there
            is none, local processes, one per core.
        skip_bad: Leave out files that cannot be used, with an `InputWarning` for each, instead of
            raising the error of the first one.
        on_progress: Called with the number of partitions counted, the number of all partitions,
            and the name of the last one.
        **reading: The other arguments of `concordant.read` (files), `Rankings.from_orders` (bags)
            or `Rankings.from_frame`, such as `unranked`, `duplicates` and `layout`.

    Raises:
        InputError: A file, a ranking or a row cannot be used.
        SettingError: The extra is missing, or no scheduler answers.
    """
    pairs, skipped = _count(source, items, (scheduler, client), skip_bad, on_progress, reading)
    for error in skipped:
        place = "" if error.line is None else f"line {error.line}: "
        left_out = InputWarning(f"left out: {place}{error.message}", path=error.path)
        warnings.warn(left_out, stacklevel=2)
    return pairs


def count_files(
    paths: Sequence[str | PathLike[str]],
    *,
    scheduler: str | None = None,
    client: Client | None = None,
    skip_bad: bool = False,
    on_progress: Callable[[int, int, str], Any] | None = None,
    **reading: Any,
) -> CountResult:
    """Count files as `counting.files.count_files` does, on a cluster; see `count`."""
    pairs, skipped = _count(list(paths), None, (scheduler, client), skip_bad, on_progress, reading)
    left_out = {str(error.path): error for error in skipped}
    return CountResult(pairs, len(paths) - len(left_out), left_out)


def _count(
    source: Any,
    items: Iterable[Item] | None,
    where: tuple[str | None, Client | None],
    skip_bad: bool,
    on_progress: Callable[[int, int, str], Any] | None,
    reading: dict[str, Any],
) -> tuple[Pairwise, tuple[InputError, ...]]:
    """Return the counts of a source, and the errors of the files that were left out."""
    _load()
    listed = None if items is None else list(items)
    # As the current client, so that a shuffle uses all machines.
    with _client_for(*where) as workers, workers.as_current():
        leaves, names, are_files = _leaves(source, reading, skip_bad)
        try:
            part = _compute(workers, leaves, _tree(leaves, names, are_files), names, on_progress)
        except _MergeError as error:
            if not skip_bad or not are_files:
                raise InputError(error.message, path=error.path) from None
            # Only one file after the other shows which file does not fit those before it.
            part = _compute(workers, leaves, _chain(leaves, names), names, on_progress)
    counter = part.counter
    if part.skipped and not counter.items:
        raise InputError(
            f"none of the {len(part.skipped):,} files can be read; "
            + "; ".join(str(error) for error in part.skipped[:3])
        )
    if listed is not None:
        counter = BatchCounter(listed)
        counter.add(part.counter)
    return Pairwise(*counter.data()), part.skipped


def _leaves(
    source: Any, reading: dict[str, Any], skip_bad: bool
) -> tuple[list[Any], list[str], bool]:
    """Return a task for each partition of a source, their names, and whether they are files."""
    from dask.delayed import delayed

    if isinstance(source, str | PathLike) or _is_paths(source):
        paths = _paths(source)
        one = delayed(partial(_count_file, reading=reading, skip_bad=skip_bad), pure=False)
        return [one(path) for path in paths], paths, True
    if hasattr(source, "map_partitions") and hasattr(source, "to_delayed"):
        is_frame = hasattr(source, "columns")
        if is_frame:
            source = _by_voter(source, reading)
        function = _count_frame if is_frame else _count_bag
        parts = source.to_delayed()
        names = [f"partition {number + 1}" for number in range(len(parts))]
        return [
            delayed(partial(function, name=name, reading=reading), pure=False)(part)
            for part, name in zip(parts, names, strict=True)
        ], names, False  # fmt: skip
    raise InputError(
        f"a {type(source).__name__} cannot be counted on a cluster: give a pattern or a list of "
        "files, a Dask bag or a Dask dataframe"
    )


def _is_paths(source: Any) -> bool:
    return isinstance(source, Sequence) and all(isinstance(path, str | PathLike) for path in source)


def _paths(source: Any) -> list[str]:
    names = [source] if isinstance(source, str | PathLike) else source
    # Absolute, because workers have other working folders.
    found = [str(Path(path).absolute()) for path in expand_paths(map(str, names))]
    if not found:
        raise InputError("there is no file to count")
    return found


def _by_voter(frame: Any, reading: dict[str, Any]) -> Any:
    """Return a frame in which all rows of a voter are in the same partition."""
    from concordant.tables.columns import plan_columns

    given = {role: reading.get(role) for role in _ROLES}
    layout = reading.get("layout", "auto")
    index = frame.index.name
    if index is not None and index not in frame.columns:
        try:
            plan = plan_columns([index, *frame.columns], layout=layout, **given)
        except InputError:
            # The columns may be enough; if not, the error is about them.
            plan = None
        # Only a long frame may have its index as a column: in others it would be another item.
        if plan is not None and plan.layout == "long" and index in plan.used:
            whole = frame.reset_index()[plan.used]
            if plan.voter == index and frame.known_divisions:
                # Sorted by its index: equal voters are in the same partition.
                return whole
            return whole.shuffle(on=plan.voter)
    plan = plan_columns(list(frame.columns), layout=layout, **given)
    if plan.layout != "long":
        return frame
    return frame[plan.used].shuffle(on=plan.voter)


def _tree(leaves: list[Any], names: list[str], are_files: bool) -> Any:
    """Return the task that adds up all partitions, a few in each step."""
    from dask.delayed import delayed

    level, spans = leaves, [(name, name) for name in names]
    while len(level) > 1:
        groups = [slice(k, k + _BRANCHES) for k in range(0, len(level), _BRANCHES)]
        level = [
            delayed(partial(_merge, spans=spans[group], are_files=are_files), pure=False)(
                level[group]
            )
            for group in groups
        ]
        spans = [(spans[group][0][0], spans[group][-1][1]) for group in groups]
    return level[0]


def _chain(leaves: list[Any], names: list[str]) -> Any:
    """Return the task that adds up files in their order, and leaves out those that do not fit."""
    from dask.delayed import delayed

    sum_ = leaves[0]
    for leaf, name in zip(leaves[1:], names[1:], strict=True):
        sum_ = delayed(partial(_add_file, path=name), pure=False)(sum_, leaf)
    return sum_


def _compute(
    client: Client,
    leaves: list[Any],
    top: Any,
    names: list[str],
    on_progress: Callable[[int, int, str], Any] | None,
) -> _Part:
    """Compute the tasks of all partitions and the task of their sum; return the sum."""
    *counted, root = client.compute([*leaves, top])
    ended: queue.SimpleQueue[int | None] = queue.SimpleQueue()
    for number, future in enumerate(counted):
        future.add_done_callback(lambda _, number=number: ended.put(number))
    root.add_done_callback(lambda _: ended.put(None))
    # Keep no reference to a counted partition, so that Dask frees its matrix after the sum.
    waiting = dict(enumerate(counted))
    del counted, future
    waited = 0.0
    try:
        # The messages of the last partitions may come after that of the sum.
        while not root.done() or (waiting and root.status == "finished" and waited < _LATE):
            try:
                leaf = ended.get(timeout=_TICK)
            except queue.Empty:
                waited += _TICK if root.done() else 0.0
                continue
            if leaf is not None and waiting.pop(leaf, None) is not None and on_progress is not None:
                on_progress(len(leaves) - len(waiting), len(leaves), names[leaf])
        return _root(root)
    finally:
        # The sum first: the scheduler does not cancel tasks that another task waits for.
        client.cancel([root])
        # Waiting tasks never start; running ones check for it between two pieces.
        client.cancel(list(waiting.values()))


def _root(root: Any) -> _Part:
    from distributed import KilledWorker

    if root.cancelled():
        raise ConcordantError(
            "the scheduler has cancelled the count, or has stopped: check it, and count again"
        )
    try:
        part: _Part = root.result()
    except KilledWorker as error:
        raise ConcordantError(
            f"a partition has ended each worker that counted it: {error}. Cut the data into "
            "smaller partitions, or give the workers more memory"
        ) from None
    except ModuleNotFoundError as error:
        raise SettingError(
            f"the workers cannot import {error.name!r}: install the same version of concordant "
            "there"
        ) from None
    return part


# -- on the workers --------------------------------------------------------------------------


def _merge(parts: list[_Part], spans: Sequence[tuple[str, str]], are_files: bool) -> _Part:
    """Add up parts in the order of the partitions, which is the order of the items."""
    sum_ = BatchCounter()
    for part, (first, last) in zip(parts, spans, strict=True):
        try:
            sum_.add(part.counter)
        except InputError as error:
            if are_files and first == last:
                raise _MergeError(error.message, path=first) from None
            where = first if first == last else f"one of {first} to {last}"
            raise _MergeError(f"{where}: {error.message}") from None
    return _Part(sum_, tuple(each for part in parts for each in part.skipped))


def _add_file(sum_: _Part, part: _Part, path: str) -> _Part:
    """Add a file, or leave it out if it does not fit the files before it."""
    skipped = (*sum_.skipped, *part.skipped)
    total = BatchCounter()
    total.add(sum_.counter)
    try:
        total.add(part.counter)
    except InputError as error:
        skipped = (*skipped, InputError(error.message, path=path))
    return _Part(total, skipped)


# Two settings of `mallopt` in glibc: the free memory at the end of the heap that is returned to the
# system, and the size from which a block gets its own mapping. Then the values that a Dask worker
# has, and ours.
_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
_RETURNED_AT_ONCE = {_TRIM_THRESHOLD: 64 * 2**10, _MMAP_THRESHOLD: 128 * 2**10}
_KEPT_FOR_REUSE = {_TRIM_THRESHOLD: 256 * 2**20, _MMAP_THRESHOLD: 32 * 2**20}


@contextmanager
def _reusing_memory() -> Iterator[None]:
    """Keep memory for the next piece of a file, instead of returning it after each piece.

    Dask starts its workers with `MALLOC_TRIM_THRESHOLD_` set to 64 KiB. Then every large block
    comes from the system again and is cleared, which takes as long as counting.
    """
    try:
        if "MALLOC_TRIM_THRESHOLD_" not in os.environ:
            raise OSError
        libc = ctypes.CDLL(None)
        mallopt, malloc_trim = libc.mallopt, libc.malloc_trim
    except (OSError, AttributeError):
        yield
        return
    for setting, size in _KEPT_FOR_REUSE.items():
        mallopt(setting, size)
    try:
        yield
    finally:
        for setting, size in _RETURNED_AT_ONCE.items():
            mallopt(setting, size)
        malloc_trim(0)


@_reusing_memory()
def _count_file(path: str, reading: dict[str, Any], skip_bad: bool) -> _Part:
    counter = BatchCounter()
    is_cancelled = watch_task()
    try:
        for piece in pieces_of(path, **reading):
            counter.add(piece.read())
            if is_cancelled():
                return _Part(BatchCounter())
        if not counter.items:
            # The error of a whole file of blank ballots; pieces of a file may be blank.
            raise InputError("there is no item to rank")
        return _Part(counter)
    except InputError as error:
        # Subclasses with a row cannot be pickled.
        plain = InputError(error.message, path=error.path or path, line=error.line)
    if not skip_bad:
        raise plain
    return _Part(BatchCounter(), (plain,))


@_reusing_memory()
def _count_bag(elements: Iterable[Any], name: str, reading: dict[str, Any]) -> _Part:
    counter = BatchCounter()
    rankings: list[Any] = []
    weights: list[Any] = []
    for element in elements:
        if isinstance(element, Rankings | Pairwise):
            counter.add(element)
            continue
        weighted = (
            isinstance(element, tuple)
            and len(element) == 2
            and isinstance(element[0], list)
            and isinstance(element[1], Number)
        )
        rankings.append(element[0] if weighted else element)
        weights.append(element[1] if weighted else 1)
    try:
        if not all(isinstance(ranking, list | tuple) and not ranking for ranking in rankings):
            counter.add(Rankings.from_orders(rankings, weights=weights, **reading))
        elif rankings:
            nothing = np.zeros(0, np.int32)
            arrays = (np.zeros(len(rankings) + 1, np.int64), nothing, nothing, weights)
            counter.add(blank_rankings(((), *arrays), reading.get("unranked") or "unknown"))
    except InputError as error:
        raise InputError(f"{name}: {error.message}") from None
    return _Part(counter)


@_reusing_memory()
def _count_frame(frame: Any, name: str, reading: dict[str, Any]) -> _Part:
    if not len(frame):
        return _Part(BatchCounter())
    counter = BatchCounter()
    columns = _columns(frame)
    try:
        try:
            counter.add(Rankings.from_frame(columns, **reading))
        except InputError:
            blank = _blank(columns, reading)
            if blank is None:
                raise
            counter.add(blank)
    except InputError as error:
        raise InputError(f"{name}: {error.message}") from None
    return _Part(counter)


def _blank(frame: Any, reading: dict[str, Any]) -> Rankings | None:
    """Return the rankings of a partition of only blank ballots; None if it is something else."""
    from concordant.tables.columns import plan_columns
    from concordant.tables.frames import read_frame

    given = {role: reading.get(role) for role in _ROLES}
    try:
        # Columns without a value show no layout: only their names do.
        plan = plan_columns(list(frame.columns), layout=reading.get("layout", "auto"), **given)
        table = read_frame(frame, given, layout=plan.layout)
        return blank_rankings(table.arrays, reading.get("unranked") or "unknown", table.n_rankings)
    except InputError:
        return None


def _columns(frame: Any) -> Any:
    """Return a pandas frame of numbers and texts in polars, which is read without objects."""
    from concordant._polars import pl

    kinds = [frame.dtypes.iloc[k] for k in range(frame.shape[1])]
    plain = all(kind.kind in "iuf" or str(kind) in ("str", "string") for kind in kinds)
    if not plain or not all(isinstance(name, str) for name in frame.columns):
        return frame
    return pl.from_pandas(frame)
