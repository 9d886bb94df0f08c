"""`scale`: time and peak memory of reading, counting and solving as ballots and items grow.

Every step is measured in a process of its own, so that its memory is no other's. The process that
makes the ballots is another one again.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from concordant._memory import peak_of_this_process
from concordant.bench.figures import MARKERS, Drawing, line_style, logarithmic
from concordant.bench.instances import Instance
from concordant.bench.layout import Column, Table
from concordant.bench.results import Results, measure
from concordant.bench.statistics import Power, fit_power
from concordant.bench.suites import Plan, Suite
from concordant.bench.tables import generic_tables, measure_kind, measure_names, words
from concordant.bench.tasks import Task
from concordant.errors import InputError, SettingError

# Ballots are made and written so many at a time.
_BATCH = 200_000
# Ballots rank up to so many of the items, and there are so many of these where ballots grow.
_LENGTH, _ITEMS = 10, 50
# Where items grow, so many complete rankings are counted and solved.
_RANKINGS = 20
# Steps on a file: its format, and on how many threads.
_FILES = {
    "read csv": ("csv", 1),
    "count csv": ("csv", 1),
    "count csv, 2 threads": ("csv", 2),
    "count parquet": ("parquet", 1),
    "count parquet, 2 threads": ("parquet", 2),
}


def make_ballots(items: int, rankings: int, seed: int, file: str | None = None) -> Any:
    """Write ballots to a file, or return complete rankings where there is none."""
    rng = np.random.default_rng(seed)
    if file is None:
        from concordant.rankings import Rankings

        scores = np.linspace(3, 0, items) + rng.gumbel(size=(rankings, items))
        return Rankings.from_ranks(np.argsort(np.argsort(-scores, axis=1), axis=1) + 1)
    import polars as pl

    names = pl.Series([f"item {k + 1}" for k in range(items)])

    def frames() -> Iterator[pl.DataFrame]:
        for start in range(0, rankings, _BATCH):
            n = min(_BATCH, rankings - start)
            scores = np.linspace(3, 0, items) + rng.gumbel(size=(n, items))
            order = np.argsort(-scores, axis=1)[:, :_LENGTH]
            lengths = rng.integers(1, _LENGTH + 1, n)
            yield pl.DataFrame(
                {
                    f"rank{k + 1}": names.gather(order[:, k]).set(pl.Series(lengths <= k), None)
                    for k in range(_LENGTH)
                }
            )

    if file.endswith(".csv"):
        with Path(file).open("wb") as target:
            for number, frame in enumerate(frames()):
                frame.write_csv(target, include_header=number == 0)
        return None
    parts = []
    for number, frame in enumerate(frames()):
        parts.append(f"{file}.{number}")
        frame.write_parquet(parts[-1])
    pl.scan_parquet(parts).sink_parquet(file)
    return None


# -- in the process of a step ----------------------------------------------------------------


def _read(file: str, wish: dict[str, Any]) -> Callable[[], Any]:
    from concordant.counting.files import scan

    return lambda: sum(1 for _ in scan(file))


def _count_file(file: str, wish: dict[str, Any]) -> Callable[[], Any]:
    from concordant.counting.files import count_files

    return lambda: count_files([file], n_jobs=wish["threads"])


def _count(file: str, wish: dict[str, Any]) -> Callable[[], Any]:
    from concordant.pairwise import Pairwise

    data = make_ballots(wish["items"], wish["rankings"], wish["seed"])
    return lambda: Pairwise.from_rankings(data)


def _solve(file: str, wish: dict[str, Any]) -> Callable[[], Any]:
    from concordant.aggregation import aggregate
    from concordant.pairwise import Pairwise

    pairs = Pairwise.from_rankings(make_ballots(wish["items"], wish["rankings"], wish["seed"]))
    return lambda: aggregate(pairs, "insertion", n_jobs=1)


_STEPS = {
    "read csv": _read,
    **{step: _count_file for step in _FILES if step.startswith("count")},
    "count": _count,
    "solve": _solve,
}


def peak_memory() -> float:
    """Return the most memory that this process and the largest of its own had, in bytes."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return float(peak_of_this_process() + children * unit)


