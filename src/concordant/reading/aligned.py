"""Tables in plain text whose columns are aligned by blanks, one or several below each other."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise


def split_aligned(text: str) -> str | None:
    r"""Return a table whose columns are aligned by blanks with tabs instead; None for others.

    Lines of text may stand above and below. A cell may be empty.

    Example:
        >>> split_aligned("Voter   Tent  Hut\nAnn     1     2\nBo      2     1\n")
        'Voter\tTent\tHut\nAnn\t1\t2\nBo\t2\t1'
    """
    if len(text) > 2**16 or any(mark in text for mark in "\t;|"):
        return None
    lines = [line.rstrip() for line in text.splitlines()]
    lines = [line for line in lines if not _RULED.fullmatch(line)]
    lines, sections = _joined_blocks(lines)
    begin, end = (len(lines) - len(sections), len(lines)) if sections else _aligned_block(lines)
    if end - begin < 3:
        begin, end = _aligned_pairs(lines)
    if end - begin < 3:
        return None
    begin -= _has_close_header(lines, begin)
    indent = _places_before(lines[begin], lines[begin + 1 : end])
    places = [line[:indent].strip(" -.)") for line in lines[begin:end]]
    lines[begin:end] = [line[indent:] for line in lines[begin:end]]
    head, body = lines[begin], lines[begin + 1 : end]
    width = max(map(len, lines[begin:end]))
    # Columns of blanks in all rows, at least two wide or at a blank of the header.
    blank = [all(line[k : k + 1] in ("", " ") for line in body) for k in range(width)]
    cuts: list[int] = []
    start = None
    for k in range(width + 1):
        if k < width and blank[k]:
            start = k if start is None else start
        elif start is not None:
            inside = [p for p in range(start, k) if head[p : p + 1] in ("", " ")]
            if k < width and start > 0 and inside and k - start >= 2:
                cuts.append(inside[-1])
            start = None
    if len(cuts) < (1 if _PAIR.fullmatch(head) else 2):
        return None

    def cells(line: str) -> list[str]:
        return [line[a:b].strip() for a, b in pairwise([0, *cuts, None])]

    rows = [cells(line) for line in lines[begin:end]]
    if any("  " in cell for row in rows for cell in row) or not all(rows[0][1:]):
        return None
    numbers = all(re.fullmatch(r"[\d.]*", cell) for row in rows for cell in row)
    around = [line.strip() for line in (*lines[:begin], *lines[end:])]
    if numbers or "," in head or (not indent and any(map(_COMMA.search, body))):
        return None
    if indent:
        rows = [[place, *row] for place, row in zip(["Place", *places[1:]], rows, strict=True)]
    if sections:
        rows = [[*row, section] for row, section in zip(rows, sections, strict=True)]
    above = [line for line in around[:begin] if line]
    below = [line for line in around[begin:] if line]
    table = ["\t".join(row) for row in rows]
    return "\n".join([*above, *table, *(["", *below] if below else [])])


_PLACE = re.compile(r"\s*(?:[*=Tt]?\d{1,3}[.)]?=?|-{1,3})?\s*")


def _places_before(head: str, body: list[str]) -> int:
    """Return how many letters before the first name of a column hold places; 0 without these."""
    indent = len(head) - len(head.lstrip())
    first = [line[:indent] for line in body]
    found = indent > 1 and all(map(_PLACE.fullmatch, first))
    return indent if found and any(any(c.isdecimal() for c in cell) for cell in first) else 0


def _joined_blocks(lines: list[str]) -> tuple[list[str], list[str]]:
    """Join tables with the same header, as of several races; return the title of each row too.

    The header comes first among the titles, as `event`. Without such tables, there are no titles.
    """
    heads = Counter(line for line in lines if len(re.split(r" {2,}", line.strip())) >= 3)
    heads = Counter({k: n for k, n in heads.items() if n > 1 and not any(map(str.isdecimal, k))})
    if not heads:
        return lines, []
    head = heads.most_common(1)[0][0]
    above: list[str] = []
    rows: list[str] = []
    titles: list[str] = []
    inside = False
    for line in lines:
        if line == head:
            inside = True
        elif inside and line.strip():
            rows.append(line)
            titles.append(" ".join(above[-1].split()).strip("()") if above else "")
        elif line.strip():
            above.append(line)
        else:
            inside = False
    if len(set(titles)) < heads[head] or not all(titles):
        return lines, []
    return [*above[:1], head, *rows], ["event", *titles]


# A comma outside a number.
_COMMA = re.compile(r"(?<!\d),|,(?!\d)")
# A line drawn between the header and the rows.
_RULED = re.compile(r"\s*[-=_~*+─━═]{3,}(?:[\s|+]+[-=_~*─━═]{2,})*\+?\s*")
# A name and a number, and the header above them.
_PAIR = re.compile(r"\S+(?: \S+)* {2,}\S+(?: \S+)*")
_NUMBERED = re.compile(r"\S+(?: \S+)* {2,}[+-]?\d+(?:\.\d+)?%?")


def _aligned_pairs(lines: list[str]) -> tuple[int, int]:
    """Return where a table of names and numbers begins and ends, with a header; (0, 0) for none."""
    rows = [k for k, line in enumerate(lines) if _NUMBERED.fullmatch(line)]
    if len(rows) < 3 or rows[-1] - rows[0] != len(rows) - 1 or rows[0] == 0:
        return 0, 0
    head = rows[0] - 1
    names = _PAIR.fullmatch(lines[head]) and not any(c.isdecimal() for c in lines[head])
    return (head, rows[-1] + 1) if names else (0, 0)


def _has_close_header(lines: list[str], begin: int) -> bool:
    """Return whether the line above a block is its header, with one blank between the names."""
    above = lines[begin - 1] if begin else ""
    names = above.split()
    cells = re.split(r" {2,}", lines[begin].strip())
    numbers = sum(re.fullmatch(r"[+-]?[\d.,]+%?", cell) is not None for cell in cells[1:])
    fits = len(names) == len(cells) or (len(names) == len(cells) - 1 and above[:1] == " ")
    words = all(any(map(str.isalpha, name)) for name in names)
    return fits and words and len(names) > 2 and numbers == len(cells) - 1


def _aligned_block(lines: list[str]) -> tuple[int, int]:
    """Return where the longest run of lines with gaps of two blanks or more begins and ends."""
    best = (0, 0)
    start: int | None = None
    for k, line in enumerate([*lines, ""]):
        if len(re.split(r" {2,}", line.strip())) >= 3:
            start = k if start is None else start
        elif start == k - 1 and re.fullmatch(r"\w{1,30}", line):
            # The name of the rows, on a line of its own below the header.
            continue
        elif start is not None:
            if k - start > best[1] - best[0]:
                best = (start, k)
            start = None
    return best
