"""Counting batch by batch, taking counts off, and the count file."""

import contextlib
import io
import itertools
import json
import zipfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant.counting import pairs as counting
from concordant.counting.batches import BatchCounter
from concordant.counting.ties import tied_counts
from concordant.errors import InputError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from strategies import UNRANKED, ballots, exact_counts, exact_weight, make


def named(pairs: Pairwise) -> dict:
    """Return the counts by the names of both items, whatever their order."""
    rows = exact_counts(pairs)
    return {
        (repr(a), repr(b)): rows[i][j]
        for i, a in enumerate(pairs.items)
        for j, b in enumerate(pairs.items)
        if rows[i][j]
    }


@given(ballots(max_rankings=8), st.lists(st.integers(0, 8), max_size=3), st.booleans())
def test_batches_count_as_one(drawn: tuple, cuts: list[int], with_items: bool) -> None:
    """Also where batches know only the items that occur in them, and where unranked is last."""
    items, orders, weights, unranked = drawn
    weights = [exact_weight(weight) for weight in weights]
    occurring = [item for item in items if any(item in group for each in orders for group in each)]
    if not with_items:
        items = occurring
    if not items:
        return
    whole = Pairwise.from_rankings(make((items, orders, weights, unranked)))
    places = sorted({0, *(min(cut, len(orders)) for cut in cuts), len(orders)})
    batches = []
    for begin, end in itertools.pairwise(places):
        inside = [
            item
            for item in items
            if any(item in group for each in orders[begin:end] for group in each)
        ]
        if inside:
            batches.append(make((inside, orders[begin:end], weights[begin:end], unranked)))
    empty = len(orders) - sum(batch.n_rankings for batch in batches)
    if not batches:
        return
    found = Pairwise.from_batches(iter(batches), items=items if with_items else None)
    assert set(found.items) == set(items)
    assert named(found) == named(whole)
    assert found.n_rankings == whole.n_rankings - empty
    assert found.unranked == unranked


@given(ballots(min_items=2), st.integers(0, 8))
def test_what_was_added_can_be_taken_off(drawn: tuple, cut: int) -> None:
    items, orders, weights, unranked = drawn
    weights = [exact_weight(weight) for weight in weights]
    cut = min(cut, len(orders) - 1)
    whole = Pairwise.from_rankings(make(drawn))
    kept = Pairwise.from_rankings(make((items, orders[cut:], weights[cut:], unranked)))
    if cut:
        turned = items[::-1]
        gone = Pairwise.from_rankings(make((turned, orders[:cut], weights[:cut], unranked)))
        assert whole - gone == kept
        assert whole - gone + gone == whole
    nothing = whole - whole
    assert not nothing.counts.any()
    assert (nothing.total_weight, nothing.n_rankings) == (0, 0)


@given(
    ballots(min_items=2, max_items=5, max_rankings=8, kind="small"),
    st.lists(
        st.tuples(st.sampled_from(["own", "all", "counts", "sum"]), UNRANKED),
        min_size=8,
        max_size=8,
    ),
    st.booleans(),
)
@settings(max_examples=100)
def test_tied_pairs_are_added_up_and_taken_off(drawn: tuple, kinds: list, together: bool) -> None:
    """By batches of rankings with some or all items, by counts and by sums of counts."""
    items, orders, weights, _ = drawn
    if together:
        kinds = [(kind, kinds[0][1]) for kind, _ in kinds]
    expected: dict = {}
    counter, part = BatchCounter(), None
    # The items come first, so that they need not be known before.
    counter.add(
        make((items, [[]], [0], "unknown")) if kinds[0][0] == "all" else BatchCounter(items)
    )
    for order, weight, (kind, unranked) in zip(orders, weights, kinds, strict=False):
        whole = make((items, [order], [weight], unranked))
        for pair, units in np.ndenumerate(tied_counts(whole)):
            key = tuple(items[k] for k in pair)
            expected[key] = expected.get(key, 0) + Fraction(int(units), whole.scale)
        inside = [item for item in items if any(item in group for group in order)]
        if kind == "own" and inside:
            counter.add(make((inside, [order], [weight], unranked)))
        elif kind == "sum" and inside:
            part = BatchCounter()
            part.add(make((inside, [order], [weight], unranked)))
            part.add(make((inside[::-1], [[]], [0], unranked)))
            counter.add(part)
        else:
            counter.add(Pairwise.from_rankings(whole) if kind == "counts" else whole)
    if not together:
        counter.add(make((items, [[]], [0], "unknown")))
    found = Pairwise(*counter.data())
    assert {
        (found.items[i], found.items[j]): Fraction(int(units), found.scale)
        for (i, j), units in np.ndenumerate(found.tied)
    } == expected
    plain = replace(found, items=tuple(map(repr, found.items)))
    again = Pairwise.from_bytes(plain.to_bytes())
    assert again == plain
    assert np.array_equal(again.tied, found.tied)
    last = Pairwise.from_rankings(make((items, orders[-1:], weights[-1:], "unknown")))
    both = found + last
    assert (both - last) == found
    assert np.array_equal((both - last).tied * found.scale, found.tied * (both - last).scale)


