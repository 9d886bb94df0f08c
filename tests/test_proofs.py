"""Bounds, trees and certificates against brute force; tampering is refused."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
from dataclasses import replace
from itertools import combinations, islice, permutations

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from concordant import Consensus, Rankings, aggregate, checker, write
from concordant.bounds.alternatives import optimal_orders
from concordant.bounds.ascent import Ascent
from concordant.bounds.multipliers import Cycles, Multipliers, exact_bound, rounded
from concordant.bounds.prover import Prover
from concordant.bounds.tree import ComponentProof
from concordant.certificate import check, exchange_pairs, fingerprint, optimum_by_subsets
from concordant.checker import Refused
from concordant.cli import app
from concordant.errors import InputError, SettingError, VerificationError
from concordant.generate import mallows, uniform
from concordant.pairwise import Pairwise
from concordant.reduction.split import Part


def exhaust(slices):
    for _ in slices:
        pass


def cost(counts, order):
    return sum(int(counts[b, a]) for p, a in enumerate(order) for b in order[p + 1 :])


def brute_force(counts):
    return min(cost(counts, order) for order in permutations(range(len(counts))))


@st.composite
def matrices(draw, largest=6):
    weights = st.integers(0, 7)
    m = draw(st.integers(2, largest))
    rows = draw(st.lists(st.lists(weights, min_size=m, max_size=m), min_size=m, max_size=m))
    counts = np.array(rows, np.int64)
    np.fill_diagonal(counts, 0)
    return counts


def cyclic(m, seed, spread=5):
    """A random matrix; most of them are one component."""
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, spread, (m, m))
    np.fill_diagonal(counts, 0)
    return counts


def tournament(m, seed):
    """One voter's view of every pair, at random: the hardest kind to prove."""
    upper = np.triu(np.random.default_rng(seed).integers(0, 2, (m, m)), 1)
    return upper + np.tril(1 - upper.T, -1)


@settings(max_examples=40, deadline=None)
@given(matrices())
def test_tree_finds_the_optimum_and_its_proof_holds(counts):
    proof = ComponentProof(Part.whole(counts))
    proof.work()
    least = brute_force(counts)
    assert proof.cost == proof.bound == least
    assert cost(counts, proof.order.tolist()) == least


@settings(max_examples=40, deadline=None)
@given(matrices(), st.integers(-20, 20))
def test_the_bound_never_exceeds_the_optimum(counts, shift):
    # Negative entries too: the linear ordering problem.
    counts = counts + np.where(np.eye(len(counts), dtype=bool), 0, shift)
    proof = ComponentProof(Part.whole(counts))
    least = brute_force(counts)
    for _ in islice(proof.slices(), 30):
        assert proof.bound <= least <= proof.cost


@settings(max_examples=40, deadline=None)
@given(matrices(), st.lists(st.tuples(*[st.integers(0, 5)] * 3, st.integers(-9, 9)), max_size=12))
def test_any_multipliers_give_a_bound(counts, rows):
    m = len(counts)
    kept = sorted({(*sorted(row[:3]), row[3]) for row in rows if len(set(row[:3])) == 3})
    kept = [row for row in kept if row[2] < m]
    triangles = np.array([row[:3] for row in kept], np.int32).reshape(-1, 3)
    y = np.array([row[3] for row in kept], float) / 2
    costs = np.triu(counts.T - counts, 1)
    before = np.zeros((m, m), np.int8)
    bound = exact_bound(costs, before, rounded(triangles, y, 2))
    assert bound.units() + int(np.triu(counts, 1).sum()) <= brute_force(counts)


@settings(max_examples=40, deadline=None)
@given(matrices(largest=7))
def test_a_certificate_proves_the_optimum(counts):
    pairwise = Pairwise.from_matrix(counts)
    prover = Prover(pairwise, by_subsets=False)
    prover.work()
    certificate = json.loads(json.dumps(prover.proof().certificate()))
    assert check(certificate, pairwise.counts) == prover.cost == brute_force(counts)


@settings(max_examples=40, deadline=None)
@given(matrices(largest=7))
def test_subsets_find_the_optimum(counts):
    assert optimum_by_subsets(counts) == brute_force(counts)


