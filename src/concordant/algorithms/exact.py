"""`exact`: search and proof side by side until they meet."""

from __future__ import annotations

import threading
from functools import partial

from concordant.algorithms.memetic import AutoSettings, Parts
from concordant.bounds.prover import Prover
from concordant.running import Run

# Units of work of all islands in one round: about ten milliseconds.
_ROUND = 6_000_000
# On one thread, one round of search follows each step of the proof, while it pays.
_IDLE_ROUNDS = 200


class Search:
    """The memetic search of `auto` on all components, one round at a time."""

    def __init__(self, run: Run, settings: AutoSettings) -> None:
        self._run = run
        self._whole = Parts(run)
        rng = run.rng()
        for part in self._whole.parts:
            part.settle(settings, rng)
        self._parts = [part for part in self._whole.parts if part.islands]
        self._effort = sum(part.items.size**2 for part in self._parts)
        self._rounds = 0

    def __bool__(self) -> bool:
        """Whether there is something to search for."""
        return bool(self._parts)

    def round(self) -> None:
        """Carry on all islands for some milliseconds and report what they found."""
        for part in self._parts:
            for island in part.islands:
                partial(island.advance, max(1, _ROUND * part.items.size**2 // self._effort))()
            part.take_best()
        run = self._run
        run.iterations = sum(i.iterations for part in self._parts for i in part.islands)
        run.generations = sum(i.children for part in self._parts for i in part.islands)
        self._whole.report()
        self._rounds += 1
        if self._rounds % 200 == 0:
            for part in self._parts:
                for k, island in enumerate(part.islands):
                    island.welcome(part.islands[k - 1])


def exchange(run: Run, prover: Prover) -> None:
    """Hand the bound to the run, and the better order to whoever lacks it."""
    run.raise_bound(prover.bound)
    cost = prover.cost
    if run.cost is None or cost < run.cost:
        run.improve(prover.order)
    elif run.cost < cost and run.order is not None:
        prover.offer(run.order)


def exact(run: Run, settings: None) -> None:
    """Search on one thread and prove on another, until the two meet or the run is over."""
    search = Search(run, AutoSettings())
    prover = Prover(run.pairwise)
    run.prover = prover
    exchange(run, prover)
    if run.n_jobs == 1 or not search:
        _in_turn(run, search, prover)
        return
    over = threading.Event()
    failure: list[BaseException] = []

    def prove() -> None:
        try:
            prover.work(over.is_set, partial(exchange, run, prover))
        except BaseException as error:  # handed to the caller's thread
            failure.append(error)

    thread = threading.Thread(target=prove, name="concordant-proof")
    thread.start()
    try:
        while not run.stop() and not failure:
            search.round()
    finally:
        over.set()
        thread.join()
    exchange(run, prover)
    if failure:
        raise failure[0]


def _in_turn(run: Run, search: Search, prover: Prover) -> None:
    """Do both on one thread: a round of search after each step of the proof."""

    def report() -> None:
        exchange(run, prover)
        if search and run.generations < _IDLE_ROUNDS + 2 * run.progress().idle_generations:
            search.round()

    prover.work(run.stop, report)
    exchange(run, prover)
