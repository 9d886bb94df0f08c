"""`aggregate(ties=True)`: answers, results, checks, limits and the command line."""

import io
import json
import pickle
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import concordant as cc
from commands import run
from concordant.cli.terminal import show_result
from concordant.errors import InputWarning, SettingError, VerificationError
from concordant.tiers.certificate import check
from concordant.tiers.costs import TierCosts
from strategies import ballots, make
from tiers_common import PENALTIES, cost_by_definition, optimum, weak_orders

CAFES = cc.Rankings.from_orders(
    [
        ["a", ("b", "c"), "d"],
        ["a", ("b", "c")],
        ["c", "a", ("b", "d")],
        [("a", "d"), "b"],
        ["b", "d", "c", "a"],
    ]
)


@pytest.fixture(scope="module")
def hard():
    """Rankings with ties that are not proven in the first round."""
    rng = np.random.default_rng(5)
    ranks = rng.integers(1, 12, (7, 40))
    return cc.Rankings.from_ranks(ranks)


def quietly(*given, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InputWarning)
        return cc.aggregate(*given, ties=True, **options)


# -- answers -------------------------------------------------------------------------------


@given(ballots(max_items=4, max_rankings=4), PENALTIES, PENALTIES, st.data())
@settings(max_examples=40, deadline=None)
def test_answers_are_those_of_brute_force(given_ballots, p, q, data):
    rankings = make(given_ballots)
    m = rankings.n_items
    tiers = data.draw(st.none() | st.integers(1, m))
    result = quietly(rankings, tie_penalty=p, vote_tie_penalty=q, tiers=tiers)
    allowed = [bucket for bucket in weak_orders(m) if tiers in (None, max(bucket) + 1)]
    names = list(given_ballots[0])
    least = min(cost_by_definition(given_ballots, bucket, p, q) for bucket in allowed)
    place = {item: k for k, tier in enumerate(result.tiers) for item in tier}
    bucket = np.array([place[item] for item in names])
    assert cost_by_definition(given_ballots, bucket, p, q) == least
    assert result.cost == result.lower_bound == float(least)
    assert result.status == "optimal"
    assert result.ranking == tuple(item for tier in result.tiers for item in tier)
    assert tiers in (None, len(result.tiers))
    assert result.verify(rankings).bound_proven


@given(ballots(max_items=5, max_rankings=4), PENALTIES, PENALTIES, st.data())
@settings(max_examples=40, deadline=None)
def test_it_says_whether_the_answer_is_the_only_one(given_ballots, p, q, data):
    rankings = make(given_ballots)
    m = rankings.n_items
    number = data.draw(st.none() | st.integers(1, m))
    result = quietly(rankings, tie_penalty=p, vote_tie_penalty=q, tiers=number)
    costs = TierCosts.from_rankings(rankings, p, q)
    found = [costs.cost_units(b) for b in weak_orders(m) if number in (None, max(b) + 1)]
    assert result.is_unique == (found.count(min(found)) == 1)
    assert result.verify(rankings)
    with pytest.raises(VerificationError, match="is_unique"):
        replace(result, is_unique=not result.is_unique).verify(rankings)


def test_first_places_are_proven_alone(hard):
    """Items that all rank first are a part of their own, which is solved at once."""
    names = [str(k) for k in range(5)]
    parts = [
        [*[(name,) for name in names[k % 3 :] + names[: k % 3]], *order]
        for k, order in enumerate([[tuple(f"x{a}" for a in b) for b in r] for r in hard.numbered()])
    ]
    data = cc.Rankings.from_orders(parts)
    result = cc.aggregate(data, ties=True, top=3, max_generations=50)
    whole = cc.aggregate(data, ties=True, max_generations=50)
    assert (result.top, result.top_proven, result.status) == (3, True, "feasible")
    assert result.generations == 0
    assert set(result.ranking[:5]) == set(names)
    assert result.verify(data).top_proven
    assert whole.cost <= result.cost
    # The same claim for the reverse of these tiers.
    tiers = (*result.tiers[4::-1], *result.tiers[5:])
    ranking = tuple(item for tier in tiers for item in tier)
    cost = TierCosts.from_rankings(data).cost(list(tiers))
    forged = replace(result, tiers=tiers, ranking=ranking, cost=float(cost), trace=(), proof=None)
    with pytest.raises(VerificationError, match="first 3 places"):
        forged.verify(data)


