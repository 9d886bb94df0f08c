"""Islands: the same search from several seeds on other workers; the best result is kept.

Each island is a run of its own on the pairwise counts, with one thread and the limits of the call.
Islands do not communicate, so a run without a time limit gives the same answer wherever and in
whatever order they run.
"""

from __future__ import annotations

import math
import platform
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from concordant._kernels.compiling import watch_compilation
from concordant._types import Int64
from concordant.pairwise import Pairwise
from concordant.running import Run
from concordant.stopping import Progress
from concordant.workers import News, Result, WorkerPool, cancelled, tell

# Default number of islands without a time limit. The answer depends on it, so it must not
# follow the size of the cluster.
_ISLANDS = 4
# Seconds between two messages of an island.
_BETWEEN_NEWS = 0.5
# An island ends before the limit by this many seconds, at most this share: its answer travels.
_TRAVEL, _TRAVEL_SHARE = 0.25, 0.1
# Seconds to wait for islands past the limit: when some have answered, and when none has because
# workers had to load or compile their code first.
_PATIENCE, _PATIENCE_FOR_ONE = 1.0, 15.0

# An island counts as started by this share of its time at the latest.
_LATEST = 0.75

Work = Callable[[Run, Any], None]


@dataclass(frozen=True, slots=True)
class Found:
    """What an island has found so far."""

    order: Int64
    cost: int
    bound: int
    iterations: int
    generations: int
    proof: Any = field(default=None, repr=False)
    details: dict[str, Any] = field(default_factory=dict)
    # The orders that the next search can continue from.
    elite: Int64 | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Sent:
    """Where and when an island was submitted, and what the clock of the run showed then."""

    machine: str
    when: float
    clock: float

    def elapsed(self, limit: float | None) -> float:
        """Return what the clock of the run shows now; only the same machine can know the delay.

        An island that starts late, because its worker had to load the code, still gets some time:
        otherwise its answer would be no better than the start.
        """
        if platform.node() != self.machine:
            return self.clock
        now = self.clock + max(0.0, time.time() - self.when)
        return now if limit is None else min(now, self.clock + _LATEST * (limit - self.clock))


def seed_of(seed: int, island: int) -> int:
    """Return the seed of an island; the first one has the seed of the call.

    Example:
        >>> seed_of(7, 0), seed_of(7, 1) == seed_of(7, 1), seed_of(7, 1) == seed_of(7, 2)
        (7, True, False)
    """
    if island == 0:
        return seed
    # A result is saved with its seed, as an integer of 64 bits with a sign.
    return int(np.random.SeedSequence([seed, island]).generate_state(1, np.uint64)[0] >> 1)


def search_on_islands(run: Run, pool: WorkerPool, work: Work, settings: Any) -> None:
    """Run `work` on several islands, and keep the best order and the best bound.

    Args:
        run: The run. Its order is the answer when no island gives one.
        pool: Where the islands run.
        work: The method, which each island calls with a run of its own.
        settings: Its settings.
    """
    number = pool.wanted if pool.wanted > 0 else _ISLANDS if run.repeatable else pool.slots
    if not run.repeatable:
        # Islands that must wait for a worker would start when the time is over.
        number = max(1, min(number, pool.slots))
    limit = run.time_limit
    ahead = run.elapsed if limit is None else run.elapsed + min(_TRAVEL, limit * _TRAVEL_SHARE)
    sent = Sent(platform.node(), time.time(), ahead)
    calls = [
        (work, settings, seed_of(run.seed, island), run.rule, run.initial, run.elite, sent)
        for island in range(number)
    ]
    found: dict[int, Found] = {}
    heard: dict[int, Found] = {}
    try:
        with closing(pool.run(run_island, run.pairwise, calls)) as events:
            for event in events:
                if isinstance(event, News):
                    heard[event.number] = event.value
                elif event is not None and event.value is not None:
                    found[event.number] = heard[event.number] = event.value
                if isinstance(event, News | Result) and not run.repeatable:
                    _take(run, heard.get(event.number))
                if _is_over(run, found):
                    break
    except KeyboardInterrupt:
        for each in heard.values():
            _take(run, each)
        raise
    # In the order of the islands, not of their arrival: of equal orders the first counts.
    for island in sorted(found):
        _take(run, found[island])
    if found:
        best = min(found, key=lambda island: (found[island].cost, island))
        run.proof = max(found.values(), key=lambda each: each.bound).proof
        run.details.update(found[best].details)
        run.elite = found[best].elite
        run.details["island_seed"] = seed_of(run.seed, best)
    run.details["islands"] = len(found)
    run.iterations = sum(each.iterations for each in found.values())
    run.generations = sum(each.generations for each in found.values())


def _take(run: Run, found: Found | None) -> None:
    if found is None:
        return
    run.improve(found.order)
    run.raise_bound(found.bound)


def _is_over(run: Run, found: dict[int, Found]) -> bool:
    """Return whether the islands that have not answered can be left."""
    if run.repeatable:
        return False
    if run.is_optimal:
        return any(each.bound >= run.lower_bound for each in found.values())
    if not run.stop():
        return False
    if run.time_limit is None:
        # The islands have the same rule, and end by themselves.
        return False
    return run.elapsed > run.time_limit + (_PATIENCE if found else _PATIENCE_FOR_ONE)


def run_island(
    pairwise: Pairwise,
    work: Work,
    settings: Any,
    seed: int,
    rule: Callable[[Progress], bool] | None,
    initial: Int64 | None,
    elite: Int64 | None,
    sent: Sent,
) -> Found:
    """Run a method with one thread, from one seed."""
    limit = getattr(rule, "seconds", math.inf)
    ahead = sent.elapsed(None if math.isinf(limit) else limit)
    started = time.perf_counter()
    told = 0.0
    told_cost: int | None = None

    def report(progress: Progress) -> None:
        nonlocal told, told_cost
        now = time.perf_counter()
        if now - told >= _BETWEEN_NEWS and run.cost is not None and run.cost != told_cost:
            told, told_cost = now, run.cost
            tell(_found(run))

    with watch_compilation() as watch:
        run = Run(
            pairwise,
            seed=seed,
            rule=rule,
            initial=initial,
            elite=elite,
            on_progress=report,
            is_cancelled=cancelled,
            clock=lambda: ahead + time.perf_counter() - started - watch.seconds,
        )
        try:
            work(run, settings)
        finally:
            run.close()
    found = _found(run)
    return Found(
        found.order, found.cost, found.bound, run.iterations, run.generations, run.proof,
        dict(run.details), run.elite,
    )  # fmt: skip


def _found(run: Run) -> Found:
    assert run.order is not None
    assert run.cost is not None
    return Found(run.order, run.cost, run.lower_bound, run.iterations, run.generations)
