"""`auto` and `insertion`: correct bookkeeping, repeatable runs, local optima."""

import itertools
from contextvars import ContextVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant import running, stopping
from concordant._kernels import moves
from concordant._kernels.descent import Descent, descend, descend_by_numpy, reset_bounds
from concordant._kernels.evolution import distances_from, ranks_of, survivors
from concordant._kernels.state import COST, ITERATIONS, SCANNED, new_state
from concordant._kernels.sweeps import descend_in_sweeps
from concordant.algorithms import scoring
from concordant.algorithms.registry import get
from concordant.errors import SettingError
from concordant.reduction.split import Part, margins_of
from concordant.running import Run
from concordant.solver import evolution
from concordant.solver.auto import AutoSettings
from concordant.solver.evolution import Population, table_of, wide_enough
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
    rank = np.argsort(order).astype(np.int32)
    change, q = moves.least_insertion(margins_of(pairs.counts), order, rank, p)
    cost = pairs.cost_units(order)
    changes = []
    for place in range(data.n_items):
        moved = order.tolist()
        moved.insert(place, moved.pop(p))
        changes.append(pairs.cost_units(np.array(moved)) - cost)
    if data.n_items > 1:
        assert change == min(changes[:p] + changes[p + 1 :])
        assert changes[q] == change


@pytest.mark.parametrize("seed", range(3))
def test_insertion_ends_in_a_local_optimum(seed):
    data = cc.generate.partial(hard(25, seed), drop=0.3, same_bucket=0.3, seed=seed)
    result = cc.aggregate(data, "insertion")
    assert result.verify(data)
    assert insertion_gain(cc.Pairwise.from_rankings(data), result.ranking) == 0


@given(instances(9), st.integers(0, 2**32), st.integers(1, 200))
def test_a_descent_in_slices_ends_in_a_local_optimum(data, seed, budget):
    pairs = cc.Pairwise.from_rankings(data)
    part = Part.whole(pairs.counts)
    order = np.random.default_rng(seed).permutation(data.n_items).astype(np.int32)
    without_kernel = order.copy()
    descent = Descent(part.margins, order, part.cost(order.astype(np.int64)))
    while not descent.finished:
        descent.advance(budget)
        assert descent.cost == pairs.cost_units(order)
    descend_by_numpy(part.margins, without_kernel)
    assert without_kernel.tolist() == order.tolist()
    assert insertion_gain(pairs, [data.items[a] for a in order]) == 0


def test_items_that_cannot_move_are_passed_over():
    part = Part.whole(cc.Pairwise.from_rankings(hard(120)).counts)
    order = np.random.default_rng(1).permutation(120).astype(np.int32)
    plain = order.tolist()
    state, bounds = new_state(part.cost(order.astype(np.int64))), np.zeros((2, 120), np.int64)
    reset_bounds(bounds)
    descend(part.margins, bounds, order, state, 10**9)
    # The same descent, which evaluates each item at each of its turns.
    turns = scanned = 0
    while scanned < 120:
        p = plain.index(turns % 120)
        rank = np.argsort(plain).astype(np.int32)
        change, q = moves.least_insertion(part.margins, np.array(plain, np.int32), rank, p)
        scanned += 1
        turns += 1
        if change < 0:
            plain.insert(q, plain.pop(p))
            scanned = 1
    assert order.tolist() == plain
    assert 120 < state[ITERATIONS] < turns


@given(instances(), st.data())
def test_sweeps_end_at_a_local_optimum(data, choice):
    pairs = cc.Pairwise.from_rankings(data)
    part = Part.whole(pairs.counts)
    order = np.array(choice.draw(st.permutations(range(data.n_items))), np.int32)
    table, state = table_of(part.margins, data.n_items), new_state(0)
    budget = choice.draw(st.sampled_from([1, 50, 10**9]))
    while state[SCANNED] < data.n_items:
        work = descend_in_sweeps(part.margins, part.total, table, order, state, budget)
        assert work > 0
        assert sorted(order.tolist()) == list(range(data.n_items))
        assert state[COST] == pairs.cost_units(order)
    assert insertion_gain(pairs, [data.items[a] for a in order]) == 0


@pytest.mark.parametrize("kind", [np.int32, np.int64])
@pytest.mark.parametrize("m", [2, 15, 16, 17, 31, 32, 100])
def test_sweeps_across_blocks_of_rows(m, kind):
    rng = np.random.default_rng(m)
    part = Part.whole(rng.integers(0, 1000, (m, m)) * (1 - np.eye(m, dtype=np.int64)))
    margins = part.margins.astype(kind)
    order, state = rng.permutation(m).astype(np.int32), new_state(0)
    descend_in_sweeps(margins, part.total, table_of(margins, m), order, state, 10**9)
    assert state[SCANNED] == m
    assert state[ITERATIONS] % m == 0
    assert state[COST] == part.cost(order.astype(np.int64))
    rank = np.argsort(order).astype(np.int32)
    assert all(moves.least_insertion(margins, order, rank, p)[0] >= 0 for p in range(m))


