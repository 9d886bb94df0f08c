"""Edge lists of graphs: from one item to another, with the direction asked."""

from __future__ import annotations

from concordant.errors import Hint
from concordant.reading.outcome import Proposal, Roles, question
from concordant.reading.pair_rows import first_text, pairs_proposal
from concordant.reading.sheet import Sheet


def propose_edges(sheet: Sheet, roles: Roles) -> Proposal | None:
    """Read an edge list, whose direction only the user knows."""
    source = first_text([c for c in roles.free if roles.by_word.get(c.index) == "source"])
    target = first_text([c for c in roles.free if roles.by_word.get(c.index) == "target"])
    if source is None or target is None:
        chosen = sheet.options.layout == "edges"
        texts = sheet.texts[:2]
        if not chosen or len(texts) < 2:
            return None
        source, target = texts
    proposal = pairs_proposal(sheet, roles, {source.index: "source", target.index: "target"})
    proposal.layout = "edges"
    proposal.findings.append(
        question(
            "edge-direction",
            f"an edge may point from {source.shown} to the worse or to the better item",
            Hint("winner", (source.name,), f"if {source.shown} is better"),
            Hint("winner", (target.name,), f"if {target.shown} is better"),
        )
    )
    return proposal


def settle_edges(sheet: Sheet, roles: Roles) -> None:
    """Name the other end of an edge, where an option names one end."""
    for one, other in (("winner", "loser"), ("loser", "winner")):
        column = roles.given.get(one)
        if column is None or other in roles.given:
            continue
        words = {"source": "target", "target": "source", "left": "right", "right": "left"}
        wanted = words.get(roles.by_name(column) or "")
        partner = [c for c in roles.free if roles.by_word.get(c.index) == wanted]
        if wanted in ("source", "target") and partner:
            roles.given[other] = partner[0]
