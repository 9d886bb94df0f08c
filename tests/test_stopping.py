"""Stopping rules, progress, and the run that asks them."""

import itertools
import math
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant import running
from concordant.errors import SettingError
from concordant.pairwise import Pairwise
from concordant.running import Run
from concordant.stopping import (
    MaxGenerations,
    MaxIterations,
    MaxTime,
    NoImprovement,
    Progress,
    Rule,
    Target,
    reads_clock,
    relative_gap,
)


def state(**changes: object) -> Progress:
    facts = {
        "elapsed": 0.0,
        "iterations": 0,
        "generations": 0,
        "idle_generations": 0,
        "cost": 100,
        "lower_bound": 90,
    }
    return Progress(**{**facts, **changes})  # type: ignore[arg-type]


class TestRules:
    @pytest.mark.parametrize(
        ("rule", "field", "before", "at"),
        [
            (MaxTime(2.5), "elapsed", 2.49, 2.5),
            (MaxIterations(10), "iterations", 9, 10),
            (MaxGenerations(3), "generations", 2, 3),
            (NoImprovement(4), "idle_generations", 3, 4),
            (Target(50), "cost", 51, 50),
            (Target(50), "cost", None, -1),
        ],
    )
    def test_stop_at_their_limit(self, rule: Rule, field: str, before: object, at: object) -> None:
        assert not rule(state(**{field: before}))
        assert rule(state(**{field: at}))

    @given(st.lists(st.booleans(), min_size=3, max_size=3))
    def test_combine(self, answers: list[bool]) -> None:
        a, b, c = (Rule(lambda progress, answer=answer: answer) for answer in answers)
        now = state()
        x, y, z = answers
        assert (a | b)(now) == (x or y)
        assert (a & b)(now) == (x and y)
        assert (a & b | c)(now) == ((x and y) or z)
        assert (a | b & c)(now) == (x or (y and z))

    def test_combine_with_a_function(self) -> None:
        rule = MaxIterations(5) | (lambda progress: progress.cost < 80)
        assert rule(state(cost=70))
        assert not rule(state())
        with pytest.raises(TypeError):
            MaxIterations(5) | 3  # type: ignore[operator]
        with pytest.raises(TypeError):
            MaxIterations(5) & None  # type: ignore[operator]

    @pytest.mark.parametrize("make", [MaxTime, MaxIterations, MaxGenerations, NoImprovement])
    @pytest.mark.parametrize("value", [-1, -0.1, math.nan, "5", None, True, [1]])
    def test_limits_are_numbers_of_at_least_zero(self, make: object, value: object) -> None:
        with pytest.raises(SettingError, match=r"limit.* must be a number of at least 0, not"):
            make(value)  # type: ignore[operator]

    @pytest.mark.parametrize("value", [0, 2, 0.5, math.inf, np.int64(3), np.float32(1.5)])
    def test_limits_of_any_kind_of_number(self, value: float) -> None:
        assert not MaxTime(value)(state(elapsed=value - 1e-6 if value < math.inf else 1e99))
        assert MaxTime(value)(state(elapsed=value))

    @pytest.mark.parametrize("value", [math.nan, "5", None, True])
    def test_targets_are_numbers(self, value: object) -> None:
        with pytest.raises(SettingError, match="a target must be a number, not"):
            Target(value)  # type: ignore[arg-type]
        assert Target(np.int64(-3))(state(cost=-3))


class TestGap:
    @given(st.integers(-100, 100), st.integers(0, 100))
    def test_is_finite_and_zero_only_when_closed(self, bound: int, above: int) -> None:
        gap = relative_gap(bound + above, bound)
        assert math.isfinite(gap)
        assert (gap == 0) == (above == 0)
        if bound > 0:
            assert gap == above / (bound + above)

    def test_of_a_progress(self) -> None:
        assert state().gap == 0.1
        assert state(cost=90).gap == 0.0
        assert state(cost=None).gap is None
        assert state(lower_bound=None).gap is None
        assert state(cost=0, lower_bound=-5).gap == 1.0


def cycle(**options: object) -> Run:
    """Make a run on three items in a cycle: the bound of the pairs is not reached."""
    pairs = Pairwise.from_matrix([[0, 2, 1], [1, 0, 2], [2, 1, 0]])
    return Run(pairs, **options)  # type: ignore[arg-type]


