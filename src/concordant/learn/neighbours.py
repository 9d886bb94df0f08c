"""Label ranking by the consensus of the nearest cases' rankings.

The Mallows model is after Cheng, Hühn and Hüllermeier (2009), the Plackett–Luce model after Cheng,
Dembczyński and Hüllermeier (2010).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.neighbors import NearestNeighbors

from concordant._checks import at_least, one_of
from concordant._types import Float
from concordant.learn.base import BaseLabelRanker
from concordant.learn.consensus import Aggregation, consensus_orders
from concordant.learn.scaling import Scaling
from concordant.learn.targets import pair_signs, pairs_of

Model = Literal["kemeny", "borda", "mallows", "plackett-luce"]
_MODELS = ("kemeny", "borda", "mallows", "plackett-luce")
# The number of rounds of minorisation and maximisation for the Plackett–Luce model.
_ROUNDS = 100


class NeighboursRanker(BaseLabelRanker):
    """The consensus of the rankings of the nearest cases, in standardised features.

    Args:
        n_neighbors: The number of nearest cases.
        model: How their rankings are aggregated: "kemeny", the order of least disagreement;
            "borda", by mean rank; "mallows", the centre of greatest likelihood, which is the
            Kemeny order of the rankings, with labels that they leave out placed as in the
            centre; "plackett-luce", by skills of greatest likelihood.
        weights: "uniform", or "distance": closer cases have more weight.

    Example:
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [2, 1]]
        >>> NeighboursRanker(2).fit(X, y).predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
    """

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        model: Model = "kemeny",
        weights: Literal["uniform", "distance"] = "uniform",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.model = model
        self.weights = weights

    def _check_settings(self) -> None:
        at_least("n_neighbors", self.n_neighbors, 1)
        one_of("model", self.model, _MODELS)
        one_of("weights", self.weights, ("uniform", "distance"))

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        self._scaling = Scaling(X, weight)
        self._ranks, self._weight, self._signs = ranks, weight, pair_signs(ranks)
        k = min(self.n_neighbors, len(X))
        self._search = NearestNeighbors(n_neighbors=k).fit(self._scaling.transform(X))

    def _neighbours(self, X: Float) -> tuple[Any, Float]:
        """Return the nearest cases of each case, and their weights, which sum to 1."""
        distances, cases = self._search.kneighbors(self._scaling.transform(X))
        weight = self._weight[cases]
        if self.weights == "distance":
            same = distances == 0
            near = np.where(same.any(1, keepdims=True), same, 1 / np.where(same, 1, distances))
            weight = weight * near
        shares: Float = weight / weight.sum(1, keepdims=True)
        return cases, shares

    def _vote(self, X: Float) -> Float:
        cases, weight = self._neighbours(X)
        votes: Float = np.einsum("nk,nkq->nq", weight, self._signs[cases])
        if self.model == "mallows":
            votes = self._complete(votes, cases, weight)
        elif self.model == "plackett-luce":
            skills = plackett_luce(self._ranks[cases], weight)
            first, second = pairs_of(self.n_labels_)
            total = skills[:, first] + skills[:, second]
            votes = (skills[:, first] - skills[:, second]) / total
        return votes

    def _complete(self, votes: Float, cases: Any, weight: Float) -> Float:
        """Order the pairs that neighbours leave open as in the centre, until it is stable."""
        signs = self._signs[cases]
        missing = np.einsum("nk,nkq->nq", weight, (signs == 0).astype(np.float64))
        centre = pair_signs(consensus_orders(votes).ranks.astype(np.float64))
        for _ in range(10):
            filled = votes + missing * centre
            following = pair_signs(consensus_orders(filled).ranks.astype(np.float64))
            if (following == centre).all():
                break
            centre = following
        done: Float = votes + missing * centre
        return done

    def _decision(self) -> Aggregation:
        return "borda" if self.model == "borda" else "exact"


def plackett_luce(ranks: Float, weight: Float) -> Float:
    """Return the maximum likelihood skills of the labels, for many small sets of rankings.

    The algorithm is Hunter's (2004) minorisation and maximisation, for all sets at once. Each
    label has one more comparison, with a label of skill 1, half won and half lost, so that skills
    stay finite. Tied labels are taken in the order of their numbers.

    Args:
        ranks: Sets × rankings × labels: the rank of each label, NaN if it is not ranked.
        weight: Sets × rankings: the weight of each ranking; those of a set sum to 1.

    Example:
        >>> skills = plackett_luce(np.array([[[1.0, 2, 3], [2, 1, 3]]]), np.array([[0.5, 0.5]]))
        >>> skills[0].argmin(), bool(np.isclose(skills[0, 0], skills[0, 1]))
        (np.int64(2), True)
    """
    n_sets, k, m = ranks.shape
    order = np.argsort(np.where(np.isnan(ranks), np.inf, ranks), axis=2, kind="stable")
    ranked = np.take_along_axis(~np.isnan(ranks), order, axis=2)
    # Each position but the last is a choice among its label and those behind it.
    choice = ranked & (np.arange(m) < ranked.sum(2, keepdims=True) - 1)
    prior = 1 / max(k, 1)
    wins = np.zeros((n_sets, m))
    sets = np.broadcast_to(np.arange(n_sets)[:, None, None], order.shape)
    np.add.at(wins, (sets, order), choice * weight[:, :, None])
    wins += prior / 2
    skills = np.ones((n_sets, m))
    for _ in range(_ROUNDS):
        each = np.where(ranked, skills[sets, order], 0)
        behind = np.cumsum(each[:, :, ::-1], axis=2)[:, :, ::-1]
        share = np.where(choice, weight[:, :, None] / np.where(behind > 0, behind, 1), 0)
        # A label is a candidate in every choice up to its own position.
        exposed = np.where(ranked, np.cumsum(share, axis=2), 0)
        total = np.zeros((n_sets, m))
        np.add.at(total, (sets, order), exposed)
        following = wins / (total + prior / (1 + skills))
        following /= np.exp(np.log(following).mean(1, keepdims=True))
        change = np.abs(np.log(following / skills)).max()
        skills = following
        if change < 1e-9:
            break
    return skills
