"""Constraints: against all orders, saved and loaded, verified, contradictions, warm start."""

from __future__ import annotations

import itertools
import json
import warnings
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


@settings(max_examples=40, deadline=None)
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


WEAK = {
    tuple(np.unique(buckets, return_inverse=True)[1].tolist())
    for buckets in itertools.product(range(5), repeat=5)
}


@settings(max_examples=20, deadline=None)
@given(problems(), st.integers(0, 10**6), st.sampled_from([0.2, 0.5, 1.0]))
def test_with_ties_too(problem: tuple[list[list[int]], dict], seed: int, penalty: float) -> None:
    """All answers with ties of five items; votes have weights, ties and gaps."""
    random = np.random.default_rng(seed)
    ranks = random.integers(0, 4, (4, 5))
    weights = random.integers(1, 4, 4).tolist()
    data = cc.Rankings.from_ranks(ranks, items=list(ITEMS), weights=weights)
    rules = problem[1]
    costs = TierCosts.from_rankings(data, penalty)
    allowed = [
        costs.cost_units(np.array(place))
        for place in WEAK
        if satisfies(dict(zip(ITEMS, place, strict=True)), rules)
    ]
    with warnings.catch_warnings():
        # That all items are tied is not the subject here.
        warnings.simplefilter("ignore", cc.InputWarning)
        if not allowed:
            with pytest.raises(cc.SettingError, match="contradict"):
                cc.aggregate(data, ties=True, tie_penalty=penalty, **rules)
            return
        result = cc.aggregate(data, ties=True, tie_penalty=penalty, **rules)
        free = cc.aggregate(data, ties=True, tie_penalty=penalty)
    assert result.cost == costs.value(min(allowed))
    assert result.status == free.status == "optimal"
    if result.constraints is not None:
        assert result.constraint_cost == pytest.approx([result.cost - free.cost] * 2)
    result.verify(data)


def test_compare_changes_rankings_that_break_a_rule() -> None:
    data = cc.generate.mallows(6, 7, theta=0.2, seed=5)
    pairs = cc.Pairwise.from_rankings(data)
    rules = {"before": [("6", "1")], "last": ["2"]}
    found = cc.compare(data, ["borda", "copeland", "auto"], time_limit=2, **rules)
    allowed = [
        pairs.cost(order)
        for order in itertools.permutations(data.items)
        if order[-1] == "2" and order.index("6") < order.index("1")
    ]
    assert found.cost == found.lower_bound == min(allowed)
    rows = {row.method: row for row in found.rows}
    assert rows["auto"].status == "optimal"
    assert set(found.repaired) == {"borda", "copeland"}
    order = Constraints.of(**rules).repaired(  # type: ignore[union-attr]
        pairs.order_of(cc.aggregate(data, "borda").ranking), data.items
    )
    assert rows["borda"].cost == pairs.cost([data.items[a] for a in order])
    assert found.to_dict()["constraints"] == {"before": [["6", "1"]], "last": ["2"]}
    assert "constraints" not in cc.compare(data, ["borda"]).to_dict()
    with pytest.raises(cc.SettingError, match="ties"):
        cc.compare(data, ["borda"], ties=True, **rules)
    with pytest.raises(cc.SettingError, match="did you mean '1'"):
        cc.compare(data, ["borda"], first=["11"])


def test_an_initial_ranking_that_breaks_a_rule_is_changed() -> None:
    data = cc.generate.mallows(12, 9, theta=0.1, seed=2)
    free = cc.aggregate(data)
    rules = {"first": [free.ranking[-1]]}
    for start in (free, list(free.ranking)):
        result = cc.aggregate(data, initial=start, **rules)
        assert result.ranking[0] == free.ranking[-1]
        assert result.cost == cc.aggregate(data, **rules).cost
        assert result.constraint_cost == (result.cost - free.cost,) * 2


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
        ({"first": ["x"]}, "first names 'x', which is not an item: the items are 'a', 'b', 'c'"),
        ({"first": ["A"]}, "first names 'A', which is not an item: did you mean 'a'?"),
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
    firm = cc.bootstrap(data, 20, consensus=result)
    assert firm.first[0] == 1


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
    done = run("compare", file, "--methods", "borda,auto", "--first", "c", "-q")
    assert "first: c; changed to satisfy them: the rankings of borda" in done.stdout