def test_sums_that_need_64_bits():
    wide = np.array([[0, 2**30, 2**30], [-(2**30), 0, 5], [-(2**30), -5, 0]], np.int32)
    assert wide_enough(wide).dtype == np.int64
    assert wide_enough(wide // 2).dtype == np.int32


def population(m=30, seed=0, **settings):
    pairs = cc.Pairwise.from_rankings(hard(m))
    rng = np.random.default_rng(seed)
    found = Population(Part.whole(pairs.counts), np.arange(m), AutoSettings(**settings), rng)
    found.begin(1.0)
    return pairs, found


@pytest.mark.parametrize("crossover", ["merge", "order-based", "none"])
def test_costs_of_a_population_stay_exact(crossover):
    pairs, found = population(population=6, crossover=crossover)
    for turn in range(60):
        for task in found.tasks(30_000):
            task()
        found.take_best()
        assert pairs.cost_units(found.best_order) == found.best_cost
        if found.is_complete:
            found.next_generation(turn / 60, last=True)
            for member, cost in zip(found._members, found._costs, strict=True):
                assert pairs.cost_units(member) == cost
    assert found.generations > 3


@given(st.integers(0, 2**32), st.integers(0, 60))
def test_survivors_are_cheap_and_apart(seed, distance):
    rng = np.random.default_rng(seed)
    orders = np.array([rng.permutation(8) for _ in range(10)], np.int32)
    costs = rng.integers(0, 9, 10)
    chosen = np.empty(5, np.int64)
    survivors(orders, costs, distance, chosen)
    assert len(set(chosen.tolist())) == 5
    assert costs[chosen[0]] == costs.min()
    between = np.empty(10, np.int64)
    nearest = np.full(10, 10**6)
    for place, k in enumerate(chosen.tolist()):
        left = [j for j in range(10) if j not in chosen[:place].tolist()]
        apart = [j for j in left if nearest[j] >= distance]
        if apart:
            assert costs[k] == min(costs[j] for j in apart)
        else:
            assert nearest[k] == max(nearest[j] for j in left)
        ranks = ranks_of(orders)
        assert ranks.tolist() == np.argsort(orders, axis=1).tolist()
        distances_from(ranks[k], ranks, between)
        assert between.tolist() == np.abs(ranks - ranks[k]).sum(axis=1).tolist()
        nearest = np.minimum(nearest, between)


def test_same_answer_on_one_thread_and_two():
    data = hard()
    one = cc.aggregate(data, max_iterations=300_000, seed=7, proof=False, n_jobs=1)
    two = cc.aggregate(data, max_iterations=300_000, seed=7, proof=False, n_jobs=2)
    assert one.ranking == two.ranking
    assert (one.iterations, one.generations) == (two.iterations, two.generations)
    assert [point[1:] for point in one.trace] == [point[1:] for point in two.trace]


@pytest.mark.parametrize("limit", [1e-6, 1e-3, 0.3])
def test_a_timed_run_can_be_repeated_by_its_plan(limit):
    data = hard()
    timed = cc.aggregate(data, time_limit=limit, seed=3, proof=False)
    plan = timed.details["plan"]
    again = cc.aggregate(
        data, max_iterations=timed.iterations, seed=3, proof=False, plan=plan, n_jobs=1
    )
    assert again.ranking == timed.ranking
    assert (again.iterations, again.generations) == (timed.iterations, timed.generations)
    assert again.details["plan"][: len(plan)] == plan


def test_without_a_time_limit_epochs_grow(monkeypatch):
    # A rate that does not depend on the machine.
    monkeypatch.setattr(evolution.Schedule, "_rate", lambda self: 3_000.0)
    # Without the proof, which may end the run at any moment.
    stop = stopping.NoImprovement(10**9) | stopping.MaxGenerations(400)
    result = cc.aggregate(hard(), stop=stop, proof=False)
    plan = result.details["plan"]
    assert len(plan) >= 3
    assert plan == sorted(plan)


def test_other_seeds_walk_other_ways():
    data = hard(60)
    results = {
        cc.aggregate(data, max_generations=1, proof=False, seed=seed).iterations
        for seed in range(4)
    }
    assert len(results) > 1


def test_initial_is_never_made_worse():
    data = hard(60)
    best = cc.aggregate(data, max_iterations=2_000_000)
    again = cc.aggregate(data, max_iterations=1, initial=best)
    assert again.cost <= best.cost


def test_target_generations_and_rules_stop():
    data = hard()
    assert cc.aggregate(data, target=10**9).iterations == 0
    limited = cc.aggregate(data, max_generations=5, proof=False)
    assert limited.generations >= 5
    rule = stopping.NoImprovement(50) | stopping.MaxGenerations(10**6)
    idle = cc.aggregate(data, stop=rule, proof=False)
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


@pytest.mark.parametrize("crossover", ["merge", "order-based", "cpsc", "position-based", "none"])
def test_every_crossover_runs(crossover):
    data = hard(20)
    limits = {"max_generations": 30, "population": 5, "proof": False}
    result = cc.aggregate(data, crossover=crossover, **limits)
    assert result.verify(data)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"population": 1}, "population"),
        ({"population": 10**8}, "population must be at most"),
        ({"crossover": "cut"}, "'merge', 'order-based', 'cpsc'"),
        ({"diversity": -1}, "diversity"),
        ({"plan": 5}, "plan must be a list"),
        ({"plan": [0]}, "plan must be a whole number"),
        ({"descent": "both"}, "descent"),
        ({"time_limit": -1}, "time limit"),
        ({"max_iterations": -5}, "iteration limit"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        cc.aggregate([[0, 1], [0, 0]], "auto", **settings)


@pytest.mark.parametrize("method", ["auto", "insertion"])
@pytest.mark.parametrize("limit", [0, 3])
def test_many_items_have_an_answer_when_time_is_short(method, limit, monkeypatch):
    monkeypatch.setattr(running, "_counted_at_once", ContextVar("counted", default=5))
    monkeypatch.setattr(scoring, "LARGE", 5)
    clock = itertools.count()
    data = hard(30)
    run = Run(data, rule=stopping.MaxTime(limit), clock=lambda: next(clock))
    chosen = get(method)
    chosen.function()(run, chosen.make_settings({}))
    assert run.cost == cc.Pairwise.from_rankings(data).cost_units(run.order)
    assert run.is_counted == (limit > 0)
