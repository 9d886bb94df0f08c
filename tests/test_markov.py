"""MC4's walk, and Plackett–Luce against choix and against its own likelihood."""

import itertools

import choix
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant.algorithms import markov
from concordant.algorithms.markov import stationary
from looks import looked
from strategies import rankings
from test_lads import instances


@given(st.integers(2, 8), st.integers(0, 1000))
def test_stationary_distribution(m, seed):
    rates = np.random.default_rng(seed).random((m, m)) + 0.01
    shares = stationary(rates)
    np.fill_diagonal(rates, 0)
    assert shares.sum() == pytest.approx(1)
    np.testing.assert_allclose(shares @ rates, shares * rates.sum(axis=1), atol=1e-12)


def scores_of(result, items):
    where = {item: place for place, item in enumerate(result.ranking)}
    return np.array([result.details["scores"][where[item]] for item in items])


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("partial", [False, True])
def test_plackett_luce_agrees_with_choix(seed, partial):
    rng = np.random.default_rng(seed)
    weights = np.exp(rng.normal(size=8))
    data = cc.generate.plackett_luce(60, weights=weights, seed=seed)
    orders = [[int(bucket[0]) - 1 for bucket in ranking] for ranking, w in data for _ in range(w)]
    if partial:
        orders = [[item for item in order if rng.random() < 0.6] for order in orders]
        orders = [order for order in orders if len(order) > 1]
    given = cc.Rankings.from_orders(orders, items=range(8))
    result = cc.aggregate(given, "plackett-luce")
    assert result.details["groups"] == [8]
    expected = choix.ilsr_rankings(8, orders, tol=1e-12)
    np.testing.assert_allclose(scores_of(result, range(8)), expected, atol=1e-6)
    expected = choix.opt_rankings(8, orders, tol=1e-6)
    np.testing.assert_allclose(scores_of(result, range(8)), expected, atol=1e-5)


def test_plackett_luce_with_weights_is_with_repeats():
    orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2]]
    weights = [3, 1, 2, 4]
    repeated = [order for order, w in zip(orders, weights, strict=True) for _ in range(w)]
    data = cc.Rankings.from_orders(orders, weights=weights, items=range(3))
    result = cc.aggregate(data, "plackett-luce")
    expected = choix.ilsr_rankings(3, repeated, tol=1e-12)
    np.testing.assert_allclose(scores_of(result, range(3)), expected, atol=1e-6)


@given(rankings(kind="small", min_items=2))
@settings(max_examples=40)
def test_plackett_luce_never_ranks_an_unbeaten_group_lower(data):
    """Groups come in order: nothing beats an item of an earlier group from a later one."""
    result = cc.aggregate(data, "plackett-luce")
    counts = cc.Pairwise.from_rankings(data).restrict(result.ranking).counts
    start = 0
    for size in result.details["groups"]:
        assert not (counts[start + size :, start : start + size] > 0).any()
        scores = result.details["scores"][start : start + size]
        assert abs(sum(scores)) < 1e-6
        assert all(a >= b - 1e-9 for a, b in itertools.pairwise(scores))
        start += size
    assert start == data.n_items


def test_mc4_ranks_where_the_walk_stays_most():
    # A cycle of a, b, c in which a also beats d and d beats nobody else: a is visited most.
    data = cc.Rankings.from_orders(
        [["a", "b", "c", "d"], ["b", "c", "a", "d"], ["c", "a", "b", "d"]]
    )
    result = cc.aggregate(data, "mc4")
    assert result.ranking[-1] == "d"
    assert set(result.ranking[:3]) == {"a", "b", "c"}


@given(st.integers(2, 40), st.integers(0, 1000), st.integers(1, 6))
@settings(max_examples=40)
def test_elimination_by_blocks_is_the_same(m, seed, block):
    rng = np.random.default_rng(seed)
    rates = rng.random((m, m)) * (rng.random((m, m)) < 0.5)
    # A way round through all states, so that the chain is irreducible.
    rates[np.arange(m), np.roll(np.arange(m), 1)] += 0.1
    expected = stationary(rates)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markov, "_BLOCK", block)
        np.testing.assert_allclose(stationary(rates), expected, rtol=1e-9, atol=1e-15)
        if m > 3 * block:
            assert stationary(rates, lambda: True) is None


@pytest.mark.parametrize("name", ["mc4", "plackett-luce"])
def test_can_be_stopped_within_a_round(name, monkeypatch):
    data = cc.generate.mallows(30, 12, 0.01, seed=1)
    whole, _ = looked(name, data)
    monkeypatch.setattr(markov, "_BLOCK", 4)
    monkeypatch.setattr(markov, "_SLICE", 1500)
    sliced, looks = looked(name, data)
    assert sliced.order.tolist() == whole.order.tolist()
    assert looks > 20
    # Before the first round is done, the items follow Borda.
    cut, again = looked(name, data, 1)
    assert again <= 3
    assert cut.cost == cc.aggregate(data, "borda").cost


@settings(deadline=None, max_examples=40)
@given(instances(7))
def test_strengths_without_a_matrix_are_the_same(data):
    check_strengths_without_a_matrix(data)


def test_strengths_of_many_items_without_a_matrix():
    check_strengths_without_a_matrix(cc.generate.plackett_luce(40, weights=range(1, 16), seed=1))


def check_strengths_without_a_matrix(data):
    with_chain = cc.aggregate(data, "plackett-luce", max_rounds=5000)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(markov, "_CHAIN", 0)
        without = cc.aggregate(data, "plackett-luce", tolerance=1e-12, max_rounds=100_000)
    # Groups that no ranking compares may come in any order.
    assert sorted(without.details["groups"]) == sorted(with_chain.details["groups"])
    strength = dict(zip(with_chain.ranking, with_chain.details["scores"], strict=True))
    again = dict(zip(without.ranking, without.details["scores"], strict=True))
    for item in data.items:
        assert again[item] == pytest.approx(strength[item], abs=1e-4)
