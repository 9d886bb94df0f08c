"""Models that give each label a score, fitted to label pairs by logistic loss.

The score of the labels is s(x) = φ(x)·W + b; label a is before b with probability
1 / (1 + exp(s_b - s_a)). φ is linear, or comes from a kernel by Nyström's method. The penalty
λ and the width g of the kernel are chosen by cross-validation.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.linalg import eigh
from scipy.optimize import minimize

from concordant._types import Float, Int64
from concordant.learn.targets import n_labels_of, pairs_of

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


class PairLoss:
    """The log-loss of a model on the votes on label pairs.

    Args:
        signs: The signs of the label pairs of each case, 0 where not known.
        weight: The weight of each case.
    """

    def __init__(self, signs: Float, weight: Float) -> None:
        self.signs = signs
        self.n_labels = n_labels_of(signs.shape[1])
        first, second = pairs_of(self.n_labels)
        # Maps scores to differences of scores; its transpose maps gradients back.
        self.differences = np.zeros((self.n_labels, signs.shape[1]))
        self.differences[first, np.arange(first.size)] = 1
        self.differences[second, np.arange(first.size)] = -1
        self._weights = np.abs(signs) * (weight / (weight.sum() * signs.shape[1]))[:, None]

    def loss(self, logits: Float) -> float:
        """Return the mean log-loss of the logits of all pairs; unknown pairs count 0."""
        return self.with_gradient(logits)[0]

    def with_gradient(self, logits: Float) -> tuple[float, Float]:
        """Return the loss and its derivative with respect to each logit."""
        margins = self.signs * logits
        # One exponential is used for both, and it cannot overflow.
        small = np.exp(-np.abs(margins))
        losses = np.log1p(small) + np.maximum(-margins, 0)
        wrong = np.where(margins >= 0, small, 1) / (1 + small)
        return float((self._weights * losses).sum()), -self._weights * self.signs * wrong

    def fit(
        self,
        phi: Float,
        penalty: float,
        start: Float | None = None,
        until: tuple[int, float] = LONG,
    ) -> Float:
        """Return W, and b in its last row, that minimise the loss plus penalty/2·‖W‖²."""
        shape = (phi.shape[1] + 1, self.n_labels)

        def objective(theta: Float) -> tuple[float, Float]:
            W = theta.reshape(shape)
            logits = (phi @ W[:-1] + W[-1]) @ self.differences
            loss, slope = self.with_gradient(logits)
            slopes = slope @ self.differences.T
            gradient = np.vstack([phi.T @ slopes + penalty * W[:-1], slopes.sum(0)])
            return loss + penalty / 2 * float((W[:-1] ** 2).sum()), gradient.ravel()

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
        out_of_fold: The logits of the training cases, each by a model that did not see it.
    """

    features: FeatureMap
    theta: Float
    penalty: float
    out_of_fold: Float

    def logits(self, X: Float) -> Float:
        """Return for each pair of labels the logit that the first is before the second."""
        first, second = pairs_of(self.theta.shape[1])
        scores = self.features.transform(X) @ self.theta[:-1] + self.theta[-1]
        logits: Float = scores[:, first] - scores[:, second]
        return logits


@dataclass
class _Path:
    """The best penalty of a path of penalties."""

    loss: float
    penalty: float
    logits: Float


def _along_penalties(phi: Float, pairs: Any, folds: list[tuple[Int64, Int64]]) -> _Path:
    """Fit all folds with weaker and weaker penalties; each fit starts from the one before."""
    signs, weight = pairs
    losses = [PairLoss(signs[train], weight[train]) for train, _ in folds]
    whole = PairLoss(signs, weight)
    thetas: list[Float | None] = [None] * len(folds)
    best = _Path(np.inf, float(PENALTIES[0]), np.zeros_like(signs))
    worse = 0
    for penalty in PENALTIES:
        logits = np.zeros_like(signs)
        for k, (train, test) in enumerate(folds):
            theta = losses[k].fit(phi[train], penalty, thetas[k], _SHORT)
            thetas[k] = theta
            logits[test] = (phi[test] @ theta[:-1] + theta[-1]) @ whole.differences
        loss = whole.loss(logits)
        if loss < best.loss:
            best, worse = _Path(loss, float(penalty), logits), 0
        else:
            worse += 1
            if worse == _PATIENCE:
                break
    return best


def fit_scores(
    kind: Kind,
    X: Float,
    signs: Float,
    weight: Float,
    folds: list[tuple[Int64, Int64]],
    landmarks: Int64,
) -> ScoreModel:
    """Fit a model of label scores, with the penalty and the width of least log-loss.

    Args:
        kind: "linear", "matern" or "additive".
        X: Standardised features.
        signs: The signs of the label pairs of each case.
        weight: The weight of each case.
        folds: The training cases and the test cases; each case is a test case once.
        landmarks: The cases that the kernels compare others with.
    """

    def paths() -> Iterator[tuple[FeatureMap, Float, _Path]]:
        for g in WIDTHS[kind]:
            features = FeatureMap(kind, g, X[landmarks])
            phi = features.transform(X)
            yield features, phi, _along_penalties(phi, (signs, weight), folds)

    features, phi, path = min(paths(), key=lambda found: found[2].loss)
    theta = PairLoss(signs, weight).fit(phi, path.penalty)
    return ScoreModel(features, theta, path.penalty, path.logits)
