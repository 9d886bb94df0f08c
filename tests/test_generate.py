"""Random rankings: their distributions against the closed forms, seeds, and bad settings."""

import itertools
import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from concordant import generate
from concordant.errors import InputError, SettingError
from concordant.rankings import Rankings


def orders_of(data: Rankings) -> dict[tuple, int]:
    """Map each strict order to how often it was drawn."""
    return {
        tuple(item for bucket in buckets for item in bucket): weight for buckets, weight in data
    }


def inversions(order: tuple, center: tuple) -> int:
    place = {item: position for position, item in enumerate(center)}
    return sum(place[a] > place[b] for a, b in itertools.combinations(order, 2))


def bucket_orders(data: Rankings) -> list[list[tuple]]:
    return [buckets for buckets, _ in data]


class TestMallows:
    @pytest.mark.parametrize("theta", [0.0, 1e-9, 0.3, 1.0])
    def test_distribution_is_exact(self, theta: float) -> None:
        n = 40_000
        center = ("3", "1", "4", "2")
        drawn = orders_of(generate.mallows(4, n, theta, center=center, seed=11))
        every = list(itertools.permutations(center))
        mass = np.array([math.exp(-theta * inversions(order, center)) for order in every])
        counts = [drawn.get(order, 0) for order in every]
        assert chisquare(counts, n * mass / mass.sum()).pvalue > 0.001

    @pytest.mark.parametrize(
        ("m", "theta"), [(10, 0.2), (50, 0.001), (50, 0.1), (100, 0.01), (64, 2.0), (65, 0.0)]
    )
    def test_mean_distance_is_the_closed_form(self, m: int, theta: float) -> None:
        n = 2_000
        data = generate.mallows(m, n, theta, seed=5)
        center = tuple(data.items)
        distances = np.array(
            [
                d
                for order, weight in orders_of(data).items()
                for d in [inversions(order, center)] * weight
            ]
        )
        # The insertions are independent: item i adds a truncated geometric number of inversions.
        mean = variance = 0.0
        for i in range(1, m + 1):
            values = np.arange(i)
            mass = np.exp(-theta * values)
            mass /= mass.sum()
            mean += mass @ values
            variance += mass @ values**2 - (mass @ values) ** 2
        assert abs(distances.mean() - mean) < 4 * math.sqrt(variance / n)
        assert distances.var() == pytest.approx(variance, rel=0.15)

    def test_large_theta_is_the_center(self) -> None:
        data = generate.mallows(100, 50, theta=100, seed=1)
        assert orders_of(data) == {tuple(str(i) for i in range(1, 101)): 50}

    def test_center_names_the_items(self) -> None:
        data = generate.mallows(3, 5, theta=100, center=["x", "z", "y"], seed=1)
        assert data.items == ("x", "z", "y")
        assert orders_of(data) == {("x", "z", "y"): 5}

    @pytest.mark.parametrize("center", [[3, 1, 2], ["3", "1", "2"]])
    def test_center_of_numbers_keeps_their_order(self, center: list) -> None:
        data = generate.mallows(3, 5, theta=100, center=center, seed=1)
        assert data.items == ("1", "2", "3")
        assert orders_of(data) == {("3", "1", "2"): 5}

    def test_many_items(self) -> None:
        data = generate.mallows(10_000, 20, theta=0.001, seed=1)
        assert data.is_complete
        assert not data.has_ties

    @pytest.mark.parametrize("theta", [-0.1, math.nan, math.inf, "0.1", True, None])
    def test_bad_theta(self, theta: object) -> None:
        with pytest.raises(SettingError, match="theta"):
            generate.mallows(3, 3, theta)

    @pytest.mark.parametrize(
        "center", ["abc", ["a", "b"], ["a", "b", "b"], ["a", ["b"], "c"], [1, 2, 2]]
    )
    def test_bad_center(self, center: object) -> None:
        with pytest.raises(SettingError, match="center"):
            generate.mallows(3, 3, 0.1, center=center)


class TestPlackettLuce:
    def test_distribution_is_exact(self) -> None:
        n = 40_000
        weights = {"a": 5.0, "b": 2.0, "c": 1.0, "d": 0.25}
        drawn = orders_of(generate.plackett_luce(n, weights=weights, seed=3))
        every = list(itertools.permutations(weights))
        expected = []
        for order in every:
            probability = 1.0
            for i, item in enumerate(order):
                probability *= weights[item] / sum(weights[other] for other in order[i:])
            expected.append(n * probability)
        assert chisquare([drawn.get(order, 0) for order in every], expected).pvalue > 0.001

    def test_weights_far_apart(self) -> None:
        data = generate.plackett_luce(100, weights=[1e-300, 1e300, 1.0], seed=1)
        assert orders_of(data) == {("2", "3", "1"): 100}

    @pytest.mark.parametrize(
        "weights", [[], [1, 0], [1, -1], [1, math.nan], [1, math.inf], [[1, 2]], ["a", "b"], 3]
    )
    def test_bad_weights(self, weights: object) -> None:
        with pytest.raises(SettingError, match="weight"):
            generate.plackett_luce(3, weights=weights)

    def test_bad_weight_names_the_item(self) -> None:
        with pytest.raises(SettingError, match="item 'b'"):
            generate.plackett_luce(3, weights={"a": 1, "b": 0})


