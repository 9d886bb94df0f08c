"""What all plots share: axes, names that fit, colours, picture files and SVG."""

from __future__ import annotations

import io
import re
import textwrap
import threading
import unicodedata
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import numpy as np

from concordant._files import atomic_write
from concordant._types import Int64
from concordant.errors import SettingError, cut
from concordant.formatting import printable
from concordant.pairwise import order_of

if TYPE_CHECKING:
    from concordant.consensus import Consensus
    from concordant.rankings import Item

# Colours that differ for people with any kind of colour vision (Okabe and Ito 2008).
BLUE, ORANGE, GREEN, PINK, SKY = "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9"
GREY, PALE = "#767676", "#c8c8c8"
# The CSS variable that sets each colour on a page. Text is black, the default of matplotlib, or
# dark grey in the figures of the experiments.
_VARIABLES = {
    "#000000": "ink",
    "#444444": "ink",
    BLUE: "blue",
    ORANGE: "orange",
    GREEN: "green",
    PINK: "pink",
    SKY: "sky",
    GREY: "grey",
    PALE: "pale",
}
# The size of a label in points, the smallest size of many labels, and the height of a line as a
# multiple of the size.
LABEL, _SMALLEST, _SPACING = 8.0, 5.0, 1.15
_LONGEST_NAME = 28
# Fonts with letters that the default font of matplotlib lacks; those that are installed are used.
_FURTHER_FONTS = (
    *("Noto Sans", "Noto Sans CJK JP", "Noto Sans CJK SC", "Noto Sans Arabic", "Noto Sans Hebrew"),
    *("Noto Sans Devanagari", "Noto Sans Thai", "Hiragino Sans", "PingFang SC", "Yu Gothic"),
    *("Microsoft YaHei", "Malgun Gothic", "WenQuanYi Zen Hei", "Nirmala UI", "Arial Unicode MS"),
    *("Noto Emoji", "Segoe UI Symbol", "Apple Symbols", "Unifont"),
)
_SVG, _XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
# Characters that no XML document may contain, besides those that `printable` spells out.
_NOT_XML = re.compile("[\ufffe\uffff]")
_DIGITS = re.compile(r"-?\d+\.\d{3,}")
# All threads share the settings of matplotlib and the warning filters of Python.
_ALONE = threading.RLock()


# -- axes and names --------------------------------------------------------------------------


def axes_or_new(ax: Any, width: float, height: float) -> Any:
    """Return the given axes, or new axes on a figure of this size in inches.

    A notebook shows new axes as a picture, by their method `_repr_png_`.
    """
    figure = _figure_class()
    if ax is None:
        ax = figure(figsize=(width, height), layout="constrained").add_subplot()
        ax._repr_png_ = partial(picture, ax, dpi=100)
    return ax


def _figure_class() -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise SettingError(
            "plots need matplotlib, which is not installed: install the 'plot' extra, "
            'pip install "concordant[plot]"'
        ) from None
    return Figure


def height_for(items: int) -> float:
    """Return the inches that a row for each item takes, at most 24.

    Up to 250 rows are high enough for a name each.
    """
    return min(1.4 + max(0.2 * min(items, 50), 0.085 * items + 0.3), 24.0) if items > 3 else 2.2


def consensus_order(ranking: Consensus | Sequence[Item], items: Sequence[Item]) -> Int64:
    """Return a result, or a list of items, as the numbers of the items, best first."""
    given = ranking.ranking_of(items) if hasattr(ranking, "ranking_of") else ranking
    return order_of(given, items)


def consensus_rank(ranking: Consensus | Sequence[Item], items: Sequence[Item]) -> Int64:
    """Return the rank of each item in a result, or in a list of items; tied items share one.

    Example:
        >>> consensus_rank(["b", "a"], ("a", "b")).tolist()
        [2, 1]
    """
    order = consensus_order(ranking, items)
    tiers = getattr(ranking, "tiers", None) or [(a,) for a in order.tolist()]
    rank = np.empty(order.size, np.int64)
    rank[order] = np.repeat(np.arange(1, len(tiers) + 1), [len(tier) for tier in tiers])
    return rank


