"""The tags of web pages, and their texts.

The parser of the standard library takes minutes for some damaged pages of a megabyte. This scanner
visits each character a few times, whatever the page holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import NamedTuple

from concordant.formats.common.markup import BREAK
from concordant.reading.marks import script

_OPENING = re.compile(r"</?[A-Za-z]|<[!?]")
_NAME = re.compile(r"[A-Za-z][^\s/>]{0,40}")
_STOP = re.compile("[\"'>]")
_ATTRIBUTE = re.compile(
    r"""([^\s"'<>/=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'<>]+)))?""", re.DOTALL
)
# The text of these is no markup.
_RAW = frozenset({"script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"})
VOID = frozenset({
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source",
    "track", "wbr", "command", "keygen",
})  # fmt: skip
# Their content is not shown.
_LEFT_OUT = frozenset({
    "script", "style", "template", "noscript", "svg", "select", "datalist", "textarea", "iframe",
    "object", "annotation",
})  # fmt: skip
_BLOCKS = frozenset({
    "p", "div", "dl", "dt", "dd", "ul", "ol", "blockquote", "section", "article", "h1", "h2",
    "h3", "h4", "h5", "h6", "hr", "center", "form", "tr", "td", "th",
})  # fmt: skip
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)
_HIDDEN_CLASSES = frozenset({
    "reference", "mw-editsection", "sr-only", "visually-hidden", "screen-reader-text", "sortkey",
    "mw-ref",
})  # fmt: skip
# Longer tags hold pictures and the like.
_LONGEST_TAG = 20_000


class Tag(NamedTuple):
    """A tag of a page, or a text between tags.

    Attributes:
        name: The name of the tag in lower case; "" for a text.
        closes: Whether it is an end tag.
        attributes: The attributes of a start tag.
        text: The text.
    """

    name: str
    closes: bool = False
    attributes: dict[str, str] = {}  # noqa: RUF012 - never changed
    text: str = ""


def scan(page: str) -> Iterator[Tag]:
    r"""Yield the tags and the texts of a page; comments and scripts are left out.

    Example:
        >>> [tag.name or tag.text for tag in scan("<p>A &amp; B<br/>C")]
        ['p', 'A & B', 'br', 'C']
    """
    place, end = 0, len(page)
    # Marks that do not occur any more.
    missing: set[str] = set()

    def find(mark: str, start: int) -> int:
        if mark in missing:
            return -1
        found = page.find(mark, start)
        if found < 0:
            missing.add(mark)
        return found

    raw_ends: dict[str, re.Pattern[str]] = {}
    text_from = 0
    while match := _OPENING.search(page, place):
        start = match.start()
        if page[start + 1] in "!?":
            comment = page.startswith("<!--", start)
            marked = page.startswith("<![CDATA[", start)
            mark = "-->" if comment else "]]>" if marked else ">"
            close = find(mark, start + (4 if comment else 2))
            if start > text_from:
                yield Tag("", text=unescape(page[text_from:start]))
            place = text_from = end if close < 0 else close + len(mark)
            continue
        close = _end_of_tag(page, match.end(), find)
        if close < 0:
            break
        if start > text_from:
            yield Tag("", text=unescape(page[text_from:start]))
        closes = page[start + 1] == "/"
        named = _NAME.match(page, start + 1 + closes)
        name = named[0].lower() if named else ""
        inside = page[named.end() if named else start + 1 : close]
        place = text_from = close + 1
        yield Tag(name, closes, {} if closes else _attributes(inside))
        if name in _RAW and not closes:
            pattern = raw_ends.setdefault(name, re.compile(f"</{name}", re.IGNORECASE))
            last = None if name in missing else pattern.search(page, place)
            if last is None:
                # Never closed: what follows is markup, as a browser reads an unknown tag.
                missing.add(name)
                continue
            if name in ("title", "textarea"):
                yield Tag("", text=unescape(page[place : last.start()]))
            place = text_from = last.start()
    if text_from < end:
        yield Tag("", text=unescape(page[text_from:end]))


