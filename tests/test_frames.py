"""Frames: all libraries and layouts give the rankings that they stand for."""

from __future__ import annotations

import datetime as dt
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant import InputError, InputWarning, Rankings, SettingError, inspect
from concordant.tables import values as table_values
from concordant.tables.columns import RowError, plan_columns

if TYPE_CHECKING:
    import random

LIBRARIES = {
    "polars": pl.DataFrame,
    "pandas": pd.DataFrame,
    "pandas, pyarrow types": lambda columns: pa.table(columns).to_pandas(
        types_mapper=pd.ArrowDtype
    ),
    "pyarrow": pa.table,
}
libraries = pytest.mark.parametrize("make", LIBRARIES.values(), ids=LIBRARIES.keys())

NAMES = ["a", "b", "c", "d", "e"]


@st.composite
def ranked(draw: st.DrawFn, ties: bool = True) -> list[list[tuple[str, ...]]]:
    """Rankings as lists of buckets; every item occurs in one of them."""
    rankings = []
    for _ in range(draw(st.integers(1, 6))):
        order = draw(st.permutations(NAMES))[: draw(st.integers(0, len(NAMES)))]
        buckets: list[tuple[str, ...]] = []
        for item in order:
            if buckets and ties and draw(st.booleans()):
                buckets[-1] += (item,)
            else:
                buckets.append((item,))
        rankings.append(buckets)
    return rankings


def expected(rankings: list[list[tuple[str, ...]]], **options: Any) -> Rankings:
    return Rankings.from_orders(rankings, items=NAMES, **options)


def orders(data: Rankings) -> list[list[tuple[Any, ...]]]:
    return [ranking for ranking, _ in data]


def long_rows(rankings: list[list[tuple[str, ...]]]) -> list[tuple[str, str | None, int | None]]:
    rows: list[tuple[str, str | None, int | None]] = []
    for voter, buckets in enumerate(rankings):
        ranked_items = {item: rank for rank, bucket in enumerate(buckets, 1) for item in bucket}
        # Everything that is not ranked has a row without a rank.
        rows += [(f"v{voter}", item, ranked_items.get(item)) for item in NAMES]
    return rows


