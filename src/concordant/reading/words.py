"""What a name or a cell says by its words: the role of a column, a place, a total, nothing.

The words themselves are in `concordant.reading.vocabulary`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from concordant.reading.lexicon import (
    ASIDE,
    COUNT_ROWS,
    DETAIL_UNITS,
    DETAILS,
    IGNORED,
    MISSING,
    NOT_PLAYED,
    NUMBERS,
    SUMS,
    TOTAL_ROWS,
    TOTALS,
    UNPLACED,
)
from concordant.reading.scripts import english
from concordant.reading.vocabulary import (
    AMOUNTS,
    CHOICE,
    COMPOUND_ENDS,
    COUNTED,
    FAVOURITES,
    FILLERS,
    LIKED,
    ORDINALS,
    OUTCOMES,
    OVERALL,
    QUALIFIERS,
    REFERENCES,
    RESULTS,
    ROLES,
)
from concordant.reading.words_latin import ORDERED

_SYMBOLS = str.maketrans(
    {"ß": "ss", "œ": "oe", "ø": "o", "æ": "ae", "ł": "l", "ı": "i", "’": "'", "‘": "'"}
)


@lru_cache(maxsize=65536)
def key(text: str) -> str:
    """Return a text as the tables compare it.

    Example:
        >>> key("E-Mail-Adresse"), key("Âge"), key("#")
        ('emailadresse', 'age', '#')
    """
    plain = re.sub(r"[\W_]+", "", folded(text if text.isascii() else english(text)))
    return plain or text.strip().casefold()


@lru_cache(maxsize=65536)
def folded(text: str) -> str:
    """Return a text in lower case, without accents."""
    text = unicodedata.normalize("NFKD", text[:200].casefold().translate(_SYMBOLS))
    return "".join(letter for letter in text if not unicodedata.combining(letter))


# N.º, nº, N°: a number.
_NUMERO = re.compile(r"\b[nN]\.?\s?[º°]")


def tokens(text: str) -> list[str]:
    """Return the words of a text, as the tables compare them.

    Example:
        >>> tokens("Judge_ID (name)"), tokens("1er choix")
        (['judge', 'id', 'name'], ['1er', 'choix'])
    """
    spaced = re.sub(
        r"(?<=[a-z])(?=[A-Z])", " ", text[:200] if text.isascii() else english(text[:200])
    )
    spaced = _NUMERO.sub("no ", spaced)
    return re.findall(r"[^\W_]+", folded(spaced))


def _table(words: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for role, names in words.items():
        for name in names.split():
            found.setdefault(name, role)
    return found


_BY_WORD = _table(ROLES)
_SETS = {
    name: frozenset(key(word) for word in words) | frozenset(words)
    for name, words in {
        "ignored": [*IGNORED.split(), *ASIDE],
        "aside": ASIDE,
        "number": NUMBERS,
        "total": TOTALS,
        "total row": TOTAL_ROWS,
        "count row": COUNT_ROWS,
        "missing": MISSING,
        "unplaced": UNPLACED,
        "not played": NOT_PLAYED,
        **OUTCOMES,
        # Letters that mean other things beside others: see `concordant.battles`.
        "left": (*OUTCOMES["left"], "l", "h", "w"),
        "right": (*OUTCOMES["right"], "r"),
    }.items()
}
_PLACES = {word: place for place, words in ORDINALS.items() for word in words.split()}
_CHOICES = frozenset(key(word) for word in CHOICE.split())
_NUMBERED = re.compile(r"(\d{1,3})(?:st|nd|rd|th|er|ere|re|e|eme|ieme|a|o|ª|º|te|ter|tes)?")


def role_words(role: str) -> tuple[str, ...]:
    """Return the names of columns with a role, the surest first."""
    return tuple(ROLES[role].split())


def is_word(kind: str, text: str) -> bool:
    """Return whether a text is one of the words of a kind.

    Example:
        >>> is_word("missing", "N/A"), is_word("unplaced", "DNF"), is_word("total row", "Summe:")
        (True, True, True)
    """
    words = _SETS[kind]
    return text.strip().casefold() in words or key(text) in words


@lru_cache(maxsize=16384)
def role_of(name: str) -> str | None:
    """Return the role that the name of a column shows.

    Example:
        >>> role_of("Judge ID"), role_of("Platz"), role_of("E-mail"), role_of("Merlot")
        ('voter', 'rank', 'ignored', None)
    """
    name = _NUMERO.sub("no ", english(name))
    whole = key(name)
    if not name.strip():
        return None
    if whole in _SETS["number"] or name.strip() in _SETS["number"]:
        return "number"
    if whole in _BY_WORD:
        return _BY_WORD[whole]
    if whole in _SETS["ignored"]:
        return "ignored"
    words = tokens(name)
    left = [word for word in words if word not in FILLERS]
    if len(left) == 1 and len(words) > 1:
        found = _BY_WORD.get(left[0]) if len(left[0]) > 1 else None
        if found and not ("total" in words and found in ("score", "low score")):
            return found
        if left[0] in _SETS["ignored"]:
            return "ignored"
    if {"your", "name"} <= set(words) or _NAMED & set(words):
        # "What's your name?"
        return "name"
    if len(words) == 2 and words[0] in _ASKED and words[1] in _ABOUT_ANSWERS:
        # "rating_time", beside "rating_score".
        return "ignored"
    if len(words) == 2 and words[0] in _ASKED and _BY_WORD.get(words[1]) in ("item", "score"):
        return _BY_WORD[words[1]]
    if whole.endswith("name") and _BY_WORD.get(whole.removesuffix("name")) == "voter":
        # "reviewername".
        return "voter"
    if words[-2:-1] in (["reviewer"], ["judge"]) and words[-1] in _SURENESS:
        return "ignored"
    shared = {_BY_WORD.get(word) for word in left}
    if len(left) > 1 and shared == {"count", "voter"}:
        # "Anzahl Stimmzettel".
        return "count"
    if len(words) < 4 and AMOUNTS & set(words) and COUNTED & set(words):
        # "Antal svar", "Number of voters".
        return "count"
    if DETAILS & set(words) and all(
        word in DETAILS or word in DETAIL_UNITS or _BY_WORD.get(word) == "item" for word in words
    ):
        # "Model Size (Million Parameters)".
        return "ignored"
    if len(words) == 2 and words[0] in _SETS["aside"] and len(words[1]) < 3:
        # "params_b".
        return "ignored"
    if (
        len(words) == 2
        and words[1] in ("by", "von", "par", "por", "da", "door")
        and _JUDGED.match(words[0])
    ):
        # "Scored by".
        return "voter"
    if len(words) > 1 and words[-1] in ("by", "von", "par") and shared == {None}:
        # "Snacks by".
        return "ignored"
    if (
        len(left) > 1
        and len(shared) == 1
        and shared & {"count", "weight", "rank", "item", "voter", "name"}
    ):
        # "Anzahl Stimmen", "Vote count", "gene_symbol".
        return _BY_WORD[left[0]]
    if len(words) == 2 and words[0] in ("from", "by", "voting"):
        # "From country", "By user".
        return "voter" if _BY_WORD.get(words[1]) in ("item", "voter", "name") else None
    metric = [word for word in left if word not in QUALIFIERS]
    if (
        len(metric) == 1
        and _BY_WORD.get(metric[0]) in ("score", "low score")
        and whole not in _SETS["total"]
        and "total" not in words
    ):
        return _BY_WORD[metric[0]]
    if whole.endswith("s") and _BY_WORD.get(whole[:-1]) in ("item", "voter"):
        return _BY_WORD[whole[:-1]]
    for role, ends in _COMPOUNDS.items():
        # "Vorstandsmitglied", "Abstimmungsvorschlag".
        if len(words) == 1 and whole.endswith(ends) and whole not in ends:
            return role
    for end in ("nummer", "nr"):
        # "Respondentnr".
        if len(words) == 1 and _BY_WORD.get(whole.removesuffix(end)) in ("item", "voter"):
            return _BY_WORD[whole.removesuffix(end)]
    inside = re.search(r"[(\[]([^()\[\]]+)[)\]]\s*$", name)
    if (
        inside
        and _BY_WORD.get(key(inside[1])) == "score"
        and _BY_WORD.get(key(name[: inside.start()]))
        in (
            "item",
            "voter",
            "name",
        )
    ):
        # "Idea (points)": a criterion.
        return None
    outside = re.sub(r"\([^()]*\)|\[[^\[\]]*\]", " ", name)
    if outside != name and outside.strip():
        # "Points (max. 100)"
        found = role_of(outside)
        if found == "weight" and re.search(r"[(\[]\s*(?:kg|g|lbs?|t|st)\.?\s*[)\]]", name):
            # Of a body or a thing.
            return "ignored"
        if found in ("score", "low score", "count", "weight", "voter", "item", "name"):
            return found
    if {"email", "mail", "timestamp", "comment", "comments", "kommentar"} & set(words):
        return "ignored"
    return None


_ASKED = frozenset({"rating", "response", "answer", "vote", "trial", "time", "decision", "choice"})
_ABOUT_ANSWERS = frozenset({"time", "taken", "comment", "duration", "date", "ms", "rt", "latency"})
# How well somebody knows what is judged.
_SURENESS = frozenset({"expertise", "confidence", "familiarity", "experience", "conviction"})
_COMPOUNDS = {
    "voter": ("mitglied", "teilnehmer", "teilnehmerin", "gutachter", "gutachterin", "richter"),
    "item": ("kandidat", "kandidatin", "bewerber", "bewerberin", "vorschlag"),
}
# "Wie heißt du?"
_NAMED = frozenset(
    {"heisst", "heissen", "appelles", "appelez", "llamas", "chiami", "chamas", "heet"}
)
_JUDGED = re.compile(
    r"(?:scored|rated|ranked|judged|evaluated|voted|reviewed|assessed|graded|marked|tasted|bewertet|"
    r"beurteilt|gewertet|note|juge|evalue|classe|evaluado|valorado|puntuado|valutato|giudicato|"
    r"avaliado|beoordeeld)$"
)


def side_of(name: str) -> str | None:
    """Return "voter" or "item" where a name such as `Judge 1` or `Wine B` shows it.

    Example:
        >>> side_of("Judge 1"), side_of("Wine B"), side_of("R2"), side_of("Merlot")
        ('voter', 'item', None, None)
    """
    words = [word for word in tokens(re.sub(r"(?<=[A-Za-z])(?=\d)", " ", english(name))) if word]
    if not words:
        return None
    # "Points judge 1": the word before the number.
    numbered = words[-2:-1] if words[-1].isdecimal() or len(words[-1]) == 1 else []
    for word in (words[0], words[-1], *numbered):
        role = _BY_WORD.get(word) or _BY_WORD.get(word.removesuffix("s"))
        if role in ("voter", "item") and len(words) <= 3:
            return role
    return None


def only_side(name: str) -> str | None:
    """Return "voter" or "item" where all words of a name that show one agree.

    Example:
        >>> only_side("Judge / Score"), only_side("Judge / Wine")
        ('voter', None)
    """
    found = {_BY_WORD.get(word) for word in tokens(name)} & {"voter", "item"}
    return found.pop() if len(found) == 1 else None


def is_row_number(name: str) -> bool:
    """Return whether a name such as `Sail No` or `St.-Nr.` shows numbers of rows.

    Example:
        >>> is_row_number("Sail No"), is_row_number("Startnr."), is_row_number("No")
        (True, True, False)
    """
    words = tokens(name)
    return (len(words) > 1 and words[-1] in _ROW_NUMBERS) or (
        len(words) == 1 and words[0].endswith(("nr", "nummer")) and len(words[0]) > 6
    )


_ROW_NUMBERS = frozenset({"no", "nr", "num", "number", "nummer", "numero", "id"})


def is_reference(name: str) -> bool:
    """Return whether a name such as `Paper ID` or `bib no.` shows numbers that only name things."""
    words = tokens(name)
    joined = any(word.endswith("id") and word[:-2] in _BY_WORD for word in words)
    return joined or not REFERENCES.isdisjoint(words)


def _split_compounds(words: list[str]) -> list[str]:
    """Split words such as `zweitwahl`, `forstaval`, `zweitliebstes` and `lieblingsfach`."""
    found = []
    for word in words:
        liked = re.fullmatch(r"(\w*?)(?:lieblings\w*|liebste[rsn]?|beste[rsn]?)", word)
        if liked and (not liked[1] or liked[1] in _PLACES) and word not in _PLACES:
            found += [*([liked[1]] if liked[1] else []), "favourite"]
            continue
        end = next(
            (c for c in COMPOUND_ENDS if word.endswith(c) and word[: -len(c)] in _PLACES), None
        )
        found += [word] if end is None else [word[: -len(end)], end]
    return found


@lru_cache(maxsize=16384)
def place_of(name: str) -> int | None:
    """Return the place that a name such as `1st choice` or `Zweite Wahl` stands for.

    Example:
        >>> [place_of(x) for x in ("Your 1st choice", "2. Wahl", "Primera opción", "Rank 3", "Ann")]
        [1, 2, 1, 3, None]
    """
    name = english(name)
    name = _WORTH.sub("", name)
    words = _split_compounds(tokens(re.sub(r"(?<=[A-Za-z])(?=\d)", " ", name)))
    if len(words) == 2 and words[0] == "most" and words[1] in LIKED:
        return 1
    if {"least", "last"} & set(words):
        return None
    if not any(word in _CHOICES for word in words):
        # "1st", "2nd", "1.", "#1" alone.
        bare = re.fullmatch(
            r"\s*(?:#\s*(\d{1,3})|(\d{1,3})\s*(?:st|nd|rd|th|\.?[ªº°]|\.|er|re|ère|e|ème|ste|de))\s*",
            name,
        )
        if bare:
            return int(bare[1] or bare[2])
        if key(name) == "runnerup":
            return 2
        return (
            _PLACES.get(words[0])
            if len(words) == 1 and words[0] in _PLACES and words[0] != "prima"
            else None
        )
    places = []
    for position, word in enumerate(words):
        match = _NUMBERED.fullmatch(word)
        if match:
            # "choice 1 of 5"
            if position and words[position - 1] in ("of", "von", "sur", "de", "di"):
                continue
            if position and _BY_WORD.get(words[position - 1]) == "voter":
                # "Rank Judge 1": the judge has the number.
                continue
            if (
                0 < position < len(words) - 1
                and words[position + 1] in _PLACE_WORDS
                and words[position - 1] not in _CHOICES
                and words[position - 1] not in FILLERS
            ):
                # "screen1_rank": the screen has the number.
                continue
            places.append(int(match[1]))
        elif word in _PLACES:
            places.append(_PLACES[word])
    if len(places) > 1:
        # "Mayor Choice 1 of 5 Citywide (7)": the number beside the word.
        beside = [
            int(match[1])
            for word, following in pairwise(words)
            if word in _CHOICES and (match := _NUMBERED.fullmatch(following))
        ]
        places = beside if len(beside) == 1 else places
    if len(places) == 1:
        return places[0]
    if not places and len(words) <= 2 and (words[0] in FAVOURITES or words[-1] in FAVOURITES):
        return 1
    return None


# "1st (5 pts)": what a place is worth.
_WORTH = re.compile(
    r"\s*[(\[]\s*\d{1,3}\s?(?:pts?|points?|punkte?|pkt|puntos?|punt[io]|pontos?)\.?\s*[)\]]\s*$",
    re.IGNORECASE,
)
_PLACE_WORDS = frozenset(
    {
        *("rank", "ranking", "position", "pos", "place", "rang", "platz", "puesto", "posicion"),
        *("posizione", "posto", "posicao", "plaats", "positie", "miejsce", "placering"),
    }
)


def ordinal(word: str) -> int | None:
    """Return the number of an ordinal such as `second` or `2nd`; None for other words."""
    word = english(word)
    if word in _PLACES:
        return _PLACES[word]
    match = _NUMBERED.fullmatch(word)
    return int(match[1]) if match and not word.isdecimal() else None


def is_last_place(name: str) -> bool:
    """Return whether a name such as `Least preferred` or `Last choice` stands for the last place.

    Example:
        >>> is_last_place("Least favourite"), is_last_place("Last name")
        (True, False)
    """
    words = tokens(name)
    return (
        1 < len(words) <= 4
        and bool(
            {"least", "last", "letzte", "letzter", "derniere", "dernier", "ultima"} & set(words)
        )
        and bool((_CHOICES | LIKED) & set(words))
    )


def column_role(name: str) -> str | None:
    """Return the role of a column, with "total" for sums and averages."""
    found = role_of(name)
    words = tokens(name)
    if found is None and (
        is_word("total", name)
        or _MEANS & set(words[1:])
        or not SUMS.isdisjoint(words)
        or is_overall(name)
    ):
        return "total"
    return found


_MEANS = frozenset({"total", "average", "mean", "avg", "durchschnitt", "gemiddelde", "promedio"})


def is_overall(name: str) -> bool:
    """Return whether a name speaks of the result of all parts.

    Example:
        >>> is_overall("GC gap"), is_overall("Gesamtplatz"), is_overall("Final exam")
        (True, True, False)
    """
    words = tokens(name)
    if len(words) == 1:
        # "Endplatzierung", "totaalscore".
        begin = next((b for b in _OVERALL_STEMS if words[0].startswith(b)), "")
        words = [begin.rstrip("s"), words[0][len(begin) :].lstrip("s")] if begin else words
    return (
        len(words) == 2
        and any(word in OVERALL for word in (words[0], words[-1]))
        and any(word in RESULTS or _BY_WORD.get(word) in _VALUES for word in words)
    )


# Beginnings of compounds.
_OVERALL_STEMS = ("gesamt", "end", "slut", "eind", "final", "total", "totaal")
_VALUES = ("rank", "score", "low score")


_ORDERED = re.compile(
    r"rank|order|prefer|ordn|reihenfolge|rang|sortier|class|ordre|orden|clasific|ordin|"
    r"classific|rangschik|volgorde|priorit|choice|top|ballot|vote|pick|reihe nach|zuerst|"
    r"best first|favou?rite first|d abord|primero|en premier|per primo|primeiro|eerst"
    rf"|{ORDERED}"
)


def is_ordered(name: str) -> bool:
    """Return whether the name of a column of lists says that their order counts.

    Example:
        >>> is_ordered("Ranking"), is_ordered("Tags")
        (True, False)
    """
    return _ORDERED.search(" ".join(tokens(name))) is not None
