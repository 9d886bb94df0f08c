"""Checks certificates of Concordant with nothing but Python: one file, to copy and hand out.

    python checker.py PROOF DATA [RESULT] [--unranked last]

PROOF is a file that `concordant aggregate --proof` wrote. DATA is what was aggregated: a PrefLib
file (soc, soi, toc, toi), a matrix (m, then m × m numbers), or the JSON of `concordant convert
votes.csv votes.json`. RESULT is the saved result, if its cost is to be checked too. It is needed
for answers with ties, because it has the penalties, and for results with constraints. The exit
code is 0 if all holds, 1 if something does not, and 2 if a file cannot be read.

The checks are those of `concordant.certificate` and of `concordant.tiers.certificate`, whose
docstrings explain why they prove a bound; `docs/proofs.md` describes the file. This program shares
no code with them, imports only the standard library, and calculates with the integers of Python,
which cannot overflow. It can be slower, above all for components of more than 20 items that are
proven by subsets.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from math import gcd, lcm
from pathlib import Path
from typing import Any, NamedTuple

# -- Certificates of rankings ----------------------------------------------------------------------


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


# -- Certificates of answers with ties -------------------------------------------------------------


# The largest component that may be proven by dynamic programming over its subsets: 3^14 steps.
LARGEST_OF_TIERS = 14
# Rows of four items: the pairs with +, those with -, and the limit. "ab" is y[a, b], which is 1 if
# a is before b or tied with it.
FOURS = {
    "four-a": ("ab ba ac ca db dc", "bc cb da", 3),
    "four-a-reversed": ("ab ba ac ca bd cd", "bc cb ad", 3),
    "four-b": ("ab ba ac ca ad da", "bc cb bd db cd dc", 1),
    "four-c": ("ab ac bd cd da", "ad bc cb", 2),
}


def check_tiers(certificate: Any, before: Matrix, tied: Matrix) -> int:
    """Return the lower bound that a certificate proves for all weak orders, or raise `Refused`.

    before[a][b] is what a strictly before b costs, and tied[a][b] what a tie of the two costs.
    """
    m = len(before)
    check_head(certificate, m, before + tied)
    expect(certificate.get("objective") == "tiers", "it is not about answers with ties")
    if "strict" in certificate:
        # Then a tier can be replaced by one of its orders or by the reverse of it.
        suffices = all(
            2 * tied[a][b] >= before[a][b] + before[b][a] for a in range(m) for b in range(m)
        )
        expect(suffices, "a tie may cost less than an order, so orders do not suffice")
        total = check(certificate["strict"], [list(column) for column in zip(*before, strict=True)])
    else:
        total = _components_of_tiers(certificate.get("components"), before, tied)
    stated = integer(certificate.get("bound"), "its bound")
    expect(stated == total, f"it states {stated} but proves {total}")
    return total


def _components_of_tiers(parts: Any, before: Matrix, tied: Matrix) -> int:
    m = len(before)
    expect(isinstance(parts, list), "it has no list of components")
    seen: set[int] = set()
    total = _sum_of_least(before, tied)
    for number, part in enumerate(parts):
        try:
            expect(isinstance(part, dict), "it is not an object")
            items = _small_integers(part.get("items"), "items")
            expect(len(items) > 0, "it has no items")
            expect(all(0 <= a < m for a in items), "it has items that do not exist")
            expect(len(seen) + len(items) == len(seen.union(items)), "it repeats an item")
            seen.update(items)
            costs, ties = [[[w[a][b] for b in items] for a in items] for w in (before, tied)]
            total -= _sum_of_least(costs, ties)
            paid = 0
            if "groups" in part:
                costs, ties, paid = _contract_tiers(costs, ties, part["groups"])
            total += paid + _component_of_tiers(part, costs, ties, paid)
        except Refused as error:
            raise Refused(f"component {number}: {error}") from None
    expect(len(seen) == m, "an item is in no component")
    return total


def _sum_of_least(before: Matrix, tied: Matrix) -> int:
    """Return what all pairs cost if each takes the cheapest of its three states."""
    return sum(
        min(row[b], before[b][a], tied[a][b]) for a, row in enumerate(before) for b in range(a)
    )


def _contract_tiers(before: Matrix, tied: Matrix, sizes: Any) -> tuple[Matrix, Matrix, int]:
    """Replace each group of items by one; return the new costs and the cost inside groups."""
    groups = _small_integers(sizes, "groups")
    expect(all(size >= 1 for size in groups), "a group has no items")
    expect(sum(groups) == len(before), "its groups do not hold its items")
    ends = list(accumulate(groups))
    spans = [range(end - size, end) for size, end in zip(groups, ends, strict=True)]
    paid = 0
    for span in spans:
        first = span[0]
        outside = [z for z in range(len(before)) if z not in span]
        for a in span:
            same = all(
                (before[a][z], before[z][a], tied[a][z])
                == (before[first][z], before[z][first], tied[first][z])
                for z in outside
            )
            expect(same, "a group has items that others distinguish")
            cheap = all(tied[a][b] <= min(before[a][b], before[b][a]) for b in span)
            expect(cheap, "a tie is not the cheapest state inside a group")
            paid += sum(tied[a][b] for b in span if b < a)
    costs, ties = [
        [[sum(w[a][b] for a in s for b in t) if s != t else 0 for t in spans] for s in spans]
        for w in (before, tied)
    ]
    return costs, ties, paid


def _component_of_tiers(part: dict[str, Any], before: Matrix, tied: Matrix, paid: int) -> int:
    """Check the proof of a component and return its bound without the cost inside groups."""
    bound = integer(part.get("bound"), "its bound") - paid
    if len(before) == 1:
        expect(bound == 0, "a single item costs nothing")
    elif "nodes" in part:
        cutoff = integer(part.get("cutoff"), "its cutoff") - paid
        _tree_of_tiers(part["nodes"], before, tied, bound, cutoff)
    else:
        expect(part.get("proof") == "subsets", "it has no proof")
        expect(optimum_of_tiers(before, tied, bound) == bound, f"its optimum is not {bound}")
    return bound


class _Case(NamedTuple):
    """What is known about the pairs: bit j of entry i of each is about the pair i, j."""

    weak: Relation  # i is before j or tied with it.
    strict: Relation  # i is before j.
    apart: Relation  # They are not tied.

    def with_more(self, weak: Relation, strict: Relation, apart: Relation) -> _Case | None:
        """Return the case in which more is known, or None if no weak order is left."""
        weak, strict, apart = [
            [one | other for one, other in zip(own, more, strict=True)]
            for own, more in zip(self, (weak, strict, apart), strict=True)
        ]
        while True:
            strict = [s | w & d for s, w, d in zip(strict, weak, apart, strict=True)]
            longer = closure([w | s for w, s in zip(weak, strict, strict=True)])
            # From i to j by steps of which one is strict.
            further = [_union(longer, _union(strict, row)) for row in longer]
            if longer == weak and further == strict:
                break
            weak, strict = longer, further
        for i, row in enumerate(weak):
            for j in _bits(row & (strict[i] | apart[i])):
                if weak[j] >> i & 1:
                    return None
        return _Case(weak, strict, apart)

    def states(self, i: int, j: int) -> list[int]:
        """Return which of these is possible: 0 is i before j, 1 is a tie, 2 is j before i."""
        forward, back = self.weak[i] >> j & 1, self.weak[j] >> i & 1
        apart = (self.apart[i] | self.strict[i]) >> j & 1 or self.strict[j] >> i & 1
        return [k for k, excluded in enumerate((back, apart, forward)) if not excluded]


def _bits(row: int) -> list[int]:
    return [k for k in range(row.bit_length()) if row >> k & 1]


def _union(rows: Relation, which: int) -> int:
    found = 0
    for k in _bits(which):
        found |= rows[k]
    return found


def _tree_of_tiers(nodes: Any, before: Matrix, tied: Matrix, bound: int, cutoff: int) -> None:
    """Check the tree of cases: every leaf must reach the bound."""
    k = len(before)
    expect(isinstance(nodes, list) and nodes != [], "it has no list of nodes")
    expect(bound <= cutoff, "its bound is above its cutoff")
    # An answer costs base plus the sum of costs[i][j] over all i before j or tied with it.
    costs = [[tied[i][j] - before[j][i] if i != j else 0 for j in range(k)] for i in range(k)]
    base = sum(before[i][j] + before[j][i] - tied[i][j] for i in range(k) for j in range(i))
    goal, limit = bound - base, cutoff - base
    nothing = [0] * k
    waiting = [
        (0, _Case([1 << i for i in range(k)], nothing, nothing), _sum_of_least(before, tied) - base)
    ]
    visited: set[int] = set()
    while waiting:
        at, case, proven = waiting.pop()
        expect(at not in visited, f"node {at} is reached twice")
        visited.add(at)
        node = nodes[at]
        expect(isinstance(node, dict), f"node {at} is not an object")
        rounds = node.get("rounds", [])
        expect(isinstance(rounds, list), f"node {at} has no list of rounds")
        for step in rounds:
            if proven >= goal:
                break
            value, left = _apply_to_tiers(step, costs, case, limit, goal)
            if left is None:
                proven = limit
                break
            proven, case = max(proven, value), left
        if proven >= goal:
            continue
        expect(
            "branch" in node and "children" in node,
            f"node {at} proves {base + proven}, less than the bound {bound}",
        )
        pair = _small_integers(node["branch"], "a branch")
        expect(len(pair) == 2 and pair[0] != pair[1], f"node {at} has a wrong branch")
        expect(all(0 <= a < k for a in pair), f"node {at} has a wrong branch")
        below = _small_integers(node["children"], "children")
        expect(len(below) == 2, f"node {at} must have two children")
        a, b = pair
        # The first child has a before b or tied with it, the second one b before a.
        weak, strict = list(nothing), list(nothing)
        weak[a], strict[b] = 1 << b, 1 << a
        halves = case.with_more(weak, nothing, nothing), case.with_more(nothing, strict, nothing)
        for child, half in zip(below, halves, strict=True):
            expect(at < child < len(nodes), f"node {at} has a wrong child")
            if half is not None:
                waiting.append((child, half, proven))


def _apply_to_tiers(
    step: Any, costs: Matrix, case: _Case, cutoff: int, goal: int
) -> tuple[int, _Case | None]:
    """Return what one round proves, and the case that is left; None if nothing is."""
    expect(isinstance(step, dict), "a round is not an object")
    scale = integer(step.get("scale"), "a scale")
    expect(scale >= 1, "a scale is below 1")
    rows = step.get("rows")
    expect(isinstance(rows, dict), "a round has no rows")
    budget = LIMIT - 2 * sum(abs(cost) for row in costs for cost in row) * scale
    expect(budget > 0, "its numbers are too large to add up")
    reduced = [[cost * scale for cost in row] for row in costs]
    scaled = 0
    for kind, given in rows.items():
        charged, used = _add_rows(kind, given, reduced)
        scaled, budget = scaled - charged, budget - used
        expect(budget > 0, "its numbers are too large to add up")
    offset = gap = 0
    prices: list[tuple[int, int, int, int]] = []
    for i, row in enumerate(costs):
        for j in range(i + 1, len(costs)):
            plain = row[j], row[j] + costs[j][i], costs[j][i]
            price = reduced[i][j], reduced[i][j] + reduced[j][i], reduced[j][i]
            states = case.states(i, j)
            least = min(price[state] for state in states)
            scaled += least
            offset += plain[states[0]]
            gap = gcd(gap, *(plain[state] - plain[states[0]] for state in states))
            prices += [(price[state] - least, i, j, state) for state in states]
    # Each cost is offset plus a multiple of gap. The limit is the largest one below the cutoff.
    if gap == 0:
        return offset, case
    bound = offset + gap * -((offset * scale - scaled) // (gap * scale))
    if bound >= goal:
        return bound, case
    limit = offset + gap * (-((offset - cutoff) // gap) - 1)
    weak, apart = [0] * len(costs), [0] * len(costs)
    dear = [each[1:] for each in prices if each[0] > limit * scale - scaled]
    for i, j, state in dear:
        if state == 2:
            weak[i] |= 1 << j
        elif state == 0:
            weak[j] |= 1 << i
        else:
            apart[i] |= 1 << j
            apart[j] |= 1 << i
    return bound, case.with_more(weak, [0] * len(costs), apart) if dear else case


def _add_rows(kind: str, rows: Any, reduced: Matrix) -> tuple[int, int]:
    """Add rows of one kind to the reduced costs; return the charge and all that was added."""
    expect(isinstance(rows, list), "rows must be a list")
    expect(kind == "transitive" or kind in FOURS, f"no kind of row is called {kind!r}")
    charge = used = 0
    for row in rows:
        numbers = _small_integers(row, "rows")
        expect(len(numbers) >= 4, "a row has fewer than three items")
        y, items = numbers[0], numbers[1:]
        expect(y >= 0, "a multiplier is negative")
        expect(all(0 <= a < len(reduced) for a in items), "a row has items that do not exist")
        used += max(12, len(numbers)) * y
        expect(used < LIMIT, "its numbers are too large to add up")
        if kind == "transitive":
            # If a is before or tied with b, and so on up to z, then so is a with z.
            plus = list(pairwise(items))
            minus, limit = [(items[0], items[-1])], len(items) - 2
        else:
            expect(len(items) == 4 == len(set(items)), "a row must have four different items")
            named = dict(zip("abcd", items, strict=True))
            plus, minus = [
                [(named[a], named[b]) for a, b in map(tuple, some.split())]
                for some in FOURS[kind][:2]
            ]
            limit = FOURS[kind][2]
        for pairs, sign in ((plus, y), (minus, -y)):
            for a, b in pairs:
                expect(a != b, "a row has an item twice")
                reduced[a][b] += sign
        charge += limit * y
    return charge, used


def optimum_of_tiers(before: Matrix, tied: Matrix, bound: int) -> int | None:
    """Return the least cost of a weak order of a few items, or None if it is above the bound.

    Dynamic programming over the sets of first items, tier by tier. A set is dropped if what it
    pays more than it must is above what the bound allows.

    Example:
        >>> before = [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
        >>> ones = [[1, 1, 1], [1, 1, 1], [1, 1, 1]]
        >>> optimum_of_tiers(before, ones, 3), optimum_of_tiers(before, ones, 2)
        (3, None)
    """
    k = len(before)
    expect(k <= LARGEST_OF_TIERS, f"{k} items are too many for a proof by subsets")
    must = _sum_of_least(before, tied)
    limit = bound - must
    least = [[min(before[a][b], before[b][a], tied[a][b]) for b in range(k)] for a in range(k)]
    # What a set pays more than it must if it is a tier.
    inside = [0] * (1 << k)
    for s in range(1, 1 << k):
        last = s.bit_length() - 1
        rest = s ^ 1 << last
        inside[s] = inside[rest] + sum(tied[last][b] - least[last][b] for b in _bits(rest))
    best: list[int | None] = [None] * (1 << k)
    best[0] = 0
    for s, paid in enumerate(best):
        if paid is None or paid > limit:
            continue
        tiers, costs = [s], [paid]
        for b in range(k):
            if not s >> b & 1:
                more = sum(before[a][b] - least[a][b] for a in _bits(s))
                costs += [cost + more for cost in costs]
                tiers += [tier | 1 << b for tier in tiers]
        for tier, cost in zip(tiers[1:], costs[1:], strict=True):
            total = cost + inside[tier ^ s]
            known = best[tier]
            if known is None or total < known:
                best[tier] = total
    found = best[-1]
    return None if found is None or found > limit else found + must


def _small_integers(value: Any, name: str) -> list[int]:
    expect(isinstance(value, list), f"{name} must be a list")
    return [integer(n, name) for n in value]


# -- Checks certificates of Concordant with nothing but Python -------------------------------------


_USAGE = "usage: python checker.py PROOF DATA [RESULT] [--unranked last]"


class Data(NamedTuple):
    """The weight that puts a before b (counts) or ties them, for all items a and b."""

    items: list[str]
    counts: Matrix
    tied: Matrix
    scale: int  # The weights are in units of 1 / scale.


def read_data(path: str | Path, unranked: str | None = None) -> Data:
    """Read what was aggregated, and count its pairs."""
    text = _read(path)
    if text.lstrip().startswith("{"):
        return _count(*_read_rankings(json.loads(text, parse_float=str), unranked))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any(line.startswith("#") for line in lines):
        return _count(*_read_preflib(lines), unranked or "unknown")
    return _read_matrix(lines)


def _read_matrix(lines: list[str]) -> Data:
    # Lines of text before m are comments.
    is_number = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?")
    first = next((k for k, e in enumerate(lines) if all(map(is_number.fullmatch, e.split()))), 0)
    words = " ".join(lines[first:]).split()
    m = int(words[0]) if words and words[0].isdecimal() else 0
    if m == 0 or len(words) != 1 + m * m:
        raise Refused("it must have m, and then m × m numbers")
    values = [Fraction(word) for word in words[1:]]
    values[:: m + 1] = [Fraction(0)] * m
    scale = lcm(*(value.denominator for value in values))
    flat = [int(value * scale) for value in values]
    rows = [flat[a * m : a * m + m] for a in range(m)]
    return Data([str(a + 1) for a in range(m)], rows, [[0] * m for _ in rows], scale)


Ballots = list[tuple[Fraction, list[list[int]]]]


def _read_preflib(lines: list[str]) -> tuple[list[str], Ballots]:
    found = (re.fullmatch(r"#\s*ALTERNATIVE NAME (\d+)\s*:\s*(.*)", line) for line in lines)
    names = {int(each[1]): each[2].strip() for each in found if each}
    numbers = {number: a for a, number in enumerate(sorted(names))}
    ballots = []
    for weight, order in (line.split(":", 1) for line in lines if not line.startswith("#")):
        buckets = re.findall(r"\{[^}]*\}|\d+", order)
        tied = [[numbers[int(n)] for n in re.findall(r"\d+", bucket)] for bucket in buckets]
        ballots.append((Fraction(weight.strip()), tied))
    return [names[number] for number in numbers], ballots


def _read_rankings(facts: Any, unranked: str | None) -> tuple[list[str], Ballots, str]:
    if facts.get("format") != "concordant-rankings":
        raise Refused("it is not a file of rankings")
    ballots = [(Fraction(str(each["weight"])), each["buckets"]) for each in facts["rankings"]]
    return [_name(item) for item in facts["items"]], ballots, unranked or facts["unranked"]


def _count(items: list[str], ballots: Ballots, unranked: str) -> Data:
    m = len(items)
    scale = lcm(*(weight.denominator for weight, _ in ballots))
    counts, tied = [[[0] * m for _ in items] for _ in range(2)]
    for weight, buckets in ballots:
        units = int(weight * scale)
        ranked = {a for bucket in buckets for a in bucket}
        last = [a for a in range(m) if a not in ranked] if unranked == "last" else []
        behind: list[int] = []
        for bucket in reversed([*buckets, last]):
            for a in bucket:
                for b in behind:
                    counts[a][b] += units
                for b in bucket:
                    tied[a][b] += units if a != b else 0
            behind += bucket
    return Data(items, counts, tied, scale)


def _name(item: Any) -> str:
    return item if isinstance(item, str) else json.dumps(item)


# -- the problem -----------------------------------------------------------------------------


class Problem(NamedTuple):
    """What b before a costs (counts) and what a tie costs, for all items a and b."""

    counts: Matrix
    tied: Matrix | None  # None if answers have no ties.
    scale: int  # The costs are in units of 1 / scale.

    @property
    def before(self) -> Matrix:
        """What a before b costs."""
        return [list(column) for column in zip(*self.counts, strict=True)]

    @property
    def largest(self) -> int:
        """The largest number."""
        return max(abs(n) for w in (self.counts, self.tied or []) for row in w for n in row)

    @property
    def fingerprint(self) -> str:
        """The hash that names the problem in a certificate."""
        return fingerprint(self.counts if self.tied is None else self.before + self.tied)

    def check(self, proof: Any) -> int:
        """Return the bound that a certificate proves."""
        if self.tied is None:
            return check(proof, self.counts)
        return check_tiers(proof, self.before, self.tied)

    def imposing(self, rules: Relation) -> Problem:
        """Return the problem in which breaking a rule costs more than all free pairs can save."""
        m = len(self.counts)
        pairs = [(a, b) for a in range(m) for b in range(m) if rules[a] >> b & 1]
        margins = []
        for a in range(m):
            for b in range(a):
                if not (rules[a] >> b | rules[b] >> a) & 1:
                    states = [self.counts[a][b], self.counts[b][a]]
                    states += [] if self.tied is None else [self.tied[a][b]]
                    margins.append(max(states) - min(states))
        penalty = sum(margins) + max(1, gcd(*margins))
        counts, tied = [None if w is None else [list(row) for row in w] for w in self[:2]]
        assert counts is not None
        for a, b in pairs:
            counts[a][b] = self.counts[b][a] + penalty
            if tied is not None:
                tied[a][b] = tied[b][a] = self.counts[b][a] + penalty
        return Problem(counts, tied, self.scale)

    def cost(self, place: list[int]) -> int:
        """Return the cost of an answer, in units; `place` has the place of each item."""
        total = 0
        for a, row in enumerate(self.counts):
            for b in range(a):
                if place[a] == place[b]:
                    assert self.tied is not None
                    total += self.tied[a][b]
                else:
                    total += row[b] if place[b] < place[a] else self.counts[b][a]
        return total


def find_problem(proof: Any, data: Data, result: Any) -> Problem:
    """Return the problem that a certificate is about, in its units.

    Concordant may count decimals in units of 1/10, 1/100, … where fewer units would do.
    """
    facts = result if isinstance(result, dict) else {}
    about = proof if isinstance(proof, dict) else {}
    rules = forced_pairs(facts.get("constraints") or {}, data.items)
    penalties = None
    if about.get("objective") == "tiers":
        expect(result is not None, "it is about an answer with ties: name its RESULT too")
        expect(facts.get("tiers") is not None, "it is about an answer with ties, RESULT is not")
        p, q = [facts.get(name) for name in ("tie_penalty", "vote_tie_penalty")]
        penalties = Fraction(str(p)), Fraction(str(p if q is None else q))
    found = None
    for each in _problems(data, penalties):
        problem = each.imposing(rules) if any(rules) else each
        if found is not None and problem.largest >= LIMIT:
            break
        if problem.fingerprint == about.get("data"):
            return problem
        found = found or problem
    assert found is not None
    return found


def _problems(data: Data, penalties: tuple[Fraction, Fraction] | None) -> Iterator[Problem]:
    """Yield the same problem in different units."""
    tens = (10**k for k in range(19) if 10**k % data.scale == 0 and 10**k != data.scale)
    for scale in (data.scale, *tens):
        times = scale // data.scale
        counts, ties = [[[n * times for n in row] for row in w] for w in data[1:3]]
        if penalties is None:
            yield Problem(counts, None, scale)
            continue
        p, q = penalties
        factor = lcm(p.denominator, q.denominator)
        m = len(counts)
        both = [
            [int(p * factor) * (counts[a][b] + counts[b][a]) for b in range(m)] for a in range(m)
        ]
        orders = [
            [factor * counts[a][b] + int(q * factor) * ties[a][b] for b in range(m)]
            for a in range(m)
        ]
        common = gcd(factor, *(n for w in (orders, both) for row in w for n in row))
        for unit in {1: (1,)}.get(common, (common, 1)):
            smaller = [[[n // unit for n in row] for row in w] for w in (orders, both)]
            yield Problem(smaller[0], smaller[1], scale * factor // unit)


def forced_pairs(rules: Any, items: list[str]) -> Relation:
    """Return the pairs that constraints force, with those that follow from others.

    Example:
        >>> forced_pairs({"before": [["a", "b"]], "last": ["c"]}, ["a", "b", "c"])
        [6, 4, 0]
    """
    known = {"before", "first", "last", "groups_in_order"}
    expect(isinstance(rules, dict) and set(rules) <= known, "it has unknown constraints")
    number = {name: a for a, name in enumerate(items)}

    def numbers(names: Any) -> set[int]:
        expect(isinstance(names, list), "its constraints are not lists")
        expect(all(_name(name) in number for name in names), "a constraint is about no item")
        return {number[_name(name)] for name in names}

    everything = set(number.values())
    steps = []
    for pair in rules.get("before", []):
        expect(isinstance(pair, list) and len(pair) == 2, "a constraint is not a pair")
        steps.append((numbers(pair[:1]), numbers(pair[1:])))
    first, last = numbers(rules.get("first", [])), numbers(rules.get("last", []))
    steps += [(first, everything - first), (everything - last if last else set(), last)]
    groups = [found for found in map(numbers, rules.get("groups_in_order", [])) if found]
    steps += pairwise(groups)
    relation = [0] * len(items)
    for earlier, later in steps:
        for a in earlier:
            relation[a] |= sum(1 << b for b in later)
    relation = closure(relation)
    contradiction = any(row >> a & 1 for a, row in enumerate(relation))
    expect(not contradiction, "its constraints contradict each other")
    return relation


# -- the program -----------------------------------------------------------------------------


def check_result(result: Any, data: Data, problem: Problem, bound: int) -> tuple[Fraction, bool]:
    """Return the cost of a result, and whether the bound proves it optimal."""
    expect(isinstance(result, dict) and "ranking" in result, "it is not a result")
    ranking = [_name(item) for item in result["ranking"]]
    expect(sorted(ranking) == sorted(data.items), "its ranking does not have the items of the data")
    tiers = result.get("tiers")
    if problem.tied is None:
        expect(tiers is None, "it has tiers, but the proof is about rankings")
        tiers = [[name] for name in ranking]
    tiers = [[_name(item) for item in tier] for tier in tiers]
    same = [name for tier in tiers for name in tier] == ranking and [] not in tiers
    expect(same, "its tiers are not its ranking")
    places = {name: k for k, tier in enumerate(tiers) for name in tier}
    place = [places[name] for name in data.items]
    for a, row in enumerate(forced_pairs(result.get("constraints") or {}, data.items)):
        obeyed = all(place[a] < place[b] for b in range(len(place)) if row >> b & 1)
        expect(obeyed, f"its constraints need {data.items[a]!r} further in front")
    units = problem.cost(place)
    cost, proven = Fraction(units, problem.scale), Fraction(bound, problem.scale)
    said, least = (Fraction(str(result.get(name))) for name in ("cost", "lower_bound"))
    same = said == cost or float(said) == float(cost)
    expect(same, f"it has cost {result['cost']}, but the data gives {cost}")
    holds = least <= proven or float(least) == float(proven)
    expect(holds, f"it has lower_bound {least}, but the proof has {proven}")
    optimal = bound == units
    expect(optimal or result.get("status") != "optimal", "it is not proven optimal")
    return cost, optimal


def main(arguments: Iterable[str]) -> int:
    """Run the program and return its exit code."""
    given = list(arguments)
    unranked = None
    if "--unranked" in given[:-1]:
        at = given.index("--unranked")
        unranked = given[at + 1]
        del given[at : at + 2]
    if len(given) not in (2, 3) or unranked not in (None, "unknown", "last"):
        sys.stderr.write(f"{_USAGE}\n")
        return 2
    path = given[-1]
    try:
        result = json.loads(_read(path), parse_float=str) if len(given) == 3 else None
        if unranked is None and isinstance(result, dict):
            unranked = result.get("unranked")
        path = given[1]
        data = read_data(path, unranked)
        path = given[0]
        proof = json.loads(_read(path))
    except (OSError, ValueError, LookupError, TypeError, RecursionError, Refused) as error:
        sys.stderr.write(f"{path} cannot be read: {error}\n")
        return 2
    try:
        problem = find_problem(proof, data, result)
        bound = problem.check(proof)
        what = "ranking" if problem.tied is None else "answer with ties"
        text = f"{path} proves that no {what} of {given[1]}"
        facts = result if isinstance(result, dict) else {}
        if facts.get("constraints"):
            text += f" that satisfies the constraints of {given[2]}"
        text += f" costs less than {_number(Fraction(bound, problem.scale))}"
        if problem.tied is not None:
            named = (f"{name} {facts.get(name)}" for name in ("tie_penalty", "vote_tie_penalty"))
            text += f", with {' and '.join(named)}"
        if result is not None:
            path = given[2]
            cost, optimal = check_result(result, data, problem, bound)
            text += f"\n{path} has cost {_number(cost)}{': it is optimal' if optimal else ''}"
    except (Refused, ValueError, TypeError) as error:
        hint = ", or with constraints: then name its RESULT too"
        more = hint if str(error) == OTHER_DATA and result is None else ""
        sys.stdout.write(f"{path} does not hold: {error}{more}\n")
        return 1
    sys.stdout.write(f"{text}\n")
    return 0


def _read(path: str | Path) -> str:
    return Path(path).read_text(encoding="utf-8-sig")


def _number(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value)} ({value})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
