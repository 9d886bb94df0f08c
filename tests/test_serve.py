"""The HTTP API: jobs, limits, and what keeps strangers out."""

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
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest

import concordant as cc
from concordant.errors import SettingError
from concordant.serve.app import create_app
from concordant.serve.jobs import Busy, Job, Jobs, Source
from concordant.serve.limits import Limits
from concordant.serve.pool import PoolBroken, Worker, WorkerDied
from concordant.serve.security import Guard, Hosts, name_of
from concordant.serve.server import _Impatient, listen
from serving import PATIENT, hard_text, put_load, serving, workers_of

VOTES = "3:a>b>c\n2:b>c>a\n1:c>a=b\n"
LIMITS = Limits(
    upload_bytes=400_000,
    json_bytes=200_000,
    items=300,
    voters=5_000,
    seconds=60,
    queue=50,
    **PATIENT,
)


HARD = hard_text(250)
# How long a slow machine may take for what a fast one does at once.
PATIENCE = 60
JSON = {"content-type": "application/json"}


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
    """Wait until nothing is under way, and all processes that there should be are ready."""
    idle = {"queued": 0, "running": 0, "solvers": LIMITS.solvers, "helpers": LIMITS.helpers}
    deadline = time.monotonic() + PATIENCE
    while idle.items() - client.get("healthz").json().items():
        assert time.monotonic() < deadline, client.get("healthz").json()
        time.sleep(0.1)


