"""The statistics of experiments: means with their errors, paired tests, ranks, fitted exponents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# The test is exact for at most this number of differences.
_EXACT = 50


@dataclass(frozen=True, slots=True)
class Sample:
    """The mean and the spread of some values.

    Attributes:
        mean: The mean.
        deviation: The standard deviation; None for fewer than two values.
        n: The number of values.
    """

    mean: float
    deviation: float | None
    n: int

    @property
    def error(self) -> float | None:
        """The standard error of the mean."""
        return None if self.deviation is None else self.deviation / math.sqrt(self.n)

    def error_beside(self, n: int) -> float | None:
        """The standard error of the difference to the mean of n other values with the same spread.

        Example:
            >>> sample = describe([1.0, 2.0, 3.0, 4.0])
            >>> sample.error_beside(4) / sample.error == 2**0.5
            True
        """
        if self.deviation is None:
            return None
        return self.deviation * math.sqrt(1 / self.n + 1 / n)


def describe(values: Sequence[float]) -> Sample:
    """Return the mean and the spread of values.

    Example:
        >>> describe([1.0, 2.0, 3.0])
        Sample(mean=2.0, deviation=1.0, n=3)
    """
    array = np.asarray(values, np.float64)
    deviation = float(array.std(ddof=1)) if array.size > 1 else None
    return Sample(float(array.mean()), deviation, array.size)


def signed_rank_p(pairs: Sequence[Sequence[float]]) -> float | None:
    """Return the two-sided p-value of Wilcoxon's signed-rank test on paired values.

    Pairs of equal values are left out; differences smaller than the rounding of the values count
    as equal. The value is 1 if all pairs are equal, and None if there are no pairs. It is exact
    for up to 50 differences, with ties or without; for more it uses the normal distribution.

    Example:
        >>> signed_rank_p([(1, 2), (2, 4), (3, 6), (4, 8), (5, 10), (6, 12)])
        0.03125
        >>> signed_rank_p([(1, 1), (2, 2)])
        1.0
    """
    from scipy.stats import rankdata, wilcoxon

    if not pairs:
        return None
    values = np.asarray(pairs, np.float64)
    # In binary, 0.3 - 0.2 differs from 0.2 - 0.1: ignore differences below the precision.
    unit = np.abs(values).max() * 1e-10 or 1.0
    differences = np.rint((values[:, 0] - values[:, 1]) / unit)
    differences = differences[differences != 0]
    if not differences.size:
        return 1.0
    if differences.size > _EXACT:
        return float(wilcoxon(differences, method="asymptotic").pvalue)
    # Tied ranks are multiples of 1/2, so twice the ranks are integers. Count, rank by rank, the
    # choices of signs that give each sum.
    ranks = np.rint(2 * rankdata(np.abs(differences))).astype(int)
    ways = np.zeros(ranks.sum() + 1)
    ways[0] = 1
    for rank in ranks:
        ways[rank:] += ways[: ways.size - rank].copy()
    found = int(ranks[differences > 0].sum())
    tail = min(found, int(ranks.sum()) - found)
    return float(min(1.0, 2 * ways[: tail + 1].sum() / 2.0**ranks.size))


def contest(
    pairs: Sequence[Sequence[float]],
) -> tuple[int | None, int | None, int | None, float | None]:
    """Count the pairs whose first value is lower, equal and higher, and test them.

    The last value is p of the signed-rank test. Without pairs, all are None.

    Example:
        >>> contest([(1, 2), (2, 2), (3, 2)])
        (1, 1, 1, 1.0)
    """
    if not pairs:
        return None, None, None, None
    wins, losses = sum(a < b for a, b in pairs), sum(a > b for a, b in pairs)
    return wins, len(pairs) - wins - losses, losses, signed_rank_p(pairs)


def average_ranks(rows: Sequence[Sequence[float]]) -> list[float]:
    """Return the mean rank of each column over the rows; 1 = lowest value, ties share a mean rank.

    Example:
        >>> average_ranks([[1.0, 2.0, 3.0], [5.0, 5.0, 4.0]])
        [1.75, 2.25, 2.0]
    """
    from scipy.stats import rankdata

    ranks: list[float] = rankdata(np.asarray(rows, np.float64), axis=1).mean(axis=0).tolist()
    return ranks


@dataclass(frozen=True, slots=True)
class Power:
    """A power law y = factor · x^exponent, fitted on logarithmic axes.

    Attributes:
        exponent: The exponent, which is the slope on these axes.
        error: The standard error of the exponent; None for two points.
        factor: y at x = 1.
    """

    exponent: float
    error: float | None
    factor: float


def fit_power(x: Sequence[float], y: Sequence[float]) -> Power | None:
    """Fit a power law by least squares of the logarithms; None for fewer than two sizes.

    Values that are not positive have no logarithm and are left out.

    Example:
        >>> law = fit_power([10, 100, 1000], [3e2, 3e4, 3e6])
        >>> round(law.exponent, 6), round(law.factor, 6)
        (2.0, 3.0)
    """
    points = [(math.log(a), math.log(b)) for a, b in zip(x, y, strict=True) if a > 0 and b > 0]
    if len({a for a, _ in points}) < 2:
        return None
    logs = np.array(points)
    centred = logs[:, 0] - logs[:, 0].mean()
    slope = float(centred @ logs[:, 1] / (centred @ centred))
    start = float(logs[:, 1].mean() - slope * logs[:, 0].mean())
    error = None
    if len(points) > 2:
        left = logs[:, 1] - start - slope * logs[:, 0]
        error = math.sqrt(float(left @ left) / (len(points) - 2) / float(centred @ centred))
    return Power(slope, error, math.exp(start))
