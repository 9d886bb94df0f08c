"""Starts and ends the server: its socket, its address, its signals."""

from __future__ import annotations

import errno
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import TYPE_CHECKING, Any

from concordant._files import reason
from concordant.errors import SettingError
from concordant.serve.access import Access
from concordant.serve.limits import Limits
from concordant.serve.security import Hosts
from concordant.serve.store import Store

if TYPE_CHECKING:
    from fastapi import FastAPI

try:
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    from concordant.serve.app import create_app
except ImportError as error:
    raise SettingError(
        f"the page needs more packages ({error.name} is missing): install concordant with its "
        "'web' extra, pip install \"concordant[web]\""
    ) from None

# When more clients than this are connected, further ones get the answer 503.
_MOST_CONNECTIONS = 1_000
_SECONDS_TO_END = 3
# A connection is closed when no request has come for this long after the last answer.
_SECONDS_IDLE = 60
# A connection is closed when the head of its first request has not arrived after this time.
_SECONDS_FOR_REQUEST = 60


def listen(host: str, port: int) -> socket.socket:
    """Return a listening socket.

    Raises:
        SettingError: The address or the port cannot be used.

    Example:
        >>> with listen("127.0.0.1", 0) as taken:
        ...     listen("127.0.0.1", taken.getsockname()[1])
        Traceback (most recent call last):
        ...
        concordant.errors.SettingError: port ... of 127.0.0.1 is taken: choose another with port
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        # asyncio turns Nagle's algorithm off only where the socket names its protocol, TCP. With
        # it, each request on a kept connection takes 40 ms longer.
        sock = socket.socket(family, kind, protocol)
    except OSError as error:
        raise SettingError(
            f"host {host!r} cannot be used: {reason(error)}", setting="host"
        ) from None
    try:
        # Without this, a server that has just ended keeps its port for a minute.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
        sock.listen(512)
    except OSError as error:
        sock.close()
        if error.errno == errno.EADDRINUSE:
            message = f"port {port} of {host} is taken: choose another with port"
        else:
            message = f"port {port} of {host} cannot be used: {reason(error)}"
        raise SettingError(message, setting="port") from None
    return sock


def address_of(host: str, sock: socket.socket) -> str:
    """Return the address to open in a browser.

    Example:
        >>> with listen("0.0.0.0", 0) as sock:
        ...     address_of("0.0.0.0", sock).startswith("http://127.0.0.1:")
        True
    """
    shown = {"0.0.0.0": "127.0.0.1", "": "127.0.0.1", "::": "[::1]"}.get(host)
    if shown is None:
        shown = f"[{host}]" if ":" in host else host
    return f"http://{shown}:{sock.getsockname()[1]}/"


def address_for_others(sock: socket.socket) -> str:
    """Return the address of a server on all addresses, as other machines open it."""
    name = socket.gethostname()
    family = sock.family
    far = "192.0.2.1" if family == socket.AF_INET else "2001:db8::1"
    # This sends nothing: it only looks up the address from which packets would go out.
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as probe:
        probe.connect((far, 9))
        name = probe.getsockname()[0]
    return address_of(name, sock)


class _Connection(H11Protocol):
    """A connection that is closed when no request comes; uvicorn itself waits for ever."""

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._timer.cancel()
        super().connection_lost(exc)

    def _watch(self) -> None:
        self._timer = self.loop.call_later(_SECONDS_FOR_REQUEST, self._check, self.cycle)

    def _check(self, before: Any) -> None:
        if self.cycle is before and (before is None or before.response_complete):
            self.transport.close()
        else:
            self._watch()


class _Server(uvicorn.Server):
    """A server that reports when it is ready, and closes all event streams when it ends."""

    def __init__(self, app: FastAPI, on_start: Callable[[], None] | None = None) -> None:
        config = uvicorn.Config(
            app,
            http=_Connection,
            log_level="warning",
            access_log=False,
            server_header=False,
            limit_concurrency=_MOST_CONNECTIONS,
            timeout_graceful_shutdown=_SECONDS_TO_END,
            timeout_keep_alive=_SECONDS_IDLE,
        )
        super().__init__(config)
        self._app = app
        self._on_start = on_start

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started and self._on_start is not None:
            self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        if hasattr(self._app.state, "jobs"):
            self._app.state.jobs.closing.set()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        # A second Ctrl-C must not end the server before its workers.
        self.should_exit = True


def run(
    sock: socket.socket,
    hosts: Hosts,
    limits: Limits | None = None,
    on_start: Callable[[], None] | None = None,
    access: Access | None = None,
    store: Store | None = None,
) -> None:
    """Serve until Ctrl-C or SIGTERM. All workers have ended when this returns."""
    server = _Server(create_app(limits, hosts, access, store), on_start)
    try:
        server.run(sockets=[sock])
    except KeyboardInterrupt:
        return


@contextmanager
def running(
    limits: Limits | None = None,
    host: str = "127.0.0.1",
    allow_hosts: Iterable[str] = (),
    access: Access | None = None,
    store: Store | None = None,
) -> Iterator[str]:
    """Run a server in a thread of this process, on a free port; yield its address.

    Example:
        >>> import urllib.request
        >>> with running() as address:  # doctest: +SKIP
        ...     urllib.request.urlopen(f"{address}healthz").status
        200
    """
    sock = listen(host, 0)
    up = threading.Event()
    server = _Server(create_app(limits, Hosts(host, allow_hosts), access, store), up.set)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]}, daemon=True)
    thread.start()
    try:
        up.wait(30)
        yield address_of(host, sock)
    finally:
        server.should_exit = True
        thread.join()
        sock.close()