def _end_of_tag(page: str, place: int, find: object) -> int:
    """Return where the > of a tag stands; one between quotation marks does not count."""
    while match := _STOP.search(page, place):
        if match[0] == ">":
            return match.start()
        before = page[max(place - 1, match.start() - 20) : match.start()].rstrip()
        close = find(match[0], match.end()) if before.endswith("=") else -1  # type: ignore[operator]
        place = match.end() if close < 0 else close + 1
    return -1


def _attributes(text: str) -> dict[str, str]:
    if not text or text.isspace():
        return {}
    found: dict[str, str] = {}
    for name, double, single, bare in _ATTRIBUTE.findall(text[:_LONGEST_TAG]):
        found.setdefault(name.lower(), unescape(double or single or bare))
    return found


def is_hidden(tag: Tag) -> bool:
    """Return whether the content of a tag is not shown."""
    if tag.name in _LEFT_OUT:
        return True
    given = tag.attributes
    if not given:
        return False
    if "hidden" in given or _HIDDEN_STYLE.search(given.get("style", "")):
        return True
    return not _HIDDEN_CLASSES.isdisjoint(given.get("class", "").split())


class Flow:
    """Text that is collected from tags, as a reader of the page sees it."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._raised: list[tuple[str, int]] = []
        self._picture = ""

    def add(self, tag: Tag) -> None:
        """Add a tag or a text."""
        name = tag.name
        if not name:
            self.parts.append(re.sub(r"\s+", " ", tag.text) if "\n" in tag.text else tag.text)
        elif name == "br":
            self.parts.append(BREAK)
        elif name == "li":
            self.parts.append(" " if tag.closes else "\n")
        elif name in ("sup", "sub"):
            if not tag.closes:
                self._raised.append((name, len(self.parts)))
            elif self._raised:
                kind, start = self._raised.pop()
                inside = "".join(self.parts[start:])
                del self.parts[start:]
                before = "".join(self.parts[-4:])
                self.parts.append(script(before, inside, raised=kind == "sup"))
        elif name == "img" and not self._picture:
            self._picture = tag.attributes.get("alt", "")
        elif name in _BLOCKS:
            self.parts.append(" ")

    @property
    def text(self) -> str:
        """The text; of a cell with only a picture, the text for it."""
        found = tidy("".join(self.parts))
        return found or tidy(self._picture)


def tidy(text: str) -> str:
    """Return a text with single blanks, and without empty lines."""
    if "\n" not in text and BREAK not in text:
        return " ".join(text.split())
    parts = re.split(f"([\n{BREAK}])", text)
    found = ""
    mark = ""
    for part in parts:
        if part in ("\n", BREAK):
            mark = "\n" if "\n" in (mark, part) else part
        elif words := " ".join(part.split()):
            found += (mark if found else "") + words
            mark = ""
    return found


def text_of(markup: str) -> str:
    r"""Return the text of a piece of a page.

    Example:
        >>> text_of('<b>91</b><sup class="reference">[1]</sup> &plusmn; 2')
        '91 ± 2'
    """
    if "<" not in markup and "&" not in markup:
        return tidy(markup)
    flow, skipped = Flow(), Skipped()
    for tag in scan(markup):
        if not skipped.takes(tag):
            flow.add(tag)
    return flow.text


class Skipped:
    """Whether a tag lies inside an element that is not shown."""

    def __init__(self) -> None:
        self.name, self._depth = "", 0

    def takes(self, tag: Tag) -> bool:
        """Return whether a tag is not shown, or begins or ends an element that is not."""
        if self.name:
            if tag.name == self.name:
                self._depth += -1 if tag.closes else 1
                if self._depth == 0:
                    self.name = ""
            return True
        if tag.closes or not tag.name or tag.name in VOID or not is_hidden(tag):
            return tag.name in VOID and not tag.closes and is_hidden(tag)
        self.name, self._depth = tag.name, 1
        return True

    def end(self) -> None:
        """End the element that is not shown: its end tag is missing."""
        self.name, self._depth = "", 0
