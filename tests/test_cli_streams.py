"""Nothing that happens to the streams or the process of a command ends in a traceback."""

import os
import re
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

import concordant as cc
from commands import CAFES, environment, is_error, run
from concordant import cli

FULL = Path("/dev/full")
BORDA = f"aggregate {CAFES} --method borda --quiet"
PRINTING = [
    "--help",
    "--version",
    "aggregate --help",
    BORDA,
    f"{BORDA} --json",
    "methods",
    "methods borda",
    "generate uniform --items 3 --rankings 3 --format soc -o -",
    f"convert {CAFES} - --to json",
    f"compare {CAFES} --methods borda --quiet --csv",
]


def in_shell(arguments, redirection):
    """Run a command with its streams redirected by the shell, which alone can close them."""
    return subprocess.run(
        ["sh", "-c", f'exec "$0" -m concordant {arguments} {redirection}', sys.executable],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def has_one_error(done, *words):
    assert done.returncode == 2, done.stderr
    assert re.fullmatch(r"concordant: error: [^\n]+\n", done.stderr)
    return all(word in done.stderr for word in words)


posix = pytest.mark.skipif(os.name == "nt", reason="streams are closed in another way there")


@posix
class TestClosed:
    @pytest.mark.parametrize("arguments", PRINTING)
    def test_output(self, arguments):
        assert has_one_error(in_shell(arguments, ">&-"), "standard output")

    def test_output_that_is_not_needed(self, tmp_path):
        out = tmp_path / "votes.json"
        done = in_shell(f"convert {CAFES} {out}", "<&- >&-")
        assert (done.returncode, done.stderr) == (0, "")
        assert cc.read(out) == cc.read(CAFES)

    def test_input(self):
        done = in_shell("aggregate - --format toi --method borda", "<&-")
        assert has_one_error(done, "standard input")

    def test_input_that_is_not_needed(self):
        done = in_shell(BORDA, "<&-")
        assert (done.returncode, done.stderr) == (0, "")
        assert "place  item" in done.stdout

    def test_errors(self, tmp_path):
        done = in_shell(BORDA, "2>&-")
        assert (done.returncode, done.stdout[:11]) == (0, "place  item")
        done = in_shell(f"aggregate {tmp_path}/no.soc", "2>&-")
        assert (done.returncode, done.stdout) == (2, "")

    def test_all(self, tmp_path):
        out = tmp_path / "result.json"
        done = in_shell(f"{BORDA} -o {out}", "<&- >&- 2>&-")
        assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
        # Nothing that was meant for a stream has got into the file.
        assert cc.Consensus.load(out).verify(cc.read(CAFES))


@pytest.mark.skipif(not FULL.exists(), reason="needs a device that is full")
class TestFull:
    @pytest.mark.parametrize("arguments", PRINTING)
    def test_output(self, arguments):
        assert has_one_error(in_shell(arguments, f">{FULL}"), "standard output", "space")

    def test_errors(self, tmp_path):
        # With progress, which has nowhere to go.
        done = in_shell(f"compare {CAFES} --methods borda", f"2>{FULL}")
        assert (done.returncode, done.stdout[:6]) == (0, "method")
        assert in_shell(f"aggregate {tmp_path}/no.soc", f"2>{FULL}").returncode == 2

    def test_file(self):
        done = in_shell(f"{BORDA} -o {FULL}", "")
        assert "place  item" in done.stdout
        assert has_one_error(done, str(FULL), "space")


def script(text, *arguments):
    """Run the program in a process in which something happens first.

    What measures coverage would load modules of its own before that.
    """
    end = "from concordant.cli import main\nmain()\n"
    kept = {key: value for key, value in environment().items() if not key.startswith("COVERAGE")}
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(text) + end, *map(str, arguments)],
        env=kept,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


# Ctrl-C at the moment at which a module is looked for.
INTERRUPT = """
    import os, signal, sys

    class Hook:
        where = sys.argv.pop(1)

        def find_spec(self, name, path=None, target=None):
            if name == self.where:
                self.where = ""
                os.kill(os.getpid(), signal.SIGINT)

    sys.meta_path.insert(0, Hook())
"""
# The same, where Python can raise nothing; it comes back a moment later, however fast the rest is.
UNRAISABLE = """
    import sys, time

    class Late:
        def __del__(self):
            raise KeyboardInterrupt

    class Hook:
        where = sys.argv.pop(1)

        def find_spec(self, name, path=None, target=None):
            if name == self.where:
                self.where = ""
                Late()
                for _ in range(3000):
                    time.sleep(0.01)

    sys.meta_path.insert(0, Hook())
"""


