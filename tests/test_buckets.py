"""Orders with ties: their costs by definition, best places, and the methods that find them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant._kernels import buckets as kernels
from concordant.algorithms.buckets import nearest_ranking, weight_together
from strategies import rankings


@st.composite
def bucket_problems(draw, most=6):
    m = draw(st.integers(1, most))
    entries = st.lists(st.integers(0, 9), min_size=m * m, max_size=m * m)
    before = np.array(draw(entries), np.int64).reshape(m, m)
    tied = np.array(draw(entries), np.int64).reshape(m, m)
    tied = tied + tied.T
    np.fill_diagonal(before, 0)
    np.fill_diagonal(tied, 0)
    bucket = nearest_ranking(draw(st.lists(st.integers(0, m), min_size=m, max_size=m)), ties=True)
    return before, tied, bucket


def cost_by_definition(before, tied, bucket):
    total = 0
    for a, b in itertools.combinations(range(len(bucket)), 2):
        if bucket[a] == bucket[b]:
            total += tied[a, b]
        else:
            total += before[a, b] if bucket[a] < bucket[b] else before[b, a]
    return total


def is_dense(bucket):
    return set(bucket.tolist()) == set(range(int(bucket.max()) + 1))


@given(bucket_problems(), st.data())
def test_best_place_is_best_and_costs_what_it_says(problem, choice):
    before, tied, bucket = problem
    m = bucket.size
    a = choice.draw(st.integers(0, m - 1))
    n_buckets = int(bucket.max()) + 1
    cost = cost_by_definition(before, tied, bucket)
    assert kernels.bucket_cost(before, tied, bucket) == cost
    costs = []
    for where in range(2 * n_buckets + 1):
        other = bucket.copy()
        kernels.place_item(other, a, where)
        assert is_dense(other)
        costs.append(cost_by_definition(before, tied, other))
    change, where = kernels.best_place(before, tied, bucket, n_buckets, a)
    assert cost + change == min(costs) == costs[where]


@given(bucket_problems())
def test_descent_ends_where_no_item_has_a_better_place(problem):
    before, tied, bucket = problem
    state = np.zeros(kernels.STATE_SIZE, np.int64)
    state[kernels.COST] = cost_by_definition(before, tied, bucket)
    kernels.descend_buckets(before, tied, bucket, state, 10**9)
    assert state[kernels.COST] == cost_by_definition(before, tied, bucket)
    for a in range(bucket.size):
        change, _ = kernels.best_place(before, tied, bucket, int(bucket.max()) + 1, a)
        assert change == 0


@given(bucket_problems(), st.integers(0, 2**63))
def test_random_changes_keep_bucket_orders(problem, seed):
    _, _, bucket = problem
    stream = np.array([seed], np.uint64)
    n_buckets = int(bucket.max()) + 1
    for _ in range(30):
        n_buckets = kernels.change_buckets(bucket, n_buckets, stream)
        assert is_dense(bucket)
        assert n_buckets == int(bucket.max()) + 1


def ranks_of(buckets):
    return {item: number for number, bucket in enumerate(buckets) for item in bucket}


def kendall_with_ties(buckets, data, penalty):
    mine = ranks_of(buckets)
    total = Fraction(0)
    for ranking, weight in data.explicit():
        theirs = ranks_of(ranking)
        for a, b in itertools.combinations(theirs, 2):
            left, right = np.sign(mine[a] - mine[b]), np.sign(theirs[a] - theirs[b])
            if left * right < 0:
                total += Fraction(weight)
            elif left != right:
                total += Fraction(weight) * penalty
    return total


@given(rankings(kind="small"), st.sampled_from([0.0, 0.25, 0.5, 1.0]))
@settings(max_examples=60)
def test_bioconsert_reports_its_objective(data, penalty):
    result = cc.aggregate(data, "bioconsert", tie_penalty=penalty)
    expected = kendall_with_ties(result.buckets, data, Fraction(penalty))
    assert result.details["objective_value"] == pytest.approx(float(expected))
    # No input ranking that places all items is better.
    for ranking, _ in data.explicit():
        if sum(map(len, ranking)) == data.n_items:
            assert expected <= kendall_with_ties(ranking, data, Fraction(penalty))


@given(rankings(kind="small", max_items=5))
@settings(max_examples=40)
def test_de_reports_kemenys_distance(data):
    result = cc.aggregate(data, "de", max_idle_generations=10)
    expected = 2 * kendall_with_ties(result.buckets, data, Fraction(1, 2))
    assert result.details["objective_value"] == pytest.approx(float(expected))


def test_de_without_ties_has_none():
    data = cc.generate.partial(cc.generate.mallows(8, 20, 0.2, seed=1), seed=1)
    result = cc.aggregate(data, "de", ties=False)
    assert all(len(bucket) == 1 for bucket in result.buckets)


def all_bucket_orders(m):
    return {
        tuple(nearest_ranking(list(values), ties=True).tolist())
        for values in itertools.product(range(m), repeat=m)
    }


def matrix_distance(buckets, data):
    """Sum |C - B| over all entries, with C from the rankings that have both items."""
    mine = ranks_of(buckets)
    total = 0.0
    for a, b in itertools.permutations(data.items, 2):
        won = weight_both = Fraction(0)
        for ranking, weight in data.explicit():
            theirs = ranks_of(ranking)
            if a in theirs and b in theirs:
                weight_both += Fraction(weight)
                sign = (theirs[a] < theirs[b]) - (theirs[a] > theirs[b])
                won += Fraction(weight) * (sign + 1) / 2
        share = won / weight_both if weight_both else Fraction(1, 2)
        entry = Fraction((mine[a] < mine[b]) - (mine[a] > mine[b]) + 1, 2)
        total += float(abs(share - entry))
    return total


@given(rankings(kind="small", max_items=4))
@settings(max_examples=40)
def test_es_bucket_solves_small_problems(data):
    result = cc.aggregate(data, "es-bucket", max_idle_generations=300)
    found = matrix_distance(result.buckets, data)
    assert result.details["objective_value"] == pytest.approx(found, abs=1e-5)
    least = min(
        matrix_distance(
            [
                [data.items[a] for a in range(data.n_items) if order[a] == k]
                for k in range(max(order) + 1)
            ],
            data,
        )
        for order in all_bucket_orders(data.n_items)
    )
    assert found == pytest.approx(least, abs=1e-5)


@pytest.mark.parametrize("name", ["bioconsert", "de", "es-bucket"])
@pytest.mark.parametrize("seed", range(3))
def test_ranking_breaks_the_ties_of_the_buckets(name, seed):
    complete = cc.generate.mallows(12, 15, 0.3, seed=seed)
    data = cc.generate.partial(complete, drop=1 / 3, same_bucket=0.5, seed=seed)
    result = cc.aggregate(data, name, seed=seed)
    assert [item for bucket in result.buckets for item in bucket] == list(result.ranking)
    assert result.verify(data)


@pytest.mark.parametrize("start", ["pivot", "borda", "tied"])
def test_es_bucket_from_any_start(start):
    data = cc.generate.mallows(12, 15, 0.3, seed=1)
    result = cc.aggregate(data, "es-bucket", start=start)
    assert result.details["objective_value"] == pytest.approx(
        cc.aggregate(data, "es-bucket", seed=1).details["objective_value"], rel=0.05
    )


@given(rankings(kind="small"))
def test_weight_together_by_definition(data):
    together = weight_together(data)
    for (i, a), (j, b) in itertools.permutations(enumerate(data.items), 2):
        expected = 0
        for ranking, weight in data.explicit():
            ranked = ranks_of(ranking)
            expected += weight * (a in ranked and b in ranked)
        assert together[i, j] == expected
