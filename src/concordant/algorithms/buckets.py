"""Methods whose answer has ties: bucket orders by evolution strategy, DE and BioConsert.

Each minimises an objective of its own, which adds up over pairs of items; its value is in
`details` of the result, the ties are in `buckets`. The ranking breaks the ties by Borda score,
and its cost is the one of all methods. The objectives are those of the sources, and so
are the settings of DE; those of the evolution strategy are ours.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from concordant._checks import at_least, between, one_of
from concordant._kernels import buckets as kernels
from concordant._kernels.ballots import count_together
from concordant._kernels.tournament import pivot_sort
from concordant._types import Int64
from concordant.algorithms.scoring import borda_scores, by_score
from concordant.errors import SettingError
from concordant.rankings import Rankings, exact_units
from concordant.running import Run, stream

# Pairs of items looked at in one slice, a few milliseconds.
_SLICE = 6_000_000
_LARGEST = 2**62
_BILLION = 10**9


class BucketProblem:
    """What a tie and either order of each pair cost, and the best bucket order so far.

    Attributes:
        before: before[a, b] is what a before b costs, in units of 1 / `scale`.
        tied: What a tie of the two costs.
    """

    def __init__(self, run: Run, before: Int64, tied: Int64, scale: Fraction, name: str) -> None:
        largest = max(int(before.max(initial=0)), int(tied.max(initial=0)))
        if largest * before.shape[0] ** 2 >= _LARGEST:
            raise SettingError(
                "the weights and the tie penalty are too large to add up exactly (2**62): divide "
                "the weights by a common factor, or give the penalty with fewer decimals"
            )
        self.before, self.tied = before, tied
        self._run = run
        self._scale = scale
        self._name = name
        self._best: tuple[Int64, int] | None = None
        borda = by_score(borda_scores(run.pairwise.counts))
        self._borda_rank = np.empty(borda.size, np.int64)
        self._borda_rank[borda] = np.arange(borda.size)

    def cost(self, bucket: Int64) -> int:
        """Return the cost of a bucket order, in units."""
        return int(kernels.bucket_cost(self.before, self.tied, bucket))

    def first(self) -> Int64:
        """Return the order to start from: the caller's own, or Borda's."""
        if self._run.initial is None:
            return self._borda_rank.copy()
        bucket = np.empty(self._borda_rank.size, np.int64)
        bucket[self._run.initial] = np.arange(bucket.size)
        return bucket

    def offer(self, bucket: Int64, cost: int) -> bool:
        """Keep a bucket order if it is the best so far."""
        if self._best is not None and cost >= self._best[1]:
            return False
        self._best = bucket.copy(), cost
        return True

    def descend(self, bucket: Int64) -> None:
        """Move items to their best places, in slices, and offer what comes of it."""
        state = np.zeros(kernels.STATE_SIZE, np.int64)
        state[kernels.COST] = self.cost(bucket)
        while True:
            before = int(state[kernels.ITERATIONS])
            kernels.descend_buckets(self.before, self.tied, bucket, state, _SLICE)
            self._run.iterations += int(state[kernels.ITERATIONS]) - before
            self.offer(bucket, int(state[kernels.COST]))
            if state[kernels.SCANNED] >= bucket.size or self._run.stop():
                break

    def report(self) -> None:
        """Hand the best bucket order over to the run, with its ties broken by Borda score."""
        assert self._best is not None
        bucket, cost = self._best
        order = np.lexsort((self._borda_rank, bucket)).astype(np.int64)
        self._run.improve(order)
        self._run.buckets = [
            order[bucket[order] == k].tolist() for k in range(int(bucket.max()) + 1)
        ]
        value = Fraction(cost) / self._scale
        self._run.details = {
            "objective": self._name,
            "objective_value": int(value) if value.denominator == 1 else round(float(value), 6),
        }


# -- ties that cost a share of a disagreement ------------------------------------------------


def weight_together(rankings: Rankings) -> Int64:
    """Return, for each pair of items, the weight of the rankings that rank both."""
    m = rankings.n_items
    together = np.zeros((m, m), np.int64)
    if rankings.is_complete:
        together += rankings.units.sum()
    else:
        every = np.arange(rankings.n_distinct)
        count_together(rankings.offsets, rankings.members, rankings.units, every, together)
        together = -together
    np.fill_diagonal(together, 0)
    return together


def kendall_with_ties(run: Run, penalty: float, factor: int, name: str) -> BucketProblem:
    """Make the problem of Kendall's distance with a penalty for ties (Fagin et al. 2006).

    A pair costs 1 where a ranking orders it the other way, and the penalty where just one of
    ranking and answer ties it. Of a pair that a ranking leaves out, nothing is known.
    """
    assert run.rankings is not None
    counts = run.pairwise.counts
    m = counts.shape[0]
    together = weight_together(run.rankings)
    strict = counts + counts.T
    (units,), parts = exact_units([penalty], "tie penalty")
    if (int(together.max(initial=0)) * max(parts, int(units))) * m * m >= _LARGEST:
        raise SettingError("the weights are too large to add up exactly with this tie penalty")
    before = parts * counts.T + units * (together - strict)
    scale = Fraction(run.pairwise.scale * parts, factor)
    return BucketProblem(run, np.ascontiguousarray(before), units * strict, scale, name)


@dataclass(frozen=True, slots=True)
class BioConsertSettings:
    """Settings of `bioconsert`.

    Attributes:
        tie_penalty: What it costs when just one of ranking and answer ties a pair, where an
            opposite order costs 1. Below one half this is no distance any more.
    """

    tie_penalty: float = 1.0

    def __post_init__(self) -> None:
        between("tie_penalty", self.tie_penalty, 0.0, 1.0)


def bioconsert(run: Run, settings: BioConsertSettings) -> None:
    """From every input ranking, move items between buckets and into new ones while that helps.

    Cohen-Boulakia, Denise and Hamel (2011), "Using medians to generate consensus rankings for
    biological data", SSDBM; Brancotte et al. (2015), "Rank aggregation with ties", PVLDB 8, who
    compare it with others and count ties in full, as the default penalty does. Items that a
    ranking leaves out start in a last bucket. Heavy rankings come first, where time is short.
    """
    name = f"Kendall distance with tie penalty {settings.tie_penalty:g}"
    problem = kendall_with_ties(run, float(settings.tie_penalty), 1, name)
    rankings = run.rankings
    assert rankings is not None
    try:
        # A start that costs little, so that there is an answer however little time there is.
        first = problem.first()
        problem.offer(first, problem.cost(first))
        starts = np.argsort(-rankings.units, kind="stable")
        for r in starts.tolist():
            if run.stop():
                break
            span = slice(rankings.offsets[r], rankings.offsets[r + 1])
            bucket = np.full(rankings.n_items, rankings.n_items, np.int64)
            bucket[rankings.members[span]] = rankings.buckets[span]
            kernels.close_gaps(bucket)
            problem.descend(bucket)
            run.generations += 1
        if not run.stop():
            problem.descend(np.zeros(rankings.n_items, np.int64))
    finally:
        problem.report()


# -- Kemeny's distance by differential evolution ---------------------------------------------


@dataclass(frozen=True, slots=True)
class DeSettings:
    """Settings of `de`; the defaults are the authors'.

    Attributes:
        population: The number of members.
        max_idle_generations: The run ends after so many generations in a row without a better
            answer.
        scaling: How much of the difference of two members is added to a third.
        crossover_rate: The share of items that a child takes from that sum.
        ties: Whether the answer may have ties.
    """

    population: int = 15
    max_idle_generations: int = 100
    scaling: float = 0.4
    crossover_rate: float = 0.9
    ties: bool = True

    def __post_init__(self) -> None:
        at_least("population", self.population, 4)
        at_least("max_idle_generations", self.max_idle_generations, 1)
        between("scaling", self.scaling, 0.0, 1.0)
        between("crossover_rate", self.crossover_rate, 0.0, 1.0)
        if not isinstance(self.ties, bool):
            raise SettingError(f"ties must be True or False, not {self.ties!r}")


def de(run: Run, settings: DeSettings) -> None:
    """Evolve rank vectors by their differences; round each child to the nearest ranking.

    D'Ambrosio, Mazzeo, Iorio and Siciliano (2017), "A differential evolution algorithm for
    finding the median ranking under the Kemeny axiomatic approach", Computers and Operations
    Research 82. Kemeny's distance counts 2 for a pair in opposite orders and 1 where just one
    side ties it. One member of the first population is Borda's order, the others are random.
    """
    problem = kendall_with_ties(run, 0.5, 2, "Kemeny distance with ties")
    m = run.pairwise.n_items
    rng = run.rng()
    size = settings.population
    try:
        ranks = np.array([rng.permutation(m) for _ in range(size)], np.int64).reshape(size, m)
        ranks[0] = problem.first()
        costs = np.array([problem.cost(member) for member in ranks])
        best = int(costs.argmin())
        problem.offer(ranks[best], int(costs[best]))
        idle = 0
        while idle < settings.max_idle_generations and not run.stop():
            improved = False
            for k in range(size):
                # Three members other than k, for which the last one stands in.
                drawn = rng.choice(size - 1, 3, replace=False)
                base, plus, minus = ranks[np.where(drawn == k, size - 1, drawn)]
                mixed = base + settings.scaling * (plus - minus)
                taken = rng.random(m) < settings.crossover_rate
                taken[rng.integers(m)] = True
                child = nearest_ranking(np.where(taken, mixed, ranks[k]), ties=settings.ties)
                cost = problem.cost(child)
                run.iterations += 1
                if cost <= costs[k]:
                    ranks[k], costs[k] = child, cost
                    improved |= problem.offer(child, cost)
                if k % 16 == 15 and run.stop():
                    break
            run.generations += 1
            idle = 0 if improved else idle + 1
    finally:
        problem.report()


def nearest_ranking(values: Any, *, ties: bool) -> Int64:
    """Turn numbers into bucket numbers: rounded, so that near ones tie, or just by their order.

    Example:
        >>> nearest_ranking([0.1, 2.6, 0.4, 7.0], ties=True).tolist()
        [0, 1, 0, 2]
        >>> nearest_ranking([0.1, 2.6, 0.4, 7.0], ties=False).tolist()
        [0, 2, 1, 3]
    """
    values = np.asarray(values, np.float64)
    if ties:
        return np.unique(np.rint(values), return_inverse=True)[1].astype(np.int64)
    ranks = np.empty(values.size, np.int64)
    ranks[np.argsort(values, kind="stable")] = np.arange(values.size)
    return ranks


# -- the optimal bucket order problem ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EsSettings:
    """Settings of `es-bucket`.

    Attributes:
        children: λ, the children of each generation.
        max_idle_generations: The run ends after so many generations in a row without a better
            answer.
        start: The first bucket order: by the bucket "pivot" algorithm, "borda", or "tied", all
            items in one bucket.
        beta: The pivot algorithm ties an item with its pivot where the share of rankings that
            put it first is within beta of one half.
    """

    children: int = 10
    max_idle_generations: int = 2000
    start: str = "pivot"
    beta: float = 0.25

    def __post_init__(self) -> None:
        at_least("children", self.children, 1)
        at_least("max_idle_generations", self.max_idle_generations, 1)
        one_of("start", self.start, ("pivot", "borda", "tied"))
        between("beta", self.beta, 0.0, 0.5)


def leanings(run: Run) -> Int64:
    """Return 2 C(a, b) - 1 in billionths: 1 where all put a before b, -1 where none does.

    C(a, b) is the share of the rankings with both items that put a before b, ties counted half;
    it is one half where there is no such ranking. A bare matrix tells of no ties.
    """
    counts = run.pairwise.counts
    if run.rankings is None:
        weight = np.abs(counts) + np.abs(counts.T)
    else:
        weight = weight_together(run.rankings)
    share = (counts - counts.T) / np.maximum(weight, 1)
    return np.asarray(np.rint(share * _BILLION), np.int64)


def es_bucket(run: Run, settings: EsSettings) -> None:
    """Change a bucket order at random, λ times; the best child takes its place unless worse.

    Aledo, Gámez and Rosete (2018), "Approaching rank aggregation problems by using evolution
    strategies: the case of the optimal bucket order problem", European Journal of Operational
    Research 270: a (1 + λ) strategy whose mutations move, swap, unite and divide buckets and
    move and swap items, from the bucket pivot algorithm of Gionis et al. (2006). The objective is
    the sum of |C - B| over all entries, where C(a, b) is the share of rankings that put a before
    b (see `leanings`), and B(a, b) is 1, 1/2 or 0 where the answer puts a before b, ties them, or
    puts a behind b.
    """
    lean = leanings(run)
    # What both entries of a pair differ by: 2 (1 - C) where a is before b, |2 C - 1| in a tie.
    before = _BILLION - lean
    np.fill_diagonal(before, 0)
    name = "bucket matrix distance"
    problem = BucketProblem(run, before, np.abs(lean), Fraction(_BILLION), name)
    m = run.pairwise.n_items
    chance = stream(run.rng())
    parent = problem.first()
    try:
        problem.offer(parent, problem.cost(parent))
        if settings.start == "tied" and run.initial is None:
            parent[:] = 0
        elif settings.start == "pivot" and run.initial is None:
            band = int(2 * settings.beta * _BILLION)
            pivot_sort(-lean, band, np.empty_like(parent), parent, chance)
        cost = problem.cost(parent)
        problem.offer(parent, cost)
        idle = 0
        slice_length = max(1, _SLICE // (settings.children * (m * m // 2 + 20 * m)))
        while idle < settings.max_idle_generations and not run.stop():
            cost, idle, done = kernels.evolve_buckets(
                problem.before,
                problem.tied,
                parent,
                cost,
                settings.children,
                settings.max_idle_generations,
                idle,
                chance,
                slice_length,
            )
            run.generations += done
            run.iterations += done * settings.children
            problem.offer(parent, int(cost))
    finally:
        problem.report()
