"""The report: what it says is true, nothing in it runs, and everyone can read it."""

import itertools
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings

import concordant as cc
from commands import CAFES, is_error, run
from concordant import generate, pages, report
from concordant.errors import InputError, SettingError, VerificationError
from concordant.report.findings import other_optima, overruled
from concordant.report.source import Source, commands
from strategies import matrices

pytest.importorskip("matplotlib")
pytest.importorskip("jinja2")

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</style>",
    '" onload="alert(1)',
    "&lt;b&gt;",
    "$x^2$",
    "שלום",
    "\u202eevil",
    "x" * 500,
    "\x00\ufffe",
    " ",
]
VOID = {"meta", "br", "hr"}
EXPECTED = {
    *("html", "head", "meta", "title", "style", "body", "header", "h1", "h2", "h3", "p", "div"),
    *("span", "nav", "ul", "li", "a", "main", "section", "table", "caption", "thead", "tbody"),
    *("tr", "th", "td", "bdi", "details", "summary", "figure", "figcaption", "dl", "dt", "dd"),
    *("pre", "code", "footer", "svg", "g", "defs", "path", "use", "text", "tspan", "clippath"),
    *("rect", "image"),
}


class Page(HTMLParser):
    """A parsed page: its elements and its text; elements must close in order."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.text = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open and "svg" not in self.open:
            self.text.append(data)

    @property
    def words(self):
        return " ".join("".join(self.text).split())

    def all(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def boot_of(result, samples=200):
    m = result.n_items
    place = np.arange(1, m + 1)
    return SimpleNamespace(
        items=result.ranking,
        low=np.maximum(place - 1, 1),
        high=np.minimum(place + 1, m),
        median=place,
        level=0.95,
        stands=np.linspace(0.6, 1, max(m - 1, 0)),
        first=np.eye(m)[0] * 0.8,
        samples=samples,
        requested=samples,
        interrupted=False,
        seed=0,
        tiers=None,
        tied=None,
        places=place,
        rank_low=place,
        rank_high=place,
        groups=[(item,) for item in result.ranking],
    )


@pytest.fixture(scope="module")
def hostile():
    rng = np.random.default_rng(1)
    orders = [
        [(HOSTILE[a],) for a in rng.permutation(11)[: rng.integers(1, 12)].tolist()]
        for _ in range(30)
    ]
    data = cc.Rankings.from_orders(orders, items=HOSTILE, weights=rng.integers(1, 4, 30).tolist())
    result = cc.aggregate(data)
    source = Source("<b>votes</b>.soi", 12, "0" * 64, ("--format", "soi"))
    return data, result, report.html(result, data, boot_of(result), source=source)


# -- the page --------------------------------------------------------------------------------


def test_nothing_in_a_name_becomes_markup(hostile):
    _, _, text = hostile
    page = Page(text)
    assert {tag for tag, _ in page.elements} <= EXPECTED
    handlers = [key for _, attributes in page.elements for key in attributes if key[:2] == "on"]
    assert not handlers
    for name in ("<img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "&lt;b&gt;"):
        assert name in page.words
    assert "\u202e" not in text
    assert "\x00" not in text
    assert "<b>votes" not in text


def test_it_needs_nothing_else_and_runs_nothing(hostile):
    page = Page(hostile[2])
    links = [
        value
        for _, attributes in page.elements
        for key, value in attributes.items()
        if key in ("href", "src", "xlink:href", "action", "srcset")
    ]
    assert links
    assert all(link.startswith(("#", "data:image/png;base64,")) for link in links)
    assert not re.search(r"https?://(?!www\.w3\.org/)", hostile[2])
    assert "@import" not in hostile[2]
    assert "url(" not in re.sub(r"url\(#", "", hostile[2])
    policy = next(m for m in page.all("meta") if m.get("http-equiv"))["content"]
    assert policy.startswith("default-src 'none'")


def test_it_can_be_read_by_everyone(hostile):
    page = Page(hostile[2])
    tags = [tag for tag, _ in page.elements]
    assert tags.count("h1") == 1
    assert tags.count("table") == tags.count("caption")
    assert all(attributes.get("role") == "img" for attributes in page.all("svg"))
    assert all(attributes["aria-label"].strip() for attributes in page.all("svg"))
    # Solved at once: how the search went is not drawn.
    assert len(page.all("svg")) == 5
    assert all(attributes.get("scope") == "col" for attributes in page.all("th"))
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    inside = {link["href"][1:] for link in page.all("a")}
    assert inside <= set(ids)
    assert page.all("html") == [{"lang": "en"}]
    levels = [int(tag[1]) for tag in tags if re.fullmatch(r"h\d", tag)]
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert "prefers-color-scheme: dark" in hostile[2]
    assert "@media print" in hostile[2]


def test_the_same_input_gives_the_same_page(hostile):
    data, result, text = hostile
    source = Source("<b>votes</b>.soi", 12, "0" * 64, ("--format", "soi"))
    assert report.html(result, data, boot_of(result), source=source) == text


def test_many_items_stay_a_small_page():
    data = generate.mallows(120, 12, 0.01, seed=1)
    text = report.html(cc.aggregate(data, "borda"), data)
    assert len(text) < 900_000
    page = Page(text)
    assert len(page.all("details")) >= 2
    assert "120 items" in page.words
    assert "Not proven the best." in page.words


# -- what it says ----------------------------------------------------------------------------


@pytest.fixture
def plain(monkeypatch):
    """Leave out the plots: drawing them takes longer than all the rest."""
    monkeypatch.setattr("concordant.report.page._drawn", lambda facts: ())


def words_of(data, **settings):
    return Page(report.html(cc.aggregate(data, **settings), data)).words


def test_only_best_ranking(plain):
    words = words_of(cc.Rankings.from_orders([list("abc")] * 3 + [list("bac")]))
    assert "First is a." in words
    assert "Proven the best. No other order has fewer disagreements." in words
    assert "It is the only best ranking" in words
    assert "Its cost is 1 disagreement, 0.25 for each ranking" in words
    assert "the ranking goes against no majority" in words


def pair(first, second, **more):
    """Two items, and how many voters put each of them first."""
    return cc.Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[first, second], **more)


def test_chance_depends_on_the_number_of_voters(plain):
    # 1.96 times the square root of 5,000 is 138.6: a margin of 874 is not due to chance.
    firm = words_of(pair(2937, 2063))
    assert "None: every two neighbours differ by more votes than chance explains." in firm
    assert "The closest are a before b, with 58.7 % of the votes for this order" in firm
    # The same share of 20 voters is a margin of 4, and 1.96 times the root of 20 is 8.8.
    close = words_of(pair(12, 8))
    assert "Chance could explain the order of 1 pair of neighbours." in close
    assert "at most 1.96 × √N" in close
    assert "1, 2a before b 12 : 860 %" in close
    # Fractions are shares of the rankings: two of them.
    assert "Chance could explain the order of 1 pair" in words_of(pair(2937.5, 2062.5))


@pytest.mark.parametrize(("first", "firm"), [(2937, True), (2510, False)])
def test_chance_and_bootstrap_agree(plain, first, firm):
    data = pair(first, 5000 - first)
    result = cc.aggregate(data)
    boot = cc.bootstrap(data, samples=100, consensus=result)
    words = Page(report.html(result, data, boot)).words
    assert ("all neighbours kept their order in at least 97.5 % of the samples" in words) == firm
    assert ("They kept their order in less than 97.5 % of the samples" in words) == (not firm)
    assert ("Chance could explain the order" in words_of(data)) == (not firm)


def test_ties_say_what_can_change_places(plain):
    words = words_of(cc.Rankings.from_orders([list("abcd"), list("badc")]))
    assert "tied with" in words
    assert "It is one of 4 rankings that are equally good." in words
    assert "First place is tied: " in words
    assert words.count("1 to 2") == 2
    assert words.count("3 to 4") == 2


def test_a_circle_of_majorities_is_explained(plain):
    data = cc.Rankings.from_orders([list("abc"), list("bca"), list("cab")], weights=[4, 3, 2])
    words = words_of(data)
    assert "This one goes against the majority in 1 of 3 pairs." in words
    # c before a is overruled, 5 : 4, since a before b and b before c have more behind them.
    assert "c before a5 : 4 1, 3 a before (6 : 3) b before (7 : 2) c" in words


def test_a_matrix_has_no_voters_but_a_report(plain):
    pairs = cc.Pairwise.from_matrix([[0, -2, 3], [5, 0, 1], [2, 2, 0]])
    words = Page(report.html(cc.aggregate(pairs), pairs)).words
    assert "No other order has a lower cost." in words
    assert not {"voter", "voters", "Votes", "--bootstrap"} & set(words.split())


@pytest.mark.parametrize(
    "given",
    [
        {"orders": [["a"]]},
        {"orders": [[], []], "items": "ab"},
        {"orders": [["a", "b"]], "weights": [0]},
    ],
)
def test_little_to_say(plain, given):
    assert "Proven the best." in words_of(cc.Rankings.from_orders(**given))


def test_bootstrap_is_shown_and_must_fit(hostile):
    data, result, text = hostile
    page = Page(text)
    assert "was first in 80 % of the samples" in page.words
    assert "1 to 2" in page.words
    assert "Not examined here" not in page.words
    wrong = boot_of(result)
    wrong.items = result.ranking[::-1]
    with pytest.raises(InputError, match="another ranking"):
        report.html(result, data, wrong)


def test_samples_that_were_cut_short_are_counted():
    data = cc.Rankings.from_orders([["a", "b"], ["b", "a"], ["a", "b"]])
    result = cc.aggregate(data)
    firm = replace(cc.bootstrap(data, samples=20, consensus=result), requested=50)
    for interrupted, why in (
        (True, "it was stopped by hand"),
        (False, "the time limit came first"),
    ):
        words = Page(report.html(result, data, replace(firm, interrupted=interrupted))).words
        assert f"resampled 20 times (bootstrap); 50 were requested, but {why}" in words


def test_a_result_of_other_data_is_refused(tmp_path, hostile):
    _, result, _ = hostile
    other = cc.Rankings.from_orders([HOSTILE], items=HOSTILE)
    with pytest.raises(VerificationError):
        report.write(tmp_path / "page.html", result, other)
    assert not list(tmp_path.iterdir())


def test_without_matplotlib(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(SettingError, match="'plot' extra"):
        words_of(cc.Rankings.from_orders([["a", "b"]]))


def without_jinja2(monkeypatch):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    pages._environment.cache_clear()


def test_without_jinja2(monkeypatch):
    without_jinja2(monkeypatch)
    with pytest.raises(SettingError, match=r'Jinja2.*pip install "concordant\[report\]"'):
        words_of(cc.Rankings.from_orders([["a", "b"]]))


def test_ballots_of_pairs_have_no_plot_of_positions():
    data = cc.Rankings.from_orders([["a", "b"], ["b", "c"], ["a", "c"]])
    labels = [svg["aria-label"] for svg in Page(report.html(cc.aggregate(data), data)).all("svg")]
    assert [label[:8] for label in labels] == ["For each", "How far "]


# -- findings --------------------------------------------------------------------------------


def costs_by_order(pairs):
    orders = itertools.permutations(range(pairs.n_items))
    return {order: pairs.cost_units(np.array(order)) for order in orders}


@settings(max_examples=40)
@given(matrices(max_items=5))
def test_other_optima_are_those_of_brute_force(matrix):
    pairs = cc.Pairwise.from_matrix(matrix)
    costs = costs_by_order(pairs)
    best = [order for order, cost in costs.items() if cost == min(costs.values())]
    order = np.array(best[0])
    blank = SimpleNamespace(
        status="optimal", is_unique=None, winners=None, alternatives=None,
        names_of=lambda names, items: names,
    )  # fmt: skip
    found = other_optima(blank, pairs, order)
    assert found.is_unique == (len(best) == 1)
    assert sorted(found.winners) == sorted({each[0] for each in best})
    if not found.is_unique:
        assert found.complete
        assert found.count == len(best)
        reach = {
            a: (low, high)
            for group in found.groups
            for a, low, high in zip(group.items, group.low, group.high, strict=True)
        }
        for a in range(pairs.n_items):
            places = [each.index(a) for each in best]
            assert reach.get(a, (places[0],) * 2) == (min(places), max(places))


@settings(max_examples=40)
@given(matrices(max_items=6))
def test_every_overruled_majority_closes_a_circle(matrix):
    pairs = cc.Pairwise.from_matrix(matrix)
    costs = costs_by_order(pairs)
    order = list(min(costs, key=costs.__getitem__))
    laid_out = pairs.counts[np.ix_(order, order)]
    found, count = overruled(laid_out, 100)
    m = len(order)
    against = {(i, j) for i in range(m) for j in range(i + 1, m) if laid_out[i, j] < laid_out[j, i]}
    assert {(each.path[0], each.path[-1]) for each in found} == against
    assert count == len(against)
    assert [each.by for each in found] == sorted((each.by for each in found), reverse=True)
    for each in found:
        assert len(each.path) > 2
        for a, b in itertools.pairwise(each.path):
            assert a < b
            assert laid_out[a, b] > laid_out[b, a]
        first, last = each.path[0], each.path[-1]
        for length in range(1, len(each.path) - 2):
            for inner in itertools.combinations(range(first + 1, last), length):
                way = [first, *inner, last]
                kept = all(laid_out[a, b] > laid_out[b, a] for a, b in itertools.pairwise(way))
                assert not kept, "there is a shorter one"


def test_an_order_that_is_not_the_best_may_have_no_circle():
    found, count = overruled(np.array([[0, 1], [4, 0]]), 10)
    assert count == 1
    assert found[0].path == (0, 1)


# -- the commands ----------------------------------------------------------------------------


def test_commands_can_be_pasted(hostile):
    result = hostile[1]
    lines = commands(result, Source("my votes; rm -rf.soi", 1, "0", ("--format", "soi")))
    assert lines[0].startswith("concordant aggregate 'my votes; rm -rf.soi' --format soi --seed 0")
    assert commands(result, Source("-x", 1, "0"))[1] == "concordant verify result.json ./-x"
    data = cc.Rankings.from_orders([["a", "b"]], items="abc", unranked="last")
    kept = cc.aggregate(data, "her", population=5, max_generations=1)
    line = commands(kept, None)[0]
    assert "--method her" in line
    assert "--set population=5" in line
    assert "--unranked last" in line
    assert "--bootstrap 500 -o" in commands(result, None, 500)[2]


# -- the command -----------------------------------------------------------------------------


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "result.json"
    cc.aggregate(cc.read(CAFES)).save(path)
    return path


def test_command_writes_the_page(saved, tmp_path):
    out = tmp_path / "page.html"
    done = run("report", saved, CAFES, "-o", out, "-q")
    assert done.exit_code == 0, done.stderr
    assert "checked against" in done.stdout
    words = Page(out.read_text(encoding="utf-8")).words
    assert "cafes.toi" in words
    assert Source.of(CAFES).digest in words
    assert "concordant verify result.json cafes.toi" in words


def test_command_needs_jinja2(saved, tmp_path, monkeypatch):
    without_jinja2(monkeypatch)
    out = tmp_path / "page.html"
    assert is_error(run("report", saved, CAFES, "-o", out), 'pip install "concordant[report]"')
    assert not out.exists()


def test_command_refuses_a_result_of_other_data(saved, tmp_path):
    other = tmp_path / "other.toi"
    cc.write(cc.Rankings.from_orders([["a", "b"]]), other)
    out = tmp_path / "page.html"
    out.write_text("as it was")
    done = run("report", saved, other, "-o", out)
    assert done.exit_code == 1
    assert "does not hold for" in done.stderr
    assert out.read_text() == "as it was"


def test_command_draws_the_voters_again(saved, tmp_path, monkeypatch, plain):
    asked = {}

    def draw(data, samples, seed, **options):
        asked.update(samples=samples, seed=seed, **options)
        return boot_of(options["consensus"], samples)

    monkeypatch.setitem(sys.modules, "concordant.resampling", SimpleNamespace(bootstrap=draw))
    monkeypatch.setattr("concordant.cli.progress.Reporter.samples", print, raising=False)
    out = tmp_path / "page.html"
    done = run("report", saved, CAFES, "-o", out, "--bootstrap", "50")
    assert done.exit_code == 0, done.stderr
    assert asked["samples"] == 50
    assert asked["seed"] == 0
    assert "resampled 50 times" in Page(out.read_text(encoding="utf-8")).words


def test_command_says_what_is_wrong(saved, tmp_path):
    out = tmp_path / "page.html"
    assert is_error(run("report", saved, CAFES, "-o", "-"), "-o needs the name of a file")
    assert is_error(run("report", saved, CAFES, "-o", saved), "also the result")
    assert is_error(run("report", saved, CAFES, "-o", tmp_path / "no" / "page.html"), "no folder")
    assert is_error(run("report", CAFES, CAFES, "-o", out), "not a result")
    lop = tmp_path / "matrix.lop"
    cc.write(cc.Pairwise.from_matrix([[0, 1], [2, 0]]), lop)
    of_matrix = tmp_path / "matrix.json"
    cc.aggregate(cc.read(lop)).save(of_matrix)
    done = run("report", of_matrix, lop, "-o", out, "--bootstrap", "5")
    assert is_error(done, "without voters")
    assert not out.exists()


def test_command_reads_standard_input_and_options(saved, tmp_path, plain):
    out = tmp_path / "page.html"
    done = run("report", saved, "-", "-o", out, "--format", "toi", stdin=CAFES.read_bytes())
    assert done.exit_code == 0, done.stderr
    done = run("report", saved, CAFES, "-o", out, "--format", "toi")
    assert done.exit_code == 0, done.stderr
    assert "verify result.json cafes.toi --format toi" in Page(out.read_text("utf-8")).words
