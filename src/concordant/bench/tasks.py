"""A task of a benchmark: a method to run on an instance, as data that goes to another process."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from concordant.bench.instances import Instance, mallows_instance
from concordant.bench.records import Record
from concordant.errors import ConcordantError

Trace = tuple[tuple[float, float, float], ...]
# The points of a trace that are kept.
TRACE_POINTS = 40
# The estimated seconds of a task that is limited by counts only.
_SECONDS_BY_COUNTS = 0.5
# The time limit of the run that loads the kernels of a method.
_WARM_UP_SECONDS = 0.5


@dataclass(frozen=True)
class Task:
    """One method on one instance, with one seed.

    Attributes:
        instance: The instance; `instance.load()` makes its data.
        method: The column of the tables: a method, or a variant of one.
        work: A function of a module that does the task: it takes the task and returns fields of
            the `Record`.
        settings: The settings of `work`; for `solve`, the arguments of `aggregate`.
        run: The number of the run of this method on this instance, from 0.
        seed: The seed of the run.
        labels: Labels of the record beside those of the instance.
        seconds: The longest time that it takes, to estimate the time left.
    """

    instance: Instance
    method: str
    work: Callable[[Task], Mapping[str, Any]]
    settings: Mapping[str, Any] = field(default_factory=dict)
    run: int = 0
    seed: int = 0
    labels: Mapping[str, Any] = field(default_factory=dict)
    seconds: float = _SECONDS_BY_COUNTS

    @property
    def name(self) -> str:
        """The name of the task, unique in its suite: "MM050n0.200_01/auto/0"."""
        return f"{self.instance.name}/{self.method}/{self.run}"

    def record(self, **found: Any) -> Record:
        """Return the record of this task with some of its fields."""
        return Record(
            task=self.name,
            instance=self.instance.name,
            method=self.method,
            run=self.run,
            seed=self.seed,
            labels={**self.instance.labels, **self.labels},
            **found,
        )


def run(task: Task) -> Record:
    """Run a task; an error becomes part of the record, so that the other tasks go on."""
    try:
        return task.record(**task.work(task))
    except ConcordantError as error:
        return task.record(error=str(error))
    except Exception as error:
        # Any other error is a bug of this package: keep its type, and go on.
        return task.record(error=f"{type(error).__name__}: {error}")


# -- aggregation -----------------------------------------------------------------------------


def solve(task: Task) -> dict[str, Any]:
    """Aggregate the instance with a method, and return the result as fields of a record.

    The settings are arguments of `aggregate`, and `method` if it is not the name of the column.
    """
    return outcome(task, solve_instance(task, task.instance.load()))


def solve_instance(task: Task, data: Any) -> Any:
    """Aggregate data with the settings of a task; kernels are loaded before the time starts."""
    from concordant.aggregation import aggregate
    from concordant.pairwise import Pairwise

    settings = dict(task.settings)
    method = settings.pop("method", task.method)
    warm_up(method, isinstance(data, Pairwise), settings)
    return aggregate(data, method, seed=task.seed, n_jobs=1, **settings)


def outcome(task: Task, result: Any, points: int = TRACE_POINTS) -> dict[str, Any]:
    """Return the fields of a record that every result of `aggregate` has."""
    return {
        "cost": result.cost,
        "distance": result.distance,
        "lower_bound": result.lower_bound,
        "status": result.status,
        "elapsed": round(result.elapsed, 6),
        "iterations": result.iterations or None,
        "generations": result.generations or None,
        "trace": thin([(t, cost, bound) for t, _, cost, bound in result.trace], points),
    }


def warm_up(method: str, is_matrix: bool, settings: Mapping[str, Any]) -> None:
    """Load the kernels of a method, once in this process, outside of any time limit."""
    limits = ("time_limit", "max_iterations", "max_generations", "target", "stop")
    kept = tuple(sorted((k, v) for k, v in settings.items() if k not in limits))
    _warm_up(method, is_matrix, kept)


@cache
def _warm_up(method: str, is_matrix: bool, settings: tuple[tuple[str, Any], ...]) -> None:
    from concordant.aggregation import aggregate
    from concordant.pairwise import Pairwise

    data: Any = mallows_instance(25, 0.001, 1, seed=0).load()
    if is_matrix:
        data = Pairwise.from_rankings(data)
    aggregate(data, method, n_jobs=1, time_limit=_WARM_UP_SECONDS, **dict(settings))


def thin(trace: Sequence[tuple[float, float, float]], most: int) -> Trace:
    """Keep the first and the last point of a trace, and the last point of each span between them.

    Spans grow with time, because improvements become rare.

    Example:
        >>> thin([(0.001 * k, 100 - k, 0) for k in range(1, 100)], 3)
        ((0.001, 99, 0), (0.009, 91, 0), (0.099, 1, 0))
    """
    if len(trace) > most:
        least = max(trace[0][0], 1e-4)
        width = math.log(max(trace[-1][0] / least, 1.001)) / (most - 1)
        kept = {
            0 if k == 0 else math.ceil(math.log(max(t, least) / least) / width): k
            for k, (t, _, _) in enumerate(trace)
        }
        trace = [trace[k] for k in sorted({0, *kept.values(), len(trace) - 1})]
    return tuple((round(t, 4), cost, bound) for t, cost, bound in trace)
