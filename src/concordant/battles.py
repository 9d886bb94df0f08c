"""Battles: comparisons of two items, from columns such as winner and loser, or two sides."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
import numpy.typing as npt

from concordant._types import Item
from concordant.errors import Hint, InputError, SettingError, listed, show
from concordant.reading.vocabulary import ENDS, OUTCOMES
from concordant.reading.words import role_words
from concordant.tables.building import Table, ranking_count
from concordant.tables.columns import Name, RowError, is_count
from concordant.tables.frames import open_frame
from concordant.tables.values import (
    Numbered,
    Values,
    fit,
    name_list,
    number_names,
    number_rows,
    read_ranks,
    read_weights,
)

# Who wins: the left side, the right side, nobody; or the outcome is unknown.
LEFT, RIGHT, TIE, UNKNOWN = 1, -1, 0, 2
_MEANINGS = {"left": LEFT, "right": RIGHT, "tie": TIE}


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split(", "))


_CODES = {"left": LEFT, "right": RIGHT, "tie": TIE, "left flag": LEFT, "right flag": RIGHT}
_WORDS = {word: _CODES[side] for side, words in OUTCOMES.items() for word in words}
# The words that an error lists.
_KNOWN_WORDS = (
    "the name of a side or of its column; a, b; left, right; home, away; win, loss; 1, 2; 1, 0; "
    "tie, draw, 0.5, X"
)
# A result such as 2:1 or 2-1: the points of both sides.
_RESULT = re.compile(r"\s*(\d{1,6})\s*[-:–]\s*(\d{1,6})\s*")

# What else the names of the two sides may say.
_SIDES = _words(
    ", model, team, player, item, option, candidate, side, contestant, competitor, opponent, "
    "product, name, system, method, fighter, club, athlete, image, mannschaft, équipe, equipo, "
    "squadra"
)
_POINTS = _words(
    "goals, goal, score, scores, points, point, pts, runs, sets, games, tore, punkte, buts, goles, "
    "gols, reti"
)
_WINNERS, _LOSERS = role_words("winner"), role_words("loser")
_OUTCOMES = (*_WINNERS, *role_words("outcome"), "choice")
_WEIGHTS = _words("weight, weights, count, counts")
# Abbreviations of football tables: (full-time) home goals, away goals.
_SHORT_POINTS = (("fthg", "hg"), ("ftag", "ag"))


@dataclass(frozen=True, slots=True)
class BattlePlan:
    """The columns of a table of battles. Names of columns, or None where there is none.

    Attributes:
        winner, loser: The item that won and the item that lost.
        left, right: The two items, if another column says who won.
        outcome: The column that says who won.
        left_points, right_points: The points of both sides; the higher number wins.
        weight, voter: The weight of the battle and its judge.
    """

    winner: Name | None = None
    loser: Name | None = None
    left: Name | None = None
    right: Name | None = None
    outcome: Name | None = None
    left_points: Name | None = None
    right_points: Name | None = None
    weight: Name | None = None
    voter: Name | None = None

    @property
    def used(self) -> list[Name]:
        """All columns that are read."""
        names = (getattr(self, field.name) for field in fields(self))
        return [name for name in names if name is not None]


def plan_battles(
    names: Sequence[Name],
    *,
    winner: Name | None = None,
    loser: Name | None = None,
    left: Name | None = None,
    right: Name | None = None,
    outcome: Name | None = None,
    left_points: Name | None = None,
    right_points: Name | None = None,
    weight: Name | None = None,
    voter: Name | None = None,
) -> BattlePlan | None:
    """Find the columns of battles, from their names and from the arguments.

    Returns None if the names do not show battles. Arguments name the columns whose names do not
    show it. Beside two sides, `winner` is the same as `outcome`.

    Raises:
        InputError: There is no column of a given name, or two pairs of columns may be the sides.

    Example:
        >>> plan = plan_battles(["model_a", "model_b", "winner", "language"])
        >>> plan.left, plan.right, plan.outcome
        ('model_a', 'model_b', 'winner')
        >>> plan_battles(["Winner", "Loser"]).loser
        'Loser'
        >>> plan_battles(["voter", "item", "rank"])
    """
    given = {"winner": winner, "loser": loser, "left": left, "right": right, "outcome": outcome}
    given |= {"left_points": left_points, "right_points": right_points}
    given |= {"weight": weight, "voter": voter}
    for role, name in given.items():
        if name is not None and name not in names:
            raise InputError(
                f"there is no column {show(name)} for {role}: the columns are {listed(names)}"
            )
    taken = {name for name in given.values() if name is not None}
    keys = {name: _key(name) for name in names if isinstance(name, str) and name not in taken}
    if given["weight"] is None:
        given["weight"] = _first(keys, _WEIGHTS)
    two_sides = left is not None or right is not None or outcome is not None
    if not two_sides and left_points is None:
        won = winner if winner is not None else _first(keys, _WINNERS)
        lost = loser if loser is not None else _first(keys, _LOSERS)
        if won is not None and lost is not None:
            return BattlePlan(won, lost, weight=given["weight"], voter=voter)
        if loser is not None:
            return None
    if left is None and right is None:
        left, right = _pair(keys, _SIDES, "left and right")
    if left is None or right is None:
        return None
    keys = {name: key for name, key in keys.items() if name not in (left, right)}
    if outcome is None:
        outcome = winner
    if left_points is None and right_points is None and outcome is None:
        left_points, right_points = _pair(keys, _POINTS, "left_points and right_points")
        if left_points is None:
            left_points, right_points = (_first(keys, short) for short in _SHORT_POINTS)
        outcome = _first(keys, _OUTCOMES)
    if left_points is None or right_points is None:
        left_points = right_points = None
    if outcome is None and left_points is None:
        return None
    return BattlePlan(
        left=left,
        right=right,
        outcome=outcome,
        left_points=left_points,
        right_points=right_points,
        weight=given["weight"],
        voter=voter,
    )


def _key(name: str) -> str:
    return re.sub(r"[\W_]+", "", name.casefold())


def _first(keys: Mapping[Any, str], wanted: Sequence[str]) -> Any:
    """Return the column whose name is the surest of the wanted ones."""
    return next((name for word in wanted for name, key in keys.items() if key == word), None)


def _pair(keys: Mapping[Any, str], stems: Sequence[str], what: str) -> tuple[Any, Any]:
    """Return the two columns whose names differ only by the side: model_a and model_b."""
    by_key = {key: name for name, key in keys.items()}
    found = [
        (by_key[first], by_key[second])
        for stem in stems
        for one, two in ENDS
        for first, second in ((stem + one, stem + two), (one + stem, two + stem))
        if first in by_key and second in by_key
    ]
    found = list(dict.fromkeys(found))
    if len(found) > 1:
        pairs = " or ".join(f"{show(one)} and {show(two)}" for one, two in found[:3])
        raise InputError(
            f"the columns {pairs} may hold the two sides of a battle: name them with {what}"
        )
    return found[0] if found else (None, None)


# -- from columns to arrays -----------------------------------------------------------------------


def build_battles(
    plan: BattlePlan,
    column: Callable[[Any], Values],
    n_rows: int,
    *,
    items: Sequence[Item] | None = None,
    outcomes: str | Mapping[Any, str] | None = None,
) -> Table:
    """Make rankings of two items from the columns that a plan names.

    Args:
        plan: The columns.
        column: Returns the values of a column.
        n_rows: The number of rows.
        items: All items, or None for those that occur.
        outcomes: What the outcomes are: "items" or "sides", or a mapping of words to "left",
            "right" and "tie". None if the words show it.

    Raises:
        RowError: A row cannot be used.
        InputError: The outcomes can be read in two ways.

    Example:
        >>> columns = {"a": ["x", "x"], "b": ["y", "y"], "winner": ["b", "tie"]}
        >>> table = build_battles(plan_battles(list(columns)), columns.get, 2)
        >>> names, offsets, members, buckets, weights = table.arrays
        >>> names, members.tolist(), buckets.tolist()
        (['x', 'y'], [1, 0, 0, 1], [0, 1, 0, 0])
    """
    if not n_rows:
        raise InputError("there is no battle")
    first, second = (plan.winner, plan.loser) if plan.left is None else (plan.left, plan.right)
    cells = [column(first), column(second)]
    numbered = number_rows(cells, n_rows)
    codes = numbered.codes.reshape(n_rows, 2)
    for place, name in enumerate((first, second)):
        if (codes[:, place] < 0).any():
            row = int(np.argmax(codes[:, place] < 0))
            raise RowError(f"there is no item in column {show(name)}", row)
    same = codes[:, 0] == codes[:, 1]
    if same.any():
        row = int(np.argmax(same))
        item = numbered.names[codes[row, 0]]
        raise RowError(f"item {show(item)} is on both sides: a battle needs two items", row)
    results: npt.NDArray[Any] = np.full(n_rows, LEFT, np.int8)
    if plan.left is not None:
        results = _results(plan, column, numbered, codes, outcomes)
    names, flat = fit(numbered, items, 2)
    members = flat.reshape(n_rows, 2)
    lost = results == RIGHT
    members = np.where(lost[:, None], members[:, ::-1], members)
    buckets = np.zeros((n_rows, 2), np.int32)
    buckets[:, 1] = results != TIE
    weights = None if plan.weight is None else read_weights(column(plan.weight), plan.weight)
    n_rankings = None
    if weights is not None and is_count(plan.weight):
        n_rankings = ranking_count(weights)
    offsets = np.arange(n_rows + 1, dtype=np.int64) * 2
    arrays = (names, offsets, members.ravel(), buckets.ravel(), weights)
    voters = None if plan.voter is None else (lambda: name_list(column(plan.voter)))
    return Table(arrays, n_rankings, np.zeros(0, np.int64), voters)


def _results(
    plan: BattlePlan,
    column: Callable[[Any], Values],
    sides: Numbered,
    codes: npt.NDArray[Any],
    outcomes: str | Mapping[Any, str] | None,
) -> npt.NDArray[Any]:
    """Return who won each battle, from the outcomes or the points."""
    scored: npt.NDArray[Any] | None = None
    if plan.left_points is not None:
        points = []
        for name in (plan.left_points, plan.right_points):
            values = read_ranks(column(name), name)
            if np.isnan(values).any():
                row = int(np.argmax(np.isnan(values)))
                raise RowError(f"there are no points in column {show(name)}", row)
            points.append(values)
        scored = np.sign(points[0] - points[1]).astype(np.int8)
        if np.isinf(points).any():
            row = int(np.argmax(np.isinf(points).any(axis=0)))
            raise RowError("points must be finite", row)
    if plan.outcome is None:
        assert scored is not None
        return scored
    words = number_names(column(plan.outcome), "an outcome")
    told = _read_outcomes(plan, words, sides, codes, outcomes)
    if scored is not None and (scored != told).any():
        row = int(np.argmax(scored != told))
        raise RowError(
            f"column {show(plan.outcome)} and the points in {show(plan.left_points)} and "
            f"{show(plan.right_points)} name different winners",
            row,
            [
                Hint("outcome", (str(plan.outcome),), "to ignore the points"),
                Hint("left_points", (str(plan.left_points),), "and right_points to use the points"),
            ],
        )
    return told


def _read_outcomes(
    plan: BattlePlan,
    words: Numbered,
    sides: Numbered,
    codes: npt.NDArray[Any],
    outcomes: str | Mapping[Any, str] | None,
) -> npt.NDArray[Any]:
    """Return who won each battle, from words, names of columns or names of items."""
    if (words.codes < 0).any():
        row = int(np.argmax(words.codes < 0))
        raise RowError(f"there is no outcome in column {show(plan.outcome)}", row)
    by_side = np.array(_meanings(words.names, plan, outcomes), np.int8)[words.codes]
    # The outcome may be the name of an item: then it is compared with the items of its row.
    index = {name: number for number, name in enumerate(sides.names)}
    trimmed = {name.strip(): number for name, number in index.items() if isinstance(name, str)}
    item = np.array([index.get(word, _find(trimmed, word)) for word in words.names], np.int64)
    winner = item[words.codes]
    by_item = np.full(winner.size, UNKNOWN, np.int8)
    by_item[winner == codes[:, 0]] = LEFT
    by_item[winner == codes[:, 1]] = RIGHT
    by_item[(winner < 0) & (by_side == TIE)] = TIE
    if isinstance(outcomes, Mapping) or outcomes == "sides":
        told = by_side
    elif outcomes == "items":
        told = by_item
    elif outcomes is None:
        told = _agree(plan, words, by_side, by_item)
    else:
        raise SettingError(
            f"outcomes must be 'items', 'sides' or a mapping of words, not {outcomes!r}",
            setting="outcomes",
        )
    if (told == UNKNOWN).any():
        row = int(np.argmax(told == UNKNOWN))
        word, names = words.names[words.codes[row]], [sides.names[code] for code in codes[row]]
        known = _KNOWN_WORDS
        if isinstance(outcomes, Mapping):
            known = listed(outcomes)
        elif outcomes == "items":
            known = f"{listed(names)}, tie"
        raise RowError(
            f"the outcome {show(word)} is unknown, for {show(names[0])} against "
            f"{show(names[1])}; known are {known}. For other words, use "
            'outcomes={WORD: "left", WORD: "right", WORD: "tie"}',
            row,
        )
    return told


def _agree(
    plan: BattlePlan, words: Numbered, by_side: npt.NDArray[Any], by_item: npt.NDArray[Any]
) -> npt.NDArray[Any]:
    """Return the one reading that both give, or the only one that fits all rows."""
    told = np.where(by_item == UNKNOWN, by_side, by_item)
    differs = (by_item != UNKNOWN) & (by_side != UNKNOWN) & (by_item != by_side)
    if not differs.any():
        return told
    fits = [bool((reading != UNKNOWN).all()) for reading in (by_item, by_side)]
    if fits == [True, False]:
        return by_item
    if fits == [False, True]:
        return by_side
    row = int(np.argmax(differs))
    word = words.names[words.codes[row]]
    raise RowError(
        f"the outcome {show(word)} in column {show(plan.outcome)} may name an item or a side, "
        "with different winners",
        row,
        [Hint("outcomes", ("items", "sides"))],
    )


def _find(trimmed: Mapping[str, int], word: Any) -> int:
    """Return the number of the item that a word names up to blanks, or -1."""
    return trimmed.get(word.strip(), -1) if isinstance(word, str) else -1


def _meanings(
    words: Sequence[Any], plan: BattlePlan, outcomes: str | Mapping[Any, str] | None
) -> list[int]:
    """Return who wins by each of the words that occur."""
    if isinstance(outcomes, Mapping):
        for word, meaning in outcomes.items():
            if meaning not in _MEANINGS:
                raise SettingError(
                    f"outcomes must map {word!r} to 'left', 'right' or 'tie', not {meaning!r}",
                    setting="outcomes",
                )
        chosen = {_word(word): _MEANINGS[meaning] for word, meaning in outcomes.items()}
        return [chosen.get(_word(word), UNKNOWN) for word in words]
    known = dict(_WORDS)
    texts = [_word(word) for word in words]
    present = set(texts)
    left, right = _word(plan.left), _word(plan.right)
    # Single letters and numbers mean different things beside different others.
    if "h" in present or "home" in left or "heim" in left:
        known |= {"h": LEFT, "a": RIGHT}
        known.pop("b")
    if "r" in present and "w" not in present:
        known |= {"l": LEFT, "r": RIGHT}
    elif "w" in present and "r" not in present:
        known |= {"w": LEFT, "l": RIGHT}
    if "-1" in present:
        known |= {"-1": RIGHT, "0": TIE}
    elif "2" not in present:
        known["0"] = RIGHT
    if left != right:
        known |= {left: LEFT, right: RIGHT}
    return [known.get(text, _from_result(text)) for text in texts]


def _word(value: Any) -> str:
    """Return an outcome in the form in which words are compared.

    Example:
        >>> _word("Tie (bothbad)"), _word("MODEL_A"), _word(1.0), _word(True), _word(" 2-1")
        ('tie bothbad', 'model a', '1', 'true', '2-1')
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    text = str(value).casefold().strip()
    if re.fullmatch(r"[+-]?[\d.,]+", text):
        number = text.lstrip("+").replace(",", ".")
        return re.sub(r"(?<=\d)\.0+$", "", number)
    if _RESULT.fullmatch(text):
        return text
    return " ".join(re.sub(r"[_()\[\]\s:–-]+", " ", text).split())


