"""The bootstrap: against one in plain Python, and what must hold of any."""

from __future__ import annotations

import io
import itertools
import json
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from commands import CAFES, is_error, run
from concordant._kernels import resampling
from concordant._kernels.state import new_state
from concordant.cli.progress import Reporter

ITEMS = "abcde"


def random_votes(seed: int, m: int, n: int, ties: bool = False) -> list[list[Any]]:
    random = np.random.default_rng(seed)
    votes: list[list[Any]] = []
    for _ in range(n):
        length = int(random.integers(0 if ties else m, m + 1))
        order = [ITEMS[a] if m <= 5 else f"item {a}" for a in random.permutation(m)[:length]]
        if ties and len(order) > 2:
            order[:2] = [tuple(order[:2])]
        votes.append(order)
    return votes


def optimal_orders(votes: list[list[Any]], weights: list[int], items: str) -> list[tuple[str, ...]]:
    """All orders of least cost, by trying every one."""
    data = cc.Rankings.from_orders(votes, weights=weights, items=items)
    counts = cc.Pairwise.from_rankings(data)
    costs = {order: counts.cost(order) for order in itertools.permutations(items)}
    least = min(costs.values())
    return [order for order, cost in costs.items() if cost == least]


def plain_bootstrap(
    votes: list[list[Any]], items: str, samples: int, seed: int
) -> tuple[dict[str, list[float]], dict[tuple[str, str], float]]:
    """Draw voters one by one, average over all optimal orders; return positions and pairs."""
    random = np.random.default_rng(seed)
    m = len(items)
    places = {item: [0.0] * m for item in items}
    before = dict.fromkeys(itertools.permutations(items, 2), 0.0)
    known: dict[tuple[int, ...], list[tuple[str, ...]]] = {}
    for _ in range(samples):
        drawn = np.bincount(random.integers(len(votes), size=len(votes)), minlength=len(votes))
        key = tuple(drawn.tolist())
        if key not in known:
            known[key] = optimal_orders(votes, list(key), items)
        for order in known[key]:
            for place, item in enumerate(order):
                places[item][place] += 1 / len(known[key]) / samples
            for pair in itertools.combinations(order, 2):
                before[pair] += 1 / len(known[key]) / samples
    return places, before


@pytest.mark.parametrize("seed", range(4))
def test_it_agrees_with_a_bootstrap_in_plain_python(seed: int) -> None:
    m, ties = (4, True) if seed % 2 else (5, False)
    items = ITEMS[:m]
    votes = random_votes(seed, m, 3 + seed, ties)
    n = 3000
    data = cc.Rankings.from_orders(votes, items=items)
    found = cc.bootstrap(data, samples=n, seed=seed)
    places, before = plain_bootstrap(votes, items, 400, seed + 100)
    assert found.exact == 1
    # Five standard errors of both: one in a million runs would differ by more by chance.
    allowed = 5 * np.sqrt(0.25 / n + 0.25 / 400)
    for k, item in enumerate(found.items):
        assert abs(found.first[k] - places[str(item)][0]) < allowed
        share = np.cumsum(places[str(item)])
        # A place left out beyond an end of the interval is rare, and an end itself is not.
        low, high = found.low[k], found.high[k]
        assert (share[low - 2] if low > 1 else 0) <= 0.025 + allowed
        assert share[low - 1] >= 0.025 - allowed
        assert share[high - 1] >= 0.975 - allowed
        assert (share[high - 2] if high > 1 else 0) <= 0.975 + allowed
    for k, pair in enumerate(itertools.pairwise(found.items)):
        assert abs(found.stands[k] - before[pair]) < allowed  # type: ignore[index]


