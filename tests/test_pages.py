"""Pages and notebook tables: whatever a name contains, it stays text."""

import re
from html.parser import HTMLParser
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant.formatting import printable
from concordant.pages import notebook_table, render

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "</table><script>",
    '"',
    "&lt;",
    "\u202eevil",
    " ",
    "\x00",
]


class Texts(HTMLParser):
    """The elements of a page, and the text of one kind of them."""

    def __init__(self, text, tag):
        super().__init__()
        self.tag, self.tags, self.texts, self.inside = tag, [], [], False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag == self.tag:
            self.inside = True
            self.texts.append("")

    def handle_endtag(self, tag):
        self.inside = self.inside and tag != self.tag

    def handle_data(self, data):
        if self.inside:
            self.texts[-1] += data


def kept(text):
    return re.sub("[\ufdd0-\ufdef\ufffe\uffff]", "\ufffd", printable(text))


@settings(max_examples=40)
@given(st.text(max_size=50))
def test_text_comes_back_as_text(text):
    pytest.importorskip("jinja2")
    page = render("experiments.html", title=text, introduction=text, sections=[])
    assert Texts(page, "title").texts == [kept(text)]
    assert Texts(page, "p").texts == [kept(text)]
    assert Texts(notebook_table(text, [text], [[text]]), "caption").texts == [kept(text)]


def test_no_template_leaves_out_the_escaping():
    templates = [
        each.read_text(encoding="utf-8")
        for each in (files("concordant.pages") / "templates").iterdir()
    ]
    assert len(templates) >= 5
    for text in templates:
        assert not re.search(r"\|\s*safe|autoescape|Markup", text)
        assert not re.search(r"https?://|@import|<script|<link", text)


def test_notebook_tables_escape_names():
    data = cc.Rankings.from_orders([HOSTILE, HOSTILE[::-1], HOSTILE])
    for shown in (
        cc.aggregate(data),
        cc.Pairwise.from_rankings(data),
        cc.bootstrap(data, samples=5),
    ):
        tags = Texts(shown._repr_html_(), "td").tags
        assert set(tags) == {"table", "caption", "tr", "th", "td"}
        assert "\u202e" not in shown._repr_html_()
        assert "\x00" not in shown._repr_html_()


def cells(shown):
    return Texts(shown._repr_html_(), "td").texts


def test_notebook_table_of_counts():
    pairs = cc.Pairwise.from_matrix([[0, 1234], [-2, 0]], items=["a", "b"])
    assert cells(pairs) == ["a", "", "1,234", "b", "-2", ""]
    many = cc.Pairwise.from_matrix(np.ones((30, 30), int))
    assert len(cells(many)) == 12 * 13
    assert "for the first 12 items" in many._repr_html_()


def test_one_ranking_is_singular():
    assert repr(cc.Pairwise.from_rankings(cc.Rankings.from_orders([["a"]]))) == (
        "Pairwise(1 item, 1 ranking)"
    )


def test_notebook_table_of_a_bootstrap():
    firm = cc.bootstrap(cc.Rankings.from_orders([["a", "b"]] * 3), samples=7)
    assert cells(firm) == [
        *("1", "a", "1 to 1", "1", "100 %", "100 %", "1 to 2"),
        *("2", "b", "2 to 2", "2", "0 %", "", "1 to 2"),
    ]
    assert "7 samples of 3 voters" in firm._repr_html_()


def test_notebook_table_of_a_comparison():
    found = cc.compare(cc.Rankings.from_orders([["a", "b"]]), ["borda"])
    assert cells(found)[:4] == ["borda", "0", "0 %", "optimal"]


def test_long_tables_are_cut():
    assert notebook_table("c", ["x"], [[i] for i in range(250)]).endswith(
        "… 150 more</td></tr></table>"
    )
