"""`concordant compile`: parts that compile kernels, and those that need an extra."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from commands import run
from concordant.cli import compile as command


def test_says_where_the_kernels_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def compile_all(processes: int, report: Callable[[str], None] | None) -> int:
        assert processes == 2
        if report is not None:
            report("1 of 1: parts, 0.1 s")
        return 1

    monkeypatch.setattr(command, "compile_all", compile_all)
    done = run("compile", "--jobs", "2")
    assert done.exit_code == 0
    assert "compiled kernels are in " in done.stdout
    assert "1 of 1: parts" in done.stderr
    assert "1 of 1: parts" not in run("compile", "--jobs", "2", "--quiet").stderr


def test_a_part_whose_extra_is_missing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(name: str) -> Callable[[], None]:
        def part() -> None:
            raise ModuleNotFoundError(name=name)

        return part

    parts = {"extra": fail("sklearn"), "mistake": fail("concordant.none")}
    monkeypatch.setattr(command, "PARTS", parts)
    name, seconds = command.compile_part("extra")
    assert name == "extra"
    assert seconds >= 0
    with pytest.raises(ModuleNotFoundError):
        command.compile_part("mistake")


@pytest.mark.parametrize("name", ["samples and distances", "files and counts"])
def test_a_part_runs(name: str) -> None:
    assert command.compile_part(name)[0] == name
