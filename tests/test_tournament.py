"""CSS, KwikSort, Schulze and ranked pairs against their definitions, and Condorcet's criterion."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant.algorithms import condorcet
from concordant.algorithms.condorcet import strengths
from concordant.reduction.split import components
from strategies import matrices, rankings

CONDORCET = ("schulze", "ranked-pairs", "kwiksort", "mc4", "copeland")


def indices(result, pairs):
    return pairs.order_of(result.ranking).tolist()


@given(matrices(), st.sampled_from(CONDORCET), st.integers(0, 9))
def test_condorcet_winner_is_first_and_loser_last(matrix, name, seed):
    pairs = cc.Pairwise.from_matrix(matrix)
    order = indices(cc.aggregate(pairs, name, seed=seed), pairs)
    beats = matrix > matrix.T
    m = len(matrix)
    for a in range(m):
        if beats[a].sum() == m - 1:
            assert order[0] == a
        if beats[:, a].sum() == m - 1:
            assert order[-1] == a


@given(rankings(kind="small"), st.sampled_from(("schulze", "ranked-pairs")))
def test_condorcet_on_rankings(data, name):
    pairs = cc.Pairwise.from_rankings(data)
    order = indices(cc.aggregate(data, name), pairs)
    beats = pairs.counts > pairs.counts.T
    for a in range(data.n_items):
        if beats[a].sum() == data.n_items - 1:
            assert order[0] == a


@given(matrices(), st.sampled_from(("schulze", "ranked-pairs", "kwiksort", "mc4")))
def test_components_stay_in_order(matrix, name):
    """Extended Condorcet: where all of one part beat all of another, so does the answer."""
    pairs = cc.Pairwise.from_matrix(matrix)
    order = indices(cc.aggregate(pairs, name), pairs)
    parts = components(pairs.counts)
    for first, second in itertools.combinations(parts, 2):
        beats = all(matrix[a, b] > matrix[b, a] for a in first for b in second)
        if beats:
            assert max(map(order.index, first.tolist())) < min(map(order.index, second.tolist()))


@given(matrices())
def test_css_by_definition(matrix):
    pairs = cc.Pairwise.from_matrix(matrix)
    left = list(range(len(matrix)))
    expected = []
    while left:
        potential = {a: sum(matrix[a, b] - matrix[b, a] for b in left) for a in left}
        best = max(left, key=lambda a: (potential[a], -a))
        expected.append(best)
        left.remove(best)
    assert indices(cc.aggregate(pairs, "css"), pairs) == expected


@given(matrices(low=0), st.sampled_from(("winning-votes", "margins")))
def test_schulze_by_all_paths(matrix, kind):
    pairs = cc.Pairwise.from_matrix(matrix)
    m = len(matrix)
    strong = strengths(pairs.counts, kind)
    path = {}
    for a, b in itertools.permutations(range(m), 2):
        others = [x for x in range(m) if x not in (a, b)]
        ways = itertools.chain.from_iterable(
            itertools.permutations(others, n) for n in range(min(len(others), 4) + 1)
        )
        path[a, b] = max(
            min(strong[x, y] for x, y in itertools.pairwise((a, *way, b))) for way in ways
        )
    if m > 6:
        return
    order = indices(cc.aggregate(pairs, "schulze", strength=kind), pairs)
    for i, a in enumerate(order):
        for b in order[i + 1 :]:
            assert path[b, a] <= path[a, b]


def ranked_pairs_by_definition(counts):
    m = len(counts)
    majorities = [(a, b) for a in range(m) for b in range(m) if counts[a][b] > counts[b][a]]
    majorities.sort(key=lambda pair: -counts[pair[0]][pair[1]])
    locked = set()

    def reaches(a, b):
        return a == b or any(reaches(y, b) for x, y in locked if x == a)

    for a, b in majorities:
        if not reaches(b, a):
            locked.add((a, b))
    return locked


@given(st.permutations(range(1, 21)), st.lists(st.integers(21, 60), min_size=10, max_size=10))
@settings(max_examples=40)
def test_ranked_pairs_by_definition(losing, winning):
    """Majorities of distinct strength, so that the rule has one answer."""
    winning = [value * 100 + k for k, value in enumerate(winning)]
    counts = np.zeros((5, 5), int)
    for k, (a, b) in enumerate(itertools.combinations(range(5), 2)):
        if losing[10 + k] % 2:
            a, b = b, a
        counts[a, b], counts[b, a] = winning[k], losing[k]
    pairs = cc.Pairwise.from_matrix(counts)
    order = indices(cc.aggregate(pairs, "ranked-pairs"), pairs)
    for a, b in ranked_pairs_by_definition(counts.tolist()):
        assert order.index(a) < order.index(b)


def test_strengths_agree_on_complete_strict_rankings():
    for seed in range(20):
        data = cc.generate.uniform(8, 9, seed=seed)
        for name in ("schulze", "ranked-pairs"):
            votes = cc.aggregate(data, name)
            assert cc.aggregate(data, name, strength="margins").ranking == votes.ranking


def test_kwiksort_takes_the_best_of_its_runs():
    data = cc.generate.mallows(30, 20, 0.01, seed=1)
    one = cc.aggregate(data, "kwiksort")
    many = cc.aggregate(data, "kwiksort", runs=50)
    assert many.cost < one.cost
    assert many.iterations == 50


@pytest.mark.parametrize("name", ["schulze", "ranked-pairs", "mc4", "css"])
def test_relabelling_changes_nothing(name):
    """On margins without ties, the answer does not depend on the numbers of the items."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        m = 7
        upper = rng.permutation(np.arange(1, m * m + 1)).reshape(m, m)
        matrix = np.where(rng.random((m, m)) < 0.5, upper, 0)
        matrix = np.triu(matrix, 1) + np.tril(upper, -1) * (np.triu(matrix, 1).T == 0)
        names = [f"i{k}" for k in range(m)]
        shuffled = rng.permutation(m)
        first = cc.aggregate(cc.Pairwise.from_matrix(matrix, names), name)
        second = cc.aggregate(
            cc.Pairwise.from_matrix(
                matrix[np.ix_(shuffled, shuffled)], [names[k] for k in shuffled]
            ),
            name,
        )
        assert first.cost == second.cost


def test_ranked_pairs_in_slices_is_the_same(monkeypatch):
    data = cc.generate.mallows(40, 21, 0.005, seed=1)
    expected = cc.aggregate(data, "ranked-pairs").ranking
    monkeypatch.setattr(condorcet, "_SORTED", 7)
    monkeypatch.setattr(condorcet, "_SLICE", 120)
    looks = []
    found = cc.aggregate(data, "ranked-pairs", stop=lambda p: bool(looks.append(p)))
    assert found.ranking == expected
    assert len(looks) > 50
