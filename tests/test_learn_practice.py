"""What users of label rankers meet: other kinds of targets, scorers, pipelines, bad features."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import spearmanr
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from concordant.errors import InputError, SettingError
from concordant.learn import (
    SCORERS,
    ConstraintClassification,
    LabelRanker,
    LabelRankingForest,
    NeighboursRanker,
    PairwiseComparison,
    RankingTree,
    ndcg,
    partial_curve,
    predict_order,
    ranks_from_orders,
    ranks_from_scores,
    ranks_from_top_k,
    spearman_rho,
    top_one,
)


def made(n: int = 40, m: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    scores = X @ rng.normal(size=(3, m)) + rng.normal(0, 0.5, (n, m))
    return X, (-scores).argsort(1).argsort(1) + 1.0


class TestTargets:
    def test_scores_lists_and_top_k(self) -> None:
        assert ranks_from_scores(pl.DataFrame({"a": [0.11], "b": [0.12]}), decimals=1).tolist() == [
            [1.5, 1.5]
        ]
        assert ranks_from_orders([[], [{"b", "c"}]], "abc")[1].tolist()[1:] == [1.5, 1.5]
        assert np.isnan(ranks_from_orders([[]], "abc")).all()
        assert ranks_from_top_k([["c", "b", "a"]], "abc", k=2).tolist() == [[3, 2, 1]]
        assert ranks_from_top_k([[]], "abc").tolist() == [[2, 2, 2]]

    def test_bad_lists(self) -> None:
        with pytest.raises(InputError, match="list 1 has 'x', which is not in"):
            ranks_from_orders([["a"], ["x"]], "abc")
        with pytest.raises(InputError, match="list 0 has 'a' twice"):
            ranks_from_top_k([["a", "a"]], "abc")
        with pytest.raises(SettingError, match="k must be"):
            ranks_from_top_k([["a"]], "abc", k=0)


class TestScorers:
    def test_against_others(self) -> None:
        truth = np.array([1, 2, 3, 4])
        for guess in permutations(truth):
            expected = spearmanr(truth, guess).statistic
            assert spearman_rho([truth], [guess])[0] == pytest.approx(expected)
            expected = ndcg_score([4 - truth], [[-g for g in guess]])
            assert ndcg([truth], [guess])[0] == pytest.approx(expected)
            assert top_one([truth], [guess])[0] == (guess[0] == 1)

    def test_missing_labels_do_not_count(self) -> None:
        truth, guess = [[np.nan, 2, 1], [1, np.nan, np.nan]], [[1, 3, 2], [1, 2, 3]]
        assert top_one(truth, guess).tolist() == [1, 1]
        assert spearman_rho(truth, guess)[0] == 1
        assert np.isnan([spearman_rho(truth, guess)[1], ndcg(truth, guess)[1]]).all()

    def test_in_a_search_and_columns_by_name(self) -> None:
        X, y = made()
        frame = pd.DataFrame(y, columns=list("abcd"))
        found = cross_validate(ConstraintClassification(), X, frame, scoring=SCORERS, cv=2)
        assert (found["test_kendall_tau"] > 0.3).all()
        assert (found["test_ndcg"] > 0.7).all()
        pipeline = make_pipeline(StandardScaler(), ConstraintClassification())
        search = GridSearchCV(
            pipeline, {"constraintclassification__C": [0.1, 1]}, scoring=SCORERS["top_one"], cv=2
        ).fit(X, frame)
        direct = ConstraintClassification().fit(X, frame)
        assert predict_order(direct, X).tolist() == direct.predict_order(X).tolist()
        assert set(predict_order(search, X)[0]) == set("abcd")
        assert SCORERS["kendall_tau"](direct, X, frame[list("dcba")]) == pytest.approx(
            direct.score(X, frame)
        )


class TestPartial:
    def test_is_part_of_the_ranking_and_transitive(self) -> None:
        X, y = made()
        model = ConstraintClassification().fit(X, y)
        ranks = model.predict(X)
        before = ranks[:, :, None] < ranks[:, None, :]
        some = model.predict_partial(X, 0.7)
        assert (model.predict_partial(X, 0.5) == before).all()
        assert some.any()
        assert not (some & ~before).any()
        assert (some | ~(np.einsum("iab,ibc->iac", some, some) > 0)).all()
        curve = partial_curve(model, X, y)
        assert (np.diff(curve.completeness) <= 0).all()
        assert curve.completeness[0] == 1
        assert curve.correctness[0] < curve.correctness[8]
        with pytest.raises(SettingError, match="confidence must be"):
            model.predict_partial(X, 0.3)


class TestFeatures:
    def test_columns_that_are_not_numbers(self) -> None:
        y = [[1, 2], [2, 1]]
        for X in (
            pd.DataFrame({"a": [1, 2], "kind": pd.Categorical(["u", "v"])}),
            pl.DataFrame({"a": [1, 2], "kind": ["u", "v"]}),
            pl.DataFrame({"a": [1, 2], "kind": ["u", "v"]}).cast({"kind": pl.Categorical}),
            pd.DataFrame({"a": [1, 2], "kind": pd.to_datetime(["2020", "2021"])}),
        ):
            with pytest.raises(InputError, match=r"column 'kind' of X .* ColumnTransformer"):
                RankingTree().fit(X, y)
        with pytest.raises(InputError, match=r"X has text .*'u'"):
            RankingTree().fit(np.array([["u"], ["v"]], object), y)
        model = RankingTree(min_samples_leaf=1).fit(pd.DataFrame({"yes": [True, False]}), y)
        assert model.predict(pd.DataFrame({"yes": [True]})).tolist() == [[1, 2]]
        assert model.feature_names_in_.tolist() == ["yes"]

    def test_missing_and_infinite(self) -> None:
        for value, what in ((np.nan, "NaN"), (np.inf, "infinity")):
            X = pd.DataFrame({"a": [1.0, 2], "b": [1, value]})
            with pytest.raises(InputError, match=f"{what} in row 1, column 'b'"):
                RankingTree().fit(X, [[1, 2], [2, 1]])
            with pytest.raises(InputError, match=f"{what} in row 0, column 1"):
                RankingTree().fit([[0, value]], [[1, 2]])


@pytest.mark.parametrize(
    "model",
    [
        LabelRanker(effort="cheap", random_state=0),
        LabelRanker(effort="high", random_state=0),
        LabelRankingForest(10, random_state=0),
        NeighboursRanker(),
        PairwiseComparison(),
        ConstraintClassification(),
    ],
    ids=lambda model: f"{type(model).__name__}-{getattr(model, 'effort', '')}",
)
class TestFewCases:
    def test_one_row_of_each_ranking(self, model: Any) -> None:
        X = np.arange(3.0)[:, None]
        y = [[1, 2, 3], [2, 1, 3], [3, 2, 1]]
        assert (np.sort(model.fit(X, y).predict(X), axis=1) == [1, 2, 3]).all()

    def test_a_label_of_one_case(self, model: Any) -> None:
        X, y = made(20)
        y[:, 3] = np.nan
        y[4, 3] = 0
        ranks = model.fit(X, y).predict(X)
        assert (np.sort(ranks, axis=1) == [1, 2, 3, 4]).all()
        assert np.isfinite(model.predict_pairs(X)).all()
        if isinstance(model, ConstraintClassification):
            # One case is no reason to be sure.
            assert model.predict_pairs(X)[:, 3, :3].mean() < 0.9
