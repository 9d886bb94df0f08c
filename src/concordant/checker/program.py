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

import json
import re
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import gcd, lcm
from pathlib import Path
from typing import Any, NamedTuple

from concordant.checker.orders import (
    LIMIT,
    OTHER_DATA,
    Matrix,
    Refused,
    Relation,
    check,
    closure,
    expect,
    fingerprint,
)
from concordant.checker.tiers import check_tiers

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
