"""LADS follows its pseudo-code, and its three evaluators agree on every move."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant import stopping
from concordant._kernels import lads as kernels
from concordant._kernels import moves
from concordant._kernels.rng import below, draw, shuffle, sort_by
from concordant._kernels.state import new_state
from concordant.algorithms.lads import LadsSearch, LadsSettings, Problem, lads
from concordant.errors import SettingError
from concordant.reduction.split import margins_of
from concordant.running import Run


@st.composite
def instances(draw, most=7):
    """Rankings with ties, gaps and weights, from numbers of buckets per item."""
    m = draw(st.integers(2, most))
    row = st.lists(st.integers(0, m), min_size=m, max_size=m)
    rows = draw(st.lists(row, min_size=1, max_size=6))
    weights = draw(st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows)))
    unranked = draw(st.sampled_from(["unknown", "last"]))
    return cc.Rankings.from_ranks(rows, weights=weights, unranked=unranked)


def problem_of(data, **options):
    return Problem(Run(data), LadsSettings(**options))


@given(instances(), st.data())
def test_all_evaluators_give_the_same_change_for_every_move(data, choice):
    m = data.n_items
    pairs = cc.Pairwise.from_rankings(data)
    order = np.array(choice.draw(st.permutations(range(m))), np.int32)
    p, q = choice.draw(st.permutations(range(m)))[:2]
    columns = np.empty((m, m), np.int32)
    moves.lay_out(margins_of(pairs.counts), order, columns)
    ballots = problem_of(data, evaluator="incremental").ballots
    rank = np.empty(m, np.int64)
    for insertion in (True, False):
        if not insertion and p > q:
            p, q = q, p
        moved = order.copy()
        moves.move(moved, p, q, insertion)
        expected = pairs.cost_units(moved) - pairs.cost_units(order)
        rank[order] = np.arange(1, m + 1)
        if insertion:
            pairwise = moves.insertion_change(columns, order, p, q)
            incremental = kernels.insertion_incremental(ballots, order, p, q)
        else:
            pairwise = moves.swap_change(columns, order, p, q)
            incremental = kernels.swap_incremental(ballots, rank, order[p], order[q])
        full = kernels.full_cost(ballots, moved, rank)
        assert pairwise == expected
        assert incremental == expected
        assert full == pairs.cost_units(moved)


def distance(first, second):
    """Kendall's distance of two rank vectors, by its definition."""
    return sum(
        (first[i] - first[j]) * (second[i] - second[j]) < 0
        for i, j in itertools.combinations(range(len(first)), 2)
    )


def algorithm_2(pi, ranking, i, j):
    """The change of distance as the paper prints it, line by line; pi, ranking: rank vectors."""
    if ranking[i] > ranking[j]:
        i, j = j, i
    count = 1 if pi[i] > pi[j] else -1
    for place in range(ranking[i] + 1, ranking[j]):
        v = ranking.index(place)
        if pi[i] > pi[v] > pi[j] or pi[i] < pi[v] < pi[j]:
            count += -1 if pi[i] > pi[v] else 1
            count += -1 if pi[v] > pi[j] else 1
    return count


def test_algorithm_2_as_printed_is_wrong_and_ours_is_right():
    """All orders, rankings and swaps of four items: neither reading of pi holds for all."""
    wrong = {"before": 0, "after": 0}
    for ranking in itertools.permutations(range(1, 5)):
        data = cc.Rankings.from_ranks([ranking])
        ballots = problem_of(data, evaluator="incremental").ballots
        for before in itertools.permutations(range(1, 5)):
            for a, b in itertools.permutations(range(4), 2):
                if before[a] > before[b]:
                    continue
                after = list(before)
                after[a], after[b] = before[b], before[a]
                change = distance(after, ranking) - distance(before, ranking)
                ours = kernels.swap_incremental(ballots, np.array(before), a, b)
                assert ours == change
                wrong["before"] += algorithm_2(before, ranking, a, b) != change
                wrong["after"] += algorithm_2(tuple(after), ranking, a, b) != change
    assert wrong["before"] > 0
    assert wrong["after"] > 0


@given(instances(), st.integers(0, 100), st.sampled_from(["swap", "insertion"]))
@settings(max_examples=30)
def test_all_evaluators_walk_the_same_way(data, seed, neighbourhood):
    results = [
        cc.aggregate(
            data,
            "lads",
            seed=seed,
            evaluator=evaluator,
            neighbourhood=neighbourhood,
            max_idle=30,
            start="random",
        )
        for evaluator in ("pairwise", "incremental", "full")
    ]
    assert len({(r.ranking, r.cost) for r in results}) == 1
    if results[0].status != "optimal":
        # A proven one stops at the end of a slice, and slices differ.
        assert len({r.iterations for r in results}) == 1


