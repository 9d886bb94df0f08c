"""Local searches end in local optima of their neighbourhoods; GA, ants and moves keep orders."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant._kernels import ants, genetic, moves
from concordant._kernels.lahc import lahc
from concordant._kernels.state import BEST, COST, ITERATIONS, PartialOrder, Walk, new_state
from concordant.algorithms.ants import AcoSettings, aco
from concordant.algorithms.css import greedy_order
from concordant.algorithms.genetic import GaSettings, ga
from concordant.algorithms.registry import get
from concordant.cli import terminal
from concordant.errors import SettingError
from concordant.reduction.split import margins_of
from concordant.running import Run
from concordant.stopping import MaxTime
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
@settings(max_examples=40)
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


def plain_lahc(pairs, order, history, max_idle, insertion, stream):
    """Burke and Bykov's algorithm written out with recomputed costs, drawing as the kernel does."""
    order = list(order)
    cost = least = pairs.cost_units(np.array(order))
    history = [cost] * history
    iterations = idle = 0
    while idle < max_idle:
        idle += 1
        p, q = moves.draw_move(len(order), insertion, stream)
        candidate = list(order)
        if insertion:
            candidate.insert(q, candidate.pop(p))
        else:
            candidate[p], candidate[q] = candidate[q], candidate[p]
        new = pairs.cost_units(np.array(candidate))
        v = iterations % len(history)
        if new < history[v] or new <= cost:
            order, cost = candidate, new
        if cost < least:
            least, idle = cost, 0
        history[v] = min(history[v], cost)
        iterations += 1
    return order, cost, least, iterations


@given(matrices(), st.integers(1, 6), st.booleans(), st.integers(0, 1000), st.integers(1, 500))
@settings(max_examples=40)
def test_lahc_is_that_of_burke_and_bykov(matrix, length, insertion, seed, budget):
    pairs = cc.Pairwise.from_matrix(matrix)
    m = pairs.n_items
    if m < 2:
        return
    order = np.random.default_rng(seed).permutation(m).astype(np.int32)
    stream = np.array([seed], np.uint64)
    expected = plain_lahc(pairs, order, length, 30, insertion, stream.copy())
    cost = pairs.cost_units(order)
    margins = margins_of(pairs.counts)
    columns = np.empty_like(margins)
    moves.lay_out(margins, order, columns)
    history = np.full(length, cost, np.int64)
    walk = Walk(order, order.copy(), np.empty(0, np.int64), columns, history, stream)
    state = new_state(cost)
    while not lahc(insertion, 30, walk, state, budget):
        pass
    found = (order.tolist(), state[COST], state[BEST], state[ITERATIONS])
    assert found == expected
    assert pairs.cost_units(walk.best) == state[BEST]


@given(matrices(), st.integers(0, 2**63))
def test_a_restricted_candidate_list_of_everything_is_any_order(matrix, seed):
    run = Run(cc.Pairwise.from_matrix(matrix))
    order = greedy_order(run, margins_of(matrix), 1.0, np.array([seed], np.uint64))
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
def test_shaking_keeps_all_items(m, number, insertion, seed):
    order = np.arange(m, dtype=np.int32)
    moves.shake(order, number, insertion, np.array([seed], np.uint64))
    assert sorted(order) == list(range(m))


@given(matrices(), st.integers(0, 2**63))
def test_ants_follow_pheromone(matrix, seed):
    m = len(matrix)
    way = np.random.default_rng(seed % 1000).permutation(m).astype(np.int32)
    pheromone = np.full((m, m), 1e-300)
    pheromone[np.arange(m), way] = 1.0
    margins = margins_of(matrix)
    ant = PartialOrder(np.empty(m, np.int32), np.arange(m), -margins.sum(axis=1, dtype=np.int64))
    stream = np.array([seed], np.uint64)
    half = m // 2
    ants.build(margins, pheromone, 1.0, ant, 0, half, stream)
    ants.build(margins, pheromone, 1.0, ant, half, m, stream)
    assert ant.order.tolist() == way.tolist()


@pytest.mark.parametrize("limit", [1, 40])
def test_limits_are_checked_while_an_ant_builds_an_order(limit):
    # 1,500 items: some slices per ant, and the clock advances by 1 at each reading.
    pairs = cc.Pairwise.from_rankings(cc.generate.mallows(1500, 3, 0.001, seed=1))
    clock = itertools.count()
    run = Run(pairs, rule=MaxTime(limit), clock=lambda: next(clock))
    aco(run, AcoSettings(ants=1000))
    assert run.elapsed < limit + 10
    assert run.order is not None
    assert (run.iterations == 0) == (limit == 1)


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


def test_limits_are_checked_while_the_first_members_are_drawn():
    # 400 items: a slice holds some thirty members, and the clock advances by 1 at each reading.
    pairs = cc.Pairwise.from_rankings(cc.generate.mallows(400, 9, 0.001, seed=1))
    clock = itertools.count()
    run = Run(pairs, rule=MaxTime(20), clock=lambda: next(clock))
    ga(run, GaSettings(population=20_000))
    assert run.elapsed < 40
    assert run.iterations == run.generations == 0
    assert run.order is not None


def test_a_start_that_is_given_joins_the_first_members():
    data = cc.generate.mallows(30, 20, 0.1, seed=1)
    best = cc.aggregate(data, max_generations=50)
    assert cc.aggregate(data, "ga", initial=best, max_iterations=1).cost <= best.cost


@pytest.mark.parametrize(
    ("method", "given", "message"),
    [
        ("ga", {"population": 10**8}, "population must be at most 1,000,000"),
        ("ga", {"tournament": 10**6}, "tournament must be at most 10,000"),
        ("ils", {"kick": 10**8}, "kick must be at most 10,000"),
        ("vns", {"max_shake": 10**8}, "max_shake must be at most 10,000"),
        ("lahc", {"history_length": 10**9}, "history_length must be at most 10,000,000"),
        ("aco", {"climb": 1}, "climb must be true or false"),
    ],
)
def test_settings_that_need_too_much_memory_are_refused(method, given, message):
    with pytest.raises(SettingError, match=message):
        cc.aggregate([[0, 1], [0, 0]], method, **given)


def test_members_that_memory_does_not_hold_are_refused():
    pairs = cc.Pairwise.from_matrix(np.triu(np.ones((1000, 1000), np.int64), 1))
    with pytest.raises(SettingError, match="population=1000000 takes 11 GiB"):
        cc.aggregate(pairs, "ga", population=1_000_000)


@pytest.mark.parametrize("name", ["hc", "ils", "vns", "grasp", "ga", "aco"])
def test_differences_from_the_source_are_documented(name, capsys):
    terminal.show_method(get(name), sys.stdout)
    text = capsys.readouterr().out
    assert "After " in text
    assert "Ours: " in text
