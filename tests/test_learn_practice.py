"""What users of label rankers meet: other kinds of targets, scorers, pipelines, bad features."""

from __future__ import annotations

import sys
import warnings
from itertools import permutations, product
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.stats import spearmanr
from sklearn import config_context
from sklearn.base import clone
from sklearn.exceptions import NotFittedError, UnsetMetadataPassedError
from sklearn.inspection import permutation_importance
from sklearn.metrics import ndcg_score
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from concordant.errors import InputError, SettingError
from concordant.learn import (
    SCORERS,
    BaggedRanker,
    ConstraintClassification,
    LabelRanker,
    LabelRankingForest,
    NeighboursRanker,
    PairwiseComparison,
    RankingTree,
    feature_importance,
    last_step,
    ndcg,
    partial_curve,
    predict_order,
    ranks_from_orders,
    ranks_from_scores,
    ranks_from_top_k,
    reliability,
    spearman_rho,
    top_one,
)
from concordant.learn.confidence import cut_into_tiers
from concordant.learn.targets import rank_rows


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

    def test_reliability_by_its_definition(self) -> None:
        X, y = made()
        y[0, :2] = np.nan
        model = ConstraintClassification().fit(X, y)
        found = reliability(model, X, y, bins=4)
        ranks, pairs = y, model.predict_pairs(X)
        sure, right = [], []
        for i, a, b in np.ndindex(len(X), 4, 4):
            if ranks[i, a] < ranks[i, b]:
                sure.append(max(pairs[i, a, b], pairs[i, b, a]))
                right.append(pairs[i, a, b] > 0.5)
        which = np.digitize(sure, [0.625, 0.75, 0.875])
        bins = [which == k for k in range(4)]
        assert found.pairs.tolist() == [int(each.sum()) for each in bins]
        assert found.predicted == pytest.approx([np.mean(np.array(sure)[each]) for each in bins])
        assert found.observed == pytest.approx([np.mean(np.array(right)[each]) for each in bins])
        gaps = np.abs(found.predicted - found.observed)
        assert found.error == pytest.approx(found.pairs @ gaps / found.pairs.sum())
        with pytest.raises(InputError, match="orders two labels"):
            reliability(model, X[:1], [[1, 1, 1, 1]])
        with pytest.raises(SettingError, match="bins must be"):
            reliability(model, X, y, bins=0)


class TestTiers:
    @staticmethod
    def cuts(m: int) -> Any:
        """All ways to cut an order of m places: the tier of each place."""
        for cut in product([0, 1], repeat=m - 1):
            yield np.cumsum([1, *cut])

    @pytest.mark.parametrize("confidence", [0.5, 0.6, 0.75, 0.9, 1.0])
    def test_against_all_cuts(self, confidence: float) -> None:
        rng = np.random.default_rng(0)
        m, n = 5, 30
        chances = np.full((n, m, m), 0.5)
        first, second = np.triu_indices(m, 1)
        chances[:, first, second] = rng.random((n, first.size)).round(2)
        chances[:, second, first] = 1 - chances[:, first, second]
        orders = np.array([rng.permutation(m) for _ in range(n)])
        found = cut_into_tiers(orders, chances, confidence)
        for order, chance, tiers in zip(orders, chances, found, strict=True):
            costs = []
            for places in self.cuts(m):
                cost = 0.0
                for p, q in zip(*np.triu_indices(m, 1), strict=True):
                    right = chance[order[p], order[q]]
                    if places[p] < places[q]:
                        cost += 1 - right
                    elif max(right, 1 - right) >= confidence:
                        cost = np.inf
                    else:
                        cost += 1 - confidence
                costs.append((cost, places.tolist()))
            least = min(costs)[0]
            [cost] = [cost for cost, places in costs if places == tiers[order].tolist()]
            assert cost == pytest.approx(least)

    def test_of_a_model(self) -> None:
        X, y = made()
        model = ConstraintClassification().fit(X, y)
        assert (model.predict_tiers(X, 0.5) == model.predict(X)).all()
        pairs, tiers = model.predict_pairs(X), model.predict_tiers(X, 0.7)
        tied = (tiers[:, :, None] == tiers[:, None, :]) & ~np.eye(4, dtype=bool)
        assert tied.any()
        assert (pairs[tied] < 0.7).all()
        ranks = model.predict(X)
        behind = ranks[:, :, None] > ranks[:, None, :]
        assert not (behind & (tiers[:, :, None] < tiers[:, None, :])).any()
        assert (model.predict_tiers(X, 1.0) == 1).all()
        with pytest.raises(SettingError, match="confidence must be"):
            model.predict_tiers(X, 0.4)


