"""`scale`: time and peak memory of reading, counting and solving as ballots and items grow.

Every step is measured in a process of its own, so that its memory is not mixed with that of other
steps. A separate process makes the ballots.
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
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from concordant._memory import peak_of_this_process
from concordant.bench.figures import MARKERS, Drawing, line_style, logarithmic
from concordant.bench.instances import Instance
from concordant.bench.results import Results, measure
from concordant.bench.statistics import Power, fit_power
from concordant.bench.suites import Plan, Suite
from concordant.bench.tables import columns, generic_tables, measure_kind, measure_names, words
from concordant.bench.tasks import Task
from concordant.errors import InputError, SettingError
from concordant.layout import Column, Table

# The number of ballots that are made and written at a time.
_BATCH = 200_000
# The most items that a ballot ranks, and the number of items while ballots grow.
_LENGTH, _ITEMS = 10, 50
# The number of complete rankings that are counted and solved while items grow.
_RANKINGS = 20
# Steps on a file: its format and the number of threads.
_FILES = {
    "read csv": ("csv", 1),
    "count csv": ("csv", 1),
    "count csv, 2 threads": ("csv", 2),
    "count parquet": ("parquet", 1),
    "count parquet, 2 threads": ("parquet", 2),
}


def make_ballots(items: int, rankings: int, seed: int, file: str | None = None) -> Any:
    """Write ballots to a file, or return complete rankings if no file is given."""
    rng = np.random.default_rng(seed)
    if file is None:
        from concordant.rankings import Rankings

        scores = np.linspace(3, 0, items) + rng.gumbel(size=(rankings, items))
        return Rankings.from_ranks(np.argsort(np.argsort(-scores, axis=1), axis=1) + 1)
    from concordant._polars import pl

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


@dataclass(frozen=True)
class Step:
    """A step to measure, as data that goes to another process.

    Attributes:
        name: What to do: a key of the steps below, or "make" to write the file.
        items, rankings, seed: The arguments of `make_ballots`.
        threads: The number of threads.
        file: The file that the step reads, if it reads one.
    """

    name: str
    items: int
    rankings: int
    seed: int
    threads: int = 1
    file: str = ""

    def rankings_data(self) -> Any:
        """Return complete rankings of this size."""
        return make_ballots(self.items, self.rankings, self.seed)


def _read(step: Step) -> Callable[[], Any]:
    from concordant.counting.files import scan

    return lambda: sum(1 for _ in scan(step.file))


def _count_file(step: Step) -> Callable[[], Any]:
    from concordant.counting.files import count_files

    return lambda: count_files([step.file], n_jobs=step.threads)


def _count(step: Step) -> Callable[[], Any]:
    from concordant.pairwise import Pairwise

    data = step.rankings_data()
    return lambda: Pairwise.from_rankings(data)


def _solve(step: Step) -> Callable[[], Any]:
    from concordant.aggregation import aggregate
    from concordant.pairwise import Pairwise

    pairs = Pairwise.from_rankings(step.rankings_data())
    return lambda: aggregate(pairs, "insertion", n_jobs=1)


# A function for each step: it prepares the data and returns the work to measure.
_STEPS = {
    "read csv": _read,
    **{name: _count_file for name in _FILES if name.startswith("count")},
    "count": _count,
    "solve": _solve,
}


def peak_memory() -> float:
    """Return the peak memory of this process and of its largest child process, in bytes."""
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return float(peak_of_this_process() + children * unit)


def run_step(step: Step) -> dict[str, float]:
    """Write the file of a step, or run the step twice: to load what it needs, and to measure it."""
    if step.name == "make":
        make_ballots(step.items, step.rankings, step.seed, step.file)
        return {}
    # Small data of the same kind loads the kernels, or compiles them.
    with tempfile.TemporaryDirectory() as folder:
        # Few items, hundreds of items and thousands of items are counted by different kernels.
        small = replace(step, items=min(step.items, 1_000 if step.items <= 4_096 else 4_200))
        if step.file:
            small = replace(small, file=str(Path(folder) / f"small{Path(step.file).suffix}"))
            make_ballots(step.items, 30_000, 0, small.file)
        _STEPS[step.name](small)()
    work = _STEPS[step.name](step)
    started = time.perf_counter()
    work()
    return {"seconds": time.perf_counter() - started, "memory": peak_memory()}


def _run_in_process(step: Step) -> dict[str, float]:
    """Run a step in a process of its own."""
    script = (
        "import json, sys; from concordant.bench.suites.scale import Step, run_step; "
        "print(json.dumps(run_step(Step(**json.loads(sys.argv[1])))))"
    )
    command = [sys.executable, "-c", script, json.dumps(asdict(step))]
    # Other packages must not use more threads than the step.
    environment = os.environ | {"POLARS_MAX_THREADS": str(step.threads)}
    found = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if found.returncode:
        errors = found.stderr.strip().splitlines()
        raise InputError(errors[-1] if errors else f"the process ended with {found.returncode}")
    measures: dict[str, float] = json.loads(found.stdout)
    return measures


# -- tasks -----------------------------------------------------------------------------------


def work(task: Task) -> dict[str, Any]:
    """Measure one step at one size."""
    step = Step(task.method, **task.instance.arguments)
    with tempfile.TemporaryDirectory() as folder:
        if task.method in _FILES:
            suffix, threads = _FILES[task.method]
            step = replace(step, threads=threads, file=str(Path(folder) / f"ballots.{suffix}"))
            _run_in_process(replace(step, name="make"))
        measures = _run_in_process(step)
    return {"elapsed": measures["seconds"], "measures": measures}


def _task(items: int, rankings: int, step: str, seed: int, seconds: float) -> Task:
    sizes = {"items": items, "rankings": rankings}
    name = f"m{items}n{rankings}"
    instance = Instance(name, make_ballots, {**sizes, "seed": seed}, sizes)
    return Task(instance, step, work, seed=seed, seconds=seconds)


def _tasks(plan: Plan) -> list[Task]:
    if plan.folder is not None:
        raise SettingError(
            "scale generates its own ballots: leave instances out", setting="instances"
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


def _curves(results: Results) -> list[tuple[str, str, str, str, list[tuple[float, float]]]]:
    """Return the curves: method, measure, label that grows, label that is constant, points."""
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


def _fit(points: Sequence[tuple[float, float]]) -> tuple[Power | None, list[float]]:
    """Fit a power law to the three largest sizes of a curve; return it with these sizes.

    Small sizes would bias it, because every run has a constant cost.
    """
    sizes = sorted({x for x, _ in points})[-3:]
    large = [(x, y) for x, y in points if x >= sizes[0]]
    return fit_power([x for x, _ in large], [y for _, y in large]), sizes


def _tables(results: Results) -> list[Table]:
    """Return the fitted exponents of growth, and the measured values."""
    lines = []
    for method, name, axis, held, points in _curves(results):
        law, sizes = _fit(points)
        exponent, error = (law.exponent, law.error) if law else (None, None)
        span = f"{sizes[0]:,.0f} to {sizes[-1]:,.0f}"
        lines.append((method, words(name), axis, held, span, exponent, error))
    fits = Table(
        "exponents",
        "Growth as a power of the size, fitted on logarithmic axes",
        (
            Column("method", "code"),
            *columns("text", "measure", "grows with", "at", "fitted from"),
            *columns("power", "exponent", "standard error"),
        ),
        tuple(lines),
        ("1 is linear growth, 2 quadratic, 0 none. The fit uses the three largest sizes.",),
    )
    return [*([fits] if lines else []), *generic_tables(results)]


def _draw_growth(results: Results, canvas: Any) -> bool:
    curves = _curves(results)
    panels = list(dict.fromkeys((name, axis) for _, name, axis, _, _ in curves))
    if not panels:
        return False
    across = min(2, len(panels))
    lines = math.ceil(len(panels) / across)
    canvas.set_size_inches(4.3 * across + 0.3, 3.3 * lines + 0.3)
    for place, (name, axis) in enumerate(panels):
        axes = canvas.add_subplot(lines, across, place + 1)
        own = [curve for curve in curves if (curve[1], curve[2]) == (name, axis)]
        for number, (method, _, _, held, points) in enumerate(own):
            unit = 2.0**20 if measure_kind(name) == "bytes" else 1.0
            x, y = [a for a, _ in points], [b / unit for _, b in points]
            law, sizes = _fit(list(zip(x, y, strict=True)))
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
        # Leave room for the legend above curves that rise to the right.
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
