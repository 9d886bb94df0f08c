"""The program around the commands: help, completion, usage errors, and one more command."""

import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import concordant as cc
from commands import CAFES, environment, is_error, run
from concordant.cli.commands import COMMANDS


class TestHelp:
    def test_version(self):
        done = run("--version")
        assert (done.exit_code, done.stdout) == (0, f"concordant {cc.__version__}\n")

    @pytest.mark.parametrize("arguments", [[], ["--help"], ["-h"]])
    def test_overview(self, arguments):
        done = run(*arguments)
        assert done.exit_code == 0
        for command in ("aggregate", "verify", "convert", "generate", "methods"):
            assert command in done.stdout

    @pytest.mark.parametrize(
        "command", ["aggregate", "verify", "convert", "generate", "methods", ""]
    )
    def test_every_page_has_examples_that_parse(self, command, monkeypatch, tmp_path):
        # An option may write a file as it is parsed.
        monkeypatch.chdir(tmp_path)
        page = run(*command.split(), "--help").stdout
        _, _, examples = page.partition("Examples:\n")
        lines = [line.strip() for line in examples.splitlines() if line.strip()]
        assert lines
        for line in lines:
            assert line.startswith("concordant ")
            # With --help last, options are parsed and the command is not run.
            arguments = line.partition(" | ")[0].split()[1:]
            assert run(*arguments, "--help").exit_code == 0

    @pytest.mark.parametrize(
        ("arguments", "unwanted"),
        [
            ("--version", "numba numpy polars scipy rich concordant.cli.aggregate"),
            ("--help", "numba numpy polars scipy rich"),
            ("aggregate --help", "numba numpy polars scipy rich concordant.cli.verify"),
            ("aggregate FILE --seed 3 --duplicates first", "numba polars scipy rich"),
        ],
    )
    def test_loads_only_what_it_needs(self, arguments, unwanted):
        script = """
            import sys
            from concordant.cli import main
            unwanted = set(sys.argv.pop().split())
            try:
                main()
            except SystemExit as end:
                assert not end.code
            print(sorted(unwanted & set(sys.modules)))
        """
        arguments = [str(CAFES) if word == "FILE" else word for word in arguments.split()]
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(script), *arguments, unwanted],
            env=environment(),
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.splitlines()[-1] == "[]"


