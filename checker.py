"""Checks certificates of Concordant with nothing but Python: one file, to copy and hand out.

    python checker.py PROOF DATA [RESULT] [--unranked last]

PROOF is a file that `concordant aggregate --proof` wrote. DATA is what was aggregated: a PrefLib
file (soc, soi, toc, toi), a matrix (m, then m × m numbers), or the JSON of `concordant convert
votes.csv votes.json`. RESULT is the saved result, if its cost is to be checked too. The exit code
is 0 if all holds, 1 if something does not, and 2 if a file cannot be read.

The checks are those of `concordant.certificate`, whose docstring explains why they prove a bound;
`docs/proofs.md` describes the file. This program shares no code with it, imports only the standard
library, and calculates with the integers of Python, which cannot overflow. It can be slower, above
all for components of more than 20 items that are proven by subsets. It does not read certificates
of answers with ties nor those of results with constraints.
"""

from __future__ import annotations

import hashlib
import json
import re
import struct
import sys
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import gcd, lcm
from pathlib import Path
from typing import Any

# counts[a][b] is the weight that puts a before b.
Matrix = list[list[int]]
# Bit b of entry a is set if a is before b.
Relation = list[int]

KIND = "concordant-certificate"
VERSION = 2
# The largest component that may be proven by dynamic programming over its subsets.
LARGEST_BY_SUBSETS = 27
# The other checker has integers of 64 bits and refuses larger sums; so does this one.
_LIMIT = 1 << 62
_USAGE = "usage: python checker.py PROOF DATA [RESULT] [--unranked last]"


class Refused(Exception):
    """A certificate or a result that does not hold, or a file that cannot be read."""


# -- the certificate -------------------------------------------------------------------------


def fingerprint(counts: Matrix) -> str:
    """Return the hash that names the data in a certificate.

    Example:
        >>> fingerprint([[0, 2], [1, 0]])[:8]
        'e96f8202'
    """
    text = hashlib.sha256(f"{len(counts)} items".encode())
    for a, row in enumerate(counts):
        text.update(b"".join(struct.pack("<3q", a, b, n) for b, n in enumerate(row) if n))
    return text.hexdigest()


def check(certificate: Any, counts: Matrix) -> int:
    """Return the lower bound that a certificate proves for all orders, or raise `Refused`."""
    m = len(counts)
    _expect(isinstance(certificate, dict), "it is not a JSON object")
    _expect(certificate.get("format") == KIND, "it is not a certificate of concordant")
    version = certificate.get("version")
    _expect(version == VERSION, f"it has version {version!r}, but this checker reads {VERSION}")
    _expect("objective" not in certificate, "it is about an answer with ties")
    _expect(certificate.get("n_items") == m, f"it is not for {m} items")
    _expect(certificate.get("data") == fingerprint(counts), "it was made for other data")
    parts = certificate.get("components")
    _expect(isinstance(parts, list), "it has no list of components")
    seen: set[int] = set()
    total = _sum_of_minima(counts)
    for number, part in enumerate(parts):
        try:
            _expect(isinstance(part, dict), "it is not an object")
            items = _integers(part.get("items"), "items")
            _expect(len(items) > 0, "it has no items")
            _expect(all(0 <= a < m for a in items), "it has items that do not exist")
            _expect(len(seen) + len(items) == len(seen.union(items)), "it repeats an item")
            seen.update(items)
            inner = [[counts[a][b] for b in items] for a in items]
            total -= _sum_of_minima(inner)
            if "groups" in part:
                inner, paid = _contract(inner, part["groups"])
                total += paid + _check_component(part, inner, paid)
            else:
                total += _check_component(part, inner, 0)
        except Refused as error:
            raise Refused(f"component {number}: {error}") from None
    _expect(len(seen) == m, "an item is in no component")
    stated = _integer(certificate.get("bound"), "its bound")
    _expect(stated == total, f"it states {stated} but proves {total}")
    return total


def _sum_of_minima(counts: Matrix) -> int:
    """Return what all pairs cost if each takes the cheaper of its two orders."""
    return sum(min(n, counts[b][a]) for a, row in enumerate(counts) for b, n in enumerate(row[:a]))


