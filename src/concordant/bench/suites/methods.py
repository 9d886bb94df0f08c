"""`methods`: every method of the package on data of several kinds, its gap and its time."""

from __future__ import annotations

from statistics import fmean
from typing import Any

from concordant.bench.instances import RANKINGS, Instance, draw_data, generator
from concordant.bench.results import Results, measure
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.tables import method_table
from concordant.bench.tasks import Task, solve
from concordant.layout import Column, Table

# Each kind: items, θ, and for partial rankings the share of items dropped.
KINDS: dict[str, tuple[int, float, float | None]] = {
    "alike": (50, 0.1, None),
    "mixed": (50, 0.01, None),
    "noise": (100, 0.001, None),
    "partial": (60, 0.05, 0.5),
}
_SAME_BUCKET = 0.3
_STREAM = 2  # the stream of random numbers; the paper's instances have others
# The limits at scale `smoke`; a method uses those that it counts.
_COUNTS = {"max_iterations": 20_000, "max_generations": 20}
# A method from outside the package may count neither: at scale `smoke`, its limit in seconds.
_SECONDS_OUTSIDE = 2.0


def draw(kind: str, number: int, seed: int) -> Any:
    """Draw an instance of a kind, with its items numbered at random."""
    items, theta, drop = KINDS[kind]
    rng = generator(seed, _STREAM, list(KINDS).index(kind), number)
    return draw_data(rng, items, theta, drop=drop, same_bucket=_SAME_BUCKET)


def _generated(plan: Plan) -> list[Instance]:
    return [
        Instance(
            f"{kind}_{number:02d}",
            draw,
            {"kind": kind, "number": number, "seed": plan.seed},
            {"kind": kind, "theta": theta, "items": items, "rankings": RANKINGS},
        )
        for number in range(1, plan.pick(1, 5, 20) + 1)
        for kind, (items, theta, _) in KINDS.items()
    ]


def _methods_for(instance: Instance, names: tuple[str, ...] | None) -> list[Any]:
    """Return the methods that accept an instance; a file is read to find out."""
    from concordant.algorithms.registry import all_methods, get
    from concordant.rankings import Rankings

    is_rankings = is_complete = True
    if instance.make is draw:
        is_complete = KINDS[instance.labels["kind"]][2] is None
    elif instance.fault is None:
        data = instance.load()
        is_rankings = isinstance(data, Rankings)
        is_complete = isinstance(data, Rankings) and data.is_complete
    return [
        method
        for method in (all_methods().values() if names is None else map(get, names))
        if (is_rankings or not method.needs_rankings) and (is_complete or not method.needs_complete)
    ]


def _tasks(plan: Plan) -> list[Task]:
    limits = plan.limits(_COUNTS, 1.5, 10.0)
    instances = plan.instances(lambda: _generated(plan))
    tasks = []
    for instance in instances:
        for method in _methods_for(instance, plan.methods):
            own = {} if method.effort == "instant" else limits
            if own and not method.is_built_in:
                own = {"time_limit": _SECONDS_OUTSIDE, **own}
            tasks += [
                Task(
                    instance,
                    method.name,
                    solve,
                    own,
                    run=run,
                    seed=plan.seed + run,
                    labels={"effort": method.effort},
                    seconds=upper_seconds(own) if own else 0.1,
                )
                for run in range(plan.repeats or 1)
            ]
    return tasks


def _tables(results: Results) -> list[Table]:
    """Return the mean gap of each method on each kind of data, the best method first."""
    parts = {kind or "all": part for (kind,), part in results.groups("kind").items()}
    found = []
    for method in results.methods:
        gaps = [part.mean(method, part.gap) for part in parts.values()]
        seconds = results.mean(method, measure("elapsed"))
        known = [gap for gap in gaps if gap is not None]
        found.append((fmean(known) if known else 1.0, (method, *gaps, seconds)))
    found.sort(key=lambda each: each[0])
    lines = [line for _, line in found]
    is_refused = any(None in line for line in lines)
    refused = "–: the method does not accept such data." if is_refused else ""
    gaps_table = Table(
        "kinds",
        "Mean gap to the best lower bound by kind of data, and mean time",
        (
            Column("method", "code"),
            *(Column(str(kind), "percent") for kind in parts),
            Column("seconds", "seconds"),
        ),
        tuple(lines),
        tuple(filter(None, (refused,))),
    )
    return [gaps_table, method_table(results)]


SUITE = Suite(
    "methods",
    "every method, or those you name, on data of several kinds: mean gap and time",
    _tasks,
    tables=_tables,
    any_methods=True,
)
