"""Plots: what is drawn is what the data says, and it can be read at any size."""

import itertools
import sys
from dataclasses import replace
from types import SimpleNamespace
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from hypothesis import given, settings

import concordant as cc
from concordant import generate, plot
from concordant.errors import InputError, SettingError
from concordant.plot.drawing import BLUE, name_of, shown_places, weighted_quantiles
from concordant.plot.voters import places_on_ballots, taus
from strategies import rankings

pytest.importorskip("matplotlib")
# Which letters there are depends on the fonts of the machine.
pytestmark = pytest.mark.filterwarnings("ignore:Glyph")

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script>",
    "$\\frac{a}{b$",
    "日本語",
    "שלום",
    "x" * 300,
    "\u202eevil",
    "two\nlines",
    "\ufffe",
    " ",
]
OF_DATA = ("pairwise", "positions", "bump", "agreement")


def boot_of(result):
    place = np.arange(1, result.n_items + 1)
    low, high = np.maximum(place - 1, 1), np.minimum(place + 2, result.n_items)
    return SimpleNamespace(
        items=result.ranking, low=low, high=high, median=place, level=0.9, places=place
    )


def drawn(name, data, result, ax=None):
    if name == "progress":
        return plot.progress(result, ax=ax)
    if name == "bootstrap":
        return plot.bootstrap(boot_of(result), ax=ax)
    return getattr(plot, name)(data, result, ax=ax)


@pytest.fixture(scope="module")
def cases():
    """Ten items, 250 items, and partial rankings with ties, weights and hostile names."""
    rng = np.random.default_rng(0)
    orders = []
    for _ in range(40):
        some = rng.permutation(10)[: rng.integers(0, 11)].tolist()
        orders.append([tuple(HOSTILE[a] for a in some[i : i + 2]) for i in range(0, len(some), 2)])
    data = {
        "ten": generate.mallows(10, 200, 0.15, seed=3),
        "many": generate.mallows(250, 40, 0.01, seed=1),
        "hostile": cc.Rankings.from_orders(
            orders, weights=rng.integers(0, 5, 40).tolist(), items=HOSTILE
        ),
    }
    return {
        name: (each, cc.aggregate(each, "borda" if name == "many" else "auto"))
        for name, each in data.items()
    }


def figure(**settings):
    from matplotlib.figure import Figure

    return Figure(**settings)


def pixels(ax):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].astype(float) / 255


def pixel_at(ax, x, y):
    picture = pixels(ax)
    column, row = ax.transData.transform((x, y))
    return picture[picture.shape[0] - 1 - round(row), round(column)]


@pytest.mark.parametrize("name", [*OF_DATA, "progress", "bootstrap"])
@pytest.mark.parametrize("case", ["ten", "many", "hostile"])
def test_drawn_on_axes_of_ones_own_and_readable(cases, name, case):
    data, result = cases[case]
    ax = figure(figsize=(7, 6), layout="constrained").add_subplot()
    with np.errstate(all="raise"):
        assert drawn(name, data, result, ax=ax) is ax
    text = plot.svg(ax, name)
    assert ax.get_title(loc="left")
    assert ax.get_xlabel() or name in ("pairwise", "bump")
    # No two labels of an axis lie on each other.
    for axis in (ax.xaxis, ax.yaxis):
        boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
        if axis is ax.xaxis and name == "bump":
            continue  # slanted: their boxes overlap, their letters do not
        for one, other in itertools.pairwise(boxes):
            apart = one.y0 >= other.y1 - 1 or other.y0 >= one.y1 - 1
            assert apart or one.x1 <= other.x0 + 1 or other.x1 <= one.x0 + 1
    # Something was drawn inside: colour, on a part of the axes that is large enough to see.
    box = ax.get_window_extent()
    assert box.width > 100
    assert (np.ptp(pixels(ax), axis=2) > 0.2).mean() > 0.002
    # It stands in a page: well formed, of a modest size, and nothing but shapes and text.
    root = ET.fromstring(text)
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags <= {"svg", "g", "defs", "path", "use", "text", "tspan", "clipPath", "rect", "image"}
    assert len(text) < 300_000
    assert root.get("aria-label") == name
    assert not [key for element in root.iter() for key in element.attrib if key.startswith("on")]


@pytest.mark.parametrize("name", [*OF_DATA, "progress", "bootstrap"])
def test_a_notebook_shows_the_plot(cases, name):
    shown = drawn(name, *cases["ten"])._repr_png_()
    assert shown.startswith(b"\x89PNG")


