"""What confidence does to predictions: ties of unsure labels, and how right sure ones are."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from concordant._checks import at_least
from concordant._types import Float, Int64
from concordant.errors import InputError
from concordant.learn.targets import check_ranks, match_columns
from concordant.learn.wrapped import last_step


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


class Reliability(NamedTuple):
    """How often pairs of labels are right, by the probability of their predicted order.

    Attributes:
        predicted: The mean predicted probability of each bin that has pairs, from 0.5 to 1.
        observed: The share of its pairs that are right; a pair at 0.5 counts as half right.
        pairs: The number of its pairs.
        error: The expected calibration error: the mean over all pairs of the difference between
            the two probabilities of their bin.
    """

    predicted: Float
    observed: Float
    pairs: Int64
    error: float


def cut_into_tiers(orders: Int64, pairs: Float, confidence: float) -> Int64:
    """Return the tier of each label, 1 = best, when unsure neighbours of an order are tied.

    Tiers are parts of the order within which no pair has a probability of at least `confidence`,
    in either direction. Of all such cuts, the one of least expected cost is taken: an ordered
    pair costs its probability of being wrong, and a tied pair 1 - `confidence`.

    Args:
        orders: The labels of each case, best first.
        pairs: The probability that one label is before another: cases × labels × labels.
        confidence: The least probability of a pair that is not tied, from 0.5 to 1.

    Example:
        >>> pairs = np.array([[[0.5, 0.6, 0.9], [0.4, 0.5, 0.7], [0.1, 0.3, 0.5]]])
        >>> cut_into_tiers(np.array([[0, 1, 2]]), pairs, 0.8).tolist()
        [[1, 1, 2]]
    """
    n, m = orders.shape
    chance = pairs[np.arange(n)[:, None, None], orders[:, :, None], orders[:, None, :]]
    unsure = np.maximum(chance, 1 - chance) < confidence
    # What a tie saves; places before `end` are cut in the best way, the last tier from `cut`.
    saved = confidence - chance
    best, cut = np.zeros((n, m + 1)), np.zeros((n, m + 1), np.int64)
    for end in range(1, m + 1):
        best[:, end], cut[:, end] = best[:, end - 1], end - 1
        whole, allowed = np.zeros(n), np.ones(n, np.bool_)
        for start in range(end - 2, -1, -1):
            whole += saved[:, start, start + 1 : end].sum(1)
            allowed &= unsure[:, start, start + 1 : end].all(1)
            better = allowed & (best[:, start] + whole > best[:, end])
            best[better, end] = (best[:, start] + whole)[better]
            cut[better, end] = start
    opens = np.zeros((n, m), np.int64)
    last = np.full(n, m)
    for end in range(m, 0, -1):
        here = last == end
        last[here] = cut[here, end]
        opens[here, last[here]] = 1
    tiers = np.empty((n, m), np.int64)
    np.put_along_axis(tiers, orders, opens.cumsum(1), axis=1)
    return tiers


def _before(model: Any, y: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return which label the truth puts before which: cases × labels × labels."""
    ranks, names = check_ranks(y)
    ranks = match_columns(ranks, names, model.labels_.tolist())
    # Comparisons with NaN are false: a label that is not ranked is in no pair.
    before: np.ndarray[Any, np.dtype[np.bool_]] = ranks[:, :, None] < ranks[:, None, :]
    return before


def partial_curve(model: Any, X: Any, y: Any, confidences: Any = None) -> PartialCurve:
    """Return completeness and correctness of `model.predict_partial` for several confidences.

    The model may be a pipeline or a search. `concordant.plot.partial_curve` draws it.

    Example:
        >>> from concordant.learn import ConstraintClassification
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [2, 1]]
        >>> curve = partial_curve(ConstraintClassification().fit(X, y), X, y, [0.5, 0.6])
        >>> curve.completeness.tolist(), curve.correctness.tolist()
        ([1.0, 1.0], [1.0, 1.0])
    """
    levels = np.linspace(0.5, 1, 21) if confidences is None else np.asarray(confidences, float)
    model, X = last_step(model, X)
    before = _before(model, y)
    right, wrong = [], []
    for level in levels:
        sure = model.predict_partial(X, level)
        right.append((sure & before).sum())
        wrong.append((sure & before.transpose(0, 2, 1)).sum())
    kept = np.add(right, wrong)
    correctness = np.where(kept > 0, np.subtract(right, wrong) / np.maximum(kept, 1), np.nan)
    return PartialCurve(levels, kept / max(before.sum(), 1), correctness)


def reliability(model: Any, X: Any, y: Any, bins: int = 10) -> Reliability:
    """Return how often pairs are right, by their probability in `model.predict_pairs`.

    Pairs that `y` orders are put into bins of equal width by the probability of the more likely
    order. Use cases that the model has not seen. The model may be a pipeline or a search.
    `concordant.plot.reliability` draws it.

    Raises:
        InputError: If `y` orders no pair.

    Example:
        >>> from concordant.learn import NeighboursRanker
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [1, 2]]
        >>> found = reliability(NeighboursRanker(4, weights="uniform").fit(X, y), X, y)
        >>> found.predicted.tolist(), found.observed.tolist(), found.error
        ([0.75], [0.75], 0.0)
    """
    at_least("bins", bins, 1)
    model, X = last_step(model, X)
    before = _before(model, y)
    if not before.any():
        raise InputError("no row of y orders two labels: there is nothing to compare with")
    chance = model.predict_pairs(X)[before]
    sure = np.maximum(chance, 1 - chance)
    right = np.where(chance == 0.5, 0.5, chance > 0.5)
    which = np.minimum((sure - 0.5) * 2 * bins, bins - 1).astype(np.int64)
    count = np.bincount(which, minlength=bins)
    kept = count > 0
    count = count[kept].astype(np.int64)
    predicted, observed = (np.bincount(which, each, bins)[kept] / count for each in (sure, right))
    error = float(count @ np.abs(predicted - observed) / count.sum())
    return Reliability(predicted, observed, count, error)
