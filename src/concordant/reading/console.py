r"""Tables in the output of consoles: lines with prompts, printed data frames, and `write.table`."""

from __future__ import annotations

import csv
import io
import re
from itertools import pairwise
from typing import NamedTuple

from concordant.errors import InputError

# Python, IPython, R, a shell, a database.
_PROMPT = re.compile(
    r">>>(?: |$)|\.\.\.(?: |$)|In ?\[\d*\]:|Out ?\[\d*\]:|   ?\.\.\.:|[>+](?: |$)|\$(?: \S|$)"
    r"|[\w.-]+@[\w.-]+[:~ ][^$#%]{0,60}[$#%](?: |$)|PS [A-Z]:\\[^>]{0,60}>|[A-Z]:\\[^>]{0,60}>"
    r"|(?:mysql|sqlite|MariaDB \[[^\]]{0,30}\]|duckdb|julia)> ?|\w{1,30}=[#>] "
)
# These begin lines of other texts too: quotations, lists with + and amounts.
_WEAK = re.compile(r">(?: |$)|\+(?: |$)|\$(?: |$)")
_CODE = re.compile(r"[\w.]+\s*[(\[]|[\w.$\[\]\"']+\s*(?:<-|=|%>%|\|>)|[\w.$\"':]+;?$|#|$")
_SHELL = re.compile(r"\$ ")
_OUT = re.compile(r"(?:In|Out) ?\[\d*\]: ?")
# What consoles print below a table.
_SIZE = re.compile(
    r"\[\d+ rows x \d+ columns\]|\(\d+ rows?\)|\d+ rows? in set.*|# A tibble: .*|# ℹ Use .*"
    r"|Name: (?P<name>.+), (?:Length: \d+, )?dtype: \S+|(?:Length: \d+, )?dtype: \S+"
)
_CUT = re.compile(
    r"(?:\.{2,3}|…)(?:\s+(?:\.{2,3}|…))+|# (?:ℹ|…|i) .*\d+ more rows?.*"
    r"|\.{3} with [\d,]+ more rows?.*"
    r"|.*\[? ?reached '?(?:max|getOption).*omitted.*"
)
_TYPES = re.compile(r"(?:<(?:chr|dbl|int|fct|lgl|date|dttm|ord|num)>\s*)+")
_MISSING = frozenset({"NaN", "NA", "<NA>", "NaT", "None", "nan"})
_LONGEST = 2**16
_MOST_TITLES = 10


class Console(NamedTuple):
    """The output of a console.

    Attributes:
        text: A table with tabs; or the text without the lines that begin with a prompt.
        titles: Comments in the lines that were left out.
        is_table: Whether the text is a table with tabs.
        shift: The number of lines that were left out above it.
        notes: What was left out.
    """

    text: str
    titles: tuple[str, ...]
    is_table: bool
    shift: int
    notes: tuple[str, ...]


def read_console(text: str) -> Console | None:
    r"""Return the table that a console printed; None for other texts.

    Example:
        >>> found = read_console(
        ...     ">>> print(df)\n     Tent  Hut\nAnn     1    2\nBo      2    1\n>>>\n"
        ... )
        >>> found.text
        '\tTent\tHut\nAnn\t1\t2\nBo\t2\t1'
    """
    if len(text) > _LONGEST:
        return None
    lines = [line.rstrip() for line in text.splitlines()]
    begin, end, titles, prompted = _without_prompts(lines)
    body = lines[begin:end]
    if len(body) < 2:
        return None
    written = _written(body)
    if written is not None:
        return Console(written, titles, True, begin, ())
    if "\t" in text or any(mark in line for line in body for mark in "|"):
        printed = None
    else:
        printed = _printed(body, prompted=prompted)
    if printed is not None:
        rows, notes, above = printed
        return Console(_joined(rows), titles, True, begin + above, notes)
    if not prompted:
        return None
    raw = text.splitlines()[begin:end]
    return Console("\n".join(raw) + "\n", titles, False, begin, ())


def _without_prompts(lines: list[str]) -> tuple[int, int, tuple[str, ...], bool]:
    """Return where the output begins and ends, comments around it, and whether prompts are."""
    begin, end = 0, len(lines)
    titles: list[str] = []
    found: list[str] = []
    while begin < end and (not lines[begin].strip() or _PROMPT.match(lines[begin])):
        found += [lines[begin]] if lines[begin].strip() else []
        begin += 1
    while end > begin and (not lines[end - 1].strip() or _PROMPT.match(lines[end - 1])):
        end -= 1
        found += [lines[end]] if lines[end].strip() else []
    inside = lines[begin:end]
    strong = any(_PROMPT.match(line) and not _WEAK.match(line) for line in found)
    # Quotations in e-mails begin with > too, and lists may begin with +.
    code = found and all(_SHELL.match(line) or _CODE.match(_command(line)) for line in found)
    if not found or not (strong or code) or any(_PROMPT.match(line) for line in inside):
        return 0, len(lines), (), False
    for line in found:
        _, mark, comment = _command(line).partition("#")
        if mark and comment.strip():
            titles.append(comment.strip("# "))
    return begin, end, tuple(titles[:_MOST_TITLES]), True


