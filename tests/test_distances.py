"""Distances between rankings, against their definitions pair by pair."""

import itertools
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from concordant import distances, generate
from concordant._kernels import kendall
from concordant.errors import InputError, SettingError
from concordant.rankings import Rankings

ITEMS = "abcdefghij"
UNRANKED = st.sampled_from(["unknown", "last"])


@st.composite
def rankings(draw: st.DrawFn, items: str = ITEMS, complete: bool = False) -> list:
    """Draw a ranking with ties and, unless it is to be complete, with gaps."""
    order = draw(st.permutations(items))
    if not complete:
        order = order[: draw(st.integers(0, len(order)))]
    buckets: list[list[str]] = []
    for item in order:
        if buckets and draw(st.booleans()):
            buckets[-1].append(item)
        else:
            buckets.append([item])
    return [bucket[0] if len(bucket) == 1 else tuple(bucket) for bucket in buckets]


def rank_of(ranking: list, items: object, unranked: str = "unknown") -> dict[str, int]:
    """Map the items that are ranked to their buckets."""
    ranks = {item: number for number, bucket in enumerate(ranking) for item in bucket}
    if unranked == "last":
        ranks = {item: ranks.get(item, len(ranking)) for item in items}
    return ranks


def by_definition(first: list, second: list, items: object, unranked: str = "unknown") -> dict:
    """Classify all pairs of items that both rankings hold."""
    x, y = rank_of(first, items, unranked), rank_of(second, items, unranked)
    counts = {"same": 0, "opposite": 0, "tied first": 0, "tied second": 0, "pairs": 0}
    for a, b in itertools.combinations(sorted(x.keys() & y.keys()), 2):
        sign = (x[a] - x[b]) * (y[a] - y[b])
        counts["same"] += sign > 0
        counts["opposite"] += sign < 0
        counts["tied first"] += x[a] == x[b]
        counts["tied second"] += y[a] == y[b]
        counts["pairs"] += 1
    return counts


def held(*given: list) -> set[str]:
    return {item for ranking in given for bucket in ranking for item in bucket}


class TestKendall:
    @given(st.permutations(ITEMS), st.permutations(ITEMS))
    def test_definition(self, first: list, second: list) -> None:
        expected = by_definition(first, second, ITEMS)["opposite"]
        assert distances.kendall_distance(first, second) == expected

    @given(st.permutations(ITEMS), st.permutations(ITEMS), st.permutations(ITEMS))
    def test_metric(self, a: list, b: list, c: list) -> None:
        d = distances.kendall_distance
        assert d(a, b) == d(b, a)
        assert (d(a, b) == 0) == (a == b)
        assert d(a, c) <= d(a, b) + d(b, c)
        assert d(a, a[::-1]) == len(ITEMS) * (len(ITEMS) - 1) // 2

    def test_names_of_any_kind(self) -> None:
        assert distances.kendall_distance([1, "1", None], [None, 1, "1"]) == 2

    def test_nothing_to_compare(self) -> None:
        assert distances.kendall_distance([], []) == 0
        assert distances.kendall_distance(["a"], ["a"]) == 0

    def test_large_is_fast_and_right(self) -> None:
        # m(m-1)/2 is beyond 32 bits here, and a quadratic count would take minutes.
        m = 200_000
        order = list(range(m))
        assert distances.kendall_distance(order, order[::-1]) == m * (m - 1) // 2

    @pytest.mark.parametrize(
        ("first", "second", "message"),
        [
            (["a", "b"], ["a"], "second ranking leaves out 'b'"),
            (["a"], ["b", "a"], "first ranking leaves out 'b'"),
            ([("a", "b")], ["a", "b"], "first ranking has ties"),
            (["a", "b"], [{"a", "b"}], "second ranking has ties"),
            (["a", "a"], ["a"], "first ranking ranks 'a' twice"),
            (["a"], ["a", ("b", "a")], "second ranking ranks 'a' twice"),
            ("ab", ["a", "b"], "first ranking must be a list"),
            (["a"], 3, "second ranking must be a list"),
            ([{}], ["a"], "cannot name an item"),
        ],
    )
    def test_bad_rankings(self, first: object, second: object, message: str) -> None:
        with pytest.raises(InputError, match=message):
            distances.kendall_distance(first, second)