@posix
class TestInterruptedWhileLoading:
    @pytest.mark.parametrize("text", [INTERRUPT, UNRAISABLE])
    @pytest.mark.parametrize(
        "module", ["click", "inspect", "concordant.cli.aggregate", "concordant.formats", "numpy"]
    )
    def test_is_not_a_traceback(self, text, module):
        done = script(text, module, "aggregate", CAFES, "--method", "borda", "--quiet")
        assert done.stderr == "concordant: interrupted before there was a result\n"
        assert (done.returncode, done.stdout) == (130, "")

    def test_in_code_that_is_made_on_the_fly(self):
        text = """
            import sys

            class Hook:
                def find_spec(self, name, path=None, target=None):
                    if name == "numpy":
                        exec("raise KeyboardInterrupt")

            sys.meta_path.insert(0, Hook())
        """
        done = script(text, "aggregate", CAFES, "--method", "borda", "--quiet")
        assert done.stderr == "concordant: interrupted before there was a result\n"
        assert done.returncode == 130


class TestMain:
    """The entry point, in this process."""

    @pytest.fixture(autouse=True)
    def put_back(self, monkeypatch):
        monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
        before = signal.getsignal(signal.SIGINT)
        yield
        signal.signal(signal.SIGINT, before)

    def test_runs_the_program(self, monkeypatch, capsys):
        monkeypatch.setattr(sys, "argv", ["concordant", "--version"])
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert ended.value.code in (0, None)
        assert capsys.readouterr().out == f"concordant {cc.__version__}\n"
        assert signal.getsignal(signal.SIGINT) == signal.SIG_DFL

    @pytest.mark.parametrize(
        ("error", "code", "said"),
        [
            (KeyboardInterrupt, 130, "concordant: interrupted before there was a result\n"),
            (MemoryError, 2, "concordant: error: not enough memory\n"),
        ],
    )
    def test_says_why_it_ends(self, monkeypatch, capsys, error, code, said):
        def start():
            raise error

        monkeypatch.setattr("concordant.cli.program.start", start)
        with pytest.raises(SystemExit) as ended:
            cli.main()
        assert (ended.value.code, capsys.readouterr().err) == (code, said)
        monkeypatch.setattr(sys, "stderr", None)
        with pytest.raises(SystemExit):
            cli.main()

    def test_an_interrupt_that_cannot_be_raised_is_repeated(self, capsys):
        with pytest.raises(KeyboardInterrupt):  # noqa: PT012 - it comes while one waits
            cli._interrupt_again(SimpleNamespace(exc_type=KeyboardInterrupt))
            for _ in range(3000):
                time.sleep(0.01)
        assert capsys.readouterr().err == ""


class TestMemory:
    def test_while_loading(self):
        text = """
            import sys

            class Hook:
                def find_spec(self, name, path=None, target=None):
                    if name == "click":
                        raise MemoryError

            sys.meta_path.insert(0, Hook())
        """
        assert has_one_error(script(text, "aggregate", CAFES), "memory")

    def test_of_the_work(self):
        text = """
            import concordant.formats

            def read(*given, **options):
                bytearray(2**62)

            concordant.formats.read_source = read
        """
        done = script(text, "aggregate", CAFES, "--method", "borda", "--quiet")
        assert has_one_error(done, "memory")


class TestPathsCannotSteerTheTerminal:
    NAME = "\x1b[31mred\x9b5m\u202e.json"

    @pytest.fixture
    def path(self, tmp_path):
        return tmp_path / self.NAME

    def is_harmless(self, done, code, words):
        text = done.stdout + done.stderr
        assert done.exit_code == code, text
        assert not re.search("[\x1b\x9b\u202e]", text)
        # Cut short in the middle if it is not a path, and never raw.
        assert r"d\x9b5m\u202e.json" in text
        assert words in text

    def test_messages(self, path, tmp_path):
        votes = tmp_path / f"votes{self.NAME}"
        cc.write(cc.read(CAFES), votes)
        result = cc.aggregate(cc.read(CAFES), "borda")
        result.save(path)
        self.is_harmless(run("verify", path, votes), 0, "holds for")
        other = tmp_path / "other.soc"
        cc.write(cc.generate.uniform(7, 5, seed=1), other)
        self.is_harmless(run("verify", path, other), 1, "does not hold")

    @pytest.mark.parametrize(
        "arguments",
        [
            ["aggregate", "PATH"],
            ["aggregate", CAFES, "--initial", "PATH"],
            ["aggregate", CAFES, "-o", "PATH/x"],
            ["aggregate", CAFES, "--method", "PATH"],
            ["aggregate", CAFES, "--seed", "PATH"],
            ["aggregate", CAFES, "--format", "PATH"],
            ["verify", "PATH", CAFES],
            ["compare", "PATH"],
            ["compare", CAFES, "--methods", "PATH"],
            ["convert", "PATH", "x.soc"],
            ["convert", CAFES, "PATH/x.json"],
            ["convert", CAFES, "PATH.nonsense"],
            ["generate", "PATH"],
            ["methods", "PATH"],
            ["PATH"],
        ],
    )
    def test_errors(self, path, arguments):
        given = [str(each).replace("PATH", str(path)) for each in arguments]
        done = run(*given)
        assert is_error(done)
        self.is_harmless(done, 2, "error")


def test_half_a_character_in_a_path(tmp_path):
    done = run("aggregate", f"{tmp_path}/\udcff.soc")
    assert is_error(done, r"\udcff.soc")
