"""Kernels: where they are kept, and the watch on their compilation."""

import ast
import os
import stat
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import numba
import pytest

from concordant._kernels import compiling, copying, jit
from concordant._kernels.compiling import CompileWatch, watch_compilation
from concordant._kernels.jit import kernel
from concordant.pairwise import Pairwise
from concordant.running import Run
from concordant.stopping import MaxTime


def fresh_function() -> object:
    """Return a function that numba has not compiled, however often this is called."""

    @numba.njit
    def multiply(x: int) -> int:
        total = 0
        for i in range(x):
            total += i * x
        return total

    return multiply


class TestAnnouncement:
    def test_is_printed_once_per_process(self, monkeypatch, capsys) -> None:
        monkeypatch.setattr(compiling, "_announced", False)
        for _ in range(2):
            compiling.announce()
        assert capsys.readouterr().err == f"{compiling.MESSAGE}\n"

    def test_is_about_our_kernels_only(self, monkeypatch, capsys) -> None:
        monkeypatch.setattr(compiling, "_announced", False)
        fresh_function()(10)
        assert capsys.readouterr().err == ""
        ours = fresh_function()
        ours.py_func.__module__ = "concordant._kernels.example"
        ours(10)
        assert capsys.readouterr().err == f"{compiling.MESSAGE}\n"

    def test_fails_for_nobody(self, monkeypatch) -> None:
        monkeypatch.setattr(compiling, "_announced", False)
        monkeypatch.setattr(sys, "stderr", None)
        compiling.announce()


