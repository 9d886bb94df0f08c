"""Constraints: against all orders, saved and loaded, verified, contradictions, warm start."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from commands import is_error, run
from concordant import report
from concordant.constraints import Constraints
from concordant.describe import constraint_words
from concordant.tiers.costs import TierCosts

ITEMS = "abcde"


def satisfies(place: dict[str, int], rules: dict) -> bool:
    """The definition of each rule, item by item."""
    for a, b in rules.get("before", ()):
        if place[a] >= place[b]:
            return False
    first, last = set(rules.get("first", ())), set(rules.get("last", ()))
    for a in ITEMS:
        for b in ITEMS:
            if ((a in first and b not in first) or (b in last and a not in last)) and place[
                a
            ] >= place[b]:
                return False
    groups = rules.get("groups_in_order", ())
    return all(
        place[a] < place[b]
        for k, group in enumerate(groups)
        for later in groups[k + 1 :]
        for a in group
        for b in later
    )


@st.composite
def problems(draw: st.DrawFn) -> tuple[list[list[int]], dict]:
    matrix = draw(
        st.lists(st.lists(st.integers(-3, 9), min_size=5, max_size=5), min_size=5, max_size=5)
    )
    item = st.sampled_from(ITEMS)
    rules: dict = {}
    pairs = draw(st.lists(st.tuples(item, item).filter(lambda p: p[0] != p[1]), max_size=3))
    if pairs:
        rules["before"] = pairs
    for name in ("first", "last"):
        if some := draw(st.lists(item, max_size=2)):
            rules[name] = some
    order = draw(st.permutations(ITEMS))
    sizes = draw(st.lists(st.integers(1, 2), max_size=2))
    ends = [0, *itertools.accumulate(sizes)]
    if groups := [list(order[a:b]) for a, b in itertools.pairwise(ends)]:
        rules["groups_in_order"] = groups
    return matrix, rules


@settings(max_examples=60, deadline=None)
@given(problems())
def test_constrained_optima_are_those_of_all_orders(problem: tuple[list[list[int]], dict]) -> None:
    matrix, rules = problem
    pairs = cc.Pairwise.from_matrix(matrix, items=ITEMS)
    allowed = [
        order
        for order in itertools.permutations(ITEMS)
        if satisfies({item: k for k, item in enumerate(order)}, rules)
    ]
    if not allowed:
        with pytest.raises(cc.SettingError, match="contradict"):
            cc.aggregate(pairs, **rules)
        return
    best = min(pairs.cost(order) for order in allowed)
    free = min(pairs.cost(order) for order in itertools.permutations(ITEMS))
    result = cc.aggregate(pairs, alternatives=200, **rules)
    assert result.status == "optimal"
    assert result.cost == best == result.lower_bound
    assert result.verify(pairs).bound_proven
    optima = {order for order in allowed if pairs.cost(order) == best}
    assert set(result.alternatives or ()) == optima
    assert result.is_unique == (len(optima) == 1)
    if result.constraints is not None:
        assert result.constraint_cost == (best - free, best - free)
        assert result.free is not None
        assert result.free.constraints is None


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0.2, 0.4, 0.6]))
def test_with_ties_too(seed: int, penalty: float) -> None:
    data = cc.generate.mallows(4, 5, theta=0.3, seed=seed)
    a, b, c, _ = data.items
    rules = {"before": [(c, a)], "last": [b]}
    result = cc.aggregate(data, ties=True, tie_penalty=penalty, **rules)
    costs = TierCosts.from_rankings(data, penalty)
    weak = {
        tuple(np.unique(buckets, return_inverse=True)[1].tolist())
        for buckets in itertools.product(range(4), repeat=4)
    }
    best = min(
        costs.cost_units(np.array(place))
        for place in weak
        if place[2] < place[0] and place[1] > max(place[0], place[2], place[3])
    )
    assert result.cost == costs.value(best)
    assert result.status == "optimal"
    result.verify(data)


def test_a_result_keeps_its_constraints(tmp_path: Path) -> None:
    data = cc.generate.mallows(25, 9, theta=0.01, seed=4)
    rules = {"first": ["3"], "before": [("9", "8")], "groups_in_order": [["1", "2"], ["5", "6"]]}
    result = cc.aggregate(data, **rules)
    path, proof = tmp_path / "result.json", tmp_path / "proof.json"
    result.save(path)
    result.save_proof(proof)
    loaded = cc.Consensus.load(path)
    assert loaded.constraints == result.constraints
    assert loaded.constraint_cost == result.constraint_cost
    assert loaded.verify(data, proof).by_certificate
    # Live data: the next result has the same constraints, unless others are given.
    more = cc.Pairwise.from_rankings(data) + cc.Pairwise.from_rankings(
        cc.Rankings.from_orders([data.items[::-1]], items=data.items)
    )
    again = cc.aggregate(more, initial=loaded)
    assert again.constraints == result.constraints
    assert again.ranking[0] == "3"
    again.verify(more)
    assert cc.aggregate(more, initial=loaded, before=[]).constraints is None
    # What breaks a constraint, or changes what the free result says, is refused.
    moved = (*result.ranking[1:], result.ranking[0])
    for wrong in (
        replace(result, ranking=moved),
        replace(result, constraints=Constraints(last=("3",))),
        replace(result, constraints=Constraints(last=("nobody",))),
        replace(result, free=replace(result.free, cost=result.free.cost - 1)),
    ):
        with pytest.raises(cc.VerificationError, match="constraints"):
            wrong.verify(data)


def test_an_order_without_time_satisfies_them() -> None:
    data = cc.generate.mallows(60, 5, theta=0.001, seed=1)
    backwards = [str(k) for k in range(60, 0, -1)]
    for start in (None, backwards):
        result = cc.aggregate(data, first=["5"], before=[("6", "7")], time_limit=0, initial=start)
        assert result.ranking[0] == "5"
        result.verify(data)


@pytest.mark.parametrize(
    ("rules", "words"),
    [
        ({"first": ["x"]}, "first names 'x', which is not an item"),
        ({"before": [("a", "b"), ("b", "c"), ("c", "a")]}, "a before b, b before c, c before a"),
        ({"first": ["a"], "last": ["a"]}, "a before b (first), b before a (last)"),
        ({"groups_in_order": [["a"], ["b", "a"]]}, "a before a (groups_in_order)"),
        ({"before": [("a", "a")]}, "before has 'a' before itself"),
        ({"before": ["abc"]}, "before must be a list, not 'abc'"),
        ({"before": [("a",)]}, "before needs pairs of items"),
        ({"first": "a"}, "first must be a list, not 'a'"),
        ({"first": ["a"], "method": "borda"}, "'borda' does not take constraints"),
        ({"first": ["a"], "ties": True, "tiers": 2}, "tiers cannot be used with constraints"),
    ],
)
def test_bad_constraints_are_refused(rules: dict, words: str) -> None:
    data = cc.Rankings.from_orders([["a", "b", "c"], ["c", "b", "a"]])
    with pytest.raises(cc.SettingError) as raised:
        cc.aggregate(data, **rules)
    assert words in str(raised.value)


def test_words_report_and_bootstrap(tmp_path: Path) -> None:
    data = cc.Rankings.from_orders([["a", "b", "c"]] * 3 + [["c", "a", "b"]])
    result = cc.aggregate(data, first=["c"])
    assert constraint_words(result) == "cost 4: without them, the best ranking costs 2"
    page = report.html(result, data)
    assert "Constraints: first: c. They cost 4" in page
    assert "--first c" in page
    assert "overrule the majority in 2 pairs" in page
    unknown = constraint_words(replace(result, free=None))
    assert unknown is not None
    assert "not known" in unknown
    with pytest.raises(cc.SettingError, match="constraints"):
        cc.bootstrap(data, consensus=result)


def test_the_command_line(tmp_path: Path) -> None:
    file, saved = tmp_path / "votes.csv", tmp_path / "result.json"
    file.write_text("voter,1,2,3\nAnn,a,b,c\nBob,b,a,c\nCy,a,c,b\n", encoding="utf-8")
    done = run("aggregate", file, "--before", "c > b > a", "-o", saved)
    assert done.stdout.index("  c\n") < done.stdout.index("  b\n") < done.stdout.index("  a\n")
    assert "c before b; b before a" in done.stdout
    assert "constraints satisfied" in run("verify", saved, file).stdout
    groups = json.loads(run("aggregate", file, "--groups-in-order", "b = c > a", "--json").stdout)
    assert groups["constraints"] == {"groups_in_order": [["b", "c"], ["a"]]}
    is_error(run("aggregate", file, "--last", "nobody", "-q"), "--last names 'nobody'")