def _cost(counts: Matrix, order: Sequence[int]) -> int:
    return sum(counts[b][a] for k, a in enumerate(order) for b in order[k + 1 :])


def _contract(counts: Matrix, sizes: Any) -> tuple[Matrix, int]:
    """Replace each group of items by one item; return the new counts and the cost inside groups."""
    groups = _integers(sizes, "groups")
    _expect(all(size >= 1 for size in groups), "a group has no items")
    _expect(sum(groups) == len(counts), "its groups do not hold its items")
    ends = list(accumulate(groups))
    spans = [range(end - size, end) for size, end in zip(groups, ends, strict=True)]
    for span in spans:
        outside = [z for z in range(len(counts)) if z not in span]
        for a in span:
            same = all(
                counts[z][a] - counts[a][z] == counts[z][span[0]] - counts[span[0]][z]
                for z in outside
            )
            _expect(same, "the items of a group have different margins")
            follows = all(counts[b][a] <= counts[a][b] for b in span if b > a)
            _expect(follows, "a group contradicts a majority inside it")
    contracted = [
        [sum(counts[a][b] for a in s for b in t) if s != t else 0 for t in spans] for s in spans
    ]
    paid = sum(_sum_of_minima([[counts[a][b] for b in span] for a in span]) for span in spans)
    return contracted, paid


def _check_component(part: dict[str, Any], counts: Matrix, paid: int) -> int:
    """Check the proof of a component and return its bound without the cost inside groups."""
    bound = _integer(part.get("bound"), "its bound") - paid
    if len(counts) == 1:
        _expect(bound == 0, "a single item costs nothing")
    elif "nodes" in part:
        _check_tree(part, counts, bound, _integer(part.get("cutoff"), "its cutoff") - paid)
    else:
        _expect(part.get("proof") == "subsets", "it has no proof")
        _expect(optimum_by_subsets(counts, bound) == bound, f"its optimum is not {bound}")
    return bound


def _check_tree(part: dict[str, Any], counts: Matrix, bound: int, cutoff: int) -> None:
    """Check the tree of cases: every leaf must reach the bound."""
    k = len(counts)
    # For i < j, what i before j costs more than j before i.
    costs = [[counts[j][i] - counts[i][j] if i < j else 0 for j in range(k)] for i in range(k)]
    base = sum(counts[i][j] for i in range(k) for j in range(i + 1, k))
    nodes = part["nodes"]
    _expect(isinstance(nodes, list) and nodes != [], "it has no list of nodes")
    _expect(bound <= cutoff, "its bound is above its cutoff")
    goal, cutoff = bound - base, cutoff - base
    trivial = sum(min(cost, 0) for row in costs for cost in row)
    start = exchange_pairs(counts) if part.get("exchange") else [0] * k
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
        pair = _integers(branch, "a branch")
        _expect(len(pair) == 2 and pair[0] != pair[1], f"node {at} has a wrong branch")
        _expect(all(0 <= a < k for a in pair), f"node {at} has a wrong branch")
        below = _integers(children, "children")
        _expect(len(below) == 2, f"node {at} must have two children")
        for child, (a, b) in zip(below, (pair, pair[::-1]), strict=True):
            _expect(at < child < len(nodes), f"node {at} has a wrong child")
            if before[b] >> a & 1:
                continue  # No order of this node has a before b.
            relation = list(before)
            relation[a] |= 1 << b
            waiting.append((child, _close(relation), proven))


def _apply(
    step: Any, costs: Matrix, before: Relation, cutoff: int, goal: int
) -> tuple[int, Relation, bool]:
    """Return what one round proves, the pairs that it fixes, and whether an order is left."""
    _expect(isinstance(step, dict), "a round is not an object")
    scale = _integer(step.get("scale"), "a scale")
    _expect(scale >= 1, "a scale is below 1")
    rows = step.get("rows")
    _expect(isinstance(rows, dict), "a round has no rows")
    budget = _LIMIT - sum(abs(cost) for row in costs for cost in row) * scale
    _expect(budget > 0, "its numbers are too large to add up")
    reduced = [[cost * scale for cost in row] for row in costs]
    charge = 0
    for kind, given in rows.items():
        _expect(kind in KINDS, f"{kind!r} is not a known kind of inequality")
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
    relation = _close(relation)
    return bound, relation, not any(row >> a & 1 for a, row in enumerate(relation))


