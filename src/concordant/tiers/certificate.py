"""Certificates of answers with ties, and a checker that needs no solver.

The format is that of `concordant.certificate`, with `"objective": "tiers"`. The items are split
into components. Of two items in different components, every answer pays the cheapest of the three
states: one before the other, the other before the one, or a tie. Inside a component, one of these
shows that no answer costs less than its `bound`:

`subsets`
    The component is small. The checker finds its optimum by dynamic programming.

`nodes`
    A tree of cases, the root first. Let y[i, j] be 1 where i is before j or tied with it. The cost
    of an answer is a constant plus the sum of c[i, j] · y[i, j] over all ordered pairs, with
    c[i, j] = (cost of a tie) - (cost of j before i). A *round* of a node has rows: inequalities
    that every weak order obeys, each with an integer multiplier in units of 1 / scale. Adding
    multiplier · (left side - limit) to the cost never raises it, and what is left is a sum over
    pairs, each of which can take its cheapest state: a lower bound. All costs agree modulo the
    greatest common divisor of the differences between the states of pairs, so the bound is rounded
    up to the next possible cost. A state that lifts the bound to the `cutoff` is dropped, for the
    rest of this node and below it, with all that follows by transitivity. A node with a `branch`
    [a, b] has two children: y[a, b] = 1 and y[a, b] = 0. A node without one must reach the bound.

The kinds of rows are in `KINDS`. `transitive` is [multiplier, a, b, …, z]: if a is before or tied
with b, and so on up to z, then a is before or tied with z.

A component with `groups`, a list of sizes, has items that stay tied; `_contract` checks that they
may.

A certificate with `strict` in place of components has a certificate of `concordant.certificate`
there: ties are worth nothing in the problem, and its best order without ties is as good as any
answer.

All arithmetic is on integers. This module shares no code with the solver.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from concordant.certificate import KIND, VERSION
from concordant.certificate import check as check_strict
from concordant.certificate import fingerprint as fingerprint_of_matrix
from concordant.errors import VerificationError

Matrix = npt.NDArray[np.int64]
Known = npt.NDArray[np.bool_]

OBJECTIVE = "tiers"
# A component proven by dynamic programming may have this many items: 3^14 steps.
LARGEST_BY_SUBSETS = 14
_OVERFLOW = 1 << 62

# Rows of four items: the pairs with +, those with -, and the limit. "ab" is y[a, b].
KINDS: dict[str, tuple[str, str, int]] = {
    "four-a": ("ab ba ac ca db dc", "bc cb da", 3),
    "four-a-reversed": ("ab ba ac ca bd cd", "bc cb ad", 3),
    "four-b": ("ab ba ac ca ad da", "bc cb bd db cd dc", 1),
    "four-c": ("ab ac bd cd da", "ad bc cb", 2),
}


def fingerprint(before: Matrix, tied: Matrix) -> str:
    """Return a hash of the costs of a problem, to recognise it.

    Example:
        >>> fingerprint(np.array([[0, 2], [1, 0]]), np.array([[0, 1], [1, 0]]))[:8]
        'bc93a294'
    """
    return fingerprint_of_matrix(np.concatenate([before, tied]))


def check(certificate: Any, before: Matrix, tied: Matrix) -> int:
    """Check a certificate against the costs of all pairs and return the bound that it proves.

    Args:
        certificate: What `json.load` returned.
        before: before[a, b] is what a strictly before b costs, in integer units.
        tied: tied[a, b] is what a tie of the two costs.

    Returns:
        A lower bound on the cost of every weak order, in the same units.

    Raises:
        VerificationError: Something in it does not hold; the message says what.

    Example:
        >>> before, tied = np.array([[0, 2], [1, 0]]), np.array([[0, 1], [1, 0]])
        >>> part = {"items": [0, 1], "bound": 1, "proof": "subsets"}
        >>> check(
        ...     {
        ...         "format": KIND,
        ...         "version": VERSION,
        ...         "objective": "tiers",
        ...         "n_items": 2,
        ...         "data": fingerprint(before, tied),
        ...         "bound": 1,
        ...         "components": [part],
        ...     },
        ...     before,
        ...     tied,
        ... )
        1
    """
    before, tied = np.asarray(before, np.int64), np.asarray(tied, np.int64)
    m = before.shape[0]
    _expect(isinstance(certificate, dict), "it is not a JSON object")
    _expect(certificate.get("format") == KIND, "it is not a certificate of concordant")
    version = certificate.get("version")
    _expect(version == VERSION, f"it has version {version!r}, this is a checker of {VERSION}")
    _expect(certificate.get("objective") == OBJECTIVE, "it is not about answers with ties")
    _expect(certificate.get("n_items") == m, "it is about another number of items")
    _expect(certificate.get("data") == fingerprint(before, tied), "it was made for other data")
    stated = _integer(certificate.get("bound"), "its bound")
    if "strict" in certificate:
        _expect(
            bool((2 * tied >= before + before.T).all()),
            "a tie costs less than the mean of both orders, so orders without ties do not suffice",
        )
        total = check_strict(certificate["strict"], np.ascontiguousarray(before.T))
    else:
        total = _check_components(certificate.get("components"), before, tied)
    _expect(stated == total, f"it states {stated} but proves {total}")
    return total


def _check_components(parts: Any, before: Matrix, tied: Matrix) -> int:
    m = before.shape[0]
    _expect(isinstance(parts, list), "it has no list of components")
    lowest = np.minimum(np.minimum(before, before.T), tied)
    seen = np.zeros(m, np.int64)
    total = int(lowest.sum()) // 2
    for number, part in enumerate(parts):
        try:
            _expect(isinstance(part, dict), "it is not an object")
            items = _table(part.get("items"), "items", 1)
            _expect(items.size > 0, "it has no items")
            _expect(bool(((items >= 0) & (items < m)).all()), "it has items that do not exist")
            np.add.at(seen, items, 1)
            _expect(bool((seen <= 1).all()), "it has an item for the second time")
            block = np.ix_(items, items)
            total -= int(lowest[block].sum()) // 2
            costs, ties, paid = before[block], tied[block], 0
            if "groups" in part:
                costs, ties, paid = _contract(costs, ties, part["groups"])
            total += paid + _check_part(part, costs, ties, paid)
        except VerificationError as error:
            raise VerificationError(f"certificate, component {number}: {error}") from None
    _expect(bool((seen == 1).all()), "an item is in no component")
    return total


def _contract(before: Matrix, tied: Matrix, sizes: Any) -> tuple[Matrix, Matrix, int]:
    """Replace groups of items by one item each; return the costs, and what is paid inside.

    All items of a group must have the same costs with every item outside it, and a tie must be the
    cheapest state of all pairs inside. Then some optimal answer ties the group: move all of it to
    the item that pays least against the items outside.
    """
    groups = _table(sizes, "groups", 1)
    _expect(bool((groups >= 1).all()), "a group has no items")
    _expect(int(groups.sum()) == before.shape[0], "its groups do not hold its items")
    ends = np.cumsum(groups)
    starts = ends - groups
    paid = 0
    for a, b in zip(starts.tolist(), ends.tolist(), strict=True):
        for matrix in (before, before.T, tied):
            rows = matrix[a:b].copy()
            rows[:, a:b] = 0
            _expect(bool((rows == rows[0]).all()), "a group has items that others distinguish")
        inside = before[a:b, a:b]
        least = bool((tied[a:b, a:b] <= np.minimum(inside, inside.T)).all())
        _expect(least, "a tie is not the cheapest state inside a group")
        paid += int(tied[a:b, a:b].sum()) // 2
    joined = [
        np.add.reduceat(np.add.reduceat(matrix, starts, axis=0), starts, axis=1)
        for matrix in (before, tied)
    ]
    for matrix in joined:
        np.fill_diagonal(matrix, 0)
    return joined[0], joined[1], paid


def _check_part(part: dict[str, Any], before: Matrix, tied: Matrix, paid: int) -> int:
    """Check the proof of a component; `paid` is part of its bound and of its cutoff."""
    bound = _integer(part.get("bound"), "its bound") - paid
    if before.shape[0] == 1:
        _expect(bound == 0, "a single item costs nothing")
    elif "nodes" in part:
        cutoff = _integer(part.get("cutoff"), "its cutoff") - paid
        _check_tree(part["nodes"], before, tied, bound, cutoff)
    else:
        _expect(part.get("proof") == "subsets", "it has no proof")
        least = optimum_by_subsets(before, tied)
        _expect(bound == least, f"its optimum is {least}, not {bound}")
    return bound


class _Case:
    """What is known about the pairs in a case.

    Attributes:
        weak: weak[i, j]: i is before j or tied with it.
        strict: strict[i, j]: i is before j.
        apart: apart[i, j]: the two are not tied.
    """

    def __init__(self, weak: Known, strict: Known, apart: Known) -> None:
        self.weak, self.strict, self.apart = weak, strict, apart

    @classmethod
    def of_all(cls, k: int) -> _Case:
        """Return the case of all weak orders."""
        return cls(np.eye(k, dtype=bool), np.zeros((k, k), bool), np.zeros((k, k), bool))

    def with_more(self, weak: Known, strict: Known, apart: Known) -> _Case | None:
        """Return the case in which more is known, or None if there is no such weak order."""
        weak, strict = self.weak | weak, self.strict | strict
        apart = self.apart | apart | apart.T
        while True:
            strict = strict | (weak & apart)
            weak = weak | strict
            steps = weak.astype(np.float32)
            longer = steps @ steps > 0
            further = steps @ strict.astype(np.float32) @ steps > 0
            if (longer == weak).all() and (further == strict).all():
                break
            weak, strict = longer, further
        if (strict & weak.T).any() or (apart & weak & weak.T).any():
            return None
        return _Case(weak, strict, apart)

    def allowed(self) -> Known:
        """Return for each pair whether i before j, a tie, and j before i are possible."""
        apart = self.apart | self.strict | self.strict.T
        return np.stack([~self.weak.T, ~apart, ~self.weak])


def _check_tree(nodes: Any, before: Matrix, tied: Matrix, bound: int, cutoff: int) -> None:
    """Walk the tree of cases; every leaf must reach the bound."""
    k = before.shape[0]
    _expect(isinstance(nodes, list) and nodes != [], "it has no list of nodes")
    _expect(bound <= cutoff, "its bound is above its cutoff")
    costs = tied - before.T
    base = int((before + before.T - tied).sum()) // 2
    goal, limit = bound - base, cutoff - base
    lowest = np.minimum(np.minimum(before, before.T), tied)
    waiting = [(0, _Case.of_all(k), int(lowest.sum()) // 2 - base)]
    visited: set[int] = set()
    while waiting:
        at, case, proven = waiting.pop()
        _expect(at not in visited, f"node {at} is reached twice")
        visited.add(at)
        node = nodes[at]
        _expect(isinstance(node, dict), f"node {at} is not an object")
        rounds = node.get("rounds", [])
        _expect(isinstance(rounds, list), f"node {at} has no list of rounds")
        for step in rounds:
            if proven >= goal:
                break
            value, left = _apply(step, costs, case, limit, goal)
            if left is None:
                proven = limit
                break
            proven, case = max(proven, value), left
        if proven >= goal:
            continue
        _expect(
            "branch" in node and "children" in node,
            f"node {at} proves {base + proven}, less than the bound {bound}",
        )
        pair = _table(node["branch"], "a branch", 1)
        _expect(pair.size == 2 and pair[0] != pair[1], f"node {at} has a wrong branch")
        _expect(pair.min() >= 0 and pair.max() < k, f"node {at} has a wrong branch")
        below = _table(node["children"], "children", 1)
        _expect(below.size == 2, f"node {at} must have two children")
        nothing, more = np.zeros((k, k), bool), np.zeros((k, k), bool)
        more[pair[0], pair[1]] = True
        halves = (
            case.with_more(more, nothing, nothing),
            case.with_more(nothing, more.T.copy(), nothing),
        )
        for child, half in zip(below.tolist(), halves, strict=True):
            _expect(at < child < len(nodes), f"node {at} has a wrong child")
            if half is not None:
                waiting.append((child, half, proven))


def _apply(
    step: Any, costs: Matrix, case: _Case, cutoff: int, goal: int
) -> tuple[int, _Case | None]:
    """Compute what one round proves, and drop states where that is below the goal.

    Returns the bound, and the case that is left, or None if nothing below the cutoff is.
    """
    _expect(isinstance(step, dict), "a round is not an object")
    scale = _integer(step.get("scale"), "a scale")
    _expect(scale >= 1, "a scale is below 1")
    rows = step.get("rows")
    _expect(isinstance(rows, dict), "a round has no rows")
    budget = _OVERFLOW - 2 * int(np.abs(costs).sum()) * scale
    _expect(budget > 0, "its numbers are too large to add up")
    reduced = costs * scale
    charge = 0
    for kind, given in rows.items():
        charged, used = _add_rows(kind, given, reduced)
        charge, budget = charge + charged, budget - used
        _expect(budget > 0, "its numbers are too large to add up")
    possible = case.allowed()
    upper = np.triu(np.ones(costs.shape, bool), 1)

    def by_state(c: Matrix) -> Matrix:
        return np.stack([c, c + c.T, c.T])

    far = np.int64(2) ** 62
    prices = np.where(possible, by_state(reduced), far)
    least = prices.min(axis=0)
    scaled = int(least[upper].sum()) - charge
    # All costs are offset plus a multiple of gap; the last one below the cutoff is the limit.
    plain = by_state(costs)
    first = np.take_along_axis(plain, np.argmax(possible, axis=0)[None], axis=0)[0]
    offset = int(first[upper].sum())
    gap = int(np.gcd.reduce(np.where(possible & upper, plain - first, 0), axis=None))
    if gap == 0:
        return offset, case
    bound = offset + gap * -((offset * scale - scaled) // (gap * scale))
    if bound >= goal:
        return bound, case
    limit = offset + gap * (-((offset - cutoff) // gap) - 1)
    dear = possible & (prices - least > limit * scale - scaled)
    dear[:, ~(upper | upper.T)] = False
    if not dear.any():
        return bound, case
    # Without "j before i", i is before j or tied with it; and the other way round.
    weak = dear[2] | dear[0].T
    return bound, case.with_more(weak, np.zeros_like(weak), dear[1])


def _add_rows(kind: str, rows: Any, reduced: Matrix) -> tuple[int, int]:
    """Add rows of one kind to the reduced costs; return what they charge and the sum added."""
    _expect(isinstance(rows, list), "rows must be a list")
    _expect(kind == "transitive" or kind in KINDS, f"no kind of row is called {kind!r}")
    _expect(all(isinstance(row, list) for row in rows), "rows must be lists")
    charge = used = 0
    for length in sorted({len(row) for row in rows}):
        _expect(length >= 4, "a row has fewer than three items")
        table = _table([row for row in rows if len(row) == length], "rows", 2)
        y, items = table[:, 0], table[:, 1:]
        _expect(bool((y >= 0).all()), "a multiplier is negative")
        _expect(
            bool(((items >= 0) & (items < reduced.shape[0])).all()),
            "a row has items that do not exist",
        )
        used += max(12, length) * sum(y.tolist())
        _expect(used < _OVERFLOW, "its numbers are too large to add up")
        if kind == "transitive":
            plus = [(n, n + 1) for n in range(length - 2)]
            minus, limit = [(0, length - 2)], length - 3
        else:
            _expect(length == 5, "a row must have four items")
            distinct = (np.diff(np.sort(items, axis=1), axis=1) > 0).all()
            _expect(bool(distinct), "a row has an item twice")
            signs = KINDS[kind]
            plus, minus = (
                [("abcd".index(pair[0]), "abcd".index(pair[1])) for pair in some.split()]
                for some in signs[:2]
            )
            limit = signs[2]
        for pairs, sign in ((plus, 1), (minus, -1)):
            for a, b in pairs:
                _expect(bool((items[:, a] != items[:, b]).all()), "a row has an item twice")
                np.add.at(reduced, (items[:, a], items[:, b]), sign * y)
        charge += limit * sum(y.tolist())
    return charge, used


def optimum_by_subsets(before: Matrix, tied: Matrix) -> int:
    """Return the least cost of a weak order of a few items, by dynamic programming over subsets.

    least[S] is final once all smaller sets are done. It is carried on to S and a next tier X: this
    costs what S before X costs, a sum over the items of X, and the ties of X.

    Example:
        >>> before = np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
        >>> optimum_by_subsets(before, np.full((3, 3), 1))
        3
    """
    k = before.shape[0]
    _expect(k <= LARGEST_BY_SUBSETS, f"{k} items are too many for a proof by subsets")
    ties = np.zeros(1 << k, np.int64)
    for a in range(k):
        for mask in range(1 << a):
            low = mask & -mask
            rest = mask ^ low
            ties[1 << a | mask] = ties[mask]
            if mask:
                ties[1 << a | mask] += (
                    ties[1 << a | rest] - ties[rest] + tied[a, low.bit_length() - 1]
                )
    least = np.full(1 << k, np.iinfo(np.int64).max)
    least[0] = 0
    for mask in range((1 << k) - 1):
        inside = [a for a in range(k) if mask >> a & 1]
        pays = before[inside].sum(axis=0)
        tiers, costs = np.zeros(1, np.int64), np.zeros(1, np.int64)
        for a in range(k):
            if not mask >> a & 1:
                tiers = np.concatenate([tiers, tiers | 1 << a])
                costs = np.concatenate([costs, costs + pays[a]])
        tiers, costs = tiers[1:], costs[1:] + least[mask]
        costs += ties[tiers]
        least[mask | tiers] = np.minimum(least[mask | tiers], costs)
    return int(least[-1])


def _expect(holds: bool | np.bool, otherwise: str) -> None:
    if not holds:
        raise VerificationError(otherwise)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < _OVERFLOW


def _integer(value: Any, name: str) -> int:
    _expect(_is_integer(value), f"{name} is not an integer below 2**62")
    return int(value)


def _table(value: Any, name: str, dimensions: int) -> Matrix:
    """Return a list, or a list of lists of one length, of integers as an array."""
    _expect(isinstance(value, list), f"{name} must be a list")
    rows = value if dimensions == 2 else [value]
    _expect(
        all(isinstance(row, list) and all(_is_integer(n) for n in row) for row in rows),
        f"{name} must be integers below 2**62",
    )
    _expect(len({len(row) for row in rows}) <= 1, f"{name} must have one length")
    array = np.array(value, np.int64)
    return array if array.ndim == dimensions else array.reshape(len(value), -1)
