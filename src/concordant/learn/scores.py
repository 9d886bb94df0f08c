"""Models that give each label a score, fitted to label pairs by logistic loss.

The score of the labels is s(x) = φ(x)·W + b; label a is before b with probability
1 / (1 + exp(s_b - s_a)). φ is linear, or comes from a kernel by Nyström's method. The penalty
λ and the width g of the kernel are chosen by cross-validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize

from concordant._kernels import score_loss
from concordant._types import Float, Int64
from concordant.learn.targets import pairs_of

Kind = Literal["linear", "matern", "additive"]
# The widths to try for each kernel.
WIDTHS: dict[str, tuple[float, ...]] = {
    "linear": (1.0,),
    "matern": (0.3, 1.0),
    "additive": (0.1, 0.5),
}
PENALTIES = 10.0 ** np.arange(-1, -6.75, -0.5)
# The search ends after this number of weaker penalties without an improvement.
_PATIENCE = 2
# The rounds of L-BFGS, and the relative change of the loss that ends it. Along the path each fit
# starts from the one before; the last fit is longer.
_SHORT, LONG = (40, 1e-6), (200, 1e-7)


# -- features --------------------------------------------------------------------------------


def _distances(A: Float, B: Float) -> Float:
    squares = (A**2).sum(1)[:, None] + (B**2).sum(1)[None, :] - 2 * A @ B.T
    distances: Float = np.sqrt(np.maximum(squares, 0))
    return distances


def _matern(A: Float, B: Float, g: float) -> Float:
    """Return the Matérn kernel of smoothness 3/2; distances are per root of the dimension."""
    r = np.sqrt(3) * g * _distances(A, B) / np.sqrt(A.shape[1])
    k: Float = (1 + r) * np.exp(-r)
    return k


def _additive(A: Float, B: Float, g: float) -> Float:
    """Return the mean over features of exp(-g·(a - b)²)."""
    total = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        total += np.exp(-g * (a[:, None] - b[None, :]) ** 2)
    k: Float = total / A.shape[1]
    return k


_KERNELS: dict[str, Callable[[Float, Float, float], Float]] = {
    "matern": _matern,
    "additive": _additive,
}


class FeatureMap:
    """The features φ: the given ones, or those of a kernel on some of the cases (Nyström).

    Example:
        >>> X = np.linspace(-1, 1, 5)[:, None]
        >>> phi = FeatureMap("additive", 0.5, X).transform(X)
        >>> bool(np.allclose(phi @ phi.T, np.exp(-0.5 * (X - X.T) ** 2)))
        True
    """

    def __init__(self, kind: Kind, g: float, landmarks: Float) -> None:
        self.kind, self.g = kind, g
        if kind == "linear":
            return
        self.landmarks = landmarks
        values, vectors = eigh(_KERNELS[kind](landmarks, landmarks, g))
        # Directions below the rounding error are only noise.
        kept = values > values[-1] * 1e-10
        self._projection = vectors[:, kept] / np.sqrt(values[kept])

    def transform(self, X: Float) -> Float:
        """Return φ of each case."""
        if self.kind == "linear":
            return X
        phi: Float = _KERNELS[self.kind](X, self.landmarks, self.g) @ self._projection
        return phi


# -- logistic loss on pairs ------------------------------------------------------------------


class ScoreLoss:
    """The mean log-loss of label scores on the pairs of labels that cases order.

    Args:
        ranks: The rank of each label in each case, NaN where not known.
        weight: The weight of each case.
        one: The weight that counts as one case; the mean weight by default.

    Example:
        >>> loss = ScoreLoss(np.array([[1.0, 2.0]]), np.ones(1))
        >>> round(loss.of(np.array([[0.0, 0.0]])), 3)
        0.693
    """

    def __init__(self, ranks: Float, weight: Float, one: float | None = None) -> None:
        n, m = ranks.shape
        # NaN is sorted to the end.
        orders = np.argsort(ranks, axis=1, kind="stable")
        ordered = np.take_along_axis(ranks, orders, axis=1)
        # The first place behind each place: where the run of equal ranks ends.
        later = np.full((n, m), m, np.int64)
        for p in range(m - 2, -1, -1):
            later[:, p] = np.where(ordered[:, p] == ordered[:, p + 1], later[:, p + 1], p + 1)
        unranked = np.isnan(ordered)
        later[unranked] = m
        orders[unranked] = -1
        self._orders, self._later = orders.astype(np.int32), later.astype(np.int32)
        self._weight = weight / (weight.sum() * (m * (m - 1) // 2))
        # A label that few cases rank would get an infinite score without a penalty on b.
        self._prior = (1 / n if one is None else one / weight.sum()) / (m * (m - 1) // 2)

    def of(self, scores: Float) -> float:
        """Return the loss of the scores of all cases; unknown pairs count 0."""
        return self.with_gradient(scores)[0]

    def with_gradient(self, scores: Float) -> tuple[float, Float]:
        """Return the loss and its derivative with respect to each score."""
        slopes = np.empty_like(scores)
        found = score_loss.add_losses(scores, self._orders, self._later, self._weight, slopes)
        return float(found), slopes

    def fit(
        self,
        phi: Float,
        penalty: float,
        start: Float | None = None,
        until: tuple[int, float] = LONG,
    ) -> Float:
        """Return W, and b in its last row, that minimise the loss plus penalty/2·‖W‖².

        A penalty on b weighs as much as one pair of labels of one case.
        """
        shape = (phi.shape[1] + 1, self._orders.shape[1])

        def objective(theta: Float) -> tuple[float, Float]:
            W = theta.reshape(shape)
            loss, slopes = self.with_gradient(phi @ W[:-1] + W[-1])
            gradient = np.vstack(
                [phi.T @ slopes + penalty * W[:-1], slopes.sum(0) + self._prior * W[-1]]
            )
            size = penalty * (W[:-1] ** 2).sum() + self._prior * (W[-1] ** 2).sum()
            return loss + float(size) / 2, gradient.ravel()

        begin = np.zeros(shape) if start is None else start
        found = minimize(
            objective,
            begin.ravel(),
            jac=True,
            method="L-BFGS-B",
            options={"maxiter": until[0], "ftol": until[1], "gtol": 1e-7},
        )
        theta: Float = found.x.reshape(shape)
        return theta


# -- choice of the penalty and the width -----------------------------------------------------


@dataclass(frozen=True)
class ScoreModel:
    """A fitted model of label scores.

    Attributes:
        features: φ.
        theta: W, and b in the last row.
        penalty: The chosen λ.
    """

    features: FeatureMap
    theta: Float
    penalty: float

    def logits(self, X: Float) -> Float:
        """Return for each pair of labels the logit that the first is before the second."""
        return differences(self.features.transform(X) @ self.theta[:-1] + self.theta[-1])


def differences(scores: Float) -> Float:
    """Return for each pair of labels the score of the first minus that of the second.

    Example:
        >>> differences(np.array([[3.0, 2.0, 0.0]])).tolist()
        [[1.0, 3.0, 2.0]]
    """
    first, second = pairs_of(scores.shape[1])
    logits: Float = scores[:, first] - scores[:, second]
    return logits


@dataclass
class _Path:
    """The best penalty of a path of penalties."""

    loss: float
    penalty: float
    scores: Float


def _along_penalties(
    phi: Float, ranks: Float, weight: Float, folds: list[tuple[Int64, Int64]]
) -> _Path:
    """Fit all folds with weaker and weaker penalties; each fit starts from the one before."""
    losses = [ScoreLoss(ranks[train], weight[train]) for train, _ in folds]
    whole = ScoreLoss(ranks, weight)
    thetas: list[Float | None] = [None] * len(folds)
    best = _Path(np.inf, float(PENALTIES[0]), np.zeros_like(ranks))
    worse = 0
    for penalty in PENALTIES:
        scores = np.zeros_like(ranks)
        for k, (train, test) in enumerate(folds):
            theta = losses[k].fit(phi[train], penalty, thetas[k], _SHORT)
            thetas[k] = theta
            scores[test] = phi[test] @ theta[:-1] + theta[-1]
        loss = whole.of(scores)
        if loss < best.loss:
            best, worse = _Path(loss, float(penalty), scores), 0
        else:
            worse += 1
            if worse == _PATIENCE:
                break
    return best


def fit_scores(
    kind: Kind,
    X: Float,
    ranks: Float,
    weight: Float,
    folds: list[tuple[Int64, Int64]],
    landmarks: Int64,
) -> tuple[ScoreModel, Float]:
    """Fit a model of label scores, with the penalty and the width of least log-loss.

    Returns it, and the scores of the training cases, each by a model that did not see it.

    Args:
        kind: "linear", "matern" or "additive".
        X: Standardised features.
        ranks: The rank of each label in each case, NaN where not known.
        weight: The weight of each case.
        folds: The training cases and the test cases; each case is a test case once.
        landmarks: The cases that the kernels compare others with.
    """

    def paths() -> Iterator[tuple[FeatureMap, Float, _Path]]:
        for g in WIDTHS[kind]:
            features = FeatureMap(kind, g, X[landmarks])
            phi = features.transform(X)
            yield features, phi, _along_penalties(phi, ranks, weight, folds)

    features, phi, path = min(paths(), key=lambda found: found[2].loss)
    theta = ScoreLoss(ranks, weight).fit(phi, path.penalty)
    return ScoreModel(features, theta, path.penalty), path.scores
