"""Plots of runs: cost and bound over time, methods side by side, resampled voters."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from concordant.formatting import number, percent
from concordant.plot.drawing import (
    BLUE,
    GREEN,
    GREY,
    LABEL,
    ORANGE,
    SKY,
    axes_or_new,
    drawn_words,
    heading,
    height_for,
    label_rows,
    name_of,
    nothing_to_show,
    number_positions,
    rows_drawn,
    text_style,
    tidy,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from concordant.comparison import Comparison, Row
    from concordant.consensus import Consensus


class Intervals(Protocol):
    """The interval of each place of a ranking: what `concordant.bootstrap` returns."""

    @property
    def items(self) -> Sequence[Any]:
        """The items, in the order of the consensus."""

    @property
    def low(self) -> Any:
        """The first position of each interval, from 1."""

    @property
    def median(self) -> Any:
        """The median of the positions."""

    @property
    def high(self) -> Any:
        """The last position of each interval."""

    @property
    def level(self) -> float:
        """The share of the samples in each interval."""

    @property
    def places(self) -> Sequence[int]:
        """The place of each item in the consensus, from 1."""


def progress(result: Consensus, ax: Any = None) -> Any:
    """Draw the cost of the best ranking and the proven bound over time.

    Args:
        result: A result, with its trace.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.

    Example:
        >>> from concordant import aggregate
        >>> progress(aggregate([[0, 2, 1], [1, 0, 2], [2, 1, 0]])).get_xlabel()
        'time (s)'
    """
    ax = axes_or_new(ax, 7.5, 3.4)
    if not result.trace:
        return nothing_to_show(ax, f"Method {result.method} keeps no trace.")
    points = [*result.trace, (result.elapsed, 0, result.cost, result.lower_bound)]
    times = np.array([point[0] for point in points], float)
    costs = np.array([point[2] for point in points], float)
    bounds = np.array([point[3] for point in points], float)
    from matplotlib.ticker import FuncFormatter, MaxNLocator, NullFormatter

    first = max(float(times[0]), 1e-4)
    ax.fill_between(times, bounds, costs, step="post", color=SKY, alpha=0.25, linewidth=0)
    ax.step(
        times, costs, where="post", color=ORANGE, linewidth=2.6, label="cost of the best ranking"
    )
    ax.step(times, bounds, where="post", color=BLUE, linewidth=1.4, label="proven lower bound")
    ax.plot(times[-1:], costs[-1:], "o", color=ORANGE, markersize=6)
    ax.plot(times[-1:], bounds[-1:], "o", color=BLUE, markersize=3)
    if result.elapsed > 100 * first:
        ax.set_xscale("log")
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.set_xlim(first * 0.9, result.elapsed * 1.15)
    # The first bounds may be far below; the axis shows where the two come close.
    low, high = float(np.median(bounds)), float(costs.max())
    room = max(0.06 * (high - low), 1e-3 * abs(high), 1.0 if isinstance(result.cost, int) else 0)
    ax.set_ylim(low - room, high + (2 * room or 1.0))
    ax.yaxis.set_major_locator(MaxNLocator(6, integer=isinstance(result.cost, int)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: number(round(float(value), 6))))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_xlabel("time (s)", fontsize=9)
    unit = "cost (lost worth)" if result.n_rankings is None else "total disagreements"
    ax.set_ylabel(unit, fontsize=9)
    ax.legend(frameon=False, fontsize=LABEL, loc="upper right")
    end = (
        "they met, so no ranking costs less"
        if result.status == "optimal"
        else f"the gap is {percent(result.gap)} of the cost"
    )
    heading(ax, f"Cost and proven bound over time: {end}")
    tidy(ax, "y")
    return ax


def bootstrap(boot: Intervals, ax: Any = None) -> Any:
    """Draw the interval of each place when the voters are resampled.

    Args:
        boot: What `concordant.bootstrap` returned.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.
    """
    m = len(boot.items)
    ax = axes_or_new(ax, 7.5, height_for(m))
    low, high, median = (np.asarray(each, float) for each in (boot.low, boot.high, boot.median))
    place = rows_drawn(m)
    low, high, median = low[place], high[place], median[place]
    room = ax.get_window_extent().height / ax.figure.dpi * 72 / max(m, 1)
    thick = min(5.0, max(0.8, 0.5 * room))
    # Round ends make an interval of one position visible.
    ax.hlines(place, low, high, color=BLUE, linewidth=thick, capstyle="round")
    size = min(22.0, max(2.5, thick**2))
    ax.scatter(
        median,
        place,
        s=size,
        color="white",
        edgecolor=BLUE,
        linewidth=0.8 if thick > 3 else 0,
        zorder=3,
    )
    note = f"Line: {percent(boot.level)} of the samples; dot: median; slope: the consensus."
    rank_low, rank_high = (getattr(boot, name, None) for name in ("rank_low", "rank_high"))
    if rank_low is not None and rank_high is not None:
        ends = np.asarray(rank_low, float)[place], np.asarray(rank_high, float)[place]
        ax.hlines(place, *ends, color=SKY, linewidth=max(0.5, thick / 3), zorder=1)
        note = f"Thick: {percent(boot.level)} of the samples; dot: median; thin: all items at once."
    consensus = np.array(boot.places, np.float64)
    ax.plot(consensus[place], place, color=ORANGE, linewidth=1, zorder=2.5)
    label_rows(ax, [name_of(item) for item in boot.items])
    number_positions(ax, m, "position when the voters are resampled")
    heading(ax, "How firm each place is", note + drawn_words(m, place.size))
    tidy(ax, "x")
    return ax


def comparison(found: Comparison, ax: Any = None) -> Any:
    """Draw a bar for each method: its gap to the proven bound, on a logarithmic scale.

    A method without a gap has no bar.

    Args:
        found: What `compare` returned.
        ax: The axes to draw on; by default those of a new figure.

    Raises:
        SettingError: matplotlib is not installed.

    Example:
        >>> from concordant import Rankings, compare
        >>> found = compare(Rankings.from_orders([["a", "b"]]), ["borda"])
        >>> comparison(found).get_yticklabels()[0].get_text()
        'borda'
    """
    ax = axes_or_new(ax, 8, 1.5 + 0.27 * len(found.rows))
    _draw_bars(found.rows, ax)
    heading(ax, "Methods side by side: how far above the proven bound")
    return ax


def _draw_bars(rows: Sequence[Row], ax: Any) -> None:
    """Draw horizontal bars, the best method on top."""
    percents = [100 * row.gap for row in rows]
    least = min((value for value in percents if value > 0), default=1.0)
    most = max(max(percents, default=1.0), least)
    left = 10 ** math.floor(math.log10(least) - 0.2)
    for place, (row, value) in enumerate(zip(rows, percents, strict=True)):
        ax.barh(place, max(value - left, 0), left=left, height=0.7, color=BLUE)
        text = f"{value:.3g} %" if value > 0 else "optimal, proven"
        time = f"{row.elapsed:.2g} s" if row.elapsed >= 0.01 else "below 0.01 s"
        ax.annotate(
            f" {text}, {time}",
            (value if value > 0 else left, place),
            va="center",
            fontsize=LABEL,
            color=GREEN if value == 0 else "black",
        )
    ax.set_xscale("log")
    # Room for the text behind the longest bar.
    ax.set_xlim(left, left * (max(most, 10 * left) / left) ** 1.4)
    ax.set_yticks(range(len(rows)), [row.method for row in rows], **text_style())
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.set_xlabel("gap to the proven bound, % of the cost (logarithmic)", fontsize=9)
    tidy(ax)
    ax.spines["bottom"].set_color(GREY)