def answer(wish: dict[str, Any]) -> dict[str, float]:
    """Make the file that a step needs, or do the step once to load it, and once with a clock."""
    file = wish.get("file", "")
    if wish["step"] == "make":
        make_ballots(wish["items"], wish["rankings"], wish["seed"], file)
        return {}
    # Kernels are compiled or loaded on something small, of the same kind.
    with tempfile.TemporaryDirectory() as folder:
        small = str(Path(folder) / f"small{Path(file).suffix}")
        if file:
            make_ballots(wish["items"], 30_000, 0, small)
        # Few items, some hundreds and some thousands are counted by different kernels.
        first = {**wish, "items": min(wish["items"], 1_000 if wish["items"] <= 4_096 else 4_200)}
        _STEPS[wish["step"]](small, first)()
    work = _STEPS[wish["step"]](file, wish)
    started = time.perf_counter()
    work()
    return {"seconds": time.perf_counter() - started, "memory": peak_memory()}


def _elsewhere(wish: dict[str, Any]) -> dict[str, float]:
    """Answer a wish in a process of its own."""
    script = (
        "import json, sys; from concordant.bench.suites.scale import answer; "
        "print(json.dumps(answer(json.loads(sys.argv[1]))))"
    )
    command = [sys.executable, "-c", script, json.dumps(wish)]
    # Other packages are to have no more threads than the step.
    environment = os.environ | {"POLARS_MAX_THREADS": str(wish.get("threads", 1))}
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if found.returncode:
        said = found.stderr.strip().splitlines()
        raise InputError(said[-1] if said else f"the process ended with {found.returncode}")
    measures: dict[str, float] = json.loads(found.stdout)
    return measures


# -- tasks -----------------------------------------------------------------------------------


def work(task: Task) -> dict[str, Any]:
    """Measure one step at one size."""
    wish = {**task.instance.arguments, "step": task.method}
    with tempfile.TemporaryDirectory() as folder:
        if task.method in _FILES:
            suffix, wish["threads"] = _FILES[task.method]
            wish["file"] = str(Path(folder) / f"ballots.{suffix}")
            _elsewhere({**wish, "step": "make"})
        measures = _elsewhere(wish)
    return {"elapsed": measures["seconds"], "measures": measures}


def _task(items: int, rankings: int, step: str, seed: int, seconds: float) -> Task:
    sizes = {"items": items, "rankings": rankings}
    name = f"m{items}n{rankings}"
    instance = Instance(name, make_ballots, {**sizes, "seed": seed}, sizes)
    return Task(instance, step, work, seed=seed, seconds=seconds)


def _tasks(plan: Plan) -> list[Task]:
    if plan.folder is not None:
        raise SettingError(
            "scale makes its ballots itself: leave instances out", setting="instances"
        )
    few = [10**3, 10**4, 10**5, 10**6]
    ballots = plan.pick(few[:1], few, [*few, 3 * 10**6, 10**7])
    items = plan.pick([10], [10, 100, 1_000], [10, 100, 1_000, 3_000, 10_000])
    return [
        *(_task(_ITEMS, n, step, plan.seed, 5 + n / 50_000) for n in ballots for step in _FILES),
        *(
            _task(m, _RANKINGS, step, plan.seed, 5 + m / 100)
            for m in items
            for step in ("count", "solve")
        ),
    ]


# -- tables and figure -----------------------------------------------------------------------


def growths(results: Results) -> list[tuple[str, str, str, str, list[tuple[float, float]]]]:
    """Return the curves of growth: method, measure, label that grows, what is held, points."""
    found = []
    for method in results.methods:
        own = results.runs(method)
        names = measure_names(own)
        names += () if "seconds" in names else ("elapsed",)
        for axis, other in (("rankings", "items"), ("items", "rankings")):
            for held in sorted({v for r in own if (v := r.labels.get(other)) is not None}):
                part = [r for r in own if r.labels.get(other) == held and r.labels.get(axis)]
                if len({record.labels[axis] for record in part}) < 2:
                    continue
                for name in names:
                    look = measure(name)
                    points = [
                        (float(r.labels[axis]), v) for r in part if (v := look(r)) is not None
                    ]
                    if points:
                        found.append((method, name, axis, f"{held:,} {other}", sorted(points)))
    return found


