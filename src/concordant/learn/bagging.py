"""Bagging of a label ranker: the consensus of models on bootstrap samples."""

from __future__ import annotations

from typing import Any

import numpy as np
from joblib import delayed
from sklearn.utils import check_random_state

from concordant._checks import at_least
from concordant._types import Float
from concordant.errors import SettingError
from concordant.learn.base import BaseLabelRanker
from concordant.learn.consensus import Aggregation
from concordant.learn.forest import RankingTree
from concordant.learn.pairwise import with_seed
from concordant.learn.targets import pair_signs


class BaggedRanker(BaseLabelRanker):
    """Fits models to bootstrap samples and predicts the consensus of their rankings.

    Args:
        estimator: Any label ranker; a `RankingTree` by default.
        n_estimators: The number of models.
        aggregation: How their rankings are aggregated: "exact" (Kemeny), "lads" or "borda".
        n_jobs: The number of models that are fitted at a time.
        random_state: Random seed.
        verbose: 1 writes how many of them are fitted to stderr.

    Example:
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [2, 1]]
        >>> bag = BaggedRanker(RankingTree(min_samples_leaf=1), random_state=0).fit(X, y)
        >>> bag.predict([[-1.0], [4.0]]).tolist()
        [[1, 2], [2, 1]]
    """

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 50,
        *,
        aggregation: Aggregation = "exact",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.aggregation = aggregation
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_settings(self) -> None:
        at_least("n_estimators", self.n_estimators, 1)
        if self.estimator is not None and not isinstance(self.estimator, BaseLabelRanker):
            raise SettingError(
                f"estimator must be a label ranker, not {type(self.estimator).__name__}"
            )

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        rng = check_random_state(self.random_state)
        base = RankingTree() if self.estimator is None else self.estimator
        samples = [
            (rng.randint(len(X), size=len(X)), int(rng.randint(2**31)))
            for _ in range(self.n_estimators)
        ]

        def fit(cases: Any, seed: int) -> Any:
            # Pairs with a label that is not in the sample get no vote from this model.
            seen = ~np.isnan(ranks[cases]).all(0)
            drawn = ranks[cases][:, seen]
            if not pair_signs(drawn).any():
                return seen, None
            return seen, with_seed(base, seed).fit(X[cases], drawn, sample_weight=weight[cases])

        tasks = (delayed(fit)(*each) for each in samples)
        self.estimators_ = self._run(tasks, len(samples), "models")

    def _vote(self, X: Float) -> Float:
        total = np.zeros((len(X), self.n_labels_ * (self.n_labels_ - 1) // 2))
        for seen, model in self.estimators_:
            if model is not None:
                ranks = np.full((len(X), self.n_labels_), np.nan)
                ranks[:, seen] = np.asarray(model.predict(X))
                total += pair_signs(ranks)
        votes: Float = total / len(self.estimators_)
        return votes