@pytest.mark.parametrize("method", ["bioconsert", "de", "es-bucket"])
def test_searches_for_tiers_report_this_objective_with_a_bound(method, hard):
    for p, q in ((0.5, None), (0.4, 0), (1, 1)):
        best = quietly(CAFES, tie_penalty=p, vote_tie_penalty=q)
        result = quietly(CAFES, method=method, tie_penalty=p, vote_tie_penalty=q)
        assert result.lower_bound == best.cost <= result.cost
        assert (result.tie_penalty, result.vote_tie_penalty) == (p, p if q is None else q)
        assert result.verify(CAFES).bound_proven
        assert result.buckets is None
    result = quietly(hard, method=method, max_generations=20)
    costs = TierCosts.from_rankings(hard, result.tie_penalty)
    assert result.lower_bound > costs.value(costs.trivial)
    assert check(result.certificate(), costs.before, costs.tied) >= result.lower_bound
    plain = cc.aggregate(CAFES, method)
    assert plain.tiers is None
    assert plain.details["objective_lower_bound"] <= plain.details["objective_value"]


def test_the_strict_solver_is_used_where_ties_are_worth_nothing():
    data = cc.Rankings.from_orders([["a", "b", "c"], ["b", "c", "a"], ["c", "a", "b"]])
    result = cc.aggregate(data, ties=True)
    strict = cc.aggregate(data)
    assert result.cost == strict.cost
    assert result.tiers == tuple((item,) for item in strict.ranking)
    assert "strict" in result.certificate()
    assert result.verify(data).bound_proven


def test_inside_a_tier_the_rule_for_ties_decides():
    data = cc.Rankings.from_orders([[("a", "b"), "c"], [("b", "a"), "c"], ["b", "a"], ["c", "b"]])
    result = cc.aggregate(data, ties=True, tie_penalty=0.2)
    assert ("b", "a") in result.tiers


def test_tiers_of_given_sizes():
    result = cc.aggregate(CAFES, ties=True, tiers=[1, 3])
    assert [len(tier) for tier in result.tiers] == [1, 3]
    assert result.settings["tiers"] == [1, 3]
    assert result.verify(CAFES).bound_proven


def test_a_matrix_has_no_tied_votes():
    matrix = [[0, 3, 2], [1, 0, 2], [2, 2, 0]]
    result = cc.aggregate(matrix, ties=True, tie_penalty=0.4)
    costs = TierCosts.from_counts(cc.Pairwise.from_matrix(matrix), tie_penalty=0.4)
    assert result.cost == costs.value(optimum(costs))
    assert result.verify(matrix).bound_proven


def test_counts_give_the_same_answer(tmp_path):
    pairs = cc.Pairwise.from_rankings(CAFES)
    pairs.save(tmp_path / "pairs.npz")
    whole = cc.aggregate(CAFES, ties=True)
    for counts in (pairs, cc.Pairwise.load(tmp_path / "pairs.npz")):
        result = cc.aggregate(counts, ties=True)
        assert (result.tiers, result.cost) == (whole.tiers, whole.cost)
        assert result.verify(counts)


@pytest.mark.parametrize(
    "options",
    [
        {"tie_penalty": 0.3},
        {"tiers": 2},
        {"vote_tie_penalty": 0},
        {"ties": False, "tiers": 2},
        {"ties": "lot"},
        {"ties": True, "tie_penalty": 2},
        {"ties": True, "tiers": 0},
        {"ties": True, "tiers": 9},
        {"ties": True, "tiers": []},
        {"ties": True, "tiers": [2, 1]},
        {"ties": True, "tiers": 2, "top": 2},
        {"method": "bioconsert", "ties": True, "tiers": 2},
        {"method": "de", "ties": "yes"},
        {"ties": True, "alternatives": 2},
        {"method": "borda", "tiers": 2},
    ],
)
def test_settings_that_do_not_fit_are_refused(options):
    with pytest.raises(SettingError):
        cc.aggregate(CAFES, **options)


