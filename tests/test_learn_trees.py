"""Ranking trees and forests, against their plain definition."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from concordant._kernels import splits
from concordant._kernels.splits import LEAF
from concordant.errors import SettingError
from concordant.learn import LabelRankingForest, RankingTree
from concordant.learn.targets import pair_signs, rank_rows


def made(n: int, d: int, m: int, seed: int = 0, noise: float = 0.5) -> tuple[Any, Any]:
    """Cases whose labels have scores that are linear in the features, with noise."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, d)), 1)
    scores = X @ rng.normal(size=(d, m)) + noise * rng.normal(size=(n, m))
    return X, rank_rows(-scores)


def similarity(P: np.ndarray) -> float:
    """The mean of tau over all pairs of rows, each with itself too."""
    return float((P @ P.T).mean() / P.shape[1])


def entropy(P: np.ndarray) -> tuple[int, float]:
    """Distinct rankings, and their entropy weighed by how little cases are like them."""
    kinds, counts = np.unique(P, axis=0, return_counts=True)
    p = counts / counts.sum()
    alike = (P @ kinds.T / P.shape[1] + 1).mean() / 2
    return len(kinds), float((p * np.log(p)).sum() * np.log(alike))


def pays(P: np.ndarray, cases: np.ndarray, parts: list[np.ndarray]) -> bool:
    """Whether a split shortens the description of a node."""
    (k, before), after = entropy(P[cases]), [entropy(P[part]) for part in parts]
    n = len(cases)
    code = np.log(3.0**k - 2) - (k * before - sum(each[0] * each[1] for each in after))
    left = sum(len(part) * each[1] for part, each in zip(parts, after, strict=True)) / n
    return bool(before - left > (np.log(n - 1) + code) / n)


def plain_tree(X: Any, P: Any, criterion: str, gamma: float, least: int, depth: int = 99) -> list:
    """The leaves, as sets of cases, of the tree that the definition gives."""

    def grow(cases: np.ndarray, left: int) -> list:
        n, best = len(cases), None
        for j in range(X.shape[1]):
            here: Any = None
            values = np.unique(X[cases, j])
            for low, high in pairwise(values):
                goes = X[cases, j] <= (low + high) / 2
                parts = [cases[goes], cases[~goes]]
                if min(map(len, parts)) < least:
                    continue
                if criterion == "similarity":
                    score = sum(len(part) * similarity(P[part]) for part in parts) / n
                else:
                    score = -sum(len(part) * entropy(P[part])[1] for part in parts) / n
                if here is None or score > here[0] + 1e-12:
                    here = (score, parts)
            if here is None or (criterion == "entropy" and not pays(P, cases, here[1])):
                continue
            if best is None or here[0] > best[0] + 1e-12:
                best = here
        if best is None or left == 0:
            return [cases]
        if criterion == "similarity":
            q = P.shape[1]
            alike = ((P[cases].sum(0) ** 2).sum() / q - n) / (n * n - n)
            if gamma * (1 + best[0]) <= 1 + alike + 1e-12:
                return [cases]
        return [leaf for part in best[1] for leaf in grow(part, left - 1)]

    return grow(np.arange(len(X)), depth)


def leaves_of(tree: RankingTree, X: Any) -> list[list[int]]:
    """The cases of each leaf."""
    trees = tree._trees
    cases: dict[int, list[int]] = {}
    for i, features in enumerate(X):
        node = 0
        while trees.feature[node] != LEAF:
            goes_right = features[trees.feature[node]] > trees.threshold[node]
            node = int(trees.children[node]) + int(goes_right)
        cases.setdefault(node, []).append(i)
    return sorted(cases.values())


