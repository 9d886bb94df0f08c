"""Votes for one item: numbers of votes for each, and answers of a form that name one item each."""

from __future__ import annotations

import re
from collections.abc import Iterator

from concordant.errors import Hint
from concordant.reading.cells import Column
from concordant.reading.findings import Finding
from concordant.reading.outcome import (
    Ballot,
    Proposal,
    Roles,
    levels,
    note_ignored,
    question,
    voter_names,
)
from concordant.reading.sheet import Sheet
from concordant.reading.vocabulary import OWNERS
from concordant.reading.words import folded, key, tokens

_VOTES = frozenset(
    {
        *(
            "downvotes",
            "dislikes",
            "votes",
            "upvotes",
            "likes",
            "dots",
            "hearts",
            "thumbs",
            "reactions",
            "stimmen",
            "voix",
        ),
        *("votos", "voti", "stemmen", "glosy", "roster", "punkte", "points", "klebepunkte"),
        *("pastilles", "gommettes", "mentions", "jaime", "curtidas", "megusta"),
    }
)
# What people put on a board, each as often as they like.
_POSTS = frozenset(
    {
        *("card", "cards", "post", "posts", "sticky", "note", "notes", "suggestion", "comment"),
        *("karte", "zettel", "beitrag", "vorschlag", "idee", "carte", "proposition", "tarjeta"),
        *("propuesta", "scheda", "cartao", "proposta", "kaart", "voorstel", "idea", "kort"),
    }
)
_AUTHORS = OWNERS | {"by", "creator", "created", "autor", "autorin", "auteur", "autore", "von"}


