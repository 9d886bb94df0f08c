"""The rule for equally good orders: sensible, neutral, and the same for every seed."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reduction import subsets, tie_breaking
from concordant.reduction.comparisons import apart
from concordant.reduction.split import Split, margins_of
from concordant.reduction.tie_breaking import preference, settle_ties
from strategies import brute_force, rankings


@pytest.mark.parametrize(
    ("orders", "items", "expected"),
    [
        ([["a", "b", "c"], ["b", "a", "c"], ["a", "c"]], "zabcy", "abcyz"),
        ([["a", "b", "c"]] * 5 + [["q", "r"]], "rqcba", "abqcr"),
        ([["c", "a"]], ["a0", "a", "c", "0"], ["c", "a", "0", "a0"]),
        ([["b"]], ["b 10", "b 2", "b"], ["b", "b 2", "b 10"]),
    ],
)
def test_what_a_person_expects(orders: list, items: list, expected: list) -> None:
    for method in ("auto", "exact"):
        data = Rankings.from_orders(orders, items=list(items))
        assert cc.aggregate(data, method).ranking == tuple(expected)


@given(rankings(max_items=8), st.randoms(use_true_random=False), st.integers(0, 9))
def test_neither_the_order_of_items_nor_the_seed_matters(
    data: Rankings, random: object, seed: int
) -> None:
    first = cc.aggregate(data)
    votes = list(data)
    random.shuffle(votes)
    items = list(data.items)
    random.shuffle(items)
    shuffled = Rankings.from_orders(
        [order for order, _ in votes],
        weights=[weight for _, weight in votes],
        items=items,
        unranked=data.unranked,
    )
    again = cc.aggregate(shuffled, seed=seed)
    assert again.ranking == first.ranking
    assert again.cost == first.cost


@pytest.mark.parametrize(("m", "n", "theta"), [(26, 4, 0.02), (34, 5, 0.01), (40, 6, 0.05)])
def test_the_order_of_items_does_not_matter_in_large_parts(m: int, n: int, theta: float) -> None:
    data = cc.generate.mallows(m, n, theta=theta, seed=7)
    assert max(part.size for part in Split.of(Pairwise.from_rankings(data)).parts) > subsets.LARGEST
    items = [data.items[a] for a in np.random.default_rng(m).permutation(m)]
    shuffled = Rankings.from_orders([order for order, _ in data], items=items)
    for settings in ({}, {"max_iterations": 20_000, "proof": False}):
        first, again = (cc.aggregate(each, seed=3, **settings) for each in (data, shuffled))
        assert again.ranking == first.ranking


@st.composite
def tied_orders(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    m = draw(st.integers(1, 6))
    upper = draw(st.lists(st.integers(-1, 1), min_size=m * m, max_size=m * m))
    margins = np.triu(np.array(upper, np.int32).reshape(m, m), 1)
    order = np.array(draw(st.permutations(range(m))))
    place = np.array(draw(st.permutations(range(m))))
    return order, margins - margins.T, place


@given(tied_orders())
def test_the_first_of_all_orders_that_differ_in_ties(given_: tuple) -> None:
    order, margins, place = given_
    rank = np.argsort(order)

    def keeps(other: tuple[int, ...]) -> bool:
        return all(
            margins[a, b] == 0 or rank[a] < rank[b] for a, b in itertools.combinations(other, 2)
        )

    allowed = [other for other in itertools.permutations(range(order.size)) if keeps(other)]
    first = min(allowed, key=lambda other: [place[a] for a in other])
    assert settle_ties(order, margins, place).tolist() == list(first)


def test_a_large_part_has_its_free_neighbours_in_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a search found the order, neighbours whose swap costs nothing follow the rule."""
    monkeypatch.setattr(subsets, "LARGEST", 2)
    for seed in range(5):
        data = cc.generate.uniform(12, 4, seed=seed)
        pairs = Pairwise.from_rankings(data)
        result = cc.aggregate(data, "exact", seed=seed)
        order = pairs.order_of(result.ranking)
        place, margins = preference(pairs), margins_of(pairs.counts)
        for a, b in itertools.pairwise(order.tolist()):
            assert margins[a, b] != 0 or place[a] < place[b]


@given(rankings(max_items=7))
def test_parts_solved_by_subsets_are_optimal_and_first_by_the_rule(data: Rankings) -> None:
    pairs = Pairwise.from_rankings(data)
    place = preference(pairs)
    for part in Split.of(pairs).parts:
        if part.size == 1:
            continue
        counts = pairs.counts[np.ix_(part.items, part.items)]
        least, _ = brute_force(counts)
        inside = Pairwise.from_matrix(counts)
        optima = [
            order
            for order in itertools.permutations(range(part.size))
            if inside.cost_units(np.array(order)) == least
        ]
        first = min(optima, key=lambda order: [place[part.items[a]] for a in order])
        assert part.solution()[0].tolist() == list(first)


@given(rankings(max_items=7))
def test_items_that_nobody_compared_with_most_others(data: Rankings) -> None:
    pairs = Pairwise.from_rankings(data)
    compared = pairs.counts + pairs.counts.T > 0
    reach = compared | np.eye(data.n_items, dtype=bool)
    for _ in range(data.n_items):
        reach = reach @ reach
    sizes = reach.sum(axis=1)
    found = apart(pairs)
    assert apart(data).tolist() == found.tolist()
    # One group is the main one; none is larger.
    main = np.flatnonzero(~found)
    assert (reach[main[0]] == ~found).all()
    assert sizes[main[0]] == sizes.max()
    result = cc.aggregate(data)
    assert set(result.uncompared) == {data.items[a] for a in np.flatnonzero(found)}
    assert result.verify(data)


@pytest.mark.parametrize("m", [1, 7, 40])
def test_few_items_are_settled_as_many_are(m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(m)
    for _ in range(10):
        upper = np.triu(random.integers(-1, 2, (m, m)), 1)
        order, place = random.permutation(m), random.permutation(m)
        monkeypatch.setattr(tie_breaking, "_FEW", 64)
        few = settle_ties(order, upper - upper.T, place)
        monkeypatch.setattr(tie_breaking, "_FEW", 0)
        assert (few == settle_ties(order, upper - upper.T, place)).all()
