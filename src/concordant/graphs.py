"""Graphs as counts of pairs: edge lists, frames, networkx graphs, and matrices with labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from concordant._types import Int64, Item
from concordant.counting.differences import differing
from concordant.errors import Hint, InputError, SettingError, listed, show
from concordant.orders import has_default_labels, index_items
from concordant.units import LARGEST, exact_units
from concordant.voters import is_missing

Direction = Literal["source-wins", "target-wins"]

# Names of the columns of an edge list, in lower case and without punctuation.
_ENDS = (
    ("source", "target"),
    ("from", "to"),
    ("src", "dst"),
    ("src", "dest"),
    ("tail", "head"),
    ("u", "v"),
)
_WEIGHTS = ("weight", "weights", "value", "count", "w")
_FORMS = (
    "a networkx DiGraph, a scipy sparse matrix, a frame, or a list of (source, target) or (source, "
    "target, weight)"
)


def check_direction(direction: str | None) -> Direction:
    """Return the direction of a graph, or raise an error that explains both.

    Example:
        >>> check_direction("source-wins")
        'source-wins'
    """
    if direction is None:
        raise SettingError(
            "an edge from a to b may mean that a or that b comes first in the ranking. Give "
            "the direction",
            setting="direction",
            hints=[
                Hint("direction", ("source-wins",), "if a comes first"),
                Hint("direction", ("target-wins",), "if b comes first"),
            ],
        )
    if direction not in get_args(Direction):
        raise SettingError(
            f"direction must be 'source-wins' or 'target-wins', not {direction!r}",
            setting="direction",
        )
    return direction  # type: ignore[return-value]


def find_edge_columns(
    names: Sequence[Any],
    source: Item | None = None,
    target: Item | None = None,
    weight: Item | None = None,
) -> tuple[Any, Any, Any] | None:
    """Find the columns of an edge list, from their names and from the arguments.

    Returns the columns of the source, the target and the weight, which may be None; or None if
    the names do not show an edge list.

    Raises:
        InputError: There is no column of a given name.

    Example:
        >>> find_edge_columns(["From", "To", "Weight"])
        ('From', 'To', 'Weight')
        >>> find_edge_columns(["voter", "item", "rank"])
    """
    for role, name in (("source", source), ("target", target), ("weight", weight)):
        if name is not None and name not in names:
            raise InputError(
                f"there is no column {show(name)} for {role}: the columns are {listed(names)}"
            )
    keys = {re.sub(r"[\W_]+", "", name.casefold()): name for name in names if isinstance(name, str)}
    if weight is None:
        weight = next((keys[key] for key in _WEIGHTS if key in keys), None)
    if source is not None and target is not None:
        return source, target, weight
    for one, two in _ENDS:
        if one in keys and two in keys:
            return (
                keys[one] if source is None else source,
                keys[two] if target is None else target,
                weight,
            )
    return None


def read_graph(
    graph: Any,
    *,
    items: Iterable[Item] | None = None,
    source: Item | None = None,
    target: Item | None = None,
    weight: Item | None = None,
) -> tuple[tuple[Item, ...], Int64, int]:
    """Return the items of a graph, the weights from row to column, and their scale.

    See `Pairwise.from_graph` for the arguments.

    Example:
        >>> names, weights, scale = read_graph([("a", "b", 0.5), ("b", "a"), ("a", "b", 1)])
        >>> names, weights.tolist(), scale
        (('a', 'b'), [[0, 15], [10, 0]], 10)
    """
    given = None if items is None else list(items)
    columns = {"source": source, "target": target, "weight": weight}
    if hasattr(graph, "tocoo"):
        _refuse_columns(columns, "a sparse matrix")
        names, tails, heads, weights = _from_sparse(graph, given)
    else:
        if callable(getattr(graph, "is_directed", None)):
            _refuse_columns({"source": source, "target": target}, "a networkx graph")
            edges, known = _from_networkx(graph, weight)
            given = known if given is None else given
        elif hasattr(graph, "columns") or hasattr(graph, "column_names"):
            edges = _from_frame(graph, columns)
        else:
            _refuse_columns(columns, "a list of edges")
            edges = _from_list(graph)
        names, tails, heads = _number(edges, given)
        weights = [edge[2] for edge in edges]
        if not all(isinstance(value, int | float) for value in weights):
            weights = np.array([*weights, None], object)[:-1]
    if not names:
        raise InputError("there is no item to rank")
    try:
        units, scale = exact_units(weights)
    except InputError as error:
        if error.ranking is None:
            raise
        fault = error.message.removeprefix(f"ranking {error.ranking + 1}: ")
        raise InputError(f"edge {error.ranking + 1}: {fault}") from None
    if sum(abs(value) for value in units.tolist()) * len(names) ** 2 >= LARGEST:
        raise InputError(
            "the weights of the edges are too large to add up exactly (2**62): divide them by a "
            "common factor, or round them to fewer decimals"
        )
    matrix = np.zeros((len(names), len(names)), np.int64)
    np.add.at(matrix, (tails, heads), units)
    np.fill_diagonal(matrix, 0)
    return names, matrix, scale


def _refuse_columns(columns: Mapping[str, Any], what: str) -> None:
    for role, name in columns.items():
        if name is not None:
            raise SettingError(
                f"{role} names a column of a frame, but the graph is {what}", setting=role
            )


def _from_sparse(graph: Any, items: list[Item] | None) -> tuple[tuple[Item, ...], Any, Any, Any]:
    if graph.ndim != 2 or graph.shape[0] != graph.shape[1]:
        shape = " × ".join(str(size) for size in graph.shape)
        raise InputError(f"the matrix of a graph must be square, not {shape}")
    m = int(graph.shape[0])
    names = [str(j + 1) for j in range(m)] if items is None else items
    if len(names) != m:
        raise InputError(f"{len(names)} item names for a matrix of {m} rows")
    index_items(names)
    entries = graph.tocoo()
    return tuple(names), entries.row, entries.col, entries.data


_Edge = tuple[Any, Any, Any]


def _from_networkx(graph: Any, weight: Item | None) -> tuple[list[_Edge], list[Item]]:
    if not graph.is_directed():
        raise InputError(
            "the graph is not directed, so its edges do not say what comes first: give a DiGraph"
        )
    name = "weight" if weight is None else weight
    edges = [(one, two, facts.get(name, 1)) for one, two, facts in graph.edges(data=True)]
    if weight is not None and not any(weight in facts for _, _, facts in graph.edges(data=True)):
        raise InputError(f"no edge of the graph has an attribute {show(weight)}")
    return edges, list(graph.nodes)


def _from_frame(frame: Any, columns: Mapping[str, Any]) -> list[_Edge]:
    # Imported here: a data frame library takes longer to load than everything else.
    from concordant.tables.frames import open_frame
    from concordant.tables.values import name_list

    names, column, n_rows = open_frame(frame)
    found = find_edge_columns(names, **columns)
    if found is None:
        raise InputError(
            f"the columns do not show an edge list: they are {listed(names)}. Use source=NAME and "
            "target=NAME to name them"
        )
    source, target, weight = found
    ends = [name_list(column(name)) for name in (source, target)]
    weights = [1] * n_rows if weight is None else list(column(weight))
    return list(zip(*ends, weights, strict=True))


def _from_list(graph: Any) -> list[_Edge]:
    if isinstance(graph, str | bytes | Mapping | np.ndarray) or not isinstance(graph, Iterable):
        more = ". Use Pairwise.from_matrix for a matrix" if isinstance(graph, np.ndarray) else ""
        raise InputError(f"a graph must be {_FORMS}, not {type(graph).__name__}{more}")
    edges = []
    for number, edge in enumerate(graph, start=1):
        if not isinstance(edge, tuple | list) or len(edge) not in (2, 3):
            raise InputError(
                f"edge {number} must be (source, target) or (source, target, weight), not "
                f"{show(edge)}"
            )
        weight = edge[2] if len(edge) == 3 else 1
        edges.append(
            (edge[0], edge[1], weight.get("weight", 1) if isinstance(weight, Mapping) else weight)
        )
    return edges


def _number(
    edges: Sequence[_Edge], items: list[Item] | None
) -> tuple[tuple[Item, ...], Int64, Int64]:
    """Number the ends of edges; by default in order of appearance."""
    index: dict[Item, int] = {} if items is None else index_items(items)
    ends: tuple[list[int], list[int]] = ([], [])
    for number, edge in enumerate(edges, start=1):
        for side, item in zip(ends, edge[:2], strict=True):
            try:
                place = index.get(item)
            except TypeError:
                raise InputError(
                    f"edge {number}: {show(item)} cannot name an item (it is not hashable)"
                ) from None
            if place is None:
                if item is None or is_missing(item):
                    raise InputError(f"edge {number} has no item at one end")
                if items is not None:
                    raise InputError(f"edge {number}: unknown item {show(item)}, not among `items`")
                place = index[item] = len(index)
            side.append(place)
    return tuple(index), np.array(ends[0], np.int64), np.array(ends[1], np.int64)


def arcs_against(
    counts: Int64, order: npt.NDArray[np.integer[Any]], value: Callable[[int], int | float]
) -> list[tuple[int, int, int | float]]:
    """Return the arcs that an order goes against: (source, target, weight), heaviest first.

    An arc from a to b has the weight `counts[a, b]`; the order goes against it if b is before a.

    Example:
        >>> arcs_against(np.array([[0, 5], [2, 0]]), np.array([0, 1]), int)
        [(1, 0, 2)]
    """
    place = np.empty(order.size, np.int64)
    place[order] = np.arange(order.size)
    sources, targets = np.nonzero(counts)
    back = place[sources] > place[targets]
    sources, targets = sources[back], targets[back]
    weights = counts[sources, targets]
    falling = np.lexsort((place[targets], place[sources], -weights))
    each = (array[falling].tolist() for array in (sources, targets, weights))
    return [(one, two, value(units)) for one, two, units in zip(*each, strict=True)]


def labelled_values(frame: Any, items: Iterable[Item] | None) -> tuple[Any, Any]:
    """Return the values of a square pandas frame, in the same order both ways, and its labels."""
    if has_default_labels(frame):
        return frame.to_numpy(), items
    rows, columns = list(frame.index), list(frame.columns)
    names = rows if items is None else list(items)
    for labels in (rows, columns, names):
        index_items(labels)
    for labels, where in ((columns, "columns"), (names, "`items`")):
        if set(labels) != set(rows):
            raise InputError(
                f"the rows (first) and the {where} (second) of the matrix have different labels; "
                f"{differing(rows, labels)}. Give both the same labels, or pass matrix.to_numpy() "
                "and items="
            )
    return frame.loc[names, names].to_numpy(), names
