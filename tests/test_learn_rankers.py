"""Label rankers: what they learn, and what they do with bad or odd input."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import choix
import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy.optimize import check_grad
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LogisticRegression, Perceptron
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from commands import is_error, run
from concordant.errors import InputError, SettingError
from concordant.learn import (
    BaggedRanker,
    ConstraintClassification,
    LabelRanker,
    LabelRankingForest,
    NeighboursRanker,
    PairwiseComparison,
    RankingTree,
)
from concordant.learn.datasets import make_semisynthetic
from concordant.learn.evaluation import (
    METHODS,
    PUBLISHED,
    benchmark,
    cross_validate,
    get_method,
)
from concordant.learn.neighbours import plackett_luce
from concordant.learn.ranker import _fit_trees
from concordant.learn.scores import FeatureMap, ScoreLoss, differences
from concordant.learn.targets import pair_signs, rank_rows
from concordant.paired import average_ranks

RANKERS: list[Any] = [
    LabelRanker(effort="cheap", random_state=0),
    LabelRankingForest(10, random_state=0),
    RankingTree(),
    PairwiseComparison(),
    ConstraintClassification(),
    NeighboursRanker(5),
    NeighboursRanker(5, model="borda", weights="distance"),
    NeighboursRanker(),
    NeighboursRanker(5, model="plackett-luce"),
    BaggedRanker(n_estimators=3, random_state=0),
]
every_ranker = pytest.mark.parametrize("ranker", RANKERS, ids=repr)


def made(n: int, m: int, seed: int = 0, noise: float = 0.2) -> tuple[Any, Any]:
    """Cases whose labels have scores that are linear in the features, with noise."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    return X, rank_rows(-X @ rng.normal(size=(3, m)) + noise * rng.normal(size=(n, m)))


