"""Methods and formats from outside the package: entry points, and modules that the user names."""

import os
import sys
from importlib import invalidate_caches
from pathlib import Path

import pytest

import concordant as cc
from commands import CAFES, is_error, process, run
from concordant import plugins
from concordant.algorithms import registry
from concordant.algorithms.registry import METHODS, Method, register
from concordant.bench.store import load
from concordant.errors import MethodError, PluginWarning, SettingError
from concordant.formats import FORMATS, Format
from concordant.formats.common import registry as formats
from concordant.plugins import Plugins, load_module

METHOD = """
from dataclasses import dataclass
from concordant.algorithms.registry import Method, register

@dataclass(frozen=True)
class Shift:
    by: int = 1

def shifted(run, settings):
    n = run.n_items
    run.improve([(k + settings.by) % n for k in range(n)])

METHOD = Method("shifted", "the items, shifted round", shifted, settings=Shift)
"""
FORMAT = """
from concordant.formats import Ballots, Format

def read_words(source):
    ballots, index = Ballots(source), {}
    for line, text in enumerate(source.lines, start=1):
        if text:
            ballots.add([[index.setdefault(name, len(index))] for name in text.split()], 1, line)
    return ballots.rankings(list(index))

FORMAT = Format("words", "names, best first", (".words",), read_words)
"""


def package(folder, name="theirs", version="1.5", modules=None, **groups):
    """Write a package as if it was installed: its modules, and its entry points."""
    about = folder / f"{name}-{version}.dist-info"
    about.mkdir()
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    lines = [f"[concordant.{group}]\n{text}\n" for group, text in groups.items()]
    (about / "entry_points.txt").write_text("\n".join(lines))
    for module, text in (modules or {}).items():
        (folder / f"{module}.py").write_text(text)


