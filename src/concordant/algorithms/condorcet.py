"""Voting rules that elect Condorcet winners: Schulze's method and ranked pairs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from concordant._checks import one_of
from concordant._kernels import tournament as kernels
from concordant._types import Int64
from concordant.algorithms.scoring import borda_scores
from concordant.running import Run

# Elementary steps of one slice, a few milliseconds.
_SLICE = 10_000_000
# Majorities that are sorted at a time, in about a tenth of a second.
_SORTED = 300_000


@dataclass(frozen=True, slots=True)
class StrengthSettings:
    """Settings of `schulze` and `ranked-pairs`.

    Attributes:
        strength: How strong a majority is: by "winning-votes", the weight on its side, or by
            "margins", that less the weight against it, as Tideman (1987) has it. On complete
            rankings without ties both give the same answer.
    """

    strength: str = "winning-votes"

    def __post_init__(self) -> None:
        one_of("strength", self.strength, ("winning-votes", "margins"))


def strengths(counts: Int64, kind: str) -> Int64:
    """Return how strongly a beats b, at least 1, or 0 where it does not."""
    margins = counts - counts.T
    strong = margins if kind == "margins" else counts - min(0, int(counts.min())) + 1
    return np.where(margins > 0, strong, 0)


def by_wins(beats: npt.NDArray[np.bool_], counts: Int64) -> Int64:
    """Sort items by how many they beat, then by Borda score.

    Where `beats` is transitive, a winner beats all that a loser beats, and the loser: the
    order keeps every win.
    """
    return np.lexsort((-borda_scores(counts), -beats.sum(axis=1))).astype(np.int64)


def schulze(run: Run, settings: StrengthSettings) -> None:
    """Put a before b where the strongest path from a to b is stronger than any back.

    Schulze (2011), "A new monotonic, clone-independent, reversal symmetric, and
    Condorcet-consistent single-winner election method", Social Choice and Welfare 36. A path
    is as strong as its weakest majority. Items that this leaves level follow Borda's order.
    """
    counts = run.pairwise.counts
    m = counts.shape[0]
    paths = strengths(counts, settings.strength)
    step = max(1, _SLICE // (m * m))
    for first in range(0, m, step):
        kernels.widen_paths(paths, first, min(m, first + step))
        run.iterations += 1
        if run.stop():
            break
    run.improve(by_wins(paths > paths.T, counts))


def ranked_pairs(run: Run, settings: StrengthSettings) -> None:
    """Lock majorities from the strongest to the weakest, but none that closes a cycle.

    Tideman (1987), "Independence of clones as a criterion for voting rules", Social Choice and
    Welfare 4, which measures strength by margins. Of equally strong majorities, the one with
    less weight against it is locked first, then the one of the winner with the higher and the
    loser with the lower Borda score.
    """
    counts = run.pairwise.counts
    strong = strengths(counts, settings.strength)
    reached = np.zeros(counts.shape, np.bool_)
    # One lock takes up to m² steps, but all together no more than m³.
    step = max(1, _SLICE // max(1, counts.shape[0]))
    majorities = _strongest_first(strong, counts)
    while not run.stop():
        winners, losers = next(majorities, (None, None))
        if winners is None or losers is None:
            break
        for first in range(0, winners.size, step):
            kernels.lock_pairs(winners[first : first + step], losers[first : first + step], reached)
            run.iterations += 1
            if run.stop():
                break
    run.improve(by_wins(reached, counts))


def _strongest_first(strong: Int64, counts: Int64) -> Iterator[tuple[Int64, Int64]]:
    """Yield winners and losers, the strongest majorities first, sorted so many at a time."""
    scores = borda_scores(counts)
    won = strong[strong > 0]
    # The weakest of each share; equal ones stay together.
    cuts = np.unique(np.sort(won)[::_SORTED])
    above = np.iinfo(np.int64).max
    for cut in cuts[::-1].tolist():
        winners, losers = np.nonzero((strong >= cut) & (strong < above))
        above = cut
        by_strength = np.lexsort(
            (scores[losers], -scores[winners], counts[losers, winners], -strong[winners, losers])
        )
        yield winners[by_strength], losers[by_strength]
