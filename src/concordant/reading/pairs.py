"""Tables of battles: winner and loser, two sides with a winner, with points, or with counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations

from concordant.errors import Hint, show
from concordant.reading.cells import Column, are_rounds, is_missing
from concordant.reading.duels import best_and_worst, duels
from concordant.reading.findings import Finding
from concordant.reading.outcome import (
    Ballot,
    Proposal,
    Roles,
    question,
    read_weights,
)
from concordant.reading.outsiders import stem_of
from concordant.reading.pair_rows import each_row, first_text, pair_ballot, pairs_proposal
from concordant.reading.results import is_flag, read_goals, side_named
from concordant.reading.sheet import Sheet
from concordant.reading.single import is_best
from concordant.reading.vocabulary import DEGREES, ENDS
from concordant.reading.words import folded, is_reference, is_word, key, place_of, tokens

# The number of rows that show whether a column names the winner.
_SAMPLE = 2000


def propose_battles(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read battles: winner and loser, or two sides with a winner or with points."""
    extremes = best_and_worst(sheet, roles) or duels(sheet, roles)
    if extremes is not None:
        return extremes
    left, right = _sides(sheet, roles)
    if left is not None and right is not None:
        return _two_sides(sheet, roles, left, right)
    given = set(roles.given)
    # A league table counts games in columns Won and Lost.
    table = any(key(c.name) in ("won", "lost") for c in roles.of("winner", "loser"))
    winner = first_text(roles.of("winner"), any_kind="winner" in given or not table)
    loser = first_text(roles.of("loser"), any_kind="loser" in given or not table)
    if winner is None or loser is None or winner is loser:
        return None
    unknown = [
        c
        for c in roles.free
        if c.kind == "number"
        and c not in (winner, loser)
        and c.whole
        and not are_rounds(c)
        and roles.by_word.get(c.index) in (None, "winner", "item")
    ]
    used = {winner.index: "winner", loser.index: "loser"}
    pairs = set(zip(winner.cells, loser.cells, strict=True))
    counted = roles.weights() is None and len(unknown) == 1 and len(pairs) == len(winner.cells)
    if counted and _GAMES & set(tokens(unknown[0].name)):
        # Each pair once, with the number of its games.
        used[unknown[0].index] = "count"
    proposal = pairs_proposal(sheet, roles, used)
    proposal.counted = proposal.counted or "count" in used.values()
    if len(unknown) == 1 and proposal.column("weight") is proposal.column("count") is None:
        name = unknown[0].name
        proposal.findings.append(
            question(
                "weight",
                f"{unknown[0].shown} may count battles, or not matter",
                Hint("count", (name,), "if it counts battles"),
                Hint("ignore", (name,), "if it does not matter"),
                column=name,
            )
        )

    def ballots() -> Iterator[Ballot]:
        for k, who, weight in each_row(sheet, proposal, roles):
            yield pair_ballot(sheet, k, who, weight, [[winner.cells[k]], [loser.cells[k]]])

    proposal.ballots = ballots
    return proposal


# Words for battles, above their number.
_GAMES = frozenset(
    {
        *("games", "matches", "battles", "bouts", "wins", "duels", "spiele", "partien", "siege"),
        *("duelle", "parties", "matchs", "victoires", "partidas", "partidos", "victorias"),
        *("partite", "vittorie", "incontri", "jogos", "vitorias", "wedstrijden", "mecze"),
        *("matcher", "vinster", "overwinningen"),
    }
)


