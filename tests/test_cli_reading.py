"""Every command that reads a file hands its options on to `read`, and says what that warns of."""

import warnings

import pytest

import concordant as cc
from commands import CAFES, is_error, run
from concordant.formats import Source

COMMANDS = {
    "aggregate": ["aggregate", "IN", "--method", "borda"],
    "compare": ["compare", "IN", "--methods", "borda", "--quiet"],
    "verify": ["verify", "RESULT", "IN"],
    "convert": ["convert", "IN", "OUT"],
}


@pytest.fixture
def given(tmp_path, monkeypatch):
    """What `read` is called with."""
    calls = []

    def read_source(path, file_format=None, **options):
        calls.append(options)
        warnings.warn("2 items were dropped", UserWarning, stacklevel=1)
        data = cc.Rankings.from_orders([["a", "b"]])
        return Source(path), "toi", lambda: data

    monkeypatch.setattr("concordant.formats.read_source", read_source)
    return calls


@pytest.fixture
def command(tmp_path):
    def command(name, source=CAFES):
        places = {"IN": source, "RESULT": tmp_path / "result.json", "OUT": tmp_path / "out.json"}
        cc.aggregate(cc.Rankings.from_orders([["a", "b"]]), "borda").save(places["RESULT"])
        return [places.get(word, word) for word in COMMANDS[name]]

    return command


@pytest.mark.parametrize("name", COMMANDS)
def test_options_reach_the_reader(name, command, given):
    done = run(*command(name), "--duplicates", "first", "--max-bytes", "1000")
    assert done.exit_code == 0, done.stderr
    [options] = given
    options.pop("unranked", None)
    assert options == {"duplicates": "first", "max_bytes": 1000}
    assert done.stderr == "concordant: warning: 2 items were dropped\n"


def test_what_is_not_asked_for_is_left_to_the_reader(command, given):
    run(*command("aggregate"))
    assert given == [{}]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--duplicates", "last"], ["--duplicates", "first"]),
        (["--max-bytes", "0"], ["--max-bytes", "at least 1"]),
        (["--max-bytes", "many"], ["--max-bytes", "whole number"]),
    ],
)
def test_bad_values(arguments, words):
    assert is_error(run("aggregate", CAFES, *arguments), *words)


def test_standard_input_has_an_end():
    text = "3:a>b\n2:b>a\n"
    arguments = ["aggregate", "-", "--format", "abif", "--method", "borda", "--max-bytes"]
    assert run(*arguments, len(text), stdin=text).exit_code == 0
    done = run(*arguments, len(text) - 1, stdin=text)
    assert is_error(done, "standard input", "11", "--max-bytes")
    assert "Python" not in done.stderr


@pytest.mark.parametrize("source", ["file", "standard input"])
def test_duplicates(source, tmp_path):
    text, path = "3:a>b>a\n2:b>a\n", tmp_path / "votes.abif"
    path.write_text(text)
    arguments = ["aggregate", "-" if source == "standard input" else path, "--json"]
    name = "standard input" if source == "standard input" else str(path)
    assert is_error(run(*arguments, stdin=text), name, "line 1", "twice")
    done = run(*arguments, "--duplicates", "first", stdin=text)
    assert done.exit_code == 0, done.stderr
    assert '"ranking": ["a", "b"]' in done.stdout
    assert done.stderr.startswith(f"concordant: warning: {name}: ")
    assert done.stderr.count("\n") == 1


def test_a_file_that_is_too_long(tmp_path):
    path = tmp_path / "votes.abif"
    path.write_text("3:a>b\n" * 100)
    done = run("aggregate", path, "--max-bytes", "99")
    assert is_error(done, "votes.abif", "99", "--max-bytes")
