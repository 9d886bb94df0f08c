"""`auto` and `insertion`: correct bookkeeping, repeatable runs, local optima."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant import stopping
from concordant._kernels import moves
from concordant._kernels.state import FILLED, RESTARTS
from concordant.algorithms.auto import AutoSettings
from concordant.algorithms.islands import Island, distances_to_draw
from concordant.errors import SettingError
from concordant.reduction import Part, margins_of
from test_lads import instances


def brute_force(pairs):
    return min(
        pairs.cost_units(np.array(order)) for order in itertools.permutations(range(pairs.n_items))
    )


def hard(m=40, seed=1):
    """Rankings drawn almost evenly: one large component, no easy proof."""
    return cc.generate.mallows(m, 25, 0.001, seed=seed)


def insertion_gain(pairs, ranking):
    """The best improvement by one insertion, by recomputing every neighbour."""
    order = list(pairs.order_of(ranking))
    cost = pairs.cost_units(np.array(order))
    best = 0
    for p, q in itertools.permutations(range(len(order)), 2):
        moved = list(order)
        moved.insert(q, moved.pop(p))
        best = max(best, cost - pairs.cost_units(np.array(moved)))
    return best


@given(instances(6))
def test_small_parts_are_solved_and_proven(data):
    pairs = cc.Pairwise.from_rankings(data)
    result = cc.aggregate(data, "auto")
    assert pairs.cost_units(pairs.order_of(result.ranking)) == brute_force(pairs)
    assert result.status == "optimal"
    assert result.gap == 0.0
    assert result.verify(data)


@given(instances(7), st.data())
def test_cost_of_an_order_from_margins(data, choice):
    pairs = cc.Pairwise.from_rankings(data)
    order = np.array(choice.draw(st.permutations(range(data.n_items))), np.int32)
    margins = margins_of(pairs.counts)
    cost = pairs.cost_units(order)
    total = int(pairs.counts.sum())
    assert moves.cost_by_margins(margins, total, order) == cost
    assert Part.whole(pairs.counts).cost(order) == cost


def test_cost_of_many_items_is_the_same():
    pairs = cc.Pairwise.from_rankings(hard(300))
    order = np.random.default_rng(1).permutation(300).astype(np.int32)
    assert Part.whole(pairs.counts).cost(order) == pairs.cost_units(order)


@given(instances(7), st.data())
def test_best_insertion_is_the_best(data, choice):
    pairs = cc.Pairwise.from_rankings(data)
    order = np.array(choice.draw(st.permutations(range(data.n_items))), np.int32)
    p = choice.draw(st.integers(0, data.n_items - 1))
    change, q = moves.least_insertion(margins_of(pairs.counts), order, p)
    cost = pairs.cost_units(order)
    changes = []
    for place in range(data.n_items):
        moved = order.tolist()
        moved.insert(place, moved.pop(p))
        changes.append(pairs.cost_units(np.array(moved)) - cost)
    assert change == min(changes)
    assert changes[q] == change


@pytest.mark.parametrize("seed", range(3))
def test_insertion_ends_in_a_local_optimum(seed):
    data = cc.generate.partial(hard(25, seed), drop=0.3, same_bucket=0.3, seed=seed)
    result = cc.aggregate(data, "insertion")
    assert result.verify(data)
    assert insertion_gain(cc.Pairwise.from_rankings(data), result.ranking) == 0


@given(st.integers(0, 10**6))
@settings(max_examples=5)
def test_island_costs_stay_exact(seed):
    data = hard(30, seed % 7)
    pairs = cc.Pairwise.from_rankings(data)
    island = Island(
        Part.whole(pairs.counts),
        np.arange(30),
        AutoSettings(population=4, patience=3, idle_factor=5),
        np.random.default_rng(seed),
    )
    for _ in range(20):
        island.advance(100_000)
        assert pairs.cost_units(island.best_order) == island.best_cost
        filled = island._state[FILLED]
        for member, cost in zip(island._members[:filled], island._costs[:filled], strict=True):
            assert pairs.cost_units(member) == cost
    assert island._state[RESTARTS] > 0


def test_members_stay_apart():
    pairs = cc.Pairwise.from_rankings(hard(30))
    island = Island(
        Part.whole(pairs.counts),
        np.arange(30),
        AutoSettings(population=8),
        np.random.default_rng(0),
    )
    for _ in range(10):
        island.advance(200_000)
        filled = island._state[FILLED]
        members = island._members[:filled]
        ranks = np.argsort(members, axis=1)
        for a, b in itertools.combinations(range(filled), 2):
            # A better child may take the place of its nearest member and so come within the
            # distance of another, but never onto it.
            assert np.abs(ranks[a] - ranks[b]).sum() > 0


def test_same_answer_on_one_thread_and_two():
    data = hard()
    one = cc.aggregate(data, max_iterations=300_000, seed=7, n_jobs=1)
    two = cc.aggregate(data, max_iterations=300_000, seed=7, n_jobs=2)
    assert one.ranking == two.ranking
    assert (one.iterations, one.generations) == (two.iterations, two.generations)
    assert [point[1:] for point in one.trace] == [point[1:] for point in two.trace]


def test_a_timed_run_can_be_repeated_by_its_iterations():
    data = hard()
    timed = cc.aggregate(data, time_limit=0.2, seed=3, proof=False)
    again = cc.aggregate(data, max_iterations=timed.iterations, seed=3, proof=False)
    assert again.ranking == timed.ranking
    assert again.iterations == timed.iterations


def test_other_seeds_walk_other_ways():
    data = hard(60)
    results = {cc.aggregate(data, max_iterations=1, seed=seed).iterations for seed in range(4)}
    assert len(results) > 1


def test_initial_is_never_made_worse():
    data = hard(60)
    best = cc.aggregate(data, max_iterations=2_000_000)
    again = cc.aggregate(data, max_iterations=1, initial=best)
    assert again.cost <= best.cost


def test_target_generations_and_rules_stop():
    data = hard()
    assert cc.aggregate(data, target=10**9).iterations == 0
    limited = cc.aggregate(data, max_generations=5)
    assert limited.generations >= 5
    idle = cc.aggregate(data, stop=stopping.NoImprovement(50) | stopping.MaxGenerations(10**6))
    assert idle.generations >= 50


def test_parts_are_solved_apart_and_joined():
    # Two hard blocks, the first unanimously before the second.
    block = hard(20)
    names = [[item for bucket in buckets for item in bucket] for buckets, _ in block]
    orders = [[f"a{i}" for i in order] + [f"b{i}" for i in order] for order in names]
    data = cc.Rankings.from_orders(orders)
    result = cc.aggregate(data, max_iterations=200_000)
    assert {item[0] for item in result.ranking[:20]} == {"a"}
    single = cc.aggregate(block, max_iterations=200_000)
    assert result.cost == 2 * single.cost


def test_distances_to_draw_are_symmetric_and_within_reach():
    drawn = distances_to_draw(10, 1.0)
    assert sorted(set(drawn.tolist())) == [d for d in range(-9, 10) if d]
    assert drawn.sum() == 0
    assert (np.abs(drawn) == 1).mean() == pytest.approx(
        1 / sum(1 / d for d in range(1, 10)), abs=0.01
    )


@pytest.mark.parametrize("crossover", ["order-based", "cpsc", "position-based", "none"])
def test_every_crossover_runs(crossover):
    data = hard(20)
    result = cc.aggregate(data, crossover=crossover, max_generations=30, population=5)
    assert result.verify(data)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"islands": 0}, "islands must be a whole number of at least 1"),
        ({"population": 1}, "population"),
        ({"crossover": "cut"}, "'order-based', 'cpsc'"),
        ({"patience": 0}, "patience"),
        ({"idle_factor": 0}, "idle_factor"),
        ({"history_length": 0}, "history_length"),
        ({"reach": -1}, "reach"),
        ({"time_limit": -1}, "time limit"),
        ({"max_iterations": -5}, "iteration limit"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        cc.aggregate([[0, 1], [0, 0]], "auto", **settings)