@pytest.fixture
def site(tmp_path, monkeypatch):
    """A folder of installed packages; afterwards, what they added is taken out."""
    # Examples in the documentation have modules of the same names.
    for name in ("theirs", "mine", "broken"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    invalidate_caches()
    before = dict(METHODS), dict(FORMATS), set(sys.modules), dict(plugins._loaded)
    paths = list(sys.path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(plugins.VARIABLE, raising=False)
    monkeypatch.setattr(
        registry, "PLUGINS", Plugins("concordant.methods", Method, METHODS, register)
    )
    monkeypatch.setattr(
        formats, "PLUGINS", Plugins("concordant.formats", Format, FORMATS, formats.register)
    )
    yield tmp_path
    for known, old in zip(
        (METHODS, FORMATS, plugins._loaded), (*before[:2], before[3]), strict=True
    ):
        known.clear()
        known.update(old)
    for name in set(sys.modules) - before[2]:
        if Path(getattr(sys.modules[name], "__file__", None) or "/").is_relative_to(tmp_path):
            del sys.modules[name]
    sys.path[:] = paths


def test_an_installed_method_is_one_of_all(site):
    package(site, modules={"theirs": METHOD}, methods="shifted = theirs:METHOD")
    data = cc.Rankings.from_orders([list("abc"), list("bca")], items="abc")
    cc.aggregate(data, "borda")
    assert "theirs" not in sys.modules, "it is loaded only when it is needed"
    assert cc.aggregate(data, "shifted", by=1).ranking == tuple("bca")
    assert cc.methods()["shifted"] == "the items, shifted round [instant]"
    assert cc.compare(data, ["shifted"]).rows[0].method == "shifted"
    assert registry.PLUGINS.packages == {"shifted": ("theirs", "1.5")}


def test_an_installed_format_is_one_of_all(site):
    package(site, modules={"theirs": FORMAT}, formats="words = theirs:FORMAT")
    (site / "votes.words").write_text("tea milk\nmilk tea\n")
    cc.Rankings.from_orders([["a", "b"]])
    assert "theirs" not in sys.modules
    assert cc.read("votes.words").items == ("tea", "milk")
    assert cc.read(site / "votes.words", "words").n_rankings == 2


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("import missing_module", "No module named 'missing_module'"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("(", "SyntaxError"),
        ("METHOD = 7", "it is a int, not a Method"),
        (METHOD.replace('"shifted"', '"borda"'), "a method 'borda' already: choose another name"),
        (METHOD.replace('"shifted"', '"Shifted"'), "lower-case letters"),
        ("", "has no attribute 'METHOD'"),
    ],
)
def test_a_broken_plugin_is_named_and_left_out(site, text, words):
    package(site, modules={"broken": text}, methods="wrong = broken:METHOD")
    package(site, "good", modules={"theirs": METHOD}, methods="shifted = theirs:METHOD")
    known = dict(METHODS)
    assert registry.get("shifted").name == "shifted", "the other one is not loaded for it"
    with pytest.warns(PluginWarning, match="plugin 'wrong' of theirs 1.5") as caught:
        found = cc.methods()
    assert words in str(caught[0].message)
    assert "\n" not in str(caught[0].message)
    assert set(found) == {*known, "shifted"}
    assert METHODS["borda"] is known["borda"]
    assert cc.methods() == found, "it is reported once"


def test_a_plugin_may_have_several_methods_and_register_them_itself(site):
    text = METHOD + (
        "OTHER = Method('other', 'the same', shifted, settings=Shift)\n"
        "register(METHOD)\nALL = [METHOD, OTHER]\n"
    )
    package(site, modules={"theirs": text}, methods="all = theirs:ALL")
    assert {"shifted", "other"} <= set(cc.methods())


def test_a_method_whose_code_is_missing_raises_a_clear_error(site):
    register(Method("gone", "nothing", "missing_package.module:function"))
    register(Method("odd", "nothing", print, settings="missing_package.module:Settings"))
    data = cc.Rankings.from_orders([["a", "b"]])
    for name in ("gone", "odd"):
        with pytest.raises(MethodError, match=f"method '{name}': its code .* cannot be loaded"):
            cc.aggregate(data, name)


def test_a_method_that_fails_is_left_out_of_a_comparison_of_all(site):
    def failing(run, settings):
        raise RuntimeError("it does not work")

    for name in set(METHODS) - {"borda", "exact"}:
        del METHODS[name]
    register(Method("failing", "fails", failing))
    data = cc.Rankings.from_orders([["a", "b"]])
    for jobs in (1, 2):
        found = cc.compare(data, time_limit=0.01, n_jobs=jobs)
        assert found.skipped["failing"] == "failed: RuntimeError: it does not work"
    with pytest.raises(RuntimeError, match="does not work"):
        cc.compare(data, ["failing"])


class TestImport:
    @pytest.mark.parametrize("name", ["mine", "mine.py", "folder/mine.py"])
    def test_a_module_or_a_file_is_loaded(self, site, name):
        (site / "folder").mkdir()
        for path in (site / "mine.py", site / "folder" / "mine.py"):
            path.write_text(METHOD + "register(METHOD)\n")
        done = run("aggregate", CAFES, "-q", "--json", "--method", "shifted", "--import", name)
        assert (done.exit_code, done.stderr) == (0, "")
        assert '"method": "shifted"' in done.stdout
        assert plugins.VARIABLE not in os.environ
        assert "shifted" in run("methods").stdout

    def test_a_format_can_be_imported(self, site):
        text = FORMAT + "from concordant.formats import register\nregister(FORMAT)\n"
        (site / "mine.py").write_text(text)
        (site / "votes.words").write_text("tea milk\nmilk tea\ntea\n")
        done = run("convert", "votes.words", "votes.soi", "--import", "mine")
        assert (done.exit_code, done.stderr) == (0, "")
        assert cc.read("votes.soi").n_rankings == 3

    @pytest.mark.parametrize(
        ("text", "words"),
        [("1 / 0", "division by zero"), (None, "No module named 'mine'")],
    )
    def test_what_cannot_be_imported_is_an_error(self, site, text, words):
        if text is not None:
            (site / "mine.py").write_text(text)
        done = run("aggregate", CAFES, "--import", "mine")
        assert is_error(done, "--import", "mine cannot be imported", words)
        assert "mine" not in sys.modules
        with pytest.raises(SettingError, match="mine cannot be imported"):
            load_module("mine")

    def test_experiments_run_a_method_of_ones_own_in_other_processes(self, site):
        package(site, modules={"broken": "1 / 0"}, methods="wrong = broken:METHOD")
        (site / "mine.py").write_text(METHOD + "register(METHOD)\n")
        (site / "files").mkdir()
        (site / "files" / CAFES.name).write_bytes(CAFES.read_bytes())
        given = ["--methods", "shifted,borda", "--repeats", "2", "--instances", "files"]
        command = ["bench", "run", "methods", "--store", "store", "-q", *given]
        done = run(*command, "--import", "mine.py")
        assert (done.exit_code, done.stderr) == (0, "")
        manifest, records = load("store")
        assert {(r.method, r.run, r.seed) for r in records} == {
            (name, k, k) for name in ("shifted", "borda") for k in range(2)
        }
        assert all(record.error is None for record in records)
        assert list(manifest.settings["imports"]) == ["mine.py"]
        assert manifest.command.endswith("--import mine.py")
        (site / "mine.py").write_text(METHOD + "register(METHOD)  # changed\n")
        del plugins._loaded["mine.py"], METHODS["shifted"]
        assert is_error(run(*command, "--import", "mine.py"), "imports", "mine.py")
        assert is_error(run("bench", "run", "scale", *given[:2], "--store", "s"), "are fixed")


def test_the_command_line_says_which_plugin_is_broken_in_one_line(site, monkeypatch):
    package(site, modules={"broken": "1 / 0"}, methods="wrong = broken:METHOD")
    inherited = os.environ.get("PYTHONPATH", "")
    monkeypatch.setenv("PYTHONPATH", f"{site}{os.pathsep}{inherited}")
    done = process("methods", text=True)
    assert done.returncode == 0
    assert "bioconsert" in done.stdout
    assert done.stderr == (
        "concordant: warning: the plugin 'wrong' of theirs 1.5 (concordant.methods: "
        "broken:METHOD) is not used: ZeroDivisionError: division by zero\n"
    )
