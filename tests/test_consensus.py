"""Consensus: its numbers, JSON both ways, and what verify finds out."""

import copy
import dataclasses
import json
import math
import pickle
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concordant.aggregation import aggregate
from concordant.consensus import Consensus
from concordant.errors import InputError, VerificationError
from concordant.pairwise import Pairwise
from concordant.rankings import Rankings
from strategies import ODD_NAMES, brute_force, matrices, rankings

CYCLE = Rankings.from_orders(
    [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], weights=[3, 2, 2], items="abc"
)


def reloaded(result: Consensus, folder: Path) -> Consensus:
    result.save(folder / "result.json")
    return Consensus.load(folder / "result.json")


class TestNumbers:
    def test_distance_and_gap(self) -> None:
        result = aggregate(CYCLE)
        assert (result.cost, result.lower_bound, result.status) == (8, 8, "optimal")
        assert result.distance == 8 / 7
        assert result.gap == 0.0
        borda = aggregate(CYCLE, "borda")
        assert (borda.cost, borda.lower_bound, borda.status) == (8, 7, "feasible")
        assert borda.gap == 1 / 8

    def test_a_matrix_has_no_mean(self) -> None:
        result = aggregate([[0, 1], [2, 0]])
        assert result.distance is None
        assert (result.n_rankings, result.total_weight, result.unranked) == (None, None, None)

    def test_no_weight_at_all(self) -> None:
        result = aggregate(Rankings.from_orders([["a", "b"]], weights=[0]))
        assert (result.cost, result.distance, result.gap) == (0, 0.0, 0.0)

    @given(matrices(low=-3, high=3))
    def test_gaps_are_finite(self, matrix: np.ndarray) -> None:
        result = aggregate(matrix, "borda")
        assert math.isfinite(result.gap)
        assert (result.gap == 0) == (result.status == "optimal")
        json.dumps(result.to_dict(), allow_nan=False)

    def test_a_bound_that_floats_cannot_distinguish_from_the_cost(self) -> None:
        # A cycle with a margin of one unit in 2**60: feasible, and it must look so.
        w = Fraction(2**56, 3)
        orders = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
        data = Rankings.from_orders(orders, weights=[w, w, Fraction(1, 3)])
        result = aggregate(data, "borda")
        exact = Pairwise.from_rankings(data)
        assert exact.cost_units(exact.order_of(result.ranking)) > exact.lower_bound_units()
        assert result.status == "feasible"
        assert result.lower_bound < result.cost
        assert result.verify(data)


