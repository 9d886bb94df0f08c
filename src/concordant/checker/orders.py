"""Certificates of rankings: the checks of `concordant.certificate`, with Python's integers."""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Callable, Sequence
from itertools import accumulate
from math import gcd
from typing import Any

# counts[a][b] is the weight that puts a before b: what an order with b before a pays.
Matrix = list[list[int]]
# Bit b of entry a is set if a is before b.
Relation = list[int]

KIND = "concordant-certificate"
VERSION = 2
# The largest component that may be proven by dynamic programming over its subsets.
LARGEST_BY_SUBSETS = 27
# The other checker has integers of 64 bits and refuses larger sums; so does this one.
LIMIT = 1 << 62
OTHER_DATA = "it was made for other data"


class Refused(Exception):
    """A certificate or a result that does not hold, or a file that cannot be read."""


def fingerprint(counts: Matrix) -> str:
    """Return the hash that names the data in a certificate.

    Example:
        >>> fingerprint([[0, 2], [1, 0]])[:8]
        'e96f8202'
    """
    text = hashlib.sha256(f"{len(counts)} items".encode())
    for a, row in enumerate(counts):
        expect(all(abs(n) < LIMIT for n in row), "the weights of the data are too large")
        text.update(b"".join(struct.pack("<3q", a, b, n) for b, n in enumerate(row) if n))
    return text.hexdigest()


def check(certificate: Any, counts: Matrix) -> int:
    """Return the lower bound that a certificate proves for all orders, or raise `Refused`."""
    m = len(counts)
    check_head(certificate, m, counts)
    expect("objective" not in certificate, "it is about an answer with ties")
    parts = certificate.get("components")
    expect(isinstance(parts, list), "it has no list of components")
    seen: set[int] = set()
    total = sum_of_minima(counts)
    for number, part in enumerate(parts):
        try:
            expect(isinstance(part, dict), "it is not an object")
            items = integers(part.get("items"), "items")
            expect(len(items) > 0, "it has no items")
            expect(all(0 <= a < m for a in items), "it has items that do not exist")
            expect(len(seen) + len(items) == len(seen.union(items)), "it repeats an item")
            seen.update(items)
            inner = [[counts[a][b] for b in items] for a in items]
            total -= sum_of_minima(inner)
            if "groups" in part:
                inner, paid = _contract(inner, part["groups"])
                total += paid + _check_component(part, inner, paid)
            else:
                total += _check_component(part, inner, 0)
        except Refused as error:
            raise Refused(f"component {number}: {error}") from None
    expect(len(seen) == m, "an item is in no component")
    stated = integer(certificate.get("bound"), "its bound")
    expect(stated == total, f"it states {stated} but proves {total}")
    return total


def check_head(certificate: Any, m: int, data: Matrix) -> None:
    """Check what a certificate is and what it is about."""
    expect(isinstance(certificate, dict), "it is not a JSON object")
    expect(certificate.get("format") == KIND, "it is not a certificate of concordant")
    version = certificate.get("version")
    expect(version == VERSION, f"it has version {version!r}, but this checker reads {VERSION}")
    expect(certificate.get("n_items") == m, f"it is not for {m} items")
    expect(certificate.get("data") == fingerprint(data), OTHER_DATA)


def sum_of_minima(counts: Matrix) -> int:
    """Return what all pairs cost if each takes the cheaper of its two orders."""
    return sum(min(n, counts[b][a]) for a, row in enumerate(counts) for b, n in enumerate(row[:a]))


def _contract(counts: Matrix, sizes: Any) -> tuple[Matrix, int]:
    """Replace each group of items by one item; return the new counts and the cost inside groups."""
    groups = integers(sizes, "groups")
    expect(all(size >= 1 for size in groups), "a group has no items")
    expect(sum(groups) == len(counts), "its groups do not hold its items")
    ends = list(accumulate(groups))
    spans = [range(end - size, end) for size, end in zip(groups, ends, strict=True)]
    for span in spans:
        outside = [z for z in range(len(counts)) if z not in span]
        for a in span:
            same = all(
                counts[z][a] - counts[a][z] == counts[z][span[0]] - counts[span[0]][z]
                for z in outside
            )
            expect(same, "the items of a group have different margins")
            follows = all(counts[b][a] <= counts[a][b] for b in span if b > a)
            expect(follows, "a group contradicts a majority inside it")
    contracted = [
        [sum(counts[a][b] for a in s for b in t) if s != t else 0 for t in spans] for s in spans
    ]
    paid = sum(sum_of_minima([[counts[a][b] for b in span] for a in span]) for span in spans)
    return contracted, paid


