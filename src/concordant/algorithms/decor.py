"""DECOR: differential evolution for Kemeny's distance with ties."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from concordant._checks import at_least, between, true_or_false
from concordant._types import Int64
from concordant.algorithms.buckets import BucketProblem, kendall_with_ties, without_ties
from concordant.pairwise import mirrored
from concordant.running import Run

# Pairs of items evaluated between two checks of the limits: a few milliseconds.
_SLICE = 6_000_000


@dataclass(frozen=True, slots=True)
class DeSettings:
    """Settings of `de`; the defaults are those of the authors' program.

    Attributes:
        population: The number of members.
        max_idle_generations: The run ends after this number of generations in a row without a
            better answer.
        scaling: The factor of the difference of two members that is added to a third.
        crossover_rate: The share of ranks that a child keeps from its parent; the others come
            from that sum.
        ties: Whether the answer may have ties.
    """

    population: int = 15
    max_idle_generations: int = 100
    scaling: float = 0.4
    crossover_rate: float = 0.9
    ties: bool = True

    def __post_init__(self) -> None:
        at_least("population", self.population, 4, 10_000)
        at_least("max_idle_generations", self.max_idle_generations, 1)
        between("scaling", self.scaling, 0.0, 1.0)
        between("crossover_rate", self.crossover_rate, 0.0, 1.0)
        true_or_false("ties", self.ties)


def de(run: Run, settings: DeSettings) -> None:
    """Evolve rank vectors by their differences; a child replaces its parent if it is better.

    DECOR of D'Ambrosio, Mazzeo, Iorio and Siciliano (2017), "A differential evolution algorithm
    for finding the median ranking under the Kemeny axiomatic approach", Computers and Operations
    Research 82, as in their program ConsRank: a child takes an item's rank from the mutant where a
    uniform random number exceeds the crossover rate. Its numbers are then ranked, and only equal
    numbers tie. Of the first members, the last is the order by majorities won, and the others are
    random. Kemeny's distance counts 2 for a pair in opposite orders and 1 for a pair that only one
    side ties.
    """
    problem = kendall_with_ties(run, 0.5, 2, "Kemeny distance with ties")
    if problem is None:
        without_ties(run)
        return
    m = run.n_items
    rng = run.rng()
    size = settings.population
    often = max(1, min(16, _SLICE // (m * m)))
    good = ranking_by_wins(problem) if run.initial is None else problem.first()
    if not settings.ties:
        good = to_ranking(good, ties=False)
    try:
        # The good member first, so that there is an answer even in a short time.
        ranks = np.empty((size, m), np.int64)
        costs = np.empty(size, np.int64)
        for k in range(-1, size - 1):
            ranks[k] = good if k < 0 else rng.permutation(m)
            costs[k] = problem.cost(ranks[k])
            problem.offer(to_ranking(ranks[k], ties=True), int(costs[k]))
            if k % often == often - 1 and run.stop():
                return
        idle = 0
        while idle < settings.max_idle_generations and not run.stop():
            improved = False
            for k in range(size):
                # Three members other than k: where k is drawn, the last member replaces it.
                drawn = rng.choice(size - 1, 3, replace=False)
                base, plus, minus = ranks[np.where(drawn == k, size - 1, drawn)]
                mutant = base + settings.scaling * (plus - minus)
                taken = rng.random(m) > settings.crossover_rate
                child = to_ranking(np.where(taken, mutant, ranks[k]), ties=settings.ties)
                cost = problem.cost(child)
                run.iterations += 1
                if cost < costs[k]:
                    ranks[k], costs[k] = child, cost
                    improved |= problem.offer(child, cost)
                if k % often == often - 1 and run.stop():
                    break
            run.generations += 1
            idle = 0 if improved else idle + 1
    finally:
        problem.report()


def ranking_by_wins(problem: BucketProblem) -> Int64:
    """Return a rank for each item: the more items it beats, the lower, with gaps behind ties.

    An item beats another where more weight ranks it before or level than behind. Where ties
    make both beat each other, both count.
    """
    m = problem.before.shape[0]
    wins = np.zeros(m, np.int64)
    for i, j, there, back in mirrored(problem.before):
        rows, columns = slice(i, i + there.shape[0]), slice(j, j + there.shape[1])
        tied = problem.tied[rows, columns]
        # With a penalty of one half, b before a costs as much more than a tie as there is more
        # weight for a before or level with b than behind it.
        lead, other = back.T - tied, there - tied
        wins[rows] += ((lead > 0) & (other != 0)).sum(axis=1)
        if j > i:
            wins[columns] += ((other > 0) & (lead != 0)).sum(axis=0)
    ranks: Int64 = m - 1 - wins
    return ranks


def to_ranking(values: Any, *, ties: bool) -> Int64:
    """Number the buckets of a ranking by rising values; equal values tie, or follow each other.

    Example:
        >>> to_ranking([0.1, 2.6, 0.1, 7.0], ties=True).tolist()
        [0, 1, 0, 2]
        >>> to_ranking([0.1, 2.6, 0.1, 7.0], ties=False).tolist()
        [0, 2, 1, 3]
    """
    values = np.asarray(values)
    if ties:
        return np.unique(values, return_inverse=True)[1].astype(np.int64)
    ranks = np.empty(values.size, np.int64)
    ranks[np.argsort(values, kind="stable")] = np.arange(values.size)
    return ranks
