"""The front door: what it refuses, when it stops, what it returns."""

import itertools
import logging
from collections.abc import Callable, Iterator
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numba.core import event

from concordant import aggregation, stopping
from concordant.aggregation import aggregate, methods
from concordant.algorithms.registry import METHODS, Method, defaults, get, register
from concordant.algorithms.settings import MethodSettings
from concordant.consensus import Consensus
from concordant.errors import InputError, MethodError, SettingError
from concordant.generate import mallows
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.running import Run
from concordant.stopping import Progress
from strategies import brute_force, matrices, rankings

SMALL = Rankings.from_orders(
    [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], weights=[3, 2, 2], items="abc"
)


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable:
    """Add a method "mine" of the test's own to the registry."""

    def add(function: Callable[[Run, None], None], **facts: object) -> None:
        method = Method("mine", "for a test", "none:none", **facts)  # type: ignore[arg-type]
        monkeypatch.setitem(METHODS, "mine", method)
        monkeypatch.setattr(Method, "function", lambda self: function)

    return add


def endless(run: Run, settings: None) -> None:
    """Count generations for ever, on an order that is not optimal."""
    run.improve(np.arange(run.pairwise.n_items))
    while not run.stop():
        run.generations += 1
        run.iterations += 10


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"method": "bordo"}, "no method 'bordo'; choose from: auto, .*borda, .*copeland"),
            ({"method": None}, "no method None; choose from"),
            ({"method": ["auto"]}, "choose from"),
            (
                {"method": "schulze", "beta": 0.1},
                "'schulze' has no setting 'beta'; it has: strength",
            ),
            ({"method": "dk", "beta": 0.1}, "'dk' has no setting 'beta'; it has: none"),
            ({"method": "randomized-borda", "b": 1}, "no setting 'b'; it has: beta"),
            ({"method": "borda", "preset": "x"}, "'borda' has no preset 'x'; it has: none"),
            ({"method": "lads", "preset": "x"}, "'lads' has no preset 'x'; it has: 'paper'"),
            ({"method": "lads", "preset": []}, "it has: 'paper'"),
            ({"method": "randomized-borda", "beta": 2}, r"beta must lie between 0 and 0\.5"),
            ({"time_limit": -1}, "a time limit must be a number of at least 0, not -1"),
            ({"time_limit": "5"}, "a time limit must be a number"),
            ({"max_iterations": -1}, "an iteration limit must be"),
            ({"max_generations": float("nan")}, "a generation limit must be"),
            ({"target": "low"}, "a target must be a number, not 'low'"),
            ({"stop": 5}, r"stop must be a rule, such as stopping\.NoImprovement.* not 5"),
            ({"on_progress": 5}, "on_progress must be a function of a Progress, not 5"),
            ({"n_jobs": 0}, "n_jobs must be a number of threads, at least 1, or -1.*not 0"),
            ({"n_jobs": -2}, "n_jobs must be"),
            ({"n_jobs": 1.5}, "n_jobs must be"),
            ({"n_jobs": True}, "n_jobs must be"),
            ({"seed": -1}, "seed must be a whole number of at least 0, not -1"),
            ({"seed": None}, "seed must be a whole number"),
            ({"seed": 1.0}, "seed must be a whole number"),
            ({"seed": True}, "seed must be a whole number"),
        ],
    )
    def test_settings(self, options: dict, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forbid_counting(monkeypatch)
        with pytest.raises(SettingError, match=words):
            aggregate(SMALL, **options)

    @pytest.mark.parametrize(
        ("data", "words"),
        [
            ([["a", "b"], ["b", "a"]], r"must be a number, not text.*Rankings\.from_orders"),
            ("votes.soc", r"takes rankings, not a path: use concordant\.read\('votes\.soc'\)"),
            (Path("votes.soc"), r"not a path: use concordant\.read\('votes\.soc'\)"),
        ],
    )
    def test_what_to_do_with_data_of_another_kind(self, data: Any, words: str) -> None:
        with pytest.raises(InputError, match=words):
            aggregate(data)

    @pytest.mark.parametrize(
        ("initial", "words"),
        [
            (["a", "b", "z"], "initial: .*unknown item: 'z'"),
            (["a", "b", "b"], "initial: .*'b' twice"),
            (5, "initial: .*list of items"),
            (["a", ["b", "c"]], "initial: .*without ties"),
        ],
    )
    def test_initial(self, initial: object, words: str, monkeypatch: pytest.MonkeyPatch) -> None:
        self.forbid_counting(monkeypatch)
        with pytest.raises(InputError, match=words):
            aggregate(SMALL, initial=initial)  # type: ignore[arg-type]

    @staticmethod
    def forbid_counting(monkeypatch: pytest.MonkeyPatch) -> None:
        def count(*args: object, **options: object) -> None:
            raise AssertionError("work began before the settings were checked")

        monkeypatch.setattr(Pairwise, "from_rankings", count)

    @pytest.mark.parametrize(
        "data",
        [
            [["a", "b"], ["b", "a"]],
            [["a", "b"], ["b", "a"], ["a", "b"]],
            None,
            [[0, 1, 2], [1, 0, 2]],
            {"a": 1},
        ],
    )
    def test_data_of_another_kind(self, data: object) -> None:
        with pytest.raises(InputError, match=r"aggregate takes Rankings \(make them with"):
            aggregate(data)

    @pytest.mark.parametrize("method", [n for n, m in METHODS.items() if m.needs_rankings])
    def test_methods_that_need_rankings(self, method: str) -> None:
        for data in ([[0, 1], [2, 0]], Pairwise.from_rankings(SMALL)):
            with pytest.raises(SettingError, match="'auto' and 'borda' take a matrix"):
                aggregate(data, method)


class TestMethods:
    def test_are_listed_with_what_they_need(self) -> None:
        listed = methods()
        assert list(listed) == list(METHODS)
        assert listed["borda"].endswith("[instant]")
        assert "needs the rankings" in listed["extended-borda"]
        assert all("\n" not in line for line in listed.values())

    @pytest.mark.parametrize("name", list(METHODS))
    def test_load(self, name: str) -> None:
        method = get(name)
        assert callable(method.function())
        checked = method.make_settings({})
        if method.settings is None:
            assert checked is None
        else:
            assert set(defaults(type(checked))) <= set(type(checked).__dataclass_fields__)

    @pytest.mark.parametrize("name", list(METHODS))
    @given(data=rankings(max_items=5, max_rankings=4))
    def test_give_valid_results(self, name: str, data: Rankings) -> None:
        assume(data.is_complete or not get(name).needs_complete)
        result = aggregate(data, name, max_generations=3, max_iterations=2000, n_jobs=1)
        assert sorted(map(str, result.ranking)) == sorted(map(str, data.items))
        assert result.method == name
        assert result.verify(data)
        assert (result.n_items, result.n_rankings) == (data.n_items, data.n_rankings)
        assert (result.total_weight, result.unranked) == (data.total_weight, data.unranked)
        assert not result.interrupted

    @given(matrices(max_items=6))
    def test_auto_is_optimal_on_few_items(self, matrix: np.ndarray) -> None:
        result = aggregate(matrix)
        assert (result.cost, result.status) == (brute_force(matrix)[0], "optimal")
        assert (result.n_rankings, result.total_weight, result.unranked) == (None, None, None)

    @given(st.data())
    def test_order_of_the_rankings_changes_nothing(self, data: st.DataObject) -> None:
        votes = data.draw(rankings(max_items=5, kind="small"))
        told = [(buckets, weight) for buckets, weight in votes]
        turned = data.draw(st.permutations(told))
        other = Rankings.from_orders(
            [buckets for buckets, _ in turned],
            weights=[weight for _, weight in turned],
            items=votes.items,
            unranked=votes.unranked,
        )
        for name in ("auto", "borda", "extended-borda", "copeland"):
            assert aggregate(other, name).ranking == aggregate(votes, name).ranking


class TestInitial:
    @given(st.data(), st.sampled_from(["auto", "borda", "copeland", "lads", "pick-a-ranking"]))
    def test_the_answer_is_never_worse(self, data: st.DataObject, method: str) -> None:
        votes = data.draw(rankings(max_items=6, max_rankings=4))
        order = data.draw(st.permutations(votes.items))
        result = aggregate(votes, method, initial=order, max_iterations=500)
        assert result.cost <= Pairwise.from_rankings(votes).cost(order)

    def test_a_result_can_be_the_start(self) -> None:
        best = aggregate(SMALL)
        assert aggregate(SMALL, "borda", initial=best).ranking == best.ranking

    def test_a_result_from_a_file_can_be_the_start(self, tmp_path: object) -> None:
        data = Rankings.from_orders([[((1, 2),), ((3, 4),)]])
        best = aggregate(data)
        best.save(tmp_path / "r.json")  # type: ignore[operator]
        again = Consensus.load(tmp_path / "r.json")  # type: ignore[operator]
        assert again.ranking == ("(1, 2)", "(3, 4)")
        assert aggregate(data, "borda", initial=again).ranking == ((1, 2), (3, 4))

    def test_is_kept_where_the_method_finds_nothing_better(self) -> None:
        # Borda's order of a cycle costs more than the best.
        data = Rankings.from_orders([["a", "b", "c"], ["b", "c", "a"]], weights=[1, 1])
        best = aggregate(data).ranking
        assert aggregate(data, "borda", initial=best).cost == aggregate(data).cost


class TestStopping:
    def test_rules_combine_by_or(self, install: Callable) -> None:
        install(endless)
        assert aggregate(SMALL, "mine", max_generations=7).generations == 7
        assert aggregate(SMALL, "mine", max_iterations=50).iterations == 50
        both = aggregate(SMALL, "mine", max_generations=7, max_iterations=50, time_limit=1e9)
        assert (both.generations, both.iterations) == (5, 50)
        own = aggregate(SMALL, "mine", stop=stopping.NoImprovement(4), max_generations=9)
        assert own.generations == 4
        function = aggregate(SMALL, "mine", stop=lambda progress: progress.generations > 2)
        assert function.generations == 3
        joined = stopping.MaxGenerations(3) & stopping.MaxIterations(60)
        assert aggregate(SMALL, "mine", stop=joined).generations == 6

    def test_target(self, install: Callable) -> None:
        install(endless)
        assert aggregate(SMALL, "mine", target=8, max_generations=5).generations == 0
        assert aggregate(SMALL, "mine", target=7, max_generations=5).generations == 5

    def test_a_proof_stops(self, install: Callable) -> None:
        def proves(run: Run, settings: None) -> None:
            run.improve(np.array([0, 1, 2]))
            while not run.stop():
                run.generations += 1
                if run.generations == 3:
                    run.raise_bound(8)

        install(proves)
        result = aggregate(SMALL, "mine")
        assert (result.status, result.generations, result.lower_bound) == ("optimal", 3, 8)

    def test_time_limit_of_zero(self, install: Callable) -> None:
        install(endless)
        assert aggregate(SMALL, "mine", time_limit=0).generations == 0
        assert aggregate(mallows(30, 9, 0.001, seed=1), time_limit=0).status == "feasible"

    def test_only_endless_methods_get_a_limit_of_their_own(self) -> None:
        def rule(method: Method, **given: object) -> object:
            facts = dict.fromkeys(
                ("time_limit", "target", "max_iterations", "max_generations", "stop")
            )
            facts["seconds"] = aggregation.DEFAULT_SECONDS
            return aggregation._rule(method, **{**facts, **given})  # type: ignore[arg-type]

        late = Progress(aggregation.DEFAULT_SECONDS, 0, 0, 0, 10, 5)
        until_stopped = Method("x", "", "", effort="until stopped")
        assert rule(until_stopped)(late)
        assert rule(until_stopped, target=3)(late)
        assert not rule(until_stopped, max_generations=5)(late)
        assert not rule(until_stopped, time_limit=11)(late)
        assert rule(Method("x", "", "")) is None

    def test_the_clock_does_not_count_compilation(
        self, install: Callable, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = SimpleNamespace(value=1000.0)
        monkeypatch.setattr(aggregation.time, "perf_counter", lambda: now.value)
        seen: list[Progress] = []

        def compiles(run: Run, settings: None) -> None:
            run.improve(np.array([0, 1, 2]))
            now.value += 2
            with event.trigger_event("numba:compile"):
                now.value += 64
                assert run.elapsed == 2
            now.value += 4
            assert not run.stop()
            now.value += 8
            assert run.stop()

        install(compiles)
        result = aggregate(SMALL, "mine", time_limit=14, on_progress=seen.append)
        assert result.elapsed == 14
        assert seen[0].phase == "compile"
        assert [progress.elapsed for progress in seen[1:]] == [6, 14, 14]


class TestProgress:
    def test_is_reported_at_the_end_at_least(self) -> None:
        seen: list[Progress] = []
        result = aggregate(SMALL, "borda", on_progress=seen.append)
        last = seen[-1]
        assert (last.cost, last.lower_bound, last.phase) == (8, 7, "search")
        assert last.cost == result.cost

    def test_is_reported_between(self, install: Callable, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("concordant.running._SECONDS_BETWEEN_REPORTS", 0.0)
        install(endless)
        seen: list[Progress] = []
        aggregate(SMALL, "mine", max_generations=5, on_progress=seen.append)
        searching = [progress for progress in seen if progress.phase == "search"]
        assert [progress.generations for progress in searching] == [0, 1, 2, 3, 4, 5, 5]

    def test_an_error_in_the_callback_is_raised(self) -> None:
        def fail(progress: Progress) -> None:
            raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            aggregate(SMALL, "borda", on_progress=fail)


class TestInterrupt:
    @pytest.fixture(autouse=True)
    def report_always(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("concordant.running._SECONDS_BETWEEN_REPORTS", 0.0)

    @pytest.mark.parametrize("method", ["auto", "lads", "her", "insertion", "pick-a-ranking"])
    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_returns_the_best_so_far(self, method: str, n_jobs: int) -> None:
        data = mallows(25, 12, 0.001, seed=3)
        costs = []

        def interrupt(progress: Progress) -> None:
            if progress.phase == "search":
                costs.append(progress.cost)
                if len(costs) == 2:
                    raise KeyboardInterrupt

        result = aggregate(data, method, on_progress=interrupt, n_jobs=n_jobs)
        assert result.interrupted
        assert result.cost <= costs[-1]
        assert result.verify(data)

    def test_at_the_last_report(self) -> None:
        def interrupt(progress: Progress) -> None:
            raise KeyboardInterrupt

        aggregate(SMALL, "borda")
        result = aggregate(SMALL, "borda", on_progress=interrupt)
        assert result.interrupted
        assert result.cost == 8

    def test_without_any_ranking_it_is_passed_on(self, install: Callable) -> None:
        def interrupted(run: Run, settings: None) -> None:
            raise KeyboardInterrupt

        install(interrupted)
        with pytest.raises(KeyboardInterrupt):
            aggregate(SMALL, "mine")
        # With a start there is a ranking to return.
        result = aggregate(SMALL, "mine", initial=["c", "b", "a"])
        assert (result.ranking, result.interrupted) == (("c", "b", "a"), True)

    def test_threads_end(self, install: Callable) -> None:
        runs = []

        def threaded(run: Run, settings: None) -> None:
            runs.append(run)
            run.improve(np.array([0, 1, 2]))
            run.in_parallel([lambda: None] * 3)
            raise KeyboardInterrupt

        install(threaded)
        aggregate(SMALL, "mine", n_jobs=2)
        with pytest.raises(RuntimeError, match="after shutdown"):
            runs[0].in_parallel([lambda: None] * 3)


class TestMethodsFromOutside:
    """Whatever a registered method does, the result is not false."""

    @pytest.fixture
    def outside(self) -> Iterator[Callable]:
        def add(function: Callable) -> None:
            register(Method("from-outside", "for a test", function))

        yield add
        METHODS.pop("from-outside", None)

    @pytest.mark.parametrize(
        ("order", "message"),
        [
            ([0] * 3, "each of the item indices 0 to 2 once, but the method offered .0, 0, 0."),
            ([0, 1], "offered .0, 1."),
            ([0, 1, 3], "offered .0, 1, 3."),
            ([-1, 0, 1], "offered .-1, 0, 1."),
            ([0.0, 1.0, 2.0], "offered .0.0, 1.0, 2.0."),
            ([[0], [1, 2]], "offered"),
            ("abc", "offered 'abc'"),
        ],
    )
    @pytest.mark.parametrize("cost", [None, 0])
    def test_an_invalid_order(
        self, outside: Callable, order: Any, message: str, cost: int | None
    ) -> None:
        outside(lambda run, settings: run.improve(order, cost))
        with pytest.raises(MethodError, match=f"'from-outside': an order must hold .*{message}"):
            aggregate(SMALL, "from-outside")

    def test_no_order(self, outside: Callable) -> None:
        outside(lambda run, settings: None)
        with pytest.raises(MethodError, match="it returned without an order"):
            aggregate(SMALL, "from-outside")

    def test_a_false_bound_is_not_used(self, outside: Callable) -> None:
        def boasts(run: Run, settings: None) -> None:
            run.improve([2, 1, 0])
            run.raise_bound(10**6)

        outside(boasts)
        with pytest.warns(UserWarning, match="'from-outside' reported a lower bound without"):
            result = aggregate(SMALL, "from-outside")
        assert result.status == "feasible"
        assert result.lower_bound <= aggregate(SMALL).cost < result.cost
        assert result.trace[-1][3] <= result.lower_bound
        assert result.verify(SMALL)

    def test_a_proven_bound_is_used(self, outside: Callable) -> None:
        from concordant.solver.auto import AutoSettings, auto

        outside(lambda run, settings: auto(run, AutoSettings()))
        assert aggregate(mallows(8, 5, 0.01, seed=1), "from-outside").status == "optimal"

    def test_interrupted_with_a_wrong_cost(self, outside: Callable) -> None:
        def lies(run: Run, settings: None) -> None:
            run.improve([2, 1, 0], 0)
            raise KeyboardInterrupt

        outside(lies)
        with pytest.raises(MethodError, match="reported cost 0"):
            aggregate(SMALL, "from-outside")


def test_the_settings_of_all_methods_are_known_to_type_checkers() -> None:
    known = set(MethodSettings.__optional_keys__)
    used = {
        field.name
        for method in METHODS.values()
        if method.settings is not None
        for field in fields(type(method.make_settings({})))
    }
    assert known == used


class TestResult:
    def test_a_wrong_cost_of_a_method_is_not_passed_on(self, install: Callable) -> None:
        install(lambda run, settings: run.improve(np.array([0, 1, 2]), 3))
        with pytest.raises(
            MethodError, match="'mine': it reported cost 3 for an order that costs 8"
        ):
            aggregate(SMALL, "mine")

    def test_buckets(self, install: Callable) -> None:
        def ties(run: Run, settings: None) -> None:
            run.improve(np.array([0, 1, 2]))
            run.buckets = [[0], [1, 2]]

        install(ties)
        assert aggregate(SMALL, "mine").buckets == (("a",), ("b", "c"))

    def test_settings_and_seed_are_kept(self) -> None:
        result = aggregate(SMALL, "randomized-borda", seed=np.int64(3), beta=0.3)
        assert (result.settings, result.seed) == ({"beta": 0.3}, 3)
        assert type(result.seed) is int

    def test_trace_goes_one_way_and_ends_at_the_result(self) -> None:
        result = aggregate(mallows(40, 15, 0.001, seed=2), max_generations=50)
        assert result.trace
        for before, after in itertools.pairwise(result.trace):
            assert after[0] >= before[0]
            assert after[1] >= before[1]
            assert after[2] <= before[2]
            assert after[3] >= before[3]
        assert result.trace[-1][2:] == (result.cost, result.lower_bound)

    @pytest.mark.parametrize("method", ["auto", "her", "lads"])
    def test_the_same_seed_on_one_and_two_threads(self, method: str) -> None:
        data = mallows(25, 9, 0.01, seed=5)
        facts = [
            (result.ranking, result.cost, result.iterations, result.generations)
            for n_jobs in (1, 2, np.int64(1), -1)
            for result in [
                aggregate(
                    data, method, seed=7, n_jobs=n_jobs, max_generations=4, max_iterations=10**5
                )
            ]
        ]
        assert facts[0] == facts[1] == facts[2] == facts[3]

    def test_decimal_weights(self) -> None:
        data = Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[0.1, 0.2])
        result = aggregate(data)
        assert (result.ranking, result.cost, result.total_weight) == (("b", "a"), 0.1, 0.3)

    def test_compiling_is_logged(self, install: Callable, caplog: pytest.LogCaptureFixture) -> None:
        def compiles(run: Run, settings: None) -> None:
            numba.njit(lambda x: x + 1)(1)
            run.improve(np.array([0, 1, 2]))

        install(compiles)
        with caplog.at_level(logging.INFO, "concordant"):
            aggregate(SMALL, "mine")
        assert caplog.messages == ["compiling kernels, once per machine"]