class TestLong:
    @given(ranked(), st.randoms(use_true_random=False), st.sampled_from(sorted(LIBRARIES)))
    def test_any_order_of_rows(
        self, rankings: list[list[tuple[str, ...]]], rng: random.Random, library: str
    ) -> None:
        rows = long_rows(rankings)
        rng.shuffle(rows)
        voter, item, rank = (list(column) for column in zip(*rows, strict=True))
        frame = LIBRARIES[library]({"voter": voter, "item": item, "rank": rank})
        data = Rankings.from_frame(frame)
        assert data == expected(rankings)
        assert data.n_rankings == len(rankings)

    @given(ranked(), st.integers(2, 2**62))
    def test_integer_voters_far_apart(
        self, rankings: list[list[tuple[str, ...]]], spread: int
    ) -> None:
        rows = [
            ((voter * spread) % 2**62, item, rank)
            for voter, buckets in enumerate(rankings)
            for rank, bucket in enumerate(buckets, 1)
            for item in bucket
        ]
        known = {row[0] for row in rows}
        if not rows or len(known) < sum(map(bool, rankings)):
            return
        frame = pl.DataFrame(rows, schema=["voter", "item", "rank"], orient="row")
        kept = [buckets for buckets in rankings if buckets]
        assert Rankings.from_frame(frame, items=NAMES) == expected(kept)

    def test_many_voters_in_any_order(self) -> None:
        # Enough for the table of voters to grow, and for long rankings to be sorted otherwise.
        rng = np.random.default_rng(0)
        for n, m in ((5000, 6), (40, 300)):
            ranks = np.argsort(np.argsort(rng.random((n, m)), axis=1), axis=1) + 1
            voter, item = np.divmod(rng.permutation(n * m), m)
            frame = pl.DataFrame({"voter": voter, "item": item, "rank": ranks[voter, item]})
            for column in (pl.col("voter"), "v" + pl.col("voter").cast(pl.String)):
                data = Rankings.from_frame(frame.with_columns(column.alias("voter")))
                assert data == Rankings.from_ranks(ranks, items=range(m))

    @libraries
    def test_weights_ties_gaps_and_an_empty_ballot(self, make: Any) -> None:
        frame = make(
            {
                "User": ["x", "x", "y", "y", "z"],
                "Option": ["a", "b", "b", "c", "a"],
                "Position": [1.5, 1.5, 2.0, 1.0, None],
                "Weight": [0.5, 0.5, 2.0, 2.0, 1.0],
            }
        )
        data = Rankings.from_frame(frame)
        assert orders(data) == [[("a", "b")], [("c",), ("b",)], []]
        assert data.weights.tolist() == [0.5, 2, 1]
        assert data.n_rankings == 3

    def test_order_of_items(self) -> None:
        frame = pl.DataFrame({"voter": [1, 1, 1], "item": ["c", "a", "b"], "rank": [3, 1, 2]})
        assert Rankings.from_frame(frame).items == ("c", "a", "b")
        assert Rankings.from_frame(frame, items="abcd").items == ("a", "b", "c", "d")
        assert Rankings.from_frame(frame, items="abcd") == Rankings.from_orders(
            [["a", "b", "c"]], items="abcd"
        )

    @libraries
    def test_integers_stay_integers(self, make: Any) -> None:
        data = Rankings.from_frame(make({"voter": [1, 1], "item": [7, 3], "rank": [2, 1]}))
        assert data.items == (7, 3)
        assert [type(item) for item in data.items] == [int, int]

    def test_whole_floats_are_integers(self) -> None:
        # pandas has no other way to hold integers with a gap.
        frame = pd.DataFrame({"voter": [1, 1, 2], "item": [7, 3, None], "rank": [2, 1, None]})
        assert repr(Rankings.from_frame(frame).items) == "(7, 3)"

    @pytest.mark.parametrize(
        "items",
        [
            [1.5, 2.0],
            [dt.date(2020, 1, 1), dt.date(2021, 1, 1)],
            [True, False],
            [2**63, 2**64],
            ["\ud800", "x"],
            [("x", 1), ("x", 2)],
            [1, "1"],
        ],
    )
    def test_other_kinds_of_items(self, items: list[Any]) -> None:
        values = pd.Series(items, dtype=object)
        frame = pd.DataFrame({"voter": ["v", "v"], "item": values, "rank": [2, 1]})
        assert Rankings.from_frame(frame).items == tuple(items)
        if not isinstance(items[0], str | tuple | int) or isinstance(items[0], bool):
            polars = pl.DataFrame({"voter": ["v", "v"], "item": items, "rank": [2, 1]})
            assert Rankings.from_frame(polars).items == tuple(items)

    def test_categories(self) -> None:
        columns = {"voter": ["v", "v"], "item": ["b", "a"], "rank": [1, 2]}
        polars = pl.DataFrame(columns, schema_overrides={"item": pl.Categorical})
        enum = pl.DataFrame(columns, schema_overrides={"item": pl.Enum(["a", "b", "c"])})
        pandas = pd.DataFrame(columns).astype({"item": "category", "rank": "category"})
        for frame in (polars, enum, pandas):
            assert Rankings.from_frame(frame).items == ("b", "a")

    def test_scores(self) -> None:
        frame = pl.DataFrame(
            {"judge": [1, 1, 1, 2], "candidate": list("abca"), "score": [-1.5, 9, 9, None]}
        )
        assert orders(Rankings.from_frame(frame)) == [[("b", "c"), ("a",)], []]
        renamed = frame.rename({"score": "stars"})
        assert Rankings.from_frame(renamed, score="stars") == Rankings.from_frame(frame)
        with pytest.raises(RowError, match=r"^row 2: 'score' is inf, but a score must be finite"):
            Rankings.from_frame(
                pl.DataFrame({"voter": [1, 1], "item": ["a", "b"], "score": [1.0, float("inf")]})
            )

    def test_huge_scores_do_not_tie(self) -> None:
        scores = [2**60, 2**60 + 1, -(2**60), -(2**60) - 1]
        frame = pl.DataFrame({"voter": [1] * 4, "item": list("abcd"), "score": scores})
        assert orders(Rankings.from_frame(frame)) == [[("b",), ("a",), ("c",), ("d",)]]
        with pytest.raises(RowError, match=r"row 2: 'rank' is 0, but ranks begin at 1"):
            Rankings.from_frame(
                pl.DataFrame({"voter": [1] * 2, "item": list("ab"), "rank": [2**60, -(2**60)]})
            )

    def test_columns_by_name(self) -> None:
        frame = pl.DataFrame({"who": [1, 1], "what": ["a", "b"], "n": [2, 1], "times": [3, 3]})
        data = Rankings.from_frame(frame, voter="who", item="what", rank="n", weight="times")
        assert orders(data) == [[("b",), ("a",)]]
        assert data.total_weight == 3
        assert data.n_rankings == 1

    def test_rank_as_text(self) -> None:
        frame = pl.DataFrame(
            {"voter": [1] * 4, "item": list("abcd"), "rank": [" 2", "1.5 ", "NA", ""]}
        )
        assert orders(Rankings.from_frame(frame)) == [[("b",), ("a",)]]

    def test_equal_hashes_are_distinguished(self, monkeypatch: pytest.MonkeyPatch) -> None:
        frame = pl.DataFrame(
            {"voter": ["x", "y", "x", "y"], "item": ["a", "a", "b", "b"], "rank": [1, 2, 2, 1]}
        )
        right = Rankings.from_frame(frame)
        monkeypatch.setattr(
            table_values, "_hashes", lambda values: np.zeros(len(values), np.uint64)
        )
        assert Rankings.from_frame(frame) == right
        assert right.n_distinct == 2

    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"rank": [1, 2, 1, "first"]}, r"row 4: 'rank' is 'first', which is not a number"),
            ({"rank": [1, 2, 0, 1]}, r"row 3: 'rank' is 0, but ranks begin at 1"),
            ({"rank": [1, -2, 1, 2]}, r"row 2: 'rank' is -2, but ranks begin at 1"),
            ({"rank": [1, float("inf"), 1, 2]}, r"row 2: 'rank' is inf"),
            ({"rank": [True, True, True, False]}, r"row 1: 'rank' is True, which is not a number"),
            ({"voter": ["x", None, "y", "y"]}, r"row 2: there is no voter in column 'voter'"),
            ({"item": ["a", None, "a", "b"]}, r"row 2: there is a rank but no item in column 'it"),
            ({"item": ["a", "b", "a", "a"]}, r"row 4: voter 'y' has item 'a' twice"),
            (
                {"item": ["a", "b", "a", "a"], "rank": [1, 2, None, 1]},
                r"row 4: voter 'y' has item 'a' twice",
            ),
            ({"weight": [1, 2, 1, 1]}, r"row 2: voter 'x' has weight 2 here and 1 in an earlier r"),
            ({"weight": [1, 1, -1, -1]}, r"row 3: weight -1 in column 'weight' must be a number"),
            ({"weight": [1, 1, float("nan"), 1]}, r"row 3: (weight nan in|there is no weight in)"),
            ({"weight": [1, 1, None, 1]}, r"row 3: there is no weight in column 'weight'"),
            ({"weight": ["1", "1", "x", "x"]}, r"row 3: weight 'x' in column 'weight' must be a"),
            ({"weight": ["1", "1", "1/0", "1"]}, r"row 3: weight '1/0' in column 'weight' must"),
            ({"weight": ["1", "1", "1e999999999", "1"]}, r"row 3: weight '1e999999999' in col"),
        ],
    )
    @pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
    def test_faults_name_the_row(self, changes: dict[str, Any], message: str, make: Any) -> None:
        columns: dict[str, Any] = {
            "voter": ["x", "x", "y", "y"],
            "item": ["a", "b", "a", "b"],
            "rank": [1, 2, 1, 2],
        }
        columns |= changes
        if make is pl.DataFrame:
            columns = {name: pl.Series(values, strict=False) for name, values in columns.items()}
            if "first" in changes.get("rank", []):
                columns["rank"] = ["1", "2", "1", "first"]
        with pytest.raises(RowError, match=f"^{message}"):
            Rankings.from_frame(make(columns))

    def test_unknown_item(self) -> None:
        frame = pl.DataFrame({"voter": [1, 1], "item": ["a", "b"], "rank": [1, 2]})
        with pytest.raises(RowError, match=r"^row 2: item 'b' is not one of the given items$"):
            Rankings.from_frame(frame, items=["a"])

    def test_unhashable_item(self) -> None:
        frame = pd.DataFrame({"voter": [1, 1], "item": ["a", ["b"]], "rank": [1, 2]})
        with pytest.raises(RowError, match=r"^row 2: \['b'\] cannot name an item"):
            Rankings.from_frame(frame)

    def test_nothing(self) -> None:
        columns: dict[str, list[Any]] = {"voter": [], "item": [], "rank": []}
        with pytest.raises(InputError, match="there is no item"):
            Rankings.from_frame(pl.DataFrame(columns))
        with pytest.raises(InputError, match="there is no ranking at all"):
            Rankings.from_frame(pl.DataFrame(columns), items="ab")
        with pytest.raises(InputError, match="there is no item"):
            Rankings.from_frame(pl.DataFrame({"voter": ["x"], "item": [None], "rank": [None]}))

    def test_no_rank_at_all_is_an_empty_ballot(self) -> None:
        frame = pl.DataFrame({"voter": ["x", "y"], "item": ["a", None], "rank": [None, None]})
        assert Rankings.from_frame(frame) == Rankings.from_orders([[], []], items=["a"])


