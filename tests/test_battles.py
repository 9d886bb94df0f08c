"""Battles: against counting by hand, every wording, every shape of a frame, and refusals."""

from collections import Counter

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant.battles import plan_battles
from concordant.errors import InputError, SettingError
from concordant.rankings import Rankings

ITEMS = ["ant", "bee", "cat", "dog"]
# Wordings of (left wins, right wins, tie).
WORDINGS = [
    ("a", "b", "tie"),
    ("A", "B", "Draw"),
    ("left", "right", "tie (bothbad)"),
    ("model_a", "model_b", "both bad"),
    ("Home", "Away", "X"),
    ("H", "A", "D"),
    ("win", "loss", "draw"),
    ("W", "L", "D"),
    ("L", "R", "T"),
    (1, 2, "X"),
    ("1", "2", "x"),
    (1, 0, 0.5),
    (1, -1, 0),
    ("2:1", "0-3", "1 - 1"),
    ("1-0", "0-1", "1/2-1/2"),
    ("A>>B", "B>A", "A=B"),
    ("Sieg", "Niederlage", "unentschieden"),
]


@st.composite
def fought(draw: st.DrawFn, wording: tuple | None = None) -> list[tuple]:
    words = wording or draw(st.sampled_from(WORDINGS))
    rows = draw(st.lists(st.tuples(st.permutations(ITEMS), st.integers(0, 2)), min_size=1))
    # All three words occur, so that short ones are clear.
    rows += [(ITEMS, result) for result in range(3)]
    return [(*order[:2], words[result], result) for order, result in rows]


def by_hand(battles: list[tuple]) -> Counter:
    wins: Counter = Counter()
    for left, right, _, result in battles:
        if result < 2:
            wins[(left, right) if result == 0 else (right, left)] += 1
    return wins


def counted(data: Rankings) -> Counter:
    pairs = cc.Pairwise.from_rankings(data)
    return Counter(
        {(a, b): int(n) for a, b, n in pairs.to_frame().rows() if n}  # before, after, weight
    )


