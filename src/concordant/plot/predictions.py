"""Plots of label rankers: how right the pairs are that a model is sure of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from concordant.formatting import counted
from concordant.plot.drawing import (
    BLUE,
    GREY,
    LABEL,
    ORANGE,
    SKY,
    axes_or_new,
    heading,
    nothing_to_show,
    tidy,
)

if TYPE_CHECKING:
    from concordant._types import Float, Int64

# The confidences that are written beside the curve.
_NAMED = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)


class Curve(Protocol):
    """What `concordant.learn.partial_curve` returns."""

    @property
    def confidence(self) -> Float:
        """The least confidence."""

    @property
    def completeness(self) -> Float:
        """The share of the pairs that are predicted."""

    @property
    def correctness(self) -> Float:
        """The share of right minus wrong ones among them."""


class Bins(Protocol):
    """What `concordant.learn.reliability` returns."""

    @property
    def predicted(self) -> Float:
        """The mean predicted probability of each bin."""

    @property
    def observed(self) -> Float:
        """The share of its pairs that are right."""

    @property
    def pairs(self) -> Int64:
        """The number of its pairs."""

    @property
    def error(self) -> float:
        """The expected calibration error."""


def partial_curve(curve: Curve, ax: Any = None) -> Any:
    """Draw the correctness of partial predictions against their completeness.

    Each point is a least confidence: the higher it is, the fewer pairs of labels are predicted, and
    the more of them are right.

    Args:
        curve: What `concordant.learn.partial_curve` returned.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.

    Example:
        >>> from concordant.learn import NeighboursRanker, partial_curve as curve_of
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [1, 2]]
        >>> partial_curve(curve_of(NeighboursRanker(3).fit(X, y), X, y)).get_xlabel()
        'completeness: share of the pairs that are predicted'
    """
    ax = axes_or_new(ax, 6.5, 4.2)
    confidence, complete, correct = (
        np.asarray(each, float)
        for each in (curve.confidence, curve.completeness, curve.correctness)
    )
    known = ~np.isnan(correct)
    if not known.any():
        return nothing_to_show(ax, "No pair of labels is predicted.")
    confidence, complete, correct = confidence[known], complete[known], correct[known]
    ax.plot(complete, correct, color=BLUE, linewidth=2, marker="o", markersize=4)
    low, high = float(correct.min()), float(correct.max())
    room = max(0.06 * (high - low), 0.01)
    ax.set_ylim(low - 2 * room, min(high, 1.0) + 2 * room)
    ax.set_xlim(1.04, -0.04)
    written: list[tuple[float, float]] = []
    for level in _NAMED:
        [places] = np.nonzero(np.isclose(confidence, level))
        if not places.size:
            continue
        at = ax.transData.transform((complete[places[0]], correct[places[0]]))
        # A name that would lie on another one is left out.
        if any(abs(at[0] - x) < 28 and abs(at[1] - y) < 14 for x, y in written):
            continue
        written.append((float(at[0]), float(at[1])))
        ax.annotate(
            f"{level:g}",
            (complete[places[0]], correct[places[0]]),
            xytext=(5, -4),
            textcoords="offset points",
            ha="left",
            va="top",
            fontsize=LABEL,
        )
    _percents(ax.xaxis)
    ax.set_xlabel("completeness: share of the pairs that are predicted", fontsize=9)
    ax.set_ylabel("correctness (Kendall's tau)", fontsize=9)
    heading(
        ax,
        "What a model is sure of, and how right it is",
        "Numbers at the curve: the least probability of a pair that is predicted.",
    )
    tidy(ax, "both")
    return ax


def reliability(found: Bins, ax: Any = None) -> Any:
    """Draw how often pairs of labels are right, against their predicted probability.

    On the diagonal, probabilities are what they say. Below it, the model is too sure. The area of a
    point shows how many pairs it stands for.

    Args:
        found: What `concordant.learn.reliability` returned.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.

    Example:
        >>> from concordant.learn import NeighboursRanker, reliability as reliability_of
        >>> X, y = [[0.0], [1.0], [2.0], [3.0]], [[1, 2], [1, 2], [2, 1], [1, 2]]
        >>> reliability(reliability_of(NeighboursRanker(3).fit(X, y), X, y)).get_ylabel()
        'share of the pairs that are right'
    """
    ax = axes_or_new(ax, 5.2, 4.8)
    predicted, observed, pairs = (
        np.asarray(each, float) for each in (found.predicted, found.observed, found.pairs)
    )
    low = min(0.5, float(observed.min(initial=0.5)))
    ax.plot([0.5, 1], [0.5, 1], color=GREY, linewidth=1, linestyle="--", zorder=1)
    ax.vlines(predicted, predicted, observed, color=ORANGE, linewidth=1.6, zorder=2)
    ax.plot(predicted, observed, color=SKY, linewidth=1.2, zorder=2)
    ax.scatter(
        predicted,
        observed,
        s=14 + 120 * pairs / max(pairs.max(initial=1), 1),
        color=BLUE,
        edgecolor="white",
        linewidth=0.8,
        zorder=3,
    )
    ax.set_xlim(0.48, 1.02)
    ax.set_ylim(low - 0.02, 1.02)
    for axis in (ax.xaxis, ax.yaxis):
        _percents(axis)
    ax.set_xlabel("predicted probability of the more likely order", fontsize=9)
    ax.set_ylabel("share of the pairs that are right", fontsize=9)
    heading(
        ax,
        f"Pair probabilities are off by {found.error:.3f} on average",
        f"{counted(int(pairs.sum()), 'pair')} of labels; a larger point has more. "
        "Below the diagonal, the model is too sure.",
    )
    tidy(ax, "both")
    return ax


def _percents(axis: Any) -> None:
    from matplotlib.ticker import PercentFormatter

    axis.set_major_formatter(PercentFormatter(1.0, decimals=0))