class TestWeights:
    def frame(self, weights: Any, name: str = "weight") -> pl.DataFrame:
        # The first, the middle and the last row are different rankings.
        return pl.DataFrame({"a": [1, 1, 2], "b": [2, 1, 1], name: weights})

    @pytest.mark.parametrize("name", ["count", "Count", "votes", "freq"])
    def test_counts_count_as_rankings(self, name: str) -> None:
        data = Rankings.from_frame(self.frame([30, 0, 12], name))
        assert data.n_rankings == data.total_weight == 42
        assert Rankings.from_frame(self.frame([30, 0, 12], "weight")).n_rankings == 3

    def test_counts_with_fractions(self) -> None:
        # A count with a fraction is one ranking.
        data = Rankings.from_frame(self.frame([0.5, 1, 12], "count"))
        assert data.n_rankings == 14
        assert data.total_weight == 13.5

    @pytest.mark.parametrize(
        ("weights", "exact"),
        [
            (["1", " 2 ", "+3"], [1, 2, 3]),
            (["0.1", "1e2", ".5"], [Fraction(1, 10), 100, Fraction(1, 2)]),
            (["1/3", "2/3", "1"], [Fraction(1, 3), Fraction(2, 3), 1]),
            (["0.12345678901234567", "1", "1"], [Fraction(12345678901234567, 10**17), 1, 1]),
            ([0.1, 0.2, 0.3], [Fraction(1, 10), Fraction(1, 5), Fraction(3, 10)]),
            (pl.Series(["0.25", "1", "2"]).cast(pl.Decimal(10, 2)), [Fraction(1, 4), 1, 2]),
        ],
    )
    def test_exact(self, weights: Any, exact: list[Fraction]) -> None:
        data = Rankings.from_frame(self.frame(weights))
        found = [Fraction(unit, data.scale) for unit in data.units.tolist()]
        right = [Fraction(value) for value in exact]
        # The first and the last row are different rankings; the middle one is like neither.
        assert found == right

    def test_too_large(self) -> None:
        with pytest.raises(InputError, match=r"62 bits|too large"):
            Rankings.from_frame(self.frame(["1" + "0" * 30, "1", "1"]))


