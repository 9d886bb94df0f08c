"""Words about a result agree with its numbers."""

import html
import io
from types import SimpleNamespace

import concordant as cc
from concordant import report
from concordant.cli.terminal import show_result
from concordant.describe import count_words, input_words, proof_words, uncompared_words
from concordant.serve.tasks import saved


def test_weights_are_distinguished_from_counts():
    facts = {"n_items": 2, "n_rankings": 3, "total_weight": 4.5}
    words = input_words(SimpleNamespace(**facts), None)
    assert words == "2 items, 3 rankings of total weight 4.5"


def test_a_ranking_that_is_not_proven():
    result = cc.Consensus(("a", "b"), 1002, 1000, "feasible", "x", 0, 1.0, 2, 3, 3)
    assert proof_words(result) == (
        "It has at most 0.2 % more disagreements than the best possible order."
    )
    none = cc.Consensus(("a", "b"), 5, 0, "feasible", "x", 0, 1.0, 2, 3, 3)
    assert "with 5 disagreements; no order can have fewer than 0" in proof_words(none)
    one = cc.Consensus(("a", "b"), 1, 0, "feasible", "x", 0, 1.0, 2, 3, 3)
    assert "with 1 disagreement; " in proof_words(one)


def test_one_ranking_is_singular():
    facts = {"bytes_done": 1, "bytes_total": 4, "files_done": 0, "files_total": 1}
    state = SimpleNamespace(**facts, n_rankings=1, seconds_left=None)
    assert count_words(state) == "25 %, 1 ranking"


def test_items_that_nobody_compared_are_named_everywhere():
    votes = cc.Rankings.from_orders(
        [["a", "b"], ["b", "a"], ["a", "b"]], items=["z", "a", "b", "<y>"]
    )
    result = cc.aggregate(votes)
    words = (
        "no ranking compares <y> and z with the other items: their places are not based on votes"
    )
    text = io.StringIO()
    show_result(result, votes, text)
    assert f"uncompared   {words}" in text.getvalue()
    assert "a is first in all of them, uncompared items aside" in text.getvalue()
    assert f"N{html.escape(words[1:])}." in report.html(result, votes)
    assert saved(result, votes)["words"]["uncompared"] == words
    assert uncompared_words(()) is None
    assert uncompared_words(["x"]).endswith("its place is not based on votes")
    assert "f, g and 3 more with" not in uncompared_words("abcdefgh")
    assert "a, b, c, d, e and 3 more with" in uncompared_words("abcdefgh")
