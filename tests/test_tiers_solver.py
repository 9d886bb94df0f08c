"""Answers with ties against brute force: parts, twins, subsets, search, tree and solver."""

import importlib.util
import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant._kernels import tiers_ascent, tiers_rows, tiers_search
from concordant.rankings import Rankings
from concordant.tiers import subsets
from concordant.tiers.ascent import Ascent
from concordant.tiers.certificate import KINDS, check, optimum_by_subsets
from concordant.tiers.costs import TierCosts
from concordant.tiers.parts import TierPart, TierSplit, dense, twins
from concordant.tiers.rows import KIND_NAMES, RowTable, exact_bound
from concordant.tiers.search import TierSearch
from concordant.tiers.solver import TierSolver
from concordant.tiers.tree import TierTree
from concordant.tiers.wide import WideTierProof
from strategies import ballots, make
from tiers_common import PENALTIES, optimum, problems, random_problem, weak_orders


def whole(costs):
    """The problem as one part, without any reduction."""
    m = costs.n_items
    return TierPart(np.arange(m), np.ones(m, np.int64), costs.before, costs.tied, 0)


# -- parts, twins, subsets -----------------------------------------------------------------


@given(problems(), st.booleans())
def test_parts_solved_apart_are_optimal_together(costs, contract):
    split = TierSplit.of(costs, contract=contract)
    solved = [subsets.solve(part.before, part.tied) for part in split.parts]
    joined = split.join([bucket for bucket, _ in solved])
    total = split.between + sum(
        part.inside + cost for part, (_, cost) in zip(split.parts, solved, strict=True)
    )
    assert total == costs.cost_units(joined) == optimum(costs)


@given(ballots(max_items=5, max_rankings=3), PENALTIES, PENALTIES)
@settings(max_examples=40)
def test_twins_can_be_tied(given_ballots, p, q):
    costs = TierCosts.from_rankings(make(given_ballots), p, q)
    groups = twins(costs.before, costs.tied)
    assert sorted(np.concatenate(groups).tolist()) == list(range(costs.n_items))
    tied = [
        costs.cost_units(bucket)
        for bucket in weak_orders(costs.n_items)
        if all(len(set(bucket[group])) == 1 for group in groups)
    ]
    assert min(tied) == optimum(costs)


def test_items_that_others_see_alike_are_no_twins_where_a_tie_is_dear():
    before = np.array([[0, 0, 3, 1], [4, 0, 3, 1], [1, 1, 0, 3], [3, 3, 1, 0]])
    tied = np.full((4, 4), 2)
    np.fill_diagonal(tied, 0)
    assert [group.size for group in twins(before, tied)] == [1, 1, 1, 1]
    tied[0, 1] = tied[1, 0] = 0
    assert [group.tolist() for group in twins(before, tied)] == [[0, 1], [2], [3]]


def test_a_part_translates_weak_orders():
    data = Rankings.from_orders([[("a", "b"), "c"], ["c", ("a", "b")], [("c", "a", "b")]])
    (part,) = TierSplit.of(TierCosts.from_rankings(data)).parts
    assert part.items.tolist() in ([0, 1, 2], [2, 0, 1])
    assert sorted(part.groups.tolist()) in ([1, 2], [3])
    assert part.of_groups(np.zeros(3, np.int64)).tolist() == [0] * part.size


@given(problems(max_items=5), st.booleans())
@settings(max_examples=40)
def test_subsets_find_the_optimum_for_every_number_of_tiers(costs, by_kernel):
    with pytest.MonkeyPatch.context() as patch:
        if by_kernel:
            patch.setattr(subsets, "_PLAIN", 0)
        bucket, cost = subsets.solve(costs.before, costs.tied)
        assert cost == costs.cost_units(bucket) == optimum(costs)
        for n in range(1, costs.n_items + 1):
            bucket, cost = subsets.solve(costs.before, costs.tied, n)
            assert len(set(bucket.tolist())) == n
            known = [costs.cost_units(b) for b in weak_orders(costs.n_items) if max(b) + 1 == n]
            assert cost == costs.cost_units(bucket) == min(known)


@pytest.mark.parametrize("m", [8, 9, 11, 12])
def test_subsets_and_the_checker_agree(m):
    costs = random_problem(m, m, 9)
    bucket, cost = subsets.solve(costs.before, costs.tied)
    assert cost == costs.cost_units(bucket) == optimum_by_subsets(costs.before, costs.tied)