class TestWide:
    def test_places_of_voters_who_agree_are_no_totals(self) -> None:
        frame = pd.DataFrame({"a": [3, 3], "b": [6, 6], "c": [9, 9], "d": [None, None]})
        assert Rankings.from_frame(frame, values="ranks").items == ("a", "b", "c", "d")

    @given(ranked(), st.sampled_from(sorted(LIBRARIES)), st.booleans())
    def test_matrix_of_ranks(
        self, rankings: list[list[tuple[str, ...]]], library: str, zero: bool
    ) -> None:
        rows = []
        for buckets in rankings:
            rank = {item: 3 * place for place, bucket in enumerate(buckets, 1) for item in bucket}
            rows.append([rank.get(item, 0 if zero else None) for item in NAMES])
        columns = {
            name: np.array(column, float) if library != "pyarrow" else column
            for name, column in zip(NAMES, zip(*rows, strict=True), strict=True)
        }
        if library == "pyarrow":
            columns = {
                name: pa.array(column, pa.int64(), from_pandas=True)
                for name, column in columns.items()
            }
        frame = LIBRARIES[library](columns)
        data = Rankings.from_frame(frame, values="ranks")
        assert data == expected(rankings)
        assert data.items == tuple(NAMES)
        last = Rankings.from_frame(frame, unranked="last", values="ranks")
        assert last == expected(rankings, unranked="last")

    @libraries
    def test_voters_and_weights(self, make: Any) -> None:
        frame = make({"Ballot ID": ["x", "x"], "a": [1, 2], "b": [2, 1], "Weights": [2.5, 1.0]})
        data = Rankings.from_frame(frame)
        assert data == Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[2.5, 1])

    def test_integer_column_names(self) -> None:
        frame = pd.DataFrame([[1, 2, 3], [3, 2, 1]])
        assert Rankings.from_frame(frame).items == (0, 1, 2)

    def test_chosen_columns(self) -> None:
        frame = pl.DataFrame({"weight": [1, 2], "rank1": [2, 1], "other": ["?", "!"]})
        data = Rankings.from_frame(frame, items=["rank1", "weight"])
        assert data == Rankings.from_orders([["weight", "rank1"], ["rank1", "weight"]])
        assert data.items == ("rank1", "weight")

    def test_text_that_is_numbers(self) -> None:
        frame = pl.DataFrame({"a": ["1", "2"], "b": ["2", " 1"], "c": ["?", ""]})
        assert Rankings.from_frame(frame) == Rankings.from_orders(
            [["a", "b"], ["b", "a"]], items="abc"
        )

    @pytest.mark.parametrize(
        ("columns", "options", "message"),
        [
            ({"a": [1, 2], "b": [-1, 1]}, {}, r"row 1: the values \(1, -1, 2, …\) are not places"),
            ({"a": [1, 2], "b": [1.0, float("inf")]}, {}, r"row 2: 'b' is inf, but ranks begin"),
            (
                {"a": [1, 2], "b": ["x", "1"]},
                {"layout": "wide"},
                r"row 1: 'b' is 'x', which is not",
            ),
            (
                {"a": [1, 2], "b": [[1], [2]]},
                {"layout": "wide"},
                r"row 1: 'b' is .*, which is not a number",
            ),
            (
                {"a": [1, 2], "town": ["x", "y"]},
                {},
                r"row 1: 'town' is 'x', which is not a number, so the layout is unclear",
            ),
            ({"a": [1, 1], "weight": [1, -1]}, {}, r"row 2: weight -1 in column 'weight' must be"),
            ({"weight": [1, 1]}, {}, r"there is no column of items or ranks: the columns are 'wei"),
            (
                {"a": [1]},
                {"layout": "wide", "items": "ab"},
                r"there is no column for item 'b': the columns are 'a'",
            ),
        ],
    )
    def test_faults(self, columns: Any, options: Any, message: str) -> None:
        with pytest.raises(InputError, match=f"^{message}"):
            Rankings.from_frame(pl.DataFrame(columns), **options)


