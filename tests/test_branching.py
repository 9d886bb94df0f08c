"""The branch and bound methods of the literature against brute force, and their limits."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concordant import aggregate, stopping
from concordant._kernels import branching as kernels
from concordant.algorithms import bnb, dk
from concordant.errors import SettingError
from concordant.generate import mallows
from looks import looked


@st.composite
def matrices(draw, largest=6):
    m = draw(st.integers(1, largest))
    row = st.lists(st.integers(0, 7), min_size=m, max_size=m)
    counts = np.array(draw(st.lists(row, min_size=m, max_size=m)), np.int64)
    np.fill_diagonal(counts, 0)
    return counts


def brute_force(counts):
    return min(
        sum(int(counts[b, a]) for p, a in enumerate(order) for b in order[p + 1 :])
        for order in permutations(range(len(counts)))
    )


@pytest.mark.parametrize(("method", "options"), [("bnb", {"beam": None}), ("dk", {})])
@settings(max_examples=40, deadline=None)
@given(counts=matrices())
def test_exact_methods_find_and_prove_the_optimum(method, options, counts):
    result = aggregate(counts, method, **options)
    assert result.status == "optimal"
    assert result.cost == brute_force(counts)


@settings(max_examples=40, deadline=None)
@given(matrices(), st.integers(1, 40))
def test_a_beam_never_proves_too_much(counts, beam):
    result = aggregate(counts, "bnb", beam=beam)
    assert result.lower_bound <= brute_force(counts) <= result.cost


def test_a_wider_beam_is_as_good_here():
    data = mallows(30, 20, theta=0.05, seed=1)
    costs = [aggregate(data, "bnb", beam=beam).cost for beam in (1, 30, 1000)]
    assert costs == sorted(costs, reverse=True)


@pytest.mark.parametrize("method", ["bnb", "dk"])
def test_a_time_limit_of_zero_still_gives_a_ranking(method):
    data = mallows(60, 10, theta=0.001, seed=1)
    result = aggregate(data, method, time_limit=0)
    assert result.lower_bound <= result.cost
    assert len(result.ranking) == 60


def test_a_beam_of_nothing_is_refused():
    with pytest.raises(SettingError, match="beam"):
        aggregate([[0, 1], [2, 0]], "bnb", beam=0)


@pytest.mark.parametrize(("method", "options"), [("bnb", {"beam": None}), ("dk", {})])
@pytest.mark.parametrize("limit", ["max_iterations", "max_generations"])
def test_limits_by_counts_end_a_long_search(method, options, limit):
    data = mallows(40, 10, theta=0.001, seed=1)
    clock = stopping.MaxTime(60)
    results = [
        aggregate(data, method, **{limit: number}, **options, stop=clock) for number in (3, 60)
    ]
    for number, result in zip((3, 60), results, strict=True):
        count = result.iterations if limit == "max_iterations" else result.generations
        # The beam that comes before A* finishes the depth that it is at.
        assert number <= count <= number + 1
        assert result.lower_bound <= result.cost
    assert results[1].cost <= results[0].cost


def test_dk_can_be_stopped_within_its_dive_and_its_bound(monkeypatch):
    data = mallows(40, 10, theta=0.001, seed=1)
    whole, _ = looked("dk", data, 3)
    monkeypatch.setattr(dk, "_SLICE", 200)
    order = None
    for limit in (1, 2, 5, 20, 50, 100, 300):
        run, looks = looked("dk", data, limit)
        assert looks <= limit + 2
        assert sorted(run.order.tolist()) == list(range(40))
        order = run.order
    # The dive is over: it has found what it finds in one go.
    assert order.tolist() == whole.order.tolist()


@settings(max_examples=40, deadline=None)
@given(matrices())
def test_the_bound_of_dk_in_slices_is_the_same(counts):
    before = np.zeros(counts.shape, np.int8)
    found = []
    for budget in (1, 10**9):
        margin = np.empty(counts.shape, np.int64)
        total, first = int(kernels.decided_cost(counts, before, margin)), 0
        while first < len(counts):
            first, more = kernels.pack_cycles(margin, first, budget)
            total += more
        found.append(total)
    assert found[0] == found[1] <= brute_force(counts)


def test_bnb_finishes_an_order_whenever_it_is_stopped():
    data = mallows(40, 10, theta=0.001, seed=1)
    whole, looks = looked("bnb", data, beam=20)
    assert looks >= 30
    for limit in (1, 2, 3, 20, 29):
        run, again = looked("bnb", data, limit, beam=20)
        assert again <= limit + 2
        assert sorted(run.order.tolist()) == list(range(40))
        assert whole.cost <= run.cost


def test_a_beam_is_never_wider_than_there_is_room(monkeypatch):
    data = mallows(30, 9, theta=0.01, seed=1)
    narrow = aggregate(data, "bnb", beam=7)
    monkeypatch.setattr(bnb, "_MOST_CELLS", 7 * 30)
    wide = aggregate(data, "bnb", beam=1_000_000)
    assert (wide.ranking, wide.iterations) == (narrow.ranking, narrow.iterations)
