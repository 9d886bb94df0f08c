"""Dynamic programming over subsets against brute force, and its two implementations."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant.certificate import optimum_by_subsets
from concordant.pairwise import Pairwise
from concordant.reduction.split import Part
from concordant.reduction.subsets import LARGEST, SubsetCosts, costs_plain, fits_later
from strategies import all_optima, brute_force, matrices


@given(matrices(max_items=7))
def test_equals_brute_force(matrix: np.ndarray) -> None:
    order, cost = Part.whole(matrix).solution()
    assert cost == brute_force(matrix)[0]
    assert sorted(order.tolist()) == list(range(len(matrix)))
    assert Pairwise.from_matrix(matrix).cost_units(order) == cost


@given(st.integers(0, 1000))
def test_large_entries(seed: int) -> None:
    matrix = np.random.default_rng(seed).integers(-(2**55), 2**55, (5, 5))
    np.fill_diagonal(matrix, 0)
    assert Part.whole(matrix).solution()[1] == brute_force(matrix)[0]


@pytest.mark.parametrize("m", [1, 2, 5, 9, 10, 11, 13, 14])
def test_plain_and_compiled_agree(m: int) -> None:
    margins = np.random.default_rng(m).integers(-9, 9, (m, m))
    excess = np.maximum(margins - margins.T, 0)
    for factor in (1, 10**12):
        filling = SubsetCosts.in_slices(excess * factor)
        while True:
            try:
                next(filling)
            except StopIteration as end:
                table = end.value
                break
        assert (table.costs == costs_plain(excess * factor)).all()


@given(matrices(max_items=6, low=0, high=2))
def test_all_optimal_orders_and_their_winners(matrix: np.ndarray) -> None:
    table = Part.whole(matrix).by_subsets
    assert table is not None
    best = all_optima(matrix)
    assert sorted(tuple(order.tolist()) for order in table.orders()) == best
    assert table.winners() == tuple(sorted({order[0] for order in best}))


def test_a_known_optimum_of_many_items() -> None:
    # All majorities agree with one order: it is optimal.
    m = 14
    rng = np.random.default_rng(5)
    center = rng.permutation(m)
    rank = np.argsort(center)
    ahead = rank[:, None] < rank[None, :]
    losses = rng.integers(0, 10, (m, m))
    matrix = np.where(ahead, losses.T + 1 + rng.integers(0, 5, (m, m)), losses)
    np.fill_diagonal(matrix, 0)
    matrix = np.where(ahead, np.maximum(matrix, matrix.T + 1), matrix)
    order, cost = Part.whole(matrix).solution()
    assert order.tolist() == center.tolist()
    assert cost == Pairwise.from_matrix(matrix).lower_bound_units()


def test_too_many_items_are_refused() -> None:
    with pytest.raises(ValueError, match="too many subsets"):
        SubsetCosts(np.zeros((LARGEST + 1, LARGEST + 1), np.int64))


@pytest.mark.parametrize(
    ("m", "factor", "fits"),
    [(27, 1, True), (28, 1, False), (26, 10**12, True), (27, 10**12, False)],
)
def test_tables_of_at_most_512_mib(m: int, factor: int, fits: bool) -> None:
    assert fits_later(np.full((m, m), factor)) is fits


@pytest.mark.parametrize("m", [*range(1, 13), 15])
@pytest.mark.parametrize("factor", [1, 10**12])
def test_the_checker_finds_the_same_optimum(m: int, factor: int) -> None:
    counts = np.random.default_rng(m).integers(0, 9, (m, m)) * factor
    np.fill_diagonal(counts, 0)
    paid = int(np.minimum(counts, counts.T).sum()) // 2
    assert optimum_by_subsets(counts) == paid + SubsetCosts(np.maximum(counts - counts.T, 0)).cost
