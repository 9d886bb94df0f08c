"""`compare_many`: methods on many problems, with paired tests; and tables as LaTeX."""

import json
import re

import pytest

import concordant as cc
from commands import is_error, run
from concordant import generate
from concordant.errors import InputError, SettingError
from concordant.layout import Column, Table, escape_latex
from concordant.paired import average_ranks, contest, standings

METHODS = ["auto", "borda", "pick-a-ranking"]


@pytest.fixture(scope="module")
def problems():
    return {f"p{k}": generate.mallows(8, 7, theta=0.05, seed=k) for k in range(6)}


@pytest.fixture(scope="module")
def found(problems):
    return cc.compare_many(problems, METHODS, time_limit=1)


def test_rows_are_those_of_the_comparisons_of_each_problem(problems, found):
    assert list(found.comparisons) == list(problems)
    assert (found.reference, found.common, found.failed) == ("auto", 6, {})
    costs = {
        name: [
            next(row.distance for row in each.rows if row.method == name)
            for each in found.comparisons.values()
        ]
        for name in METHODS
    }
    ranks = average_ranks(list(zip(*costs.values(), strict=True)))
    for row in found.rows:
        assert row.problems == 6
        assert row.average_rank == ranks[METHODS.index(row.method)]
        if row.method == "auto":
            assert (row.wins, row.p, row.gap, row.optimal) == (None, None, 0, 6)
        else:
            pairs = list(zip(costs[row.method], costs["auto"], strict=True))
            assert (row.wins, row.ties, row.losses, row.p) == contest(pairs)
    assert [row.average_rank for row in found.rows] == sorted(ranks)


def test_against_names_the_reference(problems):
    two = {key: problems[key] for key in ("p0", "p1")}
    found = cc.compare_many(two, ["borda", "pick-a-ranking"], against="pick-a-ranking")
    assert found.reference == "pick-a-ranking"
    assert cc.compare_many(list(two.values()), ["borda"]).reference == "borda"
    with pytest.raises(SettingError, match="not one of the methods"):
        cc.compare_many(two, ["borda"], against="auto")
    with pytest.raises(SettingError, match="list of names"):
        cc.compare_many(two, "borda")
    with pytest.raises(SettingError, match="no problem"):
        cc.compare_many([])


def test_a_problem_is_solved_by_the_methods_that_can_take_it(problems):
    mixed = [problems["p0"], [[0, 2], [1, 0]], problems["p1"]]
    found = cc.compare_many(mixed, ["borda", "pick-a-ranking"])
    assert {row.method: row.problems for row in found.rows} == {"borda": 3, "pick-a-ranking": 2}
    assert found.common == 2
    found = cc.compare_many([*mixed, [[1, 2, 3]]], ["pick-a-ranking"])
    assert set(found.failed) == {1, 3}
    with pytest.raises(InputError, match="no method can take it: 'pick-a-ranking' needs"):
        cc.compare_many(mixed[1:2], ["pick-a-ranking"])


def test_ctrl_c_returns_the_problems_so_far(problems):
    def stop(done, total, key):
        if done == 2:
            raise KeyboardInterrupt

    found = None
    with pytest.raises(KeyboardInterrupt):
        cc.compare_many(problems, ["borda"], on_progress=lambda *_: stop(2, 0, ""))
    found = cc.compare_many(problems, ["borda"], on_progress=stop)
    assert found.interrupted
    assert len(found.comparisons) == 2


def test_standings_need_no_common_instance():
    found, common = standings({"a": {1: 1.0}, "b": {2: 1.0}}, "a")
    assert common == 0
    assert found["b"].average_rank is found["b"].p is None


def test_the_command_line_compares_several_files(problems, tmp_path):
    paths = [tmp_path / f"{key}.soc" for key in ("p0", "p1", "p2")]
    for path in paths:
        cc.write(problems[path.stem], path)
    done = run("compare", *paths, "--methods", "borda,auto", "-q")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0].split() == [
        *["method", "problems", "average", "rank", "mean", "gap", "optimal", "wins", "ties"],
        *["losses", "p", "seconds"],
    ]
    facts = json.loads(run("compare", *paths, "--methods", "borda,auto", "--json").stdout)
    assert list(facts["comparisons"]) == [str(path) for path in paths]
    assert {row["method"] for row in facts["rows"]} == {"borda", "auto"}
    text = run("compare", *paths, "--methods", "borda,auto", "--csv").stdout
    assert text.startswith("method,problems,average rank")
    for given in (["--orders"], ["--plot", tmp_path / "a.png"], ["--first", "1"]):
        assert is_error(run("compare", *paths, *given), "several files")
    assert is_error(run("compare", paths[0], "--against", "borda"), "needs several files")
    assert is_error(run("compare", paths[0], "--json", "--latex"), "choose one of")


class TestLatex:
    def test_a_comparison_as_a_table(self, problems, found, tmp_path):
        path = tmp_path / "votes.soc"
        cc.write(problems["p0"], path)
        done = run("compare", path, "--methods", "borda,auto", "--latex")
        for text, columns in ((done.stdout, 6), (found.to_latex(), 10)):
            body = [line for line in text.splitlines() if not line.startswith("%")]
            assert re.fullmatch(r"\\begin\{tabular\}\{l(r+)\}", body[0])[1] == "r" * (columns - 1)
            assert body[1] == r"\toprule"
            assert body[3] == r"\midrule"
            assert body[-2:] == [r"\bottomrule", r"\end{tabular}"]
            for line in (body[2], *body[4:-2]):
                assert line.endswith(r" \\")
                assert len(re.split(r"(?<!\\)&", line)) == columns
            assert r"\texttt{auto}" in text

    def test_text_is_shown_as_it_is(self):
        assert escape_latex(r"a\b~c^d <e> 5% #1 x_y {z} & $") == (
            r"a\textbackslash{}b\textasciitilde{}c\textasciicircum{}d $<$e$>$ 5\% \#1 x\_y \{z\} "
            r"\& \$"
        )
        columns = (Column("Δ", "signed"), Column("name"))
        table = Table("t", "a\nb", columns, ((-0.5, "-x"), (None, None)), ("100 %",))
        assert table.to_latex().splitlines()[:3] == [
            r"% a\nb",
            r"% Needs \usepackage{booktabs}.",
            "% 100 %",
        ]
        assert "$-$0.500 & -x \\\\\n-- & -- \\\\" in table.to_latex()