class TestFrames:
    def test_predictions_as_frames(self) -> None:
        X, y = made()
        features = pd.DataFrame(X, columns=list("xyz"), index=np.arange(len(X)) + 7)
        target = pd.DataFrame(y, columns=list("abcd"), index=features.index)
        model = ConstraintClassification().fit(features, target)
        plain = model.predict(features)
        framed = clone(model.set_output(transform="pandas")).fit(features, target)
        for predict in (framed.predict, framed.predict_tiers):
            ranks = predict(features)
            assert isinstance(ranks, pd.DataFrame)
            assert ranks.columns.tolist() == list("abcd")
            assert ranks.index.tolist() == features.index.tolist()
        assert (framed.predict(features).to_numpy() == plain).all()
        assert framed.set_output() is framed
        polars = framed.set_output(transform="polars").predict(features)
        assert isinstance(polars, pl.DataFrame)
        assert (polars.to_numpy() == plain).all()
        # Whatever predictions are, scores and orders are the same.
        assert framed.score(features, target) == model.score(features, target)
        assert SCORERS["kendall_tau"](framed, features, target) == model.score(features, target)
        assert (predict_order(framed, features) == model.predict_order(features)).all()
        bag = BaggedRanker(framed, 2, random_state=0).fit(features, target)
        assert bag.score(features, target) > 0.3
        assert isinstance(framed.set_output(transform="default").predict(features), np.ndarray)
        with pytest.raises(SettingError, match="transform must be"):
            framed.set_output(transform="list")  # type: ignore[arg-type]

    def test_in_a_pipeline(self) -> None:
        X, y = made()
        pipeline = make_pipeline(StandardScaler(), ConstraintClassification())
        pipeline[-1].set_output(transform="pandas")
        assert list(pipeline.fit(X, pd.DataFrame(y, columns=list("abcd"))).predict(X)) == list(
            "abcd"
        )

    def test_without_the_package(self, monkeypatch: pytest.MonkeyPatch) -> None:
        X, y = made()
        monkeypatch.setitem(sys.modules, "polars", None)
        model = ConstraintClassification().set_output(transform="polars").fit(X, y)
        with pytest.raises(SettingError, match="polars is not installed"):
            model.predict(X)


class TestWrapped:
    def test_pipelines_and_searches(self) -> None:
        X, y = made()
        target = pd.DataFrame(y, columns=list("abcd"))
        scaler = StandardScaler().fit(X)
        alone = ConstraintClassification().fit(scaler.transform(X), target)
        pipeline = make_pipeline(StandardScaler(), ConstraintClassification())
        search = GridSearchCV(pipeline, {"constraintclassification__C": [1.0]}, cv=2)
        for model in (pipeline, search, make_pipeline(pipeline)):
            model.fit(X, target)
            ranker, Z = last_step(model, X)
            assert (scaler.transform(X) == Z).all()
            assert (ranker.predict_pairs(Z) == alone.predict_pairs(Z)).all()
            assert (predict_order(model, X) == alone.predict_order(Z)).all()
            assert reliability(model, X, target).error == reliability(alone, Z, target).error
            kept = partial_curve(model, X, target, [0.8]).completeness
            assert kept == partial_curve(alone, Z, target, [0.8]).completeness
        assert last_step(alone, X) == (alone, X)

    def test_models_that_end_otherwise(self) -> None:
        X, y = made()
        pipeline = make_pipeline(StandardScaler(), ConstraintClassification())
        for model in (pipeline, GridSearchCV(pipeline, {}), ConstraintClassification()):
            with pytest.raises(NotFittedError):
                predict_order(model, X)
            with pytest.raises(NotFittedError):
                reliability(model, X, y)
        for model in (make_pipeline(StandardScaler()).fit(X), StandardScaler().fit(X), None):
            with pytest.raises(InputError, match="is not a label ranker: give one"):
                predict_order(model, X)


class TestRouting:
    def test_weights_reach_fit_and_score(self) -> None:
        X, y = made()
        weight = np.where(np.arange(len(X)) % 2, 0.0, 1.0)
        half = weight > 0
        folds = [(np.arange(0, 20), np.arange(20, 40))]
        with config_context(enable_metadata_routing=True):
            model = ConstraintClassification().set_fit_request(sample_weight=True)
            for scorer in (
                clone(SCORERS["kendall_tau"]).set_score_request(sample_weight=True),
                {"tau": clone(SCORERS["kendall_tau"]).set_score_request(sample_weight=True)},
            ):
                found = cross_validate(
                    model, X, y, cv=folds, scoring=scorer, params={"sample_weight": weight}
                )
                tau = found["test_tau" if isinstance(scorer, dict) else "test_score"][0]
                direct = ConstraintClassification().fit(X[:20][half[:20]], y[:20][half[:20]])
                assert tau == pytest.approx(direct.score(X[20:][half[20:]], y[20:][half[20:]]))
            # The score of the estimator itself, in a search.
            both = model.set_score_request(sample_weight=True)
            search = GridSearchCV(both, {"C": [1.0]}, cv=folds).fit(X, y, sample_weight=weight)
            assert search.best_score_ == pytest.approx(tau)
            # Through a pipeline, whose scaler takes no weights.
            scaler = StandardScaler().set_fit_request(sample_weight=False)
            weighted = make_pipeline(scaler, model).fit(X, y, sample_weight=weight)
            Z = StandardScaler().fit_transform(X)
            direct = ConstraintClassification().fit(Z[half], y[half])
            assert weighted[-1].predict_pairs(Z) == pytest.approx(direct.predict_pairs(Z), abs=1e-4)
            with pytest.raises(UnsetMetadataPassedError):
                cross_validate(ConstraintClassification(), X, y, params={"sample_weight": weight})