def _command(line: str) -> str:
    match = _PROMPT.match(line)
    return line if match is None else line[match.end() :].strip()


# -- tables that R writes ----------------------------------------------------------------------


def _written(lines: list[str]) -> str | None:
    """Return a table of `write.table` with tabs: quoted names, between them single blanks."""
    kept = [line for line in lines if line.strip()]
    if len(kept) < 3:
        return None
    if kept[0][:1] != '"':
        # Without quotation marks: names, numbers, and one name fewer in the header.
        head, *body = [line.split("\t") for line in kept]
        named = all(len(row) == len(head) + 1 and not _is_number(row[0]) for row in body)
        filled = all(c and _is_number(c) for row in body for c in row[1:]) and all(head)
        is_table = named and filled and len(head) > 1 and not any(map(_is_number, head))
        return _joined([["", *head], *body]) if is_table else None
    for mark in " ,;":
        if f'"{mark}"' not in kept[0]:
            continue
        try:
            rows = [next(csv.reader([line], delimiter=mark, strict=True)) for line in kept]
        except (csv.Error, StopIteration):
            continue
        head, *body = rows
        quoted = kept[0].count('"') == 2 * len(head)
        widths = {len(row) for row in body}
        named = widths == {len(head) + 1} and all(line[:1] == '"' for line in kept)
        plain = widths == {len(head)} and len(head) > 1 and mark == " "
        if not quoted or not (named or plain) or any("\t" in cell for row in rows for cell in row):
            continue
        if named:
            head = ["", *head]
        rows, _ = _without_index([head, *body])
        return _joined(rows)
    return None


# -- data frames that are printed --------------------------------------------------------------


def _printed(
    lines: list[str], *, prompted: bool
) -> tuple[list[list[str]], tuple[str, ...], int] | None:
    """Return the cells of a data frame that pandas or R prints, notes, and the lines above it."""
    above = 0
    kept: list[str] = []
    name = ""
    typed = False
    for line in lines:
        size = _SIZE.fullmatch(line.strip())
        if size is not None or _TYPES.fullmatch(line.strip()):
            name = (size["name"] if size is not None else None) or name
            typed = typed or size is None
            above += not kept
            prompted = True
        elif _CUT.fullmatch(line.strip()):
            if prompted or kept:
                raise InputError(
                    f"the console left rows out of this table ({line.strip()[:20]}): print all of "
                    "it, or write it to a file"
                )
            return None
        else:
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    blocks = _blocks(kept)
    if not blocks or any(len(block) != len(blocks[0]) for block in blocks) or len(blocks[0]) < 2:
        return None
    frames = [_cells(block, typed=typed) for block in blocks]
    if name and len(blocks) == 1 and blocks[0][0][:1].strip():
        # A series has no header.
        pairs = [re.split(r" {2,}(?=\S+$)", line) for line in blocks[0]]
        are_pairs = all(len(pair) == 2 for pair in pairs)
        frames = [_Frame([["name", name], *pairs], False) if are_pairs else None]
    known = [frame for frame in frames if frame is not None]
    if len(known) < len(frames):
        return None
    first, *others = [frame.rows for frame in known]
    labels = [row[0] for row in first]
    for other in others:
        if [row[0] for row in other] != labels:
            return None
        first = [[*row, *more[1:]] for row, more in zip(first, other, strict=True)]
    if not (prompted or _is_clear(first, blocks[0])):
        return None
    if any(frame.doubtful for frame in known):
        raise InputError(
            "it is not clear where the columns of this printed table begin: names and values have "
            "blanks, or cells are empty. Write the table to a file, such as CSV"
        )
    head, *body = first
    first = [head, *([row[0], *("" if c in _MISSING else c for c in row[1:])] for row in body)]
    found, notes = _without_index(first)
    return found, notes, above