def test_a_strict_local_optimum_ends_the_search():
    # Condorcet's cycle, doubled in weight on one side: no swap is free, none improves.
    data = cc.Rankings.from_orders([list("abc"), list("bca"), list("cab")], weights=[3, 2, 2])
    result = cc.aggregate(data, "lads", start="borda")
    assert (result.cost, result.status) == (8, "feasible")


@given(
    st.lists(st.integers(0, 6), min_size=1, max_size=40),
    st.integers(1, 6),
)
def test_history_follows_the_pseudo_code(costs, length):
    """The kernel's list, f_max and count equal a plain transcription of Algorithm 3."""
    history = np.full(length, costs[0], np.int64)
    kernels.start_history(history, new_state(costs[0]), costs[0])
    f_max, count = costs[0], length
    expected = [costs[0]] * length
    expected_max, expected_count = costs[0], length
    previous = costs[0]
    for step, cost in enumerate(costs):
        v = step % length
        f_max, count = kernels.update_history(history, v, cost, previous, f_max, count)
        if cost > expected[v]:
            expected[v] = cost
        elif cost < expected[v] and cost < previous:
            if expected[v] == expected_max:
                expected_count -= 1
            expected[v] = cost
            if expected_count == 0:
                expected_max = max(expected)
                expected_count = expected.count(expected_max)
        previous = cost
        assert (history.tolist(), f_max, count) == (expected, expected_max, expected_count)


def plain_lads(pairs, order, history_length, max_idle, idle_kind, insertion, stream):
    """Algorithm 3 written out with recomputed costs, drawing as the kernel does."""
    m = len(order)
    order = list(order)
    cost = best_cost = pairs.cost_units(np.array(order))
    best = list(order)
    history = [cost] * history_length
    f_max, count = cost, history_length
    iterations = idle = rejected = 0
    while idle < max_idle and rejected < 20 * m * m:
        previous = cost
        bits = int(draw(stream))
        p = ((bits & 0xFFFFFFFF) * m) >> 32
        q = ((bits >> 32) * (m - 1)) >> 32
        q += q >= p
        candidate = list(order)
        if insertion:
            candidate.insert(q, candidate.pop(p))
        else:
            candidate[p], candidate[q] = candidate[q], candidate[p]
        new = pairs.cost_units(np.array(candidate))
        if idle_kind == "all":
            idle += 1
        rejected += 1
        if new == cost or new < f_max:
            order, cost, rejected = candidate, new, 0
            if cost < best_cost:
                best, best_cost, idle = list(order), cost, 0
            elif idle_kind == "accepted":
                idle += 1
        v = iterations % history_length
        if cost > history[v]:
            history[v] = cost
        elif cost < history[v] and cost < previous:
            if history[v] == f_max:
                count -= 1
            history[v] = cost
            if count == 0:
                f_max = max(history)
                count = history.count(f_max)
        iterations += 1
    return best, best_cost, iterations


@given(
    instances(),
    st.integers(1, 6),
    st.sampled_from(["accepted", "all"]),
    st.booleans(),
    st.integers(0, 1000),
)
@settings(max_examples=40)
def test_kernel_equals_the_pseudo_code(data, length, idle, insertion, seed):
    pairs = cc.Pairwise.from_rankings(data)
    options = {
        "history_length": length,
        "max_idle": 25,
        "idle": idle,
        "neighbourhood": "insertion" if insertion else "swap",
    }
    order = np.random.default_rng(seed).permutation(data.n_items)
    search = LadsSearch(problem_of(data, **options), order, np.random.default_rng(seed))
    stream = search._walk.stream.copy()
    while not search.finished:
        search.advance()
    best, cost, iterations = plain_lads(pairs, order, length, 25, idle, insertion, stream)
    assert (search.best.tolist(), search.best_cost, search.iterations) == (best, cost, iterations)


def test_slices_do_not_change_the_walk(monkeypatch):
    data = cc.generate.mallows(30, 11, 0.01, seed=3)
    whole = cc.aggregate(data, "lads", seed=5, max_idle=500)
    monkeypatch.setattr("concordant.algorithms.lads._SLICE", 50)
    sliced = cc.aggregate(data, "lads", seed=5, max_idle=500)
    assert (sliced.ranking, sliced.iterations) == (whole.ranking, whole.iterations)


def test_until_limit_passes_the_guard_the_idle_limit_and_the_bound():
    # Two items, one optimal order: the bound is met at once, and every move is refused.
    data = cc.Rankings.from_orders([["a", "b"]])
    stopped = cc.aggregate(data, "lads", max_iterations=10**6)
    assert stopped.iterations < 10**6
    result = cc.aggregate(data, "lads", max_iterations=10**6, until_limit=True)
    assert result.iterations >= 10**6
    assert (result.cost, result.status) == (0, "optimal")