class TestTree:
    @pytest.mark.parametrize("criterion", ["similarity", "entropy"])
    @pytest.mark.parametrize("gamma", [0.95, 1.0])
    @pytest.mark.parametrize("seed", range(4))
    def test_splits_as_defined(self, criterion: str, gamma: float, seed: int) -> None:
        noise = 0.3 if criterion == "similarity" else 0.0
        X, y = made(40, 3, 3 + seed % 2, seed, noise)
        tree = RankingTree(criterion=criterion, gamma=gamma).fit(X, y)  # type: ignore[arg-type]
        # The entropy has no least size of leaves.
        least = 2 if criterion == "similarity" else 1
        expected = plain_tree(X, pair_signs(y), criterion, gamma, least)
        assert leaves_of(tree, X) == sorted(sorted(leaf.tolist()) for leaf in expected)
        assert tree.n_leaves_ == len(expected)

    def test_entropy_splits_something(self) -> None:
        X, y = made(200, 2, 3, noise=0)
        assert RankingTree(criterion="entropy").fit(X, y).n_leaves_ > 1

    def test_leaves_predict_the_consensus_of_their_cases(self) -> None:
        X, y = made(60, 2, 4)
        tree = RankingTree(max_depth=2, gamma=1.0).fit(X, y)
        signs = pair_signs(y)
        for leaf in leaves_of(tree, X):
            votes = signs[leaf].sum(0)
            predicted = pair_signs(tree.predict(X[leaf[:1]]).astype(float))[0]
            from concordant.learn import consensus_orders

            best = pair_signs(consensus_orders(votes[None]).ranks.astype(float))[0]
            assert predicted @ votes == best @ votes

    def test_depth_and_size_of_leaves(self) -> None:
        X, y = made(100, 4, 3)
        assert RankingTree(max_depth=0).fit(X, y).n_leaves_ == 1
        assert RankingTree(max_depth=1).fit(X, y).n_leaves_ == 2
        tree = RankingTree(min_samples_leaf=10, gamma=1.0).fit(X, y)
        assert min(map(len, leaves_of(tree, X))) >= 10
        assert RankingTree(gamma=0.0).fit(X, y).n_leaves_ == 1

    def test_whole_weights_are_copies(self) -> None:
        X, y = made(50, 3, 4)
        weight = np.random.default_rng(0).integers(1, 4, len(X))
        weighted = RankingTree(min_samples_leaf=4, max_depth=2).fit(X, y, weight)
        repeated = RankingTree(min_samples_leaf=4, max_depth=2)
        repeated.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight, axis=0))
        # Leaves count cases, and similarities leave out only a case with itself: so only the
        # first, clear split is bound to be the same.
        assert weighted._trees.threshold[0] == repeated._trees.threshold[0]
        doubled = RankingTree(min_samples_leaf=4, max_depth=2).fit(X, y, weight * 2.5)
        assert (doubled.predict(X) == weighted.predict(X)).all()

    def test_values_next_to_each_other(self) -> None:
        values = np.array([1.0, np.nextafter(1.0, 2), np.nextafter(np.nextafter(1.0, 2), 2)])
        X, y = values[:, None], [[1, 2], [1, 2], [2, 1]]
        tree = RankingTree(min_samples_leaf=1).fit(X, y)
        assert tree.predict(X).tolist() == y

    def test_huge_values(self) -> None:
        X, y = np.array([[-1.7e308], [-1.6e308], [1.6e308], [1.7e308]]), [[1, 2]] * 2 + [[2, 1]] * 2
        assert RankingTree().fit(X, y).predict(X).tolist() == y

    def test_constant_features(self) -> None:
        tree = RankingTree().fit(np.ones((4, 2)), [[1, 2], [1, 2], [1, 2], [2, 1]])
        assert tree.n_leaves_ == 1
        assert tree.predict([[5.0, 5.0]]).tolist() == [[1, 2]]

    @pytest.mark.parametrize("wanted", [1, 2, 0.5, "sqrt", "log2", 99])
    def test_feature_sampling(self, wanted: Any) -> None:
        X, y = made(80, 5, 3)
        first = RankingTree(max_features=wanted, random_state=1).fit(X, y)
        again = RankingTree(max_features=wanted, random_state=1).fit(X, y)
        assert (first.predict(X) == again.predict(X)).all()
        assert first.score(X, y) > 0.5

    @pytest.mark.parametrize(
        "setting",
        [
            {"criterion": "gini"},
            {"gamma": -1},
            {"gamma": "much"},
            {"min_samples_leaf": 0},
            {"max_depth": -1},
            {"max_features": "all"},
            {"max_features": 0},
            {"max_features": 0.0},
            {"max_features": 1.5},
            {"min_samples_leaf": "auto"},
            {"splitter": "auto"},
            {"leaf_aggregation": "median"},
        ],
    )
    def test_bad_settings(self, setting: dict[str, Any]) -> None:
        [name] = setting
        with pytest.raises(SettingError, match=f"{name} must be"):
            RankingTree(**setting).fit([[0.0], [1.0]], [[1, 2], [2, 1]])


