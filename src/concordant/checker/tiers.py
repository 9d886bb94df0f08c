"""Certificates of answers with ties: the checks of `concordant.tiers.certificate`."""

from __future__ import annotations

from itertools import accumulate, pairwise
from math import gcd
from typing import Any, NamedTuple

from concordant.checker.orders import (
    LIMIT,
    Matrix,
    Refused,
    Relation,
    check,
    check_head,
    closure,
    expect,
    integer,
)

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