def _from_result(text: str) -> int:
    """Return who wins by a result such as 2:1."""
    match = _RESULT.fullmatch(text)
    if match is None:
        return UNKNOWN
    here, there = (int(points) for points in match.groups())
    return (here > there) - (here < there)


# -- lists of battles ---------------------------------------------------------------------------


def columns_of(battles: Iterable[Any]) -> tuple[BattlePlan, dict[str, list[Any]], int]:
    """Return a plan and the columns of battles that are given as tuples.

    Example:
        >>> plan, columns, n_rows = columns_of([("x", "y", "b"), ("y", "z", "tie")])
        >>> plan.outcome, columns["outcome"]
        ('outcome', ['b', 'tie'])
    """
    columns: dict[str, list[Any]] = {"left": [], "right": [], "outcome": []}
    form = "(winner, loser) or (left, right, outcome)"
    if not isinstance(battles, Iterable) or isinstance(battles, str | bytes | Mapping):
        raise InputError(f"battles must be tuples {form}, or a frame, not {show(battles)}")
    battles = battles if isinstance(battles, list | tuple) else list(battles)
    sizes = set(map(len, battles)) if set(map(type, battles)) <= {tuple, list} else set()
    if sizes in ({2}, {3}):
        # All are alike, as usual: no loop is needed.
        for part, name in enumerate(list(columns)[: min(sizes)]):
            columns[name] = [battle[part] for battle in battles]
    size = next(iter(sizes)) if columns["left"] else 0
    for row, battle in enumerate(() if size else battles):
        parts = tuple(battle) if isinstance(battle, tuple | list) else ()
        size = size or len(parts)
        if len(parts) not in (2, 3) or len(parts) != size:
            also = f", as in row 1, of {size} parts" if len(parts) in (2, 3) else ""
            raise RowError(f"a battle must be {form}{also}, not {show(battle)}", row)
        for name, part in zip(columns, parts, strict=False):
            columns[name].append(part)
    n_rows = len(columns["left"])
    if size == 2:
        return BattlePlan("left", "right"), columns, n_rows
    return BattlePlan(left="left", right="right", outcome="outcome"), columns, n_rows


