"""`exactness`: what is proven in a given time, how large the gaps are, and certificates checked."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from typing import Any

from concordant._files import read_text, reason
from concordant.bench.instances import Instance, draw_data, generator
from concordant.bench.records import Record
from concordant.bench.results import Results, measure
from concordant.bench.suites import Plan, Suite, upper_seconds
from concordant.bench.tables import columns, mean_of, share_optimal
from concordant.bench.tasks import Task, outcome, solve_instance
from concordant.errors import InputError, VerificationError
from concordant.layout import Column, Table

_STREAM = 4  # the stream of random numbers; other suites have others


@dataclass(frozen=True)
class _Kind:
    """A kind of generated instance: its size, and a function of a random generator."""

    items: int
    rankings: int | None
    make: Callable[[Any], Any]


def _drawn(items: int, theta: float, rankings: int = 100, drop: float | None = None) -> _Kind:
    return _Kind(items, rankings, lambda rng: draw_data(rng, items, theta, rankings, drop))


def _matrix(items: int, largest: int) -> _Kind:
    """Return the kind of a matrix of independent entries from 0 to `largest`."""

    def make(rng: Any) -> Any:
        from concordant.pairwise import Pairwise

        return Pairwise.from_matrix(rng.integers(0, largest + 1, (items, items)))

    return _Kind(items, None, make)


def _tournament(items: int) -> _Kind:
    """Return the kind of a tournament: each pair is won by a random one of the two."""

    def make(rng: Any) -> Any:
        import numpy as np

        from concordant.pairwise import Pairwise

        upper = np.triu(rng.integers(0, 2, (items, items)), 1)
        lower = np.tril(1 - upper.T, -1)
        return Pairwise.from_matrix(upper + lower)

    return _Kind(items, None, make)


KINDS = {
    "m = 50, θ = 0.001": _drawn(50, 0.001),
    "m = 100, θ = 0.01": _drawn(100, 0.01),
    "m = 100, θ = 0.001": _drawn(100, 0.001),
    "m = 250, θ = 0.1": _drawn(250, 0.1),
    "m = 250, θ = 0.01": _drawn(250, 0.01),
    "m = 250, θ = 0.001": _drawn(250, 0.001),
    "m = 60, uniform": _drawn(60, 0.0),
    "m = 80, 50 rankings, partial": _drawn(80, 0.01, 50, 2 / 3),
    "m = 200, θ = 0.01, partial": _drawn(200, 0.01, 100, 2 / 3),
    "m = 400, 20 rankings, partial": _drawn(400, 0.001, 20, 2 / 3),
    "m = 24, tournament": _tournament(24),
    "m = 30, tournament": _tournament(30),
    "m = 40, random matrix": _matrix(40, 999),
    "m = 60, random matrix": _matrix(60, 999),
}


def draw(kind: str, number: int, seed: int) -> Any:
    """Draw an instance of a kind, with its items numbered at random."""
    return KINDS[kind].make(generator(seed, _STREAM, list(KINDS).index(kind), number))


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
        "nodes": float(sum(len(part.get("nodes", ())) for part in certificate["components"])),
        "certificate_bytes": float(len(text)),
        "check_seconds": seconds,
    }
    if isinstance(data, Pairwise):
        # Matrices of the linear ordering problem are compared by the sum above the diagonal.
        measures["objective"] = float(pairwise.value(int(pairwise.counts.sum())) - result.cost)
    return {**outcome(task, result), "measures": measures}


def best_known(path: Path) -> dict[str, float]:
    """Read a file of best known values: a name and a value in each line.

    They are separated by white space, a comma or a semicolon. Lines that begin with # and a first
    line without a number are skipped.

    Raises:
        InputError: If a line has no value; the message names the line.
    """
    found: dict[str, float] = {}
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot be read: {reason(error)}", path=path) from None
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.replace(",", " ").replace(";", " ").split()
        if not words or words[0].startswith("#"):
            continue
        try:
            name, value = words
            found[name] = float(value)
        except ValueError:
            if number > 1:
                raise InputError(
                    f"a line must have a name and a value, not {line.strip()[:60]!r}",
                    path=path,
                    line=number,
                ) from None
    return found


def _with_best(instance: Instance, best: dict[str, float]) -> Instance:
    file = instance.arguments.get("path")
    names = [instance.name] if file is None else [file.name, file.stem, instance.name]
    for name in names:
        if name in best:
            return replace(instance, labels={**instance.labels, "best": best[name]})
    return instance


def _generated(plan: Plan) -> list[Instance]:
    return [
        Instance(
            f"{name}, {number}",
            draw,
            {"kind": name, "number": number, "seed": plan.seed},
            {"kind": name, "items": kind.items, "rankings": kind.rankings},
        )
        for number in range(1, plan.pick(1, 5, 10) + 1)
        for name, kind in KINDS.items()
    ]


def _tasks(plan: Plan) -> list[Task]:
    limits = plan.limits({"max_iterations": 5_000}, 10.0, 60.0)
    best = {} if plan.best is None else best_known(plan.best)
    return [
        Task(
            _with_best(each, best),
            "auto",
            work,
            limits,
            seed=plan.seed,
            seconds=upper_seconds(limits, 3.0) + 1,
        )
        for each in plan.instances(lambda: _generated(plan))
    ]


def _behind(record: Record) -> float | None:
    """Return by which share an order is worse than the best known; below 0 if it is better.

    The best known value of a matrix is its largest objective, that of rankings their least cost.
    """
    best: float | None = record.labels.get("best")
    if not best or record.cost is None:
        return None
    objective = record.measures.get("objective")
    return (record.cost - best) / best if objective is None else (best - objective) / best


def _tables(results: Results) -> list[Table]:
    """Return what is proven by kind of instance, and for each instance."""
    kinds = []
    for kind, group in _by_kind(results).items():
        gaps = [gap for record in group if (gap := results.gap(record)) is not None]
        behind = [share for record in group if (share := _behind(record)) is not None]
        kinds.append(
            (
                kind,
                share_optimal(group),
                fmean(gaps) if gaps else None,
                max(gaps, default=None),
                fmean(behind) if behind else None,
                mean_of(group, measure("elapsed")),
                *(mean_of(group, measure(name)) for name in _MEASURES),
            )
        )
    lines = [
        (
            record.instance,
            record.labels.get("items"),
            record.status,
            record.cost,
            record.lower_bound,
            results.gap(record),
            record.measures.get("objective"),
            record.labels.get("best"),
            _behind(record),
            record.elapsed,
            *(record.measures.get(name) for name in _MEASURES),
        )
        for record in results.records
    ]
    ends = (
        Column("seconds", "seconds"),
        Column("nodes", "count"),
        Column("certificate", "bytes"),
        Column("seconds to check", "seconds"),
    )
    return [
        _without_empty(
            Table(
                "kinds",
                "Share proven, gap and time by kind of instance",
                (
                    Column("kind"),
                    Column("proven optimal"),
                    *columns("percent", "mean gap", "largest gap", "behind the best known"),
                    *ends,
                ),
                tuple(kinds),
                ("Means over the instances of a kind. Every certificate was checked.",),
            )
        ),
        _without_empty(
            Table(
                "instances",
                "Cost, bound and time of each instance",
                (
                    Column("instance"),
                    Column("m", "count"),
                    Column("status"),
                    *columns("count", "cost", "lower bound"),
                    Column("gap", "percent"),
                    *columns("count", "objective", "best known"),
                    Column("behind", "percent"),
                    *ends,
                ),
                tuple(lines),
                ("Every certificate was checked.",),
            )
        ),
    ]


_MEASURES = ("nodes", "certificate_bytes", "check_seconds")


def _without_empty(table: Table) -> Table:
    """Leave out the columns that have no value in any row."""
    kept = [c for c in range(len(table.columns)) if any(row[c] is not None for row in table.rows)]
    return replace(
        table,
        columns=tuple(table.columns[c] for c in kept),
        rows=tuple(tuple(row[c] for c in kept) for row in table.rows),
    )


def _by_kind(results: Results) -> dict[str, list[Record]]:
    """Group the records by kind; files have the kind of their folder, so they are one."""
    found: dict[str, list[Record]] = {}
    for record in results.records:
        found.setdefault(str(record.labels.get("kind", "all files")), []).append(record)
    return found


SUITE = Suite(
    "exactness",
    "what is proven, how large the gaps are, certificates checked",
    _tasks,
    tables=_tables,
)
