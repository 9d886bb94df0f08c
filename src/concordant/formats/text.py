"""`text`: lists in plain text: `Ann: A > B`, `Ann: A, B`, numbered lists with a name above each."""

from __future__ import annotations

import re
from typing import Any

from concordant._reading import options_of
from concordant.errors import Hint, InputError, cut, show
from concordant.formats.common.registry import LIKELY, NO, Format
from concordant.formats.common.source import Source
from concordant.formats.common.tables import warn
from concordant.merging import warn_of_repeats
from concordant.rankings import Rankings
from concordant.reading.assemble import assemble, merged
from concordant.reading.cells import Style
from concordant.reading.decide import data_findings
from concordant.reading.findings import Finding, Inspection, QuestionError
from concordant.reading.options import Options, make_options
from concordant.reading.text import TextLists, find_lists

_COUNTED = re.compile(r"\s*\d+(\.\d+)?\s*[:*]", re.ASCII)
_MARKS = {
    b"<!doctype": "a web page, not a table",
    b"<html": "a web page, not a table",
    b"%pdf": "a PDF file, not a table",
    b"\x89png": "a picture, not a table",
    b"\xff\xd8\xff": "a picture, not a table",
    b"gif8": "a picture, not a table",
    b"<?xml": "an XML file, not a table",
}
# Longer texts are tables.
_LONGEST = 2**22
# The number of lines that show whether a long text holds lists.
_SAMPLE = 400


def check_kind(source: Source, head: bytes) -> None:
    """Refuse a web page, a PDF file or a picture."""
    start = head.lstrip()[:16].lower()
    for mark, what in _MARKS.items():
        if start.startswith(mark):
            raise source.error(f"{what}: save the table as CSV", hints=[])


def read_text(source: Source, **given: Any) -> Rankings:
    """Read lists in plain text."""
    options = make_options(given)
    source.encoding = options.encoding
    found = text_lists(source, options, sure=True)
    if found is None:
        raise source.error(
            "there is no list: write one ranking in a line (Ann: A > B > C), or numbered lists",
            hints=[Hint("format", ("csv",), "if it is a table")],
        )
    return found


def text_lists(source: Source, options: Options, *, sure: bool = False) -> Rankings | None:
    """Return the rankings of a text of lists; None where it is something else.

    Args:
        source: The file.
        options: How to read it.
        sure: Whether a text of lists was chosen; else only clear marks count.
    """
    if len(source.data) > _LONGEST and not sure:
        return None
    check_kind(source, source.data[:4096])
    style = Style(missing=options.missing)
    lines = source.lines
    if not sure and len(lines) > _SAMPLE and find_lists(lines[:_SAMPLE], style) is None:
        return None
    lists = find_lists(lines, style)
    if lists is None or not (sure or _is_clear(source, lists)):
        return None
    ballots, items = lists.ballots, None
    if lists.kind == "bullets" and options.layout != "lists":
        hint = Hint("layout", ("lists",), "if the first of each list is best")
        why = "bullets have no order by themselves"
        asked = Finding("question", "bullets", why, hints=(hint,))
        raise QuestionError([asked], path=source.path)
    if lists.kind == "backward":
        if options.values is None:
            asked = Finding(
                "question",
                "direction",
                "rankings are written with <: the first or the last item may be best",
                hints=(
                    Hint("values", ("ranks",), "if the first is best"),
                    Hint("values", ("scores",), "if the last is best"),
                ),
            )
            raise QuestionError([asked], path=source.path)
        if options.values == "scores":
            ballots = [ballot._replace(buckets=ballot.buckets[::-1]) for ballot in ballots]
    if options.names == "merge":
        ballots, items = merged(ballots, [])
    try:
        made = assemble(
            ballots,
            items,
            counted=lists.counted,
            duplicates=source.duplicates,
            line=lambda row: row + 1,
        )
        rankings = Rankings.from_arrays(
            made.items,
            *made.arrays,
            n_rankings=made.n_rankings,
            unranked=source.unranked or "unknown",
            voters=made.names,
        )
    except InputError as error:
        raise source.error(error) from None
    if made.dropped.size:
        warn_of_repeats(made.dropped, source.path)
    findings = data_findings(made.items, rankings.lengths, options, unranked=source.unranked)
    if lists.titles:
        shown = show(cut(lists.titles[0], 40))
        findings.insert(0, Finding("note", "title-rows", f"not read, above the lists: {shown}"))
    source.inspection = Inspection(
        source.path,
        "text",
        source.found_encoding,
        layout="lists",
        items=list(made.items),
        voters=made.voters,
        n_rankings=rankings.n_rankings,
        findings=findings,
    )
    warn(source, findings)
    return rankings


def _is_clear(source: Source, lists: TextLists) -> bool:
    """Return whether a file with the name of a table holds lists of text for sure."""
    lines = [line for line in source.lines if line.strip()]
    if lists.kind == "numbered":
        return not any(mark in line for line in lines for mark in ",;\t")
    marks = [line.count(",") + line.count(";") + line.count("\t") for line in lines]
    # A header such as `Name;Ranking` has no arrow.
    return not any(marks) and (lists.kind == "named" or ">" in lines[0])


def sniff(source: Source) -> int:
    """Recognise lists with names, arrows or numbers; lines of counts are `abif`."""
    lines = source.sample
    if not lines or any(_COUNTED.match(line) and ">" in line for line in lines[:3]):
        return NO
    if "\t" in lines[0]:
        return NO
    found = find_lists(lines)
    if found is None or (lines[0][0] in "{[<" and found.kind != "named"):
        return NO
    # Without names and counts, the lines are ballots of another format.
    return NO if found.kind == "arrows" and not found.counted else LIKELY


FORMAT = Format(
    "text",
    "lists in plain text: Ann: A > B = C, Ann: A, B, C, or numbered lists",
    (),
    read_text,
    sniff=sniff,
    options=options_of("text"),
)