# -- the search ----------------------------------------------------------------------------


@given(problems(min_items=2), st.data())
def test_the_best_place_is_best(costs, data):
    part = whole(costs)
    bucket = dense(np.array(data.draw(st.sampled_from(weak_orders(costs.n_items)))))
    a = data.draw(st.integers(0, costs.n_items - 1))
    n = int(bucket.max()) + 1
    room = np.empty(costs.n_items + 1, np.int64), np.empty(costs.n_items + 1, np.int64)
    change, where = tiers_search.best_place(part.level, part.behind, bucket, n, a, *room)
    changes = []
    for place in range(2 * n + 1):
        moved = bucket.copy()
        sizes = np.zeros(costs.n_items + 1, np.int64)
        sizes[:n] = np.bincount(bucket)
        found = tiers_search.put(moved, sizes, n, a, place)
        assert np.array_equal(dense(moved), moved)
        assert sizes[:found].tolist() == np.bincount(moved).tolist()
        expected = 2 * bucket + 1
        expected[a] = place
        assert dense(expected).tolist() == moved.tolist()
        changes.append(part.cost(moved) - part.cost(bucket))
    assert change == min(changes) == changes[where]


@given(problems(min_items=2, max_items=4), st.data())
def test_a_merge_is_the_cheapest_that_keeps_both_orders(costs, data):
    part, m = whole(costs), costs.n_items
    one, two = (np.array(data.draw(st.sampled_from(weak_orders(m)))) for _ in range(2))
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=m, max_size=m)))
    child = np.empty(m, np.int64)
    tiers_search.merge(part.level, part.behind, one, two, chosen, child)

    def keeps(bucket):
        return all(
            np.sign(bucket[a] - bucket[b]) == np.sign(parent[a] - parent[b])
            for parent, some in ((one, chosen), (two, ~chosen))
            for a, b in itertools.combinations(np.flatnonzero(some), 2)
        )

    assert keeps(child)
    assert part.cost(child) == min(part.cost(b) for b in weak_orders(m) if keeps(b))


@given(problems(min_items=1, max_items=5), st.data())
def test_an_order_is_divided_at_least_cost(costs, data):
    part, m = whole(costs), costs.n_items
    order = np.array(data.draw(st.permutations(range(m))))
    exactly = data.draw(st.integers(0, m))
    bucket = np.empty(m, np.int64)
    tiers_search.divide(part.level, part.behind, order, exactly, bucket)
    possible = [
        b
        for b in weak_orders(m)
        if (np.diff(b[order]) >= 0).all() and (exactly == 0 or max(b) + 1 == exactly)
    ]
    assert part.cost(bucket) == min(part.cost(b) for b in possible)
    assert any((bucket == b).all() for b in possible)


def test_the_same_steps_give_the_same_answer():
    part = whole(random_problem(30, 1, 50))
    runs = []
    for budgets in ([40_000] * 12, [40_000] * 12):
        search = TierSearch(part, [7])
        for budget in budgets:
            search.advance(budget)
        runs.append((search.cost, search.bucket.tolist(), search.steps))
        assert search.cost == part.cost(search.bucket)
    assert runs[0] == runs[1]


def test_an_offer_is_taken():
    costs = random_problem(8, 3)
    part = whole(costs)
    best, cost = subsets.solve(costs.before, costs.tied)
    search = TierSearch(part, [0])
    search.offer(best)
    assert search.cost == cost
    search.advance(100_000)
    assert search.cost == cost


@pytest.mark.parametrize("seed", range(5))
def test_the_search_finds_the_optimum_of_few_items(seed):
    costs = random_problem(10, seed, 20)
    search = TierSearch(whole(costs), [seed])
    search.advance(10_000_000)
    assert search.cost == optimum_by_subsets(costs.before, costs.tied)


# -- the bound -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(KIND_NAMES))
def test_every_weak_order_obeys_every_row(kind):
    """And some make it tight, so that no smaller limit is right."""
    terms = np.zeros(tiers_rows.WIDTH, np.int32)
    n, limit = tiers_rows.set_terms(kind, np.arange(4), 4, 4, terms)
    values = []
    for bucket in weak_orders(4):
        y = (bucket[:, None] <= bucket).astype(int).reshape(-1)
        values.append(sum(y[t] if t >= 0 else -y[-t - 1] for t in terms[:n].tolist()))
    assert max(values) == limit
    if KIND_NAMES[kind] in KINDS:
        plus, minus, stated = KINDS[KIND_NAMES[kind]]
        number = {a + b: 4 * i + j for i, a in enumerate("abcd") for j, b in enumerate("abcd")}
        expected = [number[p] for p in plus.split()] + [-number[p] - 1 for p in minus.split()]
        assert sorted(expected) == sorted(terms[:n].tolist())
        assert stated == limit