def _check_component(part: dict[str, Any], counts: Matrix, paid: int) -> int:
    """Check the proof of a component and return its bound without the cost inside groups."""
    bound = integer(part.get("bound"), "its bound") - paid
    if len(counts) == 1:
        expect(bound == 0, "a single item costs nothing")
    elif "nodes" in part:
        _check_tree(part, counts, bound, integer(part.get("cutoff"), "its cutoff") - paid)
    else:
        expect(part.get("proof") == "subsets", "it has no proof")
        expect(optimum_by_subsets(counts, bound) == bound, f"its optimum is not {bound}")
    return bound


def _check_tree(part: dict[str, Any], counts: Matrix, bound: int, cutoff: int) -> None:
    """Check the tree of cases: every leaf must reach the bound."""
    k = len(counts)
    # For i < j, what i before j costs more than j before i.
    costs = [[counts[j][i] - counts[i][j] if i < j else 0 for j in range(k)] for i in range(k)]
    base = sum(counts[i][j] for i in range(k) for j in range(i + 1, k))
    nodes = part["nodes"]
    expect(isinstance(nodes, list) and nodes != [], "it has no list of nodes")
    expect(bound <= cutoff, "its bound is above its cutoff")
    goal, cutoff = bound - base, cutoff - base
    trivial = sum(min(cost, 0) for row in costs for cost in row)
    start = exchange_pairs(counts) if part.get("exchange") else [0] * k
    waiting = [(0, start, trivial)]
    visited: set[int] = set()
    while waiting:
        at, before, proven = waiting.pop()
        expect(at not in visited, f"node {at} is reached twice")
        visited.add(at)
        node = nodes[at]
        expect(isinstance(node, dict), f"node {at} is not an object")
        rounds = node.get("rounds", [])
        expect(isinstance(rounds, list), f"node {at} has no list of rounds")
        for step in rounds:
            if proven >= goal:
                break
            value, before, possible = _apply(step, costs, before, cutoff, goal)
            proven = max(proven, value) if possible else cutoff
        if proven >= goal:
            continue
        branch, children = node.get("branch"), node.get("children")
        expect(
            branch is not None and children is not None,
            f"node {at} proves {base + proven}, less than the bound {bound}",
        )
        pair = integers(branch, "a branch")
        expect(len(pair) == 2 and pair[0] != pair[1], f"node {at} has a wrong branch")
        expect(all(0 <= a < k for a in pair), f"node {at} has a wrong branch")
        below = integers(children, "children")
        expect(len(below) == 2, f"node {at} must have two children")
        for child, (a, b) in zip(below, (pair, pair[::-1]), strict=True):
            expect(at < child < len(nodes), f"node {at} has a wrong child")
            if before[b] >> a & 1:
                continue  # No order of this node has a before b.
            relation = list(before)
            relation[a] |= 1 << b
            waiting.append((child, closure(relation), proven))


