"""LADS, the late acceptance driven search of Zhou, Hao, Li and Glover, as a separate method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from concordant._checks import at_least, one_of, true_or_false
from concordant._kernels import lads as kernels
from concordant._kernels.moves import lay_out, random_start
from concordant._kernels.rng import shuffle
from concordant._kernels.state import BEST, ITERATIONS, Ballots, LadsRules, Walk, new_state
from concordant._types import Int64, Margins
from concordant.algorithms.scoring import (
    borda_of,
    by_score,
    check_beta,
    counted_in_time,
    positional_points,
    randomized_borda_order,
)
from concordant.errors import SettingError
from concordant.pairwise import Pairwise
from concordant.reduction.split import margins_of
from concordant.running import Run, stream

_EVALUATORS = {
    "pairwise": kernels.PAIRWISE,
    "incremental": kernels.INCREMENTAL,
    "full": kernels.FULL,
}
# Elementary steps of a slice: a few milliseconds.
_SLICE = 4_000_000
# A search ends after 20 · m² refused candidates in a row: if there were an acceptable neighbour,
# the probability of not drawing it would be exp(-20) or less.
_REFUSED = 20
_NEVER = 2**62
# Searches that advance by a slice each before the limits are checked.
_BATCH = 32


# The largest length of a cost list, which is allocated for each search.
_LONGEST = 1_000_000


@dataclass(frozen=True, slots=True)
class SearchSettings:
    """Settings of the local search that `lads` runs once and `her` in each generation.

    Attributes:
        history_length: L_h, the length of the cost list.
        max_idle: MaxIters: the search ends after this number of idle iterations in a row.
        idle: Which iterations are idle: "accepted" ones that do not improve the best (the
            paper's pseudo-code), or "all" that do not (the authors' program).
        neighbourhood: "swap" two items (the paper's), or "insertion" of one elsewhere.
        evaluator: How a move is evaluated: "pairwise" from the matrix in O(distance),
            "incremental" from the rankings in O(n·m) (the paper's Algorithm 2, corrected), or
            "full" by the full cost from the rankings in O(n·m log m). The answer is the same.
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
        "released": {"idle": "all", "max_idle": 100_000, "start": "random"},
    }

    def __post_init__(self) -> None:
        at_least("history_length", self.history_length, 1, _LONGEST)
        at_least("max_idle", self.max_idle, 1)
        one_of("idle", self.idle, ("accepted", "all"))
        one_of("neighbourhood", self.neighbourhood, ("swap", "insertion"))
        one_of("evaluator", self.evaluator, tuple(_EVALUATORS))
        one_of("start", self.start, ("borda", "randomized-borda", "random"))
        check_beta(self.beta)


@dataclass(frozen=True, slots=True)
class LadsSettings(SearchSettings):
    """Settings of LADS; the defaults are the paper's.

    The search also ends after 20 · m² refused candidates in a row. Where only accepted iterations
    can be idle, it would otherwise never leave a strict local optimum. This rule is ours.

    The preset "released" counts and starts as the authors' program does.

    Attributes:
        until_limit: Whether to continue until a time or iteration limit of the run, regardless of
            idle iterations, refused candidates and optimality: for runs of a fixed time.
    """

    until_limit: bool = False

    def __post_init__(self) -> None:
        SearchSettings.__post_init__(self)
        true_or_false("until_limit", self.until_limit)


class Problem:
    """What all searches of a run share: margins or rankings, in the form that kernels take."""

    def __init__(self, run: Run, settings: SearchSettings, *, until_limit: bool = False) -> None:
        self._run = run
        self.rankings = run.rankings
        self.settings = settings
        if settings.evaluator != "pairwise" and self.rankings is None:
            raise SettingError(
                f"evaluator={settings.evaluator!r} needs the rankings; for a matrix of pairwise "
                "counts, use evaluator='pairwise'"
            )
        m = run.n_items
        self.points = None if self.rankings is None else positional_points(self.rankings)
        self.ballots = Ballots(
            np.zeros(1, np.int64),
            np.zeros(0, np.int32),
            np.zeros(0, np.int32),
            np.zeros(0, np.int64),
            np.zeros((0, 0), np.int32),
        )
        insertion = settings.neighbourhood == "insertion"
        step, move = 20 + m // 4, m * m // 8 if insertion else 2 * m
        if settings.evaluator != "pairwise":
            assert self.rankings is not None
            data = self.rankings.explicit()
            where = np.full((data.n_distinct, m), -1, np.int32)
            rows = np.repeat(np.arange(data.n_distinct), data.lengths)
            where[rows, data.members] = np.arange(data.members.size)
            self.ballots = Ballots(data.offsets, data.members, data.buckets, data.units, where)
            length = int(data.members.size)
            step, move = (length if settings.evaluator == "incremental" else length * 16), m
        self.rules = LadsRules(
            insertion,
            count_all=settings.idle == "all",
            evaluator=_EVALUATORS[settings.evaluator],
            max_idle=_NEVER if until_limit else settings.max_idle,
            max_refused=_NEVER if until_limit else _REFUSED * m * m,
            step_work=step,
            move_work=move,
        )

    @property
    def pairwise(self) -> Pairwise:
        """The pairwise counts, which the first call may have to count."""
        return self._run.pairwise

    @cached_property
    def margins(self) -> Margins:
        """The margins, once a search or a start needs them."""
        return margins_of(self.pairwise.counts)

    @property
    def bytes_of_a_search(self) -> int:
        """The least memory of the arrays of one search, mainly the margins by position."""
        m = self._run.n_items
        pairwise = self.settings.evaluator == "pairwise"
        columns = 4 * m * m if pairwise else 0
        return columns + 16 * m + 8 * self.settings.history_length

    def start(self, rng: np.random.Generator) -> Int64:
        """Return a first order of the kind that the settings name."""
        m = self._run.n_items
        kind = self.settings.start
        if kind == "borda":
            return by_score(borda_of(self._run))
        order = np.arange(m)
        if kind == "random":
            shuffle(stream(rng), order)
        elif self.rankings is None:
            random_start(self.margins, order, stream(rng))
        else:
            assert self.points is not None
            return randomized_borda_order(self.rankings, self.settings.beta, rng, self.points)
        return order


class LadsSearch:
    """One LADS search, which runs in slices."""

    def __init__(self, problem: Problem, order: Int64, rng: np.random.Generator) -> None:
        settings = problem.settings
        m = order.size
        self._problem = problem
        self.best = order.astype(np.int32)
        rank = np.empty(m, np.int64)
        rank[self.best] = np.arange(1, m + 1)
        pairwise = settings.evaluator == "pairwise"
        columns = np.empty((m, m) if pairwise else (0, 0), problem.margins.dtype)
        if pairwise:
            lay_out(problem.margins, self.best, columns)
        history = np.empty(settings.history_length, np.int64)
        self._walk = Walk(self.best.copy(), self.best, rank, columns, history, stream(rng))
        cost = problem.pairwise.cost_units(self.best)
        self._state = new_state(cost)
        kernels.start_history(history, self._state, cost)
        # With one item there is no move.
        self.finished = m < 2

    @property
    def best_cost(self) -> int:
        """The cost of the best order found."""
        return int(self._state[BEST])

    @property
    def iterations(self) -> int:
        """Candidates evaluated so far."""
        return int(self._state[ITERATIONS])

    def advance(self) -> None:
        """Continue for one slice."""
        problem = self._problem
        self.finished = bool(
            kernels.lads(problem.rules, problem.ballots, self._walk, self._state, _SLICE)
        )


def finish(run: Run, searches: Sequence[LadsSearch], *, until_limit: bool = False) -> None:
    """Continue several searches in turn until each has ended, or the run is over.

    A fixed number of searches advances by one slice before the limits are checked, so that the
    result does not depend on the number of threads.
    """
    active = [search for search in searches if not search.finished]
    while active:
        for first in range(0, len(active), _BATCH):
            if run.stop(when_optimal=not until_limit):
                return
            batch = active[first : first + _BATCH]
            before = [search.iterations for search in batch]
            run.in_parallel([search.advance for search in batch])
            for search, then in zip(batch, before, strict=True):
                run.iterations += search.iterations - then
            for search in batch:
                if run.cost is None or search.best_cost < run.cost:
                    run.improve(search.best, search.best_cost)
        active = [search for search in active if not search.finished]


def lads(run: Run, settings: LadsSettings) -> None:
    """Run LADS once, from the initial order of the run if there is one."""
    if settings.until_limit and not run.is_limited():
        raise SettingError(
            "until_limit=True needs a limit that ends the run: time_limit or max_iterations"
        )
    problem = Problem(run, settings, until_limit=settings.until_limit)
    if not counted_in_time(run):
        return
    rng = run.rng()
    order = problem.start(rng) if run.initial is None else run.initial
    run.improve(order)
    if not run.stop(when_optimal=not settings.until_limit):
        finish(run, [LadsSearch(problem, order, rng)], until_limit=settings.until_limit)
    run.generations += 1