def _blocks(lines: list[str]) -> list[list[str]]:
    """Return the parts of a table that was too wide, each with its header."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if not line.strip():
            if blocks[-1]:
                blocks.append([])
            continue
        # R prints the next part without a blank line.
        if (
            len(blocks[-1]) > 2
            and line[:1] == " "
            and not any(each[:1] == " " for each in blocks[-1][1:])
        ):
            blocks.append([])
        blocks[-1].append(line.removesuffix("\\").rstrip())
    return [block for block in blocks if block]


class _Frame(NamedTuple):
    """A printed data frame.

    Attributes:
        rows: Its cells, with the index as first column.
        doubtful: Whether one column may be two: a name and its values have a blank together.
    """

    rows: list[list[str]]
    doubtful: bool


def _cells(lines: list[str], *, typed: bool) -> _Frame | None:
    """Split lines at the places that are blank in all of them.

    Args:
        lines: The header and the rows.
        typed: Whether it is a tibble, which sets texts to the left.
    """
    head, *body = lines
    if head[:1] != " " or len(body) < 1:
        return None
    width = max(map(len, lines))
    filled = [any(line[k : k + 1] not in ("", " ") for line in lines) for k in range(width)]
    starts = [k for k in range(width) if filled[k] and (k == 0 or not filled[k - 1])]
    # Numbers of rows are set to the right.
    starts[0] = 0
    rows = [[line[a:b].strip() for a, b in pairwise([*starts, width])] for line in lines]
    # The name of the index stands in a line of its own.
    if len(rows) > 2 and rows[1][0] and not any(rows[1][1:]):
        rows[0][0] = rows[1][0]
        del rows[1], body[0]
    doubtful = any(
        all(line[k - 2 : k - 1].strip() and line[k : k + 1].strip() for line in (head, *body))
        and not all(_is_number(row[at]) and _is_number(row[at + 1]) for row in rows[1:])
        for at, k in enumerate(starts[1:])
    )
    k = 1
    while k < len(rows[0]):
        labels = [row[0] for row in rows[1:]]
        if not rows[0][k]:
            # Columns end where their names end; the names of rows are different.
            left = k == 1 and len(set(labels)) < len(labels)
            doubtful = doubtful or typed or (k == 1 and not left and not _is_counted(labels))
        elif not any(row[k] for row in rows[1:]):
            # A name of several words.
            left = False
        else:
            k += 1
            continue
        low = k - 1 if left else k
        if low + 1 >= len(rows[0]):
            return None
        for row in rows:
            row[low : low + 2] = [f"{row[low]} {row[low + 1]}".strip()]
    doubtful = doubtful or not all(all(row[1:]) for row in rows[1:])
    named = len(rows[0]) > 1 and all(rows[0][1:]) and all(row[0] for row in rows[1:])
    return _Frame(rows, doubtful) if named else None


def _is_clear(rows: list[list[str]], lines: list[str]) -> bool:
    """Return whether lines without a prompt are a printed frame, and no other table of a text."""
    head, *body = rows
    index = [row[0] for row in body]
    if head[0] or len(body) < 2:
        return False
    if index == [str(k) for k in range(len(index))]:
        return True
    if not any(_is_number(cell) for cell in index):
        return all(_is_number(cell) for row in body for cell in row[1:])
    # R sets everything to the right, names too.
    ends = [match.end() for match in re.finditer(r"\S+", lines[0])]
    right = all(
        line[end - 1 : end] not in ("", " ") and line[end : end + 1] in ("", " ")
        for line in lines
        for end in ends
    )
    texts = [k for k in range(1, len(head)) if not any(_is_number(row[k]) for row in body)]
    uneven = any(len({len(row[k]) for row in body}) > 1 for k in texts)
    return right and uneven and len(ends) == len(head) - 1 and _is_counted(index)


def _without_index(rows: list[list[str]]) -> tuple[list[list[str]], tuple[str, ...]]:
    """Leave out the numbers of the rows; return the other cells, and a note."""
    index = [row[0] for row in rows[1:]]
    texts = [k for k in range(1, len(rows[0])) if not any(_is_number(row[k]) for row in rows[1:])]
    # Numbers of another kind may be the only names that the rows have.
    numbered = _is_counted(index) or (texts and _are_whole(index))
    if rows[0][0] or not numbered or len(rows[0]) < 3:
        return rows, ()
    note = "the numbers of the rows, which the console prints, are left out"
    return [row[1:] for row in rows], (note,)


def _is_number(cell: str) -> bool:
    return bool(re.fullmatch(r"[-+]?[\d.,]+(?:e[-+]?\d+)?%?|", cell) or cell in _MISSING)


def _are_whole(cells: list[str]) -> bool:
    """Return whether cells are different whole numbers."""
    whole = all(cell.isascii() and cell.isdecimal() and len(cell) < 9 for cell in cells)
    return whole and len({int(cell) for cell in cells}) == len(cells)


def _is_counted(cells: list[str]) -> bool:
    """Return whether cells are the numbers from 0 or 1 on, in any order."""
    if not _are_whole(cells):
        return False
    numbers = sorted(map(int, cells))
    return numbers == [*range(numbers[0], numbers[0] + len(numbers))] and numbers[0] < 2


def _joined(rows: list[list[str]]) -> str:
    """Return rows as a text with tabs."""
    buffer = io.StringIO()
    csv.writer(buffer, delimiter="\t", lineterminator="\n").writerows(rows)
    return buffer.getvalue().rstrip("\n")