def solve(votes: list[list[Any]], drawn: Any, m: int, largest: int = 15, rounds: int = 50) -> Any:
    """The kernel itself, without the draws: orders by item number, and whether proven."""
    data = cc.Rankings.from_orders(votes, items=range(m))
    drawn = np.asarray(drawn, np.int64)
    orders = np.empty((len(drawn), m), np.int32)
    proven = np.zeros(len(drawn), np.bool_)
    streams = np.arange(len(drawn), dtype=np.uint64)[:, None] * np.uint64(7919)
    # Copies that can be written to, as `bootstrap` passes them: others would be compiled again.
    ballots = (data.offsets.copy(), data.members.copy(), data.buckets.copy())
    votes = np.zeros((len(drawn), m * (m - 1) // 2), np.int64)
    resampling.count_votes(m, *ballots, drawn, votes)
    resampling.resample(votes, streams, new_state(0), largest, rounds, 10**6, orders, proven)
    return orders, proven


@given(st.integers(0, 10**6), st.integers(2, 6), st.integers(1, 9), st.sampled_from([15, 3, 1]))
@settings(max_examples=40, deadline=None)
def test_every_order_marked_as_proven_is_optimal(seed: int, m: int, n: int, largest: int) -> None:
    random = np.random.default_rng(seed)
    votes = [random.permutation(m)[: random.integers(1, m + 1)].tolist() for _ in range(n)]
    votes = [list(vote) for vote in dict.fromkeys(map(tuple, votes))]
    drawn = random.multinomial(n, np.full(len(votes), 1 / len(votes)), size=5)
    orders, proven = solve(votes, drawn, m, largest)
    everyone = np.array(list(itertools.permutations(range(m))))
    for row, order, sure in zip(drawn, orders, proven, strict=True):
        assert sorted(order.tolist()) == list(range(m))
        data = cc.Rankings.from_orders(votes, weights=row.tolist(), items=range(m))
        counts = cc.Pairwise.from_rankings(data).counts
        costs = np.zeros(len(everyone), np.int64)
        for p, q in itertools.combinations(range(m), 2):
            costs += counts[everyone[:, q], everyone[:, p]]
        cost = np.tril(counts[np.ix_(order, order)]).sum()
        assert cost == costs.min() if sure else cost >= costs.min()
    if largest == 15:
        assert proven.all()


def test_optimal_orders_are_drawn_evenly() -> None:
    votes = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [3]]
    n = 6000
    orders, proven = solve(votes, np.tile([1, 1, 1, 0], (n, 1)), 4)
    assert proven.all()
    found, counts = np.unique(orders, axis=0, return_counts=True)
    expected = optimal_orders(
        [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], [1, 1, 1], "abcd"
    )
    assert {tuple(row) for row in found.tolist()} == {
        tuple("abcd".index(item) for item in order) for order in expected
    }
    mean = n / len(expected)
    assert abs(counts - mean).max() < 6 * np.sqrt(mean)


def test_large_groups_of_ties_have_no_favourites() -> None:
    # Thirty items that nobody compares, behind two that are always first.
    m, n = 32, 400
    orders, proven = solve([[0, 1], [1, 0]], np.ones((n, 2), np.int64), m)
    assert proven.all()
    firsts = np.bincount(orders[:, 0], minlength=m)
    assert firsts.max() < n / m + 6 * np.sqrt(n / m) + 1
    positions = np.argsort(orders, axis=1)
    error = m / np.sqrt(12 * n)
    assert abs(positions.mean(axis=0) - (m - 1) / 2).max() < 5 * error


def test_equal_items_stand_at_one_half() -> None:
    found = cc.bootstrap(cc.Rankings.from_orders([["a", "b"], ["b", "a"]]), samples=4000)
    assert abs(found.stands[0] - 0.5) < 0.04
    assert found.low == (1, 1)
    assert found.high == (2, 2)


@pytest.mark.parametrize("m", [1, 2, 5, 40])
def test_unanimous_voters_leave_no_doubt(m: int) -> None:
    names = [f"item {a}" for a in range(m)]
    found = cc.bootstrap(cc.Rankings.from_orders([names] * 7), samples=50)
    assert found.items == found.ranking == tuple(names)
    assert found.low == found.median == found.high == tuple(range(1, m + 1))
    assert found.stands == (1.0,) * (m - 1)
    assert found.first == (1.0,) + (0.0,) * (m - 1)
    assert found.exact == 1


@pytest.fixture(scope="module")
def middling() -> cc.Rankings:
    """Twenty items with large cycles, so that the search has a part in it."""
    return cc.Rankings.from_orders(random_votes(3, 20, 30))


def test_the_same_seed_gives_the_same_on_any_number_of_threads(middling: cc.Rankings) -> None:
    one = cc.bootstrap(middling, samples=60, seed=5, n_jobs=1)
    two = cc.bootstrap(middling, samples=60, seed=5, n_jobs=2)
    assert one == two == cc.bootstrap(middling, samples=60, seed=5, n_jobs=3)
    assert one.exact < 1
    assert one != cc.bootstrap(middling, samples=60, seed=6)


def test_more_samples_begin_with_the_same_ones(middling: cc.Rankings) -> None:
    first = cc.bootstrap(middling, samples=1, seed=2)
    again = cc.bootstrap(middling, samples=40, seed=2)
    assert first.low == first.high
    assert first.samples == 1
    assert again.samples == 40


def test_weights_are_copies() -> None:
    votes = [["a", "b", "c"], ["b", "c", "a"], ["c", "b", "a"]]
    weighted = cc.Rankings.from_orders(votes, weights=[3, 4, 2])
    copies = [vote for vote, times in zip(votes, [3, 4, 2], strict=True) for _ in range(times)]
    found = cc.bootstrap(weighted, samples=300)
    assert found == cc.bootstrap(cc.Rankings.from_orders(copies), samples=300)
    assert found.voters == 9


def test_many_copies_are_drawn_as_often() -> None:
    """Draws by the multinomial and one by one follow the same law."""
    votes = [["a", "b"], ["b", "a"]]
    few = cc.bootstrap(cc.Rankings.from_orders(votes, weights=[17, 13]), samples=4000)
    many = cc.bootstrap(cc.Rankings.from_orders(votes, weights=[34, 26]), samples=4000)
    assert few.voters == 30
    assert abs(few.stands[0] - 0.768) < 0.035
    assert abs(many.stands[0] - 0.848) < 0.035


def test_fractions_say_how_likely_a_ranking_is() -> None:
    votes = [["a", "b"], ["b", "a"], ["b", "a"]]
    data = cc.Rankings.from_orders(votes, weights=[1.5, 0.25, 0.25])
    found = cc.bootstrap(data, samples=4000)
    assert found.voters == 3
    # Of three draws, two or three are the first ranking, at 3/4 each.
    assert abs(found.stands[0] - 0.84375) < 0.03


@given(st.integers(0, 1000), st.permutations(range(5)))
@settings(max_examples=15, deadline=None)
def test_names_and_numbers_of_the_items_make_no_difference(seed: int, permuted: list[int]) -> None:
    votes = random_votes(seed, 5, 7)
    data = cc.Rankings.from_orders(votes, items=ITEMS)
    result = cc.aggregate(data)
    other = cc.Rankings.from_orders(
        [[item.upper() for item in vote] for vote in votes],
        items=[ITEMS[a].upper() for a in permuted],
    )
    mine = cc.bootstrap(data, samples=100, seed=seed, consensus=result)
    theirs = cc.bootstrap(
        other, samples=100, seed=seed, consensus=[str(item).upper() for item in result.ranking]
    )
    assert theirs.items == tuple(str(item).upper() for item in mine.items)
    assert theirs.to_dict() | {"items": None} == mine.to_dict() | {"items": None}


def test_unranked_items_count_as_the_data_says() -> None:
    votes = [["a"], ["b", "a"]]
    last = cc.Rankings.from_orders(votes, items="abc", unranked="last")
    found = cc.bootstrap(last, samples=2000)
    places = dict(zip(found.items, found.high, strict=True))
    assert places["c"] == 3
    unknown = cc.Rankings.from_orders(votes, items="abc")
    assert dict(zip(unknown.items, cc.bootstrap(unknown).low, strict=True))["c"] == 1


def test_the_ranking_given_is_the_one_judged() -> None:
    data = cc.Rankings.from_orders([["a", "b", "c"]] * 3)
    found = cc.bootstrap(data, samples=20, consensus=["c", "b", "a"])
    assert found.items == ("c", "b", "a")
    assert found.stands == (0.0, 0.0)
    assert found.median == (3, 2, 1)
    with pytest.raises(cc.InputError, match="consensus: the ranking must place each"):
        cc.bootstrap(data, consensus=["c", "b"])


def test_a_narrower_level_gives_narrower_intervals(middling: cc.Rankings) -> None:
    wide = cc.bootstrap(middling, samples=200, level=0.99)
    narrow = cc.bootstrap(middling, samples=200, level=0.5)
    assert narrow.stands == wide.stands
    for a in range(wide.n_items):
        assert wide.low[a] <= narrow.low[a] <= narrow.median[a] <= narrow.high[a] <= wide.high[a]
    assert sum(wide.high) - sum(wide.low) > sum(narrow.high) - sum(narrow.low)
    half = cc.bootstrap(middling, samples=200, level=1e-12)
    assert all(abs(high - low) <= 2 for high, low in zip(half.high, half.low, strict=True))


def test_progress_is_reported_and_time_limits_hold(middling: cc.Rankings) -> None:
    seen: list[tuple[int, int]] = []
    found = cc.bootstrap(middling, samples=100, on_progress=lambda *now: seen.append(now))
    assert seen[-1] == (100, 100)
    assert seen == sorted(seen)
    few = cc.bootstrap(middling, samples=100_000, time_limit=0)
    assert 1 <= few.samples < 100_000
    assert few.requested == 100_000
    assert not few.interrupted
    assert found.requested == found.samples == 100


def test_ctrl_c_keeps_what_is_done(middling: cc.Rankings) -> None:
    def interrupt(done: int, total: int) -> None:
        if done < total and done:
            raise KeyboardInterrupt

    found = cc.bootstrap(middling, samples=50_000, on_progress=interrupt, consensus=middling.items)
    assert found.interrupted
    assert 1 <= found.samples < found.requested


def test_ctrl_c_at_the_very_end_loses_nothing(middling: cc.Rankings) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == total:
            raise KeyboardInterrupt

    given: dict[str, Any] = {"samples": 50, "consensus": middling.items}
    found = cc.bootstrap(middling, on_progress=interrupt, **given)
    assert found == cc.bootstrap(middling, **given)
    assert not found.interrupted


def test_files_keep_everything(tmp_path: Path) -> None:
    found = cc.bootstrap(cc.Rankings.from_orders(random_votes(1, 5, 9)), samples=30)
    found.save(tmp_path / "firm.json")
    assert cc.Bootstrap.load(tmp_path / "firm.json") == found
    assert cc.Bootstrap.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert repr(found).startswith("Bootstrap(")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "not a bootstrap in JSON"),
        ("[]", "not a bootstrap of concordant"),
        ('{"format": "concordant-result"}', "not a bootstrap of concordant"),
        ('{"format": "concordant-bootstrap"}', "not a bootstrap of concordant"),
        ('{"format": "concordant-bootstrap", "version": 1}', "no 'items'"),
        ('{"format": "concordant-bootstrap", "version": 9}', "has version 9"),
        ('{"format": "concordant-bootstrap", "version": true}', "has version True"),
    ],
)
def test_other_files_are_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "firm.json"
    path.write_text(text)
    with pytest.raises(cc.InputError, match=said):
        cc.Bootstrap.load(path)
    facts = cc.bootstrap(cc.Rankings.from_orders([["a", "b"]]), samples=2).to_dict()
    for key, value in (("low", [1]), ("stands", "no"), ("first", ["x", "y"])):
        with pytest.raises(cc.InputError, match=key):
            cc.Bootstrap.from_dict(facts | {key: value})