def _add_cycles(rows: Any, reduced: Matrix, budget: int) -> tuple[int, int]:
    """Add the rows of `cycle` to the reduced costs; return the charge and all that was added."""
    _expect(isinstance(rows, list), "cycles must be a list of lists")
    charge = used = 0
    for row in rows:
        numbers = _integers(row, "cycles")
        _expect(len(numbers) >= 4, "a cycle has fewer than three items")
        y, items = numbers[0], numbers[1:]
        _expect(y >= 0, "a multiplier is negative")
        _expect(all(0 <= a < len(reduced) for a in items), "a cycle has items that do not exist")
        used += y * len(items)
        _expect(used < budget, "its numbers are too large to add up")
        charge -= y
        for u, v in zip(items, items[1:] + items[:1], strict=True):
            _expect(u != v, "a cycle has an item twice in a row")
            if u < v:
                reduced[u][v] += y
                charge += y
            else:
                reduced[v][u] -= y
    return charge, used


def _add_halves(rows: Any, reduced: Matrix, budget: int) -> tuple[int, int]:
    """Add the rows of `half` to the reduced costs, as `_add_cycles` does."""
    _expect(isinstance(rows, list), "half sums must be a list of lists")
    charge = used = 0
    for row in rows:
        numbers = _integers(row, "a half sum")
        _expect(len(numbers) >= 5, "a half sum has no cycle")
        y, k = numbers[:2]
        _expect(y >= 0, "a multiplier is negative")
        items, pairs = numbers[2 : 2 + 3 * max(0, k)], numbers[2 + 3 * max(0, k) :]
        _expect(k >= 1 and len(items) == 3 * k, "a half sum has fewer cycles than it says")
        _expect(len(pairs) % 2 == 0, "a half sum has half a pair")
        inside = all(0 <= a < len(reduced) for a in items + pairs)
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
        for (i, j), value in halves.items():
            reduced[i][j] += y * value
        charge += y * constant
    return charge, used


# The function that checks and adds the rows of each kind of inequality.
KINDS: dict[str, Callable[[Any, Matrix, int], tuple[int, int]]] = {
    "cycle": _add_cycles,
    "half": _add_halves,
}


def _close(relation: Relation) -> Relation:
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
        found = _close(found)
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
    _expect(k <= LARGEST_BY_SUBSETS, f"{k} items are too many for a proof by subsets")
    # What b pays more than it must if it comes behind a.
    extra = [[max(0, counts[b][a] - counts[a][b]) for b in range(k)] for a in range(k)]
    borda = sorted(range(k), key=lambda a: sum(extra[a]))
    _expect(bound <= _cost(counts, borda), f"there is an order that costs less than {bound}")
    limit = bound - _sum_of_minima(counts)
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


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise Refused(otherwise)


def _integer(value: Any, name: str) -> int:
    _expect(isinstance(value, int) and not isinstance(value, bool), f"{name} is not an integer")
    _expect(abs(value) < _LIMIT, f"{name} is too large")
    return int(value)


def _integers(value: Any, name: str) -> list[int]:
    _expect(isinstance(value, list), f"{name} must be a list")
    for n in value:
        _expect(isinstance(n, int) and not isinstance(n, bool), f"{name} must be integers")
        _expect(-(1 << 63) <= n < 1 << 63, f"{name} must be integers below 2**63")
    return list(value)


# -- the data --------------------------------------------------------------------------------


def read_counts(path: str | Path, unranked: str | None = None) -> tuple[list[str], Matrix, int]:
    """Return the names of the items, the pairwise counts, and the units of 1 that they are in."""
    text = _read(path)
    if text.lstrip().startswith("{"):
        return _count(*_read_rankings(json.loads(text, parse_float=str), unranked))
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if any(line.startswith("#") for line in lines):
        return _count(*_read_preflib(lines), unranked or "unknown")
    return _read_matrix(lines)


