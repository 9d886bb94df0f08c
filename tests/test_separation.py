"""Joint ranks: the statements behind them against brute force, and their coverage."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from commands import is_error, run
from concordant import separation


def optimal_orders(margins: Any) -> list[tuple[int, ...]]:
    m = margins.shape[0]
    costs = {
        order: sum(margins[b, a] for a, b in itertools.combinations(order, 2))
        for order in itertools.permutations(range(m))
    }
    least = min(costs.values())
    return [order for order, cost in costs.items() if cost <= least + 1e-9]


@given(st.integers(0, 10**6), st.integers(2, 5))
@settings(max_examples=40, deadline=None)
def test_what_is_always_so_holds_in_every_optimal_order(seed: int, m: int) -> None:
    random = np.random.default_rng(seed)
    margins = np.triu(random.integers(-6, 7, (m, m)) + 3, 1)
    margins = margins - margins.T
    lower = (margins - random.integers(0, 3, (m, m))).astype(float)
    always = separation._always(lower)
    cuts = separation._cuts(margins > 0)
    for order in optimal_orders(margins):
        place = np.argsort(order)
        before = place[:, None] < place
        assert (always <= before).all()
        assert (cuts <= before).all()


def test_groups_that_beat_all_others_are_found() -> None:
    ahead = np.zeros((5, 5), bool)
    ahead[:2, 2:] = True
    ahead[2:4, 4] = True
    certain = separation._cuts(ahead)
    assert (certain == ahead).all()
    assert separation.groups_left(certain) == (2, 2, 1)
    assert separation.places_left(certain) == ((1, 1, 3, 3, 5), (2, 2, 4, 4, 5))


@pytest.mark.parametrize("method", ["auto", "borda"])
def test_equal_items_are_rarely_told_apart(method: str) -> None:
    """Voters at random: each claim is wrong, and 95 % of the data sets must have none."""
    wrong = 0
    for seed in range(20):
        random = np.random.default_rng(seed)
        votes = [random.permutation(5).tolist() for _ in range(40)]
        data = cc.Rankings.from_orders(votes, items=range(5))
        firm = cc.bootstrap(data, 100, seed, method=method, consensus=range(5))
        assert firm.group_sizes is not None
        wrong += firm.rank_low != (1,) * 5 or firm.rank_high != (5,) * 5
    # One is expected; five or more have a probability of 0.3 %.
    assert wrong <= 4


@pytest.mark.parametrize("method", ["auto", "borda", "schulze", "plackett-luce"])
def test_clear_differences_are_found(method: str) -> None:
    random = np.random.default_rng(1)
    scores = np.array([3, 3, 0, -3]) + random.gumbel(size=(300, 4))
    votes = cc.Rankings.from_orders(np.argsort(-scores, axis=1).tolist(), items=range(4))
    firm = cc.bootstrap(votes, 200, method=method)
    assert firm.ranks == ((1, 2), (1, 2), (3, 3), (4, 4))
    assert [set(group) for group in firm.groups] == [{0, 1}, {2}, {3}]
    assert firm.method == method


def test_a_few_voters_of_one_opinion_are_not_certain() -> None:
    few = cc.bootstrap(cc.Rankings.from_orders([["a", "b"]] * 5), 50)
    assert few.ranks == ((1, 2), (1, 2))
    many = cc.bootstrap(cc.Rankings.from_orders([["a", "b"]] * 20), 50)
    assert many.ranks == ((1, 1), (2, 2))


@pytest.mark.parametrize("ties", [False, True])
def test_pairs_are_the_shares_of_all_samples(ties: bool) -> None:
    data = cc.Rankings.from_orders([["a", "b", "c"], ["b", "c", "a"], ["c", ("a", "b")]])
    firm = cc.bootstrap(data, 300, ties=ties)
    assert firm.pairs is not None
    assert np.allclose(firm.pairs + firm.pairs.T, 1)
    tied = np.zeros(2) if firm.tied is None else np.array(firm.tied)
    assert np.allclose(np.diag(firm.pairs, 1), np.array(firm.stands) + tied / 2)
    again = cc.Bootstrap.from_dict(json.loads(json.dumps(firm.to_dict())))
    assert again == firm
    assert again.pairs is not None
    assert (again.pairs == firm.pairs).all()
    facts = firm.to_dict()
    with pytest.raises(cc.InputError, match="'pairs' must have 3 rows"):
        cc.Bootstrap.from_dict(facts | {"pairs": [[1]]})
    del facts["pairs"]
    assert cc.Bootstrap.from_dict(facts).pairs is None


@pytest.mark.parametrize("method", ["borda", "copeland", "extended-borda", "kwiksort", "rrf"])
def test_samples_of_a_method_are_its_answers(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every voter is drawn once: all samples are the data, and give its answer."""
    monkeypatch.setattr("concordant.samples.Draws._draw", lambda self, random: self._units)
    data = cc.Rankings.from_orders([["a", "b", "c"]] * 5 + [["b", "c", "a"]] * 2)
    firm = cc.bootstrap(data, 20, method=method)
    assert firm.items == cc.aggregate(data, method).ranking
    assert firm.low == firm.high == (1, 2, 3)
    assert firm.pairs is not None
    assert (np.triu(firm.pairs, 1) == np.triu(np.ones((3, 3)), 1)).all()
    if firm.scores is not None:
        assert np.allclose(firm.scores, firm.scores_low or ())
        assert np.allclose(firm.scores, firm.scores_high or ())