def test_a_matrix_has_no_voters() -> None:
    matrix = cc.Pairwise.from_matrix([[0, 1], [2, 0]])
    with pytest.raises(cc.InputError, match="needs the Rankings themselves, not Pairwise"):
        cc.bootstrap(matrix)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("samples", 0),
        ("samples", 2.5),
        ("seed", -1),
        ("level", 1),
        ("level", 0),
        ("level", "high"),
        ("time_limit", -1),
        ("on_progress", 3),
        ("n_jobs", 0),
    ],
)
def test_settings_are_checked(setting: str, value: Any) -> None:
    with pytest.raises(cc.SettingError, match=setting):
        cc.bootstrap(cc.Rankings.from_orders([["a", "b"]]), **{setting: value})


def test_voters_without_weight_cannot_be_drawn() -> None:
    with pytest.raises(cc.InputError, match="no voter to draw"):
        cc.bootstrap(cc.Rankings.from_orders([["a", "b"]], weights=[0]))


# -- on the command line ----------------------------------------------------------------------


def test_the_command_line_says_how_firm_each_place_is() -> None:
    done = run("aggregate", CAFES, "--bootstrap", 60)
    assert done.exit_code == 0
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["place", "range", "joint", "first", "stands", "item"]
    firm = cc.bootstrap(cc.read(CAFES), samples=60)  # type: ignore[arg-type]
    assert lines[1].split()[:2] == ["1", f"{firm.low[0]}-{firm.high[0]}"]
    assert lines[1].endswith(f"  {firm.items[0]}")
    assert "bootstrap    60 samples of 12 voters, seed 0, all solved exactly" in lines
    as_json = json.loads(run("aggregate", CAFES, "--bootstrap", 60, "--json").stdout)
    assert cc.Bootstrap.from_dict(as_json["bootstrap"]) == firm
    assert "bootstrap" not in json.loads(run("aggregate", CAFES, "--json").stdout)


