"""Label ranking by classification: a classifier for each pair of labels, or one for all.

Ranking by pairwise comparison: Hüllermeier, Fürnkranz, Cheng and Brinker (2008). Constraint
classification: Har-Peled, Roth and Zimak (2003).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import delayed
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state
from sklearn.utils.validation import has_fit_parameter
from threadpoolctl import threadpool_limits

from concordant._checks import between
from concordant._types import Float
from concordant.errors import SettingError
from concordant.learn.base import BaseLabelRanker
from concordant.learn.consensus import Aggregation
from concordant.learn.scaling import Scaling
from concordant.learn.scores import ScoreLoss, differences
from concordant.learn.targets import pair_signs


def with_seed(model: Any, seed: int) -> Any:
    """Return an unfitted copy of a model, with a seed for each `random_state` in it.

    Example:
        >>> with_seed(LogisticRegression(), 7).random_state
        7
    """
    copy = clone(model)
    seeded = {name: seed for name in copy.get_params() if name.split("__")[-1] == "random_state"}
    return copy.set_params(**seeded)


def weighted(model: Any, weight: Float) -> dict[str, Float]:
    """Return the weights as an argument of `fit`, or no argument if all are equal.

    Raises:
        SettingError: If weights differ and the model does not accept them.
    """
    if (weight == weight[0]).all():
        return {}
    if not has_fit_parameter(model, "sample_weight"):
        raise SettingError(f"{type(model).__name__} does not accept sample_weight")
    return {"sample_weight": weight}


class PairwiseComparison(BaseLabelRanker):
    """Ranking by pairwise comparison: a classifier for each pair of labels, and their consensus.

    Args:
        estimator: Any classifier; by default logistic regression on standardised features.
            The votes are its probabilities, or its answers if it has none.
        aggregation: How votes become an order: "exact" (Kemeny), "lads" or "borda", which is
            the weighted voting of Hüllermeier et al.
        n_jobs: The number of classifiers that are fitted at a time.
        random_state: The random seed of the classifiers.
        verbose: 1 writes how many of them are fitted to stderr.

    Example:
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [2, 1]]
        >>> PairwiseComparison().fit(X, y).predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
    """

    def __init__(
        self,
        estimator: Any = None,
        *,
        aggregation: Aggregation = "exact",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.aggregation = aggregation
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        signs = pair_signs(ranks)
        base = self.estimator
        self._scaling = None
        if base is None:
            base = LogisticRegression(max_iter=1000)
            self._scaling = Scaling(X, weight)
            X = self._scaling.transform(X)
        seed = int(check_random_state(self.random_state).randint(2**31))

        def fit(column: Float) -> Any:
            known = column != 0
            if not known.any() or (column[known] == column[known][0]).all():
                # A pair with one answer only, or with none, needs no classifier.
                return float(column[known][0]) if known.any() else 0.0
            model = with_seed(base, seed)
            return model.fit(X[known], column[known], **weighted(model, weight[known]))

        tasks = (delayed(fit)(each) for each in signs.T)
        self.estimators_ = self._run(tasks, signs.shape[1], "pairs of labels")

    def _vote(self, X: Float) -> Float:
        if self._scaling is not None:
            X = self._scaling.transform(X)

        def votes(model: Any) -> Float:
            if isinstance(model, float):
                return np.full(len(X), model)
            if hasattr(model, "predict_proba"):
                return model.predict_proba(X) @ model.classes_  # type: ignore[no-any-return]
            return model.predict(X)  # type: ignore[no-any-return]

        return np.column_stack([votes(model) for model in self.estimators_])


class ConstraintClassification(BaseLabelRanker):
    """Constraint classification: linear label scores from one binary problem over all pairs.

    Each pair that a case orders becomes an example in the space of all labels' weights, and one
    linear classifier separates them. Here it is a logistic classifier, fitted without storing the
    examples.

    Args:
        C: The inverse of the penalty's strength.

    Example:
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [2, 1]]
        >>> ConstraintClassification().fit(X, y).predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
    """

    def __init__(self, C: float = 1.0) -> None:
        self.C = C

    def _check_settings(self) -> None:
        between("C", self.C, 1e-12, 1e12)

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        self._scaling = Scaling(X, weight)
        m = ranks.shape[1]
        penalty = 1 / (self.C * weight.sum() * (m * (m - 1) // 2))
        with threadpool_limits(1, "blas"):
            theta = ScoreLoss(ranks, weight, one=1.0).fit(self._scaling.transform(X), penalty)
        self._coefficients, self._intercept = theta[:-1], theta[-1]

    def _vote(self, X: Float) -> Float:
        scores = self._scaling.transform(X) @ self._coefficients + self._intercept
        votes: Float = np.tanh(differences(scores) / 2)
        return votes
