"""`proofs`: gap and share of proven optima by kind of instance, with certificates checked."""

from __future__ import annotations

import json
import time
from statistics import fmean
from typing import Any

from concordant.bench.instances import Instance, draw_data, generator
from concordant.bench.layout import Column, Table
from concordant.bench.records import Record
from concordant.bench.results import Results, measure
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.tables import columns, mean_of, measure_column, measure_names, share_optimal
from concordant.bench.tasks import Task, outcome, solve_instance
from concordant.errors import VerificationError

_STREAM = 4  # the stream of random numbers; other suites have others
# Each kind: items, rankings, θ (0: uniform; None: a random matrix), share of items dropped.
KINDS: dict[str, tuple[int, int, float | None, float | None]] = {
    "m = 50, θ = 0.001": (50, 100, 0.001, None),
    "m = 100, θ = 0.01": (100, 100, 0.01, None),
    "m = 100, θ = 0.001": (100, 100, 0.001, None),
    "m = 250, θ = 0.1": (250, 100, 0.1, None),
    "m = 250, θ = 0.01": (250, 100, 0.01, None),
    "m = 250, θ = 0.001": (250, 100, 0.001, None),
    "m = 60, uniform": (60, 100, 0.0, None),
    "m = 200, θ = 0.01, partial": (200, 100, 0.01, 2 / 3),
    "m = 400, 20 rankings, partial": (400, 20, 0.001, 2 / 3),
    "m = 60, random matrix": (60, 0, None, None),
}


def draw(kind: str, number: int, seed: int) -> Any:
    """Draw an instance of a kind, with its items numbered at random."""
    items, rankings, theta, drop = KINDS[kind]
    rng = generator(seed, _STREAM, list(KINDS).index(kind), number)
    return draw_data(rng, items, theta, rankings, drop)


def work(task: Task) -> dict[str, Any]:
    """Solve an instance, write the certificate of the bound, read it back and check it."""
    from concordant.certificate import check
    from concordant.pairwise import Pairwise

    data = task.instance.load()
    result = solve_instance(task, data)
    pairwise = data if isinstance(data, Pairwise) else Pairwise.from_rankings(data)
    certificate = result.certificate()
    text = json.dumps(certificate, separators=(",", ":"))
    started = time.perf_counter()
    proven = pairwise.value(check(json.loads(text), pairwise.counts))
    seconds = time.perf_counter() - started
    if proven < result.lower_bound:
        raise VerificationError(
            f"the certificate proves {proven}, not the bound {result.lower_bound}"
        )
    measures = {
        "checked": 1.0,
        "check_seconds": seconds,
        "certificate_bytes": float(len(text)),
        "nodes": float(sum(len(part.get("nodes", ())) for part in certificate["components"])),
    }
    return {**outcome(task, result), "measures": measures}


def _generated(plan: Plan) -> list[Instance]:
    return [
        Instance(
            f"{kind}, {number}",
            draw,
            {"kind": kind, "number": number, "seed": plan.seed},
            {"kind": kind, "items": items, "rankings": rankings or None},
        )
        for number in range(1, plan.pick(1, 5, 10) + 1)
        for kind, (items, rankings, _, _) in KINDS.items()
    ]


def _tasks(plan: Plan) -> list[Task]:
    limits = plan.limits({"max_iterations": 5_000}, 10.0, 60.0)
    instances = plan.instances(lambda: _generated(plan))
    return [
        Task(each, "auto", work, limits, seed=plan.seed, seconds=upper_seconds(limits, 3.0) + 1)
        for each in instances
    ]


def _tables(results: Results) -> list[Table]:
    """Return the results of the proofs by kind of instance, and for each instance."""
    names = measure_names(results.records)
    measures = tuple(map(measure_column, names))
    kinds = []
    for (kind, method), group in _by_kind(results).items():
        gaps = [gap for record in group if (gap := results.gap(record)) is not None]
        proven = share_optimal(group)
        means = (mean_of(group, measure(name)) for name in names)
        seconds = mean_of(group, measure("elapsed"))
        worst = max(gaps, default=None)
        mean = fmean(gaps) if gaps else None
        kinds.append((kind, method, proven, mean, worst, seconds, *means))
    lines = []
    for record in results.records:
        line = (record.instance, record.labels.get("items"), record.method, record.status)
        figures = (record.cost, record.lower_bound, results.gap(record), record.elapsed)
        lines.append((*line, *figures, *(record.measures.get(name) for name in names)))
    return [
        Table(
            "kinds",
            "Share proven, gap and time by kind of instance",
            (
                Column("kind"),
                Column("method", "code"),
                Column("proven optimal"),
                *columns("percent", "mean gap", "largest gap"),
                Column("seconds", "seconds"),
                *measures,
            ),
            tuple(kinds),
            ("Means over the instances of a kind.",),
        ),
        Table(
            "proofs",
            "Cost, bound and time of each proof",
            (
                Column("instance"),
                Column("m", "count"),
                Column("method", "code"),
                Column("status"),
                *columns("count", "cost", "lower bound"),
                Column("gap", "percent"),
                Column("seconds", "seconds"),
                *measures,
            ),
            tuple(lines),
        ),
    ]


def _by_kind(results: Results) -> dict[tuple[str, str], list[Record]]:
    found: dict[tuple[str, str], list[Record]] = {}
    for record in results.records:
        kind = str(record.labels.get("kind", record.instance))
        found.setdefault((kind, record.method), []).append(record)
    return found


SUITE = Suite(
    "proofs",
    "gap and share proven by kind of instance, certificates checked",
    _tasks,
    tables=_tables,
)
