"""The answer on the page: who is first, ties, majorities that were overruled, what to take away."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect

from browsing import NEEDS_CHROMIUM, check_looks, press, ranking

pytestmark = NEEDS_CHROMIUM
CIRCLE = "1:Rock>Scissors>Paper\n1:Scissors>Paper>Rock\n1:Paper>Rock>Scissors\n"


def paste(page: Page, text: str) -> None:
    page.get_by_label("Rankings, as text").fill(text)


def test_a_tie_for_first_and_an_old_result(page: Page, tmp_path: Path) -> None:
    paste(page, CIRCLE)
    press(page)
    first = "Three-way tie for first: Rock, Scissors and Paper."
    expect(page.locator(".headline")).to_have_text(first)
    expect(page.locator(".ranking .place")).to_have_text(["1=", "1=", "1="])
    expect(page.locator(".overruled li")).to_have_text(
        "Scissors beats Paper 2 to 1 in direct comparison, but is placed behind, "
        "because Paper beats Rock, Rock beats Scissors."
    )
    expect(page.locator("#spoken")).to_contain_text(first)
    check_looks(page, ".headline")
    expect(page.locator("#outdated")).to_be_hidden()
    paste(page, "2:=Rock()>Paper\n1:Paper>=Rock()\n")
    expect(page.locator("#outdated")).to_be_visible()
    expect(page.locator(".headline")).to_have_text(first)
    paste(page, 'voter,1st,2nd\nx,"=Rock(""a"")",Paper\n')
    expect(page.locator("#seen")).to_contain_text("2 items")
    press(page)
    expect(page.locator(".headline")).to_have_text('=Rock("a") wins.')
    expect(page.locator("#outdated")).to_be_hidden()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="Download as CSV").press("Enter")
    waiting.value.save_as(tmp_path / "ranking.csv")
    # No spreadsheet takes a name for a formula.
    lines = (tmp_path / "ranking.csv").read_text().splitlines()
    assert lines == ["place,item", '1,"\'=Rock(""a"")"', '2,"Paper"']


def test_an_answer_with_ties(page: Page) -> None:
    paste(page, CIRCLE + "3:Rock=Scissors>Paper\n")
    page.get_by_label("Allow ties in the answer").press("Space")
    page.get_by_label("How firm is it?").press("Space")
    check_looks(page, "#tie-fields")
    press(page)
    expect(page.locator(".tiers .place")).to_have_text(["1–2", "3"])
    assert {text.split("\n")[0] for text in ranking(page)[:2]} == {"Rock", "Scissors"}
    expect(page.locator(".headline")).to_contain_text("Two-way tie for first")
    expect(page.get_by_role("link", name="Download the report")).to_be_visible()
    expect(page.locator(".tiers small").first).to_contain_text("place")
    expect(page.locator(".picture img")).to_be_visible()
    check_looks(page, ".tiers")
    page.get_by_label("Number of tiers, or their sizes").fill("nonsense")
    press(page)
    expect(page.locator("#refused")).to_contain_text("tiers")
