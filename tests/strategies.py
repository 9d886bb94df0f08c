"""Random rankings for property tests, and the definitions they are checked against."""

import itertools
from fractions import Fraction
from functools import cache

import numpy as np
from hypothesis import strategies as st

from concordant.pairwise import Pairwise
from concordant.rankings import Rankings

UNRANKED = st.sampled_from(["unknown", "last"])
# Names that formats, tables and sorting may stumble over; all of them print differently.
ODD_NAMES = (
    "",
    " ",
    "a b",
    "<b>&\"'",
    "ß",
    "日本",
    "\u202e",
    "1e3",
    "nan",
    "None, too",
    0,
    -1,
    2.5,
    True,
    None,
    (1, 2),
    frozenset({"x"}),
    b"raw",
    "x" * 200,
)


def names(min_size: int = 1, max_size: int = 7) -> st.SearchStrategy[list]:
    """Draw item names: plain letters, or odd ones of mixed kinds."""
    plain = st.integers(min_size, max_size).map(lambda m: list("abcdefghijklmnopqrst"[:m]))
    odd = st.lists(
        st.sampled_from(ODD_NAMES), min_size=min_size, max_size=max_size, unique_by=_identity
    )
    return st.one_of(plain, odd)


def _identity(item: object) -> str:
    # True is 1 and hashes as it does; none of the odd names clashes, but say so by text.
    return str(item)


@st.composite
def buckets(draw: st.DrawFn, items: list, complete: bool = False, strict: bool = False) -> list:
    """Draw one ranking as a list of tuples, with ties unless strict, with gaps unless complete."""
    order = draw(st.permutations(items))
    if not complete:
        order = order[: draw(st.integers(0, len(order)))]
    ranking: list[list] = []
    for item in order:
        if ranking and not strict and draw(st.booleans()):
            ranking[-1].append(item)
        else:
            ranking.append([item])
    return [tuple(bucket) for bucket in ranking]


def weights(kind: str = "any") -> st.SearchStrategy:
    """Draw a weight: small integers with zero, huge ones, or decimals and fractions."""
    small = st.integers(0, 9)
    if kind == "small":
        return small
    huge = st.integers(2**31, 2**40)
    decimal = st.integers(0, 9999).map(lambda k: k / 1000)
    fraction = st.builds(Fraction, st.integers(0, 50), st.integers(1, 12))
    return {"huge": huge, "decimal": decimal, "any": st.one_of(small, huge, decimal, fraction)}[
        kind
    ]


@st.composite
def ballots(
    draw: st.DrawFn,
    min_items: int = 1,
    max_items: int = 7,
    max_rankings: int = 8,
    complete: bool = False,
    strict: bool = False,
    kind: str = "any",
) -> tuple[list, list[list], list, str]:
    """Draw (items, orders, weights, unranked), the arguments of `Rankings.from_orders`."""
    items = draw(names(min_items, max_items))
    n = draw(st.integers(1, max_rankings))
    orders = [draw(buckets(items, complete, strict)) for _ in range(n)]
    # One kind a time: mixing huge with decimal weights passes what fits in 62 bits.
    weight = weights(draw(st.sampled_from(["small", "huge", "decimal"])) if kind == "any" else kind)
    return items, orders, [draw(weight) for _ in range(n)], draw(UNRANKED)


def make(given: tuple[list, list[list], list, str]) -> Rankings:
    """Build the rankings that `ballots` drew."""
    items, orders, weight, unranked = given
    return Rankings.from_orders(orders, weights=weight, items=items, unranked=unranked)


def rankings(**options: object) -> st.SearchStrategy[Rankings]:
    """Draw rankings with ties, gaps, weights and odd names."""
    return ballots(**options).map(make)


@st.composite
def matrices(draw: st.DrawFn, max_items: int = 7, low: int = -5, high: int = 5) -> np.ndarray:
    """Draw a square matrix of small integers, so that ties between pairs are common."""
    m = draw(st.integers(1, max_items))
    entries = draw(st.lists(st.integers(low, high), min_size=m * m, max_size=m * m))
    matrix = np.array(entries, np.int64).reshape(m, m)
    np.fill_diagonal(matrix, 0)
    return matrix


def exact_weight(weight: object) -> Fraction:
    """Return a weight as the shortest decimal that reads back as it."""
    return Fraction(str(weight)) if isinstance(weight, float) else Fraction(weight)


def count_by_definition(given: tuple[list, list[list], list, str]) -> list[list[Fraction]]:
    """Add up, pair by pair, the weight of the rankings that put a strictly before b."""
    items, orders, weight, unranked = given
    counts = [[Fraction(0)] * len(items) for _ in items]
    for order, w in zip(orders, weight, strict=True):
        rank = {item: number for number, bucket in enumerate(order) for item in bucket}
        if unranked == "last":
            rank = {item: rank.get(item, len(order)) for item in items}
        for i, a in enumerate(items):
            for j, b in enumerate(items):
                if a in rank and b in rank and rank[a] < rank[b]:
                    counts[i][j] += exact_weight(w)
    return counts


def exact_counts(pairs: Pairwise) -> list[list[Fraction]]:
    """Return the matrix in fractions, whatever its scale."""
    return [[Fraction(count, pairs.scale) for count in row] for row in pairs.counts.tolist()]


@cache
def _orders(m: int) -> np.ndarray:
    """Return all orders of m items, a row for each, in the order of `permutations`."""
    return np.array(list(itertools.permutations(range(m))), np.int8).reshape(-1, m)


def _costs(counts: np.ndarray) -> np.ndarray:
    """Return the cost of every order: in Python's numbers, unless sums surely fit into 64 bits."""
    table = np.asarray(counts)
    m = len(table)
    if table.dtype.kind not in "iu" or int(np.abs(table).max(initial=0)) * m * m >= 2**62:
        table = table.astype(object)
    orders = _orders(m)
    costs = np.zeros(len(orders), table.dtype)
    for p, q in itertools.combinations(range(m), 2):
        costs += table[orders[:, q], orders[:, p]]
    return costs


def brute_force(counts: np.ndarray) -> tuple[int, list[int]]:
    """Return the least cost over all orders, and the first order that has it."""
    costs = _costs(counts)
    first = int(np.argmin(costs))
    return costs[first : first + 1].tolist()[0], _orders(len(counts))[first].tolist()


def all_optima(counts: np.ndarray) -> list[tuple[int, ...]]:
    """Return all orders of least cost."""
    costs = _costs(counts)
    return [tuple(order) for order in _orders(len(counts))[costs == costs.min()].tolist()]
