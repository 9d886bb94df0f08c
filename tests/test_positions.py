"""The optimal footrule order and reciprocal rank fusion against their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings

import concordant as cc
from concordant.algorithms.positions import displacement_costs
from strategies import ballots, brute_force, exact_weight, make, rankings


def footrule_total(order, data):
    # Each in a tie of its own, as names may be tuples.
    order = [(item,) for item in order]
    return sum(cc.spearman_footrule(order, ranking) * weight for ranking, weight in data.explicit())


@given(rankings(complete=True, max_items=5, kind="small"))
@settings(max_examples=60)
def test_footrule_is_optimal(data):
    result = cc.aggregate(data, "footrule")
    total = footrule_total(result.ranking, data)
    assert total == pytest.approx(result.details["objective_value"])
    least = min(footrule_total(order, data) for order in itertools.permutations(data.items))
    assert total == pytest.approx(least)


@given(rankings(complete=True, strict=True, max_items=6))
def test_footrule_is_within_twice_the_optimum(data):
    least, _ = brute_force(cc.Pairwise.from_rankings(data).counts)
    cost = cc.Pairwise.from_rankings(data)
    order = cost.order_of(cc.aggregate(data, "footrule").ranking)
    assert cost.cost_units(order) <= 2 * least


@given(rankings(complete=True, kind="small"))
def test_displacements_by_definition(data):
    data = data.explicit()
    costs = displacement_costs(data)
    for a, item in enumerate(data.items):
        for place in range(data.n_items):
            expected = 0.0
            for ranking, weight in data:
                passed = 0
                for bucket in ranking:
                    if item in bucket:
                        expected += weight * abs(passed + (len(bucket) + 1) / 2 - (place + 1))
                    passed += len(bucket)
            assert costs[a, place] == pytest.approx(2 * expected)


def test_unranked_last_counts_as_complete():
    data = cc.Rankings.from_orders([["a"], ["b", "a"]], items="abc", unranked="last")
    assert cc.aggregate(data, "footrule").ranking[-1] == "c"


@given(ballots())
def test_rrf_by_definition(drawn):
    items, orders, weights, _ = drawn
    scores = dict.fromkeys(items, 0.0)
    for order, weight in zip(orders, weights, strict=True):
        passed = 0
        for bucket in order:
            for item in bucket:
                rank = passed + (len(bucket) + 1) / 2
                scores[item] += float(exact_weight(weight)) / (60 + rank)
            passed += len(bucket)
    result = cc.aggregate(make(drawn), "rrf")
    found = [scores[item] for item in result.ranking]
    np.testing.assert_allclose(result.details["scores"], found, rtol=1e-9, atol=1e-300)
    assert all(a >= b - 1e-9 * max(found) for a, b in itertools.pairwise(found))
