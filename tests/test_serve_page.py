"""The page in a real browser, chromium in headless mode."""

from __future__ import annotations

import random
import re
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, Page, Route, expect

import concordant as cc
from browsing import NEEDS_CHROMIUM, check_fits, press, ranking

pytestmark = NEEDS_CHROMIUM
VOTES = "3:Ann>Bo>Cy\n2:Bo>Cy>Ann\n1:Cy>Ann=Bo\n"
HOSTILE = "<img src=x onerror=alert(1)>"


def hard_file(folder: Path) -> Path:
    data = cc.generate.uniform(250, 30, seed=1)
    path = folder / "hard.soc"
    cc.write(data, path)
    return path


def begin_hard(page: Page, folder: Path) -> None:
    """Begin a long search, and wait until it shows a cost."""
    page.set_input_files("#file", hard_file(folder))
    expect(page.locator("#seen")).to_contain_text("250 items")
    page.get_by_label("Search for at most").select_option("300")
    press(page)
    expect(page.locator("#best")).not_to_have_text("–")


def test_paste_and_solve(page: Page) -> None:
    page.get_by_label("Rankings, as text").fill(VOTES)
    expect(page.locator("#seen")).to_contain_text("abif · 3 items · 6 rankings · with ties")
    press(page)
    assert ranking(page) == ["Ann", "Bo", "Cy"]
    expect(page.locator(".verdict")).to_contain_text("No other order has fewer disagreements")
    expect(page.locator(".ranking li").first).to_contain_text("3 to 2 over Bo")
    # The page shows the same job after it is loaded again.
    page.reload()
    assert ranking(page) == ["Ann", "Bo", "Cy"]


def test_the_address_names_the_job(page: Page, address: str) -> None:
    first, second = (
        httpx.post(f"{address}api/jobs", json={"text": text}).json()["id"]
        for text in ("1:Ann>Bo\n", "1:Bo>Ann\n")
    )
    page.evaluate("(id) => { location.hash = `job=${id}`; }", first)
    assert ranking(page) == ["Ann", "Bo"]
    # The same page shows another job when its address is changed.
    page.evaluate("(id) => { location.hash = `job=${id}`; }", second)
    expect(page.locator(".ranking .item").first).to_have_text("Bo")
    assert ranking(page) == ["Bo", "Ann"]