class TestEveryRanker:
    @every_ranker
    def test_learns(self, ranker: Any) -> None:
        X, y = made(120, 4)
        model = clone(ranker).fit(X[:90], y[:90])
        assert model.score(X[90:], y[90:]) > 0.55
        ranks, orders, pairs = (
            f(X[90:]) for f in (model.predict, model.predict_order, model.predict_pairs)
        )
        assert (np.sort(ranks, axis=1) == [1, 2, 3, 4]).all()
        assert (np.take_along_axis(ranks, orders, axis=1) == [1, 2, 3, 4]).all()
        assert np.allclose(pairs + pairs.transpose(0, 2, 1), 1)
        assert ((pairs >= 0) & (pairs <= 1)).all()
        assert model.predict_tied(X[90:]).dtype == bool

    @every_ranker
    def test_partial_rankings_with_ties(self, ranker: Any) -> None:
        X, y = made(100, 4)
        holes = np.random.default_rng(0).random(y.shape) < 0.3
        partial = np.where(holes, np.nan, np.ceil(y / 2))
        partial[0] = np.nan
        model = clone(ranker).fit(X, partial)
        assert model.score(X, y) > 0.4
        # A case without a ranking changes nothing.
        again = clone(ranker).fit(X[1:], partial[1:])
        assert (again.predict(X) == model.predict(X)).all()

    @every_ranker
    def test_only_the_order_of_ranks_counts(self, ranker: Any) -> None:
        X, y = made(40, 3)
        model, other = clone(ranker).fit(X, y), clone(ranker).fit(X, np.exp(y) - 50)
        assert (model.predict(X) == other.predict(X)).all()

    @every_ranker
    def test_one_label(self, ranker: Any) -> None:
        model = clone(ranker).fit([[0.0], [1.0]], [[1], [1]])
        assert model.predict([[5.0]]).tolist() == [[1]]
        assert model.predict_order([[5.0]]).tolist() == [[0]]
        assert model.predict_pairs([[5.0]]).tolist() == [[[0.5]]]
        assert np.isnan(model.score([[5.0]], [[1]]))

    @every_ranker
    def test_one_class_of_ranking(self, ranker: Any) -> None:
        X, _ = made(20, 3)
        model = clone(ranker).fit(X, np.tile([2, 3, 1], (20, 1)))
        assert (model.predict(X) == [2, 3, 1]).all()

    @every_ranker
    def test_one_case(self, ranker: Any) -> None:
        model = clone(ranker).fit([[0.0, 1.0]], [[3, 1, 2]])
        assert model.predict([[9.0, 9.0]]).tolist() == [[3, 1, 2]]

    @every_ranker
    def test_more_labels_than_cases(self, ranker: Any) -> None:
        X, y = made(6, 9)
        predicted = clone(ranker).fit(X, y).predict(X)
        assert (np.sort(predicted, axis=1) == np.arange(1, 10)).all()

    @every_ranker
    def test_constant_features(self, ranker: Any) -> None:
        model = clone(ranker).fit(np.ones((5, 2)), [[1, 2]] * 4 + [[2, 1]])
        assert model.predict([[1.0, 3.0]]).tolist() == [[1, 2]]

    @every_ranker
    @pytest.mark.parametrize(
        ("X", "y", "message"),
        [
            ([[np.nan], [1.0]], [[1, 2], [2, 1]], "NaN"),
            ([[0.0], [1.0]], [[1, np.nan], [2, np.nan]], "label 1 is never ranked"),
            ([[0.0], [1.0]], [[np.nan, 1], [2, np.nan]], "orders two labels"),
            ([[0.0], [1.0]], [[1, 1], [2, 2]], "orders two labels"),
            ([[0.0], [1.0]], [[1, 2]], "inconsistent"),
            ([[0.0], [1.0]], [1, 2], "1 dimension"),
            ([[0.0], [1.0]], np.zeros((2, 0)), "no column"),
            ([["red"], ["blue"]], [[1, 2], [2, 1]], "X has text in row 0, column 0"),
        ],
    )
    def test_bad_input(self, ranker: Any, X: Any, y: Any, message: str) -> None:
        with pytest.raises(ValueError, match=message):
            clone(ranker).fit(X, y)

    @every_ranker
    def test_names_are_kept(self, ranker: Any) -> None:
        X, y = made(30, 3)
        features, labels = ["age", "size", "cost"], ["tea", "coffee", "milk"]
        expected = clone(ranker).fit(X, y).predict(X)
        for kind in (pl.DataFrame, pd.DataFrame):
            names = {"schema": features} if kind is pl.DataFrame else {"columns": features}
            frame = kind(X, **names)
            target = kind(y, **{next(iter(names)): labels})
            model = clone(ranker).fit(frame, target)
            assert model.labels_.tolist() == labels
            assert list(model.feature_names_in_) == features
            assert set(model.predict_order(frame)[0]) == set(labels)
            assert (model.predict(frame) == expected).all()

    @every_ranker
    def test_pickles(self, ranker: Any) -> None:
        X, y = made(30, 3)
        model = clone(ranker).fit(X, y)
        assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()

    @every_ranker
    def test_weights(self, ranker: Any) -> None:
        X = np.arange(20.0)[:, None]
        y = np.tile([1, 2], (20, 1))
        y[10:] = [2, 1]
        weight = np.where(np.arange(20) < 10, 1.0, 0.0)
        model = clone(ranker).fit(X, y, weight)
        assert (model.predict(X) == [1, 2]).all()
        assert model.score(X, y, weight) == 1
        for bad, message in (([1.0], "1 values"), ([-1.0] * 20, "negative"), (["a"] * 20, "num")):
            with pytest.raises(InputError, match=message):
                clone(ranker).fit(X, y, bad)


class TestWithScikitLearn:
    def test_pipeline_grid_search_and_cross_validation(self) -> None:
        X, y = made(80, 3)
        pipeline = make_pipeline(StandardScaler(), LabelRankingForest(5, random_state=0))
        assert cross_val_score(pipeline, X, y, cv=3).shape == (3,)
        search = GridSearchCV(pipeline, {"labelrankingforest__gamma": [0.5, 1.0]}, cv=3).fit(X, y)
        assert search.best_params_ == {"labelrankingforest__gamma": 1.0}
        assert search.score(X, y) > 0.5

    def test_permutation_importance(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(100, 2))
        y = rank_rows(np.column_stack([X[:, 0], np.zeros(100)]))
        model = RankingTree().fit(X, y)
        found = permutation_importance(model, X, y, random_state=0)
        assert found.importances_mean[0] > 0.3 > abs(found.importances_mean[1])


