"""Few rankings and many are checked, merged and grouped in two ways, which must agree."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant import InputWarning, Rankings, SettingError
from concordant._kernels import tables as kernels
from concordant.merging import SMALL, drop_repeats, first_places, merge_large, merge_small
from concordant.tables import grouping


@st.composite
def arrays(draw: st.DrawFn) -> tuple[Any, ...]:
    """Offsets, members, buckets, the number of items, units; sound or with faults of any kind."""
    m = draw(st.integers(1, 5))
    rankings = []
    for _ in range(draw(st.integers(1, 6))):
        if draw(st.booleans()):
            order = draw(st.permutations(range(m)))[: draw(st.integers(0, m))]
            steps = draw(st.lists(st.integers(0, 2), min_size=len(order), max_size=len(order)))
        else:
            order = draw(st.lists(st.integers(-1, m), max_size=m))
            steps = draw(st.lists(st.integers(-1, 2), min_size=len(order), max_size=len(order)))
        rankings.append((order, np.cumsum(steps).tolist()))
    kind = draw(st.sampled_from([np.int32, np.int64]))
    return (
        np.cumsum([0, *(len(order) for order, _ in rankings)]),
        np.array([item for order, _ in rankings for item in order], kind),
        np.array([bucket for _, buckets in rankings for bucket in buckets], kind),
        m,
        np.array(draw(st.lists(st.integers(0, 9), min_size=len(rankings), max_size=len(rankings)))),
    )


@given(arrays())
def test_few_and_many_rankings_are_merged_alike(given_arrays: tuple[Any, ...]) -> None:
    copies = [array.copy() for array in given_arrays if isinstance(array, np.ndarray)]
    fault, small = merge_small(*given_arrays)
    expected, large = merge_large(*given_arrays)
    assert fault == expected
    if fault[0] == 0:
        for mine, theirs in zip(small, large, strict=True):
            assert (mine.dtype, mine.tolist()) == (theirs.dtype, theirs.tolist())
    kept = [array for array in given_arrays if isinstance(array, np.ndarray)]
    assert all((a == b).all() for a, b in zip(copies, kept, strict=True))


def test_the_size_decides_and_nothing_else_changes() -> None:
    rng = np.random.default_rng(1)
    ranks = np.argsort(rng.random((SMALL // 8 + 1, 8)), axis=1) + 1
    ranks[rng.random(ranks.shape) < 0.4] = 0
    many = Rankings.from_ranks(ranks)
    few = [Rankings.from_ranks(part) for part in np.array_split(ranks, 4)]
    orders = [ranking for data in few for ranking, _ in data]
    weights = [weight for data in few for _, weight in data]
    assert Rankings.from_orders(orders, weights=weights, items=many.items) == many


@given(st.lists(st.integers(0, 5) | st.integers(0, 2**64 - 1), max_size=30))
def test_few_and_many_keys_are_numbered_alike(keys: list[int]) -> None:
    array = np.array(keys, np.uint64)
    for mine, theirs in zip(grouping.number_few(array), kernels.number_keys(array), strict=True):
        assert (mine.dtype, mine.tolist()) == (theirs.dtype, theirs.tolist())


@given(
    st.lists(
        st.tuples(
            st.integers(0, 3), st.integers(-1, 4), st.sampled_from([0.0, -0.0, 1, 2.5, np.nan])
        ),
        max_size=12,
    ),
    st.booleans(),
)
def test_few_and_many_rows_are_arranged_alike(
    rows: list[tuple[int, int, float]], once: bool
) -> None:
    if once:
        rows = list({row[:2]: row for row in rows}.values())
    voters, items, ranks = (
        (np.array(column) for column in zip(*rows, strict=True)) if rows else [np.zeros(0)] * 3
    )
    given_rows = voters.astype(np.int32), items.astype(np.int32), ranks.astype(np.float64), 4, 5
    voter, item, mine = grouping.arrange_few(*given_rows)
    expected_voter, expected_item, theirs = kernels.arrange(*given_rows)
    assert (voter, item) == (expected_voter, expected_item)
    if voter < 0:
        for one, other in zip(mine, theirs, strict=True):
            assert (one.dtype, one.tolist()) == (other.dtype, other.tolist())


class TestRepeats:
    def test_the_first_place_counts(self) -> None:
        orders = [["a", "b", "a", "c"], [("a", "a"), "b"], ["c", "b"], ["b", ("c", "b", "a")]]
        with pytest.warns(
            InputWarning, match="dropped 3 places of items ranked before, in 3 rankings"
        ):
            data = Rankings.from_orders(orders, duplicates="first", weights=[1, 2, 3, 4])
        assert data == Rankings.from_orders(
            [["a", "b", "c"], ["a", "b"], ["c", "b"], ["b", ("c", "a")]], weights=[1, 2, 3, 4]
        )

    def test_no_warning_if_nothing_is_dropped(self) -> None:
        orders = [["a", "b"], ["b"]]
        data = Rankings.from_orders(orders, duplicates="first")
        assert data == Rankings.from_orders(orders)

    def test_other_words(self) -> None:
        with pytest.raises(SettingError, match=r"duplicates must be 'error' .* or 'first'"):
            Rankings.from_orders([["a"]], duplicates="last")  # type: ignore[arg-type]

    @given(st.lists(st.lists(st.integers(0, 4), max_size=8), min_size=1, max_size=5))
    def test_by_definition(self, orders: list[list[int]]) -> None:
        rows = np.repeat(np.arange(len(orders)), [len(order) for order in orders])
        items = np.array([item for order in orders for item in order], np.int64)
        first = first_places(rows, items, np.arange(items.size))
        expected = [item not in order[:k] for order in orders for k, item in enumerate(order)]
        assert first.tolist() == expected

    def test_arrays_that_do_not_fit(self) -> None:
        with pytest.raises(ValueError, match="do not fit together"):
            drop_repeats([0, 2], [1], [0])


# -- what is loaded for small input ------------------------------------------------------------

EXAMPLE = Path(__file__).parent.parent / "src/concordant/examples/cafes.toi"
TEXTS = {
    "a.ranks": "3 2\n1 2 3\n0 1 1\n",
    "a.orders": "3 2\n1 2 3\n2 0 0\n",
    "a.blt": '2 1\n2 1 2 0\n0\n"a"\n"b"\n"t"\n',
    "a.abif": "3:A>B\n",
    "a.cvotes": "A > B * 3\n",
    "a.trec": "1 Q0 a 1 2.5 r\n",
    "a.lop": "2\n0 1\n2 0\n",
    "a.soc": "2\n1,a\n2,b\n1,1,1\n1,1,2\n",
}


def loaded(path: Path) -> set[str]:
    """Return which of the heavy packages reading a file loads."""
    code = (
        "import sys, concordant as cc\n"
        "cc.read(sys.argv[1])\n"
        "heavy = {'numba', 'polars', 'scipy', 'pandas', 'narwhals', 'highspy'}\n"
        "print(*(heavy & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.parametrize("name", sorted(TEXTS))
def test_small_text_loads_no_compiler_and_no_frames(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(TEXTS[name])
    assert loaded(path) == set()


def test_the_example_and_small_tables(tmp_path: Path) -> None:
    assert loaded(EXAMPLE) == set()
    path = tmp_path / "a.csv"
    path.write_text("voter,item,rank\n1,a,1\n1,b,2\n")
    assert loaded(path) == {"polars"}