def test_the_setting_ties_of_other_methods_is_theirs():
    assert cc.aggregate(CAFES, "borda", ties="lot").tiers is None
    assert cc.aggregate(CAFES, "bioconsert", tie_penalty=0.5).tiers is None
    assert cc.aggregate(CAFES, ties=False).tiers is None


def test_a_single_tier_is_warned_of():
    data = cc.Rankings.from_orders([[("a", "b", "c")], ["a", ("b", "c")], [("b", "a", "c")]])
    with pytest.warns(InputWarning, match=r"Use vote_tie_penalty=0 .* Use tiers=N"):
        result = cc.aggregate(data, ties=True)
    assert result.tiers == (("a", "b", "c"),)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        cc.aggregate(data, ties=True, tiers=1)
        assert len(cc.aggregate(data, ties=True, vote_tie_penalty=0).tiers) > 1


# -- limits --------------------------------------------------------------------------------


def facts(result):
    return result.tiers, result.cost, result.lower_bound, result.iterations, result.generations


def test_the_same_seed_and_limit_give_the_same_answer(hard):
    runs = [
        cc.aggregate(hard, ties=True, max_generations=3, seed=4, n_jobs=jobs) for jobs in (1, 2, 1)
    ]
    assert facts(runs[0]) == facts(runs[1]) == facts(runs[2])


def test_limits_end_the_run(hard):
    for limit in ({"time_limit": 0}, {"max_iterations": 0}, {"target": 1e9}):
        result = cc.aggregate(hard, ties=True, **limit)
        assert result.status == "feasible"
        assert result.generations == 0
        assert result.lower_bound < result.cost
        assert result.verify(hard)
    seen = []
    cc.aggregate(hard, ties=True, stop=lambda at: seen.append(at) or at.generations >= 2)
    assert [at.generations for at in seen] == [0, 1, 2]


def test_an_interrupt_returns_the_best_so_far(hard):
    def interrupt(progress):
        if progress.generations >= 1:
            raise KeyboardInterrupt
        return False

    result = cc.aggregate(hard, ties=True, stop=interrupt)
    assert result.interrupted
    assert result.verify(hard)


def test_the_answer_is_never_worse_than_the_initial_one(hard):
    best = cc.aggregate(hard, ties=True, max_generations=6)
    again = cc.aggregate(hard, ties=True, initial=best, max_iterations=0, seed=9)
    assert again.cost <= best.cost
    strict = cc.aggregate(hard, max_iterations=100)
    other = cc.aggregate(hard, ties=True, initial=strict, max_iterations=0)
    costs = TierCosts.from_rankings(hard)
    assert other.cost <= costs.cost([(item,) for item in strict.ranking])


# -- results -------------------------------------------------------------------------------


def test_a_result_is_saved_read_and_verified(tmp_path, hard):
    for data, options in ((CAFES, {}), (CAFES, {"tiers": 2}), (hard, {"max_generations": 4})):
        result = cc.aggregate(data, ties=True, tie_penalty=0.4, vote_tie_penalty=0.3, **options)
        path = tmp_path / "result.json"
        result.save(path)
        again = cc.Consensus.load(path)
        assert again == result
        assert (again.tie_penalty, again.vote_tie_penalty) == (0.4, 0.3)
        assert again.verify(data).cost == result.cost


def test_the_certificate_proves_the_bound(tmp_path, hard):
    result = cc.aggregate(hard, ties=True, max_generations=8)
    costs = TierCosts.from_rankings(hard)
    proven = check(result.certificate(), costs.before, costs.tied)
    assert Fraction(proven, costs.scale) >= Fraction(result.lower_bound)
    result.save(tmp_path / "result.json")
    result.save_proof(tmp_path / "proof.json")
    loaded = cc.Consensus.load(tmp_path / "result.json")
    assert loaded.verify(hard, tmp_path / "proof.json").by_certificate
    copied = pickle.loads(pickle.dumps(result))
    assert copied.certificate() == result.certificate()


def test_no_certificate_for_a_number_of_tiers_of_few_items():
    with pytest.raises(SettingError, match="verify solves the problem again"):
        cc.aggregate(CAFES, ties=True, tiers=2).certificate()