class TestFiles:
    @given(data=rankings(), method=st.sampled_from(["auto", "borda", "extended-borda"]))
    def test_round_trip(
        self, data: Rankings, method: str, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        folder = tmp_path_factory.getbasetemp()
        result = aggregate(data, method)
        again = reloaded(result, folder)
        assert again.ranking_of(data.items) == result.ranking
        assert again.winners is None or again.names_of(again.winners, data.items) == result.winners
        assert again.names_of(again.uncompared, data.items) == result.uncompared
        names = {name: getattr(result, name) for name in ("ranking", "winners", "uncompared")}
        assert dataclasses.replace(again, **names) == result
        assert again.verify(data)

    def test_odd_names(self, tmp_path: Path) -> None:
        day = np.datetime64("2024-02-29")
        names = [*ODD_NAMES, day, np.int64(77), float("inf"), 1e300, "x\ny\t\0"]
        data = Rankings.from_orders([[(name,) for name in names]])
        again = reloaded(aggregate(data), tmp_path)
        assert again.ranking_of(data.items) == data.items
        assert again.verify(data)
        text = (tmp_path / "result.json").read_text(encoding="utf-8")
        assert json.loads(text, parse_constant=pytest.fail)["ranking"][-3] == "inf"

    def test_names_that_differ_only_by_kind(self, tmp_path: Path) -> None:
        data = Rankings.from_orders([["1", 1, "x"]])
        again = reloaded(aggregate(data), tmp_path)
        assert again.ranking == ("1", 1, "x")
        assert again.verify(data)

    def test_what_the_command_line_prints_can_be_read(self, tmp_path: Path) -> None:
        result = aggregate(CYCLE)
        path = tmp_path / "printed.json"
        path.write_text(json.dumps(result.to_dict()))
        again = Consensus.load(path)
        assert dataclasses.replace(again, trace=result.trace) == result

    def test_the_facts_of_the_contract(self) -> None:
        facts = aggregate(CYCLE, seed=4).to_dict()
        assert list(facts)[:12] == [
            "ranking",
            "cost",
            "distance",
            "lower_bound",
            "gap",
            "status",
            "method",
            "seed",
            "elapsed",
            "n_items",
            "n_rankings",
            "total_weight",
        ]
        for key in ("cost", "seed", "n_items", "n_rankings", "total_weight"):
            assert type(facts[key]) is int, key
        for key in ("distance", "gap", "elapsed"):
            assert type(facts[key]) is float, key

    def test_buckets_are_kept(self, tmp_path: Path) -> None:
        result = dataclasses.replace(aggregate(CYCLE), buckets=(("a",), ("b", "c")))
        again = reloaded(result, tmp_path)
        assert again == result
        assert again.verify(CYCLE)

    def test_a_failed_save_keeps_the_old_file(self, tmp_path: Path) -> None:
        path = tmp_path / "result.json"
        path.write_text("mine")
        result = dataclasses.replace(aggregate(CYCLE), settings={"x": math.inf})
        with pytest.raises(ValueError, match="not JSON compliant"):
            result.save(path)
        assert path.read_text() == "mine"
        assert list(tmp_path.iterdir()) == [path]

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("", "not a result in JSON"),
            ("{\n1}", "line 2: not a result in JSON"),
            ("[]", "not a result of concordant"),
            ('{"format": "other"}', "not a result of concordant"),
            ('{"version": 99}', "newer version"),
            ('{"version": "1"}', "newer version"),
            ("{}", "'ranking' is missing"),
            ("[" * 100_000, "not a result in JSON"),
            ('{"cost": ' + "9" * 5000 + "}", "not a result in JSON"),
            ('{"cost": NaN}', "NaN is not a number"),
        ],
    )
    def test_files_that_are_not_results(self, text: str, words: str, tmp_path: Path) -> None:
        path = tmp_path / "bad.json"
        path.write_text(text)
        with pytest.raises(InputError, match=words) as caught:
            Consensus.load(path)
        assert str(caught.value).startswith(str(path))

    def test_files_that_cannot_be_read(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="there is no such file"):
            Consensus.load(tmp_path / "missing.json")
        with pytest.raises(InputError, match="is a folder"):
            Consensus.load(tmp_path)
        (tmp_path / "latin").write_bytes(b'{"status": "\xe9"}')
        with pytest.raises(InputError, match="not a result in JSON"):
            Consensus.load(tmp_path / "latin")

    @pytest.mark.parametrize(
        ("key", "value", "words"),
        [
            ("ranking", "abc", "flat list of items"),
            ("ranking", [["a"], "b", "c"], "flat list of items"),
            ("cost", "8", "a number, not '8'"),
            ("cost", True, "a number"),
            ("cost", 1e999, "not a number"),
            ("cost", 10**400, "a number"),
            ("lower_bound", None, "a number"),
            ("status", 1, "a text"),
            ("method", None, "a text"),
            ("seed", 1.5, "a whole number"),
            ("elapsed", [], "a number"),
            ("n_items", "3", "a whole number"),
            ("n_rankings", 2.5, "a whole number or null"),
            ("total_weight", "7", "a number or null"),
            ("unranked", 3, "a text or null"),
            ("iterations", "many", "a whole number"),
            ("generations", None, "a whole number"),
            ("interrupted", 0, "true or false"),
            ("settings", [], "an object"),
            ("buckets", ["a"], "a list of lists"),
            ("trace", [[1, 2, 3]], "a list of"),
            ("trace", 5, "a list of"),
            ("gap", "0", "a number"),
            ("distance", False, "a number"),
        ],
    )
    def test_values_of_the_wrong_kind(
        self, key: str, value: object, words: str, tmp_path: Path
    ) -> None:
        path = tmp_path / "result.json"
        aggregate(CYCLE).save(path)
        facts = json.loads(path.read_text())
        facts[key] = value
        path.write_text(json.dumps(facts))
        with pytest.raises(InputError, match=words):
            Consensus.load(path)

    @pytest.mark.parametrize("key", [f.name for f in dataclasses.fields(Consensus)])
    def test_missing_values(self, key: str, tmp_path: Path) -> None:
        path = tmp_path / "result.json"
        aggregate(CYCLE).save(path)
        facts = json.loads(path.read_text())
        facts.pop(key, None)
        path.write_text(json.dumps(facts))
        required = {
            f.name
            for f in dataclasses.fields(Consensus)
            if f.default is dataclasses.MISSING and f.default_factory is dataclasses.MISSING
        }
        if key in required:
            with pytest.raises(InputError, match=f"{key!r} is missing"):
                Consensus.load(path)
        else:
            assert Consensus.load(path).cost == 8


