"""What tables are read as: one plausible reading is read, two are asked about."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import concordant as cc
from concordant.cli.program import app
from concordant.reading.findings import QuestionError


def orders(text: str, **options: Any) -> list[str]:
    """Read a text and return its rankings as `A > B = C`."""
    path = Path("table.csv")
    path.write_text(text, encoding="utf-8")
    return [
        " > ".join(" = ".join(map(str, bucket)) for bucket in ranking)
        for ranking, weight in cc.read(path, **options)
    ]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("judge,A,B,C\nx,1,2,3\ny,2,1,3\n", ["A > B > C", "B > A > C"]),
        (
            "wine,Ann,Bo\nRed,1,2\nRose,3,1\nWhite,2,3\n",
            ["Red > White > Rose", "Rose > Red > White"],
        ),
        ("#,Name,Age,A,B\n1,x,34,1,2\n2,y,57,2,1\n", ["A > B", "B > A"]),
        ("voter,A,B\nx,1,2\ny,2,1\nTotal,3,3\n", ["A > B", "B > A"]),
        ("1er choix;2e choix\nThé;Vin\nVin;aucun\n", ["Thé > Vin", "Vin"]),
        ("1. Wahl;2. Wahl\nTee;Bier\nBier;Tee\n", ["Tee > Bier", "Bier > Tee"]),
        ("When,Q [A],Q [B]\n2025-01-01,1st,2nd\n2025-01-02,2nd,1st\n", ["A > B", "B > A"]),
        ("ID,Rank them\n1,A;B;\n2,B;A;\n", ["A > B", "B > A"]),
        ("race,rider,pos\nr,A,1\nr,B,2\nr,C,DNF\n", ["A > B"]),
        ("swimmer,Heat,Final\nA,0:51.20,0:50.1\nB,0:52.00,0:49.9\n", ["A > B", "B > A"]),
        ("Ann: A > B\nBo: B > A\n", ["A > B", "B > A"]),
        ("A,B,C\nB,A,C\nB,C,A\nA,C,B\n", ["A > B > C", "B > A > C", "B > C > A", "A > C > B"]),
        ("Rank,S 1,S 2\n1,A,B\n2,B,A\n", ["A > B", "B > A"]),
        ("model_a,model_b,winner\nA,B,model_b\nA,B,tie\n", ["B > A", "B = A"]),
        ("Home,Away,Result\nA,B,2-1\nB,A,0-3\n", ["A > B"]),
    ],
)
def test_one_plausible_reading_is_read(text: str, expected: list[str]) -> None:
    assert sorted(orders(text)) == sorted(expected)


@pytest.mark.parametrize(
    ("text", "code", "answers"),
    [
        (
            "judge,A,B\nx,85,72\ny,90,71\n",
            "ranks-or-scores",
            [({"values": "scores"}, ["A > B"] * 2), ({"values": "ranks"}, ["B > A"] * 2)],
        ),
        (
            ",A,B\nA2,1,2\nB2,2,1\n",
            "rows-or-columns",
            [
                ({"transpose": False}, ["A > B", "B > A"]),
                ({"transpose": True}, ["A2 > B2", "B2 > A2"]),
            ],
        ),
        (
            "source,target\nA,B\nB,C\n",
            "edge-direction",
            [
                ({"winner": "source"}, ["A > B", "B > C"]),
                ({"winner": "target"}, ["B > A", "C > B"]),
            ],
        ),
        (
            "name,A,B,C,Shoe\nx,1,2,3,38\ny,2,1,3,44\nz,3,1,2,41\n",
            "not-a-rank",
            [({"ignore": "Shoe"}, ["A > B > C", "B > A > C", "B > C > A"])],
        ),
    ],
)
def test_two_plausible_readings_are_asked_about(
    text: str, code: str, answers: list[tuple[dict[str, Any], list[str]]]
) -> None:
    with pytest.raises(QuestionError) as caught:
        orders(text)
    assert [each.code for each in caught.value.questions] == [code]
    assert len(str(caught.value)) < 3 * 100
    assert cc.inspect(text).questions[0].code == code
    for options, expected in answers:
        assert sorted(orders(text, **options)) == expected


def test_names_that_look_alike() -> None:
    text = "1st choice,2nd choice\nBlue Kettle,Fox\nFox,blue kettle \n"
    with pytest.warns(cc.InputWarning, match="look alike"):
        assert len(orders(text)) == 2
    assert orders(text, names="merge") == ["Blue Kettle > Fox", "Fox > Blue Kettle"]


def test_top_lists_warn() -> None:
    text = "1st choice,2nd choice,3rd choice\nA,B,C\nD,E,F\nG,A,B\n"
    with pytest.warns(cc.InputWarning, match="each ranking lists 3 of 7 items"):
        orders(text)
    assert [f.code for f in cc.inspect(text).findings] == ["top-k"]
    assert not cc.inspect(text, unranked="last").findings


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_encodings(encoding: str) -> None:
    Path("a.csv").write_bytes("Wähler;Käse;Öl\nJörg;1;2\nUwe;2;1\n".encode(encoding))
    assert cc.read("a.csv").items == ("Käse", "Öl")


def test_frames_go_the_same_way() -> None:
    frame = pd.DataFrame({"judge": ["x", "y"], "A": [85, 90], "B": [72, 71]})
    with pytest.raises(QuestionError, match="not places of 2 items"):
        cc.Rankings.from_frame(frame)
    data = cc.Rankings.from_frame(frame, values="scores")
    assert data == cc.Rankings.from_orders([["A", "B"], ["A", "B"]])
    assert cc.inspect(frame).questions[0].code == "ranks-or-scores"


def test_a_folder_has_a_voter_per_file() -> None:
    for name, text in {"ann": "A\nB\n", "bo": "1. B\n2. A\n"}.items():
        Path("votes").mkdir(exist_ok=True)
        Path(f"votes/{name}.txt").write_text(text)
    assert cc.read("votes") == cc.Rankings.from_orders([["A", "B"], ["B", "A"]])
    assert cc.inspect("votes").voters == ["ann", "bo"]


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "a,b\n",
        ",".join("x" * 12_000) + "\n" + ",".join("1" * 12_000) + "\n",
        "a,b\n" + "x" * 2**20 + ",1\n",
        "a,b\n1,1\n1,1\n",
        "<!DOCTYPE html><html></html>\n",
        "Dear all,\nthank you for the cake; it was good.\nAnn\n",
    ],
)
def test_what_is_not_a_table_is_refused_at_once(text: str) -> None:
    start = time.process_time()
    with pytest.raises(cc.InputError) as caught:
        orders(text)
    assert len(str(caught.value)) < 400
    assert time.process_time() - start < 20


def test_the_command(capsys: pytest.CaptureFixture[str]) -> None:
    Path("a.csv").write_text("judge,A,B\nx,85,72\ny,90,71\n")
    with pytest.raises(SystemExit) as ended:
        app(["inspect", "a.csv"], prog_name="concordant")
    shown = capsys.readouterr().out
    assert ended.value.code == 2
    assert "voter  item  item" in shown
    assert "--values scores" in shown
    with pytest.raises(SystemExit) as ended:
        app(["inspect", "a.csv", "--values", "scores", "--json"], prog_name="concordant")
    assert ended.value.code == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["layout"], facts["roles"]) == ("wide", ["voter", "item", "item"])


def test_the_inspection_shows_itself() -> None:
    seen = cc.inspect("judge,A,B\nx,1,2\ny,2,1\n")
    assert seen.summary == "csv, wide, ranks (lowest best), 2 items, 2 rankings"
    assert "<th>voter</th>" in seen._repr_html_()
    assert json.loads(json.dumps(seen.to_dict()))["voters"] == ["x", "y"]
