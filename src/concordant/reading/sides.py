"""Which column of a wide table names its rows, and whether these are voters or items."""

from __future__ import annotations

import re

from concordant.reading.cells import Column
from concordant.reading.ends import PLACES, best_end, goal_end, is_p_value, metric_end
from concordant.reading.lexicon import HONORIFICS
from concordant.reading.long_voters import is_group
from concordant.reading.outcome import Roles
from concordant.reading.outsiders import has_unit
from concordant.reading.places import is_ranking, is_strict, once, share_of_ranks
from concordant.reading.scripts import english
from concordant.reading.sheet import Sheet
from concordant.reading.totals import adds_up
from concordant.reading.values import named_winners, vectors_of
from concordant.reading.vocabulary import (
    COMPETITORS,
    CRITERIA,
    EITHER,
    ENTRANTS,
    JUDGES,
    ORIGINS,
    PEOPLE,
    REGIONS,
)
from concordant.reading.words import (
    folded,
    is_reference,
    is_row_number,
    is_word,
    key,
    only_side,
    side_of,
    tokens,
)


def find_label(sheet: Sheet, roles: Roles, columns: list[Column]) -> Column | None:
    """Return the column that names the rows."""
    if "voter" in roles.given:
        return roles.given["voter"]
    if "item" in roles.given:
        return roles.given["item"]
    taken = {c.index for c in columns}
    others = [c for c in roles.free if c.index not in taken and not _are_goals(c)]
    found = _label_by_words(sheet, roles, columns, others)
    if found is None or roles.by_word.get(found.index) != "item" or not _repeats(found):
        return found
    # The town or the club of what another column names.
    apart = [
        c
        for c in others
        if c.kind == "text"
        and roles.by_word.get(c.index) in (None, "name")
        and c.index < columns[0].index
        and not is_reference(c.name)
        and not _repeats(c)
    ]
    return apart[0] if len(apart) == 1 else found


def _label_by_words(
    sheet: Sheet, roles: Roles, columns: list[Column], others: list[Column]
) -> Column | None:
    named = [c for c in others if roles.by_word.get(c.index) == "name" and c.kind == "text"]
    if named and any(is_group(c) for c in others):
        # Beside a name, the club is not ranked.
        return named[0]
    apart = [c for c in named if not _repeats(c)]
    known = [c for c in others if roles.by_word.get(c.index) in ("item", "voter")]
    if apart and known and all(c.kind == "text" and _repeats(c) for c in known):
        # The name of a run, beside the user who started several.
        return apart[0]
    for wanted in (("item", "voter"), ("name",)):
        # Texts first: an item may be called Heat.
        for column in sorted(others, key=_coarseness):
            if roles.by_word.get(column.index) in wanted and column.kind != "empty":
                return column
    # A sail number names a row only where nothing else does.
    for column in sorted(others, key=lambda c: is_row_number(c.name)):
        role = roles.by_word.get(column.index)
        if column.kind == "text" and role is None and column.index < columns[0].index:
            if len(set(column.cells)) == 1 < len(column.cells):
                # The same in all rows.
                continue
            if _repeats(column) and any(c.kind == "stamp" for c in sheet.columns):
                # The ward of those who answer a form.
                continue
            return column
    ids = [c for c in others if c.kind == "text" and is_reference(c.name) and not _repeats(c)]
    if ids and any(c.kind == "stamp" for c in sheet.columns):
        # The numbers that a form gives its answers.
        return ids[0]
    texts = [c for c in others if c.kind == "text" and c.index not in roles.by_word]
    if len(texts) == 1 and len(set(map(str.strip, texts[0].cells))) == len(texts[0].cells):
        return texts[0]
    for column in others:
        if roles.by_word.get(column.index) == "number":
            return column
    for column in others:
        # A service or a region may be ranked, where nothing else names the rows.
        if (
            column.kind == "text"
            and column.index < columns[0].index
            and len(set(map(str.strip, column.cells))) == len(column.cells) > 2
            and not any(c.kind in ("stamp", "mail") for c in sheet.columns)
        ):
            return column
    mail = next((c for c in others if c.kind == "mail"), None)
    if mail is not None:
        return mail
    numbered = [c for c in others if c.kind == "number" and key(c.name) in COMPETITORS]
    if len(numbered) == 1 and not _repeats(numbered[0]):
        # The start numbers of couples, beside their judges.
        return numbered[0]
    # Numbers name the rows, where the other columns are judges or races.
    first, *rest = columns
    if (
        len(rest) > 1
        and [c for c in columns if roles.by_word.get(c.index) == "item"] == [first]
        and len(set(first.numbers)) == len(first.cells)
        and not once(first.numbers)
        and is_strict(vectors_of(rest, transposed=True))
    ):
        return first
    return None