def test_ipython_shows_the_plot_and_the_tables(cases):
    formatters = pytest.importorskip("IPython.core.formatters")
    data, result = cases["ten"]
    display = formatters.DisplayFormatter()
    assert display.format(plot.positions(data, result))[0]["image/png"]
    for shown in (result, cc.Pairwise.from_rankings(data), cc.bootstrap(data, samples=5)):
        assert display.format(shown)[0]["text/html"].startswith("<table>")


def test_pyplot_is_left_alone(cases):
    assert (
        "matplotlib.pyplot" not in sys.modules or not sys.modules["matplotlib.pyplot"].get_fignums()
    )


# -- names -----------------------------------------------------------------------------------


def test_names_are_shown_unchanged(cases):
    data, result = cases["hostile"]
    text = plot.svg(plot.positions(data, result), "x")
    said = [
        "".join(element.itertext()).replace("\u00a0", " ")
        for element in ET.fromstring(text).findall(".//{*}text")
    ]
    for name in (
        "<img src=x onerror=alert(1)>",
        "</script>",
        "$\\frac{a}{b$",
        "日本語",
        "two\\nlines",
    ):
        assert any(name in each for each in said), name
    assert "<img" not in text
    assert "\u202e" not in text
    assert max(map(len, said)) < 120


@pytest.mark.parametrize("item", [*HOSTILE, "", 7, None, ("a", 1)])
def test_a_name_is_one_short_line(item):
    name = name_of(item)
    assert name.strip()
    assert len(name) <= 29
    assert "\n" not in name
    ET.fromstring(ET.tostring(_element(name)))


def _element(text):
    element = ET.Element("a")
    element.text = text
    return element


@pytest.mark.parametrize("count", [1, 2, 3, 10, 39, 40, 41, 250, 1000, 12345])
def test_labels_thin_out(count):
    ax = figure(figsize=(5, 7)).add_subplot()
    places, size = shown_places(ax, count, "y")
    assert places[0] == 0
    assert places[-1] == count - 1
    assert places == sorted(set(places))
    assert 5 <= size <= 8
    # The axes are about 5.4 inches high.
    assert len(places) * size <= 5.4 * 72
    if count <= 60:
        assert places == list(range(count))


@pytest.mark.parametrize(
    ("name", "count"),
    [
        *itertools.product(["pairwise", "positions", "bump", "bootstrap"], [60]),
        *[("pairwise", 250), ("positions", 250)],
    ],
)
def test_many_names_are_all_shown_beside_the_plot(name, count):
    data = generate.mallows(count, 9, 0.05, seed=1)
    ax = drawn(name, data, cc.aggregate(data, "borda"))
    plot.picture(ax, dpi=40)
    labels = ax.get_yticklabels()
    # A matrix of 250 items is as wide as it is high: not all of them fit.
    assert len(labels) == (51 if (name, count) == ("pairwise", 250) else count)
    boxes = [label.get_window_extent() for label in labels]
    assert all(one.y0 >= other.y1 - 1 for one, other in itertools.pairwise(boxes))
    assert min(box.x0 for box in boxes) >= 0


@pytest.mark.parametrize("count", [5, 60])
def test_the_colour_bar_is_as_high_as_the_matrix(count):
    data = generate.mallows(count, 9, 0.05, seed=1)
    ax = plot.pairwise(data, cc.aggregate(data, "borda"))
    plot.picture(ax, dpi=40)
    [bar] = ax.child_axes
    matrix, bar_box = ax.get_window_extent(), bar.get_window_extent()
    assert bar_box.y0 == pytest.approx(matrix.y0, abs=1)
    assert bar_box.y1 == pytest.approx(matrix.y1, abs=1)
    # Its labels are inside the figure.
    assert bar.get_tightbbox().x1 <= ax.figure.bbox.x1


# -- what is drawn ---------------------------------------------------------------------------