def is_gone(pid: int) -> bool:
    """Whether a process has ended; nobody may have asked for its exit code."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except OSError:
        return True


def wait_until_gone(pids: list[int]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not all(is_gone(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.05)


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

    def test_a_file_is_taken_like_its_text(self, client: httpx.Client) -> None:
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
        # Those who only ask are served while all processes search.
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

    def test_a_job_is_forgotten_when_asked(self, client: httpx.Client) -> None:
        job = submit(client)
        finish(client, job)
        assert client.delete(f"api/jobs/{job}").status_code == 204
        for path in ("", "/result", "/events", "/report", "/plots/positions.png"):
            assert client.get(f"api/jobs/{job}{path}").status_code == 404

    def test_how_firm_pictures_and_report(self, client: httpx.Client) -> None:
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
        assert client.get(f"api/jobs/{job}/plots/other.png").status_code == 404
        report = client.get(f"api/jobs/{job}/report")
        assert report.status_code == 200
        assert report.headers["content-disposition"].startswith("attachment")
        assert "sandbox" in report.headers["content-security-policy"]
        assert "script-src" not in report.headers["content-security-policy"]
        assert "<script" not in report.text

    def test_a_matrix_has_no_voters_to_draw(self, client: httpx.Client) -> None:
        text = "3\n0 5 1\n2 0 4\n3 1 0\n"
        job = submit(client, text, name="matrix.lop", format="lop", bootstrap=20)
        status = finish(client, job)
        assert status["state"] == "done", status
        assert status["plots"] == ["pairwise"]
        assert "bootstrap" not in client.get(f"api/jobs/{job}/result").json()
        assert client.get(f"api/jobs/{job}/plots/pairwise.png").status_code == 200
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
            # Nobody can type an argument of Python into a page.
            assert not re.search(r"\w=|--\w", str(found[told])), found
        answer = client.post(
            "api/jobs/upload",
            files={"file": ("votes.xlsx", file.getvalue())},
            data={"sheet": "votes"},
        )
        job = answer.json()["id"]
        assert finish(client, job)["state"] == "done"
        assert client.get(f"api/jobs/{job}/result").json()["ranking"] == ["x", "y"]

    def test_a_worker_that_dies_is_replaced_and_its_job_says_so(self, client: httpx.Client) -> None:
        # One that still warms up would look as busy as the one that searches.
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

    def test_names_with_half_a_character(self, client: httpx.Client) -> None:
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
        # The result keeps the name: JSON can spell it.
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
    def test_says_what_a_text_holds(self, client: httpx.Client) -> None:
        found = client.post("api/recognise", json={"text": VOTES}).json()
        assert found["readable"]
        assert (found["format"], found["n_items"], found["n_rankings"]) == ("abif", 3, 6)
        assert found["has_ties"]
        assert found["items"] == ["a", "b", "c"]
        assert found["is_complete"]
        # What leaving an item out means is said before there is a result.
        for unranked in ("unknown", "last"):
            body = {"text": "2:a>b\n1:c\n", "format": "abif", "unranked": unranked}
            found = client.post("api/recognise", json=body).json()
            assert (found["is_complete"], found["unranked"]) == (False, unranked)

    def test_names_the_line_of_a_problem(self, client: httpx.Client) -> None:
        found = client.post(
            "api/recognise/upload", files={"file": ("votes.csv", "voter,item,rank\nx,a,1\nx,a\n")}
        ).json()
        assert not found["readable"]
        assert found["problems"][0]["line"] == 3

    def test_a_choice_is_asked_for_in_the_words_of_the_api(self, client: httpx.Client) -> None:
        text = "3 2\n1 2 3\n2 1 3\n"
        found = client.post("api/recognise", json={"text": text}).json()
        [problem] = found["problems"]
        assert problem["detail"].endswith(". Use format ranks or format orders")
        assert problem["hints"] == [{"setting": "format", "values": ["ranks", "orders"]}]
        found = client.post("api/recognise", json={"text": text, "format": "orders"}).json()
        assert found["format"] == "orders"

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
    def test_lists_need_no_telling_name(
        self, client: httpx.Client, text: str, found: tuple[str, list[str], int]
    ) -> None:
        for name in ("", "votes.txt", "votes.abif" if found[0] == "abif" else "votes.csv"):
            body = {"text": text, "name": name, "layout": "lists"}
            seen = client.post("api/recognise", json=body).json()
            assert seen["readable"], seen
            assert (seen["format"], seen["items"], seen["n_rankings"]) == found

    def test_more_than_the_server_takes_is_refused(self, client: httpx.Client) -> None:
        for text, what in [
            ("1:" + ">".join(map(str, range(301))), "301 items"),
            ("5001:a>b", "5,001 rankings"),
        ]:
            found = client.post("api/recognise", json={"text": text, "format": "abif"}).json()
            assert what in found["problems"][0]["detail"]

    def test_hostile_files_end_in_problems(self, client: httpx.Client) -> None:
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


class TestRefusals:
    def test_large_bodies(self, client: httpx.Client) -> None:
        most = LIMITS.upload_bytes
        for path in ("api/jobs/upload", "api/recognise/upload"):
            fits = client.post(path, files={"file": ("x.abif", b"1:a>b\n".ljust(most))})
            assert fits.status_code in (200, 202)
            # One byte more, in the room for the fields; and many more than that.
            for size in (most + 1, most * 3):
                refused = client.post(path, files={"file": ("x.abif", b" " * size)})
                assert refused.status_code == 413
                assert "0.4 MB" in refused.json()["detail"]
        refused = client.post("api/jobs", json={"text": " " * LIMITS.json_bytes})
        assert refused.status_code == 413

    def test_a_large_body_of_unknown_length(self, client: httpx.Client) -> None:
        parts = (b" " * 100_000 for _ in range(20))
        refused = client.post(
            "api/jobs", content=parts, headers={"content-type": "application/json"}
        )
        assert refused.status_code == 413

    @pytest.mark.parametrize(
        ("body", "what"),
        [
            ({}, "text"),
            ({"text": VOTES, "time_limit": 0}, "time_limit"),
            ({"text": VOTES, "time_limit": 61}, "time_limit"),
            ({"text": VOTES, "time_limit": 1e400}, ""),
            ({"text": VOTES, "bootstrap": -1}, "bootstrap"),
            ({"text": VOTES, "bootstrap": 10**9}, "bootstrap"),
            ({"text": VOTES, "seed": 2**63}, "seed"),
            ({"text": VOTES, "unknown": 1}, "unknown"),
        ],
    )
    def test_values_that_cannot_be(
        self, client: httpx.Client, body: dict[str, Any], what: str
    ) -> None:
        content = json.dumps(body)
        answer = client.post(
            "api/jobs", content=content, headers={"content-type": "application/json"}
        )
        assert answer.status_code == 422
        assert what in answer.json()["detail"]

    def test_bodies_that_are_not_what_they_say(self, client: httpx.Client) -> None:
        for content in (b"{", b"[" * 50_000, b'"\\ud800"', b"\xff"):
            answer = client.post(
                "api/jobs", content=content, headers={"content-type": "application/json"}
            )
            assert answer.status_code in (400, 422)
        # Half a character, in a value or in a key, is spelled in JSON but is no text.
        for content in (b'{"text": "1:a>\\ud800"}', b'{"text": "1:a>b", "\\ud800": 1}'):
            for path in ("api/jobs", "api/recognise"):
                answer = client.post(path, content=content, headers=JSON)
                assert answer.status_code == 422, answer.text
        answer = client.post(
            "api/jobs/upload",
            content=b"--x\r\nnothing",
            headers={"content-type": "multipart/form-data; boundary=x"},
        )
        assert answer.status_code in (400, 422)

    def test_other_names_of_the_server(self, client: httpx.Client) -> None:
        port = client.base_url.port
        for host in (f"evil.example:{port}", "evil.example", "", "127.0.0.1@evil", "localhost:x"):
            answer = client.get("healthz", headers={"host": host})
            assert answer.status_code in (400, 421), host
        for host in (f"localhost:{port}", "127.0.0.1", "[::1]:9"):
            assert client.get("healthz", headers={"host": host}).status_code == 200

    def test_posts_from_other_sites(self, client: httpx.Client) -> None:
        port = client.base_url.port
        body = {"text": VOTES}
        for headers in (
            {"origin": "http://evil.example"},
            {"origin": "null"},
            {"origin": f"http://localhost:{port}"},
            {"sec-fetch-site": "cross-site"},
            {"sec-fetch-site": "same-site"},
        ):
            answer = client.post("api/recognise", json=body, headers=headers)
            assert answer.status_code == 403, headers
        own = {"origin": f"http://127.0.0.1:{port}", "sec-fetch-site": "same-origin"}
        assert client.post("api/recognise", json=body, headers=own).status_code == 200

    def test_every_answer_is_dressed(self, client: httpx.Client) -> None:
        paths = ["", "healthz", "api/none", "api/jobs/none", "openapi.json", "static/none"]
        answers = [client.get(path) for path in paths]
        answers.append(client.get("", headers={"host": "evil.example"}))
        answers.append(client.post("api/jobs", json={"text": " " * LIMITS.json_bytes}))
        for answer in answers:
            policy = answer.headers["content-security-policy"]
            assert "default-src 'none'" in policy
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy
            assert answer.headers["x-content-type-options"] == "nosniff"
            assert answer.headers["referrer-policy"] == "no-referrer"
            assert answer.headers["cross-origin-opener-policy"] == "same-origin"
            assert "access-control-allow-origin" not in answer.headers
            assert "server" not in answer.headers

    def test_no_path_leads_to_the_file_system(self, client: httpx.Client) -> None:
        port = client.base_url.port
        for path in ("/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd", "/static/"):
            with socket.create_connection(("127.0.0.1", port)) as sock:
                ask = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"
                sock.sendall(ask.encode())
                answer = b"".join(iter(lambda s=sock: s.recv(65536), b""))
            assert b" 404 " in answer.partition(b"\r\n")[0], path

    @pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127"])
    def test_who_connects_and_does_not_ask_is_not_waited_for(
        self, client: httpx.Client, monkeypatch: pytest.MonkeyPatch, sent: bytes
    ) -> None:
        monkeypatch.setattr("concordant.serve.server._SECONDS_TO_ASK", 0.05)
        place = (client.base_url.host, client.base_url.port)
        with socket.create_connection(place, timeout=PATIENCE) as idle:
            idle.sendall(sent)
            assert idle.recv(1) == b""

    def test_who_has_asked_is_waited_for(self) -> None:
        line = Mock()
        for cycle in (Mock(response_complete=False), Mock(response_complete=True)):
            # One whose answer goes on, and one that has come since the last look.
            line.cycle = cycle
            _Impatient._look(line, cycle if not cycle.response_complete else None)
        assert line._watch.call_count == 2
        assert not line.transport.close.called

    def test_pages_of_others_are_not_loaded(self, client: httpx.Client) -> None:
        assert client.get("docs").status_code == 404
        assert client.get("redoc").status_code == 404


class TestJobsAlone:
    """The book-keeping, without the network."""

    def test_a_full_queue_says_when_to_come_back(self) -> None:
        async def fill() -> None:
            jobs = Jobs(Limits(queue=2))
            for _ in range(2):
                jobs.submit(Source(b"x"), 1, 0, 0)
            with pytest.raises(Busy) as busy:
                jobs.submit(Source(b"x"), 1, 0, 0)
            assert busy.value.seconds > 0
            await jobs.close()

        asyncio.run(fill())

    def test_a_busy_server_answers_429(self) -> None:
        async def ask() -> list[httpx.Response]:
            app = create_app(Limits(queue=0))
            app.state.jobs = jobs = Jobs(Limits(queue=0))
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                answers = [
                    await one.post(path, json={"text": VOTES})
                    for path in ("/api/jobs", "/api/recognise")
                ]
            await jobs.close()
            return answers

        for answer in asyncio.run(ask()):
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) > 0

    def test_a_server_that_has_just_started_says_so(self) -> None:
        async def ask() -> httpx.Response:
            app = create_app()
            # Its workers are never started.
            app.state.jobs = jobs = Jobs(Limits())
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                answer = await one.post("/api/jobs", json={"text": VOTES})
            await jobs.close()
            return answer

        status = asyncio.run(ask()).json()
        assert (status["state"], status["phase"]) == ("queued", "starting")

    def test_a_server_whose_workers_do_not_start_says_so(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def never(role: str, most_bytes: int) -> Worker:
            raise WorkerDied

        async def ask() -> list[httpx.Response]:
            monkeypatch.setattr(Worker, "start", never)
            monkeypatch.setattr("concordant.serve.pool.MOST_FALSE_STARTS", 1)
            app = create_app()
            app.state.jobs = jobs = Jobs(Limits())
            jobs.start()
            await asyncio.sleep(0.1)
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                answers = [
                    await one.get("/healthz"),
                    await one.post("/api/jobs", json={"text": VOTES}),
                    await one.post("/api/recognise", json={"text": VOTES}),
                ]
            await jobs.close()
            return answers

        assert [answer.status_code for answer in asyncio.run(ask())] == [503, 503, 503]

    def test_who_waits_for_workers_that_do_not_start_is_told(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        async def wait() -> Job:
            begin = asyncio.Event()

            async def never(role: str, most_bytes: int) -> Worker:
                await begin.wait()
                raise WorkerDied

            monkeypatch.setattr(Worker, "start", never)
            monkeypatch.setattr("concordant.serve.pool.MOST_FALSE_STARTS", 2)
            jobs = Jobs(Limits())
            jobs.start()
            job = jobs.submit(Source(b"x"), 1, 0, 0)
            looking = asyncio.create_task(jobs.help("look", Source(b"x")))
            await asyncio.sleep(0)
            begin.set()
            with pytest.raises(PoolBroken):
                await looking
            async for _ in jobs.follow(job):
                pass
            # Who comes later is told at once.
            with pytest.raises(PoolBroken):
                await jobs.help("look", Source(b"x"))
            await jobs.close()
            return job

        job = asyncio.run(wait())
        assert job.state == "failed"
        assert job.message == "the server cannot start the processes that work"

    def test_a_worker_ends_with_all_that_it_has_started(self) -> None:
        code = (
            "import subprocess, sys, time; child = [sys.executable, '-c', 'input()'];"
            "child = subprocess.Popen(child, stdin=subprocess.PIPE);"
            "print(child.pid, flush=True); time.sleep(600)"
        )

        async def end() -> int:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-c", code),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                start_new_session=True,
            )
            assert process.stdout is not None
            child = int(await process.stdout.readline())
            assert not is_gone(child)
            await Worker(process).end()
            return child

        wait_until_gone([asyncio.run(end())])

    def test_two_who_forget_a_job_that_a_third_follows(self) -> None:
        async def forget() -> None:
            jobs = Jobs(Limits())
            first, second = (jobs.submit(Source(b"x"), 1, 0, 0) for _ in range(2))
            assert [jobs.ahead_of(job) for job in (first, second)] == [0, 1]
            seen = []

            async def follow() -> None:
                async for _ in jobs.follow(second):
                    seen.append((second.state, jobs.ahead_of(second)))

            following = asyncio.create_task(follow())
            await asyncio.sleep(0)
            await asyncio.gather(*(jobs.forget(second) for _ in range(2)))
            assert jobs.get(second.id) is None
            assert jobs.ahead_of(second) == 0
            await following
            assert seen[-1] == ("cancelled", 0)
            assert (jobs.count("queued"), jobs.ended["cancelled"]) == (1, 1)
            await jobs.close()

        asyncio.run(forget())

    def test_results_take_memory_too(self) -> None:
        async def fill() -> None:
            jobs = Jobs(Limits(queue=100, held_bytes=100))
            first, second = (jobs.submit(Source(b"x" * 10), 1, 0, 0) for _ in range(2))
            await jobs.cancel(first)
            first.update(result=b"x" * 40, record=b"x" * 40)
            assert first.size == 90
            await jobs.cancel(second)
            assert [jobs.get(job.id) is None for job in (first, second)] == [False, False]
            second.update(result=b"x" * 10)
            third = jobs.submit(Source(b"x"), 1, 0, 0)
            assert [jobs.get(job.id) is None for job in (first, second)] == [True, False]
            await jobs.cancel(third)
            await jobs.close()

        asyncio.run(fill())

    def test_bodies_that_arrive_at_once_are_bounded(self) -> None:
        async def ask() -> list[int]:
            go_on = asyncio.Event()

            async def slow(scope: Any, receive: Any, send: Any) -> None:
                await receive()
                await go_on.wait()
                await send({"type": "http.response.start", "status": 200, "headers": []})
                await send({"type": "http.response.body", "body": b""})

            guard = Guard(slow, Hosts("127.0.0.1"), Limits(arriving_bytes=1_000))
            transport = httpx.ASGITransport(guard)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                first = asyncio.create_task(one.post("/", content=b"x" * 900))
                await asyncio.sleep(0.05)
                refused = await one.post("/", content=b"x" * 900)
                assert int(refused.headers["retry-after"]) > 0
                go_on.set()
                answers = [await first, refused, await one.post("/", content=b"x" * 900)]
            return [answer.status_code for answer in answers]

        assert asyncio.run(ask()) == [200, 429, 200]

    def test_the_usual_time_is_within_the_limit(self) -> None:
        async def ask() -> tuple[Any, Any]:
            app = create_app(Limits(seconds=5))
            app.state.jobs = jobs = Jobs(Limits(seconds=5))
            transport = httpx.ASGITransport(app)
            async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as one:
                about = (await one.get("/api/about")).json()
                job = (await one.post("/api/jobs", json={"text": VOTES})).json()
            await jobs.close()
            return about["default_seconds"], job["time_limit"]

        assert asyncio.run(ask()) == (5, 5)

    def test_full_memory_drops_finished_jobs_first(self) -> None:
        async def fill() -> None:
            jobs = Jobs(Limits(queue=100, held_bytes=100, kept=3))
            first = jobs.submit(Source(b"x" * 60), 1, 0, 0)
            with pytest.raises(Busy):
                jobs.submit(Source(b"x" * 60), 1, 0, 0)
            await jobs.cancel(first)
            second = jobs.submit(Source(b"x" * 60), 1, 0, 0)
            assert jobs.get(first.id) is None
            assert jobs.get(second.id) is second
            assert jobs.ended["cancelled"] == 1
            await jobs.close()

        asyncio.run(fill())

    def test_finished_jobs_are_forgotten_after_a_while(self) -> None:
        async def wait() -> None:
            jobs = Jobs(Limits(keep_seconds=10))
            old, new, waiting = (jobs.submit(Source(b"x"), 1, 0, 0) for _ in range(3))
            for job in (old, new):
                await jobs.cancel(job)
            assert old.ended is not None
            old.ended -= 11
            jobs.sweep()
            assert [jobs.get(job.id) is None for job in (old, new, waiting)] == [True, False, False]
            await jobs.close()

        asyncio.run(wait())

    def test_ids_cannot_be_guessed(self) -> None:
        async def make() -> set[str]:
            return {Job(Source(b""), 1, 0, 0).id for _ in range(1000)}

        ids = asyncio.run(make())
        assert len(ids) == 1000
        assert min(map(len, ids)) >= 22


class TestLoad:
    """A small version of `benchmarks/serving.py`."""

    def test_every_job_is_accounted_for_and_no_process_is_left(
        self, address: str, client: httpx.Client
    ) -> None:
        wait_until_idle(client)
        before = client.get("healthz").json()
        load = asyncio.run(put_load(address, clients=30, jobs=40, seconds=0.2))
        # A search that was deleted stops when it next looks.
        wait_until_idle(client)
        after = client.get("healthz").json()
        assert len(load.ended) == 40
        assert set(load.ended.values()) <= {"done", "cancelled", "deleted"}
        told = {state: after[state] - before[state] for state in ("done", "cancelled", "failed")}
        assert sum(told.values()) == 40
        assert told["failed"] == 0
        for state in ("done", "cancelled"):
            # Nobody can ask how a job ended that was deleted.
            assert told[state] >= sum(each == state for each in load.ended.values())
        assert after["submitted"] - before["submitted"] == 40
        assert after["queued"] == after["running"] == 0
        assert len(workers_of(os.getpid())) == LIMITS.solvers + LIMITS.helpers


class TestHosts:
    def test_all_addresses_but_no_other_name(self) -> None:
        hosts = Hosts("0.0.0.0")
        assert "192.168.1.7:8765" in hosts
        assert "[fe80::1]:8765" in hosts
        assert "evil.example:8765" not in hosts
        assert "192.168.1.7" not in Hosts("127.0.0.1")

    @pytest.mark.parametrize("host", ["a:b", "a:1:2", "", ":80", "a/b", "[::1", "a@b", "ä.org"])
    def test_headers_that_are_no_name(self, host: str) -> None:
        assert name_of(host) is None or name_of(host) not in ("localhost", "127.0.0.1", "::1")
        assert host not in Hosts("127.0.0.1")


class TestCommand:
    def test_prints_its_address_and_ends_with_all_workers(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            server = subprocess.Popen(
                [sys.executable, "-m", "concordant", "serve", "--port", "0"],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert server.stdout is not None
            line = server.stdout.readline()
            address = line.removeprefix("Concordant is at ").strip()
            assert httpx.get(f"{address}healthz").status_code == 200
            workers = workers_of(server.pid)
            assert len(workers) == Limits().solvers + Limits().helpers
            # Someone who follows a job does not keep the server from ending.
            job = httpx.post(f"{address}api/jobs", json={"text": VOTES}).json()["id"]
            threading.Thread(target=_follow, args=(address, job), daemon=True).start()
            server.send_signal(number)
            _, said = server.communicate(timeout=PATIENCE)
            assert "Traceback" not in said, said
            assert server.returncode in (0, -number)
            wait_until_gone(workers)

    def test_workers_end_with_a_server_that_is_killed(self) -> None:
        server = subprocess.Popen(
            [sys.executable, "-m", "concordant", "serve", "--port", "0"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert server.stdout is not None
        server.stdout.readline()
        deadline = time.monotonic() + PATIENCE
        while len(workers := workers_of(server.pid)) < Limits().solvers + Limits().helpers:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        server.kill()
        server.communicate()
        wait_until_gone(workers)

    def test_a_taken_port_is_a_clear_error(self) -> None:
        with listen("127.0.0.1", 0) as taken:
            port = taken.getsockname()[1]
            done = subprocess.run(
                [sys.executable, "-m", "concordant", "serve", "--port", str(port)],
                capture_output=True,
                text=True,
                check=False,
            )
        assert done.returncode == 2
        assert f"port {port} of 127.0.0.1 is taken: choose another with --port" in done.stderr

    def test_limits_are_options(self) -> None:
        command = [sys.executable, "-m", "concordant", "serve", "--port", "0"]
        server = subprocess.Popen(
            [*command, "--max-seconds", "5", "--max-items", "7"], stdout=subprocess.PIPE, text=True
        )
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("Concordant is at ").strip()
        about = httpx.get(f"{address}api/about").json()
        server.terminate()
        server.communicate()
        assert (about["seconds"], about["default_seconds"], about["items"]) == (5, 5, 7)
        for wrong in ("0", "nan", "inf", "x"):
            done = subprocess.run(
                [*command, "--max-seconds", wrong], capture_output=True, text=True
            )
            assert done.returncode == 2, wrong
            assert "--max-seconds" in done.stderr

    def test_a_host_that_is_none(self) -> None:
        with pytest.raises(SettingError, match="host 'no such host' cannot be used"):
            listen("no such host", 0)

    def test_without_the_extra_it_is_named(self) -> None:
        code = "import sys; sys.modules['fastapi'] = None; from concordant.cli import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", code, "serve"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        assert "'web' extra" in done.stderr


def _follow(address: str, job: str) -> None:
    try:
        httpx.get(f"{address}api/jobs/{job}/events", timeout=30)
    except httpx.HTTPError:
        return
