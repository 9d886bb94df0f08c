"""A server and a browser for the tests of the page: chromium in headless mode."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, expect, sync_playwright

from concordant.serve.limits import Limits
from serving import PATIENT, serving

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
NEEDS_CHROMIUM = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"
)
FLAGS = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync"),
]
# The browser logs refused requests.
EXPECTED = re.compile("status of (413|422)")
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
# Milliseconds. Loading is slow on a busy machine, and no test measures it.
PATIENCE = 60_000


@pytest.fixture(scope="session")
def address() -> Iterator[str]:
    # One helper starts faster than several.
    with serving(Limits(helpers=1, **PATIENT)) as found:
        yield found


# Not for the whole session: while playwright runs, no other test could start an event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def page(browser: Browser, address: str) -> Iterator[Page]:
    """Yield a page. Fail if it logs an error, or sends a request to another server."""
    context = browser.new_context(accept_downloads=True)
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    complaints: list[str] = []
    strangers: list[str] = []

    def note(message: ConsoleMessage) -> None:
        # The browser logs every refused request, also an expected one.
        if message.type in ("error", "warning") and not EXPECTED.search(message.text):
            complaints.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("dialog", lambda dialog: (complaints.append(dialog.message), dialog.dismiss()))
    page.on(
        "request",
        lambda request: (
            None
            if request.url.startswith((address, "blob:", "data:"))
            else strangers.append(request.url)
        ),
    )
    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    yield page
    context.close()
    assert not complaints
    assert not strangers


def press(page: Page) -> None:
    page.get_by_role("button", name="Find the consensus").click()


def ranking(page: Page) -> list[str]:
    expect(page.locator("#result")).to_be_visible()
    return page.locator(".ranking .item").all_inner_texts()


def check_fits(page: Page, state: str) -> None:
    """Check that a part of the page is visible, and that nothing is wider than the window."""
    expect(page.locator(state).first).to_be_visible()
    assert page.viewport_size
    width = page.viewport_size["width"]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width, state
    # Nothing is cut off inside a card either; names in chips end with an ellipsis.
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".card, .card :is(p, button, dd, li)")]
          .filter((e) => e.checkVisibility() && !e.matches(".hidden, .chip")
            && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).display !== "inline")
          .map((e) => e.outerHTML.slice(0, 200))"""
    )
    assert cut == [], state


def check_accessible(page: Page) -> None:
    """Check the page with axe: contrast, names, roles, ids and the rest of its rules."""
    found = Axe().run(page).response["violations"]
    assert [
        (rule["id"], node["html"][:200], node["failureSummary"])
        for rule in found
        for node in rule["nodes"]
    ] == []


def check_looks(page: Page, state: str) -> None:
    """Check a state of the page at two widths, in light and dark, and leave it as it was."""
    size = page.viewport_size
    assert size
    for width in (390, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        for scheme in SCHEMES:
            page.emulate_media(color_scheme=scheme)
            check_fits(page, state)
            if (width == 390) == (scheme == SCHEMES[0]):
                check_accessible(page)
    page.set_viewport_size(size)
