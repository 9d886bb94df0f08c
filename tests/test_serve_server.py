"""The server as a process: its socket, its connections, its command."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest

from commands import run
from concordant.errors import SettingError
from concordant.serve.limits import Limits
from concordant.serve.security import Hosts
from concordant.serve.server import _Connection, address_for_others, listen, running
from serving import PATIENCE, VOTES, wait_until_gone, workers_of

# A server without workers, which starts at once. It accepts jobs, and they wait.
IDLE = Limits(solvers=0, helpers=0, client_queue=1)


class TestConnections:
    @pytest.mark.parametrize("sent", [b"", b"GET /healthz HTTP/1.1\r\nHost: 127"])
    def test_a_connection_without_a_request_is_closed(
        self, monkeypatch: pytest.MonkeyPatch, sent: bytes
    ) -> None:
        monkeypatch.setattr("concordant.serve.server._SECONDS_FOR_REQUEST", 0.05)
        with running(IDLE) as address:
            url = httpx.URL(address)
            with socket.create_connection((url.host, url.port), timeout=PATIENCE) as idle:
                idle.sendall(sent)
                assert idle.recv(1) == b""

    def test_a_connection_with_a_request_stays_open(self) -> None:
        connection = Mock()
        for cycle in (Mock(response_complete=False), Mock(response_complete=True)):
            # One request that is not answered yet, and one that has come since the last check.
            connection.cycle = cycle
            _Connection._check(connection, cycle if not cycle.response_complete else None)
        assert connection._watch.call_count == 2
        assert not connection.transport.close.called

    def test_answers_are_sent_without_delay(self, monkeypatch: pytest.MonkeyPatch) -> None:
        options = []
        connect = _Connection.connection_made

        def note(self: _Connection, transport: Any) -> None:
            sock = transport.get_extra_info("socket")
            options.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
            connect(self, transport)

        monkeypatch.setattr(_Connection, "connection_made", note)
        with running(IDLE) as address:
            httpx.get(f"{address}healthz")
        assert options
        assert all(options)

    def test_a_closed_event_stream_is_noticed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("concordant.serve.jobs._SECONDS_BETWEEN_SWEEPS", 0.01)
        limits = Limits(solvers=0, helpers=0, unattended_seconds=0)
        with running(limits) as address, httpx.Client(base_url=address, timeout=PATIENCE) as client:
            job = client.post("api/jobs", json={"text": VOTES}).json()["id"]
            with client.stream("GET", f"api/jobs/{job}/events") as stream:
                lines = stream.iter_lines()
                while "data: " not in next(lines):
                    pass
                assert client.get("healthz").json()["queued"] == 1
            deadline = time.monotonic() + PATIENCE
            while client.get("healthz").json()["cancelled"] == 0:
                assert time.monotonic() < deadline
                time.sleep(0.01)

    def test_a_proxy_on_this_machine_names_the_client(self) -> None:
        with running(IDLE) as address:
            answers = [
                httpx.post(f"{address}api/jobs", json={"text": VOTES}, headers=headers)
                for headers in ({}, {}, {"x-forwarded-for": "192.0.2.7"})
            ]
        assert [answer.status_code for answer in answers] == [202, 429, 202]


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
            # A follower of a job does not keep the server from ending.
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
            done = run("serve", "--port", str(port))
        assert done.exit_code == 2
        assert f"port {port} of 127.0.0.1 is taken: choose another with --port" in done.stderr

    def test_limits_are_options(self, tmp_path: Path) -> None:
        command = [sys.executable, "-m", "concordant", "serve", "--port", "0"]
        server = subprocess.Popen(
            [
                *(*command, "--max-seconds", "5", "--max-items", "7", "--max-jobs", "3"),
                *("--store", str(tmp_path / "jobs.db"), "--keep", "12h"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert server.stdout is not None
        address = server.stdout.readline().removeprefix("Concordant is at ").strip()
        about = httpx.get(f"{address}api/about").json()
        server.terminate()
        said = server.communicate()[1]
        assert f"results are kept for 12 hours in {tmp_path / 'jobs.db'}" in said
        assert (about["seconds"], about["default_seconds"], about["items"]) == (5, 5, 7)
        assert (about["keep_seconds"], about["client_queue"], about["stores"]) == (43_200, 3, True)
        for wrong in ("0", "nan", "inf", "x"):
            done = run("serve", "--port", "0", "--max-seconds", wrong)
            assert done.exit_code == 2, wrong
            assert "--max-seconds" in done.stderr

    def test_the_address_for_other_machines(self, monkeypatch: pytest.MonkeyPatch) -> None:
        with listen("0.0.0.0", 0) as sock:
            port = sock.getsockname()[1]
            address = httpx.URL(address_for_others(sock))
            assert address.port == port
            assert address.host != "0.0.0.0"
            # The server answers to what it prints.
            assert f"{address.host}:{port}" in Hosts("0.0.0.0")
            with socket.create_connection((address.host, port), timeout=PATIENCE):
                pass

            def no_network(*given: Any) -> Any:
                raise OSError("no network")

            monkeypatch.setattr("concordant.serve.server.socket.socket", no_network)
            assert address_for_others(sock) == f"http://{socket.gethostname()}:{port}/"

    def test_an_unknown_host(self) -> None:
        with pytest.raises(SettingError, match="host 'no such host' cannot be used"):
            listen("no such host", 0)

    def test_a_missing_extra_is_named(self) -> None:
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
