"""The optimal footrule order against its definition, and its assignment against scipy's."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import concordant as cc
from concordant._kernels.assignment import assign
from concordant.algorithms import footrule
from concordant.algorithms.footrule import displacement_costs
from looks import looked
from strategies import brute_force, rankings


def footrule_total(order, data):
    # Each in a tie of its own, as names may be tuples.
    order = [(item,) for item in order]
    return sum(cc.spearman_footrule(order, ranking) * weight for ranking, weight in data.explicit())


@given(rankings(complete=True, max_items=5, kind="small"))
@settings(max_examples=40)
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
    costs = np.concatenate(list(displacement_costs(data)))
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


def assigned(costs, budget):
    """Run the kernel in slices; return the place of each item, and how many slices it took."""
    m = len(costs)
    of_item, of_place = np.zeros(m, np.int64), np.zeros(m, np.int64)
    place_of, item_at = np.full(m, -1), np.full(m, -1)
    placed = slices = 0
    while placed < m:
        placed = assign(costs, of_item, of_place, place_of, item_at, placed, budget)
        slices += 1
    assert (item_at[place_of] == np.arange(m)).all()
    # The potentials prove it: no entry is below them, and those taken are equal to them.
    reduced = costs - of_item[:, None] - of_place
    assert reduced.min() >= 0
    assert (reduced[np.arange(m), place_of] == 0).all()
    return place_of, slices


@given(
    st.integers(1, 12), st.integers(1, 30), st.integers(0, 1000), st.sampled_from([1, 50, 10**9])
)
@settings(max_examples=60)
def test_assignment_is_scipys(m, largest, seed, budget):
    costs = np.random.default_rng(seed).integers(0, largest + 1, (m, m))
    places, slices = assigned(costs, budget)
    assert places.tolist() == linear_sum_assignment(costs)[1].tolist()
    if budget == 1:
        assert slices == m


def test_it_can_be_stopped_within_its_set_up_and_its_assignment(monkeypatch):
    data = cc.generate.mallows(40, 10, 0.01, seed=1)
    whole, _ = looked("footrule", data)
    assert whole.details["objective_is_least"]
    monkeypatch.setattr(footrule, "_SLICE", 1000)
    sliced, looks = looked("footrule", data)
    assert sliced.order.tolist() == whole.order.tolist()
    assert looks > 10
    by_mean = cc.aggregate(data, "borda").ranking
    for limit in range(1, looks):
        cut, again = looked("footrule", data, limit)
        assert again <= limit + 1
        assert sorted(cut.order.tolist()) == list(range(40))
        value = footrule_total([data.items[a] for a in cut.order], data)
        assert cut.details["objective_value"] == pytest.approx(value)
        assert value >= whole.details["objective_value"]
        assert value <= footrule_total(by_mean, data)
        assert not cut.details["objective_is_least"]