def read_battles(
    battles: Any,
    columns: Mapping[str, Name | None],
    weights: Any = None,
    outcomes: str | Mapping[Any, str] | None = None,
    items: Iterable[Item] | None = None,
) -> Table:
    """Read battles from tuples or a frame; see `Rankings.from_battles`.

    Args:
        battles: The tuples or the frame.
        columns: The columns of a frame whose names do not show what they hold.
        weights: A number per battle, for tuples.
        outcomes: What the outcomes are; see `build_battles`.
        items: All items, or None for those that occur.

    Example:
        >>> read_battles([("x", "y")], {}).arrays[0]
        ['x', 'y']
    """
    listed_items = None if items is None else list(items)
    given = [role for role, name in columns.items() if name is not None]
    if not hasattr(battles, "columns") and not hasattr(battles, "column_names"):
        if given:
            raise SettingError(
                f"{given[0]} names a column of a frame, but the battles are not a frame",
                setting=given[0],
            )
        plan, lists, n_rows = columns_of(battles)
        table = build_battles(
            plan, lists.__getitem__, n_rows, items=listed_items, outcomes=outcomes
        )
        return table._replace(arrays=(*table.arrays[:4], weights))
    if weights is not None:
        raise SettingError(
            "for a frame, name the column of weights: weight=NAME", setting="weights"
        )
    names, column, n_rows = open_frame(battles)
    found = plan_battles(names, **columns)
    if found is None:
        raise InputError(
            f"the columns do not show who fought whom and who won: they are {listed(names)}. Use "
            "winner= and loser=, or left= and right= with outcome= or with left_points= and "
            "right_points=, to name them"
        )
    return build_battles(found, column, n_rows, items=listed_items, outcomes=outcomes)