def fitted(points: Sequence[tuple[float, float]]) -> tuple[Power | None, list[float]]:
    """Fit a line to the three largest sizes of a curve; return it with these sizes.

    What every run costs, whatever its size, would bend a line through the small ones.
    """
    sizes = sorted({x for x, _ in points})[-3:]
    large = [(x, y) for x, y in points if x >= sizes[0]]
    return fit_power([x for x, _ in large], [y for _, y in large]), sizes


def _tables(results: Results) -> list[Table]:
    """Return the fitted exponents of growth, and the figures they were fitted to."""
    lines = []
    for method, name, axis, held, points in growths(results):
        law, sizes = fitted(points)
        exponent, error = (law.exponent, law.error) if law else (None, None)
        span = f"{sizes[0]:,.0f} to {sizes[-1]:,.0f}"
        lines.append((method, words(name), axis, held, span, exponent, error))
    fits = Table(
        "exponents",
        "Growth as a power of the size, fitted on logarithmic axes",
        (
            Column("method", "code"),
            Column("measure"),
            Column("grows with"),
            Column("at"),
            Column("fitted from"),
            Column("exponent", "power"),
            Column("standard error", "power"),
        ),
        tuple(lines),
        ("1 is linear growth, 2 quadratic, 0 none. A line goes through the three largest sizes.",),
    )
    return [*([fits] if lines else []), *generic_tables(results)]


def _draw_growth(results: Results, canvas: Any) -> bool:
    curves = growths(results)
    panels = list(dict.fromkeys((name, axis) for _, name, axis, _, _ in curves))
    if not panels:
        return False
    columns = min(2, len(panels))
    lines = math.ceil(len(panels) / columns)
    canvas.set_size_inches(4.3 * columns + 0.3, 3.3 * lines + 0.3)
    for place, (name, axis) in enumerate(panels):
        axes = canvas.add_subplot(lines, columns, place + 1)
        own = [curve for curve in curves if (curve[1], curve[2]) == (name, axis)]
        for number, (method, _, _, held, points) in enumerate(own):
            unit = 2.0**20 if measure_kind(name) == "bytes" else 1.0
            x, y = [a for a, _ in points], [b / unit for _, b in points]
            law, sizes = fitted(list(zip(x, y, strict=True)))
            slope = "" if law is None else f", exponent {law.exponent:.2f}"
            look = line_style(number)
            axes.plot(
                x, y, MARKERS[number % 6], markersize=5, color=look["color"],
                label=f"{method}, {held}{slope}",
            )  # fmt: skip
            if law is not None:
                ends = [sizes[0], sizes[-1]]
                axes.plot(ends, [law.factor * end**law.exponent for end in ends], lw=1.2, **look)
        axes.set_xscale("log")
        axes.set_yscale("log")
        low, high = axes.get_ylim()
        # Room for the legend, above curves that rise to the right.
        axes.set_ylim(low, high * (high / low) ** (0.1 + 0.08 * len(own)))
        logarithmic(axes.xaxis)
        logarithmic(axes.yaxis)
        axes.set_xlabel(f"{axis} (logarithmic)")
        unit_name = {"bytes": "MiB", "seconds": "seconds"}.get(measure_kind(name), name)
        axes.set_ylabel(f"{unit_name} (logarithmic)")
        axes.set_title(f"{words(name)} by {axis}")
        axes.legend(loc="upper left", fontsize=8)
    return True


SUITE = Suite(
    "scale",
    "time and peak memory as ballots and items grow",
    _tasks,
    tables=_tables,
    figures=(Drawing("growth", "Growth of time and memory", _draw_growth),),
)
