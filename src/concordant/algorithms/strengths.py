"""`bradley-terry`: the strengths under which the outcomes of all pairs are most likely."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._checks import at_least, between
from concordant._types import Int64
from concordant.algorithms.scoring import TieSettings, counted_in_time, numbering
from concordant.pairwise import Pairwise
from concordant.reduction.split import components_of_margins
from concordant.running import Run

Float = npt.NDArray[np.float64]
# Up to this many items, Newton's method is used, which also gives the intervals.
_NEWTON = 1_000
# Two-sided 95 % of a normal distribution.
DEVIATIONS = 1.959964


@dataclass(frozen=True, slots=True)
class BradleyTerrySettings(TieSettings):
    """Settings of `bradley-terry`.

    Attributes:
        prior: The weight of a draw of each item against an item of mean strength, which is added.
            With 0, an item that never loses has an infinite strength: groups that the data does
            not connect in both directions are ranked one after the other. With 0.1, all
            strengths are finite.
        tolerance: The run ends when no logarithm of a strength changes by more than this.
        max_rounds: The largest number of rounds.
    """

    prior: float = 0.0
    tolerance: float = 1e-10
    max_rounds: int = 1000

    def __post_init__(self) -> None:
        TieSettings.__post_init__(self)
        between("prior", self.prior, 0, 1e6)
        between("tolerance", self.tolerance, 1e-14, 1)
        at_least("max_rounds", self.max_rounds, 1)


def bradley_terry(run: Run, settings: BradleyTerrySettings) -> None:
    """Sort by the strengths of a Bradley–Terry model (Bradley and Terry 1952).

    The probability that a is before b is p_a / (p_a + p_b). If rankings tie pairs, it is that of
    Davidson (1970): a before b, a tie, and b before a have probabilities proportional to p_a,
    v √(p_a p_b) and p_b. Every pair of every ranking counts as one outcome.

    `details` of the result has the logarithms of the strengths, `scores`, in the order of the
    ranking and, without a prior, with a mean of 0 in each of the `groups`; their 95 % intervals
    `low` and `high` from the curvature of the likelihood, which hold if the outcomes are
    independent (None for a group of one item); and `tie`, the v.
    Between groups, strengths are infinitely apart: no outcome puts an item of one group behind
    an item of a later group. The setting `prior` makes all strengths finite. With more than
    1,000 items there are no intervals, and the MM algorithm (Hunter 2004) finds the strengths.
    """
    if not counted_in_time(run):
        return
    wins = run.pairwise.counts / run.pairwise.scale
    wins = wins - min(0.0, float(wins.min(initial=0)))
    np.fill_diagonal(wins, 0)
    ties = np.zeros_like(wins)
    if run.rankings is not None and run.rankings.has_ranked_ties:
        tied = Pairwise.from_rankings(run.rankings).tied
        assert tied is not None
        ties = tied / run.rankings.scale
    parts = [np.arange(run.n_items)]
    if not settings.prior:
        parts = connected(wins + ties)
    numbers = numbering(run, settings)
    number = np.empty_like(numbers)
    number[numbers] = np.arange(numbers.size)
    tie = _tie_strength(wins, ties)
    order: list[Int64] = []
    scores: list[float] = []
    low: list[float | None] = []
    high: list[float | None] = []
    for part in parts:
        model = _Model(wins[np.ix_(part, part)], ties[np.ix_(part, part)], settings.prior)
        start = None if run.near is None else run.near[part]
        logs, errors, tie = model.fit(run, settings, tie, start)
        best_first = np.lexsort((number[part], -np.round(logs, 10)))
        order.append(part[best_first])
        scores += logs[best_first].tolist()
        if errors is None:
            low += [None] * part.size
            high += [None] * part.size
        else:
            low += (logs - DEVIATIONS * errors)[best_first].tolist()
            high += (logs + DEVIATIONS * errors)[best_first].tolist()
    run.improve(np.concatenate(order))
    run.details = {"scores": scores, "groups": [int(part.size) for part in parts]}
    run.details |= {"low": low, "high": high}
    if ties.any():
        run.details["tie"] = float(np.exp(tie))


def connected(points: Float) -> list[Int64]:
    """Return the groups of items whose strengths are infinitely apart, the strongest first.

    Args:
        points: Entry [a, b] is positive if a has won or tied against b.

    Example:
        >>> [part.tolist() for part in connected(np.array([[0, 1, 0], [1, 0, 1], [0, 0, 0.0]]))]
        [[0, 1], [2]]
    """
    m = points.shape[0]
    reached = (points > 0) | np.eye(m, dtype=bool)
    for _ in range(m.bit_length() if m <= _NEWTON else 0):
        if reached.all():
            return [np.arange(m)]
        reached = reached.astype(np.float32) @ reached.astype(np.float32) > 0
    return components_of_margins(np.where(points > 0, -1, 0).astype(np.int32))


def _tie_strength(wins: Float, ties: Float) -> float:
    """Return the logarithm of v for items of equal strength: where the search begins."""
    strict, tied = wins.sum(), ties.sum() / 2
    return float(np.log(2 * tied / strict)) if tied and strict else 0.0


def standard_errors(curvature: Float, m: int, *, is_free: bool) -> Float:
    """Return the standard errors of m log strengths from the curvature of the likelihood.

    Args:
        curvature: The negative second derivatives. Further rows belong to other parameters.
        m: The number of strengths.
        is_free: Whether all strengths may grow together at no cost. Then the errors are those of
            the strengths minus their mean.

    Example:
        >>> standard_errors(np.array([[8.0, -8.0], [-8.0, 8.0]]), 2, is_free=True)
        array([0.1767767, 0.1767767])
    """
    shift = np.zeros(curvature.shape)
    if is_free:
        shift[:m, :m] = 1 / m
    scale = max(1e-12, float(np.trace(curvature[:m, :m])) / m)
    try:
        inverse: npt.NDArray[Any] = np.linalg.inv(curvature + scale * shift) - shift / scale
    except np.linalg.LinAlgError:
        inverse = np.linalg.pinv(curvature, hermitian=True)
    return np.asarray(np.sqrt(np.maximum(np.diag(inverse)[:m], 0)), np.float64)


class _Model:
    """The likelihood of the outcomes of some items.

    Args:
        wins: wins[a, b] is the weight of a before b.
        ties: The weight of ties; symmetric.
        prior: The weight of a draw of each item against an item of mean strength.
    """

    def __init__(self, wins: Float, ties: Float, prior: float) -> None:
        self.wins, self.ties, self.prior = wins, ties, prior
        self.met = wins + wins.T + ties
        self.points = wins.sum(axis=1) + ties.sum(axis=1) / 2
        self.n_tied = float(ties.sum() / 2)

    def fit(
        self, run: Run, settings: BradleyTerrySettings, tie: float, start: Float | None
    ) -> tuple[Float, Float | None, float]:
        """Return log strengths with mean 0, their standard errors, and the logarithm of v.

        The search begins with the log strengths `start`; then there are no standard errors.
        """
        m = self.points.size
        if m == 1 and not self.prior:
            return np.zeros(1), None, tie
        if m > _NEWTON:
            return *self._by_mm(run, settings, tie), tie
        logs: Float = np.zeros(m)
        if start is not None:
            logs = np.asarray(start - start.mean(), np.float64)
        # Without ties v is 0, and it is not fitted.
        tie = tie if self.n_tied else -np.inf
        for _ in range(settings.max_rounds):
            gradient, curvature = self._slope(logs, tie)
            step = self._solve(curvature, gradient)
            # Newton's step may go too far: halve it until the likelihood does not fall.
            value, size = self._value(logs, tie), 1.0
            while size > 1e-6:
                next_logs = logs + size * step[:m]
                next_tie = tie + size * step[m] if self.n_tied else tie
                if self._value(next_logs, next_tie) >= value - 1e-12 * abs(value):
                    break
                size /= 2
            change = np.abs(next_logs - logs).max()
            # A prior determines the level of all strengths.
            logs, tie = next_logs - (0.0 if self.prior else next_logs.mean()), next_tie
            run.iterations += 1
            if change <= settings.tolerance or run.stop():
                break
        errors = None
        if start is None:
            curvature = self._slope(logs, tie)[1]
            errors = standard_errors(curvature, m, is_free=not self.prior)
        return logs, errors, tie if self.n_tied else 0.0

    def _value(self, logs: Float, tie: float) -> float:
        """Return the logarithm of the likelihood."""
        middle = (logs[:, None] + logs[None, :]) / 2
        ahead = logs[:, None] - middle
        total = np.log(np.exp(ahead) + np.exp(-ahead) + np.exp(tie)) + middle
        value = self.points @ logs - (self.met * total).sum() / 2
        if self.n_tied:
            value += self.n_tied * tie
        if self.prior:
            value += self.prior * (logs / 2 - np.logaddexp(0, logs)).sum()
        return float(value)

    def _slope(self, logs: Float, tie: float) -> tuple[Float, Float]:
        """Return the gradient and the negative curvature, in the strengths and, with ties, v."""
        ahead = np.exp((logs[:, None] - logs[None, :]) / 2)
        total = ahead + ahead.T + np.exp(tie)
        win, drawn = ahead / total, np.exp(tie) / total
        share = win + drawn / 2
        gradient = self.points - (self.met * share).sum(axis=1)
        # The variance of the points of one item against another.
        spread = self.met * (win + drawn / 4 - share**2)
        curvature = np.diag(spread.sum(axis=1)) - spread
        if self.prior:
            chance = 1 / (1 + np.exp(-logs))
            gradient += self.prior * (0.5 - chance)
            curvature += np.diag(self.prior * chance * (1 - chance))
        if not self.n_tied:
            return gradient, curvature
        # The covariance of the points of an item with the number of ties.
        mixed = (self.met * (drawn / 2 - share * drawn)).sum(axis=1)
        both = np.empty((logs.size + 1, logs.size + 1))
        both[:-1, :-1], both[-1, :-1], both[:-1, -1] = curvature, mixed, mixed
        both[-1, -1] = (self.met * drawn * (1 - drawn)).sum() / 2
        return np.append(gradient, self.n_tied - (self.met * drawn).sum() / 2), both

    def _solve(self, curvature: Float, gradient: Float) -> Float:
        """Return Newton's step; without a prior, all strengths may grow together at no gain."""
        m = self.points.size
        matrix = curvature.copy()
        if not self.prior:
            matrix[:m, :m] += max(1e-12, float(np.trace(curvature[:m, :m])) / m) / m
        try:
            return np.asarray(np.linalg.solve(matrix, gradient), np.float64)
        except np.linalg.LinAlgError:
            return np.asarray(np.linalg.lstsq(matrix, gradient)[0], np.float64)

    def _by_mm(self, run: Run, settings: BradleyTerrySettings, tie: float) -> tuple[Float, None]:
        """Return log strengths by the MM algorithm; v is fitted with them."""
        logs = np.zeros(self.points.size)
        v = np.exp(tie) if self.n_tied else 0.0
        prior = self.prior
        for _ in range(settings.max_rounds):
            strength = np.exp(logs)
            root = np.sqrt(np.multiply.outer(strength, strength))
            rate = self.met / (strength[:, None] + strength[None, :] + v * root)
            left = (rate * (1 + v / 2 * root / strength[:, None])).sum(axis=1)
            left += prior / (1 + strength)
            found = np.log((self.points + prior / 2) / left)
            if not prior:
                found -= found.mean()
            change = np.abs(found - logs).max()
            logs = found
            if self.n_tied:
                v = self.n_tied / ((rate * root).sum() / 2)
            run.iterations += 1
            if change <= settings.tolerance or run.stop():
                break
        return logs, None
