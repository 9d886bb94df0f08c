"""What keeps strangers out: checks of Host and Origin, limits on bodies, headers on answers."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from concordant.serve.limits import Limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A report brings its own styles and pictures, and runs nothing.
REPORT_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox"
)
_HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "cache-control": "no-store",
}
# A body that is too large is read and dropped, up to this many times the limit: a browser shows
# the answer only when it has sent all.
_DROPPED = 10
_SECONDS_FOR_BODY = 60.0
_SECONDS_TO_TRY_AGAIN = 5


def name_of(host: str) -> str | None:
    """Return the name in a Host header, without the port; None when it is none.

    Example:
        >>> name_of("localhost:8765"), name_of("[::1]:80"), name_of("EXAMPLE.org."), name_of("a b")
        ('localhost', '::1', 'example.org', None)
    """
    name, colon, port = host.rpartition(":") if not host.endswith("]") else (host, "", "")
    if not colon:
        name = host
    elif not (port.isascii() and port.isdigit()):
        return None
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    elif ":" in name:
        return None
    name = name.lower().removesuffix(".")
    return name if name and name.isascii() and not set(name) & set(" /\\@?#%") else None


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


class Hosts:
    """The names under which a server may be reached.

    A page of a stranger can have its own name point here (DNS rebinding); its Host header
    then is that name. An address, on the other hand, is nobody's name: it is accepted where the
    server listens on all of them.

    Args:
        bound: What the server listens on.
        more: Further names, such as that of a proxy in front.

    Example:
        >>> hosts = Hosts("127.0.0.1", ["ranks.example.org"])
        >>> "localhost:8765" in hosts, "ranks.example.org" in hosts, "evil.example" in hosts
        (True, True, False)
    """

    def __init__(self, bound: str, more: Iterable[str] = ()) -> None:
        self._names = {"localhost", "127.0.0.1", "::1", bound.lower()}
        self._names |= {name.lower().removesuffix(".") for name in more}
        self._any_address = bound in ("", "0.0.0.0", "::")
        if self._any_address:
            self._names.add(socket.gethostname().lower())

    def __contains__(self, host: object) -> bool:
        """Return whether a Host header names this server."""
        name = name_of(host) if isinstance(host, str) else None
        if name is None:
            return False
        return name in self._names or (self._any_address and _is_address(name))


class Guard:
    """Stands before the application: refuses what must not come in, dresses what goes out."""

    def __init__(self, app: ASGIApp, hosts: Hosts, limits: Limits) -> None:
        self._app = app
        self._hosts = hosts
        self._limits = limits
        # The bytes of all bodies that were read for requests that are not answered yet.
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through, or answer it here."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = {**_HEADERS, "content-security-policy": PAGE_POLICY}
                message["headers"] = [
                    *message["headers"],
                    *(
                        (name.encode(), value.encode())
                        for name, value in extra.items()
                        if name.encode() not in present
                    ),
                ]
            await send(message)

        headers = _headers(scope)
        refused = self._stranger(scope["method"], headers)
        if refused is not None:
            await _answer(dressed, *refused)
            return
        if scope["method"] in SAFE_METHODS:
            await self._app(scope, receive, dressed)
            return
        room = _Room(self)
        try:
            body = await self._body(headers, receive, room)
            if isinstance(body, bytes):
                await self._app(scope, _replay(body, receive), dressed)
            elif body is not None:
                await _answer(dressed, *body)
        finally:
            room.give_back()

    def take(self, size: int) -> bool:
        """Take or, below 0, give back room for a body; tell whether there is so much."""
        if size > 0 and self._held + size > self._limits.arriving_bytes:
            return False
        self._held += size
        return True

    def _stranger(self, method: str, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Return why a request is not one that this server's own page, or a program, makes."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            shown = hosts[0][:80] if len(hosts) == 1 else "no name, or several"
            return 421, (
                f"this server does not answer to {shown!r}: open it by the address that it "
                "printed, or start it with --allow-host NAME"
            )
        if method in SAFE_METHODS:
            return None
        # Browsers send these by themselves, and no page can forge them; programs send neither.
        site = headers.get("sec-fetch-site", ["same-origin"])
        if any(value not in ("same-origin", "none") for value in site):
            return 403, "requests from other sites are refused"
        for origin in headers.get("origin", []):
            if origin.partition("://")[2].lower() != hosts[0].lower():
                return 403, "requests from other sites are refused"
        return None

    async def _body(
        self, headers: dict[str, list[str]], receive: Receive, room: _Room
    ) -> bytes | tuple[int, str] | None:
        """Return the whole body, or why it is refused; None when the client has gone."""
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        most = (
            # Room for the boundaries and the fields around the file.
            self._limits.upload_bytes + 10_000
            if kind == "multipart/form-data"
            else self._limits.json_bytes
        )
        said = headers.get("content-length", ["0"])[0]
        size = int(said) if said.isascii() and said.isdigit() and len(said) < 19 else 0
        parts: list[bytes] = []
        read = 0
        too_large = size > most
        try:
            async with asyncio.timeout(_SECONDS_FOR_BODY):
                while size <= most * _DROPPED:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    part = message.get("body", b"")
                    read += len(part)
                    too_large = too_large or read > most
                    if too_large:
                        parts.clear()
                        room.give_back()
                    elif room.take(len(part)):
                        parts.append(part)
                    else:
                        return 429, "too much is being handed in at once: try again later"
                    if not message.get("more_body", False) or read > most * _DROPPED:
                        break
        except TimeoutError:
            return 408, "the request took too long to arrive"
        if not too_large:
            return b"".join(parts)
        advice = "" if kind == "multipart/form-data" else " in JSON; a file may be larger"
        shown = self._limits.upload_bytes if kind == "multipart/form-data" else most
        return 413, f"too large: this server takes at most {shown / 1e6:g} MB{advice}"


class _Room:
    """What one request takes of the memory that there is for bodies."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._taken = 0

    def take(self, size: int) -> bool:
        """Take room, if there is any."""
        if not self._guard.take(size):
            return False
        self._taken += size
        return True

    def give_back(self) -> None:
        """Give all of it back."""
        self._guard.take(-self._taken)
        self._taken = 0


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that hands over a body that was read before, then goes on."""
    waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


async def _answer(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail, "line": None}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
    ]
    if status in (408, 413, 429):
        headers.append((b"connection", b"close"))
    if status == 429:
        headers.append((b"retry-after", str(_SECONDS_TO_TRY_AGAIN).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