class TestBallots:
    @given(ranked(ties=False), st.sampled_from(["polars", "pandas", "pyarrow"]))
    def test_columns_of_ranks(self, rankings: list[list[tuple[str, ...]]], library: str) -> None:
        rows = [
            [buckets[rank][0] if rank < len(buckets) else None for rank in range(len(NAMES))]
            for buckets in rankings
        ]
        columns: dict[str, Any] = {
            f"rank{rank}": pa.array(column, pa.string())
            for rank, column in enumerate(zip(*rows, strict=True), 1)
        }
        if library != "pyarrow":
            columns = {name: column.to_pylist() for name, column in columns.items()}
        frame = LIBRARIES[library](columns)
        assert Rankings.from_frame(frame, items=NAMES) == expected(rankings)

    @libraries
    def test_as_cast(self, make: Any) -> None:
        frame = make(
            {
                "Cast Vote Record": ["1", "2", "3", "4"],
                "Precinct": ["N", "N", "S", "S"],
                "Mayor 2nd Choice": ["Bo", "overvote", None, "Ann"],
                "Mayor 1st Choice": ["Ann", "Bo", "undervote", "skipped"],
                "Mayor 3rd Choice": [None, "Cy", "", "Overvote "],
                "Count": [10, 1, 1, 1],
            }
        )
        data = Rankings.from_frame(frame)
        # Skips are passed over; an overvote ends the ballot.
        assert orders(data) == [[("Ann",), ("Bo",)], [("Bo",)], [], [("Ann",)]]
        assert data.items == ("Ann", "Bo", "Cy")
        assert data.n_rankings == 13

    @pytest.mark.parametrize(
        "names",
        [
            ["rank1", "rank2"],
            ["Rank 2", "Rank 1"],
            ["RANK_1", "RANK_2"],
            ["1st Choice", "2nd Choice"],
            ["1ST CHOICE MAYOR", "2ND CHOICE MAYOR"],
            ["1st", "2nd"],
            ["choice_1", "choice_2"],
            ["DEM Mayor Choice 1 of 5 Citywide (7)", "DEM Mayor Choice 2 of 5 Citywide (7)"],
            ["preference-1", "preference-2"],
        ],
    )
    def test_names_of_columns(self, names: list[str]) -> None:
        first, second = sorted(names)
        frame = pl.DataFrame({names[0]: ["x"], names[1]: ["x"]})
        frame = frame.with_columns(pl.lit("a").alias(first), pl.lit("b").alias(second))
        assert orders(Rankings.from_frame(frame)) == [[("a",), ("b",)]]

    def test_numbers_as_items(self) -> None:
        frame = pd.DataFrame({"rank1": [3, 1], "rank2": [1, None], "rank3": [None, None]})
        data = Rankings.from_frame(frame)
        assert repr(data.items) == "(3, 1)"
        assert orders(data) == [[(3,), (1,)], [(1,)]]

    def test_mixed_items(self) -> None:
        frame = pd.DataFrame({"rank1": [3, "x"], "rank2": ["x", 3]})
        assert Rankings.from_frame(frame).items == (3, "x")

    def test_a_given_layout_takes_columns_of_any_name(self) -> None:
        frame = pl.DataFrame({"best": ["a", "b"], "next": ["b", None], "voter": [1, 2]})
        assert orders(Rankings.from_frame(frame, layout="ballots")) == [[("a",), ("b",)], [("b",)]]

    def test_numbered_items_or_ranks(self) -> None:
        frame = pl.DataFrame({"place 1": [1, 2], "place 2": [2, 1]})
        with pytest.raises(InputError, match='Use layout="ballots" or layout="wide"'):
            Rankings.from_frame(frame)
        assert Rankings.from_frame(frame, layout="ballots").items == (1, 2)
        assert Rankings.from_frame(frame, layout="wide").items == ("place 1", "place 2")

    @pytest.mark.parametrize(
        ("columns", "options", "message"),
        [
            ({"rank1": ["a", "b"], "rank2": ["b", "b"]}, {}, r"row 2: item 'b' is ranked twice"),
            (
                {"voter": ["x", "y"], "rank1": ["a", "b"], "rank2": ["b", "b"]},
                {},
                r"row 2: voter 'y': item 'b' is ranked twice",
            ),
            ({"rank1": ["a"], "rank2": ["c"]}, {"items": "ab"}, r"row 1: item 'c' is not one of"),
            (
                {"Mayor 1st choice": ["a"], "Council 1st choice": ["c"]},
                {},
                r"columns 'Mayor 1st choice' and 'Council 1st choice' both hold rank 1",
            ),
            ({"rank1": [None], "rank2": ["skipped"]}, {}, r"there is no item"),
        ],
    )
    def test_faults(self, columns: Any, options: Any, message: str) -> None:
        with pytest.raises(InputError, match=f"^{message}"):
            Rankings.from_frame(pl.DataFrame(columns), **options)


