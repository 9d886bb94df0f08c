"""Stopping rules: small callables on the state of a run, combined with `|` and `&`.

A rule is called between slices of a few milliseconds, never inside the search. So a run that
ended at a time limit can be repeated with its number of iterations as the limit.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any

from concordant.errors import SettingError


def relative_gap(cost: float, lower_bound: float) -> float:
    """Return (cost - lower_bound) / cost, or a finite number where costs are negative.

    Costs of rankings are never negative, but those of a matrix can be. So the divisor is the
    larger of |cost| and |lower_bound|, which is the cost where both are positive.

    Example:
        >>> relative_gap(100, 90), relative_gap(0, 0), relative_gap(0, -3)
        (0.1, 0.0, 1.0)
    """
    if cost == lower_bound:
        return 0.0
    return (cost - lower_bound) / max(abs(cost), abs(lower_bound))


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a run, as passed to stopping rules and `on_progress` callbacks.

    Costs and bounds are in the unit of `Consensus.cost`. `phase` is "compile" while
    kernels are compiled (once per machine), else "search".
    """

    elapsed: float
    iterations: int
    generations: int
    idle_generations: int
    cost: int | float | None
    lower_bound: int | float | None
    phase: str = "search"

    @property
    def gap(self) -> float | None:
        """The largest possible excess of the cost over the optimum, as a fraction of the cost."""
        if self.cost is None or self.lower_bound is None:
            return None
        return relative_gap(self.cost, self.lower_bound)


class Rule:
    """A stopping rule: call it with a `Progress`; combine it with `|` and `&`.

    A run whose rules do not depend on the time must give the same answer on every machine. So a
    rule has `reads_clock`; it is assumed to be true for a plain function.

    Args:
        decide: A function of a `Progress` that returns whether to stop.
        reads_clock: Whether the answer depends on the time.
        seconds: The time after which the rule always stops, for searches that plan ahead.
        iterations: The number of iterations after which the rule always stops.

    Example:
        >>> rule = MaxTime(5) & MaxGenerations(10) | Target(100)
        >>> rule(Progress(9.0, 50, 3, 0, 120, 90)), rule(Progress(0.1, 2, 1, 0, 100, 90))
        (False, True)
    """

    def __init__(
        self,
        decide: Callable[[Progress], bool],
        reads_clock: bool = True,
        *,
        seconds: float = math.inf,
        iterations: float = math.inf,
    ) -> None:
        self._decide = decide
        self.reads_clock = reads_clock
        self.seconds = seconds
        self.iterations = iterations

    def __call__(self, progress: Progress) -> bool:
        """Return whether the run should stop."""
        return self._decide(progress)

    def __or__(self, other: Callable[[Progress], bool]) -> Rule:
        """Stop when either rule stops."""
        if not callable(other):
            return NotImplemented
        reads = self.reads_clock or reads_clock(other)
        return Rule(
            lambda progress: self(progress) or other(progress),
            reads,
            seconds=min(self.seconds, getattr(other, "seconds", math.inf)),
            iterations=min(self.iterations, getattr(other, "iterations", math.inf)),
        )

    def __and__(self, other: Callable[[Progress], bool]) -> Rule:
        """Stop when both rules stop."""
        if not callable(other):
            return NotImplemented
        reads = self.reads_clock or reads_clock(other)
        return Rule(lambda progress: self(progress) and other(progress), reads)


def reads_clock(rule: Callable[[Progress], bool]) -> bool:
    """Return whether a rule depends on the time; true for a plain function.

    Example:
        >>> reads_clock(MaxTime(2) & MaxIterations(9)), reads_clock(MaxIterations(9) | Target(4))
        (True, False)
    """
    return rule.reads_clock if isinstance(rule, Rule) else True


def _limit(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or not float(value) >= 0:
        raise SettingError(f"{name} must be a number of at least 0, not {value!r}")
    return float(value)


def MaxTime(seconds: float) -> Rule:
    """Stop after a number of seconds, counted from the call."""
    limit = _limit("a time limit", seconds)
    return Rule(lambda progress: progress.elapsed >= limit, seconds=limit)


def MaxIterations(number: float) -> Rule:
    """Stop after a number of iterations of the local search."""
    limit = _limit("an iteration limit", number)
    return Rule(lambda progress: progress.iterations >= limit, reads_clock=False, iterations=limit)


def MaxGenerations(number: float) -> Rule:
    """Stop after a number of generations (children, restarts) of the search."""
    limit = _limit("a generation limit", number)
    return Rule(lambda progress: progress.generations >= limit, reads_clock=False)


def NoImprovement(generations: float) -> Rule:
    """Stop after a number of generations in a row without a better ranking."""
    limit = _limit("a limit of idle generations", generations)
    return Rule(lambda progress: progress.idle_generations >= limit, reads_clock=False)


def Target(cost: float) -> Rule:
    """Stop at a cost of at most `cost`."""
    given: Any = cost
    if isinstance(given, bool) or not isinstance(given, Real) or math.isnan(given):
        raise SettingError(f"a target must be a number, not {cost!r}")
    return Rule(
        lambda progress: progress.cost is not None and progress.cost <= cost, reads_clock=False
    )
