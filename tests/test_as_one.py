"""Items read as one: against a plain definition, in every door, and what is refused."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from commands import is_error, run
from concordant.as_one import check_merge, merge_items

BATTLES = "model_a,model_b,winner\nm-1,x,model_a\nm-2,m-1,tie\nx,m-2,model_b\nm-1,m-2,model_a\n"
MERGE = {"m": ["m-1", "m-2"]}


def plain(ballot: list[tuple[str, ...]], new_name: dict[str, str]) -> list[tuple[str, ...]]:
    """The definition: rename, and keep only the first place of each name."""
    seen: set[str] = set()
    found = []
    for bucket in ballot:
        names = {new_name.get(item, item) for item in bucket} - seen
        seen |= names
        if names:
            found.append(tuple(sorted(names)))
    return found


ballots = st.lists(
    st.permutations("abcde").flatmap(
        lambda order: st.tuples(
            st.just(order), st.lists(st.booleans(), min_size=5, max_size=5), st.integers(0, 5)
        )
    ),
    min_size=1,
    max_size=5,
)


@settings(max_examples=40, deadline=None)
@given(ballots, st.sampled_from(["unknown", "last"]), st.booleans(), st.data())
def test_it_is_renaming_and_the_best_place(drawn, unranked, named, data) -> None:
    orders = []
    for order, joins, length in drawn:
        buckets: list[list[str]] = []
        for item, joined in zip(order[:length], joins, strict=False):
            buckets[-1].append(item) if joined and buckets else buckets.append([item])
        orders.append([tuple(bucket) for bucket in buckets])
    groups = data.draw(
        st.sampled_from([{"x": "ab"}, {"a": "bc"}, {"x": "ab", "y": "de"}, {"a": "a"}, {"x": "d"}])
    )
    votes = cc.Rankings.from_orders(
        orders,
        items="abcde",
        weights=range(1, len(orders) + 1),
        unranked=unranked,
        voters=range(len(orders)) if named else None,
    )
    groups = {name: tuple(items) for name, items in groups.items()}
    new_name = {item: name for name, items in groups.items() for item in items}
    wanted = [plain(order, new_name) for order in orders]
    keep = list(range(len(orders)))
    if unranked == "unknown" and max(sum(map(len, order)) for order in orders) <= 2:
        keep = [
            k for k, order in enumerate(orders) if sum(map(len, order)) == sum(map(len, wanted[k]))
        ]
    if not keep:
        with pytest.raises(cc.InputError, match="no ranking is left"):
            votes.merged(groups)
        return
    items = dict.fromkeys(new_name.get(item, item) for item in "abcde")
    expected = cc.Rankings.from_orders(
        [wanted[k] for k in keep],
        items=items,
        weights=[k + 1 for k in keep],
        unranked=unranked,
        voters=keep if named else None,
    )
    found = votes.merged(groups)
    assert found == expected
    assert found.items == tuple(items)
    assert found.voters == expected.voters
    assert found.n_voters == expected.n_voters
    lost = sum(k + 1 for k in range(len(orders)) if k not in keep)
    assert merge_items(votes, check_merge(groups)).dropped in (lost, len(orders) - len(keep))


def test_every_door_gives_the_same(tmp_path: Path) -> None:
    file = tmp_path / "battles.csv"
    file.write_text(BATTLES, encoding="utf-8")
    wanted = cc.Rankings.from_battles([("m", "x"), ("m", "x")])
    for merge in (MERGE, "m = m-1, m-2", "m = m-1\nm = m-2"):
        assert cc.read(file, merge=merge) == wanted
    frame = pl.read_csv(io.StringIO(BATTLES))
    assert cc.Rankings.from_battles(frame, merge=MERGE) == wanted
    assert cc.Rankings.from_frame(frame, merge=MERGE) == wanted
    for source in (file, frame, BATTLES):
        seen = cc.inspect(source, merge=MERGE)
        assert (seen.items, seen.n_rankings) == (["m", "x"], 2)
        assert "2 items as 'm'; 2 battles between them are left out" in seen.findings[-1].message
    done = run("aggregate", file, "--merge", "m = m-1", "--merge", "m = m-2", "--json")
    assert '"ranking": ["m", "x"]' in done.stdout
    assert "2 battles between them are left out" in done.stderr
    # Formats that are not tables too, and folders.
    abif = tmp_path / "votes.abif"
    abif.write_text("2:m-1>x>m-2\n1:x>m-1\n", encoding="utf-8")
    assert [ranking.buckets for ranking in cc.read(abif, merge=MERGE)] == [
        [("m",), ("x",)],
        [("x",), ("m",)],
    ]
    note = cc.inspect(abif, merge=MERGE).findings[-1].message
    assert note == "read 2 items as 'm'; 2 rankings have several and keep the best place"


def test_many_problems_need_not_have_all_names(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("year,1,2\n2024,m-1,x\n2025,x,m-2\n2026,x,y\n", encoding="utf-8")
    found = cc.read_many(file, by="year", layout="ballots", merge=MERGE)
    assert [each.items for each in found.values()] == [("m", "x"), ("x", "m"), ("x", "y")]
    with pytest.raises(cc.InputError, match="there is no item 'm-3' to merge"):
        cc.read_many(file, by="year", layout="ballots", merge={"m": ["m-1", "m-3"]})


def test_bad_names_are_refused(tmp_path: Path) -> None:
    votes = cc.Rankings.from_orders([["a", "b"], ["b", "c"]])
    for merge, words in [
        ({"x": ["A"]}, "no item 'A' to merge: did you mean 'a'?"),
        ({"x": ["a"], "y": ["a"]}, "'a' twice"),
        ({"x": ["a"], "b": ["x"]}, "'x' twice"),
        ({"x": "ab"}, "list of items"),
        ({"x": []}, "no items"),
        ([("x", "a")], "map a name"),
        ("x: a, b", "'name = first, second'"),
        ("x = a,, b", "'name = first, second'"),
    ]:
        with pytest.raises((cc.InputError, cc.SettingError)) as raised:
            votes.merged(merge)  # type: ignore[arg-type]
        assert words in str(raised.value)
    file = tmp_path / "votes.lop"
    file.write_text("2\n0 1\n2 0\n", encoding="utf-8")
    is_error(run("aggregate", file, "--merge", "x = 1, 2"), "only items of rankings can be merged")
    is_error(run("aggregate", file, "--merge", "x"), "--merge needs 'name = first, second'")