def test_pairwise_shows_shares_in_consensus_order_and_marks_overruled_majorities(cases):
    # a > b > c > a: one majority must lose.
    data = cc.Rankings.from_orders([list("abc"), list("bca"), list("cab")], weights=[4, 3, 2])
    pairs, result = cc.Pairwise.from_rankings(data), cc.aggregate(data)
    ax = plot.pairwise(data, result)
    order = pairs.order_of(result.ranking)
    counts = pairs.counts[np.ix_(order, order)]
    shown = np.ma.filled(ax.images[0].get_array(), -1)
    for i in range(3):
        for j in range(3):
            expected = -1 if i == j else counts[i, j] / (counts[i, j] + counts[j, i])
            assert shown[i, j] == pytest.approx(expected)
    against = [(j, i) for i in range(3) for j in range(i + 1, 3) if counts[i, j] < counts[j, i]]
    assert len(against) == 1
    marked = ax.collections[0].get_offsets()
    assert np.rint(marked).tolist() == [list(map(float, against[0]))]
    assert "In 1 of 3 pairs" in ax.get_title(loc="left")
    # Few cells are wide: they have their share written in them.
    assert sorted(text.get_text() for text in ax.texts) == ["22", "33", "44", "56", "67", "78"]

    data, result = cases["ten"]
    ax = plot.pairwise(data, result)
    for_row, for_column = pixel_at(ax, 9, 0), pixel_at(ax, 0, 9)
    assert for_row[2] > for_row[1] + 0.05
    assert for_column[0] > for_column[2] + 0.2


def test_pairwise_of_a_bare_matrix_and_of_many_items():
    ax = plot.pairwise(cc.Pairwise.from_matrix([[0, -3], [2, 0]]), ["2", "1"])
    assert np.ma.filled(ax.images[0].get_array(), 9).tolist() == [[9, 1], [0, 9]]
    rng = np.random.default_rng(0)
    wide = cc.Pairwise.from_matrix(rng.integers(0, 9, (1100, 1100)))
    assert plot.pairwise(wide, wide.items).images[0].get_array().shape[0] <= 500


def test_positions_are_quantiles_of_the_voters():
    data = cc.Rankings.from_orders(
        [["a", "b", "c"], ["b", "a", "c"], ["c", ("a", "b")]], weights=[5, 3, 2]
    )
    ax = plot.positions(data, ["a", "b", "c"])
    thin, bar = (collection.get_segments() for collection in ax.collections[:2])
    assert [segment[:, 0].tolist() for segment in thin] == [[1, 2.5], [1, 2.5], [1, 3]]
    assert [segment[:, 0].tolist() for segment in bar] == [[1, 2], [1, 2], [3, 3]]
    red, green, blue = pixel_at(ax, 1.3, 0)
    expected = tuple(int(BLUE[i : i + 2], 16) / 255 for i in (1, 3, 5))
    assert np.allclose((red, green, blue), expected, atol=0.1)


def test_bump_says_how_many_are_drawn(cases):
    data, result = cases["ten"]
    ax = plot.bump(data, result)
    assert "Shown: 12 of 200 different rankings" in ax.get_title(loc="left")
    columns = [float(label.get_text().split()[1]) for label in ax.get_xticklabels()[1:]]
    assert columns == sorted(columns, reverse=True)
    lines = [line for line in ax.lines if len(line.get_xdata()) == 13]
    assert sorted(line.get_ydata()[0] for line in lines) == list(range(1, 11))
    few = cc.Rankings.from_orders([["a", "b", "c"], ["b", "a"]])
    ax = plot.bump(few, ["a", "b", "c"])
    assert "all 2 different rankings" in ax.get_title(loc="left")
    assert "leave the item out" in " ".join(ax.get_title(loc="left").split())


def test_agreement_counts_all_who_order_a_pair(cases):
    data, result = cases["ten"]
    ax = plot.agreement(data, result)
    assert sum(bar.get_height() for bar in ax.patches) == 200
    few = cc.Rankings.from_orders([["a", "b"], ["b", "a"], []], weights=[3, 1, 2])
    ax = plot.agreement(few, ["a", "b"])
    assert [bar.get_width() for bar in ax.patches] == [1, -1]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a > b  × 3", "b > a  × 1"]
    title = " ".join(ax.get_title(loc="left").split())
    assert "0.50 on average" in title
    assert "a weight of 2 that orders no pair" in title


def test_voters_have_their_names():
    orders = [["a", "b", "c"], ["b", "a", "c"], ["a", "b", "c"], ["c", "b", "a"]]
    data = cc.Rankings.from_orders(orders, voters=["Ann", "Bo", "Cy", None])
    ax = plot.agreement(data, ["a", "b", "c"])
    assert [label.get_text() for label in ax.get_yticklabels()] == ["Ann", "Cy", "Bo", "c > b > a"]
    assert [bar.get_width() for bar in ax.patches] == pytest.approx([1, 1, 1 / 3, -1])
    assert ax.get_ylabel() == "voter"
    ax = plot.bump(data, ["a", "b", "c"])
    assert [label.get_text() for label in ax.get_xticklabels()] == [
        "consensus",
        "Ann + 1, × 2",
        "Bo, × 1",
        "τ -1.00, × 1",
    ]
    result = cc.aggregate(data)
    assert "Cy" in cc.report.html(result, data)
    many = cc.Rankings.from_orders(orders * 8, voters=range(32))
    assert plot.agreement(many, result).get_ylabel() == "ranking (× weight)"


