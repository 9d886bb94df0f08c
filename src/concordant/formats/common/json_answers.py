"""Answers deep in JSON: the list of names that each response of a form provider holds somewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from concordant.reading.words import is_ordered, key, tokens

_DEEPEST = 12
# The keys of names, beside those of ids.
_NAMES = frozenset(
    ["labels", "names", "titles", "texts", "values", "options", "choices", "selected"]
)
Path = tuple[str, ...]
# The keys around a list, and whether an object around it speaks of an order.
Place = tuple[Path, bool]


def answers_rows(objects: Sequence[dict[str, Any]]) -> tuple[list[list[Any]], str] | None:
    """Return a row with a list of names for each object, and what was chosen; None without lists.

    Example:
        >>> def answer(*names):
        ...     field = {"type": "ranking"}
        ...     return {"id": "1", "answers": [{"field": field, "choices": {"labels": [*names]}}]}
        >>> answers_rows([answer("tea", "milk"), answer("milk", "tea")])[0]
        [['ranking'], [['tea', 'milk']], [['milk', 'tea']]]
    """
    if len(objects) < 2 or not any(_is_nested(v) for each in objects for v in each.values()):
        return None
    found: list[dict[Place, list[str]]] = []
    twice: set[Place] = set()
    for each in objects:
        known: dict[Place, list[str]] = {}
        for place, names in _lists(each, (), ordered=False):
            # Several questions of one kind.
            twice |= {place} & known.keys()
            known[place] = names
        found.append(known)
    often = Counter(place for each in found for place in each)
    places = [
        place
        for place, times in often.items()
        # Some may have skipped the question.
        if 2 * times > len(objects)
        and len(place[0]) > 2
        and _are_shared([each[place] for each in found if place in each])
    ]
    places = [place for place in places if place[1]] or places
    named = [place for place in places if key(place[0][-1]) in _NAMES]
    if len({path[:-1] for path, _ in places}) > 1 or len(named or places) != 1:
        return None
    (chosen,) = named or places
    if chosen in twice:
        return None
    path, ordered = chosen
    head = "ranking" if ordered or any(map(is_ordered, path)) else path[-1]
    rows: list[list[Any]] = [[head], *([each.get(chosen, [])] for each in found)]
    return rows, f"each ranking is a list under {' / '.join(dict.fromkeys(path))!r}"


def _is_nested(value: Any) -> bool:
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return any(isinstance(part, dict | list) for part in parts)


def _lists(value: Any, path: Path, *, ordered: bool) -> Iterator[tuple[Place, list[str]]]:
    """Yield the lists of names in a value; `"type": "ranking"` speaks of an order."""
    if len(path) > _DEEPEST:
        return
    if isinstance(value, dict):
        words = [each for each in _texts(value) if len(each) < 60]
        ordered = ordered or any("rank" in tokens(w) or "ranking" in tokens(w) for w in words)
        for name, each in value.items():
            yield from _lists(each, (*path, name), ordered=ordered)
    elif isinstance(value, list):
        texts = [_name(each) for each in value]
        if len(texts) > 1 and all(texts) and len(set(texts)) == len(texts):
            yield (path, ordered), texts
        else:
            for each in value:
                yield from _lists(each, path, ordered=ordered)


def _texts(value: dict[str, Any]) -> list[str]:
    """Return the texts in an object, and in the objects in it that hold nothing else."""
    found = [each for each in value.values() if isinstance(each, str)]
    for each in value.values():
        if isinstance(each, dict) and all(isinstance(v, str) for v in each.values()):
            found += each.values()
    return found


def _name(value: Any) -> str:
    """Return a text, or the text alone in an object: `{"value": "tea"}`."""
    if isinstance(value, dict) and len(value) == 1:
        value = next(iter(value.values()))
    return value if isinstance(value, str) else ""


def _are_shared(lists: list[list[str]]) -> bool:
    """Return whether lists name the same items in different order."""
    often = Counter(name for each in lists for name in each)
    shared = sum(times for times in often.values() if times > 1)
    return 2 * shared >= sum(often.values()) and len({tuple(each) for each in lists}) > 1
