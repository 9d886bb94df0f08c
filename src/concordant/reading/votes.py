"""Items with the number of votes for each: cards of a board, ideas with likes."""

from __future__ import annotations

from concordant.errors import Hint
from concordant.reading.cells import Column
from concordant.reading.findings import Finding
from concordant.reading.outcome import Ballot, Proposal, Roles, levels, note_ignored, question
from concordant.reading.sheet import Sheet
from concordant.reading.vocabulary import OWNERS
from concordant.reading.words import tokens

_VOTES = frozenset(
    {
        *("votes", "upvotes", "likes", "dots", "hearts", "thumbs", "reactions", "stimmen", "voix"),
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
        if c.numeric and c not in counts and roles.by_word.get(c.index) not in ("ignored", "number")
    ]
    names = [
        c
        for c in roles.free
        if c.kind == "text" and c.filled == len(c.cells) == len(set(map(str.strip, c.cells)))
    ]
    posts = [c for c in names if _has(c, _POSTS)]
    known = [c for c in names if roles.by_word.get(c.index) in ("item", "name")]
    found = posts or known or names
    if sheet.header is None or len(counts) != 1 or others or len(found) != 1 or roles.given:
        return None
    if any(c.kind == "text" and max(map(len, c.texts(sheet.style))) < 5 for c in roles.free):
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
        proposal.findings.append(
            question(
                "counts",
                f"{value.called} counts votes: they may be one ranking, or ballots with one "
                "choice each",
                Hint("score", (value.name,), "for one ranking, most votes first"),
                Hint("layout", ("ballots",), "for a ballot of one item per vote"),
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


def _has(column: Column, words: frozenset[str]) -> bool:
    return bool(words & set(tokens(column.name)))
