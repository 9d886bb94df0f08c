"""Results look the same with colours and without, and say all there is to know."""

import io
import re
from dataclasses import replace

import pytest

import concordant as cc
from concordant.cli import terminal


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def data():
    return cc.Rankings.from_orders([["a", "b", "c", "d"], ["b", "a"]])


@pytest.fixture
def result(data):
    return cc.aggregate(data, "borda")


def shown(result, data, stream):
    terminal.show_result(result, data, stream)
    return stream.getvalue()


def test_ties_share_a_place(result):
    tied = replace(result, buckets=(("a",), ("b", "c"), ("d",)))
    assert tied.places == [(1, "a"), (2, "b"), (2, "c"), (4, "d")]


def test_colours_change_nothing_else(result, data, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "150")
    monkeypatch.delenv("NO_COLOR", raising=False)
    plain = shown(result, data, io.StringIO())
    coloured = shown(result, data, Terminal())
    assert "\x1b[" in coloured
    assert "\x1b[" not in plain
    without = re.sub(r"\x1b\[[0-9;]*m", "", coloured)
    assert [line.rstrip() for line in without.splitlines()] == plain.splitlines()


def test_colours_can_be_forced_and_forbidden(result, data, monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in shown(result, data, io.StringIO())
    monkeypatch.delenv("FORCE_COLOR")
    monkeypatch.setenv("NO_COLOR", "1")
    assert not re.search(r"\x1b\[3\d", shown(result, data, Terminal()))


def test_narrow_terminal_loses_nothing(data, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "40")
    result = cc.aggregate(data)
    text = re.sub(r"\x1b\[[0-9;]*m", "", shown(result, data, Terminal()))
    words = re.sub(r"\s+", "", text)
    for name in ("lower bound", "unranked items count as no opinion", "so the gap is", "optima"):
        assert name.replace(" ", "") in words
    assert max(map(len, text.splitlines())) <= 40


@pytest.mark.parametrize("columns", ["30", "40", "80"])
def test_narrow_terminal_cuts_no_number(data, columns, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", columns)
    found = cc.compare(data, ["borda", "randomized-borda"], time_limit=0.2)
    stream = Terminal()
    terminal.show_comparison(found, stream)
    text = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    head, *rows = text.splitlines()[:3]
    assert "…" not in text
    assert max(len(line.rstrip()) for line in (head, *rows)) <= int(columns)
    assert {"method", "cost", "gap"} <= set(head.split())
    for name in ("distance", "time", "tau"):
        assert (name in head) != (name in text.partition("no room for")[2])


def test_alternatives_are_listed(result, data):
    both = replace(result, alternatives=(result.ranking, ("b", "a", "c", "d\x1b[31m")))
    for stream in (io.StringIO(), Terminal()):
        assert r"also optimal b > a > c > d\x1b[31m" in shown(both, data, stream)


@pytest.mark.parametrize("kind", [io.StringIO, Terminal])
def test_names_cannot_steer_the_terminal(result, data, kind, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    names = ("\x1b[31mred", "[bold]b[/bold]", ":smile:", "d")
    facts = {"status": "optimal", "is_unique": False, "winners": names[:2]}
    steered = replace(result, ranking=names, **facts)
    text = shown(steered, data, kind())
    assert "\x1b[31m" not in text
    for name in (r"\x1b[31mred", "[bold]b[/bold]", ":smile:"):
        assert name in text