@given(st.lists(st.floats(-2, 3), min_size=2, max_size=12), st.floats(0.05, 0.95))
def test_the_step_of_a_row_reaches_its_goal(values, share):
    values = np.array(values)
    goal = share * values.size
    step = tiers_rows.row_step(values, values.size, goal)
    assert np.clip(values - step, 0, 1).sum() == pytest.approx(goal, abs=1e-6)


@given(st.integers(3, 5), st.data())
def test_restricting_a_pair_leaves_the_weak_orders_that_fit(m, data):
    """No weak order that fits is lost, and each pair of a possible case keeps a state."""
    states = np.full((m, m), 7, np.int8)
    stack = np.empty((m * m + 2, 2), np.int32)
    orders = weak_orders(m)
    state_of = {-1: 1, 0: 2, 1: 4}
    for _ in range(data.draw(st.integers(1, 4))):
        a, b = data.draw(st.permutations(range(m)))[:2]
        allowed = data.draw(st.integers(1, 6))
        orders = [o for o in orders if state_of[int(np.sign(o[a] - o[b]))] & allowed]
        possible = tiers_ascent.restrict(states, a, b, allowed, stack)
        if not possible:
            assert not orders
            return
        for order in orders:
            for i, j in itertools.permutations(range(m), 2):
                assert state_of[int(np.sign(order[i] - order[j]))] & states[i, j]


@given(problems(min_items=3, max_items=5))
@settings(max_examples=25)
def test_no_bound_is_above_the_optimum(costs):
    part = whole(costs)
    m = costs.n_items
    ascent = Ascent(part.alpha, np.full((m, m), 7, np.int8))
    best = optimum(costs)
    for turn in range(20):
        for _ in ascent.round():
            pass
        if turn % 5 == 4:
            for _ in ascent.add_four():
                pass
        for scale in ascent.scales():
            found = exact_bound(part.alpha, ascent.states, ascent.multipliers(scale))
            assert part.base + found.units() <= best


@given(problems(min_items=2, max_items=5), st.data())
@settings(max_examples=40)
def test_the_tree_proves_the_optimum(costs, data):
    part = whole(costs)
    start = data.draw(st.sampled_from(weak_orders(costs.n_items)))
    tree = TierTree(part, start)
    best = optimum(costs)
    for _ in tree.slices():
        assert tree.bound <= best <= tree.cost
    assert tree.bound == tree.cost == part.cost(tree.bucket) == best


@given(ballots(max_items=5, max_rankings=5), PENALTIES, PENALTIES)
@settings(max_examples=40)
def test_the_solver_proves_the_optimum_of_rankings(given_ballots, p, q):
    costs = TierCosts.from_rankings(make(given_ballots), p, q)
    solver = TierSolver(costs)
    solver.work()
    assert solver.solved
    assert solver.cost == solver.bound == costs.cost_units(solver.bucket) == optimum(costs)
    certificate = json.loads(json.dumps(solver.certificate()))
    assert check(certificate, costs.before, costs.tied) == solver.bound


def tied_mallows(m, n, theta, share, seed):
    """Rankings around a common order in which neighbours are tied at random."""
    strict = cc.generate.mallows(m, n, theta, seed=seed)
    rng = np.random.default_rng(seed)
    buckets = np.cumsum(rng.random(strict.members.size) > share).astype(np.int32)
    return Rankings.from_arrays(strict.items, strict.offsets, strict.members, buckets, strict.units)


@pytest.mark.parametrize(("share", "p"), [(0.5, 0.5), (0.8, 1)])
def test_forty_items_are_proven_at_the_root(share, p):
    costs = TierCosts.from_rankings(tied_mallows(40, 8, 0.05, share, 1), p)
    solver = TierSolver(costs, seed=3)
    solver.work(max_rounds=200)
    assert solver.solved
    certificate = json.loads(json.dumps(solver.certificate()))
    assert check(certificate, costs.before, costs.tied) == solver.cost


