import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, fields
from pathlib import Path
from typing import ClassVar

import pytest

import concordant as cc
from commands import CAFES, environment, is_error, process, run
from concordant import formatting
from concordant.cli.aggregate import read_settings

KEYS = {
    "ranking",
    "cost",
    "distance",
    "lower_bound",
    "gap",
    "status",
    "method",
    "seed",
    "elapsed",
    "n_items",
    "n_rankings",
    "total_weight",
}


@pytest.fixture
def votes(tmp_path):
    path = tmp_path / "votes.soi"
    cc.write(cc.Rankings.from_orders([["a", "b", "c"], ["b", "c"]], weights=[3, 2]), path)
    return path


class TestInput:
    def test_missing_file(self, tmp_path):
        assert is_error(run("aggregate", tmp_path / "no.soc", "--method", "borda"), "no.soc")

    def test_line_of_the_error(self, tmp_path):
        path = tmp_path / "bad.abif"
        path.write_text("3:a>b\n1:a>a\n")
        assert is_error(run("aggregate", path, "--method", "borda"), "bad.abif", "line 2")

    def test_error_stays_on_one_line(self, tmp_path):
        path = tmp_path / "two\nlines.soc"
        assert is_error(run("aggregate", path, "--method", "borda"))

    def test_undecided_format_asks_for_the_flag_of_the_command(self, tmp_path):
        path = tmp_path / "what.txt"
        path.write_text("3 2\n1 2 3\n3 1 2\n")
        assert is_error(run("aggregate", path, "--method", "borda"), "--format ranks")
        assert is_error(run("convert", path, tmp_path / "x.soc"), "--from ranks")

    def test_standard_input(self):
        text = "3:a>b\n2:b>a\n"
        done = run("aggregate", "-", "--format", "abif", "--method", "borda", "--json", stdin=text)
        assert json.loads(done.stdout)["ranking"] == ["a", "b"]

    def test_the_format_of_standard_input_is_recognised(self):
        done = run("aggregate", "-", "--method", "borda", "--json", stdin="3:a>b\n2:b>a\n")
        assert json.loads(done.stdout)["ranking"] == ["a", "b"]
        done = run("aggregate", "-", "--method", "borda", stdin="3 1\n1 2 3\n")
        assert is_error(done, "standard input, line 1", "--format ranks")

    def test_bad_standard_input_is_named(self):
        done = run("aggregate", "-", "--format", "abif", "--method", "borda", stdin="1:a>a\n")
        assert is_error(done, "standard input, line 1")

    def test_memory(self, votes, monkeypatch):
        def too_much(*args, **options):
            raise MemoryError("Unable to allocate 8 TiB")

        monkeypatch.setattr("concordant.formats.read_source", too_much)
        assert is_error(run("aggregate", votes, "--method", "borda"), "memory", "8 TiB")

    def test_a_package_that_is_not_installed(self, votes, monkeypatch):
        def missing(*args, **options):
            raise ModuleNotFoundError("No module named 'rich'", name="rich.table")

        monkeypatch.setattr("concordant.formats.read_source", missing)
        done = run("aggregate", votes, "--method", "borda")
        assert is_error(done, "needs the package rich", "pip install rich")

    def test_tables_without_polars(self, votes, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "polars", None)
        for name in ("_polars", "tables.writing"):
            monkeypatch.delitem(sys.modules, f"concordant.{name}", raising=False)
        done = run("convert", votes, tmp_path / "votes.csv")
        assert is_error(done, "need polars, which is not installed", "pip install polars")
        assert not (tmp_path / "votes.csv").exists()