class TestPlan:
    @pytest.mark.parametrize(
        ("names", "layout"),
        [
            (["voter", "item", "rank"], "long"),
            (["VOTER_ID", "Candidate", "Place", "extra"], "long"),
            (["judge", "alternative", "score"], "long"),
            (["id", "option", "rating", "weight"], "long"),
            (["", "user id", "item id", "position"], "long"),
            (["a", "b", "c"], "wide"),
            (["id", "a", "b"], "wide"),
            (["5th Avenue", "Main Street"], "wide"),
            (["July 4th", "May 1st"], "ballots"),
            (["ranked", "choices"], "wide"),
            (["rank1", "rank2"], "ballots"),
            (["1st choice"], "ballots"),
        ],
    )
    def test_layout(self, names: list[str], layout: str) -> None:
        assert plan_columns(names).layout == layout

    def test_doubtful_names(self) -> None:
        assert plan_columns(["July 4th", "May 1st"]).doubtful
        assert not plan_columns(["4th", "1st", "Rank 2", "3rd choice for mayor"]).doubtful

    def test_the_nameless_index_of_pandas_is_not_an_item(self) -> None:
        assert plan_columns(["", "a", "b"]).columns == ("a", "b")
        assert plan_columns(["Unnamed: 0", "a", "b"]).columns == ("a", "b")

    def test_an_exact_name_comes_first(self) -> None:
        plan = plan_columns(["Voter", "voter", "Weight", "weight", "x"])
        assert (plan.voter, plan.weight) == ("voter", "weight")
        assert plan.columns == ("Voter", "Weight", "x")

    @pytest.mark.parametrize(
        ("names", "options", "message"),
        [
            (["item", "rank"], {}, r"a long table needs a column for the voter: name it 'voter'"),
            (["voter", "rank"], {"layout": "long"}, r"a long table needs a column for the item"),
            (["voter", "item"], {"layout": "long"}, r".* for the rank: name it 'rank' or 'score'"),
            (["a", "b"], {"rank": "b"}, r"a long table needs a column for the voter"),
            (["a", "b"], {"voter": "c"}, r"there is no column 'c' for the voter: the columns"),
            (["a", "b", "a"], {}, r"two columns are named 'a': rename one"),
        ],
    )
    def test_faults(self, names: list[str], options: Any, message: str) -> None:
        with pytest.raises(InputError, match=f"^{message}"):
            plan_columns(names, **options)

    @pytest.mark.parametrize(
        "options",
        [
            {"layout": "tall"},
            {"layout": "wide", "rank": "rank"},
            {"layout": "ballots", "item": "item"},
            {"rank": "rank", "score": "score"},
        ],
    )
    def test_settings_that_make_no_sense(self, options: Any) -> None:
        with pytest.raises(SettingError):
            plan_columns(["voter", "item", "rank", "score"], **options)

    def test_many_and_long_names_are_cut(self) -> None:
        with pytest.raises(InputError) as caught:
            plan_columns(["x" * 10**6, *map(str, range(1000))], layout="long")
        assert len(str(caught.value)) < 500


