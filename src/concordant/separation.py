"""Which items a bootstrap can tell apart, for all pairs at once, and the places that leaves.

Items a and b are told apart by a statistic of the pair, such as the difference of their scores.
With many pairs, some differences are large by chance. So a pair counts only if its difference, in
standard errors, is above a critical value: the quantile of the largest error of any pair over the
samples. Pairs that are found apart no longer count for this maximum, and the rest is tested again.
This is the step-down procedure of Romano and Wolf (2005), which Mogstad, Romano, Shaikh and Wilhelm
(2024) use for confidence sets of ranks. At a level of 0.95, the probability that any pair is put in
a wrong order is at most about 5 %.
"""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import ndtr, stdtrit

from concordant._types import Float

Bools = npt.NDArray[np.bool_]
# The errors of all pairs in all samples are kept up to this number: then the test can step down.
_MOST_KEPT = 50_000_000
# With more items than this, the test takes one step, and only whole groups are told apart.
_MANY = 400
# Two voters for and two against are added to the variance of each pair (Agresti and Coull 1998),
# so that a few voters of one opinion are not taken for certainty.
_ADDED = 8.0


@dataclass(frozen=True, slots=True)
class Spread:
    """The margins of all pairs a < b, and their standard errors between samples.

    Attributes:
        margins: The votes for a minus the votes for b.
        errors: The standard errors, at least one vote.
    """

    margins: Float
    errors: Float

    @classmethod
    def of(cls, first: Float, second: Float, voters: int) -> Spread:
        """Return the margins from the mean and the mean square of one voter's votes."""
        margins = voters * first
        variance = voters * np.maximum(second - first**2, 0)
        errors = np.sqrt(np.maximum(variance, 1) + _ADDED * first**2)
        return cls(margins, errors)

    def noise(self, votes: Any, samples: int) -> Any:
        """Return how far samples are from the margins, in standard errors; a row for each.

        With many samples and items, it is only the largest of each row.
        """
        noise = ((votes - self.margins) / self.errors).astype(np.float32)
        if samples * self.margins.size <= _MOST_KEPT:
            return noise
        return np.abs(noise).max(axis=1, keepdims=True)


def critical(largest: Any, level: float) -> float:
    """Return the quantile of the largest errors, not less than that of one normal error.

    Example:
        >>> critical(np.arange(1.0, 100.0), 0.95), round(critical(np.zeros(99), 0.95), 2)
        (95.0, 1.96)
    """
    n = largest.size
    rank = min(n, int(np.ceil((n + 1) * level - 1e-9)))
    return max(float(np.sort(largest)[rank - 1]), NormalDist().inv_cdf((1 + level) / 2))


def apart_by_margins(spread: Spread, noise: Any, level: float, m: int, is_kemeny: bool) -> Bools:
    """Return which items are certainly before which, for methods that follow majorities.

    Entry [a, b] is true if a is before b in the ranking of all possible voters. A majority alone
    does not show this, because majorities can form cycles. Two facts do:

    - If every item of a set beats every other item by majority, the set comes first: the extended
      Condorcet criterion, which Kemeny's rule and many others satisfy.
    - In a ranking of least cost with b before a, and the items X between them, moving a before b
      and moving b behind a saves nothing. So the margin of a over b is at most half the sum over X
      of what a loses to x and x loses to b. If the lower bound of the margin of a over b is larger
      than that for every possible X, a is before b.
    """
    largest = np.abs(noise).max(axis=1, initial=0)
    limit = critical(largest, level)
    upper = np.triu_indices(m, 1)
    ahead = np.zeros((m, m), np.bool_)
    if noise.shape[1] == spread.margins.size:
        up, down = _step_down(spread.margins / spread.errors, noise, level)
        ahead[upper], ahead.T[upper] = up, down
    else:
        ahead[upper] = spread.margins > limit * spread.errors
        ahead.T[upper] = -spread.margins > limit * spread.errors
    certain = _cuts(ahead)
    if is_kemeny and m <= _MANY:
        lower = np.zeros((m, m))
        lower[upper] = spread.margins - limit * spread.errors
        lower.T[upper] = -spread.margins - limit * spread.errors
        certain |= ahead & _always(lower)
    return certain


