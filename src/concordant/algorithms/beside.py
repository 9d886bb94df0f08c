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


class Rounds(Protocol):
    """A search that is carried on one round of some milliseconds at a time."""

    def __bool__(self) -> bool:
        """Whether there is something to search for."""

    def round(self, in_parallel: bool = True) -> None:
        """Carry on, and report to the run what was found."""


def search_and_prove(run: Run, search: Rounds) -> None:
    """Improve the order and raise the bound until they meet or the run is over.

    With two threads or more, the proof has one and the search has the rest. A run that only
    counts limit does one after the other, and a fixed amount of proof.
    """
    prover = Prover(run.pairwise)
    run.prover = prover
    try:
        _work(run, search, prover)
    finally:
        prover.finish()


def _work(run: Run, search: Rounds, prover: Prover) -> None:
    exchange(run, prover)
    if run.repeatable:
        while search and not run.stop():
            search.round()
        steps = _STEPS if run.pairwise.n_items <= _ITEMS_FOR_STEPS else 1
        exchange(run, prover)
        prover.work(report=partial(exchange, run, prover), steps=steps)
    elif run.n_jobs == 1 or not search:
        _in_turn(run, search, prover)
    else:
        _on_threads(run, search, prover)
    exchange(run, prover)


def exchange(run: Run, prover: Prover) -> None:
    """Hand the bound to the run, and the better order to whoever lacks it."""
    run.raise_bound(prover.bound)
    order, cost = run.order, run.cost
    if cost is None or prover.cost < cost:
        run.improve(prover.order)
    elif cost < prover.cost and order is not None:
        prover.offer(order)


def _on_threads(run: Run, search: Rounds, prover: Prover) -> None:
    over = threading.Event()
    failure: list[BaseException] = []

    def prove() -> None:
        try:
            prover.work(over.is_set, partial(exchange, run, prover))
        except BaseException as error:
            failure.append(error)

    thread = threading.Thread(target=prove, name="concordant-proof", daemon=True)
    thread.start()
    try:
        while not run.stop() and not failure:
            search.round(in_parallel=run.n_jobs > 2)
    finally:
        over.set()
        thread.join()
    if failure:
        raise failure[0]


def _in_turn(run: Run, search: Rounds, prover: Prover) -> None:
    """Share one thread: after each step of the proof, search for as long as it took."""
    since = time.perf_counter()

    def report() -> None:
        nonlocal since
        exchange(run, prover)
        until = 2 * time.perf_counter() - since
        while search and time.perf_counter() < until and not run.stop():
            search.round()
        exchange(run, prover)
        since = time.perf_counter()

    if search and not run.stop():
        search.round()
    exchange(run, prover)
    prover.work(run.stop, report)