def _read_matrix(lines: list[str]) -> tuple[list[str], Matrix, int]:
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
    return [str(a + 1) for a in range(m)], [flat[a * m : a * m + m] for a in range(m)], scale


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


def _count(items: list[str], ballots: Ballots, unranked: str) -> tuple[list[str], Matrix, int]:
    m = len(items)
    scale = lcm(*(weight.denominator for weight, _ in ballots))
    counts = [[0] * m for _ in range(m)]
    for weight, buckets in ballots:
        units = int(weight * scale)
        ranked = {a for bucket in buckets for a in bucket}
        behind = [a for a in range(m) if a not in ranked] if unranked == "last" else []
        for bucket in reversed(buckets):
            for a in bucket:
                for b in behind:
                    counts[a][b] += units
            behind += bucket
    return items, counts, scale


def in_units_of(proof: Any, counts: Matrix, scale: int) -> tuple[Matrix, int]:
    """Return the counts in the units of a certificate, if these are a fraction of the given ones.

    Concordant may count decimals in units of 1/10, 1/100, … where fewer units would do.
    """
    data = proof.get("data") if isinstance(proof, dict) else None
    for tens in (10**k for k in range(19) if data != fingerprint(counts)):
        if tens % scale == 0:
            larger = [[n * (tens // scale) for n in row] for row in counts]
            if max(map(max, larger)) < _LIMIT and fingerprint(larger) == data:
                return larger, tens
    return counts, scale


def _name(item: Any) -> str:
    return item if isinstance(item, str) else json.dumps(item)


# -- the program -----------------------------------------------------------------------------


def check_result(
    result: Any, items: list[str], counts: Matrix, scale: int, bound: int
) -> tuple[Fraction, bool]:
    """Return the cost of the ranking of a result, and whether the bound proves it optimal."""
    _expect(isinstance(result, dict) and "ranking" in result, "it is not a result")
    for name in ("constraints", "tiers"):
        _expect(result.get(name) is None, f"this program does not check results with {name}")
    number = {name: a for a, name in enumerate(items)}
    ranking = [_name(item) for item in result["ranking"]]
    _expect(sorted(ranking) == sorted(items), "its ranking does not have the items of the data")
    order = [number[name] for name in ranking]
    units = _cost(counts, order)
    cost, proven = Fraction(units, scale), Fraction(bound, scale)
    said, least = (Fraction(str(result.get(name))) for name in ("cost", "lower_bound"))
    same = said == cost or float(said) == float(cost)
    _expect(same, f"it has cost {result['cost']}, but the data gives {cost}")
    holds = least <= proven or float(least) == float(proven)
    _expect(holds, f"it has lower_bound {least}, but the proof has {proven}")
    optimal = bound == units
    _expect(optimal or result.get("status") != "optimal", "it is not proven optimal")
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
    path = given[1]
    try:
        items, counts, scale = read_counts(path, unranked)
        path = given[0]
        proof = json.loads(_read(path))
        path = given[-1]
        result = json.loads(_read(path), parse_float=str) if len(given) == 3 else None
    except (OSError, ValueError, LookupError, TypeError, RecursionError, Refused) as error:
        sys.stderr.write(f"{path} cannot be read: {error}\n")
        return 2
    path = given[0]
    try:
        counts, scale = in_units_of(proof, counts, scale)
        bound = check(proof, counts)
        text = f"{path} proves that no ranking of {given[1]} costs less than "
        text += _number(Fraction(bound, scale))
        if result is not None:
            path = given[2]
            cost, optimal = check_result(result, items, counts, scale, bound)
            text += f"\n{path} has cost {_number(cost)}{': it is optimal' if optimal else ''}"
    except (Refused, ValueError) as error:
        sys.stdout.write(f"{path} does not hold: {error}\n")
        return 1
    sys.stdout.write(f"{text}\n")
    return 0


def _read(path: str | Path) -> str:
    return Path(path).read_text(encoding="utf-8-sig")


def _number(value: Fraction) -> str:
    return str(value.numerator) if value.denominator == 1 else f"{float(value)} ({value})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