def _sides(sheet: Sheet, roles: Roles) -> tuple[Column | None, Column | None]:
    """Return the columns of the two sides: by option, by their words, or by a common name."""
    if "left" in roles.given and "right" in roles.given:
        return roles.given["left"], roles.given["right"]
    if "winner" in roles.given and "loser" in roles.given:
        return None, None
    sides = [c for c in roles.free if roles.by_word.get(c.index) in ("left", "right")]
    if "left" in roles.given and len(sides) == 1:
        return roles.given["left"], sides[0]
    decided = roles.of("winner", "outcome", "left points")
    left = [c for c in roles.of("left") if c.kind == "text" and (decided or len(c.name) > 1)]
    right = [c for c in roles.of("right") if c.kind == "text" and (decided or len(c.name) > 1)]
    if left and right and not (place_of(left[0].name) == 1 and _has_third(roles)):
        return left[0], right[0]
    # image_left and image_right, Team A and Team B, Player 1 and Player 2.
    codes = _codes(roles)
    given = [c for role, c in roles.given.items() if role == "left"]
    texts = [c for c in (*roles.free, *given) if c.kind == "text" or c in codes]
    named = {tuple(tokens(re.sub(r"(?<=[a-z])(?=\d)", " ", c.name))): c for c in texts}
    thirds = {"a": "c", "1": "3"}
    for words, column in named.items():
        for one, other in ((folded(a), folded(b)) for a, b in ENDS):
            if len(words) > 1 and one in words and place_of(column.name) is None:
                third = thirds.get(one)
                if third and tuple(third if word == one else word for word in words) in named:
                    # Three of them are lists, not sides.
                    continue
                partner = named.get(tuple(other if word == one else word for word in words))
                if partner is not None:
                    return (partner, column) if partner in given else (column, partner)
    return None, None


def _codes(roles: Roles) -> list[Column]:
    """Return columns of codes, two of which are the sides of each row that a third one chooses."""
    columns = [c for c in roles.free if c.kind == "number" and min(_given(c), default=0) > 20]
    if len(columns) > _MOST_CODES:
        return []
    for won in columns:
        cells = [cell.strip() for cell in won.cells]
        if len({v for c in columns for v in _given(c)}) > len(cells):
            # Codes come again from row to row.
            continue
        for one, other in combinations([c for c in columns if c is not won], 2):
            rows = zip(cells, one.cells, other.cells, strict=True)
            hits = [cell in (a.strip(), b.strip()) for cell, a, b in rows if cell.isdecimal()]
            apart = all(a != b for a, b in zip(one.numbers, other.numbers, strict=True))
            apart = apart and None not in (*one.numbers, *other.numbers)
            apart = apart and not is_best(won, [won, one, other])
            if apart and len(hits) > 2 and all(hits) and 2 * len(hits) > len(cells):
                return [one, other]
    return []


# More columns of numbers are no sides.
_MOST_CODES = 6


def _given(column: Column) -> list[float]:
    return [value for value in column.numbers if value is not None]


def _has_third(roles: Roles) -> bool:
    """Return whether a column is called Third: then First and Second are choices, not sides."""
    return any(place_of(c.name) == 3 for c in roles.free)


