"""Proofs that follow the proof of nearly the same data."""

import numpy as np
import pytest

import concordant as cc
from concordant.bounds.guide import ROOT, Guide, Guides
from concordant.bounds.multipliers import Cycles, Multipliers, exact_bound
from concordant.bounds.prover import Prover
from concordant.bounds.record import NodeRecord, TreeRecord
from concordant.bounds.tree import ComponentProof
from concordant.certificate import check
from concordant.pairwise import Pairwise
from concordant.reduction.split import Part


def hard_counts(m: int, n: int, seed: int) -> np.ndarray:
    return Pairwise.from_rankings(cc.generate.uniform(m, n, seed=seed)).counts


def proven(counts: np.ndarray, guides: Guides | None = None) -> Prover:
    prover = Prover(Pairwise.from_matrix(counts), by_subsets=False, guides=guides)
    prover.work()
    return prover


def tree_of(prover: Prover) -> ComponentProof:
    trees = [part.tree for part in prover._parts if part.tree is not None]
    tree = max(trees, key=lambda tree: tree.part.size)
    assert isinstance(tree, ComponentProof)
    return tree


def guided_by(prover: Prover, number: np.ndarray) -> Guides:
    return Guides(prover.proof(), number)


def test_multipliers_are_the_same_after_renumbering() -> None:
    rng = np.random.default_rng(0)
    m = 9
    corners = np.array([sorted(rng.choice(m, 3, replace=False)) for _ in range(40)], np.int32)
    values = rng.integers(1, 9, 40) * rng.choice([-1, 1], 40)
    cycles = Cycles.of_triangles(corners, values)
    number = rng.permutation(m)
    margins = rng.integers(-9, 10, (m, m))
    margins = np.triu(margins, 1) - np.triu(margins, 1).T
    moved = np.empty_like(margins)
    moved[np.ix_(number, number)] = margins

    guide = Guide([NodeRecord([Multipliers((cycles,), 4)], None, None)], number)
    found = guide.multipliers(ROOT)
    assert found is not None
    again = Multipliers((Cycles.of_triangles(found[0], np.rint(4 * found[1]).astype(int)),), 4)
    none = np.zeros((m, m), np.int8)
    bounds = []
    for matrix, multipliers in ((margins, Multipliers((cycles,), 4)), (moved, again)):
        part = Part(np.arange(m), matrix, int(np.abs(matrix).sum()))
        costs, base = part.relative_costs()
        # Both in one unit: what any order costs at least.
        bounds.append(4 * base + exact_bound(costs, none, multipliers).scaled)
    assert bounds[0] == bounds[1]


def test_missing_items_are_left_out() -> None:
    cycles = Cycles.of_triangles(np.array([[0, 1, 2], [1, 2, 3]], np.int32), np.array([1, 2]))
    longer = Cycles(np.array([0, 4]), np.array([0, 1, 2, 3], np.int32), np.array([5]))
    node = NodeRecord([Multipliers((cycles, longer), 2)], (0, 1), (1, 2))
    guide = Guide([node, NodeRecord([], (2, 3), (3, 4)), NodeRecord([], None, None)],
                  np.array([-1, 0, 1, 2]))  # fmt: skip
    found = guide.multipliers(ROOT)
    assert found is not None
    assert (found[0].tolist(), found[1].tolist()) == ([[0, 1, 2]], [1.0])
    assert guide.branch(ROOT) is None
    assert guide.branch(1) == (1, 2)
    assert guide.branch(2) is None
    assert guide.multipliers(1) is None


@pytest.mark.parametrize(("seed", "nodes"), [(4, 1), (7, 3), (12, 5)])
def test_a_guided_proof_is_shorter_and_as_good(seed: int, nodes: int) -> None:
    counts = hard_counts(34, 21, seed)
    first = proven(counts)
    assert first.solved
    changed = counts.copy()
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 34, (2, 10))
    changed[a[a != b], b[a != b]] += 1
    alone = proven(changed)
    followed = proven(changed, guided_by(first, np.arange(34)))
    assert followed.solved
    assert followed.cost == alone.cost
    assert check(followed.proof().certificate(), changed) == alone.cost
    same = proven(counts, guided_by(first, np.arange(34)))
    assert same.cost == first.cost
    assert tree_of(same)._checks < tree_of(first)._checks
    assert len(tree_of(same).nodes) == len(tree_of(first).nodes) == nodes


def test_a_proof_guides_after_renumbering() -> None:
    counts = hard_counts(34, 21, 1)
    first = proven(counts)
    number = np.random.default_rng(3).permutation(34)
    moved = np.empty_like(counts)
    moved[np.ix_(number, number)] = counts
    followed = proven(moved, guided_by(first, number))
    assert followed.cost == first.cost
    assert check(followed.proof().certificate(), moved) == first.cost


def test_there_is_no_guide_over_other_items() -> None:
    counts = hard_counts(20, 9, 1)
    first = proven(counts)
    guides = guided_by(first, np.arange(20))
    assert guides.of(Part.whole(counts)) is not None
    # Its items are the last of sixty now: a component of thirty has few of them, or most.
    among = Guides(first.proof(), np.roll(np.arange(60), 20))
    other = Part.whole(hard_counts(30, 9, 2))
    for start, known in ((20, False), (30, True)):
        part = Part(np.arange(start, start + 30), other.margins, other.total)
        assert (among.of(part) is not None) == known
    trivial = Pairwise.from_matrix([[0, 2], [1, 0]])
    empty = Guides(Prover(trivial).proof(), np.arange(2))
    assert empty.of(Part.whole(trivial.counts)) is None


def test_the_proof_of_a_result_guides_the_next_run() -> None:
    data = cc.generate.uniform(30, 15, seed=5)
    first = cc.aggregate(data, "exact")
    assert first.proof is not None
    assert any(isinstance(part.proof, TreeRecord) for part in first.proof.parts)
    again = cc.aggregate(data, "exact", initial=first)
    assert (again.status, again.cost) == ("optimal", first.cost)
    others = cc.generate.uniform(29, 15, seed=5)
    fewer = cc.aggregate(others, "exact")
    # The 30th item is new: it is inserted at its best place.
    more = cc.aggregate(data, "exact", initial=fewer)
    assert (more.status, more.cost) == ("optimal", first.cost)
    others = cc.Rankings.from_orders([["x", "y"]])
    with pytest.raises(cc.InputError, match="initial: the result has none of these items"):
        cc.aggregate(others, initial=fewer)