class TestWatch:
    def test_counts_compilation_and_nothing_else(self) -> None:
        started = []
        compiled = fresh_function()
        with watch_compilation(lambda: started.append(True)) as watch:
            assert watch.seconds == 0.0
            before = time.perf_counter()
            compiled(10)
            spent = time.perf_counter() - before
            counted = watch.seconds
            assert 0 < counted <= spent
            compiled(20)
            assert watch.seconds == counted
            assert started == [True]
            fresh_function()(10)
            assert watch.seconds > counted
            # Announced once.
            assert started == [True]
        after = watch.seconds
        fresh_function()(10)
        assert watch.seconds == after

    def test_nested_and_overlapping_compilations_count_once(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        now = SimpleNamespace(value=100.0)
        monkeypatch.setattr(compiling.time, "perf_counter", lambda: now.value)
        watch = CompileWatch()
        for change, step in (("start", 1), ("start", 2), ("end", 4), ("end", 8), ("start", 16)):
            getattr(watch, f"{change}ed")()
            now.value += step
        # 1 + 2 + 4 inside the first, 8 outside, 16 under way.
        assert watch.seconds == 23.0
        watch.ended()
        now.value += 32
        assert watch.seconds == 23.0

    def test_an_error_in_the_callback_is_raised_and_kernels_still_compile(self) -> None:
        def interrupt() -> None:
            raise KeyboardInterrupt

        compiled = fresh_function()
        with pytest.raises(KeyboardInterrupt), watch_compilation(interrupt):
            compiled(10)
        assert compiled(3) == 9

    def test_a_time_limit_does_not_count_compilation(self) -> None:
        # The clock of `aggregate`: seconds since the call less those of compilation.
        with watch_compilation() as watch:
            clock = SimpleNamespace(value=0.0)
            run = Run(
                Pairwise.from_matrix([[0, 2, 1], [1, 0, 2], [2, 1, 0]]),
                rule=MaxTime(1),
                clock=lambda: clock.value - watch.seconds,
            )
            fresh_function()(10)
            assert watch.seconds > 0
            clock.value = 1 + watch.seconds / 2
            assert not run.stop()
            clock.value = 1.001 + watch.seconds
            assert run.stop()


def _twice(number):
    return 2 * number


class TestKernel:
    def test_releases_the_lock_of_the_interpreter(self) -> None:
        assert kernel(lambda x: x).targetoptions["nogil"] is True


class TestCache:
    @pytest.fixture(autouse=True)
    def no_folder_of_the_user(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
        monkeypatch.setattr(jit.tempfile, "gettempdir", lambda: str(tmp_path))
        monkeypatch.setattr(jit.tempfile, "tempdir", str(tmp_path))

    def test_the_choice_of_the_user_counts(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("NUMBA_CACHE_DIR", "/elsewhere")
        assert jit._choose_cache() == Path("/elsewhere")

    @pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="these have other folders")
    def test_else_the_cache_folder_of_the_user(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        assert jit._choose_cache() == tmp_path / "cache" / "concordant" / "kernels"

    def test_nothing_is_written_beside_the_source(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(jit, "CACHE", tmp_path / "kernels")
        before = numba.config.CACHE_DIR
        compiled = jit.kernel(_twice)
        assert compiled(4) == 8
        assert list((tmp_path / "kernels").rglob("*.nbi"))
        # Functions of other packages are stored where they were.
        assert before == numba.config.CACHE_DIR

    def test_each_state_of_the_source_has_a_folder(self, tmp_path: Path) -> None:
        """A kernel that is stored contains others, so a change of these must not find it."""
        (tmp_path / "one.py").write_text("first")
        before = jit._state_of_source(tmp_path)
        assert jit._state_of_source(tmp_path) == before
        (tmp_path / "two.py").write_text("second")
        between = jit._state_of_source(tmp_path)
        (tmp_path / "one.py").write_text("third")
        assert len({before, between, jit._state_of_source(tmp_path)}) == 3
        assert jit.CACHE.name == jit._state_of_source(Path(jit.__file__).parent)

    def test_else_a_private_temporary_folder(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setattr(jit, "_can_write", lambda folder: False)
        folder = jit._choose_cache()
        assert folder.parent == tmp_path
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        # The next process finds it again.
        assert jit._temporary_cache() == folder

    @pytest.mark.skipif(not hasattr(os, "getuid"), reason="users have no numbers here")
    @pytest.mark.parametrize("trap", ["open", "link", "file", "other user"])
    def test_a_folder_of_someone_else_is_not_trusted(
        self, trap: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        folder = tmp_path / f"concordant-kernels-{os.getuid()}"
        if trap == "open":
            folder.mkdir()
            folder.chmod(0o777)
        elif trap == "link":
            (tmp_path / "target").mkdir(mode=0o700)
            folder.symlink_to(tmp_path / "target")
        elif trap == "file":
            folder.write_text("")
        else:
            mine = os.getuid()
            folder.mkdir(mode=0o700)
            monkeypatch.setattr(jit.os, "getuid", lambda: mine + 1)
            folder.rename(tmp_path / f"concordant-kernels-{mine + 1}")
        chosen = jit._temporary_cache()
        assert chosen.name.startswith("concordant-kernels-")
        assert chosen.name != f"concordant-kernels-{os.getuid()}"
        assert chosen.is_dir()
        assert not chosen.is_symlink()

    def test_no_home(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def no_home() -> Path:
            raise RuntimeError("no home")

        monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
        monkeypatch.setattr(jit.Path, "home", no_home)
        assert not jit._can_write(jit._user_cache())

    def test_can_write(self, tmp_path: Path) -> None:
        assert jit._can_write(tmp_path / "new" / "folder")
        (tmp_path / "file").write_text("")
        assert not jit._can_write(tmp_path / "file")
        assert not jit._can_write(tmp_path / "file" / "below")


def test_kernels_copy_arrays_with_a_loop():
    """`target[:] = array` takes 2 s more to compile, in each process: see `copying`."""
    numbers = {"most", "cost", "m"}  # names that stand for one number
    found = []
    for path in sorted(Path(copying.__file__).parent.glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Assign):
                continue
            targets = [part for each in node.targets for part in ast.walk(each)]
            into_slice = any(isinstance(part, ast.Slice) for part in targets)
            value = node.value
            is_number = isinstance(value, ast.Constant | ast.Attribute | ast.UnaryOp) or (
                isinstance(value, ast.Name) and value.id in numbers
            )
            if into_slice and not is_number:
                found.append(f"{path.name}:{node.lineno}")
    assert found == []
