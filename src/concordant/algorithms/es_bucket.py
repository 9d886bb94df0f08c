"""Evolution strategy for the optimal bucket order problem."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from concordant._checks import at_least, between, one_of
from concordant._kernels import buckets as kernels
from concordant._kernels.tournament import pivot_sort
from concordant._types import Int64
from concordant.algorithms.buckets import BucketProblem, problem_of, weight_together, without_ties
from concordant.algorithms.scoring import counted_in_time, out_of_time
from concordant.pairwise import mirrored
from concordant.running import Run, stream

# Pairs of items evaluated between two checks of the limits: a few milliseconds.
_SLICE = 6_000_000
_BILLION = 10**9


@dataclass(frozen=True, slots=True)
class EsSettings:
    """Settings of `es-bucket`.

    Attributes:
        children: λ, the number of children of each generation.
        max_idle_generations: The run ends after this number of generations in a row without a
            better answer.
        start: The first bucket order: from the bucket "pivot" algorithm, "borda", or "tied" (all
            items in one bucket).
        beta: The pivot algorithm ties an item with its pivot where the share of rankings that
            put it first differs from one half by at most beta.
    """

    children: int = 10
    max_idle_generations: int = 2000
    start: str = "pivot"
    beta: float = 0.25

    def __post_init__(self) -> None:
        at_least("children", self.children, 1, 100_000)
        at_least("max_idle_generations", self.max_idle_generations, 1)
        one_of("start", self.start, ("pivot", "borda", "tied"))
        between("beta", self.beta, 0.0, 0.5)


def leanings(run: Run) -> Int64 | None:
    """Return 2 C(a, b) - 1 in billionths: 1 where all put a before b, -1 where none does.

    C(a, b) is the share of the rankings with both items that put a before b, ties counted half;
    it is one half where there is no such ranking. A bare matrix has no ties. The answer is None
    where limits end the run during set-up; Borda's order is then left behind.
    """
    if not counted_in_time(run):
        return None
    stop = functools.partial(out_of_time, run)
    together: Int64 | None = None
    if run.rankings is not None and run.tier_costs is None:
        together = weight_together(run.rankings, stop)
        if together is None:
            return None
    lean = np.empty((run.n_items, run.n_items), np.int64)
    for i, j, there, back in mirrored(run.pairwise.counts):
        if j == i > 0 and stop():
            return None
        rows, columns = slice(i, i + there.shape[0]), slice(j, j + there.shape[1])
        ahead, behind = there.astype(np.int64), back.T.astype(np.int64)
        if together is None:
            weight = np.abs(ahead) + np.abs(behind)
        else:
            weight = together[rows, columns]
        share = np.rint((ahead - behind) / np.maximum(weight, 1) * _BILLION).astype(np.int64)
        lean[rows, columns] = share
        lean[columns, rows] = -share.T
    return lean


def es_bucket(run: Run, settings: EsSettings) -> None:
    """Change a bucket order at random λ times; the best child replaces it unless it is worse.

    Aledo, Gámez and Rosete (2018), "Approaching rank aggregation problems by using evolution
    strategies: the case of the optimal bucket order problem", European Journal of Operational
    Research 270: a (1 + λ) strategy whose mutations move, swap, unite and divide buckets and
    move and swap items, from the bucket pivot algorithm of Gionis et al. (2006). The objective is
    the sum of |C - B| over all entries, where C(a, b) is the share of rankings that put a before
    b (see `leanings`), and B(a, b) is 1, 1/2 or 0 where the answer puts a before b, ties them, or
    puts a behind b.
    """
    lean = leanings(run)
    if lean is None:
        without_ties(run)
        return
    problem = problem_of(run)
    if problem is None:
        # The two entries of a pair add 2 (1 - C) where a is before b, and |2 C - 1| in a tie.
        before = _BILLION - lean
        np.fill_diagonal(before, 0)
        name = "bucket matrix distance"
        problem = BucketProblem(run, before, np.abs(lean), Fraction(_BILLION), name)
    m = run.n_items
    random = stream(run.rng())
    parent = problem.first()
    try:
        problem.offer(parent, problem.cost(parent))
        if out_of_time(run):
            return
        if settings.start == "tied" and run.initial is None:
            parent[:] = 0
        elif settings.start == "pivot" and run.initial is None:
            band = int(2 * settings.beta * _BILLION)
            # The transpose of the leanings is their negative.
            pivot_sort(lean.T, band, np.empty_like(parent), parent, random)
        cost = problem.cost(parent)
        problem.offer(parent, cost)
        state = np.zeros(kernels.EVOLUTION_SIZE, np.int64)
        state[kernels.COST] = cost
        best = parent.copy()
        # Whole generations where some fit into a slice, else a part of a generation.
        fit = max(1, _SLICE // (m * m // 2 + 20 * m))
        births = min(fit, settings.children) * max(1, fit // settings.children)
        while state[kernels.IDLE] < settings.max_idle_generations and not run.stop():
            kernels.evolve_buckets(
                problem.before,
                problem.tied,
                parent,
                best,
                state,
                settings.children,
                settings.max_idle_generations,
                random,
                births,
            )
            run.generations = int(state[kernels.GENERATIONS])
            run.iterations = int(state[kernels.BIRTHS])
            problem.offer(parent, int(state[kernels.COST]))
    finally:
        problem.report()
