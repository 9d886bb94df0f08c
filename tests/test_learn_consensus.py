"""Many small consensus problems at once, against all orders of each."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import concordant as cc
from concordant.constraints import Constraints
from concordant.errors import InputError, SettingError
from concordant.learn import LabelRankingForest, consensus_orders
from concordant.learn.consensus import consensus_signs, scale_votes
from concordant.learn.targets import pair_signs, ranks_of


def costs_of_all(votes: np.ndarray, m: int) -> np.ndarray:
    """What each order of m labels costs in each row: minus half the votes it follows."""
    orders = np.array(list(permutations(range(m))))
    return -votes @ pair_signs(ranks_of(orders).astype(float)).T / 2


def cost(votes: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    return -(votes * pair_signs(ranks.astype(float))).sum(1) / 2


@st.composite
def rows_of_votes(draw: st.DrawFn) -> tuple[int, np.ndarray]:
    m = draw(st.integers(2, 6))
    n = draw(st.integers(1, 40))
    whole = st.integers(-4, 4).map(float)
    real = st.floats(-1, 1, allow_subnormal=False)
    return m, draw(
        arrays(float, (n, m * (m - 1) // 2), elements=draw(st.sampled_from([whole, real])))
    )


@settings(max_examples=40, deadline=None)
@given(rows_of_votes())
def test_exact_is_the_best_of_all_orders_and_knows_the_runner_up(
    given: tuple[int, np.ndarray],
) -> None:
    m, votes = given
    found = consensus_orders(votes)
    every = np.sort(costs_of_all(votes, m), axis=1)
    size = np.abs(votes).max(axis=1, initial=0)
    assert found.proven.all()
    assert (np.sort(found.orders, axis=1) == np.arange(m)).all()
    assert np.allclose(cost(votes, found.ranks), every[:, 0], atol=1e-10)
    lead = every[:, 1] - every[:, 0]
    assert np.allclose(found.lead, lead, atol=1e-10)
    # Within the rounding, either answer is right.
    clear = (lead == 0) | (lead > 1e-9 * size)
    assert (found.tied == (lead <= 1e-9 * size))[clear].all()


@settings(max_examples=30, deadline=None)
@given(rows_of_votes())
def test_rows_do_not_depend_on_each_other(given: tuple[int, np.ndarray]) -> None:
    _, votes = given
    shuffled = np.random.default_rng(0).permutation(len(votes))
    for method in ("exact", "lads", "borda"):
        alone = [consensus_orders(row[None], method).orders[0].tolist() for row in votes]
        assert consensus_orders(votes, method).orders.tolist() == alone
        together = consensus_orders(votes[shuffled], method).orders
        assert together.tolist() == [alone[i] for i in shuffled]


@pytest.mark.parametrize("m", [7, 11, 14])
def test_more_labels_agree_with_aggregate(m: int) -> None:
    rng = np.random.default_rng(m)
    votes = rng.integers(-9, 10, size=(20, m * (m - 1) // 2))
    found = consensus_orders(votes)
    for row, ranks in zip(votes, found.ranks, strict=True):
        matrix = np.zeros((m, m), np.int64)
        first, second = np.triu_indices(m, 1)
        matrix[first, second] = np.maximum(row, 0)
        matrix[second, first] = np.maximum(-row, 0)
        result = cc.aggregate(matrix, "exact")
        order = np.argsort(ranks)
        ours = sum(matrix[order[q], order[p]] for p in range(m) for q in range(p + 1, m))
        assert (result.status, result.cost) == ("optimal", ours)


def test_more_labels_than_subsets_can_hold() -> None:
    m = 20
    rng = np.random.default_rng(0)
    transitive = pair_signs(rng.permutation(m)[None].astype(float))
    # Majorities with a few cycles, and random ones that form one large part.
    ranks = (np.arange(m) + rng.normal(0, 2, size=(7 * 6, m))).reshape(6, 7, m)
    some = np.array([pair_signs(each).sum(0) for each in ranks])
    random = rng.normal(size=(2, m * (m - 1) // 2))
    found = consensus_orders(np.vstack([transitive, some, random]))
    assert found.proven[:7].all()
    assert np.isnan(found.lead[-2:]).all()
    borda = consensus_orders(random, "borda")
    assert (cost(random, found.ranks[-2:]) <= cost(random, borda.ranks)).all()
    assert (np.sort(found.orders, axis=1) == np.arange(m)).all()
    first, second = np.triu_indices(m, 1)
    for votes, ranks in zip(some, found.ranks[1:7], strict=True):
        matrix = np.zeros((m, m), np.int64)
        matrix[first, second], matrix[second, first] = np.maximum(votes, 0), np.maximum(-votes, 0)
        result = cc.aggregate(matrix, "exact")
        against = np.maximum(-votes * pair_signs(ranks[None].astype(float))[0], 0).sum()
        assert (result.status, result.cost) == ("optimal", against)


@settings(max_examples=40, deadline=None)
@given(rows_of_votes())
def test_parts_are_the_best_of_all_orders(given: tuple[int, np.ndarray]) -> None:
    m, votes = given
    signs = consensus_signs(votes, "exact")
    assert np.allclose(-(votes * signs).sum(1) / 2, costs_of_all(votes, m).min(1), atol=1e-10)


def test_ties_within_parts_are_seen_with_many_labels() -> None:
    m = 20
    votes = np.ones((1, m * (m - 1) // 2))
    cycle = votes.copy()
    # Labels 0, 1, 2 in a cycle of equal majorities: three orders are equally good.
    cycle[0, 1] = -1
    found = consensus_orders(np.vstack([votes, cycle]))
    assert found.proven.all()
    assert found.tied.tolist() == [False, True]
    assert found.orders[1, 3:].tolist() == list(range(3, m))


def test_lads_is_never_worse_than_borda_and_mostly_optimal() -> None:
    rng = np.random.default_rng(1)
    # Votes of eleven random rankings each.
    votes = np.array(
        [pair_signs(rng.random((11, 6)) + np.arange(6) / 12).sum(0) for _ in range(200)]
    )
    least = cost(votes, consensus_orders(votes).ranks)
    lads = cost(votes, consensus_orders(votes, "lads").ranks)
    assert (lads <= cost(votes, consensus_orders(votes, "borda").ranks)).all()
    assert (lads >= least).all()
    assert (lads == least).mean() > 0.8


def test_borda_is_the_order_of_mean_ranks() -> None:
    rng = np.random.default_rng(2)
    ranks = np.array([rng.permutation(5) + 1.0 for _ in range(7)])
    found = consensus_orders(pair_signs(ranks).sum(0)[None], "borda")
    means = ranks.mean(0)
    assert (np.diff(means[found.orders[0]]) >= 0).all()
    assert found.tied[0] == (np.unique(means).size < 5)


def test_borda_keeps_ties_of_mean_ranks() -> None:
    votes = pair_signs(np.array([[1.0, 2, 3], [2, 1, 3]])).sum(0)[None]
    assert consensus_signs(votes, "borda").tolist() == [[0, 1, 1]]
    assert consensus_orders(votes, "borda").tied.tolist() == [True]
    assert consensus_signs(votes, "exact").tolist() == [[1, 1, 1]]


@settings(max_examples=40, deadline=None)
@given(arrays(float, (3, 3), elements=st.floats(-1e300, 1e300)))
def test_scaling_keeps_whole_votes_and_is_close_elsewhere(votes: np.ndarray) -> None:
    whole, exponents = scale_votes(votes)
    assert (np.abs(whole) <= 2**40).all()
    back = np.ldexp(whole.astype(float), -exponents[:, None])
    assert (np.abs(back - votes) <= 1e-12 * np.abs(votes).max(axis=1, keepdims=True)).all()
    integers = np.rint(np.clip(votes, -1e9, 1e9))
    whole, exponents = scale_votes(integers)
    assert (np.ldexp(whole.astype(float), -exponents[:, None]) == integers).all()


def test_one_label_and_no_rows() -> None:
    assert consensus_orders(np.zeros((2, 0))).orders.tolist() == [[0], [0]]
    assert consensus_orders(np.zeros((0, 3))).orders.shape == (0, 3)


def test_bad_votes() -> None:
    with pytest.raises(InputError, match="m labels have"):
        consensus_orders([[1.0, 2.0]])
    with pytest.raises(InputError, match="m labels have"):
        consensus_orders([1.0])
    with pytest.raises(InputError, match="finite"):
        consensus_orders([[np.nan]])
    with pytest.raises(SettingError, match="method must be one of"):
        consensus_orders([[1.0]], "best")  # type: ignore[arg-type]


@settings(max_examples=40, deadline=None)
@given(rows_of_votes(), st.randoms(use_true_random=False))
def test_constraints_against_all_orders(drawn: tuple[int, np.ndarray], random: object) -> None:
    m, votes = drawn
    order = random.sample(range(m), m)  # type: ignore[attr-defined]
    pairs = {tuple(sorted(random.sample(range(m), 2), key=order.index)) for _ in range(2)}  # type: ignore[attr-defined]
    rules = Constraints.of(before=pairs, last=[order[-1]])
    assert rules is not None
    forced = rules.relation(range(m))
    found = consensus_orders(votes, forced=forced)
    orders = np.array(list(permutations(range(m))))
    place = ranks_of(orders)
    allowed = ~(forced & (place[:, :, None] > place[:, None, :])).any(axis=(1, 2))
    costs = np.sort(costs_of_all(votes, m)[:, allowed], axis=1)
    assert not (forced & (found.ranks[:, :, None] > found.ranks[:, None, :])).any()
    assert np.allclose(cost(votes, found.ranks), costs[:, 0], atol=1e-9)
    assert found.proven.all()
    if costs.shape[1] == 1:
        assert np.isinf(found.lead).all()
    else:
        assert np.allclose(found.lead, costs[:, 1] - costs[:, 0], atol=1e-9)


def test_rankers_predict_under_constraints() -> None:
    random = np.random.default_rng(1)
    X = random.normal(size=(60, 3))
    y = (-X).argsort(1).argsort(1) + 1
    forest = LabelRankingForest(10, random_state=0).fit(X, y)
    pairs = forest.predict_pairs(X)
    votes = np.stack([2 * pairs[:, a, b] - 1 for a, b in ((0, 1), (0, 2), (1, 2))], axis=1)
    orders = forest.predict_order(X, before=[(2, 0)])
    allowed = [order for order in permutations(range(3)) if order.index(2) < order.index(0)]
    costs = costs_of_all(votes, 3)
    every = list(permutations(range(3)))
    for row, order in zip(costs, orders.tolist(), strict=True):
        best = min(row[every.index(each)] for each in allowed)
        assert row[every.index(tuple(order))] == pytest.approx(best)
    assert (forest.predict(X, first=[1])[:, 1] == 1).all()
    for rules, words in (({"first": [7]}, "not an item"), ({"before": [(0, 0)]}, "itself")):
        with pytest.raises(SettingError, match=words):
            forest.predict(X, **rules)
    with pytest.raises(SettingError, match="exact aggregation"):
        forest.set_params(forest_aggregation="borda").predict(X, first=[1])
    with pytest.raises(SettingError, match="at most 18 labels"):
        consensus_orders(np.zeros((1, 190)), forced=np.eye(20, k=1, dtype=bool))
