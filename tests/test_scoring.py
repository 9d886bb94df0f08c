"""Borda and its kin, Copeland and the best input ranking, against their definitions."""

from contextvars import ContextVar
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concordant import generate, running
from concordant.aggregation import aggregate
from concordant.algorithms import scoring
from concordant.algorithms.scoring import counted_in_time
from concordant.errors import SettingError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from concordant.running import Run
from concordant.stopping import MaxTime
from strategies import ballots, exact_weight, make, matrices, rankings


def by_falling(items: list, scores: dict) -> tuple:
    """Sort by score, ties by item number."""
    return tuple(sorted(items, key=lambda item: (-scores[item], items.index(item))))


class TestBorda:
    @given(ballots(complete=True, strict=True))
    def test_classical_definition(self, drawn: tuple) -> None:
        items, orders, weights, _ = drawn
        scores = dict.fromkeys(items, Fraction(0))
        for order, weight in zip(orders, weights, strict=True):
            for place, (item,) in enumerate(order):
                scores[item] += exact_weight(weight) * (len(items) - 1 - place)
        assert aggregate(make(drawn), "borda").ranking == by_falling(items, scores)

    @given(rankings())
    def test_matrix_and_rankings_agree(self, data: Rankings) -> None:
        assert (
            aggregate(data, "borda").ranking
            == aggregate(Pairwise.from_rankings(data), "borda").ranking
        )

    @given(rankings())
    def test_points_of_positions_are_points_of_pairs(self, data: Rankings) -> None:
        points, rows, rest = scoring.positional_points(data)
        scores = np.full(data.n_items, (rest * data.units).sum())
        np.add.at(scores, data.members, points * data.units[rows])
        expected = scoring.borda_scores(Pairwise.from_rankings(data).counts)
        assert scores.tolist() == expected.tolist()


class TestExtendedBorda:
    @given(ballots())
    def test_formula_in_fractions(self, drawn: tuple) -> None:
        items, orders, weights, unranked = drawn
        m = len(items)
        scores = dict.fromkeys(items, Fraction(0))
        for order, weight in zip(orders, weights, strict=True):
            told = list(order)
            ranked = {item for bucket in order for item in bucket}
            if unranked == "last" and len(ranked) < m:
                told.append(tuple(item for item in items if item not in ranked))
                ranked = set(items)
            before, points = 0, dict.fromkeys(items, Fraction(m + 1, 2))
            for bucket in told:
                rank = before + Fraction(len(bucket) + 1, 2)
                before += len(bucket)
                for item in bucket:
                    points[item] = (len(ranked) + 1 - rank) * (m + 1) / (len(ranked) + 1)
            for item in items:
                scores[item] += exact_weight(weight) * points[item]
        data = make(drawn)
        assert aggregate(data, "extended-borda").ranking == by_falling(items, scores)
        # The scores themselves are those of the formula times one constant.
        found = scoring.extended_borda_scores(data)
        if scores[items[0]]:
            factor = Fraction(found[0]) / scores[items[0]]
            assert factor > 0
            assert found == [scores[item] * factor for item in items]

    def test_scores_that_floats_would_confuse(self) -> None:
        # b is ahead of a by one unit in 2**50.
        n = 2**50
        data = Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[n, n + 1], items="ab")
        assert aggregate(data, "extended-borda").ranking == ("b", "a")

    def test_needs_the_rankings(self) -> None:
        with pytest.raises(SettingError, match="'extended-borda' needs the rankings, not"):
            aggregate([[0, 1], [2, 0]], "extended-borda")


