"""`LabelRanker`, the estimator to start with: randomised trees and label scores, stacked.

Trees are good if rankings change abruptly or by interaction of features; smooth scores are good if
they change gradually. Both predict each pair of labels. A weighted sum of their logits, with
weights fitted on pairs that the models have not seen, predicts better than either.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy.optimize import minimize
from sklearn.ensemble import ExtraTreesRegressor, RandomForestRegressor
from sklearn.model_selection import KFold
from sklearn.utils import check_random_state
from threadpoolctl import threadpool_limits

from concordant._checks import at_least, one_of
from concordant._types import Float
from concordant.learn.base import BaseLabelRanker
from concordant.learn.case_trees import CaseTrees
from concordant.learn.consensus import Aggregation
from concordant.learn.scaling import Scaling
from concordant.learn.scores import Kind, PairLoss, ScoreModel, fit_scores
from concordant.learn.targets import pair_signs

Effort = Literal["full", "cheap"]
_EFFORTS: dict[str, tuple[int, int, int, tuple[Kind, ...]]] = {
    # bagged trees to choose by, trees, landmarks, models of label scores
    "full": (100, 200, 300, ("linear", "matern", "additive")),
    "cheap": (50, 100, 200, ("matern", "additive")),
}
_TREES: dict[str, Literal["extra", "forest"]] = {"trees": "extra", "forest": "forest"}
# The least number of cases of a node that is split, to choose from.
_SPLITS = (2, 6, 20, 60)
_FOLDS = 4
# With fewer cases than this, the model is their mean.
_FEWEST = 4
# The largest vote of the trees: a prediction of ±1 is not certain.
_CERTAIN = 0.995
# Standardised features are clipped to this value.
_FARTHEST = 5.0
# The penalty on weights of the models that are not equal.
_SHRINKAGE = 0.003


def _to_logits(votes: Float) -> Float:
    logits: Float = 2 * np.arctanh(np.clip(votes, -_CERTAIN, _CERTAIN))
    return logits


class _Trees:
    """Trees that predict the sign of each pair, and their out-of-bag logits.

    The size of the leaves is the one with the least out-of-bag error.

    Args:
        kind: "extra" for extremely randomised trees, which see all cases in the end, or "forest"
            for a random forest with half of the features at each split.
        X, ranks, signs, weight: The training cases.
        sizes: The number of bagged trees to choose by, and the number of trees.
        rng: A random state.
        n_jobs: The number of trees that are grown at a time.
    """

    def __init__(
        self,
        kind: Literal["extra", "forest"],
        X: Float,
        ranks: Float,
        signs: Float,
        weight: Float,
        sizes: tuple[int, int],
        rng: Any,
        n_jobs: int | None,
    ) -> None:
        def grow(count: int, bagged: bool) -> CaseTrees:
            def make(trees: int, seed: int) -> Any:
                if kind == "extra":
                    return ExtraTreesRegressor(
                        trees, bootstrap=bagged, random_state=seed, n_jobs=n_jobs
                    )
                return RandomForestRegressor(
                    trees, max_features=0.5, random_state=seed, n_jobs=n_jobs
                )

            return CaseTrees(make, count, X, ranks, signs, weight, rng)

        model = grow(sizes[0] if kind == "extra" else sizes[1], True)
        known = np.abs(signs) * weight[:, None]
        best = np.inf
        for least in _SPLITS:
            votes = model.out_of_bag(X, least, n_jobs)
            error = float((known * (signs - votes) ** 2).sum())
            if error < best:
                best, chosen, self.out_of_fold = error, least, _to_logits(votes)
        self.model = model if kind == "forest" else grow(sizes[1], False)
        self.model.least = chosen
        self.model.forget_bags()

    def logits(self, X: Float) -> Float:
        return _to_logits(self.model.votes(X))


def _stack(logits: list[Float], signs: Float, weight: Float) -> Float:
    """Return the non-negative weights of the sum of logits that fits unseen pairs best."""
    loss = PairLoss(signs, weight)
    stacked = np.stack(logits)
    equal = 1 / len(logits)

    def objective(w: Float) -> tuple[float, Float]:
        z = np.tensordot(w, stacked, 1)
        value, slope = loss.with_gradient(z)
        drawn = _SHRINKAGE * (w - equal)
        return value + float(drawn @ (w - equal)), np.tensordot(stacked, slope, 2) + 2 * drawn

    found = minimize(
        objective,
        np.full(len(logits), equal),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * len(logits),
    )
    weights: Float = found.x
    return weights


class LabelRanker(BaseLabelRanker):
    """Predicts rankings of labels by a stack of randomised trees and models of label scores.

    The parts are extremely randomised trees on the signs of all label pairs, and label scores
    that are linear, smooth in all features together (Matérn kernel) or a sum of smooth functions
    of one feature each. Their settings are chosen by out-of-bag and cross-validated error, so
    there is little to tune. The prediction is the exact Kemeny order of the pair votes.

    Args:
        effort: "full", or "cheap": fewer trees and landmarks and no linear scores, in about
            half the time.
        aggregation: How votes become an order: "exact" (Kemeny), "lads" or "borda".
        n_jobs: The number of trees that are grown at a time; it does not change the model.
        random_state: Random seed.

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
    ) -> None:
        self.effort = effort
        self.aggregation = aggregation
        self.n_jobs = n_jobs
        self.random_state = random_state

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
        self._parts: dict[str, _Trees | ScoreModel] = {}
        self._weights = np.zeros(0)
        if self._scaling.kept.any() and len(X) >= _FEWEST:
            self._learn_parts(self._scaling.transform(X), ranks, weight, rng)
        self.weights_ = dict(zip(self._parts, self._weights.tolist(), strict=True))

    def _learn_parts(self, X: Float, ranks: Float, weight: Float, rng: Any) -> None:
        n_bagged, n_trees, most, kinds = _EFFORTS[self.effort]
        n, signs = len(X), pair_signs(ranks)
        sizes = (n_bagged, n_trees)
        for name, trees in _TREES.items():
            self._parts[name] = _Trees(trees, X, ranks, signs, weight, sizes, rng, self.n_jobs)
        folds = KFold(_FOLDS, shuffle=True, random_state=rng.randint(2**31))
        divided = [
            (train.astype(np.int64), test.astype(np.int64)) for train, test in folds.split(X)
        ]
        landmarks = np.sort(rng.permutation(n)[:most])
        # There are thousands of products of small matrices, which threads would slow down.
        with threadpool_limits(1, "blas"):
            for kind in kinds:
                self._parts[kind] = fit_scores(kind, X, signs, weight, divided, landmarks)
            logits = [part.out_of_fold for part in self._parts.values()]
            self._weights = _stack(logits, signs, weight)

    def _vote(self, X: Float) -> Float:
        if not self._weights.any():
            return np.tile(self._mean, (len(X), 1))
        X = self._scaling.transform(X)
        total = sum(
            w * part.logits(X) for w, part in zip(self._weights, self._parts.values(), strict=True)
        )
        votes: Float = np.tanh(np.asarray(total) / 2)
        return votes