@pytest.mark.parametrize("seed", range(4))
def test_tree_agrees_with_subsets_on_larger_components(seed):
    counts = cyclic(12, seed)
    proof = ComponentProof(Part.whole(counts))
    proof.work()
    assert proof.cost == proof.bound == optimum_by_subsets(counts)


def test_ascent_reaches_the_bound_of_the_linear_program():
    # For a cycle of three, charging its weakest pair is the whole story.
    counts = np.array([[0, 5, 1], [2, 0, 9], [4, 3, 0]])
    costs = np.triu(counts.T - counts, 1)
    ascent = Ascent(costs)
    for _ in range(60):
        exhaust(ascent.round())
    base = int(np.triu(counts, 1).sum())
    assert base + ascent.value == pytest.approx(brute_force(counts), abs=1e-6)


def linear_program(costs):
    """The least relative cost of pair variables that no triangle forbids, by scipy's HiGHS."""
    k = len(costs)
    pairs = list(combinations(range(k), 2))
    column = {pair: n for n, pair in enumerate(pairs)}
    corners = list(combinations(range(k), 3))
    rows = np.repeat(np.arange(len(corners)), 3)
    columns = [column[pair] for i, j, h in corners for pair in ((i, j), (j, h), (i, h))]
    matrix = csr_array((np.tile([1.0, 1.0, -1.0], len(corners)), (rows, columns)))
    objective = [costs[pair] for pair in pairs]
    solved = milp(objective, bounds=Bounds(0, 1), constraints=LinearConstraint(matrix, 0, 1))
    return solved.fun


@pytest.mark.parametrize("seed", range(3))
def test_ascent_reaches_the_linear_program(seed):
    counts = Pairwise.from_rankings(mallows(25, 9, theta=0.001, seed=seed)).counts
    costs = np.triu(counts.T - counts, 1)
    ascent = Ascent(costs)
    for _ in range(400):
        exhaust(ascent.round())
    assert ascent.value == pytest.approx(linear_program(costs), abs=1e-3)


def test_stopping_at_once_still_gives_a_bound_and_a_certificate():
    data = mallows(40, 20, theta=0.001, seed=3)
    result = aggregate(data, "exact", time_limit=0)
    pairwise = Pairwise.from_rankings(data)
    assert result.lower_bound <= result.cost
    assert check(result.certificate(), pairwise.counts) >= result.lower_bound


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_exact_proves_what_it_finds(n_jobs):
    data = mallows(30, 15, theta=0.01, seed=5)
    result = aggregate(data, "exact", n_jobs=n_jobs)
    assert result.status == "optimal"
    certificate = result.certificate()
    assert check(certificate, Pairwise.from_rankings(data).counts) == result.cost


@pytest.mark.parametrize("weight", [10**9, 2**40, 2**55])
def test_weights_near_overflow_are_proven_in_integers(weight):
    counts = cyclic(5, 3) * weight
    result = aggregate(counts, "exact")
    prover = Prover(Pairwise.from_matrix(counts), by_subsets=False)
    prover.work()
    assert result.cost == prover.cost == prover.bound == brute_force(counts)
    assert check(prover.proof().certificate(), counts) == result.cost


def test_any_order_is_optimal_without_majorities():
    result = aggregate(np.zeros((50, 50), int), "exact")
    assert (result.cost, result.status) == (0, "optimal")


# -- tampering -----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def proven():
    counts = tournament(20, 2)
    pairwise = Pairwise.from_matrix(counts)
    prover = Prover(pairwise, by_subsets=False)
    prover.work()
    certificate = json.loads(json.dumps(prover.proof().certificate()))
    assert check(certificate, counts) == prover.cost
    return counts, certificate, prover.cost


def test_the_tampered_certificate_has_a_tree(proven):
    _, certificate, _ = proven
    assert any(len(part.get("nodes", [])) > 1 for part in certificate["components"])


def tree_of(certificate):
    return max(certificate["components"], key=lambda part: len(part.get("nodes", [])))


def raise_bound(c):
    tree_of(c)["bound"] += 1
    tree_of(c)["cutoff"] += 1
    c["bound"] += 1


def lower_cutoff(c):
    tree_of(c)["cutoff"] -= 1