class TestRandomizedBorda:
    @given(st.integers(1, 60), st.floats(0.01, 0.49), st.integers(0, 99))
    def test_exactly_that_many_ballots(self, n: int, beta: float, seed: int) -> None:
        rng = np.random.default_rng(seed)
        orders = [rng.permutation(3).tolist() for _ in range(n)]
        data = Rankings.from_orders(orders)
        share = scoring.random_share(data, beta, rng)
        assert share.sum() == max(1, round((1 - beta) * n))
        assert (share >= 0).all()
        assert (share <= data.units).all()

    def test_ballots_that_all_differ(self) -> None:
        data = Rankings.from_orders([[k, k + 1] for k in range(50)])
        share = scoring.random_share(data, 0.3, np.random.default_rng(0))
        assert sorted(share.tolist()) == [0] * 15 + [1] * 35

    def test_every_ballot_has_the_same_chance(self) -> None:
        data = Rankings.from_orders([["a"]] * 3 + [["b"]], items="ab")
        rng = np.random.default_rng(1)
        drawn = sum(scoring.random_share(data, 0.25, rng)[1] for _ in range(4000))
        # Three of four ballots are drawn; the standard deviation is 27.
        assert abs(drawn - 3000) < 150

    def test_importances_stay_whole(self) -> None:
        data = Rankings.from_orders([[k] for k in range(10)], weights=[0.5 + k for k in range(10)])
        share = scoring.random_share(data, 0.4, np.random.default_rng(0))
        assert (share > 0).sum() == 6
        assert set(share[share > 0]) <= set(data.units.tolist())

    def test_no_ballot_at_all(self) -> None:
        data = Rankings.from_arrays("ab", [0, 2], [0, 1], [0, 1], [0], n_rankings=0)
        assert aggregate(data, "randomized-borda").cost == 0

    @given(rankings(), st.integers(0, 5))
    def test_the_same_seed_gives_the_same_answer(self, data: Rankings, seed: int) -> None:
        first = aggregate(data, "randomized-borda", seed=seed)
        assert first.ranking == aggregate(data, "randomized-borda", seed=seed).ranking
        assert first.settings == {"beta": 0.2}

    def test_seeds_differ(self) -> None:
        data = Rankings.from_orders([[]], items=range(30))
        orders = {aggregate(data, "randomized-borda", seed=seed).ranking for seed in range(5)}
        assert len(orders) == 5

    @given(rankings(kind="small"))
    def test_unranked_last_means_what_it_says(self, data: Rankings) -> None:
        # Drawn from the rankings as given, scored as if written out.
        share = scoring.random_share(data, 0.2, np.random.default_rng(7))
        weights = [Fraction(int(u), data.scale) for u in share]
        drawn = Rankings.from_orders(
            [buckets for buckets, _ in data],
            weights=weights,
            items=data.items,
            unranked=data.unranked,
        )
        scores = scoring.borda_scores(Pairwise.from_rankings(drawn).counts)
        order = scoring.randomized_borda_order(
            data, 0.2, np.random.default_rng(7), scoring.positional_points(data)
        )
        assert (np.diff(scores[order]) <= 0).all()

    @pytest.mark.parametrize("beta", [0, 0.5, 1, -0.1, float("nan"), "0.2", None, True])
    def test_beta_has_a_range(self, beta: object) -> None:
        data = Rankings.from_orders([["a", "b"]])
        with pytest.raises(SettingError, match=r"beta must lie between 0 and 0\.5"):
            aggregate(data, "randomized-borda", beta=beta)

    def test_numbers_of_numpy_are_numbers(self) -> None:
        data = Rankings.from_orders([["a", "b"]])
        assert aggregate(data, "randomized-borda", beta=np.float32(0.25)).cost == 0


class TestCopeland:
    @given(matrices())
    def test_definition(self, matrix: np.ndarray) -> None:
        pairs = Pairwise.from_matrix(matrix)
        m = len(matrix)
        scores = {
            item: sum(int(np.sign(matrix[a, b] - matrix[b, a])) for b in range(m))
            for a, item in enumerate(pairs.items)
        }
        assert aggregate(pairs, "copeland").ranking == by_falling(list(pairs.items), scores)


class TestPickARanking:
    @given(ballots(complete=True, strict=True))
    def test_is_the_best_of_the_input(self, drawn: tuple) -> None:
        data = make(drawn)
        pairs = Pairwise.from_rankings(data)
        costs = [pairs.cost([item for (item,) in order]) for order in drawn[1]]
        result = aggregate(data, "pick-a-ranking")
        assert result.cost == min(costs)
        assert [(item,) for item in result.ranking] in drawn[1]

    @given(rankings())
    def test_refines_an_input(self, data: Rankings) -> None:
        result = aggregate(data, "pick-a-ranking")
        place = {item: position for position, item in enumerate(result.ranking)}

        def refines(buckets: list) -> bool:
            ranked = [sorted(place[item] for item in bucket) for bucket in buckets]
            # Strictly rising from bucket to bucket, and all ranked before all others.
            flat = [position for bucket in ranked for position in bucket]
            return flat == list(range(len(flat)))

        # The run may stop early only with an optimum.
        assert any(refines(buckets) for buckets, _ in data)
        assert result.iterations == data.n_distinct or result.status == "optimal"

    def test_stops_at_a_target(self) -> None:
        data = Rankings.from_orders(
            [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], weights=[3, 3, 2]
        )
        result = aggregate(data, "pick-a-ranking", target=100)
        assert (result.ranking, result.iterations) == (("a", "b", "c"), 1)


def test_double_ranks() -> None:
    data = Rankings.from_orders([["a", ("b", "c"), "d"], [], ["d"], [("a", "b")]])
    assert scoring.double_ranks(data).tolist() == [2, 5, 5, 8, 2, 3, 3]
    empty = Rankings.from_orders([[]], items="a")
    assert scoring.double_ranks(empty).tolist() == []