class TestProgress:
    @pytest.mark.parametrize(
        ("model", "words"),
        [
            (LabelRanker(effort="high", verbose=1), "part 6 of 6: boosting (40 cases, 3 features"),
            (
                LabelRankingForest(8, verbose=1, n_jobs=2),
                "trying leaves of at least 15 cases, best",
            ),
            (LabelRankingForest(8, verbose=1), "8 of 8 trees"),
            (BaggedRanker(n_estimators=4, verbose=1), "2 of 4 models"),
            (PairwiseComparison(verbose=1), "6 of 6 pairs of labels"),
        ],
        ids=lambda each: type(each).__name__,
    )
    def test_verbose(self, model: Any, words: str, capfd: pytest.CaptureFixture[str]) -> None:
        X, y = made()
        model.fit(X, y)
        said = capfd.readouterr()
        assert f"[{type(model).__name__}] {words}" in said.err
        assert said.out == ""
        clone(model).set_params(verbose=0).fit(X, y)
        assert capfd.readouterr().err == ""


class TestImportance:
    @pytest.mark.parametrize("kind", ["array", "pandas", "polars"])
    def test_by_name(self, kind: str) -> None:
        rng = np.random.default_rng(0)
        values = rng.normal(size=(80, 3))
        y = rank_rows(np.column_stack([values[:, 1], 0.2 * values[:, 2], np.zeros(80)]))
        X: Any = values
        names: list[Any] = [0, 1, 2]
        if kind != "array":
            names = ["none", "much", "some"]
            frame: Any = pd.DataFrame if kind == "pandas" else pl.DataFrame
            X = frame(dict(zip(names, values.T, strict=True)))
        if kind == "pandas":
            X.index = rng.permutation(80) + 5
        before = np.array(X)
        model = make_pipeline(StandardScaler(), ConstraintClassification()).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            found = feature_importance(model, X, y, random_state=0)
        assert found.features == [names[1], names[2], names[0]]
        assert found.mean[0] > found.mean[1] > 0.2 > 0.05 > abs(found.mean[2])
        assert (np.array(X) == before).all()
        again = feature_importance(model, X, y, random_state=0)
        assert (again.mean == found.mean).all()
        if kind == "array":
            other = permutation_importance(
                model, X, y, scoring=SCORERS["kendall_tau"], random_state=0, n_repeats=30
            )
            assert found.mean == pytest.approx(other.importances_mean[[1, 2, 0]], abs=0.06)

    def test_scores_and_weights(self) -> None:
        X, y = made()
        model = ConstraintClassification().fit(X, y)
        weight = np.where(np.arange(40) < 20, 1.0, 0.0)
        some = feature_importance(
            model, X, y, scoring="ndcg", sample_weight=weight, repeats=2, random_state=0
        )
        assert (some.mean < 1).all()
        own = feature_importance(model, X, y, scoring=lambda *given: 1.0, repeats=1)
        assert (own.mean == 0).all()
        with pytest.raises(SettingError, match="scoring must be one of"):
            feature_importance(model, X, y, scoring="best")
        with pytest.raises(SettingError, match="scoring must be a name"):
            feature_importance(model, X, y, scoring=3)  # type: ignore[arg-type]
        with pytest.raises(SettingError, match="repeats must be"):
            feature_importance(model, X, y, repeats=0)


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
        for table in (np.array([[1, "u"], [2, "v"]], object), [[1, "u"], [2, "v"]]):
            with pytest.raises(InputError, match=r"X has text in row 0, column 1 \('u'\)"):
                RankingTree().fit(table, y)
        mixed = pd.DataFrame({"a": [1, 2], "kind": pd.Series([1, "v"], dtype=object)})
        with pytest.raises(InputError, match=r"X has text in row 1, column 'kind' \('v'\)"):
            RankingTree().fit(mixed, y)
        with pytest.raises(InputError, match=r"X is a lazy frame: call collect"):
            RankingTree().fit(pl.DataFrame({"a": [1, 2]}).lazy(), y)
        model = RankingTree(min_samples_leaf=1).fit(pd.DataFrame({"yes": [True, False]}), y)
        assert model.predict(pd.DataFrame({"yes": [True]})).tolist() == [[1, 2]]
        assert model.feature_names_in_.tolist() == ["yes"]

    def test_two_columns_of_one_name(self) -> None:
        X, y = made()
        for kind, given in (
            ("X", (pd.DataFrame(X[:, :2], columns=["a", "a"]), y)),
            ("y", (X, pd.DataFrame(y[:, :2], columns=["a", "a"]))),
        ):
            with pytest.raises(InputError, match=f"two columns of {kind} are called 'a': rename"):
                RankingTree().fit(*given)

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
        LabelRanker(random_state=0),
        LabelRankingForest(10, random_state=0),
        RankingTree(),
        RankingTree(criterion="entropy"),
        BaggedRanker(n_estimators=5, random_state=0),
        NeighboursRanker(),
        NeighboursRanker(model="plackett-luce"),
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
