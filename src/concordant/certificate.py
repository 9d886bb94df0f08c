"""Certificates of lower bounds, and a checker that does not need the solver.

A certificate splits the items into components. A pair of items from different components costs at
least the smaller of its two counts in every order. For each component, one of two proofs shows that
no order of its items costs less than its `bound`:

`subsets`
    The component is small. The checker finds its optimum by dynamic programming.

`nodes`
    A tree of cases, the root first. Write the cost of an order as `base` plus the sum of c[i, j]
    over all i < j with i placed before j, where c[i, j] is the cost of i before j minus the cost of
    j before i. Every order obeys inequalities of the form g <= 0, where g is a constant plus a sum
    over pairs. A *round* of a node lists such inequalities by kind, each with an integer
    multiplier y >= 0 in units of 1 / scale. Adding all y · g to the cost does not raise the cost of
    any order, and gives a constant plus a sum over pairs. If each pair takes the cheaper of its two
    orders, this sum is a lower bound, for any y. The costs of orders differ by multiples of the
    greatest common divisor of the margins of all free pairs, so the bound is rounded up to the next
    possible cost. If the bound plus the extra cost of the dearer order of a pair reaches the
    `cutoff`, an order below the cutoff has the pair in the cheaper order. Then the pair is fixed
    for the rest of this node and for the nodes below it, and so are the pairs that follow by
    transitivity. A node with a `branch` [a, b] has two children: a before b, and b before a. A node
    without a branch must have reached the bound.

    The kinds of inequality, each with a function in `KINDS`:

    `cycle`: a row is [y, a, b, c, …] with at least three items. In every order, at least one of
    a before b, b before c, …, and the last before a, does not hold.

    `half`: a row is [y, k, k times three items, pairs of items …]. Add up the inequalities of the k
    cycles of three items. Each pair of items i < j that is listed behind them has an odd
    coefficient: add "i before j is at most 1", which makes it even. Where another coefficient is
    odd, subtract "i before j is at least 0". Half of this sum has integer coefficients, so its
    constant can be rounded down (Chvátal 1973): all orders obey the result.

    With `exchange`, the root starts from the pairs that `exchange_pairs` shows to be in the same
    order in all optimal orders.

A component may have `groups`, a list of sizes: the first items are the first group, and so on. The
items of a group stay together. `_contract` checks that each group may count as one item; the proof
is then about the groups.

So every order costs at least the cutoff or at least the bound, and the bound is not above the
cutoff. All arithmetic uses integers. This module uses numpy but no solver code of Concordant, so
that it can be read and trusted on its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._files import read_json
from concordant.errors import VerificationError

Matrix = npt.NDArray[np.int64]
Relation = npt.NDArray[np.bool_]

KIND = "concordant-certificate"
VERSION = 2
# The largest component that may be proven by dynamic programming: it has 2^27 subsets, which takes
# half a minute and about 500 MB.
LARGEST_BY_SUBSETS = 27
_OVERFLOW = 1 << 62


def fingerprint(counts: Matrix) -> str:
    """Return a hash of a matrix of pairwise counts, which identifies the data.

    It is the SHA-256 of the text "m items", followed by the row, column and value of each entry
    that is not zero, row by row, as little-endian 64-bit integers.

    Example:
        >>> fingerprint(np.array([[0, 2], [1, 0]]))[:8]
        'e96f8202'
    """
    counts = np.asarray(counts)
    rows, columns = np.nonzero(counts)
    entries = np.column_stack([rows, columns, counts[rows, columns]]).astype("<i8")
    text = hashlib.sha256(f"{counts.shape[0]} items".encode())
    text.update(np.ascontiguousarray(entries).data)
    return text.hexdigest()


def check(certificate: Any, counts: Matrix) -> int:
    """Check a certificate against pairwise counts and return the bound that it proves.

    Args:
        certificate: What `load` or `json.load` returned for the file.
        counts: counts[a, b] is the weight of the rankings with a before b, in integer units.

    Returns:
        A lower bound on the cost of every order, in the same units.

    Raises:
        VerificationError: The certificate is wrong; the message says where.

    Example:
        >>> counts = np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
        >>> step = {"scale": 1, "rows": {"cycle": [[1, 0, 1, 2]]}}
        >>> part = {"items": [0, 1, 2], "cutoff": 4, "bound": 4, "nodes": [{"rounds": [step]}]}
        >>> check(
        ...     {
        ...         "format": KIND,
        ...         "version": 2,
        ...         "n_items": 3,
        ...         "data": fingerprint(counts),
        ...         "bound": 4,
        ...         "components": [part],
        ...     },
        ...     counts,
        ... )
        4
    """
    counts = np.asarray(counts, np.int64)
    m = counts.shape[0]
    _expect(isinstance(certificate, dict), "it is not a JSON object")
    _expect(certificate.get("format") == KIND, "it is not a certificate of concordant")
    version = certificate.get("version")
    _expect(version == VERSION, f"it has version {version!r}, but this checker reads {VERSION}")
    _expect(certificate.get("n_items") == m, f"it is not for {m} items")
    _expect(certificate.get("data") == fingerprint(counts), "it was made for other data")
    parts = certificate.get("components")
    _expect(isinstance(parts, list), "it has no list of components")
    seen = np.zeros(m, np.int64)
    total = int(np.minimum(counts, counts.T).sum()) // 2
    for number, part in enumerate(parts):
        try:
            _expect(isinstance(part, dict), "it is not an object")
            items = _integers(part.get("items"), "items", 1)
            _expect(items.size > 0, "it has no items")
            _expect(items.min() >= 0 and items.max() < m, "it has items that do not exist")
            np.add.at(seen, items, 1)
            _expect(bool((seen <= 1).all()), "it repeats an item")
            inner = counts[np.ix_(items, items)]
            total -= int(np.minimum(inner, inner.T).sum()) // 2
            if "groups" in part:
                inner, paid = _contract(inner, part["groups"])
                total += paid + _check_component(part, inner, paid)
            else:
                total += _check_component(part, inner, 0)
        except VerificationError as error:
            raise VerificationError(f"certificate, component {number}: {error}") from None
    _expect(bool((seen == 1).all()), "an item is in no component")
    stated = _integer(certificate.get("bound"), "its bound")
    _expect(stated == total, f"it states {stated} but proves {total}")
    return total


def _contract(counts: Matrix, sizes: Any) -> tuple[Matrix, int]:
    """Replace each group of items by one item; return the new counts and the cost inside groups.

    Each item outside a group must have the same margin with all items of the group, and the order
    of the group must follow all majorities inside it. Then some optimal order lists the group as
    it is. To see this, take an optimal order, and the item of the group whose pairs with outside
    items cost least. Move the whole group next to this item. The pairs with outside items do not
    cost more than before, and each pair inside the group costs as little as possible.
    """
    groups = _integers(sizes, "groups", 1)
    _expect(bool((groups >= 1).all()), "a group has no items")
    _expect(int(groups.sum()) == counts.shape[0], "its groups do not hold its items")
    margins = counts.T - counts
    ends = np.cumsum(groups)
    for first, last in zip((ends - groups).tolist(), ends.tolist(), strict=True):
        outside = margins[first:last].copy()
        outside[:, first:last] = 0
        _expect(bool((outside == outside[0]).all()), "the items of a group have different margins")
        inside = np.triu(margins[first:last, first:last], 1)
        _expect(bool((inside <= 0).all()), "a group contradicts a majority inside it")
    starts = ends - groups
    rows = np.add.reduceat(counts, starts, axis=0)
    contracted = np.add.reduceat(rows, starts, axis=1)
    paid = sum(
        int(np.minimum(inner, inner.T).sum()) // 2
        for inner in (counts[a:b, a:b] for a, b in zip(starts, ends, strict=True))
    )
    np.fill_diagonal(contracted, 0)
    return contracted, paid


def _check_component(part: dict[str, Any], counts: Matrix, paid: int) -> int:
    """Check the proof of a component and return its bound without `paid`.

    `paid` is the cost inside groups, which its bound and its cutoff include.
    """
    bound = _integer(part.get("bound"), "its bound") - paid
    if counts.shape[0] == 1:
        _expect(bound == 0, "a single item costs nothing")
    elif "nodes" in part:
        _check_tree(part, counts, bound, _integer(part.get("cutoff"), "its cutoff") - paid)
    else:
        _expect(part.get("proof") == "subsets", "it has no proof")
        least = optimum_by_subsets(counts)
        _expect(bound == least, f"its optimum is {least}, not {bound}")
    return bound


def _check_tree(part: dict[str, Any], counts: Matrix, bound: int, cutoff: int) -> None:
    """Check the tree of cases: every leaf must reach the bound."""
    k = counts.shape[0]
    costs = np.triu(counts.T - counts, 1)
    base = int(np.triu(counts, 1).sum())
    nodes = part["nodes"]
    _expect(isinstance(nodes, list) and nodes != [], "it has no list of nodes")
    _expect(bound <= cutoff, "its bound is above its cutoff")
    goal, cutoff = bound - base, cutoff - base
    trivial = int(np.minimum(costs, 0).sum())
    start = exchange_pairs(counts) if part.get("exchange") else np.zeros((k, k), bool)
    waiting = [(0, start, trivial)]
    visited: set[int] = set()
    while waiting:
        at, before, proven = waiting.pop()
        _expect(at not in visited, f"node {at} is reached twice")
        visited.add(at)
        node = nodes[at]
        _expect(isinstance(node, dict), f"node {at} is not an object")
        rounds = node.get("rounds", [])
        _expect(isinstance(rounds, list), f"node {at} has no list of rounds")
        for step in rounds:
            if proven >= goal:
                break
            value, before, possible = _apply(step, costs, before, cutoff, goal)
            proven = max(proven, value) if possible else cutoff
        if proven >= goal:
            continue
        branch, children = node.get("branch"), node.get("children")
        _expect(
            branch is not None and children is not None,
            f"node {at} proves {base + proven}, less than the bound {bound}",
        )
        pair = _integers(branch, "a branch", 1)
        _expect(pair.size == 2 and pair[0] != pair[1], f"node {at} has a wrong branch")
        _expect(pair.min() >= 0 and pair.max() < k, f"node {at} has a wrong branch")
        below = _integers(children, "children", 1)
        _expect(below.size == 2, f"node {at} must have two children")
        for child, (a, b) in zip(below.tolist(), (pair, pair[::-1]), strict=True):
            _expect(at < child < len(nodes), f"node {at} has a wrong child")
            if before[b, a]:
                continue  # No order of this node has a before b.
            relation = before.copy()
            relation[a, b] = True
            waiting.append((child, _close(relation), proven))


def _apply(
    step: Any, costs: Matrix, before: Relation, cutoff: int, goal: int
) -> tuple[int, Relation, bool]:
    """Compute what one round proves; pairs are fixed only if the bound is below the goal.

    Returns the bound, the relation with the pairs that it fixes, and whether an order below
    the cutoff is still possible.
    """
    _expect(isinstance(step, dict), "a round is not an object")
    scale = _integer(step.get("scale"), "a scale")
    _expect(scale >= 1, "a scale is below 1")
    rows = step.get("rows")
    _expect(isinstance(rows, dict), "a round has no rows")
    budget = _OVERFLOW - int(np.abs(costs).sum()) * scale
    _expect(budget > 0, "its numbers are too large to add up")
    reduced = costs * scale
    charge = 0
    for kind, given in rows.items():
        _expect(kind in KINDS, f"{kind!r} is not a known kind of inequality")
        charged, used = KINDS[kind](given, reduced, budget)
        charge, budget = charge + charged, budget - used
    free = np.triu(~(before | before.T), 1)
    forced = np.triu(before, 1)
    scaled = int(np.minimum(reduced, 0)[free].sum()) + int(reduced[forced].sum())
    scaled -= charge
    # Each cost is offset plus a multiple of gap. The limit is the largest one below the cutoff.
    offset = int(costs[forced].sum())
    gap = int(np.gcd.reduce(np.abs(costs[free]))) if free.any() else 0
    if gap == 0:
        return offset, before, True
    bound = offset + gap * -((offset * scale - scaled) // (gap * scale))
    if bound >= goal:
        return bound, before, True
    limit = offset + gap * (-((offset - cutoff) // gap) - 1)
    dear = free & (np.abs(reduced) > limit * scale - scaled)
    if not dear.any():
        return bound, before, bound < cutoff
    relation = before | (dear & (reduced < 0)) | (dear & (reduced > 0)).T
    relation = _close(relation)
    return bound, relation, not bool((relation & relation.T).any())


def _add_cycles(rows: Any, reduced: Matrix, budget: int) -> tuple[int, int]:
    """Add the rows of `cycle` to the reduced costs of the pairs.

    The inequality is y · (number of arcs that hold - (number of arcs - 1)) <= 0. An arc a, b with
    a < b adds y to its pair. An arc with a > b holds if b is not before a: it subtracts y from its
    pair, and adds y to the constant.

    Returns the constant to subtract from the bound, and the sum of all that was added, which must
    stay below the budget.
    """
    _expect(
        isinstance(rows, list) and all(isinstance(row, list) for row in rows),
        "cycles must be a list of lists",
    )
    charge = used = 0
    for length in sorted({len(row) - 1 for row in rows}):
        _expect(length >= 3, "a cycle has fewer than three items")
        some = _integers([row for row in rows if len(row) == length + 1], "cycles", 2)
        y, items = some[:, 0], some[:, 1:]
        following = np.roll(items, -1, axis=1)
        _expect(bool((y >= 0).all()), "a multiplier is negative")
        _expect(
            bool(((items >= 0) & (items < reduced.shape[0])).all()),
            "a cycle has items that do not exist",
        )
        _expect(bool((items != following).all()), "a cycle has an item twice in a row")
        used += length * sum(y.tolist())
        _expect(used < budget, "its numbers are too large to add up")
        up = items < following
        each = np.repeat(y, length).reshape(items.shape)
        np.add.at(reduced, (items[up], following[up]), each[up])
        np.add.at(reduced, (following[~up], items[~up]), -each[~up])
        charge += int((y * (up.sum(axis=1) - 1)).sum())
    return charge, used


def _add_halves(rows: Any, reduced: Matrix, budget: int) -> tuple[int, int]:
    """Add the rows of `half` to the reduced costs of the pairs, as `_add_cycles` does.

    A cycle a, b, c says that x[a, b] + x[b, c] + x[c, a] <= 2, where x[i, j] is 1 if i is before
    j, and x[j, i] = 1 - x[i, j].
    """
    _expect(
        isinstance(rows, list) and all(isinstance(row, list) for row in rows),
        "half sums must be a list of lists",
    )
    charge = used = 0
    for row in rows:
        numbers = _integers(row, "a half sum", 1).tolist()
        _expect(len(numbers) >= 5, "a half sum has no cycle")
        y, k = numbers[:2]
        _expect(y >= 0, "a multiplier is negative")
        items, pairs = numbers[2 : 2 + 3 * max(0, k)], numbers[2 + 3 * max(0, k) :]
        _expect(k >= 1 and len(items) == 3 * k, "a half sum has fewer cycles than it says")
        _expect(len(pairs) % 2 == 0, "a half sum has half a pair")
        inside = all(0 <= a < reduced.shape[0] for a in items + pairs)
        _expect(inside, "a half sum has items that do not exist")
        sums: dict[tuple[int, int], int] = {}
        constant = 0
        for t in range(0, 3 * k, 3):
            a, b, c = items[t : t + 3]
            constant += 2
            for u, v in ((a, b), (b, c), (c, a)):
                _expect(u != v, "a cycle has an item twice in a row")
                pair, sign = ((u, v), 1) if u < v else ((v, u), -1)
                sums[pair] = sums.get(pair, 0) + sign
                constant -= sign < 0
        for i, j in zip(pairs[::2], pairs[1::2], strict=True):
            _expect(sums.get((i, j), 0) % 2 == 1, "a pair is rounded up that is not odd")
            sums[i, j] += 1
            constant += 1
        halves = {pair: (total - total % 2) // 2 for pair, total in sums.items()}
        constant //= 2
        used += y * (sum(abs(value) for value in halves.values()) + abs(constant))
        _expect(used < budget, "its numbers are too large to add up")
        for pair, value in halves.items():
            reduced[pair] += y * value
        charge += y * constant
    return charge, used


# The function that checks and adds the rows of each kind of inequality.
KINDS: dict[str, Callable[[Any, Matrix, int], tuple[int, int]]] = {
    "cycle": _add_cycles,
    "half": _add_halves,
}


def _close(relation: Relation) -> Relation:
    """Return the transitive closure (Warshall 1962)."""
    closed = relation.copy()
    for v in range(closed.shape[0]):
        closed |= closed[:, v, None] & closed[v]
    return closed


def exchange_pairs(counts: Matrix) -> Relation:
    """Return pairs that are in the same order in every optimal order.

    Let w[a, b] = counts[a, b] - counts[b, a], and take an order with b before a and the items Z
    between them. Moving a in front of b changes the cost by -w[a, b] - sum of w[a, z] over Z, and
    moving b behind a by -w[a, b] + sum of w[b, z]. The mean of the two is

        -w[a, b] + 1/2 · sum over Z of (w[b, z] - w[a, z]).

    If 2 · w[a, b] is more than the sum of max(0, w[b, z] - w[a, z]) over all z that can be
    between b and a, the mean is negative for any Z, so one of the moves improves the order. Hence
    a is before b in every optimal order. Items that are known to be before b or behind a are not
    in Z, so the rule is repeated until it finds no more pairs. If all rankings are complete and
    have a before b, the rule finds this pair in the first round, because no w[b, z] exceeds
    w[a, z]. (Milosz and Hamel 2020 give related rules.)

    Example:
        >>> exchange_pairs(np.array([[0, 5, 5], [0, 0, 3], [0, 2, 0]])).astype(int)
        array([[0, 1, 1],
               [0, 0, 1],
               [0, 0, 0]])
    """
    margins = counts - counts.T
    before = np.zeros(counts.shape, bool)
    while True:
        found = before.copy()
        for a in range(counts.shape[0]):
            rivals = np.flatnonzero((margins[a] > 0) & ~before[a])
            # Row b, column z: whether z may be between b and a.
            between = ~before[:, rivals].T & ~before[a]
            between[:, a] = False
            harm = np.where(between, np.maximum(margins[rivals] - margins[a], 0), 0)
            harm[np.arange(rivals.size), rivals] = 0
            found[a, rivals] |= 2 * margins[a, rivals] > harm.sum(axis=1)
        found = _close(found)
        if (found == before).all():
            return before
        before = found


def optimum_by_subsets(counts: Matrix) -> int:
    """Return the least cost of an order of a few items, by dynamic programming over subsets.

    If a is the last item of S, the cost is cost[S - a] plus the counts of a before the other items
    of S. cost[S] is the least of these over all a in S (Held and Karp 1962).

    Example:
        >>> optimum_by_subsets(np.array([[0, 2, 1], [1, 0, 2], [2, 1, 0]]))
        4
    """
    k = counts.shape[0]
    _expect(k <= LARGEST_BY_SUBSETS, f"{k} items are too many for a proof by subsets")
    # The smaller count of each pair is paid in every order.
    paid = np.minimum(counts, counts.T)
    extra = counts - paid
    if int(extra.sum()) < 2**31:
        extra = extra.astype(np.int32)
    # A set has some of the first `few` items, which are its row, and some of the others, which are
    # its column. A layer has the columns with one number of other items, so two layers at a time
    # are enough.
    few = k // 3
    by_rows, by_columns = _sums_of_subsets(extra[:, :few]), _sums_of_subsets(extra[:, few:])
    sizes = _sums_of_subsets(np.ones((1, k - few), np.int8))[0]
    place = np.empty(sizes.size, np.int64)
    last = np.zeros((1 << few, 1), extra.dtype)
    for size in range(k - few + 1):
        sets = np.flatnonzero(sizes == size)
        place[sets] = np.arange(sets.size)
        cost = np.full((1 << few, sets.size), np.iinfo(extra.dtype).max, extra.dtype)
        if size == 0:
            cost[0, 0] = 0
        for a in range(few, k):
            with_a = np.flatnonzero(sets >> (a - few) & 1)
            rest = sets[with_a] ^ (1 << (a - few))
            before = by_rows[a][:, None] + by_columns[a, rest]
            before += last.take(place[rest], axis=1)
            cost[:, with_a] = np.minimum(cost[:, with_a], before)
        inside = by_columns[:few, sets]
        for row in range(1, 1 << few):
            for a in range(few):
                if row >> a & 1:
                    rest_row = row ^ (1 << a)
                    before = cost[rest_row] + inside[a]
                    before += by_rows[a, rest_row]
                    np.minimum(cost[row], before, out=cost[row])
        last = cost
    return int(paid.sum()) // 2 + int(last[-1, 0])


def _sums_of_subsets(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the sums of each row over all subsets of its entries; bit b stands for entry b."""
    sums = np.zeros((values.shape[0], 1), values.dtype)
    for b in range(values.shape[1]):
        sums = np.concatenate([sums, sums + values[:, b, None]], axis=1)
    return sums


def _expect(holds: bool | np.bool, otherwise: str) -> None:
    if not holds:
        raise VerificationError(otherwise)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _integer(value: Any, name: str) -> int:
    _expect(_is_integer(value), f"{name} is not an integer")
    _expect(abs(value) < _OVERFLOW, f"{name} is too large")
    return int(value)


def _integers(value: Any, name: str, dimensions: int) -> Matrix:
    """Return a list (of lists) of integers as an array, or refuse it."""
    _expect(isinstance(value, list), f"{name} must be a list")
    rows = value if dimensions == 2 else [value]
    _expect(
        all(isinstance(row, list) and all(_is_integer(n) for n in row) for row in rows),
        f"{name} must be integers",
    )
    try:
        array = np.array(value, np.int64)
    except (ValueError, OverflowError):
        raise VerificationError(f"{name} must be integers of one shape below 2**63") from None
    return array


def load(path: str | Path) -> Any:
    """Read a certificate from a file; `check` checks its content."""
    return read_json(path, "a certificate")
