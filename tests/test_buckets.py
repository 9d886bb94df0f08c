"""Orders with ties: their costs by definition, best places, and the methods that find them."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant._kernels import buckets as kernels
from concordant.algorithms import decor, es_bucket
from concordant.algorithms.buckets import BucketProblem, weight_together
from concordant.algorithms.buckets import kendall_with_ties as problem_of
from concordant.algorithms.decor import to_ranking
from concordant.errors import SettingError
from concordant.running import Run
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
    bucket = to_ranking(draw(st.lists(st.integers(0, m), min_size=m, max_size=m)), ties=True)
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
@settings(max_examples=40)
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
        tuple(to_ranking(list(values), ties=True).tolist())
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


def majority_wins(data):
    """Count, for each item, the items before or level with which more weight puts it than behind.

    By definition, from the rankings: if both orders of a pair are equally frequent, nobody wins.
    """
    wins = dict.fromkeys(data.items, 0)
    for a, b in itertools.permutations(data.items, 2):
        lead = other = Fraction(0)
        for ranking, weight in data.explicit():
            theirs = ranks_of(ranking)
            if a in theirs and b in theirs:
                lead += Fraction(weight) * (1 if theirs[a] <= theirs[b] else -1)
                other += Fraction(weight) * (1 if theirs[b] <= theirs[a] else -1)
        wins[a] += lead > 0 and other != 0
    return wins


@given(rankings(kind="small", max_items=6))
@settings(max_examples=40)
def test_decor_starts_from_the_order_by_majority_wins(data):
    run = Run(data)
    wins = majority_wins(data)
    problem = problem_of(run, 0.5, 2, "")
    assert decor.ranking_by_wins(problem).tolist() == [
        data.n_items - 1 - wins[item] for item in data.items
    ]


class Drawn:
    """A generator of chosen numbers, to follow one child of DECOR by hand."""

    def __init__(self, orders, uniforms):
        self._orders = iter(orders)
        self._uniforms = uniforms

    def permutation(self, m):
        return np.array(next(self._orders))

    def choice(self, n, size, replace):
        return np.array([0, 1, 2])

    def random(self, m):
        return np.array(self._uniforms)


def test_a_child_of_decor_by_hand(monkeypatch):
    # Four members, the last one by majority wins: 3, 2, 1 and 0.
    data = cc.Rankings.from_orders([["a", "b", "c", "d"]], weights=[2])
    run = Run(data, rule=lambda p: p.iterations >= 4)
    members = [[3, 2, 1, 0], [2, 3, 0, 1], [1, 0, 3, 2]]
    monkeypatch.setattr(Run, "rng", lambda self: Drawn(members, [0.95, 0.9, 0.1, 0.91]))
    costs = []
    monkeypatch.setattr(
        BucketProblem, "cost", lambda self, bucket: costs.append(bucket.tolist()) or len(costs)
    )
    decor.de(run, decor.DeSettings(population=4))
    assert costs[:4] == [[0, 1, 2, 3], *members]
    # The first child: base, plus and minus are members 3 (in place of 0), 1 and 2. Numbers above
    # 0.9 take the mutant, 0 + 0.4 (2 - 1) and 3 + 0.4 (1 - 2); the other two ranks stay 2 and 1.
    assert costs[4] == [0, 2, 1, 3]
    # The second one is 2.6, 3, 0, 0.4, and no two of these are rounded to the same.
    assert costs[5] == [2, 3, 0, 1]


def test_a_child_as_good_as_its_parent_does_not_replace_it(monkeypatch):
    data = cc.generate.mallows(6, 5, 0.1, seed=1)
    monkeypatch.setattr(BucketProblem, "cost", lambda self, bucket: 7)
    seen = []
    real = decor.to_ranking
    monkeypatch.setattr(
        decor, "to_ranking", lambda values, ties: seen.append(values) or real(values, ties=ties)
    )
    cc.aggregate(data, "de", crossover_rate=1.0, max_idle_generations=3)
    # Nothing is taken from the mutant at a rate of 1: no item is forced, children are parents.
    first, later = seen[:15], seen[15:30]
    assert [list(values) for values in later] == [list(v) for v in [*first[1:], first[0]]]


def test_decimal_weights_that_auto_takes():
    orders = [list("abcdefghijklmnopqrstuvwxyz"), list("zyxwvutsrqponmlkjihgfedcba")]
    weights = [0.123456789012345, 1.987654321098765]
    data = cc.Rankings.from_orders(orders, weights=weights)
    assert cc.aggregate(data).status == "optimal"
    result = cc.aggregate(data, "de", max_idle_generations=2)
    expected = 2 * kendall_with_ties(result.buckets, data, Fraction(1, 2))
    assert result.details["objective_value"] == pytest.approx(float(expected))
    with pytest.raises(SettingError, match=r"fewer decimals.*penalty of 1 or 0\.5"):
        cc.aggregate(data, "bioconsert", tie_penalty=0.123)


def test_es_bucket_can_be_stopped_within_a_generation(monkeypatch):
    data = cc.generate.mallows(12, 15, 0.1, seed=1)
    whole = cc.aggregate(data, "es-bucket", children=40, max_generations=3)
    monkeypatch.setattr(es_bucket, "_SLICE", 7 * (12 * 6 + 20 * 12))
    sliced = cc.aggregate(data, "es-bucket", children=40, max_iterations=3 * 40)
    assert sliced.generations == 3
    assert sliced.iterations == 3 * 40 + 6
    assert whole.generations >= 3
    looks = []
    cc.aggregate(
        data, "es-bucket", children=40, max_generations=2, stop=lambda p: bool(looks.append(p))
    )
    assert len(looks) > 10


@pytest.mark.parametrize(
    ("method", "options"), [("de", {"population": 10**8}), ("es-bucket", {"children": 10**8})]
)
def test_settings_that_take_too_much_are_refused(method, options):
    (name,) = options
    with pytest.raises(SettingError, match=f"{name} must be at most"):
        cc.aggregate(cc.generate.uniform(4, 3, seed=1), method, **options)


@pytest.mark.parametrize(("method", "options"), [("de", {}), ("bioconsert", {"tie_penalty": 0.7})])
def test_counts_in_narrow_integers_do_not_overflow(method, options, monkeypatch):
    """Many items are counted in the narrowest integers that hold the total weight."""
    data = cc.Rankings.from_orders([list("abcd"), list("badc")], weights=[20_000, 12_000])
    limit = {"max_iterations": 30, **options}
    expected = cc.aggregate(data, method, **limit)
    monkeypatch.setattr("concordant.counting.pairs._WIDE_ITEMS", 0)
    assert cc.Pairwise.from_rankings(data).counts.dtype == np.int16
    found = cc.aggregate(data, method, **limit)
    assert (found.ranking, found.details) == (expected.ranking, expected.details)
