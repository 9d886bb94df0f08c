"""The documentation as a site: it builds strictly, loads nothing from elsewhere and is whole."""

from __future__ import annotations

import importlib.util
import os
import posixpath
import re
import shlex
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from urllib.parse import unquote

import click
import pytest

import concordant
from concordant import cli, learn
from concordant.cli.commands import COMMANDS

ROOT = Path(__file__).parent.parent
LINK = re.compile(r"\]\(([^)\s]+)\)")
ELSEWHERE = re.compile(r"^(https?:)?//")


class Page(HTMLParser):
    """What a page loads, its links and anchors, and the text of its paragraphs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.paragraphs: list[str] = []
        self._inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors.add(given.get("id", ""))
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        # The address under which search engines know a page is not loaded.
        loaded = tag == "link" and given.get("rel") != "canonical"
        if loaded or (tag != "a" and "src" in given):
            self.loads.append(given.get("src") or given.get("href", ""))
        if tag == "p":
            self._inside = True
            self.paragraphs.append("")

    def handle_endtag(self, tag: str) -> None:
        self._inside = self._inside and tag != "p"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.paragraphs[-1] += data


def test_the_site_builds_strictly_and_is_whole(tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(site)],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    pages = {
        path.relative_to(site).as_posix(): Page(path.read_text(encoding="utf-8"))
        for path in site.rglob("*.html")
    }
    for source in (ROOT / "docs").rglob("*.md"):
        assert source.relative_to(ROOT / "docs").with_suffix(".html").as_posix() in pages
    check_nothing_comes_from_elsewhere(site, pages)
    check_links(site, pages)
    check_reference_is_complete(pages)
    check_nothing_is_left_as_text(pages)
    assert (site / "search" / "search_index.js").stat().st_size > 10_000


def check_nothing_comes_from_elsewhere(site: Path, pages: dict[str, Page]) -> None:
    for name, page in pages.items():
        assert not [each for each in page.loads if ELSEWHERE.match(each)], name
    for sheet in site.rglob("*.css"):
        found = re.findall(
            r"(?:url\(|@import)\s*['\"]?((?:https?:)?//[^)'\"]*)", sheet.read_text("utf-8")
        )
        assert not found, sheet.name


def check_links(site: Path, pages: dict[str, Page]) -> None:
    """Every link leads to a file and an anchor of the site."""
    wrong = []
    for name, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:|//", link) or name == "404.html":
                continue
            path, _, anchor = unquote(link).partition("#")
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path or "."))
            target = name if not path else target
            there = (site / target).is_file()
            if not there or (anchor and target in pages and anchor not in pages[target].anchors):
                wrong.append((name, link))
    assert not wrong


def check_reference_is_complete(pages: dict[str, Page]) -> None:
    """Every public name has an entry; modules have one for their members."""
    anchors = {
        each
        for name, page in pages.items()
        if name.startswith("reference/")
        for each in page.anchors
    }
    for package in (concordant, learn):
        for name in package.__all__:
            found = getattr(package, name)
            if name != "__version__" and not isinstance(found, ModuleType):
                homes = {package.__name__, getattr(found, "__module__", package.__name__)}
                assert {f"{home}.{name}" for home in homes} & anchors, name
    assert "concordant.stopping.Target" in anchors
    assert "concordant.generate.mallows" in anchors
    assert "concordant.plot.positions" in anchors
    assert "concordant.report.write" in anchors


def check_nothing_is_left_as_text(pages: dict[str, Page]) -> None:
    """A list or table without an empty line before it is one on some sites and text on others."""
    for name, page in pages.items():
        for paragraph in page.paragraphs:
            assert not re.search(r"^(- |1\. |\||>>> |:::|--8<--)", paragraph, re.M), (
                name,
                paragraph,
            )


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_pictures_show_what_the_code_does() -> None:
    draw = load(ROOT / "docs" / "draw.py")
    for name, picture in draw.PICTURES.items():
        drawn = (draw.IMAGES / f"{name}.svg").read_text(encoding="utf-8")
        assert drawn == picture(), f"{name}.svg is old: run `python docs/draw.py` and look at it"


def slugs_of(text: str) -> set[str]:
    """Return the anchors of the headings of a page, as a forge makes them."""
    heads = re.findall(r"^#+ (.*)$", re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.M | re.S), re.M)
    plain = [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", head) for head in heads]
    return {re.sub(r"[^\w\- ]", "", head).strip().lower().replace(" ", "-") for head in plain}


@pytest.mark.parametrize(
    "page",
    [*sorted(ROOT.glob("*.md")), *sorted(ROOT.glob("docs/**/*.md"))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_links_lead_somewhere_in_a_clone(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if ELSEWHERE.match(link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), link
        # Names of the API are anchors on the site only, where the strict build checks them.
        if anchor and not anchor.startswith("concordant."):
            assert anchor in slugs_of(target.read_text(encoding="utf-8")), link


def test_the_reference_can_be_read_without_the_site() -> None:
    make = load(ROOT / "docs" / "reference" / "make.py")
    page = make.PAGE.read_text(encoding="utf-8")
    assert page == make.reference(), "docs/reference/all.md is old: run `make reference`"


def test_all_commands_are_listed_with_an_example() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[`([\w-]+)`\].*\| `concordant (.*)` \|$", page, re.M)
    assert [name for name, _ in listed] == list(COMMANDS)
    for name, example in listed:
        assert example.split()[0] == name
        command = cli.app.get_command(click.Context(cli.app), name)
        assert command is not None
        command.make_context(name, shlex.split(example)[1:], resilient_parsing=False)
