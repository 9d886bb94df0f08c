"""Local searches end in local optima of their neighbourhoods; GA, ants and moves keep orders."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant._kernels import ants, genetic, local
from concordant._kernels.tournament import greedy_order
from concordant.reduction import margins_of
from strategies import brute_force, matrices


def neighbours(order, neighbourhood):
    m = len(order)
    if neighbourhood != "insertion":
        for p, q in itertools.combinations(range(m), 2):
            other = list(order)
            other[p], other[q] = other[q], other[p]
            yield other
    if neighbourhood != "interchange":
        for p, q in itertools.permutations(range(m), 2):
            other = list(order)
            other.insert(q, other.pop(p))
            yield other


@given(matrices(), st.sampled_from(["insertion", "interchange", "both"]), st.booleans())
def test_hc_ends_in_a_local_optimum(matrix, neighbourhood, random):
    pairs = cc.Pairwise.from_matrix(matrix)
    start = "random" if random else "borda"
    result = cc.aggregate(pairs, "hc", neighbourhood=neighbourhood, start=start)
    order = pairs.order_of(result.ranking).tolist()
    for other in neighbours(order, neighbourhood):
        assert pairs.cost_units(np.array(other)) >= result.cost


@given(matrices(max_items=6), st.sampled_from(["ils", "vns", "grasp"]))
@settings(max_examples=50)
def test_shaken_and_restarted_climbs_solve_small_problems(matrix, name):
    pairs = cc.Pairwise.from_matrix(matrix)
    least, _ = brute_force(pairs.counts)
    assert cc.aggregate(pairs, name, max_idle=100).cost == least


@pytest.mark.parametrize("name", ["ils", "vns", "grasp", "lahc", "ga", "aco"])
def test_searches_beat_their_starts(name):
    data = cc.generate.mallows(40, 60, 0.01, seed=4)
    assert cc.aggregate(data, name).cost < cc.aggregate(data, "borda").cost


@pytest.mark.parametrize("neighbourhood", ["insertion", "interchange"])
def test_plain_late_acceptance_keeps_its_cost(neighbourhood):
    data = cc.generate.mallows(20, 30, 0.01, seed=4)
    result = cc.aggregate(data, "lahc", neighbourhood=neighbourhood, max_idle=5000)
    assert result.verify(data)
    assert result.iterations >= 5000


@given(matrices(), st.integers(0, 2**63))
def test_a_restricted_candidate_list_of_everything_is_any_order(matrix, seed):
    order = np.empty(len(matrix), np.int64)
    stream = np.array([seed], np.uint64)
    greedy_order(margins_of(matrix), 1.0, order, stream)
    assert sorted(order) == list(range(len(matrix)))


@given(st.integers(1, 12), st.integers(0, 2), st.integers(0, 2**63))
def test_mutations_keep_all_items(m, kind, seed):
    order = np.arange(m, dtype=np.int32)
    genetic.mutate(order, kind, np.array([seed], np.uint64))
    assert sorted(order) == list(range(m))


def test_mutations_change_what_their_names_say():
    stream = np.array([7], np.uint64)
    for _ in range(200):
        order = np.arange(9, dtype=np.int32)
        genetic.mutate(order, genetic.INVERSION, stream)
        moved = np.flatnonzero(order != np.arange(9))
        if moved.size:
            low, high = moved[0], moved[-1]
            assert order[low : high + 1].tolist() == list(range(high, low - 1, -1))
        order = np.arange(9, dtype=np.int32)
        genetic.mutate(order, genetic.DISPLACEMENT, stream)
        # At most three breaks: both ends of the stretch, and where it came from.
        assert sum(b != a + 1 for a, b in itertools.pairwise(order.tolist())) <= 3


@given(st.integers(2, 12), st.integers(1, 20), st.booleans(), st.integers(0, 2**63))
def test_shaking_keeps_all_items(m, moves, insertion, seed):
    order = np.arange(m, dtype=np.int32)
    local.shake(order, moves, insertion, np.array([seed], np.uint64))
    assert sorted(order) == list(range(m))


@given(matrices(), st.integers(0, 2**63))
def test_ants_follow_pheromone(matrix, seed):
    m = len(matrix)
    way = np.random.default_rng(seed % 1000).permutation(m).astype(np.int32)
    pheromone = np.full((m, m), 1e-300)
    pheromone[np.arange(m), way] = 1.0
    order = np.empty(m, np.int32)
    ants.build(margins_of(matrix), pheromone, 1.0, order, np.array([seed], np.uint64))
    assert order.tolist() == way.tolist()


def test_pheromone_stays_between_its_limits():
    pheromone = np.ones((5, 5))
    for _ in range(200):
        ants.evaporate(pheromone, 0.3, 0.01, np.arange(5, dtype=np.int32))
    assert pheromone.min() == 0.01
    assert pheromone.max() == 1.0
    assert (np.diag(pheromone) > 0.9).all()


@pytest.mark.parametrize("crossover", ["position-based", "order", "order-based", "mixed"])
@pytest.mark.parametrize("mutation", ["insertion", "displacement", "inversion", "mixed"])
def test_every_pair_of_operators_works(crossover, mutation):
    data = cc.generate.mallows(15, 20, 0.1, seed=1)
    result = cc.aggregate(data, "ga", crossover=crossover, mutation=mutation, population=30)
    assert result.verify(data)
    assert result.cost <= 1.02 * cc.aggregate(data, max_generations=50).cost


def test_ga_ends_after_its_idle_generations():
    data = cc.generate.mallows(15, 21, 0.01, seed=1)
    result = cc.aggregate(data, "ga", max_idle_generations=60)
    assert result.generations >= 60


def test_climbing_ants_do_better():
    data = cc.generate.mallows(40, 60, 0.01, seed=4)
    plain = cc.aggregate(data, "aco", max_idle=20)
    assert cc.aggregate(data, "aco", max_idle=20, climb=True).cost <= plain.cost
