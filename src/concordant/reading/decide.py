"""The decision: which layout a table has, whether a question is open, whether the fast way fits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from concordant._types import Duplicates
from concordant.errors import Hint, InputError
from concordant.reading.assemble import (
    Assembled,
    assemble,
    coverage_findings,
    merged,
    name_findings,
)
from concordant.reading.cells import Style, number
from concordant.reading.choices import propose_ballots
from concordant.reading.edges import propose_edges, settle_edges
from concordant.reading.findings import Finding, Inspection, QuestionError
from concordant.reading.grid import Grid
from concordant.reading.listing import (
    propose_cells,
    propose_columns,
    propose_rows,
    unreadable,
)
from concordant.reading.long import propose_long
from concordant.reading.matrix import propose_matrix, propose_winners
from concordant.reading.options import Options, column_keys
from concordant.reading.outcome import Ballot, Proposal, Roles, question
from concordant.reading.pairs import propose_battles
from concordant.reading.piles import propose_piles
from concordant.reading.repeats import ask_about_repeats
from concordant.reading.sheet import Sheet
from concordant.reading.votes import propose_single, propose_votes
from concordant.reading.wide import propose_wide, propose_written
from concordant.tables.columns import Plan, plan_columns

Recogniser = Callable[[Sheet, Roles], Proposal | None]
_BY_LAYOUT: dict[str, tuple[Recogniser, ...]] = {
    "long": (propose_long,),
    "wide": (propose_wide,),
    "ballots": (propose_ballots,),
    "lists": (propose_cells, propose_rows),
    "columns": (propose_columns,),
    "battles": (propose_winners, propose_battles),
    "matrix": (propose_matrix, propose_winners),
    "edges": (propose_battles, propose_edges),
}
# Tried in this order; the first that fits is taken, unless it has to ask.
_ORDER: tuple[Recogniser, ...] = (
    propose_written,
    propose_matrix,
    propose_winners,
    propose_piles,
    propose_battles,
    propose_ballots,
    propose_long,
    propose_edges,
    propose_columns,
    propose_cells,
    propose_votes,
    propose_wide,
    propose_rows,
    propose_single,
)
_FAST_SEPARATORS = (None, ",", ";", "\t")


@dataclass
class Decision:
    """How a table is read.

    Attributes:
        sheet: The table.
        proposal: The reading.
        options: The options it was made with.
    """

    sheet: Sheet
    proposal: Proposal
    options: Options

    @property
    def findings(self) -> list[Finding]:
        """All findings, notes of the grid first."""
        grid = self.sheet.grid
        notes = [Finding("note", code, message) for code, message in grid.notes]
        return [*notes, *self.sheet.findings, *self.proposal.findings]

    def check(self) -> None:
        """Raise the open questions.

        Raises:
            QuestionError: There is one.
        """
        questions = [finding for finding in self.findings if finding.kind == "question"]
        if questions:
            raise QuestionError(questions)

    @property
    def is_plain(self) -> bool:
        """Whether the bytes of the file are a plain table: nothing left out, nothing changed."""
        sheet, proposal, grid = self.sheet, self.proposal, self.sheet.grid
        return (
            not (sheet.changed or proposal.changed or proposal.transposed or proposal.questions)
            and self.options.is_plain
            and sheet.header is not None
            and sheet.style.decimal == "."
            and grid.plain
            and not grid.items
            and grid.encoding in (None, "utf-8")
            and grid.separator in _FAST_SEPARATORS
        )

    def plan(self) -> Plan | None:
        """Return the plan of the fast readers where they read the same; else None."""
        sheet, proposal, options = self.sheet, self.proposal, self.options
        if not self.is_plain or proposal.layout not in ("long", "wide", "ballots"):
            return None
        names = sheet.names
        columns = {
            role: names[options.find(name, names, role)] for role, name in options.columns.items()
        }
        try:
            plan = plan_columns(names, layout=options.layout or "auto", **columns)
        except InputError:
            return None
        if plan.layout != proposal.layout:
            return None
        if proposal.values == "scores" and not plan.scored:
            return None
        if proposal.values == "ranks" and plan.scored:
            return None
        by_index = {c.index: c for c in sheet.columns}
        numeric = plan.numeric
        for k, role in proposal.roles.items():
            if role == "ignored" and names[k] in plan.used and names[k] != plan.voter:
                return None
            if role != "ignored" and names[k] not in plan.used:
                return None
            column = by_index[k]
            marked = column.marked and not sheet.written
            if names[k] in numeric and (marked or column.kind not in ("number", "empty")):
                return None
        voter = proposal.column("voter")
        if (None if voter is None else names[voter]) != plan.voter and plan.layout == "long":
            return None
        item = proposal.column("item")
        if plan.layout == "long" and (item is None or names[item] != plan.item):
            return None
        if plan.layout == "long" and voter is not None:
            cells = by_index[voter].cells
            if any(cell != cell.strip() for cell in cells):
                # The fast readers keep blanks, which would make two voters of one.
                return None
        if plan.layout == "wide":
            used = [names[k] for k, role in proposal.roles.items() if role == "item"]
            if sorted(map(str, used)) != sorted(map(str, plan.columns)):
                return None
        if plan.layout == "ballots":
            used = [names[k] for k, role in proposal.roles.items() if role.startswith("choice")]
            if sorted(map(str, used)) != sorted(map(str, plan.columns)):
                return None
        weight = proposal.column("weight")
        weight = proposal.column("count") if weight is None else weight
        if (None if weight is None else names[weight]) != plan.weight:
            return None
        return plan

    def assembled(self, duplicates: Duplicates = "error") -> Assembled:
        """Make the rankings from the cells, and note what their names show."""
        self.check()
        proposal, sheet = self.proposal, self.sheet
        assert proposal.ballots is not None
        ballots: list[Ballot] = list(proposal.ballots())
        # A remark below the table may stand in a row without a name.
        items = [name for name in proposal.items or () if name]
        ranked = {name for ballot in ballots for bucket in ballot.buckets for name in bucket}
        if not ranked.isdisjoint(sheet.grid.items):
            items += sheet.grid.items
        if self.options.names == "merge":
            ballots, items = merged(ballots, items)
        found = assemble(
            ballots, items, counted=proposal.counted, duplicates=duplicates, line=sheet.line
        )
        if not found.items:
            raise InputError("there is no item to rank")
        return found


def recognise(grid: Grid, options: Options) -> Decision:
    r"""Find what a table means.

    Raises:
        InputError: No layout fits.

    Example:
        >>> from concordant.reading.grid import split
        >>> found = recognise(split("judge,wine A,wine B\nann,1,2\nbo,2,1\n", ","), Options())
        >>> found.proposal.layout, found.proposal.values
        ('wide', 'ranks')
        >>> found = recognise(split("judge,wine A,wine B\nann,85,72\nbo,90,71\n", ","), Options())
        >>> found.proposal.questions[0].code
        'ranks-or-scores'
    """
    sheet = Sheet(grid, options)
    sheet.titles += grid.titles
    roles = Roles(sheet)
    settle_edges(sheet, roles)
    _ask_about_numbers(sheet, options)
    if options.layout is not None:
        order = _BY_LAYOUT[options.layout]
    elif {"winner", "loser", "left", "right"} & set(roles.given):
        order = (propose_battles, propose_edges)
    elif {"rank", "score"} & set(roles.given):
        order = (propose_long,)
    else:
        order = _ORDER
    for recogniser in order:
        proposal = recogniser(sheet, roles)
        if proposal is not None:
            ask_about_repeats(sheet, roles, proposal)
            return Decision(sheet, proposal, options)
    raise unreadable(sheet, roles)


def _ask_about_numbers(sheet: Sheet, options: Options) -> None:
    """Ask where the first row holds only numbers: a ranking, or the names of items."""
    if options.layout is not None or options.header is not None or sheet.grid.header:
        return
    names = [name for name in sheet.names if name.strip()]
    if sheet.header is None or not names or len(names) < len(sheet.names):
        return
    if all(number(name, Style()) is not None for name in names):
        raise QuestionError(
            [
                question(
                    "header",
                    "the first line holds only numbers: it may be a ranking, or name the items",
                    Hint("layout", ("wide",), "if the numbers are the names of items"),
                    Hint(
                        "layout",
                        ("lists",),
                        "if every row lists items, best first, without a header",
                    ),
                    row=sheet.line(sheet.header),
                )
            ]
        )


def data_findings(
    items: Any, lengths: Any, options: Options, *, unranked: str | None
) -> list[Finding]:
    """Return what the names and the lengths of the rankings show."""
    found: list[Finding] = []
    if options.names is None:
        found += name_findings([str(item) for item in items])
    if unranked is None:
        found += coverage_findings(lengths, len(items))
    return found


def inspection(decision: Decision, source: str, items: Any, voters: Any) -> Inspection:
    """Describe a decision."""
    sheet, proposal, grid = decision.sheet, decision.proposal, decision.sheet.grid
    columns = [c.index for c in sheet.columns]
    names = {c.index: c.name for c in sheet.columns}
    keys = column_keys(sheet.names)
    return Inspection(
        source=source,
        format=grid.format,
        encoding=grid.encoding,
        separator=grid.separator,
        header=sheet.line(sheet.header),
        layout=proposal.layout,
        columns=[names[k] for k in columns],
        roles=[proposal.roles.get(k, "ignored") for k in columns],
        values=proposal.values,
        items=list(items),
        voters=list(voters),
        rows=[[sheet.cell(row, k) for k in columns] for row in sheet.rows[:8]],
        findings=decision.findings,
        keys=[keys[k] for k in columns],
        numbers=[grid.lines[row] for row in sheet.rows[:8]],
        transposed=proposal.transposed,
    )


def preview(grid: Grid, source: str) -> Inspection:
    """Show the first rows of a table whose meaning is not known."""
    rows = [k for k, row in enumerate(grid.rows) if any(cell.strip() for cell in row)][:9]
    width = max((len(grid.rows[k]) for k in rows), default=0)
    first, *others = [[*grid.rows[k], *[""] * (width - len(grid.rows[k]))] for k in rows] or [[]]
    return Inspection(
        source=source,
        format=grid.format,
        encoding=grid.encoding,
        separator=grid.separator,
        columns=first,
        roles=[""] * width,
        rows=others,
        keys=column_keys(first),
        numbers=[grid.lines[k] for k in rows[1:]],
    )


def fallback(grid: Grid, options: Options) -> Plan | None:
    """Return the plan of a table that was refused, from the names of its columns alone."""
    names = next((row for row in grid.rows if any(cell.strip() for cell in row)), [])
    if not options.is_plain or not grid.plain or grid.encoding not in (None, "utf-8"):
        return None
    if grid.separator not in _FAST_SEPARATORS:
        return None
    try:
        columns = {r: names[options.find(n, names, r)] for r, n in options.columns.items()}
        plan = plan_columns(names, layout=options.layout or "auto", **columns)
    except InputError:
        return None
    # Rows may be items, where words in the cells show it.
    return plan if plan.layout == "long" or not plan.guessed or not _has_text(grid) else None


def _has_text(grid: Grid) -> bool:
    """Return whether most cells below the first row are text, so that no error names one."""
    cells = [cell for row in grid.rows[1:50] for cell in row if cell.strip()]
    texts = sum(number(cell, Style()) is None for cell in cells)
    return len(cells) > 0 and texts > 0.5 * len(cells)