def name_of(item: object, most: int = _LONGEST_NAME) -> str:
    r"""Return a name that fits beside a plot, on one line.

    Example:
        >>> name_of("Zoë"), name_of("x" * 40), name_of("two\nlines")
        ('Zoë', 'xxxxxxxxxxxxxxxxxxxxxxxxxxx…', 'two\\nlines')
    """
    text = cut(printable(item), most)
    if any(unicodedata.bidirectional(char) in ("R", "AL") for char in text):
        # Keeps text before the name on its left.
        text = f"\u200e{text}"
    return _NOT_XML.sub("\ufffd", text) if text.strip() else repr(str(item))


def numbered_name(place: int, name: str) -> str:
    """Return a name behind its position, counted from 1; both read from the left."""
    return f"\u200e{place + 1}. {name}" if "\u200e" in name else f"{place + 1}. {name}"


def text_style(**more: Any) -> dict[str, Any]:
    """Return the text properties of names: `$` is an ordinary character, and all scripts work."""
    return {"parse_math": False, "fontfamily": list(_families()), **more}


@cache
def _families() -> tuple[str, ...]:
    from matplotlib import font_manager, rcParams

    installed = {font.name for font in font_manager.fontManager.ttflist}
    return (*rcParams["font.family"], *(name for name in _FURTHER_FONTS if name in installed))


def shown_places(ax: Any, count: int, side: str) -> tuple[list[int], float]:
    """Choose which rows or columns are labelled, and the size of the letters in points.

    All are labelled if there is room, with smaller letters if need be; otherwise every second,
    fifth, tenth and so on, with the first and the last.

    Args:
        ax: The axes.
        count: The number of rows or columns.
        side: "x" or "y".
    """
    points = _points(ax, side)
    places = list(range(count))
    if count * _SMALLEST * _SPACING > points:
        room = max(2, int(points / (LABEL * _SPACING)))
        step = next(s for s in _steps() if (count - 1) / s + 2 <= room)
        # Numbered as people count: the first, then multiples of the step; 2 is too near to 1.
        places = [0, *range(max(step - 1, 3), count, step)]
        if count - 1 - places[-1] > step / 2:
            places.append(count - 1)
        else:
            places[-1] = count - 1
    return places, min(LABEL, points / max(len(places), 1) / _SPACING)


def _points(ax: Any, side: str) -> float:
    """Return how wide or high axes are in points.

    Axes that are alone in a figure take all of it but the room for the text beside them, once
    they are laid out; others are taken as they are.
    """
    figure, box = ax.figure, ax.get_window_extent()
    if not _is_alone(ax):
        return float((box.width if side == "x" else box.height) / figure.dpi * 72)
    inches = figure.get_figwidth() - 3.2 if side == "x" else figure.get_figheight() - 1.6
    return 72 * max(float(inches), 1.0)


def _is_alone(ax: Any) -> bool:
    place = ax.get_subplotspec()
    return place is not None and place.get_gridspec().get_geometry() == (1, 1)


def _steps() -> Iterator[int]:
    for power in range(12):
        for first in (1, 2, 5):
            yield first * 10**power


