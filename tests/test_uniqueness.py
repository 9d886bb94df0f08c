"""Whether the best ranking is the only one, and whether its winner is: against brute force."""

import numpy as np
import pytest
from hypothesis import given, settings

from concordant import Rankings, aggregate, generate
from concordant.bounds.alternatives import optimal_orders, winners_of_part
from concordant.bounds.uniqueness import free_move, settle_uniqueness
from concordant.pairwise import Pairwise
from concordant.reduction.split import Part, margins_of
from strategies import all_optima, matrices


def never() -> bool:
    return False


@given(matrices(max_items=6, low=0, high=2))
def test_is_settled_for_few_items(matrix: np.ndarray) -> None:
    best = all_optima(matrix)
    pairs = Pairwise.from_matrix(matrix)
    unique, winners = settle_uniqueness(pairs, np.array(best[0]), never)
    assert unique == (len(best) == 1)
    assert winners == tuple(sorted({order[0] for order in best})) or (
        winners is not None and set(winners) == {order[0] for order in best}
    )


@given(matrices(max_items=6, low=0, high=2))
def test_a_free_move_leads_to_another_optimum(matrix: np.ndarray) -> None:
    best = all_optima(matrix)
    order = list(best[-1])
    moved = [
        tuple(np.insert(np.delete(order, p), q, order[p]).tolist())
        for p in range(len(order))
        for q in range(len(order))
        if p != q
    ]
    assert free_move(margins_of(matrix), np.array(order)) == any(o in best for o in moved)


@settings(deadline=None, max_examples=30)
@given(matrices(max_items=6, low=0, high=2))
def test_winners_by_proof_agree_with_subsets(matrix: np.ndarray) -> None:
    part = Part.whole(matrix)
    best = all_optima(matrix)
    expected = tuple(sorted({order[0] for order in best}))
    part.__dict__["by_subsets"] = None
    assert winners_of_part(part, np.array(best[0])) == expected


def test_three_optimal_rankings_with_two_winners() -> None:
    votes = Rankings.from_orders([["T", "C", "W"], ["C", "T"], ["W", "T", "C"]])
    result = aggregate(votes, alternatives=10)
    assert result.alternatives is not None
    assert len(result.alternatives) == 3
    assert result.is_unique is False
    assert set(result.winners or ()) == {each[0] for each in result.alternatives}
    assert len(result.winners or ()) == 2
    for text in (repr(result), result._repr_html_()):
        assert "others are as good: first place is tied between" in text


@pytest.mark.parametrize("seed", range(3))
def test_larger_components_are_settled_by_a_short_proof(seed: int) -> None:
    data = generate.mallows(26, 25, 0.02, seed=seed)
    result = aggregate(data, n_jobs=1)
    assert result.status == "optimal"
    orders, complete = optimal_orders(
        Pairwise.from_rankings(data),
        Pairwise.from_rankings(data).order_of(result.ranking),
        10_000,
    )
    assert complete
    if result.is_unique is not None:
        assert result.is_unique == (len(orders) == 1)
    if result.winners is not None:
        assert set(result.winners) == {data.items[order[0]] for order in orders}


def test_unsettled_uniqueness_is_reported() -> None:
    data = generate.mallows(70, 60, 0.01, seed=2)
    result = aggregate(data, n_jobs=1)
    if result.is_unique is None:
        assert "not settled" in (result.others or "")
    feasible = aggregate(data, "borda")
    assert feasible.others is None or feasible.status == "optimal"
    assert "as good" not in repr(feasible) or feasible.status == "optimal"


def test_a_single_first_place_among_many_best_rankings() -> None:
    votes = Rankings.from_orders([["a", "b", "c"], ["a", "c", "b"]])
    result = aggregate(votes)
    assert (result.is_unique, result.winners) == (False, ("a",))
    assert result.others == "others are as good, and a is first in all of them"


def test_many_alternatives_are_refused_or_cut_short() -> None:
    tied = Rankings.from_orders([[("a", "b"), ("c", "d"), ("e", "f")]])
    result = aggregate(tied, alternatives=8)
    assert result.alternatives is not None
    assert len(result.alternatives) == 8
    calls = iter(range(10_000))
    pairs = Pairwise.from_rankings(Rankings.from_orders([[tuple(range(30))]]))
    orders, complete = optimal_orders(pairs, np.arange(30), 50_000, lambda: next(calls) > 3)
    assert not complete
    assert len(orders) < 50_000
