"""Scorers of label rankers, for `cross_val_score` and `GridSearchCV`, and feature importance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import narwhals as nw
import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import UNUSED

from concordant._checks import at_least, one_of
from concordant._types import Float
from concordant.errors import SettingError
from concordant.learn.targets import (
    check_ranks,
    check_weights,
    kendall_tau,
    match_columns,
    mean_over_rows,
    rank_rows,
)
from concordant.learn.wrapped import labels_of


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


class LabelScorer(BaseEstimator):  # type: ignore[misc]
    """A scorer: the mean over cases of a measure of true and predicted ranks.

    With metadata routing, `set_score_request(sample_weight=True)` asks for the weights of cases.

    Args:
        measure: A function of true and predicted ranks that returns a value for each row, NaN for
            rows that do not count.

    Example:
        >>> from concordant.learn import ConstraintClassification
        >>> model = ConstraintClassification().fit([[0.0], [1.0]], [[1, 2], [2, 1]])
        >>> LabelScorer(kendall_tau)(model, [[0.0], [1.0]], [[1, 2], [1, 2]], [3, 1])
        0.5
    """

    # The model is no metadata, although it is an argument of `score`.
    __metadata_request__score = {"model": UNUSED}  # noqa: RUF012 - read by scikit-learn

    def __init__(self, measure: Callable[[Any, Any], Float]) -> None:
        self.measure = measure

    def __call__(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of a fitted model, NaN if no row counts."""
        return self.score(model, X, y, sample_weight)

    def score(self, model: Any, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the score of a fitted model, NaN if no row counts."""
        ranks, names = check_ranks(y)
        ranks = match_columns(ranks, names, labels_of(model))
        weight = check_weights(sample_weight, len(ranks))
        return mean_over_rows(self.measure(ranks, np.asarray(model.predict(X))), weight)


SCORERS: dict[str, LabelScorer] = {
    "kendall_tau": LabelScorer(kendall_tau),
    "spearman_rho": LabelScorer(spearman_rho),
    "top_one": LabelScorer(top_one),
    "ndcg": LabelScorer(ndcg),
}
"""Scorers by name, for `scoring=`: the mean over cases of Kendall's tau and so on."""


class FeatureImportance(NamedTuple):
    """How much a score falls when a feature is shuffled, the most important feature first.

    Attributes:
        features: The names of the features, or their numbers from 0.
        mean: The mean loss of the score.
        deviation: The standard deviation of this loss over the repeats.
    """

    features: list[Any]
    mean: Float
    deviation: Float


def feature_importance(
    model: Any,
    X: Any,
    y: Any,
    *,
    scoring: str | Callable[..., float] = "kendall_tau",
    repeats: int = 5,
    sample_weight: Any = None,
    random_state: Any = None,
) -> FeatureImportance:
    """Return how much the score of a fitted model falls when a feature is shuffled (permutation).

    Use cases that the model has not seen. Features that say the same share their importance: the
    model can do without either of them.

    Args:
        model: A fitted label ranker, or a pipeline or search that ends with one.
        X: The features, an array or a frame of pandas or polars.
        y: The ranks of the labels.
        scoring: A name in `SCORERS`, or a function `(model, X, y) -> score`.
        repeats: How many times each feature is shuffled.
        sample_weight: The weight of each case.
        random_state: Random seed.

    Example:
        >>> from concordant.learn import ConstraintClassification
        >>> X = np.random.default_rng(0).normal(size=(80, 2))
        >>> y = np.where(X[:, [0]] > 0, [1, 2], [2, 1])
        >>> model = ConstraintClassification().fit(X, y)
        >>> found = feature_importance(model, X, y, random_state=0)
        >>> found.features, bool(found.mean[0] > 0.8)
        ([0, 1], True)
    """
    at_least("repeats", repeats, 1)
    score = scoring
    if isinstance(scoring, str):
        one_of("scoring", scoring, tuple(SCORERS))
        score = SCORERS[scoring]
    if not callable(score):
        raise SettingError("scoring must be a name in SCORERS or a function")
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    rng = check_random_state(random_state)
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    table = frame if isinstance(frame, nw.DataFrame) else np.asarray(X)
    names: list[Any] = list(
        table.columns if isinstance(table, nw.DataFrame) else range(table.shape[1])
    )
    whole = score(model, X, y, **weights)
    lost = np.empty((len(names), repeats))
    for j in range(len(names)):
        for r in range(repeats):
            lost[j, r] = whole - score(
                model, _shuffled(table, j, rng.permutation(len(table))), y, **weights
            )
    order = np.argsort(-lost.mean(1), kind="stable")
    return FeatureImportance([names[j] for j in order], lost.mean(1)[order], lost.std(1)[order])


def _shuffled(table: Any, column: int, order: Any) -> Any:
    """Return a table with the values of one column in another order."""
    if isinstance(table, nw.DataFrame):
        values = table[:, column]
        return table.with_columns(values[order.tolist()].alias(values.name)).to_native()
    other = table.copy()
    other[:, column] = table[order, column]
    return other
