"""The checker in one file: it agrees with the package's own, and needs nothing but Python."""

from __future__ import annotations

import ast
import copy
import json
import subprocess
import sys
import tempfile
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import concordant as cc
from commands import CAFES, run
from concordant import certificate, checker
from concordant.bounds import tree
from concordant.bounds.prover import Prover
from concordant.checker import Refused, orders
from concordant.checker.program import find_problem, read_data
from concordant.errors import VerificationError
from concordant.pairwise import Pairwise
from strategies import rankings

SOURCE = checker.source()
PAPER = cc.generate.mallows(30, 12, theta=0.002, seed=4)


def tournament(m, seed, spread=2):
    rng = np.random.default_rng(seed)
    above = np.triu(rng.integers(0, spread, (m, m)), 1)
    return above + np.triu(spread - 1 - above, 1).T


def twins(m, seed):
    """A tournament in which each item is two neighbours."""
    counts = np.kron(tournament(m, seed, 4), np.ones((2, 2), np.int64))
    for k in range(0, 2 * m, 2):
        counts[k : k + 2, k : k + 2] = [[0, 3], [1, 0]]
    return counts


def proof_of(counts, by_subsets=False, steps=None):
    """Return the certificate of a matrix, as it is read from a file."""
    prover = Prover(Pairwise.from_matrix(counts), by_subsets=by_subsets)
    prover.work(**({} if steps is None else {"steps": steps}))
    return json.loads(json.dumps(prover.proof().certificate()))


