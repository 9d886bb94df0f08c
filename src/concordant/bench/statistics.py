"""The statistics of experiments: means with their errors, fitted exponents."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


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
