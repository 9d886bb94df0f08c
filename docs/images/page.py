"""Makes `page.png`, the picture of the page: `python docs/images/page.py`. Needs chromium."""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from concordant.serve.server import running

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

with running() as address, sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
    page = browser.new_page(viewport={"width": 1280, "height": 900}, color_scheme="light")
    page.set_default_timeout(120_000)
    page.goto(address)
    page.get_by_role("button", name="A hiring committee").click()
    page.wait_for_selector(".seen.good")
    page.get_by_role("button", name="Find the consensus").click()
    page.wait_for_selector(".picture img")
    page.get_by_label("Which one").select_option("Noor")
    page.get_by_role("button", name="Show it").click()
    page.wait_for_selector(".moved")
    # The part up to the end of "What if …".
    page.evaluate("() => scrollTo(0, 0)")
    end = page.locator(".changed").bounding_box()
    clip = {"x": 0, "y": 0, "width": 1280, "height": end["y"] + end["height"] + 24}
    page.screenshot(path=Path(__file__).with_name("page.png"), full_page=True, clip=clip)
    browser.close()