@pytest.fixture(scope="module")
def cases():
    """Matrices with certificates of all kinds of parts and of rows."""
    made = [
        tournament(6, 0),
        tournament(20, 2),
        tournament(15, 3, 9) - 2 + 2 * np.eye(15, dtype=np.int64),
        twins(12, 1),
        np.zeros((3, 3), np.int64),
        cc.Pairwise.from_rankings(PAPER).counts.astype(np.int64),
    ]
    found = [(counts, proof_of(counts)) for counts in made]
    found += [(counts, proof_of(counts, by_subsets=True)) for counts in (made[0], made[3])]
    found.append((made[1], proof_of(made[1], steps=1)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tree, "_VISITS", 0)
        counts = tournament(26, 1)
        found.append((counts, proof_of(counts)))
    return found


def outcome(check, refusal, proof, counts):
    try:
        return check(proof, counts)
    except refusal:
        return None


def both(proof, counts):
    """Return what both checkers say, which must be the same: a bound, or None for a refusal."""
    ours = outcome(certificate.check, VerificationError, proof, counts)
    assert outcome(checker.check, Refused, proof, counts.tolist()) == ours
    return ours


def test_the_cases_have_all_kinds_of_proofs(cases):
    seen = Counter()
    for _, proof in cases:
        for part in proof["components"]:
            seen.update(key for key in ("groups", "exchange") if part.get(key))
            seen[part.get("proof", "nodes" if "nodes" in part else "single")] += 1
            for node in part.get("nodes", ()):
                seen["branch"] += "branch" in node
                seen.update(kind for step in node["rounds"] for kind in step["rows"])
    wanted = {"groups", "exchange", "subsets", "nodes", "branch", *certificate.KINDS}
    assert {key for key, times in seen.items() if times} >= wanted
    assert set(orders.KINDS) == set(certificate.KINDS)


def test_both_accept_the_certificates_of_the_solver(cases):
    for counts, proof in cases:
        assert both(proof, counts) == proof["bound"]


def damaged(proof, data):
    """Return a certificate that was changed at one place."""
    changed = copy.deepcopy(proof)
    at, way = changed, data.draw(st.integers(1, 7))
    for depth in range(12):
        keys = list(at) if isinstance(at, dict) else range(len(at))
        key = data.draw(st.sampled_from(keys)) if keys else None
        if key is None or depth == way or not isinstance(at[key], dict | list):
            break
        at = at[key]
    if key is None:
        return changed
    kind = data.draw(st.sampled_from(["add", "replace", "drop", "repeat"]))
    if kind == "add" and isinstance(at[key], int):
        at[key] += data.draw(st.sampled_from([-5, -1, 1, 3, 100, 2**62]))
    elif kind == "drop":
        del at[key]
    elif kind == "repeat" and isinstance(at, list):
        at.insert(key, copy.deepcopy(at[key]))
    else:
        at[key] = data.draw(
            st.sampled_from([None, True, 0, -1, 0.5, "x", [], {}, [0], [[1, 0, 1, 2]], 2**64])
        )
    return changed


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_both_say_the_same_of_damaged_certificates(cases, data):
    counts, proof = data.draw(st.sampled_from(cases))
    changed = damaged(proof, data)
    found = both(changed, counts)
    if found is not None:
        assert found <= proof["bound"] or found <= certificate.check(proof, counts)


def test_both_refuse_other_data_and_a_bound_that_is_too_high(cases):
    for counts, proof in cases:
        higher = copy.deepcopy(proof)
        higher["bound"] += 1
        assert both(higher, counts) is None
        largest = max(higher["components"], key=lambda part: len(part["items"]))
        largest["bound"] += 1
        largest["cutoff"] = max(largest.get("cutoff", 0), largest["bound"])
        assert both(higher, counts) is None
        other = counts.copy()
        other[0, 1] += 1
        assert both(proof, other) is None


@settings(max_examples=25, deadline=None)
@given(rankings())
def test_files_are_counted_as_the_package_does(data):
    # JSON does not hold sets and bytes.
    assume(not any(isinstance(item, frozenset | bytes) for item in data.items))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "votes.json"
        cc.write(data, path)
        _, counts, tied, scale = read_data(path)
    pairs = cc.Pairwise.from_rankings(data)
    for matrix, other in ((counts, pairs.counts), (tied, pairs.tied)):
        theirs = [[Fraction(n, scale) for n in row] for row in matrix]
        assert theirs == [[Fraction(int(n), pairs.scale) for n in row] for row in other]
    assert pairs.scale % scale == 0


def test_decimal_weights_are_counted_in_the_units_of_the_certificate(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    orders = [["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]]
    data = cc.Rankings.from_orders(orders, weights=[0.5, 1.25, 2])
    result = cc.aggregate(data)
    result.save("result.json")
    result.save_proof("proof.json")
    cc.write(data, "votes.json")
    assert checker.main(["proof.json", "votes.json", "result.json"]) == 0
    assert "has cost 3.5 (7/2): it is optimal" in capsys.readouterr().out


@pytest.mark.parametrize("unranked", ["unknown", "last"])
def test_preflib_files_are_counted_as_the_package_does(unranked):
    items, counts, tied, scale = read_data(CAFES, unranked)
    data = cc.read(CAFES, unranked=unranked)
    assert (tuple(items), scale) == (data.items, 1)
    pairs = cc.Pairwise.from_rankings(data)
    assert (counts, tied) == (pairs.counts.tolist(), pairs.tied.tolist())


@pytest.mark.parametrize(
    "text", ["3\n0 2 1\n1 5 2\n2 1 0\n", "a matrix of 3\n\n3\n0 2.5 1 1 0 2 -2 1e1 0"]
)
def test_matrices_are_read_as_the_package_does(tmp_path, text):
    path = tmp_path / "a.lop"
    path.write_text(text)
    found = read_data(path)
    pairs = cc.read(path)
    assert tuple(found.items) == pairs.items
    assert (np.array(found.counts) * (pairs.scale // found.scale) == pairs.counts).all()
    proof = cc.aggregate(pairs).certificate()
    assert find_problem(proof, found, None).check(proof) == proof["bound"]


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 8), st.integers(0, 99), st.sampled_from([-3, -1, 0, 1, 9]))
def test_subsets_find_the_optimum_if_it_is_not_above_the_bound(m, seed, more):
    counts = np.random.default_rng(seed).integers(-3, 9, (m, m))
    np.fill_diagonal(counts, 0)
    least = certificate.optimum_by_subsets(counts)
    found = outcome(orders.optimum_by_subsets, Refused, counts.tolist(), least + more)
    assert found == (least if more >= 0 else None) or (more > 0 and found is None)
    assert orders.LARGEST_BY_SUBSETS == certificate.LARGEST_BY_SUBSETS


def test_it_imports_nothing_but_the_standard_library():
    found = set()
    for node in ast.walk(ast.parse(SOURCE)):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            found.add(node.module.partition(".")[0])
    assert found <= sys.stdlib_module_names


def test_no_name_of_one_part_hides_one_of_another():
    names = Counter()
    for node in ast.parse(SOURCE).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names[node.name] += 1
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names.update(target.id for target in targets)
    assert max(names.values()) == 1


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("handed-out")
    assert run("verify", "--export-checker", folder / "checker.py").exit_code == 0
    for name, data in {"votes": cc.read(CAFES), "paper": PAPER}.items():
        result = cc.aggregate(data)
        result.save(folder / f"{name}.result.json")
        result.save_proof(folder / f"{name}.proof.json")
        cc.write(data, folder / f"{name}.toi")
    return folder


class TestProgram:
    def test_the_exported_file_runs_alone(self, folder):
        assert (folder / "checker.py").read_text(encoding="utf-8") == SOURCE
        given = ["votes.proof.json", "votes.toi", "votes.result.json"]
        # Isolated and without site-packages: no package can be imported.
        done = subprocess.run(
            [sys.executable, "-I", "-S", "checker.py", *given],
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout == (
            "votes.proof.json proves that no ranking of votes.toi costs less than 24\n"
            "votes.result.json has cost 24: it is optimal\n"
        )

    @pytest.mark.parametrize(
        ("given", "code", "words"),
        [
            (["paper.proof.json", "paper.toi", "paper.result.json"], 0, "it is optimal"),
            (["paper.proof.json", "paper.toi"], 0, "costs less than"),
            (["paper.proof.json", "votes.toi"], 1, "it is not for 7 items"),
            (["votes.proof.json", "votes.toi", "--unranked", "last"], 1, "made for other data, or"),
            (["votes.proof.json", "votes.toi", "paper.result.json"], 1, "items of the data"),
            (["votes.result.json", "votes.toi"], 1, "not a certificate"),
            (["missing.json", "votes.toi"], 2, "missing.json cannot be read"),
            (["votes.toi", "votes.toi"], 2, "votes.toi cannot be read"),
            (["votes.proof.json", "checker.py"], 2, "checker.py cannot be read"),
            (["votes.proof.json", "votes.proof.json"], 2, "not a file of rankings"),
            (["votes.proof.json"], 2, "usage"),
        ],
    )
    def test_exit_codes(self, folder, monkeypatch, capsys, given, code, words):
        monkeypatch.chdir(folder)
        assert checker.main(given) == code
        shown = capsys.readouterr()
        assert words in shown.out + shown.err

    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"cost": 23}, "cost 23, but the data gives 24"),
            ({"lower_bound": 25}, "lower_bound 25"),
            ({"tiers": [["a"]]}, "it has tiers, but the proof is about rankings"),
            ({"constraints": {"first": ["Lantern"]}}, "it was made for other data"),
            ({"constraints": {"first": ["Nowhere"]}}, "a constraint is about no item"),
            ({"constraints": {"befor": []}}, "unknown constraints"),
            ({"ranking": ["Lantern"]}, "items of the data"),
            ({"cost": None}, "does not hold"),
        ],
    )
    def test_a_changed_result_is_refused(self, folder, monkeypatch, capsys, change, words):
        monkeypatch.chdir(folder)
        facts = json.loads(Path("votes.result.json").read_text()) | change
        Path("changed.json").write_text(json.dumps(facts))
        assert checker.main(["votes.proof.json", "votes.toi", "changed.json"]) == 1
        assert words in capsys.readouterr().out

    def test_a_bound_that_is_not_reached_is_not_called_optimal(self, folder, monkeypatch, capsys):
        monkeypatch.chdir(folder)
        data = cc.read("votes.toi")
        worst = cc.aggregate(data, "borda", initial=None)
        facts = worst.to_dict() | {"ranking": list(cc.aggregate(data).ranking[::-1])}
        facts["cost"] = cc.Pairwise.from_rankings(data).cost(facts["ranking"])
        Path("worse.json").write_text(json.dumps(facts))
        assert checker.main(["votes.proof.json", "votes.toi", "worse.json"]) == 0
        assert "optimal" not in capsys.readouterr().out
        Path("worse.json").write_text(json.dumps(facts | {"status": "optimal"}))
        assert checker.main(["votes.proof.json", "votes.toi", "worse.json"]) == 1

    def test_an_export_that_cannot_be_written_is_an_error(self, tmp_path):
        done = run("verify", "--export-checker", tmp_path / "no" / "such" / "checker.py")
        assert done.exit_code == 2
        assert "--export-checker" in done.stderr
