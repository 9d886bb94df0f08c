"""Building blocks of figures, drawn with matplotlib as SVG and PNG; same data, same bytes."""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from concordant.bench.records import Record
from concordant.bench.results import Results
from concordant.bench.tables import TARGETS, target_time
from concordant.errors import SettingError
from concordant.formatting import printable

# The colour of lines and text; an HTML page replaces it with the colour of its own text.
INK = "#444444"
# Okabe and Ito's colours, which colour-blind readers can distinguish; those that are legible on
# white and on black.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))
MARKERS = "osD^vP"
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
    "text.parse_math": False,  # names are not formulas
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure in both formats.

    Attributes:
        name: Short and unique in its suite.
        title: What it shows, also for those who cannot see it.
        svg: The SVG, with a transparent background and text as text.
        png: The PNG, with a white background.
    """

    name: str
    title: str
    svg: str
    png: bytes


@dataclass(frozen=True, slots=True)
class Drawing:
    """How a figure of a suite is drawn.

    Attributes:
        name: Short and unique in its suite.
        title: What it shows, also for those who cannot see it.
        draw: Draws results on a matplotlib figure; returns False if there is nothing to draw.
    """

    name: str
    title: str
    draw: Callable[[Results, Any], bool]


def draw_figures(drawings: Sequence[Drawing], results: Results) -> list[Figure]:
    """Return the figures of some results, without those that have nothing to draw.

    Raises:
        SettingError: Without matplotlib.
    """
    results = replace(results, records=tuple(map(_drawable, results.records)))
    found = (_render(drawing, results) for drawing in drawings)
    return [figure for figure in found if figure is not None]


def _drawable(record: Record) -> Record:
    """Return a record with names that have no control characters."""
    names = printable(record.instance), printable(record.method)
    if names == (record.instance, record.method):
        return record
    return replace(record, instance=names[0], method=names[1])


def _render(drawing: Drawing, results: Results) -> Figure | None:
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure as Canvas
    except ImportError:
        raise SettingError(
            "a report needs matplotlib: install concordant with its 'bench' extra"
        ) from None
    # The style holds for this figure only, and the reader's own settings do not change it.
    settings: dict[Any, Any] = {**mpl.rcParamsDefault, **_STYLE}
    with mpl.rc_context(settings), warnings.catch_warnings():
        # A character that the font lacks becomes a box in PNG; in SVG it stays text.
        warnings.filterwarnings("ignore", message="Glyph")
        canvas = Canvas(layout="constrained")
        if not drawing.draw(results, canvas):
            return None
        svg, png = io.StringIO(), io.BytesIO()
        canvas.savefig(
            svg, format="svg", transparent=True, metadata={"Date": None, "Creator": None}
        )
        # The layout is known now; computing it again would take most of the time.
        canvas.set_layout_engine("none")
        canvas.savefig(png, format="png", dpi=144, facecolor="white", metadata={"Software": None})
    return Figure(drawing.name, drawing.title, svg.getvalue(), png.getvalue())


def line_style(number: int) -> dict[str, Any]:
    """Return the style of a line: colours differ first, then dashes."""
    return {
        "color": COLOURS[number % len(COLOURS)],
        "linestyle": _DASHES[number // len(COLOURS) % len(_DASHES)],
    }


def logarithmic(axis: Any) -> None:
    """Label a logarithmic axis with plain numbers: powers of ten, or more if these are few."""
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
        # The range is narrow: use round numbers within it.
        from matplotlib.ticker import MaxNLocator

        found = MaxNLocator(4, steps=[1, 2, 5, 10]).tick_values(low, high)
        ticks = [float(tick) for tick in found if low <= tick <= high]
    # Keep at most six ticks: there is no room for more.
    ticks = ticks[:: math.ceil(len(ticks) / 6)]
    axis.set_major_locator(FixedLocator(ticks))
    axis.set_minor_locator(NullLocator())
    axis.set_major_formatter(FuncFormatter(lambda value, _: plain_number(value)))
    axes.set(**{f"{axis.axis_name}lim": (low, high)})


def plain_number(value: float) -> str:
    """Return a number for an axis; millions as "M"."""
    if abs(value) >= 1e6:
        return f"{value / 1e6:,g} M"
    return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"


def legend(canvas: Any, axes: Any, columns: int = 4) -> None:
    """Put a legend below all axes, with as many columns as fit."""
    handles, names = axes.get_legend_handles_labels()
    # About 14 letters fit in an inch; the line and the gap take the room of 5.
    room = int(14 * canvas.get_size_inches()[0] / (5 + max(map(len, names), default=1)))
    columns = max(1, min(columns, room, len(names)))
    canvas.legend(handles, names, loc="outside lower center", ncols=columns)


# -- time to target ------------------------------------------------------------------------


def _draw_targets(results: Results, canvas: Any) -> bool:
    if not any(record.trace for record in results.records):
        return False
    canvas.set_size_inches(9.0, 3.6)
    end = max((record.elapsed or 0.0 for record in results.records), default=1.0) * 1.1
    axes = None
    for place, target in enumerate(TARGETS):
        axes = canvas.add_subplot(1, len(TARGETS), place + 1, sharey=axes)
        for number, method in enumerate(results.methods):
            runs = results.runs(method)
            times = [target_time(results, record, target) for record in runs]
            reached = sorted(max(t, 1e-3) for t in times if t is not None)
            shares = [100 * (k + 1) / len(runs) for k in range(len(reached))]
            # Extend the curve to the right edge: nothing changes after the last run.
            stop = max(end, reached[-1] if reached else 0.0)
            axes.step(
                [1e-3, *reached, stop],
                [0.0, *shares, shares[-1] if shares else 0.0],
                where="post",
                label=method,
                linewidth=1.6,
                **line_style(number),
            )
        axes.set_xlim(1e-3, end)
        logarithmic(axes.xaxis)
        axes.set_ylim(-2, 102)
        axes.set_title(f"within {100 * target:g} % of the best known")
        axes.set_xlabel("seconds (logarithmic)")
        if place:
            axes.tick_params(labelleft=False)
        else:
            axes.set_ylabel("% of runs there")
    legend(canvas, axes, columns=8)
    return True


TIME_TO_TARGET = Drawing("targets", "Time to come within a share of the best known", _draw_targets)
