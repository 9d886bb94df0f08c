"""Search and proof side by side: they exchange orders and bounds, and stop when they meet."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from typing import Protocol, TypeVar

import numpy as np

from concordant._types import Int64
from concordant.bounds.guide import Guides
from concordant.bounds.prover import WIDE, Prover
from concordant.bounds.record import Proof
from concordant.running import Run
from concordant.solver.parts import PartOrders

# Steps of the proof in a run without a time limit: these must not depend on the clock.
_STEPS, _ITEMS_FOR_STEPS = 6, 300
# The proof of a component of up to this many items never gives up, nor does one whose gap is below
# this share of the cost.
_NEVER, _WIDE_GAP = 100, 0.01
# Others give up, after at least this number of steps, if the second half of the steps closed less
# than this share of the gap: at this rate it would take far too long.
_LEAST_STEPS, _LEAST_SHARE = 24, 0.03
# They also give up, after this share of the time limit, if at the rate of the second half of the
# steps the gap would still be wide at the end.
_TRIAL = 0.25
# Where the proof needs the time more (see `_Effort.proof_needs_more`), it gets this number of
# seconds for each one of the search.
_LEAD = 4.0
# Threads that help with the proof, at most: about a third of a step is Python, which runs in one
# thread at a time, so more would wait for each other.
_HELPERS = 3
# Seconds that a helper works before limits are checked.
_SLICE = 0.01
# The proof goes first, for at most so many steps of each component of at most so many items, and
# for at most this share of the time limit.
_FIRST_STEPS, _FIRST_ITEMS, _FIRST_SHARE = 60, 100, 0.2


class Rounds(Protocol):
    """A search that runs in rounds of a few milliseconds."""

    def __bool__(self) -> bool:
        """Whether some part is unsolved."""

    def offer(self, order: Int64) -> None:
        """Accept an order from the proof; called from any thread."""

    def round(self, in_parallel: bool = True) -> None:
        """Search for one round, and report what was found to the run."""


_Search = TypeVar("_Search", bound=Rounds)


def search_and_prove(
    run: Run, begin: Callable[[], _Search], parts: PartOrders, *, give_up: bool = True
) -> _Search | None:
    """Improve the order and raise the bound until they meet or the run is over.

    The proof goes first: most small problems are solved before a search would be set up. `begin`
    makes the search, which is returned, if it is needed. With two threads or more, one is then for
    the proof and the others are for the search. A run without a time limit does the search first,
    then a fixed number of proof steps. With `give_up`, a proof that is too far from its end stops
    and leaves its time to the search.
    """
    prover = Prover(
        run.pairwise, run.split, to_the_end=not give_up, top=run.top, guides=_guides(run)
    )
    search = None
    try:
        _prove_first(run, prover)
        parts.take(prover)
        if parts.unsolved() and not run.stop():
            search = begin()
            _work(run, search, prover, give_up)
    finally:
        run.proof = prover.proof()
        parts.take(prover)
    return search


def _prove_first(run: Run, prover: Prover) -> None:
    """Do the first steps of the proof of small components, without a search."""
    exchange(run, prover)
    limit = None if run.time_limit is None else run.elapsed + _FIRST_SHARE * run.time_limit
    for complete in prover.slices(_FIRST_STEPS, largest=_FIRST_ITEMS):
        if complete:
            exchange(run, prover)
        if run.stop() or (limit is not None and run.elapsed > limit):
            return


def _guides(run: Run) -> Guides | None:
    """Return the proof of an earlier run over the same items, if there is one."""
    earlier: Proof | None = run.earlier
    if earlier is None:
        return None
    place = {item: k for k, item in enumerate(run.data.items)}
    number = np.array([place.get(item, -1) for item in earlier.pairwise.items], np.int64)
    return Guides(earlier, number, run.n_items)


class _Progress:
    """The gap after each step of a proof, and whether it is worth going on."""

    def __init__(self) -> None:
        self._gaps: list[int] = []
        self._times: list[float] = []

    def too_slow(self, run: Run, prover: Prover) -> bool:
        """Note the current gap; return whether the proof should leave its time to the search."""
        assert run.cost is not None
        gap = run.cost - prover.bound
        self._gaps.append(gap)
        self._times.append(run.elapsed)
        steps = len(self._gaps)
        narrow = _WIDE_GAP * run.cost
        if steps < _LEAST_STEPS or gap <= narrow or prover.largest_open <= _NEVER:
            return False
        before = self._gaps[steps // 2]
        return before - gap < _LEAST_SHARE * gap or self._stays_wide(run, before, gap, narrow)

    def _stays_wide(self, run: Run, before: int, gap: int, narrow: float) -> bool:
        """Return whether the gap will be wide at the end of the time limit, at the last rate."""
        if run.time_limit is None or self._times[-1] < _TRIAL * run.time_limit:
            return False
        seconds = self._times[-1] - self._times[len(self._times) // 2]
        left = run.time_limit - self._times[-1]
        # The gap falls by the same factor in the same time.
        return bool(gap * (gap / before) ** (left / max(seconds, 1e-3)) > narrow)


def _work(run: Run, search: Rounds, prover: Prover, give_up: bool) -> None:
    exchange(run, prover, search)
    if run.repeatable:
        while search and not run.stop():
            search.round()
        steps = _STEPS if run.n_items <= _ITEMS_FOR_STEPS else 1
        exchange(run, prover, search)
        for complete in prover.slices(steps):
            if complete:
                exchange(run, prover, search)
    elif run.n_jobs == 1 or not search:
        _in_turn(run, search, prover, give_up)
    else:
        _on_threads(run, search, prover, give_up)
    exchange(run, prover, search)


def exchange(run: Run, prover: Prover, search: Rounds | None = None) -> None:
    """Pass the bound to the run, and the better order to the side that does not have it."""
    run.raise_bound(prover.bound)
    order, cost = run.order, run.cost
    if cost is None or prover.cost < cost:
        run.improve(prover.order)
        if search is not None:
            search.offer(prover.order)
    elif cost < prover.cost and order is not None:
        prover.offer(order)
    if run.top is not None:
        run.top_solved = prover.top_solved


def _prove(run: Run, search: Rounds, prover: Prover, give_up: bool) -> Iterator[None]:
    """Continue the proof and exchange what it finds, until it ends or gives up."""
    progress = _Progress()
    for complete in prover.slices():
        if complete:
            exchange(run, prover, search)
            if give_up and progress.too_slow(run, prover):
                return
        yield


class _Effort:
    """The time that a search has used, and what came of it."""

    def __init__(self, run: Run) -> None:
        self._run = run
        # Seconds of the search so far, and when the last better order was found.
        self._searched = self._found = 0.0

    def round(self, search: Rounds, in_parallel: bool = True) -> float:
        """Search for one round; return the seconds that it took."""
        # Without the time that kernels take to compile.
        cost, start = self._run.cost, self._run.elapsed
        search.round(in_parallel)
        seconds = self._run.elapsed - start
        self._searched += seconds
        # An order that the proof finds meanwhile counts too: the search goes on from it.
        if self._run.cost != cost:
            self._found = self._searched
        return seconds

    def proof_needs_more(self, prover: Prover) -> bool:
        """Return whether more time for the proof is worth more than more time for the search.

        With many items, the bound is far away, and the proof suggests better orders than what the
        search finds in the same time. Else the search must be without success for half of its
        time, and the proof one that may end: of few items, or with a narrow gap.
        """
        if prover.largest_open > WIDE:
            return True
        cost = self._run.cost
        assert cost is not None
        may_end = prover.largest_open <= _NEVER or cost - prover.bound <= _WIDE_GAP * cost
        return may_end and self._searched > 2 * self._found


class _Helper:
    """A thread's part in the proof, for some milliseconds at a time."""

    def __init__(self, prover: Prover) -> None:
        self._prover = prover
        self._slices: Generator[None, None, None] | None = None

    def advance(self) -> bool:
        """Explore nodes of a tree for some milliseconds; return whether there were any."""
        if self._slices is None:
            self._slices = self._prover.help()
        end = time.perf_counter() + _SLICE
        worked = False
        for _ in self._slices:
            worked = True
            if time.perf_counter() > end:
                return True
        self._slices = None
        return worked

    def close(self) -> None:
        """Leave the node under way to others."""
        if self._slices is not None:
            self._slices.close()
            self._slices = None


