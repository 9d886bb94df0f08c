"""A given number of tiers, and tiers of given sizes, against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concordant._kernels import tiers_fixed as kernels
from concordant.errors import SettingError
from concordant.tiers import fixed
from concordant.tiers.fixed import FixedTiers
from concordant.tiers.solver import TierSolver
from tiers_common import problems, random_problem, weak_orders


@given(problems(min_items=2, max_items=5), st.data())
@settings(max_examples=40)
def test_few_items_are_solved_exactly(costs, data):
    n = data.draw(st.integers(1, costs.n_items))
    orders = [order for order in weak_orders(costs.n_items) if max(order) + 1 == n]
    answer = FixedTiers(costs, n)
    assert answer.solved
    assert answer.cost == costs.cost_units(answer.bucket)
    assert answer.cost == min(costs.cost_units(order) for order in orders)
    sizes = np.bincount(data.draw(st.sampled_from(orders))).tolist()
    answer = FixedTiers(costs, sizes=sizes)
    assert np.bincount(answer.bucket).tolist() == sizes
    fitting = [order for order in orders if np.bincount(order).tolist() == sizes]
    assert answer.cost == min(costs.cost_units(order) for order in fitting)


@given(problems(min_items=2, max_items=5), st.data())
def test_the_costs_of_places_and_of_exchanges(costs, data):
    level = np.ascontiguousarray(costs.tied - costs.before)
    behind = np.ascontiguousarray(costs.before.T - costs.before)
    bucket = np.array(data.draw(st.sampled_from(weak_orders(costs.n_items))))
    m, n = bucket.size, int(bucket.max()) + 1
    place = np.zeros((m, n), np.int64)
    kernels.set_places(level, behind, bucket, place)
    now = costs.cost_units(bucket)
    for a in range(m):
        for k in range(n):
            moved = bucket.copy()
            moved[a] = k
            assert place[a, k] - place[a, bucket[a]] == costs.cost_units(moved) - now
    a, k = data.draw(st.integers(0, m - 1)), data.draw(st.integers(0, n - 1))
    kernels.move(level, behind, bucket, place, a, k)
    again = np.zeros_like(place)
    kernels.set_places(level, behind, bucket, again)
    assert (place == again).all()


@pytest.mark.parametrize("wish", [{"n_tiers": 3}, {"sizes": [1, 2, 6]}])
def test_the_search_finds_what_subsets_find(wish, monkeypatch):
    costs = random_problem(9, 1, 20)
    monkeypatch.setattr(fixed, "_ROUND", 200_000)
    exact = FixedTiers(costs, **wish)
    monkeypatch.setattr(fixed.subsets, "LARGEST_FIXED", 0)
    searched = FixedTiers(costs, **wish, seed=1)
    searched.work(max_rounds=3)
    assert searched.cost == exact.cost == costs.cost_units(searched.bucket)
    assert searched.bound <= exact.cost
    assert int(searched.bucket.max()) + 1 == 3
    if "sizes" in wish:
        assert np.bincount(searched.bucket).tolist() == wish["sizes"]


def test_a_number_that_the_free_answer_has_is_proven():
    costs = random_problem(16, 3, 20)
    free = TierSolver(costs)
    free.work(max_rounds=400)
    assert free.solved
    answer = FixedTiers(costs, int(free.bucket.max()) + 1)
    answer.work(max_rounds=400)
    assert answer.solved
    assert answer.cost == free.cost


def test_a_run_stops_when_told():
    answer = FixedTiers(random_problem(20, 1, 50), 4)
    answer.work(lambda: True)
    assert answer.rounds == 1
    assert answer.bound <= answer.cost


@pytest.mark.parametrize(
    "wish", [{}, {"n_tiers": 2, "sizes": [1, 3]}, {"n_tiers": 0}, {"n_tiers": 5}, {"sizes": [1, 2]}]
)
def test_impossible_tiers_are_refused(wish):
    with pytest.raises(SettingError, match="tiers"):
        FixedTiers(random_problem(4, 1), **wish)
