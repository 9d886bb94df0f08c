"""Voting rules that elect Condorcet winners: Schulze's method and ranked pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from concordant._checks import one_of
from concordant._kernels import tournament as kernels
from concordant._types import Int64, Margins
from concordant.algorithms.scoring import borda_of, counted_in_time, out_of_time, pieces_by_value
from concordant.pairwise import mirrored
from concordant.running import Run

# Elementary steps between two checks of the limits: a few milliseconds.
_SLICE = 10_000_000
# Majorities that are sorted at a time: about 0.1 seconds.
_SORTED = 300_000


@dataclass(frozen=True, slots=True)
class StrengthSettings:
    """Settings of `schulze` and `ranked-pairs`.

    Attributes:
        strength: How the strength of a majority is measured: by "winning-votes", the weight for
            it, or by "margins", the weight for it minus the weight against it, as in Tideman
            (1987). On complete rankings without ties, both give the same answer.
    """

    strength: str = "winning-votes"

    def __post_init__(self) -> None:
        one_of("strength", self.strength, ("winning-votes", "margins"))


def strengths(counts: Int64, kind: str, stop: Callable[[], bool] = lambda: False) -> Margins | None:
    """Return how strongly a beats b, at least 1, or 0 where it does not.

    The answer is None where `stop`, which is called every few milliseconds, returns true.
    """
    least = min(0, int(counts.min(initial=0)))
    narrow = int(counts.max(initial=0)) - least < 2**31 - 1
    strong: Margins = np.zeros(counts.shape, np.int32 if narrow else np.int64)
    for i, j, there, back in mirrored(counts):
        if j == i > 0 and stop():
            return None
        ahead, behind = there.astype(np.int64), back.T.astype(np.int64)
        margins = ahead - behind
        if kind == "margins":
            ahead, behind = margins, -margins
        else:
            ahead, behind = ahead - least + 1, behind - least + 1
        rows, columns = slice(i, i + there.shape[0]), slice(j, j + there.shape[1])
        strong[rows, columns] = np.where(margins > 0, ahead, 0)
        strong[columns, rows] = np.where(margins < 0, behind, 0).T
    return strong


def by_wins(run: Run, wins: Int64) -> Int64:
    """Sort items by how many they beat, then by Borda score.

    Where beating is transitive, a winner beats the loser and all that the loser beats, so the
    order keeps every win.
    """
    return np.lexsort((-borda_of(run), -wins)).astype(np.int64)


def schulze(run: Run, settings: StrengthSettings) -> None:
    """Put a before b where the strongest path from a to b is stronger than any path back.

    Schulze (2011), "A new monotonic, clone-independent, reversal symmetric, and
    Condorcet-consistent single-winner election method", Social Choice and Welfare 36. A path
    is as strong as its weakest majority. Items whose paths are equally strong follow Borda's
    order. Out of time, the paths found so far count.
    """
    if not counted_in_time(run):
        return
    paths = strengths(run.pairwise.counts, settings.strength, partial(out_of_time, run))
    if paths is None:
        return
    m = run.n_items
    # Whole steps, or stretches of rows where a step takes longer than a slice.
    step, rows = max(1, _SLICE // (m * m)), max(1, _SLICE // m)
    first = row = 0
    while first < m:
        last, end = min(m, first + step), min(m, row + rows)
        kernels.widen_paths(paths, first, last, row, end)
        row = end
        if row == m:
            first, row = last, 0
            run.iterations += 1
        if run.stop():
            break
    wins = np.zeros(m, np.int64)
    for i, j, there, back in mirrored(paths):
        wins[i : i + there.shape[0]] += (there > back.T).sum(axis=1)
        if j > i:
            wins[j : j + there.shape[1]] += (there < back.T).sum(axis=0)
    run.improve(by_wins(run, wins))


def ranked_pairs(run: Run, settings: StrengthSettings) -> None:
    """Lock majorities from the strongest to the weakest, except those that close a cycle.

    Tideman (1987), "Independence of clones as a criterion for voting rules", Social Choice and
    Welfare 4, which measures strength by margins. Of equally strong majorities, the one with
    less weight against it is locked first, then the one of the winner with the higher and the
    loser with the lower Borda score. Out of time, the majorities locked so far count.
    """
    if not counted_in_time(run):
        return
    counts = run.pairwise.counts
    strong = strengths(counts, settings.strength, partial(out_of_time, run))
    if strong is None:
        return
    m = run.n_items
    scores = borda_of(run)
    reached = np.zeros(counts.shape, np.bool_)
    # One lock takes up to m² steps, but all together take no more than m³.
    step = max(1, _SLICE // max(1, m))
    over = run.stop()
    for piece in () if over else pieces_by_value(strong.ravel(), 1, _SORTED, run.stop):
        winners, losers = np.divmod(piece, m)
        by_strength = np.lexsort(
            (scores[losers], -scores[winners], counts[losers, winners], -strong[winners, losers])
        )
        winners, losers = winners[by_strength], losers[by_strength]
        for first in range(0, winners.size, step):
            last = min(winners.size, first + step)
            at = first
            while at < last and not over:
                at = int(kernels.lock_pairs(winners[:last], losers[:last], reached, at, _SLICE))
                run.iterations += at == last
                over = run.stop()
            if over:
                break
        if over:
            break
    run.improve(by_wins(run, reached.sum(axis=1)))
