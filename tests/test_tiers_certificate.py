"""Certificates of answers with ties: checked against the costs, and tampering is refused."""

import contextlib
import copy
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from concordant.bounds.prover import Prover
from concordant.errors import VerificationError
from concordant.tiers import certificate as module
from concordant.tiers import subsets
from concordant.tiers import tree as trees
from concordant.tiers.certificate import check, optimum_by_subsets
from concordant.tiers.costs import TierCosts
from concordant.tiers.parts import TierSplit
from concordant.tiers.solver import TierSolver
from concordant.tiers.strict import strict_certificate, strict_problem
from concordant.tiers.tree import TierTree
from tiers_common import random_problem


def by_tree(costs):
    """Prove every part by a tree, however few items it has."""
    certificate = TierSolver(costs, proof=False).certificate()
    certificate["components"] = []
    split = TierSplit.of(costs)
    for part in split.parts:
        bucket, _ = subsets.solve(part.before, part.tied)
        tree = TierTree(part, bucket)
        for _ in tree.slices():
            pass
        facts = {"items": part.items.tolist(), "groups": part.groups.tolist(), "bound": tree.bound}
        certificate["components"].append({**facts, **tree.to_dict()} if part.size > 1 else facts)
    certificate["bound"] = split.between + sum(part["bound"] for part in certificate["components"])
    return json.loads(json.dumps(certificate))


@pytest.fixture(scope="module")
def proven():
    """A certificate with a part whose tree has several nodes, and its problem."""
    costs = random_problem(9, 5, 30)
    certificate = by_tree(costs)
    return certificate, costs, optimum_by_subsets(costs.before, costs.tied)


@pytest.mark.parametrize("seed", range(12))
def test_trees_of_hard_problems_are_accepted(seed):
    costs = random_problem(8, seed, 40)
    optimum = optimum_by_subsets(costs.before, costs.tied)
    assert check(by_tree(costs), costs.before, costs.tied) == optimum


def test_a_tree_with_branches_is_accepted():
    """Without rows of four items and with little patience, a node is split."""
    branched = 0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "LARGEST_FOUR", 0)
        patch.setattr(trees, "_PATIENCE_ROOT", 1.0)
        for seed in range(6):
            costs = random_problem(9, seed, 60)
            certificate = by_tree(costs)
            optimum = optimum_by_subsets(costs.before, costs.tied)
            assert check(certificate, costs.before, costs.tied) == optimum
            branched += any(len(part.get("nodes", [])) > 1 for part in certificate["components"])
    assert branched


def test_a_tree_that_is_not_finished_proves_its_bound():
    costs = random_problem(25, 2, 60)
    (part,) = TierSplit.of(costs).parts
    tree = TierTree(part, np.arange(part.size))
    for number, _ in enumerate(tree.slices()):
        if number == 40:
            break
    solver = TierSolver(costs, proof=False)
    certificate = solver.certificate()
    certificate["components"] = [
        {"items": part.items.tolist(), "bound": tree.bound, **tree.to_dict()}
    ]
    certificate["bound"] = tree.bound
    assert check(json.loads(json.dumps(certificate)), costs.before, costs.tied) == tree.bound


def first_tree(certificate):
    return next(part for part in certificate["components"] if "nodes" in part)


def first_rows(certificate):
    for node in first_tree(certificate)["nodes"]:
        for step in node["rounds"]:
            for rows in step["rows"].values():
                if rows:
                    return rows
    raise AssertionError


def change(*path, to):
    def apply(certificate):
        at = certificate
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = to

    return apply


def in_tree(action):
    return lambda certificate: action(first_tree(certificate))