def _step_down(statistics: Any, noise: Any, level: float) -> tuple[Bools, Bools]:
    """Return the pairs a < b of which a is ahead, and those of which b is."""
    up = np.zeros(statistics.size, np.bool_)
    down = up.copy()
    if not statistics.size:
        return up, down
    while True:
        most = noise[:, ~up].max(axis=1, initial=0)
        least = noise[:, ~down].min(axis=1, initial=0)
        limit = critical(np.maximum(most, -least), level)
        more_up, more_down = statistics > limit, -statistics > limit
        if (more_up <= up).all() and (more_down <= down).all():
            return up, down
        up, down = more_up, more_down


def _cuts(ahead: Bools) -> Bools:
    """Return the pairs of which one item is in a set that beats all others, and the other is not.

    Sets that beat all others are nested, and their members beat more items than the others.
    """
    m = ahead.shape[0]
    order = np.argsort(-ahead.sum(axis=1), kind="stable")
    beats = ahead[np.ix_(order, order)]
    certain = np.zeros_like(ahead)
    for k in range(1, m):
        if beats[:k, k:].all():
            certain[np.ix_(order[:k], order[k:])] = True
    return certain


def _always(lower: Float) -> Bools:
    """Return which items are before which in every ranking of least cost, by bounds of margins."""
    m = lower.shape[0]
    before = np.zeros((m, m), np.bool_)
    for a in range(m):
        # What a loses to x and x loses to b, for all x and b.
        lost = np.maximum(0, -(lower[a][:, None] + lower))
        lost[a] = 0
        np.fill_diagonal(lost, 0)
        before[a] = lower[a] > lost.sum(axis=0) / 2
        before[a, a] = False
    return before


def apart_by_scores(scores: Float, samples: Float, level: float, voters: int) -> Bools:
    """Return which items certainly have a higher score than which.

    Args:
        scores: The score of each item.
        samples: The scores in the samples; a row for each.
        level: The probability that no pair is put in a wrong order.
        voters: The number of voters drawn for each sample.

    Example:
        >>> random = np.random.default_rng(0)
        >>> scores = np.array([5.0, 0.2, 0.0])
        >>> apart_by_scores(scores, scores + random.normal(size=(999, 3)), 0.95, 100).tolist()
        [[False, True, True], [False, False, False], [False, False, False]]
    """
    m = scores.size
    differences = scores[:, None] - scores
    errors = np.ones((m, m))
    for a in range(m):
        variance = (samples[:, [a]] - samples).var(axis=0)
        errors[a] = np.sqrt(variance + _ADDED * (differences[a] / voters) ** 2)
    # An item is not compared with itself. Equal items have no error and no difference.
    errors[errors == 0] = 1.0
    statistics = differences / errors
    ahead = np.zeros((m, m), np.bool_)
    for _ in range(1 if m > _MANY else m * m):
        largest = np.zeros(samples.shape[0])
        for a in range(m):
            noise = (samples[:, [a]] - samples - differences[a]) / errors[a]
            np.maximum(largest, noise[:, ~ahead[a]].max(axis=1, initial=0), out=largest)
        # Standard errors from few voters are themselves uncertain: Student's quantile.
        limit = float(stdtrit(max(1, voters - 1), ndtr(critical(largest, level))))
        more = statistics > limit
        if (more <= ahead).all():
            break
        ahead = more
    return ahead


def closed(certain: Bools) -> Bools:
    """Return the transitive closure: what is before an item is before all that follow that item.

    Example:
        >>> chain = np.array([[False, True, False], [False, False, True], [False] * 3])
        >>> closed(chain)[0].tolist()
        [False, True, True]
    """
    found = certain.copy()
    for k in range(found.shape[0]):
        found |= np.outer(found[:, k], found[k])
    return found


def places_left(certain: Bools) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the first and the last place that each item can have, from 1 on.

    Example:
        >>> places_left(np.array([[False, True, True], [False] * 3, [False] * 3]))
        ((1, 2, 2), (1, 3, 3))
    """
    low = 1 + certain.sum(axis=0)
    high = certain.shape[0] - certain.sum(axis=1)
    return tuple(low.tolist()), tuple(high.tolist())


def groups_left(certain: Bools) -> tuple[int, ...]:
    """Return the sizes of the groups: each item of a group is before all items of the next.

    Example:
        >>> groups_left(np.array([[False, True, True], [False] * 3, [False] * 3]))
        (1, 2)
    """
    m = certain.shape[0]
    ends = [k for k in range(1, m) if certain[:k, k:].all()]
    return tuple(np.diff([0, *ends, m]).tolist())
