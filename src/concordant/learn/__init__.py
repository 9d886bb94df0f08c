"""Label ranking: predict the order in which a case ranks a set of labels from its features.

`LabelRanker` is the estimator to start with. All are scikit-learn estimators: `fit(X, y)` with `y`
the rank of each label in each row, `predict`, `predict_order`, `score` (mean Kendall tau). This
package needs the extra `learn`: `pip install "concordant[learn]"`.
"""

from __future__ import annotations

try:
    import sklearn as _sklearn  # noqa: F401 - only to name the missing package
except ImportError as error:
    raise ImportError(
        'label ranking needs scikit-learn: pip install "concordant[learn]"'
    ) from error

from concordant.learn.bagging import BaggedRanker
from concordant.learn.base import BaseLabelRanker
from concordant.learn.confidence import partial_curve, reliability
from concordant.learn.consensus import Orders, consensus_orders
from concordant.learn.forest import LabelRankingForest, RankingTree
from concordant.learn.making import ranks_from_orders, ranks_from_scores, ranks_from_top_k
from concordant.learn.neighbours import NeighboursRanker
from concordant.learn.pairwise import ConstraintClassification, PairwiseComparison
from concordant.learn.ranker import LabelRanker
from concordant.learn.scoring import (
    SCORERS,
    feature_importance,
    ndcg,
    spearman_rho,
    top_one,
)
from concordant.learn.targets import kendall_tau, mean_tau
from concordant.learn.wrapped import last_step, predict_order

__all__ = [
    "SCORERS",
    "BaggedRanker",
    "BaseLabelRanker",
    "ConstraintClassification",
    "LabelRanker",
    "LabelRankingForest",
    "NeighboursRanker",
    "Orders",
    "PairwiseComparison",
    "RankingTree",
    "consensus_orders",
    "feature_importance",
    "kendall_tau",
    "last_step",
    "mean_tau",
    "ndcg",
    "partial_curve",
    "predict_order",
    "ranks_from_orders",
    "ranks_from_scores",
    "ranks_from_top_k",
    "reliability",
    "spearman_rho",
    "top_one",
]
