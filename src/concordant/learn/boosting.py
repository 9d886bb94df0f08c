"""Label scores by boosted trees: a regressor of the rank for each label."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from concordant._types import Float, Int64
from concordant.learn.case_trees import spread_ranks
from concordant.learn.pairwise import weighted
from concordant.learn.scores import differences

# Small trees: half the time of scikit-learn's default, and no worse here.
_LEAVES = 12


class BoostedRanks:
    """A boosted regressor for the rank of each label, from the cases that rank it.

    Args:
        X: The features of the cases.
        ranks: The rank of each label in each case, NaN where not known.
        weight: The weight of each case.
        seed: A random seed.

    Example:
        >>> X = np.arange(80.0)[:, None]
        >>> ranks = np.where(X < 40, [1.0, 2.0], [2.0, 1.0])
        >>> np.sign(BoostedRanks(X, ranks, np.ones(80), 0).logits(X[[0, 79]])).tolist()
        [[1.0], [-1.0]]
    """

    def __init__(self, X: Float, ranks: Float, weight: Float, seed: int) -> None:
        self._models: list[HistGradientBoostingRegressor | float] = []
        for column in spread_ranks(ranks).T:
            known = ~np.isnan(column)
            values = column[known]
            if values.size < 2 or np.ptp(values) == 0:
                # A label that is always at the same place, or that nobody ranks, needs no trees.
                self._models.append(float(values[0]) if values.size else (len(ranks.T) + 1) / 2)
                continue
            model = HistGradientBoostingRegressor(
                max_leaf_nodes=_LEAVES, early_stopping=False, random_state=seed
            )
            # Weights take ten times the time, so equal ones are not given.
            given = weighted(model, weight[known])
            self._models.append(model.fit(X[known], values, **given))

    def scores(self, X: Float) -> Float:
        """Return the score of each label, the best one highest."""
        scores: Float = -np.column_stack(
            [
                np.full(len(X), model) if isinstance(model, float) else model.predict(X)
                for model in self._models
            ]
        )
        return scores

    def logits(self, X: Float) -> Float:
        """Return for each pair of labels the score of the first minus that of the second."""
        return differences(self.scores(X))


def fit_boosted(
    X: Float, ranks: Float, weight: Float, folds: list[tuple[Int64, Int64]], rng: Any
) -> tuple[BoostedRanks, Float]:
    """Return a model of all cases, and the scores of each case by a model that did not see it."""
    seed = int(rng.randint(2**31))
    unseen = np.zeros(ranks.shape)
    for train, test in folds:
        unseen[test] = BoostedRanks(X[train], ranks[train], weight[train], seed).scores(X[test])
    return BoostedRanks(X, ranks, weight, seed), unseen
