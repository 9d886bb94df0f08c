"""Scorers of label rankers, for `cross_val_score` and `GridSearchCV`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from concordant._types import Float, Int64
from concordant.learn.targets import check_ranks, kendall_tau, match_columns, rank_rows


def spearman_rho(truth: Any, predicted: Any) -> Float:
    """Return Spearman's rho of each row, over the labels that the truth ranks; NaN without two.

    Example:
        >>> spearman_rho([[1, 2, 3], [1, 2, float("nan")]], [[1, 3, 2], [2, 1, 3]]).tolist()
        [0.5, -1.0]
    """
    real, guess = _matched(truth, predicted)
    known = ~np.isnan(real)
    a, b = (rank_rows(np.where(known, each, np.nan)) for each in (real, guess))
    middle = (known.sum(1, keepdims=True) + 1) / 2
    a, b = (np.where(known, each - middle, 0) for each in (a, b))
    size = np.sqrt((a**2).sum(1) * (b**2).sum(1))
    rho: Float = np.where(size > 0, (a * b).sum(1) / np.maximum(size, 1e-300), np.nan)
    return rho


def top_one(truth: Any, predicted: Any) -> Float:
    """Return for each row whether the predicted best label is a best one of the truth: 1 or 0.

    It is the best of the labels that the truth ranks; NaN if there is none.

    Example:
        >>> top_one([[1, 2, 3], [2, 1, 3]], [[1, 3, 2], [1, 2, 3]]).tolist()
        [1.0, 0.0]
    """
    real, guess = _matched(truth, predicted)
    known = ~np.isnan(real)
    best = np.argmin(np.where(known, guess, np.inf), axis=1)
    least = np.min(np.where(known, real, np.inf), axis=1)
    hit: Float = np.where(known.any(1), real[np.arange(len(real)), best] == least, np.nan)
    return hit


def ndcg(truth: Any, predicted: Any) -> Float:
    """Return for each row the normalised discounted cumulative gain of the predicted ranking.

    The gain of a label is the number of labels that the truth puts behind it, half for ties.
    Only labels that the truth ranks count; NaN without two.

    Example:
        >>> (
        ...     ndcg([[1, 2, 3]], [[1, 2, 3]]).tolist(),
        ...     ndcg([[1, 2, 3]], [[3, 2, 1]]).round(2).tolist(),
        ... )
        ([1.0], [0.62])
    """
    real, guess = _matched(truth, predicted)
    known = ~np.isnan(real)
    ranks = rank_rows(real)
    gains = np.where(known, known.sum(1, keepdims=True) - ranks, 0)

    def total(order: Float) -> Float:
        places = rank_rows(np.where(known, order, np.nan))
        found: Float = np.where(known, gains / np.log2(places + 1), 0).sum(1)
        return found

    ideal = total(ranks)
    value: Float = np.where(ideal > 0, total(guess) / np.maximum(ideal, 1e-300), np.nan)
    return value


def _matched(truth: Any, predicted: Any) -> tuple[Float, Float]:
    real, labels = check_ranks(truth)
    guess, names = check_ranks(predicted)
    return real, match_columns(guess, names, labels)


def _mean(measure: Callable[[Any, Any], Float]) -> Callable[[Any, Any, Any], float]:
    def score(model: Any, X: Any, y: Any) -> float:
        ranks, names = check_ranks(y)
        values = measure(match_columns(ranks, names, labels_of(model)), model.predict(X))
        return float(np.nanmean(values)) if not np.isnan(values).all() else float("nan")

    return score


def labels_of(model: Any) -> list[Any]:
    """Return the labels of a fitted label ranker, or of a pipeline or search that ends with one."""
    while not hasattr(model, "labels_"):
        model = model.best_estimator_ if hasattr(model, "best_estimator_") else model[-1]
    labels: list[Any] = model.labels_.tolist()
    return labels


def predict_order(model: Any, X: Any) -> np.ndarray[Any, np.dtype[Any]]:
    """Return the labels in their predicted order, best first.

    `model` is a fitted label ranker, or a scikit-learn pipeline or search that ends with one. Those
    have `predict`, but not `predict_order`.

    Example:
        >>> from sklearn.pipeline import make_pipeline
        >>> from sklearn.preprocessing import StandardScaler
        >>> from concordant.learn import ConstraintClassification
        >>> model = make_pipeline(StandardScaler(), ConstraintClassification())
        >>> predict_order(model.fit([[0.0], [1.0]], [[1, 2], [2, 1]]), [[1.5]]).tolist()
        [[1, 0]]
    """
    labels = np.array(labels_of(model))
    orders: Int64 = np.argsort(model.predict(X), axis=1, kind="stable")
    named: np.ndarray[Any, np.dtype[Any]] = labels[orders]
    return named


SCORERS: dict[str, Any] = {
    "kendall_tau": _mean(kendall_tau),
    "spearman_rho": _mean(spearman_rho),
    "top_one": _mean(top_one),
    "ndcg": _mean(ndcg),
}
"""Scorers by name, for `scoring=`: the mean over cases of Kendall's tau and so on."""