class TestCompletion:
    @pytest.mark.parametrize(
        ("words", "expected"),
        [
            ("concordant agg", "aggregate"),
            ("concordant aggregate --method cop", "copeland"),
            ("concordant aggregate x --format to", "toc toi"),
            ("concordant convert a b --to par", "parquet"),
            ("concordant generate pl", "plackett-luce"),
            ("concordant methods extended", "extended-borda"),
        ],
    )
    def test_completion(self, words, expected):
        request = {
            "_CONCORDANT_COMPLETE": "bash_complete",
            "COMP_WORDS": words,
            "COMP_CWORD": str(len(words.split()) - 1),
        }
        done = subprocess.run(
            [sys.executable, "-c", "from concordant.cli import main; main()"],
            env=environment() | request,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.split() == [f"plain,{name}" for name in expected.split()]

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
    def test_script(self, shell):
        done = run("--show-completion", shell)
        assert (done.exit_code, done.stderr) == (0, "")
        assert f"{shell}_complete" in done.stdout

    def test_the_shell_of_the_user(self, monkeypatch):
        monkeypatch.setenv("SHELL", "/usr/bin/fish")
        assert "fish_complete" in run("--show-completion").stdout
        monkeypatch.setenv("SHELL", "/bin/csh")
        assert is_error(run("--show-completion"), "'csh'", "bash, zsh, fish, powershell")

    @pytest.fixture
    def home(self, tmp_path, monkeypatch):
        monkeypatch.setattr(Path, "home", lambda: tmp_path)
        return tmp_path

    @pytest.mark.parametrize(
        ("shell", "script", "start_up"),
        [
            ("bash", ".bash_completions/concordant.sh", ".bashrc"),
            ("zsh", ".zfunc/_concordant", ".zshrc"),
            ("fish", ".config/fish/completions/concordant.fish", None),
        ],
    )
    def test_installation(self, home, shell, script, start_up):
        if start_up is not None:
            (home / start_up).write_text("alias x=y")
        for _ in range(2):
            done = run("--install-completion", shell)
            assert (done.exit_code, done.stderr) == (0, "")
            assert str(home / script) in done.stdout
        assert f"{shell}_complete" in (home / script).read_text()
        if start_up is not None:
            # The line is added once.
            first, line = (home / start_up).read_text().splitlines()
            assert first == "alias x=y"
            assert line.startswith((f"source '{home / script}'", "fpath+=~/.zfunc;"))

    def test_installation_for_powershell(self, home, monkeypatch):
        monkeypatch.setattr("concordant.cli.completion.which", lambda name: None)
        assert is_error(run("--install-completion", "powershell"), "PowerShell was not found")
        profile = home / "new" / "profile.ps1"
        monkeypatch.setattr("concordant.cli.completion._profile", lambda: profile)
        assert run("--install-completion", "pwsh").exit_code == 0
        assert profile.read_text() == f". '{home / '.concordant-completion.ps1'}'\n"

    @pytest.mark.skipif(not Path("/bin/bash").exists(), reason="needs bash")
    def test_in_bash(self, home, tmp_path):
        run("--install-completion", "bash")
        program = tmp_path / "concordant"
        program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m concordant "$@"\n')
        program.chmod(0o755)
        script = """
            . "$0/.bashrc"
            COMP_WORDS=(concordant verif) COMP_CWORD=1
            _concordant_completion concordant
            echo "${COMPREPLY[@]}"
        """
        found = environment() | {"PATH": f"{tmp_path}:{environment()['PATH']}"}
        done = subprocess.run(
            ["/bin/bash", "-c", script, tmp_path], env=found, capture_output=True, check=True
        )
        assert done.stdout == b"verify\n"


GREET = '''
"""`concordant greet`: a command that a test adds."""

from dataclasses import dataclass
from typing import Annotated, Literal

import click

from concordant.cli.options import Argument, Option
from concordant.errors import SettingError

EXAMPLES = ("concordant greet Ann --times 2",)


@dataclass(frozen=True)
class Manner:
    """Options that go together."""

    tone: Annotated[Literal["warm", "cool"], Option(help="How.")] = "warm"
    times: Annotated[int, Option(metavar="N", min=1, help="How often.")] = 1


def run(name: Annotated[str, Argument()], manner: Manner) -> None:
    """Say hello."""
    if manner.times > 9:
        raise SettingError("times must be at most 9, sometimes less", setting="times")
    click.echo(f"{manner.tone} {name} " * manner.times)
'''


class TestOneMoreCommand:
    """A command is a file and a line."""

    @pytest.fixture(autouse=True)
    def _greet(self, tmp_path, monkeypatch):
        (tmp_path / "greet.py").write_text(GREET)
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setitem(COMMANDS, "greet", "greet")

    def test_runs(self):
        done = run("greet", "Ann", "--times", "2", "--tone", "cool")
        assert (done.exit_code, done.stdout) == (0, "cool Ann cool Ann \n")

    def test_is_explained(self):
        assert re.search(r"greet +Say hello\.", run("--help").stdout)
        page = run("greet", "--help").stdout
        assert "How often." in page
        assert "concordant greet Ann --times 2" in page

    def test_is_suggested(self):
        assert is_error(run("gret"), "Did you mean", "'greet'")

    def test_errors_name_the_option(self):
        done = run("greet", "Ann", "--times", "10")
        assert is_error(done, "error: --times must be at most 9, sometimes less\n")
        assert is_error(run("greet", "Ann", "--times", "0"), "'--times'", "at least 1")


class TestUsage:
    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            (["nonsense"], ["nonsense"]),
            (["--nonsense"], ["--nonsense"]),
            (["aggregate"], ["FILE", "aggregate --help"]),
            (["aggregate", CAFES, "--seed", "many"], ["--seed"]),
            (["aggregate", CAFES, "--unranked", "first"], ["--unranked", "last"]),
            (["generate", "nonsense", "--items", "3"], ["nonsense"]),
            (["aggregate", CAFES, "--method", "nonsense"], ["nonsense", "borda"]),
            (["aggregate", CAFES, "--method", "borda", "--preset", "x"], ["preset", "x"]),
            (["aggregate", CAFES, "--method", "borda", "--set", "beta=1"], ["beta"]),
            (["aggregate", CAFES, "--method", "borda", "--set", "beta"], ["NAME=VALUE", "beta"]),
            (
                ["aggregate", CAFES, "--method", "randomized-borda", "--set", "beta=0.7"],
                ["beta", "0.7", "0.5"],
            ),
            (["aggregate", CAFES, "--method", "borda", "--seed", "-1"], ["seed", "-1"]),
            (["aggregate", CAFES, "--method", "borda", "--jobs", "0"], ["0"]),
            (["aggregate", CAFES, "--method", "borda", "--time-limit", "-1"], ["-1"]),
            (["aggregate", CAFES, "--method", "borda", "--time-limit", "nan"], ["nan"]),
            (["aggregate", CAFES, "--method", "borda", "--target", "nan"], ["nan"]),
            (["aggregate", CAFES, "--method", "borda", "--max-iterations", "-1"], ["-1"]),
            (["aggregate", CAFES, "--method", "borda", "--format", "nonsense"], ["nonsense"]),
            (["aggregate", CAFES, "--method", "borda", "--layout", "long"], ["layout"]),
            (["methods", "nonsense"], ["nonsense", "borda"]),
            (["aggregate", CAFES, "--seed", "1.5"], ["--seed", "'1.5'", "whole number"]),
            (["aggregate", CAFES, "--time-limit", "soon"], ["--time-limit", "'soon'"]),
            (["aggregate", CAFES, "--alternatives", "0"], ["--alternatives", "at least 1"]),
            (["aggregate", CAFES, "--alternatives", 2**63], ["--alternatives", "too large"]),
            (["aggregate", CAFES, "--seed", "-" + "9" * 5000], ["--seed", "too large"]),
            (["aggregate", CAFES, "--max-iterations", 10**30], ["--max-iterations", "too large"]),
            (["compare", CAFES, "--repeats", "0"], ["error: --repeats must be"]),
        ],
    )
    def test_one_line_says_what_is_wrong(self, arguments, words):
        assert is_error(run(*arguments), *words)