class TestLabelRanker:
    def test_parts_and_their_weights(self) -> None:
        X, y = made(100, 4)
        full = LabelRanker(random_state=0).fit(X, y)
        assert list(full.weights_) == ["trees", "forest", "linear", "matern", "additive"]
        assert min(full.weights_.values()) >= 0 < sum(full.weights_.values())
        # Scores are linear here, and linear scores know it best.
        assert max(full.weights_, key=full.weights_.__getitem__) == "linear"

    def test_linear_scores_alone_on_small_linear_data(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(60, 8))
        linear = X @ rng.normal(size=(8, 4)) + rng.normal(size=(60, 4))
        weights = LabelRanker(random_state=0).fit(X, rank_rows(linear)).weights_
        assert [name for name, weight in weights.items() if weight > 0] == ["linear"]
        # Where trees are clearly better, they stay.
        X = rng.normal(size=(200, 2))
        y = np.where((X[:, [0]] > 0) == (X[:, [1]] > 0), [1, 2, 3], [3, 2, 1])
        assert LabelRanker(random_state=0).fit(X, y).weights_["trees"] > 0

    def test_trees_on_features_of_two_values(self) -> None:
        # Without samples, all trees would be alike, and worse than those that are weighed.
        rng = np.random.default_rng(0)
        X = (rng.random((500, 20)) < 0.4).astype(float)
        ranks = rank_rows(X @ rng.normal(size=(20, 4)) + rng.normal(size=(500, 4)))
        cases = np.arange(250)
        trees, unseen = _fit_trees(
            "extra", X[:250], ranks[:250], np.ones(250), cases, (50, 50),
            np.random.RandomState(0), 1,
        )  # fmt: skip
        errors = [
            ((pair_signs(truth) - np.tanh(logits / 2)) ** 2).mean()
            for truth, logits in ((ranks[:250], unseen), (ranks[250:], trees.logits(X[250:])))
        ]
        assert errors[1] < 1.1 * errors[0]

    def test_seed_and_jobs(self) -> None:
        X, y = made(60, 3)
        one, two = (LabelRanker(random_state=5, n_jobs=n).fit(X, y) for n in (1, 2))
        assert np.allclose(one.predict_pairs(X), two.predict_pairs(X), atol=1e-12)

    def test_pairs_are_probabilities(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(400, 1))
        chance = 1 / (1 + np.exp(-2 * X[:, 0]))
        y = np.where(rng.random(400) < chance, 1, 2)
        model = LabelRanker(effort="cheap", random_state=0).fit(X, np.column_stack([y, 3 - y]))
        assert np.abs(model.predict_pairs(X)[:, 0, 1] - chance).mean() < 0.06

    def test_noise_is_left_alone(self) -> None:
        rng = np.random.default_rng(1)
        X = rng.normal(size=(200, 5))
        y = np.array([rng.permutation(3) + 1 for _ in range(200)])
        pairs = LabelRanker(effort="cheap", random_state=0).fit(X, y).predict_pairs(X)
        assert np.abs(pairs - 0.5).mean() < 0.1

    def test_outliers_and_scales(self) -> None:
        X, y = made(80, 3)
        scaled = X * [1e-6, 1, 1e6] + [0, 1e3, -1e9]
        model = LabelRanker(effort="cheap", random_state=0)
        near = clone(model).fit(X, y).predict_pairs(X)
        assert np.abs(near - clone(model).fit(scaled, y).predict_pairs(scaled)).max() < 0.05
        scaled[0] = 1e200
        assert np.isfinite(clone(model).fit(scaled, y).predict_pairs(scaled)).all()

    def test_bad_settings(self) -> None:
        X, y = made(10, 3)
        for setting in ({"effort": "none"}, {"aggregation": "median"}, {"n_jobs": 0}):
            with pytest.raises(SettingError, match=f"{next(iter(setting))} must be"):
                LabelRanker(**setting).fit(X, y)  # type: ignore[arg-type]


