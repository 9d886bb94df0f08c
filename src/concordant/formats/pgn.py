r"""`pgn`, chess games as programs write them: tags of each game, then its moves.

    [White "Berg, T"]
    [Black "Fonseca, M"]
    [Result "1-0"]

    1. e4 e5 2. Nf3 1-0

Each game is a battle of its two players. A draw is a tie. Games without a result (`*`) are left
out.
"""

from __future__ import annotations

import re

from concordant.errors import cut
from concordant.formats.common.registry import NO, SURE, Format
from concordant.formats.common.source import Source
from concordant.formats.common.text import Ballots
from concordant.rankings import Rankings
from concordant.reading.findings import Finding, Inspection

_TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*')
# The places of White and Black.
_RESULTS = {"1-0": (0, 1), "0-1": (1, 0), "1/2-1/2": (0, 0), "½-½": (0, 0)}


def read_pgn(source: Source) -> Rankings:
    """Read chess games: each is a battle."""
    ballots = Ballots(source)
    index: dict[str, int] = {}
    left_out = 0
    for line, tags in _games(source):
        if "Result" not in tags or tags["Result"] == "*":
            left_out += 1
            continue
        players = [tags.get(side, "").strip() for side in ("White", "Black")]
        result = tags["Result"].strip()
        if "" in players or "?" in players:
            raise source.error("a game does not name both players: add White and Black", line)
        if players[0] == players[1]:
            raise source.error(f"{cut(players[0])!r} plays against itself", line)
        if result not in _RESULTS:
            raise source.error(
                f"{cut(result)!r} is not a result: write 1-0, 0-1, 1/2-1/2 or *", line
            )
        numbers = [index.setdefault(player, len(index)) for player in players]
        white, black = _RESULTS[result]
        order = [[numbers[0]], [numbers[1]]] if white < black else [[numbers[1]], [numbers[0]]]
        ballots.add([numbers] if white == black else order, 1, line)
    if not index:
        raise source.error("there is no game with a result", source.last_line)
    rankings = ballots.rankings(list(index))
    note = f"{left_out} {'game' if left_out == 1 else 'games'} without a result left out"
    source.inspection = Inspection(
        source.path,
        "pgn",
        source.found_encoding,
        layout="battles",
        items=list(index),
        n_rankings=rankings.n_rankings,
        findings=[Finding("note", "not-ranked", note)] if left_out else [],
    )
    return rankings


def _games(source: Source) -> list[tuple[int, dict[str, str]]]:
    """Return the tags of each game, with the line of the first."""
    games: list[tuple[int, dict[str, str]]] = []
    inside = False
    for line, text in enumerate(source.lines, start=1):
        tag = _TAG.fullmatch(text.strip())
        if tag is None:
            inside = inside and not text.strip()
            continue
        name, value = tag[1], tag[2].replace('\\"', '"').replace("\\\\", "\\")
        if not inside or name in games[-1][1]:
            games.append((line, {}))
        games[-1][1][name] = value
        inside = True
    return games


def sniff(source: Source) -> int:
    """Recognise games by the tags of their players."""
    lines = source.sample
    if not lines or not _TAG.fullmatch(lines[0].strip()):
        return NO
    names = {tag[1] for line in lines if (tag := _TAG.fullmatch(line.strip()))}
    return SURE if {"White", "Black"} <= names else NO


FORMAT = Format("pgn", "chess games with players and results", (".pgn",), read_pgn, sniff=sniff)
