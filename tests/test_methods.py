"""What every method must do: take all input it says it takes, repeat itself, keep to its limits."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant.algorithms.registry import METHODS
from concordant.errors import SettingError
from strategies import matrices, rankings

# Methods that would go on for long, and what makes them short.
SHORT = {
    "her": {"max_idle": 50, "population": 3, "max_idle_generations": 2},
    "lads": {"max_idle": 100},
    "ils": {"max_idle": 5},
    "vns": {"max_idle": 5},
    "grasp": {"max_idle": 5},
    "lahc": {"max_idle": 200, "history_length": 10},
    "ga": {"population": 6, "max_idle_generations": 3},
    "aco": {"ants": 3, "max_idle": 3},
    "es-bucket": {"max_idle_generations": 20},
    "de": {"population": 5, "max_idle_generations": 3},
}
ALL = st.sampled_from(list(METHODS))
ON_MATRICES = [method.name for method in METHODS.values() if not method.needs_rankings]


def run(data, name, **options):
    if METHODS[name].effort.startswith("until"):
        options.setdefault("max_generations", 5)
    return cc.aggregate(data, name, **SHORT.get(name, {}), **options)


@given(rankings(), ALL, st.integers(0, 5))
@settings(max_examples=300)
def test_takes_any_rankings_or_says_what_it_needs(data, name, seed):
    if METHODS[name].needs_complete and not data.is_complete:
        with pytest.raises(SettingError, match=r"complete rankings.*'auto'.*unranked='last'"):
            run(data, name, seed=seed)
        return
    result = run(data, name, seed=seed)
    assert result.verify(data)
    again = run(data, name, seed=seed)
    assert (again.ranking, again.buckets, again.details) == (
        result.ranking,
        result.buckets,
        result.details,
    )
    json.dumps(result.to_dict(), allow_nan=False)


@given(matrices(), st.sampled_from(ON_MATRICES))
@settings(max_examples=150)
def test_takes_any_matrix_or_says_what_it_needs(matrix, name):
    pairs = cc.Pairwise.from_matrix(matrix)
    assert run(pairs, name).verify(pairs)


@pytest.mark.parametrize("name", [name for name in METHODS if METHODS[name].needs_rankings])
def test_refuses_a_matrix_with_what_to_use_instead(name):
    with pytest.raises(SettingError, match=r"needs the rankings.*'auto' and 'borda'"):
        cc.aggregate([[0, 1], [2, 0]], name)


@given(rankings(min_items=2, kind="small"), ALL, st.randoms(use_true_random=False))
@settings(max_examples=100)
def test_never_worse_than_the_initial_ranking(data, name, random):
    if METHODS[name].needs_complete and not data.is_complete:
        return
    initial = list(data.items)
    random.shuffle(initial)
    cost = cc.Pairwise.from_rankings(data).cost(initial)
    assert run(data, name, initial=initial).cost <= cost


@pytest.mark.parametrize("name", list(METHODS))
def test_keeps_to_its_time_limit(name):
    data = cc.generate.mallows(120, 40, 0.001, seed=1)
    cc.aggregate(data, name, time_limit=0.01)
    result = cc.aggregate(data, name, time_limit=0.1)
    # Generous, for machines with much else to do; none is cut into slices of more than 20 ms.
    assert result.elapsed < 1.5
    assert result.verify(data)


@pytest.mark.parametrize("name", list(METHODS))
def test_answers_at_once_when_there_is_no_time(name):
    data = cc.generate.mallows(30, 10, 0.01, seed=1)
    assert cc.aggregate(data, name, time_limit=0).verify(data)


@pytest.mark.parametrize("name", list(METHODS))
def test_threads_change_nothing(name):
    data = cc.generate.mallows(25, 10, 0.01, seed=2)
    assert run(data, name, n_jobs=1).ranking == run(data, name, n_jobs=2).ranking


@pytest.mark.parametrize("name", list(METHODS))
def test_saved_and_loaded(name, tmp_path):
    data = cc.generate.mallows(12, 10, 0.1, seed=3)
    result = run(data, name)
    result.save(tmp_path / "result.json")
    loaded = cc.Consensus.load(tmp_path / "result.json")
    assert loaded == result
    assert loaded.details == result.details
    assert loaded.verify(data)


@pytest.mark.parametrize(
    ("name", "setting"),
    [
        ("kwiksort", {"runs": 0}),
        ("schulze", {"strength": "votes"}),
        ("plackett-luce", {"tolerance": 0}),
        ("rrf", {"k": -1}),
        ("hc", {"neighbourhood": "swap"}),
        ("ils", {"kick": 0}),
        ("vns", {"max_shake": 0}),
        ("grasp", {"alpha": 1.5}),
        ("lahc", {"history_length": 0}),
        ("ga", {"crossover": "none"}),
        ("ga", {"mutation_rate": float("nan")}),
        ("aco", {"evaporation": True}),
        ("aco", {"climb": 1}),
        ("es-bucket", {"start": "random"}),
        ("de", {"population": 3}),
        ("de", {"ties": "yes"}),
        ("bioconsert", {"tie_penalty": 2}),
    ],
)
def test_refuses_settings_that_make_no_sense(name, setting):
    (key,) = setting
    with pytest.raises(SettingError, match=key):
        cc.aggregate(cc.generate.uniform(4, 3, seed=1), name, **setting)


@pytest.mark.parametrize("name", list(METHODS))
def test_every_method_names_its_source(name):
    assert METHODS[name].function().__doc__
    assert METHODS[name].effort in ("instant", "seconds", "until stopped", "until proven")


def test_huge_weights_are_refused_or_exact():
    data = cc.Rankings.from_orders([["a", "b", "c"], ["c", "a"]], weights=[2**55, 2**55])
    with pytest.raises(SettingError, match="too large"):
        cc.aggregate(data, "bioconsert", tie_penalty=0.123456)
    assert cc.aggregate(data, "bioconsert").verify(data)


def test_details_are_plain_values():
    data = cc.generate.mallows(6, 5, 0.5, seed=1)
    assert isinstance(cc.aggregate(data, "footrule").details["objective_value"], float)
    scores = cc.aggregate(data, "rrf").details["scores"]
    assert scores == sorted(scores, reverse=True)
    assert np.isfinite(scores).all()