def note_of(ax):
    return " ".join(ax.get_title(loc="left").split())


def test_agreement_says_when_other_rankings_are_as_good():
    # b before a is as good as a before b, and the voters agree with it as little.
    data = cc.Rankings.from_orders([["a", "b", "c"], ["b", "a", "c"], ["c"]])
    result = cc.aggregate(data)
    assert result.is_unique is False
    assert "Other rankings are as good, and the voters may" in note_of(plot.agreement(data, result))
    settled = replace(result, is_unique=None)
    assert "not known whether other rankings" in note_of(plot.agreement(data, settled))
    unique = note_of(plot.agreement(data, replace(result, is_unique=True)))
    assert unique == note_of(plot.agreement(data, result.ranking))
    assert "as good" not in unique


def test_agreement_over_the_best_rankings_that_are_listed():
    # The two voters disagree on a and b; the one who also ranks c has more pairs to agree on.
    data = cc.Rankings.from_orders([["a", "b"], ["b", "a", "c"]], weights=[1, 1])
    result = replace(
        cc.aggregate(data), is_unique=False, alternatives=(("a", "b", "c"), ("b", "a", "c"))
    )
    expected = sorted(
        np.average(taus(data, 1 + np.argsort(np.array(order))), weights=data.weights)
        for order in ([0, 1, 2], [1, 0, 2])
    )
    assert expected[0] < expected[1]
    assert (
        f"over the 2 listed, the mean is from {expected[0]:.2f} to {expected[1]:.2f}."
        in note_of(plot.agreement(data, result))
    )


def test_progress_draws_the_trace(cases):
    result = cases["ten"][1]
    ax = plot.progress(result)
    cost, bound = (np.asarray(line.get_ydata()) for line in ax.lines[:2])
    assert cost[:-1].tolist() == [point[2] for point in result.trace]
    assert bound[-1] == cost[-1] == result.cost
    assert "no ranking costs less" in ax.get_title(loc="left")
    bare = cc.Consensus(("a",), 0, 0, "optimal", "borda", 0, 0.0, 1, 1, 1)
    assert "keeps no trace" in plot.progress(bare).texts[0].get_text()


def test_bootstrap_draws_the_intervals(cases):
    boot = boot_of(cases["ten"][1])
    ax = plot.bootstrap(boot)
    segments = ax.collections[0].get_segments()
    assert [segment[:, 0].tolist() for segment in segments] == [
        [low, high] for low, high in zip(boot.low, boot.high, strict=True)
    ]
    assert "90 % of the samples" in ax.get_title(loc="left")


def test_comparison_on_given_axes():
    found = cc.compare(cc.Rankings.from_orders([["a", "b"]]), ["borda", "auto"], time_limit=0.2)
    ax = figure().add_subplot()
    assert found.plot(ax) is ax
    assert plot.comparison(found, ax=figure().add_subplot()).get_title(loc="left")
    assert {label.get_text() for label in ax.get_yticklabels()} == {"borda", "auto"}


# -- numbers ---------------------------------------------------------------------------------


class TestPredictions:
    """Plots of label rankers take plain numbers: what `concordant.learn` measured."""

    def test_partial_curve(self):
        curve = SimpleNamespace(
            confidence=np.array([0.5, 0.6, 0.8, 1.0]),
            completeness=np.array([1.0, 0.7, 0.4, 0.0]),
            correctness=np.array([0.6, 0.7, 0.9, np.nan]),
        )
        ax = figure(figsize=(6, 4)).add_subplot()
        assert plot.partial_curve(curve, ax=ax) is ax
        [line] = ax.lines
        assert line.get_xydata().tolist() == [[1.0, 0.6], [0.7, 0.7], [0.4, 0.9]]
        assert [text.get_text() for text in ax.texts] == ["0.5", "0.6", "0.8"]
        assert ET.fromstring(plot.svg(ax, "curve")).get("aria-label") == "curve"

    def test_confidences_that_lie_on_each_other_are_named_once(self):
        same = np.ones(3)
        curve = SimpleNamespace(
            confidence=np.array([0.5, 0.6, 0.7]), completeness=same, correctness=same
        )
        assert [text.get_text() for text in plot.partial_curve(curve).texts] == ["0.5"]

    def test_nothing_is_predicted(self):
        empty = np.array([np.nan])
        curve = SimpleNamespace(confidence=[0.9], completeness=[0.0], correctness=empty)
        assert "No pair" in plot.partial_curve(curve).texts[0].get_text()

    def test_reliability(self):
        found = SimpleNamespace(
            predicted=np.array([0.55, 0.95]),
            observed=np.array([0.4, 0.9]),
            pairs=np.array([100, 1]),
            error=0.149,
        )
        ax = plot.reliability(found)
        title = ax.get_title(loc="left")
        assert title.splitlines()[0] == "Pair probabilities are off by 0.149 on average"
        assert "101 pairs" in title
        [points] = [each for each in ax.collections if hasattr(each, "get_sizes")][-1:]
        large, small = points.get_sizes()
        assert large > 5 * small
        low, high = ax.get_ylim()
        assert low < 0.4 < 1 < high


