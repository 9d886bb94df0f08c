"""`compare` runs what it is asked to, and its numbers are those of the runs."""

import csv
import io
import json
import sys

import pytest
from hypothesis import given, settings

import concordant as cc
from concordant.errors import SettingError
from strategies import rankings

METHODS = ["borda", "copeland", "kwiksort", "hc", "auto"]


@pytest.fixture(scope="module")
def data():
    return cc.generate.mallows(12, 15, 0.05, seed=1)


def test_rows_sum_up_runs(data):
    found = cc.compare(data, METHODS, time_limit=1, repeats=3, seed=5)
    assert {row.method for row in found.rows} == set(METHODS)
    costs = [cc.aggregate(data, "kwiksort", seed=seed).cost for seed in (5, 6, 7)]
    row = next(row for row in found.rows if row.method == "kwiksort")
    assert row.cost == pytest.approx(sum(costs) / 3)
    assert row.best_cost == min(costs)
    assert row.runs == 3
    assert row.distance == pytest.approx(row.cost / 15)
    assert row.gap == pytest.approx((row.cost - found.lower_bound) / row.cost)
    assert [row.cost for row in found.rows] == sorted(row.cost for row in found.rows)
    best = min(found.rows, key=lambda row: row.best_cost)
    assert found.cost == best.best_cost
    assert cc.Pairwise.from_rankings(data).cost(found.ranking) == found.cost


@given(rankings(kind="small"))
@settings(max_examples=15)
def test_every_bound_is_below_every_cost(data):
    found = cc.compare(data, ["borda", "css"], time_limit=0.05)
    for row in found.rows:
        assert row.best_cost >= found.lower_bound
        assert (row.status == "optimal") == (row.best_cost == found.lower_bound)
        assert 0 <= row.gap <= 1


def test_one_method_at_a_time_or_several_give_the_same(data):
    options = {"time_limit": 5, "repeats": 2}
    methods = ["borda", "kwiksort", "ils", "ga"]
    one = cc.compare(data, methods, n_jobs=1, **options)
    several = cc.compare(data, methods, n_jobs=2, **options)
    assert {(row.method, row.cost, row.best_cost) for row in one.rows} == {
        (row.method, row.cost, row.best_cost) for row in several.rows
    }


def test_all_methods_that_can(data):
    found = cc.compare(data, time_limit=0.2)
    assert {row.method for row in found.rows} == set(cc.methods())
    assert not found.skipped
    partial = cc.Rankings.from_orders([["a", "b"], ["b", "c"]])
    found = cc.compare(partial, time_limit=0.2)
    assert set(found.skipped) == {"footrule"}
    found = cc.compare([[0, 2, 1], [1, 0, 2], [2, 1, 0]], time_limit=0.2)
    assert {"footrule", "rrf", "plackett-luce", "de"} <= set(found.skipped)
    assert all(row.distance is None for row in found.rows)


def test_refuses_before_any_run(data):
    ran = []
    partial = cc.Rankings.from_orders([["a", "b"], ["b", "c"]])
    for given_data, methods, options, words in (
        (partial, ["borda", "footrule"], {}, "needs complete rankings"),
        ([[0, 1], [2, 0]], ["rrf"], {}, "needs the rankings"),
        (data, ["borda", "boda"], {}, "no method 'boda'"),
        (data, "borda", {}, "list of names"),
        (data, [], {}, "at least one method to compare"),
        (data, None, {"repeats": 0}, "repeats"),
        (data, None, {"n_jobs": 0}, "n_jobs"),
    ):
        with pytest.raises(SettingError, match=words):
            cc.compare(given_data, methods, on_progress=lambda *step: ran.append(step), **options)
    assert not ran


def test_progress_counts_up(data):
    steps = []
    cc.compare(
        data, ["auto", "borda"], time_limit=0.2, repeats=2, on_progress=lambda *s: steps.append(s)
    )
    names = [name for _, _, name in steps]
    assert {"auto", "borda"} <= set(names)
    assert [finished for finished, _, _ in steps] == list(range(len(steps)))
    assert {total for _, total, _ in steps} == {len(steps)}


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_interrupt_keeps_what_is_known(data, n_jobs):
    def interrupt(finished, total, name):
        if finished >= 1:
            raise KeyboardInterrupt

    found = None
    try:
        found = cc.compare(data, METHODS, time_limit=0.2, n_jobs=n_jobs, on_progress=interrupt)
    except KeyboardInterrupt:
        pytest.fail("the interrupt was not caught")
    assert found.interrupted
    # Runs that are under way on other threads end, and count.
    assert 1 <= len(found.rows) <= len(METHODS)


def test_json_and_csv(data):
    found = cc.compare(data, ["borda", "css"], time_limit=0.2)
    facts = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert [row["method"] for row in facts["rows"]] == [row.method for row in found.rows]
    table = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [float(row["cost"]) for row in table] == [row.cost for row in found.rows]


def test_plot(data, tmp_path):
    pytest.importorskip("matplotlib")
    found = cc.compare(data, METHODS, time_limit=0.2)
    axes = found.plot()
    assert len(axes.get_yticklabels()) == len(METHODS)
    found.save_plot(tmp_path / "bars.png")
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(SettingError, match=r"ends in .*\.png"):
        found.save_plot(tmp_path / "bars.doc")


def test_plot_without_matplotlib_says_what_to_install(data, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    found = cc.compare(data, ["borda"], time_limit=0.2)
    with pytest.raises(SettingError, match="'plot' extra"):
        found.plot()


def test_one_item():
    found = cc.compare(cc.Rankings.from_orders([["a"]]), ["borda", "auto"])
    assert [row.tau for row in found.rows] == [None, None]
    assert found.cost == 0
