"""Tables as JSON (`records`) and NumPy matrices (`npy`): what is read, asked and refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concordant as cc
from concordant.formats import detect
from concordant.reading.findings import QuestionError


def named(name: str, content: str | bytes) -> io.BytesIO:
    file = io.BytesIO(content.encode() if isinstance(content, str) else content)
    file.name = name
    return file


def orders(data: Any) -> list[tuple[str, Any]]:
    """Return the rankings as texts, with their weights."""
    found = [
        (" > ".join("=".join(map(str, sorted(bucket))) for bucket in ranking), weight)
        for ranking, weight in data
    ]
    return sorted(found)


BATTLES = [("ada > brio", 1), ("ada=brio", 1), ("cato > ada", 1)]
THREE = [("A > B > C", 1), ("B > C > A", 1)]
TABLES = {
    "battles.jsonl": (
        '{"model_a": "ada", "model_b": "brio", "winner": "model_a", "turns": {"n": 2, "k": 1}}\n'
        '{"model_a": "ada", "model_b": "brio", "winner": "tie (bothbad)"}\n'
        '\n{"model_a": "cato", "model_b": "ada", "winner": "model_a", "chat": [{"role": "x"}]}\n',
        BATTLES,
    ),
    "battles.json": (
        '[{"winner": "ada", "loser": "brio"}, {"winner": "cato", "loser": "ada"}]',
        [("ada > brio", 1), ("cato > ada", 1)],
    ),
    "long.json": (
        '[{"voter": "Ann", "item": "A", "rank": 1},\n {"voter": "Ann", "item": "B", "rank": 2},\n'
        ' {"voter": "Bo", "item": "B", "rank": 1}, {"voter": "Bo", "item": "A", "rank": null}]',
        [("A > B", 1), ("B", 1)],
    ),
    "wide.ndjson": (
        '{"judge": "Ann", "A": 1, "B": 2, "C": 3}\n{"judge": "Bo", "C": 2, "B": 1, "A": 3}\n',
        THREE,
    ),
    "ballots.json": (
        '[{"First choice": "A", "Second choice": "B"}, {"First choice": "B", '
        '"Second choice": "A"}]',
        [("A > B", 1), ("B > A", 1)],
    ),
    "ranks-inside.json": (
        '[{"voter": "Ann", "ranks": {"A": 1, "B": 2}}, {"voter": "Bo", "ranks": {"B": 1}}]',
        [("A > B", 1), ("B", 1)],
    ),
    "scores-inside.json": (
        '[{"voter": "Ann", "scores": {"A": 8.5, "B": 2}}, {"voter": "Bo", "scores": {"B": 9}}]',
        [("A > B", 1), ("B", 1)],
    ),
    "lists.json": (
        '{"title": "x", "votes": [{"voter": "Ann", "ranking": ["A", ["B", "C"]], "weight": 3}, '
        '{"voter": "Bo", "ranking": ["C", "B"], "weight": 1}]}',
        [("A > B=C", 3), ("C > B", 1)],
    ),
    "arrow-in-a-name.jsonl": (
        '{"ranking": ["A=1", "B>2"]}\n{"ranking": ["B>2", "A=1"]}\n',
        [("A=1 > B>2", 1), ("B>2 > A=1", 1)],
    ),
    "list-of-lists.json": ('[["A", "B", "C"], ["B", "C", "A"]]', THREE),
    "lines-of-lists.jsonl": ('["A", "B", "C"]\n["B", "C", "A"]\n', THREE),
    "by-voter.json": ('{"Ann": ["A", "B", "C"], "Bo": ["B", "C", "A"]}', THREE),
    "ranks-by-voter.json": (
        '{"Ann": {"A": 1, "B": 2, "C": 3}, "Bo": {"B": 1, "C": 2, "A": 3}, "Cy": {"A": 1, "B": 2, '
        '"C": 3}}',
        [("A > B > C", 1), ("A > B > C", 1), ("B > C > A", 1)],
    ),
    "columns.json": (
        '{"voter": {"0": "Ann", "1": "Bo"}, "A": {"0": 1, "1": 2}, "B": {"0": 2, "1": 1}}',
        [("A > B", 1), ("B > A", 1)],
    ),
    "split.json": (
        '{"columns": ["voter", "A", "B"], "index": [0, 1], "data": [["Ann", 1, 2], ["Bo", 2, 1]]}',
        [("A > B", 1), ("B > A", 1)],
    ),
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_as_json(name: str, tmp_path: Path) -> None:
    text, wanted = TABLES[name]
    assert orders(cc.read(named(name, text))) == wanted
    path = tmp_path / "without-suffix"
    path.write_text(text)
    assert detect(path) == "records"
    assert orders(cc.read(path)) == wanted


def test_voters_and_weights() -> None:
    data = cc.read(named("x.json", TABLES["lists.json"][0]))
    assert data.voters == ("Ann", "Bo")
    seen = cc.inspect(named("x.jsonl", TABLES["battles.jsonl"][0]))
    assert (seen.format, seen.layout) == ("records", "battles")
    assert seen.roles[:3] == ["left", "right", "winner"]


def test_scores_are_asked_about_and_options_settle_it() -> None:
    text = '[{"judge": "Ann", "A": 8.5, "B": 7}, {"judge": "Bo", "A": 2, "B": 3}]'
    with pytest.raises(QuestionError, match=r"x\.json: record 1: the values \(8\.5, 7, 2, 3, …\)"):
        cc.read(named("x.json", text))
    data = cc.read(named("x.json", text), values="scores")
    assert orders(data) == [("A > B", 1), ("B > A", 1)]


def test_a_large_file_of_battles_is_read_by_columns() -> None:
    names = [f"m{k}" for k in range(6)]
    rows = [
        {"model_a": names[k % 6], "model_b": names[(k + 1 + k % 4) % 6], "winner": outcome}
        for k, outcome in enumerate(["model_a", "model_b", "tie"] * 1000)
    ]
    large = cc.read(named("x.jsonl", "\n".join(map(json.dumps, rows))))
    assert large == cc.Rankings.from_battles(
        [
            (r["model_a"], r["model_b"], r["winner"][-1] if "_" in r["winner"] else "tie")
            for r in rows
        ]
    )


BAD = {
    "cut.jsonl": (
        '{"winner": "a", "loser": "b"}\n{"winner": "a",\n',
        "line 3: the JSON text is incomplete",
    ),
    "twice.json": ('[{"a": 1, "a": 2}]', "line 1: not valid JSON: the key 'a' is there twice"),
    "empty.json": ("[]", "holds no table"),
    "numbers.json": ("[1, 2, 3]", "holds no table"),
    "keys.jsonl": ("{}\n{}\n", "the objects have no keys"),
    "deep.json": ("[" * 100_000, "not valid JSON"),
    "behind.json": ('[{"a": 1}] x', "text after the end of the JSON list"),
    "between.jsonl": ('{"a": 1}\nx\n{"a": 1}', "line 2: there is text between"),
    "blank.jsonl": ("\n", "the file is empty"),
    "word.json": (
        '[{"voter": "A", "item": "x", "rank": 1}, {"voter": "A", "item": "y", "rank": "z"}, '
        '{"voter": "B", "item": "y", "rank": 1}, {"voter": "B", "item": "x", "rank": 2}]',
        "record 2: 'rank' is 'z', which is not a number",
    ),
    "again.jsonl": (
        '{"voter": "A", "item": "x", "rank": 1}\n{"voter": "A", "item": "x", "rank": 2}\n',
        "line 2: voter 'A' has item 'x' twice",
    ),
    "ties.json": ('[{"ranking": [["a>b", "c"], "d"]}, {"ranking": ["d"]}]', "contain > or =, and"),
    "wide.json": (json.dumps([{str(k): k for k in range(10_001)}]), "have more than 9,999 keys"),
    "other.json": ('{"a": 1}', "not a JSON file of rankings"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_json_is_refused(name: str) -> None:
    text, message = BAD[name]
    with pytest.raises(cc.InputError) as caught:
        cc.read(named(name, text))
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


# -- NumPy matrices ---------------------------------------------------------------------------


def saved(array: Any, **options: Any) -> bytes:
    file = io.BytesIO()
    np.save(file, np.asarray(array), **options)
    return file.getvalue()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("kind", ["int8", "uint16", "int64", "float32", "float64", ">i4"])
def test_a_matrix_of_pairs(order: Any, kind: str) -> None:
    matrix = np.array([[0, 7, 1], [2, 0, 5], [3, 4, 0]], dtype=kind, order=order)
    data = cc.read(named("x.npy", saved(matrix)))
    assert isinstance(data, cc.Pairwise)
    assert data.items == ("1", "2", "3")
    assert data.counts.tolist() == [[0, 7, 1], [2, 0, 5], [3, 4, 0]]


def test_a_matrix_without_a_suffix_and_of_truths(tmp_path: Path) -> None:
    path = tmp_path / "matrix"
    path.write_bytes(saved([[False, True], [False, False]]))
    assert cc.read(path).counts.tolist() == [[0, 1], [0, 0]]


def test_rows_that_may_be_ranks_are_asked_about() -> None:
    content = saved([[1, 2], [2, 1]])
    with pytest.raises(QuestionError, match="rows may be ranks"):
        cc.read(named("x.npy", content))
    assert orders(cc.read(named("x.npy", content), layout="wide")) == [("1 > 2", 1), ("2 > 1", 1)]
    assert cc.read(named("x.npy", content), layout="matrix").counts.tolist() == [[0, 2], [2, 0]]


BAD_MATRICES = {
    "not square": (saved([[0.5, 1, 2], [1, 0, 2]]), "2 rows and 3 columns"),
    "a vector": (saved([1, 2, 3]), "the array is 3, but a matrix has two sides"),
    "a number": (saved(3), "the array is a single number"),
    "empty": (saved(np.zeros((0, 0))), "none of them 0"),
    "text": (saved([["a", "b"], ["c", "d"]]), "must hold numbers"),
    "objects": (saved([[0, None], [1, 0]], allow_pickle=True), "must hold numbers"),
    "records": (saved(np.zeros((2, 2), dtype=[("a", "i4")])), "must hold numbers"),
    "complex": (saved([[0, 1j], [1, 0]]), "must hold numbers"),
    "nan": (saved([[0, np.nan], [1, 0]]), "matrix entry"),
    "cut off": (saved(np.zeros((5, 5)))[:-8], "damaged, or cut off: 200 bytes must follow"),
    "longer": (saved(np.zeros((5, 5))) + b"x", "damaged, or cut off"),
    "huge": (saved(np.zeros((2, 2))).replace(b"(2, 2), }  ", b"(9000000, 9000000), }"), "side of"),
    "header": (b"\x93NUMPY\x01\x00\x10\x00" + b"(" * 16, "the header of the NumPy file is damaged"),
    "mark alone": (b"\x93NUMPY", "the header of the NumPy file is damaged"),
    "another": (b"hello", "not a NumPy file"),
    "no byte": (b"", "not a NumPy file"),
}


@pytest.mark.parametrize("what", BAD_MATRICES)
def test_bad_matrices_are_refused(what: str) -> None:
    content, message = BAD_MATRICES[what]
    with pytest.raises(cc.InputError) as caught:
        cc.read(named("x.npy", content))
    assert message in str(caught.value)


def test_other_layouts_are_refused() -> None:
    with pytest.raises(cc.SettingError, match="layout matrix or wide"):
        cc.read(named("x.npy", saved(np.eye(2))), layout="long")
