"""The figures of a report, drawn with matplotlib to SVG and PNG; the same data, the same bytes."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np

from concordant.bench import published
from concordant.bench.paper_tables import (
    CHANCE,
    REFERENCE,
    combinations,
    difference,
    most_by_chance,
)
from concordant.bench.records import Record
from concordant.bench.results import Results, distance_of
from concordant.bench.tables import (
    EVALUATORS,
    TARGETS,
    fitted,
    growths,
    measure_kind,
    rate,
    speed_ups,
    target_time,
)
from concordant.errors import SettingError
from concordant.formatting import printable

# Lines and text; on a page it becomes the colour of the text around the figure.
INK = "#444444"
# Okabe and Ito's colours, told apart also by the colour-blind; those that are legible on white and
# on black.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))
_MARKERS = "osD^vP"
_STYLE: dict[str, Any] = {
    "text.color": INK,
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.titlesize": 11,
    "axes.labelsize": 10,
    "xtick.labelsize": 9,
    "ytick.labelsize": 9,
    "legend.fontsize": 9,
    "legend.frameon": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "Arial", "sans-serif"],
    "svg.fonttype": "none",
    "svg.hashsalt": "concordant",
    "text.parse_math": False,  # names are no formulas
}
# A gap below this looks like none in a heat map.
_LEAST_GAP = 1e-6


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in both formats.

    Attributes:
        name: Short and unique in its suite.
        title: What it shows, also for those who cannot see it.
        svg: On a clear background; its text is text.
        png: On white.
    """

    name: str
    title: str
    svg: str
    png: bytes


def suite_figures(results: Results) -> list[Figure]:
    """Return the figures of a store; none where it lacks what they would show.

    Raises:
        SettingError: Without matplotlib.
    """
    results = Results(results.manifest, tuple(map(_drawable, results.records)))
    found = []
    for name, title, draw in _FIGURES:
        figure = _render(name, title, results, draw)
        if figure is not None:
            found.append(figure)
    return found


def _drawable(record: Record) -> Record:
    """Return a record whose names can be drawn: no control characters."""
    names = printable(record.instance), printable(record.method)
    if names == (record.instance, record.method):
        return record
    return replace(record, instance=names[0], method=names[1])


def _render(
    name: str, title: str, results: Results, draw: Callable[[Results, Any], bool]
) -> Figure | None:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise SettingError(
            "a report needs matplotlib: install concordant with its 'bench' extra"
        ) from None
    # The style is set for this figure alone, whatever the reader's own settings are.
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **_STYLE}
    with mpl.rc_context(settings), warnings.catch_warnings():
        # A name in a script that the font lacks is drawn as boxes in PNG; in SVG it is text.
        warnings.filterwarnings("ignore", message="Glyph")
        canvas = Canvas(layout="constrained")
        if not draw(results, canvas):
            return None
        svg, png = io.StringIO(), io.BytesIO()
        canvas.savefig(
            svg, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
        # The places of all parts are known now; to find them again would take most of the time.
        canvas.set_layout_engine("none")
        canvas.savefig(png, format="png", dpi=144, facecolor="white", metadata={"Software": None})
    return Figure(name, title, svg.getvalue(), png.getvalue())


def _style(number: int) -> dict[str, Any]:
    """Colour first, then dashes: what tells lines apart that are many."""
    return {
        "color": _COLOURS[number % len(_COLOURS)],
        "linestyle": _DASHES[number // len(_COLOURS) % len(_DASHES)],
    }


def _logarithmic(axis: Any) -> None:
    """Put plain numbers on a logarithmic axis: powers of ten, or more where there are few."""
    from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

    axes = axis.axes
    (axes.set_xscale if axis.axis_name == "x" else axes.set_yscale)("log")
    low, high = sorted(axis.get_view_interval())
    low = max(low, high * 1e-12)
    ticks: list[float] = []
    for steps in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 5, 7)):
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        ticks = [step * 10.0**power for power in powers for step in steps]
        ticks = [tick for tick in ticks if low <= tick <= high]
        if len(ticks) >= 3:
            break
    else:
        # Hardly any range at all: round numbers within it.
        from matplotlib.ticker import MaxNLocator

        found = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high)
        ticks = [float(tick) for tick in found if low <= tick <= high]
    # Every second power, or third, where there is no room for all.
    ticks = ticks[:: math.ceil(len(ticks) / 6)]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: _plain_number(value)))
    axes.set(**{f"{axis.axis_name}lim": (low, high)})


