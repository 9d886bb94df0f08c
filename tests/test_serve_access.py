"""Tokens: who may use a server, how a browser logs in, how guessing is slowed down."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect

from browsing import NEEDS_CHROMIUM, check_looks
from commands import run
from concordant.errors import InputError, SettingError
from concordant.serve import access as access_module
from concordant.serve.access import COOKIE, USER, Access, client_of, origin, read_tokens
from concordant.serve.app import create_app
from concordant.serve.jobs import Jobs
from concordant.serve.limits import Limits
from concordant.serve.server import running

TOKEN, OTHER = "correct-horse-battery", "another-long-token-1"


def asked(talk: Callable[[httpx.AsyncClient], Awaitable[None]], access: Access | None) -> None:
    """Talk to an application that has no workers."""

    async def main() -> None:
        app = httpx.ASGITransport(create_app(access=access))
        async with httpx.AsyncClient(transport=app, base_url="http://127.0.0.1") as client:
            await talk(client)

    asyncio.run(main())


def test_nothing_is_answered_without_a_token() -> None:
    async def talk(client: httpx.AsyncClient) -> None:
        for path in (
            "api/about",
            "api/jobs/x",
            "api/examples",
            "openapi.json",
            "main.js",
            "x/../y",
        ):
            answer = await client.get(path)
            assert answer.status_code == 401, path
            assert answer.headers["www-authenticate"] == "Bearer"
            assert "Authorization: Bearer" in answer.json()["detail"]
        for path in ("api/jobs", "api/recognise", "logout"):
            assert (await client.post(path, json={"text": "1:a>b"})).status_code == 401
        assert (await client.delete("api/jobs/x")).status_code == 401
        page = await client.get("/")
        assert (page.status_code, "Log in" in page.text) == (401, True)
        assert "default-src 'none'" in page.headers["content-security-policy"]
        for path in ("style.css", "login.js", "icon.svg"):
            assert (await client.get(path)).status_code == 200
        # Wrong kinds of credentials.
        for headers in (
            {"authorization": f"Basic {TOKEN}"},
            {"authorization": "Bearer"},
            {"cookie": f"{COOKIE}={TOKEN}"},
            {"cookie": f"{COOKIE}="},
            {"cookie": '"; x=[]=;;'},
        ):
            assert (await client.get("main.js", headers=headers)).status_code == 401, headers

    asked(talk, Access([TOKEN, OTHER]))


def test_a_browser_logs_in_and_out() -> None:
    async def talk(client: httpx.AsyncClient) -> None:
        answer = await client.post("login", data={"token": OTHER})
        assert answer.status_code == 204
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert OTHER not in cookie
        assert (await client.get("main.js")).status_code == 200
        assert (await client.get("/")).status_code == 200
        # Another site cannot use the cookie.
        foreign = {"origin": "http://evil.example"}
        assert (await client.post("logout", headers=foreign)).status_code == 403
        assert (await client.post("logout")).status_code == 204
        assert (await client.get("main.js")).status_code == 401

    asked(talk, Access([TOKEN, OTHER]))


def test_a_program_sends_its_token_and_a_cookie_ends_with_its_token() -> None:
    async def talk(client: httpx.AsyncClient) -> None:
        headers = {"authorization": f"bearer {TOKEN}"}
        assert (await client.get("openapi.json", headers=headers)).status_code == 200

    asked(talk, Access([TOKEN]))
    cookie = Access([TOKEN]).cookie(TOKEN)
    given = {"cookie": [f"x=1; {COOKIE}={cookie}"]}
    # It holds after a restart, and not with other tokens.
    assert Access([OTHER, TOKEN]).user(given) == 1
    assert Access([OTHER]).user(given) is None


def test_guessing_is_slowed_down(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [1000.0]
    monkeypatch.setattr(access_module.time, "monotonic", lambda: clock[0])
    access = Access([TOKEN])
    for _ in range(5):
        assert access.wait("1.2.3.4") == 0
        access.failed("1.2.3.4")
    waits = []
    for _ in range(10):
        waits.append(access.wait("1.2.3.4"))
        access.failed("1.2.3.4")
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60, 60, 60]
    assert access.wait("5.6.7.8") == 0
    clock[0] += 60
    assert access.wait("1.2.3.4") == 0
    access.succeeded("1.2.3.4")
    # Many addresses do not fill the memory.
    for number in range(10_100):
        access.failed(str(number))
    assert len(access._failures) == 10_000

    async def talk(client: httpx.AsyncClient) -> None:
        for guess in ("api/about", "login"):
            for _ in range(6):
                headers = {"authorization": "Bearer guessed-token-000"}
                if guess == "login":
                    answer = await client.post("login", data={"token": "guessed-token-000"})
                else:
                    answer = await client.get(guess, headers=headers)
            assert answer.status_code == 429
            assert int(answer.headers["retry-after"]) > 0
        # Not even the right token is accepted before the wait is over.
        assert (await client.post("login", data={"token": TOKEN})).status_code == 429
        clock[0] += 60
        assert (await client.post("login", data={"token": TOKEN})).status_code == 204

    asked(talk, Access([TOKEN]))


def test_an_address_is_a_client_and_so_is_a_token() -> None:
    access = Access([TOKEN, OTHER])
    own = {"client": ("192.0.2.7", 5)}
    assert client_of(own) == "192.0.2.7"
    assert client_of({**own, USER: 1}) == "1@192.0.2.7"
    assert client_of({"client": None}) == client_of({}) == ""
    # Somebody with a network of IPv6 addresses is one client, also when guessing.
    assert origin("2001:db8:1:2::7%eth0") == origin("2001:db8:1:2:ffff::8") != origin("2001:db8::")
    for number in range(6):
        access.failed(origin(f"2001:db8::{number}"))
    assert access.wait(origin("2001:db8::77")) > 0
    assert origin("testclient") == "testclient"


def test_each_token_has_its_own_turn() -> None:
    async def talk() -> list[int]:
        limits = Limits(client_queue=1)
        app = create_app(limits, access=Access([TOKEN, OTHER]))
        app.state.jobs = jobs = Jobs(limits)
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
            answers = [
                await client.post(
                    "api/jobs",
                    json={"text": "1:a>b"},
                    headers={"authorization": f"Bearer {token}"},
                )
                for token in (TOKEN, TOKEN, OTHER)
            ]
        await jobs.close()
        assert "too many jobs of yours are waiting (at most 1)" in answers[1].json()["detail"]
        assert [answer.json()["waiting"] for answer in answers if answer.is_success] == [1, 2]
        return [answer.status_code for answer in answers]

    assert asyncio.run(talk()) == [202, 429, 202]


def test_a_guess_that_is_nearly_right_is_wrong() -> None:
    access = Access([TOKEN, OTHER])
    cookie = access.cookie(TOKEN)
    assert cookie is not None
    for guess in (TOKEN[:-1], f"{TOKEN}x", TOKEN.upper(), f"{TOKEN} ", f"{TOKEN}\0", "\ud800"):
        assert access.cookie(guess) is None, guess
    for guess in (cookie[:-1], cookie.upper(), f"{cookie}0", "", "0" * 64):
        assert access.user({"cookie": [f"{COOKIE}={guess}"]}) is None, guess
    assert access.user({"cookie": [f"{COOKIE}={cookie}"]}) == 0


def test_a_server_without_tokens_has_no_login() -> None:
    async def talk(client: httpx.AsyncClient) -> None:
        assert (await client.post("login", data={"token": TOKEN})).status_code == 404
        assert (await client.get("main.js")).status_code == 200

    asked(talk, None)


def test_tokens_are_checked(tmp_path: Path) -> None:
    for bad in ("", "short", "x" * 201, "with blanks in it, which is bad", "ünïcödé-ünïcödé-ünï"):
        with pytest.raises(SettingError, match="16 to 200"):
            Access([bad])
    path = tmp_path / "tokens"
    with pytest.raises(InputError, match="cannot be read"):
        read_tokens(path)
    path.write_text("# nobody\n\n")
    with pytest.raises(InputError, match="no token"):
        read_tokens(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="UTF-8"):
        read_tokens(path)
    path.write_text(f"# the committee\n{TOKEN}\n\n {OTHER} \n")
    assert read_tokens(path) == [TOKEN, OTHER]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", ""])
def test_a_server_for_others_needs_a_token(host: str) -> None:
    refused = run("serve", "--host", host, "--port", "0")
    assert refused.exit_code == 2
    assert "--open-to-all" in refused.stderr
    assert "there is no token" in refused.stderr


@NEEDS_CHROMIUM
def test_the_login_page(browser: Browser) -> None:
    limits = Limits(solvers=1, helpers=1)
    with running(limits, access=Access([TOKEN])) as address:
        context = browser.new_context()
        page = context.new_page()
        page.goto(f"{address}#job=none")
        check_looks(page, "#login")
        expect(page.get_by_label("Token")).to_be_focused()
        page.keyboard.type("wrong-wrong-wrong")
        page.keyboard.press("Enter")
        expect(page.get_by_role("alert")).to_have_text("The token is wrong.")
        page.get_by_label("Token").fill(TOKEN)
        page.keyboard.press("Enter")
        # The page then shows the job that its address names.
        expect(page.locator("#failure")).to_contain_text("There is no such job")
        assert page.evaluate("() => document.cookie") == ""
        page.get_by_role("button", name="Log out").click()
        expect(page.locator("#login")).to_be_visible()
        context.close()
