"""What a run says while it runs, and what Ctrl-C leaves of it."""

import io
import json
import os
import re
import signal
import subprocess
import sys

import pytest

import concordant as cc
from commands import CAFES, COMPILING, environment
from concordant.cli.progress import Reporter
from concordant.stopping import Progress

# A method that finds a ranking and continues until it is stopped, for runs of any length on any
# machine; `started` is how a test knows that it is at work.
SLOW = """
import sys, time, types
import numpy as np
from concordant import cli
from concordant.algorithms.registry import METHODS, Method

def search(run, settings):
    run.improve(np.arange(run.pairwise.n_items))
    sys.stderr.write("started\\n")
    sys.stderr.flush()
    while not run.stop():
        run.iterations += 1
        run.generations += 1
        time.sleep(0.01)

def never(run, settings):
    sys.stderr.write("started\\n")
    sys.stderr.flush()
    while True:
        time.sleep(0.01)

module = types.ModuleType("concordant.algorithms.slow")
module.search, module.never = search, never
sys.modules[module.__name__] = module
METHODS["slow"] = Method("slow", "slow", "slow:search", effort="until stopped")
METHODS["never"] = Method("never", "never", "slow:never", effort="until stopped")
cli.main()
"""


def slow(*arguments):
    return subprocess.Popen(
        [sys.executable, "-c", SLOW, *map(str, arguments)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(stream, text):
    for line in stream:
        if line == text:
            return
    raise AssertionError(f"{text!r} did not come")


@pytest.mark.skipif(os.name == "nt", reason="no SIGINT to send to a process")
class TestInterrupt:
    def test_prints_and_saves_the_best_so_far(self, tmp_path):
        out = tmp_path / "result.json"
        with slow("aggregate", CAFES, "--method", "slow", "--time-limit", 300, "-o", out) as run:
            wait_for(run.stderr, "started\n")
            run.send_signal(signal.SIGINT)
            output, messages = run.communicate(timeout=60)
        assert run.returncode == 130
        assert output.startswith("place  item\n")
        assert "feasible: stopped by hand, best so far; no ranking costs less" in output
        assert "Traceback" not in messages
        assert cc.Consensus.load(out).interrupted

    def test_json(self):
        with slow("aggregate", CAFES, "--method", "slow", "--time-limit", 300, "--json") as run:
            wait_for(run.stderr, "started\n")
            run.send_signal(signal.SIGINT)
            output, messages = run.communicate(timeout=60)
        assert run.returncode == 130
        assert json.loads(output)["interrupted"] is True
        assert messages == ""

    def test_before_there_is_a_ranking(self):
        with slow("aggregate", CAFES, "--method", "never", "--quiet") as run:
            wait_for(run.stderr, "started\n")
            run.send_signal(signal.SIGINT)
            output, messages = run.communicate(timeout=60)
        assert run.returncode == 130
        assert output == ""
        assert messages == "concordant: interrupted before there was a result\n"


class TestProgress:
    def test_plain_lines_of_a_run(self):
        with slow("aggregate", CAFES, "--method", "slow", "--time-limit", 2.1) as run:
            output, messages = run.communicate(timeout=300)
        assert run.returncode == 0
        assert "place  item" in output
        lines = [line for line in messages.splitlines() if " s, generation" in line]
        assert lines
        pattern = r"concordant: \d\.\d s, generation [\d,]+, best \d+, bound \d+, gap \S+ %"
        assert all(re.fullmatch(pattern, line) for line in lines)

    @pytest.mark.parametrize("flag", ["--quiet", "--json"])
    def test_quiet_run(self, flag):
        with slow("aggregate", CAFES, "--method", "slow", "--time-limit", 2.1, flag) as run:
            _, messages = run.communicate(timeout=300)
        assert messages == "started\n"

    def test_plain_lines_are_two_seconds_apart(self):
        stream = io.StringIO()
        with Reporter(stream=stream) as report:
            for tenth in range(65):
                report(Progress(tenth / 10, 5 * tenth, tenth, 0, 1234, 1200))
        assert stream.getvalue().splitlines() == [
            "concordant: 2.0 s, generation 20, best 1,234, bound 1,200, gap 2.76 %",
            "concordant: 4.0 s, generation 40, best 1,234, bound 1,200, gap 2.76 %",
            "concordant: 6.0 s, generation 60, best 1,234, bound 1,200, gap 2.76 %",
        ]

    def test_compilation_is_announced_once(self):
        stream = io.StringIO()
        with Reporter(stream=stream) as report:
            report.compiling()
            report(Progress(0.0, 0, 0, 0, None, None, phase="compile"))
        assert stream.getvalue() == COMPILING

    def test_compilation_is_shown_beside_the_step(self):
        with Reporter(quiet=True) as report:
            report.step(2, 5, "ga")
            report.compiling()
            assert report.__rich__().plain[2:] == f"3 of 5: ga; {COMPILING[12:-1]}"
            report.step(3, 5, "auto")
            assert report.__rich__().plain[2:] == "4 of 5: auto"

    def test_quiet_reporter(self):
        stream = io.StringIO()
        with Reporter(quiet=True, stream=stream) as report:
            report.compiling()
            report(Progress(100.0, 0, 0, 0, 5, 4))
        assert stream.getvalue() == ""

    def test_live_line(self, monkeypatch):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setenv("COLUMNS", "100")
        stream = Terminal()
        with Reporter(stream=stream) as report:
            report(Progress(0.1, 1, 1, 0, 1300, 1200))
            assert stream.getvalue() == ""
            report(Progress(0.0, 0, 0, 0, None, None, phase="compile"))
            report(Progress(3.0, 5, 7, 0, 1234, 1200))
            line = report.__rich__().plain
        assert re.fullmatch(r". 3\.\d s  generation 7  best 1,234  bound 1,200  gap 2\.76 %", line)
        assert "compiling kernels" in stream.getvalue()
        # The cursor is hidden while the line is live, and back at the end.
        assert "\x1b[?25l" in stream.getvalue()
        assert stream.getvalue().rfind("\x1b[?25h") > stream.getvalue().rfind("\x1b[?25l")

    def test_dumb_terminal_gets_plain_lines(self, monkeypatch):
        class Terminal(io.StringIO):
            def isatty(self):
                return True

        monkeypatch.setenv("TERM", "dumb")
        stream = Terminal()
        with Reporter(stream=stream) as report:
            report(Progress(2.0, 5, 0, 0, None, None))
        assert stream.getvalue() == "concordant: 2.0 s\n"