def _plain_number(value: float) -> str:
    if abs(value) >= 1e6:
        return f"{value / 1e6:,g} M"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def _legend(canvas: Any, axes: Any, columns: int = 4) -> None:
    handles, names = axes.get_legend_handles_labels()
    # Some 14 letters to the inch, and as much as 5 of them for the line and the gap.
    room = int(14 * canvas.get_size_inches()[0] / (5 + max(map(len, names), default=1)))
    columns = max(1, min(columns, room, len(names)))
    canvas.legend(handles, names, loc="outside lower center", ncols=columns)


# -- cost against time ---------------------------------------------------------------------


def _draw_cost_drop(results: Results, canvas: Any) -> bool:
    if results.manifest.suite != "history-length":
        return False
    cases = [c for c in results.cases if any(record.trace for record in results.by_case[c])]
    if not cases:
        return False
    columns = min(2, len(cases))
    lines = math.ceil(len(cases) / columns)
    canvas.set_size_inches(4.2 * columns + 0.3, 2.7 * lines + 0.6)
    for place, case in enumerate(cases):
        axes = canvas.add_subplot(lines, columns, place + 1)
        records = results.by_case[case]
        for number, method in enumerate(results.methods):
            curve = mean_curve([record for record in records if record.method == method])
            if curve is not None:
                axes.step(*curve, where="post", label=method, linewidth=1.6, **_style(number))
        _logarithmic(axes.xaxis)
        axes.set_title(str(case[0]))
        axes.ticklabel_format(axis="y", style="plain", useOffset=False)
        if place % columns == 0:
            axes.set_ylabel("mean distance")
        if place >= len(cases) - columns:
            axes.set_xlabel("seconds (logarithmic)")
    _legend(canvas, canvas.axes[0])
    return True


def mean_curve(records: Sequence[Record]) -> tuple[list[float], list[float]] | None:
    """Return the mean distance of several runs at each time that one of them improved at.

    It starts when the last run has its first order, so that it is the mean of the same runs
    throughout.

    Example:
        >>> one = Record("t", "a", "x", cost=4, distance=2.0, trace=((0.1, 8, 0), (0.3, 4, 0)))
        >>> two = Record("u", "a", "x", cost=6, distance=3.0, trace=((0.2, 6, 0),))
        >>> mean_curve([one, two])
        ([0.2, 0.3], [3.5, 2.5])
    """
    traces = []
    for record in records:
        distance = distance_of(record)
        if record.trace and distance is not None and record.cost:
            scale = distance / record.cost
            times = [max(seconds, 1e-4) for seconds, _, _ in record.trace]
            traces.append((times, [cost * scale for _, cost, _ in record.trace]))
    if not traces:
        return None
    begin = max(times[0] for times, _ in traces)
    grid = sorted({t for times, _ in traces for t in times if t >= begin})
    values = [
        float(np.mean([v[np.searchsorted(t, now, side="right") - 1] for t, v in traces]))
        for now in grid
    ]
    return grid, values


# -- evaluators ----------------------------------------------------------------------------


