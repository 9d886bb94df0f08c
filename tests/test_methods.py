"""What every method must do: take all input it says it takes, repeat itself, keep to its limits."""

import json
import sys
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant import running
from concordant.algorithms import markov, scoring
from concordant.algorithms.registry import EFFORTS, METHODS, Method, register
from concordant.cli import terminal
from concordant.errors import SettingError
from looks import looked
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
@settings(max_examples=100)
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
@settings(max_examples=60)
def test_takes_any_matrix_or_says_what_it_needs(matrix, name):
    pairs = cc.Pairwise.from_matrix(matrix)
    assert run(pairs, name).verify(pairs)


@pytest.mark.parametrize("name", [name for name in METHODS if METHODS[name].needs_rankings])
def test_refuses_a_matrix_with_what_to_use_instead(name):
    with pytest.raises(SettingError, match=r"needs the rankings.*'auto' and 'borda'"):
        cc.aggregate([[0, 1], [2, 0]], name)


@given(rankings(min_items=2, kind="small"), ALL, st.randoms(use_true_random=False))
@settings(max_examples=40)
def test_never_worse_than_the_initial_ranking(data, name, random):
    if METHODS[name].needs_complete and not data.is_complete:
        return
    initial = list(data.items)
    random.shuffle(initial)
    cost = cc.Pairwise.from_rankings(data).cost(initial)
    assert run(data, name, initial=initial).cost <= cost


@pytest.mark.parametrize("name", list(METHODS))
@pytest.mark.parametrize("limit", [1, 3, 10])
def test_ends_when_stop_is_true(name, limit):
    data = cc.generate.mallows(120, 40, 0.001, seed=1)
    run, looks = looked(name, data, limit)
    # A few looks more, where several loops lie inside each other.
    assert looks <= limit + 8
    assert sorted(run.order.tolist()) == list(range(120))


@pytest.mark.parametrize("name", list(METHODS))
def test_answers_at_once_when_there_is_no_time(name):
    data = cc.generate.mallows(30, 10, 0.01, seed=1)
    assert cc.aggregate(data, name, time_limit=0).verify(data)


@pytest.fixture
def many(monkeypatch):
    """Few items that are treated as many: counted late, in blocks, with limits in between."""
    monkeypatch.setattr(running, "_counted_at_once", ContextVar("counted", default=10))
    monkeypatch.setattr(scoring, "LARGE", 10)
    monkeypatch.setattr(markov, "_CHAIN", 10)
    return cc.generate.mallows(40, 7, 0.001, seed=1)


@pytest.mark.parametrize("name", list(METHODS))
def test_out_of_time_nothing_is_counted(name, many, monkeypatch):
    def count(*args, **options):
        raise AssertionError("counting has begun")

    monkeypatch.setattr(cc.Pairwise, "from_rankings", count)
    run, _ = looked(name, many, 1)
    assert sorted(run.order.tolist()) == list(range(40))
    if name in ("es-bucket", "de", "bioconsert"):
        assert run.buckets == [[a] for a in run.order.tolist()]


# What each method does first once the pairs are counted, and takes long with many items.
HEAVY = {
    **dict.fromkeys(["hc", "ils", "vns", "grasp", "lahc"], "local.Climber"),
    **dict.fromkeys(["schulze", "ranked-pairs"], "condorcet.strengths"),
    **dict.fromkeys(["de", "bioconsert"], "buckets.weight_together"),
    "es-bucket": "es_bucket.weight_together",
    "bnb": "bnb.Parts",
    "dk": "dk.Parts",
    "her": "her.LadsSearch",
    "lads": "lads.LadsSearch",
    "insertion": "insertion.PartOrders",
    "copeland": "scoring.mirrored",
    "css": "css.margins_of",
    "kwiksort": "kwiksort.margins_of",
    "mc4": "markov.margins_of",
    "ga": "genetic.margins_of",
    "aco": "ants.Climber",
}


@pytest.mark.parametrize("name", list(HEAVY))
def test_out_of_time_after_counting_the_answer_is_bordas(name, many, monkeypatch):
    def work(*args, **options):
        raise AssertionError("set-up has begun")

    monkeypatch.setattr(f"concordant.algorithms.{HEAVY[name]}", work)
    run, looks = looked(name, many, 2)
    assert looks == 2
    assert run.is_counted
    assert run.order.tolist() == looked("borda", many)[0].order.tolist()


