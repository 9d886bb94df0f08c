"""Solving again from the last result, and the first places only."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant.certificate import check
from concordant.describe import status_words
from concordant.errors import SettingError, VerificationError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.reduction import subsets
from concordant.running import Run, completed
from strategies import brute_force


def changed(pairs: Pairwise, data: Rankings, seed: int) -> Pairwise:
    """Exchange two of the rankings for others."""
    old = Rankings.from_orders([ranking for ranking, _ in list(data)[:2]], items=data.items)
    new = cc.generate.uniform(len(data.items), 2, seed=seed)
    return pairs + Pairwise.from_rankings(new) - Pairwise.from_rankings(old)


@pytest.mark.parametrize("seed", [1, 2])
def test_solving_again_from_the_last_result(seed: int) -> None:
    data = cc.generate.mallows(24, 60, theta=0.01, seed=seed)
    pairs = Pairwise.from_rankings(data)
    first = cc.aggregate(pairs, "exact")
    assert first.status == "optimal"
    after = changed(pairs, data, seed + 10)
    fresh = cc.aggregate(after, "exact")
    for items in (after.items, after.items[::-1]):
        moved = after.restrict(items)
        again = cc.aggregate(moved, "exact", initial=first)
        assert (again.status, again.cost) == ("optimal", fresh.cost)
        assert check(again.certificate(), moved.counts) == again.cost
    same = cc.aggregate(pairs, "exact", initial=first)
    assert (same.status, same.cost) == ("optimal", first.cost)
    assert check(same.certificate(), pairs.counts) == first.cost


def test_a_result_keeps_different_orders_to_continue_from() -> None:
    data = cc.generate.uniform(40, 30, seed=1)
    first = cc.aggregate(data, max_iterations=3_000_000, proof=False)
    assert first.elite is not None
    assert Pairwise.from_rankings(data).cost_units(first.elite.orders[0]) == first.cost
    kept = {tuple(order) for order in first.elite.orders.tolist()}
    assert len(kept) > 8
    counts = Pairwise.from_rankings(data)
    assert len({counts.cost_units(np.array(order)) for order in kept}) > 1
    after = changed(counts, data, seed=2)
    again = cc.aggregate(after, initial=first, max_iterations=300_000, proof=False)
    alone = cc.aggregate(after, initial=first.ranking, max_iterations=0, proof=False)
    assert again.cost <= alone.cost
    same = cc.aggregate(after, initial=first, max_iterations=300_000, proof=False, n_jobs=1)
    assert same.ranking == again.ranking


@given(st.integers(0, 1000), st.integers(1, 9))
@settings(max_examples=15)
def test_a_start_from_other_data_changes_no_optimum(seed: int, n: int) -> None:
    """Whatever the old result was about: the optimum stays what brute force finds."""
    rng = np.random.default_rng(seed)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsets, "LARGEST", 2)
        matrices = [rng.integers(0, n + 1, (6, 6)) for _ in range(2)]
        for matrix in matrices:
            np.fill_diagonal(matrix, 0)
        first = cc.aggregate(matrices[0], "exact")
        second = cc.aggregate(matrices[1], "exact", initial=first)
        assert (second.status, second.cost) == ("optimal", brute_force(matrices[1])[0])
        assert check(second.certificate(), matrices[1]) == second.cost


@given(st.integers(0, 10_000), st.integers(2, 7), st.integers(1, 7))
@settings(max_examples=40)
def test_the_first_places_begin_an_optimal_ranking(seed: int, m: int, top: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 4, (m, m))
    np.fill_diagonal(counts, 0)
    result = cc.aggregate(counts, top=top)
    assert (result.top, result.top_proven) == (top, True)
    best = brute_force(counts)[0]
    first = [int(item) - 1 for item in result.ranking[:top]]
    rest = [a for a in range(m) if a not in first]
    pairs = Pairwise.from_matrix(counts)
    assert best == min(
        pairs.cost_units(np.array([*first, *others])) for others in itertools.permutations(rest)
    )
    assert (result.status == "optimal") == (result.cost == result.lower_bound)
    if result.status == "optimal":
        assert result.cost == best


def two_components(m: int) -> Pairwise:
    """An easy component, then a hard one that nobody asks for."""
    easy = cc.generate.mallows(14, 50, theta=0.02, seed=3)
    hard = cc.generate.uniform(m, 50, seed=4)
    counts = np.zeros((14 + m, 14 + m), np.int64)
    counts[:14, :14] = Pairwise.from_rankings(easy).counts
    counts[14:, 14:] = Pairwise.from_rankings(hard).counts
    counts[:14, 14:] = 50
    return Pairwise.from_matrix(counts)


def test_only_the_parts_of_the_first_places_are_solved() -> None:
    pairs = two_components(60)
    result = cc.aggregate(pairs, top=10)
    assert result.top_proven
    # The easy component is small enough to be solved without a search.
    assert result.iterations == 0
    assert cc.aggregate(pairs, max_iterations=1000, proof=False).iterations > 0
    assert result.status == "feasible"
    assert "first 10 places are proven" in status_words(result)
    whole = cc.aggregate(pairs.restrict(pairs.items[:14]), "exact")
    assert pairs.restrict(pairs.items[:14]).cost(result.ranking[:14]) == whole.cost
    facts = result.to_dict()
    assert (facts["top"], facts["top_proven"]) == (10, True)


def leaders_before_twins() -> tuple[np.ndarray, list[str]]:
    """Two leaders, then a large part with twins; an order with the leaders and the twins wrong."""
    k = 24
    rest = np.random.default_rng(3).integers(0, 30, (k, k))
    rest[1], rest[:, 1] = rest[0], rest[:, 0]
    rest[0, 1] = rest[1, 0] = 5
    counts = np.zeros((k + 2, k + 2), np.int64)
    counts[2:, 2:] = rest
    counts[0, 1], counts[1, 0] = 2, 1
    counts[:2, 2:] = 100
    np.fill_diagonal(counts, 0)
    others = [str(number) for number in range(5, k + 3)]
    return counts, ["2", "1", "3", *others, "4"]


def test_a_wrong_first_place_is_never_proven() -> None:
    counts, start = leaders_before_twins()
    result = cc.aggregate(counts, initial=start, top=1, time_limit=0)
    assert (result.ranking[0], result.top_proven) == ("1", True)
    assert result.cost <= Pairwise.from_matrix(counts).cost(start)
    assert result.verify(counts).top_proven


def test_forged_first_places_are_refused() -> None:
    counts, start = leaders_before_twins()
    pairs = Pairwise.from_matrix(counts)
    honest = cc.aggregate(counts, top=1, time_limit=0)
    forged = replace(honest, ranking=tuple(start), cost=pairs.cost(start), agreement=None, trace=())
    with pytest.raises(VerificationError, match="no optimal ranking begins with them"):
        forged.verify(counts)
    with pytest.raises(VerificationError, match="but has no top"):
        replace(honest, top=None).verify(counts)


@given(st.integers(0, 10_000), st.integers(4, 7), st.integers(1, 3))
@settings(max_examples=40)
def test_first_places_after_a_change(seed: int, m: int, top: int) -> None:
    """From a start that is wrong and without time, with parts solved by proofs only."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 3, (m, m))
    np.fill_diagonal(counts, 0)
    pairs = Pairwise.from_matrix(counts)
    start = [pairs.items[a] for a in rng.permutation(m)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(subsets, "LARGEST", 2)
        result = cc.aggregate(counts, initial=start, top=top, max_iterations=0)
    assert result.cost <= pairs.cost(start)
    first = [pairs.items.index(item) for item in result.ranking[:top]]
    rest = [a for a in range(m) if a not in first]
    least = min(
        pairs.cost_units(np.array([*first, *others])) for others in itertools.permutations(rest)
    )
    begins_an_optimum = least == brute_force(counts)[0]
    if result.top_proven:
        assert begins_an_optimum
        assert result.verify(counts)
    forged = replace(result, top_proven=True)
    if begins_an_optimum:
        assert forged.verify(counts)
    else:
        with pytest.raises(VerificationError):
            forged.verify(counts)


def test_all_places_and_none() -> None:
    data = cc.generate.mallows(6, 20, theta=0.3, seed=1)
    assert cc.aggregate(data).top_proven is None
    assert cc.aggregate(data, top=6).status == "optimal"
    assert cc.aggregate(data, top=99).top_proven
    with pytest.raises(SettingError, match="top must be a whole number of at least 1"):
        cc.aggregate(data, top=0)
    with pytest.raises(SettingError, match="top needs a proof, and 'borda' has none"):
        cc.aggregate(data, "borda", top=3)


def test_the_clock_of_a_run_never_goes_back() -> None:
    # A compilation that begins on another thread is taken off a moment later.
    moments = iter([0.0, 1.0, 0.5, 2.0])
    run = Run(cc.generate.uniform(4, 3, seed=1), clock=lambda: next(moments))
    assert [run.elapsed for _ in range(4)] == [0.0, 1.0, 1.0, 2.0]


@given(st.integers(0, 1000), st.integers(2, 6), st.integers(1, 3))
@settings(max_examples=20)
def test_a_new_item_starts_at_its_best_place(seed: int, m: int, more: int) -> None:
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 9, (m + 1, m + 1))
    order = rng.permutation(m)
    found = completed(order, counts)
    cost = Pairwise.from_matrix(counts * (1 - np.eye(m + 1, dtype=int))).cost_units
    assert cost(found) == min(cost(np.insert(order, place, m)) for place in range(m + 1))
    several = rng.integers(0, 9, (m + more, m + more))
    assert sorted(completed(order, several).tolist()) == list(range(m + more))