def _explore_together(run: Run, helpers: list[_Helper], seconds: float) -> None:
    """Let the helpers work on the proof for some seconds, while there is something to explore."""
    end = run.elapsed + seconds
    while run.elapsed < end and not run.stop():
        if not any(run.in_parallel([helper.advance for helper in helpers])):
            return


def _on_threads(run: Run, search: Rounds, prover: Prover, give_up: bool) -> None:
    over = threading.Event()
    failure: list[BaseException] = []

    def prove() -> None:
        try:
            for _ in _prove(run, search, prover, give_up):
                if over.is_set():
                    return
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=prove, name="concordant-proof", daemon=True)
    thread.start()
    effort = _Effort(run)
    helpers = [_Helper(prover) for _ in range(min(run.n_jobs - 1, _HELPERS))]
    try:
        while thread.is_alive() and not run.stop():
            seconds = effort.round(search, in_parallel=run.n_jobs > 2)
            if effort.proof_needs_more(prover):
                _explore_together(run, helpers, _LEAD * seconds)
            else:
                for helper in helpers:
                    helper.close()
    finally:
        over.set()
        for helper in helpers:
            helper.close()
        thread.join()
    if failure:
        raise failure[0]


def _in_turn(run: Run, search: Rounds, prover: Prover, give_up: bool) -> None:
    """Share one thread: the side that has used less than its share of the time goes next."""
    effort = _Effort(run)
    if search and not run.stop():
        effort.round(search)
    exchange(run, prover, search)
    # Seconds of the search that the proof is ahead of its share.
    ahead = 0.0
    # Without a search, giving up would gain nothing.
    proof = _prove(run, search, prover, give_up and bool(search))
    since = run.elapsed
    for _ in proof:
        share = _LEAD if effort.proof_needs_more(prover) else 1.0
        ahead += (run.elapsed - since) / share
        if run.stop():
            return
        while search and ahead > 0:
            ahead -= effort.round(search)
            if run.stop():
                return
        since = run.elapsed
