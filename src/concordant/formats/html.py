"""`html`: the tables of a web page, also of one under the name of a spreadsheet.

    <table><caption>12 points is best</caption>
    <tr><th>Judge</th><th>Merlot</th><th>Syrah</th></tr>
    <tr><td>Ann</td><td>12</td><td>10</td></tr></table>

The tables of a page are like the sheets of a workbook.
"""

from __future__ import annotations

import re
from typing import Any

from concordant._reading import options_of
from concordant.errors import InputError
from concordant.formats.common.markup import (
    MOST_DEEP,
    Cell,
    Marked,
    check_columns,
    check_tables,
    read_marked,
    span_of,
)
from concordant.formats.common.registry import LIKELY, NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tags import Flow, Skipped, Tag, scan, tidy
from concordant.rankings import Rankings

_START = re.compile(r"\s*<(?:!doctype\s+html|html|table)\b", re.IGNORECASE)
_TABLE = re.compile(r"<table\b", re.IGNORECASE)
_TABLE_LINE = re.compile(r"^[ \t]*<table\b", re.IGNORECASE | re.MULTILINE)
_ROW = re.compile(r"<t[rdh]\b", re.IGNORECASE)
_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?([\w-]{2,30})""", re.IGNORECASE)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
# Tables that frame a page or sum up its subject.
_FRAMES = frozenset({
    "navbox", "vertical-navbox", "sidebar", "metadata", "ambox", "mbox-small", "toc", "infobox",
})  # fmt: skip
# Paragraphs above a table that may say what its numbers mean.
_MOST_TEXTS = 3
_INSIDE = frozenset({"td", "th", "tr", "table", "caption", "tbody", "thead", "tfoot"})


class _Open:
    """A table that is not closed yet."""

    def __init__(self, page: _Parser, above: _Open | None, *, left_out: bool) -> None:
        self.table = Marked()
        self.left_out = left_out
        self.flow = Flow()
        self.titles: list[str] = (
            page.titles() if above is None else [*above.titles, above.flow.text]
        )
        self.heading = page.heading
        self.foot: list[list[Cell]] = []
        self.section = ""
        self.row: list[Cell] | None = None
        self.cell: tuple[bool, int, int] | None = None
        self.in_caption = False
        # Where a heading in a cell begins.
        self.heading_from: int | None = None
        # A table in a cell: this one only puts it in its place.
        self.is_layout = False

    def end_cell(self) -> None:
        """End a cell, or the caption."""
        if self.in_caption:
            self.table.caption = self.flow.text.replace("\v", " ").replace("\n", " ")
            self.in_caption = False
        elif self.cell is not None and self.row is not None:
            head, columns, rows = self.cell
            check_columns(self.row)
            self.row.append(Cell(self.flow.text, head or self.section == "thead", columns, rows))
        self.cell = None
        self.flow = Flow()

    def end_row(self) -> None:
        """End a row."""
        self.end_cell()
        if self.row is not None:
            (self.foot if self.section == "tfoot" else self.table.rows).append(self.row)
            if self.section == "thead":
                self.table.heads = len(self.table.rows)
        self.row = None

    def is_small(self) -> bool:
        """Return whether the table has one row or one column, so that it holds a text."""
        return len(self.table.rows) < 2 or max(map(len, self.table.rows), default=0) < 2


class _Parser:
    """Collects the tables of a page.

    Attributes:
        tables: The tables, in the order in which they begin.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.tables: list[Marked] = []
        self.heading = ""
        self._levels: dict[str, str] = {}
        self._texts: list[str] = []
        self._open: list[_Open] = []
        self._flow = Flow()
        self._skipped = Skipped()

    def titles(self) -> list[str]:
        """Return the title of the page, the headings and the last texts above a place."""
        self._end_text()
        return [*self._levels.values(), *self._texts]

    def read(self, page: str) -> None:
        """Read a page."""
        for tag in scan(page):
            if self._skipped.name and self._open and self._breaks_out(tag):
                self._skipped.end()
            if self._skipped.takes(tag):
                continue
            if self._open or tag.name == "table":
                self._in_table(tag)
            else:
                self._outside(tag)
        if self._open:
            raise self.source.error(
                "a table is never closed (</table> is missing): the page is damaged, or cut off"
            )

    def _breaks_out(self, tag: Tag) -> bool:
        """Return whether a tag shows that an element in a cell was never closed."""
        return (
            tag.name in _INSIDE
            and tag.name != self._skipped.name
            and (self._skipped.name not in _INSIDE)
        )

    # -- outside of tables -------------------------------------------------------------------

    def _outside(self, tag: Tag) -> None:
        name = tag.name
        if name in _HEADINGS or name == "title":
            before = self._flow.text
            self._flow = Flow()
            if not tag.closes:
                self._keep(before)
            elif before:
                self._levels = {k: v for k, v in self._levels.items() if k < name or k == "title"}
                self._levels[name] = before.replace("\v", " ")
                self._texts = []
                if name != "title":
                    self.heading = self._levels[name]
        elif name in ("p", "div", "section", "body", "head", "ul", "ol"):
            self._end_text()
        else:
            self._flow.add(tag)

    def _end_text(self) -> None:
        text, self._flow = self._flow.text, Flow()
        self._keep(text)

    def _keep(self, text: str) -> None:
        if text:
            self._texts = [*self._texts[1 - _MOST_TEXTS :], tidy(text.replace("\v", " "))]

    # -- inside of tables --------------------------------------------------------------------

    def _in_table(self, tag: Tag) -> None:
        name = tag.name
        if name == "table":
            self._end_table() if tag.closes else self._begin_table(tag)
            return
        top = self._open[-1]
        if name in _HEADINGS and top.cell is not None:
            # A cell that holds a part of the page.
            if tag.closes and top.heading_from is not None:
                top.heading = self.heading = tidy("".join(top.flow.parts[top.heading_from :]))
            top.heading_from = None if tag.closes else len(top.flow.parts)
        if name in ("td", "th"):
            top.end_cell()
            if not tag.closes:
                if top.row is None:
                    top.row = []
                given = tag.attributes
                columns = span_of(given.get("colspan", ""))
                top.cell = name == "th", columns, span_of(given.get("rowspan", ""), rows=True)
        elif name == "tr":
            top.end_row()
            if not tag.closes:
                top.row = []
        elif name in ("thead", "tbody", "tfoot"):
            top.end_row()
            top.section = "" if tag.closes else name
        elif name == "caption":
            top.end_cell()
            top.in_caption = not tag.closes
        elif top.cell is not None or top.in_caption:
            top.flow.add(tag)

    def _begin_table(self, tag: Tag) -> None:
        if len(self._open) >= MOST_DEEP:
            raise self.source.error(f"tables stand in each other more than {MOST_DEEP} deep")
        classes = set(tag.attributes.get("class", "").lower().split())
        frame = not classes.isdisjoint(_FRAMES) or tag.attributes.get("role") == "presentation"
        above = self._open[-1] if self._open else None
        self._open.append(_Open(self, above, left_out=frame))

    def _end_table(self) -> None:
        if not self._open:
            return
        closed = self._open.pop()
        closed.end_row()
        table = closed.table
        table.rows += closed.foot
        if closed.is_small() and self._open and self._open[-1].cell is not None:
            texts = [cell.text for row in table.rows for cell in row]
            self._open[-1].flow.add(Tag("", text=f" {' '.join(texts)} "))
            return
        if self._open:
            self._open[-1].is_layout = True
        if not closed.is_layout and not closed.left_out and not closed.is_small():
            table.titles = closed.titles
            table.caption = table.caption or closed.heading
            self.tables.append(table)
            check_tables(self.tables)
        if not self._open:
            # A paragraph counts for the table right below it only.
            self._texts = []


