"""Graphs: edges as counts of pairs, the direction, and the edges that an order goes against."""

from collections import Counter
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant.errors import InputError, SettingError
from concordant.graphs import find_edge_columns
from concordant.pairwise import Pairwise
from strategies import exact_counts, matrices

NODES = list("abcde")
EDGES = st.lists(
    st.tuples(st.sampled_from(NODES), st.sampled_from(NODES), st.integers(-3, 9)), min_size=1
)


class DiGraph:
    """What this package uses of a networkx graph."""

    def __init__(self, nodes: list, edges: list, directed: bool = True) -> None:
        self.nodes, self._edges, self._directed = nodes, edges, directed

    def is_directed(self) -> bool:
        return self._directed

    def edges(self, data: bool = False) -> list:
        return [(one, two, facts) if data else (one, two) for one, two, facts in self._edges]


def weights_of(pairs: Pairwise) -> Counter:
    counts = exact_counts(pairs)
    return Counter(
        {
            (a, b): counts[i][j]
            for i, a in enumerate(pairs.items)
            for j, b in enumerate(pairs.items)
            if counts[i][j]
        }
    )


def summed(edges: list[tuple]) -> Counter:
    total: Counter = Counter()
    for one, two, weight in edges:
        if one != two:
            total[one, two] += weight
    return Counter({pair: weight for pair, weight in total.items() if weight})


class TestReading:
    @given(EDGES)
    def test_edges_add_up(self, edges: list[tuple]) -> None:
        pairs = Pairwise.from_graph(edges, direction="source-wins")
        assert weights_of(pairs) == summed(edges)
        turned = Pairwise.from_graph(edges, direction="target-wins")
        assert (turned.counts == pairs.counts.T).all()
        assert turned.items == pairs.items

    @given(EDGES)
    def test_all_forms_say_the_same(self, edges: list[tuple]) -> None:
        pairs = Pairwise.from_graph(edges, "source-wins", items=NODES)
        frame = pl.DataFrame(edges, schema=["Source", "Target", "Weight"], orient="row")
        assert Pairwise.from_graph(frame, "source-wins", items=NODES) == pairs
        graph = DiGraph(NODES, [(one, two, {"weight": weight}) for one, two, weight in edges])
        assert Pairwise.from_graph(graph, "source-wins") == pairs
        rows, columns = ([NODES.index(edge[k]) for edge in edges] for k in (0, 1))
        matrix = scipy.sparse.coo_array(([edge[2] for edge in edges], (rows, columns)), (5, 5))
        for form in (matrix, matrix.tocsr(), matrix.tocsc()):
            assert Pairwise.from_graph(form, "source-wins", items=NODES) == pairs

    def test_weights(self) -> None:
        pairs = Pairwise.from_graph(
            [("a", "b"), ("b", "c", 0.1), ("c", "a", Fraction(1, 3))], "source-wins"
        )
        assert exact_counts(pairs)[1][2] == Fraction(1, 10)
        assert exact_counts(pairs)[2][0] == Fraction(1, 3)
        assert exact_counts(pairs)[0][1] == 1

    def test_attributes_of_a_graph(self) -> None:
        graph = DiGraph([3, 1, 2], [(1, 2, {"votes": 5}), (2, 1, {})])
        plain = Pairwise.from_graph(graph, "source-wins")
        assert plain.items == (3, 1, 2)
        assert plain.counts.tolist() == [[0, 0, 0], [0, 0, 1], [0, 1, 0]]
        votes = Pairwise.from_graph(graph, "source-wins", weight="votes")
        assert votes.counts[1, 2] == 5
        with pytest.raises(InputError, match=r"no edge .* attribute 'size'"):
            Pairwise.from_graph(graph, "source-wins", weight="size")
        with pytest.raises(InputError, match="not directed"):
            Pairwise.from_graph(DiGraph([1], [], directed=False), "source-wins")

    def test_a_sparse_matrix_numbers_its_items(self) -> None:
        matrix = scipy.sparse.csr_matrix(np.array([[7, 2], [0, 0]]))
        pairs = Pairwise.from_graph(matrix, "target-wins")
        assert pairs.items == ("1", "2")
        assert pairs.counts.tolist() == [[0, 0], [2, 0]]

    def test_columns(self) -> None:
        assert find_edge_columns(["from", "to"]) == ("from", "to", None)
        assert find_edge_columns(["x", "y", "n"], "y", "x", "n") == ("y", "x", "n")
        assert find_edge_columns(["x", "y"]) is None