def _two_sides(sheet: Sheet, roles: Roles, left: Column, right: Column) -> Proposal | None:
    shared = set(map(str.strip, left.cells)) & set(map(str.strip, right.cells))
    used = {left.index: "left", right.index: "right"}
    others = [c for c in roles.free if c not in (left, right)]
    points = _points(roles, others, left, right)
    outcome = None
    for column in (
        *([roles.given["winner"]] if "winner" in roles.given else []),
        *roles.of("winner"),
        *roles.of("outcome"),
        *[c for c in others if key(c.name) in ("choice", "choix", "wahl", "preference", "answer")],
        *others,
    ):
        if column not in (left, right) and _names_sides(column, left, right, roles):
            outcome = column
            break
    by_word = roles.by_word.get(left.index) == "left" and roles.by_word.get(right.index) == "right"
    if outcome is None and points is None:
        given = "left" in roles.given or sheet.options.layout == "battles"
        alike = len(shared) >= 2 and left.kind == right.kind == "text"
        flags = [c for c in others if is_flag(c.cells)]
        if not given and not (alike and (by_word or len(others) == 0 or len(flags) == 1)):
            return None
        used |= {c.index: "winner" for c in flags if len(flags) == 1}
        proposal = pairs_proposal(sheet, roles, used)
        if len(flags) == 1:
            return _by_outcome(sheet, roles, proposal, left, right, flags[0])
        proposal.findings.append(
            question(
                "winner",
                f"nothing shows who won: {left.shown} or {right.shown}",
                Hint("winner", (left.name,), f"if {left.shown} always won"),
                Hint("winner", purpose="to choose the column of the winner", placeholder="COLUMN"),
            )
        )
        return proposal
    if outcome is not None:
        outcome = _with_sets(outcome, others, sheet)
        used[outcome.index] = "winner"
        proposal = pairs_proposal(sheet, roles, used)
        return _by_outcome(sheet, roles, proposal, left, right, outcome)
    assert points is not None
    if _are_counts(roles, points):
        return _by_counts(sheet, roles, used, (left, right), points)
    used |= {points[0].index: "left points", points[1].index: "right points"}
    proposal = pairs_proposal(sheet, roles, used)
    home, away = points
    sign = 1 if proposal.values == "ranks" else -1

    def ballots() -> Iterator[Ballot]:
        for k, who, weight in each_row(sheet, proposal, roles):
            one, other = home.numbers[k], away.numbers[k]
            if one is None or other is None:
                continue
            first, second = left.cells[k], right.cells[k]
            if one == other:
                yield pair_ballot(sheet, k, who, weight, [[first, second]])
            elif (one - other) * sign < 0:
                yield pair_ballot(sheet, k, who, weight, [[first], [second]])
            else:
                yield pair_ballot(sheet, k, who, weight, [[second], [first]])

    proposal.ballots = ballots
    return proposal


def _with_sets(outcome: Column, others: list[Column], sheet: Sheet) -> Column:
    """Return the results of all sets where each has a column: `Set 1`, `Set 2`."""
    stem = stem_of(outcome.name)
    sets = [c for c in (outcome, *others) if stem and stem_of(c.name) == stem]
    sets = sorted({c.index: c for c in sets}.values(), key=lambda c: c.index)
    cells = [c.texts(sheet.style) for c in sets]
    if len(sets) < 2 or any(read_goals(cell) is None for each in cells for cell in each):
        return outcome
    rows = zip(*(c.cells for c in sets), strict=True)
    joined = [", ".join(cell.strip() for cell in row if cell.strip()) for row in rows]
    return Column(outcome.index, outcome.name, joined, sheet.style)


# Words for how many preferred a side, and not for what it scored in one match.
_COUNTS = frozenset(
    {
        *("prefer", "prefers", "preferred", "preferring", "votes", "vote", "voted", "wins", "won"),
        *("count", "counts", "n", "chose", "chosen", "choices", "picks", "picked", "for", "favor"),
        *("stimmen", "siege", "anzahl", "voix", "victoires", "votos", "victorias", "voti"),
        *("vittorie", "vitorias", "stemmen", "aantal", "glosy", "liczba", "roster", "antal"),
        *("bevorzugt", "preferent", "prefieren", "preferiscono", "preferem"),
    }
)


def _are_counts(roles: Roles, points: tuple[Column, Column]) -> bool:
    """Return whether two columns count those who prefer each side: by a word, or by their sum."""
    words = [set(tokens(re.sub(r"(?<=[a-z])(?=\d)", " ", c.name))) for c in points]
    if all(_COUNTS & each for each in words):
        return True
    for column in roles.free:
        if column.kind != "number" or column in points:
            continue
        sums = [
            (total, one + other)
            for total, one, other in zip(
                column.numbers, points[0].numbers, points[1].numbers, strict=True
            )
            if total is not None and one is not None and other is not None
        ]
        if len(sums) > 1 and all(total == both for total, both in sums):
            return True
    return False


