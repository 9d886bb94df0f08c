"""What one line of a text says: `Ann: A > B = C`, `1. A 2. B`, `first A, second B`, `7 x A, B`."""

from __future__ import annotations

import re
from typing import NamedTuple

from concordant.reading.scripts import plain_line
from concordant.reading.text_words import (
    AND,
    AND_LAST,
    COUNTED,
    OPENERS,
    OPENERS_ALONE,
    POINTS,
    POINTS_TO,
    THEN,
    TIED,
    any_of,
)
from concordant.reading.words import folded, is_word, ordinal, place_of

_FLAGS = re.IGNORECASE
_ARROWS = str.maketrans(dict.fromkeys("≻→➔⇒›➜➡►▶⟶⇨➙➝🡒＞", ">") | dict.fromkeys("∼≈＝", "="))
_WEAKLY = str.maketrans(dict.fromkeys("≥≽⪰⩾", "≥"))
_MEDALS = str.maketrans({"🥇": " 1. ", "🥈": " 2. ", "🥉": " 3. ", "🔟": " 10. "})
_KEYCAP = re.compile("([0-9])\ufe0f?\u20e3\\s*[.:)]?")
_CIRCLED = re.compile("[①-⑳❶-❿]")
_EMPHASIS = re.compile(r"(?<![\w*_`])([*_`]{1,3})(?=\S)(.+?)(?<=\S)\1(?![\w*_`])")
_BULLET = re.compile(r"^\s*(?:[-*•–—·▪◦‣+]|\[[ xX]?\])\s+(?=\S)")
_LABEL = re.compile(r"\s*([^:,;>|\t=]{1,60}?)\s*(?::(?!\d)\s*|\s[-–—]\s+)(\S.*)")
_COUNT = re.compile(
    rf"\s*(\d{{1,12}})\s*(?:(?:[x×*]|[:]|{any_of(COUNTED)}\s*(?:[:.–—-]|for|für|pour|para|per|voor|dla|för)?)\s+"
    rf"|[x×*:](?=\S))(\S.*)",
    _FLAGS,
)
_COUNT_WORD = re.compile(r"\s*(\d{1,12})\s*([^\W\d_]{3,12})\s*:\s+(\S.*)", _FLAGS)
_COUNT_LAST = re.compile(
    rf"(.*\S)\s*(?:[([]\s*(\d{{1,9}})\s*(?:x|×|{any_of(COUNTED)})\s*[)\]]|[:–—-]\s+(\d{{1,9}})\s+"
    rf"{any_of(COUNTED)}|\s[x×]\s?(\d{{1,9}}))\s*",
    _FLAGS,
)
_VOTES = re.compile(rf"\s*[([]\s*(\d{{1,9}})\s*(?:x|×|{any_of(COUNTED)})\s*[)\]]\s*", _FLAGS)
_NUMBER = re.compile(
    r"(?:^|(?<=[\s,;>/|]))[(\[]?(?:#|nr\.?\s?|no\.?\s?)?(\d{1,2})"
    r"(?:[.)\]:]\)?\s*|(?:st|nd|rd|th|er|ere|ère|re|e|eme|ème|º|ª|°|o|a)[.):]?\s+:?\s*|\s*[-–=]\s+)(?=[^\d\s])",
    _FLAGS,
)
_PLACED = re.compile(
    r"\s*(\S[^()\[\]]*?)\s*[(\[]#?(\d{1,2})(?:\.|st|nd|rd|th|e|er|º)?[)\]]\s*(?:[,;/|]|$|(?=\S))"
)
_ITEM = re.compile(
    r"\s*(?:#\s*|[(\[])?(\d{1,4})\s*(=)?\s*(?:st|nd|rd|th|er|ere|re|ère|e|eme|ème|º|ª|°|o|a)?\s*"
    r"(?:[.):\]]|\s[-–—]|(?<=[ºª°])\s(?!\w+\s*:))\s*(?:[-–—:]\s+)?(\S.*)",
    _FLAGS,
)
# "Holly Marsh  DNS", "DNS: Holly Marsh".
_UNPLACED = re.compile(
    r"(\S.*?)(?:\s{2,}.*)?(?:\s{2,}|\s*[-–—:,(\[]\s*)([^\W\d_]{2,20})[)\]]?"
    r"|([A-Z]{3,4})(?:\s{2,}|[.:)\]]\s*|\s[-–—]\s)(\S.*)"
)
_THEN = re.compile(rf"\s*[,;.…]*\s+{any_of(THEN)}\s+", _FLAGS)
_THEN_FIRST = re.compile(rf"^{any_of(THEN)}\s+", _FLAGS)
_AND_LAST = re.compile(rf"^{any_of(AND_LAST)}\s+(?=\S)", _FLAGS)
_POINTS_FIRST = re.compile(
    rf"(\d{{1,4}})\s*{any_of(POINTS)}\.?\s+(?:{any_of(POINTS_TO)}\s+)?(\S.*)", _FLAGS
)
_POINTS_LAST = re.compile(rf"(\S.*?)\s*[-–:=(]?\s*(\d{{1,4}})\s*{any_of(POINTS)}\.?\)?", _FLAGS)
_ORDINAL_END = re.compile(r"\s*(?:is|ist|est|es|è|é|:|=|,|-|–|goes to|für|for)?\s*", _FLAGS)
_TIE = re.compile(
    rf"(.+?)\s*(?:[(\[]\s*{any_of(TIED)}[^()\[\]]*[)\]]|[\s,]\s*{any_of(TIED)})"
    rf"|{any_of(TIED)}\s*:?\s+(.+)",
    _FLAGS,
)
_AND = re.compile(rf"\s+{any_of(AND)}\s+|\s*[,/&+]\s*", _FLAGS)
_BARE = re.compile(r"(\d{1,2})\s+([^\W\d_].*)")
MARKS = (";", "|", ",", " / ", " - ", " – ", "/")


