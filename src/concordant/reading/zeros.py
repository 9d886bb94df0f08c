"""Whether 0 among ratings is the lowest level, or means that there is no rating."""

from __future__ import annotations

import re
from collections.abc import Iterable

from concordant.errors import Hint
from concordant.reading.cells import Column
from concordant.reading.findings import Finding
from concordant.reading.sheet import Sheet
from concordant.reading.words import tokens

# Nobody can give no star where a rating is a click on one of five.
_STARS = frozenset(
    {
        *("star", "stars", "stern", "sterne", "sternen", "etoile", "etoiles", "estrella"),
        *("estrellas", "stella", "stelle", "estrela", "estrelas", "ster", "sterren", "gwiazdki"),
        *("stjarna", "stjarnor"),
    }
)
_FROM_ONE = re.compile(r"(?<![\d.,/])1\s?(?:-|–|to|bis|à|a|tot|till|do|e)\s?(?:\d{1,3})(?![\d/])")
_FROM_ZERO = re.compile(r"(?<![\d.,])0\s?(?:-|–|to|bis|à|a|tot|till|do|e|=)\s?\w")


def ask_about_zeros(
    sheet: Sheet, columns: Iterable[Column], texts: Iterable[str]
) -> Finding | None:
    """Return the question about 0 among stars, or among marks from 1 on; None without one."""
    if sheet.options.values is not None or "score" in sheet.options.columns:
        return None
    values = [v for c in columns for v in c.numbers if v is not None]
    said = [text.casefold() for text in texts]
    stars = any(_STARS & set(tokens(text)) for text in said) and max(values, default=0) <= 10
    begins = any(map(_FROM_ONE.search, said))
    if 0 not in values or not (stars or begins) or any(map(_FROM_ZERO.search, said)):
        return None
    return Finding(
        "question",
        "zero",
        "0 may be the lowest rating, or mean that there is no rating",
        hints=(
            Hint("missing", ("0",), "if 0 means no rating"),
            Hint("values", ("scores",), "if 0 is the lowest"),
        ),
    )