class TestAggregate:
    def test_shows_the_ranking_and_how_good_it_is(self):
        done = run("aggregate", CAFES, "--method", "borda", "--seed", "5")
        data = cc.read(CAFES)
        result = cc.aggregate(data, "borda")
        assert done.exit_code == 0
        lines = done.stdout.splitlines()
        assert lines[0] == "place  item"
        shown = [line.split(maxsplit=1) for line in lines[1 : lines.index("")]]
        assert shown == [[str(place), name] for place, name in enumerate(result.ranking, 1)]
        rest = " ".join(" ".join(lines[lines.index("") :]).split())
        assert f"cost {result.cost} disagreements" in rest
        assert f"lower bound {result.lower_bound}" in rest
        assert f"status {result.status}: the best found" in rest
        assert "method borda, seed 5" in rest
        assert "7 items, 12 rankings, with ties; unranked items count as no opinion" in rest
        assert not any(line != line.rstrip() for line in lines)

    def test_says_that_it_is_proven(self, votes):
        done = run("aggregate", votes, "--method", "borda")
        assert "optimal: proven, no ranking costs less" in done.stdout
        assert "so the gap is 0 %" in done.stdout

    def test_unranked(self):
        done = run("aggregate", CAFES, "--method", "borda", "--unranked", "last")
        assert "unranked items count as last" in done.stdout
        done = run("aggregate", CAFES, "--method", "borda", "--unranked", "last", "--json")
        assert json.loads(done.stdout)["unranked"] == "last"

    def test_every_item_of_a_long_ranking_is_shown_whole(self, tmp_path):
        names = [f"item {j} {'x' * 150}" for j in range(300)]
        path = tmp_path / "long.json"
        cc.write(cc.Rankings.from_orders([names]), path)
        done = run("aggregate", path, "--method", "borda")
        for place, name in enumerate(names, start=1):
            assert f"{place}  {name}\n" in done.stdout

    def test_names_cannot_steer_the_terminal(self, tmp_path):
        path = tmp_path / "names.json"
        names = ["\x1b[31mred", "[bold]b[/bold]", ":smile:", "two\nlines", "\u202eright", "Zoë"]
        cc.write(cc.Rankings.from_orders([names]), path)
        done = run("aggregate", path, "--method", "borda")
        assert "\x1b" not in done.stdout
        for name in (r"\x1b[31mred", "[bold]b[/bold]", ":smile:", r"two\nlines", r"\u202eright"):
            assert f"  {name}\n" in done.stdout
        assert "  Zoë\n" in done.stdout

    def test_says_whether_others_are_as_good(self, tmp_path):
        path = tmp_path / "tied.abif"
        for ballots, words in (
            (
                "1:T>C>W\n1:C>T\n1:W>T>C\n",
                "others are as good: first place is tied between T and W",
            ),
            ("1:T>C>W\n1:T>W>C\n", "others are as good, and T is first in all of them"),
            ("2:T>C>W\n", "the only best ranking"),
        ):
            path.write_text(ballots)
            done = run("aggregate", path)
            assert re.search(rf"^optima +{words}$", done.stdout, re.MULTILINE), done.stdout
        assert "optima" not in run("aggregate", CAFES, "--method", "borda").stdout

    def test_matrix(self, tmp_path):
        path = tmp_path / "small.lop"
        path.write_text("2\n0 3\n1 0\n")
        done = run("aggregate", path, "--method", "borda")
        assert "2 items, a matrix" in done.stdout
        facts = json.loads(run("aggregate", path, "--method", "borda", "--json").stdout)
        assert (facts["cost"], facts["distance"], facts["n_rankings"]) == (1, None, None)

    def test_json_is_one_object_of_numbers(self):
        done = process("aggregate", CAFES, "--method", "borda", "--json")
        assert (done.returncode, done.stderr) == (0, b"")
        facts = json.loads(done.stdout)
        assert set(facts) >= KEYS
        for key in KEYS - {"ranking", "status", "method"}:
            assert type(facts[key]) in (int, float)
        result = cc.aggregate(cc.read(CAFES), "borda")
        assert facts["ranking"] == list(result.ranking)
        assert facts["cost"] == result.cost

    def test_json_in_another_encoding(self, tmp_path):
        path = tmp_path / "names.json"
        cc.write(cc.Rankings.from_orders([["Zoë", "Łódź"]]), path)
        done = subprocess.run(
            [sys.executable, "-m", "concordant", "aggregate", path, "--method", "borda", "--json"],
            env=os.environ | {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
            capture_output=True,
            check=True,
        )
        assert json.loads(done.stdout)["ranking"] == ["Zoë", "Łódź"]

    def test_table_in_another_encoding(self, tmp_path):
        path = tmp_path / "names.json"
        cc.write(cc.Rankings.from_orders([["Zoë", "Łódź"]]), path)
        done = subprocess.run(
            [sys.executable, "-m", "concordant", "aggregate", path, "--method", "borda"],
            env=os.environ | {"PYTHONIOENCODING": "latin-1", "PYTHONUTF8": "0"},
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        assert "Zoë" in done.stdout.decode("latin-1")

    def test_settings(self):
        done = run(
            "aggregate", CAFES, "--method", "randomized-borda", "--set", "beta=0.25", "--json"
        )
        assert json.loads(done.stdout)["settings"] == {"beta": 0.25}

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("3", 3),
            ("0.5", 0.5),
            ("1e3", 1000.0),
            ("true", True),
            ("False", False),
            ("none", None),
            ("swap", "swap"),
            ("inf", "inf"),
            ("nan", "nan"),
        ],
    )
    def test_values_of_settings(self, text, value):
        found = read_settings([f"name = {text}"])["name"]
        assert found == value
        assert type(found) is type(value)

    def test_initial_is_never_made_worse(self, votes, tmp_path):
        best = tmp_path / "best.json"
        assert run("aggregate", votes, "--method", "borda", "-o", best).exit_code == 0
        done = run("aggregate", votes, "--method", "copeland", "--initial", best, "--json")
        assert json.loads(done.stdout)["cost"] <= cc.Consensus.load(best).cost

    def test_initial_of_other_items(self, votes, tmp_path):
        other = tmp_path / "other.json"
        run("aggregate", CAFES, "--method", "borda", "-o", other)
        done = run("aggregate", votes, "--method", "borda", "--initial", other)
        assert is_error(done, "initial")

    def test_default_method(self, votes):
        facts = json.loads(run("aggregate", votes, "--json").stdout)
        assert (facts["method"], facts["status"]) == ("auto", "optimal")

    def test_limits_and_presets_reach_the_search(self, tmp_path):
        # A cycle of three voters: no ranking reaches the bound of the pairs.
        path = tmp_path / "cycle.abif"
        path.write_text("1:a>b>c\n1:b>c>a\n1:c>a>b\n")
        done = run("aggregate", path, "--method", "her", "--max-generations", 3, "--json")
        assert json.loads(done.stdout)["generations"] <= 3
        preset = ("--method", "her", "--preset", "released", "--set", "max_idle=50")
        done = run("aggregate", path, *preset, "--time-limit", 1, "--json")
        settings = json.loads(done.stdout)["settings"]
        assert (settings["idle"], settings["max_idle"]) == ("all", 50)
        done = run("aggregate", path, "--target", 4, "--json")
        assert json.loads(done.stdout)["cost"] == 4

    def test_saves(self, votes, tmp_path):
        out = tmp_path / "result.json"
        done = run("aggregate", votes, "--method", "borda", "-o", out, "--json")
        assert done.exit_code == 0
        facts = json.loads(done.stdout)
        assert cc.Consensus.load(out).to_dict() == facts
        assert sorted(path.name for path in tmp_path.iterdir()) == ["result.json", "votes.soi"]

    @pytest.mark.parametrize("where", ["", "no-folder/result.json", "votes.soi"])
    def test_bad_output_is_refused_before_the_work(self, votes, tmp_path, where, monkeypatch):
        def worked(*args, **options):
            raise AssertionError("the work was begun")

        monkeypatch.setattr("concordant.aggregation.aggregate", worked)
        before = votes.read_bytes()
        done = run("aggregate", votes, "--method", "borda", "-o", tmp_path / where)
        assert is_error(done, str(tmp_path))
        assert [path.name for path in tmp_path.iterdir()] == ["votes.soi"]
        assert votes.read_bytes() == before

    @pytest.mark.skipif(
        not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere"
    )
    def test_read_only_folder(self, votes, tmp_path):
        folder = tmp_path / "read-only"
        folder.mkdir()
        folder.chmod(0o555)
        done = run("aggregate", votes, "--method", "borda", "-o", folder / "result.json")
        assert is_error(done, "Permission denied")
        assert list(folder.iterdir()) == []

    def test_output_is_a_file(self, votes):
        assert is_error(run("aggregate", votes, "--method", "borda", "-o", "-"), "--json")

    def test_output_survives_a_failing_run(self, tmp_path, votes):
        out = tmp_path / "result.json"
        out.write_text("precious")
        assert is_error(run("aggregate", tmp_path / "no.soc", "--method", "borda", "-o", out))
        assert is_error(run("aggregate", votes, "--method", "borda", "--seed", "-1", "-o", out))
        assert out.read_text() == "precious"

    def test_a_full_disk_does_not_cost_the_ranking(self, votes, tmp_path, monkeypatch):
        def full(self, path):
            raise cc.InputError("cannot be written: No space left on device", path=path)

        monkeypatch.setattr(cc.Consensus, "save", full)
        done = run("aggregate", votes, "--method", "borda", "-o", tmp_path / "result.json")
        assert done.exit_code == 2
        assert "place  item" in done.stdout
        assert "No space left" in done.stderr

    def test_module_and_streams(self):
        done = process("aggregate", CAFES, "--method", "borda", "--quiet")
        assert done.returncode == 0
        assert done.stdout.startswith(b"place  item\n")
        assert done.stderr == b""

    def test_bad_input_as_a_process(self, tmp_path):
        done = process("aggregate", tmp_path / "no.soc", "--method", "borda")
        assert (done.returncode, done.stdout) == (2, b"")
        assert re.fullmatch(rb"concordant: error: [^\n]*no\.soc[^\n]*\n", done.stderr)

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
    def test_full_standard_output(self):
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                [sys.executable, "-m", "concordant", "aggregate", CAFES, "--method", "borda", "-q"],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 2
        assert re.fullmatch(r"concordant: error: [^\n]+\n", done.stderr)

    def test_broken_pipe_is_silent(self, tmp_path):
        # More than a pipe holds, so that the writer meets the closed end.
        path = tmp_path / "long.json"
        cc.write(cc.Rankings.from_orders([[f"{j} {'x' * 1000}" for j in range(300)]]), path)
        command = [sys.executable, "-m", "concordant", "aggregate", path, "--method", "borda"]
        with subprocess.Popen(
            [*command, "--quiet"],
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as running:
            assert running.stdout is not None
            assert running.stdout.readline() == b"place  item\n"
            running.stdout.close()
            assert running.stderr is not None
            assert running.stderr.read() == b""
        assert running.returncode == 0


class TestVerify:
    @pytest.fixture
    def result(self, votes, tmp_path):
        path = tmp_path / "result.json"
        assert run("aggregate", votes, "--method", "borda", "-o", path).exit_code == 0
        return path

    def change(self, path, **values):
        path.write_text(json.dumps(json.loads(path.read_text()) | values))

    def test_holds(self, result, votes):
        done = process("verify", result, votes)
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"{result} holds for {votes}: optimal, cost ".encode())
        assert done.stdout.count(b"\n") == 1

    @pytest.mark.parametrize(
        ("values", "reason"),
        [
            ({"cost": 1}, "cost 1"),
            ({"ranking": ["a", "b"]}, ""),
            ({"ranking": ["a", "b", "d"]}, "d"),
            ({"ranking": ["a", "a", "b"]}, "a"),
            ({"n_rankings": 9}, "9"),
            ({"status": "feasible"}, "feasible"),
        ],
    )
    def test_does_not_hold(self, result, votes, values, reason):
        self.change(result, **values)
        done = run("verify", result, votes)
        assert done.exit_code == 1
        assert done.stdout == ""
        assert done.stderr.startswith(f"concordant: {result} does not hold for {votes}: ")
        assert done.stderr.count("\n") == 1
        assert reason in done.stderr

    def test_bound_of_small_parts_is_proven(self, tmp_path):
        path = tmp_path / "result.json"
        run("aggregate", CAFES, "-o", path)
        claim = cc.Consensus.load(path)
        assert claim.lower_bound > cc.Pairwise.from_rankings(cc.read(CAFES)).lower_bound()
        done = run("verify", path, CAFES)
        assert done.exit_code == 0
        assert f"lower bound {claim.lower_bound} proven again" in done.stdout

    def test_bound_that_is_not_proven_is_not_claimed_as_checked(self, tmp_path):
        votes, path = tmp_path / "votes.soc", tmp_path / "result.json"
        run("generate", "uniform", "--items", 40, "--rankings", 9, "-o", votes)
        run("aggregate", votes, "--method", "borda", "-o", path)
        claim = cc.Consensus.load(path)
        bound = claim.lower_bound
        gap = (claim.cost - bound - 1) / claim.cost
        self.change(path, lower_bound=bound + 1, gap=gap, trace=[])
        done = run("verify", path, votes)
        assert done.exit_code == 0, done.stderr
        assert f"lower bound {formatting.number(bound + 1)} not checked" in done.stdout
        assert f"prove {formatting.number(bound)})" in done.stdout

    def test_takes_unranked_from_the_result(self, tmp_path):
        path = tmp_path / "result.json"
        run("aggregate", CAFES, "--method", "borda", "--unranked", "last", "-o", path)
        assert run("verify", path, CAFES).exit_code == 0
        done = run("verify", path, CAFES, "--unranked", "unknown")
        assert done.exit_code == 1
        assert "unranked" in done.stderr

    def test_json_output_is_a_result_too(self, votes, tmp_path):
        path = tmp_path / "printed.json"
        path.write_text(run("aggregate", votes, "--method", "borda", "--json").stdout)
        assert run("verify", path, votes).exit_code == 0

    @pytest.mark.parametrize("text", ["", "[]", "{}", "not json", '{"unranked": "first"}'])
    def test_bad_result(self, votes, tmp_path, text):
        path = tmp_path / "bad.json"
        path.write_text(text)
        assert is_error(run("verify", path, votes), "bad.json")

    def test_unknown_meaning_of_unranked(self, result, votes):
        self.change(result, unranked="first")
        assert is_error(run("verify", result, votes), "first")


