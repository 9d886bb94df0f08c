"""Trees grown on the ranks of the labels, whose leaves remember their training cases.

One output for each label is enough to find splits; an output for each pair of labels, stored in
every leaf, would take memory that grows with the square of the labels. The vote on a pair is the
mean sign over the cases of a leaf that order the pair. Cases that do not order it count nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from joblib import Parallel, delayed, effective_n_jobs

from concordant._kernels import case_trees
from concordant._types import Float, Int64
from concordant.learn.targets import pair_signs

# Trees that are grown at a time: their outputs at each node are dropped before the next ones.
_BATCH = 25
# The number of cases that one task of a prediction handles.
_CHUNK = 64


def spread_ranks(ranks: Float) -> Float:
    """Spread the ranks of cases that rank fewer labels over all places (extended Borda rule).

    Example:
        >>> spread_ranks(np.array([[1.0, 2.0, np.nan]])).round(2).tolist()
        [[1.33, 2.67, nan]]
    """
    ranked = (~np.isnan(ranks)).sum(1, keepdims=True)
    spread: Float = ranks * (ranks.shape[1] + 1) / (ranked + 1)
    return spread


def rank_targets(ranks: Float) -> Float:
    """Return spread ranks as targets for trees: unranked labels count as their column's mean.

    Example:
        >>> rank_targets(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, np.nan]])).round(2).tolist()
        [[1.0, 2.0, 3.0], [1.33, 2.67, 3.0]]
    """
    spread = spread_ranks(ranks)
    means = np.nanmean(spread, axis=0)
    targets: Float = np.where(np.isnan(spread), means, spread)
    return targets


class CaseTrees:
    """Trees with the training cases of each node.

    Args:
        make: Returns an unfitted forest of scikit-learn, given the number of trees and a seed.
        count: The number of trees.
        X: The features of the training cases.
        ranks: The ranks of the labels, NaN for labels that are not ranked.
        weight: The weights of the cases.
        rng: A random state.
    """

    def __init__(
        self,
        make: Callable[[int, int], Any],
        count: int,
        X: Float,
        ranks: Float,
        weight: Float,
        rng: Any,
    ) -> None:
        self.signs = pair_signs(ranks).astype(np.int8)
        self.least = 2
        X32 = np.ascontiguousarray(X, np.float32)
        targets = rank_targets(ranks)
        kept: list[tuple[Any, ...]] = []
        bags = []
        for done in range(0, count, _BATCH):
            n_trees = min(_BATCH, count - done)
            forest = make(n_trees, rng.randint(2**31))
            forest.fit(X32, targets, sample_weight=weight)
            for tree, sample in zip(forest.estimators_, _samples(forest, len(X)), strict=True):
                kept.append(_arrays(tree.tree_, X32, sample, weight))
                bags.append(sample > 0)
        self.bag = np.array(bags).T
        sizes = [each[0].size for each in kept]
        entries = [each[5].size for each in kept]
        columns = [np.concatenate(each) for each in zip(*kept, strict=True)]
        self._trees = (
            *columns[:5],
            np.cumsum([0, *sizes[:-1]]),
            np.cumsum([0, *entries[:-1]]),
            *columns[5:],
        )

    def forget_bags(self) -> None:
        """Drop what only out-of-bag votes need."""
        self.bag = np.zeros((0, 0), np.bool_)

    def votes(self, X: Float, n_jobs: int | None = None, least: int | None = None) -> Float:
        """Return the vote on each pair for each case: 0 where no leaf knows."""
        return self._count(X, np.zeros((0, 0), np.bool_), least, n_jobs)

    def out_of_bag(self, X: Float, some: Int64, least: int, n_jobs: int | None = None) -> Float:
        """Return the votes on some of the training cases by the trees that have not seen them."""
        return self._count(X[some], self.bag[some], least, n_jobs)

    def _count(self, X: Float, bag: Any, least: int | None, n_jobs: int | None) -> Float:
        X32 = np.ascontiguousarray(X, np.float32)
        votes = np.zeros((len(X), self.signs.shape[1]), np.float32)
        known = np.zeros_like(votes)
        jobs = effective_n_jobs(n_jobs)
        step = max(_CHUNK, -(-len(X) // jobs))
        with Parallel(
            n_jobs=min(jobs, max(1, -(-len(X) // step))), require="sharedmem"
        ) as parallel:
            parallel(
                delayed(case_trees.add_votes)(
                    X32[at : at + step],
                    self._trees,
                    self.least if least is None else least,
                    bag[at : at + step],
                    self.signs,
                    votes[at : at + step],
                    known[at : at + step],
                )
                for at in range(0, len(X), step)
            )
        return np.divide(votes, known, out=np.zeros(votes.shape), where=known > 0)


def _samples(forest: Any, n: int) -> list[Any]:
    """Return how often each tree has drawn each case."""
    if not forest.bootstrap:
        return [np.ones(n, np.int64)] * len(forest.estimators_)
    return [np.bincount(drawn, minlength=n) for drawn in forest.estimators_samples_]


def _arrays(tree: Any, X: Any, sample: Any, weight: Float) -> tuple[Any, ...]:
    """Return feature, threshold, right child, first and last entry of nodes; cases and weights."""
    drawn = np.flatnonzero(sample)
    leaves = tree.apply(X[drawn])
    order = np.argsort(leaves, kind="stable")
    leaves = leaves[order]
    nodes = np.arange(tree.node_count)
    start = np.searchsorted(leaves, nodes)
    # The subtree of a node ends where the next node that is not below it begins.
    after = nodes + 1
    for node in nodes[::-1]:
        if tree.children_right[node] >= 0:
            after[node] = after[tree.children_right[node]]
    end = np.searchsorted(leaves, after)
    is_leaf = tree.children_left < 0
    cases = drawn[order]
    return (
        np.where(is_leaf, case_trees.LEAF, tree.feature).astype(np.int32),
        tree.threshold.astype(np.float64),
        tree.children_right.astype(np.int32),
        start.astype(np.int32),
        end.astype(np.int32),
        cases.astype(np.int32),
        (sample * weight)[cases].astype(np.float32),
    )
