"""Local searches: hill climbing, ILS, VNS and GRASP, and plain late acceptance.

The first four are after Aledo, Gámez and Rosete (2019), "Approaching the rank aggregation
problem by local search-based metaheuristics", Journal of Computational and Applied Mathematics
354, which compares them on partial rankings. The settings of each list what is ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from concordant._checks import at_least, between, one_of
from concordant._kernels import lahc as kernels
from concordant._kernels.descent import Descent
from concordant._kernels.moves import cost_by_margins, lay_out, shake
from concordant._kernels.rng import shuffle
from concordant._kernels.state import BEST, ITERATIONS, Walk, new_state
from concordant._types import Int64, Margins
from concordant.algorithms.css import greedy_order
from concordant.algorithms.scoring import borda_of, by_score, counted_in_time
from concordant.reduction.split import margins_of
from concordant.running import Run, stream

NEIGHBOURHOODS = ("insertion", "interchange", "both")
# Items compared between two checks of the limits: a few milliseconds.
_SLICE = 6_000_000
# The most random moves in a row: the limits are not checked between them.
_MOST_MOVES = 10_000


@dataclass(frozen=True, slots=True)
class ClimbSettings:
    """Settings of `hc`, and of the hill climbing in `ils` and `vns`.

    After Aledo, Gámez and Rosete (2019): their neighbourhoods. Ours: items take turns, and each
    moves to its best place or swaps with its best partner; and the start from Borda's order.

    Attributes:
        neighbourhood: "insertion" of an item elsewhere, "interchange" of two items, or "both",
            one after the other until neither improves.
        start: The first order: "borda" or "random".
    """

    neighbourhood: str = "insertion"
    start: str = "borda"

    def __post_init__(self) -> None:
        one_of("neighbourhood", self.neighbourhood, NEIGHBOURHOODS)
        one_of("start", self.start, ("borda", "random"))


@dataclass(frozen=True, slots=True)
class IlsSettings(ClimbSettings):
    """Settings of `ils`.

    After Aledo, Gámez and Rosete (2019). Ours: the hill climbing of `hc`, the random moves and
    their number, the acceptance of orders that are no worse, and when it ends.

    Attributes:
        kick: The number of random moves away from a local optimum.
        max_idle: The search ends after this number of climbs in a row without a better order.
    """

    kick: int = 8
    max_idle: int = 1000

    def __post_init__(self) -> None:
        ClimbSettings.__post_init__(self)
        at_least("kick", self.kick, 1, _MOST_MOVES)
        at_least("max_idle", self.max_idle, 1)


@dataclass(frozen=True, slots=True)
class VnsSettings(ClimbSettings):
    """Settings of `vns`.

    After Aledo, Gámez and Rosete (2019). Ours: the hill climbing of `hc`, the random moves and
    their number, the acceptance of orders that are no worse, and when it ends.

    Attributes:
        max_shake: The most random moves. Their number starts at 1 and grows by 1 after each climb
            without a better order. After `max_shake` it starts again at 1.
        max_idle: The search ends after this number of climbs in a row without a better order.
    """

    neighbourhood: str = "both"
    max_shake: int = 20
    max_idle: int = 1000

    def __post_init__(self) -> None:
        ClimbSettings.__post_init__(self)
        at_least("max_shake", self.max_shake, 1, _MOST_MOVES)
        at_least("max_idle", self.max_idle, 1)


@dataclass(frozen=True, slots=True)
class GraspSettings:
    """Settings of `grasp`.

    After Aledo, Gámez and Rosete (2019). Ours: the greedy rule, which is that of `css`, with the
    order of `css` itself as the first start; the restricted candidate list; the hill climbing of
    `hc`; and when it ends.

    Attributes:
        neighbourhood: As for `hc`.
        alpha: The restricted candidate list holds the items whose potential is within this
            share of the way from the highest to the lowest: 0 is greedy, 1 is random.
        max_idle: The search ends after this number of climbs in a row without a better order.
    """

    neighbourhood: str = "insertion"
    alpha: float = 0.2
    max_idle: int = 500

    def __post_init__(self) -> None:
        one_of("neighbourhood", self.neighbourhood, NEIGHBOURHOODS)
        at_least("max_idle", self.max_idle, 1)
        between("alpha", self.alpha, 0, 1)


class Climber:
    """Hill climbing on one problem, in slices."""

    def __init__(self, run: Run, neighbourhood: str) -> None:
        self._run = run
        self._neighbourhood = neighbourhood

    @cached_property
    def margins(self) -> Margins:
        """The margins of all pairs."""
        return margins_of(self._run.pairwise.counts)

    @cached_property
    def total(self) -> int:
        """The sum of all counts."""
        return int(self._run.pairwise.counts.sum())

    @cached_property
    def _columns(self) -> Margins:
        """An array for the margins by position, for swaps."""
        return np.empty_like(self.margins)

    def start(self, kind: str, random: Any) -> Any:
        """Return a first order: the initial order of the run, Borda's, or a random one."""
        if self._run.initial is not None:
            return self._run.initial.astype(np.int32)
        order = by_score(borda_of(self._run)).astype(np.int32)
        if kind == "random":
            shuffle(random, order)
        return order

    def climb(self, order: Any) -> int:
        """Improve an order in place to a local optimum or until the run ends; return its cost."""
        cost = int(cost_by_margins(self.margins, self.total, order))
        if self._neighbourhood != "interchange":
            cost = self._descend(order, cost, swaps=False)
        if self._neighbourhood != "insertion":
            before = None
            while cost != before and not self._run.stop():
                before = cost
                cost = self._descend(order, cost, swaps=True)
                if self._neighbourhood == "interchange" or cost == before:
                    break
                cost = self._descend(order, cost, swaps=False)
        self._run.improve(order, cost)
        return cost

    def _descend(self, order: Any, cost: int, *, swaps: bool) -> int:
        run = self._run
        descent = Descent(self.margins, order, cost, self._columns if swaps else None)
        while True:
            run.iterations += descent.advance(_SLICE)
            if descent.finished:
                break
            run.improve(order, descent.cost)
            if run.stop():
                break
        return descent.cost


