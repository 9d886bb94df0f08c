"""Tables as grids of text cells, from the bytes of a file, with its encoding and separator."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from concordant.errors import Hint, InputError, SettingError, show

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
MOST_COLUMNS = 9_999
LONGEST_CELL = 100_000


class NotCsvError(InputError):
    """A text whose quotation marks do not fit."""


@dataclass
class Grid:
    """A table as text.

    Attributes:
        rows: The cells, row by row; rows may differ in length.
        lines: The line, or the row of the sheet, of each row.
        format: The format of the file.
        encoding: The encoding of a text.
        separator: The character between the values of a CSV file.
        whole: Whether it has all rows of the file.
        header: Whether the first row is a header for sure, as in a frame.
        plain: Whether the bytes of the file can be read as they are, by the fast readers.
        notes: What was found while decoding: (code, message).
        titles: Texts beside the table that say what its numbers mean.
        items: Names of items that stand beside the table, and may be ranked by nobody.
        file: The name of the file, which may say what the numbers are: `scores.csv`.
    """

    rows: list[list[str]]
    lines: list[int]
    format: str = "csv"
    encoding: str | None = None
    separator: str | None = None
    whole: bool = True
    header: bool = False
    plain: bool = True
    notes: list[tuple[str, str]] = field(default_factory=list)
    titles: tuple[str, ...] = ()
    items: tuple[str, ...] = ()
    file: str = ""


def decode(data: bytes, encoding: str | None = None) -> tuple[str, str]:
    r"""Return the text of a file, and the name of its encoding.

    Example:
        >>> decode("Zoë".encode("utf-16"))
        ('Zoë', 'utf-16')
        >>> decode("Käse, Brötchen, für alle".encode("cp1252"))[0]
        'Käse, Brötchen, für alle'
    """
    if encoding is not None:
        try:
            return data.decode(encoding).removeprefix("\ufeff"), encoding
        except LookupError:
            raise SettingError(
                f"there is no encoding {show(encoding)}: use utf-8, utf-16 or cp1252",
                setting="encoding",
            ) from None
        except UnicodeDecodeError as error:
            raise InputError(
                f"not {encoding} text: byte {data[error.start]:#04x} cannot be decoded",
                hints=[Hint("encoding", ("utf-8", "cp1252"))],
            ) from None
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        try:
            return data.decode("utf-16"), "utf-16"
        except UnicodeDecodeError:
            raise InputError("the UTF-16 text is damaged, or cut off") from None
    head = data[:512]
    if head.count(b"\0") * 3 >= max(1, len(head)):
        little = head[1::2].count(0) >= head[::2].count(0)
        try:
            name = "utf-16-le" if little else "utf-16-be"
            return data.decode(name).removeprefix("\ufeff"), name
        except UnicodeDecodeError:
            pass
    if b"\0" in data:
        raise InputError("contains binary data, not text")
    try:
        return data.removeprefix(b"\xef\xbb\xbf").decode(), "utf-8"
    except UnicodeDecodeError:
        pass
    return _decode_legacy(data)


def _decode_legacy(data: bytes) -> tuple[str, str]:
    """Decode a text that is not Unicode: Windows-1252 where that gives western letters."""
    from concordant.reading.encodings import detect, may_be_foreign

    high = bytes(byte for byte in data[: 2**20] if byte >= 0x80)
    plausible: list[str] = []
    if may_be_foreign(data):
        name, plausible = detect(data)
        if name is not None:
            return data.decode(name), name
    try:
        text = data.decode("cp1252")
        shown = high.decode("cp1252")
        letters = sum(letter.isalpha() and letter.lower() in _WESTERN for letter in shown)
        marks = sum(letter in "’‘“”–—…€«»°ºª§©® ¿¡½·´`" for letter in shown)
        if letters + marks == len(shown) and not plausible:
            name = "cp1250" if _is_czech(shown, text) else "cp1252"
            return data.decode(name, errors="replace"), name
    except UnicodeDecodeError:
        pass
    if not plausible and _is_turkish(high):
        return data.decode("cp1254", errors="replace"), "cp1254"
    # Central European letters, which only one of two encodings gives.
    names = () if plausible else ("cp1250", "iso8859_2")
    central = [name for name in names if _is_central(high, name)]
    if len(central) == 1:
        return data.decode(central[0], errors="replace"), central[0]
    from charset_normalizer import from_bytes

    best = None if plausible else from_bytes(data[: 2**18]).best()
    if best is not None and not best.encoding.startswith(_LATIN):
        try:
            return data.decode(best.encoding), best.encoding
        except (UnicodeDecodeError, LookupError):
            pass
    raise InputError(
        "the text is not UTF-8, and its encoding is not clear",
        hints=[Hint("encoding", (*plausible[:3], "cp1252", "cp1250")[:4])],
    )


def _is_central(high: bytes, encoding: str) -> bool:
    """Return whether bytes are letters of Polish, Czech or Hungarian in an encoding."""
    try:
        shown = high.decode(encoding)
    except UnicodeDecodeError:
        return False
    return all(letter.lower() in _CENTRAL or letter in "„”“–—…§°" for letter in shown)


def _is_turkish(high: bytes) -> bool:
    """Return whether bytes are letters of Turkish, with some that no other language has."""
    shown = set(high.decode("cp1254", errors="replace"))
    return shown <= _TURKISH and bool(shown & set("ğşıİŞĞ")) and bool(shown & set("üçÜÇ"))


_TURKISH = set("çğıöşüâîûÇĞİÖŞÜ’‘“”–…")


def _is_czech(shown: str, text: str) -> bool:
    """Return whether letters of Windows-1252 are those of Czech in Windows-1250."""
    letters = set(shown.casefold())
    return letters <= _CZECH and bool(
        (letters & set("ìøù") and letters & set("šžý")) or _CZECH_WORDS.search(text.casefold())
    )


# As Windows-1252 shows them.
_CZECH = set("áèïéìíòóøšúùýž„“–…")
_CZECH_WORDS = re.compile("poøad|umístì|prùmìr|soutìž|èasov|tøetí|poèet|hodnocení")
_CENTRAL = set("ąćęłńóśźżáčďéěíňřšťúůýžäöőüűľĺŕôș")
# Encodings of Latin letters that cannot be told apart.
_LATIN = ("cp125", "latin", "iso8859", "cp437", "cp85", "cp775", "mac", "hp")


_WESTERN = set("äöüßéèêëàâáãåçñóòôõøæœíìîïúùûýÿšž")


def find_separator(text: str, tabbed: bool = False) -> str:
    r"""Return the character that splits the lines into equally many values, and most.

    Example:
        >>> find_separator("a;b;c\n1,5;2;3\n")
        ';'
    """
    if tabbed:
        return "\t"
    lines = text[: 2**16].splitlines(keepends=True)
    if len(text) > 2**16 and len(lines) > 1:
        lines.pop()

    def quality(separator: str) -> tuple[float, int]:
        counts = []
        try:
            for record in csv.reader(lines, delimiter=separator):
                if any(cell.strip() for cell in record):
                    counts.append(len(record))
                if len(counts) == 50:
                    break
        except csv.Error:
            pass
        if not counts:
            return 0, 0
        common, often = Counter(counts).most_common(1)[0]
        return (often / len(counts) if common > 1 else 0), common

    best = max(SEPARATORS, key=quality)
    share, width = quality(best)
    if share == 1:
        return best
    # Not all records agree, as in lists of different lengths: the separator of the most lines.
    present = {mark: sum(mark in line for line in lines) for mark in SEPARATORS}
    if share < 0.75 or width < 2:
        return max(SEPARATORS, key=lambda mark: (present[mark], quality(mark)))
    return best


def split(text: str, separator: str, most: int | None = None) -> Grid:
    """Split a text into cells, at most the first `most` records."""
    rows: list[list[str]] = []
    lines: list[int] = []
    limit = csv.field_size_limit(2**31 - 1)
    try:
        reader = csv.reader(
            io.StringIO(text, newline=""),
            delimiter=separator,
            skipinitialspace=f'{separator} "' in text,
        )
        line = 1
        for cells in reader:
            if len(cells) > MOST_COLUMNS:
                raise InputError(
                    f"this row has {len(cells):,} values; a table has at most {MOST_COLUMNS:,} "
                    "columns: turn it into a long table (voter, item, rank)",
                    line=line,
                )
            longest = max(map(len, cells), default=0)
            if longest > LONGEST_CELL:
                raise InputError(
                    f"a cell has {longest:,} characters, at most {LONGEST_CELL:,} are read: "
                    "a quotation mark may be missing",
                    line=line,
                )
            rows.append(cells)
            lines.append(line)
            line = reader.line_num + 1
            if most is not None and len(rows) >= most:
                break
    except csv.Error as error:
        raise NotCsvError(f"not CSV: {error}", line=line) from None
    finally:
        csv.field_size_limit(limit)
    return Grid(rows, lines, separator=separator)


# Below the header of a Markdown table, or of a table that a database prints.
_DASHES = r"\s*(?:[-=]{2,}|:-+:?|-+:)\s*"
_RULE = re.compile(rf"\s*[|+]?{_DASHES}(?:[|+]{_DASHES})+[|+]?\s*")
_BOXES = str.maketrans(
    dict.fromkeys("│┃║╎╏┆┇", "|")
    | dict.fromkeys("─━═╌╍┄┅", "-")
    | dict.fromkeys("┼╪╫╬┬┴├┤┌┐└┘╞╡╟╢╔╗╚╝╠╣╦╩╭╮╯╰┏┓┗┛┣┫┳┻╋╇╈┡┩╤╧╒╕╘╛", "+")
)


def is_markdown(lines: Iterable[str]) -> bool:
    """Return whether one of the lines is the rule below the header of a table with bars.

    Example:
        >>> is_markdown(["| a | b |", "|---|--:|"]), is_markdown(["+---+---+", "| a | b |"])
        (True, True)
    """
    plain = [without_boxes(line.strip()) for line in lines]
    ruled = any(_RULE.fullmatch(line) and {"|", "+"} & set(line) for line in plain)
    return ruled and any("|" in line for line in plain)


def without_boxes(text: str) -> str:
    """Return a text with bars, hyphens and pluses in place of the characters that draw boxes."""
    return text if text.isascii() else text.translate(_BOXES)


def is_rule(cells: list[str]) -> bool:
    """Return whether the cells of a line are those of a rule."""
    return any(cells) and all(set(cell.strip()) <= set("-:+=") for cell in cells)