class Phrase(NamedTuple):
    """A ranking that a line states.

    Attributes:
        kind: "arrows", "backward", "weakly", "numbers", "places", "ordinals", "points", "then" or
            "marks".
        label: What stands before it, mostly a name.
        buckets: The names of the items, best first.
        weight: How many ballots it stands for.
        counted: Whether it has a count.
    """

    kind: str
    label: str
    buckets: list[list[str]]
    weight: int = 1
    counted: bool = False


def plain(line: str) -> str:
    """Return a line with plain arrows and numbers, without the marks of Markdown.

    Example:
        >>> plain("**Ann**: A ≻ B ~ C"), plain("🥇 Lake")
        ('Ann: A > B = C', '1. Lake')
    """
    text = line.translate(_MEDALS) if not line.isascii() else line
    if not text.isascii():
        text = plain_line(text)
        text = _KEYCAP.sub(r" \1. ", text)
        text = _CIRCLED.sub(_uncircled, text)
        text = text.translate(_ARROWS).translate(_WEAKLY).replace("\ufe0f", "")
        if "«" not in text:
            text = text.replace("»", ">")
    text = re.sub(r"(?<=\s)[-=–—]+>(?=\s)|(?<=\w)->(?=\w)|(?<=\w)=>(?=\w)", " > ", text)
    text = re.sub(r"(?<=\S)\s*>=\s*(?=\S)", " ≥ ", text)
    text = re.sub(r"(?<=[^\s>])\s*>>+\s*(?=[^\s>])", " > ", text)
    if ">" in text or "=" in text:
        text = re.sub(r"\s[~≃]\s", " = ", text)
    return _EMPHASIS.sub(r"\2", text).strip()


def _uncircled(match: re.Match[str]) -> str:
    code = ord(match[0])
    number = code - 0x2460 + 1 if code < 0x2776 else code - 0x2776 + 1
    return f" {number}. "