class TestAgainst:
    @given(matrices())
    def test_the_weights_add_up_to_the_cost(self, matrix: np.ndarray) -> None:
        pairs = Pairwise.from_matrix(matrix)
        arcs = pairs.against(pairs.items)
        assert sum(weight for _, _, weight in arcs) == pairs.cost(pairs.items)
        assert [weight for *_, weight in arcs] == sorted((w for *_, w in arcs), reverse=True)
        assert all(pairs.items.index(a) > pairs.items.index(b) for a, b, _ in arcs)

    @given(EDGES)
    def test_they_are_arcs_of_the_graph(self, edges: list[tuple]) -> None:
        for direction in ("source-wins", "target-wins"):
            pairs = Pairwise.from_graph(edges, direction)
            arcs = pairs.against(pairs.items, direction)
            assert all(summed(edges)[one, two] == weight for one, two, weight in arcs)

    def test_without_them_there_is_no_cycle(self) -> None:
        edges = [("a", "b", 3), ("b", "c", 3), ("c", "a", 1), ("c", "d", 2), ("d", "b", 1)]
        pairs = Pairwise.from_graph(edges, "source-wins")
        result = cc.aggregate(pairs)
        arcs = pairs.against(result.ranking)
        assert arcs == [("c", "a", 1), ("d", "b", 1)]
        assert result.cost == 2
        assert result.status == "optimal"


class TestFrame:
    @given(matrices())
    def test_round_trip(self, matrix: np.ndarray) -> None:
        pairs = Pairwise.from_matrix(matrix)
        frame = pairs.to_frame()
        assert frame.columns == ["before", "after", "weight"]
        columns = {"source": "before", "target": "after"}
        again = Pairwise.from_graph(frame, "source-wins", items=pairs.items, **columns)
        assert again == pairs


class TestRefusals:
    def test_the_direction_is_asked(self) -> None:
        with pytest.raises(SettingError, match=r'"source-wins" if a comes first.*"target-wins"'):
            Pairwise.from_graph([("a", "b")])
        with pytest.raises(SettingError, match="not 'forward'"):
            Pairwise.from_graph([("a", "b")], "forward")  # type: ignore[arg-type]

    @pytest.mark.parametrize(
        ("graph", "options", "words"),
        [
            ([("a",)], {}, r"edge 1 must be \(source, target\)"),
            ([("a", "b"), ("a", "b", "x")], {}, "edge 2: weight 'x' is not a number"),
            ([("a", "b", float("nan"))], {}, "edge 1: weight nan is not finite"),
            ([("a", ["b"])], {}, "edge 1: .* cannot name an item"),
            ([("a", None)], {}, "edge 1 has no item at one end"),
            ([("a", "z")], {"items": "ab"}, "edge 1: unknown item 'z'"),
            ([], {}, "no item to rank"),
            ("ab", {}, "a graph must be .*, not str"),
            (np.eye(2), {}, "Pairwise.from_matrix"),
            ([("a", "b", 2**61), ("b", "a", 2**61)], {}, "too large to add up"),
            (scipy.sparse.csr_array((2, 3)), {}, "square, not 2 × 3"),
            (scipy.sparse.csr_array((2, 2)), {"items": "abc"}, "3 item names for a matrix of 2"),
            (pl.DataFrame({"x": ["a"], "y": ["b"]}), {}, "Use source=NAME"),
            (pl.DataFrame({"x": ["a"], "y": ["b"]}), {"source": "z"}, "no column 'z' for source"),
        ],
    )
    def test_bad_graphs(self, graph: object, options: dict, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Pairwise.from_graph(graph, "source-wins", **options)

    def test_columns_only_of_frames(self) -> None:
        with pytest.raises(SettingError, match="source names a column of a frame"):
            Pairwise.from_graph([("a", "b")], "source-wins", source="x")
