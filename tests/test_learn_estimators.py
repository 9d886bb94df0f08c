"""Label rankers as scikit-learn estimators."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from concordant.learn import (
    BaggedRanker,
    ConstraintClassification,
    LabelRanker,
    LabelRankingForest,
    NeighboursRanker,
    PairwiseComparison,
    RankingTree,
)

# Hundreds of checks fit the same few lines again and again, which `test_learn_rankers` covers too.
pytestmark = pytest.mark.no_cover

ESTIMATORS: list[Any] = [
    LabelRanker(random_state=0),
    LabelRankingForest(random_state=0),
    RankingTree(),
    PairwiseComparison(),
    ConstraintClassification(),
    NeighboursRanker(),
    BaggedRanker(random_state=0),
]


@parametrize_with_checks(ESTIMATORS)
def test_estimator_checks(estimator: Any, check: Any) -> None:
    check(estimator)


def widened(kind: type) -> type:
    """A ranker that makes more labels of the single one that the checks of scikit-learn give."""

    def widen(y: Any) -> Any:
        plain = np.asarray(y)
        if plain.ndim != 2 or plain.dtype.kind not in "iuf":
            return y
        y = plain.astype(np.float64)
        # Row by row, so that weights and the order of rows mean what they mean to the checks.
        return np.column_stack([y, 2 - y, np.full(len(y), 0.7), y * y])

    def fit(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return kind.fit(self, X, widen(y), sample_weight)  # type: ignore[attr-defined]

    def score(self: Any, X: Any, y: Any, sample_weight: Any = None) -> Any:
        return kind.score(self, X, widen(y), sample_weight)  # type: ignore[attr-defined]

    return type(
        f"Widened{kind.__name__}", (kind,), {"fit": fit, "score": score, "__module__": __name__}
    )


WIDENED = {
    kind.__name__: widened(kind)
    for kind in (
        LabelRanker,
        LabelRankingForest,
        RankingTree,
        PairwiseComparison,
        ConstraintClassification,
        NeighboursRanker,
        BaggedRanker,
    )
}
# Pickles look classes up by name.
globals().update({kind.__name__: kind for kind in WIDENED.values()})

REPEATED = "check_sample_weight_equivalence_on_dense_data"
SAMPLES = "the same seed draws other samples from cases that are repeated"
EXPECTED = {
    "WidenedLabelRanker": {REPEATED: SAMPLES},
    "WidenedLabelRankingForest": {REPEATED: SAMPLES},
    "WidenedBaggedRanker": {REPEATED: SAMPLES},
    "WidenedRankingTree": {REPEATED: "a leaf has at least two cases, whatever their weights"},
    "WidenedNeighboursRanker": {REPEATED: "the nearest cases are counted without their weights"},
}


@parametrize_with_checks(
    [
        WIDENED["LabelRanker"](effort="cheap", random_state=0),
        WIDENED["LabelRankingForest"](5, random_state=0),
        WIDENED["RankingTree"](),
        WIDENED["PairwiseComparison"](),
        WIDENED["ConstraintClassification"](),
        WIDENED["NeighboursRanker"](5),
        WIDENED["BaggedRanker"](n_estimators=3, random_state=0),
    ],
    expected_failed_checks=lambda each: EXPECTED.get(type(each).__name__, {}),
)
def test_estimator_checks_with_several_labels(
    estimator: Any, check: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The checks fit hundreds of times, and ask for no precision.
    few = (10, 10, 20, ("matern", "additive"))
    monkeypatch.setattr("concordant.learn.ranker._EFFORTS", {"cheap": few})
    check(estimator)