def test_a_result_that_does_not_exist(browser: Browser, address: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{address}#job=none")
    gone = "There is no such job: check its address, or submit the rankings again."
    expect(page.locator("#failure")).to_contain_text(gone)
    expect(page.locator("#spoken")).to_contain_text(gone)
    page.get_by_label("Rankings, as text").fill(VOTES)
    expect(page.locator("#seen")).to_contain_text("3 items")
    press(page)
    assert ranking(page) == ["Ann", "Bo", "Cy"]
    # The same when the address of a page with a result is changed.
    page.evaluate("() => { location.hash = 'job=other'; }")
    expect(page.locator("#failure")).to_contain_text(gone)
    expect(page.locator("#result")).to_be_hidden()
    context.close()


def test_the_keyboard_is_enough(page: Page) -> None:
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.activeElement.textContent") == "Skip to the rankings"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.type(VOTES)
    expect(page.locator("#seen")).to_contain_text("3 items")
    page.keyboard.press("Control+Enter")
    assert ranking(page) == ["Ann", "Bo", "Cy"]
    expect(page.locator("#output-title")).to_be_focused()


def test_everything_has_a_name_for_screen_readers(page: Page) -> None:
    page.get_by_text("How to read it").click()
    nameless = page.evaluate(
        """() => [...document.querySelectorAll("input, select, textarea, button, img, progress")]
          .filter((e) => !e.labels?.length && !e.ariaLabel && !e.textContent.trim()
            && e.getAttribute("alt") === null)
          .map((e) => e.outerHTML)"""
    )
    assert nameless == []
    for region in ("#seen", "#spoken"):
        assert page.locator(region).get_attribute("aria-live") == "polite"
    # A screen reader ignores live regions that are not displayed.
    for region in ("#seen", "#spoken", "#refused"):
        display = page.locator(region).evaluate("(e) => getComputedStyle(e).display")
        assert display != "none", region
    for button in page.locator("#examples button").all():
        about = button.get_attribute("aria-describedby")
        assert page.locator(f"#{about}").text_content()


def test_drop_a_file(page: Page) -> None:
    transfer = page.evaluate_handle(
        """(text) => {
          const transfer = new DataTransfer();
          transfer.items.add(new File([text], "votes.csv"));
          return transfer;
        }""",
        "voter,1st,2nd\nx,Ann,Bo\ny,Ann,Bo\n",
    )
    page.dispatch_event("#drop", "dragenter", {"dataTransfer": transfer})
    expect(page.locator(".over")).to_be_visible()
    page.dispatch_event("#drop", "drop", {"dataTransfer": transfer})
    expect(page.locator("#chosen-name")).to_have_text("votes.csv, 32 bytes")
    expect(page.locator("#seen")).to_contain_text("csv, ballots · 2 items · 2 rankings")
    press(page)
    assert ranking(page) == ["Ann", "Bo"]


def test_problems_have_their_line(page: Page) -> None:
    page.get_by_label("Rankings, as text").fill("2:Ann>Bo\n1:Bo>Ann>Bo\n3:Ann>Bo\n")
    page.locator("#format").select_option("abif", force=True)
    expect(page.locator("#seen")).to_contain_text("Line 2:")
    # The options that can help are opened.
    expect(page.locator("#format")).to_be_visible()
    expect(page.get_by_role("button", name="Find the consensus")).to_be_disabled()
    page.get_by_label("Item ranked twice").select_option("first")
    expect(page.locator("#seen")).to_contain_text("2 items")
    press(page)
    assert ranking(page) == ["Ann", "Bo"]


def test_hints_are_buttons(page: Page) -> None:
    page.get_by_label("Rankings, as text").fill("3 2\n2 1 3\n1 2 3\n")
    expect(page.locator("#seen")).to_contain_text("may begin a file of ranks")
    expect(page.locator("#asked button")).to_have_count(2)
    page.get_by_role("button", name="Format: orders").click()
    expect(page.locator("#seen")).to_contain_text("orders · 3 items · 2 rankings")
    expect(page.locator("#format")).to_have_value("orders")
    expect(page.locator("#asked button")).to_have_count(0)


def test_watch_and_cancel(page: Page, tmp_path: Path) -> None:
    begin_hard(page, tmp_path)
    expect(page.locator("#live canvas")).to_be_visible()
    before = page.locator("#time").inner_text()
    expect(page.locator("#time")).not_to_have_text(before)
    best, bound = (
        int(page.locator(each).inner_text().replace(",", "")) for each in ("#best", "#bound")
    )
    assert bound < best
    page.get_by_role("button", name="Cancel").click()
    assert len(ranking(page)) == 20
    expect(page.locator(".verdict")).to_contain_text("Stopped by hand")
    page.get_by_role("button", name="Show all 250").click()
    assert len(ranking(page)) == 250


def test_two_jobs_at_once(page: Page, address: str, tmp_path: Path) -> None:
    begin_hard(page, tmp_path)
    other = page.context.new_page()
    other.goto(address)
    other.get_by_label("Rankings, as text").fill(VOTES)
    press(other)
    assert ranking(other) == ["Ann", "Bo", "Cy"]
    expect(page.locator("#running")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    assert ranking(page)


def test_names_are_text(page: Page) -> None:
    page.get_by_label("Rankings, as text").fill(f'voter,1st,2nd\nx,"{HOSTILE}",</ol><b>b</b>\n')
    expect(page.locator("#seen")).to_contain_text(HOSTILE)
    press(page)
    assert ranking(page) == [HOSTILE, "</ol><b>b</b>"]
    assert page.locator("img[src=x]").count() == 0
    assert page.locator(".ranking b").count() == 0
    expect(page.locator(".picture img")).to_be_visible()


def test_too_large_a_file_is_refused(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "large.csv"
    with path.open("wb") as file:
        file.truncate(50_000_000)
    page.set_input_files("#file", path)
    expect(page.locator("#seen")).to_contain_text("Too large: this server accepts at most 10 MB")
    expect(page.get_by_role("button", name="Find the consensus")).to_be_disabled()
    # The server checks the size itself.
    answer = page.evaluate(
        """async () => {
          const body = new FormData();
          body.append("file", new Blob([new Uint8Array(50_000_000)]), "large.csv");
          const answer = await fetch("api/jobs/upload", { method: "POST", body });
          return [answer.status, (await answer.json()).detail];
        }"""
    )
    assert answer == [413, "too large: this server accepts at most 10 MB"]


def test_downloads_and_bootstrap(page: Page, tmp_path: Path) -> None:
    page.get_by_label("Rankings, as text").fill(VOTES)
    page.get_by_label("How firm is it?").check()
    expect(page.locator("#seen")).to_contain_text("3 items")
    press(page)
    expect(page.locator(".ranking li").first).to_contain_text(re.compile(r"places? 1.*of samples"))
    expect(page.locator("#result")).to_contain_text(re.compile(r"500 times.*in 95\s% of"))
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download as JSON").click()
    waiting.value.save_as(tmp_path / "result.json")
    (tmp_path / "votes.abif").write_text(VOTES)
    assert cc.Consensus.load(tmp_path / "result.json").verify(cc.read(tmp_path / "votes.abif"))
    with page.expect_download() as waiting:
        page.get_by_role("link", name="Download the report").click()
    waiting.value.save_as(tmp_path / "report.html")
    report = (tmp_path / "report.html").read_text()
    assert "Ann" in report
    assert 'src="http' not in report
    for name in ("Pairs", "How firm"):
        page.get_by_role("button", name=name, exact=True).click()
        expect(page.locator(".picture img")).to_be_visible()


@pytest.mark.parametrize("example", ["A hiring committee", "Seven cafes", "A racing season"])
def test_examples_are_solved(page: Page, example: str) -> None:
    page.get_by_role("button", name=example).click()
    expect(page.locator("#seen")).to_contain_text("items")
    press(page)
    assert ranking(page)


def test_text_pasted_over_an_example_replaces_it(page: Page) -> None:
    page.get_by_role("button", name="Seven cafes").click()
    expect(page.locator("#seen")).to_contain_text("toi · 7 items")
    expect(page.locator("#about-example")).to_have_text(re.compile("Twelve guests"))
    page.get_by_label("Rankings, as text").fill(VOTES)
    expect(page.locator("#seen")).to_contain_text("abif · 3 items")
    expect(page.locator("#about-example")).to_have_text("")


def test_lists_can_be_pasted(page: Page) -> None:
    page.get_by_text("How to read it").click()
    page.get_by_label("Layout of a table").select_option("lists")
    page.get_by_label("Rankings, as text").fill("Ann>Bo=Cy\nBo>Ann\n")
    expect(page.locator("#seen")).to_contain_text("3 items · 2 rankings · with ties")
    page.get_by_label("Rankings, as text").fill("Team A,Team B\nTeam B,Team A,Team C\n")
    expect(page.locator("#seen")).to_contain_text("csv, lists · 3 items · 2 rankings")
    press(page)
    assert ranking(page)[2] == "Team C"


def test_a_file_that_was_edited_is_chosen_again(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "votes.abif"
    path.write_text("2:Ann>Bo\n")
    page.set_input_files("#file", path)
    expect(page.locator("#seen")).to_contain_text("2 items")
    path.write_text("2:Ann>Bo>Cy\n")
    # This imitates a browser that refuses to read a changed file. A controlled one reads it.
    page.evaluate(
        """() => {
          const [fetch, read] = [window.fetch, Blob.prototype.arrayBuffer];
          window.fetch = async () => {
            window.fetch = fetch;
            throw new TypeError("Failed to fetch");
          };
          Blob.prototype.arrayBuffer = async () => {
            Blob.prototype.arrayBuffer = read;
            throw new DOMException("could not be read", "NotReadableError");
          };
        }"""
    )
    press(page)
    expect(page.locator("#refused")).to_have_text(
        "The file was changed or removed after it was chosen. Choose it again."
    )
    page.set_input_files("#file", path)
    expect(page.locator("#seen")).to_contain_text("3 items")


def test_a_new_search_cancels_the_previous_one(page: Page, address: str, tmp_path: Path) -> None:
    begin_hard(page, tmp_path)
    first = page.url.partition("#job=")[2]
    page.get_by_role("button", name="Remove").click()
    page.get_by_label("Rankings, as text").fill(VOTES)
    expect(page.locator("#seen")).to_contain_text("3 items")
    press(page)
    assert ranking(page) == ["Ann", "Bo", "Cy"]
    with httpx.stream("GET", f"{address}api/jobs/{first}/events", timeout=60) as events:
        assert any('"state":"cancelled"' in line for line in events.iter_lines())


def test_typing_keeps_the_focus(page: Page) -> None:
    page.get_by_label("Rankings, as text").fill(VOTES)
    expect(page.locator("#seen")).to_contain_text("3 items")
    # The answer comes while the user types again.
    waiting: list[Route] = []
    page.route("**/result", lambda route: waiting.append(route))
    press(page)
    page.get_by_label("Rankings, as text").press_sequentially("2:Ann")
    expect(page.locator("#seen")).to_contain_text("8 rankings")
    while not waiting:
        page.wait_for_timeout(50)
    waiting[0].continue_()
    assert ranking(page) == ["Ann", "Bo", "Cy"]
    expect(page.get_by_label("Rankings, as text")).to_be_focused()
    expect(page.locator("#spoken")).to_contain_text("No other order has fewer disagreements")


def test_a_failure_gets_the_focus(page: Page) -> None:
    page.get_by_label("Rankings, as text").fill(VOTES)
    expect(page.locator("#seen")).to_contain_text("3 items")
    page.route(
        "**/result", lambda route: route.fulfill(status=200, body="{}", content_type="text/plain")
    )
    press(page)
    expect(page.locator("#failure")).to_be_focused()
    expect(page.locator("#spoken")).not_to_have_text("The search has begun.")


def test_a_cancellation_that_fails_can_be_tried_again(page: Page, tmp_path: Path) -> None:
    begin_hard(page, tmp_path)
    # The page takes this for a server that does not answer, and the browser logs no error.
    page.evaluate(
        """() => {
          const fetch = window.fetch;
          window.fetch = async (...given) => {
            if (!given[0].endsWith("/cancel")) return fetch(...given);
            window.fetch = fetch;
            throw new TypeError("Failed to fetch");
          };
        }"""
    )
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#trouble")).to_have_text(
        "The search was not cancelled. The server does not answer. Is it still running?"
    )
    page.get_by_role("button", name="Cancel").click()
    assert ranking(page)


def test_the_page_tries_again_when_the_server_is_gone(
    browser: Browser, address: str, tmp_path: Path
) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    begin_hard(page, tmp_path)
    assert page.locator("#bar").get_attribute("aria-label") == "Searching: time used"
    job = page.url.partition("#job=")[2]
    # The page follows the job again, and gets one event before the connection ends.
    status = httpx.get(f"{address}api/jobs/{job}").text
    first = f"event: progress\ndata: {status}\n\n"
    answers = [first]

    def answer(route: Route) -> None:
        if answers:
            route.fulfill(body=answers.pop(), content_type="text/event-stream")
        else:
            route.abort()

    page.route("**/events", answer)
    page.reload()
    expect(page.locator("#phase")).to_have_text("The server does not answer. Trying again …")
    expect(page.locator("#spoken")).to_contain_text("Trying again")
    expect(page.locator("#live canvas")).to_be_visible()
    context.close()
    httpx.delete(f"{address}api/jobs/{job}")


def test_a_cancelled_bootstrap_names_its_samples(page: Page) -> None:
    # Enough voters that 500 samples take longer than the cancellation.
    text = "".join(f"{20 + n}:{'>'.join(order)}\n" for n, order in enumerate(_orders(60, 40)))
    page.get_by_label("Rankings, as text").fill(text)
    page.get_by_label("How firm is it?").check()
    page.get_by_label("Search for at most").select_option("1")
    expect(page.locator("#seen")).to_contain_text("60 items")
    press(page)
    expect(page.locator("#phase")).to_contain_text("Resampling the voters")
    page.get_by_role("button", name="Cancel").click()
    assert ranking(page)
    result = page.evaluate(
        "async () => (await fetch(`api/jobs/${location.hash.slice(5)}/result`)).json()"
    )
    firm = result.get("bootstrap")
    if firm is None:
        expect(page.locator(".note")).to_contain_text("There is no bootstrap")
    elif firm["samples"] < firm["requested"]:
        expect(page.locator(".note")).to_contain_text(f"{firm['samples']} of 500 samples")
    else:
        expect(page.locator(".note")).to_have_count(0)


def _orders(items: int, voters: int) -> list[list[str]]:
    rng = random.Random(1)
    names = [f"n{number}" for number in range(items)]
    return [rng.sample(names, items) for _ in range(voters)]


# Resolves when the page has been laid out and drawn once more, so that charts have their new size.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


def test_nothing_overflows(browser: Browser, address: str, tmp_path: Path) -> None:
    context = browser.new_context()
    page = context.new_page()

    def check(state: str) -> None:
        for width in (320, 1280):
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate(DRAWN)
            check_fits(page, state)

    page.goto(address)
    page.wait_for_selector("html[data-ready]")
    check("#nothing")
    long = "x" * 300
    page.get_by_label("Rankings, as text").fill(f"2:{long}>b\n1:b>{long}\n")
    expect(page.locator("#seen")).to_contain_text("2 items")
    check("#seen")
    press(page)
    check("#result")
    # A file that becomes invalid on its way to the server.
    page.get_by_label("Rankings, as text").fill(f"2:{long}>b\n1:b>{long}\n")
    expect(page.locator("#seen")).to_contain_text("2 items")
    page.route(
        "**/jobs/upload",
        lambda route: route.continue_(
            post_data=route.request.post_data.replace("1:b>", f"1:{long}>")
        ),
    )
    press(page)
    check("#failed")
    page.unroute("**/jobs/upload")
    begin_hard(page, tmp_path)
    check("#running")
    page.get_by_role("button", name="Cancel").click()
    check("#result")
    page.get_by_role("button", name="Show all 250").click()
    expect(page.locator(".picture img")).to_be_visible()
    check("#result")
    context.close()
