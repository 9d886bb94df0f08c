"""What is said of a result is what it holds."""

from types import SimpleNamespace

import pytest

from concordant.wording import input_words, optima_words


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        ({"status": "optimal", "is_unique": True}, "the only best ranking"),
        (
            {"status": "optimal", "is_unique": False, "winners": ("T", "C")},
            "others are as good: first place is tied between T and C",
        ),
        (
            {"status": "optimal", "is_unique": False, "winners": tuple("abcdefgh")},
            "others are as good: first place is tied between a, b, c, d, e and 3 more",
        ),
        (
            {"status": "optimal", "is_unique": False, "winners": ("Blue Kettle",)},
            "others are as good, but all have Blue Kettle first",
        ),
        (
            {"status": "optimal", "is_unique": False, "winners": ("\x1b[31mred",)},
            r"others are as good, but all have \x1b[31mred first",
        ),
        (
            {"status": "optimal", "is_unique": False, "winners": None},
            "others are as good; whether first place differs is not settled",
        ),
        ({"status": "optimal", "is_unique": None}, "not settled whether others are as good"),
        ({"status": "feasible", "is_unique": None}, "not settled whether others are as good"),
    ],
)
def test_whether_others_are_as_good(facts, words):
    assert optima_words(SimpleNamespace(**facts)) == words


def test_weights_are_told_from_counts():
    facts = {"n_items": 2, "n_rankings": 3, "total_weight": 4.5}
    words = input_words(SimpleNamespace(**facts), None)
    assert words == "2 items, 3 rankings of total weight 4.5"