def propose_votes(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a table of items with one number of votes each."""
    counts = [
        c
        for c in roles.free
        if c.kind == "number" and (roles.by_word.get(c.index) == "count" or _has(c, _VOTES))
    ]
    others = [
        c
        for c in roles.free
        if c.numeric
        and c not in counts
        and roles.by_word.get(c.index) not in ("ignored", "number")
        and not is_share(c)
    ]
    names = [
        c
        for c in roles.free
        if c.kind == "text" and c.filled == len(c.cells) == len(set(map(str.strip, c.cells)))
    ]
    posts = [c for c in names if _has(c, _POSTS)]
    known = [c for c in names if roles.by_word.get(c.index) in ("item", "name")]
    # The candidate rather than the party.
    found = posts or known[:1] or names
    if sheet.header is None or not counts or len(found) != 1 or roles.given:
        return None
    if len(counts) == 2 and {"upvotes", "downvotes"} == {_pole(c) for c in counts}:
        proposal = Proposal("long", {c.index: "ignored" for c in sheet.columns})
        proposal.roles[found[0].index] = "item"
        up, down = sorted(counts, key=lambda c: _pole(c) == "downvotes")
        why = f"{up.called} may decide, or the balance with {down.shown} (write a column with it)"
        hint = Hint("score", (up.name,), f"if {up.shown} decides, highest best")
        proposal.findings.append(question("which-score", why, hint))
        return proposal
    if len(counts) > 1 or others:
        return None
    if any(
        c.kind == "text" and all(len({*x}) == 1 for x in c.texts(sheet.style)) for c in roles.free
    ):
        # Marks such as x, whose sum the votes may be.
        return None
    value, item = counts[0], found[0]
    values = [v for v in value.numbers if v is not None]
    if len(values) < 2 or len(set(values)) < 2 or not value.whole or value.odd:
        return None
    proposal = Proposal("long", {c.index: "ignored" for c in sheet.columns}, values="scores")
    proposal.roles |= {item.index: "item", value.index: "score"}
    authors = [c for c in sheet.columns if c is not item and _has(c, _AUTHORS)]
    if not posts and not authors:
        # One ballot for each vote has another meaning.
        as_ballots = Hint("layout", ("ballots",), "for a ballot of one item per vote")
        proposal.findings.append(
            question(
                "counts",
                f"{value.called} counts votes: they may be one ranking, or ballots with one "
                "choice each",
                Hint("score", (value.name,), "for one ranking, most votes first"),
                # Other columns would be choices too.
                *([as_ballots] if len(sheet.columns) == 2 else []),
                column=value.name,
            )
        )
        return proposal
    note = f"the table is one ranking, by {value.called}: the highest is best"
    proposal.findings.append(Finding("note", "one-ranking", note))
    note_ignored(proposal, sheet)
    pairs = [
        (-v, name.strip())
        for v, name in zip(value.numbers, item.cells, strict=True)
        if v is not None
    ]
    proposal.changed, proposal.items = True, [cell.strip() for cell in item.cells]
    proposal.ballots = lambda: [Ballot("", levels(pairs), 1, sheet.rows[0])]
    return proposal


_LIKED = re.compile(
    r"\b(?:prefer\w*|favou?rit\w*|vote|voting|choose|pick|like (?:best|most)|best like|bevorzug\w*|"
    r"lieblings\w*|stimme|stimmst|wahlst|wahlen|gefallt \w* am besten|liebsten|preferes?|preferez|"
    r"choisiss\w*|choisis|votez|prefieres?|prefiere|prefer\w+|votas?|eliges?|elige|scegli\w*|"
    r"preferisc\w*|prefere\w*|escolh\w*|voorkeur|kies\w*|stem|wolisz|wybier\w*|foredrar|rostar)\b"
)


def propose_single(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read a question of a form that each answers with one item: it comes before the others."""
    texts = [c for c in roles.free if c.kind == "text"]
    if roles.given or sheet.header is None or len(sheet.rows) < 3 or roles.weights() is not None:
        return None
    asked = [c for c in texts if _LIKED.search(folded(c.name)) and _are_choices(c, sheet)]
    others = [
        c
        for c in roles.free
        if c not in asked and c.numeric and roles.by_word.get(c.index) not in ("ignored", "number")
    ]
    form = [c for c in sheet.columns if c.kind in ("stamp", "mail")]
    if len(asked) != 1 or others or not form:
        return None
    (column,) = asked
    proposal = Proposal("ballots", {c.index: "ignored" for c in sheet.columns})
    proposal.roles[column.index] = "choice 1"
    voter = roles.voter()
    if voter is not None and voter is not column and voter.filled == len(voter.cells):
        proposal.roles[voter.index] = "voter"
    else:
        voter = None
    note = f"{column.shown} is one choice each: what is chosen comes before the others"
    proposal.findings.append(Finding("note", "ticks", note))
    note_ignored(proposal, sheet)
    items = list(dict.fromkeys(column.texts(sheet.style)))
    who = voter_names(sheet, voter)
    proposal.changed, proposal.items = True, items

    def ballots() -> Iterator[Ballot]:
        for k, row in enumerate(sheet.rows):
            chosen = column.cells[k].strip()
            rest = [item for item in items if item != chosen]
            yield Ballot(who[k], [[chosen], rest] if chosen in items else [], 1, row)

    proposal.ballots = ballots
    return proposal


def _are_choices(column: Column, sheet: Sheet) -> bool:
    """Return whether the cells are a few short answers, several of which occur again."""
    texts = column.texts(sheet.style)
    names = set(texts)
    return (
        1 < len(names) <= max(2, 0.6 * len(texts))
        and max(map(len, names)) <= 60
        and not any(mark in name for name in names for mark in ",;\n>")
        and 2 * len(texts) > len(column.cells)
    )


def is_share(column: Column) -> bool:
    """Return whether a column holds percentages, such as the shares of votes."""
    percent = _has(column, _SHARES) or column.name.strip() == "%"
    return percent or all(cell.endswith("%") for cell in map(str.strip, column.cells) if cell)


_SHARES = frozenset({"percent", "percentage", "prozent", "share", "anteil", "pourcentage"})


def _pole(column: Column) -> str | None:
    """Return "upvotes" or "downvotes" where a name speaks of votes for or against."""
    words = {*tokens(column.name), *tokens(column.name.replace("-", ""))}
    if words & {"upvotes", "up", "likes", "pro", "yes", "dafur", "pour", "favor", "ja", "oui"}:
        return "upvotes"
    if words & {
        "downvotes",
        "down",
        "dislikes",
        "contra",
        "no",
        "dagegen",
        "contre",
        "nein",
        "non",
    }:
        return "downvotes"
    return None


def _has(column: Column, words: frozenset[str]) -> bool:
    return bool(words & {*tokens(column.name), key(column.name)})