def _draw_evaluation(results: Results, canvas: Any) -> bool:
    if results.manifest.suite != "evaluation":
        return False
    methods = [name for name in EVALUATORS if name in results.methods]
    if not methods:
        return False
    factors = speed_ups(results)
    canvas.set_size_inches(8.6, 1.6 + 0.42 * len(results.cases))
    left, right = canvas.add_subplot(1, 2, 1), canvas.add_subplot(1, 2, 2)
    height = 0.8 / len(methods)
    for number, method in enumerate(methods):
        rates = results.values(method, rate)
        places = [k + (number - (len(methods) - 1) / 2) * height for k in range(len(results.cases))]
        colour = _COLOURS[number]
        widths = [rates.get(case, math.nan) for case in results.cases]
        left.barh(places, widths, height * 0.92, color=colour, label=method)
        if method != "full":
            ratios = [factors.get(case, {}).get(method, math.nan) for case in results.cases]
            right.plot(ratios, places, _MARKERS[number], color=colour, markersize=6)
    low, high = published.EVALUATION_SPEED_UP
    right.axvspan(low, high, color=INK, alpha=0.18, linewidth=0, label="published, incremental")
    right.legend(loc="upper center")
    right.set_xscale("log")
    left.set_xscale("log")
    for axes in (left, right):
        _logarithmic(axes.xaxis)
        axes.set_ylim(len(results.cases) - 0.4, -0.6)
        axes.set_yticks(range(len(results.cases)), [str(case[0]) for case in results.cases])
    right.tick_params(labelleft=False)
    left.set_title("iterations")
    left.set_xlabel("iterations per second (logarithmic)")
    right.set_title("speed-up over full evaluation")
    right.set_xlabel("times (logarithmic)")
    _legend(canvas, left)
    return True


# -- time to target ------------------------------------------------------------------------


def _draw_targets(results: Results, canvas: Any) -> bool:
    if results.manifest.suite not in ("complete", "partial", "crossovers", "designs"):
        return False
    if not any(record.trace for record in results.records):
        return False
    canvas.set_size_inches(9.0, 3.6)
    end = max((record.elapsed or 0.0 for record in results.records), default=1.0) * 1.1
    axes = None
    for place, target in enumerate(TARGETS):
        axes = canvas.add_subplot(1, len(TARGETS), place + 1, sharey=axes)
        for number, method in enumerate(results.methods):
            runs = [record for record in results.records if record.method == method]
            times = [target_time(results, record, target) for record in runs]
            reached = sorted(max(t, 1e-3) for t in times if t is not None)
            shares = [100 * (k + 1) / len(runs) for k in range(len(reached))]
            # A curve ends at the right edge: no later run changes it.
            stop = max(end, reached[-1] if reached else 0.0)
            axes.step(
                [1e-3, *reached, stop],
                [0.0, *shares, shares[-1] if shares else 0.0],
                where="post",
                label=method,
                linewidth=1.6,
                **_style(number),
            )
        axes.set_xlim(1e-3, end)
        _logarithmic(axes.xaxis)
        axes.set_ylim(-2, 102)
        axes.set_title(f"within {100 * target:g} % of the best known")
        axes.set_xlabel("seconds (logarithmic)")
        if place:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel("% of runs there")
    _legend(canvas, axes, columns=8)
    return True


# -- gap by θ and m ------------------------------------------------------------------------


