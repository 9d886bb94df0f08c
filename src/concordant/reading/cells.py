"""What a cell of a table holds: a number, a time, a place in words, a name, nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from concordant.reading.scripts import english, wide_to_plain
from concordant.reading.words import is_word, place_of

_NUMBER = re.compile(r"[+-]?(\d{1,40}(\.\d{0,40})?|\.\d{1,40})(e[+-]?\d{1,3})?%?", re.IGNORECASE)
_COMMA = re.compile(r"[+-]?(?:\d{1,40}|\d{1,3}(?:\.\d{3})+),\d{1,40}(?:e[+-]?\d{1,3})?\s?%?", re.I)
_COMMA_UNIT = re.compile(r"[+-]?\d{1,40},\d{1,2}\s?[^\s\d,;.:>|/]{1,4}")
_SHORT_COMMA = re.compile(r"[+-]?\d{1,4},\d{1,2}")
# Thousands, where commas are decimals.
_DOTTED = re.compile(r"[+-]?\d{1,3}(?:\.\d{3})+")
GROUPED = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_TIME = re.compile(r"\+?(?:(\d{1,3}):)?(\d{1,3}):(\d{1,2}(?:[.,]\d{1,6})?)")
# Minutes, seconds and hundredths with a decimal comma: 2.09,45.
_DOTTED_TIME = re.compile(r"\+?(\d{1,2})\.([0-5]\d),(\d{1,3})")
_SECONDS = re.compile(
    r"(\d{1,7}(?:[.,]\d{1,6})?)\s?([mµμun]s|s|secs?|sek|seconds?|sekunden|mins?"
    r"|秒|초|сек|с|секунд[аыи]?|sn|detik|sekund\w?)\.?"
)
# "1時間12分30秒", "3분 25초", "4 мин 05 сек".
_SPELT_TIME = re.compile(
    r"(?:(\d{1,3})\s?(?:小时|小時|時間|时|時|시간|час(?:а|ов)?|ч|год)\.?\s?)?"
    r"(?:(\d{1,3})\s?(?:分钟|分鐘|分|분|мин(?:ут[аы]?)?|хв|dk|menit)\.?\s?)"
    r"(\d{1,2}(?:[.,]\d{1,3})?)\s?(?:秒|초|сек(?:унд[аыи]?)?|с|sn|detik)\.?"
)
# Wide digits and signs come behind this letter.
_WIDE = "\uff00"
_FACTORS = {"m": 1e-3, "µ": 1e-6, "μ": 1e-6, "u": 1e-6, "n": 1e-9}
_POINTS = re.compile(
    r"(.*\d)\s?(?:pts?|points?|stars?|punkt(?:e|y|ow|ów)?|pkt|po[aä]ng|punten|puntos?|punt[io]|pontos?|sterne?|[eé]toiles?|estrellas?|estrelas?|stell[ae]|sterren?"
    r"|点|점|ポイント|星|つ星|颗星|balla?|puan|poin|bod[uyů]?|hvězd\w*|балл(?:а|ов)?|бал(?:и|ів|а)?|очк(?:о|а|ов|и|ів))\.?"
)
# Amounts with a unit, and means with a standard deviation.
_UNIT = re.compile(
    r"(?:[€$£¥₩₽₺₴]|rp\.?|nt\$|chf|eur|usd|gbp)?\s?([+-]?\d{1,12}(?:[.,]\d{1,6})?)\s?"
    r"(?:€|\$|£|kr|元|円|원|₽|₴|₺|руб|грн|tl|分|%|公里|公斤|票|표|人|명|回|次|chf|eur|usd|gbp|m|cm|mm|km|kg|g|mg|l|ml|km/h|mph|kb|mb|gb|tb|m?hz|ghz|fps|"
    r"k?w|k?wh|hp|db|m?ah|l/100\s?km|"
    r"(?:±|\+/-|\+-)\s?\d{1,12}(?:[.,]\d{1,6})?|\(\s?(?:±\s?)?\d{1,4}[.,]\d{1,6}\s?\))?"
)
_OUT_OF = re.compile(r"(\d{1,3}(?:[.,]\d{1,3})?)\s?/\s?(5|6|10|20|100)")
_MONTH = (
    r"(?:jan|ene|gen|feb|fev|fév|mar|mär|mrt|apr|avr|abr|may|mai|mag|mei|maj|jun|jui|giu|jul|lug"
    r"|aug|aoû|ago|sep|set|oct|okt|ott|out|nov|dec|dez|dic|déc)[^\W\d]*\.?"
)
_STAMP = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}([ T].*)?|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}([ T,].*)?"
    r"|\d{4}\s?[年년.]\s?\d{1,2}\s?[月월.]\s?\d{1,2}\s?[日일.]?(?:\s.*|\d{1,2}[:时時시].*)?"
    rf"|(?:[^\W\d]{{2,10}}\.?,?\s+)?{_MONTH}\s+\d{{1,2}}(?:st|nd|rd|th)?,?\s+\d{{4}}([ ,].*)?"
    rf"|(?:[^\W\d]{{2,10}}\.?,?\s+)?\d{{1,2}}\.?\s+(?:de\s+)?{_MONTH},?\s+(?:de\s+)?\d{{4}}"
    r"([ ,].*)?",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_STARS = re.compile(r"[★⭐✩☆]{1,10}½?|½")
_TIED = re.compile(
    r"(?:[=tT]-?\s?)?(\d{1,4})\s?(?:=|\.?[º°ª]|\.|st|nd|rd|th|er|re|ère|e|ème|ste|de)?",
    re.IGNORECASE,
)

# Longer cells are not kept for the next time.
_LONG = 60

# A shared place: `2.-3.`, `2° ex aequo`, `3rd (tied)`.
_SHARED = re.compile(
    r"(\d{1,4})\s?(?:\.|[º°ª]|st|nd|rd|th|er|re|ère|e|es|ème|èmes|ste|de)?\s?"
    r"(?:[-–/]\s?\d{1,4}\s?(?:\.|[º°ª]|st|nd|rd|th)"
    r"|\(?(?:ex[ -]?(?:ae?|æ)quo|tied?|shared|joint|geteilt|gleichauf|gelijk|gedeeld|pari merito"
    r"|a pari merito|empatad[oa]s?|empate|[àa] égalité|eg\.)\)?)",
    re.IGNORECASE,
)


_DIGITS = frozenset("0123456789")


@dataclass(frozen=True)
class Style:
    """How the cells of a table are written.

    Attributes:
        decimal: The decimal mark, "." or ",".
        missing: Further words that mean "not ranked", in lower case.
        grouped: Whether commas group thousands, as in `1,204`.
        loose: Whether `7,5` and `7.5` may both be decimals, as people write who share a sheet.
    """

    decimal: str = "."
    missing: frozenset[str] = frozenset()
    grouped: bool = False
    loose: bool = False


def points_of(text: str) -> float | None:
    """Return the number of a text such as `3 points` or `12 pts.`."""
    found = _POINTS.fullmatch(text.strip().casefold())
    return number(found[1], Style()) if found else None


def number(text: str, style: Style) -> float | None:
    """Return the number that a cell holds, else None.

    Example:
        >>> number(" 2,5 ", Style(decimal=",")), number("85%", Style()), number("x", Style())
        (2.5, 85.0, None)
    """
    text = text.strip()
    if len(text) > 60:
        return None
    if text[:1] > _WIDE or "．" in text:
        text = wide_to_plain(text).strip()
    if text.endswith("%"):
        text = text[:-1].rstrip()
    elif _STARS.fullmatch(text):
        full = text.replace("☆", "").replace("✩", "").replace("½", "")
        return len(full) + (0.5 if text.endswith("½") else 0.0)
    elif text[-1:] not in _DIGITS:
        points = _POINTS.fullmatch(text.casefold())
        text = text if points is None else points[1].rstrip()
    elif "/" in text:
        out_of = _OUT_OF.fullmatch(text)
        if out_of:
            value = float(out_of[1].replace(",", "."))
            return value if value <= float(out_of[2]) else None
    if style.grouped and GROUPED.fullmatch(text):
        text = text.replace(",", "")
    elif style.decimal == "," and _COMMA.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    elif style.decimal == "," and style.loose and _DOTTED.fullmatch(text):
        text = text.replace(".", "")
    elif style.loose and _SHORT_COMMA.fullmatch(text):
        text = text.replace(",", ".")
    if _NUMBER.fullmatch(text):
        try:
            value = float(text.rstrip("%"))
        except (ValueError, OverflowError):
            return None
        return value if abs(value) < 1e300 else None
    unit = _UNIT.fullmatch(text.casefold()) if len(text) < 30 else None
    if unit is not None and ("," not in unit[1] or style.decimal == ","):
        return float(unit[1].replace(",", "."))
    return None


def is_amount(text: str) -> bool:
    """Return whether a cell is one number with a comma: 18,70 or 1.240,00 is no list.

    Example:
        >>> is_amount("18,70"), is_amount("1,240.00"), is_amount("3,1,2")
        (True, True, False)
    """
    return _COMMA.fullmatch(text.strip()) is not None or GROUPED.fullmatch(text.strip()) is not None


def is_points(text: str) -> bool:
    """Return whether a cell holds stars, or points by its words: the more the better.

    Example:
        >>> is_points("★★"), is_points("8/10"), is_points("85 pts"), is_points("85")
        (True, True, True, False)
    """
    text = text.strip().casefold()
    return (
        _STARS.fullmatch(text) is not None
        or _OUT_OF.fullmatch(text) is not None
        or (text[-1:] not in _DIGITS and _POINTS.fullmatch(text) is not None)
    )


def seconds(text: str) -> float | None:
    """Return a time such as `0:51.20` in seconds, else None.

    Example:
        >>> seconds("1:02:03"), seconds("0:51.20"), seconds("51")
        (3723.0, 51.2, None)
    """
    text = text.strip()
    if text[:1] > _WIDE or "：" in text:
        text = wide_to_plain(text)
    match = _TIME.fullmatch(text) if len(text) < 40 else None
    spelt = (
        _SPELT_TIME.fullmatch(text.casefold())
        if match is None and text[:1] in _DIGITS and text[-1:] not in _DIGITS and len(text) < 30
        else None
    )
    if spelt is not None:
        whole = 3600 * int(spelt[1] or 0) + 60 * int(spelt[2])
        return whole + float(spelt[3].replace(",", "."))
    dotted = _DOTTED_TIME.fullmatch(text) if match is None and len(text) < 12 else None
    if dotted is not None:
        return 60 * int(dotted[1]) + float(f"{dotted[2]}.{dotted[3]}")
    if match is None:
        unit = (
            _SECONDS.fullmatch(text.casefold()) if text[:1] in _DIGITS and len(text) < 20 else None
        )
        if unit is None:
            return None
        factor = _FACTORS.get(unit[2][0], 1.0) if len(unit[2]) == 2 else 1.0
        factor = 60 if unit[2].startswith("min") else factor
        return factor * float(unit[1].replace(",", "."))
    hours, minutes, rest = match.groups()
    return 3600 * int(hours or 0) + 60 * int(minutes) + float(rest.replace(",", "."))


@lru_cache(maxsize=16384)
def place(text: str) -> float | None:
    """Return the place that a cell names in words: `1st`, `Second choice`, `T3`, `2.`, `4=`.

    Example:
        >>> place("1st"), place("Second choice"), place("T3"), place("tea")
        (1.0, 2.0, 3.0, None)
    """
    text = text.strip()
    match = _TIED.fullmatch(text) if len(text) < 12 else None
    match = match or (_SHARED.fullmatch(text) if len(text) < 30 else None)
    if match:
        return float(match[1])
    if not text.isascii() and len(text) < 30 and (said := english(text)) != text:
        text = said
        match = _TIED.fullmatch(text)
        if match:
            return float(match[1])
    found = place_of(text) if len(text) < 60 else None
    return None if found is None else float(found)


def is_missing(text: str, style: Style) -> bool:
    """Return whether a cell means "not ranked".

    Example:
        >>> is_missing("N/A", Style()), is_missing("", Style()), is_missing("DNF", Style())
        (True, True, False)
    """
    if len(text) > _LONG:
        return not text.strip() or text.strip().casefold() in style.missing
    return _is_missing(text, style.missing)


@lru_cache(maxsize=65536)
def _is_missing(text: str, missing: frozenset[str]) -> bool:
    text = text.strip()
    return not text or text.casefold() in missing or is_word("missing", text)


def is_stamp(text: str) -> bool:
    """Return whether a cell holds a date or a date with a time."""
    return len(text) < 60 and _STAMP.fullmatch(text.strip()) is not None


def is_mail(text: str) -> bool:
    """Return whether a cell holds an e-mail address."""
    return len(text) < 320 and _MAIL.fullmatch(text.strip()) is not None


def decimal_mark(cells: Collection[str]) -> str:
    """Return the decimal mark that cells use: "," where they show commas and no points.

    Example:
        >>> decimal_mark(["7,5", "8"]), decimal_mark(["7.5"]), decimal_mark(["7"])
        (',', '.', '.')
    """
    commas = points = 0
    for cell in cells:
        text = cell.strip()
        if len(text) > 60:
            continue
        commas += (_COMMA.fullmatch(text) or _COMMA_UNIT.fullmatch(text)) is not None
        points += (
            "." in text
            and _NUMBER.fullmatch(text) is not None
            and text[-1] != "."
            and _DOTTED.fullmatch(text) is None
        )
    return "," if commas and not points else "."


# A column with this number of cells of text, and nothing else, is text.
_SAMPLE = 2000


# A result that does not count, in brackets; the points of a boat that did not finish.
_DISCARDED = re.compile(r"[(\[]\s?(\d{1,4}(?:[.,]\d{1,2})?)\s?[)\]]")
# A number with the mark of a footnote: 17†.
_NOTED = re.compile(r"([+-]?\d[\d.,:]*)\s?(?:[†‡§¶*]+|\[[a-z0-9]\]|\([a-z]\))")
# A decimal with its place: 0.793 (5).
_WITH_PLACE = re.compile(r"([+-]?\d+[.,]\d+%?)\s?\(#?\d{1,3}\.?\)")
_CODED = re.compile(
    r"[(\[]?\d{1,4}(?:[.,]\d)?\s?[-/ ]?\s?([A-Za-z]{2,4})[)\]]?"
    r"|([A-Za-z]{2,4})\s?[(\[]?\d{1,4}[)\]]?"
)


def _classify(cell: str, style: Style) -> tuple[str, float | None]:
    """Return what a cell is, and its number; those of short cells are kept."""
    return _classify_short(cell, style) if len(cell) <= _LONG else _classify_any(cell, style)


@lru_cache(maxsize=16384)
def _classify_short(cell: str, style: Style) -> tuple[str, float | None]:
    return _classify_any(cell, style)


def _classify_any(cell: str, style: Style) -> tuple[str, float | None]:
    if not cell.strip() or cell.strip().casefold() in style.missing:
        return "missing", None
    if style.grouped:
        cell = re.sub(r"(?<=\d),(?=\d{3}(?!\d))", "", cell)
    text = cell.strip()
    noted = (_NOTED.fullmatch(text) or _WITH_PLACE.fullmatch(text)) if len(cell) < 30 else None
    if noted:
        cell = noted[1]
    discarded = _DISCARDED.fullmatch(cell.strip()) if len(cell) < 20 else None
    if discarded:
        cell = discarded[1]
    value = number(cell, style)
    if value is not None:
        return "number", value
    if is_missing(cell, style):
        return "missing", None
    value = seconds(cell)
    if value is not None:
        return "time", value
    value = place(cell)
    if value is not None:
        return "place", value
    coded = _CODED.fullmatch(cell.strip()) if len(cell) < 20 else None
    code = cell if coded is None else coded[1] or coded[2]
    if is_word("unplaced", code) and not (coded and code.casefold() == "pm"):
        return "unplaced", None
    return "stamp" if is_stamp(cell) else "mail" if is_mail(cell) else "text", None


_UNIT_OF = re.compile(r"\d\s?([^\W\d]{1,4})\.?$")
# Units of how much there is of a thing.
_SIZES = frozenset({"g", "kg", "mg", "l", "ml", "cl", "dl", "ud", "uds", "st", "stk", "pcs", "pz"})
_HOUR = re.compile(r"(?:[01]\d|2[0-3]):[0-5][05]")


def _are_hours(cells: list[str]) -> bool:
    """Return whether cells are hours of a day, such as 09:00 and 14:30, in their order."""
    hours = [cell.strip() for cell in cells if cell.strip()]
    return all(map(_HOUR.fullmatch, hours)) and sorted(hours) == hours


class Column:
    """A column of a table: its name, and what its cells hold.

    Attributes:
        index: Its number, from 0.
        name: Its name, "" without one.
        cells: The text of its cells.
        numbers: Their numbers, times in seconds, or places; None for other cells.
        filled: The number of cells that are not missing.
        valued: The number of cells that are numbers, times or places.
        kind: "number", "time", "place", "stamp", "mail", "text" or "empty": what the cells are.
        points: Whether all cells are stars or points by their words.
        odd: Rows whose cells are neither missing nor of the kind.
        unplaced: Rows with a word such as DNF.
        marked: Whether a cell is marked as a place: `=2`, `3rd`.
        unclear: Whether the cells are words of a scale that may be best at either end.
        ticked: Whether the cells are marks of approval, or empty.
        worded: Whether the numbers stand for words or codes.
    """

    def __init__(self, index: int, name: str, cells: list[str], style: Style) -> None:
        self.index, self.name, self.cells = index, name, cells
        self.numbers: list[float | None] = [None] * len(cells)
        self.odd: list[int] = []
        self.unplaced: list[int] = []
        self.missing: list[int] = []
        plain = times = places = stamps = mails = 0
        others: list[int] = []
        known: dict[str, tuple[str, float | None]] = {}
        for row, cell in enumerate(cells):
            if row == _SAMPLE and len(others) == row:
                # Nothing but text so far: the rest is not looked at.
                others += [k for k in range(row, len(cells)) if cells[k] and not cells[k].isspace()]
                break
            found = known.get(cell)
            if found is None:
                found = known[cell] = _classify(cell, style)
            kind, self.numbers[row] = found
            if kind == "number":
                plain += 1
            elif kind == "missing":
                self.missing.append(row)
            elif kind == "time":
                times += 1
            elif kind == "place":
                places += 1
            elif kind == "unplaced":
                self.unplaced.append(row)
            else:
                others.append(row)
                stamps += kind == "stamp"
                mails += kind == "mail"
        if times > 2 and not plain and not places and _are_hours(cells):
            # The hours of a programme.
            others += [k for k, v in enumerate(self.numbers) if v is not None]
            stamps, times, self.numbers = len(others), 0, [None] * len(cells)
        if times or plain:
            self._read_gaps(times)
        valued = self.valued = plain + times + places
        self.filled = valued + len(others) + len(self.unplaced)
        self.marked = places > 0
        self.whole = all(v is None or v == int(v) for v in self.numbers)
        if not self.filled:
            self.kind = "empty"
        elif len(others) > 0.2 * self.filled or not valued:
            self.kind = "text"
            if stamps > 0.8 * min(len(others), _SAMPLE):
                self.kind = "stamp"
            elif mails > 0.8 * min(len(others), _SAMPLE):
                self.kind = "mail"
        else:
            self.odd = others
            self.kind = "time" if times else "place" if places > plain else "number"
            if times and plain + places:
                # A column of times with seconds alone, such as 59.8.
                self.kind = "time" if times >= plain + places or plain else "number"
        if self.kind == "place" and all(
            value is None or cells[k].strip()[:1] == "#" for k, value in enumerate(self.numbers)
        ):
            # "#102" names a paper.
            most = max(value for value in self.numbers if value is not None)
            self.kind = "text" if most > 3 * len(cells) else "place"
        if self.kind == "number" and self._has_several_units():
            # How much of it is in the pack: 1 l, 250 g.
            self.kind, self.numbers, self.odd = "text", [None] * len(cells), []
            self.valued, self.whole = 0, True
        self.points = self.kind == "number" and all(
            value is None or is_points(cell)
            for cell, value in zip(cells, self.numbers, strict=True)
        )
        if self.kind == "text" and not len(others):
            self.unplaced, self.odd = [], []
        self.role: str = ""
        self._texts: tuple[Style, list[str]] | None = None
        self.unclear = self.ticked = self.worded = False

    def _has_several_units(self) -> bool:
        """Return whether numbers have different units, so that they cannot be compared."""
        found = [
            _UNIT_OF.search(cell.strip().casefold())
            for cell, value in zip(self.cells[:_SAMPLE], self.numbers, strict=False)
            if value is not None
        ]
        units = {match[1] for match in found if match}
        return len(units) > 1 and all(found) and units <= _SIZES

    def _read_gaps(self, times: int) -> None:
        """Read the time of the first beside gaps, `2:06.45` and `+0.33`, as no gap."""
        gaps = [k for k, cell in enumerate(self.cells[:_SAMPLE]) if cell.strip().startswith("+")]
        if len(gaps) < 2 or len(self.cells) > _SAMPLE:
            return
        others = [k for k, v in enumerate(self.numbers) if v is not None and k not in set(gaps)]
        exact = times or any("." in self.cells[k] or "," in self.cells[k] for k in gaps)
        if exact and len(others) == 1 and (self.numbers[others[0]] or 0) > 0:
            self.numbers[others[0]] = 0.0

    def read_levels(self, levels: Mapping[int, float | None], *, clear: bool) -> None:
        """Take the cells, words of a scale, for the numbers of their levels."""
        self.numbers = [levels.get(row) for row in range(len(self.cells))]
        self.kind, self.points, self.unclear = "number", clear, not clear
        self.worded = True
        self.unplaced = [row for row in self.unplaced if self.numbers[row] is None]
        self.valued, self.whole, self.odd = self.filled, True, []

    @property
    def starred(self) -> bool:
        """Whether all cells are stars, or empty."""
        cells = [cell.strip() for cell in self.cells if cell.strip()]
        return bool(cells) and all(map(_STARS.fullmatch, cells))

    @property
    def numeric(self) -> bool:
        """Whether the cells are numbers, times or places."""
        return self.kind in ("number", "time", "place")

    @property
    def mixed(self) -> bool:
        """Whether a column of text is mostly numbers, so that the other cells may be slips."""
        return self.kind == "text" and 3 * self.valued >= self.filled > 0

    @property
    def shown(self) -> str:
        """The name for messages."""
        return repr(self.name) if self.name.strip() else f"column {self.index + 1}"

    @property
    def called(self) -> str:
        """The column for messages: by its name, or by its number."""
        return f"column {self.name!r}" if self.name.strip() else f"column {self.index + 1}"

    def texts(self, style: Style) -> list[str]:
        """Return the cells that are not missing, without blanks around them."""
        if self._texts is None or self._texts[0] != style:
            found = [cell.strip() for cell in self.cells if not is_missing(cell, style)]
            self._texts = (style, found)
        return self._texts[1]


def are_rounds(column: Column) -> bool:
    """Return whether a column holds 1, 1, 2, 2, 3, …: the rounds of a tournament, or the rows."""
    values = [value or 0 for value in column.numbers]
    steps = {after - before for before, after in pairwise(values)}
    return values[:1] in ([0], [1]) and steps <= {0, 1}


def counts_up(column: Column) -> bool:
    """Return whether a column numbers the rows, from 0 or from 1."""
    numbers = [value for value in column.numbers if value is not None]
    n = len(numbers)
    return bool(n) and numbers in ([float(k) for k in range(n)], [float(k + 1) for k in range(n)])


def are_links(column: Column) -> bool:
    """Return whether the cells of a column are addresses of pages on the web."""
    cells = (cell.strip() for cell in column.cells if cell.strip())
    first = next(cells, "")
    return first.startswith(_LINKS) and all(cell.startswith(_LINKS) for cell in cells)


_LINKS = ("http://", "https://", "www.")
