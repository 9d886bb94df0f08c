"""Rankings: what is kept, what is refused and with which words, equality, looks."""

import copy
import dataclasses
import math
import os
import pickle
import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant import merging
from concordant.errors import InputError, SettingError
from concordant.rankings import Rankings
from concordant.tables import building
from concordant.units import exact_units
from strategies import ODD_NAMES, ballots, exact_weight, make, rankings


def content(orders: list, weights: list) -> dict:
    """Add up weights by ranking, each as a tuple of sets."""
    found: dict[tuple, Fraction] = {}
    for order, weight in zip(orders, weights, strict=True):
        key = tuple(frozenset(bucket) for bucket in order)
        found[key] = found.get(key, Fraction(0)) + exact_weight(weight)
    return found


def held(data: Rankings) -> dict:
    orders = [buckets for buckets, _ in data]
    return content(orders, [Fraction(unit, data.scale) for unit in data.units.tolist()])


class TestKeeping:
    @given(ballots())
    def test_orders_come_back(self, drawn: tuple) -> None:
        items, orders, weights, unranked = drawn
        data = make(drawn)
        assert held(data) == content(orders, weights)
        assert data.n_distinct == len(held(data))
        assert data.n_rankings == len(orders)
        assert data.items == tuple(items)
        assert data.n_items == len(items)
        assert data.unranked == unranked
        total = sum(map(exact_weight, weights))
        assert data.total_weight == (total if data.scale == 1 else float(total))
        assert isinstance(data.total_weight, int) == (data.scale == 1)

    @given(ballots(kind="small"))
    def test_first_appearance_numbers_the_rankings(self, drawn: tuple) -> None:
        data = make(drawn)
        firsts = list(dict.fromkeys(tuple(map(frozenset, order)) for order in drawn[1]))
        assert [tuple(map(frozenset, buckets)) for buckets, _ in data] == firsts

    @given(ballots())
    def test_facts(self, drawn: tuple) -> None:
        items, orders, _, unranked = drawn
        data = make(drawn)
        lengths = [sum(map(len, order)) for order in orders]
        assert data.is_complete == (unranked == "last" or min(lengths) == len(items))
        ties = any(len(bucket) > 1 for order in orders for bucket in order)
        last = unranked == "last" and min(lengths) < len(items) - 1
        assert data.has_ties == (ties or last)
        assert ("ties" in repr(data)) == ties

    @given(ballots())
    def test_ranks(self, drawn: tuple) -> None:
        items, _, _, unranked = drawn
        data = make(drawn)
        for (buckets, _), row in zip(data, data.ranks().tolist(), strict=True):
            rank = {item: k for k, bucket in enumerate(buckets, start=1) for item in bucket}
            missing = len(buckets) + 1 if unranked == "last" else 0
            assert row == [rank.get(item, missing) for item in items]

    @given(rankings())
    def test_from_ranks_undoes_ranks(self, data: Rankings) -> None:
        weights = [Fraction(unit, data.scale) for unit in data.units.tolist()]
        again = Rankings.from_ranks(data.ranks(), items=data.items, weights=weights)
        # Rankings that were merged are fewer voters, if weights have fractions.
        assert again == dataclasses.replace(data.explicit(), n_voters=again.n_voters)

    @given(rankings())
    def test_explicit_says_the_same(self, data: Rankings) -> None:
        told = data.explicit()
        assert told.unranked == "unknown"
        assert told.total_weight == data.total_weight
        assert told.n_rankings == data.n_rankings
        if data.unranked == "last":
            assert (told.lengths == data.n_items).all()
        expected = np.unique(data.ranks(), axis=0)
        assert np.array_equal(np.unique(told.ranks(), axis=0), expected)

    def test_an_empty_ballot_is_counted(self) -> None:
        data = Rankings.from_orders([["a"], [], []], items="ab")
        assert (data.n_rankings, data.n_distinct, data.total_weight) == (3, 2, 3)
        only = Rankings.from_orders([[], []], items="ab")
        assert (only.n_rankings, only.n_distinct, only.total_weight) == (2, 1, 2)
        assert only.ranks().tolist() == [[0, 0]]

    def test_one_item(self) -> None:
        data = Rankings.from_orders([["a"], ["a"]])
        assert data.ranks().tolist() == [[1]]
        assert repr(data) == "Rankings(1 item, 2 rankings)"
        assert data.is_complete
        assert not data.has_ties

    def test_empty_ties_take_no_place(self) -> None:
        assert Rankings.from_orders([[(), "a", (), "b"]]) == Rankings.from_orders([["a", "b"]])

    def test_n_rankings_can_be_given(self) -> None:
        data = Rankings.from_arrays("ab", [0, 2], [0, 1], [0, 1], [7], n_rankings=7)
        assert (data.n_rankings, data.total_weight) == (7, 7)

    def test_bucket_numbers_only_have_to_rise(self) -> None:
        told = Rankings.from_arrays("abc", [0, 3], [2, 0, 1], [-5, 10**15, 10**15])
        assert told == Rankings.from_orders([["c", ("a", "b")]], items="abc")

    def test_narrow_and_wide_arrays_give_the_same(self) -> None:
        args = [0, 2, 4], [1, 0, 0, 1], [3, 4, 1, 1]
        expected = Rankings.from_arrays("ab", *args)
        for kind in (np.int8, np.uint16, np.int32, np.int64, np.uint64):
            assert Rankings.from_arrays("ab", *(np.array(a, kind) for a in args)) == expected

    def test_many_rankings_are_merged(self) -> None:
        # More than a few fill the hash table, and equal ones lie far apart.
        rng = np.random.default_rng(3)
        kinds = np.argsort(rng.random((500, 9)), axis=1)
        drawn = rng.integers(0, 500, 20_000)
        members = kinds[drawn].ravel()
        offsets = np.arange(20_001) * 9
        data = Rankings.from_arrays(range(9), offsets, members, np.tile(np.arange(9), 20_000))
        expected = {tuple(kinds[k]): n for k, n in enumerate(np.bincount(drawn)) if n}
        found = dict(
            zip(map(tuple, data.members.reshape(-1, 9).tolist()), data.units.tolist(), strict=True)
        )
        assert found == {tuple(map(int, key)): n for key, n in expected.items()}

    def test_a_large_tie_in_any_order(self) -> None:
        items = list(range(3000))
        first = Rankings.from_orders([[tuple(items)], [tuple(reversed(items))]], items=items)
        assert first.n_distinct == 1


