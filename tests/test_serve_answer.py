"""The answer on the page: who is first, ties, majorities that were overruled, what to take away."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

import concordant.serve
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


def solve_hiring(page: Page) -> None:
    page.get_by_role("button", name="A hiring committee").click()
    expect(page.locator("#seen")).to_contain_text("6 items")
    press(page)
    expect(page.locator(".headline")).to_have_text("Iris wins.")


def focused(page: Page) -> str:
    text: str = page.evaluate("() => document.activeElement.textContent")
    return text


def test_how_firm_voters_rules_and_one_item(page: Page) -> None:
    solve_hiring(page)
    expect(page.locator(".firm")).to_contain_text("One more voter could change who wins")
    expect(page.locator(".firm")).to_contain_text(re.compile(r"Iris is first in \d+ of 100"))
    expect(page.locator(".overruled li")).to_contain_text(
        "Leo beats Iris 4 to 3 in direct comparison, but is placed behind"
    )
    voters = page.get_by_role("region", name="The voters")
    expect(voters).to_contain_text("Eva disagrees most: on 4 of 15 pairs.")
    expect(voters.locator("li")).to_have_count(7)
    rules = page.get_by_role("region", name="Other voting rules").locator("li")
    expect(rules.first).to_contain_text("tied for first: Iris, Noor, Leo")
    expect(rules.first).to_contain_text("It counts first places only")
    expect(rules.last).to_have_text("Schulzethe same order")
    # Pointing at an item shows its battles and voters, and so does moving to it by the keyboard.
    one = page.locator(".one")
    expect(one).to_contain_text("Iris wins 4, loses 1 in direct comparison")
    item = page.get_by_role("group", name="Which item")
    item.get_by_role("button", name="Mara").hover()
    expect(one).to_contain_text("Mara wins 2, loses 3")
    item.get_by_role("button", name="Mara").focus()
    page.keyboard.press("Tab")
    expect(one).to_contain_text("Otto wins 1, loses 4")
    expect(one.locator(".battles li").first).to_have_text("loses to Iris0 to 7")
    page.locator(".ranking").get_by_role("button", name="Leo").press("Enter")
    expect(one).to_contain_text("Leo wins 4, loses 1")
    expect(one.locator(".by-place")).to_contain_text("1 Cas, Fay")
    assert focused(page) == "Leo"
    page.locator(".counting summary").press("Enter")
    expect(page.locator(".counting")).to_contain_text("the Kemeny rule")
    check_looks(page, ".one")


def test_what_if_beside_the_result(page: Page) -> None:
    solve_hiring(page)
    own = page.url
    change = page.get_by_label("Suppose that")
    page.get_by_label("Which one").select_option("Noor")
    page.get_by_role("button", name="Show it").press("Enter")
    changed = page.locator(".changed")
    expect(changed.locator(".headline")).to_have_text("Leo wins.")
    expect(changed.locator("li").first).to_have_text("1Leoup 1")
    expect(changed).to_contain_text("2 items move.")
    expect(page.locator("#result > .headline")).to_have_text("Iris wins.")
    change.select_option("before")
    page.get_by_label("Which one").select_option("Pia")
    page.locator(".change select").nth(2).select_option("Otto")
    page.get_by_role("button", name="Show it").click()
    expect(changed).to_contain_text("Leo is first under your rules.")
    expect(changed).to_contain_text("The rules cost")
    check_looks(page, ".changed .ranking")
    page.get_by_role("button", name="Take back: without Noor").press("Enter")
    expect(changed).to_contain_text("Iris is first under your rules.")
    page.get_by_role("button", name="Take back: Pia before Otto").click()
    expect(changed).to_be_hidden()
    # A contradiction is told, and the result stays.
    for kind in ("first", "last"):
        change.select_option(kind)
        page.get_by_label("Which one").select_option("Mara")
        page.get_by_role("button", name="Show it").click()
    expect(changed.locator(".problem")).to_contain_text("contradict each other")
    page.get_by_role("button", name="Undo all").click()
    page.get_by_role("button", name="What if Eva had not voted?").press("Enter")
    expect(changed.locator("li")).to_have_count(6)
    assert page.url == own
    changed.get_by_role("link", name="Open as a result of its own").click()
    expect(page.locator(".note")).to_have_text("Left out: Eva.")
    expect(page.get_by_role("link", name="Download the rankings")).to_be_visible()
    assert page.url != own


def test_what_to_take_away(page: Page, tmp_path: Path) -> None:
    solve_hiring(page)
    page.get_by_label("Title of the report").fill("Hiring & more")
    page.get_by_label("Date").fill("3 May 2026")
    report = page.get_by_role("link", name="Download the report")
    given = parse_qs(urlsplit(report.get_attribute("href") or "").query)
    assert given == {"title": ["Hiring & more"], "date": ["3 May 2026"]}
    for name, start in (("XLSX", b"PK"), ("proof", b"{"), ("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as waiting:
            page.get_by_role("link", name=name).press("Enter")
        waiting.value.save_as(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy as text").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("() => navigator.clipboard.readText()")
    assert copied.splitlines()[:2] == ["1. Iris", "2. Noor"]
    # Printed, the page is the result alone.
    page.emulate_media(media="print")
    for part in ("#input", ".downloads", ".change", "footer"):
        expect(page.locator(part).first).to_be_hidden()
    expect(page.locator(".ranking").first).to_be_visible()


def test_several_files_and_samples(page: Page, tmp_path: Path) -> None:
    paths = [tmp_path / f"{name}.txt" for name in ("ann", "bo", "日本")]
    for path in paths:
        path.write_text("قهوة\n茶\nMilk\n", encoding="utf-8")
    page.set_input_files("#file", paths)
    expect(page.locator("#chosen-name")).to_contain_text("3 files, one for each voter")
    expect(page.locator("#seen")).to_contain_text("3 items · 3 rankings")
    expect(page.locator(".sample")).to_contain_text("日本")
    press(page)
    assert ranking(page) == ["قهوة", "茶", "Milk"]
    expect(page.locator(".firm")).to_contain_text("It would take 3 more voters to change who wins")
    expect(page.locator(".picture img")).to_be_visible()
    check_looks(page, ".headline")
    page.get_by_text("Samples of each layout").press("Enter")
    expect(page.locator(".samples li")).to_have_count(8)
    link = page.get_by_role("link", name="Download: A row for each battle")
    with page.expect_download() as waiting:
        link.click()
    assert waiting.value.suggested_filename == "sample-battles.csv"
    page.get_by_role("button", name="Try it: A matrix of counts").press("Enter")
    expect(page.locator("#seen")).to_contain_text("csv, matrix · 3 items")
    expect(page.locator("#outdated")).to_be_visible()
    (tmp_path / "tea.lop").write_text("3\n0 1 1\n2 0 1\n5 4 0\n")
    page.set_input_files("#file", tmp_path / "tea.lop")
    expect(page.locator("#seen")).to_contain_text("3 items · a matrix")
    press(page)
    # Without voters there is nothing to say about them.
    expect(page.locator(".headline")).to_have_text("3 wins.")
    expect(page.locator(".firm, .voters, .rules, .change")).to_have_count(0)
    check_looks(page, ".headline")


STATIC = Path(concordant.serve.__file__).parent / "static"
SCRIPTS = sorted(
    path.name for path in STATIC.glob("*.js") if path.name not in ("words.js", "login.js")
)


@pytest.mark.parametrize("script", SCRIPTS)
def test_words_of_the_page_are_in_one_file(script: str) -> None:
    text = re.sub(r"^\s*//.*$", "", (STATIC / script).read_text(encoding="utf-8"), flags=re.M)
    literals = re.findall(r'"([^"\n]*)"|`([^`]*)`', text)
    said = [one or other for one, other in literals]
    # Three words, or a capital letter and two.
    words = [each for each in said if re.search(r"[a-z] [a-z]+ [a-z]|^[A-Z][a-z]+ [a-z]", each)]
    assert [each for each in words if not each.startswith("concordant verify")] == []
