r"""`latex`: the tables of a text in LaTeX.

    \begin{tabular}{lrr}
    Judge & Merlot & Syrah \\ \midrule
    Ann & 12 & 10 \\
    \end{tabular}

Several tables of a text are like the sheets of a workbook.
"""

from __future__ import annotations

import re
from itertools import accumulate
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
from concordant.rankings import Rankings
from concordant.reading.grid import LONGEST_CELL
from concordant.reading.marks import without_latex

# The environments of tables, with the number of arguments in braces.
_TABLES = {
    "tabular": 1, "longtable": 1, "array": 1, "tabu": 1, "longtabu": 1, "supertabular": 1,
    "xtabular": 1, "NiceTabular": 1, "NiceArray": 1, "tblr": 1, "longtblr": 1, "deluxetable": 1,
    "tabular*": 2, "tabularx": 2, "tabulary": 2, "xltabular": 2, "tabularew": 1,
}  # fmt: skip
_KINDS = "|".join(map(re.escape, sorted(_TABLES, key=len, reverse=True)))
_BEGIN = re.compile(rf"^[^%\n\"']*?\\begin\s?\{{(?:{_KINDS})\}}", re.MULTILINE)
_COMMENT = re.compile(r"((?:^|[^\\])(?:\\\\)*)%[^\n]*", re.MULTILINE)
_ENVIRONMENT = re.compile(r"\\(begin|end)\s?\{([A-Za-z]+\*?)\}")
_SECTION = re.compile(r"\\(chapter|section|subsection|subsubsection|paragraph|title)\*?\s?\{")
_CAPTION = re.compile(
    r"\\(?:caption|captionof\s?\{table\}|tablecaption|topcaption)\*?\s?(?:\[[^\]]*\])?\s?\{"
)
# What separates cells and rows, and what stands between rows.
_TOKEN = re.compile(
    r"\\\\\*?(?:[ \t]*\[[^\]]{0,40}\])?|\\tabularnewline(?![A-Za-z])"
    r"|\\(?:begin|end)\s?\{[^{}]{0,40}\}"
    r"|\\(?:end(?:first)?head|end(?:last)?foot)(?![A-Za-z])"
    r"|\\(?:hline|toprule|midrule|bottomrule|addlinespace|hhline|cmidrule|cline|specialrule"
    r"|firsthline|lasthline|Xhline|hdashline|cdashline|morecmidrules|noalign|tabucline|arrayrulecolor"
    r"|rowcolor|rowfont|SetRow|centering|pagebreak|nopagebreak|label|caption)(?![A-Za-z])\*?"
    r"|\\[^A-Za-z]|[{}&]",
    re.DOTALL,
)
_FULL_RULES = ("\\hline", "\\midrule", "\\firsthline", "\\Xhline", "\\hdashline", "\\specialrule")
_WITH_TEXT = ("\\caption", "\\label", "\\noalign")
_ARGUMENTS = re.compile(r"[ \t]*(?:\([^()]{0,20}\)|\[[^\[\]]{0,60}\]|\{[^{}]{0,200}\})")
_SPANNING = re.compile(r"\s*\\(multicolumn|multirow|Block|SetCell)\*?\s?")
_MOST_TEXT = 600
# Where the heading above a table is looked for.
_FAR = 20_000
_FLOATS = frozenset({"table", "table*", "wraptable", "sidewaystable", "threeparttable", "frame"})


