"""Security: checks of the Host and Origin headers, limits on bodies, headers of answers."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import socket
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concordant.serve.access import PUBLIC, USER, Access, bearer, client_of
from concordant.serve.limits import Limits

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_LOGIN = Path(__file__).parent / "static" / "login.html"
_PAGES = ("/", "/index.html", "/login.html")
_SAFE_METHODS = ("GET", "HEAD", "OPTIONS")
_PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# A report holds its own styles and pictures, and no script may run in it.
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
# A body that is too large is read and dropped, up to this multiple of the limit, because a browser
# shows the answer only after it has sent the whole body.
_DROPPED = 10
_SECONDS_FOR_BODY = 60.0
_SECONDS_TO_TRY_AGAIN = 5


def name_of(host: str) -> str | None:
    """Return the name in a Host header, without the port; None when the header is invalid.

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
    """The host names that a server answers to.

    Another site can let its own name point to this machine (DNS rebinding). Requests from its pages
    then carry that name in the Host header, and are refused. An IP address cannot be misused like
    this, so a server that listens on all addresses accepts any.

    Args:
        bound: The address on which the server listens.
        more: Further names, such as that of a proxy in front of the server.

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
    """Refuses unsafe requests before the application sees them, and adds headers to answers."""

    def __init__(
        self, app: ASGIApp, hosts: Hosts, limits: Limits, access: Access | None = None
    ) -> None:
        self._app = app
        self._access = access
        self._hosts = hosts
        self._limits = limits
        # The size of the bodies of all unanswered requests.
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on to the application, or refuse it."""
        if scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
            return
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = {name.lower() for name, _ in message["headers"]}
                extra = {**_HEADERS, "content-security-policy": _PAGE_POLICY}
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
        refused = self._refusal(scope["method"], headers)
        if refused is not None:
            await _answer(send_with_headers, *refused)
            return
        if self._access is not None and scope["path"] not in PUBLIC:
            refused = self._check_access(self._access, headers, scope)
            if refused is not None:
                asks_for_page = scope["method"] == "GET" and scope["path"] in _PAGES
                if asks_for_page and refused[0] == 401:
                    await _send(send_with_headers, 401, _LOGIN.read_bytes(), b"text/html")
                else:
                    await _answer(send_with_headers, *refused)
                return
        if scope["method"] in _SAFE_METHODS:
            await self._app(scope, receive, send_with_headers)
            return
        share = _Share(self)
        try:
            body = await self._body(headers, receive, share)
            if isinstance(body, bytes):
                await self._app(scope, _replay(body, receive), send_with_headers)
            elif body is not None:
                await _answer(send_with_headers, *body)
        finally:
            share.release()

    def reserve(self, size: int) -> bool:
        """Reserve memory for a body, or release it (a negative size); return whether it fits."""
        if size > 0 and self._held + size > self._limits.arriving_bytes:
            return False
        self._held += size
        return True

    @staticmethod
    def _check_access(
        access: Access, headers: dict[str, list[str]], scope: Scope
    ) -> tuple[int, str] | None:
        """Return the status and the reason when a request has neither a cookie nor a token."""
        client = client_of(scope)
        tries = bearer(headers) is not None
        if tries and access.wait(client) > 0:
            return 429, "too many wrong tokens came from your address: wait a minute"
        user = access.user(headers)
        if user is not None:
            scope[USER] = user
            return None
        if tries:
            access.failed(client)
            return 401, "the token is wrong"
        return 401, "log in, or send your token in the header Authorization: Bearer TOKEN"

    def _refusal(self, method: str, headers: dict[str, list[str]]) -> tuple[int, str] | None:
        """Return the status and the reason when another site may have caused a request."""
        hosts = headers.get("host", [])
        if len(hosts) != 1 or hosts[0] not in self._hosts:
            shown = repr(hosts[0][:80]) if len(hosts) == 1 else f"{len(hosts)} Host headers"
            return 421, (
                f"this server does not answer to {shown}: open the address that it printed, or "
                "start it with --allow-host NAME"
            )
        if method in _SAFE_METHODS:
            return None
        # Browsers set these headers, and no page can change them. Programs send neither.
        site = headers.get("sec-fetch-site", ["same-origin"])
        if any(value not in ("same-origin", "none") for value in site):
            return 403, "requests from other sites are refused"
        for origin in headers.get("origin", []):
            if origin.partition("://")[2].lower() != hosts[0].lower():
                return 403, "requests from other sites are refused"
        return None

    async def _body(
        self, headers: dict[str, list[str]], receive: Receive, share: _Share
    ) -> bytes | tuple[int, str] | None:
        """Return the whole body, or the status and the reason when it is refused.

        Return None when the client has closed the connection.
        """
        kind = headers.get("content-type", [""])[0].partition(";")[0].strip().lower()
        most = (
            # The boundaries and the fields around the file take some bytes too.
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
                        share.release()
                    elif share.reserve(len(part)):
                        parts.append(part)
                    else:
                        return 429, "too many bytes are arriving at once: try again later"
                    if not message.get("more_body", False) or read > most * _DROPPED:
                        break
        except TimeoutError:
            return 408, "the request took too long to arrive"
        if not too_large:
            return b"".join(parts)
        advice = "" if kind == "multipart/form-data" else " in JSON; an uploaded file may be larger"
        shown = self._limits.upload_bytes if kind == "multipart/form-data" else most
        return 413, f"too large: this server accepts at most {shown / 1e6:g} MB{advice}"


class _Share:
    """The memory that the body of one request takes."""

    def __init__(self, guard: Guard) -> None:
        self._guard = guard
        self._size = 0

    def reserve(self, size: int) -> bool:
        """Reserve more memory; return whether it fits."""
        if not self._guard.reserve(size):
            return False
        self._size += size
        return True

    def release(self) -> None:
        """Release all of the memory."""
        self._guard.reserve(-self._size)
        self._size = 0


def _headers(scope: Scope) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, value in scope["headers"]:
        found.setdefault(name.decode("latin-1").lower(), []).append(value.decode("latin-1"))
    return found


def _replay(body: bytes, receive: Receive) -> Receive:
    """Return a `receive` that first yields a body that was already read."""
    waiting: list[dict[str, Any]] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


async def _answer(send: Send, status: int, detail: str) -> None:
    body = json.dumps({"detail": detail, "line": None}).encode()
    await _send(send, status, body, b"application/json")


async def _send(send: Send, status: int, body: bytes, kind: bytes) -> None:
    headers = [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    if status == 401:
        headers.append((b"www-authenticate", b"Bearer"))
    if status in (408, 413, 429):
        headers.append((b"connection", b"close"))
    if status == 429:
        headers.append((b"retry-after", str(_SECONDS_TO_TRY_AGAIN).encode()))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