@pytest.mark.parametrize("name", list(HEAVY))
def test_ctrl_c_while_pairs_are_counted_leaves_bordas_order(name, many, monkeypatch):
    def interrupt(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(cc.Pairwise, "from_rankings", interrupt)
    result = cc.aggregate(many, name)
    assert result.interrupted
    assert result.ranking == cc.aggregate(many, "borda").ranking


@pytest.mark.parametrize(
    "name",
    ["copeland", "schulze", "ranked-pairs", "mc4", "css", "grasp", "dk", "es-bucket", "de"],
)
@pytest.mark.parametrize("complete", [True, False])
def test_set_up_in_blocks_is_the_same(name, complete, many, monkeypatch):
    data = many if complete else cc.generate.partial(many, drop=0.3, same_bucket=0.3, seed=1)
    limit = {"max_iterations": 30} if name in ("dk", "grasp", "es-bucket", "de") else {}
    expected = cc.aggregate(data, name, **limit)
    monkeypatch.setattr("concordant.pairwise._BLOCK", 4)
    monkeypatch.setattr(markov, "_BLOCK", 4)
    monkeypatch.setattr(scoring, "_SCANNED", 100)
    monkeypatch.setattr("concordant.algorithms.dk._SORTED", 50)
    monkeypatch.setattr("concordant.algorithms.css._SLICE", 50)
    monkeypatch.setattr("concordant.algorithms.buckets._SLICE", 50)
    asked = []
    found = cc.aggregate(data, name, **limit, stop=lambda p: bool(asked.append(p)))
    assert (found.ranking, found.buckets, found.details) == (
        expected.ranking,
        expected.buckets,
        expected.details,
    )
    assert len(asked) > 9
    for looks in (3, 5, 8):
        cut, again = looked(name, data, looks)
        assert sorted(cut.order.tolist()) == list(range(40))
        assert again <= looks + 8


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
    assert METHODS[name].effort in EFFORTS


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


@dataclass
class ShiftSettings:
    """Settings of the method of these tests.

    Attributes:
        by: How many places everything is shifted.
    """

    by: int = 1


def shifted(run, settings):
    """Shift all items round, for a method from outside the package."""
    run.improve(np.roll(np.arange(run.pairwise.n_items), settings.by))


@pytest.fixture
def outside():
    """Take methods that a test adds out again."""
    before = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(before)


@pytest.mark.parametrize("by_name", [False, True])
@pytest.mark.usefixtures("outside")
def test_a_method_from_outside_is_one_of_all(by_name, tmp_path, monkeypatch, capsys):
    where, settings = shifted, ShiftSettings
    if by_name:
        package = tmp_path / "theirs"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "shifts.py").write_text(
            "from dataclasses import dataclass\n"
            "import numpy as np\n"
            "@dataclass\n"
            "class Settings:\n"
            "    by: int = 1\n"
            "def shifted(run, settings):\n"
            "    run.improve(np.roll(np.arange(run.pairwise.n_items), settings.by))\n"
        )
        monkeypatch.syspath_prepend(tmp_path)
        where, settings = "theirs.shifts:shifted", "theirs.shifts:Settings"
    method = Method("shifted", "the items, shifted round", where, settings=settings, ours="all")
    assert register(method) is method
    assert cc.methods()["shifted"] == "the items, shifted round [instant]"
    data = cc.Rankings.from_orders([list("abc"), list("bca")], items="abc")
    result = cc.aggregate(data, "shifted", by=2)
    assert result.ranking == tuple("bca")
    assert result.method == "shifted"
    assert result.settings == {"by": 2}
    assert result.verify(data)
    found = cc.compare(data, ["shifted", "borda"])
    assert {row.method for row in found.rows} == {"shifted", "borda"}
    assert "shifted" in {row.method for row in cc.compare(data, time_limit=0.05).rows}
    with pytest.raises(SettingError, match="no setting 'to'; it has: by"):
        cc.aggregate(data, "shifted", to=2)
    terminal.show_method(method, sys.stdout)
    shown = capsys.readouterr().out
    assert "differs from the source: all" in shown


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"name": "borda"}, "a method 'borda' already"),
        ({"name": "My Method"}, "lower-case letters, digits and hyphens"),
        ({"summary": "two\nlines"}, "summary must be one line"),
        ({"summary": ""}, "summary must be one line"),
        ({"effort": "a while"}, "effort must be one of 'instant'"),
        ({"where": "shifts:shifted"}, r"where must be the object itself or 'package\.module:name'"),
        ({"where": "theirs.shifts.shifted"}, "where must be"),
        ({"where": 3}, "where must be"),
        ({"settings": int}, "settings must be a dataclass"),
        ({"settings": "Settings"}, "settings must be the object itself"),
    ],
)
@pytest.mark.usefixtures("outside")
def test_entries_that_would_not_work_are_refused(facts, words):
    given = {"name": "shifted", "summary": "shifts", "where": shifted, **facts}
    before = dict(METHODS)
    with pytest.raises(SettingError, match=words):
        register(Method(**given))
    assert before == METHODS


@pytest.mark.parametrize(
    "name", ["bnb", "dk", "aco", "hc", "ils", "vns", "grasp", "es-bucket", "ga", "ranked-pairs"]
)
def test_methods_after_a_source_say_so_and_what_is_ours(name, capsys):
    assert "after" in METHODS[name].summary
    assert "as published" not in METHODS[name].summary
    terminal.show_method(METHODS[name], sys.stdout)
    shown = " ".join(capsys.readouterr().out.split())
    assert f"differs from the source: {METHODS[name].ours}" in shown
    assert METHODS[name].ours