class TestVerify:
    @given(rankings(), st.sampled_from(["auto", "borda", "copeland", "pick-a-ranking"]))
    def test_true_results_hold(self, data: Rankings, method: str) -> None:
        result = aggregate(data, method)
        assert result.verify(data)
        assert result.verify(Pairwise.from_rankings(data))

    @given(matrices(max_items=6))
    def test_a_bound_above_the_optimum_does_not_hold(self, matrix: np.ndarray) -> None:
        best = brute_force(matrix)[0]
        result = aggregate(matrix, "borda")
        assert result.verify(matrix)
        claim = dataclasses.replace(result, lower_bound=result.cost, status="optimal")
        if result.cost > best:
            with pytest.raises(VerificationError, match=f"there is a ranking of cost {best}"):
                claim.verify(matrix)
        else:
            assert claim.verify(matrix)

    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"ranking": ("b", "a", "c")}, "has cost 8, but the data gives 11"),
            ({"ranking": ("a", "b")}, "3 items once; it has 2, and not 'c'"),
            ({"ranking": ("a", "b", "z")}, "unknown item: 'z'"),
            ({"ranking": ("a", "b", "b")}, "'b' twice"),
            ({"cost": 7}, "has cost 7, but the data gives 8"),
            ({"lower_bound": 9}, "lower bound 9 is above the cost 8"),
            ({"lower_bound": 7}, "'optimal' does not agree with cost 8 and lower bound 7"),
            ({"lower_bound": 6, "status": "feasible"}, "bound 6, but the pairs alone prove 7"),
            ({"status": "feasible"}, "'feasible' does not agree"),
            ({"status": "perfect"}, "unknown status 'perfect'"),
            ({"n_items": 4}, "ranks 4 items, but the data has 3"),
            ({"n_rankings": 4}, "n_rankings = 4, but the data has 3"),
            ({"n_rankings": None}, "n_rankings = None, but the data has 3"),
            ({"total_weight": 8}, "total_weight = 8, but the data has 7"),
            ({"unranked": "last"}, "unranked = last, but the data has unknown"),
            ({"elapsed": -1.0}, "elapsed -1.0 is negative"),
            ({"seed": -1}, "seed -1 is negative"),
            ({"iterations": -1}, "iterations -1 is negative"),
            ({"generations": -1}, "generations -1 is negative"),
            ({"buckets": (("a",), ("b",))}, "buckets do not have the same items"),
            ({"buckets": (("a",), ("b", "d"))}, "buckets do not have the same items"),
            ({"trace": ((0.1, 1, 9, 7),)}, "trace ends at cost 9, but the result has 8"),
            ({"trace": ((0.1, 1, 7, 7), (0.2, 2, 8, 7))}, "in the trace"),
            ({"trace": ((0.2, 1, 9, 7), (0.1, 2, 8, 7))}, "in the trace"),
            ({"trace": ((0.1, 1, 9, 8), (0.2, 2, 8, 7))}, "in the trace"),
        ],
    )
    def test_changed_values_are_found(self, changes: dict, words: str) -> None:
        result = aggregate(CYCLE)
        assert result.verify(CYCLE)
        with pytest.raises(VerificationError, match=words):
            dataclasses.replace(result, **changes).verify(CYCLE)

    def test_other_data_is_found(self) -> None:
        result = aggregate(CYCLE)
        other = Rankings.from_orders(
            [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]], weights=[2, 3, 2], items="abc"
        )
        with pytest.raises(VerificationError, match="cost"):
            result.verify(other)

    def test_a_false_optimum_of_a_large_component_is_refuted(self) -> None:
        # 40 items in one cycle, too many to solve by subsets.
        m = 40
        matrix = np.triu(np.full((m, m), 2), 1)
        matrix[m - 1, 0] = 5
        result = aggregate(matrix, "borda")
        claim = dataclasses.replace(result, lower_bound=result.cost, status="optimal")
        with pytest.raises(VerificationError, match="there is a ranking of cost 5"):
            claim.verify(matrix)

    def test_a_false_claim_to_be_the_only_one_is_refuted(self) -> None:
        tied = Rankings.from_orders([["a", "b"], ["b", "a"]])
        claim = dataclasses.replace(aggregate(tied), is_unique=True)
        with pytest.raises(VerificationError, match="there are other rankings"):
            claim.verify(tied)

    def test_a_false_claim_about_a_cycle_is_refuted(self) -> None:
        # No two neighbours are tied, and yet there are three best rankings.
        cycle = Rankings.from_orders([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])
        result = aggregate(cycle)
        assert (result.is_unique, result.winners) == (False, ("a", "b", "c"))
        with pytest.raises(VerificationError, match="there are other rankings"):
            dataclasses.replace(result, is_unique=True).verify(cycle)
        with pytest.raises(VerificationError, match="first in optimal rankings"):
            dataclasses.replace(result, winners=result.ranking[:1]).verify(cycle)
        with pytest.raises(VerificationError, match="not items"):
            dataclasses.replace(result, winners=("a", "x")).verify(cycle)

    @pytest.mark.parametrize(("key", "value"), [("gap", 0.5), ("distance", 1.0), ("gap", None)])
    def test_a_file_with_a_false_gap_or_distance_is_refused(
        self, key: str, value: float | None, tmp_path: Path
    ) -> None:
        path = tmp_path / "result.json"
        aggregate(CYCLE).save(path)
        assert Consensus.load(path).verify(CYCLE)
        facts = json.loads(path.read_text())
        path.write_text(json.dumps({**facts, key: value}))
        with pytest.raises(VerificationError, match=f"has {key}"):
            Consensus.load(path).verify(CYCLE)

    def test_shows_what_it_proved(self) -> None:
        found = aggregate(CYCLE).verify(CYCLE)
        assert found
        assert (found.bound_proven, found.by_certificate) == (True, False)
        assert not aggregate(CYCLE, "borda").verify(CYCLE).by_certificate

    def test_bad_matrices_are_bad_input(self) -> None:
        with pytest.raises(InputError, match="square"):
            aggregate(CYCLE).verify([[1, 2]])  # type: ignore[arg-type]