class TestConvert:
    def test_there_and_back(self, tmp_path):
        assert run("convert", CAFES, tmp_path / "cafes.json").exit_code == 0
        assert run("convert", tmp_path / "cafes.json", tmp_path / "again.toi").exit_code == 0
        assert cc.read(tmp_path / "again.toi") == cc.read(CAFES)

    def test_help_names_every_format(self):
        from concordant.formats import FORMATS

        words = set(re.findall(r"[a-z-]+", run("convert", "--help").stdout))
        assert set(FORMATS) <= words

    def test_formats_by_name(self, tmp_path):
        ranks = tmp_path / "what.txt"
        ranks.write_text("3 2\n1 2 3\n3 1 2\n")
        done = run("convert", ranks, tmp_path / "out", "--from", "ranks", "--to", "soc")
        assert (done.exit_code, done.stdout, done.stderr) == (0, "", "")
        assert cc.read(tmp_path / "out", "soc") == cc.read(ranks, "ranks")

    def test_standard_streams(self, votes):
        done = run("convert", "-", "-", "--from", "soi", "--to", "abif", stdin=votes.read_text())
        assert done.exit_code == 0
        assert "3:a>b>c" in done.stdout

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            (["in", "-"], "--to"),
            (["in", "out"], "--to"),
            (["in", "in"], "another name"),
            (["in", "folder/out.soi"], "folder"),
        ],
    )
    def test_refused(self, votes, arguments, word, monkeypatch):
        monkeypatch.chdir(votes.parent)
        arguments = [
            word.replace("in", "votes.soi") if word == "in" else word for word in arguments
        ]
        assert is_error(run("convert", *arguments, stdin="3:a>b\n"), word)
        assert [path.name for path in votes.parent.iterdir()] == ["votes.soi"]

    def test_what_a_format_cannot_hold_is_refused(self, tmp_path):
        target = tmp_path / "cafes.soc"
        target.write_text("precious")
        assert is_error(run("convert", CAFES, target), "cafes.soc", "ties")
        assert target.read_text() == "precious"
        assert is_error(run("convert", CAFES, "-", "--to", "soc"), "standard output", "ties")


