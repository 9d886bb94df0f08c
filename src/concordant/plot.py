"""Pictures of what comes out, on matplotlib axes or to a file. Needs the `plot` extra."""

from __future__ import annotations

import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant._files import atomic_write
from concordant.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from concordant.comparison import Comparison, Row


def draw_comparison(found: Comparison, axes: Any = None) -> Any:
    """Draw a bar per method, its gap to the bound, on matplotlib axes; return the axes.

    Gaps are drawn on a logarithmic scale; a method without a gap has no bar.

    Args:
        found: What `compare` returned.
        axes: Where to draw; by default on a figure of their own.

    Raises:
        SettingError: Without matplotlib.

    Example:
        >>> from concordant import Rankings, compare
        >>> found = compare(Rankings.from_orders([["a", "b"]]), ["borda"])
        >>> draw_comparison(found).get_yticklabels()[0].get_text()  # doctest: +SKIP
        'borda'
    """
    figure = _figure_class()
    if axes is None:
        size = 8, 1.2 + 0.27 * len(found.rows)
        axes = figure(figsize=size, layout="constrained").add_subplot()
    _draw_bars(found.rows, axes)
    return axes


def save_plot(draw: Callable[[], Any], path: str | Path) -> None:
    """Save the axes that `draw` returns as a picture; the suffix of the file says which kind.

    Args:
        draw: Called without arguments once it is known that the picture can be made.
        path: Where it shall be. A file there is replaced.

    Raises:
        SettingError: Without matplotlib, or when there is no such kind of picture.
    """
    check_plot(path)
    picture = io.BytesIO()
    kind = Path(path).suffix.removeprefix(".").lower()
    draw().figure.savefig(picture, format=kind, dpi=150)
    atomic_write(path, picture.getvalue())


def check_plot(path: str | Path) -> None:
    """Refuse a picture that cannot be drawn, before any work: no matplotlib, or no such format."""
    kinds = _figure_class()().canvas.get_supported_filetypes()
    if Path(path).suffix.removeprefix(".").lower() not in kinds:
        raise SettingError(
            f"a plot is drawn to a file that ends in {', '.join(f'.{kind}' for kind in kinds)}, "
            f"not to {str(path)!r}"
        )


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SettingError(
            "plots need matplotlib: install concordant with its 'plot' extra"
        ) from None
    return Figure


def _draw_bars(rows: Sequence[Row], axes: Any) -> None:
    """Draw horizontal bars, the best method on top."""
    percents = [100 * row.gap for row in rows]
    least = min((value for value in percents if value > 0), default=1.0)
    most = max(max(percents, default=1.0), least)
    left = 10 ** math.floor(math.log10(least) - 0.2)
    proven = "#2a7f62"
    for place, (row, value) in enumerate(zip(rows, percents, strict=True)):
        axes.barh(place, max(value - left, 0), left=left, height=0.7, color="#4878a8")
        text = f"{value:.3g} %" if value > 0 else "optimal, proven"
        time = f"{row.elapsed:.2g} s" if row.elapsed >= 0.01 else "below 0.01 s"
        at = value if value > 0 else left
        axes.annotate(
            f" {text}, {time}",
            (at, place),
            va="center",
            fontsize="small",
            color=proven if value == 0 else "#333333",
        )
    axes.set_xscale("log")
    # Room for the text behind the longest bar.
    axes.set_xlim(left, left * (max(most, 10 * left) / left) ** 1.4)
    axes.set_yticks(range(len(rows)), [row.method for row in rows])
    axes.set_ylim(len(rows) - 0.4, -0.6)
    axes.set_xlabel("gap to the proven bound, % of the cost (logarithmic)")
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
