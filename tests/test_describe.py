"""What is said of a result is what it holds."""

from types import SimpleNamespace

from concordant.describe import input_words


def test_weights_are_told_from_counts():
    facts = {"n_items": 2, "n_rankings": 3, "total_weight": 4.5}
    words = input_words(SimpleNamespace(**facts), None)
    assert words == "2 items, 3 rankings of total weight 4.5"
