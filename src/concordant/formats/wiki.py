"""`wiki`: the tables of a page of MediaWiki, such as Wikipedia.

    {| class="wikitable"
    ! Judge !! Merlot !! Syrah
    |-
    | Ann || 12 || 10
    |}

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
from concordant.formats.common.tags import text_of
from concordant.rankings import Rankings

_BEGIN = re.compile(r"^[ \t:*]*\{\|", re.MULTILINE)
_INSIDE = re.compile(r"^\s*(?:\|-|\|\}|!)", re.MULTILINE)
_HEADING = re.compile(r"(={1,6})\s*(.+?)\s*\1\s*")
_LINK = re.compile(r"\[\[([^\[\]]*)\]\]")
_OUTWARD = re.compile(r"\[(?:https?:)?//[^\s\[\]]+(?:\s([^\[\]]*))?\]")
# Links to pictures and categories, in the languages of large Wikipedias.
_FILE = re.compile(
    r"\s*(?:file|image|category|media|datei|bild|kategorie|fichier|catégorie|archivo|imagen|categoría"
    r"|immagine|categoria|bestand|afbeelding|categorie|ficheiro|imagem|plik|kategoria|soubor|fil)\s*:",
    re.IGNORECASE,
)
_BOLD = re.compile("'{2,5}")
_SPAN = re.compile(r"""\b(col|row)span\s*=\s*["']?\s*(\+?\d+)""", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none", re.IGNORECASE)
_MOST_TEXTS = 3

# Templates that show a picture, a source or a remark.
_DROPPED = re.compile(
    r"flag ?icon.*|flagdeco|fb|fbicon|cr|ref.*|refn|efn.*|sfn.*|note.*|citation.*|cite.*|cn|fact|0|"
    r"increase|decrease|steady|profit|loss|arrow.*|clear|anchor|ref label|dagger|double.?dagger|"
    r"sort ?key|hs|hidden ?sort.*|nbsp|spaces|pad|color box|legend.*|icon.*|zwnj|up|down|same",
    re.IGNORECASE,
)
# Templates whose second text is shown, and those whose texts all are.
_SECOND = re.compile(
    r"sort|colou?r|font ?colou?r|abbrlink|lang|hl|ntsh?|text ?colou?r|background.*", re.IGNORECASE
)
_ALL = re.compile(r"sortname|ubl|unbulleted list|plainlist|ill|br separated entries", re.IGNORECASE)
_WORDS = {
    "gold1": "1", "silver2": "2", "bronze3": "3", "gold medal": "1", "silver medal": "2",
    "bronze medal": "3", "gold01": "1", "silver02": "2", "bronze03": "3", "goldmedaille": "1",
    "silbermedaille": "2", "bronzemedaille": "3", "!": "|", "!!": "||", "snd": " – ",
    "dash": "–", "ndash": "–", "mdash": "—", "n/a": "–", "na": "–", "–": "–", "—": "—",
    "yes": "Yes", "no": "No", "won": "Won", "nom": "Nominated", "tick": "✓", "cross": "✗",
    "ya": "✓", "na ": "✗", "check": "✓", "·": "·", "pm": "±", "=": "=",
}  # fmt: skip


class _Table:
    """A table that is not closed yet."""

    def __init__(self, titles: list[str], heading: str) -> None:
        self.table = Marked(titles=titles)
        self.heading = heading
        self.row: list[Cell] | None = None
        # The parts of the cell, or of the caption, that is not closed yet.
        self.parts: list[str] | None = None
        self.head = self.hidden = False
        self.in_caption = False
        self.spans = (1, 1)

    def end_cell(self) -> None:
        """End a cell, or the caption."""
        if self.parts is None:
            return
        text = plain_text("\n".join(self.parts))
        if self.in_caption:
            self.table.caption = text.replace("\v", " ")
        elif not self.hidden:
            if self.row is None:
                self.row = []
            check_columns(self.row)
            self.row.append(Cell(text, self.head, *self.spans))
        self.parts, self.in_caption = None, False

    def end_row(self) -> None:
        """End a row."""
        self.end_cell()
        if self.row:
            self.table.rows.append(self.row)
        self.row = None

    def begin_cell(self, text: str, *, head: bool) -> None:
        """Begin a cell: its attributes, a bar, its text."""
        self.end_cell()
        given, bar, rest = text.partition("|")
        attributes, text = (given, rest) if bar else ("", text)
        spans = {"col": 1, "row": 1}
        for kind, number in _SPAN.findall(attributes):
            spans[kind.lower()] = span_of(number, rows=kind.lower() == "row")
        self.head, self.hidden = head, bool(_HIDDEN.search(attributes))
        self.spans = spans["col"], spans["row"]
        self.parts = [text]


def plain_text(markup: str) -> str:
    """Return the text of a piece of a page."""
    lines = [re.sub(r"^[*#:;]+\s*", "<li>", line) for line in markup.split("\n")]
    return text_of(_BOLD.sub("", "\n".join(lines)))


def resolved(page: str) -> str:
    """Return a page without comments, sources, templates and the targets of links.

    Example:
        >>> resolved("{{flagicon|GER}} [[Ann Lee|Ann]]<ref>x</ref> {{nowrap|12 points}}")
        ' Ann 12 points'
    """
    page = _without_elements(page)
    page = _without_templates(page)
    for _ in range(3):
        page = _LINK.sub(_linked, page)
    return _OUTWARD.sub(lambda match: match[1] or "", page)


def _linked(match: re.Match[str]) -> str:
    target, bar, text = match[1].partition("|")
    if _FILE.match(target):
        return ""
    return text.rpartition("|")[2] if bar and text else target.lstrip(":")


_ELEMENT = re.compile(r"<!--|<ref\b|<nowiki>|<math\b|<gallery\b", re.IGNORECASE)
_ENDS = {"<!--": "-->", "<ref": "</ref>", "<nowiki>": "</nowiki>"}


def _without_elements(page: str) -> str:
    """Leave out comments and sources; text between nowiki tags has no bars."""
    parts: list[str] = []
    place = 0
    lower = page.lower()
    missing: set[str] = set()
    while match := _ELEMENT.search(page, place):
        kind = match[0].lower()
        parts.append(page[place : match.start()])
        end = page.find(">", match.end())
        if kind == "<ref" and end > 0 and page[end - 1] == "/":
            place = end + 1
            continue
        mark = _ENDS.get(kind, f"</{kind[1:]}>")
        close = -1 if mark in missing else lower.find(mark, match.end())
        if close < 0:
            missing.add(mark)
            place = match.end()
            continue
        if kind == "<nowiki>":
            parts.append(page[match.end() : close].replace("|", "&#124;"))
        elif kind == "<math":
            parts.append(page[end + 1 : close].replace("|", " "))
        place = close + len(mark)
    parts.append(page[place:])
    return "".join(parts)


_BRACES = re.compile(r"\{\{|\}\}|\{\||\|\}")


def _without_templates(page: str) -> str:
    """Replace templates by their text, the inner ones first."""
    stack: list[list[str]] = [[]]
    place = 0
    for match in _BRACES.finditer(page):
        stack[-1].append(page[place : match.start()])
        place = match.end()
        mark = match[0]
        if mark == "{{" and not page.startswith("{{|", match.start()):
            if len(stack) > MOST_DEEP:
                raise InputError(f"templates stand in each other more than {MOST_DEEP} deep")
            stack.append([])
        elif mark == "}}" and len(stack) > 1:
            inside = "".join(stack.pop())
            stack[-1].append(_template(inside))
        elif mark == "|}" and page.startswith("}", match.end()) and len(stack) > 1:
            # An empty last part: {{name|}}.
            inside = "".join(stack.pop()) + "|"
            stack[-1].append(_template(inside))
            place += 1
        else:
            stack[-1].append(mark)
    stack[-1].append(page[place:])
    while len(stack) > 1:
        parts = stack.pop()
        stack[-1] += ["{{", *parts]
    return "".join(stack[0])


def _template(inside: str) -> str:
    """Return the text that a template shows, as far as its name and its parts say it."""
    # A link has a bar too.
    inside = _LINK.sub(lambda match: _linked(match).replace("|", " "), inside)
    name, *parts = inside.split("|")
    name = " ".join(name.replace("_", " ").split())
    values = [part.strip() for part in parts if not re.match(r"\s*[\w -]+=", part)]
    named = dict(part.split("=", 1) for part in parts if re.match(r"\s*[\w -]+=", part))
    values += [v.strip() for k, v in named.items() if k.strip() in ("1", "2")]
    values = [value for value in values if value]
    word = _WORDS.get(name.casefold())
    if word is not None and (not values or len(word) == 1):
        return word
    if _DROPPED.fullmatch(name) or not values:
        return ""
    if _ALL.fullmatch(name):
        return " ".join(values[:2]) if name.casefold() == "sortname" else "<br>".join(values)
    if _SECOND.fullmatch(name):
        return values[1] if len(values) > 1 else values[0]
    return values[0]


def _tables(page: str) -> list[Marked]:
    """Return the tables of a page."""
    found: list[Marked] = []
    opened: list[_Table] = []
    levels: dict[int, str] = {}
    texts: list[str] = []
    for line in resolved(page).split("\n"):
        text = line.strip()
        mark = text.lstrip(":*")[:2]
        if mark == "{|":
            if len(opened) >= MOST_DEEP:
                raise InputError(f"tables stand in each other more than {MOST_DEEP} deep")
            name = levels[max(levels)] if levels else ""
            opened.append(_Table([*levels.values(), *texts], name))
        elif not opened:
            heading = _HEADING.fullmatch(text) if text[:1] == "=" and len(text) < 500 else None
            if heading:
                depth = len(heading[1])
                levels = {k: v for k, v in levels.items() if k < depth}
                levels[depth] = plain_text(heading[2])
                texts = []
            elif text:
                texts = [*texts[1 - _MOST_TEXTS :], plain_text(text).replace("\v", " ")]
        elif mark == "|}":
            closed = opened.pop()
            closed.end_row()
            closed.table.caption = closed.table.caption or closed.heading
            if any(len(row) > 1 for row in closed.table.rows):
                found.append(closed.table)
                check_tables(found)
            if not opened:
                texts = []
        else:
            _read_line(opened[-1], text, mark)
    if opened:
        raise InputError("a table is never closed (|} is missing): the text may be cut off")
    return found


def _read_line(table: _Table, text: str, mark: str) -> None:
    """Read a line of a table."""
    if mark == "|-":
        table.end_row()
    elif mark == "|+":
        table.begin_cell(text[2:], head=False)
        table.in_caption = True
    elif mark[:1] == "!":
        for cell in re.split(r"!!|\|\|", text[1:]):
            table.begin_cell(cell, head=True)
    elif mark[:1] == "|":
        for cell in text[1:].split("||"):
            table.begin_cell(cell, head=False)
    elif table.parts is not None:
        table.parts.append(text)


def read_wiki(source: Source, *, sheet: Any = None, **given: Any) -> Rankings:
    """Read a table of a wiki page; `given` are the options of `concordant.read` for tables."""
    source.encoding = given.get("encoding") or source.encoding
    try:
        tables = _tables(source.text)
    except InputError as error:
        raise source.error(error) from None
    if not tables:
        raise source.error("a wiki page without a table: a table begins with {| in a line")
    return read_marked(source, "wiki", tables, sheet, given)


def sniff(source: Source) -> int:
    """Recognise the marks of a table: `{|`, and rows or header cells below it."""
    found = _BEGIN.search(source.text)
    if found is None or _INSIDE.search(source.text, found.end()) is None:
        return NO
    return SURE if "\n|-" in source.text or "\n!" in source.text else LIKELY


FORMAT = Format(
    "wiki",
    "the tables of a page of MediaWiki, such as Wikipedia",
    (".wiki", ".mediawiki"),
    read_wiki,
    sniff=sniff,
    options=options_of("wiki"),
)