class TestScores:
    def test_gradient(self) -> None:
        rng = np.random.default_rng(0)
        n, m = 40, 5
        weight = rng.random(n)
        ranks = rng.integers(1, 5, size=(n, m)).astype(float)
        ranks[rng.random(ranks.shape) < 0.3] = np.nan
        scores = rng.normal(size=(n, m))
        # Scores far apart: products of their exponentials are out of range.
        scores[:2] *= [[100], [200]]
        signs = pair_signs(ranks)
        loss = ScoreLoss(ranks, weight)
        expected = np.logaddexp(0, -signs * differences(scores)) * np.abs(signs)
        assert loss.of(scores) == pytest.approx(
            (expected.mean(1) * weight).sum() / weight.sum(), rel=1e-10
        )
        error = check_grad(
            lambda z: loss.of(z.reshape(n, m)),
            lambda z: loss.with_gradient(z.reshape(n, m))[1].ravel(),
            scores.ravel(),
        )
        assert error < 1e-6

    def test_two_labels_are_logistic_regression(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(200, 3))
        signs = np.sign(X @ [1.0, -2, 0] + rng.normal(size=200))
        ranks = np.column_stack([-signs, signs])
        theta = ScoreLoss(ranks, np.ones(200)).fit(X, 0.02, until=(500, 1e-12))
        # Each label has half of the weights, so its penalty counts twice as much.
        other = LogisticRegression(C=1 / (200 * 0.01), tol=1e-8).fit(X, signs)
        assert np.allclose(theta[:-1, 0] - theta[:-1, 1], other.coef_[0], atol=1e-2)

    @pytest.mark.parametrize("kind", ["matern", "additive"])
    def test_nystrom_is_exact_on_its_landmarks(self, kind: Any) -> None:
        X = np.random.default_rng(0).normal(size=(20, 3))
        from concordant.learn.scores import _KERNELS

        phi = FeatureMap(kind, 0.5, X).transform(X)
        assert np.allclose(phi @ phi.T, _KERNELS[kind](X, X, 0.5), atol=1e-6)


class TestOthers:
    def test_classifiers_without_probabilities(self) -> None:
        X, y = made(100, 3)
        model = PairwiseComparison(Perceptron(random_state=0)).fit(X, y)
        assert model.score(X, y) > 0.7
        assert set(np.unique(model.predict_pairs(X))) <= {0, 0.5, 1}

    def test_classifiers_see_scaled_features_by_default(self) -> None:
        X, y = made(60, 3)
        far = X * [1e-6, 1, 1e6] + [0, 1e3, -1e9]
        near = PairwiseComparison().fit(X, y)
        with parallel_config("threading"):
            scaled = PairwiseComparison(n_jobs=2).fit(far, y)
        assert np.allclose(near.predict_pairs(X), scaled.predict_pairs(far), atol=1e-3)

    def test_classifiers_without_weights(self) -> None:
        X, y = made(30, 3)
        model = PairwiseComparison(KNeighborsClassifier(3))
        assert model.fit(X, y, np.full(30, 2.0)).score(X, y) > 0.5
        with pytest.raises(SettingError, match="does not accept sample_weight"):
            model.fit(X, y, np.arange(30.0))

    def test_constraint_classification_is_linear(self) -> None:
        X, y = made(150, 4, noise=0)
        assert ConstraintClassification(C=1e4).fit(X, y).score(X, y) > 0.95
        with pytest.raises(SettingError, match="C must be"):
            ConstraintClassification(C=0).fit(X, y)

    def test_the_nearest_case(self) -> None:
        X, y = made(30, 4)
        for model in ("kemeny", "borda", "plackett-luce"):
            assert NeighboursRanker(1, model=model).fit(X, y).score(X, y) == 1  # type: ignore[arg-type]
        near = NeighboursRanker(30, weights="distance").fit(X, y)
        assert near.score(X, y) == 1
        with pytest.raises(SettingError, match="model must be"):
            NeighboursRanker(model="mean").fit(X, y)  # type: ignore[arg-type]

    def test_the_number_of_neighbours_is_chosen(self) -> None:
        X, y = made(80, 3, noise=0.1)
        chosen = NeighboursRanker().fit(X, y)
        assert chosen.n_neighbors_ < 40
        noise = np.random.default_rng(0).permutation(len(y))
        assert NeighboursRanker(weights="uniform").fit(X, y[noise]).n_neighbors_ == 40
        assert NeighboursRanker(3, weights="distance").fit(X, y).weights_ == "distance"

    def test_plackett_luce_has_the_greatest_likelihood(self) -> None:
        rng = np.random.default_rng(0)
        ranks = np.array([rng.permutation(4) + 1.0 for _ in range(200)])
        ranks[:100] = [1, 2, 3, 4]
        skills = plackett_luce(ranks[None], np.full((1, 200), 1 / 200))[0]
        expected = choix.opt_rankings(4, np.argsort(ranks, axis=1).tolist())
        assert np.allclose(np.log(skills), expected - expected.mean(), atol=0.05)

    def test_tied_labels_have_equal_skills(self) -> None:
        ranks = np.array([[[1.0, 2.0, 2.0, 3.0], [1.0, 2.0, 2.0, np.nan]]])
        skills = plackett_luce(ranks, np.array([[0.5, 0.5]]))[0]
        assert skills[1] == pytest.approx(skills[2])
        assert skills[0] > skills[1] > skills[3]

    def test_bagging_of_any_ranker(self) -> None:
        X, y = made(60, 3)
        bag = BaggedRanker(ConstraintClassification(), 5, random_state=0).fit(X, y)
        assert bag.score(X, y) > 0.7
        with pytest.raises(SettingError, match="must be a label ranker"):
            BaggedRanker(LogisticRegression()).fit(X, y)

    def test_bagging_of_labels_that_are_hardly_ranked(self) -> None:
        X, y = made(12, 3)
        y[1:, 2] = np.nan
        y[4:, 1] = np.nan
        bag = BaggedRanker(NeighboursRanker(2), 10, random_state=0).fit(X, y)
        assert (np.sort(bag.predict(X), axis=1) == [1, 2, 3]).all()