def test_the_command_line_refuses_a_matrix_and_no_samples(tmp_path: Path) -> None:
    path = tmp_path / "a.lop"
    path.write_text("2\n0 1\n2 0\n")
    assert is_error(run("aggregate", path, "--bootstrap", 5), "--bootstrap resamples the voters")
    assert run("aggregate", CAFES, "--bootstrap", 0).exit_code == 2


def test_ctrl_c_keeps_the_ranking(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*arguments: Any, **settings: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(sys.modules["concordant.resampling"], "_solve_all", interrupt)
    done = run("aggregate", CAFES, "--bootstrap", 5)
    assert done.exit_code == 130
    assert done.stdout.startswith("place  item\n    1  Blue Kettle\n")


def test_progress_is_shown_in_lines_that_are_seconds_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    now = [0.0]
    monkeypatch.setattr("concordant.cli.progress.time.perf_counter", lambda: now[0])
    with Reporter(stream=stream) as reporter:
        for done in range(0, 101, 10):
            reporter.samples(done, 100)
            now[0] += 0.5
    assert stream.getvalue().splitlines() == [
        "concordant: bootstrap: 40 of 100 samples",
        "concordant: bootstrap: 80 of 100 samples",
    ]


class TestVoters:
    """What is a voter does not depend on how rankings are merged, ordered or kept."""

    def half_votes(self) -> cc.Rankings:
        orders = [["a", "b", "c"]] * 23 + [["b", "c", "a"]] * 18
        return cc.Rankings.from_orders(orders, weights=[0.5] * 41)

    def test_json_keeps_them(self, tmp_path: Path) -> None:
        data = self.half_votes()
        cc.write(data, tmp_path / "votes.json")
        again = cc.read(tmp_path / "votes.json")
        assert again == data
        firm = cc.bootstrap(data, 50)
        assert firm.voters == 41
        assert cc.bootstrap(again, 50) == firm

    def test_weights_that_add_up_to_whole_ones(self, tmp_path: Path) -> None:
        data = cc.Rankings.from_orders([["a", "b"], ["b", "a"]] * 4, weights=[0.5] * 8)
        cc.write(data, tmp_path / "votes.json")
        again = cc.read(tmp_path / "votes.json")
        assert again == data
        assert cc.bootstrap(again, 50) == cc.bootstrap(data, 50)
        assert cc.bootstrap(again, 50).voters == 8

    def test_older_json_has_none(self, tmp_path: Path) -> None:
        path = tmp_path / "votes.json"
        cc.write(self.half_votes(), path)
        path.write_text(path.read_text().replace(' "n_voters": 41,\n', ""))
        assert cc.read(path).n_voters == 41
        path.write_text(path.read_text().replace('"n_rankings": 41', '"n_voters": -1'))
        with pytest.raises(cc.InputError, match='"n_voters" must be a whole number'):
            cc.read(path)

    @pytest.mark.parametrize("name", ["votes.csv", "votes.parquet"])
    def test_other_formats_warn(self, name: str, tmp_path: Path) -> None:
        with pytest.warns(
            cc.InputWarning, match="have 41, and the file will be read with 2, .* Write json"
        ):
            cc.write(self.half_votes(), tmp_path / name)
        assert cc.read(tmp_path / name).n_voters == 2

    def test_no_warning_without_loss(self, tmp_path: Path) -> None:
        orders = [["a", "b"], ["b", "a"]]
        for weights in (None, [3, 2], [0.5, 1]):
            data = cc.Rankings.from_orders(orders, weights=weights)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                cc.write(data, tmp_path / "votes.csv")
            assert cc.read(tmp_path / "votes.csv") == data

    def test_the_order_of_ballots_and_items_has_no_effect(self) -> None:
        orders = [["a", "b", "c", "d"], ["b", ("a", "d")], ["c", "d", "a"], ["a", "c"]]
        for weights in ([3, 2, 2, 4], [0.5, 1.5, 1, 2]):
            data = cc.Rankings.from_orders(orders, weights=weights)
            turned = cc.Rankings.from_orders(orders[::-1], weights=weights[::-1], items="dcba")
            assert turned == data
            firm = cc.bootstrap(data, 60, consensus="abcd")
            assert cc.bootstrap(turned, 60, consensus="abcd") == firm


class TestConstraints:
    DATA = cc.Rankings.from_orders(
        [list("abcd"), list("bcda"), list("cabd"), list("dbac")], weights=[5, 4, 4, 3]
    )

    def test_every_sample_satisfies_them(self) -> None:
        firm = cc.bootstrap(self.DATA, 200, before=[("d", "a")], last=["c"])
        place = {item: k for k, item in enumerate(firm.items)}
        assert firm.pairs[place["d"], place["a"]] == 1
        assert firm.low[place["c"]] == firm.high[place["c"]] == 4
        assert firm.exact == 1
        assert firm.rank_low is None
        # They follow from the result, too.
        result = cc.aggregate(self.DATA, before=[("d", "a")], last=["c"])
        assert cc.bootstrap(self.DATA, 200, consensus=result).low == firm.low

    def test_samples_are_solved_as_aggregate_solves_them(self) -> None:
        """With one ballot, every sample is the whole."""
        one = cc.Rankings.from_orders([list("abcdef")], weights=[9])
        best = cc.aggregate(one, before=[("f", "c")], first=["b"])
        firm = cc.bootstrap(one, 30, before=[("f", "c")], first=["b"])
        assert firm.exact == 1
        for place, item in enumerate(firm.items, start=1):
            if item in "bad":
                assert best.ranking.index(item) + 1 == place
        assert firm.first[firm.items.index("b")] == 1

    def test_what_is_refused(self) -> None:
        with pytest.raises(cc.InputError, match="which the constraints forbid"):
            cc.bootstrap(self.DATA, 10, consensus=list("abcd"), first=["d"])
        with pytest.raises(cc.SettingError, match="needs method 'auto'"):
            cc.bootstrap(self.DATA, 10, method="borda", first=["d"])
        with pytest.raises(cc.SettingError, match="needs method 'auto'"):
            cc.bootstrap(self.DATA, 10, ties=True, first=["d"])