class _Reader:
    """Collects the tables of a text.

    Attributes:
        tables: The tables.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tables: list[Marked] = []
        self._pairs = _environments(text)
        self._floats = [pair for pair in self._pairs if pair[4] in _FLOATS]

    def read(self) -> None:
        """Read the tables that stand in no other table."""
        last = 0
        for begin, inside, end, after, name in self._pairs:
            if name not in _TABLES or begin < last:
                continue
            table = self._table(inside, end, _TABLES[name])
            last = after
            if name == "array" and not any(len(row) > 1 for row in table.rows):
                continue
            self._describe(table, begin, end, after)
            self.tables.append(table)
            check_tables(self.tables)

    def _describe(self, table: Marked, begin: int, end: int, after: int) -> None:
        """Take the caption, or the heading above, and the texts beside a table."""
        floats = [p for p in self._floats if p[0] < begin and p[2] >= after]
        text = self.text
        parts = [text[begin:end]] if _CAPTION.search(text, begin, end) else []
        if floats:
            outer = min(floats)
            parts += [text[outer[1] : begin], text[after : outer[2]]]
        for part in parts:
            if found := _CAPTION.search(part):
                close = _close(part, found.end() - 1)
                table.caption = without_latex(part[found.end() : close])
                break
        for part in parts if floats else ():
            rest = _CAPTION.split(part, maxsplit=1)[0] if _CAPTION.search(part) else part
            if part is not text[begin:end] and len(rest) < _MOST_TEXT and "&" not in rest:
                words = without_latex(rest)
                if len(words.split()) > 2:
                    table.titles.append(words)
        above = [*_SECTION.finditer(text, max(0, begin - _FAR), begin)]
        heading = above[-1] if above else None
        if heading is not None:
            close = _close(text, heading.end() - 1)
            title = without_latex(text[heading.end() : close])
            table.titles.insert(0, title)
            table.caption = table.caption or title
        if not floats:
            before = text[max(0, begin - _MOST_TEXT) : begin].rsplit("\\end{", 1)[-1]
            paragraph = re.split(r"\n\s*\n", before.rstrip())[-1]
            if not paragraph.lstrip().startswith("\\") or heading is not None:
                table.titles.append(without_latex(_SECTION.split(paragraph)[-1].lstrip("}")))

    def _table(self, place: int, end: int, n_arguments: int) -> Marked:
        """Return the cells between the beginning and the end of a table."""
        text = self.text
        while match := re.compile(r"\s*\[[^\[\]]{0,40}\]").match(text, place):
            place = match.end()
        for _ in range(n_arguments):
            opening = re.compile(r"\s*\{").match(text, place)
            if opening is None:
                break
            place = _close(text, opening.end() - 1) + 1
        table = Marked()
        row: list[Cell] = []
        heads: int | None = None
        # Rows of the heads and feet of pages that are repeated on each page.
        has_first = False
        start, depth = place, 0

        def end_cell(stop: int) -> None:
            check_columns(row)
            written = text[start:stop]
            row.append(_cell(written) if written and not written.isspace() else Cell(""))

        def end_row(stop: int) -> None:
            nonlocal row
            end_cell(stop)
            if len(row) > 1 or row[0].text:
                table.rows.append(row)
            row = []

        while match := _TOKEN.search(text, place, end):
            token = match[0]
            place = match.end()
            if token == "{" or token.startswith("\\begin"):
                depth += 1
            elif token == "}" or (token.startswith("\\end") and token[4:5] in ("{", " ")):
                depth -= 1
            elif depth > 0:
                continue
            elif token == "&":
                end_cell(match.start())
                start = place
            elif token.startswith("\\\\") or token == "\\tabularnewline":
                end_row(match.start())
                start = place
            elif token.startswith("\\end"):
                start = place
                if token in ("\\endfirsthead", "\\endhead"):
                    if token == "\\endhead" and has_first:
                        del table.rows[heads or 0 :]
                    heads = len(table.rows)
                    has_first = has_first or token == "\\endfirsthead"
                else:
                    del table.rows[heads or 0 :]
            elif token[1:2].isalpha() and not row:
                if token in _FULL_RULES and heads is None and table.rows:
                    heads = len(table.rows)
                while argument := _ARGUMENTS.match(text, place):
                    place = argument.end()
                if (
                    token in ("\\caption", "\\label", "\\noalign")
                    and text[place : place + 1] == "{"
                ):
                    place = _close(text, place) + 1
                if not text[start : match.start()].strip():
                    start = place
        if row or text[start:end].strip():
            end_row(end)
        table.rows = _with_spans(table.rows)
        table.heads = heads if heads is not None and heads < len(table.rows) else None
        return table


def _cell(text: str) -> Cell:
    """Return a cell, which may span columns or rows."""
    if len(text) > LONGEST_CELL:
        raise InputError(
            f"a cell has {len(text):,} characters, at most {LONGEST_CELL:,} are read: the mark at "
            "its end may be missing"
        )
    columns = rows = 1
    for _ in range(3):
        match = _SPANNING.match(text)
        if match is None:
            break
        place = match.end()
        option = re.compile(r"\s*\[[^\[\]]*\]\s*")
        while found := option.match(text, place):
            place = found.end()
        if text[place : place + 1] != "{":
            break
        close = _close(text, place)
        number = text[place + 1 : close].strip()
        if match[1] == "multicolumn":
            columns = span_of(number)
        elif match[1] == "multirow":
            # A negative number goes upwards.
            rows = span_of(number.lstrip("-"), rows=True) * (-1 if number[:1] == "-" else 1)
        else:
            break
        place = close + 1
        while found := option.match(text, place):
            place = found.end()
        if text[place : place + 1] == "{":
            place = _close(text, place) + 1
        elif match[1] == "multirow" and text[place : place + 1] in "*=":
            place += 1
        while found := option.match(text, place):
            place = found.end()
        rest = text[place:].strip()
        if rest.startswith("{"):
            close = _close(rest, 0)
            rest = f"{rest[1:close]}{rest[close + 1 :]}"
        text = rest
    return Cell(without_latex(text), columns=columns, rows=rows or 1)


def _with_spans(rows: list[list[Cell]]) -> list[list[Cell]]:
    """Leave out the empty cells that LaTeX needs where a cell of another row spans them."""
    places = [[*accumulate((cell.columns for cell in row), initial=0)] for row in rows]
    found: list[list[Cell | None]] = [[*row] for row in rows]
    for k, row in enumerate(rows):
        for at, cell in enumerate(row):
            if cell.rows == 1:
                continue
            step = 1 if cell.rows > 0 else -1
            last = k
            for other in range(k + step, k + cell.rows, step):
                if not 0 <= other < len(rows) or places[k][at] not in places[other][:-1]:
                    break
                below = places[other].index(places[k][at])
                if rows[other][below].text or rows[other][below].columns != cell.columns:
                    break
                found[other][below] = None
                last = other
            top = min(k, last)
            whole = cell._replace(rows=abs(last - k) + 1)
            found[k][at] = None
            found[top][places[top].index(places[k][at])] = whole
    return [[cell for cell in row if cell is not None] for row in found]


def _close(text: str, place: int) -> int:
    """Return where the brace closes that opens at a place; the end of the text if it is missing."""
    depth = 0
    for match in re.compile(r"\\.|[{}]", re.DOTALL).finditer(text, place, place + LONGEST_CELL):
        depth += {"{": 1, "}": -1}.get(match[0], 0)
        if depth == 0:
            return match.start()
    return min(len(text), place + LONGEST_CELL)


def _environments(text: str) -> list[tuple[int, int, int, int, str]]:
    """Return the environments by where they begin: begin, inside, end, after, name."""
    opened: list[tuple[int, int, str]] = []
    found = []
    for match in _ENVIRONMENT.finditer(text):
        name = match[2]
        if match[1] == "begin":
            opened.append((match.start(), match.end(), name))
            if sum(each[2] in _TABLES for each in opened[-MOST_DEEP - 1 :]) > MOST_DEEP:
                raise InputError(f"tables stand in each other more than {MOST_DEEP} deep")
            continue
        names = [each[2] for each in opened[-MOST_DEEP:]]
        if name in names:
            while opened[-1][2] != name:
                begin, inside, unclosed = opened.pop()
                _check_closed(unclosed)
            begin, inside, _ = opened.pop()
            found.append((begin, inside, match.start(), match.end(), name))
    for _, _, unclosed in opened:
        _check_closed(unclosed)
    return sorted(found)


def _check_closed(name: str) -> None:
    if name in _TABLES:
        raise InputError(f"a table is never closed (\\end{{{name}}} is missing)")


def read_latex(source: Source, *, sheet: Any = None, **given: Any) -> Rankings:
    """Read a table of a LaTeX text; `given` are the options of `concordant.read` for tables."""
    source.encoding = given.get("encoding") or source.encoding
    try:
        reader = _Reader(_COMMENT.sub(r"\1", source.text))
        reader.read()
    except InputError as error:
        raise source.error(error) from None
    if not reader.tables:
        raise source.error(
            "a LaTeX text without a table: tables stand between \\begin{tabular} and \\end{tabular}"
        )
    return read_marked(source, "latex", reader.tables, sheet, given)


def sniff(source: Source) -> int:
    r"""Recognise the beginning of a table: `\begin{tabular}` and the like."""
    if "\\begin" not in source.text:
        return NO
    found = _BEGIN.search(source.text)
    return NO if found is None else SURE if "&" in source.text else LIKELY


FORMAT = Format(
    "latex",
    "the tables of a LaTeX text",
    (".tex", ".ltx"),
    read_latex,
    sniff=sniff,
    options=options_of("latex"),
)
