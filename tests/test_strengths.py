"""Bradley-Terry strengths: against a general optimiser, ties, groups, prior, intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import concordant as cc
from concordant.algorithms import strengths


def battles(m: int, n: int, ties: float, seed: int) -> tuple[Any, list[list[Any]]]:
    """True log strengths, and outcomes drawn from Davidson's model."""
    random = np.random.default_rng(seed)
    logs = random.normal(size=m)
    found: list[list[Any]] = []
    for _ in range(n):
        a, b = random.choice(m, 2, replace=False)
        weights = np.array(
            [np.exp(logs[a]), np.exp(logs[b]), ties * np.exp((logs[a] + logs[b]) / 2)]
        )
        outcome = random.choice(3, p=weights / weights.sum())
        found.append([[a, b], [b, a], [(a, b)]][outcome])
    return logs - logs.mean(), found


def fitted(result: cc.Consensus, m: int) -> Any:
    by_item = dict(zip(result.ranking, result.details["scores"], strict=True))
    return np.array([by_item[a] for a in range(m)])


def by_optimiser(outcomes: list[list[Any]], m: int, ties: bool, prior: float) -> Any:
    def loss(x: Any) -> float:
        value = 1e-10 * x @ x - prior * (x[:m] / 2 - np.logaddexp(0, x[:m])).sum()
        for each in outcomes:
            a, b = each if len(each) == 2 else each[0]
            drawn = x[m] + (x[a] + x[b]) / 2
            total = [x[a], x[b], *([drawn] if ties else [])]
            value -= (x[a] if len(each) == 2 else drawn) - np.logaddexp.reduce(total)
        return float(value)

    found = minimize(loss, np.zeros(m + 1), method="BFGS", options={"gtol": 1e-8}).x
    return found[:m] - (0 if prior else found[:m].mean()), np.exp(found[m])


@pytest.mark.parametrize("prior", [0.0, 0.5])
@pytest.mark.parametrize("ties", [0.0, 0.7])
def test_strengths_are_those_of_a_general_optimiser(
    ties: float, prior: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    m = 5
    _, outcomes = battles(m, 120, ties, seed=3)
    data = cc.Rankings.from_orders(outcomes, items=range(m))
    expected, v = by_optimiser(outcomes, m, ties > 0, prior)
    result = cc.aggregate(data, "bradley-terry", prior=prior)
    assert np.allclose(fitted(result, m), expected, atol=1e-5)
    if ties:
        assert result.details["tie"] == pytest.approx(v, abs=1e-5)
    if not ties:
        # A matrix of pairs has the same outcomes.
        pairs = cc.aggregate(cc.Pairwise.from_rankings(data), "bradley-terry", prior=prior)
        assert np.allclose(fitted(pairs, m), expected, atol=1e-5)
    monkeypatch.setattr(strengths, "_NEWTON", 1)
    by_mm = cc.aggregate(data, "bradley-terry", prior=prior, max_rounds=20_000)
    assert np.allclose(fitted(by_mm, m), fitted(result, m), atol=1e-6)


def test_intervals_cover_the_truth() -> None:
    covered = total = 0
    for seed in range(40):
        truth, outcomes = battles(6, 300, 0.0, seed)
        result = cc.aggregate(cc.Rankings.from_orders(outcomes, items=range(6)), "bradley-terry")
        if result.details["groups"] != [6]:
            continue
        where = list(result.ranking)
        low, high = np.array(result.details["low"]), np.array(result.details["high"])
        covered += int(((low <= truth[where]) & (truth[where] <= high)).sum())
        total += 6
    # 240 intervals that cover with probability 0.95: 228 expected, 10 is three deviations.
    assert total == 240
    assert abs(covered - 228) <= 10


def plackett_luce_loss(x: Any, orders: list[list[Any]], prior: float) -> float:
    """Minus the log-likelihood: each item is chosen from itself and all behind its bucket."""
    value = 1e-10 * x @ x - prior * (x / 2 - np.logaddexp(0, x)).sum()
    for order in orders:
        buckets = [each if isinstance(each, tuple) else (each,) for each in order]
        for k, bucket in enumerate(buckets):
            behind = [b for later in buckets[k + 1 :] for b in later]
            for a in bucket:
                value -= x[a] - np.logaddexp.reduce(x[[a, *behind]])
    return float(value)


@pytest.mark.parametrize("prior", [0.0, 0.4])
def test_plackett_luce_is_that_of_a_general_optimiser(prior: float) -> None:
    random = np.random.default_rng(5)
    orders: list[list[Any]] = []
    for _ in range(30):
        order = random.permutation(4)[: random.integers(2, 5)].tolist()
        if random.random() < 0.3:
            order[:2] = [tuple(order[:2])]
        orders.append(order)
    found = minimize(plackett_luce_loss, np.zeros(4), (orders, prior), method="BFGS", tol=1e-9).x
    if not prior:
        found -= found.mean()
    data = cc.Rankings.from_orders(orders, items=range(4))
    result = cc.aggregate(data, "plackett-luce", prior=prior)
    assert np.allclose(fitted(result, 4), found, atol=1e-4)
    # The curvature, by differences.
    step, unit = 1e-3, np.eye(4)
    curvature = np.array(
        [
            [
                sum(
                    s * t * plackett_luce_loss(found + step * (s * a + t * b), orders, prior)
                    for s in (-1, 1)
                    for t in (-1, 1)
                )
                for a in unit
            ]
            for b in unit
        ]
    ) / (4 * step**2)
    errors = np.sqrt(np.diag(np.linalg.pinv(curvature, rcond=1e-4, hermitian=True)))
    where = list(result.ranking)
    half = (np.array(result.details["high"]) - np.array(result.details["low"])) / 2
    assert np.allclose(half, 1.959964 * errors[where], rtol=1e-2)


def test_plackett_luce_that_does_not_connect() -> None:
    data = cc.Rankings.from_orders([["a", "b", "c"], ["b", "a", "c"]])
    apart = cc.aggregate(data, "plackett-luce")
    assert apart.details["groups"] == [2, 1]
    assert apart.details["low"][-1] is None
    finite = cc.aggregate(data, "plackett-luce", prior=0.1)
    assert finite.details["groups"] == [3]
    assert all(np.isfinite(finite.details["low"]))


def test_battles_that_do_not_connect() -> None:
    data = cc.Rankings.from_orders([["a", "b"], ["b", "a"], ["b", "c"], ["a", "c"]])
    result = cc.aggregate(data, "bradley-terry")
    assert result.details["groups"] == [2, 1]
    assert result.ranking[-1] == "c"
    assert result.details["low"][-1] is None
    finite = cc.aggregate(data, "bradley-terry", prior=0.1)
    assert finite.details["groups"] == [3]
    assert finite.ranking[-1] == "c"
    assert all(np.isfinite(finite.details["high"]))
    with pytest.raises(cc.SettingError, match="prior"):
        cc.aggregate(data, "bradley-terry", prior=-1)
