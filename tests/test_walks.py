"""Half sums of triangles along odd walks: valid, violated where found, and checked on their own."""

from __future__ import annotations

import json
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concordant import VerificationError, certificate
from concordant.bounds import prover as proving
from concordant.bounds import tree
from concordant.bounds.ascent import Ascent
from concordant.bounds.prover import Prover
from concordant.bounds.walks import HalfSums, Halves, find_half_sums
from concordant.certificate import KINDS, check, optimum_by_subsets
from concordant.pairwise import Pairwise

BUDGET = 1 << 60


def tournament(m: int, seed: int) -> np.ndarray:
    above = np.triu(np.random.default_rng(seed).integers(0, 2, (m, m)), 1)
    return above + np.triu(1 - above, 1).T


def fractional(m: int, seed: int) -> np.ndarray:
    """Pair values at which no triangle is violated by much."""
    counts = tournament(m, seed)
    ascent = Ascent(np.triu(counts.T - counts, 1))
    for _ in range(60):
        for _ in ascent.round():
            pass
    return ascent.x


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_every_order_obeys_a_half_sum_of_any_cycles(data: st.DataObject) -> None:
    m = 5
    cycle = st.permutations(range(m)).map(lambda order: order[:3])
    cycles = data.draw(st.lists(cycle, min_size=1, max_size=7))
    odd: dict[tuple[int, int], int] = {}
    for a, b, c in cycles:
        for pair in ((a, b), (b, c), (c, a)):
            odd[min(pair), max(pair)] = odd.get((min(pair), max(pair)), 0) + 1
    candidates = sorted(pair for pair, times in odd.items() if times % 2)
    up = [pair for pair in candidates if data.draw(st.booleans())]
    row = [2, len(cycles), *(a for each in cycles for a in each), *(a for pair in up for a in pair)]
    reduced = np.zeros((m, m), np.int64)
    charge, used = KINDS["half"]([row], reduced, BUDGET)
    assert used >= int(np.abs(reduced).sum())
    for order in permutations(range(m)):
        rank = np.argsort(order)
        assert int(reduced[rank[:, None] < rank].sum()) <= charge


@pytest.mark.parametrize("seed", range(3))
def test_what_is_found_is_violated_and_the_checker_adds_the_same(seed: int) -> None:
    m = 40
    x = fractional(m, seed)
    found = find_half_sums(x, HalfSums.none(), 400, 1)
    assert len(found) > 0
    lhs = np.add.reduceat(found.values * x.reshape(-1)[found.pairs], found.starts[:-1])
    assert (lhs - found.constants >= 0.03 - 1e-9).all()
    assert len(set(found.keys.tolist())) == len(found)
    again = find_half_sums(x, found, 400, 1)
    assert not set(again.keys.tolist()) & set(found.keys.tolist())
    halves = Halves(found, np.arange(1, len(found) + 1), m)
    ours, theirs = np.zeros((m, m), np.int64), np.zeros((m, m), np.int64)
    charge = halves.charge(ours)
    rows = json.loads(json.dumps(halves.rows()))
    assert KINDS["half"](rows, theirs, BUDGET)[0] == charge
    assert (ours == theirs).all()
    some = found.kept(np.arange(len(found)) % 2 == 0).joined(
        found.kept(np.arange(len(found)) % 2 == 1)
    )
    assert sorted(some.keys.tolist()) == sorted(found.keys.tolist())


@pytest.fixture
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_VISITS", 0)


@pytest.mark.usefixtures("early")
@pytest.mark.parametrize("seed", range(4))
def test_a_tree_with_half_sums_proves_the_optimum(seed: int) -> None:
    counts = tournament(17, seed)
    prover = Prover(Pairwise.from_matrix(counts), by_subsets=False)
    prover.work()
    proof = json.loads(json.dumps(prover.proof().certificate()))
    assert prover.cost == optimum_by_subsets(counts) == check(proof, counts)


@pytest.mark.usefixtures("early")
def test_changed_half_sums_are_refused() -> None:
    m = 26
    counts = tournament(m, 1)
    prover = Prover(Pairwise.from_matrix(counts))
    prover.work()
    proof = prover.proof().certificate()
    assert check(proof, counts) == prover.bound
    rounds = [
        each
        for part in proof["components"]
        for node in part.get("nodes", [])
        for each in node["rounds"]
        if each["rows"].get("half")
    ]
    assert rounds
    row = rounds[0]["rows"]["half"][0]
    k = row[1]
    outside, again = [*row], [*row]
    outside[2] = 99
    again[3] = again[2]
    changes = {
        "has no cycle": [1, 1],
        "is negative": [-1, *row[1:]],
        "fewer cycles": [row[0], 99, *row[2:]],
        "half a pair": [*row, 0],
        "do not exist": outside,
        "twice in a row": again,
        "not odd": [*row[: 2 + 3 * k], *row[2:4], *row[2:4]],
        "too large": [1 << 61, *row[1:]],
        "not integers|must be integers": [0.5, *row[1:]],
    }
    for message, changed in changes.items():
        rounds[0]["rows"]["half"][0] = changed
        with pytest.raises(VerificationError, match=message):
            KINDS["half"]([changed], np.zeros((m, m), np.int64), BUDGET)
        with pytest.raises(VerificationError):
            certificate.check(proof, counts)


def test_a_tree_that_stalls_gives_way_to_subsets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(proving, "_STALLED", 2)
    counts = tournament(19, 3)
    by_tree = Prover(Pairwise.from_matrix(counts), by_subsets=False)
    by_tree.work()
    prover = Prover(Pairwise.from_matrix(counts))
    prover.work()
    proof = prover.proof().certificate()
    assert any(
        part.get("proof") == "subsets" and len(part["items"]) > 18 for part in proof["components"]
    )
    assert prover.cost == prover.bound == by_tree.cost == check(proof, counts)


def test_each_bound_has_its_proof_when_a_tree_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree, "_NODES", 20)
    counts = np.random.default_rng(0).integers(0, 1000, (40, 40))
    np.fill_diagonal(counts, 0)
    prover = Prover(Pairwise.from_matrix(counts))
    [component] = [each.tree for each in prover.parts]
    assert isinstance(component, tree.ComponentProof)
    behind = 0
    for complete in prover.slices(40):
        if complete:
            assert check(prover.proof().certificate(), counts) == prover.bound
            behind += component._own_bound() < component.bound
    # For a while, the new tree proves less than the one before it.
    assert behind > 0