class TestFromRanks:
    @given(
        st.integers(1, 6).flatmap(
            lambda m: st.lists(
                st.lists(st.integers(0, 9), min_size=m, max_size=m), min_size=1, max_size=6
            )
        ),
        st.sampled_from(["int", "float", "half", "time", "object"]),
    )
    def test_definition(self, rows: list, kind: str) -> None:
        items = [str(j + 1) for j in range(len(rows[0]))]
        orders = [
            [
                tuple(item for item, r in zip(items, row, strict=True) if r == rank)
                for rank in sorted({r for r in row if r})
            ]
            for row in rows
        ]
        matrix: object = np.array(rows)
        if kind == "float":
            matrix = np.where(np.array(rows) == 0, np.nan, rows)
        elif kind == "half":
            matrix = np.array(rows) / 2
        elif kind == "time":
            # Nanoseconds since 1970: a float does not tell neighbours apart.
            matrix = np.where(np.array(rows) == 0, 0, np.array(rows) + 1_700_000_000 * 10**9)
        elif kind == "object":
            matrix = [[r or None for r in row] for row in rows]
        assert Rankings.from_ranks(matrix) == Rankings.from_orders(orders, items=items)

    def test_masked_ranks_are_not_ranks(self) -> None:
        masked = np.ma.array([[1, 2, 3]], mask=[[False, True, False]])
        assert Rankings.from_ranks(masked).ranks().tolist() == [[1, 0, 2]]

    @pytest.mark.parametrize(
        ("matrix", "words"),
        [
            ([[1, 2], [2, -1]], "ranking 2, item 2: -1 is not a rank"),
            ([[1.0, np.inf]], "ranking 1, item 2: inf is not a rank"),
            ([[1, 2], [1]], "ranking 2 has 1 ranks, ranking 1 has 2"),
            ([1, 2], "table of rankings by items"),
            ([["x", "y"]], "a rank is not a number.*'x'"),
            (np.zeros((0, 3)), "no ranking at all"),
            (np.zeros((3, 0)), "no item"),
        ],
    )
    def test_refusals(self, matrix: object, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Rankings.from_ranks(matrix)

    def test_names_must_fit(self) -> None:
        with pytest.raises(InputError, match="3 item names for 2 columns"):
            Rankings.from_ranks([[1, 2]], items="abc")


class TestRefusals:
    @pytest.mark.parametrize(
        ("orders", "options", "words"),
        [
            ([["a", "b"], ["b", "c", "b"]], {}, "ranking 2: item 'b' is ranked twice"),
            ([["a", ("b", "a")]], {}, "ranking 1: item 'a' is ranked twice"),
            ([["a"], ["b", "z"]], {"items": "ab"}, "ranking 2: unknown item 'z'"),
            ([["a"], "ab"], {}, "ranking 2 must be a list of items, best first, not 'ab'"),
            ([["a"], 3], {}, "ranking 2 must be a list"),
            ([["a"], {"a", "b"}], {}, "ranking 2 .*has no order"),
            ([{"a": 1}], {}, "ranking 1 .*has no order"),
            ([["a", {"b": 1}]], {}, r"ranking 1: \{'b': 1\} cannot name an item"),
            ([["a", (["b"],)]], {}, r"ranking 1: \['b'\] cannot name an item"),
            (3, {}, "orders must be a list of rankings, not 3"),
            ([], {}, "no ranking at all"),
            ([[], []], {}, "no item to rank"),
            ([["a"]], {"items": "aba"}, "item 'a' is listed twice"),
            ([["a"]], {"items": [["a"]]}, "an item name cannot be used.*unhashable"),
            ([["a"]], {"weights": [1, 2]}, "2 weights for 1 rankings: give one number"),
            ([["a"]], {"weights": [[1]]}, "one number per ranking"),
            ([["a"]], {"weights": 1}, "one number per ranking"),
            ([["a"]] * 2, {"weights": [1, -2]}, "ranking 2: weight -2 is negative"),
            ([["a"]] * 2, {"weights": [1, -0.5]}, "ranking 2: weight -0.5 is negative"),
            ([["a"]] * 2, {"weights": [1, np.nan]}, "ranking 2: weight nan is not finite"),
            ([["a"]] * 2, {"weights": [np.inf, 1]}, "ranking 1: weight inf is not finite"),
            ([["a"]] * 2, {"weights": [1, None]}, "ranking 2: weight None is not a number"),
            ([["a"]] * 2, {"weights": ["1", "2"]}, "must be a number"),
            ([["a"]] * 2, {"weights": [[1], [1, 2]]}, "single numbers"),
            ([["a"]] * 2, {"weights": [2**61, 2**61]}, "add up to more.*common factor"),
            ([["a"]] * 2, {"weights": [1, 2**62]}, "ranking 2: weight 4611686018427387904"),
            ([["a"]] * 2, {"weights": [1, 2**70]}, "round them to fewer decimals"),
            ([["a"]] * 2, {"weights": [1e-300, 1]}, "round them to fewer decimals"),
        ],
    )
    def test_from_orders(self, orders: list, options: dict, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Rankings.from_orders(orders, **options)

    @pytest.mark.parametrize(
        ("arrays", "words"),
        [
            (([0, 1], [2], [0]), "ranking 1: there is no item number 2"),
            (([0, 1], [-1], [0]), "ranking 1: there is no item number -1"),
            # A number that would wrap to item 0 in 32 bits.
            (([0, 1], np.array([2**32]), [0]), "there is no item number 4294967296"),
            (([0, 1, 3], [0, 0, 1], [0, 5, 3]), "ranking 2: the bucket numbers fall at item 'b'"),
            (([0, 2], [0], [0]), "do not fit together"),
            (([1, 1], [0], [0]), "do not fit together"),
            (([0, 2, 1], [0], [0]), "do not fit together"),
            (([0, 1], [0], [0, 1]), "do not fit together"),
            (([0, 1], [0.5], [0]), "members must be a flat array of integers"),
            (([0, 1], [[0]], [0]), "members must be a flat array of integers"),
            (([0, 1.5], [0], [0]), "offsets must be a flat array of integers"),
            (([0, 1], [0], np.array([2**63], np.uint64)), r"buckets must be below 2\*\*63"),
            (([0], [], []), "no ranking at all"),
            (([], [], []), "no ranking at all"),
        ],
    )
    def test_from_arrays(self, arrays: tuple, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Rankings.from_arrays("ab", *arrays)

    @pytest.mark.parametrize(
        "make_one",
        [
            lambda: Rankings.from_orders([["a"], ["a", "a"]]),
            lambda: Rankings.from_orders([["a"], ["b"]], items="a"),
            lambda: Rankings.from_orders([["a"], ["a"]], weights=[1, -1]),
            lambda: Rankings.from_orders([["a"], ["a"]], weights=[1, np.nan]),
            lambda: Rankings.from_ranks([[1], [-1]]),
        ],
    )
    def test_the_error_names_the_ranking(self, make_one: object) -> None:
        # Readers of files turn it into a line.
        with pytest.raises(InputError) as caught:
            make_one()  # type: ignore[operator]
        assert caught.value.ranking == 1

    def test_unranked(self) -> None:
        with pytest.raises(SettingError, match=r"'unknown' .* or 'last' .*, not 'first'"):
            Rankings.from_orders([["a"]], unranked="first")  # type: ignore[arg-type]


class TestExactUnits:
    @given(st.lists(st.decimals(0, 10**6, places=6), min_size=1, max_size=8))
    def test_decimals(self, values: list[Decimal]) -> None:
        floats = [float(value) for value in values]
        for given_values in (floats, np.array(floats), values, np.array(values, object)):
            units, scale = exact_units(given_values)
            assert [Fraction(int(u), scale) for u in units] == [Fraction(v) for v in values]

    @given(
        st.lists(st.integers(0, 10**6).map(lambda k: np.float32(k / 1000)), min_size=1, max_size=3)
    )
    def test_narrow_floats_are_their_own_decimals(self, values: list) -> None:
        units, scale = exact_units(np.array(values, np.float32))
        assert [Fraction(int(u), scale) for u in units] == [Fraction(str(v)) for v in values]

    @given(st.lists(st.floats(0.001, 100), min_size=1, max_size=5))
    def test_long_decimals_are_exact_or_refused(self, values: list[float]) -> None:
        expected = [Fraction(str(value)) for value in values]
        common = math.lcm(*(value.denominator for value in expected))
        if max(expected) * common >= 2**62:
            with pytest.raises(InputError, match="round them to fewer decimals"):
                exact_units(values)
        else:
            units, scale = exact_units(values)
            assert [Fraction(int(u), scale) for u in units] == expected

    def test_large_integers_beside_decimals_are_not_rounded(self) -> None:
        units, scale = exact_units([2**53 + 1, 0.5])
        assert (units.tolist(), scale) == ([2**54 + 2, 1], 2)
        assert exact_units([2**61 + 1, 1.0])[0].tolist() == [2**61 + 1, 1]

    def test_fractions_and_integers(self) -> None:
        assert exact_units([Fraction(1, 3), 2])[0].tolist() == [1, 6]
        assert exact_units(np.array([True, False]))[0].tolist() == [1, 0]
        assert exact_units(np.zeros((2, 2), np.uint8))[0].shape == (2, 2)
        assert exact_units([])[1] == 1


class TestEquality:
    @given(ballots(), st.randoms(use_true_random=False))
    def test_order_of_rankings_and_items_does_not_matter(
        self, drawn: tuple, random: object
    ) -> None:
        items, orders, weights, unranked = drawn
        both = list(zip(orders, weights, strict=True))
        random.shuffle(both)  # type: ignore[attr-defined]
        shuffled = list(items)
        random.shuffle(shuffled)  # type: ignore[attr-defined]
        turned = [[tuple(reversed(bucket)) for bucket in order] for order, _ in both]
        other = make((shuffled, turned, [weight for _, weight in both], unranked))
        assert other == make(drawn)
        assert hash(other) == hash(make(drawn))

    @given(ballots(kind="decimal"))
    def test_splitting_a_weight_changes_only_the_voters(self, drawn: tuple) -> None:
        items, orders, weights, unranked = drawn
        halves = [exact_weight(weight) / 2 for weight in weights] * 2
        split, whole = make((items, orders * 2, halves, unranked)), make(drawn)
        assert (split == whole) == (split.n_voters == whole.n_voters)
        assert dataclasses.replace(split, n_voters=whole.n_voters) == whole
        assert hash(split) == hash(whole)

    def test_hash_of_weights_beyond_floats(self) -> None:
        half = Fraction(2**60 + 1, 2)
        split = Rankings.from_orders([["a"], ["a"]], weights=[half, half])
        whole = Rankings.from_orders([["a"]], weights=[2**60 + 1])
        assert dataclasses.replace(split, n_voters=whole.n_voters) == whole
        assert hash(split) == hash(whole)

    def test_differences(self) -> None:
        base = Rankings.from_orders([["a", "b"]], items="abc")
        for other in (
            Rankings.from_orders([["b", "a"]], items="abc"),
            Rankings.from_orders([[("a", "b")]], items="abc"),
            Rankings.from_orders([["a", "b"]], items="abd"),
            Rankings.from_orders([["a", "b"]], items="ab"),
            Rankings.from_orders([["a", "b"]], items="abc", weights=[2]),
            Rankings.from_orders([["a", "b"]], items="abc", unranked="last"),
            Rankings.from_orders([["a", "b"], []], items="abc"),
            "Rankings",
        ):
            assert base != other

    def test_sets_number_new_items_alike_in_every_process(self) -> None:
        code = (
            "from concordant.rankings import Rankings;"
            "print(Rankings.from_orders([[{'pear', 'fig', 'plum'}, {1, 'x', (2, 3)}]]).items)"
        )
        for seed in ("1", "2"):
            done = subprocess.run(
                [sys.executable, "-c", code],
                env={**os.environ, "PYTHONHASHSEED": seed},
                capture_output=True,
                text=True,
                check=True,
            )
            assert done.stdout == "('fig', 'pear', 'plum', 1, 'x', (2, 3))\n"


class TestImmutable:
    ARRAYS = ("offsets", "members", "buckets", "units")

    @pytest.mark.parametrize(
        "copied",
        [
            lambda data: data,
            copy.copy,
            copy.deepcopy,
            lambda data: pickle.loads(pickle.dumps(data)),
            lambda data: data.explicit(),
        ],
    )
    def test_arrays_and_attributes(self, copied: object) -> None:
        data = Rankings.from_orders([["a", ("b", "c")], ["b"]], weights=[0.5, 2], unranked="last")
        again = copied(data)  # type: ignore[operator]
        assert again.explicit() == data.explicit()
        for name in self.ARRAYS:
            with pytest.raises(ValueError, match="read-only"):
                getattr(again, name)[0] = 1
            with pytest.raises(dataclasses.FrozenInstanceError):
                setattr(again, name, None)

    def test_a_pickle_is_equal(self) -> None:
        data = Rankings.from_orders([[0.5, None, (2, "x")]], weights=[0.1])
        again = pickle.loads(pickle.dumps(data))
        assert again == data
        assert (again.n_rankings, again.scale, again.items) == (1, 10, data.items)

    def test_what_the_caller_gave_stays_the_callers(self) -> None:
        offsets, members = np.array([0, 2, 4]), np.array([0, 1, 1, 0], np.int32)
        buckets, weights = np.array([0, 7, 0, 0], np.int32), np.array([1, 2])
        data = Rankings.from_arrays("ab", offsets, members, buckets, weights)
        assert buckets.tolist() == [0, 7, 0, 0]
        assert members.tolist() == [0, 1, 1, 0]
        before = [getattr(data, name).tolist() for name in self.ARRAYS]
        for array in (offsets, members, buckets, weights):
            array[:] = 0
        assert [getattr(data, name).tolist() for name in self.ARRAYS] == before


class TestLooks:
    @given(rankings())
    def test_repr_is_short(self, data: Rankings) -> None:
        assert len(repr(data)) < 100
        assert "\n" not in repr(data)

    def test_repr_says_what_matters(self) -> None:
        data = Rankings.from_orders([["a", ("b", "c")], ["a"]], weights=[1.25, 2], unranked="last")
        assert repr(data) == "Rankings(3 items, 2 rankings, weight 3.25, unranked last, ties)"
        big = Rankings.from_orders([["a"]], weights=[1234567], items="ab")
        assert repr(big) == "Rankings(2 items, 1 ranking, weight 1,234,567, partial)"

    def test_html_is_escaped(self) -> None:
        data = Rankings.from_orders([["<script>", ("&", '"')], []], weights=[2, 1])
        shown = data._repr_html_()
        assert "<script>" not in shown
        assert "<td>2</td><td>&lt;script&gt; &gt; &amp; = &quot;</td>" in shown
        assert "(nothing)" in shown

    def test_html_shows_the_heaviest_of_many(self) -> None:
        orders = [[f"i{k}", f"i{k + 1}"] for k in range(2000)]
        data = Rankings.from_orders(orders, weights=[1] * 1999 + [5])
        shown = data._repr_html_()
        assert shown.index("i1999 &gt; i2000") < shown.index("i0 &gt; i1")
        assert "… and 1,990 other rankings" in shown
        assert len(shown) < 2000

    def test_html_cuts_long_rankings(self) -> None:
        items = [f"name{k}" for k in range(500)]
        for order in (items, [tuple(items)]):
            assert len(Rankings.from_orders([order])._repr_html_()) < 500

    def test_odd_names_are_kept(self) -> None:
        data = Rankings.from_orders([[(name,) for name in ODD_NAMES]])
        assert data.items == ODD_NAMES
        assert [bucket for (bucket,) in next(iter(data))[0]] == list(ODD_NAMES)


class TestMissingValues:
    @pytest.mark.parametrize(
        "missing", [float("nan"), np.float32("nan"), np.datetime64("NaT", "s")]
    )
    def test_a_missing_value_is_not_an_item(self, missing: object) -> None:
        with pytest.raises(InputError, match=r"ranking 2: .* is a missing value, .* leave it out"):
            Rankings.from_orders([["a"], ["b", missing]])
        with pytest.raises(InputError, match="is a missing value, not an item"):
            Rankings.from_orders([["a"]], items=["a", missing])

    def test_na_of_pandas(self) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match="ranking 1: <NA> is a missing value"):
            Rankings.from_orders([["a", pd.NA]])


class TestSeries:
    def test_a_series_without_labels_is_a_list(self) -> None:
        pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
        wanted = Rankings.from_orders([["b", "a"]])
        for series in (pd.Series(["b", "a"]), pl.Series(["b", "a"])):
            assert Rankings.from_orders([series]) == wanted

    @pytest.mark.parametrize(
        ("values", "labels"),
        [([2, 1], ["a", "b"]), (["a", "b"], [2, 1]), (["a", "b"], ["rank1", "rank2"])],
    )
    def test_a_series_with_labels_is_refused(self, values: list, labels: list) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match=r"ranking 2 is a pandas Series .*list\(series\)"):
            Rankings.from_orders([["a", "b"], pd.Series(values, labels)])

    def test_a_frame_is_not_a_ranking(self) -> None:
        pd = pytest.importorskip("pandas")
        with pytest.raises(InputError, match=r"is a pandas DataFrame .*from_frame"):
            Rankings.from_orders([pd.DataFrame([[1, 2]])])


class TestVoters:
    """Whole weights are repeat counts; else each ranking given is a voter."""

    @pytest.mark.parametrize(
        ("weights", "n_voters"),
        [(None, 2), ([3, 1], 4), ([3.0, 0], 3), ([0.5, 0.5], 2), ([2.5, 1], 2), ([0.5, 0], 2)],
    )
    def test_number(self, weights: list | None, n_voters: int) -> None:
        assert Rankings.from_orders([["a"], ["b"]], weights=weights).n_voters == n_voters

    def test_merged_rankings_keep_their_voters(self) -> None:
        data = Rankings.from_orders([["a", "b"], ["b", "a"]] * 21, weights=[0.5] * 42)
        assert (data.n_distinct, data.total_weight, data.n_voters) == (2, 21, 42)
        assert data.explicit().n_voters == copy.copy(data).n_voters == 42
        assert data != Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[10.5, 10.5])
        last = Rankings.from_orders([["a"], ["a", "b"]], weights=[0.5, 0.5], unranked="last")
        assert (last.explicit().n_distinct, last.explicit().n_voters) == (1, 2)