def rows_drawn(count: int, most: int = 400) -> Int64:
    """Choose the rows that are drawn: all, or of very many at most `most`.

    Example:
        >>> rows_drawn(3).tolist(), rows_drawn(1000).size
        ([0, 1, 2], 334)
    """
    return np.arange(0, count, -(-count // most))


def drawn_words(count: int, drawn: int) -> str:
    """Return a note if not all rows are drawn."""
    return "" if drawn == count else f" Drawn: {drawn:,} of {count:,} items."


def label_rows(ax: Any, names: Sequence[str], *, numbered: bool = True) -> None:
    """Name the rows of a plot, from the top; without room for all, some of them."""
    count = len(names)
    ax.set_ylim(count - 0.4, -0.6)
    places, size = shown_places(ax, count, "y")
    texts = [numbered_name(p, names[p]) if numbered else names[p] for p in places]
    ax.set_yticks(places, texts, **text_style(fontsize=size))
    ax.tick_params(axis="y", length=0 if len(places) == count else 3)


def heading(ax: Any, title: str, note: str = "") -> None:
    """Set the title and a note below it, both broken into lines that fit."""
    figure = ax.figure
    # Axes that have not been laid out yet take 0.775 of their cell; labels need some of it.
    inches = ax.get_window_extent().width / 0.775 / figure.dpi
    points = 72 * (figure.get_figwidth() if _is_alone(ax) else inches)
    longest = max((len(label.get_text()) for label in ax.get_yticklabels()), default=0)
    letters = max(24, int((points - 0.6 * LABEL * longest - 40) / 5.9))
    lines = [*textwrap.wrap(title, letters), *textwrap.wrap(note, letters)]
    ax.set_title("\n".join(lines), loc="left", **text_style(fontsize=10))


def number_positions(ax: Any, last: float, label: str) -> None:
    """Make the x axis count positions, from 1."""
    from matplotlib.ticker import MaxNLocator

    ax.set_xlim(0.5, last + 0.5)
    ax.xaxis.set_major_locator(MaxNLocator(9, integer=True))
    ax.set_xlabel(f"{label} (1 = first)", fontsize=9)


def tidy(ax: Any, grid: str = "") -> None:
    """Remove two sides of the frame; draw a pale grid along one axis."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(GREY)
    ax.tick_params(color=GREY)
    if grid:
        ax.grid(axis=grid, color=PALE, linewidth=0.6)
        ax.set_axisbelow(True)


def nothing_to_show(ax: Any, why: str) -> Any:
    """Write on the axes why there is no plot; return them."""
    ax.text(0.5, 0.5, why, transform=ax.transAxes, ha="center", va="center", color=GREY)
    ax.set_axis_off()
    return ax


# -- files -----------------------------------------------------------------------------------


def save_plot(draw: Callable[[], Any], path: str | Path) -> None:
    """Save the axes that `draw` returns as a picture; the suffix of the file sets the format.

    Args:
        draw: Returns the axes; called after the format has been checked.
        path: The file to write. An existing file is replaced.

    Raises:
        SettingError: matplotlib is not installed, or the format is not supported.
    """
    check_plot(path)
    kind = Path(path).suffix.removeprefix(".").lower()
    atomic_write(path, picture(draw(), kind))


def check_plot(path: str | Path) -> None:
    """Raise a SettingError if matplotlib is not installed or cannot write this format."""
    kinds = _figure_class()().canvas.get_supported_filetypes()
    if Path(path).suffix.removeprefix(".").lower() not in kinds:
        raise SettingError(
            f"cannot draw a plot to {str(path)!r}: use a name that ends in "
            f"{', '.join(f'.{kind}' for kind in kinds)}"
        )


def picture(ax: Any, kind: str = "png", **settings: Any) -> bytes:
    """Return the figure of some axes as a picture file, such as "png" or "pdf".

    Letters that no installed font has are drawn as boxes, without warnings.
    """
    found = io.BytesIO()
    with _ALONE, warnings.catch_warnings():
        warnings.filterwarnings("ignore", "(?s).*[Gg]lyph.*", UserWarning)
        warnings.filterwarnings("ignore", "(?s).*constrained_layout.*", UserWarning)
        ax.figure.savefig(found, format=kind, **{"dpi": 150, **settings})
    return found.getvalue()


def svg(ax: Any, label: str, prefix: str = "plot") -> str:
    """Return the figure of some axes as an SVG element for a page; see `embed`.

    Args:
        ax: What a function of this package returned.
        label: What it shows, for readers who cannot see it.
        prefix: The start of its ids; use another one for each picture of a page.

    Example:
        >>> from concordant import Rankings, aggregate, plot
        >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["a", "b"]])
        >>> text = plot.svg(plot.agreement(data, aggregate(data)), "Agreement")
        >>> text[:4], 'aria-label="Agreement"' in text
        ('<svg', True)
    """
    from matplotlib import rc_context

    left_out = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with _ALONE, rc_context({"svg.fonttype": "none", "svg.hashsalt": prefix}):
        drawn = picture(ax, "svg", metadata=left_out, transparent=True)
    return embed(drawn, label, prefix)


def svg_file(ax: Any, label: str) -> str:
    """Return the figure of some axes as an SVG file.

    Its text is text, drawn in the fonts of whoever opens it, so names in any script are legible
    where the reader has a font for them.

    Example:
        >>> from concordant import Rankings, aggregate, plot
        >>> data = Rankings.from_orders([["a", "b"], ["b", "a"], ["a", "b"]])
        >>> text = plot.svg_file(plot.agreement(data, aggregate(data)), "Agreement")
        >>> text.startswith("<svg"), 'font-family="system-ui, sans-serif"' in text
        (True, True)
    """
    root = ET.fromstring(svg(ax, label))
    root.tag, root.attrib["xmlns"] = "svg", _SVG
    _, _, width, height = map(float, root.attrib["viewBox"].split())
    root.set("height", f"{float(root.attrib['width']) * height / width:.0f}")
    root.set("font-family", "system-ui, sans-serif")
    # A program with a dark background would show black letters on it.
    root.set("style", "background: #ffffff")
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    return ET.tostring(root, encoding="unicode")


def embed(drawing: str | bytes, label: str, prefix: str) -> str:
    """Return an SVG file of matplotlib as an element for a page: `<svg role="img" …>`.

    Its text is set in the font of the page, and its background is transparent. A page can set its
    colours with the CSS variables `--plot-ink`, `--plot-blue`, `--plot-orange`, `--plot-green`,
    `--plot-pink`, `--plot-sky`, `--plot-grey` and `--plot-pale`. It contains no style sheet,
    script or link.

    Args:
        drawing: The SVG file, with text as text.
        label: What it shows, for readers who cannot see it.
        prefix: The start of its ids; use another one for each picture of a page.
    """
    root = ET.fromstring(drawing)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{{{_SVG}}}metadata", f"{{{_SVG}}}style"):
                parent.remove(child)
    for element in root.iter():
        _rename(element, prefix)
        _restyle(element)
        _round(element)
    root.set("role", "img")
    root.set("aria-label", _NOT_XML.sub("\ufffd", printable(label)))
    del root.attrib["height"]
    points = float(root.attrib["width"].removesuffix("pt"))
    root.set("width", f"{points * 96 / 72:.0f}")
    # HTML wants the names of the elements without a namespace.
    for element in root.iter():
        element.tag = element.tag.rpartition("}")[2]
    root.set("xmlns", _SVG)
    return ET.tostring(root, encoding="unicode")


def _rename(element: ET.Element, prefix: str) -> None:
    """Give ids a prefix, wherever they are set or used."""
    for key, value in list(element.attrib.items()):
        if key == "id":
            element.set(key, f"{prefix}-{value}")
        elif key == f"{{{_XLINK}}}href":
            # Browsers read the plain attribute.
            del element.attrib[key]
            element.set("href", f"#{prefix}-{value[1:]}" if value.startswith("#") else value)
        elif "url(#" in value:
            element.set(key, value.replace("url(#", f"url(#{prefix}-"))


def _round(element: ET.Element) -> None:
    """Round coordinates to two decimals, which halves the size of a page."""
    for key in ("d", "x", "y", "transform", "width", "height"):
        if key in element.attrib:
            text = _DIGITS.sub(lambda found: f"{float(found[0]):.2f}", element.attrib[key])
            element.set(key, " ".join(text.split()))


def _restyle(element: ET.Element) -> None:
    """Leave the font and the colours to the page."""
    is_text = element.tag in (f"{{{_SVG}}}text", f"{{{_SVG}}}tspan")
    parts = (part.partition(":") for part in element.get("style", "").split(";"))
    style = {key.strip(): value.strip() for key, colon, value in parts if colon}
    for key in ("fill", "stroke"):
        if key in element.attrib:
            style.setdefault(key, element.attrib.pop(key))
        name = _VARIABLES.get(style.get(key, "").lower())
        if name is not None:
            style[key] = f"var(--plot-{name}, {style[key]})"
    if is_text:
        size = re.search(r"([\d.]+)px", f"{style.pop('font', '')} {style.pop('font-size', '')}")
        style.pop("font-family", None)
        if size is not None:
            style["font-size"] = f"{size[1]}px"
        style.setdefault("fill", "var(--plot-ink, #000000)")
    if style:
        element.set("style", "; ".join(f"{key}: {value}" for key, value in style.items()))


def weighted_quantiles(
    values: Sequence[float] | Any, weights: Any, shares: Sequence[float]
) -> list[float]:
    """Return the quantiles of sorted values with weights.

    Example:
        >>> weighted_quantiles([1, 2, 9], [1, 2, 1], [0.25, 0.5, 1.0])
        [1.0, 2.0, 9.0]
    """
    sums = np.cumsum(weights, dtype=float)
    places = np.searchsorted(sums, np.asarray(shares) * sums[-1] * (1 - 1e-12))
    found: list[float] = np.asarray(values, float)[places].tolist()
    return found