class TestRandomThresholds:
    @pytest.mark.parametrize("least", [1, 2, 7])
    @pytest.mark.parametrize("seed", range(3))
    def test_leaves_have_enough_cases(self, least: int, seed: int) -> None:
        X, y = made(80, 3, 3, seed)
        tree = RankingTree(splitter="random", min_samples_leaf=least, random_state=seed).fit(X, y)
        leaves = leaves_of(tree, X)
        assert len(leaves) == tree.n_leaves_ > 3
        assert min(map(len, leaves)) >= least
        other = RankingTree(splitter="random", min_samples_leaf=least, random_state=seed + 1)
        assert leaves_of(other.fit(X, y), X) != leaves

    @pytest.mark.parametrize("least", [1, 4])
    def test_the_score_of_a_threshold(self, least: int) -> None:
        rng = np.random.default_rng(0)
        X, y = made(40, 1, 4)
        signs = pair_signs(y).astype(np.int8)
        count = rng.integers(1, 4, 40)
        weight = count * rng.random(40)
        cases = np.argsort(X[:, 0], kind="stable").astype(np.int32)
        total = weight @ signs
        stream, spare, thresholds = np.array([3], np.uint64), np.zeros(6), set()
        for _ in range(50):
            best = np.array([-np.inf, 0.0])
            assert splits._random_split(
                X, signs, weight, count, cases, total, float(total @ total), weight.sum(),
                0, least, stream, spare, best,
            )  # fmt: skip
            parts = [X[:, 0] <= best[1], X[:, 0] > best[1]]
            score = sum(
                ((weight[part] @ signs[part]) ** 2).sum() / weight[part].sum() for part in parts
            )
            assert best[0] == pytest.approx(score)
            assert min(count[part].sum() for part in parts) >= least
            thresholds.add(best[1])
        assert len(thresholds) == 50

    def test_are_chosen_where_they_are_better(self) -> None:
        rng = np.random.default_rng(0)
        X = rng.normal(size=(300, 6))
        # The labels are points, and the nearest is first: all features count a little.
        smooth = rank_rows(np.linalg.norm(X[:, None] - rng.normal(size=(4, 6)), axis=2))
        assert LabelRankingForest(50, random_state=0).fit(X, smooth).splitter_ == "random"
        # One threshold decides, and the other features are noise.
        sharp = np.where(X[:, [0]] > 1, [3, 2, 1], [1, 2, 3])
        X = np.hstack([X, rng.normal(size=(300, 20))])
        assert LabelRankingForest(50, random_state=0).fit(X, sharp).splitter_ == "best"

    def test_are_not_chosen_with_given_leaves_or_by_entropy(self) -> None:
        X, y = made(60, 3, 3)
        given = LabelRankingForest(3, min_samples_leaf=2, random_state=0).fit(X, y)
        entropy = LabelRankingForest(3, criterion="entropy", random_state=0).fit(X, y)
        assert given.splitter_ == entropy.splitter_ == "best"
        with pytest.raises(SettingError, match="needs criterion"):
            RankingTree(criterion="entropy", splitter="random").fit(X, y)

    def test_all_cases_or_a_sample(self) -> None:
        X, y = made(60, 3, 3)
        for splitter, sampled in (("best", True), ("random", False)):
            one, two = (
                LabelRankingForest(
                    5, splitter=splitter, min_samples_leaf=2, bootstrap=each, random_state=0
                ).fit(X, y)
                for each in ("auto", sampled)
            )
            assert (one.predict_pairs(X) == two.predict_pairs(X)).all()