class TestEvaluation:
    def test_same_folds_for_all(self) -> None:
        X, y = made(40, 3)
        methods = {"a": RankingTree(), "b": RankingTree()}
        steps: list[Any] = []
        results: list[Any] = []
        first, second = cross_validate(
            X,
            y,
            methods,
            folds=3,
            repeats=2,
            n_jobs=1,
            on_progress=lambda *step: steps.append(step),
            on_result=results.append,
        )
        assert results == [first, second]
        assert first.scores.shape == (2, 3)
        assert (first.scores == second.scores).all()
        assert steps == [(0, 2, "a"), (1, 2, "b")]
        assert first.mean == pytest.approx(first.scores.mean())
        assert first.repeat_deviation == pytest.approx(first.scores.mean(1).std())
        assert json.dumps(first.to_dict())

    def test_bad_settings(self) -> None:
        X, y = made(5, 3)
        for setting, message in (({"folds": 1}, "folds"), ({"repeats": 0}, "repeats")):
            with pytest.raises(SettingError, match=message):
                cross_validate(X, y, {"a": RankingTree()}, **setting)
        with pytest.raises(InputError, match="5 cases cannot be divided into 6"):
            cross_validate(X, y, {"a": RankingTree()}, folds=6)
        with pytest.raises(SettingError, match="method must be one of"):
            get_method("best")

    def test_methods_are_estimators_with_their_settings(self) -> None:
        assert get_method("lrf10").get_params()["leaf_aggregation"] == "lads"
        assert get_method("lrf10") is not get_method("lrf10")
        assert all(summary for summary, _ in METHODS.values())

    def test_published_figures(self) -> None:
        assert len(PUBLISHED) == 9
        means = np.array(list(PUBLISHED.values())).mean(0)
        assert means[3].round(3) == 0.540
        ranks = average_ranks([[-tau for tau in row] for row in PUBLISHED.values()])
        assert min(ranks) == ranks[3]

    def test_benchmark(self) -> None:
        sets = {
            "iris": make_semisynthetic(*load_iris(return_X_y=True)),
            "made": make_semisynthetic(made(50, 3)[0], np.arange(50) % 3),
        }
        methods = {name: get_method(name) for name in ("tree", "neighbours")}
        found = benchmark(sets, methods, repeats=2)
        rows = found.rows()
        assert [row["dataset"] for row in rows] == ["iris", "made"]
        assert rows[0]["published lrf"] == PUBLISHED["iris"][0]
        assert rows[1]["published lrf"] is None
        assert rows[0]["tree"] == found.scores["iris"]["tree"].mean
        assert sum(found.average_ranks().values()) == 3
        assert 0 < found.signed_rank_test("tree", "neighbours") <= 1
        assert found.signed_rank_test("tree", "published lrf11") == 1
        del found.scores["iris"]
        with pytest.raises(InputError, match="no data set has both"):
            found.signed_rank_test("tree", "published lrf11")