def _draw_gaps(results: Results, canvas: Any) -> bool:
    if results.manifest.suite not in ("complete", "partial"):
        return False
    from matplotlib import colormaps

    groups = {key: group for key, group in combinations(results).items() if None not in key[:2]}
    items = sorted({key[0] for key in groups})
    thetas = sorted({key[1] for key in groups}, reverse=True)
    if len(items) * len(thetas) < 4 or not results.bounds:
        return False
    readings = sorted({key[2] for key in groups}, key=str)
    across = len(results.methods) if len(results.methods) <= 5 else 4
    deep = math.ceil(len(results.methods) / across)
    lines = deep * len(readings)
    canvas.set_size_inches(
        0.42 * len(items) * across + 1.4, (0.6 + 0.34 * len(thetas)) * lines + 0.6
    )
    shades = colormaps["cividis"].resampled(20)
    picture = None
    for (r0, reading), (k, method) in product(enumerate(readings), enumerate(results.methods)):
        place = r0 * deep * across + k
        axes = canvas.add_subplot(lines, across, place + 1)
        gaps = np.full((len(thetas), len(items)), math.nan)
        for (m, theta, r), group in groups.items():
            sample = group.sample(method, group.gap)
            if r == reading and sample is not None:
                gaps[thetas.index(theta), items.index(m)] = sample.mean
        colours = np.log10(np.maximum(gaps, _LEAST_GAP))
        # Cells and not an image: an image would be a bitmap within the drawing.
        picture = axes.pcolormesh(
            range(len(items)), range(len(thetas)), colours, cmap=shades, vmin=-6, vmax=-1
        )
        axes.invert_yaxis()
        for (i, j), gap in np.ndenumerate(gaps):
            if not math.isnan(gap):
                ink = "#010101" if colours[i, j] > -3.2 else "white"
                text = "0" if gap == 0 else f"{100 * gap:.1g}" if gap < 1e-3 else f"{100 * gap:.2f}"
                size = 7.5 if len(text) < 6 else 6.0
                axes.text(j, i, text, ha="center", va="center", fontsize=size, color=ink)
        axes.set_title(method if reading is None else f"{method}, {reading}")
        axes.set_xticks(range(len(items)), [str(m) for m in items])
        axes.set_yticks(range(len(thetas)), [f"{theta:g}" for theta in thetas])
        axes.spines[:].set_visible(False)
        axes.tick_params(length=0)
        if k % across == 0:
            axes.set_ylabel("θ")
        else:
            axes.tick_params(labelleft=False)
        if k + across >= len(results.methods):
            axes.set_xlabel("m")
        else:
            axes.tick_params(labelbottom=False)
    bar = canvas.colorbar(picture, ax=canvas.axes, shrink=0.9, aspect=30)
    bar.set_ticks(range(-6, 0), labels=["≤ 0.0001", "0.001", "0.01", "0.1", "1", "10"])
    bar.set_label("mean gap to the bound, %")
    bar.outline.set_visible(False)
    return True


# -- against the published averages --------------------------------------------------------


def _draw_differences(results: Results, canvas: Any) -> bool:
    known = published.ROWS.get(results.manifest.suite)
    if known is None:
        return False
    groups = combinations(results)
    names = (REFERENCE, *reversed(known[0].averages))
    methods = [name for name in names if name in results.methods][: len(_COLOURS)]
    points: dict[str, list[tuple[int, float]]] = {method: [] for method in methods}
    ticks: list[str] = []
    limits: list[float] = []
    for place, (key, group) in enumerate(groups.items()):
        row = published.find_row(known, key[1], key[0])
        ticks.append(f"{key[2]}, " * (key[2] is not None) + f"θ = {key[1]}, m = {key[0]}")
        limits.append(most_by_chance(group) or 0.0)
        for method in methods:
            found = difference(group, row, method, "her" if method == REFERENCE else method)
            if found is not None and found[1]:
                points[method].append((place, found[0] / found[1]))
    if not any(points.values()):
        return False
    canvas.set_size_inches(7.6, 1.6 + 0.26 * len(ticks))
    axes = canvas.add_subplot()
    spans: dict[str, Any] = {"left": [-most for most in limits], "height": 1.0, "linewidth": 0}
    axes.barh(
        range(len(ticks)), [2 * most for most in limits], color=INK, alpha=0.15,
        label=f"within error (chance exceeds it in {100 * CHANCE:g} %)", **spans,
    )  # fmt: skip
    axes.axvline(0, color=INK, linewidth=0.8)
    for number, method in enumerate(methods):
        name = f"{method} − published {'her' if method == REFERENCE else method}"
        places = [place + 0.12 * (number - (len(methods) - 1) / 2) for place, _ in points[method]]
        sizes = [size for _, size in points[method]]
        axes.plot(sizes, places, _MARKERS[number], color=_COLOURS[number], markersize=5, label=name)
    widest = max(abs(size) for found in points.values() for _, size in found)
    if widest > 10:
        axes.set_xscale("symlog", linthresh=2, linscale=1.5)
        powers = [10.0**power for power in range(1, math.ceil(math.log10(widest)) + 1)]
        marks = [*(-power for power in reversed(powers)), -2.0, -1.0, 0.0, 1.0, 2.0, *powers]
        axes.set_xticks(marks, [_plain_number(mark) for mark in marks])
        axes.minorticks_off()
    axes.set_yticks(range(len(ticks)), ticks)
    axes.set_ylim(len(ticks) - 0.5, -0.5)
    axes.set_xlabel("difference of the averages, in standard errors of that difference")
    _legend(canvas, axes, columns=3)
    return True