def _by_counts(
    sheet: Sheet,
    roles: Roles,
    used: dict[int, str],
    sides: tuple[Column, Column],
    counts: tuple[Column, Column],
) -> Proposal:
    """Read how many preferred each of two sides: as many battles each."""
    proposal = pairs_proposal(sheet, roles, used)
    for k, role in list(proposal.roles.items()):
        if role in ("weight", "count"):
            # Their sum.
            proposal.roles[k] = "ignored"
    proposal.roles |= {counts[0].index: "left points", counts[1].index: "right points"}
    ties = next((c for c in roles.free if c.kind == "number" and is_word("tie", c.name)), None)
    if ties is not None:
        proposal.roles[ties.index] = "ties"
    proposal.counted = True
    proposal.findings.append(
        Finding(
            "note",
            "counts",
            f"{counts[0].shown} and {counts[1].shown} count those who prefer each side",
        )
    )

    def ballots() -> Iterator[Ballot]:
        found = [read_weights(sheet, column) for column in (*counts, ties)]
        for k, who, _ in each_row(sheet, proposal, roles):
            one, other = (side.cells[k] for side in sides)
            orders = ([[one], [other]], [[other], [one]], [[one, other]])
            for weights, order in zip(found, orders, strict=True):
                if weights is not None and weights[k]:
                    yield pair_ballot(sheet, k, who, weights[k], order)

    proposal.ballots = ballots
    return proposal


def _points(
    roles: Roles, others: list[Column], left: Column, right: Column
) -> tuple[Column, Column] | None:
    one = [c for c in roles.of("left points") if c.numeric]
    two = [c for c in roles.of("right points") if c.numeric]
    if not (one and two):
        # "Tore Heim" and "Tore Gast" beside "Heim" and "Gast".
        one = [c for c in others if c.numeric and set(tokens(left.name)) < set(tokens(c.name))]
        two = [c for c in others if c.numeric and set(tokens(right.name)) < set(tokens(c.name))]
    if not (one and two):
        # "Sets A" and "Sets B" beside "Player A" and "Player B".
        words = set(tokens(left.name)), set(tokens(right.name))
        one = [c for c in others if c.numeric and (words[0] - words[1]) & set(tokens(c.name))]
        two = [c for c in others if c.numeric and (words[1] - words[0]) & set(tokens(c.name))]
    if one and two:
        return one[0], two[0]
    scores = [
        c
        for c in others
        if c.kind == "number"
        and roles.by_word.get(c.index)
        not in ("weight", "count", "ignored", "number", "total", "voter", "item", "outcome", "rank")
        and not is_reference(c.name)
        and not are_rounds(c)
    ]
    between = [
        c
        for c in scores
        if key(c.name) in ("goals", "points", "score", "tore", "buts", "goles", "gol")
    ]
    scores = between if len(between) == 2 else scores
    return (scores[0], scores[1]) if len(scores) == 2 and all(c.whole for c in scores) else None


def _names_sides(column: Column, left: Column, right: Column, roles: Roles) -> bool:
    """Return whether the cells of a column name the winner of the two sides, or a tie."""
    hits = rows = 0
    for k, cell in enumerate(column.cells[:_SAMPLE]):
        if not cell.strip():
            continue
        rows += 1
        hits += (
            _side(cell, left, right, k) is not None
            or is_word("tie", cell)
            or read_goals(cell) is not None
            or is_word("not played", cell)
            or cell.strip() in ("H", "D", "A")
        )
    given = column in roles.given.values()
    if (
        column.numeric
        and not given
        and not left.numeric
        and not (column.kind == "time" and _SETS & set(tokens(column.name)))
        and roles.by_word.get(column.index) not in ("winner", "outcome")
    ):
        return False
    return rows > 0 and hits >= 0.5 * rows and (given or hits > 0)


# Above results such as 3:1, which also look like times.
_SETS = frozenset(
    {
        *("sets", "satze", "satz", "result", "ergebnis", "resultat", "resultado", "risultato"),
        *("score", "spielstand", "tore", "goals", "games", "marcador", "punteggio", "uitslag"),
        *("manches", "placar", "wynik"),
    }
)


