"""Groups of voters: against all assignments, sizes, choice of k, command line and plot."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest

import concordant as cc
from commands import is_error, run
from concordant import report
from concordant.certificate import optimum_by_subsets
from concordant.plot import groups as draw


def least_cost(ballots: list[list[str]], items: str, k: int) -> int:
    """The least cost over all assignments of the ballots to k groups."""
    counts = [
        cc.Pairwise.from_rankings(cc.Rankings.from_orders([ballot], items=items)).counts
        for ballot in ballots
    ]
    none = np.zeros((len(items), len(items)), np.int64)
    known: dict[tuple[int, ...], int] = {}

    def cost(members: tuple[int, ...]) -> int:
        if members not in known:
            known[members] = optimum_by_subsets(sum((counts[i] for i in members), none))
        return known[members]

    return min(
        sum(cost(tuple(i for i, g in enumerate((0, *rest)) if g == group)) for group in range(k))
        for rest in itertools.product(range(k), repeat=len(ballots) - 1)
    )


@pytest.mark.parametrize("seed", range(6))
def test_the_best_of_all_assignments_of_ten_voters(seed: int) -> None:
    random = np.random.default_rng(seed)
    items = "abcd"
    ballots = [random.permutation(list(items)).tolist() for _ in range(10)]
    if seed % 2:
        ballots = [ballot[: random.integers(2, 5)] for ballot in ballots]
    data = cc.Rankings.from_orders(ballots, items=items, voters=range(10))
    found = cc.groups(data, k=2, seed=seed)
    assert found.cost == least_cost(ballots, items, 2)
    assert found.status == "optimal"
    assert len(found.labels) == 10
    assert sum(found.sizes) == 10
    # Each consensus is that of its voters.
    assert found.voters is not None
    for voters, consensus in zip(found.voters, found.consensuses, strict=True):
        part = data.subset(voters=voters)
        assert consensus.cost == cc.aggregate(part).cost
        assert all(found.labels[voter] == found.voters.index(voters) for voter in voters)


def mixture(size: int) -> cc.Rankings:
    items = list("abcdefg")
    camps = [items, items[::-1], [*"dbfaceg"]]
    orders = []
    for number, camp in enumerate(camps[:size]):
        for ranking, weight in cc.generate.mallows(7, 40, theta=1.2, seed=number):
            orders += [[camp[int(b[0]) - 1] for b in ranking]] * int(weight)
    return cc.Rankings.from_orders(orders, items=items)


@pytest.mark.parametrize("size", [1, 2, 3])
def test_auto_finds_the_number_of_camps(size: int) -> None:
    found = cc.groups(mixture(size), k="auto", restarts=10)
    assert found.k == size
    assert [each.k for each in found.counts] == [1, 2, 3, 4, 5, 6]
    costs = [each.cost for each in found.counts]
    assert costs == sorted(costs, reverse=True)
    again = cc.groups(mixture(size), k="auto", restarts=10)
    assert (again.labels, again.counts) == (found.labels, found.counts)


def test_weights_and_bad_settings() -> None:
    data = cc.Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[2, 5])
    found = cc.groups(data, k=2)
    assert (found.sizes, found.labels, found.cost) == ((5, 2), (1, 0), 0)
    assert found.differences == [("b", (1, 2)), ("a", (2, 1))]
    for k in (3, 0, "many", [], 1.5):
        with pytest.raises(cc.SettingError, match="k "):
            cc.groups(data, k=k)  # type: ignore[arg-type]
    with pytest.raises(cc.InputError, match="no voters"):
        cc.groups(cc.Pairwise.from_rankings(data))  # type: ignore[arg-type]
    with pytest.raises(cc.InputError, match="any weight"):
        cc.groups(cc.Rankings.from_orders([["a", "b"]], weights=[0]))


def test_large_items_and_command_line(tmp_path: Path) -> None:
    data = cc.generate.mallows(20, 12, theta=0.02, seed=3)
    found = cc.groups(data, k=2, restarts=2)
    assert found.cost <= cc.aggregate(data).cost
    file = tmp_path / "votes.csv"
    rows = ["voter,1,2,3", *(f"a{k},x,y,z" for k in range(4)), *(f"b{k},z,y,x" for k in range(3))]
    file.write_text("\n".join(rows), encoding="utf-8")
    picture = tmp_path / "voters.svg"
    done = run("groups", file, "-k", "2", "--plot", picture, "-q")
    assert done.exit_code == 0, done.stderr
    assert "group 1: 4 voters, cost 0, proven for these voters" in done.stdout
    assert "voters: b0, b1, b2" in done.stdout
    assert "x: 1, 3" in done.stdout
    assert picture.read_text(encoding="utf-8").startswith("<?xml")
    facts = json.loads(run("groups", file, "-k", "1..2", "--json").stdout)
    assert [each["k"] for each in facts["counts"]] == [1, 2]
    assert "stability" in run("groups", file, "-q").stdout
    is_error(run("groups", file, "-k", "few"), "k must be a number")
    other = cc.Rankings.from_orders([["a", "b"]])
    with pytest.raises(cc.InputError, match="other rankings"):
        draw(other, found)


def test_twelve_items_against_all_assignments() -> None:
    random = np.random.default_rng(4)
    ballots = [random.permutation(list("abcdefghijkl")).tolist() for _ in range(6)]
    data = cc.Rankings.from_orders(ballots, items="abcdefghijkl")
    assert cc.groups(data, k=2).cost == least_cost(ballots, "abcdefghijkl", 2)


def test_the_report_has_a_section(tmp_path: Path) -> None:
    data = cc.Rankings.from_orders([["x<b>", "y", "z"]] * 9 + [["z", "y", "x<b>"]] * 8)
    result = cc.aggregate(data)
    found = cc.groups(data, k=range(1, 3))
    page = report.html(result, data, groups=found)
    assert "2 groups: the largest number that is stable and saves 15 % of the cost" in page
    assert "The voters as points" in page
    assert "--groups 2" in page
    assert "x<b>" not in page
    assert "Groups of voters" not in report.html(result, data)
    votes, saved, output = tmp_path / "v.csv", tmp_path / "r.json", tmp_path / "r.html"
    votes.write_text("voter,1,2\nA,a,b\nB,b,a\nC,a,b\n", encoding="utf-8")
    run("aggregate", votes, "-o", saved, "-q")
    done = run("report", saved, votes, "-o", output, "--groups", "2", "-q")
    assert done.exit_code == 0, done.stderr
    assert "Groups of voters" in output.read_text(encoding="utf-8")
    is_error(run("report", saved, votes, "-o", output, "--groups", "x"), "--groups must be")
