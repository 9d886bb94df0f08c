"""HER: Algorithm 1, its settings and its population update."""

import itertools
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant.algorithms.her import CROSSOVERS, HerSettings, her, update_population
from concordant.algorithms.registry import get
from concordant.cli import terminal
from concordant.errors import SettingError
from concordant.running import Run
from concordant.stopping import MaxTime
from test_lads import instances

QUICK = {"population": 4, "max_idle": 20, "max_idle_generations": 3}


def test_defaults_are_the_papers():
    settings = HerSettings(**HerSettings.PRESETS["paper"])
    assert settings.population == 20
    assert settings.beta == 0.2
    assert settings.max_idle_generations == 60
    assert settings.max_idle == 5000
    assert settings.history_length == 5
    assert settings.neighbourhood == "swap"
    assert settings.crossover == "cpsc"
    assert settings.idle == "accepted"
    assert settings.duplicates == "refuse"


def test_released_sets_what_settings_can():
    settings = HerSettings(**HerSettings.PRESETS["released"])
    assert (settings.start, settings.idle, settings.max_idle) == ("random", "all", 100_000)
    assert settings.duplicates == "keep"
    # The search ends after more than this number of idle generations; for the program, 60.
    assert settings.max_idle_generations == 59
    quick = {"population": 4, "max_idle": 20}
    cycle = cc.Rankings.from_orders([list("abc"), list("bca"), list("cab")])
    assert cc.aggregate(cycle, "her", preset="released", **quick).generations == 60


def test_readings_of_crossover_and_preset_are_documented(capsys):
    terminal.show_method(get("her"), sys.stdout)
    text = " ".join(capsys.readouterr().out.split())
    assert "never clears its matrix of pairs, and it reads rank vectors as orders" in text
    assert '"cpsc" can give the last two' in text


@pytest.mark.parametrize("crossover", CROSSOVERS)
def test_every_crossover_runs_and_repeats(crossover):
    data = cc.generate.partial(cc.generate.mallows(12, 9, 0.05, seed=1), seed=1)
    first = cc.aggregate(data, "her", crossover=crossover, seed=3, **QUICK)
    again = cc.aggregate(data, "her", crossover=crossover, seed=3, n_jobs=2, **QUICK)
    assert first.verify(data)
    assert (first.ranking, first.iterations) == (again.ranking, again.iterations)


@given(instances(5), st.integers(0, 9))
def test_small_instances_are_never_worse_than_the_best_start(data, seed):
    result = cc.aggregate(data, "her", seed=seed, **QUICK)
    assert result.verify(data)
    assert result.cost <= cc.aggregate(data, "borda").cost or result.status == "feasible"


def test_stops_after_more_than_max_generations_without_improvement():
    # A cycle of three: no order meets the bound, every order that follows it costs 4.
    data = cc.Rankings.from_orders([list("abc"), list("bca"), list("cab")])
    result = cc.aggregate(data, "her", seed=0, **QUICK)
    assert result.cost == 4
    assert result.generations == QUICK["max_idle_generations"] + 1


def test_generation_limit_and_initial():
    data = cc.generate.mallows(15, 5, 0.01, seed=4)
    start = [str(k) for k in range(15, 0, -1)]
    result = cc.aggregate(data, "her", initial=start, max_generations=2, **QUICK)
    assert result.generations <= 2
    assert result.cost <= cc.Pairwise.from_rankings(data).cost(start)


def test_update_replaces_the_worst_only_by_a_better_and_different_child():
    members = [np.array([0, 1, 2]), np.array([2, 1, 0])]
    costs = np.array([3, 7])
    assert not update_population(members, costs, np.array([1, 0, 2]), 7)
    assert not update_population(members, costs, np.array([0, 1, 2]), 3)
    assert update_population(members, costs, np.array([1, 0, 2]), 3)
    assert costs.tolist() == [3, 3]
    assert members[1].tolist() == [1, 0, 2]


def test_update_can_keep_duplicates():
    members = [np.array([0, 1, 2]), np.array([2, 1, 0])]
    costs = np.array([3, 7])
    assert update_population(members, costs, np.array([0, 1, 2]), 3, keep_duplicates=True)
    assert members[1].tolist() == [0, 1, 2]


def test_limits_are_checked_while_the_population_is_built():
    data = cc.generate.mallows(30, 9, 0.001, seed=1)
    clock = itertools.count()
    run = Run(data, rule=MaxTime(50), clock=lambda: next(clock))
    her(run, HerSettings(population=1000))
    assert run.elapsed < 60
    assert run.order is not None
    assert run.iterations == 0


def test_limits_are_checked_between_members():
    data = cc.generate.mallows(30, 9, 0.001, seed=1)
    result = cc.aggregate(data, "her", population=200, max_iterations=1, max_idle=10**9)
    whole = cc.aggregate(data, "her", population=32, max_iterations=1, max_idle=10**9)
    assert result.iterations == pytest.approx(whole.iterations, rel=0.2)


def test_a_population_that_memory_does_not_hold_is_refused():
    pairs = cc.Pairwise.from_matrix(np.triu(np.ones((1000, 1000), np.int64), 1))
    with pytest.raises(SettingError, match="population=10000 takes 37 GiB on this input"):
        cc.aggregate(pairs, "her", population=10_000)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"population": 1}, "population must be a whole number of at least 2"),
        ({"population": 10**8}, "population must be at most 10,000"),
        ({"duplicates": "some"}, "'refuse', 'keep'"),
        ({"max_idle_generations": -1}, "max_idle_generations"),
        ({"crossover": "cut"}, "'cpsc', 'cpsc-losses', 'cpsc-extension', 'order'"),
        ({"beta": 0.7}, "beta"),
        ({"history_length": 0}, "history_length"),
    ],
)
def test_impossible_settings_are_refused(settings, message):
    with pytest.raises(SettingError, match=message):
        cc.aggregate([[0, 1], [0, 0]], "her", **settings)


@pytest.mark.parametrize("method", ["her", "lads", "auto", "insertion"])
class TestSmallInput:
    def test_one_item(self, method):
        result = cc.aggregate(cc.Rankings.from_orders([["a"]]), method)
        assert (result.ranking, result.cost, result.status) == (("a",), 0, "optimal")

    def test_two_items(self, method):
        data = cc.Rankings.from_orders([["a", "b"], ["b", "a"], ["b", "a"]])
        result = cc.aggregate(data, method)
        assert (result.ranking, result.cost, result.status) == (("b", "a"), 1, "optimal")

    def test_all_tied(self, method):
        result = cc.aggregate(cc.Rankings.from_orders([[("a", "b", "c")]]), method)
        assert (result.cost, result.status) == (0, "optimal")

    def test_one_voter(self, method):
        result = cc.aggregate(cc.Rankings.from_orders([list("dbac")]), method)
        assert (result.ranking, result.cost) == (tuple("dbac"), 0)

    def test_cycle_of_three(self, method):
        data = cc.Rankings.from_orders([list("abc"), list("bca"), list("cab")])
        result = cc.aggregate(data, method, time_limit=5)
        assert result.cost == 4
        assert "".join(result.ranking) in ("abc", "bca", "cab")

    def test_empty_ballots_only(self, method):
        data = cc.Rankings.from_orders([[], []], items="abc")
        result = cc.aggregate(data, method)
        assert (result.cost, result.status, result.n_rankings) == (0, "optimal", 2)
