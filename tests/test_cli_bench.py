"""`concordant bench` without the packages that some suites need."""

import subprocess
import sys
import textwrap

from commands import environment
from concordant.bench.suites import SUITES


def test_suites_are_listed_without_scikit_learn():
    script = """
        import sys

        sys.modules["sklearn"] = None
        sys.argv = ["concordant", "bench", "suites"]
        from concordant.cli import main

        main()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(script)],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    names = [line.split(maxsplit=1)[0] for line in done.stdout.splitlines() if line[:1].isalpha()]
    assert set(SUITES) <= set(names)