class TestCounting:
    @given(fought())
    def test_equals_counting_by_hand(self, battles: list[tuple]) -> None:
        data = Rankings.from_battles([battle[:3] for battle in battles])
        assert counted(data) == by_hand(battles)
        assert data.n_rankings == data.n_voters == data.total_weight == len(battles)

    @given(fought(), st.randoms(use_true_random=False))
    def test_a_frame_says_the_same(self, battles: list[tuple], random: object) -> None:
        rows = [(left, right, str(word)) for left, right, word, _ in battles]
        names = random.choice(  # type: ignore[attr-defined]
            [
                ("left", "right", "outcome"),
                ("model_a", "model_b", "winner"),
                ("Team 1", "Team 2", "Result"),
            ]
        )
        frame = pl.DataFrame(rows, schema=names, orient="row")
        assert Rankings.from_battles(frame) == Rankings.from_battles([b[:3] for b in battles])

    @given(fought(("a", "b", "tie")))
    def test_winners_by_name(self, battles: list[tuple]) -> None:
        named = [(one, two, (one, two, "tie")[result]) for one, two, _, result in battles]
        assert counted(Rankings.from_battles(named)) == by_hand(battles)

    @given(fought(("a", "b", "tie")))
    def test_winner_and_loser(self, battles: list[tuple]) -> None:
        decided = [battle for battle in battles if battle[3] < 2]
        pairs = [(one, two) if result == 0 else (two, one) for one, two, _, result in decided]
        data = Rankings.from_battles(pairs)
        assert counted(data) == by_hand(decided)
        frame = pl.DataFrame(pairs, schema=["Winner", "Loser"], orient="row")
        assert Rankings.from_battles(frame) == data

    @given(fought(("a", "b", "tie")), st.integers(0, 5))
    def test_points(self, battles: list[tuple], low: int) -> None:
        points = [(low + 2, low), (low, low + 1), (low, low)]
        rows = [(one, two, *points[result]) for one, two, _, result in battles]
        for names in (
            ("home_team", "away_team", "home_goals", "away_goals"),
            ("HomeTeam", "AwayTeam", "FTHG", "FTAG"),
            ("player1", "player2", "score1", "score2"),
            ("Team A", "Team B", "Points A", "Points B"),
        ):
            frame = pl.DataFrame(rows, schema=names, orient="row")
            assert counted(Rankings.from_battles(frame)) == by_hand(battles)

    def test_weights(self) -> None:
        data = Rankings.from_battles([("x", "y"), ("y", "x"), ("x", "y")], weights=[2, 0.5, 1])
        assert cc.Pairwise.from_rankings(data).to_frame().rows() == [("x", "y", 3), ("y", "x", 0.5)]
        frame = pl.DataFrame({"winner": ["x", "y"], "loser": ["y", "x"], "count": [7, 2]})
        counts = Rankings.from_battles(frame)
        assert (counts.n_rankings, counts.total_weight) == (9, 9)

    def test_items_and_voters(self) -> None:
        frame = pl.DataFrame({"winner": ["x", "y"], "loser": ["y", "x"], "judge": ["Ann", "Ann"]})
        data = Rankings.from_battles(frame, voter="judge", items=["z", "y", "x"])
        assert data.items == ("z", "y", "x")
        assert data.voters == ("Ann", "Ann")
        assert Rankings.from_battles(frame).voters is None

    def test_pandas(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame({"a": ["x", "y"], "b": ["y", "z"], "outcome": [1.0, 0.5]})
        assert counted(Rankings.from_battles(frame)) == {("x", "y"): 1}

    def test_many(self) -> None:
        rng = np.random.default_rng(1)
        sides = np.argsort(rng.random((40_000, 30)), axis=1)[:, :2]
        left_wins = rng.random(40_000) < 0.5
        frame = pl.DataFrame(
            {
                "model_a": [f"m{k}" for k in sides[:, 0]],
                "model_b": [f"m{k}" for k in sides[:, 1]],
                "winner": np.where(left_wins, "model_a", "model_b"),
            }
        )
        data = Rankings.from_battles(frame, items=[f"m{k}" for k in range(30)])
        counts = np.zeros((30, 30), int)
        winners = np.where(left_wins[:, None], sides, sides[:, ::-1])
        np.add.at(counts, (winners[:, 0], winners[:, 1]), 1)
        assert (cc.Pairwise.from_rankings(data).counts == counts).all()


class TestColumns:
    @pytest.mark.parametrize(
        ("names", "found"),
        [
            (["id", "model_a", "model_b", "winner", "judge", "conversation_a", "conversation_b"],
             ("model_a", "model_b", "winner")),
            (["Div", "Date", "HomeTeam", "AwayTeam", "FTHG", "FTAG", "FTR"],
             ("HomeTeam", "AwayTeam", "FTR")),
            (["White", "Black", "Result"], ("White", "Black", "Result")),
            (["left", "right", "choice"], ("left", "right", "choice")),
        ],
    )  # fmt: skip
    def test_recognised(self, names: list[str], found: tuple) -> None:
        plan = plan_battles(names)
        assert plan is not None
        assert (plan.left, plan.right, plan.outcome) == found

    @pytest.mark.parametrize(
        "names",
        [
            ["voter", "item", "rank"],
            ["a", "b", "c"],
            ["home", "away"],
            ["winner"],
            ["rank1", "rank2"],
        ],
    )
    def test_not_battles(self, names: list[str]) -> None:
        assert plan_battles(names) is None

    def test_named_columns(self) -> None:
        frame = pl.DataFrame({"x": ["p"], "y": ["q"], "z": ["q"], "n": [3]})
        data = Rankings.from_battles(frame, left="x", right="y", outcome="z", weight="n")
        assert [tuple(each) for each in data] == [([("q",), ("p",)], 3)]
        again = Rankings.from_battles(frame, left="x", right="y", winner="z", weight="n")
        assert again == data
        points = pl.DataFrame({"x": ["p"], "y": ["q"], "s": [1], "t": [2]})
        data = Rankings.from_battles(points, left="x", right="y", left_points="s", right_points="t")
        assert [each.buckets for each in data] == [[("q",), ("p",)]]

    def test_two_pairs_are_asked(self) -> None:
        names = ["model_a", "model_b", "team_a", "team_b", "winner"]
        with pytest.raises(InputError, match=r"'model_a' and 'model_b' or 'team_a' and 'team_b'"):
            plan_battles(names)
        plan = plan_battles(names, left="team_a", right="team_b")
        assert plan is not None
        assert plan.outcome == "winner"

    def test_the_points_and_the_outcome_must_agree(self) -> None:
        table = {"home": ["x", "x"], "away": ["y", "y"], "home_goals": [2, 1], "away_goals": [1, 1]}
        frame = pl.DataFrame(table | {"result": ["H", "D"]})
        assert counted(Rankings.from_battles(frame)) == {("x", "y"): 1}
        penalties = pl.DataFrame(table | {"result": ["H", "A"]})
        with pytest.raises(InputError, match=r"row 2: .*different winners.*outcome"):
            Rankings.from_battles(penalties)
        by_outcome = Rankings.from_battles(penalties, outcome="result")
        assert counted(by_outcome) == {("x", "y"): 1, ("y", "x"): 1}
        goals = {"left_points": "home_goals", "right_points": "away_goals"}
        assert counted(Rankings.from_battles(penalties, **goals)) == {("x", "y"): 1}


class TestTwoReadings:
    def test_a_name_that_is_also_a_side(self) -> None:
        battles = [("2", "1", "1"), ("1", "2", "1")]
        with pytest.raises(InputError, match=r'row 1: .*item or a side.*outcomes="items"'):
            Rankings.from_battles(battles)
        items = Rankings.from_battles(battles, outcomes="items")
        assert counted(items) == {("1", "2"): 2}
        sides = Rankings.from_battles(battles, outcomes="sides")
        assert counted(sides) == {("2", "1"): 1, ("1", "2"): 1}

    def test_the_only_reading_that_fits_all_rows(self) -> None:
        # "b" is an item of row 1, but "a" is not an item of row 2.
        battles = [("b", "c", "b"), ("c", "d", "a")]
        assert counted(Rankings.from_battles(battles)) == {("c", "b"): 1, ("c", "d"): 1}

    def test_words_of_ones_own(self) -> None:
        battles = [("x", "y", "oben"), ("x", "y", "unten"), ("x", "y", "?")]
        own = {"oben": "left", "unten": "right", "?": "tie"}
        data = Rankings.from_battles(battles, outcomes=own)
        assert counted(data) == {("x", "y"): 1, ("y", "x"): 1}
        with pytest.raises(SettingError, match="'left', 'right' or 'tie', not 'up'"):
            Rankings.from_battles(battles, outcomes={"oben": "up"})
        with pytest.raises(SettingError, match="outcomes must be"):
            Rankings.from_battles(battles, outcomes="both")

    def test_away_is_not_the_first_side(self) -> None:
        frame = pl.DataFrame({"home": ["x", "x"], "away": ["y", "y"], "result": ["A", "D"]})
        assert counted(Rankings.from_battles(frame)) == {("y", "x"): 1}

    @pytest.mark.parametrize("words", [["l"], ["0", "1", "2"], ["h", "b"], ["w", "r", "l"]])
    def test_words_that_two_wordings_share_are_refused(self, words: list[str]) -> None:
        with pytest.raises(InputError, match=r"outcome '.' is unknown"):
            Rankings.from_battles([("x", "y", word) for word in words])


class TestRefusals:
    @pytest.mark.parametrize(
        ("battles", "words"),
        [
            (
                [("x", "y", "a"), ("x", "y", "zz")],
                "row 2: the outcome 'zz' is unknown.*left, right",
            ),
            ([("x", "y"), ("y", "y")], "row 2: item 'y' is on both sides"),
            ([("x", "y", None)], "row 1: there is no outcome"),
            ([("x", None)], "row 1: there is no item in column 'right'"),
            ([("x", "y"), ("x",)], r"row 2: a battle must be \(winner, loser\)"),
            ([("x", "y"), ("x", "y", "a")], "row 2: .*as in row 1, of 2 parts"),
            ([("x", "y", 1, 2)], "row 1: a battle must be"),
            (["xy"], "row 1: a battle must be"),
            ("xy", "battles must be tuples"),
            ([], "there is no battle"),
            ([("x", ["y"])], "cannot name an item"),
        ],
    )
    def test_tuples(self, battles: object, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Rankings.from_battles(battles)

    @pytest.mark.parametrize(
        ("columns", "options", "words"),
        [
            ({"x": ["p"], "y": ["q"]}, {}, "do not show who fought whom.*winner= and loser="),
            ({"winner": ["p"], "loser": ["q"]}, {"loser": "z"}, "no column 'z' for loser"),
            ({"home": ["p"], "away": ["q"], "home_goals": [1], "away_goals": [None]}, {},
             "row 1: there are no points in column 'away_goals'"),
            ({"home": ["p"], "away": ["q"], "home_goals": [1], "away_goals": ["x"]}, {},
             "row 1: 'away_goals' is 'x', which is not a number"),
            ({"winner": ["p"], "loser": ["q"]}, {"items": ["p"]}, "item 'q' is not one of"),
            ({"winner": ["p"], "loser": ["q"], "weight": [-1]}, {}, "row 1: weight -1"),
        ],
    )  # fmt: skip
    def test_frames(self, columns: dict, options: dict, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Rankings.from_battles(pl.DataFrame(columns), **options)

    def test_settings(self) -> None:
        with pytest.raises(SettingError, match="winner names a column of a frame"):
            Rankings.from_battles([("x", "y")], winner="w")
        with pytest.raises(SettingError, match="weight=NAME"):
            Rankings.from_battles(pl.DataFrame({"winner": ["x"], "loser": ["y"]}), weights=[1])
