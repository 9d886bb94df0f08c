"""The HTTP API: submitting, following and cancelling jobs, recognising files."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import html
import io
import json
import os
import re
import shlex
import signal
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

import concordant as cc
from concordant.serve.limits import Limits
from serving import PATIENCE, PATIENT, VOTES, hard_text, put_load, serving, workers_of

LIMITS = Limits(
    upload_bytes=400_000,
    json_bytes=200_000,
    items=300,
    voters=5_000,
    seconds=60,
    queue=50,
    client_queue=50,
    **PATIENT,
)


HARD = hard_text(250)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with serving(LIMITS) as found:
        yield found


@pytest.fixture
def client(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=60) as found:
        yield found


def submit(client: httpx.Client, text: str = VOTES, **more: Any) -> str:
    answer = client.post("api/jobs", json={"text": text, "name": "votes.abif", **more})
    assert answer.status_code == 202, answer.text
    return str(answer.json()["id"])


def events(client: httpx.Client, job: str) -> Iterator[tuple[str, dict[str, Any]]]:
    with client.stream("GET", f"api/jobs/{job}/events") as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        name = ""
        for line in stream.iter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


def finish(client: httpx.Client, job: str) -> dict[str, Any]:
    found = list(events(client, job))
    assert [name for name, _ in found][-1] == "end"
    assert all(name == "progress" for name, _ in found[:-1])
    return found[-1][1]


def wait_until_idle(client: httpx.Client) -> None:
    """Wait until no job waits or runs, and all workers are ready."""
    idle = {"queued": 0, "running": 0, "solvers": LIMITS.solvers, "helpers": LIMITS.helpers}
    deadline = time.monotonic() + PATIENCE
    while idle.items() - client.get("healthz").json().items():
        assert time.monotonic() < deadline, client.get("healthz").json()
        time.sleep(0.1)


def wait_until_running(client: httpx.Client, job: str) -> None:
    for _, status in events(client, job):
        if status["progress"]["cost"] is not None:
            return


class TestJobs:
    def test_answers_with_the_result_of_the_library(
        self, client: httpx.Client, tmp_path: Path
    ) -> None:
        job = submit(client)
        status = finish(client, job)
        assert status["state"] == "done"
        assert status["source"]["n_items"] == 3
        assert status["has_result"]
        answer = client.get(f"api/jobs/{job}/result")
        (tmp_path / "votes.abif").write_text(VOTES)
        (tmp_path / "result.json").write_bytes(answer.content)
        data = cc.read(tmp_path / "votes.abif")
        result = cc.Consensus.load(tmp_path / "result.json")
        assert result.verify(data)
        assert result.ranking == cc.aggregate(data).ranking
        facts = answer.json()
        assert facts["words"]["proof"] == "Proven the best. No other order has fewer disagreements."
        pairs = cc.Pairwise.from_rankings(data)
        place = {item: index for index, item in enumerate(data.items)}
        a, b, _ = (place[item] for item in result.ranking)
        assert facts["neighbours"][0] == {
            "for": pairs.counts[a, b],
            "against": pairs.counts[b, a],
        }

    def test_a_file_is_read_like_its_text(self, client: httpx.Client) -> None:
        for name, content in [
            ("votes.abif", VOTES.encode()),
            ("../../x/votes.abif.gz", gzip.compress(VOTES.encode())),
            ("no suffix", VOTES.encode()),
        ]:
            answer = client.post(
                "api/jobs/upload",
                files={"file": (name, content)},
                data={"time_limit": "5", "seed": "3", "format": ""},
            )
            assert answer.status_code == 202, answer.text
            job = answer.json()["id"]
            assert answer.json()["time_limit"] == 5
            assert finish(client, job)["state"] == "done"
            facts = client.get(f"api/jobs/{job}/result").json()
            assert facts["seed"] == 3
            assert facts["ranking"] == ["a", "b", "c"]

    def test_a_search_is_followed_live_and_cancelled(self, client: httpx.Client) -> None:
        job = submit(client, HARD, time_limit=60)
        assert client.get(f"api/jobs/{job}/result").status_code == 409
        seen: list[dict[str, Any]] = []
        for _, status in events(client, job):
            seen.append(status)
            if len([s for s in seen if s["progress"]["cost"] is not None]) == 3:
                assert status["state"] == "running"
                assert client.post(f"api/jobs/{job}/cancel").status_code == 202
        assert seen[-1]["state"] == "cancelled"
        assert seen[-1]["has_result"]
        known = [s["progress"] for s in seen if s["progress"]["cost"] is not None]
        for before, after in pairwise(known):
            assert after["cost"] <= before["cost"]
            assert after["lower_bound"] >= before["lower_bound"]
            assert after["elapsed"] >= before["elapsed"]
        facts = client.get(f"api/jobs/{job}/result").json()
        assert facts["interrupted"]
        assert sorted(facts["ranking"]) == sorted(HARD.split("\n")[0].partition(":")[2].split(">"))
        assert facts["cost"] <= known[-1]["cost"]
        assert "Stopped by hand" in facts["words"]["proof"]
        assert len(client.get(f"api/jobs/{job}").json()["points"]) >= 3

    def test_two_jobs_run_at_once_and_others_wait(self, client: httpx.Client) -> None:
        jobs = [submit(client, HARD, time_limit=60) for _ in range(LIMITS.solvers + 2)]
        for job in jobs[: LIMITS.solvers]:
            wait_until_running(client, job)
        states = [client.get(f"api/jobs/{job}").json() for job in jobs]
        assert [state["state"] for state in states[: LIMITS.solvers]] == ["running"] * (
            LIMITS.solvers
        )
        assert [state["ahead"] for state in states[LIMITS.solvers :]] == [0, 1]
        # Helpers answer while all solvers search.
        assert client.post("api/recognise", json={"text": VOTES}).json()["readable"]
        for job in reversed(jobs):
            client.post(f"api/jobs/{job}/cancel")
        for number, job in enumerate(jobs):
            status = finish(client, job)
            assert status["state"] == "cancelled"
            assert status["has_result"] == (number < LIMITS.solvers)
        answer = client.get(f"api/jobs/{jobs[-1]}/result")
        assert answer.status_code == 409
        assert "cancelled without a result" in answer.json()["detail"]

    def test_a_bad_file_fails_with_its_line(self, client: httpx.Client) -> None:
        job = submit(client, "2:a>b\n1:b>a>a\n")
        status = finish(client, job)
        assert status["state"] == "failed"
        assert status["problem"]["line"] == 2
        assert "'a'" in status["problem"]["detail"]
        assert not status["has_result"]
        answer = client.get(f"api/jobs/{job}/result")
        assert answer.status_code == 409
        assert answer.json()["line"] == 2

    def test_a_deleted_job_is_gone(self, client: httpx.Client) -> None:
        job = submit(client)
        finish(client, job)
        assert client.delete(f"api/jobs/{job}").status_code == 204
        for path in ("", "/result", "/events", "/report", "/plots/positions.png"):
            assert client.get(f"api/jobs/{job}{path}").status_code == 404

    def test_bootstrap_pictures_and_report(self, client: httpx.Client) -> None:
        job = submit(client, bootstrap=20)
        status = finish(client, job)
        assert status["plots"] == ["positions", "pairwise", "agreement", "bump", "bootstrap"]
        firm = client.get(f"api/jobs/{job}/result").json()["bootstrap"]
        data = cc.Rankings.from_orders(
            [["a", "b", "c"], ["b", "c", "a"], ["c", ("a", "b")]], weights=[3, 2, 1]
        )
        assert firm == cc.bootstrap(data, samples=20, seed=0).to_dict()
        for name in status["plots"]:
            picture = client.get(f"api/jobs/{job}/plots/{name}.png")
            assert picture.headers["content-type"] == "image/png"
            assert picture.content.startswith(b"\x89PNG")
        assert client.get(f"api/jobs/{job}/plots/other.png").status_code == 422
        report = client.get(f"api/jobs/{job}/report")
        assert report.status_code == 200
        assert report.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in report.headers["content-security-policy"]
        assert "script-src" not in report.headers["content-security-policy"]
        assert "<script" not in report.text

    def test_a_matrix_has_no_bootstrap(self, client: httpx.Client) -> None:
        text = "3\n0 5 1\n2 0 4\n3 1 0\n"
        job = submit(client, text, name="matrix.lop", format="lop", bootstrap=20)
        status = finish(client, job)
        assert status["state"] == "done", status
        assert status["plots"] == ["pairwise"]
        assert "bootstrap" not in client.get(f"api/jobs/{job}/result").json()
        assert client.get(f"api/jobs/{job}/plots/pairwise.png").status_code == 200
        assert client.get(f"api/jobs/{job}/plots/bump.png").status_code == 404
        assert client.get(f"api/jobs/{job}/report").status_code == 200

    def test_a_spreadsheet(self, client: httpx.Client) -> None:
        xlsxwriter = pytest.importorskip("xlsxwriter")
        file = io.BytesIO()
        book = xlsxwriter.Workbook(file)
        for name, rows in {"notes": [["nothing"]], "votes": [["1st", "2nd"], ["x", "y"]]}.items():
            sheet = book.add_worksheet(name)
            for number, row in enumerate(rows):
                sheet.write_row(number, 0, row)
        book.close()
        for options, told in [({"layout": "lists"}, "warnings"), ({"sheet": "none"}, "problems")]:
            upload = {"file": ("votes.xlsx", file.getvalue())}
            found = client.post("api/recognise/upload", files=upload, data=options).json()
            assert found[told], found
            # The words of the command line and of Python are no advice on a page.
            assert not re.search(r"\w=|--\w", str(found[told])), found
        answer = client.post(
            "api/jobs/upload",
            files={"file": ("votes.xlsx", file.getvalue())},
            data={"sheet": "votes"},
        )
        job = answer.json()["id"]
        assert finish(client, job)["state"] == "done"
        assert client.get(f"api/jobs/{job}/result").json()["ranking"] == ["x", "y"]

    def test_a_worker_that_dies_is_replaced_and_its_job_fails(self, client: httpx.Client) -> None:
        # A worker that is still starting would use as much processor time as the search.
        wait_until_idle(client)
        before = workers_of(os.getpid())
        job = submit(client, HARD, time_limit=60)
        wait_until_running(client, job)
        busy = max(before, key=_cpu_seconds_lately)
        os.kill(busy, signal.SIGKILL)
        status = finish(client, job)
        assert status["state"] == "failed"
        assert "ended before it was done" in status["problem"]["detail"]
        assert finish(client, submit(client))["state"] == "done"
        wait_until_idle(client)

    def test_a_job_that_is_deleted_counts_until_it_stops(self, client: httpx.Client) -> None:
        wait_until_idle(client)
        before = client.get("healthz").json()
        job = submit(client, HARD, time_limit=60)
        wait_until_running(client, job)
        assert client.delete(f"api/jobs/{job}").status_code == 204
        deadline = time.monotonic() + PATIENCE
        while True:
            now = client.get("healthz").json()
            ended = sum(now[state] - before[state] for state in ("done", "cancelled", "failed"))
            assert now["running"] + ended == 1
            if ended:
                break
            assert time.monotonic() < deadline
        assert now["cancelled"] - before["cancelled"] == 1

    def test_the_report_names_its_file_and_how_it_was_read(self, client: httpx.Client) -> None:
        content = b"Ann,Bo\nBo,Cy\n"
        for name, shown in [("C:\\\\x\\\\two words.csv", "two words.csv"), ("", "pasted.txt")]:
            upload = {"file": (name or "pasted.txt", content)}
            options = {"layout": "lists", "unranked": "last", "format": "csv"}
            answer = client.post("api/jobs/upload", files=upload, data=options)
            job = answer.json()["id"]
            assert finish(client, job)["state"] == "done"
            report = html.unescape(client.get(f"api/jobs/{job}/report").text)
            assert hashlib.sha256(content).hexdigest() in report
            assert f"{shown}, {len(content)} bytes" in report
            command = f"aggregate {shlex.quote(shown)} --format csv --unranked last --layout lists"
            assert command in report
        job = submit(client, VOTES, name="")
        finish(client, job)
        assert "pasted.txt" in client.get(f"api/jobs/{job}/report").text

    def test_names_with_surrogates(self, client: httpx.Client) -> None:
        facts = {
            "format": "concordant-rankings",
            "version": 1,
            "unranked": "unknown",
            "n_rankings": 2,
            "items": ["\ud800", "b\x00\x1b[31m\u202e", "x" * 5_000],
            "rankings": [{"weight": 2, "buckets": [[0], [1, 2]]}],
        }
        text = json.dumps(facts)
        found = client.post("api/recognise", json={"text": text}).json()
        assert found["items"][0] == "?"
        assert len(found["items"][2]) < 500
        job = submit(client, text, name="votes.json")
        status = finish(client, job)
        assert status["state"] == "done"
        assert client.get(f"api/jobs/{job}").json()["state"] == "done"
        # The result keeps the name, because JSON can hold it.
        assert client.get(f"api/jobs/{job}/result").json()["ranking"][0] == "\ud800"
        for path in ("report", *(f"plots/{name}.png" for name in status["plots"])):
            assert client.get(f"api/jobs/{job}/{path}").status_code == 200, path
        bad = json.dumps({**facts, "items": ["\ud800", "\ud800", "c"]})
        job = submit(client, bad, name="votes.json")
        assert finish(client, job)["state"] == "failed"
        assert client.get(f"api/jobs/{job}/result").status_code == 409


def _cpu_seconds_lately(pid: int) -> float:
    def used() -> int:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    before = used()
    time.sleep(0.3)
    return used() - before


class TestRecognise:
    def test_facts_of_a_text(self, client: httpx.Client) -> None:
        found = client.post("api/recognise", json={"text": VOTES}).json()
        assert found["readable"]
        assert (found["format"], found["n_items"], found["n_rankings"]) == ("abif", 3, 6)
        assert found["has_ties"]
        assert found["items"] == ["a", "b", "c"]
        assert found["is_complete"]
        for unranked in ("unknown", "last"):
            body = {"text": "2:a>b\n1:c\n", "format": "abif", "unranked": unranked}
            found = client.post("api/recognise", json=body).json()
            assert (found["is_complete"], found["unranked"]) == (False, unranked)

    @pytest.mark.parametrize(
        ("text", "name"),
        [
            ("<table><tr><td>Judge<td>Tea<td>Ale<tr><td>Ann<td>1<td>2</table>", "html"),
            ("{|\n! Judge !! Tea !! Ale\n|-\n| Ann || 1 || 2\n|}", "wiki"),
            ("\\begin{tabular}{lrr}\nJudge & Tea & Ale\\\\\nAnn & 1 & 2\n\\end{tabular}", "latex"),
        ],
    )
    def test_a_table_in_markup(self, client: httpx.Client, text: str, name: str) -> None:
        found = client.post("api/recognise", json={"text": text}).json()
        assert (found["format"], found["items"]) == (name, ["Tea", "Ale"])
        body = {"text": text + "\n\n" + text, "sheet": "2", "format": name}
        assert client.post("api/recognise", json=body).json()["items"] == ["Tea", "Ale"]

    def test_names_the_line_of_a_problem(self, client: httpx.Client) -> None:
        found = client.post(
            "api/recognise/upload", files={"file": ("votes.csv", "voter,item,rank\nx,a,1\nx,a\n")}
        ).json()
        assert not found["readable"]
        assert found["problems"][0]["line"] == 3

    def test_advice_uses_the_words_of_the_api(self, client: httpx.Client) -> None:
        text = "3 2\n1 2 3\n2 1 3\n"
        found = client.post("api/recognise", json={"text": text}).json()
        [problem] = found["problems"]
        assert problem["detail"].endswith(". Use format ranks or format orders")
        hint = {"setting": "format", "values": ["ranks", "orders"], "purpose": ""}
        assert problem["hints"] == [hint]
        assert not problem["message"].endswith("orders")
        found = client.post("api/recognise", json={"text": text, "format": "orders"}).json()
        assert found["format"] == "orders"

    def test_answers_with_ties(self, client: httpx.Client) -> None:
        text = "2:a>b=c\n1:b>a>c\n"
        body = {"text": text, "ties": True, "vote_tie_penalty": 0, "tiers": "1,2", "bootstrap": 5}
        job = client.post("api/jobs", json=body).json()
        assert job["ties"]
        with client.stream("GET", f"api/jobs/{job['id']}/events") as events:
            for _ in events.iter_lines():
                pass
        result = client.get(f"api/jobs/{job['id']}/result").json()
        assert result["tiers"] == [["a"], ["b", "c"]]
        assert (result["tie_penalty"], result["vote_tie_penalty"]) == (0.5, 0)
        assert result["words"]["headline"] == "a wins."
        assert result["words"]["ties"].startswith("2 tiers")
        assert result["bootstrap"]["samples"] == 5
        for plot in client.get(f"api/jobs/{job['id']}").json()["plots"]:
            assert client.get(f"api/jobs/{job['id']}/plots/{plot}.png").status_code == 200, plot
        report = client.get(f"api/jobs/{job['id']}/report")
        assert report.status_code == 200
        assert "tier" in report.text
        for wrong, named in (
            ({"tiers": 2}, "tiers"),
            ({"tie_penalty": 0.5}, "tie_penalty"),
            ({"ties": True, "tiers": "1,,2"}, "tiers"),
            ({"ties": True, "tie_penalty": 2}, "tie_penalty"),
        ):
            answer = client.post("api/jobs", json={"text": text, **wrong})
            assert answer.status_code == 422
            assert answer.json()["detail"].startswith(named), answer.text

    def test_a_question_comes_with_the_table(self, client: httpx.Client) -> None:
        text = 'judge,Merlot,"Syrah, dry"\nann,85,72\nbo,90,71\nSum,175,143\n'
        found = client.post("api/recognise", json={"text": text}).json()
        assert not found["readable"]
        [asked] = [each for each in found["findings"] if each["kind"] == "question"]
        for hint in asked["hints"]:
            assert hint["purpose"].startswith("if the ")
        # What is told about the table can be given back as fields.
        assert found["keys"] == ["judge", "Merlot", "3"]
        assert found["numbers"] == [2, 3]
        assert found["columns"] == ["judge", "Merlot", "Syrah, dry"]
        body = {"text": text, "values": "scores", "reverse": "3", "skip_rows": "3,4"}
        found = client.post("api/recognise", json=body).json()
        assert found["readable"], found
        assert found["roles"] == ["voter", "item", "item"]
        assert found["sample"] == [{"voter": "ann", "weight": 1, "ranking": "Merlot > Syrah, dry"}]
        # A job with an open question is not solved.
        job = client.post("api/jobs", json={"text": text}).json()["id"]
        with client.stream("GET", f"api/jobs/{job}/events") as events:
            for _ in events.iter_lines():
                pass
        status = client.get(f"api/jobs/{job}").json()
        assert (status["state"], status["has_result"]) == ("failed", False)
        assert status["problem"]["hints"]

    @pytest.mark.parametrize(
        ("text", "found"),
        [
            ("A>B=C\nB>A\n", ("abif", ["A", "B", "C"], 2)),
            ("A>B=C\nC\n", ("csv", ["A", "B", "C"], 2)),
            ("Team A,Team B\nTeam B,Team C,Team A\n", ("csv", ["Team A", "Team B", "Team C"], 2)),
            ("Team A\nTeam B\n", ("csv", ["Team A", "Team B"], 2)),
            ("3:A>B\n2:B>A\n", ("abif", ["A", "B"], 5)),
        ],
    )
    def test_lists_need_no_suffix(
        self, client: httpx.Client, text: str, found: tuple[str, list[str], int]
    ) -> None:
        for name in ("", "votes.txt", "votes.abif" if found[0] == "abif" else "votes.csv"):
            body = {"text": text, "name": name, "layout": "lists"}
            seen = client.post("api/recognise", json=body).json()
            assert seen["readable"], seen
            assert (seen["format"], seen["items"], seen["n_rankings"]) == found

    def test_too_many_items_or_rankings_are_refused(self, client: httpx.Client) -> None:
        for text, what in [
            ("1:" + ">".join(map(str, range(301))), "301 items"),
            ("5001:a>b", "5,001 rankings"),
        ]:
            found = client.post("api/recognise", json={"text": text, "format": "abif"}).json()
            assert what in found["problems"][0]["detail"]

    def test_hostile_files_are_reported_as_problems(self, client: httpx.Client) -> None:
        bomb = gzip.compress(b"\0" * 200_000_000)
        for name, content in [
            ("bomb.gz", bomb),
            ("x.parquet", b"PAR1" + b"\xff" * 2_000 + b"PAR1"),
            ("x.json", b"[" * 100_000),
            ("x.soc", b"\xff\xfe\0"),
            ("x.csv", b'"' * 50_000),
        ]:
            answer = client.post("api/recognise/upload", files={"file": (name, content)})
            assert answer.status_code == 200, answer.text
            assert answer.json()["problems"], name

    def test_examples_are_readable(self, client: httpx.Client) -> None:
        for example in client.get("api/examples").json():
            text = client.get(f"api/examples/{example['id']}").text
            body = {"file": (example["name"], text.encode())}
            found = client.post("api/recognise/upload", files=body).json()
            assert found["readable"], found
        assert client.get("api/examples/none").status_code == 404


class TestLoad:
    """A small version of `benchmarks/serving.py`."""

    def test_every_job_is_accounted_for_and_no_process_is_left(
        self, address: str, client: httpx.Client
    ) -> None:
        wait_until_idle(client)
        before = client.get("healthz").json()
        load = asyncio.run(put_load(address, clients=15, jobs=20, seconds=0.1))
        # A deleted search stops at its next check.
        wait_until_idle(client)
        after = client.get("healthz").json()
        assert len(load.ended) == 20
        assert set(load.ended.values()) <= {"done", "cancelled", "deleted"}
        told = {state: after[state] - before[state] for state in ("done", "cancelled", "failed")}
        assert sum(told.values()) == 20
        assert told["failed"] == 0
        for state in ("done", "cancelled"):
            # Deleted jobs are not in `load.ended` with their state.
            assert told[state] >= sum(each == state for each in load.ended.values())
        assert after["submitted"] - before["submitted"] == 20
        assert after["queued"] == after["running"] == 0
        assert len(workers_of(os.getpid())) == LIMITS.solvers + LIMITS.helpers