def _coarseness(column: Column) -> tuple[bool, bool, bool, bool, bool]:
    """Order columns by how well they name rows: a university rather than its country.

    A book comes before its author.
    """
    words = set(tokens(column.name))
    makers = bool(words & _MAKERS)
    again = _repeats(column)
    return column.kind != "text", is_group(column), bool(words & ORIGINS), again, makers


# Who made what is ranked beside them.
_MAKERS = frozenset(
    {
        *("author", "authors", "autor", "autorin", "auteur", "autrice", "autore", "autora"),
        *("auteurs", "autores", "autori", "artist", "artists", "artiste", "artista", "artiest"),
        *("kunstler", "kunstlerin", "interpret", "interprete", "composer", "komponist", "director"),
        *("regisseur", "realisateur", "brewery", "brauerei", "brasserie", "winery", "weingut"),
        *("producer", "produttore", "producteur", "productor", "publisher", "verlag"),
    }
)


_TITLED = [[word] for word in HONORIFICS]
# Words that a person answers with, beside which nobody is judged.
_ANSWER = re.compile(
    r"(?:yes|no|maybe|ja|nein|oui|non|si|sim|nao|nee|tak|nie|nej|if need be|ifneedbe)$|"
    r".*(?:agree|import|wichtig|belangrijk|viktig|wazn|stimme|accord|acuerdo|concord|oneens|"
    r"souhlas|katiliyorum|setuju|[×✕✖△▲○〇◯◎]$|"
    r"zgadzam|instammer|interested|likely|satisf|zufrieden|tevreden|nojd|zadowol)"
)


_YEAR = re.compile(
    r"\s*(?:[QT][1-4]\s)?(?:19|20)\d\d(?:\s?[-/]\s?(?:\d\d|(?:19|20)\d\d)|\s?-?[QT][1-4])?\s*",
    re.IGNORECASE,
)
_PERCENT = re.compile(r"\(\s*%")


def _is_year(name: str) -> bool:
    return _YEAR.fullmatch(name) is not None


def summed_side(sheet: Sheet, roles: Roles, columns: list[Column]) -> bool | None:
    """Return whether totals show that rows are items (True) or voters (False).

    What is added up are the votes for an item; each voter has the same points to give.
    """
    taken = {c.index for c in columns}
    by_row = any(
        c.numeric
        and c.index not in taken
        and (roles.by_word.get(c.index) == "total" or adds_up(c, columns))
        and len({v for v in c.numbers if v is not None}) > 1
        and not is_ranking([v for v in c.numbers if v is not None])
        for c in sheet.columns
    )
    by_column = sheet.summed
    return by_row if by_row != by_column else None


def _is_detail(column: Column) -> bool:
    """Return whether a column says what a thing or a person is: a price, a year of birth."""
    money = column.numeric and any(set(cell) & set("€$£") for cell in column.cells)
    return money or is_word("aside", column.name)


def _answers(column: Column) -> bool:
    """Return whether the words of a column are answers: yes, agree, important."""
    words = {folded(english(cell.strip())) for cell in column.cells[:200] if cell.strip()}
    return any(_ANSWER.match(word) for word in words)


def _are_goals(column: Column) -> bool:
    """Return whether a column says of each row whether to minimise or to maximise it."""
    cells = {cell.strip() for cell in column.cells[:200]}
    return column.kind == "text" and all(goal_end(cell) or best_end(cell) for cell in cells)


def _repeats(column: Column) -> bool:
    """Return whether a column has a cell twice, so that it does not name the rows."""
    cells = [cell.strip() for cell in column.cells]
    return len(set(cells)) < len(cells)