def read_html(source: Source, *, sheet: Any = None, **given: Any) -> Rankings:
    """Read a table of a web page; `given` are the options of `concordant.read` for tables."""
    _take_encoding(source, given.get("encoding"))
    parser = _Parser(source)
    try:
        parser.read(source.text)
    except InputError as error:
        raise source.error(error) from None
    if not parser.tables:
        raise source.error(
            "a web page, not a table: it has no table with two rows and two columns or more"
        )
    return read_marked(source, "html", parser.tables, sheet, given)


def _take_encoding(source: Source, encoding: str | None) -> None:
    """Read the page in the encoding that it names, unless it is UTF-8."""
    source.encoding = encoding or source.encoding
    if source.encoding is not None:
        return
    named = _CHARSET.search(source.data[:4096])
    if named is None or source.data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return
    try:
        source.data.decode()
    except UnicodeDecodeError:
        import codecs

        try:
            source.encoding = codecs.lookup(named[1].decode()).name
        except LookupError:
            return


def sniff(source: Source) -> int:
    """Recognise a web page by its beginning, and a table in a text by its tags."""
    head = source.data[:4096].lstrip(b"\xef\xbb\xbf \t\r\n")
    if head.startswith(b"<"):
        _take_encoding(source, None)
    text = source.text
    if _START.match(text):
        return SURE
    found = _TABLE.search(text) if text.lstrip()[:1] == "<" else _TABLE_LINE.search(text)
    if found is None or _ROW.search(text, found.end()) is None:
        return NO
    return SURE if text.lstrip()[:1] == "<" else LIKELY


def is_page(source: Source) -> bool:
    """Return whether a file under the name of a spreadsheet is a web page."""
    if source.data[:4096].lstrip(b"\xef\xbb\xbf\xff\xfe \t\r\n\0")[:1] != b"<":
        return False
    try:
        return sniff(source) == SURE and _TABLE.search(source.text) is not None
    except InputError:
        return False


FORMAT = Format(
    "html",
    "the tables of a web page, also under the name of a spreadsheet",
    (".html", ".htm", ".xhtml"),
    read_html,
    sniff=sniff,
    options=options_of("html"),
)