@st.composite
def named(draw: st.DrawFn) -> tuple[tuple, list]:
    """Draw ballots, and a name for each: some twice, some not known."""
    drawn = draw(ballots())
    names = st.sampled_from(["Ann", "Bo", "Cy", "Di", 5, ("x", 1), None])
    return drawn, [draw(names) for _ in drawn[1]]


def with_names(drawn: tuple, names: list | None) -> Rankings:
    items, orders, weights, unranked = drawn
    return Rankings.from_orders(
        orders, weights=weights, items=items, unranked=unranked, voters=names
    )


def plain(orders: list) -> list:
    return [[frozenset(bucket) for bucket in order] for order in orders]


class TestNames:
    """Voters keep their names and their rankings, though equal rankings are merged."""

    @given(named(), st.sampled_from(["plain", "kernels"]))
    def test_each_voter_has_a_ranking(self, given_: tuple, way: str) -> None:
        (_, orders, weights, _), names = given_
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(merging, "SMALL", -1 if way == "kernels" else 20_000)
            data = with_names(given_[0], names)
        if set(names) == {None}:
            assert data.voters is None
            return
        assert data.voters == tuple(names)
        assert len(data) == len(list(data)) == len(orders)
        assert plain([buckets for buckets, _ in data]) == plain(orders)
        assert units_of(data, slice(None)) == [exact_weight(weight) for weight in weights]
        assert [ranking.voter for ranking in data] == names
        assert [data[k] for k in range(len(data))] == list(data)
        assert data == make(given_[0])
        assert data.n_distinct == make(given_[0]).n_distinct

    @given(ballots())
    def test_without_names_the_distinct_rankings(self, drawn: tuple) -> None:
        data = make(drawn)
        assert data.voters is None
        assert len(data) == data.n_distinct == len(list(data))
        assert [data[k] for k in range(-len(data), 0)] == list(data)
        assert data[0].voter is None

    @given(named())
    def test_copies_and_explicit_forms_keep_them(self, given_: tuple) -> None:
        data = with_names(*given_)
        again = pickle.loads(pickle.dumps(data))
        assert again.voters == copy.deepcopy(data).voters == data.voters
        assert list(again) == list(data)
        explicit = data.explicit()
        assert explicit.voters == data.voters
        if data.voters is not None:
            assert [tuple(each) for each in explicit] == [
                tuple(x.explicit()[0]) for x in singles(data)
            ]
            assert explicit.known is not None
            with pytest.raises(ValueError, match="read-only"):
                explicit.known.which[0] = 1

    def test_one_ranking(self) -> None:
        data = Rankings.from_orders([["a", ("b", "c")]], weights=[0.5], voters=["Ann"])
        ranking = data[-1]
        assert ranking == ([("a",), ("b", "c")], 0.5)
        assert (ranking.buckets, ranking.weight, ranking.voter) == (*ranking, "Ann")
        assert repr(ranking) == "Ranking([('a',), ('b', 'c')], weight=0.5, voter='Ann')"
        assert pickle.loads(pickle.dumps(ranking)).voter == "Ann"
        for index in (1, -2):
            with pytest.raises(IndexError):
                data[index]
        with pytest.raises(TypeError):
            data["Ann"]  # type: ignore[call-overload]

    def test_from_ranks(self) -> None:
        assert Rankings.from_ranks([[1, 2], [1, 2]], voters=["x", "y"]).voters == ("x", "y")

    @pytest.mark.parametrize(
        ("voters", "words"),
        [
            (["Ann"], "1 names of voters for 2 rankings"),
            (3, "voters must be a list of names"),
            ([["Ann"], "Bo"], r"\['Ann'\] cannot name a voter"),
        ],
    )
    def test_refusals(self, voters: object, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Rankings.from_orders([["a"], ["b"]], voters=voters)  # type: ignore[arg-type]


def singles(data: Rankings) -> list[Rankings]:
    return [data[k : k + 1] for k in range(len(data))]


class TestParts:
    @given(named(), st.slices(8))
    def test_slices(self, given_: tuple, part: slice) -> None:
        items, orders, weights, unranked = given_[0]
        data = with_names(*given_)
        rankings = list(data)[part]
        if not rankings:
            with pytest.raises(InputError, match="no ranking is left"):
                data[part]
            return
        cut = data[part]
        kept = content([ranking.buckets for ranking in rankings], units_of(data, part))
        assert content([x.buckets for x in cut], units_of(cut, slice(None))) == kept
        assert (cut.items, cut.unranked) == (data.items, data.unranked)
        if data.voters is not None:
            assert cut.voters == data.voters[part]
            assert list(cut) == rankings
            expected = make((items, orders[part], weights[part], unranked))
            assert dataclasses.replace(cut, n_voters=expected.n_voters) == expected
            assert cut.n_voters == expected.n_voters or len(cut) == len(data)

    @given(named())
    def test_the_parts_add_up(self, given_: tuple) -> None:
        data = with_names(*given_)
        assert data[:] == data
        if data.voters is None and (data.units % data.scale).any():
            return
        total = sum(singles(data))
        assert dataclasses.replace(total, n_voters=data.n_voters) == data
        if data.voters is not None:
            assert list(total) == list(data)

    @given(named(), named())
    def test_a_sum_has_the_rankings_of_both(self, one: tuple, two: tuple) -> None:
        (items, orders, weights, unranked), names = one
        (more_items, more_orders, more_weights, _), more_names = two
        second = with_names((more_items, more_orders, more_weights, unranked), more_names)
        first = with_names(*one)
        joined = first + second
        union = list(dict.fromkeys([*items, *more_items]))
        expected = make((union, orders + more_orders, weights + more_weights, unranked))
        assert joined.items == tuple(union)
        assert dataclasses.replace(joined, n_voters=expected.n_voters) == expected
        assert joined.n_rankings == expected.n_rankings
        if first.voters is not None and second.voters is not None:
            assert joined.voters == (*names, *more_names)
        elif first.voters is None and second.voters is None:
            assert joined.voters is None
        assert len(joined) == len(list(joined))

    def test_a_sum_needs_the_same_meaning_of_gaps(self) -> None:
        one = Rankings.from_orders([["a", "b"]])
        two = Rankings.from_orders([["a", "b"]], unranked="last")
        with pytest.raises(InputError, match='unranked="unknown", the other unranked="last"'):
            one + two
        with pytest.raises(TypeError):
            one + 1
        heavy = Rankings.from_orders([["a"]], weights=[2**61])
        with pytest.raises(InputError, match="add up to more"):
            heavy + heavy

    @given(named(), st.data())
    def test_some_items(self, given_: tuple, data: st.DataObject) -> None:
        drawn = given_[0]
        whole = with_names(*given_)
        chosen = data.draw(st.lists(st.sampled_from(drawn[0]), min_size=1, unique_by=repr))
        part = whole.subset(items=chosen)
        orders = [
            [kept for bucket in order if (kept := tuple(i for i in bucket if i in chosen))]
            for order in drawn[1]
        ]
        expected = make((chosen, orders, drawn[2], drawn[3]))
        assert part.items == tuple(chosen)
        assert dataclasses.replace(part, n_voters=expected.n_voters) == expected
        assert part.n_voters == whole.n_voters
        assert part.voters == whole.voters
        if whole.voters is not None:
            assert plain([buckets for buckets, _ in part]) == plain(orders)

    @given(named(), st.sets(st.sampled_from(["Ann", "Bo", "Cy", 5])))
    def test_some_voters(self, given_: tuple, wanted: set) -> None:
        whole = with_names(*given_)
        present = wanted & set(whole.voters or ())
        if wanted - present or not wanted:
            with pytest.raises(InputError, match=r"no voter|have no names|no ranking is left"):
                whole.subset(voters=wanted)
            return
        part = whole.subset(voters=wanted)
        assert list(part) == [ranking for ranking in whole if ranking.voter in wanted]

    def test_both(self) -> None:
        orders = [["a", "b", "c"], ["c", "b", "a"], ["b"]]
        data = Rankings.from_orders(orders, voters=["Ann", "Bo", "Cy"])
        part = data.subset(items=["c", "a"], voters=["Cy", "Ann"])
        assert [(each.voter, each.buckets) for each in part] == [
            ("Ann", [("a",), ("c",)]),
            ("Cy", []),
        ]
        with pytest.raises(InputError, match="no item 'z' among the 3 items"):
            data.subset(items=["z"])
        with pytest.raises(InputError, match="no voter 'Z' among the 3 voters"):
            data.subset(voters=["Z"])
        assert data.subset() is data


def units_of(data: Rankings, part: slice) -> list[Fraction]:
    units = data.units if data.known is None else data.known.units
    return [Fraction(unit, data.scale) for unit in units.tolist()][part]


class TestToFrame:
    @given(named())
    def test_round_trip(self, given_: tuple) -> None:
        drawn, names = given_
        if any(item is None for item in drawn[0]):
            return
        data = with_names(*given_)
        frame = data.to_frame()
        assert frame.columns == ["voter", "item", "rank", "weight"]
        again = Rankings.from_frame(frame, unranked=data.unranked)
        assert dataclasses.replace(again, n_voters=data.n_voters) == data
        assert again.items == data.items
        if len(set(names)) == len(names) and None not in names:
            assert again.voters == data.voters
            assert again == data

    def test_columns(self) -> None:
        data = Rankings.from_orders([["b", "a"], []], voters=["Ann", "Bo"], weights=[2, 0.5])
        assert data.to_frame().rows() == [
            ("Ann", "b", 1, 2.0),
            ("Ann", "a", 2, 2.0),
            ("Bo", None, None, 0.5),
        ]
        third = Rankings.from_orders([["a"]], weights=[Fraction(1, 3)])
        assert third.to_frame().rows() == [(1, "a", 1, "1/3")]

    def test_result_and_bootstrap(self) -> None:
        votes = Rankings.from_orders([["a", "b"], ["a", "b"], ["b", "a"]])
        assert cc.aggregate(votes).to_frame().rows() == [(1, "a"), (2, "b")]
        tied = dataclasses.replace(
            cc.aggregate(votes), ranking=("a", "b", "c"), buckets=(("a", "b"), ("c",))
        )
        assert tied.to_frame().rows() == [(1, "a"), (1, "b"), (3, "c")]
        firm = cc.bootstrap(votes, samples=5)
        frame = firm.to_frame()
        names = ["low", "median", "high", "first", "stands", "rank_low", "rank_high"]
        assert frame.columns == ["place", "item", *names]
        assert frame["item"].to_list() == list(firm.items)
        assert frame["stands"].to_list() == [*firm.stands, None]


class TestNamesInFiles:
    @given(named())
    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    def test_json_keeps_them(self, tmp_path: Path, given_: tuple) -> None:
        drawn, names = given_
        items = [f"i{k}" for k in range(len(drawn[0]))]
        to = dict(zip(map(str, drawn[0]), items, strict=True))
        orders = [[tuple(to[str(i)] for i in bucket) for bucket in order] for order in drawn[1]]
        data = with_names((items, orders, *drawn[2:]), names)
        cc.write(data, tmp_path / "votes.json")
        again = cc.read(tmp_path / "votes.json")
        assert again == data
        assert again.voters == data.voters
        assert list(again) == list(data)

    @pytest.mark.parametrize("layout", ["long", "wide", "ballots"])
    @pytest.mark.parametrize("suffix", ["csv", "parquet"])
    def test_tables_keep_them(self, tmp_path: Path, layout: str, suffix: str) -> None:
        data = Rankings.from_orders(
            [["a", "b"], ["b", "a"], ["a", "b"]], voters=["Ann", "Bo", "Cy"]
        )
        path = tmp_path / f"votes.{suffix}"
        cc.write(data, path, layout=layout)
        again = cc.read(path)
        assert again == data
        assert again.voters == data.voters

    def test_named_voters_of_fractions_are_all_written(self, tmp_path: Path) -> None:
        orders, weights = [["a", "b"], ["a", "b"]], [0.5, 0.25]
        data = Rankings.from_orders(orders, weights=weights, voters=["Ann", "Bo"])
        # A warning would be an error here.
        cc.write(data, tmp_path / "votes.csv")
        assert cc.read(tmp_path / "votes.csv") == data

    def test_files_without_names_of_voters(self, tmp_path: Path) -> None:
        data = Rankings.from_orders([["a", "b"], ["b", "a"], ["a", "b"]], voters=["u", "v", "w"])
        cc.write(data, tmp_path / "votes.toc")
        assert cc.read(tmp_path / "votes.toc").voters is None
        old = '{"format": "concordant-rankings", "version": 1, "items": ["a"], "rankings": []}'
        (tmp_path / "old.json").write_text(old.replace("[]", '[{"weight": 2, "buckets": [[0]]}]'))
        assert cc.read(tmp_path / "old.json").voters is None

    def test_a_pandas_index(self) -> None:
        pd = pytest.importorskip("pandas")
        table = {"x": [1, 2], "y": [2, 1]}
        assert Rankings.from_frame(pd.DataFrame(table, index=["Ann", "Bo"])).voters == ("Ann", "Bo")
        assert Rankings.from_frame(pd.DataFrame(table)).voters is None
        assert Rankings.from_frame(pd.DataFrame(table, index=[5, 7])).voters is None
        voter = pd.DataFrame(table | {"voter": ["u", "v"]}, index=["Ann", "Bo"])
        assert Rankings.from_frame(voter).voters == ("u", "v")

    def test_more_than_a_plot_can_show_are_not_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(building, "MOST_NAMED", 2)
        frame = pl.DataFrame({"voter": ["u", "v", "w"], "x": [1, 1, 2], "y": [2, 2, 1]})
        assert Rankings.from_frame(frame).voters is None
        assert Rankings.from_frame(frame[:2]).voters == ("u", "v")
