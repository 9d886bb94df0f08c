"""Cross-validated comparison of label rankers, with published values."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from concordant._checks import at_least, one_of
from concordant._types import Float
from concordant.errors import InputError
from concordant.learn.bagging import BaggedRanker
from concordant.learn.base import BaseLabelRanker
from concordant.learn.datasets import LabelRankingData
from concordant.learn.forest import LabelRankingForest, RankingTree
from concordant.learn.neighbours import NeighboursRanker
from concordant.learn.pairwise import ConstraintClassification, PairwiseComparison, with_seed
from concordant.learn.ranker import LabelRanker
from concordant.learn.targets import check_ranks
from concordant.paired import average_ranks, signed_rank_p


def _paper_forest(leaf: Any, forest: Any) -> LabelRankingForest:
    return LabelRankingForest(
        splitter="best",
        gamma=0.98,
        min_samples_leaf=2,
        max_features=None,
        leaf_aggregation=leaf,
        forest_aggregation=forest,
    )


# The summary of each method, and an estimator with its settings, by name.
METHODS: dict[str, tuple[str, BaseLabelRanker]] = {
    "ranker": ("randomised trees and label scores, stacked: the default", LabelRanker()),
    "ranker-cheap": ("the same at half the cost", LabelRanker(effort="cheap")),
    "forest": ("ranking trees, Kemeny at leaves and forest", LabelRankingForest()),
    "lrf": ("de Sá's forest: γ = 0.98, mean ranks", _paper_forest("borda", "borda")),
    "lrf10": ("the same with LADS at the leaves", _paper_forest("lads", "borda")),
    "lrf01": ("the same with LADS for the forest", _paper_forest("borda", "lads")),
    "lrf11": ("the same with LADS at both", _paper_forest("lads", "lads")),
    "tree": ("a single ranking tree", RankingTree()),
    "entropy-tree": (
        "a single tree by entropy, with its MDL stop",
        RankingTree(criterion="entropy"),
    ),
    "bagging": ("bagged rankers, of trees by default", BaggedRanker()),
    "pairwise": ("a logistic classifier for each pair of labels", PairwiseComparison()),
    "constraint": ("linear label scores from all pairs at once", ConstraintClassification()),
    "neighbours": ("Kemeny consensus of the nearest cases", NeighboursRanker()),
    "neighbours-borda": ("mean ranks of the nearest cases", NeighboursRanker(model="borda")),
    "neighbours-pl": ("Plackett–Luce model of them", NeighboursRanker(model="plackett-luce")),
}

# Zhou, Hao, Li and Glover, the paper's table of label ranking: the mean Kendall tau of LRF,
# LRF_10, LRF_01 and LRF_11, cross-validated, by data set.
PUBLISHED: dict[str, tuple[float, float, float, float]] = {
    "authorship": (0.892, 0.893, 0.892, 0.892),
    "bodyfat": (0.203, 0.200, 0.206, 0.207),
    "glass": (0.885, 0.893, 0.887, 0.894),
    "housing": (0.804, 0.809, 0.807, 0.811),
    "iris": (0.956, 0.956, 0.959, 0.960),
    "vehicle": (0.860, 0.861, 0.860, 0.862),
    "cold": (0.076, 0.078, 0.081, 0.086),
    "dtt": (0.114, 0.110, 0.118, 0.121),
    "heat": (0.028, 0.029, 0.029, 0.030),
}
PUBLISHED_METHODS = ("lrf", "lrf10", "lrf01", "lrf11")


def get_method(name: str) -> BaseLabelRanker:
    """Return an unfitted estimator by its name.

    Example:
        >>> get_method("pairwise")
        PairwiseComparison()
    """
    one_of("method", name, tuple(METHODS))
    copy: BaseLabelRanker = clone(METHODS[name][1])
    return copy


@dataclass(frozen=True)
class CrossValidation:
    """The scores of one method.

    Attributes:
        method: Its name.
        scores: Repeats × folds: the mean Kendall tau on each test part.
        seconds: The mean time to fit and to predict a part.
    """

    method: str
    scores: Float
    seconds: float

    @property
    def mean(self) -> float:
        """The mean over all folds and repeats."""
        return float(np.nanmean(self.scores))

    @property
    def fold_deviation(self) -> float:
        """The standard deviation between folds."""
        return float(np.nanstd(self.scores))

    @property
    def repeat_deviation(self) -> float:
        """The standard deviation between the means of repeats, which have other folds."""
        return float(np.nanstd(np.nanmean(self.scores, axis=1)))

    def to_dict(self) -> dict[str, Any]:
        """Return the scores as plain values."""
        return {
            "method": self.method,
            "tau": self.mean,
            "fold_deviation": self.fold_deviation,
            "repeat_deviation": self.repeat_deviation,
            "seconds": self.seconds,
            "scores": self.scores.tolist(),
        }


def cross_validate(
    X: Any,
    y: Any,
    methods: Mapping[str, BaseLabelRanker],
    *,
    folds: int = 4,
    repeats: int = 1,
    seed: int = 0,
    n_jobs: int | None = None,
    on_progress: Callable[[int, int, str], None] | None = None,
    on_result: Callable[[CrossValidation], None] | None = None,
) -> list[CrossValidation]:
    """Cross-validate label rankers, all on the same parts of the data.

    Args:
        X: The features.
        y: The ranks.
        methods: Estimators by name.
        folds: The number of parts; each is the test part once.
        repeats: The number of repeats, each with other parts.
        seed: Random seed.
        n_jobs: The `n_jobs` of estimators that have it.
        on_progress: Called before each method with the number of finished methods, the number of
            all methods, and its name.
        on_result: Called after each method with its scores.

    Example:
        >>> from concordant.learn.datasets import make_semisynthetic
        >>> from sklearn.datasets import load_iris
        >>> data = make_semisynthetic(*load_iris(return_X_y=True))
        >>> [found] = cross_validate(data.X, data.y, {"tree": get_method("tree")})
        >>> found.method, found.scores.shape, found.mean > 0.9
        ('tree', (1, 4), True)
    """
    ranks, _ = check_ranks(y)
    X = np.asarray(X, np.float64)
    missing = np.argwhere(~np.isfinite(X))
    if missing.size:
        row, column = missing[0]
        raise InputError(
            f"feature {column + 1} of case {row + 1} is missing: fill in missing values, or "
            "leave such cases out"
        )
    parts = divide(len(X), folds, repeats, seed)
    found: list[CrossValidation] = []
    for name, estimator in methods.items():
        if on_progress is not None:
            on_progress(len(found), len(methods), name)
        scores = np.full((repeats, folds), np.nan)
        start = time.perf_counter()
        for repeat, fold, train, test in parts:
            model = with_seed(estimator, seed + repeat)
            if n_jobs is not None and "n_jobs" in model.get_params():
                model.set_params(n_jobs=n_jobs)
            model.fit(X[train], ranks[train])
            scores[repeat, fold] = model.score(X[test], ranks[test])
        found.append(CrossValidation(name, scores, (time.perf_counter() - start) / len(parts)))
        if on_result is not None:
            on_result(found[-1])
    return found


def divide(n: int, folds: int, repeats: int, seed: int) -> list[tuple[int, int, Any, Any]]:
    """Return the training cases and the test cases of each repeat and fold.

    Example:
        >>> [test.size for *_, test in divide(10, 4, 1, 0)]
        [3, 3, 2, 2]
    """
    at_least("folds", folds, 2)
    at_least("repeats", repeats, 1)
    at_least("seed", seed, 0)
    if n < folds:
        raise InputError(f"{n} cases cannot be divided into {folds} folds")
    return [
        (repeat, fold, train, test)
        for repeat in range(repeats)
        for fold, (train, test) in enumerate(
            KFold(folds, shuffle=True, random_state=seed + repeat).split(np.empty(n))
        )
    ]


@dataclass(frozen=True)
class Benchmark:
    """The scores of methods on several data sets, with published values.

    Attributes:
        scores: The cross-validated scores by data set and method.
    """

    scores: dict[str, dict[str, CrossValidation]]

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order in which they were given."""
        return tuple(next(iter(self.scores.values())))

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each data set: its name, the tau of each method, published values.

        Published columns are called `published lrf` and so on; None if there is no value.
        """
        found = []
        for name, scores in self.scores.items():
            row: dict[str, Any] = {"dataset": name}
            row |= {method: each.mean for method, each in scores.items()}
            row |= {f"{method} ±": each.repeat_deviation for method, each in scores.items()}
            published = PUBLISHED.get(name, (None,) * len(PUBLISHED_METHODS))
            for method, value in zip(PUBLISHED_METHODS, published, strict=True):
                row[f"published {method}"] = value
            found.append(row)
        return found

    def average_ranks(self) -> dict[str, float]:
        """Return the mean rank of each method over the data sets, 1 = best."""
        table = [[each.mean for each in scores.values()] for scores in self.scores.values()]
        return dict(
            zip(
                self.methods, average_ranks([[-mean for mean in row] for row in table]), strict=True
            )
        )

    def signed_rank_test(self, first: str, second: str) -> float:
        """Return the p-value of the signed-rank test of two methods, paired by data set.

        Names such as `published lrf11` stand for published values.
        """
        pairs = [(row[first], row[second]) for row in self.rows()]
        known = [pair for pair in pairs if None not in pair]
        found = signed_rank_p(known)
        if found is None:
            raise InputError(f"no data set has both {first!r} and {second!r}")
        return found


def benchmark(
    datasets: Mapping[str, LabelRankingData], methods: Mapping[str, BaseLabelRanker], **options: Any
) -> Benchmark:
    """Cross-validate methods on several data sets; the options are those of `cross_validate`.

    Example:
        >>> from concordant.learn.datasets import make_semisynthetic
        >>> from sklearn.datasets import load_iris
        >>> sets = {"iris": make_semisynthetic(*load_iris(return_X_y=True))}
        >>> found = benchmark(sets, {name: get_method(name) for name in ("tree", "constraint")})
        >>> found.average_ranks(), found.rows()[0]["published lrf11"]
        ({'tree': 1.0, 'constraint': 2.0}, 0.96)
    """
    return Benchmark(
        {
            name: {each.method: each for each in cross_validate(data.X, data.y, methods, **options)}
            for name, data in datasets.items()
        }
    )