def test_strengths_have_intervals_in_the_samples() -> None:
    battles = [("a", "b")] * 30 + [("b", "a")] * 20 + [("b", "c")] * 30 + [("c", "a")] * 10
    data = cc.Rankings.from_battles(battles)
    for method in ("bradley-terry", "plackett-luce"):
        firm = cc.bootstrap(data, 200, method=method)
        result = cc.aggregate(data, method)
        assert np.allclose(firm.scores or (), result.details["scores"], atol=1e-6)
        # Both intervals estimate the same: the widths agree roughly.
        width = np.subtract(firm.scores_high or (), firm.scores_low or ())
        curved = np.subtract(result.details["high"], result.details["low"])
        assert (abs(width / curved - 1) < 0.35).all()
        assert firm.to_frame().columns[-3:] == ["score", "score_low", "score_high"]
    # A sample without a win of c has no finite strengths: a prior gives some.
    few = cc.bootstrap(cc.Rankings.from_battles(battles[:80]), 50, method="bradley-terry")
    assert np.isfinite(few.scores_high or np.nan).all()


def test_methods_without_scores_and_majorities_have_no_ranks() -> None:
    data = cc.Rankings.from_orders([["a", "b"], ["b", "a"], ["a", "b"]])
    firm = cc.bootstrap(data, 10, method="footrule")
    with pytest.raises(cc.SettingError, match="no ranks for method 'footrule'"):
        _ = firm.ranks
    with pytest.raises(cc.SettingError, match="answers with ties"):
        _ = cc.bootstrap(data, 5, ties=True).groups
    with pytest.raises(cc.SettingError, match="needs method 'auto', not 'borda'"):
        cc.bootstrap(data, 5, ties=True, method="borda")
    with pytest.raises(cc.SettingError, match="has no settings; leave out population"):
        cc.bootstrap(data, 5, population=4)
    partial = cc.Rankings.from_orders([["a", "b"], ["b", "c"]])
    with pytest.raises(cc.SettingError, match="'footrule' needs complete rankings"):
        cc.bootstrap(partial, 5, method="footrule")


class TestClusters:
    """Rankings that are drawn together."""

    orders: ClassVar[list[list[str]]] = [["a", "b"]] * 3 + [["b", "a"]] * 2
    judges: ClassVar[list[str]] = ["x", "x", "x", "y", "y"]

    def data(self) -> cc.Rankings:
        return cc.Rankings.from_orders(self.orders, voters=self.judges)

    def test_two_judges_are_drawn(self) -> None:
        firm = cc.bootstrap(self.data(), 4000, by="voter")
        assert (firm.voters, firm.unit) == (2, "cluster")
        # Both judges x: 1/4, both y: 1/4, one each: 3 votes to 2.
        assert abs(firm.stands[0] - 0.75) < 0.04
        assert firm == cc.bootstrap(self.data(), 4000, by=self.judges)
        assert firm == cc.bootstrap(self.data(), 4000, by={"x": 1, "y": 2})
        assert "of 2 clusters" in repr(firm._repr_html_())

    def test_a_cluster_each_is_a_voter_each(self) -> None:
        for method in ("auto", "borda"):
            alone = cc.bootstrap(self.data(), 1000, method=method)
            each = cc.bootstrap(self.data(), 1000, by=range(5), method=method)
            assert abs(alone.stands[0] - each.stands[0]) < 0.09
            assert alone.voters == each.voters == 5

    def test_the_spread_is_that_of_the_samples(self) -> None:
        random = np.random.default_rng(0)
        votes = [random.permutation(4).tolist() for _ in range(30)]
        data = cc.Rankings.from_orders(votes, voters=[k // 3 for k in range(30)])
        from concordant.samples import Draws, clusters_of

        for clusters in (None, clusters_of(data, "voter")):
            draws = Draws(data, np.arange(4), 0, clusters, 500)
            draws.prepare()
            noise = draws.solve(0, 500).noise
            assert abs(noise.mean(axis=0)).max() < 0.2
            assert abs(noise.std(axis=0) - 0.97).max() < 0.15

    def test_refusals(self) -> None:
        plain = cc.Rankings.from_orders(self.orders)
        with pytest.raises(cc.InputError, match="by needs the names of the voters"):
            cc.bootstrap(plain, 5, by="voter")
        with pytest.raises(cc.InputError, match="equal rankings were merged"):
            cc.bootstrap(plain, 5, by=self.judges)
        with pytest.raises(cc.InputError, match="by has 2 clusters for 5 rankings"):
            cc.bootstrap(self.data(), 5, by=["x", "y"])
        with pytest.raises(cc.InputError, match="no cluster for voter 'y'"):
            cc.bootstrap(self.data(), 5, by={"x": 1})
        with pytest.raises(cc.SettingError, match="by must be 'voter'"):
            cc.bootstrap(self.data(), 5, by="judge")

    def test_on_the_command_line(self, tmp_path: Path) -> None:
        path = tmp_path / "battles.csv"
        path.write_text("winner,loser,judge\na,b,x\na,b,x\na,b,x\nb,a,y\nb,a,y\nb,c,x\nc,b,y\n")
        arguments = ["aggregate", path, "--method", "bradley-terry", "--voter", "judge"]
        done = run(*arguments, "--bootstrap", 20, "--bootstrap-by", "voter")
        assert done.exit_code == 0
        assert (
            "20 samples of 2 clusters, seed 0, each solved by method bradley-terry" in done.stdout
        )
        assert "joint" in done.stdout.splitlines()[0]
        assert is_error(run(*arguments, "--bootstrap-by", "voter"), "needs --bootstrap")
