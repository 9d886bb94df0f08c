"""Partial predictions: how right the pairs of labels are that a model is sure of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from concordant._types import Float
from concordant.learn.targets import check_ranks, match_columns


class PartialCurve(NamedTuple):
    """What each least confidence keeps of the pairs that the truth orders.

    Attributes:
        confidence: The least confidence.
        completeness: The share of these pairs that are predicted.
        correctness: The share of right minus wrong ones among them, as Kendall's tau; NaN if none
            is left.
    """

    confidence: Float
    completeness: Float
    correctness: Float


def partial_curve(model: Any, X: Any, y: Any, confidences: Any = None) -> PartialCurve:
    """Return completeness and correctness of `model.predict_partial` for several confidences.

    Example:
        >>> from concordant.learn import ConstraintClassification
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [2, 1]]
        >>> curve = partial_curve(ConstraintClassification().fit(X, y), X, y, [0.5, 0.6])
        >>> curve.completeness.tolist(), curve.correctness.tolist()
        ([1.0, 1.0], [1.0, 1.0])
    """
    levels = np.linspace(0.5, 1, 21) if confidences is None else np.asarray(confidences, float)
    ranks, names = check_ranks(y)
    ranks = match_columns(ranks, names, model.labels_.tolist())
    # Comparisons with NaN are false: a label that is not ranked is in no pair.
    before = ranks[:, :, None] < ranks[:, None, :]
    right, wrong = [], []
    for level in levels:
        sure = model.predict_partial(X, level)
        right.append((sure & before).sum())
        wrong.append((sure & before.transpose(0, 2, 1)).sum())
    kept = np.add(right, wrong)
    correctness = np.where(kept > 0, np.subtract(right, wrong) / np.maximum(kept, 1), np.nan)
    return PartialCurve(levels, kept / max(before.sum(), 1), correctness)
