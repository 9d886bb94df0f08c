"""Ranking trees and label ranking forests, after de Sá, Soares, Knobbe and Cortez (2017).

A tree splits where this makes the rankings within the parts more similar. A leaf predicts the
consensus of its rankings (type 1), and a forest the consensus of its trees' predictions (type 2).
Zhou, Hao, Li and Glover search for a Kemeny ranking in either place: their LRF, LRF_10, LRF_01 and
LRF_11 are four settings of `leaf_aggregation` and `forest_aggregation`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs
from sklearn.utils import check_random_state

from concordant._checks import at_least, between, one_of, true_or_false
from concordant._kernels import splits
from concordant._types import Float, Int8, Int32, Int64
from concordant.errors import SettingError
from concordant.learn.base import BaseLabelRanker
from concordant.learn.consensus import (
    AGGREGATIONS,
    Aggregation,
    consensus_signs,
)
from concordant.learn.targets import pair_signs

Criterion = Literal["similarity", "entropy"]
LeafAggregation = Literal["exact", "lads", "borda", "mean"]
Splitter = Literal["best", "random"]
_SPLITTERS: tuple[Splitter, ...] = ("best", "random")
_CRITERIA = {"similarity": splits.SIMILARITY, "entropy": splits.ENTROPY}
_DEEPEST = 2**31
# The number of cases that one task of a prediction handles.
_CHUNK = 256
# The sizes of leaves to choose from, and how many trees and cases decide.
_LEAVES = (400, 120, 40, 15, 5, 2, 1)
# Trees with random thresholds are faster, and differ more from each other.
_TREES_TO_CHOOSE_BY = {"best": 60, "random": 150}
_MOST_TO_CHOOSE_BY = 2000
_PATIENCE = 2


@dataclass(frozen=True)
class _Growing:
    """The data and settings that all trees of a forest share."""

    X: Float
    sorted_cases: Int32
    signs: Int8
    kinds: Int64
    kind_signs: Float
    weight: Float
    settings: tuple[Any, ...]
    leaf_aggregation: LeafAggregation

    def part(self, cases: Int64) -> _Growing:
        """Return the same for some of the cases."""
        new = np.full(len(self.X), -1)
        new[cases] = np.arange(cases.size)
        kept = new[self.sorted_cases]
        return replace(
            self,
            X=self.X[cases],
            sorted_cases=kept[kept >= 0].reshape(kept.shape[0], -1).astype(np.int32),
            signs=self.signs[cases],
            kinds=self.kinds[cases],
            weight=self.weight[cases],
        )

    def grow(self, count: Int64, seed: int, least: int, splitter: Splitter) -> tuple[Any, ...]:
        """Grow a tree from `count` copies of each case, with at least `least` of them in a leaf.

        Returns its arrays, node by node, and the votes of each leaf.
        """
        kept = self.sorted_cases
        if not count.all():
            kept = kept[count[kept] > 0].reshape(kept.shape[0], -1)
        else:
            kept = kept.copy()
        n, q = kept.shape[1], self.signs.shape[1]
        feature = np.empty(2 * n, np.int32)
        threshold = np.empty(2 * n)
        children = np.zeros(2 * n, np.int32)
        first, last = np.empty(n, np.int64), np.empty(n, np.int64)
        criterion, gamma, depth, n_features = self.settings
        nodes, leaves = splits.grow(
            self.X,
            kept,
            self.signs,
            self.kinds,
            self.kind_signs,
            self.weight * count,
            count,
            criterion,
            gamma,
            least,
            depth,
            n_features,
            splitter == "random",
            np.array([seed], np.uint64),
            feature,
            threshold,
            children,
            first,
            last,
        )
        grown = tuple(each[:nodes].copy() for each in (feature, threshold, children))
        sums, known = np.zeros((leaves, q)), np.zeros((leaves, q))
        splits.leaf_sums(
            kept[0], first[:leaves], last[:leaves], self.weight * count, self.signs, sums, known
        )
        return *grown, _leaf_votes(sums, known, self.leaf_aggregation)


def _leaf_votes(sums: Float, known: Float, aggregation: LeafAggregation) -> Any:
    """Return the vote of each leaf on each pair: UNKNOWN where none of its cases orders it.

    Pairs that its cases order equally often both ways stay tied, whatever the consensus says of
    them: it has to put one of the labels first.
    """
    votes: Any
    if aggregation == "mean":
        votes = (sums / np.maximum(known, 1e-300)).astype(np.float32)
    else:
        # Equal sums have the same consensus, and many leaves hold a single ranking.
        distinct, which = np.unique(sums, axis=0, return_inverse=True)
        votes = consensus_signs(distinct, aggregation).astype(np.int8)[which.reshape(-1)]
        votes[sums == 0] = 0
    votes[known == 0] = splits.UNKNOWN
    return votes


class _Trees:
    """Trees in one array, node by node, and the votes of each leaf."""

    def __init__(self, trees: list[tuple[Any, ...]]) -> None:
        self.roots = np.cumsum([0, *(each[0].size for each in trees[:-1])])
        self.leaves = np.cumsum([0, *(len(each[3]) for each in trees[:-1])])
        self.feature, self.threshold, self.children, self.values = map(
            np.concatenate, zip(*trees, strict=True)
        )

    def vote(self, X: Float, n_jobs: int | None, seen: Any = None) -> Float:
        """Return the mean vote, for each case and pair, of the trees that know the pair.

        It is 0 where none does. `seen` has for each case and tree whether the tree does not vote.
        """
        votes = np.zeros((len(X), self.values.shape[1]))
        known = np.zeros_like(votes)
        if seen is None:
            seen = np.zeros((0, 0), np.bool_)
        jobs = effective_n_jobs(n_jobs)
        step = max(_CHUNK, -(-len(X) // jobs))
        with Parallel(n_jobs=min(jobs, -(-len(X) // step)), require="sharedmem") as parallel:
            parallel(
                delayed(splits.add_votes)(
                    X[start : start + step],
                    self.roots,
                    self.leaves,
                    self.feature,
                    self.threshold,
                    self.children,
                    self.values,
                    seen[start : start + step],
                    votes[start : start + step],
                    known[start : start + step],
                )
                for start in range(0, len(X), step)
            )
        return votes / np.maximum(known, 1)


class _RankingTrees(BaseLabelRanker):
    """The settings that a tree and a forest share."""

    # What a setting may be if it is to be chosen by out-of-bag error.
    _chosen: tuple[str, ...] = ()

    def __init__(
        self,
        criterion: Any,
        splitter: Any,
        gamma: Any,
        least: Any,
        depth: Any,
        features: Any,
        leaves: Any,
    ) -> None:
        self.criterion = criterion
        self.splitter = splitter
        self.gamma = gamma
        self.min_samples_leaf = least
        self.max_depth = depth
        self.max_features = features
        self.leaf_aggregation = leaves

    def _check_settings(self) -> None:
        one_of("criterion", self.criterion, tuple(_CRITERIA))
        one_of("splitter", self.splitter, (*_SPLITTERS, *self._chosen))
        if self.criterion == "entropy" and self.splitter == "random":
            raise SettingError(
                'splitter="random" needs criterion="similarity": the entropy tries all thresholds',
                setting="splitter",
            )
        one_of("leaf_aggregation", self.leaf_aggregation, (*AGGREGATIONS, "mean"))
        between("gamma", self.gamma, 0, 2)
        if self.min_samples_leaf not in self._chosen:
            at_least("min_samples_leaf", self.min_samples_leaf, 1)
        if self.max_depth is not None:
            at_least("max_depth", self.max_depth, 0)
        if isinstance(self.max_features, str):
            one_of("max_features", self.max_features, ("sqrt", "log2"))
        elif isinstance(self.max_features, float):
            between("max_features", self.max_features, 0, 1)
            if self.max_features == 0:
                raise SettingError("max_features must be above 0: give a share of the features")
        elif self.max_features is not None:
            at_least("max_features", self.max_features, 1)

    def _n_features(self, d: int) -> int:
        """Return the number of features, of d, that each node considers."""
        wanted = self.max_features
        if wanted is None:
            return d
        if isinstance(wanted, str):
            return max(1, int(d**0.5 if wanted == "sqrt" else np.log2(d)))
        return min(d, wanted) if not isinstance(wanted, float) else max(1, round(wanted * d))

    def _prepare(self, X: Float, ranks: Float, weight: Float) -> _Growing:
        signs = pair_signs(ranks)
        kind_signs, kinds = np.zeros((1, signs.shape[1])), np.zeros(len(signs), np.int64)
        if self.criterion == "entropy":
            kind_signs, kinds = np.unique(signs, axis=0, return_inverse=True)
        settings = (
            _CRITERIA[self.criterion],
            float(self.gamma),
            _DEEPEST if self.max_depth is None else self.max_depth,
            self._n_features(X.shape[1]),
        )
        order = np.argsort(X, axis=0, kind="stable").T.astype(np.int32)
        # Arrays in another layout would have the kernel compiled again.
        X, order = map(np.ascontiguousarray, (X, order))
        return _Growing(
            X,
            order,
            np.ascontiguousarray(signs, np.int8),
            kinds.reshape(-1),
            kind_signs,
            weight,
            settings,
            self.leaf_aggregation,
        )


class RankingTree(_RankingTrees):
    """A decision tree whose leaves hold rankings.

    A node is split at a midpoint between neighbouring values of a feature, the one that makes the
    rankings within the parts most similar. Q is the mean similarity of the rankings of a part,
    averaged over both parts, and S that of the node. A node is split while γ(1 + Q) > 1 + S.
    The similarity of two rankings is Kendall's tau.

    Args:
        criterion: "similarity", as above, or "entropy": the entropy of rankings, with splits
            while they shorten the description (MDL), as in the program of de Sá and others. It
            has no least size of leaves.
        splitter: "best" tries all thresholds of a feature, "random" one random threshold of each
            (extremely randomised trees, Geurts, Ernst and Wehenkel 2006).
        gamma: γ. Below 1, a split needs a minimum improvement. De Sá et al. use 0.98, which
            does not split some data sets at all.
        min_samples_leaf: The least number of cases in a leaf.
        max_depth: The greatest depth of a leaf.
        max_features: The number of random features that each node considers: a number, a
            share, "sqrt" or "log2"; None for all.
        leaf_aggregation: How the rankings of a leaf are aggregated: "exact" (Kemeny), "lads"
            (the paper's search for it), "borda" (mean rank), or "mean": the votes of the leaf.
        random_state: Random seed.

    Example:
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [2, 1]]
        >>> tree = RankingTree(min_samples_leaf=1).fit(X, y)
        >>> tree.predict([[0.5], [2.5]]).tolist(), tree.n_leaves_
        ([[1, 2], [2, 1]], 2)
    """

    def __init__(
        self,
        *,
        criterion: Criterion = "similarity",
        splitter: Splitter = "best",
        gamma: float = 1.0,
        min_samples_leaf: int = 2,
        max_depth: int | None = None,
        max_features: int | float | str | None = None,
        leaf_aggregation: LeafAggregation = "exact",
        random_state: Any = None,
    ) -> None:
        super().__init__(
            criterion, splitter, gamma, min_samples_leaf, max_depth, max_features, leaf_aggregation
        )
        self.random_state = random_state

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        seed = check_random_state(self.random_state).randint(2**31)
        growing = self._prepare(X, ranks, weight)
        copies = np.ones(len(X), np.int64)
        self._trees = _Trees([growing.grow(copies, seed, self.min_samples_leaf, self.splitter)])
        self.n_leaves_ = len(self._trees.values)

    def _vote(self, X: Float) -> Float:
        return self._trees.vote(X, 1)


class LabelRankingForest(_RankingTrees):
    """Bagged ranking trees, and the consensus of their predictions.

    By default, out-of-bag error chooses between trees with the best thresholds, each grown on a
    bootstrap sample, and extremely randomised trees. The four forests of the paper have
    `leaf_aggregation` and `forest_aggregation` "borda" or "lads" each, with `gamma=0.98`,
    `min_samples_leaf=2`, `max_features=None` and `splitter="best"`.

    Args:
        n_estimators: The number of trees.
        criterion: How splits are chosen: see `RankingTree`.
        splitter: "best" or "random": see `RankingTree`. "auto" chooses it together with the size of
            leaves, and is "best" if that size is given or the criterion is "entropy".
        gamma: See `RankingTree`.
        min_samples_leaf: The least number of cases in a leaf. "auto" chooses it, from 1 to
            400, by the error on cases that trees have not seen.
        max_depth: The greatest depth of a leaf.
        max_features: The features that each node considers, half of them by default: see
            `RankingTree`.
        leaf_aggregation: How the rankings of a leaf are aggregated: see `RankingTree`.
        forest_aggregation: How the trees' rankings are aggregated: "exact" (Kemeny), "lads" (the
            paper's search for it) or "borda" (mean rank).
        bootstrap: Whether each tree gets a bootstrap sample, or all cases. "auto": a sample with
            the best thresholds, all cases with random ones.
        n_jobs: The number of trees that are grown at a time; it does not change the model.
        random_state: Random seed.
        verbose: 1 writes the choice of the leaves and the progress of the trees to stderr.

    Attributes:
        min_samples_leaf_: The least number of cases in a leaf that was used.
        splitter_: How thresholds were chosen: "best" or "random".
        n_leaves_: The number of leaves of all trees.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> X = rng.normal(size=(200, 3))
        >>> y = (-X).argsort(1).argsort(1) + 1
        >>> forest = LabelRankingForest(random_state=0).fit(X[:150], y[:150])
        >>> forest.score(X[150:], y[150:]) > 0.6
        True
    """

    _chosen = ("auto",)

    def __init__(
        self,
        n_estimators: int = 100,
        *,
        criterion: Criterion = "similarity",
        splitter: Splitter | Literal["auto"] = "auto",
        gamma: float = 1.0,
        min_samples_leaf: int | Literal["auto"] = "auto",
        max_depth: int | None = None,
        max_features: int | float | str | None = 0.5,
        leaf_aggregation: LeafAggregation = "exact",
        forest_aggregation: Aggregation = "exact",
        bootstrap: bool | Literal["auto"] = "auto",
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        super().__init__(
            criterion, splitter, gamma, min_samples_leaf, max_depth, max_features, leaf_aggregation
        )
        self.forest_aggregation = forest_aggregation
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_settings(self) -> None:
        super()._check_settings()
        at_least("n_estimators", self.n_estimators, 1)
        one_of("forest_aggregation", self.forest_aggregation, AGGREGATIONS)
        if self.bootstrap != "auto":
            true_or_false("bootstrap", self.bootstrap)

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        rng = check_random_state(self.random_state)
        growing = self._prepare(X, ranks, weight)
        self.splitter_, self.min_samples_leaf_ = self._choose(growing)
        # All random numbers are drawn here, so that the number of jobs does not change the model.
        seeds = rng.randint(2**31, size=self.n_estimators)
        n = len(X)
        copies = [
            np.bincount(rng.randint(n, size=n), minlength=n)
            if self._samples(self.splitter_)
            else np.ones(n, np.int64)
            for _ in range(self.n_estimators)
        ]
        self._trees = self._grow(growing, copies, seeds, self.splitter_, self.min_samples_leaf_)
        self.n_leaves_ = len(self._trees.values)

    def _grow(
        self, growing: _Growing, copies: Any, seeds: Any, splitter: Splitter, least: int
    ) -> _Trees:
        tasks = (
            delayed(growing.grow)(count, int(seed), least, splitter)
            for count, seed in zip(copies, seeds, strict=True)
        )
        return _Trees(self._run(tasks, len(copies), "trees", require="sharedmem"))

    def _samples(self, splitter: Splitter) -> bool:
        """Return whether trees are grown on bootstrap samples."""
        return splitter == "best" if self.bootstrap == "auto" else self.bootstrap

    def _choose(self, growing: _Growing) -> tuple[Splitter, int]:
        """Return the kind of thresholds and the size of leaves whose votes err least.

        The votes are those on cases that trees have not seen: of bootstrap samples, or of two
        thirds of the cases if the forest has no samples. (Without samples, trees with random
        thresholds are almost alike if features have few values; samples would hide that.) What
        counts is on which side a vote is, not how sure it is: large leaves are too sure, but they
        may rank best. A few trees, on a part of many cases, are enough.
        """
        given: Splitter = "random" if self.splitter == "random" else "best"
        if self.min_samples_leaf != "auto":
            return given, self.min_samples_leaf
        splitters = [given]
        if self.splitter == "auto" and self.criterion == "similarity":
            splitters = list(_SPLITTERS)
        rng = np.random.default_rng(0)
        part = np.sort(rng.permutation(len(growing.X))[:_MOST_TO_CHOOSE_BY])
        chosen, n = growing.part(part), part.size
        fold = rng.permutation(n) % 3

        def copies(splitter: Splitter) -> list[Int64]:
            # An unseen case has the votes of a third of the trees, so these are a smaller forest.
            trees = range(min(_TREES_TO_CHOOSE_BY[splitter], 3 * self.n_estimators))
            if self._samples(splitter) or n < 3:
                return [np.bincount(rng.integers(n, size=n), minlength=n) for _ in trees]
            return [(fold != k % 3).astype(np.int64) for k in trees]

        found: list[tuple[float, int, Splitter]] = []
        sizes: tuple[int, ...] = _LEAVES
        for splitter in splitters:
            found.append((*self._choose_least(chosen, copies(splitter), splitter, sizes), splitter))
            # Random thresholds want leaves of about the same size, or smaller ones.
            sizes = _LEAVES[max(_LEAVES.index(found[-1][1]) - 1, 0) :]
        _, least, splitter = min(found, key=lambda each: each[0])
        return splitter, least

    def _choose_least(
        self, growing: _Growing, copies: Any, splitter: Splitter, sizes: tuple[int, ...]
    ) -> tuple[float, int]:
        """Return the least error with one kind of thresholds, and the size of leaves with it.

        It begins with the largest leaves, which are the fastest, and stops where two smaller ones
        are worse.
        """
        n = len(growing.X)
        seen = np.array(copies).T > 0
        signs, best, least, worse = growing.signs, np.inf, _LEAVES[-1], 0
        for size in sizes:
            # With leaves of half the cases there would be no split.
            if size > _LEAVES[-1] and 2 * size > n:
                continue
            self._say(f"trying leaves of at least {size} cases, {splitter} thresholds")
            trees = self._grow(growing, copies, range(len(copies)), splitter, size)
            votes = trees.vote(growing.X, self.n_jobs, seen)
            wrong = np.abs(signs) * np.abs(signs - np.sign(votes))
            error = float((growing.weight[:, None] * wrong).sum())
            if error <= best:
                best, least, worse = error, size, 0
            else:
                worse += 1
                if worse == _PATIENCE:
                    break
        return best, least

    def _vote(self, X: Float) -> Float:
        return self._trees.vote(X, self.n_jobs)

    def _decision(self) -> Aggregation:
        return self.forest_aggregation
