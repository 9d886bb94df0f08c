"""Costs of answers with ties, against their definition."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant.counting import ties as module
from concordant.counting.ties import tied_counts
from concordant.errors import SettingError
from concordant.pairwise import Pairwise
from concordant.tiers.costs import TierCosts, weak_order_cost
from strategies import ballots, exact_weight, make
from tiers_common import PENALTIES, cost_by_definition, problems, weak_orders


@given(ballots(max_items=4, max_rankings=4), PENALTIES, st.one_of(st.none(), PENALTIES), st.data())
@settings(max_examples=40)
def test_a_weak_order_costs_what_the_definition_says(given_ballots, p, q, data):
    costs = TierCosts.from_rankings(make(given_ballots), p, q)
    bucket = data.draw(st.sampled_from(weak_orders(costs.n_items)))
    expected = cost_by_definition(given_ballots, bucket, p, p if q is None else q)
    assert Fraction(costs.cost_units(bucket), costs.scale) == expected


@given(ballots(max_items=6), st.booleans())
def test_tied_counts_by_definition(given_ballots, by_kernel):
    items, orders, weights, unranked = given_ballots
    data = make(given_ballots)
    with pytest.MonkeyPatch.context() as patch:
        if by_kernel:
            patch.setattr(module, "_PLAIN_PAIRS", 0)
        ties = tied_counts(data)
    for i, a in enumerate(items):
        for j, b in enumerate(items):
            total = Fraction(0)
            for order, weight in zip(orders, weights, strict=True):
                rank = {item: number for number, tier in enumerate(order) for item in tier}
                if unranked == "last":
                    rank = {item: rank.get(item, len(order)) for item in items}
                if i != j and a in rank and b in rank and rank[a] == rank[b]:
                    total += exact_weight(weight)
            assert Fraction(int(ties[i, j]), data.scale) == total


def test_half_a_point_is_the_distance_of_kemeny_and_snell():
    data = cc.Rankings.from_orders([["a", "b", "c"], [("a", "b"), "c"]])
    costs = TierCosts.from_rankings(data, 0.5)
    assert costs.cost([("a",), ("b",), ("c",)]) == 0.5
    assert costs.cost([("c",), ("b",), ("a",)]) == 3 + 2.5
    assert costs.tiers(np.array([1, 0, 1])) == (("b",), ("a", "c"))


@given(problems(max_items=4))
def test_the_trivial_bound_and_strict_answers(costs):
    values = {tuple(bucket): costs.cost_units(bucket) for bucket in weak_orders(costs.n_items)}
    best = min(values.values())
    assert costs.trivial <= best
    if costs.strict_suffices:
        m = costs.n_items
        assert best == min(value for bucket, value in values.items() if len(set(bucket)) == m)


def test_without_ties_in_the_votes_half_a_point_is_strict():
    data = cc.Rankings.from_orders([["a", "b", "c"], ["c", "a"]])
    assert TierCosts.from_rankings(data, 0.5).strict_suffices
    assert not TierCosts.from_rankings(data, 0.25).strict_suffices


def test_a_matrix_has_no_ties():
    costs = TierCosts.from_counts(Pairwise.from_matrix([[0, -3], [1, 0]]), tie_penalty=0.5)
    assert costs.before.tolist() == [[0, 1], [-3, 0]]
    assert costs.tied.tolist() == [[0, -1], [-1, 0]]


@pytest.mark.parametrize("penalty", [-0.1, 1.1, "half"])
def test_a_penalty_out_of_range_is_refused(penalty):
    data = cc.Rankings.from_orders([["a", "b"]])
    with pytest.raises(SettingError, match="tie_penalty"):
        TierCosts.from_rankings(data, penalty)


def test_weights_that_do_not_fit_are_refused():
    data = cc.Rankings.from_orders([["a", "b"]], weights=[2**55])
    with pytest.raises(SettingError, match="too large"):
        TierCosts.from_rankings(data, Fraction(1, 97))


def test_the_cost_is_added_up_in_blocks(monkeypatch):
    rng = np.random.default_rng(0)
    before, tied = rng.integers(0, 9, (2, 40, 40))
    tied = tied + tied.T
    bucket = rng.integers(0, 9, 40)
    plain = sum(
        (tied if bucket[a] == bucket[b] else before if bucket[a] < bucket[b] else before.T)[a, b]
        for a in range(40)
        for b in range(a)
    )
    assert weak_order_cost(before, tied * (1 - np.eye(40, dtype=int)), bucket) == plain