@pytest.mark.parametrize("ties", [False, True])
def test_a_new_item_enters_without_a_cold_start(ties: bool) -> None:
    data = cc.generate.mallows(18, 60, theta=0.02, seed=1)
    pairs = Pairwise.from_rankings(data)
    chosen = {"ties": True} if ties else {}
    last = cc.aggregate(pairs, max_generations=3, **chosen)  # type: ignore[arg-type]
    new = Rankings.from_orders([["new", *data.items[:9]], [*data.items[:5], "new"]])
    pairs = pairs + new
    again = cc.aggregate(pairs, initial=last, max_generations=3, **chosen)  # type: ignore[arg-type]
    fresh = cc.aggregate(pairs, max_generations=3, **chosen)  # type: ignore[arg-type]
    assert again.cost <= fresh.cost
    listed = cc.aggregate(pairs, initial=last.ranking, max_iterations=0)
    assert set(listed.ranking) == set(pairs.items)
    # An item that is gone is left out.
    fewer = pairs.restrict([item for item in pairs.items if item != data.items[0]])
    assert cc.aggregate(fewer, initial=again, max_generations=3).n_items == 18
    with pytest.raises(cc.InputError, match="initial: the ranking has an unknown item: 'gone'"):
        cc.aggregate(pairs, initial=["gone"])