class TestCommand:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        data = make_semisynthetic(*load_iris(return_X_y=True))
        path = tmp_path / "iris.txt"
        rows = [[*data.feature_names, *data.labels], ["DOUBLE"] * 4 + ["NUMERIC"] * 3, []]
        rows += np.column_stack([data.X, data.y])[::3].tolist()
        path.write_text("\r\n".join("\t".join(map(str, row)) for row in rows))
        return path

    def test_table(self, file: Path) -> None:
        done = run("label-ranking", file, "--method", "tree,constraint", "--cv", "3")
        assert done.exit_code == 0, done.stderr
        lines = done.stdout.splitlines()
        assert lines[0].split()[:4] == ["method", "tau", "±", "folds"]
        assert [line.split()[0] for line in lines[1:3]] == ["constraint", "tree"]
        assert "1 of 2: tree" in done.stderr

    def test_json(self, file: Path) -> None:
        done = run("label-ranking", file, "--method", "tree", "--repeats", "2", "--json")
        facts = json.loads(done.stdout)
        assert (facts["n_cases"], facts["n_features"], facts["labels"]) == (
            50,
            4,
            ["L1", "L2", "L3"],
        )
        [row] = facts["rows"]
        assert row["method"] == "tree"
        assert np.shape(row["scores"]) == (2, 4)
        assert 0.7 < row["tau"] <= 1
        assert done.stderr == ""

    def test_tables(self, tmp_path: Path) -> None:
        X, y = made(30, 2)
        frame = pl.DataFrame(np.hstack([X, y]), schema=["a", "b", "c", "tea", "milk"])
        frame.write_csv(tmp_path / "x.csv")
        frame.write_parquet(tmp_path / "x.parquet")
        outputs = [
            run(
                "label-ranking",
                tmp_path / name,
                "--labels",
                "tea,milk",
                "--method",
                "tree",
                "--json",
            )
            for name in ("x.csv", "x.parquet")
        ]
        tables = [json.loads(done.stdout)["rows"][0]["scores"] for done in outputs]
        assert tables[0] == tables[1]

    def test_errors(self, file: Path, tmp_path: Path) -> None:
        table = tmp_path / "x.csv"
        table.write_text("a,tea\n1,2\n")
        holes = tmp_path / "holes.csv"
        holes.write_text("a,tea,milk\n1,2,1\n,1,2\n3,1,2\n4,1,2\n")
        never = tmp_path / "never.csv"
        never.write_text("a,tea,milk\n1,2,\n2,1,\n3,1,2\n4,1,\n")
        for arguments, words in (
            (["nothing.txt"], ["nothing.txt", "no such file"]),
            (["nothing.csv"], ["nothing.csv"]),
            ([file, "--method", "best"], ["--method must be one of", "best"]),
            ([file, "--cv", "1"], ["--cv must be"]),
            ([file, "--cv", "99"], ["50 cases cannot be divided into 99"]),
            ([file, "--labels", "a"], ["--labels can be given only for .csv"]),
            ([holes, "--labels", "tea,milk"], ["holes.csv", "feature 1 of case 2 is missing"]),
            ([never, "--labels", "tea,milk", "-q"], ["never.csv", "is never ranked"]),
            ([table], ["x.csv", "name the columns of the labels"]),
            ([table, "--labels", "milk"], ["x.csv", "no column 'milk'"]),
        ):
            assert is_error(run("label-ranking", *arguments), *words)

    def test_interrupted(self, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*given: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(ConstraintClassification, "fit", interrupt)
        done = run("label-ranking", file, "--method", "tree,constraint")
        assert done.exit_code == 130
        assert [line.split()[0] for line in done.stdout.splitlines()[:2]] == ["method", "tree"]
        assert "constraint" not in done.stdout


def test_no_warnings_from_odd_data() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X = [[0.0, 1e300], [1.0, -1e300], [2.0, 0.0], [3.0, 5.0], [4.0, 5.0]]
        for ranker in RANKERS:
            clone(ranker).fit(X, [[1, 2], [1, 2], [2, 1], [2, 1], [1, 1]]).predict(X)


def test_says_what_to_install() -> None:
    """Without scikit-learn, both the package and the command say so in a line."""
    script = (
        "import sys; sys.modules['sklearn'] = None\n"
        "sys.argv = ['concordant', 'label-ranking', 'x.txt']\n"
        "from concordant.cli import main\n"
        "main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=100
    )
    assert done.returncode == 2
    assert done.stderr == (
        'concordant: error: label ranking needs scikit-learn: pip install "concordant[learn]"\n'
    )


def test_is_part_of_the_package() -> None:
    import concordant as cc

    assert cc.learn.LabelRanker is LabelRanker