@pytest.mark.parametrize(
    "changes",
    [
        {"cost": 1},
        {"lower_bound": 0},
        {"status": "feasible"},
        {"tie_penalty": 0.4},
        {"tie_penalty": None},
        {"tie_penalty": 7},
        {"vote_tie_penalty": 0.1},
        {"tiers": (("a", "b", "c", "d"),)},
        {"tiers": (("a",), ("b",), ("c",))},
        {"tiers": (("b",), ("a",), ("c",), ("d",))},
        {"tiers": None},
        {"settings": {"tiers": 1}},
        {"settings": {"tiers": "x"}},
        {"winners": ("a",)},
        {"is_unique": False},
        {"n_rankings": 6},
        {"uncompared": ("a",)},
    ],
)
def test_changed_results_are_refused(changes):
    result = cc.aggregate(CAFES, ties=True, tie_penalty=0.5)
    assert result.verify(CAFES)
    with pytest.raises(VerificationError):
        replace(result, trace=(), **changes).verify(CAFES)


def test_a_bound_that_is_too_high_is_refused(hard):
    result = cc.aggregate(hard, ties=True, max_generations=0)
    assert result.lower_bound < result.cost
    worse = cc.aggregate(hard, ties=True, tiers=1, max_generations=0)
    forged = replace(worse, settings={}, lower_bound=worse.cost, status="optimal", trace=())
    with pytest.raises(VerificationError, match="there is an answer of cost"):
        forged.verify(hard)


def test_a_certificate_of_other_penalties_is_refused(tmp_path):
    cc.aggregate(CAFES, ties=True, tie_penalty=0.4).save_proof(tmp_path / "other.json")
    with pytest.raises(VerificationError, match="other data"):
        cc.aggregate(CAFES, ties=True).verify(CAFES, tmp_path / "other.json")


def test_what_a_result_shows():
    result = cc.aggregate(CAFES, ties=True, tiers=[1, 3])
    first, *rest = result.ranking
    tied = " = ".join(rest)
    assert repr(result) == f"Consensus({first} > {tied}, cost {result.cost:,}, optimal)"
    assert result.others == "the only best answer"
    assert result.places == [(1, first), *((2, item) for item in rest)]


def test_the_terminal_names_places_and_penalties():
    stream = io.StringIO()
    result = cc.aggregate(CAFES, ties=True, tiers=[1, 3])
    show_result(result, CAFES, stream)
    lines = stream.getvalue().splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["1", "2", "2", "2"]
    assert any(line.startswith("ties ") and "p = 0.5" in line for line in lines)
    assert any("no answer with such tiers costs less" in line for line in lines)


# -- the command line ----------------------------------------------------------------------


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.toi"
    cc.write(CAFES, path)
    return path


def test_the_command_finds_and_verifies_tiers(votes, tmp_path):
    saved, proof = tmp_path / "result.json", tmp_path / "proof.json"
    done = run("aggregate", votes, "--ties", "--tie-penalty", 0.4, "-o", saved, "--proof", proof)
    assert done.exit_code == 0, done.stderr
    assert "p = 0.4" in done.stdout
    assert run("verify", saved, votes, "--proof", proof).exit_code == 0
    assert "proven again" in run("verify", saved, votes).stdout
    facts = json.loads(saved.read_text())
    facts["tiers"] = [facts["ranking"]]
    saved.write_text(json.dumps(facts))
    assert run("verify", saved, votes).exit_code == 1


def test_the_command_takes_a_number_of_tiers_or_their_sizes(votes):
    for given_tiers, sizes in (("2", 2), ("1,3", [1, 3])):
        done = run("aggregate", votes, "--ties", "--tiers", given_tiers, "--json")
        tiers = [len(tier) for tier in json.loads(done.stdout)["tiers"]]
        assert tiers == sizes or len(tiers) == sizes


@pytest.mark.parametrize("words", [["--tiers", "2"], ["--ties", "--tiers", "x"]])
def test_the_command_refuses_what_does_not_fit(votes, words):
    done = run("aggregate", votes, *words)
    assert done.exit_code == 2
    assert "--ti" in done.stderr


def test_the_command_warns_of_a_single_tier(tmp_path):
    path = tmp_path / "votes.toc"
    cc.write(cc.Rankings.from_orders([[("a", "b", "c")], [("a", "b", "c")], ["a", "b", "c"]]), path)
    assert "--vote-tie-penalty 0" in run("aggregate", path, "--ties").stderr