class TestFront:
    def test_from_frame(self) -> None:
        frame = pd.DataFrame({"a": [1, 2], "b": [2, 1]})
        assert Rankings.from_frame(frame) == Rankings.from_orders([list("ab"), list("ba")])
        assert Rankings.from_frame(frame, unranked="last").unranked == "last"

    @pytest.mark.parametrize(
        "frame", [[1, 2], {"a": [1]}, pl.LazyFrame({"a": [1]}), pl.Series([1])]
    )
    def test_no_frame(self, frame: Any) -> None:
        with pytest.raises(InputError, match="give a data frame"):
            Rankings.from_frame(frame)

    def test_repeated_column(self) -> None:
        with pytest.raises(InputError, match="same name"):
            Rankings.from_frame(pd.DataFrame([[1, 2]], columns=["a", "a"]))

    def test_bad_unranked(self) -> None:
        with pytest.raises(SettingError, match="unranked"):
            Rankings.from_frame(pl.DataFrame({"a": [1]}), unranked="first")  # type: ignore[arg-type]

    @pytest.mark.parametrize("name", ["valeus", "layuot", "sheet"])
    def test_an_option_that_frames_do_not_have_is_refused(self, name: str) -> None:
        frame = pl.DataFrame({"a": [1, 2], "b": [2, 1]})
        options: dict[str, Any] = {name: "scores"}
        for read in (Rankings.from_frame, inspect):
            with pytest.raises(SettingError, match=f"{name} is not an option for reading a frame"):
                read(frame, **options)
            read(frame, **{name: None})