class TestExtendedKendall:
    @given(rankings(), rankings(), UNRANKED)
    def test_definition(self, first: list, second: list, unranked: str) -> None:
        expected = by_definition(first, second, held(first, second), unranked)["opposite"]
        result = distances.extended_kendall_distance(first, second, unranked=unranked)
        assert result == expected
        assert result == distances.extended_kendall_distance(second, first, unranked=unranked)

    @given(st.permutations(ITEMS), st.permutations(ITEMS))
    def test_is_kendall_on_complete_orders(self, first: list, second: list) -> None:
        result = distances.extended_kendall_distance(first, second)
        assert result == distances.kendall_distance(first, second)

    def test_ties_of_any_container(self) -> None:
        for tie in (("b", "c"), ["b", "c"], {"b", "c"}, frozenset("bc")):
            assert distances.extended_kendall_distance(["a", tie], ["c", "b", "a"]) == 2

    def test_empty(self) -> None:
        assert distances.extended_kendall_distance([], []) == 0
        assert distances.extended_kendall_distance([], ["a", "b"]) == 0
        assert distances.extended_kendall_distance([(), "a", (), "b"], ["b", [], "a"]) == 1

    def test_bad_unranked(self) -> None:
        with pytest.raises(SettingError, match="unranked"):
            distances.extended_kendall_distance(["a"], ["a"], unranked="first")


class TestTau:
    @given(rankings(), rankings(), UNRANKED)
    def test_definition(self, first: list, second: list, unranked: str) -> None:
        counts = by_definition(first, second, held(first, second), unranked)
        score = counts["same"] - counts["opposite"]
        whole = {
            "strict": counts["same"] + counts["opposite"],
            "a": counts["pairs"],
            "b": math.sqrt(
                (counts["pairs"] - counts["tied first"]) * (counts["pairs"] - counts["tied second"])
            ),
        }
        for variant, divisor in whole.items():
            tau = distances.kendall_tau(first, second, variant=variant, unranked=unranked)
            if divisor:
                assert tau == pytest.approx(score / divisor)
            else:
                assert math.isnan(tau)

    @given(rankings(complete=True), rankings(complete=True))
    def test_variant_b_is_scipys(self, first: list, second: list) -> None:
        x, y = rank_of(first, ITEMS), rank_of(second, ITEMS)
        expected = kendalltau([x[item] for item in ITEMS], [y[item] for item in ITEMS]).statistic
        tau = distances.kendall_tau(first, second, variant="b")
        assert tau == pytest.approx(expected, nan_ok=True)

    @given(st.permutations(ITEMS), st.permutations(ITEMS))
    def test_variants_agree_without_ties(self, first: list, second: list) -> None:
        taus = {distances.kendall_tau(first, second, variant=v) for v in ("strict", "a", "b")}
        assert len(taus) == 1
        pairs = len(ITEMS) * (len(ITEMS) - 1) / 2
        distance = distances.kendall_distance(first, second)
        assert taus.pop() == pytest.approx(1 - 2 * distance / pairs)

    def test_bad_variant(self) -> None:
        with pytest.raises(SettingError, match="variant"):
            distances.kendall_tau(["a"], ["a"], variant="c")


class TestFootrule:
    @given(st.permutations(ITEMS), st.permutations(ITEMS))
    def test_definition_and_diaconis_graham(self, first: list, second: list) -> None:
        result = distances.spearman_footrule(first, second)
        assert result == sum(abs(first.index(item) - second.index(item)) for item in ITEMS)
        kendall = distances.kendall_distance(first, second)
        assert kendall <= result <= 2 * kendall

    @given(rankings(), rankings(), UNRANKED)
    def test_ties_share_their_mean_position(self, first: list, second: list, unranked: str) -> None:
        x = rank_of(first, held(first, second), unranked)
        y = rank_of(second, held(first, second), unranked)
        common = x.keys() & y.keys()

        def position(ranks: dict[str, int], item: str) -> Fraction:
            ahead = sum(ranks[other] < ranks[item] for other in common)
            level = sum(ranks[other] == ranks[item] for other in common)
            return ahead + Fraction(level + 1, 2)

        expected = sum(abs(position(x, item) - position(y, item)) for item in common)
        assert distances.spearman_footrule(first, second, unranked=unranked) == expected