def test_old_counts_do_not_know_ties() -> None:
    data = Rankings.from_orders([["a", ("b", "c")], ["b", "a", "c"], ["c"]])
    known = Pairwise.from_rankings(data)
    old = replace(known, ties=None)
    for counts in (old, known + old, Pairwise.from_bytes(old.to_bytes())):
        assert counts.tied is None
        with pytest.raises(InputError, match="Count the rankings again"):
            cc.aggregate(counts, ties=True)
    assert cc.aggregate(known, ties=True).cost == cc.aggregate(data, ties=True).cost


class TestRefusals:
    def test_different_items_are_named(self) -> None:
        one = Pairwise.from_rankings(Rankings.from_orders([["a", "b", "c"]]))
        two = Pairwise.from_rankings(Rankings.from_orders([["b", "d", "e"]]))
        words = "only the first has 'a', 'c'; only the second has 'd', 'e'"
        with pytest.raises(InputError, match=f"can be subtracted; {words}"):
            one - two
        with pytest.raises(InputError, match=r"batch 2: item 'd' .*not among `items`"):
            Pairwise.from_batches([one, two], items="abc")

    def test_more_than_there_is(self) -> None:
        one = Pairwise.from_rankings(Rankings.from_orders([["a", "b"]], weights=[0.5]))
        two = Pairwise.from_rankings(Rankings.from_orders([["b", "a"]], weights=[3]))
        with pytest.raises(InputError, match=r"'b' before 'a' has 0\.0, less 3"):
            one - two
        tied = Pairwise.from_rankings(Rankings.from_orders([[("a", "b")]], weights=[3]))
        with pytest.raises(InputError, match="more weight would be subtracted"):
            one - tied
        blank = Pairwise.from_rankings(Rankings.from_orders([[]], items="ab", weights=[0.5]))
        with pytest.raises(InputError, match="'a' and 'b' would be ordered by more weight"):
            one - blank
        assert (
            Pairwise.from_matrix([[0, 1], [2, 0]]) - Pairwise.from_matrix([[0, 4], [0, 0]])
        ).cost(["1", "2"]) == 2

    @pytest.mark.parametrize("other", [1, None, [[0, 1], [2, 0]]])
    def test_a_value_that_is_not_a_matrix(self, other: object) -> None:
        with pytest.raises(TypeError):
            Pairwise.from_matrix([[0, 1], [2, 0]]) - other  # type: ignore[operator]

    def test_counts_with_unranked_last_must_know_all_items(self) -> None:
        last = [
            Rankings.from_orders([["a", "b"]], unranked="last"),
            Rankings.from_orders([["c"]], unranked="last"),
        ]
        counts = [Pairwise.from_rankings(each) for each in last]
        with pytest.raises(InputError, match="batch 2: item 'c' is new, and counts"):
            Pairwise.from_batches([counts[0], last[1]])
        with pytest.raises(InputError, match=r"batch 2: .*do not have item 'a'"):
            Pairwise.from_batches([last[0], counts[1]])

    def test_counts_of_which_some_have_unranked_last_must_know_all_items(
        self, tmp_path: Path
    ) -> None:
        """Where a new item stands in those cannot be told, also when a file has them."""
        last = Rankings.from_orders([["a"], ["a", "b"]], unranked="last")
        unknown = Rankings.from_orders([["b", "a"]])
        new = Rankings.from_orders([["c", "a"]])
        mixed = Pairwise.from_batches([last, unknown])
        assert mixed.unranked is None
        mixed.save(tmp_path / "pairs.npz")
        mixed = Pairwise.load(tmp_path / "pairs.npz")
        with pytest.raises(InputError, match="batch 2: item 'c' is new, and counts"):
            Pairwise.from_batches([mixed, new])
        with pytest.raises(InputError, match=r"batch 2: .*do not have item 'c'"):
            Pairwise.from_batches([new, mixed])
        # Before they are counts, all is known.
        assert Pairwise.from_batches([last, unknown, new]).n_items == 3
        assert Pairwise.from_batches([mixed, unknown]).n_rankings == 4

    def test_a_matrix_says_nothing_about_unranked_items(self, tmp_path: Path) -> None:
        last = Rankings.from_orders([["a"], ["a", "b"]], unranked="last")
        bare = Pairwise.from_matrix([[0, 1], [2, 0]], items="ab")
        sum_ = Pairwise.from_batches([bare, Pairwise.from_rankings(last)])
        assert (sum_.unranked, sum_.n_rankings) == ("last", None)
        with pytest.raises(InputError, match="batch 2: item 'c' is new, and counts"):
            Pairwise.from_batches([sum_, Rankings.from_orders([["c"]])])
        assert Pairwise.from_batches([bare, Rankings.from_orders([["c"]])]).n_items == 3
        assert Pairwise.from_batches([bare]) == bare

    def test_batches_that_are_none(self) -> None:
        with pytest.raises(InputError, match="there is no batch"):
            Pairwise.from_batches([])
        with pytest.raises(InputError, match="batch 1 must be Rankings"):
            Pairwise.from_batches([[["a", "b"]]])  # type: ignore[list-item]
        heavy = Pairwise.from_rankings(Rankings.from_orders([["a", "b"]], weights=[2**59]))
        with pytest.raises(InputError, match="batch 2: the sum is too large"):
            Pairwise.from_batches([heavy, heavy])