@pytest.mark.parametrize(
    "tamper",
    [
        change("format", to="other"),
        change("version", to=1),
        change("objective", to="order"),
        change("n_items", to=4),
        change("data", to="0" * 64),
        change("bound", to="many"),
        change("components", to=None),
        change("components", 0, to=7),
        change("components", 0, "items", to=[99]),
        change("components", 0, "items", to=[]),
        change("components", 0, "items", to=[0, 0]),
        lambda c: c["components"].append(c["components"][0]),
        lambda c: c["components"].pop(),
        lambda c: c.update(bound=c["bound"] + 1),
        in_tree(lambda part: part.update(bound=part["bound"] + 1)),
        in_tree(lambda part: part.update(cutoff=part["bound"] - 1)),
        in_tree(lambda part: part.update(nodes=[])),
        in_tree(lambda part: part.update(nodes=[7])),
        in_tree(lambda part: part.update(nodes=[{"rounds": 7}])),
        in_tree(lambda part: part.update(nodes=[{"rounds": []}])),
        in_tree(lambda part: part.update(groups=[1] * (len(part["items"]) - 1) + [0])),
        in_tree(lambda part: part.update(groups=[1])),
        in_tree(lambda part: part.update(groups=[2] + [1] * (len(part["items"]) - 2))),
        in_tree(lambda part: part["nodes"][0]["rounds"].insert(0, 7)),
        in_tree(lambda part: part["nodes"][0]["rounds"][0].update(scale=0)),
        in_tree(lambda part: part["nodes"][0]["rounds"][0].update(scale=2**61)),
        in_tree(lambda part: part["nodes"][0]["rounds"][0].update(rows=[])),
        in_tree(lambda part: part["nodes"][0]["rounds"][0].update(rows={"transitive": [[]]})),
        in_tree(lambda part: part["nodes"][0]["rounds"][0].update(rows={"five": []})),
        in_tree(lambda part: part["nodes"][0]["rounds"][0].update(rows={"four-a": 3})),
        in_tree(lambda part: part["nodes"][0]["rounds"][0].update(rows={"four-a": [[1, 0, 1, 2]]})),
        in_tree(
            lambda part: part["nodes"][0]["rounds"][0].update(rows={"four-b": [[1, 0, 1, 2, 2]]})
        ),
        in_tree(
            lambda part: part["nodes"][0]["rounds"][0].update(rows={"transitive": [[1, 0, 1]]})
        ),
        in_tree(
            lambda part: part["nodes"][0]["rounds"][0].update(rows={"transitive": [[1, 0, 1, 0]]})
        ),
        in_tree(lambda part: part["nodes"][0].update(rounds=[], branch=[0, 0], children=[1, 2])),
        in_tree(lambda part: part["nodes"][0].update(rounds=[], branch=[0, 1], children=[0, 1])),
        in_tree(lambda part: part["nodes"][0].update(rounds=[], branch=[0, 1], children=[1])),
        lambda c: first_rows(c)[0].__setitem__(0, -1),
        lambda c: first_rows(c)[0].__setitem__(0, 2**61),
        lambda c: first_rows(c)[0].__setitem__(1, 99),
        lambda c: first_rows(c)[0].__setitem__(1, True),
        lambda c: c.update(strict={}),
    ],
)
def test_a_tampered_certificate_is_refused(proven, tamper):
    certificate, costs, _ = proven
    changed = copy.deepcopy(certificate)
    tamper(changed)
    with pytest.raises(VerificationError):
        check(changed, costs.before, costs.tied)


def test_other_costs_are_refused(proven):
    certificate, costs, _ = proven
    for matrix in (0, 1):
        changed = [costs.before.copy(), costs.tied.copy()]
        changed[matrix][0, 1] += 1
        with pytest.raises(VerificationError, match="other data"):
            check(certificate, *changed)
    with pytest.raises(VerificationError, match="JSON object"):
        check([], costs.before, costs.tied)


@given(st.data())
@settings(max_examples=60)
def test_no_random_change_proves_too_much(proven, data):
    certificate, costs, optimum = proven
    changed = copy.deepcopy(certificate)
    at = changed
    for _ in range(12):
        keys = list(at) if isinstance(at, dict) else list(range(len(at)))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list):
            at[key] = data.draw(st.sampled_from([0, 1, 2, 3, 7, -1, at[key], None, "x", 10**9]))
            break
        at = at[key]
    part = first_tree(changed) if all(isinstance(p, dict) for p in changed["components"]) else {}
    raise_by = data.draw(st.integers(0, 2))
    if isinstance(part.get("bound"), int) and isinstance(changed.get("bound"), int):
        part["bound"] += raise_by
        changed["bound"] += raise_by
        if isinstance(part.get("cutoff"), int):
            part["cutoff"] += raise_by
    with contextlib.suppress(VerificationError):
        assert check(changed, costs.before, costs.tied) <= optimum


def test_groups_must_be_twins():
    before = np.array([[0, 3, 1], [3, 0, 1], [2, 2, 0]])
    tied = np.array([[0, 1, 2], [1, 0, 2], [2, 2, 0]])
    costs = TierCosts(tuple("abc"), before, tied)
    certificate = TierSolver(costs, proof=False).certificate()
    part = {"items": [0, 1, 2], "groups": [2, 1], "bound": 3, "proof": "subsets"}
    certificate.update(components=[part], bound=3)
    assert check(certificate, before, tied) == 3
    dear = tied.copy()
    dear[0, 1] = dear[1, 0] = 4
    certificate["data"] = module.fingerprint(before, dear)
    with pytest.raises(VerificationError, match="cheapest"):
        check(certificate, before, dear)
    part["items"] = [0, 2, 1]
    certificate["data"] = module.fingerprint(before, tied)
    with pytest.raises(VerificationError, match="distinguish"):
        check(certificate, before, tied)


def test_a_strict_proof_is_taken_where_ties_are_worth_nothing():
    before = np.array([[0, 1, 2], [2, 0, 1], [1, 2, 0]])
    tied = np.full((3, 3), 2) - 2 * np.eye(3, dtype=np.int64)
    costs = TierCosts(tuple("abc"), before, tied)
    assert costs.strict_suffices
    prover = Prover(strict_problem(costs))
    prover.work()
    certificate = strict_certificate(costs, prover.proof().certificate())
    assert check(certificate, costs.before, costs.tied) == 4
    cheap = np.ones((3, 3), np.int64) - np.eye(3, dtype=np.int64)
    certificate["data"] = module.fingerprint(before, cheap)
    with pytest.raises(VerificationError, match="do not suffice"):
        check(certificate, before, cheap)


def test_too_many_items_are_not_proven_by_subsets():
    costs = random_problem(15, 1)
    certificate = TierSolver(costs, proof=False).certificate()
    certificate["components"] = [{"items": list(range(15)), "bound": 1, "proof": "subsets"}]
    with pytest.raises(VerificationError, match="too many"):
        check(certificate, costs.before, costs.tied)