class TestMeanDistance:
    @given(
        rankings(complete=True),
        st.lists(rankings(), min_size=1, max_size=6),
        UNRANKED,
        st.data(),
    )
    def test_definition(self, order: list, given: list, unranked: str, data: st.DataObject) -> None:
        weights = data.draw(
            st.lists(st.integers(0, 5), min_size=len(given), max_size=len(given)), label="weights"
        )
        votes = Rankings.from_orders(given, items=ITEMS, weights=weights, unranked=unranked)
        expected = sum(
            weight * by_definition(order, ranking, ITEMS, unranked)["opposite"]
            for ranking, weight in zip(given, weights, strict=True)
        )
        assert distances.total_distance(order, votes) == expected
        mean = expected / sum(weights) if any(weights) else 0.0
        assert distances.mean_distance(order, votes) == mean

    @given(rankings(complete=True), st.lists(rankings(), min_size=1, max_size=6))
    def test_each_distance(self, order: list, given: list) -> None:
        votes = Rankings.from_orders(given, items=ITEMS)
        each = distances.distances_to(order, votes)
        for distance, (ranking, _) in zip(each, votes, strict=True):
            assert distance == distances.extended_kendall_distance(order, ranking)

    @given(st.lists(rankings(), min_size=1, max_size=6), rankings(), UNRANKED)
    def test_rank_vectors_may_have_gaps(self, given: list, order: list, unranked: str) -> None:
        votes = Rankings.from_orders(given, items=ITEMS, unranked=unranked)
        ranks = rank_of(order, ITEMS)
        vector = np.array([ranks.get(item, -1) + 1 for item in ITEMS])
        each = distances.distances_from_ranks(vector, votes)
        for distance, (ranking, _) in zip(each, votes, strict=True):
            assert distance == sum(
                ranks[a] < ranks[b] and other[a] > other[b]
                for other in [rank_of([tuple(bucket) for bucket in ranking], ITEMS, unranked)]
                for a, b in itertools.permutations(ranks.keys() & other.keys(), 2)
            )

    def test_long_rankings(self) -> None:
        # Longer than the runs that are sorted by insertion, with large buckets.
        complete = generate.mallows(300, 8, 0.01, seed=1)
        votes = generate.partial(complete, drop=0.2, same_bucket=0.9, seed=2)
        order = list(complete.items)
        random.Random(3).shuffle(order)
        for data in (complete, votes):
            each = distances.distances_to(order, data)
            for distance, (ranking, _) in zip(each, data, strict=True):
                x, y = (
                    rank_of([(item,) for item in order], data.items),
                    rank_of(ranking, data.items),
                )
                assert distance == sum(
                    (x[a] - x[b]) * (y[a] - y[b]) < 0 for a, b in itertools.combinations(y, 2)
                )

    def test_decimal_weights(self) -> None:
        votes = Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[0.1, 0.2])
        assert distances.total_distance(["a", "b"], votes) == 0.2
        assert distances.mean_distance(["a", "b"], votes) == 2 / 3

    def test_weights_too_large_for_64_bits(self) -> None:
        votes = Rankings.from_orders([[*ITEMS], [*ITEMS[::-1]]], weights=[2**61, 2**60])
        assert distances.total_distance([*ITEMS], votes) == 45 * 2**60
        assert distances.mean_distance([*ITEMS], votes) == 15.0

    @pytest.mark.parametrize(
        ("order", "message"),
        [
            (["a", "b"], "leaves out 'c'"),
            (["a", "b", "c", "d"], "'d', which is not one of the items"),
            (["a", "b", "c", "a"], "ranks 'a' twice"),
            ("abc", "must be a list"),
        ],
    )
    def test_bad_order(self, order: object, message: str) -> None:
        votes = Rankings.from_orders([["a", "b", "c"]])
        with pytest.raises(InputError, match=message):
            distances.mean_distance(order, votes)

    @pytest.mark.parametrize("rank", [[1, 2], [1, 2, 4], [1, 2, -1], [[1, 2, 3]]])
    def test_bad_rank_vector(self, rank: list) -> None:
        votes = Rankings.from_orders([["a", "b", "c"]])
        with pytest.raises(InputError, match="rank"):
            distances.distances_from_ranks(np.array(rank), votes)


class TestSortAndCount:
    @given(st.lists(st.integers(0, 50), max_size=120))
    def test_counts_inversions_and_sorts(self, values: list[int]) -> None:
        array = np.array(values, np.int64)
        count = kendall.sort_and_count(array, np.empty_like(array))
        assert count == sum(a > b for a, b in itertools.combinations(values, 2))
        assert array.tolist() == sorted(values)
