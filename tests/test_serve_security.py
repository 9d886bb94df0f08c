"""The protection of the HTTP API: host names, other sites, bodies, headers."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from concordant.serve.limits import Limits
from concordant.serve.security import Guard, Hosts, name_of
from serving import PATIENT, VOTES, serving

LIMITS = Limits(
    upload_bytes=400_000, json_bytes=200_000, seconds=60, solvers=1, helpers=1, **PATIENT
)
JSON = {"content-type": "application/json"}


@pytest.fixture(scope="module")
def client() -> Iterator[httpx.Client]:
    with serving(LIMITS) as address, httpx.Client(base_url=address, timeout=60) as found:
        yield found


class TestRefusals:
    def test_large_bodies(self, client: httpx.Client) -> None:
        most = LIMITS.upload_bytes
        for path in ("api/jobs/upload", "api/recognise/upload"):
            fits = client.post(path, files={"file": ("x.abif", b"1:a>b\n".ljust(most))})
            assert fits.status_code in (200, 202)
            # The first fits into the body of a request, but not into the limit of a file.
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
            ({"text": VOTES, "format": "none"}, "format"),
        ],
    )
    def test_wrong_values(self, client: httpx.Client, body: dict[str, Any], what: str) -> None:
        content = json.dumps(body)
        answer = client.post(
            "api/jobs", content=content, headers={"content-type": "application/json"}
        )
        assert answer.status_code == 422
        assert what in answer.json()["detail"]

    def test_bodies_of_another_type(self, client: httpx.Client) -> None:
        for content in (b"{", b"[" * 50_000, b'"\\ud800"', b"\xff"):
            answer = client.post(
                "api/jobs", content=content, headers={"content-type": "application/json"}
            )
            assert answer.status_code in (400, 422)
        # JSON can hold a single surrogate in a value or a key, but UTF-8 cannot.
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

    def test_other_host_names(self, client: httpx.Client) -> None:
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

    @pytest.mark.parametrize(
        ("method", "path", "allowed"),
        [
            ("DELETE", "api/jobs", "POST"),
            ("PUT", "api/jobs/none", "DELETE, GET"),
            ("DELETE", "healthz", "GET"),
            ("DELETE", "", "GET, HEAD"),
        ],
    )
    def test_other_methods(
        self, client: httpx.Client, method: str, path: str, allowed: str
    ) -> None:
        answer = client.request(method, path)
        assert (answer.status_code, answer.headers["allow"]) == (405, allowed)

    def test_every_answer_has_the_headers(self, client: httpx.Client) -> None:
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

    def test_guessing_ids(self, client: httpx.Client) -> None:
        job = client.post("api/jobs", json={"text": VOTES}).json()["id"]
        assert len(job) == 24
        near = [job[:-1], f"{job}x", job.swapcase(), job[::-1], f"{job}%00", f"{job}%20", "%ff"]
        near += ["' OR '1'='1", "..", "*", "%", "x" * 24, "\U0001f600" * 24, "x" * 5_000]
        seen = set()
        for guess in near:
            for part in ("", "/result", "/report", "/events", "/plots/bump.png"):
                answer = client.get(f"api/jobs/{guess}{part}")
                assert answer.status_code == 404, guess
                seen.add(answer.text)
        # All answers are the same, but for paths that are no job at all.
        assert len(seen) <= 2
        for method, part in (("POST", "/cancel"), ("DELETE", "")):
            answer = client.request(method, f"api/jobs/{job[:-1]}{part}")
            assert answer.status_code == 404
        assert client.get(f"api/jobs/{job}").status_code == 200

    @pytest.mark.parametrize("bad", ["'); DROP TABLE jobs; --", "<script>alert(1)</script>"])
    def test_hostile_text_in_every_field(self, client: httpx.Client, bad: str) -> None:
        from concordant._reading import FIELDS

        for name in (*FIELDS, "name", "seed", "time_limit", "bootstrap", "ties", "tiers"):
            answer = client.post("api/jobs", json={"text": VOTES, name: bad})
            assert answer.status_code in (202, 422), (name, answer.text)
            assert answer.headers["content-type"] == "application/json"
            if answer.status_code == 202:
                # So that no job has to be refused because too many wait on a slow machine.
                client.delete(f"api/jobs/{answer.json()['id']}")
        assert client.get("healthz").status_code == 200

    def test_pages_that_load_scripts_from_elsewhere_are_off(self, client: httpx.Client) -> None:
        assert client.get("docs").status_code == 404
        assert client.get("redoc").status_code == 404

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


class TestHosts:
    def test_all_addresses_but_no_other_names(self) -> None:
        hosts = Hosts("0.0.0.0")
        assert "192.168.1.7:8765" in hosts
        assert "[fe80::1]:8765" in hosts
        assert "evil.example:8765" not in hosts
        assert "192.168.1.7" not in Hosts("127.0.0.1")

    @pytest.mark.parametrize("host", ["a:b", "a:1:2", "", ":80", "a/b", "[::1", "a@b", "ä.org"])
    def test_invalid_headers(self, host: str) -> None:
        assert name_of(host) is None or name_of(host) not in ("localhost", "127.0.0.1", "::1")
        assert host not in Hosts("127.0.0.1")
