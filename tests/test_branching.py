"""The published branch and bound methods against brute force."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concordant import aggregate
from concordant.errors import SettingError
from concordant.generate import mallows


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
@settings(max_examples=50, deadline=None)
@given(counts=matrices())
def test_exact_methods_find_and_prove_the_optimum(method, options, counts):
    result = aggregate(counts, method, **options)
    assert result.status == "optimal"
    assert result.cost == brute_force(counts)


@settings(max_examples=50, deadline=None)
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
