"""Items that stay together: groups against brute force, and what a certificate makes of them."""

from __future__ import annotations

import copy
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant._kernels import exact
from concordant.bounds.record import PartRecord, Proof
from concordant.certificate import check
from concordant.errors import VerificationError
from concordant.pairwise import Pairwise
from concordant.reduction.split import Part, Split, margins_of
from concordant.reduction.twins import groups_of_twins, leaders_plain
from strategies import all_optima, brute_force


@st.composite
def partial_lists(draw: st.DrawFn) -> np.ndarray:
    """Counts of a few partial lists: neighbours in one list only are common."""
    m = draw(st.integers(2, 7))
    lists = draw(
        st.lists(
            st.lists(st.integers(0, m - 1), unique=True, min_size=1, max_size=m),
            min_size=1,
            max_size=4,
        )
    )
    counts = np.zeros((m, m), np.int64)
    for order in lists:
        for a, b in itertools.combinations(order, 2):
            counts[a, b] += 1
    return counts


@given(partial_lists())
def test_items_of_a_group_have_equal_margins_outside(counts: np.ndarray) -> None:
    margins = margins_of(counts)
    groups = groups_of_twins(margins)
    assert sorted(np.concatenate(groups).tolist()) == list(range(len(counts)))
    for group in groups:
        others = [x for x in range(len(counts)) if x not in group]
        for a, b in itertools.combinations(group.tolist(), 2):
            assert margins[a, b] <= 0
            assert (margins[a, others] == margins[b, others]).all()


@given(partial_lists(), st.randoms(use_true_random=False))
def test_bringing_groups_together_costs_nothing(counts: np.ndarray, random: object) -> None:
    whole = Part.whole(counts)
    part = whole.contracted()
    order = list(range(len(counts)))
    random.shuffle(order)
    place = np.argsort(order)
    inside = part.order_in(place)
    assert sorted(inside.tolist()) == list(range(part.size))
    assert part.cost(inside) <= whole.cost(np.array(order))
    assert part.cost(inside) == whole.cost(part.expand(inside))


@given(partial_lists(), st.integers(0, 2**32))
def test_plain_and_compiled_agree(counts: np.ndarray, seed: int) -> None:
    margins = margins_of(counts)
    random = np.random.default_rng(seed).integers(0, 2**64, len(counts), np.uint64)
    assert leaders_plain(margins, random).tolist() == (exact.twin_leaders(margins, random).tolist())


@given(partial_lists())
def test_all_twins_are_found(counts: np.ndarray) -> None:
    margins = margins_of(counts)
    group_of = {a: n for n, group in enumerate(groups_of_twins(margins)) for a in group.tolist()}
    for a, b in itertools.combinations(range(len(counts)), 2):
        others = [x for x in range(len(counts)) if x not in (a, b)]
        if (margins[a, others] == margins[b, others]).all():
            assert group_of[a] == group_of[b]


@given(partial_lists())
def test_some_optimal_order_keeps_groups_together(counts: np.ndarray) -> None:
    groups = groups_of_twins(margins_of(counts))

    def together(order: tuple[int, ...]) -> bool:
        text = ",".join(map(str, order)) + ","
        return all(",".join(map(str, group.tolist())) + "," in text for group in groups)

    assert any(together(order) for order in all_optima(counts))


@settings(deadline=None)
@given(partial_lists(), st.randoms())
def test_a_contracted_part_costs_the_same(counts: np.ndarray, random: object) -> None:
    whole = Part.whole(counts)
    part = whole.contracted()
    for order in itertools.islice(itertools.permutations(range(part.size)), 50):
        expanded = part.expand(np.array(order))
        assert sorted(expanded.tolist()) == list(range(len(counts)))
        assert part.cost(np.array(order)) == whole.cost(expanded)
        place = np.argsort(expanded)
        assert part.order_in(place).tolist() == list(order)
    assert part.trivial == whole.trivial
    assert part.solution()[1] == brute_force(counts)[0]
    pairs = Pairwise.from_matrix(counts)
    record = PartRecord(part.items, part.solution()[1], groups=part.groups)
    proof = Proof(pairs, part.solution()[1], (record,))
    assert check(proof.certificate(), counts) == brute_force(counts)[0]


def wide() -> cc.Rankings:
    """Three lists over ninety items that share some of them."""
    rng = np.random.default_rng(0)
    return cc.Rankings.from_orders([rng.permutation(90)[:40].tolist() for _ in range(3)])


def test_a_proof_about_groups_checks_and_tampering_does_not() -> None:
    data = wide()
    pairs = Pairwise.from_rankings(data)
    split = Split.of(pairs)
    assert any(part.groups is not None for part in split.parts)
    assert sum(part.size for part in split.parts) < data.n_items
    result = cc.aggregate(data, max_iterations=200_000)
    certificate = result.certificate()
    assert check(certificate, pairs.counts) == result.lower_bound
    at = next(n for n, part in enumerate(certificate["components"]) if "groups" in part)

    def tampered(change: object) -> dict:
        changed = copy.deepcopy(certificate)
        change(changed["components"][at])  # type: ignore[operator]
        return changed

    def join(part: dict) -> None:
        part["groups"] = [sum(part["groups"][:2]), *part["groups"][2:]]

    def empty(part: dict) -> None:
        part["groups"] = [0, *part["groups"]]

    def turn(part: dict) -> None:
        n = next(n for n, size in enumerate(part["groups"]) if size > 1)
        first = sum(part["groups"][:n])
        items = part["items"]
        items[first], items[first + 1] = items[first + 1], items[first]

    def short(part: dict) -> None:
        part["groups"] = part["groups"][1:]

    for change in (join, empty, turn, short):
        with pytest.raises(VerificationError):
            check(tampered(change), pairs.counts)