def _side(cell: str, left: Column, right: Column, row: int) -> str | None:
    """Return "left" or "right" where a cell names the winner."""
    text = cell.strip()
    if text == left.cells[row].strip():
        return "left"
    if text == right.cells[row].strip():
        return "right"
    word = key(text)
    if word and word == key(left.name):
        return "left"
    if word and word == key(right.name):
        return "right"
    if is_word("left", text):
        return "left"
    if is_word("right", text):
        return "right"
    words = tokens(text)
    plain = [each for each in words if each not in DEGREES]
    # "A is much better".
    return _side(plain[0], left, right, row) if len(plain) == 1 < len(words) else None


def _by_outcome(
    sheet: Sheet, roles: Roles, proposal: Proposal, left: Column, right: Column, outcome: Column
) -> Proposal:
    cells = [cell.strip() for cell in outcome.cells]
    home = {"H": "left", "A": "right", "D": "tie"} if set(cells) <= {"H", "D", "A", ""} else {}
    if is_flag(cells):
        side = side_named(outcome.name, left.name, right.name)
        ends = (left, right) if side != "right" else (right, left)
        home = {"1": side or "left", "0": "left" if side == "right" else "right"}
        why = f"1 in {outcome.called} may mean that {left.shown} won, or that {right.shown} did"
        hints = [Hint("left", (c.name,), f"if {c.shown} did") for c in ends]
        if side:
            why = f"0 in {outcome.called} may mean that {ends[1].shown} won, or a tie"
            hints = [Hint("left", (left.name,), f"if {ends[1].shown} won")]
            hints += [Hint("winner", (outcome.name,), "if it means a tie")]
        if outcome in roles.given.values():
            home = {"1": side} if side else home
        elif "left" not in roles.given:
            proposal.findings.append(question("winner", why, *hints, column=outcome.name))
    chess = {cell for cell in cells if cell} <= {"1-0", "0-1", "1/2-1/2", "½-½", "0.5-0.5"}

    known: dict[tuple[str, str, str], str | None] = {}

    def winner_of(k: int) -> str | None:
        battle = (cells[k], left.cells[k], right.cells[k])
        if battle not in known:
            known[battle] = find_winner(k)
        return known[battle]

    def find_winner(k: int) -> str | None:
        cell = cells[k]
        if (is_missing(cell, sheet.style) and not is_word("tie", cell)) or is_word(
            "not played", cell
        ):
            return "missing"
        goals = None if chess else read_goals(cell)
        if cell in home:
            return home[cell]
        if goals is not None:
            return "left" if goals[0] > goals[1] else "right" if goals[0] < goals[1] else "tie"
        if is_word("tie", cell):
            return "tie"
        side = _side(cell, left, right, k)
        if side is None and roles.by_word.get(outcome.index) in ("winner", "outcome"):
            side = "left" if is_word("left flag", cell) else None
            side = "right" if is_word("right flag", cell) else side
        return side

    unclear = [k for k in range(len(cells)) if winner_of(k) is None]
    if unclear and outcome not in roles.given.values():
        k = unclear[0]
        word = outcome.cells[k].strip()
        proposal.findings.append(
            question(
                "winner",
                f"{show(word)} in {outcome.called} names neither side nor a tie",
                Hint("missing", (word,), "if it means that there is no answer"),
                Hint("winner", (outcome.name,), "to count such rows as ties"),
                row=sheet.line(sheet.rows[k]),
                column=outcome.name,
            )
        )

    def ballots() -> Iterator[Ballot]:
        for k, who, weight in each_row(sheet, proposal, roles):
            first, second = left.cells[k], right.cells[k]
            side = winner_of(k)
            if side == "missing":
                continue
            if side not in ("left", "right"):
                yield pair_ballot(sheet, k, who, weight, [[first, second]])
            elif side == "left":
                yield pair_ballot(sheet, k, who, weight, [[first], [second]])
            else:
                yield pair_ballot(sheet, k, who, weight, [[second], [first]])

    proposal.ballots = ballots
    return proposal