class TestForest:
    def test_same_on_any_number_of_jobs(self) -> None:
        X, y = made(120, 4, 4)
        one, two = (
            LabelRankingForest(12, max_features="sqrt", n_jobs=n, random_state=3).fit(X, y)
            for n in (1, 2)
        )
        assert (one.predict_pairs(X) == two.predict_pairs(X)).all()

    def test_prediction_is_the_consensus_of_its_trees(self) -> None:
        X, y = made(100, 3, 4)
        forest = LabelRankingForest(
            1, min_samples_leaf=2, max_features=None, bootstrap=False, random_state=0
        ).fit(X, y)
        assert (forest.predict(X) == RankingTree().fit(X, y).predict(X)).all()

    @pytest.mark.parametrize("leaf", ["borda", "lads", "exact", "mean"])
    @pytest.mark.parametrize("forest", ["borda", "lads", "exact"])
    def test_all_aggregations_learn(self, leaf: Any, forest: Any) -> None:
        X, y = made(150, 3, 4, noise=0.1)
        model = LabelRankingForest(
            20, leaf_aggregation=leaf, forest_aggregation=forest, random_state=0
        ).fit(X[:100], y[:100])
        assert model.score(X[100:], y[100:]) > 0.6

    def test_better_than_one_tree(self) -> None:
        X, y = made(300, 4, 5)
        tree = RankingTree().fit(X[:200], y[:200])
        forest = LabelRankingForest(50, random_state=0).fit(X[:200], y[:200])
        assert forest.score(X[200:], y[200:]) > tree.score(X[200:], y[200:])

    def test_partial_rankings_with_ties(self) -> None:
        X, y = made(200, 3, 4, noise=0.1)
        rng = np.random.default_rng(0)
        partial = np.where(rng.random(y.shape) < 0.3, np.nan, np.ceil(y / 2))
        forest = LabelRankingForest(30, random_state=0).fit(X[:150], partial[:150])
        assert forest.score(X[150:], y[150:]) > 0.5
        assert (np.sort(forest.predict(X), axis=1) == [1, 2, 3, 4]).all()

    @pytest.mark.parametrize(
        "setting", [{"n_estimators": 0}, {"forest_aggregation": "mean"}, {"bootstrap": 1}]
    )
    def test_bad_settings(self, setting: dict[str, Any]) -> None:
        [name] = setting
        with pytest.raises(SettingError, match=f"{name} must be"):
            LabelRankingForest(**setting).fit([[0.0], [1.0]], [[1, 2], [2, 1]])


class TestMissingLabels:
    def test_leaves_leave_open_what_their_cases_do_not_order(self) -> None:
        nan = np.nan
        X = np.zeros((4, 1))
        y = np.array([[nan, 1, 2]] * 3 + [[2, 1, nan]])
        for leaves in ("exact", "lads", "borda", "mean"):
            tree = RankingTree(leaf_aggregation=leaves).fit(X, y)  # type: ignore[arg-type]
            pairs = tree.predict_pairs(X[:1])[0]
            # No case orders 0 and 2.
            assert pairs[0, 2] == 0.5
            assert pairs[1, 0] == pairs[1, 2] == 1
        tied = RankingTree().fit(X[:2], np.array([[1.0, 2, 3], [1, 3, 2]]))
        assert tied.predict_pairs(X[:1])[0, 1, 2] == 0.5

    def test_the_order_of_the_label_columns_does_not_matter(self) -> None:
        X, y = made(80, 3, 4)
        y[np.random.default_rng(1).random(y.shape) < 0.5] = np.nan
        y[0] = [1, 2, 3, 4]
        # Other leaves may have several best orders, of which one is taken.
        forest = LabelRankingForest(20, leaf_aggregation="mean", random_state=0)
        pairs = forest.fit(X, y).predict_pairs(X)
        reversed_pairs = forest.fit(X, y[:, ::-1]).predict_pairs(X)
        assert np.allclose(pairs, reversed_pairs[:, ::-1, ::-1])

    def test_trees_that_know_nothing_about_a_pair_do_not_count(self) -> None:
        X, y = made(60, 2, 3, noise=0)
        y[:, 2] = np.nan
        y[0] = [1, 2, 3]
        votes = LabelRankingForest(30, random_state=0).fit(X, y)._votes_for(X)
        # A single case orders the pairs of the last label: only trees that have seen it vote.
        assert set(votes[:, 1].tolist()) <= {0.0, 1.0}
        assert votes[0, 1] == 1


def test_the_size_of_leaves_is_chosen() -> None:
    X, y = made(200, 3, 3, noise=0)
    assert LabelRankingForest(5, random_state=0).fit(X, y).min_samples_leaf_ < 15
    # Features that say nothing about rankings that are mostly alike: large leaves rank best.
    rng = np.random.default_rng(0)
    alike = (0.6 * np.arange(4) + rng.normal(size=(400, 4))).argsort(1).argsort(1) + 1
    forest = LabelRankingForest(5, random_state=0).fit(rng.normal(size=(400, 3)), alike)
    assert forest.min_samples_leaf_ >= 15
