"""Bootstrap, comparison, report and plots of answers with ties."""

import json
from dataclasses import replace

import pytest

import concordant as cc
from commands import run
from concordant import plot, report
from concordant.errors import InputError, SettingError
from concordant.resampling import Bootstrap
from concordant.tiers.costs import TierCosts

VOTES = cc.Rankings.from_orders(
    [["a", ("b", "c"), "d"], [("b", "c"), "a", "d"], ["a", "b", "c"], ["d", ("a", "b", "c")]],
    weights=[4, 3, 2, 1],
)


@pytest.fixture(scope="module")
def tiers():
    return cc.aggregate(VOTES, ties=True)


@pytest.fixture(scope="module")
def firm(tiers):
    return cc.bootstrap(VOTES, 200, seed=1, consensus=tiers)


# -- bootstrap -----------------------------------------------------------------------------


def test_samples_are_solved_with_ties(tiers, firm, tmp_path):
    assert tiers.tiers == (("a",), ("b", "c"), ("d",))
    assert firm.tiers == tiers.tiers
    assert firm.places == [1, 2, 2, 4]
    assert firm.exact == 1
    assert firm.low[:3] == (1, 1, 1)
    assert all(s + t <= 1 for s, t in zip(firm.stands, firm.tied, strict=True))
    assert firm.tied[1] > 0.5 > firm.tied[2]
    firm.save(tmp_path / "firm.json")
    assert Bootstrap.load(tmp_path / "firm.json") == firm
    assert firm.to_frame().columns[-2:] == ["stands", "tied"]
    assert "tied with the next in" in firm._repr_html_()
    alone = cc.bootstrap(VOTES, 200, seed=1, ties=True, n_jobs=1)
    assert alone == firm


def test_each_sample_gets_a_best_answer():
    """Of several best answers, the numbers of the items do not decide which one is taken."""
    data = cc.Rankings.from_orders([["a", "b"], ["b", "a"]])
    assert 0.4 < cc.bootstrap(data, 300, ties=True, tie_penalty=0.5).stands[0] < 0.6


def test_a_bootstrap_of_given_tiers(tiers):
    podium = cc.aggregate(VOTES, ties=True, tiers=[1, 3])
    firm = cc.bootstrap(VOTES, 50, consensus=podium)
    assert set(firm.low) | set(firm.high) <= {1, 2}
    with pytest.raises(SettingError, match="its penalties"):
        cc.bootstrap(VOTES, 10, consensus=tiers, tie_penalty=1)
    with pytest.raises(SettingError, match="tie_penalty is for answers with ties"):
        cc.bootstrap(VOTES, 10, tie_penalty=1)


# -- comparison ----------------------------------------------------------------------------


def test_methods_are_compared_by_the_cost_of_ties():
    found = cc.compare(VOTES, ["auto", "bioconsert", "borda"], ties=True, tie_penalty=0.4)
    best = cc.aggregate(VOTES, ties=True, tie_penalty=0.4)
    assert (found.cost, found.lower_bound, found.tiers) == (best.cost, best.cost, best.tiers)
    rows = {row.method: row for row in found.rows}
    assert rows["auto"].status == rows["bioconsert"].status == "optimal"
    costs = TierCosts.from_rankings(VOTES, 0.4)
    borda = [(item,) for item in cc.aggregate(VOTES, "borda").ranking]
    assert rows["borda"].cost == pytest.approx(costs.cost(borda))
    facts = found.to_dict()
    assert json.loads(json.dumps(facts))["tie_penalty"] == 0.4
    assert found.plot().get_yticklabels()[0].get_text() in rows
    counted = cc.compare(cc.Pairwise.from_rankings(VOTES), ["auto", "borda"], ties=True)
    assert counted.cost == cc.aggregate(VOTES, ties=True).cost
    old = replace(cc.Pairwise.from_rankings(VOTES), ties=None)
    with pytest.raises(InputError, match="Count the rankings again"):
        cc.compare(old, ["borda"], ties=True)


# -- report and command line ---------------------------------------------------------------


def test_a_report_shows_tiers(tiers, firm):
    page = report.html(tiers, VOTES, firm)
    assert "The tiers" in page
    assert "First is" in page
    assert "No other answer, with or without ties, costs less." in page
    assert "tied with the next" in page
    assert "--ties --tie-penalty 0.5 --vote-tie-penalty 0.5" in page
    assert "--set ties" not in page
    with pytest.raises(InputError, match="another ranking"):
        report.html(tiers, VOTES, cc.bootstrap(VOTES, 10, consensus=tiers.ranking))
    podium = cc.aggregate(VOTES, ties=True, tiers=[1, 3], vote_tie_penalty=0)
    page = report.html(podium, cc.Pairwise.from_rankings(VOTES))
    single = cc.aggregate(VOTES, ties=True, tiers=[3, 1])
    assert "First, tied, are" in report.html(single, VOTES)
    assert "--tiers 1,3" in page
    assert "answer with such tiers" in page


def test_plots_take_tiers(tiers, firm):
    ax = plot.bootstrap(firm)
    slope = ax.get_lines()[-1]
    assert slope.get_xdata().tolist() == [1, 2, 2, 4]
    ax = plot.bump(VOTES, tiers)
    starts = sorted(line.get_ydata()[0] for line in ax.get_lines() if len(line.get_ydata()) == 5)
    assert starts == [1, 2.5, 2.5, 4]
    plot.agreement(VOTES, tiers)
    assert plot.drawing.consensus_rank(tiers, VOTES.items).tolist() == [1, 2, 2, 3]


def test_the_command_line_takes_ties_everywhere(tmp_path):
    file = tmp_path / "votes.toi"
    cc.write(VOTES, file)
    said = run("aggregate", file, "--ties", "--bootstrap", 40, "-o", tmp_path / "r.json")
    assert "tied" in said.stdout
    assert "share of the samples in which it is in the first tier" in said.stdout
    said = run("compare", file, "--ties", "--methods", "auto,de", "--tie-penalty", 1)
    assert "p = 1, q = 1" in said.stdout
    said = run("report", tmp_path / "r.json", file, "-o", tmp_path / "r.html", "--bootstrap", 20)
    assert "The tiers" in (tmp_path / "r.html").read_text()
    run("count", file, "-o", tmp_path / "pairs.npz")
    found = json.loads(run("aggregate", tmp_path / "pairs.npz", "--ties", "--json").stdout)
    assert found["tiers"] == json.loads((tmp_path / "r.json").read_text())["tiers"]
    said = run(
        *("aggregate", file, "--ties", "--method", "bioconsert", "--proof", tmp_path / "p.json"),
        *("-o", tmp_path / "b.json"),
    )
    said = run("verify", tmp_path / "b.json", file, "--proof", tmp_path / "p.json")
    assert "proven by" in said.stdout