def test_one_batch_is_held_at_a_time() -> None:
    import weakref

    alive: list[weakref.ref] = []

    def batches():
        for day in range(20):
            assert sum(each() is not None for each in alive) <= 1
            data = Rankings.from_orders([["a", "b"], ["b", "c"]], weights=[day, 1])
            alive.append(weakref.ref(data.members))
            yield data
            del data

    assert Pairwise.from_batches(batches()).n_rankings == 40


def test_many_items_widen_their_integers() -> None:
    """Counts of many items are narrow, until the sum needs more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_WIDE_ITEMS", 2)
        day = Rankings.from_orders([["a", "b", "c"]], weights=[20_000])
        pairs = Pairwise.from_batches([day, day, Pairwise.from_rankings(day)])
        assert pairs.counts.dtype == np.int32
        assert pairs.counts[0].tolist() == [0, 60_000, 60_000]
        one = Pairwise.from_rankings(day)
        assert one.counts.dtype == np.int16
        assert (one + one).counts[0, 1] == 40_000
        assert (one + one - one) == one


@pytest.mark.parametrize("unranked", ["unknown", "last"])
@pytest.mark.parametrize(("m", "length"), [(40, 5), (6, 6)])
def test_threads_count_the_same(unranked: str, m: int, length: int) -> None:
    rng = np.random.default_rng(1)
    members = np.concatenate([rng.permutation(m)[:length] for _ in range(60_000)])
    offsets = np.arange(60_001) * length
    buckets = np.tile(np.arange(length), 60_000)
    data = Rankings.from_arrays(range(m), offsets, members, buckets, unranked=unranked)
    one, two = (Pairwise.from_rankings(data, n_jobs=jobs) for jobs in (1, 3))
    assert one == two
    place = np.full((60_000, m), length)
    np.put_along_axis(place, members.reshape(-1, length), np.arange(length)[None], axis=1)
    ranked = place < length
    for a, b in ((0, 1), (m - 1, 2)):
        ahead = ranked[:, a] & (place[:, a] < place[:, b])
        if unranked == "unknown":
            ahead &= ranked[:, b]
        assert one.counts[a, b] == ahead.sum()


class TestCountFile:
    @given(ballots(), st.booleans())
    def test_it_holds_all(self, drawn: tuple, bare: bool) -> None:
        items, orders, weights, unranked = drawn
        items = [item for item in items if not isinstance(item, frozenset | bytes)] or ["a"]
        orders = [[tuple(i for i in group if i in items) for group in each] for each in orders]
        pairs = Pairwise.from_rankings(make((items, orders, weights, unranked)))
        if bare:
            pairs = Pairwise(pairs.items, pairs.counts, pairs.scale)
        content = pairs.to_bytes()
        again = Pairwise.from_bytes(content)
        assert again == pairs
        assert list(map(type, again.items)) == list(map(type, pairs.items))
        assert (again.unranked, again.counts.dtype) == (pairs.unranked, pairs.counts.dtype)
        assert again.to_bytes() == content

    def test_all_that_reads_takes_it(self, tmp_path: Path) -> None:
        data = cc.generate.mallows(8, 30, theta=0.3, seed=1)
        path = tmp_path / "pairs.npz"
        pairs = Pairwise.from_rankings(data)
        pairs.save(path)
        assert cc.read(path) == Pairwise.load(path) == pairs
        bare = path.rename(tmp_path / "pairs")
        assert cc.read(bare) == pairs
        cc.write(data, tmp_path / "b.npz")
        assert cc.read(tmp_path / "b.npz") == pairs
        result = cc.aggregate(cc.read(bare))
        assert result.cost == cc.aggregate(data).cost
        assert (result.n_rankings, result.distance) == (30, result.cost / 30)
        assert result.verify(data).cost == result.cost

    def test_another_meaning_is_refused(self, tmp_path: Path) -> None:
        path = tmp_path / "pairs.npz"
        Pairwise.from_rankings(Rankings.from_orders([["a"], ["b"]])).save(path)
        assert cc.read(path, unranked="unknown").n_items == 2
        with pytest.raises(
            InputError, match=r"pairs.npz: unranked items were counted as 'unknown'"
        ):
            cc.read(path, unranked="last")

    def test_names_that_a_file_cannot_hold(self, tmp_path: Path) -> None:
        pairs = Pairwise.from_matrix([[0, 1], [2, 0]], items=[b"raw", "a"])
        with pytest.raises(InputError, match=r"b'raw' cannot be written as a count file"):
            pairs.save(tmp_path / "a.npz")
        assert not list(tmp_path.iterdir())

    def test_nothing_is_left_half_written(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "pairs.npz"
        Pairwise.from_matrix([[0, 1], [2, 0]]).save(path)
        before = path.read_bytes()

        def full(self: Path, data: bytes) -> int:
            with self.open("wb") as file:
                file.write(data[:10])
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(InputError, match="No space left on device"):
            Pairwise.from_matrix([[0, 7], [2, 0]]).save(path)
        assert path.read_bytes() == before
        assert [file.name for file in tmp_path.iterdir()] == ["pairs.npz"]

    def rewritten(self, pairs: Pairwise, path: Path, about: dict, counts: object = None) -> Path:
        """Write a count file with some facts changed."""
        pairs.save(path)
        with np.load(path) as archive:
            facts = json.loads(archive["about"].tobytes())
            matrix = archive["counts"]
        text = np.frombuffer(json.dumps({**facts, **about}).encode(), np.uint8)
        np.savez(path, about=text, counts=matrix if counts is None else counts)
        return path

    @pytest.mark.parametrize(
        ("about", "message"),
        [
            ({"version": 2}, "has version 2, and this release reads version 1"),
            ({"format": "other"}, "not a count file"),
            ({"version": True}, "has version True, and this release reads version 1"),
            ({"items": ["a", "a"]}, "listed twice"),
            ({"items": ["a"]}, "1 items, and a matrix of int64 in the shape"),
            ({"items": ["a", {"b": 1}]}, "cannot name an item"),
            ({"items": []}, "names no items"),
            ({"scale": 0}, "make no sense"),
            ({"scale": True}, "make no sense"),
            ({"total_units": -1}, "make no sense"),
            ({"total_units": 2**70}, "make no sense"),
            ({"total_units": 1}, "more weight than the total"),
            ({"unranked": "first"}, "make no sense"),
        ],
    )
    def test_facts_that_cannot_be(self, tmp_path: Path, about: dict, message: str) -> None:
        pairs = Pairwise.from_rankings(Rankings.from_orders([["a", "b"]], weights=[3]))
        path = self.rewritten(pairs, tmp_path / "a.npz", about)
        with pytest.raises(InputError, match=f"a.npz: .*({message})"):
            Pairwise.load(path)

    @pytest.mark.parametrize(
        "counts",
        [
            np.array([["a", None], [1, 2]], object),
            np.zeros((2, 2)),
            np.zeros(4, np.int64),
            np.array([[0, -1], [0, 0]]),
            np.array([[1, 0], [0, 0]]),
            np.zeros((2000, 2000), np.int64),
        ],
    )
    def test_matrices_that_cannot_be(self, tmp_path: Path, counts: np.ndarray) -> None:
        pairs = Pairwise.from_rankings(Rankings.from_orders([["a", "b"]], weights=[3]))
        path = self.rewritten(pairs, tmp_path / "a.npz", {}, counts)
        with pytest.raises(InputError, match=r"a\.npz: "):
            cc.read(path)

    def test_damage_anywhere_is_an_error_or_harmless(self, tmp_path: Path) -> None:
        pairs = Pairwise.from_rankings(cc.generate.mallows(5, 30, theta=0.3, seed=1))
        content = pairs.to_bytes()
        for at in range(0, len(content), 7):
            damaged = content[:at] + bytes([content[at] ^ 0x41]) + content[at + 1 :]
            with contextlib.suppress(InputError):
                assert Pairwise.from_bytes(damaged) == pairs
            with pytest.raises(InputError):
                Pairwise.from_bytes(content[:at])

    @pytest.mark.parametrize("name", ["about", "counts"])
    def test_a_large_entry_is_refused_before_it_is_unpacked(
        self, name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        entries = {"about": np.zeros(3, np.uint8), "counts": np.zeros((2, 2), np.int64)}
        facts = {"format": "concordant-pairwise", "version": 1, "items": ["a", "b"], "scale": 1}
        entries["about"] = np.frombuffer(json.dumps(facts).encode(), np.uint8)
        entries[name] = np.zeros(20 << 20, np.uint8)
        content = io.BytesIO()
        np.savez_compressed(content, **entries)
        read = np.lib.format.read_array

        def limited(entry, **how):
            assert entry.name == "about.npy"
            assert name == "counts"
            return read(entry, **how)

        monkeypatch.setattr(np.lib.format, "read_array", limited)
        with pytest.raises(InputError, match=rf"'{name}.npy' unpacks to 20,97\d,\d+ bytes"):
            Pairwise.from_bytes(content.getvalue(), max_bytes=19 << 20)

    @pytest.mark.parametrize("name", ["about", "counts"])
    def test_a_shape_that_the_bytes_do_not_have_is_refused(self, name: str) -> None:
        pairs = Pairwise.from_matrix([[0, 1], [2, 0]])
        with zipfile.ZipFile(io.BytesIO(pairs.to_bytes())) as archive:
            entries = {entry: archive.read(entry) for entry in archive.namelist()}
        header = io.BytesIO()
        shape = {"descr": "<i8", "fortran_order": False, "shape": (30_000, 30_000)}
        np.lib.format.write_array_header_1_0(header, shape)
        entries[f"{name}.npy"] = header.getvalue() + b"1234"
        content = io.BytesIO()
        with zipfile.ZipFile(content, "w") as archive:
            for entry, data in entries.items():
                archive.writestr(entry, data)
        with pytest.raises(InputError, match=r"unpacks to|damaged"):
            Pairwise.from_bytes(content.getvalue())

    def test_a_pair_above_the_total_is_refused(self, tmp_path: Path) -> None:
        pairs = Pairwise.from_rankings(Rankings.from_orders([["a", "b"]], weights=[3]))
        path = self.rewritten(pairs, tmp_path / "a.npz", {}, np.array([[0, 2], [2, 0]]))
        with pytest.raises(
            InputError, match="'a' and 'b' are ordered by more weight than the total"
        ):
            Pairwise.load(path)
        # In 16 bits the sum of both would wrap.
        m = 300
        counts = np.full((m, m), 20_000, np.int16)
        np.fill_diagonal(counts, 0)
        large = Pairwise(tuple(range(m)), counts, 1, 30_000, 1, "unknown")
        with pytest.raises(InputError, match="0 and 1 are ordered by more weight"):
            Pairwise.from_bytes(large.to_bytes())

    def test_names_that_are_too_long(self) -> None:
        with pytest.raises(InputError, match="give the items shorter names"):
            Pairwise.from_matrix([[0, 1], [2, 0]], items=["a", "b" * (17 << 20)]).to_bytes()

    def test_other_archives(self, tmp_path: Path) -> None:
        path = tmp_path / "a.npz"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("readme.txt", "hello")
        with pytest.raises(InputError, match="not a count file, or damaged"):
            cc.read(path)
        with pytest.raises(InputError, match="there is no such file"):
            Pairwise.load(tmp_path / "b.npz")
        with pytest.raises(InputError, match="is a folder"):
            Pairwise.load(tmp_path)