class TestDuplicates:
    def test_the_best_rank_counts(self) -> None:
        long = pl.DataFrame(
            {
                "voter": [1, 1, 1, 2, 2, 3, 3],
                "item": ["a", "b", "a", "a", "a", None, None],
                "score": [1, 2, 3, None, 5, None, None],
            }
        )
        with pytest.raises(RowError, match="row 3: voter 1 has item 'a' twice"):
            Rankings.from_frame(long)
        with pytest.warns(InputWarning, match="dropped 2 places of items ranked before, in 2 rank"):
            data = Rankings.from_frame(long, duplicates="first")
        assert orders(data) == [[("a",), ("b",)], [("a",)], []]

    def test_ballots(self) -> None:
        cast = pl.DataFrame({"rank1": ["a", "b"], "rank2": ["a", None], "rank3": ["b", None]})
        with pytest.warns(InputWarning, match="dropped 1 place of an item"):
            data = Rankings.from_frame(cast, duplicates="first")
        assert orders(data) == [[("a",), ("b",)], [("b",)]]

    def test_wide_tables_have_none(self) -> None:
        wide = pl.DataFrame({"a": [1, 2], "b": [2, None]})
        assert Rankings.from_frame(wide, duplicates="first") == Rankings.from_frame(wide)

    def test_other_words(self) -> None:
        with pytest.raises(SettingError, match="duplicates must be"):
            Rankings.from_frame(pl.DataFrame({"a": [1]}), duplicates="x")  # type: ignore[arg-type]
