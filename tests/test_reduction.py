"""Components of the majority relation, and dynamic programming over subsets."""

import itertools

import numpy as np
import pytest
from hypothesis import given

from concordant._kernels import exact
from concordant.pairwise import Pairwise
from concordant.reduction.split import (
    Split,
    components,
    margins_of,
    number_components,
    weak_components,
)
from strategies import all_optima, brute_force, matrices


def reaches(counts: np.ndarray) -> np.ndarray:
    """Tell for all pairs whether majorities lead from one to the other, by closure."""
    closure = (counts > counts.T) | np.eye(len(counts), dtype=bool)
    for k in range(len(counts)):
        closure |= closure[:, [k]] & closure[[k], :]
    return closure


class TestMargins:
    @given(matrices())
    def test_definition(self, matrix: np.ndarray) -> None:
        margins = margins_of(matrix)
        assert margins.dtype == np.int32
        m = len(matrix)
        for a, b in itertools.product(range(m), repeat=2):
            assert margins[a, b] == matrix[b, a] - matrix[a, b]

    @pytest.mark.parametrize(
        ("high", "low", "kind"),
        [
            (2**31 - 1, 0, np.int32),
            (2**31, 0, np.int64),
            (2**30, -(2**30), np.int64),
            (2**58, -(2**58), np.int64),
        ],
    )
    def test_width(self, high: int, low: int, kind: type) -> None:
        margins = margins_of(np.array([[0, high], [low, 0]]))
        assert margins.dtype == kind
        assert margins.tolist() == [[0, low - high], [high - low, 0]]


class TestComponents:
    @given(matrices(max_items=9, low=0, high=2))
    def test_are_the_strong_components_in_order(self, matrix: np.ndarray) -> None:
        parts = components(matrix)
        assert sorted(np.concatenate(parts).tolist()) == list(range(len(matrix)))
        closure = reaches(matrix)
        number = np.empty(len(matrix), int)
        for k, part in enumerate(parts):
            assert part.tolist() == sorted(part.tolist())
            number[part] = k
        for a, b in itertools.permutations(range(len(matrix)), 2):
            assert (number[a] == number[b]) == bool(closure[a, b] and closure[b, a])
            if matrix[a, b] > matrix[b, a]:
                assert number[a] <= number[b]

    @given(matrices(max_items=6, low=-1, high=1))
    def test_optimal_parts_make_an_optimal_whole(self, matrix: np.ndarray) -> None:
        order = [
            int(part[k])
            for part in components(matrix)
            for k in brute_force(matrix[np.ix_(part, part)])[1]
        ]
        cost = Pairwise.from_matrix(matrix).cost_units(np.array(order))
        assert cost == brute_force(matrix)[0]

    def test_many_items(self) -> None:
        # A long chain, a large cycle, and no majority at all: without recursion.
        m = 1500
        chain = np.triu(np.ones((m, m), np.int64), 1)
        turn = np.random.default_rng(0).permutation(m)
        parts = components(chain[np.ix_(turn, turn)])
        assert [turn[part[0]] for part in parts] == list(range(m))
        cycle = np.zeros((m, m), np.int64)
        cycle[np.arange(m), (np.arange(m) + 1) % m] = 1
        assert len(components(cycle)) == 1
        assert len(components(np.zeros((m, m), np.int64))) == m

    @given(matrices(max_items=9, low=0, high=2))
    def test_plain_and_compiled_agree(self, matrix: np.ndarray) -> None:
        margins = margins_of(matrix)
        number, found = number_components(margins)
        compiled, also_found = exact.components(margins)
        assert (number.tolist(), found) == (compiled.tolist(), also_found)


class TestSplit:
    @given(matrices(max_items=7, low=0, high=3))
    def test_parts_and_what_lies_between_make_the_whole(self, matrix: np.ndarray) -> None:
        pairs = Pairwise.from_matrix(matrix)
        split = Split.of(pairs)
        order = np.random.default_rng(0).permutation(len(matrix))
        inside = split.orders(order)
        costs = [part.cost(each) for part, each in zip(split.parts, inside, strict=True)]
        joined = split.join(inside)
        assert sorted(joined.tolist()) == list(range(len(matrix)))
        assert split.between + sum(costs) == pairs.cost_units(joined)
        assert split.between + sum(part.trivial for part in split.parts) == (
            pairs.lower_bound_units()
        )
        solved = [part.solution() for part in split.parts]
        least = split.between + sum(cost for _, cost in solved)
        assert least == brute_force(matrix)[0]
        assert pairs.cost_units(split.join(each for each, _ in solved)) == least

    @given(matrices(max_items=6, low=0, high=2))
    def test_all_optimal_orders_list_the_weak_parts_in_turn(self, matrix: np.ndarray) -> None:
        parts = weak_components(margins_of(matrix))
        for order in all_optima(matrix):
            position = np.argsort(order)
            ends = [(position[part].min(), position[part].max()) for part in parts]
            assert all(a[1] < b[0] for a, b in itertools.pairwise(ends))