def numbered_item(text: str) -> tuple[int, bool, str] | None:
    """Return the number, whether it is tied, and the text of a line of a numbered list.

    Example:
        >>> numbered_item("2) Sushi"), numbered_item("3= Tacos"), numbered_item("12:30 lunch")
        ((2, False, 'Sushi'), (3, True, 'Tacos'), None)
    """
    match = _ITEM.fullmatch(text)
    if match is None:
        tied = re.fullmatch(r"\s*(?:=\s?|[tT]-?)?(\d{1,3})\s?(=)\s*(\S.*)", text)
        return None if tied is None else (int(tied[1]), True, tied[3].strip())
    if re.fullmatch(r"\d{1,2}[:.]\d{2}\b.*", text.strip()):
        return None
    return int(match[1]), bool(match[2]), match[3].strip()


def unplaced_item(text: str, *, numbered: bool = False) -> str | None:
    """Return the item of a line such as `Holly Marsh  DNS`; None for other lines.

    Args:
        text: The line.
        numbered: Whether it has a number: then `Zidane (retired)` is an item.
    """
    match = _UNPLACED.fullmatch(text.strip()) if len(text) < 200 else None
    code = (match[2] or match[3]) if match else ""
    if match is None or not (code.isupper() or (len(code) > 3 and not numbered)):
        return None
    return (match[1] or match[4]).strip() if is_word("unplaced", code) else None


def without_bullet(text: str) -> str:
    """Return a line without the bullet before it."""
    return _BULLET.sub("", text, count=1)


def bullet_item(text: str) -> str | None:
    """Return the text of a bulleted line; None for other lines."""
    match = _BULLET.match(text)
    return text[match.end() :].strip() if match else None


def split_label(text: str) -> tuple[str, str]:
    """Return what stands before a colon or a dash, and the rest.

    Example:
        >>> split_label("Ann: A, B"), split_label("A, B")
        (('Ann', 'A, B'), ('', 'A, B'))
    """
    match = _LABEL.fullmatch(text)
    return (match[1], match[2]) if match else ("", text)


def is_opener(label: str, *, sent: bool = False) -> bool:
    """Return whether a label such as `My order` names nobody.

    Args:
        label: The label.
        sent: Whether the writer of the line is known: then `yo` and `me` name nobody too.
    """
    words = re.findall(r"[^\W_]+(?:'[^\W_]+)?", folded(label))
    if len(words) == 1:
        return words[0] in OPENERS_ALONE or (sent and words[0] in OPENERS)
    return bool(words) and all(word in OPENERS for word in words)


def strong_phrase(text: str, *, labelled: bool = True) -> Phrase | None:
    """Return the ranking that a line states with arrows, numbers or ordinals.

    Args:
        text: The line.
        labelled: Whether a name or a count may stand before it.

    Example:
        >>> strong_phrase("Ann: A > B = C")[1:3]
        ('Ann', [['A'], ['B', 'C']])
        >>> strong_phrase("7 x B > A")[2:]
        ([['B'], ['A']], 7, True)
        >>> strong_phrase("first A, second B, third C").buckets
        [['A'], ['B'], ['C']]
    """
    text = without_bullet(text)
    if len(text) > 2000:
        return None
    label, body, weight, counted = _head(text) if labelled else ("", text, 1, False)
    found = _ordered(body)
    if found is None and (label or counted):
        # The colon may belong to the list: "1: A, 2: B".
        other = _ordered(text)
        if other is not None and other[0] in ("numbers", "ordinals"):
            found, label, weight, counted = other, "", 1, False
    if found is None:
        return None
    kind, buckets = found
    return Phrase(kind, label, buckets, weight, counted)


def is_list(text: str) -> bool:
    """Return whether a text is a list with arrows or numbers."""
    found = strong_phrase(text)
    return found is not None and found.kind in ("arrows", "backward", "numbers", "weakly")


def _head(text: str) -> tuple[str, str, int, bool]:
    """Return the label, the body, the weight, and whether there is a count."""
    count = _COUNT.fullmatch(text) or None
    if count is not None and not (_NUMBER.match(text) and _sequence(text)):
        return "", count[2], int(count[1]), True
    word = _COUNT_WORD.fullmatch(text)
    if word is not None:
        return "", word[3], int(word[1]), True
    label, body = split_label(text)
    if label:
        votes = _VOTES.search(label)
        if votes:
            return _VOTES.sub(" ", label).strip(), body, int(votes[1]), True
    last = _COUNT_LAST.fullmatch(body)
    if last:
        return label, last[1].rstrip(" ,:;"), int(last[2] or last[3] or last[4]), True
    return label, body, 1, False


