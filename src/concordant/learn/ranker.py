"""`LabelRanker`, the estimator to start with: randomised trees and label scores, stacked.

Trees are good if rankings change abruptly or by interaction of features; smooth scores are good if
they change gradually. Both predict each pair of labels. A weighted sum of their logits, with
weights fitted on pairs that the models have not seen, predicts better than either.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from concordant._checks import at_least, one_of
from concordant._types import Float, Int64
from concordant.learn.base import BaseLabelRanker
from concordant.learn.boosting import BoostedRanks, fit_boosted
from concordant.learn.case_trees import CaseTrees
from concordant.learn.consensus import Aggregation
from concordant.learn.scaling import Scaling
from concordant.learn.scores import Kind, ScoreModel, differences, fit_scores
from concordant.learn.targets import pair_signs

Effort = Literal["high", "full", "cheap"]
_EFFORTS: dict[str, tuple[int, int, int, tuple[Kind, ...]]] = {
    # bagged trees to choose by, trees, landmarks, models of label scores
    "high": (100, 200, 300, ("linear", "matern", "additive")),
    "full": (100, 200, 300, ("linear", "matern", "additive")),
    "cheap": (50, 100, 200, ("matern", "additive")),
}
_TREES: dict[str, Literal["extra", "forest"]] = {"trees": "extra", "forest": "forest"}
# The least number of cases of a node that is split, to choose from.
_SPLITS = (2, 6, 20, 60)
_FOLDS = 4
# Features with fewer values than this, such as codes of categories, do not make trees random.
_FEW_VALUES = 8
# With fewer cases than this, the model is their mean.
_FEWEST = 4
# The largest vote of the trees: a prediction of ±1 is not certain.
_CERTAIN = 0.995
# Standardised features are clipped to this value.
_FARTHEST = 5.0
# The penalty on weights of the models that are not equal.
_SHRINKAGE = 0.003
# The stack replaces the linear model if its loss is lower by this number of standard errors.
_CLEARLY = 2.0
# Leaf sizes and weights are chosen by cases with about this number of pairs of labels.
_MOST_PAIRS = 1_000_000


def _to_logits(votes: Float) -> Float:
    logits: Float = 2 * np.arctanh(np.clip(votes, -_CERTAIN, _CERTAIN))
    return logits


@dataclass(frozen=True)
class _Trees:
    """Trees that predict the sign of each pair."""

    model: CaseTrees

    def logits(self, X: Float) -> Float:
        return _to_logits(self.model.votes(X))


def _fit_trees(
    kind: Literal["extra", "forest"],
    X: Float,
    ranks: Float,
    weight: Float,
    judged: Int64,
    sizes: tuple[int, int],
    rng: Any,
    n_jobs: int | None,
) -> tuple[_Trees, Float]:
    """Grow trees whose leaves have the size of least out-of-bag error.

    Returns them, and the logits of the judged cases by trees that have not seen them.

    Args:
        kind: "extra" for extremely randomised trees, which see all cases in the end if features
            have many values, or "forest" for a random forest with half of the features at each
            split.
        X: The features of the training cases.
        ranks: Their ranks of the labels.
        weight: Their weights.
        judged: The cases by which the size is chosen.
        sizes: The number of bagged trees to choose by, and the number of trees.
        rng: A random state.
        n_jobs: The number of trees that are grown at a time.
    """

    def grow(count: int, bagged: bool) -> CaseTrees:
        def make(trees: int, seed: int) -> Any:
            if kind == "extra":
                return ExtraTreesRegressor(
                    trees, bootstrap=bagged, random_state=seed, n_jobs=n_jobs
                )
            return RandomForestRegressor(trees, max_features=0.5, random_state=seed, n_jobs=n_jobs)

        return CaseTrees(make, count, X, ranks, weight, rng)

    model = grow(sizes[0] if kind == "extra" else sizes[1], True)
    signs = pair_signs(ranks[judged])
    known = np.abs(signs) * weight[judged, None]
    best = np.inf
    for least in _SPLITS:
        votes = model.out_of_bag(X, judged, least, n_jobs)
        error = float((known * (signs - votes) ** 2).sum())
        if error < best:
            best, chosen, unseen = error, least, votes
    # On all cases, trees differ by their random thresholds alone, and few values have few of them.
    if kind == "extra" and np.median([np.unique(column).size for column in X.T]) >= _FEW_VALUES:
        model = grow(sizes[1], False)
    model.least = chosen
    model.forget_bags()
    return _Trees(model), _to_logits(unseen)


class _Stack:
    """The sum of models' logits that fits unseen pairs best, with non-negative weights.

    Args:
        logits: The logits of each model for cases that it has not seen.
        signs: The signs of the label pairs of these cases.
        weight: The weights of the cases.
    """

    def __init__(self, logits: list[Float], signs: Float, weight: Float) -> None:
        self._logits, self._signs = np.stack(logits), signs
        self._weight = weight / (weight.sum() * signs.shape[1])
        self._known = np.abs(signs)

    def _losses(self, logits: Float) -> tuple[Float, Float]:
        """Return the loss of each case, without its weight, and the slope of each pair."""
        margins = self._signs * logits
        # One exponential is used for the loss and its slope, and it cannot overflow.
        small = np.exp(-np.abs(margins))
        losses = np.log1p(small) + np.maximum(-margins, 0)
        wrong = np.where(margins >= 0, small, 1) / (1 + small)
        return (self._known * losses).sum(1), -self._signs * wrong

    def fit(self, models: list[int]) -> Float:
        """Return the weights of all models; those that are not among `models` have 0."""
        logits = self._logits[models]
        equal = 1 / len(models)

        def objective(w: Float) -> tuple[float, Float]:
            losses, slopes = self._losses(np.tensordot(w, logits, 1))
            drawn = _SHRINKAGE * (w - equal)
            value = float(self._weight @ losses + drawn @ (w - equal))
            return value, np.tensordot(logits, self._weight[:, None] * slopes, 2) + 2 * drawn

        start = np.full(len(models), equal)
        bounds = [(0, None)] * len(models)
        weights = np.zeros(len(self._logits))
        weights[models] = minimize(objective, start, jac=True, method="L-BFGS-B", bounds=bounds).x
        return weights

    def is_clearly_better(self, one: Float, other: Float) -> bool:
        """Return whether the loss with the first weights is lower by more than chance explains."""
        losses = [self._losses(np.tensordot(w, self._logits, 1))[0] for w in (one, other)]
        less = self._weight * (losses[1] - losses[0])
        return bool(less.sum() > _CLEARLY * np.sqrt(less.size) * less.std())


class LabelRanker(BaseLabelRanker):
    """Predicts rankings of labels by a stack of randomised trees and models of label scores.

    The parts are extremely randomised trees and a random forest on the ranks, and label scores
    that are linear, smooth in all features together (Matérn kernel) or a sum of smooth functions
    of one feature each. Their settings are chosen by out-of-bag and cross-validated error, so
    there is little to tune. If the stack is not clearly better than the linear scores, these
    are used alone. The prediction is the exact Kemeny order of the pair votes.

    Args:
        effort: "full"; "cheap": fewer trees and landmarks and no linear scores, in about half
            the time; "high": boosted trees as well, a regressor for each label, in about one and a
            half times the time, for a little more on some data.
        aggregation: How votes become an order: "exact" (Kemeny), "lads" or "borda".
        n_jobs: The number of trees that are grown at a time; it does not change the model.
        random_state: Random seed.
        verbose: 1 writes each part that is fitted to stderr.

    Attributes:
        weights_: The weight of each part, by name.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(120, 3))
        >>> y = (-X).argsort(1).argsort(1) + 1
        >>> ranker = LabelRanker(effort="cheap", random_state=0).fit(X[:100], y[:100])
        >>> ranker.predict([[0.0, 2.0, -2.0]]).tolist(), ranker.score(X[100:], y[100:]) > 0.8
        ([[2, 1, 3]], True)
    """

    def __init__(
        self,
        *,
        effort: Effort = "full",
        aggregation: Aggregation = "exact",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.effort = effort
        self.aggregation = aggregation
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_settings(self) -> None:
        one_of("effort", self.effort, tuple(_EFFORTS))
        if self.n_jobs is not None and self.n_jobs >= 0:
            at_least("n_jobs", self.n_jobs, 1)

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        rng = check_random_state(self.random_state)
        signs = pair_signs(ranks)
        # The weighted mean of the known signs: the prediction if the features are useless.
        known = (np.abs(signs) * weight[:, None]).sum(0)
        self._mean = (signs * weight[:, None]).sum(0) / np.maximum(known, 1e-300)
        self._scaling = Scaling(X, weight, _FARTHEST)
        self._parts: dict[str, _Trees | ScoreModel | BoostedRanks] = {}
        weights = np.zeros(0)
        if self._scaling.kept.any() and len(X) >= _FEWEST:
            weights = self._learn_parts(self._scaling.transform(X), ranks, weight, rng)
        self.weights_ = dict(zip(self._parts, weights.tolist(), strict=True))
        self._parts = {name: part for name, part in self._parts.items() if self.weights_[name] > 0}

    def _learn_parts(self, X: Float, ranks: Float, weight: Float, rng: Any) -> Float:
        """Fit the parts, and return their weights."""
        n_bagged, n_trees, most, kinds = _EFFORTS[self.effort]
        n, m = ranks.shape
        enough = max(1, _MOST_PAIRS // (m * (m - 1) // 2))
        judged = np.arange(n) if n <= enough else np.sort(rng.permutation(n)[:enough])
        logits = []
        names = [*_TREES, *kinds, *(["boosting"] if self.effort == "high" else [])]

        def begin(name: str) -> None:
            cases = f"{n} cases, {X.shape[1]} features, {m} labels"
            self._say(f"part {names.index(name) + 1} of {len(names)}: {name} ({cases})")

        for name, trees in _TREES.items():
            begin(name)
            self._parts[name], unseen = _fit_trees(
                trees, X, ranks, weight, judged, (n_bagged, n_trees), rng, self.n_jobs
            )
            logits.append(unseen)
        folds = KFold(_FOLDS, shuffle=True, random_state=rng.randint(2**31))
        divided = [
            (train.astype(np.int64), test.astype(np.int64)) for train, test in folds.split(X)
        ]
        landmarks = np.sort(rng.permutation(n)[:most])
        # There are thousands of products of small matrices, which threads would slow down.
        with threadpool_limits(1, "blas"):
            for kind in kinds:
                begin(kind)
                self._parts[kind], scores = fit_scores(kind, X, ranks, weight, divided, landmarks)
                logits.append(differences(scores[judged]))
        if self.effort == "high":
            begin("boosting")
            self._parts["boosting"], scores = fit_boosted(X, ranks, weight, divided, rng)
            logits.append(differences(scores[judged]))
        with threadpool_limits(1, "blas"):
            stack = _Stack(logits, pair_signs(ranks[judged]), weight[judged])
            weights = stack.fit(list(range(len(logits))))
            if "linear" in self._parts:
                # With few cases, the simplest model is the safest one.
                alone = stack.fit([list(self._parts).index("linear")])
                if not stack.is_clearly_better(weights, alone):
                    return alone
        return weights

    def _vote(self, X: Float) -> Float:
        if not self._parts:
            return np.tile(self._mean, (len(X), 1))
        X = self._scaling.transform(X)
        total = sum(self.weights_[name] * part.logits(X) for name, part in self._parts.items())
        votes: Float = np.tanh(np.asarray(total) / 2)
        return votes
