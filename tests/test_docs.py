"""Every code block of the pages at the root and in `docs/` runs, from top to bottom, page by page.

- ` ```python ` blocks of a page share their names. A block with `>>>` prompts is a doctest.
- ` ```sh ` blocks run as they stand and must succeed.
- ` ```console ` blocks hold commands after `$ ` and, between them, the output expected on either
  stream; `...` stands for anything, and a command without output below it may print what it likes.
- `<!-- not run: reason -->` before a block leaves it out.

Commands that call `concordant` and use nothing of the shell run in this process, which has loaded
the libraries that they need. The pages at the root, and all other commands, run in a shell.

A page's blocks run in one fresh folder that holds a copy of the bundled examples where the
repository has them, so paths read as from the root of a clone and nothing is written there.
"""

import doctest
import os
import random
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from commands import COMPILING
from concordant import cli, plugins
from concordant.algorithms.registry import METHODS
from concordant.formats import FORMATS

ROOT = Path(__file__).parent.parent
EXAMPLES = Path("src/concordant/examples")
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))]
LANGUAGES = {"python", "sh", "console"}
NOT_RUN = re.compile(r"<!--\s*not run:\s*(.*?)\s*-->")
# A call of the program with words and quotes, without pipes, variables, patterns and the like.
PLAIN = re.compile(r"concordant [^|&;<>()$`*?~#!{}\[\]\n]*")
# The same width and no colour, wherever the tests run.
LOOKS = {"COLUMNS": "100", "NO_COLOR": "1", "TERM": "dumb"}
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@dataclass
class Block:
    language: str
    text: str
    line: int


def blocks(text: str) -> list[Block]:
    """Find the code blocks that are to be run, with the line each starts at."""
    found: list[Block] = []
    fence = indent = language = ""
    body: list[str] = []
    start = 0
    skip = False
    for number, line in enumerate(text.splitlines(), start=1):
        opening = re.match(r"(\s*)(`{3,}|~{3,})\s*(\w*)", line)
        if not fence and opening:
            indent, fence, language = opening.groups()
            body, start = [], number + 1
        elif fence and line.strip() == fence:
            if language in LANGUAGES and not skip:
                found.append(Block(language, "\n".join(body) + "\n", start))
            fence, skip = "", False
        elif fence:
            body.append(line.removeprefix(indent))
        elif line.strip():
            comment = NOT_RUN.search(line)
            assert not comment or comment[1], f"line {number}: say why the block is not run"
            skip = bool(comment)
    assert not fence, f"the block at line {start} is not closed"
    return found


def run_python(block: Block, page: str, names: dict[str, object]) -> None:
    if ">>>" in block.text:
        test = doctest.DocTestParser().get_doctest(block.text, names, page, page, block.line - 1)
        report: list[str] = []
        doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append, clear_globs=False)
        assert not report, "".join(report)
        names.update(test.globs)
    else:
        # Blank lines in front make a traceback name the line of the page.
        exec(compile("\n" * (block.line - 1) + block.text, page, "exec"), names)