class TestRun:
    def test_keeps_the_best(self) -> None:
        run = cycle()
        assert run.order is None
        assert run.cost is None
        assert run.improve(np.array([2, 1, 0]))
        assert run.cost == 5
        assert not run.improve(np.array([1, 0, 2]))
        order = np.array([0, 1, 2])
        assert run.improve(order)
        order[:] = 0
        assert (run.order.tolist(), run.cost) == ([0, 1, 2], 4)
        assert not run.is_optimal
        run.raise_bound(2)
        assert run.lower_bound == 3
        run.raise_bound(4)
        assert run.is_optimal
        assert run.stop()

    def test_starts_from_the_initial_order(self) -> None:
        run = cycle(initial=np.array([1, 2, 0]))
        assert (run.order.tolist(), run.cost) == ([1, 2, 0], 4)

    def test_streams_are_different(self) -> None:
        draws = {
            tuple(run.rng(*stream).integers(0, 2**62, 2).tolist())
            for run in (cycle(seed=0), cycle(seed=1))
            for stream in ((), (0, 1), (1,), (2,))
        }
        assert len(draws) == 8
        assert cycle(seed=5).rng(3).random() == cycle(seed=5).rng(3).random()

    def test_asks_its_rule(self) -> None:
        seen = []
        run = cycle(rule=Rule(lambda progress: bool(seen.append(progress)) or len(seen) == 3))
        assert [run.stop(), run.stop(), run.stop()] == [False, False, True]
        run.generations = 7
        run.improve(np.array([0, 1, 2]))
        run.generations = 9
        run.stop()
        assert seen[-1].idle_generations == 2
        assert (seen[0].cost, seen[-1].cost, seen[-1].lower_bound) == (None, 4, 3)

    def test_reports_at_most_ten_times_a_second(self) -> None:
        clock = itertools.count()
        seen: list[Progress] = []
        # A clock that advances by 10 ms at each reading.
        run = cycle(on_progress=seen.append, clock=lambda: next(clock) / 100)
        for _ in range(200):
            run.stop()
        times = [progress.elapsed for progress in seen]
        assert len(times) > 5
        assert min(np.diff(times)) >= 0.1 - 1e-9
        run.report()
        assert len(seen) == len(times) + 1

    def test_trace_is_bounded_and_goes_one_way(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(running, "_TRACE", 10)
        run = Run(Pairwise.from_matrix(np.zeros((2, 2), int)))
        for step in range(100):
            run.iterations = step
            run.improve(np.array([0, 1]), 1000 - step)
            run.raise_bound(step)
        assert len(run.trace) <= 10
        iterations = [point[1] for point in run.trace]
        assert iterations == sorted(iterations)
        assert iterations[0] == 0
        assert run.trace[-1][1:] == (99, 901, 99)
        for before, after in itertools.pairwise(run.trace):
            assert after[0] >= before[0]
            assert after[2] <= before[2]
            assert after[3] >= before[3]

    def test_bounds_before_the_first_order_are_in_its_point(self) -> None:
        run = cycle()
        run.raise_bound(4)
        assert run.trace == []
        run.improve(np.array([0, 1, 2]))
        assert [point[2:] for point in run.trace] == [(4, 4)]

    @pytest.mark.parametrize("n_jobs", [1, 2])
    def test_tasks_keep_their_order(self, n_jobs: int) -> None:
        run = cycle(n_jobs=n_jobs)
        names = set()

        def task(k: int) -> int:
            names.add(threading.current_thread().name)
            return k * k

        tasks = [lambda k=k: task(k) for k in range(20)]
        assert run.in_parallel(tasks) == [k * k for k in range(20)]
        assert ("MainThread" in names) == (n_jobs == 1)
        run.close()

    def test_an_error_in_a_task_is_raised(self) -> None:
        run = cycle(n_jobs=2)
        with pytest.raises(ZeroDivisionError):
            run.in_parallel([lambda: 1, lambda: 1 // 0])
        run.close()


class TestTheClock:
    @pytest.mark.parametrize(
        ("rule", "reads"),
        [
            (MaxTime(2), True),
            (MaxIterations(2) | MaxGenerations(1), False),
            (NoImprovement(3) & Target(4), False),
            (MaxIterations(2) & MaxTime(1), True),
            (MaxIterations(2) | (lambda progress: False), True),
            (lambda progress: False, True),
            (Rule(lambda progress: False, reads_clock=False), False),
        ],
    )
    def test_a_rule_says_whether_it_reads_it(self, rule: Rule, reads: bool) -> None:
        assert reads_clock(rule) is reads
        pairs = Pairwise.from_matrix([[0, 1], [2, 0]])
        if isinstance(rule, Rule):
            assert Run(pairs, rule=rule).repeatable is not reads

    def test_a_run_without_rules_is_not_bound_to_counts(self) -> None:
        assert not Run(Pairwise.from_matrix([[0, 1], [2, 0]])).repeatable
