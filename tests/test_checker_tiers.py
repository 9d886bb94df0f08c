"""The checker in one file, for answers with ties and constraints: it agrees with the package."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from concordant import checker
from concordant.checker import Refused, tiers
from concordant.checker.program import Data, Problem, find_problem, forced_pairs
from concordant.constraints import Constraints
from concordant.errors import InputWarning, SettingError, VerificationError
from concordant.pairwise import Pairwise
from concordant.tiers import certificate
from concordant.tiers import tree as trees
from concordant.tiers.costs import TierCosts
from concordant.tiers.solver import TierSolver
from concordant.tiers.strict import strict_certificate, strict_problem
from test_checker import damaged, outcome, proof_of
from test_tiers_certificate import by_tree
from tiers_common import PENALTIES, problems, random_problem


def plain(costs):
    """Return the matrices as the checker takes them."""
    return costs.before.tolist(), costs.tied.tolist()


def with_twins():
    """A problem in which some items are tied by all."""
    orders = [
        [("a", "b"), "c", ("d", "e")],
        [("d", "e"), ("a", "b"), "c"],
        ["c", ("d", "e"), ("a", "b")],
    ]
    return TierCosts.from_rankings(cc.Rankings.from_orders(orders), 0.3)


@pytest.fixture(scope="module")
def cases():
    """Problems with certificates of all kinds of parts and of rows."""
    found = [
        (costs, by_tree(costs)) for costs in (random_problem(8, seed, 40) for seed in range(6))
    ]
    found += [
        (costs, TierSolver(costs).certificate())
        for costs in (random_problem(7, 1, 9), with_twins())
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trees, "LARGEST_FOUR", 0)
        patch.setattr(trees, "_PATIENCE_ROOT", 1.0)
        found += [
            (costs, by_tree(costs)) for costs in (random_problem(9, seed, 60) for seed in range(6))
        ]
    costs = TierCosts.from_rankings(cc.generate.mallows(12, 9, 0.02, seed=1), 1)
    assert costs.strict_suffices
    found.append((costs, strict_certificate(costs, proof_of(strict_problem(costs).counts))))
    return [(costs, json.loads(json.dumps(proof))) for costs, proof in found]


def both(proof, costs):
    """Return what both checkers say, which must be the same: a bound, or None for a refusal."""
    try:
        ours = certificate.check(proof, costs.before, costs.tied)
    except VerificationError:
        ours = None
    before, tied = plain(costs)
    assert outcome(lambda p, b: checker.check_tiers(p, b, tied), Refused, proof, before) == ours
    return ours


def test_the_cases_have_all_kinds_of_proofs(cases):
    seen = Counter()
    for _, proof in cases:
        seen["strict"] += "strict" in proof
        for part in proof.get("components", ()):
            seen["groups"] += any(size > 1 for size in part.get("groups", ()))
            seen[part.get("proof", "nodes" if "nodes" in part else "single")] += 1
            for node in part.get("nodes", ()):
                seen["branch"] += "branch" in node
                seen.update(kind for step in node["rounds"] for kind in step["rows"])
    wanted = {"strict", "groups", "subsets", "nodes", "branch", "transitive", "four-a"}
    assert {key for key, times in seen.items() if times} >= wanted
    assert tiers.FOURS == certificate.KINDS
    assert tiers.LARGEST_OF_TIERS == certificate.LARGEST_BY_SUBSETS


def test_both_accept_the_certificates_of_the_solver(cases):
    for costs, proof in cases:
        assert both(proof, costs) == proof["bound"]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_both_say_the_same_of_damaged_certificates(cases, data):
    costs, proof = data.draw(st.sampled_from(cases))
    found = both(damaged(proof, data), costs)
    assert found is None or found <= certificate.check(proof, costs.before, costs.tied)


@settings(max_examples=40, deadline=None)
@given(problems(max_items=6), st.data())
def test_both_say_the_same_of_rows_of_any_kind(costs, data):
    kinds = st.sampled_from(["transitive", *certificate.KINDS])
    row = st.lists(st.integers(0, costs.n_items - 1), min_size=3, max_size=5)
    rows = data.draw(st.dictionaries(kinds, st.lists(row, max_size=4), max_size=3))
    multipliers = st.integers(0, 4)
    step = {
        "scale": data.draw(st.integers(1, 3)),
        "rows": {k: [[data.draw(multipliers), *r] for r in some] for k, some in rows.items()},
    }
    least = certificate.optimum_by_subsets(costs.before, costs.tied)
    bound = data.draw(st.integers(least - 3, least + 1))
    part = {"items": list(range(costs.n_items)), "bound": bound, "cutoff": bound + 1}
    proof = TierSolver(costs, proof=False).certificate()
    proof |= {"bound": bound, "components": [part | {"nodes": [{"rounds": [step, step]}]}]}
    assert both(proof, costs) in (None, bound)
    assert bound <= least or both(proof, costs) is None


@settings(max_examples=60, deadline=None)
@given(problems(max_items=6, low=-2), st.sampled_from([-3, -1, 0, 1, 9]))
def test_subsets_find_the_optimum_if_it_is_not_above_the_bound(costs, more):
    least = certificate.optimum_by_subsets(costs.before, costs.tied)
    assert tiers.optimum_of_tiers(*plain(costs), least + more) == (least if more >= 0 else None)


NAMES = ["a", "b", "c", "d", "e"]
SOME = st.lists(st.sampled_from(NAMES), max_size=2, unique=True)


@st.composite
def rules(draw):
    pairs = st.lists(st.sampled_from(NAMES), min_size=2, max_size=2).map(tuple)
    return {
        "before": draw(st.lists(pairs, max_size=2)),
        "first": draw(SOME),
        "last": draw(SOME),
        "groups_in_order": draw(st.lists(SOME, max_size=3)),
    }


@settings(max_examples=150, deadline=None)
@given(rules(), st.lists(st.integers(0, 9), min_size=25, max_size=25), PENALTIES, PENALTIES)
def test_constraints_are_imposed_as_the_package_does(given_rules, entries, p, q):
    found = Constraints.of(**given_rules)
    facts = {} if found is None else found.to_dict()
    pairs = Pairwise.from_matrix(np.array(entries).reshape(5, 5), items=NAMES)
    try:
        forced = None if found is None else found.relation(pairs.items)
    except SettingError:
        with pytest.raises(Refused):
            forced_pairs(facts, NAMES)
        return
    relation = forced_pairs(facts, NAMES)
    wanted = np.zeros((5, 5), bool) if forced is None else forced
    assert [[bool(row >> b & 1) for b in range(5)] for row in relation] == wanted.tolist()
    data = Data(NAMES, pairs.counts.tolist(), pairs.tied.tolist(), 1)
    orders = find_problem({}, data, {"constraints": facts})
    imposed = pairs if found is None else found.impose(pairs)
    assert orders == Problem(imposed.counts.tolist(), None, 1)
    costs = TierCosts.from_counts(pairs, p, q)
    costs = costs if forced is None else costs.forcing(forced)
    result = {"constraints": facts, "tiers": [], "tie_penalty": str(p), "vote_tie_penalty": str(q)}
    answers = find_problem({"objective": "tiers"}, data, result)
    assert (answers.before, answers.tied, answers.scale) == (*plain(costs), costs.scale)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.integers(1, 30), min_size=3, max_size=3), st.booleans(), st.booleans(), PENALTIES
)
def test_proofs_of_results_are_accepted(weights, ties, ruled, p):
    """Decimal weights, ties in the answer, constraints, and all of them together."""
    orders = [["a", "b", ("c", "d")], ["b", "c", "a"], ["d", ("c", "a"), "b"]]
    data = cc.Rankings.from_orders(orders, weights=[weight / 10 for weight in weights])
    options = {"ties": True, "tie_penalty": p} if ties else {}
    options |= {"before": [("d", "a")], "last": ["b"]} if ruled else {}
    with warnings.catch_warnings():
        # The best answer may tie all items.
        warnings.simplefilter("ignore", InputWarning)
        result = cc.aggregate(data, **options)
    facts = json.loads(json.dumps(result.to_dict()), parse_float=str)
    proof = json.loads(json.dumps(result.certificate()))
    pairs = Pairwise.from_rankings(data)
    common = np.gcd.reduce([pairs.scale, *pairs.counts.ravel(), *pairs.tied.ravel()])
    given_data = Data(
        list(data.items),
        (pairs.counts // common).tolist(),
        (pairs.tied // common).tolist(),
        pairs.scale // int(common),
    )
    problem = find_problem(proof, given_data, facts)
    bound = problem.check(proof)
    cost, optimal = checker.program.check_result(facts, given_data, problem, bound)
    assert optimal
    assert float(cost) == float(Fraction(str(result.cost)))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("with-ties")
    (folder / "checker.py").write_text(checker.source(), encoding="utf-8")
    data = cc.generate.partial(cc.generate.mallows(20, 15, 0.05, seed=2), drop=0.3, same_bucket=0.3)
    cc.write(data, folder / "votes.toi")
    plain_rules = {"before": [("7", "2"), ("9", "1")], "last": ["3"]}
    for name, options in {
        "ties": {"ties": True},
        "rules": plain_rules,
        "both": {"ties": True, "tie_penalty": 0.4, **plain_rules},
        "last": {"unranked": "last"},
    }.items():
        used = cc.read(folder / "votes.toi", unranked=options.pop("unranked", "unknown"))
        result = cc.aggregate(used, time_limit=20, **options)
        assert result.status == "optimal"
        result.save(folder / f"{name}.json")
        result.save_proof(folder / f"{name}.proof.json")
    return folder


class TestProgram:
    @pytest.mark.parametrize("name", ["ties", "rules", "both", "last"])
    def test_the_exported_file_accepts_them(self, folder, name):
        done = subprocess.run(
            [
                sys.executable,
                "-I",
                "-S",
                "checker.py",
                f"{name}.proof.json",
                "votes.toi",
                f"{name}.json",
            ],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), done.stdout
        assert done.stdout.endswith(": it is optimal\n")
        assert ("vote_tie_penalty 0.4\n" in done.stdout) == (name == "both")
        satisfies = f"that satisfies the constraints of {name}.json" in done.stdout
        assert satisfies == (name in ("rules", "both"))

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            (["ties.proof.json", "votes.toi"], "answer with ties: name its RESULT too"),
            (["ties.proof.json", "votes.toi", "rules.json"], "answer with ties, RESULT is not"),
            (["rules.proof.json", "votes.toi"], "or with constraints: then name its RESULT too"),
            (["rules.proof.json", "votes.toi", "last.json"], "made for other data\n"),
            (["last.proof.json", "votes.toi", "ties.json"], "made for other data\n"),
            (["both.proof.json", "votes.toi", "ties.json"], "made for other data\n"),
        ],
    )
    def test_what_does_not_belong_together_is_refused(
        self, folder, monkeypatch, capsys, given, words
    ):
        monkeypatch.chdir(folder)
        assert checker.main(given) == 1
        assert words in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("name", "change", "words"),
        [
            ("ties", {"cost": 1}, "it has cost 1, but the data gives"),
            ("ties", {"lower_bound": 10**6}, "it has lower_bound 1000000"),
            ("ties", {"tie_penalty": 0.4}, "made for other data"),
            ("ties", {"tie_penalty": None}, "does not hold"),
            ("ties", {"tiers": [["1"]]}, "its tiers are not its ranking"),
            ("ties", {"tiers": 7}, "does not hold"),
            ("rules", {"constraints": {"before": [["1", "1"]]}}, "contradict each other"),
            ("rules", {"constraints": {"first": "1"}}, "are not lists"),
            ("rules", {"constraints": [1]}, "unknown constraints"),
            ("rules", {"ranking": "reversed"}, "its constraints need"),
        ],
    )
    def test_a_changed_result_is_refused(self, folder, monkeypatch, capsys, name, change, words):
        monkeypatch.chdir(folder)
        facts = json.loads(Path(f"{name}.json").read_text())
        if change.get("ranking") == "reversed":
            change = {"ranking": facts["ranking"][::-1]}
        Path("changed.json").write_text(json.dumps(facts | change))
        assert checker.main([f"{name}.proof.json", "votes.toi", "changed.json"]) == 1
        assert words in capsys.readouterr().out