class TestObject:
    def test_immutable(self) -> None:
        result = aggregate(CYCLE)
        with pytest.raises(dataclasses.FrozenInstanceError):
            result.cost = 0  # type: ignore[misc]
        with pytest.raises((AttributeError, TypeError)):
            result.extra = 0  # type: ignore[attr-defined]

    @pytest.mark.parametrize(
        "copied", [copy.copy, copy.deepcopy, lambda r: pickle.loads(pickle.dumps(r))]
    )
    def test_copies(self, copied: object) -> None:
        result = aggregate(CYCLE)
        again = copied(result)  # type: ignore[operator]
        assert again == result
        assert hash(again) == hash(result)
        assert again.verify(CYCLE)

    def test_repr_is_short(self) -> None:
        result = aggregate(Rankings.from_orders([list(range(500))]))
        assert repr(result) == "Consensus(0 > 1 > 2 > 3 > 4 > … (500 items), cost 0, optimal)"
        assert repr(aggregate(CYCLE, "borda")) == (
            "Consensus(a > b > c, cost 8, lower bound 7, feasible)"
        )

    def test_html_is_escaped(self) -> None:
        result = aggregate(Rankings.from_orders([["<script>", "&"]], weights=[0.5]))
        shown = dataclasses.replace(result, status="<i>")._repr_html_()
        assert "<script>" not in shown
        assert "<i>" not in shown
        assert "<td>1</td><td>&lt;script&gt;</td>" in shown
        long = aggregate(Rankings.from_orders([list(range(500))]))._repr_html_()
        assert "… 400 more" in long
        assert long.count("<tr>") == 102

    def test_trace_points_are_times_iterations_costs_and_bounds(self) -> None:
        data = Rankings.from_orders([["a", "b", "c", "d"], ["d", "c", "b", "a"]], weights=[2, 3])
        result = aggregate(data, "pick-a-ranking")
        assert [point[2] for point in result.trace][-1] == result.cost
        assert all(len(point) == 4 for point in result.trace)
        assert all(point[3] <= point[2] for point in result.trace)


@given(rankings(), st.booleans())
@settings(max_examples=30)
def test_the_agreement_is_the_sum_above_the_diagonal(data: Rankings, as_matrix: bool) -> None:
    pairs = Pairwise.from_rankings(data)
    result = aggregate(pairs if as_matrix else data, "borda")
    order = pairs.order_of(result.ranking)
    above = int(np.triu(pairs.counts[np.ix_(order, order)], 1).sum())
    assert result.agreement == pairs.value(above)
    assert result.agreement_bound == result.agreement + result.cost - result.lower_bound
    assert result.verify(pairs if as_matrix else data)
    # Constraints do not change what the votes are worth.
    forced = aggregate(data, last=[data.items[0]])
    order = pairs.order_of(forced.ranking)
    assert forced.agreement == pairs.value(int(np.triu(pairs.counts[np.ix_(order, order)]).sum()))


def test_a_false_agreement_is_found() -> None:
    matrix = [[0, 2, 1], [1, 0, 2], [2, 1, 0]]
    result = aggregate(matrix)
    assert Consensus.from_dict(result.to_dict()).agreement == result.agreement == 5
    with pytest.raises(VerificationError, match="agreement 6, but the data gives 5"):
        dataclasses.replace(result, agreement=6).verify(matrix)
    facts = {key: value for key, value in result.to_dict().items() if key != "agreement"}
    assert Consensus.from_dict(facts).verify(matrix), "older files do not have it"
    assert aggregate(matrix, ties=True).agreement is None
