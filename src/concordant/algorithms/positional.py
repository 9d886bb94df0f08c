"""Scores and sorting: Borda and its kin, Copeland, and the best of the input rankings."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from concordant.errors import SettingError
from concordant.rankings import Int64, Rankings
from concordant.running import Run


def by_score(scores: Int64 | npt.NDArray[np.float64]) -> Int64:
    """Sort items by falling score; equal scores keep the order of the item numbers."""
    return np.argsort(-scores, kind="stable").astype(np.int64)


def borda_scores(counts: Int64) -> Int64:
    """Return points won less points lost, for each item, from the pairwise counts.

    On complete rankings this is an increasing function of Borda's count (Borda 1781). Tied
    and unranked pairs are worth nothing to either side, so it serves all rankings.
    """
    scores: Int64 = counts.sum(axis=1) - counts.sum(axis=0)
    return scores


def borda(run: Run, settings: None) -> None:
    """Sort by Borda score."""
    run.improve(by_score(borda_scores(run.pairwise.counts)))


def copeland(run: Run, settings: None) -> None:
    """Sort by majority duels won less lost (Copeland 1951)."""
    counts = run.pairwise.counts
    run.improve(by_score(np.sign(counts - counts.T).sum(axis=1)))


def mean_ranks(rankings: Rankings) -> npt.NDArray[np.float64]:
    """Return, aligned with `rankings.members`, the rank of each; tied items share the mean."""
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    position = np.arange(rankings.members.size) - rankings.offsets[rows] + 1
    starts = np.flatnonzero(
        np.diff(rows, prepend=-1).astype(bool) | np.diff(rankings.buckets, prepend=-1).astype(bool)
    )
    sizes = np.diff(np.append(starts, rankings.members.size))
    if not starts.size:
        return position.astype(np.float64)
    return np.repeat(np.add.reduceat(position, starts) / sizes, sizes)


def extended_borda_scores(rankings: Rankings) -> npt.NDArray[np.float64]:
    """Return the extended Borda scores of Aledo, Gámez and Rosete (2016).

    In a ranking of m' of m items, the item of rank r scores (m' + 1 - r)(m + 1) / (m' + 1),
    an item that is not ranked (m + 1) / 2. Tied items share the mean of their ranks.
    """
    rankings = rankings.explicit()
    m = rankings.n_items
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    length = rankings.lengths[rows]
    units = rankings.units.astype(np.float64)
    points = (length + 1 - mean_ranks(rankings)) * (m + 1) / (length + 1)
    # Each ranking gives (m + 1) / 2 to all; what it ranks differs from that.
    scores = np.full(m, units.sum() * (m + 1) / 2)
    np.add.at(scores, rankings.members, units[rows] * (points - (m + 1) / 2))
    # Scores that are equal but for the last bits of the floats count as equal.
    rounded: npt.NDArray[np.float64] = np.round(scores / max(1.0, np.abs(scores).max()), 12)
    return rounded


def extended_borda(run: Run, settings: None) -> None:
    """Sort by extended Borda score."""
    assert run.rankings is not None
    run.improve(by_score(extended_borda_scores(run.rankings)))


@dataclass(frozen=True, slots=True)
class RandomizedBorda:
    """Settings of `randomized-borda`.

    Attributes:
        beta: The share of the rankings left out, in (0, 0.5).
    """

    beta: float = 0.2

    def __post_init__(self) -> None:
        check_beta(self.beta)


def check_beta(beta: float) -> None:
    """Refuse a randomization factor outside the paper's range."""
    if not isinstance(beta, int | float) or not 0 < beta < 0.5:
        raise SettingError(f"beta must lie between 0 and 0.5, both excluded, not {beta!r}")


def random_share(rankings: Rankings, beta: float, rng: np.random.Generator) -> Int64:
    """Return units for a random choice of (1 - β) n of the n rankings, without repeats.

    Where every unit of weight is one ballot, ballots are drawn; weights of another kind
    (importances) stay whole, and distinct rankings are drawn.
    """
    units = rankings.units
    total = int(units.sum())
    if rankings.scale == 1 and total == rankings.n_rankings and total < 10**9:
        keep = max(1, round((1 - beta) * total))
        if int(units.max(initial=0)) <= 1:
            drawn = np.zeros(units.size, np.int64)
            drawn[rng.choice(np.flatnonzero(units), keep, replace=False)] = 1
            return drawn
        return rng.multivariate_hypergeometric(units, keep, method="marginals")
    chosen = rng.permutation(units.size)[: max(1, round((1 - beta) * units.size))]
    drawn = np.zeros_like(units)
    drawn[chosen] = units[chosen]
    return drawn


def positional_points(rankings: Rankings) -> tuple[Int64, Int64]:
    """Return twice the Borda points of each member, and its row, for summing by weight.

    A ranked item gets the items ranked behind it less those ranked before it; an item that
    is not ranked gets nothing. Summed over all rankings this is `borda_scores`.
    """
    rankings = rankings.explicit()
    rows = np.repeat(np.arange(rankings.n_distinct), rankings.lengths)
    points = np.rint(rankings.lengths[rows] + 1 - 2 * mean_ranks(rankings)).astype(np.int64)
    return points, rows


def randomized_borda_order(
    rankings: Rankings, beta: float, rng: np.random.Generator, points: tuple[Int64, Int64]
) -> Int64:
    """Return the Borda order of a random share of the rankings, ties broken by lot."""
    share = random_share(rankings, beta, rng)
    value, rows = points
    scores = np.zeros(rankings.n_items, np.int64)
    np.add.at(scores, rankings.explicit().members, value * share[rows])
    lot = rng.permutation(rankings.n_items)
    return lot[by_score(scores[lot])]


def randomized_borda(run: Run, settings: RandomizedBorda) -> None:
    """Sort by the Borda score of a random share of the rankings."""
    assert run.rankings is not None
    run.improve(
        randomized_borda_order(
            run.rankings, settings.beta, run.rng(), positional_points(run.rankings)
        )
    )


def pick_a_ranking(run: Run, settings: None) -> None:
    """Take the input ranking of least cost, heaviest first where time is short.

    Ties inside a ranking, and items that it leaves out (placed last), follow Borda's order.
    A ranking drawn from the input costs at most twice the optimum on complete rankings
    (Ailon, Charikar and Newman 2008).
    """
    rankings = run.rankings
    assert rankings is not None
    borda_rank = np.empty(rankings.n_items, np.int64)
    borda_rank[by_score(borda_scores(run.pairwise.counts))] = np.arange(rankings.n_items)
    for r in np.argsort(-rankings.units, kind="stable").tolist():
        span = slice(rankings.offsets[r], rankings.offsets[r + 1])
        bucket = np.full(rankings.n_items, rankings.n_items, np.int64)
        bucket[rankings.members[span]] = rankings.buckets[span]
        run.improve(np.lexsort((borda_rank, bucket)).astype(np.int64))
        run.iterations += 1
        if run.stop():
            break