def weaken(c):
    for node in tree_of(c)["nodes"]:
        for step in node["rounds"]:
            step["rows"]["cycle"] = [[y // 2, *items] for y, *items in step["rows"]["cycle"]]


def flip(c):
    for node in tree_of(c)["nodes"]:
        for step in node["rounds"]:
            step["rows"]["cycle"] = [[y, *items[::-1]] for y, *items in step["rows"]["cycle"]]


def drop_rounds(c):
    for node in tree_of(c)["nodes"]:
        node["rounds"] = []


def drop_leaves(c):
    for node in tree_of(c)["nodes"]:
        if "branch" not in node:
            node["rounds"] = []


def turn_round_branch(c):
    node = next(node for node in tree_of(c)["nodes"] if "branch" in node)
    node["children"] = [node["children"][0]] * 2


def loop(c):
    node = next(node for node in tree_of(c)["nodes"] if "branch" in node)
    node["children"] = [0, 0]


def cut_branch(c):
    node = next(node for node in tree_of(c)["nodes"] if "branch" in node)
    del node["branch"]


def move_item(c):
    tree_of(c)["items"].pop()


def repeat_item(c):
    items = tree_of(c)["items"]
    items[0] = items[1]


def foreign_item(c):
    tree_of(c)["items"][0] = 99


def no_components(c):
    c["components"] = []


def with_rows(c, rows, scale=1):
    tree_of(c)["nodes"][0]["rounds"] = [{"scale": scale, "rows": rows}]


def scale_zero(c):
    with_rows(c, {"cycle": []}, scale=0)


def scale_huge(c):
    with_rows(c, {"cycle": []}, scale=2**63)


def floats(c):
    with_rows(c, {"cycle": [[0.5, 0, 1, 2]]})


def negative(c):
    with_rows(c, {"cycle": [[-1, 0, 1, 2]]})


def unknown_kind(c):
    with_rows(c, {"fence": [[1, 0, 1, 2]]})


def not_by_kind(c):
    with_rows(c, [[1, 0, 1, 2]])


def short_cycle(c):
    with_rows(c, {"cycle": [[1, 0, 1]]})


def standing_cycle(c):
    with_rows(c, {"cycle": [[1, 0, 0, 2]]})


def foreign_cycle(c):
    with_rows(c, {"cycle": [[1, 0, 1, 99]]})


def huge(c):
    with_rows(c, {"cycle": [[2**62, 0, 1, 2]]})


def beyond(c):
    with_rows(c, {"cycle": [[2**70, 0, 1, 2]]})


def of_5000_digits(c):
    tree_of(c)["cutoff"] = 10**4999


def no_list(c):
    with_rows(c, {"cycle": [[1, 0, 1, 2], 7]})


def true_bound(c):
    c["bound"] = True


def another_format(c):
    c["format"] = "something"


def another_version(c):
    c["version"] = 1


def by_subsets(c):
    part = tree_of(c)
    del part["nodes"]
    part["proof"] = "subsets"
    part["bound"] += 1
    c["bound"] += 1


@pytest.mark.parametrize(
    "tamper",
    [
        raise_bound, lower_cutoff, weaken, flip, drop_rounds, drop_leaves, turn_round_branch, loop,
        cut_branch, move_item, repeat_item, foreign_item, no_components, scale_zero, scale_huge,
        floats, negative, unknown_kind, not_by_kind, short_cycle, standing_cycle, foreign_cycle,
        huge, beyond, of_5000_digits, no_list, true_bound, another_format, another_version,
        by_subsets,
    ],
)  # fmt: skip
def test_a_tampered_certificate_is_refused(proven, tamper):
    counts, certificate, _ = proven
    changed = copy.deepcopy(certificate)
    tamper(changed)
    with pytest.raises(VerificationError):
        check(changed, counts)
    with pytest.raises(Refused):
        checker.check(changed, counts.tolist())


def test_tampered_data_is_refused(proven):
    counts, certificate, _ = proven
    changed = counts.copy()
    changed[0, 1] += 1
    with pytest.raises(VerificationError, match="other data"):
        check(certificate, changed)
    # Not even with the fingerprint made to fit may a wrong bound pass.
    lower = counts - 1 + np.eye(20, dtype=np.int64)
    forged = {**certificate, "data": fingerprint(lower)}
    with pytest.raises(VerificationError):
        check(forged, lower)


@pytest.mark.parametrize("junk", [None, [], "x", 3, {}, {"format": "concordant-certificate"}])
def test_junk_is_refused(proven, junk):
    with pytest.raises(VerificationError):
        check(junk, proven[0])
    with pytest.raises(Refused):
        checker.check(junk, proven[0].tolist())


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_no_random_change_proves_too_much(proven, data):
    """Change one number anywhere: the checker refuses, or what it proves is still true."""
    counts, certificate, optimum = proven
    changed = copy.deepcopy(certificate)
    at = changed
    while isinstance(at, dict | list):
        keys = list(at) if isinstance(at, dict) else range(len(at))
        if not keys:
            return
        key = data.draw(st.sampled_from(keys))
        if not isinstance(at[key], dict | list):
            break
        at = at[key]
    if isinstance(at[key], int):
        at[key] += data.draw(st.sampled_from([-5, -1, 1, 3, 100]))
    with contextlib.suppress(VerificationError):
        assert check(changed, counts) <= optimum


@settings(max_examples=60, deadline=None)
@given(matrices(), st.integers(0, 2))
def test_every_optimal_order_has_the_pairs_of_the_exchange_rule(counts, unanimous):
    # Weight that all put in the order of the items, so that the rule has something to find.
    counts = counts + unanimous * np.triu(np.ones_like(counts), 1)
    pairs = exchange_pairs(counts)
    least = brute_force(counts)
    for order in permutations(range(len(counts))):
        if cost(counts, order) == least:
            assert not np.tril(pairs[np.ix_(order, order)]).any()


@settings(max_examples=40, deadline=None)
@given(matrices(largest=8))
def test_the_kernel_and_the_checker_agree_on_exchanges(counts):
    assert (ComponentProof(Part.whole(counts)).start == exchange_pairs(counts)).all()


def test_the_exchange_rule_finds_unanimous_pairs():
    data = mallows(12, 9, theta=0.4, seed=2)
    counts = Pairwise.from_rankings(data).counts
    assert (counts == 9).any()
    assert (exchange_pairs(counts) >= (counts == 9)).all()


# -- all optima ----------------------------------------------------------------------------


@settings(max_examples=40, deadline=None)
@given(matrices(largest=5), st.integers(1, 130))
def test_all_optimal_orders_are_listed(counts, most):
    every = {order: cost(counts, order) for order in permutations(range(len(counts)))}
    least = min(every.values())
    optimal = {order for order, value in every.items() if value == least}
    first = np.array(min(optimal))
    orders, complete = optimal_orders(Pairwise.from_matrix(counts), first, most)
    listed = [tuple(order.tolist()) for order in orders]
    assert listed[0] == tuple(first.tolist())
    assert len(set(listed)) == len(listed) == min(most, len(optimal))
    assert set(listed) <= optimal
    assert complete == (len(optimal) <= most)


def test_alternatives_are_listed_and_verified():
    data = Rankings.from_orders([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])
    result = aggregate(data, alternatives=10)
    assert len(result.alternatives) == 3
    assert result.alternatives[0] == result.ranking
    assert result.is_unique is False
    assert result.verify(data)
    assert aggregate(data, alternatives=1).alternatives == (result.ranking,)
    alone = aggregate(Rankings.from_orders([["a", "b", "c"]]), alternatives=3)
    assert alone.is_unique is True
    assert len(alone.alternatives) == 1
    wrong = replace(result, alternatives=(result.ranking, ("a", "c", "b")))
    with pytest.raises(VerificationError, match="alternative costs"):
        wrong.verify(data)
    assert aggregate(data, alternatives=0).is_unique is None
    with pytest.raises(SettingError, match="alternatives"):
        aggregate(data, alternatives=-1)


def test_uniqueness_is_left_open_when_nothing_is_proven():
    data = mallows(60, 10, theta=0.001, seed=1)
    assert aggregate(data, time_limit=0, alternatives=2).is_unique is None


# -- results with proofs -------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("saved")
    data = mallows(24, 9, theta=0.01, seed=4)
    result = aggregate(data, "exact")
    result.save(folder / "result.json")
    result.save_proof(folder / "proof.json")
    write(data, folder / "votes.soc")
    return folder, data, result


def test_a_saved_proof_verifies_a_saved_result(saved):
    folder, data, result = saved
    assert result.status == "optimal"
    assert Consensus.load(folder / "result.json").verify(data, folder / "proof.json")


@pytest.mark.parametrize("seed", [5, 6])
def test_a_proof_of_other_data_is_refused(saved, seed):
    folder, _, _ = saved
    other = mallows(24, 9, theta=0.01, seed=seed)
    with pytest.raises(VerificationError, match="other data"):
        aggregate(other).verify(other, folder / "proof.json")


def test_a_result_that_claims_more_than_its_proof_is_refused(saved, tmp_path):
    folder, data, result = saved
    hard = mallows(40, 10, theta=0.001, seed=3)
    weak = Prover(Pairwise.from_rankings(hard)).proof().certificate()
    (tmp_path / "weak.json").write_text(json.dumps(weak))
    strong = aggregate(hard, "exact")
    assert strong.verify(hard)
    with pytest.raises(VerificationError, match="the certificate proves"):
        strong.verify(hard, tmp_path / "weak.json")
    worse = replace(result, cost=result.cost + 1, lower_bound=result.lower_bound + 1)
    with pytest.raises(VerificationError, match="cost"):
        worse.verify(data, folder / "proof.json")


def test_a_method_without_a_proof_raises_an_error(tmp_path):
    with pytest.raises(SettingError, match="has no proof"):
        aggregate(uniform(12, 5, seed=1), "bnb", beam=None).save_proof(tmp_path / "proof.json")


def test_results_can_be_copied_with_their_proof(saved):
    _, data, result = saved
    again = pickle.loads(pickle.dumps(result))
    assert check(again.certificate(), Pairwise.from_rankings(data).counts) == result.cost


def test_an_interrupt_keeps_order_and_bound():
    def interrupt(progress):
        if progress.lower_bound is not None and progress.elapsed > 0.2:
            raise KeyboardInterrupt

    data = mallows(120, 20, theta=0.001, seed=1)
    result = aggregate(data, time_limit=30, on_progress=interrupt)
    assert result.interrupted
    assert result.elapsed < 20
    assert result.lower_bound <= result.cost
    counts = Pairwise.from_rankings(data).counts
    assert check(result.certificate(), counts) >= result.lower_bound


def test_the_command_line_writes_and_checks_proofs(saved, tmp_path):
    folder, _, _ = saved
    votes, out, proof = folder / "votes.soc", tmp_path / "r.json", tmp_path / "p.json"

    def run(*arguments):
        return CliRunner().invoke(app, [str(argument) for argument in arguments])

    assert run("aggregate", votes, "-q", "-o", out, "--proof", proof).exit_code == 0
    checked = run("verify", out, votes, "--proof", proof)
    assert checked.exit_code == 0
    assert "proven by" in checked.stdout
    text = proof.read_text()
    certificate = json.loads(text)
    certificate["bound"] += 1
    proof.write_text(json.dumps(certificate))
    refused = run("verify", out, votes, "--proof", proof)
    assert refused.exit_code == 1
    assert "proves" in refused.stderr
    listed = run("aggregate", votes, "--alternatives", 3, "--json")
    assert json.loads(listed.stdout)["alternatives"]


def test_exact_refuses_to_run_without_its_proof():
    with pytest.raises(SettingError, match="use method 'auto' with proof=False"):
        aggregate([[0, 1], [0, 0]], "exact", proof=False)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_proof_that_is_far_from_complete_gives_its_time_to_the_search(n_jobs, monkeypatch):
    """Entries of many sizes: the triangle bound stays far from every order."""
    monkeypatch.setattr("concordant.solver.beside._FIRST_ITEMS", 0)
    monkeypatch.setattr("concordant.solver.beside._NEVER", 18)
    monkeypatch.setattr("concordant.solver.beside._LEAST_STEPS", 1)
    monkeypatch.setattr("concordant.solver.beside._LEAST_SHARE", 1e9)
    rng = np.random.default_rng(1)
    matrix = np.floor(np.exp(rng.normal(0, 3, (45, 45)))).astype(int)
    result = aggregate(matrix, time_limit=1, n_jobs=n_jobs)
    assert result.gap > 0.01
    assert result.verify(Pairwise.from_matrix(matrix))


@settings(max_examples=40, deadline=None)
@given(matrices(largest=6), st.data())
def test_cycles_of_any_length_never_prove_too_much(counts, data):
    m = len(counts)
    lengths = st.integers(3, max(3, m))
    rows = []
    if m >= 3:
        cycle = lengths.flatmap(lambda n: st.permutations(range(m)).map(lambda p: p[:n]))
        rows = data.draw(st.lists(st.tuples(st.integers(1, 9), cycle), max_size=5))
    scale = data.draw(st.integers(1, 3))
    items = np.array([a for _, cycle in rows for a in cycle], np.int32)
    starts = np.cumsum([0, *(len(cycle) for _, cycle in rows)])
    cycles = Cycles(starts, items, np.array([y for y, _ in rows], np.int64))
    costs = np.triu(counts.T - counts, 1)
    before = np.zeros((m, m), np.int8)
    bound = exact_bound(costs, before, Multipliers((cycles,), scale))
    optimum = brute_force(counts)
    proven = bound.units() + int(np.triu(counts, 1).sum())
    assert proven <= optimum
    # The checker, which shares no code with it, comes to the same.
    part = {
        "items": list(range(m)),
        "cutoff": optimum,
        "bound": proven,
        "nodes": [{"rounds": [Multipliers((cycles,), scale).to_dict()]}],
    }
    certificate = {
        "format": "concordant-certificate",
        "version": 2,
        "n_items": m,
        "data": fingerprint(counts),
        "bound": proven,
        "components": [part],
    }
    trivial = int(np.minimum(counts, counts.T).sum()) // 2
    if proven >= trivial:
        assert check(certificate, counts) == proven
    if proven + 1 <= optimum and bound.step:
        part["bound"] = certificate["bound"] = proven + 1
        if proven + 1 > trivial:
            with contextlib.suppress(VerificationError):
                assert check(certificate, counts) <= optimum


@pytest.mark.parametrize("m", [*range(1, 23), 30, 45, 60])
def test_an_optimal_result_has_a_valid_certificate(m):
    for seed in range(2):
        data = uniform(m, 5, seed=seed)
        result = aggregate(data, max_iterations=300_000, n_jobs=1)
        proven = check(result.certificate(), Pairwise.from_rankings(data).counts)
        assert proven == result.lower_bound
        if m <= 18:
            assert result.status == "optimal"


@pytest.mark.parametrize("name", ["borda", "insertion", "copeland", "lads"])
def test_every_method_can_prove_the_bound_of_the_pairs(name):
    data = mallows(8, 40, theta=0.9, seed=3)
    result = aggregate(data, name, max_iterations=1000)
    assert check(result.certificate(), Pairwise.from_rankings(data).counts) == result.lower_bound


def test_scale_of_64_bits_over_zero_margins_is_refused():
    counts = np.ones((3, 3), np.int64) - np.eye(3, dtype=np.int64)
    step = {"scale": 2**63, "rows": {"cycle": []}}
    part = {"items": [0, 1, 2], "cutoff": 4, "bound": 4, "nodes": [{"rounds": [step]}]}
    certificate = {
        "format": "concordant-certificate",
        "version": 2,
        "n_items": 3,
        "data": fingerprint(counts),
        "bound": 4,
        "components": [part],
    }
    with pytest.raises(VerificationError, match="too large"):
        check(certificate, counts)


def test_a_file_with_an_integer_of_5000_digits_is_refused(tmp_path):
    path = tmp_path / "proof.json"
    path.write_text('{"bound": ' + "9" * 5000 + "}")
    data = mallows(4, 3, theta=0.5, seed=1)
    with pytest.raises(InputError, match="not a certificate"):
        aggregate(data).verify(data, path)


def test_wide_components_have_bounds_of_cycles(monkeypatch: pytest.MonkeyPatch) -> None:
    data = mallows(40, 9, theta=0.01, seed=1)
    best = aggregate(data)
    assert best.status == "optimal"
    monkeypatch.setattr("concordant.bounds.prover.WIDE", 10)
    wide = aggregate(data, max_iterations=300_000)
    assert Pairwise.from_rankings(data).lower_bound_units() < wide.lower_bound <= best.cost
    assert wide.cost >= best.cost
    assert wide.verify(data)