def test_until_limit_continues_to_the_time_limit():
    seen = []
    clock = itertools.count()
    data = cc.generate.mallows(12, 7, 0.1, seed=1)
    run = Run(
        data,
        rule=stopping.MaxTime(100),
        on_progress=seen.append,
        clock=lambda: next(clock),
    )
    lads(run, LadsSettings(until_limit=True, max_idle=1))
    assert seen
    assert 100 <= run.elapsed < 300
    assert run.iterations > 12**2 * 20


@pytest.mark.parametrize("limits", [{}, {"target": 0}, {"max_generations": 5}])
def test_until_limit_needs_a_limit_that_is_reached(limits):
    with pytest.raises(SettingError, match="time_limit or max_iterations"):
        cc.aggregate([[0, 1], [0, 0]], "lads", until_limit=True, **limits)


def test_large_weights_use_wide_integers():
    data = cc.Rankings.from_orders(
        [list(order) for order in ("abcd", "bdca", "dcab")], weights=[2**33, 2**33, 2**33 + 1]
    )
    pairs = cc.Pairwise.from_rankings(data)
    best = min(pairs.cost(order) for order in itertools.permutations("abcd"))
    assert cc.aggregate(data, "lads").cost == best


def test_matrix_input_needs_no_rankings():
    result = cc.aggregate([[0, 9, 1], [2, 0, 7], [4, 3, 0]], "lads", max_idle=50)
    assert result.cost == 3 + 2 + 4
    with pytest.raises(SettingError, match="needs the rankings"):
        cc.aggregate([[0, 9], [2, 0]], "lads", evaluator="full")


@pytest.mark.parametrize("start", ["borda", "randomized-borda", "random"])
def test_every_start_works(start):
    data = cc.generate.mallows(12, 7, 0.1, seed=1)
    first = cc.aggregate(data, "lads", start=start, seed=2, max_idle=200)
    again = cc.aggregate(data, "lads", start=start, seed=2, max_idle=200)
    assert first.ranking == again.ranking
    assert first.verify(data)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"history_length": 0}, "history_length must be a whole number of at least 1"),
        ({"history_length": 10**8}, "history_length must be at most 1,000,000"),
        ({"until_limit": 1}, "until_limit must be true or false"),
        ({"max_idle": 0}, "max_idle"),
        ({"max_idle": 2.5}, "whole number"),
        ({"idle": "some"}, "'accepted', 'all'"),
        ({"neighbourhood": "twist"}, "'swap', 'insertion'"),
        ({"evaluator": "guess"}, "'pairwise', 'incremental', 'full'"),
        ({"start": "end"}, "'borda', 'randomized-borda', 'random'"),
        ({"beta": 0.5}, "between 0 and 0.5"),
        ({"beta": 0}, "between 0 and 0.5"),
        ({"preset": "none"}, "'paper', 'released'"),
        ({"lenght": 3}, "no setting 'lenght'; it has: history_length"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        cc.aggregate([[0, 1], [0, 0]], "lads", **settings)


def test_presets_are_the_papers_and_the_programs():
    paper = LadsSettings(**LadsSettings.PRESETS["paper"])
    assert (paper.history_length, paper.max_idle, paper.idle) == (5, 5000, "accepted")
    assert (paper.neighbourhood, paper.beta) == ("swap", 0.2)
    released = LadsSettings(**LadsSettings.PRESETS["released"])
    assert (released.idle, released.max_idle, released.start) == ("all", 100_000, "random")


def test_random_numbers_are_those_of_splitmix64():
    # The first outputs for the seed 1234567 as the generator's reference gives them.
    stream = np.array([1234567], np.uint64)
    assert [int(draw(stream)) for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


@given(st.integers(1, 50), st.integers(0, 2**64 - 1))
def test_below_stays_below(n, seed):
    stream = np.array([seed], np.uint64)
    assert all(0 <= below(stream, n) < n for _ in range(20))


def test_shuffle_reaches_every_order_evenly():
    stream = np.array([7], np.uint64)
    seen = dict.fromkeys(itertools.permutations(range(4)), 0)
    for _ in range(4800):
        values = np.arange(4)
        shuffle(stream, values)
        seen[tuple(values.tolist())] += 1
    # 200 each are expected; 60 is more than four standard deviations.
    assert all(140 < count < 260 for count in seen.values())


@given(st.lists(st.integers(-5, 5), max_size=40))
def test_sort_by_is_stable(keys):
    order = np.arange(len(keys))
    sort_by(np.array(keys, np.int64), order)
    assert order.tolist() == sorted(range(len(keys)), key=lambda a: keys[a])