def _ordered(body: str) -> tuple[str, list[list[str]]] | None:
    for kind, read in (
        ("numbers", _sequence),
        ("arrows", _arrows),
        ("backward", _backward),
        ("weakly", _weakly),
        ("places", _placed),
        ("ordinals", _ordinals),
    ):
        buckets = read(body)
        if buckets is not None:
            return kind, buckets
    return None


def _names(text: str, mark: str) -> list[list[str]] | None:
    """Split at a mark, and tied items at `=`; None where a name is missing."""
    found = []
    for part in text.strip().strip(",;").split(mark):
        names = [name for each in part.split("=") for name in in_one_place(clean(each))]
        if not all(names):
            return None
        found.append(names)
    return found if len(found) > 1 or len(found[0]) > 1 else None


def _arrows(text: str) -> list[list[str]] | None:
    if ">" not in text or "<" in text or "≥" in text:
        return None
    return _names(re.sub(r">\s*$", "", text), ">")


def _backward(text: str) -> list[list[str]] | None:
    if "<" not in text or ">" in text:
        return None
    return _names(text, "<")


def _weakly(text: str) -> list[list[str]] | None:
    if "≥" not in text or "<" in text:
        return None
    return _names(text.replace("≥", ">"), ">")


def clean(name: str) -> str:
    """Return a name without blanks, quotation marks and commas around it."""
    name = re.sub(r"^\s*#?\d{1,3}\s*[.)]\s+", "", name).strip().strip(",;").strip()
    if len(name) > 2 and name[0] in "\"“„«‘'" and name[-1] in "\"”“»’'":
        name = name[1:-1].strip()
    return name


def _sequence(text: str) -> list[list[str]] | None:
    """Read `1. A 2. B 3. C`, in the order of the numbers."""
    matches = list(_NUMBER.finditer(text))
    if len(matches) < 2:
        return _bare_numbers(text)
    if text[: matches[0].start()].strip():
        return None
    numbers = [int(match[1]) for match in matches]
    while len(numbers) > 1 and numbers[-1] > len(numbers):
        # A number within a name.
        numbers.pop()
        matches.pop()
    if len(numbers) < 2 or sorted(numbers) != list(range(1, len(numbers) + 1)):
        return None
    ends = [*(match.start() for match in matches[1:]), len(text)]
    parts = [
        clean(text[match.end() : end].strip(" ,;/|>"))
        for match, end in zip(matches, ends, strict=True)
    ]
    if not all(parts):
        return None
    return [_tied(part) for _, part in sorted(zip(numbers, parts, strict=True))]


def _bare_numbers(text: str) -> list[list[str]] | None:
    """Read `1 Gent, 2 Brugge, 3 Luik`: a number before each item, and no mark behind it."""
    for mark in (",", ";", " / ", " - "):
        parts = [_BARE.fullmatch(part.strip()) for part in text.strip(" .;,").split(mark)]
        found = [(int(part[1]), clean(part[2])) for part in parts if part]
        if len(found) == len(parts) > 2 and sorted(n for n, _ in found) == list(
            range(1, len(found) + 1)
        ):
            return [_tied(name) for _, name in sorted(found)]
    return None


def _tied(part: str) -> list[str]:
    names = [name for each in part.split(" = ") for name in in_one_place(clean(each))]
    return names if all(names) else [part]


def in_one_place(text: str) -> list[str]:
    """Return the items of a place: `Oak and Elm (tie)` has two.

    Example:
        >>> in_one_place("Oak and Elm (tie)"), in_one_place("Oak / Elm ex aequo")
        (['Oak', 'Elm'], ['Oak', 'Elm'])
        >>> in_one_place("Fish and chips")
        ['Fish and chips']
    """
    tie = _TIE.fullmatch(text)
    if tie is None:
        return [text]
    names = [clean(name) for name in _AND.split(tie[1] or tie[2])]
    return names if len(names) > 1 and all(names) else [text]


