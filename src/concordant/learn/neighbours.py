"""Label ranking by the consensus of the nearest cases' rankings.

Cheng, Hühn and Hüllermeier (2009) take the centre of a Mallows model of the neighbours, which is
their Kemeny order. The Plackett–Luce model is after Cheng, Dembczyński and Hüllermeier (2010).
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from sklearn.neighbors import NearestNeighbors

from concordant._checks import at_least, one_of
from concordant._types import Float
from concordant.learn.base import BaseLabelRanker
from concordant.learn.consensus import Aggregation
from concordant.learn.scaling import Scaling
from concordant.learn.targets import pair_signs, pairs_of

Model = Literal["kemeny", "borda", "plackett-luce"]
_MODELS = ("kemeny", "borda", "plackett-luce")
_WEIGHTS = ("uniform", "distance")
# The numbers of neighbours to choose from.
_NEIGHBOURS = (5, 10, 20, 40)
# The number of rounds of minorisation and maximisation for the Plackett–Luce model.
_ROUNDS = 100


class NeighboursRanker(BaseLabelRanker):
    """The consensus of the rankings of the nearest cases, in standardised features.

    Args:
        n_neighbors: The number of nearest cases. "auto" chooses it by the error on each training
            case of the votes of the others.
        model: How their rankings are aggregated: "kemeny", the order of least disagreement, which
            is also the centre of greatest likelihood of a Mallows model; "borda", by mean rank;
            "plackett-luce", by skills of greatest likelihood.
        weights: "uniform", "distance" (closer cases have more weight), or "auto", which is chosen
            together with the number.

    Attributes:
        n_neighbors_: The number of nearest cases that is used.
        weights_: The weights that are used.

    Example:
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [2, 1]]
        >>> NeighboursRanker(2).fit(X, y).predict([[0.5], [2.5]]).tolist()
        [[1, 2], [2, 1]]
    """

    def __init__(
        self,
        n_neighbors: int | Literal["auto"] = "auto",
        *,
        model: Model = "kemeny",
        weights: Literal["uniform", "distance", "auto"] = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.model = model
        self.weights = weights

    def _check_settings(self) -> None:
        if self.n_neighbors != "auto":
            at_least("n_neighbors", self.n_neighbors, 1)
        one_of("model", self.model, _MODELS)
        one_of("weights", self.weights, (*_WEIGHTS, "auto"))

    def _learn(self, X: Float, ranks: Float, weight: Float) -> None:
        self._scaling = Scaling(X, weight)
        self._ranks, self._weight, self._signs = ranks, weight, pair_signs(ranks)
        self._search = NearestNeighbors().fit(self._scaling.transform(X))
        self.n_neighbors_, self.weights_ = self._choose(X)

    def _choose(self, X: Float) -> tuple[int, str]:
        """Return the number and the weights whose votes on training cases err least."""
        n = len(X)
        given = _NEIGHBOURS if self.n_neighbors == "auto" else (self.n_neighbors,)
        numbers = tuple(dict.fromkeys(min(k, n) for k in given))
        kinds = _WEIGHTS if self.weights == "auto" else (self.weights,)
        if len(numbers) * len(kinds) == 1 or n < 3:
            return numbers[0], kinds[0]
        # Without an argument, no case is its own neighbour.
        most = min(max(numbers), n - 1)
        distances, cases = self._search.kneighbors(n_neighbors=most)
        known = np.abs(self._signs) * self._weight[:, None]
        best = (np.inf, numbers[0], kinds[0])
        for k in numbers:
            for kind in kinds:
                shares = self._shares(distances[:, :k], cases[:, :k], kind)
                votes = np.einsum("nk,nkq->nq", shares, self._signs[cases[:, :k]])
                error = float((known * (self._signs - votes) ** 2).sum())
                best = min(best, (error, k, kind))
        return best[1], best[2]

    def _shares(self, distances: Float, cases: Any, kind: str) -> Float:
        """Return the weights of neighbours, which sum to 1 for each case."""
        weight = self._weight[cases]
        if kind == "distance":
            same = distances == 0
            near = np.where(same.any(1, keepdims=True), same, 1 / np.where(same, 1, distances))
            weight = weight * near
        shares: Float = weight / weight.sum(1, keepdims=True)
        return shares

    def _vote(self, X: Float) -> Float:
        found = self._search.kneighbors(self._scaling.transform(X), self.n_neighbors_)
        distances, cases = found
        weight = self._shares(distances, cases, self.weights_)
        if self.model == "plackett-luce":
            skills = plackett_luce(self._ranks[cases], weight)
            first, second = pairs_of(self.n_labels_)
            total = skills[:, first] + skills[:, second]
            ratios: Float = (skills[:, first] - skills[:, second]) / total
            return ratios
        votes: Float = np.einsum("nk,nkq->nq", weight, self._signs[cases])
        return votes

    def _decision(self) -> Aggregation:
        return "borda" if self.model == "borda" else "exact"


def plackett_luce(ranks: Float, weight: Float) -> Float:
    """Return the maximum likelihood skills of the labels, for many small sets of rankings.

    The algorithm is Hunter's (2004) minorisation and maximisation, for all sets at once. Each
    label has one more comparison, with a label of skill 1, half won and half lost, so that skills
    stay finite. Each of several tied labels is a choice among all of them and those behind.

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
    places = np.take_along_axis(ranks, order, axis=2)
    ranked = ~np.isnan(places)
    # The first and the last position of each group of tied labels.
    ties = places[:, :, 1:] == places[:, :, :-1]
    at = np.broadcast_to(np.arange(m), places.shape)
    opens = np.concatenate([np.ones((n_sets, k, 1), np.bool_), ~ties], axis=2)
    closes = np.concatenate([~ties, np.ones((n_sets, k, 1), np.bool_)], axis=2)
    first = np.maximum.accumulate(np.where(opens, at, 0), axis=2)
    last = np.minimum.accumulate(np.where(closes, at, m - 1)[:, :, ::-1], axis=2)[:, :, ::-1]
    # A position is a choice if a ranked label is behind its group.
    choice = ranked & (last < ranked.sum(2, keepdims=True) - 1)
    prior = 1 / max(k, 1)
    wins = np.zeros((n_sets, m))
    sets = np.broadcast_to(np.arange(n_sets)[:, None, None], order.shape)
    np.add.at(wins, (sets, order), choice * weight[:, :, None])
    wins += prior / 2
    skills = np.ones((n_sets, m))
    for _ in range(_ROUNDS):
        each = np.where(ranked, skills[sets, order], 0)
        behind = np.cumsum(each[:, :, ::-1], axis=2)[:, :, ::-1]
        behind = np.take_along_axis(behind, first, axis=2)
        share = np.where(choice, weight[:, :, None] / np.where(behind > 0, behind, 1), 0)
        # A label is a candidate in every choice up to the end of its own group.
        exposed = np.take_along_axis(np.cumsum(share, axis=2), last, axis=2)
        exposed = np.where(ranked, exposed, 0)
        total = np.zeros((n_sets, m))
        np.add.at(total, (sets, order), exposed)
        following = wins / (total + prior / (1 + skills))
        following /= np.exp(np.log(following).mean(1, keepdims=True))
        change = np.abs(np.log(following / skills)).max()
        skills = following
        if change < 1e-9:
            break
    return skills
