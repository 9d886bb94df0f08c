"""Scales features to mean 0 and deviation 1, without outliers and constant features."""

from __future__ import annotations

import numpy as np

from concordant._types import Float


class Scaling:
    """The mean and the deviation of each feature, over weighted cases.

    Args:
        X: The features of the cases.
        weight: The weight of each case.
        farthest: Scaled values are clipped to this.

    Example:
        >>> scaling = Scaling(np.array([[0.0, 7.0], [2.0, 7.0]]), np.ones(2))
        >>> scaling.transform(np.array([[3.0, 8.0]])).tolist()
        [[2.0]]
    """

    def __init__(self, X: Float, weight: Float, farthest: float = np.inf) -> None:
        self._farthest = farthest
        with np.errstate(over="ignore", invalid="ignore"):
            mean = np.average(X, axis=0, weights=weight)
            deviation = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weight))
        # The mean of equal values may differ from them in the last digit; compare the values.
        self.kept = (np.ptp(X, axis=0) > 0) & (deviation > 0) & np.isfinite(deviation)
        self._mean, self._deviation = mean[self.kept], deviation[self.kept]

    def transform(self, X: Float) -> Float:
        """Return the features that vary, scaled; one feature of zeros if none varies."""
        if not self.kept.any():
            return np.zeros((len(X), 1))
        scaled: Float = (X[:, self.kept] - self._mean) / self._deviation
        clipped: Float = np.clip(scaled, -self._farthest, self._farthest)
        return clipped