class TestUniform:
    def test_distribution_is_exact(self) -> None:
        n = 40_000
        drawn = orders_of(generate.uniform(4, n, seed=3))
        counts = [drawn.get(order, 0) for order in itertools.permutations("1234")]
        assert chisquare(counts).pvalue > 0.001


GENERATORS = {
    "mallows": lambda n, seed: generate.mallows(6, n, 0.2, seed=seed),
    "plackett_luce": lambda n, seed: generate.plackett_luce(n, weights=[1, 2, 3, 4], seed=seed),
    "uniform": lambda n, seed: generate.uniform(6, n, seed=seed),
    "partial": lambda n, seed: generate.partial(generate.uniform(12, n, seed=0), seed=seed),
}


@pytest.mark.parametrize("name", GENERATORS)
class TestSeeds:
    def test_same_seed_same_rankings(self, name: str) -> None:
        draw = GENERATORS[name]
        assert draw(50, 7) == draw(50, 7)
        assert draw(50, 7) == draw(50, np.random.default_rng(7))
        assert draw(50, 7) != draw(50, 8)

    def test_a_generator_continues(self, name: str) -> None:
        rng = np.random.default_rng(7)
        draw = GENERATORS[name]
        assert draw(50, rng) != draw(50, rng)

    def test_no_seed_differs(self, name: str) -> None:
        draw = GENERATORS[name]
        assert draw(50, None) != draw(50, None)

    def test_more_rankings_keep_the_first(self, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
        draw = GENERATORS[name]
        few, many = orders_and_counts(draw(30, 7)), orders_and_counts(draw(90, 7))
        assert not few - many
        # And the size of the batches is nobody's business.
        monkeypatch.setattr(generate, "_BATCH", 40)
        assert orders_and_counts(draw(90, 7)) == many

    @pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
    def test_bad_seed(self, name: str, seed: object) -> None:
        with pytest.raises(SettingError, match="seed"):
            GENERATORS[name](5, seed)


def orders_and_counts(data: Rankings) -> Counter:
    return Counter({tuple(buckets): weight for buckets, weight in data})


@pytest.mark.parametrize("bad", [0, -1, 2.0, "3", True, None])
def test_bad_counts(bad: object) -> None:
    with pytest.raises(SettingError, match="number of items"):
        generate.mallows(bad, 1, 0.1)
    with pytest.raises(SettingError, match="number of items"):
        generate.uniform(bad, 1)
    with pytest.raises(SettingError, match="number of rankings"):
        generate.uniform(1, bad)
    with pytest.raises(SettingError, match="number of rankings"):
        generate.plackett_luce(bad, weights=[1, 2])


def test_single_item() -> None:
    for data in (
        generate.mallows(1, 3, 0.1),
        generate.uniform(1, 3),
        generate.plackett_luce(3, weights=[2]),
    ):
        assert orders_of(data) == {("1",): 3}


class TestPartial:
    def test_probabilities(self) -> None:
        m, n = 60, 2_000
        complete = generate.uniform(m, n, seed=1)
        for drop, same in [(2 / 3, 5 / 6), (1 / 3, 5 / 6), (1 / 3, 1 / 6)]:
            data = generate.partial(complete, drop=drop, same_bucket=same, seed=2)
            assert data.n_rankings == n
            kept = sum(weight * sum(map(len, buckets)) for buckets, weight in data)
            assert abs(kept - (1 - drop) * n * m) < 4 * math.sqrt(n * m * drop * (1 - drop))
            # Each retained item but the first of its ranking opens a bucket with chance 1 - same.
            opened = sum(weight * (len(buckets) - 1) for buckets, weight in data if buckets)
            followers = kept - sum(weight for buckets, weight in data if buckets)
            spread = math.sqrt(followers * same * (1 - same))
            assert abs(opened - (1 - same) * followers) < 4 * spread

    @given(
        st.integers(1, 8),
        st.integers(1, 6),
        st.floats(0, 1),
        st.floats(0, 1),
        st.integers(0, 10**6),
    )
    def test_never_reverses(self, m: int, n: int, drop: float, same: float, seed: int) -> None:
        # One ranking at a time, to distinguish the results; two rounds, for ties and gaps.
        for order in bucket_orders(generate.uniform(m, n, seed=seed)):
            data = Rankings.from_orders([order], items=[str(i) for i in range(1, m + 1)])
            for _ in range(2):
                before = data.ranks()[0]
                data = generate.partial(data, drop=drop, same_bucket=same, seed=seed)
                after = data.ranks()[0]
                for a, b in itertools.permutations(np.flatnonzero(after), 2):
                    assert before[a] > 0
                    assert before[b] > 0
                    if after[a] < after[b]:
                        assert before[a] < before[b]
                    if before[a] == before[b]:
                        assert after[a] == after[b]

    def test_extremes(self) -> None:
        complete = generate.mallows(5, 20, 0.5, seed=1)
        assert generate.partial(complete, drop=0, same_bucket=0) == complete
        assert bucket_orders(generate.partial(complete, drop=1)) == [[]]
        one_bucket = generate.partial(complete, drop=0, same_bucket=1)
        assert bucket_orders(one_bucket) == [[("1", "2", "3", "4", "5")]]
        assert one_bucket.n_rankings == one_bucket.total_weight == 20

    def test_equal_rankings_are_transformed_one_by_one(self) -> None:
        copies = Rankings.from_orders([[*"abcdef"]] * 200)
        assert copies.n_distinct == 1
        data = generate.partial(copies, seed=1)
        assert data.n_distinct > 20
        assert data.n_rankings == data.total_weight == 200

    @pytest.mark.parametrize("weights", [[7, 9], [Fraction(1, 3), Fraction(1, 2)]])
    def test_importance_is_kept(self, weights: list) -> None:
        data = Rankings.from_orders([[*"abc"], [*"cba"]], weights=weights)
        result = generate.partial(data, drop=0, same_bucket=0, seed=1)
        assert result == data
        assert result.n_rankings == 2

    def test_unranked_last_is_written_out(self) -> None:
        data = Rankings.from_orders([["a"]], items="abc", unranked="last")
        result = generate.partial(data, drop=0, same_bucket=0)
        assert result.unranked == "unknown"
        assert bucket_orders(result) == [[("a",), ("b", "c")]]

    @pytest.mark.parametrize("name", ["drop", "same_bucket"])
    @pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, "0.5", True])
    def test_bad_probability(self, name: str, value: object) -> None:
        data = generate.uniform(3, 3, seed=1)
        with pytest.raises(SettingError, match=name):
            generate.partial(data, **{name: value})

    def test_wants_rankings(self) -> None:
        with pytest.raises(InputError, match="takes Rankings, not list"):
            generate.partial([["a", "b"]])