@settings(max_examples=40)
@given(rankings(max_items=5))
def test_numbers_of_voters_match_their_definitions(data):
    order = np.arange(data.n_items)[::-1]
    explicit = data.explicit()
    found = taus(data, 1 + np.argsort(order))
    assert found.size == explicit.n_distinct
    rows, position = places_on_ballots(explicit)
    for r, ranking in enumerate(explicit.numbered()):
        pairs = sum(len(a) * len(b) for a, b in itertools.combinations(ranking, 2))
        if pairs == 0:
            assert np.isnan(found[r])
        else:
            distance = cc.extended_kendall_distance(order.tolist(), ranking)
            assert found[r] == pytest.approx(1 - 2 * distance / pairs)
        expected, before = {}, 0
        for bucket in ranking:
            for a in bucket:
                expected[a] = before + (len(bucket) + 1) / 2
            before += len(bucket)
        inside = rows == r
        members = explicit.members[inside].tolist()
        assert dict(zip(members, position[inside].tolist(), strict=True)) == expected


def test_quantiles_of_equal_weights_are_order_statistics():
    values = np.sort(np.random.default_rng(0).random(101))
    shares = [0.1, 0.5, 0.9]
    expected = np.quantile(values, shares, method="inverted_cdf")
    assert weighted_quantiles(values, np.ones(101), shares) == pytest.approx(expected.tolist())


# -- edges -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*OF_DATA, "progress", "bootstrap"])
@pytest.mark.parametrize("orders", [[["a"]], [[]], [[("a", "b")]]])
def test_little_to_draw(name, orders):
    data = cc.Rankings.from_orders(orders, items="ab" if orders != [["a"]] else "a")
    assert plot.picture(drawn(name, data, cc.aggregate(data)), dpi=40).startswith(b"\x89PNG")


@pytest.mark.parametrize("name", ["positions", "bump", "agreement"])
def test_a_matrix_has_no_voters(name):
    matrix = cc.Pairwise.from_matrix([[0, 1], [2, 0]])
    with pytest.raises(InputError, match=f"plot.{name} needs Rankings, not Pairwise"):
        getattr(plot, name)(matrix, ["1", "2"])


@pytest.mark.parametrize("name", ["positions", "bump"])
def test_ballots_of_pairs_have_no_positions(name):
    data = cc.Rankings.from_orders([["a", "b"], ["b", "c"], ["c", "a"]])
    [text] = getattr(plot, name)(data, list("abc")).texts
    assert "No voter ranks more than two items" in text.get_text()
    # Items that are left out count as last: then there are positions.
    last = cc.Rankings.from_orders([["a", "b"], ["b", "c"]], unranked="last")
    assert getattr(plot, name)(last, list("abc")).lines
    assert getattr(plot, name)(cc.Rankings.from_orders([["a", "b"]]), ["a", "b"]).lines


@pytest.mark.parametrize("name", [*OF_DATA, "progress", "bootstrap"])
def test_without_matplotlib(cases, name, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SettingError, match="'plot' extra"):
        drawn(name, *cases["ten"])


def test_svg_of_several_plots_share_a_page(cases):
    data, result = cases["ten"]
    texts = [plot.svg(drawn(name, data, result), name, name) for name in ("bump", "agreement")]
    ids = [e.get("id") for text in texts for e in ET.fromstring(text).iter() if e.get("id")]
    assert len(ids) == len(set(ids))
    assert "var(--plot-blue, #0072b2)" in texts[0]
    assert "DejaVu" not in texts[0]
    used = [e.get("href")[1:] for e in ET.fromstring(texts[0]).findall(".//{*}use")]
    assert used
    assert set(used) <= set(ids)
    # The same picture is the same text.
    assert plot.svg(plot.bump(data, result), "bump", "bump") == texts[0]