def run_shell(script: str, folder: Path) -> str:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        **LOOKS,
    }
    done = subprocess.run(
        ["bash", "-eu", "-o", "pipefail", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, f"{script}\nended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def run_script(script: str, folder: Path, here: bool) -> str:
    """Run a script, in this process if `here` is true and it needs no shell. Return its output."""
    lines = [line.strip() for line in script.replace("\\\n", " ").splitlines()]
    lines = [line for line in lines if line and not line.startswith("#")]
    if not here or not all(PLAIN.fullmatch(line) for line in lines):
        return run_shell(script, folder)
    output = ""
    for line in lines:
        done = CliRunner().invoke(cli.app, shlex.split(line)[1:], env=LOOKS)
        assert done.exit_code == 0, f"{line}\nended with {done.exit_code}:\n{done.output}"
        output += done.output
    return output


def run_console(block: Block, folder: Path, here: bool = False) -> None:
    commands = re.findall(r"^\$ (.*(?:\\\n.*)*)\n((?:(?!\$ ).*\n)*)", block.text, re.MULTILINE)
    assert commands, "a console block has a command after '$ '"
    for command, expected in commands:
        # The first command that needs a kernel says so, at any place: the streams are one here.
        output = run_script(command, folder, here).replace(COMPILING, "")
        if expected.strip():
            checker = doctest.OutputChecker()
            same = checker.check_output(expected.strip() + "\n", output.strip() + "\n", FLAGS)
            assert same, f"{command}\nexpected:\n{expected}\ngot:\n{output}"


@pytest.fixture
def own_registries() -> Iterator[None]:
    """Take methods, formats and modules out again that a page adds."""
    known = METHODS, FORMATS, plugins._loaded
    before = [dict(each) for each in known]
    paths = list(sys.path)
    yield
    sys.path[:] = paths
    sys.modules.pop("mine", None)
    for each, old in zip(known, before, strict=True):
        each.clear()
        each.update(old)


@pytest.mark.usefixtures("own_registries")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_code_blocks_run(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(ROOT / EXAMPLES, tmp_path / EXAMPLES)
    monkeypatch.chdir(tmp_path)
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002 - examples may use libraries that read the global state
    names: dict[str, object] = {"__name__": "__main__"}
    here = page.parent != ROOT
    for block in blocks(page.read_text(encoding="utf-8")):
        place = f"{page.relative_to(ROOT)}, line {block.line}"
        try:
            if block.language == "python":
                run_python(block, str(page.relative_to(ROOT)), names)
            elif block.language == "sh":
                run_script(block.text, tmp_path, here)
            else:
                run_console(block, tmp_path, here)
        except Exception as error:
            raise AssertionError(f"{place}: the code block does not run") from error


class TestFinder:
    def test_finds_languages_lines_and_reasons(self) -> None:
        page = "\n".join(
            [
                "text",
                "```python",
                "a = 1",
                "```",
                "<!-- not run: it would format the disk -->",
                "",
                "```sh",
                "format",
                "```",
                "- in a list:",
                "  ```console",
                "  $ echo yes",
                "  yes",
                "  ```",
                "```text",
                "not code",
                "```",
            ]
        )
        assert blocks(page) == [
            Block("python", "a = 1\n", 3),
            Block("console", "$ echo yes\nyes\n", 12),
        ]

    def test_needs_a_reason(self) -> None:
        with pytest.raises(AssertionError, match="say why"):
            blocks("<!-- not run: -->\n```sh\nfalse\n```\n")

    def test_console_compares_output(self, tmp_path: Path) -> None:
        run_console(
            Block("console", "$ echo one\none\n$ echo two three\ntwo ...\n$ echo x\n", 1), tmp_path
        )
        with pytest.raises(AssertionError, match="expected"):
            run_console(Block("console", "$ echo one\ntwo\n", 1), tmp_path)

    def test_the_message_about_compiling_is_ignored(self, tmp_path: Path) -> None:
        said = COMPILING.strip()
        for command in (f"echo {said}; echo one; echo two", f"echo one; echo {said} >&2; echo two"):
            run_console(Block("console", f"$ {command}\none\ntwo\n", 1), tmp_path)

    def test_plain_commands_need_no_shell(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(globals(), "run_shell", lambda script, folder: "in a shell")
        plain = "concordant methods \\\n  borda  \n# a comment\nconcordant methods 'her'\n"
        found = run_script(plain, tmp_path, here=True)
        assert found.startswith("borda: ")
        assert "her: " in found
        assert run_script(plain, tmp_path, here=False) == "in a shell"
        for more in ("| head", "> file", "|| true", "*.csv", "$NAME", "\nls"):
            assert run_script(f"concordant methods {more}", tmp_path, here=True) == "in a shell"
        with pytest.raises(AssertionError, match="ended with 2"):
            run_script("concordant nothing", tmp_path, here=True)

    def test_failing_shell_is_noticed(self, tmp_path: Path) -> None:
        with pytest.raises(AssertionError, match="ended with 1"):
            run_shell("false\ntrue\n", tmp_path)

    def test_failing_doctest_is_noticed(self) -> None:
        with pytest.raises(AssertionError, match="Expected"):
            run_python(Block("python", ">>> 1 + 1\n3\n", 1), "page", {})
