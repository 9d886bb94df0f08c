"""Texts in Chinese, Japanese, Korean, Russian and Ukrainian, where the tables have Latin words.

The tables of `vocabulary`, `lexicon` and `scales` have words in Latin letters. A name or a cell in
another script is looked up there by what its known words are in English: `第一志愿` as `1 choice`,
`评委3` as `judge 3`, `Итоговое место` as `final rank`. Words that are not known stay as they are.

The work is done in `concordant.reading.foreign`, which loads when a text has such a script; texts
in Latin letters pass through.
"""

from __future__ import annotations

import re

# The first letter of the Cyrillic script, behind which the others stand.
_FIRST = "\u0400"
# Wide forms of Latin letters, digits and signs.
_WIDE = {0xFF01 + k: 0x21 + k for k in range(94)} | {0x3000: " "}
_BRACKETED = re.compile(r"(.*?)\s*\[\s*(.+?)\s*\]\s*", re.DOTALL)
# Longer texts are no names.
_MOST = 300


def _may_be_foreign(text: str) -> bool:
    """Return whether a text has a sign of Cyrillic, of Hangul, or from Kana to wide letters."""
    if text.isascii() or max(text) < _FIRST:
        return False
    return any(
        _FIRST <= sign < "\u0530"
        or "\u1100" <= sign < "\u1200"
        or "\u3000" <= sign < "\ud7b0"
        or "\uf900" <= sign < "\ufb00"
        or "\uff00" <= sign < "\ufff0"
        for sign in text
    )


def is_foreign(text: str) -> bool:
    """Return whether a text has letters of Chinese, Japanese, Korean, Russian or Ukrainian.

    Example:
        >>> is_foreign("评委1"), is_foreign("Место"), is_foreign("Größe")
        (True, True, False)
    """
    if text.isascii() or not _may_be_foreign(text):
        return False
    from concordant.reading import foreign

    return foreign.has_letters(text)


def english(text: str) -> str:
    """Return a text with the known words of other scripts in English.

    Example:
        >>> english("评委1"), english("第一志愿"), english("순위"), english("Итоговое место")
        ('judge 1', '1 choice', 'rank', 'final rank')
        >>> english("Größe"), english("上海")
        ('Größe', '上海')
    """
    if text.isascii() or not _may_be_foreign(text):
        return text
    from concordant.reading import foreign

    return foreign.english(text[:_MOST])


def native_scales() -> tuple[str, ...]:
    """Return the scales that only these languages have."""
    from concordant.reading import words_cjk, words_cyrillic

    return words_cjk.SCALES + words_cyrillic.SCALES


def wide_to_plain(text: str) -> str:
    """Return a text with wide digits and signs as plain ones, and other signs unchanged.

    Example:
        >>> wide_to_plain("８．５点"), wide_to_plain("Käse")
        ('8.5点', 'Käse')
    """
    return text if text.isascii() or max(text) < "\u3000" else text.translate(_WIDE)


def plain_lists(cells: list[str]) -> list[str]:
    """Return cells with lists in plain marks; the same cells where none has others.

    Example:
        >>> plain_lists(["寿司、天ぷら", "1．寿司　2．天ぷら"]), plain_lists(["café; thé"])
        (['寿司,天ぷら', '寿司;天ぷら'], ['café; thé'])
    """
    every = "".join(cells)
    if every.isascii() or max(every) < _FIRST:
        return cells
    from concordant.reading import foreign

    return [foreign.plain_list(cell) for cell in cells]


def plain_line(text: str) -> str:
    """Return a line of a text with plain marks and numbers in place of wide ones.

    Example:
        >>> plain_line("小明：苹果＞香蕉"), plain_line("1位は寿司、2位は天ぷら")
        ('小明: 苹果>香蕉', '1. 寿司, 2. 天ぷら')
    """
    if text.isascii() or not _may_be_foreign(text):
        return text
    from concordant.reading import foreign

    return foreign.plain_line(text)


def bracketed(name: str) -> re.Match[str] | None:
    """Return the question and the item of a name such as `Rank these [Tea]`.

    Example:
        >>> bracketed("Rank [Tea]").groups(), bracketed("2、请排序(PyTorch)").groups()
        (('Rank', 'Tea'), ('2、请排序', 'PyTorch'))
    """
    if not name.isascii() and _may_be_foreign(name):
        from concordant.reading import foreign

        name = foreign.with_brackets(name)
    return _BRACKETED.fullmatch(name) if "[" in name and "]" in name else None
