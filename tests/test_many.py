"""Many problems: reading by key, solving all, one bad problem among others, writing."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import concordant as cc
from commands import is_error, run
from concordant import many

RUNS = {
    "a.run": "q1 Q0 x 1 9.0 bm25\nq1 Q0 y 2 8 bm25\nq2 Q0 y 1 3 bm25\nq1 Q0 z 3 7 bm25\n",
    "b.run": "q2 Q0 z 1 3 dense\nq1 Q0 y 1 5 dense\n\nq1 Q0 x 2 5 dense\nq2 Q0 y 2 1 dense\n",
}


@pytest.fixture
def runs(tmp_path: Path) -> list[Path]:
    for name, text in RUNS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return [tmp_path / name for name in RUNS]


def test_queries_of_runs_are_those_read_one_by_one(runs: list[Path], tmp_path: Path) -> None:
    problems = cc.read_many(runs)
    assert repr(problems) == "Problems(2 by query)"
    both = tmp_path / "both.trec"
    both.write_text("".join(RUNS.values()), encoding="utf-8")
    for key, found in problems.items():
        one = cc.read(both, query=key)
        assert isinstance(one, cc.Rankings)
        assert cc.Pairwise.from_rankings(found) == cc.Pairwise.from_rankings(one)
    assert problems["q1"].voters == ("bm25", "dense")
    assert list(cc.read_many(both)) == ["q1", "q2"]
    assert list(cc.read_many(tmp_path / "a.run", "query", unranked="unknown")) == ["q1", "q2"]


def test_one_broken_query_is_named_and_the_rest_goes_on(runs: list[Path], tmp_path: Path) -> None:
    broken = tmp_path / "c.run"
    broken.write_text(
        "q3 Q0 x 1 high lex\nq4 Q0 x\nq5 Q0 x 1 2 lex\nq5 Q0 x 2 1 lex\nq6 Q0 x 1 nan lex\n",
        encoding="utf-8",
    )
    problems = cc.read_many([*runs, broken])
    assert list(problems) == ["q1", "q2"]
    words = {"q3": "line 1: 'high' is not a score", "q4": "line 2: a line must have 6 columns"}
    words |= {
        "q5": "line 4: run 'lex' has document 'x' twice",
        "q6": "line 5: 'nan' is not a score",
    }
    assert list(problems.failed) == list(words)
    for key, text in words.items():
        assert text in str(problems.failed[key])
    with pytest.warns(cc.InputWarning, match="dropped 1 place"):
        assert "q5" in cc.read_many([*runs, broken], duplicates="first")
    results = cc.aggregate_many(problems, "rrf")
    assert set(results.failed) == set(words)
    with pytest.raises(cc.InputError, match="is not a score"):
        cc.read_many(broken)
    fused = tmp_path / "fused.run"
    done = run("aggregate", *runs, broken, "--by", "query", "-o", fused)
    assert done.exit_code == 1
    assert "query q3 is left out" in done.stderr
    assert cc.read(fused, query="q1") == cc.Rankings.from_orders(
        [results["q1"].ranking], unranked="last", voters=["concordant"]
    )


def test_columns_files_and_frames(tmp_path: Path) -> None:
    table = tmp_path / "votes.csv"
    table.write_text("year;1;2\n2024;a;b\n2025;b;a\n2024;b;a\n;a;b\n2026;a;a\n", encoding="utf-8")
    problems = cc.read_many(table, by="year", layout="ballots")
    assert {key: each.n_rankings for key, each in problems.items()} == {"2024": 2, "2025": 1}
    assert list(problems.failed) == ["", "2026"]
    frame = pl.DataFrame(
        {"poll": [7, 7, 3, 3], "voter": [1, 1, 1, 1], "item": list("abab"), "rank": [1, 2, 2, 1]}
    )
    by_frame = cc.read_many(frame, by="poll")
    assert list(by_frame) == [7, 3]
    assert cc.aggregate_many(by_frame)[3].ranking == ("b", "a")
    frame.write_parquet(tmp_path / "votes.parquet")
    assert list(cc.read_many(tmp_path / "votes.parquet", by="poll")) == [7, 3]
    folder = tmp_path / "folder"
    folder.mkdir()
    for name in ("one", "two"):
        (folder / f"{name}.abif").write_text("2:a>b\n1:b>a\n", encoding="utf-8")
    (folder / "bad.abif").write_text("x:a>>b\n", encoding="utf-8")
    by_file = cc.read_many(folder)
    assert (list(by_file), list(by_file.failed)) == (["one", "two"], ["bad"])
    for wrong in ({"by": "month"}, {}, {"by": "query"}):
        with pytest.raises(cc.SettingError, match="by"):
            cc.read_many(table, **wrong)


def test_results_are_those_of_aggregate(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = {k: cc.generate.mallows(9, 5, theta=0.1, seed=k) for k in range(12)}
    alone = cc.aggregate_many(problems, n_jobs=1)
    for key, data in problems.items():
        one = cc.aggregate(data)
        assert (alone[key].ranking, alone[key].cost) == (one.ranking, one.cost)
        alone[key].verify(data)
    # The same on other processes.
    monkeypatch.setattr(many, "_WORTH_SECONDS", 0.0)
    monkeypatch.setattr(many, "_TASK_SECONDS", 0.0)
    seen: list[int] = []
    beside = cc.aggregate_many(
        problems,
        n_jobs=2,
        on_result=lambda key, result: seen.append(key),
    )
    assert [each.ranking for each in beside.values()] == [each.ranking for each in alone.values()]
    assert sorted(seen) == sorted(problems)
    many._end_processes()


def test_a_problem_that_fails_is_named() -> None:
    partial = cc.Rankings.from_orders([["a", "b"], ["c"]])
    good = cc.Rankings.from_orders([["a", "b"], ["b", "a"]])
    needs_complete = next(n for n, words in cc.methods().items() if "needs complete" in words)
    results = cc.aggregate_many({"good": good, "bad": partial}, needs_complete)
    assert (list(results), list(results.failed)) == (["good"], ["bad"])
    assert "complete" in str(results.failed["bad"])
    with pytest.raises(cc.SettingError, match="no setting"):
        cc.aggregate_many({"good": good}, "borda", speed=3)  # type: ignore[call-arg]


def test_a_time_limit_is_for_all() -> None:
    problems = {k: cc.generate.mallows(30, 5, theta=0.01, seed=k) for k in range(4)}
    results = cc.aggregate_many(problems, time_limit=0.4)
    for key, data in problems.items():
        results[key].verify(data)
    assert len(cc.aggregate_many(problems, time_limit=0)) == 4


def test_output(tmp_path: Path) -> None:
    data = cc.Rankings.from_orders([["b", "a", "c"]])
    results = cc.aggregate_many({"k 1": data})
    assert "".join(results.lines("csv", depth=2)) == "key,place,item\nk 1,1,b\nk 1,2,a\n"
    facts = json.loads("".join(results.lines("jsonl", depth=1)))
    assert (facts["key"], facts["ranking"], facts["status"]) == ("k 1", ["b"], "optimal")
    with pytest.raises(cc.InputError, match="blank"):
        results.save(tmp_path / "fused.run")
    with pytest.raises(cc.SettingError, match="does not show the format"):
        results.save(tmp_path / "fused.txt")
    table = tmp_path / "votes.csv"
    table.write_text("year,1,2\n2024,a,b\n2025,b,a\n", encoding="utf-8")
    done = run("aggregate", table, "--by", "year", "--layout", "ballots", "--depth", 1, "-q")
    assert done.stdout == "key,place,item\n2024,1,a\n2025,1,b\n"
    is_error(run("aggregate", table, "--by", "year", "--top", 1), "--top does not go with --by")
    is_error(run("aggregate", table, "--depth", 1), "--depth needs --by")
