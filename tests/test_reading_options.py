"""Each option for reading works with a file, in Python and in the shell; other kinds of sources."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import concordant as cc
from commands import run
from concordant.formats import csv as csv_format
from concordant.reading.findings import QuestionError
from test_graphs import DiGraph
from test_reading_corpus import expected, understood, write_xlsx

WIDE = "judge,Oak,Elm,Ash\nann,1,2,3\nbo,2,1,3\n"
SCORES = "judge,Oak,Elm,Ash\nann,8.5,7,1\nbo,6,9,2\n"
LONG = "who,what,n\nann,Oak,1\nann,Elm,2\nbo,Oak,2\nbo,Elm,1\n"
METRICS = "Model,MMLU,Noise\nAda,60,3\nBo,70,5\nCy,80,4\n"
BALLOTS = "Name,First choice,Second choice\nann,Oak,Elm\nbo,Elm,abstained\n"
# The content of the file, the options, and the rankings.
CASES: dict[str, tuple[str | bytes, dict[str, Any], list[str]]] = {
    "layout": ("Oak,Elm\nElm,Oak\n", {"layout": "lists"}, ["Oak > Elm", "Elm > Oak"]),
    "columns by name": (
        LONG,
        {"voter": "who", "item": "what", "rank": "n"},
        ["Oak > Elm", "Elm > Oak"],
    ),
    "columns by number": (
        LONG,
        {"voter": "1", "item": "2", "score": "3"},
        ["Oak > Elm", "Elm > Oak"],
    ),
    "ignore": (
        "judge,Oak,Elm,Ash,Year of birth\nann,1,2,3,1\nbo,2,1,3,2\n",
        {"ignore": "Year of birth"},
        ["Oak > Elm > Ash", "Elm > Oak > Ash"],
    ),
    "ignore by number": (
        WIDE,
        {"ignore": "4", "values": "ranks"},
        ["Oak > Elm", "Elm > Oak"],
    ),
    "scores": (SCORES, {"values": "scores"}, ["Oak > Elm > Ash", "Elm > Oak > Ash"]),
    "ranks": (SCORES, {"values": "ranks"}, ["Ash > Elm > Oak", "Ash > Oak > Elm"]),
    "reverse": (
        METRICS,
        {"values": "scores", "reverse": "Noise"},
        ["Cy > Bo > Ada", "Ada > Cy > Bo"],
    ),
    "transpose": (
        "x,ann,bo\nOak,1,2\nElm,2,1\n",
        {"transpose": "yes"},
        ["Oak > Elm", "Elm > Oak"],
    ),
    "header": (f"a,b,c,d\n{WIDE}", {"header": 2}, ["Oak > Elm > Ash", "Elm > Oak > Ash"]),
    "encoding": (
        WIDE.replace("Oak", "Žito").encode("cp1250"),
        {"encoding": "cp1250"},
        ["Žito > Elm > Ash", "Elm > Žito > Ash"],
    ),
    "decimal": (
        "judge;Oak;Elm\nann;1,250;1,5\nbo;1,75;1,5\n",
        {"decimal": ",", "values": "scores"},
        ["Elm > Oak", "Oak > Elm"],
    ),
    "skip_rows": (
        f"{WIDE}all,1,2,3\n",
        {"skip_rows": "all"},
        ["Oak > Elm > Ash", "Elm > Oak > Ash"],
    ),
    "missing": (BALLOTS, {"missing": "abstained"}, ["Oak > Elm", "Elm"]),
    "names": (
        "Name,First choice,Second choice\nann,Oak,Elm\nbo,elm,Oak\ncy,Elm,Oak\n",
        {"names": "merge"},
        ["Oak > Elm", "Elm > Oak", "Elm > Oak"],
    ),
    "unranked": (
        "Name,First choice,Second choice\nann,Oak,Elm\nbo,Ash,\n",
        {"unranked": "last"},
        ["Oak > Elm > Ash", "Ash > Elm = Oak"],
    ),
}
CASES["columns by number"][2].reverse()


def flags(options: dict[str, Any]) -> list[str]:
    return [
        part
        for name, value in options.items()
        for part in (f"--{name.replace('_', '-')}", str(value))
    ]


@pytest.mark.parametrize("where", ["Python", "shell"])
@pytest.mark.parametrize("name", CASES)
def test_an_option_works_with_a_file(name: str, where: str, tmp_path: Path) -> None:
    content, options, rankings = CASES[name]
    path = tmp_path / "table.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    if where == "Python":
        data = cc.read(path, **options)
    else:
        out = tmp_path / "out.json"
        done = run("convert", path, out, *flags(options))
        assert done.exit_code == 0, done.stderr
        data = cc.read(out)
    wanted = expected({"rankings": rankings})
    assert understood(data).rankings == wanted.rankings


@pytest.mark.parametrize("where", ["Python", "shell"])
def test_a_sheet_is_chosen(where: str, tmp_path: Path) -> None:
    path = tmp_path / "book.xlsx"
    rows = [["judge", "Oak", "Elm"], ["ann", 1, 2], ["bo", 1, 2]]
    write_xlsx(path, {"Notes": [["nothing"], ["here"]], "Votes": rows})
    if where == "Python":
        data = cc.read(path, sheet="Votes")
    else:
        done = run("convert", path, tmp_path / "out.json", "--sheet", "Votes")
        assert done.exit_code == 0, done.stderr
        data = cc.read(tmp_path / "out.json")
    assert understood(data).rankings == expected({"rankings": ["2 * Oak > Elm"]}).rankings


def test_a_folder_and_several_files(tmp_path: Path) -> None:
    for name, text in (("ann", "Oak\nElm\nAsh\n"), ("bo", "Elm\nOak\nAsh\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    for source in (tmp_path, sorted(tmp_path.glob("*.txt"))):
        data = cc.read(source)
        assert sorted(map(str, data.voters)) == ["ann", "bo"]
        assert (
            understood(data).rankings
            == expected({"rankings": ["Oak > Elm > Ash", "Elm > Oak > Ash"]}).rankings
        )


def test_graphs_and_matrices(tmp_path: Path) -> None:
    from scipy import sparse

    counts = np.array([[0, 3, 2], [1, 0, 4], [2, 0, 0]])
    names = ["Oak", "Elm", "Ash"]
    edges = [
        (one, other, {"weight": weight})
        for one, row in zip(names, counts.tolist(), strict=True)
        for other, weight in zip(names, row, strict=True)
        if weight
    ]
    named = tmp_path / "named.csv"
    lines = [f"{n},{','.join(map(str, r))}" for n, r in zip(names, counts.tolist(), strict=True)]
    named.write_text("\n".join([",Oak,Elm,Ash", *lines]) + "\n")
    with pytest.raises(QuestionError, match="a cell counts for its row"):
        cc.read(named)
    wanted = understood(cc.read(named, layout="matrix")).pairs
    assert wanted["Oak", "Elm"] == 3
    assert (
        understood(cc.Pairwise.from_graph(DiGraph(names, edges), direction="source-wins")).pairs
        == wanted
    )
    made = cc.Pairwise.from_graph(sparse.csr_matrix(counts), direction="source-wins")
    assert made.counts.tolist() == counts.tolist()


@pytest.mark.parametrize("kind", ["winner", "points", "loser", "unknown word below"])
def test_large_tables_of_battles_are_read_as_small_ones(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(kind)
    items = [f"model {k}" for k in range(20)]
    pairs = [rng.sample(items, 2) for _ in range(4000)]
    if kind == "points":
        rows = [f"{a},{b},{rng.randint(0, 3)},{rng.randint(0, 3)}" for a, b in pairs]
        head = "Home,Away,HG,AG"
    elif kind == "loser":
        rows, head = [f"{a},{b}" for a, b in pairs], "winner,loser"
    else:
        words = ["model_a", "model_b", "tie", "Tie (bothbad)"]
        rows = [f"{a},{b},{rng.choice(words)},j{rng.randint(1, 9)}" for a, b in pairs]
        if kind == "unknown word below":
            rows[3000] = f"{pairs[3000][0]},{pairs[3000][1]},N/A,j1"
        head = "model_a,model_b,winner,judge"
    path = tmp_path / "battles.csv"
    path.write_text("\n".join([head, *rows]) + "\n")
    small = cc.read(path)
    monkeypatch.setattr(csv_format, "_LARGE", 1000)
    large = cc.read(path)
    assert understood(large).same(understood(small))
    assert sorted(map(str, large.voters or ())) == sorted(map(str, small.voters or ()))
    assert small.n_rankings == (3999 if kind == "unknown word below" else 4000)
    frame = pl.read_csv(path)
    if kind != "unknown word below":
        assert understood(cc.Rankings.from_battles(frame)).same(understood(small))
