"""The gallery: its scripts run, and its pages show what they do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from test_site import load

FOLDER = Path(__file__).parent.parent / "docs" / "gallery"


make = load(FOLDER / "make.py")
AGAIN = "is old: run `make gallery` and look at its picture"


def rounded(page: str) -> str:
    """Leave numbers with decimals out: they may differ a little with other versions of packages."""
    return re.sub(r"\d+\.\d+", "#", page)


@pytest.mark.parametrize("name", make.SCRIPTS)
def test_a_page_shows_what_its_script_does(name: str) -> None:
    page, pictures = make.page_of(name)
    assert rounded(page) == rounded((FOLDER / f"{name}.md").read_text("utf-8")), f"{name} {AGAIN}"
    for picture in pictures:
        assert (make.IMAGES / picture).stat().st_size < 50_000


def test_all_scripts_are_listed() -> None:
    assert {path.stem for path in FOLDER.glob("*.py")} == {*make.SCRIPTS, "make"}
    assert (FOLDER / "index.md").read_text(encoding="utf-8") == make.index(), f"the list {AGAIN}"
