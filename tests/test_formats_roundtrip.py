"""What a format can hold comes back equal; what it cannot hold is refused, and nothing written."""

import tempfile
import warnings
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, note, settings
from hypothesis import strategies as st

from concordant import InputError, Pairwise, Rankings
from concordant.formats import FORMATS, read, write

WRITTEN = [name for name, entry in FORMATS.items() if entry.writer and not entry.matrix]
# Formats that do not say in which order the items are numbered.
UNORDERED = {"trec"}

# Letters of several alphabets, digits, and all that some format has a use for.
ODD = "aB7é蘇🗳 '\"`,;:.>=<[]{}()#/*^|_-+$%&~\\@\t\xa0\u2028"
names = st.text(st.sampled_from(ODD), min_size=1, max_size=5) | st.sampled_from(
    [">", "=", "#", "#/", "0", "1", "Q0", "/EMPTY_RANKING/", "c1", "c2", "NA", "nan", "true", " a"]
)
plain_names = st.text(st.sampled_from("abcXYZ0189_é"), min_size=1, max_size=4)


@st.composite
def rankings(draw: st.DrawFn, item_names: st.SearchStrategy[str] = names) -> Rankings:
    """Draw rankings with or without ties, gaps, weights and names."""
    m = draw(st.integers(1, 5))
    if draw(st.booleans()):
        items = draw(st.lists(item_names, min_size=m, max_size=m, unique=True))
    else:
        items = draw(st.permutations([str(j + 1) for j in range(m)]))
    ties, gaps = draw(st.booleans()), draw(st.booleans())
    offsets, members, buckets = [0], [], []
    for _ in range(draw(st.integers(1, 5))):
        order = draw(st.permutations(range(m)))
        order = order[: draw(st.integers(0, m))] if gaps else order
        steps = [0 if ties and draw(st.booleans()) else 1 for _ in order]
        members += order
        buckets += np.cumsum(steps).tolist()
        offsets.append(len(members))
    n = len(offsets) - 1
    weight = draw(
        st.sampled_from(
            [
                st.just(1),
                st.integers(1, 40),
                st.integers(0, 3),
                st.integers(0, 800).map(lambda k: Fraction(k, 8)),
                st.fractions(0, 5, max_denominator=30),
            ]
        )
    )
    weights = draw(st.lists(weight, min_size=n, max_size=n))
    are_counts = draw(st.booleans()) and all(weight == int(weight) for weight in weights)
    return Rankings.from_arrays(
        items,
        offsets,
        members,
        buckets,
        np.array(weights, object),
        n_rankings=int(sum(weights)) if are_counts else None,
        unranked=draw(st.sampled_from(["unknown", "last"])),
    )


def can_hold(name: str, data: Rankings) -> bool:
    """Tell from the definition of a format whether it can hold some rankings."""
    entry = FORMATS[name]
    m = data.n_items
    orders = [[list(bucket) for bucket in ranking] for ranking, _ in data]
    weights = [Fraction(int(unit), data.scale) for unit in data.units]
    whole = all(weight.denominator == 1 for weight in weights)
    decimal = all(10**18 % weight.denominator == 0 for weight in weights)
    return all(
        [
            entry.ties or all(len(bucket) == 1 for order in orders for bucket in order),
            entry.gaps or all(sum(map(len, order)) == m for order in orders),
            {
                "repeats": whole and min(weights) > 0,
                "counts": whole,
                "decimals": decimal,
                "exact": True,
            }[entry.weights],
            entry.names or {str(item) for item in data.items} == {str(j + 1) for j in range(m)},
            name != "blt" or min(weights) > 0,
            name != "trec" or all(orders),
            name != "trec"
            or {item for order in orders for b in order for item in b} == {*data.items},
            all(can_name(name, str(item)) for item in data.items),
        ]
    )


def can_name(name: str, item: str) -> bool:
    if name in ("json", "csv", "parquet"):
        return True
    if name == "trec":
        return item.split() == [item]
    refused = {"blt": '"', "abif": "[]", "cvotes": "><=;,#/*^|"}.get(name, "")
    return bool(item) and item == item.strip() and not set(item) & set(refused)


def check(name: str, data: Rankings) -> None:
    entry = FORMATS[name]
    written = data if entry.unranked else data.explicit()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"file{entry.suffixes[0]}"
        if not can_hold(name, written):
            with pytest.raises(InputError):
                write(data, path)
            assert not list(Path(folder).iterdir())
            return
        with warnings.catch_warnings(record=True, action="always") as caught:
            write(data, path)
        assert [file.name for file in Path(folder).iterdir()] == [path.name]
        # Documents that a run does not return count as last, unless one says otherwise.
        again = read(path, unranked=written.unranked) if name == "trec" else read(path)
        assert isinstance(again, Rankings)
        assert replace(again, n_voters=written.n_voters) == written
        # Where the number of voters is lost, the writer says so.
        assert (again.n_voters != written.n_voters) == bool(caught)
        assert again.unranked == written.unranked
        if entry.names and name not in UNORDERED:
            assert again.items == written.items
        if name == "json" or (written.scale == 1 and written.total_weight == written.n_rankings):
            assert again.n_rankings == written.n_rankings


# One drawing serves all formats: drawing takes longer than writing and reading.
@given(data=rankings() | rankings(plain_names))
def test_round_trip(data: Rankings) -> None:
    for name in WRITTEN:
        if name != "parquet":
            note(name)
            check(name, data)


# Each reading starts a process.
@settings(max_examples=6)
@given(data=rankings() | rankings(plain_names))
def test_round_trip_of_parquet(data: Rankings) -> None:
    check("parquet", data)


items_of_all_kinds = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=("Cs",)), max_size=4),
    lambda parts: st.lists(parts, max_size=3).map(tuple),
    max_leaves=4,
)


@given(items=st.lists(items_of_all_kinds, min_size=1, max_size=5, unique=True))
@example(items=[1, "1", 1.5, None, (1, "a"), ()])
def test_json_keeps_names_of_all_kinds(items: list[object]) -> None:
    data = Rankings.from_arrays(items, [0, len(items)], range(len(items)), range(len(items)))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.json"
        write(data, path)
        again = read(path)
    assert isinstance(again, Rankings)
    assert again == data
    assert [type(item) for item in again.items] == [type(item) for item in items]


@given(
    entries=st.lists(st.integers(-(10**9), 10**9), min_size=9, max_size=9),
    scale=st.sampled_from([1, 8, 100]),
)
def test_lop_round_trip(entries: list[int], scale: int) -> None:
    pairs = Pairwise.from_matrix(np.array([Fraction(e, scale) for e in entries]).reshape(3, 3))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.lop"
        write(pairs, path)
        again = read(path)
    assert isinstance(again, Pairwise)
    assert (again.counts * pairs.scale == pairs.counts * again.scale).all()


@given(data=rankings())
def test_lop_of_rankings_is_their_pairwise_counts(data: Rankings) -> None:
    pairs = Pairwise.from_rankings(data)
    numbered = set(data.items) == {str(j + 1) for j in range(data.n_items)}
    decimal = all(10**18 % Fraction(int(unit), data.scale).denominator == 0 for unit in data.units)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.lop"
        if not numbered:
            with pytest.raises(InputError, match="no item names"):
                write(data, path)
            assert not path.exists()
        elif decimal:
            write(data, path)
            again = read(path)
            assert isinstance(again, Pairwise)
            order = [data.items.index(item) for item in again.items]
            counts = pairs.counts[np.ix_(order, order)]
            assert (again.counts * pairs.scale == counts * again.scale).all()
