"""The page asks about a table: preview, roles of columns, questions with buttons."""

from __future__ import annotations

import re

from playwright.sync_api import Page, Route, expect

from browsing import NEEDS_CHROMIUM, check_looks, press, ranking

pytestmark = NEEDS_CHROMIUM
SCORES = "judge,Age,Merlot,Syrah,Pinot\nann,34,85,72,91\nbo,51,90,71,88\nTotal,,175,143,179\n"
ALIKE = "voter,1st,2nd\nx,Blue Kettle,Lantern\ny,Blue Kettle,Lantern\nz,Lantern,blue kettle\n"


def paste(page: Page, text: str) -> None:
    page.get_by_label("Rankings, as text").fill(text)


def cells(page: Page) -> list[str]:
    return page.locator(".sheet tbody td").all_inner_texts()


def test_a_question_is_answered_with_the_keyboard(page: Page) -> None:
    paste(page, SCORES)
    expect(page.locator("#seen")).to_have_text("csv, wide · one question to answer first")
    asked = page.get_by_role("group", name="A question before this can be solved")
    expect(asked.get_by_role("button")).to_have_text(["The highest is best", "The lowest is best"])
    expect(page.get_by_role("button", name="Find the consensus")).to_be_disabled()
    check_looks(page, ".question")
    asked.get_by_role("button", name="The highest is best").focus()
    page.keyboard.press("Enter")
    # The answer can be seen, changed and undone; the focus does not get lost.
    expect(page.locator("#seen")).to_contain_text("csv, wide · 3 items · 2 rankings")
    expect(page.locator("#seen")).to_be_focused()
    expect(page.locator(".sample li")).to_have_text(
        ["ann: Pinot > Merlot > Syrah", "bo: Merlot > Pinot > Syrah"]
    )
    expect(page.get_by_role("radio", name="Highest is best")).to_be_checked()
    expect(page.locator("#values")).to_have_value("scores")
    check_looks(page, ".sample")
    page.get_by_role("radio", name="Highest is best").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".sample li").first).to_have_text("ann: Syrah > Merlot > Pinot")
    expect(page.get_by_role("radio", name="1 is best")).to_be_focused()
    page.get_by_role("button", name=re.compile("Undo Numbers of a table")).press("Enter")
    expect(asked).to_be_visible()
    expect(asked.locator("p")).to_be_focused()


def test_nothing_is_solved_while_a_question_is_open(page: Page) -> None:
    submitted: list[str] = []
    page.route("**/jobs/upload", lambda route: (submitted.append("job"), route.continue_()))
    waiting: list[Route] = []
    page.route("**/recognise/upload", lambda route: waiting.append(route))
    # The button is pressed before the page knows that there is a question.
    paste(page, SCORES)
    page.get_by_label("Rankings, as text").press("Control+Enter")
    while not waiting:
        page.wait_for_timeout(20)
    page.unroute("**/recognise/upload")
    for route in waiting:
        route.continue_()
    expect(page.locator(".question p")).to_be_focused()
    expect(page.get_by_role("button", name="Find the consensus")).to_be_disabled()
    assert not submitted


def test_columns_rows_and_both_ways_round(page: Page) -> None:
    paste(page, SCORES)
    page.get_by_role("button", name="The highest is best").click()
    expect(page.get_by_label("Role of column Age")).to_have_value("")
    assert (
        page.get_by_label("Role of column Age").locator("option").first.inner_text() == "Not used"
    )
    # A total is left out, and can be kept; other rows can be left out.
    page.get_by_role("button", name="Put back row 4").click()
    expect(page.locator("#seen")).to_contain_text("3 rankings")
    page.get_by_role("button", name="Leave out row 4").click()
    page.get_by_role("button", name="Leave out row 2").press("Enter")
    expect(page.locator("#seen")).to_contain_text("1 ranking ")
    expect(page.locator("#skip_rows")).to_have_value("4,2")
    page.get_by_role("button", name="Put back row 2").click()
    expect(page.locator("#seen")).to_contain_text("2 rankings")
    # One column the other way round, one not used.
    page.get_by_label("Role of column Pinot").select_option("reversed")
    expect(page.locator(".sample li").first).to_have_text("ann: Merlot > Syrah > Pinot")
    expect(page.get_by_label("Role of column Pinot")).to_have_value("reversed")
    page.get_by_label("Role of column Pinot").select_option("ignored")
    expect(page.locator("#seen")).to_contain_text("2 items")
    expect(page.locator("#reverse")).to_have_value("")
    page.get_by_label("Role of column Pinot").select_option("")
    expect(page.locator("#seen")).to_contain_text("3 items")
    page.get_by_role("button", name="Swap rows and columns").click()
    expect(page.locator("#seen")).to_contain_text("2 items · 3 rankings")
    swap = page.get_by_role("button", name="Swap rows and columns")
    expect(swap).to_have_attribute("aria-pressed", "true")
    swap.press("Enter")
    expect(page.locator("#seen")).to_contain_text("3 items · 2 rankings")
    expect(swap).to_be_focused()
    press(page)
    assert ranking(page) == ["Pinot", "Merlot", "Syrah"] or ranking(page)[2] == "Syrah"
    # Another text is not read with what was chosen for this one.
    paste(page, "voter,1st,2nd\nx,Ann,Bo\n")
    expect(page.locator("#seen")).to_contain_text("csv, ballots · 2 items · 1 ranking")
    expect(page.locator("#skip_rows")).to_have_value("")
    expect(page.locator(".chip")).to_have_count(0)


def test_the_role_of_a_column_is_a_menu(page: Page) -> None:
    paste(page, "a,b,c\nx,tea,1\nx,milk,2\ny,milk,1\ny,tea,2\nz,milk,1\nz,tea,2\n")
    expect(page.get_by_label("Role of column a")).to_be_visible()
    for column, role in (("a", "voter"), ("b", "item"), ("c", "rank")):
        page.get_by_label(f"Role of column {column}").select_option(role)
    expect(page.locator("#seen")).to_contain_text("csv, long · 2 items · 3 rankings")
    page.get_by_label("Role of column c").select_option("score")
    expect(page.locator(".sample li").first).to_have_text("x: milk > tea")
    expect(page.locator("#rank")).to_have_value("")
    page.get_by_role("button", name="Undo all").press("Enter")
    expect(page.locator("#voter")).to_have_value("")


def test_names_are_merged_with_a_button(page: Page) -> None:
    paste(page, ALIKE)
    expect(page.locator(".notes .warning").first).to_contain_text("names that look alike")
    check_looks(page, ".notes")
    page.get_by_role("button", name="Read each group as one item").click()
    expect(page.locator("#seen")).to_contain_text("2 items · 3 rankings")
    expect(page.locator(".notes .warning")).to_have_count(0)


def test_a_table_that_is_refused_is_shown(page: Page) -> None:
    hostile = "<script src x"
    paste(page, f"a,a,{hostile},d\nx,y,z,w\n1,q,{hostile},2\n")
    expect(page.locator("#seen")).to_contain_text("No layout fits the columns")
    assert cells(page) == ["x", "y", "z", "w", "1", "q", hostile, "2"]
    helps = page.get_by_role("group", name="What would help")
    expect(helps.get_by_role("button")).to_have_count(3)
    check_looks(page, ".helps")
    helps.get_by_role("button", name=re.compile("ballots")).click()
    expect(page.locator("#layout")).to_have_value("ballots")
    assert page.locator(".sheet script").count() == 0
    paste(page, "")
    expect(page.locator(".sheet")).to_have_count(0)
