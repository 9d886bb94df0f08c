"""Search and proof side by side: they tell each other what they know, and stop when they meet."""

from __future__ import annotations

import threading
import time
from functools import partial
from typing import Protocol

from concordant.bounds.prover import Prover
from concordant.running import Run

# Steps of the proof in a run that only counts limit: it must not depend on the clock.
_STEPS, _ITEMS_FOR_STEPS = 6, 300
# A proof that is still this far off after so many steps will not meet the search: the ascent
# has long converged by then, and splitting gains little at a time.
_FAR, _STEPS_TO_TRY = 0.01, 40


class Rounds(Protocol):
    """A search that is carried on one round of some milliseconds at a time."""

    def __bool__(self) -> bool:
        """Whether there is something to search for."""

    def round(self, in_parallel: bool = True) -> None:
        """Carry on, and report to the run what was found."""


def search_and_prove(run: Run, search: Rounds, *, give_up: bool = True) -> None:
    """Improve the order and raise the bound until they meet or the run is over.

    With two threads or more, the proof has one and the search has the rest. A run that only
    counts limit does one after the other, and a fixed amount of proof. A proof that is too far
    off to end gives up, if it may, and leaves its time to the search.
    """
    prover = Prover(run.pairwise, run.split)
    try:
        _work(run, search, prover, give_up)
    finally:
        run.proof = prover.proof()


def _far_off(run: Run, steps: int) -> bool:
    gap = run.progress().gap
    return steps >= _STEPS_TO_TRY and gap is not None and gap > _FAR


def _work(run: Run, search: Rounds, prover: Prover, give_up: bool) -> None:
    exchange(run, prover)
    if run.repeatable:
        while search and not run.stop():
            search.round()
        steps = _STEPS if run.pairwise.n_items <= _ITEMS_FOR_STEPS else 1
        exchange(run, prover)
        prover.work(report=partial(exchange, run, prover), steps=steps)
    elif run.n_jobs == 1 or not search:
        _in_turn(run, search, prover, give_up)
    else:
        _on_threads(run, search, prover, give_up)
    exchange(run, prover)


def exchange(run: Run, prover: Prover) -> None:
    """Hand the bound to the run, and the better order to whoever lacks it."""
    run.raise_bound(prover.bound)
    order, cost = run.order, run.cost
    if cost is None or prover.cost < cost:
        run.improve(prover.order)
    elif cost < prover.cost and order is not None:
        prover.offer(order)


def _on_threads(run: Run, search: Rounds, prover: Prover, give_up: bool) -> None:
    over = threading.Event()
    failure: list[BaseException] = []
    steps = 0

    def report() -> None:
        nonlocal steps
        steps += 1
        exchange(run, prover)

    def prove() -> None:
        try:
            prover.work(lambda: over.is_set() or (give_up and _far_off(run, steps)), report)
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=prove, name="concordant-proof", daemon=True)
    thread.start()
    try:
        while thread.is_alive() and not run.stop():
            search.round(in_parallel=run.n_jobs > 2)
    finally:
        over.set()
        thread.join()
    if failure:
        raise failure[0]


def _in_turn(run: Run, search: Rounds, prover: Prover, give_up: bool) -> None:
    """Share one thread: after each step of the proof, search for as long as it took."""
    since = time.perf_counter()
    steps = 0

    def report() -> None:
        nonlocal since, steps
        steps += 1
        exchange(run, prover)
        until = 2 * time.perf_counter() - since
        while search and time.perf_counter() < until and not run.stop():
            search.round()
        exchange(run, prover)
        since = time.perf_counter()

    if search and not run.stop():
        search.round()
    exchange(run, prover)
    # Where there is nothing to search for, giving up would gain nothing.
    prover.work(lambda: run.stop() or (give_up and bool(search) and _far_off(run, steps)), report)
