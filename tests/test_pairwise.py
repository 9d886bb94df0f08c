"""Pairwise counts: against the definition, additive, exact, and refused where not exact."""

import copy
import dataclasses
import itertools
import pickle
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import concordant as cc
from concordant import distances, pairwise
from concordant.counting import pairs as counting
from concordant.errors import InputError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from strategies import (
    ballots,
    brute_force,
    buckets,
    count_by_definition,
    exact_counts,
    exact_weight,
    make,
    matrices,
    rankings,
)


@pytest.fixture(autouse=True, scope="module", params=["plain", "compiled"])
def implementation(request: pytest.FixtureRequest) -> Iterator[None]:
    """Run every test with the plain code for small data, and with the kernels for large."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param == "compiled":
            patch.setattr(counting, "_PLAIN_PAIRS", 0)
            patch.setattr(pairwise, "_PLAIN_ITEMS", 0)
        yield


def random_batch(
    seed: int, m: int, lengths: list[int], unranked: str, ties: bool = True, heavy: bool = False
) -> tuple:
    """Make rankings of the lengths given, as `ballots` would draw them."""
    rng = np.random.default_rng(seed)
    orders = []
    for length in lengths:
        order = rng.permutation(m)[:length].tolist()
        ranking: list[list[int]] = []
        for item in order:
            if ties and ranking and rng.random() < 0.3:
                ranking[-1].append(item)
            else:
                ranking.append([item])
        orders.append([tuple(bucket) for bucket in ranking])
    high = 2**35 if heavy else 5
    weights = rng.integers(0, high, len(lengths)).tolist()
    return list(range(m)), orders, weights, unranked


class TestCounting:
    @given(ballots(max_items=8))
    def test_definition(self, drawn: tuple) -> None:
        pairs = Pairwise.from_rankings(make(drawn))
        assert exact_counts(pairs) == count_by_definition(drawn)
        assert pairs.items == tuple(drawn[0])
        assert pairs.n_rankings == len(drawn[1])
        assert pairs.unranked == drawn[3]
        assert Fraction(pairs.total_units, pairs.scale) == sum(map(exact_weight, drawn[2]))

    # Short rankings of many items go pair by pair, long ones by dense rows.
    @pytest.mark.parametrize("unranked", ["unknown", "last"])
    @pytest.mark.parametrize("heavy", [False, True])
    @pytest.mark.parametrize("n_jobs", [1, 2])
    @pytest.mark.parametrize(
        "lengths",
        [[0, 1, 2, 3, 5] * 3, [70] * 6, [20, 50, 69, 70], [0, 1, 4, 30, 70, 3, 69]],
        ids=["short", "complete", "long", "mixed"],
    )
    def test_kernels(self, unranked: str, heavy: bool, n_jobs: int, lengths: list[int]) -> None:
        # 70 items take two tasks of rows.
        drawn = random_batch(1, 70, lengths, unranked, heavy=heavy)
        pairs = Pairwise.from_rankings(make(drawn), n_jobs=n_jobs)
        assert exact_counts(pairs) == count_by_definition(drawn)

    def test_weights_that_only_add_up_beyond_32_bits(self) -> None:
        orders = [list(order) for order in itertools.permutations(range(4))][:6]
        data = Rankings.from_orders(orders, weights=[2**30] * 6)
        assert data.n_distinct == 6
        expected = sum(
            Pairwise.from_rankings(Rankings.from_orders([o])).restrict(range(4)).counts
            for o in orders
        )
        assert (Pairwise.from_rankings(data).counts == expected * 2**30).all()

    @pytest.mark.parametrize("weight", [2**31 - 1, 2**31, 2**32, 2**56])
    def test_one_heavy_ranking(self, weight: int) -> None:
        data = Rankings.from_orders([["a", "b"], ["b", "a"]], weights=[weight, 1])
        assert Pairwise.from_rankings(data).counts.tolist() == [[0, weight], [1, 0]]

    @pytest.mark.parametrize("ranks", [1, 70, 200])
    def test_rankings_in_several_parts(self, ranks: int, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(counting, "_RANKS", ranks)
        drawn = random_batch(2, 70, [70, 40, 60, 3, 50, 70, 69, 0, 35], "last")
        pairs = Pairwise.from_rankings(make(drawn), n_jobs=2)
        assert exact_counts(pairs) == count_by_definition(drawn)

    @given(ballots(max_items=5, kind="small"))
    def test_merging_changes_nothing(self, drawn: tuple) -> None:
        items, orders, weights, unranked = drawn
        data = make(drawn)
        merged = Pairwise.from_rankings(data)
        # The same without merging: every ranking counted alone, and added.
        alone = [make((items, [o], [w], unranked)) for o, w in zip(orders, weights, strict=True)]
        assert sum(Pairwise.from_rankings(one) for one in alone) == merged

    @given(ballots(), st.randoms(use_true_random=False))
    def test_relabelling(self, drawn: tuple, random: object) -> None:
        items, orders, weights, unranked = drawn
        shuffled = list(items)
        random.shuffle(shuffled)  # type: ignore[attr-defined]
        pairs = Pairwise.from_rankings(make(drawn))
        other = Pairwise.from_rankings(make((shuffled, orders, weights, unranked)))
        assert other.restrict(items) == pairs
        assert other.lower_bound() == pairs.lower_bound()
        assert other.cost(items) == pairs.cost(items)

    def test_all_tied_and_nothing_ranked(self) -> None:
        for data in (
            Rankings.from_orders([[("a", "b", "c")]]),
            Rankings.from_orders([[]], items="abc"),
            Rankings.from_orders([[]], items="abc", unranked="last"),
        ):
            assert not Pairwise.from_rankings(data).counts.any()

    def test_one_item(self) -> None:
        pairs = Pairwise.from_rankings(Rankings.from_orders([["a"]] * 3))
        assert pairs.counts.tolist() == [[0]]
        assert (pairs.cost(["a"]), pairs.lower_bound(), pairs.total_weight) == (0, 0, 3)


class TestAdding:
    @given(st.data())
    def test_batches_add_up(self, data: st.DataObject) -> None:
        items, orders, weights, unranked = data.draw(ballots(kind="decimal"))
        more = [data.draw(buckets(items)) for _ in range(data.draw(st.integers(1, 4)))]
        # Thirds beside thousandths: the scales differ.
        thirds = [Fraction(data.draw(st.integers(0, 9)), 3) for _ in more]
        first = Pairwise.from_rankings(make((items, orders, weights, unranked)))
        second = Pairwise.from_rankings(make((list(reversed(items)), more, thirds, unranked)))
        whole = make((items, orders + more, [*map(exact_weight, weights), *thirds], unranked))
        assert first + second == Pairwise.from_rankings(whole)
        assert (second + first).restrict(items) == Pairwise.from_rankings(whole)

    def test_what_is_not_known_of_one_is_not_known_of_the_sum(self) -> None:
        counted = Pairwise.from_rankings(Rankings.from_ranks([[1, 2]]))
        total = counted + Pairwise.from_matrix([[0, 1], [0.5, 0]])
        assert (total.total_weight, total.n_rankings, total.unranked) == (None, None, "unknown")
        assert exact_counts(total) == [[0, 2], [Fraction(1, 2), 0]]

    def test_kinds_of_unranked(self) -> None:
        unknown = Pairwise.from_rankings(Rankings.from_orders([["a"]], items="ab"))
        last = Pairwise.from_rankings(Rankings.from_orders([["a"]], items="ab", unranked="last"))
        assert (unknown + last).unranked is None
        assert (last + last).unranked == "last"

    def test_a_new_item(self) -> None:
        one, two = Rankings.from_orders([["a", "b"]]), Rankings.from_orders([["c", "a"]])
        total = Pairwise.from_rankings(one) + Pairwise.from_rankings(two)
        assert total == Pairwise.from_batches([one, two])
        assert Pairwise.from_rankings(one) + two == total
        assert total.items == ("a", "b", "c")

    def test_refusals(self) -> None:
        pairs = Pairwise.from_matrix([[0, 1], [2, 0]], items="ab")
        with pytest.raises(InputError, match="be subtracted; only the second has 'c'"):
            pairs - Pairwise.from_matrix(np.zeros((3, 3), int), items="abc")
        big = Pairwise.from_matrix([[0, 2**59], [2, 0]], items="ab")
        with pytest.raises(InputError, match=r"too large to add up exactly.*common factor"):
            big + big
        for other in (1, None, [[0, 1], [2, 0]]):
            with pytest.raises(TypeError):
                pairs + other  # type: ignore[operator]
            with pytest.raises(TypeError):
                other + pairs  # type: ignore[operator]

    def test_sum_of_scales_is_refused_when_it_does_not_fit(self) -> None:
        fine = Pairwise.from_matrix([[0, Fraction(1, 2**40)], [0, 0]])
        big = Pairwise.from_matrix([[0, 2**40], [0, 0]])
        with pytest.raises(InputError, match="too large"):
            fine + big


class TestCost:
    @given(st.data())
    def test_equals_the_distances(self, data: st.DataObject) -> None:
        votes = data.draw(rankings())
        order = data.draw(st.permutations(votes.items))
        pairs = Pairwise.from_rankings(votes)
        # As buckets of one, so that an item that is a tuple is not read as a tie.
        told = [(item,) for item in order]
        assert pairs.cost(order) == distances.total_distance(told, votes)
        mean = pairs.cost(order) / votes.total_weight if votes.total_weight else 0.0
        assert mean == pytest.approx(distances.mean_distance(told, votes), rel=1e-12)

    @given(matrices(max_items=6))
    def test_definition_and_bound(self, matrix: np.ndarray) -> None:
        pairs = Pairwise.from_matrix(matrix)
        m = pairs.n_items
        order = np.random.default_rng(m).permutation(m)
        expected = sum(int(matrix[b, a]) for a, b in itertools.combinations(order, 2))
        assert pairs.cost_units(order) == expected
        assert pairs.cost_units(order.astype(np.int32)) == expected
        assert pairs.lower_bound_units() <= brute_force(matrix)[0]
        # On two items the bound is the optimum.
        for a, b in itertools.combinations(range(m), 2):
            two = pairs.restrict([str(a + 1), str(b + 1)])
            assert two.lower_bound() == brute_force(two.counts)[0]

    def test_integers_stay_integers_and_decimals_become_floats(self) -> None:
        whole = Pairwise.from_matrix([[0, 2**53 + 1], [0, 0]])
        assert whole.cost(["2", "1"]) == 2**53 + 1
        assert isinstance(whole.cost(["2", "1"]), int)
        tenth = Pairwise.from_matrix([[0, 0.1, 0.2], [0, 0, 0], [0, 0, 0]])
        # 0.1 + 0.2 is three tenths here, not what floats make of it.
        assert tenth.cost(["2", "3", "1"]) == 0.3

    @pytest.mark.parametrize(
        ("ranking", "words"),
        [
            (["a", "b"], "place each of the 3 items once; it has 2, and not 'c'"),
            (["a", "b", "b"], "has item 'b' twice"),
            (["a", "b", "z"], "unknown item: 'z'"),
            (["a", ["b", "c"]], "flat list, without ties"),
            (7, "list of items, best first, not 7"),
        ],
    )
    def test_refusals(self, ranking: object, words: str) -> None:
        pairs = Pairwise.from_matrix(np.zeros((3, 3), int), items="abc")
        with pytest.raises(InputError, match=words):
            pairs.cost(ranking)  # type: ignore[arg-type]


class TestMatrix:
    def test_the_diagonal_is_ignored(self) -> None:
        expected = Pairwise.from_matrix([[0, 1], [2, 0]])
        for diagonal in (7, 0.123456789, np.nan, np.inf, 2**62, -(2**63)):
            assert Pairwise.from_matrix([[diagonal, 1], [2, diagonal]]) == expected

    def test_the_matrix_of_the_caller_is_copied(self) -> None:
        matrix = np.array([[5, 1], [2, 5]])
        pairs = Pairwise.from_matrix(matrix)
        matrix[0, 1] = 9
        assert pairs.counts.tolist() == [[0, 1], [2, 0]]
        assert matrix.flags.writeable
        assert matrix[0, 0] == 5

    def test_decimals(self) -> None:
        pairs = Pairwise.from_matrix([[0, -1.25], [0.5, 0]])
        assert exact_counts(pairs) == [[0, Fraction(-5, 4)], [Fraction(1, 2), 0]]
        large = Pairwise.from_matrix([[0, 2**53 + 1], [0.5, 0]])
        assert exact_counts(large) == [[0, 2**53 + 1], [Fraction(1, 2), 0]]

    def test_names(self) -> None:
        assert Pairwise.from_matrix([[0, 1], [2, 0]]).items == ("1", "2")
        assert Pairwise.from_matrix([[0]], items=[None]).items == (None,)

    def test_bare_matrices_know_no_rankings(self) -> None:
        pairs = Pairwise.from_matrix([[0, 1], [2, 0]])
        assert (pairs.n_rankings, pairs.total_weight, pairs.unranked) == (None, None, None)

    @pytest.mark.parametrize(
        ("matrix", "words"),
        [
            ([[0, 1, 2], [3, 4, 5]], "must be square, not 2 × 3"),
            ([[0, 1], [2]], "ragged"),
            ([1, 2], "must be square, not 2"),
            (5, "must be square, not a single number"),
            (np.zeros((0, 0)), "no item"),
            ([[0, np.nan], [0, 0]], "row 1, column 2: matrix entry nan is not finite"),
            ([[0, 0], [-np.inf, 0]], "row 2, column 1: matrix entry -inf is not finite"),
            ([[0, None], [0, 0]], "row 1, column 2: matrix entry None is not a number"),
            ([["0", "x"], ["1", "0"]], "must be a number"),
            ([[0, 2**60], [0, 0]], "too large to add up exactly.*common factor"),
            (np.array([[0, -(2**63)], [0, 0]]), "row 1, column 2: .*too large"),
            (np.array([[0, 2**63], [0, 0]], np.uint64), "row 1, column 2: .*too large"),
            ([[0, 1e-30], [1, 0]], "round them to fewer decimals"),
        ],
    )
    def test_refusals(self, matrix: object, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Pairwise.from_matrix(matrix)

    def test_names_must_fit(self) -> None:
        with pytest.raises(InputError, match="3 item names for a matrix of 2 rows"):
            Pairwise.from_matrix([[0, 1], [2, 0]], items="abc")
        with pytest.raises(InputError, match="'a' is listed twice"):
            Pairwise.from_matrix([[0, 1], [2, 0]], items="aa")

    def test_too_much_weight_is_refused_not_wrapped(self) -> None:
        data = Rankings.from_orders([["a", "b"]] * 2, weights=[2**60, 1])
        with pytest.raises(InputError, match=r"units of 1/1 over 2 items is too large.*decimals"):
            Pairwise.from_rankings(data)
        # The largest that fits is counted exactly.
        largest = 2**60 - 1
        pairs = Pairwise.from_rankings(Rankings.from_orders([["a", "b"]], weights=[largest]))
        assert pairs.cost(["b", "a"]) == largest


class TestRestricting:
    @given(st.data())
    def test_pairs_of_the_rest_stay(self, data: st.DataObject) -> None:
        votes = data.draw(rankings(min_items=2))
        pairs = Pairwise.from_rankings(votes)
        chosen = data.draw(st.permutations(votes.items))
        chosen = chosen[: data.draw(st.integers(1, len(chosen)))]
        part = pairs.restrict(chosen)
        index = {item: number for number, item in enumerate(votes.items)}
        for i, a in enumerate(chosen):
            for j, b in enumerate(chosen):
                assert part.counts[i, j] == pairs.counts[index[a], index[b]]
        assert (part.scale, part.total_units) == (pairs.scale, pairs.total_units)
        assert (part.n_rankings, part.unranked) == (pairs.n_rankings, pairs.unranked)

    @pytest.mark.parametrize(
        ("items", "words"),
        [
            (["a", "z"], "no item 'z' to restrict to"),
            (["a", "a"], "'a' is listed twice"),
            ([], "no item to rank"),
            ([["a"]], "cannot be used"),
        ],
    )
    def test_refusals(self, items: list, words: str) -> None:
        with pytest.raises(InputError, match=words):
            Pairwise.from_matrix([[0, 1], [2, 0]], items="ab").restrict(items)


class TestObject:
    @pytest.mark.parametrize(
        "copied",
        [
            lambda pairs: pairs,
            copy.copy,
            copy.deepcopy,
            lambda pairs: pickle.loads(pickle.dumps(pairs)),
            lambda pairs: pairs.restrict(pairs.items),
            lambda pairs: pairs + Pairwise.from_matrix([[0, 0], [0, 0]], items="ab"),
        ],
    )
    def test_immutable(self, copied: object) -> None:
        pairs = Pairwise.from_matrix([[0, 0.5], [2, 0]], items="ab")
        again = copied(pairs)  # type: ignore[operator]
        assert again == pairs
        with pytest.raises(ValueError, match="read-only"):
            again.counts[0, 1] = 1
        with pytest.raises(dataclasses.FrozenInstanceError):
            again.scale = 3
        with pytest.raises(TypeError, match="unhashable"):
            hash(again)

    def test_equality_is_by_value(self) -> None:
        half = Pairwise.from_matrix([[0, 0.5], [1, 0]])
        same = Pairwise.from_matrix([[0, Fraction(1, 2)], [1, 0]])
        assert half.scale != same.scale
        assert half == same
        assert half != Pairwise.from_matrix([[0, 0.5], [2, 0]])
        assert half != Pairwise.from_matrix([[0, 0.5], [1, 0]], items="ab")
        assert half != "Pairwise"
        once = Pairwise.from_rankings(Rankings.from_orders([["a", "b"]], weights=[2]))
        twice = Pairwise.from_rankings(Rankings.from_orders([["a", "b"]] * 2))
        assert (once.counts == twice.counts).all()
        assert once != twice

    def test_equality_does_not_overflow(self) -> None:
        # Times the other's scale, both sides would wrap to the same number.
        one = Pairwise(("a", "b"), np.array([[0, 2**40], [0, 0]]), 2**30)
        other = Pairwise(("a", "b"), np.array([[0, 2**41], [0, 0]]), 2**30)
        assert one != other
        assert one == Pairwise.from_matrix([[0, 2**10], [0, 0]], items="ab")

    def test_repr(self) -> None:
        assert repr(Pairwise.from_matrix(np.zeros((1200, 1200), int))) == "Pairwise(1,200 items)"
        assert repr(Pairwise.from_matrix([[0]])) == "Pairwise(1 item)"


def test_lower_bound_of_many_items_takes_the_cheaper_side_of_each_pair() -> None:
    counts = np.random.default_rng(1).integers(-5, 50, (600, 600))
    np.fill_diagonal(counts, 0)
    cheaper = np.triu(np.minimum(counts, counts.T), 1).sum()
    assert Pairwise.from_matrix(counts).lower_bound() == cheaper


class TestFrames:
    """The labels of a pandas matrix are the items."""

    def test_labels_are_items(self) -> None:
        pd = pytest.importorskip("pandas")
        frame = pd.DataFrame([[0, 5, 2], [1, 0, 3], [4, 6, 0]], list("xyz"), list("xyz"))
        pairs = Pairwise.from_matrix(frame)
        assert (pairs.items, pairs.counts.tolist()) == (("x", "y", "z"), frame.values.tolist())
        assert Pairwise.from_matrix(frame[["z", "x", "y"]]) == pairs
        assert Pairwise.from_matrix(frame, items="zxy") == pairs.restrict("zxy")
        assert set(cc.aggregate(frame).ranking) == set("xyz")

    def test_frames_without_labels(self) -> None:
        pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
        matrix = [[0, 5], [1, 0]]
        for frame in (pd.DataFrame(matrix), pl.DataFrame(matrix, orient="row")):
            assert Pairwise.from_matrix(frame) == Pairwise.from_matrix(matrix)
            assert Pairwise.from_matrix(frame, items="ab").items == ("a", "b")

    def test_labels_that_differ(self) -> None:
        pd = pytest.importorskip("pandas")
        matrix = [[0, 5], [1, 0]]
        frame = pd.DataFrame(matrix, ["a", "b"], ["a", "c"])
        with pytest.raises(InputError, match=r"columns \(second\) .* only the second has 'c'"):
            Pairwise.from_matrix(frame)
        with pytest.raises(InputError, match="only the first has 0, 1"):
            Pairwise.from_matrix(pd.DataFrame(matrix, columns=["a", "b"]))
        with pytest.raises(InputError, match="only the second has 'c'"):
            Pairwise.from_matrix(pd.DataFrame(matrix, ["a", "b"], ["a", "b"]), items="ac")
        with pytest.raises(InputError, match="listed twice"):
            Pairwise.from_matrix(pd.DataFrame(matrix, ["a", "a"], ["a", "a"]))
        with pytest.raises(InputError, match="must be square, not 1 × 2"):
            Pairwise.from_matrix(pd.DataFrame([[1, 2]], ["a"], ["a", "b"]))