def hc(run: Run, settings: ClimbSettings) -> None:
    """Climb once, to a local optimum of the neighbourhood."""
    if not counted_in_time(run):
        return
    climber = Climber(run, settings.neighbourhood)
    order = climber.start(settings.start, stream(run.rng()))
    run.improve(order)
    if not run.stop():
        climber.climb(order)


def ils(run: Run, settings: IlsSettings) -> None:
    """Apply random moves to the best order and climb again; keep an order that is no worse."""
    _shaken(run, settings, settings.kick, settings.kick, settings.max_idle)


def vns(run: Run, settings: VnsSettings) -> None:
    """Search as `ils` does, with one more random move after each climb without a better order."""
    _shaken(run, settings, 1, settings.max_shake, settings.max_idle)


def _shaken(run: Run, settings: ClimbSettings, least: int, most: int, max_idle: int) -> None:
    if not counted_in_time(run):
        return
    climber = Climber(run, settings.neighbourhood)
    random = stream(run.rng())
    best = climber.start(settings.start, random)
    run.improve(best)
    if run.stop():
        return
    cost = climber.climb(best)
    by_insertion = settings.neighbourhood != "interchange"
    strength, idle = least, 0
    while best.size > 1 and idle < max_idle and not run.stop():
        order = best.copy()
        shake(order, strength, by_insertion, random)
        found = climber.climb(order)
        run.generations += 1
        if found < cost:
            strength, idle = least, 0
        else:
            strength = strength + 1 if strength < most else least
            idle += 1
        if found <= cost:
            best, cost = order, found


def grasp(run: Run, settings: GraspSettings) -> None:
    """Climb from greedy orders, each of whose items is drawn from a restricted candidate list.

    The greedy order is the one of `css`; the first start is that order itself.
    """
    if not counted_in_time(run):
        return
    climber = Climber(run, settings.neighbourhood)
    random = stream(run.rng())
    cost = climber.climb(greedy_order(run, climber.margins, 0.0, random))
    idle = 0
    while idle < settings.max_idle and not run.stop():
        start = greedy_order(run, climber.margins, float(settings.alpha), random)
        found = climber.climb(start)
        run.generations += 1
        idle = 0 if found < cost else idle + 1
        cost = min(cost, found)


@dataclass(frozen=True, slots=True)
class LahcSettings:
    """Settings of `lahc`.

    The rules are those of Burke and Bykov (2017): a candidate is accepted when it is better
    than the order `history_length` iterations ago, or no worse than the current order, and an
    entry of the history never rises. Ours: the neighbourhoods, and the idle iterations that end
    the search.

    Attributes:
        history_length: A candidate is compared with the cost this number of iterations ago.
        max_idle: The search ends after this number of iterations in a row without a better order.
        neighbourhood: "interchange" of two items, or "insertion" of one elsewhere.
        start: The first order: "borda" or "random".
    """

    history_length: int = 5000
    max_idle: int = 100_000
    neighbourhood: str = "insertion"
    start: str = "random"

    def __post_init__(self) -> None:
        at_least("history_length", self.history_length, 1, 10_000_000)
        at_least("max_idle", self.max_idle, 1)
        one_of("neighbourhood", self.neighbourhood, ("insertion", "interchange"))
        one_of("start", self.start, ("borda", "random"))


def lahc(run: Run, settings: LahcSettings) -> None:
    """Accept a move that is better than `history_length` iterations ago, or no worse than now.

    Burke and Bykov (2017), "The late acceptance hill-climbing heuristic", European Journal of
    Operational Research 258. LADS instead compares with the largest cost of a short list.
    """
    if not counted_in_time(run):
        return
    random = stream(run.rng())
    climber = Climber(run, "insertion")
    order = climber.start(settings.start, random)
    run.improve(order)
    if run.stop():
        return
    m = order.size
    cost = run.pairwise.cost_units(order)
    columns = np.empty((m, m), climber.margins.dtype)
    lay_out(climber.margins, order, columns)
    history: Int64 = np.full(settings.history_length, cost, np.int64)
    walk = Walk(order, order.copy(), np.empty(0, np.int64), columns, history, random)
    state = new_state(cost)
    insertion = settings.neighbourhood == "insertion"
    finished = m < 2
    while not finished and not run.stop():
        finished = bool(kernels.lahc(insertion, settings.max_idle, walk, state, _SLICE))
        run.iterations = int(state[ITERATIONS])
        run.improve(walk.best, int(state[BEST]))
