"""The tasks of a worker, run in this process without the network."""

from __future__ import annotations

import io
import json
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_args

import polars as pl
import pytest

import concordant as cc
from concordant._kernels import jit
from concordant.errors import Hint, InputError, SettingError
from concordant.serve import worker
from concordant.serve.frames import pack, unpack
from concordant.serve.limits import Limits
from concordant.serve.models import Plot
from concordant.serve.records import unpack_record
from concordant.serve.tasks import TASKS, preload
from serving import hard_text

VOTES = b"3:a>b>c\n2:b>c>a\n1:c>a=b\n"
DATA = cc.Rankings.from_orders(
    [["a", "b", "c"], ["b", "c", "a"], ["c", ("a", "b")]], weights=[3, 2, 1]
)
MATRIX = b"3\n0 5 1\n2 0 4\n3 1 0\n"


class Line:
    """A channel that records all messages, and can cancel the task at a given phase."""

    def __init__(self, cancel_at: str = "") -> None:
        self.cancelled = threading.Event()
        self.heard: list[dict[str, Any]] = []
        self._cancel_at = cancel_at

    def send(self, message: dict[str, Any], *blocks: bytes) -> None:
        self.heard.append(message)
        if message.get("phase") == self._cancel_at:
            self.cancelled.set()

    @property
    def phases(self) -> set[str]:
        return {message["phase"] for message in self.heard if message["event"] == "progress"}


def task(**given: Any) -> dict[str, Any]:
    usual = {
        "limits": asdict(Limits()),
        "reading": {},
        "suffix": ".abif",
        "name": "votes.abif",
        "time_limit": 5.0,
        "seed": 0,
        "bootstrap": 0,
    }
    return {**usual, **given}


def solved(line: Line, content: bytes = VOTES, **given: Any) -> tuple[dict[str, Any], Any, bytes]:
    answer, (facts, record) = TASKS["solve"](task(**given), [content], line)  # type: ignore[arg-type]
    return answer, json.loads(facts), record


def problem(given: dict[str, Any], content: bytes) -> str:
    """Return why a file is refused."""
    line: Any = Line()
    facts = TASKS["recognise"](given, [content], line)[0]["facts"]
    assert not facts["readable"]
    [found] = facts["problems"]
    return str(found["detail"])


def test_recognise() -> None:
    line: Any = Line()
    facts = TASKS["recognise"](task(), [VOTES], line)[0]["facts"]
    assert (facts["format"], facts["n_items"], facts["n_rankings"]) == ("abif", 3, 6)
    facts = TASKS["recognise"](task(suffix=".lop", reading={"format": "lop"}), [MATRIX], line)[0]
    assert facts["facts"]["n_rankings"] is facts["facts"]["has_ties"] is None
    for limit, what in (("items", "3 items"), ("voters", "6 rankings")):
        few = task(limits={**asdict(Limits()), limit: 2})
        assert f"{what}, and this server accepts at most 2" in problem(few, VOTES)


@pytest.mark.parametrize("format_name", ["csv", "parquet"])
def test_too_many_columns_are_refused_before_they_are_read(
    monkeypatch: pytest.MonkeyPatch, format_name: str
) -> None:
    frame = pl.DataFrame({"voter": ["x"], "a": [1], "b": [2], "c": [3]})
    file = io.BytesIO()
    getattr(frame, f"write_{format_name}")(file)
    # Neither is called. For 100,000 columns they would take many seconds.
    monkeypatch.setattr("concordant.tables.building.build", None)
    monkeypatch.setattr("concordant.formats.csv.CsvFile.read", None)
    given = task(suffix=f".{format_name}", limits={**asdict(Limits()), "items": 2})
    told = problem(given, file.getvalue())
    assert "3 items, and this server accepts at most 2" in told


