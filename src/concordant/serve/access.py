"""Access by tokens: who may use a server that others can reach; wrong attempts have to wait."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import time
from collections.abc import Iterable, Mapping, Sequence
from http.cookies import CookieError, SimpleCookie
from pathlib import Path
from typing import Any

from concordant._files import reason
from concordant.errors import InputError, SettingError

COOKIE = "concordant_session"
# Where a request keeps the number of its token.
USER = "concordant.user"
SECONDS_OF_COOKIE = 30 * 24 * 3600
# What the login page needs, and what a health check asks for.
PUBLIC = ("/login", "/login.js", "/style.css", "/icon.svg", "/healthz")
_LEAST = 16
_MOST = 200
# Failed attempts of one address that are answered at once; later ones have to wait.
_FREE_ATTEMPTS = 5
_LONGEST_WAIT = 60.0
# Addresses whose failed attempts are remembered; the oldest are forgotten first.
_ADDRESSES = 10_000


def is_local(host: str) -> bool:
    """Return whether only this machine can reach an address.

    Example:
        >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0"), is_local("")
        (True, True, False, False)
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def origin(host: str) -> str:
    """Return the address of a client, as far as it identifies one: an IPv6 user has a /64 network.

    Example:
        >>> origin("192.0.2.7"), origin("2001:db8::a:b:c:d"), origin("::ffff:192.0.2.7")
        ('192.0.2.7', '2001:db8::/64', '192.0.2.7')
    """
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host[:100]
    if isinstance(address, ipaddress.IPv4Address):
        return str(address)
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.ip_network((address, 64), strict=False))


def client_of(scope: Mapping[str, Any]) -> str:
    """Return who sends a request: the address, and the number of the token if there is one.

    Clients take turns, and users with different tokens may share an address.
    """
    address = origin((scope.get("client") or ("",))[0])
    number = scope.get(USER)
    return address if number is None else f"{number}@{address}"


def read_tokens(path: Path) -> list[str]:
    """Read a file with one token a line; empty lines and lines that begin with # are skipped.

    Raises:
        InputError: The file cannot be read, or has no token.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        why = reason(error) if isinstance(error, OSError) else "it is not text in UTF-8"
        raise InputError(f"the tokens cannot be read: {why}", path=path) from None
    found = [line.strip() for line in lines]
    found = [line for line in found if line and not line.startswith("#")]
    if not found:
        raise InputError("there is no token: write one on a line of its own", path=path)
    return found


class Access:
    """The tokens of a server.

    A browser logs in with a token and gets a cookie, which is made from the token by a one-way
    function: it stays valid when the server starts again, and ends with its token. A program sends
    the token with each request: `Authorization: Bearer TOKEN`.

    Args:
        tokens: The tokens, each of at least 16 characters.

    Example:
        >>> access = Access(["correct-horse-battery"])
        >>> access.cookie("wrong") is None
        True
        >>> access.user({"authorization": ["Bearer correct-horse-battery"]})
        0
    """

    def __init__(self, tokens: Iterable[str]) -> None:
        # Each token and its cookie as digests, so that comparing them takes the same time.
        self._cookies: dict[bytes, str] = {}
        for token in tokens:
            if not _LEAST <= len(token) <= _MOST or not token.isascii() or " " in token:
                raise SettingError(
                    f"a token must have {_LEAST} to {_MOST} letters, digits or signs, without "
                    "blanks: a random one is hard to guess",
                    setting="token",
                )
            self._cookies[_digest(token)] = _cookie(token)
        self._failures: dict[str, tuple[int, float]] = {}

    def cookie(self, token: str) -> str | None:
        """Return the cookie for a token; None for a wrong one."""
        given, found = _digest(token), None
        for known, cookie in self._cookies.items():
            if hmac.compare_digest(given, known):
                found = cookie
        return found

    def user(self, headers: Mapping[str, Sequence[str]]) -> int | None:
        """Return the number of the token that a request has, or of its cookie; None without."""
        given = [_cookie_of(header) for header in headers.get("cookie", ())]
        token = bearer(headers)
        if token is not None:
            given.append(self.cookie(token) or "")
        found = None
        for number, cookie in enumerate(self._cookies.values()):
            for value in given:
                if hmac.compare_digest(value.encode(), cookie.encode()):
                    found = number
        return found

    # -- attempts ------------------------------------------------------------------------------

    def wait(self, client: str) -> float:
        """Return how many seconds an address has to wait before its next attempt."""
        count, last = self._failures.get(client, (0, 0.0))
        if count < _FREE_ATTEMPTS:
            return 0.0
        pause = min(_LONGEST_WAIT, 2.0 ** min(10, count - _FREE_ATTEMPTS))
        return max(0.0, last + pause - time.monotonic())

    def failed(self, client: str) -> None:
        """Count a failed attempt of an address."""
        count, _ = self._failures.pop(client, (0, 0.0))
        self._failures[client] = (count + 1, time.monotonic())
        while len(self._failures) > _ADDRESSES:
            del self._failures[next(iter(self._failures))]

    def succeeded(self, client: str) -> None:
        """Forget the failed attempts of an address."""
        self._failures.pop(client, None)


def bearer(headers: Mapping[str, Sequence[str]]) -> str | None:
    """Return the token of an `Authorization` header; None without one."""
    for header in headers.get("authorization", ()):
        kind, _, token = header.partition(" ")
        if kind.lower() == "bearer":
            return token.strip()
    return None


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def _cookie(token: str) -> str:
    return hmac.new(token.encode(), b"concordant session 1", hashlib.sha256).hexdigest()


def _cookie_of(header: str) -> str:
    try:
        found = SimpleCookie(header).get(COOKIE)
    except CookieError:
        return ""
    return "" if found is None else found.value