def _placed(text: str) -> list[list[str]] | None:
    """Read `A (1), B (2)`, where the numbers count up."""
    found: list[list[str]] = []
    position = 0
    while position < len(text.rstrip()):
        match = _PLACED.match(text, position)
        if match is None or int(match[2]) != len(found) + 1:
            return None
        found.append([clean(match[1])])
        position = match.end()
    return found if len(found) > 1 and all(names[0] for names in found) else None


_WORD = re.compile(r"[^\W_]+\.?[ºª°]?")


def _ordinals(text: str) -> list[list[str]] | None:
    """Read `first A, second B, third C`, with or without "choice"."""
    starts: list[tuple[int, int]] = []
    words = list(_WORD.finditer(text))
    for k, match in enumerate(words):
        number = ordinal(folded(match[0]).rstrip("."))
        if number != len(starts) + 1:
            continue
        end = match.end()
        if k + 1 < len(words) and place_of(f"{match[0]} {words[k + 1][0]}") == number:
            end = words[k + 1].end()
        between = _ORDINAL_END.match(text, end)
        starts.append((match.start(), between.end() if between else end))
    if len(starts) < 2 or re.sub(
        r"\W|my|the|meine?|mon|mi|il|a|o|de", "", text[: starts[0][0]].casefold()
    ):
        return None
    ends = [*(start for start, _ in starts[1:]), len(text)]
    parts = []
    for (_, begin), end in zip(starts, ends, strict=True):
        part = text[begin:end].strip(" ,;.–-")
        part = re.sub(
            rf"[\s,;]+(?:{any_of(AND_LAST)}|{any_of(THEN)}|my|the)$", "", part, flags=_FLAGS
        )
        parts.append([clean(part)])
    return parts if all(names[0] for names in parts) else None


def listed_phrase(text: str, mark: str | None = None) -> Phrase | None:
    """Return the list that a line has with commas, semicolons, slashes or "then".

    Example:
        >>> listed_phrase("Ann: Lake, then City, then Farm").buckets
        [['Lake'], ['City'], ['Farm']]
        >>> listed_phrase("7 x Amir, Bea")[2:]
        ([['Amir'], ['Bea']], 7, True)
    """
    text = without_bullet(text)
    if len(text) > 2000:
        return None
    label, body, weight, counted = _head(text)
    then = _THEN.search(f" {body}")
    if then and mark is None:
        parts = [p for piece in _THEN.split(f" {body}") for p in piece.split(",")]
        names = [clean(_THEN_FIRST.sub("", part.strip(), count=1)) for part in parts]
        names = [name for name in names if name]
        if len(names) > 2:
            names[-1] = clean(_AND_LAST.sub("", names[-1], count=1))
        if len(names) > 1:
            return Phrase("then", label, [in_one_place(n) for n in names], weight, counted)
    mark = mark or next((each for each in MARKS if each in body), None)
    if mark is None or mark not in body:
        return None
    names = [clean(part) for part in body.split(mark)]
    if mark in (",", ";") and names[-1]:
        names[-1] = clean(_AND_LAST.sub("", names[-1], count=1)) if len(names) > 2 else names[-1]
    buckets = [[clean(n) for n in name.split(" = ")] for name in names if name]
    return Phrase("marks", label, buckets, weight, counted) if len(buckets) > 1 else None


def single_phrase(text: str) -> Phrase | None:
    """Return a line that names one item, with a name or a count before it."""
    text = without_bullet(text)
    label, body, weight, counted = _head(text)
    name = clean(body)
    return Phrase("single", label, [[name]], weight, counted) if name else None


def pointed(name: str) -> tuple[float, str] | None:
    """Return the points and the item of `12 points to Ada` or `Ada 12 points`."""
    first = _POINTS_FIRST.fullmatch(name)
    if first:
        return float(first[1]), first[2].strip()
    last = _POINTS_LAST.fullmatch(name)
    return None if last is None else (float(last[2]), last[1].strip())