def test_equal_scores_keep_the_order_of_items() -> None:
    assert scoring.by_score(np.array([1, 3, 1, 3])).tolist() == [1, 3, 0, 2]


@pytest.mark.parametrize("method", ["borda", "extended-borda", "copeland", "pick-a-ranking"])
def test_one_and_two_items(method: str) -> None:
    assert aggregate(Rankings.from_orders([["a"]]), method).ranking == ("a",)
    two = aggregate(Rankings.from_orders([["a", "b"], ["b", "a"], ["b", "a"]]), method)
    assert (two.ranking, two.cost, two.status) == (("b", "a"), 1, "optimal")


def test_methods_report_to_a_run() -> None:
    run = Run(Pairwise.from_matrix([[0, 1], [2, 0]]))
    scoring.borda(run, scoring.TieSettings())
    assert (run.order.tolist(), run.cost, run.is_optimal) == ([1, 0], 1, True)


SCORED = ["borda", "copeland", "css", "extended-borda", "mc4", "plackett-luce", "rrf"]


@pytest.mark.parametrize("method", SCORED)
class TestTies:
    def level(self) -> Rankings:
        """Return rankings in which all items are alike: who comes first is a matter of ties."""
        items = "abcdef"
        return Rankings.from_orders([list(items[k:] + items[:k]) for k in range(6)], items=items)

    def test_go_to_the_lower_number(self, method: str) -> None:
        result = aggregate(self.level(), method)
        assert result.ranking == tuple("abcdef")
        assert result.settings["ties"] == "number"

    def test_are_drawn_by_lot_where_asked(self, method: str) -> None:
        data = self.level()
        found = [aggregate(data, method, ties="lot", seed=seed).ranking for seed in range(12)]
        assert len({ranking[0] for ranking in found}) > 2
        again = [aggregate(data, method, ties="lot", seed=seed).ranking for seed in range(12)]
        assert found == again

    @given(data=rankings(kind="small", max_items=5), seed=st.integers(0, 9))
    def test_lots_keep_what_the_scores_say(self, method: str, data: Rankings, seed: int) -> None:
        drawn = aggregate(data, method, ties="lot", seed=seed)
        assert drawn.verify(data)
        if method in ("borda", "copeland"):
            counts = Pairwise.from_rankings(data).counts
            won = counts if method == "borda" else np.sign(counts - counts.T)
            scores = won.sum(axis=1) - won.sum(axis=0)
            order = Pairwise.from_rankings(data).order_of(drawn.ranking)
            assert (np.diff(scores[order]) <= 0).all()

    def test_other_rules_are_refused(self, method: str) -> None:
        with pytest.raises(SettingError, match="ties must be one of 'number', 'lot'"):
            aggregate(self.level(), method, ties="name")


@given(
    st.lists(st.integers(0, 40), max_size=60), st.integers(0, 2), st.integers(1, 9), st.booleans()
)
def test_pieces_by_value_sort_everything(values, least, size, histogram):
    array = np.array(values, np.int64)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scoring, "_SCANNED", 7)
        if not histogram:
            patch.setattr(scoring, "_HISTOGRAM", 0)
        pieces = [
            piece[np.argsort(-array[piece], kind="stable")].tolist()
            for piece in scoring.pieces_by_value(array, least, size, lambda: False)
        ]
        assert len(list(scoring.pieces_by_value(array, least, size, lambda: True))) <= 1
    expected = [k for k in np.argsort(-array, kind="stable").tolist() if values[k] >= least]
    assert [k for piece in pieces for k in piece] == expected
    assert all(pieces)


def test_counting_does_not_begin_without_the_time_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "LARGE", 5)
    monkeypatch.setattr(running, "_counted_at_once", ContextVar("counted", default=5))
    # Each pass over the matrix of ten items takes a second.
    monkeypatch.setattr(scoring, "_ENTRIES_PER_SECOND", 100)
    data = generate.uniform(10, 5, seed=1)
    for limit, passes, counted, in_time in (
        (0.9, 0, False, False),
        (1.5, 0, True, True),
        (1.5, 1, False, False),
        (3.5, 2, True, True),
    ):
        run = Run(data, rule=MaxTime(limit), clock=lambda: 0.0)
        assert counted_in_time(run, passes) is in_time
        assert run.is_counted is counted
        # Without the time, there is an answer already.
        assert (run.order is not None) is not in_time
    pairs = Run(Pairwise.from_rankings(data), rule=MaxTime(1.5), clock=lambda: 0.0)
    assert not counted_in_time(pairs, 2)
    assert pairs.order is not None
