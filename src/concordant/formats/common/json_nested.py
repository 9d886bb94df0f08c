"""Nested JSON: results of each voter, candidates by number, messages, chosen and rejected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from concordant.errors import Hint, InputError, show
from concordant.reading.ends import best_end, metric_end
from concordant.reading.findings import QuestionError
from concordant.reading.outcome import question
from concordant.reading.vocabulary import METRICS
from concordant.reading.words import is_ordered, key, place_of, role_of, side_of, tokens

if TYPE_CHECKING:
    from concordant.reading.chats import Line, Thread


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def _words(words: str) -> frozenset[str]:
    return frozenset(_listed(words))


# The part of an object that holds the table, and parts that only describe it.
DATA = _words(
    "ballots votes rankings responses results data records rows battles annotations judgments "
    "judgements preferences comparisons matches answers entries scores ratings leaderboard "
    "engines runs lists messages submissions completions evaluations stimmen ergebnisse votos "
    "voti resultats resultados risultati classements puntuaciones puntajes calificaciones "
    "bewertungen wertungen punkte notes notas notations punteggi valutazioni pontuacoes avaliacoes "
    "beoordelingen oceny punkty betyg poang"
)
META = _words(
    "metadata meta config info settings params parameters summary schema about source "
    "pagination links version options context stats statistics legend poll survey election "
    "event contest question questions form creator owner author organizer organiser page paging "
    "tags scale"
)
# The keys of objects that name candidates by ids, of ids and of names in a list of candidates.
_OPTIONS = _words(
    "options candidates choices items labels names entries alternatives key legend nominees "
    "kandidaten optionen candidats opciones candidatos opzioni candidati opcoes opties kandidaci "
    "kandydaci kandidater alternativ"
)
# Keys around lists of numbers: of values in the order of names, or of the numbers of names.
_VALUES = _words("rank ranks place places position positions score scores points ratings marks")
_ORDER = _words("order orders choice choices preference preferences sequence")
_ID_KEYS = _listed("id key code number uuid guid slug optionid candidateid choiceid itemid")
_NAME_KEYS = _listed("name title label text option candidate choice value item displayname")
# Words of a contest, in which teams are judged.
_CONTEST = _words(
    "event contest competition hackathon round final finals semifinal heat jury judge judges cup "
    "championship tournament wettbewerb concours concurso concorso wedstrijd"
)
_DEEPEST, _MOST_LEVELS = 3, 20
_SENTENCE = 200
# Lists of results are in order, best first, whatever their name.
_RESULTS = _words(
    "results hits items docs documents entries list ranking order top sources passages "
    "retrieved recommendations suggestions predictions candidates finishers standings podium"
)
# The keys that name an item, the clearest first; the second row tells items apart best.
_NAMES = _listed(
    "item name title label candidate option model system product team player text document "
    "song movie film book gene symbol"
)
_IDENTITIES = _listed("url link uri href doi doc_id docid docno document_id id key code")
_TEXTS = ("text", "content", "message", "body")
_SENDERS = ("from", "sender_name", "sender", "author", "username", "user_name", "user", "name")
_WON = _words("winner winning chosen preferred better")
_LOST = _words("loser losing rejected worse dispreferred unpreferred nonpreferred")
_OF_ITEM = _words(
    "model models system item option name id candidate player team variant method policy "
    "source by label product"
)
_CALLED = ("nickname", "global_name", "name", "username")
_LONG = 40

Row = list[Any]
Names = dict[str, str]


class Part(NamedTuple):
    """The part of an object that holds the table, its key, and what the other parts say of it."""

    name: str
    value: Any
    titles: tuple[str, ...]


def data_part(value: dict[str, Any]) -> Part | None:
    """Return the part of an object that holds the table, where the others only describe it."""
    parts = {k: part for k, part in value.items() if isinstance(part, list | dict) and part}
    named = [k for k in parts if key(k) in DATA]
    others = [k for k in parts if k not in named and key(k) not in META]
    if len(named) == 1 and not others:
        return Part(named[0], parts[named[0]], best_ends(value) or (named[0],))
    return None


def best_ends(value: dict[str, Any]) -> tuple[str, ...]:
    """Return the texts of an object that say which end of the numbers is best.

    Example:
        >>> best_ends({"scale": "0-10, 10 is best", "higher_is_better": True, "round": "final"})
        ('0-10, 10 is best', 'higher is better')
    """
    found: list[str] = []
    for name, each in value.items():
        if isinstance(each, dict) and key(name) in {*META, "scale"}:
            found += best_ends(each)
        words = " ".join(tokens(name))
        if isinstance(each, bool) and best_end(words):
            other = {"higher": "lower", "lower": "higher"}
            flipped = " ".join(other.get(word, word) for word in words.split())
            found.append(words if each else flipped)
        elif isinstance(each, str):
            measure = metric_end(each, title=True) if METRICS & set(tokens(name)) else None
            if measure == "scores":
                # {"metric": "accuracy (%)"}
                found.append("higher is better")
            texts = (each, f"{words} = {each}")
            found += [text for text in texts if len(text) <= _SENTENCE and best_end(text)][:1]
    return tuple(found)


def voters_outside(outer: Iterable[str], inner: Iterable[str], around: Iterable[str]) -> bool:
    """Return whether objects in an object are the numbers that each voter gave.

    Names on one side are of one kind, so that one word such as `Judge` or `Team` shows it. Teams
    may also be those who rate, unless the words `around` speak of a contest.
    """
    sides = [{side_of(name) for name in names} - {None} for names in (outer, inner)]
    if sides[0] == {"voter"} and "voter" not in sides[1]:
        return True
    is_contest = any(set(tokens(text)) & _CONTEST for text in around)
    return sides[1] == {"item"} and not sides[0] and is_contest


# -- names of candidates by their ids --------------------------------------------------------


def with_names(value: Any, layout: str | None = None) -> tuple[Any, str, list[str]] | None:
    """Replace the ids or numbers of candidates by their names, where a list has these.

    Returns the value without this list, what was replaced ("" for nothing), and all names.

    Example:
        >>> options = [{"id": "7", "name": "Oslo"}, {"id": "8", "name": "Rome"}]
        >>> with_names({"options": options, "ballots": [["8", "7"]]})[0]
        {'ballots': [['Rome', 'Oslo']]}
        >>> with_names({"options": ["Oslo", "Rome", "Bonn"], "ballots": [["Rome", "Oslo"]]})[2]
        ['Oslo', 'Rome', 'Bonn']
    """
    for path, ids in _id_tables(value, ()):
        rest = _without(value, path)
        changed = _named(rest, ids, "", path[-1])
        if changed != rest:
            note = f"ids are replaced by the names in {show(path[-1])}"
            return changed, note, list(ids.values())
    for place, names in _lists_of_names(value):
        rest = _without(value, (place,))
        found = _numbered(rest, place, names, layout)
        if found is not None:
            return found, f"numbers belong to the names in {show(place)}, in order", names
        if len(_texts_in(rest) & set(names)) > 1:
            return rest, "", names
    return None


def _id_tables(value: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], Names]]:
    """Yield the lists that name candidates by ids, with their places; those of voters last."""
    if isinstance(value, list) and len(value) == 1:
        # One question of a survey, with its choices.
        yield from _id_tables(value[0], (*path, ""))
    if not isinstance(value, dict) or len(path) > _DEEPEST:
        return
    names = sorted(value, key=lambda name: role_of(name) == "voter")
    for name in names:
        ids = _names_by_id(value[name], name)
        if len(ids) > 1:
            yield (*path, name), ids
        else:
            yield from _id_tables(value[name], (*path, name))


def _lists_of_names(value: Any) -> Iterator[tuple[str, list[str]]]:
    """Yield the lists of names in an object that has the ballots in another part."""
    parts = value if isinstance(value, dict) and "columns" not in value else {}
    for place, part in parts.items():
        others = [each for k, each in parts.items() if k != place]
        deep = [each for each in others if isinstance(each, dict) or (each and _is_deep(each))]
        names = [_plain_name(each) for each in part] if isinstance(part, list) else []
        if (
            deep
            and len(set(names)) == len(names) > 1
            and all(names)
            and (key(place) in _OPTIONS or role_of(place) in ("item", None))
        ):
            yield place, names


def _is_deep(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict | list) for each in value)


def _plain_name(value: Any) -> str:
    """Return a name, or the name in an object such as `{"name": "Oslo"}`; "" for others."""
    if isinstance(value, dict):
        value = next((value[k] for k in value if key(k) in _NAME_KEYS), "")
    return value if isinstance(value, str) and not _is_number(value) else ""


def _texts_in(value: Any, depth: int = 0) -> set[str]:
    """Return the texts and the keys in a value."""
    if not isinstance(value, dict | list) or depth > _MOST_LEVELS:
        return {value} if isinstance(value, str) else set()
    found = set(value) if isinstance(value, dict) else set()
    parts = value.values() if isinstance(value, dict) else value
    return found.union(*(_texts_in(part, depth + 1) for part in parts))


def _numbered(rest: Any, place: str, names: list[str], layout: str | None) -> Any:
    """Give the numbers in lists the names that they stand for; None where there are no such lists.

    A list has the numbers of names, from 0 or from 1, or one value for each name.

    Raises:
        QuestionError: Both are plausible.
        InputError: Nothing shows whether the numbers begin with 0 or with 1.
    """
    lists: list[list[Any]] = []
    words: set[str] = set()

    def note(where: str, each: list[Any]) -> None:
        lists.append(each)
        words.update(tokens(where))

    _changed(rest, note)
    used = {cell for each in lists for cell in each}
    full = all(len(each) == len(names) for each in lists)
    whole = all(len(set(each)) == len(each) for each in lists) and all(
        isinstance(cell, str) and cell.isdecimal() and int(cell) <= len(names) for cell in used
    )
    least, last = "0" in used, str(len(names)) in used
    known = key(place) in _OPTIONS or role_of(place) == "item"
    square = (
        len(lists) == len(names)
        and full
        and all(lists[k][k] in (None, "0") for k in range(len(lists)))
    )
    if not lists or square or not (full or (whole and known)):
        return None
    if full and (not whole or (least and last) or words & _VALUES or layout == "wide"):
        return _changed(rest, lambda _, each: dict(zip(names, each, strict=True)))
    if least == last:
        if least:
            return None
        raise InputError(
            f"the rankings hold numbers of {show(place)}, which may begin with 0 or with 1: "
            "write the names in the rankings"
        )
    if full and last and not words & _ORDER and layout != "lists":
        asked = question(
            "order",
            f"the numbers in each list may be places of {show(place)}, or their numbers in order",
            Hint("layout", ("wide",), f"if the first number is the place of {show(names[0])}"),
            Hint("layout", ("lists",), "if the first number is that of the favourite"),
        )
        raise QuestionError([asked])
    return _changed(rest, lambda _, each: [names[int(cell) - last] for cell in each])


def _are_numbers(value: Any) -> bool:
    filled = [each for each in value if each is not None] if isinstance(value, list) else []
    return len(filled) > 0 and all(map(_is_number, filled))


def _changed(value: Any, change: Callable[[str, list[Any]], Any], where: str = "") -> Any:
    """Change the lists of numbers within objects and lists; `where` are the keys around them."""
    if isinstance(value, dict) and where.count(" ") <= _MOST_LEVELS:
        return {
            k: each if not where and _are_numbers(each) else _changed(each, change, f"{where} {k}")
            for k, each in value.items()
        }
    if _are_numbers(value):
        return change(where, value)
    if not isinstance(value, list) or where.count(" ") > _MOST_LEVELS:
        return value
    return [_changed(each, change, f"{where} ") for each in value]


def _names_by_id(value: Any, place: str) -> Names:
    """Return the names of candidates by their ids: `[{"id": 1, "name": "Ann"}]`."""
    if isinstance(value, dict):
        inner = [each for each in value.values() if isinstance(each, dict)]
        if inner and len(inner) == len(value):
            value = [{"id": k, **each} for k, each in value.items() if "id" not in each]
        elif key(place) in _OPTIONS or all(k.isdecimal() for k in value):
            texts = {k: v for k, v in value.items() if isinstance(v, str) and not _is_number(v)}
            return texts if len(set(texts.values())) == len(value) else {}
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return {}
    found: Names = {}
    for each in value:
        words = {key(k): v for k, v in each.items() if isinstance(v, str)}
        number = next((words[k] for k in _ID_KEYS if k in words), None)
        name = next((words[k] for k in _NAME_KEYS if k in words), None)
        if number is None or name is None or any(map(_is_number, (name,))):
            return {}
        if any(role_of(k) in ("rank", "score", "low score") for k in each) or number in found:
            # Rows of results.
            return {}
        found[number] = name
    return found if len(set(found.values())) == len(value) else {}


def _without(value: Any, path: tuple[str, ...]) -> Any:
    name, *rest = path
    if isinstance(value, list):
        return [_without(value[0], tuple(rest))]
    if not rest:
        return {k: v for k, v in value.items() if k != name}
    return {**value, name: _without(value[name], tuple(rest))}


def _named(value: Any, ids: Names, name: str, table: str) -> Any:
    """Replace ids in rankings, in the keys of objects, and beside a key such as `option_id`.

    Raises:
        InputError: A ranking has an id that the list of names does not have.
    """
    if isinstance(value, list):
        flat = [c for part in value for c in (part if isinstance(part, list) else [part])]
        known = [c for c in flat if isinstance(c, str) and c in ids]
        if flat and len(known) == len(flat):
            return [[ids[c] for c in p] if isinstance(p, list) else ids[p] for p in value]
        if len(known) > 1 and 2 * len(known) > len(flat) and is_ordered(name):
            other = next(c for c in flat if not isinstance(c, str) or c not in ids)
            raise InputError(f"a ranking has {show(other)}, which {show(table)} does not name")
        return [_named(each, ids, name, table) for each in value]
    if isinstance(value, dict):
        if len(value) > 1 and all(k in ids for k in value):
            return {ids[k]: v for k, v in value.items()}
        return {k: _named(v, ids, k, table) for k, v in value.items()}
    if not isinstance(value, str):
        return value
    if value in ids and _is_reference(name, table):
        return ids[value]
    if is_ordered(name) or ">" in value:
        pieces = re.split(r"(\s*[>=,;|]+\s*)", value)
        if len(pieces) > 1 and all(piece in ids for piece in pieces[::2]):
            return "".join(ids[p] if k % 2 == 0 else p for k, p in enumerate(pieces))
    return value


def _is_reference(name: str, table: str) -> bool:
    """Return whether a key such as `option_id` or `choice 1` holds the id of a candidate."""
    words = [word.rstrip("0123456789") for word in tokens(name) if not word.isdecimal()]
    stem = key(table).removesuffix("s")
    if not words or words == ["id"]:
        return False
    role = role_of(name) or role_of(" ".join(words))
    known = role in ("item", "winner", "loser", "left", "right") or place_of(name) is not None
    return known or stem in (words[0], key(name))


def results_rows(objects: Sequence[dict[str, Any]]) -> tuple[list[Row], list[str]] | None:
    """Return long rows from objects that each hold a list of results, and what was chosen.

    Example:
        >>> one = {"engine": "x", "results": [{"position": "1", "url": "a"}]}
        >>> results_rows([one, {**one, "engine": "y"}])[0]
        [['voter', 'item', 'rank'], ['x', 'a', '1'], ['y', 'a', '1']]
    """
    if len(objects) < 2:
        return None
    names = list(dict.fromkeys(name for each in objects for name in each))
    inner = [name for name in names if _are_results([each.get(name) for each in objects])]
    decided = {"winner", "loser", "left", "right", "rank"}
    if len(inner) != 1 or any(role_of(n) in decided for n in names if n != inner[0]):
        return None
    lists = [[_plain_parts(part) for part in each.get(inner[0]) or []] for each in objects]
    item = _item_key(lists)
    if item is None:
        return None
    value, kind = _value_key(lists)
    if value is None and not (is_ordered(inner[0]) or key(inner[0]) in _RESULTS):
        return None
    voter = _voter_key(objects, [name for name in names if name != inner[0]])
    weight = next((n for n in names if role_of(n) in ("count", "weight")), None)
    if weight is not None and not all(_is_number(each.get(weight)) for each in objects):
        weight = None
    head = ["voter", "item", kind, *([str(role_of(weight))] if weight else [])]
    rows: list[Row] = [head]
    low = [kind == "score" and _least_is_best(each) for each in objects]
    for number, (each, results) in enumerate(zip(objects, lists, strict=True), start=1):
        who = each.get(voter) if voter is not None else str(number)
        for place, result in enumerate(results, start=1):
            amount = result.get(value) if value is not None else str(place)
            if low[number - 1] and amount is not None:
                amount = amount.removeprefix("-") if amount[0] == "-" else f"-{amount}"
            rows.append([who, result[item], amount, *([each[weight]] if weight else [])])
    shared = Counter(name for each in lists for name in {str(r[item]) for r in each})
    if value is None and sum(n for n in shared.values() if n > 1) < 0.5 * sum(shared.values()):
        return None
    how = f"by {show(value)}" if value is not None else "in the order of each list"
    note = f"items are {show(item)} in {show(inner[0])}, {how}"
    notes = [f"{note}; voters are {show(voter)}" if voter is not None else note]
    if any(low):
        names = [show(each[voter]) if voter else str(k) for k, each in enumerate(objects, 1)]
        shown = ", ".join(name for name, is_low in zip(names, low, strict=True) if is_low)
        notes.append(f"the lowest is best in {shown}: these numbers get the opposite sign")
    return rows, notes


def _least_is_best(each: dict[str, Any]) -> bool:
    """Return whether an object says that the lowest of its numbers is best."""
    return {best_end(text) for text in best_ends(each)} == {"ranks"}


def _plain_parts(part: Any) -> Any:
    """Return a result with the name of what it contains as an object: `{"team": {"name": "X"}}`."""
    if not isinstance(part, dict):
        return part
    return {
        k: next((v[n] for n in v if key(n) in _NAME_KEYS and isinstance(v[n], str)), v)
        if isinstance(v, dict)
        else v
        for k, v in part.items()
    }


def _are_results(values: Sequence[Any]) -> bool:
    filled = [each for each in values if each is not None]
    lists = [each for each in filled if isinstance(each, list) and each]
    if not lists or not all(isinstance(each, list) for each in filled):
        return False
    objects = [part for each in lists for part in each]
    if not all(isinstance(part, dict) for part in objects):
        return False
    # Messages of a conversation are no results.
    return not all({"role", "content"} <= part.keys() for part in objects)


def _item_key(lists: Sequence[list[dict[str, Any]]]) -> str | None:
    """Return the key that names the items: present everywhere, and once in each list."""
    parts = [part for each in lists for part in each]
    keys = [k for k in parts[0] if all(isinstance(part.get(k), str) for part in parts)]
    keys = [
        k
        for k in keys
        if all(len({part[k] for part in each}) == len(each) for each in lists)
        and not (all(_is_number(part[k]) for part in parts) and key(k) not in map(key, _IDENTITIES))
        and role_of(k) not in ("rank", "score", "low score")
    ]
    by_word = {key(k): k for k in keys}
    named = [by_word[key(w)] for w in _NAMES if key(w) in by_word]
    named += [k for k in keys if role_of(k) == "item" and k not in named]
    known = [
        by_word[key(w)] for w in _IDENTITIES if key(w) in by_word and by_word[key(w)] not in named
    ]
    if named and known:
        pairs = {(part[named[0]], part[known[0]]) for part in parts}
        same = len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        # A page may have another title in each list.
        return named[0] if same else known[0]
    return next(iter([*named, *known, *keys]), None)


def _value_key(lists: Sequence[list[dict[str, Any]]]) -> tuple[str | None, str]:
    """Return the key that orders the items, and whether it is a rank or a score."""
    parts = [part for each in lists for part in each]
    # A score may be missing.
    given = {k: [part[k] for part in parts if part.get(k) is not None] for k in parts[0]}
    numbers = [k for k, each in given.items() if each and all(map(_is_number, each))]
    for kind in ("rank", "score"):
        found = [k for k in numbers if role_of(k) == kind]
        if found:
            return found[0], kind
    # "note": marks, where some are above 6.
    marks = [k for k in numbers if max(map(float, given[k])) > 6]
    marks = [k for k in marks if metric_end(k, large=True) == "scores"]
    return (marks[0], "score") if len(marks) == 1 else (None, "rank")


def _voter_key(objects: Sequence[dict[str, Any]], names: Sequence[str]) -> str | None:
    unique = [
        name
        for name in names
        if all(isinstance(each.get(name), str) for each in objects)
        and len({each[name] for each in objects}) == len(objects)
    ]
    for roles in (("voter",), ("name",), ("item",)):
        found = [name for name in unique if role_of(name) in roles]
        if found:
            return found[0]
    return next((name for name in unique if role_of(name) not in ("count", "weight")), None)


def _is_number(value: Any) -> bool:
    return isinstance(value, str) and re.fullmatch(r"-?\d+(\.\d+)?(e-?\d+)?", value) is not None


def named_battles(names: Sequence[str], rows: Sequence[Row]) -> list[str] | None:
    """Return the names of columns with `chosen_model` and `rejected_model` as winner and loser.

    Raises:
        InputError: The chosen and rejected values are texts, and nothing names the items.
    """
    found: dict[str, str] = {}
    for role, words in (("winner", _WON), ("loser", _LOST)):
        for name in names:
            parts = set(tokens(name))
            if parts & words and parts - words and parts - words <= _OF_ITEM:
                found.setdefault(role, name)
    plain = {
        kind: name
        for name in names
        if (kind := role_of(name)) in ("winner", "loser") and set(tokens(name)) & (_WON | _LOST)
    }
    if len(found) == 2:
        changed = {v: k for k, v in found.items()}
        changed |= {v: f"{v} text" for v in plain.values() if v not in changed}
        return [changed.get(name, name) for name in names]
    if len(plain) == 2 and _are_texts(rows, [list(names).index(n) for n in plain.values()]):
        shown = " and ".join(show(name) for name in plain.values())
        raise InputError(
            f"{shown} hold texts, and nothing names the models that wrote them: add columns such "
            "as chosen_model and rejected_model"
        )
    return None


def _are_texts(rows: Sequence[Row], places: Iterable[int]) -> bool:
    cells = [row[k] for row in rows[:200] for k in places if k < len(row) and row[k] is not None]
    if any(isinstance(cell, list | dict) for cell in cells):
        return True
    texts = [str(cell) for cell in cells]
    return (
        len(texts) > 1
        and len(set(texts)) > 0.9 * len(texts)
        and sum(len(text) > _LONG or " " in text for text in texts) > 0.5 * len(texts)
        and sum(len(text) > _LONG for text in texts) > 0
    )


def chat_of(value: Any) -> Thread | None:
    """Return the messages of a chat that was exported as JSON; None where there are none."""
    if isinstance(value, dict):
        parts = [v for k, v in value.items() if key(k) == "messages" and isinstance(v, list)]
        value = parts[0] if len(parts) == 1 else None
    if not isinstance(value, list) or not value:
        return None
    from concordant.reading.chats import Line, Thread

    lines: list[Line] = []
    hits = 0
    for row, each in enumerate(value):
        if not isinstance(each, dict) or any(
            role_of(k) in ("rank", "score", "winner") for k in each
        ):
            return None
        text = next((_text(each[k]) for k in _TEXTS if k in each), None)
        sender = next((_sender(each[k]) for k in _SENDERS if each.get(k)), "")
        if isinstance(each.get("user_profile"), dict):
            sender = each["user_profile"].get("real_name") or sender
        hits += bool(text and sender)
        lines += [
            Line(row, part.strip(), sender) for part in (text or "").split("\n") if part.strip()
        ]
    return Thread("chat", lines, []) if hits >= 2 and hits >= 0.5 * len(value) else None


def _text(value: Any) -> str:
    if isinstance(value, list):
        return "".join(part if isinstance(part, str) else _text(part) for part in value)
    if isinstance(value, dict):
        return str(value.get("text") or "")
    return value if isinstance(value, str) else ""


def _sender(value: Any) -> str:
    if isinstance(value, dict):
        value = next((value[k] for k in _CALLED if value.get(k)), "")
    return value if isinstance(value, str) else ""