def find_side(sheet: Sheet, roles: Roles, columns: list[Column], label: Column) -> bool | None:
    """Return whether words show that rows are items (True) or voters (False)."""
    if "item" in roles.given:
        return True
    if named_winners(sheet, columns) is not None:
        # Each row is a game that one of the columns won.
        return False
    if sheet.questions and all(c.index in sheet.questions for c in columns):
        asked = [tokens(head) for head in set(sheet.questions.values())]
        ranked = share_of_ranks(vectors_of(columns, transposed=False), len(columns)) == 1
        if ranked and all(PLACES & set(words) for words in asked):
            # The places of each row, by the items.
            return False
    role = roles.by_word.get(label.index) or only_side(label.name)
    if label.index not in roles.by_word and metric_end(label.name) == "ranks":
        # "Runtime in seconds" above the names of the rows speaks of the cells.
        role = None
    heads = [side_of(column.name) for column in columns]
    if role == "voter" and key(label.name) in EITHER and "item" not in heads:
        # A topic of a search, or one to vote on: the numbers decide.
        role = None
    if PEOPLE & set(tokens(label.name)) and all(c.starred for c in columns):
        # Children give stars to books.
        return False
    if PEOPLE & set(tokens(label.name)) and not any(c.points for c in columns):
        judged = sum(
            (h == "voter" and not PEOPLE & set(tokens(c.name)))
            or tokens(c.name)[:1] in ([word] for word in HONORIFICS)
            for h, c in zip(heads, columns, strict=True)
        )
        # Pupils run and jump: seconds and metres.
        return True if judged > len(heads) / 2 or all(has_unit(c.name) for c in columns) else None
    judges = [
        h == "voter" and not ENTRANTS & set(tokens(c.name))
        for h, c in zip(heads, columns, strict=True)
    ]
    if ENTRANTS & set(tokens(label.name)) and sum(judges) > len(heads) / 2:
        # Judges mark those who take part.
        return True
    periods = len(columns) > 1 and all(_is_year(c.name) for c in columns)
    if periods and (role != "voter" or key(label.name) in ("unit", "lab", "station")):
        # The places of towns in 2022 and 2023.
        return True
    ends = [sheet.goals.get(c.index) or best_end(c.name) for c in columns]
    if all(ends) and len(set(ends)) > 1:
        # To be small in one column and large in another: things are compared.
        return True
    if key(label.name) in COMPETITORS:
        return True
    if role == "name" and any(COMPETITORS & {key(c.name)} for c in sheet.columns):
        return True
    if role == "voter" and heads.count("voter") > len(heads) / 2:
        # Managers rank employees: the places decide.
        return None
    if role in ("voter", "item"):
        return role == "item"
    if CRITERIA & set(tokens(label.name)):
        return False
    if any(c.ticked for c in columns) and not label.name.strip():
        return False
    if (
        (role == "name" or not label.name.strip())
        and all(c.points and c.worded for c in columns)
        and _answers(columns[0])
    ):
        # Each person answers in words: yes, if need be, no.
        return False
    measured = [
        sheet.goals.get(c.index)
        or best_end(c.name)
        or metric_end(c.name)
        or is_p_value(c.name)
        or _PERCENT.search(c.name)
        for c in columns
    ]
    if 2 * sum(map(bool, measured)) > len(columns) and not sheet.questions:
        # Accuracy, latency, seconds: each is a way to measure what the rows name.
        return True
    judged = any(JUDGES & set(tokens(title)) for title in sheet.titles)
    if judged and label.name.strip() and role is None and not metric_end(label.name):
        # "Scores of the jury" above the flavours, which the corner names.
        return True
    final = [c for c in sheet.columns if roles.by_word.get(c.index) == "rank" and c not in columns]
    if role == "name" and any(is_ranking([v for v in c.numbers if v]) for c in final):
        return True
    if not label.name.strip() and all(metric_end(cell) for cell in label.cells[:200]):
        # squad_f1, mnli_accuracy: each row is a way to measure what the columns name.
        return False
    titled = [tokens(cell)[:1] in _TITLED for cell in label.cells[:200]]
    if (
        role is None
        and label.name.strip()
        and sum(titled) > len(titled) / 2
        and "voter" not in heads
    ):
        # Mrs Pugh, Dr. Salas.
        return False
    sides = [side_of(cell) for cell in label.cells[:200]]
    if heads.count("voter") > len(heads) / 2 or sides.count("item") > len(sides) / 2:
        return True
    if heads.count("item") > len(heads) / 2 or sides.count("voter") > len(sides) / 2:
        return False
    if {"rate", "bewerten", "noter", "valora"} & set(tokens(label.name)):
        return False
    if sheet.questions or label.kind in ("mail", "stamp") or role == "number":
        return False
    if REGIONS & set(tokens(label.name)) and not any(measured):
        # The votes of each district.
        return False
    # Columns of a form show that each row is an answer; sums of the rows, that each is an item.
    stamped = any(c.kind in ("stamp", "mail") for c in sheet.columns)
    if summed_side(sheet, roles, columns):
        return None if stamped else True
    form = stamped or any(
        roles.by_word.get(c.index) == "ignored" and not _is_detail(c) for c in sheet.columns
    )
    return False if form else None
