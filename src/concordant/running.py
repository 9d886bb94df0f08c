"""`Run`: what a method is given to work with, and where it reports what it finds.

It holds the limits, the clock, the random streams, the incumbent and the bound. Methods
call `improve` and `raise_bound` when they have something, and `stop` between slices.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._types import Int64, Stream
from concordant.distances import distances_from_ranks
from concordant.errors import MethodError, show
from concordant.pairwise import Pairwise, value_of
from concordant.rankings import Item, Rankings
from concordant.reduction.split import Split
from concordant.reduction.tie_breaking import preference
from concordant.stopping import Progress, reads_clock
from concordant.workers import WorkerPool

TracePoint = tuple[float, int, int | float, int | float]
# A trace keeps at most this many points, the first and the last ones: enough for a plot.
_TRACE = 500
_SECONDS_BETWEEN_REPORTS = 0.1
# Rankings of up to this many items are counted when the run begins: it takes milliseconds.
_counted_at_once: ContextVar[int] = ContextVar("counted_at_once", default=4_096)


def stream(rng: np.random.Generator) -> Stream:
    """Draw a random stream for kernels."""
    return rng.integers(0, 2**64, 1, np.uint64)


def numbers_among(items: Sequence[Item], others: Sequence[Item]) -> Int64 | None:
    """Return the index of each item in another list; None if the lists hold different items.

    Example:
        >>> numbers_among("abc", "cab"), numbers_among("abc", "abd")
        (array([1, 2, 0]), None)
    """
    number = {item: k for k, item in enumerate(others)}
    if number.keys() != set(items):
        return None
    return np.array([number[item] for item in items], np.int64)


@dataclass(frozen=True, slots=True)
class Elite:
    """Orders of a finished search, from which a search on changed data can continue.

    Attributes:
        items: The items.
        orders: A row per order, best first: item numbers.
        seconds: How long the search from scratch took.
    """

    items: tuple[Item, ...]
    orders: Int64
    seconds: float

    def over(self, data: Rankings | Pairwise) -> Int64:
        """Return the orders for other data; new items are inserted at their best places.

        Example:
            >>> elite = Elite(("a", "b", "c"), np.array([[2, 0, 1]]), 1.0)
            >>> elite.over(Rankings.from_orders([["c", "b", "a"]]))
            array([[0, 2, 1]])
            >>> elite.over(Rankings.from_orders([["d", "c", "a"]]))
            array([[0, 1, 2]])
        """
        number = numbers_among(self.items, data.items)
        if number is not None:
            return number[self.orders]
        place = {item: k for k, item in enumerate(data.items)}
        known = np.array([place.get(item, -1) for item in self.items], np.int64)
        orders = known[self.orders]
        kept = orders[orders >= 0].reshape(orders.shape[0], -1)
        return completed(kept, counted(data).counts)


def counted(data: Rankings | Pairwise) -> Pairwise:
    """Return the pairwise counts of data."""
    return data if isinstance(data, Pairwise) else Pairwise.from_rankings(data, ties=False)


def completed(orders: Int64, counts: npt.NDArray[Any]) -> Int64:
    """Insert the items that orders lack, one after the other, each where it costs least.

    Args:
        orders: One order or several, a row each, of the same items.
        counts: The pairwise counts of all items.

    Example:
        >>> completed(np.array([0, 1]), np.array([[0, 1, 5], [0, 0, 1], [1, 4, 0]]))
        array([0, 2, 1])
    """
    found = np.atleast_2d(orders)
    missing = np.setdiff1d(np.arange(counts.shape[0]), found[0])
    for item in missing.tolist():
        # What each place further down adds to the cost: the item behind one more.
        steps = counts[item][found].astype(np.int64) - counts[:, item][found]
        totals = np.concatenate([np.zeros((found.shape[0], 1), np.int64), steps.cumsum(axis=1)], 1)
        places = totals.argmin(axis=1)[:, None]
        longer = np.full((found.shape[0], found.shape[1] + 1), item)
        longer[np.arange(longer.shape[1]) != places] = found.ravel()
        found = longer
    return found if orders.ndim == 2 else found[0]


@contextmanager
def counted_up_to(n_items: int) -> Iterator[None]:
    """Let runs in the block count the pairs of at most this many items before they are needed.

    A run that never needs the pairs then has no lower bound, and takes a fraction of the time.
    """
    token = _counted_at_once.set(n_items)
    try:
        yield
    finally:
        _counted_at_once.reset(token)


class Run:
    """One call of `aggregate`: the data, the limits, random streams, the incumbent and the bound.

    Args:
        data: Rankings, or their pairwise counts. Rankings of many items are counted when a
            method first asks for `pairwise`: those that sort by scores never do.
        seed, rule, initial, n_jobs, on_progress: The arguments of `aggregate`.
        elite: Orders of an earlier search, for methods that can continue from them.
        earlier: The proof of an earlier run on nearly the same data, for proofs that can follow
            it.
        clock: Returns the seconds since the call.
        top: The number of first places to prove; None for all.
        is_cancelled: Returns whether nobody waits for the run any more; asked with the limits.
        pool: Other workers, for methods that can use them.
    """

    def __init__(
        self,
        data: Rankings | Pairwise,
        *,
        seed: int = 0,
        rule: Callable[[Progress], bool] | None = None,
        initial: Int64 | None = None,
        elite: Int64 | None = None,
        earlier: Any = None,
        n_jobs: int = 1,
        on_progress: Callable[[Progress], Any] | None = None,
        clock: Callable[[], float] | None = None,
        top: int | None = None,
        is_cancelled: Callable[[], bool] | None = None,
        pool: WorkerPool | None = None,
    ) -> None:
        self.data = data
        self.rankings = data if isinstance(data, Rankings) else None
        self.seed = seed
        self.n_jobs = n_jobs
        self.initial = initial
        # The orders to continue from. A method stores the orders for the next run here.
        self.elite = elite
        self.earlier = earlier
        # Set in one step, so that an interrupt never finds an order with the cost of another.
        self._best: tuple[Int64, int] | None = None
        # Costs of rankings are never negative; the pairs prove more once they are counted.
        self._bound = 0
        # Scores of nearly the same data, for methods that fit scores: they then start from these,
        # and compute no intervals.
        self.near: npt.NDArray[np.float64] | None = None
        # Further facts of a method, such as its own objective or scores: plain values, for JSON.
        self.details: dict[str, Any] = {}
        self.iterations = 0
        self.generations = 0
        self.interrupted = False
        self.buckets: list[list[int]] | None = None
        # The costs of an answer with ties, for methods that search for one: a `TierCosts`.
        self.tier_costs: Any = None
        # Whether no limit reads the clock, so that the answer must not depend on it.
        self.repeatable = rule is not None and not reads_clock(rule)
        # What proves the bound, if the method keeps it: a `bounds.record.Proof`.
        self.proof: Any = None
        self.top = top
        # Whether the first `top` places are solved, which ends the run; and whether the order
        # that was kept in the end is proven to begin as an optimal one does.
        self.top_solved = False
        self.top_proven = False
        # When the best order was found, in seconds.
        self.improved_at = 0.0
        self.trace: list[TracePoint] = []
        self._best_generation = 0
        self.rule = rule
        self.pool = pool
        self._is_cancelled = is_cancelled or (lambda: False)
        self._on_progress = on_progress
        self._reported = 0.0
        self._lock = threading.Lock()
        started = time.perf_counter()
        self._clock = clock or (lambda: time.perf_counter() - started)
        self._latest = 0.0
        self._late = self.rankings is not None and self.n_items > _counted_at_once.get()
        if not self._late:
            self._bound = self.pairwise.lower_bound_units()
        if initial is not None:
            self.improve(initial)

    @property
    def n_items(self) -> int:
        """The number of items."""
        return self.data.n_items

    @cached_property
    def pairwise(self) -> Pairwise:
        """The pairwise counts of the data."""
        if isinstance(self.data, Pairwise):
            return self.data
        counted = Pairwise.from_rankings(self.data, n_jobs=self.n_jobs, ties=False)
        if self._late:
            self.raise_bound(counted.lower_bound_units())
        return counted

    @property
    def is_counted(self) -> bool:
        """Whether the pairs have been counted."""
        return "pairwise" in self.__dict__

    def cost_units(self, order: npt.NDArray[np.integer[Any]]) -> int:
        """Return the exact cost of an order in units of the data, with or without the pairs."""
        if self.rankings is None or self.is_counted:
            return self.pairwise.cost_units(order)
        rank = np.empty(self.n_items, np.int64)
        rank[order] = np.arange(1, self.n_items + 1)
        return int(distances_from_ranks(rank, self.rankings) @ self.rankings.units)

    def value(self, units: int) -> int | float:
        """Turn an integer in units of the data into a number for people."""
        return value_of(units, self.data.scale)

    def rng(self, *stream: int) -> np.random.Generator:
        """Return the generator of one numbered stream of this run's seed."""
        return np.random.default_rng([self.seed, *stream])

    @cached_property
    def split(self) -> Split:
        """The components of the problem, found once for search and proof alike."""
        split = Split.of(self.pairwise)
        # Where only the first parts are solved, these are the ones that the rule prefers.
        return split if self.top is None else split.sorted_by(self.preference, self.pairwise)

    @cached_property
    def preference(self) -> Int64:
        """The place of each item by the rule for ties."""
        return preference(self.pairwise)

    @property
    def time_limit(self) -> float | None:
        """The time limit in seconds, if there is one."""
        seconds = getattr(self.rule, "seconds", math.inf)
        return None if math.isinf(seconds) else float(seconds)

    @property
    def max_iterations(self) -> int | None:
        """The limit of iterations, if there is one."""
        iterations = getattr(self.rule, "iterations", math.inf)
        return None if math.isinf(iterations) else int(iterations)

    @property
    def elapsed(self) -> float:
        """Seconds since the call, without the one-off compilation of kernels; never goes back.

        The clock may: a compilation that begins on another thread just now is taken off later.
        """
        self._latest = max(self._latest, self._clock())
        return self._latest

    @property
    def order(self) -> Int64 | None:
        """The best order so far."""
        return None if self._best is None else self._best[0]

    @property
    def cost(self) -> int | None:
        """The cost of the best order so far, in units of the matrix."""
        return None if self._best is None else self._best[1]

    @property
    def lower_bound(self) -> int:
        """The proven lower bound, in units of the matrix."""
        return self._bound

    def improve(
        self, order: npt.NDArray[np.integer[Any]] | Sequence[int], cost: int | None = None
    ) -> bool:
        """Offer an order of item indices; return whether it is the best so far.

        Raises:
            MethodError: It does not hold every item index once.
        """
        if cost is None:
            order = self._checked(order)
            cost = self.cost_units(order)
        if self._best is not None and cost >= self._best[1]:
            return False
        order = self._checked(order)
        with self._lock:
            if self._best is not None and cost >= self._best[1]:
                return False
            self._best = order, int(cost)
            self._best_generation = self.generations
            self.improved_at = self.elapsed
            self._record()
        return True

    def replace(self, order: Int64) -> bool:
        """Prefer an order that costs no more than the best one so far; return whether it does."""
        cost = self.cost_units(order)
        if self.improve(order, cost):
            return True
        if self._best is None or cost > self._best[1]:
            return False
        self._best = self._checked(order), cost
        return True

    def _checked(self, order: Any) -> Int64:
        """Return an order as an array of its own, if it holds every item index once."""
        try:
            given = np.array(order)
        except ValueError:
            given = np.empty(0)
        m = self.n_items
        if given.shape == (m,) and np.issubdtype(given.dtype, np.integer):
            inside = bool((given >= 0).all() and (given < m).all())
            if inside and bool((np.bincount(given, minlength=m) == 1).all()):
                return given.astype(np.int64)
        raise MethodError(
            f"an order must hold each of the item indices 0 to {m - 1} once, but the method "
            f"offered {show(given.tolist())}"
        )

    def raise_bound(self, bound: int) -> None:
        """Report a proven lower bound, in units of the matrix."""
        with self._lock:
            if bound > self._bound:
                self._bound = int(bound)
                self._record()

    def distrust_bound(self, proven: int) -> None:
        """Lower the bound to what is proven, wherever a higher one was reported."""
        if proven >= self._bound:
            return
        self._bound = proven
        most = self.value(proven)
        self.trace = [(*point[:3], min(point[3], most)) for point in self.trace]

    def _record(self) -> None:
        if self._best is None:
            return
        value = self.value
        if len(self.trace) >= _TRACE:
            del self.trace[_TRACE // 2]
        self.trace.append(
            (self.elapsed, self.iterations, value(self._best[1]), value(self.lower_bound))
        )

    @property
    def is_optimal(self) -> bool:
        """Whether the incumbent has met the bound."""
        return self._best is not None and self._best[1] <= self.lower_bound

    def progress(self, phase: str = "search") -> Progress:
        """Return a snapshot for rules and callbacks."""
        value = self.value
        best = self._best
        return Progress(
            self.elapsed,
            self.iterations,
            self.generations,
            self.generations - self._best_generation,
            None if best is None else value(best[1]),
            value(self.lower_bound),
            phase,
        )

    def stop(self, *, when_optimal: bool = True) -> bool:
        """Report progress, and return whether the run is over: proven, or out of limits.

        With `when_optimal=False`, only the limits count.
        """
        progress = self.progress()
        if self._on_progress is not None and (
            progress.elapsed - self._reported >= _SECONDS_BETWEEN_REPORTS
        ):
            self._reported = progress.elapsed
            self._on_progress(progress)
        if when_optimal and (self.is_optimal or self.top_solved):
            return True
        return self._is_cancelled() or (self.rule is not None and self.rule(progress))

    def is_limited(self) -> bool:
        """Return whether a limit of seconds or iterations will end the run, come what may."""
        late = replace(self.progress(), elapsed=1e18, iterations=2**62)
        return self.rule is not None and self.rule(late)

    def out_of_limits(self) -> bool:
        """Return whether a limit was reached, proven or not."""
        return self._is_cancelled() or (self.rule is not None and self.rule(self.progress()))

    def report(self) -> None:
        """Report the state of the run, whenever the last report was."""
        if self._on_progress is not None:
            self._on_progress(self.progress())

    def in_parallel(self, tasks: Iterable[Callable[[], Any]]) -> list[Any]:
        """Run tasks on the threads of this run and return their results in order."""
        tasks = list(tasks)
        if self.n_jobs == 1 or len(tasks) < 2:
            return [task() for task in tasks]
        if not hasattr(self, "_pool"):
            self._pool = ThreadPoolExecutor(self.n_jobs)
        futures = [self._pool.submit(task) for task in tasks]
        try:
            return [future.result() for future in futures]
        finally:
            # After an interrupt or an error, nothing may still be running.
            for future in futures:
                future.cancel()
            wait(futures)

    def close(self) -> None:
        """End the threads of this run."""
        if hasattr(self, "_pool"):
            self._pool.shutdown()
