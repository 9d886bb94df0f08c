"""Hints of errors: how each front end phrases them, and that following them works."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import concordant as cc
from commands import is_error, run
from concordant._reading import FIELDS, READING
from concordant.errors import Hint, InputError, InputWarning, SettingError, in_fields, in_shell
from concordant.formats import FORMATS

HINTS = [
    Hint("sheet", ("Our votes", "it's"), "to read another sheet"),
    Hint("max_bytes", placeholder="N"),
]


@pytest.mark.parametrize("kind", [InputError, SettingError, InputWarning])
def test_each_front_end_has_its_own_words(kind: Any) -> None:
    error = kind("bad", hints=HINTS)
    assert str(error) == (
        'bad. Use sheet="Our votes" or sheet="it\'s" to read another sheet. Use max_bytes=N'
    )
    flags = {"sheet": "--sheet", "max_bytes": "--max-bytes"}
    assert error.phrased(in_shell(flags)) == (
        "bad. Use --sheet 'Our votes' or --sheet 'it'\"'\"'s' to read another sheet. "
        "Use --max-bytes N"
    )
    # What a front end does not have, it does not name.
    assert error.phrased(in_shell({})) == "bad"
    assert error.phrased(in_fields(FIELDS)) == (
        "bad. Use sheet Our votes or sheet it's to read another sheet"
    )


def test_a_place_keeps_the_hints() -> None:
    error = InputError("bad", hints=HINTS[1:]).at("votes.csv", 3)
    assert str(error) == "votes.csv, line 3: bad. Use max_bytes=N"
    assert error.phrased(placed=False) == "bad. Use max_bytes=N"


def test_long_lists_and_odd_values() -> None:
    many = str(InputError("bad", hints=[Hint("query", tuple(map(str, range(99))))]))
    assert many.endswith(' or query="9" or others')
    odd = str(InputError("bad", hints=[Hint("query", ('a"b', "x" * 100))]))
    assert odd == f'bad. Use query=\'a"b\' or query="{"x" * 59}…"'


def test_every_option_of_a_format_is_in_the_table() -> None:
    known = set(inspect.signature(cc.read).parameters) - {"path", "options"}
    for entry in FORMATS.values():
        known |= set(entry.options)
    assert known == set(READING)


# -- following a hint -------------------------------------------------------------------------

UNCLEAR = {
    "numbers.txt": "2 2\n1 2\n2 1\n",
    "header.csv": "1,2\n2,1\n",
    "single.csv": "a,b,c\n",
    "places.csv": "place 1,place 2\n1,2\n",
    "tied.soc": "# NUMBER ALTERNATIVES: 3\n1: 1,{2,3}\n1: 2\n",
    "short.toc": "# NUMBER ALTERNATIVES: 3\n1: 1,2\n",
    "runs.trec": "7 Q0 a 1 2 x\n8 Q0 b 1 2 x\n",
    "twice.abif": "1:a>b>a\n",
    "twice.csv": "voter,item,rank\nx,a,1\nx,a,2\n",
    "twice.json": '{"format": "concordant-rankings", "version": 1, "items": ["a"],\n'
    ' "rankings": [{"buckets": [[0], [0]]}]}',
    "votes.xlsx": "voter,item,rank\nx,a,1\n",
}


def followed(error: InputError) -> Iterator[dict[str, str]]:
    assert error.hints
    for hint in error.hints:
        assert hint.values
        yield from ({hint.setting: value} for value in hint.values)


@pytest.mark.parametrize("name", UNCLEAR)
@pytest.mark.filterwarnings("ignore::concordant.InputWarning")
def test_what_an_error_suggests_works(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(UNCLEAR[name])
    with pytest.raises(InputError) as caught:
        cc.read(path)
    for options in followed(caught.value):
        assert cc.read(path, **options).n_items >= 1  # type: ignore[arg-type]


def test_the_shell_suggests_its_options(tmp_path: Path) -> None:
    path = tmp_path / "runs.trec"
    path.write_text(UNCLEAR["runs.trec"])
    done = run("aggregate", path)
    assert is_error(done, "--query 7 or --query 8")
    assert "=" not in done.stderr


def test_two_formats_in_one_command(tmp_path: Path) -> None:
    path = tmp_path / "numbers.txt"
    path.write_text(UNCLEAR["numbers.txt"])
    done = run("convert", path, tmp_path / "a.soc")
    assert is_error(done, "Use --from ranks or --from orders")
    done = run("convert", path, tmp_path / "a", "--from", "ranks")
    assert is_error(done, "Use --to NAME")


def test_a_command_names_no_option_that_it_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("who,item,rank\nx,a,1\n")
    # Options of other formats.
    done = run("aggregate", path, "--sheet", "x")
    assert is_error(done, "--sheet is not an option for reading csv")
    assert "voter" not in done.stderr


def test_tables_that_have_a_header_are_never_lists(tmp_path: Path) -> None:
    frame = pl.DataFrame({"Ann": ["Bo"], "Bo": ["Ann"]})
    path = tmp_path / "votes.parquet"
    frame.write_parquet(path)
    for read in (lambda: cc.read(path), lambda: cc.Rankings.from_frame(frame)):
        with pytest.raises(InputError) as caught:
            read()
        assert "lists" not in str(caught.value)


def test_a_long_file_suggests_a_larger_limit_where_that_can_be_set(tmp_path: Path) -> None:
    path = tmp_path / "votes.abif"
    path.write_text("1:a>b\n")
    with pytest.raises(InputError, match="Use max_bytes=N to read more"):
        cc.read(path, max_bytes=3)
    assert is_error(run("aggregate", path, "--max-bytes", "3"), "Use --max-bytes N to read more")