def test_solve_returns_the_result_of_the_library() -> None:
    line = Line()
    answer, facts, record = solved(line, seed=3, bootstrap=20)
    assert answer == {"cancelled": False, "resampled": True}
    result, firm = unpack_record(record)
    assert result.ranking == tuple(facts["ranking"]) == cc.aggregate(DATA).ranking
    assert facts["seed"] == 3
    assert facts["bootstrap"] == firm.to_dict() == cc.bootstrap(DATA, samples=20, seed=3).to_dict()
    assert [each["event"] for each in line.heard if each["event"] != "progress"] == [
        "read",
        "solved",
    ]
    assert line.phases >= {"reading", "resampling"}


def test_a_cancelled_search_has_a_result() -> None:
    line = Line(cancel_at="searching")
    answer, facts, _ = solved(line, hard_text(120).encode(), time_limit=60.0, bootstrap=5)
    assert answer == {"cancelled": True, "resampled": False}
    assert facts["interrupted"]
    assert len(facts["ranking"]) == 120
    assert "Stopped by hand" in facts["words"]["proof"]


def test_a_cancelled_bootstrap_keeps_the_result() -> None:
    line = Line(cancel_at="resampling")
    answer, facts, _ = solved(line, bootstrap=2_000)
    assert answer["cancelled"]
    assert facts["ranking"] == ["a", "b", "c"]
    assert facts.get("bootstrap", {"samples": 0})["samples"] < 2_000


def test_pictures_and_report() -> None:
    line: Any = Line()
    for content, given, pictures in (
        (VOTES, {"bootstrap": 20}, get_args(Plot)),
        (MATRIX, {"suffix": ".lop", "reading": {"format": "lop"}}, ["pairwise"]),
    ):
        record = solved(line, content, **given)[2]
        for name in pictures:
            for kind, start in (("png", b"\x89PNG"), ("svg", b"<svg")):
                asked = task(**given, picture=name, kind=kind)
                _, [picture] = TASKS["draw"](asked, [content, record], line)
                assert picture.startswith(start)
        _, [page] = TASKS["report"](task(**given), [content, record], line)
        assert b"<html" in page
    with pytest.raises(InputError, match="no bootstrap samples"):
        TASKS["draw"](task(picture="bootstrap", kind="png"), [VOTES, solved(line)[2]], line)


def test_kinds_of_failures(capfd: pytest.CaptureFixture[str]) -> None:
    # The page has no field for the last hint.
    hints = [Hint("format", ("soc",)), Hint("max_bytes", placeholder="N")]
    told = worker._failure(InputError("unclear", path="a", line=3, hints=hints))
    assert told == {
        "kind": "input",
        "message": "unclear. Use format soc",
        "line": 3,
        "hints": [{"setting": "format", "values": ["soc"], "purpose": ""}],
    }
    assert worker._failure(SettingError("seed is not a number"))["kind"] == "input"
    assert worker._failure(MemoryError())["kind"] == "memory"
    assert worker._failure(ZeroDivisionError("secret")) == {
        "kind": "internal",
        "message": "something went wrong in the server",
        "line": None,
    }
    # The details go to the log of the server only.
    assert "ZeroDivisionError: secret" in capfd.readouterr().err


def test_messages_arrive_unchanged() -> None:
    stream = io.BytesIO(pack({"task": "recognise"}, b"1", b"") + pack({"task": "cancel"}) + b"\0\0")
    assert unpack(stream) == ({"task": "recognise"}, [b"1", b""])
    assert unpack(stream) == ({"task": "cancel"}, [])
    assert unpack(stream) is None


@pytest.mark.parametrize("solver", [False, True])
def test_everything_is_loaded_once(solver: bool) -> None:
    preload(solver)


def test_kernels_of_the_search_are_loaded_but_not_compiled_at_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    solved = []

    def mallows(items: int, voters: int, **given: Any) -> cc.Rankings:
        solved.append(items)
        return cc.Rankings.from_orders([["a", "b"]])

    monkeypatch.setattr(cc.generate, "mallows", mallows)
    monkeypatch.setattr(jit, "CACHE", tmp_path)
    preload(solver=True)
    assert max(solved) < 250
    (tmp_path / "_kernels").mkdir()
    (tmp_path / "_kernels" / "evolution.improve-66.py311.nbi").touch()
    preload(solver=True)
    assert max(solved) == 250
