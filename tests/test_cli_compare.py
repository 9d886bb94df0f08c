"""`concordant compare` on the command line."""

import csv
import io
import json

import pytest
from click.testing import CliRunner

import concordant as cc
from concordant import cli, comparison
from concordant._kernels import compiling


def run(*arguments):
    return CliRunner().invoke(cli.app, ["compare", *map(str, arguments)])


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.soc"
    cc.write(cc.generate.mallows(8, 9, 0.1, seed=1), path)
    return path


def test_table(votes):
    done = run(votes, "--methods", "borda, css,auto", "--time-limit", "0.2")
    assert done.exit_code == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["method", "cost", "distance", "gap", "time", "tau"]
    assert {line.split()[0] for line in lines[1:4]} == {"borda", "css", "auto"}
    assert "proven lower bound" in done.stdout
    assert "auto" in done.stderr


def test_compilation_is_announced(votes, monkeypatch):
    compare = comparison.compare

    def compiling_first(*given, **options):
        compiling.started()
        compiling.ended()
        return compare(*given, **options)

    monkeypatch.setattr(comparison, "compare", compiling_first)
    done = run(votes, "--methods", "borda", "--time-limit", "0.2")
    assert "concordant: compiling kernels, once per machine\n" in done.stderr
    assert run(votes, "--methods", "borda", "--time-limit", "0.2", "-q").stderr == ""


def test_repeats_show_means_and_bests(votes):
    done = run(votes, "--methods", "kwiksort", "--repeats", "3", "--time-limit", "0.2", "-q")
    assert done.stdout.splitlines()[0].split()[:3] == ["method", "mean", "cost"]
    assert "best" in done.stdout.splitlines()[0]
    assert "means of 3 runs" in done.stdout
    assert done.stderr == ""


def test_json(votes):
    done = run(votes, "--methods", "borda,ga", "--time-limit", "0.2", "--json", "--jobs", "2")
    facts = json.loads(done.stdout)
    assert {row["method"] for row in facts["rows"]} == {"borda", "ga"}
    assert facts["n_rankings"] == 9
    assert done.stderr == ""


def test_csv(votes):
    done = run(votes, "--methods", "borda,ga", "--time-limit", "0.2", "--csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert {row["method"] for row in rows} == {"borda", "ga"}
    assert all(float(row["gap"]) >= 0 for row in rows)


def test_plot(votes, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "bars.svg"
    done = run(votes, "--methods", "borda,css", "--time-limit", "0.2", "--plot", picture)
    assert done.exit_code == 0, done.stderr
    assert "<svg" in picture.read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--methods", "borda,nonsense"], "no method 'nonsense'"),
        (["--json", "--csv"], "one of --json, --csv and --latex"),
        (["--repeats", "0"], "repeats"),
        (["--time-limit", "-1"], "time limit"),
        (["--plot", "bars.nonsense"], "ends in"),
        (["--plot", "no/such/folder/bars.png"], "no/such/folder"),
    ],
)
def test_refuses(votes, arguments, words):
    pytest.importorskip("matplotlib")
    done = run(votes, *arguments)
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stdout == ""


def test_says_what_a_method_needs(tmp_path):
    path = tmp_path / "votes.soi"
    cc.write(cc.Rankings.from_orders([["a", "b"], ["b", "c"]]), path)
    done = run(path, "--methods", "footrule")
    assert done.exit_code == 2
    assert "needs complete rankings" in done.stderr
    done = run(path, "--time-limit", "0.1", "-q")
    assert done.exit_code == 0
    assert "left out: footrule needs complete rankings" in done.stdout


def test_interrupt_prints_what_is_known(votes, monkeypatch):
    def interrupt(self, finished, total, name):
        if finished == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("concordant.cli.progress.Reporter.step", interrupt)
    done = run(votes, "--methods", "auto,borda,css", "--time-limit", "0.2")
    assert done.exit_code == 130
    assert "stopped by hand" in done.stdout
