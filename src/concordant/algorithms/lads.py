"""LADS, the late acceptance driven search of Zhou, Hao, Li and Glover, as a method of its own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from concordant._checks import at_least, one_of
from concordant._kernels import lads as kernels
from concordant._kernels.chance import shuffle
from concordant._kernels.memetic import random_start
from concordant._types import Int64
from concordant.algorithms.scoring import (
    borda_scores,
    by_score,
    check_beta,
    positional_points,
    randomized_borda_order,
)
from concordant.errors import SettingError
from concordant.reduction import margins_of
from concordant.running import Run, stream

_EVALUATORS = {
    "pairwise": kernels.PAIRWISE,
    "incremental": kernels.INCREMENTAL,
    "full": kernels.FULL,
}
# A slice takes about this many elementary steps, a few milliseconds.
_SLICE = 4_000_000


@dataclass(frozen=True, slots=True)
class LadsSettings:
    """Settings of LADS; the defaults are the paper's.

    Attributes:
        history_length: L_h, the length of the cost list.
        max_idle: MaxIters: the search ends after so many idle iterations in a row.
        idle: Which iterations are idle: "accepted" ones that do not improve the best (the
            paper's pseudo-code), or "all" that do not (the authors' program).
        neighbourhood: "swap" two items (the paper's), or "insertion" of one elsewhere.
        evaluator: How a move is evaluated: "pairwise" from the matrix in O(distance),
            "incremental" from the rankings in O(n·m) (the paper's Algorithm 2), or "full"
            from the rankings anew in O(n·m log m). The answer is the same.
        start: The first order: "borda", "randomized-borda" or "random".
        beta: The share of rankings that randomized Borda leaves out.
    """

    history_length: int = 5
    max_idle: int = 5000
    idle: str = "accepted"
    neighbourhood: str = "swap"
    evaluator: str = "pairwise"
    start: str = "randomized-borda"
    beta: float = 0.2

    PRESETS: ClassVar[dict[str, dict[str, Any]]] = {
        "paper": {},
        "released": {"idle": "all", "max_idle": 100_000},
    }

    def __post_init__(self) -> None:
        at_least("history_length", self.history_length, 1)
        at_least("max_idle", self.max_idle, 1)
        one_of("idle", self.idle, ("accepted", "all"))
        one_of("neighbourhood", self.neighbourhood, ("swap", "insertion"))
        one_of("evaluator", self.evaluator, tuple(_EVALUATORS))
        one_of("start", self.start, ("borda", "randomized-borda", "random"))
        check_beta(self.beta)


class Problem:
    """What all searches of one run share: the margins, or the rankings, as kernels want them."""

    def __init__(self, run: Run, settings: LadsSettings) -> None:
        self.pairwise = run.pairwise
        self.rankings = run.rankings
        self.settings = settings
        if settings.evaluator != "pairwise" and self.rankings is None:
            raise SettingError(
                f"evaluator={settings.evaluator!r} needs the rankings; a matrix has only "
                "evaluator='pairwise'"
            )
        m = self.pairwise.n_items
        self.margins = margins_of(self.pairwise.counts)
        self.points = None if self.rankings is None else positional_points(self.rankings)
        none = np.zeros(0, np.int32)
        self.arrays: tuple[Any, ...] = (
            np.zeros(1, np.int64),
            none,
            none,
            np.zeros(0, np.int64),
            np.zeros((0, 0), np.int32),
        )
        self.step = 20 + m // 4
        self.move = m * m // 8 if settings.neighbourhood == "insertion" else 2 * m
        if settings.evaluator != "pairwise":
            assert self.rankings is not None
            data = self.rankings.explicit()
            where = np.full((data.n_distinct, m), -1, np.int32)
            rows = np.repeat(np.arange(data.n_distinct), data.lengths)
            where[rows, data.members] = np.arange(data.members.size)
            self.arrays = (data.offsets, data.members, data.buckets, data.units, where)
            length = int(data.members.size)
            self.step = length if settings.evaluator == "incremental" else length * 16
            self.move = m

    def start(self, rng: np.random.Generator) -> Int64:
        """Return a first order, as the settings have it."""
        m = self.pairwise.n_items
        kind = self.settings.start
        if kind == "borda":
            return by_score(borda_scores(self.pairwise.counts))
        order = np.arange(m)
        if kind == "random":
            shuffle(stream(rng), order)
        elif self.rankings is None:
            random_start(self.margins, order, stream(rng))
        else:
            assert self.points is not None
            return randomized_borda_order(self.rankings, self.settings.beta, rng, self.points)
        return order


class Search:
    """One LADS search, carried on in slices."""

    def __init__(self, problem: Problem, order: Int64, rng: np.random.Generator) -> None:
        settings = problem.settings
        m = order.size
        self._problem = problem
        self.best = order.astype(np.int32)
        self._order = self.best.copy()
        self._rank = np.empty(m, np.int64)
        self._rank[self._order] = np.arange(1, m + 1)
        pairwise = settings.evaluator == "pairwise"
        self._columns = np.empty((m, m) if pairwise else (0, 0), problem.margins.dtype)
        if pairwise:
            kernels.lay_out(problem.margins, self._order, self._columns)
        self._history = np.empty(settings.history_length, np.int64)
        self._state = np.zeros(kernels.STATE_SIZE, np.int64)
        self._stream = stream(rng)
        kernels.start_history(self._history, self._state, problem.pairwise.cost_units(self.best))
        # With one item there is no move.
        self.finished = m < 2

    @property
    def best_cost(self) -> int:
        """The cost of the best order found."""
        return int(self._state[kernels.BEST])

    @property
    def iterations(self) -> int:
        """Candidates evaluated so far."""
        return int(self._state[kernels.ITERATIONS])

    def advance(self) -> None:
        """Carry on for one slice."""
        problem = self._problem
        settings = problem.settings
        self.finished = bool(
            kernels.lads(
                settings.neighbourhood == "insertion",
                settings.idle == "all",
                _EVALUATORS[settings.evaluator],
                settings.max_idle,
                problem.step,
                problem.move,
                _SLICE,
                self._order,
                self.best,
                self._rank,
                self._columns,
                *problem.arrays,
                self._history,
                self._state,
                self._stream,
            )
        )


def finish(run: Run, searches: Sequence[Search]) -> None:
    """Carry searches on side by side until each has ended, or the run is over.

    All advance by one slice before the limits are looked at, so the outcome does not depend
    on the number of threads.
    """
    active = [search for search in searches if not search.finished]
    while active and not run.stop():
        before = [search.iterations for search in active]
        run.in_parallel([search.advance for search in active])
        for search, then in zip(active, before, strict=True):
            run.iterations += search.iterations - then
        for search in active:
            if run.cost is None or search.best_cost < run.cost:
                run.improve(search.best, search.best_cost)
        active = [search for search in active if not search.finished]


def lads(run: Run, settings: LadsSettings) -> None:
    """Run LADS once, from the initial order if one is given."""
    problem = Problem(run, settings)
    rng = run.rng()
    order = problem.start(rng) if run.initial is None else run.initial
    run.improve(order)
    finish(run, [Search(problem, order, rng)])
    run.generations += 1