def _apply(
    step: Any, costs: Matrix, before: Relation, cutoff: int, goal: int
) -> tuple[int, Relation, bool]:
    """Return what one round proves, the pairs that it fixes, and whether an order is left."""
    expect(isinstance(step, dict), "a round is not an object")
    scale = integer(step.get("scale"), "a scale")
    expect(scale >= 1, "a scale is below 1")
    rows = step.get("rows")
    expect(isinstance(rows, dict), "a round has no rows")
    budget = LIMIT - sum(abs(cost) for row in costs for cost in row) * scale
    expect(budget > 0, "its numbers are too large to add up")
    reduced = [[cost * scale for cost in row] for row in costs]
    charge = 0
    for kind, given in rows.items():
        expect(kind in KINDS, f"{kind!r} is not a known kind of inequality")
        charged, used = KINDS[kind](given, reduced, budget)
        charge, budget = charge + charged, budget - used
    scaled, offset, gap = -charge, 0, 0
    free = []
    for i, row in enumerate(costs):
        for j in range(i + 1, len(costs)):
            if before[i] >> j & 1:
                scaled += reduced[i][j]
                offset += row[j]
            elif not before[j] >> i & 1:
                free.append((i, j))
                scaled += min(reduced[i][j], 0)
                gap = gcd(gap, row[j])
    # Each cost is offset plus a multiple of gap. The limit is the largest one below the cutoff.
    if gap == 0:
        return offset, before, True
    bound = offset + gap * -((offset * scale - scaled) // (gap * scale))
    if bound >= goal:
        return bound, before, True
    limit = offset + gap * (-((offset - cutoff) // gap) - 1)
    dear = [(i, j) for i, j in free if abs(reduced[i][j]) > limit * scale - scaled]
    if not dear:
        return bound, before, bound < cutoff
    relation = list(before)
    for i, j in dear:
        if reduced[i][j] < 0:
            relation[i] |= 1 << j
        elif reduced[i][j] > 0:
            relation[j] |= 1 << i
    relation = closure(relation)
    return bound, relation, not any(row >> a & 1 for a, row in enumerate(relation))


def _add_cycles(rows: Any, reduced: Matrix, budget: int) -> tuple[int, int]:
    """Add the rows of `cycle` to the reduced costs; return the charge and all that was added."""
    expect(isinstance(rows, list), "cycles must be a list of lists")
    charge = used = 0
    for row in rows:
        numbers = integers(row, "cycles")
        expect(len(numbers) >= 4, "a cycle has fewer than three items")
        y, items = numbers[0], numbers[1:]
        expect(y >= 0, "a multiplier is negative")
        expect(all(0 <= a < len(reduced) for a in items), "a cycle has items that do not exist")
        used += y * len(items)
        expect(used < budget, "its numbers are too large to add up")
        charge -= y
        for u, v in zip(items, items[1:] + items[:1], strict=True):
            expect(u != v, "a cycle has an item twice in a row")
            if u < v:
                reduced[u][v] += y
                charge += y
            else:
                reduced[v][u] -= y
    return charge, used


def _add_halves(rows: Any, reduced: Matrix, budget: int) -> tuple[int, int]:
    """Add the rows of `half` to the reduced costs, as `_add_cycles` does."""
    expect(isinstance(rows, list), "half sums must be a list of lists")
    charge = used = 0
    for row in rows:
        numbers = integers(row, "a half sum")
        expect(len(numbers) >= 5, "a half sum has no cycle")
        y, k = numbers[:2]
        expect(y >= 0, "a multiplier is negative")
        items, pairs = numbers[2 : 2 + 3 * max(0, k)], numbers[2 + 3 * max(0, k) :]
        expect(k >= 1 and len(items) == 3 * k, "a half sum has fewer cycles than it says")
        expect(len(pairs) % 2 == 0, "a half sum has half a pair")
        inside = all(0 <= a < len(reduced) for a in items + pairs)
        expect(inside, "a half sum has items that do not exist")
        sums: dict[tuple[int, int], int] = {}
        constant = 0
        for t in range(0, 3 * k, 3):
            a, b, c = items[t : t + 3]
            constant += 2
            for u, v in ((a, b), (b, c), (c, a)):
                expect(u != v, "a cycle has an item twice in a row")
                pair, sign = ((u, v), 1) if u < v else ((v, u), -1)
                sums[pair] = sums.get(pair, 0) + sign
                constant -= sign < 0
        for i, j in zip(pairs[::2], pairs[1::2], strict=True):
            expect(sums.get((i, j), 0) % 2 == 1, "a pair is rounded up that is not odd")
            sums[i, j] += 1
            constant += 1
        halves = {pair: (total - total % 2) // 2 for pair, total in sums.items()}
        constant //= 2
        used += y * (sum(abs(value) for value in halves.values()) + abs(constant))
        expect(used < budget, "its numbers are too large to add up")
        for (i, j), value in halves.items():
            reduced[i][j] += y * value
        charge += y * constant
    return charge, used


# The function that checks and adds the rows of each kind of inequality.
KINDS: dict[str, Callable[[Any, Matrix, int], tuple[int, int]]] = {
    "cycle": _add_cycles,
    "half": _add_halves,
}


def closure(relation: Relation) -> Relation:
    """Return the transitive closure (Warshall 1962)."""
    closed = list(relation)
    for v in range(len(closed)):
        bit, behind = 1 << v, closed[v]
        for u, row in enumerate(closed):
            if row & bit:
                closed[u] = row | behind
    return closed


def exchange_pairs(counts: Matrix) -> Relation:
    """Return pairs that are in the same order in every optimal order, by the exchange rule.

    Example:
        >>> exchange_pairs([[0, 5, 5], [0, 0, 3], [0, 2, 0]])
        [6, 4, 0]
    """
    k = len(counts)
    margins = [[counts[a][b] - counts[b][a] for b in range(k)] for a in range(k)]
    # For each pair (a, b): what the items that can stand between b and a may add up to, and the
    # items that are known not to stand there.
    harms = {
        (a, b): [sum(y - x for x, y in zip(own, margins[b], strict=True) if y > x), 0]
        for a, own in enumerate(margins)
        for b in range(k)
        if own[b] > 0
    }
    before = [0] * k
    while True:
        ahead = [sum(1 << a for a in range(k) if before[a] >> b & 1) for b in range(k)]
        found = list(before)
        for (a, b), harm in harms.items():
            outside = before[a] | ahead[b]
            more = outside & ~harm[1]
            while more:
                z = more.bit_length() - 1
                harm[0] -= max(0, margins[b][z] - margins[a][z])
                more ^= 1 << z
            harm[1] = outside
            if 2 * margins[a][b] > harm[0]:
                found[a] |= 1 << b
        found = closure(found)
        if found == before:
            return before
        before = found


def optimum_by_subsets(counts: Matrix, bound: int) -> int | None:
    """Return the least cost of an order of a few items, or None if it is above the bound.

    Dynamic programming over the sets of first items (Held and Karp 1962). A set is dropped if all
    orders that begin with it cost more than the bound: its own pairs and those with the other items
    are known, and the others cost at least the optima of two halves of them.

    Example:
        >>> matrix = [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
        >>> optimum_by_subsets(matrix, 4), optimum_by_subsets(matrix, 3)
        (4, None)
    """
    k = len(counts)
    expect(k <= LARGEST_BY_SUBSETS, f"{k} items are too many for a proof by subsets")
    # What b pays more than it must if it comes behind a.
    extra = [[max(0, counts[b][a] - counts[a][b]) for b in range(k)] for a in range(k)]
    borda = sorted(range(k), key=lambda a: sum(extra[a]))
    paid = sum(counts[b][a] for n, a in enumerate(borda) for b in borda[n + 1 :])
    expect(bound <= paid, f"there is an order that costs less than {bound}")
    limit = bound - sum_of_minima(counts)
    half, every = k // 2, (1 << k) - 1
    mask = (1 << half) - 1
    low, high = [_least_costs(extra, range(*each)) for each in ((0, half), (half, k))]
    single = [
        (1 << a, _sums_of_subsets(row[:half]), _sums_of_subsets(row[half:]))
        for a, row in enumerate(extra)
    ]
    layer = {0: 0}
    for _ in range(k):
        following: dict[int, int] = {}
        for first, paid in layer.items():
            rest = every ^ first
            below, above = rest & mask, rest >> half
            for bit, lows, highs in single:
                cost = paid + lows[below] + highs[above]
                if not rest & bit or cost > limit:
                    continue
                known = following.get(first | bit)
                left = rest ^ bit
                if known is None and cost + low[left & mask] + high[left >> half] > limit:
                    continue
                if known is None or cost < known:
                    following[first | bit] = cost
        layer = following
    return layer[every] + bound - limit if layer else None


def _least_costs(extra: Matrix, items: range) -> list[int]:
    """Return the least cost of an order of each set of some items."""
    rows = [_sums_of_subsets(extra[a][items.start : items.stop]) for a in items]
    costs = [0] * (1 << len(items))
    for s in range(1, len(costs)):
        # One of them comes first, before all others.
        costs[s] = min([costs[s ^ 1 << a] + row[s] for a, row in enumerate(rows) if s >> a & 1])
    return costs


def _sums_of_subsets(values: Sequence[int]) -> list[int]:
    sums = [0]
    for value in values:
        sums += [each + value for each in sums]
    return sums


def expect(holds: bool, otherwise: str) -> None:
    """Refuse what is checked, with a reason, unless something holds."""
    if not holds:
        raise Refused(otherwise)


def integer(value: Any, name: str) -> int:
    """Return a value that must be an integer below 2**62."""
    expect(isinstance(value, int) and not isinstance(value, bool), f"{name} is not an integer")
    expect(abs(value) < LIMIT, f"{name} is too large")
    return int(value)


def integers(value: Any, name: str) -> list[int]:
    """Return a value that must be a list of integers."""
    expect(isinstance(value, list), f"{name} must be a list")
    for n in value:
        expect(isinstance(n, int) and not isinstance(n, bool), f"{name} must be integers")
        expect(-(1 << 63) <= n < 1 << 63, f"{name} must be integers below 2**63")
    return list(value)