class TestGenerate:
    SIZE = ("--items", 6, "--rankings", 40)

    @pytest.mark.parametrize(
        "model", [("mallows", "--theta", 0.3), ("plackett-luce", "--theta", 0.3), ("uniform",)]
    )
    def test_models(self, tmp_path, model):
        for name in ("one.soc", "two.soc"):
            done = run("generate", *model, *self.SIZE, "--seed", 3, "-o", tmp_path / name)
            assert (done.exit_code, done.stdout) == (0, "")
        data = cc.read(tmp_path / "one.soc")
        assert (data.n_items, data.n_rankings) == (6, 40)
        assert data == cc.read(tmp_path / "two.soc")
        run("generate", *model, *self.SIZE, "--seed", 4, "-o", tmp_path / "three.soc")
        assert data != cc.read(tmp_path / "three.soc")

    def test_theta_of_plackett_luce_orders_the_items(self, tmp_path):
        path = tmp_path / "votes.soc"
        run("generate", "plackett-luce", *self.SIZE, "--theta", 20, "-o", path)
        assert cc.aggregate(cc.read(path), "borda").ranking == tuple("123456")

    def test_partial(self, tmp_path):
        path = tmp_path / "votes.toi"
        done = run("generate", "uniform", *self.SIZE, "--partial", "--drop", 0.5, "-o", path)
        assert done.exit_code == 0
        assert not cc.read(path).is_complete
        whole = ("--partial", "--drop", 0, "--same-bucket", 0)
        run("generate", "uniform", *self.SIZE, *whole, "-o", path)
        run("generate", "uniform", *self.SIZE, "-o", tmp_path / "votes.soc")
        assert cc.read(path) == cc.read(tmp_path / "votes.soc")

    def test_standard_output(self):
        done = run("generate", "uniform", *self.SIZE, "-o", "-", "--format", "soc")
        assert done.exit_code == 0
        assert "# NUMBER ALTERNATIVES: 6" in done.stdout

    @pytest.mark.parametrize(
        ("arguments", "word"),
        [
            (["mallows"], "--theta"),
            (["plackett-luce"], "--theta"),
            (["uniform", "--theta", 1], "--theta"),
            (["mallows", "--theta", -1], "-1"),
            (["plackett-luce", "--theta", "nan"], "nan"),
            (["plackett-luce", "--theta", 1000], "1000"),
            (["uniform", "--drop", 0.5], "--partial"),
            (["uniform", "--same-bucket", 0.5], "--partial"),
            (["uniform", "--partial", "--drop", 2], "drop"),
            (["uniform", "--seed", -1], "seed"),
            (["uniform", "--items", 0], "items"),
            (["plackett-luce", "--theta", 1, "--items", 0], "items"),
            (["uniform", "--rankings", 0], "rankings"),
            (["uniform", "--items", 2**63], "--items"),
            (["uniform", "--rankings", 2**63], "--rankings"),
            (["uniform", "--items", 2**63 - 1], "items"),
            (["uniform", "--rankings", 2**63 - 1], "rankings"),
            (["plackett-luce", "--theta", 1e-12, "--items", 999999999999], "items"),
            (["uniform", "--format", "nonsense"], "nonsense"),
            (["uniform", "--partial"], "soc"),
        ],
    )
    def test_refused(self, tmp_path, arguments, word):
        out = tmp_path / "votes.soc"
        assert is_error(run("generate", arguments[0], *self.SIZE, *arguments[1:], "-o", out), word)
        assert list(tmp_path.iterdir()) == []


