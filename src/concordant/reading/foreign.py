"""How texts in other scripts are translated and split: words, marks of lists, questions.

This loads when `concordant.reading.scripts` meets such a text.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

# Cyrillic; Hangul; signs, Kana and Han; wide forms of Latin letters, digits and signs.
_FOREIGN = re.compile(
    "[\u0400-\u052f\u1100-\u11ff\u3000-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]"
)
_LETTERS = re.compile(
    "[\u0400-\u052f\u3040-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]"
)
_CYRILLIC = r"[\u0400-\u052f]"
_JOINED = r"[\u3005-\u3007\u3040-\u30fa\u30fc-\u318f\u31f0-\u31ff\u3400-\u9fff\uac00-\ud7af]"
# A word in Cyrillic, or a run of letters that are written without blanks.
_RUN = re.compile(rf"{_CYRILLIC}(?:{_CYRILLIC}|['’.](?={_CYRILLIC}))*|{_JOINED}+")
_SIGNS = str.maketrans(
    dict.fromkeys("【〔", "[")
    | dict.fromkeys("】〕", "]")
    | dict.fromkeys("「」『』《》", '"')
    | dict.fromkeys("〜～—–", "-")
    | {"、": ", ", "。": ". ", "・": " ", "ё": "е", "Ё": "Е", "№": "№ "}
)
# "2、", "Q3.", "問4:", "第5题": the number of a question.
_NUMBER = re.compile(
    r"\s*(?:(?:q|問|问|문|문항|вопрос)\s?\.?\s?\d{1,3}\s*(?:[-_]\s?\d{1,2})?\s*[.:,)]?"
    r"|第\s?\d{1,3}\s?(?:题|題|問)\s*[.:,]?|\d{1,3}\s?(?:题|題)?\s*,)\s*(?=\D)",
    re.IGNORECASE,
)
_PLAIN_NUMBER = re.compile(r"\s*\d{1,3}\s?[.)]\s*(?=\D)")
_ORDINAL = re.compile("(第|제)([一二三四五六七八九]|十[一二]?)")
_FIRST_RANK = re.compile("(?<![一二三四五六七八九十])([一二三四五六])(?=志愿|志願|等奖|等獎|等賞)")
_LONGEST_WORD = 12
_MOST_WORDS = 4
# Words that say what a whole text is, and nothing as a part of it: a school of music is no column
# to leave out.
_WHOLE = frozenset(
    {
        *(
            "timestamp",
            "category",
            "phone",
            "price",
            "region",
            "vintage",
            "none",
            "missing",
            "number",
            "title",
        ),
        *("id", "ip", "startnr", "surname", "win", "lose", "draw", "yes", "no", "maybe", "white"),
        *("black", "red", "blue", "agree", "disagree", "min", "max", "high", "low", "medium"),
    }
)
_POLITE = ("请填写", "請填寫", "请输入", "您的", "你的", "ваше", "ваша", "ваш", "귀하의")
_CACHE = 65536


class _Words(NamedTuple):
    whole: dict[str, str]
    parts: dict[str, str]
    stems: dict[str, str]
    particles: frozenset[str]
    patterns: list[tuple[re.Pattern[str], str]]


def has_letters(text: str) -> bool:
    """Return whether a text has letters of Chinese, Japanese, Korean, Russian or Ukrainian.

    Example:
        >>> has_letters("评委1"), has_letters("→")
        (True, False)
    """
    return _LETTERS.search(text) is not None


def english(text: str) -> str:
    """Return a text with the known words of other scripts in English.

    Example:
        >>> english("评委1"), english("Größe →")
        ('judge 1', 'Größe →')
    """
    return text if _FOREIGN.search(text) is None else _translated(text)


def without_number(text: str) -> str:
    """Return a text in another script without the number of a question before it."""
    if _LETTERS.search(text) is None:
        return text
    plain = text.translate(_SIGNS)
    rest = _NUMBER.sub("", plain, count=1)
    return text if rest == plain else rest


# Numbers before the items of a list in one line: "1．A　2．B", "1、A 2、B", "①A②B".
_LISTED = re.compile(r"(?:^|[\s;,、，；])\s*\d{1,2}\s?[．、.)）]\s*(?=\S)")
_WIDE_LISTED = re.compile(
    r"\s*[0-9０-９]{1,2}\s?[．、）]|.*\u3000[0-9０-９]{1,2}\s?[.．、)）]", re.DOTALL
)
_CIRCLED = re.compile("\\s*[①-⑳]\\s*")
_HAS_MARKS = re.compile("[①、，；＞｜┋＝．）\u3000]")
_MARKS = str.maketrans({"、": ",", "，": ",", "；": ";", "＞": ">", "｜": "|", "┋": ";", "＝": "="})


def plain_list(text: str) -> str:
    """Return a list with wide marks, or numbers in one line, as one with plain marks.

    Example:
        >>> plain_list("寿司、天ぷら"), plain_list("①海②山"), plain_list("A→B")
        ('寿司,天ぷら', '海;山', 'A→B')
    """
    if _HAS_MARKS.search(text) is None:
        return text
    if _WIDE_LISTED.match(text) and "\n" not in text:
        parts = _LISTED.split(text)
        if len(parts) > 2 and not parts[0].strip():
            return ";".join(part.strip(" ,;、") for part in parts[1:])
    if text.lstrip()[:1] == "①":
        return ";".join(part.strip(" ,;、，；") for part in _CIRCLED.split(text)[1:])
    return text.translate(_MARKS)


_LINE = str.maketrans(
    {"：": ": ", "，": ", ", "、": ", ", "；": "; ", "＞": ">", "＝": "=", "\u3000": "  "}
)
# "第一名是寿司", "1位は寿司", "1순위: 김밥", "первое место — чай".
_PLACED = re.compile(
    r"(?:^|(?<=[\s,;:.。]))(?:(?:第|제)\s?([一二三四五六七八九]|十[一二]?|\d{1,2})"
    r"\s?(?:名|位|志愿|志願|希望|选择|選擇|順位|顺位|순위|지망|희망)?"
    r"|(\d{1,2})\s?(?:位|순위|위|지망|志望))"
    r"\s*(?:是|选|選|投|[:：]|は|が|[-–—]\s)?\s*(?=[^\s\d,;:题題轮輪届回场場期])"
)
_THEN = re.compile(
    r"\s*[,;]\s*(?:然后|然後|其次|接着|接著|再来|再來|最后|最後|次に|最後に|그다음|그 다음"
    r"|그리고|마지막)"
    r"(?:是|은|는|は)?\s*"
)
_AT_FIRST = re.compile(
    r"(?:^|(?<=[:\s]))(?:(?:首先|最喜欢|最喜歡|まず)(?:是)?\s*(?=\S+\s*,\s*then )"
    r"|(?:сначала|сперва|спочатку)\s+(?=.*,\s*(?:а\s+)?(?:потом|затем|потім|далее|далі)\s))"
)
_WIDE_DIGITS = re.compile(r"(?:^|(?<=[\s,;>|]))([0-9０-９]{1,2})[．、）]\s*(?=\S)")


def plain_line(text: str) -> str:
    """Return a line of a text with plain marks and numbers in place of wide ones.

    Example:
        >>> plain_line("小明：苹果＞香蕉"), plain_line("1位は寿司、2位は天ぷら")
        ('小明: 苹果>香蕉', '1. 寿司, 2. 天ぷら')
    """
    if _FOREIGN.search(text) is None:
        return text
    found = _WIDE_DIGITS.sub(lambda match: f"{int(match[1])}. ", text).translate(_LINE)
    found = _PLACED.sub(lambda match: f"{_count(match[1] or match[2])}. ", found)
    found = _THEN.sub(", then ", found)
    return _AT_FIRST.sub("", found)


def _count(numeral: str) -> int:
    return int(numeral) if numeral.isdecimal() else _digits(numeral)


# A question and an item: "2、请排序(PyTorch)", "順位【寿司】", "Оцените [чай]", "请评分—口味".
_ITEM_BEHIND = re.compile(
    r"(?P<head>.*\S)\s*(?:[(（](?P<a>[^()（）]+)[)）]|【(?P<b>[^【】]+)】|「(?P<c>[^「」]+)」"
    r"|(?:—|--|_|：|\s-\s)(?P<d>[^—_：()（）]+))\s*",
    re.DOTALL,
)
_ASKS = re.compile(
    r"\b(?:rank|rate|ranking|order|sort|choose|vote|score|preference|priority|importance|"
    r"satisfaction|favourite)\b|[?？]"
)


def with_brackets(name: str) -> str:
    """Return a question in another script with the item behind it in brackets, else the name.

    Example:
        >>> with_brackets("2、请排序(PyTorch)"), with_brackets("寿司（上）")
        ('2、请排序 [PyTorch]', '寿司（上）')
    """
    if not has_letters(name) or ("[" in name and "]" in name):
        return name
    match = _ITEM_BEHIND.fullmatch(name)
    if match is None:
        return name
    head = match["head"].strip()
    numbered = without_number(head) != head
    if not has_letters(head) or not (numbered or _ASKS.search(english(head))):
        return name
    return f"{head} [{(match['a'] or match['b'] or match['c'] or match['d']).strip()}]"


@lru_cache(maxsize=1)
def _words() -> _Words:
    """Return the lists of words, which load late, since most tables need none."""
    from concordant.reading import words_cjk, words_cyrillic

    whole: dict[str, str] = {}
    parts: dict[str, str] = {}
    stems: dict[str, str] = {}
    for source in (words_cjk, words_cyrillic):
        for meaning, native in source.WORDS.items():
            for word in native.split():
                if word.endswith("*"):
                    stems.setdefault(word[:-1], meaning)
                    continue
                whole.setdefault(word, meaning)
                if (len(word) > 1 or word < "\u0530") and meaning not in _WHOLE:
                    parts.setdefault(word, meaning)
    particles = frozenset((words_cjk.PARTICLES + " " + words_cyrillic.PARTICLES).split())
    patterns = [
        (re.compile(pattern, re.IGNORECASE), put)
        for source in (words_cjk, words_cyrillic)
        for pattern, put in source.PATTERNS
    ]
    return _Words(whole, parts, stems, particles, patterns)


def known_share(text: str) -> float:
    """Return the share of the letters of a text in other scripts that belong to known words.

    Example:
        >>> round(known_share("评委,张伟"), 1), known_share("Größe")
        (0.5, 0.0)
    """
    words = _words()
    known = every = 0
    for match in _RUN.finditer(text.lower()):
        run = match[0]
        every += len(run)
        if len(run) < (3 if run < "\u0530" else 2):
            continue
        if run in words.whole or run in words.parts or _word(run, words) != run:
            left = "" if run in words.whole else re.sub(r"[a-z/\s]+", "", _word(run, words))
            known += len(run) - len(left)
    return known / every if every else 0.0


@lru_cache(maxsize=_CACHE)
def _translated(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text[:300].translate(_SIGNS)).translate(_SIGNS)
    if _LETTERS.search(plain) is None:
        return plain
    plain = _NUMBER.sub("", plain, count=1)
    words = _words()
    whole = _whole(plain, words)
    if whole is not None:
        return whole
    rest = _PLAIN_NUMBER.sub("", plain, count=1)
    whole = None if rest == plain else _whole(rest, words)
    if whole is not None and whole not in ("choice", "rank", "place"):
        return whole
    lowered = _RUN.sub(lambda match: match[0].lower(), plain)
    lowered = _ORDINAL.sub(lambda match: match[1] + str(_digits(match[2])), lowered)
    lowered = _FIRST_RANK.sub(lambda match: str(_digits(match[1])), lowered)
    for pattern, put in words.patterns:
        lowered = pattern.sub(put, lowered)
    found = _in_words(lowered, words)
    if rest != plain and re.search(r"\d", found[found.find(".") + 1 :]):
        # "1. 第一志愿": the number of a question before that of a place.
        found = _PLAIN_NUMBER.sub("", found, count=1)
    return re.sub(r"\s+", " ", found).strip() or plain


def _digits(numeral: str) -> int:
    ones = "一二三四五六七八九".find(numeral[-1]) + 1
    return ones + 10 if numeral.startswith("十") else ones


def _whole(text: str, words: _Words) -> str | None:
    """Return what a text is that consists of one known word, in one or several parts."""
    joined = re.sub(r"[\W_]+", "", text.lower())
    found = words.whole.get(joined)
    if found is None and len(joined) > 2:
        # "您的姓名", "请填写姓名".
        for particle in _POLITE:
            if joined.startswith(particle):
                return words.whole.get(joined[len(particle) :])
    return found


def _in_words(text: str, words: _Words) -> str:
    """Put English words in the place of known words and of known groups of words."""
    runs = list(_RUN.finditer(text))
    parts: list[str] = []
    end = k = 0
    while k < len(runs):
        match, n = runs[k], 1
        for many in range(min(_MOST_WORDS, len(runs) - k), 1, -1):
            group = runs[k : k + many]
            gaps = (text[one.end() : other.start()] for one, other in pairwise(group))
            joined = "".join(each[0] for each in group)
            if all(gap.isspace() for gap in gaps) and joined in words.parts:
                n, found = many, words.parts[joined]
                break
        else:
            found = _word(match[0], words)
        parts += [text[end : match.start()], " ", found, " "]
        end = runs[k + n - 1].end()
        k += n
    parts.append(text[end:])
    return "".join(parts)


def _word(word: str, words: _Words) -> str:
    """Return a word, or the words of a run without blanks, in English where they are known."""
    if word in words.parts:
        return words.parts[word]
    if word in words.particles:
        return ""
    if word[0] < "\u0530":
        for length in range(len(word), 2, -1):
            if word[:length] in words.stems:
                return words.stems[word[:length]]
        return word
    return _split(word, words)


def _split(run: str, words: _Words) -> str:
    """Split a run without blanks into known words, the longest first, and what is between."""
    found: list[str] = []
    unknown = ""
    k = 0
    while k < len(run):
        size = next(
            (
                n
                for n in range(min(_LONGEST_WORD, len(run) - k), 1, -1)
                if run[k : k + n] in words.parts or run[k : k + n] in words.particles
            ),
            1,
        )
        part = run[k : k + size]
        known = words.parts.get(part)
        if known is None and (size > 1 or (part in words.particles and not unknown)):
            known = ""
        if known is None:
            unknown += part
        else:
            found += [unknown, known]
            unknown = ""
        k += size
    if unknown and unknown not in words.particles:
        found.append(unknown)
    return " ".join(each for each in found if each)
