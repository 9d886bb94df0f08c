"""Forms that one person answered twice: the last answer may replace the first, or both count."""

from __future__ import annotations

from concordant.errors import Hint, show
from concordant.reading.outcome import Proposal, Roles, question
from concordant.reading.sheet import Sheet

# Longer forms are not searched: they are logs, or come with identifiers of their own.
_MOST_ROWS = 100_000
_MOST_SHOWN = 20


def ask_about_repeats(sheet: Sheet, roles: Roles, proposal: Proposal) -> None:
    """Ask about rows with the same address in a form with one row per person."""
    if proposal.layout not in ("ballots", "lists", "wide") or proposal.transposed:
        return
    if sheet.options.skip_rows is not None or len(sheet.rows) > _MOST_ROWS:
        return
    mails = [c for c in sheet.columns if c.kind == "mail"]
    stamps = [c for c in sheet.columns if c.kind == "stamp"]
    if len(mails) != 1 or not stamps or proposal.questions:
        return
    last: dict[str, int] = {}
    first: dict[str, int] = {}
    earlier = []
    for k, cell in enumerate(mails[0].cells):
        who = cell.strip().casefold()
        if not who:
            continue
        if who in last:
            earlier.append(last[who])
        first.setdefault(who, k)
        last[who] = k
    if not earlier or 4 * len(earlier) > len(sheet.rows) or len(earlier) > _MOST_SHOWN:
        # Somebody who enters the ballots of many.
        return
    lines = ",".join(str(sheet.line(sheet.rows[k])) for k in sorted(earlier))
    who = mails[0].cells[min(earlier)].strip()
    proposal.findings.append(
        question(
            "repeated-voter",
            f"{show(who)} answered more than once",
            Hint("skip_rows", (lines,), "to keep the last answer"),
            Hint("skip_rows", ("none",), "to count all answers"),
            row=sheet.line(sheet.rows[min(earlier)]),
            column=mails[0].name,
        )
    )