def test_threads_and_rounds_do_not_change_the_answer():
    costs = random_problem(22, 5, 30)
    answers = []
    for n_jobs in (1, 2):
        solver = TierSolver(costs, seed=1)
        solver.work(max_rounds=4, n_jobs=n_jobs)
        answers.append((solver.cost, solver.bound, solver.bucket.tolist(), solver.iterations))
        assert solver.rounds <= 4
    assert answers[0] == answers[1]


def test_a_solver_stops_when_told_and_keeps_what_it_has():
    costs = random_problem(60, 2, 100)
    asked = []
    solver = TierSolver(costs)
    solver.work(lambda: asked.append(1) or len(asked) == 3)
    assert solver.rounds == len(asked) == 3
    assert costs.trivial <= solver.bound <= solver.cost == costs.cost_units(solver.bucket)
    certificate = json.loads(json.dumps(solver.certificate()))
    assert check(certificate, costs.before, costs.tied) == solver.bound


def test_a_start_is_never_made_worse():
    costs = random_problem(30, 4, 40)
    first = TierSolver(costs)
    first.work(max_rounds=6)
    second = TierSolver(costs, starts=[first.bucket])
    assert second.cost <= first.cost
    third = TierSolver(costs, seed=9)
    third.offer(first.bucket)
    assert third.cost <= first.cost


@pytest.mark.parametrize("p", [0.5, 1])
def test_the_bound_of_many_items_is_above_the_trivial_one_and_checked(p):
    data = tied_mallows(90, 6, 0.05, 0.5, 2)
    part = max(TierSplit.of(TierCosts.from_rankings(data, p)).parts, key=lambda one: one.size)
    search = TierSearch(part, [0])
    search.advance(3_000_000)
    proof = WideTierProof(part, search.bucket)
    for number, _ in enumerate(proof.slices()):
        assert proof.bound <= proof.cost
        if number == 60:
            break
    assert proof.bound > part.trivial
    # The bound is that of the part with its groups as items.
    alone = TierCosts(tuple(range(part.size)), part.before.copy(), part.tied.copy())
    certificate = TierSolver(alone, proof=False).certificate()
    facts = proof.to_dict()
    certificate["bound"] = proof.bound - part.inside
    facts["cutoff"] -= part.inside
    component = {"items": list(range(part.size)), "bound": proof.bound - part.inside, **facts}
    certificate["components"] = [component]
    assert check(certificate, alone.before, alone.tied) == proof.bound - part.inside


def test_rows_are_joined_and_taken():
    items = np.zeros((2, tiers_rows.WIDTH), np.int32)
    items[:, :4] = [[0, 1, 2, 3], [3, 2, 1, 0]]
    kinds = np.array([tiers_rows.FOUR_B, tiers_rows.PATH], np.int8)
    table = RowTable.of(kinds, np.full(2, 4, np.int8), items, 5)
    assert table.limits.tolist() == [1, 2]
    twice = table.joined(table)
    assert twice.number == 4
    assert twice.take(np.array([False, True, False, True])).kinds.tolist() == [0, 0]


@pytest.mark.parametrize("kind", ["negative", "zero", "huge"])
def test_trees_prove_costs_of_every_size(kind):
    rng = np.random.default_rng(3)
    low, high = {"negative": (-9, 9), "zero": (0, 1), "huge": (0, 2**54)}[kind]
    before, tied = rng.integers(low, high, (2, 6, 6))
    costs = TierCosts(tuple(range(6)), before, np.minimum(tied, tied.T))
    tree = TierTree(whole(costs), np.zeros(6, np.int64))
    for _ in tree.slices():
        pass
    assert tree.cost == tree.bound == optimum_by_subsets(costs.before, costs.tied)


def test_random_inputs_against_brute_force(monkeypatch):
    """The first inputs of `benchmarks/tiers.py check`, which runs thousands of them."""
    path = Path(__file__).parent.parent / "benchmarks" / "tiers.py"
    spec = importlib.util.spec_from_file_location("benchmark_of_tiers", path)
    checks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(checks)
    # What a check changes is restored afterwards.
    for module, name in (
        (checks.trees, "LARGEST_FOUR"),
        (checks.trees, "_PATIENCE_ROOT"),
        (checks.fixed, "_ROUND"),
    ):
        monkeypatch.setattr(module, name, getattr(module, name))
    checks.check_many(25, 7, seed=0)
