"""A task of a benchmark: what to run on which instance, as data that goes to another process."""

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
# Points kept of the way to a result; a suite about the way itself keeps more.
TRACE_POINTS = 40
# How long a task is reckoned to take that only counts limit.
_SECONDS_BY_COUNTS = 0.5
# How long the kernels of a method may be warmed up.
_WARM_UP_SECONDS = 0.5


@dataclass(frozen=True)
class Task:
    """One method on one instance, with one seed.

    Attributes:
        instance: What to run on; `instance.load()` makes it.
        method: The column of the tables: a method, or a variant of one.
        work: What to do, a function of a module: it takes the task and returns the fields of the
            `Record` that it fills.
        settings: What `work` needs; for `solve`, the arguments of `aggregate`.
        run: Which of the runs of this method on this instance, from 0.
        seed: The seed of the run.
        labels: What is to stand in the record beside the labels of the instance.
        seconds: How long it takes at most, for the time left; not part of the result.
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
        """Return the record of this task with what was found."""
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
    """Do a task; what goes wrong is part of the record, so that the others are not held up."""
    try:
        return task.record(**task.work(task))
    except ConcordantError as error:
        return task.record(error=str(error))
    except Exception as error:
        # Anything else is a fault of ours: it is kept with its kind, and the suite goes on.
        return task.record(error=f"{type(error).__name__}: {error}")


# -- aggregation -----------------------------------------------------------------------------


def solve(task: Task) -> dict[str, Any]:
    """Aggregate the instance by a method, and note what the result says.

    The settings are `method`, where it is not the name of the column, and arguments of `aggregate`.
    """
    return outcome(task, solve_instance(task, task.instance.load()))


def solve_instance(task: Task, data: Any) -> Any:
    """Aggregate data as a task asks for, with the kernels loaded before the clock starts."""
    from concordant.aggregation import aggregate
    from concordant.pairwise import Pairwise

    settings = dict(task.settings)
    method = settings.pop("method", task.method)
    warm_up(method, isinstance(data, Pairwise), settings)
    return aggregate(data, method, seed=task.seed, n_jobs=1, **settings)


def outcome(task: Task, result: Any, points: int = TRACE_POINTS) -> dict[str, Any]:
    """Return the fields of a record that any result of `aggregate` fills."""
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
    """Load the kernels of a method, once in this process, so that no time limit has to hold it."""
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
    """Keep the first and the last point of a trace, and between them the last of each span of time.

    Spans grow with the time, as the pace of improvement falls.

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
