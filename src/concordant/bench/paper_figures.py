"""Figures of the paper's kinds of instances: gaps by θ and m, differences to published averages."""

from __future__ import annotations

import math
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from concordant.bench.figures import (
    COLOURS,
    INK,
    MARKERS,
    TIME_TO_TARGET,
    Drawing,
    legend,
    plain_number,
)
from concordant.bench.paper_tables import CHANCE, Rows, combinations
from concordant.bench.results import Results
from concordant.bench.tables import REFERENCE

# A gap below this has the colour of no gap in a heat map.
_LEAST_GAP = 1e-6


def aggregation_figures(rows: Rows) -> tuple[Drawing, ...]:
    """Return the figures of a suite that aggregates Mallows instances, beside a published table."""
    differences = partial(_draw_differences, rows=rows)
    return (
        Drawing("differences", "Our averages minus the published ones", differences),
        Drawing("gaps", "Mean gap to the lower bound by θ and m", _draw_gaps),
        TIME_TO_TARGET,
    )


def _draw_gaps(results: Results, canvas: Any) -> bool:
    from matplotlib import colormaps

    groups = results.groups("items", "theta", "reading")
    groups = {key: group for key, group in groups.items() if None not in key[:2]}
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
            gap = group.mean(method, group.gap)
            if r == reading and gap is not None:
                gaps[thetas.index(theta), items.index(m)] = gap
        colours = np.log10(np.maximum(gaps, _LEAST_GAP))
        # Cells stay vectors; an image would be a bitmap within the drawing.
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


def _draw_differences(results: Results, canvas: Any, rows: Rows) -> bool:
    names = (REFERENCE, *reversed(rows[0].averages))
    methods = [name for name in names if name in results.methods][: len(COLOURS)]
    points: dict[str, list[tuple[int, float]]] = {method: [] for method in methods}
    ticks: list[str] = []
    limits: list[float] = []
    for place, each in enumerate(combinations(results, rows)):
        reading = "" if each.reading is None else f"{each.reading}, "
        ticks.append(f"{reading}θ = {each.theta}, m = {each.items}")
        limits.append(each.most_by_chance or 0.0)
        for method in methods:
            found = each.difference(method, "her" if method == REFERENCE else method)
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
        axes.plot(sizes, places, MARKERS[number], color=COLOURS[number], markersize=5, label=name)
    widest = max(abs(size) for found in points.values() for _, size in found)
    if widest > 10:
        axes.set_xscale("symlog", linthresh=2, linscale=1.5)
        powers = [10.0**power for power in range(1, math.ceil(math.log10(widest)) + 1)]
        marks = [*(-power for power in reversed(powers)), -2.0, -1.0, 0.0, 1.0, 2.0, *powers]
        axes.set_xticks(marks, [plain_number(mark) for mark in marks])
        axes.minorticks_off()
    axes.set_yticks(range(len(ticks)), ticks)
    axes.set_ylim(len(ticks) - 0.5, -0.5)
    axes.set_xlabel("difference of the averages, in standard errors of that difference")
    legend(canvas, axes, columns=3)
    return True
