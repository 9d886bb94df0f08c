"""Nested JSON: results of each voter, candidates by number, messages, chosen and rejected."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from concordant.errors import InputError, show
from concordant.reading.chats import Line, Thread
from concordant.reading.words import is_ordered, key, role_of, tokens


def _listed(words: str) -> tuple[str, ...]:
    return tuple(words.split())


def _words(words: str) -> frozenset[str]:
    return frozenset(_listed(words))


# The part of an object that holds the table, and parts that only describe it.
DATA = _words(
    "ballots votes rankings responses results data records rows battles annotations judgments "
    "judgements preferences comparisons matches answers entries scores ratings leaderboard "
    "engines runs lists messages submissions completions evaluations stimmen ergebnisse votos "
    "voti resultats resultados risultati classements"
)
META = _words(
    "metadata meta config info settings params parameters summary schema about source "
    "pagination links version options context stats statistics legend"
)
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


def data_part(value: dict[str, Any]) -> Any | None:
    """Return the part of an object that holds the table, where the others only describe it."""
    parts = {k: part for k, part in value.items() if isinstance(part, list | dict) and part}
    named = [k for k in parts if key(k) in DATA]
    others = [k for k in parts if k not in named and key(k) not in META]
    if len(named) == 1 and len(value) > len(named) and not others:
        return parts[named[0]]
    return None


def with_names(value: dict[str, Any]) -> dict[str, Any] | None:
    """Replace the numbers of candidates in ballots by their names, where a list has them."""
    lists = {k: v for k, v in value.items() if isinstance(v, list) and v}
    for name, keyed in value.items():
        ids = _names_by_id(keyed)
        if not ids:
            continue
        others = {k: v for k, v in lists.items() if k != name and key(k) in DATA}
        if len(others) == 1:
            ((place, ballots),) = others.items()
            replaced = [_replace(ballot, ids) for ballot in ballots]
            if replaced != ballots:
                return {**{k: v for k, v in value.items() if k != name}, place: replaced}
    return None


def _names_by_id(value: Any) -> dict[str, str]:
    """Return the names of candidates by their numbers: `[{"id": 1, "name": "Ann"}]`."""
    found = {}
    if isinstance(value, dict) and all(isinstance(v, str) for v in value.values()):
        return {str(k): v for k, v in value.items()} if all(k.isdecimal() for k in value) else {}
    if not isinstance(value, list) or not all(isinstance(each, dict) for each in value):
        return {}
    for each in value:
        number = next((each[k] for k in ("id", "key", "code", "number") if k in each), None)
        name = next((each[k] for k in ("name", "title", "label") if k in each), None)
        if not isinstance(number, str) or not isinstance(name, str):
            return {}
        found[number] = name
    return found if len(set(found.values())) == len(value) else {}


def _replace(ballot: Any, ids: dict[str, str]) -> Any:
    """Replace the numbers in the lists of a ballot, where all of them are known."""
    if isinstance(ballot, list):
        flat = [c for part in ballot for c in (part if isinstance(part, list) else [part])]
        if not flat or not all(isinstance(c, str) and c in ids for c in flat):
            return ballot
        return [[ids[c] for c in p] if isinstance(p, list) else ids[p] for p in ballot]
    if isinstance(ballot, dict):
        return {
            k: _replace(v, ids) if isinstance(v, list) else _by_name(v, ids)
            for k, v in ballot.items()
        }
    return ballot


def _by_name(value: Any, ids: dict[str, str]) -> Any:
    if isinstance(value, dict) and value and all(k in ids for k in value):
        return {ids[k]: v for k, v in value.items()}
    return value


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
    lists = [each.get(inner[0]) or [] for each in objects]
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
    for number, (each, results) in enumerate(zip(objects, lists, strict=True), start=1):
        who = each.get(voter) if voter is not None else str(number)
        for place, result in enumerate(results, start=1):
            amount = result.get(value) if value is not None else str(place)
            rows.append([who, result[item], amount, *([each[weight]] if weight else [])])
    shared = Counter(name for each in lists for name in {str(r[item]) for r in each})
    if value is None and sum(n for n in shared.values() if n > 1) < 0.5 * sum(shared.values()):
        return None
    how = f"by {show(value)}" if value is not None else "in the order of each list"
    note = f"items are {show(item)} in {show(inner[0])}, {how}"
    return rows, [f"{note}; voters are {show(voter)}" if voter is not None else note]


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
    numbers = [k for k in parts[0] if all(_is_number(part.get(k)) for part in parts)]
    for kind in ("rank", "score"):
        found = [k for k in numbers if role_of(k) == kind]
        if found:
            return found[0], kind
    return None, "rank"


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
    found = {}
    for role, words in (("winner", _WON), ("loser", _LOST)):
        for name in names:
            parts = set(tokens(name))
            if parts & words and parts - words and parts - words <= _OF_ITEM:
                found.setdefault(role, name)
    plain = {
        role: name
        for name in names
        if (role := role_of(name)) in ("winner", "loser") and set(tokens(name)) & (_WON | _LOST)
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
        value = next(
            (value[k] for k in ("nickname", "global_name", "name", "username") if value.get(k)), ""
        )
    return value if isinstance(value, str) else ""