class TestSizes:
    @pytest.mark.parametrize("size", [10**12, 2**64, 10**30, 0, -1, 1.5, "9", True])
    def test_absurd_sizes_are_refused_at_once(self, size: int) -> None:
        for draw in (
            lambda: generate.mallows(size, 2, 0.5),
            lambda: generate.mallows(2, size, 0.5),
            lambda: generate.uniform(size, 2),
            lambda: generate.uniform(2, size),
            lambda: generate.plackett_luce(size, weights=[1, 2]),
            lambda: generate.check_size(size, 1),
        ):
            with pytest.raises(SettingError, match=r"the number of (items|rankings) must be"):
                draw()

    def test_the_product_is_limited_too(self) -> None:
        with pytest.raises(
            SettingError, match="100,000 rankings of 10,000 items have 1,000,000,000"
        ):
            generate.uniform(10_000, 100_000)
        with pytest.raises(SettingError, match="places: at most 500,000,000 can be drawn"):
            generate.plackett_luce(10_000_000, weights=np.ones(100))


class TestRelabel:
    def test_items_are_exchanged_and_nothing_else(self) -> None:
        data = generate.partial(generate.mallows(6, 30, 0.5, seed=1), seed=1)
        data = Rankings.from_orders(
            [ranking for ranking, _ in data],
            items=data.items,
            weights=range(1, data.n_distinct + 1),
        )
        again = generate.relabel(data, seed=2)
        assert again.items == data.items
        assert again != data
        places = np.random.default_rng(2).permutation(6)
        name = {data.items[a]: data.items[b] for a, b in enumerate(places)}
        assert again == Rankings.from_orders(
            [[tuple(name[item] for item in bucket) for bucket in ranking] for ranking, _ in data],
            items=data.items,
            weights=data.weights,
        )
        assert again == generate.relabel(data, seed=2)

    def test_the_rest_is_kept(self) -> None:
        data = Rankings.from_orders([["a"], ["b", "a"]], weights=[0.5, 1], unranked="last")
        again = generate.relabel(data, seed=1)
        assert (again.unranked, again.total_weight, again.n_rankings) == ("last", 1.5, 2)

    def test_other_data(self) -> None:
        with pytest.raises(InputError, match="takes Rankings"):
            generate.relabel([["a"]])  # type: ignore[arg-type]
