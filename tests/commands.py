"""How tests run the command line, in this process and in one of its own."""

import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

from click.testing import CliRunner

from concordant import cli

CAFES = Path(__file__).parent.parent / "src" / "concordant" / "examples" / "cafes.toi"
COMPILING = "concordant: compiling kernels, once per machine\n"


def run(*arguments, stdin=None):
    """Run a command in this process.

    What it says when it is the first to need a kernel is left out: any test may be the one.
    """
    done = CliRunner().invoke(cli.app, [str(argument) for argument in arguments], input=stdin)
    return SimpleNamespace(
        exit_code=done.exit_code,
        stdout=done.stdout,
        stderr=done.stderr.removeprefix(COMPILING),
    )


def environment():
    return os.environ | {"NO_COLOR": "1", "TERM": "dumb", "PYTHONUTF8": "1"}


def process(*arguments, **options):
    """Run a command in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "concordant", *map(str, arguments)],
        env=environment(),
        capture_output=True,
        timeout=300,
        check=False,
        **options,
    )


def is_error(done, *words):
    """Whether a run ended with one line of error, which holds the words, and no output."""
    assert done.exit_code == 2, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("concordant: error: ")
    assert done.stderr.count("\n") == 1
    for word in words:
        assert word in done.stderr
    return True