# -- crossovers ----------------------------------------------------------------------------


def _draw_crossovers(results: Results, canvas: Any) -> bool:
    if results.manifest.suite != "crossovers":
        return False
    cases = list(results.best_known)
    if not cases:
        return False
    canvas.set_size_inches(8.6, 1.5 + 0.36 * len(cases))
    left, right = canvas.add_subplot(1, 2, 1), canvas.add_subplot(1, 2, 2)
    names = dict.fromkeys((*results.methods, *published.CROSSOVER_METHODS))
    for number, method in enumerate(names):
        look = {"color": _COLOURS[number % 6], "marker": _MARKERS[number % 6], "linestyle": "none"}
        offset = 0.14 * (number - (len(names) - 1) / 2)
        ours, theirs = [], []
        values = results.values(method)
        for place, case in enumerate(cases):
            best, known = results.best_known[case], published.CROSSOVERS.get(case[0])
            if case in values and best:
                ours.append((100 * (values[case] - best) / best, place + offset))
            if known is not None and method in known.averages:
                least = min(known.bests.values())
                theirs.append((100 * (known.averages[method] - least) / least, place + offset))
        for axes, points in ((left, ours), (right, theirs)):
            axes.plot([x for x, _ in points], [y for _, y in points], label=method, **look)
    for axes, title in ((left, "ours"), (right, "published")):
        axes.set_title(title)
        axes.set_xscale("symlog", linthresh=1e-3)
        axes.set_xlim(-1e-4, 1)
        axes.set_xticks([0, 1e-3, 1e-2, 1e-1, 1], ["0", "0.001", "0.01", "0.1", "1"])
        axes.set_ylim(len(cases) - 0.5, -0.5)
        axes.set_yticks(range(len(cases)), [str(case[0]) for case in cases])
        axes.grid(axis="y", color=INK, alpha=0.15)
        axes.set_xlabel("average above the best known, %")
    right.tick_params(labelleft=False)
    _legend(canvas, left, columns=6)
    return True


# -- growth --------------------------------------------------------------------------------


def _draw_growth(results: Results, canvas: Any) -> bool:
    if results.manifest.suite != "scale":
        return False
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
            look = _style(number)
            axes.plot(
                x, y, _MARKERS[number % 6], markersize=5, color=look["color"],
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
        _logarithmic(axes.xaxis)
        _logarithmic(axes.yaxis)
        axes.set_xlabel(f"{axis} (logarithmic)")
        unit_name = {"bytes": "MiB", "seconds": "seconds"}.get(measure_kind(name), name)
        axes.set_ylabel(f"{unit_name} (logarithmic)")
        axes.set_title(f"{name.replace('_', ' ')} by {axis}")
        axes.legend(loc="upper left", fontsize=8)
    return True


_FIGURES: tuple[tuple[str, str, Callable[[Results, Any], bool]], ...] = (
    ("cost-drop", "Cost against time by history length, mean of the runs", _draw_cost_drop),
    ("evaluation", "Iterations and speed-up by evaluator", _draw_evaluation),
    ("differences", "Our averages minus the published ones", _draw_differences),
    ("gaps", "Mean gap to the lower bound by θ and m", _draw_gaps),
    ("crossovers", "Average above the best known by crossover", _draw_crossovers),
    ("targets", "Time to come within a share of the best known", _draw_targets),
    ("growth", "Growth of time and memory", _draw_growth),
)