class TestMethods:
    def test_all_are_listed(self):
        done = run("methods")
        assert done.exit_code == 0
        for name in cc.methods():
            assert re.search(rf"^{name} ", done.stdout, re.MULTILINE)

    def test_settings_of_one(self):
        done = run("methods", "randomized-borda")
        assert re.search(
            r"^beta +0\.2 +The share of the rankings that is left out", done.stdout, re.M
        )

    def test_every_setting_is_explained(self):
        from concordant.algorithms.registry import METHODS

        for name, method in METHODS.items():
            page = run("methods", name).stdout
            assert method.summary in " ".join(page.split())
            settings = method.make_settings({})
            if settings is None:
                assert "no settings" in page
            else:
                rows = page.partition("meaning\n")[2].partition("\n\n")[0]
                for field in fields(settings):
                    assert re.search(rf"^{field.name} +\S+ +\S", rows, re.MULTILINE), field.name

    def test_presets(self, monkeypatch):
        from concordant.algorithms.registry import Method

        @dataclass
        class Settings:
            """Settings.

            Attributes:
                size: How many,
                    in all.
                kind: Of what kind.

            More text: not a setting.
            """

            PRESETS: ClassVar = {"paper": {"size": 20, "kind": "swap"}}
            size: int = 8
            kind: str = "insertion"

        monkeypatch.setattr(Method, "make_settings", lambda self, given: Settings())
        page = run("methods", "borda").stdout
        assert re.search(r"^size +8 +How many, in all\.$", page, re.MULTILINE)
        assert re.search(r"^kind +insertion +Of what kind\.$", page, re.MULTILINE)
        assert "preset paper: size=20, kind=swap" in page
        assert "More" not in page


def test_proof_and_result_need_files_of_their_own(tmp_path):
    both = tmp_path / "both.json"
    done = run("aggregate", CAFES, "--proof", both, "-o", both)
    assert done.exit_code == 2
    assert not both.exists()
